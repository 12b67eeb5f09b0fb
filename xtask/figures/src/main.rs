//! Pictures, and the types and tables of settings, for `cargo xtask`: what needs the library.
//! A separate package, so that the gate starts without building the library for itself.

mod dump;
mod pictures;
mod settings;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

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

fn main() -> ExitCode {
    let result = match Figures::parse().task {
        Task::Settings => settings::write(),
        Task::Dump(args) => dump::run(&args),
        Task::Pictures { only } => pictures::run(&only),
    };
    if let Err(error) = result {
        eprintln!("error: {error:#}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// The workspace's root folder.
fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().nth(2).unwrap_or(own).to_path_buf()
}

/// Runs cargo with these words and variables, in the folder where the task was started.
fn cargo(words: &[&str], variables: &[(&str, &str)]) -> Result<()> {
    let line = words.join(" ");
    eprintln!("$ cargo {line}");
    // The cargo that started this program, which need not be the first on the path.
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(words).envs(variables.iter().copied());
    let status = command.status().with_context(|| format!("cannot start cargo {line}"))?;
    ensure!(status.success(), "cargo {line} failed");
    Ok(())
}
