//! The solid parts of every column, collected triangle by triangle.
//!
//! Unlike a fragment of `crates/voxel`, a slab has three levels only; [`Slabs::finish`] decides at
//! once where an agent can stand. The area of the ground is found afterwards, if it is needed
//! (`paint.rs`). Stage crates never use one another.

use crate::spans::{NOTHING, SpanGrid};

/// Lowest level, highest level, and the highest level that a walkable triangle reaches ([`NOTHING`]
/// if none does).
pub(crate) type Slab = [i32; 3];

const EMPTY: Slab = [i32::MAX, i32::MIN, NOTHING];

#[inline(always)]
fn join(a: Slab, b: Slab) -> Slab {
    [a[0].min(b[0]), a[1].max(b[1]), a[2].max(b[2])]
}

#[inline(always)]
fn touch(a: Slab, b: Slab) -> bool {
    a[0] <= b[1] && b[0] <= a[1]
}

/// Sentinel for a missing entry.
const END: u32 = u32::MAX;
/// Number of entries of a column's list that are searched for a slab to join. [`Slabs::finish`]
/// joins the remaining slabs.
const SEARCHED: usize = 4;

/// Slabs of all columns. Each column stores one slab in place, which is enough for most columns,
/// and a list of slabs that do not touch it. Reused from tile to tile.
///
/// Joining slabs takes the minimum or maximum of each number, so their order does not matter.
#[derive(Debug, Default)]
pub(crate) struct Slabs {
    slabs: Vec<Slab>,
    /// The first further slab of each column.
    heads: Vec<u32>,
    /// Further slabs, each with the index of the next slab in its column.
    spilled: Vec<(Slab, u32)>,
    column: Vec<Slab>,
}

/// Takes the slabs of a triangle.
pub(crate) trait SlabSink {
    /// Adds a slab to a column.
    fn add(&mut self, column: usize, slab: Slab);

    /// Adds the same slab to the columns `from..to`.
    #[inline]
    fn add_run(&mut self, from: usize, to: usize, slab: Slab) {
        for column in from..to {
            self.add(column, slab);
        }
    }
}

impl SlabSink for Slabs {
    #[inline(always)]
    fn add(&mut self, column: usize, slab: Slab) {
        let own = &mut self.slabs[column];
        if touch(*own, slab) || own[1] == i32::MIN {
            *own = join(*own, slab);
        } else {
            self.spill(column, slab);
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a tile has less than 2^32 columns, which is checked before"
)]
impl Slabs {
    /// Resets the tables to `columns` empty columns.
    pub(crate) fn reset(&mut self, columns: usize) {
        self.slabs.clear();
        self.slabs.resize(columns, EMPTY);
        self.heads.clear();
        self.heads.resize(columns, END);
        self.spilled.clear();
    }

    #[inline(never)]
    fn spill(&mut self, column: usize, slab: Slab) {
        let mut entry = self.heads[column];
        for _ in 0..SEARCHED {
            let Some((other, next)) = self.spilled.get_mut(entry as usize) else { break };
            if touch(*other, slab) {
                *other = join(*other, slab);
                return;
            }
            entry = *next;
        }
        self.spilled.push((slab, self.heads[column]));
        self.heads[column] = self.spilled.len() as u32 - 1;
    }

    /// Turns the slabs into spans. An agent can stand on the highest walkable triangle of a span if
    /// it lies at most `step` levels below the top and has `height` levels of head room below the
    /// next span. Returns the number of spans that lack only the head room.
    pub(crate) fn finish(&mut self, width: usize, step: i32, height: i32, out: &mut SpanGrid) -> u64 {
        out.clear(width, self.slabs.len());
        let mut low_ceilings = 0;
        let level = |slab: &Slab| {
            let walkable = slab[2] != NOTHING && slab[2] >= slab[1] - step;
            if walkable { slab[2] } else { NOTHING }
        };
        for (own, &head) in self.slabs.iter().zip(&self.heads) {
            if head == END {
                if own[1] != i32::MIN {
                    out.push(own[0], own[1], level(own));
                }
                out.end_column();
                continue;
            }
            self.column.clear();
            self.column.push(*own);
            let mut entry = head;
            while let Some(&(slab, next)) = self.spilled.get(entry as usize) {
                self.column.push(slab);
                entry = next;
            }
            self.column.sort_unstable();
            let mut merged = self.column[0];
            for slab in self.column[1..].iter().copied().chain([EMPTY]) {
                if touch(merged, slab) {
                    merged = join(merged, slab);
                    continue;
                }
                let mut floor = level(&merged);
                if floor != NOTHING && slab[1] != i32::MIN && slab[0].saturating_sub(floor) < height {
                    floor = NOTHING;
                    low_ceilings += 1;
                }
                out.push(merged[0], merged[1], floor);
                merged = slab;
            }
            out.end_column();
        }
        low_ceilings
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waymesh_testkit::Random;

    fn spans(slabs: &[Slab], height: i32) -> Vec<(i32, i32, i32)> {
        let (mut store, mut grid) = (Slabs::default(), SpanGrid::default());
        store.reset(2);
        for &slab in slabs {
            store.add_run(1, 2, slab);
        }
        store.finish(2, 1, height, &mut grid);
        assert!(grid.column(0).is_empty());
        grid.column(1).map(|span| (grid.bottom(span), grid.top(span), grid.floor(span))).collect()
    }

    #[test]
    fn what_touches_is_one_span_that_only_low_obstacles_leave_walkable() {
        assert_eq!(spans(&[[0, 3, 3], [3, 5, NOTHING]], 4), [(0, 5, NOTHING)]);
        assert_eq!(spans(&[[0, 4, 4], [3, 5, NOTHING]], 4), [(0, 5, 4)]);
        assert_eq!(
            spans(&[[0, 0, 0], [7, 7, NOTHING], [9, 9, 9]], 4),
            [(0, 0, 0), (7, 7, NOTHING), (9, 9, 9)]
        );
        assert_eq!(spans(&[[0, 0, 0], [3, 9, 9]], 4), [(0, 0, NOTHING), (3, 9, 9)]);
        // A slab that joins two others.
        assert_eq!(spans(&[[0, 1, 1], [5, 6, 6], [9, 9, 9], [1, 5, NOTHING]], 2), [(0, 6, 6), (9, 9, 9)]);
    }

    #[test]
    fn the_order_of_the_slabs_does_not_matter() {
        let mut random = Random::new(5);
        for _ in 0..300 {
            let mut slabs: Vec<Slab> = (0..random.below(9) + 1)
                .map(|_| {
                    let bottom = random.below(30).cast_signed();
                    let top = bottom + random.below(5).cast_signed();
                    [bottom, top, if random.chance(0.5) { top } else { NOTHING }]
                })
                .collect();
            let expected = spans(&slabs, 3);
            for pair in expected.windows(2) {
                assert!(pair[0].1 < pair[1].0);
            }
            for _ in 0..4 {
                slabs = random.permutation(slabs.len()).into_iter().map(|index| slabs[index]).collect();
                assert_eq!(spans(&slabs, 3), expected);
            }
        }
    }
}
