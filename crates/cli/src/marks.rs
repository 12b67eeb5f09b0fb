//! `--marks`: volumes that give ground another area, from a TOML file. Settings may be in the same
//! file.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use glam::{Vec2, Vec3};
use serde::Deserialize;
use waymesh::io::{IoError, LoadOptions, load_with};
use waymesh::voxel::{ClosedMesh, Mark, MarkShape};
use waymesh::{AreaTable, Bounds, TriangleSoup};

use crate::errors::Refusal;
use crate::{config, files};

#[derive(Debug, Deserialize)]
struct MarksFile {
    #[serde(default)]
    mark: Vec<Entry>,
    #[serde(flatten)]
    others: toml::Table,
}

/// One mark; lengths in metres.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    area: String,
    #[serde(rename = "box")]
    cuboid: Option<Cuboid>,
    cylinder: Option<Cylinder>,
    prism: Option<Prism>,
    mesh: Option<Mesh>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cuboid {
    min: [f32; 3],
    max: [f32; 3],
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cylinder {
    base: [f32; 3],
    radius: f32,
    height: f32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Prism {
    corners: Vec<[f32; 2]>,
    heights: [f32; 2],
}

/// A closed mesh.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Mesh {
    /// A scene file; a relative name is looked for beside the file of marks.
    File(PathBuf),
    Inline(Triangles),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Triangles {
    corners: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// `folder`: where the file of marks is.
    fn read(self, folder: &Path) -> Result<ClosedMesh> {
        let soup = match self {
            Self::Inline(Triangles { corners, triangles }) => {
                TriangleSoup::new(corners.into_iter().map(Vec3::from).collect(), triangles)?
            }
            Self::File(name) => {
                let file = folder.join(name);
                let failed = |source| IoError::Read { file: file.clone(), source };
                if !std::fs::metadata(&file).map_err(failed)?.is_file() {
                    return Err(Refusal(format!("{} is no regular file", file.display())).into());
                }
                load_with(&[file], &LoadOptions::default())?
            }
        };
        Ok(ClosedMesh::new(&soup)?)
    }
}

/// Checks that corners are in order. Swapped ones would mark nothing.
fn ordered(name: &str, low: f32, high: f32) -> Result<()> {
    if low > high {
        let message = format!("{name}: the lower end is {low}, but the upper end is {high}; swap them");
        return Err(Refusal(message).into());
    }
    Ok(())
}

impl Entry {
    /// `folder`: where the file of marks is.
    fn shape(self, folder: &Path) -> Result<MarkShape> {
        Ok(match (self.cuboid, self.cylinder, self.prism, self.mesh) {
            (Some(Cuboid { min, max }), None, None, None) => {
                for (axis, (low, high)) in ["x", "y", "z"].into_iter().zip(min.into_iter().zip(max)) {
                    ordered(&format!("{axis} of box"), low, high)?;
                }
                MarkShape::Box { bounds: Bounds { min: Vec3::from(min), max: Vec3::from(max) } }
            }
            (None, Some(Cylinder { base, radius, height }), None, None) => {
                MarkShape::Cylinder { base: Vec3::from(base), radius, height }
            }
            (None, None, Some(Prism { corners, heights }), None) => {
                ordered("heights of prism", heights[0], heights[1])?;
                MarkShape::Prism { corners: corners.into_iter().map(Vec2::from).collect(), heights }
            }
            (None, None, None, Some(mesh)) => MarkShape::Mesh { mesh: mesh.read(folder)? },
            _ => return Err(Refusal("give it one of box, cylinder, prism and mesh".into()).into()),
        })
    }
}

/// Reads the marks of a file. Their areas join those of the table.
pub(crate) fn read(file: &Path, areas: &mut AreaTable) -> Result<Vec<Mark>> {
    let text = files::read_text(file)?;
    let marks: MarksFile =
        toml::from_str(&text).with_context(|| format!("{} is not a file of marks", file.display()))?;
    // `--config` reads the settings of the same file.
    let is_setting = |key: &str, value: &toml::Value| config::is_setting(key) && !is_section(value);
    if let Some((key, _)) = marks.others.iter().find(|(key, value)| !is_setting(key, value)) {
        return Err(Refusal(format!("{}: {key} is no setting; marks are [[mark]]", file.display())).into());
    }
    let folder = file.parent().unwrap_or(Path::new(""));
    let mut result = Vec::with_capacity(marks.mark.len());
    for (number, entry) in marks.mark.into_iter().enumerate() {
        let place = || format!("{}: mark {}", file.display(), number + 1);
        let area = areas.named(&entry.area).with_context(place)?;
        result.push(Mark::new(entry.shape(folder).with_context(place)?, area));
    }
    Ok(result)
}

/// Returns `true` for a table and for a list of tables.
fn is_section(value: &toml::Value) -> bool {
    value.is_table() || value.as_array().is_some_and(|values| values.iter().any(toml::Value::is_table))
}

#[cfg(test)]
mod tests {
    use waymesh_testkit::{Random, text::damaged};

    use super::*;

    /// For any bytes there are marks or an error.
    #[test]
    fn damaged_marks_never_panic() {
        const MARKS: &str = r#"
[[mark]]
area = "mud:3"
box = { min = [0, -1, 0], max = [4, 1, 8] }
[[mark]]
area = "blocked"
cylinder = { base = [6, 0, 3], radius = 2, height = 1 }
[[mark]]
area = "water:2"
prism = { corners = [[10, 4], [12, 4], [12, 8]], heights = [-1, 1] }
[[mark]]
area = "water"
mesh = { corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] }
"#;
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("marks.toml");
        let mut random = Random::new(9);
        let (mut refused, mut marks) = (0, 0);
        for _ in 0..2000 {
            std::fs::write(&file, damaged(MARKS, &mut random)).expect("a file");
            match super::read(&file, &mut AreaTable::default()) {
                Ok(found) => marks += found.len(),
                Err(_) => refused += 1,
            }
        }
        assert!(refused > 200 && marks > 50, "{refused} refused, {marks} marks");
    }
}
