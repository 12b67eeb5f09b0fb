//! Ways for discs of any radius, on flat meshes: against all tangents, against walls sampled
//! densely.

#![expect(clippy::cast_sign_loss, reason = "counts")]
#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "test helpers, small numbers")]

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::f64::consts::{PI, TAU};

use glam::Vec3;
use waymesh::core::{PolyId, Random};
use waymesh::graph::{ClearPathOptions, FilterFn, FlagFilter, Link, PolygonFilter, PolygonView};
use waymesh::triangulate::ClearanceConfig;
use waymesh::{
    ClearanceNavMesh, NavMesh, NavMeshError, Outcome, QueryError, QueryScratch, Reach, with_clearance,
    with_clearance_for,
};
use waymesh_testkit::flat_meshes;

use crate::discs;
use discs::{Plane, between, clear, crooked, halls, length, link, minus, plane, to_segment, walls};

/// An end where a disc just touches a wall or one of its corners, or is a hair nearer or farther.
fn tight_end(walls: &[[Plane; 2]], radius: f64, random: &mut Random) -> Vec3 {
    let pick = |count: usize, random: &mut Random| (random.unit_f64() * count as f64) as usize;
    let wall = walls[pick(walls.len(), random)];
    let along = minus(wall[1], wall[0]);
    let unit = [along[0] / length(along), along[1] / length(along)];
    let radius = radius * (1.0 + [-1e-6, -1e-7, 0.0, 1e-7, 1e-6, 1e-4][pick(6, random)]);
    let [x, z] = match pick(3, random) {
        0 => {
            let share = random.unit_f64();
            [
                wall[0][0] + along[0] * share - unit[1] * radius,
                wall[0][1] + along[1] * share + unit[0] * radius,
            ]
        }
        // Intersection of the line along the wall and the circle round its end.
        1 => [wall[0][0] - unit[1] * radius, wall[0][1] + unit[0] * radius],
        _ => {
            let (sine, cosine) = (random.unit_f64() * TAU).sin_cos();
            [wall[0][0] + cosine * radius, wall[0][1] + sine * radius]
        }
    };
    Vec3::new(x as f32, 0.0, z as f32)
}

/// Half the distance between two corners, or a hair less.
fn tight_radius(walls: &[[Plane; 2]], random: &mut Random) -> Option<f32> {
    let mut corner = || walls[(random.unit_f64() * walls.len() as f64) as usize][0];
    let half = length(minus(corner(), corner())) / 2.0;
    let less = [1e-5, 3e-6, 1e-6, 0.0][(random.unit() * 4.0) as usize];
    (0.05..4.2).contains(&half).then_some((half * (1.0 - less)) as f32)
}

/// The places where a disc fits next to two others, the path between them, and that back; `None`
/// where the disc has no room.
fn there_and_back(
    mesh: &ClearanceNavMesh,
    [from, to]: [Vec3; 2],
    radius: f32,
    scratch: &mut QueryScratch,
) -> Option<([Vec3; 2], [waymesh::Path; 2])> {
    let mut query = mesh.query(radius).shortest().reach(Reach::new(9.0, 1.0, 1.0)).memory(scratch);
    let path = QueryError::accept_no_path(query.path(from, to)).ok()?;
    let ends = [from, to].map(|end| query.nearest(end).unwrap().location.position);
    let back = QueryError::accept_no_path(query.path(ends[1], ends[0])).unwrap();
    Some((ends, [path, back]))
}

/// The shortest way of a disc over all lines that touch two corners, and all arcs between them.
///
/// Positions are single-precision, so that an end at a wall may be `loose` too near to it.
fn brute_force(walls: &[[Plane; 2]], from: Plane, to: Plane, radius: f64, loose: f64) -> Option<f64> {
    if length(minus(from, to)) == 0.0 {
        return Some(0.0);
    }
    let mut corners: Vec<Plane> = walls.iter().map(|wall| wall[0]).collect();
    corners.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    corners.dedup();
    let is_free = |way: [Plane; 2]| walls.iter().all(|&wall| between(way, wall) >= radius - loose);
    // Discs passed on the left (1) and on the right (-1), and both ends.
    let mut discs: Vec<(Plane, f64)> = vec![(from, 0.0), (to, 0.0)];
    discs.extend(corners.iter().flat_map(|&at| [(at, 1.0), (at, -1.0)]));
    // Events: disc, direction, whether it is left; ways between events.
    let mut events: Vec<(usize, f64, bool)> = Vec::new();
    let mut ways: Vec<Vec<(usize, f64)>> = Vec::new();
    let mut on_disc: Vec<Vec<usize>> = vec![Vec::new(); discs.len()];
    for (first, &(a, a_side)) in discs.iter().enumerate() {
        for (second, &(b, b_side)) in discs.iter().enumerate() {
            if first == second || second == 0 || first == 1 || length(minus(a, b)) == 0.0 {
                continue;
            }
            let across = minus(b, a);
            let shift = (b_side - a_side) * radius / length(across);
            if shift.abs() > 1.0 + loose {
                continue;
            }
            let shift = shift.clamp(-1.0, 1.0);
            let heading = across[1].atan2(across[0]) - shift.asin();
            let touch = |centre: Plane, side: f64| {
                [centre[0] + side * radius * heading.sin(), centre[1] - side * radius * heading.cos()]
            };
            let way = [touch(a, a_side), touch(b, b_side)];
            if is_free(way) {
                for disc in [first, second] {
                    on_disc[disc].push(events.len());
                    events.push((disc, heading, disc == first));
                    ways.push(Vec::new());
                }
                let at = events.len() - 2;
                ways[at].push((at + 1, length(minus(way[1], way[0]))));
            }
        }
    }
    for (disc, &(centre, turn)) in discs.iter().enumerate().skip(2) {
        let (leaves, arrivals): (Vec<usize>, Vec<usize>) =
            on_disc[disc].iter().partition(|&&event| events[event].2);
        for &arrive in &arrivals {
            for &leave in &leaves {
                let mut turned = ((events[leave].1 - events[arrive].1) * turn).rem_euclid(TAU);
                if turned > TAU - 1e-9 {
                    turned = 0.0;
                }
                if turned > PI + 1e-9 {
                    continue;
                }
                let steps = (turned / 0.02).ceil() as usize;
                let is_clear = (0..=steps).all(|step| {
                    let heading = events[arrive].1 + turn * turned * step as f64 / steps.max(1) as f64;
                    let at = [
                        centre[0] + turn * radius * heading.sin(),
                        centre[1] - turn * radius * heading.cos(),
                    ];
                    walls.iter().all(|&wall| to_segment(wall, at) >= radius - loose)
                });
                if is_clear {
                    ways[arrive].push((leave, radius * turned));
                }
            }
        }
    }
    let mut best = vec![f64::INFINITY; events.len()];
    let mut open = BinaryHeap::new();
    for &event in on_disc[0].iter() {
        best[event] = 0.0;
        open.push(Reverse((0_u64, event)));
    }
    while let Some(Reverse((bits, event))) = open.pop() {
        let so_far = f64::from_bits(bits);
        if so_far > best[event] {
            continue;
        }
        if events[event].0 == 1 {
            return Some(so_far);
        }
        for &(next, more) in &ways[event] {
            if so_far + more < best[next] {
                best[next] = so_far + more;
                open.push(Reverse(((so_far + more).to_bits(), next)));
            }
        }
    }
    None
}

/// A disc swept along a path keeps clear of all walls, by another query on the mesh itself.
fn check_clear(mesh: &NavMesh, path: &waymesh::Path, radius: f32, what: &str) {
    let mut scratch = QueryScratch::default();
    for pair in path.points.windows(2) {
        let steps = (pair[0].distance(pair[1]) / 0.2).ceil().max(1.0) as usize;
        for step in 0..=steps {
            let at = pair[0].lerp(pair[1], step as f32 / steps as f32);
            let place = mesh.nearest(at, &Reach::new(0.01, 3.0, 3.0));
            let place = place.unwrap_or_else(|| panic!("{what}: {at} is off the mesh"));
            let wall = mesh.query().memory(&mut scratch).wall(place, radius).unwrap();
            let distance = wall.map_or(radius, |wall| wall.distance);
            assert!(distance >= radius - 1.5e-3, "{what}: {at} is {distance} m from a wall, not {radius}");
        }
    }
}

#[test]
fn ways_are_the_shortest_among_all_tangents() {
    let mut scratch = QueryScratch::default();
    let (mut connected, mut apart, mut turns) = (0, 0, 0);
    let mut bad = 0;
    for seed in 0..10 {
        let mesh = clear(crooked(seed, 6, [0.15, 0.25, 0.35, 0.1][seed as usize % 4]));
        let walls = walls(mesh.mesh());
        let mut random = Random::new(seed);
        for _ in 0..14 {
            let mut place = || Vec3::new(60.0 * random.unit(), 0.0, 60.0 * random.unit());
            let (from, to) = (place(), place());
            for radius in [0.05, 0.7, 1.6, 2.9, 4.2] {
                let what = format!("seed {seed}, {from} to {to}, radius {radius}");
                let mut query =
                    mesh.query(radius).shortest().reach(Reach::new(9.0, 1.0, 1.0)).memory(&mut scratch);
                let Ok(path) = QueryError::accept_no_path(query.path(from, to)) else { continue };
                let ends = [from, to].map(|end| plane(query.nearest(end).unwrap().location.position));
                let best = brute_force(&walls, ends[0], ends[1], f64::from(radius), 2e-5);
                let is_there = path.outcome == Outcome::Complete;
                if is_there != best.is_some() {
                    eprintln!("{what}: {:?}, {best:?}", path.outcome);
                    bad += 1;
                    continue;
                }
                apart += usize::from(best.is_none());
                let Some(best) = best else { continue };
                check_clear(mesh.mesh(), &path, radius, &what);
                connected += 1;
                turns += path.corners.len();
                let long = f64::from(path.plan_length);
                if (long - best).abs() > 1e-3 + 1e-5 * best {
                    eprintln!("{what}: {long} m, but {best} m {:?}", path.points);
                    bad += 1;
                    continue;
                }
                assert!(f64::from(path.length) >= best - 1e-3);
                assert!(path.clearance >= radius - 1.1e-3, "{what}: keeps {}", path.clearance);
                let chain = path.points.windows(2).map(|pair| [plane(pair[0]), plane(pair[1])]);
                let kept = chain.flat_map(|line| walls.iter().map(move |&wall| between(line, wall)));
                let kept = kept.fold(f64::INFINITY, f64::min);
                assert!(
                    (f64::from(path.clearance) - kept).abs() < 1e-4,
                    "{what}: {kept}, {}",
                    path.clearance
                );
            }
        }
    }
    println!("{connected} ways with {turns} turns, {apart} without");
    assert_eq!(bad, 0);
    assert!(connected > 300 && apart > 30 && turns > 300, "{connected} {apart} {turns}");
}

#[test]
fn ways_between_tight_ends_are_the_shortest() {
    let mut scratch = QueryScratch::default();
    let (mut connected, mut apart) = (0, 0);
    for seed in 160..190 {
        let mesh = clear(crooked(seed, 6, [0.15, 0.25, 0.35, 0.1][seed as usize % 4]));
        let walls = walls(mesh.mesh());
        let mut random = Random::new(seed);
        for _ in 0..25 {
            let radius = 0.05 + 4.0 * random.unit();
            let tight = if random.unit() < 0.3 { tight_radius(&walls, &mut random) } else { None };
            let radius = tight.unwrap_or(radius);
            let [from, to] = [0, 1].map(|_| tight_end(&walls, f64::from(radius), &mut random));
            let what = format!("seed {seed}, {from} to {to}, radius {radius}");
            let Some(([from, to], [path, back])) = there_and_back(&mesh, [from, to], radius, &mut scratch)
            else {
                continue;
            };
            let best = brute_force(&walls, plane(from), plane(to), f64::from(radius), 2e-5);
            for path in [path, back] {
                assert_eq!(path.outcome == Outcome::Complete, best.is_some(), "{what}: {best:?}");
                let Some(best) = best else { continue };
                let long = f64::from(path.plan_length);
                assert!((long - best).abs() <= 1e-3 + 1e-5 * best, "{what}: {long} m, but {best} m");
            }
            *(if best.is_some() { &mut connected } else { &mut apart }) += 1;
        }
    }
    assert!(connected > 300 && apart > 50, "{connected} {apart}");
}

/// A mesh with walls of no width: some polygons that touch are not joined.
fn with_thin_walls(seed: u64) -> NavMesh {
    let mut polygons = flat_meshes::crooked(seed, 6, 0.15);
    let mut random = Random::new(seed);
    for polygon in 0..polygons.polygons.len() {
        let sides = |polygon: usize| {
            let at = polygons.polygons[polygon];
            at.first as usize..(at.first + at.len) as usize
        };
        for side in sides(polygon) {
            let Some(other) = polygons.neighbours[side].filter(|other| other.index() > polygon) else {
                continue;
            };
            if random.unit() < 0.2 {
                let back = sides(other.index())
                    .find(|&back| polygons.neighbours[back].is_some_and(|back| back.index() == polygon));
                polygons.neighbours[back.unwrap()] = None;
                polygons.neighbours[side] = None;
            }
        }
    }
    NavMesh::try_from(polygons).unwrap()
}

/// Round their ends ways turn by half a circle, and by more where the wall bends, which the brute
/// force does not.
#[test]
fn ways_round_walls_without_width_are_the_shortest() {
    let mut scratch = QueryScratch::default();
    let (mut connected, mut shorter) = (0, 0);
    for seed in 0..25 {
        let mesh = clear(with_thin_walls(seed));
        let walls = walls(mesh.mesh());
        let mut random = Random::new(seed);
        for _ in 0..25 {
            let radius = 0.05 + 3.0 * random.unit();
            let [from, to] = [0, 1].map(|_| tight_end(&walls, f64::from(radius), &mut random));
            let what = format!("seed {seed}, {from} to {to}, radius {radius}");
            let Some(([from, to], [path, back])) = there_and_back(&mesh, [from, to], radius, &mut scratch)
            else {
                continue;
            };
            assert_eq!(path.outcome, back.outcome, "{what}");
            let best = brute_force(&walls, plane(from), plane(to), f64::from(radius), 2e-5);
            if path.outcome != Outcome::Complete {
                assert_eq!(best, None, "{what}");
                continue;
            }
            let loose = 1e-3 + 1e-5 * path.plan_length;
            assert!((path.plan_length - back.plan_length).abs() <= loose, "{what}");
            let best = best.unwrap_or(f64::INFINITY);
            let long = f64::from(path.plan_length);
            assert!(long <= best + f64::from(loose), "{what}: {long} m, but {best} m");
            shorter += usize::from(long < best - f64::from(loose));
            check_clear(mesh.mesh(), &path, radius, &what);
            connected += 1;
        }
    }
    assert!(connected > 200 && shorter * 50 < connected, "{connected} {shorter}");
}

/// Ways that were missed once: across a narrow gap, along the side of a triangle, from a place at
/// exactly the radius from a wall.
#[test]
fn ways_that_were_missed() {
    let mut scratch = QueryScratch::default();
    let reach = Reach::new(9.0, 1.0, 1.0);
    for (seed, side, blocked, from, to, radius, expected) in [
        (31, 12, 0.2, [33.71556, 94.7163], [94.93913, 35.468765], 3.0, 94.5357),
        (22, 6, 0.35, [56.508614, 17.664185], [17.030556, 6.838765], 3.152_918_8, 44.4188),
        (10, 6, 0.35, [42.02205, 33.758392], [43.420593, 50.417503], 1.721_974_6, 16.87),
        (198, 6, 0.35, [8.0, 10.654564], [24.65456, 22.97815], 2.654_560_8, 21.5559),
        (349, 6, 0.25, [58.0, 18.0], [50.556377, 41.119102], 1.0, 24.3052),
        (11, 12, 0.1, [24.249844, 105.86461], [94.29226, 60.80881], 3.661_163, 83.5063),
        (252, 6, 0.15, [43.267517, 3.4710903], [28.699528, 54.501877], 2.974_644_7, 57.5326),
        (2003, 6, 0.1, [49.293472, 54.389557], [6.548463, 55.96605], 3.610_441_4, 42.8334),
        (2295, 6, 0.1, [3.2153683, 4.242074], [34.575104, 57.29888], 3.744_933, 71.3486),
    ] {
        let mesh = clear(crooked(seed, side, blocked));
        let [from, to] = [from, to].map(|[x, z]: [f32; 2]| Vec3::new(x, 0.0, z));
        let options = ClearPathOptions::new(radius).with_reach(reach);
        for [from, to] in [[from, to], [to, from]] {
            let path = QueryError::accept_no_path(
                mesh.query(options.radius).options(options).memory(&mut scratch).path(from, to),
            )
            .unwrap();
            assert_eq!(path.outcome, Outcome::Complete, "seed {seed}");
            assert!((path.plan_length - expected).abs() < 2e-3, "seed {seed}: {} m", path.plan_length);
        }
    }
}

#[test]
fn a_disc_is_moved_to_the_nearest_room() {
    let mut scratch = QueryScratch::default();
    for seed in 0..8 {
        let mesh = clear(crooked(seed, 5, 0.2));
        let walls = walls(mesh.mesh());
        let mut random = Random::new(seed);
        for _ in 0..12 {
            let at = Vec3::new(50.0 * random.unit(), 0.0, 50.0 * random.unit());
            let radius = 0.5 + 3.0 * random.unit();
            let reach = Reach::new(8.0, 1.0, 1.0);
            // All ground, or some of it: the centre may not be on the rest, the disc may.
            let refused = if random.unit() < 0.4 { 0 } else { 1 + random.below(5) };
            let filter = FilterFn(|_: &NavMesh, polygon: PolyId| refused == 0 || polygon.0 % 7 >= refused);
            let found = mesh.query(radius).reach(reach).memory(&mut scratch).nearest_with(at, &filter);
            // Everything on a fine grid.
            let mut best = f64::INFINITY;
            for x in 0..250 {
                for z in 0..250 {
                    let place = [f64::from(x) * 0.2, f64::from(z) * 0.2];
                    let far = length(minus(place, plane(at)));
                    let near = Vec3::new(place[0] as f32, 0.0, place[1] as f32);
                    if far < best
                        && walls.iter().all(|&wall| to_segment(wall, place) >= f64::from(radius))
                        && mesh.mesh().nearest_with(near, &Reach::new(0.0, 1.0, 1.0), &filter).is_some()
                    {
                        best = far;
                    }
                }
            }
            match found {
                Ok(found) => {
                    let position = found.location.position;
                    assert!(filter.allows(mesh.mesh(), found.location.polygon), "{at}: {found:?}");
                    assert!(
                        f64::from(found.moved) <= best + 1e-3,
                        "{at} by {}, {best} would do",
                        found.moved
                    );
                    assert!(
                        (plane(at)[0] - plane(position)[0]).hypot(plane(at)[1] - plane(position)[1]) < 8.01
                    );
                    let kept =
                        mesh.query(0.0).memory(&mut scratch).clearance_at(&found.location, 9.0).unwrap();
                    assert!(kept >= radius - 1e-4, "{kept} for {radius}");
                }
                Err(error) => assert!(best > 7.5, "{at}, {radius}, {error}: there is room at {best}"),
            }
        }
    }
}

#[test]
fn smaller_discs_go_no_farther_and_back_is_as_far() {
    let mut scratch = QueryScratch::default();
    let (mut known, mut odd) = (0, 0);
    for seed in 30..36 {
        let mesh = clear(crooked(seed, 12, 0.2));
        let mut random = Random::new(seed);
        for _ in 0..40 {
            let mut place = || Vec3::new(120.0 * random.unit(), 0.0, 120.0 * random.unit());
            let reach = Reach::new(6.0, 1.0, 1.0);
            let largest = 3.0;
            let (Ok(from), Ok(to)) = (
                mesh.query(largest).reach(reach).memory(&mut scratch).nearest(place()),
                mesh.query(largest).reach(reach).memory(&mut scratch).nearest(place()),
            ) else {
                continue;
            };
            let (from, to) = (from.location.position, to.location.position);
            let mut before: Option<f32> = None;
            for radius in [3.0, 2.2, 1.5, 0.8, 0.3, 0.0] {
                let path = QueryError::accept_no_path(
                    mesh.query(radius).shortest().partial().memory(&mut scratch).path(from, to),
                )
                .unwrap();
                let back = QueryError::accept_no_path(
                    mesh.query(radius).shortest().partial().memory(&mut scratch).path(to, from),
                )
                .unwrap();
                assert_eq!(path.outcome == Outcome::Complete, back.outcome == Outcome::Complete);
                if path.outcome != Outcome::Complete {
                    assert_eq!(before, None, "smaller discs get wherever larger ones do");
                    continue;
                }
                known += 1;
                let both = [path.plan_length, back.plan_length];
                let is_longer = before.is_some_and(|before| path.plan_length > before + 1e-3);
                if (both[0] - both[1]).abs() > 1e-3 || is_longer {
                    eprintln!("seed {seed}: {from} {to} {radius}: {both:?}, {before:?}");
                    odd += 1;
                }
                before = Some(path.plan_length);
            }
        }
    }
    assert!(known > 500 && odd == 0, "{odd} of {known}");
}

#[test]
fn where_the_world_lies_changes_nothing() {
    let mut scratch = QueryScratch::default();
    let build = |origin: Vec3| {
        let mut polygons = crooked(50, 8, 0.25).poly_mesh();
        polygons.frame.origin = origin;
        clear(NavMesh::try_from(polygons).unwrap())
    };
    let far = Vec3::new(4096.0, 128.0, -8192.0);
    let [here, there] = [build(Vec3::ZERO), build(far)];
    let mut random = Random::new(3);
    for _ in 0..60 {
        // Numbers that are exact at both places.
        let mut place = || (Vec3::new(80.0 * random.unit(), 0.0, 80.0 * random.unit()) * 64.0).round() / 64.0;
        let (from, to) = (place(), place());
        let radius = 2.0 * random.unit();
        let [a, b] = [
            QueryError::accept_no_path(
                here.query(radius).shortest().partial().memory(&mut scratch).path(from, to),
            ),
            QueryError::accept_no_path(
                there.query(radius).shortest().partial().memory(&mut scratch).path(from + far, to + far),
            ),
        ];
        match (a, b) {
            (Ok(a), Ok(b)) => {
                let kind = std::mem::discriminant(&a.outcome);
                assert_eq!(kind, std::mem::discriminant(&b.outcome), "{from} {to} {radius}");
                assert!((a.plan_length - b.plan_length).abs() < 2e-2, "{} {}", a.plan_length, b.plan_length);
            }
            (a, b) => assert_eq!(a.is_err(), b.is_err()),
        }
    }
}

#[test]
fn bad_input_is_an_error() {
    let mut scratch = QueryScratch::default();
    let mesh = clear(crooked(1, 4, 0.0));
    let (from, to) = (Vec3::new(5.0, 0.0, 5.0), Vec3::new(35.0, 0.0, 30.0));
    for radius in [f32::NAN, -0.1, f32::INFINITY] {
        let result = QueryError::accept_no_path(
            mesh.query(radius).shortest().partial().memory(&mut scratch).path(from, to),
        );
        assert!(matches!(result, Err(QueryError::BadField(_))), "{radius}: {result:?}");
        assert!(mesh.query(radius).reach(Reach::INFINITE).memory(&mut scratch).nearest(from).is_err());
    }
    let options = ClearPathOptions::new(1.0).with_arc_error(0.0);
    assert!(
        QueryError::accept_no_path(
            mesh.query(options.radius).options(options).memory(&mut scratch).path(from, to)
        )
        .is_err()
    );
    let nowhere = Vec3::new(f32::NAN, 0.0, 0.0);
    assert!(matches!(
        QueryError::accept_no_path(
            mesh.query(1.0).shortest().partial().memory(&mut scratch).path(nowhere, to)
        ),
        Err(QueryError::NotFinite { .. })
    ));
    let far = Vec3::new(1e6, 0.0, 0.0);
    assert!(matches!(
        QueryError::accept_no_path(mesh.query(1.0).shortest().partial().memory(&mut scratch).path(from, far)),
        Err(QueryError::NoMeshNear { .. })
    ));
    assert!(matches!(
        QueryError::accept_no_path(mesh.query(30.0).shortest().partial().memory(&mut scratch).path(from, to)),
        Err(QueryError::NoRoomNear { .. })
    ));
    // Start and goal are one.
    let path = QueryError::accept_no_path(
        mesh.query(1.0).shortest().partial().memory(&mut scratch).path(from, from),
    )
    .unwrap();
    assert_eq!((path.outcome, path.points.len()), (Outcome::Complete, 1));
    // Chamfers, all round one corner.
    let chamfers = ClearPathOptions::new(1.0).with_arc_error(f32::INFINITY);
    let path = QueryError::accept_no_path(
        mesh.query(chamfers.radius).options(chamfers).memory(&mut scratch).path(from, to),
    )
    .unwrap();
    assert_eq!(path.outcome, Outcome::Complete);
    // The triangles of another mesh.
    let other = with_clearance(crooked(2, 5, 0.0), &ClearanceConfig::default()).unwrap();
    let _ = other;
    let empty = waymesh::core::ClearanceMesh::default();
    let error = ClearanceNavMesh::new(mesh.into_mesh(), &empty).unwrap_err();
    assert!(matches!(error, NavMeshError::OtherGround { .. }), "{error}");
}

/// A filter gives the ground of a mesh without the excluded polygons.
#[test]
fn ground_that_is_not_allowed_is_a_wall() {
    let mut scratch = QueryScratch::default();
    let mut known = 0;
    for seed in 0..6 {
        let [whole, part] = [crooked(seed, 7, 0.0), crooked(seed, 7, 0.25)];
        let key = |polygon: PolygonView<'_>| {
            let mut corners: Vec<[i64; 2]> =
                polygon.positions().map(|at| [at.x, at.z].map(|at| at.round() as i64)).collect();
            corners.sort_unstable();
            corners
        };
        let kept: std::collections::HashSet<_> = part.polygons().map(key).collect();
        let flags: Vec<u16> =
            whole.polygons().map(|polygon| if kept.contains(&key(polygon)) { 1 } else { 3 }).collect();
        assert!(flags.contains(&3));
        let filter = FlagFilter { flags: flags.into(), include: 1, exclude: 2 };
        let whole = with_clearance_for(whole, &filter, &ClearanceConfig::default()).unwrap();
        let part = clear(part);
        let mut random = Random::new(seed);
        for _ in 0..40 {
            let mut place = || Vec3::new(70.0 * random.unit(), 0.0, 70.0 * random.unit());
            let (from, to) = (place(), place());
            let radius = 3.0 * random.unit();
            let [a, b] = [&whole, &part].map(|mesh| {
                QueryError::accept_no_path(
                    mesh.query(radius).shortest().partial().memory(&mut scratch).path(from, to),
                )
            });
            match (a, b) {
                (Ok(a), Ok(b)) => {
                    assert_eq!(a.outcome, b.outcome, "seed {seed}, {from} to {to}, {radius}");
                    let lengths = [a.plan_length, b.plan_length];
                    assert!(
                        (lengths[0] - lengths[1]).abs() < 1e-3,
                        "seed {seed}, {from} to {to}: {lengths:?}"
                    );
                    assert!(a.polygons.iter().all(|&polygon| whole.admits(polygon)));
                    known += usize::from(a.outcome == Outcome::Complete);
                }
                (a, b) => assert_eq!(a.is_err(), b.is_err(), "{a:?} {b:?}"),
            }
        }
    }
    assert!(known > 100, "{known}");
}

#[test]
fn links_serve_discs_that_fit_on_both_sides() {
    let mut scratch = QueryScratch::default();
    let (from, to) = (Vec3::new(5.0, 0.0, 10.0), Vec3::new(5.0, 0.0, 31.0));
    let gate = link([10, 20, 14, 20], [10, 21, 14, 21]);
    let ladder = link([30, 10, 30, 10], [30, 31, 30, 31]);
    let narrow = clear(halls(false).with_links(vec![gate]).unwrap());
    for (radius, is_there) in [(0.0, true), (1.0, true), (1.99, true), (2.01, false)] {
        let path = QueryError::accept_no_path(
            narrow.query(radius).shortest().partial().memory(&mut scratch).path(from, to),
        )
        .unwrap();
        let back = QueryError::accept_no_path(
            narrow.query(radius).shortest().partial().memory(&mut scratch).path(to, from),
        )
        .unwrap();
        assert_eq!([&path, &back].map(|path| path.outcome == Outcome::Complete), [is_there; 2], "{radius}");
        if is_there {
            assert!((path.plan_length - back.plan_length).abs() < 1e-3);
            assert_eq!(
                (path.links.len(), path.links[0].backwards, back.links[0].backwards),
                (1, false, true)
            );
            let [before, after] = [0, 1].map(|step| path.points[path.links[0].point + step]);
            // Straight through the gate, at the radius from both its sides.
            assert!(before.z <= 20.0 - radius + 1e-3 && after.z >= 21.0 + radius - 1e-3, "{before} {after}");
            assert!((10.0 + radius - 1e-3..=14.0 - radius + 1e-3).contains(&before.x), "{before}");
            assert!(path.clearance >= radius - 2e-3);
            let chain: f32 = path.points.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
            assert!((chain - path.length).abs() < 1e-3);
        }
        let options = ClearPathOptions::new(radius).with_links(false).with_allow_partial(false);
        let path = QueryError::accept_no_path(
            narrow.query(options.radius).options(options).memory(&mut scratch).path(from, to),
        )
        .unwrap();
        assert_eq!(path.outcome, Outcome::Unreachable);
    }
    // The cheaper one of two, or the way round, and none where that would be dearer.
    let costly = |extra: f32| Link { extra_cost: extra, ..gate };
    for (links, radius, expected) in [
        (vec![costly(0.0), ladder], 1.0, Some(0)),
        (vec![costly(60.0), ladder], 1.0, Some(1)),
        (vec![costly(0.0), ladder], 3.0, Some(1)),
        (vec![costly(500.0)], 1.0, None),
    ] {
        let mesh = clear(halls(true).with_links(links).unwrap());
        let path = QueryError::accept_no_path(
            mesh.query(radius).shortest().partial().memory(&mut scratch).path(from, to),
        )
        .unwrap();
        assert_eq!(path.outcome, Outcome::Complete);
        assert_eq!(path.links.first().map(|link| link.link.0), expected);
        assert!(path.links.len() < 2);
        // A link never lengthens a way.
        let options = ClearPathOptions::new(radius).with_links(false);
        let round = QueryError::accept_no_path(
            mesh.query(options.radius).options(options).memory(&mut scratch).path(from, to),
        )
        .unwrap();
        assert!(path.plan_length <= round.plan_length + 1e-3);
    }
    // One way only.
    let one_way = clear(halls(false).with_links(vec![Link { both_ways: false, ..ladder }]).unwrap());
    let ways = [[from, to], [to, from]].map(|[a, b]| {
        QueryError::accept_no_path(one_way.query(1.0).shortest().partial().memory(&mut scratch).path(a, b))
            .unwrap()
            .outcome
    });
    assert!(ways[0] == Outcome::Complete && ways[1] != Outcome::Complete);
}
