//! Nearest reachable place for a goal that cannot be reached.

use glam::Vec3;
use waymesh_core::PolyId;

use super::search::PathScratch;
use crate::locate::nearest::{Reach, Spot};
use crate::mesh::bounds::NO_NEIGHBOUR;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::nav_mesh::NavMesh;

impl NavMesh {
    /// Returns `true` if islands decide reachability.
    pub(super) fn needs_no_flood(&self, filter: &impl PolygonFilter) -> bool {
        filter.allows_all() && self.links.are_both_ways()
    }

    /// Returns the point closest to `goal` in space, of all that can be reached from `start`. With
    /// a filter or one-way links it floods what can be reached, else it asks the box index for
    /// the island.
    pub(super) fn closest_reachable<F: PolygonFilter>(
        &self,
        start: &Spot,
        goal: Vec3,
        filter: &F,
        scratch: &mut PathScratch,
    ) -> Option<Spot> {
        if self.needs_no_flood(filter) {
            let group = |polygon: u32| self.links.group(self.island_at(polygon));
            let own = group(start.polygon);
            return self.nearest_spot(goal, &Reach::INFINITE, |polygon| group(polygon) == own);
        }
        self.begin_flood(start, scratch);
        let mut nodes = usize::MAX;
        self.advance_flood(filter, scratch, &mut nodes);
        self.closest_flooded(goal, scratch)
    }

    /// Begins to flood what can be reached.
    pub(super) fn begin_flood(&self, start: &Spot, scratch: &mut PathScratch) {
        scratch.begin(self.neighbours.len(), 0);
        scratch.mark(self.polygon_first[start.polygon as usize]);
        scratch.corridor.clear();
        scratch.corridor.push(start.polygon);
    }

    /// Continues a flood by at most `nodes` polygons. Returns `true` if it is complete.
    pub(super) fn advance_flood<F: PolygonFilter>(
        &self,
        filter: &F,
        scratch: &mut PathScratch,
        nodes: &mut usize,
    ) -> bool {
        // A polygon is marked at its first edge.
        let mark =
            |scratch: &mut PathScratch, polygon: u32| scratch.mark(self.polygon_first[polygon as usize]);
        let mut stack = std::mem::take(&mut scratch.corridor);
        while *nodes > 0 {
            *nodes -= 1;
            let Some(polygon) = stack.pop() else { break };
            let across = self.neighbours[self.edge_range(polygon as usize)].iter().copied();
            let linked =
                self.links.leaving(polygon).iter().map(|&leaving| self.beyond(self.crossing_of(leaving)));
            for neighbour in across.chain(linked) {
                if neighbour != NO_NEIGHBOUR
                    && filter.may_cross(self, PolyId(polygon), PolyId(neighbour))
                    && mark(scratch, neighbour)
                {
                    stack.push(neighbour);
                }
            }
        }
        let is_complete = stack.is_empty();
        scratch.corridor = stack;
        is_complete
    }

    /// Returns the point closest to `goal` in space, of all that was flooded.
    pub(super) fn closest_flooded(&self, goal: Vec3, scratch: &PathScratch) -> Option<Spot> {
        self.nearest_spot(goal, &Reach::INFINITE, |polygon| {
            scratch.is_marked(self.polygon_first[polygon as usize])
        })
    }
}
