//! What partitions and tracers ask of a field, or of a part of one.

use std::fmt::Debug;
use std::ops::Range;

use crate::{AreaId, Direction, FieldWindow, GridFrame, GridWindow, NO_REGION, SpanKey, WalkableField};

/// Spans that one can stand on, as far as they are cut into regions and their borders traced.
/// Tables may be kept or implied.
///
/// # Contract
/// As of [`WalkableField`]: spans are numbered column by column, row by row, from the lowest up;
/// links are symmetric and lead to the adjacent column. A `cell` is the number of a span's column,
/// `z * width + x`.
pub trait SpanField: Debug + Sync {
    /// Columns along x.
    fn width(&self) -> u32;

    /// First span of each column, and the number of spans at the end.
    fn columns(&self) -> &[u32];

    /// Height of the ground in levels, of each span.
    fn ground(&self) -> &[f32];

    /// The lengths of all tables that have an entry per span.
    fn table_lengths(&self) -> impl Iterator<Item = usize>;

    /// Level of a span's floor.
    fn floor(&self, span: u32) -> i32;

    /// What kind of ground a span is.
    fn area(&self, span: u32) -> AreaId;

    /// The span that one in column `cell` links to, [`NO_SPAN`](crate::NO_SPAN) if there is none.
    fn link(&self, cell: u32, span: u32, direction: Direction) -> u32;

    /// Whether each of some spans links in this direction to the one as far behind `first` as it is
    /// behind the first of them; that one lies in the column beside its own. `false` also where
    /// it cannot be told at a glance.
    fn leads_straight(&self, spans: Range<u32>, direction: Direction, first: u32) -> bool;

    /// Calls `each` with the column and the number of spans, in order: of all with a region from
    /// which a link leads nowhere or to a span with another label, and of others as well. No
    /// two spans side by side have a label without a link between them.
    fn for_each_rim(&self, labels: &[u32], each: impl FnMut(u32, u32));

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

    fn table_lengths(&self) -> impl Iterator<Item = usize> {
        [self.span_columns.len(), self.links.len(), self.ground.len(), self.area.len()].into_iter()
    }

    #[inline]
    fn floor(&self, span: u32) -> i32 {
        self.floor[span as usize]
    }

    #[inline]
    fn area(&self, span: u32) -> AreaId {
        self.area[span as usize]
    }

    #[inline]
    fn link(&self, _cell: u32, span: u32, direction: Direction) -> u32 {
        self.links[span as usize][direction.index()]
    }

    #[inline]
    fn leads_straight(&self, spans: Range<u32>, direction: Direction, first: u32) -> bool {
        let links = &self.links[spans.start as usize..spans.end as usize];
        links.iter().zip(first..).all(|(links, there)| links[direction.index()] == there)
    }

    fn for_each_rim(&self, labels: &[u32], mut each: impl FnMut(u32, u32)) {
        let label_across = |link: u32| labels.get(link as usize).copied().unwrap_or(NO_REGION);
        for ((span, &label), links) in (0_u32..).zip(labels).zip(&self.links) {
            let [west, south, east, north] = *links;
            // One after the other: most spans are inside, and this is what all are asked.
            let is_inside = label == NO_REGION
                || label_across(west) == label
                    && label_across(south) == label
                    && label_across(east) == label
                    && label_across(north) == label;
            if !is_inside {
                each(self.span_columns[span as usize], span);
            }
        }
    }
}

/// A rectangular part of a field with a ring around it: a [`FieldWindow`], or one that keeps less.
pub trait SpanWindow {
    /// What it holds.
    type Field: SpanField;

    /// Place and size of the whole grid.
    fn frame(&self) -> &GridFrame;

    /// The columns this part is about.
    fn core(&self) -> GridWindow;

    /// The columns it holds.
    fn window(&self) -> GridWindow;

    /// The spans of these columns, numbered among themselves.
    fn field(&self) -> &Self::Field;

    /// The name of a span in column `(x, z)` of the whole grid.
    #[inline]
    fn key_at(&self, x: u32, z: u32, span: u32) -> SpanKey {
        SpanKey { z, x, floor: self.field().floor(span) }
    }
}

impl SpanWindow for FieldWindow {
    type Field = WalkableField;

    fn frame(&self) -> &GridFrame {
        &self.frame
    }

    fn core(&self) -> GridWindow {
        self.core
    }

    fn window(&self) -> GridWindow {
        self.window
    }

    fn field(&self) -> &WalkableField {
        &self.field
    }
}
