//! What queries on the surface write.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::sample::Cut;

/// Memory of queries that look about on the surface. One per thread; it serves any mesh: 4 bytes a cell, and 16 a cell looked at.
#[derive(Clone, Debug, Default)]
pub struct SurfaceScratch {
    stamp: u32,
    seen: Vec<u32>,
    /// Cells to look at, nearest first: bits of the squared distance, cell.
    open: BinaryHeap<Reverse<(u64, u32)>>,
    /// Cells to look at, in the order in which they were found.
    pub(super) row: Vec<u32>,
    /// Areas of what is seen of each cell, summed up.
    pub(super) shares: Vec<(f64, u32)>,
    /// A cell cut to what is near.
    pub(super) cut: Cut,
}

impl SurfaceScratch {
    pub(super) fn begin(&mut self, cells: usize, first: u32) {
        if self.stamp == u32::MAX {
            self.seen.clear();
            self.stamp = 0;
        }
        self.stamp += 1;
        if self.seen.len() < cells {
            self.seen.resize(cells, 0);
        }
        self.open.clear();
        self.row.clear();
        self.shares.clear();
        self.open(first, 0.0);
    }

    /// As [`Self::begin`], for a search that keeps no order.
    pub(super) fn begin_rows(&mut self, cells: usize, first: u32) {
        self.begin(cells, first);
        self.open.clear();
        self.row.push(first);
    }

    #[inline]
    pub(super) fn is_seen(&self, cell: u32) -> bool {
        self.seen[cell as usize] == self.stamp
    }

    /// Adds a cell to the row.
    #[inline]
    pub(super) fn open_row(&mut self, cell: u32) {
        self.seen[cell as usize] = self.stamp;
        self.row.push(cell);
    }

    /// Opens a cell that was not opened before.
    pub(super) fn open(&mut self, cell: u32, distance: f64) {
        if std::mem::replace(&mut self.seen[cell as usize], self.stamp) != self.stamp {
            self.open.push(Reverse((distance.to_bits(), cell)));
        }
    }

    /// The nearest open cell, with its distance.
    pub(super) fn next(&mut self) -> Option<(f64, u32)> {
        self.open.pop().map(|Reverse((bits, cell))| (f64::from_bits(bits), cell))
    }
}
