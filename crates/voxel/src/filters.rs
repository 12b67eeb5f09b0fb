//! Filters that decide which spans stay walkable for an agent: low obstacles, ledges, low ceilings.
//!
//! [`crate::build_filtered_field`] applies them in one pass, fused with the building of the field.

use waymesh_core::{Agent, AreaId, Counter, GROUND_STEPS_PER_LEVEL, Heightfield, Observer, Span, ascends};

use crate::VoxelError;

/// Ceiling of a span with no span above it.
const OPEN: i32 = i32::MAX;
/// Floor of the gap below the lowest span of a column. A fall into this gap is unlimited.
const VOID: i64 = -(1 << 40);
/// Number of spans of a column up to which a linear scan is faster than binary search.
const FEW_SPANS: usize = 8;

/// Slack of the conversion to steps of [`GROUND_STEPS_PER_LEVEL`], as a part of a level: 0.6 m is 3
/// levels of 0.2 m, although neither number is exact in binary.
const QUOTIENT_SLACK: f64 = 1e-4;

/// Selection of the filters, which run in the order of the fields.
///
/// # References
/// Mononen 2009, Automatic Navmesh Generation via Watershed Partitioning, step 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Filters {
    /// Makes spans walkable that an agent can step onto from the walkable span directly below:
    /// kerbs, stairs with steep faces, roots. A span becomes walkable if its top is an upward surface
    /// ([`Span::upward`]) at most `max_step` above the top of a span that was walkable before. The
    /// underside of a slab and a bare wall never become walkable, however thin the gap below.
    /// Default true.
    pub low_obstacles: bool,
    /// Removes walkable spans next to a drop, or on stairs that are too steep to walk on. A span is
    /// removed if it lies at the grid's edge, if the agent could pass to an adjacent column and would
    /// fall by more than `max_step` there, or if its floor and the floors that the agent could step
    /// to differ by more than `max_step`. Default true.
    pub ledges: bool,
    /// Removes walkable spans with less headroom than the agent's height. Default true.
    pub low_ceilings: bool,
}

impl Default for Filters {
    fn default() -> Self {
        Self { low_obstacles: true, ledges: true, low_ceilings: true }
    }
}

waymesh_core::setters! {
    impl Filters {
        with_low_obstacles(low_obstacles: bool);
        with_ledges(ledges: bool);
        with_low_ceilings(low_ceilings: bool);
    }
}

impl Filters {
    /// Returns a selection without filters.
    #[must_use]
    pub fn none() -> Self {
        Self { low_obstacles: false, ledges: false, low_ceilings: false }
    }
}

/// An agent's height and step in levels.
///
/// # Headroom
/// A span is less exact than its triangles: the true ceiling lies less than a level above the
/// [`Span::bottom`] of the span above, and the highest surface less than a level below
/// [`Span::top`], but not below [`Span::ground`]. An agent fits if the highest possible ceiling is
/// more than its height above the lowest possible surface. Ground is thus kept wherever the
/// headroom is at least the height, and removed wherever the headroom above its centre lacks a
/// level or more.
///
/// As heights are compared in steps of [`GROUND_STEPS_PER_LEVEL`], this is a comparison of levels:
/// the ceiling must lie at least [`AgentLevels::height`] above [`AgentLevels::feet`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct AgentLevels {
    /// Headroom above the feet.
    pub(crate) height: i32,
    pub(crate) step: i32,
    /// Smallest [`Span::ground_drop`] with which the feet are a level below the top.
    pub(crate) low_drop: u32,
}

impl AgentLevels {
    pub(crate) fn new(agent: &Agent, level_height: f32) -> Result<Self, VoxelError> {
        agent.validate()?;
        let step = i32::try_from(agent.max_step_levels(level_height)).unwrap_or(i32::MAX);
        // Twice as fine as the steps of the ground, which is rounded to the nearest step.
        let fine = 2 * u32::from(GROUND_STEPS_PER_LEVEL);
        let levels = f64::from(agent.height) / f64::from(level_height) + QUOTIENT_SLACK;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive; saturates")]
        let needed = (levels * f64::from(fine)).floor() as u64;
        let height = i32::try_from(needed.div_ceil(fine.into())).unwrap_or(i32::MAX);
        #[expect(clippy::cast_possible_truncation, reason = "a part of a level")]
        let part = (needed % u64::from(fine)) as u32;
        let low_drop = if part == 0 { u32::MAX } else { part.div_ceil(2) };
        Ok(Self { height: (height - 1).max(1), step, low_drop })
    }

    /// Returns the level from which the headroom of a span is counted: the level of its top, or one
    /// below.
    #[inline(always)]
    pub(crate) fn feet(self, top: i32, ground_drop: u16) -> i32 {
        top.saturating_sub(i32::from(u32::from(ground_drop) >= self.low_drop))
    }
}

/// Checks that the tables of `heightfield` can be indexed without a panic.
pub(crate) fn check(heightfield: &Heightfield) -> Result<(), VoxelError> {
    let Heightfield { frame, columns, spans } = heightfield;
    let cells = u128::from(frame.width) * u128::from(frame.depth);
    let sound = columns.len() as u128 == cells + 1
        && columns.first() == Some(&0)
        && columns.last().is_some_and(|&last| last as usize == spans.len())
        && ascends(columns)
        && i32::try_from(frame.width).is_ok()
        && i32::try_from(frame.depth).is_ok();
    if sound {
        return Ok(());
    }
    Err(VoxelError::BrokenHeightfield {
        columns: columns.len(),
        width: frame.width,
        depth: frame.depth,
        spans: spans.len(),
    })
}

pub(crate) fn report(counter: Counter, amount: u64, observer: &mut dyn Observer) {
    if amount > 0 {
        observer.count(counter, amount);
    }
}

/// Span directly below, for the filter of low obstacles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Below {
    top: i32,
    /// Area before this filter ran, so that an obstacle does not become the ground for the next
    /// one.
    area: AreaId,
}

impl Below {
    pub(crate) const NOTHING: Self = Self { top: 0, area: AreaId::NULL };

    /// Returns the area of `span` after the filter: the area of the span below if `span` is a low
    /// obstacle, else its own. Must be called for the spans of a column from bottom to top.
    #[inline(always)]
    pub(crate) fn step(&mut self, span: &Span, step: i32) -> AreaId {
        let below = std::mem::replace(self, Self { top: span.top, area: span.area });
        let obstacle = !span.area.is_walkable()
            && span.upward
            && below.area.is_walkable()
            && span.top.saturating_sub(below.top) <= step;
        if obstacle { below.area } else { span.area }
    }
}

/// Returns the ceiling of a span: the bottom of the next span in the column, or [`OPEN`].
#[inline(always)]
pub(crate) fn ceiling(column: &[Span], index: usize) -> i32 {
    column.get(index + 1).map_or(OPEN, |above| above.bottom)
}

/// Spans of a whole heightfield by column and row, for access to neighbours.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a> {
    spans: &'a [Span],
    columns: &'a [u32],
    width: usize,
    depth: usize,
}

impl<'a> Columns<'a> {
    /// Returns a view of `heightfield`, which must pass [`check`].
    pub(crate) fn new(heightfield: &'a Heightfield) -> Self {
        let Heightfield { frame, columns, spans } = heightfield;
        Self { spans, columns, width: frame.width as usize, depth: frame.depth as usize }
    }

    #[inline(always)]
    pub(crate) fn column(&self, column: usize) -> &'a [Span] {
        let Some(&[first, end]) = self.columns.get(column..column + 2) else { return &[] };
        &self.spans[first as usize..end as usize]
    }

    /// Returns `true` if column `(x, z)` lies at the edge of the grid.
    #[inline(always)]
    pub(crate) fn is_edge(&self, x: usize, z: usize) -> bool {
        x == 0 || z == 0 || x + 1 == self.width || z + 1 == self.depth
    }

    /// Returns `true` if a span below `ceiling` lies at a ledge or on stairs that are too steep.
    /// Its column must not lie at the edge of the grid.
    #[inline(never)]
    pub(crate) fn is_ledge(&self, column: usize, span: &Span, ceiling: i32, reach: AgentLevels) -> bool {
        let feet = reach.feet(span.top, span.ground_drop);
        let head = feet.saturating_add(reach.height);
        let (height, step) = (i64::from(reach.height), i64::from(reach.step));
        let (floor, feet, ceiling) = (i64::from(span.top), i64::from(feet), i64::from(ceiling));
        let (mut lowest, mut highest) = (floor, floor);
        for neighbour in [column - 1, column + 1, column - self.width, column + self.width] {
            let mut spans = self.column(neighbour);
            if spans.len() > FEW_SPANS {
                let ends_below = spans.partition_point(|span| span.bottom < head);
                spans = &spans[ends_below.saturating_sub(1)..];
            }
            // The gaps of the column, from the void below its lowest span to the sky above its
            // highest. Gaps that end below the head of an agent on this floor are ignored.
            let ([mut gap_floor, mut gap_feet], mut above) = ([VOID; 2], 0);
            let gap_above =
                |span: &Span| [i64::from(span.top), i64::from(reach.feet(span.top, span.ground_drop))];
            while let Some(span) = spans.get(above)
                && span.bottom < head
            {
                [gap_floor, gap_feet] = gap_above(span);
                above += 1;
            }
            loop {
                let gap_ceiling = spans.get(above).map_or(OPEN, |span| span.bottom);
                if ceiling.min(i64::from(gap_ceiling)) - feet.max(gap_feet) >= height {
                    if gap_floor < floor - step {
                        return true;
                    }
                    if gap_floor <= floor + step {
                        (lowest, highest) = (lowest.min(gap_floor), highest.max(gap_floor));
                    }
                }
                // The next gap begins above this head.
                if step < height || above >= spans.len() {
                    break;
                }
                [gap_floor, gap_feet] = gap_above(&spans[above]);
                above += 1;
            }
        }
        highest - lowest > step
    }
}
