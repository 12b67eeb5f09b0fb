//! Steps crowds.

use std::collections::BTreeMap;

use bevy::ecs::change_detection::{DetectChanges, Ref, Tick};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::hierarchy::ChildOf;
use bevy::ecs::message::MessageWriter;
use bevy::ecs::query::{QueryData, With, Without};
use bevy::ecs::relationship::RelationshipTarget as _;
use bevy::ecs::system::{Query, Res, SystemParam};
use bevy::math::Vec3;
use bevy::time::Time;
use bevy::transform::components::{GlobalTransform, Transform};
use waymesh::AreaFilter;
use waymesh::graph::Generation;
use waymesh_crowd::{AgentId, AgentStatus, Crowd, CrowdError};

use crate::agent::{
    AgentTarget, Costs, MovedBy, NavMeshAgent, NavMeshAgentMessage, NavMeshAgentState, NavMeshAgentStatus,
    NavMeshCrowd, NavMeshWalkers, WalksOn,
};
use crate::clearance::{Clearance, Ground};
use crate::convert::{to_bevy, to_waymesh};
use crate::nav_mesh::NavMesh;

/// Largest distance between an agent and its position in the crowd that does not count as a move,
/// in metres and as a share of its coordinates: the rounding of parent transforms.
const SAME_PLACE: [f32; 2] = [1e-4, 1e-6];

/// The crowd on a mesh.
#[derive(Component, Debug, Default)]
pub(crate) struct CrowdState {
    crowd: Crowd<AreaFilter, Costs>,
    /// By entity, so that agents come and go in one order.
    members: BTreeMap<Entity, Member>,
    steps: u64,
    /// Change of the mesh whose rules of links the crowd has.
    ruled: Option<Tick>,
}

/// An agent of a crowd.
#[derive(Debug)]
struct Member {
    place: MemberPlace,
    /// The target that the crowd knows.
    target: Option<Vec3>,
    /// Change of its component whose parameters the crowd has, or refused.
    params: Option<Tick>,
    /// Why its parameters are not taken.
    refused: Option<CrowdError>,
    /// The last step with it.
    seen: u64,
}

#[derive(Debug)]
enum MemberPlace {
    On(AgentId),
    /// Outside the mesh, with the generation and the position of the last search for ground.
    Off(Option<(Generation, Vec3)>),
}

#[cfg(feature = "gizmos")]
impl CrowdState {
    /// Returns the corners of each agent's path, from where the agent is.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &[waymesh::glam::Vec3]> {
        self.members.values().filter_map(|member| match member.place {
            MemberPlace::On(id) => self.crowd.path(id),
            MemberPlace::Off(_) => None,
        })
    }
}

/// The components of an agent that a step reads and writes.
#[derive(QueryData)]
#[query_data(mutable)]
pub(crate) struct AgentData {
    agent: Ref<'static, NavMeshAgent>,
    target: &'static AgentTarget,
    state: &'static mut NavMeshAgentState,
    transform: &'static mut Transform,
    parent: Option<&'static ChildOf>,
}

/// Positions of agents and targets.
#[derive(SystemParam)]
pub(crate) struct Places<'w, 's> {
    places: Query<'w, 's, &'static GlobalTransform>,
}

impl Places<'_, '_> {
    fn parent(&self, parent: Option<&ChildOf>) -> Option<&GlobalTransform> {
        self.places.get(parent?.parent()).ok()
    }

    /// Returns where a target is.
    fn target(&self, target: &AgentTarget) -> Option<Vec3> {
        match *target {
            AgentTarget::None => None,
            AgentTarget::Place(place) => Some(place),
            AgentTarget::Entity(entity) => self.places.get(entity).ok().map(GlobalTransform::translation),
        }
    }
}

type Grounds<'w, 's> = Query<
    'w,
    's,
    (
        &'static NavMeshWalkers,
        Option<Ref<'static, NavMesh>>,
        Option<&'static mut CrowdState>,
        Option<&'static Clearance>,
        Option<&'static NavMeshCrowd>,
    ),
>;

/// Lets all agents take a step.
pub(crate) fn step_crowds(
    mut grounds: Grounds,
    mut agents: Query<AgentData, With<WalksOn>>,
    mut lost: Query<(Entity, &mut NavMeshAgentState), Without<WalksOn>>,
    places: Places,
    time: Res<Time>,
    mut messages: MessageWriter<NavMeshAgentMessage>,
) {
    let dt = time.delta_secs();
    let mut report = |entity: Entity, state: &mut NavMeshAgentState, status: NavMeshAgentStatus| {
        if !state.status.is_like(&status) {
            messages.write(NavMeshAgentMessage { entity, status });
        }
        state.status = status;
        if !matches!(status, NavMeshAgentStatus::OnMesh(_)) {
            (state.velocity, state.remaining, state.corner) = (Vec3::ZERO, 0.0, None);
        }
    };
    for (entity, mut state) in &mut lost {
        if state.status != NavMeshAgentStatus::NoMesh {
            report(entity, &mut state, NavMeshAgentStatus::NoMesh);
        }
    }
    for (walkers, mesh, crowd, clearance, config) in &mut grounds {
        let (Some(mesh), Some(mut state)) = (mesh, crowd) else {
            for entity in walkers.iter() {
                if let Ok(mut agent) = agents.get_mut(entity) {
                    report(entity, &mut agent.state, NavMeshAgentStatus::NoMesh);
                }
            }
            continue;
        };
        let CrowdState { crowd, members, steps, ruled } = &mut *state;
        *steps += 1;
        let bad_config = crowd.set_config(config.map(|config| config.0).unwrap_or_default()).err();
        // The system sees a mesh only while agents walk on it, and so may not see that it changed.
        if ruled.replace(mesh.last_changed()) != Some(mesh.last_changed()) {
            for (link, rule) in mesh.rules() {
                // All are of links of the mesh, and were checked.
                let _ = crowd.set_link_rule(&**mesh.mesh(), link, rule);
            }
        }
        let mesh = mesh.mesh().clone();
        let clearance = clearance.and_then(|clearance| clearance.of(&mesh));
        let ground = Ground { mesh, clearance };
        for entity in walkers.iter() {
            let Ok(mut data) = agents.get_mut(entity) else { continue };
            let fresh =
                Member { place: MemberPlace::Off(None), target: None, params: None, refused: None, seen: 0 };
            let member = members.entry(entity).or_insert(fresh);
            member.seen = *steps;
            member.prepare(crowd, &ground, &mut data, &places);
            data.state.error = data.state.error.or(bad_config);
        }
        members.retain(|_, member| {
            if member.seen != *steps
                && let MemberPlace::On(id) = member.place
            {
                crowd.remove(id);
            }
            member.seen == *steps
        });
        if dt > 0.0 {
            // The only error is a bad `dt`.
            let _ = crowd.step(&ground, dt);
        }
        for (&entity, member) in members.iter() {
            let Ok(mut data) = agents.get_mut(entity) else { continue };
            let now = match member.place {
                MemberPlace::On(id) => crowd.agent(id).map(|now| (id, now)),
                MemberPlace::Off(_) => None,
            };
            let Some((id, now)) = now.filter(|(_, now)| now.status != AgentStatus::Lost) else {
                report(entity, &mut data.state, NavMeshAgentStatus::NoGround);
                continue;
            };
            report(entity, &mut data.state, NavMeshAgentStatus::OnMesh(now.status));
            data.state.velocity = to_bevy(now.velocity);
            data.state.remaining = now.remaining;
            data.state.corner = crowd.path(id).and_then(|path| path.get(1)).map(|&corner| to_bevy(corner));
            let is_on_link = matches!(now.status, AgentStatus::OnLink { .. });
            if data.agent.moved_by == MovedBy::Crowd || is_on_link {
                let place = to_bevy(now.position) + Vec3::Y * data.agent.origin_height;
                let parent = places.parent(data.parent);
                let local = parent.map_or(place, |parent| parent.affine().inverse().transform_point3(place));
                if data.transform.translation != local && local.is_finite() {
                    data.transform.translation = local;
                }
            }
        }
    }
}

impl Member {
    /// Passes the changes of an agent since the last step to the crowd.
    fn prepare(
        &mut self,
        crowd: &mut Crowd<AreaFilter, Costs>,
        ground: &Ground,
        data: &mut AgentDataItem,
        places: &Places,
    ) {
        let changed = data.agent.last_changed();
        let is_new = self.params.replace(changed) != Some(changed);
        let parent = places.parent(data.parent);
        let local = data.transform.translation;
        let origin = parent.map_or(local, |parent| parent.transform_point(local));
        let place = origin - Vec3::Y * data.agent.origin_height;
        if let MemberPlace::On(id) = self.place
            && let Some(now) = crowd.agent(id)
        {
            if is_new {
                // It keeps those it had.
                self.refused = crowd.set_params(id, data.agent.params()).err();
            }
            let slack = SAME_PLACE[0] + SAME_PLACE[1] * place.length();
            let is_moved = to_bevy(now.position).distance(place) > slack;
            let is_on_link = matches!(now.status, AgentStatus::OnLink { .. });
            let is_teleported = is_moved && !is_on_link;
            if is_teleported && crowd.set_position(ground, id, to_waymesh(place)).is_err() {
                crowd.remove(id);
                self.place = MemberPlace::Off(Some((ground.mesh.generation(), place)));
                self.target = None;
            }
        }
        if let MemberPlace::Off(tried) = self.place {
            let here = Some((ground.mesh.generation(), place));
            if tried == here && !is_new {
                return;
            }
            match crowd.add(ground, data.agent.params(), to_waymesh(place)) {
                Ok(id) => *self = Self { place: MemberPlace::On(id), target: None, refused: None, ..*self },
                Err(error) => {
                    self.place = MemberPlace::Off(here);
                    data.state.error = Some(error);
                    return;
                }
            }
        }
        let MemberPlace::On(id) = self.place else { return };
        data.state.error = self.refused;
        let target = places.target(data.target);
        if target == self.target {
            return;
        }
        let result = match target {
            Some(target) => crowd.set_target(ground, id, to_waymesh(target)),
            None => crowd.stop(id),
        };
        match result {
            Ok(()) => self.target = target,
            Err(error) => data.state.error = Some(error),
        }
    }
}
