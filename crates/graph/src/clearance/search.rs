//! The shortest path of a disc: A* over cones of tangents.
//!
//! A shortest path of a disc's centre is made of straight lines and of arcs round corners of walls.
//! A node is a cone: a root, the corner (or place) that the path left last, and the directions
//! between two bounds in which it may continue through a side. Expansion visits the corner ahead:
//! directions that pass it on one side at the disc's distance continue through one of the two other
//! sides, all others through the other; a direction that touches it may turn round it, and it
//! becomes a root. With a disc of no size this would be Polyanya on triangles.
//!
//! The search passes gates: it comes to one like to a goal, and sets off again at its far end.
//!
//! The clearance of the triangles decides the width of paths, so no other walls need checks: a cone
//! meets only the corners of the triangles that it crosses. Both ends of the path, where it does
//! not cross whole triangles, are handled by [`Near`](super::near::Near).
//!
//! # References
//! - Cui, Harabor and Grastien 2017, Compromise-free pathfinding on a navigation mesh, <https://doi.org/10.24963/ijcai.2017/70>:
//!   cones.
//! - Kallmann 2010, Shortest paths with arbitrary clearance from navigation meshes, <https://doi.org/10.2312/SCA/SCA10/159-168>:
//!   clearance, and the funnel among discs.

use std::cmp::Reverse;

use glam::DVec2;
use waymesh_core::checkpoint_every;

use super::bounds::{GOAL, NO_INDEX, Root};
use super::fit::Fit;
use super::gates::GateSearch;
use super::islands::Islands;
use super::memory::{Arrival, Kind, Memory, Node};
use super::table::Table;
use crate::geometry::disc::{ANGLE_TOLERANCE, Tangent, angle, slimmed, tangent, touch};

/// The two ends of a path, in their triangles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    pub(super) places: [DVec2; 2],
    pub(super) triangles: [u32; 2],
}

pub(super) struct Search<'a> {
    pub(super) table: &'a Table,
    pub(super) islands: &'a Islands,
    pub(super) memory: &'a mut Memory,
    pub(super) radius: f64,
    /// Width that a path needs.
    pub(super) width: f64,
    pub(super) goal: DVec2,
    pub(super) goal_triangle: u32,
    pub(super) goal_number: u32,
    /// Links that may be taken.
    pub(super) gates: Option<GateSearch<'a>>,
    /// The estimate of the last opened node, and a node that is no worse.
    least_known: f64,
    in_hand: Option<Node>,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        table: &'a Table,
        islands: &'a Islands,
        memory: &'a mut Memory,
        radius: f64,
        gates: Option<GateSearch<'a>>,
    ) -> Self {
        let radius = slimmed(radius);
        let width = 2.0 * radius;
        Self {
            table,
            islands,
            memory,
            radius,
            width,
            goal: DVec2::ZERO,
            goal_triangle: 0,
            goal_number: 0,
            gates,
            least_known: 0.0,
            in_hand: None,
        }
    }

    /// Returns what the cheapest path costs, its turns are left in `memory.way`; `None` if there is
    /// none, or it is not found among as many nodes as `most`.
    pub(super) fn run(&mut self, ends: &Ends, most: usize) -> Option<f64> {
        let [start, goal] = ends.places;
        let [start_triangle, goal_triangle] = ends.triangles;
        (self.goal, self.goal_triangle) = (goal, goal_triangle);
        self.goal_number = self.table.bridges.number(goal_triangle);
        let table = self.table;
        let memory = &mut *self.memory;
        memory.way.clear();
        memory.is_cut = false;
        let may_join = self.islands.may_join(table, start_triangle, goal_triangle, self.width);
        if !may_join && self.gates.is_none() {
            return None;
        }
        memory.begin(table.twins.len() * 2);
        for side in 0..3 {
            memory.groups.extend(self.islands.group(table, 3 * goal_triangle + side, self.width));
        }
        let reach = 2.0 * self.radius;
        let from = memory.add_near(table, start_triangle, start, reach, NO_INDEX);
        memory.add_near(table, goal_triangle, goal, reach, NO_INDEX);
        let near = [from, if start_triangle == goal_triangle { GOAL } else { NO_INDEX }];
        memory.roots.push(Root::at(start, near));
        if (goal - start).length() <= 0.0 && start_triangle == goal_triangle {
            self.memory.way.push((0, DVec2::X));
            return Some(0.0);
        }
        self.set_off(0);
        let mut left = most;
        while let Some(node) = self.best() {
            if left == 0 {
                self.memory.is_cut = true;
                return None;
            }
            checkpoint_every(1 << 12, left);
            left -= 1;
            match node.kind {
                Kind::Final(GOAL) if self.ends_well(&node, GOAL) => return Some(self.finish(&node)),
                Kind::Final(GOAL) => {}
                Kind::Final(near) => self.take_gate(&node, near),
                Kind::Turn => self.take_turn(node.root, node.entry),
                Kind::Cone | Kind::Fan if !self.is_outdone(node.root) => self.expand(&node),
                Kind::Cone | Kind::Fan => {}
            }
        }
        None
    }

    pub(super) fn finish(&mut self, node: &Node) -> f64 {
        let (mut root, mut direction) = (node.root, node.bounds.low);
        let length = self.length_to(node, self.goal);
        while root != NO_INDEX {
            self.memory.way.push((root, direction));
            let at = &self.memory.roots[root as usize];
            (root, direction) = (at.parent, at.arrival);
        }
        length
    }

    /// Returns what the path costs that goes straight to a place from where a node's root is left.
    pub(super) fn length_to(&self, node: &Node, place: DVec2) -> f64 {
        let (last, direction) = (self.memory.roots[node.root as usize], node.bounds.low);
        let from = touch(last.centre, last.offset, direction);
        last.length + self.arc(&last, direction) + (place - from).length()
    }

    /// Returns the node with the least estimate.
    fn best(&mut self) -> Option<Node> {
        if let Some(node) = self.in_hand.take() {
            return Some(node);
        }
        let Reverse((estimate, node)) = self.memory.open.pop()?;
        self.least_known = f64::from_bits(estimate);
        Some(self.memory.nodes[!node as usize])
    }

    #[expect(clippy::cast_possible_truncation, reason = "limited by memory: 130 bytes a node")]
    pub(super) fn offer(&mut self, node: Node, estimate: f64) {
        if estimate <= self.least_known && self.in_hand.is_none() {
            // None is better than that.
            self.in_hand = Some(node);
            return;
        }
        self.memory.nodes.push(node);
        let number = self.memory.nodes.len() as u32 - 1;
        // Positive floats sort like their bits; of equal ones the newest is first.
        self.memory.open.push(Reverse((estimate.max(0.0).to_bits(), !number)));
    }

    /// Returns the length of the arc at a root from the arrival on, for a path that leaves it in a
    /// direction.
    pub(super) fn arc(&self, root: &Root, direction: DVec2) -> f64 {
        self.radius * self.turned(root, direction)
    }

    /// At most that: along the chord.
    pub(super) fn chord(&self, root: &Root, direction: DVec2) -> f64 {
        if root.side == 0.0 { 0.0 } else { self.radius * (direction - root.arrival).length() }
    }

    pub(super) fn turned(&self, root: &Root, direction: DVec2) -> f64 {
        if root.side == 0.0 {
            return 0.0;
        }
        let turned = root.side * angle(root.arrival, direction);
        // Half a circle and more are turns, a little back is rounding.
        if turned < -1e-3 { turned + std::f64::consts::TAU } else { turned.max(0.0) }
    }

    /// Returns how far to the left a corner must stay: the radius, less what rounding may move a
    /// straight wall.
    pub(super) fn offset(&self, corner: u32) -> f64 {
        if self.table.fan(corner).turns { self.radius } else { self.radius - self.table.slack }
    }

    /// Returns the distance for lines that end before they reach the corner. If the disc round their
    /// last corner extends over a side that ends here, the path turns before that side: its line
    /// would pass on the wrong side, by less than the radius.
    pub(super) fn wide(&self, corner: u32) -> f64 {
        if self.table.fan(corner).turns { -self.radius } else { -self.radius.max(self.table.slack) }
    }

    pub(super) fn tangent(&self, root: &Root, to: DVec2, offset: f64) -> Option<Tangent> {
        tangent(root.centre, root.offset, to, offset)
    }

    /// Returns how a path arrives at a corner that is so long and has turned so far.
    pub(super) fn arrival(&self, turned: f64, length: f64) -> Arrival {
        let length = length - self.radius * turned;
        Arrival { turned, length }
    }

    pub(super) fn is_outdone(&self, root: u32) -> bool {
        let root = &self.memory.roots[root as usize];
        if root.slot == NO_INDEX || root.near != [NO_INDEX; 2] {
            return false;
        }
        let known = &self.memory.arrivals[root.slot as usize];
        let own = self.arrival(root.turned, root.length);
        let loose = 1e-9 * (1.0 + own.length.abs());
        known.shortest.turned <= own.turned + ANGLE_TOLERANCE && known.shortest.length < own.length - loose
    }
}

impl Search<'_> {
    /// Continues from a place: over the ground, and to the gates of its triangle.
    pub(super) fn set_off(&mut self, root: u32) {
        self.local(root);
        let Some(search) = &mut self.gates else { return };
        let from = self.memory.roots[root as usize];
        let triangle = self.memory.nears[from.near[0] as usize].triangle;
        search.know(self.table, triangle);
        let mut gate = search.gates.first[triangle as usize];
        while let Some(near) = self.next_gate(&mut gate) {
            let twin = u32::try_from(self.memory.roots.len()).unwrap_or(NO_INDEX);
            self.memory.roots.push(Root { near: [from.near[0], near], ..from });
            self.local(twin);
        }
    }

    /// A cone has come into a triangle: perhaps gates begin there.
    pub(super) fn arrive_at_gates(&mut self, node: &Node) {
        let Some(search) = &mut self.gates else { return };
        let triangle = node.entry / 3;
        search.know(self.table, triangle);
        let mut gate = search.gates.first[triangle as usize];
        while let Some(near) = self.next_gate(&mut gate) {
            self.arrive(node, near);
        }
    }

    /// Returns where the next gate of a triangle that was not taken yet is.
    fn next_gate(&mut self, next: &mut u32) -> Option<u32> {
        let gates = &mut *self.gates.as_mut()?.gates;
        loop {
            let number = *next;
            let gate = gates.gates.get_mut(number as usize)?;
            *next = gate.next;
            if gate.taken == gates.query {
                continue;
            }
            if gate.seen != gates.query {
                gate.seen = gates.query;
                let Fit { triangle, at, .. } = gate.ends[0];
                gate.near = self.memory.add_near(self.table, triangle, at, 2.0 * self.radius, number);
            }
            return Some(gate.near);
        }
    }

    /// Returns what a path costs from an end on, at least.
    pub(super) fn beyond(&self, near: u32) -> f64 {
        let (Some(search), true) = (&self.gates, near != GOAL) else { return 0.0 };
        let gate = search.gates.at(self.memory.nears[near as usize].gate);
        gate.cost + (self.goal - gate.ends[1].at).length()
    }

    /// Checks a path to a gate exactly, and continues from its far end.
    pub(super) fn take_gate(&mut self, node: &Node, near: u32) {
        let number = self.memory.nears[near as usize].gate;
        let is_taken = |search: &GateSearch<'_>| search.gates.at(number).taken == search.gates.query;
        if self.gates.as_ref().is_none_or(is_taken) || !self.ends_well(node, near) {
            return;
        }
        let length = self.length_to(node, self.memory.nears[near as usize].place);
        let Some(search) = &mut self.gates else { return };
        let gate = *search.gates.at(number);
        for number in [number, gate.back].into_iter().filter(|&number| number != NO_INDEX) {
            search.gates.gates[number as usize].taken = search.gates.query;
        }
        let Fit { triangle, at: place, .. } = gate.ends[1];
        let begin = self.memory.add_near(self.table, triangle, place, 2.0 * self.radius, NO_INDEX);
        let end = if triangle == self.goal_triangle { GOAL } else { NO_INDEX };
        let root = u32::try_from(self.memory.roots.len()).unwrap_or(NO_INDEX);
        self.memory.roots.push(Root {
            arrival: node.bounds.low,
            length: length + gate.cost,
            parent: node.root,
            gate: number,
            ..Root::at(place, [begin, end])
        });
        self.set_off(root);
    }
}
