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

#[cfg(feature = "peers")]
mod detour;
mod figures;
#[cfg(feature = "peers")]
mod landmass;
mod scenes;
mod walkers;

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use glam::{Vec3, Vec3Swizzles};

use self::figures::{Figures, draw};
use self::scenes::{CrowdScene, Trips};
use self::walkers::{Ours, Walkers};
use crate::BenchError;

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
pub fn crowds(options: &CrowdOptions, print: &mut dyn FnMut(&str)) -> Result<(), BenchError> {
    print(HEAD);
    for name in &options.scenes {
        let scene = CrowdScene::named(name)?;
        for &count in &options.agents {
            let trips = match scene.trips(count) {
                Ok(trips) => trips,
                Err(most) => {
                    print(&format!("| {name} | {count} | left out: {most} fit | | | | | | | |\n"));
                    continue;
                }
            };
            all(&scene, &trips, options, &mut |crowd, figures| print(&row(name, count, crowd, figures)))?;
        }
    }
    print(NOTES);
    Ok(())
}

const HEAD: &str = "| scene | agents | crowd | ms a step: mean / 99 % | overlapping, % of the time | \
                    depth: mean / deepest, cm | off the mesh, % | arrived, % | delay, s | jerk, m/s^3 | flow |\n\
                    |---|---|---|---|---|---|---|---|---|---|---|\n";

const NOTES: &str = "\nAgents have a radius of 0.25 m, the mesh is baked for it, and a step is a thirtieth of a second. \
                     Overlapping: share of agents and steps with another agent more than a centimetre too near; depth: \
                     of those. Off the mesh: more than a centimetre in plan. Arrived: was within half a metre of the \
                     goal in time. Delay: seconds over the shortest path at full speed, of those who arrived. Flow: \
                     persons a metre and second through a door of 1.2 m; people do 1.2 to 1.5.\n";

fn row(scene: &str, count: usize, name: &str, figures: &Figures) -> String {
    let [mean, most] = figures.times();
    let mut row = format!(
        "| {scene} | {count} | {name} | {mean:.2} / {most:.2} | {:.3} | {:.1} / {:.1} | {:.3} | {:.1} | {:.1} | {:.1} |",
        100.0 * figures.overlapping(),
        100.0 * figures.mean_depth(),
        100.0 * figures.deepest,
        100.0 * figures.outside(),
        100.0 * figures.arrived(),
        figures.delay(),
        figures.jerk(),
    );
    let _ = match figures.flow() {
        Some(flow) => writeln!(row, " {flow:.2} |"),
        None => writeln!(row, " |"),
    };
    row
}

/// Runs every crowd through a scene, and tells of each when it is done: some take long.
fn all(
    scene: &CrowdScene,
    trips: &Trips,
    options: &CrowdOptions,
    tell: &mut dyn FnMut(&str, &Figures),
) -> Result<(), BenchError> {
    let mut one = |name: &str, crowd: &mut dyn Walkers| -> Result<(), BenchError> {
        tell(name, &walk(scene, trips, crowd, name, options)?);
        Ok(())
    };
    one("waymesh, 1 thread", &mut Ours::new(scene, trips, 1)?)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    if threads > 1 {
        one(&format!("waymesh, {threads} threads"), &mut Ours::new(scene, trips, threads)?)?;
    }
    #[cfg(feature = "peers")]
    {
        one("Detour", &mut detour::DetourCrowd::new(scene, trips)?)?;
        one("landmass", &mut landmass::LandmassCrowd::new(scene, trips)?)?;
    }
    Ok(())
}

/// Steps a crowd until all have arrived, or for as long as is allowed.
fn walk(
    scene: &CrowdScene,
    trips: &Trips,
    crowd: &mut dyn Walkers,
    name: &str,
    options: &CrowdOptions,
) -> Result<Figures, BenchError> {
    let mut figures = Figures::new(scene, trips);
    let mut now: Vec<Option<Vec3>> = Vec::new();
    let mut steps = 0_u16;
    let limit = figures.longest() + options.limit;
    while f32::from(steps) * DT < limit && steps < u16::MAX {
        let begin = std::time::Instant::now();
        crowd.step()?;
        figures.spent(crowd.spent().unwrap_or(begin.elapsed().as_secs_f64() * 1e3));
        steps += 1;
        crowd.positions(&mut now);
        figures.see(scene, &now);
        if let Some(folder) = &options.frames
            && steps.is_multiple_of(30)
        {
            let folder = folder.join(format!("{}-{}-{name}", scene.name.replace('/', "_"), trips.ends.len()));
            let file = folder.join(format!("{:03}.svg", steps / 30));
            let failed = |source: std::io::Error| BenchError::stage("crowds", "picture", source);
            std::fs::create_dir_all(&folder).map_err(failed)?;
            std::fs::write(file, draw(scene, &now)).map_err(failed)?;
        }
        for (index, &[_, goal]) in trips.ends.iter().enumerate() {
            let Some(at) = now[index] else { continue };
            let is_there = at.xz().distance(goal.xz()) < ARRIVED && (at.y - goal.y).abs() < 1.0;
            if is_there && figures.arrive(index, f32::from(steps) * DT) && trips.leave {
                crowd.leave(index);
            }
        }
        if figures.have_all_arrived() {
            break;
        }
    }
    Ok(figures)
}
