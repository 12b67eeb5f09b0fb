//! Exact tests on positions in the plan.

use waymesh_core::{PlanPoint, saturating_i64};

/// Lattice points per cell side.
const LATTICE: f64 = (1_u64 << 20) as f64;

/// One lattice step, in cells.
pub(crate) const LATTICE_STEP: f64 = 1.0 / LATTICE;

/// Added and taken away again, it leaves a multiple of a lattice step: its last bit is worth one.
const ROUNDER: f64 = 1.5 * (1_u64 << 32) as f64;

/// A position in the plan, in cells, on the lattice: a multiple of 2^-20.
///
/// Within [`waymesh_core::MAX_PLAN_COORDINATE`] coordinates have 50 bits, so differences are exact
/// in double precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PlanPosition {
    pub(crate) x: f64,
    pub(crate) z: f64,
}

impl PlanPosition {
    /// Returns the lattice point nearest to `(x, z)`; far outside any grid, the point itself.
    #[inline]
    pub(crate) fn snapped(x: f64, z: f64) -> Self {
        let snap = |value: f64| if value.abs() < 2e9 { (value + ROUNDER) - ROUNDER } else { value };
        Self { x: snap(x), z: snap(z) }
    }

    #[inline]
    pub(crate) fn on_grid(x: i32, z: i32) -> Self {
        Self { x: f64::from(x), z: f64::from(z) }
    }

    /// Returns the squared distance in cells.
    #[inline]
    pub(crate) fn distance_squared(self, other: Self) -> f64 {
        let (dx, dz) = (self.x - other.x, self.z - other.z);
        dx * dx + dz * dz
    }
}

impl From<PlanPoint> for PlanPosition {
    #[inline]
    fn from(point: PlanPoint) -> Self {
        Self::on_grid(point.x, point.z)
    }
}

/// Positive when `c` lies on the walkable side of `a -> b` in a positive loop, zero when the three
/// are in line. The sign is exact for points of the lattice within the limit of the grid; the size
/// is twice the area, rounded.
#[inline]
pub(crate) fn orientation(a: PlanPosition, b: PlanPosition, c: PlanPosition) -> f64 {
    let left = (b.x - a.x) * (c.z - a.z);
    let right = (b.z - a.z) * (c.x - a.x);
    let difference = left - right;
    let size = left.abs() + right.abs();
    // Products are multiples of 2^-40: below 2^12 they fit the 53 bits. Above, each of the three
    // roundings is at most half an EPSILON of `size`.
    if size < 4096.0 || difference.abs() > 2.0 * f64::EPSILON * size {
        difference
    } else {
        exact_orientation(a, b, c)
    }
}

/// Returns `true` if a place lies between two rays from a root, or on one of them.
#[inline]
pub(crate) fn is_between(root: PlanPosition, [right, left]: [PlanPosition; 2], at: PlanPosition) -> bool {
    orientation(root, right, at) >= 0.0 && orientation(root, left, at) <= 0.0
}

/// Differences of two products that are together at most `size` have the right sign if they are at
/// least this far from zero: as in [`orientation`], for many tests at once.
#[inline]
pub(crate) fn sure_above(size: f64) -> f64 {
    if size < 4096.0 { 0.0 } else { 2.0 * f64::EPSILON * size }
}

#[cold]
#[inline(never)]
fn exact_orientation(a: PlanPosition, b: PlanPosition, c: PlanPosition) -> f64 {
    let step = |from: f64, to: f64| i128::from(saturating_i64((to - from) * LATTICE));
    let determinant = step(a.x, b.x) * step(a.z, c.z) - step(a.z, b.z) * step(a.x, c.x);
    determinant as f64 * (LATTICE_STEP * LATTICE_STEP)
}

/// Returns the point of segment `a b` closest to `p`, not on the lattice.
#[inline]
pub(crate) fn closest_on_segment(a: PlanPosition, b: PlanPosition, p: PlanPosition) -> PlanPosition {
    let (ex, ez) = (b.x - a.x, b.z - a.z);
    let length = ex * ex + ez * ez;
    let t = if length > 0.0 { ((p.x - a.x) * ex + (p.z - a.z) * ez) / length } else { 0.0 };
    if t <= 0.0 {
        a
    } else if t >= 1.0 {
        b
    } else {
        PlanPosition { x: a.x + ex * t, z: a.z + ez * t }
    }
}

/// Returns the squared distance of `p` from segment `a b`.
#[inline]
pub(crate) fn to_segment_squared(a: PlanPosition, b: PlanPosition, p: PlanPosition) -> f64 {
    p.distance_squared(closest_on_segment(a, b, p))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn position() -> impl Strategy<Value = PlanPosition> {
        let whole = (-(1_i64 << 30)..=1 << 30).prop_map(|value| value as f64);
        let near = (-64_i64..64).prop_map(|value| value as f64 * LATTICE_STEP);
        let coordinate = (prop_oneof![whole, (-40_i64..40).prop_map(|v| v as f64)], near);
        (coordinate.clone(), coordinate).prop_map(|(x, z)| PlanPosition::snapped(x.0 + x.1, z.0 + z.1))
    }

    proptest! {
        #[test]
        fn the_sign_is_that_of_exact_arithmetic(a in position(), b in position(), c in position()) {
            let exact = exact_orientation(a, b, c);
            let quick = orientation(a, b, c);
            prop_assert_eq!(exact > 0.0, quick > 0.0);
            prop_assert_eq!(exact < 0.0, quick < 0.0);
        }

        #[test]
        fn points_in_line_and_one_step_beside_it_are_told_apart(
            x in 1_i32..1 << 29, z in 1_i32..1 << 29, thirds in 0_i32..3,
        ) {
            let at = |factor: i32| PlanPosition::on_grid(x / 3 * factor, z / 3 * factor);
            let (a, b, mut c) = (at(0), at(3), at(thirds));
            prop_assert!(orientation(a, b, c) == 0.0);
            c.z += LATTICE_STEP;
            prop_assert_eq!(orientation(a, b, c) > 0.0, x / 3 > 0);
        }
    }

    #[test]
    fn snapping_gives_multiples_of_the_step_and_moves_by_half_a_step_at_most() {
        for value in [0.0, 0.1, -7.3, 1e9 + 0.123, -1_073_741_823.9, 3.0e-7] {
            let snapped = PlanPosition::snapped(value, 0.0).x;
            assert!((snapped * LATTICE).fract() == 0.0);
            assert!((snapped - value).abs() <= LATTICE_STEP / 2.0);
        }
    }
}
