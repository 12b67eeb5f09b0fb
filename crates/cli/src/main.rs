//! The `waymesh` program.

mod args;
mod build;
mod config;
mod demo;
#[cfg(feature = "gpu")]
mod device;
mod errors;
mod evaluate;
mod files;
mod heap;
mod info;
mod manual;
mod marks;
mod output;
mod pack;
mod path;
mod plan;
mod progress;
mod scene;
mod settings;
mod tiles;
mod upright;
mod values;
mod view;

use std::io::IsTerminal;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

use crate::args::{Command, Program};
use crate::heap::Heap;

#[global_allocator]
static HEAP: Heap = Heap::new();

fn main() -> ExitCode {
    let words = match config::expand(std::env::args_os().collect()) {
        Ok(words) => words,
        Err(error) => return errors::tell(&error, errors::is_json()),
    };
    let program = match Program::try_parse_from(words) {
        Ok(program) => program,
        Err(error) => return errors::usage(&error),
    };
    let level = match program.verbose {
        0 => tracing::Level::WARN,
        1 => tracing::Level::INFO,
        _ => tracing::Level::DEBUG,
    };
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .without_time()
        .init();
    run(program.command, program.json).unwrap_or_else(|error| errors::tell(&error, program.json))
}

fn run(command: Command, json: bool) -> Result<ExitCode> {
    match command {
        Command::Build(args) => build::run(*args, json)?,
        Command::Plan(args) => plan::run(&args, json)?,
        Command::Tile(args) => tiles::tile(*args, json)?,
        Command::Merge(args) => tiles::merge(&args, json)?,
        Command::Scene(args) => scene::run(&args, json)?,
        Command::Path(args) => return path::run(&args, json),
        Command::Info(args) => info::run(&args, json)?,
        Command::Evaluate(args) => evaluate::run(&args, json)?,
        Command::Demo(args) => demo::run(&args, json)?,
        Command::View(args) => return view::run(&args, json),
        Command::Pack(args) => pack::run(&args, json)?,
        Command::Completions { shell } => manual::completions(shell)?,
        Command::Man(args) => manual::man(&args, json)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Most bytes of heap held at once so far.
fn peak_memory_bytes() -> u64 {
    HEAP.peak_bytes()
}
