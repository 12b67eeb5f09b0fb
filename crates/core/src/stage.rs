//! One trait per stage. Any stage of a pipeline can be replaced by another implementation.
//!
//! Implementations are deterministic: the result depends on the input and the configuration, not on
//! threads, and not on the order of the triangles.

use std::error::Error;

use crate::{
    ContourSet, HeightSurface, Heightfield, Observer, PolyMesh, PolygonSet, RegionMap, TriangleSoup,
    Triangulation, WalkableField,
};

/// Why a stage gave no result. Its text holds the whole cause, so its `source` is what lies below
/// that.
#[derive(Debug)]
pub struct StageError {
    /// Name of the stage.
    pub stage: &'static str,
    /// What went wrong there.
    pub cause: Box<dyn Error + Send + Sync>,
}

impl StageError {
    /// An error of `stage`.
    pub fn new(stage: &'static str, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { stage, cause: cause.into() }
    }
}

impl std::fmt::Display for StageError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}: {}", self.stage, self.cause)
    }
}

impl Error for StageError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.source()
    }
}

/// Triangles to solid voxels.
///
/// # Contract
/// Conservative: every column that a triangle's inside touches has a span over the triangle's
/// heights there. The result is a valid [`Heightfield`].
pub trait Voxelize {
    /// Runs the stage.
    ///
    /// # Errors
    /// For bad configuration, or a grid that cannot be represented or held in the memory allowed.
    fn voxelize(&self, soup: &TriangleSoup, observer: &mut dyn Observer) -> Result<Heightfield, StageError>;
}

/// Solid voxels to the surface an agent's centre may be on: filters, links, erosion, marks.
///
/// # Contract
/// The result is a valid [`WalkableField`] over the same frame.
pub trait BuildField {
    /// Runs the stage.
    ///
    /// # Errors
    /// For bad configuration.
    fn build_field(
        &self,
        heightfield: &Heightfield,
        observer: &mut dyn Observer,
    ) -> Result<WalkableField, StageError>;
}

/// Walkable spans to regions.
///
/// # Contract
/// All that [`RegionMap::violations_over`] lists: every walkable span labelled and no other,
/// regions numbered `0..count` in row-major order of their first span, each one connected piece of
/// one area that never overlaps itself in plan and never has two spans side by side without a link.
pub trait Partition {
    /// Runs the stage.
    ///
    /// # Errors
    /// For bad configuration.
    fn partition(&self, field: &WalkableField, observer: &mut dyn Observer) -> Result<RegionMap, StageError>;
}

/// Regions to raw borders.
///
/// # Contract
/// The result is a valid [`ContourSet`] with a vertex at every grid step; the area of each polygon
/// is the number of its region's spans.
pub trait TraceContours {
    /// Runs the stage.
    ///
    /// # Errors
    /// For a region map that breaks its contract.
    fn trace(
        &self,
        field: &WalkableField,
        regions: &RegionMap,
        observer: &mut dyn Observer,
    ) -> Result<ContourSet, StageError>;
}

/// Raw borders to borders of few vertices.
///
/// # Contract
/// The result is a valid [`ContourSet`] with the same arcs, ends and sides; its vertices are a
/// subset of the input's. A closed arc that meets no other may begin elsewhere.
pub trait SimplifyContours {
    /// Runs the stage.
    ///
    /// # Errors
    /// For bad configuration.
    fn simplify(&self, contours: &ContourSet, observer: &mut dyn Observer) -> Result<ContourSet, StageError>;
}

/// Polygons with holes to triangles.
///
/// # Contract
/// The result is a valid [`Triangulation`] that fills the polygons exactly; two triangles of
/// different regions are neighbours exactly where their polygons are.
pub trait Triangulate {
    /// Runs the stage.
    ///
    /// # Errors
    /// For polygons that cross themselves or that name what is not there.
    fn triangulate(
        &self,
        polygons: &PolygonSet,
        observer: &mut dyn Observer,
    ) -> Result<Triangulation, StageError>;
}

/// Triangles to convex polygons.
///
/// # Contract
/// The result is a valid [`PolyMesh`] that fills the triangles exactly. A polygon lies in one
/// region.
pub trait Decompose {
    /// Runs the stage.
    ///
    /// # Errors
    /// For bad configuration.
    fn decompose(
        &self,
        triangulation: &Triangulation,
        observer: &mut dyn Observer,
    ) -> Result<PolyMesh, StageError>;
}

/// Ground heights to a surface over the polygons.
///
/// # Contract
/// All that [`HeightSurface::violations_over`] lists.
pub trait FitHeights {
    /// Runs the stage.
    ///
    /// # Errors
    /// For bad configuration.
    fn fit_heights(
        &self,
        field: &WalkableField,
        regions: &RegionMap,
        polygons: &PolyMesh,
        observer: &mut dyn Observer,
    ) -> Result<HeightSurface, StageError>;
}
