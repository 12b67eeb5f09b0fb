//! The fragments of one row of cells, and their merging into spans.
//!
//! # Why rows
//! Triangles are swept along z, so only one row of columns is open at a time. Its fragments stay in
//! the L1 cache until the row is complete. They are then merged and written once, to the final flat
//! array. See [`crate::rasterize`] for measurements of the alternatives.

use waymesh_core::lanes::{high, low, low_pair};
use waymesh_core::{AreaId, GROUND_STEPS_PER_LEVEL, Span};

use crate::rounding::{LEVEL_SLACK, clamp, nearest};

/// Flags of a fragment: the bits below, with the area of a walkable fragment above them.
pub(crate) type Flags = u16;
/// The fragment covers the cell's centre.
pub(crate) const COVERS_CENTRE: Flags = 1;
/// The fragment faces upward.
pub(crate) const UPWARD: Flags = 2;
/// The fragment is gentle enough to walk on, so its ground can be stood on.
pub(crate) const GENTLE: Flags = 4;
/// The fragment is walkable. All gentle fragments are, except those of obstacles.
pub(crate) const WALKABLE: Flags = 8;
/// The fragment has [`AreaId::NULL`]: where it is on top, the span is not walkable.
pub(crate) const BLOCKED: Flags = 16;
/// Position of the lowest bit of the area.
pub(crate) const AREA_SHIFT: u32 = 8;

/// Index for the end of a list of tails.
const NO_TAIL: u32 = u32::MAX;
/// Number of fragments of a column that a new one is compared with. In a column of a thousand
/// sheets, comparing with all of them takes quadratic time; fragments that are not merged at once
/// are merged when the row ends.
const LATEST: usize = 32;
/// Length up to which a row of ranges is reset with a fixed size instead of the exact one.
const SHORT_ROW: usize = 8;

/// A range of heights as `[lowest, -highest]`, so that one operation widens both ends.
pub(crate) type Range = [f64; 2];
pub(crate) const NO_RANGE: Range = [f64::INFINITY; 2];

#[inline(always)]
pub(crate) fn range_of(height: f64) -> Range {
    [height, -height]
}

#[inline(always)]
pub(crate) fn widen(a: Range, b: Range) -> Range {
    low_pair(a, b)
}

/// A filled piece of one column. Two fragments merge by taking the maximum of each number, in any
/// order. An area belongs to a height and is taken with it; at equal heights the larger area wins.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
struct Fragment([i32; 8]);

/// Indices into a [`Fragment`]. Unused numbers are `i32::MIN`.
const MINUS_BOTTOM: usize = 0;
const TOP: usize = 1;
/// Highest top of a walkable or blocked part.
const WALKABLE_TOP: usize = 2;
/// Highest top of an upward-facing part.
const UPWARD_TOP: usize = 3;
/// Highest ground, in steps of [`GROUND_STEPS_PER_LEVEL`], of the gentle parts that cover the
/// cell's centre.
const CENTRE_GROUND: usize = 4;
/// Highest ground of the upward-facing parts.
const UPWARD_GROUND: usize = 5;
/// Area of the part with [`WALKABLE_TOP`], and of the part with [`CENTRE_GROUND`].
const TOP_AREA: usize = 6;
const CENTRE_AREA: usize = 7;
/// Area of a blocked part: larger than all others, so that it wins at equal heights.
const BLOCKED_AREA: i32 = 256;

/// Neutral element of merging.
const EMPTY: Fragment = Fragment([i32::MIN; 8]);

impl Fragment {
    /// Returns the part of a column that a triangle fills: the levels of a height range, and the
    /// ground unless the triangle faces down. Without `AREAS` all ground is [`AreaId::GROUND`], and
    /// areas are not stored.
    #[inline(always)]
    fn new<const AREAS: bool>(range: Range, plane: f64, flags: Flags) -> Self {
        // The bottom is rounded down and the top is rounded up to a level line, with the slack.
        let bottom = nearest(range[0] + (LEVEL_SLACK - 0.5));
        let top = (-nearest(range[1] + (LEVEL_SLACK - 0.5))).max(bottom + 1);
        let mut fragment = Self([-bottom, top, i32::MIN, i32::MIN, i32::MIN, i32::MIN, i32::MIN, i32::MIN]);
        if flags & UPWARD != 0 {
            let ground = clamp(plane, range[0], -range[1]) * f64::from(GROUND_STEPS_PER_LEVEL);
            let ground = nearest(clamp(ground, -MOST_GROUND, MOST_GROUND));
            let is_centre = flags & (COVERS_CENTRE | GENTLE) == COVERS_CENTRE | GENTLE;
            fragment.0[CENTRE_GROUND] = if is_centre { ground } else { i32::MIN };
            if AREAS && flags & BLOCKED != 0 {
                fragment.set_area(top, BLOCKED_AREA);
                return fragment;
            }
            if !AREAS {
                fragment.0[WALKABLE_TOP] = if flags & WALKABLE != 0 { top } else { i32::MIN };
            } else if flags & WALKABLE != 0 {
                fragment.set_area(top, i32::from(flags >> AREA_SHIFT));
            }
            fragment.0[UPWARD_TOP] = top;
            fragment.0[UPWARD_GROUND] = ground;
        }
        fragment
    }

    /// Sets the area of the part that ends at `top`.
    #[inline(always)]
    fn set_area(&mut self, top: i32, area: i32) {
        self.0[WALKABLE_TOP] = top;
        self.0[TOP_AREA] = area;
        self.0[CENTRE_AREA] = if self.0[CENTRE_GROUND] == i32::MIN { i32::MIN } else { area };
    }

    /// Returns filled levels without ground.
    fn solid(bottom: i32, top: i32) -> Self {
        let mut fragment = EMPTY;
        (fragment.0[MINUS_BOTTOM], fragment.0[TOP]) = (-bottom, top);
        fragment
    }

    /// Returns a fragment that [`Fragment::span`] converts back to `span`. The original fragments
    /// of the span are unknown; its walkable top is assumed to lie at its ground.
    #[expect(clippy::cast_possible_truncation, reason = "clamped to 32 bits")]
    fn of_span(span: &Span, reach: i32) -> Self {
        let steps = i64::from(GROUND_STEPS_PER_LEVEL);
        let most = MOST_GROUND as i64;
        let ground = (i64::from(span.top) * steps - i64::from(span.ground_drop)).clamp(-most, most);
        // The level that contains the ground. Because of the flag it is at most `reach` below the
        // top.
        let level = (ground.div_euclid(steps) + 1).min(i64::from(span.top)) as i32;
        let surface = level.max(span.top.saturating_sub(reach));
        let mut fragment = Self::solid(span.bottom, span.top);
        if span.area.is_walkable() {
            fragment.0[CENTRE_GROUND] = ground as i32;
            fragment.set_area(surface, i32::from(span.area.0));
        }
        if span.upward {
            fragment.0[UPWARD_TOP] = surface;
            fragment.0[UPWARD_GROUND] = ground as i32;
        }
        fragment
    }

    #[inline(always)]
    fn bottom(&self) -> i32 {
        self.0[MINUS_BOTTOM].wrapping_neg()
    }

    #[inline(always)]
    fn top(&self) -> i32 {
        self.0[TOP]
    }

    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.0[TOP] == i32::MIN
    }

    /// Returns `true` if the two fragments overlap or touch.
    #[inline(always)]
    fn touches(&self, other: &Self) -> bool {
        (other.bottom() <= self.top()) & (self.bottom() <= other.top())
    }

    #[inline(always)]
    fn merge<const AREAS: bool>(&mut self, other: &Self) {
        let areas = AREAS.then(|| {
            [(WALKABLE_TOP, TOP_AREA), (CENTRE_GROUND, CENTRE_AREA)].map(|(height, area)| {
                let of = |part: &Self| (part.0[height], part.0[area]);
                of(self).max(of(other)).1
            })
        });
        for (own, other) in self.0.iter_mut().zip(other.0) {
            *own = (*own).max(other);
        }
        if let Some([top, centre]) = areas {
            (self.0[TOP_AREA], self.0[CENTRE_AREA]) = (top, centre);
        }
    }

    /// Returns the span of all merged fragments. A fragment counts as walkable or upward if it ends
    /// at most `reach` levels below the top. The area is that of the ground at the cell's centre;
    /// if that ground is lower, or has no area, that of the highest walkable fragment.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 16 bits")]
    fn span<const AREAS: bool>(&self, reach: i32) -> Span {
        let top = self.top();
        // Numbers that no fragment has set are below it, whatever the reach.
        let least = top.saturating_sub(reach).max(i32::MIN + 1);
        let steps = i64::from(GROUND_STEPS_PER_LEVEL);
        let from_top = |ground: i32| i64::from(top) * steps - i64::from(ground);
        let drop = from_top(self.0[CENTRE_GROUND]);
        let is_centre = (drop <= (i64::from(reach) + 1) * steps) & (self.0[CENTRE_GROUND] != i32::MIN);
        let drop = if is_centre { drop } else { from_top(self.0[UPWARD_GROUND]) };
        let of_centre = if is_centre { self.0[CENTRE_AREA] } else { i32::MIN };
        let area = if self.0[WALKABLE_TOP] < least {
            i32::from(AreaId::NULL.0)
        } else if !AREAS {
            i32::from(AreaId::GROUND.0)
        } else if of_centre == i32::MIN {
            self.0[TOP_AREA]
        } else {
            of_centre
        };
        // A blocked span must not become walkable as a low obstacle.
        let is_blocked = AREAS && area == BLOCKED_AREA;
        let upward = self.0[UPWARD_TOP] >= least && !is_blocked;
        Span {
            bottom: self.bottom(),
            top,
            ground_drop: if upward { drop.clamp(0, i64::from(u16::MAX)) as u16 } else { 0 },
            area: if is_blocked { AreaId::NULL } else { AreaId(area as u8) },
            upward,
        }
    }
}

/// Largest ground in steps: 67 million levels, beyond which the drop below the top saturates.
pub(crate) const MOST_GROUND: f64 = 2_147_483_000.0;

/// Plane of a triangle over cells that the triangle covers completely, from `start` on.
#[derive(Debug)]
pub(crate) struct FullRun {
    pub(crate) start: f64,
    /// Height at the lower corner of the first cell.
    pub(crate) corner: f64,
    /// Height difference per cell along x and z.
    pub(crate) gradient: [f64; 2],
}

/// Fragments of one row. Cells are numbered in the whole grid. Without `AREAS` every fragment has
/// the area [`AreaId::GROUND`], which saves a tenth of the work.
#[derive(Debug)]
pub(crate) struct RowFragments<const AREAS: bool> {
    first_cell: i32,
    last_cell: i32,
    /// Latest fragment of each column, which is the head of its list, and the index of the next
    /// one.
    heads: Vec<Fragment>,
    next: Vec<u32>,
    /// All other fragments, each with the index of the next one in its list.
    tails: Vec<(Fragment, u32)>,
    /// Scratch: height ranges of the cells of one triangle's row, with one cell of padding on each
    /// side.
    ranges: Vec<Range>,
    /// Scratch: the order of the fragments of one column.
    order: Vec<u64>,
    reach: i32,
}

impl<const AREAS: bool> RowFragments<AREAS> {
    /// Bytes per cell of the row, and per fragment in `tails`.
    pub(crate) const CELL_BYTES: u64 = (size_of::<Fragment>() + size_of::<u32>() + size_of::<Range>()) as u64;
    pub(crate) const FRAGMENT_BYTES: u64 = size_of::<(Fragment, u32)>() as u64;

    /// Returns an empty row. A fragment counts if it ends at most `reach` levels below the merged
    /// top.
    #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "a width of a GridFrame")]
    pub(crate) fn new(first_cell: i32, width: usize, reach: i32) -> Self {
        Self {
            first_cell,
            last_cell: first_cell + (width as i32 - 1),
            heads: vec![EMPTY; width],
            next: vec![NO_TAIL; width],
            tails: Vec::new(),
            ranges: vec![NO_RANGE; (width + 2).max(SHORT_ROW)],
            order: Vec::new(),
            reach,
        }
    }

    #[inline(always)]
    pub(crate) fn first_cell(&self) -> i32 {
        self.first_cell
    }

    #[inline(always)]
    pub(crate) fn last_cell(&self) -> i32 {
        self.last_cell
    }

    /// Returns the index of a cell in the row.
    #[inline(always)]
    #[expect(clippy::cast_sign_loss, reason = "callers clip to the row")]
    fn place(&self, cell: i32) -> usize {
        (cell - self.first_cell) as usize
    }

    /// Adds a fragment over `range`. The ground is `plane`, clamped to the range.
    #[inline(always)]
    pub(crate) fn add(&mut self, cell: i32, range: Range, plane: f64, flags: Flags) {
        self.insert(self.place(cell), &Fragment::new::<AREAS>(range, plane, flags));
    }

    /// Adds a fragment to each of `cells`, which belong to `run`.
    pub(crate) fn add_full(&mut self, cells: std::ops::Range<i32>, run: &FullRun, flags: Flags) {
        let FullRun { start, corner, gradient } = *run;
        let lo = corner + low(gradient[0], 0.0) + low(gradient[1], 0.0);
        let hi = corner + high(gradient[0], 0.0) + high(gradient[1], 0.0);
        let ground = corner + (gradient[0] + gradient[1]) * 0.5;
        let mut along = f64::from(cells.start) - start;
        for place in self.place(cells.start)..self.place(cells.end) {
            let rise = gradient[0] * along;
            along += 1.0;
            self.insert(place, &Fragment::new::<AREAS>([lo + rise, -hi - rise], ground + rise, flags));
        }
    }

    /// Merges `fragment` with a fragment of its column that it touches, else adds it. If it
    /// connects two others, `finish` merges them.
    #[inline(always)]
    fn insert(&mut self, cell: usize, fragment: &Fragment) {
        let head = &mut self.heads[cell];
        if head.is_empty() {
            *head = *fragment;
        } else if head.touches(fragment) {
            head.merge::<AREAS>(fragment);
        } else {
            self.insert_elsewhere(cell, fragment);
        }
    }

    /// Merges `fragment` with one of the latest fragments of its column that it touches, else puts
    /// it at the front of the list.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the sweep checks the number of fragments per row")]
    fn insert_elsewhere(&mut self, cell: usize, fragment: &Fragment) {
        let mut place = self.next[cell];
        for _ in 0..LATEST {
            let Some((other, next)) = self.tails.get_mut(place as usize) else { break };
            if other.touches(fragment) {
                other.merge::<AREAS>(fragment);
                // The next triangles mostly belong to the same solid.
                std::mem::swap(&mut self.heads[cell], other);
                return;
            }
            place = *next;
        }
        let next = std::mem::replace(&mut self.next[cell], self.tails.len() as u32);
        let head = std::mem::replace(&mut self.heads[cell], *fragment);
        self.tails.push((head, next));
    }

    /// Returns `count` empty height ranges as scratch.
    #[inline(always)]
    pub(crate) fn ranges(&mut self, count: usize) -> &mut [Range] {
        if count <= SHORT_ROW {
            self.ranges[..SHORT_ROW].fill(NO_RANGE);
        } else {
            self.ranges[..count].fill(NO_RANGE);
        }
        &mut self.ranges[..count]
    }

    /// Returns one of the height ranges.
    #[inline(always)]
    pub(crate) fn range(&self, index: usize) -> Range {
        self.ranges[index]
    }

    /// Appends the row's spans and the end of each column, and clears the row.
    #[expect(clippy::cast_possible_truncation, reason = "the caller checks the number of spans per row")]
    pub(crate) fn finish(&mut self, columns: &mut Vec<u32>, spans: &mut Vec<Span>) {
        let (tails, order, reach) = (&self.tails, &mut self.order, self.reach);
        columns.extend(self.heads.iter_mut().zip(&mut self.next).map(|(head, next)| {
            if !head.is_empty() {
                if *next == NO_TAIL {
                    spans.push(head.span::<AREAS>(reach));
                } else {
                    merge_column::<AREAS>(head, *next, tails, order, reach, spans);
                    *next = NO_TAIL;
                }
                *head = EMPTY;
            }
            spans.len() as u32
        }));
        self.tails.clear();
    }

    /// Fills levels of a cell without adding ground.
    pub(crate) fn add_solid(&mut self, cell: i32, bottom: i32, top: i32) {
        if bottom < top {
            self.insert(self.place(cell), &Fragment::solid(bottom, top));
        }
    }

    /// Returns the largest possible number of spans of the row.
    #[inline]
    pub(crate) fn bound(&self) -> usize {
        self.heads.len() + self.tails.len()
    }

    /// Returns the number of fragments beyond the first of each column.
    #[inline]
    pub(crate) fn excess(&self) -> usize {
        self.tails.len()
    }
}

impl RowFragments<true> {
    /// Merges the fragments into a row of existing spans like [`RowFragments::finish`]. `before`
    /// returns the spans of each column. A column without fragments keeps its spans; in other
    /// columns the spans are merged like fragments. Returns the number of columns with fragments.
    #[expect(clippy::cast_possible_truncation, reason = "the caller checks the number of spans per row")]
    pub(crate) fn finish_over<'a>(
        &mut self,
        before: impl Fn(usize) -> &'a [Span],
        columns: &mut Vec<u32>,
        spans: &mut Vec<Span>,
    ) -> u64 {
        let mut changed = 0;
        for place in 0..self.heads.len() {
            let before = before(place);
            if self.heads[place].is_empty() {
                spans.extend_from_slice(before);
            } else {
                for span in before {
                    self.insert(place, &Fragment::of_span(span, self.reach));
                }
                let (head, next) = (&mut self.heads[place], &mut self.next[place]);
                let first = spans.len();
                if *next == NO_TAIL {
                    spans.push(head.span::<true>(self.reach));
                } else {
                    merge_column::<true>(head, *next, &self.tails, &mut self.order, self.reach, spans);
                    *next = NO_TAIL;
                }
                *head = EMPTY;
                for span in &mut spans[first..] {
                    restore(span, before, self.reach);
                }
                changed += 1;
            }
            columns.push(spans.len() as u32);
        }
        self.tails.clear();
        changed
    }
}

/// Restores the parts of `span` that fragments do not keep of the spans `before`. A span that was
/// not extended is restored exactly. Any other walkable span gets the area of the highest walkable
/// span in it.
fn restore(span: &mut Span, before: &[Span], reach: i32) {
    let mut inside = before.iter().filter(|part| span.bottom <= part.bottom && part.top <= span.top).rev();
    if let Some(same) =
        inside.clone().find(|part| Fragment::of_span(part, reach).span::<true>(reach) == *span)
    {
        *span = *same;
    } else if span.area.is_walkable()
        && let Some(part) = inside.find(|part| part.area.is_walkable())
    {
        span.area = part.area;
    }
}

/// Merges the fragments of a list of at least two into spans. `order` is scratch.
#[inline]
fn merge_column<const AREAS: bool>(
    first: &Fragment,
    next: u32,
    tails: &[(Fragment, u32)],
    order: &mut Vec<u64>,
    reach: i32,
    spans: &mut Vec<Span>,
) {
    let (second, after) = &tails[next as usize];
    if *after == NO_TAIL {
        // Two is the usual case, one storey above the other.
        let (lower, upper) =
            if first.bottom() <= second.bottom() { (first, second) } else { (second, first) };
        if lower.top() < upper.bottom() {
            spans.extend([lower.span::<AREAS>(reach), upper.span::<AREAS>(reach)]);
        } else {
            let mut whole = *lower;
            whole.merge::<AREAS>(upper);
            spans.push(whole.span::<AREAS>(reach));
        }
        return;
    }
    // Sorted by bottom. The low half of the key is the index in `tails`, or `NO_TAIL` for the head.
    order.clear();
    order.push(key(first, NO_TAIL));
    let mut next = next;
    while next != NO_TAIL {
        let (fragment, after) = &tails[next as usize];
        order.push(key(fragment, next));
        next = *after;
    }
    order.sort_unstable();
    #[expect(clippy::cast_possible_truncation, reason = "the low half")]
    let mut sorted =
        order.iter().map(|&key| if key as u32 == NO_TAIL { first } else { &tails[key as u32 as usize].0 });
    let mut whole = sorted.next().copied().unwrap_or(EMPTY);
    for fragment in sorted {
        if fragment.bottom() <= whole.top() {
            whole.merge::<AREAS>(fragment);
        } else {
            spans.push(whole.span::<AREAS>(reach));
            whole = *fragment;
        }
    }
    spans.push(whole.span::<AREAS>(reach));
}

/// Returns a key that sorts fragments by their bottom.
#[inline(always)]
fn key(fragment: &Fragment, place: u32) -> u64 {
    u64::from(fragment.bottom().cast_unsigned() ^ (1 << 31)) << 32 | u64::from(place)
}
