//! The string through a whole corridor, links included.

use waymesh_core::PolyId;

use super::funnel::{Leg, Turn};
use super::scratch::PathScratch;
use crate::locate::nearest::Spot;
use crate::mesh::nav_mesh::NavMesh;

impl NavMesh {
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
