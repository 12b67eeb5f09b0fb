//! Where to go when the goal cannot be reached.

use glam::Vec3;
use waymesh_core::CellId;

use super::PathScratch;
use crate::data::NO_NEIGHBOUR;
use crate::filter::CellFilter;
use crate::mesh::NavMesh;
use crate::nearest::{Reach, Spot};

impl NavMesh {
    /// The point closest to `goal` in space, of all that can be reached from `start`. With a filter or one-way links it floods what can be
    /// reached, else it asks the box index for the island.
    pub(super) fn closest_reachable<F: CellFilter>(
        &self,
        start: &Spot,
        goal: Vec3,
        filter: &F,
        scratch: &mut PathScratch,
    ) -> Option<Spot> {
        if F::ALLOWS_ALL && self.links.are_both_ways() {
            let group = |cell: u32| self.links.group(self.cell_islands[cell as usize]);
            let own = group(start.cell);
            return self.nearest_spot(goal, &Reach::INFINITE, |cell| group(cell) == own);
        }
        scratch.begin(self.neighbours.len(), 0);
        // A cell is marked at its first edge.
        let mark = |scratch: &mut PathScratch, cell: u32| scratch.mark(self.cell_first[cell as usize]);
        mark(scratch, start.cell);
        let mut stack = std::mem::take(&mut scratch.corridor);
        stack.clear();
        stack.push(start.cell);
        while let Some(cell) = stack.pop() {
            let across = self.neighbours[self.edge_range(cell as usize)].iter().copied();
            let linked = self.links.leaving(cell).iter().map(|&leaving| self.beyond(self.way_of(leaving)));
            for neighbour in across.chain(linked) {
                if neighbour != NO_NEIGHBOUR
                    && filter.allows(self, CellId(neighbour))
                    && mark(scratch, neighbour)
                {
                    stack.push(neighbour);
                }
            }
        }
        scratch.corridor = stack;
        self.nearest_spot(goal, &Reach::INFINITE, |cell| scratch.is_marked(self.cell_first[cell as usize]))
    }
}
