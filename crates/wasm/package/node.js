// Node: everything is ready after the import; parts are read when they are first needed.
import { readFileSync } from "node:fs";
import { initSync } from "./init.js";
import { readPartsWith } from "./parts.js";

readPartsWith((address) => readFileSync(address));
const output = initSync({ module: readFileSync(new URL("./waymesh_bg.wasm", import.meta.url)) });

/** There is nothing left to do: the same call as in a browser. */
export default async function init() {
  return output;
}
export { initSync };
export { loadParts, partModules, partNames } from "./parts.js";
export * from "./waymesh.js";
export { BakeWorker, BakeWorkers } from "./bake-node.js";
