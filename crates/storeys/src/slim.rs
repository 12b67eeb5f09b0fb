//! Windows of drawn ground as few bytes.

use std::ops::Range;

use waymesh_core::{
    AreaId, Direction, FieldWindow, GridFrame, GridWindow, NO_REGION, NO_SPAN, OPEN_SKY, SpanField, SpanKey,
    SpanWindow, WalkableField,
};

/// The level above a height of the ground, which is how [`crate::refine_window`] numbers floors.
#[inline]
pub(crate) fn floor_above(ground: f32) -> i32 {
    let ground = f64::from(ground) - 1e-4;
    // Rounded up without the library call that `f64::ceil` is on the least common instruction set.
    #[expect(clippy::cast_possible_truncation, reason = "levels are checked with the frame")]
    let floor = ground as i32;
    floor + i32::from(f64::from(floor) < ground)
}

/// The span of a column nearest in height, counted in the column; the lowest of several.
#[inline]
pub(crate) fn nearest(column: &[f32], ground: f32, near: f32, guess: usize) -> usize {
    let is_near = |other: &f32| (other - ground).abs() <= near;
    if column.get(guess).is_some_and(is_near) {
        return guess;
    }
    column.iter().position(is_near).unwrap_or_else(|| {
        let apart = |place: &usize| (column[*place] - ground).abs();
        (0..column.len()).min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap_or(0)
    })
}

/// A span and a direction as a number.
#[inline]
pub(crate) fn key(span: u32, direction: Direction) -> u64 {
    u64::from(span) * 4 + direction.index() as u64
}

/// The spans of a rectangle of columns: five bytes a span, four a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SlimSpans {
    /// Columns along x.
    pub(crate) width: u32,
    /// First span of each column, and their number.
    pub(crate) columns: Vec<u32>,
    /// In levels.
    pub(crate) ground: Vec<f32>,
    /// A bit per direction in which there is a link.
    pub(crate) links: Vec<u8>,
    /// Spans and directions, four numbers a span, and the place in its column of the span they lead
    /// to, where that is not the nearest. Only towards larger x and z. In order.
    pub(crate) odd: Vec<(u64, u32)>,
    /// Ground so near in height, in levels, is the nearest: that of a column is farther apart.
    pub(crate) near: f32,
}

impl SlimSpans {
    #[inline]
    fn has_link(&self, span: u32, direction: Direction) -> bool {
        self.links[span as usize] >> direction.index() & 1 == 1
    }

    /// The column beside one, if there is one.
    #[inline]
    fn cell_beside(&self, cell: u32, direction: Direction) -> Option<usize> {
        let there = match direction {
            Direction::NegX => (!cell.is_multiple_of(self.width)).then(|| cell - 1)?,
            Direction::PosX => Some(cell + 1).filter(|there| !there.is_multiple_of(self.width))?,
            Direction::NegZ => cell.checked_sub(self.width)?,
            Direction::PosZ => cell + self.width,
        };
        (there as usize + 1 < self.columns.len()).then_some(there as usize)
    }

    /// The span that one in column `cell` links to; nothing if nobody has that column.
    #[inline]
    pub(crate) fn link(&self, cell: u32, span: u32, direction: Direction) -> Option<u32> {
        if !self.has_link(span, direction) {
            return None;
        }
        let there = self.cell_beside(cell, direction)?;
        let (own, range) = (self.columns[cell as usize], self.columns[there]..self.columns[there + 1]);
        if matches!(direction, Direction::PosX | Direction::PosZ) {
            return self.ahead(own, span, direction, range);
        }
        let forth = direction.opposite();
        let back = |other: &u32| {
            let column = own..self.columns[cell as usize + 1];
            self.has_link(*other, forth) && self.ahead(range.start, *other, forth, column) == Some(span)
        };
        // Columns side by side mostly have the same spans.
        let guess = range.start + (span - own);
        Some(guess).filter(|guess| *guess < range.end && back(guess)).or_else(|| range.clone().find(back))
    }

    /// The span among `there` that one links to, towards larger x or z; `own` is the first of its
    /// column.
    #[inline]
    fn ahead(&self, own: u32, span: u32, direction: Direction, there: Range<u32>) -> Option<u32> {
        let odd = if self.odd.is_empty() {
            None
        } else {
            let key = key(span, direction);
            self.odd.binary_search_by_key(&key, |odd| odd.0).ok().map(|odd| self.odd[odd].1)
        };
        let place = odd.map_or_else(
            || {
                let column = &self.ground[there.start as usize..there.end as usize];
                nearest(column, self.ground[span as usize], self.near, (span - own) as usize)
            },
            |place| place as usize,
        );
        // Nothing is there where no tile has the column.
        let other = there.start.checked_add(u32::try_from(place).ok()?)?;
        (other < there.end).then_some(other)
    }
}

impl SpanField for SlimSpans {
    #[inline]
    fn width(&self) -> u32 {
        self.width
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
        [self.ground.len(), self.links.len()].into_iter()
    }

    #[inline]
    fn floor(&self, span: u32) -> i32 {
        floor_above(self.ground[span as usize])
    }

    #[inline]
    fn area(&self, _span: u32) -> AreaId {
        AreaId::GROUND
    }

    #[inline]
    fn link(&self, cell: u32, span: u32, direction: Direction) -> u32 {
        Self::link(self, cell, span, direction).unwrap_or(NO_SPAN)
    }

    #[inline]
    fn leads_straight(&self, spans: Range<u32>, direction: Direction, first: u32) -> bool {
        let (spans, first) = (spans.start as usize..spans.end as usize, first as usize);
        let bit = 1 << direction.index();
        let (own, there) = (&self.ground[spans.clone()], &self.ground[first..first + spans.len()]);
        // All at once is quicker than up to the first. What is so near is the nearest.
        self.odd.is_empty()
            && self.links[spans].iter().fold(bit, |all, links| all & links) == bit
            && own.iter().zip(there).fold(true, |all, (a, b)| all & ((a - b).abs() <= self.near))
    }

    #[expect(clippy::cast_possible_truncation, reason = "no more spans than 32-bit tables have")]
    fn for_each_rim(&self, labels: &[u32], mut each: impl FnMut(u32, u32)) {
        const ALL: u8 = 0b1111;
        const CHUNK: usize = 32;
        let (width, columns) = (self.width as usize, self.columns.as_slice());
        let cells = columns.len().saturating_sub(1);
        let count = |cell: usize| columns[cell + 1] - columns[cell];
        let mut cell = 0;
        while cell < cells {
            // Columns in a row with as many spans as those around them: if they are inside of their regions,
            // links need not be looked at.
            let (first, row_end) = (cell, (cell / width + 1) * width);
            let own = count(cell);
            let is_alike = |cell: usize| {
                cell > width
                    && cell + width < cells
                    && [cell, cell - 1, cell + 1, cell - width, cell + width]
                        .iter()
                        .all(|&cell| count(cell) == own)
            };
            while cell < row_end && is_alike(cell) {
                cell += 1;
            }
            if cell > first {
                let (start, len) = (columns[first] as usize, (columns[cell] - columns[first]) as usize);
                let at = |first: u32| &labels[first as usize..first as usize + len];
                let here = at(columns[first]);
                let around =
                    [first - 1, first + 1, first - width, first + width].map(|cell| at(columns[cell]));
                let links = &self.links[start..start + len];
                for chunk in (0..len).step_by(CHUNK) {
                    let chunk = chunk..(chunk + CHUNK).min(len);
                    // All at once is quicker than up to the first.
                    let is_inside = links[chunk.clone()].iter().fold(ALL, |all, links| all & links) == ALL
                        && around.iter().all(|labels| labels[chunk.clone()] == here[chunk.clone()]);
                    if is_inside {
                        continue;
                    }
                    for place in chunk {
                        let label = here[place];
                        let is_inside =
                            links[place] == ALL && around.iter().all(|labels| labels[place] == label);
                        if !is_inside && label != NO_REGION {
                            each(first as u32 + place as u32 / own, columns[first] + place as u32);
                        }
                    }
                }
            } else {
                for span in columns[cell]..columns[cell + 1] {
                    if labels[span as usize] != NO_REGION {
                        each(cell as u32, span);
                    }
                }
                cell += 1;
            }
        }
    }
}

/// A window of the field that [`crate::refine_window`] draws, with a label per span: nine bytes a
/// span and four a column, where a [`LabelledWindow`](waymesh_core::LabelledWindow) has 37 and
/// four.
///
/// What the drawing implies is not kept: floors follow from the ground, clearances from floors, and
/// a link leads to the ground nearest in height. Partitions and tracers take it as it is
/// ([`SpanWindow`]).
#[derive(Clone, Debug, PartialEq)]
pub struct SlimWindow {
    pub(crate) frame: GridFrame,
    pub(crate) core: GridWindow,
    pub(crate) window: GridWindow,
    pub(crate) spans: SlimSpans,
    /// A number per span, whatever the user likes; none at first.
    pub labels: Vec<u32>,
}

/// A part of a row, and where it comes from.
type Segment<'a> = (u32, &'a SlimWindow, Range<u32>);

impl SlimWindow {
    /// The same with all that is implied.
    #[must_use]
    pub fn part(&self) -> FieldWindow {
        let Self { frame, core, window, ref spans, .. } = *self;
        let count = spans.ground.len();
        let mut field = WalkableField::empty(frame.window(window));
        field.columns.clone_from(&spans.columns);
        field.ground.clone_from(&spans.ground);
        field.floor.extend(spans.ground.iter().map(|&ground| floor_above(ground)));
        for (cell, column) in (0_u32..).zip(spans.columns.windows(2)) {
            for span in column[0]..column[1] {
                let above = (span + 1 < column[1]).then(|| field.floor[span as usize + 1]);
                field.span_columns.push(cell);
                field
                    .clearance
                    .push(above.map_or(OPEN_SKY, |above| above.abs_diff(field.floor[span as usize])));
                field
                    .links
                    .push(Direction::ALL.map(|direction| SpanField::link(spans, cell, span, direction)));
            }
        }
        field.area.resize(count, AreaId::GROUND);
        FieldWindow { frame, core, window, field }
    }

    /// The span with this name, if the window holds it.
    #[must_use]
    pub fn find(&self, key: SpanKey) -> Option<u32> {
        if !self.window.contains(key.x, key.z) {
            return None;
        }
        let mut column = self.spans.spans_at(key.x - self.window.x, key.z - self.window.z);
        column.find(|&span| self.spans.floor(span) == key.floor)
    }

    /// The parts of a row of `window` that lie in the cores of tiles, from left to right.
    pub(crate) fn row<'a>(tiles: &[&'a Self], z: u32, window: &GridWindow) -> Vec<Segment<'a>> {
        let beside = tiles.iter().filter_map(|&tile| {
            let (from, to) = (tile.core.x.max(window.x), tile.core.end_x().min(window.end_x()));
            (z >= tile.core.z && z < tile.core.end_z() && from < to).then_some((z, tile, from..to))
        });
        let mut row: Vec<Segment<'a>> = beside.collect();
        row.sort_unstable_by_key(|(_, _, columns)| columns.start);
        row
    }

    /// The spans of a part of a row.
    pub(crate) fn spans(&self, z: u32, columns: &Range<u32>) -> (Range<usize>, &[u32]) {
        let first = (z - self.window.z) as usize * self.window.width as usize;
        let at = |x: u32| first + (x - self.window.x) as usize;
        let columns = &self.spans.columns[at(columns.start)..=at(columns.end)];
        (columns[0] as usize..columns[columns.len() - 1] as usize, columns)
    }
}

impl SpanWindow for SlimWindow {
    type Field = SlimSpans;

    fn frame(&self) -> &GridFrame {
        &self.frame
    }

    fn core(&self) -> GridWindow {
        self.core
    }

    fn window(&self) -> GridWindow {
        self.window
    }

    fn field(&self) -> &Self::Field {
        &self.spans
    }
}
