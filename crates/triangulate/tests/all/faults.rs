//! Tests that invalid input gives an error with the position, and never a panic.

#![allow(clippy::unwrap_used, reason = "test helpers fail loudly")]

use crate::common;
use common::{frame, polygon, set_of};
use proptest::prelude::*;
use waymesh_core::{
    AreaId, MAX_PLAN_COORDINATE, PlanPoint, PlanVertex, Polygon, PolygonLoop, PolygonSet, RegionId, Validate,
    VertexId,
};
use waymesh_triangulate::{TriangulateError, triangulate_cdt, triangulate_ears};

const R: RegionId = RegionId(0);
const SQUARE: &[(i32, i32)] = &[(0, 0), (8, 0), (8, 8), (0, 8)];

fn both(set: &PolygonSet) -> TriangulateError {
    let error = triangulate_cdt(set).unwrap_err();
    assert_eq!(triangulate_ears(set).unwrap_err(), error);
    error
}

#[test]
fn no_polygons_give_no_triangles() {
    let set = PolygonSet { frame: frame(), vertices: Vec::new(), polygons: Vec::new() };
    assert!(triangulate_cdt(&set).unwrap().triangles.is_empty());
    assert!(triangulate_ears(&set).unwrap().triangles.is_empty());
}

#[test]
fn short_loops_and_loops_of_uneven_tables_are_named() {
    let error = both(&polygon(&[&[(0, 0), (5, 0)]]));
    assert_eq!(error, TriangulateError::BrokenLoop { region: R, border: 0, vertices: 2, beyond: 2 });
    let mut set = polygon(&[SQUARE, &[(1, 1), (1, 2), (2, 2)]]);
    set.polygons[0].holes[0].beyond.pop();
    assert_eq!(both(&set), TriangulateError::BrokenLoop { region: R, border: 1, vertices: 3, beyond: 2 });
}

#[test]
fn unknown_vertices_are_named() {
    let mut set = polygon(&[SQUARE]);
    set.polygons[0].outer.vertices[2] = VertexId(99);
    assert_eq!(both(&set), TriangulateError::UnknownVertex { region: R, vertex: VertexId(99), count: 4 });
}

#[test]
fn points_off_the_grid_are_named_and_points_at_its_limits_are_fine() {
    let big = MAX_PLAN_COORDINATE;
    let set = polygon(&[&[(-big, -big), (big, -big), (big, big), (-big, big)]]);
    assert_eq!(triangulate_cdt(&set).unwrap().triangles.len(), 2);
    assert_eq!(triangulate_ears(&set).unwrap().triangles.len(), 2);
    let error = both(&polygon(&[&[(0, 0), (5, 0), (0, i32::MAX)]]));
    let point = PlanPoint::new(0, i32::MAX);
    assert_eq!(error, TriangulateError::OutOfRange { region: R, point, limit: big });
    let error = both(&polygon(&[&[(0, 0), (5, 0), (i32::MIN, 4)]]));
    let point = PlanPoint::new(i32::MIN, 4);
    assert_eq!(error, TriangulateError::OutOfRange { region: R, point, limit: big });
}

#[test]
fn repeated_points_are_named() {
    let error = both(&polygon(&[&[(0, 0), (8, 0), (8, 0), (8, 8)]]));
    assert_eq!(error, TriangulateError::RepeatedPoint { region: R, point: PlanPoint::new(8, 0) });
}

#[test]
fn flat_and_reversed_loops_are_named() {
    let error = both(&polygon(&[&[(0, 0), (8, 0), (4, 0)]]));
    assert_eq!(error, TriangulateError::WrongOrientation { region: R, border: 0, doubled_area: 0 });
    let error = both(&polygon(&[&[(0, 0), (0, 8), (8, 8)]]));
    assert_eq!(error, TriangulateError::WrongOrientation { region: R, border: 0, doubled_area: -64 });
    let error = both(&polygon(&[SQUARE, &[(1, 1), (2, 2), (1, 2)]]));
    assert_eq!(error, TriangulateError::WrongOrientation { region: R, border: 1, doubled_area: 1 });
}

#[test]
fn crossing_touching_and_overlapping_edges_are_named() {
    let crossing: &[&[&[(i32, i32)]]] = &[
        // Edges that cross, in one loop and in two.
        &[&[(0, 0), (8, 0), (8, 8), (4, -2)]],
        &[SQUARE, &[(4, 4), (5, 12), (6, 4)]],
        // A vertex inside an edge.
        &[&[(0, 0), (8, 0), (8, 8), (4, 0), (0, 8)]],
        &[SQUARE, &[(4, 0), (3, 4), (5, 4)]],
        // A spike, and a hole with an edge of the outer border.
        &[&[(0, 0), (8, 0), (8, 8), (12, 12), (8, 8), (0, 8)]],
        &[SQUARE, &[(0, 0), (4, 4), (8, 0)]],
        // A loop with a winding number of two.
        &[&[(0, 0), (9, 0), (9, 9), (0, 9), (0, 1), (8, 1), (8, 8), (1, 8), (1, 2), (0, -1)]],
        // The outer border as its own hole.
        &[SQUARE, &[(0, 8), (8, 8), (8, 0), (0, 0)]],
    ];
    for (index, loops) in crossing.iter().enumerate() {
        let set = polygon(loops);
        for error in [triangulate_cdt(&set).unwrap_err(), triangulate_ears(&set).unwrap_err()] {
            let named = matches!(error, TriangulateError::CrossingEdges { region: R, .. });
            assert!(named, "case {index}: {error}");
        }
    }
}

#[test]
fn borders_that_cross_at_a_vertex_are_named() {
    let error = both(&polygon(&[&[(0, 0), (8, 0), (4, 4), (0, 8), (8, 8), (4, 4)]]));
    let expected = TriangulateError::WrongOrientation { region: R, border: 0, doubled_area: 0 };
    assert_eq!(error, expected);
    let error =
        both(&polygon(&[&[(0, 0), (8, 0), (4, 4), (0, 9), (8, 9), (4, 4)], &[(1, 1), (1, 2), (2, 1)]]));
    assert!(matches!(error, TriangulateError::WrongOrientation { .. }));
    let error = both(&polygon(&[&[(0, 0), (9, 0), (4, 4), (0, 8), (8, 8), (4, 4)]]));
    assert_eq!(error, TriangulateError::CrossingAtVertex { region: R, point: PlanPoint::new(4, 4) });
}

#[test]
fn holes_outside_and_holes_in_holes_are_named() {
    for set in [
        polygon(&[SQUARE, &[(20, 1), (20, 3), (22, 3)]]),
        polygon(&[SQUARE, &[(-20, 1), (-20, 3), (-18, 3)]]),
        polygon(&[SQUARE, &[(1, 1), (1, 7), (7, 7), (7, 1)], &[(3, 3), (3, 4), (4, 4)]]),
        polygon(&[&[(3, 3), (4, 3), (4, 4)], &[(0, 0), (0, 8), (8, 8), (8, 0)]]),
    ] {
        for error in [triangulate_cdt(&set).unwrap_err(), triangulate_ears(&set).unwrap_err()] {
            assert!(matches!(error, TriangulateError::NotInside { region: R, .. }), "{error}");
        }
    }
}

#[test]
fn a_hole_that_touches_the_border_keeps_the_connection_to_the_region_in_it() {
    // The hole's corner at (0, 0) is another vertex than the border's. With the region in the hole the
    // plan has one ground there, so both become one vertex, and the region beyond still finds its
    // neighbours.
    let hole = [(0, 0), (2, 4), (4, 2)];
    let mut set = set_of(&[vec![SQUARE.to_vec(), hole.to_vec()]]);
    let vertices = set.polygons[0].holes[0].vertices.clone();
    set.polygons[0].holes[0].beyond.fill(Some(RegionId(1)));
    let outer =
        PolygonLoop { vertices: vertices.into_iter().rev().collect(), beyond: vec![Some(RegionId(0)); 3] };
    set.polygons.push(Polygon { region: RegionId(1), area: AreaId::GROUND, outer, holes: Vec::new() });
    set.validate().unwrap();
    for triangulation in [triangulate_cdt(&set).unwrap(), triangulate_ears(&set).unwrap()] {
        triangulation.validate().unwrap();
        let island = triangulation.triangles.iter().find(|triangle| triangle.region == RegionId(1)).unwrap();
        assert!(island.neighbours.iter().all(Option::is_some));
        assert!(triangulation.triangles.iter().all(|triangle| !triangle.vertices.contains(&VertexId(4))));
    }
}

#[test]
fn a_border_without_a_twin_beyond_has_no_neighbour() {
    let mut set = polygon(&[SQUARE]);
    set.polygons[0].outer.beyond = vec![Some(RegionId(7)); 4];
    let triangulation = triangulate_cdt(&set).unwrap();
    triangulation.validate().unwrap();
    assert_eq!(triangulation.triangles.iter().flat_map(|t| t.neighbours).flatten().count(), 2);
}

/// Returns random loops over few points, so that they often touch, and sometimes are valid
/// polygons.
fn any_set() -> impl Strategy<Value = PolygonSet> {
    let vertices = prop::collection::vec((0..6_i32, 0..6_i32), 3..14);
    let a_loop = || prop::collection::vec(0..16_u32, 2..9);
    let polygons = prop::collection::vec((a_loop(), prop::collection::vec(a_loop(), 0..3)), 1..3);
    (vertices, polygons, any::<bool>()).prop_map(|(points, polygons, repair)| {
        let vertices: Vec<_> =
            points.iter().map(|&(x, z)| PlanVertex { point: PlanPoint::new(x, z), height: 0.0 }).collect();
        let count = u32::try_from(vertices.len()).unwrap();
        let mut set = PolygonSet { frame: frame(), vertices, polygons: Vec::new() };
        for (region, (outer, holes)) in (0..).zip(polygons) {
            let expand = |outer: bool, indices: Vec<u32>| {
                let bound = if repair { count } else { 17 };
                let mut vertices: Vec<_> = indices.into_iter().map(|at| VertexId(at % bound)).collect();
                if repair {
                    // Short loops over distinct vertices are polygons more often.
                    let mut seen = std::collections::BTreeSet::new();
                    vertices.retain(|&vertex| seen.insert(vertex));
                    vertices.truncate(if outer { 5 } else { 3 });
                }
                let points = || vertices.iter().filter_map(|vertex| set.vertices.get(vertex.index()));
                if repair && (PlanPoint::doubled_area(points().map(|vertex| vertex.point)) > 0) != outer {
                    vertices.reverse();
                }
                PolygonLoop { beyond: vec![Some(RegionId(1 - region % 2)); vertices.len()], vertices }
            };
            let (outer, holes) =
                (expand(true, outer), holes.into_iter().map(|hole| expand(false, hole)).collect());
            set.polygons.push(Polygon { region: RegionId(region), area: AreaId::GROUND, outer, holes });
        }
        set
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_loops_give_an_error_or_a_valid_triangulation(set in any_set()) {
        let results = [triangulate_cdt(&set), triangulate_ears(&set)];
        for result in &results {
            match result {
                Ok(triangulation) => {
                    prop_assert!(triangulation.validate().is_ok());
                    let expected: i128 =
                        set.polygons.iter().flat_map(Polygon::loops).map(|l| set.doubled_area(l)).sum();
                    prop_assert_eq!(triangulation.doubled_area(), expected);
                }
                // Faults that `Validate` does not check.
                Err(
                    TriangulateError::RepeatedPoint { .. }
                    | TriangulateError::CrossingAtVertex { .. }
                    | TriangulateError::NotInside { .. },
                ) => {}
                Err(_) => {
                    let valid_one_by_one = set.polygons.iter().all(|polygon| {
                        let mut alone = set.clone();
                        alone.polygons = vec![polygon.clone()];
                        let Polygon { outer, holes, .. } = &mut alone.polygons[0];
                        for polygon_loop in std::iter::once(outer).chain(holes) {
                            polygon_loop.beyond.fill(None);
                        }
                        alone.validate().is_ok()
                    });
                    prop_assert!(!valid_one_by_one, "an error for valid polygons");
                }
            }
        }
        prop_assert_eq!(results[0].is_ok(), results[1].is_ok());
    }
}
