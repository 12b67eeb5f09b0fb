// Paints areas: a box is dragged over the ground, or two of its corners are clicked; the list of
// what was painted.
import * as THREE from "three";
import { boxOf, type Painted } from "./areas";
import { follow, later } from "./bakes";
import type { Point } from "./link";
import { complain, find } from "./page";
import { remember, state, view } from "./state";
import type { Hit } from "./view";

/** Boxes that are narrower were not meant, in metres. */
const NARROW = 0.2;
/** Costs that a person can tell apart; the field takes others, too. */
const MOST_COST = 1000;
const USUAL_COST = 5;

/** The first corner, when the second one is still to be clicked. */
let corner: Point | null = null;

/** What the next area costs. */
function cost(): number | null {
  if (find<HTMLInputElement>("#area-blocked").checked) return null;
  const given = find<HTMLInputElement>("#area-cost").valueAsNumber;
  return given >= 0 ? Math.min(given, MOST_COST) : USUAL_COST;
}

/** Green is cheap, yellow to red is costly, dark is blocked. */
function colour(cost: number | null): THREE.Color {
  if (cost === null) return new THREE.Color(0x2b2b33);
  if (cost < 1) return new THREE.Color(0x2f9e44);
  return new THREE.Color().setHSL(0.14 * (1 - Math.min(Math.log10(cost) / 1.5, 1)), 0.9, 0.5);
}

function drawn(painted: Painted, opacity: number): THREE.Object3D[] {
  const [low, high] = boxOf(painted).map((point) => new THREE.Vector3(...point)) as [THREE.Vector3, THREE.Vector3];
  const shape = new THREE.BoxGeometry(...high.clone().sub(low).toArray());
  const material = new THREE.MeshBasicMaterial({ color: colour(painted.cost), transparent: true, opacity, depthWrite: false, side: THREE.DoubleSide });
  const edges = new THREE.LineSegments(new THREE.EdgesGeometry(shape), new THREE.LineBasicMaterial({ color: colour(painted.cost) }));
  const parts = [new THREE.Mesh(shape, material), edges];
  for (const part of parts) {
    part.position.copy(low).lerp(high, 0.5);
    // After the polygons, which let light through, too.
    part.renderOrder = 1;
  }
  return parts;
}

/** Balls to take hold of areas by. */
function handle(painted: Painted, index: number): THREE.Object3D {
  const [low, high] = boxOf(painted);
  const reach = view.bounds.getSize(new THREE.Vector3()).length();
  const ball = new THREE.Mesh(new THREE.SphereGeometry(Math.max(reach / 90, 0.15), 20, 12), new THREE.MeshLambertMaterial({ color: colour(painted.cost) }));
  ball.position.set((low[0] + high[0]) / 2, high[1], (low[2] + high[2]) / 2);
  ball.userData["area"] = index;
  return ball;
}

function drawAll(): void {
  view.put("areas", ...state.painted.flatMap((painted) => drawn(painted, 0.3)));
  view.put("handles", ...state.painted.map(handle));
}

/** Takes hold of an area by its ball, if that was hit: it is moved over the ground. */
export function gripHandle({ object }: Hit): { move: (at: Point) => void; end: () => void } | null {
  const index: unknown = object.userData["area"];
  if (typeof index !== "number") return null;
  const move = (at: Point) => {
    const painted = state.painted[index];
    if (!painted) return;
    const [a, b] = painted.corners;
    const by = at.map((value, axis) => value - (a[axis]! + b[axis]!) / 2);
    painted.corners = [a, b].map((corner) => corner.map((value, axis) => value + by[axis]!)) as [Point, Point];
    drawAll();
    void follow();
  };
  return { move, end: remember };
}

/** Shows everything that is painted, in the picture and as a list. */
export function showPaint(): void {
  drawAll();
  find("#areas").replaceChildren(...state.painted.map(row));
  find<HTMLButtonElement>("#no-areas").disabled = state.painted.length === 0;
}

function row(painted: Painted, index: number): HTMLElement {
  const place = document.createElement("li");
  const swatch = Object.assign(document.createElement("span"), { className: "swatch" });
  const field = Object.assign(document.createElement("input"), { type: "number", min: "0", max: String(MOST_COST), step: "any" });
  field.setAttribute("aria-label", `Cost of a metre in area ${index + 1}`);
  const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: painted.cost === null });
  const label = document.createElement("label");
  label.append(box, " blocked");
  const remove = Object.assign(document.createElement("button"), { type: "button", textContent: "Remove" });
  remove.setAttribute("aria-label", `Remove area ${index + 1}`);
  const paint = () => {
    swatch.style.background = `#${colour(painted.cost).getHexString()}`;
    field.disabled = painted.cost === null;
  };
  if (painted.cost !== null) field.value = String(painted.cost);
  paint();
  const change = () => {
    if (field.value === "") field.value = String(cost() ?? USUAL_COST);
    const given = field.valueAsNumber;
    if (!(given >= 0 && given <= MOST_COST)) {
      complain(`the cost of a metre is ${field.value}, but must be from 0 to ${MOST_COST}`);
      return;
    }
    painted.cost = box.checked ? null : given;
    paint();
    drawAll();
    later();
  };
  field.addEventListener("change", change);
  box.addEventListener("change", change);
  remove.addEventListener("click", () => {
    state.painted.splice(index, 1);
    changed();
  });
  place.append(swatch, `${index + 1}`, field, label, remove);
  return place;
}

function changed(): void {
  showPaint();
  remember();
  void follow();
}

function preview(from: Point, to: Point): void {
  view.put("painting", ...drawn({ corners: [from, to], cost: cost() }, 0.45));
}

/** Forgets the corner that was clicked. */
export function dropCorner(): void {
  corner = null;
  view.put("painting");
  find("#area-hint").textContent = "Choose Area above. Then drag a box over the ground, or click two corners.";
}

function finish(from: Point, to: Point): void {
  dropCorner();
  if (Math.min(Math.abs(to[0] - from[0]), Math.abs(to[2] - from[2])) < NARROW) return;
  if (!state.source) {
    complain("areas need a scene or a floor plan: a mesh alone cannot be changed");
    return;
  }
  state.painted.push({ corners: [from, to], cost: cost() });
  changed();
}

/** `true` when the first corner was clicked, and the second was not. */
export const isHalfDone = () => corner !== null;

/** Shows where the box would be whose first corner was clicked. */
export function hoverArea(at: Point): void {
  if (corner) preview(corner, at);
}

/** Begins a box. */
export function gripArea(from: Point): { move: (at: Point) => void; end: (isDrag: boolean) => void } {
  let to = from;
  const move = (at: Point) => {
    to = at;
    preview(corner ?? from, at);
  };
  const end = (isDrag: boolean) => {
    if (isDrag) finish(from, to);
    else if (corner) finish(corner, from);
    else {
      corner = from;
      find("#area-hint").textContent = "Click the opposite corner. Escape ends it.";
    }
  };
  return { move, end };
}

export function listenToPainter(): void {
  showPaint();
  const blocked = find<HTMLInputElement>("#area-blocked");
  blocked.addEventListener("change", () => (find<HTMLInputElement>("#area-cost").disabled = blocked.checked));
  find("#no-areas").addEventListener("click", () => {
    state.painted = [];
    changed();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") dropCorner();
  });
}
