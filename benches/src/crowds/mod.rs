//! Crowds, ours, Detour's and landmass's: the same ground, the same agents, the same judge.
//!
//! How they differ, which the figures must be read with:
//! - Detour gets our mesh, written as a file of Detour's, so that both walk on the same polygons.
//! - Detour's agents avoid each other by sampling velocities, with the finest of RecastDemo's four
//!   settings and with separation, and are pushed apart where they overlap; ours by half-planes of
//!   velocities.
//! - Detour plans paths in slices of a queue, ours as many a step as the crowd is large.
//! - The crate landmass gives velocities (by the crate dodgy_2d) and leaves it to the game to walk:
//!   its agents are moved by them in plan and put back onto the nearest place of the mesh, which is
//!   not timed. Its options are those it derives from the radius.
//! - The crowds of Detour and landmass run on one thread. Ours is timed on one, and on all of the
//!   machine.

mod figures;
mod scenes;
mod walkers;

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use glam::{Vec3, Vec3Swizzles};

use self::figures::{Figures, draw};
use self::scenes::{CrowdScene, Trips};
use self::walkers::{Ours, Walkers};
use crate::measure::head;
use crate::say;

/// A step, in seconds.
const DT: f32 = 1.0 / 30.0;
/// Radius of all agents, in metres.
const RADIUS: f32 = 0.25;
/// Their greatest speed, in metres a second.
const SPEED: f32 = 1.4;
/// Their acceleration, in metres a second squared.
const ACCELERATION: f32 = 8.0;
/// An agent has arrived once it was so near to its goal, in metres.
const ARRIVED: f32 = 0.5;

/// Options of [`crowds`].
#[derive(Clone, Debug, Args)]
pub struct CrowdOptions {
    /// Scenes: door, streams, crossing, circle, gate, meeting, stadium, or a level (dungeon,
    /// nav_test, town, a file).
    #[arg(
        value_name = "SCENE",
        default_values = ["door", "streams", "crossing", "circle", "dungeon", "nav_test", "town", "stadium"]
    )]
    scenes: Vec<String>,
    /// Numbers of agents. What fits a scene too tightly is left out.
    #[arg(long, value_name = "COUNT", value_delimiter = ',', default_values_t = [100, 1_000, 10_000])]
    agents: Vec<usize>,
    /// Seconds that are simulated at most, beyond what the longest of the shortest paths takes.
    #[arg(long, default_value_t = 120.0)]
    limit: f32,
    /// Folder for a picture of each second of simulated time, per scene and crowd.
    #[arg(long)]
    frames: Option<PathBuf>,
}

/// Lets crowds walk through scenes and prints a table of each as Markdown.
///
/// # Errors
/// For a scene that cannot be made, and when a crowd gives up.
pub fn crowds(options: &CrowdOptions) -> Result<()> {
    head(
        "",
        "scene | agents | crowd | ms a step: mean / 99 % | overlapping, % of the time | depth: mean / deepest, cm | \
         off the mesh, % | arrived, % | delay, s | jerk, m/s^3 | flow",
    );
    for name in &options.scenes {
        let scene = CrowdScene::named(name)?;
        for &count in &options.agents {
            let trips = match scene.trips(count) {
                Ok(trips) => trips,
                Err(most) => {
                    say!("| {name} | {count} | left out: {most} fit | | | | | | | |");
                    continue;
                }
            };
            let walk = |crowd: &str, walkers: &mut dyn Walkers| {
                let figures = walk(&scene, &trips, walkers, crowd, options)?;
                say!("| {name} | {count} | {crowd} | {figures} |");
                anyhow::Ok(())
            };
            walk("waymesh, 1 thread", &mut Ours::new(&scene, &trips, 1)?)?;
            let threads = std::thread::available_parallelism().map_or(1, usize::from);
            if threads > 1 {
                walk(&format!("waymesh, {threads} threads"), &mut Ours::new(&scene, &trips, threads)?)?;
            }
            #[cfg(feature = "peers")]
            {
                walk("Detour", &mut walkers::DetourCrowd::new(&scene, &trips)?)?;
                walk("landmass", &mut walkers::landmass(&scene, &trips)?)?;
            }
        }
    }
    say!(
        "\nAgents have a radius of 0.25 m, the mesh is baked for it, and a step is a thirtieth of a second. Overlapping: share of agents and \
         steps with another agent more than a centimetre too near; depth: of those. Off the mesh: more than a centimetre in plan. Arrived: \
         was within half a metre of the goal in time. Delay: seconds over the shortest path at full speed, of those who arrived. Flow: \
         persons a metre and second through a door of 1.2 m; people do 1.2 to 1.5."
    );
    Ok(())
}

/// Steps a crowd until all have arrived, or for as long as is allowed.
fn walk(
    scene: &CrowdScene,
    trips: &Trips,
    crowd: &mut dyn Walkers,
    name: &str,
    options: &CrowdOptions,
) -> Result<Figures> {
    let mut figures = Figures::new(scene, trips);
    let mut now: Vec<Option<Vec3>> = Vec::new();
    let mut steps = 0_u16;
    let limit = figures.longest() + options.limit;
    while f32::from(steps) * DT < limit && steps < u16::MAX && !figures.have_all_arrived() {
        let spent = crowd.step(&mut now)?;
        steps += 1;
        figures.see(scene, spent, &now);
        if let Some(folder) = options.frames.as_ref().filter(|_| steps.is_multiple_of(30)) {
            let folder = folder.join(format!("{}-{}-{name}", scene.name.replace('/', "_"), trips.ends.len()));
            std::fs::create_dir_all(&folder)?;
            std::fs::write(folder.join(format!("{:03}.svg", steps / 30)), draw(scene, &now))?;
        }
        for (index, &[_, goal]) in trips.ends.iter().enumerate() {
            let Some(at) = now[index] else { continue };
            let is_there = at.xz().distance(goal.xz()) < ARRIVED && (at.y - goal.y).abs() < 1.0;
            if is_there && figures.arrive(index, f32::from(steps) * DT) && trips.leave {
                crowd.leave(index);
            }
        }
    }
    Ok(figures)
}
