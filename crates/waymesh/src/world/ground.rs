//! Ground of a tile of a world, from its voxels and those around it.

use std::collections::BTreeMap;
use std::sync::Arc;

use waymesh_core::{GridFrame, GridWindow, HeightSurface, Heightfield};
use waymesh_tile::{Tile, TileLayout};
use waymesh_voxel::Obstacle;

use super::build::{BuiltTile, WorldMark};
use super::kept::{KeptTile, gather};
use super::parts::Obstacles;
use super::prebaked::Prebaked;
use crate::bake::{BakeError, StageSet};
use crate::front::voxels::{field_builder, halo_cells};

/// The input of the tiles of an update.
pub(super) struct TileGround<'a> {
    pub(super) stages: &'a StageSet,
    pub(super) frame: &'a GridFrame,
    pub(super) layout: &'a TileLayout,
    pub(super) kept: &'a BTreeMap<Tile, KeptTile>,
    pub(super) obstacles: &'a Obstacles<Tile, (Obstacle, GridWindow)>,
    pub(super) marks: &'a Obstacles<Tile, WorldMark>,
    pub(super) own_marks: &'a [WorldMark],
}

impl TileGround<'_> {
    /// The columns that a tile is built of.
    pub(super) fn window(&self, tile: Tile) -> GridWindow {
        let config = self.stages.config();
        self.layout.core(tile).grown(halo_cells(config, &field_builder(config)), self.frame)
    }

    /// The voxels of a tile and around it.
    pub(super) fn voxels(&self, tile: Tile, own: &KeptTile) -> Result<Heightfield, BakeError> {
        let window = self.window(tile);
        let around: Vec<(GridWindow, &KeptTile)> = self
            .layout
            .tiles_over(&window)
            .filter_map(|tile| Some((self.layout.core(tile), self.kept.get(&tile)?)))
            .collect();
        gather(self.frame, window, &around, own)
    }

    /// Returns `true` if no obstacle or mark is near a tile.
    pub(super) fn is_undisturbed(&self, tile: Tile) -> bool {
        let window = self.window(tile);
        let is_apart = |columns: &GridWindow| columns.intersection(&window).is_empty();
        self.obstacles.of(tile).all(|(_, columns)| is_apart(columns))
            && self.marks.of(tile).all(|mark| is_apart(&mark.columns))
    }

    /// Returns the prebaked result of a tile, if building it would give the same.
    pub(super) fn prebaked(&self, tile: Tile) -> Option<&Prebaked> {
        let prebaked = self.kept.get(&tile)?.prebaked.as_ref()?;
        let is_as_then = |other: Tile| match self.kept.get(&other) {
            Some(there) => prebaked.had(other).is_some_and(|then| then.voxels == there.digest()),
            None => true,
        };
        let mut others = self.layout.tiles_over(&self.window(tile)).filter(|&other| other != tile);
        (others.all(is_as_then) && self.is_undisturbed(tile)).then_some(prebaked)
    }

    /// Returns the prebaked result if it belongs to these voxels.
    pub(super) fn prebaked_as<'a>(
        &self,
        tile: Tile,
        tiles: &impl Fn(Tile) -> Option<&'a Arc<BuiltTile>>,
    ) -> Option<&Prebaked> {
        let prebaked = self.kept.get(&tile)?.prebaked.as_ref()?;
        Arc::ptr_eq(&prebaked.built, tiles(tile)?).then_some(prebaked)
    }

    /// The heights that were read with a tile, if it and those around are as they were then.
    pub(super) fn patch<'a>(
        &self,
        tile: Tile,
        tiles: &impl Fn(Tile) -> Option<&'a Arc<BuiltTile>>,
    ) -> Option<Arc<HeightSurface>> {
        let prebaked = self.prebaked_as(tile, tiles)?;
        let is_as_then = |other: Tile| match tiles(other) {
            Some(there) => prebaked.had(other).is_some_and(|then| then.built == there.digest()),
            None => true,
        };
        let mut others = self.layout.tiles_over(&self.layout.core(tile).grown(1, self.frame));
        others.all(|other| other == tile || is_as_then(other)).then(|| prebaked.patch.clone())?
    }

    /// Builds field and polygons of an existing tile, from its voxels and those around it.
    pub(super) fn build(&self, tile: Tile) -> Result<Option<Arc<BuiltTile>>, BakeError> {
        let Some(own) = self.kept.get(&tile) else { return Ok(None) };
        if let Some(prebaked) = self.prebaked(tile) {
            return Ok(Some(prebaked.built.clone()));
        }
        let (core, window) = (self.layout.core(tile), self.window(tile));
        let is_near = |columns: &GridWindow| !columns.intersection(&window).is_empty();
        let obstacles: Vec<Obstacle> = self
            .obstacles
            .of(tile)
            .filter(|(_, columns)| is_near(columns))
            .map(|(obstacle, _)| obstacle.clone())
            .collect();
        let near = self.marks.of(tile).filter(|mark| is_near(&mark.columns));
        let marks: Vec<&WorldMark> = self.own_marks.iter().chain(near).collect();
        let voxels = self.voxels(tile, own)?;
        BuiltTile::build(self.stages, self.frame, core, window, voxels, &obstacles, &marks)
            .map(|built| Some(Arc::new(built)))
    }
}
