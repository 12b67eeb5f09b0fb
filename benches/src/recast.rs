//! Native Recast, solo build.

use anyhow::{Context as _, Result};
use glam::Vec3;
use recastnavigation_rs::recast::{
    RC_MESH_NULL_IDX, RC_NULL_AREA, RcBuildContoursFlags, RcCompactHeightfield, RcContext, RcContourSet,
    RcHeightfield, RcPolyMesh, RcPolyMeshDetail, rc_build_compact_heightfield, rc_build_contours,
    rc_build_distance_field, rc_build_poly_mesh, rc_build_poly_mesh_detail, rc_build_regions,
    rc_build_regions_monotone, rc_calc_grid_size, rc_create_heightfield, rc_erode_walkable_area,
    rc_filter_ledge_spans, rc_filter_low_hanging_walkable_obstacles, rc_filter_walkable_low_height_spans,
    rc_mark_walkable_triangles, rc_rasterize_triangles_1,
};

use crate::compare::Engine;
use crate::measure::{Bake, Clock, Counts, Stage};
use crate::{Partitioning, PolygonMesh, Scene, Settings};

/// Native Recast through the crate `recastnavigation-rs`, which compiles upstream's C++.
pub(crate) const RECAST: Engine = Engine {
    name: "Recast",
    notes: &[
        "Recast: upstream C++ as the crate recastnavigation-rs builds it; -march=native and LTO make it 1.09 to 1.19 x \
         faster (CXXFLAGS=-march=native reaches it).",
    ],
    bake: |scene, settings| {
        Ok(bake_recast(scene, settings)?.map(|(polygons, detail)| mesh(&polygons, &detail)))
    },
};

/// Recast's own results: polygons on the grid, and heights.
pub type RecastBake = Bake<(RcPolyMesh, RcPolyMeshDetail)>;

/// A whole scene.
fn whole(scene: &Scene, settings: &Settings) -> (Grid, Vec<[i32; 3]>) {
    let bounds = scene.soup.bounds();
    let (low, high) = (bounds.min.to_array(), bounds.max.to_array());
    let (width, depth) = rc_calc_grid_size(&low, &high, settings.scale.cell_size);
    let triangles = scene.soup.triangles().iter().map(|corners| corners.map(u32::cast_signed));
    (Grid { low, high, width, depth, border: 0 }, triangles.collect())
}

/// Runs RecastDemo's solo build.
///
/// # Errors
/// When a stage of Recast fails.
pub fn bake_recast(scene: &Scene, settings: &Settings) -> Result<RecastBake> {
    let (grid, triangles) = whole(scene, settings);
    bake(scene, settings, &triangles, &grid)
}

/// Milliseconds in which Recast judges slopes and rasterises a scene.
#[cfg(feature = "gpu")]
pub(crate) fn rasterize_recast(scene: &Scene, settings: &Settings) -> Result<f64> {
    let (grid, triangles) = whole(scene, settings);
    let vertices: Vec<[f32; 3]> = scene.soup.positions().iter().map(Vec3::to_array).collect();
    let run = || rasterize(&mut RcContext::new(false), settings, &vertices, &triangles, &grid);
    let (solid, time) = crate::measure::fastest(3, run);
    solid.map(|_| time.wall)
}

/// Runs RecastDemo's tile build, tile by tile: calls `take` with the place of each tile and what
/// came out.
///
/// # Errors
/// When a stage of Recast fails, or `take` does.
pub(crate) fn bake_recast_tiles(
    scene: &Scene,
    settings: &Settings,
    tile_cells: u16,
    take: &mut dyn FnMut([i32; 2], RecastBake) -> Result<()>,
) -> Result<()> {
    let bounds = scene.soup.bounds();
    let cell = settings.scale.cell_size;
    let (width, depth) = rc_calc_grid_size(&bounds.min.to_array(), &bounds.max.to_array(), cell);
    let (side, border) = (i32::from(tile_cells), settings.on_grid().radius + 3);
    let padding = border as f32 * cell;
    let [columns, rows] = [width, depth].map(|cells| (cells + side - 1) / side);
    for (z, x) in (0..rows).flat_map(|z| (0..columns).map(move |x| (z, x))) {
        let corner = |x: i32, y: f32, z: i32| {
            let step = (side as f32) * cell;
            Vec3::new(bounds.min.x + x as f32 * step, y, bounds.min.z + z as f32 * step)
        };
        let around = Vec3::new(padding, 0.0, padding);
        let low = corner(x, bounds.min.y, z) - around;
        let high = corner(x + 1, bounds.max.y, z + 1) + around;
        let near = |corners: &&[u32; 3]| {
            let corners = corners.map(|corner| scene.soup.positions()[corner as usize]);
            let around = waymesh_core::Bounds::of(corners);
            around.min.cmple(high).all() && around.max.cmpge(low).all()
        };
        let triangles: Vec<[i32; 3]> =
            scene.soup.triangles().iter().filter(near).map(|corners| corners.map(u32::cast_signed)).collect();
        let size = side + 2 * border;
        let (low, high) = (low.to_array(), high.to_array());
        let tile = bake(scene, settings, &triangles, &Grid { low, high, width: size, depth: size, border })?;
        if tile.result.0.npolys() > 0 {
            take([x, z], tile)?;
        }
    }
    Ok(())
}

/// The grid of voxels.
struct Grid {
    low: [f32; 3],
    high: [f32; 3],
    width: i32,
    depth: i32,
    /// Width in cells of the border around each tile that becomes no polygon.
    border: i32,
}

/// The heightfield of some triangles.
fn rasterize(
    context: &mut RcContext,
    settings: &Settings,
    vertices: &[[f32; 3]],
    triangles: &[[i32; 3]],
    &Grid { low, high, width, depth, .. }: &Grid,
) -> Result<RcHeightfield> {
    let (cell, level) = (settings.scale.cell_size, settings.scale.level_height);
    let mut solid = RcHeightfield::new();
    rc_create_heightfield(context, &mut solid, width, depth, &low, &high, cell, level)?;
    let mut areas = vec![RC_NULL_AREA; triangles.len()];
    let slope = settings.agent.max_slope.to_degrees();
    rc_mark_walkable_triangles(context, slope, vertices, triangles, &mut areas)?;
    let step = settings.on_grid().step;
    let is_done = rc_rasterize_triangles_1(context, vertices, triangles, &areas, &mut solid, step)?;
    is_done.then_some(solid).context("Recast, raster: out of memory")
}

fn bake(scene: &Scene, settings: &Settings, triangles: &[[i32; 3]], grid: &Grid) -> Result<RecastBake> {
    let vertices: Vec<[f32; 3]> = scene.soup.positions().iter().map(Vec3::to_array).collect();
    let cells = settings.on_grid();
    let [least, merged] = [settings.min_region_cells, settings.merge_region_cells].map(i32::from);
    let context = &mut RcContext::new(false);
    let (mut counts, mut clock) = (Counts::default(), Clock::default());

    let mut solid = clock.run(Stage::Raster, || rasterize(context, settings, &vertices, triangles, grid))?;
    let columns = usize::try_from(solid.width() * solid.height()).unwrap_or(0);
    let spans = |column| std::iter::successors(solid.get_span(column), |span| span.next()).count();
    counts.spans = (0..columns).map(spans).sum();
    clock.run(Stage::Filter, || {
        rc_filter_low_hanging_walkable_obstacles(context, cells.step, &mut solid);
        rc_filter_ledge_spans(context, cells.height, cells.step, &mut solid);
        rc_filter_walkable_low_height_spans(context, cells.height, &mut solid);
    });
    let mut field = RcCompactHeightfield::new();
    clock.run(Stage::Compact, || {
        rc_build_compact_heightfield(context, cells.height, cells.step, &solid, &mut field)
    })?;
    drop(solid);
    counts.walkable_spans = walkable(&field);
    clock.run(Stage::Erode, || rc_erode_walkable_area(context, cells.radius, &mut field))?;
    counts.eroded_spans = walkable(&field);
    if settings.partition == Partitioning::Watershed {
        clock.run(Stage::Distance, || rc_build_distance_field(context, &mut field))?;
    }
    let partition = match settings.partition {
        Partitioning::Watershed => rc_build_regions,
        Partitioning::Monotone => rc_build_regions_monotone,
    };
    clock.run(Stage::Regions, || partition(context, &mut field, grid.border, least, merged))?;
    let regions: std::collections::HashSet<u16> = field.spans().iter().map(|span| span.reg).collect();
    counts.regions = regions.into_iter().filter(|&region| region != 0).count();
    let mut contours = RcContourSet::new();
    clock.run(Stage::Contours, || {
        let flags = RcBuildContoursFlags::RC_CONTOUR_TESS_WALL_EDGES;
        let error = settings.max_edge_error_cells;
        rc_build_contours(context, &field, error, cells.edge, &mut contours, flags)
    })?;
    let mut polygons = RcPolyMesh::new();
    clock.run(Stage::Polygons, || {
        rc_build_poly_mesh(context, &contours, settings.max_vertices.cast_signed(), &mut polygons)
    })?;
    let mut detail = RcPolyMeshDetail::new();
    clock.run(Stage::Detail, || {
        let distance = settings.detail_sample_cells * settings.scale.cell_size;
        let error = settings.detail_max_error_levels * settings.scale.level_height;
        rc_build_poly_mesh_detail(context, &polygons, &field, distance, error, &mut detail)
    })?;
    counts.contours = contours.nconts();
    counts.polygons = polygons.npolys();
    counts.vertices = polygons.nverts();
    counts.detail_vertices = detail.nverts();
    counts.detail_triangles = detail.ntris();
    Ok(Bake { times: clock.0, counts, result: (polygons, detail) })
}

fn walkable(field: &RcCompactHeightfield) -> usize {
    field.areas().iter().filter(|&&area| area != RC_NULL_AREA).count()
}

/// The polygons and the height surface under each, in world space.
#[must_use]
pub fn mesh(polygons: &RcPolyMesh, detail: &RcPolyMeshDetail) -> PolygonMesh {
    let (origin, scale) = (Vec3::from(polygons.bmin), Vec3::new(polygons.cs, polygons.ch, polygons.cs));
    // Each polygon has its corners first and its neighbours after them.
    let corners = |polygon: &[u16]| {
        let corners = polygon[..polygons.nvp()].iter().take_while(|&&corner| corner != RC_MESH_NULL_IDX);
        corners.map(|&corner| corner.into()).collect()
    };
    // A submesh: first vertex, vertices, first triangle, triangles. Corners count from the first
    // vertex; the fourth byte of a triangle holds flags.
    let ground = |&[base, _, first, count]: &[u32; 4]| {
        let corner = |corner: u8| Vec3::from(detail.verts()[(base + u32::from(corner)) as usize]);
        let triangles = &detail.tris()[first as usize..(first + count) as usize];
        triangles.iter().map(|&[a, b, c, _]| [a, b, c].map(corner)).collect()
    };
    PolygonMesh {
        vertices: polygons.verts().iter().map(|at| origin + scale * Vec3::from(at.map(f32::from))).collect(),
        polygons: polygons
            .polys()
            .chunks_exact(2 * polygons.nvp())
            .take(polygons.npolys())
            .map(corners)
            .collect(),
        ground: detail.meshes().iter().map(ground).collect(),
    }
}
