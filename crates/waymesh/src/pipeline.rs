//! The voxel pipeline (Mononen 2009): soup, voxels, walkable field, regions, borders, triangles,
//! polygons, heights, mesh.

use std::path::PathBuf;
use std::time::Instant;

use thiserror::Error;
use waymesh_contour::{BorderWalk, SimplifyConfig, simplify_contours};
use waymesh_convex::{
    GreedyConfig, GreedyMerge, HertelMehlhorn, HertelMehlhornConfig, NotchPortals, NotchPortalsConfig,
};
use waymesh_core::stage::{
    BuildField, Decompose, FitHeights, Partition, SimplifyContours, StageError, TraceContours, Triangulate,
    Voxelize,
};
use waymesh_core::{
    AreaId, ContourSet, FieldWindow, GridFrame, GridWindow, HeightSurface, Heightfield, NO_REGION, Observer,
    PolyId, PolyMesh, Polygon, PolygonSet, RegionMap, SkippedTriangles, TriangleSoup, Triangulation,
    Validate, Violation, ViolationList, WalkableField,
};
use waymesh_detail::{DetailConfig, GreedyInsertion};
use waymesh_floorplan::PlanError;
use waymesh_graph::{NavMesh, NavMeshError};
use waymesh_region::{
    JoinConfig, Monotone, MonotoneConfig, Surfaces, SurfacesConfig, Watershed, WatershedConfig,
    join_surfaces, label_surfaces, remove_small_islands, split_surfaces,
};
use waymesh_tile::{Tile, TileError};
use waymesh_triangulate::ConstrainedDelaunay;
use waymesh_voxel::{
    Climb, FieldBuilder, VoxelConfig, VoxelError, Voxelizer, build_window, build_window_with_climbs,
};

use crate::config::{BakeConfig, ConfigError, DecompositionKind, PartitionKind};
use crate::report::{GridReport, IslandReport, Recorder, Report};
use crate::steps::step_links;

/// Why there is no mesh.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BakeError {
    /// A setting is out of its range.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A stage failed.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// A stage broke its contract.
    #[error("{stage} broke its contract: {violations}")]
    BrokenContract {
        /// The stage.
        stage: &'static str,
        /// What is broken.
        violations: ViolationList,
    },
    /// The scene has no triangle of finite, non-zero area.
    #[error(
        "the scene has no usable triangle ({triangles} in all, {not_finite} not finite, {degenerate} without area)"
    )]
    NoTriangles {
        /// Triangles in the scene.
        triangles: usize,
        /// With a NaN or infinite vertex.
        not_finite: u64,
        /// Without area.
        degenerate: u64,
    },
    /// There is no place to stand.
    #[error("nothing is walkable after {stage}: {hint}")]
    NothingWalkable {
        /// The stage that left nothing.
        stage: &'static str,
        /// What to look at.
        hint: &'static str,
    },
    /// The polygons could not become a mesh.
    #[error(transparent)]
    Mesh(#[from] NavMeshError),
    /// A floor plan that cannot be used.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Tiles could not be sorted, kept or read.
    #[error(transparent)]
    Tile(#[from] TileError),
    /// Something that cannot be done tile by tile.
    #[error("{what} needs the whole world at once and cannot be baked in tiles")]
    Untiled {
        /// What it is.
        what: &'static str,
    },
    /// A tile that the world does not have.
    #[error("there is no tile {tile}: the world has {columns} x {rows} tiles, numbered from 0,0")]
    NoSuchTile {
        /// The tile asked for, as column and row.
        tile: Tile,
        /// Tiles along x.
        columns: u32,
        /// Tiles along z.
        rows: u32,
    },
    /// A tile built alone has to be kept somewhere.
    #[error("a tile built alone needs a folder to be kept in")]
    NoFolder,
    /// A folder that holds no tiles.
    #[error("{} is not a folder of waymesh tiles", folder.display())]
    NotTiles {
        /// The folder.
        folder: PathBuf,
    },
    /// The threads asked for could not be started.
    #[error("cannot start {threads} threads: {source}")]
    Threads {
        /// How many.
        threads: usize,
        /// Why.
        source: rayon::ThreadPoolBuildError,
    },
}

/// Everything a bake makes on its way.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Stages {
    /// Solid voxels.
    pub heightfield: Heightfield,
    /// The walkable surface, after erosion and the removal of small islands.
    pub field: WalkableField,
    /// Where the agent can climb higher than it steps; none unless [`BakeConfig::max_climb`] asks
    /// for them.
    pub climbs: Vec<Climb>,
    /// Regions of the surface.
    pub regions: RegionMap,
    /// Borders with a vertex at every grid step.
    pub raw_contours: ContourSet,
    /// Borders of few vertices.
    pub contours: ContourSet,
    /// Triangles of the regions.
    pub triangulation: Triangulation,
    /// Convex polygons.
    pub polygons: PolyMesh,
    /// Ground height in the polygons.
    pub surface: HeightSurface,
}

/// The result of [`Pipeline::bake_observed`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Bake {
    /// The mesh.
    pub mesh: NavMesh,
    /// Its figures.
    pub report: Report,
}

/// Whether the solid voxels outlive the field that is made from them: a plain bake has better use
/// for their memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Voxels {
    Keep,
    Drop,
}

macro_rules! replaceable {
    ($($(#[$doc:meta])* $field:ident: $stage:ident, $method:ident;)*) => {
        /// A bake, ready to run on any number of scenes. Every stage can be replaced.
        ///
        /// ```
        /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
        /// let soup = waymesh_scenes::Scene::DungeonRooms.build(&waymesh_scenes::SceneConfig::default());
        /// let mesh = waymesh::Pipeline::default().bake(&soup)?;
        /// assert!(mesh.polygon_count() > 0);
        /// # Ok(()) }
        /// ```
        #[derive(Default)]
        pub struct Pipeline {
            config: BakeConfig,
            $($field: Option<Box<dyn $stage + Send + Sync>>,)*
        }

        impl Pipeline {
            $($(#[$doc])*
            #[must_use]
            pub fn $method(mut self, stage: impl $stage + Send + Sync + 'static) -> Self {
                self.$field = Some(Box::new(stage));
                self
            })*
        }
    };
}

replaceable! {
    /// Replaces voxelisation.
    voxelize: Voxelize, with_voxelize;
    /// Replaces filters, links and erosion.
    build_field: BuildField, with_build_field;
    /// Replaces the partition into regions.
    partition: Partition, with_partition;
    /// Replaces contour tracing.
    trace: TraceContours, with_trace;
    /// Replaces contour simplification.
    simplify: SimplifyContours, with_simplify;
    /// Replaces triangulation.
    triangulate: Triangulate, with_triangulate;
    /// Replaces the decomposition into convex polygons.
    decompose: Decompose, with_decompose;
    /// Replaces the fitting of ground heights.
    fit_heights: FitHeights, with_fit_heights;
}

impl std::fmt::Debug for Pipeline {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Pipeline").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Pipeline {
    /// A pipeline of the built-in stages.
    #[must_use]
    pub fn new(config: BakeConfig) -> Self {
        Self { config, ..Self::default() }
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &BakeConfig {
        &self.config
    }

    /// Turns a triangle soup into a navigation mesh.
    ///
    /// # Guarantees
    /// The same soup and settings give the same mesh, whatever the number of threads and the order
    /// of the triangles.
    ///
    /// # Errors
    /// For settings out of range, a scene without a usable triangle or a place to stand, a grid
    /// beyond the memory allowed.
    pub fn bake(&self, soup: &TriangleSoup) -> Result<NavMesh, BakeError> {
        Ok(self.bake_observed(soup, &mut ())?.mesh)
    }

    /// As [`Pipeline::bake`], with figures, and an observer that hears of every stage.
    ///
    /// # Errors
    /// As [`Pipeline::bake`].
    pub fn bake_observed(&self, soup: &TriangleSoup, observer: &mut dyn Observer) -> Result<Bake, BakeError> {
        let start = Instant::now();
        let mut recorder = Recorder::new(observer);
        let stages = self.run(soup, &mut recorder, Voxels::Drop)?;
        let mut report = counts(&stages, soup);
        let mesh = self.mesh(stages.polygons, stages.surface, stages.climbs, &mut recorder)?;
        report.links = mesh.links().len() as u64;
        report.islands = IslandReport::all(&mesh);
        report.finish(recorder, start);
        Ok(Bake { mesh, report })
    }

    /// Runs all stages and keeps what each of them made.
    ///
    /// # Errors
    /// As [`Pipeline::bake`].
    pub fn bake_stages(&self, soup: &TriangleSoup, observer: &mut dyn Observer) -> Result<Stages, BakeError> {
        self.run(soup, &mut Recorder::new(observer), Voxels::Keep)
    }

    fn run(
        &self,
        soup: &TriangleSoup,
        recorder: &mut Recorder<'_>,
        voxels: Voxels,
    ) -> Result<Stages, BakeError> {
        self.config.validate()?;
        self.in_pool(|| self.run_stages(soup, recorder, voxels))?
    }

    /// Runs a bake with a recorder, and completes its report with what that heard.
    pub(crate) fn recorded(
        &self,
        observer: &mut dyn Observer,
        run: impl FnOnce(&mut Recorder<'_>) -> Result<Bake, BakeError> + Send,
    ) -> Result<Bake, BakeError> {
        let start = Instant::now();
        let mut recorder = Recorder::new(observer);
        let mut bake = self.in_pool(|| run(&mut recorder))??;
        bake.report.finish(recorder, start);
        Ok(bake)
    }

    /// Runs on as many threads as the settings ask for.
    pub(crate) fn in_pool<T: Send>(&self, run: impl FnOnce() -> T + Send) -> Result<T, BakeError> {
        let threads = self.config.threads;
        if threads == 0 {
            return Ok(run());
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|source| BakeError::Threads { threads, source })?;
        Ok(pool.install(run))
    }

    fn run_stages(
        &self,
        soup: &TriangleSoup,
        recorder: &mut Recorder<'_>,
        voxels: Voxels,
    ) -> Result<Stages, BakeError> {
        check_soup(soup)?;
        let mut heightfield = self.voxels(soup, recorder)?;
        recorder.solid_spans = heightfield.spans.len() as u64;
        let mut field = self.field(&heightfield, recorder)?;
        let climbs = if self.config.has_climbs() {
            recorder.stage("climbs", |_| crate::steps::climbs(&self.config, &heightfield, &field))?
        } else {
            Vec::new()
        };
        if voxels == Voxels::Drop {
            heightfield = Heightfield { frame: heightfield.frame, columns: Vec::new(), spans: Vec::new() };
        }
        let regions = if self.partition.is_none() && self.config.partition == PartitionKind::Surfaces {
            self.whole_storeys(&mut field, recorder)?
        } else {
            self.remove_islands(&mut field, recorder)?;
            self.regions(&field, recorder)?
        };
        let raw_contours = self.raw_contours(&field, &regions, recorder)?;
        let contours = self.contours(&raw_contours, recorder)?;
        let triangulation = self.triangles(&contours, recorder)?;
        let polygons = self.polygons(&triangulation, recorder)?;
        let surface = self.surface(&field, &regions, &polygons, recorder)?;
        Ok(Stages {
            heightfield,
            field,
            climbs,
            regions,
            raw_contours,
            contours,
            triangulation,
            polygons,
            surface,
        })
    }

    pub(crate) fn check(
        &self,
        stage: &'static str,
        violations: impl FnOnce(&mut ViolationList),
    ) -> Result<(), BakeError> {
        let mut list = ViolationList::default();
        if self.config.validate_stages {
            violations(&mut list);
        }
        if list.is_empty() { Ok(()) } else { Err(BakeError::BrokenContract { stage, violations: list }) }
    }

    fn voxels(&self, soup: &TriangleSoup, recorder: &mut Recorder<'_>) -> Result<Heightfield, BakeError> {
        let config = &self.config;
        let voxels = VoxelConfig::for_agent(&config.agent).with_scale(config.scale).with_threads(0);
        let built_in = Voxelizer::new(voxels.with_max_memory_bytes(config.max_memory_bytes));
        let heightfield = recorder.stage("voxelize", |observer| match &self.voxelize {
            Some(stage) => stage.voxelize(soup, observer),
            None => built_in.voxelize(soup, observer),
        })?;
        self.check("voxelize", |list| heightfield.violations(list))?;
        if heightfield.spans.iter().all(|span| !span.area.is_walkable()) {
            let hint = "no triangle faces up within the steepest slope; is the up axis right?";
            return Err(BakeError::NothingWalkable { stage: "voxelize", hint });
        }
        Ok(heightfield)
    }

    fn field(
        &self,
        heightfield: &Heightfield,
        recorder: &mut Recorder<'_>,
    ) -> Result<WalkableField, BakeError> {
        let config = &self.config;
        let field = recorder.stage("field", |observer| match &self.build_field {
            Some(stage) => stage.build_field(heightfield, observer),
            None => FieldBuilder::new(config.agent).build_field(heightfield, observer),
        })?;
        self.check("field", |list| field.violations(list))?;
        if !field.has_ground() {
            let hint = "ledges, low ceilings and the agent's radius leave no room; is the scale in metres?";
            return Err(BakeError::NothingWalkable { stage: "field", hint });
        }
        Ok(field)
    }

    pub(crate) fn remove_islands(
        &self,
        field: &mut WalkableField,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), BakeError> {
        recorder.stage("islands", |observer| {
            remove_small_islands(field, self.config.min_region, observer);
            Ok::<_, BakeError>(())
        })?;
        if field.has_ground() { Ok(()) } else { Err(islands_only()) }
    }

    /// Whole storeys as regions. Small islands go when the surface is known, as in a tiled bake:
    /// removed before, they would still have had a say in where it is cut.
    fn whole_storeys(
        &self,
        field: &mut WalkableField,
        recorder: &mut Recorder<'_>,
    ) -> Result<RegionMap, BakeError> {
        let regions = recorder.stage("partition", |observer| {
            let failed = |error| StageError::new("partition", error);
            let empty = WalkableField::empty(field.frame);
            let part = FieldWindow::whole(std::mem::replace(field, empty));
            let pieces = split_surfaces(&part, &SurfacesConfig::default()).map_err(failed)?;
            let join = self.join_config(field.frame.cell_area());
            let surfaces = join_surfaces(&[pieces], &join, observer).map_err(failed)?;
            let regions = label_surfaces(&part, &surfaces).map_err(failed)?;
            *field = part.field;
            Ok::<_, StageError>(regions)
        })?;
        for (area, &label) in field.area.iter_mut().zip(&regions.labels) {
            if label == NO_REGION {
                *area = AreaId::NULL;
            }
        }
        self.check("partition", |list| regions.violations_over(field, list))?;
        if regions.count == 0 { Err(islands_only()) } else { Ok(regions) }
    }

    pub(crate) fn join_config(&self, cell_area: f64) -> JoinConfig {
        JoinConfig::default().with_min_island(self.config.min_region, cell_area)
    }

    pub(crate) fn regions(
        &self,
        field: &WalkableField,
        recorder: &mut Recorder<'_>,
    ) -> Result<RegionMap, BakeError> {
        let merge = self.config.merge_region;
        let regions =
            recorder.stage("partition", |observer| match (&self.partition, self.config.partition) {
                (Some(stage), _) => stage.partition(field, observer),
                (None, PartitionKind::Watershed) => {
                    Watershed { config: WatershedConfig::default().with_merge_region(merge) }
                        .partition(field, observer)
                }
                (None, PartitionKind::Surfaces) => Surfaces::default().partition(field, observer),
                (None, PartitionKind::Monotone) => {
                    Monotone { config: MonotoneConfig::default().with_merge_region(merge) }
                        .partition(field, observer)
                }
            })?;
        self.check("partition", |list| regions.violations_over(field, list))?;
        Ok(regions)
    }

    pub(crate) fn raw_contours(
        &self,
        field: &WalkableField,
        regions: &RegionMap,
        recorder: &mut Recorder<'_>,
    ) -> Result<ContourSet, BakeError> {
        let contours = recorder.stage("trace", |observer| match &self.trace {
            Some(stage) => stage.trace(field, regions, observer),
            None => BorderWalk.trace(field, regions, observer),
        })?;
        self.check("trace", |list| {
            contours.violations(list);
            let spans = 2 * i128::try_from(field.walkable_spans()).expect("span counts are small");
            same_area("trace", spans, contour_area(&contours), list);
        })?;
        Ok(contours)
    }

    pub(crate) fn contours(
        &self,
        raw: &ContourSet,
        recorder: &mut Recorder<'_>,
    ) -> Result<ContourSet, BakeError> {
        let config = &self.config;
        let contours = recorder.stage("simplify", |observer| match &self.simplify {
            Some(stage) => stage.simplify(raw, observer),
            None => {
                let simplify = SimplifyConfig::default()
                    .with_max_edge_error(config.edge_error())
                    .with_max_edge_length(config.max_edge_length)
                    .with_max_seam_error(config.max_seam_error)
                    .with_storey_height(config.agent.height)
                    .with_corners(config.corners);
                simplify_contours(raw, &simplify, observer)
                    .map_err(|error| StageError::new("simplify", error))
            }
        })?;
        self.check("simplify", |list| contours.violations(list))?;
        Ok(contours)
    }

    pub(crate) fn triangles(
        &self,
        contours: &ContourSet,
        recorder: &mut Recorder<'_>,
    ) -> Result<Triangulation, BakeError> {
        self.triangles_of(&contours.polygons(), recorder)
    }

    pub(crate) fn triangles_of(
        &self,
        polygons: &PolygonSet,
        recorder: &mut Recorder<'_>,
    ) -> Result<Triangulation, BakeError> {
        let triangulation = recorder.stage("triangulate", |observer| match &self.triangulate {
            Some(stage) => stage.triangulate(polygons, observer),
            None => ConstrainedDelaunay::default().triangulate(polygons, observer),
        })?;
        self.check("triangulate", |list| {
            triangulation.violations(list);
            same_area("triangulate", polygon_area(polygons), triangulation.doubled_area(), list);
        })?;
        Ok(triangulation)
    }

    pub(crate) fn polygons(
        &self,
        triangulation: &Triangulation,
        recorder: &mut Recorder<'_>,
    ) -> Result<PolyMesh, BakeError> {
        self.polygons_by(self.config.decomposition, triangulation, recorder)
    }

    pub(crate) fn polygons_by(
        &self,
        decomposition: DecompositionKind,
        triangulation: &Triangulation,
        recorder: &mut Recorder<'_>,
    ) -> Result<PolyMesh, BakeError> {
        let limit = self.config.max_vertices;
        let polygons = recorder.stage("decompose", |observer| match (&self.decompose, decomposition) {
            (Some(stage), _) => stage.decompose(triangulation, observer),
            (None, DecompositionKind::NotchPortals) => {
                NotchPortals { config: NotchPortalsConfig::default().with_max_vertices(limit) }
                    .decompose(triangulation, observer)
            }
            (None, DecompositionKind::Greedy) => {
                GreedyMerge { config: GreedyConfig::default().with_max_vertices(limit) }
                    .decompose(triangulation, observer)
            }
            (None, DecompositionKind::HertelMehlhorn) => {
                HertelMehlhorn { config: HertelMehlhornConfig::default().with_max_vertices(limit) }
                    .decompose(triangulation, observer)
            }
        })?;
        self.check("decompose", |list| {
            polygons.violations(list);
            let area = (0..polygons.polygons.len())
                .map(|polygon| polygons.doubled_area(PolyId::from_index(polygon)))
                .sum();
            same_area("decompose", triangulation.doubled_area(), area, list);
        })?;
        Ok(polygons)
    }

    fn surface(
        &self,
        field: &WalkableField,
        regions: &RegionMap,
        polygons: &PolyMesh,
        recorder: &mut Recorder<'_>,
    ) -> Result<HeightSurface, BakeError> {
        let surface = recorder.stage("heights", |observer| match &self.fit_heights {
            Some(stage) => stage.fit_heights(field, regions, polygons, observer),
            None => GreedyInsertion { config: self.detail_config() }
                .fit_heights(field, regions, polygons, observer),
        })?;
        self.check("heights", |list| surface.violations_over(polygons, list))?;
        Ok(surface)
    }
}

impl Pipeline {
    /// The mesh with its links up high steps.
    pub(crate) fn mesh(
        &self,
        polygons: PolyMesh,
        surface: HeightSurface,
        climbs: Vec<Climb>,
        recorder: &mut Recorder<'_>,
    ) -> Result<NavMesh, BakeError> {
        let mesh = recorder.stage("mesh", |_| NavMesh::new(polygons, Some(surface), self.config.agent))?;
        if climbs.is_empty() {
            return Ok(mesh);
        }
        recorder.stage("links", |_| {
            let links = step_links(&mesh, &self.config, climbs);
            Ok(mesh.with_links(links)?)
        })
    }

    /// How many columns around its core a tile needs for all that is built of it.
    pub(crate) fn halo_cells(&self, builder: &FieldBuilder) -> u32 {
        let scale = &self.config.scale;
        let climbs =
            if self.config.has_climbs() { builder.climb_cells(self.config.max_climb, scale) } else { 0 };
        builder.halo_cells(scale).saturating_add(climbs)
    }

    /// The field of a tile, and where the agent can climb in it.
    pub(crate) fn window(
        &self,
        heightfield: &Heightfield,
        frame: &GridFrame,
        [window, core]: [GridWindow; 2],
        builder: &FieldBuilder,
        observer: &mut dyn Observer,
    ) -> Result<(FieldWindow, Vec<Climb>), VoxelError> {
        if self.config.has_climbs() {
            let climb = self.config.max_climb;
            build_window_with_climbs(heightfield, frame, window, core, builder, climb, observer)
        } else {
            Ok((build_window(heightfield, frame, window, core, builder, observer)?, Vec::new()))
        }
    }

    pub(crate) fn detail_config(&self) -> DetailConfig {
        DetailConfig::default()
            .with_max_error_levels(self.config.max_height_error_levels)
            .with_max_step(self.config.agent.max_step)
    }

    /// Whether regions are not those of whole storeys.
    pub(crate) fn replaces_partition(&self) -> bool {
        self.partition.is_some() || self.config.partition != PartitionKind::Surfaces
    }

    /// The first replaced stage that asks for the whole world at once, of those that deal with
    /// voxels.
    pub(crate) fn untiled_voxel_stage(&self) -> Option<&'static str> {
        first_replaced([
            (self.voxelize.is_some(), "a replaced voxelisation"),
            (self.build_field.is_some(), "a replaced field builder"),
            (self.fit_heights.is_some(), "a replaced fitting of heights"),
        ])
    }

    /// The same, with those that deal with regions.
    pub(crate) fn untiled_stage(&self) -> Option<&'static str> {
        self.untiled_voxel_stage().or_else(|| {
            first_replaced([
                (self.partition.is_some(), "a replaced partition"),
                (self.trace.is_some(), "a replaced tracer"),
            ])
        })
    }
}

/// What is said if nothing but small islands was there.
fn islands_only() -> BakeError {
    BakeError::NothingWalkable {
        stage: "islands",
        hint: "every piece of ground is below the smallest region",
    }
}

fn first_replaced(stages: impl IntoIterator<Item = (bool, &'static str)>) -> Option<&'static str> {
    stages.into_iter().find_map(|(replaced, what)| replaced.then_some(what))
}

/// Refuses a scene that holds nothing.
pub(crate) fn check_soup(soup: &TriangleSoup) -> Result<(), BakeError> {
    let SkippedTriangles { not_finite, degenerate } = soup.skipped();
    let triangles = soup.triangles().len();
    if not_finite + degenerate == triangles as u64 {
        return Err(BakeError::NoTriangles { triangles, not_finite, degenerate });
    }
    Ok(())
}

pub(crate) fn contour_area(contours: &ContourSet) -> i128 {
    polygon_area(&contours.polygons())
}

/// Twice the area, in cells.
pub(crate) fn polygon_area(polygons: &PolygonSet) -> i128 {
    polygons
        .polygons
        .iter()
        .flat_map(Polygon::loops)
        .map(|polygon_loop| polygons.doubled_area(polygon_loop))
        .sum()
}

pub(crate) fn same_area(stage: &'static str, expected: i128, actual: i128, list: &mut ViolationList) {
    if expected != actual {
        list.push(Violation::AreaLost { stage, expected, actual });
    }
}

fn counts(stages: &Stages, soup: &TriangleSoup) -> Report {
    let frame = &stages.field.frame;
    let mut report = Report {
        triangles: soup.triangles().len() as u64,
        grid: GridReport::of(frame),
        walkable_spans: stages.field.walkable_spans() as u64,
        walkable_area: stages.field.walkable_area(),
        regions: u64::from(stages.regions.count),
        contours: stages.contours.loop_count() as u64,
        vertices_off_border: stages.contours.vertices_off_border() as u64,
        tiles: 1,
        ..Report::default()
    };
    report.count_polygons(&stages.polygons, &stages.surface);
    report
}
