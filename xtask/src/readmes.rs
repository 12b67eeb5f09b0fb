//! `cargo xtask readmes`: compiles the programs of all READMEs as a user's package would: outside
//! of the workspace and its lock file, with the newest versions of the dependencies, and with the
//! oldest that the manifests allow.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::parts::command;
use crate::tidy::names_in;
use crate::{root, target};

/// Crates with lock files of their own, and one whose dependencies take long to compile: their own
/// parts of the gate compile their READMEs.
const HAVE_PARTS: [&str; 4] = ["bevy", "gpu", "python", "wasm"];

/// Checks both ends of the versions. Without a network or a nightly toolchain it returns what was
/// skipped.
pub(crate) fn run() -> Result<Option<&'static str>> {
    let folder = target().join("readmes");
    let lock = folder.join("Cargo.lock");
    // The newest `glam` is not the one of waymesh, as in a user's package.
    write_package(&folder, "glam = \"*\"\n")?;
    let _ = std::fs::remove_file(&lock);
    if !cargo(&folder, &["generate-lockfile"])? {
        return Ok(Some("with the newest dependencies, which cannot be fetched"));
    }
    if !cargo(&folder, &["test", "--doc"])? {
        bail!("the READMEs do not compile with the newest dependencies (package {})", folder.display());
    }
    // Cargo takes the oldest versions of direct dependencies only, since other crates allow older
    // ones than they compile with. So those of waymesh are named here, too.
    write_package(&folder, &own_dependencies()?)?;
    std::fs::remove_file(&lock)?;
    if !cargo(&folder, &["+nightly", "generate-lockfile", "-Z", "direct-minimal-versions"])? {
        if cargo(&folder, &["+nightly", "--version"])? {
            bail!("the oldest versions that Cargo.toml allows do not fit each other");
        }
        return Ok(Some("with the oldest dependencies, which need a nightly toolchain"));
    }
    if !cargo(&folder, &["test", "--doc"])? {
        bail!("the READMEs do not compile with the oldest dependencies (package {})", folder.display());
    }
    Ok(None)
}

/// Returns the names of the crates whose READMEs are checked.
fn crates() -> Result<Vec<String>> {
    let mut names = names_in(&root().join("crates"))?;
    names.retain(|name| !HAVE_PARTS.contains(&name.as_str()) && readme(name).contains("```rust"));
    Ok(names)
}

fn readme(name: &str) -> String {
    std::fs::read_to_string(root().join("crates").join(name).join("README.md")).unwrap_or_default()
}

/// Returns the dependencies of the crates with the versions of the workspace. They are optional, so
/// that the lock file has them and nothing builds them for that.
fn own_dependencies() -> Result<String> {
    let read = |file: &Path| -> Result<toml::Table> { Ok(std::fs::read_to_string(file)?.parse()?) };
    let mut used = std::collections::BTreeSet::new();
    for name in crates()? {
        let manifest = read(&root().join("crates").join(name).join("Cargo.toml"))?;
        let table = manifest.get("dependencies").and_then(toml::Value::as_table);
        used.extend(table.into_iter().flat_map(toml::Table::keys).cloned());
    }
    let manifest = read(&root().join("Cargo.toml"))?;
    let all = manifest.get("workspace").and_then(|table| table.get("dependencies")?.as_table());
    let mut lines = String::new();
    for (name, value) in all.context("Cargo.toml has no workspace.dependencies")? {
        let version = value.as_str().or_else(|| value.get("version")?.as_str()).unwrap_or("*");
        if used.contains(name) && !name.starts_with("waymesh") {
            let options = "default-features = false, optional = true";
            writeln!(lines, "{name} = {{ version = \"{version}\", {options} }}")?;
        }
    }
    Ok(lines)
}

/// Writes a package that depends on all published crates and on `others`, and that has the READMEs
/// as its documentation.
fn write_package(folder: &Path, others: &str) -> Result<()> {
    let mut manifest =
        format!("[package]\nname = \"readmes\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n{others}");
    let mut library = String::new();
    for name in crates()? {
        let path = root().join("crates").join(&name);
        let package = if name == "waymesh" { name.clone() } else { format!("waymesh-{name}") };
        writeln!(manifest, "{package} = {{ path = {path:?} }}")?;
        // A module with the name of the crate would hide it.
        writeln!(
            library,
            "#[doc = include_str!({:?})]\npub mod readme_of_{name} {{}}",
            path.join("README.md")
        )?;
    }
    let project = root().join("README.md");
    writeln!(library, "#[doc = include_str!({project:?})]\npub mod readme_of_project {{}}")?;
    std::fs::create_dir_all(folder.join("src"))?;
    std::fs::write(folder.join("Cargo.toml"), manifest)?;
    std::fs::write(folder.join("src").join("lib.rs"), library)?;
    Ok(())
}

/// Runs cargo, which knows toolchains by name, and returns `true` if it succeeds.
fn cargo(folder: &Path, words: &[&str]) -> Result<bool> {
    eprintln!("$ cargo {}", words.join(" "));
    let mut command = command("", "cargo", &words.join(" "));
    command.env("CARGO_TARGET_DIR", folder.join("target")).current_dir(folder);
    Ok(command.status().context("cannot start cargo")?.success())
}
