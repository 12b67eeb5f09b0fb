//! Small cases by hand, and bad input.

#![allow(clippy::unwrap_used, reason = "test helpers fail loudly")]

use crate::common;
use std::collections::BTreeSet;

use common::{clip_ears, triangulation};
use waymesh_convex::{
    ConvexError, GreedyConfig, MergeOrder, NotchPortalsConfig, merge_greedy, notch_portals,
};
use waymesh_core::{
    AreaId, BadField, MAX_PLAN_COORDINATE, PolyId, PolyMesh, RegionId, TriangleId, Triangulation, Validate,
    VertexId,
};
use waymesh_testkit::Random;

/// Decomposes by every algorithm, without a limit.
fn all(triangulation: &Triangulation) -> [PolyMesh; 5] {
    let portals = NotchPortalsConfig::default();
    let longest = GreedyConfig::default().with_order(MergeOrder::LongestEdge);
    [
        merge_greedy(triangulation, &GreedyConfig::default()).unwrap(),
        merge_greedy(triangulation, &longest).unwrap(),
        merge_greedy(triangulation, &GreedyConfig::default().with_order(MergeOrder::Stored)).unwrap(),
        notch_portals(triangulation, &portals).unwrap(),
        notch_portals(triangulation, &portals.with_rounds(0).with_exact_vertices(0)).unwrap(),
    ]
}

fn polygon(points: &[(i32, i32)]) -> Triangulation {
    triangulation(points, &clip_ears(points))
}

#[test]
fn no_triangles_give_no_polygons() {
    for mesh in all(&triangulation(&[(3, 4)], &[])) {
        assert!(mesh.polygons.is_empty() && mesh.vertices.is_empty());
    }
}

#[test]
fn a_convex_polygon_is_one_polygon_and_keeps_corners_on_straight_walls() {
    for mesh in all(&polygon(&[(0, 0), (4, 0), (8, 0), (9, 5), (4, 9), (0, 8)])) {
        assert_eq!(mesh.polygons.len(), 1);
        assert_eq!(mesh.polygons[0].len, 6);
    }
}

#[test]
fn an_angle_is_two_polygons_with_one_portal() {
    for mesh in all(&polygon(&[(0, 0), (8, 0), (8, 3), (3, 3), (3, 8), (0, 8)])) {
        assert_eq!((mesh.polygons.len(), mesh.portal_count()), (2, 1));
    }
}

#[test]
fn a_limit_on_corners_is_kept() {
    let points: Vec<_> = (-6..=6).map(|x: i32| (x, x * x)).collect();
    let convex = polygon(&points);
    for (max_vertices, fewest) in [(3, 11), (4, 6), (6, 3), (13, 1), (0, 1)] {
        let greedy = GreedyConfig::default().with_max_vertices(max_vertices);
        let portals = NotchPortalsConfig::default().with_max_vertices(max_vertices);
        for mesh in [merge_greedy(&convex, &greedy).unwrap(), notch_portals(&convex, &portals).unwrap()] {
            mesh.validate().unwrap();
            assert!(max_vertices == 0 || mesh.polygons.iter().all(|polygon| polygon.len <= max_vertices));
            assert_eq!(mesh.polygons.len(), fewest, "at most {max_vertices}");
        }
    }
}

#[test]
fn regions_and_areas_are_never_merged() {
    let mut square = triangulation(&[(0, 0), (4, 0), (4, 4), (0, 4)], &[([0, 1, 2], 0), ([0, 2, 3], 1)]);
    for mesh in all(&square) {
        assert_eq!((mesh.polygons.len(), mesh.portal_count()), (2, 1));
    }
    square.triangles[1].region = RegionId(0);
    square.triangles[1].area = AreaId(9);
    for mesh in all(&square) {
        assert_eq!((mesh.polygons.len(), mesh.portal_count()), (2, 1));
    }
}

/// Returns two rows of two squares around vertex 4, in the given regions.
fn four_squares(regions: [u32; 4]) -> Triangulation {
    let points: Vec<_> = (0..9).map(|index| (index % 3 * 4, index / 3 * 4)).collect();
    let mut triangles = Vec::new();
    for (corner, region) in [0, 1, 3, 4].into_iter().zip(regions) {
        triangles.push(([corner, corner + 1, corner + 4], region));
        triangles.push(([corner, corner + 4, corner + 3], region));
    }
    triangles.sort_by_key(|&(_, region)| region);
    triangulation(&points, &triangles)
}

#[test]
fn a_vertex_inside_a_region_disappears() {
    for mesh in all(&four_squares([0; 4])) {
        mesh.validate().unwrap();
        assert_eq!((mesh.polygons.len(), mesh.polygons[0].len, mesh.vertices.len()), (1, 8, 8));
    }
}

#[test]
fn straight_portals_between_the_same_polygons_are_fused() {
    for mesh in all(&four_squares([0, 0, 1, 1])) {
        mesh.validate().unwrap();
        assert_eq!((mesh.polygons.len(), mesh.portal_count(), mesh.vertices.len()), (2, 1, 8));
        // The middle of the wall at z = 0 stays, because a limit on edge length may have put it
        // there.
        assert_eq!(mesh.corners(PolyId(0)).len(), 5);
    }
}

#[test]
fn a_straight_corner_that_a_third_polygon_uses_stays() {
    for mesh in all(&four_squares([0, 0, 1, 2])) {
        mesh.validate().unwrap();
        assert_eq!((mesh.polygons.len(), mesh.portal_count(), mesh.vertices.len()), (3, 3, 9));
    }
}

#[test]
fn polygons_are_numbered_by_region_then_by_triangle_or_vertex() {
    let mut squares = four_squares([2, 1, 1, 0]);
    for mesh in all(&squares) {
        assert_eq!(mesh.polygons.iter().map(|polygon| polygon.region.0).collect::<Vec<_>>(), [0, 1, 1, 2]);
        assert_eq!(mesh.corners(PolyId(1))[0], VertexId(1));
    }
    // The result also holds for another order of triangles.
    for (triangle, region) in squares.triangles.iter_mut().zip([3, 3, 1, 1, 2, 2, 0, 0]) {
        triangle.region = RegionId(region);
    }
    for mesh in all(&squares) {
        assert_eq!(mesh.polygons.iter().map(|polygon| polygon.region.0).collect::<Vec<_>>(), [0, 1, 2, 3]);
        mesh.validate().unwrap();
    }
}

fn bad_field(field: &'static str, value: u32, expected: &'static str) -> ConvexError {
    BadField::unless(false, field, value, expected).expect_err("always").into()
}

#[test]
fn one_and_two_corners_are_no_limit() {
    for max_vertices in [1, 2] {
        let error = bad_field("max_vertices", max_vertices, "0 (no limit) or at least 3");
        let greedy = GreedyConfig::default().with_max_vertices(max_vertices);
        assert_eq!(merge_greedy(&four_squares([0; 4]), &greedy), Err(error.clone()));
        let config = greedy.with_order(MergeOrder::Stored);
        assert_eq!(merge_greedy(&four_squares([0; 4]), &config), Err(error.clone()));
        let portals = NotchPortalsConfig::default().with_max_vertices(max_vertices);
        assert_eq!(notch_portals(&four_squares([0; 4]), &portals), Err(error));
    }
}

#[test]
fn patches_have_limits() {
    let run = |config: &NotchPortalsConfig| notch_portals(&four_squares([0; 4]), config).map(|_| ());
    let config = NotchPortalsConfig::default();
    for window_vertices in [0, 7, 1025] {
        let error = bad_field("window_vertices", window_vertices, "8 to 1024");
        assert_eq!(run(&config.with_window_vertices(window_vertices)), Err(error));
    }
    let error = bad_field("exact_vertices", 1025, "at most 1024");
    assert_eq!(run(&config.with_exact_vertices(1025)), Err(error));
    assert_eq!(run(&config.with_window_vertices(8).with_exact_vertices(1024)), Ok(()));
}

#[test]
fn no_wall_can_run_a_negative_distance_from_straight() {
    for convex_distance in [-0.1, f32::INFINITY, f32::NAN] {
        let config = NotchPortalsConfig::default().with_convex_distance(convex_distance);
        let error = notch_portals(&four_squares([0; 4]), &config).unwrap_err();
        assert!(matches!(error, ConvexError::BadField(bad) if bad.field == "convex_distance"), "{error}");
    }
}

/// A room with a dent in its floor: three notches in a chain, 1, 2 and 1 cells from straight.
const DENT: [(i32, i32); 9] =
    [(0, 0), (30, 0), (40, 1), (50, 2), (60, 1), (70, 0), (100, -40), (100, 100), (0, 100)];

#[test]
fn shallow_notches_get_no_portal_and_stay_in_the_wall() {
    let room = polygon(&DENT);
    let area = room.doubled_area();
    let relaxed = |metres| {
        let config = NotchPortalsConfig::default().with_convex_distance(metres);
        let mesh = notch_portals(&room, &config).unwrap();
        let areas = (0..mesh.polygons.len()).map(|polygon| mesh.doubled_area(PolyId::from_index(polygon)));
        assert_eq!((areas.sum::<i128>(), mesh.vertices.len()), (area, 9), "{metres}");
        mesh
    };
    let [strict, shallow, all] = [0.0, 0.9, 2.1].map(relaxed);
    strict.validate().unwrap();
    // At 0.9 only the middle of (40, 1), (50, 2) and (60, 1) is a notch; at (30, 0) the wall turns
    // left.
    assert!(shallow.polygons.len() <= strict.polygons.len());
    assert!(
        all.polygons.len() < strict.polygons.len(),
        "{} of {}",
        all.polygons.len(),
        strict.polygons.len()
    );
    assert_eq!(relaxed(1000.0).polygons.len(), all.polygons.len());
}

/// Decomposes by the portals of notches alone, without the search.
fn portals_alone(points: &[(i32, i32)], config: NotchPortalsConfig) -> PolyMesh {
    notch_portals(&polygon(points), &config.with_rounds(0).with_exact_vertices(0)).unwrap()
}

/// Returns the ends of all portals.
fn portals(mesh: &PolyMesh) -> BTreeSet<[(i32, i32); 2]> {
    let mut portals = BTreeSet::new();
    for polygon in (0..mesh.polygons.len()).map(PolyId::from_index) {
        let corners = mesh.corners(polygon);
        for (side, _) in mesh.neighbours(polygon).iter().enumerate().filter(|(_, beyond)| beyond.is_some()) {
            let mut ends = [corners[side], corners[(side + 1) % corners.len()]].map(|v| mesh.point(v));
            ends.sort_unstable_by_key(|point| (point.x, point.z));
            portals.insert(ends.map(|point| (point.x, point.z)));
        }
    }
    portals
}

#[test]
fn a_notch_has_its_portal_to_the_closest_vertex_in_its_area_of_interest() {
    let points = [(0, 0), (100, 0), (100, 40), (40, 40), (40, 100), (0, 100), (0, 35)];
    let mesh = portals_alone(&points, NotchPortalsConfig::default());
    // (0, 35) is in the area of the notch (40, 40) and closest.
    assert_eq!(portals(&mesh), BTreeSet::from([[(0, 35), (40, 40)]]));
}

#[test]
fn one_portal_serves_two_notches_that_lie_in_each_others_area_of_interest() {
    // A waist, with a closer convex corner next to each notch.
    let points = [(0, 0), (50, 20), (100, 0), (100, 60), (80, 62), (55, 60), (0, 100)];
    let waist = BTreeSet::from([[(50, 20), (55, 60)]]);
    assert_eq!(portals(&portals_alone(&points, NotchPortalsConfig::default())), waist);
}

#[test]
fn a_notch_that_sees_no_vertex_in_its_area_of_interest_keeps_two_edges() {
    // The area of the notch (50, 50) meets only the floor.
    let points = [(0, 0), (100, 0), (60, 100), (50, 50), (40, 100)];
    for mesh in all(&polygon(&points)) {
        mesh.validate().unwrap();
        let expected = BTreeSet::from([[(0, 0), (50, 50)], [(50, 50), (100, 0)]]);
        assert_eq!(portals(&mesh), expected);
    }
}

#[test]
fn broken_triangles_are_named() {
    let error = |change: fn(&mut Triangulation)| {
        let mut squares = four_squares([0; 4]);
        change(&mut squares);
        let error = merge_greedy(&squares, &GreedyConfig::default()).unwrap_err();
        assert_eq!(
            merge_greedy(&squares, &GreedyConfig::default().with_order(MergeOrder::Stored)).unwrap_err(),
            error
        );
        error
    };
    let triangle = TriangleId(0);
    assert_eq!(
        error(|squares| squares.triangles[0].vertices[1] = VertexId(70)),
        ConvexError::UnknownVertex { triangle, vertex: VertexId(70), count: 9 }
    );
    assert_eq!(
        error(|squares| squares.vertices[0].point.x = i32::MAX),
        ConvexError::OutOfRange { triangle: TriangleId(0), limit: MAX_PLAN_COORDINATE }
    );
    assert_eq!(
        error(|squares| squares.triangles[0].vertices.reverse()),
        ConvexError::NotPositive { triangle }
    );
    assert_eq!(
        error(|squares| squares.triangles[0].neighbours[0] = Some(TriangleId(99))),
        ConvexError::OneSidedNeighbour { triangle: TriangleId(0), neighbour: TriangleId(99) }
    );
    assert_eq!(
        error(|squares| squares.triangles[0].neighbours = [None; 3]),
        ConvexError::OneSidedNeighbour { triangle: TriangleId(1), neighbour: TriangleId(0) }
    );
}

#[test]
fn triangles_that_overlap_do_not_panic() {
    // Triangles twice around one vertex, and arbitrary triangles over a few points.
    let ring = [(4, 0), (3, 3), (0, 4), (-3, 3), (-4, 0), (-3, -3), (0, -4), (3, -3)];
    let points: Vec<_> = [(0, 0)].into_iter().chain(ring).chain(ring).collect();
    let twice: Vec<_> = (0..16).map(|at| ([0, 1 + at, 1 + (at + 1) % 16], 0)).collect();
    all(&triangulation(&points, &twice));
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let points: Vec<_> = (0..7)
            .map(|_| [0, 0].map(|_: i32| i32::try_from(random.below(4)).unwrap()))
            .map(|[x, z]| (x, z))
            .collect();
        let mut triangles = Vec::new();
        for _ in 0..40 {
            let corners = [0; 3].map(|_| random.below(7));
            let shared = triangles.iter().any(|(other, _): &([u32; 3], u32)| {
                (0..9).any(|pair| {
                    let (i, j) = (pair / 3, pair % 3);
                    [other[i], other[(i + 1) % 3]] == [corners[j], corners[(j + 1) % 3]]
                })
            });
            let positive = corners.map(|corner| points[corner as usize]);
            let [a, b, c] = positive.map(|(x, z)| waymesh_core::PlanPoint::new(x, z));
            if !shared && waymesh_core::PlanPoint::orientation(a, b, c) > 0 {
                triangles.push((corners, 0));
            }
        }
        for mesh in all(&triangulation(&points, &triangles)) {
            assert!(mesh.polygons.len() <= triangles.len());
        }
    }
}

#[test]
fn the_corners_of_the_largest_grid_can_be_used() {
    let far = MAX_PLAN_COORDINATE;
    // A square with a dent from each side: two pairs of notches that see each other.
    let points = [(-far, -far), (0, -1), (far, -far), (1, 0), (far, far), (0, 1), (-far, far), (-1, 0)];
    for mesh in all(&polygon(&points)) {
        mesh.validate().unwrap();
        assert!((3..=5).contains(&mesh.polygons.len()));
    }
}
