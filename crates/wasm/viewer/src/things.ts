// Things on the ground: obstacles and areas, as shapes of the package and as pictures.
import * as THREE from "three";
import type { Mark, Shape } from "waymesh";
import type { AnySettings } from "./messages";
import type { Point, Thing } from "./project";

/**
 * How far below the ground an area begins and an obstacle stands, in metres: less than from storey
 * to storey.
 */
const DEPTH = { area: 1, obstacle: 0.5 };
/** Costs that a person can tell apart; a settings file may have others. */
export const MOST_COST = 1000;
export const USUAL_COST = 5;
/** Numbers of areas besides 0, nobody walks, and 1, plain ground. */
const [FIRST, LAST] = [2, 255];

/** Names and costs of areas by number. */
export type Areas = Record<number, { name: string; cost: number }>;

/** Corners of a thing in plan. */
function cornersOf({ shape, at, size, turn, corners }: Thing): [number, number][] {
  const [w, d] = [size[0] / 2, size[2] / 2];
  const own: [number, number][] = shape === "polygon" ? corners : [[-w, -d], [w, -d], [w, d], [-w, d]];
  const [sin, cos] = [Math.sin((turn * Math.PI) / 180), Math.cos((turn * Math.PI) / 180)];
  return own.map(([x, z]) => [at[0] + x * cos + z * sin, at[2] - x * sin + z * cos]);
}

/** The shape of a thing, as the package takes it. */
function shapeOf(thing: Thing): Shape {
  const { kind, shape, at: [x, y, z], size: [w, h, d], turn } = thing;
  const low = y - DEPTH[kind];
  if (shape === "cylinder") return { cylinder: [[x, low, z], w / 2, y + h - low] };
  if (shape === "box" && turn === 0) return { box: [[x - w / 2, low, z - d / 2], [x + w / 2, y + h, z + d / 2]] };
  return { prism: [cornersOf(thing), [low, y + h]] };
}

export const obstacleShapes = (things: Thing[]): Shape[] => things.filter(({ kind }) => kind === "obstacle").map(shapeOf);

/**
 * The settings for the areas among the things: a number for each name and cost, that no area of the
 * source has.
 */
export function areaSettings(things: Thing[], ofSource: Areas): Pick<AnySettings, "areas" | "marks"> {
  const painted = things.filter(({ kind }) => kind === "area");
  if (painted.length === 0) return {};
  const numbers = new Map<string, number>();
  const areas: Areas = { ...ofSource };
  let next = FIRST;
  const marks: Mark[] = painted.map((thing) => {
    const shape = shapeOf(thing);
    if (thing.cost === null) return { area: "blocked", ...shape };
    const name = thing.name || `cost ${thing.cost}`;
    const key = `${name}:${thing.cost}`;
    let number = numbers.get(key);
    if (number === undefined) {
      while (next in areas) next += 1;
      if (next > LAST) throw new Error("there are more kinds of ground than areas");
      number = next;
      numbers.set(key, number);
      areas[number] = { name, cost: thing.cost };
    }
    return { area: number, ...shape };
  });
  return { areas, marks };
}

/** Green is cheap, yellow to red is costly, dark is blocked. */
function costColour(cost: number | null): THREE.Color {
  if (cost === null) return new THREE.Color(0x2b2b33);
  if (cost < 1) return new THREE.Color(0x2f9e44);
  return new THREE.Color().setHSL(0.14 * (1 - Math.min(Math.log10(Math.max(cost, 1)) / 1.5, 1)), 0.9, 0.5);
}

export const colourOf = (thing: Thing) => (thing.kind === "obstacle" ? new THREE.Color(0xe08e1b) : costColour(thing.cost));

/**
 * The body of a thing, its base at height 0 where an obstacle stands and below where an area
 * begins.
 */
function body({ kind, shape, size: [w, h, d], corners }: Thing): THREE.BufferGeometry {
  const low = kind === "area" ? -DEPTH.area : 0;
  const high = h - low;
  if (shape === "box") return new THREE.BoxGeometry(w, high, d).translate(0, low + high / 2, 0);
  if (shape === "cylinder") return new THREE.CylinderGeometry(w / 2, w / 2, high, 40).translate(0, low + high / 2, 0);
  const outline = new THREE.Shape(corners.map(([x, z]) => new THREE.Vector2(x, -z)));
  return new THREE.ExtrudeGeometry(outline, { depth: high, bevelEnabled: false }).rotateX(-Math.PI / 2).translate(0, low, 0);
}

/** The picture of a thing: what is hit and moved, with its edges. */
export function drawThing(thing: Thing, index: number, isSelected: boolean, opacity = thing.kind === "area" ? 0.35 : 0.9): THREE.Object3D {
  const [geometry, color] = [body(thing), colourOf(thing)];
  const material = thing.kind === "area"
    ? new THREE.MeshBasicMaterial({ color, transparent: true, opacity, depthWrite: false, side: THREE.DoubleSide })
    : new THREE.MeshLambertMaterial({ color, transparent: opacity < 1, opacity });
  const drawn = new THREE.Mesh(geometry, material);
  const edges = new THREE.LineSegments(new THREE.EdgesGeometry(geometry, 20), new THREE.LineBasicMaterial({ color: isSelected ? 0xd7263d : color.clone().multiplyScalar(0.7) }));
  drawn.add(edges);
  drawn.position.set(...thing.at);
  drawn.rotation.y = (thing.turn * Math.PI) / 180;
  // After the polygons, which let light through, too.
  drawn.renderOrder = edges.renderOrder = 1;
  drawn.userData["thing"] = index;
  return drawn;
}

/** A box over the ground with two opposite corners. */
export function boxBetween(kind: Thing["kind"], a: Point, b: Point, name: string, cost: number | null, height = 1): Thing {
  const low = Math.min(a[1], b[1]);
  return {
    kind, shape: "box", at: [(a[0] + b[0]) / 2, low, (a[2] + b[2]) / 2],
    size: [Math.abs(b[0] - a[0]), Math.abs(b[1] - a[1]) + height, Math.abs(b[2] - a[2])], turn: 0, corners: [], name, cost,
  };
}

/** A polygon over the ground with these corners. */
export function polygonOf(kind: Thing["kind"], points: Point[], name: string, cost: number | null, height: number): Thing {
  const middle = (axis: number) => points.reduce((sum, point) => sum + point[axis]!, 0) / points.length;
  const heights = points.map(([, y]) => y);
  const [x, y, z] = [middle(0), Math.min(...heights), middle(2)];
  const size: Point = [1, Math.max(...heights) - y + height, 1];
  return { kind, shape: "polygon", at: [x, y, z], size, turn: 0, corners: points.map((point) => [point[0] - x, point[2] - z]), name, cost };
}

/** The area on the ground with a shape of the package: what `shapeOf` makes of one. */
export function areaOf({ box, cylinder, prism }: Shape, name: string, cost: number | null): Thing | null {
  const up = (at: ArrayLike<number>): Point => [at[0]!, at[1]! + DEPTH.area, at[2]!];
  if (box) return boxBetween("area", up(box[0]), up([box[1][0]!, box[0][1]!, box[1][2]!]), name, cost, box[1][1]! - box[0][1]! - DEPTH.area);
  if (cylinder) {
    const [base, radius, height] = cylinder;
    return { kind: "area", shape: "cylinder", at: up(base), size: [2 * radius, height - DEPTH.area, 2 * radius], turn: 0, corners: [], name, cost };
  }
  if (!prism) return null;
  const [corners, [low, high]] = prism;
  return polygonOf("area", corners.map(([x, z]) => up([x, low, z])), name, cost, high - low - DEPTH.area);
}
