// The other side of `BakeWorker` in Node.
import { parentPort } from "node:worker_threads";
import init from "./node.js";
import { serve } from "./serve.js";

serve({
  init,
  listen: (hear) => parentPort.on("message", hear),
  send: (message, transfer = []) => parentPort.postMessage(message, transfer),
});
