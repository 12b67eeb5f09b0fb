export { default, initSync } from "./waymesh.js";
export * from "./waymesh.js";
export { BakeWorker, type BakeJob, type Baked } from "./bake-worker.js";
