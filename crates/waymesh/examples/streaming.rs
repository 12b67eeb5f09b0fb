//! A level that is baked once into tiles, and read around a player who crosses it.
//!
//! `cargo run --release --package waymesh --example streaming`

#![expect(clippy::print_stdout, reason = "an example prints what it finds")]

use waymesh::glam::vec3;
use waymesh::{Baker, World};
use waymesh_scenes::{Scene, SceneConfig};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Before the game is shipped: all tiles, of 64 cells a side, into files.
    let level = Scene::DungeonRooms.build(&SceneConfig::default());
    let folder = tempfile::tempdir()?;
    World::bake(Baker::voxels(), &level, 64)?.write_tiles(folder.path(), &mut ())?;
    // Routes across the whole level are found on a coarse mesh.
    let coarse = Baker::voxels().cell_size(0.5).height_detail(false).bake(&level)?;
    let route = coarse.path(vec3(7.0, 0.0, 7.0), vec3(49.0, 0.0, 49.0))?;

    // In the game: the tiles within 12 m. `WorldWorker` reads them in a separate thread.
    let mut world = World::open(Baker::voxels(), folder.path())?;
    let (mut player, mut walked) = (route.points[0], 0.0);
    for &next in &route.points[1..] {
        let wanted: Vec<_> = world.layout().tiles_near(next, 12.0).collect();
        let loaded: Vec<_> = world.tiles().collect();
        for &tile in loaded.iter().filter(|tile| !wanted.contains(tile)) {
            world.remove_tile(tile);
        }
        for &tile in wanted.iter().filter(|tile| !loaded.contains(tile)) {
            world.load_tile(tile)?;
        }
        let update = world.update(&mut ())?;
        let path = world.handle().mesh().path(player, next)?;
        println!("{} tiles, {} of them read, {} built", wanted.len(), update.prebaked, update.rebuilt);
        (player, walked) = (path.points[path.points.len() - 1], walked + path.length);
    }
    println!("{walked:.1} m");
    assert!((walked - route.length).abs() < 3.0);
    Ok(())
}
