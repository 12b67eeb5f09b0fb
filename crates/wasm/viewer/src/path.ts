// The path between the points that were clicked, and the ruler.
import type { NavMesh, Path, PathOptions } from "waymesh";
import { find, make, said } from "./page";
import { drawPath, drawPoints, pathLines } from "./placed";
import { distance, type Point } from "./project";
import { canExplain } from "./why";
import { radius, shown, state, tool, view } from "./state";

/** `true` if somewhere a metre costs another amount than on plain ground. */
const hasCosts = (mesh: NavMesh) => Object.values(mesh.areas).some(({ cost }) => cost !== 1);

/** Farthest that a path may be from the ground, in metres: lengths are those of the ground. */
const GROUND_ERROR = 0.05;

/** Tools whose clicks are ends of a path. */
const PATH_TOOLS = ["path", "measure"];

/** Finds the path between the points and shows it. */
export function search(): void {
  const { mesh, points } = state;
  drawPoints(view, points, tool() === "measure" ? [0x3366cc] : [0x1f8f4e, 0xd7263d]);
  const place = find("#path");
  for (const name of Object.keys(place.dataset)) delete place.dataset[name];
  drawPath(view, mesh as NavMesh, null, 0);
  view.put("keptPath");
  const [start, end] = points;
  find("#why-path").hidden = true;
  if (tool() === "why") {
    place.textContent = "";
    return;
  }
  if (!mesh || !start || !end) {
    place.textContent = !PATH_TOOLS.includes(tool()) ? "" : start ? "Click where it should end." : "Click where a path should begin.";
  } else if (tool() === "measure") measure(mesh, start, end, place);
  else searchBetween(mesh, start, end, place);
}

function measure(mesh: NavMesh, start: Point, end: Point, place: HTMLElement): void {
  const [flat, straight] = [Math.hypot(end[0] - start[0], end[2] - start[2]), distance(start, end)];
  place.textContent = `${straight.toFixed(3)} m straight, ${flat.toFixed(3)} m in plan, ${(end[1] - start[1]).toFixed(3)} m up.`;
  drawPath(view, mesh, { outcome: "complete", points: Float32Array.from([...start, ...end]), polygons: new Uint32Array(), links: [], length: straight, cost: straight, wasCut: false }, 0);
}

function searchBetween(mesh: NavMesh, start: Point, end: Point, place: HTMLElement): void {
  const options: PathOptions = { shortest: find<HTMLInputElement>("#shortest").checked };
  if (radius() > 0) options.radius = radius();
  else options.groundError = GROUND_ERROR;
  if (shown.has("searched") && radius() === 0) options.searched = true;
  const isPriced = hasCosts(mesh);
  const doCostsCount = isPriced && radius() === 0 && options.shortest !== true;
  if (doCostsCount) options.areaCosts = {};
  let path: Path;
  const begin = performance.now();
  try {
    path = mesh.findPath(start, end, options);
  } catch (error) {
    place.textContent = said(error);
    return;
  }
  const took = performance.now() - begin;
  const kept = searchKept(start, end, options);
  drawPath(view, mesh, path, radius());
  const what = { complete: "", partial: " to the nearest place that can be reached", unreachable: " (no way leads there)", undecided: " (the search gave up)" }[path.outcome];
  find("#why-path").hidden = path.outcome === "complete" || radius() > 0 || !canExplain();
  const corners = path.points.length / 3;
  const cost = doCostsCount ? `, which cost ${path.cost.toFixed(3)}` : isPriced ? ", costs aside" : "";
  // With another tool the answer is not that of the last click.
  place.replaceChildren(PATH_TOOLS.includes(tool()) ? "" : "Path: ", make("strong", { textContent: `${path.length.toFixed(3)} m` }), `${cost}${what}, ${corners} points over ${path.polygons.length} polygons${path.links.length > 0 ? ` and ${path.links.length} links` : ""}${path.searched ? `, ${path.searched.length} searched` : ""}, in ${took.toFixed(2)} ms.${kept}`);
  Object.assign(place.dataset, { metres: String(path.length), outcome: path.outcome, searched: String(path.searched?.length ?? ""), start: start.join(","), end: end.join(",") });
}

/** The same path on the mesh that was kept, if it has a half of the picture. Returns a sentence. */
function searchKept(start: Point, end: Point, options: PathOptions): string {
  if (!state.kept || !view.isSplit) return "";
  try {
    const { length, outcome, points } = state.kept.mesh.findPath(start, end, options);
    view.put("keptPath", ...pathLines(view, points, outcome));
    return ` Kept: ${length.toFixed(3)} m${outcome === "complete" ? "" : ", not all of the way"}.`;
  } catch (error) {
    return ` Kept: ${error instanceof Error ? error.message : String(error)}.`;
  }
}

/** Shows the radius of the disc beside its slider. */
export function showRadius(): void {
  find("#radius-value").textContent = radius() > 0 ? radius().toFixed(2) : "off";
}
