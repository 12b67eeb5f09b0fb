//! Errors of the crate.

use thiserror::Error;
use waymesh_core::stage::StageError;
use waymesh_core::{BadField, ByteCount, GridError, PlanPoint, RegionId};

/// Reasons why a scene cannot be sliced.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SlicesError {
    /// A configuration field is out of its range.
    #[error(transparent)]
    BadField(#[from] BadField),
    /// The grid cannot be made.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// Marks cannot be applied.
    #[error(transparent)]
    Marks(#[from] StageError),
    /// The soup has no triangle that can be voxelised.
    #[error("none of the {triangles} triangles has finite corners and an area")]
    NoTriangles {
        /// Triangles of the soup.
        triangles: usize,
    },
    /// The tiles would not fit the memory allowed.
    #[error(
        "tiles of {tile_columns} columns, {alive} at once, need about {}, {} are allowed; larger cells need less",
        ByteCount(*needed_bytes),
        ByteCount(*limit_bytes)
    )]
    TooMuchMemory {
        /// Number of tiles.
        tiles: u64,
        /// Columns of one tile, including the ring that it needs of its neighbours.
        tile_columns: u64,
        /// Tiles worked on at the same time.
        alive: usize,
        /// Bytes needed.
        needed_bytes: u64,
        /// Bytes allowed.
        limit_bytes: u64,
    },
    /// There are more elements than 32-bit indices can number.
    #[error("{count} {element}, the limit is {limit}")]
    TooMany {
        /// `"pieces of regions"` or `"border pieces"`.
        element: &'static str,
        /// Number of elements.
        count: u64,
        /// Largest number of elements.
        limit: u64,
    },
    /// The points are not the corners of a region: some row or column has an odd number of points.
    #[error("the corner points at and after ({}, {}) do not pair up", point.x, point.z)]
    OddCorners {
        /// A point without a partner.
        point: PlanPoint,
    },
    /// A shared border is known to one side only.
    #[error("region {region} has a border that the region beyond does not know")]
    OneSidedBorder {
        /// The region.
        region: RegionId,
    },
}
