// Parts of the module, which are loaded when they are needed.
//
// In Node and in workers that happens by itself. A page must not wait for a file, so there it takes
// `loadParts`, or the option `parts` of `init`.
import { FILES } from "./parts-files.js";

/** The exports of the module, once it is there. */
let core = null;
/** How a part is read at once; `null` where it cannot be. */
let readAtOnce = typeof WorkerGlobalScope === "undefined" ? null : readInWorker;
const compiled = new Map();
const loaded = new Set();

function readInWorker(address) {
  const request = new XMLHttpRequest();
  request.open("GET", address, false);
  request.responseType = "arraybuffer";
  request.send();
  if (request.status !== 200 && request.status !== 0) throw new Error(`${address}: ${request.status} ${request.statusText}`);
  return request.response;
}

/** What a part takes of the core: functions by their places in the table, the rest by name. */
function lent(part) {
  const one = ({ name, kind }) => [name, kind === "function" ? core["~t0"].get(parseInt(name.slice(2), 36)) : core[name]];
  return { c: Object.fromEntries(WebAssembly.Module.imports(part).map(one)) };
}

function attach(name) {
  if (loaded.has(name)) return;
  const part = compiled.get(name);
  new WebAssembly.Instance(part, lent(part));
  loaded.add(name);
}

/** Names of all parts. */
export const partNames = Object.keys(FILES);

/** Sets how parts are read at once. */
export function readPartsWith(read) {
  readAtOnce = read;
}

/** The module is there: parts that were compiled before are attached. */
export function attachParts(exports) {
  core = exports;
  for (const name of compiled.keys()) attach(name);
}

/** Takes compiled parts, as `partModules` gives them. */
export function addParts(modules) {
  for (const [name, module] of Object.entries(modules)) compiled.set(name, module);
  if (core) for (const name of Object.keys(modules)) attach(name);
}

/** Called by the module: whether a part is there. Loads it if it can. A whole module has all. */
export function has(name) {
  if (!(name in FILES) || loaded.has(name)) return true;
  if (!compiled.has(name)) {
    if (!readAtOnce) return false;
    compiled.set(name, new WebAssembly.Module(readAtOnce(FILES[name]())));
  }
  attach(name);
  return true;
}

async function compile(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status} ${answer.statusText}`);
  // A server may not know the type of the file.
  if (answer.headers.get("content-type") === "application/wasm") return WebAssembly.compileStreaming(answer);
  return WebAssembly.compile(await answer.arrayBuffer());
}

/** Loads parts; all of them if none is named. */
export async function loadParts(...names) {
  const wanted = names.length > 0 ? names : partNames;
  for (const name of wanted) {
    if (!partNames.includes(name) && partNames.length > 0) throw new Error(`there is no part ${JSON.stringify(name)}; there are ${partNames.join(", ")}`);
  }
  if (readAtOnce) {
    wanted.forEach(has);
    return;
  }
  const missing = wanted.filter((name) => name in FILES && !compiled.has(name));
  const modules = await Promise.all(missing.map((name) => compile(FILES[name]())));
  addParts(Object.fromEntries(missing.map((name, index) => [name, modules[index]])));
}

/** The parts that are compiled, to give them to the `init` of a worker. */
export const partModules = () => Object.fromEntries(compiled);
