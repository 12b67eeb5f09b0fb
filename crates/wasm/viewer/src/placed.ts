// What is placed on the mesh: a path, its ends, obstacles.
import * as THREE from "three";
import type { Ground, NavMesh, Path } from "waymesh";
import { LIFT, nearer, type View } from "./view";

/**
 * A path, the polygons it passes and those that were searched for it, and the ground that a disc
 * sweeps.
 */
export function drawPath(view: View, mesh: NavMesh, path: Path | null, radius: number): void {
  for (const layer of ["path", "corridor", "searched"]) view.put(layer);
  if (path?.searched) {
    const passed = new Set(path.polygons);
    view.put("searched", highlight(mesh.ground(true), path.searched.filter((polygon) => !passed.has(polygon)), 0x4263eb, 0.6));
  }
  if (!path || path.points.length === 0) return;
  const points: THREE.Vector3[] = [];
  for (let index = 0; index < path.points.length; index += 3) points.push(new THREE.Vector3().fromArray(path.points, index));
  view.put("path", ...pathLines(view, path.points, path.outcome), ...(radius > 0 ? sweep(points, radius) : []));
  view.put("corridor", highlight(mesh.ground(true), path.polygons, 0xffe066, 0.45));
}

/** The line of a path, also seen through walls. */
export function pathLines(view: View, points: Float32Array, outcome: Path["outcome"]): THREE.Object3D[] {
  const ends: number[] = [];
  for (let index = 0; index + 3 < points.length; index += 3) ends.push(...points.subarray(index, index + 6));
  const colour = outcome === "complete" ? 0xd7263d : 0xe08e1b;
  return [view.lines(ends, colour, 5, 2 * LIFT), view.lines(ends, colour, 4, 2 * LIFT, true)];
}

/** Some polygons, over the others. */
function highlight({ polygonTriangles: first, triangles, positions }: Ground, polygons: Uint32Array, colour: number, opacity: number): THREE.Object3D {
  const corners: number[] = [];
  for (const polygon of polygons) {
    for (let triangle = first[polygon]!; triangle < first[polygon + 1]!; triangle += 1) corners.push(...triangles.subarray(3 * triangle, 3 * triangle + 3));
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
  geometry.setIndex(corners);
  const material = nearer(new THREE.MeshBasicMaterial({ color: colour, transparent: true, opacity, side: THREE.DoubleSide, depthWrite: false, polygonOffset: true, polygonOffsetFactor: -3, polygonOffsetUnits: -6 }));
  const mesh = new THREE.Mesh(geometry, material);
  mesh.position.y = LIFT;
  return mesh;
}

function sweep(points: THREE.Vector3[], radius: number): THREE.Object3D[] {
  const material = () => new THREE.MeshBasicMaterial({ color: 0xd7263d, transparent: true, opacity: 0.22, side: THREE.DoubleSide, depthWrite: false });
  const parts: THREE.Object3D[] = points.map((point) => {
    const disc = new THREE.Mesh(new THREE.CircleGeometry(radius, 40).rotateX(-Math.PI / 2), material());
    disc.position.copy(point).y += 1.5 * LIFT;
    return disc;
  });
  for (let index = 0; index + 1 < points.length; index += 1) {
    const [from, to] = [points[index]!, points[index + 1]!];
    const side = new THREE.Vector3(to.z - from.z, 0, from.x - to.x);
    if (side.length() < 1e-6) continue;
    side.setLength(radius);
    const corners = [from.clone().add(side), from.clone().sub(side), to.clone().sub(side), to.clone().add(side)];
    const geometry = new THREE.BufferGeometry().setFromPoints(corners);
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    const strip = new THREE.Mesh(geometry, material());
    strip.position.y = 1.5 * LIFT;
    parts.push(strip);
  }
  return parts;
}

/** Balls at the ends of a path or of a measured line. */
export function drawPoints(view: View, points: [number, number, number][], colours: number[]): void {
  const radius = Math.max(view.bounds.getSize(new THREE.Vector3()).length() / 160, 0.08);
  const balls = points.map((point, index) => {
    const ball = new THREE.Mesh(new THREE.SphereGeometry(radius, 20, 12), new THREE.MeshLambertMaterial({ color: colours[index % colours.length] }));
    ball.position.set(...point);
    return ball;
  });
  view.put("points", ...balls);
}
