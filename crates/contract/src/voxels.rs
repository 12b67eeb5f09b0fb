//! The suites of the stages that make and read voxels.

use glam::{DVec3, Vec3};
use waymesh_core::stage::{BuildField, FitHeights, Voxelize};
use waymesh_core::{
    HeightSurface, Heightfield, PlanPoint, PlanVertex, Poly, PolyId, PolyMesh, Random, RegionId,
    TriangleSoup, VertexId, ViolationList, WalkableField, saturating_u32, to_u32,
};
use waymesh_scenes::{Scene, SceneConfig};

use crate::{check, fields, sample_fields};

fn sample_soups() -> impl Iterator<Item = (u64, TriangleSoup)> {
    let sound = Scene::ALL.into_iter().map(|scene| scene.build(&SceneConfig::default()));
    (0..).zip(sound.chain(Scene::ALL.into_iter().map(|scene| scene.broken(3))))
}

fn voxels(stage: &dyn Voxelize, seed: u64, soup: &TriangleSoup) -> Heightfield {
    stage.voxelize(soup, &mut ()).unwrap_or_else(|error| panic!("scene {seed}: {error}"))
}

/// Checks the contract of [`Voxelize`].
///
/// # Panics
/// If the implementation breaks it.
pub fn voxelize(stage: &dyn Voxelize) {
    for (seed, soup) in sample_soups() {
        let heightfield = voxels(stage, seed, &soup);
        check("heightfield", seed, &heightfield);
        assert!(
            heightfield == voxels(stage, seed, &crate::soups::shuffled(&soup, seed)),
            "scene {seed}: order shows"
        );
        let mut random = Random::new(seed);
        let has_area = |&[a, b, c]: &[Vec3; 3]| (b - a).cross(c - a) != Vec3::ZERO;
        for corners in soup.finite_triangles().filter(has_area) {
            let [a, b, c] = corners.map(|corner| corner.as_dvec3());
            let (u, v) = (f64::from(random.unit()), f64::from(random.unit()));
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            covered(seed, &heightfield, a + (b - a) * u + (c - a) * v);
        }
    }
}

/// Checks that a point of a triangle lies in a span of its column, or of the adjacent column if it
/// lies on the line between both.
fn covered(seed: u64, heightfield: &Heightfield, point: DVec3) {
    /// Error of a point in single precision, in cells and levels.
    const SLACK: f64 = 1e-3;
    let frame = &heightfield.frame;
    let [x, y, z] = frame.to_grid(point.as_vec3());
    let inside = [-SLACK, SLACK].into_iter().any(|dx| {
        [-SLACK, SLACK].into_iter().any(|dz| {
            let column = |value: f64, count: u32| saturating_u32(value.max(0.0)).min(count - 1);
            let spans = heightfield.column(column(x + dx, frame.width), column(z + dz, frame.depth));
            spans
                .iter()
                .any(|span| (f64::from(span.bottom) - SLACK..=f64::from(span.top) + SLACK).contains(&y))
        })
    });
    assert!(inside, "scene {seed}: {point} is on a triangle, but in no span");
}

/// Checks the contract of [`BuildField`], on the heightfields of `voxelizer`.
///
/// # Panics
/// If the implementation breaks it.
pub fn build_field(voxelizer: &dyn Voxelize, stage: &dyn BuildField) {
    for (seed, soup) in sample_soups() {
        let heightfield = voxels(voxelizer, seed, &soup);
        let run = || {
            stage.build_field(&heightfield, &mut ()).unwrap_or_else(|error| panic!("scene {seed}: {error}"))
        };
        let field = run();
        check("walkable field", seed, &field);
        assert_eq!(field.frame, heightfield.frame, "scene {seed}: the frame is kept");
        for span in (0..).take(field.len()) {
            let (x, z) = field.column_of(span);
            let floor = field.floor[span as usize];
            let solid = heightfield.column(x, z).iter().any(|solid| solid.top == floor);
            assert!(solid, "scene {seed}: span {span} stands on nothing");
        }
        assert!(field == run(), "scene {seed}: two runs differ");
    }
}

/// Makes a mesh in which every walkable span is a polygon of its own, at the height of its ground.
fn span_polygons(field: &WalkableField, labels: &[u32]) -> PolyMesh {
    let mut mesh = PolyMesh::empty(field.frame);
    for span in (0..).take(field.len()).filter(|&span| field.is_walkable(span)) {
        let (x, z) = field.column_of(span);
        let (height, region) = (field.ground[span as usize], RegionId(labels[span as usize]));
        mesh.polygons.push(Poly {
            first: to_u32(mesh.corners.len()),
            len: 4,
            region,
            area: field.area[span as usize],
        });
        for (dx, dz) in [(0, 0), (1, 0), (1, 1), (0, 1)] {
            mesh.corners.push(VertexId::from_index(mesh.vertices.len()));
            mesh.neighbours.push(None);
            mesh.vertices.push(PlanVertex { point: PlanPoint::new(x as i32 + dx, z as i32 + dz), height });
        }
    }
    mesh
}

/// Returns the height of the surface of the polygon `cell` at a plan point given in grid cells.
fn height_at(surface: &HeightSurface, cell: usize, x: f64, z: f64) -> Option<f64> {
    surface.triangles_of(PolyId::from_index(cell)).iter().find_map(|triangle| {
        let [a, b, c] = triangle.map(|point| surface.points[point as usize]);
        let to =
            |p: waymesh_core::SurfacePoint| (f64::from(p.x) - x, f64::from(p.z) - z, f64::from(p.height));
        let (a, b, c) = (to(a), to(b), to(c));
        let weights = [b.0 * c.1 - b.1 * c.0, c.0 * a.1 - c.1 * a.0, a.0 * b.1 - a.1 * b.0];
        let sum: f64 = weights.iter().sum();
        (sum > 0.0 && weights.iter().all(|&weight| weight >= -1e-6 * sum))
            .then(|| (weights[0] * a.2 + weights[1] * b.2 + weights[2] * c.2) / sum)
    })
}

/// Checks the contract of [`FitHeights`].
///
/// # Panics
/// If the implementation breaks it.
pub fn fit_heights(stage: &dyn FitHeights) {
    for (seed, field) in sample_fields() {
        let regions = fields::random_regions(&field, seed);
        let cells = span_polygons(&field, &regions.labels);
        check("cells of the suite", seed, &cells);
        let run = || {
            let surface = stage.fit_heights(&field, &regions, &cells, &mut ());
            surface.unwrap_or_else(|error| panic!("seed {seed}: {error}"))
        };
        let surface = run();
        let mut violations = ViolationList::default();
        surface.violations_over(&cells, &mut violations);
        assert!(violations.is_empty(), "seed {seed}: {violations}");
        let walkable = (0_u32..).take(field.len()).filter(|&span| field.is_walkable(span));
        for (cell, span) in walkable.enumerate() {
            let (x, z) = field.column_of(span);
            let height = height_at(&surface, cell, f64::from(x) + 0.5, f64::from(z) + 0.5);
            let height = height
                .unwrap_or_else(|| panic!("seed {seed}: no ground in cell {}", PolyId::from_index(cell)));
            let error = (height - f64::from(field.ground[span as usize])).abs();
            let stated = f64::from(surface.max_error);
            assert!(
                error <= stated + 1e-3,
                "seed {seed}: span {span} is off by {error}, stated are {stated}"
            );
        }
        assert!(surface == run(), "seed {seed}: two runs differ");
    }
}
