//! Lines that touch discs, in the plan.

use glam::{DVec2, dvec2};
use waymesh_core::float;

/// Directions that differ by less, in radians, count as one: a micrometre aside after a kilometre.
pub(crate) const ANGLE_TOLERANCE: f64 = 1e-9;
/// A gap may be narrower than the disc by this part: clearances are rounded down to single
/// precision.
pub(crate) const NARROW: f64 = 2e-6;

/// Returns the radius that is searched for: smaller by more than what rounding takes from the room
/// at an end or in a gap. So an end that just touches a wall lies outside of the discs round its
/// corners, and a gap that just lets the disc through is wider than it.
pub(crate) fn slimmed(radius: f64) -> f64 {
    radius * (1.0 - 2.0 * NARROW) - 1e-6
}

/// Returns the same direction with length 1; any for nothing.
pub(crate) fn unit(a: DVec2) -> DVec2 {
    let length = a.length();
    if length > 0.0 { a / length } else { DVec2::X }
}

/// Returns the angle from `a` to `b` against the clock, from -pi to pi.
pub(crate) fn angle(a: DVec2, b: DVec2) -> f64 {
    float::atan2(a.perp_dot(b), a.dot(b))
}

/// Positive where `c` lies to the left of the path from `a` to `b`: twice the area.
pub(crate) fn side_of(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

/// Returns the place of a segment nearest to `p`.
pub(crate) fn nearest_on([a, b]: [DVec2; 2], p: DVec2) -> DVec2 {
    let along = b - a;
    let size = along.dot(along);
    if size <= 0.0 {
        return a;
    }
    let share = ((p - a).dot(along) / size).clamp(0.0, 1.0);
    if share >= 1.0 { b } else { a + along * share }
}

/// Returns the squared distance of a place from a segment.
pub(crate) fn distance_squared(segment: [DVec2; 2], p: DVec2) -> f64 {
    let off = p - nearest_on(segment, p);
    off.dot(off)
}

/// Returns the squared distance between two segments, 0 where they meet.
pub(crate) fn between_squared(a: [DVec2; 2], b: [DVec2; 2]) -> f64 {
    let [first, second] = [side_of(a[0], a[1], b[0]), side_of(a[0], a[1], b[1])];
    if first * second <= 0.0 && side_of(b[0], b[1], a[0]) * side_of(b[0], b[1], a[1]) <= 0.0 {
        // Crossing or collinear; collinear segments are decided by their ends.
        let flat = (a[1] - a[0]).perp_dot(b[1] - b[0]).abs();
        if flat > 0.0 {
            return 0.0;
        }
    }
    let of_a = distance_squared(b, a[0]).min(distance_squared(b, a[1]));
    of_a.min(distance_squared(a, b[0])).min(distance_squared(a, b[1]))
}

/// Returns `true` if two segments are nearer to each other than `limit`.
#[inline]
pub(crate) fn is_nearer(a: [DVec2; 2], b: [DVec2; 2], limit: f64) -> bool {
    // Quicker than `min` and `max`, which look for NaN.
    let order = |a: f64, b: f64| if a < b { [a, b] } else { [b, a] };
    let are_apart = |axis: usize| {
        let [[a_low, a_high], [b_low, b_high]] = [a, b].map(|ends| order(ends[0][axis], ends[1][axis]));
        a_low - b_high >= limit || b_low - a_high >= limit
    };
    if are_apart(0) || are_apart(1) {
        return false;
    }
    // Both ends of one on one side of the other's line, and far from it.
    let along = a[1] - a[0];
    let [first, second] = b.map(|end| along.perp_dot(end - a[0]));
    let least = limit * limit * along.dot(along);
    let is_far = first * first >= least && second * second >= least;
    if is_far && first * second > 0.0 {
        return false;
    }
    let across = b[1] - b[0];
    let [third, fourth] = a.map(|end| across.perp_dot(end - b[0]));
    // Crossing, if not in line.
    (first * second <= 0.0 && third * fourth <= 0.0 && along.perp_dot(across).abs() > 0.0)
        || a.into_iter().zip([third, fourth]).any(|(end, aside)| is_near(b[0], across, end, aside, limit))
        || b.into_iter().zip([first, second]).any(|(end, aside)| is_near(a[0], along, end, aside, limit))
}

/// Returns `true` if a place is nearer than `limit` to the segment from `a` on, `along`. `aside` is
/// how far it is from the line, times the segment's length.
#[inline]
fn is_near(a: DVec2, along: DVec2, place: DVec2, aside: f64, limit: f64) -> bool {
    let off = place - a;
    let (share, size) = (off.dot(along), along.length_squared());
    let limit = limit * limit;
    if share <= 0.0 {
        off.length_squared() < limit
    } else if share >= size {
        (off - along).length_squared() < limit
    } else {
        aside * aside < limit * size
    }
}

/// Returns `true` if any part of a path lies to the left of a side of a triangle, where the
/// triangle is. What is seen from a path is seen through such sides: others lead back under it or
/// over it, to another storey. A path along a side, to rounding, lies on both sides of it.
pub(crate) fn faces([a, b]: [DVec2; 2], way: [DVec2; 2]) -> bool {
    const ALONG: f64 = 1e-5;
    let sides = way.map(|end| side_of(a, b, end));
    sides.iter().any(|&side| side >= 0.0) || {
        let least = ALONG * ALONG * (b - a).length_squared();
        sides.iter().any(|&side| side * side < least)
    }
}

/// A line with a direction that touches one disc and then another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tangent {
    pub(crate) direction: DVec2,
    /// From where it touches the first to where it touches the second.
    pub(crate) length: f64,
}

/// Returns the line from a disc to another. An offset says how far to the left of the line the
/// centre lies: the radius of a disc that is passed on its right, less for one that is passed on
/// its left, 0 for a place. `None` where there is no such line, the discs being too near.
pub(crate) fn tangent(from: DVec2, from_offset: f64, to: DVec2, to_offset: f64) -> Option<Tangent> {
    /// The tolerance for squared lengths.
    const LOOSE: f64 = (1.0 + NARROW) * (1.0 + NARROW);
    let across = to - from;
    let square = across.length_squared();
    let shift = to_offset - from_offset;
    let rest = square - shift * shift;
    let DVec2 { x, y: z } = across;
    if rest > 0.0 {
        let length = rest.sqrt();
        let direction = dvec2(length * x + shift * z, length * z - shift * x) / square;
        return Some(Tangent { direction, length });
    }
    let touches = square > 0.0 && shift * shift <= square * LOOSE;
    touches.then(|| Tangent { direction: unit(dvec2(z, -x) * shift), length: 0.0 })
}

/// Returns where a line of this direction touches a disc.
pub(crate) fn touch(centre: DVec2, offset: f64, direction: DVec2) -> DVec2 {
    centre + direction.perp() * (-offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tangents_touch_both_discs_on_the_sides_asked_for() {
        let (from, to) = (dvec2(1.0, 2.0), dvec2(6.0, -1.0));
        for [first, second] in [[0.0, 1.0], [1.5, 1.5], [1.0, -2.0], [-1.0, 0.5], [0.0, 0.0]] {
            let Tangent { direction, length: long } =
                tangent(from, first, to, second).expect("far enough apart");
            assert!((direction.length() - 1.0).abs() < 1e-12);
            let [start, end] = [touch(from, first, direction), touch(to, second, direction)];
            assert!(((end - start).length() - long).abs() < 1e-12);
            assert!(((start + direction * long) - end).length() < 1e-12);
            for (centre, offset) in [(from, first), (to, second)] {
                assert!((side_of(start, start + direction, centre) - offset).abs() < 1e-12);
            }
        }
        assert_eq!(tangent(from, 3.0, to, -3.0), None);
        assert_eq!(tangent(from, 0.0, from, 0.0), None);
    }

    #[test]
    fn segments_that_cross_have_no_distance() {
        assert!(
            between_squared([dvec2(0.0, 0.0), dvec2(2.0, 2.0)], [dvec2(0.0, 2.0), dvec2(2.0, 0.0)]) <= 0.0
        );
        assert!(
            (between_squared([dvec2(0.0, 0.0), dvec2(2.0, 0.0)], [dvec2(3.0, 1.0), dvec2(3.0, 5.0)]) - 2.0)
                .abs()
                < 1e-12
        );
        assert!(
            (between_squared([dvec2(0.0, 0.0), dvec2(2.0, 0.0)], [dvec2(3.0, 0.0), dvec2(5.0, 0.0)]) - 1.0)
                .abs()
                < 1e-12
        );
        assert!(
            (between_squared([dvec2(0.0, 0.0), dvec2(9.0, 0.0)], [dvec2(3.0, 2.0), dvec2(5.0, 3.0)]) - 4.0)
                .abs()
                < 1e-12
        );
    }
}
