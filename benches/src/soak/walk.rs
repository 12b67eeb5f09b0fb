//! A walker in a city that is far larger than what is loaded around it.

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use glam::{Vec3, vec3};
use waymesh::tile::Tile;
use waymesh::voxel::{MarkShape, Obstacle};
use waymesh::{Baker, Bounds, MeshHandle, ObstacleId, TriangleSoup, WorkerConfig, World, WorldWorker};
use waymesh_core::stage::StageError;
use waymesh_core::{Random, TriangleSource, TriangleVisitor};
use waymesh_scenes::{MAX_SCALE, Scene, SceneConfig};

use super::{Soaked, watch};
use crate::measure::quantile;
use crate::say;

/// Cells of a tile's side: tiles of 28.8 m.
const TILE_CELLS: u32 = 96;
/// Metres that one step of the scale of a part of the city adds.
const METRES: f64 = 80.0;
/// Rows of tiles that are baked together.
const BAND: u32 = 8;
/// Additional rows that are baked: the content of a tile depends on the tiles around it, and their
/// results on the tiles around them.
const MARGIN: u32 = 2;
/// Tiles on each side of the walker's own: 7 x 7.
const AROUND: u32 = 3;
/// Obstacles at the same time, near to where the walker was when they came.
const OBSTACLES: usize = 12;
/// Steps from one comparison with a world that is read at once to the next.
const BETWEEN_CHECKS: u64 = 100;

/// Makes the city in a folder that is removed afterwards, and walks.
pub(super) fn run(minutes: f64, side: f64) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let start = Instant::now();
    let soup = city(side)?;
    let tiles = bake(&soup, folder.path())?;
    let (triangles, seconds) = (soup.triangles().len(), start.elapsed().as_secs_f64());
    drop(soup);
    say!("{triangles} triangles, {tiles} tiles, baked and written in {seconds:.0} s.\n");
    let mut walk = Walk::new(folder.path())?;
    watch(&mut walk, minutes)?;
    let [middle, late] = [0.5, 0.99].map(|share| quantile(walk.milliseconds.clone(), share));
    say!("\nA step took {middle:.1} ms in the middle, {late:.1} ms at 99 %.");
    Ok(())
}

/// Returns a city of at least `side` kilometres a side, of equal parts with separate houses.
fn city(side: f64) -> Result<TriangleSoup> {
    let steps = (1..=256_u32).find(|&steps| f64::from(steps) * METRES >= side * 1000.0);
    let steps = steps.with_context(|| format!("a city of {side} km cannot be made, 20 km is the most"))?;
    let parts = steps.div_ceil(MAX_SCALE);
    let config = SceneConfig::default().with_scale(steps.div_ceil(parts));
    let mut soup = TriangleSoup::default();
    for part in 0..parts * parts {
        let houses = Scene::CityBlock.build(&config.with_seed(u64::from(part)));
        let Bounds { min, max } = houses.bounds();
        let to = (max - min) * vec3((part % parts) as f32, 0.0, (part / parts) as f32);
        let positions = houses.positions().iter().map(|&position| position + to).collect();
        soup.append(positions, houses.triangles().to_vec())?;
    }
    Ok(soup)
}

/// Bakes a city some rows of tiles at a time, so that it never lies in memory as a whole, to the
/// files that the whole world would write. Returns how many.
fn bake(soup: &TriangleSoup, folder: &Path) -> Result<usize> {
    let bounds = soup.bounds();
    let empty = World::new(Baker::voxels(), &bounds, TILE_CELLS)?;
    empty.write_tiles(folder, &mut ())?;
    let layout = empty.layout();
    let metres = layout.frame().cell_size * layout.side_cells() as f32;
    let mut written = 0;
    for first in (0..layout.rows()).step_by(BAND as usize) {
        let rows = first..(first + BAND).min(layout.rows());
        let low = bounds.min.z + first.saturating_sub(MARGIN) as f32 * metres;
        let high = bounds.min.z + (rows.end + MARGIN) as f32 * metres;
        let mut world = World::new(Baker::voxels(), &bounds, TILE_CELLS)?;
        world.add_triangles(&Band { soup, low, high }, &mut ())?;
        world.update(&mut ())?;
        for tile in world.tiles().filter(|tile| rows.contains(&tile.row)) {
            let mut bytes = Vec::new();
            world.write_tile(tile, &mut bytes)?;
            std::fs::write(folder.join(tile.file_name()), bytes)?;
            written += 1;
        }
    }
    Ok(written)
}

/// The triangles that reach in between two places along z.
struct Band<'a> {
    soup: &'a TriangleSoup,
    low: f32,
    high: f32,
}

impl TriangleSource for Band<'_> {
    fn visit(&self, visit: &mut TriangleVisitor<'_>) -> Result<(), StageError> {
        let reaches = |triangle: &&[Vec3; 3]| {
            triangle.iter().any(|corner| corner.z >= self.low)
                && triangle.iter().any(|corner| corner.z <= self.high)
        };
        let mut inside = Vec::new();
        self.soup.visit(&mut |triangles| {
            inside.clear();
            inside.extend(triangles.iter().filter(reaches));
            visit(&inside)
        })
    }
}

/// A walker, and what is loaded around it.
struct Walk<'a> {
    folder: &'a Path,
    worker: WorldWorker,
    handle: MeshHandle,
    /// Tiles of the city, along x and along z.
    size: [u32; 2],
    /// Side of a tile in metres, and where the first one begins.
    metres: f32,
    origin: Vec3,
    at: Tile,
    target: Tile,
    loaded: BTreeSet<Tile>,
    obstacles: VecDeque<(ObstacleId, Obstacle)>,
    random: Random,
    steps: u64,
    read: u64,
    checks: u64,
    milliseconds: Vec<f64>,
}

impl<'a> Walk<'a> {
    fn new(folder: &'a Path) -> Result<Self> {
        let world = World::open(Baker::voxels(), folder)?;
        let layout = world.layout();
        let (size, frame) = ([layout.columns(), layout.rows()], *layout.frame());
        let metres = frame.cell_size * layout.side_cells() as f32;
        let at = Tile { row: size[1] / 2, column: size[0] / 2 };
        let worker = WorldWorker::new(world, &WorkerConfig::default())?;
        let mut walk = Self {
            folder,
            handle: worker.handle(),
            worker,
            size,
            metres,
            origin: frame.origin,
            at,
            target: at,
            loaded: BTreeSet::new(),
            obstacles: VecDeque::new(),
            random: Random::new(16),
            steps: 0,
            read: 0,
            checks: 0,
            milliseconds: Vec::new(),
        };
        walk.load()?;
        walk.worker.settle()?;
        Ok(walk)
    }

    /// Loads the tiles around the walker, and removes all others.
    fn load(&mut self) -> Result<()> {
        let near = |at: u32, size: u32| at.saturating_sub(AROUND)..(at + AROUND + 1).min(size);
        let [columns, rows] = [near(self.at.column, self.size[0]), near(self.at.row, self.size[1])];
        let tiles = |row| columns.clone().map(move |column| Tile { row, column });
        let wanted: BTreeSet<Tile> = rows.flat_map(tiles).collect();
        for &tile in self.loaded.difference(&wanted) {
            self.worker.enqueue(move |world| world.remove_tile(tile))?;
        }
        let mut replies = Vec::new();
        for &tile in wanted.difference(&self.loaded) {
            replies.push(self.worker.enqueue(move |world| world.load_tile(tile))?);
        }
        self.read += replies.len() as u64;
        for reply in replies {
            reply.wait()??;
        }
        self.loaded = wanted;
        Ok(())
    }

    /// A box on the ground of the tiles around the walker.
    fn place(&mut self) -> Obstacle {
        let mut share = || self.random.unit();
        let spread = (2 * AROUND + 1) as f32 * self.metres;
        let corner = [self.at.column, self.at.row].map(|at| (at as f32 - AROUND as f32) * self.metres);
        let at = self.origin + vec3(corner[0] + spread * share(), 0.0, corner[1] + spread * share());
        let half = vec3(0.5 + 3.0 * share(), 50.0, 0.5 + 3.0 * share());
        Obstacle::solid(MarkShape::Box { bounds: Bounds { min: at - half, max: at + half } })
    }

    /// Fails if a world with the same tiles and obstacles, read at once, has another mesh.
    fn compare(&self) -> Result<()> {
        let mut fresh = World::open(Baker::voxels(), self.folder)?;
        for &tile in &self.loaded {
            fresh.load_tile(tile)?;
        }
        for (_, obstacle) in &self.obstacles {
            fresh.add_obstacle(obstacle.clone())?;
        }
        fresh.update(&mut ())?;
        let is_equal = *self.handle.mesh() == *fresh.handle().mesh();
        ensure!(is_equal, "after {} steps the world is not the one that is read at once", self.steps);
        Ok(())
    }
}

impl Soaked for Walk<'_> {
    fn handle(&self) -> MeshHandle {
        self.handle.clone()
    }

    fn columns(&self) -> &'static str {
        "steps | tiles read | equal to one read at once"
    }

    /// Walks a tile on; an obstacle comes, and the oldest one goes.
    fn go_on(&mut self) -> Result<()> {
        while self.at == self.target {
            let [column, row] = self.size.map(|size| self.random.below(size));
            self.target = Tile { row, column };
        }
        let towards = |at: u32, to: u32| at.saturating_add_signed((to > at) as i32 - (to < at) as i32);
        self.at = Tile {
            row: towards(self.at.row, self.target.row),
            column: towards(self.at.column, self.target.column),
        };
        let start = Instant::now();
        self.load()?;
        let obstacle = self.place();
        let asked = obstacle.clone();
        let id = self.worker.enqueue(move |world| world.add_obstacle(asked))?.wait()??;
        self.obstacles.push_back((id, obstacle));
        if self.obstacles.len() > OBSTACLES
            && let Some((oldest, _)) = self.obstacles.pop_front()
        {
            self.worker.enqueue(move |world| world.remove_obstacle(oldest))?;
        }
        self.worker.settle()?;
        self.milliseconds.push(start.elapsed().as_secs_f64() * 1e3);
        self.steps += 1;
        if self.steps.is_multiple_of(BETWEEN_CHECKS) {
            self.compare()?;
            self.checks += 1;
        }
        Ok(())
    }

    fn row(&self) -> String {
        format!("{} | {} | {}", self.steps, self.read, self.checks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_give_the_files_of_the_whole_city() -> Result<()> {
        let soup = city(0.4)?;
        let [by_bands, at_once] = [tempfile::tempdir()?, tempfile::tempdir()?];
        let count = bake(&soup, by_bands.path())?;
        let whole = World::bake(Baker::voxels(), &soup, TILE_CELLS)?;
        whole.write_tiles(at_once.path(), &mut ())?;
        let tiles: Vec<Tile> = whole.tiles().collect();
        assert!(whole.layout().rows() > BAND && tiles.len() == count);
        for tile in tiles {
            let [one, other] = [&by_bands, &at_once].map(|folder| folder.path().join(tile.file_name()));
            assert!(std::fs::read(one)? == std::fs::read(other)?, "{tile:?}");
        }
        Ok(())
    }

    #[test]
    fn a_walker_sees_the_world_that_is_read_at_once() -> Result<()> {
        let soup = city(0.45)?;
        let folder = tempfile::tempdir()?;
        bake(&soup, folder.path())?;
        let mut walk = Walk::new(folder.path())?;
        assert!(walk.size.iter().all(|&size| size > 2 * (2 * AROUND + 1)));
        for _ in 0..20 {
            walk.go_on()?;
        }
        assert!(walk.read > 49 + 20 * 7 && walk.obstacles.len() == OBSTACLES);
        assert!(walk.handle.mesh().polygon_count() > 100);
        walk.compare()
    }
}
