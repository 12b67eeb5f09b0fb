// Uses of the package as TypeScript sees them: the build of the page checks it.
import init, { BakeWorker, BakeWorkers, Crowd, NavMesh, Scene } from "waymesh";
import { geometryOf, trianglesOf } from "waymesh/three";
import { Pathfinding } from "waymesh/three-pathfinding";
import * as THREE from "three";
const { vertices, triangles } = trianglesOf(new THREE.Scene());
await init();
const mesh = Scene.fromTriangles(vertices, triangles).bake({});
const geometry: THREE.BufferGeometry = geometryOf(mesh, THREE);
const zones = new Pathfinding();
zones.setZoneData("level", Pathfinding.createZone(geometry));
const corners: THREE.Vector3[] | null = zones.findPath(new THREE.Vector3(), new THREE.Vector3(), "level", 0);
const { bytes } = await new BakeWorkers(2).bake({ scene: { builtin: "terraces" } }, undefined, { signal: AbortSignal.timeout(5) });
const again: NavMesh = NavMesh.fromBytes(bytes);
again.toBytes();
const id: number = again.addLink([0, 0, 0], [1, 0, 0], { kind: "jump" });
again.findPath([0, 0, 0], [1, 0, 0], { linkCosts: { jump: 3, [id]: Infinity } });
await new BakeWorker().bake({ scene: { name: "a.obj", bytes: bytes.buffer } }, () => false);
// One naming of options, for queries and crowds.
new Crowd(again, { areaCosts: { mud: 2 }, maxNeighbours: 3 }).add([0, 0, 0], { maxSpeed: 2, includeFlags: 1 });
// @ts-expect-error
new Crowd(again, { area_costs: { mud: 2 } });
// @ts-expect-error
again.sample(1, "7");
console.log(geometry, corners);
