//! What must hold for every triangulation, judged in slow and obvious ways.

#![allow(clippy::unwrap_used, reason = "test helpers fail loudly")]

mod common;

use std::collections::BTreeMap;

use common::{random_halves, random_star};
use waymesh_convex::{GreedyConfig, HertelMehlhornConfig, MergeOrder, hertel_mehlhorn, merge_greedy};
use waymesh_core::{CellId, CellMesh, PlanPoint, RegionId, TriangleId, Triangulation, Validate, VertexId};

/// Width and depth of all border edges, by the region on either side.
type Borders = BTreeMap<(RegionId, Option<RegionId>), [i64; 2]>;

fn add(borders: &mut Borders, key: (RegionId, Option<RegionId>), [a, b]: [PlanPoint; 2]) {
    let sum = borders.entry(key).or_default();
    sum[0] += i64::from(a.x.abs_diff(b.x));
    sum[1] += i64::from(a.z.abs_diff(b.z));
}

fn check(what: &str, triangulation: &Triangulation, mesh: &CellMesh, max_vertices: u32) {
    if let Err(violations) = mesh.validate() {
        panic!("{what}: {violations}");
    }
    let (mut areas, mut cell_areas) = (BTreeMap::new(), BTreeMap::new());
    let (mut borders, mut cell_borders) = (Borders::new(), Borders::new());
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
    for (index, cell) in mesh.cells.iter().enumerate() {
        let id = CellId::from_index(index);
        *cell_areas.entry((cell.region, cell.area)).or_insert(0) += mesh.doubled_area(id);
        assert!(max_vertices == 0 || cell.len <= max_vertices.max(3), "{what}: {} corners", cell.len);
        let corners = mesh.corners(id);
        for (side, beyond) in mesh.neighbours(id).iter().enumerate() {
            let beyond = beyond.map(|other| mesh.cells[other.index()].region);
            if beyond != Some(cell.region) {
                let ends = [corners[side], corners[(side + 1) % corners.len()]].map(|v| mesh.point(v));
                add(&mut cell_borders, (cell.region, beyond), ends);
            }
        }
    }
    assert_eq!(areas, cell_areas, "{what}: areas");
    assert_eq!(borders, cell_borders, "{what}: borders");
    assert!(mesh.cells.is_sorted_by_key(|cell| cell.region), "{what}: order of cells");
    let mut used = vec![false; mesh.vertices.len()];
    mesh.corners.iter().for_each(|vertex| used[vertex.index()] = true);
    assert!(used.iter().all(|&used| used), "{what}: unused vertices");
    assert_no_fusable_edges(what, mesh);
}

/// No vertex lies straight between two edges of the same two cells, used by them alone.
fn assert_no_fusable_edges(what: &str, mesh: &CellMesh) {
    for index in 0..mesh.cells.len() {
        let id = CellId::from_index(index);
        let (corners, neighbours) = (mesh.corners(id), mesh.neighbours(id));
        for at in 0..corners.len() {
            let before = (at + corners.len() - 1) % corners.len();
            let [a, b, c] = [before, at, (at + 1) % corners.len()].map(|at| mesh.point(corners[at]));
            let uses = mesh.corners.iter().filter(|&&vertex| vertex == corners[at]).count();
            let fusable = neighbours[at].is_some()
                && neighbours[at] == neighbours[before]
                && PlanPoint::orientation(a, b, c) == 0
                && uses == 2;
            assert!(!fusable, "{what}: cell {index} could do without its corner {at}");
        }
    }
}

/// No two neighbours of one region and area form one convex cell within the limit.
fn assert_maximal(what: &str, mesh: &CellMesh, max_vertices: u32) {
    for index in 0..mesh.cells.len() {
        let id = CellId::from_index(index);
        for &neighbour in mesh.neighbours(id).iter().flatten() {
            let (mine, theirs) = (&mesh.cells[index], &mesh.cells[neighbour.index()]);
            if neighbour < id || (mine.region, mine.area) != (theirs.region, theirs.area) {
                continue;
            }
            // The border of both together: edges that are not between them, chained by their ends.
            let mut edges: BTreeMap<VertexId, VertexId> = BTreeMap::new();
            let mut start = VertexId(0);
            for (cell, other) in [(id, neighbour), (neighbour, id)] {
                let corners = mesh.corners(cell);
                for (side, beyond) in mesh.neighbours(cell).iter().enumerate() {
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
            assert!(!(convex && fits), "{what}: cells {id} and {neighbour} could be one");
        }
    }
}

fn check_all(what: &str, triangulation: &Triangulation) -> [usize; 3] {
    let mut counts = [0; 3];
    for max_vertices in [0, 3, 4, 6] {
        let greedy = GreedyConfig::default().with_max_vertices(max_vertices);
        let meshes = [
            merge_greedy(triangulation, &greedy).unwrap(),
            merge_greedy(triangulation, &greedy.with_order(MergeOrder::LongestEdge)).unwrap(),
            hertel_mehlhorn(triangulation, &HertelMehlhornConfig::default().with_max_vertices(max_vertices))
                .unwrap(),
        ];
        for (count, mesh) in counts.iter_mut().zip(&meshes) {
            let what = format!("{what}, at most {max_vertices} corners");
            check(&what, triangulation, mesh, max_vertices);
            // With vertices inside regions, a limit counts corners that are dropped in the end.
            if max_vertices == 0 || what.starts_with("star") {
                assert_maximal(&what, mesh, max_vertices);
            }
            *count += mesh.cells.len();
        }
    }
    counts
}

#[test]
fn random_regions_with_holes_and_inner_vertices_become_cells() {
    let mut counts = [0; 3];
    for seed in 0..300 {
        let found = check_all(&format!("halves {seed}"), &random_halves(seed));
        (0..3).for_each(|order| counts[order] += found[order]);
    }
    assert!(counts[0] < counts[1] && counts[0] <= counts[2], "the default leaves the fewest: {counts:?}");
}

#[test]
fn random_stars_become_cells() {
    let mut counts = [0; 3];
    for seed in 0..300 {
        let found = check_all(&format!("star {seed}"), &random_star(seed));
        (0..3).for_each(|order| counts[order] += found[order]);
    }
    assert!(counts[0] < counts[1] && counts[0] <= counts[2], "the default leaves the fewest: {counts:?}");
}

#[test]
fn no_decomposition_has_more_than_four_times_the_fewest_cells() {
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
            hertel_mehlhorn(&star, &HertelMehlhornConfig::default()).unwrap(),
        ] {
            // A cut serves two notches at most; a notch needs two cuts at most.
            assert!(mesh.cells.len() > notches.div_ceil(2), "seed {seed}");
            assert!(mesh.cells.len() <= 2 * notches + 1, "seed {seed}");
        }
    }
}
