//! Benchmarks.

use std::path::PathBuf;

use anyhow::{Context, Result};
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
    /// Passed on to the benchmark program.
    #[arg(last = true)]
    rest: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct EvaluateArgs {
    /// Levels: real ones by name, embedded scenes, or files. Default: all in ../shared/scenes, else
    /// the embedded scenes.
    levels: Vec<String>,
    /// Cell size and level height.
    #[arg(long, default_value = "0.3/0.2")]
    cell: String,
    /// Sampled places per level. Default: 100000.
    #[arg(long, value_name = "COUNT")]
    samples: Option<u32>,
    /// Also judge our own pipeline with the watershed partition.
    #[arg(long)]
    watershed: bool,
    /// Leave the other tools out; then no C++ compiler is needed.
    #[arg(long)]
    ours: bool,
    /// Folder for a JSON file per level.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Draw each mesh into that folder, with missing and surplus ground marked.
    #[arg(long, requires = "out")]
    svg: bool,
    /// Write each mesh into that folder: ours as .wmesh, the others as OBJ that `waymesh evaluate
    /// --mesh` reads.
    #[arg(long, requires = "out")]
    meshes: bool,
    /// Levels judged at the same time. Default: one per core.
    #[arg(long, value_name = "COUNT")]
    jobs: Option<u32>,
}

/// Prints the tables of figures, ours beside the other tools'.
pub(crate) fn evaluate(args: &EvaluateArgs) -> Result<()> {
    let mut words = vec!["run", "--release", "--package", "waymesh-benches"];
    if !args.ours {
        words.extend(["--features", "peers"]);
    }
    words.extend(["--", "evaluate", "--cell", &args.cell]);
    let numbers = [("--samples", args.samples), ("--jobs", args.jobs)]
        .map(|(option, number)| (option, number.map(|number| number.to_string())));
    for (option, number) in &numbers {
        words.extend(number.iter().flat_map(|number| [*option, number]));
    }
    let folder = args.out.as_deref().map(std::path::absolute).transpose().context("no such folder")?;
    if let Some(folder) = &folder {
        words.extend(["--out", folder.to_str().context("the folder's name is not UTF-8")?]);
    }
    let flags = [
        ("--watershed", args.watershed),
        ("--ours", args.ours),
        ("--svg", args.svg),
        ("--meshes", args.meshes),
    ];
    words.extend(flags.iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| *flag));
    words.extend(args.levels.iter().map(String::as_str));
    cargo(&words, &[])
}

/// Criterion's stage benches, or the table beside the peers.
pub(crate) fn run(args: &BenchArgs) -> Result<()> {
    let mut words = if args.peers || args.queries {
        vec!["run", "--release", "--package", "waymesh-benches", "--features", "peers", "--"]
    } else {
        vec!["bench", "--package", "waymesh-benches", "--"]
    };
    if args.queries {
        words.extend(["--queries", "--cell", "0.3/0.2"]);
        if args.rest.is_empty() {
            words.extend(["--scenes", "nav_test,dungeon,undulating,town,tiled-town,arena,aurora"]);
        }
    }
    words.extend(args.rest.iter().map(String::as_str));
    cargo(&words, &[])
}
