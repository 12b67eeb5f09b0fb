//! House rules that the compiler does not check.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::{comments, links, modules, root};

/// Longest Rust file.
const MAX_LINES: usize = 800;

/// Workspace crates that a crate may use (without dev-dependencies). A crate that is not listed may
/// use any.
const ARROWS: &[(&str, &str)] = &[
    ("core", ""),
    ("voxel", "core"),
    ("region", "core"),
    ("contour", "core"),
    ("triangulate", "core"),
    ("convex", "core"),
    ("detail", "core"),
    ("solid", "core"),
    ("slices", "core"),
    ("floorplan", "core"),
    ("storeys", "core"),
    ("tile", "core"),
    ("graph", "core"),
    ("crowd", "core graph"),
    ("scenes", "core"),
    ("io", "core graph"),
    ("contract", "core scenes"),
    ("testkit", "core graph contract"),
    (
        "waymesh",
        "core voxel region contour triangulate convex detail solid slices floorplan storeys tile graph io",
    ),
    ("metrics", "core graph"),
    ("cli", "waymesh scenes metrics gpu"),
    ("python", "waymesh crowd"),
    ("bevy", "waymesh crowd"),
    ("gpu", "core voxel storeys convex"),
    ("c", "waymesh crowd"),
    ("wasm", "waymesh core graph crowd metrics scenes"),
];

/// Additional crates that tests of a published crate may use: never another stage.
const DEV_ARROWS: [&str; 3] = ["core", "testkit", "scenes"];

/// Tests that need the facade, in crates that the facade does not use.
const FACADE_TESTS: [&str; 2] = ["crowd", "gpu"];

/// Runs every check and lists all that fail.
pub(crate) fn run() -> Result<()> {
    let root = root();
    let mut faults = Vec::new();
    let files = files_under(&root)?;
    arrows(&root, &mut faults)?;
    for name in crate_names(&root)? {
        modules::check(&root, &name, &mut faults)?;
    }
    sources(&root, &files, &mut faults)?;
    bad_fields(&root, &files, &mut faults)?;
    snapshots(&root, &files, &mut faults)?;
    map(&root, &mut faults)?;
    links::check(&root, &files, &mut faults)?;
    if faults.is_empty() {
        eprintln!("tidy: {} files, no fault", files.len());
        return Ok(());
    }
    for fault in &faults {
        eprintln!("tidy: {fault}");
    }
    bail!("tidy found {} faults", faults.len());
}

pub(crate) fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// All files of the project, without build outputs and version control, in order.
pub(crate) fn files_under(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                if !["target", ".git", "out", "node_modules", "pkg", "dist"].contains(&name.as_str()) {
                    folders.push(path);
                }
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The names in a folder, in order.
pub(crate) fn names_in(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

fn crate_names(root: &Path) -> Result<Vec<String>> {
    let crates = root.join("crates");
    let mut names = names_in(&crates)?;
    names.retain(|name| crates.join(name).join("Cargo.toml").exists());
    Ok(names)
}

/// Every crate uses only what it may.
fn arrows(root: &Path, faults: &mut Vec<String>) -> Result<()> {
    for name in crate_names(root)? {
        let path = root.join("crates").join(&name).join("Cargo.toml");
        let manifest: toml::Table =
            read(&path)?.parse().with_context(|| format!("{} is no TOML", path.display()))?;
        let Some((_, allowed)) = ARROWS.iter().find(|(owner, _)| *owner == name) else {
            faults.push(format!("crates/{name} is not in the list of arrows (xtask/src/tidy.rs)"));
            continue;
        };
        let allowed: Vec<&str> = allowed.split(' ').collect();
        let used = |table: &str| -> Vec<String> {
            let table = manifest.get(table).and_then(toml::Value::as_table);
            let keys = table.into_iter().flat_map(toml::Table::keys);
            keys.filter_map(|key| {
                Some(key.strip_prefix("waymesh-").or((key == "waymesh").then_some("waymesh"))?.to_owned())
            })
            .collect()
        };
        for target in used("dependencies").iter().filter(|target| !allowed.contains(&target.as_str())) {
            faults.push(format!("crates/{name} must not depend on {target}"));
        }
        for target in used("dev-dependencies") {
            // A crate itself, with features that are off by default.
            let fine = target == name
                || DEV_ARROWS.contains(&target.as_str())
                || allowed.contains(&target.as_str())
                || (target == "waymesh" && FACADE_TESTS.contains(&name.as_str()));
            if !fine {
                faults.push(format!("the tests of crates/{name} must not depend on {target}"));
            }
        }
        let package = manifest.get("package").and_then(toml::Value::as_table);
        let description = package.and_then(|package| package.get("description")?.as_str());
        if description.is_none_or(str::is_empty) {
            faults.push(format!("crates/{name} has no description"));
        }
    }
    Ok(())
}

/// No file too long, nothing unfinished, no path of one machine.
fn sources(root: &Path, files: &[PathBuf], faults: &mut Vec<String>) -> Result<()> {
    // Spelled in two halves, or this file would find itself.
    let unfinished = [concat!("todo", "!("), concat!("unimplemented", "!("), concat!("#[", "ignore")];
    let machine = [concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/tm", "p/"), concat!("/wo", "rk/")];
    let mut docs = comments::Docs::default();
    for path in files {
        // With slashes on every system.
        let name = path.strip_prefix(root).unwrap_or(path).display().to_string().replace('\\', "/");
        let is_text = ["rs", "toml", "md", "txt", "yml", "sh", "js", "mjs", "ts"]
            .iter()
            .any(|ending| name.ends_with(&format!(".{ending}")))
            || name.ends_with(".ci/run");
        if !is_text {
            continue;
        }
        let text = read(path)?;
        if name.ends_with(".md") {
            comments::check_markdown(&name, &text, faults);
        }
        if name.ends_with(".rs") {
            docs.note(&name, &text, faults);
            let lines = text.lines().count();
            if lines > MAX_LINES {
                faults.push(format!("{name} has {lines} lines, the limit is {MAX_LINES}"));
            }
            for word in unfinished.iter().filter(|word| text.contains(**word)) {
                faults.push(format!("{name} holds {word}"));
            }
        }
        if [".rs", ".js", ".mjs", ".ts"].iter().any(|ending| name.ends_with(ending)) {
            comments::check(&name, &text, faults);
        }
        for word in machine.iter().filter(|word| text.contains(**word)) {
            faults.push(format!("{name} names a path of one machine ({word})"));
        }
    }
    docs.check(faults);
    Ok(())
}

/// Every `validate` of a configuration returns a `BadField`, or an error that holds one.
fn bad_fields(root: &Path, files: &[PathBuf], faults: &mut Vec<String>) -> Result<()> {
    for name in crate_names(root)? {
        let folder = root.join("crates").join(&name).join("src");
        let sources = files.iter().filter(|path| path.starts_with(&folder));
        let source: String = sources.map(|path| read(path)).collect::<Result<_>>()?;
        let results = source.split("fn validate(&self) -> Result<(), ").skip(1);
        for error in results.filter_map(|rest| rest.split('>').next()).collect::<BTreeSet<_>>() {
            let body = source.split(&format!("pub enum {error} {{")).nth(1).unwrap_or_default();
            let holds = body.split("\n}").next().is_some_and(|body| body.contains("BadField(#[from]"));
            // `Validate` lists the broken invariants of data.
            if !["BadField", "ViolationList"].contains(&error) && !holds {
                faults.push(format!("{error} of crates/{name} has no variant for a BadField"));
            }
        }
    }
    Ok(())
}

/// No snapshot waits for a decision, and every one names a test file that still exists.
fn snapshots(root: &Path, files: &[PathBuf], faults: &mut Vec<String>) -> Result<()> {
    for path in files {
        let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
        if name.ends_with(".snap.new") {
            faults.push(format!("{name} waits to be accepted or thrown away (cargo xtask bless)"));
        }
        if name.ends_with(".snap") {
            let text = read(path)?;
            let source = text.lines().find_map(|line| line.strip_prefix("source: "));
            if !source.is_some_and(|source| root.join(source.trim_matches('"')).exists()) {
                faults.push(format!("{name} belongs to no test file any more"));
            }
        }
    }
    Ok(())
}

/// Checks that every snapshot was compared by the test run that wrote `references`, one path a
/// line; insta does not check that itself.
pub(crate) fn orphans(references: &Path) -> Result<()> {
    let seen: BTreeSet<PathBuf> =
        read(references)?.lines().filter_map(|line| fs::canonicalize(line.trim()).ok()).collect();
    let mut orphans = files_under(&root())?;
    orphans.retain(|path| path.extension().is_some_and(|ending| ending == "snap"));
    // A file that was just listed has a canonical path.
    orphans.retain(|path| fs::canonicalize(path).is_ok_and(|path| !seen.contains(&path)));
    let orphans: Vec<String> = orphans.iter().map(|path| path.display().to_string()).collect();
    if !orphans.is_empty() {
        bail!("no test looks at these snapshots any more:\n{}", orphans.join("\n"));
    }
    Ok(())
}

/// ARCHITECTURE.md names every crate.
fn map(root: &Path, faults: &mut Vec<String>) -> Result<()> {
    let map = read(&root.join("ARCHITECTURE.md"))?;
    for name in crate_names(root)? {
        if !map.contains(&format!("`{name}`")) {
            faults.push(format!("ARCHITECTURE.md does not name `{name}`"));
        }
    }
    Ok(())
}
