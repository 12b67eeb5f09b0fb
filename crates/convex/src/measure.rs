//! Lengths and angles for comparing portals. They never decide what is convex or visible.

use waymesh_core::PlanPoint;

/// Factor on the squared length of a portal that makes a narrow angle.
pub(crate) const NARROW: u32 = 4;
/// Tangent of a narrow angle, about 10 degrees.
const NARROW_TANGENT: f64 = 0.18;

/// Returns the vector from one point to another. It is exact: differences may need 33 bits.
pub(crate) fn offset(from: PlanPoint, to: PlanPoint) -> [f64; 2] {
    [f64::from(to.x) - f64::from(from.x), f64::from(to.z) - f64::from(from.z)]
}

/// Returns `true` if the directions from `point` to the two other points make a narrow angle, so
/// that a sliver would lie between them.
pub(crate) fn is_narrow(point: PlanPoint, to: PlanPoint, beside: PlanPoint) -> bool {
    let ([x, z], [u, w]) = (offset(point, to), offset(point, beside));
    let (cross, dot) = (x * w - z * u, x * u + z * w);
    dot > 0.0 && cross.abs() < NARROW_TANGENT * dot
}

/// Returns the squared distance from a point to a segment.
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
        // A straight continuation makes no narrow angle with the portal.
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
