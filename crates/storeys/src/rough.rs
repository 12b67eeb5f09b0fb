//! Rough voxels: one bit for ground and one for everything else, in machine words per column.

use std::ops::Range;

use waymesh_core::stage::StageError;
use waymesh_core::{
    AreaId, DeviceUsage, GridFrame, SkippedTriangles, TriangleSource, checkpoint, checkpoint_every,
};

use crate::StoreysError;
use crate::config::{Placement, ScenePoint, StoreysConfig, Walk};
use crate::slice::whole_below;

const SLACK: f64 = RoughJob::SLACK;
const WORD: u32 = u64::BITS;

/// Voxels of a scene: *positive* if they hold walkable ground, *negative* if they hold anything
/// else only.
///
/// # Guarantees
/// Every voxel that the inside of a triangle touches is set. Triangles are clipped exactly to each
/// column; the thesis renders the scene along three axes for this purpose.
///
/// # References
/// Oliva 2012, section 6.2.1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoughVoxels {
    /// Columns along x.
    pub width: u32,
    /// Columns along z.
    pub depth: u32,
    /// Levels of a column.
    pub levels: u32,
    /// Words of a column.
    words: u32,
    positive: Vec<u64>,
    negative: Vec<u64>,
}

impl RoughVoxels {
    /// Returns the words of a column.
    fn column_words(levels: u32) -> u32 {
        levels.div_ceil(WORD).max(1)
    }

    /// Returns the words of all columns, if they are within the limit.
    fn word_count([width, depth, levels]: [u32; 3], limit_bytes: u64) -> Result<usize, StoreysError> {
        let columns = u64::from(width) * u64::from(depth);
        let count = columns.saturating_mul(u64::from(Self::column_words(levels)));
        let needed_bytes = count.saturating_mul(16);
        if needed_bytes > limit_bytes || columns >= u64::from(u32::MAX) {
            return Err(StoreysError::TooMuchMemory {
                columns,
                levels: u64::from(levels),
                needed_bytes,
                limit_bytes,
            });
        }
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    fn empty(size: [u32; 3], limit_bytes: u64) -> Result<Self, StoreysError> {
        let count = Self::word_count(size, limit_bytes)?;
        let ([width, depth, levels], words) = (size, Self::column_words(size[2]));
        Ok(Self { width, depth, levels, words, positive: vec![0; count], negative: vec![0; count] })
    }

    fn set(&mut self, column: usize, low: u32, high: u32, walkable: bool) {
        let bits = if walkable { &mut self.positive } else { &mut self.negative };
        let first = column * self.words as usize;
        for word in low / WORD..=high / WORD {
            let from = low.max(word * WORD) - word * WORD;
            let to = high.min(word * WORD + WORD - 1) - word * WORD;
            bits[first + word as usize] |= (u64::MAX >> (WORD - 1 - (to - from))) << from;
        }
    }

    /// Calls `each` with the first and last level of every run of positive voxels in a column, from
    /// the lowest up.
    pub(crate) fn runs(&self, column: usize, mut each: impl FnMut(u32, u32)) {
        let bits = &self.positive[column * self.words as usize..(column + 1) * self.words as usize];
        let (mut run, mut base) = (None, 0);
        for &word in bits {
            let mut level = 0;
            while level < WORD {
                let rest = if run.is_some() { !word >> level } else { word >> level };
                if rest == 0 {
                    break;
                }
                level += rest.trailing_zeros();
                run = match run {
                    None => Some(base + level),
                    Some(low) => {
                        each(low, base + level - 1);
                        None
                    }
                };
            }
            base += WORD;
        }
        if let Some(low) = run {
            each(low, base - 1);
        }
    }

    /// Returns `true` if all voxels of these levels are empty. Levels above the last one are empty.
    #[must_use]
    pub fn is_empty(&self, column: usize, low: u32, high: u32) -> bool {
        let first = column * self.words as usize;
        (low / WORD..=high / WORD).take_while(|&word| word < self.words).all(|word| {
            let from = low.max(word * WORD) - word * WORD;
            let to = high.min(word * WORD + WORD - 1) - word * WORD;
            let mask = (u64::MAX >> (WORD - 1 - (to - from))) << from;
            let place = first + word as usize;
            (self.positive[place] | self.negative[place]) & mask == 0
        })
    }

    /// Returns `true` if the voxel is positive. A voxel with ground and something else is positive.
    #[must_use]
    pub fn is_positive(&self, x: u32, z: u32, level: u32) -> bool {
        self.bit(&self.positive, x, z, level)
    }

    /// Returns `true` if the voxel holds something, but no walkable ground.
    #[must_use]
    pub fn is_negative(&self, x: u32, z: u32, level: u32) -> bool {
        self.bit(&self.negative, x, z, level) && !self.is_positive(x, z, level)
    }

    fn bit(&self, bits: &[u64], x: u32, z: u32, level: u32) -> bool {
        if x >= self.width || z >= self.depth || level >= self.levels {
            return false;
        }
        let column = z as usize * self.width as usize + x as usize;
        bits[column * self.words as usize + (level / WORD) as usize] >> (level % WORD) & 1 == 1
    }
}

/// Voxelises a scene of `height` metres roughly. A rough cell is [`StoreysConfig::rough_cells`]
/// cells of `frame` wide, and a level [`StoreysConfig::rough_level`] high.
///
/// # Cost
/// Linear in the rough columns that each triangle touches. 16 bytes per column and 64 levels.
///
/// # Errors
/// [`StoreysError::TooMuchMemory`] beyond the allowed memory, and the errors of the source.
pub fn voxelize_roughly(
    source: &dyn TriangleSource,
    frame: &GridFrame,
    height: f32,
    config: &StoreysConfig,
) -> Result<(RoughVoxels, SkippedTriangles), StageError> {
    RoughJob::new(source, frame, height, config)?.run()
}

/// Does the work of [`voxelize_roughly`] on another device, such as a graphics card.
///
/// # Contract
/// The result is that of [`RoughJob::run`], bit for bit.
pub trait RoughDevice {
    /// Does the work of `job`.
    ///
    /// # Errors
    /// Those of [`RoughJob::run`], and a failure of the device for which it has no fallback.
    fn voxelize_roughly(&self, job: &RoughJob<'_>) -> Result<(RoughVoxels, SkippedTriangles), StageError>;

    /// Returns the work of the device so far. Default: empty.
    fn usage(&self) -> DeviceUsage {
        DeviceUsage::default()
    }
}

/// Input of [`voxelize_roughly`] for any device.
pub struct RoughJob<'a> {
    source: &'a dyn TriangleSource,
    placement: Placement,
    /// Rough cells per cell.
    per_cell: f64,
    /// Metres per level.
    level: f64,
    size: [u32; 3],
    limit_bytes: u64,
}

impl std::fmt::Debug for RoughJob<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("RoughJob").field("size", &self.size).finish_non_exhaustive()
    }
}

/// A triangle of a [`RoughJob`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RoughTriangle {
    /// Its corners: rough cells along x, levels, rough cells along z.
    pub corners: [[f64; 3]; 3],
    /// `true` if it is gentle ground of a walkable area.
    pub is_walkable: bool,
}

impl<'a> RoughJob<'a> {
    /// A triangle that extends into a voxel by less than this, in rough cells or levels, may or may
    /// not set it.
    pub const SLACK: f64 = 1e-6;

    /// Creates the job of [`voxelize_roughly`].
    ///
    /// # Errors
    /// [`StoreysError`] for a bad configuration, and for a grid beyond the allowed memory.
    pub fn new(
        source: &'a dyn TriangleSource,
        frame: &GridFrame,
        height: f32,
        config: &StoreysConfig,
    ) -> Result<Self, StageError> {
        let failed = |error: StoreysError| StageError::new("rough voxels", error);
        config.validate().map_err(failed)?;
        let side = config.rough_cells();
        let level = f64::from(config.rough_level());
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "positive; the cast saturates"
        )]
        let levels = (f64::from(height.max(0.0)) / level).floor().min(f64::from(u32::MAX >> 1)) as u32 + 1;
        let size = [frame.width.div_ceil(side), frame.depth.div_ceil(side), levels];
        let limit_bytes = config.max_memory_bytes;
        RoughVoxels::word_count(size, limit_bytes).map_err(failed)?;
        let placement = Placement::new(frame, &Walk::new(config));
        Ok(Self { source, placement, per_cell: f64::from(side).recip(), level, size, limit_bytes })
    }

    /// Returns the columns along x and z, and levels.
    #[must_use]
    pub fn size(&self) -> [u32; 3] {
        self.size
    }

    /// Returns the number of columns.
    #[must_use]
    pub fn column_count(&self) -> u64 {
        u64::from(self.size[0]) * u64::from(self.size[1])
    }

    /// Passes all triangles that have an area to `each`.
    ///
    /// # Errors
    /// Those of `each`, and those of the source.
    pub fn visit(
        &self,
        each: &mut dyn FnMut(RoughTriangle) -> Result<(), StageError>,
    ) -> Result<SkippedTriangles, StageError> {
        let mut skipped = SkippedTriangles::default();
        self.source.visit_with_areas(&mut |triangles, areas| {
            let areas = areas.iter().copied().chain(std::iter::repeat(AreaId::GROUND));
            for (index, (&corners, area)) in triangles.iter().zip(areas).enumerate() {
                checkpoint_every(1 << 6, index);
                let Some((corners, walkable)) = self.placement.triangle(corners) else {
                    if corners.iter().all(|corner| corner.is_finite()) {
                        skipped.degenerate += 1;
                    } else {
                        skipped.not_finite += 1;
                    }
                    continue;
                };
                let corners = corners.map(|[x, y, z]| [x * self.per_cell, y / self.level, z * self.per_cell]);
                each(RoughTriangle { corners, is_walkable: walkable && area.is_walkable() })?;
            }
            Ok(())
        })?;
        Ok(skipped)
    }

    /// Returns the columns along x and z that a triangle touches; one more on either side along x,
    /// which rounding might reach. Also `true` if all of it lies in one row.
    #[must_use]
    pub fn reach(&self, triangle: &RoughTriangle) -> ([Range<u32>; 2], bool) {
        let [width, depth, _] = self.size;
        let piece = Piece::of(triangle);
        let [low, high] = piece.range(0);
        let rows = cells(piece.range(2), depth);
        let is_one = piece.is_in_one_row(&rows, depth);
        ([cells([low - 1.0, high + 1.0], width), rows], is_one)
    }

    /// Does the work on the processor.
    ///
    /// # Errors
    /// Those of the source.
    pub fn run(&self) -> Result<(RoughVoxels, SkippedTriangles), StageError> {
        let failed = |error: StoreysError| StageError::new("rough voxels", error);
        let mut voxels = RoughVoxels::empty(self.size, self.limit_bytes).map_err(failed)?;
        let skipped = self.visit(&mut |triangle| {
            voxels.draw(&triangle);
            Ok(())
        })?;
        Ok((voxels, skipped))
    }

    /// Creates the result from words of positive and negative voxels: 64 levels each, the lowest in
    /// the lowest bit, column by column, row by row.
    ///
    /// # Panics
    /// If the number of words is not that of [`RoughJob::size`].
    #[must_use]
    pub fn finish(&self, positive: Vec<u64>, negative: Vec<u64>) -> RoughVoxels {
        let [width, depth, levels] = self.size;
        let words = RoughVoxels::column_words(levels);
        let count = self.column_count() * u64::from(words);
        assert_eq!((positive.len() as u64, negative.len() as u64), (count, count), "a word per 64 levels");
        RoughVoxels { width, depth, levels, words, positive, negative }
    }
}

/// A triangle clipped by up to four lines: a convex polygon of at most seven corners.
#[derive(Clone, Copy)]
struct Piece {
    corners: [ScenePoint; 8],
    len: usize,
}

impl Piece {
    fn of(triangle: &RoughTriangle) -> Self {
        let [a, b, c] = triangle.corners;
        Self { corners: [a, b, c, a, a, a, a, a], len: 3 }
    }

    /// Returns `true` if it lies in one of the rows that it reaches: then it need not be cut.
    fn is_in_one_row(&self, rows: &Range<u32>, depth: u32) -> bool {
        rows.len() == 1 && is_inside(self.range(2), depth)
    }

    /// Returns the part with `from <= axis <= to`.
    fn slab(&self, axis: usize, from: f64, to: f64) -> Self {
        self.half(axis, 1.0, from).half(axis, -1.0, -to)
    }

    fn half(&self, axis: usize, sign: f64, limit: f64) -> Self {
        let mut out = Self { corners: [[0.0; 3]; 8], len: 0 };
        for index in 0..self.len {
            let next = if index + 1 == self.len { 0 } else { index + 1 };
            let (p, q) = (self.corners[index], self.corners[next]);
            let (dp, dq) = (sign * p[axis] - limit, sign * q[axis] - limit);
            if dp >= 0.0 {
                out.push(p);
            }
            if (dp < 0.0) != (dq < 0.0) {
                let t = (dp / (dp - dq)).clamp(0.0, 1.0);
                out.push([p[0] + (q[0] - p[0]) * t, p[1] + (q[1] - p[1]) * t, p[2] + (q[2] - p[2]) * t]);
            }
        }
        out
    }

    fn push(&mut self, corner: ScenePoint) {
        // Rounding may add a corner that exact arithmetic does not have. Omitting one more does not
        // change a range.
        if self.len < self.corners.len() {
            self.corners[self.len] = corner;
            self.len += 1;
        }
    }

    fn range(&self, axis: usize) -> [f64; 2] {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for corner in &self.corners[..self.len] {
            low = if corner[axis] < low { corner[axis] } else { low };
            high = if corner[axis] > high { corner[axis] } else { high };
        }
        [low, high]
    }
}

/// Returns the cells from `low` to `high`, clipped to the `count` existing cells.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, as meant")]
fn cells([low, high]: [f64; 2], count: u32) -> Range<u32> {
    let first = whole_below(low - SLACK).max(0);
    let last = whole_below(high + SLACK).min(i64::from(count) - 1);
    if first > last { 0..0 } else { first as u32..last as u32 + 1 }
}

/// Returns `true` if the range lies inside the `count` cells.
fn is_inside([low, high]: [f64; 2], count: u32) -> bool {
    low >= 0.0 && high <= f64::from(count)
}

impl RoughVoxels {
    fn draw(&mut self, triangle: &RoughTriangle) {
        let (triangle, walkable) = (Piece::of(triangle), triangle.is_walkable);
        let rows = cells(triangle.range(2), self.depth);
        let is_one = triangle.is_in_one_row(&rows, self.depth);
        for z in rows {
            checkpoint();
            // A piece that lies in one row or column completely need not be cut.
            let row = if is_one {
                triangle
            } else {
                triangle.slab(2, f64::from(z) - SLACK, f64::from(z + 1) + SLACK)
            };
            if row.len == 0 {
                continue;
            }
            let first = z as usize * self.width as usize;
            let columns = cells(row.range(0), self.width);
            let levels = cells(row.range(1), self.levels);
            // A piece within one level needs no cut by columns.
            let is_flat = levels.len() == 1 && is_inside(row.range(1), self.levels);
            let is_narrow = columns.len() == 1 && is_inside(row.range(0), self.width);
            if is_flat || is_narrow {
                for x in columns {
                    if !levels.is_empty() {
                        self.set(first + x as usize, levels.start, levels.end - 1, walkable);
                    }
                }
                continue;
            }
            for x in columns {
                let piece = row.slab(0, f64::from(x) - SLACK, f64::from(x + 1) + SLACK);
                let levels = cells(piece.range(1), self.levels);
                if piece.len > 0 && !levels.is_empty() {
                    self.set(first + x as usize, levels.start, levels.end - 1, walkable);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_go_over_the_ends_of_words() {
        let mut voxels = RoughVoxels::empty([1, 1, 200], 1 << 20).expect("small");
        for (low, high) in [(0, 0), (3, 5), (60, 140), (199, 199)] {
            voxels.set(0, low, high, true);
        }
        voxels.set(0, 150, 160, false);
        let mut runs = Vec::new();
        voxels.runs(0, |low, high| runs.push((low, high)));
        assert_eq!(runs, [(0, 0), (3, 5), (60, 140), (199, 199)]);
        assert!(voxels.is_empty(0, 6, 59) && voxels.is_empty(0, 141, 149) && voxels.is_empty(0, 200, 900));
        assert!(!voxels.is_empty(0, 141, 150) && !voxels.is_empty(0, 5, 9));
        assert!(voxels.is_negative(0, 0, 155) && !voxels.is_negative(0, 0, 61));
    }

    #[test]
    fn a_run_may_end_with_its_word() {
        let mut voxels = RoughVoxels::empty([1, 1, 128], 1 << 20).expect("small");
        voxels.set(0, 10, 63, true);
        voxels.set(0, 127, 127, true);
        let mut runs = Vec::new();
        voxels.runs(0, |low, high| runs.push((low, high)));
        assert_eq!(runs, [(10, 63), (127, 127)]);
    }
}
