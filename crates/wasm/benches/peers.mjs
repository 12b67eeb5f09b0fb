// Bakes and paths beside the packages recast-navigation and navcat, in turns in one process:
// npm ci && node peers.mjs LEVEL.obj ...
// Times are the processor's, of all threads of the process: other work of the machine counts
// little. `chromium.mjs` does the same in a page.
import { readFileSync } from "node:fs";
import { basename } from "node:path";

import { compare, load } from "./compare.js";

/** Milliseconds of the processor since the beginning. */
const now = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const modules = await load("../pkg/node.js", now);
const files = process.argv.slice(2).map((file) => [basename(file), readFileSync(file)]);
for (const line of compare(modules, files, now)) console.log(line);
