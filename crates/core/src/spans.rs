//! The interface of a field that partitions, contour tracers and height fitting use.

use std::fmt::Debug;
use std::ops::Range;

use crate::{AreaId, Direction, WalkableField};

/// A field of walkable spans: a [`WalkableField`], or a field with fewer tables
/// ([`SlimSpans`](crate::SlimSpans)).
///
/// # Contract
/// Spans are numbered column by column, row by row, bottom to top, as in [`WalkableField`]. Links
/// are symmetric and lead to the adjacent column. Columns are numbered `z * width + x`.
pub trait SpanField: Debug + Sync {
    /// Returns the number of columns along x.
    fn width(&self) -> u32;

    /// Returns the first span of each column, and the number of spans at the end.
    fn columns(&self) -> &[u32];

    /// Returns the height of the ground of each span, in levels.
    fn ground(&self) -> &[f32];

    /// Returns the lengths of all tables with an entry per span.
    fn table_lengths(&self) -> [usize; 4];

    /// Returns the level of a span's floor.
    fn floor(&self, span: u32) -> i32;

    /// Returns the area of a span.
    fn area(&self, span: u32) -> AreaId;

    /// Sets the area of a span.
    fn set_area(&mut self, span: u32, area: AreaId);

    /// Returns the span that `span` of column `column` links to; [`NO_SPAN`](crate::NO_SPAN) for a
    /// missing link.
    fn link(&self, column: u32, span: u32, direction: Direction) -> u32;

    /// Returns the spans of column `(x, z)`.
    ///
    /// # Panics
    /// If the column lies outside the grid.
    #[inline]
    fn spans_at(&self, x: u32, z: u32) -> Range<u32> {
        let column = z as usize * self.width() as usize + x as usize;
        let columns = self.columns();
        columns[column]..columns[column + 1]
    }
}

impl SpanField for WalkableField {
    #[inline]
    fn width(&self) -> u32 {
        self.frame.width
    }

    #[inline]
    fn columns(&self) -> &[u32] {
        &self.columns
    }

    #[inline]
    fn ground(&self) -> &[f32] {
        &self.ground
    }

    fn table_lengths(&self) -> [usize; 4] {
        [self.span_columns.len(), self.links.len(), self.ground.len(), self.area.len()]
    }

    #[inline]
    fn floor(&self, span: u32) -> i32 {
        self.floor[span as usize]
    }

    #[inline]
    fn area(&self, span: u32) -> AreaId {
        self.area[span as usize]
    }

    fn set_area(&mut self, span: u32, area: AreaId) {
        self.area[span as usize] = area;
    }

    #[inline]
    fn link(&self, _column: u32, span: u32, direction: Direction) -> u32 {
        self.links[span as usize][direction.index()]
    }
}
