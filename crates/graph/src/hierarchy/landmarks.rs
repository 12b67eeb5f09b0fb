//! Landmarks: how far it is from a few entrances at the far ends of the mesh to all others, so that
//! a search knows detours beforehand.
//!
//! # References
//! Goldberg and Harrelson 2005, Computing the shortest path: A* search meets graph theory, <https://dl.acm.org/doi/10.5555/1070432.1070455>.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use waymesh_core::checkpoint;

use super::entrances::Terminal;

/// Number of landmarks. Each takes 4 bytes per entrance and one lookup for every entrance that a
/// query opens.
pub(super) const COUNT: usize = 12;

/// Lengths from each landmark to each terminal, before it is crossed; infinite where no path leads.
/// In polygons.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Landmarks {
    /// For each terminal, one length for each landmark.
    lengths: Vec<[f32; COUNT]>,
}

/// The graph of entrances.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Graph {
    pub(super) terminals: Vec<Terminal>,
    /// First terminal of each cluster, and their number at the end.
    pub(super) first: Vec<u32>,
    /// First entry in `between` of each cluster.
    pub(super) squares: Vec<usize>,
    /// Lengths from each terminal of a cluster to each other, in cells of the grid.
    pub(super) between: Vec<f32>,
}

impl Graph {
    /// Calls `visit(terminal, length)` for all terminals that can be crossed next once this one is,
    /// with the length to there.
    #[inline]
    pub(super) fn beyond(&self, terminal: u32, mut visit: impl FnMut(u32, f32)) {
        let here = &self.terminals[terminal as usize];
        let cluster = self.terminals[here.mate as usize].cluster as usize;
        let exits = self.first[cluster]..self.first[cluster + 1];
        let count = exits.len();
        let row = self.squares[cluster] + (here.mate - exits.start) as usize * count;
        for (other, &between) in exits.zip(&self.between[row..row + count]) {
            if other != here.mate && self.terminals[other as usize].exits {
                visit(other, here.cost + between);
            }
        }
    }

    /// Lengths from one terminal to all.
    fn lengths(&self, from: u32) -> Vec<f32> {
        checkpoint();
        let mut lengths = vec![f32::INFINITY; self.terminals.len()];
        let mut open = BinaryHeap::new();
        lengths[from as usize] = 0.0;
        open.push(Reverse((0, from)));
        while let Some(Reverse((bits, terminal))) = open.pop() {
            let length = f32::from_bits(bits);
            if length > lengths[terminal as usize] {
                continue;
            }
            self.beyond(terminal, |other, more| {
                let sum = length + more;
                if sum < lengths[other as usize] {
                    lengths[other as usize] = sum;
                    open.push(Reverse((sum.to_bits(), other)));
                }
            });
        }
        lengths
    }
}

impl Landmarks {
    /// Chooses landmarks in the largest connected component, each as far as possible from the
    /// previous ones.
    pub(super) fn choose(graph: &Graph) -> Self {
        let count = graph.terminals.len();
        let Some(first) = largest_part(graph) else { return Self::default() };
        let finite = |(_, length): &(u32, f32)| length.is_finite();
        let farthest = |lengths: &[f32]| {
            let all = (0_u32..).zip(lengths.iter().copied()).filter(finite);
            all.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).map_or(first, |(terminal, _)| terminal)
        };
        let mut next = farthest(&graph.lengths(first));
        let mut nearest = vec![f32::INFINITY; count];
        let columns = [(); COUNT].map(|()| {
            let column = graph.lengths(next);
            for (nearest, &length) in nearest.iter_mut().zip(&column) {
                *nearest = nearest.min(length);
            }
            next = farthest(&nearest);
            column
        });
        let row = |terminal: usize| std::array::from_fn(|landmark| columns[landmark][terminal]);
        Self { lengths: (0..count).map(row).collect() }
    }

    pub(super) fn of(&self, terminal: u32) -> &[f32; COUNT] {
        &self.lengths[terminal as usize]
    }

    /// No path from a terminal to a place is shorter, if it is this far from the landmarks to that
    /// place.
    #[inline]
    pub(super) fn least(&self, terminal: u32, goal: &[f32; COUNT]) -> f32 {
        let here = self.of(terminal);
        let mut least = 0.0_f32;
        for (to_goal, to_here) in goal.iter().zip(here) {
            // Infinite less infinite is NaN, which `max` leaves out; where only one is infinite, nothing is
            // said.
            let more = to_goal - to_here;
            least = if more.is_finite() { least.max(more) } else { least };
        }
        least
    }
}

/// Returns a terminal of the part with the most terminals.
fn largest_part(graph: &Graph) -> Option<u32> {
    let mut seen = vec![false; graph.terminals.len()];
    let mut best: Option<(usize, u32)> = None;
    let mut stack = Vec::new();
    for start in (0_u32..).take(seen.len()) {
        if std::mem::replace(&mut seen[start as usize], true) {
            continue;
        }
        let mut size = 0;
        stack.push(start);
        while let Some(terminal) = stack.pop() {
            size += 1;
            let mut visit = |other: u32| {
                if !std::mem::replace(&mut seen[other as usize], true) {
                    stack.push(other);
                }
            };
            visit(graph.terminals[terminal as usize].mate);
            graph.beyond(terminal, |other, _| visit(other));
        }
        if best.is_none_or(|best| size > best.0) {
            best = Some((size, start));
        }
    }
    best.map(|(_, start)| start)
}
