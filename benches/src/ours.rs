//! waymesh, stage by stage through the crates' own functions.

use glam::Vec3;
use waymesh::{BakeConfig, BakeError, Baker, PartitionKind, Voxels, World};
use waymesh_contour::{SimplifyConfig, simplify_contours, trace_contours};
use waymesh_convex::{NotchPortalsConfig, notch_portals};
use waymesh_core::{HeightSurface, PolyId, PolyMesh};
use waymesh_detail::{DetailConfig, fit_heights};
use waymesh_graph::{
    AnyPolygon, ClearPathOptions, ClearanceNavMesh, Location, NavMesh, Outcome, Path, PathOptions,
    PathSearch, QueryScratch, Reach,
};
use waymesh_region::{
    MonotoneConfig, SurfacesConfig, WatershedConfig, blur, distance_field, partition_monotone,
    partition_surfaces, partition_watershed, remove_small_islands,
};
use waymesh_triangulate::{ClearanceConfig, triangulate_cdt};
use waymesh_voxel::{Filters, VoxelConfig, build_filtered_field, erode, rasterize};

use crate::queries::{Queries, REACH};
use crate::{
    Bake, BenchError, Clock, Counts, Engine, Partitioning, PolygonMesh, Scene, Settings, Stage, StageTimes,
};

const NAME: &str = "waymesh";

/// The pipeline of the facade, on one thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Waymesh;

/// The same with the partition that is our default, whatever the settings ask for: regions of whole
/// storeys, which no peer has.
#[derive(Clone, Copy, Debug, Default)]
pub struct WaymeshSurfaces;

/// Our own results, for queries.
#[derive(Clone, Debug)]
pub struct WaymeshBake {
    /// How long each stage took.
    pub times: StageTimes,
    /// What came out.
    pub counts: Counts,
    /// Polygons.
    pub polygons: PolyMesh,
    /// Heights.
    pub surface: HeightSurface,
}

impl Engine for Waymesh {
    fn name(&self) -> &'static str {
        NAME
    }

    fn notes(&self) -> &'static [&'static str] {
        &[
            "waymesh: erosion is a true disc between cell centres; Recast's chamfer removes up to 11 % too little.",
            "waymesh: the filters run while the field is built, so compact holds both; compare the row filter+compact.",
            "waymesh: the grid is rounded up to hold the whole scene, Recast's to the nearest cell.",
            "waymesh: the small islands go before the partition, charged to regions; Recast drops small regions after it. \
             Watershed computes its distance field inside; that share is measured by a run of its own; compare the row distance+regions.",
            "waymesh: heights are unbiased and within one level of every sample; Recast samples every 6 cells and is 1 to 2 \
             levels too high.",
            "waymesh: contours counts holes, Recast merges them into the outer border.",
        ]
    }

    fn bake(&self, scene: &Scene, settings: &Settings) -> Result<Bake, BenchError> {
        Ok(bake_waymesh(scene, settings)?.into())
    }
}

impl Engine for WaymeshSurfaces {
    fn name(&self) -> &'static str {
        "waymesh-surfaces"
    }

    fn notes(&self) -> &'static [&'static str] {
        &["waymesh-surfaces: regions of whole storeys, our default; there is no distance field."]
    }

    fn bake(&self, scene: &Scene, settings: &Settings) -> Result<Bake, BenchError> {
        Ok(bake_stages(scene, settings, None)?.into())
    }
}

impl From<WaymeshBake> for Bake {
    fn from(bake: WaymeshBake) -> Self {
        let mesh = bake.mesh();
        Self { times: bake.times, counts: bake.counts, mesh }
    }
}

/// Runs the stages of the facade's pipeline with the partition of the settings, but for the corners
/// of walls: they are chosen as Recast does it.
///
/// # Errors
/// When a stage fails.
pub fn bake_waymesh(scene: &Scene, settings: &Settings) -> Result<WaymeshBake, BenchError> {
    bake_stages(scene, settings, Some(settings.partition))
}

/// Without a partition, the default one.
fn bake_stages(
    scene: &Scene,
    settings: &Settings,
    partition: Option<Partitioning>,
) -> Result<WaymeshBake, BenchError> {
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
    let merge_region = square_metres(settings.merge_region_cells);
    let mut counts = Counts::default();

    let mut clock = Clock::start();
    let solid = rasterize(&scene.soup, &voxel, &mut ()).map_err(failed(Stage::Raster))?;
    clock.lap(Stage::Raster);
    counts.spans = solid.spans.len();

    clock.skip();
    let mut field = build_filtered_field(&solid, &settings.agent, &Filters::default(), &mut ())
        .map_err(failed(Stage::Compact))?;
    clock.lap(Stage::Compact);
    drop(solid);
    counts.walkable_spans = field.walkable_spans();

    clock.skip();
    erode(&mut field, settings.agent.radius, &mut ()).map_err(failed(Stage::Erode))?;
    clock.lap(Stage::Erode);
    counts.eroded_spans = field.walkable_spans();

    clock.skip();
    remove_small_islands(&mut field, square_metres(settings.min_region_cells), &mut ());
    clock.lap(Stage::Regions);
    let regions = match partition {
        None => {
            let regions = partition_surfaces(&field, &SurfacesConfig::default(), &mut ());
            clock.lap(Stage::Regions);
            regions
        }
        Some(Partitioning::Watershed) => {
            let config = WatershedConfig::default().with_merge_region(merge_region);
            let regions = partition_watershed(&field, &config, &mut ());
            clock.lap(Stage::Regions);
            clock.transfer(Stage::Regions, Stage::Distance, || {
                std::hint::black_box(blur(&field, &distance_field(&field)));
            });
            regions
        }
        Some(Partitioning::Monotone) => {
            let config = MonotoneConfig::default().with_merge_region(merge_region);
            let regions = partition_monotone(&field, &config, &mut ());
            clock.lap(Stage::Regions);
            regions
        }
    }
    .map_err(failed(Stage::Regions))?;
    counts.regions = regions.count as usize;

    clock.skip();
    let raw = trace_contours(&field, &regions).map_err(failed(Stage::Contours))?;
    let contours = simplify_contours(&raw, &simplify, &mut ()).map_err(failed(Stage::Contours))?;
    clock.lap(Stage::Contours);
    counts.contours = contours.regions.iter().map(|region| 1 + region.holes.len()).sum();

    clock.skip();
    let triangles = triangulate_cdt(&contours.polygons()).map_err(failed(Stage::Polygons))?;
    let polygons = notch_portals(&triangles, &portals).map_err(failed(Stage::Polygons))?;
    clock.lap(Stage::Polygons);

    let surface =
        fit_heights(&field, &regions, &polygons, &detail, &mut ()).map_err(failed(Stage::Detail))?;
    clock.lap(Stage::Detail);

    counts.polygons = polygons.polygons.len();
    counts.vertices = polygons.vertices.len();
    counts.detail_vertices = surface.points.len();
    counts.detail_triangles = surface.triangles.len();
    Ok(WaymeshBake { times: clock.times(), counts, polygons, surface })
}

fn failed<E: std::error::Error + Send + Sync + 'static>(stage: Stage) -> impl FnOnce(E) -> BenchError {
    move |source| BenchError::stage(NAME, stage, source)
}

impl WaymeshBake {
    /// The polygons in world space.
    #[must_use]
    pub fn mesh(&self) -> PolygonMesh {
        let polygons = &self.polygons;
        PolygonMesh {
            vertices: polygons
                .vertices
                .iter()
                .map(|vertex| {
                    let (x, z) = (f64::from(vertex.point.x), f64::from(vertex.point.z));
                    polygons.frame.to_world(x, f64::from(vertex.height), z)
                })
                .collect(),
            polygons: (0..polygons.polygons.len())
                .map(|polygon| {
                    polygons.corners(PolyId::from_index(polygon)).iter().map(|corner| corner.0).collect()
                })
                .collect(),
        }
    }
}

/// Bakes the mesh of `scene` as a whole, or as a [`World`] with tiles of `tile_cells` cells. The
/// borders of such tiles are borders of polygons.
fn mesh_of(scene: &Scene, settings: &Settings, tile_cells: Option<u16>) -> Result<NavMesh, BenchError> {
    let Some(tile_cells) = tile_cells else {
        let bake = bake_waymesh(scene, settings)?;
        return NavMesh::new(bake.polygons, Some(bake.surface), settings.agent)
            .map_err(|error| BenchError::stage(NAME, "mesh", error));
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
    let bake = || {
        let mut world = World::new(Baker::new(Voxels, config), &scene.soup.bounds(), u32::from(tile_cells))?;
        world.add_triangles(&scene.soup, &mut ())?;
        world.update(&mut ())?;
        Ok(NavMesh::clone(&world.handle().mesh()))
    };
    bake().map_err(|error: BakeError| BenchError::stage(NAME, "world", error))
}

/// Queries on our mesh.
#[derive(Debug)]
pub struct WaymeshQueries {
    mesh: NavMesh,
    options: PathOptions,
    scratch: QueryScratch,
    path: Path,
    place: Option<Location>,
    polygons: Vec<PolyId>,
}

impl WaymeshQueries {
    /// Bakes `scene` as a whole, or as a [`World`] with tiles of `tile_cells` cells.
    ///
    /// # Errors
    /// When a stage fails.
    pub fn bake(scene: &Scene, settings: &Settings, tile_cells: Option<u16>) -> Result<Self, BenchError> {
        Ok(Self::new(mesh_of(scene, settings, tile_cells)?))
    }

    /// The mesh that is asked.
    #[must_use]
    pub fn navmesh(&self) -> &NavMesh {
        &self.mesh
    }

    /// Queries on a mesh that is already made.
    #[must_use]
    pub fn new(mesh: NavMesh) -> Self {
        Self {
            mesh,
            options: PathOptions::default().with_reach(OUR_REACH),
            scratch: QueryScratch::default(),
            path: Path::default(),
            place: None,
            polygons: Vec::new(),
        }
    }

    fn length(&mut self, from: Vec3, to: Vec3, search: PathSearch) -> Option<f32> {
        let options = self.options.with_search(search);
        self.mesh.find_path_into(from, to, &options, &mut self.scratch, &mut self.path).ok()?;
        (self.path.outcome == Outcome::Complete).then_some(self.path.length)
    }
}

/// [`REACH`] as a [`Reach`].
const OUR_REACH: Reach = Reach::new(REACH.x, REACH.y, REACH.y);

impl Queries for WaymeshQueries {
    fn name(&self) -> &'static str {
        NAME
    }

    fn mesh(&self) -> Option<&NavMesh> {
        Some(&self.mesh)
    }

    fn nearest(&mut self, point: Vec3) -> bool {
        self.mesh.nearest(point, &OUR_REACH).is_some()
    }

    fn path(&mut self, from: Vec3, to: Vec3) -> Option<f32> {
        self.length(from, to, PathSearch::Fast)
    }

    fn shortest(&mut self, from: Vec3, to: Vec3) -> Option<f32> {
        self.length(from, to, PathSearch::Shortest)
    }

    fn stand(&mut self, point: Vec3) -> bool {
        self.place = self.mesh.nearest(point, &OUR_REACH);
        self.place.is_some()
    }

    fn raycast(&mut self, to: Vec3) -> f32 {
        let Some(place) = &self.place else { return 0.0 };
        self.mesh.raycast_plan(place, to, &AnyPolygon, &mut self.polygons).map_or(0.0, |ray| ray.fraction)
    }

    fn move_along(&mut self, to: Vec3) -> f32 {
        let Some(place) = &self.place else { return 0.0 };
        let moved = self.mesh.move_along(place, to, &AnyPolygon, &mut self.scratch);
        moved.map_or(0.0, |place| place.position.distance(to))
    }
}

/// Queries for the agent's radius on a mesh baked for radius 0, as an engine of its own: its path
/// is the shortest one of the disc, or a short one found fast.
#[derive(Debug)]
pub struct RadiusQueries {
    mesh: ClearanceNavMesh,
    options: ClearPathOptions,
    scratch: QueryScratch,
}

impl RadiusQueries {
    /// Bakes `scene` for radius 0, as a whole or as a [`World`] with tiles of `tile_cells` cells.
    ///
    /// # Errors
    /// When a stage fails.
    pub fn bake(scene: &Scene, settings: &Settings, tile_cells: Option<u16>) -> Result<Self, BenchError> {
        let agent = settings.agent.with_radius(0.0);
        let mesh = mesh_of(scene, &Settings { agent, ..settings.clone() }, tile_cells)?;
        let mesh = waymesh::with_clearance(mesh, &ClearanceConfig::default())
            .map_err(|error| BenchError::stage(NAME, "clearance", error))?;
        Ok(Self {
            mesh,
            options: ClearPathOptions::new(settings.agent.radius).with_reach(OUR_REACH),
            scratch: QueryScratch::default(),
        })
    }

    /// Returns the same with paths that are found fast.
    #[must_use]
    pub fn fast(&self) -> Self {
        Self {
            mesh: self.mesh.clone(),
            options: self.options.with_search(PathSearch::Fast),
            scratch: QueryScratch::default(),
        }
    }
}

impl Queries for RadiusQueries {
    fn name(&self) -> &'static str {
        if self.options.search == PathSearch::Fast { "any radius, fast" } else { "any radius" }
    }

    fn nearest(&mut self, point: Vec3) -> bool {
        self.mesh
            .nearest(point, self.options.radius, &OUR_REACH, &mut self.scratch)
            .is_ok_and(|place| place.is_some())
    }

    fn path(&mut self, from: Vec3, to: Vec3) -> Option<f32> {
        let Self { mesh, options, scratch } = self;
        let path = mesh.find_path(from, to, options, scratch).ok()?;
        let length = (path.outcome == Outcome::Complete).then_some(path.length);
        scratch.recycle(path);
        length
    }

    fn looks(&self) -> bool {
        false
    }
}
