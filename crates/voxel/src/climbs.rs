//! Climbs: ledges too high to walk, with standing room on both sides, that an agent can climb.

use waymesh_core::bytes::{Reader, Writer};
use waymesh_core::{
    BadField, Direction, GROUND_STEPS_PER_LEVEL, GridScale, GridWindow, Heightfield, NO_SPAN, SpanKey,
    WalkableField, checkpoint,
};

use crate::erosion::reach_table;
use crate::filters::{AgentLevels, check};
use crate::walkable::build_counted;
use crate::{FieldBuilder, VoxelError};

/// A position, one cell wide, where an agent climbs straight up a ledge.
///
/// Ordered by direction, then by foot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Climb {
    /// Index of the [`Direction`] that leads up.
    pub up: u8,
    /// Span at the foot of the ledge. The higher span is in the adjacent column in direction `up`.
    pub foot: SpanKey,
    /// Number of columns from the foot back to the first position where the agent's centre may be.
    pub low_depth: u16,
    /// Level of the floor at that position.
    pub low_floor: i32,
    /// Number of columns from the edge forward to the first position where the agent's centre may
    /// be.
    pub high_depth: u16,
    /// Level of the floor at that position.
    pub high_floor: i32,
}

impl Climb {
    /// Number of bytes that [`Climb::write`] appends.
    pub const BYTES: usize = 25;

    /// Returns the direction that leads up.
    #[must_use]
    pub fn direction(&self) -> Direction {
        Direction::from_index(self.up.into())
    }

    /// Appends the climb. Every climb takes the same number of bytes.
    pub fn write(&self, out: &mut Writer) {
        out.put(self.up);
        out.put([self.foot.z, self.foot.x]);
        out.put(self.foot.floor);
        for (depth, floor) in [(self.low_depth, self.low_floor), (self.high_depth, self.high_floor)] {
            out.put(depth);
            out.put(floor);
        }
    }

    /// Reads the output of [`Climb::write`]. Returns `None` for bytes that cannot be a climb.
    #[must_use]
    pub fn read(from: &mut Reader<'_>) -> Option<Self> {
        let up: u8 = from.get()?;
        from.ensure(up < 4, "a climb has no direction")?;
        let [z, x] = from.get()?;
        Some(Self {
            up,
            foot: SpanKey { z, x, floor: from.get()? },
            low_depth: from.get()?,
            low_floor: from.get()?,
            high_depth: from.get()?,
            high_floor: from.get()?,
        })
    }
}

/// Limits of a climb, in cells and levels.
#[derive(Clone, Debug)]
struct Limits {
    reach: AgentLevels,
    climb: i32,
    /// The agent's disc: [`reach_table`] of its radius. A single 1 for an agent no wider than a
    /// cell.
    disc: Vec<u32>,
    /// Largest number of columns between the ledge and a standing position.
    depth: u32,
}

impl Limits {
    fn new(builder: &FieldBuilder, max_ledge: f32, scale: &GridScale) -> Result<Self, VoxelError> {
        BadField::unless_length("max_ledge", max_ledge)?;
        let reach = AgentLevels::new(&builder.agent, scale.level_height)?;
        let climb = builder.agent.with_max_step(max_ledge).max_step_levels(scale.level_height);
        let radius = f64::from(builder.erosion_radius) / f64::from(scale.cell_size);
        let disc = reach_table(radius, u32::from(u16::MAX)).unwrap_or_else(|| vec![1, 0]);
        let radius = disc[0].saturating_sub(1);
        // Along a row of cells, an edge at 45 degrees is sqrt(2) times as far as its distance. The
        // ledge itself takes one more cell.
        let depth = (radius + 1).saturating_mul(3).div_ceil(2) + 1;
        Ok(Self { reach, climb: i32::try_from(climb).unwrap_or(i32::MAX), disc, depth })
    }

    fn finds_any(&self) -> bool {
        self.climb > self.reach.step
    }
}

impl FieldBuilder {
    /// Returns the number of columns that [`crate::build_window_with_climbs`] needs around a core
    /// in addition to [`FieldBuilder::halo_cells`]: the reach of a climb from its ledge. 0 if
    /// climbs are impossible.
    #[must_use]
    pub fn climb_cells(&self, max_ledge: f32, scale: &GridScale) -> u32 {
        Limits::new(self, max_ledge, scale)
            .map_or(0, |limits| if limits.finds_any() { limits.depth } else { 0 })
    }
}

/// Finds the positions in the columns of `core` where an agent can climb a ledge that is higher
/// than a step.
///
/// # Conditions
/// - Two spans lie in adjacent columns, one of them in `core`. The other is higher by more than
///   `max_step` and at most `max_ledge`. Both would be walkable without the ledge, and they share
///   headroom for the agent above the higher one.
/// - Following links straight back from the foot, and straight ahead from the edge, leads to a span
///   of `field` where the agent's centre may be, at most one and a half times the radius away.
/// - The agent's disc can move between these two positions at the height of the upper one. Nothing
///   on this path is higher than a step and lower than the agent's head.
///
/// `field` is the walkable field of `heightfield` after erosion, over the same columns. `origin` is
/// the position of their first column in the whole grid; the result is in columns of the whole
/// grid. Climbs of one direction are in the order of their feet.
///
/// # Guarantees
/// The climbs found in a column depend only on the columns within the sum of
/// [`FieldBuilder::climb_cells`] and [`FieldBuilder::halo_cells`] around it.
///
/// # Cost
/// A second field without erosion, and the columns under the agent's path for each climb.
///
/// # Errors
/// If `max_ledge`, the agent or the heightfield is invalid, or if the field belongs to another
/// grid.
pub fn find_climbs(
    heightfield: &Heightfield,
    field: &WalkableField,
    builder: &FieldBuilder,
    max_ledge: f32,
    core: GridWindow,
    origin: [u32; 2],
) -> Result<Vec<Climb>, VoxelError> {
    let frame = &heightfield.frame;
    let scale = GridScale::new(frame.cell_size, frame.level_height);
    let limits = Limits::new(builder, max_ledge, &scale)?;
    check(heightfield)?;
    if field.columns.len() != heightfield.columns.len() || field.frame.width != frame.width {
        let (width, depth) = (field.frame.width, field.frame.depth);
        return Err(VoxelError::BadWindow { window: GridWindow::whole(frame), width, depth });
    }
    if !limits.finds_any() {
        return Ok(Vec::new());
    }
    let filters = builder.filters.with_ledges(false);
    let ground = build_counted(heightfield, &builder.agent, &filters, GridWindow::default(), 1, &mut ())?;
    let finder = Finder { heightfield, field, ground: &ground, limits: &limits };
    let core = core.intersection(&GridWindow::whole(frame));
    let mut climbs = Vec::new();
    for z in core.z..core.end_z() {
        checkpoint();
        for x in core.x..core.end_x() {
            if ground.column(x, z).is_empty() {
                continue;
            }
            for direction in Direction::ALL {
                finder.column([x, z], direction, &mut climbs);
            }
        }
    }
    for climb in &mut climbs {
        climb.foot.x += origin[0];
        climb.foot.z += origin[1];
    }
    climbs.sort_unstable();
    Ok(climbs)
}

/// Searches for climbs in one grid.
#[derive(Clone, Copy, Debug)]
struct Finder<'a> {
    heightfield: &'a Heightfield,
    /// Field of the positions where the agent's centre may be.
    field: &'a WalkableField,
    /// Field of the positions where an agent could stand without ledges and walls.
    ground: &'a WalkableField,
    limits: &'a Limits,
}

impl Finder<'_> {
    /// Returns the column `steps` further in a direction; `None` outside the grid.
    fn beside(&self, [x, z]: [u32; 2], direction: Direction, steps: i64) -> Option<[u32; 2]> {
        let (dx, dz) = direction.offset();
        let frame = &self.heightfield.frame;
        let along = |at: u32, by: i32, end: u32| {
            u32::try_from(i64::from(at) + i64::from(by) * steps).ok().filter(|&at| at < end)
        };
        Some([along(x, dx, frame.width)?, along(z, dz, frame.depth)?])
    }

    /// Adds the climbs from one column up to the next.
    fn column(&self, at: [u32; 2], up: Direction, climbs: &mut Vec<Climb>) {
        let Some(next) = self.beside(at, up, 1) else { return };
        let ground = self.ground;
        let room = |span: u32| {
            let floor = i64::from(ground.floor[span as usize]);
            (floor, floor + i64::from(ground.clearance[span as usize]))
        };
        let (own, others) = (ground.column(at[0], at[1]), ground.column(next[0], next[1]));
        let (mut low, mut high) = (own.start, others.start);
        while low < own.end && high < others.end {
            let ((floor, top), (other, other_top)) = (room(low), room(high));
            let rise = other - floor;
            if rise > i64::from(self.limits.reach.step)
                && rise <= i64::from(self.limits.climb)
                && top.min(other_top) - i64::from(self.feet(high)) >= i64::from(self.limits.reach.height)
            {
                climbs.extend(self.climb(at, up, low, high));
            }
            // Gaps of a column do not overlap, so the one that ends first meets no further gap.
            low += u32::from(top <= other_top);
            high += u32::from(other_top <= top);
        }
    }

    /// Returns the level from which the headroom of a span is counted.
    fn feet(&self, span: u32) -> i32 {
        let floor = self.ground.floor[span as usize];
        let drop = floor as f32 - self.ground.ground[span as usize];
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not negative; saturates"
        )]
        let steps = (drop * f32::from(GROUND_STEPS_PER_LEVEL)).round() as u16;
        self.limits.reach.feet(floor, steps)
    }

    fn climb(&self, at: [u32; 2], up: Direction, low: u32, high: u32) -> Option<Climb> {
        let (low_depth, low_floor) = self.landing(low, up.opposite())?;
        let (high_depth, high_floor) = self.landing(high, up)?;
        let edge = self.ground.floor[high as usize];
        self.has_way(at, up, edge, low_depth, high_depth).then_some(Climb {
            up: u8::try_from(up.index()).ok()?,
            foot: SpanKey { z: at[1], x: at[0], floor: self.ground.floor[low as usize] },
            low_depth: u16::try_from(low_depth).ok()?,
            low_floor,
            high_depth: u16::try_from(high_depth).ok()?,
            high_floor,
        })
    }

    /// Finds the first span where the agent's centre may be, starting at `span` in the direction
    /// `away`. Returns the number of columns to it and its floor.
    fn landing(&self, mut span: u32, away: Direction) -> Option<(u32, i32)> {
        for depth in 0..=self.limits.depth {
            let (x, z) = self.ground.column_of(span);
            let floor = self.ground.floor[span as usize];
            let column = self.field.column(x, z);
            let floors = &self.field.floor[column.start as usize..column.end as usize];
            let found = floors.binary_search(&floor).is_ok_and(|place| {
                u32::try_from(place).is_ok_and(|place| self.field.is_walkable(column.start + place))
            });
            if found {
                return Some((depth, floor));
            }
            span = self.ground.links[span as usize][away.index()];
            if span == NO_SPAN {
                return None;
            }
        }
        None
    }

    /// Returns `true` if the agent's disc can move from one landing to the other at the height of
    /// the edge and of the ground beyond it.
    fn has_way(&self, at: [u32; 2], up: Direction, edge: i32, low_depth: u32, high_depth: u32) -> bool {
        let disc = &self.limits.disc;
        let (mut level, mut is_clear) = (edge, true);
        // Moves forward from the edge.
        for depth in 0..=i64::from(high_depth) {
            is_clear = is_clear && self.row(at, up, depth + 1, &mut level, disc[0]);
        }
        // Moves back from the edge, with the half of the disc that is behind the agent.
        level = edge;
        for depth in 0..=i64::from(low_depth) {
            is_clear = is_clear && self.row(at, up, -depth, &mut level, disc[0]);
        }
        for (behind, &wide) in (1..).zip(&disc[1..]) {
            is_clear =
                is_clear && (wide == 0 || self.row(at, up, -i64::from(low_depth) - behind, &mut level, wide));
        }
        is_clear
    }

    /// Returns `true` if nothing blocks a column of the agent's path and the `wide - 1` columns to
    /// each side of it. Moves `level` to the ground on the path if that is within a step.
    fn row(&self, at: [u32; 2], up: Direction, along: i64, level: &mut i32, wide: u32) -> bool {
        let Some(centre) = self.beside(at, up, along) else { return true };
        let Some(here) = self.over(centre, *level) else { return false };
        *level = here;
        [up.next(), up.previous()].into_iter().all(|side| {
            let mut level = here;
            (1..i64::from(wide)).all(|aside| {
                let Some(column) = self.beside(centre, side, aside) else { return true };
                self.over(column, level).map(|next| level = next).is_some()
            })
        })
    }

    /// Returns the level at which an agent's body that arrives at `level` passes over a column: the
    /// level of the ground if it is within a step, else `level`. `None` if the column is blocked.
    fn over(&self, [x, z]: [u32; 2], level: i32) -> Option<i32> {
        let AgentLevels { height, step, .. } = self.limits.reach;
        let floor_of = |span: &u32| self.ground.floor[*span as usize];
        let rise = |span: &u32| floor_of(span).abs_diff(level);
        let ground = self.ground.column(x, z).filter(|span| rise(span) <= step.unsigned_abs());
        let near = ground.min_by_key(|span| (rise(span), floor_of(span)));
        let (level, feet) = near.map_or((level, level), |span| (floor_of(&span), self.feet(span)));
        let spans = self.heightfield.column(x, z);
        let (knee, head) = (level.saturating_add(step), feet.saturating_add(height));
        (!spans.iter().any(|span| span.top > knee && span.bottom < head)).then_some(level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn climbs_survive_their_bytes() {
        let climb = Climb {
            up: 2,
            foot: SpanKey { z: 70_000, x: 3, floor: -5 },
            low_depth: 300,
            low_floor: i32::MIN,
            high_depth: 7,
            high_floor: i32::MAX,
        };
        let mut out = Writer::default();
        climb.write(&mut out);
        assert_eq!(out.0.len(), Climb::BYTES);
        assert_eq!(Climb::read(&mut Reader::new(&out.0)), Some(climb));
        assert_eq!(Climb::read(&mut Reader::new(&out.0[1..])), None);
        out.0[0] = 4;
        assert_eq!(Climb::read(&mut Reader::new(&out.0)), None);
    }
}
