//! Plans that change. Obstacles come and go, and only the windows that they reach into are built
//! again.

mod join;
mod kept;
mod links;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use waymesh_core::{
    BadField, CancelToken, Observer, PlanPoint, PolyMesh, Validate, saturating_u32, threads, to_u32,
};
use waymesh_floorplan::{
    FloorPlan, Obstacle, PlanBase, PlanError, PlanMark, PlanPart, PlanWindow, Shape, StoreyBase,
};
use waymesh_graph::{Changed, NavMesh, TileGrid, TileKey, TiledMesh, VertexOrder};

use super::links::WorldLinks;
use super::parts::{MarkId, ObstacleId, Parts, Placed, Present, Update, WorldUpdate, changes, world_methods};
use crate::bake::{BakeError, Baker, Recorder, StageSet, warn_of_mark, warn_of_marks};
use crate::front::FloorPlans;
use crate::front::plan::report_notes;
use join::{BuiltWindow, mesh_tile};
use links::{DoorEdge, PlanLinks, tiles_over};

/// Most windows of a plan.
const MAX_TILES: f64 = 1e6;

/// A floor plan whose obstacles and marks come and go.
///
/// # Guarantees
/// - An update builds the windows that a changed obstacle reaches into, and no others; the polygons
///   of all other windows do not change, except for corners of 180 degrees on the border to a
///   window that was built.
/// - The same plan and obstacles give the same mesh, in whatever order they came and went.
/// - A polygon keeps its id as long as its window stays as it is: see [`crate::World`].
/// - Queries never wait: they keep the mesh they have.
/// - A link has one id for as long as it is found. Links that were added and doors and links that
///   were closed stay so over all updates ([`PlanWorld::set_door_open`]).
/// - The ground is that of [`Baker::bake`] with the obstacles among the blocked shapes, except for
///   rounding, for pieces of ground at the border of a window, which are kept however small they
///   are, and in doors: an obstacle blocks a door, which is cut through blocked shapes of the plan.
///
/// # Cost
/// An update costs its windows and those around them, however large the plan is; with
/// [`crate::BakeConfig::keep`] other than all it takes time in all polygons. The border of a window
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
    ground: WindowGround,
    plan: FloorPlan,
    grid: TileGrid,
    parts: Parts<TileKey, BuiltWindow>,
    mesh: TiledMesh,
    /// Marks that came since the last update and touch no ground, with their names.
    untouched: Vec<(MarkId, String)>,
    links: WorldLinks,
    found: PlanLinks,
}

world_methods!(PlanWorld);

impl PlanWorld {
    /// Makes a world of a plan, cut into square windows with sides of `tile_side` metres. The mesh is
    /// empty until the first update.
    ///
    /// # Errors
    /// See [`Baker::bake`]; for a side that is not above 0, or that makes more than a million
    /// windows; for a [`FloorPlans::merge_distance`].
    pub fn new(baker: Baker<FloorPlans>, plan: FloorPlan, tile_side: f64) -> Result<Self, BakeError> {
        baker.check()?;
        let Baker { front, stages } = baker;
        // Merging of vertices would depend on neighbours of a window.
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
        let side = saturating_u32(side);
        let grid = TileGrid {
            side,
            columns: frame.width.div_ceil(side).max(1),
            rows: frame.depth.div_ceil(side).max(1),
        };
        let config = stages.config();
        let order = VertexOrder::FirstUse;
        let mesh = TiledMesh::new(frame, config.agent, grid, config.area_table(), order, false)?;
        let found = PlanLinks::new(&plan, &base, &grid);
        let (parts, links) = (Parts::new(mesh.mesh()), WorldLinks::default());
        let (obstacles, marks) = (Placed::default(), Placed::default());
        let ground = WindowGround { stages, front, base, tiles: BTreeMap::new(), obstacles, marks };
        let mut world = Self { ground, plan, grid, parts, mesh, untouched: Vec::new(), links, found };
        world.cut()?;
        Ok(world)
    }

    /// Cuts every storey into rows, and rows into windows; what holds nothing walkable is left out.
    fn cut(&mut self) -> Result<(), BakeError> {
        let WindowGround { base, tiles, .. } = &mut self.ground;
        let TileGrid { side, columns, rows } = self.grid;
        let at = |place: u32| i32::try_from(u64::from(place) * u64::from(side)).unwrap_or(i32::MAX);
        let width = i32::try_from(base.frame().width).unwrap_or(i32::MAX);
        for storey in 0..base.storey_names().len() {
            let whole = base.storey(storey)?;
            for row in 0..rows {
                let (z, end) = (at(row), at(row + 1));
                let strip = PlanWindow { min: PlanPoint::new(0, z), max: PlanPoint::new(width, end) };
                let strip = base.window(whole, strip);
                for column in (0..columns).take_while(|_| !strip.is_empty()) {
                    let min = PlanPoint::new(at(column), z);
                    let window = PlanWindow { min, max: PlanPoint::new(at(column + 1), end) };
                    let part = base.window(&strip, window);
                    if !part.is_empty() {
                        let tile = TileKey { layer: to_u32(storey), row, column };
                        tiles.insert(tile, (window, part));
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
        self.ground.tiles.len()
    }

    /// Puts an obstacle on a storey; the mesh shows it after the next update.
    ///
    /// # Errors
    /// For a storey that is not there, coordinates that are not finite or too large, and shapes
    /// without area.
    pub fn add_obstacle(&mut self, storey: &str, shape: &Shape) -> Result<ObstacleId, BakeError> {
        let base = &self.ground.base;
        let storey = base.storey_of(&shape.source, storey)?;
        let obstacle = Obstacle::new(shape, base.config())?;
        let windows = self.windows_over(storey, &obstacle.reach(base));
        self.parts.touch(windows.iter().copied());
        Ok(ObstacleId(self.ground.obstacles.add(obstacle, windows)))
    }

    /// Takes an obstacle away. Returns `true` if it was there.
    pub fn remove_obstacle(&mut self, id: ObstacleId) -> bool {
        let Some((_, windows)) = self.ground.obstacles.remove(id.0) else { return false };
        self.parts.touch(windows);
        true
    }

    /// Gives the ground in a shape of a storey the area of the shape, or cuts it out; the mesh
    /// shows it after the next update, whose observer is warned of a mark that touches no ground. It
    /// counts after those of the plan and of the settings, and after those added before.
    ///
    /// # Errors
    /// See [`PlanWorld::add_obstacle`].
    pub fn add_mark(&mut self, storey: &str, shape: &Shape) -> Result<MarkId, BakeError> {
        let base = &self.ground.base;
        let storey = base.storey_of(&shape.source, storey)?;
        let mark = PlanMark::new(shape, base.config())?;
        let windows = self.windows_over(storey, &mark.reach(base));
        self.parts.touch(windows.iter().copied());
        let is_untouched = !base.storey(storey)?.meets(&mark);
        let id = MarkId(self.ground.marks.add(mark, windows));
        if is_untouched {
            self.untouched.push((id, shape.source.to_string()));
        }
        Ok(id)
    }

    /// Takes a mark away. Returns `true` if it was there.
    pub fn remove_mark(&mut self, id: MarkId) -> bool {
        let Some((_, windows)) = self.ground.marks.remove(id.0) else { return false };
        self.parts.touch(windows);
        true
    }

    /// Opens or closes the doors of this name on all storeys, at once, until it is changed again,
    /// over all updates.
    ///
    /// # Errors
    /// [`PlanError::NoSuchDoor`] for a name that no door of the plan has.
    pub fn set_door_open(&mut self, door: &str, is_open: bool) -> Result<(), BakeError> {
        if self.plan.door_numbers(door).next().is_none() {
            return Err(PlanError::NoSuchDoor { name: door.to_owned() }.into());
        }
        let doors = self.plan.door_numbers(door);
        self.links.set_doors_open(doors, is_open, &mut self.mesh);
        self.show();
        Ok(())
    }

    /// Shows what was changed about links.
    fn show(&mut self) {
        let shown = self.mesh.show();
        // No ground came or went: what could be kept before can be now.
        if let Ok(kept) = kept::kept(&self.ground.stages, &shown, &self.links, &mut Recorder::new(&mut ())) {
            self.parts.show(kept.map_or(shown, Arc::new));
        }
    }

    /// The windows that something on a storey reaches into.
    fn windows_over(&self, storey: usize, reach: &PlanWindow) -> Vec<TileKey> {
        let corner = |at: PlanPoint| [f64::from(at.x), f64::from(at.z)];
        let windows = tiles_over(&self.grid, storey, [corner(reach.min), corner(reach.max)]);
        windows.filter(|window| self.ground.tiles.contains_key(window)).collect()
    }

    /// Builds what changed and puts a new mesh in place of the last.
    ///
    /// # Errors
    /// See [`Baker::bake`]. The mesh and what is to be built stay as they were.
    pub fn update(&mut self, observer: &mut dyn Observer) -> Result<WorldUpdate, BakeError> {
        let Self { ground, plan, parts, mesh, links, found, .. } = self;
        let is_first = parts.is_empty();
        let update = parts.update(observer, WindowUpdate { ground, plan, mesh, links, found, is_first })?;
        if is_first {
            let WindowGround { stages, front, base, .. } = ground;
            let config = stages.config();
            warn_of_marks(&config.marks, &front.covers(plan, config, base)?, observer);
        }
        for (id, name) in std::mem::take(&mut self.untouched) {
            if ground.marks.get(id.0).is_some() {
                warn_of_mark(name, None, observer);
            }
        }
        Ok(update)
    }
}

/// The input of the windows of a plan.
#[derive(Debug)]
struct WindowGround {
    stages: StageSet,
    front: FloorPlans,
    base: PlanBase,
    tiles: BTreeMap<TileKey, (PlanWindow, StoreyBase)>,
    obstacles: Placed<TileKey, Obstacle>,
    marks: Placed<TileKey, PlanMark>,
}

impl WindowGround {
    /// The polygons of one window.
    fn build(&self, tile: &TileKey) -> Result<Option<Arc<BuiltWindow>>, BakeError> {
        let Some((window, part)) = self.tiles.get(tile) else { return Ok(None) };
        let (polygons, openings) = self.polygons(*tile, part)?;
        Ok(Some(Arc::new(BuiltWindow::new(polygons, openings, window))))
    }

    /// The polygons of one window, and by region the doors in whose openings it lies.
    fn polygons(&self, tile: TileKey, part: &StoreyBase) -> Result<(PolyMesh, Vec<Vec<usize>>), BakeError> {
        let obstacles: Vec<&Obstacle> = self.obstacles.of(tile).collect();
        let marks: Vec<&PlanMark> = self.marks.of(tile).collect();
        let part = PlanPart { base: part, obstacles: &obstacles, marks: &marks };
        let ground = self.base.ground_of([part])?;
        self.stages.check("ground", |list| ground.contours.violations(list))?;
        if ground.contours.regions.is_empty() {
            return Ok((PolyMesh::empty(*self.base.frame()), Vec::new()));
        }
        let mut token = CancelToken::current();
        let mut recorder = Recorder::new(&mut token);
        let shapes = ground.contours.polygons();
        let refine = self.front.refine(self.stages.config(), f64::from(shapes.frame.cell_size))?;
        let triangulation = self.stages.triangles(&shapes, refine.as_ref(), &mut recorder)?;
        let polygons = self.stages.polygons(&triangulation, refine.as_ref(), &mut recorder)?;
        Ok((polygons, ground.doors))
    }
}

/// The data of an update.
struct WindowUpdate<'a> {
    ground: &'a WindowGround,
    plan: &'a FloorPlan,
    mesh: &'a mut TiledMesh,
    links: &'a mut WorldLinks,
    found: &'a mut PlanLinks,
    is_first: bool,
}

impl Update<TileKey, BuiltWindow> for WindowUpdate<'_> {
    fn build(
        &mut self,
        windows: &[TileKey],
        recorder: &mut Recorder<'_>,
    ) -> Result<Vec<Option<Arc<BuiltWindow>>>, BakeError> {
        let ground = self.ground;
        if self.is_first {
            report_notes(ground.base.notes(), recorder);
        }
        ground.stages.in_pool(|| {
            recorder.stage("tiles", |_| {
                threads::map(windows, |window| ground.build(window)).into_iter().collect()
            })
        })?
    }

    /// Writes windows that changed, what is around them, and the links there.
    fn write(
        &mut self,
        windows: &Present<'_, TileKey, BuiltWindow>,
        changed: &[TileKey],
        recorder: &mut Recorder<'_>,
    ) -> Result<usize, BakeError> {
        let known = |window: TileKey| windows.get(window).map(|built| &**built);
        let around = changed.iter().flat_map(|window| window.around().chain([*window]));
        let beside: BTreeSet<TileKey> = around.filter(|&window| known(window).is_some()).collect();
        let mut doors: BTreeMap<TileKey, Vec<DoorEdge>> =
            changed.iter().map(|&window| (window, Vec::new())).collect();
        let base = &self.ground.base;
        let changes = recorder.stage("join", |_| {
            let written = beside.iter().filter_map(|&window| {
                let mut made = mesh_tile(window, &known)?;
                doors.insert(window, PlanLinks::cut(base, window, &mut made, &known));
                Some((window, made))
            });
            Ok::<_, BakeError>(changes(changed.iter().copied(), written))
        })?;
        let mesh = &mut *self.mesh;
        let Changed { lost_links, is_renumbered } = recorder.stage("mesh", |_| mesh.change(changes))?;
        let mut is_all = self.links.begin(&lost_links, is_renumbered, self.mesh)?;
        if is_all || is_renumbered {
            // Doors of all windows, on the polygons that they have now.
            is_all = true;
            for &window in windows.keys() {
                if let Some(mut made) = mesh_tile(window, &known) {
                    doors.insert(window, PlanLinks::cut(base, window, &mut made, &known));
                }
            }
        }
        let written: BTreeSet<TileKey> = doors.keys().copied().collect();
        recorder.stage("links", |observer| {
            let mut notes = Vec::new();
            let is_first = self.is_first;
            let mut found = self.found.doors(base, &doors, is_first, self.mesh, &mut notes);
            found.extend(self.found.elements(
                self.plan,
                base,
                &written,
                is_all || is_first,
                self.mesh,
                &mut notes,
            )?);
            report_notes(&notes, observer);
            self.links.put(found, self.mesh)?;
            self.links.end(is_all, &written, self.mesh)?;
            Ok::<_, BakeError>(())
        })?;
        let came = changed.iter().filter(|&&window| known(window).is_some()).count();
        Ok(beside.len() - came)
    }
    fn mesh(&mut self) -> &mut TiledMesh {
        self.mesh
    }

    fn kept(&mut self, recorder: &mut Recorder<'_>) -> Result<Option<NavMesh>, BakeError> {
        kept::kept(&self.ground.stages, self.mesh.next(), self.links, recorder)
    }
}
