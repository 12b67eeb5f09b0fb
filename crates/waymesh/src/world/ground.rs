//! Ground of the tiles of a world, from their voxels and those around them.

use std::collections::BTreeMap;
use std::sync::Arc;

use waymesh_core::{Bounds, GridFrame, GridWindow, HeightSurface, Heightfield, saturating_u32};
use waymesh_tile::{Tile, TileLayout};
use waymesh_voxel::Obstacle;

use super::build::{BuiltTile, WorldMark};
use super::kept::{KeptTile, SharedVoxels, gather};
use super::parts::{Placed, Present};
use super::prebaked::Prebaked;
use crate::bake::{BakeError, StageSet};
use crate::front::voxels::{field_builder, halo_cells};

/// The tiles of a world, before and after an update.
pub(super) type Tiles<'a> = Present<'a, Tile, BuiltTile>;

/// The input of the tiles of a world.
#[derive(Debug)]
pub(super) struct TileGround {
    pub(super) stages: StageSet,
    pub(super) layout: TileLayout,
    pub(super) kept: BTreeMap<Tile, KeptTile>,
    pub(super) obstacles: Placed<Tile, (Obstacle, GridWindow)>,
    pub(super) marks: Placed<Tile, WorldMark>,
    /// The marks of the settings.
    pub(super) own_marks: Vec<WorldMark>,
}

/// Returns the columns of a grid that a box in the world covers. Outside the grid, the outermost
/// columns count.
pub(super) fn columns_of(frame: &GridFrame, bounds: &Bounds) -> GridWindow {
    let [low, high] = [bounds.min, bounds.max].map(|corner| {
        let [x, _, z] = frame.to_grid(corner);
        let inside = |at: f64, count: u32| saturating_u32(at.floor()).min(count.saturating_sub(1));
        [inside(x, frame.width), inside(z, frame.depth)]
    });
    let size = |at: usize| high[at].saturating_sub(low[at]) + 1;
    GridWindow::new(low[0], low[1], size(0), size(1))
}

impl TileGround {
    pub(super) fn frame(&self) -> &GridFrame {
        self.layout.frame()
    }

    /// The columns whose voxels change the field of some columns.
    fn around(&self, columns: &GridWindow) -> GridWindow {
        let config = self.stages.config();
        columns.grown(halo_cells(config, &field_builder(config)), self.frame())
    }

    /// The columns that a tile is built of.
    pub(super) fn window(&self, tile: Tile) -> GridWindow {
        self.around(&self.layout.core(tile))
    }

    /// All tiles whose field may change when these columns do.
    pub(super) fn seen_in(&self, columns: GridWindow) -> Vec<Tile> {
        if columns.is_empty() { Vec::new() } else { self.layout.tiles_over(&self.around(&columns)).collect() }
    }

    /// The voxels of a tile and around it. Columns whose tile is not there come from `own`, if it was
    /// read with them, and are empty else.
    pub(super) fn voxels(
        &self,
        tile: Tile,
        own: &KeptTile,
        shared: &SharedVoxels,
    ) -> Result<Heightfield, BakeError> {
        let (frame, window) = (self.frame(), self.window(tile));
        let around = self.layout.tiles_over(&window).filter_map(|tile| Some((tile, self.kept.get(&tile)?)));
        let mut tiles = Vec::new();
        for (tile, kept) in around {
            tiles.push((self.layout.core(tile), kept.window, shared.read(tile, kept, frame)?));
        }
        if own.prebaked.is_some() {
            let itself = tiles.iter().find(|(core, ..)| *core == self.layout.core(tile));
            tiles.extend(itself.map(|(_, held, voxels)| (*held, *held, voxels.clone())));
        }
        Ok(gather(frame, window, &tiles))
    }

    /// The voxels that building these tiles shares.
    pub(super) fn shared(&self, tiles: &[Tile]) -> SharedVoxels {
        SharedVoxels::new(tiles.iter().flat_map(|&tile| self.layout.tiles_over(&self.window(tile))))
    }

    /// Returns `true` if no obstacle or mark is near a tile.
    pub(super) fn is_undisturbed(&self, tile: Tile) -> bool {
        let window = self.window(tile);
        let is_apart = |columns: &GridWindow| columns.intersection(&window).is_empty();
        self.obstacles.of(tile).all(|(_, columns)| is_apart(columns))
            && self.marks.of(tile).all(|mark| is_apart(&mark.columns))
    }

    /// Returns the prebaked result of a tile, if building it without obstacles and added marks would
    /// give the same.
    pub(super) fn prebaked(&self, tile: Tile) -> Option<&Prebaked> {
        let prebaked = self.kept.get(&tile)?.prebaked.as_ref()?;
        let is_as_then = |other: Tile| match self.kept.get(&other) {
            Some(there) => prebaked.had(other).is_some_and(|then| then.voxels == there.digest()),
            None => true,
        };
        let mut others = self.layout.tiles_over(&self.window(tile)).filter(|&other| other != tile);
        others.all(is_as_then).then_some(prebaked)
    }

    /// Returns the prebaked result if it belongs to these voxels.
    pub(super) fn prebaked_as(&self, tile: Tile, tiles: &Tiles<'_>) -> Option<&Prebaked> {
        let prebaked = self.kept.get(&tile)?.prebaked.as_ref()?;
        Arc::ptr_eq(&prebaked.built, tiles.get(tile)?).then_some(prebaked)
    }

    /// The heights that were read with a tile, if it and those around are as they were then.
    pub(super) fn patch(&self, tile: Tile, tiles: &Tiles<'_>) -> Option<Arc<HeightSurface>> {
        let prebaked = self.prebaked_as(tile, tiles)?;
        let is_as_then = |other: Tile| match tiles.get(other) {
            Some(there) => prebaked.had(other).is_some_and(|then| then.built == there.digest()),
            None => true,
        };
        let mut others = self.layout.tiles_over(&self.layout.core(tile).grown(1, self.frame()));
        others.all(|other| other == tile || is_as_then(other)).then(|| prebaked.patch.clone())?
    }

    /// Builds field and polygons of an existing tile, from its voxels and those around it.
    pub(super) fn build(
        &self,
        tile: Tile,
        shared: &SharedVoxels,
    ) -> Result<Option<Arc<BuiltTile>>, BakeError> {
        let window = self.window(tile);
        let is_near = |columns: &GridWindow| !columns.intersection(&window).is_empty();
        let obstacles = self.obstacles.of(tile).filter(|(_, columns)| is_near(columns));
        let obstacles: Vec<Obstacle> = obstacles.map(|(obstacle, _)| obstacle.clone()).collect();
        let marks: Vec<&WorldMark> = self.marks.of(tile).filter(|mark| is_near(&mark.columns)).collect();
        self.build_with(tile, &obstacles, &marks, shared)
    }

    /// Builds a tile with these obstacles and added marks.
    pub(super) fn build_with(
        &self,
        tile: Tile,
        obstacles: &[Obstacle],
        marks: &[&WorldMark],
        shared: &SharedVoxels,
    ) -> Result<Option<Arc<BuiltTile>>, BakeError> {
        let Some(own) = self.kept.get(&tile) else { return Ok(None) };
        if obstacles.is_empty()
            && marks.is_empty()
            && let Some(prebaked) = self.prebaked(tile)
        {
            return Ok(Some(prebaked.built.clone()));
        }
        let marks: Vec<&WorldMark> = self.own_marks.iter().chain(marks.iter().copied()).collect();
        let columns = [self.window(tile), self.layout.core(tile)];
        let voxels = self.voxels(tile, own, shared)?;
        let built = BuiltTile::build(&self.stages, self.frame(), columns, voxels, obstacles, &marks)?;
        Ok(Some(Arc::new(built)))
    }
}
