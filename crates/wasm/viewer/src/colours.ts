// Colours that stay: what is in the place of an earlier polygon keeps its colour.
import type { NavMesh } from "waymesh";

export type ColourBy = "polygon" | "island" | "region" | "area" | "height" | "wall distance" | "distance";

/** What has a number of its own, and a colour for it. */
const KINDS = ["polygon", "island", "region"] as const;
type Kind = (typeof KINDS)[number];

/** How far from the old mesh the middle of a polygon may be, in metres. */
const REACH = 1;

/** Middle and plan area of every polygon. */
export function middles(mesh: NavMesh): { at: Float32Array; areas: Float32Array } {
  const { corners, starts } = mesh.polygons;
  const vertices = mesh.vertices;
  const [at, areas] = [new Float32Array(3 * (starts.length - 1)), new Float32Array(starts.length - 1)];
  for (let polygon = 0; polygon < areas.length; polygon += 1) {
    const own = corners.subarray(starts[polygon], starts[polygon + 1]);
    let doubled = 0;
    own.forEach((vertex, index) => {
      const next = own[(index + 1) % own.length]!;
      for (let axis = 0; axis < 3; axis += 1) at[3 * polygon + axis]! += vertices[3 * vertex + axis]! / own.length;
      doubled += vertices[3 * vertex]! * vertices[3 * next + 2]! - vertices[3 * next]! * vertices[3 * vertex + 2]!;
    });
    areas[polygon] = Math.abs(doubled) / 2;
  }
  return { at, areas };
}

/** Numbers for the colours of a mesh, by polygon. */
type Numbers = Record<Kind, Uint32Array>;

export class Colours {
  #now: Numbers | null = null;
  #next: Record<Kind, number> = { polygon: 0, island: 0, region: 0 };

  forget(): void {
    this.#now = null;
    this.#next = { polygon: 0, island: 0, region: 0 };
  }

  /** The number for the colour of a polygon. */
  of(kind: Kind, polygon: number): number {
    return this.#now?.[kind][polygon] ?? polygon;
  }

  /**
   * Goes on from one mesh to the next, whose polygons, islands and regions get the numbers of
   * those that most of them was.
   */
  follow(before: NavMesh | null, mesh: NavMesh): void {
    const { islands, regions } = mesh.polygons;
    const { at, areas } = middles(mesh);
    const old = before && this.#now ? before.polygonsAt(at, { reach: REACH }) : null;
    const groups: Record<Kind, ArrayLike<number>> = { polygon: areas.map((_, polygon) => polygon), island: islands, region: regions };
    const numbers = {} as Numbers;
    for (const kind of KINDS) numbers[kind] = this.#number(kind, groups[kind], areas, old);
    this.#now = numbers;
  }

  #number(kind: Kind, groups: ArrayLike<number>, areas: Float32Array, old: Int32Array | null): Uint32Array {
    const votes = new Map<number, Map<number, number>>();
    for (let polygon = 0; polygon < areas.length; polygon += 1) {
      const was = old?.[polygon] ?? -1;
      const own = votes.get(groups[polygon]!) ?? new Map<number, number>();
      votes.set(groups[polygon]!, own);
      if (was >= 0) {
        const number = this.#now![kind][was]!;
        own.set(number, (own.get(number) ?? 0) + areas[polygon]!);
      }
    }
    // The one with most of an old number gets it.
    const claims = [...votes].flatMap(([group, own]) => [...own].map(([number, area]) => ({ group, number, area })));
    claims.sort((one, other) => other.area - one.area);
    const [given, taken] = [new Map<number, number>(), new Set<number>()];
    for (const { group, number } of claims) {
      if (given.has(group) || taken.has(number)) continue;
      given.set(group, number);
      taken.add(number);
    }
    return Uint32Array.from(areas, (_, polygon) => {
      const group = groups[polygon]!;
      let number = given.get(group);
      if (number === undefined) {
        number = this.#next[kind];
        given.set(group, number);
      }
      this.#next[kind] = Math.max(this.#next[kind], number + 1);
      return number;
    });
  }
}
