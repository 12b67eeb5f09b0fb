//! The 2.5D grid of a tile: spans column by column.

use std::ops::Range;

use waymesh_core::{AreaId, Direction, NO_SPAN, SpanField};

/// Sentinel for a missing level.
pub(crate) const NOTHING: i32 = i32::MIN;

/// The solid spans of a rectangle of columns, row by row, each column from bottom to top: `z_min`,
/// `z_max` and whether an agent can stand on the span (sections 2.2 and 2.3 of the paper). Labels
/// are stored separately, in [`crate::Segmentation`].
///
/// # Invariants
/// Spans of a column neither overlap nor touch, and are sorted from bottom to top.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpanGrid {
    width: usize,
    starts: Vec<u32>,
    bottom: Vec<i32>,
    top: Vec<i32>,
    /// The level on which an agent stands; [`NOTHING`] if the span is not walkable.
    floor: Vec<i32>,
    /// Height of the ground in levels. Empty, like `areas`, unless [`SpanGrid::set_grounds`] was
    /// called; without it all ground is [`AreaId::GROUND`].
    ground: Vec<f32>,
    areas: Vec<AreaId>,
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "less than 2^32 spans: every span takes bytes of the memory limit"
)]
impl SpanGrid {
    /// Creates a grid from columns of `(bottom, top, walkable)` spans, row by row, without
    /// triangles. An agent stands on the top of a walkable span.
    #[must_use]
    pub fn from_columns(width: usize, columns: &[Vec<(i32, i32, bool)>]) -> Self {
        let mut grid = Self::default();
        grid.clear(width, columns.len());
        for column in columns {
            for &(bottom, top, walkable) in column {
                grid.push(bottom, top, if walkable { top } else { NOTHING });
            }
            grid.end_column();
        }
        grid
    }

    pub(crate) fn clear(&mut self, width: usize, columns: usize) {
        self.width = width;
        self.starts.clear();
        self.starts.reserve(columns + 1);
        self.starts.push(0);
        self.bottom.clear();
        self.top.clear();
        self.floor.clear();
        self.ground.clear();
        self.areas.clear();
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, bottom: i32, top: i32, floor: i32) {
        self.bottom.push(bottom);
        self.top.push(top);
        self.floor.push(floor);
    }

    #[inline(always)]
    pub(crate) fn end_column(&mut self) {
        self.starts.push(self.floor.len() as u32);
    }

    /// Returns the number of columns in a row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.starts.len().saturating_sub(1).checked_div(self.width).unwrap_or(0)
    }

    /// Returns the number of spans.
    #[must_use]
    pub fn len(&self) -> usize {
        self.floor.len()
    }

    /// Returns `true` if there is no span.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.floor.is_empty()
    }

    /// Returns the spans of a column. The index of a column is `z * width + x`.
    #[inline(always)]
    #[must_use]
    pub fn column(&self, column: usize) -> Range<usize> {
        self.starts[column] as usize..self.starts[column + 1] as usize
    }

    /// Returns the lowest level of a span.
    #[inline(always)]
    #[must_use]
    pub fn bottom(&self, span: usize) -> i32 {
        self.bottom[span]
    }

    /// Returns the highest level of a span.
    #[inline(always)]
    #[must_use]
    pub fn top(&self, span: usize) -> i32 {
        self.top[span]
    }

    /// Returns `true` if an agent can stand on a span.
    #[inline(always)]
    #[must_use]
    pub fn is_walkable(&self, span: usize) -> bool {
        self.floor[span] != NOTHING
    }

    /// Returns the level on which an agent stands on a span: its top, or the ground below an
    /// obstacle that an agent can step over.
    #[inline(always)]
    pub(crate) fn floor(&self, span: usize) -> i32 {
        self.floor[span]
    }

    /// Returns the lowest span of `column` that reaches this level: the one that holds the level,
    /// if any does.
    #[inline(always)]
    pub(crate) fn reaching(&self, column: usize, level: i32) -> Option<usize> {
        let spans = self.column(column);
        let span = spans.start + self.top[spans.clone()].partition_point(|&top| top < level);
        (span < spans.end).then_some(span)
    }

    /// Returns the spans of `column` that hold a level from `low` to `high`.
    #[inline(always)]
    pub(crate) fn between(&self, column: usize, low: i64, high: i64) -> Range<usize> {
        let Range { start, end } = self.column(column);
        let first = start + self.top[start..end].partition_point(|&top| i64::from(top) < low);
        first..first + self.bottom[first..end].partition_point(|&bottom| i64::from(bottom) <= high)
    }

    /// Returns the span of `column` that is walkable at exactly this level.
    #[inline(always)]
    #[must_use]
    pub fn at_level(&self, column: usize, level: i32) -> Option<usize> {
        // A floor lies in its span, and spans do not overlap.
        self.reaching(column, level).filter(|&span| self.floor[span] == level)
    }

    /// Does the work of [`SpanGrid::at_level`], and tries `place` in the column first: adjacent
    /// columns usually have the same storeys.
    #[inline(always)]
    pub(crate) fn at_level_near(&self, column: usize, level: i32, place: usize) -> Option<usize> {
        let spans = self.column(column);
        let guess = spans.start + place;
        if guess < spans.end && self.floor[guess] == level {
            return Some(guess);
        }
        self.at_level(column, level)
    }

    /// Returns `false` if all ground is [`AreaId::GROUND`].
    pub(crate) fn has_areas(&self) -> bool {
        !self.areas.is_empty()
    }

    /// Returns the area of a walkable span.
    #[inline]
    pub(crate) fn area_of(&self, span: usize) -> AreaId {
        self.areas.get(span).copied().unwrap_or(AreaId::GROUND)
    }

    /// Sets the ground and the area of every span. Spans of [`AreaId::NULL`] are no longer
    /// walkable.
    pub(crate) fn set_grounds(&mut self, grounds: impl Iterator<Item = (f32, AreaId)>) {
        (self.ground, self.areas) = grounds.unzip();
        for (floor, area) in self.floor.iter_mut().zip(&self.areas) {
            if !area.is_walkable() {
                *floor = NOTHING;
            }
        }
    }

    /// Returns the level at which the head room above `span` ends. `end` is the end of its column's
    /// spans.
    #[inline(always)]
    pub(crate) fn ceiling(&self, span: usize, end: usize) -> i64 {
        if span + 1 < end { i64::from(self.bottom[span + 1]) } else { i64::MAX / 2 }
    }

    /// About the bytes in use per column.
    pub(crate) const BYTES_PER_COLUMN: u64 = 4;
    /// Bytes of a span with its entries in the other tables.
    pub(crate) const BYTES_PER_SPAN: u64 = 12 + 5 + 4;
}

/// The view that marks need. Spans have no links.
impl SpanField for SpanGrid {
    #[expect(clippy::cast_possible_truncation, reason = "the width of a part of a grid")]
    fn width(&self) -> u32 {
        self.width as u32
    }

    fn columns(&self) -> &[u32] {
        &self.starts
    }

    fn ground(&self) -> &[f32] {
        &self.ground
    }

    fn table_lengths(&self) -> [usize; 4] {
        [self.bottom.len(), self.top.len(), self.floor.len(), self.ground.len()]
    }

    fn floor(&self, span: u32) -> i32 {
        self.floor[span as usize]
    }

    fn area(&self, span: u32) -> AreaId {
        if self.is_walkable(span as usize) { self.area_of(span as usize) } else { AreaId::NULL }
    }

    fn set_area(&mut self, span: u32, area: AreaId) {
        self.areas.resize(self.floor.len(), AreaId::GROUND);
        self.areas[span as usize] = area;
        if !area.is_walkable() {
            self.floor[span as usize] = NOTHING;
        }
    }

    fn link(&self, _: u32, _: u32, _: Direction) -> u32 {
        NO_SPAN
    }
}
