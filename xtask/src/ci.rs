//! The gate.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::{cargo, packages, root, skipped, target, tidy};

/// Runs every check; the first that fails ends it.
pub(crate) fn run() -> Result<()> {
    cargo(&["fmt", "--all", "--check"], &[])?;
    tidy::run()?;
    packages::check()?;
    cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"], &[])?;
    packages::features()?;
    // Snapshots are compared, never rewritten; insta notes which ones the tests looked at. Property
    // tests draw the same inputs each time, so that the gate judges the change; a plain `cargo
    // test` draws new ones.
    let references = target().join("snapshot-references.txt");
    let _ = fs::remove_file(&references);
    let noted = references.to_string_lossy();
    let notes = skipped::notes();
    let missed = notes.to_string_lossy();
    let variables = [
        ("INSTA_UPDATE", "no"),
        ("PROPTEST_RNG_SEED", "2009"),
        ("INSTA_SNAPSHOT_REFERENCES_FILE", &noted),
        (skipped::VARIABLE, &missed),
    ];
    cargo(&["test", "--workspace", "--locked"], &variables)?;
    tidy::orphans(&references)?;
    examples()?;
    // The one reader that is off by default.
    cargo(
        &["test", "--package", "waymesh-floorplan", "--features", "dxf", "--test", "readers", "--locked"],
        &[],
    )?;
    cargo(&["doc", "--workspace", "--no-deps", "--locked"], &[("RUSTDOCFLAGS", "-D warnings")])?;
    skipped::report(&notes);
    eprintln!("skipped: the npm package and the viewer, which need Node and a browser; .ci/run checks them");
    Ok(())
}

/// Runs the examples of the facade; each checks its own results.
fn examples() -> Result<()> {
    // The tests build only those without tests.
    cargo(&["build", "--package", "waymesh", "--examples", "--locked"], &[])?;
    let folder = root().join("crates").join("waymesh").join("examples");
    for entry in fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let file = entry?.path();
        if file.extension().is_some_and(|ending| ending == "rs") {
            let name = file.file_stem().unwrap_or_default();
            let program = target().join("debug").join("examples").join(name);
            eprintln!("$ {}", program.display());
            let status = Command::new(&program).status();
            let status = status.with_context(|| format!("cannot run {}", program.display()))?;
            ensure!(status.success(), "example {} failed: {status}", file.display());
        }
    }
    Ok(())
}
