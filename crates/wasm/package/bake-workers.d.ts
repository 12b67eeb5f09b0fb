import type { BakeJob, BakeOptions, Baked } from "./bake-worker.js";
import type { Progress, Settings } from "./waymesh.js";

/** What several workers bake: a scene, in tiles of voxels. */
export interface TileJob {
  scene: Extract<BakeJob, { scene: unknown }>["scene"];
  settings?: Settings;
  format?: "wmesh" | "wmrun";
}

/** A pool of workers that bakes the tiles of one scene: the bytes of one worker. */
export class BakeWorkers {
  /**
   * @param count number of workers, 1 to 64; by default one less than the machine has cores
   * @param module the compiled module, or the address of its file; by default the one beside this file
   * @param make makes a worker; by default from the file beside this one
   */
  constructor(count?: number, module?: WebAssembly.Module | URL | string, make?: () => Worker);
  /** Bakes a scene in tiles; a job that still runs is ended. See `BakeWorker.bake`. */
  bake(job: TileJob, progress?: Progress, options?: BakeOptions): Promise<Baked>;
  /** Number of workers. */
  readonly count: number;
  /** `true` while a job runs. */
  readonly isBusy: boolean;
  /** Ends the job at once: its promise is rejected with an error of the kind "cancelled". */
  cancel(): void;
  /** Ends the workers and their job; another job starts others. */
  close(): void;
}
