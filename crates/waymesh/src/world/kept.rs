//! Voxels of a tile as a world keeps them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use waymesh_core::{GridFrame, GridWindow, Heightfield, TriangleSoup};
use waymesh_tile::{Tile, TileLayout};
use waymesh_voxel::PackedHeightfield;

use super::build::{failed, voxels};
use super::prebaked::{Prebaked, digest};
use crate::bake::{BakeError, StageSet};
use crate::links::jumps::Obstacles as Flights;

/// The solid voxels of a tile, without obstacles.
#[derive(Debug)]
pub(super) struct KeptTile {
    solid: PackedHeightfield,
    /// Their columns: the tile's own, and those around it if it was read.
    pub(super) window: GridWindow,
    /// Checksum of the voxels in the tile's columns.
    digest: OnceLock<u64>,
    /// The result that was read with the tile.
    pub(super) prebaked: Option<Prebaked>,
    /// Source triangles, if jumps are searched.
    pub(super) triangles: TriangleSoup,
    /// The triangles with an index.
    flights: OnceLock<Option<Flights>>,
}

impl KeptTile {
    pub(super) fn rasterize(
        stages: &StageSet,
        layout: &TileLayout,
        tile: Tile,
        soup: &TriangleSoup,
    ) -> Result<Self, BakeError> {
        let core = layout.core(tile);
        let solid = stages.rasterize_window(soup, layout.frame(), core, &voxels(stages))?;
        let triangles = if stages.config().jumps.is_some() { soup.clone() } else { TriangleSoup::default() };
        Ok(Self {
            solid: PackedHeightfield::pack(&solid).map_err(failed)?,
            window: core,
            digest: OnceLock::new(),
            prebaked: None,
            triangles,
            flights: OnceLock::new(),
        })
    }

    /// Makes a tile that was read, with the checksum of its voxels.
    pub(super) fn prebaked(
        solid: PackedHeightfield,
        window: GridWindow,
        digest: u64,
        triangles: TriangleSoup,
        prebaked: Prebaked,
    ) -> Self {
        let flights = OnceLock::new();
        Self { solid, window, digest: digest.into(), prebaked: Some(prebaked), triangles, flights }
    }

    /// Returns the checksum of the voxels in the tile's columns.
    pub(super) fn digest(&self) -> u64 {
        *self.digest.get_or_init(|| digest(self.solid.as_bytes()))
    }

    /// Its triangles, to be looked up.
    pub(super) fn flights(&self) -> Option<&Flights> {
        // A soup can always be read.
        self.flights.get_or_init(|| Flights::new(&self.triangles).ok()).as_ref()
    }

    /// The memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        let soup = &self.triangles;
        let triangles = size_of_val(soup.positions()) + size_of_val(soup.triangles()) + soup.areas().len();
        self.solid.as_bytes().len() + triangles
    }

    fn unpack(&self, frame: &GridFrame) -> Result<Heightfield, BakeError> {
        let solid = self.solid.unpack().map_err(failed)?;
        if solid.frame == frame.window(self.window) {
            return Ok(solid);
        }
        Err(failed(waymesh_voxel::VoxelError::Damaged { what: "voxels of a tile: other columns", at: 0 }))
    }
}

/// Voxels that several tiles are built of: each tile's are unpacked once, and dropped after the
/// last use that was announced.
#[derive(Debug, Default)]
pub(super) struct SharedVoxels(BTreeMap<Tile, Mutex<Uses>>);

#[derive(Debug, Default)]
struct Uses {
    left: usize,
    voxels: Option<Arc<Heightfield>>,
}

impl SharedVoxels {
    /// `uses` names a tile once for each time that it is going to be read.
    pub(super) fn new(uses: impl Iterator<Item = Tile>) -> Self {
        let mut shared = Self::default();
        for tile in uses {
            let uses = shared.0.entry(tile).or_default();
            uses.get_mut().unwrap_or_else(PoisonError::into_inner).left += 1;
        }
        shared
    }

    /// The voxels of a tile; those of one that was not announced are unpacked at every call.
    pub(super) fn read(
        &self,
        tile: Tile,
        kept: &KeptTile,
        frame: &GridFrame,
    ) -> Result<Arc<Heightfield>, BakeError> {
        let unpack = || kept.unpack(frame).map(Arc::new);
        let Some(uses) = self.0.get(&tile) else { return unpack() };
        let mut uses = uses.lock().unwrap_or_else(PoisonError::into_inner);
        let voxels = uses.voxels.take().map_or_else(unpack, Ok)?;
        uses.left = uses.left.saturating_sub(1);
        uses.voxels = (uses.left > 0).then(|| voxels.clone());
        Ok(voxels)
    }
}

/// The voxels of a window. `tiles` holds, for each tile, the columns to take from it, the columns
/// that its voxels cover, and the voxels. Columns of no tile are empty.
pub(super) fn gather(
    frame: &GridFrame,
    window: GridWindow,
    tiles: &[(GridWindow, GridWindow, Arc<Heightfield>)],
) -> Heightfield {
    let mut result = Heightfield { frame: frame.window(window), columns: vec![0], spans: Vec::new() };
    for z in window.z..window.end_z() {
        for x in window.x..window.end_x() {
            if let Some((_, held, tile)) = tiles.iter().find(|(asked, ..)| asked.contains(x, z)) {
                let column = (z - held.z) as usize * held.width as usize + (x - held.x) as usize;
                let spans = tile.columns[column] as usize..tile.columns[column + 1] as usize;
                result.spans.extend_from_slice(&tile.spans[spans]);
            }
            result.columns.push(u32::try_from(result.spans.len()).unwrap_or(u32::MAX));
        }
    }
    result
}
