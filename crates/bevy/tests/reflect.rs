//! Components through reflection, as editors and scripts set them.

mod common;

use std::any::TypeId;

use bevy::ecs::reflect::AppTypeRegistry;
use bevy::ecs::reflect::ReflectComponent;
use bevy::reflect::{Reflect, ReflectMut};
use bevy_waymesh::NavMeshCrowd;
use common::*;

/// Returns what inserts a component of a type.
fn component<T: Reflect>(app: &App) -> ReflectComponent {
    let registry = app.world().resource::<AppTypeRegistry>().read();
    let known = registry.get_type_data::<ReflectComponent>(TypeId::of::<T>());
    known.unwrap_or_else(|| panic!("{} is not registered", std::any::type_name::<T>())).clone()
}

#[test]
fn components_are_set_by_reflection() {
    let mut app = app();
    for known in [
        component::<AgentTarget>(&app),
        component::<NavMeshAgent>(&app),
        component::<NavMeshAgentState>(&app),
        component::<NavMeshArea>(&app),
        component::<NavMeshBaker>(&app),
        component::<NavMeshClearance>(&app),
        component::<NavMeshCrowd>(&app),
        component::<NavMeshFocus>(&app),
        component::<NavMeshHandle>(&app),
        component::<NavMeshLink>(&app),
        component::<NavMeshSource>(&app),
        component::<NavMeshStreamer>(&app),
        component::<WalksOn>(&app),
    ] {
        let empty = app.world_mut().spawn_empty().id();
        assert!(!known.contains(app.world().entity(empty)));
    }
    let obstacle = component::<NavMeshObstacle>(&app);
    let entity = app.world_mut().spawn(NavMeshObstacle::default()).id();
    {
        let mut found = obstacle.reflect_mut(app.world_mut().entity_mut(entity)).expect("it is there");
        let ReflectMut::Struct(fields) = found.reflect_mut() else { panic!("a struct") };
        let walkable = fields.field_mut("walkable").expect("a field");
        walkable.apply(&true);
    }
    assert_eq!(app.world().get::<NavMeshObstacle>(entity), Some(&NavMeshObstacle { walkable: true }));
    // One of foreign parts is copied as a whole.
    let registry = app.world().resource::<AppTypeRegistry>().clone();
    let link = NavMeshLink::new(Vec3::ZERO, Vec3::X).with_width(2.0);
    let known = component::<NavMeshLink>(&app);
    known.insert(&mut app.world_mut().entity_mut(entity), &link, &registry.read());
    assert_eq!(app.world().get::<NavMeshLink>(entity), Some(&link));
}
