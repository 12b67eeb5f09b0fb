//! Corners moved away from walls.

use crate::path_or_none;
use glam::{Vec3, Vec3Swizzles};
use waymesh_core::PolyId;
use waymesh_graph::{NavMesh, Path, QueryError, QueryScratch, TravelCost};

use crate::meshes::{Chance, frame, from_map, navmesh, point_in, random_flat, random_hilly, random_polygon};

/// Distance from a point of the plan to the nearest wall, by looking at all of them.
fn wall_distance(mesh: &NavMesh, at: Vec3) -> f32 {
    let mut nearest = f32::INFINITY;
    for polygon in mesh.polygons() {
        let corners: Vec<Vec3> = polygon.positions().collect();
        for (index, neighbour) in polygon.neighbours().enumerate() {
            if neighbour.is_none() {
                let (a, b) = (corners[index].xz(), corners[(index + 1) % corners.len()].xz());
                let along = ((at.xz() - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
                nearest = nearest.min(at.xz().distance(a + (b - a) * along));
            }
        }
    }
    nearest
}

/// `true` if a point lies on some polygon, by asking all, within a hair.
fn on_mesh(mesh: &NavMesh, at: Vec3) -> bool {
    mesh.polygons().any(|polygon| mesh.contains(polygon.id(), at)) || wall_distance(mesh, at) < 1e-4
}

#[test]
fn moved_corners_leave_the_walls_and_cross_none() {
    let mut chance = Chance(3);
    let (mut scratch, mut out) = (QueryScratch::default(), Path::default());
    let (mut corners, mut moved, mut full) = (0, 0, 0);
    for seed in 0..40 {
        let is_flat = seed % 2 == 0;
        let mesh = navmesh(if is_flat { random_flat(seed) } else { random_hilly(seed, Vec3::splat(100.0)) });
        for round in 0..15 {
            let [from, to] = [0, 1].map(|_| point_in(&mesh, random_polygon(&mesh, &mut chance), &mut chance));
            let path = if round % 2 == 0 {
                path_or_none(mesh.query().memory(&mut scratch).partial().path(from, to))
            } else {
                path_or_none(mesh.query().shortest().memory(&mut scratch).partial().path(from, to))
            };
            let distance = [0.1, 0.5, 1.5][round % 3];
            let count = mesh.query().offset_corners(&path, distance, &mut out).unwrap();
            assert_eq!(out.points.len(), path.points.len());
            assert_eq!((out.outcome, &out.links), (path.outcome, &path.links));
            assert_eq!((out.found_by, out.was_cut), (path.found_by, path.was_cut));
            if path.points.len() < 2 {
                continue;
            }
            assert_eq!(out.points[0], path.points[0]);
            assert_eq!(out.points.last(), path.points.last());
            assert_eq!(out.polygons[0], path.polygons[0]);
            assert_eq!(out.polygons.last(), path.polygons.last());
            let plan = |path: &Path| -> f32 {
                path.points.windows(2).map(|pair| pair[0].xz().distance(pair[1].xz())).sum()
            };
            let (before, after) = (plan(&path), plan(&out));
            assert!(after <= before + 2.0 * distance * count as f32 + 1e-3);
            let mut differ = 0;
            for (was, is) in path.points.iter().zip(&out.points) {
                let by = was.xz().distance(is.xz());
                assert!(by <= distance + 1e-4, "{by}");
                differ += usize::from(by > 0.0);
                if by > 0.0 {
                    assert!(wall_distance(&mesh, *is) > 0.0);
                    full += usize::from(by > distance - 1e-4);
                }
            }
            assert_eq!(differ, count);
            // Every leg stays on the mesh.
            if is_flat {
                for pair in out.points.windows(2) {
                    for step in 0..=40 {
                        assert!(on_mesh(&mesh, pair[0].lerp(pair[1], step as f32 / 40.0)), "seed {seed}");
                    }
                }
            }
            // Polygons in succession meet.
            for pair in out.polygons.windows(2) {
                let [a, b] = [pair[0], pair[1]].map(|polygon| mesh.polygon(polygon).unwrap());
                let touch = a.corners().iter().any(|corner| b.corners().contains(corner));
                assert!(touch, "seed {seed}: {pair:?}");
            }
            corners += path.points.len() - 2;
            moved += count;
        }
    }
    eprintln!("{corners} corners, {moved} moved, {full} all the way");
    assert!(moved * 20 > corners * 17 && full * 3 > corners, "{moved} {full} of {corners}");
}

/// Costs a metre that differ from polygon to polygon.
struct Rough;

impl TravelCost for Rough {
    fn per_metre(&self, _mesh: &NavMesh, polygon: PolyId) -> f32 {
        [1.0, 3.0, 0.5, 7.0][polygon.index() % 4]
    }
}

/// Returns the least and the most that a chain of points on flat ground may cost, from many places
/// along it: those on an edge between two polygons may count for either.
fn walked(mesh: &NavMesh, points: &[Vec3]) -> [f32; 2] {
    const PLACES: u16 = 400;
    let mut sums = [0.0; 2];
    for pair in points.windows(2) {
        let length = pair[0].distance(pair[1]);
        let aside = 1e-3 * (pair[1] - pair[0]).cross(Vec3::Y).normalize();
        for place in 0..PLACES {
            let at = pair[0].lerp(pair[1], (f32::from(place) + 0.5) / f32::from(PLACES));
            let costs = [-aside, Vec3::ZERO, aside].map(|aside| {
                let place = mesh.nearest(at + aside, &mesh.default_reach()).unwrap();
                Rough.per_metre(mesh, place.polygon) * length / f32::from(PLACES)
            });
            sums[0] += costs.iter().copied().fold(f32::INFINITY, f32::min);
            sums[1] += costs.iter().copied().fold(0.0, f32::max);
        }
    }
    sums
}

#[test]
fn a_moved_path_costs_what_the_ground_costs_that_it_passes() {
    let mut chance = Chance(5);
    let (mut out, mut moved, mut differ) = (Path::default(), 0, 0);
    for seed in 0..40 {
        let mesh = navmesh(random_flat(seed));
        for _ in 0..10 {
            let [from, to] = [0, 1].map(|_| point_in(&mesh, random_polygon(&mesh, &mut chance), &mut chance));
            let mut query = mesh.query().costs(Rough);
            let path = path_or_none(query.path(from, to));
            if query.offset_corners(&path, 0.8, &mut out).unwrap() == 0 {
                continue;
            }
            for path in [&path, &out] {
                let [least, most] = walked(&mesh, &path.points);
                let is_between = (0.99 * least..=1.01 * most).contains(&path.cost);
                assert!(is_between, "seed {seed}: {least} to {most}, not {}", path.cost);
                moved += usize::from(most < 1.02 * least);
            }
            let metres = out.length - path.length;
            differ += usize::from((out.cost - path.cost - metres).abs() > 0.05 * path.cost);
        }
    }
    assert!(moved > 100 && differ > 20, "{moved} {differ}");
}

#[test]
fn in_a_passage_a_corner_moves_to_the_middle() {
    // Squares of 4 m.
    let map = ["..#".to_owned(), "#..".to_owned()];
    let mesh = navmesh(from_map(&map, 1, frame(Vec3::ZERO), |_, _| 0.0));
    let mut scratch = QueryScratch::default();
    let path = path_or_none(
        mesh.query().memory(&mut scratch).partial().path(Vec3::new(1.0, 0.0, 3.5), Vec3::new(4.5, 0.0, 7.0)),
    );
    assert_eq!(path.points[1], Vec3::new(4.0, 0.0, 4.0));
    let mut out = Path::default();
    let count = mesh.query().offset_corners(&path, 100.0, &mut out).unwrap();
    // Halfway from the corner at (4, 4) to the wall at z = 0, across.
    assert_eq!(count, 1);
    assert!((out.points[1] - Vec3::new(6.0, 0.0, 2.0)).length() < 1e-3, "{:?}", out.points);
    // Nothing moves by nothing.
    assert_eq!(mesh.query().offset_corners(&path, 0.0, &mut out).unwrap(), 0);
    assert_eq!(out, path);
}

#[test]
fn what_is_no_use_is_an_error() {
    let mesh = navmesh(random_flat(2));
    let mut chance = Chance(2);
    let [from, to] = [0, 1].map(|_| point_in(&mesh, random_polygon(&mesh, &mut chance), &mut chance));
    let path = path_or_none(mesh.query().partial().path(from, to));
    let mut out = Path::default();
    for distance in [f32::NAN, -1.0] {
        let error = mesh.query().offset_corners(&path, distance, &mut out).unwrap_err();
        assert!(matches!(error, QueryError::BadField(_)));
    }
    let mut bad = path.clone();
    bad.polygons[0] = PolyId(1 << 30);
    let error = mesh.query().offset_corners(&bad, 1.0, &mut out).unwrap_err();
    assert_eq!(error, QueryError::NoPolygon { polygon: PolyId(1 << 30) });
    let mut bad = path.clone();
    bad.points[0].x = f32::NAN;
    assert!(mesh.query().offset_corners(&bad, 1.0, &mut out).is_err());
    assert_eq!(mesh.query().offset_corners(&Path::default(), 1.0, &mut out).unwrap(), 0);
    // However far, it stays where it can see.
    mesh.query().offset_corners(&path, f32::MAX, &mut out).unwrap();
    assert!(out.points.iter().all(|&point| on_mesh(&mesh, point)));
}
