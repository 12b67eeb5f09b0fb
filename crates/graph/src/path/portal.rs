//! Portals between polygons, and distances over them.

use crate::geometry::plan::{PlanPosition, orientation, to_segment_squared};
use crate::mesh::crossings::Portal;

/// Returns the distance in cells.
pub(crate) fn turn_length(from: PlanPosition, to: PlanPosition) -> f64 {
    from.distance_squared(to).sqrt()
}

/// Returns the point as far beyond `at` as `from` is before it. On the lattice.
pub(super) fn beyond(from: PlanPosition, at: PlanPosition) -> PlanPosition {
    PlanPosition { x: at.x + (at.x - from.x), z: at.z + (at.z - from.z) }
}

/// Returns `true` if `b` lies behind `a`, for an `a` in line with `from` and `b`.
pub(super) fn is_before(from: PlanPosition, a: PlanPosition, b: PlanPosition) -> bool {
    (a.x - from.x) * (b.x - a.x) + (a.z - from.z) * (b.z - a.z) > 0.0
}

/// Returns `true` if a line from `from` to `to` meets `at` on its way.
pub(super) fn is_straight(from: PlanPosition, at: PlanPosition, to: PlanPosition) -> bool {
    orientation(from, at, to) == 0.0 && is_before(from, at, to)
}

/// Returns `true` if a place lies on a segment, its ends included.
pub(super) fn is_on([a, b]: [PlanPosition; 2], at: PlanPosition) -> bool {
    orientation(a, b, at) == 0.0 && !is_before(a, b, at) && !is_before(b, a, at)
}

/// Returns the shortest path from `root` between two rays over the portal to `goal`, as if nothing
/// were in the way.
#[inline]
pub(super) fn ahead(
    root: PlanPosition,
    right: PlanPosition,
    left: PlanPosition,
    portal: &Portal,
    goal: PlanPosition,
) -> f64 {
    let vector = |to: PlanPosition, from: PlanPosition| (to.x - from.x, to.z - from.z);
    let cross = |a: (f64, f64), b: (f64, f64)| a.0 * b.1 - a.1 * b.0;
    let (edge, straight) = (vector(portal.left, portal.right), vector(goal, root));
    // A goal on this side of the portal counts as mirrored to the other.
    let aside = cross(edge, vector(goal, portal.right)).max(0.0);
    let mirror = 2.0 * aside / (edge.0 * edge.0 + edge.1 * edge.1);
    let to = (straight.0 + mirror * edge.1, straight.1 - mirror * edge.0);
    let ray = if cross(vector(right, root), to) < 0.0 {
        right
    } else if cross(vector(left, root), to) > 0.0 {
        left
    } else {
        return (to.0 * to.0 + to.1 * to.1).sqrt();
    };
    let ray = vector(ray, root);
    let scale = cross(vector(portal.right, root), edge) / cross(ray, edge);
    let end = (ray.0 * scale, ray.1 * scale);
    let rest = (straight.0 - end.0, straight.1 - end.1);
    (end.0 * end.0 + end.1 * end.1).sqrt() + (rest.0 * rest.0 + rest.1 * rest.1).sqrt()
}

/// Returns the shortest path from `root` to the part of the portal between two rays.
pub(super) fn nearest_between(
    root: PlanPosition,
    right: PlanPosition,
    left: PlanPosition,
    portal: &Portal,
) -> f64 {
    let (ex, ez) = (portal.left.x - portal.right.x, portal.left.z - portal.right.z);
    let hit = |ray: PlanPosition| {
        let (rx, rz) = (ray.x - root.x, ray.z - root.z);
        let scale = ((portal.right.x - root.x) * ez - (portal.right.z - root.z) * ex) / (rx * ez - rz * ex);
        PlanPosition { x: root.x + rx * scale, z: root.z + rz * scale }
    };
    to_segment_squared(hit(right), hit(left), root).sqrt()
}
