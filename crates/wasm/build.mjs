// Builds the npm package into the folder `pkg`: node build.mjs [--fast] [--names]
//
// With the sources of the standard library (rustup component add rust-src, or Debian's rustc-web,
// cargo-web, rust-web-src and lld-19) it builds that, too: then panics abort at once, without
// texts, which makes the module smaller. Else it takes the target of rustup
// (rustup target add wasm32-unknown-unknown). With --fast it takes that first, and makes neither
// the package of queries alone, nor parts of the module, nor the module smaller with wasm-opt. With
// --names the functions keep their names, for profilers.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { withoutSizeCheck } from "./build/allocator.mjs";
import { PARTS, addresses } from "./build/parts.mjs";
import { split } from "./build/split.mjs";

const folder = dirname(fileURLToPath(import.meta.url));
const [isFast, withNames] = ["--fast", "--names"].map((word) => process.argv.includes(word));
const target = "wasm32-unknown-unknown";
const targetFolder = process.env.CARGO_TARGET_DIR ?? join(folder, "target");

function run(program, words, more = {}) {
  console.error("$", program, words.join(" "));
  execFileSync(program, words, { cwd: folder, stdio: ["ignore", "inherit", "inherit"], ...more });
}

/** The output of a program, or nothing if it cannot be had. */
function ask(program, words, variables = {}) {
  const env = { ...process.env, ...variables };
  const found = spawnSync(program, words, { cwd: folder, encoding: "utf8", env });
  return found.status === 0 ? found.stdout.trim() : "";
}

/** How cargo is called: the program, its variables, and more arguments. */
function toolchain() {
  const sysroot = ask("rustc", ["--print", "sysroot"]);
  // What a crate has compiled of generic functions those above it use, and do not compile again for
  // size. Functions that are the same are not made one: each belongs to a part by its name
  // (build/split.mjs).
  const always = ["-Zshare-generics=y", "-Zmerge-functions=disabled", "-Ctarget-feature=+simd128"];
  const flagged = (flags) => ({ RUSTC_BOOTSTRAP: "1", CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS: flags.join(" ") });
  const rustup = { cargo: "cargo", variables: flagged(always), words: [] };
  const hasTarget = sysroot && existsSync(join(sysroot, "lib/rustlib", target));
  if (hasTarget && isFast) return rustup;
  // A library of small code: its sorts, compiled for every type, were a fifth of the module. Bakes
  // take as long.
  const words = ["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"];
  const flags = ["-Zunstable-options", "-Cpanic=immediate-abort", "-Zlocation-detail=none", ...always];
  const variables = flagged(flags);
  const candidates = [{ cargo: "cargo", rustc: "rustc", variables }];
  candidates.push({ cargo: "cargo", rustc: "rustc", variables: { ...variables, RUSTUP_TOOLCHAIN: "nightly" } });
  const linker = ["wasm-ld", "wasm-ld-19", "rust-lld"].find((name) => ask("which", [name]));
  if (linker) {
    const debian = {
      PATH: `/usr/bin:${process.env.PATH}`,
      RUSTC: "/usr/bin/rustc",
      CARGO: "/usr/bin/cargo",
      CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: linker,
    };
    candidates.push({ cargo: "/usr/bin/cargo", rustc: "/usr/bin/rustc", variables: { ...variables, ...debian } });
  }
  for (const { cargo, rustc, variables } of candidates) {
    // An older compiler knows no panics that abort at once.
    const root = ask(rustc, [...flags, "--print", "sysroot"], variables);
    if (root && existsSync(join(root, "lib/rustlib/src/rust/library"))) return { cargo, variables, words };
  }
  if (hasTarget) {
    console.error("without the sources of the standard library the module is larger: `rustup component add rust-src`");
    return rustup;
  }
  console.error(
    "error: no toolchain for WebAssembly: run `rustup target add wasm32-unknown-unknown`, " +
      "or install Debian's rustc-web, cargo-web, rust-web-src and lld-19",
  );
  process.exit(1);
}

/** The program wasm-bindgen, of the version that the crate uses. */
function bindgen() {
  const version = /^wasm-bindgen = "=([\d.]+)"/m.exec(readFileSync(join(folder, "Cargo.toml"), "utf8"))[1];
  const tools = join(targetFolder, "tools");
  const candidates = ["wasm-bindgen", join(tools, "bin/wasm-bindgen")];
  const has = (program) => ask(program, ["--version"]) === `wasm-bindgen ${version}`;
  if (!candidates.some(has)) {
    run("cargo", ["install", "wasm-bindgen-cli", "--version", version, "--root", tools, "--debug"], {
      env: { ...process.env, CARGO_PROFILE_DEV_DEBUG: "0" },
    });
  }
  return candidates.find(has);
}

const { cargo, variables, words } = toolchain();
const program = bindgen();
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

/** Optimises a module with these words; without the optimiser it stays as it is. */
function optimised(wasm, ...words) {
  if (!canOptimise) return wasm;
  const [from, to] = ["from.wasm", "to.wasm"].map((name) => join(targetFolder, name));
  writeFileSync(from, wasm);
  // The linker puts the stack first, which grows down: nothing is at the lowest addresses.
  run(optimiser, [...words, "--low-memory-unused", ...FEATURES, from, "-o", to]);
  return readFileSync(to);
}

/** Writes a file of the package and says how large it is. */
function put(name, content) {
  writeFileSync(join(pkg, name), content);
  console.error(`${name}: ${content.length} bytes, ${gzipSync(content, { level: 9 }).length} with gzip`);
}

/** Builds a module with these features of the crate, and puts it into the package in parts. */
function build(name, features, parts) {
  const env = { ...process.env, ...variables };
  // With more put into others the module is larger and hardly faster, and the check of sizes is
  // put into others, too.
  const link = ["--", "-Cllvm-args=-inline-threshold=5"];
  run(cargo, ["rustc", "--package", "waymesh-shell", "--release", "--locked", "--target", target, ...features, ...words, ...link], { env });
  run(program, [join(targetFolder, target, "release/waymesh.wasm"), "--target", "web", "--out-dir", pkg, "--out-name", name]);
  const file = join(pkg, `${name}_bg.wasm`);
  // The library of rustup has the check inside of a function that frees memory, where it does no
  // harm.
  const isOwnLibrary = words.length > 0;
  const whole = isOwnLibrary ? withoutSizeCheck(readFileSync(file)) : readFileSync(file);
  rmSync(join(pkg, `${name}_bg.wasm.d.ts`), { force: true });
  const last = ["-Oz", ...(withNames ? ["-g"] : ["--strip-debug", "--strip-producers"])];
  let [core, made] = [whole, new Map()];
  if (parts.length > 0 && !isFast) {
    // Functions that are the same are made one afterwards only, when each has its part, and a gate that
    // is inlined is none: its part would stay in the core.
    const kept = ["-g", "--skip-pass=duplicate-function-elimination"];
    ({ core, parts: made } = split(optimised(whole, "--no-inline=*part_*", "-O3", ...kept), parts, withNames));
  } else {
    last.push("--converge", "--strip-target-features");
  }
  for (const [file, wasm] of [["bg", core], ...made]) put(`${name}_${file}.wasm`, optimised(wasm, ...last));
  if (parts.length > 0) put("parts-files.js", addresses([...made.keys()]));
  put(`${name}.js`, Buffer.from(guarded(readFileSync(join(pkg, `${name}.js`), "utf8"))));
  // Without it TypeScript does not know what ends objects at the end of a block.
  const types = join(pkg, `${name}.d.ts`);
  writeFileSync(types, `/// <reference lib="esnext.disposable" />\n${readFileSync(types, "utf8")}`);
}

/** The glue of a module, which says what is missing where it is called before `init`. */
function guarded(glue) {
  const [empty, check] = ["let wasmModule, wasmInstance, wasm;", "if (wasm !== undefined) return wasm;"];
  if (!glue.includes(empty) || !glue.includes(check)) throw new Error("the glue of wasm-bindgen is not what this build knows");
  const text = "the module is not loaded: await init() before anything else";
  const absent = `const absent = new Proxy({}, { get() { throw Object.assign(new Error("${text}"), { name: "WaymeshError", kind: "part" }); } });`;
  return glue.replace(empty, `${absent}\nlet wasmModule, wasmInstance, wasm = absent;`).replaceAll(check, "if (wasm !== absent) return wasm;");
}

// Alone, queries are to be small: with less, a path takes up to a fourth longer, and with more, the
// module has more than 150 kB.
const small = [["shell", "z"], ["graph", "s"], ["core", "z"]].flatMap(([name, level]) => ["--config", `profile.release.package.waymesh-${name}.opt-level="${level}"`]);
if (!isFast) build("queries", ["--no-default-features", ...small], []);
build("waymesh", [], PARTS);
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
