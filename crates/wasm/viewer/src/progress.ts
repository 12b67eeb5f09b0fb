// How far a whole bake is, from the stages that the last one had.
import type { Report } from "waymesh";

/** Stages of a bake, where none is known yet. */
const USUAL_STAGES = 10;
/** Seconds before an estimate is worth reading. */
const FIRST_SECONDS = 2;

export class Progress {
  #begin = performance.now();
  #weights: Map<string, number>;
  #total: number;
  #passed = new Map<string, number>();
  #share = 0;

  constructor(last: Report | null) {
    this.#weights = new Map(last?.stages.map(({ name, seconds }) => [name, seconds + 1e-3]));
    const known = [...this.#weights.values()].reduce((sum, weight) => sum + weight, 0);
    this.#total = known > 0 ? known : USUAL_STAGES;
  }

  /**
   * The share that is done, which never falls, and the seconds that are left, once they can be
   * told.
   */
  hear(stage: string, done: number): { share: number; left: number | null } {
    this.#passed.set(stage, Math.min(Math.max(done, 0), 1));
    const usual = this.#weights.size > 0 ? this.#total / this.#weights.size : 1;
    let sum = 0;
    for (const [name, part] of this.#passed) sum += (this.#weights.get(name) ?? usual) * (name === stage ? part : 1);
    this.#share = Math.max(this.#share, Math.min(sum / this.#total, 0.99));
    const seconds = (performance.now() - this.#begin) / 1000;
    const left = seconds < FIRST_SECONDS ? null : Math.ceil((seconds / this.#share) * (1 - this.#share));
    return { share: this.#share, left };
  }
}
