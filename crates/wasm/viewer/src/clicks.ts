// Pointer and keys on the picture: what a click does, what is dragged.
import type { Point } from "./link";
import { gripObstacle, putObstacle } from "./obstacles";
import { dropCorner, gripArea, gripHandle, hoverArea, isHalfDone } from "./painter";
import { search } from "./path";
import { explain } from "./why";
import { canvas, remember, state, tool, view } from "./state";

/** Something that follows the pointer over the ground. */
interface Drag {
  move(at: Point): void;
  /** `isDrag` if the pointer moved since it was pressed. */
  end(isDrag: boolean): void;
}

/** How far a pointer may move, in pixels, and still have clicked: fingers are not as steady. */
const still = ({ pointerType }: PointerEvent) => (pointerType === "touch" ? 12 : 5);
const GROUND = ["polygons", "scene"];
/** What each tool does, by the keys 1 to 5. */
const TOOLS = ["path", "obstacle", "area", "measure", "why"];

let drag: Drag | null = null;
let pressed: { x: number; y: number } | null = null;

function release(): void {
  [drag, pressed, view.controls.enabled] = [null, null, true];
}

function press(event: PointerEvent): void {
  if (!event.isPrimary) {
    // A second finger: this is no click.
    pressed = null;
    return;
  }
  if (event.button !== 0) return;
  pressed = { x: event.clientX, y: event.clientY };
  const hit = view.hit(event, ["handles", "obstacles", ...GROUND]);
  drag = hit && (gripHandle(hit) ?? gripObstacle(hit) ?? (tool() === "area" ? gripArea(hit.point.toArray()) : null));
  if (!drag) return;
  view.controls.enabled = false;
  canvas.setPointerCapture(event.pointerId);
}

function move(event: PointerEvent): void {
  if (!drag && !isHalfDone()) return;
  const at = view.hit(event, GROUND)?.point.toArray();
  if (!at) return;
  if (drag) drag.move(at);
  else hoverArea(at);
}

function lift(event: PointerEvent): void {
  if (!event.isPrimary) return;
  const isClick = pressed !== null && Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) <= still(event);
  const was = drag;
  release();
  if (was) was.end(!isClick);
  else if (isClick && event.button === 0) click(event);
}

function click(event: { clientX: number; clientY: number }): void {
  const at = view.hit(event, GROUND)?.point.toArray();
  if (!at) return;
  if (tool() === "obstacle") putObstacle(at);
  else if (tool() === "area") gripArea(at).end(false);
  else {
    state.points = state.points.length >= 2 || tool() === "why" ? [at] : [...state.points, at];
    search();
    if (tool() === "why") void explain(at, null);
  }
  remember();
}

export function listenToCanvas(): void {
  canvas.addEventListener("pointerdown", press);
  canvas.addEventListener("pointermove", move);
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("keydown", (event) => {
    if (event.key === "+" || event.key === "=") view.zoom(0.85);
    else if (event.key === "-") view.zoom(1 / 0.85);
    else if (event.key === "f") view.frame();
    else if (event.key === "Enter") click(view.middle);
    else if (event.key === "Escape") dropCorner();
    else if (TOOLS[Number(event.key) - 1]) document.querySelector<HTMLInputElement>(`#tools [value=${TOOLS[Number(event.key) - 1]}]`)?.click();
    else return;
    event.preventDefault();
  });
}
