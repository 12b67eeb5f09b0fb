//! Components that say what is ground, what is in the way, and what costs more.

use bevy::ecs::component::Component;
use bevy::ecs::reflect::ReflectComponent;
use bevy::reflect::Reflect;
use bevy::transform::components::Transform;
use waymesh::AreaId;

use crate::geometry::HookedTriangles;

/// The entity's geometry is part of the level: ground where it is gentle enough, walls elsewhere.
///
/// The geometry is the entity's [`NavMeshCollider`](crate::NavMeshCollider), or what a
/// [`NavMeshGeometryPlugin`](crate::NavMeshGeometryPlugin) gives, or its
/// [`Mesh3d`](bevy::mesh::Mesh3d), the first of these that is there, as its `GlobalTransform`
/// places it.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
#[reflect(opaque)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(Transform, HookedTriangles)]
pub struct NavMeshSource {
    /// What the ground is made of. [`AreaId::NULL`] is solid, and nobody walks on it. Default
    /// [`AreaId::GROUND`].
    pub area: AreaId,
}

impl Default for NavMeshSource {
    fn default() -> Self {
        Self { area: AreaId::GROUND }
    }
}

/// The entity's geometry is in the way, and may move: the world makes room around it.
///
/// See [`NavMeshSource`] for what the geometry is. Triangles must be closed and face outward. In a
/// [`FrontEnd::World`](crate::FrontEnd::World) an obstacle that moves costs the tiles around it;
/// with any other front end, and [`Rebuild::OnChange`](crate::Rebuild::OnChange), a whole bake.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(Transform, HookedTriangles)]
pub struct NavMeshObstacle {
    /// `true` if agents may stand on it wherever its top is gentle enough, as on a platform or a
    /// ramp. Default `false`: then only the parts that an agent can step onto from the ground
    /// beside are walkable, as on any low obstacle.
    pub walkable: bool,
}

/// The ground in the entity's geometry is of another kind: mud, water, a lawn that is not stepped
/// on. Where areas overlap, the one of the highest `order` counts.
///
/// See [`NavMeshSource`] for what the geometry is. Triangles must be closed.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
#[reflect(opaque)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(Transform, HookedTriangles)]
pub struct NavMeshArea {
    /// What the ground is; [`AreaId::NULL`] cuts it out, without the margin of an agent's radius.
    pub area: AreaId,
    /// Those of a higher order count where areas overlap. Default 0.
    pub order: i32,
}

impl NavMeshArea {
    /// Ground of this kind, order 0.
    #[must_use]
    pub fn new(area: AreaId) -> Self {
        Self { area, order: 0 }
    }
}
