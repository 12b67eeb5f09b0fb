// The work of a person: undo and redo, what the address and the browser keep, project files.
import { bake, paint, settings, settled, stages } from "./bakes";
import { setCrowd } from "./crowd";
import { changeLinks } from "./links";
import { openSource } from "./open";
import { complain, find } from "./page";
import { search, showRadius } from "./path";
import { fromBase64, readProject, toBase64, writeLink, type Project } from "./project";
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
/** Number of the newest project that is restored: those before it are given up. */
let newest = 0;
/** `true` while what is restored is put in place: that is no change of a person. */
let isRestoring = false;
/** Files that were opened, by number, as names may recur: a step may go back to one of them. */
const files = new Map<number, { name: string; bytes: Uint8Array }>();
let nextFile = 1;

/** The number of the file that is open; 0 for none. */
function openFile(): number {
  const { source } = state;
  if (!source || source.kind === "builtin") return 0;
  const { name, bytes } = source;
  for (const [number, file] of files) if (file.bytes === bytes) return number;
  const steps = [...past, ...future, now].join();
  for (const number of files.keys()) if (!steps.includes(`"file":${number},`)) files.delete(number);
  files.set(nextFile, { name, bytes });
  return nextFile++;
}

/** A file was written again: steps that go back do not go back to its old bytes. */
export function replaceFile(old: Uint8Array, bytes: Uint8Array): void {
  for (const file of files.values()) if (file.bytes === old) file.bytes = bytes;
}

/** What is there now, without the bytes of a file. */
export function gather(): Project {
  const { source, load, things, links, shut, seeds, points } = state;
  return {
    version: 1, source: source ? { kind: source.kind, name: source.name } : null, load, pipeline: pipeline.value, settings: knobs.settings,
    things, links, shut, seeds, points, radius: radius(), isShortest: find<HTMLInputElement>("#shortest").checked,
    crowd: Number(find<HTMLInputElement>("#crowd").value), layers: [...shown], colour: find<HTMLSelectElement>("#colour").value, camera: view.eye,
  };
}

/** What steps of undo are about: all but where it is looked at from. */
const editable = () => JSON.stringify({ file: openFile(), ...gather(), camera: null });

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

/** Keeps the work at once: what the address says is the work as it is. */
export function write(): void {
  clearTimeout(timer);
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
  if ((await restore(JSON.parse(text) as Step)) === "no file") complain("the file of this step is not in this page any more");
}

const undo = (): Promise<void> => step(past, future);
const redo = (): Promise<void> => step(future, past);

/** What a bake is made of. */
const bakeOf = () => JSON.stringify([state.source?.name, state.load, pipeline.value, settings(), state.things.filter(({ kind }) => kind === "obstacle")]);

/** A step of undo: a project, with the number of its file. */
type Step = Project & { file?: number };

/** The bytes of a project's file: from the project, from this page, or from the browser. */
async function bytesOf({ source, file }: Step): Promise<Uint8Array | null> {
  const { name, bytes } = source!;
  if (bytes !== undefined) return fromBase64(bytes);
  const here = file === undefined ? [...files.values()].findLast((one) => one.name === name) : files.get(file);
  return here?.bytes ?? (await keptFile(name));
}

/** Shows a project, if its file is here and no other one is opened meanwhile. */
export async function restore(project: Step): Promise<"done" | "no file" | "failed"> {
  const own = ++newest;
  const before = bakeOf();
  const { source, file } = project;
  if (!source && state.source) return "no file";
  const isFile = source !== null && source.kind !== "builtin";
  const isOther = source && (source.kind !== state.source?.kind || source.name !== state.source.name || JSON.stringify(project.load) !== JSON.stringify(state.load) || (isFile && file !== undefined && file !== openFile()));
  if (isOther) {
    const { kind, name } = source;
    const bytes = isFile ? await bytesOf(project) : null;
    if (isFile && !bytes) return "no file";
    if (own !== newest || !(await openSource(kind === "builtin" ? { kind, name } : { kind, name, bytes: bytes! }, project.load)) || own !== newest) return "failed";
  }
  isRestoring = true;
  try {
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
    if (!isOther && bakeOf() === before && state.mesh) {
      changeLinks();
      paint();
    }
  } finally {
    isRestoring = false;
  }
  keep();
  if (isOther || bakeOf() !== before || !state.mesh) await bake();
  else await settled().then(stages);
  search();
  return "done";
}

/** The project of the last visit, if a person changed something in it. */
export function lastVisit(): Project | null {
  try {
    const project = readProject(JSON.parse(localStorage.getItem(KEY) ?? "null"));
    if (!project?.source) return null;
    const { source, things, links, shut, seeds, settings } = project;
    return source.kind !== "builtin" || things.length + links.length + shut.length + seeds.length + Object.keys(settings).length > 0 ? project : null;
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
  find("#undo").addEventListener("click", () => void undo());
  find("#redo").addEventListener("click", () => void redo());
  document.addEventListener("keydown", (event) => {
    const isText = event.target instanceof HTMLInputElement && ["text", "number"].includes(event.target.type);
    if (!(event.ctrlKey || event.metaKey) || isText || event.target instanceof HTMLTextAreaElement) return;
    const key = event.key.toLowerCase();
    if (key === "z" && !event.shiftKey) void undo();
    else if (key === "y" || (key === "z" && event.shiftKey)) void redo();
    else return;
    event.preventDefault();
  });
}
