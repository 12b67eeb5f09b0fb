//! Triangles to a span heightfield.

use glam::Vec3;
use rayon::prelude::*;
use waymesh_core::{Bounds, Counter, GridFrame, Heightfield, Observer, Span, TriangleSoup, Warning};

use crate::fragments::RowFragments;
use crate::outliers::find_outliers;
use crate::triangle::{GridTransform, GridTriangle};
use crate::{VoxelConfig, VoxelError};

/// Bytes of a span and of a column's entry in the result.
const SPAN_BYTES: u64 = size_of::<Span>() as u64;
const COLUMN_BYTES: u64 = size_of::<u32>() as u64;
/// Heights from which a scene is checked for outliers: Recast's limit, beyond any real level at a usual scale.
const SUSPICIOUS_LEVELS: f64 = 8192.0;

/// Voxelises `soup` into a grid that just holds its finite triangles.
///
/// # Method
/// Every triangle is cut into rows of cells, every row into cells; the lowest and highest point of the triangle in the cell
/// become the levels of a fragment. Only edges of the cut are followed: cells that a triangle covers wholly come from
/// its plane. Fragments of one column that overlap or touch are merged into spans.
///
/// # Guarantees
/// - Conservative: a column that a triangle reaches into by more than a 5000th of a cell has a span over its heights there,
///   to a 10,000th of a level. A wall on a cell line blocks the cells on both sides; a floor that ends on a cell line adds
///   nothing beyond. No triangle with an area is lost, however thin.
/// - [`Span::ground_drop`] gives the true surface at the cell's centre: the highest ground of the walkable fragments that
///   cover the centre, if it is within the merge rule's reach (and one level) of the span's top; else the highest ground
///   of all fragments that face up. A fragment that does not cover the centre gives the height of its plane there, moved into
///   the range of heights it has in the cell. A span whose top does not face up has no drop.
/// - [`Span::upward`] is set if a fragment that faces up ends within the merge rule's reach of the span's top.
/// - The result depends neither on the order of the triangles nor on `config.threads`.
///
/// # Cost
/// Time is linear in the triangles plus the fragments. Memory beyond the result: eight bytes per triangle, and the
/// fragments of one row of cells per thread. The limit counts the column table, the spans and the row.
///
/// # Errors
/// - [`VoxelError::BadField`], [`VoxelError::Grid`] for configuration and sizes that cannot be used.
/// - [`VoxelError::NoTriangles`] if no triangle is finite.
/// - [`VoxelError::TooMuchMemory`] before anything is allocated if the columns alone are too many, else as soon as the
///   spans are.
///
/// Triangles that are not finite or have no area are skipped, counted and warned about.
///
/// # References
/// Mononen 2009, Automatic Navmesh Generation via Watershed Partitioning, step 1.
///
/// # Span storage
/// Triangles are swept along z. One row of columns is open at a time; in it every column has a short list of pieces, which
/// fragments merge into or join, and the finished row is appended to the flat arrays of the result. Against the alternatives
/// (`benches/storage.rs`; 990,000 bare fragments, 262,000 columns, one core of a server; only the ratios carry over):
///
/// | storage | ms | memory |
/// |---|---|---|
/// | row by row, lists in the row (this) | 5.3 | the result and one row |
/// | all fragments, counting sort by column | 3.6 | the result and all fragments twice |
/// | linked list per column, merged at once (Recast) | 18.6 | the result, scattered; flattened later |
/// | one bit per voxel, 128 levels | 5.5 | columns times levels; no room for flags and ground |
///
/// With real fragments, which carry ground and flags, the lists win over the sort: with a counting sort inside each row the
/// rasteriser took 3.1 instead of 2.9 ms on Recast's nav_test (0.3 m cells), 5.5 instead of 4.5 ms on the dungeon, 3.8
/// instead of 3.1 ms on undulating, because walls put several fragments on each span, and these merge at once.
pub fn rasterize(
    soup: &TriangleSoup,
    config: &VoxelConfig,
    observer: &mut dyn Observer,
) -> Result<Heightfield, VoxelError> {
    config.validate()?;
    let bounds = soup.bounds();
    if !bounds.is_valid() {
        report_skipped(soup, observer);
        return Err(VoxelError::NoTriangles { triangles: soup.triangles().len() });
    }
    let frame = GridFrame::fit(&bounds, &config.scale)?;
    warn_of_outliers(soup, &bounds, &frame, observer);
    rasterize_in_frame(soup, &frame, config, observer)
}

/// Voxelises the part of `soup` that lies over the cells of `frame`; `config.scale` is not used.
///
/// Guarantees, cost and errors as for [`rasterize`]. Heights are not clipped. Triangles beside the frame are counted as
/// outside. Corners farther than 2^30 cells or levels from the frame's origin are moved to that distance.
///
/// # Errors
/// As [`rasterize`], without [`VoxelError::NoTriangles`]: nothing over the frame gives an empty heightfield.
pub fn rasterize_in_frame(
    soup: &TriangleSoup,
    frame: &GridFrame,
    config: &VoxelConfig,
    observer: &mut dyn Observer,
) -> Result<Heightfield, VoxelError> {
    config.validate()?;
    waymesh_core::GridScale::new(frame.cell_size, frame.level_height).validate()?;
    let limit = Limit::new(frame, config.max_memory_bytes);
    limit.check_columns()?;
    let grid = GridTransform::new(frame, config.max_slope);
    let placed = place(soup, &grid);
    placed.report(observer);

    let reach = config.merge.reach_levels(frame.level_height);
    let bands = match config.threads {
        0 => rayon::current_num_threads(),
        threads => threads,
    };
    let sweep = Sweep { soup, grid, reach, limit, placed: &placed.rows };
    if bands <= 1 || frame.depth < 2 {
        let band = sweep.run(0, grid.depth, u64::from(frame.depth), Some(observer))?;
        return Ok(Heightfield { frame: *frame, columns: band.columns, spans: band.spans });
    }
    // More bands than threads, so that a crowded band does not hold up the rest.
    let bands = (bands * 4).min(frame.depth as usize);
    let row = |band: usize| i32::try_from(frame.depth as usize * band / bands).unwrap_or(i32::MAX);
    let results: Vec<Result<Band, VoxelError>> = (0..bands)
        .into_par_iter()
        .map(|band| sweep.run(row(band), row(band + 1), u64::from(frame.depth), None))
        .collect();
    join(results, frame, &limit)
}

/// Which rows each usable triangle reaches into, and how many are of no use.
#[derive(Debug, Default)]
struct Placed {
    /// First and last row; `NOWHERE` for a triangle that is skipped.
    rows: Vec<[i32; 2]>,
    not_finite: u64,
    degenerate: u64,
    outside: u64,
}

const NOWHERE: [i32; 2] = [i32::MAX, i32::MIN];

impl Placed {
    fn report(&self, observer: &mut dyn Observer) {
        for (counter, amount) in [
            (Counter::TrianglesNotFinite, self.not_finite),
            (Counter::TrianglesDegenerate, self.degenerate),
            (Counter::TrianglesOutside, self.outside),
        ] {
            if amount > 0 {
                observer.count(counter, amount);
            }
        }
        if self.not_finite + self.degenerate > 0 {
            observer
                .warn(Warning::TrianglesSkipped { not_finite: self.not_finite, degenerate: self.degenerate });
        }
    }
}

fn report_skipped(soup: &TriangleSoup, observer: &mut dyn Observer) {
    let skipped = soup.skipped();
    Placed { not_finite: skipped.not_finite, degenerate: skipped.degenerate, ..Placed::default() }
        .report(observer);
}

/// The same test as [`TriangleSoup::skipped`], so that both count the same.
#[inline]
fn has_area([a, b, c]: [Vec3; 3]) -> bool {
    (b - a).cross(c - a) != Vec3::ZERO
}

fn place(soup: &TriangleSoup, grid: &GridTransform) -> Placed {
    let mut placed = Placed::default();
    placed.rows.reserve_exact(soup.triangles().len());
    let rows = (0..soup.triangles().len()).map(|triangle| {
        let corners = soup.corners(triangle);
        if !corners.iter().all(|corner| corner.is_finite()) {
            placed.not_finite += 1;
            return NOWHERE;
        }
        if !has_area(corners) {
            placed.degenerate += 1;
            return NOWHERE;
        }
        let (rows, cells) = (grid.rows(corners), grid.cells(corners));
        if rows[1] < 0 || rows[0] >= grid.depth || cells[1] < 0 || cells[0] >= grid.width {
            placed.outside += 1;
            return NOWHERE;
        }
        rows
    });
    let mut table = Vec::with_capacity(soup.triangles().len());
    table.extend(rows);
    placed.rows = table;
    placed
}

/// The memory limit, and what to say when it is met.
#[derive(Clone, Copy, Debug)]
struct Limit {
    bytes: u64,
    frame: GridFrame,
    /// What the grid takes without any span.
    base: u64,
}

impl Limit {
    fn new(frame: &GridFrame, bytes: u64) -> Self {
        let columns = (u64::from(frame.width) * u64::from(frame.depth)).saturating_add(1);
        let base = columns.saturating_mul(COLUMN_BYTES);
        Self {
            bytes,
            frame: *frame,
            base: base.saturating_add(u64::from(frame.width) * RowFragments::CELL_BYTES),
        }
    }

    fn check_columns(&self) -> Result<(), VoxelError> {
        if self.base <= self.bytes {
            return Ok(());
        }
        // Most columns of a real scene hold a span; without them the hint would be for a grid of nothing.
        let columns = u64::from(self.frame.width) * u64::from(self.frame.depth);
        Err(self.error(self.base.saturating_add(columns.saturating_mul(SPAN_BYTES))))
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "a hint for people, with room to spare"
    )]
    fn error(&self, needed: u64) -> VoxelError {
        let ratio = needed as f64 / self.bytes.max(1) as f64;
        VoxelError::TooMuchMemory {
            limit_bytes: self.bytes,
            needed_bytes: needed,
            width: self.frame.width,
            depth: self.frame.depth,
            fitting_cell_size: self.frame.cell_size * (ratio.sqrt() * 1.02) as f32,
        }
    }

    /// Error for `spans` spans after `done` of the rows.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an extrapolation; the cast saturates"
    )]
    fn error_at(&self, spans: u64, rows: u64, done: u64) -> VoxelError {
        let all = spans as f64 * SPAN_BYTES as f64 * (rows as f64 / done.max(1) as f64).max(1.0);
        self.error(self.base.saturating_add(all as u64))
    }

    fn max_spans(&self) -> u64 {
        (self.bytes.saturating_sub(self.base) / SPAN_BYTES).min(u64::from(u32::MAX - 1))
    }

    fn too_many(&self, spans: u64, rows: u64, done: u64) -> VoxelError {
        if spans >= u64::from(u32::MAX) {
            let GridFrame { width, depth, .. } = self.frame;
            return VoxelError::TooManySpans { limit: u32::MAX - 1, width, depth };
        }
        self.error_at(spans, rows, done)
    }
}

/// The result for a band of rows: the column table without its last entry's successor, as in [`Heightfield`].
#[derive(Debug)]
struct Band {
    columns: Vec<u32>,
    spans: Vec<Span>,
}

#[derive(Clone, Copy)]
struct Sweep<'a> {
    soup: &'a TriangleSoup,
    grid: GridTransform,
    reach: i32,
    limit: Limit,
    placed: &'a [[i32; 2]],
}

impl Sweep<'_> {
    /// Voxelises rows `from..to`. Rows do not depend on each other, so the cut into bands does not show.
    #[expect(clippy::cast_sign_loss, reason = "rows are clipped to the grid")]
    fn run(
        &self,
        from: i32,
        to: i32,
        depth: u64,
        mut observer: Option<&mut dyn Observer>,
    ) -> Result<Band, VoxelError> {
        let (starts, order) = self.by_first_row(from, to);
        let width = self.limit.frame.width as usize;
        let rows = (to - from) as usize;
        let max_spans = self.limit.max_spans();
        let mut columns = Vec::with_capacity(width * rows + 1);
        columns.push(0);
        let mut spans: Vec<Span> = Vec::new();
        let mut row_fragments = RowFragments::new(width, self.reach);
        let mut open: Vec<GridTriangle> = Vec::new();
        let max_fragments = (self.limit.bytes / RowFragments::FRAGMENT_BYTES).min(u64::from(u32::MAX - 1));
        for row in from..to {
            let local = (row - from) as usize;
            let mut index = 0;
            while index < open.len() {
                open[index].fill_row(row, &mut row_fragments);
                if open[index].last <= row {
                    open.swap_remove(index);
                } else {
                    index += 1;
                }
                if row_fragments.excess() as u64 > max_fragments {
                    return Err(self.limit.error_at(row_fragments.excess() as u64, depth, 1));
                }
            }
            for &triangle in &order[starts[local] as usize..starts[local + 1] as usize] {
                let rows = self.placed[triangle as usize];
                let mut triangle =
                    GridTriangle::new(self.soup.corners(triangle as usize), &self.grid, rows, row);
                triangle.fill_row(row, &mut row_fragments);
                if triangle.last > row {
                    open.push(triangle);
                }
                if row_fragments.excess() as u64 > max_fragments {
                    return Err(self.limit.error_at(row_fragments.excess() as u64, depth, 1));
                }
            }
            if spans.len() + row_fragments.bound() > spans.capacity() {
                // Grow by half, but never past the limit; fragments only bound the spans from above.
                let wanted = (spans.len() + row_fragments.bound()).max(spans.capacity() * 3 / 2);
                let capacity = (wanted as u64).min(max_spans.max(spans.len() as u64));
                spans.reserve_exact(usize::try_from(capacity).unwrap_or(usize::MAX) - spans.len());
            }
            row_fragments.finish(&mut columns, &mut spans);
            if spans.len() as u64 > max_spans {
                return Err(self.limit.too_many(spans.len() as u64, depth, (local + 1) as u64));
            }
            if let Some(observer) = observer.as_deref_mut()
                && row % 256 == 255
            {
                observer.progress((row + 1) as u64, depth);
            }
        }
        Ok(Band { columns, spans })
    }

    /// The triangles of a band, sorted by the row in which they enter it.
    #[expect(
        clippy::cast_sign_loss,
        clippy::cast_possible_truncation,
        reason = "clipped to the band; soups index by u32"
    )]
    fn by_first_row(&self, from: i32, to: i32) -> (Vec<u32>, Vec<u32>) {
        let mut starts = vec![0_u32; (to - from) as usize + 1];
        let entry =
            |rows: &[i32; 2]| (rows[0] < to && rows[1] >= from).then(|| (rows[0].max(from) - from) as usize);
        for row in self.placed.iter().filter_map(entry) {
            starts[row + 1] += 1;
        }
        for row in 1..starts.len() {
            starts[row] += starts[row - 1];
        }
        let mut order = vec![0_u32; starts[starts.len() - 1] as usize];
        let mut next = starts.clone();
        for (triangle, rows) in self.placed.iter().enumerate() {
            if let Some(row) = entry(rows) {
                order[next[row] as usize] = triangle as u32;
                next[row] += 1;
            }
        }
        (starts, order)
    }
}

/// Puts the bands one after the other.
fn join(
    results: Vec<Result<Band, VoxelError>>,
    frame: &GridFrame,
    limit: &Limit,
) -> Result<Heightfield, VoxelError> {
    let bands = results.into_iter().collect::<Result<Vec<_>, _>>()?;
    let total: usize = bands.iter().map(|band| band.spans.len()).sum();
    if total as u64 > limit.max_spans() {
        return Err(limit.too_many(total as u64, 1, 1));
    }
    let mut columns = Vec::with_capacity(frame.column_count() + 1);
    let mut spans = Vec::with_capacity(total);
    columns.push(0);
    for band in bands {
        #[expect(clippy::cast_possible_truncation, reason = "the total is checked above")]
        let base = spans.len() as u32;
        columns.extend(band.columns[1..].iter().map(|column| column + base));
        spans.extend(band.spans);
    }
    Ok(Heightfield { frame: *frame, columns, spans })
}

fn warn_of_outliers(soup: &TriangleSoup, bounds: &Bounds, frame: &GridFrame, observer: &mut dyn Observer) {
    let height = f64::from(bounds.max.y) - f64::from(bounds.min.y);
    if height / f64::from(frame.level_height) > SUSPICIOUS_LEVELS
        && let Some(warning) = find_outliers(soup)
    {
        observer.warn(warning);
    }
}
