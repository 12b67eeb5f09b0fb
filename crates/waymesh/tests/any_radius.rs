//! Ways for discs of any radius, on flat meshes: against all tangents, against walls sampled densely.

#![expect(clippy::cast_sign_loss, reason = "counts")]
#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "test helpers, small numbers"
)]

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::f64::consts::{PI, TAU};

use glam::Vec3;
use waymesh::triangulate::ClearanceConfig;
use waymesh::{
    AnyCell, ClearPath, ClearPathOptions, ClearanceNavMesh, ClearanceScratch, NavMesh, NavMeshError, Outcome,
    QueryError, Random, Reach, SurfaceScratch, with_clearance,
};
use waymesh_testkit::flat_meshes;

type Plane = [f64; 2];

fn crooked(seed: u64, side: u16, blocked: f64) -> NavMesh {
    NavMesh::try_from(flat_meshes::crooked(seed, side, blocked)).unwrap()
}

fn clear(mesh: NavMesh) -> ClearanceNavMesh {
    with_clearance(mesh, &ClearanceConfig::default()).unwrap()
}

fn plane(at: Vec3) -> Plane {
    [f64::from(at.x), f64::from(at.z)]
}
fn minus(a: Plane, b: Plane) -> Plane {
    [a[0] - b[0], a[1] - b[1]]
}
fn dot(a: Plane, b: Plane) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}
fn length(a: Plane) -> f64 {
    dot(a, a).sqrt()
}
fn to_segment([a, b]: [Plane; 2], p: Plane) -> f64 {
    let along = minus(b, a);
    let share = (dot(minus(p, a), along) / dot(along, along).max(1e-300)).clamp(0.0, 1.0);
    length(minus(p, [a[0] + share * along[0], a[1] + share * along[1]]))
}
fn side(a: Plane, b: Plane, c: Plane) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}
fn between(s: [Plane; 2], t: [Plane; 2]) -> f64 {
    let crossed = side(s[0], s[1], t[0]) * side(s[0], s[1], t[1]) < 0.0
        && side(t[0], t[1], s[0]) * side(t[0], t[1], s[1]) < 0.0;
    if crossed {
        return 0.0;
    }
    [to_segment(s, t[0]), to_segment(s, t[1]), to_segment(t, s[0]), to_segment(t, s[1])]
        .into_iter()
        .fold(f64::INFINITY, f64::min)
}

fn walls(mesh: &NavMesh) -> Vec<[Plane; 2]> {
    let mut walls = Vec::new();
    for cell in mesh.cells() {
        let corners: Vec<Plane> = cell.positions().map(plane).collect();
        for (at, neighbour) in cell.neighbours().enumerate() {
            if neighbour.is_none() {
                walls.push([corners[at], corners[(at + 1) % corners.len()]]);
            }
        }
    }
    walls
}

/// The shortest way of a disc over all lines that touch two corners, and all arcs between them.
///
/// Positions are single-precision, so that an end at a wall may be `loose` too near to it.
fn brute_force(walls: &[[Plane; 2]], from: Plane, to: Plane, radius: f64, loose: f64) -> Option<f64> {
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
fn check_clear(mesh: &NavMesh, path: &ClearPath, radius: f32, what: &str) {
    let mut scratch = SurfaceScratch::default();
    for pair in path.points.windows(2) {
        let steps = (pair[0].distance(pair[1]) / 0.2).ceil().max(1.0) as usize;
        for step in 0..=steps {
            let at = pair[0].lerp(pair[1], step as f32 / steps as f32);
            let place = mesh.nearest(at, &Reach::new(0.01, 3.0, 3.0));
            let place = place.unwrap_or_else(|| panic!("{what}: {at} is off the mesh"));
            let wall = mesh.nearest_wall(&place, radius, &AnyCell, &mut scratch).unwrap();
            let distance = wall.map_or(radius, |wall| wall.distance);
            assert!(distance >= radius - 1.5e-3, "{what}: {at} is {distance} m from a wall, not {radius}");
        }
    }
}

#[test]
fn ways_are_the_shortest_among_all_tangents() {
    let mut scratch = ClearanceScratch::default();
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
                let options = ClearPathOptions::default().with_reach(Reach::new(9.0, 1.0, 1.0));
                let Ok(path) = mesh.find_path_with(from, to, radius, &options, &mut scratch) else {
                    continue;
                };
                let ends = [path.start.unwrap(), path.goal.unwrap()].map(|end| plane(end.location.position));
                let best = brute_force(&walls, ends[0], ends[1], f64::from(radius), 2e-5);
                let is_there = path.outcome == Outcome::Complete;
                if is_there != best.is_some() {
                    eprintln!("{what}: {:?}, {best:?}", path.outcome);
                    bad += 1;
                    continue;
                }
                apart += usize::from(best.is_none());
                check_clear(mesh.mesh(), &path, radius, &what);
                let Some(best) = best else { continue };
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
            }
        }
    }
    println!("{connected} ways with {turns} turns, {apart} without");
    assert_eq!(bad, 0);
    assert!(connected > 300 && apart > 30 && turns > 300, "{connected} {apart} {turns}");
}

#[test]
fn a_disc_is_moved_to_the_nearest_room() {
    let mut scratch = ClearanceScratch::default();
    for seed in 0..8 {
        let mesh = clear(crooked(seed, 5, 0.2));
        let walls = walls(mesh.mesh());
        let mut random = Random::new(seed);
        for _ in 0..12 {
            let at = Vec3::new(50.0 * random.unit(), 0.0, 50.0 * random.unit());
            let radius = 0.5 + 3.0 * random.unit();
            let reach = Reach::new(8.0, 1.0, 1.0);
            let found = mesh.nearest(at, radius, &reach, &mut scratch).unwrap();
            // Everything on a fine grid.
            let mut best = f64::INFINITY;
            for x in 0..250 {
                for z in 0..250 {
                    let place = [f64::from(x) * 0.2, f64::from(z) * 0.2];
                    let far = length(minus(place, plane(at)));
                    let near = Vec3::new(place[0] as f32, 0.0, place[1] as f32);
                    if far < best
                        && walls.iter().all(|&wall| to_segment(wall, place) >= f64::from(radius))
                        && mesh.mesh().nearest(near, &Reach::new(0.0, 1.0, 1.0)).is_some()
                    {
                        best = far;
                    }
                }
            }
            match found {
                Some(found) => {
                    let position = found.location.position;
                    assert!(
                        f64::from(found.moved) <= best + 1e-3,
                        "{at} by {}, {best} would do",
                        found.moved
                    );
                    assert!(
                        (plane(at)[0] - plane(position)[0]).hypot(plane(at)[1] - plane(position)[1]) < 8.01
                    );
                    let kept = mesh.clearance_at(&found.location, 9.0, &mut scratch).unwrap();
                    assert!(kept >= radius - 1e-4, "{kept} for {radius}");
                }
                None => assert!(best > 7.5, "{at}, {radius}: there is room at {best}"),
            }
        }
    }
}

#[test]
fn smaller_discs_go_no_farther_and_back_is_as_far() {
    let mut scratch = ClearanceScratch::default();
    let (mut known, mut odd) = (0, 0);
    for seed in 30..36 {
        let mesh = clear(crooked(seed, 12, 0.2));
        let mut random = Random::new(seed);
        for _ in 0..40 {
            let mut place = || Vec3::new(120.0 * random.unit(), 0.0, 120.0 * random.unit());
            let reach = Reach::new(6.0, 1.0, 1.0);
            let largest = 3.0;
            let (Ok(Some(from)), Ok(Some(to))) = (
                mesh.nearest(place(), largest, &reach, &mut scratch),
                mesh.nearest(place(), largest, &reach, &mut scratch),
            ) else {
                continue;
            };
            let (from, to) = (from.location.position, to.location.position);
            let mut before: Option<f32> = None;
            for radius in [3.0, 2.2, 1.5, 0.8, 0.3, 0.0] {
                let path = mesh.find_path(from, to, radius, &mut scratch).unwrap();
                let back = mesh.find_path(to, from, radius, &mut scratch).unwrap();
                assert_eq!(path.outcome == Outcome::Complete, back.outcome == Outcome::Complete);
                if path.outcome != Outcome::Complete {
                    assert_eq!(before, None, "smaller discs get wherever larger ones do");
                    continue;
                }
                known += 1;
                // Known: in rare places one direction misses the shortest way.
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
    println!("{odd} of {known} are odd");
    assert!(known > 500 && odd * 100 <= known, "{odd} of {known}");
}

#[test]
fn where_the_world_lies_changes_nothing() {
    let mut scratch = ClearanceScratch::default();
    let build = |origin: Vec3| {
        let mut cells = crooked(50, 8, 0.25).cell_mesh();
        cells.frame.origin = origin;
        clear(NavMesh::try_from(cells).unwrap())
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
            here.find_path(from, to, radius, &mut scratch),
            there.find_path(from + far, to + far, radius, &mut scratch),
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
    let mut scratch = ClearanceScratch::default();
    let mesh = clear(crooked(1, 4, 0.0));
    let (from, to) = (Vec3::new(5.0, 0.0, 5.0), Vec3::new(35.0, 0.0, 30.0));
    for radius in [f32::NAN, -0.1, f32::INFINITY] {
        let result = mesh.find_path(from, to, radius, &mut scratch);
        assert!(matches!(result, Err(QueryError::BadRadius { .. })), "{radius}: {result:?}");
        assert!(mesh.nearest(from, radius, &Reach::INFINITE, &mut scratch).is_err());
    }
    let options = ClearPathOptions::default().with_arc_error(0.0);
    assert!(mesh.find_path_with(from, to, 1.0, &options, &mut scratch).is_err());
    let nowhere = Vec3::new(f32::NAN, 0.0, 0.0);
    assert!(matches!(mesh.find_path(nowhere, to, 1.0, &mut scratch), Err(QueryError::NotFinite { .. })));
    let far = Vec3::new(1e6, 0.0, 0.0);
    assert!(matches!(mesh.find_path(from, far, 1.0, &mut scratch), Err(QueryError::NoMeshNear { .. })));
    assert!(matches!(mesh.find_path(from, to, 30.0, &mut scratch), Err(QueryError::NoRoomNear { .. })));
    // Start and goal are one.
    let path = mesh.find_path(from, from, 1.0, &mut scratch).unwrap();
    assert_eq!((path.outcome, path.points.len()), (Outcome::Complete, 1));
    // Chamfers, all round one corner.
    let chamfers = ClearPathOptions::default().with_arc_error(f32::INFINITY);
    let path = mesh.find_path_with(from, to, 1.0, &chamfers, &mut scratch).unwrap();
    assert_eq!(path.outcome, Outcome::Complete);
    // The triangles of another mesh.
    let other = with_clearance(crooked(2, 5, 0.0), &ClearanceConfig::default()).unwrap();
    let _ = other;
    let empty = waymesh::ClearanceMesh::default();
    let error = ClearanceNavMesh::new(mesh.into_mesh(), &empty).unwrap_err();
    assert!(matches!(error, NavMeshError::OtherGround { .. }), "{error}");
}
