// The other side of `BakeWorker`: bakes what it is sent, one job after another.
import init, { Plan, Scene } from "./waymesh.js";

/** Makes the input of a job, bakes it and frees it. */
function bake({ scene, plan, settings }, progress) {
  const given = scene ?? plan;
  const kind = scene ? Scene : Plan;
  let input;
  if (given.builtin !== undefined) input = Scene.builtin(given.builtin, given.scale);
  else if (given.vertices !== undefined) input = Scene.fromTriangles(given.vertices, given.triangles, given.areas);
  else input = kind.read(given.name, given.bytes, given.options);
  try {
    return input.bake(settings, progress);
  } finally {
    input.free();
  }
}

const ready = new Promise((resolve) => {
  self.addEventListener("message", async function first({ data }) {
    if (data.module === undefined) return;
    self.removeEventListener("message", first);
    await init({ module_or_path: data.module });
    resolve();
  });
});

self.addEventListener("message", async ({ data }) => {
  if (data.job === undefined) return;
  await ready;
  const { id } = data;
  try {
    const mesh = bake(data.job, (stage, done) => self.postMessage({ id, stage, done }));
    const bytes = mesh.toBytes(data.job.format ?? "wmrun");
    const { report } = mesh;
    mesh.free();
    self.postMessage({ id, bytes, report }, [bytes.buffer]);
  } catch (error) {
    self.postMessage({ id, error: { message: String(error?.message ?? error), kind: error?.kind ?? "bake" } });
  }
});
