import type { NavMesh } from "./waymesh.js";

/** What of an object of three.js is read: any `Object3D` is one. */
export interface Level {
  traverse(run: (part: never) => void): unknown;
}

/** Geometry and attributes of three.js. */
export interface ThreeModule<Geometry> {
  BufferGeometry: new () => Geometry;
  BufferAttribute: new (array: never, itemSize: number) => unknown;
}

/**
 * All triangles below an object, in the coordinates of the world, for `Scene.fromTriangles`. Parts
 * that are drawn many times (`InstancedMesh`) count as often; bones are not moved.
 */
export function trianglesOf(object: Level): { vertices: Float32Array; triangles: Uint32Array };

/** The ground of a mesh as a geometry, with normals; `three` is the module of three.js. */
export function geometryOf<Geometry>(mesh: NavMesh, three: ThreeModule<Geometry>): Geometry;
