//! Benchmarks.

use anyhow::Result;
use clap::Args;

use crate::{cargo, target};

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Compare with native Recast and rerecast, interleaved in one run. Needs a C++ compiler.
    #[arg(long)]
    peers: bool,
    /// Time queries instead of the bake: ours, Detour's and those of the crate polyanya. Needs a C++
    /// compiler.
    #[arg(long)]
    queries: bool,
    /// Time bakes on one and on two threads, warm and in new processes of the program, instead of
    /// stages alone.
    #[arg(long, conflicts_with_all = ["peers", "queries", "crowds"])]
    bakes: bool,
    /// Let crowds walk instead of the bake: ours, and those of Detour and landmass. Needs a C++
    /// compiler.
    #[arg(long, conflicts_with_all = ["peers", "queries"])]
    crowds: bool,
    /// Time the work of the graphics card and the processor, and compare the results; with --peers
    /// also native Recast. `-- --software` takes an adapter in software and smaller
    /// scenes, `-- --help` lists more.
    #[arg(long, conflicts_with_all = ["queries", "bakes", "crowds"])]
    gpu: bool,
    /// Time the shortest paths of the published maps in this folder, compared with those of the crate
    /// polyanya, and check every length.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["peers", "queries", "bakes", "crowds", "gpu"])]
    published: Option<String>,
    /// Passed on to the benchmark program.
    #[arg(last = true)]
    rest: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct EvaluateArgs {
    /// Passed on to `waymesh-benches evaluate`, whose `--help` explains them. With `--ours` no C++
    /// compiler is needed.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// Runs the benchmark program with these features, words and further words.
pub(crate) fn benches(features: &str, words: &[&str], rest: &[String]) -> Result<()> {
    let run = ["run", "--release", "--package", "waymesh-benches", "--features", features, "--"];
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    cargo(&[&run, words, &rest].concat(), &[])
}

/// Prints the tables of figures of all tools.
pub(crate) fn evaluate(args: &EvaluateArgs) -> Result<()> {
    let features = if args.rest.iter().any(|word| word == "--ours") { "default" } else { "peers" };
    benches(features, &["evaluate"], &args.rest)
}

/// Runs criterion's benches, or prints the table with the peers.
pub(crate) fn run(args: &BenchArgs) -> Result<()> {
    let rest = &args.rest;
    if args.bakes {
        cargo(&["build", "--release", "--package", "waymesh-cli"], &[])?;
        let program = target().join("release/waymesh").to_string_lossy().into_owned();
        benches("default", &["bakes", "--program", &program], rest)
    } else if args.gpu {
        benches(if args.peers { "gpu,peers" } else { "gpu" }, &["gpu"], rest)
    } else if args.crowds {
        benches("peers", &["crowds"], rest)
    } else if let Some(folder) = &args.published {
        benches("polygon-peers", &["published", folder], rest)
    } else if args.queries {
        let scenes = ["--scenes", "nav_test,dungeon,undulating,town,tiled-town,arena,aurora"];
        let words = ["--queries", "--cell", "0.3/0.2"];
        benches("peers", &[&words[..], if rest.is_empty() { &scenes } else { &[] }].concat(), rest)
    } else if args.peers {
        benches("peers", &[], rest)
    } else {
        let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
        cargo(&[&["bench", "--package", "waymesh-benches", "--"], &rest[..]].concat(), &[])
    }
}
