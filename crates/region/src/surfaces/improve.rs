//! Moves of pieces across the seam of two sheets to make the seam as short as possible.

#![expect(clippy::cast_possible_truncation, reason = "numbers of pieces, which fit 32 bits")]

use std::collections::VecDeque;
use waymesh_core::{Buckets, checkpoint};

use super::graph::PieceGraph;
use crate::stacks::Occupied;

/// Largest number of pieces around a seam that can move at once. It limits the time per seam, not
/// the length of seams.
const REACH: usize = 1024;

/// Value for an unlimited capacity.
const UNBOUNDED: u32 = u32::MAX;

/// Shortens the seams between sheets, two sheets at a time.
///
/// A piece of one of the two sheets that conflicts with a piece of the other stays. All other
/// pieces around the seam may be on either side. The shortest seam is a minimum cut of the graph of
/// pieces between those that stay. Sheets keep their invariants. No move disconnects a sheet, as
/// far as the pieces around the seam show.
///
/// `sheets` contains the sheet of every piece, and no sheet contains two conflicting pieces;
/// `occupied` contains the pieces of each sheet.
/// Returns the number of links by which the seams became shorter.
///
/// # References
/// Boykov, Veksler and Zabih 2001, Fast Approximate Energy Minimization via Graph Cuts, section 3
/// (swap moves), <https://doi.org/10.1109/34.969114>. The flow is that of Edmonds and Karp 1972, <https://doi.org/10.1145/321694.321699>.
pub(super) fn shorten_seams(
    graph: &PieceGraph,
    beside: &Buckets<(u32, u32)>,
    occupied: &mut Occupied,
    sheets: &mut [u32],
) -> u64 {
    let mut seams: Vec<(u32, u32, u32, u32)> = graph
        .edges
        .iter()
        .map(|edge| (sheets[edge.one as usize], sheets[edge.two as usize], edge.one, edge.two))
        .filter(|(one, two, ..)| one != two)
        .map(|(one, two, a, b)| (one.min(two), one.max(two), a, b))
        .collect();
    seams.sort_unstable();
    let mut cutter =
        Cutter { beside, occupied, sheets, place: vec![u32::MAX; graph.blocks.len()], flow: Flow::default() };
    let mut gained = 0;
    for seam in seams.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        checkpoint();
        gained += u64::from(cutter.shorten(seam));
    }
    gained
}

/// The state of shortening seams one by one.
struct Cutter<'a> {
    beside: &'a Buckets<(u32, u32)>,
    occupied: &'a mut Occupied,
    sheets: &'a mut [u32],
    /// Index among the current pieces, `u32::MAX` for all others.
    place: Vec<u32>,
    flow: Flow,
}

impl Cutter<'_> {
    fn shorten(&mut self, seam: &[(u32, u32, u32, u32)]) -> u32 {
        let (left, right) = (seam[0].0, seam[0].1);
        let pieces = self.around(seam);
        for (place, &piece) in (0_u32..).zip(&pieces) {
            self.place[piece as usize] = place;
        }
        let gained = self.cut(&pieces, left, right);
        for piece in pieces {
            self.place[piece as usize] = u32::MAX;
        }
        gained
    }

    fn is_of(&self, piece: u32, left: u32, right: u32) -> bool {
        let sheet = self.sheets[piece as usize];
        sheet == left || sheet == right
    }

    /// Returns `true` if `piece`, which is in one of the two sheets, conflicts with a piece of the
    /// other.
    fn stays(&self, piece: u32, left: u32, right: u32) -> bool {
        let other = if self.sheets[piece as usize] == left { right } else { left };
        !self.occupied.fits(piece, other)
    }

    /// Returns the pieces of both sheets nearest to the seam, in the order of a breadth-first
    /// search that does not continue past pieces that stay.
    fn around(&mut self, seam: &[(u32, u32, u32, u32)]) -> Vec<u32> {
        let (left, right) = (seam[0].0, seam[0].1);
        let mut found: Vec<u32> = Vec::new();
        for piece in seam.iter().flat_map(|&(_, _, one, two)| [one, two]) {
            if self.is_of(piece, left, right) && self.place[piece as usize] == u32::MAX {
                self.place[piece as usize] = 0;
                found.push(piece);
            }
        }
        let mut next = 0;
        while next < found.len() && found.len() < REACH {
            let piece = found[next];
            next += 1;
            if self.stays(piece, left, right) {
                continue;
            }
            for &(other, _) in self.beside.of(piece as usize) {
                if self.place[other as usize] == u32::MAX && self.is_of(other, left, right) {
                    self.place[other as usize] = 0;
                    found.push(other);
                }
            }
        }
        found
    }

    /// Moves the pieces to the sides of the shortest seam. Returns the number of links by which it
    /// is shorter; 0 if nothing has moved.
    fn cut(&mut self, pieces: &[u32], left: u32, right: u32) -> u32 {
        let count = pieces.len() as u32;
        // Source and sink represent all pieces that stay: pieces in conflict, and pieces too far
        // away.
        let (source, sink) = (count, count + 1);
        self.flow.start(count + 2);
        let mut length = 0_u32;
        for (place, &piece) in (0_u32..).zip(pieces) {
            let own = self.sheets[piece as usize];
            let end = |sheet: u32| if sheet == left { source } else { sink };
            if self.stays(piece, left, right) {
                self.flow.connect(place, end(own), UNBOUNDED);
            }
            for &(other, links) in self.beside.of(piece as usize) {
                let sheet = self.sheets[other as usize];
                if sheet != left && sheet != right {
                    continue;
                }
                let there = self.place[other as usize];
                if there == u32::MAX {
                    self.flow.connect(place, end(sheet), links);
                } else if there > place {
                    self.flow.connect(place, there, links);
                } else {
                    continue;
                }
                length = length.saturating_add(if sheet == own { 0 } else { links });
            }
        }
        self.flow.link();
        let least = self.flow.run(source, sink, length);
        if least >= length {
            return 0;
        }
        let side = |place: u32, flow: &Flow| if flow.is_reached(place) { left } else { right };
        let before: Vec<u32> = pieces.iter().map(|&piece| self.sheets[piece as usize]).collect();
        let after: Vec<u32> = (0..count).map(|place| side(place, &self.flow)).collect();
        if self.parts(pieces, &after, left, right) > self.parts(pieces, &before, left, right) {
            return 0;
        }
        // A piece may take the slot that another one leaves.
        let moved = || pieces.iter().zip(before.iter().zip(&after)).filter(|(_, (own, sheet))| own != sheet);
        moved().for_each(|(&piece, (&own, _))| self.occupied.take(piece, own));
        for (&piece, (_, &sheet)) in moved() {
            self.occupied.put(piece, sheet);
            self.sheets[piece as usize] = sheet;
        }
        length - least
    }

    /// Returns the number of connected components of the pieces if they are in these sheets. All
    /// pieces farther away count as one component per sheet.
    fn parts(&self, pieces: &[u32], sheets: &[u32], left: u32, right: u32) -> u32 {
        let mut seen = vec![false; pieces.len()];
        let mut reaches_out = [false; 2];
        let mut parts = 0;
        let mut queue = VecDeque::new();
        for seed in 0..pieces.len() {
            if std::mem::replace(&mut seen[seed], true) {
                continue;
            }
            let sheet = sheets[seed];
            let mut is_outside = false;
            queue.push_back(seed as u32);
            while let Some(place) = queue.pop_front() {
                for &(other, _) in self.beside.of(pieces[place as usize] as usize) {
                    let there = self.place[other as usize];
                    if there == u32::MAX {
                        is_outside |= self.sheets[other as usize] == sheet;
                    } else if sheets[there as usize] == sheet
                        && !std::mem::replace(&mut seen[there as usize], true)
                    {
                        queue.push_back(there);
                    }
                }
            }
            let known = &mut reaches_out[usize::from(sheet == right && left != right)];
            parts += u32::from(!(is_outside && *known));
            *known |= is_outside;
        }
        parts
    }
}

/// The maximum flow between two nodes of a small graph whose edges have the same capacity in both
/// directions.
#[derive(Default)]
struct Flow {
    edges: Vec<(u32, u32, u32)>,
    starts: Vec<u32>,
    /// The target of each arc, its remaining capacity, and the index of the reverse arc.
    arcs: Vec<(u32, u32, u32)>,
    /// Arc by which each node was reached; `u32::MAX` for other nodes.
    reached_by: Vec<u32>,
    queue: Vec<u32>,
}

impl Flow {
    fn start(&mut self, nodes: u32) {
        self.edges.clear();
        self.starts.clear();
        self.starts.resize(nodes as usize + 2, 0);
        self.reached_by.clear();
        self.reached_by.resize(nodes as usize, u32::MAX);
    }

    fn connect(&mut self, one: u32, two: u32, capacity: u32) {
        self.edges.push((one, two, capacity));
        self.starts[one as usize + 2] += 1;
        self.starts[two as usize + 2] += 1;
    }

    /// Sorts the arcs by their start nodes.
    fn link(&mut self) {
        for node in 2..self.starts.len() {
            self.starts[node] += self.starts[node - 1];
        }
        self.arcs.clear();
        self.arcs.resize(self.edges.len() * 2, (0, 0, 0));
        for &(one, two, capacity) in &self.edges {
            let there = self.starts[one as usize + 1];
            self.starts[one as usize + 1] += 1;
            let back = self.starts[two as usize + 1];
            self.starts[two as usize + 1] += 1;
            self.arcs[there as usize] = (two, capacity, back);
            self.arcs[back as usize] = (one, capacity, there);
        }
    }

    /// Returns the maximum flow, or `enough` if the flow is at least that. If it is less,
    /// [`Flow::is_reached`] then returns `true` for the nodes on the side of the source.
    fn run(&mut self, source: u32, sink: u32, enough: u32) -> u32 {
        let mut total = 0_u32;
        while total < enough && self.search(source, sink) {
            checkpoint();
            let mut amount = UNBOUNDED;
            let mut node = sink;
            while node != source {
                let arc = self.arcs[self.reached_by[node as usize] as usize];
                amount = amount.min(arc.1);
                node = self.arcs[arc.2 as usize].0;
            }
            if amount == UNBOUNDED {
                // A path of unlimited arcs cannot exist between sheets without conflict: each piece
                // that stays is in one sheet only.
                return enough;
            }
            let mut node = sink;
            while node != source {
                let by = self.reached_by[node as usize];
                let back = self.arcs[by as usize].2;
                for (arc, is_back) in [(by, false), (back, true)] {
                    let capacity = &mut self.arcs[arc as usize].1;
                    if *capacity != UNBOUNDED {
                        *capacity =
                            if is_back { capacity.saturating_add(amount) } else { *capacity - amount };
                    }
                }
                node = self.arcs[back as usize].0;
            }
            total = total.saturating_add(amount);
        }
        total.min(enough)
    }

    /// Searches for the path with the fewest arcs from source to sink with free capacity.
    fn search(&mut self, source: u32, sink: u32) -> bool {
        self.reached_by.fill(u32::MAX);
        self.queue.clear();
        self.queue.push(source);
        let mut next = 0;
        while let Some(&node) = self.queue.get(next) {
            next += 1;
            for place in self.starts[node as usize]..self.starts[node as usize + 1] {
                let (to, capacity, _) = self.arcs[place as usize];
                if capacity > 0 && to != source && self.reached_by[to as usize] == u32::MAX {
                    self.reached_by[to as usize] = place;
                    if to == sink {
                        return true;
                    }
                    self.queue.push(to);
                }
            }
        }
        false
    }

    fn is_reached(&self, node: u32) -> bool {
        self.reached_by[node as usize] != u32::MAX
    }
}

#[cfg(test)]
mod tests {
    use waymesh_core::Random;

    use super::*;
    use crate::stacks::Stacks;
    use crate::surfaces::graph::Edge;

    #[test]
    fn the_flow_is_the_least_cut() {
        let mut random = Random::new(5);
        let mut flow = Flow::default();
        for _ in 0..400 {
            let nodes = 2 + random.below(7);
            let edges: Vec<(u32, u32, u32)> = (0..random.below(16))
                .map(|_| (random.below(nodes), random.below(nodes), 1 + random.below(9)))
                .filter(|(one, two, _)| one != two)
                .collect();
            flow.start(nodes);
            edges.iter().for_each(|&(one, two, capacity)| flow.connect(one, two, capacity));
            flow.link();
            // Tries every division of the nodes into two sides, with node 0 and node 1 on different
            // sides.
            let cut_of = |side: &dyn Fn(u32) -> bool| -> u32 {
                edges.iter().filter(|(one, two, _)| side(*one) != side(*two)).map(|(_, _, links)| links).sum()
            };
            let least = (0_u32..1 << nodes)
                .filter(|sides| sides & 3 == 1)
                .map(|sides| cut_of(&|node| sides >> node & 1 == 1))
                .min();
            assert_eq!(Some(flow.run(0, 1, u32::MAX)), least);
            assert_eq!(Some(cut_of(&|node| node == 0 || flow.is_reached(node))), least);
        }
    }

    /// A ladder of pieces with `links` between its rungs. The first two and the last two pieces
    /// conflict across it.
    #[test]
    fn a_seam_moves_to_where_the_way_is_narrow() {
        let links = [16, 16, 16, 5, 16, 16];
        let mut stacks = Stacks::default();
        stacks.push([[0, 0], [6, 6]].into_iter());
        let graph = PieceGraph {
            blocks: vec![[0, 0]; 7],
            edges: (0..6).map(|one| Edge { one, two: one + 1, links: links[one as usize] }).collect(),
            stacks,
        };
        let beside = graph.neighbours();
        for seam in 0..6 {
            let mut sheets: Vec<u32> = (0..7).map(|piece| if piece <= seam { 0 } else { 6 }).collect();
            let mut occupied = Occupied::by(sheets.iter().copied(), &graph.stacks);
            let gained = shorten_seams(&graph, &beside, &mut occupied, &mut sheets);
            assert_eq!(sheets, [0, 0, 0, 0, 6, 6, 6]);
            assert_eq!(gained, if seam == 3 { 0 } else { 11 });
        }
    }
}
