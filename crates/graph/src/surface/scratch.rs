//! Memory of queries on the surface.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use waymesh_core::PolyId;

use super::cut::Cut;
use crate::marks::Marks;

/// The part of a [`crate::QueryScratch`] that is for queries on the surface.
#[derive(Clone, Debug, Default)]
pub(crate) struct SurfaceScratch {
    seen: Marks,
    /// Polygons to visit, nearest first, ties in the order of discovery: bits of the squared distance,
    /// number of polygons found before, polygon.
    open: BinaryHeap<Reverse<(u64, u32, u32)>>,
    found: u32,
    /// Polygons to visit, in the order of discovery.
    pub(super) row: Vec<u32>,
    /// Areas of what is seen of each polygon, summed up.
    pub(super) shares: Vec<(f64, u32)>,
    /// Polygons that the last ray passed.
    pub(crate) passed: Vec<PolyId>,
    /// A polygon cut to what is near.
    pub(super) cut: Cut,
}

impl SurfaceScratch {
    pub(super) fn begin(&mut self, polygons: usize, first: u32) {
        self.seen.begin(polygons);
        self.open.clear();
        self.found = 0;
        self.row.clear();
        self.shares.clear();
        self.open(first, 0.0);
    }

    /// Begins a search without an order of distances.
    pub(super) fn begin_rows(&mut self, polygons: usize, first: u32) {
        self.begin(polygons, first);
        self.open.clear();
        self.row.push(first);
    }

    #[inline]
    pub(super) fn is_seen(&self, polygon: u32) -> bool {
        self.seen.has(polygon)
    }

    /// Adds a polygon to the row.
    #[inline]
    pub(super) fn open_row(&mut self, polygon: u32) {
        self.seen.mark(polygon);
        self.row.push(polygon);
    }

    /// Opens a polygon that was not opened before.
    pub(super) fn open(&mut self, polygon: u32, distance: f64) {
        if self.seen.mark(polygon) {
            self.open.push(Reverse((distance.to_bits(), self.found, polygon)));
            self.found += 1;
        }
    }

    /// Returns the nearest open polygon, with its distance.
    pub(super) fn next(&mut self) -> Option<(f64, u32)> {
        self.open.pop().map(|Reverse((bits, _, polygon))| (f64::from_bits(bits), polygon))
    }
}
