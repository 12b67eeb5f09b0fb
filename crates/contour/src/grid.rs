//! A bucket grid over plan points, and the thin boxes of its queries.

use std::ops::Range;

use waymesh_core::{Buckets, PlanPoint};

use crate::boxes::{Line, PlanBox};

/// A kept vertex.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry {
    pub(crate) point: PlanPoint,
    /// Index in the table of arc vertices.
    pub(crate) index: u32,
    pub(crate) arc: u32,
}

/// The part of the plan between a chain of points and the segment between its ends, bounded by an
/// axis-parallel box and by two lines parallel to the segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strip {
    start: PlanPoint,
    end: PlanPoint,
    around: PlanBox,
    /// Range of the orientation of the chain's points relative to the segment.
    lowest: i64,
    highest: i64,
    /// Range of levels of the storey of the chain.
    levels: [f32; 2],
}

impl Strip {
    pub(crate) fn around(line: &Line<'_>, chain: Range<usize>, levels: [f32; 2]) -> Self {
        let (start, end) = (line.points()[chain.start], line.points()[chain.end - 1]);
        let (around, [lowest, highest]) = line.extent(chain);
        Self { start, end, around, lowest, highest, levels }
    }

    /// Returns `true` if a height in levels may be on the storey of the chain.
    pub(crate) fn is_level(&self, height: f32) -> bool {
        (self.levels[0]..=self.levels[1]).contains(&height)
    }

    #[inline]
    pub(crate) fn contains(&self, point: PlanPoint) -> bool {
        self.around.contains(point)
            && (self.lowest..=self.highest).contains(&PlanPoint::orientation(self.start, self.end, point))
    }

    /// Returns the range of x between the lines `z = low` and `z = high`, with slack for rounding.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "saturates; rounded outwards by a cell"
    )]
    fn columns(&self, low: i32, high: i32) -> (i32, i32) {
        let rise = f64::from(self.end.z) - f64::from(self.start.z);
        // For a strip nearly parallel to x, the box is as tight.
        if rise.abs() < 1.0 || self.around.max.x.saturating_sub(self.around.min.x) < 2 * (high - low) {
            return (self.around.min.x, self.around.max.x);
        }
        let run = f64::from(self.end.x) - f64::from(self.start.x);
        // orientation = run * (z - z0) - rise * (x - x0)
        let shift = |side: i64| f64::from(self.start.x) - side as f64 / rise;
        let along = |z: i32| (f64::from(z) - f64::from(self.start.z)) * run / rise;
        let (a, b) = (shift(self.lowest), shift(self.highest));
        let (c, d) = (along(low.max(self.around.min.z)), along(high.min(self.around.max.z)));
        let (from, to) = (a.min(b) + c.min(d) - 1.0, a.max(b) + c.max(d) + 1.0);
        (self.around.min.x.max(from.floor() as i32), self.around.max.x.min(to.ceil() as i32))
    }
}

/// A bucket grid of entries, for box queries. It is built once, in linear time.
#[derive(Debug, Default)]
pub(crate) struct BucketGrid {
    origin: PlanPoint,
    shift: u32,
    columns: usize,
    rows: usize,
    entries: Buckets<Entry>,
}

/// Smallest side of a bucket in cells, as a power of two: 4 cells, because kept vertices are rarely
/// denser.
const LEAST_SHIFT: u32 = 2;

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "coordinates are taken relative to the least one"
)]
impl BucketGrid {
    /// Builds a grid with about as many buckets as entries.
    pub(crate) fn new(entries: &[Entry]) -> Self {
        let Some(first) = entries.first() else { return Self::default() };
        let (mut min, mut max) = (first.point, first.point);
        for entry in entries {
            min = PlanPoint::new(min.x.min(entry.point.x), min.z.min(entry.point.z));
            max = PlanPoint::new(max.x.max(entry.point.x), max.z.max(entry.point.z));
        }
        let (width, depth) = (i64::from(max.x) - i64::from(min.x), i64::from(max.z) - i64::from(min.z));
        let size = |length: i64, shift: u32| (length >> shift) as usize + 1;
        let mut shift = LEAST_SHIFT;
        while size(width, shift).saturating_mul(size(depth, shift)) > 2 * entries.len() + 16 {
            shift += 1;
        }
        let (columns, rows) = (size(width, shift), size(depth, shift));
        let grid = Self { origin: min, shift, columns, rows, entries: Buckets::default() };
        let in_buckets = entries.iter().map(|entry| (grid.bucket(entry.point), *entry));
        Self { entries: Buckets::new(columns * rows, in_buckets), ..grid }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.items().len()
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        self.entries.items()
    }

    fn axis(&self, value: i32, origin: i32) -> i64 {
        (i64::from(value) - i64::from(origin)) >> self.shift
    }

    fn bucket(&self, point: PlanPoint) -> usize {
        self.axis(point.z, self.origin.z) as usize * self.columns + self.axis(point.x, self.origin.x) as usize
    }

    /// Calls `visit` for the entries in the strip until it returns a result, and returns that
    /// result.
    pub(crate) fn find_in_strip<T>(
        &self,
        strip: &Strip,
        mut visit: impl FnMut(&Entry) -> Option<T>,
    ) -> Option<T> {
        let rows = self.axis(strip.around.min.z, self.origin.z).max(0)
            ..self.axis(strip.around.max.z, self.origin.z).saturating_add(1).min(self.rows as i64);
        for row in rows {
            let low = (row << self.shift) + i64::from(self.origin.z);
            let high = low + (1 << self.shift);
            let (from, to) = strip.columns(low as i32, high.min(i64::from(i32::MAX)) as i32);
            let from = self.axis(from, self.origin.x).max(0);
            let to = self.axis(to, self.origin.x).min(self.columns as i64 - 1);
            if from > to {
                continue;
            }
            let first = row as usize * self.columns;
            for entry in self.entries.of_range(first + from as usize..first + to as usize + 1) {
                if strip.contains(entry.point)
                    && let Some(answer) = visit(entry)
                {
                    return Some(answer);
                }
            }
        }
        None
    }

    /// Returns the entries at `point`.
    pub(crate) fn at(&self, point: PlanPoint) -> impl Iterator<Item = &Entry> {
        let (column, row) = (self.axis(point.x, self.origin.x), self.axis(point.z, self.origin.z));
        let inside = (0..self.columns as i64).contains(&column) && (0..self.rows as i64).contains(&row);
        let entries = if inside { self.entries.of(self.bucket(point)) } else { &[] };
        entries.iter().filter(move |entry| entry.point == point)
    }
}
