//! Obstacles, marks and tiles of a world come and go anywhere.

use anyhow::{Result, ensure};
use glam::vec3;
use waymesh::voxel::{Mark, MarkShape, Obstacle};
use waymesh::{Baker, Bounds, MarkId, MeshHandle, ObstacleId, TriangleSoup, World};
use waymesh_core::{AreaId, Random};

use super::Soaked;

/// Cells of a tile's side.
const TILE_CELLS: u32 = 48;
/// Most obstacles, and most marks, at the same time.
const MAX_OBSTACLES: usize = 24;
/// Updates from one comparison with a world built at once to the next.
const BETWEEN_CHECKS: u64 = 250;

/// A world, and what is in it.
pub(super) struct Changing<'a> {
    soup: &'a TriangleSoup,
    world: World,
    random: Random,
    obstacles: Vec<(ObstacleId, Obstacle)>,
    marks: Vec<(MarkId, Mark)>,
    updates: u64,
    checks: u64,
}

impl Soaked for Changing<'_> {
    fn handle(&self) -> MeshHandle {
        self.world.handle()
    }

    fn columns(&self) -> &'static str {
        "updates | equal to one built at once"
    }

    fn go_on(&mut self) -> Result<()> {
        self.change()?;
        self.world.update(&mut ())?;
        self.updates += 1;
        if self.updates.is_multiple_of(BETWEEN_CHECKS) {
            self.compare()?;
            self.checks += 1;
        }
        Ok(())
    }

    fn row(&self) -> String {
        format!("{} | {}", self.updates, self.checks)
    }
}

impl<'a> Changing<'a> {
    pub(super) fn new(soup: &'a TriangleSoup) -> Result<Self> {
        let world = World::bake(Baker::voxels(), soup, TILE_CELLS)?;
        let (obstacles, marks) = (Vec::new(), Vec::new());
        Ok(Self { soup, world, random: Random::new(21), obstacles, marks, updates: 0, checks: 0 })
    }

    /// Something comes, goes, or is built again.
    fn change(&mut self) -> Result<()> {
        match self.random.below(6) {
            0 | 1 if self.obstacles.len() < MAX_OBSTACLES => {
                let obstacle = Obstacle::solid(MarkShape::Box { bounds: self.place() });
                self.obstacles.push((self.world.add_obstacle(obstacle.clone())?, obstacle));
            }
            2 if self.marks.len() < MAX_OBSTACLES => {
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
    fn compare(&self) -> Result<()> {
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
        ensure!(*mine == *other, "the world is not the one that is built at once");
        Ok(())
    }
}
