//! Storeys (Oliva 2012; Oliva and Pelechano 2013): rough voxels, layers, fine depth maps, borders
//! between pixels.

use waymesh_contour::{BorderChains, stitch, trace_window};
use waymesh_core::stage::StageError;
use waymesh_core::{
    ContourSet, Counter, FieldWindow, GridFrame, GridScale, GridWindow, HeadRooms, HeightSurface,
    LabelledWindow, NO_REGION, Observer, PolyMesh, RegionId, RegionMap, SlimSpans, SpanField, TriangleSoup,
    TriangleSource, Validate, setters, threads, warn_of_outliers, warn_of_shape,
};
use waymesh_detail::{DetailConfig, WindowConfig, fit_heights_windowed};
use waymesh_region::{
    JoinedSurfaces, SurfacePieces, SurfacesConfig, join_surfaces, label_split_surfaces,
    split_surfaces_labelled,
};
use waymesh_storeys::{
    BORDER_STEPS, DepthJob, Layers, Refined, RegionEnds, RoughJob, SpanEnds, StoreysConfig, StoreysError,
    flood_layers, place_borders, refine_halo,
};
use waymesh_tile::{BinsConfig, MemoryGate, Tile, TileLayout, TriangleBins, build_tiles};
use waymesh_voxel::encode_head_rooms;

use crate::bake::{
    BakeConfig, BakeError, Baker, Borders, ConfigError, CornerChoice, FrontEnd, GridReport, Ground, Heights,
    Keep, Recorder, Refused, Report, StageSet, apply_marks, clear_unlabelled, covered_in_all,
    distinct_triangles, warn_of_marks,
};

/// Storeys: the scene is sorted into layers on a rough grid, each layer is drawn finely as a depth
/// map, and the borders run between its pixels, where walls and drops are, moved inwards by the
/// agent's radius.
///
/// A replaced partition or tracer, and partitions other than [`crate::PartitionKind::Surfaces`],
/// need all the ground at once: then it is drawn as one tile.
///
/// # Guarantees
/// The same mesh for any number of threads, any tile side and any order of the triangles. No vertex
/// comes from a tile.
///
/// # References
/// Oliva 2012, Automatic Generation of Suboptimal NavMeshes, chapters 5 and 6; Oliva and Pelechano
/// 2013, NEOGEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Storeys {
    /// Fine cells along a side of a rough one, 0 to choose. It changes the cost only. Default 0.
    pub rough_cells: u32,
    /// Side of a tile of fine cells, rounded up to whole blocks, 0 for one tile. The result does
    /// not depend on it. Default 256.
    pub tile_cells: u32,
}

impl Default for Storeys {
    fn default() -> Self {
        Self { rough_cells: 0, tile_cells: 256 }
    }
}

setters! {
    impl Storeys {
        with_rough_cells(rough_cells: u32);
        with_tile_cells(tile_cells: u32);
    }
}

/// Approximate bytes that a column of a tile takes while it is drawn: places with their links,
/// paths and distances, and the field.
const COLUMN_BYTES: u64 = 160;

/// A drawn tile: its field with the pieces of its spans, and where its ground ends.
struct Drawn {
    part: FieldWindow<SlimSpans>,
    /// The piece of each span, later its region.
    labels: Vec<u32>,
    ends: Vec<SpanEnds>,
}

impl Drawn {
    /// From here on the labels of spans are regions.
    fn keep_regions(&mut self, labels: Vec<u32>) {
        self.labels = labels;
        self.ends = Vec::new();
    }
}

/// Returns the ends of regions that are known within a tile.
fn region_ends(drawn: &Drawn, regions: &RegionMap) -> impl Iterator<Item = RegionEnds> {
    drawn.ends.iter().filter_map(|ends| {
        let SpanEnds { span, steps, .. } = *ends;
        let label = regions.labels[drawn.part.find(span)? as usize];
        (label != NO_REGION).then_some(RegionEnds { region: RegionId(label), z: span.z, x: span.x, steps })
    })
}

/// The pieces of a tile's ground, the drawn tile, the layers it lies on, and the marks on it.
type Split = (SurfacePieces, Drawn, Vec<bool>, Vec<bool>);

/// All tiles, and the regions of their ground.
struct DrawnGround {
    layout: TileLayout,
    /// The places of the tiles, in order.
    places: Vec<Tile>,
    tiles: Vec<Drawn>,
    surfaces: JoinedSurfaces,
    gate_bytes: u64,
    /// Number of regions, and of spans in them.
    regions: u32,
    spans: u64,
}

impl DrawnGround {
    /// The tile at a place, if a triangle reaches into it.
    fn tile(&self, place: Tile) -> Option<&Drawn> {
        self.places.binary_search(&place).ok().map(|index| &self.tiles[index])
    }
}

impl FrontEnd for Storeys {
    type Input = dyn TriangleSource;
    const NAME: &'static str = "storeys";
    const REFUSED: Refused = &[
        ("max_ledge", "depth maps hold no voxels to climb along; use jumps, or voxels"),
        ("with_voxelize", "storeys are drawn as depth maps; there are no voxels"),
        ("with_raster_device", "storeys are drawn as depth maps; there are no voxels"),
        ("with_build_field", "storeys are drawn as depth maps, tile by tile"),
        ("with_fit_heights", "heights are fitted tile by tile"),
    ];

    /// Cells and levels of 0.1 m, the default agent, corners for the fewest polygons.
    fn defaults() -> BakeConfig {
        let GridScale { cell_size, level_height, .. } = StoreysConfig::default().scale;
        BakeConfig::default().with_scale(cell_size, level_height).with_corners(CornerChoice::FewestNotches)
    }

    fn ground<'a>(
        &'a self,
        source: &'a dyn TriangleSource,
        stages: &'a StageSet,
        recorder: &mut Recorder<'_>,
    ) -> Result<Ground<'a>, BakeError> {
        let config = stages.config();
        let (soup, triangles) = distinct_triangles(source, config)?;
        let soup = &*soup;
        warn_of_outliers(soup, &config.scale, recorder);
        warn_of_shape(soup, &config.agent, &config.scale, recorder);
        let bounds = soup.bounds();
        let frame = GridFrame::fit(&bounds, &config.scale).map_err(ConfigError::Grid)?;
        let storeys = StoreysConfig::default()
            .with_scale(config.scale)
            .with_agent(config.agent)
            .with_rough_cells(self.rough_cells)
            .with_max_memory_bytes(config.max_memory_bytes);
        let storeys = widened(storeys, soup, &frame);
        let layout = if sees_all_ground(stages) {
            TileLayout::new(&frame, 0)?
        } else {
            TileLayout::sparse(&frame, self.tile_cells)?
        };
        let height = bounds.max.y - bounds.min.y;
        // A jump may lead on from layer to layer.
        let keep = if config.jumps.is_none() { &config.keep } else { &Keep::All };
        let (layers, bins) =
            layers(soup, &layout, height, (&storeys, &config.head_rooms()), (keep, stages), recorder)?;
        let mut drawn = draw(bins, &layout, &layers, &storeys, stages, recorder)?;
        drop(layers);
        let borders = borders(&mut drawn, stages, recorder)?;
        let report = Report {
            triangles,
            grid: GridReport::of(&frame),
            tiles: layout.len() as u64,
            walkable_spans: drawn.spans,
            regions: u64::from(drawn.regions),
            walkable_area: drawn.spans as f64 * frame.cell_area(),
            ..Report::default()
        };
        let detail = stages.detail_config();
        let heights =
            Heights::fitted(move |polygons, observer| fit_heights(&drawn, polygons, detail, observer));
        // Borders that are placed between pixels make small pieces smaller.
        let min_island = stages.config().min_region;
        Ok(Ground { min_island, ..Ground::new(Borders::Traced(borders), heights, report) })
    }

    fn triangles<'a>(source: &'a (dyn TriangleSource + 'static)) -> Option<&'a dyn TriangleSource> {
        Some(source)
    }
}

impl Baker<Storeys> {
    /// Storeys of cells and levels of 0.1 m.
    #[must_use]
    pub fn storeys() -> Self {
        Self::new(Storeys::default(), Storeys::defaults())
    }
}

/// Widens the rough cells until there are few compared with those below triangles, unless the
/// settings choose them: a grid that is nearly empty is not worth a table.
fn widened(mut storeys: StoreysConfig, soup: &TriangleSoup, frame: &GridFrame) -> StoreysConfig {
    /// Rough columns that always may be there, and how many times those below triangles.
    const COLUMNS: f64 = (1 << 20) as f64;
    const TIMES: f64 = 16.0;
    if storeys.rough_cells != 0 {
        return storeys;
    }
    let side = storeys.rough_cells();
    let most = COLUMNS + TIMES * soup.columns_at_most(frame.cell_size * side as f32);
    let columns = |side: u32| f64::from(frame.width.div_ceil(side)) * f64::from(frame.depth.div_ceil(side));
    let mut sides = std::iter::successors(Some(side), |side| Some(side * 2));
    let fits = |&side: &u32| columns(side) <= most || side * 2 > StoreysConfig::MAX_ROUGH_CELLS;
    storeys.rough_cells = sides.find(fits).filter(|&wide| wide > side).unwrap_or(0);
    storeys
}

/// Rough voxels and layers, and the triangles of each tile.
fn layers(
    soup: &TriangleSoup,
    layout: &TileLayout,
    height: f32,
    (storeys, rooms): (&StoreysConfig, &HeadRooms),
    (keep, stages): (&Keep, &StageSet),
    recorder: &mut Recorder<'_>,
) -> Result<(Layers, TriangleBins), BakeError> {
    let frame = layout.frame();
    let halo = widest_halo(storeys, rooms);
    let bins = BinsConfig::default().with_memory_bytes(u64::MAX / 16);
    // Jobs that are too large are refused before any work.
    let job = RoughJob::new(soup, frame, height, storeys)?;
    let voxelize = || match &stages.rough_device {
        Some(device) => device.voxelize_roughly(&job),
        None => job.run(),
    };
    // Neither needs the other.
    let ((voxels, skipped), bins) = recorder.stage("rough voxels", |_| {
        let (voxels, bins) = threads::join(true, voxelize, || TriangleBins::sort(soup, layout, halo, &bins));
        Ok::<_, BakeError>((voxels?, bins?))
    })?;
    skipped.report(recorder);
    let layers = recorder.stage("layers", |_| {
        let failed = |error| match error {
            StoreysError::SeedOffGround { seed, position } => BakeError::SeedOffGround { seed, position },
            error => StageError::new("layers", error).into(),
        };
        let mut layers = flood_layers(&voxels, storeys).map_err(failed)?;
        if let Keep::ConnectedTo(seeds) = keep {
            // Ground without a seed need not be drawn.
            layers.keep_connected(seeds, frame).map_err(failed)?;
        }
        Ok::<_, BakeError>(layers)
    })?;
    if layers.floors().is_empty() {
        return Err(BakeError::nothing("layers", BakeError::NO_FLOOR));
    }
    Ok((layers, bins))
}

/// The fine ground of a window, from the device that replaces the processor if there is one.
fn refine_tile(
    soup: &TriangleSoup,
    frame: &GridFrame,
    core: GridWindow,
    layers: &Layers,
    storeys: &StoreysConfig,
    stages: &StageSet,
) -> Result<Refined, StageError> {
    let job = DepthJob::new(soup.finite_with_areas(), frame, core, layers, storeys)
        .map_err(StageError::at("storeys"))?;
    match &stages.depth_device {
        Some(device) => device.draw_depths(&job),
        None => Ok(job.run()),
    }
}

/// Draws all layers tile by tile, and joins their ground to regions.
fn draw(
    bins: TriangleBins,
    layout: &TileLayout,
    layers: &Layers,
    storeys: &StoreysConfig,
    stages: &StageSet,
    recorder: &mut Recorder<'_>,
) -> Result<DrawnGround, BakeError> {
    let (marks, rooms) = (&stages.config().marks, stages.config().head_rooms());
    let taller = taller(storeys, &rooms);
    let (frame, halo) = (layout.frame(), widest_halo(storeys, &rooms));
    // Tiles that no triangle reaches into hold nothing.
    let places: Vec<Tile> = bins.tiles().collect();
    let gate_bytes = storeys.max_memory_bytes / 2;
    let gate = MemoryGate::new(gate_bytes);
    let estimate = |tile: Tile| layout.core(tile).grown(halo, frame).column_count() * COLUMN_BYTES;
    let work = |tile: Tile| -> Result<Split, BakeError> {
        let soup = bins.soup(tile)?;
        let refined = refine_tile(&soup, frame, layout.core(tile), layers, storeys, stages)?;
        let Refined { ground: mut part, ends } = refined;
        if !rooms.is_empty() {
            let mut classes = vec![0; part.field.ground.len()];
            for (class, tall) in (1..).zip(&taller) {
                let refined = refine_tile(&soup, frame, layout.core(tile), layers, tall, stages)?;
                raise(&part, &refined.ground, class, &mut classes);
            }
            encode_head_rooms(&mut part.field, &rooms, &classes).map_err(StageError::at("head room"))?;
        }
        drop(soup);
        let covers = apply_marks(marks, |mark| mark.apply_to_window(&mut part, &rooms))?;
        stages.check("storeys", |list| part.to_walkable().violations(list))?;
        let (pieces, labels) = split_surfaces_labelled(&part, &SurfacesConfig::default())
            .map_err(|error| StageError::new("partition", error))?;
        let mut lies_on = vec![false; layers.count as usize];
        layers.mark_drawn(&part, &mut lies_on);
        Ok((pieces, Drawn { part, labels, ends }, lies_on, covers))
    };
    let drawn =
        recorder.stage("storeys", |observer| build_tiles(&places, &gate, estimate, work, observer))?;
    drop(bins);
    warn_of_marks(marks, &covered_in_all(marks.len(), drawn.iter().map(|(.., covers)| covers)), recorder);
    let lies_on = covered_in_all(layers.count as usize, drawn.iter().map(|(_, _, lies_on, _)| lies_on));
    recorder.count(Counter::Layers, lies_on.iter().filter(|lies_on| **lies_on).count() as u64);
    let (pieces, tiles): (Vec<SurfacePieces>, Vec<Drawn>) =
        drawn.into_iter().map(|(pieces, drawn, ..)| (pieces, drawn)).unzip();
    let surfaces = recorder.stage("join", |observer| {
        join_surfaces(&pieces, &stages.join_config(frame.cell_area()), observer)
            .map_err(|error| StageError::new("partition", error))
    })?;
    if surfaces.count() == 0 {
        return Err(BakeError::nothing("storeys", BakeError::NO_ROOM));
    }
    let (regions, spans) = (surfaces.count(), surfaces.spans().iter().sum());
    Ok(DrawnGround { layout: *layout, places, tiles, surfaces, gate_bytes, regions, spans })
}

/// The settings for each class of head room but the first, which share the rough layers with it.
fn taller(storeys: &StoreysConfig, rooms: &HeadRooms) -> Vec<StoreysConfig> {
    let agent = storeys.agent;
    let rough_level = storeys.rough_level();
    let config =
        |&height: &f32| storeys.clone().with_agent(agent.with_height(height)).with_rough_level(rough_level);
    rooms.heights().iter().skip(1).map(config).collect()
}

/// The halo of the settings for all classes.
fn widest_halo(storeys: &StoreysConfig, rooms: &HeadRooms) -> u32 {
    taller(storeys, rooms).iter().map(refine_halo).fold(refine_halo(storeys), u32::max)
}

/// Raises spans that are also ground for taller agents from the class below to `class`.
fn raise(part: &FieldWindow<SlimSpans>, tall: &FieldWindow<SlimSpans>, class: usize, classes: &mut [usize]) {
    // Ground of one column is farther apart than any step of rounding.
    const SAME_LEVELS: f32 = 1e-3;
    for (own, others) in part.field.columns().windows(2).zip(tall.field.columns().windows(2)) {
        let mut at = others[0];
        for span in own[0]..own[1] {
            let ground = part.field.ground()[span as usize];
            while at < others[1] && tall.field.ground()[at as usize] < ground - SAME_LEVELS {
                at += 1;
            }
            let has_twin = at < others[1]
                && tall.field.ground()[at as usize] <= ground + SAME_LEVELS
                && tall.field.area(at).is_walkable();
            if has_twin && classes[span as usize] + 1 == class {
                classes[span as usize] = class;
            }
        }
    }
}

/// `true` if a stage needs all the ground at once.
fn sees_all_ground(stages: &StageSet) -> bool {
    stages.replaces_partition() || stages.trace.is_some()
}

/// Traces the borders and moves them to where the ground ends.
fn borders(
    ground: &mut DrawnGround,
    stages: &StageSet,
    recorder: &mut Recorder<'_>,
) -> Result<ContourSet, BakeError> {
    let (raw, mut ends) = if sees_all_ground(stages) {
        trace_at_once(ground, stages, recorder)?
    } else {
        trace_tiles(ground, stages, recorder)?
    };
    ends.sort_unstable();
    let placed = recorder.stage("borders", |_| {
        place_borders(&raw, &ends).map_err(|error| StageError::new("borders", error))
    })?;
    stages.check("borders", |list| placed.violations(list))?;
    Ok(placed)
}

/// Borders along the sides of polygons, tile by tile, and where the ground ends.
fn trace_tiles(
    ground: &mut DrawnGround,
    stages: &StageSet,
    recorder: &mut Recorder<'_>,
) -> Result<(ContourSet, Vec<RegionEnds>), BakeError> {
    let frame = *ground.layout.frame();
    let gate = MemoryGate::new(ground.gate_bytes);
    let layout = ground.layout;
    let estimate = |tile: Tile| layout.core(tile).column_count() * COLUMN_BYTES;
    let (raw, ends) = recorder.stage("trace", |observer| {
        let work = |tile: Tile| -> Result<(BorderChains, Vec<RegionEnds>, Vec<u32>), BakeError> {
            let drawn = ground.tile(tile).ok_or_else(|| StageError::new("trace", "a tile is missing"))?;
            let part = &drawn.part;
            let regions = label_split_surfaces(part, drawn.labels.clone(), &ground.surfaces)
                .map_err(|error| StageError::new("partition", error))?;
            let chains = trace_window(part, &regions).map_err(|error| StageError::new("trace", error))?;
            Ok((chains, region_ends(drawn, &regions).collect(), regions.labels))
        };
        let traced = build_tiles(&ground.places, &gate, estimate, work, observer)?;
        let (mut chains, mut ends) = (Vec::with_capacity(traced.len()), Vec::new());
        for (drawn, (found, some, labels)) in ground.tiles.iter_mut().zip(traced) {
            drawn.keep_regions(labels);
            chains.push(found);
            ends.extend(some);
        }
        let raw = stitch(frame, chains, ground.regions).map_err(|error| StageError::new("trace", error))?;
        Ok::<_, BakeError>((raw, ends))
    })?;
    stages.check_traced(&raw, ground.spans)?;
    Ok((raw, ends))
}

/// Traces all the ground at once, by the requested partition and tracer; see [`trace_tiles`].
fn trace_at_once(
    ground: &mut DrawnGround,
    stages: &StageSet,
    recorder: &mut Recorder<'_>,
) -> Result<(ContourSet, Vec<RegionEnds>), BakeError> {
    let [drawn] = ground.tiles.as_mut_slice() else {
        return Err(StageError::new("partition", "the ground lies in more than one tile").into());
    };
    let mut part = drawn.part.to_walkable();
    let regions = if stages.replaces_partition() {
        stages.remove_islands(&mut part.field, recorder)?;
        stages.regions(&part.field, recorder)?
    } else {
        let regions = label_split_surfaces(&part, drawn.labels.clone(), &ground.surfaces)
            .map_err(|error| StageError::new("partition", error))?;
        clear_unlabelled(&mut part.field, &regions);
        regions
    };
    let raw = stages.raw_contours(&part.field, &regions, recorder)?;
    let ends = region_ends(drawn, &regions).collect();
    ground.regions = regions.count;
    ground.spans = part.field.walkable_spans() as u64;
    drawn.keep_regions(regions.labels);
    Ok((raw, ends))
}

/// Ground heights in the polygons, window by window.
fn fit_heights(
    ground: &DrawnGround,
    polygons: &PolyMesh,
    detail: DetailConfig,
    observer: &mut dyn Observer,
) -> Result<HeightSurface, StageError> {
    let frame = *ground.layout.frame();
    let count = ground.regions;
    let source = |window: GridWindow| {
        let tiles = ground.layout.tiles_over(&window);
        let tiles: Vec<_> = tiles
            .filter_map(|tile| ground.tile(tile))
            .map(|drawn| (&drawn.part, drawn.labels.as_slice()))
            .collect();
        Ok(LabelledWindow::assemble_slim(frame, window, &tiles, count))
    };
    let detail = detail.with_points_per_column(u32::from(BORDER_STEPS));
    let bytes = COLUMN_TABLE_BYTES * frame.column_count() as u64 + SPAN_BYTES * ground.spans;
    let threads = threads::count();
    let columns = ground.gate_bytes.min(WINDOW_BYTES) as u128 * frame.column_count() as u128
        / u128::from(bytes.max(1))
        / threads as u128;
    let windows = WindowConfig::default()
        .with_windows_at_once(threads)
        .with_window_columns(u64::try_from(columns).unwrap_or(u64::MAX).max(LEAST_WINDOW));
    fit_heights_windowed(polygons, &source, &detail, &windows, observer)
        .map_err(|error| StageError::new("detail", error))
}

/// Memory that windows of ground heights may take together: so little that the allocator reuses it
/// without asking the system.
const WINDOW_BYTES: u64 = 4 << 20;
/// Bytes of a column and of a span in such a window.
const COLUMN_TABLE_BYTES: u64 = 4;
const SPAN_BYTES: u64 = 9;
/// Columns of the smallest window.
const LEAST_WINDOW: u64 = 1 << 14;
