//! Looking about and moving on the surface.

use std::collections::BTreeSet;

use glam::{DVec2, Vec3, Vec3Swizzles};
use waymesh_core::{AreaId, PlanPoint, PlanVertex, PolyId, Random};
use waymesh_graph::{
    AnyPolygon, AreaFilter, Link, LinkEnd, LinkKind, Location, NavMesh, PolygonFilter, QueryError,
    QueryScratch, Reach,
};

use crate::meshes::{
    Builder, Chance, frame, from_map, navmesh, point_in, random_flat, random_map, random_polygon, spiral,
};
use crate::paths::without_touching_corners;

fn plan(position: Vec3) -> DVec2 {
    position.as_dvec3().xz()
}

fn at(mesh: &NavMesh, position: Vec3) -> Location {
    mesh.nearest(position, &mesh.default_reach()).unwrap()
}

fn closest_on(a: DVec2, b: DVec2, p: DVec2) -> DVec2 {
    let t = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
    a + (b - a) * t
}

/// Edges of a polygon: ends and the polygon beyond.
fn edges(mesh: &NavMesh, polygon: PolyId) -> Vec<(DVec2, DVec2, Option<PolyId>)> {
    let view = mesh.polygon(polygon).unwrap();
    let corners: Vec<DVec2> = view.positions().map(plan).collect();
    let next = |index: usize| corners[(index + 1) % corners.len()];
    view.neighbours().enumerate().map(|(index, beyond)| (corners[index], next(index), beyond)).collect()
}

/// Squares of a map that are not solid.
fn is_ground(map: &[String], x: i64, z: i64, wall: impl Fn(u8) -> bool) -> bool {
    x >= 0
        && z >= 0
        && (z as usize) < map.len()
        && (x as usize) < map[0].len()
        && !wall(map[z as usize].as_bytes()[x as usize])
}

#[test]
fn a_ray_ends_where_small_steps_leave_the_map() {
    let (mut hits, mut frees) = (0, 0);
    for seed in 0..80 {
        let map = without_touching_corners(random_map(seed, 10, 9, 25));
        let mesh = navmesh(from_map(&map, seed, frame(Vec3::ZERO), |_, _| 0.0));
        let mut chance = Chance(seed);
        let only_ground = AreaFilter::default().without(AreaId(2));
        for turn in 0..40 {
            let closed = turn % 2 == 1;
            let wall = |kind: u8| kind == b'#' || (closed && kind == b'2');
            let polygon = random_polygon(&mesh, &mut chance);
            let from = point_in(&mesh, polygon, &mut chance);
            let to = from + Vec3::new(chance.unit() - 0.5, 0.0, chance.unit() - 0.5) * 40.0;
            let start = Location { polygon, position: from, generation: mesh.generation() };
            if closed && mesh.polygon(polygon).unwrap().area_id() == AreaId(2) {
                continue;
            }
            let (ray, polygons) = if closed {
                let mut query = mesh.query().filter(&only_ground);
                (query.ray(start, to).unwrap(), query.passed().to_vec())
            } else {
                let mut query = mesh.query();
                (query.ray(start, to).unwrap(), query.passed().to_vec())
            };
            let end = ray.end(&mesh);
            assert_eq!(ray.polygon, end.polygon);
            // In steps of a ten-thousandth.
            let free = (0..=10_000)
                .take_while(|&step| {
                    let p = plan(from).lerp(plan(to), f64::from(step) / 10_000.0) / 4.0;
                    is_ground(&map, p.x.floor() as i64, p.y.floor() as i64, wall)
                })
                .count();
            let expected = (free.max(1) - 1) as f32 / 10_000.0;
            assert!(
                (ray.fraction - expected).abs() < 3e-4,
                "seed {seed}: {} is not {expected}",
                ray.fraction
            );
            assert_eq!(ray.hit.is_some(), ray.fraction < 1.0);
            assert_eq!(*polygons.last().unwrap(), end.polygon);
            assert!(mesh.contains(end.polygon, end.position));
            for pair in polygons.windows(2) {
                assert!(
                    mesh.polygon(pair[0]).unwrap().neighbours().any(|beyond| beyond == Some(pair[1]))
                        || pair[0] == pair[1]
                );
            }
            if let Some(hit) = ray.hit {
                hits += 1;
                let (a, b, _) = edges(&mesh, hit.polygon)[hit.edge as usize];
                assert!(closest_on(a, b, plan(end.position)).distance(plan(end.position)) < 1e-4);
                assert!((hit.normal.length() - 1.0).abs() < 1e-5 && hit.normal.dot(to - from) <= 1e-4);
                // A little less far there is nothing in the way.
                let short = from.lerp(to, ray.fraction * 0.999);
                assert!(mesh.query().ray(start, short).unwrap().hit.is_none());
            } else {
                frees += 1;
            }
        }
    }
    assert!(hits > 500 && frees > 100, "{hits} hits, {frees} free");
}

#[test]
fn rays_run_along_walls_and_through_corners() {
    // Two rooms that meet in the middle of a cross of walls would touch; here the walls leave a gap one
    // square wide.
    let map = ["....".to_owned(), ".##.".to_owned(), "....".to_owned()];
    for seed in 0..30 {
        let mesh = navmesh(from_map(&map, seed, frame(Vec3::ZERO), |_, _| 0.0));
        let free = |from: [f32; 2], to: [f32; 2]| {
            let start = at(&mesh, Vec3::new(from[0], 0.0, from[1]));
            let ray = mesh.query().ray(start, Vec3::new(to[0], 0.0, to[1])).unwrap();
            (ray.hit.is_none(), ray.fraction)
        };
        // Along the whole wall, both ways, from end to end of the map.
        assert_eq!(free([0.0, 4.0], [16.0, 4.0]), (true, 1.0));
        assert_eq!(free([16.0, 8.0], [0.0, 8.0]), (true, 1.0));
        // Through a corner of the wall, touching it.
        assert_eq!(free([2.0, 6.0], [6.0, 2.0]), (true, 1.0));
        assert_eq!(free([6.0, 2.0], [2.0, 6.0]), (true, 1.0));
        // Along the border of the map, and out of it from a corner.
        assert_eq!(free([0.0, 0.0], [16.0, 0.0]), (true, 1.0));
        assert_eq!(free([16.0, 12.0], [16.0, 0.0]), (true, 1.0));
        assert_eq!(free([0.0, 0.0], [-4.0, -4.0]), (false, 0.0));
        // Into a corner of the wall from outside.
        let (is_free, fraction) = free([2.0, 2.0], [6.0, 6.0]);
        assert!(!is_free && (fraction - 0.5).abs() < 1e-5);
        // To itself.
        assert_eq!(free([4.0, 4.0], [4.0, 4.0]), (true, 1.0));
    }
}

#[test]
fn a_ray_stays_on_its_storey_and_sight_means_that_place() {
    let mesh = navmesh(spiral(4, 1.0));
    let middle = |polygon: u32| {
        let view = mesh.polygon(PolyId(polygon)).unwrap();
        let position = view.positions().sum::<Vec3>() / 4.0;
        Location { polygon: PolyId(polygon), position, generation: mesh.generation() }
    };
    // Down the first side of a turn.
    let mut query = mesh.query();
    let ray = query.ray(middle(16), middle(20).position).unwrap();
    assert!(ray.hit.is_none());
    assert!(query.passed().iter().copied().eq((16..=20).map(PolyId)));
    assert!(mesh.query().sees(middle(16), middle(20)).unwrap());
    assert!(!mesh.query().sees(middle(16), middle(36)).unwrap());
    assert!(!mesh.query().sees(middle(16), middle(32)).unwrap());
    for seed in 0..20 {
        let mesh = navmesh(random_flat(seed));
        let mut chance = Chance(seed);
        for _ in 0..50 {
            let ends = [(); 2].map(|()| {
                let polygon = random_polygon(&mesh, &mut chance);
                let view = mesh.polygon(polygon).unwrap();
                let position = if chance.one_in(2) {
                    view.positions().next().unwrap()
                } else {
                    point_in(&mesh, polygon, &mut chance)
                };
                Location { polygon, position, generation: mesh.generation() }
            });
            let there = mesh.query().sees(ends[0], ends[1]).unwrap();
            let back = mesh.query().sees(ends[1], ends[0]).unwrap();
            assert_eq!(there, back, "seed {seed}: {ends:?}");
            // A shortest path is as long as the line if there is sight, between connected polygons.
            if there {
                let path = mesh
                    .query()
                    .shortest()
                    .memory(&mut waymesh_graph::QueryScratch::default())
                    .path(ends[0].position, ends[1].position)
                    .unwrap();
                let line = ends[0].position.distance(ends[1].position);
                let same = [0, 1].map(|end| at(&mesh, ends[end].position).polygon == ends[end].polygon);
                assert!(path.length <= line + 1e-3 || same != [true; 2], "seed {seed}");
            }
        }
    }
}

/// Polygons that are entered through edges within a distance of a place.
fn around(
    mesh: &NavMesh,
    start: PolyId,
    middle: DVec2,
    radius: f64,
    filter: &impl PolygonFilter,
) -> BTreeSet<PolyId> {
    let mut seen = BTreeSet::from([start]);
    let mut stack = vec![start];
    while let Some(polygon) = stack.pop() {
        for (a, b, beyond) in edges(mesh, polygon) {
            let Some(beyond) = beyond.filter(|&beyond| filter.allows(mesh, beyond)) else { continue };
            if closest_on(a, b, middle).distance(middle) <= radius && seen.insert(beyond) {
                stack.push(beyond);
            }
        }
    }
    seen
}

fn closest_in(mesh: &NavMesh, polygon: PolyId, p: DVec2) -> DVec2 {
    let edges = edges(mesh, polygon);
    if edges.iter().all(|(a, b, _)| (*b - *a).perp_dot(p - *a) >= 0.0) {
        return p;
    }
    let closest = edges.iter().map(|(a, b, _)| closest_on(*a, *b, p));
    closest.min_by(|a, b| a.distance(p).total_cmp(&b.distance(p))).unwrap()
}

#[test]
fn a_move_ends_as_close_to_its_target_as_the_polygons_around_allow() {
    let mut scratch = QueryScratch::default();
    let (mut free, mut slid) = (0, 0);
    for seed in 0..80 {
        let mesh = navmesh(random_flat(seed));
        let mut chance = Chance(seed);
        for _ in 0..40 {
            let polygon = random_polygon(&mesh, &mut chance);
            let from = Location {
                polygon,
                position: point_in(&mesh, polygon, &mut chance),
                generation: mesh.generation(),
            };
            let to = from.position + Vec3::new(chance.unit() - 0.5, 0.0, chance.unit() - 0.5) * 12.0;
            let end = mesh.query().memory(&mut scratch).walk(from, to).unwrap();
            let (a, b) = (plan(from.position), plan(to));
            // A hair's breadth decides whether an edge is within the circle: both radii must leave an answer
            // between.
            let best = |slack: f64| {
                let polygons =
                    around(&mesh, polygon, (a + b) / 2.0, a.distance(b) / 2.0 + slack, &AnyPolygon);
                let offers = polygons.into_iter().map(|polygon| closest_in(&mesh, polygon, b));
                let near = offers.filter(|offer| offer.distance(a) <= a.distance(b) + slack);
                near.map(|offer| offer.distance(b)).fold(a.distance(b), f64::min)
            };
            let left = plan(end.position).distance(b);
            assert!(
                left <= best(-1e-4) + 1e-4 && left >= best(1e-4) - 1e-4,
                "seed {seed}: {left}, {} to {}",
                best(-1e-4),
                best(1e-4)
            );
            assert!(mesh.contains(end.polygon, end.position));
            assert!(plan(end.position).distance(a) <= a.distance(b) + 1e-4);
            if mesh.query().ray(from, to).unwrap().hit.is_none() {
                assert!(left < 1e-6);
                free += 1;
            } else {
                slid += 1;
            }
        }
    }
    assert!(free > 300 && slid > 300, "{free} free, {slid} slid");
}

#[test]
fn the_nearest_wall_is_the_nearest_of_those_around() {
    let mut scratch = QueryScratch::default();
    let mut pieces = Vec::new();
    let (mut found, mut none) = (0, 0);
    for seed in 0..80 {
        let map = without_touching_corners(random_map(seed, 10, 9, [5, 20, 30][(seed % 3) as usize]));
        let mesh = navmesh(from_map(&map, seed, frame(Vec3::ZERO), |_, _| 0.0));
        let mut chance = Chance(seed);
        for _ in 0..20 {
            let polygon = random_polygon(&mesh, &mut chance);
            let from = Location {
                polygon,
                position: point_in(&mesh, polygon, &mut chance),
                generation: mesh.generation(),
            };
            let p = plan(from.position);
            // All walls there are: the nearest is in sight.
            let walls = mesh
                .polygons()
                .flat_map(|view| edges(&mesh, view.id()))
                .filter(|(_, _, beyond)| beyond.is_none());
            let expected =
                walls.map(|(a, b, _)| closest_on(a, b, p).distance(p)).fold(f64::INFINITY, f64::min);
            let wall = mesh.query().memory(&mut scratch).wall(from, f32::INFINITY).unwrap().unwrap();
            assert!(
                (f64::from(wall.distance) - expected).abs() < 1e-4,
                "seed {seed}: {} is not {expected}",
                wall.distance
            );
            assert!((plan(wall.point).distance(p) - expected).abs() < 1e-3);
            assert!(wall.normal.dot(from.position - wall.point) >= -1e-3);
            let radius = chance.unit() * 4.0;
            let near = mesh.query().memory(&mut scratch).wall(from, radius).unwrap();
            if (f64::from(radius) - expected).abs() > 1e-4 {
                assert_eq!(near.is_some(), f64::from(radius) > expected);
            }
            if near.is_some() {
                found += 1
            } else {
                none += 1
            }
            // Pieces of wall within a radius.
            let polygons = around(&mesh, polygon, p, f64::from(radius), &AnyPolygon);
            let expected = polygons
                .iter()
                .flat_map(|&polygon| edges(&mesh, polygon))
                .filter(|(a, b, beyond)| {
                    beyond.is_none() && closest_on(*a, *b, p).distance(p) <= f64::from(radius)
                })
                .count();
            mesh.query().memory(&mut scratch).walls(from, radius, &mut pieces).unwrap();
            assert_eq!(pieces.len(), expected, "seed {seed}");
            assert!(pieces.iter().all(|piece| {
                closest_on(plan(piece.ends[0]), plan(piece.ends[1]), p).distance(p)
                    <= f64::from(radius) + 1e-4
            }));
        }
    }
    assert!(found > 200 && none > 200, "{found} found, {none} none");
    // Closed ground is a wall.
    let mesh = navmesh(from_map(&[".2".to_owned()], 0, frame(Vec3::ZERO), |_, _| 0.0));
    let from = at(&mesh, Vec3::new(3.5, 0.0, 2.0));
    let filter = AreaFilter::default().without(AreaId(2));
    let wall = mesh.query().filter(&filter).memory(&mut scratch).wall(from, 1.0).unwrap().unwrap();
    assert!((wall.distance - 0.5).abs() < 1e-6 && wall.normal.x < -0.99);
    assert!(mesh.query().memory(&mut scratch).wall(from, 1.0).unwrap().is_none());
}

#[test]
fn all_polygons_in_a_box_or_a_circle_are_found() {
    let mut found = Vec::new();
    for seed in 0..60 {
        let mesh = navmesh(random_flat(seed));
        let mut chance = Chance(seed);
        for _ in 0..20 {
            let polygon = random_polygon(&mesh, &mut chance);
            let middle = point_in(&mesh, polygon, &mut chance);
            let radius = chance.unit() * 8.0;
            let expected = |slack: f64| -> Vec<PolyId> {
                let near = |polygon: PolyId| {
                    closest_in(&mesh, polygon, plan(middle)).distance(plan(middle))
                        <= f64::from(radius) + slack
                };
                mesh.polygons().map(|view| view.id()).filter(|&polygon| near(polygon)).collect()
            };
            mesh.polygons_in_circle(middle, &Reach::new(radius, 1.0, 1.0), &AnyPolygon, &mut found);
            assert!(expected(-1e-3).iter().all(|polygon| found.contains(polygon)));
            assert!(found.iter().all(|polygon| expected(1e-3).contains(polygon)));
            assert!(found.windows(2).all(|pair| pair[0] < pair[1]));
            // A box: its corners, its middle or an edge of the polygon is in the other.
            let size = Vec3::new(chance.unit(), 0.1, chance.unit()) * 8.0;
            mesh.polygons_in_box(middle - size, middle + size, &AnyPolygon, &mut found);
            for view in mesh.polygons() {
                let apart = |slack: f64| {
                    let (low, high) = (plan(middle - size) - slack, plan(middle + size) + slack);
                    let corners = [low, DVec2::new(high.x, low.y), high, DVec2::new(low.x, high.y)];
                    let points: Vec<DVec2> = view.positions().map(plan).collect();
                    points.iter().all(|p| p.x < low.x)
                        || points.iter().all(|p| p.x > high.x)
                        || points.iter().all(|p| p.y < low.y)
                        || points.iter().all(|p| p.y > high.y)
                        || edges(&mesh, view.id())
                            .iter()
                            .any(|(a, b, _)| corners.iter().all(|&c| (*b - *a).perp_dot(c - *a) < 0.0))
                };
                if apart(1e-3) == apart(-1e-3) {
                    assert_eq!(found.contains(&view.id()), !apart(0.0));
                }
            }
        }
        mesh.polygons_in_box(
            Vec3::splat(f32::NEG_INFINITY),
            Vec3::splat(f32::INFINITY),
            &AnyPolygon,
            &mut found,
        );
        assert_eq!(found.len(), mesh.polygon_count());
        mesh.polygons_in_circle(Vec3::ZERO, &Reach::INFINITE, &AreaFilter::only([AreaId(2)]), &mut found);
        assert!(found.iter().all(|&polygon| mesh.polygon(polygon).unwrap().area_id() == AreaId(2)));
        mesh.polygons_in_circle(Vec3::NAN, &Reach::INFINITE, &AnyPolygon, &mut found);
        assert!(found.is_empty());
        mesh.polygons_in_box(Vec3::ONE, Vec3::ZERO, &AnyPolygon, &mut found);
        assert!(found.is_empty());
    }
}

#[test]
fn storeys_above_are_not_found_in_a_flat_box() {
    let mesh = navmesh(spiral(4, 1.0));
    let mut found = Vec::new();
    let position = mesh.polygon(PolyId(18)).unwrap().positions().sum::<Vec3>() / 4.0;
    mesh.polygons_in_circle(position, &Reach::new(0.1, 0.5, 0.5), &AnyPolygon, &mut found);
    assert_eq!(found, [PolyId(18)]);
    mesh.polygons_in_circle(position, &Reach::new(0.1, 100.0, 100.0), &AnyPolygon, &mut found);
    assert_eq!(found, [2, 18, 34, 50].map(PolyId));
    let under = mesh.ground_under(position + Vec3::Y * 2.0, 0.0, 3.0, &AnyPolygon).unwrap();
    assert_eq!(under.polygon, PolyId(18));
    assert!(mesh.ground_under(position + Vec3::Y * 2.0, 0.0, 1.0, &AnyPolygon).is_none());
}

#[test]
fn places_by_chance_are_even_over_the_area() {
    let mut scratch = QueryScratch::default();
    for seed in 0..3 {
        let mesh = navmesh(random_flat(seed));
        let mut random = Random::new(seed);
        let sampler = mesh.query().sampler();
        let mut counts = vec![0_u32; mesh.polygon_count()];
        let total = 200_000;
        let mut half = [0_u32; 2];
        for _ in 0..total {
            let place = sampler.sample(&mesh, &mut random).unwrap().unwrap();
            assert!(mesh.contains(place.polygon, place.position));
            counts[place.polygon.index()] += 1;
            // Even within a polygon, too: as many on either side of its middle.
            let view = mesh.polygon(place.polygon).unwrap();
            if view.corners().len() == 4 {
                let middle = view.positions().sum::<Vec3>() / 4.0;
                half[usize::from(place.position.x > middle.x)] += 1;
            }
        }
        for view in mesh.polygons() {
            let share = view.area() / mesh.area();
            let expected = share * f64::from(total);
            let off = (f64::from(counts[view.id().index()]) - expected).abs();
            assert!(off < 5.0 * expected.sqrt() + 5.0, "{off} off {expected}");
        }
        // A polygon is not its corners' mean: near half.
        let [low, high] = half.map(f64::from);
        assert!((low / (low + high) - 0.5).abs() < 0.1, "{low} and {high}");
        // In a circle: the share of the ground in the inner circle of half the area is half where all is
        // ground.
        let polygon = mesh.polygons().max_by(|a, b| a.area().total_cmp(&b.area())).unwrap();
        let middle = Location {
            polygon: polygon.id(),
            position: polygon.positions().sum::<Vec3>() / polygon.corners().len() as f32,
            generation: mesh.generation(),
        };
        let radius = mesh.query().memory(&mut scratch).wall(middle, 100.0).unwrap().unwrap().distance;
        let inner = (0..20_000)
            .filter(|_| {
                let place =
                    mesh.query().memory(&mut scratch).random_around(middle, radius, &mut random).unwrap();
                let distance = place.position.xz().distance(middle.position.xz());
                assert!(distance <= radius + 1e-4 && mesh.contains(place.polygon, place.position));
                distance < radius * 0.5_f32.sqrt()
            })
            .count();
        assert!((9_600..10_400).contains(&inner), "{inner}");
        let wide = mesh.query().memory(&mut scratch).random_around(middle, 1e30, &mut random).unwrap();
        assert!(mesh.same_island(wide.polygon, middle.polygon));
        for radius in [0.0, -1.0, f32::NAN] {
            assert_eq!(
                mesh.query().memory(&mut scratch).random_around(middle, radius, &mut random).unwrap(),
                middle
            );
        }
    }
    let mesh = navmesh(random_flat(1));
    let none = mesh.query().filter(AreaFilter::only([])).sampler();
    assert_eq!(none.sample(&mesh, &mut Random::new(1)), Ok(None));
}

#[test]
fn a_place_of_another_mesh_is_a_position() {
    let mut scratch = QueryScratch::default();
    let (old, new) = (navmesh(random_flat(3)), navmesh(random_flat(4)));
    assert_ne!(old.generation(), new.generation());
    assert_eq!(old.generation(), navmesh(random_flat(3)).generation());
    let place = at(&old, old.vertices()[0]);
    let to = place.position + Vec3::X;
    let missing = Location { polygon: PolyId(1 << 30), ..place };
    for (mesh, place) in [(&new, place), (&old, missing)] {
        let position = place.position;
        assert_eq!(mesh.query().ray(place, to), mesh.query().ray(position, to));
        let mut query = mesh.query().memory(&mut scratch);
        assert_eq!(query.walk(place, to), query.walk(position, to));
        assert_eq!(query.wall(place, 1.0), query.wall(position, 1.0));
        assert_eq!(query.sees(place, place), query.sees(position, position));
    }
    assert!(old.query().sampler().sample(&new, &mut Random::new(1)).is_err());
    for position in [Vec3::NAN, Vec3::INFINITY] {
        assert!(old.query().ray(Location { position, ..place }, to).is_err());
        assert!(old.query().ray(place, position).is_err());
        assert!(old.query().memory(&mut scratch).walk(place, position).is_err());
        assert!(old.query().memory(&mut scratch).wall(Location { position, ..place }, 1.0).is_err());
    }
    for radius in [f32::NAN, -1.0, f32::NEG_INFINITY] {
        let (wall, walls) =
            (old.query().wall(place, radius), old.query().walls(place, radius, &mut Vec::new()));
        for error in [wall.err(), walls.err()] {
            assert!(matches!(error, Some(QueryError::BadField(_))), "{error:?}");
        }
    }
    // Far outside: the nearest place of its polygon is used.
    let far = Location { position: Vec3::splat(1e9), ..place };
    assert!(old.query().ray(far, Vec3::splat(-1e9)).is_ok());
    assert!(old.query().memory(&mut scratch).walk(far, Vec3::splat(-1e9)).is_ok());
}

#[test]
fn a_link_like_an_edge_is_no_wall() {
    let mut builder = Builder::default();
    for (storey, x) in [(0, 0), (1, 20)] {
        let corners = [(x, 0), (x + 20, 0), (x + 20, 20), (x, 20)];
        let corners = corners.map(|(x, z)| builder.vertex(x, z, storey, storey as f32));
        builder.polygon(corners.to_vec(), AreaId::GROUND);
    }
    let end = |polygon: u32, height: f32| {
        let ends = [5, 15].map(|z| PlanVertex { point: PlanPoint::new(20, z), height });
        LinkEnd { polygon: PolyId(polygon), ends }
    };
    let link = Link::new(end(0, 0.0), end(1, 1.0), LinkKind::Level);
    let mesh = NavMesh::try_from(builder.build(frame(Vec3::ZERO))).unwrap().with_links(vec![link]).unwrap();
    let mut scratch = QueryScratch::default();
    let from = at(&mesh, Vec3::new(9.0, 0.0, 5.0));
    let mut query = mesh.query();
    assert!(query.ray(from, Vec3::new(15.0, 0.0, 5.0)).unwrap().hit.is_none());
    assert_eq!(query.passed(), [PolyId(0), PolyId(1)]);
    assert!(query.ray(from, Vec3::new(11.0, 0.0, -1.0)).unwrap().hit.is_some());
    let moved = mesh.query().memory(&mut scratch).walk(from, Vec3::new(10.5, 0.0, 5.0)).unwrap();
    assert_eq!(moved.polygon, PolyId(1));
    let wall = mesh.query().memory(&mut scratch).wall(from, 100.0).unwrap().unwrap();
    assert!((wall.distance - (1.0_f32 + 2.5 * 2.5).sqrt()).abs() < 1e-5, "{}", wall.distance);
    let mut pieces = Vec::new();
    mesh.query().memory(&mut scratch).walls(from, 2.8, &mut pieces).unwrap();
    let mut ends: Vec<[f32; 2]> = pieces.iter().map(|piece| piece.ends.map(|end| end.z)).collect();
    ends.sort_by(|a, b| a[0].total_cmp(&b[0]));
    // Two pieces next to the link, on either side.
    assert_eq!(ends, [[0.0, 2.5], [2.5, 0.0], [7.5, 10.0], [10.0, 7.5]]);
}

#[test]
fn a_view_from_above_shows_the_map() {
    let mut seen = [0; 2];
    for seed in 0..40 {
        let map = random_map(seed, 10, 9, 30);
        let origin = Vec3::new(-3.0, 1.0, 5.0);
        let mesh = navmesh(from_map(&map, seed, frame(origin), |_, _| 0.0));
        let (cell, square) = (mesh.frame().cell_size, mesh.frame().cell_size * 8.0);
        let height = mesh.vertices()[0].y;
        let view = mesh.plan_view(cell * 0.37, height + 0.4, 0.5).unwrap();
        let bounds = mesh.world_bounds().unwrap();
        assert_eq!(view.width, ((bounds.max.x - bounds.min.x) / view.step).floor() as usize);
        assert_eq!(view.islands.len(), view.width * view.depth);
        for (number, &island) in view.islands.iter().enumerate() {
            let [x, z] = [number % view.width, number / view.width]
                .map(|steps| f64::from(view.step) * steps as f64 / f64::from(square));
            let [first_x, first_z] = [view.origin.x - origin.x, view.origin.z - origin.z]
                .map(|metres| (f64::from(metres) / f64::from(square)).round());
            let (x, z) = (x + first_x, z + first_z);
            if [x, z].iter().any(|along| (along - along.round()).abs() < 1e-3) {
                continue;
            }
            let is_free = is_ground(&map, x.floor() as i64, z.floor() as i64, |kind| kind == b'#');
            assert_eq!(island.is_some(), is_free, "seed {seed}: {x} {z}");
            seen[usize::from(is_free)] += 1;
        }
        let mut shown: Vec<_> = view.islands.iter().flatten().collect();
        shown.sort();
        shown.dedup();
        assert_eq!(shown.len(), mesh.islands().len());
        assert!(mesh.plan_view(cell, height + 0.6, 0.5).unwrap().islands.iter().all(Option::is_none));
        assert_eq!(mesh.plan_view(1e-6, height, 0.5).unwrap_err().field, "step");
    }
    assert!(seen.iter().all(|&count| count > 1000), "{seen:?}");
}

#[test]
fn the_ball_of_an_island_holds_its_corners() {
    let map = ["..#.", "..#.", "###.", "...."].map(str::to_owned);
    let mesh = navmesh(from_map(&map, 1, frame(Vec3::ZERO), |_, _| 0.0));
    let square = mesh.frame().cell_size * 8.0;
    assert_eq!(mesh.islands().len(), 2);
    for (number, island) in mesh.islands().iter().enumerate() {
        let id = mesh.island_of(island.first).unwrap();
        assert_eq!(id.index(), number);
        let ball = mesh.island_ball(id).unwrap();
        let polygons = || mesh.polygons().filter(|polygon| polygon.island() == id);
        let reach = |corner: Vec3| corner.distance(ball.centre);
        let farthest = polygons().flat_map(|polygon| polygon.positions().map(reach).collect::<Vec<_>>());
        assert!((farthest.fold(0.0, f32::max) - ball.radius).abs() < 1e-5);
        // Half the diagonal of two by two squares, and of four by one, at least.
        let half_diagonal = [2.0_f32, 4.25][number].sqrt() * square;
        assert!((0.999..2.0).contains(&(ball.radius / half_diagonal)), "{ball:?}");
    }
    assert_eq!(mesh.island_ball(waymesh_graph::IslandId(2)), None);
}
