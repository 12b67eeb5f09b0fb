//! Solid voxels, run-length encoded per column.

use crate::{AreaId, GridFrame, Validate, Violation, ViolationList};

/// Fractions of a level in which [`Span::ground_drop`] counts.
pub const GROUND_STEPS_PER_LEVEL: u16 = 32;

/// A solid run of levels in one column: levels `bottom..top` are filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Lowest filled level.
    pub bottom: i32,
    /// Level just above the highest filled one: conservative, the surface is never higher.
    pub top: i32,
    /// How far the true surface at the cell's centre lies below `top`, in steps of a level divided
    /// by [`GROUND_STEPS_PER_LEVEL`]. Rounded to the nearest step; saturates at `u16::MAX`
    /// (2,048 levels).
    pub ground_drop: u16,
    /// Whether one can stand on top, and on what.
    pub area: AreaId,
    /// Whether the top is the outside of something: a triangle that faces upward lies at it,
    /// however steep. False for the underside of a slab and for bare walls, on which nobody may
    /// be put by a filter.
    pub upward: bool,
}

impl Span {
    /// Height in levels of the true surface at the cell's centre. Error at most half a ground step.
    #[inline]
    #[must_use]
    pub fn ground(&self) -> f32 {
        #[expect(
            clippy::cast_precision_loss,
            reason = "levels are below 2^30; beyond 2^24 a level is under one part in 2^24"
        )]
        let top = self.top as f32;
        top - f32::from(self.ground_drop) / f32::from(GROUND_STEPS_PER_LEVEL)
    }
}

/// Spans of every column, sorted upward, one after the other in one array.
///
/// # Layout
/// `spans[columns[c]..columns[c + 1]]` are the spans of column `c`: two flat arrays, no links to
/// chase, and the four neighbours of a column are found by arithmetic.
#[derive(Clone, Debug, PartialEq)]
pub struct Heightfield {
    /// Place and size of the grid.
    pub frame: GridFrame,
    /// First span of each column, and the number of spans at the end; `width * depth + 1` entries.
    pub columns: Vec<u32>,
    /// All spans, column by column, bottom to top.
    pub spans: Vec<Span>,
}

impl Heightfield {
    /// A heightfield with no span.
    #[must_use]
    pub fn empty(frame: GridFrame) -> Self {
        Self { frame, columns: vec![0; frame.column_count() + 1], spans: Vec::new() }
    }

    /// The spans of column `(x, z)`, bottom to top.
    ///
    /// # Panics
    /// If the column lies outside the grid.
    #[inline]
    #[must_use]
    pub fn column(&self, x: u32, z: u32) -> &[Span] {
        let column = z as usize * self.frame.width as usize + x as usize;
        &self.spans[self.columns[column] as usize..self.columns[column + 1] as usize]
    }

    /// Number of spans one may stand on.
    #[must_use]
    pub fn walkable_spans(&self) -> usize {
        self.spans.iter().filter(|span| span.area.is_walkable()).count()
    }
}

impl Validate for Heightfield {
    /// Columns ascend and cover all spans; spans in a column are non-empty, ascend and keep a gap
    /// of a level at least.
    fn violations(&self, out: &mut ViolationList) {
        if !crate::validate::is_prefix_table(&self.columns, self.frame.column_count(), self.spans.len()) {
            out.push(Violation::BrokenTable { table: "heightfield columns" });
            return;
        }
        for column in self.columns.windows(2) {
            let mut ceiling = None;
            for index in column[0]..column[1] {
                let span = &self.spans[index as usize];
                if span.bottom >= span.top {
                    out.push(Violation::EmptySpan { span: index });
                }
                if Some(span.bottom) <= ceiling {
                    out.push(Violation::TouchingSpans { span: index });
                }
                ceiling = Some(span.top);
            }
        }
    }
}
