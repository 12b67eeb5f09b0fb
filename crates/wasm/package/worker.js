// The other side of `BakeWorker` in a browser.
import init from "./waymesh.js";
import { serve } from "./serve.js";

serve({
  init,
  listen: (hear) => self.addEventListener("message", ({ data }) => hear(data)),
  send: (message, transfer = []) => self.postMessage(message, transfer),
});
