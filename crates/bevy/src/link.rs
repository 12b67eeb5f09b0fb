//! Links between places that share no edge, as entities.

use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::math::Vec3;
use bevy::transform::components::{GlobalTransform, Transform};
use waymesh::{Link, LinkKind, NavMesh};
use waymesh_crowd::LinkRule;

use waymesh::graph::LinkId;

use crate::convert::to_waymesh;

/// A way between two places that share no edge: a ladder, a jump, a lift, a door.
///
/// It is on every mesh, baked or loaded, that has ground near both its ends: within the reach of a
/// path's end ([`waymesh::NavMesh::default_reach`]). Where an end has none, it is not there until
/// it has. Changing any mesh's links takes time linear in its polygons.
#[derive(Component, Clone, Debug, PartialEq)]
#[require(Transform)]
pub struct NavMeshLink {
    /// Where it begins, in the space of the entity.
    pub from: Vec3,
    /// Where it ends, in the space of the entity.
    pub to: Vec3,
    /// `true` if it can be taken from `to` to `from` as well. Default `true`.
    pub both_ways: bool,
    /// `false` if nobody takes it now, such as a locked door. Default `true`.
    pub is_open: bool,
    /// What it costs in metres on top of the distance between its ends; finite, 0 or more. Default
    /// 0. A link with any other cost is on no mesh.
    pub extra_cost: f32,
    /// Its purpose. Default [`LinkKind::User`].
    pub kind: LinkKind,
    /// For the game. Default 0.
    pub data: u32,
    /// How long it takes agents, and how many are on it at once.
    pub rule: LinkRule,
    /// The mesh that it is for. Default `None`: all.
    pub navigation: Option<Entity>,
}

impl NavMeshLink {
    /// An open link both ways without extra cost.
    #[must_use]
    pub fn new(from: Vec3, to: Vec3) -> Self {
        Self {
            from,
            to,
            both_ways: true,
            is_open: true,
            extra_cost: 0.0,
            kind: LinkKind::default(),
            data: 0,
            rule: LinkRule::default(),
            navigation: None,
        }
    }

    /// Returns it on a mesh; `None` where an end has no ground.
    pub(crate) fn on(&self, mesh: &NavMesh, transform: &GlobalTransform) -> Option<Link> {
        let reach = mesh.default_reach();
        let end = |local: Vec3| {
            let place = mesh.nearest(to_waymesh(transform.transform_point(local)), &reach)?;
            Some(mesh.link_end(&place))
        };
        let (both_ways, is_open, extra_cost) = (self.both_ways, self.is_open, self.extra_cost);
        let link = Link::new(end(self.from)?, end(self.to)?, self.kind);
        let is_fine = extra_cost.is_finite() && extra_cost >= 0.0;
        is_fine.then_some(Link { both_ways, is_open, extra_cost, data: self.data, ..link })
    }
}

/// Set in the ids of links of entities, so that they are never those of others: bakes number theirs
/// from 0, worlds set the bit above.
const OF_ENTITIES: u64 = 1 << 62;

/// Returns the id that the link of an entity has on every mesh.
pub(crate) fn id_of(entity: Entity) -> LinkId {
    LinkId(OF_ENTITIES | entity.to_bits() & (OF_ENTITIES - 1))
}
