//! Shortest paths whose turns an oracle knows.

use waymesh_core::to_u32;

use super::any_angle::MOST_STEPS;
use super::funnel::Turn;
use super::portal::{is_before, is_on, is_straight, turn_length};
use super::progress::Progress;
use super::scratch::PathScratch;
use crate::geometry::plan::{PlanPosition, orientation};
use crate::locate::nearest::Spot;
use crate::locate::ray::RayExit;
use crate::mesh::bounds::NO_NEIGHBOUR;
use crate::mesh::fans::WalkEdge;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::nav_mesh::NavMesh;
use crate::mesh::oracle::Site;

impl NavMesh {
    /// Finds the shortest path by the oracle of the mesh. Returns `false` if there is none for this
    /// search, or it does not know the path.
    pub(super) fn look_up(
        &self,
        [start, goal]: [&Spot; 2],
        filter: &impl PolygonFilter,
        scratch: &mut PathScratch,
    ) -> bool {
        let Some(oracle) = self.oracle_in_use() else { return false };
        if scratch.rises || !filter.allows_all() {
            return false;
        }
        scratch.sites.clear();
        if self.follow([start, goal], filter, scratch) {
            return true;
        }
        // Lengths of labels are rounded.
        let limit = oracle.limit([start.at, goal.at]) * (1.0 - 1e-5);
        if limit <= turn_length(start.at, goal.at) {
            return false;
        }
        let [from, to] =
            &[start, goal].map(|spot| self.connected_over(spot.polygon, filter, |edge| is_on(edge, spot.at)));
        let PathScratch { oracle: memory, sites, .. } = scratch;
        if !oracle.tables.find([(start.at, from), (goal.at, to)], limit, memory, sites) {
            return false;
        }
        Self::remove_straight(start.at, goal.at, sites);
        self.follow([start, goal], filter, scratch)
    }

    /// Removes the corners at which a path continues straight, begins or ends.
    fn remove_straight(start: PlanPosition, goal: PlanPosition, sites: &mut Vec<Site>) {
        sites.retain(|site| site.is_link() || (site.at != start && site.at != goal));
        let mut kept = 0_usize;
        for next in 0..sites.len() {
            let site = sites[next];
            let before = match kept.checked_sub(1).map(|last| sites[last]) {
                None => Some(start),
                Some(last) => (!last.is_link()).then_some(last.at),
            };
            let after = sites.get(next + 1).map_or(goal, |after| after.at);
            if site.is_link() || !before.is_some_and(|before| is_straight(before, site.at, after)) {
                sites[kept] = site;
                kept += 1;
            }
        }
        sites.truncate(kept);
    }

    /// Finds the crossings of the path that takes the sites in memory, and else is straight.
    fn follow(
        &self,
        [start, goal]: [&Spot; 2],
        filter: &impl PolygonFilter,
        scratch: &mut PathScratch,
    ) -> bool {
        scratch.corridor.clear();
        match self.links.links.is_empty().then(|| self.follow_rays([start, goal], scratch)) {
            Some(Some(is_free)) => is_free,
            _ => {
                scratch.corridor.clear();
                self.guide_cones([start, goal], &scratch.sites, filter, &mut scratch.any_angle);
                let mut nodes = usize::MAX;
                self.advance_shortest(goal, f64::INFINITY, filter, scratch, &mut nodes) == Progress::Found
            }
        }
    }

    /// Follows a path as [`NavMesh::follow`] does, by a ray for each leg, without links.
    /// `Some(false)` if a wall is in the way, `None` if that is unclear.
    fn follow_rays(&self, [start, goal]: [&Spot; 2], scratch: &mut PathScratch) -> Option<bool> {
        let PathScratch { corridor, sites, any_angle, .. } = scratch;
        let string = any_angle.take_string();
        let (mut at, mut polygon) = (start.at, start.polygon);
        for next in 0..=sites.len() {
            let target = sites.get(next).map_or(goal.at, |site| site.at);
            let ends = |polygon: u32| match sites.get(next) {
                Some(site) => self.corner_of(polygon, site.at).is_some(),
                None => polygon == goal.polygon,
            };
            if next > 0 {
                string.push(Turn { at, crossed: corridor.len() });
            }
            if self.corner_of(polygon, at).is_some() {
                polygon = self.turn_to(polygon, [at, target], ends, corridor)?;
            }
            let mut ray = self.ray(at, target);
            let mut exit = self.exit_of(polygon, &ray);
            let mut steps = 0;
            while !ends(polygon) {
                steps += 1;
                if steps > MOST_STEPS {
                    return None;
                }
                match exit {
                    RayExit::Through(edge) => {
                        let beyond = self.topology.neighbours[edge];
                        if beyond == NO_NEIGHBOUR {
                            return Some(false);
                        }
                        corridor.push(to_u32(edge));
                        polygon = beyond;
                        exit =
                            self.exit_through(beyond, self.topology.fans.twin(to_u32(edge)) as usize, &ray);
                    }
                    // The line meets a corner and continues beyond it.
                    RayExit::Unsure => {
                        let corner = self.last_corner_on(polygon, ray.at, target)?;
                        polygon = self.turn_to(polygon, [corner, target], ends, corridor)?;
                        ray = self.ray(corner, target);
                        exit = self.exit_of(polygon, &ray);
                    }
                    // The goal lies on an edge of its polygon.
                    RayExit::Ends if next == sites.len() => {
                        let edge = self
                            .edge_range(polygon as usize)
                            .find(|&edge| self.topology.neighbours[edge] == goal.polygon)?;
                        corridor.push(to_u32(edge));
                        polygon = goal.polygon;
                    }
                    RayExit::Ends => return None,
                }
            }
            at = target;
        }
        scratch.has_turns = true;
        Some(true)
    }

    /// Returns the number of the corner that a polygon has at a place.
    pub(super) fn corner_of(&self, polygon: u32, at: PlanPosition) -> Option<usize> {
        self.walk_edges(polygon).iter().position(|edge| edge.start() == at)
    }

    /// Returns the last corner of a polygon on a line.
    fn last_corner_on(&self, polygon: u32, from: PlanPosition, to: PlanPosition) -> Option<PlanPosition> {
        let corners = self.walk_edges(polygon).iter().map(WalkEdge::start);
        let on_line = corners.filter(|&corner| corner == to || is_straight(from, corner, to));
        on_line.max_by(|a, b| a.distance_squared(from).total_cmp(&b.distance_squared(from)))
    }

    /// Turns round a corner of a polygon, either way, to the polygon there in which a line to another
    /// place begins or, by `ends`, the line ends. Appends the crossings. `None` if several may be it.
    fn turn_to(
        &self,
        polygon: u32,
        line: [PlanPosition; 2],
        ends: impl Fn(u32) -> bool,
        corridor: &mut Vec<u32>,
    ) -> Option<u32> {
        if self.oracle.as_ref().is_some_and(|oracle| oracle.tables.is_wound) {
            let corner = self.edge_range(polygon as usize).start + self.corner_of(polygon, line[0])?;
            if self.is_wound(polygon, to_u32(corner)) {
                return None;
            }
        }
        let before = corridor.len();
        [true, false].into_iter().find_map(|to_right| {
            corridor.truncate(before);
            self.turn_one_way(polygon, line, to_right, &ends, corridor)
        })
    }

    fn turn_one_way(
        &self,
        mut polygon: u32,
        [at, target]: [PlanPosition; 2],
        to_right: bool,
        ends: impl Fn(u32) -> bool,
        corridor: &mut Vec<u32>,
    ) -> Option<u32> {
        let first = polygon;
        for _ in 0..MOST_STEPS {
            let edges = self.walk_edges(polygon);
            let corner = self.corner_of(polygon, at)?;
            let before = if corner == 0 { edges.len() - 1 } else { corner - 1 };
            let after = if corner + 1 == edges.len() { 0 } else { corner + 1 };
            let [right, left] = [after, before].map(|corner| edges[corner].start());
            let [beside_right, beside_left] = [right, left].map(|ray| orientation(at, ray, target));
            let is_along =
                |ray: PlanPosition, side: f64| side == 0.0 && at != target && !is_before(ray, at, target);
            if ends(polygon)
                || (beside_right > 0.0 && beside_left < 0.0)
                || is_along(right, beside_right)
                || is_along(left, beside_left)
            {
                return Some(polygon);
            }
            let edge = self.edge_range(polygon as usize).start + if to_right { corner } else { before };
            polygon = self.topology.neighbours[edge];
            if polygon == NO_NEIGHBOUR || polygon == first {
                return None;
            }
            corridor.push(to_u32(edge));
        }
        None
    }
}
