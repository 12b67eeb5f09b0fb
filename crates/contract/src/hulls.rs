//! Measures how far polygons are from convex.

use waymesh_core::{PlanPoint, PolyId, PolyMesh};

/// Returns the largest distance from a corner of a polygon to the border of the polygon's convex
/// hull, in cells of the grid. It is 0 for a convex polygon.
#[must_use]
pub fn depth_below_hull(mesh: &PolyMesh, cell: PolyId) -> f64 {
    let corners: Vec<PlanPoint> = mesh.corners(cell).iter().map(|&corner| mesh.point(corner)).collect();
    let mut sorted = corners.clone();
    sorted.sort_by_key(|point| (point.x, point.z));
    sorted.dedup();
    let half = |points: &mut dyn Iterator<Item = PlanPoint>| {
        let mut hull: Vec<PlanPoint> = Vec::new();
        for point in points {
            while let [.., a, b] = hull[..]
                && PlanPoint::orientation(a, b, point) <= 0
            {
                hull.pop();
            }
            hull.push(point);
        }
        hull.pop();
        hull
    };
    let mut hull = half(&mut sorted.iter().copied());
    hull.extend(half(&mut sorted.iter().rev().copied()));
    let distance = |point: PlanPoint, from: PlanPoint, to: PlanPoint| {
        PlanPoint::orientation(from, to, point) as f64 / (from.distance_squared(to) as f64).sqrt()
    };
    let depth = |&point: &PlanPoint| {
        (0..hull.len())
            .map(|at| distance(point, hull[at], hull[(at + 1) % hull.len()]))
            .fold(f64::INFINITY, f64::min)
    };
    corners.iter().map(depth).fold(0.0, f64::max)
}
