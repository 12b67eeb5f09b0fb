//! Real levels and data, if they are next to the checkout (`../shared/scenes`).

use std::io::Write;
use std::path::{Path, PathBuf};

use glam::Vec3;
use serde_json::Value;
use waymesh_core::{TriangleSoup, nearest_f32};

/// Name of the folder of all levels in notes.
const ALL: &str = "the real levels";

/// A scene file.
#[derive(Clone, Debug, PartialEq)]
pub struct RealLevel {
    /// Path of the file in the folder of all levels, without the extension.
    pub name: String,
    /// The file.
    pub file: PathBuf,
    /// Metres per unit, if known.
    pub unit: Option<f32>,
}

impl RealLevel {
    /// Returns the level in this file. Its unit is `unit_m` of the JSON file of the same name.
    #[must_use]
    pub fn of_file(file: PathBuf) -> Self {
        let stem = file.with_extension("");
        let inside = stem.strip_prefix(root()).ok().or_else(|| stem.file_name().map(Path::new));
        let parts: Vec<_> =
            inside.unwrap_or(&stem).components().map(|part| part.as_os_str().to_string_lossy()).collect();
        let name = parts.join("/");
        Self { name, unit: unit_beside(&file), file }
    }
}

/// Returns all real levels, sorted by name: the files in the folder and its subfolders for which
/// `is_scene` returns `true`. If there are none, calls [`skipped`].
#[must_use]
pub fn all(is_scene: impl Fn(&Path) -> bool) -> Vec<RealLevel> {
    let mut folders = vec![root()];
    let mut levels = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if is_scene(&path) {
                levels.push(RealLevel::of_file(path));
            }
        }
    }
    levels.sort_by(|a, b| a.name.cmp(&b.name));
    if levels.is_empty() {
        skipped(ALL);
    }
    levels
}

/// Returns `unit_m` of the JSON file of a level.
fn unit_beside(file: &Path) -> Option<f32> {
    let text = std::fs::read_to_string(file.with_extension("json")).ok();
    // Recast's levels have no JSON file, and are in metres.
    let golden = file.extension().is_some_and(|ending| ending == "obj").then_some(1.0);
    let json = text.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let unit = json.and_then(|json| json.get("unit_m").and_then(Value::as_f64));
    let unit = unit.map(nearest_f32).filter(|unit| unit.is_finite() && *unit > 0.0);
    unit.or(golden)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/scenes")
}

/// Returns a file or folder of the real levels, by its path in their folder. If it is absent, notes
/// that this test is skipped; see [`skipped`].
#[must_use]
pub fn find(path: &str) -> Option<PathBuf> {
    let full = root().join(path);
    if full.exists() {
        return Some(full);
    }
    skipped(if path.is_empty() { ALL } else { path });
    None
}

/// Returns the vertices and faces of an OBJ file, polygons as fans. For crates that do not use
/// `waymesh-io`.
///
/// # Panics
/// If the file cannot be read, or is none.
#[must_use]
#[expect(clippy::unwrap_used, reason = "for tests")]
pub fn read_obj(path: &Path) -> TriangleSoup {
    let text = std::fs::read_to_string(path).unwrap();
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let mut next = || words.next().unwrap().parse().unwrap();
                positions.push(Vec3::new(next(), next(), next()));
            }
            Some("f") => {
                let corners: Vec<u32> =
                    words.map(|word| word.split('/').next().unwrap().parse::<u32>().unwrap() - 1).collect();
                triangles.extend((2..corners.len()).map(|i| [corners[0], corners[i - 1], corners[i]]));
            }
            _ => {}
        }
    }
    TriangleSoup::new(positions, triangles).unwrap()
}

/// Notes that the calling test lacks this file or folder of the real levels, or something else that
/// not every machine has. The note goes to
/// stderr directly, because the test harness hides the output of passing tests, and to the file in
/// the environment variable `WAYMESH_SKIPPED`, which `cargo xtask ci` summarises.
pub fn skipped(what: &str) {
    let program = std::env::current_exe().unwrap_or_default();
    let program = program.file_stem().unwrap_or_default().to_string_lossy();
    // The name without the hash that cargo adds.
    let program = program.rsplit_once('-').map_or(&*program, |(name, _)| name);
    let thread = std::thread::current();
    let test = format!("{program}::{}", thread.name().unwrap_or("main"));
    // A closed stderr is not a failure.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {test} needs {what}, which is not there");
    if let Some(notes) = std::env::var_os("WAYMESH_SKIPPED") {
        let notes = std::fs::OpenOptions::new().create(true).append(true).open(notes);
        let _ = notes.and_then(|mut notes| notes.write_all(format!("{test}\t{what}\n").as_bytes()));
    }
}
