//! Properties that hold for every polygon, checked by slow and simple reference code.

#![allow(clippy::unwrap_used, reason = "test helpers fail loudly")]

use crate::common;
use std::collections::{BTreeMap, BTreeSet};

use common::{random_regions, rooms, star_with_hole};
use waymesh_core::{PlanPoint, PolygonSet, RegionId, TriangleId, Triangulation, Validate, VertexId};
use waymesh_triangulate::{triangulate_cdt, triangulate_ears};

/// Directed edges of a region with the region beyond.
type Edges = BTreeSet<(RegionId, VertexId, VertexId, Option<RegionId>)>;

fn check(what: &str, set: &PolygonSet, triangulation: &Triangulation) {
    if let Err(violations) = triangulation.validate() {
        panic!("{what}: {violations}");
    }
    assert_eq!(triangulation.vertices, set.vertices, "{what}");
    let mut areas: BTreeMap<RegionId, i128> = BTreeMap::new();
    let mut counts: BTreeMap<RegionId, usize> = BTreeMap::new();
    let mut edges = Edges::new();
    for (index, triangle) in triangulation.triangles.iter().enumerate() {
        let [a, b, c] = triangulation.corners(TriangleId::from_index(index));
        *areas.entry(triangle.region).or_default() += i128::from(PlanPoint::orientation(a, b, c));
        *counts.entry(triangle.region).or_default() += 1;
        for side in 0..3 {
            let (from, to) = (triangle.vertices[side], triangle.vertices[(side + 1) % 3]);
            let beyond = triangle.neighbours[side].map(|other| triangulation.triangles[other.index()].region);
            if beyond != Some(triangle.region) {
                assert!(edges.insert((triangle.region, from, to, beyond)), "{what}: an edge twice");
            }
        }
    }
    let mut expected = Edges::new();
    for polygon in &set.polygons {
        let area: i128 = polygon.loops().map(|l| set.doubled_area(l)).sum();
        assert_eq!(areas[&polygon.region], area, "{what}: area");
        let corners: usize = polygon.loops().map(|l| l.vertices.len()).sum();
        // Every corner is used, so the polygon has n + 2 h - 2 triangles.
        assert_eq!(counts[&polygon.region], corners + 2 * polygon.holes.len() - 2, "{what}: triangles");
        for polygon_loop in polygon.loops() {
            for (index, &from) in polygon_loop.vertices.iter().enumerate() {
                let to = polygon_loop.vertices[(index + 1) % polygon_loop.vertices.len()];
                expected.insert((polygon.region, from, to, polygon_loop.beyond[index]));
            }
        }
    }
    // The border of the triangles is the border of the polygons, vertex by vertex.
    assert!(edges == expected, "{what}: borders");
}

/// Checks that no corner across an edge inside a region lies in the circle of the triangle, which
/// makes a triangulation the Delaunay triangulation.
fn check_circles(what: &str, triangulation: &Triangulation) {
    for (index, triangle) in triangulation.triangles.iter().enumerate() {
        let [a, b, c] = triangulation.corners(TriangleId::from_index(index));
        for other in triangle.neighbours.iter().flatten() {
            if triangulation.triangles[other.index()].region != triangle.region {
                continue;
            }
            for d in triangulation.corners(*other) {
                let row = |p: PlanPoint| {
                    let (x, z) = (i128::from(p.x) - i128::from(d.x), i128::from(p.z) - i128::from(d.z));
                    [x, z, x * x + z * z]
                };
                let [a, b, c] = [a, b, c].map(row);
                let minor = |p: [i128; 3], q: [i128; 3]| p[0] * q[1] - p[1] * q[0];
                let determinant = a[2] * minor(b, c) + b[2] * minor(c, a) + c[2] * minor(a, b);
                assert!(determinant <= 0, "{what}: a corner in the circle of triangle {index}");
            }
        }
    }
}

fn check_both(what: &str, set: &PolygonSet) {
    if let Err(violations) = set.validate() {
        panic!("{what}: bad test input: {violations}");
    }
    let delaunay = triangulate_cdt(set).unwrap_or_else(|error| panic!("{what}: {error}"));
    check(what, set, &delaunay);
    check_circles(what, &delaunay);
    let ears = triangulate_ears(set).unwrap_or_else(|error| panic!("{what}: {error}"));
    check(what, set, &ears);
    assert_eq!(delaunay.triangles.len(), ears.triangles.len());
}

#[test]
fn random_regions_with_holes_and_pinches_are_filled() {
    for seed in 0..1500 {
        check_both(&format!("seed {seed}"), &random_regions(seed));
    }
}

#[test]
fn random_stars_with_holes_are_filled() {
    for seed in 0..200 {
        for (corners, radius) in [(12, 60), (20, 5000), (60, 1 << 20), (250, 1 << 20)] {
            let what = format!("seed {seed}, {corners} corners");
            check_both(&what, &star_with_hole(seed, corners, radius, seed % 2 == 0));
        }
    }
}

#[test]
fn the_order_of_vertices_and_holes_does_not_show() {
    for seed in 0..200 {
        let set = random_regions(seed);
        let mut turned = set.clone();
        for polygon in &mut turned.polygons {
            for polygon_loop in std::iter::once(&mut polygon.outer).chain(&mut polygon.holes) {
                let by = usize::try_from(seed).unwrap() % polygon_loop.vertices.len();
                polygon_loop.vertices.rotate_left(by);
                polygon_loop.beyond.rotate_left(by);
            }
            polygon.holes.reverse();
        }
        let canonical = |set: &PolygonSet| {
            let triangulation = triangulate_cdt(set).unwrap();
            let triangles: BTreeSet<_> = triangulation
                .triangles
                .iter()
                .map(|triangle| {
                    let mut corners = triangle.vertices;
                    corners.sort_unstable();
                    (triangle.region, corners)
                })
                .collect();
            triangles
        };
        assert!(canonical(&set) == canonical(&turned), "seed {seed}");
    }
}

/// Tests equal vertices with the holes in another order, and another first vertex of each border.
#[test]
fn the_order_of_the_borders_does_not_matter() {
    for seed in 0..100 {
        for set in [random_regions(seed), rooms(seed, 10, 500)] {
            let mut turned = set.clone();
            for polygon in &mut turned.polygons {
                polygon.holes.reverse();
                for border in std::iter::once(&mut polygon.outer).chain(&mut polygon.holes) {
                    border.vertices.rotate_left(1);
                    border.beyond.rotate_left(1);
                }
            }
            assert!(triangulate_cdt(&set) == triangulate_cdt(&turned), "seed {seed}");
        }
    }
}
