//! The program `waymesh` as a library: its `main` is one call of [`run`].

#![cfg_attr(docsrs, feature(doc_cfg))]

mod args;
mod build;
mod config;
mod demo;
#[cfg(feature = "gpu")]
mod device;
mod diff;
mod errors;
mod evaluate;
mod files;
mod info;
mod manual;
mod map;
mod marks;
mod output;
mod pack;
mod path;
mod picture;
mod plan;
mod progress;
mod refusal;
mod scene;
mod settings;
mod tiles;
mod values;
mod view;
mod why;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;

use anyhow::Result;
use clap::Parser;
use waymesh::AreaTable;

use crate::args::{Command, Program};

/// Returns the peak of the heap in bytes.
static PEAK: OnceLock<fn() -> u64> = OnceLock::new();

/// Runs the program with the words of a command line, the first of which is its name.
///
/// `peak_memory` returns the peak of the heap in bytes, for reports.
pub fn run(words: Vec<OsString>, peak_memory: fn() -> u64) -> ExitCode {
    let _ = PEAK.set(peak_memory);
    let program = match parse(words) {
        Ok(program) => program,
        Err(error) => return error,
    };
    files::set_quiet(program.quiet);
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
    run_command(program.command, program.json).unwrap_or_else(|error| errors::report(&error, program.json))
}

fn parse(words: Vec<OsString>) -> Result<Program, ExitCode> {
    let words = config::expand(words).map_err(|error| errors::report(&error, errors::is_json()))?;
    Program::try_parse_from(words).map_err(|error| errors::usage(&error))
}

/// Reads settings (`--config`) and marks (`--marks`) from a file, as `waymesh COMMAND` does, and
/// does nothing with them: for tests and fuzzers.
///
/// # Errors
/// What the program would say.
pub fn check_settings(command: &str, file: &Path) -> Result<()> {
    let words = ["waymesh", command, "level.obj", "-o", "level.wmesh", "--config"].map(OsString::from);
    let words = words.into_iter().chain([file.into()]).collect();
    Program::try_parse_from(config::expand(words)?)?;
    marks::read(file, &mut AreaTable::default())?;
    Ok(())
}

fn run_command(command: Command, json: bool) -> Result<ExitCode> {
    match command {
        Command::Build(args) => build::run(*args, json)?,
        Command::Plan(args) => plan::run(&args, json)?,
        Command::Tile(args) => tiles::tile(*args, json)?,
        Command::Merge(args) => tiles::merge(&args, json)?,
        Command::Scene(args) => scene::run(&args, json)?,
        Command::Path(args) => return path::run(&args, json),
        Command::Info(args) => info::run(&args, json)?,
        Command::Evaluate(args) => evaluate::run(&args, json)?,
        Command::Diff(args) => diff::run(&args, json)?,
        Command::Why(args) => why::run(&args, json)?,
        Command::Demo(args) => demo::run(&args, json)?,
        Command::View(args) => return view::run(&args, json),
        Command::Pack(args) => pack::run(&args, json)?,
        Command::Map(args) => map::run(&args, json)?,
        Command::Completions { shell } => manual::completions(shell)?,
        Command::Man(args) => manual::man(&args, json)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Peak of the heap in bytes; 0 if it is unknown.
fn peak_memory_bytes() -> u64 {
    PEAK.get().map_or(0, |peak| peak())
}
