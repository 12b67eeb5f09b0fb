//! Sheets of pieces: their contacts, their conflicts, and joining them one by one.

#![expect(clippy::cast_possible_truncation, reason = "numbers of pieces, which fit 32 bits")]

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::hash_map::Entry;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use waymesh_core::{DisjointSets, checkpoint};

/// Packs two numbers into one, the lower first.
fn pack(one: u32, two: u32) -> u64 {
    u64::from(one.min(two)) << 32 | u64::from(one.max(two))
}

/// A pair of sheets that may be joined: the longest contact first, then the sheet that had the
/// lowest name.
type Candidate = (u32, Reverse<u32>, Reverse<u32>, u32, u32);

/// Sheets that are joined one by one. Each begins as one piece and is named after one of its
/// pieces.
pub(super) struct Sheets {
    sets: DisjointSets,
    /// Lowest piece of each sheet.
    lowest: Vec<u32>,
    /// Only used for lookups and never iterated, so the order of the entries has no effect.
    contacts: FxHashMap<u64, u32>,
    conflicts: FxHashSet<u64>,
    /// Sheets that each sheet touches. The lists may contain sheets that no longer exist.
    beside: Vec<Vec<u32>>,
    /// Sheets that each sheet must not be joined with. The lists may contain sheets that no longer
    /// exist.
    against: Vec<Vec<u32>>,
    queue: BinaryHeap<Candidate>,
}

impl Sheets {
    /// Creates one sheet for each of `count` pieces, without contacts and conflicts.
    pub(super) fn new(count: usize, contacts: usize, conflicts: usize) -> Self {
        Self {
            sets: DisjointSets::new(count),
            lowest: (0..count as u32).collect(),
            contacts: FxHashMap::with_capacity_and_hasher(contacts, FxBuildHasher),
            conflicts: FxHashSet::with_capacity_and_hasher(conflicts, FxBuildHasher),
            beside: vec![Vec::new(); count],
            against: vec![Vec::new(); count],
            queue: BinaryHeap::new(),
        }
    }

    /// Adds `links` to the contact of two sheets.
    pub(super) fn add_contact(&mut self, one: u32, two: u32, links: u32) {
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
    pub(super) fn add_conflict(&mut self, one: u32, two: u32) {
        if self.conflicts.insert(pack(one, two)) {
            self.against[one as usize].push(two);
            self.against[two as usize].push(one);
        }
    }

    /// Returns the sheet of `piece`.
    pub(super) fn find(&mut self, piece: u32) -> u32 {
        self.sets.find(piece)
    }

    /// Proposes to join two sheets if they touch along at least `least` links and do not conflict.
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

    /// Joins the proposed pairs, the longest contact first. Pairs whose contact grows by a join are
    /// also proposed if `may_join(links, one, two)`.
    pub(super) fn join_proposed(&mut self, may_join: impl Fn(u32, u32, u32) -> bool) {
        while let Some((links, _, _, one, two)) = self.queue.pop() {
            checkpoint();
            // A pair with another number of links is stale: it has been proposed again, or one of
            // the two sheets no longer exists.
            let pair = pack(one, two);
            if self.contacts.get(&pair) == Some(&links) && !self.conflicts.contains(&pair) {
                self.join(one, two, &may_join);
            }
        }
    }

    fn join(&mut self, one: u32, two: u32, may_join: &impl Fn(u32, u32, u32) -> bool) {
        let entries = |sheet: u32| self.beside[sheet as usize].len() + self.against[sheet as usize].len();
        // The shorter lists move, so each entry moves at most a logarithmic number of times.
        let (into, from) = if entries(one) >= entries(two) { (one, two) } else { (two, one) };
        self.sets.put(from, into);
        self.lowest[into as usize] = self.lowest[into as usize].min(self.lowest[from as usize]);
        self.contacts.remove(&pack(into, from));
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
