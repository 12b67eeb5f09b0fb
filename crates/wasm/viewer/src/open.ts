// Opens sources: files, scenes of the package, what a link names.
import { NavMesh, Plan } from "waymesh";
import * as THREE from "three";
import { bake, cancel, job, show, showFigures } from "./bakes";
import { setCrowd } from "./crowd";
import { STAGE_LAYERS, drawScene } from "./layers";
import { readLink } from "./link";
import type { Source } from "./messages";
import { complain, find } from "./page";
import { dropCorner, showPaint } from "./painter";
import { search, showRadius } from "./path";
import { drawObstacles } from "./placed";
import { isPlan, knobs, pipeline, remember, state, tell, view } from "./state";
import { peel } from "./switches";

/** Larger files do not fit beside the bake into the memory that a page may have. */
const MOST_BYTES = 256 << 20;

/** Layers of what the last source had. */
const OF_SOURCE = [...STAGE_LAYERS, "polygons", "borders", "portals", "links", "jumps", "heights", "obstacles", "points"];

async function open(next: Source): Promise<void> {
  const opened = await job((baker) => baker.open(next));
  if (!opened) return;
  complain(null);
  Object.assign(state, { source: next, points: [], obstacles: [], painted: [] });
  for (const name of OF_SOURCE) view.put(name);
  dropCorner();
  showPaint();
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
  tell("source");
  remember();
  await bake();
}

export const openBuiltin = (name: string): Promise<void> => open({ kind: "builtin", name });

/** Opens a file: a scene, a floor plan, or a mesh that is only looked at. */
export async function openFile(file: File): Promise<void> {
  const megabytes = (bytes: number) => Math.ceil(bytes / (1 << 20));
  if (file.size > MOST_BYTES) {
    complain(`${file.name} has ${megabytes(file.size)} MB, and this page takes ${megabytes(MOST_BYTES)} MB at most: bake it with the program, waymesh build, and open the mesh here`);
    return;
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  const ending = file.name.toLowerCase().split(".").at(-1) ?? "";
  if (["wmesh", "wmrun"].includes(ending)) return openMesh(file.name, bytes);
  const kind = ["geojson", "json", "svg", "toml", "wkt"].includes(ending) ? "plan" : "scene";
  await open({ kind, name: file.name, bytes });
}

function openMesh(name: string, bytes: Uint8Array): void {
  try {
    NavMesh.fromBytes(bytes).free();
  } catch (error) {
    complain(new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`));
    return;
  }
  cancel();
  Object.assign(state, { source: null, made: null, points: [], obstacles: [], painted: [] });
  for (const layer of ["scene", "obstacles", "points", ...STAGE_LAYERS]) view.put(layer);
  showPaint();
  view.bounds.makeEmpty();
  complain(null);
  tell("source");
  show(bytes);
  showFigures();
}

export async function openExample(name: string): Promise<void> {
  pipeline.value = "voxels";
  knobs.restore({});
  if (name === "plan") await open({ kind: "plan", name: "plan.toml", bytes: new TextEncoder().encode(Plan.example()) });
  else await openBuiltin(name === "storeys" ? "overlapping-storeys" : "dungeon-rooms");
}

/**
 * Shows what is there first: what `waymesh view` was given, what the link says, or the first
 * example.
 */
export async function openFirst(): Promise<void> {
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
    showRadius();
    setCrowd(link.crowd);
    for (const box of document.querySelectorAll<HTMLInputElement>("#layers input")) {
      if (box.checked !== link.layers.includes(box.value)) box.click();
    }
  }
  await openBuiltin(link?.scene ?? "dungeon-rooms");
  if (!link) return;
  Object.assign(state, { points: link.points, obstacles: link.obstacles, painted: link.painted });
  drawObstacles(view, state.obstacles);
  showPaint();
  search();
  remember();
  if (state.obstacles.length + state.painted.length > 0) await bake();
}
