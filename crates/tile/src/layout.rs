//! Layouts: assign the columns of a grid to tiles.

use glam::Vec3;
use waymesh_core::{BLOCK_CELLS, GridFrame, GridWindow, saturating_u32};

use crate::{Tile, TileError};

/// Largest number of tiles of a layout, all of which are visited.
const MAX_TILES: u64 = 1 << 24;
/// Largest number of tiles of a layout of which few are visited: the limit of an index of 32 bits.
const MAX_SPARSE_TILES: u64 = (1 << 31) - 1;

/// A grid frame cut into rows and columns of tiles.
///
/// # Guarantees
/// The cores of the tiles share no column and cover the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TileLayout {
    frame: GridFrame,
    side: u32,
    columns: u32,
    rows: u32,
}

impl TileLayout {
    /// Creates a layout of tiles with a side of `tile_cells` cells, rounded up to whole blocks. 0
    /// makes one tile of the whole frame.
    ///
    /// # Errors
    /// [`TileError::TooManyTiles`] if there are more than 2^24 tiles.
    pub fn new(frame: &GridFrame, tile_cells: u32) -> Result<Self, TileError> {
        Self::within(frame, tile_cells, MAX_TILES)
    }

    /// Creates a layout for callers that visit only the tiles that triangles reach into
    /// ([`TriangleBins::tiles`](crate::TriangleBins::tiles)). Tiles have a side of at least
    /// `tile_cells` cells: a larger one if there would be more than 2^31 tiles.
    ///
    /// # Errors
    /// See [`TileLayout::new`].
    pub fn sparse(frame: &GridFrame, tile_cells: u32) -> Result<Self, TileError> {
        let tiles = u64::from(frame.width) * u64::from(frame.depth);
        // The number of tiles is rounded up along both sides.
        let least = tiles.div_ceil(MAX_SPARSE_TILES / 4).isqrt();
        let least = u32::try_from(least).unwrap_or(u32::MAX);
        let side = if tile_cells == 0 { 0 } else { tile_cells.max(least) };
        Self::within(frame, side, MAX_SPARSE_TILES)
    }

    fn within(frame: &GridFrame, tile_cells: u32, limit: u64) -> Result<Self, TileError> {
        let longest = frame.width.max(frame.depth).max(1);
        let wanted = if tile_cells == 0 { longest } else { tile_cells.min(longest) };
        let side = wanted.next_multiple_of(BLOCK_CELLS);
        let columns = frame.width.div_ceil(side).max(1);
        let rows = frame.depth.div_ceil(side).max(1);
        let tiles = u64::from(columns) * u64::from(rows);
        if tiles > limit {
            let GridFrame { width, depth, .. } = *frame;
            return Err(TileError::TooManyTiles { tile_cells, width, depth, tiles, limit });
        }
        Ok(Self { frame: *frame, side, columns, rows })
    }

    /// Returns the whole frame.
    #[must_use]
    pub fn frame(&self) -> &GridFrame {
        &self.frame
    }

    /// Returns the side of a tile in cells, a multiple of [`BLOCK_CELLS`].
    #[must_use]
    pub fn side_cells(&self) -> u32 {
        self.side
    }

    /// Returns the number of tiles along x.
    #[must_use]
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// Returns the number of tiles along z.
    #[must_use]
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Returns the number of tiles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.columns as usize * self.rows as usize
    }

    /// Returns `false`: a layout has at least one tile.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Returns all tiles, row by row.
    pub fn tiles(&self) -> impl Iterator<Item = Tile> + use<> {
        let columns = self.columns;
        (0..self.rows).flat_map(move |row| (0..columns).map(move |column| Tile { row, column }))
    }

    /// Returns the tiles that worker `index` of `of` builds: every `of`-th, row by row, from
    /// `index`. The shares of all workers together are all tiles, each once, for any number of
    /// workers; with more workers than tiles, some shares are empty. Dense parts of a world are
    /// spread over all workers.
    ///
    /// # Errors
    /// [`TileError::NoSuchShare`] if `index` is not below `of`.
    pub fn share(&self, index: u32, of: u32) -> Result<impl Iterator<Item = Tile> + use<>, TileError> {
        if index >= of {
            return Err(TileError::NoSuchShare { index, of });
        }
        Ok(self.tiles().skip(index as usize).step_by(of as usize))
    }

    /// Returns `true` if the layout has this tile.
    #[must_use]
    pub fn has(&self, tile: Tile) -> bool {
        tile.row < self.rows && tile.column < self.columns
    }

    /// Checks that the layout has this tile.
    ///
    /// # Errors
    /// [`TileError::NoSuchTile`] if not.
    pub fn check(&self, tile: Tile) -> Result<(), TileError> {
        let (columns, rows) = (self.columns, self.rows);
        if self.has(tile) { Ok(()) } else { Err(TileError::NoSuchTile { tile, columns, rows }) }
    }

    /// Returns the index of `tile` in the order of [`TileLayout::tiles`].
    #[must_use]
    pub fn index(&self, tile: Tile) -> usize {
        tile.row as usize * self.columns as usize + tile.column as usize
    }

    /// Returns the columns of the grid that belong to `tile`.
    #[must_use]
    pub fn core(&self, tile: Tile) -> GridWindow {
        let (x, z) = (tile.column.saturating_mul(self.side), tile.row.saturating_mul(self.side));
        GridWindow::new(x, z, self.side, self.side).intersection(&GridWindow::whole(&self.frame))
    }

    /// Returns the tiles that lie within `distance` metres of a position along x and z. These are
    /// the tiles to load around a player.
    pub fn tiles_near(&self, position: Vec3, distance: f32) -> impl Iterator<Item = Tile> + use<> {
        let [x, _, z] = self.frame.to_grid(position);
        let reach = f64::from(distance) / f64::from(self.frame.cell_size);
        let range = |at: f64, count: u32| {
            let [low, high] = [at - reach, at + reach].map(|end| end.clamp(0.0, f64::from(count)));
            [saturating_u32(low.floor()), saturating_u32(high.ceil())]
        };
        let ([low_x, high_x], [low_z, high_z]) = (range(x, self.frame.width), range(z, self.frame.depth));
        let size = |low: u32, high: u32| high.saturating_sub(low);
        self.tiles_over(&GridWindow::new(low_x, low_z, size(low_x, high_x), size(low_z, high_z)))
    }

    /// Returns the tiles whose cores contain a column of `window`.
    pub fn tiles_over(&self, window: &GridWindow) -> impl Iterator<Item = Tile> + use<> {
        let (rows, columns) = if window.is_empty() {
            (0..0, 0..0)
        } else {
            let end = |end: u32, count: u32| end.div_ceil(self.side).min(count);
            (
                window.z / self.side..end(window.end_z(), self.rows),
                window.x / self.side..end(window.end_x(), self.columns),
            )
        };
        rows.flat_map(move |row| columns.clone().map(move |column| Tile { row, column }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(width: u32, depth: u32) -> GridFrame {
        GridFrame { origin: Vec3::ZERO, cell_size: 0.3, level_height: 0.2, width, depth }
    }

    #[test]
    fn cores_cover_the_frame_once() {
        for (width, depth, tile_cells) in
            [(100, 37, 16), (100, 37, 17), (1, 1, 0), (64, 64, 64), (500, 20, 0)]
        {
            let layout = TileLayout::new(&frame(width, depth), tile_cells).unwrap();
            let mut owners = vec![0; (width * depth) as usize];
            for tile in layout.tiles() {
                let core = layout.core(tile);
                assert!(core.x.is_multiple_of(BLOCK_CELLS) && core.z.is_multiple_of(BLOCK_CELLS), "{tile}");
                assert!(layout.tiles_over(&core).eq([tile]));
                for z in core.z..core.end_z() {
                    for x in core.x..core.end_x() {
                        owners[(z * width + x) as usize] += 1;
                    }
                }
            }
            assert!(owners.iter().all(|&owners| owners == 1));
            assert_eq!(layout.tiles_over(&GridWindow::whole(&frame(width, depth))).count(), layout.len());
            assert_eq!(layout.tiles_over(&GridWindow::default()).count(), 0);
        }
    }

    #[test]
    fn tiles_near_a_position_are_those_within_the_distance() {
        // Tiles of 16 cells of 0.3 m: 4.8 m a side, seven by three.
        let layout = TileLayout::new(&frame(100, 37), 16).unwrap();
        let near = |x: f32, z: f32, distance: f32| {
            let tiles = layout.tiles_near(Vec3::new(x, 7.0, z), distance);
            tiles.map(|tile| (tile.column, tile.row)).collect::<Vec<_>>()
        };
        assert_eq!(near(7.0, 2.0, 1.0), [(1, 0)]);
        assert_eq!(near(7.0, 2.0, 2.5), [(0, 0), (1, 0)]);
        assert_eq!(near(5.0, 4.7, 1.0), [(0, 0), (1, 0), (0, 1), (1, 1)]);
        assert_eq!(near(-3.0, 2.0, 4.0), [(0, 0), (0, 1)], "from beside the grid");
        assert_eq!(near(-3.0, 2.0, 2.0), []);
        assert_eq!(near(15.0, 5.0, f32::INFINITY).len(), layout.len());
        assert_eq!(near(f32::NAN, 2.0, 1.0), []);
    }

    #[test]
    fn shares_are_all_tiles_once_for_any_number_of_workers() {
        let layout = TileLayout::new(&frame(100, 37), 16).unwrap();
        let all: Vec<Tile> = layout.tiles().collect();
        for of in [1, 2, 5, 7, 20, 21, 22, 1000] {
            let shares: Vec<Vec<Tile>> =
                (0..of).map(|index| layout.share(index, of).unwrap().collect()).collect();
            let sizes = shares.iter().map(Vec::len);
            assert!(sizes.clone().max().unwrap() - sizes.min().unwrap() <= 1, "{of} workers");
            let mut tiles: Vec<Tile> = shares.concat();
            tiles.sort_unstable();
            assert_eq!(tiles, all, "{of} workers");
        }
        for (index, of) in [(0, 0), (3, 3), (4, 3)] {
            let error = layout.share(index, of).map(|_| ()).unwrap_err();
            assert!(matches!(error, TileError::NoSuchShare { .. }), "{error}");
        }
    }

    #[test]
    fn too_many_tiles_are_refused() {
        let error = TileLayout::new(&frame(1 << 20, 1 << 20), 1).unwrap_err();
        assert!(matches!(error, TileError::TooManyTiles { .. }), "{error}");
        assert!(TileLayout::new(&frame(1 << 20, 1 << 20), 1024).is_ok());
    }

    #[test]
    fn a_sparse_layout_widens_tiles_to_stay_within_its_limit() {
        for (width, depth, tile_cells) in [
            (100, 37, 16),
            (1 << 24, 1 << 24, 256),
            (1 << 30, 1 << 30, 16),
            (1 << 30, 1, 16),
            (1 << 30, 9, 0),
        ] {
            let layout = TileLayout::sparse(&frame(width, depth), tile_cells).unwrap();
            let usual = TileLayout::new(&frame(width, depth), tile_cells);
            assert!(layout.len() as u64 <= MAX_SPARSE_TILES, "{width} x {depth}");
            assert!(usual.map_or(true, |usual| usual == layout), "{width} x {depth}");
        }
    }
}
