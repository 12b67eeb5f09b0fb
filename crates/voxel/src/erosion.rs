//! Erosion: keeps the agent's centre away from walls and drops.

use std::ops::Range;

use waymesh_core::{
    AreaId, BadField, Counter, Direction, GridFrame, NO_SPAN, Observer, WalkableField, Warning, checkpoint,
    row_bands, split_lengths, threads,
};

use crate::VoxelError;

/// Sets the spans nearer than `radius` metres to a blocked cell to [`AreaId::NULL`].
///
/// # Distances
/// A span that is not walkable is blocked, and so is the cell beyond a missing link. A span stays
/// if the centre of its cell is at least `radius` plus half a cell from the centre of every blocked
/// cell that links lead to. Distances are measured in plan: with `dx, dz` cells between the two,
/// `sqrt(dx^2 + dz^2) * cell_size >= radius + cell_size / 2`. A radius of half a cell or less
/// removes nothing.
///
/// The distance is measured to the centre because the face of the wall, or the edge of the drop,
/// lies somewhere in the blocked cell. Across the wall, the centre is off by at most half a cell,
/// and by zero on average, in whatever direction the wall runs. The nearest corner would always be
/// off to the same side: by half a cell, and by a whole one on walls at an angle to the grid. The
/// half cell is added because the border of a cell that stays lies half a cell from its centre.
///
/// # Guarantees
/// - The result follows this definition exactly for every radius (with a slack of a 10,000th of a
///   cell), and is the same in all directions. Chamfer distances, as in Recast, are off by up to 11
///   %.
/// - If the agent's centre is on a span that stays, nothing in a blocked cell is nearer than the
///   radius less half a cell, measured along a row of cells, or less 0.92 cells in any direction.
///   On average the distance is larger than the radius, because only whole cells are kept.
/// - A blocked cell counts if steps along z and then along x lead to it. All cells on the path to
///   the nearest blocked cell are free, so any other order of steps leads to it as well. The only
///   exception is the corner of a spiral so steep that four cells around a point rise by a whole
///   storey.
///
/// # Method
/// A span is removed if a blocked cell lies `k` steps along z and at most `reach(k)` along x.
/// Around the spans that are blocked or lack a link, two sweeps of the row count the distance to
/// the nearest blocked cell along x. Each distance gives the number of steps along z over which it
/// still removes spans. Two sweeps pass these numbers on along z, less one per step.
///
/// # Cost
/// One visit of each span, and a few more of the spans within the radius of a blocked cell, on all
/// threads of the current rayon pool; 12 bytes per span that is near a blocked cell along x. The
/// result does not depend on the number of threads.
///
/// # Errors
/// [`VoxelError::BadField`] for a radius that is not finite or is negative.
pub fn erode(field: &mut WalkableField, radius: f32, observer: &mut dyn Observer) -> Result<(), VoxelError> {
    erode_on(field, radius, threads::count(), observer)
}

/// Runs [`erode`] on `threads` threads of the current pool.
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
    let GridFrame { width, depth, .. } = field.frame;
    let first_of = |row: u32| u64::from(field.columns[row as usize * width as usize]);
    let bands = row_bands(depth, 1, threads, first_of);
    let removed = remove(field, &reach, &bands);
    if removed > 0 {
        observer.count(Counter::SpansEroded, removed);
        if !field.has_ground() {
            observer.warn(Warning::NothingWalkable { stage: "erosion" });
        }
    }
    Ok(())
}

/// Slack of the conversion to cells: a quotient this close to an integer is rounded to it, so that
/// 0.6 m is 2 cells of 0.3 m.
const SLACK_CELLS: f64 = 1e-4;

/// Returns the reach table: entry `g` is the number of cells along z over which a blocked cell at
/// distance `g` along x removes spans, including its own row. The last entry is 0. `None` if the
/// radius removes nothing.
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

/// Removes spans, and returns their number.
fn remove(field: &mut WalkableField, reach: &[u32], bands: &[Range<u32>]) -> u64 {
    let width = field.frame.width as usize;
    let first_of = |row: u32| field.columns[row as usize * width] as usize;
    let spans_of = |band: &Range<u32>| first_of(band.start)..first_of(band.end);
    let rows = |band: &Range<u32>| Rows::new(field, reach, band.clone());
    let bands_rows: Vec<Rows<'_>> = threads::map(bands, rows);
    let near = |band: &Range<u32>| near(field, reach, &bands_rows, band);
    let found: Vec<Vec<u32>> = threads::map(bands, near);
    drop(bands_rows);
    let spans: Vec<Range<usize>> = bands.iter().map(spans_of).collect();
    let areas = split_lengths(&mut field.area, spans.iter().map(Range::len));
    let clear = |((near, areas), spans): ((Vec<u32>, &mut [AreaId]), Range<usize>)| {
        let mut removed = 0;
        for span in near {
            let area = &mut areas[span as usize - spans.start];
            removed += u64::from(area.is_walkable());
            *area = AreaId::NULL;
        }
        removed
    };
    threads::map(found.into_iter().zip(areas).zip(spans), clear).into_iter().sum()
}

/// Returns the spans of a field in a row.
fn row_of(field: &WalkableField, z: u32) -> Range<usize> {
    let width = field.frame.width as usize;
    let first = z as usize * width;
    field.columns[first] as usize..field.columns[first + width] as usize
}

/// Some rows of a field, and the spans in them that are near a blocked cell along x.
struct Rows<'a> {
    field: &'a WalkableField,
    /// Result of [`reach_table`].
    reach: &'a [u32],
    /// Distance at which a blocked cell no longer removes spans.
    far: u32,
    rows: Range<u32>,
    /// Numbers of steps along z over which blocked cells along x remove spans, row by row, and the
    /// end of each row.
    steps: Vec<Steps>,
    ends: Vec<usize>,
    /// Scratch: the distances of some spans, see [`Rows::step_along_x`].
    along_x: Vec<[u32; 3]>,
}

/// Numbers of steps from a span to smaller z and to larger z over which spans are removed.
#[derive(Clone, Copy, Debug)]
struct Steps {
    span: u32,
    up: u32,
    down: u32,
}

const BLOCKED: usize = 0;
const NO_NEXT: usize = 1;
const NO_PREVIOUS: usize = 2;

impl<'a> Rows<'a> {
    #[expect(clippy::cast_possible_truncation, reason = "little more than the grid's side")]
    fn new(field: &'a WalkableField, reach: &'a [u32], rows: Range<u32>) -> Self {
        let (steps, ends, along_x) = (Vec::new(), Vec::new(), Vec::new());
        let far = reach.len() as u32 - 1;
        let mut all = Self { field, reach, far, rows: rows.clone(), steps, ends, along_x };
        for z in rows {
            all.add_row(z);
            all.ends.push(all.steps.len());
        }
        all
    }

    /// Returns the steps of a row.
    fn of_row(&self, z: u32) -> &[Steps] {
        let row = (z - self.rows.start) as usize;
        &self.steps[row.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[row]]
    }

    /// Adds the steps of a row. Visits only columns near a span that is blocked or lacks a link.
    fn add_row(&mut self, z: u32) {
        checkpoint();
        let width = self.field.frame.width as usize;
        let (spans, first) = (row_of(self.field, z), z as usize * width);
        let (links, areas) = (&self.field.links[spans.clone()], &self.field.area[spans.clone()]);
        let mut columns = 0..0;
        for (span, (links, area)) in spans.zip(links.iter().zip(areas)) {
            if area.is_walkable() && !links.contains(&NO_SPAN) {
                continue;
            }
            let x = self.field.span_columns[span] as usize - first;
            let least = x.saturating_sub(self.far as usize - 1);
            if least > columns.end {
                self.add_columns(first + columns.start..first + columns.end);
                columns.start = least;
            }
            columns.end = (x + self.far as usize).min(width);
        }
        self.add_columns(first + columns.start..first + columns.end);
    }

    /// Adds the steps of some columns of a row, which contain all spans near a blocked cell.
    #[expect(clippy::cast_possible_truncation, reason = "spans fit 32 bits")]
    fn add_columns(&mut self, columns: Range<usize>) {
        let WalkableField { columns: ends, links, area, .. } = self.field;
        let spans = ends[columns.start] as usize..ends[columns.end] as usize;
        let first = spans.start;
        let mut along_x = std::mem::take(&mut self.along_x);
        along_x.clear();
        along_x.resize(spans.len(), [self.far; 3]);
        for span in spans.clone() {
            let neighbour = links[span][Direction::NegX.index()];
            along_x[span - first] = self.step_along_x(span, neighbour, first, &along_x, area);
        }
        for span in spans.rev() {
            let neighbour = links[span][Direction::PosX.index()];
            let after = self.step_along_x(span, neighbour, first, &along_x, area);
            let before = std::mem::replace(&mut along_x[span - first], after);
            let reach = |kind: usize| self.reach[before[kind].min(after[kind]) as usize];
            let blocked = reach(BLOCKED);
            let up = blocked.max(reach(NO_NEXT).saturating_sub(1));
            let down = blocked.max(reach(NO_PREVIOUS).saturating_sub(1));
            if up.max(down) > 0 {
                self.steps.push(Steps { span: span as u32, up, down });
            }
        }
        self.along_x = along_x;
    }

    /// Returns the distances of a span along x to the nearest blocked span, to the nearest span
    /// without a link to larger z, and to the nearest one without a link to smaller z, all in the
    /// direction of `neighbour`, whose distances are known. At most `far`.
    #[inline(always)]
    fn step_along_x(
        &self,
        span: usize,
        neighbour: u32,
        first: usize,
        along_x: &[[u32; 3]],
        areas: &[AreaId],
    ) -> [u32; 3] {
        let mut distances = if neighbour == NO_SPAN {
            [1.min(self.far), self.far, self.far]
        } else {
            // Columns outside the visited ones have no blocked cell nearby.
            let known = along_x.get((neighbour as usize).wrapping_sub(first));
            known.map_or([self.far; 3], |known| known.map(|distance| (distance + 1).min(self.far)))
        };
        if !areas[span].is_walkable() {
            distances[BLOCKED] = 0;
        }
        let links = &self.field.links[span];
        if links[Direction::PosZ.index()] == NO_SPAN {
            distances[NO_NEXT] = 0;
        }
        if links[Direction::NegZ.index()] == NO_SPAN {
            distances[NO_PREVIOUS] = 0;
        }
        distances
    }
}

/// Returns the spans of a band that are near a blocked cell, possibly with duplicates.
fn near(field: &WalkableField, reach: &[u32], rows: &[Rows<'_>], band: &Range<u32>) -> Vec<u32> {
    // A blocked cell farther away than the halo removes nothing in the band.
    let halo = reach[0].saturating_sub(1);
    let all = band.start.saturating_sub(halo)..band.end.saturating_add(halo).min(field.frame.depth);
    let steps_of = |z: u32| rows[rows.partition_point(|rows| rows.rows.end <= z)].of_row(z);
    let mut near = Vec::new();
    let upwards = all.clone().rev().map(|z| (z, steps_of(z)));
    along_z(field, upwards, Direction::NegZ, |steps| steps.up, band, &mut near);
    let downwards = all.map(|z| (z, steps_of(z)));
    along_z(field, downwards, Direction::PosZ, |steps| steps.down, band, &mut near);
    near
}

/// Propagates the numbers of steps from row to row, less one per row, and records the spans of the
/// rows `own` that they reach.
fn along_z<'s>(
    field: &WalkableField,
    rows: impl Iterator<Item = (u32, &'s [Steps])>,
    direction: Direction,
    steps: impl Fn(&Steps) -> u32,
    own: &Range<u32>,
    near: &mut Vec<u32>,
) {
    // Numbers by span of the row, all 0 between two rows, and the spans with a nonzero number.
    let (mut numbers, mut reached): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    let mut handed: Vec<(u32, u32)> = Vec::new();
    for (z, of_row) in rows {
        checkpoint();
        let spans = row_of(field, z);
        numbers.resize(numbers.len().max(spans.len()), 0);
        let of_row = of_row.iter().map(|own| (own.span, steps(own)));
        for (span, number) in handed.drain(..).chain(of_row).filter(|(_, number)| *number > 0) {
            let known = &mut numbers[span as usize - spans.start];
            if *known == 0 {
                reached.push(span);
            }
            *known = number.max(*known);
        }
        for span in reached.drain(..) {
            let number = std::mem::take(&mut numbers[span as usize - spans.start]);
            let link = field.links[span as usize][direction.index()];
            if number > 1 && link != NO_SPAN {
                handed.push((link, number - 1));
            }
            if own.contains(&z) {
                near.push(span);
            }
        }
    }
}
