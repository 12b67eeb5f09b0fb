//! `cargo xtask ...`: the gate and its parts, snapshots and benches.

mod bench;
mod cases;
mod ci;
mod comments;
mod count;
mod fuzz;
mod links;
mod modules;
mod packages;
mod parts;
mod programs;
mod readmes;
mod release;
mod skipped;
mod tables;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(name = "cargo xtask", about = "The workspace's own commands")]
struct Xtask {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Run the gate: format, tidy, tests, docs, or other parts by name.
    Ci(ci::CiArgs),
    /// Check the house rules: which crate uses which, file and line lengths, orphaned snapshots,
    /// the table of crates in ARCHITECTURE.md.
    Tidy,
    /// Print the lines of code, comments and tests of each crate, and its public items.
    Count,
    /// Check what goes to crates.io: the files of every package, and the facade without its features.
    Packages,
    /// Compile the programs of the READMEs outside of the workspace, with the newest and the oldest
    /// dependencies.
    Readmes,
    /// Print the version of all packages, or write a new one to all manifests.
    Version(release::VersionArgs),
    /// Build the program and pack it with manual pages and completions, for one platform.
    Dist(release::DistArgs),
    /// Run the snapshot tests and accept the new snapshots. Commit them separately.
    Bless,
    /// Write the types of settings of Python and TypeScript, and the table in the guide.
    Settings,
    /// Run the benchmarks of every stage, or with `--peers` compare with Recast and rerecast.
    Bench(bench::BenchArgs),
    /// Judge our meshes and those of native Recast, on these scenes or on Recast's levels.
    Evaluate(bench::EvaluateArgs),
    /// Bake generated worlds at a paper's settings and at growing size, and print the figures
    /// next to the paper's.
    Tables(tables::TablesArgs),
    /// Run queries from two threads while links come and go, and check answers and memory.
    Soak {
        /// Number of queries.
        #[arg(long, value_name = "COUNT", default_value_t = 1_000_000)]
        queries: u32,
        /// Instead, change a world for this time while paths are found, and compare it with worlds
        /// built at once.
        #[arg(long, conflicts_with = "queries")]
        minutes: Option<f64>,
        /// With `minutes`: walk through a city of this side in kilometres. The tiles around the walker
        /// are read from a folder.
        #[arg(long, value_name = "KILOMETRES", requires = "minutes")]
        walk: Option<f64>,
    },
    /// Run inputs that once gave a wrong result, and compare with the right values.
    Cases(cases::CasesArgs),
    /// Run the fuzzers of every reader and stage, and print executions, coverage and findings.
    Fuzz(fuzz::FuzzArgs),
    /// Bake a scene file, or an embedded scene by name, and draw every stage in one SVG.
    // Its help is that of the program that draws.
    #[command(disable_help_flag = true)]
    Dump {
        /// The scene and options; `--help` explains them.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        rest: Vec<String>,
    },
    /// Draw the pictures of the READMEs and of the guide again.
    Pictures {
        /// Only those whose path contains this.
        only: Option<String>,
    },
}

fn main() -> ExitCode {
    let result = match Xtask::parse().task {
        Task::Ci(args) => ci::run(&args),
        Task::Tidy => tidy::run(),
        Task::Count => count::run(),
        Task::Packages => packages::check().and_then(|()| packages::least()),
        Task::Readmes => {
            readmes::run().map(|skipped| skipped.iter().for_each(|what| eprintln!("skipped: READMEs {what}")))
        }
        Task::Version(args) => release::version(&args),
        Task::Dist(args) => release::dist(&args),
        Task::Bless => bless(),
        Task::Settings => figures("settings", &[]),
        Task::Bench(args) => bench::run(&args),
        Task::Evaluate(args) => bench::evaluate(&args),
        Task::Tables(args) => tables::run(&args),
        Task::Soak { queries, minutes, walk } => soak(queries, minutes, walk),
        Task::Cases(args) => cases::run(&args),
        Task::Fuzz(args) => fuzz::run(&args),
        Task::Dump { rest } => figures("dump", &rest),
        Task::Pictures { only } => figures("pictures", only.as_slice()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The workspace's root folder.
fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_path_buf()
}

/// The folder of what cargo builds.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Runs cargo with these words and variables, in the folder where the task was started.
fn cargo(words: &[&str], variables: &[(&str, &str)]) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    parts::run(Command::new(cargo).args(words).envs(variables.iter().copied()))
}

/// Runs a task that needs the library, which the other tasks do not wait for.
fn figures(task: &str, rest: &[String]) -> Result<()> {
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    cargo(&[&["run", "--quiet", "--package", "xtask-figures", "--", task], &rest[..]].concat(), &[])
}

fn soak(queries: u32, minutes: Option<f64>, walk: Option<f64>) -> Result<()> {
    if let Some(minutes) = minutes {
        let minutes = minutes.to_string();
        let rest: Vec<String> = walk.iter().map(|side| format!("--walk={side}")).collect();
        return bench::benches("default", &["soak", "--minutes", &minutes], &rest);
    }
    let words = ["test", "--release", "-p", "waymesh-graph", "--test", "soak", "--", "--nocapture"];
    cargo(&words, &[("WAYMESH_SOAK_QUERIES", &queries.to_string())])
}

fn bless() -> Result<()> {
    cargo(
        &["test", "--workspace", "--exclude", "waymesh-gpu", "snapshot"],
        &[("INSTA_UPDATE", "always"), ("INSTA_FORCE_PASS", "1")],
    )?;
    tidy::run()
}
