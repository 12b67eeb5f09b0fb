// Bakes in a worker, so that a page stays alive and a bake can be ended at once.

export function failure({ message, kind }) {
  return Object.assign(new Error(message), { name: "WaymeshError", kind });
}

/** The job was ended. */
export const cancelled = () => failure({ message: "the bake was cancelled", kind: "cancelled" });

/** Refuses what is no object, and names that nobody reads. */
function check(what, given, names) {
  const refused = (text) => failure({ message: `${what}${text}`, kind: "input" });
  if (typeof given !== "object" || given === null) throw refused(" must be an object of names and values");
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) throw refused(`: there is no option "${unknown}"`);
}

/** Refuses a job with other parts than the types say; `inputs` are the names of what is baked. */
export function checkJob(job, inputs, progress, options) {
  check("job", job, [...inputs, "settings", "format"]);
  const given = inputs.filter((name) => job[name] !== undefined && job[name] !== null);
  if (given.length !== 1) {
    throw failure({ message: given.length > 1 ? "the job has a scene and a plan" : `the job has neither ${inputs.map((name) => `a ${name}`).join(" nor ")}`, kind: "input" });
  }
  const [name] = given;
  const { builtin, vertices } = job[name];
  check(name, job[name], builtin !== undefined ? ["builtin", "scale"] : vertices !== undefined ? ["vertices", "triangles", "areas", "options"] : ["name", "bytes", "options"]);
  if (typeof (progress ?? check) !== "function") throw failure({ message: "progress must be a function", kind: "input" });
  check("options", options ?? {}, ["signal"]);
  const { signal } = options ?? {};
  if (typeof (signal ?? new AbortController().signal).aborted !== "boolean") throw failure({ message: "options: signal must be an AbortSignal", kind: "input" });
}

/** Starts a job and waits for it; a signal ends it by `cancel`. */
export async function endedBy(signal, start, cancel) {
  if (signal?.aborted) throw cancelled();
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    return await start();
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}

/** One worker, and the jobs that it was sent. */
export class Line {
  #worker = null;
  #make;
  #module;
  #id = 0;
  #jobs = new Map();

  /**
   * @param module the compiled module, or the address of its file; `null` where the worker finds it
   *   by itself
   * @param make makes the worker
   */
  constructor(module, make) {
    this.#module = module instanceof URL ? module.href : module;
    this.#make = make;
  }

  #start() {
    if (this.#worker) return;
    const failed = (message) => failure({ message: `the worker failed: ${message || "it cannot be started"}`, kind: "bake" });
    try {
      this.#worker = this.#make();
    } catch ({ message }) {
      throw failed(message);
    }
    this.#worker.postMessage({ module: this.#module });
    this.#worker.addEventListener("message", ({ data }) => this.#hear(data));
    // The module's memory may be in any state.
    this.#worker.addEventListener("error", ({ message }) => this.stop(failed(message)));
    this.#worker.addEventListener("messageerror", () => this.stop(failed("its answer cannot be read")));
  }

  #hear(data) {
    const job = this.#jobs.get(data.id);
    if (!job) return;
    if (data.stage !== undefined) {
      try {
        if (job.progress?.(data.stage, data.done) === false) this.stop(cancelled());
      } catch (error) {
        this.stop(error);
      }
      return;
    }
    // The module's memory may be in any state: the next job gets another worker.
    if (data.error?.isFatal) return this.stop(failure(data.error));
    this.#jobs.delete(data.id);
    if (this.#jobs.size === 0) this.#worker.rest?.();
    if (data.error) job.reject(failure(data.error));
    else job.resolve(data);
  }

  /** Sends a job and returns what the worker answers. */
  ask(kind, job, { progress, transfer = [] } = {}) {
    this.#start();
    const id = ++this.#id;
    return new Promise((resolve, reject) => {
      try {
        this.#worker.postMessage({ id, kind, job }, transfer);
      } catch ({ message }) {
        throw failure({ message: `the job cannot be sent to a worker: ${message}`, kind: "input" });
      }
      this.#jobs.set(id, { progress, resolve, reject });
    });
  }

  get isBusy() {
    return this.#jobs.size > 0;
  }

  /** Ends the worker; jobs that it has are rejected with the error. */
  stop(error) {
    this.#worker?.terminate();
    this.#worker = null;
    const jobs = [...this.#jobs.values()];
    this.#jobs.clear();
    for (const job of jobs) job.reject(error);
  }
}

/** The module beside this file. */
export const besides = () => new URL("./waymesh_bg.wasm", import.meta.url);
/** A worker of the file beside this one. */
export const makeWorker = () => new Worker(new URL("./worker.js", import.meta.url), { type: "module" });

/** A worker that bakes one job at a time. */
export class BakeWorker {
  #line;
  /** Number of the newest job: the signals of those before it end nothing. */
  #newest = 0;

  constructor(module = besides(), make = makeWorker) {
    this.#line = new Line(module, make);
  }

  /** Bakes; a job that still runs is ended. */
  async bake(job, progress, options) {
    checkJob(job, ["scene", "plan"], progress, options);
    let own;
    const start = () => {
      if (this.isBusy) this.cancel();
      own = ++this.#newest;
      return this.#line.ask("bake", job, { progress });
    };
    const { bytes, report } = await endedBy(options?.signal, start, () => own === this.#newest && this.cancel());
    return { bytes, report };
  }

  /** `true` while a job runs. */
  get isBusy() {
    return this.#line.isBusy;
  }

  /** Ends the job at once: its promise is rejected with an error of the kind "cancelled". */
  cancel() {
    this.#line.stop(cancelled());
  }

  /** Ends the worker. */
  close() {
    this.cancel();
  }
}
