//! What can be wrong with the triangles or the configuration.

use thiserror::Error;
use waymesh_core::{TriangleId, VertexId};

/// Triangles that cannot be merged.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each message names its fields")]
pub enum ConvexError {
    #[error("max_vertices is {max_vertices}, but must be 0 (no limit) or at least 3")]
    BadMaxVertices { max_vertices: u32 },
    #[error("window_vertices is {window_vertices}, but must be 8 to {limit}")]
    BadWindowVertices { window_vertices: u32, limit: u32 },
    #[error("exact_vertices is {exact_vertices}, but must be at most {limit}")]
    BadExactVertices { exact_vertices: u32, limit: u32 },
    #[error("convex_distance is {convex_distance}, but must be finite and not negative")]
    BadConvexDistance { convex_distance: f32 },
    #[error("triangle {triangle} names vertex {vertex}, but there are {count}")]
    UnknownVertex { triangle: TriangleId, vertex: VertexId, count: usize },
    #[error("triangle {triangle} has a vertex more than {limit} polygons from the origin")]
    OutOfRange { triangle: TriangleId, limit: i32 },
    #[error("triangle {triangle} has no area or runs the wrong way round")]
    NotPositive { triangle: TriangleId },
    #[error("triangle {triangle} has neighbour {neighbour}, which does not have it across the same edge")]
    OneSidedNeighbour { triangle: TriangleId, neighbour: TriangleId },
    #[error("there are {triangles} triangles, the limit is {limit}")]
    TooManyTriangles { triangles: usize, limit: usize },
}
