//! The walkable field of rasterised spans, which stay on the device.

use bytemuck::{Pod, Zeroable};
use waymesh_core::{AreaId, Direction, GridWindow, NO_SPAN, OPEN_SKY, Span, WalkableField, checkpoint};
use waymesh_voxel::{FieldCounts, FieldJob, FieldNumbers, Filters};

use super::part::Part;
use crate::batch::{Batch, Load, Reads, SETTINGS_BYTES};
use crate::kernels::{Module, Use};
use crate::scan::{Scan, ScanTables};
use crate::tables::Table;
use crate::{GpuContext, GpuError, GpuTimes};

/// Largest number of solid spans of a column: each is compared with those of four columns.
const DEEPEST: u32 = 1 << 12;
/// Largest number of solid spans of a column in software: Mesa's llvmpipe ends the loops of an
/// invocation after 65,535 iterations.
const DEEPEST_IN_SOFTWARE: u32 = 1 << 9;
/// Longest table of reaches: the number of cells that are visited around a span.
const MOST_REACHES: usize = 1 << 12;
/// Largest number of spans of a column in the field: their index is a byte.
const MOST_KEPT: u32 = 255;
/// Limits of spans in two words: spans of a column, levels between the lowest and the highest
/// floor, and levels of head room.
const NARROW: [u32; 3] = [15, 65_535, 65_534];
/// Numbers over all columns, as in the shaders.
const STATS: usize = 11;

/// The settings of the shaders.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Settings {
    filled: [u32; 2],
    out: [u32; 4],
    core: [u32; 4],
    height: i32,
    step: i32,
    filters: u32,
    deepest: u32,
    reaches: u32,
    is_narrow: u32,
    lowest: i32,
    begin: u32,
    end: u32,
    low_drop: u32,
}

/// The shaders of the field.
#[derive(Debug)]
pub(super) struct FieldKernels {
    judge: Module,
    erode: Module,
    pack: Module,
}

impl FieldKernels {
    pub(super) fn new(context: &GpuContext) -> Result<Self, GpuError> {
        let module = |own: &str, uses: &[Use], entries: &[&'static str]| {
            let source = [include_str!("../shaders/field.wgsl"), own].concat();
            Module::new(context, &source, size_of::<Settings>(), uses, entries)
        };
        let (read, write) = (Use::Read, Use::Write);
        Ok(Self {
            judge: module(
                include_str!("../shaders/judge.wgsl"),
                &[read, read, write, write, write],
                &["judge"],
            )?,
            erode: module(
                include_str!("../shaders/erode.wgsl"),
                &[read, read, read, read, write, write, read],
                &["keep", "link", "reach_out", "erode"],
            )?,
            pack: module(
                include_str!("../shaders/pack.wgsl"),
                &[read, read, read, write, read, write, write, write],
                &["count_out", "pack"],
            )?,
        })
    }
}

/// The tables of the field of a part.
#[derive(Debug)]
pub(super) struct FieldTables {
    settings: Table,
    areas: Table,
    counts: Table,
    columns: Table,
    kept: Table,
    links: Table,
    reach: Table,
    out_counts: Table,
    out_columns: Table,
    out: Table,
    count_bytes: Table,
    area_bytes: Table,
    stats: Table,
    scan: ScanTables,
}

impl FieldTables {
    pub(super) fn new(context: &GpuContext) -> Result<Self, GpuError> {
        let table = |what| Table::new(context, what, 1 << 10);
        Ok(Self {
            settings: Table::settings(context, SETTINGS_BYTES)?,
            areas: table("areas of spans")?,
            counts: table("counts of columns")?,
            columns: table("columns")?,
            kept: table("spans of the field")?,
            links: table("links")?,
            reach: table("reaches")?,
            out_counts: table("counts of columns")?,
            out_columns: table("columns")?,
            out: table("packed spans")?,
            count_bytes: table("packed columns")?,
            area_bytes: table("packed areas")?,
            stats: table("counts")?,
            scan: ScanTables::default(),
        })
    }
}

/// The field of a job on the device.
#[derive(Debug)]
pub(super) struct FieldRun<'a> {
    job: &'a FieldJob<'a>,
    kernels: &'a FieldKernels,
    scan: &'a Scan,
    numbers: FieldNumbers,
    halo: u32,
}

/// Counts of a part during and after the judgement of its spans.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged {
    settings: Settings,
    /// Spans of the field in all columns, and in those of the result.
    kept: u32,
    out: u32,
}

/// The field of some columns of the result.
#[derive(Debug)]
pub(super) struct FieldPiece {
    out: Part,
    is_narrow: bool,
    lowest: i32,
    counts: Vec<u8>,
    words: Vec<u32>,
    areas: Vec<u8>,
    told: FieldCounts,
}

impl<'a> FieldRun<'a> {
    /// Prepares a run of `job`.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] for a radius beyond the largest number of visited cells.
    pub(super) fn new(
        job: &'a FieldJob<'a>,
        kernels: &'a FieldKernels,
        scan: &'a Scan,
    ) -> Result<Self, GpuError> {
        let numbers = job.numbers();
        if numbers.reach.len() > MOST_REACHES {
            let (needed, has) = (numbers.reach.len() as u64, MOST_REACHES as u64);
            return Err(GpuError::TooLarge { what: "the agent's radius", needed, limit: "the shader", has });
        }
        Ok(Self { job, kernels, scan, halo: job.halo_cells(), numbers })
    }

    /// Returns the columns that affect those of a part of the result.
    pub(super) fn filled(&self, out: Part) -> Part {
        let (window, halo) = (self.job.raster().window(), i32::try_from(self.halo).unwrap_or(i32::MAX));
        let whole = Part::of(window);
        let grown = |[from, to]: [i32; 2], [first, end]: [i32; 2]| {
            [from.saturating_sub(halo).max(first), to.saturating_add(halo).min(end)]
        };
        Part { cells: grown(out.cells, whole.cells), rows: grown(out.rows, whole.rows) }
    }

    #[expect(clippy::cast_sign_loss, reason = "parts lie in each other")]
    fn settings(&self, filled: Part, out: Part, context: &GpuContext) -> Settings {
        let core = Part::of(self.job.core());
        let (x, z) = (filled.cells[0], filled.rows[0]);
        let from = |a: i32, b: i32, first: i32| (a.max(b) - first) as u32;
        let to = |a: i32, b: i32, first: i32| (a.min(b) - first).max(0) as u32;
        let [width, depth] = filled.size().map(|size| u32::try_from(size).unwrap_or(u32::MAX));
        let [out_width, out_depth] = out.size().map(|size| u32::try_from(size).unwrap_or(u32::MAX));
        let numbers = &self.numbers;
        let Filters { low_obstacles, ledges, low_ceilings, .. } = numbers.filters;
        let filters = [low_obstacles, ledges, low_ceilings];
        Settings {
            filled: [width, depth],
            out: [(out.cells[0] - x) as u32, (out.rows[0] - z) as u32, out_width, out_depth],
            core: [
                from(core.cells[0], out.cells[0], x),
                from(core.rows[0], out.rows[0], z),
                to(core.cells[1], out.cells[1], x),
                to(core.rows[1], out.rows[1], z),
            ],
            height: numbers.height,
            step: numbers.step,
            low_drop: numbers.low_drop,
            filters: filters.iter().rev().fold(0, |bits, &is_on| bits << 1 | u32::from(is_on)),
            deepest: if context.adapter().software { DEEPEST_IN_SOFTWARE } else { DEEPEST },
            reaches: u32::try_from(numbers.reach.len()).unwrap_or(u32::MAX),
            ..Settings::zeroed()
        }
    }

    /// Schedules the judgement of the spans, and the count of the remaining spans in each column.
    #[expect(clippy::cast_possible_truncation, reason = "limits of parts")]
    pub(super) fn judge(
        &self,
        context: &GpuContext,
        [filled, out]: [Part; 2],
        [columns, spans]: [&Table; 2],
        span_count: u64,
        tables: &mut FieldTables,
        times: &mut GpuTimes,
    ) -> Result<Judged, GpuError> {
        let settings = self.settings(filled, out, context);
        let (all, own) = (filled.columns(), out.columns());
        tables.areas.reserve(context, 4 * span_count)?;
        for table in [&mut tables.counts, &mut tables.columns] {
            table.reserve(context, 4 * (all + 1))?;
        }
        for table in [&mut tables.out_counts, &mut tables.out_columns] {
            table.reserve(context, 4 * (own + 1))?;
        }
        tables.count_bytes.reserve(context, own.next_multiple_of(4))?;
        tables.stats.reserve(context, 4 * STATS as u64)?;
        tables.scan.reserve(context, all.max(own) as u32 + 1)?;
        let reach = if self.numbers.reach.is_empty() { &[0][..] } else { &self.numbers.reach };
        tables.reach.write(context, reach, times)?;
        let tables = &*tables;
        let mut batch = Batch::new(context, &tables.settings, times);
        batch.clear(&tables.stats);
        batch.clear(&tables.count_bytes);
        let steps = (8 * span_count).div_ceil(all.max(1)).max(1);
        let load = Load::new(all as u32, steps, 4 * all * 3 + span_count * (5 * 12 + 4));
        let judged = [columns, spans, &tables.areas, &tables.counts, &tables.stats];
        batch.run(&self.kernels.judge, "judge", &judged, load, with(settings))?;
        self.scan.run(&mut batch, &tables.counts, &tables.columns, all as u32 + 1, &tables.scan)?;
        let load = Load::new(own as u32, 1, 13 * own);
        let packed = self.packed(tables, &tables.count_bytes);
        batch.run(&self.kernels.pack, "count_out", &packed, load, with(settings))?;
        self.scan.run(&mut batch, &tables.out_counts, &tables.out_columns, own as u32 + 1, &tables.scan)?;
        batch.flush()?;
        Ok(Judged { settings, kept: 0, out: 0 })
    }

    /// Schedules the reads of the judgement.
    pub(super) fn read_judged(&self, batch: &mut Batch<'_>, [filled, out]: [Part; 2], tables: &FieldTables) {
        batch.read::<u32>(&tables.stats, 0, STATS as u64);
        batch.read::<u32>(&tables.columns, filled.columns(), 1);
        batch.read::<u32>(&tables.out_columns, out.columns(), 1);
    }

    fn packed<'t>(&self, tables: &'t FieldTables, bytes: &'t Table) -> [&'t Table; 8] {
        let FieldTables { columns, kept, links, out_counts, out_columns, out, stats, .. } = tables;
        [columns, kept, links, out_counts, out_columns, out, bytes, stats]
    }

    /// Returns the counts of the judgement.
    pub(super) fn judged(
        &self,
        Judged { settings, .. }: Judged,
        reads: &Reads,
        times: &mut GpuTimes,
    ) -> Result<Judged, GpuError> {
        let stats: Vec<u32> = reads.values(0, times);
        let [deepest, most_kept, minus_lowest, highest, largest_room, ..] = stats[..] else {
            return Err(GpuError::Failed { reason: "counts are missing".to_owned() });
        };
        if deepest > 0 {
            return Err(GpuError::DeepColumn { fragments: deepest, limit: settings.deepest });
        }
        if most_kept > MOST_KEPT {
            let (needed, has) = (most_kept.into(), MOST_KEPT.into());
            return Err(GpuError::TooLarge { what: "storeys of a column", needed, limit: "the shader", has });
        }
        let last = |index: usize, times: &mut GpuTimes| {
            reads.values::<u32>(index, times).first().copied().unwrap_or(0)
        };
        let (kept, out) = (last(1, times), last(2, times));
        let lowest = (!minus_lowest ^ 1 << 31).cast_signed();
        let depth = if kept == 0 { 0 } else { highest - !minus_lowest };
        let is_narrow =
            [most_kept, depth, largest_room].iter().zip(NARROW).all(|(&value, most)| value <= most);
        let settings = Settings { is_narrow: is_narrow.into(), lowest, ..settings };
        Ok(Judged { settings, kept, out })
    }

    /// Schedules the construction of the field, and the packing of its result.
    #[expect(clippy::cast_possible_truncation, reason = "limits of parts")]
    pub(super) fn pack(
        &self,
        context: &GpuContext,
        [filled, out]: [Part; 2],
        [columns, spans]: [&Table; 2],
        judged: &Judged,
        tables: &mut FieldTables,
        times: &mut GpuTimes,
    ) -> Result<(), GpuError> {
        let Judged { settings, kept, out: out_spans } = *judged;
        let (all, own) = (filled.columns(), out.columns());
        let (kept_bytes, out_count) = (16 * u64::from(kept), u64::from(out_spans));
        tables.kept.reserve(context, kept_bytes)?;
        tables.links.reserve(context, kept_bytes)?;
        tables.out.reserve(context, out_count * words_of(settings) * 4)?;
        tables.area_bytes.reserve(context, out_count.next_multiple_of(4))?;
        let tables = &*tables;
        let mut batch = Batch::new(context, &tables.settings, times);
        batch.clear(&tables.area_bytes);
        let mean = u64::from(kept).div_ceil(all.max(1)).max(1);
        let FieldTables { areas, columns: field_columns, kept: field, links, reach, .. } = tables;
        let own_tables = [columns, spans, areas, field_columns, field, links, reach];
        let run = |batch: &mut Batch<'_>, entry, items: u32, steps, bytes| {
            let load = Load::new(items, steps, bytes);
            batch.run(&self.kernels.erode, entry, &own_tables, load, with(settings))
        };
        run(&mut batch, "keep", all as u32, mean, 8 * all + 3 * kept_bytes)?;
        run(&mut batch, "link", all as u32, 4 * mean, 12 * all + 3 * kept_bytes)?;
        if let Some(&longest) = self.numbers.reach.first() {
            // Each step reads one link, or one reach.
            let (steps, bytes) =
                (self.numbers.reach.len() as u64 / 4 + 1, 12 * self.numbers.reach.len() as u64);
            run(&mut batch, "reach_out", kept, steps, u64::from(kept) * (4 + 2 * bytes))?;
            let far = u64::from(longest);
            run(&mut batch, "erode", kept, far / 8 + 1, u64::from(kept) * (4 + 16 * far))?;
        }
        let bytes = 8 * own + out_count * (32 + 4 * words_of(settings) + 1);
        let load = Load::new(own as u32, 2 * out_count.div_ceil(own.max(1)).max(1), bytes);
        let packed = self.packed(tables, &tables.area_bytes);
        batch.run(&self.kernels.pack, "pack", &packed, load, with(settings))?;
        batch.flush()
    }

    /// Schedules the reads of the packed field.
    pub(super) fn read_packed(
        &self,
        batch: &mut Batch<'_>,
        out: Part,
        judged: &Judged,
        tables: &FieldTables,
    ) {
        let out_count = u64::from(judged.out);
        batch.read::<u32>(&tables.stats, 0, STATS as u64);
        batch.read::<u32>(&tables.count_bytes, 0, out.columns().div_ceil(4));
        batch.read::<u32>(&tables.out, 0, out_count * words_of(judged.settings));
        batch.read::<u32>(&tables.area_bytes, 0, out_count.div_ceil(4));
    }

    pub(super) fn piece(
        &self,
        out: Part,
        judged: &Judged,
        reads: &Reads,
        times: &mut GpuTimes,
    ) -> FieldPiece {
        let stats: Vec<u32> = reads.values(0, times);
        let count = |index: usize| u64::from(stats.get(index).copied().unwrap_or(0));
        let told = FieldCounts {
            solid_spans: count(5),
            walkable_spans: count(6),
            on_low_obstacles: count(7),
            at_ledges: count(8),
            under_low_ceilings: count(9),
            eroded: count(10),
        };
        FieldPiece {
            out,
            is_narrow: judged.settings.is_narrow != 0,
            lowest: judged.settings.lowest,
            counts: reads.values(1, times),
            words: reads.values(2, times),
            areas: reads.values(3, times),
            told,
        }
    }

    /// Returns the field of the whole result.
    pub(super) fn joined(&self, pieces: &[FieldPiece]) -> (WalkableField, FieldCounts) {
        let window = self.job.result();
        let mut counts = FieldCounts::default();
        pieces.iter().for_each(|piece| counts.add(&piece.told));
        (joined(window, self.job, pieces), counts)
    }
}

fn words_of(settings: Settings) -> u64 {
    if settings.is_narrow != 0 { 2 } else { 4 }
}

/// Returns the settings of each dispatch.
fn with(settings: Settings) -> impl Fn(u32, u32) -> Settings {
    move |begin, end| Settings { begin, end, ..settings }
}

impl FieldPiece {
    /// Returns a part without solid spans.
    pub(super) fn empty(out: Part) -> Self {
        let counts = vec![0; usize::try_from(out.columns()).unwrap_or(usize::MAX)];
        Self {
            out,
            is_narrow: true,
            lowest: 0,
            counts,
            words: Vec::new(),
            areas: Vec::new(),
            told: FieldCounts::default(),
        }
    }

    /// Returns floor, head room, drop of the ground, and the indices of the linked spans in their
    /// columns.
    #[expect(clippy::cast_possible_truncation, reason = "the parts of words")]
    fn span(&self, index: usize) -> (i32, u32, u16, [Option<u32>; 4]) {
        let place = |word: u32, bits: u32, side: u32| {
            let none = (1 << bits) - 1;
            Some(word >> (bits * side) & none).filter(|&place| place != none)
        };
        if self.is_narrow {
            let [one, two] = [self.words[2 * index], self.words[2 * index + 1]];
            let room = if one >> 16 == u32::from(u16::MAX) { OPEN_SKY } else { one >> 16 };
            let floor = self.lowest.wrapping_add((one & 0xffff).cast_signed());
            return (floor, room, two as u16, [0, 1, 2, 3].map(|side| place(two >> 16, 4, side)));
        }
        let words = &self.words[4 * index..4 * index + 4];
        (words[0].cast_signed(), words[1], words[2] as u16, [0, 1, 2, 3].map(|side| place(words[3], 8, side)))
    }
}

/// Returns the tables of the field of a window, from those of its parts.
#[expect(clippy::cast_sign_loss, reason = "parts lie in the window")]
fn joined(window: GridWindow, job: &FieldJob<'_>, pieces: &[FieldPiece]) -> WalkableField {
    let (width, depth) = (window.width as usize, window.depth as usize);
    let mut field = WalkableField::empty(job.frame_of_result());
    let place = |piece: &FieldPiece, row: usize| {
        let x = piece.out.cells[0] as usize - window.x as usize;
        (piece.out.rows[0] as usize - window.z as usize + row) * width + x
    };
    let size = |piece: &FieldPiece| piece.out.size().map(|size| usize::try_from(size).unwrap_or(usize::MAX));
    for piece in pieces {
        let [cells, rows] = size(piece);
        for row in 0..rows {
            let first = place(piece, row) + 1;
            let counts = &piece.counts[row * cells..(row + 1) * cells];
            for (to, &count) in field.columns[first..first + cells].iter_mut().zip(counts) {
                *to = count.into();
            }
        }
    }
    for column in 1..field.columns.len() {
        field.columns[column] += field.columns[column - 1];
    }
    let total = field.columns.last().copied().unwrap_or(0) as usize;
    field.span_columns = vec![0; total];
    field.floor = vec![0; total];
    field.clearance = vec![0; total];
    field.ground = vec![0.0; total];
    field.links = vec![[NO_SPAN; 4]; total];
    field.area = bytemuck::zeroed_vec(total);
    for piece in pieces {
        let [cells, rows] = size(piece);
        let mut from = 0;
        for row in 0..rows {
            checkpoint();
            for cell in 0..cells {
                let column = place(piece, row) + cell;
                let (x, z) = (column % width, column / width);
                let beside = [
                    (x > 0).then(|| column - 1),
                    (z + 1 < depth).then(|| column + width),
                    (x + 1 < width).then(|| column + 1),
                    (z > 0).then(|| column - width),
                ];
                for to in field.columns[column] as usize..field.columns[column + 1] as usize {
                    let (floor, room, drop, places) = piece.span(from);
                    let span =
                        Span { bottom: 0, top: floor, ground_drop: drop, area: AreaId::NULL, upward: true };
                    field.span_columns[to] = u32::try_from(column).unwrap_or(u32::MAX);
                    field.floor[to] = floor;
                    field.clearance[to] = room;
                    field.ground[to] = span.ground();
                    field.area[to] = AreaId(piece.areas[from]);
                    for direction in Direction::ALL.map(Direction::index) {
                        if let (Some(place), Some(column)) = (places[direction], beside[direction]) {
                            field.links[to][direction] = field.columns[column] + place;
                        }
                    }
                    from += 1;
                }
            }
        }
    }
    field
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that the tables of both sides have equal layouts.
    #[test]
    fn settings_have_the_size_of_the_shaders() {
        assert_eq!(size_of::<Settings>(), 80);
    }
}
