//! Components for sources of ground, obstacles and areas.

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
/// [`Mesh3d`](bevy::mesh::Mesh3d), the first of these that the entity has, as its
/// `GlobalTransform` places it.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
#[reflect(opaque)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(Transform, HookedTriangles)]
pub struct NavMeshSource {
    /// Area of the ground. [`AreaId::NULL`] is solid and not walkable. Default
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
/// See [`NavMeshSource`] for the geometry. Triangles must be closed and face outward. In a
/// [`FrontEnd::World`](crate::FrontEnd::World) an obstacle that moves costs the tiles around it;
/// with any other front end, and [`Rebuild::OnChange`](crate::Rebuild::OnChange), a whole bake.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(Transform, HookedTriangles)]
pub struct NavMeshObstacle {
    /// `true` if agents may stand on it wherever its top is gentle enough, as on a platform or a
    /// ramp. Default `false`: then only the parts that an agent can step onto from the
    /// adjacent ground are walkable, as on any low obstacle.
    pub walkable: bool,
}

/// The ground in the entity's geometry is of another kind: mud, water, a lawn that is not stepped
/// on. Where areas overlap, the one of the highest `order` counts.
///
/// See [`NavMeshSource`] for the geometry. Triangles must be closed.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
#[reflect(opaque)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(Transform, HookedTriangles)]
pub struct NavMeshArea {
    /// Area of the ground; [`AreaId::NULL`] cuts it out, without the margin of an agent's radius.
    pub area: AreaId,
    /// Order: where areas overlap, the highest one counts. Default 0.
    pub order: i32,
}

impl NavMeshArea {
    /// Ground of this kind, order 0.
    #[must_use]
    pub fn new(area: AreaId) -> Self {
        Self { area, order: 0 }
    }
}
