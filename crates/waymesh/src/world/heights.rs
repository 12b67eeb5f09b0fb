//! The ground of the polygons of some tiles.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use waymesh_core::stage::StageError;
use waymesh_core::{
    GridWindow, HeightSurface, LabelledWindow, NO_REGION, Observer, PlanPoint, PolyId, threads, to_u32,
};
use waymesh_detail::{FittedPolygons, fit_heights_of};
use waymesh_graph::{JoinedTiles, MeshTile, TileKey};
use waymesh_tile::{Tile, TileLayout};
use waymesh_voxel::VoxelError;

use super::build::BuiltTile;
use super::ground::Tiles;
use super::join::key;

use crate::bake::{BakeError, StageSet};

/// Distance in cells within which a tile influences the ground of a polygon. A place on an edge
/// takes its height from the columns around it and their neighbours.
const REACH: i32 = 2;

/// Columns of a window that a thread of several takes at least.
const LEAST_WINDOW: u64 = 1 << 16;

/// The ground of a tile of which nothing changed but what is beyond its border.
#[derive(Debug)]
pub(super) struct KnownGround {
    surface: HeightSurface,
    /// For each polygon, whether what changed may be near enough to change its ground.
    is_near: Vec<bool>,
}

impl KnownGround {
    /// Returns the reusable ground of a tile after a change of others. `None` if it belongs to other
    /// polygons, or misses its error bound at an unknown place.
    pub(super) fn new(
        surface: HeightSurface,
        tile: &MeshTile,
        changed: impl Iterator<Item = GridWindow>,
        bound: f32,
    ) -> Option<Self> {
        let is_of_tile = surface.polygon_triangles.len() == tile.polygons.len() + 1;
        if !is_of_tile || surface.max_error > bound {
            return None;
        }
        let changed: Vec<GridWindow> = changed.collect();
        let is_near = tile.polygons.iter().map(|polygon| {
            let corners = &tile.corners[polygon.first as usize..][..polygon.len as usize];
            let points = || corners.iter().map(|corner| tile.vertices[corner.index()].point);
            changed.iter().any(|window| is_near(points, window))
        });
        let is_near = is_near.collect();
        Some(Self { surface, is_near })
    }

    fn keeps(&self, polygon: usize) -> bool {
        !self.is_near[polygon]
    }
}

/// `true` if the box around some points is within reach of a window.
fn is_near<P: Iterator<Item = PlanPoint>>(points: impl Fn() -> P, window: &GridWindow) -> bool {
    let overlaps = |values: &dyn Fn(PlanPoint) -> i32, [low, high]: [u32; 2]| {
        let [low, high] = [i64::from(low) - i64::from(REACH), i64::from(high) + i64::from(REACH)];
        points().any(|point| i64::from(values(point)) <= high)
            && points().any(|point| i64::from(values(point)) >= low)
    };
    overlaps(&|point| point.x, [window.x, window.end_x()])
        && overlaps(&|point| point.z, [window.z, window.end_z()])
}

/// Fits the ground of the `wanted` tiles, where it is not known. `joined` are these and those
/// around them, `made` the same one by one: an edge between two tiles gets its points from the
/// ground on both sides, so that both tiles get the same points.
pub(super) fn fit(
    stages: &StageSet,
    joined: &JoinedTiles,
    made: &BTreeMap<TileKey, MeshTile>,
    layout: &TileLayout,
    tiles: &Tiles<'_>,
    wanted: &BTreeMap<Tile, Option<KnownGround>>,
    observer: &mut dyn Observer,
) -> Result<BTreeMap<Tile, Arc<HeightSurface>>, BakeError> {
    if wanted.is_empty() {
        return Ok(BTreeMap::new());
    }
    let frame = *layout.frame();
    // Offset of a tile's region numbers in the joined mesh; no polygon is in a region of another tile.
    let mut regions = 0;
    let mut bases = BTreeMap::new();
    for (&key, tile) in made {
        bases.insert(key, regions);
        regions += tile.regions;
    }
    let source = |window: GridWindow| {
        let unpack = |(tile, built): (Tile, &BuiltTile)| {
            let part = built.field.unpack()?;
            if part.frame != frame || part.core != layout.core(tile) {
                return Err(VoxelError::Damaged { what: "field of a tile: other columns", at: 0 });
            }
            let base = bases.get(&key(tile)).copied().unwrap_or(regions);
            let mut regions = built.labels.unpack(&part.field);
            regions.labels.iter_mut().filter(|label| **label != NO_REGION).for_each(|label| *label += base);
            regions.count = u32::MAX - 1;
            Ok(LabelledWindow { part, regions })
        };
        let over = layout.tiles_over(&window.grown(1, &frame));
        let over = over.filter_map(|tile| Some((tile, &**tiles.get(tile)?)));
        let parts = threads::map(over, unpack).into_iter().collect::<Result<Vec<_>, VoxelError>>()?;
        let parts: Vec<&LabelledWindow> = parts.iter().collect();
        Ok(LabelledWindow::assemble(frame, window, &parts))
    };
    let mut windows = crate::front::voxels::windows(stages.config().max_memory_bytes);
    // Threads fit windows side by side, if these are large enough: edges between two are fitted twice.
    let columns: u64 = wanted.keys().map(|&tile| layout.core(tile).column_count()).sum();
    let share = columns / (4 * threads::count() as u64);
    windows.window_columns = windows.window_columns.min(share.max(LEAST_WINDOW));
    let ranges = || {
        let of_tile = |(&tile, known)| Some((tile, joined.ranges.get(&key(tile))?.clone(), known));
        wanted.iter().filter_map(of_tile)
    };
    let unknown = ranges().flat_map(|(_, range, known): (_, Range<usize>, &Option<KnownGround>)| {
        let first = range.start;
        range.filter(move |polygon| !known.as_ref().is_some_and(|known| known.keeps(polygon - first)))
    });
    let polygons: Vec<PolyId> = unknown.map(PolyId::from_index).collect();
    let config = stages.detail_config();
    let fitted = fit_heights_of(&joined.polygons, &polygons, &source, &config, &windows, observer)
        .map_err(StageError::at("heights"))?;
    let bound = config.max_error_levels;
    let parts =
        ranges().map(|(tile, range, known)| (tile, Arc::new(part_of(&fitted, range, known.as_ref(), bound))));
    Ok(parts.collect())
}

/// The ground of the polygons of a tile: what is known, and what was fitted.
///
/// Points at the same place are one, wherever they are from, and the error is at least the bound:
/// a world must not show in which order it was built.
fn part_of(
    fitted: &FittedPolygons,
    polygons: Range<usize>,
    known: Option<&KnownGround>,
    bound: f32,
) -> HeightSurface {
    let mut part = HeightSurface {
        points: Vec::new(),
        triangles: Vec::new(),
        polygon_triangles: vec![0],
        max_error: bound,
    };
    let mut numbers = BTreeMap::new();
    for (own, polygon) in polygons.enumerate() {
        let (surface, of_surface) = match known.filter(|known| known.keeps(own)) {
            Some(known) => (&known.surface, own),
            None => {
                part.max_error = part.max_error.max(fitted.errors[polygon]);
                (&fitted.surface, polygon)
            }
        };
        for corners in surface.triangles_of(PolyId::from_index(of_surface)) {
            part.triangles.push(corners.map(|point| {
                let point = surface.points[point as usize];
                let place = [point.x, point.height, point.z].map(f32::to_bits);
                *numbers.entry(place).or_insert_with(|| {
                    part.points.push(point);
                    to_u32(part.points.len() - 1)
                })
            }));
        }
        part.polygon_triangles.push(to_u32(part.triangles.len()));
    }
    part
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "heights and errors that are copied")]
mod tests {
    use waymesh_core::{AreaId, PlanVertex, Poly, RegionId, SurfacePoint, VertexId};

    use super::*;

    /// Three squares of 10 cells in a row along x, from x = 0 on; their ground is two triangles each.
    fn row(max_error: f32) -> (MeshTile, HeightSurface) {
        let (mut tile, mut surface) = (
            MeshTile::default(),
            HeightSurface {
                points: Vec::new(),
                triangles: Vec::new(),
                polygon_triangles: vec![0],
                max_error,
            },
        );
        for square in 0..3 {
            let first = to_u32(tile.corners.len());
            for (x, z) in [(0, 0), (10, 0), (10, 10), (0, 10)] {
                tile.corners.push(VertexId(to_u32(tile.vertices.len())));
                let point = PlanPoint::new(10 * square + x, z);
                tile.vertices.push(PlanVertex { point, height: 1.0 });
                surface.points.push(SurfacePoint { x: point.x as f32, height: 1.0, z: point.z as f32 });
            }
            tile.polygons.push(Poly { first, len: 4, region: RegionId(0), area: AreaId::GROUND });
            surface.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
            surface.polygon_triangles.push(to_u32(surface.triangles.len()));
        }
        (tile, surface)
    }

    fn window(x: u32) -> GridWindow {
        GridWindow { x, z: 0, width: 30, depth: 10 }
    }

    #[test]
    fn only_the_ground_near_a_change_is_fitted_again() {
        let (tile, surface) = row(1.0);
        let known = |at| KnownGround::new(surface.clone(), &tile, [window(at)].into_iter(), 1.0).unwrap();
        let kept = |known: KnownGround| [0, 1, 2].map(|polygon| known.keeps(polygon));
        assert_eq!(kept(known(30)), [true, true, false]);
        assert_eq!(kept(known(22)), [true, false, false]);
        assert_eq!(kept(known(33)), [true; 3]);

        let (_, mut other) = row(1.0);
        other.points.iter_mut().for_each(|point| point.height = 2.0);
        let fitted = FittedPolygons { surface: other, errors: vec![9.0, 9.0, 0.5] };
        let part = part_of(&fitted, 0..3, Some(&known(30)), 1.0);
        let height = |polygon| {
            let [corners, _] = part.triangles_of(PolyId(polygon)) else { panic!("two triangles") };
            part.points[corners[0] as usize].height
        };
        assert_eq!([0, 1, 2].map(height), [1.0, 1.0, 2.0]);
        // Squares of the same ground share the points between them.
        assert_eq!((part.points.len(), part.max_error), (6 + 4, 1.0));
    }

    /// Written ground does not record the polygon that misses the bound.
    #[test]
    fn ground_that_misses_its_bound_is_fitted_again() {
        let (tile, surface) = row(1.5);
        assert!(KnownGround::new(surface.clone(), &tile, [window(30)].into_iter(), 1.0).is_none());
        let fitted = FittedPolygons { surface, errors: vec![0.5, 1.5, 0.5] };
        assert_eq!(part_of(&fitted, 0..3, None, 1.0).max_error, 1.5);
        assert_eq!(part_of(&fitted, 0..1, None, 1.0).max_error, 1.0);
    }
}
