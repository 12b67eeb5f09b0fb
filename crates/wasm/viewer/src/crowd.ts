// The crowd on the page: its knob, its clock, its picture.
import * as THREE from "three";
import { complain, find } from "./page";
import type { Point } from "./project";
import { state, tell, view, when } from "./state";
import { STATUS, STEP, Walkers } from "./walkers";

/**
 * Seconds of the level that a frame makes up for at most: a page that was hidden does not run after
 * its time.
 */
const MOST_OWED = 4 * STEP;
/** Height of an agent in the picture, in metres. */
const TALL = 1.5;
/** Steps that are kept to look back at: a minute. */
const MOST_KEPT = 1800;
/** Who wants to walk and is slower than this, in metres a second, is held up. */
const SLOW = 0.25;
const COLOURS = { walks: new THREE.Color(0x1c7ed6), isHeldUp: new THREE.Color(0xf08c00), isLost: new THREE.Color(0x868e96), isPicked: new THREE.Color(0xd7263d) };

let walkers: Walkers | null = null;
let picture: THREE.InstancedMesh | null = null;
let isPaused = false;
/** The frame that is asked for; 0 for none. */
let asked = 0;
let last = 0;
/** Seconds of the level that have not been walked yet. */
let owed = 0;
/** Milliseconds of a step, smoothed. */
let took = 0;
/** Positions of the steps that were walked, the newest last. */
let record: Float32Array[] = [];

const wanted = () => Number(find<HTMLInputElement>("#crowd").value);

function draw(): void {
  if (!walkers || !picture) return;
  const { velocities, statuses } = walkers;
  const positions = past() ?? walkers.positions;
  const place = new THREE.Matrix4();
  for (let agent = 0; agent < statuses.length; agent += 1) {
    const [x, y, z, vx, vz] = [positions[3 * agent]!, positions[3 * agent + 1]!, positions[3 * agent + 2]!, velocities[3 * agent]!, velocities[3 * agent + 2]!];
    picture.setMatrixAt(agent, place.makeTranslation(x, y + TALL / 2, z));
    const isHeldUp = statuses[agent] === STATUS.walking && Math.hypot(vx, vz) < SLOW;
    const isPicked = state.selected?.kind === "agent" && state.selected.index === agent;
    picture.setColorAt(agent, isPicked ? COLOURS.isPicked : statuses[agent] === STATUS.lost ? COLOURS.isLost : isHeldUp ? COLOURS.isHeldUp : COLOURS.walks);
  }
  picture.instanceMatrix.needsUpdate = true;
  if (picture.instanceColor) picture.instanceColor.needsUpdate = true;
  if (state.selected?.kind === "agent" && find<HTMLInputElement>("#crowd-follow").checked) {
    view.lookAt(new THREE.Vector3().fromArray(positions, 3 * state.selected.index));
  }
  const lost = statuses.filter((status) => status === STATUS.lost).length;
  find("#crowd-figures").textContent = `${took.toFixed(2)} ms a step${lost > 0 ? `, ${lost} without ground` : ""}`;
  view.draw();
}

function frame(now: number): void {
  asked = 0;
  if (!walkers || isPaused) return;
  owed = Math.min(owed + Math.max(now - last, 0) / 1000, MOST_OWED);
  last = now;
  for (; owed >= STEP; owed -= STEP) {
    const begin = performance.now();
    walkers.step();
    record.push(walkers.positions);
    if (record.length > MOST_KEPT) record.shift();
    took += (performance.now() - begin - took) * (took === 0 ? 1 : 0.05);
  }
  draw();
  ask();
}

/** The positions that the slider of time is at, while the crowd is paused; `null` for now. */
function past(): Float32Array | null {
  const time = find<HTMLInputElement>("#crowd-time");
  return isPaused ? (record[record.length - 1 - (Number(time.max) - Number(time.value))] ?? null) : null;
}

/** The agent under the pointer. */
export function agentAt(event: { clientX: number; clientY: number }): number | null {
  // They have moved since they were looked for the last time.
  picture?.computeBoundingSphere();
  const found = view.hit(event, ["crowd", "polygons", "scene"]);
  return found && found.object === picture ? (found.instanceId ?? null) : null;
}

/** Sends the selected agent to a place, where it stays. */
export function orderTo(at: Point): void {
  if (state.selected?.kind !== "agent" || !walkers) {
    find("#path").textContent = "Click an agent first. There are none before the slider in the tab Crowd is moved.";
    return;
  }
  try {
    walkers.order(state.selected.index, Float32Array.from(at));
    find("#path").textContent = `Agent ${state.selected.index} goes there.`;
  } catch (error) {
    complain(error);
  }
}

function ask(): void {
  if (asked === 0 && walkers && !isPaused) asked = requestAnimationFrame(frame);
}

function end(): void {
  walkers?.free();
  walkers = picture = null;
  record = [];
  pause(isPaused);
  if (state.selected?.kind === "agent") state.selected = null;
  view.put("crowd");
  find("#crowd-figures").textContent = "";
}

/** Lets as many walk as the knob says: those who are there go on, where they are. */
function renew(): void {
  const [count, before] = [wanted(), walkers?.positions];
  find("#crowd-value").textContent = count > 0 ? String(count) : "none";
  find<HTMLButtonElement>("#crowd-pause").disabled = count === 0;
  end();
  if (count === 0 || !state.mesh || state.mesh.polygonCount === 0) return;
  walkers = new Walkers(state.mesh, count, before);
  const shape = new THREE.CapsuleGeometry(walkers.radius, Math.max(TALL - 2 * walkers.radius, 0.1), 4, 12);
  picture = new THREE.InstancedMesh(shape, new THREE.MeshLambertMaterial(), count);
  // Its bounds are not made again in each frame.
  picture.frustumCulled = false;
  view.put("crowd", picture);
  [took, owed, last] = [0, 0, performance.now()];
  draw();
  ask();
}

/** Goes on on the mesh that is shown now. */
function follow(): void {
  if (!walkers || !state.mesh || state.mesh.polygonCount === 0 || !walkers.walkOn(state.mesh)) renew();
}

function pause(is: boolean): void {
  isPaused = is;
  find("#crowd-pause").textContent = is ? "Go on" : "Pause";
  const time = find<HTMLInputElement>("#crowd-time");
  Object.assign(time, { disabled: !is, max: String(Math.max(record.length - 1, 0)) });
  time.value = time.max;
  showTime();
  last = performance.now();
  ask();
}

function showTime(): void {
  const time = find<HTMLInputElement>("#crowd-time");
  const back = (Number(time.max) - Number(time.value)) * STEP;
  find("#crowd-time-value").textContent = back > 0 ? `${back.toFixed(1)} s ago` : "now";
}

/** Sets the knob, as a link says. */
export function setCrowd(count: number): void {
  const knob = find<HTMLInputElement>("#crowd");
  if (Number(knob.value) === count) return;
  knob.value = String(count);
  if (state.mesh) renew();
}

export function listenToCrowd(): void {
  const tried = (run: () => void) => {
    try {
      run();
    } catch (error) {
      end();
      complain(error);
    }
  };
  find("#crowd").addEventListener("input", () => {
    tried(renew);
    tell("edit");
  });
  find("#crowd-time").addEventListener("input", () => {
    showTime();
    draw();
  });
  when("select", draw);
  find("#crowd-pause").addEventListener("click", () => pause(!isPaused));
  when("source", end);
  when("mesh", () => tried(follow));
}

/** What tests look at. */
export const crowdHooks = {
  get walkers() {
    return walkers;
  },
  /** Where agents are that begin anew, after this many steps. */
  again(steps: number): Float32Array {
    if (!state.mesh) throw new Error("there is no mesh");
    const fresh = new Walkers(state.mesh, wanted());
    while (fresh.steps < steps) fresh.step();
    const { positions } = fresh;
    fresh.free();
    return positions;
  },
};
