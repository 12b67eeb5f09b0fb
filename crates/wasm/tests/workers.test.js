// Bakes in workers of Node: alone, and tiles over several.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { BakeWorker, BakeWorkers, NavMesh, Plan, Scene, TileBaker, settingsToToml } from "../pkg/node.js";
import { serve } from "../pkg/serve.js";
import { levelObj } from "./level.js";
import { folder, skip, waymesh } from "./native.js";
import { refused } from "./refused.js";

const bytes = new TextEncoder().encode(levelObj());
const scene = () => ({ name: "level.obj", bytes });
const whole = { cell_size: 0.2, level_height: 0.1, jumps: { max_length: 3 } };
const settings = { ...whole, tile_cells: 48 };
const untiled = () => Scene.read("level.obj", bytes).bake(settings).toBytes("wmesh");

test("a worker bakes scenes and floor plans", async () => {
  const worker = new BakeWorker();
  const heard = new Set();
  const { bytes: mesh, report } = await worker.bake({ scene: scene(), settings: { cell_size: 0.25 } }, (stage) => heard.add(stage));
  assert.equal(NavMesh.fromBytes(mesh).generation, Scene.read("level.obj", bytes).bake({ cell_size: 0.25 }).generation);
  assert.ok(report.polygons > 10 && heard.size > 4);
  const plan = { name: "plan.toml", bytes: new TextEncoder().encode(Plan.example()) };
  assert.ok(NavMesh.fromBytes((await worker.bake({ plan })).bytes).polygonCount > 3);
  await assert.rejects(worker.bake({ scene: scene(), settings: { cell_size: -1 } }), { name: "WaymeshError", kind: "settings" });
  const long = worker.bake({ scene: scene(), settings: { cell_size: 0.01 } });
  assert.ok(worker.isBusy);
  worker.cancel();
  await assert.rejects(long, { kind: "cancelled" });
  const ending = new AbortController();
  const aborted = worker.bake({ scene: scene(), settings: { cell_size: 0.01 } }, undefined, { signal: ending.signal });
  ending.abort();
  await assert.rejects(aborted, { kind: "cancelled" });
  await assert.rejects(worker.bake({ scene: scene() }, undefined, { signal: ending.signal }), { kind: "cancelled" });
  await assert.rejects(worker.bake({}), { name: "WaymeshError", kind: "input", message: /neither a scene nor a plan/ });
  // A callback ends a bake as that of `Scene.bake` does.
  for (const one of [worker, new BakeWorkers(1)]) await assert.rejects(one.bake({ scene: scene(), settings }, () => false), { kind: "cancelled" });
  assert.ok(NavMesh.fromBytes((await worker.bake({ scene: { builtin: "terraces" }, format: "wmesh" })).bytes).polygonCount > 3);
  worker.close();
});

test("tiles over several workers are the bytes of one, and of the native program", async () => {
  const expected = untiled();
  assert.deepEqual(Scene.read("level.obj", bytes).bake(whole).toBytes("wmesh"), expected);
  for (const count of [1, 2, 3]) {
    const workers = new BakeWorkers(count);
    assert.equal(workers.count, count);
    const shares = [];
    const made = await workers.bake({ scene: scene(), settings, format: "wmesh" }, (stage, share) => void (stage === "tiles" && shares.push(share)));
    assert.deepEqual(made.bytes, expected, `${count} workers`);
    assert.ok(made.report.tiles > 4 && shares.length === made.report.tiles && shares.at(-1) === 1);
    // The same workers again.
    const { vertices, triangles } = Scene.read("level.obj", bytes);
    assert.deepEqual((await workers.bake({ scene: { vertices, triangles }, settings, format: "wmesh" })).bytes, expected);
    workers.close();
  }
  if (skip) return;
  const here = folder();
  const [level, config, native] = ["level.obj", "settings.toml", "native.wmesh"].map((name) => join(here, name));
  writeFileSync(level, bytes);
  writeFileSync(config, settingsToToml(whole));
  waymesh("build", level, "-o", native, "--config", config);
  assert.deepEqual(Buffer.from(expected), readFileSync(native));
});

test("a signal ends its own job, and a job that cannot be sent is none", async () => {
  for (const workers of [new BakeWorker(), new BakeWorkers(2)]) {
    const ending = new AbortController();
    const replaced = workers.bake({ scene: scene(), settings }, undefined, { signal: ending.signal });
    const newest = workers.bake({ scene: scene(), settings, format: "wmesh" });
    ending.abort();
    await assert.rejects(replaced, { kind: "cancelled" });
    assert.deepEqual((await newest).bytes, untiled());
    for (const job of [null, undefined, 7, { scene: { ...scene(), options: () => 1 } }]) {
      await assert.rejects(workers.bake(job), { name: "WaymeshError", kind: "input" });
      assert.equal(workers.isBusy, false);
    }
    await assert.rejects(workers.bake({ scene: scene(), settings }, () => { throw new TypeError("mine"); }), { message: "mine" });
    assert.deepEqual((await workers.bake({ scene: scene(), settings, format: "wmesh" })).bytes, untiled());
    workers.close();
  }
});

test("jobs with parts that nobody reads are refused", async () => {
  const [one, many] = [new BakeWorker(), new BakeWorkers(1)];
  for (const workers of [one, many]) {
    for (const [words, message] of [
      [[{ scene: scene(), setings: {} }], 'job: there is no option "setings"'],
      [[{ scene: { ...scene(), option: {} } }], 'scene: there is no option "option"'],
      [[{ scene: { builtin: "terraces", scael: 2 } }], 'scene: there is no option "scael"'],
      [[{ scene: 7 }], "scene must be an object of names and values"],
      [[{ scene: scene() }, 7], "progress must be a function"],
      [[{ scene: scene() }, undefined, { singal: null }], 'options: there is no option "singal"'],
      [[{ scene: scene() }, undefined, { signal: new AbortController() }], "options: signal must be an AbortSignal"],
    ]) {
      await assert.rejects(workers.bake(...words), { name: "WaymeshError", kind: "input", message });
      assert.equal(workers.isBusy, false);
    }
  }
  const plan = { name: "plan.toml", bytes: new TextEncoder().encode(Plan.example()) };
  await assert.rejects(one.bake({ scene: scene(), plan }), { kind: "input", message: "the job has a scene and a plan" });
  await assert.rejects(many.bake({ plan }), { kind: "input", message: 'job: there is no option "plan"' });
});

test("a module that cannot be loaded says so, and is loaded again for the next job", async () => {
  const heard = [];
  let hear;
  serve({ init: () => Promise.reject(new TypeError("no network")), listen: (run) => (hear = run), send: (message) => heard.push(message) });
  await hear({ module: null });
  await hear({ id: 1, kind: "bake", job: { scene: scene() } });
  assert.deepEqual(heard, [{ id: 1, error: { message: "the module cannot be loaded: no network", kind: "not-loaded", isFatal: true } }]);
});

test("a worker whose module failed is replaced", async () => {
  // What `serve.js` answers after a trap.
  const made = [];
  const make = () => {
    let hear;
    const worker = {
      addEventListener: (kind, run) => kind === "message" && (hear = run),
      postMessage: ({ id }) => id === undefined || queueMicrotask(() => hear({ data: { id, error: { message: "unreachable", kind: "bake", isFatal: true } } })),
      terminate: () => (worker.isEnded = true),
    };
    made.push(worker);
    return worker;
  };
  const worker = new BakeWorker(null, make);
  for (const count of [1, 2]) {
    await assert.rejects(worker.bake({ scene: scene() }), { name: "WaymeshError", kind: "bake" });
    assert.ok(made.length === count && made[count - 1].isEnded && !worker.isBusy);
  }
});

test("a worker that cannot be made or understood says so", async () => {
  const listeners = {};
  const silent = { addEventListener: (kind, run) => (listeners[kind] = run), postMessage: () => {}, terminate: () => {} };
  const refusing = () => {
    throw new TypeError("not from this origin");
  };
  for (const made of [(make) => new BakeWorker(null, make), (make) => new BakeWorkers(2, null, make)]) {
    await assert.rejects(made(refusing).bake({ scene: scene() }), { name: "WaymeshError", kind: "bake", message: "the worker failed: not from this origin" });
    for (const [kind, event, message] of [["error", {}, /cannot be started/], ["error", { message: "no such file" }, /no such file/], ["messageerror", {}, /answer cannot be read/]]) {
      const worker = made(() => silent);
      const job = worker.bake({ scene: scene() });
      listeners[kind](event);
      await assert.rejects(job, { name: "WaymeshError", kind: "bake", message });
      assert.equal(worker.isBusy, false);
    }
  }
});

test("what is called before the module is loaded says so", async () => {
  for (const file of ["waymesh.js", "queries.js"]) {
    const unloaded = await import(`../pkg/${file}?unloaded`);
    refused(() => unloaded.NavMesh.fromBytes(new Uint8Array(8)), "not-loaded", /await init\(\)/);
  }
});

test("a pool refuses, fails and is ended with a sentence", async () => {
  assert.throws(() => new BakeWorkers(0), /count is 0/);
  const workers = new BakeWorkers(2);
  await assert.rejects(workers.bake({ scene: scene(), settings: { partition: "watershed" } }), { kind: "settings" });
  await assert.rejects(workers.bake({ scene: { name: "broken.obj", bytes: bytes.slice(0, 5) } }), { kind: "file" });
  const long = workers.bake({ scene: scene(), settings: { cell_size: 0.01 } });
  assert.ok(workers.isBusy);
  const next = workers.bake({ scene: scene(), settings, format: "wmesh" });
  await assert.rejects(long, { kind: "cancelled" });
  assert.deepEqual((await next).bytes, untiled());
  workers.close();
});

test("tiles of something else are refused", () => {
  const level = Scene.read("level.obj", bytes);
  const baker = new TileBaker(level, settings);
  const tiles = [...Array(baker.count).keys()].map((tile) => baker.bake(tile));
  assert.ok(baker.columns > 1 && baker.count % baker.columns === 0);
  assert.deepEqual(baker.merge(tiles.toReversed()).toBytes("wmesh"), untiled());
  refused(() => baker.merge(tiles.slice(1)), "bake", /is missing/);
  refused(() => new TileBaker(level, { ...settings, cell_size: 0.3 }).merge(tiles), "bake", /other settings/);
  refused(() => baker.merge([...tiles.slice(1), tiles[0].slice(0, -1)]), "bake", /damaged/);
  refused(() => baker.bake(baker.count), "input", /there is no tile/);
  refused(() => baker.merge([1, 2]), "input", /list of arrays/);
  refused(() => new TileBaker(level, { pipeline: "slices" }), "settings", /pipeline/);
});
