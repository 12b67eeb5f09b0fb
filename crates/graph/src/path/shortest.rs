//! Searches for the shortest path.

use super::options::MOST_NODES;
use super::portal::turn_length;
use super::progress::{How, LastSearch, Progress};
use super::scratch::PathScratch;
use crate::locate::nearest::Spot;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::nav_mesh::NavMesh;

impl NavMesh {
    /// Begins a search for the shortest path of any length, with [`PathScratch::rises`], unless the
    /// oracle of the mesh knows it ([`PathScratch::used_oracle`]).
    pub(crate) fn look_up_or_begin(
        &self,
        [start, goal]: [&Spot; 2],
        filter: &impl PolygonFilter,
        scratch: &mut PathScratch,
    ) {
        let rises = scratch.rises;
        self.begin_straight([start, goal], f64::INFINITY, rises, filter, scratch);
        scratch.used_oracle =
            cfg!(feature = "oracle") && !scratch.is_straight && self.look_up([start, goal], filter, scratch);
        if !scratch.is_straight && !scratch.used_oracle {
            self.begin_cones([start, goal], f64::INFINITY, rises, filter, &mut scratch.any_angle);
        }
    }

    /// Searches for a path no longer than `limit`, in cells. Returns `true` if one is found within
    /// [`MOST_NODES`] nodes.
    pub(crate) fn search_shortest_within(
        &self,
        [start, goal]: [&Spot; 2],
        limit: f64,
        filter: &impl PolygonFilter,
        scratch: &mut PathScratch,
    ) -> bool {
        self.begin_shortest([start, goal], limit, false, filter, scratch);
        let mut nodes = MOST_NODES;
        self.advance_shortest(goal, limit, filter, scratch, &mut nodes) == Progress::Found
    }

    /// Begins a search for [`NavMesh::advance_shortest`]: with `rises` for the path that is shortest
    /// on the ground, else the one that is shortest in plan.
    pub(crate) fn begin_shortest(
        &self,
        [start, goal]: [&Spot; 2],
        limit: f64,
        rises: bool,
        filter: &impl PolygonFilter,
        scratch: &mut PathScratch,
    ) {
        self.begin_straight([start, goal], limit, rises, filter, scratch);
        if !scratch.is_straight {
            self.begin_cones([start, goal], limit, rises, filter, &mut scratch.any_angle);
        }
    }

    /// Forgets the last path, and finds out whether a straight line leads to the goal.
    fn begin_straight(
        &self,
        [start, goal]: [&Spot; 2],
        limit: f64,
        rises: bool,
        filter: &impl PolygonFilter,
        scratch: &mut PathScratch,
    ) {
        scratch.corridor.clear();
        scratch.link_places.clear();
        (scratch.has_turns, scratch.keeps_turns) = (false, false);
        scratch.last = LastSearch::new(How::Cones, self, start);
        scratch.is_straight = start.polygon == goal.polygon
            || (turn_length(start.at, goal.at) <= limit
                && self.goes_straight([start, goal], filter, &mut scratch.corridor));
        if scratch.is_straight && rises {
            let PathScratch { corridor, profile, .. } = scratch;
            scratch.is_straight = self.is_level([start, goal], corridor, profile);
            if !scratch.is_straight {
                scratch.corridor.clear();
            }
        }
    }

    /// Continues a search by at most `nodes` nodes, and subtracts the opened ones.
    pub(crate) fn advance_shortest(
        &self,
        goal: &Spot,
        limit: f64,
        filter: &impl PolygonFilter,
        scratch: &mut PathScratch,
        nodes: &mut usize,
    ) -> Progress {
        if scratch.is_straight {
            return Progress::Found;
        }
        let PathScratch { corridor, link_places, has_turns, keeps_turns, any_angle, .. } = scratch;
        let progress = self.advance_cones(goal, limit, filter, any_angle, nodes, (corridor, link_places));
        if progress == Progress::Found {
            *has_turns = link_places.is_empty();
            // Pulled tight it would be shorter in plan.
            *keeps_turns = any_angle.rises();
        }
        progress
    }
}
