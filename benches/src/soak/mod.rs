//! Worlds that change for a given time, while threads query paths: nothing may differ from a world
//! built at once, and memory must not grow.

mod changing;
mod walk;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use changing::Changing;
use glam::{Vec3, vec3};
use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System};
use waymesh::graph::{Outcome, Path, PathOptions, PathSearch, QueryError, QueryScratch, Reach};
use waymesh::{Bounds, MeshHandle};
use waymesh_core::Random;
use waymesh_scenes::{Scene, SceneConfig};

use crate::measure::head;
use crate::say;

/// Lines of the table.
const LINES: u32 = 20;
/// Largest ratio of memory in the second half to the peak of the first one: allocators return
/// memory late.
const GROWTH: f64 = 1.1;

/// Changes a world for `minutes` while two threads find paths in it, and prints a line now
/// and then. With `walk`, the world is a city of this side in kilometres, of which the tiles
/// around a walker are read from a folder, while obstacles come and go.
///
/// # Errors
/// When the world differs from one that is built at once, an answer is wrong, or memory grew.
pub fn soak(minutes: f64, walk: Option<f64>) -> Result<()> {
    match walk {
        Some(side) => walk::run(minutes, side),
        None => {
            let soup = Scene::CityBlock.build(&SceneConfig::default().with_scale(4));
            watch(&mut Changing::new(&soup)?, minutes)
        }
    }
}

/// A world that changes.
trait Soaked {
    /// Returns the handle of its mesh.
    fn handle(&self) -> MeshHandle;

    /// Names of the columns that are its own.
    fn columns(&self) -> &'static str;

    /// Changes something, and now and then compares.
    fn go_on(&mut self) -> Result<()>;

    /// Returns the current values of its columns.
    fn row(&self) -> String;
}

/// Changes a world until the time is over while others ask, and prints a table.
fn watch(world: &mut dyn Soaked, minutes: f64) -> Result<()> {
    let handle = world.handle();
    let (is_done, queries) = (AtomicBool::new(false), AtomicU64::new(0));
    let megabytes = std::thread::scope(|scope| {
        let ask = |seed| {
            let (handle, queries, is_done) = (handle.clone(), &queries, &is_done);
            scope.spawn(move || ask(&handle, seed, queries, is_done))
        };
        let askers = [0, 1].map(ask);
        let watched = table(world, minutes, &queries);
        is_done.store(true, Ordering::Relaxed);
        for asker in askers {
            asker.join().map_err(|_| anyhow::anyhow!("a query panicked"))??;
        }
        watched
    })?;
    let (before, after) = megabytes.split_at(megabytes.len() / 2);
    let [before, after] = [before, after].map(|some| some.iter().copied().fold(0.0, f64::max));
    ensure!(after <= before * GROWTH, "memory grew from {before:.0} to {after:.0} MB");
    Ok(())
}

/// Returns the megabytes of memory at each line.
fn table(world: &mut dyn Soaked, minutes: f64, queries: &AtomicU64) -> Result<Vec<f64>> {
    head("", &format!("minutes | {} | queries | polygons | memory, MB", world.columns()));
    let start = Instant::now();
    let mut lines = Vec::new();
    for line in 1..=LINES {
        let end = Duration::from_secs_f64(60.0 * minutes * f64::from(line) / f64::from(LINES));
        while start.elapsed() < end {
            world.go_on()?;
        }
        let memory = resident_megabytes();
        lines.push(memory);
        say!(
            "| {:.1} | {} | {} | {} | {memory:.0} |",
            start.elapsed().as_secs_f64() / 60.0,
            world.row(),
            queries.load(Ordering::Relaxed),
            world.handle().mesh().polygon_count()
        );
    }
    Ok(lines)
}

/// Queries paths in the newest mesh until the end.
fn ask(handle: &MeshHandle, seed: u64, queries: &AtomicU64, is_done: &AtomicBool) -> Result<()> {
    let (mut random, mut scratch) = (Random::new(seed), QueryScratch::default());
    let reach = Reach::new(30.0, 100.0, 100.0);
    while !is_done.load(Ordering::Relaxed) {
        let mesh = handle.mesh();
        let Some(Bounds { min, max }) = mesh.world_bounds() else { continue };
        for round in 0..64_u32 {
            let mut point = || {
                let mut share = || random.unit();
                min + (max - min) * vec3(share(), share(), share())
            };
            let [from, to]: [Vec3; 2] = [point(), point()];
            let Some(start) = mesh.nearest(from, &reach) else { bail!("no ground in reach") };
            let search = if round % 2 == 0 { PathSearch::Fast } else { PathSearch::Shortest };
            let options = PathOptions::default().with_search(search).with_reach(reach);
            let mut query = mesh.query().options(options).memory(&mut scratch);
            let path = match query.path(from, to) {
                Err(QueryError::Unreachable { .. }) => Path::default(),
                path => path?,
            };
            let is_sound = path.length.is_finite() && path.points.iter().all(|point| point.is_finite());
            let direct = path.points.first().zip(path.points.last()).map_or(0.0, |(a, b)| a.distance(*b));
            if !is_sound || (path.outcome == Outcome::Complete && path.length < direct * 0.999 - 1e-3) {
                bail!("a path of {} m from {from} to {to}", path.length);
            }
            mesh.query().ray(start, to)?;
            queries.fetch_add(3, Ordering::Relaxed);
        }
    }
    Ok(())
}

/// Megabytes of memory that this process has now.
fn resident_megabytes() -> f64 {
    let Ok(own) = sysinfo::get_current_pid() else { return 0.0 };
    let mut system = System::new();
    let kind = ProcessRefreshKind::nothing().with_memory();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[own]), true, kind);
    system.process(own).map_or(0.0, |process| process.memory() as f64 / 1e6)
}
