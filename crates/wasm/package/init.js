// Loads the module and its parts.
import start, { initSync as startSync } from "./waymesh.js";
import { addParts, attachParts, loadParts } from "./parts.js";

const isOptions = (given) => typeof given === "object" && given !== null && ("module_or_path" in given || "parts" in given);

export default async function init(given) {
  const { module_or_path, parts = [] } = isOptions(given) ? given : { module_or_path: given };
  const loading = parts === "all" ? loadParts() : Array.isArray(parts) ? parts.length > 0 && loadParts(...parts) : addParts(parts);
  // The files come side by side.
  const [output] = await Promise.all([start(module_or_path === undefined ? undefined : { module_or_path }), loading]);
  attachParts(output);
  return output;
}

export function initSync(given) {
  const output = startSync(given);
  attachParts(output);
  return output;
}
