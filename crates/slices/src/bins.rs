//! Bins: sorts triangles into the tiles that they reach into.
//!
//! `TriangleBins` of `crates/tile` copies triangles to disk, with a cell of slack. Bins here hold
//! indices into a soup in memory, with the slack of `raster.rs`. Stage crates never use one
//! another.

use std::collections::BTreeMap;
use std::ops::Range;

use waymesh_core::{GridFrame, GridWindow, SkippedTriangles, TriangleSoup, checkpoint_every};

use crate::SlicesError;
use crate::raster::Placement;

/// The grid, cut into square tiles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tiling {
    pub(crate) frame: GridFrame,
    side: u32,
    pub(crate) across: u32,
    pub(crate) along: u32,
}

impl Tiling {
    pub(crate) fn new(frame: GridFrame, tile_cells: u32) -> Self {
        let longest = frame.width.max(frame.depth).max(1);
        let side = if tile_cells == 0 { longest } else { tile_cells.min(longest) };
        Self { frame, side, across: frame.width.div_ceil(side), along: frame.depth.div_ceil(side) }
    }

    pub(crate) fn count(&self) -> u64 {
        u64::from(self.across) * u64::from(self.along)
    }

    /// Returns the columns of a tile; tiles are numbered row by row.
    #[expect(clippy::cast_possible_truncation, reason = "rows and columns have 32 bits")]
    pub(crate) fn window(&self, tile: u64) -> GridWindow {
        let across = u64::from(self.across);
        let (i, j) = ((tile % across) as u32, (tile / across) as u32);
        let square = GridWindow::new(i * self.side, j * self.side, self.side, self.side);
        square.intersection(&GridWindow::whole(&self.frame))
    }

    /// Returns the tiles that overlap these cells after each tile has grown by `ring` columns on
    /// every side.
    fn tiles(&self, [x0, x1, z0, z1]: [i32; 4], ring: u32) -> TilesOver {
        let side = i64::from(self.side);
        #[expect(clippy::cast_sign_loss, reason = "clipped to the existing tiles")]
        let range = |low: i32, high: i32, count: u32| {
            let ring = i64::from(ring);
            let (low, high) =
                ((i64::from(low) - ring).div_euclid(side), (i64::from(high) + ring).div_euclid(side));
            low.max(0) as u64..(high + 1).clamp(0, i64::from(count)) as u64
        };
        let [columns, rows] = [range(x0, x1, self.across), range(z0, z1, self.along)];
        TilesOver { columns, rows, across: u64::from(self.across) }
    }
}

/// A rectangle of tiles.
struct TilesOver {
    columns: Range<u64>,
    rows: Range<u64>,
    across: u64,
}

impl TilesOver {
    fn count(&self) -> u64 {
        let len = |range: &Range<u64>| range.end.saturating_sub(range.start);
        len(&self.columns) * len(&self.rows)
    }

    /// Returns the numbers of the tiles.
    fn numbers(self) -> impl Iterator<Item = u64> {
        let Self { columns, rows, across } = self;
        rows.flat_map(move |row| columns.clone().map(move |column| row * across + column))
    }
}

/// The triangles of each tile that has any, in the order of the soup.
#[derive(Debug, Default)]
pub(crate) struct Bins {
    /// Numbers of the tiles, ascending.
    numbers: Vec<u64>,
    starts: Vec<usize>,
    triangles: Vec<u32>,
    pub(crate) skipped: SkippedTriangles,
}

/// Memory that the bins and the tiles being worked on may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    pub(crate) alive: usize,
    pub(crate) ring: u32,
    pub(crate) column_bytes: u64,
    pub(crate) limit_bytes: u64,
}

impl Budget {
    /// Checks the memory for a number of tiles with triangles, and for `pairs` entries in their
    /// lists.
    fn check(&self, tiling: &Tiling, tiles: u64, pairs: u64) -> Result<(), SlicesError> {
        let window = tiling.window(0).grown(self.ring, &tiling.frame);
        let tile_columns = window.column_count();
        let alive = (self.alive as u64).min(tiling.count());
        let needed_bytes = (tiles.saturating_mul(8 + 200))
            .saturating_add(pairs.saturating_mul(4))
            .saturating_add(alive.saturating_mul(tile_columns).saturating_mul(self.column_bytes));
        if needed_bytes <= self.limit_bytes
            && tile_columns < u64::from(u32::MAX)
            && tiles < u64::from(u32::MAX)
        {
            return Ok(());
        }
        Err(SlicesError::TooMuchMemory {
            tiles,
            tile_columns,
            alive: self.alive,
            needed_bytes,
            limit_bytes: self.limit_bytes,
        })
    }
}

impl Bins {
    /// Sorts the usable triangles into tiles. Steep triangles are left out unless `steep_blocks` is
    /// set.
    #[expect(clippy::cast_possible_truncation, reason = "a soup has at most u32::MAX triangles")]
    pub(crate) fn new(
        soup: &TriangleSoup,
        placement: &Placement,
        tiling: &Tiling,
        steep_blocks: bool,
        budget: &Budget,
    ) -> Result<Self, SlicesError> {
        budget.check(tiling, 0, 0)?;
        let mut bins = Self::default();
        let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
        let mut usable = vec![false; soup.triangles().len()];
        let mut pairs = 0_u64;
        for (triangle, usable) in usable.iter_mut().enumerate() {
            checkpoint_every(1 << 14, triangle);
            let corners = soup.corners(triangle);
            if bins.skipped.add(corners) {
                continue;
            }
            *usable = steep_blocks || placement.is_walkable(corners);
            if *usable {
                let tiles = tiling.tiles(placement.extent(corners), budget.ring);
                pairs = pairs.saturating_add(tiles.count());
                // There are at least as many tiles as this triangle reaches into.
                budget.check(tiling, tiles.count(), pairs)?;
                tiles.numbers().for_each(|tile| *counts.entry(tile).or_default() += 1);
            }
        }
        budget.check(tiling, counts.len() as u64, pairs)?;
        bins.starts.push(0);
        for (number, count) in counts {
            bins.numbers.push(number);
            bins.starts.push(bins.starts[bins.starts.len() - 1] + count);
        }
        bins.triangles = vec![0; pairs as usize];
        let mut next = bins.starts.clone();
        for (triangle, _) in usable.iter().enumerate().filter(|(_, usable)| **usable) {
            for number in tiling.tiles(placement.extent(soup.corners(triangle)), budget.ring).numbers() {
                let Some(tile) = bins.find(number) else { continue };
                bins.triangles[next[tile]] = triangle as u32;
                next[tile] += 1;
            }
        }
        Ok(bins)
    }

    /// Numbers of the tiles with triangles, ascending.
    pub(crate) fn numbers(&self) -> &[u64] {
        &self.numbers
    }

    /// Returns the index of a tile among those with triangles.
    fn find(&self, number: u64) -> Option<usize> {
        self.numbers.binary_search(&number).ok()
    }

    pub(crate) fn of_tile(&self, tile: usize) -> &[u32] {
        &self.triangles[self.starts[tile]..self.starts[tile + 1]]
    }
}
