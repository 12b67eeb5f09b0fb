//! Keeps the agent's centre away from walls and drops.

use waymesh_core::{
    AreaId, BadField, Counter, Direction, NO_SPAN, Observer, WalkableField, Warning, checkpoint_every,
};

use crate::VoxelError;

/// Removes (sets to [`AreaId::NULL`]) the spans that are nearer than `radius` metres to something
/// blocked.
///
/// # What is measured
/// A span that is not walkable is blocked, and so is the cell beyond a missing link. A span stays
/// if the centre of its cell is at least `radius` plus half a cell from the centre of every blocked
/// cell that links lead to. Distances are measured in plan: with `dx, dz` cells between the two,
/// `sqrt(dx^2 + dz^2) * cell_size >= radius + cell_size / 2`. A radius of half a cell or less
/// removes nothing.
///
/// The distance is measured to the centre because the face of the wall, or the edge of the drop,
/// lies somewhere in the blocked cell. Across the wall, the centre is off by at most half a cell,
/// and by nothing on average, in whatever direction the wall runs. The nearest corner would always
/// be off to the same side: by half a cell, and by a whole one on walls at an angle to the grid.
/// The half cell is added because the border of a cell that stays lies half a cell from its centre.
///
/// # Guarantees
/// - The result follows this definition exactly for every radius (with a slack of a 10,000th of a
///   cell), and is the same in all directions. Chamfer distances, as in Recast, are off by up to 11
///   %.
/// - If the agent's centre is on a span that stays, nothing in a blocked cell is nearer than the
///   radius less half a cell, measured along a row of cells, or less 0.92 cells in any direction.
///   On average the distance is larger than the radius, because only whole cells are kept.
/// - A blocked cell counts if steps along z and then along x lead to it. On the way to the nearest
///   blocked cell all cells are free, so any other order of steps leads there too. The only
///   exception is the corner of a spiral so steep that four cells around a point rise by a whole
///   storey.
///
/// # Method
/// A span is removed if a blocked cell lies `k` steps along z and at most `reach(k)` along x. Two
/// sweeps count the distance of each span to the nearest blocked cell along x. Each distance gives
/// the number of steps along z over which it still removes spans. Two sweeps pass these numbers on
/// along z, less one per step. One sweep is shared, so there are three.
///
/// # Cost
/// Three sweeps over the spans for any radius; 12 bytes per span while it runs.
///
/// # Errors
/// [`VoxelError::BadField`] for a radius that is not finite or negative.
pub fn erode(field: &mut WalkableField, radius: f32, observer: &mut dyn Observer) -> Result<(), VoxelError> {
    BadField::unless_length("erosion radius", radius)?;
    let longest = field.frame.width.max(field.frame.depth);
    let Some(reach) = reach_table(f64::from(radius) / f64::from(field.frame.cell_size), longest) else {
        return Ok(());
    };
    let removed = if reach.len() < usize::from(u16::MAX) {
        Sweeps::<u16>::new(field, &reach).run(field)
    } else {
        Sweeps::<u32>::new(field, &reach).run(field)
    };
    if removed > 0 {
        observer.count(Counter::SpansEroded, removed);
        if !field.has_ground() {
            observer.warn(Warning::NothingWalkable { stage: "erosion" });
        }
    }
    Ok(())
}

/// A quotient this close to a whole number of cells is rounded to it, so that 0.6 m is 2 cells of
/// 0.3 m.
const SLACK_CELLS: f64 = 1e-4;

/// Entry `g` is the number of cells along z over which a blocked cell at distance `g` along x
/// removes spans, including its own row. The last entry is 0. `None` if nothing is to be removed.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "clamped to little more than the grid's side"
)]
pub(crate) fn reach_table(radius_cells: f64, longest: u32) -> Option<Vec<u32>> {
    let reach = (radius_cells - SLACK_CELLS).min(f64::from(longest) + 4.0) + 0.5;
    if reach <= 1.0 {
        return None;
    }
    let mut table = Vec::with_capacity(reach as usize + 2);
    loop {
        let apart = table.len() as f64;
        // The number of k with apart^2 + k^2 < reach^2.
        let steps = (reach * reach - apart * apart).max(0.0).sqrt().ceil() as u32;
        table.push(steps);
        if steps == 0 {
            return Some(table);
        }
    }
}

/// A small count of cells, in 16 bits if the radius allows it.
trait Count: Copy + Ord + Default {
    fn new(value: usize) -> Self;
    fn index(self) -> usize;
    fn less_one(self) -> Self;
    fn more_one(self) -> Self;
}

macro_rules! count {
    ($type:ty) => {
        impl Count for $type {
            #[inline(always)]
            fn new(value: usize) -> Self {
                Self::try_from(value).unwrap_or(Self::MAX)
            }
            #[inline(always)]
            fn index(self) -> usize {
                self as usize
            }
            #[inline(always)]
            fn less_one(self) -> Self {
                self.saturating_sub(1)
            }
            #[inline(always)]
            fn more_one(self) -> Self {
                self + 1
            }
        }
    };
}
count!(u16);
count!(u32);

/// The numbers that the sweeps keep per span.
struct Sweeps<C> {
    /// [`reach_table`].
    reach: Vec<C>,
    /// Distances along x to the nearest span that is blocked, to the nearest one that has no link
    /// to larger z, and to the nearest one that has none to smaller z. At most `far`.
    along_x: Vec<[C; 3]>,
    /// Numbers of steps from this span to smaller z and to larger z over which spans are still
    /// removed.
    along_z: Vec<[C; 2]>,
    far: C,
}

/// Spans between two checkpoints.
const SPANS: usize = 1 << 16;
const BLOCKED: usize = 0;
const NO_NEXT: usize = 1;
const NO_PREVIOUS: usize = 2;

impl<C: Count> Sweeps<C> {
    fn new(field: &WalkableField, reach: &[u32]) -> Self {
        Self {
            reach: reach.iter().map(|&steps| C::new(steps as usize)).collect(),
            along_x: vec![[C::default(); 3]; field.len()],
            along_z: vec![[C::default(); 2]; field.len()],
            far: C::new(reach.len() - 1),
        }
    }

    /// The distances of a span whose neighbour along x is `neighbour`, whose distances are known.
    #[inline(always)]
    fn step_along_x(&self, links: &[u32; 4], neighbour: u32, walkable: bool) -> [C; 3] {
        let (zero, one) = (C::default(), C::default().more_one());
        let mut distances = if neighbour == NO_SPAN {
            [one.min(self.far), self.far, self.far]
        } else {
            self.along_x[neighbour as usize].map(|distance| distance.more_one().min(self.far))
        };
        if !walkable {
            distances[BLOCKED] = zero;
        }
        if links[Direction::PosZ.index()] == NO_SPAN {
            distances[NO_NEXT] = zero;
        }
        if links[Direction::NegZ.index()] == NO_SPAN {
            distances[NO_PREVIOUS] = zero;
        }
        distances
    }

    fn run(mut self, field: &mut WalkableField) -> u64 {
        let spans = field.len();
        for span in 0..spans {
            checkpoint_every(SPANS, span);
            let links = &field.links[span];
            let neighbour = links[Direction::NegX.index()];
            self.along_x[span] = self.step_along_x(links, neighbour, field.area[span].is_walkable());
        }
        for span in (0..spans).rev() {
            checkpoint_every(SPANS, span);
            let links = &field.links[span];
            let neighbour = links[Direction::PosX.index()];
            let after = self.step_along_x(links, neighbour, field.area[span].is_walkable());
            let before = std::mem::replace(&mut self.along_x[span], after);
            let reach = |kind: usize| self.reach[before[kind].min(after[kind]).index()];
            let blocked = reach(BLOCKED);
            let next = links[Direction::PosZ.index()];
            let handed =
                if next == NO_SPAN { C::default() } else { self.along_z[next as usize][0].less_one() };
            self.along_z[span] = [
                blocked.max(reach(NO_NEXT).less_one()).max(handed),
                blocked.max(reach(NO_PREVIOUS).less_one()),
            ];
        }
        let mut removed = 0;
        for span in 0..spans {
            checkpoint_every(SPANS, span);
            let previous = field.links[span][Direction::NegZ.index()];
            let handed = if previous == NO_SPAN {
                C::default()
            } else {
                self.along_z[previous as usize][1].less_one()
            };
            let [up, down] = &mut self.along_z[span];
            *down = (*down).max(handed);
            if (*up).max(*down) > C::default() && field.area[span].is_walkable() {
                field.area[span] = AreaId::NULL;
                removed += 1;
            }
        }
        removed
    }
}
