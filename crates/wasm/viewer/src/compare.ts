// Two bakes to compare: one is kept, its walls lie over those of the other, or both stand side by
// side.
import { NavMesh } from "waymesh";
import { showFigures } from "./bakes";
import { drawKept } from "./layers";
import { find } from "./page";
import { search } from "./path";
import { colourBy, state, view, when } from "./state";

/** Layers of the mesh of now, and of the one that was kept. */
const NOW = ["polygons", "borders", "portals", "links", "jumps", "missed", "excess", "detours", "heights", "path", "corridor", "searched", "crowd"];
const KEPT = ["keptPolygons", "keptBorders", "keptPath"];

const FARTHER = 1.5;

const button = () => find<HTMLButtonElement>("#side-by-side");

function forget(): void {
  state.kept?.mesh.free();
  state.kept = null;
  for (const name of [...KEPT, "kept"]) view.put(name);
  show(false);
  button().disabled = true;
}

/** Keeps the mesh that is shown. */
function keep(): void {
  if (!state.mesh) return;
  const isBeside = view.isSplit;
  forget();
  state.kept = { made: state.made, mesh: NavMesh.fromBytes(state.mesh.toBytes("wmrun")) };
  drawKept(view, state.kept.mesh, colourBy());
  button().disabled = false;
  show(isBeside);
  showFigures();
}

/**
 * Shows both, each in its half, or one over the other. A half is narrower: it is seen from farther
 * away.
 */
function show(isBeside: boolean): void {
  if (isBeside !== view.isSplit) view.zoom(isBeside ? FARTHER : 1 / FARTHER);
  view.split(isBeside ? { left: KEPT, right: NOW } : null, KEPT);
  find("#halves").hidden = !isBeside;
  button().setAttribute("aria-pressed", String(isBeside));
  button().textContent = isBeside ? "One picture" : "Side by side";
  search();
}

export function listenToCompare(): void {
  view.split(null, KEPT);
  find("#compare").addEventListener("click", keep);
  button().addEventListener("click", () => show(!view.isSplit));
  when("source", forget);
}
