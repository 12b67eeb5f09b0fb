//! Winding numbers against a slow oracle, and on surfaces that are open, doubled, flipped or cut.

use glam::{DVec3, Vec3};
use proptest::prelude::*;
use waymesh_core::{Random, TriangleSoup};
use waymesh_solid::WindingTree;

type Triangles = Vec<[Vec3; 3]>;

fn tree(triangles: &[[Vec3; 3]]) -> WindingTree {
    let count = u32::try_from(triangles.len()).expect("few triangles");
    let indices = (0..count).map(|at| [3 * at, 3 * at + 1, 3 * at + 2]).collect();
    let soup = TriangleSoup::new(triangles.concat(), indices).expect("sound indices");
    WindingTree::new(&soup).expect("memory can be read")
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

/// A level rectangle that faces up.
fn sheet(low: [f32; 2], high: [f32; 2], y: f32) -> Triangles {
    sides(Vec3::new(low[0], y - 1.0, low[1]), Vec3::new(high[0], y, high[1]))[3].clone()
}

/// Spherical excess from the sides of a spherical triangle, by L'Huilier's theorem.
fn excess([a, b, c]: [Vec3; 3], from: DVec3) -> f64 {
    let [a, b, c] = [a, b, c].map(|corner| (corner.as_dvec3() - from).normalize());
    let arc = |one: DVec3, other: DVec3| one.cross(other).length().atan2(one.dot(other));
    let (bc, ca, ab) = (arc(b, c), arc(c, a), arc(a, b));
    let half = (bc + ca + ab) / 2.0;
    let product = (half / 2.0).tan()
        * ((half - bc) / 2.0).tan()
        * ((half - ca) / 2.0).tan()
        * ((half - ab) / 2.0).tan();
    4.0 * product.max(0.0).sqrt().atan() * a.dot(b.cross(c)).signum() / (4.0 * std::f64::consts::PI)
}

fn assert_near(actual: f64, expected: f64, slack: f64) {
    assert!((actual - expected).abs() <= slack, "{actual} is not {expected}");
}

#[test]
fn a_box_encloses_its_inside_and_nothing_else() {
    let closed = sides(Vec3::ZERO, Vec3::splat(2.0)).concat();
    let tree = tree(&closed);
    for (place, expected) in [(Vec3::ONE, 1.0), (Vec3::splat(0.01), 1.0), (Vec3::splat(2.1), 0.0)] {
        assert_near(tree.winding_number(place), expected, 0.01);
    }
    assert_eq!(tree.triangle_count(), 12);
    for (place, expected) in [(Vec3::ONE, true), (Vec3::new(1.0, 2.5, 1.0), false), (Vec3::X * 3.0, false)] {
        assert_eq!(tree.is_covered(place), expected, "{place}");
    }
}

#[test]
fn surfaces_that_are_doubled_or_flipped_keep_their_sign() {
    let closed = sides(Vec3::ZERO, Vec3::splat(2.0)).concat();
    let doubled = tree(&[closed.clone(), closed.clone()].concat());
    assert_near(doubled.winding_number(Vec3::ONE), 2.0, 0.01);
    assert_near(tree(&flipped(&closed)).winding_number(Vec3::ONE), -1.0, 0.01);
    let two_sided = tree(&[closed.clone(), flipped(&closed)].concat());
    assert_near(two_sided.winding_number(Vec3::ONE), 0.0, 0.01);
}

#[test]
fn an_open_surface_counts_as_much_as_it_fills_of_the_view() {
    let [west, east, bottom, top, north, south] = sides(Vec3::ZERO, Vec3::splat(2.0));
    let no_bottom = tree(&[west, east, top, north, south].concat());
    assert_near(no_bottom.winding_number(Vec3::ONE), 5.0 / 6.0, 1e-6);
    assert_near(tree(&bottom).winding_number(Vec3::ONE), 1.0 / 6.0, 1e-6);
    let ground = tree(&sheet([-500.0; 2], [500.0; 2], 0.0));
    assert_near(ground.winding_number(Vec3::Y), -0.5, 0.01);
    assert_near(ground.winding_number(Vec3::NEG_Y), 0.5, 0.01);
}

#[test]
fn what_is_below_the_place_is_cut_off() {
    let ground = sheet([-500.0; 2], [500.0; 2], 0.0);
    let [west, east, bottom, top, north, south] = sides(Vec3::ZERO, Vec3::splat(2.0));
    let walls = [west, east, north, south].concat();
    for (parts, inside) in [
        ([&walls, &top, &bottom], 1.0),
        ([&walls, &top, &ground], 1.0),
        ([&walls, &bottom, &ground], 1.0 - 0.298_93),
        ([&ground, &bottom, &ground], 0.0),
    ] {
        let tree = tree(&parts.map(Clone::clone).concat());
        // A square of 2 by 2, seen from a distance of 1.1.
        let place = Vec3::new(1.0, 0.9, 1.0);
        assert_near(tree.winding_number_above(place), inside, 1e-3);
        assert_near(tree.winding_number_above(place + Vec3::X * 4.0), 0.0, 0.02);
    }
}

#[test]
fn what_is_of_no_use_is_left_out() {
    let broken = [[Vec3::ZERO; 3], [Vec3::NAN; 3], [Vec3::ZERO, Vec3::X, Vec3::X * 2.0]];
    for tree in [tree(&[]), tree(&broken)] {
        assert_eq!(tree.triangle_count(), 0);
        assert_eq!((tree.winding_number(Vec3::ZERO), tree.is_covered(Vec3::ZERO)), (0.0, false));
    }
}

fn vector(size: f32) -> impl Strategy<Value = Vec3> {
    [-size..size, -size..size, -size..size].prop_map(Vec3::from_array)
}

proptest! {
    #[test]
    fn it_is_the_sum_of_all_solid_angles(
        corners in prop::collection::vec((vector(50.0), vector(4.0), vector(4.0)), 1..400),
        places in prop::collection::vec(vector(60.0), 10),
        seed in any::<u64>(),
    ) {
        let triangles: Triangles = corners.iter().map(|&(a, b, c)| [a, a + b, a + c]).collect();
        let found = tree(&triangles);
        let mut shuffled = triangles.clone();
        let mut random = Random::new(seed);
        for at in (1..shuffled.len()).rev() {
            shuffled.swap(at, random.index(at));
        }
        let other = tree(&shuffled);
        for place in places {
            let expected: f64 = triangles.iter().map(|&corners| excess(corners, place.as_dvec3())).sum();
            let actual = found.winding_number(place);
            prop_assert!((actual - expected).abs() < 0.01, "{actual} is not {expected}");
            prop_assert_eq!(actual.to_bits(), other.winding_number(place).to_bits());
            // What is above, and what is below, seen in a mirror at the height of the place.
            let mirror = |at: Vec3| at.with_y(2.0 * place.y - at.y);
            let mirrored = flipped(&triangles.iter().map(|corners| corners.map(mirror)).collect::<Triangles>());
            let halves = found.winding_number_above(place) + tree(&mirrored).winding_number_above(place);
            prop_assert!((halves / 2.0 - expected).abs() < 0.03, "{halves} / 2 is not {expected}");
        }
    }
}

/// Which side of the nearest triangle is seen, by crossing the plane of each of them.
fn seen_one_by_one(triangles: &[[Vec3; 3]], place: DVec3, direction: DVec3) -> Option<bool> {
    let crossing = |corners: &[Vec3; 3]| {
        let corners = corners.map(|corner| corner.as_dvec3());
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let far = normal.dot(corners[0] - place) / normal.dot(direction);
        let at = place + far * direction;
        let is_inside =
            (0..3).all(|i| (corners[(i + 1) % 3] - corners[i]).cross(at - corners[i]).dot(normal) >= 0.0);
        (far > 0.0 && far.is_finite() && is_inside).then_some((far, normal.dot(direction) > 0.0))
    };
    let first = triangles.iter().filter_map(crossing).min_by(|a, b| a.0.total_cmp(&b.0));
    first.map(|(_, back)| back)
}

#[test]
fn a_look_meets_the_first_triangle() {
    let mut random = Random::new(7);
    let mut point = |size: f32| Vec3::from_array([(); 3].map(|()| (random.unit() - 0.5) * size));
    let triangles: Triangles = (0..300)
        .map(|_| {
            let middle = point(20.0);
            [(); 3].map(|()| middle + point(5.0))
        })
        .collect();
    let tree = tree(&triangles);
    let mut seen = [0; 3];
    for look in 0..2000 {
        let (place, direction) = (point(20.0), if look % 10 == 0 { Vec3::Y } else { point(1.0) });
        let expected = seen_one_by_one(&triangles, place.as_dvec3(), direction.as_dvec3());
        assert_eq!(tree.sees_back(place, direction), expected, "from {place} to {direction}");
        seen[expected.map_or(2, usize::from)] += 1;
    }
    assert!(seen.iter().all(|&times| times > 100), "{seen:?}");
}

#[test]
fn a_look_out_of_a_box_sees_its_back() {
    let tree = tree(&sides(Vec3::ZERO, Vec3::splat(2.0)).concat());
    for direction in [Vec3::X, Vec3::Y, -Vec3::Z, Vec3::new(1.0, -0.5, 0.2)] {
        assert_eq!(tree.sees_back(Vec3::ONE, direction), Some(true));
        assert_eq!(tree.sees_back(Vec3::splat(5.0), direction), None);
    }
    assert_eq!(tree.sees_back(Vec3::new(-1.0, 1.0, 1.0), Vec3::X), Some(false));
}
