// The work of a person: undo and redo, what the address and the browser keep, project files.
import { bake, paint, settings } from "./bakes";
import { setCrowd } from "./crowd";
import { changeLinks } from "./links";
import { openSource } from "./open";
import { complain, find } from "./page";
import { search, showRadius } from "./path";
import { fromBase64, toBase64, writeLink, type Project } from "./project";
import { knobs, pipeline, radius, select, shown, state, view, when } from "./state";
import { keptFile } from "./store";
import { showLayers } from "./switches";

/** Changes of one thing within this time are one, in milliseconds: a slider that is dragged. */
const TOGETHER = 600;
/** Steps that can be undone. */
const MOST_STEPS = 200;
/**
 * Least time from one address to the next, in milliseconds: browsers limit how often it may
 * change.
 */
const REST = 400;
/** Files of this size are put into a project file; others are named. */
const MOST_BYTES = 64 << 20;
const KEY = "waymesh project";

const past: string[] = [];
const future: string[] = [];
let now = "";
let last = { time: 0, keys: "" };
let timer = 0;
/** When the work was kept last. */
let kept = -REST;
let isRestoring = false;
/** Bytes of all files that were opened: a step may go back to one of them. */
const files = new Map<string, Uint8Array>();

/** What is there now, without the bytes of a file. */
export function gather(): Project {
  const { source, load, things, links, shut, seeds, points } = state;
  if (source && source.kind !== "builtin") files.set(source.name, source.bytes);
  return {
    version: 1, source: source ? { kind: source.kind, name: source.name } : null, load, pipeline: pipeline.value, settings: knobs.settings,
    things, links, shut, seeds, points, radius: radius(), isShortest: find<HTMLInputElement>("#shortest").checked,
    crowd: Number(find<HTMLInputElement>("#crowd").value), layers: [...shown], colour: find<HTMLSelectElement>("#colour").value, camera: view.eye,
  };
}

/** What steps of undo are about: all but where it is looked at from. */
const editable = () => JSON.stringify({ ...gather(), camera: null });

function showSteps(): void {
  find<HTMLButtonElement>("#undo").disabled = past.length === 0;
  find<HTMLButtonElement>("#redo").disabled = future.length === 0;
}

/** Keeps the work in the address and in the browser, after a moment. */
function keep(): void {
  clearTimeout(timer);
  const rest = kept + REST - performance.now();
  if (rest <= 0) write();
  else timer = window.setTimeout(write, rest);
}

function write(): void {
  kept = performance.now();
  const project = gather();
  history.replaceState(null, "", writeLink(project));
  try {
    localStorage.setItem(KEY, JSON.stringify(project));
  } catch {
    // Private windows keep nothing.
  }
}

/** Names of the parts in which two projects differ. */
function differing(one: string, other: string): string {
  const [a, b] = [one, other].map((text) => JSON.parse(text || "{}") as Record<string, unknown>);
  return Object.keys(b!).filter((key) => JSON.stringify(a![key]) !== JSON.stringify(b![key])).join();
}

/** Notes a change. */
function changed(): void {
  if (isRestoring) return;
  const text = editable();
  if (text !== now) {
    const [time, keys] = [performance.now(), differing(now, text)];
    if (now !== "" && (time - last.time > TOGETHER || keys !== last.keys)) past.push(now);
    if (past.length > MOST_STEPS) past.shift();
    [now, last] = [text, { time, keys }];
    future.length = 0;
  }
  showSteps();
  keep();
}

/** Begins anew: what was before cannot be undone. */
export function forgetSteps(): void {
  [past.length, future.length, now, last] = [0, 0, editable(), { time: 0, keys: "" }];
  showSteps();
  keep();
}

async function step(from: string[], to: string[]): Promise<void> {
  const text = from.pop();
  if (text === undefined) return;
  to.push(now);
  [now, last] = [text, { time: 0, keys: "" }];
  showSteps();
  await restore(JSON.parse(text) as Project);
}

const undo = (): Promise<void> => step(past, future);
const redo = (): Promise<void> => step(future, past);

/** What a bake is made of. */
const bakeOf = () => JSON.stringify([state.source?.name, state.load, pipeline.value, settings(), state.things.filter(({ kind }) => kind === "obstacle")]);

/** The bytes of a project's file: from the project, from this page, or from the browser. */
async function bytesOf({ name, bytes }: NonNullable<Project["source"]>): Promise<Uint8Array | null> {
  return bytes === undefined ? (files.get(name) ?? (await keptFile(name))) : fromBase64(bytes);
}

/** Shows a project. Returns `false` if its file is not here. */
export async function restore(project: Project): Promise<boolean> {
  const before = bakeOf();
  isRestoring = true;
  try {
    const { source } = project;
    const isOther = source && (source.kind !== state.source?.kind || source.name !== state.source.name || JSON.stringify(project.load) !== JSON.stringify(state.load));
    if (isOther) {
      const bytes = source.kind === "builtin" ? null : await bytesOf(source);
      if (source.kind !== "builtin" && !bytes) return false;
      const { kind, name } = source;
      if (!(await openSource(kind === "builtin" ? { kind, name } : { kind, name, bytes: bytes! }, project.load))) return false;
    }
    pipeline.value = project.pipeline;
    knobs.restore(project.settings as Record<string, unknown>, state.source?.kind === "plan" ? "plans" : (project.pipeline as "voxels"));
    Object.assign(state, { things: project.things, links: project.links, shut: project.shut, seeds: project.seeds, points: project.points });
    find<HTMLInputElement>("#radius").value = String(project.radius);
    find<HTMLInputElement>("#shortest").checked = project.isShortest;
    find<HTMLSelectElement>("#colour").value = project.colour;
    showRadius();
    setCrowd(project.crowd);
    showLayers(project.layers);
    select(null);
    view.eye = project.camera;
    if (isOther || bakeOf() !== before || !state.mesh) await bake();
    else {
      changeLinks();
      paint();
    }
    search();
  } finally {
    isRestoring = false;
  }
  keep();
  return true;
}

/** The project of the last visit, if a person changed something in it. */
export function lastVisit(): Project | null {
  try {
    const project = JSON.parse(localStorage.getItem(KEY) ?? "null") as Project | null;
    const isWork = project && (project.source?.kind !== "builtin" || project.things.length + project.links.length + Object.keys(project.settings).length > 0);
    return isWork ? project : null;
  } catch {
    return null;
  }
}

/** The text of a project file, with the file of the level where that is not too large. */
export function projectFile(): string {
  const project = gather();
  const { source } = state;
  if (project.source && source && source.kind !== "builtin" && source.bytes.length <= MOST_BYTES) project.source.bytes = toBase64(source.bytes);
  return `${JSON.stringify(project, null, 1)}\n`;
}

export function listenToSession(): void {
  when("edit", changed);
  view.controls.addEventListener("end", keep);
  find("#undo").addEventListener("click", () => void undo().catch(complain));
  find("#redo").addEventListener("click", () => void redo().catch(complain));
  document.addEventListener("keydown", (event) => {
    const isText = event.target instanceof HTMLInputElement && ["text", "number"].includes(event.target.type);
    if (!(event.ctrlKey || event.metaKey) || isText || event.target instanceof HTMLTextAreaElement) return;
    const key = event.key.toLowerCase();
    if (key === "z" && !event.shiftKey) void undo().catch(complain);
    else if (key === "y" || (key === "z" && event.shiftKey)) void redo().catch(complain);
    else return;
    event.preventDefault();
  });
}
