//! Crowds: agents that walk to their targets and avoid each other and walls.

use std::sync::{Arc, Mutex, PoisonError};

use glam::Vec3;
use numpy::{PyArray1, PyArray2};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyTuple};
use waymesh::graph::{ClearanceNavMesh, LinkId};
use waymesh::{MeshHandle, MeshSource, NavMesh};
use waymesh_crowd::{
    AgentId, AgentParams, AgentState, AgentStatus, Crowd, CrowdConfig, CrowdError, LinkRule,
};

use crate::errors::{IntoPy, Kind, OrRaise};
use crate::filter::{Allowed, allowed_of};
use crate::input::{OneOrMany, Whole, bounded, labels, one_or_many, real, real_or_none};
use crate::mesh::PyNavMesh;
use crate::output::positions;
use crate::pool::pool;
use crate::settings::{Filter, MeshCosts, mesh_costs, read_entries};
use crate::world::PyWorld;

impl IntoPy for CrowdError {
    fn into_py(self) -> PyErr {
        match self {
            Self::BadField(error) => error.into_py(),
            Self::Query(error) => error.into_py(),
            _ => Kind::Query.error(self),
        }
    }
}

/// The ground of a crowd or of a corridor.
#[derive(Clone, Debug)]
pub(crate) enum Ground {
    Mesh(Arc<NavMesh>),
    Clear(Arc<ClearanceNavMesh>),
    World(MeshHandle),
}

/// Returns a copy of costs, which their owner may change.
pub(crate) fn copy(costs: Option<&Bound<'_, PyMapping>>) -> PyResult<Option<Py<PyDict>>> {
    costs.map(|costs| Ok(PyDict::from_sequence(costs.items()?.as_any())?.unbind())).transpose()
}

/// Runs with a ground, whose sources of meshes are of several types.
macro_rules! on_ground {
    ($of:expr, |$ground:ident| $run:expr) => {
        match $of {
            Ground::Mesh($ground) => $run,
            Ground::Clear($ground) => $run,
            Ground::World($ground) => $run,
        }
    };
}
pub(crate) use on_ground;

impl Ground {
    /// A mesh, or a world of `waymesh.World` or of this module.
    ///
    /// Refuses a filter of other polygons.
    pub(crate) fn of(
        py: Python<'_>,
        ground: &Bound<'_, PyAny>,
        has_clearance: bool,
        allowed: &Allowed,
    ) -> PyResult<Self> {
        if let Ok(mesh) = ground.cast::<PyNavMesh>() {
            let mesh = mesh.get();
            if has_clearance {
                return Ok(Self::Clear(mesh.clear_ground(py, allowed)?));
            }
            return Self::Mesh(mesh.mesh.clone()).now(allowed);
        }
        let inner = ground.getattr("_world");
        let Ok(world) = inner.as_ref().unwrap_or(ground).cast::<PyWorld>() else {
            return Err(Kind::Input.error("ground must be a NavMesh or a World"));
        };
        if has_clearance {
            let text =
                "a radius and clearance need a mesh: give world.mesh, and walk_on(world.mesh) after updates";
            return Err(Kind::Config.error(text));
        }
        let world = Self::World(world.get().handle());
        world.now(allowed)?;
        Ok(world)
    }

    /// Returns the ground of a call. With a filter it is the mesh of the moment, of whose polygons the
    /// filter must be: an update of a world during the call does not change it.
    pub(crate) fn now(&self, allowed: &Allowed) -> PyResult<Self> {
        match (self, allowed) {
            (Self::World(world), Some(allowed)) => {
                let mesh = world.mesh();
                allowed.check(&mesh)?;
                Ok(Self::Mesh(mesh))
            }
            (Self::Mesh(mesh), Some(allowed)) => allowed.check(mesh).map(|()| self.clone()),
            _ => Ok(self.clone()),
        }
    }

    /// Returns what agents pay on this ground: its own costs, and the given ones of areas and links.
    pub(crate) fn costs(&self, py: Python<'_>, given: &[Option<Py<PyDict>>; 2]) -> PyResult<MeshCosts> {
        let given = given.each_ref().map(|costs| costs.as_ref().map(|costs| costs.bind(py).as_mapping()));
        on_ground!(self, |ground| mesh_costs(&ground.nav_mesh(), given))
    }
}

#[derive(Debug)]
struct State {
    agents: Crowd<Filter, MeshCosts>,
    ground: Ground,
    /// Costs on this ground.
    costs: MeshCosts,
    allowed: Allowed,
}

impl State {
    /// The agents and the ground of a call.
    fn parts(&mut self) -> PyResult<(&mut Crowd<Filter, MeshCosts>, Ground)> {
        Ok((&mut self.agents, self.ground.now(&self.allowed)?))
    }

    fn filter(&self) -> Filter {
        self.allowed.as_ref().map(|allowed| (None, Some(allowed.flags.clone())))
    }
}

#[doc = doc!("Crowd")]
#[pyclass(frozen, module = "waymesh._waymesh", name = "Crowd")]
#[derive(Debug)]
pub(crate) struct PyCrowd {
    state: Mutex<State>,
    /// Costs of areas and of links, as they were given.
    given_costs: [Option<Py<PyDict>>; 2],
    has_clearance: bool,
}

impl PyCrowd {
    /// Runs with the crowd, without the interpreter's lock: a step of another thread may hold it.
    fn with<T: Send>(&self, py: Python<'_>, run: impl FnOnce(&mut State) -> T + Send) -> T {
        py.detach(|| run(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    fn states<T: Send>(&self, py: Python<'_>, of: impl Fn(AgentId, AgentState) -> T + Sync) -> Vec<T> {
        self.with(py, |state| state.agents.agents().map(|(id, agent)| of(id, agent)).collect())
    }

    /// Runs for each pair of an agent and a position: one and one, many and one, many and as many.
    fn for_pairs(
        &self,
        py: Python<'_>,
        agents: &Bound<'_, PyAny>,
        (name, points): (&str, &Bound<'_, PyAny>),
        run: impl Fn(&mut Crowd<Filter, MeshCosts>, &Ground, AgentId, Vec3) -> Result<(), CrowdError> + Sync,
    ) -> PyResult<()> {
        let (agents, points) = (numbers(agents)?, one_or_many(name, points)?);
        let points = match &points {
            OneOrMany::One(at) => vec![*at; agents.len()],
            OneOrMany::Many(points) => points.as_slice()?.to_vec(),
        };
        bounded(name, &points)?;
        if points.len() != agents.len() {
            return Err(Kind::Input.error(format!("{} agents and {} {name}", agents.len(), points.len())));
        }
        self.with(py, |state| {
            let (crowd, ground) = state.parts()?;
            agents.into_iter().zip(points).try_for_each(|(agent, at)| {
                run(crowd, &ground, agent, at).map_err(|error| of_agent(error, agent))
            })
        })
    }
}

/// The error of an agent, whose number is the one that Python knows.
fn of_agent(error: CrowdError, agent: AgentId) -> PyErr {
    match error {
        CrowdError::NoAgent { .. } => Kind::Query.error(format!("there is no agent {}", agent.to_bits())),
        error => error.into_py(),
    }
}

/// One agent, or an array of them.
fn numbers(agents: &Bound<'_, PyAny>) -> PyResult<Vec<AgentId>> {
    let numbers = match agents.extract::<Whole<u64>>() {
        Ok(agent) => vec![agent.named("agents")?],
        Err(_) => labels("agents", agents)?,
    };
    Ok(numbers.into_iter().map(AgentId::from_bits).collect())
}

#[pymethods]
impl PyCrowd {
    #[new]
    #[pyo3(signature = (ground, *, clearance=false, area_costs=None, link_costs=None, allowed=None, **given))]
    fn new(
        py: Python<'_>,
        ground: &Bound<'_, PyAny>,
        clearance: bool,
        area_costs: Option<&Bound<'_, PyMapping>>,
        link_costs: Option<&Bound<'_, PyMapping>>,
        allowed: Option<&Bound<'_, PyAny>>,
        given: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let mut config = CrowdConfig::default();
        read_entries("crowd", given, |entries| {
            entries.set("horizon", &mut config.horizon)?;
            entries.set("wall_horizon", &mut config.wall_horizon)?;
            entries.set("max_neighbours", &mut config.max_neighbours)?;
            entries.set("lane_bias", &mut config.lane_bias)?;
            entries.set("plans_per_step", &mut config.plans_per_step)?;
            entries.set("stuck_after", &mut config.stuck_after)
        })?;
        let agents = Crowd::new(config).or_raise()?;
        let allowed = allowed_of(allowed)?;
        let ground = Ground::of(py, ground, clearance, &allowed)?;
        let given_costs = [copy(area_costs)?, copy(link_costs)?];
        let costs = ground.costs(py, &given_costs)?;
        let state = Mutex::new(State { agents, ground, costs, allowed });
        Ok(Self { state, given_costs, has_clearance: clearance })
    }

    #[doc = doc!("Crowd.walk_on")]
    #[pyo3(signature = (ground, *, allowed=None))]
    fn walk_on(
        &self,
        py: Python<'_>,
        ground: &Bound<'_, PyAny>,
        allowed: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let allowed = allowed_of(allowed)?.or_else(|| self.with(py, |state| state.allowed.clone()));
        let ground = Ground::of(py, ground, self.has_clearance, &allowed)?;
        let costs = ground.costs(py, &self.given_costs)?;
        self.with(py, |state| {
            state.ground = ground;
            let before = (state.filter(), std::mem::replace(&mut state.costs, costs));
            state.allowed = allowed;
            let filter = state.filter();
            if before == (filter.clone(), state.costs.clone()) {
                return Ok(());
            }
            let ids: Vec<AgentId> = state.agents.agents().map(|(id, _)| id).collect();
            ids.into_iter().try_for_each(|id| {
                let params = state.agents.params(id).cloned();
                params.map_or(Ok(()), |params| {
                    let params = params.with_cost(state.costs.clone()).with_filter(filter.clone());
                    state.agents.set_params(id, params)
                })
            })
        })
        .or_raise()
    }

    #[doc = doc!("Crowd.add")]
    #[pyo3(signature = (positions, **given))]
    fn add<'py>(
        &self,
        py: Python<'py>,
        positions: &Bound<'py, PyAny>,
        given: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut params = AgentParams::default();
        read_entries("agent", given, |entries| {
            entries.set("radius", &mut params.radius)?;
            entries.set("height", &mut params.height)?;
            entries.set("max_speed", &mut params.max_speed)?;
            entries.set("acceleration", &mut params.acceleration)?;
            entries.set("arrival_distance", &mut params.arrival_distance)?;
            entries.set("priority", &mut params.priority)
        })?;
        let add = |points: &[Vec3]| -> PyResult<Vec<u64>> {
            bounded("positions", points)?;
            self.with(py, |state| {
                let mut added = Vec::with_capacity(points.len());
                let params = params.with_cost(state.costs.clone()).with_filter(state.filter());
                let (agents, ground) = state.parts()?;
                for &at in points {
                    match on_ground!(&ground, |ground| agents.add(ground, params.clone(), at)) {
                        Ok(agent) => added.push(agent),
                        Err(error) => {
                            // All or none.
                            for agent in added {
                                agents.remove(agent);
                            }
                            return Err(error.into_py());
                        }
                    }
                }
                Ok(added.into_iter().map(AgentId::to_bits).collect())
            })
        };
        match one_or_many("positions", positions)? {
            OneOrMany::One(at) => add(&[at])?[0].into_bound_py_any(py),
            OneOrMany::Many(points) => Ok(PyArray1::from_vec(py, add(points.as_slice()?)?).into_any()),
        }
    }

    #[doc = doc!("Crowd.remove")]
    fn remove(&self, py: Python<'_>, agent: Whole<u64>) -> PyResult<bool> {
        let agent = AgentId::from_bits(agent.named("agent")?);
        Ok(self.with(py, |state| state.agents.remove(agent)))
    }

    #[doc = doc!("Crowd.set_target")]
    fn set_target(
        &self,
        py: Python<'_>,
        agents: &Bound<'_, PyAny>,
        targets: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        self.for_pairs(py, agents, ("targets", targets), |agents, ground, agent, at| {
            on_ground!(ground, |ground| agents.set_target(ground, agent, at))
        })
    }

    #[doc = doc!("Crowd.set_position")]
    fn set_position(
        &self,
        py: Python<'_>,
        agents: &Bound<'_, PyAny>,
        positions: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        self.for_pairs(py, agents, ("positions", positions), |agents, ground, agent, at| {
            on_ground!(ground, |ground| agents.set_position(ground, agent, at))
        })
    }

    #[doc = doc!("Crowd.stop")]
    fn stop(&self, py: Python<'_>, agents: &Bound<'_, PyAny>) -> PyResult<()> {
        let stopped = numbers(agents)?;
        self.with(py, |state| {
            stopped
                .into_iter()
                .try_for_each(|agent| state.agents.stop(agent).map_err(|error| of_agent(error, agent)))
        })
    }

    #[doc = doc!("Crowd.set_link_rule")]
    #[pyo3(signature = (link, *, seconds=None, capacity=None))]
    fn set_link_rule(
        &self,
        py: Python<'_>,
        link: Whole<u64>,
        #[pyo3(from_py_with = real_or_none)] seconds: Option<f32>,
        capacity: Option<Whole<u32>>,
    ) -> PyResult<()> {
        let link = LinkId(link.named("link")?);
        let mut rule = LinkRule::default();
        rule.seconds = seconds;
        rule.capacity = capacity.unwrap_or(rule.capacity.into()).named("capacity")?;
        self.with(py, |state| {
            let State { agents, ground, .. } = state;
            on_ground!(ground, |ground| agents.set_link_rule(ground, link, rule))
        })
        .or_raise()
    }

    #[doc = doc!("Crowd.step")]
    fn step(&self, py: Python<'_>, #[pyo3(from_py_with = real)] seconds: f32) -> PyResult<()> {
        let pool = pool(py)?;
        self.with(py, |state| {
            let (agents, ground) = state.parts()?;
            pool.install(|| on_ground!(&ground, |ground| agents.step(ground, seconds))).or_raise()
        })
    }

    #[doc = doc!("Crowd.steer")]
    fn steer(&self, py: Python<'_>, #[pyo3(from_py_with = real)] seconds: f32) -> PyResult<()> {
        let pool = pool(py)?;
        self.with(py, |state| {
            let (agents, ground) = state.parts()?;
            pool.install(|| on_ground!(&ground, |ground| agents.steer(ground, seconds))).or_raise()
        })
    }

    #[doc = doc!("Crowd.agents")]
    #[getter]
    fn agents<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        PyArray1::from_vec(py, self.states(py, |id, _| id.to_bits()))
    }

    #[doc = doc!("Crowd.positions")]
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        positions(py, &self.states(py, |_, agent| agent.position))
    }

    #[doc = doc!("Crowd.velocities")]
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        positions(py, &self.states(py, |_, agent| agent.velocity))
    }

    #[doc = doc!("Crowd.statuses")]
    #[getter]
    fn statuses<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        PyArray1::from_vec(py, self.states(py, |_, agent| agent.status.number()))
    }

    #[doc = doc!("Crowd.remaining")]
    #[getter]
    fn remaining<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        PyArray1::from_vec(py, self.states(py, |_, agent| agent.remaining))
    }

    #[classattr]
    #[expect(non_snake_case, reason = "a constant of Python")]
    fn STATUSES(py: Python<'_>) -> PyResult<Py<PyTuple>> {
        Ok(PyTuple::new(py, AgentStatus::NAMES)?.unbind())
    }

    #[doc = doc!("Crowd.path")]
    fn path<'py>(&self, py: Python<'py>, agent: Whole<u64>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let agent = agent.named("agent")?;
        let id = AgentId::from_bits(agent);
        let find = |state: &mut State| {
            state.agents.agent(id).map(|_| state.agents.path(id).unwrap_or_default().to_vec())
        };
        let path = self.with(py, find);
        positions(py, &path.ok_or_else(|| Kind::Query.error(format!("there is no agent {agent}")))?)
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.with(py, |state| state.agents.len())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<waymesh.Crowd: {} agents>", self.__len__(py))
    }
}
