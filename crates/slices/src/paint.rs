//! Area of the ground of each span, and its height at the centre of the cell. Only computed for
//! scenes with areas or marks.

use glam::Vec3;
use waymesh_core::{AreaId, GridWindow};

use crate::raster::{Corner, Placement, RowScratch, fill, top_level};
use crate::scene::SliceScene;
use crate::slabs::{Slab, SlabSink};
use crate::spans::{NOTHING, SpanGrid};

/// Steps of height per level. Rounded to these steps, surfaces in one plane are equally high,
/// independent of their corners.
const STEPS: f64 = 256.0;
/// Largest distance, in cells, of a centre outside of a triangle that still covers it. It is larger
/// than rounding errors, so that one of two adjacent triangles covers each centre.
const BESIDE: f64 = 1e-6;

/// A surface that gives the floor of a span. If there are several, the greatest is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Surface {
    /// `true` if it covers the centre of the cell.
    at_centre: bool,
    /// Height at the centre, or of the floor, in [`STEPS`].
    height: i64,
    /// Number of its area, a larger number for [`AreaId::NULL`], and 0 for no surface.
    rank: u16,
}

/// The surfaces that give the ground of spans. Reused from tile to tile.
#[derive(Debug, Default)]
pub(crate) struct Paint {
    surfaces: Vec<Surface>,
}

impl Paint {
    /// Bytes of a span: its surface, its ground and its area.
    pub(crate) const BYTES_PER_SPAN: u64 = size_of::<Surface>() as u64 + 4 + 1;

    /// Finds ground and area of all spans. `triangles` are those that `grid` was made of.
    ///
    /// The area of a span is that of the surface which covers the centre of its cell, if this
    /// surface rises to the floor within the cell; the highest one counts. Otherwise, as next to a
    /// step, it is that of a surface that reaches the floor. Of equally high surfaces the blocked
    /// one counts before all others, then that of the larger area. Ground that is blocked stays
    /// solid.
    ///
    /// # Cost
    /// Equal to that of voxelising all walkable triangles.
    pub(crate) fn run(
        &mut self,
        scene: &SliceScene<'_>,
        window: GridWindow,
        triangles: &[u32],
        row: &mut RowScratch,
        grid: &mut SpanGrid,
    ) {
        self.surfaces.clear();
        self.surfaces.resize(grid.len(), Surface::default());
        for &triangle in triangles {
            let corners = scene.soup.corners(triangle as usize);
            if !scene.placement.is_walkable(corners) {
                continue;
            }
            let area = scene.soup.area(triangle as usize);
            let rank = if area.is_walkable() { u16::from(area.0) } else { u16::MAX };
            let ground = PlanTriangle::new(&scene.placement, corners);
            let mut brush = Brush { grid, surfaces: &mut self.surfaces, window, ground, rank };
            fill(&scene.placement, corners, window, row, &mut brush);
        }
        grid.set_grounds(self.surfaces.iter().map(Surface::ground));
    }
}

impl Surface {
    #[expect(clippy::cast_possible_truncation, reason = "levels of a real world fit a single")]
    fn ground(&self) -> (f32, AreaId) {
        let area = u8::try_from(self.rank).map_or(AreaId::NULL, AreaId);
        ((self.height as f64 / STEPS) as f32, area)
    }
}

/// A triangle as it lies over the plan.
struct PlanTriangle {
    corners: [Corner; 3],
    /// Rise per cell along z and along x.
    rise: [f64; 2],
    /// Lowest and highest corner.
    heights: [f64; 2],
}

impl PlanTriangle {
    /// Prepares a walkable triangle, which faces up and is not steep.
    fn new(placement: &Placement, corners: [Vec3; 3]) -> Self {
        let corners = corners.map(|corner| placement.corner(corner));
        let [a, b, c] = corners;
        let [u, v] = [b, c].map(|end| [0, 1, 2].map(|axis| end[axis] - a[axis]));
        // A triangle that collapsed in the grid is level.
        let doubled = u[0] * v[1] - u[1] * v[0];
        let along = |part: f64| if doubled == 0.0 { 0.0 } else { part / doubled };
        let rise = [along(u[2] * v[1] - u[1] * v[2]), along(u[0] * v[2] - u[2] * v[0])];
        let heights = [f64::min, f64::max].map(|choose| corners.iter().map(|c| c[2]).reduce(choose));
        Self { corners, rise, heights: heights.map(Option::unwrap_or_default) }
    }

    /// Returns the height at a position `[z, x]`, if the triangle covers it.
    fn at(&self, [z, x]: [f64; 2]) -> Option<f64> {
        let [a, b, c] = &self.corners;
        let outside = |from: &Corner, to: &Corner| {
            let [dz, dx] = [to[0] - from[0], to[1] - from[1]];
            let side = dz * (x - from[1]) - dx * (z - from[0]);
            side < -BESIDE * (dz.abs() + dx.abs())
        };
        if outside(a, b) || outside(b, c) || outside(c, a) {
            return None;
        }
        let height = a[2] + self.rise[0] * (z - a[0]) + self.rise[1] * (x - a[1]);
        Some(height.clamp(self.heights[0], self.heights[1]))
    }

    /// Returns the rise of the plane of the triangle from the centre of a cell to its highest
    /// corner.
    fn rise_to_corner(&self) -> f64 {
        f64::midpoint(self.rise[0].abs(), self.rise[1].abs())
    }
}

/// Paints spans with one triangle.
struct Brush<'a> {
    grid: &'a SpanGrid,
    surfaces: &'a mut [Surface],
    window: GridWindow,
    ground: PlanTriangle,
    rank: u16,
}

impl SlabSink for Brush<'_> {
    #[expect(clippy::cast_possible_truncation, reason = "heights are at most 2^30 levels")]
    fn add(&mut self, column: usize, [_, top, _]: Slab) {
        let Some(span) = self.grid.reaching(column, top).filter(|&span| self.grid.is_walkable(span)) else {
            return;
        };
        let floor = self.grid.floor(span);
        debug_assert_ne!(floor, NOTHING);
        let width = self.grid.width();
        let centre = [(self.window.z, column / width), (self.window.x, column % width)]
            .map(|(from, offset)| f64::from(from) + offset as f64 + 0.5);
        let rise = self.ground.rise_to_corner();
        let height = self.ground.at(centre).filter(|height| top_level(height + rise) >= floor);
        let surface = match height {
            Some(height) => {
                Surface { at_centre: true, height: (height * STEPS).round() as i64, rank: self.rank }
            }
            None if top == floor => {
                Surface { at_centre: false, height: i64::from(floor) * STEPS as i64, rank: self.rank }
            }
            None => return,
        };
        self.surfaces[span] = self.surfaces[span].max(surface);
    }
}
