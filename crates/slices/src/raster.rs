//! Rasteriser: finds the levels that a triangle reaches in each column.
//!
//! Unlike `crates/voxel`, this finds no ground heights (see `paint.rs`), and a wall on a cell line
//! blocks the cells on both sides. Stage crates never use one another.

use glam::{DVec3, Vec3};
use waymesh_core::lanes::{high, low};
use waymesh_core::{GridFrame, GridWindow, checkpoint, float, triangle_normal};

use crate::slabs::SlabSink;
use crate::spans::NOTHING;

/// A triangle that reaches less than this fraction of a cell into a column adds nothing to it. If
/// it reaches no farther on the other side of the cell line either, it counts as lying on the line.
/// Larger than the rounding of [`GridFrame::fit`] (1e-4).
const PLAN_SLACK: f64 = 2e-4;
/// A height at most this fraction of a level above a level counts as lying on it, because single
/// precision cannot represent lengths such as 0.6 m exactly.
const LEVEL_SLACK: f64 = 1e-4;
/// Largest coordinate in cells or levels. Larger coordinates are clamped to it.
const REACH: f64 = (1_u64 << 30) as f64;
/// Shorter runs have no usable slope, and a cell line inside them does not matter.
const SHORTEST_RUN: f64 = 1e-9;

/// Returns the nearest whole number for sizes up to 2^31: adding 1.5 * 2^52 moves it into the low
/// bits. This is one addition, where the portable instruction set has no instruction for rounding.
#[inline(always)]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the low half of the bits is the result, by construction"
)]
fn nearest(value: f64) -> i32 {
    (value + 6_755_399_441_055_744.0).to_bits() as u32 as i32
}

/// Returns the cell that `x` lies in. On a cell line, this is the upper cell.
#[inline(always)]
fn first_cell(x: f64) -> i32 {
    nearest(x + (PLAN_SLACK - 0.5))
}

/// Returns the cell that `x` lies in. On a cell line, this is the lower cell.
#[inline(always)]
fn last_cell(x: f64) -> i32 {
    nearest(x - (PLAN_SLACK + 0.5))
}

#[inline(always)]
fn bottom_level(height: f64) -> i32 {
    nearest(height + (LEVEL_SLACK - 0.5))
}

#[inline(always)]
pub(crate) fn top_level(height: f64) -> i32 {
    nearest(height + (0.5 - LEVEL_SLACK))
}

/// Lowest and highest value.
type Range = [f64; 2];

const NO_RANGE: Range = [f64::INFINITY, f64::NEG_INFINITY];

#[inline(always)]
fn widen(range: &mut Range, height: f64) {
    *range = [low(range[0], height), high(range[1], height)];
}

#[inline(always)]
fn join(a: Range, b: Range) -> Range {
    [low(a[0], b[0]), high(a[1], b[1])]
}

/// Cells that a triangle reaches: `[x from, x to, z from, z to]`, all inclusive.
pub(crate) type Extent = [i32; 4];

/// Converts world coordinates to the grid in double precision, and decides which triangles are
/// walkable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    origin: DVec3,
    per_cell: f64,
    per_level: f64,
    cos_squared: f64,
}

/// A point in the grid: `[z, x, height]`, so that the order of arrays is the order of rows.
pub(crate) type Corner = [f64; 3];

impl Placement {
    pub(crate) fn new(frame: &GridFrame, max_slope: f32) -> Self {
        let cosine = float::cos(f64::from(max_slope));
        Self {
            origin: frame.origin.as_dvec3(),
            per_cell: f64::from(frame.cell_size).recip(),
            per_level: f64::from(frame.level_height).recip(),
            // The slack keeps a slope of exactly the limit walkable.
            cos_squared: cosine * cosine * (1.0 - 1e-6),
        }
    }

    #[inline]
    pub(crate) fn corner(&self, world: Vec3) -> Corner {
        let bound = |value: f64| high(low(value, REACH), -REACH);
        let offset = world.as_dvec3() - self.origin;
        [bound(offset.z * self.per_cell), bound(offset.x * self.per_cell), bound(offset.y * self.per_level)]
    }

    /// Returns the cells that a triangle may reach into. A triangle along a cell line lies on both
    /// sides of it.
    #[inline]
    pub(crate) fn extent(&self, corners: [Vec3; 3]) -> Extent {
        let least = self.corner(corners[0].min(corners[1]).min(corners[2]));
        let most = self.corner(corners[0].max(corners[1]).max(corners[2]));
        let order = |a: i32, b: i32| [a.min(b), a.max(b)];
        let [x0, x1] = order(first_cell(least[1]), last_cell(most[1]));
        let [z0, z1] = order(first_cell(least[0]), last_cell(most[0]));
        [x0, x1, z0, z1]
    }

    /// Returns `true` if a triangle faces up and is gentle enough to walk on.
    #[inline]
    pub(crate) fn is_walkable(&self, corners: [Vec3; 3]) -> bool {
        let normal = triangle_normal(corners);
        normal.y > 0.0 && normal.y * normal.y >= self.cos_squared * normal.length_squared()
    }
}

/// Heights of one row of cells, kept between triangles.
#[derive(Debug, Default)]
pub(crate) struct RowScratch {
    /// Heights in each cell, from the corners that lie in it.
    cells: Vec<Range>,
    /// Heights along the cell lines of constant x; entry 0 is the line before the first cell.
    lines: Vec<Range>,
}

/// A triangle in the grid. Its corners are sorted by z, x and height, so that the result does not
/// depend on their order in the input.
struct GridTriangle {
    corners: [Corner; 3],
    rows: [i32; 2],
    /// `true` if the whole triangle lies within the slack of a cell line of constant z.
    along_line: bool,
    walkable: bool,
    /// Levels, if they are the same in every cell.
    flat: Option<[i32; 2]>,
}

/// The part of a triangle in one row: a convex polygon of at most five corners `[x, height]`.
struct Cut {
    corners: [[f64; 2]; 5],
    count: usize,
}

impl Cut {
    fn corners(&self) -> &[[f64; 2]] {
        &self.corners[..self.count]
    }
}

/// Adds a triangle to the columns of `window`.
///
/// # Guarantees
/// - Every column that the triangle reaches into by more than a 5000th of a cell gets the levels of
///   its lowest and highest point there, to a 10,000th of a level. A wall on a cell line blocks
///   both sides. A floor that ends on a cell line adds nothing beyond it.
/// - The levels of a column depend neither on the window nor on the order of the corners.
pub(crate) fn fill(
    placement: &Placement,
    corners: [Vec3; 3],
    window: GridWindow,
    scratch: &mut RowScratch,
    slabs: &mut impl SlabSink,
) {
    let walkable = placement.is_walkable(corners);
    let mut corners = corners.map(|corner| placement.corner(corner));
    for (a, b) in [(0, 1), (1, 2), (0, 1)] {
        if corners[b] < corners[a] {
            corners.swap(a, b);
        }
    }
    let heights = corners.iter().fold(NO_RANGE, |range, corner| join(range, [corner[2]; 2]));
    let levels = heights.map(|height| [bottom_level(height), top_level(height)]);
    let (first, last) = (first_cell(corners[0][0]), last_cell(corners[2][0]));
    let triangle = GridTriangle {
        corners,
        rows: [first.min(last), first.max(last)],
        along_line: first > last,
        walkable,
        flat: (levels[0] == levels[1]).then_some(levels[0]),
    };
    let (from, to) = (window.z.cast_signed(), window.end_z().cast_signed() - 1);
    for row in triangle.rows[0].max(from)..=triangle.rows[1].min(to) {
        checkpoint();
        triangle.fill_row(row, window, scratch, slabs);
    }
}

/// Returns the point at `z` on the edge between two corners.
#[inline(always)]
fn at(from: &Corner, to: &Corner, z: f64) -> [f64; 2] {
    let run = to[0] - from[0];
    let part = if run > SHORTEST_RUN { (z - from[0]) / run } else { 0.0 };
    [from[1] + (to[1] - from[1]) * part, from[2] + (to[2] - from[2]) * part]
}

impl GridTriangle {
    /// Returns the part of the triangle in a row. A part that overhangs the first or last row by
    /// less than the slack belongs to that row.
    #[inline(always)]
    fn cut(&self, row: i32) -> Cut {
        let [a, b, c] = &self.corners;
        if self.along_line || self.rows[0] == self.rows[1] {
            let [a, b, c] = self.corners.map(|[_, x, height]| [x, height]);
            return Cut { corners: [a, b, c, c, c], count: 3 };
        }
        let z0 = if row == self.rows[0] { a[0] } else { f64::from(row) };
        let z1 = if row == self.rows[1] { c[0] } else { f64::from(row) + 1.0 };
        let short = |z: f64| if z < b[0] { at(a, b, z) } else { at(b, c, z) };
        let mut cut = Cut { corners: [at(a, c, z0), short(z0), [0.0; 2], [0.0; 2], [0.0; 2]], count: 2 };
        if z0 < b[0] && b[0] < z1 {
            cut.corners[2] = [b[1], b[2]];
            cut.count = 3;
        }
        cut.corners[cut.count] = short(z1);
        cut.corners[cut.count + 1] = at(a, c, z1);
        cut.count += 2;
        cut
    }

    #[inline]
    #[expect(clippy::cast_sign_loss, reason = "clipped to the window")]
    fn fill_row(&self, row: i32, window: GridWindow, scratch: &mut RowScratch, slabs: &mut impl SlabSink) {
        let cut = self.cut(row);
        let mut x = NO_RANGE;
        for corner in cut.corners() {
            widen(&mut x, corner[0]);
        }
        let (from, to) = (first_cell(x[0]), last_cell(x[1]));
        let (window_from, window_to) = (window.x.cast_signed(), window.end_x().cast_signed() - 1);
        let line = (row - window.z.cast_signed()) as usize * window.width as usize;
        let column = |cell: i32| line + (cell - window_from) as usize;
        // A wall along a cell line blocks the cells on both sides.
        let (least, most) = (from.min(to).max(window_from), from.max(to).min(window_to));
        if least > most {
            return;
        }
        if let Some([bottom, top]) = self.flat {
            slabs.add_run(column(least), column(most) + 1, [bottom, top, self.floor(top)]);
        } else if from >= to {
            let mut range = NO_RANGE;
            for corner in cut.corners() {
                widen(&mut range, corner[1]);
            }
            let (bottom, top) = (bottom_level(range[0]), top_level(range[1]));
            slabs.add_run(column(least), column(most) + 1, [bottom, top, self.floor(top)]);
        } else {
            scratch.measure(&cut, [from, to], [least, most]);
            let columns = column(least)..;
            for ((column, cell), lines) in columns.zip(&scratch.cells).zip(scratch.lines.windows(2)) {
                let range = join(*cell, join(lines[0], lines[1]));
                let (bottom, top) = (bottom_level(range[0]), top_level(range[1]));
                slabs.add(column, [bottom, top, self.floor(top)]);
            }
        }
    }

    #[inline(always)]
    fn floor(&self, top: i32) -> i32 {
        if self.walkable { top } else { NOTHING }
    }
}

impl RowScratch {
    /// Measures a convex cut that spans the cells `from..=to`, in the cells `least..=most`. Takes
    /// the heights at the corners in each cell, and where the border crosses the lines between
    /// cells.
    #[inline]
    #[expect(clippy::cast_sign_loss, reason = "within least..=most")]
    fn measure(&mut self, cut: &Cut, [from, to]: [i32; 2], [least, most]: [i32; 2]) {
        let count = (most - least) as usize + 1;
        self.cells.clear();
        self.cells.resize(count, NO_RANGE);
        self.lines.clear();
        self.lines.resize(count + 1, NO_RANGE);
        // The lines at the ends of the cut are not lines between its cells.
        let (first_line, last_line) = (least.max(from + 1), (most + 1).min(to));
        let corners = cut.corners();
        let mut previous = corners[corners.len() - 1];
        for &corner in corners {
            let cell = nearest(corner[0] - 0.5).clamp(from, to);
            if (least..=most).contains(&cell) {
                widen(&mut self.cells[(cell - least) as usize], corner[1]);
            }
            let (a, b) = if previous <= corner { (previous, corner) } else { (corner, previous) };
            previous = corner;
            let run = b[0] - a[0];
            let slope = if run > SHORTEST_RUN { (b[1] - a[1]) / run } else { 0.0 };
            let ends = [low(a[1], b[1]), high(a[1], b[1])];
            let (start, end) =
                (nearest(a[0] + 0.4999).max(first_line), nearest(b[0] - 0.4999).min(last_line));
            if start > end {
                continue;
            }
            for (line, range) in (start..=end).zip(&mut self.lines[(start - least) as usize..]) {
                let height = a[1] + (f64::from(line) - a[0]) * slope;
                widen(range, high(low(height, ends[1]), ends[0]));
            }
        }
    }
}
