//! Polygons of the storeys of growing maps when they may be a little less than convex (Oliva 2012,
//! figures 39 to 42).

use std::sync::{Arc, Mutex, PoisonError};

use waymesh::convex::NotchPortals;
use waymesh::core::stage::{Decompose, StageError};
use waymesh::core::{PolyMesh, Triangulation};
use waymesh::{Agent, BakeConfig, Baker, Observer, Storeys};
use waymesh_scenes::{Scene, SceneConfig};

use crate::relaxed::relaxation;
use crate::{BenchError, Stage};

/// Maps, from the smallest to the largest.
const MAPS: [Scene; 4] =
    [Scene::SpiralStairs, Scene::OverlappingStoreys, Scene::DungeonRooms, Scene::CityBlock];

/// The decomposition of the pipeline, which keeps a copy of what it was given.
struct Listen(Arc<Mutex<Option<Triangulation>>>);

impl Decompose for Listen {
    fn decompose(
        &self,
        triangulation: &Triangulation,
        observer: &mut dyn Observer,
    ) -> Result<PolyMesh, StageError> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(triangulation.clone());
        NotchPortals::default().decompose(triangulation, observer)
    }
}

/// Prints the table as Markdown to `print`.
///
/// # Errors
/// When a map cannot be baked.
pub fn storeys(print: &mut dyn FnMut(&str)) -> Result<(), BenchError> {
    let mut maps = Vec::new();
    for scene in MAPS {
        let soup = scene.build(&SceneConfig::default());
        let heard = Arc::new(Mutex::new(None));
        let agent = Agent::default().with_radius(0.3).with_max_step(0.4);
        let config = BakeConfig::default().with_scale(0.1, 0.1).with_agent(agent);
        Baker::new(Storeys::default(), config)
            .with_decompose(Listen(Arc::clone(&heard)))
            .bake_observed(&soup, &mut ())
            .map_err(|error| BenchError::stage("waymesh", Stage::Polygons, error))?;
        let heard = heard.lock().unwrap_or_else(PoisonError::into_inner).take();
        maps.extend(heard.map(|triangles| (scene.name(), triangles)));
    }
    relaxation(maps.iter().map(|(name, triangles)| (*name, triangles)), print);
    Ok(())
}
