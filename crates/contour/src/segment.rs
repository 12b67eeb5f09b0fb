//! Segments that distances are measured from.

use waymesh_core::PlanPoint;

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
