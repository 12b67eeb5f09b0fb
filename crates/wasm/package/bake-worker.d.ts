import type { LoadOptions, PlanOptions, PlanSettings, Progress, Report, SceneOptions, Settings } from "./waymesh.js";

/** What a worker bakes: a scene or a floor plan. */
export type BakeJob =
  | {
      scene:
        | { name: string; bytes: ArrayBufferLike | ArrayBufferView; options?: SceneOptions }
        | { vertices: ArrayLike<number>; triangles: ArrayLike<number>; areas?: ArrayLike<number>; options?: LoadOptions }
        | { builtin: string; scale?: number };
      settings?: Settings;
      format?: "wmesh" | "wmrun";
    }
  | {
      plan: { name: string; bytes: ArrayBufferLike | ArrayBufferView; options?: PlanOptions };
      settings?: PlanSettings;
      format?: "wmesh" | "wmrun";
    };

/** The bytes of a mesh for `NavMesh.fromBytes`, and the figures of its bake. */
export interface Baked {
  bytes: Uint8Array;
  report: Report;
}

/** How a bake is ended from outside. */
export interface BakeOptions {
  /** Ends the job when it is aborted: its promise is rejected, the kind is "cancelled". */
  signal?: AbortSignal;
}

/** A worker that bakes one job at a time, so that a page stays alive and a bake can be ended. */
export class BakeWorker {
  /**
   * @param module the compiled module, or the address of its file; by default the one beside this file
   * @param make makes the worker; by default from the file beside this one
   */
  constructor(module?: WebAssembly.Module | URL | string, make?: () => Worker);
  /**
   * Bakes; a job that still runs is ended. `progress` ends this one if it returns `false` or throws.
   * Rejects with an error of the kind "input" for names that no job has.
   */
  bake(job: BakeJob, progress?: Progress, options?: BakeOptions): Promise<Baked>;
  /** `true` while a job runs. */
  readonly isBusy: boolean;
  /** Ends the job at once: its promise is rejected with an error of the kind "cancelled". */
  cancel(): void;
  /** Ends the worker and its job; another job starts another worker. */
  close(): void;
}
