//! Configuration and errors.

use thiserror::Error;
use waymesh_core::{BadField, GridWindow, PolyId, VertexId};

/// Smallest error bound, in levels: the field rounds the ground to 1/32 of a level.
pub const LEAST_ERROR_LEVELS: f32 = 1.0 / 32.0;

/// Configuration of [`fit_heights`](crate::fit_heights): the error bound and the scale of the
/// ground.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct DetailConfig {
    /// Largest error at the centre of any column, in levels. Default 1; finite and at least 1/32,
    /// the rounding of ground.
    pub max_error_levels: f32,
    /// The agent's highest step in metres. Ground more than twice this above or below adjacent
    /// ground is another storey. This only matters if regions that lie above each other are
    /// neighbours. Default 0.9; finite and at least 0.
    pub max_step: f32,
    /// Plan points of the mesh along a side of a column: the frame of the mesh has this many cells
    /// for each cell of the field, so that vertices may lie between columns. Default 1; a power of
    /// two up to 256.
    pub points_per_column: u32,
}

impl Default for DetailConfig {
    fn default() -> Self {
        Self { max_error_levels: 1.0, max_step: 0.9, points_per_column: 1 }
    }
}

waymesh_core::setters! {
    impl DetailConfig {
        with_max_error_levels(max_error_levels: f32);
        with_max_step(max_step: f32);
        with_points_per_column(points_per_column: u32);
    }
}

impl DetailConfig {
    /// Checks every field.
    ///
    /// # Errors
    /// [`DetailError::BadField`] names the first field that is out of its range.
    pub fn validate(&self) -> Result<(), DetailError> {
        let points = self.points_per_column;
        let is_fine = points.is_power_of_two() && points <= 256;
        BadField::unless(is_fine, "points_per_column", points, "a power of two from 1 to 256")?;
        let error = self.max_error_levels;
        let is_fine = error.is_finite() && error >= LEAST_ERROR_LEVELS;
        BadField::unless(is_fine, "max_error_levels", error, "finite and at least 1/32 of a level")?;
        Ok(BadField::unless_length("max_step", self.max_step)?)
    }
}

/// Size and number of the windows of a field in memory. They change the cost, never the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WindowConfig {
    /// Approximate number of columns of a window. Polygons that lie close together share a window;
    /// a larger polygon gets a window that fits it. Windows overlap by a margin of three columns.
    /// Default 2^20, which takes about 50 MiB; at least 1.
    pub window_columns: u64,
    /// Number of windows in memory at the same time. Default 1; at least 1.
    pub windows_at_once: usize,
}

impl Default for WindowConfig {
    fn default() -> Self {
        Self { window_columns: 1 << 20, windows_at_once: 1 }
    }
}

waymesh_core::setters! {
    impl WindowConfig {
        with_window_columns(window_columns: u64);
        with_windows_at_once(windows_at_once: usize);
    }
}

impl WindowConfig {
    /// Checks every field.
    ///
    /// # Errors
    /// [`DetailError::BadField`] names the first field that is out of its range.
    pub fn validate(&self) -> Result<(), DetailError> {
        BadField::unless(self.window_columns > 0, "window_columns", 0, "at least 1")?;
        Ok(BadField::unless(self.windows_at_once > 0, "windows_at_once", 0, "at least 1")?)
    }
}

/// Error of the height fitting.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum DetailError {
    /// A field of the configuration is out of its range.
    #[error(transparent)]
    BadField(#[from] BadField),
    /// The source of the field failed.
    #[error("no field for the {} x {} columns from ({}, {}): {cause}", window.width, window.depth, window.x, window.z)]
    Source {
        /// The columns that were requested.
        window: GridWindow,
        /// The error of the source.
        cause: String,
    },
    /// The source of the field returned fewer columns than were requested.
    #[error(
        "the field of the {} x {} columns from ({}, {}) has {} x {} from ({}, {})",
        asked.width, asked.depth, asked.x, asked.z, given.width, given.depth, given.x, given.z
    )]
    WindowTooSmall {
        /// The columns that were requested.
        asked: GridWindow,
        /// The columns that were returned.
        given: GridWindow,
    },
    /// The field, the regions and the mesh do not match, or one of them is broken.
    #[error("{what} does not fit the rest: {found} where {expected} was expected")]
    Mismatch {
        /// Name of the table or number.
        what: &'static str,
        /// The value of the table or number.
        found: usize,
        /// The expected value, or the limit.
        expected: usize,
    },
    /// A height that is NaN or infinite.
    #[error("the ground of span {span} is not finite")]
    GroundNotFinite {
        /// The span, counted within its window.
        span: usize,
    },
    /// A height that is NaN or infinite.
    #[error("the height of vertex {vertex} is not finite")]
    VertexNotFinite {
        /// The vertex.
        vertex: VertexId,
    },
    /// A polygon that is not convex or has no area.
    #[error("polygon {polygon} is not convex")]
    NotConvex {
        /// The polygon.
        polygon: PolyId,
    },
    /// Coordinates that are too large for a surface point.
    #[error(
        "a vertex is {coordinate} points of the grid from the scene's lower corner, the limit is {limit}; remove what lies that far from the rest, or take larger cells"
    )]
    TooWide {
        /// The largest coordinate.
        coordinate: u32,
        /// The limit.
        limit: u32,
    },
    /// More points or triangles than 32 bits can number.
    #[error("the surface has {count} {element}, the limit is {limit}")]
    TooMany {
        /// `"points"` or `"triangles"`.
        element: &'static str,
        /// Number of points or triangles.
        count: usize,
        /// Largest number allowed.
        limit: usize,
    },
}
