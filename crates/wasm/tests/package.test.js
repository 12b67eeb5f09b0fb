// The whole package in Node, and beside the native program.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runInNewContext } from "node:vm";

import init, { NavMesh, Plan, Scene, World, describeSettings, settingsToToml } from "../pkg/node.js";
import { banks, levelObj } from "./level.js";
import { answer, folder, skip, waymesh } from "./native.js";
import { refused } from "./refused.js";

const bytes = (text) => new TextEncoder().encode(text);
const level = bytes(levelObj());
const scene = Scene.read("level.obj", level);

/** Many pairs of places on a mesh. */
function pairs(mesh, count) {
  const places = mesh.sample(2 * count, 11);
  return [places.subarray(0, 3 * count), places.subarray(3 * count)];
}

test("a bake hears how far it is and can be ended", async () => {
  await init();
  const heard = [];
  const mesh = scene.bake({ cell_size: 0.3 }, (stage, done) => void heard.push([stage, done]));
  assert.ok(mesh.polygonCount > 10);
  assert.ok(mesh.report.seconds > 0 && mesh.report.stages.length > 4);
  const stages = new Set(heard.map(([stage]) => stage));
  for (const { name } of mesh.report.stages) assert.ok(stages.has(name), name);
  assert.ok(heard.every(([, done]) => done >= 0 && done <= 1));
  let calls = 0;
  refused(() => scene.bake({}, () => ++calls < 3), "cancelled", /cancelled/);
  assert.equal(calls, 3);
  assert.throws(() => scene.bake({}, () => { throw new TypeError("mine"); }), /mine/);
  // Nothing is left of it.
  assert.deepEqual(scene.bake({ cell_size: 0.3 }).toBytes(), mesh.toBytes());
});

test("files of both formats come back", () => {
  const mesh = scene.bake({});
  for (const format of ["wmesh", "wmrun"]) {
    const file = mesh.toBytes(format);
    const again = NavMesh.fromBytes(file);
    assert.equal(again.generation, mesh.generation);
    assert.deepEqual(again.toBytes(format), file);
    assert.equal(again.report, null);
    refused(() => NavMesh.fromBytes(file.subarray(0, file.length - 5)), "file", /./);
  }
  refused(() => NavMesh.fromBytes(bytes("nothing of ours")), "file", /no navigation mesh/);
  refused(() => mesh.toBytes("bin"), "input", /format is "bin"/);
});

test("bytes are taken from a buffer and from any view of one", () => {
  const mesh = scene.bake({});
  // Bytes that begin and end within their buffer.
  const inside = (given) => {
    const room = new Uint8Array(given.length + 24).fill(7);
    room.set(given, 8);
    return [room.buffer, 8, given.length];
  };
  const forms = (given) => {
    const shared = new SharedArrayBuffer(given.length);
    new Uint8Array(shared).set(given);
    return [given, Buffer.from(given), given.slice().buffer, shared, new Uint8Array(...inside(given)), new DataView(...inside(given))];
  };
  for (const form of forms(level)) assert.deepEqual(Scene.read("level.obj", form).triangles, scene.triangles);
  for (const form of forms(mesh.toBytes("wmesh"))) assert.equal(NavMesh.fromBytes(form).generation, mesh.generation);
  for (const form of forms(bytes(Plan.example()))) assert.ok(Plan.read("plan.toml", form).bake({}).polygonCount > 0);
  for (const wrong of [undefined, null, 5, "text", {}, [1, 2], new Blob([])]) {
    refused(() => Scene.read("level.obj", wrong), "input", /ArrayBuffer/);
    refused(() => NavMesh.fromBytes(wrong), "input", /ArrayBuffer/);
  }
});

test("triangles that cannot be used are counted and named", () => {
  const floor = [0, 0, 0, 0, 0, 9, 9, 0, 9, 9, 0, 0];
  const vertices = new Float32Array([...floor, NaN, 0, 0, Infinity, 0, 0]);
  const broken = Scene.fromTriangles(vertices, new Uint32Array([0, 1, 2, 0, 2, 3, 4, 1, 2, 5, 1, 2, 0, 0, 1]));
  assert.deepEqual(broken.skipped, { notFinite: 2, degenerate: 1 });
  for (const pipeline of ["voxels", "storeys", "slices"]) {
    const { warnings } = broken.bake({ pipeline }).report;
    assert.ok(warnings.some((text) => /skipped 3 triangles: 2 with a NaN/.test(text)), `${pipeline}: ${warnings}`);
  }
  const nothing = Scene.fromTriangles(new Float32Array(9).fill(NaN), new Uint32Array([0, 1, 2]));
  refused(() => nothing.bake({}), "nothing-walkable", /1 not finite/);
});

test("scenes may lie far away and face either way", () => {
  const floor = [0, 0, 0, 0, 0, 9, 9, 0, 9, 9, 0, 0];
  const [up, down] = [Uint32Array.of(0, 1, 2, 0, 2, 3), Uint32Array.of(0, 2, 1, 0, 3, 2)];
  const mesh = Scene.fromTriangles(new Float32Array(floor), up).bake({});
  const origin = [500000.25, 30.5, 5400000.75];
  const far = floor.map((number, index) => number + origin[index % 3]);
  const same = (scene) => assert.deepEqual(scene.bake({}).toBytes(), mesh.toBytes());
  same(Scene.fromTriangles(new Float64Array(far), up, undefined, { origin }));
  same(Scene.fromTriangles(new Float32Array(floor.map((number) => number * 100)), up, undefined, { scale: 0.01 }));
  const area = (triangles, winding) => Scene.fromTriangles(new Float32Array(floor), triangles, undefined, { winding }).bake({}).area;
  refused(() => area(down, "as_read"), "nothing-walkable", /./);
  for (const winding of ["flipped", "two_sided"]) assert.equal(area(down, winding), mesh.area);
  assert.equal(area(up, "two_sided"), mesh.area);
  const obj = [0, 1, 2, 3].map((at) => `v ${far.slice(3 * at, 3 * at + 3).join(" ")}`).join("\n") + "\nf 1 2 3 4\n";
  same(Scene.read("far.obj", bytes(obj), { origin, winding: "two_sided" }));
  refused(() => area(up, "inside"), "settings", /as_read, flipped, two_sided/);
  refused(() => Scene.fromTriangles(new Float32Array(floor), up, undefined, { origin: [NaN, 0, 0] }), "input", /origin is NaN/);
  refused(() => scene.bake({ max_slope: 95 }), "settings", /max_slope is 95 degrees, but must be at least 0 and below 90/);
});

test("costs of the mesh count without areaCosts", () => {
  // A strip of mud across a floor, with a gap at its far end.
  const [vertices, triangles, areas] = [[], [], []];
  const floor = (x0, z0, x1, z1, area) => {
    const first = vertices.length / 3;
    vertices.push(x0, 0, z0, x0, 0, z1, x1, 0, z1, x1, 0, z0);
    triangles.push(first, first + 1, first + 2, first, first + 2, first + 3);
    areas.push(area, area);
  };
  floor(0, 0, 8, 20, 1);
  floor(8, 0, 12, 16, 2);
  floor(8, 16, 12, 20, 1);
  floor(12, 0, 20, 20, 1);
  const scene = Scene.fromTriangles(new Float32Array(vertices), new Uint32Array(triangles), new Uint8Array(areas));
  const mesh = scene.bake({ agent_radius: 0.3, areas: { 2: { name: "mud", cost: 50 } } });
  const [from, to] = [[4, 0, 4], [16, 0, 4]];
  const around = mesh.findPath(from, to);
  assert.ok(around.length > 20, `${around.length}`);
  assert.deepEqual(mesh.findPath(from, to, {}), around);
  assert.deepEqual(mesh.findPath(from, to, { areaCosts: {} }), around);
  assert.ok(mesh.findPath(from, to, { areaCosts: { mud: 1 } }).length < 13);
});

test("links cost what the options say", () => {
  // A platform across a floor, a metre high: the way leads over its ledges.
  const vertices = [0, 0, 0, 0, 0, 12, 20, 0, 12, 20, 0, 0, 8, 1, 0, 8, 1, 12, 12, 1, 12, 12, 1, 0];
  const triangles = new Uint32Array([0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7]);
  const mesh = Scene.fromTriangles(new Float32Array(vertices), triangles).bake({ agent_radius: 0.3, max_ledge: 1.5, agent_height: 0.8 });
  const [from, to] = [[2, 0, 6], [10, 1, 6]];
  const plain = mesh.findPath(from, to);
  assert.equal(plain.outcome, "complete");
  assert.equal(plain.links.length, 1);
  const { kind } = mesh.links[0];
  const dear = mesh.findPath(from, to, { linkCosts: { [kind]: 5 } });
  assert.ok(Math.abs(dear.cost - plain.cost - 5) < 0.01, `${dear.cost}`);
  assert.equal(mesh.findPath(from, to, { linkCosts: { [kind]: Infinity } }).outcome, "partial");
  const { link } = plain.links[0];
  assert.ok(mesh.links.some(({ id }) => id === link));
  assert.ok(mesh.findPath(from, to, { linkCosts: { [link]: Infinity } }).links.every((taken) => taken.link !== link));
  refused(() => mesh.findPath(from, to, { linkCosts: { leap: 1 } }), "input", /nor a kind of links/);
  refused(() => mesh.findPath(from, to, { linkCosts: { [kind]: -1 } }), "query", /0 or more/);
});

test("links are added, closed and removed", () => {
  const mesh = Scene.fromTriangles(...banks()).bake({ agent_radius: 0.3 });
  const outcome = (radius) => mesh.findPath([2, 0, 6], [18, 0, 6], radius === undefined ? {} : { radius }).outcome;
  assert.equal(outcome(), "partial");
  const id = mesh.addLink([7, 0, 6], [13, 0, 6], { kind: "jump", bothWays: false, extraCost: 2 });
  assert.equal(outcome(), "complete");
  assert.equal(mesh.findPath([18, 0, 6], [2, 0, 6]).outcome, "partial");
  const [link] = mesh.links;
  assert.deepEqual([link.id, link.kind, link.bothWays, link.extraCost], [id, "jump", false, 2]);
  assert.equal(outcome(0.1), "complete");
  assert.equal(mesh.setLinkOpen(id, false), true);
  assert.deepEqual([outcome(), outcome(0.1)], ["partial", "partial"]);
  assert.equal(mesh.setLinkOpen(id, true), true);
  assert.equal(outcome(), "complete");
  assert.equal(mesh.removeLink(id), true);
  assert.deepEqual([outcome(), mesh.removeLink(id), mesh.setLinkOpen(id, true), mesh.removeLink(-1)], ["partial", false, false, false]);
  refused(() => mesh.addLink([7, 0, 6], [70, 0, 6]), "no-mesh-near", /no mesh near the goal/);
  refused(() => mesh.addLink([7, 0, 6], [13, 0, 6], { kind: "leap" }), "input", /nor a kind of links/);
  refused(() => mesh.addLink([7, 0, 6], [13, 0, 6], { extraCost: -1 }), "input", /cost/);
});

test("links of a world live through its updates", () => {
  const scene = Scene.fromTriangles(...banks());
  const world = new World(scene.bounds, { agent_radius: 0.3 }, 32);
  world.addScene(scene);
  world.update();
  const joined = () => world.mesh.findPath([2, 0, 6], [18, 0, 6]).outcome === "complete";
  assert.ok(!joined());
  const id = world.addLink([7, 0, 6], [13, 0, 6], { kind: "door" });
  assert.ok(joined());
  assert.deepEqual(world.mesh.links.map(({ id, kind }) => [id, kind]), [[id, "door"]]);
  assert.ok(world.setLinkOpen(id, false) && !joined());
  assert.ok(world.setLinkOpen(id, true) && joined());
  const crate = world.addObstacle({ box: [[6, 0, 5], [8, 2, 7]] });
  world.update();
  assert.ok(!joined() && world.mesh.links.length === 0);
  world.removeObstacle(crate);
  world.update();
  assert.ok(joined() && world.mesh.links[0].id === id);
  assert.ok(world.removeLink(id) && !joined());
  assert.deepEqual([world.removeLink(id), world.setLinkOpen(id, true)], [false, false]);
  refused(() => world.addLink([7, 0, 6], [70, 0, 6]), "no-mesh-near", /no mesh near the goal/);
  refused(() => world.addLink([7, 0, 6], [13, 0, 6], { extraCost: -1 }), "input", /cost/);
});

test("hints name the unit and the axis", () => {
  const room = (scale, [x, y, z]) => {
    const at = (...corner) => [corner[x] * scale, corner[y] * scale, corner[z] * scale];
    const corners = [at(0, 0, 0), at(0, 0, 8), at(9, 0, 8), at(9, 0, 0), at(0, 3, 0), at(0, 3, 8), at(9, 3, 8), at(9, 3, 0)];
    const quads = [[0, 1, 2, 3], [0, 4, 5, 1], [1, 5, 6, 2], [2, 6, 7, 3], [3, 7, 4, 0]];
    const triangles = quads.flatMap(([a, b, c, d]) => [a, b, c, a, c, d]);
    return Scene.fromTriangles(new Float32Array(corners.flat()), new Uint32Array(triangles));
  };
  assert.deepEqual(room(1, [0, 1, 2]).hints(), []);
  const [unit] = room(1000, [0, 1, 2]).hints();
  assert.equal(unit.option, "scale");
  assert.ok(Math.abs(unit.value - 0.001) < 1e-6, `${unit.value}`);
  assert.match(unit.text, /the size of a building/);
  // The axes in another order keep the sense of turning.
  assert.deepEqual(room(1, [2, 0, 1]).hints().map(({ option, value }) => [option, value]), [["up", "z"]]);
});

test("the mesh is there as arrays", () => {
  const mesh = scene.bake({});
  const { corners, starts, islands, regions, areas } = mesh.polygons;
  assert.equal(starts.length, mesh.polygonCount + 1);
  assert.equal(starts.at(-1), corners.length);
  for (const list of [islands, regions, areas]) assert.equal(list.length, mesh.polygonCount);
  assert.ok(Math.max(...corners) < mesh.vertices.length / 3);
  const ground = mesh.ground(true);
  assert.equal(ground.polygonTriangles.length, mesh.polygonCount + 1);
  assert.equal(ground.polygonTriangles.at(-1) * 3, ground.triangles.length);
  const [minX, , minZ, maxX, , maxZ] = mesh.bounds;
  assert.ok(minX >= 0 && minZ >= 0 && maxX <= 40 && maxZ <= 40);
  assert.ok(Math.abs(mesh.agent.maxSlope - 45) < 1e-4);
  assert.match(mesh.toSvg(), /^<svg/);
  assert.equal(new TextDecoder().decode(mesh.toGlb(false).subarray(0, 4)), "glTF");
  const stages = scene.bakeStages({});
  assert.equal(stages.spans.length, 3 * stages.regions.length);
  assert.ok(stages.contours.length > 0 && stages.rawContours.length > stages.contours.length);
});

test("queries agree with each other", () => {
  const mesh = scene.bake({});
  const [starts, ends] = pairs(mesh, 200);
  const shortest = mesh.distances(starts, ends, { shortest: true });
  const paths = mesh.findPaths(starts, ends, { shortest: true });
  let complete = 0;
  for (let index = 0; index < 200; index += 1) {
    const [from, to] = [starts, ends].map((list) => list.subarray(3 * index, 3 * index + 3));
    const path = mesh.findPath(from, to, { shortest: true });
    assert.equal(path.length, paths.lengths[index]);
    if (path.outcome === "complete") {
      complete += 1;
      assert.equal(path.length, shortest[index]);
      assert.ok(path.length <= mesh.findPath(Array.from(from), Array.from(to)).length * (1 + 1e-5));
      const points = paths.points.subarray(3 * paths.starts[index], 3 * paths.starts[index + 1]);
      assert.deepEqual(points, path.points);
    } else assert.equal(shortest[index], Infinity);
    const ray = mesh.raycast(from, to);
    assert.equal(ray.normal === null, ray.fraction === 1);
    const stepped = mesh.moveAlong(from, to);
    assert.equal(mesh.polygonsAt(stepped)[0] >= 0, true);
    const wall = mesh.nearestWall(from, 3);
    if (wall) assert.ok(wall.distance <= 3);
  }
  assert.ok(complete > 100, `${complete} of 200`);
  assert.deepEqual(mesh.snap(starts).length, starts.length);
  assert.ok(mesh.islandsAt(starts).every((island) => island >= 0 && island < mesh.islandCount));
  assert.ok(Number.isNaN(mesh.snap(new Float32Array([1e5, 0, 0]))[0]));
  const disc = scene.bake({ agent_radius: 0 });
  const [from, to] = [[1, 0, 1], [38, 0, 38]];
  const [thin, wide] = [0, 0.8].map((radius) => disc.findPath(from, to, { radius }));
  assert.equal(wide.outcome, "complete");
  assert.ok(wide.length >= thin.length);
  const short = disc.findPath(from, to, { radius: 0.8, fast: true });
  assert.equal(short.outcome, "complete");
  assert.ok(short.length >= wide.length - 1e-3 && short.length < wide.length * 1.05);
});

test("what cannot be used is named", () => {
  refused(() => scene.bake({ cellsize: 1 }), "settings", /no setting "cellsize"/);
  refused(() => scene.bake({ cell_size: "fine" }), "settings", /cell_size cannot be "fine"/);
  refused(() => scene.bake({ cell_size: -1 }), "settings", /cell_size/);
  refused(() => scene.bake({ pipeline: "magic" }), "settings", /must be one of voxels, storeys, slices/);
  refused(() => scene.bake({ pipeline: "slices", agent_radius: 1 }), "settings", /radius/);
  refused(() => scene.bake({ threads: 4 }), "settings", /threads/);
  refused(() => scene.bake({ max_slope: [45] }), "settings", /max_slope/);
  refused(() => scene.bake(() => 1), "settings", /object/);
  refused(() => Scene.read("level.obj", bytes("f 1 2 3\n")), "file", /level\.obj/);
  refused(() => Scene.read("level.glb", level), "file", /level\.glb/);
  refused(() => Scene.read("level.xyz", bytes("what is this")), "file", /level\.xyz/);
  refused(() => Scene.read("level.obj", level, { up: "x" }), "settings", /up/);
  refused(() => Scene.fromTriangles(new Float32Array(4), new Uint32Array(3)), "input", /three numbers/);
  refused(() => Scene.fromTriangles(new Float32Array(9), new Uint32Array([0, 1, 9])), "input", /./);
  refused(() => Scene.builtin("nowhere"), "input", /no scene "nowhere"/);
  refused(() => Plan.read("plan.svg", bytes("<svg")), "file", /plan\.svg/);
  const wall = Scene.fromTriangles(new Float32Array([0, 0, 0, 1, 0, 0, 0, 9, 0]), new Uint32Array([0, 1, 2]));
  refused(() => wall.bake({}), "nothing-walkable", /./);
  const mesh = scene.bake({});
  refused(() => mesh.findPath([0, 0], [1, 1, 1]), "input", /start has 2 numbers/);
  refused(() => mesh.findPath([NaN, 0, 0], [1, 1, 1]), "input", /finite/);
  refused(() => mesh.findPath([1e4, 0, 0], [1, 1, 1]), "no-mesh-near", /no mesh near the start/);
  refused(() => mesh.findPath([1, 0, 1], [2, 0, 2], { short: true }), "input", /no option "short"/);
  refused(() => mesh.findPath([1, 0, 1], [2, 0, 2], { radius: -1 }), "query", /radius/);
  refused(() => mesh.findPath([1, 0, 1], [2, 0, 2], { fast: true }), "query", /fast needs a radius/);
  refused(() => mesh.findPaths(new Float32Array(6), new Float32Array(3)), "input", /2 starts and 1 ends/);
  refused(() => new World(new Float32Array(5), {}), "input", /3 for each point/);
});

test("arguments of another form are refused, and leave everything as it was", () => {
  const mesh = scene.bake({});
  const [start, end] = [[1, 0, 1], [38, 0, 38]];
  const before = mesh.findPath(start, end);
  const transferred = (array) => {
    structuredClone(array, { transfer: [array.buffer] });
    return array;
  };
  // An array to write to.
  for (const out of [undefined, null, {}, [0, 0, 0], transferred(new Float32Array(9))]) refused(() => mesh.findPathInto(start, end, out), "input", /out must be a Float32Array/);
  assert.ok(mesh.findPathInto(start, end, new Float32Array(0)) > 1);
  // Arrays to read.
  for (const list of [undefined, null, 7, "abc", { x: 1, y: 0, z: 1 }, () => 1]) {
    for (const run of [() => mesh.findPath(list, end), () => mesh.snap(list), () => mesh.addLink(start, list), () => new World(list), () => Scene.fromTriangles([0, 0, 0], list)]) {
      refused(run, "input", /an array of numbers is expected, not /);
    }
  }
  refused(() => mesh.findPath([1n, 0n, 1n], end), "input", /BigInt/);
  refused(() => mesh.findPath({ length: 2 ** 30 }, end), "input", /cannot be read/);
  refused(() => mesh.findPath(transferred(new Float32Array(3)), end), "input", /start has 0 numbers/);
  refused(() => Scene.fromTriangles(transferred(new Float32Array(9)), [0, 1, 2]), "input", /there are 0 vertices/);
  for (const index of [-1, 1.5, NaN, 2 ** 32]) refused(() => Scene.fromTriangles([0, 0, 0], [0, 0, index]), "input", /number 2 of an array is .* whole/);
  refused(() => Scene.fromTriangles([0, 0, 0], [0, 0, 0], [256]), "input", /number 0 of an array is 256, but must be whole, and 0 to 255/);
  for (const bytes of [new Uint8Array(0), transferred(new Uint8Array(8)), transferred(new Uint8Array(8)).buffer]) {
    refused(() => NavMesh.fromBytes(bytes), "input", /bytes is empty/);
    refused(() => Scene.read("level.obj", bytes), "input", /bytes is empty/);
  }
  // Texts, functions, objects of a class.
  for (const text of [undefined, 7, level]) {
    refused(() => Scene.read(text, level), "input", /a text is expected/);
    refused(() => describeSettings(text), "input", /a text is expected/);
  }
  refused(() => scene.bake({}, 7), "input", /progress must be a function/);
  for (const other of [undefined, {}, scene]) refused(() => scene.evaluate(other), "input", /an object of the class NavMesh is expected/);
  // Numbers.
  for (const count of [-1, 1.5, NaN, 1e8]) refused(() => mesh.sample(count, 1), "input", /count is .* whole number from 0 to 10000000/);
  for (const seed of [-1, 1.5, NaN, 2 ** 32]) refused(() => mesh.sample(1, seed), "input", /seed is .* whole number from 0 to 4294967295/);
  for (const scale of [-1, 0, 1.5, NaN, 17]) refused(() => Scene.builtin("terraces", scale), "input", /scale is .* whole number from 1 to 16/);
  for (const scale of [undefined, null]) assert.equal(Scene.builtin("terraces", scale).triangleCount, Scene.builtin("terraces", 1).triangleCount);
  for (const given of ["3", 3n, undefined, null, {}]) {
    for (const run of [() => mesh.sample(given, 1), () => mesh.sample(1, given), () => mesh.nearestWall(start, given), () => mesh.setPolygonFlags(given, 1)]) refused(run, "input", /must be a number, not /);
  }
  for (const flag of [undefined, "false", 0]) refused(() => mesh.setLinkOpen(0, flag), "input", /isOpen must be a boolean, not /);
  refused(() => mesh.ground(), "input", /detail must be a boolean/);
  for (const cells of [-1, 0, 1.5, NaN]) refused(() => new World(scene.bounds, {}, cells), "input", /tileCells is .* whole number/);
  // Options.
  class Shortest {
    get shortest() {
      return true;
    }
  }
  for (const options of [7, () => 1, [], new Float32Array(3), new Set(["shortest"]), new Date(), new Shortest(), Promise.resolve({}), new Map([["shortest", true]])]) refused(() => mesh.findPath(start, end, options), "input", /options must be an object/);
  refused(() => mesh.findPath(start, end, { areaCosts: new Map([["ground", 3]]) }), "input", /areaCosts must be an object/);
  refused(() => scene.bake(new Map([["cell_size", 3]])), "settings", /settings must be an object/);
  // Settings of a module, of another frame, of a test's context.
  for (const plain of [Object.assign(Object.create(null), { shortest: true }), runInNewContext("({ shortest: true })")]) {
    assert.deepEqual(mesh.findPath(start, end, plain), mesh.findPath(start, end, { shortest: true }));
  }
  refused(() => mesh.findPath(start, end, { rises: true }), "query", /rises needs shortest/);
  for (const [size, text] of [[1n, /cell_size cannot be a bigint/], [() => 1, /cell_size cannot be a function/], [new Date(), /cell_size must be an object/]]) {
    for (const run of [() => scene.bake({ cell_size: size }), () => settingsToToml({ cell_size: size })]) refused(run, "settings", text);
  }
  // Vertices.
  for (const vertices of [9, undefined, "abc", new ArrayBuffer(72), [0n, 0n, 0n]]) refused(() => Scene.fromTriangles(vertices, [0, 0, 0]), "input", /an array of numbers/);
  mesh.findPath(start, end, { get shortest() { return mesh.findPath(end, start).outcome === "complete"; } });
  assert.deepEqual(mesh.findPath(start, end), before);
  const link = mesh.addLink(start, end);
  assert.ok(mesh.removeLink(link));
});

test("objects that were freed or are in use say so", () => {
  const [freed, held] = [scene.bake({}), Scene.builtin("terraces")];
  freed.free();
  for (const run of [() => freed.findPath([1, 0, 1], [9, 0, 9]), () => freed.polygonCount, () => freed.free(), () => scene.evaluate(freed)]) {
    refused(run, "input", /the object was freed/);
  }
  refused(() => held.bake({}, () => held.free()), "input", /in use/);
  const world = new World(scene.bounds, {}, 48);
  world.addScene(scene);
  refused(() => world.update(() => world.mesh), "input", /in use: a callback cannot change/);
  assert.ok(world.update().rebuilt > 0);
});

test("settings describe themselves", () => {
  for (const pipeline of ["voxels", "storeys", "slices", "plans"]) {
    const infos = describeSettings(pipeline);
    assert.ok(infos.length > 25);
    const given = {};
    for (const { name, group, about, type, default: value, refused: reason } of infos) {
      assert.ok(about.endsWith("."), name);
      assert.ok(["flag", "number", "count", "choice", "text", "structure"].includes(type.kind));
      if (group !== "jumps" && value !== null && reason === null && type.kind !== "structure") given[name] = value;
    }
    // Defaults, given, change nothing.
    if (pipeline === "plans") {
      const plan = Plan.read("plan.toml", bytes(Plan.example()));
      assert.deepEqual(plan.bake({ join: given.join }).toBytes(), plan.bake({}).toBytes());
    } else if (pipeline === "voxels") {
      assert.deepEqual(scene.bake({ ...given, pipeline }).toBytes(), scene.bake({ pipeline }).toBytes());
    }
  }
});

test("settings become a file for the program", () => {
  const mark = { area: 7, box: [[0, 0, 0], [1, 1, 1]] };
  assert.equal(
    settingsToToml({ areas: { 7: { name: "mud", cost: 2 } }, cell_size: 0.2, marks: [mark, { ...mark, area: 8 }, { ...mark, area: 0 }] }),
    'agent = "recast"\ncell-size = 0.2\n' +
      '[[mark]]\narea = "mud:2"\nbox = [[0, 0, 0], [1, 1, 1]]\n' +
      "# mark 2: its area has no name, and the program knows areas by names\n" +
      '[[mark]]\narea = "blocked"\nbox = [[0, 0, 0], [1, 1, 1]]\n',
  );
  // Lists are whole.
  assert.equal(settingsToToml({ agent: "person", height_classes: [1, 2, 3, 4, 5, 6, 7, 8] }), 'agent = "person"\nheight-classes = [1, 2, 3, 4, 5, 6, 7, 8]\n');
  assert.equal(settingsToToml({ agent_radius: 0.2 }, "plans"), "agent-radius = 0.2\n");
  assert.equal(settingsToToml({ marks: undefined, agent: "person" }), 'agent = "person"\n');
  refused(() => settingsToToml({ cellsize: 1 }), "settings", /no setting "cellsize"/);
  refused(() => settingsToToml({ cell_size: NaN }), "settings", /cell_size is NaN/);
  refused(() => settingsToToml({ jumps: { lenght: 3 } }), "settings", /no setting "lenght"/);
  refused(() => settingsToToml({ marks: [{ area: "blocked", prisma: 3 }] }), "settings", /give one of box/);
  refused(() => settingsToToml({}, "plan"), "input", /front is "plan"/);
});

test("a world follows its obstacles", () => {
  const world = new World(scene.bounds, {}, 48);
  world.addScene(scene);
  assert.ok(world.isDirty);
  assert.ok(world.update().rebuilt > 0);
  const before = world.mesh;
  const obstacle = world.addObstacle({ box: [[4, -2, 30], [9, 3, 34]] });
  const update = world.update();
  assert.ok(update.rebuilt > 0 && update.polygons === world.mesh.polygonCount);
  assert.ok(world.mesh.area < before.area - 10);
  assert.ok(world.removeObstacle(obstacle));
  assert.ok(!world.removeObstacle(obstacle));
  world.update();
  assert.deepEqual(world.mesh.toBytes(), before.toBytes());
  const mark = world.addMark({ cylinder: [[20, -2, 30], 3, 5], area: 7 });
  world.update();
  assert.ok(world.mesh.polygons.areas.includes(7));
  assert.ok(world.removeMark(mark));
  refused(() => world.addObstacle({ ball: 3 }), "settings", /give one of box/);
  refused(() => world.addObstacle({ cylinder: [[1, 0, 1], -1, 2] }), "settings", /cylinder radius is -1/);
  refused(() => world.addObstacle({ box: [[1, 0, 1], [2, 2, 2]] }, "false"), "input", /walkable must be a boolean/);
  refused(() => new World(scene.bounds, { enclosed: "remove" }), "settings", /enclosed/);
});

const planLength = (points) => {
  let sum = 0;
  for (let at = 3; at < points.length; at += 3) sum += Math.hypot(points[at] - points[at - 3], points[at + 2] - points[at - 1]);
  return sum;
};

test("bakes and paths are the native ones", { skip }, () => {
  const here = folder();
  const file = join(here, "level.obj");
  writeFileSync(file, level);
  for (const settings of [
    {},
    { cell_size: 0.2, level_height: 0.1, agent_radius: 0.4, max_slope: 50, partition: "watershed" },
    { tile_cells: 64, jumps: { max_length: 3 } },
    { pipeline: "storeys", agent_radius: 0.3, keep: "largest" },
    { pipeline: "slices", cell_size: 0.1, level_height: 0.05 },
    { corners: "fewest_notches", max_vertices: 6, enclosed: "remove", height_detail: false },
    {
      agent_radius: 0.3,
      areas: { 2: { name: "deep \"mud\"", cost: 3.5 }, 3: { name: "a:b" } },
      marks: [
        { area: 2, box: [[4, -2, 30], new Float32Array([9, 3, 34])] },
        { area: "blocked", cylinder: [[30, -1, 30], 2, 4] },
        { area: "a:b", prism: [[[10, 4], [14, 4], [16, 6], [14, 8], [12, 8], [11, 7], [10, 6]], [-1, 3]] },
        { area: 0, mesh: [[[20, -2, 20], [24, -2, 20], [20, -2, 24], [20, 4, 20]], [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]] },
      ],
    },
  ]) {
    const mesh = scene.bake(settings);
    const [config, native] = [join(here, "settings.toml"), join(here, "native.wmesh")];
    writeFileSync(config, settingsToToml(settings));
    waymesh("build", file, "-o", native, "--config", config);
    const baked = readFileSync(native);
    assert.deepEqual(Buffer.from(mesh.toBytes()), baked, JSON.stringify(settings));
    const places = mesh.sample(40, 3);
    for (let index = 0; index < 20; index += 1) {
      const [from, to] = [places.subarray(6 * index, 6 * index + 3), places.subarray(6 * index + 3, 6 * index + 6)];
      for (const shortest of [false, true]) {
        const words = ["path", native, `--from=${from.join(",")}`, `--to=${to.join(",")}`];
        const found = answer(...words, ...(shortest ? ["--shortest", "--no-rises"] : []));
        const path = mesh.findPath(from, to, { shortest });
        assert.equal(found.outcome, path.outcome);
        // The program adds points where the ground bends: in plan both are one line.
        assert.ok(Math.abs(found.plan_length - planLength(path.points)) < 1e-3, `${from} to ${to}`);
      }
    }
  }
});

test("floor plans are the native ones", { skip }, () => {
  const here = folder();
  const [file, native] = [join(here, "plan.toml"), join(here, "plan.wmesh")];
  writeFileSync(file, Plan.example());
  waymesh("plan", file, "-o", native);
  const mesh = Plan.read("plan.toml", bytes(Plan.example())).bake({});
  assert.deepEqual(Buffer.from(mesh.toBytes()), readFileSync(native));
});

test("memory is given back", () => {
  const memory = () => process.memoryUsage().arrayBuffers;
  let first = 0;
  for (let round = 0; round < 12; round += 1) {
    const again = Scene.read("level.obj", level);
    const mesh = again.bake({});
    mesh.findPath([1, 0, 1], [38, 0, 38]);
    mesh.free();
    again.free();
    if (round === 3) first = memory();
  }
  assert.ok(memory() <= first + (2 << 20), `${first} bytes, then ${memory()}`);
});
