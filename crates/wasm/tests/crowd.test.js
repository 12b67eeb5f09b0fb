// Crowds: beside the walks whose checksums are committed, and what else they do.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { Crowd, Scene, World } from "../pkg/node.js";
import { banks, levelObj } from "./level.js";
import { refused } from "./refused.js";

const testdata = fileURLToPath(new URL("../../../testdata", import.meta.url));
const scene = Scene.read("level.obj", new TextEncoder().encode(levelObj()));
const mesh = scene.bake({ agent_radius: 0.3 });

const AGENTS = 40;
const STATUS = { idle: 0, walking: 2, arrived: 5, blocked: 6 };

/** FNV-1a of the bits of all positions. */
function checksum(positions) {
  let sum = 0x811c9dc5;
  for (const byte of new Uint8Array(positions.buffer, positions.byteOffset, positions.byteLength)) {
    sum = Math.imul(sum ^ byte, 0x01000193) >>> 0;
  }
  return sum.toString(16).padStart(8, "0");
}

/** The walk of the native test, as a page of text. */
function walk(mesh, settings) {
  const places = mesh.sample(2 * AGENTS, 7);
  const place = (index) => places.subarray(3 * index, 3 * index + 3);
  const crowd = new Crowd(mesh, settings);
  for (let index = 0; index < AGENTS; index += 1) crowd.add(place(index), { radius: index % 4 === 3 ? 0.7 : 0.3 });
  for (const agent of crowd.agents) crowd.setTarget(agent, place(AGENTS + agent));
  let page = "";
  for (let step = 1; step <= 600; step += 1) {
    crowd.step(1 / 30);
    if (step % 150 !== 0) continue;
    const arrived = crowd.statuses.filter((status) => status === STATUS.arrived).length;
    page += `  step ${step}: ${arrived} arrived, FNV-1a ${checksum(crowd.positions)}\n`;
  }
  crowd.free();
  return page;
}

test("committed walks are walked to the last bit", () => {
  let page = "";
  for (const level of ["court.obj", "hills.obj"]) {
    const mesh = Scene.read(level, readFileSync(`${testdata}/levels/${level}`)).bake({});
    for (const [name, settings] of [["plain", {}], ["clearance", { clearance: true }]]) {
      page += `${level} ${name}\n${walk(mesh, settings)}`;
    }
  }
  const committed = readFileSync(`${testdata}/snapshots/walks.snap`, "utf8").split("---\n").at(-1);
  assert.equal(page.trimEnd(), committed.trimEnd());
});

test("agents arrive, do not overlap, and are told as arrays", () => {
  const crowd = new Crowd(mesh);
  const places = mesh.sample(60, 5);
  for (let index = 0; index < 30; index += 1) crowd.add(places.subarray(3 * index, 3 * index + 3), { radius: 0.25 });
  assert.deepEqual([...crowd.agents], Array.from({ length: 30 }, (_, index) => index));
  assert.equal(crowd.count, 30);
  for (const agent of crowd.agents) crowd.setTarget(agent, places.subarray(3 * (30 + agent), 3 * (30 + agent) + 3));
  let [walked, overlaps] = [0, 0];
  for (let step = 0; step < 1800; step += 1) {
    crowd.step(1 / 30);
    const { positions, statuses } = crowd;
    walked += statuses.filter((status) => status === STATUS.walking).length;
    for (let one = 0; one < 30; one += 1) {
      for (let other = 0; other < one; other += 1) {
        const [x, y, z] = [0, 1, 2].map((axis) => positions[3 * one + axis] - positions[3 * other + axis]);
        if (Math.abs(y) < 1 && Math.hypot(x, z) < 0.45) overlaps += 1;
      }
    }
  }
  assert.ok(walked > 1000, `${walked}`);
  assert.ok(overlaps <= 30 * 1800 / 1000, `${overlaps} overlaps`);
  const done = crowd.statuses.filter((status) => [STATUS.arrived, STATUS.blocked].includes(status)).length;
  assert.ok(done >= 29, `${done} of 30`);
  const state = crowd.agent(3);
  assert.deepEqual(state.position, crowd.positions.subarray(9, 12));
  assert.deepEqual(state.velocity, crowd.velocities.subarray(9, 12));
  assert.match(state.status, /^(arrived|blocked)$/);
  assert.ok(crowd.remove(3) && !crowd.remove(3));
  assert.equal(crowd.positions.length, 29 * 3);
  assert.ok(!crowd.agents.includes(3));
  assert.equal(crowd.add(places.subarray(0, 3)), 30);
});

test("an agent alone walks the path that a query finds", () => {
  const [from, to] = [[1, 0, 1], [38, 0, 38]];
  const crowd = new Crowd(mesh);
  const agent = crowd.add(from, { radius: 0.3, maxSpeed: 2 });
  assert.equal(crowd.agent(agent).status, "idle");
  assert.equal(crowd.path(agent).length, 0);
  crowd.setTarget(agent, to);
  crowd.step(0.05);
  const path = mesh.findPath(from, to);
  assert.ok(Math.abs(crowd.agent(agent).remaining - path.length) < 0.3);
  assert.deepEqual(crowd.path(agent).subarray(-3), path.points.subarray(-3));
  let metres = 0;
  let last = crowd.positions;
  for (let step = 0; step < 2000 && crowd.statuses[0] !== STATUS.arrived; step += 1) {
    crowd.step(0.05);
    const now = crowd.positions;
    metres += Math.hypot(now[0] - last[0], now[2] - last[2]);
    last = now;
  }
  assert.equal(crowd.agent(agent).status, "arrived");
  assert.ok(metres > 0.97 * path.length - 1 && metres < 1.1 * path.length, `${metres} of ${path.length}`);
  crowd.setTarget(agent, from);
  crowd.steer(0.05);
  assert.deepEqual(crowd.positions, last);
  assert.ok(Math.hypot(...crowd.velocities) > 0);
  crowd.setPosition(agent, [2, 0, 2]);
  assert.ok(Math.hypot(crowd.positions[0] - 2, crowd.positions[2] - 2) < 0.3);
  crowd.stop(agent);
  assert.equal(crowd.agent(agent).status, "idle");
});

test("costly ground is walked round", () => {
  const ground = Scene.fromTriangles(new Float32Array([0, 0, 0, 20, 0, 0, 20, 0, 20, 0, 0, 20]), new Uint32Array([0, 2, 1, 0, 3, 2]));
  const marks = [{ box: [[8, -1, -1], [12, 1, 15]], area: 2 }];
  const marked = ground.bake({ areas: { 2: { name: "mud", cost: 20 } }, marks });
  const furthest = (settings) => {
    const crowd = new Crowd(marked, settings);
    crowd.setTarget(crowd.add([2, 0, 2]), [18, 0, 2]);
    let most = 0;
    for (let step = 0; step < 1500 && crowd.statuses[0] !== STATUS.arrived; step += 1) {
      crowd.step(1 / 30);
      most = Math.max(most, crowd.positions[2]);
    }
    assert.equal(crowd.agent(0).status, "arrived");
    return most;
  };
  assert.ok(furthest({}) < 3);
  assert.ok(furthest({ areaCosts: {} }) > 14.5);
  assert.ok(furthest({ areaCosts: { mud: 1 } }) < 3);
  assert.ok(furthest({ areaCosts: { 2: 1.01 } }) < 3);
});

test("a crowd follows a world, or the mesh that it is given", () => {
  const world = new World(scene.bounds, {}, 48);
  world.addScene(scene);
  world.update();
  const crowd = Crowd.inWorld(world);
  crowd.setTarget(crowd.add([2, 0, 32]), [12, 0, 32]);
  for (let step = 0; step < 20; step += 1) crowd.step(0.05);
  const straight = crowd.agent(0).remaining;
  world.addObstacle({ box: [[5, -2, 29], [7, 3, 35]] });
  world.update();
  crowd.step(0.05);
  assert.ok(crowd.agent(0).remaining > straight + 1, `${crowd.agent(0).remaining} after ${straight}`);
  const other = new Crowd(world.mesh);
  other.setTarget(other.add([2, 0, 32]), [12, 0, 32]);
  other.step(0.05);
  const round = other.agent(0).remaining;
  other.walkOn(scene.bake({}));
  other.step(0.05);
  assert.ok(other.agent(0).remaining < round - 1);
});

test("a lift takes its time, and few at once", () => {
  const mesh = Scene.fromTriangles(...banks()).bake({ agent_radius: 0.3 });
  const link = mesh.addLink([7, 0, 6], [13, 0, 6], { kind: "lift" });
  for (const capacity of [undefined, 1]) {
    const crowd = new Crowd(mesh);
    crowd.setLinkRule(link, { seconds: 8, capacity });
    for (const z of [4, 6, 8]) crowd.setTarget(crowd.add([4, 0, z]), [16, 0, z]);
    let [most, rides] = [0, 0];
    for (let step = 0; step < 600; step += 1) {
      crowd.step(0.1);
      const riding = crowd.statuses.filter((status) => status === 4).length;
      [most, rides] = [Math.max(most, riding), rides + riding];
    }
    assert.ok(crowd.statuses.every((status) => status === STATUS.arrived));
    assert.ok(capacity === undefined ? most > 1 : most === capacity, `${most}`);
    assert.ok(rides >= 230 && rides <= 250, `${rides}`);
  }
});

test("what cannot be used is named", () => {
  const crowd = new Crowd(mesh);
  const refusal = Object.assign(new Error("of a getter"), { name: "WaymeshError", kind: "input" });
  refused(() => crowd.setLinkRule(0, { capacity: 0 }), "settings", /capacity is 0/);
  refused(() => crowd.setLinkRule(77, { capacity: 2 }), "input", /no link 77 on the mesh/);
  refused(() => new Crowd(mesh, { horizon: 0 }), "settings", /horizon is 0/);
  refused(() => new Crowd(mesh, { stuckAfter: -1 }), "settings", /^stuckAfter is -1/);
  refused(() => new Crowd(mesh, { stuck_after: 1 }), "input", /no option "stuck_after"/);
  refused(() => new Crowd(mesh, { get horizon() { throw refusal; } }), "input", /of a getter/);
  refused(() => crowd.add([1, 0, 1], { includeFlags: 1 }), "query", /includeFlags and excludeFlags need flags/);
  refused(() => new Crowd(mesh, { maxNeighbours: 1.5 }), "input", /maxNeighbours must be a whole number/);
  refused(() => new Crowd(mesh, { areaCosts: { lava: 3 } }), "input", /no area named "lava"/);
  refused(() => new Crowd(mesh, { speed: 3 }), "input", /no option "speed"/);
  refused(() => Crowd.inWorld(new World(scene.bounds, {}), { clearance: true }), "settings", /clearance/);
  refused(() => crowd.add([1, 0]), "input", /position has 2 numbers/);
  refused(() => crowd.add([1e5, 0, 0]), "no-mesh-near", /no mesh near/);
  refused(() => crowd.add([1, 0, 1], { radius: -1 }), "settings", /radius is -1/);
  refused(() => crowd.add([1, 0, 1], { priority: 256 }), "settings", /priority is 256/);
  refused(() => crowd.setTarget(7, [1, 0, 1]), "input", /no agent 7/);
  refused(() => crowd.stop(0), "input", /no agent 0/);
  refused(() => crowd.step(-1), "settings", /seconds is -1/);
  assert.equal(crowd.count, 0);
  crowd.step(0.1);
  crowd.add([1, 0, 1]);
  for (const agent of [NaN, -1, 0.5, 2 ** 32]) {
    for (const run of [() => crowd.agent(agent), () => crowd.path(agent), () => crowd.setTarget(agent, [9, 0, 9]), () => crowd.stop(agent)]) refused(run, "input", /there is no agent/);
    assert.equal(crowd.remove(agent), false);
  }
  // WebAssembly would make agent 0 of these.
  for (const agent of [undefined, null, "0", "", [], 0n, true]) {
    for (const run of [() => crowd.agent(agent), () => crowd.stop(agent), () => crowd.remove(agent)]) refused(run, "input", /agent must be a number, not /);
  }
  for (const seconds of ["0.1", 1n, undefined]) refused(() => crowd.step(seconds), "input", /seconds must be a number/);
  assert.equal(crowd.agent(0).status, "idle");
});
