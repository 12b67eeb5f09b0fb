//! Spatial index of a mesh of tiles: a cell for each row and column of tiles, with a separate tree
//! of boxes and grid of squares, so that a changed tile changes its cell alone.

use super::slabs::Slab;
use crate::geometry::plan::PlanPosition;
use crate::mesh::bounds::PolygonBounds;
use crate::mesh::box_index::{Node, RoughTarget, Target, Tree, node_levels};
use crate::mesh::squares::{SquareLists, Squares};
use crate::mesh::table::Table;
use waymesh_core::saturating_u32;

/// Cells of a side of a block. Blocks without tiles take no room.
pub(super) const BLOCK: u32 = 32;
/// Sentinel for no block.
pub(super) const NO_BLOCK: u32 = u32::MAX;

/// The rows and columns of a mesh of tiles. A tile ends where the next one begins, the first one
/// begins at the origin of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileGrid {
    /// Side of a tile in cells, above 0.
    pub side: u32,
    /// Tiles along x.
    pub columns: u32,
    /// Tiles along z.
    pub rows: u32,
}

/// The polygons of all layers of one row and column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    /// Around all of them.
    pub(super) bounds: PolygonBounds,
    /// In [`TilePlaces::order`].
    pub(super) order: Slab,
    /// In [`TilePlaces::nodes`].
    pub(super) nodes: Slab,
    pub(super) squares: Squares,
    /// In [`TilePlaces::first`].
    pub(super) first: Slab,
    /// In [`TilePlaces::lists`].
    pub(super) lists: Slab,
}

impl Cell {
    pub(super) const EMPTY: Self = {
        const EMPTY: Slab = Slab { start: 0, len: 0, room: 0 };
        let squares = Squares { min: [0; 2], side_log2: 0, columns: 0, rows: 0 };
        Self { bounds: PolygonBounds::EMPTY, order: EMPTY, nodes: EMPTY, squares, first: EMPTY, lists: EMPTY }
    };
}

/// Spatial index of a mesh of tiles.
#[derive(Clone, Debug)]
pub(crate) struct TilePlaces {
    pub(super) grid: TileGrid,
    /// Lowest and highest column, then row, that any tile is in; low above high where none is.
    pub(super) used: [[u32; 2]; 2],
    /// First cell of each block, row by row.
    pub(super) blocks: Table<u32>,
    pub(super) cells: Table<Cell>,
    /// Polygons of each cell along a curve.
    pub(super) order: Table<u32>,
    /// The tree of boxes of each cell.
    pub(super) nodes: Table<Node>,
    /// First entry in `lists` of each square of each cell, and where its last list ends.
    pub(super) first: Table<u32>,
    /// The polygons that touch each square, in ascending order.
    pub(super) lists: Table<u32>,
}

/// The place of the cell of a row and column.
pub(super) fn cell_at(grid: &TileGrid, blocks: &[u32], [column, row]: [u32; 2]) -> Option<usize> {
    let block = (row / BLOCK) as usize * grid.columns.div_ceil(BLOCK) as usize + (column / BLOCK) as usize;
    let first = blocks.get(block).copied().filter(|&first| first != NO_BLOCK)?;
    Some((first + row % BLOCK * BLOCK + column % BLOCK) as usize)
}

impl TilePlaces {
    /// The rows and columns in use where none is.
    pub(super) const UNUSED: [[u32; 2]; 2] = [[1, 0]; 2];

    pub(super) fn new(grid: TileGrid) -> Self {
        let (blocks, cells, order, nodes, first, lists) = Default::default();
        Self { grid, used: Self::UNUSED, blocks, cells, order, nodes, first, lists }
    }

    fn cell(&self, at: [u32; 2]) -> Option<&Cell> {
        self.cells.get(cell_at(&self.grid, &self.blocks, at)?)
    }

    /// The column and row of a place inside of the rows and columns, not between two.
    #[inline]
    fn column_and_row(&self, at: PlanPosition) -> Option<[u32; 2]> {
        let side = f64::from(self.grid.side);
        let (x, z) = (at.x / side, at.z / side);
        let is_inside =
            x > 0.0 && z > 0.0 && x < f64::from(self.grid.columns) && z < f64::from(self.grid.rows);
        let [column, row] = [x, z].map(saturating_u32);
        let is_between = f64::from(column) * side >= at.x || f64::from(row) * side >= at.z;
        (is_inside && !is_between).then_some([column, row])
    }

    /// Returns the squares over a place that lies in one cell only, else `None`.
    #[inline]
    pub(crate) fn at(&self, at: PlanPosition) -> Option<CellSquares<'_>> {
        let column_and_row = self.column_and_row(at)?;
        let cell = self.cell(column_and_row)?;
        let [min, end] = [0, 1].map(|next| {
            column_and_row.map(|place| (f64::from(place) + f64::from(next)) * f64::from(self.grid.side))
        });
        let lists = SquareLists::of(&cell.squares, &self.first[cell.first.range()], &self.lists);
        Some(CellSquares { min, end, lists })
    }

    /// Calls `visit(polygon, limit)` for the polygons whose boxes are within reach and no farther than
    /// `limit` (squared, in cells), roughly nearest first. `visit` gives the new limit, which must
    /// not grow.
    pub(crate) fn nearest(&self, target: &Target, mut limit: f64, mut visit: impl FnMut(u32, f64) -> f64) {
        let [columns, rows] = self.used;
        if columns[0] > columns[1] {
            return;
        }
        let rough = RoughTarget::of(target);
        let side = f64::from(self.grid.side);
        // The cell of the used ones that the place is in, or nearest to.
        let clamp = |at: f64, [low, high]: [u32; 2]| {
            saturating_u32((at / side).floor().clamp(f64::from(low), f64::from(high)))
        };
        let (column, row) = (clamp(target.at.x, columns), clamp(target.at.z, rows));
        let rings = [column - columns[0], columns[1] - column, row - rows[0], rows[1] - row];
        for ring in 0..=rings.into_iter().max().unwrap_or(0) {
            // All cells of a ring are so far away at least.
            let apart = f64::from(ring.saturating_sub(1)) * side;
            if apart * apart > limit.min(target.side_squared) {
                return;
            }
            let span = |at: u32, [low, high]: [u32; 2]| {
                [at.saturating_sub(ring).max(low), at.saturating_add(ring).min(high)]
            };
            let ([west, east], [north, south]) = (span(column, columns), span(row, rows));
            let mut look = |column: u32, row: u32| {
                let Some(cell) = self.cell([column, row]) else { return };
                if is_within(&cell.bounds, target, limit) {
                    let (levels, count) = node_levels(cell.order.len as usize);
                    let tree = Tree {
                        nodes: &self.nodes[cell.nodes.range()],
                        node_levels: &levels[..count],
                        polygons: &self.order[cell.order.range()],
                    };
                    limit = tree.nearest(&rough, limit, &mut visit);
                }
            };
            for row_now in north..=south {
                if row_now.abs_diff(row) == ring {
                    (west..=east).for_each(|column| look(column, row_now));
                    continue;
                }
                for column_now in [column.checked_sub(ring), column.checked_add(ring)].into_iter().flatten() {
                    if (west..=east).contains(&column_now) {
                        look(column_now, row_now);
                    }
                }
            }
        }
    }

    /// Calls `visit` for the polygons whose boxes `overlaps` accepts, of the cells within `area`:
    /// lowest x and z, then highest.
    pub(crate) fn all(
        &self,
        area: [f64; 4],
        bounds: &[PolygonBounds],
        overlaps: impl Fn(&PolygonBounds) -> bool,
        mut visit: impl FnMut(u32),
    ) {
        let [columns, rows] = self.used;
        if columns[0] > columns[1] {
            return;
        }
        let side = f64::from(self.grid.side);
        let span = |low: f64, high: f64, used: [u32; 2]| {
            // A place on a border belongs to both sides.
            let first = (low / side).floor() - 1.0;
            let last = (high / side).floor();
            [first, last].map(|at| saturating_u32(at.clamp(f64::from(used[0]), f64::from(used[1]))))
        };
        let ([west, east], [north, south]) = (span(area[0], area[2], columns), span(area[1], area[3], rows));
        for row in north..=south {
            for column in west..=east {
                let Some(cell) = self.cell([column, row]) else { continue };
                if cell.order.len > 0 && overlaps(&cell.bounds) {
                    let polygons = self.order[cell.order.range()].iter();
                    polygons
                        .filter(|&&polygon| overlaps(&bounds[polygon as usize]))
                        .for_each(|&polygon| visit(polygon));
                }
            }
        }
    }
}

/// Returns `false` if nothing in a box can be as near as `limit`, squared, or within reach.
fn is_within(bounds: &PolygonBounds, target: &Target, limit: f64) -> bool {
    let (plan, rise) = (bounds.plan_distance_squared(target.at), bounds.rise_to(target.height));
    bounds.min_x <= bounds.max_x
        // Rounded in favour of the box.
        && plan * (1.0 - 1e-9) <= target.side_squared
        && (plan + rise * rise * target.level_squared) * (1.0 - 1e-9) <= limit
}

/// The squares of one cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellSquares<'a> {
    /// Least and greatest corner of the cell.
    min: [f64; 2],
    end: [f64; 2],
    pub(crate) lists: SquareLists<'a>,
}

impl<'a> CellSquares<'a> {
    /// Returns the lists around a place as [`SquareLists::around`] does; `None` also if the reach may
    /// touch another cell.
    #[inline]
    pub(crate) fn around(&self, at: PlanPosition, reach: f64) -> Option<[&'a [u32]; 4]> {
        let is_own = at.x - reach > self.min[0]
            && at.z - reach > self.min[1]
            && at.x + reach < self.end[0]
            && at.z + reach < self.end[1];
        if is_own { self.lists.around(at, reach) } else { None }
    }
}
