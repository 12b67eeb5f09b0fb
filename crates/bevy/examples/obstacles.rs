//! A gate that opens and closes in the only passage: the world is rebuilt around it, in the
//! background, while agents walk.
//!
//! `cargo run --example obstacles`

use std::time::Duration;

use bevy::mesh::MeshPlugin;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_waymesh::prelude::*;
use waymesh::Agent;

/// Steps of 1/64 s until the gate opens.
pub const OPENS: u32 = 64 * 8;

#[expect(clippy::print_stdout, reason = "an example prints what it finds")]
fn main() {
    let mut app = app(false);
    app.add_systems(Update, print_messages);
    for step in 0..64 * 25 {
        app.update();
        // Real time, as in a game, so that bakes end a few frames later.
        std::thread::sleep(Duration::from_millis(2));
        if step % 64 == 0 {
            let mut agents = app.world_mut().query::<(&Transform, &NavMeshAgentState)>();
            for (transform, state) in agents.iter(app.world()) {
                println!("{} s: at {:.1}, {:?}", step / 64, transform.translation, state.status);
            }
        }
    }
}

/// The app. With `wait`, frames wait for bakes, and every run is the same.
pub fn app(wait: bool) -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, AssetPlugin::default(), MeshPlugin, WaymeshPlugin))
        .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(1.0 / 64.0)))
        .add_systems(Startup, move |commands: Commands| spawn(commands, wait))
        .add_systems(FixedUpdate, move_gate);
    app
}

#[derive(Component)]
struct Gate;

fn spawn(mut commands: Commands, wait: bool) {
    let mut baker = NavMeshBaker::world(32).with_wait(wait);
    baker.config = baker.config.with_agent(Agent::default().with_radius(0.3).with_max_step(0.4));
    baker.config = baker.config.with_scale(0.15, 0.1);
    let level = commands.spawn(baker).id();
    let floor = NavMeshCollider::cuboid(20.0, 1.0, 10.0);
    commands.spawn((NavMeshSource::default(), floor, Transform::from_xyz(0.0, -0.5, 0.0)));
    for z in [-3.25, 3.25] {
        let wall = NavMeshCollider::cuboid(0.5, 3.0, 3.5);
        commands.spawn((NavMeshSource::default(), wall, Transform::from_xyz(0.0, 1.5, z)));
    }
    let gate = NavMeshCollider::cuboid(0.3, 3.0, 3.5);
    commands.spawn((Gate, NavMeshObstacle::default(), gate, Transform::from_xyz(0.0, 1.5, 0.0)));
    for z in [-1.0, 1.0] {
        let target = AgentTarget::Place(Vec3::new(7.0, 0.0, z));
        let agent = (NavMeshAgent::default(), target, WalksOn(level));
        commands.spawn((agent, Transform::from_xyz(-7.0, 0.0, z)));
    }
}

/// The gate is closed at first, and then rises out of the way.
fn move_gate(mut gate: Single<&mut Transform, With<Gate>>, mut steps: Local<u32>) {
    *steps += 1;
    if *steps > OPENS && gate.translation.y < 6.0 {
        gate.translation.y += 0.05;
    }
}

#[expect(clippy::print_stdout, reason = "an example prints what it finds")]
fn print_messages(mut messages: MessageReader<NavMeshBakeMessage>) {
    for message in messages.read() {
        if let NavMeshBakeMessage::Finished { summary, .. } = message {
            let tiles = summary.update.map_or(0, |update| update.rebuilt);
            println!("{tiles} tiles in {:.1} ms", 1e3 * summary.seconds);
        }
    }
}
