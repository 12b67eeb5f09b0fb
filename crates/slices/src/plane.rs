//! Planes of ground.

use waymesh_core::PlanPoint;

/// Height of flat ground over the plan, in levels above the frame's origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Height at the origin of the grid.
    pub at_origin: f64,
    /// Rise per cell along x and along z.
    pub rise: [f64; 2],
}

impl Plane {
    /// Returns level ground.
    #[must_use]
    pub fn level(level: i32) -> Self {
        Self { at_origin: level.into(), rise: [0.0; 2] }
    }

    /// Returns the height at a plan position in cells.
    #[inline]
    #[must_use]
    pub fn at(&self, [x, z]: [f64; 2]) -> f64 {
        self.at_origin + self.rise[0] * x + self.rise[1] * z
    }

    /// Returns the height at a corner of the grid.
    #[must_use]
    pub fn at_point(&self, point: PlanPoint) -> f64 {
        self.at([point.x.into(), point.z.into()])
    }
}
