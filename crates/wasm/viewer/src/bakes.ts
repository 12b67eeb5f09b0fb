// Jobs of the worker, and the mesh that comes of them.
import { NavMesh } from "waymesh";
import * as THREE from "three";
import { Baker, Ended } from "./baker";
import { figures } from "./figures";
import { STAGE_LAYERS, amounts, drawKept, drawMesh, drawStages, farthest } from "./layers";
import { addLinks } from "./links";
import type { AnySettings } from "./messages";
import { busy, complain, find } from "./page";
import { Progress } from "./progress";
import { colourBy, colours, isPlan, knobs, shown, state, tell, view } from "./state";
import { areaSettings, obstacleShapes } from "./things";

/** How long a knob rests before the bake begins, in milliseconds. */
const REST = 250;
/** How much of a mesh is seen that is not of the present settings. */
const STALE = 0.3;

let baker: Baker;
let timer = 0;
/** The settings and layers that the layers of stages are of. */
let stagesOf = "";
let progress = new Progress(null);

/** Begins with the worker; `module` is the compiled package. */
export function startBaker(module: WebAssembly.Module): void {
  baker = new Baker(module, (stage, done) => {
    const { share, left } = progress.hear(stage, done);
    find<HTMLProgressElement>("#progress").value = share;
    find("#stage").textContent = left === null ? stage : `${stage}, about ${left} s left`;
  });
  view.onDress = paint;
}

/** Ends the job that runs. */
export function cancel(): void {
  clearTimeout(timer);
  timer = 0;
  baker.cancel();
}

/** Ends the job that runs, by hand: the mesh that is shown may be of other settings then. */
export function stop(): void {
  const isBake = running !== null;
  cancel();
  if (isBake) turnPale("The bake was stopped");
}

/** The newest bake, while it runs. */
let running: Promise<void> | null = null;

/** Waits until the mesh is of the present settings: other jobs would end the bake. */
export async function settled(): Promise<void> {
  if (timer !== 0) void bake();
  for (let last: typeof running = null; running !== last; ) await (last = running);
}

/** What the knobs say, what is painted, and where ground must be reachable from. */
export function settings(): AnySettings {
  const seeds = state.seeds.length > 0 ? { keep: state.seeds } : {};
  return { ...knobs.settings, ...areaSettings(state.things, state.areas), ...seeds };
}

/** Runs a job of the worker, with its progress; errors become a sentence, and go to `onFailure`. */
export async function job<T>(run: (baker: Baker) => Promise<T>, onFailure: (error: unknown) => void = () => {}): Promise<T | null> {
  clearTimeout(timer);
  timer = 0;
  busy(true);
  progress = new Progress(state.made?.report ?? null);
  try {
    const done = await run(baker);
    busy(false);
    return done;
  } catch (error) {
    complain(error);
    // Another job has taken its place.
    if (!baker.isBusy) busy(false);
    onFailure(error);
    return null;
  }
}

/** Bakes after a moment without another turn. */
export function later(): void {
  clearTimeout(timer);
  timer = window.setTimeout(() => void bake(), REST);
  tell("edit");
}

/** Draws the mesh, and the one that was kept, in the colours that are chosen. */
export function paint(): void {
  const by = colourBy();
  const values = state.mesh ? amounts(state.mesh, by, state.points[0]) : null;
  state.farthest = values ? farthest(values) : 0;
  if (state.mesh) drawMesh(view, state.mesh, by, colours, values);
  if (state.kept) drawKept(view, state.kept.mesh, by);
  if (document.body.classList.contains("stale")) fade();
  tell("paint");
}

/** Shows that the mesh is not of the present settings, and why. */
function turnPale(why: string): void {
  if (!state.mesh) return;
  find("#stage-area").dataset["stale"] = `${why}: this mesh is of earlier settings.`;
  document.body.classList.add("stale");
  fade();
}

/** A mesh that is not of the present settings is pale. */
function fade(): void {
  for (const layer of ["polygons", "borders"]) view.fade(layer, STALE);
}

export function showFigures(): void {
  figures(find("#figures tbody"), state, state.kept);
}

/** Forgets the mesh, whose source is open no more. */
export function forgetMesh(): void {
  state.mesh?.free();
  Object.assign(state, { mesh: null, made: null });
  document.body.classList.remove("stale");
  showFigures();
  tell("paint");
}

/** Opens the bytes of a mesh and shows it. */
export function show(bytes: Uint8Array): void {
  const before = state.mesh;
  const mesh = (state.mesh = NavMesh.fromBytes(bytes));
  colours.follow(before, mesh);
  before?.free();
  if (!state.things.some(({ kind }) => kind === "area")) state.areas = { ...mesh.areas };
  addLinks();
  document.body.classList.remove("stale");
  paint();
  if (view.layer("scene").children.length === 0) {
    const [x, y, z, X, Y, Z] = mesh.bounds as unknown as [number, number, number, number, number, number];
    const bounds = new THREE.Box3(new THREE.Vector3(x, y, z), new THREE.Vector3(X, Y + 2, Z));
    if (Number.isFinite(x) && view.bounds.isEmpty()) view.frame(bounds);
  }
  tell("mesh");
}

/** Bakes. Where that fails the mesh that was there stays, but pale. */
export async function bake(): Promise<void> {
  const own = bakeNow();
  running = own;
  try {
    await own;
  } finally {
    if (running === own) running = null;
  }
}

async function bakeNow(): Promise<void> {
  if (!state.source) return;
  const result = await job((baker) => baker.bake(settings(), isPlan() ? [] : obstacleShapes(state.things)), (error) => {
    if (!(error instanceof Ended)) turnPale("The last bake failed");
  });
  if (!result) return;
  complain(null);
  state.made = result;
  show(result.bytes);
  showFigures();
  stagesOf = "";
  await stages();
  tell("baked");
}

/** Something on the ground changed while the last update ran. */
let moved = false;

/**
 * Follows what is put down and moved: an update that runs is waited for, since the worker would lose
 * its world.
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
    complain("layers of stages are those of the pipeline voxels: choose it in the tab Bake");
    return;
  }
  const found = await job((baker) => baker.stages(given));
  if (found) complain(drawStages(view, found, wanted) || null);
}
