//! Worlds that change: a mesh per tile, built again where something was added or removed, while
//! queries run on the version before.

mod build;
mod heights;
mod join;
mod obstacles;
mod polygons;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;

use waymesh_core::stage::StageError;
use waymesh_core::{Bounds, GridFrame, GridWindow, Observer, PolyMesh, TriangleSource, Validate};
use waymesh_graph::NavMesh;
use waymesh_tile::{BinsConfig, MemoryGate, Tile, TileLayout, TriangleBins, build_tiles};
use waymesh_voxel::{FieldBuilder, Obstacle};

use crate::config::ConfigError;
use crate::pipeline::{BakeError, Pipeline};
use crate::report::Recorder;

use build::{BuiltTile, KeptTile};
use heights::Patch;
pub use obstacles::ObstacleId;
pub(crate) use obstacles::Obstacles;

/// The current mesh of a [`World`], for any number of threads.
///
/// A query takes the mesh of the moment and keeps it as long as it likes: the world puts a new one
/// in its place and never changes one that is out.
#[derive(Clone, Debug)]
pub struct MeshHandle(Arc<RwLock<Arc<NavMesh>>>);

impl MeshHandle {
    pub(crate) fn new(mesh: NavMesh) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(mesh))))
    }

    /// Puts a mesh in place of the last.
    pub(crate) fn replace(&self, mesh: NavMesh) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(mesh);
    }

    /// The newest mesh.
    #[must_use]
    pub fn mesh(&self) -> Arc<NavMesh> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What an update did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct WorldUpdate {
    /// Tiles that were built: field, polygons and heights.
    pub rebuilt: usize,
    /// Tiles beside them that were fitted to the new borders.
    pub adjusted: usize,
    /// Polygons of the new mesh.
    pub polygons: usize,
    /// Links of the new mesh.
    pub links: usize,
    /// Wall time of building tiles.
    pub build_seconds: f64,
    /// Wall time of joining all tiles to the new mesh.
    pub join_seconds: f64,
}

/// A world of tiles that can be added, removed and rebuilt one by one, with obstacles that come and
/// go.
///
/// # Guarantees
/// - Neighbouring tiles have the same vertices along their border, and are joined exactly where the
///   ground is: no crack, no false link and none missing, at any time.
/// - An update builds the tiles that something changed in, or within the agent's reach of, and no
///   others, with the whole pipeline: filters, erosion, regions, borders, polygons, heights.
/// - The same tiles and obstacles give the same mesh, in whatever order they came.
/// - Queries are never held up: they keep the mesh they have.
///
/// # Cost
/// An update costs its tiles, and one pass over all polygons of the world to join them. Kept per
/// tile: its solid voxels and its field, packed, its polygons and its ground. Fewest polygons take
/// longer than [`crate::DecompositionKind::Greedy`]; tiles that change often may do with that.
///
/// # Against [`Pipeline::bake`]
/// A border of a tile is a border of polygons: they do not go on into the next tile as those of a
/// bake do. Vertices stand on it every 16 polygons at most.
///
/// ```
/// use waymesh::{Pipeline, TriangleSource, World};
/// use waymesh::voxel::{MarkShape, Obstacle};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let soup = waymesh_scenes::Scene::DungeonRooms.build(&waymesh_scenes::SceneConfig::default());
/// let mut world = World::new(Pipeline::default(), &soup.bounds(), 48)?;
/// world.add_triangles(&soup, &mut ())?;
/// world.update(&mut ())?;
/// let handle = world.handle();
/// let before = handle.mesh();
/// let crate_in_the_way = MarkShape::Box { bounds: waymesh::Bounds { min: glam::vec3(4.0, -1.0, 4.0), max: glam::vec3(6.0, 2.0, 6.0) } };
/// let obstacle = world.add_obstacle(Obstacle::solid(crate_in_the_way))?;
/// world.update(&mut ())?;
/// assert!(handle.mesh().area() < before.area());
/// world.remove_obstacle(obstacle);
/// world.update(&mut ())?;
/// assert_eq!(*handle.mesh(), *before);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct World {
    pipeline: Pipeline,
    frame: GridFrame,
    layout: TileLayout,
    kept: BTreeMap<Tile, KeptTile>,
    built: BTreeMap<Tile, BuiltTile>,
    patches: BTreeMap<Tile, Patch>,
    obstacles: Obstacles<(Obstacle, GridWindow)>,
    dirty: BTreeSet<Tile>,
    current: MeshHandle,
}

impl World {
    /// An empty world.
    ///
    /// `bounds` fixes its grid: what lies beside them in plan is left out, heights are free. A tile
    /// has `tile_cells` cells a side, rounded up to whole blocks of 16; 64 to 256 is usual.
    /// Every partition can be used; replaced stages up to the partition cannot.
    ///
    /// # Errors
    /// For settings out of range, bounds that are no use, too many tiles, replaced stages.
    pub fn new(pipeline: Pipeline, bounds: &Bounds, tile_cells: u32) -> Result<Self, BakeError> {
        pipeline.config().validate()?;
        if let Some(what) = pipeline.untiled_voxel_stage() {
            return Err(BakeError::Untiled { what });
        }
        let frame = GridFrame::fit(bounds, &pipeline.config().scale).map_err(ConfigError::Grid)?;
        let layout = TileLayout::new(&frame, tile_cells)?;
        let mesh = NavMesh::new(PolyMesh::empty(frame), None, pipeline.config().agent)?;
        Ok(Self {
            pipeline,
            frame,
            layout,
            kept: BTreeMap::new(),
            built: BTreeMap::new(),
            patches: BTreeMap::new(),
            obstacles: Obstacles::new(),
            dirty: BTreeSet::new(),
            current: MeshHandle::new(mesh),
        })
    }

    /// How the world is cut.
    #[must_use]
    pub fn layout(&self) -> &TileLayout {
        &self.layout
    }

    /// The newest mesh, now and later.
    #[must_use]
    pub fn handle(&self) -> MeshHandle {
        self.current.clone()
    }

    /// The tiles that are there.
    pub fn tiles(&self) -> impl Iterator<Item = Tile> {
        self.kept.keys().copied()
    }

    /// Puts triangles into all tiles that they reach into; a tile that was there before is
    /// replaced.
    ///
    /// # Errors
    /// If the triangles cannot be read, or a tile does not fit into the memory allowed. Tiles
    /// before it have changed then.
    pub fn add_triangles(
        &mut self,
        source: &dyn TriangleSource,
        observer: &mut dyn Observer,
    ) -> Result<(), BakeError> {
        let bins = TriangleBins::sort(source, &self.layout, 0, &BinsConfig::default())?;
        let tiles: Vec<Tile> = self.layout.tiles().filter(|&tile| bins.count(tile) > 0).collect();
        let gate = MemoryGate::new(u64::MAX);
        let work = |tile: Tile| {
            KeptTile::rasterize(&self.pipeline, &self.frame, self.layout.core(tile), &bins.soup(tile)?)
        };
        let kept = self.pipeline.in_pool(|| build_tiles(&tiles, &gate, |_| 0, work, observer))??;
        for (tile, kept) in tiles.into_iter().zip(kept) {
            self.kept.insert(tile, kept);
            self.touch(self.layout.core(tile));
        }
        Ok(())
    }

    /// Replaces one tile by the triangles of `source` that reach into it: for worlds that are
    /// streamed. Other tiles keep theirs.
    ///
    /// # Errors
    /// As [`World::add_triangles`]; [`BakeError::NoSuchTile`].
    pub fn set_tile(&mut self, tile: Tile, source: &dyn TriangleSource) -> Result<(), BakeError> {
        self.check_tile(tile)?;
        let bins =
            TriangleBins::sort_for(source, &self.layout, 0, |wanted| wanted == tile, &BinsConfig::default())?;
        let kept =
            KeptTile::rasterize(&self.pipeline, &self.frame, self.layout.core(tile), &bins.soup(tile)?)?;
        self.kept.insert(tile, kept);
        self.touch(self.layout.core(tile));
        Ok(())
    }

    /// Takes a tile away. Whether it was there.
    pub fn remove_tile(&mut self, tile: Tile) -> bool {
        let was_there = self.kept.remove(&tile).is_some();
        if was_there {
            self.touch(self.layout.core(tile));
        }
        was_there
    }

    fn check_tile(&self, tile: Tile) -> Result<(), BakeError> {
        if self.layout.has(tile) {
            return Ok(());
        }
        let (columns, rows) = (self.layout.columns(), self.layout.rows());
        Err(BakeError::NoSuchTile { tile, columns, rows })
    }

    /// Puts an obstacle into the world; the mesh shows it after the next update.
    ///
    /// # Errors
    /// For a shape that cannot be used.
    pub fn add_obstacle(&mut self, obstacle: Obstacle) -> Result<ObstacleId, BakeError> {
        let columns = obstacle.columns(&self.frame).map_err(|error| StageError::new("obstacle", error))?;
        self.touch(columns);
        Ok(self.obstacles.add((obstacle, columns)))
    }

    /// Takes an obstacle away. Whether it was there.
    pub fn remove_obstacle(&mut self, id: ObstacleId) -> bool {
        let Some((_, columns)) = self.obstacles.remove(id) else { return false };
        self.touch(columns);
        true
    }

    /// Marks all tiles whose field may change when these columns do.
    fn touch(&mut self, columns: GridWindow) {
        if columns.is_empty() {
            return;
        }
        let halo = self.pipeline.halo_cells(&self.builder());
        self.dirty.extend(self.layout.tiles_over(&columns.grown(halo, &self.frame)));
    }

    fn builder(&self) -> FieldBuilder {
        FieldBuilder::new(self.pipeline.config().agent)
    }

    /// Whether anything changed since the last update.
    #[must_use]
    pub fn is_dirty(&self) -> bool {
        !self.dirty.is_empty()
    }

    /// Builds what changed and puts a new mesh in place of the last.
    ///
    /// # Errors
    /// As a bake. The mesh and what is to be built stay as they were.
    pub fn update(&mut self, observer: &mut dyn Observer) -> Result<WorldUpdate, BakeError> {
        let start = Instant::now();
        let mut recorder = Recorder::new(observer);
        let dirty: Vec<Tile> = self.dirty.iter().copied().collect();
        let present: Vec<Tile> = dirty.iter().copied().filter(|tile| self.kept.contains_key(tile)).collect();
        let built = {
            let this = &*self;
            let gate = MemoryGate::new(u64::MAX);
            let work = |tile: Tile| this.build(tile);
            let pool = this.pipeline.in_pool(|| {
                recorder.stage("tiles", |observer| build_tiles(&present, &gate, |_| 0, work, observer))
            });
            pool??
        };
        let mut tiles: BTreeMap<Tile, &BuiltTile> = self
            .built
            .iter()
            .filter(|(tile, _)| !self.dirty.contains(tile))
            .map(|(&tile, built)| (tile, built))
            .collect();
        tiles.extend(present.iter().copied().zip(&built));
        let build_seconds = start.elapsed().as_secs_f64();

        let start = Instant::now();
        let joined = recorder.stage("join", |_| {
            let polygons =
                tiles.iter().map(|(&tile, built)| (tile, (&built.polygons, built.regions))).collect();
            Ok::<_, BakeError>(join::join(self.frame, &polygons))
        })?;
        self.pipeline.check("join", |list| joined.polygons.violations(list))?;
        // A new border changes the tiles beside it, too: their corners on it, and the ground along it.
        let beside: BTreeSet<Tile> = dirty
            .iter()
            .flat_map(|&tile| self.layout.tiles_over(&self.layout.core(tile).grown(1, &self.frame)))
            .filter(|tile| tiles.contains_key(tile))
            .collect();
        let patches = self.pipeline.in_pool(|| {
            recorder.stage("heights", |observer| {
                heights::fit(&self.pipeline, &joined, &self.layout, &tiles, &beside, observer)
            })
        })??;
        let mut kept_patches: BTreeMap<Tile, Patch> = std::mem::take(&mut self.patches);
        kept_patches.retain(|tile, _| tiles.contains_key(tile));
        kept_patches.extend(patches);
        let surface = heights::assemble(&joined, &kept_patches);
        let polygons = joined.polygons.polygons.len();
        let climbs = tiles.values().flat_map(|built| built.climbs.iter().copied()).collect();
        let mesh = self.pipeline.mesh(joined.polygons, surface, climbs, &mut recorder);
        self.patches = kept_patches;
        let mesh = mesh?;
        let update = WorldUpdate {
            rebuilt: present.len(),
            adjusted: beside.len() - present.len(),
            polygons,
            links: mesh.links().len(),
            build_seconds,
            join_seconds: start.elapsed().as_secs_f64(),
        };
        drop(tiles);
        for tile in &dirty {
            self.built.remove(tile);
        }
        self.built.extend(present.into_iter().zip(built));
        self.dirty.clear();
        self.current.replace(mesh);
        Ok(update)
    }

    /// Field and polygons of one tile, from its own voxels and those around it.
    fn build(&self, tile: Tile) -> Result<BuiltTile, BakeError> {
        let builder = self.builder();
        let core = self.layout.core(tile);
        let window = core.grown(self.pipeline.halo_cells(&builder), &self.frame);
        let around: Vec<(GridWindow, &KeptTile)> = self
            .layout
            .tiles_over(&window)
            .filter_map(|tile| Some((self.layout.core(tile), self.kept.get(&tile)?)))
            .collect();
        let obstacles: Vec<Obstacle> = self
            .obstacles
            .iter()
            .filter(|(_, columns)| !columns.intersection(&window).is_empty())
            .map(|(obstacle, _)| obstacle.clone())
            .collect();
        BuiltTile::build(&self.pipeline, &self.frame, core, window, &around, &obstacles, &builder)
    }
}
