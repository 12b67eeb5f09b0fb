//! Rough voxels of storeys: a bit for ground and one for everything else.

use bytemuck::{Pod, Zeroable};
use waymesh_core::SkippedTriangles;
use waymesh_core::stage::StageError;
use waymesh_storeys::{RoughJob, RoughTriangle, RoughVoxels};

use crate::batch::{Batch, Load, Pending, SETTINGS_BYTES};
use crate::kernels::{DOUBLE, ITEMS, Module, Use};
use crate::tables::{Pool, Staging, Table};
use crate::{GpuContext, GpuError, GpuTimes, constants};

/// Steps of an item, which clips a triangle up to 17 times, by two lines each.
const STEPS: u64 = 1 << 8;
/// Columns of a row that one item fills, as in the shader.
const SEGMENT: u32 = 16;
/// Largest number of triangles that are on the device at once.
const PORTION_TRIANGLES: usize = 1 << 16;
/// Largest number of items of a portion.
const MOST_ITEMS: u64 = 1 << 30;
/// Largest number of levels: one invocation sets all of a column.
const MOST_LEVELS: u32 = 1 << 16;
/// Bytes of a column and 64 levels, of positive or of negative voxels.
const WORD_BYTES: u64 = 8;

const WALKABLE: u32 = 1;
const IN_ONE_ROW: u32 = 2;

/// The settings of the shader.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Settings {
    size: [u32; 3],
    words: u32,
    rows: [u32; 2],
    triangles: u32,
    begin: u32,
    end: u32,
    unused: [u32; 3],
}

/// A triangle, as the shader reads it.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Input {
    corners: [[f64; 3]; 3],
    flags: u32,
    row_from: u32,
    segment_from: u32,
    segments: u32,
    first_item: u32,
    unused: u32,
}

/// The rough voxels of `waymesh-storeys` on a device, with equal bits (Oliva 2012, section 6.2.1).
///
/// # Method
/// The thesis renders the scene along three axes into slice maps. Here each triangle is clipped to
/// each column, as the processor does it, operation by operation in double precision made of
/// integers: one invocation per row of a triangle and sixteen columns. Levels are set by an atomic
/// or.
///
/// # Limits
/// A grid that does not fit into the tables is filled band by band, and the triangles are read once
/// for each; a band is read back while the next one is filled. A column has up to 65,536 levels.
#[derive(Debug)]
pub struct GpuRough {
    context: GpuContext,
    module: Module,
    pool: Pool<Tables>,
}

/// The tables of a band.
#[derive(Debug)]
struct Tables {
    settings: Table,
    inputs: Table,
    positive: Table,
    negative: Table,
    staging: Staging,
}

impl Tables {
    fn new(context: &GpuContext) -> Result<Self, GpuError> {
        let table = |what| Table::new(context, what, 1 << 10);
        Ok(Self {
            settings: Table::settings(context, SETTINGS_BYTES)?,
            inputs: table("triangles")?,
            positive: table("rough voxels")?,
            negative: table("rough voxels")?,
            staging: Staging::default(),
        })
    }
}

impl GpuRough {
    /// Compiles the shader.
    ///
    /// # Errors
    /// Those of a device that fails.
    pub fn new(context: &GpuContext) -> Result<Self, GpuError> {
        let mut source = DOUBLE.to_owned();
        source.push_str(&constants(&[("SLACK", RoughJob::SLACK)]));
        source.push_str(include_str!("shaders/rough.wgsl"));
        source.push_str(ITEMS);
        let uses = [Use::Read, Use::Write, Use::Write];
        let module = Module::new(context, &source, size_of::<Settings>(), &uses, &["draw"])?;
        Ok(Self { context: context.clone(), module, pool: Pool::default() })
    }

    /// Returns the device that it runs on.
    #[must_use]
    pub fn context(&self) -> &GpuContext {
        &self.context
    }

    /// Does the work of `job`, with the same result as [`RoughJob::run`].
    ///
    /// # Cost
    /// 96 bytes to the device for each triangle, 16 back for each column and 64 levels.
    ///
    /// # Errors
    /// - [`GpuError::Source`] if the triangles cannot be read.
    /// - [`GpuError::TooLarge`] for more than 65,536 levels, or a row that fits no table;
    ///   [`GpuError::OutOfMemory`] if the device has too little memory.
    /// - [`GpuError::Lost`], [`GpuError::TimedOut`], [`GpuError::Failed`] for a device that fails.
    pub fn run(&self, job: &RoughJob<'_>) -> Result<(RoughVoxels, SkippedTriangles, GpuTimes), GpuError> {
        let context = &self.context;
        let [width, depth, levels] = job.size();
        let bits = |levels: u32| u64::from(levels.div_ceil(64).max(1)) * WORD_BYTES;
        if levels > MOST_LEVELS {
            let (needed, has) = (bits(levels), bits(MOST_LEVELS));
            return Err(GpuError::TooLarge { what: "levels", needed, limit: "the shader", has });
        }
        let row_bytes = u64::from(width) * bits(levels);
        let (has, limit) = context.table_limit();
        if row_bytes > has {
            return Err(GpuError::TooLarge { what: "rough voxels", needed: row_bytes, limit, has });
        }
        let fits = has / row_bytes.max(1);
        let band = u32::try_from(fits.min(u64::from(depth))).unwrap_or(depth).max(1);
        let words = u32::try_from(bits(levels) / 4).unwrap_or(u32::MAX);
        let mut times = GpuTimes::default();
        let (mut positive, mut negative) = (Vec::new(), Vec::new());
        let mut skipped = SkippedTriangles::default();
        let mut before: Option<(Tables, Pending)> = None;
        for first in (0..depth).step_by(band as usize) {
            let rows = [first, depth.min(first + band)];
            let bytes = u64::from(rows[1] - rows[0]) * row_bytes;
            let mut tables = self.pool.take(|| Tables::new(context))?;
            tables.positive.reserve(context, bytes)?;
            tables.negative.reserve(context, bytes)?;
            let mut batch = Batch::new(context, &tables.settings, &mut times);
            batch.clear(&tables.positive);
            batch.clear(&tables.negative);
            batch.flush()?;
            let sent = times.uploaded_bytes;
            let settings = Settings { size: job.size(), words, rows, ..Settings::zeroed() };
            let (tables_of_band, times_of_band) = (&mut tables, &mut times);
            let mut run =
                Band { rough: self, settings, tables: tables_of_band, times: times_of_band, uploads: None };
            skipped = run.fill(job)?;
            let uploads = run.uploads;
            let staging = std::mem::take(&mut tables.staging);
            let mut batch = Batch::new(context, &tables.settings, &mut times);
            batch.read::<[u32; 2]>(&tables.positive, 0, bytes / WORD_BYTES);
            batch.read::<[u32; 2]>(&tables.negative, 0, bytes / WORD_BYTES);
            let pending = batch.submit(staging)?.after(uploads);
            times.most_in_flight = times.most_in_flight.max(1);
            if let Some(before) = before.replace((tables, pending)) {
                times.most_in_flight = 2;
                times.overlapped_bytes += times.uploaded_bytes - sent;
                self.read(before, &mut positive, &mut negative, &mut times)?;
            }
        }
        if let Some(last) = before {
            self.read(last, &mut positive, &mut negative, &mut times)?;
        }
        Ok((job.finish(positive, negative), skipped, times))
    }

    /// Waits for a band, and appends its words.
    fn read(
        &self,
        (tables, pending): (Tables, Pending),
        positive: &mut Vec<u64>,
        negative: &mut Vec<u64>,
        times: &mut GpuTimes,
    ) -> Result<(), GpuError> {
        let reads = pending.wait(&self.context, times)?;
        for (index, all) in [positive, negative].into_iter().enumerate() {
            let words = reads.values::<[u32; 2]>(index, times);
            all.extend(words.into_iter().map(|[low, high]| u64::from(low) | u64::from(high) << 32));
        }
        self.pool.give(Tables { staging: reads.into_staging(), ..tables });
        times.parts += 1;
        Ok(())
    }
}

/// Some rows of the grid.
struct Band<'a> {
    rough: &'a GpuRough,
    settings: Settings,
    tables: &'a mut Tables,
    times: &'a mut GpuTimes,
    /// The upload of the first triangles.
    uploads: Option<wgpu::SubmissionIndex>,
}

impl Band<'_> {
    /// Draws all triangles, portion by portion.
    fn fill(&mut self, job: &RoughJob<'_>) -> Result<SkippedTriangles, GpuError> {
        let (mut portion, mut items) = (Vec::new(), 0);
        // The source has no error type of the device, so an error is passed around it.
        let mut failed = None;
        let visited = job.visit(&mut |triangle| {
            let Some((input, own)) = self.input(job, &triangle) else { return Ok(()) };
            if portion.len() == PORTION_TRIANGLES || items + own > MOST_ITEMS {
                let drawn = self.draw(&portion, items);
                drawn.map_err(|error| {
                    let told = StageError::new("rough voxels", error.to_string());
                    failed = Some(error);
                    told
                })?;
                portion.clear();
                items = 0;
            }
            #[expect(clippy::cast_possible_truncation, reason = "below 2^30")]
            let first_item = items as u32;
            portion.push(Input { first_item, ..input });
            items += own;
            Ok(())
        });
        if let Some(error) = failed {
            return Err(error);
        }
        let skipped = visited?;
        self.draw(&portion, items)?;
        Ok(skipped)
    }

    /// Returns a triangle in this band, and the number of its items.
    fn input(&self, job: &RoughJob<'_>, triangle: &RoughTriangle) -> Option<(Input, u64)> {
        let ([columns, rows], is_in_one_row) = job.reach(triangle);
        let (from, end) = (rows.start.max(self.settings.rows[0]), rows.end.min(self.settings.rows[1]));
        if from >= end || columns.is_empty() {
            return None;
        }
        let segment_from = columns.start / SEGMENT;
        let segments = (columns.end - 1) / SEGMENT - segment_from + 1;
        let mut flags = if triangle.is_walkable { WALKABLE } else { 0 };
        flags |= if is_in_one_row { IN_ONE_ROW } else { 0 };
        let (corners, row_from) = (triangle.corners, from);
        let input = Input { corners, flags, row_from, segment_from, segments, first_item: 0, unused: 0 };
        Some((input, u64::from(end - from) * u64::from(segments)))
    }

    #[expect(clippy::cast_possible_truncation, reason = "portions have few triangles and items")]
    fn draw(&mut self, portion: &[Input], items: u64) -> Result<(), GpuError> {
        if portion.is_empty() {
            return Ok(());
        }
        let context = &self.rough.context;
        let tables = &mut *self.tables;
        tables.inputs.write(context, portion, self.times)?;
        self.uploads = Some(self.uploads.take().map_or_else(|| context.upload(self.times), Ok)?);
        let items = items as u32;
        let settings = Settings { triangles: portion.len() as u32, ..self.settings };
        let load = Load::new(items, STEPS, u64::from(items) * (size_of::<Input>() as u64 + 4));
        let mut batch = Batch::new(context, &tables.settings, self.times);
        let all = [&tables.inputs, &tables.positive, &tables.negative];
        batch.run(&self.rough.module, "draw", &all, load, |begin, end| Settings {
            begin,
            end,
            ..settings
        })?;
        batch.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that the tables of both sides have equal layouts.
    #[test]
    fn tables_have_the_sizes_of_the_shader() {
        assert_eq!((size_of::<Input>(), size_of::<Settings>()), (96, 48));
    }
}
