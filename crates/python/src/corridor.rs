//! Corridors: paths that are kept while their agents and goals move, and the ground changes.

use std::sync::{Mutex, PoisonError};

use glam::Vec3;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};
use waymesh::QueryScratch;
use waymesh::graph::{CorridorChange, CorridorOptions, LinkUse, PathCorridor};

use crate::crowd::{Ground, copy, on_ground};
use crate::errors::OrRaise;
use crate::filter::{Allowed, allowed_of};
use crate::input::{Whole, point, real, real_or_none};
use crate::output::positions;
use crate::path::outcome_name;
use crate::query::{disc_options, path_options, reach_of, unless_fast};
use crate::settings::{Filter, MeshCosts};

#[derive(Debug)]
struct State {
    corridor: PathCorridor<Filter, MeshCosts>,
    ground: Ground,
    allowed: Allowed,
    scratch: QueryScratch,
}

/// Runs with a corridor, its ground of the moment, of whose polygons its filter must be, and the
/// memory of queries.
macro_rules! on_corridor {
    ($state:expr, |$corridor:ident, $ground:ident, $scratch:ident| $run:expr) => {{
        let State { corridor: $corridor, ground, allowed, scratch: $scratch, .. } = $state;
        ground.now(allowed).and_then(|ground| on_ground!(&ground, |$ground| ($run).or_raise()))
    }};
}

impl State {
    fn points(&self) -> &[Vec3] {
        &self.corridor.path().points
    }

    fn replan(&mut self) -> PyResult<&'static str> {
        changed(on_corridor!(self, |corridor, ground, scratch| corridor.replan(ground, scratch)))
    }
}

fn changed(change: PyResult<CorridorChange>) -> PyResult<&'static str> {
    Ok(match change? {
        CorridorChange::Kept => "kept",
        CorridorChange::Repaired { .. } => "repaired",
        CorridorChange::Replanned { .. } => "replanned",
        _ => "nothing",
    })
}

#[doc = doc!("Corridor")]
#[pyclass(frozen, module = "waymesh._waymesh", name = "Corridor")]
#[derive(Debug)]
pub(crate) struct PyCorridor {
    state: Mutex<State>,
    /// Costs of areas and of links, as they were given.
    given_costs: [Option<Py<PyDict>>; 2],
}

impl PyCorridor {
    /// Runs with the corridor, without the interpreter's lock: a call of another thread may hold it.
    fn with<T: Send>(&self, py: Python<'_>, run: impl FnOnce(&mut State) -> T + Send) -> T {
        py.detach(|| run(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

#[pymethods]
impl PyCorridor {
    #[new]
    #[pyo3(signature = (ground, start, goal, *, shortest=false, radius=None, fast=false, allow_partial=true,
        rises=false, reach=None, area_costs=None, link_costs=None, agent_height=None, allowed=None, max_drift=0.1,
        range=10.0))]
    #[expect(clippy::too_many_arguments, reason = "named arguments of Python")]
    fn new(
        py: Python<'_>,
        ground: &Bound<'_, PyAny>,
        start: &Bound<'_, PyAny>,
        goal: &Bound<'_, PyAny>,
        shortest: bool,
        #[pyo3(from_py_with = real_or_none)] radius: Option<f32>,
        fast: bool,
        allow_partial: bool,
        rises: bool,
        reach: Option<&Bound<'_, PyAny>>,
        area_costs: Option<&Bound<'_, PyMapping>>,
        link_costs: Option<&Bound<'_, PyMapping>>,
        #[pyo3(from_py_with = real_or_none)] agent_height: Option<f32>,
        allowed: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = real)] max_drift: f32,
        #[pyo3(from_py_with = real)] range: f32,
    ) -> PyResult<Self> {
        let given = [area_costs, link_costs];
        let given_costs = [copy(area_costs)?, copy(link_costs)?];
        let allowed = allowed_of(allowed)?;
        let ground = Ground::of(py, ground, radius.is_some(), &allowed)?;
        let for_points = rises || agent_height.is_some() || given.iter().any(Option::is_some);
        let disc = radius
            .map(|radius| disc_options(radius, (shortest, fast, allow_partial), reach, for_points))
            .transpose()?;
        if disc.is_none() {
            unless_fast(fast)?;
        }
        let flags = allowed.as_ref().map(|allowed| allowed.flags.clone());
        let mut path = path_options(shortest, allow_partial, false, (rises, None), agent_height, flags)?;
        path.reach = reach_of(reach)?;
        let path = path.with_cost(ground.costs(py, &given_costs)?);
        let mut options = CorridorOptions::default().with_max_drift(max_drift).with_range(range);
        options.disc = disc;
        let corridor = PathCorridor::new(options.with_path(path));
        let (start, goal) = (point("start", start)?, point("goal", goal)?);
        let scratch = QueryScratch::default();
        let mut state = State { corridor, ground, allowed, scratch };
        py.detach(|| {
            on_corridor!(&mut state, |corridor, ground, scratch| corridor.plan(ground, start, goal, scratch))
        })?;
        Ok(Self { state: Mutex::new(state), given_costs })
    }

    #[doc = doc!("Corridor.move_start")]
    fn move_start(&self, py: Python<'_>, position: &Bound<'_, PyAny>) -> PyResult<&'static str> {
        let to = point("position", position)?;
        self.with(py, |state| {
            changed(on_corridor!(state, |corridor, ground, scratch| corridor.move_start(ground, to, scratch)))
        })
    }

    #[doc = doc!("Corridor.move_goal")]
    fn move_goal(&self, py: Python<'_>, position: &Bound<'_, PyAny>) -> PyResult<&'static str> {
        let to = point("position", position)?;
        self.with(py, |state| {
            changed(on_corridor!(state, |corridor, ground, scratch| corridor.move_goal(ground, to, scratch)))
        })
    }

    #[doc = doc!("Corridor.take_link")]
    fn take_link(&self, py: Python<'_>) -> PyResult<Option<(u64, bool)>> {
        let taken = self.with(py, |state| {
            on_corridor!(state, |corridor, ground, scratch| corridor.take_link(ground, scratch))
        });
        Ok(taken?.map(|taken| (taken.link.0, taken.backwards)))
    }

    #[doc = doc!("Corridor.replan")]
    fn replan(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.with(py, State::replan)
    }

    #[doc = doc!("Corridor.repair")]
    fn repair(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.with(py, |state| {
            changed(on_corridor!(state, |corridor, ground, scratch| corridor.repair(ground, scratch)))
        })
    }

    #[doc = doc!("Corridor.walk_on")]
    #[pyo3(signature = (ground, *, allowed=None))]
    fn walk_on(
        &self,
        py: Python<'_>,
        ground: &Bound<'_, PyAny>,
        allowed: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<&'static str> {
        let (is_for_disc, before) =
            self.with(py, |state| (state.corridor.options().disc.is_some(), state.allowed.clone()));
        let allowed = allowed_of(allowed)?.or(before);
        let ground = Ground::of(py, ground, is_for_disc, &allowed)?;
        let costs = ground.costs(py, &self.given_costs)?;
        self.with(py, |state| {
            let flags = allowed.as_ref().map(|allowed| allowed.flags.clone());
            (state.ground, state.allowed) = (ground, allowed);
            let path = &state.corridor.options().path;
            let height = path.filter.as_ref().and_then(|filter| filter.0);
            let filter = (height.is_some() || flags.is_some()).then_some((height, flags));
            if path.filter != filter || !is_for_disc && path.cost != costs {
                state.corridor.set_path(path.clone().with_cost(costs).with_filter(filter));
                return state.replan();
            }
            changed(on_corridor!(state, |corridor, ground, scratch| corridor.repair(ground, scratch)))
        })
    }

    #[doc = doc!("Corridor.is_outdated")]
    #[getter]
    fn is_outdated(&self, py: Python<'_>) -> bool {
        self.with(py, |State { corridor, ground, allowed, .. }| {
            // The ground of a filter for other polygons has changed.
            let Ok(ground) = ground.now(allowed) else { return true };
            on_ground!(&ground, |ground| corridor.is_outdated(ground))
        })
    }

    #[doc = doc!("Corridor.position")]
    #[getter]
    fn position<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        let at = self.with(py, |state| state.points().first().copied().unwrap_or(Vec3::NAN));
        PyArray1::from_slice(py, &at.to_array())
    }

    #[doc = doc!("Corridor.points")]
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        positions(py, &self.with(py, |state| state.points().to_vec()))
    }

    #[doc = doc!("Corridor.corners")]
    fn corners<'py>(&self, py: Python<'py>, count: Whole<usize>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let count = count.named("count")?;
        let next = |state: &mut State| state.points().iter().skip(1).take(count).copied().collect();
        let next: Vec<Vec3> = self.with(py, next);
        positions(py, &next)
    }

    #[doc = doc!("Corridor.links")]
    #[getter]
    fn links(&self, py: Python<'_>) -> Vec<(u64, bool, usize)> {
        let link = |link: &LinkUse| (link.link.0, link.backwards, link.point);
        self.with(py, |state| state.corridor.path().links.iter().map(link).collect())
    }

    #[doc = doc!("Corridor.outcome")]
    #[getter]
    fn outcome(&self, py: Python<'_>) -> &'static str {
        self.with(py, |state| outcome_name(state.corridor.path().outcome))
    }

    #[doc = doc!("Corridor.length")]
    #[getter]
    fn length(&self, py: Python<'_>) -> f32 {
        self.with(py, |state| match state.points() {
            [] => f32::INFINITY,
            points => points.windows(2).map(|ends| ends[0].distance(ends[1])).sum(),
        })
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<waymesh.Corridor: {}, {:.3} m>", self.outcome(py), self.length(py))
    }
}
