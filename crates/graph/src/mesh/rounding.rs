//! Rounding of world coordinates to single precision.

use glam::Vec3;
use waymesh_core::GridFrame;

use super::bounds::PolygonBounds;
use crate::geometry::plan::LATTICE_STEP;

/// Two units in the last place of the largest world coordinate, in cells and in levels.
pub(crate) fn rounding_slack(frame: &GridFrame, vertices: &[Vec3], bounds: &[PolygonBounds]) -> (f64, f64) {
    let largest = vertices.iter().fold(frame.origin.abs(), |sum, vertex| sum.max(vertex.abs()));
    let height = bounds
        .iter()
        .map(|bounds| {
            frame.to_world(0.0, f64::from(bounds.max_height.abs().max(bounds.min_height.abs())), 0.0).y
        })
        .fold(largest.y, f32::max);
    slack_of(frame, largest, height)
}

/// Returns both slacks from the largest coordinates and the largest height.
pub(crate) fn slack_of(frame: &GridFrame, largest: Vec3, height: f32) -> (f64, f64) {
    let unit = |value: f32| 2.0 * f64::from(f32::EPSILON) * f64::from(value);
    (
        unit(largest.x.max(largest.z)) / f64::from(frame.cell_size) + LATTICE_STEP,
        unit(height) / f64::from(frame.level_height) + LATTICE_STEP,
    )
}
