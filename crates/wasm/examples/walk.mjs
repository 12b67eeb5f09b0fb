// Bake a level, ship its mesh, open it, find a path, and let a crowd walk: node examples/walk.mjs
// Outside of this folder, import from "waymesh". A page first awaits `init()`.
import assert from "node:assert/strict";

import { Crowd, NavMesh, Scene } from "../pkg/node.js";

// `Scene.read(name, bytes)` reads files, `Scene.fromTriangles(vertices, triangles)` takes arrays.
const level = Scene.builtin("dungeon-rooms");
const bytes = level.bake({ agent_radius: 0.4, cell_size: 0.2, keep: "largest" }).toBytes("wmrun");
console.log(`${bytes.length} bytes to ship`);

const mesh = NavMesh.fromBytes(bytes);
const path = mesh.findPath([7, 0, 7], [49, 0, 49], { shortest: true });
console.log(`${path.outcome}: ${path.length.toFixed(1)} m over ${path.points.length / 3} points`);
assert.equal(path.outcome, "complete");

const crowd = new Crowd(mesh);
const places = mesh.sample(20, 7);
for (let at = 0; at < places.length; at += 3) {
  const agent = crowd.add(places.subarray(at, at + 3), { radius: 0.25 });
  crowd.setTarget(agent, [49, 0, 49]);
}
const ARRIVED = 5;
let seconds = 0;
while (seconds < 120 && crowd.statuses.some((status) => status !== ARRIVED)) {
  for (let step = 0; step < 30; step += 1) crowd.step(1 / 30);
  seconds += 1;
}
console.log(`all ${crowd.agents.length} are there after ${seconds} s`);
assert.ok(seconds < 120);
