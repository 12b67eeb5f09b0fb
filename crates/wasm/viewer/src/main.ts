// The page: what is clicked, what is shown.
import init, { NavMesh, Plan, Scene, settingsToToml } from "waymesh";
import type { Path, PathOptions } from "waymesh";
import moduleAddress from "waymesh/waymesh_bg.wasm?url";
import * as THREE from "three";
import { Baker, Ended } from "./baker";
import { Knobs } from "./knobs";
import { LAYERS, STAGE_LAYERS, drawKept, drawMesh, drawObstacles, drawPath, drawPoints, drawScene, drawStages, type ColourBy } from "./layers";
import { readLink, writeLink, type Point } from "./link";
import type { AnySettings, Box, Made, Source } from "./messages";
import { download, figures } from "./save";
import { View } from "./view";
import "./style.css";

/** Larger files do not fit beside the bake into the memory that a page may have. */
const MOST_BYTES = 256 << 20;
/** How long a knob rests before the bake begins, in milliseconds. */
const REST = 250;
/** Scenes of more triangles than this are not in the list: they take minutes in a page. */
const TOO_LARGE = ["city", "buildings", "offshore", "subway"];

const find = <T extends HTMLElement>(selector: string): T => {
  const found = document.querySelector<T>(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
};

const canvas = find<HTMLCanvasElement>("#canvas");
const view = new View(canvas);
let baker: Baker;

let source: Source | null = null;
let mesh: NavMesh | null = null;
let made: Made | null = null;
let kept: Made | null = null;
let points: Point[] = [];
let obstacles: Box[] = [];
let stagesOf = "";
let timer = 0;
/** Layers that are on. */
const shown = new Set<string>(LAYERS.filter(([, , on]) => on).map(([name]) => name));

const pipeline = find<HTMLSelectElement>("#pipeline");
const knobs = new Knobs(find("#knobs"), find("#knobs-note"), () => later());
const isPlan = () => source?.kind === "plan";
const tool = () => find<HTMLInputElement>("input[name=tool]:checked").value;
const radius = () => Number(find<HTMLInputElement>("#radius").value);

/** Says what went wrong, as a sentence; nothing takes it away again. */
function complain(error: unknown): void {
  const place = find("#error");
  if (error === null || error instanceof Ended) {
    if (error === null) place.hidden = true;
    return;
  }
  const text = error instanceof Error ? error.message : String(error);
  // A name of a file or a setting stays as it is.
  const first = /^[a-z]+ /.test(text) ? text.charAt(0).toUpperCase() : text.charAt(0);
  place.textContent = `${first}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
  place.hidden = false;
}

function busy(is: boolean): void {
  find("#progress").hidden = find("#cancel").hidden = !is;
  find<HTMLButtonElement>("#rebake").hidden = is;
  if (!is) find("#stage").textContent = "";
  document.body.classList.toggle("busy", is);
}

/** Runs a job of the worker, with its progress; errors become a sentence. */
async function job<T>(run: () => Promise<T>): Promise<T | null> {
  clearTimeout(timer);
  busy(true);
  try {
    const done = await run();
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
function later(): void {
  clearTimeout(timer);
  timer = window.setTimeout(() => void bake(), REST);
  remember();
}

function show(bytes: Uint8Array): void {
  mesh?.free();
  mesh = NavMesh.fromBytes(bytes);
  drawMesh(view, mesh, find<HTMLSelectElement>("#colour").value as ColourBy);
  if (view.layer("scene").children.length === 0) {
    const [x, y, z, X, Y, Z] = mesh.bounds as unknown as [number, number, number, number, number, number];
    const bounds = new THREE.Box3(new THREE.Vector3(x, y, z), new THREE.Vector3(X, Y + 2, Z));
    if (Number.isFinite(x) && view.bounds.isEmpty()) view.frame(bounds);
  }
  search();
}

async function bake(): Promise<void> {
  if (!source) return;
  const settings = knobs.settings;
  const result = await job(() => baker.bake(settings, isPlan() ? [] : obstacles));
  if (!result) return;
  complain(null);
  made = result;
  show(result.bytes);
  figures(find("#figures tbody"), mesh, made, kept);
  stagesOf = "";
  await stages();
}

/** An obstacle moved while the last update ran. */
let moved = false;

/** Follows the obstacles: an update that runs is waited for, since the worker would lose its world. */
async function follow(): Promise<void> {
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
async function stages(): Promise<void> {
  const wanted = new Set(STAGE_LAYERS.filter((name) => shown.has(name)));
  const settings = knobs.settings;
  const key = JSON.stringify([settings, [...wanted]]);
  if (key === stagesOf) return;
  stagesOf = key;
  if (wanted.size === 0 || !source) {
    for (const name of STAGE_LAYERS) view.put(name);
    return;
  }
  if (isPlan() || settings.pipeline !== undefined) {
    complain("layers of stages are those of the pipeline voxels: choose it under Made by");
    return;
  }
  const found = await job(() => baker.stages(settings));
  if (found) complain(drawStages(view, found, wanted) || null);
}

async function open(next: Source): Promise<void> {
  const opened = await job(() => baker.open(next));
  if (!opened) return;
  complain(null);
  source = next;
  points = [];
  obstacles = [];
  kept = null;
  for (const name of [...STAGE_LAYERS, "kept", "polygons", "borders", "portals", "links", "heights", "obstacles", "points"]) view.put(name);
  drawScene(view, opened);
  const bounds = new THREE.Box3();
  for (let index = 0; index < opened.vertices.length; index += 3) bounds.expandByPoint(new THREE.Vector3().fromArray(opened.vertices, index));
  view.frame(bounds);
  for (const option of pipeline.options) option.disabled = isPlan();
  knobs.show(isPlan() ? "plans" : (pipeline.value as "voxels"));
  peel();
  const list = find<HTMLSelectElement>("#scene");
  if (next.kind === "builtin") list.value = next.name;
  else {
    list.querySelector("[data-file]")?.remove();
    const option = new Option(next.name, "", true, true);
    option.dataset["file"] = "";
    list.add(option, 0);
  }
  remember();
  await bake();
}

/** Opens a file: a scene, a floor plan, or a mesh that is only looked at. */
async function openFile(file: File): Promise<void> {
  const megabytes = (bytes: number) => Math.ceil(bytes / (1 << 20));
  if (file.size > MOST_BYTES) {
    complain(`${file.name} has ${megabytes(file.size)} MB, and this page takes ${megabytes(MOST_BYTES)} MB at most: bake it with the program, waymesh build, and open the mesh here`);
    return;
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  const ending = file.name.toLowerCase().split(".").at(-1) ?? "";
  if (["wmesh", "wmrun"].includes(ending)) {
    try {
      const opened = NavMesh.fromBytes(bytes);
      opened.free();
    } catch (error) {
      complain(new Error(`${file.name}: ${error instanceof Error ? error.message : String(error)}`));
      return;
    }
    baker.cancel();
    source = made = null;
    points = [];
    for (const name of ["scene", "obstacles", "points", ...STAGE_LAYERS]) view.put(name);
    view.bounds.makeEmpty();
    complain(null);
    show(bytes);
    figures(find("#figures tbody"), mesh, made, kept);
    return;
  }
  const kind = ["geojson", "json", "svg", "toml", "wkt"].includes(ending) ? "plan" : "scene";
  await open({ kind, name: file.name, bytes });
}

/** Finds the path between the points and shows it. */
function search(): void {
  drawPoints(view, points, tool() === "measure" ? [0x3366cc] : [0x1f8f4e, 0xd7263d]);
  const place = find("#path");
  for (const name of Object.keys(place.dataset)) delete place.dataset[name];
  drawPath(view, mesh as NavMesh, null, 0);
  const [start, end] = points;
  if (!mesh || !start || !end) {
    place.textContent = start ? "Click where it should end." : "Click where a path should begin.";
    return;
  }
  if (tool() === "measure") {
    const [flat, straight] = [Math.hypot(end[0] - start[0], end[2] - start[2]), Math.hypot(...end.map((value, axis) => value - start[axis]!))];
    place.textContent = `${straight.toFixed(3)} m straight, ${flat.toFixed(3)} m in plan, ${(end[1] - start[1]).toFixed(3)} m up.`;
    drawPath(view, mesh, { outcome: "complete", points: Float32Array.from([...start, ...end]), polygons: new Uint32Array(), links: [], length: straight, cost: straight, wasCut: false }, 0);
    return;
  }
  const options: PathOptions = { shortest: find<HTMLInputElement>("#shortest").checked };
  if (radius() > 0) options.radius = radius();
  let path: Path;
  const begin = performance.now();
  try {
    path = mesh.findPath(start, end, options);
  } catch (error) {
    place.textContent = error instanceof Error ? error.message : String(error);
    return;
  }
  const took = performance.now() - begin;
  // With a point at every edge the line follows the ground.
  drawPath(view, mesh, radius() > 0 ? path : mesh.findPath(start, end, { ...options, crossPoints: true }), radius());
  const strong = Object.assign(document.createElement("strong"), { textContent: `${path.length.toFixed(3)} m` });
  const what = { complete: "", partial: " to the nearest place that can be reached", unreachable: " (no way leads there)", undecided: " (the search gave up)" }[path.outcome];
  const corners = path.points.length / 3;
  place.replaceChildren(strong, `${what}, ${corners} points over ${path.polygons.length} polygons${path.links.length > 0 ? ` and ${path.links.length} links` : ""}, in ${took.toFixed(2)} ms.`);
  Object.assign(place.dataset, { metres: String(path.length), outcome: path.outcome, start: start.join(","), end: end.join(",") });
}

/** What the address of the page says. */
function remember(): void {
  const layers = [...shown];
  const link = { scene: source?.kind === "builtin" ? source.name : null, pipeline: pipeline.value, settings: knobs.settings, points, obstacles, radius: radius(), layers };
  history.replaceState(null, "", writeLink(link));
}

function peel(): void {
  const slider = find<HTMLInputElement>("#peel");
  const share = Number(slider.value);
  const { min, max } = view.bounds;
  const height = min.y + share * (max.y - min.y);
  view.peel(share >= 1 || view.bounds.isEmpty() ? 1e9 : height);
  find("#peel-value").textContent = share >= 1 ? "all" : `${height.toFixed(2)}`;
}

function makeLayers(): void {
  const place = find("#layers");
  for (const [name, text] of LAYERS) {
    const label = document.createElement("label");
    const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: shown.has(name), value: name });
    box.addEventListener("change", () => {
      if (box.checked) shown.add(name);
      else shown.delete(name);
      view.layer(name).visible = box.checked;
      view.draw();
      remember();
      if (STAGE_LAYERS.includes(name)) void stages();
    });
    view.layer(name).visible = box.checked;
    label.append(box, ` ${text}`);
    place.append(label);
  }
}

/** The obstacle that is dragged, and whether the pointer moved since it was pressed. */
let dragged: number | null = null;
let pressed: { x: number; y: number } | null = null;
const GROUND = ["polygons", "scene"];

canvas.addEventListener("pointerdown", (event) => {
  if (!event.isPrimary || event.button !== 0) return;
  pressed = { x: event.clientX, y: event.clientY };
  const hit = view.hit(event, ["obstacles", ...GROUND]);
  const index: unknown = hit?.object.userData["obstacle"];
  if (typeof index === "number") {
    dragged = index;
    view.controls.enabled = false;
    canvas.setPointerCapture(event.pointerId);
  }
});

canvas.addEventListener("pointermove", (event) => {
  if (dragged === null) return;
  const hit = view.hit(event, GROUND);
  const obstacle = obstacles[dragged];
  if (!hit || !obstacle) return;
  obstacle.at = hit.point.toArray();
  drawObstacles(view, obstacles);
  void follow();
});

canvas.addEventListener("pointerup", (event) => {
  const isDrag = pressed && Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > 5;
  const was = dragged;
  [dragged, pressed, view.controls.enabled] = [null, null, true];
  if (was !== null) {
    remember();
    return;
  }
  if (!isDrag && event.isPrimary && event.button === 0) click(event);
});

canvas.addEventListener("pointercancel", () => {
  [dragged, pressed, view.controls.enabled] = [null, null, true];
});

function click(event: PointerEvent): void {
  const hit = view.hit(event, GROUND);
  if (!hit) return;
  const at = hit.point.toArray();
  if (tool() === "obstacle") {
    if (isPlan() || !source) {
      complain("obstacles need a scene of triangles");
      return;
    }
    const side = Math.max(2 * Number(knobs.settings.agent_radius ?? 0.6), 1);
    obstacles.push({ at, size: [side, 2, side] });
    drawObstacles(view, obstacles);
    void follow();
  } else {
    points = points.length >= 2 ? [at] : [...points, at];
    search();
  }
  remember();
}

canvas.addEventListener("keydown", (event) => {
  if (event.key === "+" || event.key === "=") view.zoom(0.85);
  else if (event.key === "-") view.zoom(1 / 0.85);
  else if (event.key === "f") view.frame();
});

async function save(what: string): Promise<void> {
  const said = find("#saved");
  said.textContent = "";
  const name = (source?.name ?? "mesh").replace(/\.[^.]*$/, "");
  if (what === "toml") return download(`${name}.toml`, settingsToToml(knobs.settings, isPlan()));
  if (what === "png") return download(`${name}.png`, (await view.picture()) ?? "");
  if (what === "link") {
    remember();
    await navigator.clipboard.writeText(location.href);
    said.textContent = source?.kind === "builtin" ? "The link is copied." : "The link is copied; it holds the settings, not your file.";
    return;
  }
  if (!mesh) throw new Error("there is no mesh to save yet");
  if (what === "glb") return download(`${name}-mesh.glb`, mesh.toGlb(true));
  if (what === "svg") return download(`${name}.svg`, mesh.toSvg());
  download(`${name}.${what}`, mesh.toBytes(what as "wmesh"));
}

async function start(): Promise<void> {
  const module = await WebAssembly.compileStreaming(fetch(moduleAddress));
  await init({ module_or_path: module });
  baker = new Baker(module, (stage, done) => {
    find("#stage").textContent = stage;
    find<HTMLProgressElement>("#progress").value = done;
  });
  const list = find<HTMLSelectElement>("#scene");
  for (const { name, summary } of Scene.builtins()) {
    if (!TOO_LARGE.includes(name)) list.add(Object.assign(new Option(name.replaceAll("-", " "), name), { title: summary }));
  }
  list.addEventListener("change", () => {
    if (list.value) void open({ kind: "builtin", name: list.value });
  });
  makeLayers();
  knobs.show("voxels");
  pipeline.addEventListener("change", () => {
    knobs.show(pipeline.value as "voxels");
    later();
  });
  find("#rebake").addEventListener("click", () => void bake());
  find("#cancel").addEventListener("click", () => baker.cancel());
  find("#reset").addEventListener("click", () => knobs.reset());
  find("#clear").addEventListener("click", () => {
    points = [];
    search();
    remember();
  });
  find("#no-obstacles").addEventListener("click", () => {
    obstacles = [];
    drawObstacles(view, obstacles);
    void bake();
    remember();
  });
  find("#colour").addEventListener("change", () => {
    if (mesh) drawMesh(view, mesh, find<HTMLSelectElement>("#colour").value as ColourBy);
  });
  find("#shortest").addEventListener("change", search);
  find("#radius").addEventListener("input", () => {
    find("#radius-value").textContent = radius() > 0 ? radius().toFixed(2) : "off";
    search();
    remember();
  });
  for (const input of document.querySelectorAll("input[name=tool]")) input.addEventListener("change", search);
  find("#peel").addEventListener("input", peel);
  find("#compare").addEventListener("click", () => {
    kept = made;
    drawKept(view, mesh);
    figures(find("#figures tbody"), mesh, made, kept);
  });
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-save]")) {
    button.addEventListener("click", () => void save(button.dataset["save"] ?? "").catch(complain));
  }
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-example]")) {
    button.addEventListener("click", () => void example(button.dataset["example"] ?? ""));
  }
  const file = find<HTMLInputElement>("#file");
  file.addEventListener("change", () => {
    const [given] = file.files ?? [];
    if (given) void openFile(given).catch(complain);
    file.value = "";
  });
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) document.body.classList.remove("dropping");
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    const [given] = event.dataTransfer?.files ?? [];
    if (given) void openFile(given).catch(complain);
  });
  await first();
}

async function example(name: string): Promise<void> {
  pipeline.value = "voxels";
  knobs.restore({});
  if (name === "plan") await open({ kind: "plan", name: "plan.toml", bytes: new TextEncoder().encode(Plan.example()) });
  else await open({ kind: "builtin", name: name === "storeys" ? "overlapping-storeys" : "dungeon-rooms" });
}

/** What is shown first: what `waymesh view` was given, what the link says, or the first example. */
async function first(): Promise<void> {
  const served = await fetch("./waymesh-view.json").then((answer) => (answer.ok && answer.headers.get("content-type")?.includes("json") ? answer.json() : null)).catch(() => null);
  if (served && typeof served.name === "string") {
    const answer = await fetch("./waymesh-view.bin");
    await openFile(new File([await answer.blob()], served.name));
    return;
  }
  const link = readLink(location.hash);
  if (link) {
    pipeline.value = link.pipeline;
    knobs.show(pipeline.value as "voxels");
    knobs.restore(link.settings as Record<string, unknown>);
    find<HTMLInputElement>("#radius").value = String(link.radius);
    find("#radius-value").textContent = link.radius > 0 ? link.radius.toFixed(2) : "off";
    for (const box of document.querySelectorAll<HTMLInputElement>("#layers input")) {
      if (box.checked !== link.layers.includes(box.value)) box.click();
    }
  }
  await open({ kind: "builtin", name: link?.scene ?? "dungeon-rooms" });
  if (link) {
    [points, obstacles] = [link.points, link.obstacles];
    drawObstacles(view, obstacles);
    search();
    remember();
    if (obstacles.length > 0) await bake();
  }
}

// What tests in a browser look at.
Object.assign(window, {
  waymeshViewer: {
    project: (at: Point) => view.project(at),
    get mesh() {
      return mesh;
    },
    get made() {
      return made;
    },
    get settings(): AnySettings {
      return knobs.settings;
    },
  },
});

start().catch(complain);
