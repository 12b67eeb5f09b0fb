//! Plans that change. Obstacles come and go, and only the windows that they reach into are built
//! again.

mod join;

use std::collections::BTreeMap;

use waymesh_core::{BadField, CancelToken, Observer, PlanPoint, PolyMesh, Validate, saturating_i32, threads};
use waymesh_floorplan::{
    FloorPlan, Obstacle, PlanBase, PlanError, PlanMark, PlanPart, PlanWindow, Shape, StoreyBase,
};
use waymesh_graph::NavMesh;

use super::links::WorldLinks;
use super::parts::{MarkId, ObstacleId, Obstacles, Parts, WorldUpdate, world_methods};
use crate::bake::{BakeError, Baker, Recorder, StageSet, keep, mesh};
use crate::front::FloorPlans;
use crate::front::plan::{find_links, tell};
use join::join;

/// Most windows of a plan.
const MAX_TILES: f64 = 1e6;

/// A window of a storey, in the order in which they are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct PlanTile {
    pub(super) storey: usize,
    row: i32,
    column: i32,
}

/// A floor plan whose obstacles and marks come and go.
///
/// # Guarantees
/// - An update builds the windows that a changed obstacle reaches into, and no others; the polygons
///   of all other windows do not change, except for corners of 180 degrees on the border to a
///   window that was built.
/// - The same plan and obstacles give the same mesh, in whatever order they came and went.
/// - Queries never wait: they keep the mesh they have.
/// - A link has one id for as long as it is found. Links that were added and doors and links that
///   were closed stay so over all updates ([`PlanWorld::set_door_open`]).
/// - The ground is that of [`Baker::bake`] with the obstacles among the blocked shapes, except for
///   rounding, and for pieces of ground at the border of a window, which are kept however small
///   they are.
///
/// # Cost
/// An update costs its windows, and one pass over all polygons to join them. The border of a window
/// is a border of polygons.
///
/// ```
/// use waymesh::floorplan::{FloorPlan, Shape};
/// use waymesh::{Baker, PlanWorld};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut plan = FloorPlan::default();
/// let hall = vec![[0.0, 0.0], [40.0, 0.0], [40.0, 20.0], [0.0, 20.0]];
/// plan.storey_mut("ground", 0.0).walkable.push(Shape::polygon("hall", hall));
/// let mut world = PlanWorld::new(Baker::plans(), plan, 10.0)?;
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
    stages: StageSet,
    front: FloorPlans,
    plan: FloorPlan,
    base: PlanBase,
    side_cells: i32,
    tiles: BTreeMap<PlanTile, (PlanWindow, StoreyBase)>,
    parts: Parts<PlanTile, PolyMesh>,
    obstacles: Obstacles<(usize, Obstacle)>,
    marks: Obstacles<(usize, PlanMark)>,
    links: WorldLinks,
}

world_methods!(PlanWorld);

impl PlanWorld {
    /// A plan cut into square windows of so many metres a side. The mesh is empty until the first
    /// update.
    ///
    /// # Errors
    /// See [`Baker::bake`]; for a side that is not above 0, or that makes more than a million
    /// windows; for a [`FloorPlans::merge_distance`].
    pub fn new(baker: Baker<FloorPlans>, plan: FloorPlan, tile_side: f64) -> Result<Self, BakeError> {
        baker.check()?;
        let Baker { front, stages } = baker;
        // Which vertices become one would depend on what lies beside a window.
        let (merge, expected) =
            (front.merge_distance, "0 in a plan that changes: only a whole plan can be merged");
        BadField::unless(merge <= 0.0, "merge_distance", merge, expected).map_err(PlanError::from)?;
        let base = front.plan_base(&plan, stages.config())?;
        let frame = *base.frame();
        let side = (tile_side / f64::from(frame.cell_size)).round();
        let tiles = (f64::from(frame.width) / side).ceil() * (f64::from(frame.depth) / side).ceil();
        let is_fine = side >= 16.0 && side <= f64::from(1 << 29) && tiles <= MAX_TILES;
        let expected = "at least 16 cells of the grid, with at most a million windows a storey";
        BadField::unless(is_fine, "tile_side", tile_side, expected).map_err(PlanError::from)?;
        let side_cells = saturating_i32(side);
        let empty = NavMesh::new(PolyMesh::empty(frame), None, stages.config().agent)?;
        let parts = Parts::new(empty);
        let mut world = Self {
            stages,
            front,
            plan,
            base,
            side_cells,
            tiles: BTreeMap::new(),
            links: WorldLinks::new(parts.handle()),
            parts,
            obstacles: Obstacles::new(),
            marks: Obstacles::new(),
        };
        world.cut()?;
        Ok(world)
    }

    /// Cuts every storey into rows, and rows into windows; what holds nothing walkable is left out.
    fn cut(&mut self) -> Result<(), BakeError> {
        let frame = self.base.frame();
        let count =
            |cells: u32| i32::try_from(cells.div_ceil(self.side_cells.unsigned_abs())).unwrap_or(i32::MAX);
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
                        self.parts.touch([tile]);
                    }
                }
            }
        }
        Ok(())
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
        self.touch(storey, &obstacle.reach(&self.base));
        Ok(self.obstacles.add((storey, obstacle)))
    }

    /// Takes an obstacle away. Returns `true` if it was there.
    pub fn remove_obstacle(&mut self, id: ObstacleId) -> bool {
        let Some((storey, obstacle)) = self.obstacles.remove(id) else { return false };
        self.touch(storey, &obstacle.reach(&self.base));
        true
    }

    /// Gives the ground in a shape of a storey the area of the shape, or cuts it out; the mesh
    /// shows it after the next update. It counts after those of the plan and of the settings, and
    /// after those added before.
    ///
    /// # Errors
    /// See [`PlanWorld::add_obstacle`].
    pub fn add_mark(&mut self, storey: &str, shape: &Shape) -> Result<MarkId, BakeError> {
        let storey = self.base.storey_of(&shape.source, storey)?;
        let mark = PlanMark::new(shape, self.base.config())?;
        self.touch(storey, &mark.reach(&self.base));
        Ok(MarkId(self.marks.add((storey, mark)).0))
    }

    /// Takes a mark away. Returns `true` if it was there.
    pub fn remove_mark(&mut self, id: MarkId) -> bool {
        let Some((storey, mark)) = self.marks.remove(ObstacleId(id.0)) else { return false };
        self.touch(storey, &mark.reach(&self.base));
        true
    }

    /// Opens or closes the doors of this name on all storeys, at once, until it is changed again,
    /// over all updates. Takes linear time.
    ///
    /// # Errors
    /// [`PlanError::NoSuchDoor`] for a name that no door of the plan has.
    pub fn set_door_open(&mut self, door: &str, is_open: bool) -> Result<(), BakeError> {
        if self.plan.door_numbers(door).next().is_none() {
            return Err(PlanError::NoSuchDoor { name: door.to_owned() }.into());
        }
        self.links.set_doors_open(self.plan.door_numbers(door), is_open);
        Ok(())
    }

    fn touch(&mut self, storey: usize, reach: &PlanWindow) {
        let touched =
            self.tiles.iter().filter(|(tile, (window, _))| tile.storey == storey && meet(window, reach));
        self.parts.touch(touched.map(|(&tile, _)| tile));
    }

    /// Builds what changed and puts a new mesh in place of the last.
    ///
    /// # Errors
    /// See [`Baker::bake`]. The mesh and what is to be built stay as they were.
    pub fn update(&mut self, observer: &mut dyn Observer) -> Result<WorldUpdate, BakeError> {
        let Self { stages, front, plan, base, tiles, parts, obstacles, marks, links: kept, .. } = self;
        let (stages, base) = (&*stages, &*base);
        let ground = WindowGround { stages, front, base, tiles, obstacles, marks };
        let is_first = parts.is_empty();
        parts.update(
            observer,
            |changed, recorder| {
                if is_first {
                    tell(base.notes(), recorder);
                }
                stages.in_pool(|| {
                    recorder.stage("tiles", |_| {
                        threads::map(changed, |tile| ground.build(tile).map(Some)).into_iter().collect()
                    })
                })?
            },
            |_, _| false,
            |built, _, recorder| {
                let windows = built
                    .iter()
                    .filter_map(|(&tile, &polygons)| Some((tile, (polygons, ground.tiles.get(&tile)?.0))))
                    .collect();
                let joined = recorder.stage("join", |_| Ok::<_, BakeError>(join(*base.frame(), &windows)))?;
                let (mut polygons, storeys) = (joined.polygons, joined.storeys);
                stages.check("join", |list| polygons.violations(list))?;
                let mut links = recorder
                    .stage("links", |observer| find_links(plan, base, &mut polygons, &storeys, observer))?;
                let wanted = &stages.config().keep;
                keep(stages, wanted, 0.0, &mut polygons, None, &mut links, recorder)?;
                Ok((kept.put_on(mesh(stages, polygons, None, links, Vec::new(), recorder)?)?, 0))
            },
        )
    }
}

/// What windows are built from.
struct WindowGround<'a> {
    stages: &'a StageSet,
    front: &'a FloorPlans,
    base: &'a PlanBase,
    tiles: &'a BTreeMap<PlanTile, (PlanWindow, StoreyBase)>,
    obstacles: &'a Obstacles<(usize, Obstacle)>,
    marks: &'a Obstacles<(usize, PlanMark)>,
}

impl WindowGround<'_> {
    /// The polygons of one window.
    fn build(&self, tile: &PlanTile) -> Result<PolyMesh, BakeError> {
        let empty = || PolyMesh::empty(*self.base.frame());
        let Some((window, part)) = self.tiles.get(tile) else { return Ok(empty()) };
        let obstacles: Vec<&Obstacle> = self
            .obstacles
            .iter()
            .filter(|(storey, obstacle)| *storey == tile.storey && meet(window, &obstacle.reach(self.base)))
            .map(|(_, obstacle)| obstacle)
            .collect();
        let marks: Vec<&PlanMark> = self
            .marks
            .iter()
            .filter(|(storey, mark)| *storey == tile.storey && meet(window, &mark.reach(self.base)))
            .map(|(_, mark)| mark)
            .collect();
        let part = PlanPart { base: part, obstacles: &obstacles, marks: &marks };
        let ground = self.base.ground_of([part])?;
        self.stages.check("ground", |list| ground.contours.violations(list))?;
        if ground.contours.regions.is_empty() {
            return Ok(empty());
        }
        let mut token = CancelToken::current();
        let mut recorder = Recorder::new(&mut token);
        let shapes = ground.contours.polygons();
        let refine = self.front.refine(self.stages.config(), f64::from(shapes.frame.cell_size))?;
        let triangulation = self.stages.triangles(&shapes, refine.as_ref(), &mut recorder)?;
        self.stages.polygons(&triangulation, refine.as_ref(), &mut recorder)
    }
}

fn meet(a: &PlanWindow, b: &PlanWindow) -> bool {
    a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.z <= b.max.z && b.min.z <= a.max.z
}
