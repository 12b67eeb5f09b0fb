//! Sheets of pieces: their contacts, their conflicts, and joining them one by one.

#![expect(clippy::cast_possible_truncation, reason = "numbers of pieces, which fit 32 bits")]

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::hash_map::Entry;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use waymesh_core::{DisjointSets, checkpoint};

use super::graph::PieceGraph;
use crate::stacks::Occupied;

/// Packs two numbers into one, the lower first.
fn pack(one: u32, two: u32) -> u64 {
    u64::from(one.min(two)) << 32 | u64::from(one.max(two))
}

/// A pair of sheets that may be joined: the longest contact first, then the sheet that had the
/// lowest name.
type Candidate = (u32, Reverse<u32>, Reverse<u32>, u32, u32);

/// Sheets that are joined one by one. Each is named after one of its pieces.
pub(super) struct Sheets {
    sets: DisjointSets,
    /// Lowest piece of each sheet.
    lowest: Vec<u32>,
    /// Only used for lookups and never iterated, so the order of the entries has no effect.
    contacts: FxHashMap<u64, u32>,
    /// Pairs of touching sheets that were found to conflict.
    conflicts: FxHashSet<u64>,
    /// Sheets that each sheet touches. The lists may contain sheets that no longer exist.
    beside: Vec<Vec<u32>>,
    /// Sheets that each sheet was found to conflict with. The lists may contain sheets that no
    /// longer exist.
    against: Vec<Vec<u32>>,
    occupied: Occupied,
    /// Pieces of each sheet that lie in stacks.
    stacked: Vec<Vec<u32>>,
    queue: BinaryHeap<Candidate>,
}

impl Sheets {
    /// Creates the sheets of a graph. `sheet_of` returns the sheet of a piece, which is one of the
    /// sheet's pieces.
    pub(super) fn new(graph: &PieceGraph, mut sheet_of: impl FnMut(u32) -> u32) -> Self {
        let count = graph.blocks.len();
        let mut result = Self {
            sets: DisjointSets::new(count),
            lowest: (0..count as u32).collect(),
            contacts: FxHashMap::with_capacity_and_hasher(graph.edges.len(), FxBuildHasher),
            conflicts: FxHashSet::default(),
            beside: vec![Vec::new(); count],
            against: vec![Vec::new(); count],
            occupied: Occupied::new(count, &graph.stacks),
            stacked: vec![Vec::new(); count],
            queue: BinaryHeap::new(),
        };
        for edge in &graph.edges {
            result.add_contact(sheet_of(edge.one), sheet_of(edge.two), edge.links);
        }
        for piece in (0..count as u32).filter(|&piece| result.occupied.is_stacked(piece)).collect::<Vec<_>>()
        {
            let sheet = sheet_of(piece);
            result.occupied.put(piece, sheet);
            result.stacked[sheet as usize].push(piece);
        }
        result
    }

    /// Adds `links` to the contact of two sheets.
    fn add_contact(&mut self, one: u32, two: u32, links: u32) {
        if one == two {
            return;
        }
        match self.contacts.entry(pack(one, two)) {
            Entry::Occupied(mut entry) => *entry.get_mut() = entry.get().saturating_add(links),
            Entry::Vacant(entry) => {
                entry.insert(links);
                self.beside[one as usize].push(two);
                self.beside[two as usize].push(one);
            }
        }
    }

    /// Records that two sheets must not be joined.
    fn add_conflict(&mut self, one: u32, two: u32) {
        if self.conflicts.insert(pack(one, two)) {
            self.against[one as usize].push(two);
            self.against[two as usize].push(one);
        }
    }

    /// Returns the sheet of `piece`.
    pub(super) fn find(&mut self, piece: u32) -> u32 {
        self.sets.find(piece)
    }

    /// Returns the lowest piece of the sheet of `piece`.
    pub(super) fn lowest(&mut self, piece: u32) -> u32 {
        self.lowest[self.sets.find(piece) as usize]
    }

    /// Proposes to join two sheets if they touch along at least `least` links and are not known to
    /// conflict.
    pub(super) fn propose(&mut self, one: u32, two: u32, least: u32) {
        let pair = pack(one, two);
        if let Some(&links) = self.contacts.get(&pair)
            && links >= least
            && !self.conflicts.contains(&pair)
        {
            let (a, b) = (self.lowest[one as usize], self.lowest[two as usize]);
            self.queue.push((links, Reverse(a.min(b)), Reverse(a.max(b)), one, two));
        }
    }

    /// Joins the proposed pairs that do not conflict, the longest contact first. Pairs whose contact
    /// grows by a join are also proposed if `may_join(links, one, two)`.
    pub(super) fn join_proposed(&mut self, may_join: impl Fn(u32, u32, u32) -> bool) {
        while let Some((links, _, _, one, two)) = self.queue.pop() {
            checkpoint();
            // A pair with another number of links is stale: it has been proposed again, or one of
            // the two sheets no longer exists.
            let pair = pack(one, two);
            if self.contacts.get(&pair) == Some(&links) && !self.conflicts.contains(&pair) {
                if self.may_meet(one, two) {
                    self.join(one, two, &may_join);
                } else {
                    self.add_conflict(one, two);
                }
            }
        }
    }

    /// Returns `true` if two sheets do not conflict.
    fn may_meet(&self, one: u32, two: u32) -> bool {
        let [a, b] = [one, two].map(|sheet| &self.stacked[sheet as usize]);
        if a.len() < b.len() { self.occupied.all_fit(a, two) } else { self.occupied.all_fit(b, one) }
    }

    fn join(&mut self, one: u32, two: u32, may_join: &impl Fn(u32, u32, u32) -> bool) {
        let entries = |sheet: u32| {
            let sheet = sheet as usize;
            self.beside[sheet].len() + self.against[sheet].len() + self.stacked[sheet].len()
        };
        // The shorter lists move, so each entry moves at most a logarithmic number of times.
        let (into, from) = if entries(one) >= entries(two) { (one, two) } else { (two, one) };
        self.sets.put(from, into);
        self.lowest[into as usize] = self.lowest[into as usize].min(self.lowest[from as usize]);
        self.contacts.remove(&pack(into, from));
        let stacked = std::mem::take(&mut self.stacked[from as usize]);
        self.occupied.move_all(&stacked, from, into);
        self.stacked[into as usize].extend(stacked);
        for other in std::mem::take(&mut self.against[from as usize]) {
            if self.conflicts.remove(&pack(from, other)) {
                self.add_conflict(into, other);
            }
        }
        for other in std::mem::take(&mut self.beside[from as usize]) {
            let Some(links) = self.contacts.remove(&pack(from, other)) else { continue };
            self.add_contact(into, other, links);
            if may_join(self.contacts[&pack(into, other)], into, other) {
                self.propose(into, other, 0);
            }
        }
    }
}
