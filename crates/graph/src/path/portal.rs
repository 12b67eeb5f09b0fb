//! Portals between polygons, and distances over them.

use waymesh_core::PolyId;

use crate::geometry::plan::{PlanPosition, closest_on_segment, orientation};
use crate::mesh::bounds::NO_NEIGHBOUR;
use crate::mesh::nav_mesh::NavMesh;

/// An edge or a link that is crossed like one: from its right end to its left, as seen from the
/// polygon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portal {
    pub(crate) crossing: u32,
    pub(crate) right: PlanPosition,
    pub(crate) left: PlanPosition,
}

impl NavMesh {
    /// Returns the portals of a polygon: its edges with a neighbour, then links that are crossed
    /// like an edge.
    pub(crate) fn portals(&self, polygon: u32) -> impl Iterator<Item = Portal> + use<'_> {
        let mesh = self;
        let range = mesh.edge_range(polygon as usize);
        let first = mesh.topology.polygon_first[polygon as usize];
        let length = range.len();
        let corners = &mesh.topology.corners[range.clone()];
        let edges = (first..).zip(&mesh.topology.neighbours[range]).enumerate();
        let edges = edges.filter(|(_, (_, neighbour))| **neighbour != NO_NEIGHBOUR);
        let edges = edges.map(move |(offset, (crossing, _))| {
            let (a, b) = (&corners[offset], &corners[if offset + 1 == length { 0 } else { offset + 1 }]);
            Portal { crossing, right: PlanPosition::on_grid(a.x, a.z), left: PlanPosition::on_grid(b.x, b.z) }
        });
        let links = mesh.links.leaving(polygon).iter().map(move |&leaving| mesh.crossing_of(leaving));
        let links = links.filter(move |&crossing| mesh.links.is_portal(mesh.link_of(crossing).0));
        edges.chain(links.map(move |crossing| {
            let [right, left] = mesh.edge_ends(PolyId(polygon), crossing);
            Portal { crossing, right, left }
        }))
    }
}

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
    let (x, z) = closest_on_segment(hit(right), hit(left), root);
    turn_length(root, PlanPosition { x, z })
}
