//! Memory of queries on the surface, and polygons cut to a square.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use waymesh_core::PolyId;

use crate::geometry::plan::{PlanPosition, orientation};
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

/// A convex polygon cut to a square: a line cuts off at most one corner more than it adds.
#[derive(Clone, Debug, Default)]
pub(super) struct Cut {
    pub(super) corners: Vec<PlanPosition>,
    other: Vec<PlanPosition>,
}

impl Cut {
    pub(super) fn crop(&mut self, middle: PlanPosition, radius: f64) {
        for (axis, sign) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)] {
            let beyond = |p: &PlanPosition| {
                let along = if axis == 0 { p.x - middle.x } else { p.z - middle.z };
                along * sign - radius
            };
            self.other.clear();
            for (index, &b) in self.corners.iter().enumerate() {
                let a = self.corners[if index == 0 { self.corners.len() - 1 } else { index - 1 }];
                let (from, to) = (beyond(&a), beyond(&b));
                if (from > 0.0) != (to > 0.0) {
                    let t = from / (from - to);
                    self.other.push(PlanPosition { x: a.x + (b.x - a.x) * t, z: a.z + (b.z - a.z) * t });
                }
                if to <= 0.0 {
                    self.other.push(b);
                }
            }
            std::mem::swap(&mut self.corners, &mut self.other);
        }
    }

    pub(super) fn doubled_area(&self) -> f64 {
        let Some(&first) = self.corners.first() else { return 0.0 };
        let fans = self.corners.windows(2);
        fans.map(|pair| orientation(first, pair[0], pair[1]).max(0.0)).sum()
    }
}
