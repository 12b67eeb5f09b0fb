//! Polyanya: the shortest path, by A* over cones of sight.
//!
//! A node is a cone: a root, where the path so far ends, and the part of an edge that is seen from
//! it between two rays. Opened, it sees parts of the other edges of the polygon beyond; and where a
//! ray touches a corner that a path may turn round, that corner becomes a root. The estimate of a
//! cone is the shortest path from its root through its part of the edge to the goal, as if
//! there were no walls behind: never too long, so that the first path to arrive is the shortest.
//!
//! Rays are kept as pairs of points of the lattice, never as places where they cross an edge: every
//! test on which side something lies is exact, and only lengths are rounded.
//!
//! # References
//! Cui, Harabor and Grastien 2017, Compromise-free pathfinding on a navigation mesh, <https://doi.org/10.24963/ijcai.2017/70>.

mod cone;
pub(crate) mod leg;
mod turn;

use waymesh_core::{checkpoint_every, nearest_f32, to_u32};

use super::funnel::Turn;
use super::ground::Profile;
use super::portal::{ahead, is_straight, nearest_between, turn_length};
use super::progress::Progress;
use super::queue::Queue;
use crate::geometry::plan::{PlanPosition, is_between};
use crate::locate::error::QueryError;
use crate::locate::nearest::Spot;
use crate::mesh::bounds::NO_NEIGHBOUR;
use crate::mesh::crossings::Portal;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::link::LINK_PLACES;
use crate::mesh::nav_mesh::NavMesh;
use crate::mesh::oracle::{Site, SitePlace};

/// No node, and no turn.
const NO_INDEX: u32 = u32::MAX;

// Special crossings of nodes.
/// The goal is reached.
const FINAL: u32 = u32::MAX - 1;
/// The path turns right round its root.
const TURN_RIGHT: u32 = u32::MAX - 2;
/// The path turns left round its root.
const TURN_LEFT: u32 = u32::MAX - 3;
/// The start.
const START: u32 = u32::MAX - 4;

/// Limit of nodes for queries of everything within reach: two gigabytes at most.
pub(crate) const MOST_FLOODED: usize = 1 << 24;

/// Steps round one vertex: only a mesh that winds about a point over and over has more.
pub(super) const MOST_STEPS: usize = 100_000;

/// Two lengths that differ by less are one: what rounding adds to a path of a thousand turns.
pub(crate) const LENGTH_TOLERANCE: f64 = 1e-12;

/// Memory of the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct AnyAngle {
    nodes: Vec<Node>,
    roots: Vec<Root>,
    /// Estimate and number of each open node.
    open: Queue<(u64, u32)>,
    /// Number of the current search.
    stamp: u32,
    /// Shortest path found to each place that paths turn at, and each place of a link.
    turns: Vec<Turned>,
    /// Numbers of the parts of turns that a filter splits, by the turn and a polygon of the part;
    /// sorted.
    parts: Vec<([u32; 2], u32)>,
    /// Polygons that meet in a point, and the nodes that lead to them.
    touching: Vec<(u32, u32)>,
    /// Parts of polygons that a flood has seen.
    pub(crate) seen: Vec<Seen>,
    /// Turns that one leg leads to, with the lengths to there.
    pub(crate) led: Vec<(u32, f64)>,
    /// Turns that the path is known to take, and where a cone must lead for each; at last the goal.
    /// Empty if nothing is known.
    guide: Vec<(u32, PlanPosition)>,
    /// Turns of the path: roots of its cones, some of them collinear with the path.
    pub(super) string: Vec<Turn>,
    /// `true` if legs count as long as the ground under them is.
    rises: bool,
    /// The crossings of a leg.
    crossed: Vec<(u32, u32)>,
    profile: Profile,
}

/// A place that a path has turned at.
#[derive(Clone, Copy, Debug, Default)]
struct Turned {
    stamp: u32,
    /// Bit 0: to the right. Bit 1: to the left.
    sides: u32,
    length: f64,
}

/// Current end of a path.
#[derive(Clone, Copy, Debug)]
struct Root {
    at: PlanPosition,
    /// In cells.
    length: f64,
    turn: u32,
    /// Number of known turns on the path to there.
    guided: u32,
    /// Height at the root, in levels. Only floods use this field and the next.
    height: f32,
    /// The length in space of the chain of roots to there, in metres.
    space: f64,
}

impl Root {
    fn at_start(at: PlanPosition, height: f32) -> Self {
        Self { at, length: 0.0, turn: NO_INDEX, guided: 0, height, space: 0.0 }
    }
}

#[derive(Clone, Copy, Debug)]
struct Node {
    /// The rays from the root; of a turn, `right` is the ray that bounds it.
    right: PlanPosition,
    left: PlanPosition,
    root: u32,
    parent: u32,
    /// Crossing into `polygon`, or the kind of the node.
    crossing: u32,
    polygon: u32,
}

impl Node {
    /// Returns the node of the first root, in a polygon that it lies in.
    fn at_start(at: PlanPosition, polygon: u32) -> Self {
        Self { right: at, left: at, root: 0, parent: NO_INDEX, crossing: START, polygon }
    }
}

/// Polygon that a path has come to, by a node with this root.
#[derive(Clone, Copy, Debug)]
struct Stand {
    node: u32,
    root: u32,
    polygon: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Right,
    Left,
}

/// Bound of the visible part of a polygon, besides its edges.
#[derive(Clone, Copy, Debug)]
enum Bound {
    None,
    /// Right of this point, or straight behind it.
    RightOf(PlanPosition),
    LeftOf(PlanPosition),
}

struct Search<'a, F, const FLOOD: bool> {
    mesh: &'a NavMesh,
    filter: &'a F,
    goal: &'a Spot,
    goal_number: u32,
    memory: &'a mut AnyAngle,
    /// Paths longer than this are of no use, in cells.
    limit: f64,
    /// `true` if paths end at their first turn or link.
    is_one_leg: bool,
}

/// The part of a polygon that is visible from a turn of paths: all, or between two rays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) polygon: u32,
    pub(crate) root: PlanPosition,
    /// Length of the path to the root, in cells.
    pub(crate) length: f64,
    /// Shortest path to the part of the polygon that is seen, in cells.
    pub(crate) nearest: f64,
    pub(crate) rays: Option<[PlanPosition; 2]>,
    /// Height of the root, in levels.
    pub(crate) height: f32,
    /// Length in space of the path to the root, in metres.
    pub(crate) space: f64,
}

impl NavMesh {
    /// Everything that paths of at most `limit` cells see from `start`, into `memory.seen`,
    /// nearest first. Links that lead one way only are not taken.
    ///
    /// # Errors
    /// [`QueryError::TooMuchSeen`] if that takes more than `most` nodes.
    pub(crate) fn flood_shortest<F: PolygonFilter>(
        &self,
        start: &Spot,
        limit: f64,
        most: usize,
        filter: &F,
        memory: &mut AnyAngle,
    ) -> Result<(), QueryError> {
        memory.begin(self.turn_count());
        memory.seen.clear();
        let nowhere = Spot { polygon: NO_NEIGHBOUR, ..*start };
        let mut search: Search<'_, F, true> =
            Search { mesh: self, filter, goal: &nowhere, goal_number: 0, memory, limit, is_one_leg: false };
        search.begin(start);
        let mut nodes = most;
        match search.advance(&mut nodes).0 {
            Progress::Running => Err(QueryError::TooMuchSeen { nodes: most }),
            _ => Ok(()),
        }
    }

    /// Begins a search over cones for [`NavMesh::advance_cones`].
    pub(super) fn begin_cones(
        &self,
        [start, goal]: [&Spot; 2],
        limit: f64,
        rises: bool,
        filter: &impl PolygonFilter,
        memory: &mut AnyAngle,
    ) {
        memory.begin(self.turn_count());
        memory.rises = rises;
        Search::towards(self, goal, limit, filter, memory).begin(start);
    }

    /// Begins a search over cones that takes only these turns.
    pub(super) fn guide_cones(
        &self,
        [start, goal]: [&Spot; 2],
        sites: &[Site],
        filter: &impl PolygonFilter,
        memory: &mut AnyAngle,
    ) {
        memory.begin(self.turn_count());
        memory.guide.extend(sites.iter().filter_map(|site| Some((self.turn_of(site)?, site.at))));
        memory.guide.push((NO_INDEX, goal.at));
        Search::towards(self, goal, f64::INFINITY, filter, memory).begin(start);
    }

    /// Continues a search over cones by at most `nodes` nodes, and subtracts the opened ones. Adds the
    /// crossings of the path that it finds, and the places at which it takes links.
    pub(super) fn advance_cones(
        &self,
        goal: &Spot,
        limit: f64,
        filter: &impl PolygonFilter,
        memory: &mut AnyAngle,
        nodes: &mut usize,
        (corridor, link_places): (&mut Vec<u32>, &mut Vec<f64>),
    ) -> Progress {
        let mut search = Search::towards(self, goal, limit, filter, memory);
        let (progress, mut node) = search.advance(nodes);
        if progress != Progress::Found {
            return progress;
        }
        memory.string.clear();
        let mut root = memory.nodes[node as usize].root;
        let mut has_landed = false;
        while node != NO_INDEX {
            let Node { crossing, parent, right, root: seen_from, .. } = memory.nodes[node as usize];
            if seen_from != root {
                // The landing of a link is no turn.
                if !has_landed {
                    memory.string.push(Turn { at: memory.roots[root as usize].at, crossed: corridor.len() });
                }
                root = seen_from;
            }
            has_landed = crossing < START && !self.is_crossed(crossing);
            if crossing < START {
                corridor.push(crossing);
                if crossing as usize >= self.topology.neighbours.len() {
                    link_places.push(right.x);
                }
            }
            node = parent;
        }
        corridor.reverse();
        link_places.reverse();
        // Counts were made from the goal.
        memory.string.iter_mut().for_each(|turn| turn.crossed = corridor.len() - turn.crossed);
        memory.string.reverse();
        progress
    }

    /// Returns the distance in space of two places, with their heights in levels; in metres.
    pub(crate) fn space_between(&self, from: (PlanPosition, f32), to: (PlanPosition, f32)) -> f64 {
        let rise = f64::from(to.1 - from.1) * f64::from(self.frame.level_height);
        let run = turn_length(from.0, to.0) * f64::from(self.frame.cell_size);
        (run * run + rise * rise).sqrt()
    }

    /// Fans and the ends of links, then the places of all paths over links.
    pub(crate) fn turn_count(&self) -> usize {
        self.first_link_turn() as usize + self.links.links.len() * 2 * LINK_PLACES as usize
    }

    pub(crate) fn link_turn(&self, leaving: u32, place: u32) -> u32 {
        self.first_link_turn() + leaving * LINK_PLACES + place
    }

    /// Returns the number of the turn at a site.
    pub(crate) fn turn_of(&self, site: &Site) -> Option<u32> {
        Some(match site.place {
            SitePlace::Corner { polygon } => {
                let corner = self.edge_range(polygon as usize).start + self.corner_of(polygon, site.at)?;
                self.links.turns.of_fan(self.topology.fans.fan(to_u32(corner)).0).0
            }
            SitePlace::End { link, is_to, number } => {
                self.links.turns.of_end(self.links.find(link)?, is_to, number).0
            }
            SitePlace::Link { link, backwards, place } => {
                self.link_turn(2 * self.links.find(link)?.0 + u32::from(backwards), place)
            }
        })
    }

    /// Returns the number of turns that are no places of links.
    pub(crate) fn first_link_turn(&self) -> u32 {
        self.links.turns.count(self.topology.fans.count())
    }
}

impl AnyAngle {
    /// Returns `true` if the last search counted rises.
    pub(super) fn rises(&self) -> bool {
        self.rises
    }

    fn begin(&mut self, turns: usize) {
        if self.stamp == u32::MAX {
            self.turns.clear();
            self.stamp = 0;
        }
        self.stamp += 1;
        self.turns.truncate(self.turns.len() - self.parts.len());
        self.parts.clear();
        if self.turns.len() < turns {
            self.turns.resize(turns, Turned::default());
        }
        self.forget_nodes();
        self.roots.clear();
        self.rises = false;
        self.guide.clear();
    }

    fn forget_nodes(&mut self) {
        self.nodes.clear();
        self.open.clear();
    }

    /// Forgets the last search. Returns the memory for the turns of a path that is found without one.
    pub(super) fn take_string(&mut self) -> &mut Vec<Turn> {
        self.forget_nodes();
        self.string.clear();
        &mut self.string
    }

    /// Appends the polygons that the last search looked into, some more than once.
    pub(super) fn searched(&self, polygons: &mut Vec<u32>) {
        let mut is_open = vec![false; self.nodes.len()];
        for &(_, node) in self.open.keys() {
            if let Some(is_open) = is_open.get_mut(!node as usize) {
                *is_open = true;
            }
        }
        let closed = self.nodes.iter().zip(is_open).filter(|(_, is_open)| !is_open);
        polygons.extend(closed.map(|(node, _)| node.polygon));
    }

    /// Returns `true` if a path of this length to a turn on this side is worth following: the
    /// shortest so far, the first of those.
    fn improves(&mut self, turn: u32, side: u32, length: f64) -> bool {
        let known = &mut self.turns[turn as usize];
        if known.stamp != self.stamp || length < known.length * (1.0 - LENGTH_TOLERANCE) {
            *known = Turned { stamp: self.stamp, sides: side, length };
            return true;
        }
        let is_new = known.sides & side == 0 && length <= known.length * (1.0 + LENGTH_TOLERANCE);
        known.sides |= if is_new { side } else { 0 };
        is_new
    }

    /// Returns the number of a part of a turn, after those of the mesh.
    fn part(&mut self, turn: u32, polygon: u32) -> u32 {
        let place = self.parts.binary_search_by_key(&[turn, polygon], |&(part, _)| part);
        let place = place.unwrap_or_else(|place| {
            self.parts.insert(place, ([turn, polygon], to_u32(self.turns.len())));
            self.turns.push(Turned::default());
            place
        });
        self.parts[place].1
    }

    /// Returns `true` if a path that is no longer than this leads to a turn.
    fn is_reached(&self, turn: u32, length: f64) -> bool {
        let known = &self.turns[turn as usize];
        known.stamp == self.stamp && known.length <= length
    }

    /// Returns `true` if a shorter path to a root was found since.
    #[inline]
    fn is_outdone(&self, root: &Root) -> bool {
        root.turn != NO_INDEX
            && self.turns[root.turn as usize].length < root.length * (1.0 - LENGTH_TOLERANCE)
    }
}

impl<'a, F> Search<'a, F, false> {
    fn towards(
        mesh: &'a NavMesh,
        goal: &'a Spot,
        limit: f64,
        filter: &'a F,
        memory: &'a mut AnyAngle,
    ) -> Self {
        let goal_number = mesh.topology.bridges.number(goal.polygon);
        Self { mesh, filter, goal, goal_number, memory, limit, is_one_leg: false }
    }
}

impl<F: PolygonFilter, const FLOOD: bool> Search<'_, F, FLOOD> {
    fn begin(&mut self, start: &Spot) {
        self.memory.roots.push(Root::at_start(start.at, nearest_f32(start.height)));
        let first = self.keep(Node::at_start(start.at, start.polygon));
        self.open_around(first);
    }

    /// Opens nodes, as many as `nodes` has, until one reached the goal.
    fn advance(&mut self, nodes: &mut usize) -> (Progress, u32) {
        while *nodes > 0 {
            checkpoint_every(1 << 12, *nodes);
            *nodes -= 1;
            let Some((_, node)) = self.memory.open.pop() else { return (Progress::Nowhere, NO_INDEX) };
            let node = !node;
            let Node { root, crossing, .. } = self.memory.nodes[node as usize];
            if crossing == FINAL {
                return (Progress::Found, node);
            }
            if self.memory.is_outdone(&self.memory.roots[root as usize]) {
                continue;
            }
            match crossing {
                TURN_RIGHT | TURN_LEFT if self.is_one_leg => self.end_leg(root),
                // A path that is shortest on the ground may turn away from a corner.
                TURN_RIGHT | TURN_LEFT if self.memory.rises => self.open_around(node),
                TURN_RIGHT => self.turn(node, Side::Right),
                TURN_LEFT => self.turn(node, Side::Left),
                _ if (crossing as usize) < self.mesh.topology.neighbours.len() => self.expand(node),
                _ if self.mesh.is_crossed(crossing) => self.expand_through_link(node),
                _ if self.is_one_leg => self.end_leg(root),
                _ => self.open_around(node),
            }
        }
        (Progress::Running, NO_INDEX)
    }

    fn end_leg(&mut self, root: u32) {
        let Root { turn, length, .. } = self.memory.roots[root as usize];
        self.memory.led.push((turn, length));
    }

    /// Returns the next known turn of a path from a root, and where a cone must lead for it.
    #[inline]
    fn known_turn(&self, root: u32) -> Option<(u32, PlanPosition)> {
        // Checked first: most searches know nothing.
        if self.memory.guide.is_empty() {
            return None;
        }
        self.memory.guide.get(self.memory.roots[root as usize].guided as usize).copied()
    }

    /// Returns the number of known turns after a turn that the path from a root takes; `None` if it may
    /// not. It may turn on the straight line to the next known one, to come into another polygon there.
    #[inline]
    fn after_turn(&self, root: u32, turn: u32, at: PlanPosition) -> Option<u32> {
        let Root { at: from, guided, .. } = self.memory.roots[root as usize];
        match self.known_turn(root) {
            None => Some(0),
            Some((known, _)) if known == turn => Some(guided + 1),
            Some((_, target)) => (is_straight(from, at, target) || at == target).then_some(guided),
        }
    }

    /// Returns the height of a place in a polygon, and the length in space of the path to there over a
    /// root.
    fn rise(&self, from: &Root, polygon: u32, at: PlanPosition) -> (f32, f64) {
        if !FLOOD {
            return (0.0, 0.0);
        }
        let height = nearest_f32(self.mesh.height_at(polygon as usize, at));
        (height, from.space + self.mesh.space_between((from.at, from.height), (at, height)))
    }

    fn keep(&mut self, node: Node) -> u32 {
        self.memory.nodes.push(node);
        to_u32(self.memory.nodes.len() - 1)
    }

    /// Opens a node.
    #[inline]
    fn offer(&mut self, node: Node, estimate: f64) {
        if estimate > self.limit {
            return;
        }
        let node = self.keep(node);
        // Positive floats sort like their bits; of equal ones the newest is first.
        self.memory.open.push((estimate.to_bits(), !node));
    }

    /// Returns `true` if a path out of `polygon` can be of use.
    #[inline]
    fn is_open(&self, polygon: u32, crossing: u32) -> Option<u32> {
        let neighbour = self.mesh.open_crossing(polygon, crossing, self.filter)?;
        let is_edge = (crossing as usize) < self.mesh.topology.neighbours.len();
        if FLOOD && !self.is_one_leg && !is_edge && !self.mesh.link_at(crossing).both_ways {
            return None;
        }
        (FLOOD
            || !is_edge
            || self.mesh.topology.bridges.leads_to(self.goal_number, crossing, polygon, neighbour))
        .then_some(neighbour)
    }

    #[inline]
    fn corner(&self, corner: usize) -> PlanPosition {
        self.mesh.corner_at(corner)
    }

    fn is_visible(&self, node: &Node, at: PlanPosition) -> bool {
        let root = self.memory.roots[node.root as usize].at;
        is_between(root, [node.right, node.left], at)
    }

    fn arrive(&mut self, parent: u32, root: u32) {
        if self.known_turn(root).is_some_and(|(known, _)| known != NO_INDEX) {
            return;
        }
        let goal = self.goal.at;
        let estimate = self.memory.roots[root as usize].length + self.leg(parent, root, goal);
        let node =
            Node { right: goal, left: goal, root, parent, crossing: FINAL, polygon: self.goal.polygon };
        self.offer(node, estimate);
    }

    /// Returns the length of the straight line from a root to a place in the polygon of a node that is
    /// seen from it, in cells.
    fn leg(&mut self, mut node: u32, root: u32, to: PlanPosition) -> f64 {
        let from = self.memory.roots[root as usize].at;
        if !self.memory.rises {
            return turn_length(from, to);
        }
        let AnyAngle { nodes, crossed, profile, .. } = &mut *self.memory;
        crossed.clear();
        let first = loop {
            let Node { crossing, parent, polygon, .. } = nodes[node as usize];
            if crossing >= START || !self.mesh.is_crossed(crossing) {
                break polygon;
            }
            crossed.push((crossing, polygon));
            node = parent;
        };
        let crossings = crossed.iter().rev().copied();
        self.mesh.ground_length([from, to], first, crossings, profile) / f64::from(self.mesh.frame.cell_size)
    }

    /// Returns what a root is beyond a crossing: another one at the same place, if crossing costs.
    #[inline]
    fn beyond(&mut self, root: u32, crossing: u32) -> u32 {
        if (crossing as usize) < self.mesh.topology.neighbours.len() {
            return root;
        }
        let link = self.mesh.link_at(crossing);
        if link.extra_cost <= 0.0 {
            return root;
        }
        let from = self.memory.roots[root as usize];
        let length = from.length + f64::from(link.extra_cost) / f64::from(self.mesh.frame.cell_size);
        let paid = to_u32(self.memory.roots.len());
        self.memory.roots.push(Root { length, turn: NO_INDEX, ..from });
        paid
    }

    /// Opens a cone over a portal that is crossed between two rays.
    #[inline]
    fn cross(&mut self, from: Stand, portal: &Portal, rays: [PlanPosition; 2]) {
        if let Some((_, target)) = self.known_turn(from.root)
            && !is_between(self.memory.roots[from.root as usize].at, rays, target)
        {
            return;
        }
        let Some(polygon) = self.is_open(from.polygon, portal.crossing) else { return };
        let root = self.beyond(from.root, portal.crossing);
        let Root { at, length, .. } = self.memory.roots[root as usize];
        let [right, left] = rays;
        let estimate = length
            + if FLOOD {
                nearest_between(at, right, left, portal)
            } else {
                ahead(at, right, left, portal, self.goal.at)
            };
        let crossing = portal.crossing;
        self.offer(Node { right, left, root, parent: from.node, crossing, polygon }, estimate);
    }
}
