//! Queries.

use std::cell::RefCell;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;

use waymesh::core::BadField;
use waymesh::graph::{
    ClearPathOptions, ClearanceNavMesh, Generation, Location, PolygonFilter, QueryError, TravelCost,
};
use waymesh::triangulate::ClearanceConfig;
use waymesh::{AreaCosts, AreaId, LinkId, NavMesh, PathOptions, PathSearch, PolyId, QueryScratch};

use crate::memory::{buffer, check_size, copy, fill, given, put, slice};
use crate::mesh::{Mesh, Vec3, hand_out};
use crate::settings::unknown;
use crate::status::{Error, Failure, Status, guard};

/// The memory of queries, one per thread. After some queries nothing is allocated any more.
#[derive(Debug, Default)]
pub struct Query {
    scratch: QueryScratch,
    path: waymesh::Path,
    polygons: Vec<PolyId>,
}

/// Largest distance of a position from the mesh.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// Sideways, in plan.
    pub side: f32,
    /// Upwards: the mesh may be this much above the position.
    pub up: f32,
    /// Downwards: the mesh may be this much below the position.
    pub down: f32,
}

impl Reach {
    /// The reach that was given, or the mesh's own.
    fn of(reach: Option<&Self>, mesh: &NavMesh) -> waymesh::Reach {
        reach.map_or_else(
            || mesh.default_reach(),
            |reach| waymesh::Reach::new(reach.side, reach.up, reach.down),
        )
    }
}

/// A place on a mesh. For another mesh, or a changed one, its position is located again.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Number of its polygon.
    pub polygon: u32,
    /// Position on the ground of that polygon.
    pub position: Vec3,
    /// Generation of the mesh that it is on.
    pub generation: u64,
}

impl From<Location> for Place {
    fn from(Location { polygon, position, generation }: Location) -> Self {
        Self { polygon: polygon.0, position: position.into(), generation: generation.0 }
    }
}

impl From<Place> for Location {
    fn from(Place { polygon, position, generation }: Place) -> Self {
        Self { polygon: PolyId(polygon), position: position.into(), generation: Generation(generation) }
    }
}

/// Searches for paths.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// The shortest path through the middles of borders, pulled taut. The fastest search.
    Fast = 0,
    /// The shortest path.
    Shortest = 1,
}

/// Filter of polygons. It is called with the number and the area of each polygon that a search
/// reaches, in the thread of the query, and returns 0 where the path may not lead. It must answer
/// the same for a polygon as long as the query runs, and must not unwind or longjmp.
pub type Allows = Option<extern "C" fn(user: *mut c_void, polygon: u32, area: u8) -> u32>;

/// Cost of a metre in a polygon, called like a wm_allows: finite, 0 or more.
pub type MetreCost = Option<extern "C" fn(user: *mut c_void, polygon: u32, area: u8) -> f32>;

/// Cost of a link for this agent in metres. It is called like a wm_allows, with the number and the
/// kind (a wm_link_kind) of each link that a search reaches, and returns 0 or more; infinity if the
/// agent cannot take the link.
pub type LinkCost = Option<extern "C" fn(user: *mut c_void, link: u64, kind: u32) -> f32>;

/// Settings of queries. Ground that the filter or the costs close is closed for each of them. Start
/// from wm_query_settings_default.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct QuerySettings {
    /// Bytes of this structure.
    pub size: usize,
    /// The search of paths: a wm_search.
    pub search: u32,
    /// 0 to refuse a path that ends before the goal: the call then writes WM_OUTCOME_UNREACHABLE
    /// and no points.
    pub allow_partial: u32,
    /// Not 0 for a point at every border that the path crosses.
    pub cross_points: u32,
    /// Largest distance of positions from the mesh; NULL for the mesh's own.
    pub reach: *const Reach,
    /// Cost of a metre in each area, from area 0 on: 0 or more, infinity to close it; NULL for the
    /// costs that are in the mesh. Areas beyond the array cost what they cost in the mesh.
    pub area_costs: *const f32,
    /// Number of these costs, at most 256.
    pub area_cost_count: usize,
    /// Filter of polygons; NULL for all of them.
    pub allows: Allows,
    /// Cost of a metre, which replaces the costs of areas; NULL for these.
    pub metre_cost: MetreCost,
    /// Lower bound of metre_cost; 0 if there is none. A higher bound makes searches faster; with
    /// one that is too high, the path is not the cheapest. Read only where metre_cost is not NULL.
    pub least_cost: f32,
    /// Cost of taking a link, in addition to its length and its extra cost; NULL for none.
    pub link_cost: LinkCost,
    /// Argument of the functions.
    pub user: *mut c_void,
}

/// The end of a path.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// At the goal.
    Complete = 0,
    /// At the reachable point nearest to the goal.
    Partial = 1,
    /// No path was found.
    Unreachable = 2,
    /// No path was found before the search ended at its limit.
    Undecided = 3,
}

impl From<waymesh::Outcome> for Outcome {
    fn from(outcome: waymesh::Outcome) -> Self {
        match outcome {
            waymesh::Outcome::Complete => Self::Complete,
            waymesh::Outcome::Partial { .. } => Self::Partial,
            waymesh::Outcome::Unreachable => Self::Unreachable,
            waymesh::Outcome::Undecided => Self::Undecided,
        }
    }
}

/// Figures of a path.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathInfo {
    /// Its end.
    pub outcome: Outcome,
    /// Number of points, also of those for which the buffer was too small.
    pub points: usize,
    /// Number of polygons that it passes.
    pub polygons: usize,
    /// Length in metres.
    pub length: f32,
    /// Cost.
    pub cost: f32,
}

/// The end of a ray.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// The place where it hit a wall, or its target.
    pub end: Place,
    /// Share of its length in plan before the wall: from 0 to 1.
    pub fraction: f32,
    /// 1 if it hit a wall, else 0.
    pub hit: u32,
    /// The wall's normal in plan, towards the start; 0 without a hit.
    pub normal: Vec3,
}

/// The wall nearest to a place.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wall {
    /// 1 if a wall is within the radius, else 0.
    pub found: u32,
    /// Distance in plan; without a wall, the radius.
    pub distance: f32,
    /// Its closest point.
    pub point: Vec3,
    /// Its normal in plan, towards the place.
    pub normal: Vec3,
}

/// A mesh for discs of any radius.
#[derive(Debug)]
pub struct Discs {
    pub(crate) mesh: ClearanceNavMesh,
}

/// Makes the memory of queries.
#[unsafe(no_mangle)]
pub extern "C" fn wm_query_new(
    query: Option<&mut MaybeUninit<Option<Box<Query>>>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || hand_out("query", query, Query::default()))
}

/// Ends a handle.
#[unsafe(no_mangle)]
pub extern "C" fn wm_query_free(query: Option<Box<Query>>) {
    drop(query);
}

/// Writes the default settings of queries: the fastest search, partial paths, and the costs of
/// areas that are in the mesh.
#[unsafe(no_mangle)]
pub extern "C" fn wm_query_settings_default(
    settings: Option<&mut MaybeUninit<QuerySettings>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let defaults = QuerySettings {
            size: size_of::<QuerySettings>(),
            search: PathKind::Fast as u32,
            allow_partial: 1,
            cross_points: 0,
            reach: std::ptr::null(),
            area_costs: std::ptr::null(),
            area_cost_count: 0,
            allows: None,
            metre_cost: None,
            least_cost: 0.0,
            link_cost: None,
            user: std::ptr::null_mut(),
        };
        put("settings", settings, defaults)
    })
}

/// Writes the place on the mesh that is nearest to a position. `settings` may be NULL for the
/// default.
///
/// # Safety
/// The arrays in `settings` are as long as they say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wm_nearest(
    mesh: Option<&Mesh>,
    position: Vec3,
    settings: Option<&QuerySettings>,
    place: Option<&mut MaybeUninit<Place>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let mesh = &given("mesh", mesh)?.0;
        // SAFETY: the caller promises it.
        let asked = unsafe { Asked::of(mesh, settings)? };
        let position = glam::Vec3::from(position);
        put("place", place, asked.answer(asked.query(mesh).nearest(position))?.into())
    })
}

/// Finds a path and writes its points. `settings` may be NULL for the default, and so may `points`
/// if `capacity` is 0; `info` is written also if the buffer is too small.
///
/// # Safety
/// There is room for `capacity` points, and the arrays in `settings` are as long as they say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wm_find_path(
    mesh: Option<&Mesh>,
    query: Option<&mut Query>,
    from: Vec3,
    to: Vec3,
    settings: Option<&QuerySettings>,
    points: *mut Vec3,
    capacity: usize,
    info: Option<&mut MaybeUninit<PathInfo>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let (Mesh(mesh, hierarchy), query) = (given("mesh", mesh)?, given("query", query)?);
        let hierarchy = hierarchy.as_deref();
        let info = given("info", info)?;
        // SAFETY: the caller promises it.
        let points = unsafe { buffer("points", points, capacity)? };
        // SAFETY: the caller promises it.
        let asked = unsafe { Asked::of(mesh, settings)? };
        let Query { scratch, path, polygons } = query;
        polygons.clear();
        let (from, to): (glam::Vec3, glam::Vec3) = (from.into(), to.into());
        let found = match hierarchy.filter(|_| asked.is_plain()) {
            Some(hierarchy) => {
                let query = mesh.query().options(asked.options).memory(scratch);
                query.search(hierarchy).path_into(from, to, path)
            }
            None => asked.query(mesh).memory(scratch).path_into(from, to, path),
        };
        asked.answer(QueryError::accept_no_path(found))?;
        polygons.extend_from_slice(&path.polygons);
        give_path(path.outcome, [path.length, path.cost], &path.points, polygons.len(), points, info)
    })
}

/// The settings of a query as they were given.
struct Asked {
    options: PathOptions,
    calls: Callbacks,
}

impl Asked {
    /// # Safety
    /// The arrays in `settings` are as long as they say.
    unsafe fn of(mesh: &NavMesh, settings: Option<&QuerySettings>) -> Result<Self, Failure> {
        let mut options = PathOptions::default();
        let mut costs = (!mesh.area_table().is_empty()).then(|| AreaCosts::of_mesh(mesh));
        if let Some(settings) = settings {
            // SAFETY: the caller promises it.
            unsafe { settings.read(mesh, &mut options, &mut costs)? };
        }
        let calls = Callbacks::of(settings, costs);
        calls.validate()?;
        Ok(Self { options, calls })
    }

    fn query<'a>(&'a self, mesh: &'a NavMesh) -> waymesh::Query<'a, &'a Callbacks, &'a Callbacks> {
        mesh.query().options(self.options).filter(&self.calls).costs(&self.calls)
    }

    /// `true` for fast paths by length over all polygons.
    fn is_plain(&self) -> bool {
        self.calls.allows_all() && self.calls.is_length() && self.options.search == PathSearch::Fast
    }

    /// Returns what a query found, unless a function of the caller's gave it a cost that is none.
    fn answer<T>(&self, found: Result<T, QueryError>) -> Result<T, Failure> {
        self.calls.bad.take().map_or(Ok(()), |text| Err(Failure::new(Status::BadSetting, text)))?;
        Ok(found?)
    }
}

/// The functions of settings, and the costs of areas, which apply without a function for the
/// cost of a metre.
struct Callbacks {
    allows: Allows,
    metre_cost: MetreCost,
    least: f32,
    link_cost: LinkCost,
    user: *mut c_void,
    areas: Option<AreaCosts>,
    /// Text about the first cost that is out of range.
    bad: RefCell<Option<String>>,
}

impl Callbacks {
    fn of(settings: Option<&QuerySettings>, areas: Option<AreaCosts>) -> Self {
        let bad = RefCell::default();
        match settings {
            Some(&QuerySettings { allows, metre_cost, least_cost: least, link_cost, user, .. }) => {
                Self { allows, metre_cost, least, link_cost, user, areas, bad }
            }
            None => {
                let user = ptr::null_mut();
                Self { allows: None, metre_cost: None, least: 0.0, link_cost: None, user, areas, bad }
            }
        }
    }

    fn validate(&self) -> Result<(), BadField> {
        let fine = self.metre_cost.is_none() || self.least.is_finite() && self.least >= 0.0;
        BadField::unless(fine, "least_cost", self.least, "finite and at least 0")
    }

    /// Returns a cost from a function of the caller's. For one that is out of range, returns
    /// `instead` and notes `what`.
    fn checked(&self, cost: f32, is_fine: bool, instead: f32, what: std::fmt::Arguments<'_>) -> f32 {
        if is_fine {
            return cost;
        }
        self.bad.borrow_mut().get_or_insert_with(|| format!("settings.{what}"));
        instead
    }

    fn area_of(mesh: &NavMesh, polygon: PolyId) -> u8 {
        mesh.polygon(polygon).map_or(0, |polygon| polygon.area_id().0)
    }
}

impl PolygonFilter for Callbacks {
    fn allows(&self, mesh: &NavMesh, polygon: PolyId) -> bool {
        self.allows.is_none_or(|allows| allows(self.user, polygon.0, Self::area_of(mesh, polygon)) != 0)
    }

    fn allows_all(&self) -> bool {
        self.allows.is_none()
    }
}

impl TravelCost for Callbacks {
    fn is_length(&self) -> bool {
        self.areas.is_none() && self.metre_cost.is_none() && self.link_cost.is_none()
    }

    fn per_metre(&self, mesh: &NavMesh, polygon: PolyId) -> f32 {
        let Some(metre_cost) = self.metre_cost else {
            return self.areas.as_ref().map_or(1.0, |areas| areas.per_metre(mesh, polygon));
        };
        let cost = metre_cost(self.user, polygon.0, Self::area_of(mesh, polygon));
        let what = format_args!("metre_cost says {cost} for polygon {polygon}: not finite and at least 0");
        self.checked(cost, cost.is_finite() && cost >= 0.0, 1.0, what)
    }

    fn taking(&self, mesh: &NavMesh, link: LinkId) -> f32 {
        let Some(link_cost) = self.link_cost else { return 0.0 };
        let kind = mesh.link(link).map_or(0, |link| link.kind as u32);
        let cost = link_cost(self.user, link.0, kind);
        let what = format_args!("link_cost says {cost} for link {link}: not at least 0");
        self.checked(cost, cost >= 0.0, 0.0, what)
    }

    fn least(&self) -> f32 {
        match (&self.areas, self.metre_cost) {
            (_, Some(_)) => self.least,
            (Some(areas), None) => areas.least(),
            (None, None) => 1.0,
        }
    }

    fn bad_cost(&self) -> Option<(AreaId, f32)> {
        self.areas.as_ref().filter(|_| self.metre_cost.is_none()).and_then(TravelCost::bad_cost)
    }
}

/// The search of a [`PathKind`].
fn search_of(what: &'static str, kind: u32) -> Result<PathSearch, Failure> {
    match kind {
        kind if kind == PathKind::Fast as u32 => Ok(PathSearch::Fast),
        kind if kind == PathKind::Shortest as u32 => Ok(PathSearch::Shortest),
        kind => Err(unknown(what, kind)),
    }
}

/// Writes the figures of a path, and as many of its points as fit.
fn give_path(
    outcome: waymesh::Outcome,
    [length, cost]: [f32; 2],
    path: &[glam::Vec3],
    polygons: usize,
    points: &mut [MaybeUninit<Vec3>],
    info: &mut MaybeUninit<PathInfo>,
) -> Result<(), Failure> {
    let outcome = outcome.into();
    info.write(PathInfo { outcome, points: path.len(), polygons, length, cost });
    let mut count = MaybeUninit::uninit();
    fill("points", points, Some(&mut count), path.iter().map(|&point| point.into()))
}

impl QuerySettings {
    /// Sets the options that C requests.
    ///
    /// # Safety
    /// The arrays are as long as they say.
    unsafe fn read(
        &self,
        mesh: &NavMesh,
        options: &mut PathOptions,
        costs: &mut Option<AreaCosts>,
    ) -> Result<(), Failure> {
        check_size::<Self>(self.size, "wm_query_settings_default")?;
        options.search = search_of("settings.search", self.search)?;
        options.allow_partial = self.allow_partial != 0;
        options.cross_points = self.cross_points != 0;
        // SAFETY: the caller promises it: null, or one reach.
        let reach = unsafe { slice("settings.reach", self.reach, usize::from(!self.reach.is_null()))? };
        options.reach = reach.first().map(|reach| Reach::of(Some(reach), mesh));
        // SAFETY: the caller promises it.
        let asked = unsafe { slice("settings.area_costs", self.area_costs, self.area_cost_count)? };
        if asked.len() > 256 {
            let text = format!("settings.area_cost_count is {}, but there are 256 areas", asked.len());
            return Err(Failure::new(Status::BadArgument, text));
        }
        if !asked.is_empty() {
            let known = costs.take().unwrap_or_else(|| AreaCosts::of_mesh(mesh));
            *costs = Some(
                (0..=u8::MAX).zip(asked).fold(known, |costs, (area, &cost)| costs.with(AreaId(area), cost)),
            );
        }
        Ok(())
    }
}

/// Writes the polygons that the last path or ray of this query passes, in order: none after one
/// that failed.
///
/// # Safety
/// There is room for `capacity` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wm_query_polygons(
    query: Option<&Query>,
    polygons: *mut u32,
    capacity: usize,
    count: Option<&mut MaybeUninit<usize>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let query = given("query", query)?;
        let items = query.polygons.iter().map(|polygon| polygon.0);
        // SAFETY: the caller promises it.
        unsafe { copy("polygons", polygons, capacity, count, items) }
    })
}

/// Writes the place of a polygon that is closest in plan to a position, on the ground of the
/// polygon.
#[unsafe(no_mangle)]
pub extern "C" fn wm_closest(
    mesh: Option<&Mesh>,
    polygon: u32,
    position: Vec3,
    place: Option<&mut MaybeUninit<Place>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let found = given("mesh", mesh)?.0.closest_on_polygon(PolyId(polygon), position.into())?;
        put("place", place, found.into())
    })
}

/// Casts a ray along the ground from a place to a position and writes its end. `settings` may be
/// NULL for the default.
///
/// # Safety
/// The arrays in `settings` are as long as they say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wm_raycast(
    mesh: Option<&Mesh>,
    query: Option<&mut Query>,
    from: Option<&Place>,
    to: Vec3,
    settings: Option<&QuerySettings>,
    ray: Option<&mut MaybeUninit<Ray>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let (mesh, query, from) = (given("mesh", mesh)?, given("query", query)?, given("from", from)?);
        query.polygons.clear();
        // SAFETY: the caller promises it.
        let asked = unsafe { Asked::of(&mesh.0, settings)? };
        let mut rays = asked.query(&mesh.0).memory(&mut query.scratch);
        let found = asked.answer(rays.ray(Location::from(*from), to.into()))?;
        query.polygons = rays.passed().to_vec();
        let normal = found.hit.map(|hit| hit.normal.into());
        let found = Ray {
            end: found.end(&mesh.0).into(),
            fraction: found.fraction,
            hit: u32::from(normal.is_some()),
            normal: normal.unwrap_or_default(),
        };
        put("ray", ray, found)
    })
}

/// Writes the place that an agent reaches who walks from a place towards a position and slides
/// along walls. `settings` may be NULL for the default.
///
/// # Safety
/// The arrays in `settings` are as long as they say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wm_move_along(
    mesh: Option<&Mesh>,
    query: Option<&mut Query>,
    from: Option<&Place>,
    to: Vec3,
    settings: Option<&QuerySettings>,
    end: Option<&mut MaybeUninit<Place>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let (mesh, query, from) = (given("mesh", mesh)?, given("query", query)?, given("from", from)?);
        // SAFETY: the caller promises it.
        let asked = unsafe { Asked::of(&mesh.0, settings)? };
        let mut walks = asked.query(&mesh.0).memory(&mut query.scratch);
        put("end", end, asked.answer(walks.walk(Location::from(*from), to.into()))?.into())
    })
}

/// Writes the wall nearest to a place, at most `radius` metres away in plan: a border of the mesh,
/// or of ground that is closed. `settings` may be NULL for the default.
///
/// # Safety
/// The arrays in `settings` are as long as they say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wm_nearest_wall(
    mesh: Option<&Mesh>,
    query: Option<&mut Query>,
    from: Option<&Place>,
    radius: f32,
    settings: Option<&QuerySettings>,
    wall: Option<&mut MaybeUninit<Wall>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let (mesh, query, from) = (given("mesh", mesh)?, given("query", query)?, given("from", from)?);
        // SAFETY: the caller promises it.
        let asked = unsafe { Asked::of(&mesh.0, settings)? };
        let mut walls = asked.query(&mesh.0).memory(&mut query.scratch);
        let found = asked.answer(walls.wall(Location::from(*from), radius))?.map_or(
            Wall { found: 0, distance: radius, point: Vec3::default(), normal: Vec3::default() },
            |wall| Wall {
                found: 1,
                distance: wall.distance,
                point: wall.point.into(),
                normal: wall.normal.into(),
            },
        );
        put("wall", wall, found)
    })
}

/// Writes random places, uniform over the area in plan. The same seed gives the same places.
/// `settings` may be NULL for the default. Takes time linear in the polygons, once for a call.
///
/// # Safety
/// There is room for `count` places, and the arrays in `settings` are as long as they say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wm_random_places(
    mesh: Option<&Mesh>,
    seed: u64,
    settings: Option<&QuerySettings>,
    places: *mut Place,
    count: usize,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let mesh = &given("mesh", mesh)?.0;
        // SAFETY: the caller promises it.
        let places = unsafe { buffer("places", places, count)? };
        // SAFETY: the caller promises it.
        let asked = unsafe { Asked::of(mesh, settings)? };
        let sampler = asked.answer(Ok(asked.query(mesh).sampler()))?;
        let mut random = waymesh::core::Random::new(seed);
        for slot in places {
            let found = sampler.sample(mesh, &mut random)?;
            let found = found.ok_or_else(|| {
                Failure::new(Status::NoMeshNear, "the mesh has no polygon, or none that is open")
            })?;
            slot.write(found.into());
        }
        Ok(())
    })
}

/// Prepares a mesh for discs of any radius. Takes about as long as a bake's triangulation.
#[unsafe(no_mangle)]
pub extern "C" fn wm_discs_new(
    mesh: Option<&Mesh>,
    discs: Option<&mut MaybeUninit<Option<Box<Discs>>>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let mesh = NavMesh::clone(&given("mesh", mesh)?.0);
        let mesh = waymesh::with_clearance(mesh, &ClearanceConfig::default())?;
        hand_out("discs", discs, Discs { mesh })
    })
}

/// Ends a handle.
#[unsafe(no_mangle)]
pub extern "C" fn wm_discs_free(discs: Option<Box<Discs>>) {
    drop(discs);
}

/// Finds the path of a disc, whose centre keeps `radius` metres from all walls of the mesh, and
/// writes its points. `search` is a wm_search. Where the fast search finds no path, the shortest is
/// searched for.
///
/// # Safety
/// There is room for `capacity` points.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wm_discs_find_path(
    discs: Option<&Discs>,
    query: Option<&mut Query>,
    from: Vec3,
    to: Vec3,
    radius: f32,
    search: u32,
    points: *mut Vec3,
    capacity: usize,
    info: Option<&mut MaybeUninit<PathInfo>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let (discs, query) = (given("discs", discs)?, given("query", query)?);
        let info = given("info", info)?;
        // SAFETY: the caller promises it.
        let points = unsafe { buffer("points", points, capacity)? };
        let options = ClearPathOptions::new(radius).with_search(search_of("search", search)?);
        let Query { scratch, path, polygons } = query;
        polygons.clear();
        let mut discs = discs.mesh.query(radius).options(options).memory(scratch);
        let [from, to]: [glam::Vec3; 2] = [from, to].map(Into::into);
        QueryError::accept_no_path(discs.path_into(from, to, path))?;
        polygons.clone_from(&path.polygons);
        let polygons = path.polygons.len();
        give_path(path.outcome, [path.length; 2], &path.points, polygons, points, info)
    })
}
