// From arrays of the package to things that are drawn.
import * as THREE from "three";
import type { Link, NavMesh, Stages } from "waymesh";
import { Colours, middles, type ColourBy } from "./colours";
import type { Opened } from "./messages";
import type { Point } from "./project";
import { LIFT, nearer, scale, soft, type View } from "./view";

/** Layers with a switch: name, what it says, and if it is on at first. */
export const LAYERS = [
  ["scene", "scene", true],
  ["polygons", "polygons", true],
  ["borders", "walls", true],
  ["portals", "portals", false],
  ["links", "links", true],
  ["jumps", "jumps and drops", true],
  ["searched", "searched polygons", false],
  ["kept", "kept walls", true],
  ["missed", "missed ground", true],
  ["excess", "too much mesh", true],
  ["detours", "long paths", true],
  ["heights", "height triangles", false],
  ["spans", "walkable spans", false],
  ["distances", "distance field", false],
  ["regions", "regions", false],
  ["voxels", "voxels", false],
  ["raw", "contours as traced", false],
  ["contours", "contours, simplified", false],
  ["triangles", "triangulation", false],
] as const;

/** Layers that are made by a bake that keeps what every stage makes. */
export const STAGE_LAYERS = ["spans", "distances", "regions", "voxels", "raw", "contours", "triangles"];

/** The region of spans that no region has. */
const NO_REGION = 4294967295;

/** More boxes than this are not drawn: a browser would stand still. */
const MOST_BOXES = 600_000;

/** The level: as its file has it, with its colours, or its triangles in grey. */
export function drawScene(view: View, { vertices, triangles }: Opened, coloured: THREE.Object3D | null): void {
  if (coloured || triangles.length === 0) {
    view.put("scene", ...(coloured ? [coloured] : []));
    return;
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(vertices, 3));
  geometry.setIndex(new THREE.BufferAttribute(triangles, 1));
  const material = new THREE.MeshLambertMaterial({ color: 0xb9bfba, side: THREE.DoubleSide, flatShading: true, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 2 });
  view.put("scene", new THREE.Mesh(geometry, material));
}

/** Corners of the triangles, each with its own colour. */
function painted(positions: ArrayLike<number>, triangles: Uint32Array, colour: (triangle: number, out: THREE.Color) => void) {
  const points = new Float32Array(triangles.length * 3);
  const colours = new Float32Array(triangles.length * 3);
  const paint = new THREE.Color();
  for (let corner = 0; corner < triangles.length; corner += 1) {
    const vertex = triangles[corner]!;
    if (corner % 3 === 0) colour(corner / 3, paint);
    for (let axis = 0; axis < 3; axis += 1) points[3 * corner + axis] = positions[3 * vertex + axis]!;
    paint.toArray(colours, 3 * corner);
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
  geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
  return geometry;
}

/**
 * The mesh that was kept, to compare: its walls over the other one, and all of it for a half of its
 * own.
 */
export function drawKept(view: View, mesh: NavMesh, by: ColourBy): void {
  view.put("kept", view.lines(wallEnds(mesh), 0x7a3fc2, 3, 1.5 * LIFT));
  const colours = new Colours();
  colours.follow(null, mesh);
  view.put("keptPolygons", solid(mesh, by, colours, null));
  view.put("keptBorders", view.lines(wallEnds(mesh), view.ink, 2));
}

function wallEnds(mesh: NavMesh): Float32Array {
  const [vertices, pairs] = [mesh.vertices, mesh.walls];
  const ends = new Float32Array(pairs.length * 3);
  pairs.forEach((vertex, index) => ends.set(vertices.subarray(3 * vertex, 3 * vertex + 3), 3 * index));
  return ends;
}

/** Amounts by polygon, for a scale of colours: distances in metres, infinite where no way leads. */
export function amounts(mesh: NavMesh, by: ColourBy, from: Point | undefined): Float32Array | null {
  if (by !== "wall distance" && (by !== "distance" || !from)) return null;
  const { at, areas } = middles(mesh);
  if (by === "distance") return mesh.distances(Float32Array.from(at, (_, index) => from![index % 3]!), at);
  // The middle of a polygon may lie above or below its ground.
  const options = { reach: [FARTHEST, FARTHEST, FARTHEST] as const };
  return areas.map((_, polygon) => mesh.nearestWall(at.subarray(3 * polygon, 3 * polygon + 3), FARTHEST, options)?.distance ?? FARTHEST);
}

/** The largest amount that is finite. */
export const farthest = (values: Float32Array): number => values.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, value) : most), 0.01);

/** Walls that are farther away are not looked for, in metres. */
export const FARTHEST = 10;

/** The ground of a mesh, painted. */
function solid(mesh: NavMesh, by: ColourBy, colours: Colours, values: Float32Array | null): THREE.Object3D {
  const { polygonTriangles: first, triangles, positions } = mesh.ground(true);
  const { areas } = mesh.polygons;
  const most = values ? farthest(values) : 1;
  const owner = new Uint32Array(triangles.length / 3);
  for (let polygon = 0; polygon + 1 < first.length; polygon += 1) owner.fill(polygon, first[polygon], first[polygon + 1]);
  const [, low, , , high] = mesh.bounds as unknown as [number, number, number, number, number];
  const named = mesh.areas;
  const colour = (triangle: number, out: THREE.Color): void => {
    const polygon = owner[triangle]!;
    if (values) {
      if (Number.isFinite(values[polygon]!)) scale(values[polygon]! / most, out);
      else out.set(0x868e96);
    } else if (by === "polygon" || by === "island" || by === "region") soft(colours.of(by, polygon), out);
    else if (by === "area") {
      const own = named[areas[polygon]!]?.colour;
      if (own) out.setRGB(own[0]! / 255, own[1]! / 255, own[2]! / 255, THREE.SRGBColorSpace);
      else soft(areas[polygon]!, out);
    } else scale((positions[3 * triangles[3 * triangle]! + 1]! - low) / Math.max(high - low, 0.01), out);
  };
  const geometry = painted(positions, triangles, colour);
  geometry.computeVertexNormals();
  const material = nearer(new THREE.MeshLambertMaterial({ vertexColors: true, side: THREE.DoubleSide, transparent: true, opacity: 0.8 }));
  return new THREE.Mesh(geometry, material);
}

export function drawMesh(view: View, mesh: NavMesh, by: ColourBy, colours: Colours, values: Float32Array | null): void {
  const { triangles, positions } = mesh.ground(true);
  const { corners, starts } = mesh.polygons;
  view.put("polygons", solid(mesh, by, colours, values));

  const vertices = mesh.vertices;
  const wallPairs = mesh.walls;
  view.put("borders", view.lines(wallEnds(mesh), view.ink, 2));

  const isWall = new Set<string>();
  for (let index = 0; index < wallPairs.length; index += 2) isWall.add(`${wallPairs[index]},${wallPairs[index + 1]}`);
  const portals: number[] = [];
  for (let polygon = 0; polygon + 1 < starts.length; polygon += 1) {
    const own = corners.subarray(starts[polygon], starts[polygon + 1]);
    own.forEach((from, index) => {
      const to = own[(index + 1) % own.length]!;
      if (from < to && !isWall.has(`${from},${to}`)) {
        portals.push(...vertices.subarray(3 * from, 3 * from + 3), ...vertices.subarray(3 * to, 3 * to + 3));
      }
    });
  }
  view.put("portals", view.lines(portals, 0x335f8a, 1));

  const edges: number[] = [];
  for (let triangle = 0; triangle < triangles.length; triangle += 3) {
    for (let side = 0; side < 3; side += 1) {
      const [from, to] = [triangles[triangle + side]!, triangles[triangle + ((side + 1) % 3)]!];
      edges.push(...positions.subarray(3 * from, 3 * from + 3), ...positions.subarray(3 * to, 3 * to + 3));
    }
  }
  view.put("heights", view.lines(edges, 0x777777, 1));
  drawLinks(view, mesh);
}

const LINK_COLOURS = { links: 0xc2571a, jumps: 0x8a3ffc, shut: 0x868e96 };

/** The links of a mesh; those that are closed are grey. */
export function drawLinks(view: View, mesh: NavMesh): void {
  const isJump = ({ kind }: Link) => kind === "jump" || kind === "drop";
  const { links } = mesh;
  const drawn = (isOf: (link: Link) => boolean, colour: number) => {
    const bows = (isOpen: boolean) => links.filter((link) => isOf(link) && link.isOpen === isOpen).flatMap(pairs);
    return [view.lines(bows(true), colour, 2.5), view.lines(bows(false), LINK_COLOURS.shut, 2.5)];
  };
  view.put("links", ...drawn((link) => !isJump(link), LINK_COLOURS.links));
  view.put("jumps", ...drawn(isJump, LINK_COLOURS.jumps));
}

/** A link as a bow from the middle of one end to that of the other. */
export function bowOf(link: Link): THREE.Vector3[] {
  const middle = (end: Float32Array) => new THREE.Vector3(end[0]! + end[3]!, end[1]! + end[4]!, end[2]! + end[5]!).multiplyScalar(0.5);
  const [from, to] = [middle(link.start), middle(link.end)];
  const top = from.clone().lerp(to, 0.5).setY(Math.max(from.y, to.y) + 0.2 + from.distanceTo(to) / 4);
  return new THREE.QuadraticBezierCurve3(from, top, to).getPoints(8);
}

/** Both ends of each segment of a bow. */
function pairs(link: Link): number[] {
  const bow = bowOf(link);
  return bow.slice(1).flatMap((point, index) => [...bow[index]!.toArray(), ...point.toArray()]);
}

/** Flat squares on the ground, one for each span. */
export function squares(spans: Float32Array, side: number, colour: (index: number, out: THREE.Color) => void): THREE.Object3D {
  const count = spans.length / 3;
  if (count > MOST_BOXES) return new THREE.Group();
  const geometry = new THREE.PlaneGeometry(side * 0.92, side * 0.92).rotateX(-Math.PI / 2);
  const mesh = new THREE.InstancedMesh(geometry, new THREE.MeshLambertMaterial({ side: THREE.DoubleSide }), count);
  const [place, paint] = [new THREE.Matrix4(), new THREE.Color()];
  for (let index = 0; index < count; index += 1) {
    place.makeTranslation(spans[3 * index]!, spans[3 * index + 1]! + LIFT, spans[3 * index + 2]!);
    mesh.setMatrixAt(index, place);
    colour(index, paint);
    mesh.setColorAt(index, paint);
  }
  return mesh;
}

function boxes(voxels: Float32Array, side: number): THREE.Object3D {
  const count = voxels.length / 4;
  if (count > MOST_BOXES) return new THREE.Group();
  const mesh = new THREE.InstancedMesh(new THREE.BoxGeometry(1, 1, 1), new THREE.MeshLambertMaterial({ color: 0x8c9aa5 }), count);
  const place = new THREE.Matrix4();
  for (let index = 0; index < count; index += 1) {
    const [x, low, high, z] = voxels.subarray(4 * index, 4 * index + 4) as unknown as [number, number, number, number];
    place.makeScale(side, Math.max(high - low, 0.01), side).setPosition(x, (low + high) / 2, z);
    mesh.setMatrixAt(index, place);
  }
  return mesh;
}

/** What the stages made. Returns a sentence if something is too much to draw. */
export function drawStages(view: View, stages: Stages, wanted: Set<string>): string {
  const side = stages.cellSize;
  const put = (name: string, make: () => THREE.Object3D) => {
    if (wanted.has(name)) view.put(name, make());
    else view.put(name);
  };
  const [, low, , , high] = [0, view.bounds.min.y, 0, 0, view.bounds.max.y];
  put("spans", () => squares(stages.spans, side, (index, out) => scale((stages.spans[3 * index + 1]! - low) / Math.max(high - low, 0.01), out)));
  put("distances", () => squares(stages.spans, side, (index, out) => scale(stages.distances[index]!, out)));
  put("regions", () => {
    const inRegion = [...stages.regions.keys()].filter((span) => stages.regions[span] !== NO_REGION);
    const walked = Float32Array.from(inRegion.flatMap((span) => [...stages.spans.subarray(3 * span, 3 * span + 3)]));
    return squares(walked, side, (index, out) => soft(stages.regions[inRegion[index]!]!, out));
  });
  put("voxels", () => boxes(stages.voxels, side));
  put("raw", () => view.lines(stages.rawContours, 0xf08c00, 2));
  put("contours", () => view.lines(stages.contours, 0xd1495b, 3, 2 * LIFT));
  put("triangles", () => view.lines(stages.triangles, 0x3d6ea5, 1, 2 * LIFT));
  const count = Math.max(wanted.has("voxels") ? stages.voxels.length / 4 : 0, ["spans", "distances", "regions"].some((name) => wanted.has(name)) ? stages.spans.length / 3 : 0);
  return count > MOST_BOXES ? `${count} boxes are too many to draw: choose larger cells.` : "";
}
