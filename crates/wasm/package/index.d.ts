export { default, initSync } from "./waymesh.js";
export * from "./waymesh.js";
export { BakeWorker, type BakeJob, type BakeOptions, type Baked } from "./bake-worker.js";
export { BakeWorkers, type TileJob } from "./bake-workers.js";
