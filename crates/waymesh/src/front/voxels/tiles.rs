//! Voxels tile by tile: in parallel and within a memory bound. The result does not depend on the
//! tiles.
//!
//! 1. Per tile: triangles of the tile and its halo to the walkable field of the tile and a ring,
//!    and to pieces of surface. Kept as bytes.
//! 2. The pieces of all tiles are joined to regions; small islands go.
//! 3. Per tile: spans get their regions, borders are traced to where the tile ends.
//! 4. Borders are stitched. From here on everything is as in an untiled bake: simplification,
//!    triangles, polygons.
//! 5. Ground heights are fitted window by window, over the tiles that lie there.

use std::collections::BTreeMap;

use waymesh_contour::{BorderChains, stitch, trace_window};
use waymesh_core::stage::StageError;
use waymesh_core::{
    Counter, FieldWindow, GridFrame, GridWindow, Heightfield, LabelledWindow, Observer, PackedRegions,
    PolyId, Random, SlopeAreas, TriangleSoup, TriangleSource, Validate, Warning, threads,
};
use waymesh_detail::{KeepFit, WindowConfig, fit_heights_known};
use waymesh_region::{SurfacePieces, SurfacesConfig, join_surfaces, split_surfaces};
use waymesh_tile::{
    BinsConfig, Census, MemoryGate, Tally, Tile, TileLayout, TileStore, TriangleBins, build_tiles,
};
use waymesh_voxel::{
    Climb, FieldBuilder, PackedField, RasterJob, VoxelConfig, VoxelError, build_window,
    build_window_with_climbs,
};

use super::Voxels;
use super::known::{Inputs, Known, read_borders, write_borders};
use super::survey::{Kept, Survey, field_of, labelled, read_tile};
use crate::bake::{
    Bake, BakeConfig, BakeError, Baker, Borders, FrontEnd, GridReport, Ground, Heights, Recorder, Refused,
    Report, Solid, StageSet, apply_marks, covered_in_all, warn_of_marks,
};

/// Bytes that a column of a tile's window takes while it is built, with a span and a half in it.
const COLUMN_BYTES: u64 = 128;
/// Bytes that the voxels of one tile may take in any case. With less memory than that, tiles are
/// built one after the other.
pub(super) const TILE_BYTES: u64 = 2 << 30;
/// Name of a bake in tiles in errors.
pub(crate) const IN_TILES: &str = "tiles";
/// Bytes that a triangle of a tile takes while it is built.
const TRIANGLE_BYTES: u64 = 100;

const WHOLE_GROUND: &str = "it needs the whole ground at once; bake without tiles";

/// Settings and stages that a bake in tiles does not use.
pub(crate) const REFUSED_IN_TILES: Refused = &[
    ("partition", "only whole storeys (`surfaces`) can be found part by part; bake without tiles"),
    ("merge_region", "only watershed and monotone regions are merged; bake without tiles"),
    ("with_voxelize", WHOLE_GROUND),
    ("with_build_field", WHOLE_GROUND),
    ("with_partition", WHOLE_GROUND),
    ("with_trace", WHOLE_GROUND),
    ("with_fit_heights", WHOLE_GROUND),
];

impl Baker<Voxels> {
    /// Refuses settings that a bake in tiles does not use.
    pub(super) fn check_tiles(&self) -> Result<(), BakeError> {
        self.check()?;
        Voxels::refuse_in_tiles(&self.stages)
    }

    /// Returns how the world is cut into tiles. One pass over the source.
    ///
    /// # Errors
    /// See [`Baker::bake`].
    pub fn layout(&self, source: &dyn TriangleSource) -> Result<TileLayout, BakeError> {
        Ok(self.survey(source)?.layout)
    }

    /// Surveys a source to bake all its tiles. Refuses settings that a bake in tiles does not use.
    pub(super) fn survey(&self, source: &dyn TriangleSource) -> Result<Survey, BakeError> {
        self.check_tiles()?;
        Survey::of(source, self.front.side(), self.config())
    }

    /// Joins all tiles of a survey, which `read` returns with their store. Refuses what a merge without
    /// the triangles cannot do.
    pub(super) fn merged(
        &self,
        source: Option<&dyn TriangleSource>,
        observer: &mut dyn Observer,
        read: impl FnOnce(&mut Recorder<'_>) -> Result<(Survey, TileStore, Vec<Kept>), BakeError> + Send,
    ) -> Result<Bake, BakeError> {
        const REASON: &str = "tiles hold no triangles; give the scene as well";
        const NO_TRIANGLES: Refused = &[("enclosed", REASON), ("jumps", REASON)];
        if source.is_none() {
            self.stages.refuse("tiles without a scene", &Voxels::defaults(), NO_TRIANGLES)?;
        }
        self.run(source, observer, |recorder| {
            let (survey, store, kept) = read(recorder)?;
            survey.skipped.report(recorder);
            joined(survey, store, (survey.layout.tiles().collect(), kept), &self.stages, recorder)
        })
    }
}

impl Voxels {
    pub(super) fn refuse_in_tiles(stages: &StageSet) -> Result<(), BakeError> {
        stages.refuse(IN_TILES, &Self::defaults(), REFUSED_IN_TILES)
    }

    /// The ground of a source, tile by tile. In a folder, every tile of the layout has a file; else
    /// only tiles that triangles reach into are visited.
    pub(super) fn ground_in_tiles<'a>(
        &self,
        source: &dyn TriangleSource,
        stages: &'a StageSet,
        recorder: &mut Recorder<'_>,
    ) -> Result<Ground<'a>, BakeError> {
        let config = stages.config();
        let mut slopes = SlopeAreas::new(config.agent);
        let (census, survey) = recorder.stage("survey", |_| {
            let may_lose = slopes.may_lose(&config.scale);
            let census = Census::take(source, &mut |corners| {
                if may_lose {
                    slopes.add(corners);
                }
            })?;
            let survey = Survey::of_census(&census, self.side(), self.folder.is_some(), config)?;
            Ok::<_, BakeError>((census, survey))
        })?;
        census.shape.warn(&config.agent, &config.scale, recorder);
        slopes.warn(&config.scale, recorder);
        let store = survey.store(self)?;
        survey.skipped.report(recorder);
        let tiles: Vec<Tile>;
        let kept = if self.folder.is_some() {
            tiles = survey.layout.tiles().collect();
            self.build_missing(source, &survey, &store, &tiles, stages, recorder)?
        } else {
            let tile_builder = TileBuilder::new(source, &survey, self, stages, |_| true, recorder)?;
            tiles = tile_builder.bins.tiles().collect();
            tile_builder.build(&store, &tiles, stages, recorder)?
        };
        joined(survey, store, (tiles, kept), stages, recorder)
    }

    /// Builds those of these tiles that the store does not have, and returns what is kept of all.
    pub(super) fn build_missing(
        &self,
        source: &dyn TriangleSource,
        survey: &Survey,
        store: &TileStore,
        tiles: &[Tile],
        stages: &StageSet,
        recorder: &mut Recorder<'_>,
    ) -> Result<Vec<Kept>, BakeError> {
        let sort_all = || TileBuilder::new(source, survey, self, stages, |_| true, recorder);
        let sorted = self.update.then(sort_all).transpose()?;
        let read = |&tile: &Tile| match &sorted {
            Some(builder) => builder.adopt(store, tile),
            None => read_tile(store, tile),
        };
        let kept: Vec<Result<Option<Kept>, BakeError>> = threads::map(tiles, read);
        let mut kept: Vec<Option<Kept>> = kept.into_iter().collect::<Result<_, _>>()?;
        let missing: Vec<Tile> =
            tiles.iter().zip(&kept).filter(|(_, kept)| kept.is_none()).map(|(&tile, _)| tile).collect();
        if missing.len() < kept.len() {
            recorder.count(Counter::TilesResumed, (kept.len() - missing.len()) as u64);
        }
        if store.damaged() > 0 {
            recorder.warn(Warning::TilesDamaged { tiles: store.damaged() });
        }
        if !missing.is_empty() {
            let is_missing = |tile| missing.binary_search(&tile).is_ok();
            let tile_builder = match sorted {
                Some(builder) => builder,
                None => TileBuilder::new(source, survey, self, stages, is_missing, recorder)?,
            };
            let built = tile_builder.build(store, &missing, stages, recorder)?;
            kept.iter_mut()
                .filter(|kept| kept.is_none())
                .zip(built)
                .for_each(|(kept, built)| *kept = Some(built));
        }
        Ok(kept.into_iter().flatten().collect())
    }
}

/// The builder of tiles: their triangles, and the settings.
#[derive(Debug)]
pub(super) struct TileBuilder {
    pub(super) survey: Survey,
    bins: TriangleBins,
    builder: FieldBuilder,
    voxels: VoxelConfig,
    halo: u32,
    hash_without_triangles: u64,
}

impl TileBuilder {
    /// Sorts the triangles into those tiles that are `wanted`.
    pub(super) fn new(
        source: &dyn TriangleSource,
        survey: &Survey,
        front: &Voxels,
        stages: &StageSet,
        wanted: impl Fn(Tile) -> bool,
        recorder: &mut Recorder<'_>,
    ) -> Result<Self, BakeError> {
        let config = stages.config();
        let builder = field_builder(config);
        let halo = halo_cells(config, &builder);
        let bins = recorder.stage("sort triangles", |_| {
            // There, no file can take what is more.
            let share = if cfg!(target_family = "wasm") { 1 } else { 8 };
            let bins = BinsConfig::default()
                .with_memory_bytes(config.max_memory_bytes / share)
                .with_folder(front.spill_folder.clone());
            TriangleBins::sort_for(source, &survey.layout, halo, wanted, &bins)
        })?;
        let voxels = VoxelConfig::for_agent(&config.agent)
            .with_scale(config.scale)
            .with_threads(1)
            .with_max_memory_bytes(config.max_memory_bytes.max(TILE_BYTES));
        let hash_without_triangles = survey.hash_without_triangles(config);
        Ok(Self { survey: *survey, bins, builder, voxels, halo, hash_without_triangles })
    }

    /// Builds these tiles and puts them into the store.
    pub(super) fn build(
        &self,
        store: &TileStore,
        tiles: &[Tile],
        stages: &StageSet,
        recorder: &mut Recorder<'_>,
    ) -> Result<Vec<Kept>, BakeError> {
        let gate = MemoryGate::new(stages.config().max_memory_bytes / 2);
        let work = |tile: Tile| -> Result<(Kept, Tally), BakeError> {
            let (kept, content, tally) = self.make(tile, stages)?;
            store.put(tile, content)?;
            Ok((kept, tally))
        };
        let estimate = |tile| {
            self.window(tile).column_count() * COLUMN_BYTES + self.bins.count(tile) as u64 * TRIANGLE_BYTES
        };
        let built =
            recorder.stage("tiles", |observer| build_tiles(tiles, &gate, estimate, work, observer))?;
        let replayed = built.into_iter().map(|(kept, tally)| {
            tally.replay(recorder);
            kept
        });
        Ok(replayed.collect())
    }

    /// Returns what is kept of a tile that is already as it would be built.
    fn adopt(&self, store: &TileStore, tile: Tile) -> Result<Option<Kept>, BakeError> {
        let hash = self.hash(&self.bins.soup(tile)?)?;
        let accept = |content: &[u8]| Kept::from_bytes(content).filter(|kept| kept.hash == hash);
        Ok(store.adopt(tile, accept)?)
    }

    /// Returns the hash of a tile of these triangles.
    fn hash(&self, soup: &TriangleSoup) -> Result<u64, BakeError> {
        let triangles = Census::take(soup, &mut |_| ())?.fingerprint;
        Ok(Random::mix(self.hash_without_triangles.wrapping_add(triangles)))
    }

    fn window(&self, tile: Tile) -> GridWindow {
        let layout = &self.survey.layout;
        layout.core(tile).grown(self.halo, layout.frame())
    }

    /// Builds a tile. Returns also its stored content, and what its stages reported.
    pub(super) fn make(&self, tile: Tile, stages: &StageSet) -> Result<(Kept, Vec<u8>, Tally), BakeError> {
        let layout = &self.survey.layout;
        let (frame, window, core) = (layout.frame(), self.window(tile), layout.core(tile));
        let mut tally = Tally::default();
        let failed = |error| StageError::new("voxelize", error);
        let soup = self.bins.soup(tile)?;
        let hash = self.hash(&soup)?;
        // The survey has counted the triangles that are of no use.
        let job =
            RasterJob::new(soup.finite_with_areas(), frame, window, &self.voxels, &mut ()).map_err(failed)?;
        drop(soup);
        let solid = stages.run_solid(job, (frame, core), &self.builder, &mut ())?;
        let (mut part, climbs, solid_spans) = match solid {
            Solid::Field(built) => {
                built.counts.report(&mut tally);
                (built.part, Vec::new(), built.counts.solid_spans)
            }
            Solid::Voxels(voxels) => {
                let config = stages.config();
                let (part, climbs) =
                    field_window(&voxels, frame, [window, core], &self.builder, config, &mut tally)
                        .map_err(failed)?;
                (part, climbs, solid_spans(&voxels, window, core))
            }
        };
        let (marks, rooms) = (&stages.config().marks, stages.config().head_rooms());
        let covers = apply_marks(marks, |mark| mark.apply_to_window(&mut part, &rooms))?;
        stages.check("field", |list| part.violations(list))?;
        let pieces =
            split_surfaces(&part, &SurfacesConfig::default()).map_err(StageError::at("partition"))?;
        let kept = Kept { solid_spans, hash, covers, climbs, pieces };
        let content = kept.to_bytes(&PackedField::pack(&part).map_err(failed)?);
        Ok((kept, content, tally))
    }
}

/// From finished tiles, in order, to ground. Tiles that are not there are empty.
pub(super) fn joined<'a>(
    survey: Survey,
    store: TileStore,
    (tiles, kept): (Vec<Tile>, Vec<Kept>),
    stages: &'a StageSet,
    recorder: &mut Recorder<'_>,
) -> Result<Ground<'a>, BakeError> {
    let spans = kept.iter().map(|kept| kept.solid_spans).sum();
    let marks = &stages.config().marks;
    let covers = covered_in_all(marks.len(), kept.iter().map(|kept| &kept.covers));
    warn_of_marks(marks, &covers, recorder);
    let hashes: Vec<u64> = kept.iter().map(|kept| kept.hash).collect();
    let (pieces, climbs): (Vec<SurfacePieces>, Vec<Vec<Climb>>) =
        kept.into_iter().map(|kept| (kept.pieces, kept.climbs)).unzip();
    let (layout, frame) = (survey.layout, *survey.layout.frame());
    let surfaces = recorder.stage("join", |observer| {
        join_surfaces(&pieces, &stages.join_config(frame.cell_area()), observer)
            .map_err(StageError::at("partition"))
    })?;
    drop(pieces);
    if surfaces.count() == 0 {
        let hint = "slopes, ledges, low ceilings, the agent's radius or the smallest region leave no room; is the scale in metres?";
        return Err(BakeError::NothingWalkable { stage: "field", hint });
    }
    let memory_bytes = stages.config().max_memory_bytes;
    let gate = MemoryGate::new(memory_bytes / 2);
    let estimate = |tile: Tile| layout.core(tile).column_count() * COLUMN_BYTES;
    let inputs = store.is_folder().then(|| Inputs::new(layout, &tiles, hashes.into_iter(), &surfaces));
    let mut known = Known::read(&store);
    let (raw, regions) = recorder.stage("trace", |observer| {
        let find = |part: usize| {
            let (hash, regions) = inputs.as_ref()?.of_borders(part);
            Some((hash, known.get(hash).and_then(|bytes| read_borders(bytes, &regions)), regions))
        };
        let mut found = threads::map(0..tiles.len(), find);
        let is_missing = |part: &usize| !matches!(found[*part], Some((_, Some(_), _)));
        let missing: Vec<usize> = (0..tiles.len()).filter(is_missing).collect();
        let of_missing: Vec<Tile> = missing.iter().map(|&part| tiles[part]).collect();
        let trace = |tile| -> Result<(BorderChains, PackedRegions), BakeError> {
            let LabelledWindow { part, regions } = labelled(&store, &surfaces, tile)?;
            let chains = trace_window(&part, &regions).map_err(StageError::at("trace"))?;
            Ok((chains, regions.pack(&part.field)))
        };
        let mut regions = vec![None; tiles.len()];
        let mut traced = vec![None; tiles.len()];
        let built = build_tiles(&of_missing, &gate, estimate, trace, observer)?;
        for (part, (chains, packed)) in missing.into_iter().zip(built) {
            (traced[part], regions[part]) = (Some(chains), Some(packed));
        }
        for (found, traced) in found.iter_mut().zip(&mut traced) {
            let Some((hash, chains, regions)) = found else { continue };
            known.put(*hash, traced.as_ref().map(|chains| write_borders(chains, regions)));
            *traced = traced.take().or_else(|| chains.take());
        }
        let chains = traced.into_iter().flatten().collect();
        let raw = stitch(frame, chains, surfaces.count()).map_err(StageError::at("trace"))?;
        Ok::<_, BakeError>((raw, regions))
    })?;
    if !stages.config().height_detail {
        std::mem::take(&mut known).write(&store);
    }
    let walkable_spans = surfaces.spans().iter().sum();
    stages.check_traced(&raw, walkable_spans)?;
    let report = Report {
        triangles: survey.triangles,
        grid: GridReport::of(&frame),
        spans,
        walkable_spans,
        walkable_area: walkable_spans as f64 * frame.cell_area(),
        regions: u64::from(surfaces.count()),
        tiles: layout.len() as u64,
        ..Report::default()
    };
    let detail = stages.detail_config();
    let heights = Heights::fitted(move |polygons, observer| {
        let source = |window: GridWindow| {
            let over = layout.tiles_over(&window.grown(1, &frame));
            let over: Vec<usize> = over.filter_map(|tile| tiles.binary_search(&tile).ok()).collect();
            let unpack = |&tile: &usize| -> Result<LabelledWindow, BakeError> {
                let Some(regions) = &regions[tile] else { return labelled(&store, &surfaces, tiles[tile]) };
                let part = field_of(&store, tiles[tile])?;
                let regions = regions.unpack(&part.field);
                Ok(LabelledWindow { part, regions })
            };
            let tiles = threads::map(&over, unpack);
            let tiles: Vec<LabelledWindow> = tiles.into_iter().collect::<Result<_, _>>()?;
            let tiles: Vec<&LabelledWindow> = tiles.iter().collect();
            Ok(LabelledWindow::assemble(frame, window, &tiles))
        };
        let windows = windows(memory_bytes / 2);
        let hashes = inputs.map(|inputs| inputs.of_heights(polygons, &detail)).transpose()?;
        let hashes = hashes.unwrap_or_default();
        let mut fitted = BTreeMap::new();
        let surface = {
            let known: Vec<Option<&[u8]>> = hashes.iter().map(|&hash| known.get(hash)).collect();
            let mut keep = |id: PolyId, fit: &dyn Fn() -> Vec<u8>| {
                hashes.get(id.index()).map(|&hash| fitted.insert(hash, fit()));
            };
            let known = (&known[..], &mut keep as &mut KeepFit<'_>);
            fit_heights_known(polygons, known, &source, &detail, &windows, observer)
                .map_err(StageError::at("detail"))?
        };
        hashes.into_iter().for_each(|hash| known.put(hash, fitted.remove(&hash)));
        known.write(&store);
        Ok(surface)
    });
    Ok(Ground { climbs: climbs.concat(), ..Ground::new(Borders::Traced(raw), heights, report) })
}

/// The builder of the fields of tiles, before marks.
pub(crate) fn field_builder(config: &BakeConfig) -> FieldBuilder {
    FieldBuilder::new(config.agent).with_head_rooms(config.head_rooms())
}

/// Returns the number of columns around its core that the result of a tile depends on.
pub(crate) fn halo_cells(config: &BakeConfig, builder: &FieldBuilder) -> u32 {
    let climbs = if config.has_climbs() { builder.climb_cells(config.max_ledge, &config.scale) } else { 0 };
    builder.halo_cells(&config.scale).saturating_add(climbs)
}

/// The field of a tile, and where the agent can climb in it.
pub(crate) fn field_window(
    heightfield: &Heightfield,
    frame: &GridFrame,
    [window, core]: [GridWindow; 2],
    builder: &FieldBuilder,
    config: &BakeConfig,
    observer: &mut dyn Observer,
) -> Result<(FieldWindow, Vec<Climb>), VoxelError> {
    if config.has_climbs() {
        build_window_with_climbs(heightfield, frame, window, core, builder, config.max_ledge, observer)
    } else {
        Ok((build_window(heightfield, frame, window, core, builder, observer)?, Vec::new()))
    }
}

/// Returns one window per thread, of a size that fits into the memory.
pub(crate) fn windows(memory_bytes: u64) -> WindowConfig {
    let threads = threads::count();
    let columns = memory_bytes / COLUMN_BYTES / threads as u64;
    WindowConfig::default().with_windows_at_once(threads).with_window_columns(columns.max(1 << 12))
}

/// Solid spans in the columns of the core.
fn solid_spans(heightfield: &Heightfield, window: GridWindow, core: GridWindow) -> u64 {
    (core.z..core.end_z())
        .map(|z| {
            let first = (z - window.z) as usize * window.width as usize + (core.x - window.x) as usize;
            u64::from(heightfield.columns[first + core.width as usize] - heightfield.columns[first])
        })
        .sum()
}
