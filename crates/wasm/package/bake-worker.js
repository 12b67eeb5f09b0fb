// Bakes in a Web Worker, so that a page stays alive and a bake can be ended at once.

function failure({ message, kind }) {
  return Object.assign(new Error(message), { name: "WaymeshError", kind });
}

/** A worker that bakes one job at a time. */
export class BakeWorker {
  #worker = null;
  #make;
  #module;
  #id = 0;
  #job = null;

  /**
   * @param module the compiled module, or the address of its file; by default the one beside this
   *   file
   * @param make makes the worker; by default from the file beside this one
   */
  constructor(module, make) {
    this.#module = module ?? new URL("./waymesh_bg.wasm", import.meta.url);
    this.#make = make ?? (() => new Worker(new URL("./worker.js", import.meta.url), { type: "module" }));
  }

  #start() {
    if (this.#worker) return;
    this.#worker = this.#make();
    const module = this.#module instanceof URL ? this.#module.href : this.#module;
    this.#worker.postMessage({ module });
    this.#worker.addEventListener("message", ({ data }) => this.#hear(data));
    this.#worker.addEventListener("error", (event) => {
      // The module's memory may be in any state.
      this.#stop(failure({ message: event.message || "the worker cannot be started", kind: "bake" }));
    });
  }

  #hear(data) {
    const job = this.#job;
    if (!job || data.id !== job.id) return;
    if (data.stage !== undefined) {
      job.progress?.(data.stage, data.done);
      return;
    }
    this.#job = null;
    if (data.error) job.reject(failure(data.error));
    else job.resolve({ bytes: data.bytes, report: data.report });
  }

  #stop(error) {
    this.#worker?.terminate();
    this.#worker = null;
    const job = this.#job;
    this.#job = null;
    job?.reject(error);
  }

  /** Bakes; a job that still runs is ended. */
  bake(job, progress) {
    if (this.#job) this.cancel();
    this.#start();
    this.#id += 1;
    const id = this.#id;
    return new Promise((resolve, reject) => {
      this.#job = { id, progress, resolve, reject };
      this.#worker.postMessage({ id, job });
    });
  }

  /** `true` while a job runs. */
  get isBusy() {
    return this.#job !== null;
  }

  /** Ends the job at once: its promise is rejected with an error of the kind "cancelled". */
  cancel() {
    this.#stop(failure({ message: "the bake was cancelled", kind: "cancelled" }));
  }

  /** Ends the worker. */
  close() {
    this.cancel();
  }
}
