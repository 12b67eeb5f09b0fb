//! Worlds that change. Only the tiles in which something was added or removed are built again,
//! while queries use the previous mesh.

mod build;
mod ground;
mod heights;
mod join;
mod kept;
mod links;
mod packed_polygons;
mod parts;
#[cfg(feature = "floorplan")]
mod plan;
mod polygons;
mod prebaked;
mod stream;
mod tile_file;
mod update;
mod worker;

use std::collections::BTreeMap;

use waymesh_core::stage::StageError;
use waymesh_core::{Bounds, GridFrame, GridWindow, Observer, SkippedTriangles, TriangleSoup, TriangleSource};
use waymesh_graph::{TileGrid, TiledMesh, VertexOrder};
use waymesh_tile::{BinsConfig, MemoryGate, Tile, TileLayout, TileStore, TriangleBins, build_tiles};
use waymesh_voxel::{Mark, Obstacle};

use crate::bake::{
    BakeError, Baker, ConfigError, FrontEnd, Refused, is_swapped, warn_of_mark, warn_of_marks,
};
use crate::front::Voxels;
use build::{BuiltTile, WorldMark};
use ground::{TileGround, columns_of};
use join::Facings;
use kept::KeptTile;
use links::{TileClimbs, TileJumps, WorldLinks};
use parts::{Parts, Placed, world_methods};
use update::TileUpdate;

pub use parts::{MarkId, MeshHandle, ObstacleId, WorldUpdate};
#[cfg(feature = "floorplan")]
pub use plan::PlanWorld;
pub use worker::{Reply, WorkerConfig, WorkerError, WorldWorker};

/// A world of tiles that can be added, removed and rebuilt one by one, with obstacles that come and
/// go.
///
/// # Guarantees
/// - Neighbouring tiles have the same vertices along their border, and are joined exactly where the
///   ground is: no crack, no false link and none missing, at any time.
/// - An update builds the tiles that something changed in, or within the agent's reach of, and no
///   others, with all stages: filters, erosion, regions, borders, polygons, heights.
/// - The same tiles and obstacles give the same mesh, in whatever order they came.
/// - Queries never wait: they keep the mesh they have.
/// - A polygon keeps its id as long as its tile stays as it is, whatever else changes. Ids have
///   gaps ([`NavMesh::polygon_bound`](crate::NavMesh::polygon_bound)); what is saved has none
///   ([`NavMesh::to_compact`](crate::NavMesh::to_compact)). When most of a world is removed, all is
///   renumbered.
/// - A link has one id for as long as it is found, whatever else changes. Links that were added
///   ([`World::add_link`]) and those that were closed ([`World::set_link_open`]) stay so over all
///   updates.
///
/// # Cost
/// An update costs the tiles that change and those around them, however large the world is. Kept
/// per tile: its solid voxels, its field and its polygons, packed, and twice its part of the mesh,
/// one that queries see and one to be changed. The default decomposition takes longer than
/// [`crate::DecompositionKind::Greedy`], which suits tiles that change often. With
/// [`crate::BakeConfig::jumps`] the triangles are kept as well, and an update looks for jumps again
/// as far around what changed as one may jump.
///
/// # Threads
/// An update works on all threads of the rayon pool. A mutex around a world is locked by threads
/// outside of the pool: one of the pool that waits for its tasks runs those of others, which may
/// lock it again. [`WorldWorker`](crate::WorldWorker) needs no mutex.
///
/// # Differences from [`Baker::bake`]
/// Polygons end at the borders of tiles. On these borders there is a vertex at least every 16
/// cells.
///
/// ```
/// use waymesh::{Baker, World};
/// use waymesh::{Bounds, Obstacle};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let soup = waymesh_scenes::Scene::DungeonRooms.build(&waymesh_scenes::SceneConfig::default());
/// let mut world = World::bake(Baker::voxels(), &soup, 48)?;
/// let handle = world.handle();
/// let before = handle.mesh();
/// let crate_in_the_way = Bounds { min: glam::vec3(4.0, -1.0, 4.0), max: glam::vec3(6.0, 2.0, 6.0) };
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
    ground: TileGround,
    parts: Parts<Tile, BuiltTile>,
    mesh: TiledMesh,
    facings: Facings,
    /// Marks that came since the last update.
    new_marks: Vec<MarkId>,
    links: WorldLinks,
    climbs: TileClimbs,
    jumps: TileJumps,
    /// The folder that it was opened from.
    folder: Option<TileStore>,
}

const BY_TILES: &str = "a world builds it tile by tile";

/// Settings of a bake of voxels that a world does not have.
const REFUSED: Refused = &[
    ("min_region", "a piece of ground may continue in the next tile; leave it out, a world keeps all pieces"),
    ("keep", "a world keeps the ground of all its tiles; leave it out and bound queries by islands"),
    ("height_detail", "tiles are joined by the heights of their ground; leave it on"),
    ("enclosed", "a tile does not show what others enclose; block that by marks, or bake all in one piece"),
    ("with_voxelize", BY_TILES),
    ("with_rough_device", "its voxels are fine ones; use `with_raster_device`"),
    ("with_depth_device", "it has no depth maps; use `with_raster_device`"),
    ("with_build_field", BY_TILES),
    ("with_fit_heights", BY_TILES),
];

world_methods!(World);

impl World {
    /// Makes an empty world.
    ///
    /// `bounds` fixes its grid: triangles outside in plan are ignored, heights are free. A tile
    /// has `tile_cells` cells a side, rounded up to whole blocks of 16; 64 to 256 is usual.
    /// Every partition can be used.
    ///
    /// # Errors
    /// For settings out of range, bounds that are no use and too many tiles;
    /// [`BakeError::OptionNotSupported`] for settings and replaced stages that need all the ground
    /// or the triangles.
    pub fn new(baker: Baker<Voxels>, bounds: &Bounds, tile_cells: u32) -> Result<Self, BakeError> {
        baker.check()?;
        let frame = GridFrame::fit(bounds, &baker.config().scale).map_err(ConfigError::Grid)?;
        Self::on(baker, TileLayout::new(&frame, tile_cells)?)
    }

    /// Makes the world of a level: [`World::new`] over its bounds, with its triangles and a mesh.
    ///
    /// # Errors
    /// See [`World::new`], [`World::add_triangles`] and [`World::update`].
    pub fn bake(baker: Baker<Voxels>, level: &TriangleSoup, tile_cells: u32) -> Result<Self, BakeError> {
        let mut world = Self::new(baker, &level.bounds(), tile_cells)?;
        world.add_triangles(level, &mut ())?;
        world.update(&mut ())?;
        Ok(world)
    }

    /// An empty world that is cut like this.
    fn on(baker: Baker<Voxels>, layout: TileLayout) -> Result<Self, BakeError> {
        const NAME: &str = "a world";
        let stages = baker.stages;
        stages.refuse(NAME, &Voxels::defaults(), REFUSED)?;
        if let Some(option) = baker.front.option_of_tiles() {
            let reason = "its tiles are those of `World::new`, in memory";
            return Err(BakeError::OptionNotSupported { option, front_end: NAME, reason });
        }
        let config = stages.config();
        let grid = TileGrid { side: layout.side_cells(), columns: layout.columns(), rows: layout.rows() };
        let order = VertexOrder::OwnFirst;
        let mesh = TiledMesh::new(*layout.frame(), config.agent, grid, config.area_table(), order, true)?;
        let own_marks = config.marks.iter().map(|mark| WorldMark::new(mark.clone(), GridWindow::default()));
        let (own_marks, kept) = (own_marks.collect(), BTreeMap::new());
        let (obstacles, marks) = (Placed::default(), Placed::default());
        let (facings, links, climbs, jumps) = Default::default();
        let parts = Parts::new(mesh.mesh());
        let ground = TileGround { stages, layout, kept, obstacles, marks, own_marks };
        let new_marks = Vec::new();
        Ok(Self { ground, parts, mesh, facings, new_marks, links, climbs, jumps, folder: None })
    }

    /// Returns the layout of the tiles.
    #[must_use]
    pub fn layout(&self) -> &TileLayout {
        &self.ground.layout
    }

    /// Returns the existing tiles.
    pub fn tiles(&self) -> impl Iterator<Item = Tile> {
        self.ground.kept.keys().copied()
    }

    /// Puts triangles into all tiles that they reach into; a tile that was there before is
    /// replaced. Triangles that cannot be used are counted, and the observer is warned of them.
    ///
    /// # Errors
    /// If the triangles cannot be read, or a tile does not fit into the memory allowed. Tiles
    /// before it have changed then.
    pub fn add_triangles(
        &mut self,
        source: &dyn TriangleSource,
        observer: &mut dyn Observer,
    ) -> Result<(), BakeError> {
        let mut skipped = SkippedTriangles::default();
        source.visit(&mut |triangles| {
            triangles.iter().for_each(|&corners| _ = skipped.add(corners));
            Ok(())
        })?;
        skipped.report(observer);
        let TileGround { stages, layout, .. } = &self.ground;
        let bins = TriangleBins::sort(source, layout, 0, &BinsConfig::default())?;
        let tiles: Vec<Tile> = bins.tiles().collect();
        let gate = MemoryGate::new(u64::MAX);
        let work = |tile: Tile| KeptTile::rasterize(stages, layout, tile, &bins.soup(tile)?);
        let kept = stages.in_pool(|| build_tiles(&tiles, &gate, |_| 0, work, observer))??;
        for (tile, kept) in tiles.into_iter().zip(kept) {
            self.put(tile, kept);
        }
        Ok(())
    }

    /// Replaces one tile by the triangles of `source` that reach into it: for worlds that are
    /// streamed. Other tiles keep theirs.
    ///
    /// # Errors
    /// See [`World::add_triangles`]; [`BakeError::Tile`] if the world has no such tile.
    pub fn set_tile(&mut self, tile: Tile, source: &dyn TriangleSource) -> Result<(), BakeError> {
        let TileGround { stages, layout, .. } = &self.ground;
        layout.check(tile)?;
        let bins =
            TriangleBins::sort_for(source, layout, 0, |wanted| wanted == tile, &BinsConfig::default())?;
        let kept = KeptTile::rasterize(stages, layout, tile, &bins.soup(tile)?)?;
        self.put(tile, kept);
        Ok(())
    }

    /// Puts a tile in place of what was there.
    fn put(&mut self, tile: Tile, kept: KeptTile) {
        self.ground.kept.insert(tile, kept);
        self.touch_tile(tile);
    }

    fn touch_tile(&mut self, tile: Tile) {
        let seen_in = self.ground.seen_in(self.ground.layout.core(tile));
        self.parts.touch(seen_in.iter().copied());
        self.touch_jumps(seen_in);
    }

    /// Something that one may fly into changed in these tiles.
    fn touch_jumps(&mut self, tiles: Vec<Tile>) {
        if self.ground.stages.config().jumps.is_some() {
            self.jumps.touch(tiles);
        }
    }

    /// Takes a tile away. Returns `true` if it was there.
    pub fn remove_tile(&mut self, tile: Tile) -> bool {
        let was_there = self.ground.kept.remove(&tile).is_some();
        if was_there {
            self.touch_tile(tile);
        }
        was_there
    }

    /// Puts an obstacle into the world; the mesh shows it after the next update.
    ///
    /// # Errors
    /// For a shape that cannot be used.
    pub fn add_obstacle(&mut self, obstacle: Obstacle) -> Result<ObstacleId, BakeError> {
        let frame = self.ground.frame();
        let columns = obstacle.columns(frame).map_err(StageError::at("obstacle"))?;
        let mut seen_in = self.ground.seen_in(columns);
        self.parts.touch(seen_in.iter().copied());
        if self.ground.stages.config().jumps.is_some() {
            // A jump may hit an obstacle in a tile without ground.
            let box_in = self.ground.seen_in(columns_of(frame, &obstacle.triangles().bounds()));
            seen_in.extend(box_in);
            seen_in.sort_unstable();
            seen_in.dedup();
            self.jumps.touch(seen_in.iter().copied());
        }
        Ok(ObstacleId(self.ground.obstacles.add((obstacle, columns), seen_in)))
    }

    /// Takes an obstacle away. Returns `true` if it was there.
    pub fn remove_obstacle(&mut self, id: ObstacleId) -> bool {
        let Some(((_, columns), seen_in)) = self.ground.obstacles.remove(id.0) else { return false };
        self.parts.touch(self.ground.seen_in(columns));
        self.touch_jumps(seen_in);
        true
    }

    /// Gives the ground in a shape another area, or cuts it out; the mesh shows it after the next
    /// update, whose observer is warned of a mark that touches no ground. It counts after those of
    /// the settings and those added before.
    ///
    /// # Errors
    /// For a shape that cannot be used.
    pub fn add_mark(&mut self, mark: Mark) -> Result<MarkId, BakeError> {
        mark.shape.validate().map_err(StageError::at("mark"))?;
        let columns = if is_swapped(&mark.shape) {
            GridWindow::default()
        } else {
            let solid = Obstacle::solid(mark.shape.clone());
            solid.columns(self.ground.frame()).map_err(StageError::at("mark"))?
        };
        let seen_in = self.ground.seen_in(columns);
        self.parts.touch(seen_in.iter().copied());
        let id = MarkId(self.ground.marks.add(WorldMark::new(mark, columns), seen_in));
        self.new_marks.push(id);
        Ok(id)
    }

    /// Takes a mark away. Returns `true` if it was there.
    pub fn remove_mark(&mut self, id: MarkId) -> bool {
        let Some((_, seen_in)) = self.ground.marks.remove(id.0) else { return false };
        self.parts.touch(seen_in);
        true
    }

    /// Builds what changed and puts a new mesh in place of the last.
    ///
    /// # Errors
    /// See [`Baker::bake`]. The mesh and what is to be built stay as they were.
    pub fn update(&mut self, observer: &mut dyn Observer) -> Result<WorldUpdate, BakeError> {
        let Self { ground, new_marks, parts, mesh, facings, links, climbs, jumps, .. } = self;
        let is_first = parts.is_empty();
        let mut prebaked = 0;
        let prebaked_now = &mut prebaked;
        let all = TileUpdate { ground, mesh, facings, links, climbs, jumps, prebaked: prebaked_now };
        let update = parts.update(observer, all)?;
        if is_first && update.rebuilt > 0 && prebaked == 0 {
            let covers: Vec<bool> = ground.own_marks.iter().map(|mark| !mark.is_untouched()).collect();
            warn_of_marks(&ground.stages.config().marks, &covers, observer);
        }
        for id in std::mem::take(new_marks) {
            if let Some(added) = ground.marks.get(id.0).filter(|added| added.is_untouched()) {
                warn_of_mark(format!("added mark {}", id.0), Some(&added.mark), observer);
            }
        }
        Ok(WorldUpdate { rebuilt: update.rebuilt - prebaked, prebaked, ..update })
    }

    /// Shows what was changed about links.
    fn show(&mut self) {
        self.parts.show(self.mesh.show());
    }

    /// The memory that the world takes, by what it is for.
    #[must_use]
    pub fn memory(&self) -> WorldMemory {
        let built: usize = self.parts.all().map(|built| built.bytes()).sum();
        WorldMemory {
            voxels: self.ground.kept.values().map(KeptTile::bytes).sum(),
            fields: self.parts.all().map(|built| built.field_bytes()).sum(),
            polygons: built + self.facings.bytes(),
            mesh: self.mesh.table_bytes(),
        }
    }
}

/// The memory that a [`World`] takes, in bytes, without what the allocator adds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorldMemory {
    /// Solid voxels, packed, and triangles where jumps are looked for.
    pub voxels: usize,
    /// Walkable fields with their regions, packed.
    pub fields: usize,
    /// Polygons of tiles, and what is beyond their borders.
    pub polygons: usize,
    /// The tables of the mesh: those that queries see, and those that are changed next.
    pub mesh: usize,
}

impl WorldMemory {
    /// All of it.
    #[must_use]
    pub fn all(&self) -> usize {
        self.voxels + self.fields + self.polygons + self.mesh
    }
}
