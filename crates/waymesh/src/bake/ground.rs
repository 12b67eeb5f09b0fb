//! The result of a front end, from which the back end starts.

use waymesh_core::stage::StageError;
use waymesh_core::{ContourSet, HeightSurface, Observer, PolyMesh, PolygonSet};
use waymesh_graph::Link;
use waymesh_triangulate::RefineConfig;
use waymesh_voxel::Climb;

use super::error::BakeError;
use super::report::Report;

/// Borders of walkable ground, sources of heights and links, and figures: the result of a
/// [`crate::bake::FrontEnd`]. The back end takes it by value and drops each part once it is used.
#[derive(Debug)]
#[non_exhaustive]
pub struct Ground<'a> {
    /// Borders of the ground and of its regions.
    pub borders: Borders,
    /// Source of heights.
    pub heights: Heights<'a>,
    /// Links that the input gives, such as doors and stairs. Default none.
    pub links: InputLinks<'a>,
    /// Climbs of the agent from one column of the grid to another; adjacent climbs of one ledge become
    /// one link. Default none.
    pub climbs: Vec<Climb>,
    /// Vertices to add to the triangulation. Default none.
    pub refine: Option<RefineConfig>,
    /// Connected pieces of ground smaller than this, in square metres, are left out by the back
    /// end. Default 0, for front ends that leave them out themselves.
    pub min_island: f32,
    /// Figures so far. The back end adds those of contours, polygons, links and the mesh.
    pub report: Report,
}

impl<'a> Ground<'a> {
    /// Ground without links.
    #[must_use]
    pub fn new(borders: Borders, heights: Heights<'a>, report: Report) -> Self {
        Self {
            borders,
            heights,
            links: InputLinks::none(),
            climbs: Vec::new(),
            refine: None,
            min_island: 0.0,
            report,
        }
    }
}

/// Borders of ground.
#[derive(Clone, Debug)]
pub enum Borders {
    /// Traced along cells or pixels: they are simplified.
    Traced(ContourSet),
    /// Right as they are: they are simplified if [`crate::BakeConfig::max_edge_error`] is above 0,
    /// or if the stage is replaced.
    Exact(ContourSet),
    /// Regions as polygons with holes, which are not simplified. The front end counts them.
    Final(PolygonSet),
}

type Fit<'a> = dyn FnOnce(&PolyMesh, &mut dyn Observer) -> Result<HeightSurface, StageError> + 'a;

/// The source of heights.
pub enum Heights<'a> {
    /// Ground that was sampled, fitted in the polygons: see [`Heights::fitted`].
    Fitted(Box<Fit<'a>>),
    /// The ground of every region is a plane.
    Planes {
        /// For each region the height at the origin of the grid, and the rise per cell along x and
        /// along z, in levels.
        planes: Vec<[f64; 3]>,
        /// Farthest that the ground may lie from its plane, in levels.
        max_error: f32,
    },
    /// The vertices have all there is.
    Vertices,
}

impl<'a> Heights<'a> {
    /// Heights that a function finds once there are polygons. What it owns is dropped after that.
    pub fn fitted(
        fit: impl FnOnce(&PolyMesh, &mut dyn Observer) -> Result<HeightSurface, StageError> + 'a,
    ) -> Self {
        Self::Fitted(Box::new(fit))
    }
}

impl std::fmt::Debug for Heights<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Fitted(_) => "Fitted",
            Self::Planes { .. } => "Planes",
            Self::Vertices => "Vertices",
        })
    }
}

type Find<'a> = dyn FnOnce(&mut PolyMesh, &mut dyn Observer) -> Result<Vec<Link>, BakeError> + 'a;

/// Links that the input gives, found once there are polygons.
pub struct InputLinks<'a>(pub(crate) Option<Box<Find<'a>>>);

impl<'a> InputLinks<'a> {
    /// No links.
    #[must_use]
    pub fn none() -> Self {
        Self(None)
    }

    /// Links that a function finds. It may take portals out of the mesh that become links, on both
    /// sides.
    pub fn found_by(
        find: impl FnOnce(&mut PolyMesh, &mut dyn Observer) -> Result<Vec<Link>, BakeError> + 'a,
    ) -> Self {
        Self(Some(Box::new(find)))
    }
}

impl std::fmt::Debug for InputLinks<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("InputLinks").field(&self.0.is_some()).finish()
    }
}
