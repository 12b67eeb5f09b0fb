//! The ground of the polygons of some tiles.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use waymesh_core::stage::StageError;
use waymesh_core::{GridWindow, HeightSurface, LabelledWindow, NO_REGION, Observer, PolyId, to_u32};
use waymesh_detail::fit_heights_of;
use waymesh_graph::{JoinedTiles, MeshTile, TileKey};
use waymesh_tile::{Tile, TileLayout};
use waymesh_voxel::VoxelError;

use super::build::BuiltTile;
use super::join::key;

use crate::bake::{BakeError, StageSet};

/// Fits the ground of the `wanted` tiles. `joined` are these and those around them, `made` the same
/// one by one: an edge between two tiles gets its points from the ground on both sides, so that
/// both tiles get the same points.
pub(super) fn fit<'a>(
    stages: &StageSet,
    joined: &JoinedTiles,
    made: &BTreeMap<TileKey, MeshTile>,
    layout: &TileLayout,
    tiles: &(impl Fn(Tile) -> Option<&'a Arc<BuiltTile>> + Sync),
    wanted: &BTreeSet<Tile>,
    observer: &mut dyn Observer,
) -> Result<BTreeMap<Tile, Arc<HeightSurface>>, BakeError> {
    if wanted.is_empty() {
        return Ok(BTreeMap::new());
    }
    let frame = *layout.frame();
    // What is added to a tile's own region numbers in the mesh of all these; no polygon is in a region
    // of another tile.
    let mut regions = 0;
    let mut bases = BTreeMap::new();
    for (&key, tile) in made {
        bases.insert(key, regions);
        regions += tile.regions;
    }
    let source = |window: GridWindow| {
        let mut parts = Vec::new();
        for tile in layout.tiles_over(&window.grown(1, &frame)) {
            let Some(built) = tiles(tile) else { continue };
            let part = built.field.unpack()?;
            if part.frame != frame || part.core != layout.core(tile) {
                return Err(VoxelError::Damaged { what: "field of a tile: other columns", at: 0 }.into());
            }
            let base = bases.get(&key(tile)).copied().unwrap_or(regions);
            let mut regions = built.labels.unpack(&part.field);
            regions.labels.iter_mut().filter(|label| **label != NO_REGION).for_each(|label| *label += base);
            regions.count = u32::MAX - 1;
            parts.push(LabelledWindow { part, regions });
        }
        let parts: Vec<&LabelledWindow> = parts.iter().collect();
        Ok(LabelledWindow::assemble(frame, window, &parts))
    };
    let windows = crate::front::tiles::windows(stages.config().max_memory_bytes);
    let ranges = wanted.iter().filter_map(|&tile| joined.ranges.get(&key(tile)));
    let polygons: Vec<PolyId> = ranges.cloned().flatten().map(PolyId::from_index).collect();
    let config = stages.detail_config();
    let surface = fit_heights_of(&joined.polygons, &polygons, &source, &config, &windows, observer)
        .map_err(StageError::at("heights"))?;
    let bound = stages.config().max_height_error_levels;
    let of_tile = |&tile: &Tile| {
        let range = joined.ranges.get(&key(tile))?.clone();
        Some((tile, Arc::new(part_of(&surface, range, bound))))
    };
    Ok(wanted.iter().filter_map(of_tile).collect())
}

/// The ground of some polygons. Its error is the bound: what is found depends on the tiles that
/// were fitted together, and a world must not show in which order it was built.
fn part_of(surface: &HeightSurface, polygons: Range<usize>, bound: f32) -> HeightSurface {
    let mut part = HeightSurface {
        points: Vec::new(),
        triangles: Vec::new(),
        polygon_triangles: vec![0],
        max_error: surface.max_error.max(bound),
    };
    let mut numbers = BTreeMap::new();
    for polygon in polygons {
        for corners in surface.triangles_of(PolyId::from_index(polygon)) {
            part.triangles.push(corners.map(|point| {
                *numbers.entry(point).or_insert_with(|| {
                    part.points.push(surface.points[point as usize]);
                    to_u32(part.points.len() - 1)
                })
            }));
        }
        part.polygon_triangles.push(to_u32(part.triangles.len()));
    }
    part
}
