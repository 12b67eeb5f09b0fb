//! Pictures, and the types and tables of settings, for `cargo xtask`: what needs the library.
//! A separate package, so that the gate starts without building the library for itself.

mod dump;
mod pictures;
mod settings;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(name = "cargo xtask", about = "Pictures and tables of settings")]
struct Figures {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Write the types of settings of Python and TypeScript, and the table in the guide.
    Settings,
    /// Bake a scene file, or an embedded scene by name, and draw every stage in one SVG.
    Dump(dump::DumpArgs),
    /// Draw the pictures of the READMEs and of the guide again.
    Pictures {
        /// Only those whose path contains this.
        #[arg(default_value = "")]
        only: String,
    },
}

fn main() -> Result<()> {
    match Figures::parse().task {
        Task::Settings => settings::write(),
        Task::Dump(args) => dump::run(&args),
        Task::Pictures { only } => pictures::run(&only),
    }
}

/// The workspace's root folder.
fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().nth(2).unwrap_or(own).to_path_buf()
}

/// Runs cargo with these words and variables.
fn cargo(words: &[&str], variables: &[(&str, &str)]) -> Result<()> {
    let mut command = Command::new("cargo");
    command.args(words).envs(variables.iter().copied());
    let status = command.status().context("cannot start cargo")?;
    ensure!(status.success(), "cargo {} failed", words.join(" "));
    Ok(())
}
