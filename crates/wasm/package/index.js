// Browsers: `await init()` before anything else.
export { default, initSync } from "./waymesh.js";
export * from "./waymesh.js";
export { BakeWorker } from "./bake-worker.js";
export { BakeWorkers } from "./bake-workers.js";
