// Pointer and keys on the picture: what a click does, what is dragged.
import type * as THREE from "three";
import { paint } from "./bakes";
import { agentAt, orderTo } from "./crowd";
import { copySelected, removeSelected, removeThing, thingsChanged } from "./editor";
import { gizmo } from "./gizmo";
import { hint } from "./hints";
import { clickLink, dropLink, linkAt, removeLink } from "./links";
import { find } from "./page";
import { closePolygon, dropCorners, gripArea, hoverArea, isHalfDone, putObstacle } from "./painter";
import { search } from "./path";
import { distance, type Point } from "./project";
import { canvas, colourBy, select, state, tell, tool, view } from "./state";
import { explain, forgetAnswer } from "./why";

/** Something that follows the pointer over the ground. */
interface Drag {
  /** Height of what is dragged, where there is no ground under the pointer. */
  height?: number;
  move(at: Point): void;
  /** `isDrag` if the pointer moved since it was pressed. */
  end(isDrag: boolean): void;
}

type At = { clientX: number; clientY: number };

/** How far a pointer may move, in pixels, and still have clicked: fingers are not as steady. */
const still = ({ pointerType }: PointerEvent) => (pointerType === "touch" ? 12 : 5);
/** How near a link is clicked, in pixels. */
const NEAR_LINK = 14;
const GROUND = ["polygons", "scene"];
/** What each tool does, by the keys 1 to 9 and 0. */
const TOOLS = ["path", "obstacle", "area", "measure", "why", "link", "select", "erase", "send", "seed"];

let drag: Drag | null = null;
let pressed: { x: number; y: number } | null = null;

function release(): void {
  [drag, pressed] = [null, null];
  view.controls.enabled = true;
}

/** The number of the thing under the pointer. */
function thingAt(event: At): number | null {
  const found = view.hit(event, ["things", ...GROUND]);
  for (let object = found?.object ?? null; object; object = object.parent) {
    if (typeof object.userData["thing"] === "number") return object.userData["thing"] as number;
  }
  return null;
}

/** The name of the material of the level under the pointer, if it has one. */
function materialAt(event: At): string | null {
  const found = view.hit(event, ["scene"]);
  const [material] = [(found?.object as THREE.Mesh | undefined)?.material].flat();
  return material?.name || null;
}

/** Takes hold of a thing: it is moved over the ground, not up walls. */
function gripThing(index: number): Drag {
  const thing = state.things[index]!;
  let isMoved = false;
  const move = (at: Point) => {
    isMoved = true;
    thing.at = at;
    thingsChanged();
  };
  const end = (isDrag: boolean) => {
    if (isDrag && isMoved) tell("edit");
    select({ kind: "thing", index });
  };
  return { height: thing.at[1], move, end };
}

function press(event: PointerEvent): void {
  if (!event.isPrimary) {
    // A second finger: this is no click.
    pressed = null;
    return;
  }
  if (event.button !== 0 || gizmo.isHeld) return;
  pressed = { x: event.clientX, y: event.clientY };
  const thing = ["path", "measure", "why", "link", "send", "erase"].includes(tool()) || isHalfDone() ? null : thingAt(event);
  if (thing !== null) drag = gripThing(thing);
  else if (tool() === "area") {
    const at = view.ground(event, GROUND);
    drag = at && gripArea(at, event);
  }
  if (!drag) return;
  view.controls.enabled = false;
  canvas.setPointerCapture(event.pointerId);
}

function move(event: PointerEvent): void {
  if (!drag && !isHalfDone()) return;
  const isStill = pressed && Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) <= still(event);
  const at = view.ground(event, GROUND, drag?.height);
  if (!at || isStill) return;
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

/** The place of the ground that is seen under the pointer. */
const seenAt = (event: At): Point | undefined => view.hit(event, GROUND)?.point.toArray();

/** What a click does besides the tools that name a place of the path. */
const ACTIONS: Record<string, (event: At) => void> = {
  obstacle: (event) => {
    const at = view.ground(event, GROUND);
    if (at) putObstacle(at, event);
  },
  area: (event) => {
    const at = view.ground(event, GROUND);
    if (at) gripArea(at, event).end(false);
  },
  link: (event) => {
    const at = seenAt(event);
    if (at) clickLink(at);
  },
  select: (event) => {
    const [thing, agent, link] = [thingAt(event), agentAt(event), linkAt(event, NEAR_LINK)];
    if (thing !== null) select({ kind: "thing", index: thing });
    else if (agent !== null) select({ kind: "agent", index: agent });
    else if (link !== null) select({ kind: "link", index: link });
    else {
      const at = seenAt(event);
      const polygon = at ? (state.mesh?.polygonsAt(Float32Array.from(at), { reach: 1 })[0] ?? -1) : -1;
      state.material = materialAt(event);
      select(polygon >= 0 ? { kind: "polygon", index: polygon } : null);
    }
  },
  erase: (event) => {
    const [thing, link] = [thingAt(event), linkAt(event, NEAR_LINK)];
    const at = seenAt(event);
    const seed = at ? state.seeds.findIndex((seed) => distance(seed, at) < 1) : -1;
    if (thing !== null) removeThing(thing);
    else if (link !== null) removeLink(link);
    else if (seed >= 0) {
      state.seeds.splice(seed, 1);
      thingsChanged();
    }
  },
  send: (event) => {
    const agent = agentAt(event);
    const at = seenAt(event);
    if (agent !== null) select({ kind: "agent", index: agent });
    else if (at) orderTo(at);
  },
  seed: (event) => {
    const at = seenAt(event);
    if (!at) return;
    state.seeds.push(at);
    thingsChanged();
  },
};

/** Shows what is of the ends of the path. */
function showPoints(): void {
  forgetAnswer();
  search();
  if (colourBy() === "distance") paint();
}

function click(event: At): void {
  const action = ACTIONS[tool()];
  if (action) {
    action(event);
    return;
  }
  const at = seenAt(event);
  if (!at) return;
  state.points = state.points.length >= 2 || tool() === "why" ? [at] : [...state.points, at];
  showPoints();
  if (tool() === "why") void explain(at, null);
  tell("edit");
}

/** Shows the options of the tool that is chosen. */
function showOptions(): void {
  for (const options of document.querySelectorAll<HTMLElement>("[data-options]")) {
    options.hidden = !(options.dataset["options"] ?? "").split(" ").includes(tool());
  }
  hint();
}

function chooseTool(name: string): void {
  document.querySelector<HTMLInputElement>(`#tools [value=${name}]`)?.click();
}

export function listenToCanvas(): void {
  canvas.addEventListener("pointerdown", press);
  canvas.addEventListener("pointermove", move);
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey) {
      if (event.key !== "d") return;
      copySelected();
    } else if (event.key === "+" || event.key === "=") view.zoom(0.85);
    else if (event.key === "-") view.zoom(1 / 0.85);
    else if (event.key === "f") view.frame();
    else if (event.key === "Enter") {
      if (!closePolygon()) click(view.middle);
    } else if (event.key === "Delete" || event.key === "Backspace") removeSelected();
    else if (event.key === "Escape") {
      dropCorners();
      dropLink();
      select(null);
    } else if (/^\d$/.test(event.key)) chooseTool(TOOLS[(Number(event.key) + 9) % 10]!);
    else return;
    event.preventDefault();
  });
  for (const input of document.querySelectorAll<HTMLInputElement>("input[name=tool]")) {
    input.addEventListener("change", () => {
      dropCorners();
      dropLink();
      showOptions();
      forgetAnswer();
      search();
    });
  }
  showOptions();
  find("#clear").addEventListener("click", () => {
    state.points = [];
    showPoints();
    tell("edit");
  });
}
