// Areas painted on the ground: boxes with what a metre costs in them, as settings of a bake.
import type { Mark, NavMesh } from "waymesh";
import type { Point } from "./link";
import type { AnySettings } from "./messages";

/** A box over the ground. */
export interface Painted {
  /** Two corners on the ground, opposite each other in plan. */
  corners: [Point, Point];
  /** What a metre costs, compared with plain ground; `null` where nobody walks. */
  cost: number | null;
}

/**
 * How far below its lower corner and above its higher one a box reaches, in metres: less than from
 * storey to storey.
 */
const DEPTH = 1;
/** Numbers of areas besides 0, nobody walks, and 1, plain ground. */
const [FIRST, LAST] = [2, 255];

/** Least and greatest corner. */
export function boxOf({ corners: [a, b] }: Painted): [Point, Point] {
  const low = a.map((value, axis) => Math.min(value, b[axis]!)) as Point;
  const high = a.map((value, axis) => Math.max(value, b[axis]!)) as Point;
  low[1] -= DEPTH;
  high[1] += DEPTH;
  return [low, high];
}

/** Numbers of the areas that a mesh has without any paint. */
export function areasOf(mesh: NavMesh): Set<number> {
  return new Set([...Object.keys(mesh.areas).map(Number), ...mesh.polygons.areas.filter((area) => area !== 0)]);
}

/**
 * The settings for what is painted: an area for each cost, with a number that `taken` does not
 * have.
 */
export function paintSettings(painted: Painted[], taken: Set<number>): Pick<AnySettings, "areas" | "marks"> {
  if (painted.length === 0) return {};
  const numbers = new Map<number, number>();
  let next = FIRST;
  for (const { cost } of painted) {
    if (cost === null || numbers.has(cost)) continue;
    while (taken.has(next)) next += 1;
    if (next > LAST) throw new Error("there are more costs than areas");
    numbers.set(cost, next);
    next += 1;
  }
  const areas = Object.fromEntries([...numbers].map(([cost, number]) => [number, { name: `cost ${cost}`, cost }]));
  const marks: Mark[] = painted.map((paint) => ({ area: paint.cost === null ? "blocked" : numbers.get(paint.cost)!, box: boxOf(paint) }));
  return { areas, marks };
}

/** `true` if somewhere a metre costs another amount than on plain ground. */
export function hasCosts(mesh: NavMesh): boolean {
  return Object.values(mesh.areas).some(({ cost }) => cost !== 1);
}
