// Node: everything is ready after the import.
import { readFileSync } from "node:fs";
import { initSync } from "./waymesh.js";

const output = initSync({ module: readFileSync(new URL("./waymesh_bg.wasm", import.meta.url)) });

/** There is nothing left to do: the same call as in a browser. */
export default async function init() {
  return output;
}
export { initSync };
export * from "./waymesh.js";
export { BakeWorker, BakeWorkers } from "./bake-node.js";
