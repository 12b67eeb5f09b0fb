//! Paths from polygon to polygon that are put together of pieces, and the string through them.

use waymesh_core::{PolyId, to_u32};

use super::funnel::{Leg, Turn};
use super::scratch::PathScratch;
use crate::locate::nearest::Spot;
use crate::mesh::nav_mesh::NavMesh;

/// An edge or link crossed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) crossing: u32,
    /// Position along its segments at which a link is taken.
    pub(crate) along: f64,
}

impl NavMesh {
    /// Adds what a search left.
    pub(crate) fn append_steps(&self, scratch: &PathScratch, steps: &mut Vec<Step>) {
        let mut link_places = scratch.link_places.iter().copied();
        steps.extend(scratch.corridor.iter().map(|&crossing| {
            let along = if self.is_link(crossing) { link_places.next().unwrap_or(0.0) } else { 0.0 };
            Step { crossing, along }
        }));
    }

    /// Puts steps where a search would leave them.
    pub(crate) fn put_steps(&self, steps: &[Step], scratch: &mut PathScratch) {
        scratch.corridor.clear();
        scratch.link_places.clear();
        (scratch.is_straight, scratch.has_turns, scratch.keeps_turns) = (false, false, false);
        for step in steps {
            scratch.corridor.push(step.crossing);
            if self.is_link(step.crossing) {
                scratch.link_places.push(step.along);
            }
        }
    }

    /// Polygons are convex: what leads out of one and back into it is cut. Leaves the polygons,
    /// that of the start first, in `polygons`.
    pub(crate) fn cut_loops(
        &self,
        start: u32,
        steps: &mut Vec<Step>,
        spare: &mut Vec<Step>,
        polygons: &mut Vec<PolyId>,
        scratch: &mut PathScratch,
    ) {
        self.polygons_of(start, steps, polygons);
        scratch.last_index.begin(self.polygon_bound());
        for (index, polygon) in (0..).zip(polygons.iter()) {
            scratch.last_index.set(polygon.0, index);
        }
        spare.clear();
        let mut index = 0;
        while index < steps.len() {
            let last = scratch.last_index.get(polygons[index].0).unwrap_or(index);
            spare.extend(steps.get(last));
            index = last + 1;
        }
        if spare.len() < steps.len() {
            std::mem::swap(steps, spare);
            self.polygons_of(start, steps, polygons);
        }
    }

    fn polygons_of(&self, start: u32, steps: &[Step], polygons: &mut Vec<PolyId>) {
        polygons.clear();
        polygons.push(PolyId(start));
        polygons.extend(steps.iter().map(|step| PolyId(self.beyond(step.crossing))));
    }

    /// Returns the same path, from the other side.
    pub(crate) fn reversed(&self, crossing: u32) -> u32 {
        if self.is_link(crossing) {
            let first = to_u32(self.topology.neighbours.len());
            first + ((crossing - first) ^ 1)
        } else {
            self.topology.fans.twin(crossing)
        }
    }

    /// Returns the links of a corridor that are not crossed like edges: its place in the corridor,
    /// the crossing, and how far along its segments it is taken.
    pub(super) fn links_on(
        &self,
        corridor: &[u32],
        link_places: &[f64],
    ) -> impl Iterator<Item = (usize, u32, f64)> {
        let links = corridor.iter().copied().enumerate().filter(|&(_, crossing)| self.is_link(crossing));
        // Each link has its place, also those that are crossed like an edge.
        let link_places = link_places.iter().copied().chain(std::iter::repeat(0.0));
        let links = links.zip(link_places).map(|((crossed, crossing), along)| (crossed, crossing, along));
        links.filter(|&(_, crossing, _)| !self.is_crossed(crossing))
    }

    /// The turns of the shortest path through `scratch.corridor`, ends included, and both ends of
    /// the links that are not crossed like edges.
    pub(crate) fn string_turns(
        &self,
        [start, goal]: [&Spot; 2],
        polygons: &[PolyId],
        scratch: &mut PathScratch,
        turns: &mut Vec<Turn>,
    ) {
        turns.clear();
        turns.push(Turn { at: start.at, crossed: 0 });
        let PathScratch { corridor, link_places, funnel, .. } = scratch;
        let (mut from, mut first) = (start.at, 0);
        for (crossed, crossing, along) in self.links_on(corridor, link_places) {
            let [leave, arrive] = self.link_ends(crossing);
            let leg = Leg { corridor, range: first..crossed, cross_points: false, ground_error: None };
            self.pull_string(from, self.on_segment(leave, along).0, polygons, &leg, funnel);
            turns.extend(&funnel.turns[1..]);
            (from, first) = (self.on_segment(arrive, along).0, crossed + 1);
            turns.push(Turn { at: from, crossed: first });
        }
        let range = first..corridor.len();
        let leg = Leg { corridor, range, cross_points: false, ground_error: None };
        self.pull_string(from, goal.at, polygons, &leg, funnel);
        turns.extend(&funnel.turns[1..]);
    }
}
