//! The error of an invalid configuration.

use crate::nearest_f32;
use thiserror::Error;

/// A field of a configuration is out of its range.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("{field} is {}, but must be {expected}", shortest(*value))]
#[non_exhaustive]
pub struct BadField {
    /// Name of the field.
    pub field: &'static str,
    /// Value of the field.
    pub value: f64,
    /// The accepted values.
    pub expected: &'static str,
}

impl BadField {
    /// Checks a condition on a field.
    ///
    /// # Errors
    /// If `fine` is `false`.
    pub fn unless(
        fine: bool,
        field: &'static str,
        value: impl Into<f64>,
        expected: &'static str,
    ) -> Result<(), Self> {
        if fine { Ok(()) } else { Err(Self { field, value: value.into(), expected }) }
    }

    /// Checks that a field in metres is finite and not negative.
    ///
    /// # Errors
    /// If the value is not finite or is negative.
    pub fn unless_length(field: &'static str, metres: impl Into<f64>) -> Result<(), Self> {
        let metres = metres.into();
        Self::unless(metres.is_finite() && metres >= 0.0, field, metres, "finite and at least 0 m")
    }

    /// Checks that a field in square metres is finite and not negative.
    ///
    /// # Errors
    /// If the value is not finite or is negative.
    pub fn unless_area(field: &'static str, square_metres: impl Into<f64>) -> Result<(), Self> {
        let area = square_metres.into();
        Self::unless(area.is_finite() && area >= 0.0, field, area, "finite and at least 0 m2")
    }

    /// Checks that a field in metres is finite and above 0.
    ///
    /// # Errors
    /// If the value is not finite or is not above 0.
    pub fn unless_positive(field: &'static str, metres: impl Into<f64>) -> Result<(), Self> {
        let metres = metres.into();
        Self::unless(metres.is_finite() && metres > 0.0, field, metres, "finite and above 0 m")
    }
}

/// Formats a value with as few digits as identify it. A value that came from single precision is
/// shown in single precision: 0.1, not 0.10000000149011612.
fn shortest(value: f64) -> String {
    let single = nearest_f32(value);
    if f64::from(single).total_cmp(&value).is_eq() { single.to_string() } else { value.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_they_were_given() {
        let text = |value: f64| BadField::unless(false, "reach", value, "else").unwrap_err().to_string();
        assert_eq!(text(f64::from(-0.1_f32)), "reach is -0.1, but must be else");
        assert_eq!(text(-0.1), "reach is -0.1, but must be else");
        assert_eq!(text(f64::NAN), "reach is NaN, but must be else");
        assert_eq!(text(f64::INFINITY), "reach is inf, but must be else");
    }

    #[test]
    fn bounds_are_named() {
        assert_eq!(BadField::unless_length("reach", 0.0), Ok(()));
        assert!(BadField::unless_positive("reach", 0.0).is_err());
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            let error = BadField::unless_length("reach", bad).unwrap_err();
            assert_eq!((error.field, error.expected), ("reach", "finite and at least 0 m"));
            assert!(BadField::unless_positive("reach", bad).is_err());
        }
    }
}
