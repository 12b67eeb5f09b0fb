// A tour of the knobs: each step turns one on an example, and says what that does to the picture.
import { bake } from "./bakes";
import { openBuiltin } from "./open";
import { find, showTab } from "./page";
import { knobs, pipeline, state, tell, when } from "./state";

interface Step {
  title: string;
  scene: string;
  settings: Record<string, number | string | boolean>;
  /** What the polygons are coloured by. */
  colour: string;
  text: string;
}

const ROOMS = "dungeon-rooms";
const STOREYS = "overlapping-storeys";

const STEPS: Step[] = [
  { title: "The ground", scene: ROOMS, settings: {}, colour: "polygon", text: "Grey is the level. The coloured polygons are the ground where an agent can stand: they keep its radius away from walls. Dark lines are walls." },
  { title: "Agent radius", scene: ROOMS, settings: { agent_radius: 1.1 }, colour: "island", text: "A wider agent: the ground draws back from all walls, and doors that are too narrow for it close. Each colour is an island now: no way leads from one to another." },
  { title: "Cell size", scene: ROOMS, settings: { cell_size: 0.8 }, colour: "polygon", text: "Larger cells: the bake is faster, and the ground follows walls less closely. Small cells take time and memory with their square." },
  { title: "Max edge error", scene: ROOMS, settings: { max_edge_error: 4 }, colour: "polygon", text: "Borders may be further from the cells that they follow: they get straighter, and there are fewer polygons." },
  { title: "Smallest region", scene: ROOMS, settings: { min_region: 400 }, colour: "region", text: "Ground that is smaller than this is left out: rooms without a door, tops of crates." },
  { title: "Decomposition", scene: ROOMS, settings: { decomposition: "hertel_mehlhorn" }, colour: "polygon", text: "Another way to cut the ground into polygons. The usual one makes the fewest, which makes paths faster." },
  { title: "Storeys", scene: STOREYS, settings: {}, colour: "height", text: "Slabs over each other, with ramps between. The buttons Storey above the picture show one after the other." },
  { title: "Max slope", scene: STOREYS, settings: { max_slope: 20 }, colour: "island", text: "Ramps are steeper than this now: they are no ground any more, and each storey is an island of its own." },
  { title: "Agent height", scene: STOREYS, settings: { agent_height: 3.8 }, colour: "island", text: "A taller agent: it does not fit below the slabs. Only the top, and what has nothing above it, is left." },
];

let at = -1;
/** What the example shows with the usual settings, to compare with. */
let usual: { scene: string; area: number; polygons: number } | null = null;

const card = () => find("#tour-card");

function colourBy(name: string): void {
  const colour = find<HTMLSelectElement>("#colour");
  colour.value = name;
  colour.dispatchEvent(new Event("change"));
}

/** What the knob did to the figures. */
function effect({ scene, settings }: Step): string {
  const { mesh } = state;
  if (!mesh) return "";
  const now = { scene, area: mesh.area, polygons: mesh.polygonCount };
  if (Object.keys(settings).length === 0) usual = now;
  else if (usual?.scene === scene) return ` ${usual.polygons} polygons became ${now.polygons}, ${usual.area.toFixed(0)} m² of ground ${now.area.toFixed(0)}.`;
  return ` ${now.polygons} polygons, ${now.area.toFixed(0)} m² of ground.`;
}

async function show(step: number): Promise<void> {
  const wanted = STEPS[step];
  if (!wanted) {
    end();
    return;
  }
  at = step;
  card().hidden = false;
  find("#tour-title").textContent = `${step + 1} of ${STEPS.length}: ${wanted.title}`;
  find("#tour-text").textContent = wanted.text;
  find<HTMLButtonElement>("#tour-back").disabled = step === 0;
  find("#tour-next").textContent = step + 1 === STEPS.length ? "Done" : "Next";
  for (const old of document.querySelectorAll(".toured")) old.classList.remove("toured");
  colourBy(wanted.colour);
  pipeline.value = "voxels";
  knobs.restore(wanted.settings);
  tell("edit");
  if (state.source?.kind === "builtin" && state.source.name === wanted.scene) await bake();
  else await openBuiltin(wanted.scene);
  if (at !== step) return;
  find("#tour-text").textContent = wanted.text + effect(wanted);
  const [name] = Object.keys(wanted.settings);
  const knob = name ? document.querySelector(`[data-knob="${name}"]`) : null;
  const panel = knob?.closest<HTMLElement>("[data-panel]");
  if (panel) showTab(panel.dataset["panel"]!);
  for (let around = knob?.parentElement; around; around = around.parentElement) if (around instanceof HTMLDetailsElement) around.open = true;
  knob?.classList.add("toured");
  knob?.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

function close(): void {
  at = -1;
  usual = null;
  card().hidden = true;
  for (const old of document.querySelectorAll(".toured")) old.classList.remove("toured");
}

/** Leaves the example with its usual settings. */
function end(): void {
  close();
  colourBy("polygon");
  knobs.restore({});
  tell("edit");
  void bake();
}

export function listenToTour(): void {
  find("#tour-begin").addEventListener("click", () => void show(0));
  find("#tour-back").addEventListener("click", () => void show(at - 1));
  find("#tour-next").addEventListener("click", () => void show(at + 1));
  find("#tour-end").addEventListener("click", end);
  // Who opens something else has left.
  when("source", () => {
    if (at >= 0 && state.source?.name !== STEPS[at]!.scene) close();
  });
}
