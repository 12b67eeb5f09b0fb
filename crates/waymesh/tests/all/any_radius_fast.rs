//! The fast search for discs compared with the search for their shortest paths.

#![allow(clippy::unwrap_used, reason = "test helpers")]

use crate::discs;
use discs::plans::{example, rooms};
use discs::{check_clear, clear, crooked};
use waymesh::core::Random;
use waymesh::graph::{ClearPathOptions, QueryError};
use waymesh::{
    Agent, BakeConfig, Baker, ClearanceNavMesh, NavMesh, Outcome, PathSearch, QueryScratch, TriangleSoup,
    World,
};
use waymesh_scenes::{Scene, SceneConfig};

/// Statistics of the fast search.
#[derive(Default)]
struct Sum {
    complete: u32,
    /// Found by the search for the shortest path after all.
    fell_back: u32,
    apart: u32,
    shortest: f64,
    fast: f64,
    worst: f64,
}

impl Sum {
    fn report(&self, name: &str) {
        eprintln!(
            "{name}: {} complete, {} apart, {} fell back; {:.3} % longer, {:.1} % at most",
            self.complete,
            self.apart,
            self.fell_back,
            (self.fast / self.shortest - 1.0) * 100.0,
            (self.worst - 1.0) * 100.0,
        );
    }
}

/// Finds paths between random places both ways.
fn compare(mesh: &ClearanceNavMesh, radii: &[f32], pairs: u64, name: &str) -> Sum {
    let (mut sum, mut scratch) = (Sum::default(), QueryScratch::default());
    let sampler = mesh.mesh().query().sampler();
    for &radius in radii {
        let mut random = Random::new(11);
        for pair in 0..pairs {
            let [from, to] =
                [0, 1].map(|_| sampler.sample(mesh.mesh(), &mut random).unwrap().unwrap().position);
            let options = ClearPathOptions::new(radius).with_allow_partial(pair % 4 == 0);
            let shortest = QueryError::accept_no_path(
                mesh.query(options.radius).options(options).memory(&mut scratch).path(from, to),
            );
            let fast = QueryError::accept_no_path(
                mesh.query(0.0)
                    .options(options.with_search(PathSearch::Fast))
                    .memory(&mut scratch)
                    .path(from, to),
            );
            let what = format!("{name}, {from} to {to}, radius {radius}");
            let (Ok(shortest), Ok(fast)) = (&shortest, &fast) else {
                assert_eq!(shortest, fast, "{what}");
                continue;
            };
            assert_eq!(shortest.outcome == Outcome::Complete, fast.outcome == Outcome::Complete, "{what}");
            assert_eq!(shortest.points.first(), fast.points.first(), "{what}");
            assert_eq!(shortest.points.is_empty(), fast.points.is_empty(), "{what}");
            assert_eq!(shortest.points.last(), fast.points.last(), "{what}");
            assert!(shortest.points.is_empty() || shortest.found_by == PathSearch::Shortest, "{what}");
            // Rays end at links.
            if !fast.points.is_empty() && fast.links.is_empty() {
                check_clear(mesh.mesh(), fast, radius, &what);
            }
            let long = [shortest.plan_length, fast.plan_length].map(f64::from);
            assert!(long[1] >= long[0] - 1e-3 - 1e-5 * long[0], "{what}: {long:?}");
            if fast.outcome == Outcome::Complete {
                sum.complete += 1;
                sum.fell_back += u32::from(fast.found_by == PathSearch::Shortest);
                sum.shortest += long[0];
                sum.fast += long[1];
                sum.worst = sum.worst.max(long[1] / long[0].max(1.0));
            } else {
                sum.apart += 1;
            }
        }
    }
    sum.report(name);
    sum
}

fn bake(soup: &TriangleSoup) -> ClearanceNavMesh {
    let config = BakeConfig::default().with_agent(Agent::default().with_radius(0.0));
    clear(Baker::voxels().with_config(config).bake(soup).unwrap())
}

fn check(sum: &Sum, name: &str) {
    assert!(sum.complete > 50, "{name}");
    assert!(sum.fell_back * 10 <= sum.complete, "{name}: {} of {}", sum.fell_back, sum.complete);
    assert!(sum.fast <= sum.shortest * 1.01, "{name}");
}

#[test]
fn crooked_meshes() {
    for seed in 0..30 {
        compare(&clear(crooked(seed, 8, 0.3)), &[0.1, 0.4, 0.9, 2.0], 60, "crooked");
    }
}

#[test]
fn generated_levels_of_every_baker() {
    for scene in [Scene::DungeonRooms, Scene::CityBlock, Scene::OverlappingStoreys, Scene::Terraces] {
        let soup = scene.build(&SceneConfig::default());
        let name = format!("{scene:?}");
        check(&compare(&bake(&soup), &[0.2, 0.5, 1.0], 200, &name), &name);
        let slices = clear(Baker::slices().bake(&soup).unwrap());
        let slices = compare(&slices, &[0.2, 0.5], 100, &format!("{name}, slices"));
        assert!(slices.fell_back * 2 < slices.complete, "{name}, slices");
        let storeys = clear(Baker::storeys().bake(&soup).unwrap());
        compare(&storeys, &[0.2, 0.5], 100, &format!("{name}, storeys"));
        let config = BakeConfig::default().with_agent(Agent::default().with_radius(0.0));
        let mut world = World::new(Baker::voxels().with_config(config), &soup.bounds(), 32).unwrap();
        world.add_triangles(&soup, &mut ()).unwrap();
        world.update(&mut ()).unwrap();
        let mesh = clear(NavMesh::clone(&world.handle().mesh()));
        compare(&mesh, &[0.2, 0.5, 1.0], 200, &format!("{name}, tiles"));
    }
}

#[test]
fn floor_plans() {
    let radii = [0.1, 0.2, 0.3, 0.45];
    for (name, mesh) in [("rooms", rooms(5, 4, false)), ("pillars", rooms(4, 3, true))] {
        check(&compare(&clear(mesh), &radii, 200, name), name);
    }
    // Stairs are left to the search for shortest paths.
    compare(&clear(example()), &radii, 200, "house");
}

#[test]
fn real_levels() {
    for (name, file) in [
        ("nav_test", "golden/Meshes/nav_test.obj"),
        ("dungeon", "golden/Meshes/dungeon.obj"),
        ("undulating", "golden/Meshes/undulating.obj"),
        ("parking garage", "gazebo/parking_garage.glb"),
        ("willow garage", "gazebo/willowgarage.glb"),
    ] {
        if let Some(file) = waymesh_testkit::levels::find(file) {
            let mesh = bake(&waymesh::io::load(&file).unwrap());
            check(&compare(&mesh, &[0.2, 0.4, 0.8], 300, name), name);
        }
    }
}

#[test]
fn a_search_that_may_open_nothing_is_undecided() {
    let mesh = bake(&Scene::DungeonRooms.build(&SceneConfig::default()));
    let (mut random, mut scratch) = (Random::new(3), QueryScratch::default());
    let sampler = mesh.mesh().query().sampler();
    let options = ClearPathOptions::new(0.4).with_search(PathSearch::Fast);
    let mut cut = 0;
    for _ in 0..40 {
        let [from, to] = [0, 1].map(|_| sampler.sample(mesh.mesh(), &mut random).unwrap().unwrap().position);
        let Ok(path) = QueryError::accept_no_path(
            mesh.query(options.radius).options(options).memory(&mut scratch).path(from, to),
        ) else {
            continue;
        };
        let none = mesh.query(0.4).options(options.with_max_nodes(0)).memory(&mut scratch).path(from, to);
        if path.outcome == Outcome::Complete && path.points.len() > 2 {
            assert_eq!(none, Err(QueryError::Undecided { nodes: 0 }));
            cut += 1;
        }
    }
    assert!(cut > 10, "{cut}");
}
