//! Errors of this crate.

use thiserror::Error;
use waymesh_core::BadField;

/// A mesh or configuration that cannot be judged.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MetricsError {
    /// A field of the configuration is out of its range.
    #[error(transparent)]
    BadField(#[from] BadField),
    /// A polygon has fewer than three corners or names a missing vertex.
    #[error("polygon {polygon} has {corners} corners, the largest is vertex {largest} of {vertices}")]
    BadPolygon {
        /// Index of the polygon.
        polygon: usize,
        /// Its number of corners.
        corners: usize,
        /// Largest vertex that it names.
        largest: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A vertex or a corner of the ground is NaN or infinite.
    #[error("{table} {element} is not finite")]
    NotFinite {
        /// `"vertex"` or `"ground of polygon"`.
        table: &'static str,
        /// Its index.
        element: usize,
    },
    /// A table does not fit the polygons.
    #[error("the table of {table} does not fit polygon {polygon}")]
    BadTable {
        /// `"neighbours"`, `"ground"` or `"polygons"`.
        table: &'static str,
        /// First polygon for which it does not fit.
        polygon: usize,
    },
}
