//! A level, its navigation mesh, agents and their paths as a picture. Without a window: on the
//! graphics card, or on a software adapter such as Mesa's lavapipe.
//!
//! `cargo run --example picture --features picture -- picture.png`

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bevy::app::TerminalCtrlCHandlerPlugin;
use bevy::camera::RenderTarget;
use bevy::core_pipeline::tonemapping::{DebandDither, Tonemapping};
use bevy::light::DirectionalLightShadowMap;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::render_resource::TextureFormat;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::time::TimeUpdateStrategy;
use bevy::window::ExitCondition;
use bevy_waymesh::prelude::*;
use bevy_waymesh::{NavMeshGizmos, NavMeshGizmosPlugin};
use waymesh::{Agent, AreaId};

const SIZE: [u32; 2] = [900, 480];
/// Steps of a quarter of a second until the picture is taken.
const STEPS: u32 = 22;
/// Limit of frames for the picture.
const MOST_FRAMES: u32 = 100;
/// Parts that the picture must show, with their colour and least number of pixels.
const SHOWN: [(&str, [u8; 3], usize); 4] = [
    ("borders", [13, 51, 128], 500),
    ("portals", [77, 153, 230], 500),
    ("paths", [230, 26, 51], 500),
    ("the link", [230, 204, 26], 20),
];

#[expect(clippy::print_stdout, reason = "an example prints what it writes")]
fn main() -> Result<(), Box<dyn Error>> {
    let file = PathBuf::from(std::env::args().nth(1).unwrap_or("picture.png".to_owned()));
    let mut app = App::new();
    app.add_plugins((
        DefaultPlugins
            .set(WindowPlugin {
                primary_window: None,
                exit_condition: ExitCondition::DontExit,
                ..WindowPlugin::default()
            })
            .set(RenderPlugin { synchronous_pipeline_compilation: true, ..RenderPlugin::default() })
            .disable::<PipelinedRenderingPlugin>()
            .disable::<TerminalCtrlCHandlerPlugin>(),
        WaymeshPlugin,
        NavMeshGizmosPlugin,
    ))
    .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(250)))
    .insert_resource(ClearColor(Color::srgb(0.93, 0.95, 0.97)))
    .insert_resource(GlobalAmbientLight { brightness: 260.0, ..GlobalAmbientLight::default() })
    .insert_resource(DirectionalLightShadowMap { size: 4096 })
    .add_systems(Startup, (spawn_level, spawn_crowd, spawn_camera).chain());
    app.finish();
    app.cleanup();
    let mut config = app.world_mut().resource_mut::<GizmoConfigStore>();
    let (lines, gizmos) = config.config_mut::<NavMeshGizmos>();
    (lines.line.width, lines.depth_bias, gizmos.lift) = (2.5, -0.002, 0.06);
    (0..STEPS).for_each(|_| app.update());

    let target = app.world().resource::<Target>().0.clone();
    let to = file.clone();
    app.world_mut().spawn(Screenshot::image(target)).observe(
        move |captured: On<ScreenshotCaptured>, mut commands: Commands| {
            commands.insert_resource(Saved(save(&captured.image, &to)));
        },
    );
    for _ in 0..MOST_FRAMES {
        app.update();
        if let Some(Saved(saved)) = app.world_mut().remove_resource::<Saved>() {
            saved?;
            println!("{}", file.display());
            return Ok(());
        }
    }
    Err("the renderer gave no picture".into())
}

/// Saves a picture, if it shows what it should.
fn save(image: &Image, file: &Path) -> Result<(), String> {
    let image = image.clone().try_into_dynamic().map_err(|error| error.to_string())?.to_rgb8();
    for (name, colour, least) in SHOWN {
        let is_it = |pixel: [u8; 3]| pixel.iter().zip(colour).all(|(a, b)| a.abs_diff(b) < 20);
        let pixels = image.pixels().filter(|pixel| is_it(pixel.0)).count();
        if pixels < least {
            return Err(format!("{name} take {pixels} pixels of the picture, {least} at least are right"));
        }
    }
    image.save(file).map_err(|error| error.to_string())
}

/// The render target of the camera.
#[derive(Resource, Debug)]
struct Target(Handle<Image>);

/// Result of writing the picture.
#[derive(Resource, Debug)]
struct Saved(Result<(), String>);

/// Marks the entity of the mesh.
#[derive(Component, Debug)]
struct Level;

fn spawn_camera(mut commands: Commands, mut images: ResMut<Assets<Image>>) {
    let [width, height] = SIZE;
    let image = images.add(Image::new_target_texture(width, height, TextureFormat::Rgba8UnormSrgb, None));
    commands.spawn((
        Camera3d::default(),
        RenderTarget::Image(image.clone().into()),
        Projection::from(PerspectiveProjection { fov: 0.6, ..PerspectiveProjection::default() }),
        Transform::from_xyz(-4.0, 21.5, 21.0).looking_at(Vec3::new(0.1, 0.0, 1.5), Vec3::Y),
        Tonemapping::None,
        // Its noise would be most of the file.
        DebandDither::Disabled,
        Msaa::Sample4,
    ));
    commands.insert_resource(Target(image));
    let light = DirectionalLight { illuminance: 2300.0, shadow_maps_enabled: true, ..Default::default() };
    commands.spawn((light, Transform::from_xyz(-6.0, 14.0, 4.0).looking_at(Vec3::ZERO, Vec3::Y)));
}

fn spawn_level(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let mut baker = NavMeshBaker::world(64);
    let agent = Agent::default().with_radius(0.3).with_max_step(0.3);
    baker.config = baker.config.with_agent(agent).with_scale(0.1, 0.05);
    commands.spawn((Level, baker.with_wait(true)));

    let mut paint = |red: f32, green: f32, blue: f32| {
        let base_color = Color::srgb(red, green, blue);
        materials.add(StandardMaterial { base_color, perceptual_roughness: 1.0, ..Default::default() })
    };
    let (stone, wood, mud) = (paint(0.80, 0.80, 0.78), paint(0.72, 0.52, 0.32), paint(0.62, 0.53, 0.44));
    let mut cuboid = |x: f32, y: f32, z: f32| Mesh3d(meshes.add(Cuboid::new(x, y, z)));
    let source = NavMeshSource::default();
    let ground = (cuboid(24.0, 0.4, 16.0), MeshMaterial3d(stone.clone()), source);
    commands.spawn((ground, Transform::from_xyz(0.0, -0.2, 0.0)));
    // Two walls with a gap each, at one end and the other.
    for (x, z) in [(-5.0, -2.5), (5.0, 2.5)] {
        let wall = (cuboid(0.4, 1.6, 11.0), MeshMaterial3d(stone.clone()), source);
        commands.spawn((wall, Transform::from_xyz(x, 0.8, z)));
    }
    // A platform with a ramp up to it, and a ladder on its other side.
    let platform = (cuboid(3.6, 1.2, 3.6), MeshMaterial3d(stone.clone()), source);
    commands.spawn((platform, Transform::from_xyz(0.6, 0.6, -5.0)));
    let ramp = (cuboid(2.0, 0.2, 4.4), MeshMaterial3d(stone), source);
    let slope = Transform::from_xyz(0.6, 0.5, -1.2).with_rotation(Quat::from_rotation_x(0.28));
    commands.spawn((ramp, slope));
    commands.spawn(NavMeshLink::new(Vec3::new(-0.9, 1.2, -5.0), Vec3::new(-2.4, 0.0, -5.0)));
    // Crates in the way, one of them turned, and mud that costs nothing here.
    for (x, z, angle) in [(-3.3, 0.4, 0.0), (2.8, 4.4, 0.6), (8.4, 6.3, 0.3), (-8.6, -6.3, 0.2)] {
        let obstacle = (cuboid(1.6, 1.0, 1.6), MeshMaterial3d(wood.clone()), NavMeshObstacle::default());
        let place = Transform::from_xyz(x, 0.5, z).with_rotation(Quat::from_rotation_y(angle));
        commands.spawn((obstacle, place));
    }
    let puddle = Transform::from_xyz(-1.6, 0.0, 3.6);
    let area = (NavMeshArea::new(AreaId(9)), NavMeshCollider::cylinder(1.6, 1.0));
    let disc = (Mesh3d(meshes.add(Cylinder::new(1.6, 0.02))), MeshMaterial3d(mud));
    commands.spawn((disc, area, puddle));
}

fn spawn_crowd(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    level: Single<Entity, With<Level>>,
) {
    let body = meshes.add(Capsule3d::new(0.3, 1.0));
    let colours = [Color::srgb(0.85, 0.35, 0.25), Color::srgb(0.2, 0.45, 0.8)];
    let colours = colours.map(|colour| materials.add(colour));
    for index in 0_u8..12 {
        let (row, column) = (f32::from(index / 4), f32::from(index % 4));
        let (side, colour) = if index % 2 == 0 { (1.0, &colours[0]) } else { (-1.0, &colours[1]) };
        let place = |x: f32| Vec3::new(side * x, 0.0, 2.6 * column - 3.9 + 0.4 * row);
        let to = if index == 4 { Vec3::new(0.6, 1.2, -5.2) } else { place(-8.0 - row) };
        let agent = NavMeshAgent { origin_height: 0.8, ..NavMeshAgent::default() };
        let looks = (Mesh3d(body.clone()), MeshMaterial3d(colour.clone()));
        let agent = (agent, AgentTarget::Place(to), WalksOn(*level));
        commands.spawn((looks, agent, Transform::from_translation(place(7.6 + row).with_y(0.8))));
    }
}
