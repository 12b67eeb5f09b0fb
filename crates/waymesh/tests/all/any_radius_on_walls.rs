//! Ways of discs without a width between places on walls: those of the shortest path.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "test helpers, small numbers"
)]

use glam::{Vec3, Vec3Swizzles};
use waymesh::core::Random;
use waymesh::graph::{ClearPathOptions, Generation, Location, QueryError};
use waymesh::{ClearanceNavMesh, NavMesh, Outcome, PathOptions, PathSearch, QueryScratch, Reach};

use crate::discs;
use discs::{clear, crooked, rectangle, walls};
use waymesh_testkit::boards::mesh_of;
use waymesh_testkit::flat_meshes::{self, Board};

/// Lengths of the shortest path and of a disc's way without a width; `None` where there is none.
fn lengths(mesh: &NavMesh, disc: &ClearanceNavMesh, [from, to]: [Vec3; 2]) -> [Option<f32>; 2] {
    let mut scratch = QueryScratch::default();
    let reach = Reach::new(0.1, 1.0, 1.0);
    let options = PathOptions::default().with_reach(reach).with_search(PathSearch::Shortest);
    let path = mesh.query().options(options).memory(&mut scratch).path(from, to).unwrap();
    assert!(!path.was_cut);
    let options = ClearPathOptions::new(0.0).with_reach(reach).with_allow_partial(false);
    let way = QueryError::accept_no_path(
        disc.query(options.radius).options(options).memory(&mut scratch).path(from, to),
    )
    .unwrap();
    [(path.outcome, path.length), (way.outcome, way.length)]
        .map(|(outcome, length)| (outcome == Outcome::Complete).then_some(length))
}

fn agree([path, way]: [Option<f32>; 2]) -> bool {
    match (path, way) {
        (Some(path), Some(way)) => (path - way).abs() <= 2e-3 + path * 1e-4,
        (path, way) => path == way,
    }
}

/// Places on walls are rounded to one side of them; a wall may continue straight over a corner,
/// which then allows no turn.
#[test]
fn between_places_on_walls_they_are_the_shortest() {
    let random = &mut Random::new(11);
    let mut asked = 0;
    for seed in 0..600 {
        let blocked = [0.0, 0.1, 0.3, 0.5][seed as usize % 4];
        let mesh = crooked(seed, 3 + (seed % 11) as u16, blocked);
        let walls = walls(&mesh);
        if walls.is_empty() {
            continue;
        }
        let disc = clear(mesh.clone());
        let pick = |random: &mut Random| {
            let wall = walls[(random.unit_f64() * walls.len() as f64) as usize];
            let share = random.unit_f64();
            let at = [0, 1].map(|axis| wall[0][axis] + (wall[1][axis] - wall[0][axis]) * share);
            Vec3::new(at[0] as f32, 0.0, at[1] as f32)
        };
        for _ in 0..60 {
            let [from, mut to] = [pick(random), pick(random)];
            for _ in 0..[0, 3, 20][asked % 3] {
                let near = pick(random);
                if near.distance(from) < to.distance(from) {
                    to = near;
                }
            }
            let found = lengths(&mesh, &disc, [from, to]);
            assert!(agree(found), "{seed}: {from} to {to}: {found:?}");
            asked += 1;
        }
    }
}

/// Found by fuzzers: a wall in line with the one that a path comes along, beyond the corner that it
/// turns round.
#[test]
fn ways_that_were_missed() {
    let cases: [(u64, u16, f64, [[f32; 2]; 2]); 2] = [
        (9_283_178_233_593_888, 11, 0.5, [[32.0, 27.199_984], [27.215_296, 32.0]]),
        (282, 10, 0.3, [[76.340_17, 81.029_06], [70.947_4, 88.683_77]]),
    ];
    for (seed, side, blocked, places) in cases {
        let mesh = crooked(seed, side, blocked);
        let disc = clear(mesh.clone());
        let [a, b] = places.map(|[x, z]| Vec3::new(x, 0.0, z));
        for ends in [[a, b], [b, a]] {
            let found = lengths(&mesh, &disc, ends);
            assert!(found[0].is_some() && agree(found), "{seed}: {ends:?}: {found:?}");
        }
    }
}

/// A point is on both pieces of ground that touch in a corner, a disc is on one of them.
#[test]
fn a_disc_is_on_one_of_the_pieces_that_touch() {
    let mesh =
        flat_meshes::build(&[rectangle(0, 0, 20, 10), rectangle(20, 10, 20, 10), rectangle(50, 10, 10, 10)]);
    let frame = mesh.frame;
    let mesh = NavMesh::try_from(mesh).unwrap();
    let disc = clear(mesh.clone());
    let at = |x: f64, z: f64| frame.to_world(x, 0.0, z);
    let (touch, first, second, apart) = (at(20.0, 10.0), at(5.0, 5.0), at(35.0, 15.0), at(55.0, 15.0));
    let found = [first, second].map(|to| lengths(&mesh, &disc, [touch, to]));
    assert!(found.iter().all(|found| found[0].is_some()), "{found:?}");
    assert_eq!(found.iter().filter(|&&found| agree(found)).count(), 1, "{found:?}");
    assert_eq!(found, [first, second].map(|from| lengths(&mesh, &disc, [from, touch])));
    // The second piece comes nearest to the third.
    let end = at(40.0, 15.0);
    let path = disc.query(0.0).partial().path(second, apart).unwrap();
    let point = mesh.query().partial().shortest().path(touch, apart).unwrap();
    assert!(matches!(path.outcome, Outcome::Partial { reached } if reached.distance(end) < 1e-2), "{path:?}");
    assert!(
        matches!(point.outcome, Outcome::Partial { reached } if reached.distance(end) < 1e-2),
        "{point:?}"
    );
    let refused = disc.query(0.0).path(second, apart);
    let is_named = |nearest: Option<Vec3>| nearest.is_some_and(|nearest| nearest.distance(end) < 1e-2);
    assert!(
        matches!(refused, Err(QueryError::Unreachable { nearest, .. }) if is_named(nearest)),
        "{refused:?}"
    );
}

/// No place that the disc reaches is nearer to the goal than the end of a partial path, also where
/// no side of a triangle has room for it.
#[test]
fn a_partial_path_ends_as_near_as_it_can() {
    const TOLERANCE: f32 = 0.02;
    let random = &mut Random::new(0x9a27);
    let (mut partial, mut unreachable) = (0, 0);
    for seed in 0..300 {
        let disc = clear(crooked(seed, 2 + (seed % 4) as u16, [0.3, 0.5][seed as usize % 2]));
        let sampler = disc.mesh().query().sampler();
        let place =
            |random: &mut Random| sampler.sample(disc.mesh(), random).unwrap().map(|place| place.position);
        for radius in [0.05, 0.5, 2.0] {
            let Some([from, to]) = place(random).zip(place(random)).map(<[Vec3; 2]>::from) else { continue };
            let Ok(aim) = disc.query(radius).nearest(to) else { continue };
            let Ok(start) = disc.query(radius).nearest(from) else { continue };
            let aim = aim.location.position;
            for search in [PathSearch::Fast, PathSearch::Shortest] {
                let options = ClearPathOptions::new(radius).with_search(search);
                let mut query = disc.query(radius).options(options);
                let path = QueryError::accept_no_path(query.path(from, to)).unwrap();
                let end = match path.outcome {
                    Outcome::Partial { reached } => reached,
                    Outcome::Unreachable => start.location.position,
                    _ => continue,
                };
                partial += usize::from(path.outcome != Outcome::Unreachable);
                unreachable += usize::from(path.outcome == Outcome::Unreachable);
                for _ in 0..30 {
                    let Some(other) = place(random) else { continue };
                    let Ok(way) = disc.query(radius).path(from, other) else { continue };
                    let reached = way.points[way.points.len() - 1];
                    assert!(
                        reached.distance(aim) > end.distance(aim) - TOLERANCE,
                        "{seed}, radius {radius}, {search:?}: {from} to {to} ends at {end}, but {reached} is reached"
                    );
                }
            }
        }
    }
    assert!(partial > 200 && unreachable > 3, "{partial} partial, {unreachable} unreachable");
}

/// On ground of two triangles the side between them ends in corners, where the disc does not fit.
#[test]
fn a_partial_path_ends_at_the_gap_before_the_goal() {
    let mesh = flat_meshes::build(&[rectangle(0, 0, 20, 20), rectangle(30, 0, 20, 20)]);
    let frame = mesh.frame;
    let disc = clear(NavMesh::try_from(mesh).unwrap());
    let at = |x: f64, z: f64| frame.to_world(x, 0.0, z);
    for radius in [0.01, 0.1, 1.0] {
        for search in [PathSearch::Fast, PathSearch::Shortest] {
            let options = ClearPathOptions::new(radius).with_search(search);
            let mut query = disc.query(radius).options(options);
            for z in [3.0, 10.0, 17.0] {
                let path = query.path(at(5.0, 10.0), at(45.0, z)).unwrap();
                let Outcome::Partial { reached } = path.outcome else { panic!("{radius}, {z}: {path:?}") };
                let end = at(20.0, z) - Vec3::X * radius;
                assert!(reached.distance(end) < 1e-2, "{radius}: {reached}, not {end}");
            }
        }
    }
}

/// A location on a wall without thickness is on its own side of it, a position on either side.
#[test]
fn a_disc_starts_on_the_side_of_its_location() {
    let (mut asked, mut crossed) = (0, 0);
    let random = &mut Random::new(0x51de);
    for _ in 0..60 {
        let Some(mesh) = mesh_of(&Board::random(random)) else { continue };
        let disc = clear(mesh.clone());
        for polygon in mesh.polygons() {
            let corners: Vec<Vec3> = polygon.positions().collect();
            for (corner, beyond) in polygon.neighbours().enumerate() {
                let position = corners[corner].lerp(corners[(corner + 1) % corners.len()], 0.4);
                if beyond.is_some() || !mesh.contains(polygon.id(), position) {
                    continue;
                }
                let here = Location { polygon: polygon.id(), position, generation: mesh.generation() };
                for radius in [0.0, 0.02, 0.3].map(|cells| cells * mesh.frame().cell_size) {
                    let mut query = disc.query(radius).shortest();
                    let Ok(found) = query.nearest(here) else { continue };
                    let walked = mesh.query().walk(here, found.location.position).unwrap().position;
                    let slack = 2.0 * mesh.position_slack();
                    let apart = walked.xz().distance(found.location.position.xz());
                    crossed += usize::from(apart > slack);
                    let path = query.path(here, found.location).unwrap();
                    assert!(path.plan_length <= slack, "{here:?}, radius {radius}: {path:?}");
                    let stale = Location { generation: Generation(here.generation.0 + 1), ..here };
                    assert_eq!(query.nearest(stale), query.nearest(position), "{here:?}");
                    asked += 1;
                }
            }
        }
    }
    assert!(asked > 500 && crossed == 0, "{crossed} of {asked} are behind a wall");
}
