// Node: everything is ready after the import.
import { readFileSync } from "node:fs";
import { initSync } from "./queries.js";

const output = initSync({ module: readFileSync(new URL("./queries_bg.wasm", import.meta.url)) });

/** There is nothing left to do: the same call as in a browser. */
export default async function init() {
  return output;
}
export * from "./queries.js";
