//! Moving along the surface.

use glam::Vec3;
use waymesh_core::{PolyId, to_u32};

use super::scratch::SurfaceScratch;
use crate::geometry::plan::{PlanPosition, to_segment_squared};
use crate::locate::error::{PathEnd, QueryError};
use crate::locate::nearest::Location;
use crate::locate::ray::Ray;
use crate::mesh::bounds::NO_NEIGHBOUR;
use crate::mesh::crossings::Portal;
use crate::mesh::fans::WalkEdge;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::nav_mesh::NavMesh;

impl NavMesh {
    /// Moves along the surface: see [`crate::Query::walk`].
    pub(crate) fn move_along(
        &self,
        from: &Location,
        to: Vec3,
        filter: &impl PolygonFilter,
        scratch: &mut SurfaceScratch,
    ) -> Result<Location, QueryError> {
        let asked = self.requested_plan(from)?;
        let target = self.plan_of(PathEnd::Goal, to)?;
        if self.holds(from.polygon.0, target) {
            return Ok(self.place_at(from.polygon.0, to));
        }
        // As a rule nothing is in the way. Else walls are followed.
        // Steps along a ray are rounded, each by itself: they have twice its slack.
        let slack = 2.0 * self.slack();
        let (Ray { at: start, .. }, stop) =
            self.walk_ray(from.polygon.0, [asked, target], slack, filter, |_| {});
        if stop.hit.is_none() {
            if self.is_within_slack(stop.polygon, target) {
                return Ok(self.place_at(stop.polygon, to));
            }
            // Within the slack of both sides of an acute corner, and farther from the corner.
            return Ok(self.place(stop.polygon, self.inside(stop.polygon, target)));
        }
        let middle = PlanPosition { x: (start.x + target.x) / 2.0, z: (start.z + target.z) / 2.0 };
        let length = start.distance_squared(target).sqrt();
        // Start and target are rounded: without the slack a wall that is followed ends the move.
        let most = length + self.slack();
        let radius = length / 2.0 + self.slack();
        let mut best = (length * length, from.polygon.0, start);
        scratch.begin_rows(self.polygon_bound(), from.polygon.0);
        let mut next = 0;
        while let Some(&polygon) = scratch.row.get(next) {
            next += 1;
            self.open_row(polygon, middle, radius * radius, filter, scratch);
            if self.is_closest_beyond(polygon, target, best.0.sqrt()) {
                continue;
            }
            let closest = self.closest_in_polygon(polygon as usize, target);
            let distance = closest.distance_squared(target);
            if distance < best.0 && closest.distance_squared(start) <= most * most {
                best = (distance, polygon, closest);
            }
            if closest == target {
                return Ok(self.place_at(polygon, to));
            }
        }
        Ok(self.place(best.1, best.2))
    }

    /// Opens the polygons beyond the edges and links that come so near to a place, in any order.
    fn open_row(
        &self,
        polygon: u32,
        at: PlanPosition,
        radius_squared: f64,
        filter: &impl PolygonFilter,
        scratch: &mut SurfaceScratch,
    ) {
        let is_near = |a, b| to_segment_squared(a, b, at) <= radius_squared;
        let edges = self.walk_edges(polygon);
        let first = edges[0].start();
        for (index, edge) in edges.iter().enumerate() {
            if edge.beyond == NO_NEIGHBOUR || scratch.is_seen(edge.beyond) {
                continue;
            }
            let end = edges.get(index + 1).map_or(first, WalkEdge::start);
            if is_near(edge.start(), end) && filter.may_cross(self, PolyId(polygon), PolyId(edge.beyond)) {
                scratch.open_row(edge.beyond);
            }
        }
        for Portal { crossing, right, left } in self.link_portals(polygon) {
            if let Some(beyond) = self.open_crossing(polygon, crossing, filter)
                && is_near(right, left)
                && !scratch.is_seen(beyond)
            {
                scratch.open_row(beyond);
            }
        }
    }

    /// Opens the polygons beyond the edges and links that come within `radius` of a place, and
    /// calls `wall(polygon, edge, distance squared)` for the edges that cannot be crossed.
    pub(super) fn open_neighbours(
        &self,
        polygon: u32,
        at: PlanPosition,
        radius: f64,
        filter: &impl PolygonFilter,
        scratch: &mut SurfaceScratch,
        mut wall: impl FnMut(u32, usize),
    ) {
        for edge in self.edge_range(polygon as usize) {
            let [a, b] = self.ends_of(polygon, edge);
            let distance = to_segment_squared(a, b, at);
            if distance > radius * radius {
                continue;
            }
            match self.open_crossing(polygon, to_u32(edge), filter) {
                Some(beyond) => scratch.open(beyond, distance),
                None => wall(polygon, edge),
            }
        }
        for Portal { crossing, right, left } in self.link_portals(polygon) {
            let distance = to_segment_squared(right, left, at);
            if distance <= radius * radius
                && let Some(beyond) = self.open_crossing(polygon, crossing, filter)
            {
                scratch.open(beyond, distance);
            }
        }
    }
}
