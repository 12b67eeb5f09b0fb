//! A tree of boxes: the only module that uses parry.

use glam::{DVec3, Vec3};
use parry3d::bounding_volume::Aabb;
use parry3d::partitioning::{Bvh, BvhBuildStrategy};
use parry3d::query::Ray;

/// A static tree of boxes.
#[derive(Clone, Debug)]
pub(crate) struct BoxTree(Bvh);

/// Twice the largest error of rounding a position to single precision. Boxes are extended by it.
fn slack(position: DVec3) -> Vec3 {
    position.abs().as_vec3() * (2.0 * f32::EPSILON) + Vec3::splat(1e-6)
}

fn aabb(low: DVec3, high: DVec3) -> Aabb {
    Aabb::new(low.as_vec3() - slack(low), high.as_vec3() + slack(high))
}

impl BoxTree {
    pub(crate) fn new(boxes: impl Iterator<Item = (DVec3, DVec3)>) -> Self {
        let leaves: Vec<Aabb> = boxes.map(|(low, high)| aabb(low, high)).collect();
        Self(Bvh::from_leaves(BvhBuildStrategy::Binned, &leaves))
    }

    /// Calls `visit` for every box that intersects the given one.
    pub(crate) fn overlapping(&self, low: DVec3, high: DVec3, mut visit: impl FnMut(usize)) {
        if !self.0.is_empty() {
            let aabb = aabb(low, high);
            self.0.intersect_aabb(&aabb).for_each(|leaf| visit(leaf as usize));
        }
    }

    /// Calls `visit` for every box that a ray hits.
    pub(crate) fn along(&self, origin: DVec3, direction: DVec3, mut visit: impl FnMut(usize)) {
        if !self.0.is_empty() {
            let ray = Ray::new(origin.as_vec3(), direction.as_vec3());
            let meets = self.0.leaves(|node| node.cast_ray(&ray, f32::MAX) < f32::MAX);
            meets.for_each(|leaf| visit(leaf as usize));
        }
    }
}
