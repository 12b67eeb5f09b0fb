//! The steepest ground of a mesh.

use glam::{Vec3, Vec3Swizzles};
use waymesh_graph::NavMesh;

/// Returns the steepest rise between two corners of a polygon, in metres for a metre in plan.
pub(crate) fn steepest(mesh: &NavMesh) -> f32 {
    let slopes = mesh.polygons().flat_map(|polygon| {
        let corners: Vec<Vec3> = polygon.positions().collect();
        let pairs = (0..corners.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let slope = |(a, b): (usize, usize)| {
            let apart = corners[a].xz().distance(corners[b].xz());
            (corners[a].y - corners[b].y).abs() / apart.max(f32::MIN_POSITIVE)
        };
        pairs.map(slope).collect::<Vec<_>>()
    });
    slopes.fold(1.0, f32::max)
}
