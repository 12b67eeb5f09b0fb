//! What can go wrong.

use thiserror::Error;

/// A partition that cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RegionError {
    /// An area in square metres that is NaN, infinite or negative.
    #[error("{field} is {value} m2, but must be finite and not negative")]
    BadArea {
        /// Name of the field.
        field: &'static str,
        /// Its value.
        value: f32,
    },
}

/// Checks one area of a configuration.
pub(crate) fn check_area(field: &'static str, value: f32) -> Result<(), RegionError> {
    if value.is_finite() && value >= 0.0 { Ok(()) } else { Err(RegionError::BadArea { field, value }) }
}
