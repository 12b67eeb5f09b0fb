//! Real levels and data, where they lie beside the checkout (`../shared/scenes`).

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// A scene file.
#[derive(Clone, Debug, PartialEq)]
pub struct RealLevel {
    /// Folder and file below the folder of all levels, without the ending.
    pub name: String,
    /// The file.
    pub file: PathBuf,
    /// Metres per unit, if known.
    pub unit: Option<f32>,
}

impl RealLevel {
    /// The level in this file. Its unit is `unit_m` of the JSON file beside it.
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

/// All real levels, by name: what `is_scene` knows in the folder and its folders. If there are
/// none, says so as [`find`] does.
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
        say_skipped("the folder of real levels");
    }
    levels
}

/// `unit_m` in the JSON file beside a level.
fn unit_beside(file: &Path) -> Option<f32> {
    let text = std::fs::read_to_string(file.with_extension("json")).ok();
    // Recast's own levels have no JSON beside them, and are in metres.
    let golden = file.extension().is_some_and(|ending| ending == "obj").then_some(1.0);
    let json = text.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let unit = json.and_then(|json| json.get("unit_m").and_then(Value::as_f64));
    #[expect(clippy::cast_possible_truncation, reason = "a scale")]
    let unit = unit.map(|unit| unit as f32).filter(|unit| unit.is_finite() && *unit > 0.0);
    unit.or(golden)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/scenes")
}

/// A file or folder of the real levels, by its path there. Where it is absent, says on stderr that
/// a test is skipped, past the test harness, which keeps back what passing tests print.
#[must_use]
pub fn find(path: &str) -> Option<PathBuf> {
    let full = root().join(path);
    if full.exists() {
        return Some(full);
    }
    say_skipped(path);
    None
}

fn say_skipped(what: &str) {
    // A closed stderr is no reason to fail.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what} is not beside the checkout");
}
