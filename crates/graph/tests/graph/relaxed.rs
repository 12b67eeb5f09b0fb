//! Paths through nearly convex polygons.

use std::collections::BTreeMap;

use glam::{DVec2, Vec3};
use waymesh_core::{AreaId, PolyId};
use waymesh_graph::{
    AreaCosts, AreaFilter, FlagFilter, FlagTable, NavMesh, Outcome, PathOptions, PathSearch, QueryScratch,
    RelaxedPolygons,
};

use crate::AnyFilter;
use crate::corridor::check;
use crate::meshes::{Chance, frame, from_map, navmesh, point_in, random_flat, random_map, random_polygon};
use crate::paths::shortest_in_corridor;
use crate::sliced::linked;

/// Rooms of 4 m with walls by chance.
fn rooms(seed: u64) -> NavMesh {
    let map = random_map(seed, 24, 20, [10, 20, 28][(seed % 3) as usize]);
    navmesh(from_map(&map, seed, frame(Vec3::ZERO), |_, _| 0.0))
}

/// The corners of the polygons of a group, in plan.
fn corners(mesh: &NavMesh, polygons: &[PolyId]) -> Vec<DVec2> {
    polygons
        .iter()
        .flat_map(|&polygon| mesh.polygon(polygon).unwrap().positions().collect::<Vec<_>>())
        .map(|corner| DVec2::new(f64::from(corner.x), f64::from(corner.z)))
        .collect()
}

/// Returns `true` if all points lie on one side of the line through two of them.
fn is_side(points: &[DVec2], a: DVec2, b: DVec2) -> bool {
    a != b && points.iter().all(|&point| (b - a).perp_dot(point - a) >= -1e-9)
}

#[test]
fn groups_are_trees_of_polygons_that_are_nearly_convex() {
    let mut largest = 0;
    for seed in 0..9 {
        let mesh = rooms(seed);
        let mut before = mesh.polygon_count();
        for distance in [0.0, 0.5, 2.0, 5.0] {
            let relaxed = RelaxedPolygons::new(&mesh, distance).unwrap();
            assert!(relaxed.len() <= before, "{distance} m: {} groups, {before} before", relaxed.len());
            before = relaxed.len();
            let mut groups: BTreeMap<u32, Vec<PolyId>> = BTreeMap::new();
            for polygon in mesh.polygons() {
                groups.entry(relaxed.group_of(polygon.id()).unwrap()).or_default().push(polygon.id());
            }
            assert_eq!(groups.len(), relaxed.len());
            for polygons in groups.values() {
                largest = largest.max(polygons.len());
                // The number of edges between polygons is that of a tree.
                let inner = polygons.iter().flat_map(|&p| mesh.polygon(p).unwrap().neighbours());
                let inner = inner.flatten().filter(|other| polygons.contains(other)).count();
                assert_eq!(inner, 2 * (polygons.len() - 1));
                // Every corner is near some edge of the hull.
                let points = corners(&mesh, polygons);
                let hull: Vec<[DVec2; 2]> = points
                    .iter()
                    .flat_map(|&a| points.iter().map(move |&b| [a, b]))
                    .filter(|&[a, b]| is_side(&points, a, b))
                    .collect();
                for &point in &points {
                    let nearest = hull.iter().map(|&[a, b]| {
                        let along = ((point - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
                        point.distance(a.lerp(b, along))
                    });
                    assert!(nearest.fold(f64::INFINITY, f64::min) <= f64::from(distance) + 1e-6);
                }
            }
        }
    }
    assert!(largest > 5, "{largest}");
}

#[test]
fn a_path_leads_where_a_plain_one_leads_and_is_little_longer() {
    let (mut chance, mut scratch) = (Chance(5), QueryScratch::default());
    let (mut sum, mut worst, mut count) = (0.0, 0.0_f32, 0_u16);
    for seed in 0..30 {
        let mesh = match seed % 3 {
            0 => rooms(seed),
            1 => linked(seed),
            _ => navmesh(random_flat(seed)),
        };
        let costs = AreaCosts::default().with(AreaId(2), 3.0);
        let dry = AreaFilter::default().without(AreaId(2));
        for distance in [0.0, 1.0, 4.0] {
            let relaxed = RelaxedPolygons::new(&mesh, distance).unwrap();
            for _ in 0..20 {
                let [from, to] =
                    [0, 1].map(|_| point_in(&mesh, random_polygon(&mesh, &mut chance), &mut chance));
                macro_rules! compare {
                    ($options:expr) => {{
                        let options = $options;
                        let plain = mesh.query().options(options.clone()).memory(&mut scratch).path(from, to);
                        let path = mesh
                            .query()
                            .options(options.with_search(&relaxed))
                            .memory(&mut scratch)
                            .path(from, to);
                        assert_eq!(path.is_ok(), plain.is_ok());
                        let (Ok(path), Ok(plain)) = (path, plain) else { continue };
                        assert_eq!(path.outcome, plain.outcome);
                        assert_eq!(
                            (path.points.first(), path.points.last()),
                            (plain.points.first(), plain.points.last())
                        );
                        path
                    }};
                }
                compare!(PathOptions::default().with_cost(costs.clone()));
                let filtered = compare!(PathOptions::default().with_filter(dry));
                let path = compare!(PathOptions::default());
                for path in [&filtered, &path].into_iter().filter(|path| path.outcome != Outcome::Unreachable)
                {
                    check(&mesh, path);
                }
                // Flat ground, so that lengths are those of the plan.
                if seed % 3 != 1 && path.outcome == Outcome::Complete {
                    assert!((f64::from(path.length) - shortest_in_corridor(&mesh, &path)).abs() < 1e-3);
                    let options = PathOptions::default().with_search(PathSearch::Shortest);
                    let exact = mesh.query().options(options).memory(&mut scratch).path(from, to).unwrap();
                    assert!(path.length >= exact.length - 1e-3);
                    let ratio = path.length / exact.length.max(0.1);
                    (sum, count, worst) = (sum + ratio, count + 1, worst.max(ratio));
                }
            }
        }
    }
    let mean = sum / f32::from(count);
    assert!(count > 500 && mean < 1.02 && worst < 1.6, "{count} paths, {mean:.4} mean, {worst:.3} at worst");
}

#[test]
fn a_polygon_closed_inside_of_a_group_is_gone_round() {
    let (mut chance, mut scratch) = (Chance(3), QueryScratch::default());
    let mut closed = 0;
    for seed in 0..20 {
        let mesh = rooms(seed);
        let relaxed = RelaxedPolygons::new(&mesh, 3.0).unwrap();
        for _ in 0..30 {
            let [from, to] = [0, 1].map(|_| point_in(&mesh, random_polygon(&mesh, &mut chance), &mut chance));
            let options = PathOptions::default();
            let path = mesh
                .query()
                .options(options.with_search(&relaxed))
                .memory(&mut scratch)
                .path(from, to)
                .unwrap();
            let [_, inner @ .., _] = &path.polygons[..] else { continue };
            let Some(&door) = inner.get(inner.len() / 2) else { continue };
            let mut flags = vec![1; mesh.polygon_count()];
            flags[door.index()] = 0;
            let filter = FlagFilter { flags: FlagTable::from(flags), include: 1, exclude: 0 };
            let options = PathOptions::default().with_filter(&filter as AnyFilter);
            let plain = mesh.query().options(options).memory(&mut scratch).path(from, to).unwrap();
            let path = mesh
                .query()
                .options(options.with_search(&relaxed))
                .memory(&mut scratch)
                .path(from, to)
                .unwrap();
            assert_eq!(path.outcome, plain.outcome);
            assert!(!path.polygons.contains(&door));
            closed += 1;
        }
    }
    assert!(closed > 100, "{closed}");
}

#[test]
fn another_mesh_is_searched_without() {
    let (one, other) = (rooms(1), rooms(2));
    let relaxed = RelaxedPolygons::new(&one, 2.0).unwrap();
    let (mut chance, mut scratch) = (Chance(1), QueryScratch::default());
    for _ in 0..50 {
        let [from, to] = [0, 1].map(|_| point_in(&other, random_polygon(&other, &mut chance), &mut chance));
        let options = PathOptions::default();
        let plain = other.query().options(options).memory(&mut scratch).path(from, to).unwrap();
        assert_eq!(
            other.query().options(options.with_search(&relaxed)).memory(&mut scratch).path(from, to).unwrap(),
            plain
        );
    }
}

#[test]
fn a_bad_distance_is_an_error_that_names_it() {
    for distance in [-0.1, f32::NAN, f32::INFINITY] {
        let error = RelaxedPolygons::new(&rooms(0), distance).unwrap_err();
        assert!(error.to_string().contains("distance"), "{error}");
    }
}
