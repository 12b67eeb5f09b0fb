//! Lossy casts with names that say what is lost.

/// Returns the single-precision number nearest to `value`.
#[inline]
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "the function rounds by definition")]
pub const fn nearest_f32(value: f64) -> f32 {
    value as f32
}

/// Returns the integer part of `value`, clamped to 0 to [`u32::MAX`]; 0 for NaN.
#[inline]
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
pub fn saturating_u32(value: impl Into<f64>) -> u32 {
    value.into() as u32
}

/// Returns the integer part of `value`, clamped to [`i32::MIN`] to [`i32::MAX`]; 0 for NaN.
#[inline]
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
pub fn saturating_i32(value: impl Into<f64>) -> i32 {
    value.into() as i32
}

/// Returns the integer part of `value`, clamped to [`i64::MIN`] to [`i64::MAX`]; 0 for NaN.
#[inline]
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
pub fn saturating_i64(value: impl Into<f64>) -> i64 {
    value.into() as i64
}
