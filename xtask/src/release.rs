//! `cargo xtask version` and `cargo xtask dist`: steps of a release that are no part of the gate.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::parts::{command, output, run};
use crate::tidy::names_in;
use crate::{root, target};

#[derive(Debug, Args)]
pub(crate) struct VersionArgs {
    /// New version, which is written to all manifests and lock files.
    #[arg(value_name = "VERSION")]
    new: Option<String>,
    /// Fail unless this is the version.
    #[arg(long, value_name = "VERSION", conflicts_with = "new")]
    is: Option<String>,
    /// Print what the changelog says about the version.
    #[arg(long, conflicts_with_all = ["new", "is"])]
    notes: bool,
}

/// Prints, checks or changes the version of all packages.
#[expect(clippy::print_stdout, reason = "the result of the command")]
pub(crate) fn version(args: &VersionArgs) -> Result<()> {
    let old = current()?;
    if let Some(is) = &args.is {
        ensure!(*is == old, "the manifests have version {old}, not {is}");
    } else if args.notes {
        let text = fs::read_to_string(root().join("CHANGELOG.md"))?;
        let section = text.split("\n## ").find(|section| section.starts_with(&format!("[{old}]")));
        let section = section.with_context(|| format!("CHANGELOG.md has no section [{old}]"))?;
        println!("{}", section.split_once('\n').unwrap_or_default().1.trim());
    } else if let Some(new) = &args.new {
        let numbers = new.split(['-', '+']).next().unwrap_or_default();
        ensure!(
            numbers.split('.').filter(|part| part.parse::<u32>().is_ok()).count() == 3,
            "a version has three numbers, such as 0.2.0; this is {new}"
        );
        for file in files()? {
            let text = fs::read_to_string(&file)?;
            let change = |line: &str| {
                if names_version(line) {
                    let [quoted, element] = written(new);
                    let [old_quoted, old_element] = written(&old);
                    line.replace(&old_quoted, &quoted).replace(&old_element, &element)
                } else {
                    line.to_owned()
                }
            };
            fs::write(&file, text.split_inclusive('\n').map(change).collect::<String>())?;
        }
        for lock in [".", "crates/bevy", "fuzz"] {
            run(&mut command(lock, "cargo", "update --workspace --offline"))?;
        }
    } else {
        println!("{old}");
    }
    Ok(())
}

/// Returns `true` for a line with the version of a package of ours.
fn names_version(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("version = \"")
        || line.starts_with("\"version\": \"")
        || line.starts_with("<version>")
        || (line.starts_with("waymesh") && line.contains("path = ") && line.contains("version = \""))
}

/// Returns a version as lines have it: quoted, and as the text of an element of XML.
fn written(version: &str) -> [String; 2] {
    [format!("\"{version}\""), format!(">{version}<")]
}

/// Returns the version of the workspace.
fn current() -> Result<String> {
    let manifest: toml::Table = fs::read_to_string(root().join("Cargo.toml"))?.parse()?;
    let version = manifest["workspace"]["package"]["version"].as_str();
    Ok(version.context("the workspace has no version")?.to_owned())
}

/// Returns the files that state the version: packages outside of the workspace cannot inherit it.
fn files() -> Result<Vec<PathBuf>> {
    let outside = [
        "Cargo.toml",
        "crates/wasm/package/package.json",
        "crates/python/ros/package.xml",
        "crates/c/ros/package.xml",
    ];
    let mut files = outside.map(|it| root().join(it)).to_vec();
    for name in names_in(&root().join("crates"))? {
        let manifest = root().join("crates").join(name).join("Cargo.toml");
        files.extend(Some(manifest).filter(|file| file.exists()));
    }
    Ok(files)
}

/// Adds a fault for every line with a version that is not the one of the workspace.
pub(crate) fn check_versions(faults: &mut Vec<String>) -> Result<()> {
    let version = current()?;
    for file in files()? {
        for line in fs::read_to_string(&file)?.lines().filter(|line| names_version(line)) {
            if !written(&version).iter().any(|version| line.contains(version)) {
                faults.push(format!("{}: {line}, but the workspace has {version}", file.display()));
            }
        }
    }
    Ok(())
}

#[derive(Debug, Args)]
pub(crate) struct DistArgs {
    /// Platform to build for; this machine must be able to run its programs.
    #[arg(long, value_name = "TRIPLE")]
    target: String,
}

/// Builds the program with all that needs no card, and packs it with its licences, manual pages and
/// completions into `target/dist`.
pub(crate) fn dist(args: &DistArgs) -> Result<()> {
    let words =
        format!("build --release --locked --package waymesh-cli --features dxf,png --target {}", args.target);
    run(&mut command("", "cargo", &words))?;
    let program = format!("waymesh{}", if args.target.contains("windows") { ".exe" } else { "" });
    let built = target().join(&args.target).join("release").join(&program);
    let name = format!("waymesh-{}-{}", current()?, args.target);
    let folder = target().join("dist").join(&name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("man"))?;
    fs::create_dir_all(folder.join("completions"))?;
    fs::copy(&built, folder.join(&program))?;
    for file in ["LICENSE-APACHE", "LICENSE-MIT", "CHANGELOG.md", "crates/cli/README.md"] {
        let name = Path::new(file).file_name().unwrap_or_default();
        fs::copy(root().join(file), folder.join(name))?;
    }
    run(command("", &built, "man --output").arg(folder.join("man")))?;
    for (shell, file) in [
        ("bash", "waymesh.bash"),
        ("zsh", "_waymesh"),
        ("fish", "waymesh.fish"),
        ("powershell", "_waymesh.ps1"),
    ] {
        let completions = output(&built, &format!("completions {shell}"))?;
        fs::write(folder.join("completions").join(file), completions)?;
    }
    let archive = format!("{name}.tar.gz");
    run(command("", "tar", "").current_dir(target().join("dist")).args(["-czf", &archive, &name]))
}
