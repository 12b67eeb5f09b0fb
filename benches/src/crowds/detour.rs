//! Detour's crowd, on our mesh.

use glam::Vec3;
use recastnavigation_rs::detour::DtNavMesh;
use recastnavigation_rs::detour_crowd::{
    DtCrowd, DtCrowdAgentDebugInfo, DtCrowdAgentParams, DtObstacleAvoidanceParams,
};
use waymesh_io::{DetourOptions, to_detour};

use super::scenes::{CrowdScene, Trips};
use super::walkers::Walkers;
use super::{ACCELERATION, DT, RADIUS, SPEED};
use crate::{BenchError, Detour};

/// RecastDemo's flags: anticipate turns, avoid obstacles, and optimise visibility and topology; and
/// separation, which keeps agents farther apart.
const FLAGS: u8 = 1 | 2 | 4 | 8 | 16;

/// The finest of RecastDemo's settings of avoidance.
const FINEST: u8 = 3;

/// The crowd of DetourCrowd.
pub(super) struct DetourCrowd {
    // Declared before the mesh it points into, so that it is dropped first.
    crowd: DtCrowd,
    _mesh: DtNavMesh,
    agents: Vec<Option<i32>>,
    debug: DtCrowdAgentDebugInfo,
}

/// Information about no agent, which an update asks for.
#[expect(unsafe_code, reason = "the crate has no way to make one: it has a private field")]
fn no_debug() -> DtCrowdAgentDebugInfo {
    // SAFETY: it has an integer, floats and a pointer that may be null.
    let mut debug: DtCrowdAgentDebugInfo = unsafe { std::mem::zeroed() };
    debug.idx = -1;
    debug
}

fn failed(text: &'static str) -> BenchError {
    BenchError::stage("Detour", "crowd", text)
}

impl DetourCrowd {
    pub(super) fn new(scene: &CrowdScene, trips: &Trips) -> Result<Self, BenchError> {
        let file = to_detour(&scene.mesh, &DetourOptions::default())
            .map_err(|source| BenchError::stage("Detour", "mesh", source))?;
        // Places are found by a query, for the crowd gives none.
        let places = Detour::load(&file)?;
        let mut mesh = Detour::load(&file)?.into_mesh();
        let mut crowd = DtCrowd::new();
        let count = i32::try_from(trips.ends.len()).map_err(|_| failed("too many agents"))?;
        if !crowd.init(count, RADIUS, &mut mesh) {
            return Err(failed("it cannot be made"));
        }
        let known = crowd.get_obstacle_avoidance_params(0).clone();
        let finest = DtObstacleAvoidanceParams {
            el_bias: 0.5,
            daptive_divs: 7,
            daptive_rings: 3,
            daptive_depth: 3,
            ..known
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
            let (polygon, place) = places.locate(to).ok_or_else(|| failed("no polygon near a goal"))?;
            if agent < 0 || !crowd.request_move_target(agent, polygon, &place) {
                return Err(failed("it does not take an agent"));
            }
            agents.push(Some(agent));
        }
        Ok(Self { crowd, _mesh: mesh, agents, debug: no_debug() })
    }
}

impl Walkers for DetourCrowd {
    fn step(&mut self) -> Result<(), BenchError> {
        self.crowd.update(DT, &mut self.debug);
        Ok(())
    }

    fn positions(&mut self, out: &mut Vec<Option<Vec3>>) {
        out.clear();
        let crowd = &mut self.crowd;
        out.extend(self.agents.iter().map(|&agent| Some(Vec3::from(*crowd.get_agent_mut(agent?).npos()))));
    }

    fn leave(&mut self, index: usize) {
        if let Some(agent) = self.agents[index].take() {
            self.crowd.remove_agent(agent);
        }
    }
}
