//! The geometry of entities: triangles of meshes, simple shapes, and what other crates know of
//! theirs.

mod hook;
mod placed;
mod triangles;

pub(crate) use hook::HookedTriangles;
pub use hook::NavMeshGeometryPlugin;
pub(crate) use placed::{Placed, Shape};
pub(crate) use triangles::MeshTriangles;
pub use triangles::{GeometryError, Triangles};

use std::sync::Arc;

use bevy::ecs::component::Component;
use bevy::math::Vec3;
use bevy::transform::components::Transform;

/// The shape of an entity, for its [`NavMeshSource`](crate::NavMeshSource),
/// [`NavMeshObstacle`](crate::NavMeshObstacle) or [`NavMeshArea`](crate::NavMeshArea). It counts in
/// place of the entity's mesh.
///
/// In the space of the entity, around its origin. Metres, before its scale.
#[derive(Component, Clone, Debug, PartialEq)]
#[require(Transform)]
pub enum NavMeshCollider {
    /// A box.
    Box {
        /// Half of its sides.
        half_size: Vec3,
    },
    /// A cylinder along y.
    Cylinder {
        /// Its radius.
        radius: f32,
        /// Its whole height: half of it lies below the origin.
        height: f32,
    },
    /// Triangles. To fill the space in them as an obstacle or an area, they must be closed, and
    /// face outward.
    Triangles(Arc<Triangles>),
}

impl NavMeshCollider {
    /// Returns a box of these sides.
    #[must_use]
    pub fn cuboid(x: f32, y: f32, z: f32) -> Self {
        Self::Box { half_size: Vec3::new(x, y, z) / 2.0 }
    }

    /// Returns a cylinder along y.
    #[must_use]
    pub fn cylinder(radius: f32, height: f32) -> Self {
        Self::Cylinder { radius, height }
    }

    pub(crate) fn shape(&self) -> Shape {
        match self {
            Self::Box { half_size } => Shape::Box { half_size: *half_size },
            Self::Cylinder { radius, height } => Shape::Cylinder { radius: *radius, height: *height },
            Self::Triangles(triangles) => Shape::Triangles(triangles.clone()),
        }
    }
}
