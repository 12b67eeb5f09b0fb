//! The voxel pipeline, tile by tile: parallel, within a memory bound, with a result that does not
//! show the tiles.
//!
//! 1. Per tile: triangles of the tile and its halo to the walkable field of the tile and a ring,
//!    and to pieces of surface. Kept as bytes.
//! 2. The pieces of all tiles are joined to regions; small islands go.
//! 3. Per tile: spans get their regions, borders are traced to where the tile ends.
//! 4. Borders are stitched. From here on everything is as in an untiled bake: simplification,
//!    triangles, polygons.
//! 5. Ground heights are fitted window by window, over the tiles that lie there.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use waymesh_contour::{BorderChains, stitch, trace_window};
use waymesh_core::stage::StageError;
use waymesh_core::{
    ContourSet, Counter, FieldWindow, GridFrame, GridWindow, HeightSurface, LabelledWindow, Observer,
    PolyMesh, Random, RegionMap, SkippedTriangles, TriangleSource, Validate, Warning,
};
use waymesh_detail::{WindowConfig, fit_heights_windowed};
use waymesh_region::{
    JoinedSurfaces, SurfacePieces, SurfacesConfig, join_surfaces, label_surfaces, split_surfaces,
};
use waymesh_tile::{
    BinsConfig, Census, MemoryGate, Tally, Tile, TileLayout, TileSource, TileStore, TriangleBins, build_tiles,
};
use waymesh_voxel::{Climb, FieldBuilder, PackedField, VoxelConfig, rasterize_window};

use crate::config::{BakeConfig, PartitionKind};
use crate::pipeline::{Bake, BakeError, Pipeline, same_area};
use crate::report::{GridReport, IslandReport, Recorder, Report};

/// Bytes that a column of a tile's window takes while it is built, with a span and a half in it.
const COLUMN_BYTES: u64 = 128;
/// Bytes that a triangle of a tile takes while it is built.
const TRIANGLE_BYTES: u64 = 100;

/// How a world is cut and how much of it is in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TileConfig {
    /// Side of a tile in cells, rounded up to whole blocks of 16; 0 for one tile. Default 256.
    pub tile_cells: u32,
    /// Memory in bytes that the bake works in; its result comes on top. Default 2 GiB.
    pub memory_bytes: u64,
    /// Folder in which finished tiles are kept, so that a bake that was stopped goes on where it
    /// was. Default none: they are kept in memory, as bytes.
    pub folder: Option<PathBuf>,
    /// Folder for triangles that memory does not hold. Default: the system's folder for temporary
    /// files.
    pub spill_folder: Option<PathBuf>,
    /// Text kept in `folder` beside the tiles, for whoever merges them. Default none.
    pub note: String,
}

impl Default for TileConfig {
    fn default() -> Self {
        Self { tile_cells: 256, memory_bytes: 2 << 30, folder: None, spill_folder: None, note: String::new() }
    }
}

impl TileConfig {
    /// Sets the side of a tile in cells.
    #[must_use]
    pub fn with_tile_cells(mut self, cells: u32) -> Self {
        self.tile_cells = cells;
        self
    }

    /// Sets the memory to work in, in bytes.
    #[must_use]
    pub fn with_memory_bytes(mut self, bytes: u64) -> Self {
        self.memory_bytes = bytes;
        self
    }

    /// Sets the folder of finished tiles.
    #[must_use]
    pub fn with_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Sets the folder for triangles that memory does not hold.
    #[must_use]
    pub fn with_spill_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.spill_folder = Some(folder.into());
        self
    }

    /// Sets the text kept beside the tiles.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}

/// What all tiles of a bake have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
struct World {
    frame: GridFrame,
    layout: TileLayout,
    triangles: u64,
    skipped: SkippedTriangles,
    /// Of the triangles, and of the settings that a tile depends on.
    fingerprint: u64,
}

impl World {
    fn survey(source: &dyn TriangleSource, tile_cells: u32, config: &BakeConfig) -> Result<Self, BakeError> {
        let census = Census::take(source)?;
        let SkippedTriangles { not_finite, degenerate } = census.skipped;
        if not_finite + degenerate == census.triangles {
            let triangles = usize::try_from(census.triangles).unwrap_or(usize::MAX);
            return Err(BakeError::NoTriangles { triangles, not_finite, degenerate });
        }
        let frame = GridFrame::fit(&census.bounds, &config.scale).map_err(crate::ConfigError::Grid)?;
        let layout = TileLayout::new(&frame, tile_cells)?;
        // What a tile is made of; names and numbers as people would write them are as good as any encoding.
        let settings =
            format!("{:?} {:?} {:?} {}", config.scale, config.agent, config.max_climb, layout.side_cells());
        let fingerprint = settings
            .bytes()
            .fold(census.fingerprint, |state, byte| Random::mix(state.wrapping_add(u64::from(byte) + 1)));
        Ok(Self { frame, layout, triangles: census.triangles, skipped: census.skipped, fingerprint })
    }

    /// The lines that tell [`World::read`] everything.
    fn note(&self) -> String {
        let frame = &self.frame;
        let bits = [frame.origin.x, frame.origin.y, frame.origin.z, frame.cell_size, frame.level_height];
        let bits = bits.map(|number| format!("{:08x}", number.to_bits())).join(" ");
        format!(
            "frame {bits} {} {}\ntile_cells {}\ntriangles {} {} {}\n",
            frame.width,
            frame.depth,
            self.layout.side_cells(),
            self.triangles,
            self.skipped.not_finite,
            self.skipped.degenerate
        )
    }

    fn read(fingerprint: u64, note: &str) -> Option<(Self, String)> {
        let mut lines = note.splitn(4, '\n');
        let words = |line: Option<&str>, title: &str| -> Option<Vec<String>> {
            Some(line?.strip_prefix(title)?.split_whitespace().map(str::to_owned).collect())
        };
        let frame = words(lines.next(), "frame ")?;
        let number = |index: usize| Some(f32::from_bits(u32::from_str_radix(frame.get(index)?, 16).ok()?));
        let frame = GridFrame {
            origin: glam::Vec3::new(number(0)?, number(1)?, number(2)?),
            cell_size: number(3)?,
            level_height: number(4)?,
            width: frame.get(5)?.parse().ok()?,
            depth: frame.get(6)?.parse().ok()?,
        };
        let side = words(lines.next(), "tile_cells ")?.first()?.parse().ok()?;
        let counts = words(lines.next(), "triangles ")?;
        let count = |index: usize| counts.get(index)?.parse().ok();
        let skipped = SkippedTriangles { not_finite: count(1)?, degenerate: count(2)? };
        let layout = TileLayout::new(&frame, side).ok()?;
        let world = Self { frame, layout, triangles: count(0)?, skipped, fingerprint };
        Some((world, lines.next().unwrap_or_default().to_owned()))
    }

    fn store(&self, tiles: &TileConfig) -> Result<TileStore, BakeError> {
        Ok(match &tiles.folder {
            None => TileStore::in_memory(&self.layout),
            Some(folder) => {
                let note = self.note() + &tiles.note;
                TileStore::in_folder(&self.layout, folder, self.fingerprint, &note)?
            }
        })
    }
}

/// What is kept of a tile: its field, its pieces, and what the report wants to know.
struct TileContent {
    solid_spans: u64,
    climbs: Vec<Climb>,
    pieces: SurfacePieces,
    field: PackedField,
}

/// The parts of [`TileContent`] in its bytes, not yet read.
struct TileParts<'a> {
    solid_spans: u64,
    climbs: &'a [u8],
    pieces: &'a [u8],
    field: &'a [u8],
}

impl TileContent {
    fn to_bytes(&self) -> Vec<u8> {
        let pieces = self.pieces.to_bytes();
        let climbs = self.climbs.len() * Climb::BYTES;
        let mut bytes = Vec::with_capacity(24 + climbs + pieces.len() + self.field.as_bytes().len());
        for number in [self.solid_spans, climbs as u64, pieces.len() as u64] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.climbs.iter().flat_map(Climb::to_bytes));
        bytes.extend(pieces);
        bytes.extend(self.field.as_bytes());
        bytes
    }

    fn split(bytes: &[u8]) -> Option<TileParts<'_>> {
        let (head, rest) = bytes.split_at_checked(24)?;
        let number = |at: usize| head[at..at + 8].try_into().map(u64::from_le_bytes).ok();
        let (climbs, rest) = rest.split_at_checked(usize::try_from(number(8)?).ok()?)?;
        let (pieces, field) = rest.split_at_checked(usize::try_from(number(16)?).ok()?)?;
        Some(TileParts { solid_spans: number(0)?, climbs, pieces, field })
    }
}

/// A finished tile as the later stages need it.
struct Kept {
    solid_spans: u64,
    climbs: Vec<Climb>,
    pieces: SurfacePieces,
}

impl Pipeline {
    /// Bakes a world that need not fit into memory, tile by tile.
    ///
    /// # Guarantees
    /// - The same mesh, bit for bit, as [`Pipeline::bake`] gives for all the triangles at once,
    ///   whatever the side of the tiles, the number of threads, the memory and the order of the
    ///   triangles.
    /// - With a folder, a bake that was stopped, however, goes on where it was; damaged tiles are
    ///   built again.
    ///
    /// # Cost
    /// Two passes over the source. Memory: [`TileConfig::memory_bytes`], a few bytes per border
    /// step and the result.
    ///
    /// # Errors
    /// As [`Pipeline::bake`]; [`BakeError::Untiled`] for a partition or a replaced stage that needs
    /// the whole world at once; [`BakeError::Tile`] for files and folders.
    pub fn bake_tiled(
        &self,
        source: &dyn TriangleSource,
        tiles: &TileConfig,
        observer: &mut dyn Observer,
    ) -> Result<Bake, BakeError> {
        self.check_tiled()?;
        self.recorded(observer, |recorder| {
            let world =
                recorder.stage("survey", |_| World::survey(source, tiles.tile_cells, self.config()))?;
            let store = world.store(tiles)?;
            world.skipped.tell(recorder);
            let kept = self.build_missing(source, &world, &store, tiles, recorder)?;
            self.finish_tiled(&world, &store, kept, tiles.memory_bytes, recorder)
        })
    }

    /// Builds one tile into the folder, for a bake that is spread over machines, and returns its
    /// file. The source is the whole world, so that every machine finds the same grid.
    ///
    /// # Errors
    /// As [`Pipeline::bake_tiled`]; [`BakeError::NoSuchTile`] if the world has no such tile;
    /// [`BakeError::NoFolder`] without a folder.
    pub fn bake_tile(
        &self,
        source: &dyn TriangleSource,
        tiles: &TileConfig,
        tile: Tile,
        observer: &mut dyn Observer,
    ) -> Result<PathBuf, BakeError> {
        self.check_tiled()?;
        let mut recorder = Recorder::new(observer);
        self.in_pool(|| {
            let world = World::survey(source, tiles.tile_cells, self.config())?;
            if !world.layout.has(tile) {
                let (columns, rows) = (world.layout.columns(), world.layout.rows());
                return Err(BakeError::NoSuchTile { tile, columns, rows });
            }
            let store = world.store(tiles)?;
            let file = store.file(tile).ok_or(BakeError::NoFolder)?;
            self.build(source, &world, &store, &[tile], tiles, &mut recorder)?;
            Ok(file)
        })?
    }

    /// Joins tiles built by [`Pipeline::bake_tile`], wherever that was, to one mesh.
    ///
    /// # Errors
    /// [`BakeError::Tile`] if the folder is not one of tiles, or a tile is missing or damaged; as
    /// [`Pipeline::bake_tiled`] otherwise.
    pub fn merge_tiles(
        &self,
        folder: &Path,
        memory_bytes: u64,
        observer: &mut dyn Observer,
    ) -> Result<Bake, BakeError> {
        self.check_tiled()?;
        self.recorded(observer, |recorder| {
            let (world, _) = read_world(folder)?;
            let store = TileStore::in_folder(&world.layout, folder, world.fingerprint, "")?;
            let mut kept = Vec::with_capacity(world.layout.len());
            for tile in world.layout.tiles() {
                let missing =
                    || waymesh_tile::TileError::MissingTile { tile, folder: Some(folder.to_owned()) };
                kept.push(read_tile(&store, tile)?.ok_or_else(missing)?);
            }
            world.skipped.tell(recorder);
            self.finish_tiled(&world, &store, kept, memory_bytes, recorder)
        })
    }

    /// Tiles need stages that can be asked about a part of the world.
    fn check_tiled(&self) -> Result<(), BakeError> {
        self.config().validate()?;
        if self.config().partition != PartitionKind::Surfaces {
            return Err(BakeError::Untiled { what: "this partition" });
        }
        match self.untiled_stage() {
            Some(what) => Err(BakeError::Untiled { what }),
            None => Ok(()),
        }
    }

    /// Builds the tiles that the store does not have.
    fn build_missing(
        &self,
        source: &dyn TriangleSource,
        world: &World,
        store: &TileStore,
        tiles: &TileConfig,
        recorder: &mut Recorder<'_>,
    ) -> Result<Vec<Kept>, BakeError> {
        let mut kept: Vec<Option<Kept>> = Vec::with_capacity(world.layout.len());
        for tile in world.layout.tiles() {
            kept.push(read_tile(store, tile)?);
        }
        let missing: Vec<Tile> = world
            .layout
            .tiles()
            .zip(&kept)
            .filter(|(_, kept)| kept.is_none())
            .map(|(tile, _)| tile)
            .collect();
        if missing.len() < kept.len() {
            recorder.count(Counter::TilesResumed, (kept.len() - missing.len()) as u64);
        }
        if store.damaged() > 0 {
            recorder.warn(Warning::TilesDamaged { tiles: store.damaged() });
        }
        let built = self.build(source, world, store, &missing, tiles, recorder)?;
        for (tile, built) in missing.into_iter().zip(built) {
            kept[world.layout.index(tile)] = Some(built);
        }
        Ok(kept.into_iter().flatten().collect())
    }

    /// Builds these tiles and puts them into the store.
    fn build(
        &self,
        source: &dyn TriangleSource,
        world: &World,
        store: &TileStore,
        missing: &[Tile],
        tiles: &TileConfig,
        recorder: &mut Recorder<'_>,
    ) -> Result<Vec<Kept>, BakeError> {
        if missing.is_empty() {
            return Ok(Vec::new());
        }
        let config = self.config();
        let builder = FieldBuilder::new(config.agent);
        let halo = self.halo_cells(&builder);
        let bins = recorder.stage("sort triangles", |_| {
            let bins = BinsConfig::default()
                .with_memory_bytes(tiles.memory_bytes / 8)
                .with_folder(tiles.spill_folder.clone());
            TriangleBins::sort_for(
                source,
                &world.layout,
                halo,
                |tile| missing.binary_search(&tile).is_ok(),
                &bins,
            )
        })?;
        let voxels = VoxelConfig::for_agent(&config.agent)
            .with_scale(config.scale)
            .with_threads(1)
            .with_max_memory_bytes(config.max_memory_bytes);
        let gate = MemoryGate::new(tiles.memory_bytes / 2);
        let window = |tile: Tile| world.layout.core(tile).grown(halo, &world.frame);
        let estimate = |tile: Tile| {
            window(tile).column_count() * COLUMN_BYTES + bins.count(tile) as u64 * TRIANGLE_BYTES
        };
        let tallies = Mutex::new(Vec::new());
        let work = |tile: Tile| -> Result<Kept, BakeError> {
            let mut tally = Tally::default();
            let failed = |error| StageError::new("voxelize", error);
            let soup = bins.soup(tile)?;
            // The survey has counted the triangles that are of no use.
            let heightfield =
                rasterize_window(soup.finite_triangles(), &world.frame, window(tile), &voxels, &mut ())
                    .map_err(failed)?;
            drop(soup);
            let core = world.layout.core(tile);
            let (part, climbs) = self
                .window(&heightfield, &world.frame, [window(tile), core], &builder, &mut tally)
                .map_err(failed)?;
            let solid_spans = solid_spans(&heightfield, window(tile), core);
            drop(heightfield);
            self.check("field", |list| part.violations(list))?;
            let pieces = split_surfaces(&part, &SurfacesConfig::default())
                .map_err(|error| StageError::new("partition", error))?;
            let content =
                TileContent { solid_spans, climbs, pieces, field: PackedField::pack(&part).map_err(failed)? };
            store.put(tile, content.to_bytes())?;
            tallies.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((tile, tally));
            Ok(Kept { solid_spans, climbs: content.climbs, pieces: content.pieces })
        };
        let kept =
            recorder.stage("tiles", |observer| build_tiles(missing, &gate, estimate, work, observer))?;
        let mut tallies = tallies.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        tallies.sort_unstable_by_key(|&(tile, _)| tile);
        tallies.iter().for_each(|(_, tally)| tally.replay(recorder));
        Ok(kept)
    }

    /// From finished tiles to the mesh.
    fn finish_tiled(
        &self,
        world: &World,
        store: &TileStore,
        kept: Vec<Kept>,
        memory_bytes: u64,
        recorder: &mut Recorder<'_>,
    ) -> Result<Bake, BakeError> {
        recorder.solid_spans = kept.iter().map(|kept| kept.solid_spans).sum();
        let (pieces, climbs): (Vec<SurfacePieces>, Vec<Vec<Climb>>) =
            kept.into_iter().map(|kept| (kept.pieces, kept.climbs)).unzip();
        let surfaces = recorder.stage("join", |observer| {
            join_surfaces(&pieces, &self.join_config(world.frame.cell_area()), observer)
                .map_err(|error| StageError::new("partition", error))
        })?;
        drop(pieces);
        if surfaces.count() == 0 {
            let hint = "slopes, ledges, low ceilings, the agent's radius or the smallest region leave no room; is the scale in metres?";
            return Err(BakeError::NothingWalkable { stage: "field", hint });
        }
        let tiles: Vec<Tile> = world.layout.tiles().collect();
        let gate = MemoryGate::new(memory_bytes / 2);
        let estimate = |tile: Tile| world.layout.core(tile).column_count() * COLUMN_BYTES;
        let raw_contours = recorder.stage("trace", |observer| {
            let chains = build_tiles(
                &tiles,
                &gate,
                estimate,
                |tile| -> Result<BorderChains, BakeError> {
                    let tile = labelled(store, &surfaces, tile)?;
                    trace_window(&tile.part, &tile.regions)
                        .map_err(|error| StageError::new("trace", error).into())
                },
                observer,
            )?;
            stitch(world.frame, chains, surfaces.count())
                .map_err(|error| StageError::new("trace", error).into())
                as Result<ContourSet, BakeError>
        })?;
        let spans: u64 = surfaces.spans().iter().sum();
        self.check("trace", |list| {
            raw_contours.violations(list);
            same_area("trace", 2 * i128::from(spans), crate::pipeline::contour_area(&raw_contours), list);
        })?;
        let contours = self.contours(&raw_contours, recorder)?;
        drop(raw_contours);
        let triangulation = self.triangles(&contours, recorder)?;
        let mut report = Report {
            triangles: world.triangles,
            grid: GridReport::of(&world.frame),
            walkable_spans: spans,
            walkable_area: spans as f64 * world.frame.cell_area(),
            regions: u64::from(surfaces.count()),
            contours: contours.loop_count() as u64,
            vertices_off_border: contours.vertices_off_border() as u64,
            tiles: world.layout.len() as u64,
            ..Report::default()
        };
        drop(contours);
        let polygons = self.polygons(&triangulation, recorder)?;
        drop(triangulation);
        let surface = self.tiled_surface(world, store, &surfaces, &polygons, memory_bytes, recorder)?;
        report.count_polygons(&polygons, &surface);
        let mesh = self.mesh(polygons, surface, climbs.concat(), recorder)?;
        report.links = mesh.links().len() as u64;
        report.islands = IslandReport::all(&mesh);
        Ok(Bake { mesh, report })
    }

    fn tiled_surface(
        &self,
        world: &World,
        store: &TileStore,
        surfaces: &JoinedSurfaces,
        polygons: &PolyMesh,
        memory_bytes: u64,
        recorder: &mut Recorder<'_>,
    ) -> Result<HeightSurface, BakeError> {
        let source = |window: GridWindow| {
            let tiles = world.layout.tiles_over(&window.grown(1, &world.frame));
            let tiles: Vec<LabelledWindow> =
                tiles.map(|tile| labelled(store, surfaces, tile)).collect::<Result<_, _>>()?;
            let tiles: Vec<&LabelledWindow> = tiles.iter().collect();
            Ok(LabelledWindow::assemble(world.frame, window, &tiles))
        };
        let detail = self.detail_config();
        let windows = windows(memory_bytes / 2);
        let surface = recorder.stage("heights", |observer| {
            fit_heights_windowed(polygons, &source, &detail, &windows, observer)
                .map_err(|error| StageError::new("detail", error))
        })?;
        self.check("heights", |list| surface.violations_over(polygons, list))?;
        Ok(surface)
    }
}

/// As many windows as there are threads, of a size that fits into the memory.
pub(crate) fn windows(memory_bytes: u64) -> WindowConfig {
    let threads = rayon::current_num_threads();
    let columns = memory_bytes / COLUMN_BYTES / threads as u64;
    WindowConfig::default().with_windows_at_once(threads).with_window_columns(columns.max(1 << 12))
}

/// What a folder of tiles says it belongs to, and the text that was kept beside it.
fn read_world(folder: &Path) -> Result<(World, String), BakeError> {
    let unknown = || BakeError::NotTiles { folder: folder.to_owned() };
    let (fingerprint, note) = TileStore::note(folder)?.ok_or_else(unknown)?;
    World::read(fingerprint, &note).ok_or_else(unknown)
}

/// The text that was given as [`TileConfig::note`] when a folder of tiles was begun.
///
/// # Errors
/// If it is no folder of tiles.
pub fn tile_note(folder: &Path) -> Result<String, BakeError> {
    Ok(read_world(folder)?.1)
}

/// The pieces of a tile, if the store has it undamaged.
fn read_tile(store: &TileStore, tile: Tile) -> Result<Option<Kept>, BakeError> {
    let Some(bytes) = store.get(tile)? else { return Ok(None) };
    Ok(TileContent::split(&bytes).and_then(|parts| {
        let (climbs, rest) = parts.climbs.as_chunks();
        Some(Kept {
            solid_spans: parts.solid_spans,
            climbs: climbs
                .iter()
                .map(Climb::from_bytes)
                .collect::<Option<_>>()
                .filter(|_| rest.is_empty())?,
            pieces: SurfacePieces::from_bytes(parts.pieces).ok()?,
        })
    }))
}

/// The field of a tile with its regions.
fn labelled(store: &TileStore, surfaces: &JoinedSurfaces, tile: Tile) -> Result<LabelledWindow, BakeError> {
    let missing = || waymesh_tile::TileError::MissingTile { tile, folder: None };
    let bytes = store.get(tile)?.ok_or_else(missing)?;
    let field = TileContent::split(&bytes).ok_or_else(missing)?.field;
    let part: FieldWindow =
        PackedField::unpack_bytes(field).map_err(|error| StageError::new("tiles", error))?;
    let regions: RegionMap =
        label_surfaces(&part, surfaces).map_err(|error| StageError::new("partition", error))?;
    Ok(LabelledWindow { part, regions })
}

/// Solid spans in the columns of the core.
fn solid_spans(heightfield: &waymesh_core::Heightfield, window: GridWindow, core: GridWindow) -> u64 {
    (core.z..core.end_z())
        .map(|z| {
            let first = (z - window.z) as usize * window.width as usize + (core.x - window.x) as usize;
            u64::from(heightfield.columns[first + core.width as usize] - heightfield.columns[first])
        })
        .sum()
}
