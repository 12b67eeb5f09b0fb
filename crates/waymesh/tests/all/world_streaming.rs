//! Tiles of a world that are baked once, written, and read.

#![expect(clippy::unwrap_used, reason = "test helpers")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use glam::{Vec3, vec3};
use waymesh::core::{Random, Validate};
use waymesh::tile::{Tile, TileError, tile_from_bytes, tile_to_bytes};
use waymesh::voxel::{Mark, MarkShape, Obstacle};
use waymesh::{
    AreaId, BakeConfig, BakeError, Baker, Bounds, CancelToken, JumpConfig, Observer, TriangleSoup, Voxels,
    World, WorldUpdate,
};
use waymesh_scenes::{Scene, SceneConfig};

fn baker() -> Baker<Voxels> {
    Baker::voxels().with_config(BakeConfig::default().with_validate_stages(true))
}

fn world_of(baker: Baker<Voxels>, soup: &TriangleSoup) -> World {
    let mut world = World::new(baker, &soup.bounds(), 32).unwrap();
    world.add_triangles(soup, &mut ()).unwrap();
    world.update(&mut ()).unwrap();
    world
}

fn scene(scene: Scene) -> TriangleSoup {
    scene.build(&SceneConfig::default())
}

fn empty_like(soup: &TriangleSoup) -> World {
    World::new(baker(), &soup.bounds(), 32).unwrap()
}

fn bytes_of(world: &World, tile: Tile) -> Vec<u8> {
    let mut bytes = Vec::new();
    world.write_tile(tile, &mut bytes).unwrap();
    bytes
}

/// Returns the fingerprint and content of a tile file.
fn fingerprint_and_content(bytes: &[u8]) -> (u64, &[u8]) {
    let fingerprint = u64::from_le_bytes(bytes[8..16].try_into().unwrap());
    let (_, content) = tile_from_bytes(bytes, fingerprint, Path::new("tile")).unwrap();
    (fingerprint, content)
}

fn packed(world: &World) -> Vec<u8> {
    world.handle().mesh().to_packed(true)
}

fn update(world: &mut World) -> WorldUpdate {
    let update = world.update(&mut ()).unwrap();
    world.handle().mesh().validate().unwrap();
    update
}

fn cuboid(at: Vec3) -> MarkShape {
    let half = vec3(1.0, 3.0, 1.0);
    MarkShape::Box { bounds: Bounds { min: at - half, max: at + half } }
}

fn block(at: Vec3) -> Obstacle {
    Obstacle::solid(cuboid(at))
}

#[test]
fn a_world_of_tiles_that_were_read_is_the_one_that_wrote_them() {
    for kind in Scene::ALL {
        let soup = scene(kind);
        let baked = world_of(baker(), &soup);
        let mut world = empty_like(&soup);
        let tiles: Vec<Tile> = baked.tiles().collect();
        let order = Random::new(8).permutation(tiles.len());
        for (count, index) in order.into_iter().enumerate() {
            assert_eq!(world.read_tile(&bytes_of(&baked, tiles[index])).unwrap(), tiles[index]);
            if count % 5 == 0 {
                update(&mut world);
            }
        }
        update(&mut world);
        assert!(packed(&world) == packed(&baked), "{}", kind.name());
        // A tile is written as it was read.
        for &tile in &tiles {
            assert!(bytes_of(&world, tile) == bytes_of(&baked, tile), "{}", kind.name());
        }
    }
}

#[test]
fn tiles_that_are_read_are_not_built() {
    let soup = scene(Scene::CityBlock);
    let baked = world_of(baker(), &soup);
    let folder = tempfile::tempdir().unwrap();
    baked.write_tiles(folder.path(), &mut ()).unwrap();
    let mut world = World::open(baker(), folder.path()).unwrap();
    assert_eq!(world.layout(), baked.layout());
    assert_eq!(world.tiles().count(), 0);
    let tiles: Vec<Tile> = baked.tiles().collect();
    let (some, rest) = tiles.split_at(tiles.len() / 2);
    for (part, gone) in [(some, &[][..]), (rest, some), (some, &[])] {
        gone.iter().for_each(|&tile| assert!(world.remove_tile(tile)));
        part.iter().for_each(|&tile| assert!(world.load_tile(tile).unwrap()));
        let update = update(&mut world);
        assert_eq!((update.rebuilt, update.prebaked), (0, part.len()));
    }
    assert!(packed(&world) == packed(&baked));
    // A tile comes back after a change, and the whole world with it.
    let corner = world.handle().mesh().vertices()[0];
    let obstacle = world.add_obstacle(block(corner)).unwrap();
    let changed = update(&mut world);
    assert!(changed.rebuilt > 0 && changed.prebaked == 0, "{changed:?}");
    assert!(packed(&world) != packed(&baked));
    world.remove_obstacle(obstacle);
    let back = update(&mut world);
    assert_eq!((back.rebuilt, back.prebaked), (0, changed.rebuilt));
    assert!(packed(&world) == packed(&baked));
    let beside = Tile { row: 0, column: world.layout().columns() };
    assert!(matches!(world.load_tile(beside), Err(BakeError::Tile(TileError::NoSuchTile { .. }))));
}

/// The mesh is a function of the current tiles, obstacles and marks, whatever their history.
#[test]
fn how_tiles_came_and_went_does_not_show() {
    let soup = scene(Scene::OverlappingStoreys);
    let baked = world_of(baker(), &soup);
    let tiles: Vec<Tile> = baked.tiles().collect();
    let bounds = soup.bounds();
    let mut random = Random::new(4);
    let mut world = empty_like(&soup);
    let mut present = BTreeSet::new();
    let (mut obstacles, mut marks) = (Vec::new(), Vec::new());
    for round in 0..60 {
        let tile = tiles[random.index(tiles.len())];
        let at = bounds.min + (bounds.max - bounds.min) * vec3(random.unit(), random.unit(), random.unit());
        match random.below(8) {
            0..4 => {
                world.read_tile(&bytes_of(&baked, tile)).unwrap();
                present.insert(tile);
            }
            4 => {
                world.remove_tile(tile);
                present.remove(&tile);
            }
            5 => obstacles.push((world.add_obstacle(block(at)).unwrap(), block(at))),
            6 => {
                let mark = Mark::new(cuboid(at), AreaId(3));
                marks.push((world.add_mark(mark.clone()).unwrap(), mark));
            }
            _ if obstacles.is_empty() => {}
            _ => {
                let (id, _) = obstacles.remove(random.index(obstacles.len()));
                world.remove_obstacle(id);
            }
        }
        if round % 3 == 0 {
            update(&mut world);
        }
        if round % 12 == 0 {
            let mut fresh = empty_like(&soup);
            for &tile in &present {
                fresh.read_tile(&bytes_of(&baked, tile)).unwrap();
            }
            for (_, obstacle) in &obstacles {
                fresh.add_obstacle(obstacle.clone()).unwrap();
            }
            for (_, mark) in &marks {
                fresh.add_mark(mark.clone()).unwrap();
            }
            update(&mut fresh);
            assert!(packed(&world) == packed(&fresh), "round {round}");
        }
    }
}

/// A tile that is rebuilt next to a missing one has the ground of its original world.
#[test]
fn a_tile_alone_has_its_ground_up_to_its_border() {
    let soup = scene(Scene::CityBlock);
    let baked = world_of(baker(), &soup);
    let tiles: Vec<Tile> = baked.tiles().collect();
    let tile = tiles[tiles.len() / 2];
    let mut alone = empty_like(&soup);
    alone.read_tile(&bytes_of(&baked, tile)).unwrap();
    update(&mut alone);
    let as_read = alone.handle().mesh();
    let mut from_triangles = empty_like(&soup);
    from_triangles.set_tile(tile, &soup).unwrap();
    update(&mut from_triangles);
    assert!(as_read.area() > from_triangles.handle().mesh().area() + 1.0);
    // Equal when rebuilt from its voxels: a mark without effect causes that.
    let high = MarkShape::Box { bounds: Bounds { min: Vec3::splat(-1e3), max: vec3(1e3, -900.0, 1e3) } };
    alone.add_mark(Mark::new(high, AreaId(3))).unwrap();
    assert_eq!(update(&mut alone).rebuilt, 1);
    assert_eq!(alone.handle().mesh().poly_mesh(), as_read.poly_mesh());
}

#[test]
fn a_tile_beside_another_than_then_is_built_again() {
    let [soup, other] = [Scene::CityBlock, Scene::RollingTerrain].map(scene);
    let baked = world_of(baker(), &soup);
    let tile = Tile { row: 1, column: 1 };
    let mut world = empty_like(&soup);
    world.read_tile(&bytes_of(&baked, tile)).unwrap();
    update(&mut world);
    world.set_tile(Tile { row: 1, column: 2 }, &other).unwrap();
    let update = update(&mut world);
    assert_eq!((update.rebuilt, update.prebaked), (2, 0));
    // The tile of then from its triangles is the tile of then.
    world.set_tile(Tile { row: 1, column: 2 }, &soup).unwrap();
    let update = world.update(&mut ()).unwrap();
    assert_eq!((update.rebuilt, update.prebaked), (1, 1));
}

/// Updates that are cancelled leave nothing behind, wherever they are.
#[test]
fn what_was_read_is_whole_after_updates_that_were_cancelled() {
    struct Until(CancelToken);
    impl Observer for Until {
        fn cancel_token(&self) -> CancelToken {
            self.0.clone()
        }
    }
    let soup = scene(Scene::CityBlock);
    let baked = world_of(baker(), &soup);
    let mut world = empty_like(&soup);
    for tile in baked.tiles() {
        world.read_tile(&bytes_of(&baked, tile)).unwrap();
    }
    update(&mut world);
    let corner = world.handle().mesh().vertices()[0];
    let endless = CancelToken::after(u64::MAX);
    let obstacle = world.add_obstacle(block(corner)).unwrap();
    world.update(&mut Until(endless.clone())).unwrap();
    world.remove_obstacle(obstacle);
    update(&mut world);
    let all = u64::MAX - endless.checkpoints_left().unwrap();
    let mut cancelled = 0;
    for checkpoints in (0..all).step_by(usize::try_from(all / 25).unwrap() + 1) {
        let obstacle = world.add_obstacle(block(corner)).unwrap();
        let result = world.update(&mut Until(CancelToken::after(checkpoints)));
        cancelled += u32::from(matches!(result, Err(BakeError::Cancelled(_))));
        world.remove_obstacle(obstacle);
        update(&mut world);
        assert!(packed(&world) == packed(&baked), "after {checkpoints} of {all}");
    }
    assert!(cancelled > 10, "{cancelled} of 25");
}

#[test]
fn obstacles_and_marks_are_not_written() {
    let soup = scene(Scene::CityBlock);
    let baked = world_of(baker(), &soup);
    let mesh = baked.handle().mesh();
    let [first, last] = [mesh.vertices()[0], mesh.vertices()[mesh.vertices().len() - 1]];
    let mut changed = world_of(baker(), &soup);
    changed.add_obstacle(block(first)).unwrap();
    changed.add_mark(Mark::new(cuboid(last), AreaId(3))).unwrap();
    let tile = changed.tiles().next().unwrap();
    assert!(matches!(changed.write_tile(tile, &mut Vec::new()), Err(BakeError::Tile(TileError::NotUpdated))));
    update(&mut changed);
    assert!(packed(&changed) != packed(&baked));
    let mut world = empty_like(&soup);
    for tile in changed.tiles() {
        world.read_tile(&bytes_of(&changed, tile)).unwrap();
    }
    update(&mut world);
    assert!(packed(&world) == packed(&baked));
}

#[test]
fn jumps_and_ledges_are_those_of_the_world_that_wrote_the_tiles() {
    let config = BakeConfig::default().with_max_ledge(1.2).with_jumps(JumpConfig::default());
    let soup = scene(Scene::OverlappingStoreys);
    let baked = world_of(Baker::voxels().with_config(config.clone()), &soup);
    assert!(!baked.handle().mesh().links().is_empty());
    let mut world = World::new(Baker::voxels().with_config(config), &soup.bounds(), 32).unwrap();
    for tile in baked.tiles() {
        world.read_tile(&bytes_of(&baked, tile)).unwrap();
    }
    update(&mut world);
    assert_eq!(world.handle().mesh().links(), baked.handle().mesh().links());
    assert_eq!(*world.handle().mesh(), *baked.handle().mesh());
}

#[test]
fn torn_damaged_and_foreign_tiles_are_refused() {
    let soup = scene(Scene::CityBlock);
    let baked = world_of(baker(), &soup);
    let tile = baked.tiles().next().unwrap();
    let bytes = bytes_of(&baked, tile);
    let mut world = empty_like(&soup);
    let mut refused = |bytes: &[u8]| match world.read_tile(bytes).unwrap_err() {
        BakeError::Tile(error) => error,
        error => panic!("{error}"),
    };
    for end in (0..bytes.len()).step_by(97) {
        assert!(matches!(refused(&bytes[..end]), TileError::Damaged { .. }), "{end}");
    }
    for place in (0..bytes.len()).step_by(31).filter(|&place| place != 7) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 4;
        assert!(matches!(refused(&damaged), TileError::Damaged { .. }), "{place}");
    }
    let mut other_version = bytes.clone();
    other_version[7] += 1;
    assert!(matches!(refused(&other_version), TileError::OtherVersion { .. }));
    let config = BakeConfig::default().with_max_edge_length(3.0);
    let other_settings = world_of(Baker::voxels().with_config(config.clone()), &soup);
    assert!(matches!(refused(&bytes_of(&other_settings, tile)), TileError::OtherBake { .. }));
    let other_grid = world_of(baker(), &scene(Scene::RollingTerrain));
    let foreign = bytes_of(&other_grid, other_grid.tiles().next().unwrap());
    assert!(matches!(refused(&foreign), TileError::OtherBake { .. }));
    // Threads and memory make no other tiles.
    let config = BakeConfig::default().with_threads(1).with_max_memory_bytes(1 << 30);
    let same = world_of(Baker::voxels().with_config(config), &soup);
    world.read_tile(&bytes_of(&same, tile)).unwrap();

    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(World::open(baker(), folder.path()), Err(BakeError::Tile(TileError::NotTiles { .. }))));
    baked.write_tiles(folder.path(), &mut ()).unwrap();
    let error = World::open(Baker::voxels().with_config(config_of(3.0)), folder.path()).unwrap_err();
    assert!(matches!(error, BakeError::Tile(TileError::OtherBake { .. })), "{error}");
    let error = other_settings.write_tiles(folder.path(), &mut ()).unwrap_err();
    assert!(matches!(error, BakeError::Tile(TileError::OtherBake { .. })), "{error}");
    let mut world = World::open(baker(), folder.path()).unwrap();
    let file = folder.path().join(tile.file_name());
    fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    let error = world.load_tile(tile).unwrap_err();
    assert!(error.to_string().contains(&tile.file_name()), "{error}");
    let second = baked.tiles().nth(1).unwrap();
    fs::write(&file, bytes_of(&baked, second)).unwrap();
    assert!(matches!(world.load_tile(tile), Err(BakeError::Tile(TileError::Damaged { .. }))));
    fs::remove_file(&file).unwrap();
    assert!(!world.load_tile(tile).unwrap());
    assert!(world.load_tile(second).unwrap());
    let note = fs::read_to_string(folder.path().join("bake.txt")).unwrap();
    fs::write(folder.path().join("bake.txt"), note.replace("world", "bakery")).unwrap();
    assert!(matches!(World::open(baker(), folder.path()), Err(BakeError::Tile(TileError::NotTiles { .. }))));
}

/// For files in an archive, without a folder.
#[test]
fn a_world_is_opened_from_files_that_the_caller_read() {
    let soup = scene(Scene::CityBlock);
    let baked = world_of(baker(), &soup);
    let folder = tempfile::tempdir().unwrap();
    baked.write_tiles(folder.path(), &mut ()).unwrap();
    let manifest = fs::read_to_string(folder.path().join("bake.txt")).unwrap();
    let nowhere = Path::new("pack/level");
    let open = |baker, manifest: &str| World::from_manifest(baker, manifest, nowhere);
    let mut world = open(baker(), &manifest).unwrap();
    let tiles: Vec<Tile> = baked.tiles().collect();
    for &tile in &tiles {
        let bytes = fs::read(folder.path().join(tile.file_name())).unwrap();
        world.read_tile_of(tile, &bytes, &nowhere.join(tile.file_name())).unwrap();
    }
    assert!(!world.load_tile(tiles[0]).unwrap(), "it has no folder");
    update(&mut world);
    assert!(packed(&world) == packed(&baked));

    // Errors contain the given name.
    let file = nowhere.join(tiles[0].file_name());
    for bytes in [bytes_of(&baked, tiles[1]), b"half".to_vec()] {
        let error = world.read_tile_of(tiles[0], &bytes, &file).unwrap_err();
        assert!(
            matches!(&error, BakeError::Tile(TileError::Damaged { path, .. }) if *path == file),
            "{error}"
        );
    }
    update(&mut world);
    assert!(packed(&world) == packed(&baked), "what is refused changes nothing");
    let error = open(Baker::voxels().with_config(config_of(3.0)), &manifest).unwrap_err();
    assert!(
        matches!(&error, BakeError::Tile(TileError::OtherBake { path, .. }) if path == nowhere),
        "{error}"
    );
    let error = open(baker(), "tiles, maybe").unwrap_err();
    assert!(error.to_string().contains("bake.txt"), "{error}");
    assert!(matches!(
        open(baker(), &manifest.replace("world", "bakery")),
        Err(BakeError::Tile(TileError::NotTiles { .. }))
    ));
}

fn config_of(max_edge_length: f32) -> BakeConfig {
    BakeConfig::default().with_max_edge_length(max_edge_length)
}

/// Bytes that were changed on purpose, with the right checksum.
#[test]
fn a_tile_that_is_whole_but_wrong_is_an_error_or_sound() {
    let soup = scene(Scene::OverlappingStoreys);
    let mut baked = world_of(baker(), &soup);
    let tile = Tile { row: 0, column: 1 };
    let bytes = bytes_of(&baked, tile);
    let (fingerprint, content) = fingerprint_and_content(&bytes);
    let mut random = Random::new(6);
    let (mut refused, mut failed, mut sound) = (0, 0, 0);
    for _ in 0..300 {
        let mut content = content.to_vec();
        for _ in 0..=random.below(3) {
            let place = random.index(content.len());
            content[place] = [0, 1, 0xff, content[place] ^ 1][random.index(4)];
        }
        if baked.read_tile(&tile_to_bytes(tile, fingerprint, &content)).is_err() {
            refused += 1;
        } else if baked.update(&mut ()).is_err() {
            failed += 1;
        } else {
            baked.handle().mesh().validate().unwrap();
            sound += 1;
        }
        baked.set_tile(tile, &soup).unwrap();
    }
    assert!(refused > 20 && sound > 20, "{refused} refused, {failed} failed, {sound} sound");
    baked.update(&mut ()).unwrap();
    assert_eq!(*baked.handle().mesh(), *world_of(baker(), &soup).handle().mesh());
}

/// Found by fuzzers: a tile that claims billions of regions. Many a number of a tile in turn is a
/// large one here, with the right checksum.
#[test]
fn a_tile_of_large_numbers_is_an_error_or_sound() {
    let points = [(-8.0, -8.0), (8.0, -8.0), (8.0, 8.0), (-8.0, 8.0)].map(|(x, z)| vec3(x, 0.0, z));
    let floor = TriangleSoup::new(points.to_vec(), vec![[0, 2, 1], [0, 3, 2]]).unwrap();
    let mut baked = world_of(baker(), &floor);
    let tile = Tile { row: 0, column: 1 };
    let bytes = bytes_of(&baked, tile);
    let (fingerprint, content) = fingerprint_and_content(&bytes);
    let mut read = 0;
    for place in (0..content.len() - 3).step_by(3) {
        let mut content = content.to_vec();
        content[place..place + 4].copy_from_slice(&(u32::MAX - 1).to_le_bytes());
        if baked.read_tile(&tile_to_bytes(tile, fingerprint, &content)).is_ok() {
            read += 1;
            if baked.update(&mut ()).is_ok() {
                baked.handle().mesh().validate().unwrap();
            }
        }
    }
    assert!(read > 33, "{read} of {}", content.len());
    assert!(baked.remove_tile(tile));
    baked.update(&mut ()).unwrap();
    baked.read_tile(&bytes).unwrap();
    baked.update(&mut ()).unwrap();
    assert_eq!(*baked.handle().mesh(), *world_of(baker(), &floor).handle().mesh());
}

#[test]
fn the_tile_at_a_position_has_it_in_its_columns() {
    let world = empty_like(&scene(Scene::CityBlock));
    let frame = *world.layout().frame();
    let at = |x: f32, z: f32| {
        world.tile_at(frame.origin + vec3(x, 5.0, z) * vec3(frame.cell_size, 1.0, frame.cell_size))
    };
    assert_eq!(at(0.5, 0.5), Some(Tile { row: 0, column: 0 }));
    assert_eq!(at(31.5, 32.5), Some(Tile { row: 1, column: 0 }));
    assert_eq!(at(32.5, 31.5), Some(Tile { row: 0, column: 1 }));
    assert_eq!(at(-0.5, 3.0), None);
    assert_eq!(at(f32::NAN, 3.0), None);
    assert_eq!(at(3.0, frame.depth as f32 + 0.5), None);
}
