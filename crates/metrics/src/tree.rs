//! A tree of boxes: the only module that uses rstar.

use glam::DVec3;
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree, SelectionFunction};

type Bounds = AABB<[f64; 3]>;
type Leaf = GeomWithData<Rectangle<[f64; 3]>, usize>;

/// A static tree of boxes.
#[derive(Clone, Debug)]
pub(crate) struct BoxTree(RTree<Leaf>);

/// By how much a box is widened, so that tests which allow for rounding find what lies on its
/// sides.
fn slack(position: DVec3) -> DVec3 {
    position.abs() * (2.0 * f64::from(f32::EPSILON)) + 1e-6
}

fn bounds(low: DVec3, high: DVec3) -> Bounds {
    AABB::from_corners((low - slack(low)).to_array(), (high + slack(high)).to_array())
}

/// Selects the boxes that a ray meets.
struct Ray {
    origin: DVec3,
    direction: DVec3,
    /// One over the direction: a box is tested without a division.
    inverse: DVec3,
}

impl Ray {
    fn meets(&self, bounds: &Bounds) -> bool {
        let (mut near, mut far) = (0.0_f64, f64::INFINITY);
        for axis in 0..3 {
            let (origin, inverse) = (self.origin[axis], self.inverse[axis]);
            let (low, high) = (bounds.lower()[axis] - origin, bounds.upper()[axis] - origin);
            if self.direction[axis] == 0.0 {
                if low > 0.0 || high < 0.0 {
                    return false;
                }
                continue;
            }
            let (enter, leave) = (low * inverse, high * inverse);
            near = near.max(enter.min(leave));
            far = far.min(enter.max(leave));
        }
        near <= far
    }
}

impl SelectionFunction<Leaf> for Ray {
    fn should_unpack_parent(&self, bounds: &Bounds) -> bool {
        self.meets(bounds)
    }

    fn should_unpack_leaf(&self, leaf: &Leaf) -> bool {
        let boxed = leaf.geom();
        self.meets(&AABB::from_corners(boxed.lower(), boxed.upper()))
    }
}

impl BoxTree {
    pub(crate) fn new(boxes: impl Iterator<Item = (DVec3, DVec3)>) -> Self {
        let leaf = |(index, (low, high))| GeomWithData::new(bounds(low, high).into(), index);
        Self(RTree::bulk_load(boxes.enumerate().map(leaf).collect()))
    }

    /// Calls `visit` with every box that intersects the given one.
    pub(crate) fn overlapping(&self, low: DVec3, high: DVec3, mut visit: impl FnMut(usize)) {
        let found = self.0.locate_in_envelope_intersecting(bounds(low, high));
        found.for_each(|leaf| visit(leaf.data));
    }

    /// Calls `visit` with every box that intersects a ray.
    pub(crate) fn along(&self, origin: DVec3, direction: DVec3, mut visit: impl FnMut(usize)) {
        let ray = Ray { origin, direction, inverse: direction.recip() };
        let found = self.0.locate_with_selection_function(ray);
        found.for_each(|leaf| visit(leaf.data));
    }
}
