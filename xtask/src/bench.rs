//! Benchmarks.

use anyhow::Result;
use clap::Args;

use crate::cargo;

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Compare with native Recast and rerecast, interleaved in one run. Needs a C++ compiler.
    #[arg(long)]
    peers: bool,
    /// Passed on to the benchmark program.
    #[arg(last = true)]
    rest: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct EvaluateArgs {
    /// Scene files, or names of embedded scenes. Default: Recast's levels, else the embedded scenes.
    scenes: Vec<String>,
    /// Cell size and level height.
    #[arg(long, default_value = "0.3/0.2")]
    cell: String,
    /// Leave the other tools out; then no C++ compiler is needed.
    #[arg(long)]
    ours: bool,
}

/// The table of figures, a column per tool.
pub(crate) fn evaluate(args: &EvaluateArgs) -> Result<()> {
    let mut words = vec!["run", "--release", "--package", "waymesh-benches"];
    if !args.ours {
        words.extend(["--features", "peers"]);
    }
    words.extend(["--", "--judge", "--cell", &args.cell]);
    let scenes = args.scenes.join(",");
    if !scenes.is_empty() {
        words.extend(["--scenes", &scenes]);
    }
    cargo(&words, &[])
}

/// Criterion's stage benches, or the table beside the peers.
pub(crate) fn run(args: &BenchArgs) -> Result<()> {
    let mut words = if args.peers {
        vec!["run", "--release", "--package", "waymesh-benches", "--features", "peers", "--"]
    } else {
        vec!["bench", "--package", "waymesh-benches", "--"]
    };
    words.extend(args.rest.iter().map(String::as_str));
    cargo(&words, &[])
}
