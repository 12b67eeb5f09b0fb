//! Levels to bake.

use std::path::{Path, PathBuf};

use waymesh_core::TriangleSoup;
use waymesh_scenes::SceneConfig;

use crate::BenchError;

/// A named level.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Its name in tables and JSON.
    pub name: String,
    /// Its triangles.
    pub soup: TriangleSoup,
}

/// A city block four times as wide and deep.
pub const TOWN: &str = "town";

/// Recast's levels, on which every navmesh tool is shown.
const GOLDEN: [&str; 3] = ["nav_test", "dungeon", "undulating"];

impl Scene {
    /// The level of this name: one of Recast's if the folder `shared` beside the repository has it,
    /// a generated one, or a file.
    ///
    /// # Errors
    /// If there is no such level, or its file cannot be read.
    pub fn named(name: &str) -> Result<Self, BenchError> {
        if let Some(scene) = Self::golden(name)? {
            return Ok(scene);
        }
        if name == TOWN {
            let config = SceneConfig::default().with_scale(4);
            return Ok(Self { name: name.to_owned(), soup: waymesh_scenes::Scene::CityBlock.build(&config) });
        }
        if let Some(scene) = waymesh_scenes::Scene::from_name(name) {
            return Ok(Self { name: name.to_owned(), soup: scene.build(&SceneConfig::default()) });
        }
        Self::read(Path::new(name))
    }

    /// One of Recast's levels (`nav_test`, `dungeon`, `undulating`), `None` where the folder
    /// `shared` is not there.
    ///
    /// # Errors
    /// If it is there and cannot be read.
    pub fn golden(name: &str) -> Result<Option<Self>, BenchError> {
        let path = golden_path(name);
        if GOLDEN.contains(&name) && path.is_file() { Self::read(&path).map(Some) } else { Ok(None) }
    }

    /// Names of Recast's levels; of generated ones where they are absent.
    #[must_use]
    pub fn default_names() -> Vec<&'static str> {
        let golden: Vec<&str> = GOLDEN.into_iter().filter(|name| golden_path(name).is_file()).collect();
        if golden.is_empty() {
            waymesh_scenes::Scene::ALL.iter().map(|scene| scene.name()).collect()
        } else {
            golden
        }
    }

    fn read(path: &Path) -> Result<Self, BenchError> {
        let name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let soup = waymesh_io::load(path)?;
        Ok(Self { name, soup })
    }
}

fn golden_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../shared/scenes/golden/Meshes")
        .join(name)
        .with_extension("obj")
}
