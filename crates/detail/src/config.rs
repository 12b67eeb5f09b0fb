//! Configuration and errors.

use thiserror::Error;
use waymesh_core::{BadField, GridWindow, PolyId, VertexId};

/// Smallest error bound, in levels: the field itself rounds the ground to a thirty-second of a
/// level.
pub(crate) const LEAST_ERROR_LEVELS: f32 = 1.0 / 32.0;

/// How close the surface follows the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct DetailConfig {
    /// Largest error at the centre of any column, in levels. Default 1, from 1/32 (to which ground
    /// is rounded) to any finite number.
    pub max_error_levels: f32,
    /// The agent's highest step in metres: ground more than twice this from the ground beside it is
    /// another storey. Only matters where regions that lie over each other are neighbours.
    /// Default 0.9, finite, zero or more.
    pub max_step: f32,
    /// Plan points of the polygons along a side of a column: their frame has so many cells for each
    /// of the field's, and their vertices may lie between columns. Default 1, a power of two up
    /// to 256.
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

/// How much of a field is looked at at a time. It changes the cost, never the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WindowConfig {
    /// Columns of a window, as near as can be: polygons that lie close together share one, a
    /// polygon that is larger gets one of its own size. A margin of three columns around each
    /// window is shared with others. Default 2^20, where a field takes some 50 MiB; one or
    /// more.
    pub window_columns: u64,
    /// Windows that are alive at the same time. Default 1; one or more.
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

/// Why no surface could be made.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum DetailError {
    /// A field of the configuration is out of its range.
    #[error(transparent)]
    BadField(#[from] BadField),
    /// The source of the field failed.
    #[error("no field for the {} x {} columns from ({}, {}): {cause}", window.width, window.depth, window.x, window.z)]
    Source {
        /// The columns that were asked for.
        window: GridWindow,
        /// What the source says.
        cause: String,
    },
    /// The source of the field gave less than was asked for.
    #[error(
        "the field of the {} x {} columns from ({}, {}) has {} x {} from ({}, {})",
        asked.width, asked.depth, asked.x, asked.z, given.width, given.depth, given.x, given.z
    )]
    WindowTooSmall {
        /// The columns that were asked for.
        asked: GridWindow,
        /// The columns that came.
        given: GridWindow,
    },
    /// The field, the regions and the polygons do not belong together, or one of them is broken.
    #[error("{what} does not fit the rest: {found} where {expected} was expected")]
    Mismatch {
        /// Which table or number.
        what: &'static str,
        /// What it holds.
        found: usize,
        /// What it should hold (or the limit).
        expected: usize,
    },
    /// A height that is NaN or infinite.
    #[error("the ground of span {span} is not finite")]
    GroundNotFinite {
        /// The span, counted within the window it was seen in.
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
    /// Coordinates that a surface point cannot hold.
    #[error("a vertex is {coordinate} points of the grid from the origin, the limit is {limit}")]
    TooWide {
        /// The largest coordinate.
        coordinate: u32,
        /// The largest that would do.
        limit: u32,
    },
    /// More points or triangles than 32 bits can number.
    #[error("the surface has {count} {element}, the limit is {limit}")]
    TooMany {
        /// `"points"` or `"triangles"`.
        element: &'static str,
        /// How many there are.
        count: usize,
        /// How many there may be.
        limit: usize,
    },
}
