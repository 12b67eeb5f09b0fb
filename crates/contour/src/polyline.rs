//! Simplification of one polyline without regard to others.

use std::ops::Range;

use crate::boxes::Line;
use crate::segment::Segment;

/// Returns the split point of a chain: the point farthest from the segment between its ends, if
/// that is farther than the tolerance. A chain that ends where it starts is always split.
pub(crate) fn split_index(line: &Line<'_>, chain: Range<usize>, tolerance_squared: f64) -> Option<usize> {
    let segment =
        Segment::new(*line.points().get(chain.start)?, *line.points().get(chain.end.checked_sub(1)?)?);
    let (index, distance) = line.farthest(chain, 0)?;
    (!segment.stays_within(distance, tolerance_squared)).then_some(index)
}

/// Appends the indices of the points of a chain to keep, in order, to `out`, which is not cleared.
/// Uses Ramer's algorithm (also known as Douglas and Peucker's) without recursion. The chain must
/// not be empty.
///
/// # Guarantees
/// - Both ends are kept; if the chain returns to its start, so is the point farthest from there.
/// - No removed point lies farther from the result than the tolerance, in cells: distances are
///   taken to segments, not to lines.
///
/// The result may cross itself where the tolerance is larger than the gaps of the input:
/// [`crate::simplify_contours`] prevents that.
///
/// # Cost
/// Usually `n log n`, even if many points are about equally far from the segment, as in a comb.
///
/// # References
/// - Ramer 1972, An iterative procedure for the polygonal approximation of plane curves, <https://doi.org/10.1016/S0146-664X(72)80017-0>.
/// - Douglas and Peucker 1973, <https://doi.org/10.3138/FM57-6770-U75U-7727>.
pub(crate) fn simplify_line(
    line: &Line<'_>,
    chain: Range<usize>,
    tolerance_squared: f64,
    out: &mut Vec<usize>,
) {
    out.push(chain.start);
    let mut open = vec![(chain.start, chain.end - 1)];
    while let Some((first, last)) = open.pop() {
        match split_index(line, first..last + 1, tolerance_squared) {
            Some(middle) => open.extend([(middle, last), (first, middle)]),
            None if last > first => out.push(last),
            None => {}
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use waymesh_core::{PlanPoint, Random, float};

    use super::*;

    /// Returns the indices of the points of a polyline that are kept.
    pub(crate) fn simplify_polyline(points: &[PlanPoint], tolerance_cells: f32) -> Vec<usize> {
        let mut out = Vec::new();
        if !points.is_empty() {
            let tolerance_squared = float::squared(f64::from(tolerance_cells.max(0.0)));
            simplify_line(&Line::new(points), 0..points.len(), tolerance_squared, &mut out);
        }
        out
    }

    fn points(coordinates: &[(i32, i32)]) -> Vec<PlanPoint> {
        coordinates.iter().map(|&(x, z)| PlanPoint::new(x, z)).collect()
    }

    fn kept(coordinates: &[(i32, i32)], tolerance: f32) -> Vec<usize> {
        simplify_polyline(&points(coordinates), tolerance)
    }

    #[test]
    fn few_points_are_kept() {
        assert_eq!(kept(&[], 1.0), []);
        assert_eq!(kept(&[(3, 4)], 1.0), [0]);
        assert_eq!(kept(&[(3, 4), (5, 6)], 1.0), [0, 1]);
    }

    #[test]
    fn points_on_the_line_go_even_without_tolerance() {
        assert_eq!(kept(&[(0, 0), (1, 0), (2, 0), (2, 1), (2, 2)], 0.0), [0, 2, 4]);
        assert_eq!(kept(&[(0, 0), (1, 0), (2, 0)], f32::NAN), [0, 2]);
    }

    #[test]
    fn the_tolerance_itself_is_allowed() {
        let bump = [(0, 0), (2, 2), (4, 0)];
        assert_eq!(kept(&bump, 2.0), [0, 2]);
        assert_eq!(kept(&bump, 1.99), [0, 1, 2]);
    }

    #[test]
    fn distance_is_to_the_segment_and_not_to_its_line() {
        assert_eq!(kept(&[(0, 0), (9, 0), (4, 0)], 1.0), [0, 1, 2]);
    }

    #[test]
    fn a_polyline_that_returns_keeps_its_farthest_point() {
        assert_eq!(kept(&[(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)], 9.0), [0, 2, 4]);
    }

    #[test]
    fn huge_coordinates_are_exact() {
        let far = 1 << 30;
        assert_eq!(kept(&[(-far, -far), (0, 1), (far, far)], 0.5), [0, 1, 2]);
        assert_eq!(kept(&[(-far, -far), (0, 0), (far, far)], 0.0), [0, 2]);
        assert_eq!(kept(&[(-far, -far), (0, 1), (far, far)], 1.0), [0, 2]);
    }

    /// Returns the distance of a point from a segment, in floating point.
    fn distance(point: PlanPoint, from: PlanPoint, to: PlanPoint) -> f64 {
        let vector = |from: PlanPoint, to: PlanPoint| [f64::from(to.x - from.x), f64::from(to.z - from.z)];
        let ([dx, dz], [px, pz]) = (vector(from, to), vector(from, point));
        let length_squared = (dx * dx + dz * dz).max(1.0);
        let along = ((dx * px + dz * pz) / length_squared).clamp(0.0, 1.0);
        float::hypot(px - along * dx, pz - along * dz)
    }

    #[test]
    fn removed_points_stay_within_the_tolerance() {
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let count = 1 + random.index(80);
            let tolerance = f64::from(random.unit()) * 20.0;
            let points: Vec<PlanPoint> = (0..count)
                .map(|_| PlanPoint::new(random.below(60).cast_signed(), random.below(60).cast_signed() - 30))
                .collect();
            #[expect(clippy::cast_possible_truncation, reason = "any tolerance will do")]
            let kept = simplify_polyline(&points, tolerance as f32);
            assert_eq!((kept.first(), kept.last()), (Some(&0), Some(&(count - 1))));
            for pair in kept.windows(2) {
                assert!(pair[0] < pair[1]);
                for &point in &points[pair[0] + 1..pair[1]] {
                    let off = distance(point, points[pair[0]], points[pair[1]]);
                    assert!(off <= tolerance + 1e-6, "seed {seed}");
                }
            }
        }
    }
}
