// Puts things down: obstacles by a click, areas by dragging a box, polygons corner by corner.
import { addThing } from "./editor";
import { hint } from "./hints";
import { complain, find } from "./page";
import { MOST_COST, boxBetween, drawThing, polygonOf } from "./things";
import type { Point, Thing } from "./project";
import { isPlan, knobs, pipeline, state, tool, view } from "./state";

/** Boxes that are narrower were not meant, in metres. */
const NARROW = 0.2;
/** Height of obstacles, and how high above its ground an area reaches, in metres. */
const HEIGHT = { obstacle: 2, area: 1 };
/** How near to its first corner a polygon is closed, in pixels. */
const CLOSE = 12;

/** Corners that were clicked, of a box or a polygon. */
let corners: Point[] = [];

/** What the next area costs: NaN where no number is given. */
const cost = () => (find<HTMLInputElement>("#area-blocked").checked ? null : find<HTMLInputElement>("#area-cost").valueAsNumber);
const isCost = (cost: number | null) => cost === null || (cost >= 0 && cost <= MOST_COST);
const areaName = () => find<HTMLInputElement>("#area-name").value.trim();
const kind = (): Thing["kind"] => (tool() === "area" ? "area" : "obstacle");
const shape = () => find<HTMLSelectElement>(tool() === "area" ? "#area-shape" : "#obstacle-shape").value as Thing["shape"];

function isRefused(): boolean {
  if (!state.source) complain("obstacles and areas need a scene or a floor plan: a mesh alone cannot be changed");
  else if (kind() === "obstacle" && isPlan()) complain("obstacles need a scene of triangles, not a floor plan");
  else if (kind() === "obstacle" && pipeline.value !== "voxels") complain(`obstacles need the pipeline voxels, not ${pipeline.value}: choose it in the tab Bake`);
  else if (kind() === "area" && !isCost(cost())) complain(`the cost of a metre must be a number from 0 to ${MOST_COST}`);
  else return false;
  return true;
}

/** Puts an obstacle down, or the next corner of one. */
export function putObstacle(at: Point, event: { clientX: number; clientY: number }): void {
  if (isRefused()) return;
  const form = shape();
  if (form === "polygon") {
    addCorner(at, event);
    return;
  }
  const side = Math.max(2 * Number(knobs.settings.agent_radius ?? 0.6), 1);
  addThing({ kind: "obstacle", shape: form, at, size: [side, HEIGHT.obstacle, side], turn: 0, corners: [], name: "", cost: null });
}

/** Adds a corner to a polygon; one at the first corner closes it. */
function addCorner(at: Point, { clientX, clientY }: { clientX: number; clientY: number }): void {
  const [first] = corners;
  const isClosed = first && corners.length > 2 && Math.hypot(...view.project(first).map((value, axis) => value - [clientX, clientY][axis]!)) < CLOSE;
  if (isClosed) {
    closePolygon();
    return;
  }
  corners.push(at);
  hint(corners.length < 3 ? "Click the next corner." : "Click the next corner; the first one, or Enter, closes the polygon.");
  preview(at);
}

/** Puts the polygon down whose corners were clicked. Returns `false` if there is none. */
export function closePolygon(): boolean {
  if (shape() !== "polygon" || corners.length < 3) return false;
  const made = polygonOf(kind(), corners, areaName(), kind() === "area" ? cost() : null, HEIGHT[kind()]);
  dropCorners();
  if (!isRefused()) addThing(made);
  return true;
}

/** What is drawn while it is not finished. */
function preview(to: Point): void {
  const isLine = shape() === "polygon";
  if (isLine) {
    const ends = [...corners, to].flatMap((point, index, all) => (index === 0 ? [] : [...all[index - 1]!, ...point]));
    view.put("painting", view.lines(ends, 0xc2571a, 4, 0.1, true));
  } else if (corners[0]) view.put("painting", drawThing(areaBetween(corners[0], to), -1, false, 0.45));
}

function areaBetween(from: Point, to: Point): Thing {
  const box = boxBetween("area", from, to, areaName(), cost(), HEIGHT.area);
  if (shape() === "cylinder") {
    const side = 2 * Math.hypot(to[0] - from[0], to[2] - from[2]);
    return { ...box, shape: "cylinder", at: [from[0], box.at[1], from[2]], size: [side, box.size[1], side] };
  }
  return box;
}

/** Forgets the corners that were clicked. */
export function dropCorners(): void {
  corners = [];
  view.put("painting");
  hint();
}

/** `true` when corners were clicked, and more are to come. */
export const isHalfDone = () => corners.length > 0;

/** Shows what would be there with a corner under the pointer. */
export function hoverArea(at: Point): void {
  if (isHalfDone()) preview(at);
}

/** Begins an area: a box or a circle is dragged or clicked twice, a polygon is clicked. */
export function gripArea(from: Point, event: { clientX: number; clientY: number }): { move: (at: Point) => void; end: (isDrag: boolean) => void } {
  let to = from;
  const isFirst = corners.length === 0;
  const move = (at: Point) => {
    to = at;
    if (shape() === "polygon") return;
    if (isFirst) corners = [from];
    preview(at);
  };
  const end = (isDrag: boolean) => {
    if (shape() === "polygon") addCorner(from, event);
    else if (isDrag) finish(isFirst ? from : corners[0]!, to);
    else if (isFirst) {
      corners = [from];
      hint("Click the opposite corner. Escape ends it.");
    } else finish(corners[0]!, from);
  };
  return { move, end };
}

function finish(from: Point, to: Point): void {
  dropCorners();
  const made = areaBetween(from, to);
  if (Math.min(made.size[0], made.size[2]) < NARROW || isRefused()) return;
  addThing(made);
}

export function listenToPainter(): void {
  const blocked = find<HTMLInputElement>("#area-blocked");
  blocked.addEventListener("change", () => (find<HTMLInputElement>("#area-cost").disabled = blocked.checked));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") dropCorners();
  });
}
