export { default, initSync, type InitOptions } from "./init.js";
export { loadParts, partModules, partNames, type PartName } from "./parts.js";
export * from "./waymesh.js";
export { BakeWorker, type BakeJob, type BakeOptions, type Baked } from "./bake-worker.js";
export { BakeWorkers, type TileJob } from "./bake-workers.js";
