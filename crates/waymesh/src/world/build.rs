//! One tile: its voxels as they are kept, and what is built of them.

use waymesh_core::stage::StageError;
use waymesh_core::{CancelToken, GridFrame, GridWindow, Heightfield, TriangleSoup, Validate};
use waymesh_voxel::{
    Climb, FieldBuilder, Obstacle, PackedField, PackedHeightfield, VoxelConfig, stamp_obstacles,
};

use super::polygons::{TilePolygons, tile_polygons};
use crate::bake::{BakeError, Recorder, StageSet};
use crate::front::tiles::field_window;

fn failed(error: waymesh_voxel::VoxelError) -> BakeError {
    StageError::new("voxelize", error).into()
}

fn voxels(stages: &StageSet) -> VoxelConfig {
    let config = stages.config();
    VoxelConfig::for_agent(&config.agent)
        .with_scale(config.scale)
        .with_threads(1)
        .with_max_memory_bytes(config.max_memory_bytes)
}

/// The solid voxels of a tile's own columns, without obstacles.
#[derive(Debug)]
pub(super) struct KeptTile {
    solid: PackedHeightfield,
    /// What they were made of, where jumps are looked for.
    pub(super) triangles: TriangleSoup,
}

impl KeptTile {
    pub(super) fn rasterize(
        stages: &StageSet,
        frame: &GridFrame,
        core: GridWindow,
        soup: &TriangleSoup,
    ) -> Result<Self, BakeError> {
        let solid = stages.rasterize_window(soup, frame, core, &voxels(stages))?;
        let triangles = if stages.config().jumps.is_some() { soup.clone() } else { TriangleSoup::default() };
        Ok(Self { solid: PackedHeightfield::pack(&solid).map_err(failed)?, triangles })
    }
}

/// What is built of a tile and the voxels around it.
#[derive(Debug)]
pub(super) struct BuiltTile {
    pub(super) polygons: TilePolygons,
    /// Its columns and the ring around them.
    pub(super) field: PackedField,
    /// Region of each span of the field in its own numbers.
    pub(super) labels: Vec<u32>,
    pub(super) regions: u32,
    /// Where the agent can climb from its columns.
    pub(super) climbs: Vec<Climb>,
}

impl BuiltTile {
    pub(super) fn build(
        stages: &StageSet,
        frame: &GridFrame,
        core: GridWindow,
        window: GridWindow,
        around: &[(GridWindow, &KeptTile)],
        obstacles: &[Obstacle],
        builder: &FieldBuilder,
    ) -> Result<Self, BakeError> {
        let mut heightfield = gather(frame, window, around)?;
        if !obstacles.is_empty() {
            stamp_obstacles(&mut heightfield, frame, window, obstacles, &voxels(stages), &mut ())
                .map_err(failed)?;
        }
        let (part, climbs) =
            field_window(&heightfield, frame, [window, core], builder, stages.config(), &mut ())
                .map_err(failed)?;
        drop(heightfield);
        stages.check("field", |list| part.violations(list))?;
        let (polygons, labels, regions) =
            tile_polygons(stages, &part, &mut Recorder::new(&mut CancelToken::current()))?;
        Ok(Self { polygons, field: PackedField::pack(&part).map_err(failed)?, labels, regions, climbs })
    }
}

/// The voxels of a window, from the tiles that hold them. Columns without a tile are empty.
fn gather(
    frame: &GridFrame,
    window: GridWindow,
    around: &[(GridWindow, &KeptTile)],
) -> Result<Heightfield, BakeError> {
    let tiles: Vec<(GridWindow, Heightfield)> = around
        .iter()
        .map(|(core, kept)| Ok((*core, kept.solid.unpack().map_err(failed)?)))
        .collect::<Result<_, BakeError>>()?;
    let mut result = Heightfield { frame: frame.window(window), columns: vec![0], spans: Vec::new() };
    for z in window.z..window.end_z() {
        for x in window.x..window.end_x() {
            if let Some((core, tile)) = tiles.iter().find(|(core, _)| core.contains(x, z)) {
                let column = (z - core.z) as usize * core.width as usize + (x - core.x) as usize;
                let spans = tile.columns[column] as usize..tile.columns[column + 1] as usize;
                result.spans.extend_from_slice(&tile.spans[spans]);
            }
            result.columns.push(u32::try_from(result.spans.len()).unwrap_or(u32::MAX));
        }
    }
    Ok(result)
}
