//! The filter of ledges for the highest and for the lowest spans of a row, vectorised over columns.
//!
//! Most walkable spans have open sky above them and no overhang in the adjacent columns: then five
//! heights decide whether the span is a ledge. Indoors, most walkable spans are the lowest ones,
//! under a ceiling.

use std::ops::Range;

use waymesh_core::{Heightfield, Span};

use crate::filters::AgentLevels;

/// Limit of heights, the agent's height and its step for vectorised tests, so that no difference
/// overflows.
const MAX_HEIGHT: i32 = 1 << 28;
/// Bottom and top of a column without spans: lower than any floor.
const NOTHING: i32 = -(1 << 30);
/// Bottom of a missing second span.
const SKY: i32 = 1 << 29;

/// Verdict about a span that is no ledge.
pub(crate) const NO_LEDGE: i32 = 0;
/// Verdict about a span that other spans of the adjacent columns affect, or whose heights exceed
/// the limits.
pub(crate) const UNKNOWN: i32 = 1;
/// Verdict about a ledge.
pub(crate) const LEDGE: i32 = 2;

/// Number of columns that are processed, or skipped if all are empty, at once.
const COLUMN_BATCH: usize = 32;

/// Returns the ranges of columns of a row that contain all spans. `columns` are the ends of the
/// columns, preceded by the end of the column before the first one.
pub(crate) fn occupied(columns: &[u32]) -> impl Iterator<Item = Range<usize>> {
    let width = columns.len() - 1;
    let mut next = 0;
    std::iter::from_fn(move || {
        let end = |first: usize| (first + COLUMN_BATCH).min(width);
        while next < width && columns[next] == columns[end(next)] {
            next = end(next);
        }
        let first = next;
        while next < width && columns[next] != columns[end(next)] {
            next = end(next);
        }
        (first < next).then_some(first..next)
    })
}

/// Selection of a span of each column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    Highest,
    Lowest,
}

/// One span of each column of a row.
#[derive(Clone, Debug, Default)]
struct Layer {
    /// One more than the number of the row; 0 if no row is loaded.
    row: usize,
    bottoms: Vec<i32>,
    tops: Vec<i32>,
    /// Levels from which headroom is counted.
    feet: Vec<i32>,
    /// Ceilings of the lowest spans.
    ceilings: Vec<i32>,
    /// `true` if all heights are below [`MAX_HEIGHT`].
    is_tame: bool,
}

impl Layer {
    fn load(&mut self, heightfield: &Heightfield, z: usize, which: Which, reach: AgentLevels) {
        if self.row == z + 1 {
            return;
        }
        self.row = z + 1;
        let width = heightfield.frame.width as usize;
        let columns = &heightfield.columns[z * width..=(z + 1) * width];
        for heights in [&mut self.bottoms, &mut self.tops, &mut self.feet] {
            heights.clear();
            heights.resize(width, NOTHING);
        }
        self.ceilings.clear();
        self.ceilings.resize(if which == Which::Lowest { width } else { 0 }, SKY);
        let mut wild = 0;
        for range in occupied(columns) {
            let ends = &columns[range.start..=range.end];
            let (bottoms, tops) = (&mut self.bottoms[range.clone()], &mut self.tops[range.clone()]);
            let feet = &mut self.feet[range.clone()];
            let ceilings = self.ceilings.get_mut(range).unwrap_or_default();
            let places = bottoms.iter_mut().zip(&mut *tops).zip(feet);
            let columns = ends.windows(2).map(|column| column[0] as usize..column[1] as usize);
            let write = |((bottom, top), feet): ((&mut i32, &mut i32), &mut i32), span: &Span| {
                (*bottom, *top, *feet) = (span.bottom, span.top, reach.feet(span.top, span.ground_drop));
            };
            match which {
                Which::Highest => {
                    for (place, column) in places.zip(columns) {
                        if let Some(span) = heightfield.spans[column].last() {
                            write(place, span);
                        }
                    }
                }
                Which::Lowest => {
                    for ((place, column), ceiling) in places.zip(columns).zip(&mut *ceilings) {
                        if let [lowest, above @ ..] = &heightfield.spans[column] {
                            write(place, lowest);
                            *ceiling = above.first().map_or(SKY, |next| next.bottom);
                        }
                    }
                }
            }
            for heights in [&*bottoms, tops, ceilings] {
                let is_wild = |height: i32| {
                    i32::from(
                        !(-MAX_HEIGHT..MAX_HEIGHT).contains(&height) & (height != NOTHING) & (height != SKY),
                    )
                };
                wild |= heights.iter().fold(0, |any, height| any | is_wild(*height));
            }
        }
        self.is_tame = wild == 0;
    }
}

/// Finds ledges among the spans of rows.
#[derive(Debug)]
pub(crate) struct LedgeRows<'a> {
    heightfield: &'a Heightfield,
    reach: AgentLevels,
    which: Which,
    /// The last row and its neighbours, by their numbers modulo three.
    rows: [Layer; 3],
    pub(crate) verdicts: Vec<i32>,
}

impl<'a> LedgeRows<'a> {
    pub(crate) fn new(heightfield: &'a Heightfield, reach: AgentLevels, which: Which) -> Self {
        Self { heightfield, reach, which, rows: Default::default(), verdicts: Vec::new() }
    }

    /// Finds the verdicts about the columns of row `z` that have spans. At the edge of the grid all
    /// spans are ledges.
    pub(crate) fn judge(&mut self, z: usize) {
        let frame = &self.heightfield.frame;
        let (width, depth) = (frame.width as usize, frame.depth as usize);
        self.verdicts.clear();
        self.verdicts.resize(width, LEDGE);
        if z == 0 || z + 1 >= depth {
            return;
        }
        for row in z - 1..=z + 1 {
            self.rows[row % 3].load(self.heightfield, row, self.which, self.reach);
        }
        let rows = [z - 1, z, z + 1].map(|row| &self.rows[row % 3]);
        let is_tame = rows.iter().all(|row| row.is_tame) && self.reach.height < MAX_HEIGHT;
        for range in occupied(&self.heightfield.columns[z * width..=(z + 1) * width]) {
            let columns = range.start.max(1)..range.end.min(width - 1);
            let Some(verdicts) = self.verdicts.get_mut(columns.clone()) else { continue };
            match self.which {
                _ if !is_tame || self.reach.step >= self.reach.height => verdicts.fill(UNKNOWN),
                Which::Highest => judge_highest(rows, columns.start, self.reach, verdicts),
                Which::Lowest => judge_lowest(rows, columns.start, self.reach, verdicts),
            }
        }
    }

    /// Sets all verdicts to unknown.
    pub(crate) fn know_nothing(&mut self) {
        self.verdicts.clear();
        self.verdicts.resize(self.heightfield.frame.width as usize, UNKNOWN);
    }
}

/// Returns the values of a table west, east, north and south of `count` columns from `first` on.
#[inline]
fn beside([north, own, south]: [&[i32]; 3], first: usize, count: usize) -> [&[i32]; 4] {
    [
        &own[first - 1..][..count],
        &own[first + 1..][..count],
        &north[first..][..count],
        &south[first..][..count],
    ]
}

/// Finds the verdicts about columns from `first` on. Has no branches, so that it is vectorised.
fn judge_highest(
    [north, own, south]: [&Layer; 3],
    first: usize,
    AgentLevels { height, step, .. }: AgentLevels,
    verdicts: &mut [i32],
) {
    let count = verdicts.len();
    let floors = &own.tops[first..][..count];
    let tops = beside([&north.tops, &own.tops, &south.tops], first, count);
    let bottoms = beside([&north.bottoms, &own.bottoms, &south.bottoms], first, count);
    let own_feet = &own.feet[first..][..count];
    for (x, verdict) in verdicts.iter_mut().enumerate() {
        let (floor, feet) = (floors[x], own_feet[x]);
        let rises = tops.map(|tops| tops[x] - floor);
        let fall = rises.into_iter().fold(0, i32::min);
        // Floors above the reach of a step are ignored.
        let in_reach = |rise: i32| if rise <= step { rise } else { 0 };
        let rise = rises.into_iter().fold(0, |highest, rise| highest.max(in_reach(rise)));
        let is_ledge = i32::from((fall < -step) | (rise - fall > step));
        let overhang = bottoms.into_iter().fold(NOTHING, |highest, bottoms| highest.max(bottoms[x]));
        let is_unknown = i32::from(overhang - feet >= height);
        *verdict = LEDGE * is_ledge + UNKNOWN * (is_unknown & !is_ledge);
    }
}

/// Finds the verdicts about the lowest spans like [`judge_highest`]. In the adjacent columns, the
/// gap above the lowest span counts, unless it ends below the head of an agent.
fn judge_lowest(
    [north, own, south]: [&Layer; 3],
    first: usize,
    AgentLevels { height, step, .. }: AgentLevels,
    verdicts: &mut [i32],
) {
    let count = verdicts.len();
    let floors = &own.tops[first..][..count];
    let (own_feet, own_ceilings) = (&own.feet[first..][..count], &own.ceilings[first..][..count]);
    let tops = beside([&north.tops, &own.tops, &south.tops], first, count);
    let bottoms = beside([&north.bottoms, &own.bottoms, &south.bottoms], first, count);
    let their_feet = beside([&north.feet, &own.feet, &south.feet], first, count);
    let ceilings = beside([&north.ceilings, &own.ceilings, &south.ceilings], first, count);
    for (x, verdict) in verdicts.iter_mut().enumerate() {
        let (floor, feet, ceiling) = (floors[x], own_feet[x], own_ceilings[x]);
        let highest = bottoms.into_iter().fold(NOTHING, |highest, bottoms| highest.max(bottoms[x]));
        let least = ceilings.into_iter().fold(SKY, |least, ceilings| least.min(ceilings[x]));
        let is_unknown = i32::from((highest - feet >= height) | (least - feet < height));
        let rise_beside = |side: usize| {
            let has_room = ceiling.min(ceilings[side][x]) - feet.max(their_feet[side][x]) >= height;
            let rise = tops[side][x] - floor;
            if has_room & (rise <= step) { rise } else { 0 }
        };
        let [west, east, above, below] = [0, 1, 2, 3].map(rise_beside);
        let fall = west.min(east).min(above.min(below)).min(0);
        let rise = west.max(east).max(above.max(below)).max(0);
        let is_ledge = i32::from((fall < -step) | (rise - fall > step));
        *verdict = UNKNOWN * is_unknown + LEDGE * (is_ledge & !is_unknown);
    }
}
