//! Crowds.

use std::mem::MaybeUninit;
use waymesh::MeshSource;
use waymesh::graph::LinkId;
use waymesh_crowd::{AgentId, AgentParams, CrowdConfig, LinkRule};

use crate::memory::{check_size, given, put};
use crate::mesh::{Mesh, Vec3, hand_out};
use crate::query::Discs;
use crate::status::{Error, Failure, Status, guard};

/// A crowd of agents on a mesh.
#[derive(Debug)]
pub struct Crowd {
    crowd: waymesh_crowd::Crowd,
}

/// Settings of an agent. Start from wm_agent_settings_default.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AgentSettings {
    /// Bytes of this structure.
    pub size: usize,
    /// Radius in metres.
    pub radius: f32,
    /// Height in metres.
    pub height: f32,
    /// Highest speed in metres a second.
    pub max_speed: f32,
    /// Highest change of its desired velocity, in metres a second squared.
    pub acceleration: f32,
    /// Distance from its target in metres within which it has arrived.
    pub arrival_distance: f32,
    /// Priority, at most 255: of two agents, the one with the lower number gives way.
    pub priority: u32,
}

/// The state of an agent on its path.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentStatus {
    /// It has no target.
    Idle = 0,
    /// Its path is not planned yet.
    Waiting = 1,
    /// It walks.
    Walking = 2,
    /// It waits until a link is free.
    Queueing = 3,
    /// It is on a link.
    OnLink = 4,
    /// It is at its target.
    Arrived = 5,
    /// It stands at the reachable place nearest to its target.
    Blocked = 6,
    /// No ground is near it.
    Lost = 7,
}

/// The state of an agent.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AgentState {
    /// Position, on the ground or in the air on a link.
    pub position: Vec3,
    /// Velocity in metres a second.
    pub velocity: Vec3,
    /// Metres along its path to the end of the path.
    pub remaining: f32,
    /// Status.
    pub status: AgentStatus,
}

impl Crowd {
    /// Returns the state of the agent with a number.
    fn state(&self, number: u64) -> Result<(AgentId, waymesh_crowd::AgentState), Failure> {
        // No agent has the number 0.
        let id = AgentId::from_bits(number.wrapping_sub(1));
        let text = || format!("there is no agent {number}");
        let state = self.crowd.agent(id).ok_or_else(|| Failure::new(Status::BadArgument, text()))?;
        Ok((id, state))
    }

    fn agent(&self, number: u64) -> Result<AgentId, Failure> {
        Ok(self.state(number)?.0)
    }

    fn add(
        &mut self,
        ground: &impl MeshSource,
        position: Vec3,
        settings: Option<&AgentSettings>,
        agent: Option<&mut MaybeUninit<u64>>,
    ) -> Result<(), Failure> {
        let agent = given("agent", agent)?;
        let mut params = AgentParams::default();
        if let Some(settings) = settings {
            check_size::<AgentSettings>(settings.size, "wm_agent_settings_default")?;
            let priority = u8::try_from(settings.priority)
                .map_err(|_| Failure::new(Status::BadSetting, "settings.priority is more than 255"))?;
            params = params
                .with_radius(settings.radius)
                .with_height(settings.height)
                .with_max_speed(settings.max_speed)
                .with_acceleration(settings.acceleration)
                .with_arrival_distance(settings.arrival_distance)
                .with_priority(priority);
        }
        let added = self.crowd.add(ground, params, glam::Vec3::from(position))?;
        put("agent", Some(agent), added.to_bits() + 1)
    }

    fn set_target(&mut self, ground: &impl MeshSource, agent: u64, target: Vec3) -> Result<(), Failure> {
        let agent = self.agent(agent)?;
        Ok(self.crowd.set_target(ground, agent, glam::Vec3::from(target))?)
    }

    fn set_position(&mut self, ground: &impl MeshSource, agent: u64, position: Vec3) -> Result<(), Failure> {
        let agent = self.agent(agent)?;
        Ok(self.crowd.set_position(ground, agent, glam::Vec3::from(position))?)
    }
}

/// Makes a crowd without agents.
#[unsafe(no_mangle)]
pub extern "C" fn wm_crowd_new(
    crowd: Option<&mut MaybeUninit<Option<Box<Crowd>>>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let made = waymesh_crowd::Crowd::new(CrowdConfig::default())?;
        hand_out("crowd", crowd, Crowd { crowd: made })
    })
}

/// Ends a handle.
#[unsafe(no_mangle)]
pub extern "C" fn wm_crowd_free(crowd: Option<Box<Crowd>>) {
    drop(crowd);
}

/// Writes the settings of a walking adult.
#[unsafe(no_mangle)]
pub extern "C" fn wm_agent_settings_default(
    settings: Option<&mut MaybeUninit<AgentSettings>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let params = AgentParams::default();
        let defaults = AgentSettings {
            size: size_of::<AgentSettings>(),
            radius: params.radius,
            height: params.height,
            max_speed: params.max_speed,
            acceleration: params.acceleration,
            arrival_distance: params.arrival_distance,
            priority: u32::from(params.priority),
        };
        put("settings", settings, defaults)
    })
}

/// Adds an agent at the place of the mesh that is nearest to a position. `settings` may be NULL for
/// the default.
#[unsafe(no_mangle)]
pub extern "C" fn wm_crowd_add(
    crowd: Option<&mut Crowd>,
    mesh: Option<&Mesh>,
    position: Vec3,
    settings: Option<&AgentSettings>,
    agent: Option<&mut MaybeUninit<u64>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let (crowd, mesh) = (given("crowd", crowd)?, given("mesh", mesh)?);
        crowd.add(&*mesh.0, position, settings, agent)
    })
}

/// Removes an agent.
#[unsafe(no_mangle)]
pub extern "C" fn wm_crowd_remove(
    crowd: Option<&mut Crowd>,
    agent: u64,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let crowd = given("crowd", crowd)?;
        let id = crowd.agent(agent)?;
        crowd.crowd.remove(id);
        Ok(())
    })
}

/// Sends an agent to the place of the mesh that is nearest to a position.
#[unsafe(no_mangle)]
pub extern "C" fn wm_crowd_set_target(
    crowd: Option<&mut Crowd>,
    mesh: Option<&Mesh>,
    agent: u64,
    target: Vec3,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let (crowd, mesh) = (given("crowd", crowd)?, given("mesh", mesh)?);
        crowd.set_target(&*mesh.0, agent, target)
    })
}

/// Moves an agent at once, to the place of the mesh that is nearest to a position.
#[unsafe(no_mangle)]
pub extern "C" fn wm_crowd_set_position(
    crowd: Option<&mut Crowd>,
    mesh: Option<&Mesh>,
    agent: u64,
    position: Vec3,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let (crowd, mesh) = (given("crowd", crowd)?, given("mesh", mesh)?);
        crowd.set_position(&*mesh.0, agent, position)
    })
}

/// Sets how long a link of a mesh takes, in seconds, or with a negative number its length at the
/// agent's speed; and how many agents it takes at once, or with 0 any number. The others queue.
#[unsafe(no_mangle)]
pub extern "C" fn wm_crowd_set_link_rule(
    crowd: Option<&mut Crowd>,
    mesh: Option<&Mesh>,
    link: u64,
    seconds: f32,
    capacity: u32,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let mut rule = LinkRule::default();
        // NaN, whose sign is any, is no negative number: the rule refuses it.
        rule.seconds = Some(seconds).filter(|&seconds| seconds.is_nan() || seconds >= 0.0);
        rule.capacity = if capacity == 0 { rule.capacity } else { capacity };
        let (crowd, mesh) = (given("crowd", crowd)?, given("mesh", mesh)?);
        Ok(crowd.crowd.set_link_rule(&mesh.0, LinkId(link), rule)?)
    })
}

/// Moves all agents by `seconds`: they choose velocities that avoid each other and walls, and walk.
/// Steps of 0.1 s and less avoid collisions well.
#[unsafe(no_mangle)]
pub extern "C" fn wm_crowd_step(
    crowd: Option<&mut Crowd>,
    mesh: Option<&Mesh>,
    seconds: f32,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let (crowd, mesh) = (given("crowd", crowd)?, given("mesh", mesh)?);
        Ok(crowd.crowd.step(&mesh.0, seconds)?)
    })
}

/// Like wm_crowd_add, at the nearest place where the agent's own radius fits.
#[unsafe(no_mangle)]
pub extern "C" fn wm_crowd_add_discs(
    crowd: Option<&mut Crowd>,
    discs: Option<&Discs>,
    position: Vec3,
    settings: Option<&AgentSettings>,
    agent: Option<&mut MaybeUninit<u64>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let (crowd, discs) = (given("crowd", crowd)?, given("discs", discs)?);
        crowd.add(&discs.mesh, position, settings, agent)
    })
}

/// Like wm_crowd_set_target, at the nearest place where the agent's own radius fits.
#[unsafe(no_mangle)]
pub extern "C" fn wm_crowd_set_target_discs(
    crowd: Option<&mut Crowd>,
    discs: Option<&Discs>,
    agent: u64,
    target: Vec3,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let (crowd, discs) = (given("crowd", crowd)?, given("discs", discs)?);
        crowd.set_target(&discs.mesh, agent, target)
    })
}

/// Like wm_crowd_set_position. Where the agent's own radius does not fit, it walks away from walls.
#[unsafe(no_mangle)]
pub extern "C" fn wm_crowd_set_position_discs(
    crowd: Option<&mut Crowd>,
    discs: Option<&Discs>,
    agent: u64,
    position: Vec3,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let (crowd, discs) = (given("crowd", crowd)?, given("discs", discs)?);
        crowd.set_position(&discs.mesh, agent, position)
    })
}

/// Like wm_crowd_step, where each agent plans by its own radius and avoids passages that are too
/// narrow for it. `discs` must be of the mesh that the agents were added to.
#[unsafe(no_mangle)]
pub extern "C" fn wm_crowd_step_discs(
    crowd: Option<&mut Crowd>,
    discs: Option<&Discs>,
    seconds: f32,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let (crowd, discs) = (given("crowd", crowd)?, given("discs", discs)?);
        Ok(crowd.crowd.step(&discs.mesh, seconds)?)
    })
}

/// Writes the state of an agent.
#[unsafe(no_mangle)]
pub extern "C" fn wm_crowd_agent(
    crowd: Option<&Crowd>,
    agent: u64,
    state: Option<&mut MaybeUninit<AgentState>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || {
        let crowd = given("crowd", crowd)?;
        let (_, found) = crowd.state(agent)?;
        let status = match found.status {
            waymesh_crowd::AgentStatus::Idle => AgentStatus::Idle,
            waymesh_crowd::AgentStatus::Waiting => AgentStatus::Waiting,
            waymesh_crowd::AgentStatus::Walking => AgentStatus::Walking,
            waymesh_crowd::AgentStatus::Queueing { .. } => AgentStatus::Queueing,
            waymesh_crowd::AgentStatus::OnLink { .. } => AgentStatus::OnLink,
            waymesh_crowd::AgentStatus::Arrived => AgentStatus::Arrived,
            waymesh_crowd::AgentStatus::Blocked => AgentStatus::Blocked,
            // Also what a later version adds.
            _ => AgentStatus::Lost,
        };
        let found = AgentState {
            position: found.position.into(),
            velocity: found.velocity.into(),
            remaining: found.remaining,
            status,
        };
        put("state", state, found)
    })
}
