// What lies on the ground: drawn, listed, looked at and changed.
import * as THREE from "three";
import { follow, later } from "./bakes";
import { middles } from "./colours";
import { gizmo } from "./gizmo";
import { showMaterial } from "./level";
import { changeLinks, drawnLink, openLink, removeLink } from "./links";
import { button, complain, find, make, numberField, showTab } from "./page";
import type { Point, Thing } from "./project";
import { select, state, tell, view, when } from "./state";
import { MOST_COST, USUAL_COST, colourOf, drawThing } from "./things";

/** How far a copy is put from the first, in metres. */
const ASIDE = 1;

const selectedThing = (): Thing | null => (state.selected?.kind === "thing" ? (state.things[state.selected.index] ?? null) : null);

/** Draws all things, and lists them. */
export function showThings(): void {
  const { things, selected } = state;
  view.put("things", ...things.map((thing, index) => drawThing(thing, index, selected?.kind === "thing" && selected.index === index)));
  view.put("seeds", ...state.seeds.map(drawSeed));
  const rows = (kind: Thing["kind"]) => things.flatMap((thing, index) => (thing.kind === kind ? [row(thing, index)] : []));
  find("#areas").replaceChildren(...rows("area"));
  find("#obstacles").replaceChildren(...rows("obstacle"));
  find<HTMLButtonElement>("#no-areas").disabled = !things.some(({ kind }) => kind === "area");
  find<HTMLButtonElement>("#no-obstacles").disabled = !things.some(({ kind }) => kind === "obstacle");
  find("#nothing").hidden = things.length + state.links.length > 0;
  gizmo.attach(selectedThing() ? (view.layer("things").children[selected!.index] ?? null) : null);
}

function drawSeed(at: Point): THREE.Object3D {
  const pin = new THREE.Mesh(new THREE.ConeGeometry(0.3, 1, 16).rotateX(Math.PI).translate(0, 0.5, 0), new THREE.MeshLambertMaterial({ color: 0x1f8f4e }));
  pin.position.set(...at);
  return pin;
}

/** What changed is kept and baked. */
function changed(): void {
  tell("edit");
  void follow();
}

/** What changed is drawn, kept and baked. */
export function thingsChanged(): void {
  showThings();
  changed();
}

const text = ({ kind, shape, name, cost }: Thing) => (kind === "obstacle" ? shape : name || (cost === null ? "blocked" : `cost ${cost}`));

/** What areas cost before they were blocked. */
const unblocked = new WeakMap<Thing, number>();

/** A line of the list; an area has its cost there. */
function row(thing: Thing, index: number): HTMLElement {
  const swatch = make("span", { className: "swatch" });
  swatch.style.background = `#${colourOf(thing).getHexString()}`;
  const title = button(`${index + 1} ${text(thing)}`, () => select({ kind: "thing", index }));
  title.className = "plain";
  const parts: HTMLElement[] = [swatch, title];
  if (thing.kind === "area") {
    const field = make("input", { type: "number", min: "0", max: String(MOST_COST), step: "any", value: String(thing.cost ?? unblocked.get(thing) ?? USUAL_COST), disabled: thing.cost === null });
    field.setAttribute("aria-label", `Cost of a metre in area ${index + 1}`);
    const box = make("input", { type: "checkbox", checked: thing.cost === null });
    const change = () => setCost(thing, box.checked, field.valueAsNumber);
    field.addEventListener("change", change);
    box.addEventListener("change", change);
    parts.push(field, make("label", {}, box, " blocked"));
  }
  return make("li", { className: state.selected?.kind === "thing" && state.selected.index === index ? "selected" : "" }, ...parts, button("Remove", () => removeThing(index), `Remove ${thing.kind} ${index + 1}`));
}

function setCost(thing: Thing, isBlocked: boolean, cost: number): void {
  const given = Number.isFinite(cost) ? cost : USUAL_COST;
  if (!(given >= 0 && given <= MOST_COST)) {
    complain(`the cost of a metre is ${given}, but must be from 0 to ${MOST_COST}`);
    return;
  }
  unblocked.set(thing, given);
  thing.cost = isBlocked ? null : given;
  showThings();
  later();
}

export function addThing(thing: Thing): void {
  state.things.push(thing);
  select({ kind: "thing", index: state.things.length - 1 });
  changed();
}

export function removeThing(index: number): void {
  state.things.splice(index, 1);
  select(null);
  changed();
}

/** Removes what is selected, if it can be removed. */
export function removeSelected(): void {
  const { selected } = state;
  if (selected?.kind === "thing") removeThing(selected.index);
  else if (selected?.kind === "link") {
    removeLink(selected.index);
    select(null);
  }
}

/** Puts a copy of the selected thing beside it. */
export function copySelected(): void {
  const thing = selectedThing();
  if (!thing) return;
  const [x, y, z] = thing.at;
  addThing({ ...structuredClone(thing), at: [x + ASIDE, y, z + ASIDE] });
}

/** Shows what is selected, with fields for what can be changed. */
function inspect(): void {
  const { selected, mesh } = state;
  const place = find("#inspector");
  place.replaceChildren();
  view.put("picked");
  const thing = selectedThing();
  if (thing) place.append(...inspectThing(thing));
  else if (selected?.kind === "link") place.append(...inspectLink(selected.index));
  else if (selected?.kind === "polygon" && mesh) place.append(...inspectPolygon(selected.index));
  else if (selected?.kind === "agent") place.append(make("h2", { textContent: `Agent ${selected.index}` }), make("p", { textContent: "Click the ground with the tool Send: it goes there. The picture follows it where that is asked for in the tab Crowd." }));
  showThings();
}

function inspectThing(thing: Thing): HTMLElement[] {
  const of = (name: string, list: Point, axis: 0 | 1 | 2, limits = {}) => numberField(name, list[axis], (value) => {
    list[axis] = value;
    thingsChanged();
  }, limits);
  const lengths = { min: 0.05, max: 10_000 };
  const sizes = thing.shape === "box"
    ? [of("width", thing.size, 0, lengths), of("height", thing.size, 1, lengths), of("depth", thing.size, 2, lengths)]
    : thing.shape === "cylinder" ? [of("diameter", thing.size, 0, lengths), of("height", thing.size, 1, lengths)] : [of("height", thing.size, 1, lengths)];
  const turn = numberField("turned", thing.turn, (value) => {
    thing.turn = value;
    thingsChanged();
  });
  const fields = make("div", { className: "fields" }, of("x", thing.at, 0), of("y", thing.at, 1), of("z", thing.at, 2), ...sizes, ...(thing.shape === "cylinder" ? [] : [turn]));
  const modes = make("p", { className: "examples" }, ...(["translate", "rotate", "scale"] as const).map((mode) => {
    const chosen = button({ translate: "Move", rotate: "Turn", scale: "Size" }[mode], () => {
      gizmo.setMode(mode);
      inspect();
    });
    chosen.setAttribute("aria-pressed", String(gizmo.mode === mode));
    return chosen;
  }));
  const parts: HTMLElement[] = [make("h2", { textContent: thing.kind === "obstacle" ? "Obstacle" : "Area" }), modes, fields];
  if (thing.kind === "area") {
    const name = make("input", { type: "text", value: thing.name, placeholder: "name", autocomplete: "off" });
    name.addEventListener("change", () => {
      thing.name = name.value.trim();
      thingsChanged();
    });
    parts.push(make("label", { className: "field" }, "name", name));
  }
  parts.push(make("p", {}, button("Copy", copySelected), " ", button("Remove", removeSelected)));
  return parts;
}

function inspectLink(id: number): HTMLElement[] {
  const link = state.mesh?.links.find((link) => link.id === id);
  if (!link) return [];
  const drawn = drawnLink(id);
  const isOpen = make("input", { type: "checkbox", checked: link.isOpen });
  isOpen.addEventListener("change", () => openLink(id, isOpen.checked));
  const parts: HTMLElement[] = [make("h2", { textContent: `Link ${id}: ${link.kind === "user" ? "ladder" : link.kind}` }), make("p", {}, make("label", {}, isOpen, " open"))];
  if (!drawn) {
    parts.push(make("p", { textContent: `${link.bothWays ? "Both ways" : "One way"}, found by the bake.` }));
    return parts;
  }
  const both = make("input", { type: "checkbox", checked: drawn.bothWays });
  both.addEventListener("change", () => {
    drawn.bothWays = both.checked;
    changeLinks();
  });
  const cost = numberField("extra cost in metres", drawn.extraCost, (value) => {
    drawn.extraCost = value;
    changeLinks();
  }, { min: 0, max: 1e6 });
  parts.push(make("p", {}, make("label", {}, both, " both ways")), cost, make("p", {}, button("Remove", removeSelected)));
  return parts;
}

function inspectPolygon(polygon: number): HTMLElement[] {
  const mesh = state.mesh!;
  const { corners, starts, islands, regions, areas } = mesh.polygons;
  const own = corners.subarray(starts[polygon], starts[polygon + 1]);
  const vertices = mesh.vertices;
  const points = [...own].map((vertex) => vertices.subarray(3 * vertex, 3 * vertex + 3));
  const ends = points.flatMap((point, index) => [...point, ...points[(index + 1) % points.length]!]);
  view.put("picked", view.lines(ends, 0xd7263d, 4, 0.1, true));
  const heights = points.map(([, y]) => y!);
  const area = areas[polygon]!;
  const rows: [string, string][] = [
    ["corners", String(own.length)], ["ground", `${middles(mesh).areas[polygon]!.toFixed(2)} m²`], ["island", String(islands[polygon])], ["region", String(regions[polygon])],
    ["area", `${mesh.areas[area]?.name ?? (area === 1 ? "plain ground" : "")} (${area})`], ["height", `${Math.min(...heights).toFixed(2)} to ${Math.max(...heights).toFixed(2)} m`],
  ];
  const table = make("table", {}, ...rows.map(([name, value]) => make("tr", {}, make("td", { textContent: name }), make("td", { textContent: value }))));
  const { material } = state;
  const price = material ? [make("p", {}, button(`Price ${material}`, () => {
    showTab("level");
    showMaterial(material);
  }))] : [];
  return [make("h2", { textContent: `Polygon ${polygon}` }), table, ...price];
}

export function listenToEditor(): void {
  when("select", () => {
    inspect();
    // A click on a thing in a list or the picture shows its fields.
    if (state.selected && state.selected.kind !== "agent") showTab("edit", false);
  });
  when("mesh", () => {
    // Numbers of polygons and links are those of one mesh.
    if (state.selected?.kind === "polygon") select(null);
    else if (state.selected?.kind !== "thing") inspect();
  });
  gizmo.onChange = (drawn, isDone) => {
    const thing = selectedThing();
    if (!thing) return;
    const round = (value: number) => Math.round(value * 1000) / 1000;
    thing.at = drawn.position.toArray().map(round) as Point;
    thing.turn = thing.shape === "cylinder" ? 0 : round((drawn.rotation.y * 180) / Math.PI);
    if (isDone) {
      const by = drawn.scale.toArray().map((part) => Math.max(Math.abs(part), 0.05));
      thing.size = thing.size.map((length, axis) => round(length * (thing.shape === "cylinder" && axis === 2 ? by[0]! : by[axis]!))) as Point;
      thing.corners = thing.corners.map(([x, z]) => [round(x * by[0]!), round(z * by[2]!)]);
      inspect();
    }
    changed();
  };
  const removeAll = (kind: Thing["kind"]) => {
    state.things = state.things.filter((thing) => thing.kind !== kind);
    select(null);
    changed();
  };
  find("#no-areas").addEventListener("click", () => removeAll("area"));
  find("#no-obstacles").addEventListener("click", () => removeAll("obstacle"));
}
