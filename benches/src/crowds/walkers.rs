//! What a crowd does for the judge.

use std::sync::Arc;

use glam::Vec3;
use rayon::{ThreadPool, ThreadPoolBuilder};
use waymesh_crowd::{AgentId, AgentParams, Crowd, CrowdConfig};
use waymesh_graph::NavMesh;

use super::scenes::{CrowdScene, Trips};
use super::{ACCELERATION, DT, RADIUS, SPEED};
use crate::BenchError;

/// A crowd on its way.
pub(super) trait Walkers {
    /// Moves all agents.
    fn step(&mut self) -> Result<(), BenchError>;

    /// Milliseconds of the last step, where a crowd measures them itself.
    fn spent(&self) -> Option<f64> {
        None
    }

    /// Writes where each agent is; `None` for those that have left.
    fn positions(&mut self, out: &mut Vec<Option<Vec3>>);

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

fn failed(source: impl std::error::Error + Send + Sync + 'static) -> BenchError {
    BenchError::stage("waymesh", "crowd", source)
}

impl Ours {
    pub(super) fn new(scene: &CrowdScene, trips: &Trips, threads: usize) -> Result<Self, BenchError> {
        let mesh = Arc::clone(&scene.mesh);
        let mut crowd: Crowd = Crowd::new(CrowdConfig::default()).map_err(failed)?;
        let params =
            AgentParams::default().with_radius(RADIUS).with_max_speed(SPEED).with_acceleration(ACCELERATION);
        let mut agents = Vec::with_capacity(trips.ends.len());
        for &[from, to] in &trips.ends {
            let agent = crowd.add(&mesh, params, from).map_err(failed)?;
            crowd.set_target(&mesh, agent, to).map_err(failed)?;
            agents.push(agent);
        }
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().map_err(failed)?;
        Ok(Self { crowd, mesh, agents, pool })
    }
}

impl Walkers for Ours {
    fn step(&mut self) -> Result<(), BenchError> {
        let Self { crowd, mesh, pool, .. } = self;
        pool.install(|| crowd.step(mesh, DT)).map_err(failed)
    }

    fn positions(&mut self, out: &mut Vec<Option<Vec3>>) {
        out.clear();
        out.extend(self.agents.iter().map(|&agent| self.crowd.agent(agent).map(|state| state.position)));
    }

    fn leave(&mut self, index: usize) {
        self.crowd.remove(self.agents[index]);
    }
}
