//! The places along the segments of links at which a path takes them.

use waymesh_core::PolyId;

use super::funnel::Turn;
use super::portal::turn_length;
use super::scratch::{PathScratch, Sliding};
use crate::locate::nearest::Spot;
use crate::mesh::link::LinkEnd;
use crate::mesh::nav_mesh::NavMesh;

/// Number of strings pulled at most: a string bends at other corners once links have moved.
const ROUNDS: usize = 8;

/// Gain in cells below which links stay where they are.
const LEAST_GAIN: f64 = 1e-3;

impl NavMesh {
    /// Moves each link of `scratch.corridor` that is not crossed like an edge along its segments,
    /// so that the path through the corridor becomes shorter. Returns `true` if there is a link
    /// that can be moved.
    ///
    /// A search takes such a link from one of a few places. The length of the path is a convex
    /// function of the places, so the best ones are found by sliding each link between the turns
    /// before and after it.
    pub(crate) fn slide_links(&self, [start, goal]: [&Spot; 2], scratch: &mut PathScratch) -> bool {
        if scratch.link_places.is_empty() || scratch.keeps_turns {
            return false;
        }
        let can_slide = |&crossing: &u32| !self.is_crossed(crossing) && self.link_at(crossing).places() > 1;
        if !scratch.corridor.iter().any(can_slide) {
            return false;
        }
        let mut sliding = std::mem::take(&mut scratch.sliding);
        let Sliding { polygons, turns, best } = &mut sliding;
        polygons.clear();
        polygons.push(PolyId(start.polygon));
        polygons.extend(scratch.corridor.iter().map(|&crossing| PolyId(self.beyond(crossing))));
        let (mut least, mut rounds) = (f64::INFINITY, 0);
        best.clear();
        best.extend_from_slice(&scratch.link_places);
        loop {
            self.string_turns([start, goal], polygons, scratch, turns);
            let length = self.string_length(turns, scratch);
            let gain = least - length;
            if gain > 0.0 {
                least = length;
                best.clone_from(&scratch.link_places);
            }
            if gain.abs() < LEAST_GAIN || rounds == ROUNDS {
                break;
            }
            if gain > 0.0 {
                self.slide_between(turns, scratch);
            } else {
                // The string bends elsewhere: half as far.
                let places = scratch.link_places.iter_mut().zip(&*best);
                places.for_each(|(place, best)| *place = (*place + best) / 2.0);
            }
            rounds += 1;
        }
        scratch.link_places.clone_from(best);
        scratch.sliding = sliding;
        true
    }

    /// Returns the links of a corridor that are not crossed like edges: the index of the turn
    /// before each, the index of its place, and both ends.
    fn links_of_string<'a>(
        &'a self,
        turns: &'a [Turn],
        corridor: &'a [u32],
    ) -> impl Iterator<Item = (usize, usize, [&'a LinkEnd; 2])> {
        let links = corridor.iter().enumerate().filter(|&(_, &crossing)| self.is_link(crossing));
        let links = links.enumerate().filter(|&(_, (_, &crossing))| !self.is_crossed(crossing));
        let mut turn = 0;
        links.map(move |(place, (crossed, &crossing))| {
            // It lands at the first turn behind it.
            while turns[turn + 1].crossed <= crossed {
                turn += 1;
            }
            (turn, place, self.link_ends(crossing))
        })
    }

    /// Returns the length of a string, in cells: in plan, links in space.
    fn string_length(&self, turns: &[Turn], scratch: &PathScratch) -> f64 {
        let plan: f64 = turns.windows(2).map(|pair| turn_length(pair[0].at, pair[1].at)).sum();
        let links = self.links_of_string(turns, &scratch.corridor).map(|(turn, place, ends)| {
            let in_plan = turn_length(turns[turn].at, turns[turn + 1].at);
            self.link_length(ends, scratch.link_places[place]) - in_plan
        });
        plan + links.sum::<f64>()
    }

    /// Moves each link to its best place between the turns before and after it.
    fn slide_between(&self, turns: &[Turn], scratch: &mut PathScratch) {
        let PathScratch { corridor, link_places, .. } = scratch;
        for (turn, place, ends) in self.links_of_string(turns, corridor) {
            let [before, after] =
                [turn.saturating_sub(1), (turn + 2).min(turns.len() - 1)].map(|at| turns[at].at);
            let length = |along: f64| {
                let [leave, arrive] = ends.map(|end| self.on_segment(end, along).0);
                turn_length(before, leave) + self.link_length(ends, along) + turn_length(arrive, after)
            };
            // A sum of distances to points that move along lines is convex.
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..16 {
                let third = (high - low) / 3.0;
                if length(low + third) <= length(high - third) {
                    high -= third;
                } else {
                    low += third;
                }
            }
            link_places[place] = (low + high) / 2.0;
        }
    }

    /// Returns the length of a link that is taken at a place, in cells.
    fn link_length(&self, ends: [&LinkEnd; 2], along: f64) -> f64 {
        let level = f64::from(self.frame.level_height) / f64::from(self.frame.cell_size);
        let heights = ends.map(|end| {
            let [a, b] = end.ends.map(|end| f64::from(end.height));
            a + (b - a) * along
        });
        let rise = (heights[1] - heights[0]) * level;
        let [leave, arrive] = ends.map(|end| self.on_segment(end, along).0);
        (leave.distance_squared(arrive) + rise * rise).sqrt()
    }
}
