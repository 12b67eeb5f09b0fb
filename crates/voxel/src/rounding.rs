//! Rounding of grid coordinates, fast and with a stated slack.
#![expect(
    clippy::cast_possible_truncation,
    reason = "the low half of the bits is the result, by construction"
)]

use waymesh_core::lanes::{high, low};

/// Fraction of a cell by which a triangle must reach into a column to have an effect. If it does
/// not reach farther to the other side either, it lies on the cell line. The value is above the
/// rounding of [`waymesh_core::GridFrame::fit`] (1e-4), so that triangles on the last cell line are
/// kept, and far above the error of double precision over 2^30 cells (3e-7).
pub(crate) const PLAN_SLACK: f64 = 2e-4;

/// Fraction of a level above a level line within which a height counts as on the line: 0.6 m is 3
/// levels of 0.2 m, although neither number is exact in binary. The top of a span may lie below the
/// surface by this much.
pub(crate) const LEVEL_SLACK: f64 = 1e-4;

/// Largest level or cell that the functions below can return. Larger coordinates are clamped.
pub(crate) const REACH: f64 = (1_u64 << 30) as f64;

/// Returns the nearest integer for sizes below 2^31: adding 1.5 * 2^52 moves it into the low bits.
/// This is a single addition that vectorises; the baseline instruction set has no rounding
/// instruction.
#[inline(always)]
pub(crate) fn nearest(value: f64) -> i32 {
    (value + 6_755_399_441_055_744.0).to_bits() as u32 as i32
}

/// Returns the cell of `x`; on a cell line, the upper one.
#[inline(always)]
pub(crate) fn first_cell(x: f64) -> i32 {
    nearest(x + (PLAN_SLACK - 0.5))
}

/// Returns the cell of `x`; on a cell line, the lower one.
#[inline(always)]
pub(crate) fn last_cell(x: f64) -> i32 {
    nearest(x - (PLAN_SLACK + 0.5))
}

/// Largest error of a cell line in double precision.
pub(crate) const LINE_ERROR: f64 = 1e-9;

/// Returns the cell line at or after `x`.
#[inline(always)]
pub(crate) fn line_after(x: f64) -> i32 {
    nearest(x + (0.5 - LINE_ERROR))
}

/// Returns the cell line at or before `x`, which is also the number of the cell after the line.
#[inline(always)]
pub(crate) fn line_before(x: f64) -> i32 {
    nearest(x - (0.5 - LINE_ERROR))
}

/// Returns `value` clamped to `least..=most`.
#[inline(always)]
pub(crate) fn clamp(value: f64, least: f64, most: f64) -> f64 {
    low(high(value, least), most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_exact_away_from_the_slack() {
        for whole in [-1_000_000_000, -7, -1, 0, 1, 8191, 1_000_000_000] {
            let exact = f64::from(whole);
            assert_eq!(first_cell(exact), whole);
            assert_eq!(last_cell(exact), whole - 1);
            assert_eq!(line_after(exact + 0.01), whole + 1);
            assert_eq!(line_before(exact + 0.01), whole);
            assert_eq!(first_cell(exact + 0.999), whole);
            assert_eq!(last_cell(exact + 0.01), whole);
        }
    }
}
