//! All polygons in a box or a circle.

use glam::Vec3;
use waymesh_core::PolyId;

use crate::geometry::plan::{PlanPosition, orientation};
use crate::locate::reach::Reach;
use crate::mesh::bounds::PolygonBounds;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::nav_mesh::NavMesh;

impl NavMesh {
    /// Finds all polygons that a box in the world touches, border included, in the order of their
    /// ids: exactly in plan, by their lowest and highest ground in height. `out` is cleared
    /// first. Nothing if a corner is NaN or `low` is above `high`.
    #[doc(alias = "queryPolygons")]
    pub fn polygons_in_box(&self, low: Vec3, high: Vec3, filter: &impl PolygonFilter, out: &mut Vec<PolyId>) {
        out.clear();
        if low.is_nan() || high.is_nan() || low.cmpgt(high).any() {
            return;
        }
        let [low, high] =
            [low, high].map(|corner| corner.clamp(Vec3::splat(-f32::MAX / 4.0), Vec3::splat(f32::MAX / 4.0)));
        let ([x0, y0, z0], [x1, y1, z1]) = (self.frame.to_grid(low), self.frame.to_grid(high));
        let (side, level) = (self.slack(), self.vertices.height_slack);
        let (x0, z0, x1, z1) = (x0 - side, z0 - side, x1 + side, z1 + side);
        let overlaps = |bounds: &PolygonBounds| {
            f64::from(bounds.min_x) <= x1
                && f64::from(bounds.max_x) >= x0
                && f64::from(bounds.min_z) <= z1
                && f64::from(bounds.max_z) >= z0
                && f64::from(bounds.min_height) <= y1 + level
                && f64::from(bounds.max_height) >= y0 - level
        };
        let corners = [(x0, z0), (x1, z0), (x1, z1), (x0, z1)].map(|(x, z)| PlanPosition::snapped(x, z));
        self.all_in([x0, z0, x1, z1], overlaps, |polygon| {
            let is_aside = self.edge_range(polygon as usize).any(|edge| {
                let [a, b] = self.ends_of(polygon, edge);
                corners.iter().all(|&corner| orientation(a, b, corner) < 0.0)
            });
            if !is_aside && filter.allows(self, PolyId(polygon)) {
                out.push(PolyId(polygon));
            }
        });
        out.sort_unstable();
    }

    /// Finds all polygons that come within reach of a place, border included, in the order of their
    /// ids: in plan within `reach.side`, and with ground between `reach.down` below and
    /// `reach.up` above, by their lowest and highest. `out` is cleared first. Nothing for a
    /// place or a reach that is no use.
    #[doc(alias = "findLocalNeighbourhood")]
    pub fn polygons_in_circle(
        &self,
        middle: Vec3,
        reach: &Reach,
        filter: &impl PolygonFilter,
        out: &mut Vec<PolyId>,
    ) {
        out.clear();
        if !middle.is_finite() || reach.validate().is_err() {
            return;
        }
        let [x, y, z] = self.frame.to_grid(middle);
        let at = PlanPosition::snapped(x, z);
        let level = f64::from(self.frame.level_height);
        let low = y - f64::from(reach.down) / level - self.vertices.height_slack;
        let high = y + f64::from(reach.up) / level + self.vertices.height_slack;
        let side = f64::from(reach.side) / f64::from(self.frame.cell_size) + self.slack();
        self.each_in_circle(at, side, [low, high], |polygon| {
            if filter.allows(self, PolyId(polygon)) {
                out.push(PolyId(polygon));
            }
        });
        out.sort_unstable();
    }

    /// Calls `visit` for the polygons within `side` of a place in plan, with ground between two
    /// heights by their lowest and highest; in cells and levels.
    pub(crate) fn each_in_circle(
        &self,
        at: PlanPosition,
        side: f64,
        [low, high]: [f64; 2],
        mut visit: impl FnMut(u32),
    ) {
        let overlaps = |bounds: &PolygonBounds| {
            bounds.plan_distance_squared(at) <= side * side
                && f64::from(bounds.min_height) <= high
                && f64::from(bounds.max_height) >= low
        };
        self.all_in([at.x - side, at.z - side, at.x + side, at.z + side], overlaps, |polygon| {
            let closest = self.closest_in_polygon(polygon as usize, at);
            if closest.distance_squared(at) <= side * side {
                visit(polygon);
            }
        });
    }
}
