//! Components of agents: parameters, target and state.

use std::sync::Arc;

use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::message::Message;
use bevy::ecs::reflect::ReflectComponent;
use bevy::math::Vec3;
use bevy::reflect::Reflect;
use bevy::transform::components::Transform;
use waymesh::{AreaCosts, AreaFilter, NavMesh, PolyId};
use waymesh_crowd::{AgentParams, AgentStatus, CrowdConfig, CrowdError};

use waymesh::graph::TravelCost;

/// The mesh that an agent walks on: the entity of a [`NavMesh`](crate::NavMesh). When that entity
/// is despawned, the agent has none any more, and stands still.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[relationship(relationship_target = NavMeshWalkers)]
pub struct WalksOn(pub Entity);

/// The agents that walk on the entity's mesh: see [`WalksOn`].
#[derive(Component, Clone, Debug, Default)]
#[relationship_target(relationship = WalksOn)]
pub struct NavMeshWalkers(Vec<Entity>);

/// An agent of a crowd: it walks to its [`AgentTarget`], and avoids others and walls.
///
/// It needs a [`WalksOn`] as well. What it does is in its [`NavMeshAgentState`].
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(opaque)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(Transform, AgentTarget, NavMeshAgentState)]
pub struct NavMeshAgent {
    /// Radius, height, speed, acceleration, priority, and how near it comes to its target.
    pub params: AgentParams,
    /// The areas it walks on. Default: all.
    pub filter: AreaFilter,
    /// Cost of a metre by area. Default `None`: 1 everywhere.
    pub costs: Option<Arc<AreaCosts>>,
    /// Owner of its `Transform`.
    pub moved_by: MovedBy,
    /// Height of the entity's origin above the ground in metres. Default 0.
    pub origin_height: f32,
}

/// The owner of an agent's `Transform`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MovedBy {
    /// The crowd: it writes the translation of the agent's `Transform`. The game may also write it,
    /// to put the agent elsewhere.
    #[default]
    Crowd,
    /// The game, such as by its physics: it reads [`NavMeshAgentState::velocity`] and writes the
    /// `Transform`. On a link, which is no ground, the crowd moves the agent all the same.
    Game,
}

/// The target of an agent.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Clone, Debug, PartialEq)]
pub enum AgentTarget {
    /// No target: the agent stands.
    #[default]
    None,
    /// To the place on the mesh nearest to this one.
    Place(Vec3),
    /// After an entity. When it is despawned, the agent stops.
    Entity(Entity),
}

/// The state of an agent after the last step of its crowd.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(opaque)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NavMeshAgentState {
    /// Its status.
    pub status: NavMeshAgentStatus,
    /// Velocity in metres a second, up and down included.
    pub velocity: Vec3,
    /// Metres along its path to the end of that; 0 without a path.
    pub remaining: f32,
    /// The next corner of its path.
    pub corner: Option<Vec3>,
    /// Why its target, its parameters or the settings of its crowd are not taken, until they are.
    pub error: Option<CrowdError>,
}

/// The status of an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(opaque)]
#[reflect(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum NavMeshAgentStatus {
    /// It has no mesh: no [`WalksOn`], or the entity of that has no [`NavMesh`](crate::NavMesh) now.
    /// It stands still until it gets one.
    #[default]
    NoMesh,
    /// No ground near it is walkable for it: it stands still until ground appears or it is put
    /// elsewhere.
    NoGround,
    /// It is in the crowd.
    OnMesh(AgentStatus),
}

impl NavMeshAgentStatus {
    /// Returns `true` if it is at its target.
    #[must_use]
    pub fn has_arrived(&self) -> bool {
        *self == Self::OnMesh(AgentStatus::Arrived)
    }

    /// Returns `true` if both are of one kind, also on different links and places of them.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        use std::mem::discriminant;
        match (self, other) {
            (Self::OnMesh(a), Self::OnMesh(b)) => discriminant(a) == discriminant(b),
            _ => discriminant(self) == discriminant(other),
        }
    }
}

/// Message about a change of an agent's status: arrived, set off, blocked, without ground.
#[derive(Message, Clone, Copy, Debug, PartialEq)]
pub struct NavMeshAgentMessage {
    /// The agent.
    pub entity: Entity,
    /// Its status.
    pub status: NavMeshAgentStatus,
}

/// Settings for collision avoidance of the crowd on the entity's mesh; the defaults if it is
/// absent. Those out of their range are not taken, and agents say so in
/// [`NavMeshAgentState::error`].
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(opaque)]
#[reflect(Component, Clone, Debug, PartialEq)]
pub struct NavMeshCrowd(pub CrowdConfig);

/// Costs by area, or none.
#[derive(Clone, Debug)]
pub(crate) struct Costs(Option<Arc<AreaCosts>>);

impl TravelCost for Costs {
    fn per_metre(&self, mesh: &NavMesh, polygon: PolyId) -> f32 {
        self.0.as_ref().map_or(1.0, |costs| costs.per_metre(mesh, polygon))
    }

    fn least(&self) -> f32 {
        self.0.as_ref().map_or(1.0, |costs| costs.least())
    }

    fn bad_cost(&self) -> Option<(waymesh::AreaId, f32)> {
        self.0.as_ref().and_then(|costs| costs.bad_cost())
    }
}

pub(crate) type Params = AgentParams<AreaFilter, Costs>;

impl NavMeshAgent {
    pub(crate) fn params(&self) -> Params {
        self.params.with_filter(self.filter).with_cost(Costs(self.costs.clone()))
    }
}
