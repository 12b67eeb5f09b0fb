import type { BufferGeometry, Object3D, Vector3 } from "three";
import type { NavMesh, Settings } from "./waymesh.js";

/** A polygon. */
export interface Node {
  id: number;
  /** Corners, as places in the `vertices` of its zone. */
  vertexIds: number[];
  centroid: Vector3;
}

/** The ground of a level: a group of nodes for each of its islands. */
export interface Zone {
  mesh: NavMesh;
  vertices: Vector3[];
  groups: Node[][];
}

/**
 * The class of three-pathfinding over meshes of waymesh: await `init()` of "waymesh", and change the
 * import. Paths are the shortest, steps slide along walls. Nodes have no neighbours and portals, and
 * there is no `PathfindingHelper`.
 */
export class Pathfinding {
  zones: Record<string, Zone>;
  /**
   * With settings (`{}` for the defaults) it bakes a level, for an agent with a radius. Without, the
   * geometry is ground that was modelled by hand, and kept to a cell. A mesh is taken as it is.
   */
  static createZone(source: BufferGeometry | Object3D | NavMesh, settings?: Settings | number): Zone;
  setZoneData(zoneID: string, zone: Zone): void;
  /** The group nearest to a position; null if none is within 50 m. */
  getGroup(zoneID: string, position: Vector3, checkPolygon?: boolean): number | null;
  /** The middle of a node within a range of a position. */
  getRandomNode(zoneID: string, groupID: number, nearPosition?: Vector3, nearRange?: number): Vector3;
  /** The node whose middle is nearest, or with `checkPolygon` the one on which a position lies. */
  getClosestNode(position: Vector3, zoneID: string, groupID: number, checkPolygon?: boolean): Node | null;
  /** The corners of the path after its start; null if an end is not on the group. */
  findPath(startPosition: Vector3, targetPosition: Vector3, zoneID: string, groupID: number): Vector3[] | null;
  /** Moves `endTarget` to where a step ends, and returns the node there. */
  clampStep(start: Vector3, end: Vector3, node: Node, zoneID: string, groupID: number, endTarget: Vector3): Node;
}
