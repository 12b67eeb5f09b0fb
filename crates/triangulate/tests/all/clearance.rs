//! Local clearance triangulations, compared with slow and simple oracles.

#![allow(clippy::unwrap_used, reason = "test helpers fail loudly")]

use crate::common;
use std::collections::BTreeSet;

use common::{polygon, random_regions, rooms, set_of, star_with_hole};
use waymesh_core::{ClearanceMesh, ClearanceTriangle, Polygon, PolygonSet, TriangleId, Validate, VertexId};
use waymesh_testkit::Random;
use waymesh_triangulate::{ClearanceConfig, triangulate_cdt, triangulate_clearance, triangulate_ears};

type Point = [f64; 2];

fn sub(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1]]
}
fn cross(a: Point, b: Point) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}
fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}
fn distance(a: Point, b: Point) -> f64 {
    dot(sub(a, b), sub(a, b)).sqrt()
}
/// Returns the nearest point of a wall.
fn nearest(p: Point, [a, b]: [Point; 2]) -> Point {
    let along = sub(b, a);
    let share = (dot(sub(p, a), along) / dot(along, along)).clamp(0.0, 1.0);
    [a[0] + share * along[0], a[1] + share * along[1]]
}
/// Returns `true` if the insides of two segments cross properly, by a margin.
fn crosses([a, b]: [Point; 2], [c, d]: [Point; 2]) -> bool {
    let side = |p, q, r| cross(sub(q, p), sub(r, p)) / distance(p, q).max(1e-12);
    let (c_side, d_side, a_side, b_side) = (side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b));
    const MARGIN: f64 = 1e-6;
    c_side.abs().min(d_side.abs()).min(a_side.abs()).min(b_side.abs()) > MARGIN
        && c_side * d_side < 0.0
        && a_side * b_side < 0.0
}

fn build(set: &PolygonSet) -> ClearanceMesh {
    set.validate().unwrap();
    let triangulation = triangulate_cdt(set).unwrap();
    let mesh = triangulate_clearance(&triangulation, &ClearanceConfig::default()).unwrap();
    mesh.validate().unwrap_or_else(|violations| panic!("{violations}"));
    mesh
}

fn walls(mesh: &ClearanceMesh) -> Vec<[Point; 2]> {
    let sides = mesh.triangles.iter().flat_map(|triangle| (0..3).map(move |side| (triangle, side)));
    sides
        .filter(|(triangle, side)| triangle.neighbours[*side].is_none())
        .map(|(triangle, side)| [side, (side + 1) % 3].map(|corner| mesh.position(triangle.vertices[corner])))
        .collect()
}

/// Returns the clearance around `b` between two sides, by its definition.
fn defined_clearance(walls: &[[Point; 2]], [b, u, w]: [Point; 3]) -> f64 {
    let mut expected = distance(b, u).min(distance(b, w));
    for &wall in walls {
        let foot = nearest(b, wall);
        let length = distance(b, foot);
        let in_sector = cross(sub(u, b), sub(foot, b)) > 1e-9 && cross(sub(foot, b), sub(w, b)) > 1e-9;
        if in_sector
            && length < expected
            && !walls.iter().any(|&other| other != wall && crosses([b, foot], other))
        {
            expected = length;
        }
    }
    expected
}

/// Checks clearances against their definition: the two sides, and every wall whose nearest point
/// lies in the sector and is visible.
fn check_clearances(what: &str, mesh: &ClearanceMesh) {
    let walls = walls(mesh);
    for (index, triangle) in mesh.triangles.iter().enumerate() {
        let points = triangle.vertices.map(|vertex| mesh.position(vertex));
        for corner in 0..3 {
            let [b, u, w] = [0, 1, 2].map(|step| points[(corner + step) % 3]);
            let open =
                triangle.neighbours[corner].is_some() && triangle.neighbours[(corner + 2) % 3].is_some();
            let actual = f64::from(triangle.clearance[corner]);
            if !open {
                assert_eq!(triangle.clearance[corner].to_bits(), 0, "{what}: a wall is no way");
                continue;
            }
            let expected = defined_clearance(&walls, [b, u, w]);
            let error = (actual - expected).abs() / expected;
            assert!(error < 1e-6, "{what}: triangle {index} corner {corner}: {actual} for {expected}");
        }
    }
}

/// Checks that no vertex that is visible from a wall beyond a traversal is closer to it than the
/// traversal's clearance.
fn check_disturbances(what: &str, mesh: &ClearanceMesh, corners: &BTreeSet<[u64; 2]>) {
    let walls = walls(mesh);
    let mut passages = Vec::new();
    for vertex in 0..mesh.vertices.len() {
        let v = mesh.position(VertexId::from_index(vertex));
        if !corners.contains(&v.map(f64::to_bits)) {
            continue;
        }
        for &wall in &walls {
            let foot = nearest(v, wall);
            let length = distance(v, foot);
            // The vertex sees the walkable side of the wall, and its foot lies strictly inside.
            if cross(sub(wall[1], wall[0]), sub(v, wall[0])) > 0.0
                && distance(foot, wall[0]) > 2e-3
                && distance(foot, wall[1]) > 2e-3
                && !walls.iter().any(|&other| other != wall && crosses([v, foot], other))
            {
                passages.push((v, foot, length));
            }
        }
    }
    for (index, triangle) in mesh.triangles.iter().enumerate() {
        let points = triangle.vertices.map(|vertex| mesh.position(vertex));
        for corner in 0..3 {
            let [b, u, w] = [0, 1, 2].map(|step| points[(corner + step) % 3]);
            let clearance = f64::from(triangle.clearance[corner]);
            for &(v, foot, length) in &passages {
                // The segment from v cuts the opposite side and an open side, in any order. The
                // foot may lie on the opposite side itself.
                let across = crosses([v, foot], [u, w]) || distance(foot, nearest(foot, [u, w])) < 1e-9;
                if length < clearance * (1.0 - 1e-6)
                    && across
                    && (crosses([v, foot], [b, u]) || crosses([v, foot], [b, w]))
                {
                    panic!(
                        "{what}: triangle {index} corner {corner} of clearance {clearance} is disturbed by {v:?} at {foot:?}, {length}"
                    );
                }
            }
        }
    }
}

fn corner_points(set: &PolygonSet) -> BTreeSet<[u64; 2]> {
    let all = set.polygons.iter().flat_map(Polygon::loops).flat_map(|l| &l.vertices);
    all.map(|&vertex| set.point(vertex))
        .map(|p| [f64::from(p.x).to_bits(), f64::from(p.z).to_bits()])
        .collect()
}

#[test]
fn a_corridor_with_a_pillar_has_the_width_beside_the_pillar() {
    // A corridor of 20 x 100 with a pillar that leaves passages of 6 and 10.
    let set = polygon(&[&[(0, 0), (100, 0), (100, 20), (0, 20)], &[(48, 6), (48, 10), (52, 10), (52, 6)]]);
    let mesh = build(&set);
    check_clearances("pillar", &mesh);
    check_disturbances("pillar", &mesh, &corner_points(&set));
    let ends = [[1.0, 10.0], [99.0, 10.0]].map(|p| locate(&mesh, p).unwrap());
    let width = bottleneck(&mesh, ends[0], ends[1]);
    assert!((width - 10.0).abs() < 1e-5, "{width}");
}

/// Tests a corner beyond one open side of a triangle that is nearer to the wall on another side
/// than the corner opposite to the wall.
#[test]
fn a_wall_may_be_a_side_of_the_triangle_whose_passage_another_corner_narrows() {
    let outline =
        [(240, 100), (278, 100), (278, 192), (278, 256), (278, 300), (240, 300), (240, 240), (242, 202)];
    let set = polygon(&[&outline]);
    let mesh = build(&set);
    check_clearances("bay", &mesh);
    check_disturbances("bay", &mesh, &corner_points(&set));
    let ends = [[260.0, 110.0], [260.0, 290.0]].map(|p| locate(&mesh, p).unwrap());
    let width = bottleneck(&mesh, ends[0], ends[1]);
    assert!((width - 36.0).abs() < 1e-5, "{width}");
}

#[test]
fn clearances_are_those_of_the_definition_and_no_traversal_is_disturbed() {
    let mut split = 0;
    for seed in 0..150 {
        for set in [rooms(seed, 12, 300), star_with_hole(seed, 30, 500, false)] {
            let what = format!("seed {seed}");
            let mesh = build(&set);
            check_clearances(&what, &mesh);
            check_disturbances(&what, &mesh, &corner_points(&set));
            split += mesh.vertices.len().saturating_sub(set.vertices.len());
        }
    }
    assert!(split > 100, "{split} walls were split");
}

#[test]
fn borders_between_regions_are_no_obstacles() {
    for seed in 0..100 {
        let set = random_regions(seed);
        let triangulation = triangulate_cdt(&set).unwrap();
        let mesh = triangulate_clearance(&triangulation, &ClearanceConfig::default()).unwrap();
        mesh.validate().unwrap();
        let area: f64 = mesh
            .triangles
            .iter()
            .map(|triangle| {
                let [a, b, c] = triangle.vertices.map(|vertex| mesh.position(vertex));
                cross(sub(b, a), sub(c, a))
            })
            .sum();
        let expected = triangulation.doubled_area() as f64;
        assert!((area - expected).abs() <= 1e-9 * expected, "seed {seed}");
        let on_wall: BTreeSet<VertexId> = mesh
            .triangles
            .iter()
            .flat_map(|triangle| (0..3).map(move |side| (triangle, side)))
            .filter(|(triangle, side)| triangle.neighbours[*side].is_none())
            .flat_map(|(triangle, side)| [triangle.vertices[side], triangle.vertices[(side + 1) % 3]])
            .collect();
        assert_eq!(on_wall.len(), mesh.vertices.len(), "seed {seed}: a vertex in the open");
    }
    // Two halves of a room have the same passages as the whole room.
    let whole = polygon(&[&[(0, 0), (40, 0), (40, 20), (0, 20)]]);
    let mut halves = set_of(&[
        vec![vec![(0, 0), (20, 0), (20, 20), (0, 20)]],
        vec![vec![(20, 0), (40, 0), (40, 20), (20, 20)]],
    ]);
    halves.polygons[1].outer.vertices[0] = VertexId(1);
    halves.polygons[1].outer.vertices[3] = VertexId(2);
    halves.polygons[0].outer.beyond[1] = Some(waymesh_core::RegionId(1));
    halves.polygons[1].outer.beyond[3] = Some(waymesh_core::RegionId(0));
    let (whole, halves) = (build(&whole), build(&halves));
    let ends = [[1.0, 9.0], [39.0, 11.0]];
    for mesh in [&whole, &halves] {
        let [from, to] = ends.map(|p| locate(mesh, p).unwrap());
        assert!(bottleneck(mesh, from, to) >= 20.0 - 1e-5);
    }
}

#[test]
fn the_start_does_not_matter() {
    for seed in 0..40 {
        let set = rooms(seed, 10, 200);
        let from_ears =
            triangulate_clearance(&triangulate_ears(&set).unwrap(), &ClearanceConfig::default()).unwrap();
        from_ears.validate().unwrap();
        check_clearances(&format!("seed {seed}"), &from_ears);
        check_disturbances(&format!("seed {seed}"), &from_ears, &corner_points(&set));
    }
}

fn locate(mesh: &ClearanceMesh, p: Point) -> Option<TriangleId> {
    mesh.triangles
        .iter()
        .position(|triangle| {
            let [a, b, c] = triangle.vertices.map(|vertex| mesh.position(vertex));
            [[a, b], [b, c], [c, a]].iter().all(|&[u, v]| cross(sub(v, u), sub(p, u)) >= 0.0)
        })
        .map(TriangleId::from_index)
}

/// Returns the width of the widest chain between two triangles: the maximum, over all chains, of
/// the least clearance on the chain.
fn bottleneck(mesh: &ClearanceMesh, from: TriangleId, to: TriangleId) -> f64 {
    passage_between(mesh, from, to, |_, _| f64::INFINITY)
}

/// Returns the width of the widest chain between two triangles, with a width for leaving the first
/// triangle and entering the last through a side.
fn passage_between(
    mesh: &ClearanceMesh,
    from: TriangleId,
    to: TriangleId,
    at_end: impl Fn(&ClearanceTriangle, usize) -> f64,
) -> f64 {
    if from == to {
        return f64::INFINITY;
    }
    let mut result = 0.0_f64;
    // States are sides through which a triangle was entered; widest first.
    let mut best = vec![0.0_f64; 3 * mesh.triangles.len()];
    let mut open: Vec<(f64, usize)> = Vec::new();
    let enter =
        |best: &mut Vec<f64>, open: &mut Vec<(f64, usize)>, from: TriangleId, side: usize, width: f64| {
            let Some(next) = mesh.triangles[from.index()].neighbours[side] else { return };
            let ends = mesh.triangles[from.index()].vertices;
            let entry = (0..3)
                .find(|&entry| mesh.triangles[next.index()].vertices[entry] == ends[(side + 1) % 3])
                .unwrap();
            // The side itself is also a gap.
            let width = width.min(distance(mesh.position(ends[side]), mesh.position(ends[(side + 1) % 3])));
            let state = 3 * next.index() + entry;
            if width > best[state] {
                best[state] = width;
                open.push((width, state));
            }
        };
    for side in 0..3 {
        enter(&mut best, &mut open, from, side, at_end(&mesh.triangles[from.index()], side));
    }
    while let Some(top) = (0..open.len()).max_by(|&a, &b| open[a].0.total_cmp(&open[b].0)) {
        let (width, state) = open.swap_remove(top);
        let (triangle, entry) = (state / 3, state % 3);
        if triangle == to.index() {
            let width = width.min(at_end(&mesh.triangles[triangle], entry));
            result = result.max(width);
            continue;
        }
        for exit in (0..3).filter(|&exit| exit != entry) {
            let clearance = f64::from(mesh.triangles[triangle].traversal(entry, exit).unwrap());
            enter(&mut best, &mut open, TriangleId::from_index(triangle), exit, width.min(clearance));
        }
    }
    result
}

/// Returns the diameter of the largest disc that can move from one pixel to another: distances to
/// walls for each pixel, then the widest path.
fn painted_bottlenecks(
    walls: &[[Point; 2]],
    size: usize,
    pixel: f64,
    inside: impl Fn(Point) -> bool,
) -> (Vec<f64>, impl Fn(&[usize], &[usize]) -> f64) {
    let center = move |index: usize| {
        [(index % size) as f64 * pixel + pixel / 2.0, (index / size) as f64 * pixel + pixel / 2.0]
    };
    let clear: Vec<f64> = (0..size * size)
        .map(|index| {
            let p = center(index);
            if !inside(p) {
                return -1.0;
            }
            walls.iter().map(|&wall| distance(p, nearest(p, wall))).fold(f64::INFINITY, f64::min)
        })
        .collect();
    let clear_copy = clear.clone();
    let widest = move |from: &[usize], to: &[usize]| {
        let mut best = vec![-1.0_f64; clear.len()];
        let mut queue = std::collections::BinaryHeap::new();
        for &from in from.iter().filter(|&&from| clear[from] > 0.0) {
            best[from] = clear[from];
            queue.push((clear[from].to_bits(), from));
        }
        while let Some((bits, at)) = queue.pop() {
            let width = f64::from_bits(bits);
            if to.contains(&at) {
                return 2.0 * width;
            }
            if width < best[at] {
                continue;
            }
            let (x, z) = (at % size, at / size);
            for (nx, nz) in [(x + 1, z), (x.wrapping_sub(1), z), (x, z + 1), (x, z.wrapping_sub(1))] {
                if nx >= size || nz >= size || clear[nz * size + nx] <= 0.0 {
                    continue;
                }
                let next = nz * size + nx;
                let width = width.min(clear[next]);
                if width > best[next] {
                    best[next] = width;
                    queue.push((width.to_bits(), next));
                }
            }
        }
        0.0
    };
    (clear_copy, widest)
}

#[test]
fn a_disc_passes_exactly_where_the_clearances_say() {
    const SIZE: usize = 100;
    let (mut compared, mut exact) = (0, 0);
    for seed in 0..25 {
        let set = rooms(seed, 9, 300);
        let mesh = build(&set);
        let all = walls(&mesh);
        let pixel = 3.0;
        let inside = |p: Point| {
            let mut odd = false;
            for [a, b] in &all {
                if (a[1] > p[1]) != (b[1] > p[1])
                    && p[0] < a[0] + (p[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
                {
                    odd = !odd;
                }
            }
            odd
        };
        let (clear, widest) = painted_bottlenecks(&all, SIZE, pixel, inside);
        // Wide places: local maxima of the distance to the walls.
        let peaks: Vec<usize> = (0..SIZE * SIZE)
            .filter(|&at| {
                let (x, z) = (at % SIZE, at / SIZE);
                clear[at] > 6.0
                    && (z.saturating_sub(3)..(z + 4).min(SIZE))
                        .flat_map(|nz| (x.saturating_sub(3)..(x + 4).min(SIZE)).map(move |nx| nz * SIZE + nx))
                        .all(|near| clear[near] <= clear[at])
            })
            .collect();
        let mut random = Random::new(seed);
        for _ in 0..30 {
            let [from, to] = [0, 1].map(|_| peaks[random.index(peaks.len())]);
            let place = |at: usize| [(at % SIZE) as f64 * pixel + 1.5, (at / SIZE) as f64 * pixel + 1.5];
            let ends = [place(from), place(to)].map(|p| locate(&mesh, p).unwrap());
            if ends[0] == ends[1] {
                continue;
            }
            let by_paint = widest(&[from], &[to]);
            let passage = bottleneck(&mesh, ends[0], ends[1]);
            // The positions at the ends also limit the passage. Pixels may miss the narrowest
            // position by half a pixel.
            let limit = 2.0 * clear[from].min(clear[to]);
            let at = format!("seed {seed}: {:?} to {:?}: passage {passage}", place(from), place(to));
            assert!(passage.min(limit).hypot(pixel) >= by_paint - 1e-4, "{at}, paint {by_paint}");
            // The part between a position and the side through which it leaves its triangle is no
            // traversal, so all possible sides are used.
            let safe = passage_between(&mesh, ends[0], ends[1], |triangle, side| {
                let points = triangle.vertices.map(|vertex| mesh.position(vertex));
                let at = |corner: usize| [0, 1, 2].map(|step| points[(corner + step) % 3]);
                defined_clearance(&all, at(side)).min(defined_clearance(&all, at((side + 1) % 3)))
            });
            assert!(safe.min(limit) <= by_paint + 1.5 * pixel, "{at}, safe {safe}, paint {by_paint}");
            exact += usize::from(safe < limit - 1.0 && safe >= passage - 1e-4);
            compared += usize::from(by_paint < limit - 1.0);
        }
    }
    assert!(compared > 60, "{compared} pairs with a passage between them");
    assert!(exact > 30, "{exact} pairs with a bound from both sides");
}

#[test]
fn bad_input_is_named() {
    let set = polygon(&[&[(0, 0), (8, 0), (8, 8), (0, 8)]]);
    let mut triangulation = triangulate_cdt(&set).unwrap();
    let config = ClearanceConfig::default();
    for width in [0.0, -1.0, f32::NAN] {
        assert!(triangulate_clearance(&triangulation, &config.with_max_width(width)).is_err());
    }
    triangulation.triangles[0].vertices.swap(0, 1);
    assert!(triangulate_clearance(&triangulation, &config).is_err());
    triangulation.triangles.clear();
    assert!(triangulate_clearance(&triangulation, &config).unwrap().triangles.is_empty());
}
