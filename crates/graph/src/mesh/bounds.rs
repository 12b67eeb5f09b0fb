//! Corners of polygons, the boxes around them, and the rounding of world coordinates.

use glam::Vec3;
use waymesh_core::{GridFrame, PlanPoint};

use super::height_tables::HeightTables;
use crate::geometry::plan::{LATTICE_STEP, PlanPosition};

/// In [`crate::NavMeshData::polygon_neighbours`]: no polygon across this edge, but a wall or a
/// drop.
pub const NO_NEIGHBOUR: u32 = u32::MAX;

/// A corner of a polygon, a copy of its vertex: queries read the corners of a polygon from
/// contiguous memory.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Corner {
    pub(crate) x: i32,
    pub(crate) z: i32,
    /// In levels.
    pub(crate) height: f32,
}

impl Corner {
    #[inline]
    pub(crate) fn point(&self) -> PlanPoint {
        PlanPoint::new(self.x, self.z)
    }
}

/// The box around a polygon, in cells and levels of the frame.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct PolygonBounds {
    /// Smallest x.
    pub min_x: i32,
    /// Smallest z.
    pub min_z: i32,
    /// Largest x.
    pub max_x: i32,
    /// Largest z.
    pub max_z: i32,
    /// Lowest ground.
    pub min_height: f32,
    /// Highest ground.
    pub max_height: f32,
}

impl PolygonBounds {
    /// Holds nothing.
    pub(crate) const EMPTY: Self = Self {
        min_x: i32::MAX,
        min_z: i32::MAX,
        max_x: i32::MIN,
        max_z: i32::MIN,
        min_height: f32::INFINITY,
        max_height: f32::NEG_INFINITY,
    };

    /// Holds a corner.
    pub(crate) fn of_corner(corner: &Corner) -> Self {
        Self {
            min_x: corner.x,
            max_x: corner.x,
            min_z: corner.z,
            max_z: corner.z,
            min_height: corner.height,
            max_height: corner.height,
        }
    }

    /// Returns `true` if a position in the plan is in it, border included.
    #[inline]
    pub(crate) fn holds(&self, at: PlanPosition) -> bool {
        at.x >= f64::from(self.min_x)
            && at.x <= f64::from(self.max_x)
            && at.z >= f64::from(self.min_z)
            && at.z <= f64::from(self.max_z)
    }

    /// Returns the squared distance of the bounds to a place in the plan, in cells.
    #[inline]
    pub(crate) fn plan_distance_squared(&self, at: PlanPosition) -> f64 {
        let x = gap(self.min_x.into(), at.x, self.max_x.into());
        let z = gap(self.min_z.into(), at.z, self.max_z.into());
        x * x + z * z
    }

    /// Returns the distance of the bounds to a height, in levels.
    #[inline]
    pub(crate) fn rise_to(&self, height: f64) -> f64 {
        gap(self.min_height.into(), height, self.max_height.into())
    }

    pub(crate) fn include(&mut self, other: &Self) {
        self.min_x = self.min_x.min(other.min_x);
        self.min_z = self.min_z.min(other.min_z);
        self.max_x = self.max_x.max(other.max_x);
        self.max_z = self.max_z.max(other.max_z);
        self.include_height(other.min_height);
        self.include_height(other.max_height);
    }

    pub(crate) fn include_height(&mut self, height: f32) {
        self.min_height = self.min_height.min(height);
        self.max_height = self.max_height.max(height);
    }
}

#[inline]
fn gap(low: f64, value: f64, high: f64) -> f64 {
    (low - value).max(value - high).max(0.0)
}

pub(crate) fn polygon_bounds(
    polygon_first: &[u32],
    corners: &[Corner],
    surface: Option<&HeightTables>,
) -> Vec<PolygonBounds> {
    let ranges = polygon_first.windows(2).map(|range| range[0] as usize..range[1] as usize);
    ranges.enumerate().map(|(polygon, range)| bounds_of(polygon, &corners[range], surface)).collect()
}

/// Returns the box around a polygon with these corners.
pub(crate) fn bounds_of(polygon: usize, corners: &[Corner], surface: Option<&HeightTables>) -> PolygonBounds {
    let mut sum = PolygonBounds::EMPTY;
    for corner in corners {
        sum.include(&PolygonBounds::of_corner(corner));
    }
    for point in surface.into_iter().flat_map(|surface| surface.corners(polygon)) {
        sum.include_height(point.height);
    }
    sum
}

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
