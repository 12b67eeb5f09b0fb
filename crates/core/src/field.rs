//! The walkable surface as spans with links.

use crate::{AreaId, GridFrame, Validate, Violation, ViolationList};

/// Value of a missing link.
pub const NO_SPAN: u32 = u32::MAX;

/// Clearance of a span with nothing above it.
pub const OPEN_SKY: u32 = u32::MAX;

/// One of the four sides of a cell, in order around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Direction {
    /// Towards smaller x.
    NegX = 0,
    /// Towards larger z.
    PosZ = 1,
    /// Towards larger x.
    PosX = 2,
    /// Towards smaller z.
    NegZ = 3,
}

impl Direction {
    /// All four directions, in order.
    pub const ALL: [Self; 4] = [Self::NegX, Self::PosZ, Self::PosX, Self::NegZ];

    /// Returns the index into [`WalkableField::links`].
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the direction with this index, modulo four.
    #[inline]
    #[must_use]
    pub const fn from_index(index: usize) -> Self {
        Self::ALL[index & 3]
    }

    /// Returns the opposite direction.
    #[inline]
    #[must_use]
    pub const fn opposite(self) -> Self {
        Self::from_index(self as usize + 2)
    }

    /// Returns the next direction in order: `NegX -> PosZ -> PosX -> NegZ`.
    #[inline]
    #[must_use]
    pub const fn next(self) -> Self {
        Self::from_index(self as usize + 1)
    }

    /// Returns the previous direction in order.
    #[inline]
    #[must_use]
    pub const fn previous(self) -> Self {
        Self::from_index(self as usize + 3)
    }

    /// Returns the step in x and z.
    #[inline]
    #[must_use]
    pub const fn offset(self) -> (i32, i32) {
        match self {
            Self::NegX => (-1, 0),
            Self::PosZ => (0, 1),
            Self::PosX => (1, 0),
            Self::NegZ => (0, -1),
        }
    }
}

/// The walkable surface, as a graph of spans with up to four neighbours each.
///
/// # Layout
/// Structure of arrays, one entry per span, spans numbered column by column (row-major), bottom to
/// top. Links are span numbers, not layer numbers: following a link needs no coordinates and no
/// column lookup, and a column may have any number of storeys. Spans whose `area` is
/// [`AreaId::NULL`] (eroded, removed) stay in the arrays and keep their links.
///
/// # Invariants
/// Links are symmetric, lead to the adjacent column in their direction, and never leave the grid.
#[derive(Clone, Debug, PartialEq)]
pub struct WalkableField {
    /// Place and size of the grid.
    pub frame: GridFrame,
    /// First span of each column, and the number of spans at the end; `width * depth + 1` entries.
    pub columns: Vec<u32>,
    /// Column of each span, `z * width + x`.
    pub span_columns: Vec<u32>,
    /// Level of the floor: the top of the solid below.
    pub floor: Vec<i32>,
    /// Free levels above the floor, [`OPEN_SKY`] if nothing is above.
    pub clearance: Vec<u32>,
    /// Height in levels of the true surface at the cell's centre, unbiased.
    pub ground: Vec<f32>,
    /// Neighbour by [`Direction::index`]; [`NO_SPAN`] if no neighbour is within a step.
    pub links: Vec<[u32; 4]>,
    /// Area of the ground; [`AreaId::NULL`] if the span is not walkable.
    pub area: Vec<AreaId>,
}

impl WalkableField {
    /// Returns a field without spans.
    #[must_use]
    pub fn empty(frame: GridFrame) -> Self {
        Self {
            frame,
            columns: vec![0; frame.column_count() + 1],
            span_columns: Vec::new(),
            floor: Vec::new(),
            clearance: Vec::new(),
            ground: Vec::new(),
            links: Vec::new(),
            area: Vec::new(),
        }
    }

    /// Returns the number of spans, walkable or not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.span_columns.len()
    }

    /// Returns `true` if the field has no spans.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.span_columns.is_empty()
    }

    /// Returns `true` if `span` is walkable.
    #[inline]
    #[must_use]
    pub fn is_walkable(&self, span: u32) -> bool {
        self.area[span as usize].is_walkable()
    }

    /// Returns the walkable neighbour of `span` in `direction`.
    #[inline]
    #[must_use]
    pub fn walkable_neighbour(&self, span: u32, direction: Direction) -> Option<u32> {
        let neighbour = self.links[span as usize][direction.index()];
        (neighbour != NO_SPAN && self.is_walkable(neighbour)).then_some(neighbour)
    }

    /// Returns the plan coordinates `(x, z)` of the cell of `span`.
    #[inline]
    #[must_use]
    pub fn column_of(&self, span: u32) -> (u32, u32) {
        let cell = self.span_columns[span as usize];
        (cell % self.frame.width, cell / self.frame.width)
    }

    /// Returns the spans of column `(x, z)`.
    ///
    /// # Panics
    /// If the column lies outside the grid.
    #[inline]
    #[must_use]
    pub fn column(&self, x: u32, z: u32) -> std::ops::Range<u32> {
        let column = z as usize * self.frame.width as usize + x as usize;
        self.columns[column]..self.columns[column + 1]
    }

    /// Returns `true` if any span is walkable. Stops at the first one.
    #[must_use]
    pub fn has_ground(&self) -> bool {
        self.area.iter().any(|area| area.is_walkable())
    }

    /// Returns the number of walkable spans.
    #[must_use]
    pub fn walkable_spans(&self) -> usize {
        // Sums of bytes are vectorised better than sums of wider integers.
        let of = |areas: &[AreaId]| areas.iter().map(|area| u8::from(area.is_walkable())).sum::<u8>();
        self.area.chunks(usize::from(u8::MAX)).map(|areas| usize::from(of(areas))).sum()
    }

    /// Returns the plan area of the walkable spans in square metres.
    #[must_use]
    pub fn walkable_area(&self) -> f64 {
        self.walkable_spans() as f64 * self.frame.cell_area()
    }
}

impl Validate for WalkableField {
    /// Checks that tables agree in length, columns ascend, floors ascend in a column, and links are
    /// symmetric and lead to the adjacent column.
    fn violations(&self, out: &mut ViolationList) {
        let spans = self.span_columns.len();
        let lengths =
            [self.floor.len(), self.clearance.len(), self.ground.len(), self.links.len(), self.area.len()];
        if lengths != [spans; 5]
            || !crate::validate::is_prefix_table(&self.columns, self.frame.column_count(), spans)
        {
            out.push(Violation::BrokenTable { table: "walkable field" });
            return;
        }
        let (width, depth) = (i64::from(self.frame.width), i64::from(self.frame.depth));
        for (column, range) in self.columns.windows(2).enumerate() {
            for index in range[0]..range[1] {
                let span = index as usize;
                if self.span_columns[span] as usize != column {
                    out.push(Violation::WrongColumn { span: index });
                    continue;
                }
                if index > range[0] && self.floor[span] <= self.floor[span - 1] {
                    out.push(Violation::TouchingSpans { span: index });
                }
                let (x, z) = self.column_of(index);
                for direction in Direction::ALL {
                    let neighbour = self.links[span][direction.index()];
                    if neighbour == NO_SPAN {
                        continue;
                    }
                    let (dx, dz) = direction.offset();
                    let (nx, nz) = (i64::from(x) + i64::from(dx), i64::from(z) + i64::from(dz));
                    let inside = (0..width).contains(&nx) && (0..depth).contains(&nz);
                    let right_column = inside
                        && (neighbour as usize) < spans
                        && i64::from(self.span_columns[neighbour as usize]) == nz * width + nx;
                    if !right_column || self.links[neighbour as usize][direction.opposite().index()] != index
                    {
                        out.push(Violation::AsymmetricLink { span: index, neighbour });
                    }
                }
            }
        }
    }
}
