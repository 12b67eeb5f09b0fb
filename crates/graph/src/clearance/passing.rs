//! The search passes gates: it comes to one like to a goal, and sets off again at its far end.

use super::bounds::{GOAL, NO_INDEX, Root};
use super::fit::Fit;
use super::gates::GateSearch;
use super::memory::Node;
use super::search::Search;

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
