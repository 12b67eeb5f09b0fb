//! Paths.

use std::collections::VecDeque;

use crate::{AnyFilter, path_or_none};
use glam::{DVec2, Vec3, Vec3Swizzles};
use waymesh_core::{Agent, AreaId, BadField, PolyId};
use waymesh_graph::{
    AnyPolygon, AreaFilter, CorridorOptions, NavMesh, NoPath, Outcome, Path, PathCorridor, PathEnd,
    PathOptions, PathSearch, PolygonFilter, QueryError, QueryScratch, Reach, SlicedPath,
};

use crate::meshes::{
    Builder, Chance, bumpy_surface, frame, from_map, navmesh, point_in, random_flat, random_hilly,
    random_map, random_polygon, spiral,
};

fn plan(position: Vec3) -> DVec2 {
    position.as_dvec3().xz()
}

/// Returns the polygons that can be reached from one.
fn flood(mesh: &NavMesh, start: PolyId, allows: impl Fn(PolyId) -> bool) -> Vec<bool> {
    let mut seen = vec![false; mesh.polygon_count()];
    let mut queue = VecDeque::from([start]);
    seen[start.index()] = true;
    while let Some(polygon) = queue.pop_front() {
        for neighbour in mesh.polygon(polygon).unwrap().neighbours().flatten() {
            if allows(neighbour) && !std::mem::replace(&mut seen[neighbour.index()], true) {
                queue.push_back(neighbour);
            }
        }
    }
    seen
}

/// The edge between two polygons in succession, right end first.
fn portal(mesh: &NavMesh, from: PolyId, to: PolyId) -> Vec<[DVec2; 2]> {
    let view = mesh.polygon(from).unwrap();
    let corners: Vec<DVec2> = view.positions().map(plan).collect();
    view.neighbours()
        .enumerate()
        .filter(|(_, neighbour)| *neighbour == Some(to))
        .map(|(index, _)| [corners[index], corners[(index + 1) % corners.len()]])
        .collect()
}

/// The shortest way through the edges between the polygons of a path, found by trying all pairs of
/// their ends.
pub(crate) fn shortest_in_corridor(mesh: &NavMesh, path: &Path) -> f64 {
    let (start, goal) = (plan(path.points[0]), plan(path.points[path.points.len() - 1]));
    let portals: Vec<[DVec2; 2]> =
        path.polygons.windows(2).map(|pair| portal(mesh, pair[0], pair[1])[0]).collect();
    // Points with the number of edges crossed before them; the way from one to a later one must cross
    // all edges between.
    let mut points = vec![(start, 0, 0.0)];
    for (index, ends) in portals.iter().enumerate() {
        points.extend(ends.map(|end| (end, index, f64::INFINITY)));
    }
    points.push((goal, portals.len(), f64::INFINITY));
    for to in 1..points.len() {
        for from in 0..to {
            let ((a, first, cost), (b, last, best)) = (points[from], points[to]);
            let crosses = portals[first..last].iter().all(|&[right, left]| {
                let edge = left - right;
                edge.perp_dot(a - right) >= -1e-9
                    && edge.perp_dot(b - right) <= 1e-9
                    && (b - a).perp_dot(right - a) <= 1e-9
                    && (b - a).perp_dot(left - a) >= -1e-9
            });
            if crosses && cost + a.distance(b) < best {
                points[to].2 = cost + a.distance(b);
            }
        }
    }
    points[points.len() - 1].2
}

/// `true` if the segment lies in the union of some polygons.
fn covered(mesh: &NavMesh, polygons: impl Iterator<Item = PolyId>, a: DVec2, b: DVec2) -> bool {
    let mut spans: Vec<(f64, f64)> = polygons
        .filter_map(|polygon| {
            let corners: Vec<DVec2> = mesh.polygon(polygon).unwrap().positions().map(plan).collect();
            let (mut low, mut high) = (0.0_f64, 1.0_f64);
            for (index, &from) in corners.iter().enumerate() {
                let along = (corners[(index + 1) % corners.len()] - from).normalize();
                let (at, step) = (along.perp_dot(a - from) + 1e-5, along.perp_dot(b - a));
                if step.abs() < 1e-12 {
                    if at < 0.0 {
                        return None;
                    }
                } else if step > 0.0 {
                    low = low.max(-at / step);
                } else {
                    high = high.min(-at / step);
                }
            }
            (low <= high).then_some((low, high))
        })
        .collect();
    spans.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut end = 0.0;
    for (low, high) in spans {
        if low > end + 1e-6 {
            return false;
        }
        end = end.max(high);
    }
    end >= 1.0 - 1e-6
}

/// A lower bound of the length of all ways: the shortest over straight lines between vertices that
/// stay on the mesh.
fn visibility_bound(mesh: &NavMesh, from: Vec3, to: Vec3) -> f64 {
    let mut points = vec![plan(from), plan(to)];
    points.extend(mesh.vertices().iter().map(|&vertex| plan(vertex)));
    let mut cost = vec![f64::INFINITY; points.len()];
    let mut done = vec![false; points.len()];
    cost[0] = 0.0;
    loop {
        let next = (0..points.len())
            .filter(|&point| !done[point] && cost[point].is_finite())
            .min_by(|&a, &b| cost[a].total_cmp(&cost[b]));
        let Some(next) = next else { return f64::INFINITY };
        if next == 1 {
            return cost[1];
        }
        done[next] = true;
        for other in 0..points.len() {
            let through = cost[next] + points[next].distance(points[other]);
            if !done[other]
                && through < cost[other]
                && covered(mesh, mesh.polygons().map(|view| view.id()), points[next], points[other])
            {
                cost[other] = through;
            }
        }
    }
}

/// Opens the wall wherever two squares touch only in a corner: a straight line could slip through
/// there.
pub(crate) fn without_touching_corners(map: Vec<String>) -> Vec<String> {
    let mut rows: Vec<Vec<u8>> = map.into_iter().map(String::into_bytes).collect();
    loop {
        let mut changed = false;
        for z in 1..rows.len() {
            for x in 1..rows[0].len() {
                let wall = |x: usize, z: usize| rows[z][x] == b'#';
                let slips = wall(x, z) == wall(x - 1, z - 1)
                    && wall(x - 1, z) == wall(x, z - 1)
                    && wall(x, z) != wall(x - 1, z);
                if slips {
                    rows[z][x] = b'.';
                    rows[z][x - 1] = b'.';
                    changed = true;
                }
            }
        }
        if !changed {
            return rows.into_iter().map(|row| String::from_utf8(row).unwrap()).collect();
        }
    }
}

pub(crate) fn check_shape(mesh: &NavMesh, path: &Path) {
    for pair in path.polygons.windows(2) {
        let view = mesh.polygon(pair[0]).unwrap();
        assert!(
            view.neighbours().any(|neighbour| neighbour == Some(pair[1])),
            "polygons in succession touch"
        );
    }
    for pair in path.points.windows(2) {
        assert!(pair[0].xz() != pair[1].xz());
        assert!(
            covered(mesh, path.polygons.iter().copied(), plan(pair[0]), plan(pair[1])),
            "stays in its polygons"
        );
    }
    for &point in &path.points {
        let on_ground = path.polygons.iter().any(|&polygon| {
            mesh.contains(polygon, point)
                && (mesh.height_in_polygon(polygon, point).unwrap() - point.y).abs() < 1e-3
        });
        assert!(on_ground, "{point} lies on the ground");
    }
    let length: f32 = path.points.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    assert!((length - path.length).abs() <= 1e-4 * (1.0 + length));
}

pub(crate) fn random_pair(mesh: &NavMesh, chance: &mut Chance) -> [(PolyId, Vec3); 2] {
    [(); 2].map(|()| {
        let polygon = random_polygon(mesh, chance);
        // Also exactly on corners.
        let point = if chance.one_in(4) {
            let view = mesh.polygon(polygon).unwrap();
            view.positions().nth(chance.below(view.corners().len())).unwrap()
        } else {
            point_in(mesh, polygon, chance)
        };
        (polygon, point)
    })
}

/// The polygons at a position: a vertex may touch several islands, and is on each of them.
pub(crate) fn placed(mesh: &NavMesh, position: Vec3, filter: &impl PolygonFilter) -> Vec<PolyId> {
    let at = mesh.nearest_with(position, &mesh.default_reach(), filter).unwrap().position;
    let mut found = Vec::new();
    mesh.polygons_in_circle(at, &Reach::new(0.0, 0.05, 0.05), filter, &mut found);
    found
}

/// Returns `true` if a polygon at one position is connected with one at the other.
fn is_joined(mesh: &NavMesh, [from, to]: [Vec3; 2], filter: &impl PolygonFilter) -> bool {
    let goals = placed(mesh, to, filter);
    placed(mesh, from, filter).into_iter().any(|start| {
        let reached = flood(mesh, start, |polygon| filter.allows(mesh, polygon));
        goals.iter().any(|goal| reached[goal.index()])
    })
}

/// Every polygon but these.
struct Without<'a>(&'a [PolyId]);

impl PolygonFilter for Without<'_> {
    fn allows(&self, _mesh: &NavMesh, polygon: PolyId) -> bool {
        !self.0.contains(&polygon)
    }
}

/// The polygons that a search visited are connected, hold the path, and grow in number with what
/// must be searched.
#[test]
fn a_search_tells_what_it_looked_into() {
    let (mut scratch, fresh) = (QueryScratch::default(), QueryScratch::default());
    let (mut straight, mut partly, mut all) = (0, 0, 0);
    for seed in 0..60 {
        let mesh = navmesh(random_flat(seed));
        assert_eq!(fresh.searched_polygons(&mesh), []);
        let other = navmesh(random_flat(seed + 1));
        let mut chance = Chance(seed);
        for turn in 0..20 {
            let search = if turn % 2 == 0 { PathSearch::Fast } else { PathSearch::Shortest };
            let [(_, from), (_, to)] = random_pair(&mesh, &mut chance);
            let options = PathOptions::default().with_search(search).with_allow_partial(false);
            let path = path_or_none(mesh.query().options(options).memory(&mut scratch).path(from, to));
            if path.outcome != Outcome::Complete {
                continue;
            }
            let searched = scratch.searched_polygons(&mesh);
            assert!(searched.is_sorted_by(|one, next| one < next));
            assert!(path.polygons.iter().all(|polygon| searched.contains(polygon)));
            let is_searched = |polygon: PolyId| searched.contains(&polygon);
            let joined = flood(&mesh, path.polygons[0], is_searched);
            assert!(searched.iter().all(|polygon| joined[polygon.index()]), "{searched:?}");
            straight += usize::from(path.points.len() == 2 && searched.len() == path.polygons.len());
            partly += usize::from(searched.len() > path.polygons.len());
            all += usize::from(searched.len() == mesh.polygon_count());
            assert_eq!(scratch.searched_polygons(&other), []);
            // Without a way nothing is searched but what can be reached.
            let goal = *path.polygons.last().unwrap();
            let ring: Vec<PolyId> = mesh.polygon(goal).unwrap().neighbours().flatten().collect();
            let start = path.polygons[0];
            if start == goal || ring.contains(&start) {
                continue;
            }
            let without = Without(&ring);
            let options = options.with_filter(&without as AnyFilter);
            if is_joined(&mesh, [from, to], &without) {
                // Ground that touches the goal's corner is not closed.
                continue;
            }
            let path = path_or_none(mesh.query().options(options).memory(&mut scratch).path(from, to));
            assert_eq!(path.outcome, Outcome::Unreachable);
            let searched = scratch.searched_polygons(&mesh);
            let reached = flood(&mesh, searched[0], |polygon| !ring.contains(&polygon));
            assert!(searched.iter().all(|polygon| reached[polygon.index()]));
        }
    }
    assert!(straight > 50 && partly > 100 && all < 600, "{straight} {partly} {all}");
}

#[test]
fn a_path_is_complete_exactly_where_a_flood_gets_to_and_is_the_shortest_in_its_corridor() {
    let mut scratch = QueryScratch::default();
    let (mut complete, mut other) = (0, 0);
    for seed in 0..150 {
        let mesh = navmesh(random_flat(seed));
        let mut chance = Chance(seed);
        for _ in 0..60 {
            let [(_, from), (_, to)] = random_pair(&mesh, &mut chance);
            let reached = is_joined(&mesh, [from, to], &AnyPolygon);
            let path = path_or_none(mesh.query().memory(&mut scratch).partial().path(from, to));
            assert_eq!(path.outcome == Outcome::Complete, reached);
            check_shape(&mesh, &path);
            let back = path_or_none(mesh.query().memory(&mut scratch).partial().path(to, from));
            assert_eq!(back.outcome == Outcome::Complete, reached);
            if !reached {
                other += 1;
                continue;
            }
            complete += 1;
            assert!(path.points[0].distance(from) < 1e-4);
            assert!(path.points[path.points.len() - 1].distance(to) < 1e-4);
            let exact = shortest_in_corridor(&mesh, &path);
            assert!(
                (f64::from(path.length) - exact).abs() <= 1e-4 * (1.0 + exact),
                "{} is not {exact}",
                path.length
            );
        }
    }
    assert!(complete > 500 && other > 100, "{complete} complete, {other} other");
}

#[test]
fn no_path_is_shorter_than_the_shortest_and_few_are_much_longer() {
    let mut scratch = QueryScratch::default();
    let (mut sum, mut count, mut worst) = (0.0, 0, 1.0_f64);
    for seed in 0..40 {
        let map = without_touching_corners(random_map(seed, 8, 8, 25));
        let mesh = navmesh(from_map(&map, seed, frame(Vec3::ZERO), |_, _| 0.0));
        let mut chance = Chance(seed);
        for _ in 0..12 {
            let [(_, from), (_, to)] = random_pair(&mesh, &mut chance);
            let path = path_or_none(mesh.query().memory(&mut scratch).partial().path(from, to));
            if path.outcome != Outcome::Complete || path.length < 0.1 {
                continue;
            }
            let bound = visibility_bound(&mesh, from, to);
            assert!(f64::from(path.length) >= bound - 1e-3, "{} is below {bound}", path.length);
            let ratio = f64::from(path.length) / bound;
            (sum, count, worst) = (sum + ratio, count + 1, worst.max(ratio));
        }
    }
    let mean = sum / f64::from(count);
    eprintln!("{count} paths: {mean:.4} times the bound in the mean, {worst:.3} at worst");
    assert!(count > 60 && mean < 1.02 && worst < 1.3, "{count} paths, mean {mean}, worst {worst}");
}

#[test]
fn paths_over_hills_lie_on_the_ground_and_cross_points_follow_it() {
    let mut scratch = QueryScratch::default();
    for seed in 0..10 {
        let polygons = random_hilly(seed, Vec3::new(0.1, 5.0, -20.0));
        let surface = (seed % 2 == 0).then(|| bumpy_surface(&polygons, 0.8));
        let mesh = NavMesh::new(polygons, surface, Agent::default()).unwrap();
        let mut chance = Chance(seed);
        for _ in 0..40 {
            let [(_, from), (_, to)] = random_pair(&mesh, &mut chance);
            let path = path_or_none(mesh.query().memory(&mut scratch).partial().path(from, to));
            check_shape(&mesh, &path);
            let options = PathOptions::default().with_cross_points(true);
            let crossing = path_or_none(mesh.query().options(options).memory(&mut scratch).path(from, to));
            check_shape(&mesh, &crossing);
            assert_eq!(crossing.polygons, path.polygons);
            // The same way in plan, with more points.
            let length = |path: &Path| -> f64 {
                path.points.windows(2).map(|pair| plan(pair[0]).distance(plan(pair[1]))).sum()
            };
            assert!((length(&crossing) - length(&path)).abs() < 1e-3);
            assert!(crossing.length >= path.length - 1e-3);
            assert!(crossing.points.len() >= path.points.len());
        }
    }
}

#[test]
fn a_path_winds_up_a_spiral_over_itself() {
    let mesh = navmesh(spiral(4, 1.0));
    let mut scratch = QueryScratch::default();
    let middle = |polygon: u32| {
        let view = mesh.polygon(PolyId(polygon)).unwrap();
        view.positions().sum::<Vec3>() / 4.0
    };
    let reach = Reach::new(0.1, 0.3, 0.3);
    let options = PathOptions::default().with_reach(reach);
    let path = path_or_none(mesh.query().options(options).memory(&mut scratch).path(middle(1), middle(62)));
    assert_eq!(path.outcome, Outcome::Complete);
    assert!(path.polygons.iter().copied().eq((1..=62).map(PolyId)));
    check_shape(&mesh, &path);
    assert!(path.points.windows(2).all(|pair| pair[1].y > pair[0].y));
    let down = path_or_none(mesh.query().options(options).memory(&mut scratch).path(middle(62), middle(1)));
    assert!((down.length - path.length).abs() < 1e-3);
    // One turn up and straight above: the whole way round.
    let over = path_or_none(mesh.query().options(options).memory(&mut scratch).path(middle(5), middle(21)));
    assert_eq!(over.polygons.len(), 17);
    assert!(over.length > 20.0);
}

#[test]
fn a_path_around_one_corner_is_exact() {
    let map = ["..".to_owned(), ".#".to_owned()];
    let mesh = navmesh(from_map(&map, 1, frame(Vec3::ZERO), |_, _| 0.0));
    let mut scratch = QueryScratch::default();
    let (from, to) = (Vec3::new(3.0, 0.0, 7.0), Vec3::new(7.0, 0.0, 3.0));
    let path = path_or_none(mesh.query().memory(&mut scratch).partial().path(from, to));
    assert_eq!(path.points, [from, Vec3::new(4.0, 0.0, 4.0), to]);
    assert!((path.length - 2.0 * 10.0_f32.sqrt()).abs() < 1e-5);
    // Touching the corner and staying on one wall needs no turn.
    let along = path_or_none(
        mesh.query().memory(&mut scratch).partial().path(Vec3::new(4.0, 0.0, 8.0), Vec3::new(4.0, 0.0, 0.5)),
    );
    assert_eq!(along.points.len(), 2);
}

#[test]
fn start_and_goal_may_be_one_point() {
    let mut scratch = QueryScratch::default();
    for seed in 0..5 {
        let mesh = navmesh(random_flat(seed));
        for &vertex in mesh.vertices() {
            let path = path_or_none(mesh.query().memory(&mut scratch).partial().path(vertex, vertex));
            assert_eq!((path.outcome, path.points.len(), path.polygons.len()), (Outcome::Complete, 1, 1));
            assert!(path.length.to_bits() == 0);
        }
    }
}

/// A start where pieces of ground touch is on each of them.
#[test]
fn a_partial_path_begins_on_the_piece_that_comes_nearest_to_the_goal() {
    let mut scratch = QueryScratch::default();
    // Two pieces that touch in a corner, and the goal beyond the second.
    let map = ["..#####", "##..#.#", "#######"];
    for (mirror_x, mirror_z) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut rows: Vec<String> = map.map(str::to_owned).to_vec();
        if mirror_z {
            rows.reverse();
        }
        if mirror_x {
            rows.iter_mut().for_each(|row| *row = row.chars().rev().collect());
        }
        let mesh = navmesh(from_map(&rows, 7, frame(Vec3::ZERO), |_, _| 0.0));
        let at = |x: f32, z: f32| {
            Vec3::new(if mirror_x { 28.0 - x } else { x }, 0.0, if mirror_z { 12.0 - z } else { z })
        };
        let (from, to, end) = (at(8.0, 4.0), at(22.0, 6.0), at(16.0, 6.0));
        let expected = Outcome::Partial { reached: end };
        let any = PathOptions::default();
        for search in [PathSearch::Fast, PathSearch::Shortest] {
            // A filter makes it flood.
            let filtered = any.with_filter(AreaFilter::default().without(AreaId(9))).with_search(search);
            let path = mesh.query().options(filtered).memory(&mut scratch).path(from, to).unwrap();
            check_shape(&mesh, &path);
            let plain = mesh.query().options(any.with_search(search)).path(from, to).unwrap();
            assert_eq!((&path, path.outcome), (&plain, expected), "{mirror_x} {mirror_z} {search:?}");
            let mut sliced = SlicedPath::new(filtered);
            sliced.begin(&mesh, from, to).unwrap();
            while sliced.advance(&mesh, 1).unwrap().is_none() {}
            assert_eq!(sliced.path(), &path);
            let mut corridor = PathCorridor::new(CorridorOptions::default().with_path(filtered));
            corridor.plan(&mesh, from, to, &mut scratch).unwrap();
            assert_eq!(corridor.path(), &path);
        }
        let nearest = match mesh.path(from, to) {
            Err(QueryError::Unreachable { nearest, cause: NoPath::Apart, .. }) => nearest,
            other => panic!("{other:?}"),
        };
        assert_eq!(nearest, Some(end));
    }
}

#[test]
fn between_islands_the_path_leads_as_close_as_there_is_a_way() {
    let map = ["...#.".to_owned(), ".#.#.".to_owned(), "...#.".to_owned()];
    let mesh = navmesh(from_map(&map, 5, frame(Vec3::ZERO), |_, _| 0.0));
    let mut scratch = QueryScratch::default();
    let (from, to) = (Vec3::new(2.0, 0.0, 2.0), Vec3::new(18.0, 0.0, 6.0));
    let path = path_or_none(mesh.query().memory(&mut scratch).partial().path(from, to));
    assert_eq!(path.outcome, Outcome::Partial { reached: Vec3::new(12.0, 0.0, 6.0) });
    assert_eq!(path.points.last(), Some(&Vec3::new(12.0, 0.0, 6.0)));
    check_shape(&mesh, &path);
    let strict = PathOptions::default().with_allow_partial(false);
    let none = path_or_none(mesh.query().options(strict).memory(&mut scratch).path(from, to));
    assert_eq!(none, Path::default());
    // Already as close as it gets.
    let stuck = path_or_none(mesh.query().memory(&mut scratch).partial().path(Vec3::new(12.0, 0.0, 6.0), to));
    assert_eq!(stuck, Path::default());
}

#[test]
fn a_filter_closes_ways() {
    let mut scratch = QueryScratch::default();
    let filter = AreaFilter::default().without(AreaId(2));
    let mut partial = 0;
    for seed in 0..20 {
        let mesh = navmesh(random_flat(seed));
        let options = PathOptions::default().with_filter(filter).with_reach(Reach::new(0.1, 1.0, 1.0));
        let mut chance = Chance(seed);
        for _ in 0..40 {
            let [(_, from), (_, to)] = random_pair(&mesh, &mut chance);
            let allows = |polygon: PolyId| filter.allows(&mesh, polygon);
            let path = mesh.query().options(options).memory(&mut scratch).path(from, to);
            let path = QueryError::accept_no_path(path);
            let reach = options.reach.unwrap();
            let (Some(start), Some(goal)) =
                (mesh.nearest_with(from, &reach, &filter), mesh.nearest_with(to, &reach, &filter))
            else {
                let is_there = [from, to].map(|at| mesh.nearest(at, &reach).is_some());
                let Err(QueryError::NoMeshNear { end, is_closed, .. }) = path else { panic!("{path:?}") };
                assert_eq!(is_closed, is_there[usize::from(end == PathEnd::Goal)]);
                continue;
            };
            let path = path.unwrap();
            check_shape(&mesh, &path);
            assert!(path.polygons.iter().all(|&polygon| allows(polygon)));
            let reached = flood(&mesh, start.polygon, allows);
            assert_eq!(path.outcome == Outcome::Complete, is_joined(&mesh, [from, to], &filter));
            if let Outcome::Partial { reached: end } = path.outcome {
                partial += 1;
                assert!(end.distance(goal.position) < start.position.distance(goal.position));
                let best = (0..mesh.polygon_count())
                    .filter(|&polygon| reached[polygon])
                    .flat_map(|polygon| mesh.polygon(PolyId::from_index(polygon)).unwrap().positions())
                    .map(|corner| corner.distance(goal.position))
                    .fold(f32::INFINITY, f32::min);
                assert!(end.distance(goal.position) <= best + 1e-4);
            }
        }
    }
    assert!(partial > 20);
}

#[test]
fn bad_ends_are_errors_that_name_them() {
    let mesh = navmesh(random_flat(2));
    let mut scratch = QueryScratch::default();
    let inside = mesh.polygon(PolyId(0)).unwrap().positions().sum::<Vec3>()
        / mesh.polygon(PolyId(0)).unwrap().corners().len() as f32;
    let bad = Vec3::new(0.0, f32::NAN, 0.0);
    let error = mesh.query().memory(&mut scratch).path(inside, bad).unwrap_err();
    assert!(matches!(error, QueryError::NotFinite { end: PathEnd::Goal, .. }));
    let far = Vec3::new(-500.0, 0.0, 0.0);
    let error = mesh.query().memory(&mut scratch).path(far, inside).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no mesh near the start [-500, 0, 0], within 1.2 m to the side, 2 m up, 2 m down"
    );
    let [from, to] = [Vec3::new(0.1, 2.980_232_2e-8, 4.0), Vec3::new(11_349.944, 1.0 / 3.0, -7.25)];
    let error = QueryError::Unreachable { from, to, cause: NoPath::Apart, nearest: Some(to) };
    assert_eq!(
        error.to_string(),
        "no path leads from [0.1, 0, 4] to [11349.944, 0.333, -7.25]: no edge and no link joins their pieces of \
         ground; the nearest place that can be reached is [11349.944, 0.333, -7.25]"
    );
    let options = PathOptions::default().with_reach(Reach::new(1.0, -2.0, 1.0));
    let error = mesh.query().options(options).memory(&mut scratch).path(inside, inside).unwrap_err();
    assert!(matches!(error, QueryError::BadField(BadField { field: "reach.up", value: -2.0, .. })));
}

#[test]
fn moving_the_origin_changes_nothing() {
    // All numbers have few bits, so the far world is exact.
    let far = Vec3::new(65_536.0, 1024.0, -131_072.0);
    let mut scratch = QueryScratch::default();
    for seed in 0..10 {
        let map = random_map(seed, 12, 12, 25);
        let build = |origin| navmesh(from_map(&map, seed, frame(origin), |_, _| 0.0));
        let (here, there) = (build(Vec3::ZERO), build(far));
        let mut chance = Chance(seed);
        for _ in 0..50 {
            let mut place = || Vec3::new(chance.below(96) as f32 * 0.5, 0.0, chance.below(96) as f32 * 0.5);
            let (from, to) = (place(), place());
            let one = here.query().memory(&mut scratch).path(from, to);
            let other = there.query().memory(&mut scratch).path(from + far, to + far);
            match (one, other) {
                (Ok(one), Ok(other)) => {
                    assert_eq!(one.polygons, other.polygons);
                    assert_eq!(one.points.len(), other.points.len());
                    for (&a, &b) in one.points.iter().zip(&other.points) {
                        assert!((a + far).distance(b) < 0.02);
                    }
                }
                (one, other) => assert!(one.is_err() && other.is_err()),
            }
        }
    }
}

#[test]
fn a_far_mesh_is_walked_as_any_other() {
    let mut scratch = QueryScratch::default();
    for seed in 0..6 {
        let mesh = navmesh(random_hilly(seed, Vec3::new(1e5, 300.0, -1e5)));
        let mut chance = Chance(seed);
        for _ in 0..60 {
            let [(_, from), (_, to)] = random_pair(&mesh, &mut chance);
            let path = path_or_none(mesh.query().memory(&mut scratch).partial().path(from, to));
            assert_eq!(path.outcome == Outcome::Complete, is_joined(&mesh, [from, to], &AnyPolygon));
        }
    }
}

#[test]
fn one_scratch_serves_many_meshes_and_one_mesh_many_threads() {
    let meshes: Vec<NavMesh> = (0..6).map(|seed| navmesh(random_flat(seed))).collect();
    let answers = |scratch: &mut dyn FnMut() -> QueryScratch| -> Vec<Path> {
        let mut chance = Chance(9);
        let mut scratch_now = scratch();
        (0..120)
            .map(|round| {
                let mesh = &meshes[round % meshes.len()];
                let [(_, from), (_, to)] = random_pair(mesh, &mut chance);
                if round % 10 == 0 {
                    scratch_now = scratch();
                }
                path_or_none(mesh.query().memory(&mut scratch_now).partial().path(from, to))
            })
            .collect()
    };
    let fresh = answers(&mut QueryScratch::default);
    let mut kept = Some(QueryScratch::default());
    let reused = answers(&mut || kept.take().unwrap_or_default());
    assert_eq!(fresh, reused);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| answers(&mut QueryScratch::default))).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), fresh);
        }
    });
}

#[test]
fn a_path_is_written_into_memory_that_is_there() {
    let mesh = navmesh(random_flat(1));
    let mut scratch = QueryScratch::default();
    let mut path = Path::default();
    let mut chance = Chance(3);
    for _ in 0..50 {
        let [(_, from), (_, to)] = random_pair(&mesh, &mut chance);
        let written = mesh.query().partial().memory(&mut scratch).path_into(from, to, &mut path);
        QueryError::accept_no_path(written).unwrap();
        assert_eq!(path, path_or_none(mesh.query().memory(&mut scratch).partial().path(from, to)));
    }
    let bad = mesh.query().memory(&mut scratch).path_into(Vec3::NAN, Vec3::ZERO, &mut path);
    assert!(bad.is_err());
    assert_eq!(path, Path::default());
}

/// Two floors side by side along 100 m, over an edge. The start is in a passage below the first,
/// which is entered near the goal or far from it; the second is left far from the goal.
fn floors() -> NavMesh {
    let mut builder = Builder::default();
    let polygons: [&[(i32, i32)]; 7] = [
        &[(0, 0), (200, 0), (200, 2), (190, 2), (10, 2), (0, 2)],
        &[(0, 2), (10, 2), (10, 4), (0, 4)],
        &[(190, 2), (200, 2), (200, 4), (190, 4)],
        &[(0, 4), (10, 4), (190, 4), (200, 4), (200, 14), (0, 14)],
        &[(0, 14), (200, 14), (200, 24), (10, 24), (0, 24)],
        &[(0, 24), (10, 24), (10, 26), (0, 26)],
        &[(0, 26), (10, 26), (200, 26), (200, 30), (0, 30)],
    ];
    for corners in polygons {
        let corners = corners.iter().map(|&(x, z)| builder.vertex(x, z, 0, 0.0)).collect();
        builder.polygon(corners, AreaId::GROUND);
    }
    navmesh(builder.build(frame(Vec3::ZERO)))
}

#[test]
fn a_long_edge_is_crossed_at_either_end() {
    let (mesh, mut scratch) = (floors(), QueryScratch::default());
    assert_eq!(mesh.portal_count(), 7);
    let place = |(x, z): (f32, f32)| Vec3::new(x * 0.5, 0.0, z * 0.5);
    let way = [(100.0, 1.0), (10.0, 2.0), (10.0, 26.0), (198.0, 28.0)].map(place);
    let path = path_or_none(mesh.query().memory(&mut scratch).partial().path(way[0], way[3]));
    // To the far end of the first floor, through both, and back above: not along it twice more.
    assert_eq!(path.outcome, Outcome::Complete);
    let shortest: f32 = way.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    assert!((path.length - shortest).abs() < 1e-3, "{} m, the shortest has {shortest}", path.length);
}
