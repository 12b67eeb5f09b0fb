//! Errors of the decomposition.

use thiserror::Error;
use waymesh_core::{BadField, TriangleId, VertexId};

/// The reasons why triangles cannot be decomposed.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each message names its fields")]
pub enum ConvexError {
    #[error(transparent)]
    BadField(#[from] BadField),
    #[error("triangle {triangle} names vertex {vertex}, but there are {count}")]
    UnknownVertex { triangle: TriangleId, vertex: VertexId, count: usize },
    #[error("triangle {triangle} has a vertex more than {limit} cells from the origin")]
    OutOfRange { triangle: TriangleId, limit: i32 },
    #[error("triangle {triangle} has no area or runs the wrong way round")]
    NotPositive { triangle: TriangleId },
    #[error("triangle {triangle} has neighbour {neighbour}, which does not have it across the same edge")]
    OneSidedNeighbour { triangle: TriangleId, neighbour: TriangleId },
    #[error("there are {triangles} triangles, the limit is {limit}")]
    TooManyTriangles { triangles: usize, limit: usize },
}
