//! Keeps the agent's centre away from walls and drops.

use std::ops::Range;

use waymesh_core::{
    AreaId, BadField, Counter, Direction, GridFrame, NO_SPAN, Observer, WalkableField, Warning,
    checkpoint_every, row_bands, split_lengths, threads,
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
/// Three sweeps over the spans for any radius, on all threads of the current rayon pool; 10 bytes
/// per span while it runs. The result does not depend on the number of threads.
///
/// # Errors
/// [`VoxelError::BadField`] for a radius that is not finite or negative.
pub fn erode(field: &mut WalkableField, radius: f32, observer: &mut dyn Observer) -> Result<(), VoxelError> {
    erode_on(field, radius, threads::count(), observer)
}

/// [`erode`] on so many threads of the current pool.
pub(crate) fn erode_on(
    field: &mut WalkableField,
    radius: f32,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<(), VoxelError> {
    BadField::unless_length("erosion radius", radius)?;
    let longest = field.frame.width.max(field.frame.depth);
    let Some(reach) = reach_table(f64::from(radius) / f64::from(field.frame.cell_size), longest) else {
        return Ok(());
    };
    let bands = bands(field, reach[0], threads);
    let removed = if reach.len() < usize::from(u16::MAX) {
        remove::<u16>(field, &reach, &bands)
    } else {
        remove::<u32>(field, &reach, &bands)
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

/// Rows of a band for each row of its halo, at least. A band sweeps its halo, too.
const ROWS_PER_HALO_ROW: u32 = 8;

/// The bands of rows that threads erode at the same time.
fn bands(field: &WalkableField, reach: u32, threads: usize) -> Vec<Range<u32>> {
    let GridFrame { width, depth, .. } = field.frame;
    // A row of the halo on either side.
    let step = reach.saturating_mul(2 * ROWS_PER_HALO_ROW).max(1);
    row_bands(depth, step, threads, |row| u64::from(field.columns[row as usize * width as usize]))
}

/// Removes spans, and returns how many.
fn remove<C: Count>(field: &mut WalkableField, reach: &[u32], bands: &[Range<u32>]) -> u64 {
    let first_of = |row: u32| field.columns[row as usize * field.frame.width as usize] as usize;
    if bands.len() <= 1 {
        let spans = 0..field.len();
        let mut sweeps = Sweeps::<C>::new(reach, spans.clone());
        sweeps.along_x_and_up(&field.links, &field.area);
        let mut removed = 0;
        let WalkableField { links, area, .. } = field;
        sweeps.down(links, |span| {
            if area[span].is_walkable() {
                area[span] = AreaId::NULL;
                removed += 1;
            }
        });
        return removed;
    }
    // What is blocked farther away than the halo removes nothing in the band.
    let halo = reach[0].saturating_sub(1);
    let spans_of = |band: &Range<u32>| first_of(band.start)..first_of(band.end);
    let near = |band: &Range<u32>| {
        let end = band.end.saturating_add(halo).min(field.frame.depth);
        let spans = first_of(band.start.saturating_sub(halo))..first_of(end);
        let mut sweeps = Sweeps::<C>::new(reach, spans);
        sweeps.along_x_and_up(&field.links, &field.area);
        let own = spans_of(band);
        let mut is_near = vec![false; own.len()];
        sweeps.down(&field.links, |span| {
            if own.contains(&span) {
                is_near[span - own.start] = true;
            }
        });
        is_near
    };
    let found: Vec<Vec<bool>> = threads::map(bands, near);
    let areas = split_lengths(&mut field.area, found.iter().map(Vec::len));
    let clear = |(is_near, areas): (Vec<bool>, &mut [AreaId])| {
        let mut removed = 0;
        for (_, area) in is_near.into_iter().zip(areas).filter(|(is_near, _)| *is_near) {
            removed += u64::from(area.is_walkable());
            *area = AreaId::NULL;
        }
        removed
    };
    threads::map(found.into_iter().zip(areas), clear).into_iter().sum()
}

/// The numbers that the sweeps keep for each of some spans, which fill whole rows.
struct Sweeps<C> {
    spans: Range<usize>,
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
    fn new(reach: &[u32], spans: Range<usize>) -> Self {
        Self {
            reach: reach.iter().map(|&steps| C::new(steps as usize)).collect(),
            along_x: vec![[C::default(); 3]; spans.len()],
            along_z: vec![[C::default(); 2]; spans.len()],
            far: C::new(reach.len() - 1),
            spans,
        }
    }

    /// The distances of a span whose neighbour along x is `neighbour`, whose distances are known.
    #[inline(always)]
    fn step_along_x(&self, links: &[u32; 4], neighbour: u32, walkable: bool) -> [C; 3] {
        let (zero, one) = (C::default(), C::default().more_one());
        let mut distances = if neighbour == NO_SPAN {
            [one.min(self.far), self.far, self.far]
        } else {
            let neighbour = neighbour as usize - self.spans.start;
            self.along_x[neighbour].map(|distance| distance.more_one().min(self.far))
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

    /// What a span at the other end of a link along z hands on; nothing where the rows end.
    #[inline(always)]
    fn handed(&self, link: u32, kind: usize) -> C {
        let place = (link as usize).wrapping_sub(self.spans.start);
        self.along_z.get(place).map_or(C::default(), |steps| steps[kind].less_one())
    }

    /// The sweeps along x, and that to smaller z.
    fn along_x_and_up(&mut self, links: &[[u32; 4]], areas: &[AreaId]) {
        let (links, areas) = (&links[self.spans.clone()], &areas[self.spans.clone()]);
        for (span, (links, area)) in links.iter().zip(areas).enumerate() {
            checkpoint_every(SPANS, span);
            let neighbour = links[Direction::NegX.index()];
            self.along_x[span] = self.step_along_x(links, neighbour, area.is_walkable());
        }
        for (span, (links, area)) in links.iter().zip(areas).enumerate().rev() {
            checkpoint_every(SPANS, span);
            let neighbour = links[Direction::PosX.index()];
            let after = self.step_along_x(links, neighbour, area.is_walkable());
            let before = std::mem::replace(&mut self.along_x[span], after);
            let reach = |kind: usize| self.reach[before[kind].min(after[kind]).index()];
            let blocked = reach(BLOCKED);
            let handed = self.handed(links[Direction::PosZ.index()], 0);
            self.along_z[span] = [
                blocked.max(reach(NO_NEXT).less_one()).max(handed),
                blocked.max(reach(NO_PREVIOUS).less_one()),
            ];
        }
    }

    /// The sweep to larger z. Calls `remove` for the spans near something blocked.
    fn down(&mut self, links: &[[u32; 4]], mut remove: impl FnMut(usize)) {
        let first = self.spans.start;
        for (span, links) in links[self.spans.clone()].iter().enumerate() {
            checkpoint_every(SPANS, span);
            let handed = self.handed(links[Direction::NegZ.index()], 1);
            let [up, down] = &mut self.along_z[span];
            *down = (*down).max(handed);
            if (*up).max(*down) > C::default() {
                remove(first + span);
            }
        }
    }
}
