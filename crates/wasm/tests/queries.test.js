// The package of queries alone.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { Scene } from "../pkg/node.js";
import { NavMesh } from "../pkg/queries-node.js";
import { levelObj } from "./level.js";

const scene = Scene.read("level.obj", new TextEncoder().encode(levelObj()));

test("it answers as the whole package does", () => {
  const whole = scene.bake({});
  const mesh = NavMesh.fromBytes(whole.toBytes("wmrun"));
  assert.equal(mesh.generation, whole.generation);
  const places = mesh.sample(60, 5);
  assert.deepEqual(places, whole.sample(60, 5));
  for (let index = 0; index + 6 <= places.length; index += 6) {
    const [from, to] = [places.subarray(index, index + 3), places.subarray(index + 3, index + 6)];
    assert.deepEqual(mesh.findPath(from, to), whole.findPath(from, to));
  }
  assert.throws(() => mesh.findPath([1, 0, 1], [9, 0, 9], { radius: 1 }), /whole package/);
});

test("it is small", () => {
  const size = (file) => gzipSync(readFileSync(new URL(`../pkg/${file}`, import.meta.url)), { level: 9 }).length;
  const [queries, whole] = ["queries_bg.wasm", "waymesh_bg.wasm"].map(size);
  assert.ok(queries <= 175_000, `queries: ${queries} bytes with gzip`);
  assert.ok(whole <= 1_850_000, `everything: ${whole} bytes with gzip`);
});
