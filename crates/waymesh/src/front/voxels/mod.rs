//! Voxels (Mononen 2009): soup, voxels, walkable field, regions, borders; of the whole scene at
//! once, or tile by tile.

mod apart;
mod known;
mod options;
mod shares;
mod survey;
pub(crate) mod tiles;

use waymesh_core::stage::{BuildField, StageError, Voxelize};
use waymesh_core::{
    ContourSet, FieldWindow, GridFrame, GridScale, GridWindow, HeightSurface, Heightfield, Observer,
    PolyMesh, RegionMap, SlopeAreas, TriangleSoup, TriangleSource, Triangulation, Validate, WalkableField,
    Warning, nearest_f32, warn_of_outliers, warn_of_shape,
};
use waymesh_region::{SurfacesConfig, join_surfaces, label_split_surfaces, split_surfaces_labelled};
use waymesh_voxel::{BuiltField, Climb, FieldBuilder, RasterJob, VoxelConfig, Voxelizer, find_climbs};

pub use self::apart::TileBaker;
pub use self::options::Voxels;
pub use self::shares::{ManifestTile, TileManifest, tile_note};
pub(crate) use self::survey::{VERSION, check_version, read_layout, write_layout};
use self::tiles::TILE_BYTES;
pub(crate) use self::tiles::{field_builder, field_window, halo_cells, windows};
use crate::bake::{
    BakeConfig, BakeError, Baker, Borders, FrontEnd, GridReport, Ground, Heights, Keep, Recorder, Refused,
    Report, Solid, StageSet, apply_marks, check_soup, clear_unlabelled, distinct_triangles, pieces_by_radius,
    warn_of_marks,
};

/// The results of all stages of a bake.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Stages {
    /// Solid voxels.
    pub heightfield: Heightfield,
    /// The walkable surface, after erosion and the removal of small islands.
    pub field: WalkableField,
    /// Climbs higher than the agent's step; empty unless [`BakeConfig::max_ledge`] is set.
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

impl FrontEnd for Voxels {
    type Input = dyn TriangleSource;
    const NAME: &'static str = "voxels";
    const REFUSED: Refused = &[
        ("with_rough_device", "rough voxels are those of storeys; use `with_raster_device`"),
        ("with_depth_device", "depth maps are those of storeys; use `with_raster_device`"),
    ];

    fn defaults() -> BakeConfig {
        BakeConfig::default()
    }

    fn check(&self, stages: &StageSet) -> Result<(), BakeError> {
        if self.update && self.folder.is_none() {
            let reason = "it needs a folder of tiles";
            return Err(BakeError::OptionNotSupported { option: "update", front_end: Self::NAME, reason });
        }
        self.option_of_tiles().map_or(Ok(()), |_| Self::refuse_in_tiles(stages))
    }

    fn ground<'a>(
        &'a self,
        source: &'a dyn TriangleSource,
        stages: &'a StageSet,
        recorder: &mut Recorder<'_>,
    ) -> Result<Ground<'a>, BakeError> {
        let is_streamed = source.as_soup().is_none() && Self::refuse_in_tiles(stages).is_ok();
        if is_streamed || self.option_of_tiles().is_some() {
            return self.ground_in_tiles(source, stages, recorder);
        }
        let (soup, triangles) = distinct_triangles(source, stages.config())?;
        let soup = &*soup;
        let size = GridSize::at_most(soup, &stages.config().scale);
        if let Some(size) = size {
            size.warn_of_time(stages.config(), soup, recorder);
        }
        if let Some(needed_bytes) = size.and_then(|size| needs_tiles(size, stages)) {
            warn_of_outliers(soup, &stages.config().scale, recorder);
            let limit_bytes = stages.config().max_memory_bytes;
            if needed_bytes > limit_bytes {
                recorder.warn(Warning::Tiled { needed_bytes, limit_bytes });
            }
            let mut ground = self.ground_in_tiles(soup, stages, recorder)?;
            ground.report.triangles = triangles;
            return Ok(ground);
        }
        warn_of_shape(soup, &stages.config().agent, &stages.config().scale, recorder);
        let BakeConfig { agent, scale, .. } = stages.config();
        if SlopeAreas::new(*agent).may_lose(scale) {
            SlopeAreas::of(soup, *agent).warn(scale, recorder);
        }
        let (spans, mut field, climbs) = match solid(soup, stages, true, recorder)? {
            Solid::Field(built) => {
                let spans = built.counts.solid_spans;
                (spans, device_field(*built, stages, recorder)?, Vec::new())
            }
            Solid::Voxels(heightfield) => {
                let (field, climbs) = field_of(&heightfield, stages, recorder)?;
                // The rest of the bake has better use for the memory of the voxels.
                (heightfield.spans.len() as u64, field, climbs)
            }
        };
        let config = stages.config();
        // The radius does not matter to ground that is left out.
        let radii = if recorder.wants_advice() && config.keep == Keep::All {
            recorder.stage("radii", |_| {
                pieces_by_radius(&mut field, config.agent.radius, config.min_region)
                    .map_err(StageError::at("radii"))
            })?
        } else {
            Vec::new()
        };
        mark(&mut field, stages, recorder)?;
        let (regions, raw) = regions_and_borders(&mut field, stages, recorder)?;
        let report = Report {
            triangles,
            grid: GridReport::of(&field.frame),
            spans,
            walkable_spans: field.walkable_spans() as u64,
            walkable_area: field.walkable_area(),
            regions: u64::from(regions.count),
            tiles: 1,
            radii,
            ..Report::default()
        };
        let heights =
            Heights::fitted(move |polygons, observer| stages.heights(&field, &regions, polygons, observer));
        Ok(Ground { climbs, ..Ground::new(Borders::Traced(raw), heights, report) })
    }

    fn triangles<'a>(source: &'a (dyn TriangleSource + 'static)) -> Option<&'a dyn TriangleSource> {
        Some(source)
    }
}

impl Baker<Voxels> {
    /// Voxels of 0.3 m and levels of 0.2 m.
    #[must_use]
    pub fn voxels() -> Self {
        Self::new(Voxels::default(), Voxels::defaults())
    }

    /// Runs the stages up to heights and keeps what each of them made.
    ///
    /// # Errors
    /// See [`Baker::bake`].
    pub fn bake_stages(&self, soup: &TriangleSoup, observer: &mut dyn Observer) -> Result<Stages, BakeError> {
        self.check()?;
        check_soup(soup)?;
        let (stages, mut recorder) = (&self.stages, Recorder::new(observer));
        stages.in_pool(|| {
            let recorder = &mut recorder;
            let Solid::Voxels(heightfield) = solid(soup, stages, false, recorder)? else {
                return Err(StageError::new("voxelize", "a device has kept the voxels to itself").into());
            };
            let (mut field, climbs) = field_of(&heightfield, stages, recorder)?;
            mark(&mut field, stages, recorder)?;
            let (regions, raw_contours) = regions_and_borders(&mut field, stages, recorder)?;
            let contours = stages.contours(&raw_contours, recorder)?;
            let triangulation = stages.triangles(&contours.polygons(), None, recorder)?;
            let polygons = stages.polygons(&triangulation, None, recorder)?;
            let surface = recorder
                .stage("heights", |observer| stages.heights(&field, &regions, &polygons, observer))?;
            stages.check("heights", |list| surface.violations_over(&polygons, list))?;
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
        })?
    }
}

/// Most bytes that a bake takes for a column of the grid, and for a solid span, while it is worked
/// on: the walkable field and its partition are the largest tables.
const COLUMN_BYTES: f64 = 16.0;
const SPAN_BYTES: f64 = 64.0;

/// Largest ratio of needed to allowed memory at which a scene is baked in tiles automatically.
/// Finished tiles take at most a tenth of it; a larger scene is more likely in other units.
const MOST_TIMES: u64 = 64;

/// Number of columns from which a grid may be so empty that tiles are faster, and how many times
/// the columns below triangles it then has.
const SPARSE_COLUMNS: f64 = (1 << 24) as f64;
const SPARSE_TIMES: f64 = 16.0;

/// Returns the bytes that a scene needs at once, if they may not fit into memory or most of its
/// grid is empty, and if tiles give the same mesh. Empty columns of an empty grid do not count.
fn needs_tiles(GridSize { spans, columns }: GridSize, stages: &StageSet) -> Option<u64> {
    let config = stages.config();
    Voxels::refuse_in_tiles(stages).ok()?;
    let is_sparse = columns >= SPARSE_COLUMNS && columns >= spans * SPARSE_TIMES;
    let needed = bytes_at_most(spans, if is_sparse { spans } else { columns });
    let is_allowed = needed <= config.max_memory_bytes;
    let is_out_of_reach = needed / MOST_TIMES > config.max_memory_bytes.max(TILE_BYTES);
    (is_sparse || !is_allowed).then_some(())?;
    (!is_out_of_reach).then_some(needed)
}

/// Seconds that a bake takes for a column or a span of its grid, on two threads: 5e-8 to 8e-8 on
/// seven levels.
const SECONDS_PER_CELL: f64 = 7e-8;

/// The size of the grid of a scene.
#[derive(Clone, Copy)]
struct GridSize {
    /// Upper bound of the number of spans.
    spans: f64,
    columns: f64,
}

impl GridSize {
    /// Returns the size; `None` for a grid that cannot be.
    fn at_most(soup: &TriangleSoup, scale: &GridScale) -> Option<Self> {
        let frame = GridFrame::fit(&soup.bounds(), scale).ok()?;
        Some(Self { spans: soup.columns_at_most(frame.cell_size), columns: frame.column_count() as f64 })
    }

    /// Seconds that a bake takes. Tiles leave empty columns out.
    fn seconds(self) -> f64 {
        (self.spans + self.columns.min(self.spans)) * SECONDS_PER_CELL
    }

    /// Warns of a bake that takes more than half a minute.
    fn warn_of_time(self, config: &BakeConfig, soup: &TriangleSoup, recorder: &mut Recorder<'_>) {
        let seconds = self.seconds();
        if seconds > MOST_SECONDS {
            /// Seconds of the advised cells.
            const ADVISED_SECONDS: f64 = 10.0;
            let scale = coarser(&config.scale, seconds / ADVISED_SECONDS);
            let max_step = SlopeAreas::of(soup, config.agent).needed_step(&scale);
            recorder.warn(Warning::LongBake { seconds, cell_size: scale.cell_size, max_step });
        }
    }
}

/// Seconds from which the user is warned of a bake.
const MOST_SECONDS: f64 = 30.0;

impl Baker<Voxels> {
    /// Returns a scale for a scene: that of the settings, unless other cells suit the scene better.
    /// - Where slopes of the scene would be lost ([`SlopeAreas`]), cells are as fine as those slopes
    ///   need, if a bake then takes at most half a minute.
    /// - Where a bake would take more than half a minute, cells are as coarse as it needs, but none so
    ///   coarse that slopes of the scene are lost.
    ///
    /// Times are estimates for two threads from the triangles alone, so every machine gets the same
    /// answer.
    #[must_use]
    pub fn scale_for(&self, soup: &TriangleSoup) -> GridScale {
        let BakeConfig { scale, agent, .. } = self.config();
        let distinct = soup.without_copies(scale.cell_size);
        let soup = distinct.as_ref().unwrap_or(soup);
        let seconds = |scale: &GridScale| GridSize::at_most(soup, scale).map(GridSize::seconds);
        let Some(usual) = seconds(scale) else { return *scale };
        if usual <= MOST_SECONDS && !SlopeAreas::new(*agent).may_lose(scale) {
            return *scale;
        }
        let slopes = SlopeAreas::of(soup, *agent);
        let other = if usual > MOST_SECONDS {
            let enough = coarser(scale, usual / MOST_SECONDS).cell_size;
            slopes.coarsest(scale.cell_size, enough + 0.01)
        } else {
            let finer = slopes.needed_step(scale).and_then(|_| slopes.coarsest(0.0, scale.cell_size));
            finer.filter(|finer| seconds(finer).is_some_and(|seconds| seconds <= MOST_SECONDS))
        };
        other.unwrap_or(*scale)
    }
}

/// Returns a scale with which a bake takes `times` less time.
fn coarser(scale: &GridScale, times: f64) -> GridScale {
    GridScale::new(nearest_f32(f64::from(scale.cell_size) * times.sqrt()), scale.level_height)
}

/// Memory for a bake of all of a scene, from the columns that each triangle lies in. Where they
/// share columns and heights it is less.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
fn bytes_at_most(spans: f64, columns: f64) -> u64 {
    (columns * COLUMN_BYTES + spans * SPAN_BYTES) as u64
}

/// The voxels of a scene; or the field of them, if that is enough and a device builds it.
fn solid(
    soup: &TriangleSoup,
    stages: &StageSet,
    field_is_enough: bool,
    recorder: &mut Recorder<'_>,
) -> Result<Solid, BakeError> {
    let config = stages.config();
    let voxels = VoxelConfig::for_agent(&config.agent).with_scale(config.scale).with_threads(0);
    let built_in = Voxelizer::new(voxels.with_max_memory_bytes(config.max_memory_bytes));
    let solid = recorder.stage("voxelize", |observer| match (&stages.voxelize, &stages.raster_device) {
        (Some(stage), _) => stage.voxelize(soup, observer).map(Solid::Voxels),
        (None, Some(device)) => {
            let job = RasterJob::of_soup(soup, &built_in.config, observer);
            let job = job.map_err(StageError::at("voxelize"))?;
            if field_is_enough {
                let (frame, builder) = (job.frame_of_result(), FieldBuilder::new(config.agent));
                let whole = (&frame, GridWindow::whole(&frame));
                stages.run_solid(job, whole, &builder, observer)
            } else {
                device.rasterize(&job, observer).map(Solid::Voxels)
            }
        }
        (None, None) => built_in.voxelize(soup, observer).map(Solid::Voxels),
    })?;
    let has_floor = match &solid {
        Solid::Voxels(heightfield) => {
            stages.check("voxelize", |list| heightfield.violations(list))?;
            heightfield.spans.iter().any(|span| span.area.is_walkable())
        }
        Solid::Field(built) => built.counts.walkable_spans > 0,
    };
    if has_floor { Ok(solid) } else { Err(BakeError::nothing("voxelize", BakeError::NO_FLOOR)) }
}

/// Returns the field that a device built, and reports it to the observer like one built here.
fn device_field(
    built: BuiltField,
    stages: &StageSet,
    recorder: &mut Recorder<'_>,
) -> Result<WalkableField, BakeError> {
    let field = built.part.field;
    recorder.stage("field", |observer| {
        built.counts.report(observer);
        if field.is_empty() {
            observer.warn(Warning::NothingWalkable { stage: "walkable field" });
        } else if !field.has_ground() {
            observer.warn(Warning::NothingWalkable { stage: "erosion" });
        }
        Ok::<_, BakeError>(())
    })?;
    stages.check("field", |list| field.violations(list))?;
    if field.has_ground() { Ok(field) } else { Err(BakeError::nothing("field", BakeError::NO_ROOM)) }
}

/// The field of voxels, and where the agent can climb.
fn field_of(
    heightfield: &Heightfield,
    stages: &StageSet,
    recorder: &mut Recorder<'_>,
) -> Result<(WalkableField, Vec<Climb>), BakeError> {
    let config = stages.config();
    let builder = FieldBuilder::new(config.agent);
    let mut field = recorder.stage("field", |observer| match &stages.build_field {
        Some(stage) => stage.build_field(heightfield, observer),
        None => builder.build_field(heightfield, observer),
    })?;
    stages.check("field", |list| field.violations(list))?;
    if !field.has_ground() {
        return Err(BakeError::nothing("field", BakeError::NO_ROOM));
    }
    let climbs = if config.has_climbs() {
        recorder.stage("climbs", |_| {
            let whole = GridWindow::whole(&heightfield.frame);
            find_climbs(heightfield, &field, &builder, config.max_ledge, whole, [0, 0])
                .map_err(StageError::at("climbs"))
        })?
    } else {
        Vec::new()
    };
    let rooms = config.head_rooms();
    if !rooms.is_empty() {
        let builder = builder.with_head_rooms(rooms);
        recorder.stage("head room", |_| {
            builder.report_head_rooms(heightfield, &mut field).map_err(StageError::at("head room"))
        })?;
    }
    Ok((field, climbs))
}

/// Applies the marks.
fn mark(field: &mut WalkableField, stages: &StageSet, recorder: &mut Recorder<'_>) -> Result<(), BakeError> {
    let (marks, rooms) = (&stages.config().marks, stages.config().head_rooms());
    let covers = apply_marks(marks, |mark| mark.apply_over(field, &rooms))?;
    warn_of_marks(marks, &covers, recorder);
    if field.has_ground() { Ok(()) } else { Err(BakeError::nothing("marks", BakeError::NO_ROOM)) }
}

/// Regions and their borders. What is in no region is not walkable from here on.
fn regions_and_borders(
    field: &mut WalkableField,
    stages: &StageSet,
    recorder: &mut Recorder<'_>,
) -> Result<(RegionMap, ContourSet), BakeError> {
    let regions = if stages.replaces_partition() {
        stages.remove_islands(field, recorder)?;
        stages.regions(field, recorder)?
    } else {
        whole_storeys(field, stages, recorder)?
    };
    let raw = stages.raw_contours(field, &regions, recorder)?;
    Ok((regions, raw))
}

/// Whole storeys as regions. Small islands are removed when the surface is known, as in a tiled
/// bake. Removed before, they would change where the surface is cut.
fn whole_storeys(
    field: &mut WalkableField,
    stages: &StageSet,
    recorder: &mut Recorder<'_>,
) -> Result<RegionMap, BakeError> {
    let regions = recorder.stage("partition", |observer| {
        let failed = |error| StageError::new("partition", error);
        let empty = WalkableField::empty(field.frame);
        let part = FieldWindow::whole(std::mem::replace(field, empty));
        let (pieces, labels) = split_surfaces_labelled(&part, &SurfacesConfig::default()).map_err(failed)?;
        let join = stages.join_config(field.frame.cell_area());
        let surfaces = join_surfaces(&[pieces], &join, observer).map_err(failed)?;
        let regions = label_split_surfaces(&part, labels, &surfaces).map_err(failed)?;
        *field = part.field;
        Ok::<_, StageError>(regions)
    })?;
    clear_unlabelled(field, &regions);
    stages.check("partition", |list| regions.violations_over(field, list))?;
    if regions.count == 0 { Err(BakeError::nothing("islands", BakeError::ISLANDS_ONLY)) } else { Ok(regions) }
}

#[cfg(test)]
mod tests {
    use waymesh_scenes::{Scene, SceneConfig};

    use super::*;

    #[test]
    fn the_memory_that_may_be_needed_covers_all_spans() {
        for scene in Scene::ALL {
            let soup = scene.build(&SceneConfig::default());
            for cell_size in [0.1, 0.3, 2.0] {
                let config = BakeConfig::default().with_scale(cell_size, 0.1);
                let baker = Baker::voxels().with_config(config);
                let Ok(stages) = baker.bake_stages(&soup, &mut ()) else { continue };
                let columns = stages.heightfield.frame.column_count() as f64;
                let estimate = bytes_at_most(soup.columns_at_most(cell_size), columns);
                let spans = stages.heightfield.spans.len() as f64;
                let least = columns * COLUMN_BYTES + spans * SPAN_BYTES;
                assert!(estimate as f64 >= least, "{} at {cell_size} m: {estimate} < {least}", scene.name());
            }
        }
    }
}
