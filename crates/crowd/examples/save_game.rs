//! Save and load a game: what players built, and where everybody is and walks to.
//!
//! `cargo run --release --package waymesh-crowd --example save_game`

#![expect(clippy::print_stdout, reason = "an example prints what it finds")]

use serde::{Deserialize, Serialize};
use waymesh::glam::{Vec3, vec3};
use waymesh::{Baker, Bounds, MarkShape, Obstacle, World};
use waymesh_crowd::{AgentParams, Crowd};
use waymesh_scenes::{Scene, SceneConfig};

/// A saved game, in any format of serde. The level itself is baked, or read from its tiles.
#[derive(Serialize, Deserialize)]
struct Game {
    built: Vec<MarkShape>,
    agents: Vec<(Vec3, Option<Vec3>)>,
}

/// Starts a new game, or continues a saved one.
fn start(game: &Game) -> Result<(World, Crowd), Box<dyn std::error::Error>> {
    let level = Scene::DungeonRooms.build(&SceneConfig::default());
    let mut world = World::bake(Baker::voxels(), &level, 48)?;
    for shape in &game.built {
        world.add_obstacle(Obstacle::solid(shape.clone()))?;
    }
    world.update(&mut ())?;
    let mut crowd = Crowd::default();
    for &(position, target) in &game.agents {
        let agent = crowd.add(&world.handle(), AgentParams::default(), position)?;
        target.map_or(Ok(()), |target| crowd.set_target(&world.handle(), agent, target))?;
    }
    Ok((world, crowd))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wall = Bounds { min: vec3(4.0, -1.0, 9.0), max: vec3(8.0, 2.0, 10.0) };
    let agents = vec![(vec3(7.0, 0.0, 7.0), Some(vec3(49.0, 0.0, 49.0))), (vec3(9.0, 0.0, 7.0), None)];
    let (world, mut crowd) = start(&Game { built: vec![wall.into()], agents })?;
    (0..300).try_for_each(|_| crowd.step(&world.handle(), 1.0 / 30.0))?;

    let places = |crowd: &Crowd| -> Vec<(Vec3, Option<Vec3>)> {
        crowd.agents().map(|(_, agent)| (agent.position, agent.target)).collect()
    };
    let saved = serde_json::to_string(&Game { built: vec![wall.into()], agents: places(&crowd) })?;
    println!("{saved}");
    let (loaded, again) = start(&serde_json::from_str(&saved)?)?;
    assert_eq!(*loaded.handle().mesh(), *world.handle().mesh(), "the same mesh, bit by bit");
    assert_eq!(places(&crowd), places(&again));
    Ok(())
}
