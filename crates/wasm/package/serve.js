// What a worker does: bakes what it is sent, one job after another.
import { Plan, Scene, TileBaker } from "./waymesh.js";

/** Makes the input of a job. */
function read({ scene, plan }) {
  const given = scene ?? plan;
  if (given.builtin !== undefined) return Scene.builtin(given.builtin, given.scale);
  if (given.vertices !== undefined) return Scene.fromTriangles(given.vertices, given.triangles, given.areas, given.options);
  return (scene ? Scene : Plan).read(given.name, given.bytes, given.options);
}

/** Frees an object. After a trap it cannot be freed: the worker ends then. */
function release(object) {
  try {
    object?.free();
  } catch {
    // What was thrown before says why.
  }
}

/** The bytes and figures of a mesh, which is freed. */
function packed(mesh, format) {
  try {
    return { bytes: mesh.toBytes(format ?? "wmrun"), report: mesh.report };
  } finally {
    release(mesh);
  }
}

/** Tiles of one scene, which a worker of several builds: the scene stays until the next one. */
let tiles = null;

const does = {
  bake(job, progress) {
    const input = read(job);
    try {
      return packed(input.bake(job.settings, progress), job.format);
    } finally {
      release(input);
    }
  },
  begin(job, progress) {
    does.end();
    const scene = read(job);
    try {
      tiles = new TileBaker(scene, job.settings, progress);
    } finally {
      release(scene);
    }
    return { count: tiles.count };
  },
  tile({ index }) {
    return { bytes: tiles.bake(index) };
  },
  merge({ tiles: built, format }, progress) {
    try {
      return packed(tiles.merge(built, progress), format);
    } finally {
      does.end();
    }
  },
  end() {
    release(tiles);
    tiles = null;
    return {};
  },
};

/** Answers messages: `init` loads the module, `listen` and `send` are those of the host. */
export function serve({ init, listen, send }) {
  let ready = null;
  listen(async ({ module, id, kind, job }) => {
    if (id === undefined) {
      ready = init(module === null ? undefined : { module_or_path: module });
      // Whoever waits for a job hears of it.
      ready.catch(() => {});
      return;
    }
    let isLoaded = false;
    try {
      await ready;
      isLoaded = true;
      const done = does[kind](job, (stage, share) => send({ id, stage, done: share }));
      send({ id, ...done }, done.bytes ? [done.bytes.buffer] : []);
    } catch (error) {
      const [isTrap, text] = [error instanceof WebAssembly.RuntimeError, String(error?.message ?? error)];
      const loaded = isTrap ? `the bake needs more memory than a module can have, or met a fault of waymesh (${text})` : text;
      const message = isLoaded ? loaded : `the module cannot be loaded: ${text}`;
      send({ id, error: { message, kind: isLoaded ? (error?.kind ?? "bake") : "not-loaded", isFatal: isTrap || !isLoaded } });
    }
  });
}
