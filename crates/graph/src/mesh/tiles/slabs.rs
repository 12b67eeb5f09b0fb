//! Room in tables for things that come, grow and go.

use std::collections::BTreeMap;
use std::ops::Range;

use waymesh_core::to_u32;

/// A piece of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slab {
    pub(crate) start: u32,
    /// Entries in use.
    pub(crate) len: u32,
    /// Entries that are its own.
    pub(crate) room: u32,
}

impl Slab {
    /// The entries in use.
    pub(crate) fn range(&self) -> Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }

    /// The entries that are its own and not in use.
    pub(crate) fn spare(&self) -> Range<usize> {
        self.range().end..self.start as usize + self.room as usize
    }
}

/// The pieces of a table: which are free, and where it ends.
#[derive(Clone, Debug, Default)]
pub(super) struct Slabs {
    end: u32,
    /// Entries of pieces that are taken.
    taken: u32,
    /// Starts of free pieces, by their room.
    free: BTreeMap<u32, Vec<u32>>,
}

impl Slabs {
    /// Rounds a length up by at most a quarter, so that freed slots can be reused.
    pub(super) fn room_for(len: u32) -> u32 {
        let step = 1 << len.max(16).ilog2().saturating_sub(2).min(28);
        len.checked_next_multiple_of(step).unwrap_or(len)
    }

    /// The pieces of a table of which these are taken, and that is so long at least.
    pub(super) fn of(taken: impl Iterator<Item = Slab>, least: usize) -> Self {
        let mut taken: Vec<Slab> = taken.filter(|slab| slab.room > 0).collect();
        taken.sort_unstable_by_key(|slab| slab.start);
        let end = taken.last().map_or(0, |last| last.start + last.room).max(to_u32(least));
        let mut slabs = Self { end, ..Self::default() };
        let mut next = 0;
        for slab in taken.into_iter().chain([Slab { start: slabs.end, len: 0, room: 0 }]) {
            if slab.start > next {
                slabs.free.entry(slab.start - next).or_default().push(next);
            }
            slabs.taken += slab.room;
            next = slab.start + slab.room;
        }
        slabs
    }

    /// The length of the table.
    pub(super) fn end(&self) -> u32 {
        self.end
    }

    /// Returns `true` if most of a long table is free.
    pub(super) fn is_sparse(&self) -> bool {
        const MIN_SPARSE_LEN: u32 = 1 << 10;
        self.end > MIN_SPARSE_LEN && self.taken < self.end / 4
    }

    /// Returns room for `len` entries: what the slab has, if that is enough and not far too much. The
    /// caller sees to it that the table stays short enough for 32 bits.
    pub(super) fn fit(&mut self, slab: Slab, len: u32) -> Slab {
        let wanted = Self::room_for(len);
        if slab.room >= wanted && slab.room / 4 <= wanted {
            return Slab { len, ..slab };
        }
        self.give(slab);
        if wanted == 0 {
            return Slab::default();
        }
        let fitting = self.free.range_mut(wanted..).next();
        let start = match fitting.and_then(|(&room, starts)| Some((starts.pop()?, room))) {
            Some((start, room)) => {
                if self.free.get(&room).is_some_and(Vec::is_empty) {
                    self.free.remove(&room);
                }
                if room > wanted {
                    self.free.entry(room - wanted).or_default().push(start + wanted);
                }
                start
            }
            None => {
                let start = self.end;
                self.end = start.saturating_add(wanted);
                start
            }
        };
        self.taken += wanted;
        Slab { start, len, room: wanted }
    }

    /// Takes a slab back.
    pub(super) fn give(&mut self, slab: Slab) {
        if slab.room > 0 {
            self.taken -= slab.room;
            self.free.entry(slab.room).or_default().push(slab.start);
        }
    }
}

#[cfg(test)]
mod tests {
    use waymesh_core::Random;

    use super::*;

    #[test]
    fn room_is_a_quarter_more_at_most() {
        for len in 0..5000 {
            let room = Slabs::room_for(len);
            assert!(room >= len && room <= (len + len / 4).max(len + 3), "{room} for {len}");
        }
    }

    /// No two slabs have an entry in common, and what is given back is used again.
    #[test]
    fn slabs_come_and_go() {
        let mut random = Random::new(3);
        let mut slabs = Slabs::default();
        let mut taken = vec![Slab::default(); 50];
        let mut longest = 0;
        for round in 0..20_000 {
            let at = random.index(taken.len());
            let len = random.below(40);
            if random.below(4) == 0 {
                slabs.give(std::mem::take(&mut taken[at]));
            } else {
                taken[at] = slabs.fit(taken[at], len);
                assert!(taken[at].len == len && taken[at].room >= len);
            }
            if round % 100 == 0 {
                let mut sorted: Vec<Slab> = taken.iter().copied().filter(|slab| slab.room > 0).collect();
                sorted.sort_by_key(|slab| slab.start);
                assert!(sorted.windows(2).all(|pair| pair[0].start + pair[0].room <= pair[1].start));
                assert!(sorted.last().is_none_or(|last| last.start + last.room <= slabs.end()));
                let sum: u32 = sorted.iter().map(|slab| slab.room).sum();
                assert_eq!(sum, slabs.taken);
                longest = longest.max(slabs.end());
            }
        }
        // Fifty slabs of 40 at most.
        assert!(longest < 5000, "{longest}");
        let again = Slabs::of(taken.iter().copied(), slabs.end() as usize);
        let free = |slabs: &Slabs| {
            slabs.free.iter().map(|(room, starts)| *room as usize * starts.len()).sum::<usize>()
        };
        assert_eq!((again.taken, again.end, free(&again)), (slabs.taken, slabs.end, free(&slabs)));
    }
}
