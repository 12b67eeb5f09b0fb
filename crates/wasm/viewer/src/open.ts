// Opens sources: files, scenes of the package, what a link names.
import { NavMesh, Plan } from "waymesh";
import * as THREE from "three";
import { bake, cancel, forgetMesh, job, show, showFigures } from "./bakes";
import { colouredLevel, toGlb } from "./convert";
import { showThings } from "./editor";
import { STAGE_LAYERS, drawScene } from "./layers";
import { dropLink } from "./links";
import type { Load, Source } from "./messages";
import { advise, complain, find, forgetAdvice } from "./page";
import { dropCorners } from "./painter";
import { search } from "./path";
import { readLink, readLoad, readProject, type Project } from "./project";
import { forgetSteps, lastVisit, replaceFile, restore } from "./session";
import { readSettings } from "./settings";
import { colours, isPlan, knobs, pipeline, select, state, tell, view } from "./state";
import { keepFile } from "./store";
import { adviseOfRoof } from "./switches";

/** Larger files do not fit beside the bake into the memory that a page may have. */
const MOST_BYTES = 256 << 20;
/** How often a file of `waymesh view` is looked at, in milliseconds. */
const LOOK = 1500;

/** Layers of what the last source had. */
const OF_SOURCE = [...STAGE_LAYERS, "polygons", "borders", "portals", "links", "jumps", "heights", "things", "points"];

/** A project whose file is still to be opened by hand. */
let awaited: Project | null = null;
/** Number of the newest source that someone wants to open: those before it are given up. */
let newest = 0;

/**
 * Opens a source in place of the one before, without a bake. Returns `false` if it cannot be read:
 * what was open stays then.
 */
export async function openSource(next: Source, load: Load): Promise<boolean> {
  const own = ++newest;
  const opened = await job((baker) => baker.open(next, load));
  const coloured = opened && next.kind === "scene" ? await colouredLevel(next.name, next.bytes, load).catch(() => null) : null;
  if (!opened || own !== newest) return false;
  complain(null);
  forgetAdvice();
  forgetMesh();
  Object.assign(state, { source: next, load, points: [], things: [], links: [], shut: [], seeds: [], areas: {} });
  colours.forget();
  for (const name of OF_SOURCE) view.put(name);
  dropCorners();
  dropLink();
  select(null);
  drawScene(view, opened, coloured);
  const bounds = new THREE.Box3();
  for (let index = 0; index < opened.vertices.length; index += 3) bounds.expandByPoint(new THREE.Vector3().fromArray(opened.vertices, index));
  view.frame(bounds);
  for (const option of pipeline.options) option.disabled = isPlan();
  knobs.show(isPlan() ? "plans" : (pipeline.value as "voxels"));
  showName(next.kind === "builtin" ? next.name : null, next.name);
  for (const { text, option, value } of opened.hints) {
    // A scale is a factor on top of the present one.
    const wanted = option === "scale" ? Number(value) * (load.scale ?? 1) : value;
    advise(text, option === null ? [] : [[`Set ${option} to ${wanted}`, () => void readAgain({ ...load, [option]: wanted })]]);
  }
  if (next.kind !== "builtin") void keepFile(next.name, next.bytes);
  tell("source");
  return true;
}

/** Reads the file that is open in another way, and bakes it. What lies on it stays. */
export async function readAgain(load: Load): Promise<void> {
  if (state.source?.kind !== "scene") {
    complain("only the file of a scene is read with an axis, a unit or rules");
    return;
  }
  const { things, links, shut, seeds, points } = state;
  if (!(await openSource(state.source, load))) return;
  Object.assign(state, { things, links, shut, seeds, points });
  showThings();
  tell("edit");
  await bake();
}

async function open(next: Source, load: Load = {}): Promise<void> {
  if (!(await openSource(next, load))) return;
  tell("edit");
  await bake();
  if (next.kind === "scene") adviseOfRoof();
}

/** Shows the name of what is open; a file gets an entry of its own. */
function showName(builtin: string | null, name: string): void {
  const list = find<HTMLSelectElement>("#scene");
  list.querySelector("[data-file]")?.remove();
  if (builtin !== null) {
    list.value = builtin;
    return;
  }
  const option = new Option(name, "", true, true);
  option.dataset["file"] = "";
  list.add(option, 0);
}

export const openBuiltin = (name: string): Promise<void> => open({ kind: "builtin", name });

const endingOf = ({ name }: File) => name.toLowerCase().split(".").at(-1) ?? "";

/** Opens files: a scene with what belongs to it, a floor plan, a mesh, settings, or a project. */
export async function openFiles(files: File[], load: Load = {}): Promise<void> {
  const [file = files[0], ...others] = files.filter((file) => !["bin", "png", "jpg", "jpeg", "ktx2", "webp", "mtl"].includes(endingOf(file)));
  if (!file) return;
  await openFile(file, files, load);
  if (others.length > 0) advise(`${file.name} is opened alone: this page shows one level, without ${others.map(({ name }) => name).join(", ")}`, []);
}

async function openFile(file: File, files: File[], load: Load): Promise<void> {
  const own = ++newest;
  const megabytes = (bytes: number) => Math.ceil(bytes / (1 << 20));
  if (file.size > MOST_BYTES) {
    complain(`${file.name} has ${megabytes(file.size)} MB, and this page takes ${megabytes(MOST_BYTES)} MB at most: bake it with the program, waymesh build, and open the mesh here`);
    return;
  }
  const content = await file.arrayBuffer().catch(() => {
    throw new Error(`${file.name} cannot be read: it is a folder, or gone`);
  });
  const bytes = new Uint8Array(content);
  if (own !== newest) return;
  const ending = endingOf(file);
  if (["wmesh", "wmrun"].includes(ending)) return openMesh(file.name, bytes);
  const text = () => new TextDecoder().decode(bytes);
  // Browsers number files of one name: level.waymesh (1).json.
  if (/\.waymesh[^.]*\.json$/i.test(file.name)) return openProject(file.name, text());
  if (ending === "toml") {
    const settings = readSettings(text(), isPlan());
    if (settings) return applySettings(file.name, settings);
  }
  if (["geojson", "json", "osm", "svg", "toml", "wkt"].includes(ending)) return open({ kind: "plan", name: file.name, bytes });
  const source = await sceneOf(file.name, bytes, files);
  if (own !== newest) return;
  const { name } = source;
  if (awaited?.source?.name === name) {
    const project = awaited;
    awaited = null;
    await openSource(source, project.load);
    if ((await restore(project)) === "done") return;
  }
  await open(source, load);
}

/** The scene of a file, converted where the package does not read it. */
async function sceneOf(name: string, bytes: Uint8Array, files: File[]): Promise<Source & { kind: "scene" }> {
  const glb = await toGlb(name, bytes, files).catch((error: unknown) => {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  });
  return glb ? { kind: "scene", name: name.replace(/\.[^.]*$/, ".glb"), bytes: glb } : { kind: "scene", name, bytes };
}

/** Goes on with a project, or says which file that needs. */
async function resume(project: Project): Promise<void> {
  const is = await restore(project);
  if (is === "done") forgetSteps();
  else if (is === "no file") await awaitFile(project);
}

async function openProject(name: string, text: string): Promise<void> {
  let project: Project | null = null;
  try {
    project = readProject(JSON.parse(text));
  } catch {
    // Said below.
  }
  if (!project) complain(`${name}: this is no project of this page`);
  else await resume(project);
}

/** Settings of a file, over what is open. */
function applySettings(name: string, found: NonNullable<ReturnType<typeof readSettings>>): Promise<void> {
  if (!isPlan()) pipeline.value = found.pipeline;
  const left = [...knobs.restore(found.settings, isPlan() ? "plans" : found.pipeline), ...found.left];
  if (left.length > 0) advise(`${name} has what this page cannot show, and does without: ${left.join(", ")}`, []);
  state.things = [...state.things.filter(({ kind }) => kind === "obstacle"), ...found.things];
  state.seeds = found.seeds;
  showThings();
  tell("edit");
  return bake();
}

function openMesh(name: string, bytes: Uint8Array): void {
  try {
    NavMesh.fromBytes(bytes).free();
  } catch (error) {
    complain(new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`));
    return;
  }
  newest += 1;
  cancel();
  Object.assign(state, { source: null, load: {}, made: null, points: [], things: [], links: [], shut: [], seeds: [] });
  for (const layer of ["scene", "things", "points", ...STAGE_LAYERS]) view.put(layer);
  colours.forget();
  select(null);
  view.bounds.makeEmpty();
  complain(null);
  forgetAdvice();
  showName(null, name);
  tell("source");
  tell("edit");
  show(bytes);
  showFigures();
  advise(`${name} is a mesh without its scene: paths, crowds and links work on it, and settings have no effect`, []);
}

export async function openExample(name: string): Promise<void> {
  pipeline.value = "voxels";
  knobs.restore({});
  if (name === "plan") await open({ kind: "plan", name: "plan.toml", bytes: new TextEncoder().encode(Plan.example()) });
  else await openBuiltin(name === "storeys" ? "overlapping-storeys" : "dungeon-rooms");
}

/** Shows an example until the file of a project is opened by hand. */
async function awaitFile(project: Project): Promise<void> {
  awaited = project;
  if (!state.mesh) await openBuiltin("dungeon-rooms");
  advise(`this work is about the file ${project.source?.name ?? "of a mesh"}, which this browser does not have: open it to go on`, []);
}

/** What `waymesh view` was given. */
interface Served {
  name: string;
  load: Load;
  /** When the file was changed, in milliseconds. */
  modified?: number;
}

async function served(): Promise<Served | null> {
  const answer = await fetch("./waymesh-view.json").catch(() => null);
  if (!answer?.ok || !answer.headers.get("content-type")?.includes("json")) return null;
  const found = (await answer.json()) as Partial<Served>;
  return typeof found.name === "string" ? { name: found.name, load: readLoad(found.load), ...(found.modified === undefined ? {} : { modified: found.modified }) } : null;
}

async function servedFile(name: string): Promise<File> {
  return new File([await (await fetch("./waymesh-view.bin")).blob()], name);
}

/** Reads a level again when its file has changed: what lies on it stays. */
function watch({ name, modified }: Served): void {
  let seen = modified;
  const look = async () => {
    const found = await served();
    if (found?.modified === undefined || found.modified === seen || found.name !== name) return;
    seen = found.modified;
    const file = await servedFile(name);
    const source = await sceneOf(name, new Uint8Array(await file.arrayBuffer()), [file]);
    if (state.source?.kind !== "scene" || state.source.name !== source.name) return;
    replaceFile(state.source.bytes, source.bytes);
    state.source = source;
    await readAgain(state.load);
  };
  const again = (): void => void setTimeout(() => void look().catch(complain).finally(again), LOOK);
  again();
}

/**
 * Shows what is there first: what `waymesh view` was given, what the link says, or the first
 * example.
 */
export async function openFirst(): Promise<void> {
  const found = await served();
  const link = readLink(location.hash);
  if (found) {
    await openFiles([await servedFile(found.name)], found.load);
    if (link?.source?.name === found.name && (await restore(link)) === "done") forgetSteps();
    if (!state.mesh) showName(null, found.name);
    if (found.modified !== undefined) watch(found);
    return;
  }
  if (link?.source) return resume(link);
  await openBuiltin("dungeon-rooms");
  const before = lastVisit();
  if (link) advise("this page showed a mesh without its scene, which the browser does not keep: open its file again", []);
  else if (before) advise(`your last visit was about ${before.source!.name}`, [["Go on with it", () => void resume(before)]]);
  search();
}

