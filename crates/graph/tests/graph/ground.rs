//! Paths that follow the ground, and the shortest of them.

use glam::{DVec2, Vec3, Vec3Swizzles};
use waymesh_core::{AreaId, PolyId};
use waymesh_graph::{
    AreaCosts, AreaFilter, CorridorOptions, NavMesh, Outcome, Path, PathCorridor, PathOptions, PathSearch,
    PathSearcher, PolygonFilter, QueryError, QueryScratch, SlicedPath, TravelCost,
};

use crate::meshes::{Chance, frame, from_map, navmesh, random_map};
use crate::paths::{random_pair, without_touching_corners};

/// Bumps of some metres.
fn bumps(x: i32, z: i32) -> f32 {
    ((x * 7 + z * 13) % 23) as f32 * 0.6 + ((x * z) % 11) as f32 * 0.4
}

/// Height of the ground in the polygons of a path, the nearest to `at.y` of those that hold it.
fn ground(mesh: &NavMesh, polygons: &[PolyId], at: Vec3) -> f32 {
    let held = polygons.iter().filter(|&&polygon| mesh.contains(polygon, at));
    let heights = held.filter_map(|&polygon| mesh.height_in_polygon(polygon, at));
    heights.min_by(|a, b| (a - at.y).abs().total_cmp(&(b - at.y).abs())).unwrap_or(f32::NAN)
}

/// Length of the ground under a chain of points.
fn walked(mesh: &NavMesh, polygons: &[PolyId], points: &[Vec3], steps: u16) -> f32 {
    let mut sum = 0.0;
    for pair in points.windows(2) {
        let at = |step: u16| {
            let at = pair[0].lerp(pair[1], f32::from(step) / f32::from(steps));
            at.with_y(ground(mesh, polygons, at))
        };
        sum += (0..steps).map(|step| at(step).distance(at(step + 1))).filter(|d| d.is_finite()).sum::<f32>();
    }
    sum
}

fn plan_length(points: &[Vec3]) -> f32 {
    points.windows(2).map(|pair| pair[0].xz().distance(pair[1].xz())).sum()
}

fn check<F: PolygonFilter + Clone, C: TravelCost + Clone, S: PathSearcher<F, C> + Clone>(
    mesh: &NavMesh,
    [from, to]: [Vec3; 2],
    options: &PathOptions<F, C, S>,
    scratch: &mut QueryScratch,
) -> Option<Path> {
    let plain = mesh.query().options(options.clone()).memory(scratch).path(from, to).ok()?;
    // A distance is the length of the shortest path of a query with the same settings.
    for error in [None, Some(0.05)] {
        let mut options = options.clone().with_search(PathSearch::Shortest).with_allow_partial(false);
        (options.ground_error, options.cross_points) = (error, false);
        let mut query = mesh.query().options(options).memory(scratch);
        let length = query.path(from, to).map(|path| path.length);
        assert_eq!(query.distance(from, to), length, "{from} to {to}");
    }
    for error in [0.0, 0.05, 0.7] {
        let options = options.clone().with_ground_error(error);
        let path = mesh.query().options(options).memory(scratch).path(from, to).unwrap();
        assert_eq!((path.outcome, &path.polygons), (plain.outcome, &plain.polygons));
        assert_eq!(path.points.first(), plain.points.first());
        assert_eq!(path.points.last(), plain.points.last());
        assert!((plan_length(&path.points) - plan_length(&plain.points)).abs() < 1e-3);
        for pair in path.points.windows(2) {
            for share in 0_u8..=10 {
                let at = pair[0].lerp(pair[1], f32::from(share) / 10.0);
                let off = (ground(mesh, &path.polygons, at) - at.y).abs();
                assert!(
                    off <= error + 2e-3 || off.is_nan(),
                    "{off} m off the ground at {at}, {error}: {path:?}"
                );
            }
        }
        let length = walked(mesh, &path.polygons, &path.points, 200);
        assert!((path.length - length).abs() <= 0.01 * length + 1e-3, "{} is not {length}", path.length);
        assert!(path.length >= plain.length * (1.0 - 1e-5), "{} under {}", path.length, plain.length);
    }
    Some(plain)
}

#[test]
fn points_are_as_near_to_the_ground_as_asked_for() {
    let mut scratch = QueryScratch::default();
    let (mut bent, mut partial) = (0, 0);
    for seed in 0..30 {
        let map = random_map(seed, 8, 7, [0, 15, 30][(seed % 3) as usize]);
        let mesh = navmesh(from_map(&map, seed, frame(Vec3::new(100.0, -3.0, 50.0)), bumps));
        let mut chance = Chance(seed);
        for _ in 0..5 {
            let [(_, from), (_, to)] = random_pair(&mesh, &mut chance);
            let options = PathOptions::default();
            let costs = AreaCosts::default().with(AreaId(2), 3.0);
            let dry = AreaFilter::default().without(AreaId(2));
            let shortest = options.with_search(PathSearch::Shortest);
            let found = [
                check(&mesh, [from, to], &options, &mut scratch),
                check(&mesh, [from, to], &options.with_cross_points(true), &mut scratch),
                check(&mesh, [from, to], &options.with_cost(costs.clone()), &mut scratch),
                check(&mesh, [from, to], &shortest, &mut scratch),
                check(&mesh, [from, to], &shortest.with_filter(dry), &mut scratch),
                check(&mesh, [from, to], &shortest.with_rises(true), &mut scratch),
                check(&mesh, [from, to], &shortest.with_rises(true).with_cost(costs), &mut scratch),
            ];
            for path in found.into_iter().flatten() {
                partial += u32::from(matches!(path.outcome, Outcome::Partial { .. }));
                bent += u32::from(path.points.len() > 2);
            }
            // A corridor follows the ground, too.
            let options = options.with_ground_error(0.05);
            let path = mesh.query().options(options).memory(&mut scratch).path(from, to).unwrap();
            let mut corridor = PathCorridor::new(CorridorOptions::default().with_path(options));
            corridor.plan(&mesh, from, to, &mut scratch).unwrap();
            assert_eq!(corridor.path(), &path);
        }
    }
    assert!(bent > 200 && partial > 20, "{bent} {partial}");
    let options = PathOptions::default();
    let mesh = navmesh(from_map(&["..".to_owned()], 1, frame(Vec3::ZERO), bumps));
    for bad in [-1.0, f32::NAN] {
        let bad = options.with_ground_error(bad);
        let error = mesh.query().options(bad).memory(&mut scratch).path(Vec3::ONE, Vec3::ONE).unwrap_err();
        assert!(matches!(error, QueryError::BadField(_)), "{error}");
    }
}

/// Returns `true` if a line passes through the inside of a wall of a map, in squares of 4 m.
fn is_blocked(map: &[String], a: DVec2, b: DVec2) -> bool {
    let walkable = |x: i64, z: i64| {
        let row = usize::try_from(z).ok().and_then(|z| map.get(z));
        let square = row.and_then(|row| row.as_bytes().get(usize::try_from(x).ok()?));
        square.is_some_and(|&square| square != b'#')
    };
    // In small steps, clear of the borders: a line along a wall passes.
    let steps = 400;
    (0..=steps).any(|step| {
        let at = a.lerp(b, f64::from(step) / f64::from(steps));
        let beside = [-1e-4, 1e-4].map(|off| [(at.x + off).floor() as i64, (at.y + off).floor() as i64]);
        let [[x0, z0], [x1, z1]] = beside;
        ![(x0, z0), (x0, z1), (x1, z0), (x1, z1)].iter().any(|&(x, z)| walkable(x, z))
    })
}

#[test]
fn with_rises_no_path_from_corner_to_corner_is_shorter_on_the_ground() {
    let mut scratch = QueryScratch::default();
    let (mut saved, mut checked) = (0, 0);
    for seed in 0..24 {
        let map = without_touching_corners(random_map(seed, 6, 5, 25));
        let mesh = navmesh(from_map(&map, seed, frame(Vec3::ZERO), bumps));
        let all: Vec<PolyId> = mesh.polygon_ids().collect();
        let on_ground = |at: DVec2| {
            let at = Vec3::new(4.0 * at.x as f32, 0.0, 4.0 * at.y as f32);
            let polygon = all.iter().find(|&&polygon| mesh.contains(polygon, at))?;
            Some(at.with_y(mesh.height_in_polygon(*polygon, at)?))
        };
        let is_wall = |x: i32, z: i32| {
            let row = usize::try_from(z).ok().and_then(|z| map.get(z));
            row.and_then(|row| row.as_bytes().get(usize::try_from(x).ok()?))
                .is_none_or(|&square| square == b'#')
        };
        let corners: Vec<DVec2> = (0..=6)
            .flat_map(|x| (0..=5).map(move |z| (x, z)))
            .filter(|&(x, z)| {
                let around = [(x - 1, z - 1), (x, z - 1), (x - 1, z), (x, z)];
                around.iter().filter(|&&(x, z)| is_wall(x, z)).count() == 1
            })
            .map(|(x, z)| DVec2::new(f64::from(x), f64::from(z)))
            .collect();
        let mut chance = Chance(seed);
        for _ in 0..3 {
            let [(_, from), (_, to)] = random_pair(&mesh, &mut chance);
            let options = PathOptions::default().with_search(PathSearch::Shortest).with_ground_error(0.0);
            let in_plan = mesh.query().options(options).memory(&mut scratch).path(from, to).unwrap();
            let options = options.with_rises(true);
            let path = mesh.query().options(options).memory(&mut scratch).path(from, to).unwrap();
            assert_eq!(path.outcome, in_plan.outcome);
            if path.outcome != Outcome::Complete {
                continue;
            }
            assert!(path.length <= in_plan.length * (1.0 + 1e-5), "{} over {}", path.length, in_plan.length);
            let back = mesh.query().options(options).memory(&mut scratch).path(to, from).unwrap();
            assert!(
                (back.length - path.length).abs() <= 1e-4 * path.length,
                "{} {}",
                back.length,
                path.length
            );
            let mut sliced = SlicedPath::new(options);
            sliced.begin(&mesh, from, to).unwrap();
            while sliced.advance(&mesh, 7).unwrap().is_none() {}
            assert_eq!(sliced.path(), &path);
            // Dijkstra over the corners that see each other.
            let ends = [from, to].map(|end| DVec2::new(f64::from(end.x), f64::from(end.z)) / 4.0);
            let places: Vec<DVec2> = ends.into_iter().chain(corners.iter().copied()).collect();
            let mut best = vec![f32::INFINITY; places.len()];
            let mut done = vec![false; places.len()];
            best[0] = 0.0;
            while let Some(at) = (0..places.len())
                .filter(|&place| !done[place] && best[place].is_finite())
                .min_by(|&a, &b| best[a].total_cmp(&best[b]))
            {
                done[at] = true;
                for next in 0..places.len() {
                    if done[next] || is_blocked(&map, places[at], places[next]) {
                        continue;
                    }
                    let steps = 200;
                    let line = (0..=steps).map(|step| {
                        on_ground(places[at].lerp(places[next], f64::from(step) / f64::from(steps)))
                    });
                    let line: Vec<Vec3> = line.flatten().collect();
                    let length: f32 = line.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
                    best[next] = best[next].min(best[at] + length);
                }
            }
            assert!(
                (path.length - best[1]).abs() <= 0.01 * best[1] + 0.01,
                "seed {seed}: {} is not {}",
                path.length,
                best[1]
            );
            saved += u32::from(path.length < in_plan.length - 0.05);
            checked += 1;
        }
    }
    assert!(checked > 30 && saved > 1, "{checked} {saved}");
}
