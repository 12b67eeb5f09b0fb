//! The guarantees on random ground and random polygons.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "small test grids"
)]

use crate::common;
use common::{check, field, fit_all_ways, poly_mesh, regions};
use proptest::prelude::*;
use waymesh_core::{AreaId, PlanPoint, PlanVertex, Poly, PolyMesh, RegionId, VertexId};
use waymesh_detail::DetailConfig;
use waymesh_testkit::{Random, fields};

/// Returns the positive convex hull without collinear corners, or fewer than three corners if it
/// has no area.
fn hull(mut points: Vec<PlanPoint>) -> Vec<PlanPoint> {
    points.sort_unstable();
    points.dedup();
    let mut hull: Vec<PlanPoint> = Vec::new();
    for round in 0..2 {
        let floor = hull.len() + 1;
        for &point in &points {
            while hull.len() > floor
                && PlanPoint::orientation(hull[hull.len() - 2], hull[hull.len() - 1], point) <= 0
            {
                hull.pop();
            }
            hull.push(point);
        }
        hull.pop();
        if round == 0 {
            points.reverse();
        }
    }
    hull
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    /// Tests neighbouring polygons with edges in arbitrary directions, over smooth to rough ground
    /// with holes.
    #[test]
    fn jittered_quads_keep_all_promises(
        seed: u64,
        roughness in prop_oneof![Just(0.0_f32), 0.0..7.0_f32],
        holes in prop_oneof![Just(0.0_f32), 0.0..0.4_f32],
        levels in prop_oneof![Just(1.0_f32), 0.04..3.0_f32],
        split in 0_u32..60,
    ) {
        let mut random = Random::new(seed);
        let size = 54_u32;
        let smooth = |x: f32, z: f32| 5.0 * (x / 8.0).sin() + 4.0 * (z / 6.0).cos();
        let mut rough: Vec<Option<f32>> = Vec::new();
        for index in 0..size * size {
            let (x, z) = ((index % size) as f32, (index / size) as f32);
            rough.push((!random.chance(holes)).then(|| smooth(x, z) + roughness * random.unit()));
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small grid")]
        let field = field(size, size, |x, z| rough[z as usize * size as usize + x as usize]);
        let labels = regions(&field, 2, |x, _| u32::from(x >= split));
        let count = random.below(5) as i32 + 1;
        let pitch = 54 / count;
        let jitter = (pitch / 4).max(1);
        let corner: Vec<(i32, i32)> = (0..(count + 1) * (count + 1))
            .map(|index| {
                let mut shift = || random.below(jitter as u32) as i32;
                let (i, j) = (index % (count + 1), index / (count + 1));
                (i * pitch - (i > 0).then(&mut shift).unwrap_or(0), j * pitch - (j > 0).then(&mut shift).unwrap_or(0))
            })
            .collect();
        let mut polygons = Vec::new();
        for j in 0..count {
            for i in 0..count {
                let at = |di: i32, dj: i32| corner[((j + dj) * (count + 1) + i + di) as usize];
                let region = u32::from(i64::from(at(0, 0).0) + i64::from(pitch / 2) > i64::from(split));
                polygons.push((region, vec![at(0, 0), at(1, 0), at(1, 1), at(0, 1)]));
            }
        }
        let mesh = poly_mesh(field.frame, &polygons, |x, z| smooth(x, z) + roughness / 2.0);
        let config = DetailConfig::default().with_max_error_levels(levels);
        let surface = fit_all_ways(&field, &labels, &mesh, &config);
        check(&field, &labels, &mesh, &surface, levels);
    }

    /// Tests arbitrary convex polygons over arbitrary regions of a field of several storeys.
    /// Polygons reach over other storeys of their region, so any step is allowed.
    #[test]
    fn hulls_over_wild_fields_keep_all_promises(seed: u64, levels in 0.04..2.0_f32) {
        let field = fields::random(seed, 30, 26);
        let labels = fields::random_regions(&field, seed);
        let mut random = Random::new(seed);
        let mut mesh = PolyMesh::empty(field.frame);
        for region in 0..labels.count {
            let points = (0..5).map(|_| PlanPoint::new(random.below(31) as i32, random.below(27) as i32)).collect();
            let hull = hull(points);
            if hull.len() < 3 {
                continue;
            }
            mesh.polygons.push(Poly {
                first: mesh.corners.len() as u32,
                len: hull.len() as u32,
                region: RegionId(region),
                area: AreaId::GROUND,
            });
            for point in hull {
                mesh.corners.push(VertexId::from_index(mesh.vertices.len()));
                mesh.neighbours.push(None);
                mesh.vertices.push(PlanVertex { point, height: 0.0 });
            }
        }
        let config = DetailConfig::default().with_max_error_levels(levels).with_max_step(100.0);
        let surface = fit_all_ways(&field, &labels, &mesh, &config);
        check(&field, &labels, &mesh, &surface, levels);
    }
}
