//! Nearest reachable place for a goal that cannot be reached.

use smallvec::SmallVec;
use waymesh_core::checkpoint_every;

use super::ends::{Ends, Pairs};
use super::scratch::PathScratch;
use crate::locate::nearest::Spot;
use crate::locate::reach::Reach;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::nav_mesh::NavMesh;

impl NavMesh {
    /// Returns `true` if islands decide reachability.
    pub(crate) fn needs_no_flood(&self, filter: &impl PolygonFilter) -> bool {
        filter.allows_all() && self.links.are_both_ways()
    }

    /// Returns the point closest to the goal in space on the islands of the starts, and on those that
    /// links connect with them.
    pub(crate) fn closest_on_islands(&self, pairs: &[Ends]) -> Option<Spot> {
        let group = |polygon: u32| self.links.group(self.island_at(polygon));
        let own: SmallVec<[_; 4]> = pairs.iter().map(|ends| group(ends.start.polygon)).collect();
        self.nearest_spot(pairs[0].goal_position, &Reach::INFINITE, |polygon| own.contains(&group(polygon)))
    }

    /// Returns the pairs of each start and a place, if it is closer to the goal than the start.
    pub(crate) fn pairs_to(&self, place: Option<Spot>, pairs: &[Ends]) -> Pairs {
        let Some(goal) = place else { return Pairs::new() };
        let first = &pairs[0];
        let goal_position = self.location(&goal, first.goal_position).position;
        let gain =
            first.start_position.distance(first.goal_position) - goal_position.distance(first.goal_position);
        if f64::from(gain) <= self.vertices.plan_slack * f64::from(self.frame.cell_size) {
            return Pairs::new();
        }
        let mut partial = Pairs::new();
        for ends in pairs {
            if partial.iter().all(|known: &Ends| known.start.polygon != ends.start.polygon) {
                partial.push(Ends { goal, goal_position, ..*ends });
            }
        }
        partial.sort_by_key(|ends| !self.may_reach(ends));
        partial
    }

    /// Begins to flood what can be reached from any start.
    pub(crate) fn begin_flood(&self, pairs: &[Ends], scratch: &mut PathScratch) {
        scratch.flooded.begin(self.polygon_bound());
        scratch.corridor.clear();
        for ends in pairs {
            let start = ends.start.polygon;
            if scratch.flooded.mark(start) {
                scratch.corridor.push(start);
            }
        }
    }

    /// Continues a flood by at most `nodes` polygons. Returns `true` if it is complete.
    pub(crate) fn advance_flood(
        &self,
        filter: &impl PolygonFilter,
        scratch: &mut PathScratch,
        nodes: &mut usize,
    ) -> bool {
        // A polygon is marked at its first edge.
        let mut stack = std::mem::take(&mut scratch.corridor);
        while *nodes > 0 {
            checkpoint_every(1 << 12, *nodes);
            *nodes -= 1;
            let Some(polygon) = stack.pop() else { break };
            for crossing in self.open_edges(polygon).chain(self.links_from(polygon)) {
                if let Some(neighbour) = self.open_crossing(polygon, crossing, filter)
                    && scratch.flooded.mark(neighbour)
                {
                    stack.push(neighbour);
                }
            }
        }
        let is_complete = stack.is_empty();
        scratch.corridor = stack;
        is_complete
    }

    /// Returns the point closest to the goal in space, of all that was flooded.
    pub(crate) fn closest_flooded(&self, pairs: &[Ends], scratch: &PathScratch) -> Option<Spot> {
        self.nearest_spot(pairs[0].goal_position, &Reach::INFINITE, |polygon| scratch.flooded.has(polygon))
    }
}
