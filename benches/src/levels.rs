//! Levels: real ones where they lie next to the repository, generated ones, and files.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use waymesh_core::{GridScale, TriangleSoup, saturating_u32};
use waymesh_io::LoadOptions;
use waymesh_scenes::SceneConfig;
use waymesh_testkit::levels::{self, RealLevel};

use crate::settings::{Partitioning, Settings};

/// A city block four times as wide and deep.
pub const TOWN: &str = "town";

/// Returns a generated level: a scene, or [`TOWN`].
fn generated(name: &str) -> Option<TriangleSoup> {
    if name == TOWN {
        return Some(waymesh_scenes::Scene::CityBlock.build(&SceneConfig::default().with_scale(4)));
    }
    Some(waymesh_scenes::Scene::from_name(name)?.build(&SceneConfig::default()))
}

/// Recast's levels, on which every navmesh tool is shown.
const GOLDEN: [&str; 3] = ["nav_test", "dungeon", "undulating"];

/// Most columns of a grid. What needs more is judged on a larger scale.
const MOST_COLUMNS: f64 = 50e6;

/// A level with its triangles, in metres.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Scene {
    pub name: String,
    pub soup: TriangleSoup,
}

impl Scene {
    /// The level of this name, see [`Level::named`].
    ///
    /// # Errors
    /// If there is no such level, or its file cannot be read.
    pub fn named(name: &str) -> Result<Self> {
        Level::named(name)?.load()
    }

    /// Returns Recast's levels, if they are available.
    ///
    /// # Errors
    /// If existing files cannot be read.
    pub fn golden() -> Result<Vec<Self>> {
        let file = |name: &&str| levels::find(&format!("golden/Meshes/{name}.obj"));
        GOLDEN.iter().filter_map(file).map(|file| Level::from(RealLevel::of_file(file)).load()).collect()
    }

    /// Recast's levels; generated ones where they are absent.
    ///
    /// # Errors
    /// If existing files cannot be read.
    pub fn usual() -> Result<Vec<Self>> {
        let golden = Self::golden()?;
        let names = waymesh_scenes::Scene::ALL.iter().map(|scene| scene.name());
        if golden.is_empty() { names.map(Self::named).collect() } else { Ok(golden) }
    }

    /// The levels of these names, or the usual ones.
    pub(crate) fn all(names: &[String]) -> Result<Vec<Self>> {
        if names.is_empty() { Self::usual() } else { names.iter().map(|name| Self::named(name)).collect() }
    }
}

/// A level, not yet loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// Its name: that of a generated scene, or folder and file without the ending.
    pub name: String,
    /// Its file; none for a generated scene.
    pub file: Option<PathBuf>,
    /// Metres per unit, if its JSON file states it.
    pub unit: Option<f32>,
}

impl Level {
    /// All levels in `../shared/scenes`, by name; the generated scenes where there are none.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let is_scene = |file: &Path| waymesh_io::SceneFormat::from_extension(file).is_some();
        let levels: Vec<Self> = levels::all(is_scene).into_iter().map(Self::from).collect();
        let generated = waymesh_scenes::Scene::ALL.iter().map(|scene| Self::generated(scene.name()));
        if levels.is_empty() { generated.collect() } else { levels }
    }

    fn generated(name: &str) -> Self {
        Self { name: name.to_owned(), file: None, unit: Some(1.0) }
    }

    /// The level of this name: one of [`Level::all`] by its whole name or its last part, a generated
    /// scene, [`TOWN`], or a file.
    ///
    /// # Errors
    /// If there is no such level; if there are several it lists them.
    pub fn named(name: &str) -> Result<Self> {
        if name == TOWN || waymesh_scenes::Scene::from_name(name).is_some() {
            return Ok(Self::generated(name));
        }
        let mut known = Self::all();
        known.retain(|level| {
            level.name.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        });
        match &known[..] {
            [level] => Ok(level.clone()),
            [] if Path::new(name).is_file() => Ok(RealLevel::of_file(PathBuf::from(name)).into()),
            [] => bail!("there is no level {name}"),
            _ => {
                let names: Vec<&str> = known.iter().map(|level| level.name.as_str()).collect();
                bail!("{name} could be any of {}", names.join(", "))
            }
        }
    }

    /// The name as part of a file's name.
    #[must_use]
    pub fn stem(&self) -> String {
        self.name.replace(|letter: char| !(letter.is_alphanumeric() || "-_.".contains(letter)), "-")
    }

    /// Its triangles, in metres, under the last part of its name.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn load(&self) -> Result<Scene> {
        let soup = match &self.file {
            Some(file) => {
                let options = LoadOptions::default().with_scale(self.unit.unwrap_or(1.0));
                waymesh_io::load_with(&[file], &options)?
            }
            None => generated(&self.name).with_context(|| format!("there is no level {}", self.name))?,
        };
        let name = self.name.rsplit('/').next().unwrap_or_default().to_owned();
        Ok(Scene { name, soup })
    }
}

impl From<RealLevel> for Level {
    fn from(RealLevel { name, file, unit }: RealLevel) -> Self {
        Self { name, file: Some(file), unit }
    }
}

/// Settings at this scale, and the whole factor by which cells, levels and the agent are larger
/// than requested, as if the level were smaller: 1 unless the grid would be too large.
#[must_use]
pub fn fit(soup: &TriangleSoup, scale: GridScale) -> (Settings, u32) {
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
    (settings, factor)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn a_level_that_is_too_large_is_judged_on_a_larger_scale() {
        let fitted = |side: f32| {
            let corners = [[0., 0., 0.], [0., 0., side], [side, 0., side]].map(Vec3::from_array);
            let soup = TriangleSoup::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
            fit(&soup, GridScale::new(0.3, 0.2))
        };
        let (small, factor) = fitted(100.0);
        let usual = Settings::recast_demo(GridScale::new(0.3, 0.2), Partitioning::Watershed);
        assert_eq!((factor, &small), (1, &usual));
        let (large, factor) = fitted(10_000.0);
        assert_eq!((factor, large.on_grid()), (5, usual.on_grid()));
    }

    #[test]
    fn levels_have_names_and_units() {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in [
            ("hall.glb", ""),
            ("hall.json", "{\"unit_m\": 0.01}"),
            ("yard.glb", ""),
            ("yard.json", "{\"unit_m\": null}"),
        ] {
            std::fs::write(folder.path().join(file), text).unwrap();
        }
        let level = |name: &str| Level::named(&folder.path().join(name).to_string_lossy()).unwrap();
        let (hall, yard) = (level("hall.glb"), level("yard.glb"));
        assert_eq!((hall.name.as_str(), hall.unit), ("hall", Some(0.01)));
        assert_eq!((yard.name.as_str(), yard.unit), ("yard", None));
        let scene = Level::named("dungeon-rooms").unwrap();
        assert!(scene.file.is_none() && !scene.load().unwrap().soup.triangles().is_empty());
        assert!(Level::named("nowhere").unwrap_err().to_string().contains("nowhere"));
        let odd = Level { name: "a b/c:d.e".to_owned(), file: None, unit: None };
        assert_eq!(odd.stem(), "a-b-c-d.e");
    }
}
