//! Points of the plan.

/// Largest absolute plan coordinate. Differences then fit 31 bits and the orientation test fits
/// `i64` exactly.
pub const MAX_PLAN_COORDINATE: i32 = 1 << 30;

/// A corner of the grid, in cells. Cell `(x, z)` has corners `(x, z)` to `(x + 1, z + 1)`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, bytemuck::Pod, bytemuck::Zeroable,
)]
#[repr(C)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PlanPoint {
    /// Coordinate along x, at most [`MAX_PLAN_COORDINATE`] in size.
    pub x: i32,
    /// Coordinate along z, at most [`MAX_PLAN_COORDINATE`] in size.
    pub z: i32,
}

impl From<PlanPoint> for [f64; 2] {
    fn from(point: PlanPoint) -> Self {
        [point.x.into(), point.z.into()]
    }
}

impl PlanPoint {
    /// Returns the point `(x, z)`.
    #[inline]
    #[must_use]
    pub const fn new(x: i32, z: i32) -> Self {
        Self { x, z }
    }

    /// Returns twice the signed area of the triangle `a b c`: positive if `c` lies on the walkable
    /// side of `a -> b` in a positive loop. Exact for coordinates within [`MAX_PLAN_COORDINATE`].
    #[inline]
    #[must_use]
    pub const fn orientation(a: Self, b: Self, c: Self) -> i64 {
        (b.x as i64 - a.x as i64) * (c.z as i64 - a.z as i64)
            - (b.z as i64 - a.z as i64) * (c.x as i64 - a.x as i64)
    }

    /// Returns the squared distance in cells. Exact: the squared diagonal of the largest grid is
    /// 2^63.
    #[inline]
    #[must_use]
    pub const fn distance_squared(self, other: Self) -> u64 {
        let (dx, dz) = (self.x.abs_diff(other.x) as u64, self.z.abs_diff(other.z) as u64);
        dx * dx + dz * dz
    }

    /// Returns twice the signed area of a loop of points (shoelace sum). Exact.
    #[must_use]
    pub fn doubled_area(points: impl IntoIterator<Item = Self>) -> i128 {
        let mut points = points.into_iter();
        let Some(first) = points.next() else { return 0 };
        let (mut previous, mut sum) = (first, 0_i128);
        for point in points.chain([first]) {
            sum +=
                i128::from(previous.x) * i128::from(point.z) - i128::from(previous.z) * i128::from(point.x);
            previous = point;
        }
        sum
    }
}

/// A point of a border, exact in plan, with the height of the ground.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PlanVertex {
    /// Corner of the grid.
    pub point: PlanPoint,
    /// Height of the ground in levels above the frame's origin.
    pub height: f32,
}
