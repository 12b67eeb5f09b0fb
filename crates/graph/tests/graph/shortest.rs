//! Shortest paths against visibility graphs with whole-number tests.

use std::collections::BTreeSet;

use crate::path_or_none;
use glam::{DVec2, Vec3, Vec3Swizzles};
use waymesh_core::{AreaId, GridFrame, PlanPoint, PlanVertex, PolyId, PolyMesh, Random};
use waymesh_graph::{
    AreaFilter, Link, LinkEnd, LinkKind, NavMesh, Outcome, Path, PathOptions, PathSearch, QueryScratch,
    Reach, SlicedPath,
};
use waymesh_testkit::flat_meshes;

use crate::meshes::{
    Builder, Chance, frame, from_map, navmesh, point_in, random_map, random_polygon, spiral,
};
use crate::paths::{check_shape, random_pair};

type Place = (i64, i64);

fn side(a: Place, b: Place, c: Place) -> i128 {
    i128::from(b.0 - a.0) * i128::from(c.1 - a.1) - i128::from(b.1 - a.1) * i128::from(c.0 - a.0)
}

fn distance(a: Place, b: Place) -> f64 {
    DVec2::new((a.0 - b.0) as f64, (a.1 - b.1) as f64).length()
}

pub(crate) fn plan_length(path: &Path) -> f64 {
    path.points.windows(2).map(|pair| pair[0].as_dvec3().xz().distance(pair[1].as_dvec3().xz())).sum()
}

/// Triangles and quadrilaterals over shaken grid points, some left out.
struct Shaken {
    points: Vec<Place>,
    polygons: Vec<Vec<usize>>,
}

/// Size of a square of the shaken grid.
const STEP: i64 = 1000;

impl Shaken {
    fn new(seed: u64, size: usize, holes: usize, shake: i64) -> Self {
        let mut chance = Chance(seed);
        let mut points = Vec::new();
        for z in 0..=size {
            for x in 0..=size {
                let mut jitter = || chance.below(2 * shake as usize + 1) as i64 - shake;
                points.push((x as i64 * STEP + jitter(), z as i64 * STEP + jitter()));
            }
        }
        let mut polygons = Vec::new();
        for z in 0..size {
            for x in 0..size {
                let at = z * (size + 1) + x;
                let square = [at, at + 1, at + size + 2, at + size + 1];
                let corner = |corner: usize| points[square[corner % 4]];
                let is_convex =
                    (0..4).all(|first| side(corner(first), corner(first + 1), corner(first + 2)) > 0);
                if is_convex && chance.one_in(2) {
                    if chance.below(100) >= holes {
                        polygons.push(square.to_vec());
                    }
                    continue;
                }
                // Along the diagonal that leaves both halves positive.
                let first = usize::from(
                    side(corner(0), corner(1), corner(2)) <= 0 || side(corner(0), corner(2), corner(3)) <= 0,
                );
                for half in [[0, 1, 2], [0, 2, 3]] {
                    if chance.below(100) >= holes {
                        polygons.push(half.iter().map(|corner| square[(corner + first) % 4]).collect());
                    }
                }
            }
        }
        Self { points, polygons }
    }

    fn mesh(&self) -> PolyMesh {
        let mut builder = Builder::default();
        for polygon in &self.polygons {
            let ids = polygon.iter().map(|&corner| {
                let (x, z) = self.points[corner];
                builder.vertex(x as i32, z as i32, 0, 0.0)
            });
            let ids = ids.collect();
            builder.polygon(ids, AreaId::GROUND);
        }
        builder.build(self.frame())
    }

    fn frame(&self) -> GridFrame {
        GridFrame {
            origin: Vec3::ZERO,
            cell_size: 1.0 / 64.0,
            level_height: 0.25,
            width: 100_000,
            depth: 100_000,
        }
    }

    fn edges(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        self.polygons.iter().enumerate().flat_map(|(polygon, corners)| {
            (0..corners.len()).map(move |edge| (corners[edge], corners[(edge + 1) % corners.len()], polygon))
        })
    }

    /// Corners of polygons around each point, in connected groups: `(point, polygons)`.
    fn fans(&self) -> Vec<(usize, BTreeSet<usize>)> {
        let mut fans: Vec<(usize, BTreeSet<usize>)> = Vec::new();
        for (polygon, corners) in self.polygons.iter().enumerate() {
            fans.extend(corners.iter().map(|&corner| (corner, BTreeSet::from([polygon]))));
        }
        for (a, b, one) in self.edges() {
            for (c, d, other) in self.edges() {
                if (a, b) != (d, c) {
                    continue;
                }
                for point in [a, b] {
                    let find = |polygon: usize| {
                        fans.iter()
                            .position(|(at, polygons)| *at == point && polygons.contains(&polygon))
                            .unwrap()
                    };
                    let (first, second) = (find(one), find(other));
                    if first != second {
                        let (_, polygons) = fans.swap_remove(first.max(second));
                        fans[first.min(second)].1.extend(polygons);
                    }
                }
            }
        }
        fans
    }

    /// Shortest length from a place inside a polygon to another.
    fn shortest(&self, from: (usize, Place), to: (usize, Place)) -> f64 {
        let walls: Vec<(usize, usize)> = {
            let all: BTreeSet<(usize, usize)> = self.edges().map(|(a, b, _)| (a, b)).collect();
            all.iter().copied().filter(|&(a, b)| !all.contains(&(b, a))).collect()
        };
        // Places with the polygons from which they are reached.
        let mut nodes: Vec<(Option<usize>, Place, BTreeSet<usize>)> =
            vec![(None, from.1, BTreeSet::from([from.0])), (None, to.1, BTreeSet::from([to.0]))];
        nodes.extend(
            self.fans().into_iter().map(|(point, polygons)| (Some(point), self.points[point], polygons)),
        );
        // `true` if a polygon at one end contains the first piece of the path to another place.
        let leads = |polygon: usize, a: Place, b: Place| {
            let corners = &self.polygons[polygon];
            (0..corners.len()).all(|edge| {
                let (p, q) = (self.points[corners[edge]], self.points[corners[(edge + 1) % corners.len()]]);
                side(p, q, a) > 0 || side(p, q, b) >= 0
            })
        };
        let sees = |one: &(Option<usize>, Place, BTreeSet<usize>),
                    other: &(Option<usize>, Place, BTreeSet<usize>)| {
            let (a, b) = (one.1, other.1);
            let is_crossed = walls.iter().any(|&(p, q)| {
                let (p, q) = (self.points[p], self.points[q]);
                let (s1, s2) = (side(a, b, p).signum(), side(a, b, q).signum());
                let (s3, s4) = (side(p, q, a).signum(), side(p, q, b).signum());
                s1 * s2 < 0 && s3 * s4 < 0
            });
            // Through another point it would be two pieces.
            let is_touched = self.points.iter().any(|&p| {
                p != a
                    && p != b
                    && side(a, b, p) == 0
                    && distance(a, p) < distance(a, b)
                    && distance(b, p) < distance(a, b)
            });
            a != b
                && !is_crossed
                && !is_touched
                && one.2.iter().any(|&polygon| leads(polygon, a, b))
                && other.2.iter().any(|&polygon| leads(polygon, b, a))
        };
        let mut best = vec![f64::INFINITY; nodes.len()];
        let mut done = vec![false; nodes.len()];
        best[0] = 0.0;
        loop {
            let open = (0..nodes.len()).filter(|&node| !done[node] && best[node].is_finite());
            let Some(node) = open.min_by(|&a, &b| best[a].total_cmp(&best[b])) else { return f64::INFINITY };
            if node == 1 {
                return best[1];
            }
            done[node] = true;
            for other in 0..nodes.len() {
                let through = best[node] + distance(nodes[node].1, nodes[other].1);
                if !done[other] && through < best[other] && sees(&nodes[node], &nodes[other]) {
                    best[other] = through;
                }
            }
        }
    }

    /// A place strictly inside a polygon.
    fn place(&self, polygon: usize, chance: &mut Chance) -> Place {
        let corners: Vec<Place> = self.polygons[polygon].iter().map(|&corner| self.points[corner]).collect();
        loop {
            let weights: Vec<i64> = corners.iter().map(|_| 1 + chance.below(30) as i64).collect();
            let sum: i64 = weights.iter().sum();
            let mean = |pick: fn(&Place) -> i64| {
                corners.iter().zip(&weights).map(|(corner, weight)| pick(corner) * weight).sum::<i64>() / sum
            };
            let place = (mean(|p| p.0), mean(|p| p.1));
            if (0..corners.len())
                .all(|edge| side(corners[edge], corners[(edge + 1) % corners.len()], place) > 0)
            {
                return place;
            }
        }
    }
}

#[test]
fn the_length_is_that_of_a_visibility_graph() {
    let mut scratch = QueryScratch::default();
    let (mut found, mut none, mut turns) = (0, 0, 0);
    for seed in 0..700 {
        let shaken = Shaken::new(
            seed,
            4 + (seed % 3) as usize,
            [15, 25, 35][(seed % 3) as usize],
            [0, 300, 450][(seed / 3 % 3) as usize],
        );
        let mesh = NavMesh::try_from(shaken.mesh()).unwrap();
        let mut chance = Chance(seed);
        for _ in 0..4 {
            let ends = [(); 2].map(|()| {
                let polygon = chance.below(shaken.polygons.len());
                (polygon, shaken.place(polygon, &mut chance))
            });
            let expected = shaken.shortest(ends[0], ends[1]) / 64.0;
            let [from, to] = ends.map(|(_, (x, z))| Vec3::new(x as f32 / 64.0, 0.0, z as f32 / 64.0));
            let path = path_or_none(mesh.query().shortest().memory(&mut scratch).partial().path(from, to));
            assert_eq!(
                path.outcome == Outcome::Complete,
                expected.is_finite(),
                "seed {seed}: {from} to {to}"
            );
            if path.outcome != Outcome::Complete {
                none += 1;
                continue;
            }
            found += 1;
            turns += path.points.len() - 2;
            let length = plan_length(&path);
            assert!(
                (length - expected).abs() <= 1e-5 * (1.0 + expected),
                "seed {seed}: {length} is not {expected}, {from} to {to}"
            );
            check_shape(&mesh, &path);
        }
    }
    assert!(found > 1500 && none > 200 && turns > 1000, "{found} found, {none} none, {turns} turns");
}

/// The length that a slow search over the corners of a map of squares finds.
fn map_shortest(map: &[String], from: Place, to: Place, unit: i64) -> f64 {
    let (width, depth) = (map[0].len() as i64, map.len() as i64);
    let solid = |x: i64, z: i64| {
        x < 0 || z < 0 || x >= width || z >= depth || map[z as usize].as_bytes()[x as usize] == b'#'
    };
    let mut places = vec![from, to];
    places.extend((0..=depth).flat_map(|z| (0..=width).map(move |x| (x * unit, z * unit))));
    let sees = |a: Place, b: Place| {
        // Blocked by the inside of a solid square: it has no corner strictly on one side only, or the boxes
        // miss each other.
        for z in -1..=depth {
            for x in -1..=width {
                if !solid(x, z) {
                    continue;
                }
                let corners =
                    [(x, z), (x + 1, z), (x + 1, z + 1), (x, z + 1)].map(|(x, z)| (x * unit, z * unit));
                let sides = corners.map(|corner| side(a, b, corner).signum());
                let straddles = sides.contains(&1) && sides.contains(&-1);
                let overlaps = a.0.min(b.0) < corners[1].0
                    && a.0.max(b.0) > corners[0].0
                    && a.1.min(b.1) < corners[2].1
                    && a.1.max(b.1) > corners[0].1;
                if straddles && overlaps {
                    return false;
                }
            }
        }
        // Along a grid line, between two solids.
        let (dx, dz) = ((b.0 - a.0).signum(), (b.1 - a.1).signum());
        if dx == 0 && a.0 % unit == 0 {
            let (x, low, high) =
                (a.0 / unit, a.1.min(b.1).div_euclid(unit), (a.1.max(b.1) - 1).div_euclid(unit));
            return (low..=high).all(|z| !solid(x, z) || !solid(x - 1, z));
        }
        if dz == 0 && a.1 % unit == 0 {
            let (z, low, high) =
                (a.1 / unit, a.0.min(b.0).div_euclid(unit), (a.0.max(b.0) - 1).div_euclid(unit));
            return (low..=high).all(|x| !solid(x, z) || !solid(x, z - 1));
        }
        true
    };
    let mut best = vec![f64::INFINITY; places.len()];
    let mut done = vec![false; places.len()];
    best[0] = 0.0;
    loop {
        let open = (0..places.len()).filter(|&place| !done[place] && best[place].is_finite());
        let Some(place) = open.min_by(|&a, &b| best[a].total_cmp(&best[b])) else { return f64::INFINITY };
        if place == 1 {
            return best[1];
        }
        done[place] = true;
        for other in 0..places.len() {
            let through = best[place] + distance(places[place], places[other]);
            if !done[other] && through < best[other] && sees(places[place], places[other]) {
                best[other] = through;
            }
        }
    }
}

#[test]
fn lines_along_walls_and_through_corners_are_exact() {
    let mut scratch = QueryScratch::default();
    let mut found = 0;
    for seed in 0..250 {
        let map =
            crate::paths::without_touching_corners(random_map(seed, 9, 8, [20, 30, 40][(seed % 3) as usize]));
        // All one kind of ground or not: polygons differ.
        let mesh = navmesh(from_map(&map, seed, frame(Vec3::ZERO), |_, _| 0.0));
        let mut chance = Chance(seed);
        for _ in 0..6 {
            // On the middle of squares, on their edges and on their corners: an eighth of a square is half a
            // metre.
            let ends = [(); 2].map(|()| {
                loop {
                    let (x, z) =
                        (chance.below(9 * 8 + 1) as i64 / 4 * 4, chance.below(8 * 8 + 1) as i64 / 4 * 4);
                    let position = Vec3::new(x as f32 * 0.5, 0.0, z as f32 * 0.5);
                    if mesh.nearest(position, &Reach::new(0.001, 1.0, 1.0)).is_some() {
                        break ((x, z), position);
                    }
                }
            });
            let expected = map_shortest(&map, ends[0].0, ends[1].0, 8) * 0.5;
            let path = path_or_none(
                mesh.query().shortest().memory(&mut scratch).partial().path(ends[0].1, ends[1].1),
            );
            if path.outcome != Outcome::Complete {
                assert!(expected.is_infinite(), "seed {seed}: {} to {}, {expected}", ends[0].1, ends[1].1);
                continue;
            }
            found += 1;
            let length = plan_length(&path);
            assert!(
                (length - expected).abs() <= 1e-5 * (1.0 + expected),
                "seed {seed}: {length} is not {expected}, {} to {}",
                ends[0].1,
                ends[1].1
            );
            check_shape(&mesh, &path);
        }
    }
    assert!(found > 700, "{found}");
}

#[test]
fn it_is_as_long_backwards_never_longer_than_the_quick_path_and_the_same_elsewhere() {
    let mut scratch = QueryScratch::default();
    let mut shorter = 0;
    for seed in 0..120 {
        let map = random_map(seed, 14, 11, [15, 30, 40][(seed % 3) as usize]);
        let [here, there] = [Vec3::ZERO, Vec3::new(512.0, -64.0, -1024.0)]
            .map(|origin| navmesh(from_map(&map, seed, frame(origin), |_, _| 0.0)));
        let mut chance = Chance(seed);
        for _ in 0..20 {
            let [(_, from), (_, to)] = random_pair(&here, &mut chance);
            let path = path_or_none(here.query().shortest().memory(&mut scratch).partial().path(from, to));
            let quick = path_or_none(here.query().memory(&mut scratch).partial().path(from, to));
            assert_eq!(path.outcome, quick.outcome, "seed {seed}");
            let back = path_or_none(here.query().shortest().memory(&mut scratch).partial().path(to, from));
            if path.outcome != Outcome::Complete {
                continue;
            }
            assert!(
                (back.length - path.length).abs() <= 1e-4,
                "seed {seed}: {} and {}, {from} to {to}",
                back.length,
                path.length
            );
            assert!(path.length <= quick.length + 1e-4, "seed {seed}: {} and {}", path.length, quick.length);
            shorter += u32::from(path.length < quick.length - 1e-3);
            let by = Vec3::new(512.0, -64.0, -1024.0);
            let moved = path_or_none(
                there.query().shortest().memory(&mut scratch).partial().path(from + by, to + by),
            );
            assert!((moved.length - path.length).abs() <= 1e-2);
        }
    }
    assert!(shorter > 20, "{shorter}");
}

#[test]
fn up_a_spiral_the_way_hugs_the_hole() {
    let mesh = navmesh(spiral(4, 1.0));
    let mut scratch = QueryScratch::default();
    let middle = |polygon: u32| {
        let view = mesh.polygon(PolyId(polygon)).unwrap();
        view.positions().sum::<Vec3>() / 4.0
    };
    let options = PathOptions::default().with_reach(Reach::new(0.1, 0.3, 0.3));
    // From the middle of the first side to that of the same side, two turns up: round eight corners,
    // whose sides are 12 m.
    let path = path_or_none(
        mesh.query()
            .options(options.with_search(PathSearch::Shortest))
            .memory(&mut scratch)
            .path(middle(2), middle(34)),
    );
    assert_eq!(path.outcome, Outcome::Complete);
    assert!(path.polygons.iter().copied().eq((2..=34).map(PolyId)));
    // The hole is from 4 m to 16 m; the path starts at (10, 2).
    let to_corner = DVec2::new(6.0, 2.0).length();
    let expected = 2.0 * to_corner + 7.0 * 12.0;
    assert!((plan_length(&path) - expected).abs() < 1e-4, "{} is not {expected}", plan_length(&path));
    let back = path_or_none(
        mesh.query()
            .options(options.with_search(PathSearch::Shortest))
            .memory(&mut scratch)
            .path(middle(34), middle(2)),
    );
    assert!((plan_length(&back) - expected).abs() < 1e-4);
}

#[test]
fn a_filter_makes_walls_that_paths_bend_round() {
    let mut scratch = QueryScratch::default();
    let filter = AreaFilter::default().without(AreaId(2));
    let (mut found, mut none) = (0, 0);
    for seed in 0..120 {
        let map = crate::paths::without_touching_corners(random_map(seed, 9, 8, 28));
        let walls: Vec<String> =
            crate::paths::without_touching_corners(map.iter().map(|row| row.replace('2', "#")).collect());
        // Reopened cells are ordinary ground.
        let map: Vec<String> = map
            .iter()
            .zip(&walls)
            .map(|(row, walls)| {
                row.chars().zip(walls.chars()).map(|(a, b)| if b == '.' { '.' } else { a }).collect()
            })
            .collect();
        let mesh = navmesh(from_map(&map, seed, frame(Vec3::ZERO), |_, _| 0.0));
        let options = PathOptions::default().with_filter(filter).with_allow_partial(false);
        let mut chance = Chance(seed);
        for _ in 0..6 {
            let ends = [(); 2].map(|()| {
                loop {
                    let (x, z) = (chance.below(9) as i64 * 8 + 4, chance.below(8) as i64 * 8 + 4);
                    if map[z as usize / 8].as_bytes()[x as usize / 8] == b'.' {
                        break ((x, z), Vec3::new(x as f32 * 0.5, 0.0, z as f32 * 0.5));
                    }
                }
            });
            let expected = map_shortest(&walls, ends[0].0, ends[1].0, 8) * 0.5;
            let path = path_or_none(
                mesh.query()
                    .options(options.with_search(PathSearch::Shortest))
                    .memory(&mut scratch)
                    .path(ends[0].1, ends[1].1),
            );
            if path.outcome == Outcome::Unreachable {
                assert!(expected.is_infinite());
                none += 1;
                continue;
            }
            found += 1;
            assert!(
                (plan_length(&path) - expected).abs() <= 1e-5 * (1.0 + expected),
                "seed {seed}: {} is not {expected}",
                plan_length(&path)
            );
        }
    }
    assert!(found > 300 && none > 10, "{found} found, {none} none");
}

/// A mesh cut along a line of the grid into two storeys that links join again along the line.
pub(crate) fn cut(map: &[String], seed: u64, line: i32) -> (NavMesh, NavMesh) {
    let whole = from_map(map, seed, frame(Vec3::ZERO), |_, _| 0.0);
    let mut polygons = whole.clone();
    let mut links = Vec::new();
    for polygon in 0..polygons.polygons.len() {
        let id = PolyId::from_index(polygon);
        let range = polygons.corner_range(id);
        for edge in range.clone() {
            let next = if edge + 1 == range.end { range.start } else { edge + 1 };
            let [a, b] = [edge, next].map(|edge| polygons.vertices[polygons.corners[edge].index()]);
            let Some(beyond) = polygons.neighbours[edge] else { continue };
            if a.point.x == line && b.point.x == line {
                if a.point.z < b.point.z {
                    let end = |polygon: PolyId| LinkEnd { polygon, ends: [a, b] };
                    links.push(Link::new(end(id), end(beyond), LinkKind::Level));
                }
                polygons.neighbours[edge] = None;
            }
        }
    }
    (navmesh(whole), NavMesh::try_from(polygons).unwrap().with_links(links).unwrap())
}

#[test]
fn across_links_that_are_like_edges_the_way_is_as_short_as_without_the_cut() {
    let mut scratch = QueryScratch::default();
    let mut linked = 0;
    for seed in 0..150 {
        let map = random_map(seed, 10, 8, [10, 20, 30][(seed % 3) as usize]);
        // No polygon may lie across the line: squares left and right of it are of different kinds.
        let map: Vec<String> = map
            .iter()
            .map(|row| {
                row.char_indices()
                    .map(|(x, kind)| {
                        if kind == '#' {
                            '#'
                        } else if x < 5 {
                            '1'
                        } else {
                            '2'
                        }
                    })
                    .collect()
            })
            .collect();
        let (whole, cut) = cut(&map, seed, 5 * 8);
        let mut chance = Chance(seed);
        for _ in 0..12 {
            let (first, second) = (random_polygon(&whole, &mut chance), random_polygon(&whole, &mut chance));
            let (from, to) = (point_in(&whole, first, &mut chance), point_in(&whole, second, &mut chance));
            let expected =
                path_or_none(whole.query().shortest().memory(&mut scratch).partial().path(from, to));
            let path = path_or_none(cut.query().shortest().memory(&mut scratch).partial().path(from, to));
            assert_eq!(path.outcome == Outcome::Complete, expected.outcome == Outcome::Complete);
            if path.outcome == Outcome::Complete {
                assert!(
                    (path.length - expected.length).abs() < 1e-3,
                    "seed {seed}: {} is not {}, {from} to {to}",
                    path.length,
                    expected.length
                );
                linked += path.links.len();
            }
        }
    }
    assert!(linked > 200, "{linked}");
}

#[test]
fn a_link_never_makes_a_way_longer_and_is_taken_where_it_is_shorter() {
    let mut scratch = QueryScratch::default();
    let (mut taken, mut same) = (0, 0);
    for seed in 0..60 {
        let map = crate::paths::without_touching_corners(random_map(seed, 12, 10, 45));
        let polygons = from_map(&map, seed, frame(Vec3::ZERO), |_, _| 0.0);
        let plain = NavMesh::try_from(polygons.clone()).unwrap();
        let mut chance = Chance(seed);
        let place = |chance: &mut Chance| {
            let polygon = random_polygon(&plain, chance);
            let vertex = polygons.corners(polygon)[0];
            let vertex: PlanVertex = polygons.vertices[vertex.index()];
            LinkEnd { polygon, ends: [vertex; 2] }
        };
        let links: Vec<Link> =
            (0..4).map(|_| Link::new(place(&mut chance), place(&mut chance), LinkKind::User)).collect();
        let mesh = NavMesh::try_from(polygons.clone()).unwrap().with_links(links.clone()).unwrap();
        for _ in 0..12 {
            let (first, second) = (random_polygon(&plain, &mut chance), random_polygon(&plain, &mut chance));
            let (from, to) = (point_in(&plain, first, &mut chance), point_in(&plain, second, &mut chance));
            let before = path_or_none(plain.query().shortest().memory(&mut scratch).partial().path(from, to));
            let path = path_or_none(mesh.query().shortest().memory(&mut scratch).partial().path(from, to));
            // Over the ends of the links, each way once: the shortest by brute force.
            let at = |end: &LinkEnd| {
                let PlanPoint { x, z } = end.ends[0].point;
                Vec3::new(x as f32 * 0.5, 0.0, z as f32 * 0.5)
            };
            let length = |from: Vec3, to: Vec3, scratch: &mut QueryScratch| {
                let path = path_or_none(plain.query().shortest().memory(scratch).partial().path(from, to));
                if path.outcome == Outcome::Complete { path.length } else { f32::INFINITY }
            };
            let mut stops = vec![from, to];
            stops.extend(links.iter().flat_map(|link| [at(&link.from), at(&link.to)]));
            let mut best = vec![f32::INFINITY; stops.len()];
            best[0] = 0.0;
            for _ in 0..stops.len() {
                for a in 0..stops.len() {
                    for b in 0..stops.len() {
                        let is_link = a >= 2 && b >= 2 && (a - 2) / 2 == (b - 2) / 2;
                        if best[a].is_finite() && best[a] + stops[a].distance(stops[b]) < best[b] - 1e-4 {
                            let step = if is_link {
                                stops[a].distance(stops[b])
                            } else {
                                length(stops[a], stops[b], &mut scratch)
                            };
                            best[b] = best[b].min(best[a] + step);
                        }
                    }
                }
            }
            if path.outcome == Outcome::Complete {
                if before.outcome == Outcome::Complete {
                    assert!(path.length <= before.length + 1e-3);
                }
                assert!(path.length >= from.distance(to) - 1e-3);
                assert!(
                    path.length <= best[1] + 1e-2,
                    "seed {seed}: {} but {} is possible, {from} to {to}",
                    path.length,
                    best[1]
                );
                if path.links.is_empty() { same += 1 } else { taken += 1 }
            } else {
                assert!(before.outcome != Outcome::Complete);
            }
        }
    }
    assert!(taken > 40 && same > 40, "{taken} taken, {same} not");
}

#[test]
fn partial_unreachable_and_equal_ends_are_as_with_the_quick_search() {
    let map = ["...#.".to_owned(), ".#.#.".to_owned(), "...#.".to_owned()];
    let mesh = navmesh(from_map(&map, 5, frame(Vec3::ZERO), |_, _| 0.0));
    let mut scratch = QueryScratch::default();
    let (from, to) = (Vec3::new(2.0, 0.0, 2.0), Vec3::new(18.0, 0.0, 6.0));
    let path = path_or_none(mesh.query().shortest().memory(&mut scratch).partial().path(from, to));
    assert_eq!(path.outcome, Outcome::Partial { reached: Vec3::new(12.0, 0.0, 6.0) });
    let strict = PathOptions::default().with_allow_partial(false);
    assert_eq!(
        path_or_none(
            mesh.query()
                .options(strict.with_search(PathSearch::Shortest))
                .memory(&mut scratch)
                .path(from, to)
        ),
        Path::default()
    );
    let still = path_or_none(mesh.query().shortest().memory(&mut scratch).partial().path(from, from));
    assert_eq!((still.outcome, still.points.len(), still.polygons.len()), (Outcome::Complete, 1, 1));
    assert!(mesh.query().shortest().memory(&mut scratch).path(Vec3::NAN, to).is_err());
    assert!(mesh.query().shortest().memory(&mut scratch).path(from, Vec3::splat(1e30)).is_err());
}

#[test]
fn ends_that_are_moved_to_slanted_walls_lose_no_way() {
    let mut scratch = QueryScratch::default();
    let options = PathOptions::default().with_reach(Reach::new(20.0, 1.0, 1.0));
    let mut walled = 0;
    for seed in 0..300_u16 {
        let side = 4 + seed % 7;
        let blocked = [0.15, 0.25, 0.35, 0.1][usize::from(seed % 4)];
        let mesh = navmesh(flat_meshes::crooked(seed.into(), side, blocked));
        let mut random = Random::new(seed.into());
        for _ in 0..40 {
            let width = 10.0 * f32::from(side);
            let [from, to] = [(); 2].map(|()| Vec3::new(width * random.unit(), 0.0, width * random.unit()));
            let Ok(path) = mesh.query().options(options).memory(&mut scratch).path(from, to) else {
                continue;
            };
            let shortest = path_or_none(
                mesh.query()
                    .options(options.with_search(PathSearch::Shortest))
                    .memory(&mut scratch)
                    .path(from, to),
            );
            let text = format!("seed {seed}: {from} to {to}");
            assert_eq!(
                std::mem::discriminant(&shortest.outcome),
                std::mem::discriminant(&path.outcome),
                "{text}"
            );
            assert!(
                shortest.length <= path.length + 1e-3,
                "{text}: {} m, {} m",
                shortest.length,
                path.length
            );
            let ends = [path.points.first(), path.points.last()];
            walled += usize::from(ends != [Some(&from), Some(&to)]);
        }
    }
    assert!(walled > 1000, "{walled}");
}

/// Found by a fuzzer: a wall that continues straight over a corner allows no turn, and
/// places on it are rounded to beyond it.
#[test]
fn places_on_a_wall_that_goes_on_straight_are_reached() {
    let cases: [(u64, u16, f64, [[f32; 2]; 2]); 3] = [
        (654_991_540_645_942_613, 3, 0.1, [[8.863_683, 8.730_713], [8.854_13, 20.208_34]]),
        (8_608_480_567_731_124_096, 13, 0.5, [[59.067_98, 61.006_798], [58.912_23, 60.991_222]]),
        (8_608_480_567_731_124_096, 13, 0.5, [[59.067_98, 61.006_798], [57.944_824, 60.894_48]]),
    ];
    let mut scratch = QueryScratch::default();
    for (seed, side, blocked, places) in cases {
        let mesh = navmesh(flat_meshes::crooked(seed, side, blocked));
        let options = PathOptions::default().with_reach(Reach::new(0.1, 1.0, 1.0));
        let [a, b] = places.map(|[x, z]| Vec3::new(x, 0.0, z));
        for [from, to] in [[a, b], [b, a]] {
            let fast = path_or_none(mesh.query().options(options).memory(&mut scratch).path(from, to));
            let shortest = options.with_search(PathSearch::Shortest);
            let path = path_or_none(mesh.query().options(shortest).memory(&mut scratch).path(from, to));
            assert_eq!((path.outcome, fast.outcome), (Outcome::Complete, Outcome::Complete));
            assert!(path.length <= fast.length, "{} m, {} m", path.length, fast.length);
            let mut sliced = SlicedPath::new(shortest);
            sliced.begin(&mesh, from, to).unwrap();
            while sliced.advance(&mesh, 1).unwrap().is_none() {}
            assert_eq!(*sliced.path(), path);
        }
    }
}

/// Returns by what share paths of the fast search are longer than the shortest: on average, and at
/// most.
fn excess_of_fast(mesh_of: impl Fn(u64) -> PolyMesh) -> [f64; 2] {
    let (mut sum, mut largest, mut count) = (0.0, 0.0_f64, 0);
    for seed in 0..120 {
        let mesh = navmesh(mesh_of(seed));
        let mut chance = Chance(seed);
        for _ in 0..40 {
            let [(_, from), (_, to)] = random_pair(&mesh, &mut chance);
            let Ok(shortest) = mesh.query().shortest().path(from, to) else { continue };
            if shortest.plan_length < 0.01 {
                continue;
            }
            for [a, b] in [[from, to], [to, from]] {
                let excess = plan_length(&mesh.path(a, b).unwrap()) / plan_length(&shortest) - 1.0;
                assert!(excess > -1e-6, "{excess}");
                sum += excess;
                largest = largest.max(excess);
                count += 1;
            }
        }
    }
    assert!(count > 6000, "{count}");
    [sum / f64::from(count), largest]
}

#[test]
fn paths_found_fast_are_nearly_as_short_as_the_shortest() {
    let blocked = |seed: u64| [0.1, 0.25, 0.4][seed as usize % 3];
    let crooked = excess_of_fast(|seed| flat_meshes::crooked(seed, 10 + seed as u16 % 20, blocked(seed)));
    assert!(crooked[0] < 0.0007 && crooked[1] < 0.08, "{crooked:?}");
    let squares = excess_of_fast(|seed| {
        let map = random_map(seed, 24, 24, (100.0 * blocked(seed)) as usize);
        from_map(&map, seed, frame(Vec3::ZERO), |_, _| 0.0)
    });
    assert!(squares[0] < 0.0012 && squares[1] < 0.12, "{squares:?}");
}
