// Holds the scene and bakes it, so that the page stays alive.
import init, { NavMesh, Plan, Scene, World } from "waymesh";
import type { Judgement, Progress, Shape } from "waymesh";
import type { Answer, AnySettings, Load, Made, Opened, Request, Source } from "./messages";

/** Cells of a tile of a world: an obstacle that moves costs the tiles it touches. */
const TILE_CELLS = 64;

let scene: Scene | null = null;
let plan: Plan | null = null;
/** The world, the settings it is of, and the numbers of its obstacles and marks. */
let world: { world: World; settings: string; obstacles: Map<string, number>; marks: { name: string; number: number }[] } | null = null;

/** Set by the first message: the page has compiled the module already. */
let output: ReturnType<typeof init>;

function forget(): void {
  world?.world.free();
  scene?.free();
  plan?.free();
  scene = plan = world = null;
}

function readScene(source: Exclude<Source, { kind: "plan" }>, load: Load): Scene {
  return source.kind === "builtin" ? Scene.builtin(source.name) : Scene.read(source.name, source.bytes, load);
}

function open(source: Source, load: Load): Opened {
  // What was open stays open if this cannot be read.
  const opened = source.kind === "plan" ? Plan.read(source.name, source.bytes) : readScene(source, load);
  forget();
  if (opened instanceof Plan) plan = opened;
  else scene = opened;
  return {
    vertices: scene?.vertices ?? new Float32Array(),
    triangles: scene?.triangles ?? new Uint32Array(),
    hints: source.kind === "scene" ? (scene?.hints() ?? []) : [],
  };
}

/** The mesh with obstacles: only the tiles that changed are built. */
function follow(of: Scene, settings: AnySettings, obstacles: Shape[], progress: Progress): [NavMesh, number] {
  const { pipeline, tile_cells: _, marks = [], ...given } = settings;
  if (pipeline !== undefined) throw new Error(`obstacles need the pipeline voxels, not ${pipeline}: choose it in the tab Bake, or remove the obstacles`);
  const key = JSON.stringify(given);
  if (world?.settings !== key) {
    world?.world.free();
    world = null;
    const fresh = new World(of.bounds, given, TILE_CELLS);
    fresh.addScene(of, progress);
    world = { world: fresh, settings: key, obstacles: new Map(), marks: [] };
  }
  const wanted = new Map(obstacles.map((obstacle) => [JSON.stringify(obstacle), obstacle]));
  for (const [name, number] of world.obstacles) {
    if (wanted.has(name)) continue;
    world.world.removeObstacle(number);
    world.obstacles.delete(name);
  }
  for (const [name, obstacle] of wanted) {
    if (!world.obstacles.has(name)) world.obstacles.set(name, world.world.addObstacle(obstacle, true));
  }
  // Marks count in their order: those after the first one that differs are put down again.
  const names = marks.map((mark) => JSON.stringify(mark));
  const differs = world.marks.findIndex(({ name }, index) => name !== names[index]);
  const same = differs < 0 ? world.marks.length : differs;
  for (const { number } of world.marks.splice(same)) world.world.removeMark(number);
  for (const [index, mark] of marks.entries()) {
    if (index >= same) world.marks.push({ name: names[index]!, number: world.world.addMark(mark) });
  }
  const { rebuilt } = world.world.update(progress);
  return [world.world.mesh, rebuilt];
}

async function bake(settings: AnySettings, obstacles: Shape[], progress: Progress): Promise<Made> {
  const begin = performance.now();
  let rebuilt: number | null = null;
  let mesh: NavMesh;
  if (plan) mesh = plan.bake(settings, progress);
  else if (!scene) throw new Error("there is no scene");
  else if (obstacles.length > 0) [mesh, rebuilt] = follow(scene, settings, obstacles, progress);
  else mesh = scene.bake(settings, progress);
  const seconds = (performance.now() - begin) / 1000;
  const { report } = mesh;
  const bytes = mesh.toBytes("wmrun");
  mesh.free();
  return { bytes, report, seconds, rebuilt, memory: (await output).memory.buffer.byteLength };
}

/** Judges a mesh against the scene, without obstacles. */
function judge(bytes: Uint8Array): Judgement {
  if (!scene) throw new Error("only meshes of scenes of triangles can be judged");
  const mesh = NavMesh.fromBytes(bytes);
  try {
    return scene.evaluate(mesh);
  } finally {
    mesh.free();
  }
}

async function answer(request: Exclude<Request, { kind: "module" }>): Promise<[Answer, Transferable[]]> {
  await output;
  const { id } = request;
  const progress = (stage: string, done: number) => self.postMessage({ id, stage, done } satisfies Answer);
  if (request.kind === "open") {
    const opened = open(request.source, request.load);
    return [{ id, opened }, [opened.vertices.buffer, opened.triangles.buffer]];
  }
  if (request.kind === "bake") {
    const made = await bake(request.settings, request.obstacles, progress);
    return [{ id, made }, [made.bytes.buffer]];
  }
  if (request.kind === "judge") {
    const judgement = judge(request.bytes);
    return [{ id, judgement }, []];
  }
  if (request.kind === "why") {
    if (!scene) throw new Error("only scenes of triangles are explained");
    return [{ id, explanation: scene.why(request.at, request.to, request.settings) }, []];
  }
  if (!scene) throw new Error("a floor plan has no stages to show");
  return [{ id, stages: scene.bakeStages(request.settings, progress) }, []];
}

self.addEventListener("message", async ({ data }: MessageEvent<Request>) => {
  if (data.kind === "module") {
    output = init({ module_or_path: data.module });
    return;
  }
  try {
    const [message, transfer] = await answer(data);
    self.postMessage(message, { transfer });
  } catch (error) {
    self.postMessage({ id: data.id, error: sentence(error) } satisfies Answer);
    // Memory of a module that trapped may be in any state: the page starts a new worker.
    if (error instanceof WebAssembly.RuntimeError) throw error;
  }
});

function sentence(error: unknown): string {
  if (error instanceof WebAssembly.RuntimeError) {
    return "the bake ran out of memory or into a defect of waymesh; a coarser grid takes less memory";
  }
  return error instanceof Error ? error.message : String(error);
}
