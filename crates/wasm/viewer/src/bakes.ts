// Jobs of the worker, and the mesh that comes of them.
import { NavMesh } from "waymesh";
import * as THREE from "three";
import { areasOf, paintSettings } from "./areas";
import { Baker } from "./baker";
import { figures } from "./figures";
import { STAGE_LAYERS, drawKept, drawMesh, drawStages, type ColourBy } from "./layers";
import type { AnySettings, Parts } from "./messages";
import { busy, complain, find } from "./page";
import { isPlan, knobs, remember, shown, state, tell, view } from "./state";

/** How long a knob rests before the bake begins, in milliseconds. */
const REST = 250;

let baker: Baker;
let timer = 0;
/** The settings and layers that the layers of stages are of. */
let stagesOf = "";

/** Begins with the worker; `module` and `parts` are the compiled package. */
export function startBaker(module: WebAssembly.Module, parts: Parts): void {
  baker = new Baker(module, parts, (stage, done) => {
    find("#stage").textContent = stage;
    find<HTMLProgressElement>("#progress").value = done;
  });
}

/** Ends the job that runs. */
export function cancel(): void {
  baker.cancel();
}

/** What the knobs say, and what is painted. */
export function settings(): AnySettings {
  return { ...knobs.settings, ...paintSettings(state.painted, state.areas) };
}

/** Runs a job of the worker, with its progress; errors become a sentence. */
export async function job<T>(run: (baker: Baker) => Promise<T>): Promise<T | null> {
  clearTimeout(timer);
  busy(true);
  try {
    const done = await run(baker);
    busy(false);
    return done;
  } catch (error) {
    complain(error);
    // Another job has taken its place.
    if (!baker.isBusy) busy(false);
    return null;
  }
}

/** Bakes after a moment without another turn. */
export function later(): void {
  clearTimeout(timer);
  timer = window.setTimeout(() => void bake(), REST);
  remember();
}

export const colourBy = () => find<HTMLSelectElement>("#colour").value as ColourBy;

/** Draws the mesh, and the one that was kept, in the colours that are chosen. */
export function paint(): void {
  if (state.mesh) drawMesh(view, state.mesh, colourBy());
  if (state.kept) drawKept(view, state.kept.mesh, colourBy());
}

export function showFigures(): void {
  figures(find("#figures tbody"), state.mesh, state.made, state.kept?.made);
}

/** Opens the bytes of a mesh and shows it. */
export function show(bytes: Uint8Array): void {
  state.mesh?.free();
  const mesh = (state.mesh = NavMesh.fromBytes(bytes));
  if (state.painted.length === 0) state.areas = areasOf(mesh);
  paint();
  if (view.layer("scene").children.length === 0) {
    const [x, y, z, X, Y, Z] = mesh.bounds as unknown as [number, number, number, number, number, number];
    const bounds = new THREE.Box3(new THREE.Vector3(x, y, z), new THREE.Vector3(X, Y + 2, Z));
    if (Number.isFinite(x) && view.bounds.isEmpty()) view.frame(bounds);
  }
  tell("mesh");
}

export async function bake(): Promise<void> {
  if (!state.source) return;
  const result = await job((baker) => baker.bake(settings(), isPlan() ? [] : state.obstacles));
  if (!result) return;
  complain(null);
  state.made = result;
  show(result.bytes);
  showFigures();
  stagesOf = "";
  await stages();
  tell("baked");
}

/** An obstacle or an area changed while the last update ran. */
let moved = false;

/**
 * Follows obstacles and areas: an update that runs is waited for, since the worker would lose its
 * world.
 */
export async function follow(): Promise<void> {
  if (baker.isBusy) {
    moved = true;
    return;
  }
  do {
    moved = false;
    await bake();
  } while (moved);
}

/** Makes the layers of stages, if one of them is on. */
export async function stages(): Promise<void> {
  const wanted = new Set(STAGE_LAYERS.filter((name) => shown.has(name)));
  const given = settings();
  const key = JSON.stringify([given, [...wanted]]);
  if (key === stagesOf) return;
  stagesOf = key;
  if (wanted.size === 0 || !state.source) {
    for (const name of STAGE_LAYERS) view.put(name);
    return;
  }
  if (isPlan() || given.pipeline !== undefined) {
    complain("layers of stages are those of the pipeline voxels: choose it under Made by");
    return;
  }
  const found = await job((baker) => baker.stages(given));
  if (found) complain(drawStages(view, found, wanted) || null);
}
