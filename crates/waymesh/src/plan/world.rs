//! Plans that change: obstacles come and go, and only the windows that they reach into are built
//! again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use rayon::prelude::*;
use waymesh_core::{BadField, Observer, PlanPoint, PolyMesh, Validate};
use waymesh_floorplan::{
    FloorPlan, Obstacle, PlanBase, PlanConfig, PlanError, PlanWindow, Shape, StoreyBase,
};
use waymesh_graph::NavMesh;

use super::join::join;
use super::tell;
use crate::pipeline::{BakeError, Pipeline};
use crate::report::{Recorder, Report};
use crate::world::{MeshHandle, ObstacleId, Obstacles, WorldUpdate};

/// Most windows of a plan.
const MAX_TILES: f64 = 1e6;

/// A window of a storey, in the order in which they are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct PlanTile {
    pub(super) storey: usize,
    row: i32,
    column: i32,
}

/// A floor plan whose obstacles come and go.
///
/// # Guarantees
/// - An update builds the windows that a changed obstacle reaches into, and no others; the polygons
///   of all other windows stay what they are, but for corners of 180 degrees on the border to a
///   window that was built.
/// - The same plan and obstacles give the same mesh, in whatever order they came and went.
/// - Queries are never held up: they keep the mesh they have.
/// - Ground is the same as that of [`Pipeline::bake_plan`] with the obstacles among the blocked
///   shapes, but for rounding, and for pieces of ground at the border of a window: none of those is
///   too small to be kept.
///
/// # Cost
/// An update costs its windows, and one pass over all polygons to join them. The border of a window
/// is a border of polygons.
///
/// ```
/// use waymesh::floorplan::{FloorPlan, PlanConfig, Shape};
/// use waymesh::{Pipeline, PlanWorld};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut plan = FloorPlan::default();
/// let hall = vec![[0.0, 0.0], [40.0, 0.0], [40.0, 20.0], [0.0, 20.0]];
/// plan.storey_mut("ground", 0.0).walkable.push(Shape::polygon("hall", hall));
/// let mut world = PlanWorld::new(Pipeline::plans(), plan, &PlanConfig::default(), 10.0)?;
/// world.update(&mut ())?;
/// let handle = world.handle();
/// let before = handle.mesh();
/// let table = Shape::polygon("table", vec![[4.0, 4.0], [6.0, 4.0], [6.0, 5.0], [4.0, 5.0]]);
/// let obstacle = world.add_obstacle("ground", &table)?;
/// assert_eq!(world.update(&mut ())?.rebuilt, 1);
/// assert!(handle.mesh().area() < before.area());
/// world.remove_obstacle(obstacle);
/// world.update(&mut ())?;
/// assert_eq!(*handle.mesh(), *before);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct PlanWorld {
    pipeline: Pipeline,
    plan: FloorPlan,
    base: PlanBase,
    side_cells: i32,
    tiles: BTreeMap<PlanTile, (PlanWindow, StoreyBase)>,
    built: BTreeMap<PlanTile, PolyMesh>,
    obstacles: Obstacles<(usize, Obstacle)>,
    dirty: BTreeSet<PlanTile>,
    current: MeshHandle,
}

impl PlanWorld {
    /// A plan cut into square windows of so many metres a side. The mesh is empty until the first
    /// update. The agent's radius is that of the pipeline.
    ///
    /// # Errors
    /// As [`Pipeline::bake_plan`]; for a side that is not above 0, or that makes more than a
    /// million windows; for a [`PlanConfig::merge_distance`].
    pub fn new(
        pipeline: Pipeline,
        plan: FloorPlan,
        config: &PlanConfig,
        tile_side: f64,
    ) -> Result<Self, BakeError> {
        pipeline.config().validate()?;
        // Which vertices become one would depend on what lies beside a window.
        let (merge, expected) =
            (config.merge_distance, "0 in a plan that changes: only a whole plan can be merged");
        BadField::unless(merge <= 0.0, "merge_distance", merge, expected).map_err(PlanError::from)?;
        let base = PlanBase::new(&plan, &pipeline.plan_config(config))?;
        let frame = *base.frame();
        let side = (tile_side / f64::from(frame.cell_size)).round();
        let tiles = (f64::from(frame.width) / side).ceil() * (f64::from(frame.depth) / side).ceil();
        let is_fine = side >= 16.0 && side <= f64::from(1 << 29) && tiles <= MAX_TILES;
        let expected = "at least 16 polygons of the grid, with at most a million windows a storey";
        BadField::unless(is_fine, "tile_side", tile_side, expected).map_err(PlanError::from)?;
        #[expect(clippy::cast_possible_truncation, reason = "at most 2^29")]
        let side_cells = side as i32;
        let mesh = NavMesh::new(PolyMesh::empty(frame), None, pipeline.config().agent)?;
        let mut world = Self {
            pipeline,
            plan,
            base,
            side_cells,
            tiles: BTreeMap::new(),
            built: BTreeMap::new(),
            obstacles: Obstacles::new(),
            dirty: BTreeSet::new(),
            current: MeshHandle::new(mesh),
        };
        world.cut()?;
        Ok(world)
    }

    /// Cuts every storey into rows, and rows into windows; what holds nothing walkable is left out.
    fn cut(&mut self) -> Result<(), BakeError> {
        let frame = self.base.frame();
        let count = |polygons: u32| {
            i32::try_from(polygons.div_ceil(self.side_cells.unsigned_abs())).unwrap_or(i32::MAX)
        };
        let (columns, rows) = (count(frame.width), count(frame.depth));
        let width = i32::try_from(frame.width).unwrap_or(i32::MAX);
        for storey in 0..self.base.storey_names().len() {
            let whole = self.base.storey(storey)?;
            for row in 0..rows {
                let z = row * self.side_cells;
                let strip =
                    PlanWindow { min: PlanPoint::new(0, z), max: PlanPoint::new(width, z + self.side_cells) };
                let strip = self.base.window(whole, strip);
                for column in (0..columns).take_while(|_| !strip.is_empty()) {
                    let min = PlanPoint::new(column * self.side_cells, z);
                    let max = PlanPoint::new(min.x + self.side_cells, min.z + self.side_cells);
                    let window = PlanWindow { min, max };
                    let part = self.base.window(&strip, window);
                    if !part.is_empty() {
                        let tile = PlanTile { storey, row, column };
                        self.tiles.insert(tile, (window, part));
                        self.dirty.insert(tile);
                    }
                }
            }
        }
        Ok(())
    }

    /// The newest mesh, now and later.
    #[must_use]
    pub fn handle(&self) -> MeshHandle {
        self.current.clone()
    }

    /// Number of windows that hold something walkable.
    #[must_use]
    pub fn tile_count(&self) -> usize {
        self.tiles.len()
    }

    /// Puts an obstacle on a storey; the mesh shows it after the next update.
    ///
    /// # Errors
    /// For a storey that is not there, coordinates that are not finite or too large, and shapes
    /// without area.
    pub fn add_obstacle(&mut self, storey: &str, shape: &Shape) -> Result<ObstacleId, BakeError> {
        let storey = self.base.storey_of(&shape.source, storey)?;
        let obstacle = Obstacle::new(shape, self.base.config())?;
        self.touch(storey, &obstacle);
        Ok(self.obstacles.add((storey, obstacle)))
    }

    /// Takes an obstacle away. Whether it was there.
    pub fn remove_obstacle(&mut self, id: ObstacleId) -> bool {
        let Some((storey, obstacle)) = self.obstacles.remove(id) else { return false };
        self.touch(storey, &obstacle);
        true
    }

    fn touch(&mut self, storey: usize, obstacle: &Obstacle) {
        let reach = obstacle.reach(&self.base);
        let touched =
            self.tiles.iter().filter(|(tile, (window, _))| tile.storey == storey && meet(window, &reach));
        self.dirty.extend(touched.map(|(&tile, _)| tile));
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
        if self.built.is_empty() {
            tell(self.base.notes(), &mut recorder);
        }
        let dirty: Vec<PlanTile> = self.dirty.iter().copied().collect();
        let built: Vec<PolyMesh> = self.pipeline.in_pool(|| {
            recorder.stage("tiles", |_| {
                dirty.par_iter().map(|tile| self.build(tile)).collect::<Result<Vec<_>, BakeError>>()
            })
        })??;
        let build_seconds = start.elapsed().as_secs_f64();

        let start = Instant::now();
        let mut tiles: BTreeMap<PlanTile, (&PolyMesh, PlanWindow)> = BTreeMap::new();
        for (tile, (window, _)) in &self.tiles {
            if let Some(polygons) = self.built.get(tile) {
                tiles.insert(*tile, (polygons, *window));
            }
        }
        for (tile, polygons) in dirty.iter().zip(&built) {
            if let Some((window, _)) = self.tiles.get(tile) {
                tiles.insert(*tile, (polygons, *window));
            }
        }
        let joined = recorder.stage("join", |_| Ok::<_, BakeError>(join(*self.base.frame(), &tiles)))?;
        self.pipeline.check("join", |list| joined.polygons.violations(list))?;
        let polygons = joined.polygons.polygons.len();
        let mut report = Report::default();
        let mesh = self.pipeline.linked(
            &self.plan,
            &self.base,
            joined.polygons,
            &joined.storeys,
            &mut report,
            &mut recorder,
        )?;
        let links = mesh.links().len();
        drop(tiles);
        self.built.extend(dirty.iter().copied().zip(built));
        self.dirty.clear();
        self.current.replace(mesh);
        Ok(WorldUpdate {
            rebuilt: dirty.len(),
            adjusted: 0,
            polygons,
            links,
            build_seconds,
            join_seconds: start.elapsed().as_secs_f64(),
        })
    }

    /// The polygons of one window.
    fn build(&self, tile: &PlanTile) -> Result<PolyMesh, BakeError> {
        let empty = || PolyMesh::empty(*self.base.frame());
        let Some((window, part)) = self.tiles.get(tile) else { return Ok(empty()) };
        let obstacles: Vec<&Obstacle> = self
            .obstacles
            .iter()
            .filter(|(storey, obstacle)| *storey == tile.storey && meet(window, &obstacle.reach(&self.base)))
            .map(|(_, obstacle)| obstacle)
            .collect();
        let ground = self.base.ground_of([(part, &obstacles[..])])?;
        self.pipeline.check("ground", |list| ground.contours.violations(list))?;
        if ground.contours.regions.is_empty() {
            return Ok(empty());
        }
        let mut recorder = ();
        let mut recorder = Recorder::new(&mut recorder);
        let triangulation =
            self.pipeline.plan_triangles(&ground.contours.polygons(), self.base.config(), &mut recorder)?;
        self.pipeline.plan_polygons(&triangulation, self.base.config(), &mut recorder)
    }
}

fn meet(a: &PlanWindow, b: &PlanWindow) -> bool {
    a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.z <= b.max.z && b.min.z <= a.max.z
}
