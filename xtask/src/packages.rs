//! Checks of published packages: complete files, and builds without features.

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::parts::{Tools, check as check_command, command, output, run};
use crate::release;

/// Files that every published package carries.
const FILES: [&str; 3] = ["LICENSE-APACHE", "LICENSE-MIT", "README.md"];

/// Fields of the manifest that every published package fills.
const FIELDS: [&str; 8] =
    ["categories", "description", "documentation", "homepage", "keywords", "license", "readme", "repository"];

/// Crates that no build of the facade without features may depend on.
const HEAVY: [&str; 5] = ["geo", "gltf", "ply-rs-bw", "waymesh-slices", "waymesh-storeys"];

/// Checks every published package: its manifest, and the list of its files.
pub(crate) fn check() -> Result<()> {
    let metadata: Value =
        serde_json::from_str(&output("cargo", "metadata --no-deps --format-version 1 --locked")?)?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let mut faults = Vec::new();
    release::check_versions(&mut faults)?;
    let mut count = 0;
    // `publish = false` is an empty list of registries.
    for package in packages.iter().filter(|package| package["publish"].is_null()) {
        count += 1;
        let name = package["name"].as_str().context("a package without a name")?;
        let is_empty = |value: &Value| {
            value.as_str().is_none_or(str::is_empty) && value.as_array().is_none_or(Vec::is_empty)
        };
        let missing = FIELDS.iter().filter(|field| is_empty(&package[**field]));
        faults.extend(missing.map(|field| format!("{name} has no {field}")));
        if package["metadata"]["docs"]["rs"]["all-features"] != true {
            faults.push(format!("{name} has no [package.metadata.docs.rs] with all features"));
        }
        let list = output("cargo", &format!("package --list --allow-dirty --locked --package {name}"))?;
        let missing = FILES.iter().filter(|file| !list.lines().any(|line| line == **file));
        faults.extend(missing.map(|file| format!("the package of {name} lacks {file}")));
    }
    if !faults.is_empty() {
        bail!("packages:\n{}", faults.join("\n"));
    }
    eprintln!("packages: {count}, each with its licences and its README");
    Ok(())
}

/// Dry run of the publication, in the order of the arrows between the crates.
pub(crate) fn publication(_: &Tools) -> Result<String> {
    check_command(&mut command(
        "",
        "cargo",
        "publish --workspace --dry-run --no-verify --locked --allow-dirty",
    ))
}

/// Checks the facade without its features, and what that saves. The part `features` checks every
/// other set of features.
pub(crate) fn least() -> Result<()> {
    let words = "clippy --locked --package waymesh --no-default-features --example minimal -- -D warnings";
    run(&mut command("", "cargo", words))?;
    let crates = |more: &str| -> Result<Vec<String>> {
        let words = "tree --locked --package waymesh --edges normal --prefix none";
        let tree = output("cargo", &format!("{words} {more}"))?;
        let mut names: Vec<String> =
            tree.lines().filter_map(|line| Some(line.split_once(' ')?.0.to_owned())).collect();
        names.sort();
        names.dedup();
        Ok(names)
    };
    let (all, least) = (crates("")?, crates("--no-default-features")?);
    if let Some(name) = HEAVY.iter().find(|name| least.iter().any(|found| found == *name)) {
        bail!("waymesh without features depends on {name}");
    }
    eprintln!("features: waymesh stands on {} crates, without features on {}", all.len(), least.len());
    Ok(())
}
