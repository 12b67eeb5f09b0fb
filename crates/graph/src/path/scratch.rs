//! Memory of searches for paths.

use waymesh_core::PolyId;

use super::any_angle::AnyAngle;
use super::frontier::Frontier;
use super::funnel::{Funnel, Turn};
use super::ground::Profile;
use super::local::Approach;
use super::options::PathSearch;
use super::progress::{How, LastSearch};
use crate::marks::{Marks, Stamped};
use crate::mesh::nav_mesh::NavMesh;
use crate::mesh::oracle::{OracleScratch, Site};

/// The part of a [`crate::QueryScratch`] that is for paths.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathScratch {
    pub(super) frontier: Frontier,
    pub(super) front: Front,
    /// The last search.
    pub(super) last: LastSearch,
    /// The first polygon with more than one crossing that leads on.
    pub(super) origin: u32,
    /// Polygons that a flood for the nearest place has reached.
    pub(super) flooded: Marks,
    /// Per polygon of a corridor, its last place there: to cut loops.
    pub(super) last_index: Stamped<usize>,
    /// `true` if the path is straight: nothing is to be searched and no string to be pulled.
    pub(crate) is_straight: bool,
    /// `true` if the search has found the turns, too: no string is to be pulled.
    pub(crate) has_turns: bool,
    /// `true` if the path has the turns that the search found, and no string is to be pulled.
    pub(super) keeps_turns: bool,
    /// `true` if the search for the shortest path is to count rises ([`PathOptions::rises`]).
    ///
    /// [`PathOptions::rises`]: super::options::PathOptions::rises
    pub(crate) rises: bool,
    /// `true` if the search for the shortest path came to its limit.
    pub(crate) was_cut: bool,
    /// The search that found the corridor, or is at it.
    pub(crate) found_by: PathSearch,
    /// Nodes that the search for the shortest path may still open.
    pub(crate) left: usize,
    /// Edges crossed, from the start's polygon to the goal's.
    pub(crate) corridor: Vec<u32>,
    /// Position along its segments at which each link of the corridor is taken, from 0 to 1.
    pub(crate) link_places: Vec<f64>,
    pub(crate) funnel: Funnel,
    pub(crate) profile: Profile,
    pub(super) sliding: Sliding,
    pub(crate) any_angle: AnyAngle,
    pub(super) oracle: OracleScratch,
    /// Turns of the path, looked up in the oracle.
    pub(super) sites: Vec<Site>,
    /// `true` if the last shortest path was looked up.
    pub(crate) used_oracle: bool,
}

/// The frontier of a search.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Front {
    pub(super) node: u32,
    pub(super) polygon: u32,
    pub(super) from_polygon: u32,
    pub(super) approach: Approach,
    /// `true` before the first polygon with a choice: no costs were computed yet.
    pub(super) is_forced: bool,
}

/// Memory of [`NavMesh::slide_links`].
#[derive(Clone, Debug, Default)]
pub(super) struct Sliding {
    pub(super) polygons: Vec<PolyId>,
    pub(super) turns: Vec<Turn>,
    /// The places of the shortest path so far.
    pub(super) best: Vec<f64>,
}

impl PathScratch {
    /// The polygons that the last search looked into, ascending; none for another mesh.
    pub(crate) fn searched(&self, mesh: &NavMesh) -> Vec<PolyId> {
        let LastSearch { how, start, generation, links } = self.last;
        if how == How::Unknown || generation != mesh.generation || links != mesh.links.stamp {
            return Vec::new();
        }
        let mut found = vec![start];
        // Also what a search passed that had no choice.
        found.extend(self.corridor.iter().map(|&crossing| mesh.beyond(crossing)));
        if !self.is_straight && how == How::Edges {
            found.extend(self.frontier.entered.numbers());
        } else if !self.is_straight {
            self.any_angle.searched(&mut found);
        }
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(PolyId).collect()
    }
}
