//! Section 5.2 of the paper: finds the regions beyond the borders of a region while the spans of a
//! tile still exist.

use std::ops::Range;

use waymesh_core::{Direction, threads};

use crate::config::Limits;
use crate::spans::SpanGrid;

/// The gap of a border that cannot be crossed.
pub(crate) const BARRED: u16 = u16::MAX;

/// A straight piece of a region's border with a single level beyond it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Facing {
    /// Columns between this border and that of the other region; 0 if they touch, [`BARRED`] if
    /// they touch and no agent can step across.
    pub(crate) gap: u16,
    /// Index of the [`Direction`] in which the other region lies.
    pub(crate) side: u8,
    /// The cell line that the border lies on.
    pub(crate) line: i32,
    /// Label of the region that has this border.
    pub(crate) label: u32,
    /// Level of the other region.
    pub(crate) other: i32,
    /// First and last point along the line.
    pub(crate) start: i32,
    pub(crate) end: i32,
}

impl Facing {
    /// Creates the border of cell `(x, z)` on one side.
    pub(crate) fn of_cell([x, z]: [i32; 2], side: Direction, label: u32, gap: u16, other: i32) -> Self {
        let (line, start) = match side {
            Direction::NegX => (x, z),
            Direction::PosX => (x + 1, z),
            Direction::NegZ => (z, x),
            Direction::PosZ => (z + 1, x),
        };
        Self { gap, side: side as u8, line, label, other, start, end: start + 1 }
    }

    pub(crate) fn direction(&self) -> Direction {
        Direction::from_index(self.side.into())
    }

    /// Returns `true` if the border runs along x.
    pub(crate) fn is_horizontal(&self) -> bool {
        matches!(self.direction(), Direction::NegZ | Direction::PosZ)
    }

    /// Returns the line on which the other region's border lies.
    pub(crate) fn other_line(&self) -> i32 {
        let gap = if self.gap == BARRED { 0 } else { i32::from(self.gap) };
        if self.is_ahead() { self.line + gap } else { self.line - gap }
    }

    /// Returns `true` if the other region lies at higher coordinates.
    pub(crate) fn is_ahead(&self) -> bool {
        matches!(self.direction(), Direction::PosX | Direction::PosZ)
    }
}

/// A straight stretch along which two regions face each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Meeting {
    /// Columns between both borders; 0 where they touch, or [`BARRED`].
    pub(crate) gap: u16,
    /// `true` if the borders run along x.
    pub(crate) horizontal: bool,
    /// The cell line of the border with the lower coordinate.
    pub(crate) line: i32,
    /// The regions before and behind the gap.
    pub(crate) regions: [u32; 2],
    /// First and last point along the line.
    pub(crate) start: i32,
    pub(crate) end: i32,
}

/// Key that both sides of a meeting have in common: the gap, `true` if its borders run along x, the
/// line of the lower border, the levels before and behind.
type Key = (u16, bool, i32, [i32; 2]);

/// Matches both sides of all borders. `level` returns the level of a region. The result is sorted.
pub(crate) fn meet(facings: Vec<Facing>, level: impl Fn(u32) -> i32) -> Vec<Meeting> {
    let mut sides: [Vec<(Key, i32, i32, u32)>; 2] = [Vec::new(), Vec::new()];
    for facing in facings {
        let (own, ahead) = (level(facing.label), facing.is_ahead());
        let levels = if ahead { [own, facing.other] } else { [facing.other, own] };
        let line = facing.line.min(facing.other_line());
        let key = (facing.gap, facing.is_horizontal(), line, levels);
        sides[usize::from(ahead)].push((key, facing.start, facing.end, facing.label));
    }
    for side in &mut sides {
        threads::sort(side);
    }
    let [behind, before] = &sides;
    let (mut behind, mut before) = (behind.iter().peekable(), before.iter().peekable());
    let mut meetings = Vec::new();
    while let (Some(&&one), Some(&&other)) = (before.peek(), behind.peek()) {
        let (start, end) = (one.1.max(other.1), one.2.min(other.2));
        if one.0 == other.0 && start < end && one.3 != other.3 {
            let (gap, horizontal, line, _) = one.0;
            meetings.push(Meeting { gap, horizontal, line, regions: [one.3, other.3], start, end });
        }
        if (one.0, one.2) <= (other.0, other.2) {
            before.next();
        } else {
            behind.next();
        }
    }
    threads::sort(&mut meetings);
    glue(&mut meetings, |meeting| [&mut meeting.start, &mut meeting.end]);
    meetings
}

/// Joins stretches that continue each other and differ only in their `ends`. Those that continue
/// each other have the same region on each side, because their labels are equal.
pub(crate) fn glue<T: Copy + PartialEq>(sorted: &mut Vec<T>, ends: impl Fn(&mut T) -> [&mut i32; 2]) {
    sorted.dedup_by(|next, kept| {
        let (mut moved, [start, end]) = (*kept, ends(next).map(|end| *end));
        let reached = std::mem::replace(ends(&mut moved)[1], end);
        *ends(&mut moved)[0] = start;
        let goes_on = moved == *next && reached == start;
        if goes_on {
            *ends(kept)[1] = end;
        }
        goes_on
    });
}

/// A search for the spans across a border.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Across<'a> {
    pub(crate) grid: &'a SpanGrid,
    pub(crate) limits: Limits,
}

impl<'a> Across<'a> {
    #[cfg(test)]
    pub(crate) fn step(&self, column: usize, span: usize, beside: usize) -> Option<i32> {
        self.partners(column, beside).of(span)
    }

    /// Returns the partners of the spans of `column` in the adjacent column; see [`Partners::of`].
    pub(crate) fn partners(&self, column: usize, beside: usize) -> Partners<'a> {
        Partners { across: *self, own: self.grid.column(column), other: self.grid.column(beside) }
    }

    /// Returns the levels of the spans of the adjacent column that could lie on one slope with
    /// `span`, but to which no agent can step. `partner` is excluded.
    pub(crate) fn barred(
        &self,
        span: usize,
        beside: usize,
        partner: Option<i32>,
    ) -> impl Iterator<Item = i32> + use<'_> {
        let (level, farthest) = (i64::from(self.grid.floor(span)), self.limits.side_by_side());
        let spans = self.grid.between(beside, level - farthest, level + farthest);
        spans
            .filter(|&other| self.grid.is_walkable(other))
            .map(|other| self.grid.floor(other))
            .filter(move |&other| Some(other) != partner && (i64::from(other) - level).abs() <= farthest)
    }

    /// Finds the nearest walkable span across a gap. Returns the number of columns in between, and
    /// its level.
    ///
    /// The span lies straight across, at most the highest step up or down, and the gap is clear:
    /// nothing in it is both too high to step over from the lower side and lower than the agent's
    /// head on the higher side. (The paper checks the distance of the end points only, which would
    /// link through thin walls.) `columns` returns the columns in order, up to the end of the grid.
    pub(crate) fn leap(
        &self,
        column: usize,
        span: usize,
        mut columns: impl Iterator<Item = usize> + Clone,
    ) -> Option<(u16, i32)> {
        let grid = self.grid;
        let (step, height) = (i64::from(self.limits.step), i64::from(self.limits.height));
        let level = i64::from(grid.floor(span));
        let room = grid.ceiling(span, grid.column(column).end);
        let all = columns.clone();
        let blocks = |column: usize, low: i64, high: i64| {
            grid.between(column, low + step + 1, high + height - 1).next().is_some()
        };
        for gap in 0..=u16::try_from(self.limits.gap).unwrap_or(u16::MAX) {
            let column = columns.next()?;
            let spans = grid.column(column);
            let near = grid
                .between(column, level - step, level + step)
                .filter(|&other| grid.is_walkable(other))
                .map(|other| (other, i64::from(grid.floor(other))))
                .filter(|(_, floor)| (floor - level).abs() <= step)
                .min_by_key(|(_, floor)| ((floor - level).abs(), *floor));
            if let Some((other, floor)) = near {
                let (low, high) = (level.min(floor), level.max(floor));
                let fits = room.min(grid.ceiling(other, spans.end)) - high >= height;
                let clear =
                    gap > 0 && fits && !all.clone().take(gap.into()).any(|column| blocks(column, low, high));
                return clear.then(|| (gap, grid.floor(other)));
            }
            if blocks(column, level, level) {
                return None;
            }
        }
        None
    }
}

/// The partners of the spans of a column in an adjacent column. The state of the search is kept, so
/// that all spans of a column take linear time.
pub(crate) struct Partners<'a> {
    across: Across<'a>,
    /// Spans that may still be partners.
    own: Range<usize>,
    other: Range<usize>,
}

impl Partners<'_> {
    /// Returns the level of the walkable span of the adjacent column to which an agent can step
    /// from `span`. Calls must visit spans from the lowest up.
    ///
    /// The paper requires a difference of one level (5.2.1) or of less than `max_climb` (5.2.2). In
    /// addition, the agent has to fit through the head room that both spans share; on a slope under
    /// a parallel ceiling it may be one level lower. Each span gets at most one partner in a
    /// column, and partners are mutual.
    pub(crate) fn of(&mut self, span: usize) -> Option<i32> {
        let Across { grid, limits } = self.across;
        while !self.own.is_empty() && !self.other.is_empty() {
            let (i, j) = (self.own.start, self.other.start);
            if !grid.is_walkable(i) {
                self.own.start += 1;
                continue;
            }
            if !grid.is_walkable(j) {
                self.other.start += 1;
                continue;
            }
            let (a, b) = (grid.floor(i), grid.floor(j));
            let (room_a, room_b) = (grid.ceiling(i, self.own.end), grid.ceiling(j, self.other.end));
            let rise = i64::from(a.abs_diff(b));
            let shared = room_a.min(room_b) - i64::from(a.max(b));
            let height = i64::from(limits.height);
            let needed = if rise == 1 { (height - 1).max(1) } else { height };
            let linked = rise == 0 || (rise <= i64::from(limits.step.max(1)) && shared >= needed);
            if linked && i == span {
                return Some(b);
            }
            if i > span {
                return None;
            }
            // The gaps above the spans of a column do not overlap: the gap that ends first meets no
            // further gap.
            self.own.start += usize::from(linked || room_a <= room_b);
            self.other.start += usize::from(linked || room_b <= room_a);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::tests::random_grid;
    use waymesh_testkit::Random;

    #[test]
    fn steps_are_the_same_from_both_sides() {
        let mut random = Random::new(8);
        let mut found = 0;
        for _ in 0..2000 {
            let grid = random_grid(&mut random, 2, 1);
            let limits = Limits {
                height: random.below(22).cast_signed() + 1,
                step: random.below(24).cast_signed(),
                gap: 0,
                rise: 1,
                plane_error: 0.0,
            };
            let across = Across { grid: &grid, limits };
            let mut partners = across.partners(0, 1);
            for span in grid.column(0).filter(|&span| grid.is_walkable(span)) {
                assert_eq!(partners.of(span), across.step(0, span, 1), "one search for all spans");
            }
            for span in grid.column(0).filter(|&span| grid.is_walkable(span)) {
                let Some(level) = across.step(0, span, 1) else { continue };
                let other = grid.at_level(1, level).unwrap();
                assert_eq!(across.step(1, other, 0), Some(grid.floor(span)));
                assert!(level.abs_diff(grid.floor(span)) <= limits.step.max(1).cast_unsigned());
                found += 1;
            }
            for span in grid.column(0).filter(|&span| grid.is_walkable(span)) {
                // Spans of equal level are always partners: they are one region, or two areas.
                if grid.at_level(1, grid.floor(span)).is_some() {
                    assert_eq!(across.step(0, span, 1), Some(grid.floor(span)));
                }
            }
        }
        assert!(found > 500);
    }

    #[test]
    fn a_step_needs_head_room_less_a_level_on_slopes() {
        let step = |ceiling: i32, floor: i32, other_ceiling: i32| {
            let column = |floor: i32, ceiling: i32| vec![(0, floor, true), (ceiling, ceiling + 5, false)];
            let grid = SpanGrid::from_columns(2, &[column(5, ceiling), column(floor, other_ceiling)]);
            Across { grid: &grid, limits: Limits { height: 10, step: 3, gap: 0, rise: 1, plane_error: 0.0 } }
                .step(0, 0, 1)
        };
        assert_eq!(step(15, 6, 16), Some(6), "a slope under a parallel ceiling");
        assert_eq!(step(14, 6, 16), None);
        assert_eq!(step(15, 7, 17), None, "a tread whose ceiling begins too early");
        assert_eq!(step(17, 7, 17), Some(7));
        assert_eq!(step(30, 9, 30), None, "too high");
    }

    #[test]
    fn gaps_are_bridged_unless_something_stands_in_them() {
        let limits = Limits { height: 10, step: 3, gap: 2, rise: 1, plane_error: 0.0 };
        let leap = |columns: &[Vec<(i32, i32, bool)>]| {
            let grid = SpanGrid::from_columns(columns.len(), columns);
            Across { grid: &grid, limits }.leap(0, 0, 1..columns.len())
        };
        let (near, far) = (vec![(0, 5, true)], vec![(0, 7, true)]);
        let floor = |level| vec![(0, level, true)];
        assert_eq!(leap(&[near.clone(), vec![], far.clone()]), Some((1, 7)));
        assert_eq!(leap(&[near.clone(), vec![], vec![], far.clone()]), Some((2, 7)));
        assert_eq!(leap(&[near.clone(), vec![], vec![], vec![], far.clone()]), None, "too wide");
        assert_eq!(leap(&[near.clone(), vec![], floor(9)]), None, "too high");
        assert_eq!(
            leap(&[near.clone(), vec![(0, 8, false)], far.clone()]),
            Some((1, 7)),
            "low enough to step over"
        );
        assert_eq!(leap(&[near.clone(), vec![(0, 9, false)], far.clone()]), None, "a wall");
        assert_eq!(leap(&[near.clone(), vec![(16, 20, false)], far.clone()]), None, "a beam at the head");
        assert_eq!(
            leap(&[near.clone(), vec![(17, 20, false)], far.clone()]),
            Some((1, 7)),
            "a beam above the head"
        );
        assert_eq!(leap(&[near.clone(), vec![(-20, -9, true)], far.clone()]), Some((1, 7)), "a pit");
        assert_eq!(leap(&[near.clone(), far.clone()]), None, "no gap");
        assert_eq!(leap(&[near, vec![]]), None, "the end of the grid");
    }

    #[test]
    fn pieces_that_go_on_are_one() {
        let piece = |x, other| Facing::of_cell([x, 4], Direction::PosZ, 1, 0, other);
        let mut facings = vec![piece(3, 9), piece(5, 9), piece(4, 9), piece(6, 8), piece(8, 8)];
        facings.sort_unstable();
        glue(&mut facings, |facing| [&mut facing.start, &mut facing.end]);
        let spans: Vec<_> = facings.iter().map(|f| (f.other, f.start, f.end)).collect();
        assert_eq!(spans, [(8, 6, 7), (8, 8, 9), (9, 3, 6)]);
    }
}
