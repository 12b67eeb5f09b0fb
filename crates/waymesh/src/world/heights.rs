//! The ground of the polygons of some tiles, and that of all tiles as one surface.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use waymesh_core::stage::StageError;
use waymesh_core::{
    GridWindow, HeightSurface, LabelledWindow, NO_REGION, Observer, Poly, PolyId, PolyMesh, SurfacePoint,
    VertexId, to_u32,
};
use waymesh_detail::fit_heights_windowed;
use waymesh_tile::{Tile, TileLayout};
use waymesh_voxel::VoxelError;

use super::build::BuiltTile;
use super::join::Joined;

use crate::bake::{BakeError, StageSet};

/// The ground of a tile's polygons, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Patch {
    pub(super) points: Vec<SurfacePoint>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// Number of triangles of each polygon.
    pub(super) counts: Vec<u32>,
    pub(super) max_error: f32,
}

/// Fits the ground of the `wanted` tiles.
///
/// The polygons of the tiles around them are fitted as well and dropped: an edge between two tiles
/// gets its points from the ground on both sides, so that both tiles get the same points.
pub(super) fn fit(
    stages: &StageSet,
    joined: &Joined,
    layout: &TileLayout,
    tiles: &BTreeMap<Tile, &Arc<BuiltTile>>,
    wanted: &BTreeSet<Tile>,
    observer: &mut dyn Observer,
) -> Result<BTreeMap<Tile, Arc<Patch>>, BakeError> {
    if wanted.is_empty() {
        return Ok(BTreeMap::new());
    }
    let frame = *layout.frame();
    let around: BTreeSet<Tile> = wanted
        .iter()
        .flat_map(|&tile| layout.tiles_over(&layout.core(tile).grown(1, &frame)))
        .filter(|tile| tiles.contains_key(tile))
        .collect();
    let (polygons, ranges) = part_of(joined, &around);
    let bases = region_bases(tiles);
    let source = |window: GridWindow| {
        let mut parts = Vec::new();
        for tile in layout.tiles_over(&window.grown(1, &frame)) {
            let Some(built) = tiles.get(&tile) else { continue };
            let part = built.field.unpack()?;
            if part.frame != frame || part.core != layout.core(tile) {
                return Err(VoxelError::Damaged { what: "field of a tile: other columns", at: 0 }.into());
            }
            let base = bases[&tile];
            let mut regions = built.labels.unpack(&part.field);
            regions.labels.iter_mut().filter(|label| **label != NO_REGION).for_each(|label| *label += base);
            regions.count = u32::MAX - 1;
            parts.push(LabelledWindow { part, regions });
        }
        let parts: Vec<&LabelledWindow> = parts.iter().collect();
        Ok(LabelledWindow::assemble(frame, window, &parts))
    };
    let windows = crate::front::tiles::windows(stages.config().max_memory_bytes);
    let surface = fit_heights_windowed(&polygons, &source, &stages.detail_config(), &windows, observer)
        .map_err(StageError::at("heights"))?;
    let mut patches = BTreeMap::new();
    for &tile in wanted {
        let Some(&(first, end)) = ranges.get(&tile) else { continue };
        let bound = stages.config().max_height_error_levels;
        patches.insert(tile, Arc::new(patch(&surface, first, end, bound)));
    }
    Ok(patches)
}

/// What is added to a tile's own region numbers in the mesh of all tiles.
pub(super) fn region_bases(tiles: &BTreeMap<Tile, &Arc<BuiltTile>>) -> BTreeMap<Tile, u32> {
    let mut base = 0_u32;
    tiles
        .iter()
        .map(|(&tile, built)| {
            let own = base;
            base = base.saturating_add(built.regions());
            (tile, own)
        })
        .collect()
}

/// The polygons of some tiles as a mesh of their own, and where those of each tile are in it.
fn part_of(joined: &Joined, wanted: &BTreeSet<Tile>) -> (PolyMesh, BTreeMap<Tile, (usize, usize)>) {
    let whole = &joined.polygons;
    let mut numbers = vec![None; whole.polygons.len()];
    let mut ranges = BTreeMap::new();
    let mut count = 0;
    for (&tile, &(first, end)) in &joined.ranges {
        if wanted.contains(&tile) {
            ranges.insert(tile, (count, count + end - first));
            for number in &mut numbers[first..end] {
                *number = Some(PolyId::from_index(count));
                count += 1;
            }
        }
    }
    let mut part = PolyMesh {
        frame: whole.frame,
        vertices: Vec::new(),
        polygons: Vec::with_capacity(count),
        corners: Vec::new(),
        neighbours: Vec::new(),
    };
    // In the order of the whole mesh, by which heights on shared edges are decided.
    let ids = || joined.ranges.iter().filter(|(tile, _)| wanted.contains(tile)).flat_map(|(_, &(a, b))| a..b);
    let mut used: Vec<VertexId> =
        ids().flat_map(|id| whole.corners(PolyId::from_index(id))).copied().collect();
    used.sort_unstable();
    used.dedup();
    part.vertices.extend(used.iter().map(|vertex| whole.vertices[vertex.index()]));
    let number = |vertex: &VertexId| VertexId(to_u32(used.binary_search(vertex).unwrap_or_default()));
    for id in ids().map(PolyId::from_index) {
        let first = to_u32(part.corners.len());
        part.polygons.push(Poly { first, ..whole.polygons[id.index()] });
        part.corners.extend(whole.corners(id).iter().map(number));
        let neighbours = whole.neighbours(id).iter();
        part.neighbours
            .extend(neighbours.map(|neighbour| neighbour.and_then(|polygon| numbers[polygon.index()])));
    }
    (part, ranges)
}

/// The ground of polygons `first..end`. Its error is the bound: what is found depends on the tiles
/// that were fitted together, and a world must not show in which order it was built.
fn patch(surface: &HeightSurface, first: usize, end: usize, bound: f32) -> Patch {
    let mut patch = Patch { max_error: surface.max_error.max(bound), ..Patch::default() };
    let mut numbers = BTreeMap::new();
    for polygon in first..end {
        let triangles = surface.triangles_of(PolyId::from_index(polygon));
        patch.counts.push(to_u32(triangles.len()));
        for corners in triangles {
            patch.triangles.push(corners.map(|point| {
                *numbers.entry(point).or_insert_with(|| {
                    patch.points.push(surface.points[point as usize]);
                    to_u32(patch.points.len() - 1)
                })
            }));
        }
    }
    patch
}

/// The ground of all tiles.
pub(super) fn assemble(joined: &Joined, patches: &BTreeMap<Tile, Arc<Patch>>) -> HeightSurface {
    let mut surface = HeightSurface {
        points: Vec::new(),
        triangles: Vec::new(),
        polygon_triangles: Vec::with_capacity(joined.polygons.polygons.len() + 1),
        max_error: 0.0,
    };
    surface.polygon_triangles.push(0);
    let mut last = 0;
    for tile in joined.ranges.keys() {
        let Some(patch) = patches.get(tile) else { continue };
        let base = to_u32(surface.points.len());
        surface.points.extend_from_slice(&patch.points);
        surface.triangles.extend(patch.triangles.iter().map(|corners| corners.map(|point| point + base)));
        for &count in &patch.counts {
            last += count;
            surface.polygon_triangles.push(last);
        }
        surface.max_error = surface.max_error.max(patch.max_error);
    }
    surface
}
