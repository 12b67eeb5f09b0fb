//! `--marks`: volumes that give ground another area, from a TOML file.

use std::path::Path;

use anyhow::{Context, Result};
use glam::{Vec2, Vec3};
use serde::Deserialize;
use waymesh::voxel::{Mark, MarkShape};
use waymesh::{AreaTable, Bounds};

use crate::errors::Refusal;
use crate::files;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MarksFile {
    #[serde(default)]
    mark: Vec<Entry>,
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

impl Entry {
    fn shape(self) -> Result<MarkShape> {
        Ok(match (self.cuboid, self.cylinder, self.prism) {
            (Some(Cuboid { min, max }), None, None) => {
                MarkShape::Box { bounds: Bounds { min: Vec3::from(min), max: Vec3::from(max) } }
            }
            (None, Some(Cylinder { base, radius, height }), None) => {
                MarkShape::Cylinder { base: Vec3::from(base), radius, height }
            }
            (None, None, Some(Prism { corners, heights })) => {
                MarkShape::Prism { corners: corners.into_iter().map(Vec2::from).collect(), heights }
            }
            _ => return Err(Refusal("give it one of box, cylinder and prism".into()).into()),
        })
    }
}

/// Reads the marks of a file. Their areas join those of the table.
pub(crate) fn read(file: &Path, areas: &mut AreaTable) -> Result<Vec<Mark>> {
    let text = files::read_text(file)?;
    let marks: MarksFile =
        toml::from_str(&text).with_context(|| format!("{} is not a file of marks", file.display()))?;
    let mut result = Vec::with_capacity(marks.mark.len());
    for (number, entry) in marks.mark.into_iter().enumerate() {
        let place = || format!("{}: mark {}", file.display(), number + 1);
        let area = areas.named(&entry.area).with_context(place)?;
        result.push(Mark::new(entry.shape().with_context(place)?, area));
    }
    Ok(result)
}
