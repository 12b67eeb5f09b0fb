// Which layers are on, what the picture shows of the storeys, and from where.
import { paint, settled, stages } from "./bakes";
import { FARTHEST, LAYERS, STAGE_LAYERS } from "./layers";
import { middles } from "./colours";
import { advise, find, make } from "./page";
import { search } from "./path";
import { colourBy, shown, state, tell, view, when } from "./state";

/** Storeys are at least this far apart, in metres. */
const APART = 2;
/** Share of the ground that makes a storey. */
const LEAST_SHARE = 0.05;
/** Heights within this are one, in metres. */
const BIN = 0.25;
/** What is shown below and above the ground of a storey, in metres. */
const AROUND = [0.6, 2.2] as const;
/** How much is seen of a level that is looked through. */
const XRAY = 0.2;

/** Number of places of the ground that are looked at from above, for a roof. */
const LOOKS = 48;
/** How much higher than the ground something is that hides it, in metres. */
const ROOF = 1.5;

/** The storey that is shown; -1 for all. */
let storey = -1;

function turn(name: string, is: boolean): void {
  if (is) shown.add(name);
  else shown.delete(name);
  view.layer(name).visible = is;
  view.draw();
}

export function makeSwitches(): void {
  const place = find("#layers");
  for (const [name, text] of LAYERS) {
    const box = make("input", { type: "checkbox", checked: shown.has(name), value: name, autocomplete: "off" });
    box.addEventListener("change", () => {
      turn(name, box.checked);
      tell("edit");
      if (STAGE_LAYERS.includes(name)) void settled().then(stages);
      if (name === "searched") search();
    });
    view.layer(name).visible = box.checked;
    place.append(make("label", {}, box, text));
  }
  find("#colour").addEventListener("change", () => {
    paint();
    tell("edit");
  });
  find("#peel").addEventListener("input", () => {
    storey = -1;
    peel();
  });
  find("#storey-up").addEventListener("click", () => step(1));
  find("#storey-down").addEventListener("click", () => step(-1));
  find("#frame").addEventListener("click", () => view.frame());
  const plan = find("#plan");
  plan.addEventListener("click", () => {
    view.setPlan(!view.isPlan);
    plan.setAttribute("aria-pressed", String(view.isPlan));
    tell("select");
  });
  const xray = find("#xray");
  xray.addEventListener("click", () => {
    const is = xray.getAttribute("aria-pressed") !== "true";
    xray.setAttribute("aria-pressed", String(is));
    view.fade("scene", is ? XRAY : 1);
  });
  when("source", () => {
    storey = -1;
    find<HTMLInputElement>("#peel").value = "1";
    xray.setAttribute("aria-pressed", "false");
    peel();
  });
  when("paint", showLegend);
  when("mesh", peel);
}

/** Turns on just these layers, as a link says. */
export function showLayers(names: string[]): void {
  for (const box of document.querySelectorAll<HTMLInputElement>("#layers input")) {
    box.checked = names.includes(box.value);
    if (box.checked !== shown.has(box.value)) turn(box.value, box.checked);
  }
}

/** What the colours of the polygons mean. */
function showLegend(): void {
  const { mesh } = state;
  const by = colourBy();
  const place = find("#legend");
  place.replaceChildren();
  if (!mesh) return;
  if (by === "area") {
    for (const [number, { name, cost, colour }] of Object.entries(mesh.areas)) {
      const swatch = make("span", { className: "swatch" });
      swatch.style.background = colour ? `rgb(${[...colour].join(",")})` : "var(--line)";
      place.append(make("li", {}, swatch, `${name} (${number}), a metre costs ${cost}`));
    }
  } else {
    const says = {
      polygon: "Each polygon has a colour of its own, which it keeps.", island: "Ground of one colour is connected.", region: "One colour for each region of the bake.",
      height: "Blue is low, yellow is high.", "wall distance": `Blue is near a wall, yellow ${state.farthest.toFixed(1)} m from it${state.farthest < FARTHEST ? "" : " or more"}.`, distance: state.points[0] ? `Blue is near the start of the path, yellow ${state.farthest.toFixed(1)} m away; grey cannot be reached.` : "Click where a path should begin.",
    }[by];
    place.append(make("li", { textContent: says }));
  }
}

/** Heights of the storeys: where much of the ground is. */
function storeys(): number[] {
  if (!state.mesh) return [];
  const { at, areas } = middles(state.mesh);
  const bins = new Map<number, number>();
  let all = 0;
  areas.forEach((area, polygon) => {
    const bin = Math.round(at[3 * polygon + 1]! / BIN);
    bins.set(bin, (bins.get(bin) ?? 0) + area);
    all += area;
  });
  const found: number[] = [];
  for (const [bin, area] of [...bins].toSorted((one, other) => other[1] - one[1])) {
    if (area < LEAST_SHARE * all) break;
    if (found.every((height) => Math.abs(height - bin * BIN) >= APART)) found.push(bin * BIN);
  }
  return found.toSorted((one, other) => one - other);
}

/** Says so if a roof hides most of the ground from above, and cuts it away if that is wanted. */
export function adviseOfRoof(): void {
  const hidden: number[] = [];
  const places = state.mesh?.sample(LOOKS, 1) ?? [];
  for (let at = 0; at < places.length; at += 3) {
    const [x, y, z] = [places[at]!, places[at + 1]!, places[at + 2]!];
    if ((view.top(x, z) ?? y) > y + ROOF) hidden.push(y);
  }
  const middle = hidden.toSorted((one, other) => one - other)[hidden.length >> 1];
  if (middle === undefined || hidden.length < LOOKS / 2) return;
  advise("most of the ground lies under a roof or a ceiling", [["Look below it", () => {
    const { min, max } = view.bounds;
    storey = -1;
    find<HTMLInputElement>("#peel").value = String((middle + AROUND[1] - min.y) / Math.max(max.y - min.y, 1e-6));
    peel();
  }]]);
}

function step(by: number): void {
  const heights = storeys();
  storey = Math.min(Math.max(storey + by, -1), heights.length - 1);
  if (storey < 0) find<HTMLInputElement>("#peel").value = "1";
  peel();
}

/** Cuts off what is above the height of the slider, or all but a storey. */
function peel(): void {
  const heights = storeys();
  storey = Math.min(storey, heights.length - 1);
  find("#storeys").hidden = heights.length < 2;
  const height = heights[storey];
  const slider = find<HTMLInputElement>("#peel");
  const { min, max } = view.bounds;
  if (height !== undefined) {
    const next = heights[storey + 1] ?? Infinity;
    const high = Math.min(height + AROUND[1], next - 0.1);
    view.cut(height - AROUND[0], high);
    slider.value = String((high - min.y) / Math.max(max.y - min.y, 1e-6));
    find("#peel-value").textContent = high.toFixed(2);
  } else {
    const share = Number(slider.value);
    const at = min.y + share * (max.y - min.y);
    const isAll = share >= 1 || view.bounds.isEmpty();
    view.cut(-1e9, isAll ? 1e9 : at);
    find("#peel-value").textContent = isAll ? "all" : at.toFixed(2);
  }
  find("#storey").textContent = height === undefined ? "all storeys" : `storey ${storey + 1} of ${heights.length}, ${height.toFixed(1)} m`;
}

