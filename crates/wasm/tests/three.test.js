// Helpers for three.js, with three.js.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BoxGeometry, BufferAttribute, BufferGeometry, Group, InstancedMesh, Matrix4, Mesh, PlaneGeometry, Vector3 } from "three";
import { NavMesh, Scene } from "../pkg/node.js";
import { geometryOf, trianglesOf } from "../pkg/three.js";
import { Pathfinding } from "../pkg/three-pathfinding.js";

const floor = (width, depth) => new PlaneGeometry(width, depth).rotateX(-Math.PI / 2).translate(width / 2, 0, depth / 2);

/** A level of 20 by 10 metres with a wall in the middle, which leaves 2 metres at one end. */
function level() {
  const group = new Group();
  const wall = new Mesh(new BoxGeometry(0.4, 3, 8));
  wall.position.set(10, 1.5, 4);
  group.add(new Mesh(floor(20, 10)), wall);
  return group;
}

test("objects of three.js become triangles, and a mesh a geometry", () => {
  const parts = new Group();
  const [moved, mirror] = [new Mesh(floor(9, 9)), new Mesh(floor(9, 9))];
  moved.position.y = 1;
  mirror.position.x = 30;
  mirror.scale.x = -1;
  const many = new InstancedMesh(floor(9, 9), undefined, 2);
  many.setMatrixAt(0, new Matrix4().makeTranslation(40, 0, 0));
  many.setMatrixAt(1, new Matrix4().makeTranslation(60, 0, 0));
  many.position.z = 5;
  parts.add(moved, mirror, many, new Mesh());
  const { vertices, triangles } = trianglesOf(parts);
  assert.equal(triangles.length, 4 * 6);
  const isNear = (at, place) => place.every((number, axis) => Math.abs(vertices[at + axis] - number) < 1e-6);
  assert.ok(isNear(0, [0, 1, 0]) && isNear(24, [40, 0, 5]));
  const mesh = Scene.fromTriangles(vertices, triangles).bake({ agent_radius: 0.3 });
  // All four face up, the mirrored one too.
  assert.equal(mesh.islandCount, 4);
  const geometry = geometryOf(mesh, { BufferGeometry, BufferAttribute });
  geometry.computeBoundingBox();
  assert.ok(geometry.getAttribute("normal") && Math.abs(geometry.boundingBox.max.x - 68.7) < 0.5);
});

test("ground that was modelled by hand is a zone of three-pathfinding", () => {
  const pathfinding = new Pathfinding();
  assert.equal(pathfinding.getGroup("level", new Vector3()), null);
  // In one geometry: an L round (6, 4), and a piece of its own.
  const positions = [floor(10, 4), floor(6, 10), floor(3, 3).translate(20, 0, 0)].flatMap((part) => [...part.toNonIndexed().getAttribute("position").array]);
  const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(Float32Array.from(positions), 3));
  pathfinding.setZoneData("level", Pathfinding.createZone(geometry));
  const zone = pathfinding.zones.level;
  assert.equal(zone.groups.length, 2);
  // A cell of 1.2 cm along 52 m of borders.
  assert.ok(Math.abs(zone.mesh.area - 85) < 0.6, `${zone.mesh.area}`);
  const [start, target] = [new Vector3(9, 0, 1), new Vector3(1, 0, 9)];
  const group = pathfinding.getGroup("level", start);
  const apart = pathfinding.getGroup("level", new Vector3(21, 0, 1), true);
  assert.ok(group !== null && apart !== null && group !== apart);
  const path = pathfinding.findPath(start, target, "level", group);
  const length = path.reduce(([sum, last], point) => [sum + last.distanceTo(point), point], [0, start])[0];
  assert.ok(path[0] instanceof Vector3 && path.at(-1).distanceTo(target) < 1e-3);
  assert.ok(Math.abs(length - (Math.hypot(3, 3) + Math.hypot(5, 5))) < 0.05, `${length}`);
  // An end on another group, or on none.
  assert.equal(pathfinding.findPath(start, new Vector3(21, 0, 1), "level", group), null);
  assert.equal(pathfinding.findPath(start, new Vector3(15, 0, 1), "level", group), null);
  const node = pathfinding.getClosestNode(start, "level", group, true);
  assert.ok(zone.groups[group].includes(node) && node.vertexIds.every((vertex) => zone.vertices[vertex] instanceof Vector3));
  assert.equal(pathfinding.getClosestNode(new Vector3(15, 0, 1), "level", group, true), null);
  assert.ok(zone.groups[group].includes(pathfinding.getClosestNode(new Vector3(15, 0, 1), "level", group)));
  // A step ends at the border, and slides along it.
  const end = new Vector3();
  const next = pathfinding.clampStep(start, new Vector3(12, 0, 2), node, "level", group, end);
  assert.ok(end.distanceTo(new Vector3(10, 0, 2)) < 0.05 && zone.groups[group].includes(next), `${end.toArray()}`);
  for (let tries = 0; tries < 20; tries += 1) {
    assert.ok(pathfinding.getRandomNode("level", apart, new Vector3(21, 0, 1), 5).x > 19);
  }
});

test("a level is baked to a zone, with the distance of the agent from walls", () => {
  const pathfinding = new Pathfinding();
  pathfinding.setZoneData("level", Pathfinding.createZone(level(), { agent_radius: 0.4, cell_size: 0.1, keep: "largest" }));
  const [start, target] = [new Vector3(2, 0, 2), new Vector3(18, 0, 2)];
  const group = pathfinding.getGroup("level", start);
  const path = pathfinding.findPath(start, target, "level", group);
  // Round the end of the wall, which is 8 metres long.
  assert.ok(path.some(({ z }) => z > 8.3), JSON.stringify(path));
  const end = new Vector3();
  pathfinding.clampStep(new Vector3(9, 0, 2), new Vector3(11, 0, 2), pathfinding.getClosestNode(start, "level", group), "level", group, end);
  assert.ok(Math.abs(end.x - 9.4) < 0.15, `${end.x}`);
  // A mesh that is there already.
  const mesh = NavMesh.fromBytes(pathfinding.zones.level.mesh.toBytes());
  pathfinding.setZoneData("file", Pathfinding.createZone(mesh));
  assert.equal(pathfinding.findPath(start, target, "file", group).length, path.length);
});
