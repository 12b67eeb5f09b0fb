//! Polyanya: the shortest way of all, by A* over cones of sight.
//!
//! A node is a cone: a root, where the way so far ends, and the part of an edge that is seen from it between two rays. Opened, it
//! sees parts of the other edges of the cell beyond; and where a ray touches a corner that a way may turn round, that corner
//! becomes a root. The estimate of a cone is the shortest way from its root through its part of the edge to the goal, as if
//! there were no walls behind: never too long, so that the first way to arrive is the shortest.
//!
//! Rays are kept as pairs of points of the lattice, never as places where they cross an edge: every test on which side something
//! lies is exact, and only lengths are rounded.
//!
//! # References
//! Cui, Harabor and Grastien 2017, Compromise-free pathfinding on a navigation mesh, <https://doi.org/10.24963/ijcai.2017/70>.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use waymesh_core::CellId;

use super::PathScratch;
use super::gate::{Gate, ahead, beyond, is_before, nearest_between, turn_length};
use super::sliced::Progress;
use crate::data::NO_NEIGHBOUR;
use crate::filter::CellFilter;
use crate::links::LEAP_PLACES;
use crate::mesh::NavMesh;
use crate::nearest::Spot;
use crate::plan::{PlanPosition, orientation};

/// No node, and no turn.
const NONE: u32 = u32::MAX;

// Nodes that cross nothing, by what stands for their way.
/// The goal is reached.
const FINAL: u32 = u32::MAX - 1;
/// The way turns right round its root.
const TURN_RIGHT: u32 = u32::MAX - 2;
/// The way turns left round its root.
const TURN_LEFT: u32 = u32::MAX - 3;
/// The start.
const START: u32 = u32::MAX - 4;

/// Steps round one vertex: only a mesh that winds about a point over and over has more.
const MOST_STEPS: usize = 100_000;

/// Two lengths that differ by less are one: what rounding adds to a way of a thousand turns.
const SAME: f64 = 1e-12;

/// What the search writes.
#[derive(Clone, Debug, Default)]
pub(crate) struct AnyAngle {
    nodes: Vec<Node>,
    roots: Vec<Root>,
    open: BinaryHeap<Reverse<(u64, u32)>>,
    /// The first open node, if it is not in the heap.
    best: (u64, u32),
    /// Number of the current search.
    stamp: u32,
    /// Shortest way found to each fan of corners, each place of a link and each end of one.
    turns: Vec<Turned>,
    /// Cells that meet in a point, and the nodes that lead to them.
    touching: Vec<(u32, u32)>,
    /// What a flood has seen.
    pub(crate) seen: Vec<Seen>,
}

/// A place that a way has turned at.
#[derive(Clone, Copy, Debug, Default)]
struct Turned {
    stamp: u32,
    /// Bit 0: to the right. Bit 1: to the left.
    sides: u32,
    length: f64,
}

/// Where a way ends so far.
#[derive(Clone, Copy, Debug)]
struct Root {
    at: PlanPosition,
    /// In cells.
    length: f64,
    turn: u32,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    /// The rays from the root; of a turn, `right` is the ray that bounds it.
    right: PlanPosition,
    left: PlanPosition,
    root: u32,
    parent: u32,
    /// What is crossed into `cell`, or what kind of node it is.
    way: u32,
    cell: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Right,
    Left,
}

/// What a look into a cell may see, besides what its edges hide.
#[derive(Clone, Copy, Debug)]
enum Bound {
    None,
    /// What is right of this point, or straight behind it.
    RightOf(PlanPosition),
    LeftOf(PlanPosition),
}

struct Search<'a, F, const FLOOD: bool> {
    mesh: &'a NavMesh,
    filter: &'a F,
    goal: &'a Spot,
    goal_number: u32,
    memory: &'a mut AnyAngle,
    /// Ways longer than this are of no use, in cells.
    limit: f64,
}

/// What is seen of a cell from a place that ways turn at: all, or what lies between two rays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) cell: u32,
    pub(crate) root: PlanPosition,
    /// Length of the way to the root, in cells.
    pub(crate) length: f64,
    /// Shortest way to the part of the cell that is seen, in cells.
    pub(crate) nearest: f64,
    pub(crate) rays: Option<[PlanPosition; 2]>,
}

const NO_KEY: (u64, u32) = (u64::MAX, u32::MAX);

impl NavMesh {
    /// Everything that ways of at most `limit` cells see from `start`, into `memory.seen`, nearest first. Links that lead one way only are
    /// not taken.
    pub(crate) fn flood_shortest<F: CellFilter>(
        &self,
        start: &Spot,
        limit: f64,
        filter: &F,
        memory: &mut AnyAngle,
    ) {
        memory.begin(self.turn_count());
        memory.seen.clear();
        let nowhere = Spot { cell: NO_NEIGHBOUR, ..*start };
        let mut search: Search<'_, F, true> =
            Search { mesh: self, filter, goal: &nowhere, goal_number: 0, memory, limit };
        search.begin(start);
        let mut nodes = usize::MAX;
        search.advance(&mut nodes);
    }

    /// Searches the shortest way from `start` to `goal` and leaves the edges and links that it crosses in `scratch.corridor`.
    /// Whether there is a way.
    pub(super) fn search_shortest<F: CellFilter>(
        &self,
        start: &Spot,
        goal: &Spot,
        filter: &F,
        scratch: &mut PathScratch,
    ) -> bool {
        self.search_shortest_within(start, goal, f64::INFINITY, filter, scratch)
    }

    /// As [`NavMesh::search_shortest`], for ways no longer than `limit`, in cells.
    pub(crate) fn search_shortest_within<F: CellFilter>(
        &self,
        start: &Spot,
        goal: &Spot,
        limit: f64,
        filter: &F,
        scratch: &mut PathScratch,
    ) -> bool {
        self.begin_shortest(start, goal, limit, filter, scratch);
        let mut nodes = usize::MAX;
        self.advance_shortest(start, goal, limit, filter, scratch, &mut nodes) == Progress::Found
    }

    /// Begins what [`NavMesh::advance_shortest`] goes on with.
    pub(crate) fn begin_shortest<F: CellFilter>(
        &self,
        start: &Spot,
        goal: &Spot,
        limit: f64,
        filter: &F,
        scratch: &mut PathScratch,
    ) {
        scratch.corridor.clear();
        scratch.leaps.clear();
        scratch.is_straight = start.cell == goal.cell
            || (turn_length(start.at, goal.at) <= limit && self.goes_straight(start, goal, filter, scratch));
        if scratch.is_straight {
            return;
        }
        let memory = &mut scratch.any_angle;
        memory.begin(self.turn_count());
        let goal_number = self.bridges.number(goal.cell);
        let mut search: Search<'_, F, false> =
            Search { mesh: self, filter, goal, goal_number, memory, limit };
        search.begin(start);
    }

    /// Goes on with a search, for as many nodes as `nodes` has, and takes them from it.
    pub(crate) fn advance_shortest<F: CellFilter>(
        &self,
        start: &Spot,
        goal: &Spot,
        limit: f64,
        filter: &F,
        scratch: &mut PathScratch,
        nodes: &mut usize,
    ) -> Progress {
        if scratch.is_straight {
            return Progress::Found;
        }
        let PathScratch { corridor, leaps, any_angle: memory, .. } = scratch;
        let goal_number = self.bridges.number(goal.cell);
        let mut search: Search<'_, F, false> =
            Search { mesh: self, filter, goal, goal_number, memory, limit };
        let (progress, mut node) = search.advance(nodes);
        if progress != Progress::Found {
            return progress;
        }
        while node != NONE {
            let Node { way, parent, right, .. } = memory.nodes[node as usize];
            if way < START {
                corridor.push(way);
                if way as usize >= self.neighbours.len() {
                    leaps.push(right.x);
                }
            }
            node = parent;
        }
        corridor.reverse();
        leaps.reverse();
        Progress::Found
    }

    /// Fans, then the places of all ways over links, then the ends of all links.
    fn turn_count(&self) -> usize {
        self.fans.count() as usize + self.links.links.len() * 2 * (LEAP_PLACES as usize + 1)
    }

    fn leap_turn(&self, leaving: u32, place: u32) -> u32 {
        self.fans.count() + leaving * LEAP_PLACES + place
    }

    #[expect(clippy::cast_possible_truncation, reason = "ways fit 32 bits")]
    fn end_turn(&self, link: u32, end: u32) -> u32 {
        self.fans.count() + self.links.links.len() as u32 * 2 * LEAP_PLACES + link * 2 + end
    }
}

impl AnyAngle {
    fn begin(&mut self, turns: usize) {
        if self.stamp == u32::MAX {
            self.turns.clear();
            self.stamp = 0;
        }
        self.stamp += 1;
        if self.turns.len() < turns {
            self.turns.resize(turns, Turned::default());
        }
        self.nodes.clear();
        self.roots.clear();
        self.open.clear();
        self.best = NO_KEY;
    }

    /// Whether a way of this length to a turn on this side is worth following: the shortest so far, the first of those.
    fn claims(&mut self, turn: u32, side: u32, length: f64) -> bool {
        let known = &mut self.turns[turn as usize];
        if known.stamp != self.stamp || length < known.length * (1.0 - SAME) {
            *known = Turned { stamp: self.stamp, sides: side, length };
            return true;
        }
        let is_new = known.sides & side == 0 && length <= known.length * (1.0 + SAME);
        known.sides |= if is_new { side } else { 0 };
        is_new
    }

    /// Whether a shorter way to a root was found since.
    #[inline]
    fn is_outdone(&self, root: &Root) -> bool {
        root.turn != NONE && self.turns[root.turn as usize].length < root.length * (1.0 - SAME)
    }
}

impl<F: CellFilter, const FLOOD: bool> Search<'_, F, FLOOD> {
    fn begin(&mut self, start: &Spot) {
        self.memory.roots.push(Root { at: start.at, length: 0.0, turn: NONE });
        let node =
            Node { right: start.at, left: start.at, root: 0, parent: NONE, way: START, cell: start.cell };
        let first = self.keep(node);
        self.look_around(first);
    }

    /// Opens nodes, as many as `nodes` has, until one reached the goal.
    fn advance(&mut self, nodes: &mut usize) -> (Progress, u32) {
        while *nodes > 0 {
            *nodes -= 1;
            let Some(node) = self.next() else { return (Progress::Nowhere, NONE) };
            let Node { root, way, .. } = self.memory.nodes[node as usize];
            if way == FINAL {
                return (Progress::Found, node);
            }
            if self.memory.is_outdone(&self.memory.roots[root as usize]) {
                continue;
            }
            match way {
                TURN_RIGHT => self.turn(node, Side::Right),
                TURN_LEFT => self.turn(node, Side::Left),
                _ if (way as usize) < self.mesh.neighbours.len() => self.expand(node),
                _ if self.mesh.links.is_portal(self.mesh.link_of(way).0) => self.expand_through_link(node),
                _ => self.look_around(node),
            }
        }
        (Progress::Running, NONE)
    }

    #[expect(clippy::cast_possible_truncation, reason = "limited by what memory holds: 48 bytes a node")]
    fn keep(&mut self, node: Node) -> u32 {
        self.memory.nodes.push(node);
        self.memory.nodes.len() as u32 - 1
    }

    /// Opens a node.
    #[inline]
    fn offer(&mut self, node: Node, estimate: f64) {
        if estimate > self.limit {
            return;
        }
        let node = self.keep(node);
        // Positive floats sort like their bits; of equal ones the newest is first.
        let key = (estimate.to_bits(), !node);
        let later = key.max(self.memory.best);
        self.memory.best = key.min(self.memory.best);
        if later != NO_KEY {
            self.memory.open.push(Reverse(later));
        }
    }

    /// Takes the first open node.
    fn next(&mut self) -> Option<u32> {
        let mut best = std::mem::replace(&mut self.memory.best, NO_KEY);
        if let Some(mut first) = self.memory.open.peek_mut()
            && first.0 < best
        {
            if best == NO_KEY {
                best = PeekMut::pop(first).0;
            } else {
                std::mem::swap(&mut first.0, &mut best);
            }
        }
        (best != NO_KEY).then_some(!best.1)
    }

    /// Whether a way out of `cell` can be of use.
    #[inline]
    fn is_open(&self, cell: u32, way: u32) -> Option<u32> {
        let neighbour = self.mesh.beyond(way);
        if neighbour == NO_NEIGHBOUR || !self.filter.allows(self.mesh, CellId(neighbour)) {
            return None;
        }
        let is_edge = (way as usize) < self.mesh.neighbours.len();
        if FLOOD && !is_edge && !self.mesh.links.links[self.mesh.link_of(way).0.index()].both_ways {
            return None;
        }
        (FLOOD || !is_edge || self.mesh.bridges.leads_to(self.goal_number, way, cell, neighbour))
            .then_some(neighbour)
    }

    #[inline]
    fn corner(&self, corner: usize) -> PlanPosition {
        let corner = &self.mesh.corners[corner];
        PlanPosition::on_grid(corner.x, corner.z)
    }

    fn is_visible(&self, node: &Node, at: PlanPosition) -> bool {
        let root = self.memory.roots[node.root as usize].at;
        orientation(root, node.right, at) >= 0.0 && orientation(root, node.left, at) <= 0.0
    }

    fn arrive(&mut self, parent: u32, root: u32) {
        let Root { at, length, .. } = self.memory.roots[root as usize];
        let estimate = length + turn_length(at, self.goal.at);
        let goal = self.goal.at;
        let node = Node { right: goal, left: goal, root, parent, way: FINAL, cell: self.goal.cell };
        self.offer(node, estimate);
    }

    /// Opens a cone over a gate that is crossed between two rays.
    #[inline]
    fn cross(&mut self, parent: u32, root: u32, cell: u32, gate: &Gate, rays: [PlanPosition; 2]) {
        let Some(cell) = self.is_open(cell, gate.way) else { return };
        let Root { at, length, .. } = self.memory.roots[root as usize];
        let [right, left] = rays;
        let estimate = length
            + if FLOOD {
                nearest_between(at, right, left, gate)
            } else {
                ahead(at, right, left, gate, self.goal.at)
            };
        self.offer(Node { right, left, root, parent, way: gate.way, cell }, estimate);
    }

    /// Opens a turn at a corner that is seen from `root`, if a way may turn there.
    fn offer_turn(&mut self, parent: u32, root: u32, cell: u32, at: PlanPosition, turn: u32, side: Side) {
        let from = self.memory.roots[root as usize];
        let length = from.length + turn_length(from.at, at);
        let (bit, way) = if side == Side::Right { (1, TURN_RIGHT) } else { (2, TURN_LEFT) };
        if !self.memory.claims(turn, bit, length) {
            return;
        }
        #[expect(clippy::cast_possible_truncation, reason = "fewer than nodes")]
        let root = self.memory.roots.len() as u32;
        self.memory.roots.push(Root { at, length, turn });
        let right = beyond(from.at, at);
        let estimate = length + if FLOOD { 0.0 } else { turn_length(at, self.goal.at) };
        self.offer(Node { right, left: at, root, parent, way, cell }, estimate);
    }

    /// As [`Self::offer_turn`], at a corner of a cell.
    fn offer_turn_at(&mut self, parent: u32, root: u32, cell: u32, corner: usize, side: Side) {
        #[expect(clippy::cast_possible_truncation, reason = "corners fit 32 bits")]
        let (fan, may_turn) = self.mesh.fans.fan(corner as u32);
        if may_turn || (!F::ALLOWS_ALL && self.is_closed_beside(cell, corner)) {
            self.offer_turn(parent, root, cell, self.corner(corner), fan, side);
        }
    }

    /// Whether the filter closes some cell around a corner.
    fn is_closed_beside(&self, cell: u32, corner: usize) -> bool {
        let at = self.corner(corner);
        for side in [Side::Right, Side::Left] {
            let mut current = cell;
            for _ in 0..MOST_STEPS {
                let Some(gate) = self.gate_beside(current, at, side) else { break };
                let next = self.mesh.beyond(gate.way);
                if !self.filter.allows(self.mesh, CellId(next)) {
                    return true;
                }
                if next == cell {
                    return false;
                }
                current = next;
            }
        }
        false
    }

    /// The gate of a cell that begins at a place on its border, seen on this side.
    fn gate_beside(&self, cell: u32, at: PlanPosition, side: Side) -> Option<Gate> {
        self.mesh.gates(cell).find(|gate| at == if side == Side::Right { gate.right } else { gate.left })
    }

    /// Opens a turn at one end of a gate of `cell`.
    fn offer_turn_at_gate(&mut self, parent: u32, root: u32, cell: u32, gate: &Gate, side: Side) {
        if (gate.way as usize) < self.mesh.neighbours.len() {
            let range = self.mesh.edge_range(cell as usize);
            let mut corner = gate.way as usize;
            if side == Side::Left {
                corner = if corner + 1 == range.end { range.start } else { corner + 1 };
            }
            self.offer_turn_at(parent, root, cell, corner, side);
        } else {
            let at = if side == Side::Right { gate.right } else { gate.left };
            let (link, backwards) = self.mesh.link_of(gate.way);
            let end = u32::from((side == Side::Right) == backwards);
            self.offer_turn(parent, root, cell, at, self.mesh.end_turn(link.0, end), side);
        }
    }

    /// Opens the cell beyond the edge of a cone.
    fn expand(&mut self, index: u32) {
        let node = self.memory.nodes[index as usize];
        let Node { right, left, root, cell, .. } = node;
        let at = self.memory.roots[root as usize].at;
        let range = self.mesh.edge_range(cell as usize);
        let entry = self.mesh.fans.twin(node.way) as usize;
        let last = range.end - 1;
        let next = |corner: usize| if corner == last { range.start } else { corner + 1 };
        if cell == self.goal.cell && self.is_visible(&node, self.goal.at) {
            self.arrive(index, root);
        }
        if FLOOD {
            self.note(&node);
        }
        // From the right end of the edge to its left one, as seen from the root.
        let mut corner = next(entry);
        let begin = corner;
        let mut a = self.corner(corner);
        let left_end = self.corner(entry);
        // Sides of `a`: of the right ray, of the left ray.
        let (mut a_right, mut a_left) = (if right == a { 0.0 } else { -1.0 }, -1.0);
        while corner != entry {
            let after = next(corner);
            let (b, b_right, b_left) = if after == entry {
                (left_end, 1.0, if left == left_end { 0.0 } else { 1.0 })
            } else {
                let b = self.corner(after);
                (b, orientation(at, right, b), orientation(at, left, b))
            };
            #[expect(clippy::cast_possible_truncation, reason = "corners fit 32 bits")]
            let gate = Gate { way: corner as u32, right: a, left: b };
            let is_crossed = b_right > 0.0 && a_left < 0.0;
            if is_crossed && cell != self.goal.cell {
                let rays = [if a_right >= 0.0 { a } else { right }, if b_left <= 0.0 { b } else { left }];
                self.cross(index, root, cell, &gate, rays);
            }
            if corner == begin {
                if right == a && b_right <= 0.0 {
                    self.offer_turn_at(index, root, cell, corner, Side::Right);
                }
            } else if a_right == 0.0 && b_right == 0.0 && self.is_open(cell, gate.way).is_some() {
                self.offer_turn_at_gate(index, root, cell, &gate, Side::Right);
            }
            if after == entry {
                if left == b && a_left >= 0.0 {
                    self.offer_turn_at(index, root, cell, entry, Side::Left);
                }
            } else if a_left == 0.0 && b_left == 0.0 && self.is_open(cell, gate.way).is_some() {
                self.offer_turn_at_gate(index, root, cell, &gate, Side::Left);
            }
            (a, a_right, a_left, corner) = (b, b_right, b_left, after);
        }
        if !self.mesh.links.links.is_empty() {
            self.cross_links(index, &node);
        }
    }

    /// Keeps what a cone sees of the cell beyond.
    fn note(&mut self, node: &Node) {
        let Node { right, left, root, cell, way, .. } = *node;
        let Root { at, length, .. } = self.memory.roots[root as usize];
        // The gate, seen from the cell beyond: its ends change sides.
        let [left_end, right_end] = if (way as usize) < self.mesh.neighbours.len() {
            let entry = self.mesh.fans.twin(way) as usize;
            let range = self.mesh.edge_range(cell as usize);
            [entry, if entry + 1 == range.end { range.start } else { entry + 1 }].map(|at| self.corner(at))
        } else {
            let [right, left] = self.mesh.edge_ends(CellId(cell), way);
            [left, right]
        };
        let gate = Gate { way, right: right_end, left: left_end };
        let nearest = length + nearest_between(at, right, left, &gate);
        self.memory.seen.push(Seen { cell, root: at, length, nearest, rays: Some([right, left]) });
    }

    /// The links of the cell beyond a cone, as seen from its root.
    fn cross_links(&mut self, index: u32, node: &Node) {
        let mesh = self.mesh;
        let Node { root, cell, .. } = *node;
        for &leaving in mesh.links.leaving(cell) {
            let way = mesh.way_of(leaving);
            if mesh.links.is_portal(mesh.link_of(way).0) {
                let [right, left] = mesh.edge_ends(CellId(cell), way);
                self.cross_gate(index, node, &Gate { way, right, left });
            } else {
                self.leap(index, root, leaving, |search, at| search.is_visible(node, at));
            }
        }
    }

    /// Crosses a gate as far as it is seen between the rays of a cone.
    fn cross_gate(&mut self, index: u32, node: &Node, gate: &Gate) {
        let Node { right, left, root, cell, .. } = *node;
        let at = self.memory.roots[root as usize].at;
        let [a, b] = [gate.right, gate.left];
        let [a_right, b_right] = [a, b].map(|end| orientation(at, right, end));
        let [a_left, b_left] = [a, b].map(|end| orientation(at, left, end));
        if b_right > 0.0 && a_left < 0.0 && orientation(at, a, b) > 0.0 {
            let rays = [if a_right >= 0.0 { a } else { right }, if b_left <= 0.0 { b } else { left }];
            self.cross(index, root, cell, gate, rays);
        } else if a_right == 0.0 && b_right == 0.0 && is_before(at, a, b) {
            self.offer_turn_at_gate(index, root, cell, gate, Side::Right);
        } else if a_left == 0.0 && b_left == 0.0 && is_before(at, b, a) {
            self.offer_turn_at_gate(index, root, cell, gate, Side::Left);
        }
    }

    /// As [`Self::expand`], for a cone over a link.
    fn expand_through_link(&mut self, index: u32) {
        let node = self.memory.nodes[index as usize];
        let Node { right, left, root, cell, way, .. } = node;
        if cell == self.goal.cell && self.is_visible(&node, self.goal.at) {
            self.arrive(index, root);
        }
        if FLOOD {
            self.note(&node);
        }
        let mesh = self.mesh;
        for gate in mesh.gates(cell).filter(|gate| (gate.way as usize) < mesh.neighbours.len()) {
            self.cross_gate(index, &node, &gate);
        }
        self.cross_links(index, &node);
        // Its ends, as they are numbered in the link.
        let [right_end, left_end] = self.mesh.edge_ends(CellId(cell), way);
        let (link, backwards) = self.mesh.link_of(way);
        if right == right_end {
            let turn = self.mesh.end_turn(link.0, u32::from(backwards));
            self.offer_turn(index, root, cell, right, turn, Side::Right);
        }
        if left == left_end {
            let turn = self.mesh.end_turn(link.0, u32::from(!backwards));
            self.offer_turn(index, root, cell, left, turn, Side::Left);
        }
    }

    /// Takes a link from each of its places that can be reached straight from a root.
    fn leap(
        &mut self,
        parent: u32,
        root: u32,
        leaving: u32,
        is_reached: impl Fn(&Self, PlanPosition) -> bool,
    ) {
        let mesh = self.mesh;
        let way = mesh.way_of(leaving);
        if self.is_open(0, way).is_none() {
            return;
        }
        let (link, backwards) = mesh.link_of(way);
        let link = &mesh.links.links[link.index()];
        for place in 0..link.places() {
            let along = link.along(place);
            let [leave, arrive] = link.ends(backwards).map(|end| mesh.on_segment(end, along));
            if !is_reached(self, leave.0) {
                continue;
            }
            let from = self.memory.roots[root as usize];
            let metres = f64::from(leave.1.distance(arrive.1)) + f64::from(link.extra_cost);
            let leap = (metres / f64::from(mesh.frame.cell_size)).max(turn_length(leave.0, arrive.0));
            let length = from.length + turn_length(from.at, leave.0) + leap;
            let turn = mesh.leap_turn(leaving, place);
            if !self.memory.claims(turn, 1, length) {
                continue;
            }
            #[expect(clippy::cast_possible_truncation, reason = "fewer than nodes")]
            let landed = self.memory.roots.len() as u32;
            self.memory.roots.push(Root { at: arrive.0, length, turn });
            let estimate = length + if FLOOD { 0.0 } else { turn_length(arrive.0, self.goal.at) };
            let right = PlanPosition { x: along, z: 0.0 };
            let cell = mesh.beyond(way);
            self.offer(Node { right, left: arrive.0, root: landed, parent, way, cell }, estimate);
        }
    }

    /// Opens the cells that meet in a root, which lies in the cell of this node.
    fn look_around(&mut self, index: u32) {
        let Node { root, cell, .. } = self.memory.nodes[index as usize];
        let at = self.memory.roots[root as usize].at;
        let mut touching = std::mem::take(&mut self.memory.touching);
        touching.clear();
        touching.push((cell, index));
        let mut next = 0;
        while let Some(&(cell, node)) = touching.get(next) {
            next += 1;
            self.look(node, root, cell, Bound::None);
            let mesh = self.mesh;
            for gate in mesh.gates(cell) {
                let is_on = orientation(gate.right, gate.left, at) == 0.0
                    && !is_before(gate.right, gate.left, at)
                    && !is_before(gate.left, gate.right, at);
                if !is_on {
                    continue;
                }
                let Some(beyond) = self.is_open(cell, gate.way) else { continue };
                if touching.iter().all(|&(known, _)| known != beyond) {
                    let Gate { way, right, left } = gate;
                    let node = self.keep(Node { right, left, root, parent: node, way, cell: beyond });
                    touching.push((beyond, node));
                }
            }
        }
        self.memory.touching = touching;
    }

    /// Turns round a root, cell by cell.
    fn turn(&mut self, index: u32, side: Side) {
        let Node { root, cell, right: bound, .. } = self.memory.nodes[index as usize];
        let at = self.memory.roots[root as usize].at;
        self.look(
            index,
            root,
            cell,
            if side == Side::Right { Bound::RightOf(bound) } else { Bound::LeftOf(bound) },
        );
        let (first, mut cell, mut node) = (cell, cell, index);
        for _ in 0..MOST_STEPS {
            let Some(gate) = self.gate_beside(cell, at, side) else { return };
            let Some(beyond) = self.is_open(cell, gate.way).filter(|&beyond| beyond != first) else { return };
            let Gate { way, right, left } = gate;
            node = self.keep(Node { right, left, root, parent: node, way, cell: beyond });
            cell = beyond;
            self.look(node, root, cell, Bound::None);
        }
    }

    /// Opens what is seen of a cell from a root on its border or inside, but for gates that begin at the root.
    fn look(&mut self, index: u32, root: u32, cell: u32, bound: Bound) {
        let at = self.memory.roots[root as usize].at;
        if cell == self.goal.cell {
            self.arrive(index, root);
            return;
        }
        if FLOOD {
            let Root { at, length, .. } = self.memory.roots[root as usize];
            self.memory.seen.push(Seen { cell, root: at, length, nearest: length, rays: None });
        }
        let range = self.mesh.edge_range(cell as usize);
        let (first, last) = (range.start, range.end - 1);
        for edge in range {
            if self.mesh.neighbours[edge] == NO_NEIGHBOUR {
                continue;
            }
            let [right, left] = [edge, if edge == last { first } else { edge + 1 }].map(|at| self.corner(at));
            #[expect(clippy::cast_possible_truncation, reason = "corners fit 32 bits")]
            let way = edge as u32;
            self.look_through(index, root, cell, &Gate { way, right, left }, bound);
        }
        let mesh = self.mesh;
        for &leaving in mesh.links.leaving(cell) {
            let way = mesh.way_of(leaving);
            if mesh.links.is_portal(mesh.link_of(way).0) {
                let [right, left] = mesh.edge_ends(CellId(cell), way);
                self.look_through(index, root, cell, &Gate { way, right, left }, bound);
            } else {
                self.leap(index, root, leaving, |_, place| match bound {
                    Bound::None => true,
                    Bound::RightOf(ray) => orientation(at, ray, place) <= 0.0,
                    Bound::LeftOf(ray) => orientation(at, ray, place) >= 0.0,
                });
            }
        }
    }

    fn look_through(&mut self, index: u32, root: u32, cell: u32, gate: &Gate, bound: Bound) {
        let at = self.memory.roots[root as usize].at;
        let Gate { right: a, left: b, .. } = *gate;
        if a == at || b == at {
            return;
        }
        let mut rays = [a, b];
        let is_in_bound = |end: PlanPosition| match bound {
            Bound::None => true,
            Bound::RightOf(ray) => orientation(at, ray, end) <= 0.0,
            Bound::LeftOf(ray) => orientation(at, ray, end) >= 0.0,
        };
        let facing = orientation(at, a, b);
        if facing > 0.0 {
            match bound {
                Bound::RightOf(ray) => {
                    if orientation(at, ray, a) >= 0.0 {
                        return;
                    }
                    rays[1] = if is_in_bound(b) { b } else { ray };
                }
                Bound::LeftOf(ray) => {
                    if orientation(at, ray, b) <= 0.0 {
                        return;
                    }
                    rays[0] = if is_in_bound(a) { a } else { ray };
                }
                Bound::None => {}
            }
            self.cross(index, root, cell, gate, rays);
        } else if facing == 0.0 {
            // In line with the root: it can be entered round its near end only.
            if is_before(at, a, b) && is_in_bound(a) && self.is_open(cell, gate.way).is_some() {
                self.offer_turn_at_gate(index, root, cell, gate, Side::Right);
            } else if is_before(at, b, a) && is_in_bound(b) && self.is_open(cell, gate.way).is_some() {
                self.offer_turn_at_gate(index, root, cell, gate, Side::Left);
            }
        }
    }
}
