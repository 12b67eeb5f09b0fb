//! Nearest points and containment.

use glam::{Vec3, Vec3Swizzles};
use waymesh_core::{Agent, AreaId, PolyId, PolyMesh};
use waymesh_graph::{AreaFilter, NavMesh, Reach};

use crate::meshes::{
    Builder, Chance, bumpy_surface, frame, navmesh, point_in, random_hilly, random_polygon, spiral,
};

/// The closest point of a convex polygon in plan, on the ground.
fn closest(mesh: &NavMesh, polygon: PolyId, position: Vec3) -> Vec3 {
    let corners: Vec<Vec3> = mesh.polygon(polygon).unwrap().positions().collect();
    let mut best = (f64::INFINITY, position);
    let mut inside = true;
    for (index, &a) in corners.iter().enumerate() {
        let b = corners[(index + 1) % corners.len()];
        let (a, b, p) = (a.as_dvec3(), b.as_dvec3(), position.as_dvec3());
        inside &= (b.xz() - a.xz()).perp_dot(p.xz() - a.xz()) >= 0.0;
        let t = (p - a).xz().dot((b - a).xz()) / (b - a).xz().length_squared();
        let point = a + (b - a) * t.clamp(0.0, 1.0);
        let distance = point.xz().distance(p.xz());
        if distance < best.0 {
            best = (distance, point.as_vec3());
        }
    }
    let mut point = if inside { position } else { best.1 };
    point.y = mesh.height_in_polygon(polygon, point).unwrap();
    point
}

fn compare(mesh: &NavMesh, seed: u64, reach: &Reach, spread: f32) {
    let mut chance = Chance(seed);
    for _ in 0..200 {
        let mut position = {
            let polygon = random_polygon(mesh, &mut chance);
            point_in(mesh, polygon, &mut chance)
        };
        position += Vec3::new(chance.unit() - 0.5, chance.unit() - 0.5, chance.unit() - 0.5) * spread;
        let brute = mesh
            .polygons()
            .filter_map(|view| {
                let point = closest(mesh, view.id(), position);
                let rise = point.y - position.y;
                let within = point.xz().distance(position.xz()) <= reach.side - 1e-3
                    && (-reach.down + 1e-3..=reach.up - 1e-3).contains(&rise);
                within.then(|| point.distance(position))
            })
            .fold(f32::INFINITY, f32::min);
        let found = mesh.nearest(position, reach);
        if brute.is_finite() {
            let found = found.unwrap();
            let distance = found.position.distance(position);
            assert!(distance <= brute + 1e-4, "{distance} is farther than {brute}");
            assert!(mesh.contains(found.polygon, found.position));
            let ground = mesh.height_in_polygon(found.polygon, found.position).unwrap();
            assert!((found.position.y - ground).abs() < 1e-4);
        }
        if let Some(found) = found {
            assert!(found.position.xz().distance(position.xz()) <= reach.side + 1e-3);
            let rise = found.position.y - position.y;
            assert!((-reach.down - 1e-3..=reach.up + 1e-3).contains(&rise));
        }
    }
}

#[test]
fn nearest_is_the_nearest_of_all_polygons() {
    for seed in 0..60 {
        let polygons = random_hilly(seed, Vec3::ZERO);
        let surface = bumpy_surface(&polygons, 1.0);
        let plain = navmesh(polygons.clone());
        let bumpy = NavMesh::new(polygons, Some(surface), Agent::default()).unwrap();
        for mesh in [&plain, &bumpy] {
            compare(mesh, seed, &Reach::INFINITE, 30.0);
            compare(mesh, seed, &Reach::new(3.0, 1.0, 0.25), 8.0);
            compare(mesh, seed, &mesh.default_reach(), 2.0);
        }
    }
    compare(&navmesh(spiral(5, 1.0)), 7, &Reach::new(2.0, 1.5, 1.5), 6.0);
}

#[test]
fn every_vertex_and_every_edge_is_in_its_polygons_wherever_the_world_puts_it() {
    for (seed, origin) in
        [Vec3::ZERO, Vec3::new(0.1, -3.0, 7.7), Vec3::new(1e5, 1e3, -1e5)].into_iter().enumerate()
    {
        let mesh = navmesh(random_hilly(seed as u64, origin));
        let mut chance = Chance(5);
        let touching = Reach::new(0.0, 0.2, 0.2);
        for view in mesh.polygons() {
            let corners: Vec<Vec3> = view.positions().collect();
            for (index, &a) in corners.iter().enumerate() {
                let b = corners[(index + 1) % corners.len()];
                let neighbour = view.neighbours().nth(index).unwrap();
                for t in [0.0, 1.0, 0.5, chance.unit(), chance.unit()] {
                    let point = (a.as_dvec3() + (b - a).as_dvec3() * f64::from(t)).as_vec3();
                    assert!(mesh.contains(view.id(), point));
                    assert!(neighbour.is_none_or(|polygon| mesh.contains(polygon, point)));
                    let found = mesh.nearest(point, &touching).expect("no dead spots");
                    assert!(found.position.distance(point) < 0.2);
                }
            }
        }
    }
}

#[test]
fn up_down_and_side_are_separate_and_inclusive() {
    // One storey at 0 m, the next 4 m up.
    let mesh = navmesh(spiral(2, 1.0));
    let at = Vec3::new(2.0, 2.0, 2.0);
    let find = |reach: Reach| mesh.nearest(at, &reach).map(|found| found.position.y);
    assert_eq!(find(Reach::new(0.0, 0.0, 1.9)), None);
    assert!(find(Reach::new(0.0, 0.0, 2.0)).is_some_and(|y| y < 1.0));
    assert!(find(Reach::new(0.0, 2.5, 0.0)).is_some_and(|y| y > 3.0));
    let outside = Vec3::new(-1.0, 0.0, 2.0);
    assert_eq!(mesh.nearest(outside, &Reach::new(0.99, 1.0, 1.0)), None);
    let found = mesh.nearest(outside, &Reach::new(1.0, 1.0, 1.0)).unwrap();
    assert_eq!(found.position.xz(), Vec3::new(0.0, 0.0, 2.0).xz());
}

#[test]
fn a_position_over_the_mesh_keeps_its_plan_coordinates() {
    let mesh = navmesh(random_hilly(3, Vec3::new(0.1, 0.2, 0.3)));
    let mut chance = Chance(1);
    for _ in 0..100 {
        let polygon = random_polygon(&mesh, &mut chance);
        let point = point_in(&mesh, polygon, &mut chance);
        let found = mesh.nearest(point, &Reach::new(0.1, 0.1, 0.1)).unwrap();
        assert!(found.position.xz().distance(point.xz()) < 1e-4);
        let again = mesh.nearest(found.position, &Reach::new(0.1, 0.1, 0.1)).unwrap();
        assert_eq!(again, found);
    }
}

#[test]
fn a_filter_hides_polygons() {
    let mesh = navmesh(random_hilly(2, Vec3::ZERO));
    let filter = AreaFilter::default().without(AreaId(2));
    assert!(!filter.allows_area(AreaId(2)) && filter.allows_area(AreaId(255)));
    assert!(AreaFilter::only([AreaId(200)]).allows_area(AreaId(200)));
    let mut seen = 0;
    for view in mesh.polygons().filter(|view| view.area_id() == AreaId(2)) {
        let middle = view.positions().sum::<Vec3>() / view.corners().len() as f32;
        let found = mesh.nearest_with(middle, &Reach::INFINITE, &filter).unwrap();
        assert_eq!(mesh.polygon(found.polygon).unwrap().area_id(), AreaId::GROUND);
        seen += 1;
    }
    assert!(seen > 0);
    assert_eq!(mesh.nearest_with(Vec3::ZERO, &Reach::INFINITE, &AreaFilter::only([])), None);
}

#[test]
fn useless_questions_have_no_answer() {
    let mesh = navmesh(random_hilly(2, Vec3::ZERO));
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert_eq!(mesh.nearest(Vec3::new(bad, 0.0, 0.0), &Reach::INFINITE), None);
        assert!(!mesh.contains(PolyId(0), Vec3::new(0.0, 0.0, bad)));
    }
    assert_eq!(mesh.nearest(Vec3::ZERO, &Reach::new(f32::NAN, 1.0, 1.0)), None);
    assert_eq!(mesh.nearest(Vec3::ZERO, &Reach::new(1.0, -1.0, 1.0)), None);
    assert!(!mesh.contains(PolyId(u32::MAX), Vec3::ZERO));
    for far in [1e6, 1e12, 1e30, f32::MAX] {
        for position in [Vec3::splat(far), Vec3::new(-far, 0.0, 1.0), Vec3::new(1.0, far, 1.0)] {
            let found = mesh.nearest(position, &Reach::INFINITE).expect("an infinite reach finds something");
            assert!(mesh.contains(found.polygon, found.position));
            assert_eq!(mesh.nearest(position, &mesh.default_reach()), None);
        }
    }
}

#[test]
fn nearest_is_the_nearest_close_to_the_ground_and_in_a_crowd() {
    // Small differences in height: only polygons around the position count.
    for seed in 0..20 {
        let polygons = random_hilly(seed, Vec3::ZERO);
        let bumpy =
            NavMesh::new(polygons.clone(), Some(bumpy_surface(&polygons, 1.0)), Agent::default()).unwrap();
        for spread in [0.1, 0.5, 1.5] {
            compare(&bumpy, seed, &Reach::new(2.0, 4.0, 4.0), spread);
        }
    }
    // Slivers that meet in one point, and a large polygon next to them.
    let mesh = navmesh(fan(60));
    for spread in [0.0, 0.3, 4.0, 40.0] {
        compare(&mesh, 3, &Reach::new(5.0, 4.0, 4.0), spread);
        compare(&mesh, 4, &Reach::INFINITE, spread);
    }
}

/// A disc of `count` slivers round one vertex, and a long polygon next to it.
fn fan(count: i32) -> PolyMesh {
    let mut builder = Builder::default();
    let place = |number: i32| {
        let (sin, cos) = (f64::from(number % count) * std::f64::consts::TAU / f64::from(count)).sin_cos();
        let at = |part: f64| 500 + (400.0 * part).round() as i32;
        (at(cos), at(sin), (number % count % 7) as f32)
    };
    for number in 0..count {
        let [a, b] = [number, number + 1].map(place).map(|(x, z, height)| builder.vertex(x, z, 0, height));
        let middle = builder.vertex(500, 500, 0, 2.0);
        builder.polygon(vec![middle, a, b], AreaId::GROUND);
    }
    let beside = [(0, 0), (50, 0), (50, 1000), (0, 1000)].map(|(x, z)| builder.vertex(x, z, 1, 0.0));
    builder.polygon(beside.to_vec(), AreaId::GROUND);
    builder.build(frame(Vec3::ZERO))
}
