//! The gate, in parts that a person can run.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use crate::parts::{self, Absent, TESTED, Tools, command, linted, run as run_command};
use crate::{packages, programs, skipped, target, tidy};

#[derive(Debug, Args)]
pub(crate) struct CiArgs {
    /// Print the name of every part, with a sentence.
    #[arg(long)]
    list: bool,
    /// Parts to run, separated by commas. Without it, those that need only a Rust toolchain run.
    #[arg(long, value_name = "PARTS", value_delimiter = ',')]
    only: Vec<String>,
    /// Let rustup and cargo install what a part lacks: toolchains, targets, tools.
    #[arg(long)]
    install: bool,
    /// Fail if a part, or a piece of it, cannot be checked since a tool is absent.
    #[arg(long)]
    strict: bool,
    /// File to which the result of each part is appended, one line each.
    #[arg(long, value_name = "FILE")]
    notes: Option<PathBuf>,
}

/// Check of a part. Returns what its note says beyond "checked", or nothing.
type Check = fn(&Tools) -> Result<String>;

/// Number of parts at the beginning of the table that need only a Rust toolchain.
const PLAIN_PARTS: usize = 3;

/// Name, purpose and check of every part, in the order of `.ci/run`.
const PARTS: &[(&str, &str, Check)] = &[
    ("format", "Layout of the sources by rustfmt.", format),
    ("tidy", "House rules, and the manifests and files of the published packages.", house_rules),
    (
        "tests",
        "All tests and examples of the workspace, compiled by clippy, and every snapshot compared.",
        tests,
    ),
    ("docs", "Documentation without a warning, with links that lead somewhere.", docs),
    ("msrv", "The workspace on the oldest Rust that its manifest promises.", parts::msrv),
    ("wasm", "The library without default features, also for WebAssembly.", parts::wasm),
    ("golden", "Hashes of the golden bakes, which are the same on every machine.", parts::golden),
    ("native", "Golden bakes with all instructions of this processor.", parts::native),
    ("arm", "Golden bakes on 64-bit ARM in an emulator (qemu, gcc for ARM).", parts::arm),
    ("features", "Every feature alone, by cargo-hack.", parts::features),
    ("peers", "The benches beside other tools, which compile Recast (C++ compiler).", parts::peers),
    (
        "readmes",
        "Programs of the READMEs in a user's package, newest and oldest dependencies.",
        parts::readmes,
    ),
    ("package", "A dry run of the publication of every crate, in order.", packages::publication),
    ("deny", "Licences and sources of all dependencies, by cargo-deny.", parts::deny),
    ("machete", "Dependencies that no crate uses, by cargo-machete.", parts::machete),
    ("book", "The guide as a book, by mdBook.", parts::book),
    ("workflows", "The workflows of the repository, by actionlint.", parts::workflows),
    ("c", "The C library from C, C++ and engines (compilers; valgrind, Godot, Mono if present).", parts::c),
    ("bevy", "The plugin for Bevy.", parts::bevy),
    (
        "gpu",
        "The stages on the graphics card, on any Vulkan adapter or in software; pictures as PNG.",
        parts::gpu,
    ),
    ("web", "The npm package, beside the native program (Node).", parts::web),
    ("viewer", "The viewer page in Chromium, with the package that `web` built.", parts::viewer),
    ("python", "The Python package: tests, types, source distribution.", parts::python),
    ("fuzz", "Every fuzzer for 20 s (nightly toolchain, cargo-fuzz).", parts::fuzz),
    ("miri", "The border of the C library in Miri (nightly toolchain).", parts::miri),
    ("picture", "A picture of the Bevy plugin, drawn in software.", parts::picture),
];

/// Runs the selected parts; the first that fails ends the run.
pub(crate) fn run(args: &CiArgs) -> Result<()> {
    if args.list {
        for (name, purpose, _) in PARTS {
            eprintln!("{name:<10} {purpose}");
        }
        return Ok(());
    }
    let find = |name: &String| {
        let part = PARTS.iter().find(|part| part.0 == name);
        part.with_context(|| format!("there is no part {name:?}; `cargo xtask ci --list` names all"))
    };
    let selected = match &args.only[..] {
        [] => PARTS[..PLAIN_PARTS].iter().collect(),
        names => names.iter().map(find).collect::<Result<Vec<_>>>()?,
    };
    let tools = Tools { install: args.install };
    let mut notes = Vec::new();
    for (name, _, check) in selected {
        eprintln!("ci: {name}");
        let began = Instant::now();
        let note = match check(&tools) {
            Ok(text) if text.is_empty() => "checked".to_owned(),
            Ok(text) => format!("checked, {text}"),
            Err(error) => match error.downcast_ref::<Absent>() {
                Some(absent) => format!("NOT CHECKED, {absent}"),
                None => bail!("{error:#}\nci: {name} failed; repeat it with: cargo xtask ci --only {name}"),
            },
        };
        ensure!(!args.strict || !note.contains("NOT"), "ci: {name}: {note}");
        notes.push(format!("ci: {name}: {note} ({} s)\n", began.elapsed().as_secs()));
        if let Some(file) = &args.notes {
            let opened = fs::File::options().create(true).append(true).open(file);
            let mut opened = opened.with_context(|| format!("cannot open {}", file.display()))?;
            opened.write_all(notes[notes.len() - 1].as_bytes())?;
        }
    }
    eprint!("{}", notes.concat());
    if args.only.is_empty() {
        let others: Vec<&str> = PARTS[PLAIN_PARTS..].iter().map(|part| part.0).collect();
        eprintln!("ci: not in this run, as they need more than a Rust toolchain: {}", others.join(", "));
    }
    Ok(())
}

fn format(_: &Tools) -> Result<String> {
    parts::check(&mut command("", "cargo", "fmt --all --check"))
}

fn house_rules(_: &Tools) -> Result<String> {
    tidy::run()?;
    packages::check()?;
    Ok(String::new())
}

fn tests(_: &Tools) -> Result<String> {
    // Snapshots are compared, never rewritten; insta notes which ones the tests compared. Property
    // tests draw the same inputs each time, so that the gate judges the change; a plain `cargo
    // test` draws new ones.
    let references = target().join("snapshot-references.txt");
    let _ = fs::remove_file(&references);
    let noted = references.to_string_lossy();
    let notes = skipped::notes();
    let missed = notes.to_string_lossy();
    let variables = [
        ("INSTA_UPDATE", "no"),
        ("PROPTEST_RNG_SEED", "2009"),
        ("INSTA_SNAPSHOT_REFERENCES_FILE", &*noted),
        (skipped::VARIABLE, &missed),
    ];
    programs::run(programs::build(TESTED)?, &variables)?;
    run_command(linted(command("", "cargo", &format!("test {TESTED} --doc"))).envs(variables))?;
    tidy::orphans(&references)?;
    examples()?;
    skipped::report(&notes);
    Ok(String::new())
}

fn docs(_: &Tools) -> Result<String> {
    // Users of C and Python read a header and stubs.
    let others = ["gpu", "c", "python", "glue"].map(|name| format!("--exclude waymesh-{name}")).join(" ");
    let mut docs = command("", "cargo", &format!("doc --workspace {others} --no-deps --locked"));
    parts::check(docs.env("RUSTDOCFLAGS", "-D warnings"))
}

/// The page of the guide that lists the examples.
const EXAMPLES: &str = include_str!("../../docs/book/src/examples.md");

/// Runs the examples that the guide lists; each checks its own results.
fn examples() -> Result<()> {
    // The tests build only those without tests, and no benches.
    run_command(&mut linted(command("", "cargo", &format!("build {TESTED} --examples --bench *"))))?;
    let name = |line: &'static str| Some(line.strip_prefix("| [")?.split_once(".rs)")?.0.split_once(']')?.0);
    let names: Vec<&str> = EXAMPLES.lines().filter_map(name).collect();
    ensure!(!names.is_empty(), "the guide lists no example");
    for name in names {
        let program = target().join("debug").join("examples").join(name);
        run_command(&mut Command::new(program))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests_of_parts {
    use std::fs;

    use super::{PARTS, PLAIN_PARTS};
    use crate::root;

    /// Names after `marker` in a text, up to a character that belongs to none.
    fn named<'a>(text: &'a str, marker: &'a str) -> impl Iterator<Item = &'a str> {
        let lists = text.split(marker).skip(1);
        let lists = lists.map(|rest| rest.split(|c: char| !(c.is_ascii_lowercase() || c == ',')).next());
        lists.flatten().flat_map(|list| list.split(',')).filter(|name| !name.is_empty())
    }

    #[test]
    fn the_gate_runs_every_part_and_workflows_name_only_parts() {
        let gate = fs::read_to_string(root().join(".ci/run")).expect(".ci/run");
        let run: Vec<&str> = gate
            .lines()
            .map(|line| line.trim_start().split(' ').collect::<Vec<_>>())
            .filter_map(|words| match words[..] {
                // The functions of the script name no part.
                ["part", name, ..] | ["late", _, name, ..] => {
                    Some(name).filter(|name| !name.starts_with('"'))
                }
                _ => None,
            })
            .collect();
        for (name, ..) in &PARTS[PLAIN_PARTS..] {
            // The tests of the workspace have the golden bakes.
            assert!(*name == "golden" || run.contains(name), ".ci/run does not run {name}");
        }
        let is_part = |name: &str| PARTS.iter().any(|part| part.0 == name);
        assert!(run.iter().all(|name| is_part(name)), "{run:?}");
        let workflows = fs::read_dir(root().join(".github/workflows")).into_iter().flatten();
        for file in workflows.map(|entry| entry.expect("an entry").path()) {
            let text = fs::read_to_string(&file).expect("a workflow");
            for name in named(&text, "--only ") {
                assert!(is_part(name), "{} names {name}", file.display());
            }
        }
    }
}
