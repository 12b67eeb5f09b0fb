//! A tree of boxes in double precision.

use glam::DVec3;
use waymesh_core::{Bounds, BoxRay};

/// A static tree of boxes.
#[derive(Clone, Debug)]
pub(crate) struct BoxTree(waymesh_core::BoxTree);

/// By how much a box is widened, so that tests which allow for rounding find what lies on its
/// sides.
fn slack(position: DVec3) -> DVec3 {
    position.abs() * (2.0 * f64::from(f32::EPSILON)) + 1e-6
}

fn bounds(low: DVec3, high: DVec3) -> Bounds {
    Bounds::around([low - slack(low), high + slack(high)])
}

impl BoxTree {
    pub(crate) fn new(boxes: impl Iterator<Item = (DVec3, DVec3)>) -> Self {
        Self(boxes.map(|(low, high)| bounds(low, high)).collect())
    }

    /// Calls `visit` with every box that intersects the given one.
    pub(crate) fn overlapping(&self, low: DVec3, high: DVec3, visit: impl FnMut(usize)) {
        self.0.overlapping(bounds(low, high)).for_each(visit);
    }

    /// Calls `visit` with every box that intersects a ray.
    pub(crate) fn along(&self, origin: DVec3, direction: DVec3, visit: impl FnMut(usize)) {
        self.0.along(BoxRay::new(origin, direction)).for_each(visit);
    }
}
