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
