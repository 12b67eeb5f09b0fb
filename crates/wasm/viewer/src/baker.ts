// The page's side of the worker: one job at a time; a job that nobody waits for any more is ended.
import type { Judgement, Shape, Stages } from "waymesh";
import InlineWorker from "./worker?worker&inline";
import type { Answer, AnySettings, Explanation, Load, Made, Opened, Request, Source } from "./messages";
import type { Point } from "./project";

type Unnumbered<T> = T extends Request ? Omit<T, "id"> : never;

/** The job was ended because another one took its place, or by hand. */
export class Ended extends Error {}

export class Baker {
  #worker: Worker | null = null;
  #open: { source: Source; load: Load } | null = null;
  #count = 0;
  #waiting: { id: number; resolve: (answer: Answer) => void; reject: (error: Error) => void } | null = null;

  /**
   * `module` is the compiled package: a worker that takes the place of one that was ended needs no
   * network.
   */
  constructor(
    private readonly module: WebAssembly.Module,
    private readonly progress: (stage: string, done: number) => void,
  ) {}

  get isBusy(): boolean {
    return this.#waiting !== null;
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new InlineWorker();
    worker.postMessage({ id: 0, kind: "module", module: this.module } satisfies Request);
    worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
      const waiting = this.#waiting;
      if (data.id !== waiting?.id) return;
      if ("stage" in data) {
        this.progress(data.stage, data.done);
        return;
      }
      this.#waiting = null;
      if ("error" in data) waiting.reject(new Error(data.error));
      else waiting.resolve(data);
    });
    worker.addEventListener("error", (event) => {
      worker.terminate();
      if (this.#worker === worker) this.#worker = null;
      this.#waiting?.reject(new Error(event.message || "the worker of this page cannot be started"));
      this.#waiting = null;
    });
    this.#worker = worker;
    // What a worker that was ended had.
    if (this.#open) worker.postMessage({ id: 0, kind: "open", ...this.#open } satisfies Request);
    return worker;
  }

  #ask(request: Unnumbered<Request>): Promise<Answer> {
    this.cancel();
    const worker = this.#start();
    this.#count += 1;
    const id = this.#count;
    return new Promise((resolve, reject) => {
      this.#waiting = { id, resolve, reject };
      worker.postMessage({ ...request, id } as Request);
    });
  }

  /** Ends the job at once. The next one gets a new worker. */
  cancel(): void {
    if (!this.#waiting) return;
    this.#worker?.terminate();
    this.#worker = null;
    this.#waiting.reject(new Ended("stopped"));
    this.#waiting = null;
  }

  async open(source: Source, load: Load): Promise<Opened> {
    const answer = await this.#ask({ kind: "open", source, load });
    this.#open = { source, load };
    return (answer as { opened: Opened }).opened;
  }

  async bake(settings: AnySettings, obstacles: Shape[]): Promise<Made> {
    return ((await this.#ask({ kind: "bake", settings, obstacles })) as { made: Made }).made;
  }

  async judge(bytes: Uint8Array): Promise<Judgement> {
    return ((await this.#ask({ kind: "judge", bytes })) as { judgement: Judgement }).judgement;
  }

  async why(at: Point, to: Point | null, settings: AnySettings): Promise<Explanation> {
    return ((await this.#ask({ kind: "why", at, to, settings })) as { explanation: Explanation }).explanation;
  }

  async stages(settings: AnySettings): Promise<Stages> {
    return ((await this.#ask({ kind: "stages", settings })) as { stages: Stages }).stages;
  }
}
