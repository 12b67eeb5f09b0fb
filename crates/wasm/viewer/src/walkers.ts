// Agents that walk between random places of a mesh, the same ones each time.
import { Crowd } from "waymesh";
import type { NavMesh } from "waymesh";

/** Seconds of a step. */
export const STEP = 1 / 30;
/** How many places they walk between. */
const PLACES = 512;
const SEED = 7;
/** Agents of a mesh for wide ones are still drawn as persons, in metres. */
const WIDEST = 0.3;
/** Agents of a mesh that was baked without a radius. */
const NARROWEST = 0.15;

/** What an agent does, by the package's numbers. */
export const STATUS = { walking: 2, arrived: 5, blocked: 6, lost: 7 } as const;

/** Places on the island that most random places are on. */
function places(mesh: NavMesh, count: number, seed: number): Float32Array[] {
  const drawn = mesh.sample(count, seed);
  const islands = mesh.islandsAt(drawn);
  const counts = new Map<number, number>();
  for (const island of islands) counts.set(island, (counts.get(island) ?? 0) + 1);
  const largest = [...counts].reduce((most, next) => (next[1] > most[1] ? next : most))[0];
  return [...islands.keys()].filter((index) => islands[index] === largest).map((index) => drawn.subarray(3 * index, 3 * index + 3));
}

/** What the ground costs, as a text: another one needs other paths. */
function prices(mesh: NavMesh): string {
  return JSON.stringify(Object.entries(mesh.areas).map(([area, { cost }]) => [area, cost]).filter(([, cost]) => cost !== 1));
}

export class Walkers {
  readonly radius: number;
  /** Steps since the beginning. */
  steps = 0;
  #crowd: Crowd;
  #goals: Float32Array[];
  #prices: string;
  /** How many goals each agent has had. */
  #sent: Uint32Array;
  /** Agents that a person sent somewhere. */
  #ordered = new Set<number>();

  /** `starts` are places to begin at, three numbers for each of the first agents. */
  constructor(mesh: NavMesh, readonly count: number, starts: Float32Array = new Float32Array()) {
    this.radius = Math.min(Math.max(mesh.agent.radius, NARROWEST), WIDEST);
    this.#prices = prices(mesh);
    this.#goals = places(mesh, PLACES, SEED);
    this.#sent = new Uint32Array(count);
    this.#crowd = new Crowd(mesh, this.#prices === "[]" ? {} : { areaCosts: {} });
    const drawn = places(mesh, count, SEED + 1);
    for (let agent = 0; agent < count; agent += 1) {
      const start = starts.subarray(3 * agent, 3 * agent + 3);
      this.#add(start.length === 3 && mesh.polygonsAt(start)[0]! >= 0 ? start : drawn[agent % drawn.length]!);
      this.#send(agent);
    }
  }

  #add(place: Float32Array): void {
    this.#crowd.add(place, { radius: this.radius });
  }

  /** Gives an agent its next goal. */
  #send(agent: number): void {
    const turn = this.#sent[agent]!++;
    const draw = (Math.imul(agent + 1, 0x9e3779b1) ^ Math.imul(turn + 1, 0x85ebca6b)) >>> 0;
    this.#crowd.setTarget(agent, this.#goals[(draw >>> 8) % this.#goals.length]!);
  }

  /** Sends an agent to a place, where it stays. */
  order(agent: number, place: Float32Array): void {
    this.#crowd.setTarget(agent, place);
    this.#ordered.add(agent);
  }

  /** Moves all by `STEP`. Who is where it wanted to be, or cannot get there, is sent elsewhere. */
  step(): void {
    this.#crowd.step(STEP);
    this.steps += 1;
    this.statuses.forEach((status, agent) => {
      if ((status === STATUS.arrived || status === STATUS.blocked) && !this.#ordered.has(agent)) this.#send(agent);
    });
  }

  get positions(): Float32Array {
    return this.#crowd.positions;
  }

  get velocities(): Float32Array {
    return this.#crowd.velocities;
  }

  get statuses(): Uint8Array {
    return this.#crowd.statuses;
  }

  /**
   * Goes on on a mesh that has taken the place of the last. Returns `false` if that needs other
   * agents.
   */
  walkOn(mesh: NavMesh): boolean {
    if (prices(mesh) !== this.#prices || this.statuses.includes(STATUS.lost)) return false;
    this.#crowd.walkOn(mesh);
    this.#goals = places(mesh, PLACES, SEED);
    return true;
  }

  free(): void {
    this.#crowd.free();
  }
}
