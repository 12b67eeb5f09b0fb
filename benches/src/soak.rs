//! A world that changes for as long as it is asked to, while others ask for paths: nothing may
//! differ from a world built at once, and memory must not grow.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use glam::{Vec3, vec3};
use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System};
use waymesh::graph::{AnyPolygon, Outcome, PathOptions, PathSearch, QueryScratch, Reach};
use waymesh::voxel::{Mark, MarkShape, Obstacle};
use waymesh::{BakeError, Baker, Bounds, MarkId, MeshHandle, ObstacleId, TriangleSoup, World};
use waymesh_core::{AreaId, Random};
use waymesh_scenes::{Scene, SceneConfig};

use crate::BenchError;

/// Cells of a tile's side.
const TILE_CELLS: u32 = 48;
/// Most obstacles, and most marks, at the same time.
const MOST: usize = 24;
/// Updates from one comparison with a world built at once to the next.
const BETWEEN_CHECKS: u64 = 250;
/// Lines of the table.
const LINES: u32 = 20;
/// Memory may be so much more in the second half than it was at most in the first one: allocators
/// give back late.
const GROWTH: f64 = 1.1;

/// Changes a world and asks for paths in it for so many minutes, and prints a line now and then.
///
/// # Errors
/// When the world differs from one that is built at once, an answer is wrong, or memory grew.
pub fn soak(minutes: f64, print: &mut dyn FnMut(&str)) -> Result<(), BenchError> {
    run(minutes, print).map_err(|error| BenchError::stage("waymesh", "soak", error))
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn run(minutes: f64, print: &mut dyn FnMut(&str)) -> Result<(), Failure> {
    let soup = Scene::CityBlock.build(&SceneConfig::default().with_scale(4));
    let mut changing = Changing::new(&soup)?;
    let handle = changing.world.handle();
    let (is_done, queries) = (AtomicBool::new(false), AtomicU64::new(0));
    let asked: Result<Vec<(u64, f64)>, Failure> = std::thread::scope(|scope| {
        let askers: Vec<_> = (0..2)
            .map(|seed| {
                let (handle, queries, is_done) = (handle.clone(), &queries, &is_done);
                scope.spawn(move || ask(&handle, seed, queries, is_done))
            })
            .collect();
        let changed = changing.go_on(minutes, &queries, print);
        is_done.store(true, Ordering::Relaxed);
        for asker in askers {
            asker.join().map_err(|_| "a query panicked")??;
        }
        changed
    });
    let lines = asked?;
    let half = lines.len() / 2;
    let most = |lines: &[(u64, f64)]| lines.iter().map(|line| line.1).fold(0.0, f64::max);
    let (before, after) = (most(&lines[..half]), most(&lines[half..]));
    if after > before * GROWTH {
        return Err(format!("memory grew from {before:.0} to {after:.0} MB").into());
    }
    Ok(())
}

/// A world, and what is in it.
struct Changing<'a> {
    soup: &'a TriangleSoup,
    world: World,
    random: Random,
    obstacles: Vec<(ObstacleId, Obstacle)>,
    marks: Vec<(MarkId, Mark)>,
}

impl<'a> Changing<'a> {
    fn new(soup: &'a TriangleSoup) -> Result<Self, BakeError> {
        let mut world = World::new(Baker::voxels(), &soup.bounds(), TILE_CELLS)?;
        world.add_triangles(soup, &mut ())?;
        world.update(&mut ())?;
        Ok(Self { soup, world, random: Random::new(21), obstacles: Vec::new(), marks: Vec::new() })
    }

    /// Changes the world until the time is over; returns the updates and the memory in megabytes of
    /// every line.
    fn go_on(
        &mut self,
        minutes: f64,
        queries: &AtomicU64,
        print: &mut dyn FnMut(&str),
    ) -> Result<Vec<(u64, f64)>, Failure> {
        print("| minutes | updates | equal to one built at once | queries | polygons | memory, MB |\n");
        print("|---|---|---|---|---|---|\n");
        let start = Instant::now();
        let (mut updates, mut checks, mut lines) = (0_u64, 0_u64, Vec::new());
        for line in 1..=LINES {
            let end = Duration::from_secs_f64(60.0 * minutes * f64::from(line) / f64::from(LINES));
            while start.elapsed() < end {
                self.change()?;
                self.world.update(&mut ())?;
                updates += 1;
                if updates.is_multiple_of(BETWEEN_CHECKS) {
                    self.compare()?;
                    checks += 1;
                }
            }
            let memory = resident_megabytes();
            lines.push((updates, memory));
            let polygons = self.world.handle().mesh().polygon_count();
            let asked = queries.load(Ordering::Relaxed);
            let minutes = start.elapsed().as_secs_f64() / 60.0;
            print(&format!("| {minutes:.1} | {updates} | {checks} | {asked} | {polygons} | {memory:.0} |\n"));
        }
        Ok(lines)
    }

    /// Something comes, goes, or is built again.
    fn change(&mut self) -> Result<(), BakeError> {
        match self.random.below(6) {
            0 | 1 if self.obstacles.len() < MOST => {
                let obstacle = Obstacle::solid(MarkShape::Box { bounds: self.place() });
                self.obstacles.push((self.world.add_obstacle(obstacle.clone())?, obstacle));
            }
            2 if self.marks.len() < MOST => {
                let area = if self.random.below(3) == 0 { AreaId::NULL } else { AreaId(5) };
                let mark = Mark::new(MarkShape::Box { bounds: self.place() }, area);
                self.marks.push((self.world.add_mark(mark.clone())?, mark));
            }
            3 => {
                let tiles: Vec<_> = self.world.tiles().collect();
                if !tiles.is_empty() {
                    let tile = tiles[self.random.index(tiles.len())];
                    self.world.remove_tile(tile);
                    self.world.update(&mut ())?;
                    self.world.set_tile(tile, self.soup)?;
                }
            }
            4 if !self.marks.is_empty() => {
                let (id, _) = self.marks.remove(self.random.index(self.marks.len()));
                self.world.remove_mark(id);
            }
            _ if !self.obstacles.is_empty() => {
                let (id, _) = self.obstacles.remove(self.random.index(self.obstacles.len()));
                self.world.remove_obstacle(id);
            }
            _ => {}
        }
        Ok(())
    }

    /// A box somewhere in the world, up to its top.
    fn place(&mut self) -> Bounds {
        let Bounds { min, max } = self.soup.bounds();
        let mut share = || self.random.unit();
        let at = min + (max - min) * vec3(share(), share(), share());
        let half = vec3(0.5 + 3.0 * share(), max.y - min.y, 0.5 + 3.0 * share());
        Bounds { min: at - half, max: at + half }
    }

    /// Fails if a world with the same content, built at once, has another mesh.
    fn compare(&self) -> Result<(), Failure> {
        let mut fresh = World::new(Baker::voxels(), &self.soup.bounds(), TILE_CELLS)?;
        fresh.add_triangles(self.soup, &mut ())?;
        for (_, obstacle) in &self.obstacles {
            fresh.add_obstacle(obstacle.clone())?;
        }
        for (_, mark) in &self.marks {
            fresh.add_mark(mark.clone())?;
        }
        fresh.update(&mut ())?;
        let [mine, other] = [&self.world, &fresh].map(|world| world.handle().mesh());
        if *mine == *other { Ok(()) } else { Err("the world is not the one that is built at once".into()) }
    }
}

/// Asks for paths in the newest mesh until it is over.
fn ask(handle: &MeshHandle, seed: u64, queries: &AtomicU64, is_done: &AtomicBool) -> Result<(), Failure> {
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
            let Some(start) = mesh.nearest(from, &reach) else { return Err("no ground in reach".into()) };
            let search = if round % 2 == 0 { PathSearch::Fast } else { PathSearch::Shortest };
            let options = PathOptions::default().with_search(search).with_reach(reach);
            let path = mesh.find_path(from, to, &options, &mut scratch)?;
            let is_sound = path.length.is_finite() && path.points.iter().all(|point| point.is_finite());
            let direct = path.points.first().zip(path.points.last()).map_or(0.0, |(a, b)| a.distance(*b));
            if !is_sound || (path.outcome == Outcome::Complete && path.length < direct * 0.999 - 1e-3) {
                return Err(format!("a path of {} m from {from} to {to}", path.length).into());
            }
            mesh.raycast(&start, to, &AnyPolygon, &mut Vec::new())?;
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
