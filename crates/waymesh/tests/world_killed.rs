//! Worlds whose tiles a program writes that is killed at any time.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "test helpers")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use glam::vec3;
use waymesh::core::{Random, Validate};
use waymesh::tile::Tile;
use waymesh::{Baker, TriangleSoup, World};
use waymesh_scenes::{Scene, SceneConfig};

/// Folder of the program that is killed.
const FOLDER: &str = "WAYMESH_KILLED_FOLDER";
/// Times that it is killed. `WAYMESH_KILL_ROUNDS` gives another number.
const ROUNDS: u32 = 10;

/// Two worlds on one grid: with a slab over the middle of the scene, and without.
fn worlds() -> [World; 2] {
    let plain = Scene::DungeonRooms.build(&SceneConfig::default());
    let bounds = plain.bounds();
    let middle = (bounds.min + bounds.max) / 2.0;
    let corner = |x: f32, z: f32| vec3(middle.x + x, middle.y, middle.z + z);
    let slab = TriangleSoup::new(
        vec![corner(-6.0, -6.0), corner(6.0, -6.0), corner(6.0, 6.0), corner(-6.0, 6.0)],
        vec![[0, 2, 1], [0, 3, 2]],
    );
    [None, slab.ok()].map(|slab| {
        let mut world = World::new(Baker::voxels(), &bounds, 32).unwrap();
        world.add_triangles(&plain, &mut ()).unwrap();
        slab.iter().for_each(|slab| world.add_triangles(slab, &mut ()).unwrap());
        world.update(&mut ()).unwrap();
        world
    })
}

fn bytes_of(world: &World, tile: Tile) -> Vec<u8> {
    let mut bytes = Vec::new();
    world.write_tile(tile, &mut bytes).unwrap();
    bytes
}

fn opened(folder: &Path) -> World {
    let mut world = World::open(Baker::voxels(), folder).unwrap();
    let tiles: Vec<Tile> = world.layout().tiles().collect();
    for tile in tiles {
        world.load_tile(tile).unwrap();
    }
    world.update(&mut ()).unwrap();
    world.handle().mesh().validate().unwrap();
    world
}

/// The program of the next test, not a test itself.
#[test]
fn the_program_that_is_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let worlds = worlds();
    std::fs::write(Path::new(&folder).join("begun"), "").unwrap();
    // Ends by itself where nobody kills it.
    for world in worlds.iter().cycle().take(200) {
        world.write_tiles(&Path::new(&folder).join("tiles"), &mut ()).unwrap();
    }
}

#[test]
fn every_tile_is_the_old_one_or_the_new_one() {
    let rounds = std::env::var("WAYMESH_KILL_ROUNDS").ok().and_then(|rounds| rounds.parse().ok());
    let folder = tempfile::tempdir().unwrap();
    let (begun, tiles) = (folder.path().join("begun"), folder.path().join("tiles"));
    let worlds = worlds();
    let start = Instant::now();
    worlds[0].write_tiles(&tiles, &mut ()).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    let mut random = Random::new(23);
    let mut mixed = 0;
    for round in 0..rounds.unwrap_or(ROUNDS) {
        let mut program = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "the_program_that_is_killed"])
            .env(FOLDER, folder.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        while !begun.exists() {
            assert!(program.try_wait().unwrap().is_none(), "round {round}: the program ended");
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_secs_f64(seconds * 4.0 * random.unit_f64()));
        program.kill().unwrap();
        program.wait().unwrap();
        std::fs::remove_file(&begun).unwrap();
        let found = opened(&tiles);
        let mut of = [0, 0];
        for tile in worlds[0].tiles() {
            let content = std::fs::read(tiles.join(tile.file_name())).unwrap();
            let is = [0, 1].map(|world| bytes_of(&worlds[world], tile) == content);
            assert!(is[0] || is[1], "round {round}: {tile:?} is torn");
            of = [0, 1].map(|world| of[world] + usize::from(is[world]));
        }
        let count = found.tiles().count();
        assert_eq!(count, worlds[0].tiles().count());
        mixed += usize::from(of[0] < count && of[1] < count);
    }
    println!("{mixed} times some were old and some new");
    // Leftover files of killed programs do no harm.
    worlds[1].write_tiles(&tiles, &mut ()).unwrap();
    let packed = |world: &World| world.handle().mesh().to_packed(true);
    assert!(packed(&opened(&tiles)) == packed(&worlds[1]));
}
