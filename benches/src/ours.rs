//! waymesh, stage by stage through the crates' own functions.

use anyhow::Result;
use glam::Vec3;
use waymesh::{BakeConfig, Baker, PartitionKind, World};
use waymesh_contour::{SimplifyConfig, simplify_contours, trace_contours};
use waymesh_convex::{NotchPortalsConfig, notch_portals};
use waymesh_core::{HeightSurface, PolyId, PolyMesh};
use waymesh_detail::{DetailConfig, fit_heights};
use waymesh_graph::{
    ClearPathOptions, ClearanceNavMesh, NavMesh, Outcome, Path, PathOptions, PathSearch, QueryScratch, Reach,
};
use waymesh_region::{
    MonotoneConfig, SurfacesConfig, WatershedConfig, blur, distance_field, partition_monotone,
    partition_surfaces, partition_watershed, remove_small_islands,
};
use waymesh_triangulate::triangulate_cdt;
use waymesh_voxel::{Filters, VoxelConfig, build_filtered_field, erode, rasterize};

use crate::compare::{Engine, polygon_mesh};
use crate::measure::{Bake, Clock, Counts, Stage};
use crate::queries::{Answer, Queries, Query, REACH, step, timed};
use crate::{Partitioning, PolygonMesh, Scene, Settings};

/// The pipeline of the facade, on one thread.
pub(crate) const WAYMESH: Engine = Engine {
    name: "waymesh",
    notes: &[
        "waymesh: erosion is a true disc between cell centres; Recast's chamfer removes up to 11 % too little.",
        "waymesh: the filters run while the field is built, so compact holds both; compare the row filter+compact.",
        "waymesh: the grid is rounded up to hold the whole scene, Recast's to the nearest cell.",
        "waymesh: the small islands go before the partition, charged to regions; Recast drops small regions after it. \
         Watershed computes its distance field inside; that share is measured by a run of its own; compare the row distance+regions.",
        "waymesh: heights are unbiased and within one level of every sample; Recast samples every 6 cells and is 1 to 2 \
         levels too high.",
        "waymesh: contours counts holes, Recast merges them into the outer border.",
    ],
    bake: |scene, settings| {
        Ok(bake_waymesh(scene, settings, Some(settings.partition))?.map(|(mesh, _)| in_metres(&mesh)))
    },
};

/// The pipeline with the partition that is our default, whatever the settings are: regions of
/// whole storeys, which no peer has.
pub(crate) const SURFACES: Engine = Engine {
    name: "waymesh-surfaces",
    notes: &["waymesh-surfaces: regions of whole storeys, our default; there is no distance field."],
    bake: |scene, settings| Ok(bake_waymesh(scene, settings, None)?.map(|(mesh, _)| in_metres(&mesh))),
};

/// The polygons in world space.
fn in_metres(mesh: &PolyMesh) -> PolygonMesh {
    let corners = |polygon| mesh.corners(PolyId::from_index(polygon)).iter().map(|corner| corner.0).collect();
    polygon_mesh(
        mesh.vertices.iter().map(|&vertex| mesh.frame.position(vertex)).collect(),
        (0..mesh.polygons.len()).map(corners).collect(),
    )
}

/// Runs the stages of the facade's pipeline with this partition or our default one, but for the
/// corners of walls: they are chosen as Recast does it.
///
/// # Errors
/// When a stage fails.
pub(crate) fn bake_waymesh(
    scene: &Scene,
    settings: &Settings,
    partition: Option<Partitioning>,
) -> Result<Bake<(PolyMesh, HeightSurface)>> {
    let cell = settings.scale.cell_size;
    let square_metres = |cells: u16| f32::from(cells) * cell * cell;
    let voxel = VoxelConfig::for_agent(&settings.agent).with_scale(settings.scale).with_threads(1);
    let simplify = SimplifyConfig::default()
        .with_max_edge_error(settings.max_edge_error_cells * cell)
        .with_max_edge_length(settings.max_edge_length)
        .with_storey_height(settings.agent.height);
    let portals = NotchPortalsConfig::default().with_max_vertices(settings.max_vertices);
    let detail = DetailConfig::default()
        .with_max_error_levels(settings.detail_max_error_levels)
        .with_max_step(settings.agent.max_step);
    let mut counts = Counts::default();

    let mut clock = Clock::default();
    let solid = clock.run(Stage::Raster, || rasterize(&scene.soup, &voxel, &mut ()))?;
    counts.spans = solid.spans.len();
    let mut field = clock.run(Stage::Compact, || {
        build_filtered_field(&solid, &settings.agent, &Filters::default(), &mut ())
    })?;
    drop(solid);
    counts.walkable_spans = field.walkable_spans();
    clock.run(Stage::Erode, || erode(&mut field, settings.agent.radius, &mut ()))?;
    counts.eroded_spans = field.walkable_spans();
    let regions = clock.run(Stage::Regions, || {
        remove_small_islands(&mut field, square_metres(settings.min_region_cells), &mut ());
        let merge_region = square_metres(settings.merge_region_cells);
        match partition {
            None => partition_surfaces(&field, &SurfacesConfig::default(), &mut ()),
            Some(Partitioning::Watershed) => {
                let config = WatershedConfig::default().with_merge_region(merge_region);
                partition_watershed(&field, &config, &mut ())
            }
            Some(Partitioning::Monotone) => {
                let config = MonotoneConfig::default().with_merge_region(merge_region);
                partition_monotone(&field, &config, &mut ())
            }
        }
    })?;
    if partition == Some(Partitioning::Watershed) {
        clock.transfer(Stage::Regions, Stage::Distance, || {
            std::hint::black_box(blur(&field, &distance_field(&field)));
        });
    }
    counts.regions = regions.count as usize;
    let raw = clock.run(Stage::Contours, || trace_contours(&field, &regions))?;
    let contours = clock.run(Stage::Contours, || simplify_contours(&raw, &simplify, &mut ()))?;
    counts.contours = contours.regions.iter().map(|region| 1 + region.holes.len()).sum();
    let triangles = clock.run(Stage::Polygons, || triangulate_cdt(&contours.polygons()))?;
    let polygons = clock.run(Stage::Polygons, || notch_portals(&triangles, &portals))?;
    let surface = clock.run(Stage::Detail, || fit_heights(&field, &regions, &polygons, &detail, &mut ()))?;
    counts.polygons = polygons.polygons.len();
    counts.vertices = polygons.vertices.len();
    counts.detail_vertices = surface.points.len();
    counts.detail_triangles = surface.triangles.len();
    Ok(Bake { times: clock.0, counts, result: (polygons, surface) })
}

/// Bakes the mesh of `scene` as a whole, or as a [`World`] with tiles of `tile_cells` cells. The
/// borders of such tiles are borders of polygons.
pub(crate) fn mesh_of(scene: &Scene, settings: &Settings, tile_cells: Option<u16>) -> Result<NavMesh> {
    let Some(tile_cells) = tile_cells else {
        let (polygons, surface) = bake_waymesh(scene, settings, Some(settings.partition))?.result;
        return Ok(NavMesh::new(polygons, Some(surface), settings.agent)?);
    };
    let square = settings.scale.cell_size.powi(2);
    let partition = match settings.partition {
        Partitioning::Watershed => PartitionKind::Watershed,
        Partitioning::Monotone => PartitionKind::Monotone,
    };
    let mut config = BakeConfig::default()
        .with_scale(settings.scale.cell_size, settings.scale.level_height)
        .with_agent(settings.agent)
        .with_max_edge_error(settings.max_edge_error_cells * settings.scale.cell_size)
        .with_max_edge_length(settings.max_edge_length)
        .with_merge_region(f32::from(settings.merge_region_cells) * square)
        .with_partition(partition)
        .with_max_vertices(settings.max_vertices)
        .with_threads(1);
    config.max_height_error_levels = settings.detail_max_error_levels;
    let world = World::bake(Baker::voxels().with_config(config), &scene.soup, u32::from(tile_cells))?;
    Ok(NavMesh::clone(&world.handle().mesh()))
}

/// [`REACH`] as a [`Reach`].
const OUR_REACH: Reach = Reach::new(REACH.x, REACH.y, REACH.y);

/// Queries on our mesh.
pub(crate) struct WaymeshQueries {
    pub(crate) mesh: NavMesh,
    scratch: QueryScratch,
    path: Path,
}

impl WaymeshQueries {
    pub(crate) fn new(mesh: NavMesh) -> Self {
        Self { mesh, scratch: QueryScratch::default(), path: Path::default() }
    }
}

impl Queries for WaymeshQueries {
    fn name(&self) -> &'static str {
        WAYMESH.name
    }

    fn answers(&mut self, query: Query, pairs: &[[Vec3; 2]]) -> Vec<Answer> {
        let Self { mesh, scratch, path } = self;
        let stand = |pair: [Vec3; 2]| Some((mesh.nearest(pair[0], &OUR_REACH)?, pair));
        match query {
            Query::Nearest => {
                timed(pairs.as_flattened(), Some, |at| mesh.nearest(at, &OUR_REACH).map(|_| 0.0))
            }
            Query::Path | Query::Shortest => {
                let search = if query == Query::Path { PathSearch::Fast } else { PathSearch::Shortest };
                let options = PathOptions::default().with_reach(OUR_REACH).with_search(search);
                timed(pairs, Some, |[from, to]| {
                    mesh.query().options(options).memory(scratch).path_into(from, to, path).ok()?;
                    (path.outcome == Outcome::Complete).then_some(path.length)
                })
            }
            Query::Raycast => timed(pairs, stand, |(place, [_, to])| {
                Some(mesh.query().memory(scratch).ray(place, to).map_or(0.0, |ray| ray.fraction))
            }),
            Query::Move | Query::MoveOnGround => timed(pairs, stand, |(place, pair)| {
                let moved = mesh.query().memory(scratch).walk(place, step(pair));
                moved.ok().map(|place| place.position.distance(pair[1]))
            }),
        }
    }
}

/// Queries for the agent's radius on a mesh baked for radius 0, as a separate engine: its path
/// is the shortest one of the disc, or a short one found fast.
pub(crate) struct RadiusQueries {
    mesh: ClearanceNavMesh,
    options: ClearPathOptions,
    scratch: QueryScratch,
    path: Path,
}

impl RadiusQueries {
    /// Bakes `scene` for radius 0, as a whole or as a [`World`] with tiles of `tile_cells` cells.
    pub(crate) fn bake(scene: &Scene, settings: &Settings, tile_cells: Option<u16>) -> Result<Self> {
        let agent = settings.agent.with_radius(0.0);
        let mesh = mesh_of(scene, &Settings { agent, ..settings.clone() }, tile_cells)?;
        let mesh = waymesh::with_clearance(mesh, &Default::default())?;
        let options = ClearPathOptions::new(settings.agent.radius).with_reach(OUR_REACH);
        Ok(Self { mesh, options, scratch: QueryScratch::default(), path: Path::default() })
    }

    /// Returns the engine with the fast search.
    pub(crate) fn fast(&self) -> Self {
        let options = self.options.with_search(PathSearch::Fast);
        let (scratch, path) = (QueryScratch::default(), Path::default());
        Self { mesh: self.mesh.clone(), options, scratch, path }
    }
}

impl Queries for RadiusQueries {
    fn name(&self) -> &'static str {
        if self.options.search == PathSearch::Fast { "any radius, fast" } else { "any radius" }
    }

    fn answers(&mut self, query: Query, pairs: &[[Vec3; 2]]) -> Vec<Answer> {
        let Self { mesh, options, scratch, path } = self;
        let mut discs = mesh.query(options.radius).options(*options).memory(scratch);
        match query {
            Query::Nearest => timed(pairs.as_flattened(), Some, |at| discs.nearest(at).ok().map(|_| 0.0)),
            Query::Path => timed(pairs, Some, |[from, to]| {
                discs.path_into(from, to, path).ok()?;
                (path.outcome == Outcome::Complete).then_some(path.length)
            }),
            _ => Vec::new(),
        }
    }
}
