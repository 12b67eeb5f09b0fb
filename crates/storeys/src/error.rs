//! Errors of this crate.

use thiserror::Error;
use waymesh_core::{ArcId, BadField, ByteCount, GridError};

/// Error of the storeys stages.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum StoreysError {
    /// A configuration field out of its range.
    #[error(transparent)]
    BadField(#[from] BadField),
    /// A grid that cannot be made.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// The rough voxels need more memory than is allowed.
    #[error(
        "{columns} rough columns of {levels} levels need {}, {} are allowed; use larger rough cells",
        ByteCount(*needed_bytes),
        ByteCount(*limit_bytes)
    )]
    TooMuchMemory {
        /// Rough columns.
        columns: u64,
        /// Rough levels of a column.
        levels: u64,
        /// Bytes needed.
        needed_bytes: u64,
        /// Bytes allowed.
        limit_bytes: u64,
    },
    /// More elements than 32-bit indices can name.
    #[error("{count} {element}, the limit is {limit}")]
    TooMany {
        /// Name of the elements.
        element: &'static str,
        /// Number of elements.
        count: u64,
        /// Largest number of elements.
        limit: u64,
    },
    /// Depth maps that another device drew and that do not fit their job.
    #[error("the depth maps of a device have {what} that do not fit the job")]
    BrokenTables {
        /// The table.
        what: &'static str,
    },
    /// A seed with no ground near it.
    #[error("there is no ground within a step of seed {seed} at {}, {}, {}", position[0], position[1], position[2])]
    SeedOffGround {
        /// Index of the seed.
        seed: usize,
        /// Position of the seed.
        position: [f32; 3],
    },
    /// A border that was not traced from a field: an arc with a step longer than a cell, or with an
    /// unknown vertex.
    #[error("arc {arc} is not traced from the grid")]
    NotTraced {
        /// The arc.
        arc: ArcId,
    },
}

impl StoreysError {
    /// Converts a count to 32 bits.
    pub(crate) fn fit(element: &'static str, count: u64) -> Result<u32, Self> {
        let limit = u64::from(u32::MAX);
        u32::try_from(count).map_err(|_| Self::TooMany { element, count, limit })
    }
}
