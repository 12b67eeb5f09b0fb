//! Rays against closed bodies, whose inside is known, and against crossings one by one.

use glam::{DVec3, Vec3};
use proptest::prelude::*;
use waymesh_core::{Random, TriangleSoup};
use waymesh_solid::{RayOutcome, RayTree};

type Triangles = Vec<[Vec3; 3]>;

fn tree(triangles: &[[Vec3; 3]]) -> RayTree {
    let count = u32::try_from(triangles.len()).expect("few triangles");
    let indices = (0..count).map(|at| [3 * at, 3 * at + 1, 3 * at + 2]).collect();
    let soup = TriangleSoup::new(triangles.concat(), indices).expect("sound indices");
    RayTree::new(&soup).expect("memory can be read")
}

/// The sides of a box, each as two triangles that face out, in the order -x, +x, -y, +y, -z, +z.
fn sides(low: Vec3, high: Vec3) -> [Triangles; 6] {
    let corner = |bits: usize| {
        let pick = |axis: usize| if bits >> axis & 1 == 0 { low[axis] } else { high[axis] };
        Vec3::new(pick(0), pick(1), pick(2))
    };
    [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]].map(|side| {
        let [a, b, c, d] = side.map(corner);
        vec![[a, b, c], [a, c, d]]
    })
}

fn flipped(triangles: &[[Vec3; 3]]) -> Triangles {
    triangles.iter().map(|&[a, b, c]| [a, c, b]).collect()
}

fn vector(size: f32) -> impl Strategy<Value = Vec3> {
    [-size..size, -size..size, -size..size].prop_map(Vec3::from_array)
}

fn shuffled(triangles: &[[Vec3; 3]], seed: u64) -> Triangles {
    let (mut triangles, mut random) = (triangles.to_vec(), Random::new(seed));
    for at in (1..triangles.len()).rev() {
        triangles.swap(at, random.index(at));
    }
    triangles
}

#[test]
fn a_ray_leaves_a_box_only_from_inside() {
    let [inside, outside] = [Vec3::ONE, Vec3::splat(5.0)];
    let closed = sides(Vec3::ZERO, Vec3::splat(2.0));
    let inner = sides(Vec3::new(1.2, 0.5, 0.5), Vec3::new(1.8, 1.5, 1.5)).concat();
    let outer = closed.concat();
    // Up through a diagonal of two triangles, aslant, and through the inner box.
    let rays = [Vec3::Y, Vec3::new(1.0, -0.5, 0.2), Vec3::X];
    let (leaves, passes) = ([RayOutcome::Leaves; 3], [RayOutcome::Passes; 3]);
    for (name, triangles, expected) in [
        ("a box", outer.clone(), leaves),
        ("a doubled box", [outer.clone(), outer.clone()].concat(), leaves),
        ("a box in a box", [outer.clone(), inner.clone()].concat(), leaves),
        ("a doubled box in a box", [outer.clone(), inner.clone(), inner].concat(), leaves),
        ("a box that faces in", flipped(&outer), passes),
        ("a box of two sides", [outer.clone(), flipped(&outer)].concat(), passes),
        (
            "walls of two sides",
            [flipped(&outer), sides(Vec3::splat(-0.1), Vec3::splat(2.1)).concat()].concat(),
            passes,
        ),
        ("nothing", Vec::new(), [RayOutcome::Open; 3]),
        ("a floor below", closed[2].clone(), [RayOutcome::Open, RayOutcome::Open, RayOutcome::Open]),
    ] {
        let tree = tree(&triangles);
        assert_eq!(rays.map(|direction| tree.cast(inside, direction)), expected, "in {name}");
        assert_eq!(
            rays.map(|direction| tree.cast(outside, direction)),
            [RayOutcome::Open; 3],
            "beside {name}"
        );
    }
}

#[test]
fn broken_triangles_are_left_out() {
    for triangles in [vec![], vec![[Vec3::ZERO; 3], [Vec3::NAN; 3], [Vec3::ZERO, Vec3::X, Vec3::X * 2.0]]] {
        assert_eq!(tree(&triangles).cast(Vec3::new(0.5, -1.0, 0.0), Vec3::Y), RayOutcome::Open);
    }
}

/// The outcome of a ray, by crossing the plane of each triangle.
fn cast_one_by_one(triangles: &[[Vec3; 3]], place: DVec3, direction: DVec3) -> RayOutcome {
    let crossing = |corners: &[Vec3; 3]| {
        let corners = corners.map(|corner| corner.as_dvec3());
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let far = normal.dot(corners[0] - place) / normal.dot(direction);
        let at = place + far * direction;
        let is_inside =
            (0..3).all(|i| (corners[(i + 1) % 3] - corners[i]).cross(at - corners[i]).dot(normal) >= 0.0);
        let step = if normal.dot(direction) > 0.0 { 1 } else { -1 };
        (far > 0.0 && far.is_finite() && is_inside).then_some((far, step))
    };
    let mut crossings: Vec<(f64, i32)> = triangles.iter().filter_map(crossing).collect();
    crossings.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut depth = 0;
    let leaves = crossings.iter().any(|(_, step)| {
        depth += step;
        depth > 0
    });
    match (crossings.is_empty(), leaves) {
        (true, _) => RayOutcome::Open,
        (false, true) => RayOutcome::Leaves,
        (false, false) => RayOutcome::Passes,
    }
}

proptest! {
    /// Boxes that overlap, share sides and hold each other: a ray leaves them exactly from inside
    /// of one.
    #[test]
    fn a_ray_leaves_exactly_from_inside_of_bodies(
        boxes in prop::collection::vec((vector(10.0), vector(6.0)), 1..12),
        is_round in any::<bool>(),
        rays in prop::collection::vec((vector(12.0), vector(1.0)), 40),
        seed in any::<u64>(),
    ) {
        let boxes: Vec<[Vec3; 2]> =
            boxes.iter().map(|&(middle, size)| [middle - size.abs(), middle + size.abs()]).collect();
        let round = |[low, high]: [Vec3; 2]| [low.floor(), high.floor() + 1.0];
        let boxes: Vec<[Vec3; 2]> = boxes.into_iter().map(|b| if is_round { round(b) } else { b }).collect();
        let triangles = boxes.iter().flat_map(|&[low, high]| sides(low, high).concat()).collect::<Triangles>();
        let (tree, other) = (tree(&triangles), tree(&shuffled(&triangles, seed)));
        for (place, direction) in rays {
            prop_assume!(direction.length() > 0.1);
            let is_inside = boxes.iter().any(|[low, high]| place.cmpgt(*low).all() && place.cmplt(*high).all());
            prop_assert_eq!(tree.cast(place, direction) == RayOutcome::Leaves, is_inside, "{} {}", place, direction);
            prop_assert_eq!(other.cast(place, direction), tree.cast(place, direction));
        }
    }

    #[test]
    fn a_ray_crosses_all_triangles_in_order(
        corners in prop::collection::vec((vector(10.0), vector(5.0), vector(5.0)), 1..300),
        rays in prop::collection::vec((vector(12.0), vector(1.0)), 20),
    ) {
        let triangles: Triangles = corners.iter().map(|&(a, b, c)| [a, a + b, a + c]).collect();
        let tree = tree(&triangles);
        for (place, direction) in rays {
            prop_assume!(direction.length() > 0.1);
            let unit = direction.as_dvec3().normalize();
            prop_assert_eq!(tree.cast(place, direction), cast_one_by_one(&triangles, place.as_dvec3(), unit));
        }
    }
}
