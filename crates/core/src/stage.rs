//! One trait per stage. Each stage of a pipeline can be replaced by another implementation.
//!
//! Implementations are deterministic: the result depends on the input and the configuration, not on
//! threads, and not on the order of the triangles.

pub use crate::stage_error::StageError;
use crate::{
    ContourSet, HeightSurface, Heightfield, Observer, PolyMesh, PolygonSet, RegionMap, TriangleSoup,
    Triangulation, WalkableField,
};

/// Turns triangles into solid voxels.
///
/// # Contract
/// Conservative: every column that a triangle's inside touches has a span over the triangle's
/// heights there. The result is a valid [`Heightfield`].
pub trait Voxelize {
    /// Runs the stage.
    ///
    /// # Errors
    /// If the configuration is invalid, or the grid cannot be represented or exceeds the memory
    /// limit.
    fn voxelize(&self, soup: &TriangleSoup, observer: &mut dyn Observer) -> Result<Heightfield, StageError>;
}

/// Turns solid voxels into the surface that an agent's centre may be on: filters, links, erosion,
/// marks.
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

/// Divides walkable spans into regions.
///
/// # Contract
/// [`RegionMap::violations_over`] lists no violation. Every walkable span is labelled, and no other
/// span. Regions are numbered `0..count` in row-major order of their first spans. Each region is
/// one connected piece of one area that never overlaps itself in plan and never has two adjacent
/// spans without a link.
pub trait Partition {
    /// Runs the stage.
    ///
    /// # Errors
    /// For bad configuration.
    fn partition(&self, field: &WalkableField, observer: &mut dyn Observer) -> Result<RegionMap, StageError>;
}

/// Traces the raw borders of regions.
///
/// # Contract
/// The result is a valid [`ContourSet`] with a vertex at every grid step; the area of each polygon
/// with holes, in square cells, is the number of its region's spans.
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

/// Simplifies raw borders to borders with few vertices.
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

/// Divides polygons with holes into triangles.
///
/// # Contract
/// The result is a valid [`Triangulation`] that fills the polygons with holes exactly. Two
/// triangles of different regions are neighbours exactly where their polygons with holes are.
pub trait Triangulate {
    /// Runs the stage.
    ///
    /// # Errors
    /// For polygons that cross themselves or name elements that do not exist.
    fn triangulate(
        &self,
        polygons: &PolygonSet,
        observer: &mut dyn Observer,
    ) -> Result<Triangulation, StageError>;
}

/// Joins triangles into convex polygons.
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

/// Fits a surface over the polygons to the heights of the ground.
///
/// # Contract
/// [`HeightSurface::violations_over`] lists no violation.
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
