//! Distances from one place, and links that come and go.

use crate::path_or_none;
use glam::{Vec3, Vec3Swizzles};
use waymesh_core::PolyId;
use waymesh_graph::{
    CorridorOptions, Link, LinkEnd, LinkId, LinkKind, Location, NavMesh, Outcome, PathCorridor, PathOptions,
    PathSearch, QueryScratch, Reach, SlicedPath,
};

use crate::meshes::{Chance, frame, from_map, navmesh, point_in, random_flat, random_map, random_polygon};
use crate::paths::without_touching_corners;

#[test]
fn a_distance_map_has_the_length_of_the_shortest_path_from_everywhere() {
    let mut scratch = QueryScratch::default();
    let (mut found, mut none, mut steps) = (0, 0, 0);
    for seed in 0..60 {
        let map = without_touching_corners(random_map(seed, 12, 10, [15, 30, 40][(seed % 3) as usize]));
        let mesh = navmesh(from_map(&map, seed, frame(Vec3::ZERO), |_, _| 0.0));
        let mut chance = Chance(seed);
        let polygon = random_polygon(&mesh, &mut chance);
        let goal = Location {
            polygon,
            position: point_in(&mesh, polygon, &mut chance),
            generation: mesh.generation(),
        };
        let field = mesh.query().memory(&mut scratch).distance_map(goal, f32::INFINITY).unwrap();
        let near = mesh.query().memory(&mut scratch).distance_map(goal, 15.0).unwrap();
        for _ in 0..40 {
            let polygon = random_polygon(&mesh, &mut chance);
            let position = point_in(&mesh, polygon, &mut chance);
            let mut place = Location { polygon, position, generation: mesh.generation() };
            let path = path_or_none(
                mesh.query().shortest().memory(&mut scratch).partial().path(position, goal.position),
            );
            let way = field.heading(&mesh, &place).unwrap();
            assert_eq!(way.is_some(), path.outcome == Outcome::Complete);
            let Some(way) = way else {
                none += 1;
                continue;
            };
            found += 1;
            assert!(
                (way.distance - path.length).abs() < 1e-3,
                "seed {seed}: {} is not {}",
                way.distance,
                path.length
            );
            let limited = near.heading(&mesh, &place).unwrap();
            if (path.length - 15.0).abs() > 1e-3 {
                assert_eq!(limited.is_some(), path.length < 15.0, "seed {seed}: {}", path.length);
            }
            // Followed from turn to turn it leads to the goal, in all as long as it said.
            let (mut walked, mut left) = (0.0, way);
            for _ in 0..100 {
                walked += place.position.xz().distance(left.next.xz());
                if left.next.xz().distance(goal.position.xz()) < 1e-3 {
                    break;
                }
                let ray = mesh.query().ray(place, left.next).unwrap();
                assert!(ray.fraction > 0.9999, "seed {seed}: in sight");
                place = ray.end(&mesh);
                steps += 1;
                left = field.heading(&mesh, &place).unwrap().unwrap();
                if left.distance > way.distance - walked + 1e-2
                    || left.next.xz().distance(place.position.xz()) < 1e-4
                {
                    // A corner's own polygon may turn round the same corner again: look from the other
                    // polygons there.
                    let others = mesh
                        .polygons()
                        .map(|view| view.id())
                        .filter(|&polygon| mesh.contains(polygon, place.position));
                    let ways = others.filter_map(|polygon| {
                        Some((polygon, field.heading(&mesh, &Location { polygon, ..place }).unwrap()?))
                    });
                    let ways = ways.filter(|(_, way)| way.next.xz().distance(place.position.xz()) > 1e-4);
                    let best = ways.min_by(|a, b| a.1.distance.total_cmp(&b.1.distance)).unwrap();
                    (place.polygon, left) = best;
                }
            }
            assert!((walked - way.distance).abs() < 1e-2, "seed {seed}: {walked} walked of {}", way.distance);
        }
    }
    assert!(found > 800 && none > 20 && steps > 500, "{found} found, {none} none, {steps} turns");
}

#[test]
fn distances_on_a_slope_are_lengths_in_space() {
    let mut scratch = QueryScratch::default();
    let mut checked = 0;
    for seed in 0..30 {
        let map = without_touching_corners(random_map(seed, 12, 10, [15, 30, 40][(seed % 3) as usize]));
        // A plane, so that the chain of corners is the ground.
        let mesh = navmesh(from_map(&map, seed, frame(Vec3::ZERO), |x, z| 0.9 * x as f32 - 0.4 * z as f32));
        let mut chance = Chance(seed);
        let mut place = || {
            let polygon = random_polygon(&mesh, &mut chance);
            let position = point_in(&mesh, polygon, &mut chance);
            mesh.nearest(position, &mesh.default_reach()).unwrap()
        };
        let goal = place();
        let field = mesh.query().memory(&mut scratch).distance_map(goal, f32::INFINITY).unwrap();
        for _ in 0..20 {
            let from = place();
            let Some(heading) = field.heading(&mesh, &from).unwrap() else { continue };
            let length =
                mesh.query().memory(&mut scratch).distance_within(from, goal, f32::INFINITY).unwrap();
            let options = PathOptions::default().with_search(PathSearch::Shortest).with_ground_error(0.01);
            let path = path_or_none(
                mesh.query().options(options).memory(&mut scratch).path(from.position, goal.position),
            );
            for other in [length.unwrap(), path.length] {
                assert!(
                    (heading.distance - other).abs() <= 1e-4 * (1.0 + other),
                    "seed {seed}: {heading:?} {other}"
                );
            }
            checked += 1;
        }
    }
    assert!(checked > 300, "{checked}");
}

#[test]
fn the_polygons_within_a_length_are_those_whose_nearest_point_is() {
    let mut scratch = QueryScratch::default();
    let mut within = Vec::new();
    let options = PathOptions::default().with_reach(Reach::new(0.0, 0.1, 0.1));
    for seed in 0..30 {
        let mesh = navmesh(random_flat(seed));
        let mut chance = Chance(seed);
        let polygon = random_polygon(&mesh, &mut chance);
        let from = Location {
            polygon,
            position: point_in(&mesh, polygon, &mut chance),
            generation: mesh.generation(),
        };
        mesh.query().memory(&mut scratch).polygons_within(from, 12.0, &mut within).unwrap();
        assert_eq!(within[0], (polygon, 0.0));
        assert!(within.windows(2).all(|pair| pair[0].1 <= pair[1].1));
        for view in mesh.polygons() {
            let known = within.iter().find(|(polygon, _)| *polygon == view.id());
            // Samples are never nearer than the result, and the best one is not much farther.
            let mut best = f32::INFINITY;
            for _ in 0..12 {
                let to = point_in(&mesh, view.id(), &mut chance);
                let path = path_or_none(
                    mesh.query()
                        .options(options.with_search(PathSearch::Shortest))
                        .memory(&mut scratch)
                        .path(from.position, to),
                );
                if path.outcome == Outcome::Complete && path.polygons.last() == Some(&view.id()) {
                    best = best.min(path.length);
                }
            }
            match known {
                Some((_, distance)) => {
                    assert!(best >= distance - 1e-3, "seed {seed}: {best} under {distance}")
                }
                None => assert!(best >= 12.0 - 1e-3, "seed {seed}: {best} was not found"),
            }
        }
        mesh.query().memory(&mut scratch).polygons_within(from, f32::NAN, &mut within).unwrap();
        assert!(within.is_empty());
    }
}

#[test]
fn links_come_and_go_and_leave_no_trace() {
    let mut scratch = QueryScratch::default();
    for seed in 0..20 {
        let plain = navmesh(random_flat(seed));
        let mut mesh = plain.clone();
        let mut chance = Chance(seed);
        let end = |chance: &mut Chance| {
            let polygon = random_polygon(&plain, chance);
            let corner = plain.polygon(polygon).unwrap().corners()[0];
            LinkEnd { polygon, ends: [plain.plan_vertices()[corner.index()]; 2] }
        };
        let links: Vec<Link> =
            (0..6).map(|_| Link::new(end(&mut chance), end(&mut chance), LinkKind::User)).collect();
        for (index, link) in links.iter().enumerate() {
            assert_eq!(mesh.add_link(*link), Ok(LinkId(index as u64)));
        }
        assert_eq!(mesh, plain.clone().with_links(links.clone()).unwrap());
        let bad = Link { extra_cost: -1.0, ..links[0] };
        assert!(mesh.add_link(bad).is_err());
        let missing = LinkEnd { polygon: PolyId(u32::MAX), ..links[0].from };
        assert!(mesh.add_link(Link { from: missing, ..links[0] }).is_err());
        assert_eq!(mesh.links().len(), 6);
        assert_eq!(mesh.remove_link(LinkId(2)), Some(links[2]));
        assert_eq!(mesh.remove_link(LinkId(2)), None);
        // The others keep their ids, and the next one gets a new one.
        assert_eq!(mesh.link_ids(), [0, 1, 3, 4, 5].map(LinkId));
        assert_eq!(mesh.link(LinkId(5)), Some(&links[5]));
        assert_eq!(mesh.add_link(links[2]), Ok(LinkId(6)));
        assert_eq!(mesh.remove_link(LinkId(6)), Some(links[2]));
        let rest: Vec<Link> =
            links.iter().enumerate().filter(|(index, _)| *index != 2).map(|(_, link)| *link).collect();
        assert_eq!(mesh, plain.clone().with_links(rest).unwrap());
        let (a, b) = (random_polygon(&plain, &mut chance), random_polygon(&plain, &mut chance));
        let (from, to) = (point_in(&plain, a, &mut chance), point_in(&plain, b, &mut chance));
        let linked = path_or_none(mesh.query().shortest().memory(&mut scratch).partial().path(from, to));
        while let Some(&link) = mesh.link_ids().first() {
            mesh.remove_link(link);
        }
        assert_eq!(mesh, plain);
        let without = path_or_none(mesh.query().shortest().memory(&mut scratch).partial().path(from, to));
        assert!(without.outcome != Outcome::Complete || linked.length <= without.length + 1e-3);
    }
    // A million answers would be the same; here a few thousand from two threads, with a mesh each of
    // changing links.
    let plain: NavMesh = navmesh(random_flat(2));
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let plain = &plain;
            scope.spawn(move || {
                let (mut chance, mut scratch) = (Chance(thread), QueryScratch::default());
                let mut mesh = plain.clone();
                for round in 0..300 {
                    let polygons = [(); 2].map(|()| random_polygon(plain, &mut chance));
                    let [from, to] = polygons.map(|polygon| point_in(plain, polygon, &mut chance));
                    let ends = polygons.map(|polygon| {
                        let corner = plain.polygon(polygon).unwrap().corners()[0];
                        LinkEnd { polygon, ends: [plain.plan_vertices()[corner.index()]; 2] }
                    });
                    if round % 3 == 2 {
                        mesh.remove_link(mesh.link_ids()[0]).unwrap();
                    } else {
                        mesh.add_link(Link::new(ends[0], ends[1], LinkKind::User)).unwrap();
                    }
                    let before =
                        path_or_none(plain.query().shortest().memory(&mut scratch).partial().path(from, to));
                    let path =
                        path_or_none(mesh.query().shortest().memory(&mut scratch).partial().path(from, to));
                    if before.outcome == Outcome::Complete {
                        assert!(path.outcome == Outcome::Complete && path.length <= before.length + 1e-3);
                    }
                }
            });
        }
    });
}

/// Both ends are corners, where islands touch: a location lies on its own polygon alone, for every
/// query alike; a position lies on all of them.
#[test]
fn a_location_is_on_its_polygon_for_every_query() {
    let mut scratch = QueryScratch::default();
    let (mut touching, mut joined, mut apart) = (0, 0, 0);
    for seed in 0..60 {
        let mesh = navmesh(from_map(&random_map(seed, 9, 8, 45), seed, frame(Vec3::ZERO), |_, _| 0.0));
        let mut chance = Chance(seed);
        let mut corner = || {
            let polygon = random_polygon(&mesh, &mut chance);
            let corners: Vec<Vec3> = mesh.polygon(polygon).unwrap().positions().collect();
            mesh.closest_on_polygon(polygon, corners[chance.below(corners.len())]).unwrap()
        };
        for _ in 0..30 {
            let (from, goal) = (corner(), corner());
            let map = mesh.query().distance_map(goal, f32::INFINITY).unwrap();
            let is_joined = mesh.same_island(from.polygon, goal.polygon);
            let name = format!("seed {seed}: {from:?} to {goal:?}");
            let mut query = mesh.query().memory(&mut scratch);
            for search in [PathSearch::Fast, PathSearch::Shortest] {
                let options = PathOptions::default().with_search(search).with_allow_partial(false);
                let path = mesh.query().options(options).path(from, goal);
                assert_eq!(path.is_ok(), is_joined, "{name}, {search:?}");
                let mut sliced = SlicedPath::new(options);
                sliced.begin(&mesh, from, goal).unwrap();
                while sliced.advance(&mesh, 7).unwrap().is_none() {}
                assert_eq!(sliced.path().outcome == Outcome::Complete, is_joined, "{name}, {search:?}");
                let corridor = CorridorOptions::default().with_path(options);
                let mut corridor = PathCorridor::new(corridor);
                corridor.plan(&mesh, from, goal, &mut QueryScratch::default()).unwrap();
                assert_eq!(corridor.path().outcome == Outcome::Complete, is_joined, "{name}, {search:?}");
            }
            let length = query.distance(from, goal).ok();
            assert_eq!(length.is_some(), is_joined, "{name}");
            let near = query.distance_within(from, goal, f32::INFINITY).unwrap();
            assert_eq!(near.is_some(), is_joined, "{name}");
            let heading = map.heading(&mesh, &from).unwrap();
            assert_eq!(heading.is_some(), is_joined, "{name}");
            if let (Some(length), Some(heading)) = (length, heading) {
                assert!((length - heading.distance).abs() < 1e-3, "{name}: {length} m, {heading:?}");
            }
            assert!(is_joined || !query.sees(from, goal).unwrap(), "{name}");
            let is_anywhere = query.path(from.position, goal.position).is_ok();
            assert!(is_anywhere || !is_joined, "{name}");
            touching += usize::from(is_anywhere && !is_joined);
            joined += usize::from(is_joined);
            apart += usize::from(!is_joined);
        }
    }
    assert!(touching > 20 && joined > 200 && apart > 200, "{touching} {joined} {apart}");
}
