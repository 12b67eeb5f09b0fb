//! Lengths and angles that weigh one portal against another. They never decide what is convex, or
//! what is seen.

use waymesh_core::PlanPoint;

/// A portal that makes a narrow angle counts as this many.
pub(crate) const NARROW: u32 = 4;
/// Tangent of a narrow angle, about 10 degrees.
const NARROW_TANGENT: f64 = 0.18;

/// From one point to another. Exact: differences may need 33 bits.
pub(crate) fn offset(from: PlanPoint, to: PlanPoint) -> [f64; 2] {
    [f64::from(to.x) - f64::from(from.x), f64::from(to.z) - f64::from(from.z)]
}

/// Whether the ways from `point` to the other two make a narrow angle: between them would be a
/// sliver.
pub(crate) fn is_narrow(point: PlanPoint, to: PlanPoint, beside: PlanPoint) -> bool {
    let ([x, z], [u, w]) = (offset(point, to), offset(point, beside));
    let (cross, dot) = (x * w - z * u, x * u + z * w);
    dot > 0.0 && cross.abs() < NARROW_TANGENT * dot
}

/// Square of the distance from a point to a segment.
pub(crate) fn distance_squared(point: PlanPoint, from: PlanPoint, to: PlanPoint) -> f64 {
    let ([x, z], [u, w]) = (offset(point, from), offset(from, to));
    let along = (-(x * u + z * w) / (u * u + w * w)).clamp(0.0, 1.0);
    let (dx, dz) = (x + along * u, z + along * w);
    dx * dx + dz * dz
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_angles_are_those_below_ten_degrees() {
        let eye = PlanPoint::new(-(1 << 30), -(1 << 30));
        let far = PlanPoint::new(1 << 30, 1 << 30);
        let at = |x, z| PlanPoint::new(eye.x + x, eye.z + z);
        assert!(is_narrow(eye, far, at(100, 100)) && is_narrow(eye, far, at(100, 80)));
        assert!(!is_narrow(eye, far, at(100, 60)) && !is_narrow(eye, far, at(0, 100)));
        // Straight on is no angle beside the portal.
        assert!(!is_narrow(at(100, 100), far, eye));
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "small whole numbers")]
    fn the_distance_to_a_segment_is_that_to_its_closest_point() {
        let [a, b] = [PlanPoint::new(0, 0), PlanPoint::new(10, 0)];
        for (point, squared) in [((4, 3), 9.0), ((-3, 4), 25.0), ((13, -4), 25.0), ((10, 0), 0.0)] {
            assert_eq!(distance_squared(PlanPoint::new(point.0, point.1), a, b), squared);
        }
    }
}
