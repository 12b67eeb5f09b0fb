//! The `waymesh` program.
//!
//! Exit codes: 0 done, 1 failed (the reason is on stderr), 2 wrong usage.

mod args;
mod build;
mod demo;
mod evaluate;
mod info;
mod output;
mod path;
mod plan;
mod progress;
mod scene;
mod settings;
mod tiles;
mod values;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Parser;
use peak_alloc::PeakAlloc;

use crate::args::{Command, Program};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

fn main() -> ExitCode {
    let program = Program::parse();
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
    let result = match program.command {
        Command::Build(args) => build::run(*args),
        Command::Plan(args) => plan::run(&args),
        Command::Tile(args) => tiles::tile(*args),
        Command::Merge(args) => tiles::merge(&args),
        Command::Scene(args) => scene::run(&args),
        Command::Path(args) => path::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Demo(args) => demo::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // A reader that has seen enough (`waymesh info | head`) is no failure.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("waymesh: {}", message(&error));
            ExitCode::FAILURE
        }
    }
}

/// The error and its causes. Some libraries repeat the cause in their own text; once is enough.
fn message(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |message, cause| {
        if message.is_empty() {
            cause
        } else if message.contains(&cause) {
            message
        } else {
            format!("{message}: {cause}")
        }
    })
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

/// Most bytes of heap held at once so far.
fn peak_memory_bytes() -> u64 {
    // The crate counts in floating kilobytes; whole bytes are exact up to 2^24 of them, which a report
    // does not need.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a size in memory, rounded to a kilobyte"
    )]
    let kilobytes = HEAP.peak_usage_as_kb().ceil() as u64;
    kilobytes * 1024
}
