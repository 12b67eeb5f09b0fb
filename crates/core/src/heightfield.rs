//! Solid voxels, run-length encoded per column.

use crate::{AreaId, GridFrame, Validate, Violation, ViolationList};

/// Steps per level of [`Span::ground_drop`].
pub const GROUND_STEPS_PER_LEVEL: u16 = 32;

/// A solid run of levels in one column: levels `bottom..top` are filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Zeroable)]
pub struct Span {
    /// Lowest filled level.
    pub bottom: i32,
    /// Level just above the highest filled one. Conservative: the surface is never higher.
    pub top: i32,
    /// Distance of the true surface at the cell's centre below `top`, in steps of a level divided
    /// by [`GROUND_STEPS_PER_LEVEL`]. Rounded to the nearest step; saturates at `u16::MAX` (2,048
    /// levels).
    pub ground_drop: u16,
    /// Area of the top; [`AreaId::NULL`] if it is not walkable.
    pub area: AreaId,
    /// `true` if an upward-facing triangle lies at the top, whatever its slope. `false` for the
    /// underside of a slab and for bare walls, which filters must not make walkable.
    pub upward: bool,
}

impl Span {
    /// Returns the height in levels of the true surface at the cell's centre. The error is at most
    /// half a ground step.
    #[inline]
    #[must_use]
    pub fn ground(&self) -> f32 {
        let top = self.top as f32;
        top - f32::from(self.ground_drop) / f32::from(GROUND_STEPS_PER_LEVEL)
    }
}

/// The spans of every column, sorted upward, in one array.
///
/// # Layout
/// `spans[columns[c]..columns[c + 1]]` are the spans of column `c`: two flat arrays without linked
/// lists. The four neighbours of a column are found by arithmetic.
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
    /// Returns a heightfield without spans.
    #[must_use]
    pub fn empty(frame: GridFrame) -> Self {
        Self { frame, columns: vec![0; frame.column_count() + 1], spans: Vec::new() }
    }

    /// Returns the spans of column `(x, z)`, bottom to top.
    ///
    /// # Panics
    /// If the column lies outside the grid.
    #[inline]
    #[must_use]
    pub fn column(&self, x: u32, z: u32) -> &[Span] {
        let column = z as usize * self.frame.width as usize + x as usize;
        &self.spans[self.columns[column] as usize..self.columns[column + 1] as usize]
    }

    /// Returns the number of walkable spans.
    #[must_use]
    pub fn walkable_spans(&self) -> usize {
        self.spans.iter().filter(|span| span.area.is_walkable()).count()
    }
}

impl Validate for Heightfield {
    /// Checks that columns ascend and cover all spans, and that spans in a column are not empty,
    /// ascend and have gaps of at least one level.
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
