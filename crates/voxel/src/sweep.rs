//! The sweep along z, which turns triangles into rows of spans.

use std::ops::Range;

use glam::Vec3;
use waymesh_core::{
    AreaId, Buckets, Counter, GridFrame, Heightfield, Observer, SkippedTriangles, Span, TriangleSoup,
    checkpoint, checkpoint_every, row_bands, split_lengths, threads,
};

use crate::VoxelError;
use crate::fragments::RowFragments;
use crate::triangle::{GridTransform, GridTriangle};

/// Bytes of a span and of a column's entry in the result.
const SPAN_BYTES: u64 = size_of::<Span>() as u64;
const COLUMN_BYTES: u64 = size_of::<u32>() as u64;
/// Counts unusable triangles, and finds the rows of the others.
#[derive(Debug, Default)]
pub(crate) struct Sieve {
    skipped: SkippedTriangles,
    outside: u64,
}

/// Rows of a skipped triangle.
pub(crate) const NOWHERE: [i32; 2] = [i32::MAX, i32::MIN];

impl Sieve {
    pub(crate) fn of_soup(soup: &TriangleSoup) -> Self {
        Self { skipped: soup.skipped(), outside: 0 }
    }

    /// Returns the first and last row of the whole grid that a triangle reaches into, not clipped.
    /// [`NOWHERE`] for a triangle that is unusable or outside the columns of the window.
    #[inline]
    pub(crate) fn rows(&mut self, corners: [Vec3; 3], grid: &GridTransform) -> [i32; 2] {
        if self.skipped.add(corners) {
            return NOWHERE;
        }
        let (rows, cells) = (grid.rows(corners), grid.cells(corners));
        if rows[1] < grid.first_row
            || rows[0] >= grid.end_row
            || cells[1] < grid.first_cell
            || cells[0] >= grid.end_cell
        {
            self.outside += 1;
            return NOWHERE;
        }
        rows
    }

    /// Reports broken triangles. Triangles outside the window are not reported, because an obstacle
    /// may lie elsewhere.
    pub(crate) fn report_useless(&self, observer: &mut dyn Observer) {
        self.skipped.report(observer);
    }

    pub(crate) fn report(&self, observer: &mut dyn Observer) {
        self.skipped.report(observer);
        if self.outside > 0 {
            observer.count(Counter::TrianglesOutside, self.outside);
        }
    }
}

/// The memory limit, and the errors when it is reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    bytes: u64,
    /// Frame of the columns to fill: the frame of the window, if any.
    frame: GridFrame,
    /// Bytes of the grid without spans.
    base: u64,
}

impl Limit {
    pub(crate) fn new(frame: &GridFrame, bytes: u64) -> Self {
        let columns = (u64::from(frame.width) * u64::from(frame.depth)).saturating_add(1);
        let base = columns.saturating_mul(COLUMN_BYTES);
        Self {
            bytes,
            frame: *frame,
            base: base.saturating_add(u64::from(frame.width) * RowFragments::<true>::CELL_BYTES),
        }
    }

    pub(crate) fn check_columns(&self) -> Result<(), VoxelError> {
        if self.base <= self.bytes {
            return Ok(());
        }
        // Most columns of a real scene contain a span. An estimate without them would describe an
        // empty grid.
        let columns = u64::from(self.frame.width) * u64::from(self.frame.depth);
        Err(self.error(self.base.saturating_add(columns.saturating_mul(SPAN_BYTES))))
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "an estimate for a message"
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

    /// Returns the error for `spans` spans after `done` of `rows` rows.
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

    /// Checks that the fragments of a row fit into the limit.
    #[inline(always)]
    pub(crate) fn check_row<const AREAS: bool>(&self, row: &RowFragments<AREAS>) -> Result<(), VoxelError> {
        let most = (self.bytes / RowFragments::<AREAS>::FRAGMENT_BYTES).min(u64::from(u32::MAX - 1));
        if row.excess() as u64 > most {
            return Err(self.error_at(row.excess() as u64, u64::from(self.frame.depth), 1));
        }
        Ok(())
    }

    /// Returns the frame of the columns to fill.
    pub(crate) fn frame(&self) -> GridFrame {
        self.frame
    }

    /// Checks that the spans of the whole result fit into the limit.
    pub(crate) fn check_spans(&self, spans: u64) -> Result<(), VoxelError> {
        if spans > self.max_spans() { Err(self.too_many(spans, 1, 1)) } else { Ok(()) }
    }

    fn too_many(&self, spans: u64, rows: u64, done: u64) -> VoxelError {
        if spans >= u64::from(u32::MAX) {
            let GridFrame { width, depth, .. } = self.frame;
            return VoxelError::TooManySpans { limit: u32::MAX - 1, width, depth };
        }
        self.error_at(spans, rows, done)
    }
}

/// Cost of a row of a triangle, and of its setup, in columns.
const ROW_COLUMNS: u64 = 8;
const TRIANGLE_COLUMNS: u64 = 8;

/// Largest factor by which the table of spans grows at once.
const MOST_GROWTH: usize = 4;

/// The result for a band of rows: the tables of a [`Heightfield`] for these rows.
#[derive(Debug)]
struct Band {
    columns: Vec<u32>,
    spans: Vec<Span>,
}

/// Triangles and the grid that they are swept over.
#[derive(Clone, Debug)]
pub(crate) struct Sweep {
    pub(crate) corners: Vec<[Vec3; 3]>,
    /// Area of each triangle. Empty while all are [`AreaId::GROUND`].
    pub(crate) areas: Vec<AreaId>,
    /// First and last row of each triangle.
    pub(crate) rows: Vec<[i32; 2]>,
    pub(crate) grid: GridTransform,
    /// Largest distance of a fragment's top below the merged top at which the fragment counts, in
    /// levels.
    pub(crate) reach: i32,
    pub(crate) limit: Limit,
    /// Number of threads; 0 for all threads of the pool.
    pub(crate) threads: usize,
}

impl Sweep {
    /// Voxelises all rows.
    pub(crate) fn run(&self, observer: &mut dyn Observer) -> Result<Heightfield, VoxelError> {
        if self.areas.is_empty() { self.run_rows::<false>(observer) } else { self.run_rows::<true>(observer) }
    }

    pub(crate) fn area(&self, triangle: usize) -> AreaId {
        self.areas.get(triangle).copied().unwrap_or(AreaId::GROUND)
    }

    fn run_rows<const AREAS: bool>(&self, observer: &mut dyn Observer) -> Result<Heightfield, VoxelError> {
        let GridTransform { first_row, end_row, .. } = self.grid;
        let frame = self.limit.frame;
        let threads = if self.threads == 0 { threads::count() } else { self.threads };
        if threads <= 1 || frame.depth < 2 {
            let band = self.run_band::<AREAS>(first_row, end_row, Some(observer))?;
            return Ok(Heightfield { frame, columns: band.columns, spans: band.spans });
        }
        let work = self.work_before_rows();
        let bands = row_bands(frame.depth, 1, threads, |row| work[row as usize]);
        let row = |row: u32| first_row.saturating_add_unsigned(row);
        let run = |band: Range<u32>| self.run_band::<AREAS>(row(band.start), row(band.end), None);
        join(threads::map_long(bands, |(): &mut (), band| run(band)), &self.limit)
    }

    /// Returns an estimate of the work before each row, and of all rows, in columns.
    #[expect(clippy::cast_sign_loss, reason = "rows are clipped to the grid")]
    fn work_before_rows(&self) -> Vec<u64> {
        let GridTransform { first_row, end_row, .. } = self.grid;
        let depth = self.limit.frame.depth as usize;
        // Numbers of triangles that begin in each row, and of those that end in the row before it.
        let (mut begin, mut end) = (vec![0_u64; depth], vec![0_u64; depth + 1]);
        for (index, rows) in self.rows.iter().enumerate() {
            checkpoint_every(1 << 20, index);
            if rows[0] < end_row && rows[1] >= first_row {
                begin[(rows[0].max(first_row) - first_row) as usize] += 1;
                end[(rows[1].min(end_row - 1) - first_row) as usize + 1] += 1;
            }
        }
        let (mut work, mut open, mut sum) = (Vec::with_capacity(depth + 1), 0, 0);
        work.push(0);
        for row in 0..depth {
            open = open + begin[row] - end[row];
            sum += u64::from(self.limit.frame.width) + ROW_COLUMNS * open + TRIANGLE_COLUMNS * begin[row];
            work.push(sum);
        }
        work
    }

    /// Voxelises rows `from..to`. Rows do not depend on each other, so the bands do not change the
    /// result.
    #[expect(clippy::cast_sign_loss, reason = "rows are clipped to the grid")]
    fn run_band<const AREAS: bool>(
        &self,
        from: i32,
        to: i32,
        mut observer: Option<&mut dyn Observer>,
    ) -> Result<Band, VoxelError> {
        let depth = u64::from(self.limit.frame.depth);
        let begins = self.by_first_row(from, to);
        let width = self.limit.frame.width as usize;
        let rows = (to - from) as usize;
        let max_spans = self.limit.max_spans();
        let mut columns = Vec::with_capacity(width * rows + 1);
        columns.push(0);
        let mut spans: Vec<Span> = Vec::new();
        let mut row_fragments = RowFragments::<AREAS>::new(self.grid.first_cell, width, self.reach);
        let mut open: Vec<GridTriangle> = Vec::new();
        for row in from..to {
            let local = (row - from) as usize;
            checkpoint();
            let mut index = 0;
            while index < open.len() {
                checkpoint_every(1 << 12, index);
                open[index].fill_row(row, &mut row_fragments);
                if open[index].last <= row {
                    open.swap_remove(index);
                } else {
                    index += 1;
                }
                self.limit.check_row(&row_fragments)?;
            }
            for (done, &triangle) in begins.of(local).iter().enumerate() {
                checkpoint_every(1 << 12, done);
                let number = triangle as usize;
                let (corners, rows) = (self.corners[number], self.rows[number]);
                let mut triangle =
                    GridTriangle::new(corners, &self.grid, rows, row).of_area(self.area(number));
                triangle.fill_row(row, &mut row_fragments);
                if triangle.last > row {
                    open.push(triangle);
                }
                self.limit.check_row(&row_fragments)?;
            }
            if spans.len() + row_fragments.bound() > spans.capacity() {
                // Fragments only give an upper bound of the row's spans. Growing copies all spans,
                // so the capacity is extrapolated from the rows so far; at least half of the needed
                // size is added, but not beyond the limit.
                let needed = spans.len() + row_fragments.bound();
                let (all, most) = (needed * rows / (local + 1), needed.saturating_mul(MOST_GROWTH));
                let wanted = (all + all / 16).clamp(needed * 3 / 2, most);
                let capacity = (wanted as u64).min(max_spans.max(spans.len() as u64));
                spans.reserve_exact(usize::try_from(capacity).unwrap_or(usize::MAX) - spans.len());
            }
            row_fragments.finish(&mut columns, &mut spans);
            if spans.len() as u64 > max_spans {
                return Err(self.limit.too_many(spans.len() as u64, depth, (local + 1) as u64));
            }
            if let Some(observer) = observer.as_deref_mut()
                && local % 256 == 255
            {
                observer.progress(local as u64 + 1, depth);
            }
        }
        Ok(Band { columns, spans })
    }

    /// Returns the triangles of a band, sorted by the row in which they enter it.
    #[expect(
        clippy::cast_sign_loss,
        clippy::cast_possible_truncation,
        reason = "clipped to the band; soups index by u32"
    )]
    fn by_first_row(&self, from: i32, to: i32) -> Buckets<u32> {
        let entries = self.rows.iter().enumerate().filter_map(|(triangle, rows)| {
            checkpoint_every(1 << 20, triangle);
            let is_inside = rows[0] < to && rows[1] >= from;
            is_inside.then(|| ((rows[0].max(from) - from) as usize, triangle as u32))
        });
        Buckets::new((to - from) as usize, entries)
    }
}

/// Destinations of the columns and the spans of a band.
type Places<'a> = (&'a mut [u32], &'a mut [Span]);

/// Joins the bands in order.
fn join(results: Vec<Result<Band, VoxelError>>, limit: &Limit) -> Result<Heightfield, VoxelError> {
    let bands = results.into_iter().collect::<Result<Vec<_>, _>>()?;
    let total: usize = bands.iter().map(|band| band.spans.len()).sum();
    if total as u64 > limit.max_spans() {
        return Err(limit.too_many(total as u64, 1, 1));
    }
    let mut columns = vec![0; limit.frame.column_count() + 1];
    let mut spans = bytemuck::zeroed_vec(total);
    let first = bands.iter().scan(0_u32, |next, band| {
        #[expect(clippy::cast_possible_truncation, reason = "the total is checked above")]
        let after = *next + band.spans.len() as u32;
        Some(std::mem::replace(next, after))
    });
    let first: Vec<u32> = first.collect();
    let own_columns = split_lengths(&mut columns[1..], bands.iter().map(|band| band.columns.len() - 1));
    let own_spans = split_lengths(&mut spans, bands.iter().map(|band| band.spans.len()));
    // Each band is dropped after copying.
    let copy = |((band, first), (columns, spans)): ((Band, u32), Places<'_>)| {
        checkpoint();
        for (to, column) in columns.iter_mut().zip(&band.columns[1..]) {
            *to = first + column;
        }
        spans.copy_from_slice(&band.spans);
    };
    threads::for_each(bands.into_iter().zip(first).zip(own_columns.into_iter().zip(own_spans)), copy);
    Ok(Heightfield { frame: limit.frame, columns, spans })
}
