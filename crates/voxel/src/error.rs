//! The errors of this crate.

use glam::Vec3;
use thiserror::Error;
use waymesh_core::{AreaId, BadField, ByteCount, GridError, GridWindow, rounded};

/// The reason why voxelisation or the walkable field failed.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum VoxelError {
    /// A configuration field is out of its range.
    #[error(transparent)]
    BadField(#[from] BadField),
    /// The grid cannot be created.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// An area exceeds the ids that the headroom classes leave for areas.
    #[error("area {} is beyond {limit}, the last one with these classes of head room", area.0)]
    AreaBeyondClasses {
        /// The area.
        area: AreaId,
        /// Largest area id with these classes.
        limit: u16,
    },
    /// The soup has no triangle with three finite corners.
    #[error("none of the {triangles} triangles has finite corners")]
    NoTriangles {
        /// Number of triangles of the soup.
        triangles: usize,
    },
    /// The heightfield would exceed the memory limit.
    #[error(
        "a grid of {width} x {depth} cells needs about {}, {} are allowed; a cell size of {} m would fit",
        ByteCount(*needed_bytes),
        ByteCount(*limit_bytes),
        rounded(1.05 * fitting_cell_size, 2)
    )]
    TooMuchMemory {
        /// Limit in bytes.
        limit_bytes: u64,
        /// Required bytes. An extrapolation if the limit was reached during voxelisation.
        needed_bytes: u64,
        /// Cells along x.
        width: u32,
        /// Cells along z.
        depth: u32,
        /// Approximately the smallest cell size in metres that would fit.
        fitting_cell_size: f32,
    },
    /// The number of spans exceeds 32-bit indices.
    #[error("more than {limit} spans in a grid of {width} x {depth} cells")]
    TooManySpans {
        /// Largest number allowed.
        limit: u32,
        /// Cells along x.
        width: u32,
        /// Cells along z.
        depth: u32,
    },
    /// The number of triangles in a window exceeds 32-bit indices.
    #[error("more than {limit} triangles reach into the window")]
    TooManyTriangles {
        /// Largest number allowed.
        limit: u32,
    },
    /// A window does not lie in the columns that contain it.
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
    /// A window has too few columns around its core.
    #[error(
        "{needed} columns are needed around the core {core:?}, as far as the grid goes; the window {window:?} has fewer"
    )]
    ThinHalo {
        /// The window.
        window: GridWindow,
        /// The columns to build.
        core: GridWindow,
        /// Required columns on each side.
        needed: u32,
    },
    /// The data cannot be packed.
    #[error("{what} cannot be packed (span {span})")]
    NotPackable {
        /// The invalid part.
        what: &'static str,
        /// The span with the invalid value, if it is a single one.
        span: u32,
    },
    /// Packed bytes are damaged.
    #[error("the {what} is damaged at byte {at}")]
    Damaged {
        /// The expected contents of the bytes.
        what: &'static str,
        /// Position of the byte where the damage was found.
        at: usize,
    },
    /// The tables of a heightfield are inconsistent.
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
    /// The tables of a field are inconsistent, or belong to another job.
    #[error("the walkable field is broken, or of another part of the grid")]
    BrokenField,
    /// The operation needs the voxels, not only the field.
    #[error("{what} need the voxels, not only the field")]
    NeedsVoxels {
        /// Name of the operation.
        what: &'static str,
    },
    /// A mesh that must be closed has a hole or a fringe.
    #[error(
        "the mesh is not closed: {triangles} of its triangles meet at the edge from {} to {}, an odd number",
        edge[0], edge[1]
    )]
    OpenMesh {
        /// The corners of such an edge.
        edge: [Vec3; 2],
        /// Number of triangles at the edge.
        triangles: usize,
    },
    /// A prism has too few corners.
    #[error("a prism of {corners} corners has no inside; give it at least 3")]
    FlatPrism {
        /// Number of corners.
        corners: usize,
    },
    /// The outline of a prism crosses itself.
    #[error(
        "the outline of a prism crosses itself: edges {} and {} (edge 0 leads from corner 0 to corner 1); give \
         its corners in order, or split it",
        edges[0], edges[1]
    )]
    CrossingPrism {
        /// Indices of two crossing edges.
        edges: [usize; 2],
    },
}

/// Refuses numbers that are not finite.
pub(crate) fn finite(field: &'static str, values: &[f32]) -> Result<(), VoxelError> {
    for &value in values {
        BadField::unless(value.is_finite(), field, value, "finite")?;
    }
    Ok(())
}
