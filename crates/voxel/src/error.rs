//! What can go wrong.

use thiserror::Error;
use waymesh_core::{BadField, GridError, GridWindow};

/// Why voxelisation or the walkable field gave no result.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum VoxelError {
    /// A configuration field out of its range.
    #[error(transparent)]
    BadField(#[from] BadField),
    /// A grid that cannot be made.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// Nothing to voxelise: no triangle has three finite corners.
    #[error("none of the {triangles} triangles has finite corners")]
    NoTriangles {
        /// Triangles of the soup.
        triangles: usize,
    },
    /// The heightfield would not fit the memory allowed.
    #[error(
        "a grid of {width} x {depth} cells needs about {needed_bytes} bytes, the limit is {limit_bytes}; \
         a cell size of {fitting_cell_size} m would fit"
    )]
    TooMuchMemory {
        /// Bytes allowed.
        limit_bytes: u64,
        /// Bytes needed; an extrapolation if the limit was met while voxelising.
        needed_bytes: u64,
        /// Cells along x.
        width: u32,
        /// Cells along z.
        depth: u32,
        /// About the smallest cell size in metres that would fit.
        fitting_cell_size: f32,
    },
    /// More spans than 32-bit indices can name.
    #[error("more than {limit} spans in a grid of {width} x {depth} cells")]
    TooManySpans {
        /// How many there may be.
        limit: u32,
        /// Cells along x.
        width: u32,
        /// Cells along z.
        depth: u32,
    },
    /// More triangles in a window than 32-bit indices can name.
    #[error("more than {limit} triangles reach into the window")]
    TooManyTriangles {
        /// How many there may be.
        limit: u32,
    },
    /// A window that does not fit what it is a part of.
    #[error(
        "the window of {} x {} columns from ({}, {}) does not lie in the {width} x {depth} columns it is a part of",
        window.width, window.depth, window.x, window.z
    )]
    BadWindow {
        /// The window.
        window: GridWindow,
        /// Columns there are along x.
        width: u32,
        /// Columns there are along z.
        depth: u32,
    },
    /// A window that holds too little around its core.
    #[error(
        "{needed} columns are needed around the core {core:?}, as far as the grid goes; the window {window:?} has fewer"
    )]
    ThinHalo {
        /// The window.
        window: GridWindow,
        /// The columns to be built.
        core: GridWindow,
        /// Columns needed on each side.
        needed: u32,
    },
    /// Something that cannot be packed.
    #[error("{what} cannot be packed (span {span})")]
    NotPackable {
        /// What is wrong.
        what: &'static str,
        /// At which span, if at one.
        span: u32,
    },
    /// Bytes that are not what they should be.
    #[error("the {what} is damaged at byte {at}")]
    Damaged {
        /// What the bytes should be.
        what: &'static str,
        /// Where it shows.
        at: usize,
    },
    /// A heightfield whose tables contradict each other.
    #[error("the heightfield is broken: {columns} column entries for {width} x {depth} cells, {spans} spans")]
    BrokenHeightfield {
        /// Entries of the column table.
        columns: usize,
        /// Cells along x.
        width: u32,
        /// Cells along z.
        depth: u32,
        /// Number of spans.
        spans: usize,
    },
    /// A mark with too few corners.
    #[error("a prism of {corners} corners has no inside")]
    FlatPrism {
        /// Corners given.
        corners: usize,
    },
}
