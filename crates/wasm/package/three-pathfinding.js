// The interface of the package three-pathfinding over meshes of waymesh.
import { Vector3 } from "three";
import { Scene } from "waymesh";
import { trianglesOf } from "./three.js";

/** What is modelled by hand is ground to its borders, however steep and small it is. */
const AS_MODELLED = { agent_radius: 0, agent_height: 0.5, max_step: 0.3, max_slope: 85, min_region: 0 };
/** Cells along the longer side of a mesh that is modelled by hand, and the largest of them. */
const [CELLS, LARGEST_CELL] = [2000, 0.1];
/** Farthest from the ground, in metres, that a position has a group. */
const FAR = 50;

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

function asModelled([low, , lowest, high, , highest]) {
  const cell = Math.min(LARGEST_CELL, Math.max(high - low, highest - lowest) / CELLS);
  return { ...AS_MODELLED, cell_size: cell, level_height: cell };
}

const array = ({ x, y, z }) => [x, y, z];

/** The ground of a level: polygons as nodes, and a group of them for each island. */
class Zone {
  constructor(mesh) {
    const [{ corners, starts }, numbers] = [mesh.polygons, mesh.vertices];
    this.mesh = mesh;
    this.vertices = Array.from({ length: numbers.length / 3 }, (_, at) => new Vector3().fromArray(numbers, 3 * at));
    this.groups = Array.from({ length: mesh.islandCount }, () => []);
    this.nodes = [];
    for (let id = 0; id + 1 < starts.length; id += 1) {
      const vertexIds = [...corners.subarray(starts[id], starts[id + 1])];
      if (vertexIds.length === 0) continue;
      const centroid = new Vector3();
      for (const vertex of vertexIds) centroid.addScaledVector(this.vertices[vertex], 1 / vertexIds.length);
      this.nodes[id] = { id, vertexIds, centroid };
      // The middle of a polygon may lie above or below its ground; that of an edge does not.
      const [a, b] = vertexIds.map((vertex) => this.vertices[vertex]);
      const [group] = mesh.islandsAt(array(new Vector3().lerpVectors(a, b, 0.5)), { reach: FAR });
      this.groups[group].push(this.nodes[id]);
    }
  }
}

export class Pathfinding {
  zones = {};

  static createZone(source, settings) {
    if (typeof source.findPath === "function") return new Zone(source);
    const isObject = typeof source.traverse === "function";
    const part = { isMesh: true, geometry: source, matrixWorld: { elements: IDENTITY } };
    const { vertices, triangles } = trianglesOf(isObject ? source : { traverse: (run) => run(part) });
    const scene = Scene.fromTriangles(vertices, triangles);
    // A number is the tolerance of three-pathfinding.
    const zone = new Zone(scene.bake(typeof settings === "object" ? settings : asModelled(scene.bounds)));
    scene.free();
    return zone;
  }

  setZoneData(zoneID, zone) {
    this.zones[zoneID] = zone;
  }

  getGroup(zoneID, position, checkPolygon = false) {
    const zone = this.zones[zoneID];
    if (!zone) return null;
    const group = (reach) => zone.mesh.islandsAt(array(position), { reach })[0];
    const near = checkPolygon ? group([zone.mesh.cellSize, 0.5, 0.5]) : -1;
    const found = near < 0 ? group(FAR) : near;
    return found < 0 ? null : found;
  }

  getRandomNode(zoneID, groupID, nearPosition, nearRange) {
    const nodes = this.zones[zoneID]?.groups[groupID] ?? [];
    const isNear = ({ centroid }) => !nearPosition || !nearRange || centroid.distanceTo(nearPosition) < nearRange;
    const candidates = nodes.filter(isNear);
    const chosen = candidates[Math.floor(Math.random() * candidates.length)];
    return chosen ? chosen.centroid.clone() : new Vector3();
  }

  getClosestNode(position, zoneID, groupID, checkPolygon = false) {
    const { mesh, nodes, groups } = this.zones[zoneID];
    if (checkPolygon) {
      const reach = [mesh.cellSize, 0.5, 0.5];
      const isThere = mesh.islandsAt(array(position), { reach })[0] === groupID;
      return isThere ? nodes[mesh.polygonsAt(array(position), { reach })[0]] : null;
    }
    const distance = (node) => node.centroid.distanceToSquared(position);
    return groups[groupID].reduce((best, node) => (best && distance(best) <= distance(node) ? best : node), null);
  }

  findPath(startPosition, targetPosition, zoneID, groupID) {
    const { mesh } = this.zones[zoneID];
    const ends = [startPosition, targetPosition];
    if (!ends.every((end) => this.getClosestNode(end, zoneID, groupID, true))) return null;
    const { outcome, points } = mesh.findPath(...ends.map(array), { shortest: true });
    if (outcome !== "complete") return null;
    // Without the start.
    return Array.from({ length: points.length / 3 - 1 }, (_, at) => new Vector3().fromArray(points, 3 * at + 3));
  }

  clampStep(start, end, node, zoneID, groupID, endTarget) {
    const { mesh, nodes } = this.zones[zoneID];
    const place = mesh.moveAlong(array(start), array(end), { reach: FAR });
    endTarget.fromArray(place);
    return nodes[mesh.polygonsAt(place)[0]] ?? node;
  }
}
