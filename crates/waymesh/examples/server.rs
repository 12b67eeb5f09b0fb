//! A game server: 200 agents walk to goals of their own, each along a corridor that is kept from
//! tick to tick.
//!
//! `cargo run --release --package waymesh --example server`

#![expect(clippy::print_stdout, reason = "an example prints what it finds")]

use std::error::Error;
use std::time::Instant;

use waymesh::core::Random;
use waymesh::glam::Vec3;
use waymesh::graph::{CorridorOptions, PlaceSampler};
use waymesh::{AnyPolygon, Baker, PathCorridor, QueryScratch};
use waymesh_scenes::{Scene, SceneConfig};

const AGENTS: usize = 200;
const TICKS: u32 = 600;
const SECONDS_PER_TICK: f32 = 1.0 / 30.0;
const METRES_PER_SECOND: f32 = 4.0;

struct Walker {
    position: Vec3,
    corridor: PathCorridor,
    arrivals: u32,
}

fn main() -> Result<(), Box<dyn Error>> {
    let soup = Scene::DungeonRooms.build(&SceneConfig::default());
    let mesh = Baker::voxels().bake(&soup)?;

    // One scratch serves all queries of one thread.
    let mut scratch = QueryScratch::default();
    let mut random = Random::new(7);
    let places = PlaceSampler::new(&mesh, &AnyPolygon);
    let mut place = || -> Result<Vec3, Box<dyn Error>> {
        Ok(places.sample(&mesh, &mut random)?.ok_or("the mesh is empty")?.position)
    };

    let mut walkers = Vec::new();
    for _ in 0..AGENTS {
        let mut corridor = PathCorridor::new(CorridorOptions::default());
        let position = place()?;
        corridor.plan(&mesh, position, place()?, &mut scratch)?;
        walkers.push(Walker { position, corridor, arrivals: 0 });
    }

    let start = Instant::now();
    for _ in 0..TICKS {
        for walker in &mut walkers {
            let Some(&next) = walker.corridor.next_corners(1).first() else {
                // Arrived, or nothing leads there: a new goal.
                walker.arrivals += 1;
                walker.corridor.plan(&mesh, walker.position, place()?, &mut scratch)?;
                continue;
            };
            let step = (next - walker.position).clamp_length_max(METRES_PER_SECOND * SECONDS_PER_TICK);
            walker.corridor.move_start(&mesh, walker.position + step, &mut scratch)?;
            // The corridor keeps the agent on the ground.
            walker.position = walker.corridor.start().map_or(walker.position, |start| start.position);
            if walker.corridor.goal().is_some_and(|goal| goal.position.distance(walker.position) < 0.1) {
                walker.arrivals += 1;
                walker.corridor.plan(&mesh, walker.position, place()?, &mut scratch)?;
            }
        }
    }
    let milliseconds = start.elapsed().as_secs_f64() * 1e3 / f64::from(TICKS);
    let arrivals: u32 = walkers.iter().map(|walker| walker.arrivals).sum();
    println!("{AGENTS} agents, {TICKS} ticks: {arrivals} arrivals, {milliseconds:.3} ms per tick");
    assert!(arrivals > 0, "somebody arrives within {TICKS} ticks");
    Ok(())
}
