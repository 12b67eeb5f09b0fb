//! Queries: for one point or pair, and for many on all threads.

use std::cell::RefCell;

use glam::{Vec2, Vec3};
use numpy::{Element, PyArray1, PyUntypedArrayMethods as _};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyMapping;
use rayon::prelude::*;
use waymesh::core::{CancelToken, checkpoint};
use waymesh::graph::{ClearPathOptions, FlagFilter, IslandId, Location, PolygonFilter, TravelCost};
use waymesh::{
    Hierarchy, NavMesh, Outcome, Path, PathOptions, PathSearch, PolyId, QueryError, QueryScratch, Reach,
};

use crate::errors::{Kind, OrRaise};
use crate::filter::allowed_of;
use crate::input::{
    OneOrMany, Whole, bounded, finite, goals as goals_of, one_or_many, point, real, real_or_none,
};
use crate::mesh::PyNavMesh;
use crate::output::{positions, rows};
use crate::path::PyPath;
use crate::paths::PyPaths;
use crate::settings::{Filter, MeshCosts, head_room, mesh_costs};
use crate::watch::{Done, PyCancelToken, Signals, Told, brief, detached, detached_told};

/// Reusable memory of a thread for queries.
#[derive(Default)]
pub(crate) struct Memory {
    scratch: QueryScratch,
    path: Path,
    /// Stays `true` after a query that a signal ended, whose memory is incomplete.
    is_used: bool,
}

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// Runs a query with this thread's memory. No Python code runs meanwhile.
#[inline]
fn with_memory<T>(run: impl FnOnce(&mut Memory) -> T) -> T {
    MEMORY.with(|memory| match memory.try_borrow_mut() {
        Ok(mut memory) => {
            if std::mem::replace(&mut memory.is_used, true) {
                *memory = Memory { is_used: true, ..Memory::default() };
            }
            let result = run(&mut memory);
            memory.is_used = false;
            result
        }
        Err(_) => run(&mut Memory::default()),
    })
}

/// Fewer than these are done at once by the thread that asks.
const SEQUENTIAL_QUERIES: usize = 64;

/// Paths of a batch that are found without a report in between.
const PAIRS_AT_ONCE: usize = 1 << 14;

/// Runs a query for each item, on all threads, without the interpreter's lock. A signal ends it.
pub(crate) fn for_each<I: Sync, T: Send>(
    py: Python<'_>,
    items: &[I],
    run: impl Fn(&mut Memory, &I) -> T + Sync + Send,
) -> PyResult<Vec<T>> {
    for_each_told(py, Told::default(), items, run)
}

/// [`for_each`], which reports how many are done, and which a token of the caller's ends as well.
fn for_each_told<I: Sync, T: Send>(
    py: Python<'_>,
    told: Told<'_, '_>,
    items: &[I],
    run: impl Fn(&mut Memory, &I) -> T + Sync + Send,
) -> PyResult<Vec<T>> {
    if items.len() < SEQUENTIAL_QUERIES && told.is_empty() {
        let mut signals = Signals::new(py)?;
        return py.detach(|| {
            let mut one = |item| {
                signals.check()?;
                Ok(with_memory(|memory| run(memory, item)))
            };
            items.iter().map(&mut one).collect()
        });
    }
    detached_told(py, told, items.len(), |done: &Done| {
        let token = CancelToken::current();
        let one = |item| {
            checkpoint();
            done.add(1);
            with_memory(|memory| run(memory, item))
        };
        items.par_iter().with_min_len(16).map_init(|| token.enter(), |_, item| one(item)).collect()
    })
}

/// Polygons of one island.
pub(crate) struct OnIsland(pub(crate) u32);

impl PolygonFilter for OnIsland {
    fn allows(&self, mesh: &NavMesh, polygon: PolyId) -> bool {
        mesh.island_of(polygon) == Some(IslandId(self.0))
    }
}

/// Options of a path search.
pub(crate) type Options = PathOptions<Filter, MeshCosts>;

pub(crate) fn reach_of(reach: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Reach>> {
    let Some(reach) = reach else { return Ok(None) };
    let reach = if let Ok(metres) = real(reach) {
        Reach::new(metres, metres, metres)
    } else if let Ok(Vec3 { x: side, y: up, z: down }) = point("reach", reach) {
        Reach::new(side, up, down)
    } else {
        return Err(Kind::Input.error("reach must be metres, or metres to the side, up and down"));
    };
    reach.validate().map_err(|error| Kind::Query.error(error))?;
    Ok(Some(reach))
}

/// Options of a path: how it is searched for, and its points.
pub(crate) fn path_options(
    shortest: bool,
    allow_partial: bool,
    cross_points: bool,
    (rises, ground_error): (bool, Option<f32>),
    agent_height: Option<f32>,
    allowed: Option<FlagFilter>,
) -> PyResult<PathOptions<Filter>> {
    let height = head_room(agent_height)?;
    let search = if shortest { PathSearch::Shortest } else { PathSearch::Fast };
    let is_filtered = height.is_some() || allowed.is_some();
    let mut options = PathOptions::default()
        .with_filter(is_filtered.then_some((height, allowed)))
        .with_search(search)
        .with_allow_partial(allow_partial)
        .with_cross_points(cross_points)
        .with_rises(rises);
    options.ground_error = ground_error;
    Ok(options)
}

/// Options of the path of a disc.
pub(crate) fn disc_options(
    radius: f32,
    (shortest, fast, allow_partial): (bool, bool, bool),
    reach: Option<&Bound<'_, PyAny>>,
    for_points: bool,
) -> PyResult<ClearPathOptions> {
    unless_fast(fast && shortest)?;
    if for_points {
        let refused = "area_costs, link_costs, agent_height, cross_points, rises and ground_error cannot be \
                       used with a radius; allowed can: mesh.filter(agent_height=..., area_costs=...)";
        return Err(Kind::Query.error(refused));
    }
    let search = if fast { PathSearch::Fast } else { PathSearch::Shortest };
    let mut options = ClearPathOptions::new(radius).with_search(search).with_allow_partial(allow_partial);
    options.reach = reach_of(reach)?;
    options.validate().map_err(|error| Kind::Query.error(error))?;
    Ok(options)
}

/// Refuses the fast search of discs.
pub(crate) fn unless_fast(fast: bool) -> PyResult<()> {
    let refused = "fast needs a radius, and cannot be used with shortest";
    if fast { Err(Kind::Query.error(refused)) } else { Ok(()) }
}

impl PyNavMesh {
    /// Returns the requested reach, or that of the mesh.
    fn reach(&self, reach: Option<&Bound<'_, PyAny>>) -> PyResult<Reach> {
        Ok(reach_of(reach)?.unwrap_or_else(|| self.mesh.default_reach()))
    }

    fn options(
        &self,
        mut options: PathOptions<Filter>,
        reach: Option<&Bound<'_, PyAny>>,
        costs: [Option<&Bound<'_, PyMapping>>; 2],
    ) -> PyResult<Options> {
        options.reach = reach_of(reach)?;
        Ok(options.with_cost(mesh_costs(&self.mesh, costs)?))
    }

    fn find(&self, from: Vec3, to: Vec3, options: &Options, memory: &mut Memory) -> Result<(), QueryError> {
        let Memory { scratch, path, .. } = memory;
        let query = self.mesh.query().options(options.clone()).memory(scratch);
        QueryError::accept_no_path(match self.hierarchy_for(options) {
            Some(hierarchy) => query.search(hierarchy).path_into(from, to, path),
            None => { query }.path_into(from, to, path),
        })
    }

    /// The hierarchy of the mesh, if it has one and the fast search over all polygons is requested.
    fn hierarchy_for(&self, options: &Options) -> Option<&Hierarchy<Filter, MeshCosts>> {
        let is_for_all = options.search == PathSearch::Fast && options.filter.is_none();
        self.hierarchy.as_deref().filter(|_| is_for_all)
    }

    /// The length of a path, infinite where there is none or an end is off the mesh.
    fn length(&self, from: Vec3, to: Vec3, options: &Options, memory: &mut Memory) -> f32 {
        match self.find(from, to, options, memory) {
            Ok(()) if memory.path.outcome == Outcome::Complete => memory.path.length,
            _ => f32::INFINITY,
        }
    }

    fn clear_path(
        &self,
        py: Python<'_>,
        [from, to]: [Vec3; 2],
        options: &ClearPathOptions,
        allowed: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Path> {
        let mesh = self.clear_ground(py, &allowed_of(allowed)?)?;
        let find = |memory: &mut Memory| {
            let mut query = mesh.query(options.radius).options(*options).memory(&mut memory.scratch);
            QueryError::accept_no_path(query.path(from, to))
        };
        brief(py, || with_memory(find))?.or_raise()
    }

    /// The place nearest to a position. NaN is the position of no place, and is near none.
    fn locate(&self, at: Vec3, reach: &Reach, allowed: &Option<FlagFilter>) -> Option<Location> {
        match allowed {
            _ if at.is_nan() => None,
            None => self.mesh.nearest(at, reach),
            Some(allowed) => self.mesh.nearest_with(at, reach, allowed),
        }
    }

    /// The place nearest to a position, on the ground that lies towards another.
    fn locate_towards(
        &self,
        at: Vec3,
        to: Vec3,
        reach: &Reach,
        allowed: &Option<FlagFilter>,
    ) -> Option<Location> {
        if at.is_nan() { None } else { self.mesh.nearest_towards(at, to, reach, allowed) }
    }

    fn snapped(
        &self,
        at: Vec3,
        reach: &Reach,
        island: Option<u32>,
        allowed: &Option<FlagFilter>,
    ) -> Option<Location> {
        match island {
            Some(island) if !at.is_nan() => self.mesh.nearest_with(at, reach, &(OnIsland(island), allowed)),
            _ => self.locate(at, reach, allowed),
        }
    }

    /// Answers for one point or many. `one` turns an answer to Python, `many` all.
    fn answer<'py, T: Send + Element + Copy>(
        py: Python<'py>,
        asked: &Bound<'py, PyAny>,
        run: impl Fn(Vec3) -> T + Sync + Send,
        one: impl FnOnce(T) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match one_or_many("points", asked)? {
            OneOrMany::One(at) => one(run(bounded("points", &[at])?[0])),
            OneOrMany::Many(points) => {
                let points = bounded("points", points.as_slice()?)?;
                let found = for_each(py, points, |_, &at| run(at))?;
                Ok(PyArray1::from_vec(py, found).into_any())
            }
        }
    }

    /// A number of the place nearest to each point, -1 where there is none.
    fn number_at<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        [reach, allowed]: [Option<&Bound<'py, PyAny>>; 2],
        number: impl Fn(Location) -> Option<u32> + Sync + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (reach, allowed) = (self.reach(reach)?, self.allowed(allowed)?);
        let run = |at: Vec3| self.locate(at, &reach, &allowed).and_then(&number).map_or(-1, i64::from);
        Self::answer(py, points, run, |found| found.into_bound_py_any(py))
    }
}

/// A position as an array of shape (3,).
fn position<'py>(py: Python<'py>, at: Vec3) -> Bound<'py, PyAny> {
    PyArray1::from_slice(py, &at.to_array()).into_any()
}

/// Pairs of two lists of points of one length, or of one point and a list.
fn pairs(starts: &Bound<'_, PyAny>, ends: &Bound<'_, PyAny>) -> PyResult<Vec<[Vec3; 2]>> {
    let (starts, ends) = (one_or_many("starts", starts)?, one_or_many("ends", ends)?);
    match (&starts, &ends) {
        (OneOrMany::One(start), OneOrMany::One(end)) => {
            Ok(vec![[bounded("starts", &[*start])?[0], bounded("ends", &[*end])?[0]]])
        }
        (OneOrMany::One(start), OneOrMany::Many(ends)) => {
            let start = bounded("starts", &[*start])?[0];
            Ok(bounded("ends", ends.as_slice()?)?.iter().map(|&end| [start, end]).collect())
        }
        (OneOrMany::Many(starts), OneOrMany::One(end)) => {
            let end = bounded("ends", &[*end])?[0];
            Ok(bounded("starts", starts.as_slice()?)?.iter().map(|&start| [start, end]).collect())
        }
        (OneOrMany::Many(starts), OneOrMany::Many(ends)) => {
            let (starts, ends) = (bounded("starts", starts.as_slice()?)?, bounded("ends", ends.as_slice()?)?);
            if starts.len() != ends.len() {
                return Err(Kind::Input.error(format!("{} starts and {} ends", starts.len(), ends.len())));
            }
            Ok(starts.iter().zip(ends).map(|(&start, &end)| [start, end]).collect())
        }
    }
}

/// `true` if both are one point, not a list of one.
fn is_single(starts: &Bound<'_, PyAny>, ends: &Bound<'_, PyAny>) -> bool {
    let is_one = |asked: &Bound<'_, PyAny>| {
        if let Ok(array) = asked.cast::<numpy::PyUntypedArray>() {
            return array.ndim() == 1 && !array.is_empty();
        }
        asked.len().is_ok_and(|len| len == 3)
            && asked.get_item(0).is_ok_and(|first| first.extract::<f64>().is_ok())
    };
    is_one(starts) && is_one(ends)
}

/// The pair, if both are one point.
fn single_pair(starts: &Bound<'_, PyAny>, ends: &Bound<'_, PyAny>) -> PyResult<Option<[Vec3; 2]>> {
    if !is_single(starts, ends) {
        return Ok(None);
    }
    let pair = [point("starts", starts)?, point("ends", ends)?];
    bounded("starts and ends", &pair)?;
    Ok(Some(pair))
}

#[pymethods]
impl PyNavMesh {
    #[pyo3(signature = (start, end, *, shortest=false, radius=None, fast=false, allow_partial=true,
        cross_points=false, rises=false, ground_error=None, reach=None, area_costs=None, link_costs=None,
        agent_height=None, allowed=None))]
    #[doc = doc!("NavMesh.find_path")]
    #[expect(clippy::too_many_arguments, reason = "named arguments of Python")]
    fn find_path(
        &self,
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
        shortest: bool,
        #[pyo3(from_py_with = real_or_none)] radius: Option<f32>,
        fast: bool,
        allow_partial: bool,
        cross_points: bool,
        rises: bool,
        #[pyo3(from_py_with = real_or_none)] ground_error: Option<f32>,
        reach: Option<&Bound<'_, PyAny>>,
        area_costs: Option<&Bound<'_, PyMapping>>,
        link_costs: Option<&Bound<'_, PyMapping>>,
        #[pyo3(from_py_with = real_or_none)] agent_height: Option<f32>,
        allowed: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyPath> {
        let (from, to) = (point("start", start)?, point("end", end)?);
        if let Some(radius) = radius {
            let has_costs = area_costs.or(link_costs).is_some();
            let for_points = has_costs || cross_points || rises || ground_error.or(agent_height).is_some();
            let options = disc_options(radius, (shortest, fast, allow_partial), reach, for_points)?;
            return Ok(PyPath { path: self.clear_path(py, [from, to], &options, allowed)? });
        }
        unless_fast(fast)?;
        let allowed = self.allowed(allowed)?;
        let options = path_options(
            shortest,
            allow_partial,
            cross_points,
            (rises, ground_error),
            agent_height,
            allowed,
        )?;
        let options = self.options(options, reach, [area_costs, link_costs])?;
        let find = |memory: &mut Memory| {
            self.find(from, to, &options, memory).map(|()| std::mem::take(&mut memory.path))
        };
        let path = brief(py, || with_memory(find))?.or_raise()?;
        Ok(PyPath { path })
    }

    #[pyo3(signature = (starts, ends, *, shortest=false, radius=None, fast=false, allow_partial=true,
        cross_points=false, rises=false, ground_error=None, reach=None, area_costs=None, link_costs=None,
        agent_height=None, allowed=None, progress=None, cancel=None))]
    #[doc = doc!("NavMesh.find_paths")]
    #[expect(clippy::too_many_arguments, reason = "named arguments of Python")]
    fn find_paths(
        &self,
        py: Python<'_>,
        starts: &Bound<'_, PyAny>,
        ends: &Bound<'_, PyAny>,
        shortest: bool,
        #[pyo3(from_py_with = real_or_none)] radius: Option<f32>,
        fast: bool,
        allow_partial: bool,
        cross_points: bool,
        rises: bool,
        #[pyo3(from_py_with = real_or_none)] ground_error: Option<f32>,
        reach: Option<&Bound<'_, PyAny>>,
        area_costs: Option<&Bound<'_, PyMapping>>,
        link_costs: Option<&Bound<'_, PyMapping>>,
        #[pyo3(from_py_with = real_or_none)] agent_height: Option<f32>,
        allowed: Option<&Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
        cancel: Option<PyRef<'_, PyCancelToken>>,
    ) -> PyResult<PyPaths> {
        let pairs = pairs(starts, ends)?;
        let told = Told::of("paths", progress, &cancel);
        if let Some(radius) = radius {
            let has_costs = area_costs.or(link_costs).is_some();
            let for_points = has_costs || cross_points || rises || ground_error.or(agent_height).is_some();
            let options = disc_options(radius, (shortest, fast, allow_partial), reach, for_points)?;
            let mesh = self.clear_ground(py, &allowed_of(allowed)?)?;
            let find = |memory: &mut Memory, &[from, to]: &[Vec3; 2]| {
                let mut query = mesh.query(radius).options(options).memory(&mut memory.scratch);
                QueryError::accept_no_path(query.path(from, to)).ok()
            };
            return Ok(PyPaths::new(for_each_told(py, told, &pairs, find)?));
        }
        unless_fast(fast)?;
        let allowed = self.allowed(allowed)?;
        let options = path_options(
            shortest,
            allow_partial,
            cross_points,
            (rises, ground_error),
            agent_height,
            allowed,
        )?;
        let options = self.options(options, reach, [area_costs, link_costs])?;
        let mut paths = Vec::with_capacity(pairs.len());
        with_memory(|memory| {
            let scratch = &mut memory.scratch;
            let find = |done: &Done| {
                let mut part = Vec::new();
                for pairs in pairs.chunks(PAIRS_AT_ONCE) {
                    checkpoint();
                    let query = self.mesh.query().options(options.clone()).memory(scratch);
                    match self.hierarchy_for(&options) {
                        Some(hierarchy) => query.search(hierarchy).paths_into(pairs, &mut part),
                        None => { query }.paths_into(pairs, &mut part),
                    }
                    paths.extend(part.drain(..).map(|path| QueryError::accept_no_path(path).ok()));
                    done.add(pairs.len());
                }
            };
            detached_told(py, told, pairs.len(), find)
        })?;
        Ok(PyPaths::new(paths))
    }

    #[doc = doc!("NavMesh.find_nearest_goal")]
    #[pyo3(signature = (start, goals, *, reach=None, area_costs=None, link_costs=None,
        agent_height=None, allowed=None))]
    #[expect(clippy::too_many_arguments, reason = "named arguments of Python")]
    fn find_nearest_goal(
        &self,
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        goals: &Bound<'_, PyAny>,
        reach: Option<&Bound<'_, PyAny>>,
        area_costs: Option<&Bound<'_, PyMapping>>,
        link_costs: Option<&Bound<'_, PyMapping>>,
        #[pyo3(from_py_with = real_or_none)] agent_height: Option<f32>,
        allowed: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<(usize, PyPath)>> {
        let options = path_options(true, false, false, (false, None), agent_height, self.allowed(allowed)?)?;
        let options = self.options(options, reach, [area_costs, link_costs])?;
        let from = point("start", start)?;
        let from = finite("start", &[from])?[0];
        let goals = goals_of(goals)?;
        let goals = bounded("goals", &goals)?;
        let found = detached(py, || with_memory(|memory| self.nearest_goal(from, goals, &options, memory)))?;
        Ok(found.map(|(goal, path)| (goal, PyPath { path })))
    }

    #[doc = doc!("NavMesh.distance")]
    #[pyo3(signature = (starts, ends, *, shortest=true, reach=None, area_costs=None, link_costs=None,
        agent_height=None, allowed=None, progress=None, cancel=None))]
    #[expect(clippy::too_many_arguments, reason = "named arguments of Python")]
    fn distance<'py>(
        &self,
        py: Python<'py>,
        starts: &Bound<'py, PyAny>,
        ends: &Bound<'py, PyAny>,
        shortest: bool,
        reach: Option<&Bound<'py, PyAny>>,
        area_costs: Option<&Bound<'py, PyMapping>>,
        link_costs: Option<&Bound<'py, PyMapping>>,
        #[pyo3(from_py_with = real_or_none)] agent_height: Option<f32>,
        allowed: Option<&Bound<'py, PyAny>>,
        progress: Option<&Bound<'py, PyAny>>,
        cancel: Option<PyRef<'py, PyCancelToken>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let allowed = self.allowed(allowed)?;
        let told = Told::of("distances", progress, &cancel);
        let options = path_options(shortest, false, false, (false, None), agent_height, allowed)?;
        let options = self.options(options, reach, [area_costs, link_costs])?;
        if let Some([from, to]) = single_pair(starts, ends)? {
            let find = || with_memory(|memory| self.length(from, to, &options, memory));
            let length =
                if told.is_empty() { brief(py, find)? } else { detached_told(py, told, 1, |_| find())? };
            return length.into_bound_py_any(py);
        }
        let pairs = pairs(starts, ends)?;
        let length = |memory: &mut Memory, &[from, to]: &[Vec3; 2]| self.length(from, to, &options, memory);
        let lengths = for_each_told(py, told, &pairs, length)?;
        Ok(PyArray1::from_vec(py, lengths).into_any())
    }

    #[doc = doc!("NavMesh.snap")]
    #[pyo3(signature = (points, *, reach=None, island=None, allowed=None))]
    fn snap<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        reach: Option<&Bound<'py, PyAny>>,
        island: Option<Whole<u32>>,
        allowed: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (reach, allowed) = (self.reach(reach)?, self.allowed(allowed)?);
        let island = island.map(|island| self.island(island)).transpose()?;
        let run =
            |at: Vec3| self.snapped(at, &reach, island, &allowed).map_or(Vec3::NAN, |place| place.position);
        match one_or_many("points", points)? {
            OneOrMany::One(at) => Ok(position(py, run(bounded("points", &[at])?[0]))),
            OneOrMany::Many(points) => {
                let points = bounded("points", points.as_slice()?)?;
                Ok(positions(py, &for_each(py, points, |_, &at| run(at))?)?.into_any())
            }
        }
    }

    #[doc = doc!("NavMesh.is_navigable")]
    #[pyo3(signature = (points, max_height=0.5, *, allowed=None))]
    fn is_navigable<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = real)] max_height: f32,
        allowed: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        /// Positions written as text or in single precision are off by less, in metres.
        const SLACK: f32 = 0.01;
        let reach = Reach::new(SLACK, max_height, max_height);
        reach.validate().map_err(|error| Kind::Query.error(error))?;
        let allowed = self.allowed(allowed)?;
        let run = |at: Vec3| self.locate(at, &reach, &allowed).is_some();
        Self::answer(py, points, run, |found| found.into_bound_py_any(py))
    }

    #[doc = doc!("NavMesh.island_at")]
    #[pyo3(signature = (points, *, reach=None, allowed=None))]
    fn island_at<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        reach: Option<&Bound<'py, PyAny>>,
        allowed: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.number_at(py, points, [reach, allowed], |place| {
            self.mesh.island_of(place.polygon).map(|island| island.0)
        })
    }

    #[doc = doc!("NavMesh.polygon_at")]
    #[pyo3(signature = (points, *, reach=None, allowed=None))]
    fn polygon_at<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        reach: Option<&Bound<'py, PyAny>>,
        allowed: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.number_at(py, points, [reach, allowed], |place| Some(place.polygon.0))
    }

    #[doc = doc!("NavMesh.raycast")]
    #[pyo3(signature = (starts, ends, *, reach=None, allowed=None))]
    fn raycast<'py>(
        &self,
        py: Python<'py>,
        starts: &Bound<'py, PyAny>,
        ends: &Bound<'py, PyAny>,
        reach: Option<&Bound<'py, PyAny>>,
        allowed: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (reach, allowed) = (self.reach(reach)?, self.allowed(allowed)?);
        let cast = |memory: &mut Memory, &[from, to]: &[Vec3; 2]| -> Ray {
            let place = self.locate_towards(from, to, &reach, &allowed)?;
            let query = self.mesh.query().filter(&allowed);
            let ray = { query }.memory(&mut memory.scratch).ray(place, to).ok()?;
            Some((ray.fraction, ray.end(&self.mesh).position, ray.hit.map(|hit| hit.normal)))
        };
        if let Some(pair) = single_pair(starts, ends)? {
            finite("starts and ends", &pair)?;
            let Some((fraction, end, normal)) = with_memory(|memory| cast(memory, &pair)) else {
                let end = waymesh::graph::PathEnd::Start;
                return Err(self.mesh.nothing_near(end, pair[0], reach)).or_raise();
            };
            let (hit, normal) = (normal.is_some(), normal.unwrap_or(Vec3::ZERO));
            return (fraction, position(py, end), hit, position(py, normal)).into_bound_py_any(py);
        }
        let rays = for_each(py, &pairs(starts, ends)?, cast)?;
        let fractions: Vec<f32> = rays.iter().map(|ray| ray.map_or(f32::NAN, |ray| ray.0)).collect();
        let ends: Vec<Vec3> = rays.iter().map(|ray| ray.map_or(Vec3::NAN, |ray| ray.1)).collect();
        let hits: Vec<bool> = rays.iter().map(|ray| ray.is_some_and(|ray| ray.2.is_some())).collect();
        let normals: Vec<Vec3> =
            rays.iter().map(|ray| ray.and_then(|ray| ray.2).unwrap_or(Vec3::ZERO)).collect();
        let (fractions, hits) = (PyArray1::from_vec(py, fractions), PyArray1::from_vec(py, hits));
        (fractions, positions(py, &ends)?, hits, positions(py, &normals)?).into_bound_py_any(py)
    }

    #[doc = doc!("NavMesh.step")]
    #[pyo3(signature = (starts, ends, *, slide=true, reach=None, allowed=None))]
    fn step<'py>(
        &self,
        py: Python<'py>,
        starts: &Bound<'py, PyAny>,
        ends: &Bound<'py, PyAny>,
        slide: bool,
        reach: Option<&Bound<'py, PyAny>>,
        allowed: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (reach, allowed) = (self.reach(reach)?, self.allowed(allowed)?);
        let step = |memory: &mut Memory, &[from, to]: &[Vec3; 2]| -> Vec3 {
            let Some(place) = self.locate_towards(from, to, &reach, &allowed) else { return from };
            let mut query = self.mesh.query().filter(&allowed).memory(&mut memory.scratch);
            let end = if slide {
                query.walk(place, to)
            } else {
                query.ray(place, to).map(|ray| ray.end(&self.mesh))
            };
            end.map_or(from, |end| end.position)
        };
        if let Some(pair) = single_pair(starts, ends)? {
            return Ok(position(py, with_memory(|memory| step(memory, &pair))));
        }
        Ok(positions(py, &for_each(py, &pairs(starts, ends)?, step)?)?.into_any())
    }

    #[doc = doc!("NavMesh.nearest_wall")]
    #[pyo3(signature = (points, radius=2.0, *, reach=None, allowed=None))]
    fn nearest_wall<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = real)] radius: f32,
        reach: Option<&Bound<'py, PyAny>>,
        allowed: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if radius.is_nan() || radius < 0.0 {
            return Err(Kind::Query.error(format!("radius is {radius}, but must be 0 or more")));
        }
        let (reach, allowed) = (self.reach(reach)?, self.allowed(allowed)?);
        let find = |memory: &mut Memory, &at: &Vec3| -> Option<(f32, Vec3, Vec3)> {
            let place = self.locate(at, &reach, &allowed)?;
            let query = self.mesh.query().filter(&allowed);
            let wall = { query }.memory(&mut memory.scratch).wall(place, radius).ok()?;
            Some(
                wall.map_or((radius, Vec3::NAN, Vec3::ZERO), |wall| (wall.distance, wall.point, wall.normal)),
            )
        };
        let off = (f32::NAN, Vec3::NAN, Vec3::ZERO);
        match one_or_many("points", points)? {
            OneOrMany::One(at) => {
                let at = bounded("points", &[at])?[0];
                let (distance, at, normal) = with_memory(|memory| find(memory, &at)).unwrap_or(off);
                (distance, position(py, at), position(py, normal)).into_bound_py_any(py)
            }
            OneOrMany::Many(points) => {
                let points = bounded("points", points.as_slice()?)?;
                let walls = for_each(py, points, |memory, at| find(memory, at).unwrap_or(off))?;
                let distances: Vec<f32> = walls.iter().map(|wall| wall.0).collect();
                let [at, normals] = [
                    walls.iter().map(|wall| wall.1).collect::<Vec<_>>(),
                    walls.iter().map(|wall| wall.2).collect(),
                ];
                (PyArray1::from_vec(py, distances), positions(py, &at)?, positions(py, &normals)?)
                    .into_bound_py_any(py)
            }
        }
    }

    #[doc = doc!("NavMesh.plan_view")]
    #[pyo3(signature = (step, height, reach=0.5))]
    fn plan_view<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = real)] step: f32,
        #[pyo3(from_py_with = real)] height: f32,
        #[pyo3(from_py_with = real)] reach: f32,
    ) -> PyResult<Bound<'py, PyAny>> {
        let view = detached(py, || self.mesh.plan_view(step, height, reach))?;
        let view = view.map_err(|error| Kind::Query.error(error))?;
        let number = |island: &Option<IslandId>| island.map_or(-1, |island| island.0.cast_signed());
        let islands: Vec<i32> = view.islands.iter().map(number).collect();
        if view.width == 0 {
            return Ok(numpy::PyArray2::<i32>::zeros(py, [view.depth, 0], false).into_any());
        }
        Ok(rows(py, &islands, view.width)?.into_any())
    }
}

/// The free part, the end and the normal of the wall of a ray; none from off the mesh.
type Ray = Option<(f32, Vec3, Option<Vec3>)>;

impl PyNavMesh {
    /// Returns the goal with the shortest path, or with the cheapest where the options have costs.
    /// Goals whose straight line costs more than the best path are not searched for.
    ///
    /// Neither search finds the cheapest path everywhere: with costs, the cheaper of both counts.
    fn nearest_goal(
        &self,
        from: Vec3,
        goals: &[Vec3],
        options: &Options,
        memory: &mut Memory,
    ) -> Option<(usize, Path)> {
        let reach = options.reach.unwrap_or_else(|| self.mesh.default_reach());
        // An end is moved to the mesh by that at most.
        let moved = 2.0 * Vec2::new(reach.side, reach.up.max(reach.down)).length();
        let by_costs = options.cost.is_some();
        let least_per_metre = options.cost.least();
        let price = |path: &Path| if by_costs { path.cost } else { path.length };
        let searches =
            if by_costs { &[PathSearch::Shortest, PathSearch::Fast][..] } else { &[PathSearch::Shortest] };
        let searches: Vec<Options> =
            searches.iter().map(|&search| options.clone().with_search(search)).collect();
        let mut order: Vec<usize> = (0..goals.len()).collect();
        order.sort_by(|&a, &b| goals[a].distance(from).total_cmp(&goals[b].distance(from)));
        let mut best: Option<(usize, Path)> = None;
        for goal in order {
            let bound = best.as_ref().map_or(f32::INFINITY, |(_, path)| price(path));
            if (goals[goal].distance(from) - moved) * least_per_metre > bound {
                break;
            }
            for options in &searches {
                checkpoint();
                let found = self.find(from, goals[goal], options, memory);
                let is_complete = found.is_ok() && memory.path.outcome == Outcome::Complete;
                if is_complete && best.as_ref().is_none_or(|(_, best)| price(&memory.path) < price(best)) {
                    best = Some((goal, memory.path.clone()));
                }
            }
        }
        best
    }
}
