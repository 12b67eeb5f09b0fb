//! Settings and stages of a bake: each stage is the built-in one or its replacement.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use waymesh_contour::{BorderWalk, DouglasPeucker, SimplifyConfig};
use waymesh_convex::{GreedyConfig, GreedyMerge, MergeOrder, NotchPortals, NotchPortalsConfig};
use waymesh_core::stage::{
    BuildField, Decompose, FitHeights, Partition, SimplifyContours, StageError, TraceContours, Triangulate,
    Voxelize,
};
use waymesh_core::{
    AreaId, ContourSet, DeviceUsage, GridFrame, GridWindow, HeightSurface, Heightfield, NO_REGION, Observer,
    PolyId, PolyMesh, Polygon, PolygonSet, RegionMap, SkippedTriangles, TriangleSoup, TriangleSource,
    Triangulation, Validate, Violation, ViolationList, WalkableField, Warning, checkpoint, threads,
};
use waymesh_detail::{DetailConfig, GreedyInsertion, LEAST_ERROR_LEVELS};
use waymesh_region::{
    JoinConfig, Monotone, MonotoneConfig, Surfaces, Watershed, WatershedConfig, remove_small_islands,
};
#[cfg(feature = "storeys")]
use waymesh_storeys::{DepthDevice, RoughDevice};
use waymesh_triangulate::{ConstrainedDelaunay, RefineConfig, refine_triangulation};
use waymesh_voxel::{BuiltField, FieldBuilder, FieldJob, RasterDevice, RasterJob, VoxelConfig};

use super::config::{BakeConfig, DecompositionKind, PartitionKind};
use super::error::BakeError;
use super::report::Recorder;

/// The result of a device for triangles.
pub(crate) enum Solid {
    Voxels(Heightfield),
    /// The field that is built of them; they were not kept.
    Field(Box<BuiltField>),
}

/// Names of settings and of methods that replace stages, each with the reason why it is refused.
pub type Refused = &'static [(&'static str, &'static str)];

/// Passes all stages that can be replaced to a macro, each with its trait and the method of
/// [`Baker`](crate::Baker) that replaces it.
macro_rules! for_stages {
    ($each:ident) => {
        $each! {
            /// Replaces voxelisation.
            voxelize: Voxelize, with_voxelize;
            /// Voxelises on another device, with the same bytes, also for tiles and worlds.
            raster_device: RasterDevice, with_raster_device;
            /// Makes the rough voxels of storeys on another device, with the same bits.
            #[cfg(feature = "storeys")]
            rough_device: RoughDevice, with_rough_device;
            /// Draws the depth maps of storeys on another device, with the same bytes.
            #[cfg(feature = "storeys")]
            depth_device: DepthDevice, with_depth_device;
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
    };
}

pub(super) use for_stages;

/// Declares [`StageSet`].
macro_rules! declare {
    ($($(#[doc = $doc:literal])* $(#[cfg($is:meta)])? $field:ident: $stage:ident, $method:ident;)*) => {
        /// The settings of a bake, and the stages that replace built-in ones.
        #[derive(Default)]
        pub struct StageSet {
            pub(super) config: BakeConfig,
            /// Reasons why fields were made on the processor, with counts.
            left_to_processor: Mutex<BTreeMap<&'static str, u64>>,
            $($(#[cfg($is)])? pub(crate) $field: Option<Arc<dyn $stage + Send + Sync>>,)*
        }

        impl Clone for StageSet {
            /// The clone has the same stages.
            fn clone(&self) -> Self {
                Self {
                    config: self.config.clone(),
                    left_to_processor: Mutex::default(),
                    $($(#[cfg($is)])? $field: self.$field.clone(),)*
                }
            }
        }

        impl StageSet {
            /// The methods of [`Baker`](crate::Baker) that replace a stage, and whether they did.
            pub(crate) fn replaced(&self) -> Vec<(&'static str, bool)> {
                [$($(#[cfg($is)])? (stringify!($method), self.$field.is_some())),*].to_vec()
            }
        }
    };
}

for_stages!(declare);

impl std::fmt::Debug for StageSet {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let replaced = self.replaced();
        formatter.debug_struct("StageSet").field("config", &self.config).field("replaced", &replaced).finish()
    }
}

impl StageSet {
    pub(super) fn new(config: BakeConfig) -> Self {
        Self { config, ..Self::default() }
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &BakeConfig {
        &self.config
    }

    /// Refuses what a front end does not have.
    pub(crate) fn refuse(
        &self,
        front_end: &'static str,
        defaults: &BakeConfig,
        refused: Refused,
    ) -> Result<(), BakeError> {
        let asked = self.config.differences(defaults).into_iter().chain(self.replaced());
        let asked: Vec<&str> = asked.filter_map(|(option, is_asked)| is_asked.then_some(option)).collect();
        match refused.iter().find(|(option, _)| asked.contains(option)) {
            Some(&(option, reason)) => Err(BakeError::OptionNotSupported { option, front_end, reason }),
            None => Ok(()),
        }
    }

    /// Why the voxels have to be there once the field is built, if they have to.
    fn needs_voxels(&self) -> Option<&'static str> {
        let config = &self.config;
        let reasons = [
            (self.build_field.is_some(), "fields: another stage builds them"),
            (config.validate_stages, "fields: voxels are checked, too"),
            (config.has_climbs(), "fields: ledges to climb are looked for in voxels"),
            (!config.head_rooms().is_empty(), "fields: classes of head room are told by voxels"),
        ];
        reasons.into_iter().find_map(|(is_so, reason)| is_so.then_some(reason))
    }

    /// Does the work of a rasteriser, and that of a builder of fields if there is a device that does
    /// both and nothing needs the voxels.
    pub(crate) fn run_solid(
        &self,
        job: RasterJob,
        (frame, core): (&GridFrame, GridWindow),
        builder: &FieldBuilder,
        observer: &mut dyn Observer,
    ) -> Result<Solid, StageError> {
        let Some(device) = &self.raster_device else {
            return self.run_job(&job, observer).map(Solid::Voxels);
        };
        if let Some(reason) = self.needs_voxels() {
            let mut left = self.left_to_processor.lock().unwrap_or_else(PoisonError::into_inner);
            *left.entry(reason).or_default() += 1;
            drop(left);
            return device.rasterize(&job, observer).map(Solid::Voxels);
        }
        let job = FieldJob::new(job, frame, core, builder).map_err(StageError::at("voxelize"))?;
        match device.build_field(&job)? {
            Some(field) => Ok(Solid::Field(Box::new(field))),
            None => device.rasterize(job.raster(), observer).map(Solid::Voxels),
        }
    }

    /// Voxelises a part of a grid: see [`waymesh_voxel::rasterize_window`].
    pub(crate) fn rasterize_window(
        &self,
        soup: &TriangleSoup,
        frame: &GridFrame,
        window: GridWindow,
        voxels: &VoxelConfig,
    ) -> Result<Heightfield, StageError> {
        let job = RasterJob::new(soup.finite_with_areas(), frame, window, voxels, &mut ());
        self.run_job(&job.map_err(StageError::at("voxelize"))?, &mut ())
    }

    /// Does the work of a rasteriser, on the device that replaces the processor if there is one.
    pub(crate) fn run_job(
        &self,
        job: &RasterJob,
        observer: &mut dyn Observer,
    ) -> Result<Heightfield, StageError> {
        match &self.raster_device {
            Some(device) => device.rasterize(job, observer),
            None => job.run(observer).map_err(StageError::at("voxelize")),
        }
    }

    /// Returns the work of other devices, if any is set.
    pub(super) fn device_usage(&self) -> Option<DeviceUsage> {
        let all = [self.raster_device.as_ref().map(|device| device.usage())];
        #[cfg(feature = "storeys")]
        let all = all.into_iter().chain([
            self.rough_device.as_ref().map(|device| device.usage()),
            self.depth_device.as_ref().map(|device| device.usage()),
        ]);
        let mut usage = all.into_iter().flatten().reduce(|mut all, more| {
            all.add(&more);
            all
        })?;
        let left = self.left_to_processor.lock().unwrap_or_else(PoisonError::into_inner);
        for (&reason, jobs) in left.iter() {
            *usage.on_processor.entry(reason.to_owned()).or_default() += jobs;
        }
        Some(usage)
    }

    /// Runs on the number of threads in the settings.
    pub(crate) fn in_pool<T: Send>(&self, run: impl FnOnce() -> T + Send) -> Result<T, BakeError> {
        let threads = self.config.threads;
        if threads == 0 {
            return Ok(run());
        }
        threads::in_pool(threads, run).map_err(|source| BakeError::Threads { threads, source })
    }

    /// Checks a stage's result if [`BakeConfig::validate_stages`] is set.
    ///
    /// # Errors
    /// [`BakeError::BrokenContract`] with the violations that were pushed to the list.
    pub fn check(
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

    pub(crate) fn remove_islands(
        &self,
        field: &mut WalkableField,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), BakeError> {
        recorder.stage("islands", |observer| {
            remove_small_islands(field, self.config.min_region, observer);
            Ok::<_, BakeError>(())
        })?;
        if field.has_ground() { Ok(()) } else { Err(BakeError::nothing("islands", BakeError::ISLANDS_ONLY)) }
    }

    /// `true` if regions are not those of whole storeys.
    pub(crate) fn replaces_partition(&self) -> bool {
        self.partition.is_some() || self.config.partition != PartitionKind::Surfaces
    }

    /// `true` if borders that are exact are simplified all the same.
    pub(super) fn simplifies(&self) -> bool {
        self.simplify.is_some() || self.config.edge_error() > 0.0
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
        let built_in: &(dyn Partition + Send + Sync) = match self.config.partition {
            PartitionKind::Surfaces => &Surfaces::default(),
            PartitionKind::Watershed => {
                &Watershed { config: WatershedConfig::default().with_merge_region(merge) }
            }
            PartitionKind::Monotone => {
                &Monotone { config: MonotoneConfig::default().with_merge_region(merge) }
            }
        };
        let stage = self.partition.as_deref().unwrap_or(built_in);
        let regions = recorder.stage("partition", |observer| stage.partition(field, observer))?;
        self.check("partition", |list| regions.violations_over(field, list))?;
        Ok(regions)
    }

    pub(crate) fn raw_contours(
        &self,
        field: &WalkableField,
        regions: &RegionMap,
        recorder: &mut Recorder<'_>,
    ) -> Result<ContourSet, BakeError> {
        let stage = self.trace.as_deref().unwrap_or(&BorderWalk);
        let contours = recorder.stage("trace", |observer| stage.trace(field, regions, observer))?;
        self.check_traced(&contours, field.walkable_spans() as u64)?;
        Ok(contours)
    }

    /// Checks traced borders, which enclose `spans` spans.
    pub(crate) fn check_traced(&self, raw: &ContourSet, spans: u64) -> Result<(), BakeError> {
        self.check("trace", |list| {
            raw.violations(list);
            same_area("trace", 2 * i128::from(spans), polygon_area(&raw.polygons()), list);
        })
    }

    pub(crate) fn contours(
        &self,
        raw: &ContourSet,
        recorder: &mut Recorder<'_>,
    ) -> Result<ContourSet, BakeError> {
        let config = &self.config;
        let built_in = DouglasPeucker {
            config: SimplifyConfig::default()
                .with_max_edge_error(config.edge_error())
                .with_max_edge_length(config.max_edge_length)
                .with_max_seam_error(config.max_seam_error)
                .with_storey_height(config.agent.height)
                .with_corners(config.corners),
        };
        let stage = self.simplify.as_deref().unwrap_or(&built_in);
        let contours = recorder.stage("simplify", |observer| stage.simplify(raw, observer))?;
        self.check("simplify", |list| contours.violations(list))?;
        Ok(contours)
    }

    /// Triangles of regions, with the vertices that `refine` adds.
    pub(crate) fn triangles(
        &self,
        shapes: &PolygonSet,
        refine: Option<&RefineConfig>,
        recorder: &mut Recorder<'_>,
    ) -> Result<Triangulation, BakeError> {
        let built_in = ConstrainedDelaunay::default();
        let stage = self.triangulate.as_deref().unwrap_or(&built_in);
        let triangulation = recorder.stage("triangulate", |observer| stage.triangulate(shapes, observer))?;
        self.check("triangulate", |list| {
            triangulation.violations(list);
            same_area("triangulate", polygon_area(shapes), triangulation.doubled_area(), list);
        })?;
        match refine {
            Some(refine) => self.refined(&triangulation, refine, recorder),
            None => Ok(triangulation),
        }
    }

    fn refined(
        &self,
        plain: &Triangulation,
        refine: &RefineConfig,
        recorder: &mut Recorder<'_>,
    ) -> Result<Triangulation, BakeError> {
        let (refined, report) = recorder
            .stage("refine", |_| refine_triangulation(plain, refine).map_err(StageError::at("refine")))?;
        self.check("refine", |list| {
            refined.violations(list);
            let (expected, actual) = (plain.doubled_area(), refined.doubled_area());
            if actual > expected {
                list.push(Violation::AreaLost { stage: "refine", expected, actual });
            }
        })?;
        if report.long_edges_left > 0 {
            let what = format!("{} stay longer than asked for, for want of room", report.long_edges_left);
            recorder.warn(Warning::OddElement { element: "border edges".into(), what });
        }
        Ok(refined)
    }

    /// Convex polygons. Notch portals would leave out the points of a grid that `refine` added, all
    /// of them, whatever the most corners of a polygon: merging keeps what its polygons need.
    pub(crate) fn polygons(
        &self,
        triangulation: &Triangulation,
        refine: Option<&RefineConfig>,
        recorder: &mut Recorder<'_>,
    ) -> Result<PolyMesh, BakeError> {
        let limit = self.config.max_vertices;
        let greedy = GreedyConfig::default().with_max_vertices(limit);
        let has_grid = refine.is_some_and(|refine| refine.grid_spacing.is_finite());
        let built_in: &(dyn Decompose + Send + Sync) = match self.config.decomposition {
            DecompositionKind::NotchPortals if !has_grid => {
                &NotchPortals { config: NotchPortalsConfig::default().with_max_vertices(limit) }
            }
            DecompositionKind::NotchPortals | DecompositionKind::Greedy => &GreedyMerge { config: greedy },
            DecompositionKind::HertelMehlhorn => {
                &GreedyMerge { config: greedy.with_order(MergeOrder::Stored) }
            }
        };
        let stage = self.decompose.as_deref().unwrap_or(built_in);
        let polygons = recorder.stage("decompose", |observer| stage.decompose(triangulation, observer))?;
        self.check("decompose", |list| {
            polygons.violations(list);
            let area = (0..polygons.polygons.len())
                .map(|polygon| polygons.doubled_area(PolyId::from_index(polygon)))
                .sum();
            same_area("decompose", triangulation.doubled_area(), area, list);
        })?;
        Ok(polygons)
    }

    /// Ground heights in the polygons of a whole field.
    pub(crate) fn heights(
        &self,
        field: &WalkableField,
        regions: &RegionMap,
        polygons: &PolyMesh,
        observer: &mut dyn Observer,
    ) -> Result<HeightSurface, StageError> {
        let built_in = GreedyInsertion { config: self.detail_config() };
        self.fit_heights.as_deref().unwrap_or(&built_in).fit_heights(field, regions, polygons, observer)
    }

    pub(crate) fn detail_config(&self) -> DetailConfig {
        DetailConfig::default()
            .with_max_error_levels(self.config.max_height_error_levels.max(LEAST_ERROR_LEVELS))
            .with_max_step(self.config.agent.max_step)
    }
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

/// Returns the triangles of a source in memory, without those that copy another, and the number of
/// all.
pub(crate) fn distinct_triangles<'a>(
    source: &'a dyn TriangleSource,
    config: &BakeConfig,
) -> Result<(Cow<'a, TriangleSoup>, u64), BakeError> {
    let soup = TriangleSoup::of(source)?;
    check_soup(&soup)?;
    let (triangles, distinct) = (soup.triangles().len() as u64, soup.without_copies(config.scale.cell_size));
    Ok((distinct.map_or(soup, Cow::Owned), triangles))
}

/// Makes spans without a region unwalkable.
pub(crate) fn clear_unlabelled(field: &mut WalkableField, regions: &RegionMap) {
    /// Number of spans that one thread checks in a row.
    const SPANS: usize = 1 << 18;
    let clear = |(areas, labels): (&mut [AreaId], &[u32])| {
        checkpoint();
        for (area, &label) in areas.iter_mut().zip(labels) {
            if label == NO_REGION {
                *area = AreaId::NULL;
            }
        }
    };
    threads::for_each(field.area.chunks_mut(SPANS).zip(regions.labels.chunks(SPANS)), clear);
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

fn same_area(stage: &'static str, expected: i128, actual: i128, list: &mut ViolationList) {
    if expected != actual {
        list.push(Violation::AreaLost { stage, expected, actual });
    }
}
