//! A level of walls, its mesh, and a crowd that crosses it. Without a window: it prints what
//! happens.
//!
//! `cargo run --example walk`

use std::time::Duration;

use bevy::mesh::MeshPlugin;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_waymesh::prelude::*;
use waymesh::Agent;

#[expect(clippy::print_stdout, reason = "an example prints what it finds")]
fn main() {
    let mut app = app();
    app.update();
    let mut seconds = 0;
    while walkers(&mut app) > 0 && seconds < 60 {
        // A second of steps.
        (0..64).for_each(|_| app.update());
        seconds += 1;
        println!("{seconds} s: {} agents are on their way", walkers(&mut app));
    }
}

/// The app, with its level and its crowd.
pub fn app() -> App {
    let mut app = App::new();
    // A game has `DefaultPlugins` in place of the first four, and real time.
    app.add_plugins((MinimalPlugins, TransformPlugin, AssetPlugin::default(), MeshPlugin, WaymeshPlugin))
        .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(1.0 / 64.0)))
        .add_systems(Startup, (spawn_level, spawn_crowd).chain());
    app
}

/// Returns the number of agents that have not arrived.
pub fn walkers(app: &mut App) -> usize {
    let mut agents = app.world_mut().query::<&NavMeshAgentState>();
    agents.iter(app.world()).filter(|state| !state.status.has_arrived()).count()
}

/// Marks the entity of the mesh.
#[derive(Component, Debug)]
pub struct Level;

fn spawn_level(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>) {
    let mut baker = NavMeshBaker::world(64);
    let agent = Agent::default().with_radius(0.3).with_max_step(0.4);
    baker.config = baker.config.with_agent(agent).with_scale(0.15, 0.1);
    // Games do not wait for bakes. This example must give the same result every time.
    commands.spawn((Level, baker.with_wait(true)));

    let ground = meshes.add(Plane3d::default().mesh().size(24.0, 16.0));
    commands.spawn((Mesh3d(ground), NavMeshSource::default()));
    // Three walls with a gap each, at one end and the other.
    let wall = meshes.add(Cuboid::new(0.4, 2.5, 11.0));
    for (x, z) in [(-6.0, -2.5), (0.0, 2.5), (6.0, -2.5)] {
        let place = Transform::from_xyz(x, 1.25, z);
        commands.spawn((Mesh3d(wall.clone()), NavMeshSource::default(), place));
    }
}

fn spawn_crowd(mut commands: Commands, level: Single<Entity, With<Level>>) {
    for index in 0_u8..24 {
        let (row, column) = (f32::from(index / 8), f32::from(index % 8));
        let side = if index % 2 == 0 { 1.0 } else { -1.0 };
        let place = |x: f32| Vec3::new(side * x, 0.0, 1.5 * column - 5.25);
        let agent = (NavMeshAgent::default(), AgentTarget::Place(place(-9.0 - row)), WalksOn(*level));
        commands.spawn((agent, Transform::from_translation(place(9.0 + row))));
    }
}
