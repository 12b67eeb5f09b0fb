//! Test suites, one for each stage trait, and the inputs of the suites.
//!
//! Every implementation in the workspace runs the suite of its trait. Call the function of the
//! same name as the method of the trait from a test of your own implementation.
//!
//! Each suite panics with the seed of the input that shows the fault. The suites and inputs are
//! slow and simple on purpose, and share no code with the stages that they test.
//!
//! ```
//! use waymesh_core::stage::{Partition, StageError};
//! use waymesh_core::{NO_REGION, Observer, RegionMap, WalkableField};
//!
//! /// Makes every walkable span a separate region.
//! struct Single;
//!
//! impl Partition for Single {
//!     fn partition(&self, field: &WalkableField, _: &mut dyn Observer) -> Result<RegionMap, StageError> {
//!         let mut regions = 0..;
//!         let label = |area: &waymesh_core::AreaId| {
//!             if area.is_walkable() { regions.next().unwrap_or(NO_REGION) } else { NO_REGION }
//!         };
//!         let labels = field.area.iter().map(label).collect();
//!         Ok(RegionMap { labels, count: regions.start })
//!     }
//! }
//!
//! waymesh_contract::partition(&Single);
//! ```

pub mod fields;
pub mod hulls;
pub mod polygons;
pub mod soups;
mod voxels;

pub use glam;
pub use voxels::{build_field, fit_heights, voxelize};

use waymesh_core::stage::{Decompose, Partition, SimplifyContours, TraceContours, Triangulate};
use waymesh_core::{
    ContourSet, PlanPoint, PolyMesh, PolygonSet, RegionMap, TriangleId, Triangulation, Validate, Violation,
    ViolationList, WalkableField,
};

/// Number of inputs per suite.
const SEEDS: u64 = 60;

fn check(what: &str, seed: u64, data: &impl Validate) {
    if let Err(violations) = data.validate() {
        panic!("seed {seed}: {what}: {violations}");
    }
}

fn sample_fields() -> impl Iterator<Item = (u64, WalkableField)> {
    #[expect(clippy::cast_possible_truncation, reason = "small numbers")]
    (0..SEEDS)
        .map(|seed| (seed, fields::random(seed, 8 + (seed as u32 * 7) % 40, 8 + (seed as u32 * 5) % 32)))
}

/// Checks the contract of [`Partition`].
///
/// # Panics
/// If the implementation breaks it.
pub fn partition(stage: &dyn Partition) {
    let empty = fields::from_ascii("###");
    assert_eq!(stage.partition(&empty, &mut ()).expect("no span is no fault").count, 0);
    for (seed, field) in sample_fields() {
        let regions = stage.partition(&field, &mut ()).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let mut violations = ViolationList::default();
        regions.violations_over(&field, &mut violations);
        assert!(violations.is_empty(), "seed {seed}: {violations}");
        let again = stage.partition(&field, &mut ()).expect("a second run");
        assert!(again == regions, "seed {seed}: two runs differ");
    }
}

fn trace(stage: &dyn TraceContours, seed: u64, field: &WalkableField, regions: &RegionMap) -> ContourSet {
    stage.trace(field, regions, &mut ()).unwrap_or_else(|error| panic!("seed {seed}: {error}"))
}

/// Checks the contract of [`TraceContours`].
///
/// # Panics
/// If the implementation breaks it.
pub fn trace_contours(stage: &dyn TraceContours) {
    for (seed, field) in sample_fields() {
        let regions = fields::random_regions(&field, seed);
        let contours = trace(stage, seed, &field, &regions);
        check("raw contours", seed, &contours);
        let polygons = contours.polygons();
        assert_eq!(polygons.polygons.len(), regions.count as usize, "seed {seed}: one polygon per region");
        let sizes = fields::region_sizes(&regions);
        check_areas(seed, &polygons, sizes.into_iter().map(|size| 2 * i128::from(size)));
        assert!(contours == trace(stage, seed, &field, &regions), "seed {seed}: two runs differ");
    }
}

/// Checks the contract of [`SimplifyContours`], on the raw contours of `tracer`.
///
/// # Panics
/// If the implementation breaks it.
pub fn simplify_contours(tracer: &dyn TraceContours, stage: &dyn SimplifyContours) {
    for (seed, field) in sample_fields() {
        let raw = trace(tracer, seed, &field, &fields::random_regions(&field, seed));
        let simple = stage.simplify(&raw, &mut ()).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        check("simplified contours", seed, &simple);
        assert_eq!(simple.arcs.len(), raw.arcs.len(), "seed {seed}: arcs are kept");
        assert_eq!(simple.regions, raw.regions, "seed {seed}: loops are kept");
        for (index, (before, after)) in raw.arcs.iter().zip(&simple.arcs).enumerate() {
            let arc = waymesh_core::ArcId::from_index(index);
            assert_eq!(
                (before.left, before.right),
                (after.left, after.right),
                "seed {seed}: sides of arc {arc}"
            );
            let points = |set: &ContourSet| -> Vec<PlanPoint> {
                set.arc_vertices(arc).iter().map(|&vertex| set.point(vertex)).collect()
            };
            let vertices = raw.arc_vertices(arc);
            let is_ring = vertices.first() == vertices.last();
            assert!(
                is_thinned(&points(&raw), &points(&simple), is_ring),
                "seed {seed}: arc {arc} has other ends, or a new or reordered point"
            );
        }
        let again = stage.simplify(&raw, &mut ()).expect("a second run");
        assert!(again == simple, "seed {seed}: two runs differ");
    }
}

/// Returns `true` if `kept` are points of an arc in order, including both its ends. A ring may
/// begin at another point.
fn is_thinned(points: &[PlanPoint], kept: &[PlanPoint], is_ring: bool) -> bool {
    let in_order = |points: &[PlanPoint]| {
        let mut rest = points.iter();
        points.first() == kept.first()
            && points.last() == kept.last()
            && kept.iter().all(|wanted| rest.any(|point| point == wanted))
    };
    if !is_ring {
        return in_order(points);
    }
    let ring = &points[1..];
    (0..ring.len()).any(|start| in_order(&[&ring[start..], &ring[..=start]].concat()))
}

fn sample_polygons() -> impl Iterator<Item = (u64, PolygonSet)> {
    #[expect(clippy::cast_possible_truncation, reason = "small numbers")]
    (0..SEEDS)
        .map(|seed| (seed, polygons::random(seed, 3 + (seed as u32 * 3) % 22, 3 + (seed as u32 * 5) % 19)))
}

fn triangles(stage: &dyn Triangulate, seed: u64, polygons: &PolygonSet) -> Triangulation {
    stage.triangulate(polygons, &mut ()).unwrap_or_else(|error| panic!("seed {seed}: {error}"))
}

/// Checks the doubled area of each region.
fn check_areas(seed: u64, set: &PolygonSet, areas: impl IntoIterator<Item = i128>) {
    for (polygon, area) in set.polygons.iter().zip(areas) {
        let expected: i128 = polygon.loops().map(|border| set.doubled_area(border)).sum();
        assert_eq!(area, expected, "seed {seed}: area of region {}", polygon.region);
    }
}

/// Checks the contract of [`Triangulate`].
///
/// # Panics
/// If the implementation breaks it.
pub fn triangulate(stage: &dyn Triangulate) {
    for (seed, set) in sample_polygons() {
        let triangulation = triangles(stage, seed, &set);
        check("triangulation", seed, &triangulation);
        assert_eq!(
            triangulation.vertices[..set.vertices.len()],
            set.vertices[..],
            "seed {seed}: vertices keep their ids"
        );
        let mut areas = vec![0_i128; set.polygons.len()];
        let mut crossings = 0;
        for (index, triangle) in triangulation.triangles.iter().enumerate() {
            let [a, b, c] = triangulation.corners(TriangleId::from_index(index));
            areas[triangle.region.index()] += i128::from(waymesh_core::PlanPoint::orientation(a, b, c));
            let beyond = triangle.neighbours.iter().flatten();
            crossings += beyond
                .filter(|other| triangulation.triangles[other.index()].region != triangle.region)
                .count();
        }
        check_areas(seed, &set, areas);
        let loops = set.polygons.iter().flat_map(|polygon| polygon.loops());
        let expected: usize = loops.map(|border| border.beyond.iter().flatten().count()).sum();
        assert_eq!(crossings, expected, "seed {seed}: edges between regions");
        assert!(triangulation == triangles(stage, seed, &set), "seed {seed}: two runs differ");
    }
}

/// Checks the contract of [`Decompose`], on the triangles of `triangulator`.
///
/// # Panics
/// If the implementation breaks it.
pub fn decompose(triangulator: &dyn Triangulate, stage: &dyn Decompose) {
    decompose_within(triangulator, stage, 0.0);
}

/// Checks the contract of a [`Decompose`] whose polygons may reach by up to `tolerance` cells into
/// walls that are not quite straight.
///
/// # Panics
/// If the implementation breaks it.
pub fn decompose_within(triangulator: &dyn Triangulate, stage: &dyn Decompose, tolerance: f64) {
    for (seed, set) in sample_polygons() {
        let triangulation = triangles(triangulator, seed, &set);
        let run = || -> PolyMesh {
            stage.decompose(&triangulation, &mut ()).unwrap_or_else(|error| panic!("seed {seed}: {error}"))
        };
        let mesh = run();
        if tolerance > 0.0 {
            check_nearly_convex(seed, &mesh, tolerance);
        } else {
            check("polygons", seed, &mesh);
        }
        let mut areas = vec![0_i128; set.polygons.len()];
        for (index, polygon) in mesh.polygons.iter().enumerate() {
            areas[polygon.region.index()] += mesh.doubled_area(waymesh_core::PolyId::from_index(index));
        }
        check_areas(seed, &set, areas);
        assert!(mesh == run(), "seed {seed}: two runs differ");
        connectivity(seed, &triangulation, &mesh);
    }
}

/// Checks that the mesh has no fault except that polygons are not quite convex.
fn check_nearly_convex(seed: u64, mesh: &PolyMesh, tolerance: f64) {
    let mut list = ViolationList::default();
    mesh.violations(&mut list);
    let others = list.kept().iter().find(|found| !matches!(found, Violation::NotConvex { .. }));
    assert!(others.is_none(), "seed {seed}: polygons: {list}");
    for polygon in (0..mesh.polygons.len()).map(waymesh_core::PolyId::from_index) {
        let depth = crate::hulls::depth_below_hull(mesh, polygon);
        assert!(depth <= tolerance, "seed {seed}: polygon {polygon} is {depth} cells from convex");
    }
}

/// Checks that regions are connected through the polygons exactly as they are through the
/// triangles.
fn connectivity(seed: u64, triangulation: &Triangulation, mesh: &PolyMesh) {
    let mut by_triangles = std::collections::BTreeSet::new();
    for triangle in &triangulation.triangles {
        for other in triangle.neighbours.iter().flatten() {
            by_triangles.insert((triangle.region, triangulation.triangles[other.index()].region));
        }
    }
    let mut by_polygons = std::collections::BTreeSet::new();
    for (index, polygon) in mesh.polygons.iter().enumerate() {
        for other in mesh.neighbours(waymesh_core::PolyId::from_index(index)).iter().flatten() {
            by_polygons.insert((polygon.region, mesh.polygons[other.index()].region));
        }
    }
    by_triangles.retain(|(a, b)| a != b);
    by_polygons.retain(|(a, b)| a != b);
    assert!(by_triangles == by_polygons, "seed {seed}: regions are joined differently");
}

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
