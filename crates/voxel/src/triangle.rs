//! A triangle in grid coordinates, and its part in one row of cells.

use glam::{DVec3, Vec3};
use waymesh_core::lanes::{high, low};
use waymesh_core::{AreaId, GridFrame, GridWindow, float};

use crate::fragments::{
    AREA_SHIFT, BLOCKED, COVERS_CENTRE, Flags, FullRun, GENTLE, MOST_GROUND, NO_RANGE, Range, RowFragments,
    UPWARD, WALKABLE, range_of, widen,
};
use crate::rounding::{
    LEVEL_SLACK, LINE_ERROR, PLAN_SLACK, REACH, clamp, first_cell, last_cell, line_after, line_before,
    nearest,
};
/// Returns the flags of an area.
#[inline(always)]
pub(crate) fn area_flags(area: AreaId) -> Flags {
    Flags::from(area.0) << AREA_SHIFT
}

/// Length along an axis below which an edge has no usable slope along it. No relevant cell line
/// lies inside such an edge.
pub(crate) const SHORTEST_RUN: f64 = 1e-9;
/// Number of cells of a row from which completely covered cells are filled from the plane alone.
pub(crate) const WIDE: i32 = 6;

/// Largest distance of a cell's centre outside a triangle at which it counts as inside, in cells.
pub(crate) const CENTRE_SLACK: f64 = 1e-6;
/// Squared share of the vertical component of the normal, about 3e-5, below which it is a rounding
/// error of a wall.
pub(crate) const LEAST_UPWARD: f64 = 1e-9;

/// The transformation of world coordinates to grid coordinates, in double precision: the coordinate
/// along an axis is `(world - origin) * per_cell` (heights: `per_level`), clamped to 2^30 on both
/// sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridNumbers {
    /// Origin of the whole grid in metres.
    pub origin: [f64; 3],
    /// Cells per metre.
    pub per_cell: f64,
    /// Levels per metre.
    pub per_level: f64,
    /// Levels per cell of a slope of one metre per metre.
    pub slope_scale: f64,
    /// Smallest squared vertical component of the unit normal of a triangle that is gentle enough
    /// to walk on.
    pub cos_squared: f64,
    /// Last column and last row of the whole grid.
    pub last_of_all: [i32; 2],
}

impl GridNumbers {
    /// Fraction of a cell by which a triangle must reach into a column to have an effect.
    pub const PLAN_SLACK: f64 = PLAN_SLACK;
    /// Fraction of a level above a level line within which a height counts as on the line.
    pub const LEVEL_SLACK: f64 = LEVEL_SLACK;
    /// Largest error of a cell line.
    pub const LINE_ERROR: f64 = LINE_ERROR;
    /// Largest distance of a cell's centre outside a triangle at which it counts as inside, in
    /// cells.
    pub const CENTRE_SLACK: f64 = CENTRE_SLACK;
    /// Largest coordinate in cells or levels.
    pub const REACH: f64 = REACH;
    /// Largest ground in steps of a level.
    pub const MOST_GROUND: f64 = MOST_GROUND;
    /// Length along an axis below which an edge has no usable slope along it.
    pub const SHORTEST_RUN: f64 = SHORTEST_RUN;
    /// Squared share of the vertical component of the normal up to which a triangle is vertical.
    pub const LEAST_UPWARD: f64 = LEAST_UPWARD;
    /// Number of cells of a row from which completely covered cells are filled from the plane
    /// alone.
    pub const WIDE: i32 = WIDE;
}

/// Transforms world coordinates into grid coordinates, in double precision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GridTransform {
    pub(crate) numbers: GridNumbers,
    /// The requested columns, numbered in the whole grid.
    pub(crate) first_cell: i32,
    pub(crate) end_cell: i32,
    pub(crate) first_row: i32,
    pub(crate) end_row: i32,
}

impl GridTransform {
    /// Returns the transformation of the whole grid `frame`: coordinates are the same for every
    /// window.
    pub(crate) fn new(frame: &GridFrame, window: GridWindow, max_slope: f32) -> Self {
        let number = |column: u32| i32::try_from(column).unwrap_or(i32::MAX);
        let (cell, level) = (f64::from(frame.cell_size), f64::from(frame.level_height));
        let cosine = float::cos(f64::from(max_slope));
        let numbers = GridNumbers {
            origin: frame.origin.as_dvec3().to_array(),
            per_cell: cell.recip(),
            per_level: level.recip(),
            slope_scale: cell / level,
            // The slack keeps a slope of exactly the limit walkable.
            cos_squared: cosine * cosine * (1.0 - 1e-6),
            last_of_all: [frame.width, frame.depth].map(|count| number(count) - 1),
        };
        let (first_cell, end_cell) = (number(window.x), number(window.end_x()));
        let (first_row, end_row) = (number(window.z), number(window.end_z()));
        Self { numbers, first_cell, end_cell, first_row, end_row }
    }

    #[inline]
    pub(crate) fn z(&self, world: impl Into<f64>) -> f64 {
        clamp((world.into() - self.numbers.origin[2]) * self.numbers.per_cell, -REACH, REACH)
    }

    #[inline]
    pub(crate) fn x(&self, world: impl Into<f64>) -> f64 {
        clamp((world.into() - self.numbers.origin[0]) * self.numbers.per_cell, -REACH, REACH)
    }

    #[inline]
    pub(crate) fn height(&self, world: f32) -> f64 {
        clamp((f64::from(world) - self.numbers.origin[1]) * self.numbers.per_level, -REACH, REACH)
    }

    /// Converts a length in plan to cells.
    pub(crate) fn cells_of(&self, metres: f32) -> f64 {
        f64::from(metres) * self.numbers.per_cell
    }

    /// Returns the first and last row that the triangle reaches into, not clipped. A wall along a
    /// cell line lies in the row behind it.
    #[inline]
    pub(crate) fn rows(&self, corners: [Vec3; 3]) -> [i32; 2] {
        let [a, b, c] = corners.map(|corner| corner.z);
        let (least, most) = (low(low(a, b), c), high(high(a, b), c));
        let (first, last) = (first_cell(self.z(least)), last_cell(self.z(most)));
        behind(first, last, self.numbers.last_of_all[1], || side(normal(corners))[1])
    }

    /// Returns the first and last column that the triangle reaches into. See [`Self::rows`].
    #[inline]
    pub(crate) fn cells(&self, corners: [Vec3; 3]) -> [i32; 2] {
        let [a, b, c] = corners.map(|corner| corner.x);
        let (least, most) = (low(low(a, b), c), high(high(a, b), c));
        let (first, last) = (first_cell(self.x(least)), last_cell(self.x(most)));
        behind(first, last, self.numbers.last_of_all[0], || side(normal(corners))[0])
    }
}

#[inline]
pub(crate) fn ordered(a: i32, b: i32) -> [i32; 2] {
    if a <= b { [a, b] } else { [b, a] }
}

/// Returns the first and last cell of a triangle that reaches from `first` to `last`. If it lies
/// along the line between two cells (`first > last`), the result is only the cell behind it, where
/// the solid is; the one in front if the one behind is outside the grid; both if the triangle faces
/// neither side.
#[inline(always)]
fn behind(first: i32, last: i32, last_of_all: i32, side: impl FnOnce() -> f64) -> [i32; 2] {
    if first <= last {
        return [first, last];
    }
    let side = side();
    if side == 0.0 {
        return [last, first];
    }
    // `last` is the lower of the two cells.
    let cell = if (side > 0.0 && last >= 0) || first > last_of_all { last } else { first };
    [cell, cell]
}

#[inline(always)]
fn normal(corners: [Vec3; 3]) -> DVec3 {
    let [a, b, c] = corners.map(Vec3::as_dvec3);
    (b - a).cross(c - a)
}

/// Returns the direction that a wall faces along x and z; zero for a triangle that faces up or
/// down.
#[inline(always)]
fn side(normal: DVec3) -> [f64; 2] {
    [normal.x, normal.z].map(|along| if along.abs() > normal.y.abs() { along } else { 0.0 })
}

/// A point of a triangle: x in cells, height in levels.
#[derive(Clone, Copy, Debug, Default)]
struct Point {
    x: f64,
    height: f64,
}

/// The points where a line of constant z crosses the triangle: on its longest edge (along z), and
/// on the two others.
#[derive(Clone, Copy, Debug, Default)]
struct Section {
    long: Point,
    short: Point,
}

/// An edge as a function of z: x and height there; or of x: z and height.
#[derive(Clone, Copy, Debug, Default)]
struct Edge {
    start: f64,
    other: f64,
    height: f64,
    other_slope: f64,
    height_slope: f64,
}

impl Edge {
    /// Returns the edge between points `[start, other, height]`, the first not after the second.
    #[inline(always)]
    fn new(from: [f64; 3], to: [f64; 3]) -> Self {
        let run = to[0] - from[0];
        let per_run = if run > SHORTEST_RUN { run.recip() } else { 0.0 };
        Self {
            start: from[0],
            other: from[1],
            height: from[2],
            other_slope: (to[1] - from[1]) * per_run,
            height_slope: (to[2] - from[2]) * per_run,
        }
    }

    #[inline(always)]
    fn at(&self, position: f64) -> [f64; 2] {
        let run = position - self.start;
        [self.other + self.other_slope * run, self.height + self.height_slope * run]
    }

    #[inline(always)]
    fn point_at(&self, z: f64) -> Point {
        let [x, height] = self.at(z);
        Point { x, height }
    }
}

/// A triangle in grid coordinates, ready to be cut into rows.
///
/// In the row between two cell lines of constant z the triangle is a convex polygon of at most five
/// corners: two on each of its sections along the lines (or a corner where it begins or ends inside
/// the row), and its middle corner. In a cell of the row, the lowest and highest point are among
/// the polygon's corners in the cell and the two points where each adjacent cell line of constant x
/// crosses the polygon's border.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GridTriangle {
    /// Rows that the triangle reaches into: those of its lowest and highest corner along z.
    first: i32,
    pub(crate) last: i32,
    flags: Flags,
    /// `true` if the longest edge (along z) is the one towards smaller x.
    long_is_left: bool,
    has_plane: bool,
    /// Result of [`side`] along x, and the last column of cells of the whole grid.
    side: f64,
    last_of_all: i32,
    /// `true` if it lies along a cell line of constant z, completely within the slack: then all of
    /// it counts in each of its rows.
    along_line: bool,
    /// Corner of the largest z.
    end: Point,
    end_z: f64,
    /// Edges as functions of z: from the first corner to the last one, from the first to the middle
    /// one, and from the middle one to the last.
    long: Edge,
    short: [Edge; 2],
    /// The edges `long` and `short` as functions of x, with the corners in order of x.
    long_x: Edge,
    short_x: [Edge; 2],
    /// Height gradient per cell. Zero if the triangle is vertical; the reference height is then its
    /// highest one.
    gradient: [f64; 2],
    reference: f64,
    heights: [f64; 2],
    /// Section at the lower line of the next row, unless the triangle begins in that row.
    section: Section,
}

/// Returns three corners in order of their first coordinate.
#[inline(always)]
fn sorted(mut corners: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    for (a, b) in [(0, 1), (1, 2), (0, 1)] {
        if corners[a][0] > corners[b][0] {
            corners.swap(a, b);
        }
    }
    corners
}

impl GridTriangle {
    /// Prepares a triangle for the rows from `from_row` on.
    #[inline]
    pub(crate) fn new(corners: [Vec3; 3], grid: &GridTransform, rows: [i32; 2], from_row: i32) -> Self {
        let normal = normal(corners);
        let (flags, gradient) = facing(normal, grid);
        // By z, as `[z, x, height]`, and by x, as `[x, z, height]`.
        let by_z = corners.map(|c| [grid.z(c.z), grid.x(c.x), grid.height(c.y)]);
        let by_x = sorted(by_z.map(|[z, x, height]| [x, z, height]));
        let [a, b, c] = sorted(by_z);
        let turn = (b[1] - a[1]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[1] - a[1]);
        let heights = [low(a[2], low(b[2], c[2])), high(a[2], high(b[2], c[2]))];
        let mut triangle = Self {
            first: rows[0],
            last: rows[1],
            flags,
            long_is_left: turn > 0.0,
            has_plane: gradient.is_some(),
            side: side(normal)[0],
            last_of_all: grid.numbers.last_of_all[0],
            along_line: first_cell(a[0]) > last_cell(c[0]),
            end: Point { x: c[1], height: c[2] },
            end_z: c[0],
            long: Edge::new(a, c),
            short: [Edge::new(a, b), Edge::new(b, c)],
            long_x: Edge::new(by_x[0], by_x[2]),
            short_x: [Edge::new(by_x[0], by_x[1]), Edge::new(by_x[1], by_x[2])],
            gradient: gradient.unwrap_or_default(),
            reference: if gradient.is_some() { a[2] } else { heights[1] },
            heights,
            section: Section::default(),
        };
        triangle.section = if from_row > rows[0] {
            triangle.section_at(f64::from(from_row))
        } else {
            triangle.first_section()
        };
        triangle
    }

    /// Returns the triangle with an area.
    #[inline]
    pub(crate) fn of_area(mut self, area: AreaId) -> Self {
        if area.is_walkable() {
            self.flags |= area_flags(area);
        } else {
            self.flags = self.flags & !WALKABLE | BLOCKED;
        }
        self
    }

    /// Returns the triangle without the walkable flag.
    pub(crate) fn unwalkable(mut self) -> Self {
        self.flags &= !WALKABLE;
        self
    }

    /// Returns `true` if the triangle is vertical.
    pub(crate) fn is_vertical(&self) -> bool {
        !self.has_plane
    }

    #[inline(always)]
    fn section_at(&self, z: f64) -> Section {
        let short = &self.short[usize::from(z + SHORTEST_RUN >= self.short[1].start)];
        Section { long: self.long.point_at(z), short: short.point_at(z) }
    }

    /// Returns the section at the first corner: the corner alone, or an edge along x.
    #[inline(always)]
    fn first_section(&self) -> Section {
        let start = Point { x: self.long.other, height: self.long.height };
        Section {
            long: start,
            short: if self.long.start < self.short[1].start { start } else { self.middle() },
        }
    }

    #[inline(always)]
    fn middle(&self) -> Point {
        Point { x: self.short[1].other, height: self.short[1].height }
    }

    /// Returns the height of the triangle's plane at a point.
    #[inline(always)]
    fn plane(&self, x: f64, z: f64) -> f64 {
        self.reference + self.gradient[0] * (x - self.long.other) + self.gradient[1] * (z - self.long.start)
    }

    /// Returns the heights at which the line of constant `x` enters and leaves the row's polygon.
    #[inline(always)]
    fn crossing(&self, x: i32, z: [f64; 2]) -> Range {
        let x = f64::from(x);
        let short = &self.short_x[usize::from(x >= self.short_x[1].start)];
        let cut = |[at_z, height]: [f64; 2]| {
            let height = height + self.gradient[1] * (clamp(at_z, z[0], z[1]) - at_z);
            range_of(clamp(height, self.heights[0], self.heights[1]))
        };
        widen(cut(self.long_x.at(x)), cut(short.at(x)))
    }

    /// Cuts the row at `row` into cells and adds a fragment for each cell. Rows must be filled in
    /// order.
    pub(crate) fn fill_row<const AREAS: bool>(&mut self, row: i32, out: &mut RowFragments<AREAS>) {
        let line = f64::from(row);
        // Both values are computed and one is selected, because a branch on whether a triangle ends
        // in a row is mispredicted.
        let begins = (row <= self.first) | self.along_line;
        let ends = (row >= self.last) | self.along_line;
        let above = if ends {
            Section {
                long: self.end,
                short: if self.short[1].start < self.end_z { self.end } else { self.middle() },
            }
        } else {
            self.section_at(line + 1.0)
        };
        let below = if self.along_line { self.first_section() } else { self.section };
        self.section = above;
        // A triangle may begin before its first row and end after its last, by less than the slack.
        let z_range =
            [if begins { self.long.start } else { line }, if ends { self.end_z } else { line + 1.0 }];
        let middle_z = self.short[1].start;
        let has_middle = (begins | (line < middle_z)) & (ends | (middle_z < line + 1.0));
        let middle = if has_middle { self.middle() } else { above.short };

        let least = low(low(below.long.x, below.short.x), low(above.long.x, above.short.x));
        let most = high(high(below.long.x, below.short.x), high(above.long.x, above.short.x));
        let (from, to) = (first_cell(low(least, middle.x)), last_cell(high(most, middle.x)));
        let corners = [below.long, below.short, middle, above.short, above.long];
        let cut =
            RowCut { row, z_range, corners, covered: self.covered_centres(line + 0.5), cells: [from, to] };
        if from.max(to) < out.first_cell() || from.min(to) > out.last_cell() {
            return;
        }
        if from == to {
            let range = corners.iter().fold(NO_RANGE, |range, corner| widen(range, range_of(corner.height)));
            let centre = self.plane(f64::from(from) + 0.5, line + 0.5);
            out.add(from, range, centre, self.flags | cut.covers(from));
            return;
        }
        if from > to {
            let [first, last] = behind(from, to, self.last_of_all, || self.side);
            for cell in first..=last {
                self.fill_cells(&RowCut { cells: [cell, cell], ..cut }, [cell, cell], out);
            }
            return;
        }
        // Cells that the polygon covers completely: between its left and right sides, if it fills
        // the row along z. For fewer cells the branches cost more than they save.
        if to.saturating_sub(from) >= WIDE && self.has_plane && z_range[0] <= line && z_range[1] >= line + 1.0
        {
            let inner = |a: Point, b: Point, c: Point, d: Point| {
                (line_after(high(a.x, b.x)).max(from), line_before(low(c.x, d.x)).min(to + 1))
            };
            let (full_from, full_to) = if self.long_is_left {
                inner(below.long, above.long, below.short, above.short)
            } else {
                inner(below.short, above.short, below.long, above.long)
            };
            if full_to > full_from {
                let (run_from, run_to) = (full_from.max(out.first_cell()), full_to.min(out.last_cell() + 1));
                self.fill_cells(&cut, [from, full_from - 1], out);
                if run_from < run_to {
                    // All parts of the run start at the same cell.
                    let start = f64::from(full_from);
                    let run = FullRun { start, corner: self.plane(start, line), gradient: self.gradient };
                    out.add_full(run_from..run_to, &run, self.flags | COVERS_CENTRE);
                }
                self.fill_cells(&cut, [full_to, to], out);
                return;
            }
        }
        self.fill_cells(&cut, [from, to], out);
    }

    /// Adds a fragment for each of the cells `[first, last]`, which the polygon covers partly.
    #[inline(never)]
    #[expect(clippy::cast_sign_loss, reason = "clipped to the row")]
    fn fill_cells<const AREAS: bool>(&self, cut: &RowCut, cells: [i32; 2], out: &mut RowFragments<AREAS>) {
        let [from, to] = cut.cells;
        let (first, last) = (cells[0].max(out.first_cell()), cells[1].min(out.last_cell()));
        if first > last {
            return;
        }
        // One cell of padding on each side receives the corners in other cells.
        let ranges = out.ranges((last - first) as usize + 3);
        let (least, most) = (from.max(first - 1), to.min(last + 1));
        for corner in &cut.corners {
            let cell = line_before(corner.x).max(least).min(most);
            let range = &mut ranges[(cell - first + 1) as usize];
            *range = widen(*range, range_of(corner.height));
        }
        let mut before = if first > from { self.crossing(first, cut.z_range) } else { NO_RANGE };
        // Computed from the row's first cell and not incrementally, so that clipping does not
        // change the result.
        let start = self.plane(f64::from(from) + 0.5, f64::from(cut.row) + 0.5);
        let mut along = f64::from(first) - f64::from(from);
        for cell in first..=last {
            let after = if cell < to { self.crossing(cell + 1, cut.z_range) } else { NO_RANGE };
            let range = widen(out.range((cell - first + 1) as usize), widen(before, after));
            let centre = start + self.gradient[0] * along;
            along += 1.0;
            out.add(cell, range, centre, self.flags | cut.covers(cell));
            before = after;
        }
    }

    /// Returns the first and last cell of a row whose centre lies in the triangle or on its border;
    /// empty if first > last.
    #[inline(always)]
    fn covered_centres(&self, z: f64) -> [i32; 2] {
        // Only gentle fragments use this flag.
        if self.flags & GENTLE == 0 {
            return [1, 0];
        }
        let outside = (z < self.long.start) | (z > self.end_z);
        let section = self.section_at(z);
        let (left, right) = (low(section.long.x, section.short.x), high(section.long.x, section.short.x));
        // `x + 0.5 >= left` for whole x; the slack keeps a centre on an edge that two triangles share.
        [nearest(left - CENTRE_SLACK), [nearest(right + CENTRE_SLACK) - 1, i32::MIN][usize::from(outside)]]
    }
}

impl RowCut {
    #[inline(always)]
    fn covers(&self, cell: i32) -> Flags {
        COVERS_CENTRE * (Flags::from(cell >= self.covered[0]) & Flags::from(cell <= self.covered[1]))
    }
}

/// A triangle's polygon in one row.
#[derive(Clone, Copy, Debug)]
struct RowCut {
    row: i32,
    /// The range of the triangle along z in the row.
    z_range: [f64; 2],
    /// Corners of the polygon, possibly with duplicates.
    corners: [Point; 5],
    /// First and last cell whose centre the polygon covers.
    covered: [i32; 2],
    /// First and last cell that the polygon reaches into.
    cells: [i32; 2],
}

/// Returns the flags for the direction that a triangle faces, and its height gradient in levels per
/// cell along x and z unless it is vertical.
#[inline]
fn facing(normal: DVec3, grid: &GridTransform) -> (Flags, Option<[f64; 2]>) {
    let (up, all) = (normal.y * normal.y, normal.length_squared());
    if up <= LEAST_UPWARD * all {
        return (0, None);
    }
    let mut flags = 0;
    if normal.y > 0.0 {
        flags |= UPWARD;
        if up >= grid.numbers.cos_squared * all {
            flags |= GENTLE | WALKABLE;
        }
    }
    let scale = -grid.numbers.slope_scale / normal.y;
    let gradient = [normal.x * scale, normal.z * scale];
    (flags, (gradient[0].is_finite() && gradient[1].is_finite()).then_some(gradient))
}
