//! Corridors: paths that are kept while their agents and goals move, and the ground changes.

use std::sync::{Arc, Mutex, PoisonError};

use glam::Vec3;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};
use waymesh::graph::{
    ClearCorridor, ClearCorridorOptions, ClearanceNavMesh, CorridorChange, CorridorOptions, LinkUse,
    PathCorridor,
};
use waymesh::{MeshSource, Outcome, QueryScratch};

use crate::crowd::{Ground, copy, on_ground};
use crate::errors::OrRaise;
use crate::filter::{Allowed, allowed_of};
use crate::input::point;
use crate::output::positions;
use crate::path::outcome_name;
use crate::query::{disc_options, path_options, reach_of, unless_fast};
use crate::settings::{Filter, MeshCosts};

/// A corridor and its ground.
#[derive(Debug)]
enum Kept {
    Points(Box<PathCorridor<Filter, MeshCosts>>, Ground),
    Discs(Box<ClearCorridor>, Arc<ClearanceNavMesh>),
}

/// Runs with a corridor of either type and the mesh of the moment, of which its filter must be.
macro_rules! on_corridor {
    ($kept:expr, $allowed:expr, |$corridor:ident, $mesh:ident| $run:expr) => {
        match $kept {
            Kept::Points($corridor, ground) => on_ground!(&ground.now($allowed)?, |ground| {
                let mesh = ground.nav_mesh();
                let $mesh = &*mesh;
                $run
            }),
            Kept::Discs($corridor, mesh) => {
                let $mesh = &**mesh;
                $run
            }
        }
    };
}

#[derive(Debug)]
struct State {
    kept: Kept,
    allowed: Allowed,
    /// Positions that were requested last.
    start: Vec3,
    goal: Vec3,
    scratch: QueryScratch,
}

impl State {
    fn points(&self) -> &[Vec3] {
        match &self.kept {
            Kept::Points(corridor, _) => &corridor.path().points,
            Kept::Discs(corridor, _) => corridor.points(),
        }
    }

    fn links(&self) -> &[LinkUse] {
        match &self.kept {
            Kept::Points(corridor, _) => &corridor.path().links,
            Kept::Discs(corridor, _) => corridor.links(),
        }
    }

    fn outcome(&self) -> Outcome {
        match &self.kept {
            Kept::Points(corridor, _) => corridor.path().outcome,
            Kept::Discs(corridor, _) => corridor.outcome(),
        }
    }

    fn plan(&mut self) -> PyResult<&'static str> {
        let Self { kept, allowed, goal, scratch, .. } = self;
        let start = self.start;
        changed(
            on_corridor!(kept, allowed, |corridor, mesh| corridor.plan(mesh, start, *goal, scratch))
                .or_raise(),
        )
    }

    fn repair(&mut self) -> PyResult<&'static str> {
        let Self { kept, allowed, scratch, .. } = self;
        let change = match kept {
            Kept::Points(corridor, ground) => {
                on_ground!(&ground.now(allowed)?, |ground| corridor.repair(&ground.nav_mesh(), scratch))
            }
            Kept::Discs(corridor, mesh) if corridor.is_outdated(mesh) => corridor.replan(mesh, scratch),
            Kept::Discs(corridor, _) if corridor.points().is_empty() => Ok(CorridorChange::Nothing),
            Kept::Discs(..) => Ok(CorridorChange::Kept),
        };
        changed(change.or_raise())
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
        radius: Option<f32>,
        fast: bool,
        allow_partial: bool,
        rises: bool,
        reach: Option<&Bound<'_, PyAny>>,
        area_costs: Option<&Bound<'_, PyMapping>>,
        link_costs: Option<&Bound<'_, PyMapping>>,
        agent_height: Option<f32>,
        allowed: Option<&Bound<'_, PyAny>>,
        max_drift: f32,
        range: f32,
    ) -> PyResult<Self> {
        let given = [area_costs, link_costs];
        let given_costs = [copy(area_costs)?, copy(link_costs)?];
        let allowed = allowed_of(allowed)?;
        let ground = Ground::of(py, ground, radius.is_some(), &allowed)?;
        let kept = match (ground, radius) {
            (Ground::Clear(mesh), Some(radius)) => {
                let for_points = rises || agent_height.is_some() || given.iter().any(Option::is_some);
                let path = disc_options(radius, (shortest, fast, allow_partial), reach, for_points)?;
                let options = ClearCorridorOptions::new(radius).with_path(path).with_max_drift(max_drift);
                Kept::Discs(Box::new(ClearCorridor::new(options)), mesh)
            }
            (ground, _) => {
                unless_fast(fast)?;
                let flags = allowed.as_ref().map(|allowed| allowed.flags.clone());
                let heights = (rises, None);
                let mut path = path_options(shortest, allow_partial, false, heights, agent_height, flags)?;
                path.reach = reach_of(reach)?;
                let path = path.with_cost(ground.costs(py, &given_costs)?);
                let options = CorridorOptions::default().with_max_drift(max_drift).with_range(range);
                Kept::Points(Box::new(PathCorridor::new(options.with_path(path))), ground)
            }
        };
        let (start, goal) = (point("start", start)?, point("goal", goal)?);
        let state = Mutex::new(State { kept, allowed, start, goal, scratch: QueryScratch::default() });
        let corridor = Self { state, given_costs };
        corridor.with(py, State::plan)?;
        Ok(corridor)
    }

    #[doc = doc!("Corridor.move_start")]
    fn move_start(&self, py: Python<'_>, position: &Bound<'_, PyAny>) -> PyResult<&'static str> {
        let to = point("position", position)?;
        self.with(py, |State { kept, allowed, start, scratch, .. }| {
            let change = on_corridor!(kept, allowed, |corridor, mesh| corridor.move_start(mesh, to, scratch));
            let change = changed(change.or_raise())?;
            *start = to;
            Ok(change)
        })
    }

    #[doc = doc!("Corridor.move_goal")]
    fn move_goal(&self, py: Python<'_>, position: &Bound<'_, PyAny>) -> PyResult<&'static str> {
        let to = point("position", position)?;
        self.with(py, |State { kept, allowed, goal, scratch, .. }| {
            let change = on_corridor!(kept, allowed, |corridor, mesh| corridor.move_goal(mesh, to, scratch));
            let change = changed(change.or_raise())?;
            *goal = to;
            Ok(change)
        })
    }

    #[doc = doc!("Corridor.take_link")]
    fn take_link(&self, py: Python<'_>) -> PyResult<Option<(u64, bool)>> {
        let taken = self.with(py, |State { kept, allowed, scratch, .. }| {
            on_corridor!(kept, allowed, |corridor, mesh| corridor.take_link(mesh, scratch)).or_raise()
        });
        Ok(taken?.map(|taken| (taken.link.0, taken.backwards)))
    }

    #[doc = doc!("Corridor.replan")]
    fn replan(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.with(py, |state| match &mut state.kept {
            Kept::Discs(corridor, mesh) if !corridor.points().is_empty() => {
                changed(corridor.replan(mesh, &mut state.scratch).or_raise())
            }
            _ => {
                state.start = state.points().first().copied().unwrap_or(state.start);
                state.plan()
            }
        })
    }

    #[doc = doc!("Corridor.repair")]
    fn repair(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.with(py, State::repair)
    }

    #[doc = doc!("Corridor.walk_on")]
    #[pyo3(signature = (ground, *, allowed=None))]
    fn walk_on(
        &self,
        py: Python<'_>,
        ground: &Bound<'_, PyAny>,
        allowed: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<&'static str> {
        let (is_for_discs, before) =
            self.with(py, |state| (matches!(state.kept, Kept::Discs(..)), state.allowed.clone()));
        let allowed = allowed_of(allowed)?.or(before);
        let ground = Ground::of(py, ground, is_for_discs, &allowed)?;
        let costs = ground.costs(py, &self.given_costs)?;
        self.with(py, |state| {
            state.allowed = allowed;
            let flags = state.allowed.as_ref().map(|allowed| allowed.flags.clone());
            match (&mut state.kept, ground) {
                (Kept::Discs(_, mesh), Ground::Clear(new)) => *mesh = new,
                (Kept::Points(corridor, old), ground) => {
                    *old = ground;
                    let path = &corridor.options().path;
                    let height = path.filter.as_ref().and_then(|filter| filter.0);
                    let filter = (height.is_some() || flags.is_some()).then_some((height, flags));
                    if path.cost != costs || path.filter != filter {
                        let path = path.clone().with_cost(costs).with_filter(filter);
                        let options = corridor.options().clone().with_path(path);
                        **corridor = PathCorridor::new(options);
                        return state.plan();
                    }
                }
                (Kept::Discs(..), _) => {}
            }
            state.repair()
        })
    }

    #[doc = doc!("Corridor.is_outdated")]
    #[getter]
    fn is_outdated(&self, py: Python<'_>) -> bool {
        let is_outdated = |State { kept, allowed, .. }: &mut State| -> PyResult<bool> {
            Ok(on_corridor!(kept, allowed, |corridor, mesh| corridor.is_outdated(mesh)))
        };
        // The ground of a filter for other polygons has changed.
        self.with(py, is_outdated).unwrap_or(true)
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
    fn corners<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let next = |state: &mut State| state.points().iter().skip(1).take(count).copied().collect();
        let next: Vec<Vec3> = self.with(py, next);
        positions(py, &next)
    }

    #[doc = doc!("Corridor.links")]
    #[getter]
    fn links(&self, py: Python<'_>) -> Vec<(u64, bool, usize)> {
        let link = |link: &LinkUse| (link.link.0, link.backwards, link.point);
        self.with(py, |state| state.links().iter().map(link).collect())
    }

    #[doc = doc!("Corridor.outcome")]
    #[getter]
    fn outcome(&self, py: Python<'_>) -> &'static str {
        self.with(py, |state| outcome_name(state.outcome()))
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
