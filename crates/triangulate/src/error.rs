//! Errors of the triangulation.

use thiserror::Error;
use waymesh_core::{BadField, PlanPoint, RegionId, VertexId, Violation};

/// The reasons why polygons cannot be triangulated. Borders of a polygon are counted from 0, the
/// outer border.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each message names its fields")]
pub enum TriangulateError {
    #[error(
        "border {border} of region {region} has {vertices} vertices (at least 3 needed) and {beyond} regions beyond"
    )]
    BrokenLoop { region: RegionId, border: usize, vertices: usize, beyond: usize },
    #[error("region {region} names vertex {vertex}, but there are {count}")]
    UnknownVertex { region: RegionId, vertex: VertexId, count: usize },
    #[error("region {region} has a vertex at {point:?}, beyond {limit} cells")]
    OutOfRange { region: RegionId, point: PlanPoint, limit: i32 },
    #[error("region {region} has two vertices in a row at {point:?}")]
    RepeatedPoint { region: RegionId, point: PlanPoint },
    #[error(
        "border {border} of region {region} runs the wrong way round or has no area (doubled area {doubled_area})"
    )]
    WrongOrientation { region: RegionId, border: usize, doubled_area: i128 },
    #[error("edges {first:?} and {second:?} of region {region} cross, overlap or touch inside an edge")]
    CrossingEdges { region: RegionId, first: [PlanPoint; 2], second: [PlanPoint; 2] },
    #[error("borders of region {region} cross at their common vertex {point:?}")]
    CrossingAtVertex { region: RegionId, point: PlanPoint },
    #[error("the border of region {region} at {point:?} lies outside the outer border or inside a hole")]
    NotInside { region: RegionId, point: PlanPoint },
    #[error("the triangles of region {region} have doubled area {actual}, the polygon {expected}")]
    AreaLost { region: RegionId, expected: i128, actual: i128 },
    #[error("the triangulation is not valid: {}", violation.as_ref().map_or_else(String::new, ToString::to_string))]
    BrokenTriangulation { violation: Option<Box<Violation>> },
    #[error(
        "repairing region {region} would move its border at {point:?} by {shift} cells, the limit is {limit}"
    )]
    CannotRepair { region: RegionId, point: PlanPoint, shift: f64, limit: f64 },
    #[error("the spacings ask for about {points} points, the limit is {limit}")]
    TooManyPoints { points: f64, limit: f64 },
    #[error(transparent)]
    BadField(#[from] BadField),
    #[error("region {region} brings the number of border vertices to {vertices}, the limit is {limit}")]
    TooManyVertices { region: RegionId, vertices: usize, limit: usize },
}
