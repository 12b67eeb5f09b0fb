// Builds the npm package into the folder `pkg`: node build.mjs [--fast] [--names]
//
// With the sources of the standard library (rustup component add rust-src) it builds that, too:
// then panics abort at once, without texts, which makes the modules smaller. Else it takes the
// library that rustup brings (rustup target add wasm32-unknown-unknown). With --fast it takes that
// first, and neither makes the package of queries alone nor calls wasm-opt. With --names the
// functions keep their names, for profilers.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const folder = dirname(fileURLToPath(import.meta.url));
const [isFast, withNames] = ["--fast", "--names"].map((word) => process.argv.includes(word));
const target = "wasm32-unknown-unknown";
const targetFolder = process.env.CARGO_TARGET_DIR ?? join(folder, "../../target/web");

function run(program, words, more = {}) {
  console.error("$", program, words.join(" "));
  execFileSync(program, words, { cwd: folder, stdio: ["ignore", "inherit", "inherit"], ...more });
}

function cargo([command, ...words], variables = {}) {
  const env = { ...process.env, CARGO_TARGET_DIR: targetFolder, CARGO_PROFILE_DEV_DEBUG: "0", CARGO_PROFILE_DEV_OPT_LEVEL: "0", ...variables };
  run("cargo", [command, "--locked", ...words], { env });
}

/** The output of a program, or nothing if it cannot be had. */
function ask(program, words, variables = {}) {
  const env = { ...process.env, ...variables };
  const found = spawnSync(program, words, { cwd: folder, encoding: "utf8", env });
  return found.status === 0 ? found.stdout.trim() : "";
}

/** How cargo is called: its variables, and more arguments. */
function toolchain() {
  const flagged = (...flags) => ({ CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS: ["-Ctarget-feature=+simd128", ...flags].join(" ") });
  const hasTarget = existsSync(join(ask("rustc", ["--print", "sysroot"]), "lib/rustlib", target));
  if (hasTarget && isFast) return { variables: flagged(), words: [] };
  // An older compiler knows no panics that abort at once. What a crate has compiled of generic
  // functions those above it use, and do not compile again for size.
  const flags = ["-Zunstable-options", "-Cpanic=immediate-abort", "-Zlocation-detail=none", "-Zshare-generics=y"];
  const unstable = { RUSTC_BOOTSTRAP: "1" };
  const root = ask("rustc", [...flags, "--print", "sysroot"], unstable);
  if (root && existsSync(join(root, "lib/rustlib/src/rust/library"))) {
    // A library of small code: its sorts, compiled for every type, were a fifth of the module. Bakes
    // take as long.
    const words = ["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"];
    return { variables: { ...unstable, ...flagged(...flags) }, words };
  }
  if (!hasTarget) {
    console.error("error: no toolchain for WebAssembly: run `rustup target add wasm32-unknown-unknown`");
    process.exit(1);
  }
  console.error("without the sources of the standard library the modules are larger: `rustup component add rust-src`");
  return { variables: flagged(), words: [] };
}

const { variables, words } = toolchain();
// The last package stays until the new one is whole.
const pkg = join(targetFolder, "pkg");
rmSync(pkg, { recursive: true, force: true });
mkdirSync(pkg, { recursive: true });

/** What the target has. More of it (strings, garbage collection) no engine of today takes. */
const FEATURES = ["bulk-memory", "multivalue", "mutable-globals", "nontrapping-float-to-int", "reference-types", "sign-ext", "simd"].map(
  (feature) => `--enable-${feature}`,
);
const optimiser = join(folder, "node_modules/.bin/wasm-opt");
const canOptimise = !isFast && existsSync(optimiser);
if (!isFast && !canOptimise) console.error("wasm-opt is not there: `npm install` in this folder brings it");

/** Builds a module with these features of the crate, and puts it into the package. */
function build(name, features) {
  // With more put into others the module is larger and hardly faster.
  const link = ["--", "-Cllvm-args=-inline-threshold=5"];
  const profile = ["--config", "profile.toml", "--profile", "web"];
  cargo(["rustc", ...profile, "--target", target, ...features, ...words, ...link], variables);
  cargo(["run", "--package", "waymesh-glue", "--", join(targetFolder, target, "web/waymesh_wasm.wasm"), pkg, name]);
  const file = join(pkg, `${name}_bg.wasm`);
  rmSync(`${file}.d.ts`, { force: true });
  if (canOptimise) {
    const last = withNames ? ["-g"] : ["--strip-debug", "--strip-producers", "--strip-target-features"];
    // The linker puts the stack first, which grows down: nothing is at the lowest addresses.
    run(optimiser, ["-Oz", "--low-memory-unused", ...last, ...FEATURES, file, "-o", file]);
  }
  const glue = join(pkg, `${name}.js`);
  writeFileSync(glue, guarded(readFileSync(glue, "utf8")));
  for (const made of [file, glue]) {
    const content = readFileSync(made);
    console.error(`${made}: ${content.length} bytes, ${gzipSync(content, { level: 9 }).length} with gzip`);
  }
  // Without it TypeScript does not know what ends objects at the end of a block.
  const types = join(pkg, `${name}.d.ts`);
  writeFileSync(types, `/// <reference lib="esnext.disposable" />\n${readFileSync(types, "utf8")}`);
}

/** What wasm-bindgen says of misused objects, and what this package says. */
const TEXTS = {
  "null pointer passed to rust": "the object was freed, or is of another class",
  "recursive use of an object detected which would lead to unsafe aliasing in rust": "the object is in use: a callback cannot change what called it",
  "attempted to take ownership of Rust value while it was borrowed": "the object is in use: a callback cannot free what called it",
};

/** Helpers of the glue: errors of the package; arrays of numbers are copied whole or refused. */
const HELPERS = `
const refused = (text, kind = "input") => Object.assign(new Error(text), { name: "WaymeshError", kind });
const absent = new Proxy({}, { get() { throw refused("the module is not loaded: await init() before anything else", "not-loaded"); } });
const TEXTS = ${JSON.stringify(TEXTS)};
function listed(list) {
  if (typeof list !== "object" || !(list?.length >= 0)) throw refused(\`an array of numbers is expected, not \${String(list)}\`);
  return list.length === 0 ? [] : list;
}
function scalar(kind, name, given) {
  if (typeof given !== kind) throw refused(\`\${name} must be a \${kind}, not \${String(given)}\`);
}
function put(memory, list, at) {
  try {
    memory.set(list, at);
  } catch ({ message }) {
    throw refused(\`an array of numbers cannot be read: \${message}\`);
  }
  if (memory instanceof Float32Array || memory instanceof Float64Array || list.constructor === memory.constructor) return;
  for (let i = 0; i < list.length; i += 1) {
    if (memory[at + i] !== list[i]) throw refused(\`number \${i} of an array is \${list[i]}, but must be whole, and 0 to \${256 ** memory.BYTES_PER_ELEMENT - 1}\`);
  }
}`;

/** The glue of a module, with errors that are those of this package. */
function guarded(glue) {
  const replace = (from, to, isOptional = false) => {
    const replaced = glue.replaceAll(from, to);
    if (replaced === glue && !isOptional) throw new Error(`the glue of wasm-bindgen is not what this build knows: it lacks ${from}`);
    glue = replaced;
  };
  replace("let wasmModule, wasmInstance, wasm;", `${HELPERS.trim()}\nlet wasmModule, wasmInstance, wasm = absent;`);
  replace("if (wasm !== undefined) return wasm;", "if (wasm !== absent) return wasm;");
  replace(/throw new Error\((getStringFromWasm0\(arg0, arg1\))\);/g, "const text = $1;\n            throw refused(TEXTS[text] ?? text);");
  replace(/(function passArray\w+ToWasm0\(arg, malloc\) \{)/g, "$1\n    arg = listed(arg);");
  replace(/(get\w+ArrayMemory0\(\))\.set\(arg, (ptr \/ \d)\);/g, "put($1, arg, $2);");
  replace("function passStringToWasm0(arg, malloc, realloc) {", "function passStringToWasm0(arg, malloc, realloc) {\n    if (typeof arg !== \"string\") throw refused(`a text is expected, not ${String(arg)}`);");
  // WebAssembly makes numbers and flags of whatever it gets: null would be agent 0.
  replace(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n *(?:static )?\w+\([^)]*\) \{/g, (start, about) => {
    const scalars = [...about.matchAll(/@param \{(number|boolean)(?: \| null)?\} (\[?)(\w+)/g)];
    return start + scalars.map(([, kind, isOptional, name]) => `\n        ${isOptional ? `if (${name} !== undefined && ${name} !== null) ` : ""}scalar("${kind}", "${name}", ${name});`).join("");
  });
  // Bundlers put `_` before the names of some classes.
  replace("throw new Error(`expected instance of ${klass.name}`);", "throw refused(`an object of the class ${klass.name.replace(/^_/, \"\")} is expected, not ${String(instance)}`);", true);
  return glue;
}

// Alone, queries are to be small: with less, a path takes up to a fourth longer, and with more, the
// module has more than 150 kB.
const small = [["wasm", "z"], ["graph", "s"], ["core", "z"]].flatMap(([name, level]) => ["--config", `profile.web.package.waymesh-${name}.opt-level="${level}"`]);
if (!isFast) build("queries", ["--no-default-features", ...small]);
build("waymesh", []);
cpSync(join(folder, "package"), pkg, { recursive: true });
// Node takes half a millisecond for each file of a program.
const bundler = join(folder, "node_modules/.bin/esbuild");
if (existsSync(bundler)) {
  const files = ["node.js", "worker-node.js"].map((name) => join(pkg, name));
  run(bundler, ["--bundle", "--format=esm", "--platform=node", "--allow-overwrite", "--log-level=warning", `--outdir=${pkg}`, ...files]);
}
for (const file of ["LICENSE-APACHE", "LICENSE-MIT", "README.md"]) {
  if (existsSync(join(folder, file))) writeFileSync(join(pkg, file), readFileSync(join(folder, file)));
}
rmSync(join(folder, "pkg"), { recursive: true, force: true });
cpSync(pkg, join(folder, "pkg"), { recursive: true });
