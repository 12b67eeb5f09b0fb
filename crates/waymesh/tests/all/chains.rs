//! A position that a mesh gave out is on the mesh for every query, on the meshes of all front ends:
//! steps along walls, followers, rays along paths, corridors and discs, also after saving and
//! loading. `WAYMESH_CHAINS=20` follows twenty times as many.

#![expect(clippy::unwrap_used, reason = "test helpers")]

use glam::{Vec3, Vec3Swizzles};
use waymesh::core::Validate;
use waymesh::floorplan::{Door, FloorPlan, Outline, Shape};
use waymesh::graph::{PackedChecks, Reach};
use waymesh::triangulate::ClearanceConfig;
use waymesh::{Agent, BakeConfig, Baker, NavMesh, PathSearch, TriangleSoup, World, with_clearance};
use waymesh_scenes::{Scene, SceneConfig};
use waymesh_testkit::boards::{on_board_of_seed, on_boards};
use waymesh_testkit::chains::{Chains, Followed};
use waymesh_testkit::{Random, flat_meshes, levels};

/// Metres between the places of an agent, at 30 places a second.
const STEP: f32 = 0.05;

fn times() -> usize {
    std::env::var("WAYMESH_CHAINS").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

fn follow(name: &str, mesh: &NavMesh, seed: u64) -> Followed {
    let mut chains = Chains::new(mesh, seed);
    chains.step = STEP;
    chains.walls(40 * times());
    chains.paths(8 * times());
    eprintln!("{name}: {:?}", chains.followed);
    chains.followed
}

fn follow_discs(name: &str, mesh: NavMesh, seed: u64) -> Followed {
    let clear = with_clearance(mesh, &ClearanceConfig::default()).unwrap();
    let mut chains = Chains::new(clear.mesh(), seed);
    chains.step = STEP;
    for radius in [0.0, 0.17, 0.4] {
        chains.discs(&clear, radius, 6 * times());
    }
    eprintln!("{name}, discs: {:?}", chains.followed);
    chains.followed
}

/// A scene away from the origin, where positions are rounded more.
fn moved(soup: &TriangleSoup, by: Vec3) -> TriangleSoup {
    let positions = soup.positions().iter().map(|&position| position + by).collect();
    TriangleSoup::new(positions, soup.triangles().to_vec()).unwrap()
}

/// The meshes of all front ends. Cells of slices are larger than by default: every step is a link,
/// and there are enough of them.
fn by_every_front_end(soup: &TriangleSoup) -> [(&'static str, NavMesh); 3] {
    let slices = Baker::slices().cell_size(0.1).level_height(0.04);
    [
        ("voxels", Baker::voxels().bake(soup).unwrap()),
        ("storeys", Baker::storeys().bake(soup).unwrap()),
        ("slices", slices.bake(soup).unwrap()),
    ]
}

#[test]
fn generated_scenes_by_every_front_end() {
    for (seed, scene) in (0..).zip([Scene::DungeonRooms, Scene::RollingTerrain, Scene::SpiralStairs]) {
        let soup = moved(&scene.build(&SceneConfig::default()), Vec3::new(-311.7, 12.3, 1_047.9));
        let meshes = by_every_front_end(&soup);
        for (front, mesh) in &meshes {
            let sum = follow(&format!("{} by {front}", scene.name()), mesh, seed);
            assert!(sum.walls > 0 && sum.paths > 0, "{sum:?}");
        }
        let loaded = NavMesh::from_packed_shared(meshes[0].1.to_packed(true), PackedChecks::All).unwrap();
        follow(&format!("{} loaded", scene.name()), &loaded, seed + 10);
        let mut world = World::new(Baker::voxels(), &soup.bounds(), 32).unwrap();
        world.add_triangles(&soup, &mut ()).unwrap();
        world.update(&mut ()).unwrap();
        let mesh = world.handle().mesh();
        follow(&format!("{} as a world", scene.name()), &mesh, seed + 20);
    }
}

/// The height of a position is that of the ground where queries find it, however steep the ground
/// is and however coarsely positions are rounded.
#[test]
fn positions_far_from_the_origin_are_found_at_their_height() {
    for scene in [Scene::RollingTerrain, Scene::Terraces, Scene::SpiralStairs] {
        for by in [Vec3::new(-311.7, 12.3, 1_047.9), Vec3::new(9_000.3, -41.0, -14_000.7)] {
            let soup = moved(&scene.build(&SceneConfig::default()), by);
            for (front, mesh) in by_every_front_end(&soup) {
                mesh.validate().unwrap();
                let mut random = Random::new(11);
                let reach = Reach::new(mesh.position_slack(), 1e-3, 1e-3);
                let bounds = mesh.world_bounds().unwrap();
                for polygon in
                    mesh.polygon_ids().collect::<Vec<_>>().into_iter().cycle().take(1_000 * times())
                {
                    let share = Vec3::new(random.unit(), random.unit(), random.unit());
                    let asked = bounds.min + share * (bounds.max - bounds.min);
                    let place = mesh.closest_on_polygon(polygon, asked).unwrap().position;
                    let found = mesh.nearest(place, &reach);
                    assert!(
                        found.is_some(),
                        "{} by {front}, moved by {by}: {place} is off the mesh",
                        scene.name()
                    );
                }
            }
        }
    }
}

/// On slices, where each step is a link. In plan: points lie on either side of a step.
#[test]
fn shortest_paths_are_as_long_backwards() {
    for scene in [Scene::SpiralStairs, Scene::OverlappingStoreys, Scene::DungeonRooms, Scene::Terraces] {
        let mesh = Baker::slices().bake(&scene.build(&SceneConfig::default())).unwrap();
        let sampler = mesh.query().sampler();
        let (mut random, mut paths) = (Random::new(5), 0);
        for _ in 0..60 * times() {
            let [a, b] = [(); 2].map(|()| sampler.sample(&mesh, &mut random).unwrap().unwrap().position);
            let [there, back] = [[a, b], [b, a]].map(|[from, to]| mesh.query().shortest().path(from, to));
            let (Ok(there), Ok(back)) = (there, back) else { continue };
            let apart = (there.plan_length - back.plan_length).abs();
            let name = scene.name();
            assert!(
                apart <= 1e-3,
                "{name}: {a} to {b}: {} m, back {} m",
                there.plan_length,
                back.plan_length
            );
            paths += 1;
        }
        assert!(paths > 20 * times(), "{paths} paths");
    }
}

/// The string of a path turns back at the end of a wall without thickness.
#[test]
fn stairs_by_slices_from_corners() {
    let soup = moved(&Scene::SpiralStairs.build(&SceneConfig::default()), Vec3::new(-311.7, 12.3, 1_047.9));
    let mesh = Baker::slices().bake(&soup).unwrap();
    for seed in 0..12 * times() as u64 {
        let mut chains = Chains::new(&mesh, seed);
        chains.step = STEP;
        chains.paths(8);
        assert!(chains.followed.paths > 0);
    }
    // Down a step, round the end of the wall at it.
    let (from, to) = (Vec3::new(-298.45, 12.9, 1_059.9), Vec3::new(-298.65, 12.3, 1_060.25));
    for search in [PathSearch::Shortest, PathSearch::Fast] {
        let path = mesh.query().search(search).path(from, to).unwrap();
        let straight = from.xz().distance(to.xz());
        assert!((path.plan_length - 0.1 - straight).abs() < 1e-3, "{path:?}");
    }
}

/// Rooms along a corridor, turned so that no wall follows the grid, with doorways and doors.
fn office(turn: f64, doors: bool) -> FloorPlan {
    let (sin, cos) = turn.sin_cos();
    let at = |x: f64, z: f64| [0.3 + x * cos - z * sin, 4.1 + x * sin + z * cos];
    let mut plan = FloorPlan::default();
    let storey = plan.storey_mut("ground", 0.0);
    storey
        .walkable
        .push(Shape::polygon("floor", vec![at(0.0, 0.0), at(24.0, 0.0), at(24.0, 12.0), at(0.0, 12.0)]));
    let mut wall = |a: [f64; 2], b: [f64; 2]| {
        let line = Outline::Wall { line: vec![at(a[0], a[1]), at(b[0], b[1])], width: 0.15 };
        storey.blocked.push(Shape::new("wall", line));
    };
    for z in [5.0, 7.0] {
        for room in 0..6 {
            let x = 4.0 * f64::from(room);
            wall([x, z], [x + 1.5, z]);
            wall([x + 2.5, z], [x + 4.0, z]);
        }
    }
    for room in 1..6 {
        let x = 4.0 * f64::from(room);
        wall([x, 0.0], [x, 5.0]);
        wall([x, 7.0], [x, 12.0]);
    }
    for room in 0..if doors { 6 } else { 0 } {
        let x = 4.0 * f64::from(room) + 2.0;
        let line = [at(x - 0.5, 5.0), at(x + 0.5, 5.0)];
        storey.doors.push(Door { name: format!("door {room}"), line, depth: 0.3, cost: 0.0 });
    }
    plan
}

#[test]
fn floor_plans_of_all_directions() {
    let mut sum = 0;
    for (seed, turn) in (0..).zip([0.0, 0.1, 0.5, 0.9, 2.2]) {
        for radius in [0.0, 0.25] {
            for doors in [false, true] {
                let baker = Baker::plans();
                let config = baker.config().clone().with_agent(Agent::default().with_radius(radius));
                let mesh = baker.with_config(config).bake(&office(turn, doors)).unwrap();
                let name = format!("office turned by {turn}, radius {radius}, doors: {doors}");
                sum += follow(&name, &mesh, seed).paths;
                if radius == 0.0 {
                    sum += follow_discs(&name, mesh, seed).discs;
                }
            }
        }
    }
    assert!(sum > 100 * times(), "{sum} paths");
}

#[test]
fn discs_between_walls_of_all_directions() {
    let mut sum = 0;
    for seed in 0..12 {
        for blocked in [0.1, 0.3] {
            let mesh = NavMesh::new(flat_meshes::crooked(seed, 12, blocked), None, Agent::default()).unwrap();
            sum += follow_discs("crooked", mesh, seed).discs;
        }
    }
    assert!(sum > 50 * times(), "{sum} paths");
}

#[test]
fn discs_on_random_boards() {
    on_boards(0xd15c, 250 * times(), |board, mesh| {
        let clear = with_clearance(mesh.clone(), &ClearanceConfig::default()).unwrap();
        let mut chains = Chains::new(mesh, board.seed);
        let mut random = Random::new(board.seed ^ 0xd15c);
        let cells = [0.0, 0.2, 1.0, 5.0, 30.0][random.index(5)];
        chains.step = cells * board.cell_size + mesh.position_slack().max(0.01);
        let radius = random.range(0.0, 1.2) * board.cell_size * [1.0, 3.0][random.index(2)];
        chains.discs(&clear, radius, 2);
        chains.followed
    });
}

/// Nearer to a wall without thickness than the slack of positions, a disc would be on both sides.
const TINY_DISCS: [u64; 4] =
    [0x0010_4992_2449_2800, 0xb0b0_0000_0030_f400, 0xff0a_00d5, 0x0b3a_fb0b_df12_b6ff];
/// The nearest room that can be reached touches a long wall, the near end of which is nearer to the
/// goal.
const LONG_WALLS: u64 = 0xff15_3100_2400_0024;
/// The fast path is 27 % longer than the shortest one: the longest known on a board.
const LONGEST_FAST_PATH: u64 = 0x00ff_bafe_effe_ef41;

#[test]
fn boards_that_the_fuzzer_found() {
    for seed in TINY_DISCS.into_iter().chain([LONGEST_FAST_PATH, LONG_WALLS]) {
        let clear = |mesh| with_clearance(mesh, &ClearanceConfig::default()).unwrap();
        assert!(on_board_of_seed(seed, clear).unwrap().discs > 0);
    }
}

#[test]
fn real_levels() {
    let is_level =
        |path: &std::path::Path| path.extension().is_some_and(|ending| ending == "obj" || ending == "glb");
    for (seed, level) in (0..).zip(levels::all(is_level)) {
        // All of them take long.
        if times() < 2 && !["nav_test", "dungeon", "house_1"].iter().any(|name| level.name.ends_with(name)) {
            continue;
        }
        let Ok(mut soup) = waymesh::io::load(&level.file) else { continue };
        if let Some(unit) = level.unit {
            soup = TriangleSoup::new(
                soup.positions().iter().map(|&position| position * unit).collect(),
                soup.triangles().to_vec(),
            )
            .unwrap();
        }
        let config = BakeConfig::default().with_max_memory_bytes(2 << 30);
        let Ok(mesh) = Baker::voxels().with_config(config).bake(&soup) else { continue };
        follow(&level.name, &mesh, seed);
    }
}

#[test]
fn published_maps() {
    let Some(folder) = levels::find("../published") else { return };
    let is_mesh = |path: &std::path::Path| path.extension().is_some_and(|ending| ending == "mesh");
    let maps = std::fs::read_dir(folder)
        .unwrap()
        .flat_map(|set| std::fs::read_dir(set.unwrap().path()).into_iter().flatten());
    let mut files: Vec<_> = maps.map(|file| file.unwrap().path()).filter(|path| is_mesh(path)).collect();
    files.sort();
    for (seed, file) in (0..).zip(files) {
        let polygons = flat_meshes::read(&std::fs::read_to_string(&file).unwrap());
        let Some(mesh) = polygons.and_then(|polygons| NavMesh::new(polygons, None, Agent::default()).ok())
        else {
            continue;
        };
        let mut chains = Chains::new(&mesh, seed);
        // Maps of hundreds of metres.
        chains.step = 0.7;
        chains.walls(40 * times());
        chains.paths(4 * times());
        eprintln!("{}: {:?}", file.display(), chains.followed);
        assert!(chains.followed.paths > 0);
    }
}
