//! Steiner points: lengths, grids and angles of the result.

#![allow(clippy::unwrap_used, reason = "test helpers fail loudly")]

use crate::common;
use common::{polygon, random_regions, rooms};
use waymesh_core::{PlanPoint, TriangleId, Triangulation, Validate};
use waymesh_testkit::contracts;
use waymesh_triangulate::{RefineConfig, RefinedDelaunay, refine_triangulation, triangulate_cdt};

fn length(a: PlanPoint, b: PlanPoint) -> f64 {
    (a.distance_squared(b) as f64).sqrt()
}

fn borders(triangulation: &Triangulation) -> Vec<[PlanPoint; 2]> {
    let triangles = &triangulation.triangles;
    let sides = triangles.iter().flat_map(|triangle| (0..3).map(move |side| (triangle, side)));
    sides
        .filter(|(triangle, side)| {
            triangle.neighbours[*side].is_none_or(|other| triangles[other.index()].region != triangle.region)
        })
        .map(|(triangle, side)| [side, (side + 1) % 3].map(|at| triangulation.point(triangle.vertices[at])))
        .collect()
}

fn smallest_angle(triangulation: &Triangulation) -> f64 {
    let mut smallest = f64::INFINITY;
    for index in 0..triangulation.triangles.len() {
        let points = triangulation.corners(TriangleId::from_index(index));
        for corner in 0..3 {
            let [a, b, c] = [0, 1, 2].map(|step| points[(corner + step) % 3]);
            let sine = PlanPoint::orientation(a, b, c) as f64 / (length(a, b) * length(a, c));
            let cosine = (length(a, b).powi(2) + length(a, c).powi(2) - length(b, c).powi(2))
                / (2.0 * length(a, b) * length(a, c));
            smallest = smallest.min(sine.atan2(cosine).to_degrees());
        }
    }
    smallest
}

/// Returns the number of triangles with an angle below 20 degrees.
fn sharp(triangulation: &Triangulation) -> usize {
    let mut alone = triangulation.clone();
    (0..triangulation.triangles.len())
        .filter(|&index| {
            alone.triangles = vec![triangulation.triangles[index]];
            smallest_angle(&alone) < 20.0
        })
        .count()
}

#[test]
fn refined_triangulations_keep_the_contract() {
    let grid = RefineConfig::default().with_grid_spacing(2.0).with_min_edge_length(0.5);
    for config in [
        RefineConfig::default(),
        RefineConfig::default().with_max_edge_length(2.0),
        grid,
        RefineConfig::default().with_min_angle_degrees(20.0).with_max_edge_length(3.0),
    ] {
        contracts::triangulate(&RefinedDelaunay::new(config));
    }
}

#[test]
fn borders_are_no_longer_than_asked_for() {
    for seed in 0..40 {
        let set = rooms(seed, 10, 1000);
        let plain = triangulate_cdt(&set).unwrap();
        let config = RefineConfig::default().with_max_edge_length(40.0).with_max_border_shift(1.5);
        let (refined, report) = refine_triangulation(&plain, &config).unwrap();
        refined.validate().unwrap();
        let longest = borders(&refined).iter().map(|&[a, b]| length(a, b)).fold(0.0, f64::max);
        assert_eq!(report.long_edges_left, 0, "seed {seed}");
        // Allows for a point off its edge by a cell and a half.
        assert!(longest <= 42.0, "seed {seed}: {longest}");
        assert!(report.border_shift <= 1.5);
        // Walls only move inwards, and by little.
        let lost = plain.doubled_area() - refined.doubled_area();
        let around: f64 = borders(&plain).iter().map(|&[a, b]| length(a, b)).sum();
        let lost_area = lost as f64 / 2.0;
        assert!(lost >= 0 && lost_area <= 1.5 * around, "seed {seed}: {lost}");
        // Without a shift, the polygons do not change.
        let (exact, _) = refine_triangulation(&plain, &config.with_max_border_shift(0.0)).unwrap();
        exact.validate().unwrap();
        assert_eq!(exact.doubled_area(), plain.doubled_area());
    }
}

#[test]
fn a_grid_fills_a_square_and_a_square_with_regions() {
    let set = polygon(&[&[(0, 0), (100, 0), (100, 100), (0, 100)]]);
    let plain = triangulate_cdt(&set).unwrap();
    let (refined, report) =
        refine_triangulation(&plain, &RefineConfig::default().with_grid_spacing(10.0)).unwrap();
    refined.validate().unwrap();
    assert_eq!(report.points_inside, 81);
    assert_eq!(refined.triangles.len(), 2 * 81 + 2);
    for seed in 0..150 {
        let plain = triangulate_cdt(&random_regions(seed)).unwrap();
        let config = RefineConfig::default().with_grid_spacing(7.0).with_max_edge_length(5.0);
        if plain.doubled_area() > 1_000_000 {
            continue;
        }
        let (refined, _) = refine_triangulation(&plain, &config).unwrap();
        refined.validate().unwrap();
        assert_eq!(refined.doubled_area(), plain.doubled_area(), "seed {seed}");
        assert_eq!(refined.vertices[..plain.vertices.len()], plain.vertices[..], "seed {seed}");
    }
}

#[test]
fn angles_are_as_large_as_asked_for_where_corners_allow() {
    let set = polygon(&[
        &[(0, 0), (4000, 0), (4000, 400), (0, 400)],
        &[(1000, 100), (1000, 110), (1200, 110), (1200, 100)],
    ]);
    let plain = triangulate_cdt(&set).unwrap();
    assert!(smallest_angle(&plain) < 5.0);
    let config = RefineConfig::default().with_min_angle_degrees(20.0).with_min_edge_length(2.0);
    let (refined, report) = refine_triangulation(&plain, &config).unwrap();
    refined.validate().unwrap();
    assert_eq!(refined.doubled_area(), plain.doubled_area());
    assert_eq!(report.small_angles_left, 0);
    assert!(smallest_angle(&refined) >= 20.0, "{}", smallest_angle(&refined));
    assert!(refined.triangles.len() < 4000, "{}", refined.triangles.len());
    for seed in 0..20 {
        let plain = triangulate_cdt(&rooms(seed, 8, 20_000)).unwrap();
        let config = config.with_max_border_shift(1.5).with_min_edge_length(50.0);
        let (refined, report) = refine_triangulation(&plain, &config).unwrap();
        refined.validate().unwrap();
        // Between obstacles that almost meet, only points closer than the limit could help.
        let (before, after) = (sharp(&plain), sharp(&refined));
        assert_eq!(after, report.small_angles_left, "seed {seed}");
        assert!(2 * after <= before, "seed {seed}: {before} sharp triangles before, {report:?}");
    }
}

#[test]
fn bad_configurations_are_named() {
    let plain = triangulate_cdt(&polygon(&[&[(0, 0), (100, 0), (100, 100), (0, 100)]])).unwrap();
    let config = RefineConfig::default();
    for bad in [
        config.with_max_edge_length(0.0),
        config.with_grid_spacing(f32::NAN),
        config.with_min_angle_degrees(31.0),
        config.with_min_edge_length(-1.0),
        config.with_max_border_shift(f32::INFINITY),
    ] {
        assert!(refine_triangulation(&plain, &bad).is_err(), "{bad:?}");
    }
    let big = polygon(&[&[(0, 0), (1 << 30, 0), (1 << 30, 1 << 30), (0, 1 << 30)]]);
    let plain = triangulate_cdt(&big).unwrap();
    assert!(refine_triangulation(&plain, &config.with_grid_spacing(1.0)).is_err());
}
