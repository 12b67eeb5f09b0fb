//! Properties that hold for every triangulation, checked by slow and simple reference code.

#![allow(clippy::unwrap_used, reason = "test helpers fail loudly")]

use crate::common;
use std::collections::{BTreeMap, BTreeSet};

use common::{random_halves, random_star};
use waymesh_convex::{GreedyConfig, MergeOrder, NotchPortalsConfig, merge_greedy, notch_portals};
use waymesh_core::stage::Triangulate;
use waymesh_core::{PlanPoint, PolyId, PolyMesh, RegionId, TriangleId, Triangulation, Validate, VertexId};
use waymesh_testkit::hulls::depth_below_hull;

/// Sum of all border edges along x and along z, by the regions on both sides.
type Borders = BTreeMap<(RegionId, Option<RegionId>), [i64; 2]>;

fn add(borders: &mut Borders, key: (RegionId, Option<RegionId>), [a, b]: [PlanPoint; 2]) {
    let sum = borders.entry(key).or_default();
    sum[0] += i64::from(a.x.abs_diff(b.x));
    sum[1] += i64::from(a.z.abs_diff(b.z));
}

fn check(what: &str, triangulation: &Triangulation, mesh: &PolyMesh, max_vertices: u32) {
    if let Err(violations) = mesh.validate() {
        panic!("{what}: {violations}");
    }
    let (mut areas, mut polygon_areas) = (BTreeMap::new(), BTreeMap::new());
    let (mut borders, mut polygon_borders) = (Borders::new(), Borders::new());
    for (index, triangle) in triangulation.triangles.iter().enumerate() {
        let corners = triangulation.corners(TriangleId::from_index(index));
        let [a, b, c] = corners;
        *areas.entry((triangle.region, triangle.area)).or_insert(0) +=
            i128::from(PlanPoint::orientation(a, b, c));
        for side in 0..3 {
            let beyond = triangle.neighbours[side].map(|other| triangulation.triangles[other.index()].region);
            if beyond != Some(triangle.region) {
                add(&mut borders, (triangle.region, beyond), [corners[side], corners[(side + 1) % 3]]);
            }
        }
    }
    for (index, polygon) in mesh.polygons.iter().enumerate() {
        let id = PolyId::from_index(index);
        *polygon_areas.entry((polygon.region, polygon.area)).or_insert(0) += mesh.doubled_area(id);
        assert!(max_vertices == 0 || polygon.len <= max_vertices.max(3), "{what}: {} corners", polygon.len);
        let corners = mesh.corners(id);
        for (side, beyond) in mesh.neighbours(id).iter().enumerate() {
            let beyond = beyond.map(|other| mesh.polygons[other.index()].region);
            if beyond != Some(polygon.region) {
                let ends = [corners[side], corners[(side + 1) % corners.len()]].map(|v| mesh.point(v));
                add(&mut polygon_borders, (polygon.region, beyond), ends);
            }
        }
    }
    assert_eq!(areas, polygon_areas, "{what}: areas");
    assert_eq!(borders, polygon_borders, "{what}: borders");
    assert!(mesh.polygons.is_sorted_by_key(|polygon| polygon.region), "{what}: order of polygons");
    let mut used = vec![false; mesh.vertices.len()];
    mesh.corners.iter().for_each(|vertex| used[vertex.index()] = true);
    assert!(used.iter().all(|&used| used), "{what}: unused vertices");
    assert_no_fusable_edges(what, mesh);
}

/// Asserts that no vertex lies straight between two edges of the same two polygons if only they use
/// it.
fn assert_no_fusable_edges(what: &str, mesh: &PolyMesh) {
    for index in 0..mesh.polygons.len() {
        let id = PolyId::from_index(index);
        let (corners, neighbours) = (mesh.corners(id), mesh.neighbours(id));
        for at in 0..corners.len() {
            let before = (at + corners.len() - 1) % corners.len();
            let [a, b, c] = [before, at, (at + 1) % corners.len()].map(|at| mesh.point(corners[at]));
            let uses = mesh.corners.iter().filter(|&&vertex| vertex == corners[at]).count();
            let fusable = neighbours[at].is_some()
                && neighbours[at] == neighbours[before]
                && PlanPoint::orientation(a, b, c) == 0
                && uses == 2;
            assert!(!fusable, "{what}: polygon {index} could do without its corner {at}");
        }
    }
}

/// Asserts that no two neighbours of one region and area form one convex polygon within the limit.
fn assert_maximal(what: &str, mesh: &PolyMesh, max_vertices: u32) {
    for index in 0..mesh.polygons.len() {
        let id = PolyId::from_index(index);
        for &neighbour in mesh.neighbours(id).iter().flatten() {
            let (mine, theirs) = (&mesh.polygons[index], &mesh.polygons[neighbour.index()]);
            if neighbour < id || (mine.region, mine.area) != (theirs.region, theirs.area) {
                continue;
            }
            // The border of the union: edges that are not between them, chained by their ends.
            let mut edges: BTreeMap<VertexId, VertexId> = BTreeMap::new();
            let mut start = VertexId(0);
            for (polygon, other) in [(id, neighbour), (neighbour, id)] {
                let corners = mesh.corners(polygon);
                for (side, beyond) in mesh.neighbours(polygon).iter().enumerate() {
                    if *beyond != Some(other) {
                        start = corners[side];
                        edges.insert(start, corners[(side + 1) % corners.len()]);
                    }
                }
            }
            let mut chain = vec![start];
            while edges[chain.last().unwrap()] != start {
                chain.push(edges[chain.last().unwrap()]);
            }
            let convex = (0..chain.len()).all(|at| {
                let [a, b, c] = [0, 1, 2].map(|step| mesh.point(chain[(at + step) % chain.len()]));
                PlanPoint::orientation(a, b, c) >= 0
            });
            let fits = max_vertices == 0 || chain.len() <= max_vertices as usize;
            assert!(!(convex && fits), "{what}: polygons {id} and {neighbour} could be one");
        }
    }
}

fn by_region(mesh: &PolyMesh) -> BTreeMap<RegionId, usize> {
    let mut counts = BTreeMap::new();
    mesh.polygons.iter().for_each(|polygon| *counts.entry(polygon.region).or_insert(0) += 1);
    counts
}

/// Returns a configuration with windows that are too small to hold most regions.
fn few_windows(max_vertices: u32) -> NotchPortalsConfig {
    let config = NotchPortalsConfig::default().with_max_vertices(max_vertices);
    config.with_exact_vertices(0).with_window_vertices(12)
}

fn check_all(what: &str, triangulation: &Triangulation) -> [usize; 5] {
    let mut counts = [0; 5];
    for max_vertices in [0, 3, 4, 6] {
        let greedy = GreedyConfig::default().with_max_vertices(max_vertices);
        let meshes = [
            merge_greedy(triangulation, &greedy).unwrap(),
            merge_greedy(triangulation, &greedy.with_order(MergeOrder::LongestEdge)).unwrap(),
            merge_greedy(triangulation, &greedy.with_order(MergeOrder::Stored)).unwrap(),
            notch_portals(triangulation, &NotchPortalsConfig::default().with_max_vertices(max_vertices))
                .unwrap(),
            notch_portals(triangulation, &few_windows(max_vertices)).unwrap(),
        ];
        for portals in &meshes[3..] {
            let polygons = by_region(portals);
            for other in &meshes[..3] {
                let polygons_there = by_region(other);
                // The guarantee does not include the order by longest edge.
                let longest = std::ptr::eq(other, &raw const meshes[1]);
                for (region, count) in polygons_there.iter().filter(|_| !longest) {
                    let what = format!("{what}, at most {max_vertices} corners, region {region}");
                    assert!(polygons[region] <= *count, "{what}: more polygons than others leave");
                }
            }
        }
        for (count, mesh) in counts.iter_mut().zip(&meshes) {
            let what = format!("{what}, at most {max_vertices} corners");
            check(&what, triangulation, mesh, max_vertices);
            // With vertices inside regions, a limit also counts corners that are dropped at the
            // end.
            if max_vertices == 0 || what.starts_with("star") {
                assert_maximal(&what, mesh, max_vertices);
            }
            *count += mesh.polygons.len();
        }
    }
    counts
}

#[test]
fn random_regions_with_holes_and_inner_vertices_become_polygons() {
    let mut counts = [0; 5];
    for seed in 0..300 {
        let found = check_all(&format!("halves {seed}"), &random_halves(seed));
        (0..5).for_each(|order| counts[order] += found[order]);
    }
    assert!(counts[0] < counts[1] && counts[0] <= counts[2], "{counts:?}");
    assert!(counts[3] <= counts[4] && 100 * counts[3] < 97 * counts[0], "the search finds fewer: {counts:?}");
}

/// Returns the points of the polygons of a region, without straight corners, because a vertex
/// between two regions is dropped if neither needs it.
fn region_polygons(mesh: &PolyMesh, region: RegionId) -> BTreeSet<Vec<PlanPoint>> {
    let polygons = (0..mesh.polygons.len()).map(PolyId::from_index);
    let own = polygons.filter(|polygon| mesh.polygons[polygon.index()].region == region);
    own.map(|polygon| {
        let points: Vec<_> = mesh.corners(polygon).iter().map(|&corner| mesh.point(corner)).collect();
        let count = points.len();
        let bends = |at: &usize| {
            PlanPoint::orientation(points[(at + count - 1) % count], points[*at], points[(at + 1) % count])
                != 0
        };
        let mut bent: Vec<_> = (0..count).filter(bends).map(|at| points[at]).collect();
        let first = (0..bent.len()).min_by_key(|&at| bent[at]).unwrap();
        bent.rotate_left(first);
        bent
    })
    .collect()
}

#[test]
fn the_polygons_of_a_region_do_not_depend_on_other_regions() {
    let mut regions = 0;
    for seed in 0..200 {
        let all = random_halves(seed);
        for max_vertices in [0, 5] {
            let config = NotchPortalsConfig::default().with_max_vertices(max_vertices);
            let together = notch_portals(&all, &config).unwrap();
            let names: BTreeSet<RegionId> = all.triangles.iter().map(|triangle| triangle.region).collect();
            for &region in names.iter().filter(|_| names.len() > 1) {
                let own: Vec<usize> =
                    (0..all.triangles.len()).filter(|&at| all.triangles[at].region == region).collect();
                let place = |triangle: TriangleId| own.binary_search(&triangle.index()).ok();
                let mut alone = all.clone();
                alone.triangles = own.iter().map(|&at| all.triangles[at]).collect();
                for neighbour in alone.triangles.iter_mut().flat_map(|triangle| &mut triangle.neighbours) {
                    *neighbour = neighbour.and_then(place).map(TriangleId::from_index);
                }
                let alone = notch_portals(&alone, &config).unwrap();
                let what = format!("seed {seed}, region {region}, at most {max_vertices} corners");
                assert_eq!(region_polygons(&alone, region), region_polygons(&together, region), "{what}");
                regions += 1;
            }
        }
    }
    assert!(regions > 200, "{regions} regions");
}

#[test]
fn random_stars_become_polygons() {
    let mut counts = [0; 5];
    for seed in 0..300 {
        let found = check_all(&format!("star {seed}"), &random_star(seed));
        (0..5).for_each(|order| counts[order] += found[order]);
    }
    assert!(counts[0] < counts[1] && counts[0] <= counts[2], "{counts:?}");
    assert!(counts[3] <= counts[4] && 100 * counts[3] < 97 * counts[0], "the search finds fewer: {counts:?}");
}

/// Tests that all corners of the walls are kept, the area of every region is unchanged, and no
/// polygon exceeds the limit of the relaxation.
#[test]
fn relaxed_polygons_fill_the_walls_exactly() {
    let (mut strict_polygons, mut relaxed_polygons, mut bent) = (0, 0, 0);
    for seed in 0..400 {
        let triangulation = if seed % 2 == 0 { random_star(seed) } else { random_halves(seed) };
        let wide = triangulation.vertices.iter().map(|vertex| vertex.point.x.abs()).max().unwrap_or(0);
        let metres = wide as f32
            * *[0.002, 0.02, 0.1, 1.0].iter().cycle().nth((seed / 2 % 4).try_into().unwrap()).unwrap();
        let config = NotchPortalsConfig::default();
        let strict = notch_portals(&triangulation, &config).unwrap();
        let mesh = notch_portals(&triangulation, &config.with_convex_distance(metres)).unwrap();
        let areas = |mesh: &PolyMesh| {
            let mut areas: BTreeMap<_, i128> = BTreeMap::new();
            for (index, polygon) in mesh.polygons.iter().enumerate() {
                let area = mesh.doubled_area(PolyId::from_index(index));
                assert!(area > 0, "seed {seed}: polygon {index} is turned over");
                *areas.entry((polygon.region, polygon.area)).or_default() += area;
            }
            areas
        };
        assert_eq!(areas(&mesh), areas(&strict), "seed {seed}");
        let walls = |mesh: &PolyMesh| {
            let mut walls = Vec::new();
            for polygon in (0..mesh.polygons.len()).map(PolyId::from_index) {
                let (corners, neighbours) = (mesh.corners(polygon), mesh.neighbours(polygon));
                let points = |at: usize| mesh.point(corners[at % corners.len()]);
                let walled = (0..corners.len()).filter(|&at| neighbours[at].is_none());
                walls.extend(walled.map(|at| [points(at), points(at + 1)].map(|p| (p.x, p.z))));
            }
            walls.sort_unstable();
            walls
        };
        assert_eq!(walls(&mesh), walls(&strict), "seed {seed}");
        for polygon in (0..mesh.polygons.len()).map(PolyId::from_index) {
            let depth = depth_below_hull(&mesh, polygon);
            assert!(depth <= f64::from(metres) * (1.0 + 1e-9), "seed {seed}: {depth} of {metres}");
            bent += usize::from(depth > 0.0);
        }
        strict_polygons += strict.polygons.len();
        relaxed_polygons += mesh.polygons.len();
    }
    assert!(
        bent > 100 && 20 * relaxed_polygons < 19 * strict_polygons,
        "{bent}: {relaxed_polygons} of {strict_polygons}"
    );
}

#[test]
fn no_decomposition_has_more_than_four_times_the_fewest_polygons() {
    for seed in 0..300 {
        let star = random_star(seed);
        let count = star.vertices.len();
        let notches = (0..count)
            .filter(|&at| {
                let [a, b, c] = [0, 1, 2].map(|step| star.vertices[(at + step) % count].point);
                PlanPoint::orientation(a, b, c) < 0
            })
            .count();
        for mesh in [
            merge_greedy(&star, &GreedyConfig::default()).unwrap(),
            merge_greedy(&star, &GreedyConfig::default().with_order(MergeOrder::LongestEdge)).unwrap(),
            merge_greedy(&star, &GreedyConfig::default().with_order(MergeOrder::Stored)).unwrap(),
            notch_portals(&star, &NotchPortalsConfig::default()).unwrap(),
            notch_portals(&star, &NotchPortalsConfig::default().with_rounds(0).with_exact_vertices(0))
                .unwrap(),
        ] {
            // A cut serves two notches at most; a notch needs two cuts at most.
            assert!(mesh.polygons.len() > notches.div_ceil(2), "seed {seed}");
            assert!(mesh.polygons.len() <= 2 * notches + 1, "seed {seed}");
        }
    }
}

/// Returns the fewest polygons of a simple polygon, by trying every portal at its first notch.
fn fewest(polygon: &[PlanPoint], max_vertices: usize) -> usize {
    let count = polygon.len();
    let at = |index: usize| polygon[index % count];
    let area = |points: &[PlanPoint]| PlanPoint::doubled_area(points.iter().copied());
    let notch = (0..count).find(|&tip| PlanPoint::orientation(at(tip + count - 1), at(tip), at(tip + 1)) < 0);
    if notch.is_none() && (max_vertices == 0 || count <= max_vertices) {
        return 1;
    }
    let starts = notch.map_or(0..count, |notch| notch..notch + 1);
    let mut best = usize::MAX;
    for start in starts {
        for step in 2..count - 1 {
            let (p, q) = (at(start), at(start + step));
            let blocked = (0..count).any(|edge| {
                let (a, b) = (at(edge), at(edge + 1));
                let turns = |a, b| {
                    (
                        PlanPoint::orientation(a, b, p).signum() * PlanPoint::orientation(a, b, q).signum(),
                        PlanPoint::orientation(p, q, a).signum() * PlanPoint::orientation(p, q, b).signum(),
                    )
                };
                let on = PlanPoint::orientation(p, q, a) == 0
                    && a != p
                    && a != q
                    && (a.x.clamp(p.x.min(q.x), p.x.max(q.x)), a.z.clamp(p.z.min(q.z), p.z.max(q.z)))
                        == (a.x, a.z);
                turns(a, b) == (-1, -1) || on
            });
            let one: Vec<_> = (start..=start + step).map(at).collect();
            let other: Vec<_> = (start + step..=start + count).map(at).collect();
            // A portal outside the polygon reverses the orientation of one part.
            if !blocked && area(&one) > 0 && area(&other) > 0 {
                best = best.min(fewest(&one, max_vertices) + fewest(&other, max_vertices));
            }
        }
    }
    best
}

/// Returns the border of a triangulation, if it is one loop that passes every point once.
fn single_border(triangulation: &Triangulation) -> Option<Vec<PlanPoint>> {
    let mut next = BTreeMap::new();
    for triangle in &triangulation.triangles {
        for side in (0..3).filter(|&side| triangle.neighbours[side].is_none()) {
            next.insert(triangle.vertices[side], triangle.vertices[(side + 1) % 3]);
        }
    }
    let (&start, _) = next.first_key_value()?;
    let mut border = vec![start];
    while next[border.last()?] != start {
        border.push(next[border.last()?]);
    }
    (border.len() == next.len()).then(|| border.iter().map(|&vertex| triangulation.point(vertex)).collect())
}

#[test]
fn small_regions_without_holes_have_the_fewest_polygons() {
    let (mut stars, mut halves, mut inside) = (0, 0, 0);
    for seed in 0..4000 {
        let star = seed % 2 == 0;
        let mut triangulation = if star { random_star(seed) } else { random_halves(seed) };
        for triangle in &mut triangulation.triangles {
            // Merges all triangles into one region of one area.
            triangle.region = RegionId(0);
            triangle.area = waymesh_core::AreaId::GROUND;
        }
        let Some(border) = single_border(&triangulation) else { continue };
        if border.len() > 13 || (!star && border.len() < 8) {
            continue;
        }
        for max_vertices in [0, 4] {
            if max_vertices != 0 && border.len() > 9 {
                continue;
            }
            let config = NotchPortalsConfig::default().with_max_vertices(max_vertices);
            let mesh = notch_portals(&triangulation, &config).unwrap();
            let wanted = fewest(&border, max_vertices as usize);
            assert_eq!(mesh.polygons.len(), wanted, "seed {seed}, at most {max_vertices} corners");
        }
        *(if star { &mut stars } else { &mut halves }) += 1;
        inside += usize::from(border.len() < triangulation.vertices.len());
    }
    assert!(
        stars > 200 && halves > 20 && inside > 5,
        "{stars} stars, {halves} others, {inside} with vertices inside"
    );
}

#[test]
fn one_region_of_thousands_of_vertices_with_holes_becomes_polygons() {
    for (seed, max_vertices) in [(1, 0), (2, 6)] {
        let set = waymesh_testkit::polygons::random(seed, 44, 44);
        let mut triangulation = common::CellHalves { seed }.triangulate(&set, &mut ()).unwrap();
        for triangle in &mut triangulation.triangles {
            (triangle.region, triangle.area) = (RegionId(0), waymesh_core::AreaId::GROUND);
        }
        let config = NotchPortalsConfig::default().with_max_vertices(max_vertices);
        let greedy = GreedyConfig::default().with_max_vertices(max_vertices);
        let greedy = merge_greedy(&triangulation, &greedy).unwrap().polygons.len();
        // Small patches in one round, and large patches in two rounds.
        for config in [config.with_window_vertices(16), config.with_window_vertices(100).with_rounds(2)] {
            let mesh = notch_portals(&triangulation, &config.with_exact_vertices(0)).unwrap();
            check(&format!("{seed}, {config:?}"), &triangulation, &mesh, max_vertices);
            assert!(100 * mesh.polygons.len() < 95 * greedy, "{} polygons of {greedy}", mesh.polygons.len());
        }
    }
}
