//! Ground inside of solids goes; every other ground stays, however its surroundings are made.

use glam::Vec3;
use waymesh::core::Warning;
use waymesh::graph::Reach;
use waymesh::{Bake, Baker, Enclosed, JumpConfig, Keep, NavMesh, TriangleSoup, Voxels};
use waymesh_scenes::{Scene, SceneConfig};
use waymesh_testkit::boxes::sides;
use waymesh_testkit::{Random, Recording};

type Triangles = Vec<[Vec3; 3]>;

fn solid(low: [f32; 3], high: [f32; 3]) -> Triangles {
    sides(low, high).concat()
}

/// A level sheet that faces up.
fn sheet(low: [f32; 2], high: [f32; 2], y: f32) -> Triangles {
    sides([low[0], y - 1.0, low[1]], [high[0], y, high[1]])[3].clone()
}

fn flipped(triangles: &[[Vec3; 3]]) -> Triangles {
    triangles.iter().map(|&[a, b, c]| [a, c, b]).collect()
}

fn soup(parts: &[Triangles]) -> TriangleSoup {
    let corners = parts.concat().concat();
    let count = u32::try_from(corners.len()).expect("few corners");
    TriangleSoup::new(corners, (0..count / 3).map(|at| [3 * at, 3 * at + 1, 3 * at + 2]).collect())
        .expect("indices in range")
}

/// A slab of 20 m, whose top is at 0.
fn slab() -> Triangles {
    solid([0.0, -1.0, 0.0], [20.0, 0.0, 20.0])
}

const LOW: [f32; 3] = [7.0, -0.5, 6.0];
const HIGH: [f32; 3] = [13.0, 4.0, 13.0];

/// `true` for a place on the ground in the box from [`LOW`] to [`HIGH`].
fn is_in_box(at: [f32; 3]) -> bool {
    (0..3).all(|axis| at[axis] > LOW[axis] - 0.01 && at[axis] < HIGH[axis] - [-0.01, 0.5, -0.01][axis])
}

/// Bakes with every front end that has triangles.
fn bakes(soup: &TriangleSoup, enclosed: Enclosed) -> Vec<(&'static str, Bake)> {
    macro_rules! bake {
        ($($name:literal: $baker:expr),*) => {
            vec![$({
                let baker = $baker;
                let config = baker.config().clone().with_enclosed(enclosed).with_validate_stages(true);
                let bake = baker.with_config(config).bake_observed(soup, &mut ());
                ($name, bake.unwrap_or_else(|error| panic!("{}: {error}", $name)))
            }),*]
        };
    }
    bake!(
        "voxels": Baker::voxels(),
        "tiles": Baker::voxels().with_front(Voxels::default().with_tile_cells(32)),
        "storeys": Baker::storeys(),
        "slices": Baker::slices()
    )
}

/// The plan area of the polygons in the box.
fn area_in_box(mesh: &NavMesh) -> f64 {
    let is_in =
        |corners: &[Vec3]| corners.iter().all(|&corner| is_in_box((corner + Vec3::Y * 0.1).to_array()));
    let polygons = mesh.polygons().filter(|polygon| is_in(&polygon.positions().collect::<Vec<_>>()));
    polygons.map(|polygon| polygon.area()).sum()
}

fn goes(name: &str, parts: &[Triangles]) {
    let soup = soup(parts);
    let before = bakes(&soup, Enclosed::Keep);
    for ((front, before), (_, after)) in before.iter().zip(bakes(&soup, Enclosed::Remove)) {
        let what = format!("{name}, {front}");
        let gone = area_in_box(&before.mesh);
        assert!(gone > 8.0, "{what}: {gone} m2 in the box");
        assert!(area_in_box(&after.mesh) < 0.01, "{what}: {} m2 are left", area_in_box(&after.mesh));
        let rest = before.mesh.area() - gone;
        assert!((after.mesh.area() - rest).abs() < 0.01, "{what}: {} m2, not {rest}", after.mesh.area());
        assert!(before.report.enclosed.is_empty(), "{what}");
        let reported: f64 = after.report.enclosed.iter().map(|piece| piece.area).sum();
        assert!((reported - gone).abs() < 0.01, "{what}: {reported} m2 are reported, not {gone}");
        assert!(after.report.enclosed.iter().all(|piece| is_in_box(piece.place)), "{what}");
        assert_eq!(after.report.counts["pieces_enclosed"], after.report.enclosed.len() as u64, "{what}");
        assert!(after.report.warnings.iter().any(|warning| warning.contains("inside of solids")), "{what}");
        assert_eq!(after.report.polygons, after.mesh.polygon_count() as u64, "{what}");
    }
}

fn stays(name: &str, parts: &[Triangles]) {
    stays_but(name, parts, |_| false);
}

/// Only what lies inside of the walls themselves may go.
fn stays_but(name: &str, parts: &[Triangles], is_in_wall: impl Fn([f32; 3]) -> bool) {
    let soup = soup(parts);
    let before = bakes(&soup, Enclosed::Keep);
    for ((front, before), (_, after)) in before.iter().zip(bakes(&soup, Enclosed::Remove)) {
        let walls = after.report.enclosed.iter().filter(|piece| is_in_wall(piece.place));
        let gone = before.mesh.area() - after.mesh.area() - walls.map(|piece| piece.area).sum::<f64>();
        assert!(gone < 1.0, "{name}, {front}: {:?}", after.report.enclosed);
    }
}

#[test]
fn a_closed_body_has_no_ground_inside() {
    let body = solid(LOW, HIGH);
    goes("on a slab", &[slab(), body.clone()]);
    goes("on a sheet", &[sheet([0.0; 2], [20.0; 2], 0.0), body.clone()]);
    goes("doubled", &[slab(), body.clone(), body.clone()]);
    goes("all doubled", &[slab(), slab(), body.clone(), body]);
}

/// A building as one sees it from outside: walls and roof of one side on ground of one side. Its
/// floors of one side make the winding number of what is above larger than 1.
#[test]
fn a_building_modelled_from_outside_has_no_ground_inside() {
    let [west, east, _, top, north, south] = sides(LOW, HIGH);
    let shell = [west, east, top, north, south].concat();
    let ground = sheet([0.0; 2], [20.0; 2], 0.0);
    let floors = [3.0, 3.3, 3.6].map(|y| sheet([LOW[0], LOW[2]], [HIGH[0], HIGH[2]], y)).concat();
    goes("with floors", &[ground.clone(), shell.clone(), floors.clone()]);
    stays("flipped", &[ground, flipped(&shell), floors]);
}

#[test]
fn a_body_with_holes_has_no_ground_inside() {
    let [west, east, bottom, top, north, south] = sides(LOW, HIGH);
    goes(
        "without a bottom",
        &[slab(), west.clone(), east.clone(), top.clone(), north.clone(), south.clone()],
    );
    let hole = sides(LOW, [HIGH[0], 3.4, HIGH[2]])[4].clone();
    goes("with a slit", &[slab(), west, east, bottom, top, hole, south]);
}

/// Other bodies stand in it, so that looks from inside meet fronts as well.
#[test]
fn a_body_that_holds_others_has_no_ground_inside() {
    let body = solid(LOW, HIGH);
    let [crate_low, crate_high] = [[8.5, -0.2, 8.0], [10.0, 1.2, 9.5]];
    let pillars = [7.6, 12.0].map(|x| solid([x, -1.0, 9.0], [x + 0.3, 4.0, 9.3])).concat();
    goes("a crate", &[slab(), body.clone(), solid(crate_low, crate_high)]);
    goes("pillars", &[slab(), body.clone(), pillars.clone(), pillars]);
    let frames = [6.5, 8.5, 10.5].map(|z| solid([6.9, 1.0, z], [7.1, 2.0, z + 1.0])).concat();
    goes("frames of windows", &[slab(), body, frames]);
    let parts = [solid(LOW, [11.0, HIGH[1], HIGH[2]]), solid([9.0, LOW[1], LOW[2]], HIGH)];
    goes("bodies that overlap", &[slab(), parts.concat()]);
}

#[test]
fn a_body_that_is_open_is_a_room() {
    let [west, east, bottom, top, north, south] = sides(LOW, HIGH);
    stays("above", &[slab(), west.clone(), east.clone(), bottom.clone(), north.clone(), south.clone()]);
    stays("at one side", &[slab(), west.clone(), east.clone(), bottom, top.clone(), south.clone()]);
    let beside = [[LOW[0], 9.0], [10.5, HIGH[0]]]
        .map(|[from, to]| sides([from, LOW[1], LOW[2]], [to, HIGH[1], HIGH[2]])[4].clone());
    stays("at a door", &[slab(), west, east, top, south, beside.concat()]);
}

/// A corridor from a hall turns before it ends in a yard, so that hardly a look gets from the one
/// to the other. Of the few places of the whole piece none may lie in the yard.
#[test]
fn the_open_part_of_a_wide_piece_stays() {
    let ground = [([0.0, 0.0], [40.0, 40.0]), ([18.0, 39.0], [20.0, 50.0]), ([19.0, 47.5], [24.0, 52.0])]
        .map(|(low, high)| sheet(low, high, 0.0));
    let [west, east, _, top, north, _] = sides([0.0, -0.5, 0.0], [40.0, 4.0, 40.0]);
    let south =
        [[0.0, 18.0], [20.0, 40.0]].map(|[from, to]| sides([from, -0.5, 0.0], [to, 4.0, 40.0])[5].clone());
    let [corridor_west, _, _, corridor_top, _, end] = sides([18.0, -0.5, 40.0], [20.0, 4.0, 50.0]);
    let corridor_east = sides([18.0, -0.5, 40.0], [20.0, 4.0, 48.0])[1].clone();
    let shell = [west, east, top, north, south.concat(), corridor_west, corridor_top, end, corridor_east];
    let soup = soup(&[ground.to_vec(), shell.to_vec()].concat());
    let levels = [Enclosed::Keep, Enclosed::Remove, Enclosed::RemoveUnreachable];
    let [before, after, reachable] = levels.map(|enclosed| {
        let baker = Baker::voxels();
        let config = baker.config().clone().with_enclosed(enclosed);
        baker.with_config(config).bake(&soup).expect("a mesh")
    });
    assert!(reachable == before, "the hall can be reached from the yard");
    let area = |mesh: &NavMesh, is_in: fn(Vec3) -> bool| -> f64 {
        let polygons = mesh.polygons().filter(|polygon| polygon.positions().all(is_in));
        polygons.map(|polygon| polygon.area()).sum()
    };
    let reach = Reach::new(1.0, 0.5, 0.5);
    let [hall, open] = [Vec3::new(20.0, 0.0, 20.0), Vec3::new(22.0, 0.0, 49.5)]
        .map(|at| before.nearest(at, &reach).expect("ground").polygon);
    assert!(before.same_island(hall, open), "the yard is a part of the piece");
    let in_hall = |at: Vec3| at.y < 1.0 && at.z < 39.5;
    let [all, left] = [&before, &after].map(|mesh| area(mesh, in_hall));
    assert!(all > 1_000.0 && left < 0.01, "{left} of {all} m2 of the hall are left");
    let in_yard = |at: Vec3| at.y < 1.0 && at.x > 20.0 && at.z > 45.0;
    let [all, left] = [&before, &after].map(|mesh| area(mesh, in_yard));
    assert!(all > 3.0 && left > all - 0.01, "{left} of {all} m2 of the yard are left");
}

/// The ground in closed bodies is removed unless a seed lies on it.
#[test]
fn ground_that_only_a_seed_reaches_stays() {
    let other = [[1.0, -0.5, 1.0], [5.0, 4.0, 5.0]];
    let soup = soup(&[slab(), solid(LOW, HIGH), solid(other[0], other[1])]);
    let bake = |enclosed, keep| {
        let config = Baker::voxels().config().clone().with_enclosed(enclosed).with_keep(keep);
        Baker::voxels().with_config(config).bake(&soup)
    };
    let reach = Reach::new(0.5, 0.5, 0.5);
    let has = |mesh: &NavMesh, at| mesh.nearest(at, &reach).is_some();
    let [in_body, in_other] = [Vec3::new(10.0, 0.0, 9.5), Vec3::new(3.0, 0.0, 3.0)];
    let whole = bake(Enclosed::Keep, Keep::All).expect("a mesh");
    assert!(has(&whole, in_body) && has(&whole, in_other));
    let without = bake(Enclosed::RemoveUnreachable, Keep::All).expect("a mesh");
    assert!(without == bake(Enclosed::Remove, Keep::All).expect("a mesh"));
    assert!(!has(&without, in_body) && !has(&without, in_other));
    let seeded = Keep::ConnectedTo(vec![in_body]);
    let with_seed = bake(Enclosed::RemoveUnreachable, seeded.clone()).expect("a mesh");
    assert!(has(&with_seed, in_body) && !has(&with_seed, in_other) && with_seed.islands().len() == 1);
    assert!(bake(Enclosed::Remove, seeded).is_err(), "nothing is left where the seed lies");
}

/// Terrain of one side runs through rocks; only what is in them goes, whatever they hold.
#[test]
fn rocks_in_a_terrain_have_no_ground_inside() {
    let terrain = Scene::RollingTerrain.build(&SceneConfig::default());
    let (low, high) = (terrain.bounds().min, terrain.bounds().max);
    let mut random = Random::new(3);
    let mut between = |from: f32, to: f32| from + (to - from) * random.unit();
    let rocks: Vec<[Vec3; 2]> = (0..6)
        .map(|_| {
            let at = Vec3::new(between(low.x, high.x - 8.0), low.y - 1.0, between(low.z, high.z - 8.0));
            [at, Vec3::new(at.x + between(3.0, 8.0), high.y + 3.0, at.z + between(3.0, 8.0))]
        })
        .collect();
    let bodies = rocks.iter().map(|[low, high]| solid(low.to_array(), high.to_array()));
    let soup = soup(&bodies.chain([terrain.finite_triangles().collect()]).collect::<Vec<_>>());
    let [before, after] = [Enclosed::Keep, Enclosed::Remove].map(|enclosed| {
        let baker = Baker::voxels();
        let config = baker.config().clone().with_enclosed(enclosed);
        baker.with_config(config).bake(&soup).expect("a mesh")
    });
    let is_in_rock = |at: Vec3| {
        let is_in = |[low, high]: &[Vec3; 2]| at.cmpge(*low).all() && at.cmple(*high).all();
        rocks.iter().any(is_in) && at.y < high.y + 2.0
    };
    let inside = |mesh: &NavMesh| -> f64 {
        let polygons = mesh.polygons().filter(|polygon| polygon.positions().all(is_in_rock));
        polygons.map(|polygon| polygon.area()).sum()
    };
    let (gone, all) = (before.area() - after.area(), inside(&before));
    assert!(all > 10.0 && (gone - all).abs() < 0.01, "{gone} of {all} m2 in rocks");
    assert!(inside(&after) < 0.01);
}

#[test]
fn ground_below_what_has_one_side_stays() {
    stays("bridge", &[slab(), sheet([-5.0, 8.0], [25.0, 12.0], 2.5)]);
    stays("roof", &[slab(), sheet([4.0, 4.0], [16.0, 16.0], 3.0)]);
    stays("bridge over a sheet", &[sheet([0.0; 2], [20.0; 2], 0.0), sheet([-5.0, 8.0], [25.0, 12.0], 2.5)]);
}

#[test]
fn rooms_stay() {
    let floors = [0.0, 3.0, 6.0, 9.0].map(|y| sheet([2.0; 2], [18.0; 2], y)).concat();
    let walls = |wall: f32| {
        let door = solid([2.0, 0.0, 2.0], [8.0, 9.0, 2.0 + wall]);
        let beside = solid([10.0, 0.0, 2.0], [18.0, 9.0, 2.0 + wall]);
        let rest = [
            solid([2.0, 0.0, 18.0 - wall], [18.0, 9.0, 18.0]),
            solid([2.0, 0.0, 2.0], [2.0 + wall, 9.0, 18.0]),
            solid([18.0 - wall, 0.0, 2.0], [18.0, 9.0, 18.0]),
        ];
        [door, beside, rest.concat()].concat()
    };
    let is_in_wall = |[x, _, z]: [f32; 3]| {
        let are_in = |range: std::ops::Range<f32>| [x, z].iter().all(|at| range.contains(at));
        are_in(1.99..18.01) && !are_in(2.31..17.69)
    };
    let parts = [sheet([-9.0; 2], [29.0; 2], -0.1), floors.clone(), walls(0.3)];
    stays_but("walls of two sides", &parts, is_in_wall);
    let [west, east, _, top, _, south] = sides([2.0, 0.0, 2.0], [18.0, 9.0, 18.0]);
    let front =
        [[2.0, 8.0], [10.0, 18.0]].map(|[from, to]| sides([from, 0.0, 2.0], [to, 9.0, 18.0])[4].clone());
    stays("walls that face out", &[floors, west, east, top, south, front.concat()]);
    let cave = flipped(&solid([0.0; 3], [20.0, 4.0, 20.0]));
    stays("walls that face in", &[cave]);
}

#[test]
fn what_cannot_be_told_from_a_room_stays() {
    let body = solid(LOW, HIGH);
    stays("flipped", &[slab(), flipped(&body)]);
    stays("of two sides", &[slab(), body.clone(), flipped(&body)]);
}

#[test]
fn open_terrain_stays() {
    for scene in [Scene::RollingTerrain, Scene::Caves, Scene::DungeonRooms, Scene::OverlappingStoreys] {
        let soup = scene.build(&SceneConfig::default());
        let [keep, remove] = [Enclosed::Keep, Enclosed::Remove].map(|enclosed| {
            let baker = Baker::voxels();
            let config = baker.config().clone().with_enclosed(enclosed);
            baker.with_config(config).bake(&soup).expect("a mesh")
        });
        assert!(keep == remove, "{}", scene.name());
    }
}

/// The votes do not depend on the order of the triangles, on tiles, or on threads.
#[test]
fn the_same_bytes_in_any_order() {
    let parts = [slab(), solid(LOW, HIGH), solid([2.0, -0.5, 1.0], [18.0, 3.0, 4.0])];
    let mut triangles = parts.concat();
    let config = Baker::voxels().config().clone().with_enclosed(Enclosed::Remove);
    let mut recording = Recording::default();
    let baker = Baker::voxels().with_config(config.clone());
    let expected = baker.bake_observed(&soup(&parts), &mut recording).expect("a mesh").mesh;
    assert!(
        matches!(recording.warnings[..], [Warning::GroundEnclosed { pieces: 2, .. }]),
        "{:?}",
        recording.warnings
    );
    let mut random = Random::new(7);
    for at in (1..triangles.len()).rev() {
        triangles.swap(at, random.index(at + 1));
    }
    let shuffled = soup(&[triangles]);
    let front = Voxels::default().with_tile_cells(16);
    let tiled = Baker::new(front, config.clone().with_threads(3)).bake(&shuffled).expect("a mesh");
    assert!(tiled == expected);
    assert!(Baker::voxels().with_config(config).bake(&shuffled).expect("a mesh") == expected);
}

/// Jumps and drops are found on what is left.
#[test]
fn no_link_leads_inside() {
    let soup = soup(&[slab(), solid(LOW, [13.0, 3.0, 13.0])]);
    let bake = |enclosed| {
        let baker = Baker::voxels();
        let config = baker.config().clone().with_jumps(JumpConfig::default()).with_enclosed(enclosed);
        baker.with_config(config).bake(&soup).expect("a mesh")
    };
    let (before, after) = (bake(Enclosed::Keep), bake(Enclosed::Remove));
    assert!(before.islands().len() == after.islands().len() + 1);
    assert!(!after.links().is_empty());
}
