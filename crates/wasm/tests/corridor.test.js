// Corridors, searches in slices, and flags of polygons.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Corridor, Crowd, NavMesh, Scene, SlicedPath, World } from "../pkg/node.js";
import { levelObj } from "./level.js";

const scene = Scene.read("level.obj", new TextEncoder().encode(levelObj()));
const mesh = scene.bake({});
const [start, end] = mesh.snap([1, 0, 1, 38, 0, 38]).reduce(([from, to], number, at) => (at < 3 ? [[...from, number], to] : [from, [...to, number]]), [[], []]);

/** The length of a path in plan. */
function planLength(points) {
  let sum = 0;
  for (let at = 3; at < points.length; at += 3) sum += Math.hypot(points[at] - points[at - 3], points[at + 2] - points[at - 1]);
  return sum;
}

test("a corridor leads its agent to a goal that moves", () => {
  const corridor = new Corridor(mesh, { shortest: true });
  assert.equal(corridor.moveStart(start), "none");
  assert.equal(corridor.start.length, 0);
  assert.equal(corridor.plan(start, end), "planned");
  assert.deepEqual(corridor.path, mesh.findPath(start, end, { shortest: true }));
  let goal = end;
  let steps = 0;
  const changes = new Set();
  for (; steps < 2000 && corridor.path.length > 0.3; steps += 1) {
    const [from, to] = [corridor.start, corridor.nextCorners(1)];
    const apart = Math.hypot(to[0] - from[0], to[2] - from[2]);
    const share = Math.min(1, 0.2 / (apart || 1));
    changes.add(corridor.moveStart(from.map((number, at) => number + (to[at] - number) * share)));
    if (steps < 60) {
      goal = mesh.moveAlong(goal, [goal[0] - 0.1, goal[1], goal[2]]);
      changes.add(corridor.moveGoal(goal));
    }
    const path = corridor.path;
    assert.equal(path.outcome, "complete");
    const shortest = mesh.findPath(corridor.start, goal, { shortest: true });
    assert.ok(planLength(path.points) <= planLength(shortest.points) * 1.11 + mesh.cellSize, `step ${steps}`);
    assert.deepEqual(corridor.nextCorners(2), path.points.slice(3, 9));
  }
  assert.ok(steps < 2000, "it arrives");
  assert.ok(changes.has("kept"), [...changes].join());
  assert.throws(() => corridor.moveStart([NaN, 0, 0]), /position holds/);
  assert.throws(() => new Corridor(mesh, { maxDrift: -1 }), /^WaymeshError: maxDrift is -1/);
  assert.throws(() => new Corridor(mesh, { radius: 1 }), /radius is an option of findPath only/);
  assert.throws(() => new Corridor(mesh, { drift: 1 }), /there is no option "drift"/);
});

test("a corridor in a world mends itself, and takes links", () => {
  // Two floors of 8 x 8 m with 2 m between them, over which a link leads.
  const floor = (x) => [x, 0, 0, x + 8, 0, 0, x + 8, 0, 8, x, 0, 8];
  const floors = Scene.fromTriangles([...floor(0), ...floor(10)], [0, 2, 1, 0, 3, 2, 4, 6, 5, 4, 7, 6]);
  const world = new World([0, -1, 0, 18, 3, 8], { agent_radius: 0, cell_size: 0.2 }, 16);
  world.addScene(floors);
  world.update();
  const link = world.addLink([7.5, 0, 4], [10.5, 0, 4], { kind: "jump" });
  const corridor = Corridor.inWorld(world, { shortest: true });
  assert.equal(corridor.plan([1, 0, 4], [17, 0, 4]), "planned");
  assert.equal(corridor.path.links[0].link, link);
  world.addObstacle({ box: [[3, -1, 2], [5, 2, 6]] });
  world.update();
  assert.equal(corridor.moveStart([1.5, 0, 4]), "repaired");
  const { points, outcome } = corridor.path;
  assert.equal(outcome, "complete");
  assert.ok(points.some((z, at) => at % 3 === 2 && (z <= 2.1 || z >= 5.9)), `${points}`);
  for (let at = 0; at < 100 && corridor.nextCorners(1)[0] < 7.5; at += 1) corridor.moveStart(corridor.nextCorners(1));
  corridor.moveStart([7.5, 0, 4]);
  assert.equal(corridor.takeLink().link, link);
  assert.ok(Math.abs(corridor.start[0] - 10.5) < 0.2, `${corridor.start}`);
  assert.equal(corridor.takeLink(), null);
  world.setLinkOpen(link, false);
  assert.deepEqual([corridor.plan([1, 0, 4], [17, 0, 4]), corridor.path.outcome], ["planned", "partial"]);
});

test("a path found in slices is that of one call", () => {
  for (const options of [{}, { shortest: true }, { shortest: true, areaCosts: { 63: 2 } }]) {
    const search = new SlicedPath(mesh, options);
    assert.equal(search.advance(10), null);
    for (const [from, to] of [[start, end], [end, start], [start, [20, 40, 20]]]) {
      const whole = mesh.findPath(from, to, { reach: 60, ...options });
      const sliced = new SlicedPath(mesh, { reach: 60, ...options });
      sliced.begin(from, to);
      let [path, slices] = [null, 0];
      while (path === null) {
        assert.ok(sliced.isRunning);
        path = sliced.advance(1);
        slices += 1;
        assert.ok(slices < 100_000);
      }
      assert.deepEqual(path, whole);
      assert.ok(!sliced.isRunning);
    }
  }
  assert.throws(() => new SlicedPath(mesh, { searched: true }), /searched is an option of findPath only/);
  assert.throws(() => new SlicedPath(mesh).advance(-1), /nodes is -1/);
});

test("flags close polygons for those who heed them", () => {
  const own = NavMesh.fromBytes(mesh.toBytes());
  assert.throws(() => own.findPath(start, end, { excludeFlags: 2 }), /set `flags` of the mesh/);
  assert.equal(own.setPolygonFlags(0, 1), false);
  const ids = own.polygons.starts.length - 1;
  own.flags = new Uint16Array(ids).fill(1);
  const open = own.findPath(start, end, { shortest: true });
  assert.deepEqual(own.findPath(start, end, { shortest: true, includeFlags: 1 }), open);
  assert.throws(() => own.findPath(start, end, { includeFlags: 4 }), /allowed|near/);
  // A door that shuts: the path leads round it, or ends before it.
  const corridor = new Corridor(own, { excludeFlags: 2 });
  corridor.plan(start, end);
  const shut = open.polygons[Math.floor(open.polygons.length / 2)];
  assert.equal(own.setPolygonFlags(shut, 3), true);
  const around = own.findPath(start, end, { shortest: true, excludeFlags: 2 });
  assert.ok(!around.polygons.includes(shut));
  assert.ok(around.outcome !== "complete" || around.length >= open.length - 1e-4);
  assert.deepEqual(own.findPath(start, end, { shortest: true }), open);
  corridor.moveStart(start);
  assert.ok(!corridor.path.polygons.includes(shut));
  own.setPolygonFlags(shut, 1);
  corridor.moveStart(start);
  assert.equal(corridor.path.outcome, "complete");
  // An agent with the key passes where others go round.
  own.setPolygonFlags(shut, 3);
  const crowd = new Crowd(own, {});
  const [keyed, other] = [{}, { excludeFlags: 2 }].map((settings) => crowd.add(start, settings));
  for (const agent of [keyed, other]) crowd.setTarget(agent, end);
  const been = new Map([keyed, other].map((agent) => [agent, new Set()]));
  for (let step = 0; step < 1200; step += 1) {
    crowd.step(0.1);
    for (const [agent, polygons] of been) polygons.add(own.polygonsAt(crowd.agent(agent).position)[0]);
  }
  assert.ok(been.get(keyed).has(shut));
  assert.ok(!been.get(other).has(shut));
  assert.equal(crowd.agent(keyed).status, "arrived");
  // Other flags count from `walkOn` on.
  own.flags = new Uint16Array(ids).fill(1);
  const moved = new Corridor(own, { excludeFlags: 2 });
  moved.plan(start, end);
  assert.equal(moved.path.outcome, "complete");
  own.flags = new Uint16Array(ids).fill(1).map((flag, id) => (id === shut ? 3 : flag));
  moved.walkOn(own);
  assert.ok(!moved.path.polygons.includes(shut));
  assert.throws(() => moved.walkOn(mesh), /set `flags` of the mesh/);
  assert.throws(() => new Crowd(mesh, {}).add(start, { includeFlags: 1 }), /set `flags` of the mesh/);
  assert.throws(() => own.findPath(start, end, { excludeFlags: 65536 }), /excludeFlags is 65536/);
  assert.throws(() => own.findPath(start, end, { excludeFlags: 2, radius: 1 }), /flags cannot be used with a radius/);
});
