//! The view of a field that partitions, contour tracers and height fitting need.

use std::fmt::Debug;
use std::ops::Range;

use crate::{AreaId, Direction, WalkableField};

/// A field of walkable spans: a [`WalkableField`], or a field that keeps fewer tables
/// ([`SlimSpans`](crate::SlimSpans)).
///
/// # Contract
/// The same as for [`WalkableField`]: spans are numbered column by column, row by row, from the
/// lowest up; links are symmetric and lead to the adjacent column. Columns are numbered `z * width
/// + x`.
pub trait SpanField: Debug + Sync {
    /// Columns along x.
    fn width(&self) -> u32;

    /// First span of each column, and the number of spans at the end.
    fn columns(&self) -> &[u32];

    /// Height of the ground in levels, of each span.
    fn ground(&self) -> &[f32];

    /// The lengths of all tables that have an entry per span.
    fn table_lengths(&self) -> [usize; 4];

    /// Level of a span's floor.
    fn floor(&self, span: u32) -> i32;

    /// What kind of ground a span is.
    fn area(&self, span: u32) -> AreaId;

    /// Changes what kind of ground a span is.
    fn set_area(&mut self, span: u32, area: AreaId);

    /// The span that `span`, which lies in column `column`, links to;
    /// [`NO_SPAN`](crate::NO_SPAN) if there is none.
    fn link(&self, column: u32, span: u32, direction: Direction) -> u32;

    /// The spans of column `(x, z)`.
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
