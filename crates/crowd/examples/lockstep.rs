//! Lockstep: a server and a client with other numbers of threads play the same game, bit by bit.
//!
//! `cargo run --release --package waymesh-crowd --example lockstep`

#![expect(clippy::print_stdout, reason = "an example prints what it finds")]

use std::hash::{DefaultHasher, Hash, Hasher};

use waymesh::glam::vec3;
use waymesh::{Baker, Bounds, Obstacle, Random, World};
use waymesh_crowd::{AgentParams, Crowd};
use waymesh_scenes::{Scene, SceneConfig};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Plays 20 s, and returns a hash of all positions after each second.
fn play() -> Result<Vec<u64>, Failure> {
    let level = Scene::DungeonRooms.build(&SceneConfig::default());
    let mut world = World::bake(Baker::voxels(), &level, 48)?;
    let (mesh, mut random) = (world.handle(), Random::new(7));
    let places = mesh.mesh().query().sampler();
    let mut place = || places.sample(&mesh.mesh(), &mut random);

    let mut crowd = Crowd::default();
    for _ in 0..200 {
        let agent = crowd.add(&mesh, AgentParams::default(), place()?.ok_or("no ground")?)?;
        crowd.set_target(&mesh, agent, place()?.ok_or("no ground")?)?;
    }
    let mut hashes = Vec::new();
    for second in 0..20 {
        // Commands of players are run at the same step on all machines, and so are updates.
        if second == 5 {
            let low = vec3(4.0, -1.0, 4.0);
            world.add_obstacle(Obstacle::solid(Bounds { min: low, max: low + vec3(2.0, 3.0, 2.0) }))?;
            world.update(&mut ())?;
        }
        (0..30).try_for_each(|_| crowd.step(&mesh, 1.0 / 30.0))?;
        let mut hash = DefaultHasher::new();
        crowd.agents().for_each(|(_, agent)| agent.position.to_array().map(f32::to_bits).hash(&mut hash));
        hashes.push(hash.finish());
    }
    Ok(hashes)
}

fn main() -> Result<(), Failure> {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let (server, client) = (pool(1)?.install(play)?, pool(2)?.install(play)?);
    println!("after 20 s: {:016x} and {:016x}", server[19], client[19]);
    assert_eq!(server, client);
    Ok(())
}
