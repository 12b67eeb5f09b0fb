//! Worlds that change: against bakes of the same ground, and against themselves.

#![expect(clippy::unwrap_used, reason = "test helpers")]

use std::collections::BTreeMap;

use glam::{Vec2, Vec3, vec3};
use waymesh::core::{Random, Validate};
use waymesh::graph::{PathOptions, QueryError, Reach};
use waymesh::tile::{Tile, TileError};
use waymesh::voxel::{MarkShape, Obstacle};
use waymesh::{
    BakeConfig, BakeError, Baker, Bounds, NavMesh, Outcome, PartitionKind, QueryScratch, TriangleSoup,
    Voxels, World,
};
use waymesh_scenes::{Scene, SceneConfig};

fn pipeline(partition: PartitionKind) -> Baker<Voxels> {
    Baker::voxels().with_config(BakeConfig::default().with_partition(partition).with_validate_stages(true))
}

fn world_of(soup: &TriangleSoup, tile_cells: u32) -> World {
    let mut world = World::new(pipeline(PartitionKind::Surfaces), &soup.bounds(), tile_cells).unwrap();
    world.add_triangles(soup, &mut ()).unwrap();
    world.update(&mut ()).unwrap();
    world
}

/// A world has separate tiles: options of those of a bake would have no effect.
#[test]
fn options_of_tiles_are_refused() {
    let bounds = scene(Scene::DungeonRooms).bounds();
    for (option, front) in [
        ("tile_cells", Voxels::default().with_tile_cells(64)),
        ("folder", Voxels::default().with_folder("tiles")),
    ] {
        match World::new(Baker::voxels().with_front(front), &bounds, 48) {
            Err(BakeError::OptionNotSupported { option: refused, .. }) => assert_eq!(refused, option),
            other => panic!("{option}: {other:?}"),
        }
    }
}

fn scene(scene: Scene) -> TriangleSoup {
    scene.build(&SceneConfig::default())
}

/// Places on the ground of a mesh, area-blind but everywhere.
fn places(mesh: &NavMesh, count: usize) -> Vec<Vec3> {
    let mut random = Random::new(5);
    let polygons: Vec<Vec<Vec3>> = mesh.polygons().map(|polygon| polygon.positions().collect()).collect();
    (0..count)
        .map(|_| {
            let corners = &polygons[random.index(polygons.len())];
            let weights: Vec<f32> = corners.iter().map(|_| random.range(0.2, 1.0)).collect();
            let sum: f32 = weights.iter().sum();
            corners.iter().zip(&weights).map(|(&corner, weight)| corner * (weight / sum)).sum()
        })
        .collect()
}

/// `true` if two meshes lead to the same places, of which all but a few must be on both.
fn assert_same_ways(one: &NavMesh, other: &NavMesh, name: &str) {
    let mut scratch = QueryScratch::default();
    let options = PathOptions::default().with_allow_partial(false).with_reach(Reach::new(0.05, 1.0, 1.0));
    let (mut both, mut differ) = (0, 0);
    for pair in places(one, 600).chunks_exact(2) {
        let find = |mesh: &NavMesh, scratch: &mut QueryScratch| {
            mesh.query()
                .options(options)
                .memory(scratch)
                .path(pair[0], pair[1])
                .ok()
                .map(|path| path.outcome == Outcome::Complete)
        };
        if let (Some(here), Some(there)) = (find(one, &mut scratch), find(other, &mut scratch)) {
            both += 1;
            differ += u32::from(here != there);
        }
    }
    assert!(both > 100, "{name}: only {both} of 300 pairs lie on both meshes");
    assert_eq!(differ, 0, "{name}: {differ} of {both} pairs are joined on one mesh only");
}

/// Neighbours have the same ground along their common edge.
fn assert_no_cracks(mesh: &NavMesh) {
    for polygon in mesh.polygons() {
        let corners: Vec<Vec3> = polygon.positions().collect();
        for (index, neighbour) in polygon.neighbours().enumerate() {
            let Some(neighbour) = neighbour else { continue };
            let (a, b) = (corners[index], corners[(index + 1) % corners.len()]);
            for step in 1_u8..4 {
                let at = a.lerp(b, f32::from(step) / 4.0);
                if let [Some(here), Some(there)] =
                    [polygon.id(), neighbour].map(|id| mesh.height_in_polygon(id, at))
                {
                    assert!(
                        (here - there).abs() < 1e-3,
                        "polygons {} and {neighbour}: {here} and {there}",
                        polygon.id()
                    );
                }
            }
        }
    }
}

#[test]
fn a_world_has_the_ground_and_the_ways_of_a_bake() {
    for kind in Scene::ALL {
        let soup = scene(kind);
        for partition in [PartitionKind::Surfaces, PartitionKind::Watershed, PartitionKind::Monotone] {
            let bake = pipeline(partition).bake(&soup).unwrap();
            let mut world = World::new(pipeline(partition), &soup.bounds(), 48).unwrap();
            world.add_triangles(&soup, &mut ()).unwrap();
            let update = world.update(&mut ()).unwrap();
            assert_eq!(update.rebuilt, world.tiles().count());
            let mesh = world.handle().mesh();
            mesh.validate().unwrap();
            let name = format!("{} {partition:?}", kind.name());
            let (area, expected) = (mesh.area(), bake.area());
            // Walls end at the seams of tiles, where they stay: they move outwards less.
            assert!((area - expected).abs() < 0.06 * expected, "{name}: {area} m2, a bake has {expected} m2");
            assert_same_ways(&bake, &mesh, &name);
            assert_same_ways(&mesh, &bake, &name);
        }
    }
}

#[test]
fn neighbouring_tiles_have_no_crack_between_them() {
    assert_no_cracks(&world_of(&scene(Scene::RollingTerrain), 48).handle().mesh());
    assert_no_cracks(&world_of(&scene(Scene::OverlappingStoreys), 32).handle().mesh());
}

#[test]
fn the_order_of_changes_does_not_show() {
    let soup = scene(Scene::OverlappingStoreys);
    let expected = world_of(&soup, 32);
    let mut world = World::new(pipeline(PartitionKind::Surfaces), &soup.bounds(), 32).unwrap();
    let sorted: Vec<Tile> = expected.tiles().collect();
    let tiles: Vec<Tile> =
        Random::new(3).permutation(sorted.len()).into_iter().map(|index| sorted[index]).collect();
    for (index, &tile) in tiles.iter().enumerate() {
        world.set_tile(tile, &soup).unwrap();
        if index % 3 == 0 {
            world.update(&mut ()).unwrap();
            world.handle().mesh().validate().unwrap();
        }
    }
    // Away and back again.
    assert!(world.remove_tile(tiles[0]));
    assert!(!world.remove_tile(tiles[0]));
    world.update(&mut ()).unwrap();
    assert!(world.handle().mesh().area() < expected.handle().mesh().area());
    world.set_tile(tiles[0], &soup).unwrap();
    world.update(&mut ()).unwrap();
    assert_eq!(*world.handle().mesh(), *expected.handle().mesh());
}

/// A box of `size` metres around a place, from a little below the ground.
fn block(at: Vec3, size: f32, height: f32) -> Obstacle {
    let half = Vec3::new(size / 2.0, 0.5, size / 2.0);
    let bounds = Bounds { min: at - half, max: at + Vec3::new(half.x, height, half.z) };
    Obstacle::solid(MarkShape::Box { bounds })
}

#[test]
fn obstacles_come_and_go_and_only_what_they_touch_is_built_again() {
    let soup = scene(Scene::RollingTerrain);
    let mut world = world_of(&soup, 48);
    let handle = world.handle();
    let before = handle.mesh();
    let mut random = Random::new(9);
    let spots = places(&before, 40);
    let mut present = BTreeMap::new();
    for round in 0..12 {
        let spot = spots[random.index(spots.len())];
        let obstacle = match round % 4 {
            0 => block(spot, 3.0, 3.0),
            1 => Obstacle::solid(MarkShape::Cylinder { base: spot - Vec3::Y, radius: 1.5, height: 4.0 }),
            2 => {
                let corners = [(-2.0, -1.0), (2.0, -1.5), (0.0, 2.0)];
                let corners = corners.map(|(x, z)| Vec2::new(spot.x + x, spot.z + z)).to_vec();
                Obstacle::solid(MarkShape::Prism { corners, heights: [spot.y - 1.0, spot.y + 3.0] })
            }
            _ => {
                let wall = [[-2.0, -1.0, 0.0], [2.0, -1.0, 0.1], [0.0, 3.0, 0.0]];
                let positions = wall.map(|offset| spot + Vec3::from_array(offset)).to_vec();
                Obstacle::mesh(TriangleSoup::new(positions, vec![[0, 1, 2]]).unwrap())
            }
        };
        present.insert(world.add_obstacle(obstacle).unwrap(), spot);
        let old = handle.mesh();
        let update = world.update(&mut ()).unwrap();
        assert!((1..=4).contains(&update.rebuilt), "{update:?}");
        assert!(update.rebuilt + update.adjusted <= 16, "{update:?}");
        let mesh = handle.mesh();
        mesh.validate().unwrap();
        // Simplification may give a little back elsewhere.
        assert!(mesh.area() < old.area() + 1.0, "{} m2 before, {} m2 after", old.area(), mesh.area());
        // It is not walkable. (Next to a thin wall the grid leaves half a metre, less the edge error
        // of the simplification.)
        assert!(mesh.nearest(spot, &Reach::new(0.25, 1.0, 1.0)).is_none(), "{spot} is still walkable");
        if round % 3 == 2 {
            let (&id, _) = present.iter().next().unwrap();
            assert!(world.remove_obstacle(id));
            assert!(!world.remove_obstacle(id));
            present.remove(&id);
            world.update(&mut ()).unwrap();
        }
    }
    for id in present.keys() {
        assert!(world.remove_obstacle(*id));
    }
    assert!(world.is_dirty());
    world.update(&mut ()).unwrap();
    assert_eq!(*handle.mesh(), *before);
    // Nothing to do is nothing done.
    assert_eq!(world.update(&mut ()).unwrap().rebuilt, 0);
    assert_eq!(*handle.mesh(), *before);
}

#[test]
fn a_wall_through_the_world_parts_it_until_it_goes() {
    let soup = scene(Scene::DungeonRooms);
    let mut world = world_of(&soup, 32);
    let handle = world.handle();
    let islands = handle.mesh().islands().len();
    let bounds = soup.bounds();
    let middle = (bounds.min + bounds.max) / 2.0;
    let wall = Bounds {
        min: Vec3::new(middle.x - 0.3, bounds.min.y - 1.0, bounds.min.z),
        max: Vec3::new(middle.x + 0.3, bounds.max.y + 5.0, bounds.max.z),
    };
    let wall = world.add_obstacle(Obstacle::solid(MarkShape::Box { bounds: wall })).unwrap();
    let update = world.update(&mut ()).unwrap();
    assert!(update.rebuilt < world.tiles().count());
    let parted = handle.mesh();
    parted.validate().unwrap();
    assert!(parted.islands().len() > islands);
    let mut scratch = QueryScratch::default();
    for pair in places(&parted, 200).chunks_exact(2) {
        let [x0, x1] = [pair[0].x < middle.x, pair[1].x < middle.x];
        let path = parted.query().memory(&mut scratch).path(pair[0], pair[1]);
        assert!(
            x0 == x1 || matches!(path, Err(QueryError::Unreachable { .. })),
            "{} to {}",
            pair[0],
            pair[1]
        );
    }
    assert!(world.remove_obstacle(wall));
    world.update(&mut ()).unwrap();
    assert_eq!(handle.mesh().islands().len(), islands);
}

#[test]
fn what_a_world_cannot_do_is_an_error() {
    let soup = scene(Scene::SpiralStairs);
    let mut world = world_of(&soup, 32);
    let error = world.set_tile(Tile { row: 900, column: 0 }, &soup).unwrap_err();
    assert!(matches!(error, BakeError::Tile(TileError::NoSuchTile { .. })), "{error}");
    let bad = Obstacle::solid(MarkShape::Cylinder { base: Vec3::NAN, radius: 1.0, height: 1.0 });
    assert!(world.add_obstacle(bad).is_err());
    assert!(!world.is_dirty());
    assert!(World::new(Baker::voxels(), &Bounds::EMPTY, 64).is_err());
    let beside = block(Vec3::splat(1e6), 1.0, 1.0);
    let id = world.add_obstacle(beside).unwrap();
    assert!(!world.is_dirty());
    assert!(world.remove_obstacle(id));
}

/// Tables for paths that are made on another thread while the world changes: before and after each
/// update paths have the lengths of searches.
#[test]
fn an_oracle_made_meanwhile_answers_where_nothing_changed() {
    let soup = Scene::CityBlock.build(&SceneConfig::default());
    let mut world = World::bake(Baker::voxels(), &soup, 32).unwrap();
    let handle = world.handle();
    let maker = std::thread::spawn({
        let mesh = handle.mesh();
        move || mesh.make_oracle(64 << 20)
    });
    let bounds = soup.bounds();
    let mut random = Random::new(5);
    let mut obstacles = Vec::new();
    let mut change = |world: &mut World, random: &mut Random| {
        let at = bounds.min + (bounds.max - bounds.min) * vec3(random.unit(), 0.5, random.unit());
        let half = vec3(1.5, 3.0, 1.5);
        let shape = MarkShape::Box { bounds: Bounds { min: at - half, max: at + half } };
        obstacles.push(world.add_obstacle(Obstacle::solid(shape)).unwrap());
        if obstacles.len() > 2 {
            assert!(world.remove_obstacle(obstacles.remove(0)));
        }
        world.update(&mut ()).unwrap();
    };
    change(&mut world, &mut random);
    let before = handle.mesh();
    world.set_oracle(maker.join().unwrap());
    let after = handle.mesh();
    assert!(*after == *before && after.generation() == before.generation());
    let [mut looked_up, mut searched] = [0; 2];
    for round in 0..6 {
        let mesh = handle.mesh();
        let mut plain = NavMesh::clone(&mesh);
        plain.set_oracle(None);
        let mut scratch = QueryScratch::default();
        let sampler = mesh.query().sampler();
        for _ in 0..60 {
            let [from, to] = [(); 2].map(|()| sampler.sample(&mesh, &mut random).unwrap().unwrap().position);
            let Ok(expected) = plain.query().shortest().path(from, to) else { continue };
            let path = mesh.query().shortest().memory(&mut scratch).path(from, to).unwrap();
            // In plan paths of one length may differ in space.
            let tolerance = 0.01 * (1.0 + expected.length);
            assert!((path.length - expected.length).abs() < tolerance, "{round}: {from} to {to}");
            let is_bent = expected.points.len() > 2;
            looked_up += usize::from(is_bent && scratch.used_oracle());
            searched += usize::from(is_bent && !scratch.used_oracle());
        }
        change(&mut world, &mut random);
    }
    assert!(looked_up > 100 && searched > 5, "{looked_up}, {searched}");
}
