// The parts of the module: what the core does without them, and what says that it needs one.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { partNames } from "../pkg/node.js";
import { levelObj } from "./level.js";

const pkg = new URL("../pkg/", import.meta.url);

/** Runs a script where parts are loaded as in a page: by nobody. */
function inPage(script) {
  const head = `
    import assert from "node:assert/strict";
    import { readFileSync } from "node:fs";
    import * as waymesh from ${JSON.stringify(new URL("index.js", pkg).href)};
    import { addParts } from ${JSON.stringify(new URL("parts.js", pkg).href)};
    const read = (name) => new WebAssembly.Module(readFileSync(new URL(name, ${JSON.stringify(pkg.href)})));
    const part = (name) => ({ [name]: read("waymesh_" + name + ".wasm") });
    waymesh.initSync(read("waymesh_bg.wasm"));
    const { Crowd, NavMesh, Plan, Scene, TileBaker, World, describeSettings, settingsToToml } = waymesh;
    const [vertices, triangles] = ${JSON.stringify(arrays())};
    const scene = Scene.fromTriangles(Float32Array.from(vertices), Uint32Array.from(triangles));
  `;
  execFileSync(process.execPath, ["--input-type=module", "-e", head + script], { stdio: ["ignore", "inherit", "inherit"] });
}

function arrays() {
  const lines = levelObj().split("\n").map((line) => line.split(" "));
  const vertices = lines.filter(([kind]) => kind === "v").flatMap(([, ...numbers]) => numbers.map(Number));
  return [vertices, lines.filter(([kind]) => kind === "f").flatMap(([, ...corners]) => corners.map((corner) => Number(corner) - 1))];
}

test("the core bakes, asks and saves without any part", () => {
  inPage(`
    for (const settings of [{}, { partition: "watershed" }, { partition: "monotone", decomposition: "greedy" }, { corners: "by_width", max_vertices: 6 },
      { pipeline: "tiles", tile_cells: 48, jumps: { max_length: 3 }, enclosed: "remove", keep: "largest" }, { decomposition: "hertel_mehlhorn", height_detail: false,
        max_ledge: 2, height_classes: [2, 3], marks: [{ area: "blocked", box: [[4, -2, 4], [6, 3, 6]] }], validate_stages: true }]) {
      const mesh = NavMesh.fromBytes(scene.bake(settings).toBytes("wmrun"));
      const places = mesh.sample(40, 1);
      for (let at = 0; at + 6 <= places.length; at += 6) {
        const [from, to] = [places.subarray(at, at + 3), places.subarray(at + 3, at + 6)];
        for (const options of [undefined, { shortest: true, searched: true }, { areaCosts: { 1: 2 }, crossPoints: true }]) mesh.findPath(from, to, options);
        mesh.raycast(from, to);
        mesh.moveAlong(from, to);
        mesh.nearestWall(from, 3);
      }
      mesh.findPaths(places.subarray(0, 30), places.subarray(30, 60));
      mesh.distances(places.subarray(0, 30), places.subarray(30, 60));
      mesh.islandsAt(mesh.snap(places));
      void [mesh.ground(true), mesh.ground(false), mesh.polygons, mesh.links, mesh.areas, mesh.walls, mesh.generation];
    }
    void [scene.bakeStages({}), scene.bounds, Scene.builtins(), Plan.example(), settingsToToml({ cell_size: 0.2 })];
    for (const pipeline of ["voxels", "tiles", "storeys", "slices", "plans"]) describeSettings(pipeline);
    const baker = new TileBaker(scene, { tile_cells: 64 });
    assert.equal(baker.merge([...Array(baker.count).keys()].map((tile) => baker.bake(tile))).generation, scene.bake({}).generation);
    assert.throws(() => scene.bake({ cell_size: -1 }), /cell_size/);
    assert.throws(() => NavMesh.fromBytes(Uint8Array.of(1, 2, 3)));
    assert.throws(() => Scene.fromTriangles(new Float32Array(9), Uint32Array.of(0, 1, 2)).bake({}), /./);
  `);
});

test("what needs a part says so, and works when it is there", () => {
  inPage(`
    const mesh = scene.bake({});
    const bytes = new TextEncoder().encode(Plan.example());
    const uses = {
      files: () => mesh.toSvg().length + mesh.toGlb(true).length + Scene.read("a.obj", new TextEncoder().encode("v 0 0 0\\nv 9 0 0\\nv 0 0 9\\nf 1 3 2\\n")).triangleCount,
      storeys: () => scene.bake({ pipeline: "storeys" }).polygonCount,
      slices: () => scene.bake({ pipeline: "slices" }).polygonCount,
      plans: () => Plan.read("plan.toml", bytes).bake({}).polygonCount,
      discs: () => mesh.findPath([4, 1, 6], [35, 1, 34], { radius: 0.8 }).points.length,
      worlds: () => {
        const world = new World(scene.bounds, {}, 48);
        world.addScene(scene);
        world.addObstacle({ box: [[4, -2, 30], [9, 3, 34]] });
        return world.update().polygons;
      },
      crowd: () => {
        const crowd = new Crowd(mesh);
        crowd.setTarget(crowd.add([4, 1, 6]), [35, 1, 34]);
        for (let step = 0; step < 20; step += 1) crowd.step(0.1);
        return crowd.positions.length;
      },
      evaluate: () => scene.evaluate(mesh, { samples: 2000, pairs: 50 }).figures.polygons,
      why: () => scene.why([4, 1, 6], null, {}).causes.length + 1,
      scenes: () => Scene.builtin("terraces").triangleCount,
    };
    assert.deepEqual(Object.keys(uses).toSorted(), waymesh.partNames.toSorted());
    for (const [name, use] of Object.entries(uses)) {
      assert.throws(use, (error) => error.name === "WaymeshError" && error.kind === "part" && error.message.includes('loadParts("' + name + '")'), name);
      addParts(part(name));
      assert.ok(use() > 0, name);
    }
    const disc = new Crowd(mesh, { clearance: true });
    disc.setTarget(disc.add([4, 1, 6], { radius: 0.8 }), [35, 1, 34]);
    for (let step = 0; step < 20; step += 1) disc.step(0.1);
    await assert.rejects(waymesh.loadParts("nothing"), /there is no part "nothing"; there are files/);
  `);
});

test("no module holds the texts of panics", () => {
  const modules = readdirSync(pkg).filter((name) => name.endsWith(".wasm"));
  assert.equal(modules.length, partNames.length + 2);
  for (const name of modules) {
    const text = readFileSync(new URL(name, pkg)).toString("latin1");
    for (const panic of ["panicked at", "called `Option", "called `Result", "index out of bounds", "attempt to divide", "attempt to add", "slice index starts", "assertion `", "already borrowed", "/src/", ".rs\0", "memory allocation of"]) {
      assert.ok(!text.includes(panic), `${name} holds ${JSON.stringify(panic)}`);
    }
  }
});

test("all parts are described to TypeScript", () => {
  const types = readFileSync(fileURLToPath(new URL("parts.d.ts", pkg)), "utf8");
  for (const name of partNames) assert.match(types, new RegExp(`\\| "${name}"`));
});
