//! Simplification of one polyline without regard to others.

use std::ops::Range;

use waymesh_core::PlanPoint;

use crate::boxes::Line;

/// A segment to measure distances from. Differences and products are exact. Only the comparison of
/// squares is rounded, to one part in 2^52.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    start: PlanPoint,
    end: PlanPoint,
    length_squared: i64,
}

#[expect(clippy::cast_precision_loss, reason = "rounding to one part in 2^53 is part of the contract")]
impl Segment {
    pub(crate) fn new(start: PlanPoint, end: PlanPoint) -> Self {
        let (dx, dz) = (i64::from(end.x) - i64::from(start.x), i64::from(end.z) - i64::from(start.z));
        // The squared diagonal of the largest grid exceeds the type by one, so the sum saturates.
        Self { start, end, length_squared: (dx * dx).saturating_add(dz * dz) }
    }

    /// Returns the squared distance of `point` in square cells, times [`Self::scale`].
    #[inline]
    pub(crate) fn scaled_distance(&self, point: PlanPoint) -> f64 {
        let along = self.along(point);
        if along > 0 && along < self.length_squared {
            let across = PlanPoint::orientation(self.start, self.end, point) as f64;
            across * across
        } else {
            let nearest = if along <= 0 { self.start } else { self.end };
            Self::new(nearest, point).length_squared as f64 * self.scale()
        }
    }

    /// Returns the position of the foot of `point` along the segment, from zero to the squared
    /// length.
    #[inline]
    fn along(&self, point: PlanPoint) -> i64 {
        let (dx, dz) = (
            i64::from(self.end.x) - i64::from(self.start.x),
            i64::from(self.end.z) - i64::from(self.start.z),
        );
        let (px, pz) =
            (i64::from(point.x) - i64::from(self.start.x), i64::from(point.z) - i64::from(self.start.z));
        (dx * px).saturating_add(dz * pz)
    }

    /// Returns the position of the nearest point on the segment to `point`, from 0 to 1.
    #[expect(clippy::cast_possible_truncation, reason = "single precision does for heights")]
    pub(crate) fn project(&self, point: PlanPoint) -> f32 {
        let component = |from: i32, to: i32, value: i32| {
            (f64::from(to) - f64::from(from)) * (f64::from(value) - f64::from(from))
        };
        let along =
            component(self.start.x, self.end.x, point.x) + component(self.start.z, self.end.z, point.z);
        (along / self.scale()).clamp(0.0, 1.0) as f32
    }

    /// Returns the factor of scaled distances. Scaled distances avoid divisions.
    pub(crate) fn scale(&self) -> f64 {
        self.length_squared.max(1) as f64
    }

    /// Returns `true` if a chain between the ends of the segment is within the tolerance, given the
    /// scaled distance of its farthest point. Returns `false` if the chain ends where it starts.
    pub(crate) fn stays_within(&self, farthest: f64, tolerance_squared: f64) -> bool {
        self.length_squared != 0 && farthest <= tolerance_squared * self.scale()
    }

    pub(crate) fn length_squared(&self) -> i64 {
        self.length_squared
    }

    /// Returns an upper bound of the scaled squared distances of the points in the box with these
    /// corners for which `counts` is `true`. These are all points, or those on one side of the
    /// segment's line.
    pub(crate) fn distance_bound(&self, corners: &[PlanPoint; 4], counts: impl Fn(PlanPoint) -> bool) -> f64 {
        // The distance from a convex shape is largest in a corner of the box. If the whole box
        // projects onto the segment, or lies beyond one end, one formula holds for all points and
        // rounding keeps their order. In a box that spans both, the formulas round differently.
        let beside = |point: PlanPoint| {
            let along = self.along(point);
            if along <= 0 { -1 } else { i32::from(along >= self.length_squared) }
        };
        let zones = corners.map(beside);
        let is_beside = zones == [0; 4];
        let mut bound = 0.0_f64;
        for &corner in corners {
            if !is_beside || counts(corner) {
                bound = bound.max(self.scaled_distance(corner));
            }
        }
        if zones == [zones[0]; 4] { bound } else { bound * (1.0 + 8.0 * f64::EPSILON) }
    }
}

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
    use waymesh_core::{Random, float};

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
