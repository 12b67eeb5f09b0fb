//! Lossy casts with names that say what is lost.

/// Returns the single-precision number nearest to `value`.
#[inline]
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "the function rounds by definition")]
pub const fn nearest_f32(value: f64) -> f32 {
    value as f32
}

/// Returns a count with its noun: "1 island", "2 islands".
#[must_use]
pub fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Returns `value` rounded to this many significant digits, for texts; not finite, itself.
#[must_use]
pub fn rounded(value: f32, digits: u8) -> f32 {
    let (size, most) = (f64::from(value.abs()), (0..digits).fold(1.0, |most, _| most * 10.0));
    if size == 0.0 || !size.is_finite() {
        return value;
    }
    let mut scale = 1.0;
    while size * scale * 10.0 < most {
        scale *= 10.0;
    }
    while size * scale >= most {
        scale /= 10.0;
    }
    nearest_f32((f64::from(value) * scale).round() / scale)
}

/// A number of bytes in a text: in MiB, from 10 GiB on in GiB, rounded up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteCount(pub u64);

impl std::fmt::Display for ByteCount {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (shift, unit) = if self.0 < 10 << 30 { (20, "MiB") } else { (30, "GiB") };
        write!(formatter, "{} {unit}", self.0.div_ceil(1 << shift))
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_few_digits() {
        let digits = [1.907_348_6e-6, 28.000_002, 11_349.944, -0.5, 0.0, f32::INFINITY];
        assert_eq!(
            digits.map(|value| rounded(value, 3).to_string()).join(" "),
            "0.00000191 28 11300 -0.5 0 inf"
        );
        assert!(rounded(f32::NAN, 3).is_nan());
        let bytes = [0, 1, 7_001_688, (10 << 30) - 1, 10 << 30, u64::MAX];
        assert_eq!(
            bytes.map(|bytes| ByteCount(bytes).to_string()).join(", "),
            "0 MiB, 1 MiB, 7 MiB, 10240 MiB, 10 GiB, 17179869184 GiB"
        );
    }
}
