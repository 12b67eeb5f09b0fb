//! The spans of a row that are in the field, and their links.

use std::ops::Range;

use waymesh_core::{AreaId, Direction, Heightfield, NO_SPAN, OPEN_SKY};

use crate::filters::AgentLevels;
use crate::ledge_rows::occupied;

/// Limit of floors, ceilings, the agent's height and its step for vectorised links, so that no
/// difference overflows.
const MAX_HEIGHT: i32 = 1 << 28;
/// Floor and ceiling of a column that is linked separately: without headroom, and more than a step
/// away from all others.
const ALONE: i32 = -(1 << 30);
/// Ceiling of a span without a span above it.
const SKY: i32 = 1 << 29;

/// The spans of a row that are in the field, with their links.
#[derive(Debug, Default)]
pub(crate) struct FieldRow {
    /// Number of the row's first span in the field.
    pub(crate) base: u32,
    /// Number of the row's spans before each column, followed by their total number.
    pub(crate) starts: Vec<u32>,
    pub(crate) spans: Vec<FieldSpan>,
    pub(crate) links: Vec<[u32; 4]>,
    /// Floor, feet and ceiling of the columns with exactly one span; [`ALONE`] for other columns.
    floors: Vec<i32>,
    feet: Vec<i32>,
    ceilings: Vec<i32>,
    /// Columns whose spans are linked one by one.
    alone: Vec<usize>,
    /// For each column, 0 if its single span is linked to that of the previous column along x, or
    /// along z, else [`NO_SPAN`]. Along x there is another entry at the end.
    to_west: Vec<u32>,
    to_north: Vec<u32>,
}

/// A span in the field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldSpan {
    /// Column of the span within the row.
    pub(crate) place: u32,
    pub(crate) floor: i32,
    /// Level from which headroom is counted.
    feet: i32,
    /// Bottom of the span above it; `i32::MAX` without one.
    ceiling: i32,
    pub(crate) ground: f32,
    pub(crate) area: AreaId,
}

impl FieldSpan {
    #[inline(always)]
    #[expect(clippy::cast_sign_loss, reason = "ceilings lie above floors")]
    pub(crate) fn clearance(&self) -> u32 {
        if self.ceiling == i32::MAX { OPEN_SKY } else { self.ceiling.wrapping_sub(self.floor) as u32 }
    }

    /// Returns the feet and the ceiling.
    fn room(&self) -> (i64, i64) {
        let ceiling = if self.ceiling == i32::MAX { i64::MAX / 2 } else { i64::from(self.ceiling) };
        (i64::from(self.feet), ceiling)
    }
}

impl FieldRow {
    /// Returns the number of spans.
    #[expect(clippy::cast_possible_truncation, reason = "spans fit 32 bits")]
    pub(crate) fn len(&self) -> u32 {
        self.spans.len() as u32
    }

    /// Empties the row.
    pub(crate) fn clear(&mut self, width: usize) {
        self.starts.clear();
        self.starts.resize(width + 1, 0);
        for heights in [&mut self.floors, &mut self.feet, &mut self.ceilings] {
            heights.clear();
            heights.resize(width, ALONE);
        }
        self.alone.clear();
        self.spans.clear();
        self.links.clear();
    }

    /// Adds the spans of row `z` that are walkable by `areas`, which has an entry for each span of
    /// the row.
    #[expect(clippy::cast_possible_truncation, reason = "columns and spans fit 32 bits")]
    pub(crate) fn fill(&mut self, heightfield: &Heightfield, z: usize, areas: &[AreaId], reach: AgentLevels) {
        let width = heightfield.frame.width as usize;
        let columns = &heightfield.columns[z * width..=(z + 1) * width];
        let first = columns[0] as usize;
        let solid = &heightfield.spans[first..columns[width] as usize];
        let areas = &areas[..solid.len()];
        self.clear(width);
        let is_tame = (1..MAX_HEIGHT).contains(&reach.height) && reach.step < MAX_HEIGHT;
        let mut done = 0;
        for range in occupied(columns) {
            self.starts[done..=range.start].fill(self.spans.len() as u32);
            done = range.end;
            let ends = &columns[range.start + 1..=range.end];
            let starts = &mut self.starts[range.start + 1..=range.end];
            let levels = self.floors[range.clone()].iter_mut().zip(&mut self.feet[range.clone()]);
            let heights = levels.zip(&mut self.ceilings[range.clone()]);
            let mut index = columns[range.start] as usize - first;
            for (x, ((end, start), ((only_floor, only_feet), only_ceiling))) in
                range.zip(ends.iter().zip(starts).zip(heights))
            {
                let (before, end) = (self.spans.len(), *end as usize - first);
                while index < end {
                    let (span, area) = (&solid[index], areas[index]);
                    index += 1;
                    if area.is_walkable() {
                        let ceiling = if index < end { solid[index].bottom } else { i32::MAX };
                        let (place, floor, ground) = (x as u32, span.top, span.ground());
                        let feet = reach.feet(floor, span.ground_drop);
                        self.spans.push(FieldSpan { place, floor, feet, ceiling, ground, area });
                        (*only_floor, *only_feet, *only_ceiling) = (floor, feet, ceiling.min(SKY));
                    }
                }
                let kept = self.spans.len();
                *start = kept as u32;
                let is_single = kept == before + 1 && (1 - MAX_HEIGHT..MAX_HEIGHT).contains(only_floor);
                if kept > before && !(is_single && is_tame) {
                    (*only_floor, *only_feet, *only_ceiling) = (ALONE, ALONE, ALONE);
                    self.alone.push(x);
                }
            }
        }
        self.starts[done..].fill(self.spans.len() as u32);
    }

    /// Links the spans of the row to each other, and to those of the previous row, in both
    /// directions.
    pub(crate) fn link(&mut self, north: &mut Self, reach: AgentLevels) {
        self.find_single(north, reach);
        let width = self.floors.len();
        let (base, starts, their_starts) = (self.base, &self.starts[..width], &north.starts[..width]);
        let (to_west, to_north) = (&self.to_west[..=width], &self.to_north[..width]);
        self.links.extend((base..).zip(&self.spans).map(|(number, span)| {
            let x = span.place as usize;
            let mut links = [NO_SPAN; 4];
            links[Direction::NegZ.index()] = (north.base + their_starts[x]) | to_north[x];
            links[Direction::NegX.index()] = number.wrapping_sub(1) | to_west[x];
            links[Direction::PosX.index()] = (number + 1) | to_west[x + 1];
            links
        }));
        for (links, span) in north.links.iter_mut().zip(&north.spans) {
            let x = span.place as usize;
            links[Direction::PosZ.index()] = (base + starts[x]) | to_north[x];
        }
        // Columns with several spans, and their neighbours.
        for place in 0..self.alone.len() {
            let x = self.alone[place];
            if x > 0 {
                self.link_to_west(x, reach);
            }
            if x + 1 < self.floors.len() && !self.is_alone(x + 1) {
                self.link_to_west(x + 1, reach);
            }
            self.link_to_north(north, x, reach);
        }
        for place in 0..north.alone.len() {
            let x = north.alone[place];
            if !self.is_alone(x) {
                self.link_to_north(north, x, reach);
            }
        }
    }

    /// Finds the links between columns with one span, vectorised.
    fn find_single(&mut self, north: &Self, reach: AgentLevels) {
        let width = self.floors.len();
        let AgentLevels { height, step, .. } = reach;
        type Heights<'a> = ((&'a i32, &'a i32), &'a i32);
        let joined = |((floor, feet), ceiling): Heights<'_>, other: Heights<'_>| {
            let ((other_floor, other_feet), other_ceiling) = other;
            let room = *ceiling.min(other_ceiling) - *feet.max(other_feet);
            let rise = floor - other_floor;
            if (room >= height) & (rise <= step) & (rise >= -step) { 0 } else { NO_SPAN }
        };
        self.to_west.resize(width + 1, NO_SPAN);
        self.to_north.resize(width, NO_SPAN);
        let own = self.floors.iter().zip(&self.feet).zip(&self.ceilings);
        let after = own.clone().skip(1);
        let beyond = north.floors.iter().zip(&north.feet).zip(&north.ceilings);
        for (link, (own, after)) in self.to_west.iter_mut().skip(1).zip(own.clone().zip(after)) {
            *link = joined(own, after);
        }
        for (link, (own, beyond)) in self.to_north.iter_mut().zip(own.zip(beyond)) {
            *link = joined(own, beyond);
        }
    }

    /// Returns `true` if the spans of a column are linked one by one.
    fn is_alone(&self, x: usize) -> bool {
        self.floors[x] == ALONE && self.starts[x] < self.starts[x + 1]
    }

    fn column(&self, x: usize) -> Range<usize> {
        self.starts[x] as usize..self.starts[x + 1] as usize
    }

    fn link_to_west(&mut self, x: usize, reach: AgentLevels) {
        let (own, west, base) = (self.column(x), self.column(x - 1), self.base);
        let links = &mut self.links;
        match_up((&self.spans, own), (&self.spans, west), reach, |span, other| {
            links[span][Direction::NegX.index()] = number(base, other);
            links[other][Direction::PosX.index()] = number(base, span);
        });
    }

    fn link_to_north(&mut self, north: &mut Self, x: usize, reach: AgentLevels) {
        let (own, there) = (self.column(x), north.column(x));
        let (links, their_links) = (&mut self.links, &mut north.links);
        match_up((&self.spans, own), (&north.spans, there), reach, |span, other| {
            links[span][Direction::NegZ.index()] = number(north.base, other);
            // The row before a band has no links.
            if let Some(links) = their_links.get_mut(other) {
                links[Direction::PosZ.index()] = number(self.base, span);
            }
        });
    }
}

#[expect(clippy::cast_possible_truncation, reason = "spans fit 32 bits")]
fn number(base: u32, span: usize) -> u32 {
    base + span as u32
}

/// Calls `link` with the pairs of spans of two adjacent columns that an agent can step between.
#[inline(always)]
fn match_up(
    (row, spans): (&[FieldSpan], Range<usize>),
    (beside, others): (&[FieldSpan], Range<usize>),
    reach: AgentLevels,
    mut link: impl FnMut(usize, usize),
) {
    let (mut span, mut other) = (spans.start, others.start);
    let (height, step) = (i64::from(reach.height), i64::from(reach.step));
    while span < spans.end && other < others.end {
        let ((feet, ceiling), (other_feet, other_ceiling)) = (row[span].room(), beside[other].room());
        let shared = ceiling.min(other_ceiling) - feet.max(other_feet);
        let rise = i64::from(row[span].floor) - i64::from(beside[other].floor);
        let is_linked = shared >= height && rise.abs() <= step;
        if is_linked {
            link(span, other);
        }
        // Gaps of a column do not overlap, so the one that ends first meets no further gap.
        span += usize::from(is_linked || ceiling <= other_ceiling);
        other += usize::from(is_linked || other_ceiling <= ceiling);
    }
}
