//! The errors of this crate.

use glam::Vec3;
use thiserror::Error;
use waymesh_core::{AreaId, BadField, GridError, GridWindow};

/// Why voxelisation or the walkable field gave no result.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum VoxelError {
    /// A configuration field is out of its range.
    #[error(transparent)]
    BadField(#[from] BadField),
    /// The grid cannot be made.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// With classes of head room, areas are told apart by fewer ids.
    #[error("area {} is beyond {limit}, the last one with these classes of head room", area.0)]
    AreaBeyondClasses {
        /// The area.
        area: AreaId,
        /// The last one that there can be.
        limit: u16,
    },
    /// There is nothing to voxelise: no triangle has three finite corners.
    #[error("none of the {triangles} triangles has finite corners")]
    NoTriangles {
        /// Triangles of the soup.
        triangles: usize,
    },
    /// The heightfield would not fit in the memory allowed.
    #[error(
        "a grid of {width} x {depth} cells needs about {needed_bytes} bytes, the limit is {limit_bytes}; \
         a cell size of {fitting_cell_size} m would fit"
    )]
    TooMuchMemory {
        /// Bytes allowed.
        limit_bytes: u64,
        /// Bytes needed. An extrapolation if the limit was reached during voxelisation.
        needed_bytes: u64,
        /// Cells along x.
        width: u32,
        /// Cells along z.
        depth: u32,
        /// Approximately the smallest cell size in metres that would fit.
        fitting_cell_size: f32,
    },
    /// There are more spans than 32-bit indices can number.
    #[error("more than {limit} spans in a grid of {width} x {depth} cells")]
    TooManySpans {
        /// Largest number allowed.
        limit: u32,
        /// Cells along x.
        width: u32,
        /// Cells along z.
        depth: u32,
    },
    /// There are more triangles in a window than 32-bit indices can number.
    #[error("more than {limit} triangles reach into the window")]
    TooManyTriangles {
        /// Largest number allowed.
        limit: u32,
    },
    /// A window does not lie in the columns that it should be a part of.
    #[error(
        "the window of {} x {} columns from ({}, {}) does not lie in the {width} x {depth} columns it is a part of",
        window.width, window.depth, window.x, window.z
    )]
    BadWindow {
        /// The window.
        window: GridWindow,
        /// Existing columns along x.
        width: u32,
        /// Existing columns along z.
        depth: u32,
    },
    /// A window holds too few columns around its core.
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
    /// The data cannot be packed.
    #[error("{what} cannot be packed (span {span})")]
    NotPackable {
        /// What is wrong.
        what: &'static str,
        /// The span where it is wrong, if it is a single one.
        span: u32,
    },
    /// Packed bytes are damaged.
    #[error("the {what} is damaged at byte {at}")]
    Damaged {
        /// What the bytes should contain.
        what: &'static str,
        /// Position of the byte where the damage was found.
        at: usize,
    },
    /// The tables of a heightfield contradict each other.
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
    /// The tables of a field contradict each other, or are not those of the job.
    #[error("the walkable field is broken, or of another part of the grid")]
    BrokenField,
    /// Only who has the voxels can do this.
    #[error("{what} need the voxels, not only the field")]
    NeedsVoxels {
        /// What it is.
        what: &'static str,
    },
    /// A mesh that should be closed has a hole or a fringe.
    #[error(
        "the mesh is not closed: {triangles} of its triangles meet at the edge from {} to {}, an odd number",
        edge[0], edge[1]
    )]
    OpenMesh {
        /// The corners of such an edge.
        edge: [Vec3; 2],
        /// Number of its triangles.
        triangles: usize,
    },
    /// A prism has too few corners.
    #[error("a prism of {corners} corners has no inside; give it at least 3")]
    FlatPrism {
        /// Corners given.
        corners: usize,
    },
    /// The outline of a prism crosses itself.
    #[error(
        "the outline of a prism crosses itself: edges {} and {} (edge 0 leads from corner 0 to corner 1); give \
         its corners in order, or split it",
        edges[0], edges[1]
    )]
    CrossingPrism {
        /// Numbers of two such edges.
        edges: [usize; 2],
    },
}
