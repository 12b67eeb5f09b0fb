//! Distribution of the pieces of a sheet to its neighbours, to reduce the number of sheets.

#![expect(clippy::cast_possible_truncation, reason = "numbers of pieces, which fit 32 bits")]

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use waymesh_core::{Buckets, checkpoint};

use super::graph::PieceGraph;
use crate::stacks::Occupied;

/// Largest number of pieces of a sheet that can be dissolved. The sheets that remain at the turns
/// of a spiral are small.
const MOST_PIECES: usize = 256;

/// Dissolves sheets, the smallest first, if their neighbours can take all of their pieces and seams
/// do not become longer.
///
/// Adjacent sheets on a spiral may each be too long to join any two of them, although fewer sheets
/// would be enough. Then a sheet between two others is divided among them.
///
/// `occupied` contains the pieces of each sheet. Returns the number of dissolved sheets.
pub(super) fn dissolve_sheets(
    graph: &PieceGraph,
    beside: &Buckets<(u32, u32)>,
    occupied: &mut Occupied,
    sheets: &mut [u32],
) -> u32 {
    let count = graph.blocks.len();
    let mut members: Vec<(u32, u32)> = sheets.iter().copied().zip(0..count as u32).collect();
    members.sort_unstable();
    let mut groups: Vec<&[(u32, u32)]> =
        members.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() <= MOST_PIECES).collect();
    groups.sort_by_key(|group| (group.len(), group[0].1));
    let mut taker = Taker {
        beside,
        occupied,
        sheets,
        has_taken: vec![false; count],
        is_at_work: vec![false; count],
        queue: BinaryHeap::new(),
    };
    groups.into_iter().map(|group| u32::from(taker.dissolve(group))).sum()
}

struct Taker<'a> {
    beside: &'a Buckets<(u32, u32)>,
    occupied: &'a mut Occupied,
    sheets: &'a mut [u32],
    /// `true` for sheets that have taken pieces of another one. They wait for the next round.
    has_taken: Vec<bool>,
    /// `true` for pieces of the current sheet.
    is_at_work: Vec<bool>,
    /// Pieces, each with a sheet that may take it: the longest contact first, then the lowest
    /// piece.
    queue: BinaryHeap<(u32, Reverse<u32>, Reverse<u32>)>,
}

impl Taker<'_> {
    fn dissolve(&mut self, group: &[(u32, u32)]) -> bool {
        let sheet = group[0].0;
        if self.has_taken[sheet as usize] {
            return false;
        }
        group.iter().for_each(|&(_, piece)| self.is_at_work[piece as usize] = true);
        let before = self.seams(group);
        let is_gone = self.share_out(group) && self.seams(group) <= before;
        for &(_, piece) in group {
            checkpoint();
            if is_gone {
                self.has_taken[self.sheets[piece as usize] as usize] = true;
            } else {
                self.give(piece, sheet);
            }
            self.is_at_work[piece as usize] = false;
        }
        is_gone
    }

    /// Gives each piece to an adjacent sheet without a conflict. Returns `true` if all pieces are
    /// given away.
    fn share_out(&mut self, group: &[(u32, u32)]) -> bool {
        let beside = self.beside;
        let sheet = group[0].0;
        self.queue.clear();
        for &(_, piece) in group {
            for &(other, _) in beside.of(piece as usize) {
                let into = self.sheets[other as usize];
                if into != sheet {
                    self.queue.push((self.contact(piece, into), Reverse(piece), Reverse(into)));
                }
            }
        }
        let mut left = group.len();
        while let Some((links, Reverse(piece), Reverse(into))) = self.queue.pop() {
            checkpoint();
            // An offer with another contact is stale: the piece has been given away, or has been
            // offered again.
            let is_stale = self.sheets[piece as usize] != sheet || self.contact(piece, into) != links;
            if is_stale || !self.occupied.fits(piece, into) {
                continue;
            }
            self.give(piece, into);
            left -= 1;
            for &(other, _) in beside.of(piece as usize) {
                if self.sheets[other as usize] == sheet {
                    self.queue.push((self.contact(other, into), Reverse(other), Reverse(into)));
                }
            }
        }
        left == 0
    }

    fn give(&mut self, piece: u32, into: u32) {
        let from = std::mem::replace(&mut self.sheets[piece as usize], into);
        self.occupied.move_all(&[piece], from, into);
    }

    /// Returns the number of links between a piece and a sheet.
    fn contact(&self, piece: u32, sheet: u32) -> u32 {
        let links =
            self.beside.of(piece as usize).iter().filter(|(other, _)| self.sheets[*other as usize] == sheet);
        links.fold(0, |sum, &(_, links)| sum.saturating_add(links))
    }

    /// Returns the number of links from pieces of the group to other sheets, and between pieces of
    /// the group that are in different sheets.
    fn seams(&self, group: &[(u32, u32)]) -> u64 {
        let links = |piece: u32| {
            let others = self.beside.of(piece as usize).iter().filter(move |&&(other, _)| {
                let is_counted_there = self.is_at_work[other as usize] && other < piece;
                self.sheets[other as usize] != self.sheets[piece as usize] && !is_counted_there
            });
            others.map(|&(_, links)| u64::from(links)).sum::<u64>()
        };
        group.iter().map(|&(_, piece)| links(piece)).sum()
    }
}
