//! Voxels: triangles to fragments, sorted and merged by column.

use bytemuck::{Pod, Zeroable};
use waymesh_core::{
    AreaId, GROUND_STEPS_PER_LEVEL, GridFrame, GridWindow, Heightfield, Observer, SoupTriangle, Span,
    TriangleSoup, checkpoint_every,
};
use waymesh_voxel::{GridNumbers, RasterJob, VoxelConfig};

use crate::kernels::{Module, Table, Use};
use crate::scan::{Scan, ScanTables};
use crate::{GpuContext, GpuError, GpuTimes, constants};

/// Invocations of a work group, as in the shaders.
const GROUP: u32 = 64;
/// Most invocations of a dispatch: with 64 cells each, a tenth of a second on a weak card.
const DISPATCH: u32 = 1 << 20;
/// Cells of a row that one item fills, as in the shader.
const SEGMENT: i32 = 64;
/// Most columns of a part.
const MOST_COLUMNS: u64 = 1 << 24;
/// Most triangles that are prepared at once.
const MOST_TRIANGLES: u64 = 1 << 17;
/// Bytes of a prepared triangle, as in the shader.
const TRIANGLE_BYTES: u64 = 312;
const FRAGMENT_BYTES: u64 = 16;
/// Words of a span in the result.
const SPAN_WORDS: usize = 3;
/// Most fragments of a column. One invocation sorts a column; with more it might run into the time
/// limits of drivers.
const DEEPEST: u32 = 1 << 14;
/// The same in software: Mesa's llvmpipe ends the loops of an invocation after 65,535 turns,
/// without a word.
const DEEPEST_IN_SOFTWARE: u32 = 1 << 11;
/// The area of a triangle of no area, as in the shader.
const BLOCKED_AREA: u32 = 256;

/// The settings of the shaders.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Settings {
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

/// A triangle, as the shaders read it.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Input {
    corners: [f32; 9],
    area: u32,
    rows: [i32; 2],
    row_from: i32,
    segment_from: u32,
    segments: u32,
    first_item: u32,
}

/// Columns of the grid: first inside, then the first outside.
#[derive(Clone, Copy, Debug)]
struct Part {
    cells: [i32; 2],
    rows: [i32; 2],
}

impl Part {
    #[expect(clippy::cast_sign_loss, reason = "ends are not before beginnings")]
    fn size(&self) -> [u64; 2] {
        [self.cells, self.rows].map(|[from, to]| i64::from(to).saturating_sub(i64::from(from)) as u64)
    }

    fn columns(&self) -> u64 {
        let [width, depth] = self.size();
        width * depth
    }

    /// Two halves, if it has more than one column: whole rows as long as there are several.
    fn halves(&self) -> Option<[Self; 2]> {
        let [width, depth] = self.size();
        let middle = |[from, to]: [i32; 2]| from + (to - from) / 2;
        if depth > 1 {
            let row = middle(self.rows);
            Some([[self.rows[0], row], [row, self.rows[1]]].map(|rows| Self { rows, ..*self }))
        } else if width > 1 {
            let cell = middle(self.cells);
            Some([[self.cells[0], cell], [cell, self.cells[1]]].map(|cells| Self { cells, ..*self }))
        } else {
            None
        }
    }
}

/// The spans of a part.
#[derive(Debug)]
struct Piece {
    part: Part,
    /// First span of each column, and the number of all.
    offsets: Vec<u32>,
    spans: Vec<[u32; SPAN_WORDS]>,
}

/// The tables of a run.
#[derive(Debug)]
struct Tables {
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
}

impl Tables {
    fn new(context: &GpuContext) -> Result<Self, GpuError> {
        let table = |what| Table::new(context, what, 1 << 10);
        Ok(Self {
            settings: Table::settings(context, size_of::<Settings>() as u64)?,
            inputs: table("triangles")?,
            prepared: table("prepared triangles")?,
            counts: table("counts of columns")?,
            offsets: table("columns")?,
            fragments: table("fragments")?,
            span_offsets: table("columns")?,
            spans: table("spans")?,
            deepest: table("depths")?,
            scan: ScanTables::new(context)?,
        })
    }

    fn all(&self) -> [&Table; 9] {
        [
            &self.settings,
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

/// The rasteriser of `waymesh-voxel` on a device: the same spans, byte for byte.
///
/// # Method
/// The processor sorts out the triangles ([`RasterJob`]). One invocation prepares a triangle, one
/// counts the cells of a row of a triangle, at most 64 of them. Sums give every column its place;
/// the same rows are cut again and fragments written there, in any order. One invocation sorts the
/// fragments of a column and merges them.
///
/// The device computes in double precision made of integers, operation by operation as the
/// processor does, because no rule of WGSL fixes the last bit of a float.
///
/// # Limits
/// Tables hold 256 MiB, or what [`crate::GpuOptions`] and the device allow; a grid that needs more
/// is filled in parts. The shaders need the limits that WebGPU promises, and no extensions.
#[derive(Debug)]
pub struct GpuRasterizer {
    context: GpuContext,
    module: Module,
    scan: Scan,
}

impl GpuRasterizer {
    /// Translates the shaders.
    ///
    /// # Cost
    /// Up to seconds, the first time on a machine.
    ///
    /// # Errors
    /// Those of a device that fails.
    pub fn new(context: &GpuContext) -> Result<Self, GpuError> {
        let uses = [
            Use::Settings,
            Use::Read,
            Use::Write,
            Use::Write,
            Use::Write,
            Use::Write,
            Use::Write,
            Use::Write,
            Use::Write,
        ];
        let entries = ["prepare", "count", "fill", "merge", "collect"];
        let module = Module::new(context, &source(), &uses, &entries)?;
        Ok(Self { context: context.clone(), module, scan: Scan::new(context)? })
    }

    /// Returns the device that it runs on.
    #[must_use]
    pub fn context(&self) -> &GpuContext {
        &self.context
    }

    /// Returns how many fragments of one column the device sorts.
    #[must_use]
    pub fn deepest_column(&self) -> u32 {
        if self.context.adapter().software { DEEPEST_IN_SOFTWARE } else { DEEPEST }
    }

    /// Voxelises `soup` as [`waymesh_voxel::rasterize`] does.
    ///
    /// # Errors
    /// Those of [`waymesh_voxel::rasterize`], and those of [`GpuRasterizer::run`].
    pub fn rasterize(
        &self,
        soup: &TriangleSoup,
        config: &VoxelConfig,
        observer: &mut dyn Observer,
    ) -> Result<(Heightfield, GpuTimes), GpuError> {
        self.run(&RasterJob::of_soup(soup, config, observer)?)
    }

    /// Voxelises a part of a grid as [`waymesh_voxel::rasterize_window`] does.
    ///
    /// # Errors
    /// Those of [`waymesh_voxel::rasterize_window`], and those of [`GpuRasterizer::run`].
    pub fn rasterize_window(
        &self,
        triangles: impl IntoIterator<Item = impl Into<SoupTriangle>>,
        frame: &GridFrame,
        window: GridWindow,
        config: &VoxelConfig,
        observer: &mut dyn Observer,
    ) -> Result<(Heightfield, GpuTimes), GpuError> {
        self.run(&RasterJob::new(triangles, frame, window, config, observer)?)
    }

    /// Does the work of `job`, with the same result as [`RasterJob::run`].
    ///
    /// # Cost
    /// 64 bytes to the device for each triangle and part it lies in, twelve back for each span and
    /// four for each column.
    ///
    /// # Errors
    /// - [`GpuError::Voxel`] if the spans take more memory than the job allows.
    /// - [`GpuError::DeepColumn`] for more than 16,384 fragments in one column (in software 2,048).
    /// - [`GpuError::TooLarge`], [`GpuError::OutOfMemory`] if the device has too little room.
    /// - [`GpuError::Lost`], [`GpuError::TimedOut`], [`GpuError::Failed`] for a device that fails.
    pub fn run(&self, job: &RasterJob) -> Result<(Heightfield, GpuTimes), GpuError> {
        let window = job.window();
        let mut times = GpuTimes::default();
        let mut pieces = Vec::new();
        if !window.is_empty() && !job.is_empty() {
            let number = |column: u32| i32::try_from(column).unwrap_or(i32::MAX);
            let whole = Part {
                cells: [number(window.x), number(window.end_x())],
                rows: [number(window.z), number(window.end_z())],
            };
            let mut run = Run {
                context: &self.context,
                kernels: self,
                job,
                settings: Settings { deepest: self.deepest_column(), ..settings_of(job) },
                tables: Tables::new(&self.context)?,
                times: GpuTimes::default(),
                spans: 0,
            };
            let all: Vec<u32> = (0_u32..).take(job.len()).collect();
            let mut waiting = vec![(whole, all)];
            while let Some((part, triangles)) = waiting.pop() {
                match run.part(part, &triangles)? {
                    Some(piece) => pieces.push(piece),
                    None => {
                        let Some(halves) = part.halves() else {
                            let (has, limit) = self.context.table_limit();
                            let needed = triangles.len() as u64 * FRAGMENT_BYTES;
                            return Err(GpuError::TooLarge { what: "fragments", needed, limit, has });
                        };
                        waiting.extend(halves.map(|half| (half, run.inside(half, &triangles))));
                    }
                }
            }
            times = run.times;
        }
        let (columns, spans) = joined(window, &pieces);
        Ok((job.finish(columns, spans)?, times))
    }
}

/// The source of the shaders, with the constants of the processor.
fn source() -> String {
    let mut source = include_str!("shaders/double.wgsl").to_owned();
    let values = [
        ("PLAN_SLACK_LESS_HALF", GridNumbers::PLAN_SLACK - 0.5),
        ("PLAN_SLACK_AND_HALF", GridNumbers::PLAN_SLACK + 0.5),
        ("HALF_LESS_ERROR", 0.5 - GridNumbers::LINE_ERROR),
        ("LEVEL_SLACK_LESS_HALF", GridNumbers::LEVEL_SLACK - 0.5),
        ("CENTRE_SLACK", GridNumbers::CENTRE_SLACK),
        ("REACH", GridNumbers::REACH),
        ("MOST_GROUND", GridNumbers::MOST_GROUND),
        ("SHORTEST_RUN", GridNumbers::SHORTEST_RUN),
        ("LEAST_UPWARD", GridNumbers::LEAST_UPWARD),
        ("GROUND_STEPS", f64::from(GROUND_STEPS_PER_LEVEL)),
    ];
    source.push_str(&constants(&values));
    source.push_str(&format!("const WIDE = {}u;\n", GridNumbers::WIDE));
    source.push_str(&format!("const GROUND_SHIFT = {}u;\n", GROUND_STEPS_PER_LEVEL.trailing_zeros()));
    source.push_str(include_str!("shaders/raster.wgsl"));
    source
}

fn settings_of(job: &RasterJob) -> Settings {
    let GridNumbers { origin, per_cell, per_level, slope_scale, cos_squared, last_of_all } = job.numbers();
    let [x, y, z] = origin;
    Settings {
        numbers: [x, y, z, per_cell, per_level, slope_scale, cos_squared],
        last_of_all,
        reach: job.reach_levels(),
        ..Settings::zeroed()
    }
}

struct Run<'a> {
    context: &'a GpuContext,
    kernels: &'a GpuRasterizer,
    job: &'a RasterJob,
    settings: Settings,
    tables: Tables,
    times: GpuTimes,
    /// Spans so far.
    spans: u64,
}

impl Run<'_> {
    /// The triangles that reach into a part.
    fn inside(&self, part: Part, triangles: &[u32]) -> Vec<u32> {
        let inside = |&(index, triangle): &(usize, &u32)| {
            checkpoint_every(1 << 16, index);
            self.input(part, *triangle).is_some()
        };
        triangles.iter().enumerate().filter(inside).map(|(_, &triangle)| triangle).collect()
    }

    /// A triangle in a part, and the number of its items and of the cells of its box there. Its
    /// first item is not known yet.
    #[expect(clippy::cast_sign_loss, reason = "ranges are not empty")]
    fn input(&self, part: Part, triangle: u32) -> Option<(Input, u32, u64)> {
        let of = self.job.triangle(triangle as usize);
        // A row may reach one cell farther than the triangle, by rounding.
        let cells = [of.cells[0].saturating_sub(1), of.cells[1].saturating_add(1)];
        let cells = [cells[0].max(part.cells[0]), cells[1].min(part.cells[1] - 1)];
        let rows = [of.rows[0].max(part.rows[0]), of.rows[1].min(part.rows[1] - 1)];
        if cells[0] > cells[1] || rows[0] > rows[1] {
            return None;
        }
        let segment = |cell: i32| ((cell - part.cells[0]) / SEGMENT) as u32;
        let segments = segment(cells[1]) - segment(cells[0]) + 1;
        let depth = (rows[1] - rows[0]) as u32 + 1;
        let width = (cells[1] - cells[0]) as u64 + 1;
        let [a, b, c] = of.corners.map(|corner| corner.to_array());
        let mut corners = [0.0; 9];
        for (to, from) in corners.iter_mut().zip(a.into_iter().chain(b).chain(c)) {
            *to = from;
        }
        let input = Input {
            corners,
            area: if of.area.is_walkable() { u32::from(of.area.0) } else { BLOCKED_AREA },
            rows: of.rows,
            row_from: rows[0],
            segment_from: segment(cells[0]),
            segments,
            first_item: 0,
        };
        Some((input, depth * segments, u64::from(depth) * width))
    }

    /// Fills a part. Returns nothing if it is too large.
    #[expect(clippy::cast_possible_truncation, reason = "a part has at most 2^24 columns")]
    fn part(&mut self, part: Part, triangles: &[u32]) -> Result<Option<Piece>, GpuError> {
        let columns = part.columns();
        let (room, _) = self.context.table_limit();
        if columns > MOST_COLUMNS.min(room / 4 - 1) {
            return Ok(None);
        }
        let most = usize::try_from(MOST_TRIANGLES.min(room / TRIANGLE_BYTES)).unwrap_or(usize::MAX);
        let (mut portions, mut portion) = (Vec::new(), Vec::new());
        let (mut items, mut cells) = (0_u64, 0_u64);
        for (index, &triangle) in triangles.iter().enumerate() {
            checkpoint_every(1 << 16, index);
            let Some((input, own, inside)) = self.input(part, triangle) else { continue };
            if portion.len() >= most || items + u64::from(own) > u64::from(u32::MAX / 2) {
                portions.push((std::mem::take(&mut portion), items as u32));
                items = 0;
            }
            portion.push(Input { first_item: items as u32, ..input });
            items += u64::from(own);
            cells += inside;
            if cells > u64::from(u32::MAX) {
                return Ok(None);
            }
        }
        self.times.parts += 1;
        if portion.is_empty() && portions.is_empty() {
            return Ok(Some(Piece { part, offsets: vec![0; columns as usize + 1], spans: Vec::new() }));
        }
        portions.push((portion, items as u32));
        [self.settings.first_cell, self.settings.end_cell] = part.cells;
        [self.settings.first_row, self.settings.end_row] = part.rows;
        self.fill(part, columns as u32, &portions)
    }

    fn fill(
        &mut self,
        part: Part,
        columns: u32,
        portions: &[(Vec<Input>, u32)],
    ) -> Result<Option<Piece>, GpuError> {
        let context = self.context;
        let table = (u64::from(columns) + 1) * 4;
        self.tables.counts.reserve(context, table)?;
        self.tables.offsets.reserve(context, table)?;
        self.tables.span_offsets.reserve(context, table)?;
        self.tables.counts.clear(context)?;
        self.tables.deepest.clear(context)?;
        for (portion, items) in portions {
            self.prepare(portion)?;
            self.dispatch("count", *items)?;
        }
        self.scan(columns, false)?;
        let times = &mut self.times;
        let total = self.tables.offsets.read::<u32>(context, u64::from(columns), 1, times)?[0];
        let bytes = u64::from(total) * FRAGMENT_BYTES;
        if bytes > context.table_limit().0 {
            return Ok(None);
        }
        self.tables.fragments.reserve(context, bytes)?;
        for (portion, items) in portions {
            // A single portion is still there.
            if portions.len() > 1 {
                self.prepare(portion)?;
            }
            self.dispatch("fill", *items)?;
        }
        self.dispatch("merge", columns)?;
        self.scan(columns, true)?;
        let times = &mut self.times;
        times.fragments += u64::from(total);
        let offsets = self.tables.span_offsets.read::<u32>(context, 0, u64::from(columns) + 1, times)?;
        let deepest = self.tables.deepest.read::<u32>(context, 0, 1, times)?[0];
        if deepest > 0 {
            return Err(GpuError::DeepColumn { fragments: deepest, limit: self.settings.deepest });
        }
        let count = u64::from(offsets.last().copied().unwrap_or(0));
        self.spans += count;
        self.job.check_spans(self.spans)?;
        self.tables.spans.reserve(context, count * SPAN_WORDS as u64 * 4)?;
        self.dispatch("collect", columns)?;
        let spans = self.tables.spans.read(context, 0, count, &mut self.times)?;
        Ok(Some(Piece { part, offsets, spans }))
    }

    fn scan(&mut self, columns: u32, of_spans: bool) -> Result<(), GpuError> {
        let Tables { counts, offsets, span_offsets, scan, .. } = &mut self.tables;
        let before = if of_spans { span_offsets } else { offsets };
        self.kernels.scan.run(self.context, counts, before, columns + 1, scan, &mut self.times)
    }

    /// Uploads triangles and prepares them.
    fn prepare(&mut self, portion: &[Input]) -> Result<(), GpuError> {
        self.settings.triangles = u32::try_from(portion.len()).unwrap_or(u32::MAX);
        self.tables.inputs.write(self.context, portion, &mut self.times)?;
        self.tables.prepared.reserve(self.context, portion.len() as u64 * TRIANGLE_BYTES)?;
        self.dispatch("prepare", self.settings.triangles)
    }

    /// Runs a shader `count` times, split so that no dispatch takes long.
    fn dispatch(&mut self, shader: &str, count: u32) -> Result<(), GpuError> {
        let mut begin = 0;
        while begin < count {
            let end = begin.saturating_add(DISPATCH).min(count);
            let settings = Settings { begin, end, ..self.settings };
            self.tables.settings.write(self.context, &[settings], &mut self.times)?;
            let groups = (end - begin).div_ceil(GROUP);
            let module = &self.kernels.module;
            module.dispatch(self.context, shader, &self.tables.all(), groups, &mut self.times)?;
            begin = end;
        }
        Ok(())
    }
}

/// The columns and the spans of the whole window.
#[expect(clippy::cast_sign_loss, reason = "parts lie in the window")]
fn joined(window: GridWindow, pieces: &[Piece]) -> (Vec<u32>, Vec<Span>) {
    let width = window.width as usize;
    let count = width * window.depth as usize;
    // The number of spans of each column, then the first one.
    let mut columns = vec![0_u32; count + 1];
    let place = |piece: &Piece, row: usize| {
        let x = piece.part.cells[0] as usize - window.x as usize;
        let z = piece.part.rows[0] as usize - window.z as usize + row;
        z * width + x
    };
    let rows = |piece: &Piece| piece.part.size().map(|size| usize::try_from(size).unwrap_or(usize::MAX));
    for piece in pieces {
        let [cells, depth] = rows(piece);
        for row in 0..depth {
            let own = piece.offsets[row * cells..=(row + 1) * cells].windows(2);
            for (to, pair) in columns[place(piece, row) + 1..].iter_mut().zip(own) {
                *to = pair[1] - pair[0];
            }
        }
    }
    for column in 1..columns.len() {
        columns[column] += columns[column - 1];
    }
    let mut spans = bytemuck::zeroed_vec::<Span>(columns[count] as usize);
    for piece in pieces {
        let [cells, depth] = rows(piece);
        for row in 0..depth {
            waymesh_core::checkpoint();
            let own = piece.offsets[row * cells] as usize..piece.offsets[(row + 1) * cells] as usize;
            let to = columns[place(piece, row)] as usize;
            for (to, words) in spans[to..].iter_mut().zip(&piece.spans[own]) {
                *to = span_of(*words);
            }
        }
    }
    (columns, spans)
}

#[expect(clippy::cast_possible_truncation, reason = "the parts of a word")]
fn span_of([bottom, top, word]: [u32; SPAN_WORDS]) -> Span {
    Span {
        bottom: bottom.cast_signed(),
        top: top.cast_signed(),
        ground_drop: word as u16,
        area: AreaId((word >> 16) as u8),
        upward: word >> 24 != 0,
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::GpuOptions;

    #[test]
    fn a_device_that_is_lost_is_an_error() {
        let Ok(context) = GpuContext::new(&GpuOptions::default().with_software(true)) else {
            waymesh_testkit::levels::skipped("a graphics adapter, be it in software");
            return;
        };
        let rasterizer = GpuRasterizer::new(&context).unwrap();
        let corners = [[0.0, 0.0], [0.0, 9.0], [9.0, 0.0]].map(|[x, z]| Vec3::new(x, 0.0, z));
        let soup = TriangleSoup::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
        rasterizer.rasterize(&soup, &VoxelConfig::default(), &mut ()).unwrap();
        context.device.destroy();
        for _ in 0..2 {
            let error =
                rasterizer.rasterize(&soup, &VoxelConfig::default(), &mut ()).map(|_| ()).unwrap_err();
            assert!(matches!(error, GpuError::Lost { .. }), "{error}");
        }
        assert!(GpuRasterizer::new(&context).is_err());
    }

    /// The tables of both sides are laid out alike.
    #[test]
    fn tables_have_the_sizes_of_the_shaders() {
        assert_eq!(size_of::<Input>(), 64);
        assert_eq!(size_of::<Settings>(), 7 * 8 + 2 * 4 + 10 * 4);
    }
}
