//! Voxels of a tile as a world keeps them.

use std::sync::OnceLock;

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
    window: GridWindow,
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

/// The voxels of a window, from the tiles that hold them. Columns whose tile is not there come from
/// `own`, if it was read with them, and are empty else.
pub(super) fn gather(
    frame: &GridFrame,
    window: GridWindow,
    around: &[(GridWindow, &KeptTile)],
    own: &KeptTile,
) -> Result<Heightfield, BakeError> {
    let read = |core: GridWindow, kept: &KeptTile| Ok((core, kept.window, kept.unpack(frame)?));
    let mut tiles: Vec<(GridWindow, GridWindow, Heightfield)> =
        around.iter().map(|&(core, kept)| read(core, kept)).collect::<Result<_, BakeError>>()?;
    if own.prebaked.is_some() {
        tiles.push(read(own.window, own)?);
    }
    let mut result = Heightfield { frame: frame.window(window), columns: vec![0], spans: Vec::new() };
    for z in window.z..window.end_z() {
        for x in window.x..window.end_x() {
            if let Some((_, held, tile)) = tiles.iter().find(|(core, ..)| core.contains(x, z)) {
                let column = (z - held.z) as usize * held.width as usize + (x - held.x) as usize;
                let spans = tile.columns[column] as usize..tile.columns[column + 1] as usize;
                result.spans.extend_from_slice(&tile.spans[spans]);
            }
            result.columns.push(u32::try_from(result.spans.len()).unwrap_or(u32::MAX));
        }
    }
    Ok(result)
}
