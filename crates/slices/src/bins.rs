//! Sorts triangles into the tiles that they reach into.
//!
//! `TriangleBins` of `crates/tile` copies triangles to disk, with a cell of slack. Bins here hold
//! indices into a soup in memory, with the slack of `raster.rs`. Stage crates never use one
//! another.

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

    /// The columns of a tile; tiles are numbered row by row.
    #[expect(clippy::cast_possible_truncation, reason = "tile numbers are checked against the memory limit")]
    pub(crate) fn window(&self, tile: usize) -> GridWindow {
        let (i, j) = (tile as u32 % self.across, tile as u32 / self.across);
        let square = GridWindow::new(i * self.side, j * self.side, self.side, self.side);
        square.intersection(&GridWindow::whole(&self.frame))
    }

    /// The tiles that overlap these cells after each tile has grown by `ring` columns on every
    /// side.
    fn tiles(&self, [x0, x1, z0, z1]: [i32; 4], ring: u32) -> impl Iterator<Item = usize> + use<> {
        let side = i64::from(self.side);
        let range = move |low: i32, high: i32, count: u32| {
            let ring = i64::from(ring);
            let (low, high) =
                ((i64::from(low) - ring).div_euclid(side), (i64::from(high) + ring).div_euclid(side));
            low.max(0)..=high.min(i64::from(count) - 1)
        };
        let (columns, across) = (range(x0, x1, self.across), i64::from(self.across));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clipped to the tiles there are"
        )]
        range(z0, z1, self.along).flat_map(move |j| columns.clone().map(move |i| (j * across + i) as usize))
    }
}

/// The triangles of each tile, in the order of the soup.
#[derive(Debug, Default)]
pub(crate) struct Bins {
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
    fn check(&self, tiling: &Tiling, pairs: u64) -> Result<(), SlicesError> {
        let window = tiling.window(0).grown(self.ring, &tiling.frame);
        let tile_columns = window.column_count();
        let tiles = tiling.count();
        let alive = (self.alive as u64).min(tiles);
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
        budget.check(tiling, 0)?;
        let mut bins = Self { starts: vec![0; tiling.count() as usize + 1], ..Self::default() };
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
                for tile in tiling.tiles(placement.extent(corners), budget.ring) {
                    bins.starts[tile + 1] += 1;
                    pairs += 1;
                }
            }
        }
        budget.check(tiling, pairs)?;
        for tile in 1..bins.starts.len() {
            bins.starts[tile] += bins.starts[tile - 1];
        }
        bins.triangles = vec![0; pairs as usize];
        let mut next = bins.starts.clone();
        for (triangle, _) in usable.iter().enumerate().filter(|(_, usable)| **usable) {
            for tile in tiling.tiles(placement.extent(soup.corners(triangle)), budget.ring) {
                bins.triangles[next[tile]] = triangle as u32;
                next[tile] += 1;
            }
        }
        Ok(bins)
    }

    pub(crate) fn tile_count(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn of_tile(&self, tile: usize) -> &[u32] {
        &self.triangles[self.starts[tile]..self.starts[tile + 1]]
    }
}
