//! Paths for discs of any radius on baked meshes, compared with shortest paths of points and with
//! meshes baked for the radius.

#![expect(clippy::cast_sign_loss, reason = "counts")]
#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "test helpers, small numbers")]

use crate::discs;
use discs::{check_clear, clear};
use glam::Vec3;
use waymesh::core::Random;
use waymesh::graph::{ClearPathOptions, QueryError};
use waymesh::{Agent, BakeConfig, Baker, NavMesh, Outcome, PathSearch, QueryScratch, Reach, World};
use waymesh_scenes::{Scene, SceneConfig};

/// Pairs of places on real levels.
const PAIRS: usize = 400;

#[test]
fn radius_nothing_is_the_shortest_path_of_the_mesh() {
    let (mut clear_scratch, mut scratch) = (QueryScratch::default(), QueryScratch::default());
    let soup = Scene::DungeonRooms.build(&SceneConfig::default());
    let config = BakeConfig::default().with_agent(Agent::default().with_radius(0.0));
    let mesh = clear(Baker::voxels().with_config(config).bake(&soup).unwrap());
    let mut random = Random::new(1);
    let places: Vec<Vec3> = (0..60)
        .map(|_| {
            let polygon = (random.unit_f64() * mesh.mesh().polygon_count() as f64) as usize;
            let polygon = mesh.mesh().polygons().nth(polygon).unwrap();
            let corners: Vec<Vec3> = polygon.positions().collect();
            // Corners and middles.
            if random.unit() < 0.3 { corners[0] } else { corners.iter().sum::<Vec3>() / corners.len() as f32 }
        })
        .collect();
    for pair in places.windows(2) {
        let exact = mesh.mesh().query().shortest().partial().memory(&mut scratch).path(pair[0], pair[1]);
        let exact = QueryError::accept_no_path(exact).unwrap();
        let path = QueryError::accept_no_path(
            mesh.query(0.0).shortest().partial().memory(&mut clear_scratch).path(pair[0], pair[1]),
        )
        .unwrap();
        let kinds = [exact.outcome, path.outcome].map(|outcome| outcome == Outcome::Complete);
        assert_eq!(kinds[0], kinds[1], "{pair:?}: {exact:?} {path:?}");
        if !kinds[0] {
            continue;
        }
        let (expected, actual) = (plan(&exact.points), plan(&path.points));
        assert!((expected - actual).abs() <= 1e-3 + 1e-5 * expected, "{pair:?}: {actual} for {expected}");
    }
}

/// Length in plan.
fn plan(points: &[Vec3]) -> f64 {
    let plan = |at: Vec3| at.as_dvec3().with_y(0.0);
    points.windows(2).map(|pair| plan(pair[0]).distance(plan(pair[1]))).sum()
}

/// Compares connectivity and lengths with meshes baked for the radius.
fn compare(name: &str, soup: &waymesh::TriangleSoup, radii: &[f32], pairs: usize) {
    let bake = |radius: f32| {
        let agent = Agent::default().with_radius(radius);
        let config = BakeConfig::default().with_agent(agent).with_scale(0.1, 0.1).with_max_edge_error(0.05);
        Baker::voxels().with_config(config).bake(soup).unwrap()
    };
    let mesh = clear(bake(0.0));
    let (mut scratch, mut clear_scratch) = (QueryScratch::default(), QueryScratch::default());
    for &radius in radii {
        let baked = bake(radius);
        let [slim, wide] = [bake(radius - 0.1), bake(radius + 0.1)];
        let sampler = wide.query().sampler();
        let mut random = Random::new(7);
        let [mut compared, mut unclear, mut wrong, mut off, mut odd] = [0_usize; 5];
        let mut ratios = Vec::new();
        let near = Reach::new(0.3, 0.5, 0.5);
        for _ in 0..pairs {
            let [from, to] = [0, 1].map(|_| sampler.sample(&wide, &mut random).unwrap().unwrap().position);
            let ways = [&slim, &baked, &wide].map(|mesh| {
                let options = waymesh::PathOptions::default().with_reach(near).with_allow_partial(false);
                mesh.query()
                    .options(options.with_search(PathSearch::Shortest))
                    .memory(&mut scratch)
                    .path(from, to)
                    .ok()
                    .filter(|path| path.outcome == Outcome::Complete)
            });
            let options = ClearPathOptions::new(radius).with_reach(near).with_allow_partial(false);
            let Ok(path) = QueryError::accept_no_path(
                mesh.query(options.radius).options(options).memory(&mut clear_scratch).path(from, to),
            ) else {
                off += 1;
                continue;
            };
            let is_there = path.outcome == Outcome::Complete;
            // Within a polygon of the deciding gap.
            if ways[0].is_some() != ways[2].is_some() {
                unclear += 1;
                continue;
            }
            compared += 1;
            if is_there != ways[1].is_some() {
                wrong += 1;
                eprintln!("{name}, radius {radius}: {from} to {to}: {:?}, not {is_there}", ways[1].is_some());
            }
            if let (true, [Some(less), Some(known), Some(more)]) = (is_there, &ways)
                && known.length > 1.0
            {
                let [less, known, more] = [less, known, more].map(|path| plan(&path.points));
                let own = f64::from(path.plan_length);
                // Between those of agents a cell slimmer and wider, whatever gaps those take.
                assert!(
                    own >= less * 0.99 - 0.05 && own <= more * 1.01 + 0.05,
                    "{name}, radius {radius}, {from} to {to}: {own} m, {less} to {more} m"
                );
                let ratio = own / known;
                if ratio.ln().abs() <= 0.01 {
                    ratios.push(ratio);
                } else {
                    // A gap that is within a cell of the radius decides, or a metre is too short for a cell.
                    let is_close = more > less * 1.01;
                    odd += 1;
                    eprintln!("{name}, radius {radius}: {own} m for {known} m, between {less} and {more}");
                    assert!(is_close, "{name}, radius {radius}, {from} to {to}");
                }
                if ratios.len() % 16 == 0 {
                    check_clear(mesh.mesh(), &path, radius, name);
                }
            }
        }
        ratios.sort_by(f64::total_cmp);
        eprintln!(
            "{name}, radius {radius}: {compared} pairs, {wrong} wrong, {unclear} within a polygon of the gap, {off} off; lengths {:.4} to {:.4}, median {:.4}, {} within 1 %, {odd} not, where a gap within a polygon decides",
            ratios.first().unwrap_or(&1.0),
            ratios.last().unwrap_or(&1.0),
            ratios.get(ratios.len() / 2).unwrap_or(&1.0),
            ratios.len(),
        );
        assert_eq!(wrong, 0, "{name}, radius {radius}");
        assert!(ratios.len() > pairs / 10, "{name}, radius {radius}");
    }
}

#[test]
fn real_levels_agree_too() {
    for (name, file, radii) in [
        ("nav_test", "golden/Meshes/nav_test.obj", &[0.2, 0.8][..]),
        ("dungeon", "golden/Meshes/dungeon.obj", &[0.4]),
        ("parking garage", "gazebo/parking_garage.glb", &[0.8]),
        ("willow garage", "gazebo/willowgarage.glb", &[0.4]),
    ] {
        if let Some(file) = waymesh_testkit::levels::find(file) {
            compare(name, &waymesh::io::load(&file).unwrap(), radii, PAIRS);
        }
    }
}

#[test]
fn one_mesh_agrees_with_those_baked_for_the_radius() {
    let soup = Scene::DungeonRooms.build(&SceneConfig::default());
    compare("dungeon rooms", &soup, &[0.2, 0.4, 0.8], 100);
}

/// Tiles leave many vertices on straight walls, and storeys lie on top of each other: ways end, and
/// are as long one way as the other.
#[test]
fn ways_on_worlds_of_tiles_are_as_long_back() {
    let mut scratch = QueryScratch::default();
    for (scene, tile_cells, polygon, largest) in [
        (Scene::CityBlock, 8, 0.3, 2.0),
        (Scene::CityBlock, 32, 0.2, 3.0),
        (Scene::DungeonRooms, 32, 0.2, 2.0),
        (Scene::OverlappingStoreys, 16, 0.2, 1.0),
        (Scene::Terraces, 32, 0.2, 2.0),
        (Scene::Terraces, 16, 0.1, 2.0),
    ] {
        let soup = scene.build(&SceneConfig::default());
        let config = BakeConfig::default()
            .with_scale(polygon, polygon * 0.66)
            .with_agent(Agent::default().with_radius(0.0));
        let mut world = World::new(Baker::voxels().with_config(config), &soup.bounds(), tile_cells).unwrap();
        world.add_triangles(&soup, &mut ()).unwrap();
        world.update(&mut ()).unwrap();
        let mesh = clear(NavMesh::clone(&world.handle().mesh()));
        let sampler = mesh.mesh().query().sampler();
        let mut random = Random::new(u64::from(tile_cells));
        let (mut joined, mut apart) = (0, 0);
        for pair in 0..1500 {
            let mut place = || sampler.sample(mesh.mesh(), &mut random).unwrap().unwrap().position;
            let [from, to] = [place(), place()];
            // Half of them as wide as gaps are, a hair more or less.
            let radius = largest * random.unit();
            let step = polygon * 0.5 * (1.0 + [0.0, -1e-6, 1e-6][random.index(3)]);
            let radius = if pair % 2 == 0 { radius } else { (radius / step).floor() * step };
            let options = ClearPathOptions::new(radius)
                .with_reach(Reach::new(2.0 * largest, 1.0, 1.0))
                .with_allow_partial(false);
            let mut query = mesh.query(radius).options(options).memory(&mut scratch);
            let Ok(path) = QueryError::accept_no_path(query.path(from, to)) else { continue };
            let [start, goal] = [from, to].map(|end| query.nearest(end).unwrap().location.position);
            let back = QueryError::accept_no_path(query.path(goal, start)).unwrap();
            let what = format!("{scene:?} in tiles of {tile_cells}, {from} to {to}, radius {radius}");
            assert_eq!(path.outcome, back.outcome, "{what}");
            if path.outcome != Outcome::Complete {
                apart += 1;
                continue;
            }
            joined += 1;
            let apart = (path.plan_length - back.plan_length).abs();
            assert!(
                apart <= 1e-3 + 1e-5 * path.plan_length,
                "{what}: {} m, {} m back",
                path.plan_length,
                back.plan_length
            );
            if pair % 10 == 0 {
                check_clear(mesh.mesh(), &path, radius, &what);
            }
        }
        assert!(joined > 500 && apart > 20, "{scene:?}: {joined} {apart}");
    }
}
