//! Parts of a grid on the device, two at a time: while one is computed, the next one is prepared,
//! uploaded and encoded, and the previous one is read back.

use std::collections::VecDeque;

use bytemuck::{Pod, Zeroable};
use waymesh_voxel::{GridNumbers, RasterJob};

use super::GpuRasterizer;
use super::field::{FieldPiece, FieldRun, FieldTables, Judged};
use super::part::{Input, Part, Portions, inside};
use crate::batch::{Batch, Load, Pending, Reads, SETTINGS_BYTES};
use crate::scan::ScanTables;
use crate::tables::{Staging, Table};
use crate::{GpuContext, GpuError, GpuTimes};

/// Largest number of columns of a part: enough to keep a card busy, but so few that large grids
/// have several parts.
const MOST_COLUMNS: u64 = 1 << 22;
/// Smallest number of columns of a part that is divided again because memory is short.
const LEAST_COLUMNS: u64 = 1 << 10;
/// Largest number of triangles that are prepared at once.
const MOST_TRIANGLES: u64 = 1 << 17;
/// Largest number of fragments of a part: their table then has 256 MiB, and merging them takes few
/// enough steps.
const MOST_FRAGMENTS: u64 = 1 << 24;
/// Bytes of a prepared triangle, as in the shader.
const TRIANGLE_BYTES: u64 = 312;
const FRAGMENT_BYTES: u64 = 16;
/// Words of a span in the result.
pub(super) const SPAN_WORDS: usize = 3;
const SPAN_BYTES: u64 = 4 * SPAN_WORDS as u64;
/// Parts that are with the device at the same time.
const IN_FLIGHT: usize = 2;

/// Steps of an item: preparing a triangle, and counting or filling 64 cells of a row.
const PREPARE_STEPS: u64 = 16;
const COUNT_STEPS: u64 = 64;
const FILL_STEPS: u64 = 64;
/// Sorting and merging a fragment compares it with less than 32 others, 16 of which are a step.
const MERGE_STEPS: u64 = 2;

/// The settings of the shaders.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Settings {
    /// Origin, cells and levels per metre, scale of slopes, the steepest slope.
    numbers: [f64; 7],
    last_of_all: [i32; 2],
    first_cell: i32,
    first_row: i32,
    end_cell: i32,
    end_row: i32,
    reach: i32,
    triangles: u32,
    begin: u32,
    end: u32,
    deepest: u32,
    unused: u32,
}

impl Settings {
    fn of(job: &RasterJob, part: Part, deepest: u32) -> Self {
        let GridNumbers { origin, per_cell, per_level, slope_scale, cos_squared, last_of_all } =
            job.numbers();
        let [x, y, z] = origin;
        Self {
            numbers: [x, y, z, per_cell, per_level, slope_scale, cos_squared],
            last_of_all,
            first_cell: part.cells[0],
            first_row: part.rows[0],
            end_cell: part.cells[1],
            end_row: part.rows[1],
            reach: job.reach_levels(),
            deepest,
            ..Self::zeroed()
        }
    }
}

/// The result of a part.
#[derive(Debug)]
pub(super) enum Piece {
    Spans(SpanPiece),
    Field(FieldPiece),
}

/// The spans of a part.
#[derive(Debug)]
pub(super) struct SpanPiece {
    pub(super) part: Part,
    /// First span of each column, and the number of all.
    pub(super) offsets: Vec<u32>,
    pub(super) spans: Vec<[u32; SPAN_WORDS]>,
}

/// The tables of a part.
#[derive(Debug)]
pub(super) struct Tables {
    settings: Table,
    inputs: Table,
    prepared: Table,
    counts: Table,
    offsets: Table,
    fragments: Table,
    span_offsets: Table,
    spans: Table,
    deepest: Table,
    scan: ScanTables,
    staging: Staging,
    field: Option<FieldTables>,
}

impl Tables {
    fn new(context: &GpuContext) -> Result<Self, GpuError> {
        let table = |what| Table::new(context, what, 1 << 10);
        Ok(Self {
            settings: Table::settings(context, SETTINGS_BYTES)?,
            inputs: table("triangles")?,
            prepared: table("prepared triangles")?,
            counts: table("counts of columns")?,
            offsets: table("columns")?,
            fragments: table("fragments")?,
            span_offsets: table("columns")?,
            spans: table("spans")?,
            deepest: table("depths")?,
            scan: ScanTables::default(),
            staging: Staging::default(),
            field: None,
        })
    }

    fn all(&self) -> [&Table; 8] {
        [
            &self.inputs,
            &self.prepared,
            &self.counts,
            &self.offsets,
            &self.fragments,
            &self.span_offsets,
            &self.spans,
            &self.deepest,
        ]
    }
}

/// The event that a part waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The number of its fragments.
    Counted,
    /// The number of spans of each column.
    Merged,
    /// Its spans.
    Collected,
    /// The number of spans that remain in its field.
    Judged,
    /// Its field.
    Packed,
}

/// A part to fill, and its state so far.
struct Plan {
    /// The requested columns, and the columns that are filled for them.
    part: Part,
    filled: Part,
    triangles: Vec<u32>,
    portions: Portions,
    settings: Settings,
    columns: u32,
    fragments: u32,
    offsets: Vec<u32>,
    judged: Option<Judged>,
}

/// The state of a part on the device.
struct Stage {
    step: Step,
    tables: Tables,
    pending: Pending,
}

/// The next action for a part.
enum Next {
    Waits(Stage),
    Done(Piece, Option<Tables>),
    /// It is too large for the tables.
    TooLarge,
}

pub(super) struct Run<'a> {
    kernels: &'a GpuRasterizer,
    job: &'a RasterJob,
    /// The field to build of the spans, if a field is requested.
    field: Option<&'a FieldRun<'a>>,
    pub(super) times: GpuTimes,
    /// Spans so far.
    spans: u64,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        kernels: &'a GpuRasterizer,
        job: &'a RasterJob,
        field: Option<&'a FieldRun<'a>>,
    ) -> Self {
        Self { kernels, job, field, times: GpuTimes::default(), spans: 0 }
    }

    /// Returns the columns that have to be filled for those of a part.
    fn filled(&self, part: Part) -> Part {
        self.field.map_or(part, |field| field.filled(part))
    }

    fn context(&self) -> &'a GpuContext {
        &self.kernels.context
    }

    /// Returns the spans of all columns, part by part.
    pub(super) fn fill(&mut self, whole: Part) -> Result<Vec<Piece>, GpuError> {
        let all: Vec<u32> = (0_u32..).take(self.job.len()).collect();
        let (mut waiting, mut pieces) = (vec![(whole, all)], Vec::new());
        let mut in_flight = IN_FLIGHT;
        let mut active: VecDeque<(Plan, Stage)> = VecDeque::new();
        loop {
            let begun = if active.len() < in_flight { waiting.pop() } else { None };
            let (plan, next) = if let Some((part, triangles)) = begun {
                let mut plan = Plan::new(part, triangles, self);
                let sent = self.times.uploaded_bytes;
                let next = self.begin(&mut plan);
                if !active.is_empty() {
                    self.times.overlapped_bytes += self.times.uploaded_bytes - sent;
                }
                (plan, next)
            } else if let Some((mut plan, stage)) = active.pop_front() {
                let next = self.advance(&mut plan, stage);
                (plan, next)
            } else {
                return Ok(pieces);
            };
            match next {
                Ok(Next::Waits(stage)) => active.push_back((plan, stage)),
                Ok(Next::Done(piece, tables)) => {
                    tables.into_iter().for_each(|tables| self.kernels.pool.give(tables));
                    self.times.parts += 1;
                    pieces.push(piece);
                }
                // The memory may suffice for one part.
                Err(GpuError::OutOfMemory { .. }) if !active.is_empty() => {
                    in_flight = 1;
                    waiting.push((plan.part, plan.triangles));
                }
                Ok(Next::TooLarge) => waiting.extend(self.halves(&plan)?),
                Err(GpuError::OutOfMemory { .. }) if plan.part.columns() > LEAST_COLUMNS => {
                    self.kernels.pool.clear();
                    waiting.extend(self.halves(&plan)?);
                }
                Err(error) => return Err(error),
            }
            self.times.most_in_flight = self.times.most_in_flight.max(active.len() as u64);
        }
    }

    fn halves(&self, plan: &Plan) -> Result<[(Part, Vec<u32>); 2], GpuError> {
        let Some(halves) = plan.part.halves() else {
            let (has, limit) = self.context().table_limit();
            let needed = plan.triangles.len() as u64 * FRAGMENT_BYTES;
            return Err(GpuError::TooLarge { what: "fragments", needed, limit, has });
        };
        Ok(halves.map(|half| (half, inside(self.job, self.filled(half), &plan.triangles))))
    }

    /// Submits the work of a part, up to the number of its fragments.
    #[expect(clippy::cast_possible_truncation, reason = "a part has at most 2^22 columns")]
    fn begin(&mut self, plan: &mut Plan) -> Result<Next, GpuError> {
        let (context, count) = (self.context(), plan.filled.columns());
        let (room, _) = context.table_limit();
        if count > MOST_COLUMNS.min(room / 4 - 1) {
            return Ok(Next::TooLarge);
        }
        let most = usize::try_from(MOST_TRIANGLES.min(room / TRIANGLE_BYTES)).unwrap_or(usize::MAX);
        let Some(portions) = Portions::of(self.job, plan.filled, &plan.triangles, most) else {
            return Ok(Next::TooLarge);
        };
        if portions.all.is_empty() {
            if self.field.is_some() {
                return Ok(Next::Done(Piece::Field(FieldPiece::empty(plan.part)), None));
            }
            let (part, offsets) = (plan.part, vec![0; count as usize + 1]);
            return Ok(Next::Done(Piece::Spans(SpanPiece { part, offsets, spans: Vec::new() }), None));
        }
        (plan.portions, plan.columns) = (portions, count as u32);
        let mut tables = self.kernels.pool.take(|| Tables::new(context))?;
        let bytes = (count + 1) * 4;
        for table in [&mut tables.counts, &mut tables.offsets, &mut tables.span_offsets] {
            table.reserve(context, bytes)?;
        }
        tables.scan.reserve(context, plan.columns + 1)?;
        let most = plan.portions.all.iter().map(|(portion, _)| portion.len() as u64).max().unwrap_or(0);
        tables.inputs.reserve(context, most * size_of::<Input>() as u64)?;
        tables.prepared.reserve(context, most * TRIANGLE_BYTES)?;
        let staging = std::mem::take(&mut tables.staging);
        let Tables { settings, counts, deepest, .. } = &tables;
        let mut batch = Batch::new(context, settings, &mut self.times);
        batch.clear(counts);
        batch.clear(deepest);
        batch.flush()?;
        let mut uploads = None;
        for portion in &plan.portions.all {
            tables.inputs.write(context, &portion.0, &mut self.times)?;
            uploads = Some(uploads.map_or_else(|| context.upload(&mut self.times), Ok)?);
            self.prepare(plan.settings, &tables, portion)?;
            self.of_items("count", plan.settings, &tables, portion, COUNT_STEPS)?;
        }
        let mut batch = Batch::new(context, &tables.settings, &mut self.times);
        let Tables { counts, offsets, scan, .. } = &tables;
        self.kernels.scan.run(&mut batch, counts, offsets, plan.columns + 1, scan)?;
        batch.read::<u32>(offsets, count, 1);
        let pending = batch.submit(staging)?.after(uploads);
        Ok(Next::Waits(Stage { step: Step::Counted, tables, pending }))
    }

    /// Waits for the current step of a part, and submits the next one.
    fn advance(&mut self, plan: &mut Plan, stage: Stage) -> Result<Next, GpuError> {
        let Stage { step, tables, pending } = stage;
        let reads = pending.wait(self.context(), &mut self.times)?;
        match step {
            Step::Counted => self.merge(plan, tables, reads),
            Step::Merged => self.collect(plan, tables, reads),
            Step::Collected => {
                let (part, offsets) = (plan.part, std::mem::take(&mut plan.offsets));
                let piece = SpanPiece { part, offsets, spans: reads.values(0, &mut self.times) };
                Ok(done(Piece::Spans(piece), tables, reads))
            }
            Step::Judged => self.pack(plan, tables, reads),
            Step::Packed => {
                let piece = match (self.field, &plan.judged) {
                    (Some(field), Some(judged)) => field.piece(plan.part, judged, &reads, &mut self.times),
                    _ => FieldPiece::empty(plan.part),
                };
                Ok(done(Piece::Field(piece), tables, reads))
            }
        }
    }

    fn merge(&mut self, plan: &mut Plan, mut tables: Tables, reads: Reads) -> Result<Next, GpuError> {
        let context = self.context();
        plan.fragments = reads.values(0, &mut self.times).first().copied().unwrap_or(0);
        let total = u64::from(plan.fragments);
        if total > MOST_FRAGMENTS.min(context.table_limit().0 / FRAGMENT_BYTES) {
            self.kernels.pool.give(Tables { staging: reads.into_staging(), ..tables });
            return Ok(Next::TooLarge);
        }
        let staging = reads.into_staging();
        tables.fragments.reserve(context, total * FRAGMENT_BYTES)?;
        for portion in &plan.portions.all {
            // A single portion is still on the device.
            if plan.portions.all.len() > 1 {
                tables.inputs.write(context, &portion.0, &mut self.times)?;
                self.prepare(plan.settings, &tables, portion)?;
            }
            self.of_items("fill", plan.settings, &tables, portion, FILL_STEPS)?;
        }
        let (columns, rows) = (u64::from(plan.columns), 8 * u64::from(plan.columns));
        let mut batch = Batch::new(context, &tables.settings, &mut self.times);
        // Upper bound of the mean steps of a column, for any distribution of the fragments.
        let most = (MERGE_STEPS * total).div_ceil(columns.max(1)).max(1);
        let load = Load::new(plan.columns, most, 2 * total * FRAGMENT_BYTES + rows);
        batch.run(&self.kernels.module, "merge", &tables.all(), load, with(plan.settings))?;
        let Tables { counts, span_offsets, deepest, scan, .. } = &tables;
        self.kernels.scan.run(&mut batch, counts, span_offsets, plan.columns + 1, scan)?;
        batch.read::<u32>(deepest, 0, 1);
        // For a field, only the total number is needed.
        let first = if self.field.is_some() { columns } else { 0 };
        batch.read::<u32>(span_offsets, first, columns + 1 - first);
        let pending = batch.submit(staging)?;
        self.times.shaders.entry("fill").or_default().bytes += total * FRAGMENT_BYTES;
        self.times.fragments += total;
        Ok(Next::Waits(Stage { step: Step::Merged, tables, pending }))
    }

    fn collect(&mut self, plan: &mut Plan, mut tables: Tables, reads: Reads) -> Result<Next, GpuError> {
        let context = self.context();
        let deepest: Vec<u32> = reads.values(0, &mut self.times);
        plan.offsets = reads.values(1, &mut self.times);
        let staging = reads.into_staging();
        if let Some(&fragments) = deepest.first().filter(|&&fragments| fragments > 0) {
            return Err(GpuError::DeepColumn { fragments, limit: plan.settings.deepest });
        }
        let count = u64::from(plan.offsets.last().copied().unwrap_or(0));
        self.spans += count;
        self.job.check_spans(self.spans)?;
        tables.spans.reserve(context, count * SPAN_BYTES)?;
        let mut batch = Batch::new(context, &tables.settings, &mut self.times);
        let most = count.div_ceil(u64::from(plan.columns).max(1)).max(1);
        let load = Load::new(plan.columns, most, 2 * count * SPAN_BYTES + 12 * u64::from(plan.columns));
        batch.run(&self.kernels.module, "collect", &tables.all(), load, with(plan.settings))?;
        let Some(field) = self.field else {
            batch.read::<[u32; SPAN_WORDS]>(&tables.spans, 0, count);
            let pending = batch.submit(staging)?;
            return Ok(Next::Waits(Stage { step: Step::Collected, tables, pending }));
        };
        batch.flush()?;
        let mut own = tables.field.take().map_or_else(|| FieldTables::new(context), Ok)?;
        let (parts, voxels) = ([plan.filled, plan.part], [&tables.span_offsets, &tables.spans]);
        plan.judged = Some(field.judge(context, parts, voxels, count, &mut own, &mut self.times)?);
        let mut batch = Batch::new(context, &tables.settings, &mut self.times);
        field.read_judged(&mut batch, parts, &own);
        let pending = batch.submit(staging)?;
        tables.field = Some(own);
        Ok(Next::Waits(Stage { step: Step::Judged, tables, pending }))
    }

    fn pack(&mut self, plan: &mut Plan, mut tables: Tables, reads: Reads) -> Result<Next, GpuError> {
        let context = self.context();
        let (Some(field), Some(judged), Some(mut own)) = (self.field, plan.judged, tables.field.take())
        else {
            return Err(GpuError::Failed { reason: "a part has no field".to_owned() });
        };
        let judged = field.judged(judged, &reads, &mut self.times)?;
        plan.judged = Some(judged);
        let (parts, voxels) = ([plan.filled, plan.part], [&tables.span_offsets, &tables.spans]);
        field.pack(context, parts, voxels, &judged, &mut own, &mut self.times)?;
        let mut batch = Batch::new(context, &tables.settings, &mut self.times);
        field.read_packed(&mut batch, plan.part, &judged, &own);
        let pending = batch.submit(reads.into_staging())?;
        tables.field = Some(own);
        Ok(Next::Waits(Stage { step: Step::Packed, tables, pending }))
    }

    /// Prepares the triangles that have been uploaded.
    fn prepare(
        &mut self,
        settings: Settings,
        tables: &Tables,
        (portion, _): &(Vec<Input>, u32),
    ) -> Result<(), GpuError> {
        let count = u32::try_from(portion.len()).unwrap_or(u32::MAX);
        let bytes = u64::from(count) * (TRIANGLE_BYTES + size_of::<Input>() as u64);
        let load = Load::new(count, PREPARE_STEPS, bytes);
        let mut batch = Batch::new(self.context(), &tables.settings, &mut self.times);
        batch.run(&self.kernels.module, "prepare", &tables.all(), load, with(settings))?;
        batch.flush()
    }

    /// Runs a shader over the rows of triangles.
    fn of_items(
        &mut self,
        shader: &'static str,
        settings: Settings,
        tables: &Tables,
        (portion, items): &(Vec<Input>, u32),
        steps: u64,
    ) -> Result<(), GpuError> {
        let settings = Settings { triangles: u32::try_from(portion.len()).unwrap_or(u32::MAX), ..settings };
        let load = Load::new(*items, steps, u64::from(*items) * TRIANGLE_BYTES);
        let mut batch = Batch::new(self.context(), &tables.settings, &mut self.times);
        batch.run(&self.kernels.module, shader, &tables.all(), load, with(settings))?;
        batch.flush()
    }
}

impl Plan {
    fn new(part: Part, triangles: Vec<u32>, run: &Run<'_>) -> Self {
        let filled = run.filled(part);
        let settings = Settings::of(run.job, filled, run.kernels.deepest_column());
        let (portions, offsets) = (Portions::default(), Vec::new());
        Self { part, filled, triangles, portions, settings, columns: 0, fragments: 0, offsets, judged: None }
    }
}

fn done(piece: Piece, tables: Tables, reads: Reads) -> Next {
    Next::Done(piece, Some(Tables { staging: reads.into_staging(), ..tables }))
}

/// Returns the settings of each dispatch.
fn with(settings: Settings) -> impl Fn(u32, u32) -> Settings {
    move |begin, end| Settings { begin, end, ..settings }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that the tables of both sides have equal layouts.
    #[test]
    fn settings_have_the_size_of_the_shaders() {
        assert_eq!(size_of::<Settings>(), 7 * 8 + 2 * 4 + 10 * 4);
    }
}
