//! Costs of polygons from the entrances of their cluster.

use waymesh_core::nearest_f32;

use crate::geometry::plan::PlanPosition;

/// From a terminal to a polygon of its cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reached {
    /// The last corner of the path before the polygon's middle, in cells of the grid; with costs, the
    /// point where it enters the polygon.
    pub(super) root: [f32; 2],
    /// Length of the path to there, or what it costs, in cells of the grid.
    pub(super) length: f32,
    /// The path by which the polygon is entered.
    pub(super) crossing: u32,
}

/// Position along its segment at which a link is taken, as a share.
pub(super) const ALONG: f64 = 0.5;

/// Predecessor of a polygon that is not reached, or where the search begins.
pub(super) const NOT_REACHED: u32 = u32::MAX;

impl Reached {
    pub(super) const UNREACHED: Self = Self { root: [0.0; 2], length: f32::INFINITY, crossing: NOT_REACHED };

    pub(super) fn distance(&self, at: PlanPosition, metre: f64) -> f32 {
        let (x, z) = (at.x - f64::from(self.root[0]), at.z - f64::from(self.root[1]));
        self.length + nearest_f32((x * x + z * z).sqrt() * metre)
    }
}
