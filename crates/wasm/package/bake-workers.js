// Several workers bake the tiles of one scene. The mesh is that of one worker, bit for bit.
import { Line, besides, cancelled, checkJob, endedBy, failure, makeWorker } from "./bake-worker.js";

const MOST = 64;

/** A pool of workers that bakes one job at a time. */
export class BakeWorkers {
  #lines;
  /** The job that runs. */
  #job = null;

  constructor(count = Math.max((globalThis.navigator?.hardwareConcurrency ?? 2) - 1, 1), module = besides(), make = makeWorker) {
    if (!Number.isInteger(count) || count < 1 || count > MOST) throw failure({ message: `count is ${count}, but must be 1 to ${MOST}`, kind: "input" });
    this.#lines = Array.from({ length: count }, () => new Line(module, make));
  }

  /** Bakes a scene in tiles, voxels only; a job that still runs is ended. */
  async bake(job, progress, options) {
    checkJob(job, ["scene"], progress, options);
    let own;
    const start = () => {
      if (this.isBusy) this.cancel();
      own = this.#job = { isEnded: false };
      return this.#bake(own, job, progress);
    };
    return endedBy(options?.signal, start, () => own === this.#job && this.cancel());
  }

  async #bake(run, job, progress) {
    const given = { scene: job.scene, settings: job.settings };
    try {
      const counts = await Promise.all(this.#lines.map((line) => line.ask("begin", given)));
      const { count } = counts[0];
      const tiles = [];
      let next = 0;
      const work = async (line) => {
        while (next < count) {
          const { bytes } = await line.ask("tile", { index: next++ });
          tiles.push(bytes);
          if (!run.isEnded && progress?.("tiles", tiles.length / count) === false) throw cancelled();
        }
      };
      await Promise.all(this.#lines.map(work));
      const transfer = tiles.map(({ buffer }) => buffer);
      const [first, ...others] = this.#lines;
      const [{ bytes, report }] = await Promise.all([first.ask("merge", { tiles, format: job.format }, { progress, transfer }), ...others.map((line) => line.ask("end"))]);
      return { bytes, report };
    } catch (error) {
      // Others may still build tiles that nobody waits for.
      if (!run.isEnded) this.#stop(error);
      throw error;
    } finally {
      run.isEnded = true;
      if (this.#job === run) this.#job = null;
    }
  }

  #stop(error) {
    if (this.#job) this.#job.isEnded = true;
    this.#job = null;
    for (const line of this.#lines) line.stop(error);
  }

  /** Number of workers. */
  get count() {
    return this.#lines.length;
  }

  /** `true` while a job runs. */
  get isBusy() {
    return this.#job !== null;
  }

  /** Ends the job at once: its promise is rejected with an error of the kind "cancelled". */
  cancel() {
    this.#stop(cancelled());
  }

  /** Ends the workers. */
  close() {
    this.cancel();
  }
}
