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
  const { searched, polygons } = mesh.findPath([1, 0, 1], [38, 0, 38], { searched: true });
  assert.ok(searched.length > polygons.length && polygons.every((polygon) => searched.includes(polygon)));
  assert.ok(searched.every((polygon, index) => polygon < mesh.polygonCount && (index === 0 || polygon > searched[index - 1])));
  assert.equal(mesh.findPath([1, 0, 1], [9, 0, 9]).searched, undefined);
  assert.throws(() => mesh.findPaths(places.subarray(0, 3), places.subarray(3, 6), { searched: true }), /searched is an option of findPath only/);
  assert.throws(() => mesh.findPath([1, 0, 1], [9, 0, 9], { radius: 1 }), /whole package/);
});

test("it is small", () => {
  const size = (file) => gzipSync(readFileSync(new URL(`../pkg/${file}`, import.meta.url)), { level: 9 }).length;
  const [queries, whole] = ["queries_bg.wasm", "waymesh_bg.wasm"].map(size);
  assert.ok(queries <= 155_000, `queries: ${queries} bytes with gzip`);
  assert.ok(whole <= 2_000_000, `everything: ${whole} bytes with gzip`);
});
