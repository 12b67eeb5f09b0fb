//! A world that is baked once, and loaded round a player: tiles come and go as it walks, obstacles
//! stand in the way for a while, and queries run on the newest mesh.
//!
//! `cargo run --release --package waymesh --example streaming`

#![expect(clippy::print_stdout, reason = "an example prints what it finds")]

use std::error::Error;

use waymesh::core::Bounds;
use waymesh::glam::{Vec3, vec3};
use waymesh::voxel::{MarkShape, Obstacle};
use waymesh::{Baker, Outcome, QueryScratch, Reach, World};
use waymesh_scenes::{Scene, SceneConfig};

/// Tiles of 64 cells of 0.3 m.
const TILE_CELLS: u32 = 64;

fn main() -> Result<(), Box<dyn Error>> {
    let soup = Scene::DungeonRooms.build(&SceneConfig::default());
    let bounds = soup.bounds();
    // Before the game is shipped: all tiles, into files.
    let folder = tempfile::tempdir()?;
    let mut whole = World::new(Baker::voxels(), &bounds, TILE_CELLS)?;
    whole.add_triangles(&soup, &mut ())?;
    whole.update(&mut ())?;
    whole.write_tiles(folder.path(), &mut ())?;

    // In the game: `WorldWorker` runs such a world on a separate thread.
    let mut world = World::open(Baker::voxels(), folder.path())?;
    let handle = world.handle(); // for readers in other threads
    let mut scratch = QueryScratch::default();

    // The player crosses the level from corner to corner.
    let steps = 12_u8;
    let waypoint =
        |step: u8| bounds.min.lerp(bounds.max, f32::from(step) / f32::from(steps)).with_y(bounds.min.y);
    let mut complete = 0;
    for step in 0..steps {
        let (player, next) = (waypoint(step), waypoint(step + 1));
        let wanted = near(&world, player);
        let loaded: Vec<_> = world.tiles().collect();
        for &tile in loaded.iter().filter(|tile| !wanted.contains(tile)) {
            world.remove_tile(tile);
        }
        for &tile in wanted.iter().filter(|tile| !loaded.contains(tile)) {
            world.load_tile(tile)?;
        }
        // A crate is dropped next to the player, and removed after the update.
        let low = player + vec3(2.0, -1.0, 2.0);
        let shape = MarkShape::Box { bounds: Bounds { min: low, max: low + vec3(1.0, 3.0, 1.0) } };
        let obstacle = world.add_obstacle(Obstacle::solid(shape))?;
        let update = world.update(&mut ())?;
        world.remove_obstacle(obstacle);

        let mesh = handle.mesh();
        let mut query = mesh.query().partial().reach(Reach::new(8.0, 8.0, 8.0)).memory(&mut scratch);
        let path = query.path(player, next)?;
        complete += u32::from(path.outcome == Outcome::Complete);
        println!(
            "{} tiles, {} read, {} built, {} polygons, {:.1} m to the next waypoint",
            wanted.len(),
            update.prebaked,
            update.rebuilt,
            mesh.polygon_count(),
            path.length
        );
    }
    assert!(complete > u32::from(steps / 2), "most waypoints can be reached");
    Ok(())
}

/// The tiles within 20 m of a position.
fn near(world: &World, player: Vec3) -> Vec<waymesh::tile::Tile> {
    world.layout().tiles_near(player, 20.0).collect()
}
