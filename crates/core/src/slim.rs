//! Compact fields: a quarter of the memory, without values that follow from the ground.

use std::ops::Range;

use crate::assemble::Assembly;
use crate::{
    AreaId, Direction, FieldWindow, GridFrame, GridWindow, LabelledWindow, NO_SPAN, OPEN_SKY, RegionMap,
    SpanField, WalkableField, to_u32,
};

/// The spans of a rectangle of columns. They take five bytes per span and four per column; a
/// [`WalkableField`] takes 33 and four.
///
/// The floor is the level above the ground, the clearance is the height up to the next floor, and a
/// link leads to the span nearest in height, except for the links in `odd`.
///
/// # Invariants
/// The implied field ([`FieldWindow::to_walkable`]) has the invariants of [`WalkableField`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SlimSpans {
    /// Columns along x.
    pub width: u32,
    /// First span of each column, and the number of spans at the end.
    pub columns: Vec<u32>,
    /// Height of the ground of each span, in levels.
    pub ground: Vec<f32>,
    /// Bit mask of the links of each span, by [`Direction::index`].
    pub links: Vec<u8>,
    /// Links that do not lead to the nearest span, only towards larger x and z, sorted by key:
    /// [`SlimSpans::link_key`], and the index of the target in its column.
    pub odd: Vec<(u64, u32)>,
    /// Area of each span; empty if all are [`AreaId::GROUND`].
    pub areas: Vec<AreaId>,
    /// Height difference in levels within which a span is certainly the nearest, because the spans
    /// of a column are farther apart.
    pub near: f32,
}

impl SlimSpans {
    /// Returns the level of the floor above a height of the ground in levels.
    #[inline]
    #[must_use]
    pub fn floor_above(ground: f32) -> i32 {
        let ground = f64::from(ground) - 1e-4;
        // Rounds up without `f64::ceil`, which is a library call on the baseline instruction set.
        #[expect(clippy::cast_possible_truncation, reason = "levels are checked with the frame")]
        let floor = ground as i32;
        floor + i32::from(f64::from(floor) < ground)
    }

    /// Returns the index of the span of a column (heights ascending) nearest in height to `ground`;
    /// the lowest one of several. `guess` is tried first.
    #[inline]
    #[must_use]
    pub fn nearest(column: &[f32], ground: f32, near: f32, guess: usize) -> usize {
        let is_near = |other: &f32| (other - ground).abs() <= near;
        if column.get(guess).is_some_and(is_near) {
            return guess;
        }
        let above = column.partition_point(|other| *other < ground && !is_near(other));
        if column.get(above).is_some_and(is_near) {
            return above;
        }
        let apart = |place: &usize| (column[*place] - ground).abs();
        let beside = above.saturating_sub(1)..column.len().min(above + 1);
        beside.min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap_or(0)
    }

    /// Returns the key of a link, one of four per span.
    #[inline]
    #[must_use]
    pub fn link_key(span: u32, direction: Direction) -> u64 {
        u64::from(span) * 4 + direction.index() as u64
    }

    #[inline]
    fn has_link(&self, span: u32, direction: Direction) -> bool {
        self.links[span as usize] >> direction.index() & 1 == 1
    }

    /// Returns the adjacent column in `direction`; `None` beyond the grid.
    #[inline]
    fn column_beside(&self, column: u32, direction: Direction) -> Option<usize> {
        let there = match direction {
            Direction::NegX => (!column.is_multiple_of(self.width)).then(|| column - 1)?,
            Direction::PosX => Some(column + 1).filter(|there| !there.is_multiple_of(self.width))?,
            Direction::NegZ => column.checked_sub(self.width)?,
            Direction::PosZ => column + self.width,
        };
        (there as usize + 1 < self.columns.len()).then_some(there as usize)
    }

    /// Returns the target of a link; `None` if its column is empty because no tile holds it.
    #[inline]
    fn target(&self, column: u32, span: u32, direction: Direction) -> Option<u32> {
        if !self.has_link(span, direction) {
            return None;
        }
        let there = self.column_beside(column, direction)?;
        let (own, range) = (self.columns[column as usize], self.columns[there]..self.columns[there + 1]);
        if matches!(direction, Direction::PosX | Direction::PosZ) {
            return self.ahead(own, span, direction, range);
        }
        let forth = direction.opposite();
        let back = |other: &u32| {
            let column = own..self.columns[column as usize + 1];
            self.has_link(*other, forth) && self.ahead(range.start, *other, forth, column) == Some(span)
        };
        // Adjacent columns usually have the same number of spans. Otherwise the nearest span
        // usually matches.
        let guess = range.start + (span - own);
        Some(guess).filter(|guess| *guess < range.end && back(guess)).or_else(|| {
            let heights = &self.ground[range.start as usize..range.end as usize];
            let near = Self::nearest(heights, self.ground[span as usize], self.near, 0);
            let near = range.start + u32::try_from(near).ok()?;
            Some(near).filter(|near| *near < range.end && back(near)).or_else(|| range.clone().find(back))
        })
    }

    /// Returns the span among `there` that `span` links to, towards larger x or z. `own` is the
    /// first span of its column.
    #[inline]
    fn ahead(&self, own: u32, span: u32, direction: Direction, there: Range<u32>) -> Option<u32> {
        let odd = if self.odd.is_empty() {
            None
        } else {
            let key = Self::link_key(span, direction);
            self.odd.binary_search_by_key(&key, |odd| odd.0).ok().map(|odd| self.odd[odd].1)
        };
        let place = odd.map_or_else(
            || {
                let column = &self.ground[there.start as usize..there.end as usize];
                Self::nearest(column, self.ground[span as usize], self.near, (span - own) as usize)
            },
            |place| place as usize,
        );
        // A column that no tile holds is empty.
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

    fn table_lengths(&self) -> [usize; 4] {
        let (ground, links) = (self.ground.len(), self.links.len());
        [ground, links, ground, links]
    }

    #[inline]
    fn floor(&self, span: u32) -> i32 {
        Self::floor_above(self.ground[span as usize])
    }

    #[inline]
    fn area(&self, span: u32) -> AreaId {
        self.areas.get(span as usize).copied().unwrap_or(AreaId::GROUND)
    }

    fn set_area(&mut self, span: u32, area: AreaId) {
        self.areas.resize(self.ground.len(), AreaId::GROUND);
        self.areas[span as usize] = area;
    }

    #[inline]
    fn link(&self, column: u32, span: u32, direction: Direction) -> u32 {
        self.target(column, span, direction).unwrap_or(NO_SPAN)
    }
}

impl FieldWindow<SlimSpans> {
    /// Returns the window with all tables of a [`WalkableField`].
    #[must_use]
    pub fn to_walkable(&self) -> FieldWindow {
        let Self { frame, core, window, field: ref spans } = *self;
        let mut field = WalkableField::empty(frame.window(window));
        field.columns.clone_from(&spans.columns);
        field.ground.clone_from(&spans.ground);
        field.floor.extend(spans.ground.iter().map(|&ground| SlimSpans::floor_above(ground)));
        for (number, column) in (0_u32..).zip(spans.columns.windows(2)) {
            for span in column[0]..column[1] {
                let above = (span + 1 < column[1]).then(|| field.floor[span as usize + 1]);
                let floor = field.floor[span as usize];
                field.span_columns.push(number);
                field.clearance.push(above.map_or(OPEN_SKY, |above| above.abs_diff(floor)));
                field.links.push(Direction::ALL.map(|direction| spans.link(number, span, direction)));
            }
        }
        field.area.clone_from(&spans.areas);
        field.area.resize(spans.ground.len(), AreaId::GROUND);
        FieldWindow { frame, core, window, field }
    }
}

/// A window and the region of each of its spans.
type SlimTile<'a> = (&'a FieldWindow<SlimSpans>, &'a [u32]);

impl LabelledWindow<SlimSpans> {
    /// Assembles the columns of `window` from the cores of `tiles`, of a field with `count`
    /// regions. Columns that are in no tile's core are empty.
    ///
    /// # Cost
    /// Linear in the number of spans.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "no more spans than 32-bit tables have")]
    pub fn assemble_slim(frame: GridFrame, window: GridWindow, tiles: &[SlimTile<'_>], count: u32) -> Self {
        let parts: Vec<&FieldWindow<SlimSpans>> = tiles.iter().map(|(part, _)| *part).collect();
        let assembly = Assembly::new(frame, window, window, &parts, |part| part.core);
        let (columns, spans) = (window.width as usize * window.depth as usize, assembly.spans as usize);
        let mut field = SlimSpans {
            width: window.width,
            columns: Vec::with_capacity(columns + 1),
            near: tiles.first().map_or(0.0, |(tile, _)| tile.field.near),
            ..SlimSpans::default()
        };
        let has_areas = tiles.iter().any(|(tile, _)| !tile.field.areas.is_empty());
        field.ground.reserve_exact(spans);
        field.links.reserve_exact(spans);
        let mut labels = Vec::with_capacity(spans);
        let first_link = |span: usize| SlimSpans::link_key(span as u32, Direction::NegX);
        for run in &assembly.runs {
            let ((tile, tile_labels), (first, ends)) = (tiles[run.tile], assembly.columns(run));
            let (spans, to) = (run.moved.source(), run.moved.to);
            field.columns.resize(first + 1, to);
            field.columns.extend(ends[1..].iter().map(|end| end - run.moved.from + to));
            field.ground.extend_from_slice(&tile.field.ground[spans.clone()]);
            field.links.extend_from_slice(&tile.field.links[spans.clone()]);
            if has_areas {
                field.areas.extend(spans.clone().map(|span| tile.field.area(to_u32(span))));
            }
            labels.extend_from_slice(&tile_labels[spans.clone()]);
            let [first, last, new] = [spans.start, spans.end, to as usize].map(first_link);
            let from = tile.field.odd.partition_point(|odd| odd.0 < first);
            let odd = tile.field.odd[from..].iter().take_while(|odd| odd.0 < last);
            field.odd.extend(odd.map(|&(key, place)| (key - first + new, place)));
        }
        field.columns.resize(columns + 1, assembly.spans);
        Self {
            part: FieldWindow { frame, core: window, window, field },
            regions: RegionMap { labels, count },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn the_nearest_span_is_that_of_a_look_at_all() {
        let mut random = Random::new(4);
        for _ in 0..2000 {
            let near = 0.45;
            let mut height = 0.0;
            let column: Vec<f32> = (0..random.below(40))
                .map(|_| {
                    height += random.range(1.0, 3.0);
                    height
                })
                .collect();
            let ground = random.range(-2.0, 60.0);
            let guess = random.index(50);
            let is_near = |place: &usize| (column[*place] - ground).abs() <= near;
            let apart = |place: &usize| (column[*place] - ground).abs();
            let all = || 0..column.len();
            let expected = all()
                .find(is_near)
                .or_else(|| all().min_by(|a, b| apart(a).total_cmp(&apart(b))))
                .unwrap_or(0);
            assert_eq!(SlimSpans::nearest(&column, ground, near, guess), expected);
        }
    }
}
