//! Native Recast, solo build.

use glam::Vec3;
use recastnavigation_rs::XError;
use recastnavigation_rs::recast::{
    RC_MESH_NULL_IDX, RC_NULL_AREA, RcBuildContoursFlags, RcCompactHeightfield, RcContext, RcContourSet,
    RcHeightfield, RcPolyMesh, RcPolyMeshDetail, rc_build_compact_heightfield, rc_build_contours,
    rc_build_distance_field, rc_build_poly_mesh, rc_build_poly_mesh_detail, rc_build_regions,
    rc_build_regions_monotone, rc_calc_grid_size, rc_create_heightfield, rc_erode_walkable_area,
    rc_filter_ledge_spans, rc_filter_low_hanging_walkable_obstacles, rc_filter_walkable_low_height_spans,
    rc_mark_walkable_triangles, rc_rasterize_triangles_1,
};

use crate::{
    Bake, BenchError, Clock, Counts, Engine, Partitioning, PolygonMesh, Scene, Settings, Stage, StageTimes,
};

const NAME: &str = "Recast";

/// Native Recast through the crate `recastnavigation-rs`, which compiles upstream's C++.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recast;

/// Recast's own results, for Detour.
#[derive(Debug)]
pub struct RecastBake {
    /// How long each stage took.
    pub times: StageTimes,
    /// What came out.
    pub counts: Counts,
    /// Polygons on the grid.
    pub polygons: RcPolyMesh,
    /// Heights.
    pub detail: RcPolyMeshDetail,
}

impl Engine for Recast {
    fn name(&self) -> &'static str {
        NAME
    }

    fn notes(&self) -> &'static [&'static str] {
        &[
            "Recast: upstream C++ as the crate recastnavigation-rs builds it; -march=native and LTO make it 1.09 to 1.19 x \
           faster (CXXFLAGS=-march=native reaches it).",
        ]
    }

    fn bake(&self, scene: &Scene, settings: &Settings) -> Result<Bake, BenchError> {
        let bake = bake_recast(scene, settings)?;
        let mesh = bake.mesh();
        Ok(Bake { times: bake.times, counts: bake.counts, mesh })
    }
}

/// Runs RecastDemo's solo build.
///
/// # Errors
/// When a stage of Recast fails.
pub fn bake_recast(scene: &Scene, settings: &Settings) -> Result<RecastBake, BenchError> {
    let triangles: Vec<[i32; 3]> =
        scene.soup.triangles().iter().map(|corners| corners.map(u32::cast_signed)).collect();
    let bounds = scene.soup.bounds();
    let (low, high) = (bounds.min.to_array(), bounds.max.to_array());
    let (width, depth) = rc_calc_grid_size(&low, &high, settings.scale.cell_size);
    bake(scene, settings, &triangles, &Grid { low, high, width, depth, border: 0 })
}

/// Returns how long Recast takes to judge slopes and to rasterise a scene, in milliseconds.
///
/// # Errors
/// When Recast fails.
pub fn rasterize_recast(scene: &Scene, settings: &Settings) -> Result<f64, BenchError> {
    let triangles: Vec<[i32; 3]> =
        scene.soup.triangles().iter().map(|corners| corners.map(u32::cast_signed)).collect();
    let vertices: Vec<[f32; 3]> = scene.soup.positions().iter().map(Vec3::to_array).collect();
    let bounds = scene.soup.bounds();
    let (low, high) = (bounds.min.to_array(), bounds.max.to_array());
    let (width, depth) = rc_calc_grid_size(&low, &high, settings.scale.cell_size);
    let grid = Grid { low, high, width, depth, border: 0 };
    let start = std::time::Instant::now();
    let solid = rasterize(&mut RcContext::new(false), settings, &vertices, &triangles, &grid)?;
    let time = start.elapsed();
    drop(solid);
    Ok(time.as_secs_f64() * 1e3)
}

/// Runs RecastDemo's tile build, tile by tile: calls `take` with the place of each tile and what
/// came out.
///
/// # Errors
/// When a stage of Recast fails, or `take` does.
pub fn bake_recast_tiles(
    scene: &Scene,
    settings: &Settings,
    tile_cells: u16,
    take: &mut dyn FnMut([i32; 2], RecastBake) -> Result<(), BenchError>,
) -> Result<(), BenchError> {
    let bounds = scene.soup.bounds();
    let cell = settings.scale.cell_size;
    let (width, depth) = rc_calc_grid_size(&bounds.min.to_array(), &bounds.max.to_array(), cell);
    let (side, border) = (i32::from(tile_cells), settings.radius_cells() + 3);
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
            let (least, most) =
                corners.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(least, most), &at| {
                    (least.min(at), most.max(at))
                });
            least.cmple(high).all() && most.cmpge(low).all()
        };
        let triangles: Vec<[i32; 3]> =
            scene.soup.triangles().iter().filter(near).map(|corners| corners.map(u32::cast_signed)).collect();
        let size = side + 2 * border;
        let (low, high) = (low.to_array(), high.to_array());
        let tile = bake(scene, settings, &triangles, &Grid { low, high, width: size, depth: size, border })?;
        if tile.polygons.npolys() > 0 {
            take([x, z], tile)?;
        }
    }
    Ok(())
}

/// What is voxelised.
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
) -> Result<RcHeightfield, BenchError> {
    let failed = |source: XError| BenchError::stage(NAME, Stage::Raster, source);
    let (cell, level) = (settings.scale.cell_size, settings.scale.level_height);
    let mut solid = RcHeightfield::new();
    rc_create_heightfield(context, &mut solid, width, depth, &low, &high, cell, level).map_err(failed)?;
    let mut areas = vec![RC_NULL_AREA; triangles.len()];
    rc_mark_walkable_triangles(context, settings.max_slope_degrees(), vertices, triangles, &mut areas)
        .map_err(failed)?;
    let step = settings.step_levels();
    let rasterised =
        rc_rasterize_triangles_1(context, vertices, triangles, &areas, &mut solid, step).map_err(failed)?;
    if rasterised { Ok(solid) } else { Err(failed(XError::OutOfMemory)) }
}

fn bake(
    scene: &Scene,
    settings: &Settings,
    triangles: &[[i32; 3]],
    grid: &Grid,
) -> Result<RecastBake, BenchError> {
    let vertices: Vec<[f32; 3]> = scene.soup.positions().iter().map(Vec3::to_array).collect();
    let border = grid.border;
    let (cell, level) = (settings.scale.cell_size, settings.scale.level_height);
    let (height, step) = (settings.height_levels(), settings.step_levels());
    let (min_region, merge_region) =
        (i32::from(settings.min_region_cells), i32::from(settings.merge_region_cells));
    let failed = |stage| move |source: XError| BenchError::stage(NAME, stage, source);
    let mut context = RcContext::new(false);
    let context = &mut context;
    let mut counts = Counts::default();

    let mut clock = Clock::start();
    let mut solid = rasterize(context, settings, &vertices, triangles, grid)?;
    clock.lap(Stage::Raster);
    counts.spans = span_count(&solid);

    clock.skip();
    rc_filter_low_hanging_walkable_obstacles(context, step, &mut solid);
    rc_filter_ledge_spans(context, height, step, &mut solid);
    rc_filter_walkable_low_height_spans(context, height, &mut solid);
    clock.lap(Stage::Filter);

    let mut field = RcCompactHeightfield::new();
    rc_build_compact_heightfield(context, height, step, &solid, &mut field)
        .map_err(failed(Stage::Compact))?;
    clock.lap(Stage::Compact);
    drop(solid);
    counts.walkable_spans = walkable(&field);

    clock.skip();
    rc_erode_walkable_area(context, settings.radius_cells(), &mut field).map_err(failed(Stage::Erode))?;
    clock.lap(Stage::Erode);
    counts.eroded_spans = walkable(&field);

    clock.skip();
    match settings.partition {
        Partitioning::Watershed => {
            rc_build_distance_field(context, &mut field).map_err(failed(Stage::Distance))?;
            clock.lap(Stage::Distance);
            rc_build_regions(context, &mut field, border, min_region, merge_region)
        }
        Partitioning::Monotone => {
            rc_build_regions_monotone(context, &mut field, border, min_region, merge_region)
        }
    }
    .map_err(failed(Stage::Regions))?;
    clock.lap(Stage::Regions);
    let mut regions: Vec<u16> = field.spans().iter().map(|span| span.reg).collect();
    regions.sort_unstable();
    regions.dedup();
    counts.regions = regions.iter().filter(|&&region| region != 0).count();

    clock.skip();
    let mut contours = RcContourSet::new();
    rc_build_contours(
        context,
        &field,
        settings.max_edge_error_cells,
        settings.max_edge_length_cells(),
        &mut contours,
        RcBuildContoursFlags::RC_CONTOUR_TESS_WALL_EDGES,
    )
    .map_err(failed(Stage::Contours))?;
    clock.lap(Stage::Contours);

    let mut polygons = RcPolyMesh::new();
    rc_build_poly_mesh(context, &contours, settings.max_vertices.cast_signed(), &mut polygons)
        .map_err(failed(Stage::Polygons))?;
    clock.lap(Stage::Polygons);

    let mut detail = RcPolyMeshDetail::new();
    rc_build_poly_mesh_detail(
        context,
        &polygons,
        &field,
        settings.detail_sample_cells * cell,
        settings.detail_max_error_levels * level,
        &mut detail,
    )
    .map_err(failed(Stage::Detail))?;
    clock.lap(Stage::Detail);

    counts.contours = contours.nconts();
    counts.polygons = polygons.npolys();
    counts.vertices = polygons.nverts();
    counts.detail_vertices = detail.nverts();
    counts.detail_triangles = detail.ntris();
    Ok(RecastBake { times: clock.times(), counts, polygons, detail })
}

fn span_count(solid: &RcHeightfield) -> usize {
    let columns = usize::try_from(solid.width() * solid.height()).unwrap_or(0);
    (0..columns).map(|column| std::iter::successors(solid.get_span(column), |span| span.next()).count()).sum()
}

fn walkable(field: &RcCompactHeightfield) -> usize {
    field.areas().iter().filter(|&&area| area != RC_NULL_AREA).count()
}

impl RecastBake {
    /// The polygons in world space.
    #[must_use]
    pub fn mesh(&self) -> PolygonMesh {
        let polygons = &self.polygons;
        let origin = Vec3::from(polygons.bmin);
        let scale = Vec3::new(polygons.cs, polygons.ch, polygons.cs);
        let stride = polygons.nvp();
        PolygonMesh {
            vertices: polygons
                .verts()
                .iter()
                .map(|vertex| origin + scale * Vec3::from(vertex.map(f32::from)))
                .collect(),
            // Each polygon has its corners first and its neighbours after them.
            polygons: polygons
                .polys()
                .chunks_exact(2 * stride)
                .take(polygons.npolys())
                .map(|polygon| {
                    polygon[..stride]
                        .iter()
                        .take_while(|&&corner| corner != RC_MESH_NULL_IDX)
                        .map(|&corner| u32::from(corner))
                        .collect()
                })
                .collect(),
        }
    }

    /// The triangles of the height surface under each polygon, in world space.
    #[must_use]
    pub fn ground(&self) -> Vec<Vec<[Vec3; 3]>> {
        let vertices = self.detail.verts();
        let corner = |base: u32, corner: u8| Vec3::from(vertices[(base + u32::from(corner)) as usize]);
        let submesh = |&[base, _, first, count]: &[u32; 4]| {
            let triangles = &self.detail.tris()[first as usize..(first + count) as usize];
            triangles.iter().map(|t| [corner(base, t[0]), corner(base, t[1]), corner(base, t[2])]).collect()
        };
        self.detail.meshes().iter().map(submesh).collect()
    }

    /// The height surface in world space.
    #[must_use]
    pub fn detail_mesh(&self) -> PolygonMesh {
        // A submesh: first vertex, vertices, first triangle, triangles. Corners count from the first
        // vertex; the fourth byte of a triangle holds flags.
        let triangles = self.detail.meshes().iter().flat_map(|&[base, _, first, count]| {
            self.detail.tris()[first as usize..(first + count) as usize]
                .iter()
                .map(move |corners| corners[..3].iter().map(|&corner| base + u32::from(corner)).collect())
        });
        PolygonMesh {
            vertices: self.detail.verts().iter().map(|&vertex| vertex.into()).collect(),
            polygons: triangles.collect(),
        }
    }
}
