import type { BufferAttribute, BufferGeometry, Object3D } from "three";
import type { NavMesh } from "./waymesh.js";

/**
 * All triangles below an object, in the coordinates of the world, for `Scene.fromTriangles`. Parts
 * that are drawn many times (`InstancedMesh`) count as often; bones are not moved.
 */
export function trianglesOf(object: Object3D): { vertices: Float32Array; triangles: Uint32Array };

/** The ground of a mesh as a geometry, with normals; `three` is the module of three.js. */
export function geometryOf(
  mesh: NavMesh,
  three: { BufferGeometry: typeof BufferGeometry; BufferAttribute: typeof BufferAttribute },
): BufferGeometry;
