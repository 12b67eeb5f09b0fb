//! Worlds that change. Only the tiles in which something was added or removed are built again,
//! while queries use the previous mesh.

mod build;
mod heights;
mod join;
mod links;
mod parts;
#[cfg(feature = "floorplan")]
mod plan;
mod polygons;
mod stream;
mod tile_file;
mod worker;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use waymesh_core::stage::StageError;
use waymesh_core::{
    Bounds, GridFrame, GridWindow, Heightfield, Observer, PolyMesh, TriangleSource, TriangleVisitor, Validate,
};
use waymesh_graph::NavMesh;
use waymesh_tile::{BinsConfig, MemoryGate, Tile, TileLayout, TileStore, TriangleBins, build_tiles};
use waymesh_voxel::{Mark, Obstacle};

use crate::bake::{BakeError, Baker, ConfigError, FrontEnd, Refused, StageSet, jumps, mesh};
use crate::front::Voxels;
use crate::front::tiles::{field_builder, halo_cells};
use build::{BuiltTile, KeptTile, gather};
use heights::Patch;
use join::Facings;
use links::WorldLinks;
use parts::{Obstacles, Parts, world_methods};
use tile_file::Prebaked;

pub use parts::{MarkId, MeshHandle, ObstacleId, WorldUpdate};
#[cfg(feature = "floorplan")]
pub use plan::PlanWorld;
pub use worker::{Reply, WorkerConfig, WorldWorker};

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
/// - A link has one id for as long as it is found, whatever else changes. Links that were added
///   ([`World::add_link`]) and those that were closed ([`World::set_link_open`]) stay so over all
///   updates.
///
/// # Cost
/// An update costs its tiles, and one pass over all polygons of the world to copy them into one
/// mesh. Kept per tile: its solid voxels and its field, packed, its polygons and its ground. The
/// default decomposition takes longer than [`crate::DecompositionKind::Greedy`], which suits tiles
/// that change often. With [`crate::BakeConfig::jumps`] the triangles are kept as well, and an
/// update looks along all borders of the world for jumps again.
///
/// # Differences from [`Baker::bake`]
/// Polygons end at the borders of tiles. On these borders there is a vertex at least every 16
/// cells.
///
/// ```
/// use waymesh::{Baker, World};
/// use waymesh::voxel::{MarkShape, Obstacle};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let soup = waymesh_scenes::Scene::DungeonRooms.build(&waymesh_scenes::SceneConfig::default());
/// let mut world = World::new(Baker::voxels(), &soup.bounds(), 48)?;
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
    stages: StageSet,
    frame: GridFrame,
    layout: TileLayout,
    kept: BTreeMap<Tile, KeptTile>,
    parts: Parts<Tile, Arc<BuiltTile>>,
    patches: BTreeMap<Tile, Arc<Patch>>,
    facings: Facings,
    obstacles: Obstacles<(Obstacle, GridWindow)>,
    links: WorldLinks,
    marks: Obstacles<(Mark, GridWindow)>,
    /// The folder that it was opened from.
    folder: Option<TileStore>,
}

const BY_TILES: &str = "a world builds it tile by tile";

/// What a bake of voxels has and a world does not.
const REFUSED: Refused = &[
    ("min_region", "a piece of ground may go on in the next tile; none is too small"),
    ("keep", "a world keeps the ground of all its tiles"),
    ("height_detail", "tiles are joined by the heights of their ground"),
    ("enclosed", "a world changes tile by tile; bake all of it at once"),
    ("with_voxelize", BY_TILES),
    ("with_rough_device", "its voxels are fine ones; use `with_raster_device`"),
    ("with_depth_device", "it has no depth maps; use `with_raster_device`"),
    ("with_build_field", BY_TILES),
    ("with_fit_heights", BY_TILES),
];

world_methods!(World);

impl World {
    /// An empty world.
    ///
    /// `bounds` fixes its grid: what lies beside them in plan is left out, heights are free. A tile
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

    /// An empty world that is cut like this.
    fn on(baker: Baker<Voxels>, layout: TileLayout) -> Result<Self, BakeError> {
        let (stages, frame) = (baker.stages, *layout.frame());
        stages.refuse("a world", &Voxels::defaults(), REFUSED)?;
        let empty = NavMesh::new(PolyMesh::empty(frame), None, stages.config().agent)?;
        let parts = Parts::new(empty);
        Ok(Self {
            stages,
            frame,
            layout,
            kept: BTreeMap::new(),
            links: WorldLinks::new(parts.handle()),
            parts,
            patches: BTreeMap::new(),
            facings: Facings::default(),
            obstacles: Obstacles::new(),
            marks: Obstacles::new(),
            folder: None,
        })
    }

    /// How the world is cut.
    #[must_use]
    pub fn layout(&self) -> &TileLayout {
        &self.layout
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
            KeptTile::rasterize(&self.stages, &self.frame, self.layout.core(tile), &bins.soup(tile)?)
        };
        let kept = self.stages.in_pool(|| build_tiles(&tiles, &gate, |_| 0, work, observer))??;
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
    /// See [`World::add_triangles`]; [`BakeError::NoSuchTile`] if the world has no such tile.
    pub fn set_tile(&mut self, tile: Tile, source: &dyn TriangleSource) -> Result<(), BakeError> {
        self.check_tile(tile)?;
        let bins =
            TriangleBins::sort_for(source, &self.layout, 0, |wanted| wanted == tile, &BinsConfig::default())?;
        let kept = KeptTile::rasterize(&self.stages, &self.frame, self.layout.core(tile), &bins.soup(tile)?)?;
        self.kept.insert(tile, kept);
        self.touch(self.layout.core(tile));
        Ok(())
    }

    /// Takes a tile away. Returns `true` if it was there.
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
        let columns = obstacle.columns(&self.frame).map_err(StageError::at("obstacle"))?;
        self.touch(columns);
        Ok(self.obstacles.add((obstacle, columns)))
    }

    /// Takes an obstacle away. Returns `true` if it was there.
    pub fn remove_obstacle(&mut self, id: ObstacleId) -> bool {
        let Some((_, columns)) = self.obstacles.remove(id) else { return false };
        self.touch(columns);
        true
    }

    /// Gives the ground in a shape another area, or cuts it out; the mesh shows it after the next
    /// update. It counts after those of the settings and those added before.
    ///
    /// # Errors
    /// For a shape that cannot be used.
    pub fn add_mark(&mut self, mark: Mark) -> Result<MarkId, BakeError> {
        let columns = Obstacle::solid(mark.shape.clone())
            .columns(&self.frame)
            .map_err(|error| StageError::new("mark", error))?;
        self.touch(columns);
        Ok(MarkId(self.marks.add((mark, columns)).0))
    }

    /// Takes a mark away. Returns `true` if it was there.
    pub fn remove_mark(&mut self, id: MarkId) -> bool {
        let Some((_, columns)) = self.marks.remove(ObstacleId(id.0)) else { return false };
        self.touch(columns);
        true
    }

    /// Marks all tiles whose field may change when these columns do.
    fn touch(&mut self, columns: GridWindow) {
        if columns.is_empty() {
            return;
        }
        let config = self.stages.config();
        let halo = halo_cells(config, &field_builder(config));
        self.parts.touch(self.layout.tiles_over(&columns.grown(halo, &self.frame)));
    }

    /// Builds what changed and puts a new mesh in place of the last.
    ///
    /// # Errors
    /// See [`Baker::bake`]. The mesh and what is to be built stay as they were.
    pub fn update(&mut self, observer: &mut dyn Observer) -> Result<WorldUpdate, BakeError> {
        let Self { stages, frame, layout, kept, patches, facings, obstacles, marks, links, parts, .. } = self;
        let (stages, layout) = (&*stages, &*layout);
        let ground = TileGround { stages, frame, layout, kept, obstacles, marks };
        let mut prebaked = 0;
        let update = parts.update(
            observer,
            |changed, recorder| {
                let gate = MemoryGate::new(u64::MAX);
                let work = |tile: Tile| ground.build(tile);
                stages.in_pool(|| {
                    recorder.stage("tiles", |observer| build_tiles(changed, &gate, |_| 0, work, observer))
                })?
            },
            Arc::ptr_eq,
            |tiles, changed, recorder| {
                let joined = recorder.stage("join", |_| {
                    let polygons = tiles
                        .iter()
                        .map(|(&tile, built)| (tile, (&built.polygons, built.regions())))
                        .collect();
                    Ok::<_, BakeError>(join::join(*frame, &polygons, changed, facings))
                })?;
                stages.check("join", |list| joined.polygons.violations(list))?;
                // A new border changes the tiles beside it, too: their corners on it, and the ground along
                // it.
                let beside: BTreeSet<Tile> = changed
                    .iter()
                    .flat_map(|&tile| layout.tiles_over(&layout.core(tile).grown(1, frame)))
                    .filter(|tile| tiles.contains_key(tile))
                    .collect();
                let known: BTreeMap<Tile, Arc<Patch>> =
                    beside.iter().filter_map(|&tile| Some((tile, ground.patch(tile, tiles)?))).collect();
                let wanted = beside.iter().filter(|tile| !known.contains_key(tile)).copied().collect();
                let fitted = stages.in_pool(|| {
                    recorder.stage("heights", |observer| {
                        heights::fit(stages, &joined, layout, tiles, &wanted, observer)
                    })
                })??;
                patches.retain(|tile, _| tiles.contains_key(tile));
                patches.extend(known.into_iter().chain(fitted));
                let surface = heights::assemble(&joined, patches);
                let climbs = tiles.values().flat_map(|built| built.climbs.iter().copied()).collect();
                let mesh = mesh(stages, joined.polygons, Some(surface), Vec::new(), climbs, recorder)?;
                let mesh = links.put_on(jumps(stages, mesh, Some(&ground), recorder)?)?;
                let came = changed.iter().filter(|tile| tiles.contains_key(tile)).count();
                let is_prebaked = |tile: &&Tile| ground.prebaked_as(**tile, tiles).is_some();
                prebaked = changed.iter().filter(is_prebaked).count();
                Ok((mesh, beside.len() - came))
            },
        )?;
        Ok(WorldUpdate { rebuilt: update.rebuilt - prebaked, prebaked, ..update })
    }
}

/// What tiles are built from.
struct TileGround<'a> {
    stages: &'a StageSet,
    frame: &'a GridFrame,
    layout: &'a TileLayout,
    kept: &'a BTreeMap<Tile, KeptTile>,
    obstacles: &'a Obstacles<(Obstacle, GridWindow)>,
    marks: &'a Obstacles<(Mark, GridWindow)>,
}

impl TileGround<'_> {
    /// The columns that a tile is built of.
    fn window(&self, tile: Tile) -> GridWindow {
        let config = self.stages.config();
        self.layout.core(tile).grown(halo_cells(config, &field_builder(config)), self.frame)
    }

    /// The voxels of a tile and around it.
    fn voxels(&self, tile: Tile, own: &KeptTile) -> Result<Heightfield, BakeError> {
        let window = self.window(tile);
        let around: Vec<(GridWindow, &KeptTile)> = self
            .layout
            .tiles_over(&window)
            .filter_map(|tile| Some((self.layout.core(tile), self.kept.get(&tile)?)))
            .collect();
        gather(self.frame, window, &around, own)
    }

    /// Returns `true` if no obstacle or mark is near a tile.
    fn is_undisturbed(&self, tile: Tile) -> bool {
        let window = self.window(tile);
        let is_apart = |columns: &GridWindow| columns.intersection(&window).is_empty();
        self.obstacles.iter().all(|(_, columns)| is_apart(columns))
            && self.marks.iter().all(|(_, columns)| is_apart(columns))
    }

    /// What was built of a tile before it was read, if building it would give the same now.
    fn prebaked(&self, tile: Tile) -> Option<&Prebaked> {
        let prebaked = self.kept.get(&tile)?.prebaked.as_ref()?;
        let is_as_then = |other: Tile| match self.kept.get(&other) {
            Some(there) => prebaked.had(other).is_some_and(|then| then.voxels == there.digest()),
            None => true,
        };
        let mut others = self.layout.tiles_over(&self.window(tile)).filter(|&other| other != tile);
        (others.all(is_as_then) && self.is_undisturbed(tile)).then_some(prebaked)
    }

    /// The same, if it is what the tile is made of.
    fn prebaked_as(&self, tile: Tile, tiles: &BTreeMap<Tile, &Arc<BuiltTile>>) -> Option<&Prebaked> {
        let prebaked = self.kept.get(&tile)?.prebaked.as_ref()?;
        Arc::ptr_eq(&prebaked.built, tiles.get(&tile)?).then_some(prebaked)
    }

    /// The heights that were read with a tile, if it and those around are as they were then.
    fn patch(&self, tile: Tile, tiles: &BTreeMap<Tile, &Arc<BuiltTile>>) -> Option<Arc<Patch>> {
        let prebaked = self.prebaked_as(tile, tiles)?;
        let is_as_then = |other: Tile| match tiles.get(&other) {
            Some(there) => prebaked.had(other).is_some_and(|then| then.built == there.digest()),
            None => true,
        };
        let mut others = self.layout.tiles_over(&self.layout.core(tile).grown(1, self.frame));
        others.all(|other| other == tile || is_as_then(other)).then(|| prebaked.patch.clone())?
    }

    /// Field and polygons of one tile, from its own voxels and those around it, if it is there.
    fn build(&self, tile: Tile) -> Result<Option<Arc<BuiltTile>>, BakeError> {
        let Some(own) = self.kept.get(&tile) else { return Ok(None) };
        if let Some(prebaked) = self.prebaked(tile) {
            return Ok(Some(prebaked.built.clone()));
        }
        let (core, window) = (self.layout.core(tile), self.window(tile));
        let mut builder = field_builder(self.stages.config());
        let is_near = |columns: &GridWindow| !columns.intersection(&window).is_empty();
        let obstacles: Vec<Obstacle> = self
            .obstacles
            .iter()
            .filter(|(_, columns)| is_near(columns))
            .map(|(obstacle, _)| obstacle.clone())
            .collect();
        let marks = self.marks.iter().filter(|(_, columns)| is_near(columns));
        builder.marks.extend(marks.map(|(mark, _)| mark.clone()));
        let voxels = self.voxels(tile, own)?;
        BuiltTile::build(self.stages, self.frame, core, window, voxels, &obstacles, &builder)
            .map(|built| Some(Arc::new(built)))
    }
}

impl TriangleSource for TileGround<'_> {
    /// Triangles are there where tiles keep them, and the faces of obstacles.
    fn visit(&self, visit: &mut TriangleVisitor<'_>) -> Result<(), StageError> {
        self.kept.values().try_for_each(|tile| tile.triangles.visit(visit))?;
        self.obstacles.iter().try_for_each(|(obstacle, _)| obstacle.triangles().visit(visit))
    }
}
