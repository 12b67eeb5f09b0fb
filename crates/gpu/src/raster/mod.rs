//! Voxels: triangles to fragments, sorted and merged by column.

mod field;
mod part;
mod run;

use std::sync::OnceLock;

use waymesh_core::{AreaId, GROUND_STEPS_PER_LEVEL, GridWindow, Heightfield, Span};
use waymesh_voxel::{BuiltField, FieldJob, GridNumbers, RasterJob};

use self::field::{FieldKernels, FieldRun};
use self::part::Part;
use self::run::{Piece, Run, SPAN_WORDS, Settings, SpanPiece, Tables};
use crate::kernels::{DOUBLE, ITEMS, Module, Use};
use crate::scan::Scan;
use crate::tables::Pool;
use crate::{GpuContext, GpuError, GpuTimes, constants};

/// Largest number of fragments of a column. One invocation sorts a column; with more it might
/// exceed the time limits of drivers.
const DEEPEST: u32 = 1 << 14;
/// Largest number of fragments of a column in software: Mesa's llvmpipe silently ends the loops of
/// an invocation after 65,535 iterations.
const DEEPEST_IN_SOFTWARE: u32 = 1 << 11;

/// The rasteriser of `waymesh-voxel` on a device, with equal spans, byte for byte.
///
/// # Method
/// The processor selects the triangles ([`RasterJob`]). One invocation prepares a triangle, one
/// counts the cells of a row of a triangle, at most 64 of them. Prefix sums give every column its
/// offset; the rows are cut again, and fragments are written there in any order. One invocation
/// sorts the fragments of a column and merges them.
///
/// The device computes in double precision made of integers, operation by operation as the
/// processor does, because no rule of WGSL fixes the last bit of a float.
///
/// # Limits
/// Tables hold 256 MiB, or the limit of [`crate::GpuOptions`] and the device; a grid that needs
/// more, or has more than four million columns, is filled in parts, two of which are with the
/// device at a time. The shaders need the limits that WebGPU guarantees, and no extensions.
#[derive(Debug)]
pub struct GpuRasterizer {
    context: GpuContext,
    module: Module,
    scan: Scan,
    /// Created when a field is first requested.
    field: OnceLock<FieldKernels>,
    pool: Pool<Tables>,
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
        let uses = [Use::Read, Use::Write, Use::Write, Use::Write, Use::Write, Use::Write, Use::Write];
        let uses = [&uses[..], &[Use::Write]].concat();
        let entries = ["prepare", "count", "fill", "merge", "collect"];
        let module = Module::new(context, &source(), size_of::<Settings>(), &uses, &entries)?;
        let (scan, field, pool) = (Scan::new(context)?, OnceLock::new(), Pool::default());
        Ok(Self { context: context.clone(), module, scan, field, pool })
    }

    /// Returns the device that it runs on.
    #[must_use]
    pub fn context(&self) -> &GpuContext {
        &self.context
    }

    /// Returns the largest number of fragments of one column that the device sorts.
    #[must_use]
    pub fn deepest_column(&self) -> u32 {
        if self.context.adapter().software { DEEPEST_IN_SOFTWARE } else { DEEPEST }
    }

    /// Does the work of `job`, with the same result as [`RasterJob::run`].
    ///
    /// # Cost
    /// 64 bytes to the device for each triangle and part it lies in; back come twelve bytes for
    /// each span and four for each column.
    ///
    /// # Errors
    /// - [`GpuError::Voxel`] if the spans take more memory than the job allows.
    /// - [`GpuError::DeepColumn`] for more than 16,384 fragments in one column (in software 2,048).
    /// - [`GpuError::TooLarge`], [`GpuError::OutOfMemory`] if the device has too little memory.
    /// - [`GpuError::Lost`], [`GpuError::TimedOut`], [`GpuError::Failed`] for a device that fails.
    pub fn run(&self, job: &RasterJob) -> Result<(Heightfield, GpuTimes), GpuError> {
        let window = job.window();
        let mut times = GpuTimes::default();
        let mut pieces = Vec::new();
        if !window.is_empty() && !job.is_empty() {
            let mut run = Run::new(self, job, None);
            let spans = |piece| if let Piece::Spans(spans) = piece { Some(spans) } else { None };
            pieces = run.fill(Part::of(window))?.into_iter().filter_map(spans).collect();
            times = run.times;
        }
        let (columns, spans) = joined(window, &pieces);
        Ok((job.finish(columns, spans)?, times))
    }

    /// Does the work of `job`, with the same result as [`FieldJob::run`]: filters, links and
    /// erosion also run on the device, and only the spans of the field are read back.
    ///
    /// # Method
    /// One invocation judges the spans of a column by those of the four adjacent columns, one links
    /// two columns, and one per span follows its links to blocked spans: first along x, then along
    /// z, up to the radius. A grid that is filled in parts has a halo around each.
    ///
    /// # Cost
    /// 64 bytes to the device for each triangle and part it lies in. Back come one byte for each
    /// column and nine for each span of the field; 17 in a part with more than 15 storeys in a
    /// column, floors more than 65,535 levels apart, or as much head room.
    ///
    /// # Errors
    /// Those of [`GpuRasterizer::run`]. [`GpuError::DeepColumn`] for more than 4,096 solid spans in a
    /// column (in software 512); [`GpuError::TooLarge`] for more than 255 of them in the field, or a
    /// radius of more than 4,095 cells.
    pub fn build_field(&self, job: &FieldJob<'_>) -> Result<(BuiltField, GpuTimes), GpuError> {
        let kernels = match self.field.get() {
            Some(kernels) => kernels,
            None => {
                let new = FieldKernels::new(&self.context)?;
                self.field.get_or_init(|| new)
            }
        };
        let field = FieldRun::new(job, kernels, &self.scan)?;
        let (raster, result) = (job.raster(), job.result());
        let (mut times, mut pieces) = (GpuTimes::default(), Vec::new());
        if !result.is_empty() && !raster.is_empty() {
            let mut run = Run::new(self, raster, Some(&field));
            let of_field = |piece| if let Piece::Field(field) = piece { Some(field) } else { None };
            pieces = run.fill(Part::of(result))?.into_iter().filter_map(of_field).collect();
            times = run.times;
        }
        let (built, counts) = field.joined(&pieces);
        Ok((job.finish(built, counts)?, times))
    }
}

/// Returns the source of the shaders, with the constants of the processor.
fn source() -> String {
    let mut source = DOUBLE.to_owned();
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
    source.push_str(include_str!("../shaders/raster.wgsl"));
    source.push_str(ITEMS);
    source
}

/// Returns the columns and the spans of the whole window.
#[expect(clippy::cast_sign_loss, reason = "parts lie in the window")]
fn joined(window: GridWindow, pieces: &[SpanPiece]) -> (Vec<u32>, Vec<Span>) {
    let width = window.width as usize;
    let count = width * window.depth as usize;
    // The number of spans of each column, then the first one.
    let mut columns = vec![0_u32; count + 1];
    let place = |piece: &SpanPiece, row: usize| {
        let x = piece.part.cells[0] as usize - window.x as usize;
        let z = piece.part.rows[0] as usize - window.z as usize + row;
        z * width + x
    };
    let rows = |piece: &SpanPiece| piece.part.size().map(|size| usize::try_from(size).unwrap_or(usize::MAX));
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
