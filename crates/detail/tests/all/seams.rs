//! Tests that every polygon stays on its storey if simplification has moved the seams between
//! storeys.

use crate::common;
use std::f64::consts::TAU;

use common::{errors, fit_all_ways, height_at};
use waymesh_core::{
    AreaId, HeightSurface, PlanPoint, PlanVertex, Poly, PolyId, PolyMesh, RegionId, RegionMap, Validate,
    VertexId, ViolationList, WalkableField,
};
use waymesh_detail::DetailConfig;
use waymesh_testkit::fields::{Floor, from_floors};

const BOUND: f32 = 0.25;

/// Builds a field and its regions from the heights of the ground in each column (row-major), with
/// the region of each height.
fn field(width: u32, columns: &[Vec<(f64, u32)>]) -> (WalkableField, RegionMap) {
    #[expect(clippy::cast_possible_truncation, reason = "small grids")]
    let depth = columns.len() as u32 / width;
    #[expect(clippy::cast_possible_truncation, reason = "levels")]
    let level = |height: f64| height.ceil() as i32;
    let floors: Vec<Vec<Floor>> = columns
        .iter()
        .map(|column| {
            column.iter().map(|&(height, _)| Floor { level: level(height), area: AreaId::GROUND }).collect()
        })
        .collect();
    let mut field = from_floors(width, depth, &floors);
    let mut labels = vec![0; field.len()];
    for span in 0..field.len() {
        let column = &columns[field.span_columns[span] as usize];
        let &(height, region) = column
            .iter()
            .find(|(height, _)| level(*height) == field.floor[span])
            .expect("a span comes from a height");
        #[expect(clippy::cast_possible_truncation, reason = "a height")]
        let height = height as f32;
        (field.ground[span], labels[span]) = (height, region);
    }
    // Regions number their spans in order of the first.
    let mut numbers: Vec<u32> = Vec::new();
    for &label in &labels {
        if !numbers.contains(&label) {
            numbers.push(label);
        }
    }
    assert!(numbers.is_sorted(), "{numbers:?}");
    let count = u32::try_from(numbers.len()).expect("a few");
    let regions = RegionMap { labels, count };
    field.validate().expect("a valid field");
    let mut violations = ViolationList::default();
    regions.violations_over(&field, &mut violations);
    assert!(violations.is_empty(), "{violations}");
    (field, regions)
}

/// Builds a mesh of quads, each with four vertices and a region. Quads that share two vertices are
/// neighbours.
fn mesh(field: &WalkableField, vertices: &[([i32; 2], f64)], quads: &[([usize; 4], u32)]) -> PolyMesh {
    let mut mesh = PolyMesh::empty(field.frame);
    #[expect(clippy::cast_possible_truncation, reason = "a height")]
    mesh.vertices.extend(
        vertices
            .iter()
            .map(|&([x, z], height)| PlanVertex { point: PlanPoint::new(x, z), height: height as f32 }),
    );
    for (index, &(corners, region)) in (0_u32..).zip(quads) {
        mesh.polygons.push(Poly { first: 4 * index, len: 4, region: RegionId(region), area: AreaId::GROUND });
        for corner in 0..4 {
            let ends = [corners[(corner + 1) % 4], corners[corner]];
            let across =
                quads.iter().position(|(other, _)| (0..4).any(|at| [other[at], other[(at + 1) % 4]] == ends));
            mesh.corners.push(VertexId::from_index(corners[corner]));
            mesh.neighbours.push(across.map(PolyId::from_index));
        }
    }
    mesh.validate().expect("a valid mesh");
    mesh
}

/// Compares every point of the surface, and the surface at every column inside a polygon, with the
/// height of the polygon's storey there, if any.
fn on_its_storey(
    mesh: &PolyMesh,
    surface: &HeightSurface,
    off_samples: f64,
    storey: impl Fn(PolyId, f64, f64) -> Option<f64>,
) {
    let mut violations = ViolationList::default();
    surface.violations_over(mesh, &mut violations);
    assert!(violations.is_empty(), "{violations}");
    let mut seen = 0;
    for id in (0..mesh.polygons.len()).map(PolyId::from_index) {
        let range = surface.polygon_triangles[id.index()] as usize
            ..surface.polygon_triangles[id.index() + 1] as usize;
        for &point in surface.triangles[range].iter().flatten() {
            let point = surface.points[point as usize];
            let Some(truth) = storey(id, f64::from(point.x), f64::from(point.z)) else { continue };
            let off = f64::from(point.height) - truth;
            assert!(off.abs() <= off_samples, "polygon {id} is off by {off} at {point:?}");
        }
        for z in 0..mesh.frame.depth {
            for x in 0..mesh.frame.width {
                let (x, z) = (f64::from(x) + 0.5, f64::from(z) + 0.5);
                let between = height_at(surface, id, x, z + 0.5).zip(storey(id, x, z + 0.5));
                let off = between.map_or(0.0, |(height, truth)| height - truth);
                assert!(off.abs() <= off_samples, "polygon {id} is off by {off} at {x}, {z} + 0.5");
                let heights = height_at(surface, id, x, z).zip(storey(id, x, z));
                let Some((height, truth)) = heights else { continue };
                seen += 1;
                let off = height - truth;
                assert!(off.abs() <= f64::from(BOUND) + 0.01, "polygon {id} is off by {off} at {x}, {z}");
            }
        }
    }
    assert!(seen > 500, "{seen} samples");
}

/// Tests a ramp that winds up around a shaft. Its regions cover slightly less than a turn, and the
/// polygons cut it at other angles.
#[test]
fn a_spiral_ramp_with_moved_seams() {
    const CENTRE: f64 = 30.0;
    const PITCH: f64 = 15.0;
    const REGION: f64 = 350.0;
    const TURNS: u32 = 3;
    let radii = [10.0, 26.0];
    let angle = |x: f64, z: f64| (z - CENTRE).atan2(x - CENTRE).rem_euclid(TAU).to_degrees();
    let end = 360.0 * f64::from(TURNS);
    let columns: Vec<Vec<(f64, u32)>> = (0..60 * 60)
        .map(|column| {
            let (x, z) = (f64::from(column % 60) + 0.5, f64::from(column / 60) + 0.5);
            let radius = (x - CENTRE).hypot(z - CENTRE);
            if radius < radii[0] || radius > radii[1] {
                return Vec::new();
            }
            let storey = |turn: u32| {
                let along = angle(x, z) + 360.0 * f64::from(turn);
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few regions")]
                let region = (along / REGION) as u32;
                (1.0 + along / 360.0 * PITCH, region)
            };
            (0..TURNS).map(storey).collect()
        })
        .collect();
    // Regions in order of their first span.
    let first =
        |wanted: u32| columns.iter().position(|column| column.iter().any(|&(_, region)| region == wanted));
    let mut order: Vec<u32> = (0..4).collect();
    order.sort_by_key(|&region| {
        let column = first(region).expect("each region has spans");
        (column, columns[column].iter().position(|&(_, other)| other == region))
    });
    let number = |region: u32| {
        u32::try_from(order.iter().position(|&other| other == region).expect("a region")).expect("a few")
    };
    let columns: Vec<Vec<(f64, u32)>> = columns
        .iter()
        .map(|column| column.iter().map(|&(height, region)| (height, number(region))).collect())
        .collect();
    let (field, regions) = field(60, &columns);

    let step = 10.0;
    for moved in [-40.0, -20.0, -4.0, 0.0, 7.0, 25.0, 50.0] {
        let mut vertices = Vec::new();
        let mut quads = Vec::new();
        let mut along = 0.0;
        while along <= end {
            let turn = f64::to_radians(along);
            for radius in radii {
                #[expect(clippy::cast_possible_truncation, reason = "small grid")]
                let at = [turn.cos(), turn.sin()].map(|part| (CENTRE + radius * part).round() as i32);
                vertices.push((at, 1.0 + along / 360.0 * PITCH));
            }
            if along < end {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few regions")]
                let region = (((along + step / 2.0 - moved) / REGION).max(0.0) as u32).min(3);
                let first = vertices.len() - 2;
                quads.push(([first, first + 1, first + 3, first + 2], number(region)));
            }
            along += step;
        }
        let mesh = mesh(&field, &vertices, &quads);
        let config = DetailConfig::default().with_max_error_levels(BOUND);
        let surface = fit_all_ways(&field, &regions, &mesh, &config);
        on_its_storey(&mesh, &surface, 0.6, |polygon, x, z| {
            // The turn of the ramp that is nearest to the polygon.
            let middle = (f64::from(polygon.0) + 0.5) * step;
            let turn = ((middle - angle(x, z)) / 360.0).round();
            let height = 1.0 + (angle(x, z) / 360.0 + turn) * PITCH;
            let radius = (x - CENTRE).hypot(z - CENTRE);
            let (low, high) = (1.5, PITCH * f64::from(TURNS) + 0.5);
            (radius > radii[0] && radius < radii[1] && (low..high).contains(&height)).then_some(height)
        });
    }
}

/// Tests two decks of a car park with a straight ramp between them, and walkable ground under the
/// higher part of the ramp.
#[test]
fn a_parking_ramp_with_moved_seams() {
    const DECK: f64 = 15.0;
    let (foot, top) = (20.0, 50.0);
    // The ramp is level at both ends and curved throughout.
    let ramp = |x: f64| {
        let share = (x - foot) / (top - foot);
        1.0 + DECK * share * share * (3.0 - 2.0 * share)
    };
    let on_ramp = |x: f64, z: f64| x > foot && x < top && z > 12.0 && z < 24.0;
    // Each lane has a crown in its middle.
    let lanes = |x: f64, z: f64| {
        let crown = if on_ramp(x, z) { (TAU * (z - 12.0) / 12.0).sin().powi(2) } else { 0.0 };
        ramp(x.clamp(foot, top)) + 2.0 * crown * ((x - foot) * (top - x)).max(0.0) / 225.0
    };
    let columns: Vec<Vec<(f64, u32)>> = (0..70 * 36)
        .map(|column| {
            let (x, z) = (f64::from(column % 70) + 0.5, f64::from(column / 70) + 0.5);
            let (lower, upper) = ((1.0, 0), (1.0 + DECK, 1));
            if !on_ramp(x, z) {
                return vec![lower, upper];
            }
            let height = lanes(x, z);
            let mut column = vec![(height, 2)];
            if height > 1.0 + 11.0 {
                column.insert(0, lower);
            }
            if height < DECK - 10.0 {
                column.push(upper);
            }
            column
        })
        .collect();
    let (field, regions) = field(70, &columns);
    for foot_moved in [-9, -1, 0, 6, 12] {
        for top_moved in [-12, -4, 0, 2, 8] {
            // A band along z = 12 to 24, in two halves: lower deck, ramp, upper deck. The ends of
            // the seams stay.
            let middle = [8, 20 + foot_moved, 50 + top_moved, 64];
            let side = [8, 20, 50, 64];
            let height = |x: i32| ramp(f64::from(x).clamp(foot, top));
            let row = |z: i32, xs: [i32; 4]| xs.map(|x| ([x, z], height(x)));
            let vertices = [row(12, side), row(18, middle), row(24, side)].concat();
            let quads: Vec<([usize; 4], u32)> = (0..6)
                .map(|quad| (quad % 3, quad / 3 * 4))
                .map(|(at, row)| ([row + at, row + at + 1, row + at + 5, row + at + 4], [0, 2, 1][at]))
                .collect();
            let mesh = mesh(&field, &vertices, &quads);
            let config = DetailConfig::default().with_max_error_levels(BOUND);
            let surface = fit_all_ways(&field, &regions, &mesh, &config);
            on_its_storey(&mesh, &surface, 0.6, |_, x, z| Some(lanes(x, z)));
        }
    }
}

/// Tests that own ground that a polygon reaches on both sides of a gap is one storey, unless it is
/// far above or below.
#[test]
fn pieces_of_a_storey_join_across_gaps() {
    // A strip with a gap of three columns, and ground a little or a storey higher beyond the gap.
    for (rise, taken) in [(0.0, true), (5.0, true), (40.0, false)] {
        let columns: Vec<Vec<(f64, u32)>> = (0..30 * 10)
            .map(|column| match (column % 30, column / 30) {
                // The region is one piece: a separate ramp connects its ends.
                (x, 9) => vec![(1.0 + rise * f64::from(x) / 29.0, 0)],
                (0, 8) => vec![(1.0, 0)],
                (29, 8) => vec![(1.0 + rise, 0)],
                (_, 8) | (12..15, _) => Vec::new(),
                (x, _) => vec![(if x < 12 { 1.0 } else { 1.0 + rise }, 0)],
            })
            .collect();
        let (field, regions) = field(30, &columns);
        let corners = [([0, 0], 1.0), ([26, 0], 1.0), ([26, 7], 1.0), ([0, 7], 1.0)];
        let mesh = mesh(&field, &corners, &[([0, 1, 2, 3], 0)]);
        let config = DetailConfig::default().with_max_error_levels(BOUND);
        let surface = fit_all_ways(&field, &regions, &mesh, &config);
        let found = errors(&field, &regions, &mesh, &surface);
        if taken {
            assert!(found.largest <= f64::from(BOUND) + 1e-3, "{found:?}");
        } else {
            let highest = surface.points.iter().map(|point| point.height).fold(0.0, f32::max);
            assert!(highest < 2.0, "{highest}");
        }
    }
}
