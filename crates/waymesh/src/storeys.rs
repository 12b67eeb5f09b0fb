//! The pipeline of storeys (Oliva 2012; Oliva and Pelechano 2013): rough voxels, layers, fine depth
//! maps, borders between pixels.

use waymesh_contour::{BorderChains, stitch, trace_window};
use waymesh_core::stage::StageError;
use waymesh_core::{
    AreaId, ContourSet, Counter, GridFrame, GridScale, GridWindow, HeightSurface, NO_REGION, Observer,
    PolyMesh, RegionId, RegionMap, TriangleSoup, Validate, Warning,
};
use waymesh_detail::{WindowConfig, fit_heights_windowed};
use waymesh_graph::NavMesh;
use waymesh_region::{
    JoinedSurfaces, SurfacePieces, SurfacesConfig, join_surfaces, label_split_surfaces,
    split_surfaces_labelled,
};
pub use waymesh_storeys::Keep;
use waymesh_storeys::{
    BORDER_STEPS, Layers, Refined, RegionEnds, SlimGround, SlimWindow, SpanEnds, StoreysConfig, flood_layers,
    keep_islands, place_borders, refine_halo, refine_window, voxelize_roughly,
};
use waymesh_tile::{BinsConfig, MemoryGate, Tile, TileLayout, TriangleBins, build_tiles};

use crate::config::{CornerChoice, PartitionKind};
use crate::pipeline::{Bake, BakeError, Pipeline, check_soup, same_area};
use crate::report::{GridReport, IslandReport, Recorder, Report};

/// Settings of [`Pipeline::bake_storeys`] that a bake in voxels does not have.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StoreysOptions {
    /// Fine polygons along a side of a rough one, 0 to choose. It changes the cost. Default 0.
    pub rough_cells: u32,
    /// Places that are certainly walkable: with any, only ground connected to one of them is kept.
    /// Default none.
    pub seeds: Vec<glam::Vec3>,
    /// Which ground is kept without seeds. Default all.
    pub keep: Keep,
    /// Side of a tile of fine polygons, rounded up to whole blocks. The result does not depend on
    /// it. Default 256.
    pub tile_cells: u32,
}

impl Default for StoreysOptions {
    fn default() -> Self {
        Self { rough_cells: 0, seeds: Vec::new(), keep: Keep::All, tile_cells: 256 }
    }
}

impl StoreysOptions {
    /// Sets how many fine polygons lie along a rough one, 0 to choose.
    #[must_use]
    pub fn with_rough_cells(mut self, polygons: u32) -> Self {
        self.rough_cells = polygons;
        self
    }

    /// Sets places that are certainly walkable.
    #[must_use]
    pub fn with_seeds(mut self, seeds: Vec<glam::Vec3>) -> Self {
        self.seeds = seeds;
        self
    }

    /// Sets which ground is kept without seeds.
    #[must_use]
    pub fn with_keep(mut self, keep: Keep) -> Self {
        self.keep = keep;
        self
    }

    /// Sets the side of a tile in cells.
    #[must_use]
    pub fn with_tile_cells(mut self, polygons: u32) -> Self {
        self.tile_cells = polygons;
        self
    }
}

/// Bytes that a column of a tile takes while it is drawn, about: places with their links, ways and
/// distances, and the field.
const COLUMN_BYTES: u64 = 160;

/// A drawn tile: its field with the pieces of its spans, and where its ground ends.
struct Drawn {
    field: SlimWindow,
    ends: Vec<SpanEnds>,
}

impl Drawn {
    /// From here on the labels of spans are regions.
    fn keep_regions(&mut self, labels: Vec<u32>) {
        self.field.labels = labels;
        self.ends = Vec::new();
    }
}

/// Where the regions end, as far as a tile tells.
fn region_ends(drawn: &Drawn, regions: &RegionMap) -> impl Iterator<Item = RegionEnds> {
    drawn.ends.iter().filter_map(|ends| {
        let SpanEnds { span, steps, .. } = *ends;
        let label = regions.labels[drawn.field.find(span)? as usize];
        (label != NO_REGION).then_some(RegionEnds { region: RegionId(label), z: span.z, x: span.x, steps })
    })
}

/// A drawn tile, the pieces of its ground, and the layers it lies on.
type Split = (SurfacePieces, (Drawn, Vec<bool>));

/// All tiles, and the regions of their ground.
struct Ground {
    layout: TileLayout,
    tiles: Vec<Drawn>,
    surfaces: JoinedSurfaces,
    gate_bytes: u64,
    /// Number of regions, and of spans in them.
    regions: u32,
    spans: u64,
}

impl Pipeline {
    /// A pipeline for storeys: polygons of 0.1 m and levels of 0.1 m, the default agent. Bake with
    /// [`Pipeline::bake_storeys`].
    #[must_use]
    pub fn storeys() -> Self {
        let GridScale { cell_size, level_height, .. } = StoreysConfig::default().scale;
        let config = crate::BakeConfig::default().with_scale(cell_size, level_height);
        Self::new(config.with_corners(CornerChoice::FewestNotches))
    }

    /// Bakes storeys: the scene is sorted into layers on a rough grid, each layer is drawn finely
    /// as a depth map, and the borders run between its pixels, where walls and drops are, moved
    /// inwards by the agent's radius.
    ///
    /// With seeds in `options`, only ground connected to them is kept. Stages from the partition to
    /// the decomposition can be replaced. A replaced partition or tracer, and partitions other
    /// than [`PartitionKind::Surfaces`], look at all the ground at once: then it is drawn as one
    /// tile.
    ///
    /// # Guarantees
    /// The same mesh for any number of threads, any tile side and any order of the triangles. No
    /// vertex comes from a tile.
    ///
    /// # Errors
    /// As [`Pipeline::bake`], for a seed without ground, and for a replaced stage that is no part
    /// of this pipeline.
    ///
    /// # References
    /// Oliva 2012, Automatic Generation of Suboptimal NavMeshes, chapters 5 and 6; Oliva and
    /// Pelechano 2013, NEOGEN.
    pub fn bake_storeys(
        &self,
        soup: &TriangleSoup,
        options: &StoreysOptions,
        observer: &mut dyn Observer,
    ) -> Result<Bake, BakeError> {
        self.config().validate()?;
        if let Some(what) = self.untiled_voxel_stage() {
            let cause = format!("{what} is no part of the pipeline of storeys");
            return Err(StageError::new("storeys", cause).into());
        }
        check_soup(soup)?;
        let options = if self.sees_all_ground() { &options.clone().with_tile_cells(0) } else { options };
        self.recorded(observer, |recorder| self.draw_storeys(soup, options, recorder))
    }

    fn draw_storeys(
        &self,
        soup: &TriangleSoup,
        options: &StoreysOptions,
        recorder: &mut Recorder<'_>,
    ) -> Result<Bake, BakeError> {
        let config = self.config();
        let storeys = StoreysConfig::default()
            .with_scale(config.scale)
            .with_agent(config.agent)
            .with_rough_cells(options.rough_cells)
            .with_seeds(options.seeds.clone())
            .with_keep(options.keep)
            .with_max_memory_bytes(config.max_memory_bytes);
        let bounds = soup.bounds();
        let frame = GridFrame::fit(&bounds, &config.scale).map_err(crate::ConfigError::Grid)?;
        let layout = TileLayout::new(&frame, options.tile_cells)?;
        let height = bounds.max.y - bounds.min.y;
        let (layers, bins) = self.layers(soup, &layout, height, &storeys, recorder)?;
        let mut ground = self.ground(bins, &layout, &layers, &storeys, recorder)?;
        let mut report = Report {
            triangles: soup.triangles().len() as u64,
            grid: GridReport::of(&frame),
            tiles: ground.layout.len() as u64,
            ..Report::default()
        };
        drop(layers);
        let placed = self.borders(&mut ground, recorder)?;
        report.walkable_spans = ground.spans;
        report.regions = u64::from(ground.regions);
        report.walkable_area = report.walkable_spans as f64 * frame.cell_area();
        let contours = self.contours(&placed, recorder)?;
        drop(placed);
        let triangulation = self.triangles(&contours, recorder)?;
        report.contours = contours.loop_count() as u64;
        report.vertices_off_border = contours.vertices_off_border() as u64;
        drop(contours);
        let mut polygons = self.polygons(&triangulation, recorder)?;
        drop(triangulation);
        let (islands, area) =
            keep_islands(&mut polygons, &storeys).map_err(|error| StageError::new("keep", error))?;
        if islands > 0 {
            recorder.count(Counter::IslandsRemoved, islands);
            recorder.warn(Warning::Unreachable { islands, area });
        }
        self.check("keep", |list| polygons.violations(list))?;
        let surface = self.storeys_surface(&ground, &polygons, recorder)?;
        drop(ground);
        report.count_polygons(&polygons, &surface);
        let mesh = recorder
            .stage("mesh", |_| NavMesh::new(polygons, Some(surface), config.agent))
            .map_err(BakeError::Mesh)?;
        report.islands = IslandReport::all(&mesh);
        Ok(Bake { mesh, report })
    }

    /// Rough voxels and layers, and the triangles of each tile.
    fn layers(
        &self,
        soup: &TriangleSoup,
        layout: &TileLayout,
        height: f32,
        storeys: &StoreysConfig,
        recorder: &mut Recorder<'_>,
    ) -> Result<(Layers, TriangleBins), BakeError> {
        let frame = layout.frame();
        let bins = BinsConfig::default().with_memory_bytes(u64::MAX / 16);
        // Neither needs the other.
        let ((voxels, skipped), bins) = recorder.stage("rough voxels", |_| {
            let (voxels, bins) = rayon::join(
                || voxelize_roughly(soup, frame, height, storeys),
                || TriangleBins::sort(soup, layout, refine_halo(storeys), &bins),
            );
            Ok::<_, BakeError>((voxels?, bins?))
        })?;
        skipped.tell(recorder);
        let layers = recorder.stage("layers", |_| {
            let failed = |error| StageError::new("layers", error);
            let mut layers = flood_layers(&voxels, storeys).map_err(failed)?;
            layers.keep_connected(&storeys.seeds, frame).map_err(failed)?;
            Ok::<_, BakeError>(layers)
        })?;
        if layers.floors().is_empty() {
            let hint = "no triangle faces up within the steepest slope; is the up axis right?";
            return Err(BakeError::NothingWalkable { stage: "layers", hint });
        }
        Ok((layers, bins))
    }

    /// Draws all layers tile by tile, and joins their ground to regions.
    fn ground(
        &self,
        bins: TriangleBins,
        layout: &TileLayout,
        layers: &Layers,
        storeys: &StoreysConfig,
        recorder: &mut Recorder<'_>,
    ) -> Result<Ground, BakeError> {
        let config = self.config();
        let (frame, halo) = (layout.frame(), refine_halo(storeys));
        let tiles: Vec<Tile> = layout.tiles().collect();
        let gate_bytes = config.max_memory_bytes / 2;
        let gate = MemoryGate::new(gate_bytes);
        let estimate = |tile: Tile| layout.core(tile).grown(halo, frame).column_count() * COLUMN_BYTES;
        let work = |tile: Tile| -> Result<Split, BakeError> {
            let soup = bins.soup(tile)?;
            let refined = refine_window(soup.finite_triangles(), frame, layout.core(tile), layers, storeys)
                .map_err(|error| StageError::new("storeys", error))?;
            drop(soup);
            let Refined { ground: mut field, ends } = refined;
            self.check("storeys", |list| field.part().violations(list))?;
            let (pieces, labels) = split_surfaces_labelled(&field, &SurfacesConfig::default())
                .map_err(|error| StageError::new("partition", error))?;
            field.labels = labels;
            let mut lies_on = vec![false; layers.count as usize];
            layers.mark_drawn(&field, &mut lies_on);
            Ok((pieces, (Drawn { field, ends }, lies_on)))
        };
        let drawn =
            recorder.stage("storeys", |observer| build_tiles(&tiles, &gate, estimate, work, observer))?;
        drop(bins);
        let (pieces, drawn): (Vec<SurfacePieces>, Vec<_>) = drawn.into_iter().unzip();
        let (tiles, lies_on): (Vec<Drawn>, Vec<Vec<bool>>) = drawn.into_iter().unzip();
        let is_drawn = |&layer: &usize| lies_on.iter().any(|lies_on| lies_on[layer]);
        recorder.count(Counter::Layers, (0..layers.count as usize).filter(is_drawn).count() as u64);
        let surfaces = recorder.stage("join", |observer| {
            join_surfaces(&pieces, &self.join_config(frame.cell_area()), observer)
                .map_err(|error| StageError::new("partition", error))
        })?;
        if surfaces.count() == 0 {
            let hint = "ledges, low ceilings and the agent's radius leave no room; is the scale in metres?";
            return Err(BakeError::NothingWalkable { stage: "storeys", hint });
        }
        let (regions, spans) = (surfaces.count(), surfaces.spans().iter().sum());
        Ok(Ground { layout: *layout, tiles, surfaces, gate_bytes, regions, spans })
    }

    /// Whether a stage needs all the ground at once.
    fn sees_all_ground(&self) -> bool {
        self.untiled_stage().is_some() || self.config().partition != PartitionKind::Surfaces
    }

    /// Traces the borders and moves them to where the ground ends.
    fn borders(&self, ground: &mut Ground, recorder: &mut Recorder<'_>) -> Result<ContourSet, BakeError> {
        let (raw, mut ends) = if self.sees_all_ground() {
            self.trace_at_once(ground, recorder)?
        } else {
            self.trace_tiles(ground, recorder)?
        };
        ends.sort_unstable();
        let placed = recorder.stage("borders", |_| {
            place_borders(&raw, &ends).map_err(|error| StageError::new("borders", error))
        })?;
        self.check("borders", |list| placed.violations(list))?;
        Ok(placed)
    }

    /// Borders along the sides of polygons, tile by tile, and where the ground ends.
    fn trace_tiles(
        &self,
        ground: &mut Ground,
        recorder: &mut Recorder<'_>,
    ) -> Result<(ContourSet, Vec<RegionEnds>), BakeError> {
        let frame = *ground.layout.frame();
        let tiles: Vec<Tile> = ground.layout.tiles().collect();
        let gate = MemoryGate::new(ground.gate_bytes);
        let estimate = |tile: Tile| ground.layout.core(tile).column_count() * COLUMN_BYTES;
        let (raw, ends) = recorder.stage("trace", |observer| {
            let work = |tile: Tile| -> Result<(BorderChains, Vec<RegionEnds>, Vec<u32>), BakeError> {
                let drawn = &ground.tiles[ground.layout.index(tile)];
                let part = &drawn.field;
                let regions = label_split_surfaces(part, part.labels.clone(), &ground.surfaces)
                    .map_err(|error| StageError::new("partition", error))?;
                let chains = trace_window(part, &regions).map_err(|error| StageError::new("trace", error))?;
                Ok((chains, region_ends(drawn, &regions).collect(), regions.labels))
            };
            let traced = build_tiles(&tiles, &gate, estimate, work, observer)?;
            let (mut chains, mut ends) = (Vec::with_capacity(tiles.len()), Vec::new());
            for (drawn, (found, some, labels)) in ground.tiles.iter_mut().zip(traced) {
                drawn.keep_regions(labels);
                chains.push(found);
                ends.extend(some);
            }
            let raw =
                stitch(frame, chains, ground.regions).map_err(|error| StageError::new("trace", error))?;
            Ok::<_, BakeError>((raw, ends))
        })?;
        self.check("trace", |list| {
            raw.violations(list);
            same_area("trace", 2 * i128::from(ground.spans), crate::pipeline::contour_area(&raw), list);
        })?;
        Ok((raw, ends))
    }

    /// The same on all the ground at once, by the partition and the tracer that were asked for.
    fn trace_at_once(
        &self,
        ground: &mut Ground,
        recorder: &mut Recorder<'_>,
    ) -> Result<(ContourSet, Vec<RegionEnds>), BakeError> {
        let [drawn] = ground.tiles.as_mut_slice() else {
            return Err(StageError::new("partition", "the ground lies in more than one tile").into());
        };
        let mut part = drawn.field.part();
        let regions = if self.replaces_partition() {
            self.remove_islands(&mut part.field, recorder)?;
            self.regions(&part.field, recorder)?
        } else {
            let regions = label_split_surfaces(&part, drawn.field.labels.clone(), &ground.surfaces)
                .map_err(|error| StageError::new("partition", error))?;
            for (area, &label) in part.field.area.iter_mut().zip(&regions.labels) {
                if label == NO_REGION {
                    *area = AreaId::NULL;
                }
            }
            regions
        };
        let raw = self.raw_contours(&part.field, &regions, recorder)?;
        let ends = region_ends(drawn, &regions).collect();
        ground.regions = regions.count;
        ground.spans = part.field.walkable_spans() as u64;
        drawn.keep_regions(regions.labels);
        Ok((raw, ends))
    }

    fn storeys_surface(
        &self,
        ground: &Ground,
        polygons: &PolyMesh,
        recorder: &mut Recorder<'_>,
    ) -> Result<HeightSurface, BakeError> {
        let frame = *ground.layout.frame();
        let count = ground.regions;
        let source = |window: GridWindow| {
            let tiles = ground.layout.tiles_over(&window);
            let tiles: Vec<&SlimWindow> =
                tiles.map(|tile| &ground.tiles[ground.layout.index(tile)].field).collect();
            Ok(SlimGround::assemble(window, &tiles, count))
        };
        let detail = self.detail_config().with_points_per_column(u32::from(BORDER_STEPS));
        let bytes = COLUMN_TABLE_BYTES * frame.column_count() as u64 + SPAN_BYTES * ground.spans;
        let threads = rayon::current_num_threads();
        let columns = ground.gate_bytes.min(WINDOW_BYTES) as u128 * frame.column_count() as u128
            / u128::from(bytes.max(1))
            / threads as u128;
        let windows = WindowConfig::default()
            .with_windows_at_once(threads)
            .with_window_columns(u64::try_from(columns).unwrap_or(u64::MAX).max(LEAST_WINDOW));
        let surface = recorder.stage("heights", |observer| {
            fit_heights_windowed(polygons, &source, &detail, &windows, observer)
                .map_err(|error| StageError::new("detail", error))
        })?;
        self.check("heights", |list| surface.violations_over(polygons, list))?;
        Ok(surface)
    }
}

/// Memory that windows of ground heights may take together: little enough to be taken again and
/// again without asking the system.
const WINDOW_BYTES: u64 = 4 << 20;
/// Bytes of a column and of a span in such a window.
const COLUMN_TABLE_BYTES: u64 = 4;
const SPAN_BYTES: u64 = 9;
/// Columns of the smallest window.
const LEAST_WINDOW: u64 = 1 << 14;
