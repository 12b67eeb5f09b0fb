//! Levels to judge meshes on: real ones where they lie beside the repository, else generated ones.

use std::path::{Path, PathBuf};

use waymesh_core::{GridScale, TriangleSoup, saturating_u32};
use waymesh_io::LoadOptions;
use waymesh_scenes::SceneConfig;
use waymesh_testkit::levels::{self, RealLevel};

use crate::BenchError;
use crate::settings::{Partitioning, Settings};

/// Most columns of a grid. What needs more is judged on a larger scale.
const MOST_COLUMNS: f64 = 50e6;

/// A level, not yet loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// Its name: that of an embedded scene, or folder and file without the ending.
    pub name: String,
    /// Its file; none for an embedded scene.
    pub file: Option<PathBuf>,
    /// Metres per unit, if the file beside it tells.
    pub unit: Option<f32>,
}

impl Level {
    /// All levels in `../shared/scenes`, by name; the embedded scenes where there are none.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let is_scene = |file: &Path| waymesh_io::SceneFormat::from_extension(file).is_some();
        let mut levels: Vec<Self> = levels::all(is_scene).into_iter().map(Self::from).collect();
        if levels.is_empty() {
            levels = waymesh_scenes::Scene::ALL
                .iter()
                .map(|scene| Self { name: scene.name().to_owned(), file: None, unit: Some(1.0) })
                .collect();
        }
        levels
    }

    /// The level of this name: one of [`Level::all`] by its whole name or its last part, an
    /// embedded scene, or a file.
    ///
    /// # Errors
    /// If there is no such level; if several are meant it lists them.
    pub fn named(name: &str) -> Result<Self, String> {
        let known = Self::all();
        let is_meant = |level: &&Self| {
            level.name == name || level.name.rsplit_once('/').is_some_and(|(_, last)| last == name)
        };
        let meant: Vec<&Self> = known.iter().filter(is_meant).collect();
        match meant[..] {
            [level] => return Ok(level.clone()),
            [] => {}
            _ => {
                let names: Vec<&str> = meant.iter().map(|level| level.name.as_str()).collect();
                return Err(format!("{name} could be any of {}", names.join(", ")));
            }
        }
        if waymesh_scenes::Scene::from_name(name).is_some() {
            return Ok(Self { name: name.to_owned(), file: None, unit: Some(1.0) });
        }
        let file = PathBuf::from(name);
        if file.is_file() {
            Ok(RealLevel::of_file(file).into())
        } else {
            Err(format!("there is no level {name}"))
        }
    }

    /// The name as part of a file's name.
    #[must_use]
    pub fn stem(&self) -> String {
        self.name.replace(|letter: char| !(letter.is_alphanumeric() || "-_.".contains(letter)), "-")
    }

    /// Its triangles, in metres.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn load(&self) -> Result<TriangleSoup, BenchError> {
        let scene = waymesh_scenes::Scene::from_name(&self.name);
        match (&self.file, scene) {
            (None, Some(scene)) => Ok(scene.build(&SceneConfig::default())),
            (file, _) => {
                let options = LoadOptions::default().with_scale(self.unit.unwrap_or(1.0));
                let file = file.clone().unwrap_or_else(|| PathBuf::from(&self.name));
                Ok(waymesh_io::load_with(&[file], &options)?)
            }
        }
    }
}

impl From<RealLevel> for Level {
    fn from(RealLevel { name, file, unit }: RealLevel) -> Self {
        Self { name, file: Some(file), unit }
    }
}

/// How a level is baked: [`Settings`], and by how much cells and agent are larger than was asked
/// for.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// For all tools.
    pub settings: Settings,
    /// 1 unless the grid would have been too large.
    pub factor: u32,
}

/// Settings at this scale. Where a grid of it would be too large, cells, levels and the agent are
/// all larger by a whole factor: as if the level were smaller.
#[must_use]
pub fn fit(soup: &TriangleSoup, scale: GridScale) -> Fitted {
    let bounds = soup.bounds();
    let size = bounds.max.as_dvec3() - bounds.min.as_dvec3();
    let columns = size.x * size.z / f64::from(scale.cell_size).powi(2);
    let ratio = (columns / MOST_COLUMNS).sqrt().ceil();
    let factor = if ratio.is_finite() { saturating_u32(ratio).max(1) } else { 1 };
    let times = factor as f32;
    let scale = GridScale::new(scale.cell_size * times, scale.level_height * times);
    let mut settings = Settings::recast_demo(scale, Partitioning::Watershed);
    let agent = settings.agent;
    settings.agent = agent
        .with_height(agent.height * times)
        .with_radius(agent.radius * times)
        .with_max_step(agent.max_step * times);
    settings.max_edge_length *= times;
    Fitted { settings, factor }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    fn square(side: f32) -> TriangleSoup {
        let corners = [[0., 0., 0.], [0., 0., side], [side, 0., side]].map(Vec3::from_array);
        TriangleSoup::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap()
    }

    #[test]
    fn a_level_that_is_too_large_is_judged_on_a_larger_scale() {
        let scale = GridScale::new(0.3, 0.2);
        let small = fit(&square(100.0), scale);
        assert_eq!(
            (small.factor, small.settings),
            (1, Settings::recast_demo(scale, Partitioning::Watershed))
        );
        let large = fit(&square(10_000.0), scale);
        assert_eq!(large.factor, 5);
        let small = Settings::recast_demo(scale, Partitioning::Watershed);
        assert_eq!(large.settings.step_levels(), small.step_levels());
        assert_eq!(large.settings.radius_cells(), small.radius_cells());
        assert_eq!(large.settings.max_edge_length_cells(), small.max_edge_length_cells());
    }

    #[test]
    fn levels_have_names_and_units() {
        let folder = std::env::temp_dir().join(format!("waymesh-levels-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("hall.glb"), "").unwrap();
        std::fs::write(folder.join("hall.json"), "{\"unit_m\": 0.01}").unwrap();
        std::fs::write(folder.join("yard.glb"), "").unwrap();
        std::fs::write(folder.join("yard.json"), "{\"unit_m\": null}").unwrap();
        let level = |name: &str| Level::named(&folder.join(name).to_string_lossy()).unwrap();
        let (hall, yard) = (level("hall.glb"), level("yard.glb"));
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!((hall.name.as_str(), hall.unit), ("hall", Some(0.01)));
        assert_eq!((yard.name.as_str(), yard.unit), ("yard", None));
        let scene = Level::named("dungeon-rooms").unwrap();
        assert!(scene.file.is_none() && !scene.load().unwrap().triangles().is_empty());
        assert!(Level::named("nowhere").unwrap_err().contains("nowhere"));
        let odd = Level { name: "a b/c:d.e".to_owned(), file: None, unit: None };
        assert_eq!(odd.stem(), "a-b-c-d.e");
    }
}
