//! Links between places that share no edge, as entities.

use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::reflect::ReflectComponent;
use bevy::math::Vec3;
use bevy::reflect::Reflect;
use bevy::transform::components::{GlobalTransform, Transform};
use waymesh::graph::{LinkEnd, LinkId};
use waymesh::{Link, LinkKind, NavMesh};
use waymesh_crowd::LinkRule;

use crate::convert::to_waymesh;

/// A way between two places that share no edge: a ladder, a jump, a lift, a door.
///
/// It is on every mesh, baked or loaded, that has ground near both its ends: within the reach of a
/// path's end ([`waymesh::NavMesh::default_reach`]). Where an end has none, it is not there until
/// it has. Changing any mesh's links takes time linear in its polygons.
#[derive(Component, Clone, Debug, PartialEq, Reflect)]
#[reflect(opaque)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(Transform)]
pub struct NavMeshLink {
    /// Start of the link, in the space of the entity.
    pub from: Vec3,
    /// End of the link, in the space of the entity.
    pub to: Vec3,
    /// Half of the segment at its start, from `from - from_half` to `from + from_half`: agents leave at
    /// the nearest point of it. The segment stays on the polygon under its middle: its ends are the
    /// nearest points of that polygon. Default 0, a point.
    pub from_half: Vec3,
    /// Half of the segment at its end: agents arrive at the same share of the segment at which they
    /// left.
    pub to_half: Vec3,
    /// `true` if it can be taken from `to` to `from` as well. Default `true`.
    pub both_ways: bool,
    /// `false` if nobody takes it now, such as a locked door. Default `true`.
    pub is_open: bool,
    /// Cost in metres on top of the distance between its ends; finite, 0 or more. Default 0. A link
    /// with any other cost is on no mesh.
    pub extra_cost: f32,
    /// Its purpose. Default [`LinkKind::User`].
    pub kind: LinkKind,
    /// For the game. Default 0.
    pub data: u32,
    /// Duration of a ride, and the number of agents on it at once. A link with a rule out of its
    /// range is on no mesh.
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
            from_half: Vec3::ZERO,
            to_half: Vec3::ZERO,
            both_ways: true,
            is_open: true,
            extra_cost: 0.0,
            kind: LinkKind::default(),
            data: 0,
            rule: LinkRule::default(),
            navigation: None,
        }
    }

    /// Makes both ends segments of this width in metres, across the way in plan.
    #[must_use]
    pub fn with_width(self, width: f32) -> Self {
        let along = self.to - self.from;
        let half = 0.5 * width * Vec3::new(-along.z, 0.0, along.x).normalize_or_zero();
        Self { from_half: half, to_half: half, ..self }
    }

    /// Returns it on a mesh; `None` where an end has no ground.
    pub(crate) fn on(&self, mesh: &NavMesh, transform: &GlobalTransform) -> Option<Link> {
        let reach = mesh.default_reach();
        let end = |middle: Vec3, half: Vec3| {
            let place = mesh.nearest(to_waymesh(transform.transform_point(middle)), &reach)?;
            let point = mesh.link_end(&place);
            if half == Vec3::ZERO {
                return Some(point);
            }
            let half = to_waymesh(transform.affine().transform_vector3(half));
            let ends = [-half, half].map(|half| {
                let place = mesh.closest_on_polygon(place.polygon, place.position + half);
                place.map_or(point.ends[0], |place| mesh.link_end(&place).ends[0])
            });
            Some(LinkEnd { ends, ..point })
        };
        let (both_ways, is_open, extra_cost) = (self.both_ways, self.is_open, self.extra_cost);
        let link = Link::new(end(self.from, self.from_half)?, end(self.to, self.to_half)?, self.kind);
        let is_fine = extra_cost.is_finite() && extra_cost >= 0.0 && self.rule.validate().is_ok();
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
