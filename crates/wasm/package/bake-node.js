// The workers of Node, which speak otherwise than those of browsers.
import { createRequire } from "node:module";

import { BakeWorker as InPage } from "./bake-worker.js";
import { BakeWorkers as ManyInPage } from "./bake-workers.js";

/** A worker of Node with the methods of one in a browser. The first one loads what makes them. */
function makeWorker() {
  const { Worker } = createRequire(import.meta.url)("node:worker_threads");
  const worker = new Worker(new URL("./worker-node.js", import.meta.url));
  // It does not keep the program alive while it has nothing to do.
  worker.unref();
  return {
    postMessage(message, transfer) {
      worker.postMessage(message, transfer);
      worker.ref();
    },
    rest: () => worker.unref(),
    terminate: () => void worker.terminate(),
    addEventListener(kind, run) {
      worker.on(kind, (value) => run(kind === "message" ? { data: value } : { message: String(value?.message ?? value) }));
    },
  };
}

export class BakeWorker extends InPage {
  constructor(module, make = makeWorker) {
    super(module ?? null, make);
  }
}

export class BakeWorkers extends ManyInPage {
  constructor(count, module, make = makeWorker) {
    super(count, module ?? null, make);
  }
}
