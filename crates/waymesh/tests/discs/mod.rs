//! Geometry and meshes that the tests of discs share.

#![allow(dead_code, reason = "each test uses some")]
#![allow(clippy::unwrap_used, reason = "test helpers")]

pub(crate) mod plans;

use glam::Vec3;
use waymesh::core::{PlanPoint, PlanVertex};
use waymesh::graph::{Link, LinkEnd, LinkKind, Location};
use waymesh::triangulate::ClearanceConfig;
use waymesh::{ClearanceNavMesh, NavMesh, PolyId, QueryScratch, with_clearance};
use waymesh_testkit::flat_meshes;

pub(crate) type Plane = [f64; 2];

pub(crate) fn crooked(seed: u64, side: u16, blocked: f64) -> NavMesh {
    NavMesh::try_from(flat_meshes::crooked(seed, side, blocked)).unwrap()
}

pub(crate) fn clear(mesh: NavMesh) -> ClearanceNavMesh {
    with_clearance(mesh, &ClearanceConfig::default()).unwrap()
}

pub(crate) fn plane(at: Vec3) -> Plane {
    [f64::from(at.x), f64::from(at.z)]
}
pub(crate) fn minus(a: Plane, b: Plane) -> Plane {
    [a[0] - b[0], a[1] - b[1]]
}
pub(crate) fn dot(a: Plane, b: Plane) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}
pub(crate) fn length(a: Plane) -> f64 {
    dot(a, a).sqrt()
}
pub(crate) fn to_segment([a, b]: [Plane; 2], p: Plane) -> f64 {
    let along = minus(b, a);
    let share = (dot(minus(p, a), along) / dot(along, along).max(1e-300)).clamp(0.0, 1.0);
    length(minus(p, [a[0] + share * along[0], a[1] + share * along[1]]))
}
pub(crate) fn side(a: Plane, b: Plane, c: Plane) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}
pub(crate) fn between(s: [Plane; 2], t: [Plane; 2]) -> f64 {
    let crossed = side(s[0], s[1], t[0]) * side(s[0], s[1], t[1]) < 0.0
        && side(t[0], t[1], s[0]) * side(t[0], t[1], s[1]) < 0.0;
    if crossed {
        return 0.0;
    }
    [to_segment(s, t[0]), to_segment(s, t[1]), to_segment(t, s[0]), to_segment(t, s[1])]
        .into_iter()
        .fold(f64::INFINITY, f64::min)
}

pub(crate) fn walls(mesh: &NavMesh) -> Vec<[Plane; 2]> {
    let mut walls = Vec::new();
    for polygon in mesh.polygons() {
        let corners: Vec<Plane> = polygon.positions().map(plane).collect();
        for (at, neighbour) in polygon.neighbours().enumerate() {
            if neighbour.is_none() {
                walls.push([corners[at], corners[(at + 1) % corners.len()]]);
            }
        }
    }
    walls
}

/// Corners of a rectangle.
pub(crate) fn rectangle(x: i32, z: i32, wide: i32, deep: i32) -> Vec<PlanPoint> {
    [[x, z], [x + wide, z], [x + wide, z + deep], [x, z + deep]].map(|[x, z]| PlanPoint::new(x, z)).to_vec()
}

/// Two halls, a wall between them, and a way round it far away or none.
pub(crate) fn halls(round: bool) -> NavMesh {
    let mut squares = vec![rectangle(0, 0, 40, 20), rectangle(0, 21, 40, 20)];
    if round {
        squares.extend([rectangle(40, 0, 10, 20), rectangle(40, 20, 10, 1), rectangle(40, 21, 10, 20)]);
    }
    NavMesh::try_from(flat_meshes::build(&squares)).unwrap()
}

pub(crate) fn link(from: [i32; 4], to: [i32; 4]) -> Link {
    let end = |polygon: u32, [x, z, ex, ez]: [i32; 4]| LinkEnd {
        polygon: PolyId(polygon),
        ends: [[x, z], [ex, ez]].map(|[x, z]| PlanVertex { point: PlanPoint::new(x, z), height: 0.0 }),
    };
    Link::new(end(0, from), end(1, to), LinkKind::User)
}

/// A disc swept along a path keeps clear of all walls, by another query on the mesh itself.
pub(crate) fn check_clear(mesh: &NavMesh, path: &waymesh::Path, radius: f32, what: &str) {
    let mut scratch = QueryScratch::default();
    let kept = path.clearance;
    // Step by step over the ground: what is near in space may lie on another storey.
    let polygon = path.polygons[0];
    let mut place = Location { polygon, position: path.points[0], generation: mesh.generation() };
    for pair in path.points.windows(2) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
        let steps = (pair[0].distance(pair[1]) / 0.2).ceil().max(1.0) as u16;
        for step in 0..=steps {
            let at = pair[0].lerp(pair[1], f32::from(step) / f32::from(steps));
            place = mesh.query().ray(place, at).unwrap().end(mesh);
            let wall = mesh.query().memory(&mut scratch).wall(place, radius).unwrap();
            let distance = wall.map_or(radius, |wall| wall.distance);
            assert!(
                distance >= radius - 1.5e-3,
                "{what}: {at} is {distance} m from a wall, not {radius}, but keeps {kept}"
            );
        }
    }
    assert!(kept >= radius - 1.5e-3, "{what}: keeps {kept}: {path:?}");
}
