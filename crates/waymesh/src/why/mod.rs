//! Why a place is not on a mesh, and why no path joins two places.
//!
//! ```
//! use waymesh::glam::vec3;
//! use waymesh::{Baker, TriangleSoup};
//!
//! // A floor, and a ramp of 54 degrees.
//! let mut level = TriangleSoup::from_slices(
//!     &[[0., 0., 0.], [0., 0., 9.], [9., 0., 9.], [9., 0., 0.], [15., 8.4, 0.], [15., 8.4, 9.]],
//!     &[[0, 1, 2], [0, 2, 3], [3, 2, 5], [3, 5, 4]],
//! )?;
//! let baker = Baker::voxels();
//! let answer = baker.explain(&level)?.place(vec3(12.0, 4.2, 4.5))?;
//! assert!(!answer.is_walkable && answer.is_checked);
//! assert_eq!(answer.reasons[0].cause.name(), "too_steep");
//! assert_eq!(answer.reasons[0].remedy.as_ref().map(|remedy| remedy.setting), Some("max_slope"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod apart;
mod cause;
mod measure;
mod place;
mod remedy;
mod spot;

use std::collections::BTreeMap;

use glam::Vec3;
use serde::Serialize;
use waymesh_core::{GridScale, TriangleSoup, checkpoint};
use waymesh_graph::{Location, NavMesh, Reach};

pub use apart::{Gap, PairAnswer, Way};
pub use cause::Cause;
pub use place::{PlaceAnswer, Reason};
pub use remedy::Remedy;

use crate::bake::{BakeConfig, BakeError, Baker, DecompositionKind};
use crate::front::Voxels;

/// Explains the bake of a scene: see [`Baker::explain`].
#[derive(Debug)]
pub struct Explainer<'a> {
    baker: Baker<Voxels>,
    soup: &'a TriangleSoup,
    /// `None` if nothing is walkable.
    mesh: Option<NavMesh>,
}

/// An answer about one place or two, with the names of the surfaces in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Answer {
    /// The answer.
    #[serde(flatten)]
    pub about: About,
    /// The causes in words, in their order in the answer.
    pub causes: Vec<String>,
    /// Names of the surfaces of the triangles in the answer.
    pub surfaces: BTreeMap<usize, String>,
    /// Size of the cells of the bake, with which remedies were checked. Metres.
    pub cell_size: f32,
    /// Height of its levels, with which remedies were checked. Metres.
    pub level_height: f32,
}

/// An answer about one place or two.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum About {
    /// The result of [`Explainer::place`].
    Place(PlaceAnswer),
    /// The result of [`Explainer::between`].
    Pair(Box<PairAnswer>),
}

impl About {
    fn causes(&self) -> impl Iterator<Item = &Cause> {
        let (places, ways) = match self {
            Self::Place(place) => (vec![place], &[][..]),
            Self::Pair(pair) => (vec![&pair.from, &pair.to], &pair.ways[..]),
        };
        let reasons = places.into_iter().flat_map(|place| &place.reasons);
        reasons.map(|reason| &reason.cause).chain(ways.iter().filter_map(|way| way.cause.as_ref()))
    }
}

impl Baker<Voxels> {
    /// Bakes a scene, to explain places of it with [`Explainer::place`] and [`Explainer::between`].
    ///
    /// Of several heights of agents ([`BakeConfig::height_classes`]) the lowest is explained. Stages
    /// that are replaced bake, but the built-in ones explain.
    ///
    /// # Errors
    /// See [`Baker::bake`]. A scene without walkable ground is no error.
    pub fn explain<'a>(&self, soup: &'a TriangleSoup) -> Result<Explainer<'a>, BakeError> {
        let mut config = self.config().clone();
        config.height_classes.clear();
        let baker = self.clone().with_config(config);
        let mesh = baked(&baker, soup)?;
        Ok(Explainer { baker, soup, mesh })
    }
}

impl Explainer<'_> {
    /// Explains one place, or why no path leads to another. `name` returns the name of the surface of a
    /// triangle: see [`waymesh_io::load_with_names`].
    ///
    /// # Errors
    /// See [`Explainer::place`].
    pub fn answer(
        &self,
        at: Vec3,
        to: Option<Vec3>,
        name: impl Fn(usize) -> Option<String>,
    ) -> Result<Answer, BakeError> {
        let about = match to {
            None => About::Place(self.place(at)?),
            Some(to) => About::Pair(Box::new(self.between(at, to)?)),
        };
        let triangles = about.causes().filter_map(Cause::triangle);
        let surfaces = triangles.filter_map(|triangle| Some((triangle, name(triangle)?))).collect();
        let causes = about.causes().map(|cause| cause.describe(&name)).collect();
        let GridScale { cell_size, level_height, .. } = self.config().scale;
        Ok(Answer { about, causes, surfaces, cell_size, level_height })
    }

    /// The mesh that is explained; `None` if nothing is walkable.
    #[must_use]
    pub fn mesh(&self) -> Option<&NavMesh> {
        self.mesh.as_ref()
    }

    fn config(&self) -> &BakeConfig {
        self.baker.config()
    }

    /// Bakes with other settings, and with more polygons on the same ground.
    fn quick(&self, soup: &TriangleSoup, config: &BakeConfig) -> Result<Option<NavMesh>, BakeError> {
        checkpoint();
        let config = config.clone().with_decomposition(DecompositionKind::HertelMehlhorn);
        baked(&self.baker.clone().with_config(config), soup)
    }
}

/// Bakes; `None` if nothing is walkable.
fn baked(baker: &Baker<Voxels>, soup: &TriangleSoup) -> Result<Option<NavMesh>, BakeError> {
    match baker.bake(soup) {
        Ok(mesh) => Ok(Some(mesh)),
        Err(BakeError::NothingWalkable { .. } | BakeError::SeedOffGround { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the location of a place that is on a mesh: in a polygon in plan, and not farther above
/// or below it than a step or two levels.
fn located(mesh: &NavMesh, place: Vec3) -> Option<Location> {
    /// Sideways, in metres: positions on borders are rounded.
    const SIDE: f32 = 0.005;
    let rise = mesh.agent().max_step.max(2.0 * mesh.frame().level_height);
    mesh.nearest(place, &Reach::new(SIDE, rise, rise))
}

/// Returns `true` if a place is on a mesh.
fn is_on(mesh: Option<&NavMesh>, place: Vec3) -> bool {
    mesh.is_some_and(|mesh| located(mesh, place).is_some())
}
