//! Storeys of whole scenes: valid after every stage, the same however it is run,
//! and as much ground as voxels find.

use std::collections::BTreeSet;

use glam::{Vec3, Vec3Swizzles};
use waymesh::core::Random;
use waymesh::{
    Agent, Bake, BakeConfig, BakeError, Baker, DecompositionKind, Keep, NavMesh, Outcome, PartitionKind,
    PolyId, Storeys, TriangleSoup,
};
use waymesh_scenes::{Scene, SceneConfig};
use waymesh_testkit::{levels::find, soups};

fn config(cell_size: f32, agent: Agent) -> BakeConfig {
    BakeConfig::default().with_scale(cell_size, 0.1).with_agent(agent).with_validate_stages(true)
}

fn bake(name: &str, config: &BakeConfig, front: Storeys, soup: &TriangleSoup) -> Bake {
    Baker::new(front, config.clone())
        .bake_observed(soup, &mut ())
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn small() -> Agent {
    Agent::default().with_radius(0.3).with_max_step(0.4)
}

/// Length of all walls and drops, in metres.
fn border_length(mesh: &NavMesh) -> f64 {
    let polygons = (0..mesh.polygon_count()).filter_map(|polygon| mesh.polygon(PolyId::from_index(polygon)));
    let lengths = polygons.flat_map(|polygon| {
        let corners: Vec<Vec3> = polygon.positions().collect();
        let edges: Vec<_> = polygon.neighbours().collect();
        (0..corners.len())
            .filter(move |&edge| edges[edge].is_none())
            .map(move |edge| {
                let along = corners[(edge + 1) % corners.len()] - corners[edge];
                f64::from(along.x.hypot(along.z))
            })
            .collect::<Vec<_>>()
    });
    lengths.sum()
}

/// Places of one mesh, and whether they are joined, as the other sees it.
fn check_against(name: &str, mesh: &NavMesh, voxels: &NavMesh, polygon: f64) {
    let (found, expected) = (mesh.area(), voxels.area());
    // Outward offset of borders in cells: voxels keep them up to one inside.
    let out = (found - expected) / border_length(mesh) / polygon;
    assert!(
        (0.2..1.0).contains(&out),
        "{name}: {found:.1} m2, voxels find {expected:.1} m2, {out:.2} polygons"
    );
    let large = |mesh: &NavMesh| mesh.islands().iter().filter(|island| island.area > 2.0).count();
    let (found, expected) = (large(mesh), large(voxels));
    // Without a radius, borders that lie elsewhere join or part pieces of steep terrain, and lift roofs
    // over 2 m2.
    let slack = if mesh.agent().radius > 0.0 { 0 } else { 1 + expected / 2 };
    assert!(found.abs_diff(expected) <= slack, "{name}: {found} islands, voxels find {expected}");
}

#[test]
fn generated_scenes_are_valid_after_every_stage() {
    for scene in Scene::ALL {
        let soup = scene.build(&SceneConfig::default());
        for agent in [small(), Agent::default(), small().with_radius(0.0)] {
            let config = config(0.15, agent);
            let found = bake(scene.name(), &config, Storeys::default(), &soup);
            let voxels = Baker::voxels().with_config(config.clone()).bake(&soup).expect("voxels");
            assert!(
                found.report.height_error_max.is_some_and(|error| error <= 0.11),
                "{}: {}",
                scene.name(),
                found.report.height_error_max.unwrap_or(f64::NAN)
            );
            check_against(scene.name(), &found.mesh, &voxels, 0.15);
        }
    }
}

#[test]
fn caves_are_valid_after_every_stage_and_hang_together() {
    let soup = Scene::Caves.build(&SceneConfig::default());
    for (agent, polygon) in [(small(), 0.15), (small(), 0.3), (small().with_radius(0.0), 0.2)] {
        let found = bake("caves", &config(polygon, agent), Storeys::default(), &soup);
        // The hill is one island; the ways another, and nooks at the steepest slope are small.
        let mut islands: Vec<f64> = found.mesh.islands().iter().map(|island| island.area).collect();
        islands.sort_by(|a, b| b.total_cmp(a));
        assert!(islands[0] > 2000.0 && islands[1] > 300.0, "{islands:?}");
        assert!(islands[2..].iter().all(|&area| area < 5.0), "{islands:?}");
        let (low, high) = (Vec3::new(9.0, -1.0, 9.0), Vec3::new(10.0, 6.5, 34.0));
        let path = found.mesh.query().path(low, high).expect("a way up");
        assert_eq!(path.outcome, Outcome::Complete);
        assert!(found.report.height_error_max.is_some_and(|error| error <= 0.11));
    }
}

#[test]
fn nothing_tells_how_it_was_run() {
    for scene in [Scene::SpiralStairs, Scene::OverlappingStoreys, Scene::DungeonRooms] {
        let soup = scene.build(&SceneConfig::default());
        let config = config(0.2, small());
        let front = Storeys::default();
        let polygons = |config: &BakeConfig, front: Storeys, soup: &TriangleSoup| {
            let bake = bake(scene.name(), config, front, soup);
            (bake.mesh.poly_mesh(), bake.mesh.surface().map(|surface| surface.to_surface()))
        };
        let whole = polygons(&config, front.with_tile_cells(0), &soup);
        for tile in [32, 48, 128] {
            assert!(
                polygons(&config, front.with_tile_cells(tile), &soup) == whole,
                "{scene:?} in tiles of {tile}"
            );
        }
        assert!(polygons(&config.clone().with_threads(1), front, &soup) == whole, "{scene:?} on one thread");
        assert!(polygons(&config, front, &soups::shuffled(&soup, 11)) == whole, "{scene:?} shuffled");
    }
}

#[test]
fn every_decomposition_takes_storeys() {
    let soup = Scene::OverlappingStoreys.build(&SceneConfig::default());
    let mut areas = BTreeSet::new();
    for decomposition in
        [DecompositionKind::NotchPortals, DecompositionKind::Greedy, DecompositionKind::HertelMehlhorn]
    {
        for triangulation in [false, true] {
            let config = config(0.15, small()).with_decomposition(decomposition);
            let baker = Baker::new(Storeys::default(), config);
            let baker = if triangulation {
                baker.with_triangulate(waymesh::triangulate::EarClipping::default())
            } else {
                baker
            };
            let mesh = baker.bake(&soup).expect("a mesh");
            #[expect(clippy::cast_possible_truncation, reason = "square millimetres of a small scene")]
            areas.insert((mesh.area() * 1e3).round() as i64);
        }
    }
    assert_eq!(areas.len(), 1, "{areas:?}");
}

/// Borders that are placed between pixels make pieces near the limit smaller.
#[test]
fn no_piece_is_below_the_smallest_region() {
    let mut soup = TriangleSoup::default();
    for number in 0_u8..30 {
        let (at, side) = (f32::from(number) * 6.0, 1.5 + 0.03 * f32::from(number));
        waymesh_testkit::boxes::add_box(&mut soup, [at, -1.0, 0.0], [at + side, 0.07 * side, 2.0]);
    }
    for front in [Storeys::default(), Storeys::default().with_tile_cells(64)] {
        let config = config(0.1, small()).with_min_region(1.5);
        let bake = bake("pieces", &config, front, &soup);
        assert!(
            bake.report.islands.len() > 3 && bake.report.islands.len() < 27,
            "{}",
            bake.report.islands.len()
        );
        for island in &bake.report.islands {
            assert!(island.area >= 1.5, "{island:?}");
        }
    }
}

#[test]
fn seeds_leave_nothing_out_of_reach() {
    let mut soup = Scene::SpiralStairs.build(&SceneConfig::default());
    // A roof that nobody gets to.
    let bounds = soup.bounds();
    let (low, y) = (bounds.max.x + 3.0, bounds.min.y + 8.0);
    let corners =
        [(low, 0.0), (low, 30.0), (low + 20.0, 30.0), (low + 20.0, 0.0)].map(|(x, z)| Vec3::new(x, y, z));
    soup.append(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).expect("four corners");
    let roof = Vec3::new(low + 5.0, y, 10.0);
    let config = config(0.15, small());
    let bake_kept = |name, keep| bake(name, &config.clone().with_keep(keep), Storeys::default(), &soup);
    let all = bake_kept("all", Keep::All);
    assert!(all.report.islands.len() >= 2);
    // The report has a place on each island, which selects it alone.
    for island in &all.report.islands {
        let alone = bake_kept("island", Keep::ConnectedTo(vec![island.place.into()]));
        assert_eq!((alone.report.islands.len(), island.links), (1, 0));
        assert!((alone.mesh.area() - island.area).abs() < 1e-6 * island.area, "{island:?}");
    }
    let seeded = bake_kept("roof", Keep::ConnectedTo(vec![roof]));
    assert_eq!(seeded.mesh.islands().len(), 1);
    // A tenth of a cell along all of the border.
    assert!((seeded.mesh.area() - 19.4 * 29.4).abs() < 0.015 * 97.6, "{}", seeded.mesh.area());
    let largest = bake_kept("largest", Keep::Largest);
    let best = all.mesh.islands().iter().map(|island| island.area).fold(0.0, f64::max);
    assert_eq!(largest.mesh.islands().len(), 1);
    assert!((largest.mesh.area() - best).abs() < 1e-6);
    assert!(largest.report.warnings.iter().any(|warning| warning.contains("not connected")));
    let off = config.clone().with_keep(Keep::ConnectedTo(vec![roof + Vec3::Y * 20.0]));
    let error = Baker::new(Storeys::default(), off).bake(&soup).expect_err("no ground there");
    assert!(matches!(error, BakeError::SeedOffGround { seed: 0, .. }), "{error}");
}

/// Found by fuzzers: where a slope passes over ground of its own region, the corner that the seam
/// of the slope shares with a wall of the ground was moved into that wall.
#[test]
fn a_seam_over_a_wall_of_its_region_does_not_cross_it() {
    let corners = [[4.7, -0.85, -4.85], [3.25, 3.25, 0.05], [-0.05, 3.25, -0.05]].map(Vec3::from);
    let floor = [[-8.0, -8.0], [8.0, -8.0], [8.0, 8.0], [-8.0, 8.0]].map(|[x, z]| Vec3::new(x, 0.0, z));
    let soup = TriangleSoup::new([&corners[..], &floor].concat(), vec![[2, 1, 0], [3, 5, 4], [3, 6, 5]]);
    let config = config(0.5, Agent::default().with_radius(0.0).with_height(1.5));
    for partition in [PartitionKind::Surfaces, PartitionKind::Watershed, PartitionKind::Monotone] {
        let config = config.clone().with_scale(0.5, 0.25).with_partition(partition);
        let mesh = bake("slope", &config, Storeys::default(), soup.as_ref().expect("a soup")).mesh;
        assert!(mesh.area() > 255.0, "{partition:?}: {}", mesh.area());
    }
}

/// Returns the depth to which a place lies within a polygon in plan, in metres; negative outside.
fn depth_within(corners: &[Vec3], at: Vec3) -> f32 {
    let aside = |edge: usize| {
        let (a, b) = (corners[edge].xz(), corners[(edge + 1) % corners.len()].xz());
        (b - a).perp_dot(at.xz() - a) / a.distance(b)
    };
    (0..corners.len()).map(aside).fold(f32::INFINITY, f32::min)
}

/// Ground on both sides of a face without thickness ends on one line: rounded apart, the borders
/// overlapped, and simplification moved them across each other by centimetres.
#[test]
fn ground_is_laid_once_on_both_sides_of_faces_without_thickness() {
    const SIDE: f32 = 8.0;
    let mut random = Random::new(11);
    let mut count = 0;
    for round in 0..24 {
        let mut soup = TriangleSoup::default();
        let floor = [(0.0, 0.0), (0.0, SIDE), (SIDE, SIDE), (SIDE, 0.0)].map(|(x, z)| Vec3::new(x, 0.0, z));
        soup.append(floor.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).expect("a floor");
        let mut place = || Vec3::new(random.range(0.0, SIDE), -0.5, random.range(0.0, SIDE));
        let faces: Vec<[Vec3; 2]> = (0..12).map(|_| [place(), place()]).collect();
        for [a, b] in &faces {
            let up = Vec3::Y * 3.0;
            soup.append(vec![*a, *b, *b + up, *a + up], vec![[0, 1, 2], [0, 2, 3]]).expect("a face");
        }
        let cell = [0.1, 0.25, 0.17][round % 3];
        let agent = small().with_radius(0.0);
        let mut config = config(cell, agent);
        if round % 4 == 3 {
            config = config.with_partition(PartitionKind::Watershed);
        }
        let front = Storeys::default().with_tile_cells(if round % 2 == 0 { 64 } else { 0 });
        let mesh = bake("faces", &config, front, &soup).mesh;
        let polygons: Vec<Vec<Vec3>> = mesh.polygons().map(|polygon| polygon.positions().collect()).collect();
        for [a, b] in faces {
            for _ in 0..300 {
                let aside = Vec3::new(random.range(-cell, cell), 0.0, random.range(-cell, cell));
                let at = a.lerp(b, random.range(0.0, 1.0)) + aside;
                let deep = polygons.iter().filter(|corners| depth_within(corners, at) > 1e-4).count();
                assert!(deep < 2, "round {round}, cells of {cell} m: {deep} polygons at {at}");
                count += deep;
            }
        }
    }
    assert!(count > 10_000, "{count}");
}

#[test]
fn nothing_to_walk_on_is_told() {
    let flipped = {
        let soup = Scene::RollingTerrain.build(&SceneConfig::default());
        let triangles = soup.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
        TriangleSoup::new(soup.positions().to_vec(), triangles).expect("the same indices")
    };
    let error = Baker::storeys().bake(&flipped);
    assert!(matches!(error, Err(BakeError::NothingWalkable { .. })), "{error:?}");
    for seed in 0..4 {
        let soup = Scene::DungeonRooms.broken(seed);
        let bake = bake("broken", &config(0.25, small()), Storeys::default(), &soup);
        assert!(bake.mesh.polygon_count() > 0);
    }
}

#[test]
fn real_levels() {
    for (name, polygon) in [
        ("golden/Meshes/nav_test.obj", 0.15),
        ("golden/Meshes/dungeon.obj", 0.15),
        ("gazebo/parking_garage.glb", 0.25),
        ("aws_hospital/hospital_three_floors_collision.glb", 0.2),
        ("stk_cave/cave.glb", 0.3),
        ("gazebo/nist_stairs_120.glb", 0.1),
    ] {
        let Some(file) = find(name) else { continue };
        let soup = waymesh::io::load(file).expect("a level");
        let bake = bake(name, &config(polygon, small()), Storeys::default(), &soup);
        assert!(bake.mesh.polygon_count() > 0, "{name}");
    }
}
