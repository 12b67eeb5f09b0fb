//! Geometry of components that this crate does not know.

use std::any::TypeId;
use std::sync::Arc;

use bevy::app::{App, Plugin, PostUpdate};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::RemovedComponents;
use bevy::ecs::query::{Added, Changed, Or};
use bevy::ecs::resource::Resource;
use bevy::ecs::schedule::IntoScheduleConfigs;
use bevy::ecs::system::{Query, Res};

use super::Triangles;
use crate::NavMeshSystems;

/// Triangles that a hook gave, and for which component.
#[derive(Component, Debug, Default)]
pub(crate) struct HookedTriangles(pub(crate) Option<(TypeId, Arc<Triangles>)>);

/// Takes geometry from a component of another crate, such as the collider of a physics engine.
///
/// The function gives the triangles of a component in the space of its entity, or `None` if it has
/// none. It is called when the component was added or changed, for entities with a
/// [`NavMeshSource`](crate::NavMeshSource), [`NavMeshObstacle`](crate::NavMeshObstacle) or
/// [`NavMeshArea`](crate::NavMeshArea). The triangles count in place of the entity's mesh; a
/// [`NavMeshCollider`](crate::NavMeshCollider) counts in place of both. An entity has the triangles
/// of one such component, the last that changed.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_waymesh::{NavMeshGeometryPlugin, Triangles};
/// #[derive(Component)]
/// struct Platform { side: f32 }
///
/// fn triangles(platform: &Platform) -> Option<Triangles> {
///     let mesh = Mesh::from(Plane3d::default().mesh().size(platform.side, platform.side));
///     Triangles::of_mesh(&mesh).ok()
/// }
/// App::new().add_plugins(NavMeshGeometryPlugin::new(triangles));
/// ```
#[derive(Debug)]
pub struct NavMeshGeometryPlugin<C> {
    triangles: fn(&C) -> Option<Triangles>,
}

impl<C: Component> NavMeshGeometryPlugin<C> {
    /// A plugin that calls this function.
    #[must_use]
    pub fn new(triangles: fn(&C) -> Option<Triangles>) -> Self {
        Self { triangles }
    }
}

impl<C: Component> Plugin for NavMeshGeometryPlugin<C> {
    fn build(&self, app: &mut App) {
        app.insert_resource(Hook { triangles: self.triangles })
            .add_systems(PostUpdate, call_hook::<C>.in_set(NavMeshSystems::Geometry));
    }
}

#[derive(Resource)]
struct Hook<C: Component> {
    triangles: fn(&C) -> Option<Triangles>,
}

type IsNew<C> = Or<(Changed<C>, Added<HookedTriangles>)>;

fn call_hook<C: Component>(
    hook: Res<Hook<C>>,
    mut changed: Query<(&C, &mut HookedTriangles), IsNew<C>>,
    mut removed: RemovedComponents<C>,
    mut all: Query<&mut HookedTriangles, bevy::ecs::query::Without<C>>,
) {
    let name = TypeId::of::<C>();
    for (component, mut hooked) in &mut changed {
        hooked.0 = (hook.triangles)(component).map(|triangles| (name, Arc::new(triangles)));
    }
    for entity in removed.read() {
        let entity: Entity = entity;
        if let Ok(mut hooked) = all.get_mut(entity)
            && hooked.0.as_ref().is_some_and(|(of, _)| *of == name)
        {
            hooked.0 = None;
        }
    }
}
