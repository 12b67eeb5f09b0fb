//! A headless app, and levels for it.

#![allow(dead_code, unreachable_pub, reason = "every test uses a part of it")]

use std::time::{Duration, Instant};

use bevy::asset::AssetPlugin;
use bevy::mesh::MeshPlugin;
pub use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy::transform::TransformPlugin;
pub use bevy_waymesh::prelude::*;
use waymesh::Agent;

/// An app without windows whose fixed steps take a 64th of a second, one in each update.
pub fn app() -> App {
    app_with(AssetPlugin::default())
}

/// Returns an app with a folder of assets.
pub fn app_with(assets: AssetPlugin) -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, assets, MeshPlugin, WaymeshPlugin))
        .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(1.0 / 64.0)));
    app
}

/// A baker of worlds for a small agent, which waits for its bakes.
pub fn baker() -> NavMeshBaker {
    small(NavMeshBaker::world(32)).with_wait(true)
}

/// Returns the baker with a small agent.
pub fn small(mut baker: NavMeshBaker) -> NavMeshBaker {
    let agent = Agent::default().with_radius(0.3).with_max_step(0.4);
    baker.config = baker.config.with_agent(agent).with_scale(0.2, 0.1);
    baker
}

/// Flat ground around the origin, in plan `x` by `z` metres.
pub fn ground(app: &mut App, x: f32, z: f32) -> Entity {
    let mesh = Mesh::from(Plane3d::default().mesh().size(x, z));
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(mesh);
    app.world_mut().spawn((Mesh3d(mesh), NavMeshSource::default())).id()
}

/// The mesh of an entity.
pub fn mesh(app: &App, navigation: Entity) -> Option<&NavMesh> {
    app.world().get::<NavMesh>(navigation)
}

/// The plan area of the mesh of an entity.
pub fn area(app: &App, navigation: Entity) -> f64 {
    mesh(app, navigation).map_or(0.0, |mesh| mesh.mesh().area())
}

/// Updates until `is_done`, for a minute at most.
pub fn update_until(app: &mut App, mut is_done: impl FnMut(&mut App) -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !is_done(app) {
        assert!(Instant::now() < end, "it takes too long");
        app.update();
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// All messages of a type that were not read yet.
pub fn messages<M: Message>(app: &mut App) -> Vec<M> {
    app.world_mut().resource_mut::<Messages<M>>().drain().collect()
}
