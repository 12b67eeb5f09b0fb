// Times of a bake in tiles by one worker and by several:
// node tiles.mjs [SCENE*SCALE or LEVEL.obj] ...
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename } from "node:path";

import { BakeWorker, BakeWorkers, Scene, TileBaker } from "../pkg/node.js";

const ROUNDS = 3;
const SETTINGS = { cell_size: 0.2, level_height: 0.1, tile_cells: 256 };
const names = process.argv.slice(2);
const scenes = names.length > 0 ? names : ["rolling-terrain*4", "dungeon-rooms*4"];
const builtin = (name) => {
  const [scene, scale = "1"] = name.split("*");
  return [scene, Number(scale)];
};
const open = (name) => (name.includes(".") ? Scene.read(basename(name), readFileSync(name)) : Scene.builtin(...builtin(name)));
const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

console.log(`${availableParallelism()} processors. Seconds from the call to the bytes, median of ${ROUNDS}.\n`);
console.log("| scene | triangles | tiles | untiled, 1 worker | 1 worker | 2 workers | 4 workers |");
console.log("|---|---|---|---|---|---|---|");
for (const name of scenes) {
  const scene = open(name);
  const given = { vertices: scene.vertices, triangles: scene.triangles };
  const settings = SETTINGS;
  const pools = { untiled: new BakeWorker(), 1: new BakeWorkers(1), 2: new BakeWorkers(2), 4: new BakeWorkers(4) };
  const times = Object.fromEntries(Object.keys(pools).map((key) => [key, []]));
  let tiles = 0;
  let expected;
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [key, pool] of Object.entries(pools)) {
      const start = performance.now();
      const { tile_cells, ...plain } = settings;
      const { bytes, report } = await pool.bake({ scene: given, settings: key === "untiled" ? plain : settings });
      if (round > 0) times[key].push((performance.now() - start) / 1000);
      expected ??= Buffer.from(bytes);
      if (!expected.equals(bytes)) throw new Error(`${name}: other bytes with ${key}`);
      tiles = Math.max(tiles, report.tiles);
    }
  }
  const seconds = Object.keys(times).toSorted((a, b) => (a === "untiled" ? -1 : b === "untiled" ? 1 : a - b)).map((key) => median(times[key]).toFixed(2));
  console.log(`| ${basename(name)} | ${scene.triangleCount} | ${tiles} | ${seconds.join(" | ")} |`);
  for (const pool of Object.values(pools)) pool.close();
}

// What of a bake several workers share: on one thread, in the processor's time.
console.log("\n| scene | every worker: sorting, s | shared: tiles, s | one worker: joining, s |");
console.log("|---|---|---|---|");
const timed = (run) => {
  const start = process.cpuUsage();
  const made = run();
  const { user, system } = process.cpuUsage(start);
  return [(user + system) / 1e6, made];
};
for (const name of scenes) {
  const scene = open(name);
  const rounds = Array.from({ length: ROUNDS }, () => {
    const [begin, baker] = timed(() => new TileBaker(scene, SETTINGS));
    const [shared, tiles] = timed(() => [...Array(baker.count).keys()].map((tile) => baker.bake(tile)));
    const [joining, mesh] = timed(() => baker.merge(tiles));
    for (const made of [mesh, baker]) made.free();
    return [begin, shared, joining];
  });
  console.log(`| ${basename(name)} | ${[0, 1, 2].map((part) => median(rounds.map((round) => round[part])).toFixed(2)).join(" | ")} |`);
}
