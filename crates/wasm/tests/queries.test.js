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

test("paths count rises, follow the ground and need head room", () => {
  // A roof of 8 m with a ridge of 3 m along z, and a flat way round it.
  const vertices = [0, 0, 0, 4, 3, 0, 8, 0, 0, 0, 0, 12, 4, 3, 12, 8, 0, 12, 0, 0, 15, 8, 0, 15];
  const triangles = [0, 3, 4, 0, 4, 1, 1, 4, 5, 1, 5, 2, 3, 6, 7, 3, 7, 5];
  const roof = Scene.fromTriangles(vertices, triangles).bake({ agent_radius: 0, cell_size: 0.1, level_height: 0.05 });
  const [from, to] = [[1, 0.75, 6], [7, 0.75, 6]];
  const along = (options) => roof.findPath(from, to, { shortest: true, ...options }).length;
  assert.ok(Math.abs(along({}) - 6) < 0.1, `${along({})}`);
  assert.ok(Math.abs(along({ groundError: 0.05 }) - 7.5) < 0.15, `${along({ groundError: 0.05 })}`);
  assert.ok(along({ groundError: 0.05, rises: true }) <= along({ groundError: 0.05 }) + 1e-3);
  // A hall whose middle is 2.2 m high, and a way round it.
  const [floor, ceiling] = [0, 2.2].map((y) => (y === 0 ? [0, y, 0, 20, y, 0, 20, y, 20, 0, y, 20] : [8, y, 2, 12, y, 2, 12, y, 14, 8, y, 14]));
  const hall = Scene.fromTriangles([...floor, ...ceiling], [0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7]).bake({ agent_radius: 0, agent_height: 1.5, height_classes: [1.5, 3], cell_size: 0.2 });
  const mesh = NavMesh.fromBytes(hall.toBytes("wmrun"));
  const [low, high] = [2, 2.9].map((agentHeight) => mesh.findPath([2, 0, 8], [18, 0, 8], { agentHeight }));
  assert.deepEqual(mesh.findPath([2, 0, 8], [18, 0, 8], { agentHeight: 1.5 }), mesh.findPath([2, 0, 8], [18, 0, 8]));
  for (const path of [low, high]) {
    assert.equal(path.outcome, "complete");
    assert.ok(path.length > 18, `${path.length}`);
  }
  assert.throws(() => mesh.findPath([2, 0, 8], [18, 0, 8], { agentHeight: NaN }), /agentHeight is NaN/);
  assert.throws(() => mesh.findPath([2, 0, 8], [18, 0, 8], { groundError: -1 }), /groundError is -1/);
});

test("ground that the options close is closed for every query", () => {
  // A strip across a floor, of another area and lower than the rest.
  const [vertices, triangles, areas] = [[], [], []];
  const quad = (x0, x1, y, area, isFloor) => {
    const first = vertices.length / 3;
    vertices.push(x0, y, 0, x0, y, 12, x1, y, 12, x1, y, 0);
    triangles.push(...[0, 1, 2, 0, 2, 3].map((corner) => first + corner));
    areas.push(area, area);
  };
  quad(0, 8, 0, 1);
  quad(8, 12, 0, 2);
  quad(12, 20, 0, 1);
  quad(8, 12, 2.2, 0);
  const whole = Scene.fromTriangles(vertices, triangles, areas).bake({ agent_radius: 0, agent_height: 1.5, height_classes: [1.5, 3], cell_size: 0.2, areas: { 2: { name: "mud" } } });
  for (const mesh of [whole, NavMesh.fromBytes(whole.toBytes("wmrun"))]) {
    const middle = mesh.polygonsAt([10, 0, 6])[0];
    assert.ok(middle >= 0);
    mesh.flags = Array.from({ length: mesh.polygonCount }, (_, polygon) => {
      const [first, end] = mesh.polygons.starts.slice(polygon, polygon + 2);
      const xs = Array.from(mesh.polygons.corners.slice(first, end), (corner) => mesh.vertices[3 * corner]);
      return Math.min(...xs) >= 7.9 && Math.max(...xs) <= 12.1 ? 2 : 1;
    });
    const [from, to] = [[5, 0, 6], [16, 0, 6]];
    for (const options of [{}, { areaCosts: { mud: Infinity } }, { excludeFlags: 2 }, { agentHeight: 2.5 }]) {
      const isClosed = Object.keys(options).length > 0;
      const end = isClosed ? 8 : 16;
      const isNear = ([x], at) => assert.ok(Math.abs(x - at) < 0.3, `${JSON.stringify(options)}: ${x}`);
      const path = mesh.findPath(from, to, options);
      assert.equal(path.outcome, isClosed ? "partial" : "complete");
      isNear(path.points.slice(-3), end);
      const ray = mesh.raycast(from, to, options);
      isNear(ray.end, end);
      assert.equal(ray.normal === null, !isClosed);
      isNear(mesh.moveAlong(from, to, options), end);
      assert.equal(mesh.nearestWall(from, 4, options) === null, !isClosed);
      isNear(mesh.snap([9, 0, 6], { ...options, reach: 2 }), isClosed ? 8 : 9);
      assert.equal(mesh.polygonsAt([10, 0, 6], { ...options, reach: 0.5 })[0], isClosed ? -1 : middle);
      assert.equal(mesh.islandsAt([10, 0, 6], { ...options, reach: 0.5 })[0] < 0, isClosed);
      const places = mesh.sample(200, 3, options);
      const isInside = (x) => x > 8.3 && x < 11.7;
      assert.equal(places.filter((value, index) => index % 3 === 0 && isInside(value)).length === 0, isClosed);
    }
    assert.throws(() => mesh.sample(1, 3, { includeFlags: 4 }), /none that is open/);
    assert.throws(() => mesh.raycast(from, to, { shortest: true }), /no option "shortest"/);
    assert.throws(() => mesh.moveAlong(from, to, { agentHeight: NaN }), /agentHeight is NaN/);
    assert.throws(() => mesh.snap(from, { areaCosts: { mud: -1 } }), /mud/);
  }
});

// Compressors of the same level differ by a per cent.
test("it is small", () => {
  const size = (file) => gzipSync(readFileSync(new URL(`../pkg/${file}`, import.meta.url)), { level: 9 }).length;
  const [queries, whole] = ["queries_bg.wasm", "waymesh_bg.wasm"].map(size);
  assert.ok(queries <= 155_000, `queries: ${queries} bytes with gzip`);
  assert.ok(whole <= 2_060_000, `everything: ${whole} bytes with gzip`);
});
