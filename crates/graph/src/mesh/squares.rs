//! Uniform grid over the plan: each square lists the polygons that touch it, so that a position
//! finds its polygons without a search.
//!
//! The tree of boxes finds the nearest of any polygons; most requested positions lie over a
//! polygon, which is in the list of their square.

use waymesh_core::{checkpoint, float, saturating_u32, threads, to_u32};

use super::bounds::PolygonBounds;
use super::fans::WalkEdge;
use super::table::Table;
use crate::geometry::plan::{PlanPosition, sure_above};

/// Squares per polygon, by the area of polygons: the grid stays small, and usually one or two
/// polygons touch a square.
const SQUARES: f64 = 2.0;

/// A square that more polygons touch is of no use.
const BUCKET_LIMIT: usize = 24;

/// Squares and entries a polygon at most: 4 bytes each.
const MAX_ENTRIES_PER_POLYGON: f64 = 12.0;

/// Polygons whose squares one thread finds in a row.
const POLYGONS_PER_TASK: usize = 4096;

/// Layout of the squares: the low corner, and a side that is a power of two, so that points of the
/// lattice are sorted exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Squares {
    pub(crate) min: [i32; 2],
    pub(crate) side_log2: u32,
    pub(crate) columns: u32,
    pub(crate) rows: u32,
}

impl Squares {
    /// Squares of this side that cover a box.
    fn over(all: &PolygonBounds, side_log2: u32) -> Self {
        let side = power_of_two(side_log2);
        let number = |from: i32, to: i32| saturating_u32((f64::from(to) - f64::from(from)) / side) + 1;
        let (columns, rows) = (number(all.min_x, all.max_x), number(all.min_z, all.max_z));
        Self { min: [all.min_x, all.min_z], side_log2, columns, rows }
    }
}

/// Squares of the plan with the polygons that touch them, border included.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Buckets {
    squares: Squares,
    min_x: f64,
    min_z: f64,
    /// One by the side of a square.
    scale: f64,
    /// Width of all squares together.
    width: f64,
    depth: f64,
    sure_area: f64,
    /// First entry of each square, row by row, and the number of entries at the end.
    first: Table<u32>,
    polygons: Table<u32>,
}

impl Buckets {
    /// Takes linear time.
    pub(crate) fn build(bounds: &[PolygonBounds], polygon_first: &[u32], edges: &[WalkEdge]) -> Self {
        let outline =
            |polygon: usize| &edges[polygon_first[polygon] as usize..polygon_first[polygon + 1] as usize];
        let (squares, [first, polygons]) = lists(bounds, outline);
        Self { first: first.into(), polygons: polygons.into(), ..Self::of(squares) }
    }

    /// Builds the grid from its tables.
    pub(crate) fn from_tables(squares: Squares, first: Table<u32>, polygons: Table<u32>) -> Self {
        Self { first, polygons, ..Self::of(squares) }
    }

    pub(crate) fn squares(&self) -> Squares {
        self.squares
    }

    /// First entry of each square, and the entries.
    pub(crate) fn tables(&self) -> [&Table<u32>; 2] {
        [&self.first, &self.polygons]
    }

    /// Squares that no polygon touches yet.
    fn of(squares: Squares) -> Self {
        let Squares { min, side_log2, columns, rows } = squares;
        let side = power_of_two(side_log2);
        let (width, depth) = (side * f64::from(columns), side * f64::from(rows));
        Self {
            squares,
            min_x: f64::from(min[0]),
            min_z: f64::from(min[1]),
            scale: 1.0 / side,
            width,
            depth,
            sure_area: sure_above(2.0 * width * depth),
            first: Table::default(),
            polygons: Table::default(),
        }
    }

    /// No squares, over as much of the plan as a box: for a mesh whose polygons are found otherwise.
    pub(crate) fn none_over(all: &PolygonBounds) -> Self {
        let over = Self::of(Squares::over(all, 4));
        Self { squares: Squares::default(), ..over }
    }

    /// Squares that boxes touch, summed up.
    fn touched(&self, bounds: &[PolygonBounds]) -> f64 {
        let sizes = bounds.iter().map(|bounds| {
            let [[x0, x1], [z0, z1]] = self.range(bounds);
            f64::from(x1 - x0 + 1) * f64::from(z1 - z0 + 1)
        });
        sizes.sum()
    }

    /// Columns and rows of a box, first and last. A place between two squares belongs to the
    /// second.
    #[inline]
    fn range(&self, bounds: &PolygonBounds) -> [[u32; 2]; 2] {
        let place = |value: i32, from: f64| saturating_u32((f64::from(value) - from) * self.scale);
        [
            [place(bounds.min_x, self.min_x), place(bounds.max_x, self.min_x)],
            [place(bounds.min_z, self.min_z), place(bounds.max_z, self.min_z)],
        ]
    }

    /// Calls `visit` for the squares that a polygon touches. `slanted` is memory for its lines.
    fn touch(
        &self,
        polygon: &[WalkEdge],
        bounds: &PolygonBounds,
        slanted: &mut Vec<Line>,
        mut visit: impl FnMut(u32),
    ) {
        let [[x0, x1], [z0, z1]] = self.range(bounds);
        slanted.clear();
        if x0 != x1 || z0 != z1 {
            slanted.extend(lines(polygon).filter(Line::is_slanted));
        }
        let side = 1.0 / self.scale;
        for row in z0..=z1 {
            for column in x0..=x1 {
                let (x, z) = (self.min_x + f64::from(column) * side, self.min_z + f64::from(row) * side);
                if slanted.iter().all(|line| line.touches([x, z], side)) {
                    visit(row * self.squares.columns + column);
                }
            }
        }
    }

    /// Returns `true` if a place lies over the squares, which are as wide and deep as the mesh, or
    /// a little more.
    #[inline]
    pub(crate) fn spans(&self, at: PlanPosition) -> bool {
        let (x, z) = (at.x - self.min_x, at.z - self.min_z);
        (x >= 0.0) & (z >= 0.0) & (x <= self.width) & (z <= self.depth)
    }

    /// Returns what the products of such a cross product with the path between two places of the
    /// mesh can be together.
    #[inline]
    pub(crate) fn largest_product(&self, direction: (f64, f64)) -> f64 {
        direction.0.abs() * self.depth + direction.1.abs() * self.width
    }

    /// Returns the bound of [`sure_above`] for the triangle between a place of the mesh and an edge.
    #[inline]
    pub(crate) fn sure_area(&self) -> f64 {
        self.sure_area
    }

    /// The squares with their lists.
    #[inline]
    pub(crate) fn lists(&self) -> SquareLists<'_> {
        let Squares { columns, rows, .. } = self.squares;
        let (first, polygons) = (&self.first, &self.polygons);
        SquareLists { min: [self.min_x, self.min_z], scale: self.scale, columns, rows, first, polygons }
    }
}

/// Squares of the plan with the polygons that touch each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SquareLists<'a> {
    min: [f64; 2],
    /// One by the side of a square.
    scale: f64,
    columns: u32,
    rows: u32,
    /// First entry of each square, and the number of entries at the end.
    first: &'a [u32],
    polygons: &'a [u32],
}

impl<'a> SquareLists<'a> {
    #[inline]
    pub(crate) fn of(squares: &Squares, first: &'a [u32], polygons: &'a [u32]) -> Self {
        let Squares { min, side_log2, columns, rows } = *squares;
        let scale = 1.0 / power_of_two(side_log2);
        Self { min: min.map(f64::from), scale, columns, rows, first, polygons }
    }

    /// Returns the polygons that touch the square of a place, in ascending order. `None` where
    /// there are no squares, or too many polygons.
    #[inline]
    pub(crate) fn at(&self, at: PlanPosition) -> Option<&'a [u32]> {
        let (x, z) = ((at.x - self.min[0]) * self.scale, (at.z - self.min[1]) * self.scale);
        // Also false for what is not a number.
        let is_inside = x >= 0.0 && z >= 0.0 && x < f64::from(self.columns) && z < f64::from(self.rows);
        if is_inside { self.list(saturating_u32(x), saturating_u32(z)) } else { None }
    }

    /// Returns the lists of the squares within reach of a place, four at most: no other polygon is
    /// that near. `None` if the reach covers more squares.
    #[inline]
    pub(crate) fn around(&self, at: PlanPosition, reach: f64) -> Option<[&'a [u32]; 4]> {
        let range = |at: f64, from: f64, count: u32| {
            let place =
                |value: f64| saturating_u32(((value - from) * self.scale).clamp(0.0, f64::from(count - 1)));
            [place(at - reach), place(at + reach)]
        };
        let ([x0, x1], [z0, z1]) =
            (range(at.x, self.min[0], self.columns), range(at.z, self.min[1], self.rows));
        if x1 - x0 > 1 || z1 - z0 > 1 {
            return None;
        }
        let mut lists: [&[u32]; 4] = [self.list(x0, z0)?, &[], &[], &[]];
        if x1 > x0 {
            lists[1] = self.list(x1, z0)?;
        }
        if z1 > z0 {
            lists[2] = self.list(x0, z1)?;
            if x1 > x0 {
                lists[3] = self.list(x1, z1)?;
            }
        }
        Some(lists)
    }

    #[inline]
    fn list(&self, column: u32, row: u32) -> Option<&'a [u32]> {
        let square = (row * self.columns + column) as usize;
        let list = &self.polygons[self.first[square] as usize..self.first[square + 1] as usize];
        (list.len() <= BUCKET_LIMIT).then_some(list)
    }
}

/// Returns squares over polygons, the first entry of each square, row by row, with the number of
/// entries at the end, and the entries: the places of the polygons that touch it. Linear time.
pub(crate) fn lists<'a>(
    bounds: &[PolygonBounds],
    outline: impl Fn(usize) -> &'a [WalkEdge] + Sync,
) -> (Squares, [Vec<u32>; 2]) {
    let mut all = PolygonBounds::EMPTY;
    bounds.iter().for_each(|bounds| all.include(bounds));
    if bounds.is_empty() {
        return Default::default();
    }
    let area: f64 = (0..bounds.len()).map(|polygon| doubled_area(outline(polygon)) / 2.0).sum();
    let count = bounds.len() as f64;
    // The power of two nearest to the root.
    let mut side_log2 = 0;
    while 2.0 * power_of_two(2 * side_log2) * count * SQUARES < area {
        side_log2 += 1;
    }
    let most = count * MAX_ENTRIES_PER_POLYGON + 64.0;
    let mut buckets = Buckets::of(Squares::over(&all, side_log2));
    while f64::from(buckets.squares.columns) * f64::from(buckets.squares.rows) > most
        || buckets.touched(bounds) > most
    {
        side_log2 += 1;
        buckets = Buckets::of(Squares::over(&all, side_log2));
    }
    let portions =
        threads::map_with(0..bounds.len().div_ceil(POLYGONS_PER_TASK), |slanted: &mut Vec<Line>, portion| {
            checkpoint();
            let polygons = portion * POLYGONS_PER_TASK..bounds.len().min((portion + 1) * POLYGONS_PER_TASK);
            let mut found = Vec::with_capacity(4 * polygons.len());
            for polygon in polygons {
                buckets.touch(outline(polygon), &bounds[polygon], slanted, |square| {
                    found.push((square, to_u32(polygon)));
                });
            }
            found
        });
    let found = || portions.iter().flatten();
    let mut first = vec![0; (buckets.squares.columns * buckets.squares.rows + 2) as usize];
    for &(square, _) in found() {
        first[square as usize + 2] += 1;
    }
    for square in 2..first.len() {
        first[square] += first[square - 1];
    }
    let mut polygons = vec![0; portions.iter().map(Vec::len).sum()];
    for &(square, polygon) in found() {
        let place = &mut first[square as usize + 1];
        polygons[*place as usize] = polygon;
        *place += 1;
    }
    first.pop();
    (buckets.squares, [first, polygons])
}

pub(crate) fn power_of_two(exponent: u32) -> f64 {
    float::power_of_two(exponent.min(64).cast_signed())
}

/// Twice the area of a polygon.
fn doubled_area(polygon: &[WalkEdge]) -> f64 {
    let origin = polygon[0].start();
    let pairs = polygon.windows(2).map(|pair| {
        let (a, b) = (pair[0].start(), pair[1].start());
        (a.x - origin.x) * (b.z - origin.z) - (a.z - origin.z) * (b.x - origin.x)
    });
    pairs.sum()
}

/// The line of an edge of a polygon, from its start.
#[derive(Clone, Copy, Debug)]
struct Line {
    start: PlanPosition,
    along: [f64; 2],
}

/// The lines of a polygon's edges.
fn lines(polygon: &[WalkEdge]) -> impl Iterator<Item = Line> + '_ {
    let mut start = polygon[polygon.len() - 1].start();
    polygon.iter().map(move |edge| {
        let end = edge.start();
        let line = Line { start, along: [end.x - start.x, end.z - start.z] };
        start = end;
        line
    })
}

impl Line {
    /// `false` for the sides of the polygon's box.
    fn is_slanted(&self) -> bool {
        self.along[0] != 0.0 && self.along[1] != 0.0
    }

    /// `true` if a square whose low corner this is has a part on the polygon's side. With all
    /// slanted lines of a polygon, and for squares that its box touches: never `false` for one that
    /// the polygon touches.
    fn touches(&self, [x, z]: [f64; 2], side: f64) -> bool {
        let [ex, ez] = self.along;
        // The corner of the square that lies farthest on the polygon's side.
        let far_x = if ez > 0.0 { x } else { x + side };
        let far_z = if ex > 0.0 { z + side } else { z };
        let (left, right) = (ex * (far_z - self.start.z), ez * (far_x - self.start.x));
        left - right >= -1e-15 * (left.abs() + right.abs())
    }
}
