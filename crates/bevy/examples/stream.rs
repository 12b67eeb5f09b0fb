//! A long level that is baked once, and streamed around a walker: its tiles come and go. Without a
//! window: it prints what happens.
//!
//! `cargo run --example stream`

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use bevy::mesh::MeshPlugin;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_waymesh::prelude::*;
use waymesh::{Agent, BakeConfig};

/// Half of the level along x in metres.
pub const HALF: f32 = 60.0;

#[expect(clippy::print_stdout, reason = "an example prints what it finds")]
fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let all = bake(folder.path())?;
    let mut app = app(folder.path());
    for second in 1..=180 {
        // A second of steps.
        (0..64).for_each(|_| app.update());
        let (x, tiles) = walker(&mut app);
        if second % 10 == 0 {
            println!("{second} s: the walker is at {x:.0} m, {tiles} of {all} tiles are there");
        }
        if x > HALF - 2.0 {
            break;
        }
    }
    Ok(())
}

/// The settings of the bake, which the game has to know as well.
fn config() -> BakeConfig {
    let agent = Agent::default().with_radius(0.3).with_max_step(0.4);
    NavMeshBaker::world(32).config.with_agent(agent).with_scale(0.25, 0.1)
}

/// Before the game is shipped: bakes the level and writes its tiles into a folder. Returns how
/// many. Any program that uses waymesh can do that, without Bevy as well.
///
/// # Errors
/// If they cannot be baked or written.
pub fn bake(folder: &Path) -> Result<usize, Box<dyn Error>> {
    let mut app = app_without_level(AssetPlugin::default());
    app.add_systems(Startup, |mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>| {
        commands.spawn(NavMeshBaker::world(32).with_config(config()).with_wait(true));
        let ground = meshes.add(Plane3d::default().mesh().size(2.0 * HALF, 16.0));
        commands.spawn((Mesh3d(ground), NavMeshSource::default()));
        for number in 0_u8..11 {
            let (x, z) = (10.0 * f32::from(number) - 50.0, if number % 2 == 0 { 3.0 } else { -3.0 });
            let wall = (NavMeshSource::default(), NavMeshCollider::cuboid(0.4, 3.0, 10.0));
            commands.spawn((wall, Transform::from_xyz(x, 1.0, z)));
        }
    });
    app.update();
    let mut bakes = app.world_mut().query::<&NavMeshBake>();
    let world = bakes.single(app.world())?.world().ok_or("the bake failed")?;
    world.write_tiles(folder, &mut ())?;
    Ok(world.tiles().count())
}

/// The game: the tiles of a folder around one walker.
pub fn app(folder: &Path) -> App {
    let file_path = folder.to_string_lossy().into_owned();
    let mut app = app_without_level(AssetPlugin { file_path, ..AssetPlugin::default() });
    app.add_systems(Startup, spawn).add_systems(PreUpdate, lead);
    app
}

fn spawn(mut commands: Commands, server: Res<AssetServer>) {
    // Games do not wait for tiles. This example must give the same result every time.
    let streamer = NavMeshStreamer::new(server.load("bake.txt"), config()).with_wait(true);
    let level = commands.spawn(streamer).id();
    let walker = (NavMeshAgent::default(), WalksOn(level), NavMeshFocus::new(14.0));
    commands.spawn((walker, Transform::from_xyz(1.0 - HALF, 0.0, 0.0)));
    // A crate in the way, far off: the tiles around it are built again when they come.
    let block = (NavMeshObstacle::default(), NavMeshCollider::cuboid(2.0, 2.0, 2.0));
    commands.spawn((block, Transform::from_xyz(-5.0, 1.0, 0.0)));
}

/// The mesh ends a few tiles ahead, so the walker is led from place to place.
fn lead(mut walkers: Query<(&mut AgentTarget, &Transform), With<NavMeshFocus>>) {
    for (mut target, transform) in &mut walkers {
        let ahead = (transform.translation.x + 10.0).min(HALF - 1.0);
        target.set_if_neq(AgentTarget::Place(Vec3::new(ahead, 0.0, 0.0)));
    }
}

/// Returns the position of the walker along the level, and the number of tiles in the mesh.
pub fn walker(app: &mut App) -> (f32, usize) {
    let mut walkers = app.world_mut().query_filtered::<&Transform, With<NavMeshAgent>>();
    let x = walkers.iter(app.world()).map(|walker| walker.translation.x).fold(-HALF, f32::max);
    let mut streams = app.world_mut().query::<&NavMeshStream>();
    (x, streams.iter(app.world()).map(|stream| stream.tiles().count()).sum())
}

fn app_without_level(assets: AssetPlugin) -> App {
    let mut app = App::new();
    // A game has `DefaultPlugins` in place of the first four, and real time.
    app.add_plugins((MinimalPlugins, TransformPlugin, assets, MeshPlugin, WaymeshPlugin))
        .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(1.0 / 64.0)));
    app
}
