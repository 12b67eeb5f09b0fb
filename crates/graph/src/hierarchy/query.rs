//! Queries on a hierarchy.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use waymesh_core::{PolyId, nearest_f32, to_u32};

use super::Hierarchy;
use super::clusters::NO_CLUSTER;
use super::costs::{ALONG, NOT_REACHED, Reached};
use super::landmarks::COUNT;
use crate::locate::nearest::Spot;
use crate::marks::{Marks, Stamped};
use crate::mesh::costs::{Rules, TravelCost, Usable};
use crate::mesh::filter::PolygonFilter;
use crate::mesh::link::LinkId;
use crate::mesh::nav_mesh::NavMesh;
use crate::path::funnel::Turn;
use crate::path::progress::Progress;
use crate::path::scratch::PathScratch;
use crate::path::steps::Step;

/// The search that found a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum HierarchyUse {
    /// By clusters.
    Clusters,
    /// Without it: both ends are in clusters that are near each other.
    Near,
    /// Without: the mesh is too small for one ([`super::HierarchyConfig::min_polygons`]).
    Small,
    /// Without: it belongs to other polygons or other links.
    Stale,
    /// Without: the filter is another.
    OtherFilter,
    /// Without: the costs are others.
    Costs,
    /// No path over entrances leads to the goal, so there is none: nothing was searched for one.
    /// Only where some path between polygons is closed by an infinite cost for entering
    /// ([`TravelCost::entering`]), a search without made sure.
    NoPath,
}

/// The part of a [`QueryScratch`](crate::QueryScratch) that is for hierarchies.
#[derive(Clone, Debug, Default)]
pub(crate) struct HierarchyScratch {
    /// The search that found the last path.
    pub(crate) how: Option<HierarchyUse>,
    /// `true` if the hierarchy fits the query that is under way.
    fits: bool,
    nodes: Stamped<Node>,
    open: BinaryHeap<Reverse<(u32, u32)>>,
    /// Terminals crossed, from the start on.
    chain: Vec<u32>,
    marked: Marks,
    polygons: Vec<PolyId>,
    turns: Vec<Turn>,
    steps: Vec<Step>,
    next: Vec<Step>,
}

/// The state of a terminal in a search.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    parent: u32,
    length: f32,
    /// No path from here to the goal is shorter.
    rest: f32,
    closed: bool,
}

/// The goal, among the terminals.
const GOAL: u32 = u32::MAX;

/// Ends with no more entrances between them are near each other: their clusters are searched
/// polygon by polygon.
const NEAR_ENTRANCES: usize = 2;

/// Nodes that a search for a straighter path may open, in addition to two for each polygon: it
/// searches the neighbourhood or keeps the bend.
const WINDOW_NODES: usize = 100;

/// Number of passes that straighten bends.
const PASSES: usize = 2;

/// The clusters along a path, with the filter and costs of the query.
struct Marked<'a, U> {
    usable: &'a U,
    of: &'a [u32],
    marked: &'a Marks,
}

impl<U: PolygonFilter> PolygonFilter for Marked<'_, U> {
    fn allows(&self, mesh: &NavMesh, polygon: PolyId) -> bool {
        let cluster = self.of[polygon.index()];
        cluster != NO_CLUSTER && self.marked.has(cluster) && self.usable.allows(mesh, polygon)
    }

    fn allows_link(&self, mesh: &NavMesh, link: LinkId) -> bool {
        self.usable.allows_link(mesh, link)
    }
}

impl<F: PolygonFilter + PartialEq, C: TravelCost + PartialEq> Hierarchy<F, C> {
    /// Prepares for a query: notes whether the hierarchy fits it.
    pub(crate) fn begin(&self, mesh: &NavMesh, usable: &Usable<'_, F, C>, scratch: &mut HierarchyScratch) {
        let how = if self.clusters.count() == 0 && mesh.generation == self.generation {
            HierarchyUse::Small
        } else if mesh.generation != self.generation || mesh.links.stamp != self.links {
            HierarchyUse::Stale
        } else if *usable.filter != self.filter {
            HierarchyUse::OtherFilter
        } else if !usable.is_length() && *usable.cost != self.cost {
            HierarchyUse::Costs
        } else if usable.version() != self.version {
            HierarchyUse::Stale
        } else {
            HierarchyUse::Clusters
        };
        scratch.fits = how == HierarchyUse::Clusters;
        scratch.how = Some(how);
    }

    /// Leaves the edges and links to cross in `paths.corridor`. Returns `true` if there is a path.
    pub(crate) fn search(
        &self,
        mesh: &NavMesh,
        [start, goal]: [&Spot; 2],
        usable: &Usable<'_, F, C>,
        scratch: &mut HierarchyScratch,
        paths: &mut PathScratch,
    ) -> bool {
        if !scratch.fits {
            return mesh.search_corridor([start, goal], usable, paths);
        }
        let (found, how) = self.search_clusters(mesh, [start, goal], usable, scratch, paths);
        scratch.how = scratch.how.max(Some(how));
        found
    }

    /// Searches as [`Hierarchy::search`] does where the hierarchy fits, and says how it found the path.
    fn search_clusters(
        &self,
        mesh: &NavMesh,
        [start, goal]: [&Spot; 2],
        usable: &Usable<'_, F, C>,
        scratch: &mut HierarchyScratch,
        paths: &mut PathScratch,
    ) -> (bool, HierarchyUse) {
        let [from, to] = [start, goal].map(|spot| self.clusters.of[spot.polygon as usize]);
        if from == NO_CLUSTER || to == NO_CLUSTER || from == to {
            return (mesh.search_corridor([start, goal], usable, paths), HierarchyUse::Near);
        }
        if !self.search_entrances(mesh, [start, goal], [from, to], scratch) {
            // The polygons of a cluster are connected both ways, and each piece of border between two clusters
            // has an entrance, so no path exists.
            let is_sure = self.is_complete;
            return (!is_sure && mesh.search_corridor([start, goal], usable, paths), HierarchyUse::NoPath);
        }
        if scratch.chain.len() <= NEAR_ENTRANCES {
            let HierarchyScratch { marked, chain, .. } = scratch;
            marked.begin(self.clusters.count());
            marked.mark(from);
            for &terminal in chain.iter() {
                let mate = self.graph.terminals[terminal as usize].mate;
                marked.mark(self.graph.terminals[mate as usize].cluster);
            }
            let near = Marked { usable, of: &self.clusters.of, marked };
            let near = Usable { filter: &near, cost: usable.cost };
            if mesh.search_corridor([start, goal], &near, paths) {
                return (true, HierarchyUse::Near);
            }
        }
        self.put_together(mesh, [start, goal], scratch);
        cut_loops(mesh, start.polygon, scratch, paths);
        if usable.is_length() {
            straighten(mesh, [start, goal], usable, scratch, paths);
        }
        (true, HierarchyUse::Clusters)
    }

    fn exits(&self, cluster: u32) -> std::ops::Range<u32> {
        self.graph.first[cluster as usize]..self.graph.first[cluster as usize + 1]
    }

    /// Returns how a polygon is reached from a terminal of its cluster.
    fn reached(&self, terminal: u32, polygon: u32) -> &Reached {
        &self.reached[self.rows[terminal as usize] + self.clusters.slots[polygon as usize] as usize]
    }

    /// Returns how far it is from each landmark to the goal.
    fn goal_marks(&self, goal: &Spot, cluster: u32, metre: f64) -> [f32; COUNT] {
        let mut marks = [f32::INFINITY; COUNT];
        for arrived in self.exits(cluster) {
            let mate = self.graph.terminals[arrived as usize].mate;
            let here = &self.graph.terminals[mate as usize];
            if here.exits {
                let rest = here.cost + self.reached(arrived, goal.polygon).distance(goal.at, metre);
                for (mark, length) in marks.iter_mut().zip(self.landmarks.of(mate)) {
                    *mark = mark.min(length + rest);
                }
            }
        }
        marks
    }

    /// A* over entrances; the terminals crossed go to `scratch.chain`. Returns `true` if there is a
    /// path.
    fn search_entrances(
        &self,
        mesh: &NavMesh,
        [start, goal]: [&Spot; 2],
        [from, to]: [u32; 2],
        scratch: &mut HierarchyScratch,
    ) -> bool {
        let HierarchyScratch { nodes, open, chain, .. } = scratch;
        nodes.begin(self.graph.terminals.len());
        open.clear();
        chain.clear();
        let mut best = (f32::INFINITY, GOAL);
        let usable = Usable { filter: &self.filter, cost: &self.cost };
        let [first, last] = [start, goal].map(|spot| f64::from(usable.per_metre(mesh, spot.polygon)));
        let least = f64::from(usable.least());
        let marks = self.goal_marks(goal, to, last);
        let offer = |nodes: &mut Stamped<Node>, open: &mut BinaryHeap<_>, terminal, parent, length| {
            let node = nodes.get_or_insert_with(terminal, || {
                let at = self.graph.terminals[terminal as usize].at;
                let straight = nearest_f32(at.distance_squared(goal.at).sqrt() * least);
                let rest = straight.max(self.landmarks.least(terminal, &marks));
                Node { parent, length: f32::INFINITY, rest, closed: false }
            });
            if !node.closed && length < node.length {
                (node.parent, node.length) = (parent, length);
                open.push(Reverse(((length + node.rest).to_bits(), terminal)));
            }
        };
        for terminal in self.exits(from).filter(|&terminal| self.graph.terminals[terminal as usize].exits) {
            let length = self.reached(terminal, start.polygon).distance(start.at, first);
            offer(nodes, open, terminal, GOAL, length);
        }
        while let Some(Reverse((estimate, terminal))) = open.pop() {
            if f32::from_bits(estimate) >= best.0 {
                break;
            }
            let Some(node) = nodes.get_mut(terminal) else { continue };
            if std::mem::replace(&mut node.closed, true) {
                continue;
            }
            let here = &self.graph.terminals[terminal as usize];
            let mate = &self.graph.terminals[here.mate as usize];
            let length = node.length;
            if mate.cluster == to {
                let rest = self.reached(here.mate, goal.polygon).distance(goal.at, last);
                let whole = length + here.cost + rest;
                if whole < best.0 {
                    best = (whole, terminal);
                }
            }
            self.graph.beyond(terminal, |other, more| offer(nodes, open, other, terminal, length + more));
        }
        let mut terminal = best.1;
        while terminal != GOAL {
            chain.push(terminal);
            terminal = nodes.get(terminal).map_or(GOAL, |node| node.parent);
        }
        chain.reverse();
        !chain.is_empty()
    }

    /// The paths crossed from end to end, from the tables, into `scratch.steps`.
    fn put_together(&self, mesh: &NavMesh, [start, goal]: [&Spot; 2], scratch: &mut HierarchyScratch) {
        let HierarchyScratch { chain, steps, .. } = scratch;
        steps.clear();
        let mut arrived: Option<u32> = None;
        for &terminal in chain.iter() {
            let here = &self.graph.terminals[terminal as usize];
            match arrived {
                // Towards the terminal: its paths are taken back.
                None => steps.extend(self.crossings(mesh, terminal, start.polygon).map(|crossing| {
                    let crossing = mesh.reversed(crossing);
                    Step { crossing, along: ALONG }
                })),
                Some(mate) => self.append(mesh, mate, here.polygon, steps),
            }
            steps.push(Step { crossing: here.id, along: ALONG });
            arrived = Some(here.mate);
        }
        if let Some(mate) = arrived {
            self.append(mesh, mate, goal.polygon, steps);
        }
    }

    /// Adds the paths from a terminal to a polygon of its cluster.
    fn append(&self, mesh: &NavMesh, terminal: u32, polygon: u32, steps: &mut Vec<Step>) {
        let first = steps.len();
        steps.extend(self.crossings(mesh, terminal, polygon).map(|crossing| Step { crossing, along: ALONG }));
        steps[first..].reverse();
    }

    /// Returns the crossings of the path from a terminal to a polygon of its cluster, last first.
    fn crossings(&self, mesh: &NavMesh, terminal: u32, mut polygon: u32) -> impl Iterator<Item = u32> {
        std::iter::from_fn(move || {
            let crossing = Some(self.reached(terminal, polygon).crossing).filter(|&at| at != NOT_REACHED)?;
            polygon = mesh.beyond(mesh.reversed(crossing));
            Some(crossing)
        })
    }
}

/// Cuts loops out of `scratch.steps` and puts them where a search would leave them.
fn cut_loops(mesh: &NavMesh, start: u32, scratch: &mut HierarchyScratch, paths: &mut PathScratch) {
    let HierarchyScratch { steps, next, polygons, .. } = scratch;
    mesh.cut_loops(start, steps, next, polygons, paths);
    mesh.put_steps(steps, paths);
}

/// Straightens bends that no wall causes: replaces each by the shortest path between the corners
/// before and after it.
fn straighten<U: PolygonFilter>(
    mesh: &NavMesh,
    [start, goal]: [&Spot; 2],
    usable: &U,
    scratch: &mut HierarchyScratch,
    paths: &mut PathScratch,
) {
    for _ in 0..PASSES {
        if mesh.slide_links([start, goal], paths) {
            scratch.steps.clear();
            mesh.append_steps(paths, &mut scratch.steps);
        }
        mesh.string_turns([start, goal], &scratch.polygons, paths, &mut scratch.turns);
        scratch.next.clear();
        let (mut kept, mut any) = (0, false);
        let mut index = 1;
        while index + 1 < scratch.turns.len() {
            let [before, turn, after] = [index - 1, index, index + 1].map(|index| scratch.turns[index]);
            if may_turn(mesh, scratch.polygons[turn.crossed].0, turn) {
                index += 1;
                continue;
            }
            let length =
                before.at.distance_squared(turn.at).sqrt() + turn.at.distance_squared(after.at).sqrt();
            let ends = [&before, &after].map(|turn| mesh.spot_at(scratch.polygons[turn.crossed].0, turn.at));
            let limit = length * (1.0 - 1e-9);
            let mut nodes = WINDOW_NODES + 2 * (after.crossed - before.crossed);
            mesh.begin_shortest([&ends[0], &ends[1]], limit, false, usable, paths);
            let found = mesh.advance_shortest(&ends[1], limit, usable, paths, &mut nodes);
            if found == Progress::Found {
                let HierarchyScratch { steps, next, .. } = scratch;
                next.extend_from_slice(&steps[kept..before.crossed]);
                mesh.append_steps(paths, next);
                (kept, any) = (after.crossed, true);
                index += 2;
            } else {
                index += 1;
            }
        }
        let HierarchyScratch { steps, next, .. } = scratch;
        next.extend_from_slice(&steps[kept..]);
        std::mem::swap(steps, next);
        cut_loops(mesh, start.polygon, scratch, paths);
        if !any {
            break;
        }
    }
}

/// Returns `true` if a shortest path may turn here.
fn may_turn(mesh: &NavMesh, polygon: u32, turn: Turn) -> bool {
    mesh.edge_range(polygon as usize).any(|corner| {
        let at = &mesh.topology.corners[corner];
        let fan = to_u32(corner);
        crate::geometry::plan::PlanPosition::on_grid(at.x, at.z) == turn.at && mesh.topology.fans.fan(fan).1
    })
}
