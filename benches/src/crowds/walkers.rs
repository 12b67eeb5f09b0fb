//! Crowds of ours, of Detour and of landmass, as the judge sees them.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
#[cfg(feature = "peers")]
use anyhow::{Context as _, ensure};
use glam::Vec3;
use rayon::{ThreadPool, ThreadPoolBuilder};
#[cfg(feature = "peers")]
use recastnavigation_rs::detour::DtNavMesh;
#[cfg(feature = "peers")]
use recastnavigation_rs::detour_crowd::{
    DtCrowd, DtCrowdAgentDebugInfo, DtCrowdAgentParams, DtObstacleAvoidanceParams,
};
use waymesh_crowd::{AgentId, AgentParams, Crowd, CrowdConfig};
use waymesh_graph::NavMesh;

use super::scenes::{CrowdScene, Trips};
use super::{ACCELERATION, DT, RADIUS, SPEED};
#[cfg(feature = "peers")]
use crate::{Detour, Landmass};

/// A crowd on its way.
pub(super) trait Walkers {
    /// Moves all agents, and writes where each is, `None` for those that have left. Returns the
    /// milliseconds of the step.
    fn step(&mut self, out: &mut Vec<Option<Vec3>>) -> Result<f64>;

    /// Takes an agent out of the scene.
    fn leave(&mut self, index: usize);
}

/// The crowd of `waymesh-crowd`.
pub(super) struct Ours {
    crowd: Crowd,
    mesh: Arc<NavMesh>,
    agents: Vec<AgentId>,
    pool: ThreadPool,
}

impl Ours {
    pub(super) fn new(scene: &CrowdScene, trips: &Trips, threads: usize) -> Result<Self> {
        let mesh = Arc::clone(&scene.mesh);
        let mut crowd: Crowd = Crowd::new(CrowdConfig::default())?;
        let params =
            AgentParams::default().with_radius(RADIUS).with_max_speed(SPEED).with_acceleration(ACCELERATION);
        let mut agents = Vec::with_capacity(trips.ends.len());
        for &[from, to] in &trips.ends {
            let agent = crowd.add(&mesh, params, from)?;
            crowd.set_target(&mesh, agent, to)?;
            agents.push(agent);
        }
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        Ok(Self { crowd, mesh, agents, pool })
    }
}

impl Walkers for Ours {
    fn step(&mut self, out: &mut Vec<Option<Vec3>>) -> Result<f64> {
        let Self { crowd, mesh, pool, .. } = self;
        let start = Instant::now();
        pool.install(|| crowd.step(mesh, DT))?;
        let spent = start.elapsed().as_secs_f64() * 1e3;
        out.clear();
        out.extend(self.agents.iter().map(|&agent| self.crowd.agent(agent).map(|state| state.position)));
        Ok(spent)
    }

    fn leave(&mut self, index: usize) {
        self.crowd.remove(self.agents[index]);
    }
}

#[cfg(feature = "peers")]
/// RecastDemo's flags: anticipate turns, avoid obstacles, and optimise visibility and topology; and
/// separation, which keeps agents farther apart.
const FLAGS: u8 = 1 | 2 | 4 | 8 | 16;

#[cfg(feature = "peers")]
/// The finest of RecastDemo's settings of avoidance.
const FINEST: u8 = 3;

/// The crowd of DetourCrowd, on our mesh.
#[cfg(feature = "peers")]
pub(super) struct DetourCrowd {
    // Declared before the mesh it points into, so that it is dropped first.
    crowd: DtCrowd,
    _mesh: DtNavMesh,
    agents: Vec<Option<i32>>,
    debug: DtCrowdAgentDebugInfo,
}

#[cfg(feature = "peers")]
/// Empty debug information, which an update requires.
#[expect(unsafe_code, reason = "the crate has no way to make one: it has a private field")]
fn no_debug() -> DtCrowdAgentDebugInfo {
    // SAFETY: it has an integer, floats and a pointer that may be null.
    let mut debug: DtCrowdAgentDebugInfo = unsafe { std::mem::zeroed() };
    debug.idx = -1;
    debug
}

#[cfg(feature = "peers")]
impl DetourCrowd {
    pub(super) fn new(scene: &CrowdScene, trips: &Trips) -> Result<Self> {
        let file = waymesh_io::to_detour(&scene.mesh, &Default::default())?;
        // Places are found by a query, for the crowd gives none.
        let places = Detour::load(&file)?;
        let mut mesh = Detour::load(&file)?.into_mesh();
        let mut crowd = DtCrowd::new();
        let is_made = crowd.init(i32::try_from(trips.ends.len())?, RADIUS, &mut mesh);
        ensure!(is_made, "Detour cannot make the crowd");
        let finest = DtObstacleAvoidanceParams {
            el_bias: 0.5,
            daptive_divs: 7,
            daptive_rings: 3,
            daptive_depth: 3,
            ..crowd.get_obstacle_avoidance_params(0).clone()
        };
        crowd.set_obstacle_avoidance_params(FINEST.into(), &finest);
        let params = DtCrowdAgentParams {
            radius: RADIUS,
            height: 1.8,
            max_acceleration: ACCELERATION,
            max_speed: SPEED,
            collision_query_range: 12.0 * RADIUS,
            path_optimization_range: 30.0 * RADIUS,
            separation_weight: 2.0,
            update_flags: FLAGS,
            obstacle_avoidance_type: FINEST,
            ..DtCrowdAgentParams::default()
        };
        let mut agents = Vec::with_capacity(trips.ends.len());
        for &[from, to] in &trips.ends {
            let agent = crowd.add_agent(&from.to_array(), &params);
            let (polygon, place) = places.locate(to).context("no polygon near a goal")?;
            let is_taken = agent >= 0 && crowd.request_move_target(agent, polygon, &place);
            ensure!(is_taken, "Detour does not take an agent");
            agents.push(Some(agent));
        }
        Ok(Self { crowd, _mesh: mesh, agents, debug: no_debug() })
    }
}

#[cfg(feature = "peers")]
impl Walkers for DetourCrowd {
    fn step(&mut self, out: &mut Vec<Option<Vec3>>) -> Result<f64> {
        let start = Instant::now();
        self.crowd.update(DT, &mut self.debug);
        let spent = start.elapsed().as_secs_f64() * 1e3;
        out.clear();
        let crowd = &mut self.crowd;
        out.extend(self.agents.iter().map(|&agent| Some(Vec3::from(*crowd.get_agent_mut(agent?).npos()))));
        Ok(spent)
    }

    fn leave(&mut self, index: usize) {
        if let Some(agent) = self.agents[index].take() {
            self.crowd.remove_agent(agent);
        }
    }
}

/// Agents of landmass, in a separate program, which moves each by its velocity.
#[cfg(feature = "peers")]
pub(super) fn landmass(scene: &CrowdScene, trips: &Trips) -> Result<Landmass> {
    let mut program = Landmass::new(&scene.mesh, &trips.ends)?;
    program.begin_crowd(RADIUS, SPEED)?;
    Ok(program)
}

#[cfg(feature = "peers")]
impl Walkers for Landmass {
    fn step(&mut self, out: &mut Vec<Option<Vec3>>) -> Result<f64> {
        let (places, spent) = self.step_crowd(DT)?;
        *out = places;
        Ok(spent)
    }

    fn leave(&mut self, index: usize) {
        self.leave_crowd(index);
    }
}
