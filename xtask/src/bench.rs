//! Benchmarks.

use anyhow::Result;
use clap::Args;

use crate::cargo;

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Compare with native Recast and rerecast, interleaved in one run. Needs a C++ compiler.
    #[arg(long)]
    peers: bool,
    /// Time queries instead of the bake: ours beside Detour and the crate polyanya. Needs a C++
    /// compiler.
    #[arg(long)]
    queries: bool,
    /// Time bakes on one and on two threads, warm and in new processes of the program, instead of
    /// stages alone.
    #[arg(long, conflicts_with_all = ["peers", "queries", "crowds"])]
    bakes: bool,
    /// Let crowds walk, ours beside those of Detour and landmass, instead of the bake. Needs a C++
    /// compiler.
    #[arg(long, conflicts_with_all = ["peers", "queries"])]
    crowds: bool,
    /// Time all that the graphics card does beside the processor, and compare the results; with
    /// --peers beside native Recast, too. `-- --software` takes an adapter in software and smaller
    /// scenes, `-- --help` lists more.
    #[arg(long, conflicts_with_all = ["queries", "bakes", "crowds"])]
    gpu: bool,
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

/// Prints the tables of figures, ours beside the other tools'.
pub(crate) fn evaluate(args: &EvaluateArgs) -> Result<()> {
    let mut words = vec!["run", "--release", "--package", "waymesh-benches"];
    if !args.rest.iter().any(|word| word == "--ours") {
        words.extend(["--features", "peers"]);
    }
    words.extend(["--", "evaluate"]);
    words.extend(args.rest.iter().map(String::as_str));
    cargo(&words, &[])
}

/// Criterion's stage benches, or the table beside the peers.
pub(crate) fn run(args: &BenchArgs) -> Result<()> {
    if args.bakes {
        let packages = ["--package", "waymesh-cli", "--package", "waymesh-benches"];
        cargo(&[&["build", "--release"][..], &packages].concat(), &[])?;
        let mut words = vec!["run", "--release", "--package", "waymesh-benches", "--", "bakes"];
        let target = std::env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".to_owned());
        let program = format!("{target}/release/waymesh");
        words.extend(["--program", &program]);
        words.extend(args.rest.iter().map(String::as_str));
        return cargo(&words, &[]);
    }
    if args.gpu {
        let features = if args.peers { "gpu,peers" } else { "gpu" };
        let words = ["run", "--release", "--package", "waymesh-benches", "--features", features, "--", "gpu"];
        let rest: Vec<&str> = args.rest.iter().map(String::as_str).collect();
        return cargo(&[&words[..], &rest].concat(), &[]);
    }
    let mut words = if args.peers || args.queries || args.crowds {
        vec!["run", "--release", "--package", "waymesh-benches", "--features", "peers", "--"]
    } else {
        vec!["bench", "--package", "waymesh-benches", "--"]
    };
    if args.crowds {
        words.push("crowds");
    }
    if args.queries {
        words.extend(["--queries", "--cell", "0.3/0.2"]);
        if args.rest.is_empty() {
            words.extend(["--scenes", "nav_test,dungeon,undulating,town,tiled-town,arena,aurora"]);
        }
    }
    words.extend(args.rest.iter().map(String::as_str));
    cargo(&words, &[])
}
