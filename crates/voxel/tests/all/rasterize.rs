//! Tests of the rasteriser: filled levels, merging, and errors.
#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a panic fails the test, and its numbers are small"
)]

use crate::common;
use common::{column_error, counts_at_top, nasty_soup, oracle, read_obj, scene, soup, to_grid};
use glam::Vec3;
use proptest::prelude::*;
use waymesh_core::{
    BadField, Bounds, Counter, GridFrame, GridScale, Heightfield, Observer, TriangleSoup, Validate, Warning,
};
use waymesh_voxel::{VoxelConfig, VoxelError, rasterize, rasterize_in_frame};

/// Cells of 1 m, levels of 1 m: grid coordinates are world coordinates.
fn metres() -> VoxelConfig {
    VoxelConfig::default().with_scale(GridScale::new(1.0, 1.0)).with_max_step(2.0)
}

/// Returns a rectangle that faces up, from `[x0, z0]` to `[x1, z1]`.
fn floor(x0: f32, z0: f32, x1: f32, z1: f32, y: f32) -> [[[f32; 3]; 3]; 2] {
    let (a, b, c, d) = ([x0, y, z0], [x0, y, z1], [x1, y, z1], [x1, y, z0]);
    [[a, b, c], [a, c, d]]
}

/// Returns a vertical rectangle over the plan line between two points.
fn wall(from: [f32; 2], to: [f32; 2], low: f32, high: f32) -> [[[f32; 3]; 3]; 2] {
    let point = |p: [f32; 2], y| [p[0], y, p[1]];
    let (a, b, c, d) = (point(from, low), point(to, low), point(to, high), point(from, high));
    [[a, b, c], [a, c, d]]
}

/// Returns triangles at two far corners that give the grid its extent from the origin to `[x, y,
/// z]`, each in a separate cell.
fn extent(x: f32, y: f32, z: f32) -> [[[f32; 3]; 3]; 2] {
    [[[0., 0., 0.], [0., 0., 0.1], [0.1, 0., 0.]], [[x, y, z], [x, y, z - 0.1], [x - 0.1, y, z]]]
}

fn filled(heightfield: &Heightfield, x: u32, z: u32) -> Vec<[i32; 2]> {
    heightfield.column(x, z).iter().map(|span| [span.bottom, span.top]).collect()
}

#[derive(Default)]
struct Log {
    counts: Vec<(Counter, u64)>,
    warnings: Vec<Warning>,
}

impl Observer for Log {
    fn count(&mut self, counter: Counter, amount: u64) {
        self.counts.push((counter, amount));
    }
    fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }
}

#[test]
fn a_floor_that_ends_on_a_cell_line_adds_nothing_beyond() {
    let triangles = [&extent(9., 9., 9.)[..], &floor(3., 3., 5., 6., 2.)].concat();
    let heightfield = rasterize(&soup(&triangles), &metres(), &mut ()).unwrap();
    heightfield.validate().unwrap();
    for z in 1..8 {
        for x in 1..8 {
            let inside = (3..5).contains(&x) && (3..6).contains(&z);
            let expected = if inside { vec![[2, 3]] } else { vec![] };
            assert_eq!(filled(&heightfield, x, z), expected, "cell {x} {z}");
        }
    }
}

#[test]
fn a_wall_on_a_cell_line_fills_the_cell_behind_it() {
    for (from, to, x, z) in [
        ([4., 2.5], [4., 6.5], [4, 4], [2, 6]),
        ([4., 6.5], [4., 2.5], [3, 3], [2, 6]),
        ([2.5, 4.], [6.5, 4.], [2, 6], [3, 3]),
        ([6.5, 4.], [2.5, 4.], [2, 6], [4, 4]),
    ] {
        let triangles = [&extent(9., 9., 9.)[..], &wall(from, to, 1., 4.)].concat();
        // The wall faces away from the cells that it fills.
        let [a, b, c] = triangles[2].map(Vec3::from_array);
        let front = (b - a).cross(c - a).normalize();
        let behind = Vec3::new((x[0] + x[1] + 1) as f32 / 2., 0., (z[0] + z[1] + 1) as f32 / 2.);
        assert!(front.dot(behind - a) < 0.);
        let heightfield = rasterize(&soup(&triangles), &metres(), &mut ()).unwrap();
        heightfield.validate().unwrap();
        for z in z[0]..=z[1] {
            for x in x[0]..=x[1] {
                assert_eq!(filled(&heightfield, x, z), [[1, 4]], "cell {x} {z}");
                assert!(!heightfield.column(x, z)[0].upward);
            }
        }
        assert_eq!(heightfield.spans.len(), 2 + 5);
    }
}

#[test]
fn a_box_between_cell_lines_fills_the_cells_between_them() {
    let sides = [
        wall([3., 3.], [3., 6.], 1., 4.),
        wall([5., 3.], [3., 3.], 1., 4.),
        wall([5., 6.], [5., 3.], 1., 4.),
        wall([3., 6.], [5., 6.], 1., 4.),
    ];
    // Facing outward and inward.
    for flipped in [false, true] {
        let side = sides.concat().into_iter().map(|[a, b, c]| if flipped { [a, c, b] } else { [a, b, c] });
        let triangles: Vec<_> = side.chain(extent(9., 9., 9.)).chain(floor(3., 3., 5., 6., 4.)).collect();
        let heightfield = rasterize(&soup(&triangles), &metres(), &mut ()).unwrap();
        for z in 1..8 {
            for x in 1..8 {
                let inside = (3..5).contains(&x) && (3..6).contains(&z);
                let edge = x == 3 || x == 4 || z == 3 || z == 5;
                let around = (2..6).contains(&x) && (2..7).contains(&z) && !inside;
                let corner = (x == 2 || x == 5) && (z == 2 || z == 6);
                let expected = match (inside, flipped) {
                    (true, true) => vec![[4, 5]],
                    (true, false) if edge => vec![[1, 5]],
                    (false, true) if around && !corner => vec![[1, 4]],
                    _ => vec![],
                };
                assert_eq!(filled(&heightfield, x, z), expected, "cell {x} {z}, flipped {flipped}");
            }
        }
    }
}

#[test]
fn walls_at_the_grids_edge_stay() {
    let box_of_walls = [
        wall([0., 0.], [4., 0.], 0., 3.),
        wall([4., 0.], [4., 4.], 0., 3.),
        wall([4., 4.], [0., 4.], 0., 3.),
        wall([0., 4.], [0., 0.], 0., 3.),
    ]
    .concat();
    // Behind the walls there is either the grid or no cell.
    let flipped = box_of_walls.iter().map(|&[a, b, c]| [a, c, b]).collect();
    for walls in [box_of_walls, flipped] {
        let heightfield = rasterize(&soup(&walls), &metres(), &mut ()).unwrap();
        assert_eq!((heightfield.frame.width, heightfield.frame.depth), (4, 4));
        for z in 0..4 {
            for x in 0..4 {
                let edge = x == 0 || z == 0 || x == 3 || z == 3;
                assert_eq!(filled(&heightfield, x, z), if edge { vec![[0, 3]] } else { vec![] });
            }
        }
    }
}

#[test]
fn a_slope_fills_what_it_crosses_and_knows_its_ground() {
    // One level up per cell along x.
    let slope = [[[0., 0., 0.], [0., 0., 4.], [8., 8., 4.]], [[0., 0., 0.], [8., 8., 4.], [8., 8., 0.]]];
    let heightfield = rasterize(&soup(&slope), &metres(), &mut ()).unwrap();
    for z in 0..4 {
        for x in 0..8 {
            let column = heightfield.column(x, z);
            let level = i32::try_from(x).unwrap();
            assert_eq!(filled(&heightfield, x, z), [[level, level + 1]]);
            assert!((column[0].ground() - (x as f32 + 0.5)).abs() <= 1.0 / 64.0);
            assert!(column[0].area.is_walkable() && column[0].upward, "45 degrees is the limit, inclusive");
        }
    }
}

#[test]
fn the_ground_is_what_lies_under_the_centre() {
    // A kerb of two levels covers a fifth of the cell, the floor four fifths.
    let parts = [&extent(4., 9., 4.)[..], &floor(1., 1., 2.8, 3., 1.), &floor(2.8, 1., 4., 3., 3.)].concat();
    let heightfield = rasterize(&soup(&parts), &metres(), &mut ()).unwrap();
    let span = heightfield.column(2, 2)[1.min(heightfield.column(2, 2).len() - 1)];
    assert_eq!(filled(&heightfield, 2, 2), [[1, 2], [3, 4]], "the gap between the floors is open");
    assert_eq!(span.bottom, 3);
    // The riser between them merges them to one span, walkable because both are, and on the ground.
    let riser = wall([2.8, 1.], [2.8, 3.], 1., 3.);
    let heightfield = rasterize(&soup(&[&parts[..], &riser].concat()), &metres(), &mut ()).unwrap();
    let column = heightfield.column(2, 2);
    assert_eq!(filled(&heightfield, 2, 2), [[1, 4]]);
    assert!(column[0].area.is_walkable());
    assert!((column[0].ground() - 1.0).abs() < 0.05, "{}", column[0].ground());
}

#[test]
fn the_merge_rule_decides_about_walls_on_floors() {
    let parts = |height| {
        [&extent(4., 9., 4.)[..], &floor(1., 1., 3., 3., 1.), &wall([1.5, 1.], [1.5, 3.], 1., height)]
            .concat()
    };
    let walkable = |height, step| {
        let heightfield = rasterize(&soup(&parts(height)), &metres().with_max_step(step), &mut ()).unwrap();
        let column = heightfield.column(1, 2);
        assert_eq!(column.len(), 1);
        column[0].area.is_walkable()
    };
    assert!(walkable(4.0, 2.0), "the floor's top is two levels below the wall's");
    assert!(!walkable(5.0, 2.0));
    assert!(!walkable(4.0, 0.0));
    assert!(walkable(2.0, 0.0));
}

/// A step as high as all levels must not reach the sentinel values.
#[test]
fn no_step_is_high_enough_to_make_a_wall_walkable() {
    let config = metres().with_max_step(1e10);
    let heightfield = rasterize(&soup(&wall([0.5, 0.5], [3.5, 0.5], 0.0, 3.0)), &config, &mut ()).unwrap();
    assert!(!heightfield.spans.is_empty());
    assert!(heightfield.spans.iter().all(|span| !span.area.is_walkable() && !span.upward));
}

#[test]
fn useless_triangles_are_skipped_and_counted() {
    let mut triangles = floor(0., 0., 4., 4., 0.).to_vec();
    triangles.push([[f32::NAN, 0., 0.], [1., 0., 0.], [0., 0., 1.]]);
    triangles.push([[1., 0., 0.], [f32::INFINITY, 0., 0.], [0., 0., 1.]]);
    triangles.push([[1., 3., 1.], [2., 3., 2.], [3., 3., 3.]]);
    let mut log = Log::default();
    let heightfield = rasterize(&soup(&triangles), &metres(), &mut log).unwrap();
    assert_eq!(log.counts, [(Counter::TrianglesNotFinite, 2), (Counter::TrianglesDegenerate, 1)]);
    assert_eq!(log.warnings, [Warning::TrianglesSkipped { not_finite: 2, degenerate: 1 }]);
    assert_eq!(heightfield.spans.len(), 16);
}

#[test]
fn nothing_finite_is_an_error() {
    let error = rasterize(&soup(&[[[f32::NAN; 3]; 3]]), &metres(), &mut ());
    assert_eq!(error, Err(VoxelError::NoTriangles { triangles: 1 }));
    assert_eq!(
        rasterize(&TriangleSoup::default(), &metres(), &mut ()),
        Err(VoxelError::NoTriangles { triangles: 0 })
    );
}

#[test]
fn memory_is_limited_before_and_during_the_sweep() {
    let big = soup(&floor(0., 0., 1e6, 1e6, 0.));
    let Err(VoxelError::TooMuchMemory { limit_bytes, width, depth, fitting_cell_size, .. }) =
        rasterize(&big, &metres(), &mut ())
    else {
        panic!("a terabyte fits four gigabytes");
    };
    assert_eq!((limit_bytes, width, depth), (4 << 30, 1_000_000, 1_000_000));
    // Four bytes a column and twelve a span: a million cells would have to become 16,400.
    assert!(fitting_cell_size > 61.0 && fitting_cell_size < 64.0, "{fitting_cell_size}");
    // The columns fit, but the spans do not.
    let storeys: Vec<_> = (0..50).flat_map(|storey| floor(0., 0., 100., 100., storey as f32 * 4.0)).collect();
    let config = metres().with_max_memory_bytes(1 << 20);
    for threads in [1, 4] {
        let Err(VoxelError::TooMuchMemory { fitting_cell_size, .. }) =
            rasterize(&soup(&storeys), &config.with_threads(threads), &mut ())
        else {
            panic!("six megabytes fit one");
        };
        let fits = config.with_scale(GridScale::new(fitting_cell_size, 1.0));
        assert!(rasterize(&soup(&storeys), &fits, &mut ()).is_ok());
    }
    let line = soup(&floor(0., 0., 3e9, 1., 0.));
    assert!(matches!(rasterize(&line, &metres(), &mut ()), Err(VoxelError::Grid(_))));
}

#[test]
fn an_outlier_far_below_is_reported_and_harmless() {
    let mut triangles: Vec<_> = (0..20).flat_map(|i| floor(0., i as f32, 8., i as f32 + 1.0, 0.)).collect();
    triangles.push([[1.2, -50_000., 1.2], [1.3, -50_000., 1.2], [1.2, -50_000., 1.3]]);
    let mut log = Log::default();
    let heightfield = rasterize(&soup(&triangles), &metres(), &mut log).unwrap();
    heightfield.validate().unwrap();
    assert_eq!(
        log.warnings,
        [Warning::OutlierTriangles {
            triangles: 1,
            first: 40,
            axis: 'y',
            extent: 50_000.0,
            extent_without: 0.0
        }]
    );
    assert_eq!(heightfield.spans.len(), 161);
    assert_eq!(filled(&heightfield, 5, 5), [[50_000, 50_001]]);
    assert!((heightfield.column(5, 5)[0].ground() - 50_000.0).abs() < 0.05);
}

#[test]
fn a_frame_cuts_the_soup() {
    let all = soup(&[&floor(-10., -10., 20., 20., 3.)[..], &wall([2.5, -9.], [2.5, 19.], 0., 9.)].concat());
    let frame =
        GridFrame::fit(&Bounds { min: Vec3::ZERO, max: Vec3::new(4., 4., 4.) }, &GridScale::new(1.0, 1.0))
            .unwrap();
    let mut log = Log::default();
    let heightfield = rasterize_in_frame(&all, &frame, &metres(), &mut log).unwrap();
    for z in 0..4 {
        for x in 0..4 {
            assert_eq!(filled(&heightfield, x, z), if x == 2 { [[0, 9]] } else { [[3, 4]] });
        }
    }
    let beside = soup(&floor(10., 10., 12., 12., 0.));
    assert!(rasterize_in_frame(&beside, &frame, &metres(), &mut log).unwrap().spans.is_empty());
    assert_eq!(log.counts, [(Counter::TrianglesOutside, 2)]);
}

#[test]
fn bad_configuration_is_named() {
    let soup = soup(&floor(0., 0., 1., 1., 0.));
    for (config, field) in [
        (metres().with_max_slope(2.0), "max_slope"),
        (metres().with_max_slope(f32::NAN), "max_slope"),
        (metres().with_max_step(-1.0), "max_step"),
    ] {
        let error = rasterize(&soup, &config, &mut ());
        assert!(
            matches!(error, Err(VoxelError::BadField(BadField { field: name, .. })) if name == field),
            "{error:?}"
        );
    }
    for cell in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let config = metres().with_scale(GridScale::new(cell, 1.0));
        let error = rasterize(&soup, &config, &mut ());
        assert!(matches!(error, Err(VoxelError::BadField(BadField { field: "cell_size", .. }))), "{error:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fills_what_clipping_says(soup in nasty_soup(), cell in prop_oneof![Just(1.0_f32), Just(0.25), 0.2_f32..1.5], level in 0.1_f32..1.0) {
        let config = metres().with_scale(GridScale::new(cell, level));
        if !soup.bounds().is_valid() {
            return Ok(());
        }
        let heightfield = rasterize(&soup, &config, &mut ()).unwrap();
        prop_assert!(heightfield.validate().is_ok());
        let columns = oracle(&soup, &heightfield.frame, 3e-4, 2e-4);
        for (index, fragments) in columns.iter().enumerate() {
            let (x, z) = (index as u32 % heightfield.frame.width, index as u32 / heightfield.frame.width);
            let error = column_error(&filled(&heightfield, x, z), fragments);
            prop_assert!(error.is_none(), "cell {} {}: {}", x, z, error.unwrap());
        }
    }

    #[test]
    fn order_and_threads_do_not_matter(soup in nasty_soup(), shift in 0_usize..20, highest in any::<bool>()) {
        let config = metres().with_max_step(if highest { 0.0 } else { 1.0 }).with_scale(GridScale::new(0.5, 0.25));
        if !soup.bounds().is_valid() {
            return Ok(());
        }
        let expected = rasterize(&soup, &config, &mut ()).unwrap();
        let mut triangles = soup.triangles().to_vec();
        triangles.reverse();
        let middle = shift % triangles.len();
        triangles.rotate_left(middle);
        let shuffled = TriangleSoup::new(soup.positions().to_vec(), triangles).unwrap();
        for threads in [1, 2, 3, 0] {
            prop_assert_eq!(&rasterize(&shuffled, &config.with_threads(threads), &mut ()).unwrap(), &expected);
        }
    }

    #[test]
    fn flags_and_ground_are_those_of_the_triangles(soup in nasty_soup(), step in 0_u8..3) {
        if !soup.bounds().is_valid() {
            return Ok(());
        }
        let config = metres()
            .with_scale(GridScale::new(0.5, 0.25))
            .with_max_step(f32::from(step) * 0.5);
        let heightfield = rasterize(&soup, &config, &mut ()).unwrap();
        let reach = i32::from(step) * 2;
        // Vertical part of the unit normal; walls and the limit itself are left to rounding.
        let up = |triangle: usize| {
            let [a, b, c] = soup.corners(triangle).map(Vec3::as_dvec3);
            (b - a).cross(c - a).normalize_or_zero().y
        };
        let limit = f64::from(config.max_slope).cos();
        let columns = oracle(&soup, &heightfield.frame, 3e-4, 2e-4);
        for (index, fragments) in columns.iter().enumerate() {
            let (x, z) = (index as u32 % heightfield.frame.width, index as u32 / heightfield.frame.width);
            for span in heightfield.column(x, z) {
                let decide = |least: f64| {
                    let [sure, maybe] = [1e-4, -1e-4]
                        .map(|slack| counts_at_top([span.bottom, span.top], fragments, reach, |t| up(t) > least + slack));
                    if sure == maybe { sure } else { None }
                };
                if let Some(upward) = decide(0.0) {
                    prop_assert_eq!(span.upward, upward, "cell {} {}: {:?} {:?}", x, z, span, fragments);
                }
                if let Some(walkable) = decide(limit) {
                    prop_assert_eq!(span.area.is_walkable(), walkable, "cell {} {}: {:?} {:?}", x, z, span, fragments);
                }
                let ground = span.ground();
                prop_assert!(
                    fragments.iter().any(|f| f.allowed[0] as f32 <= ground + 0.02 && ground <= f.allowed[1] as f32 + 0.02)
                );
                // A single triangle gives its plane if it certainly covers the centre.
                if let ([only], true) = (&fragments[..], span.upward) {
                    let corners = to_grid(soup.corners(only.triangle), &heightfield.frame);
                    let (cx, cz) = (f64::from(x) + 0.5, f64::from(z) + 0.5);
                    let cross = |a: [f64; 3], b: [f64; 3], x: f64, z: f64| (b[0] - a[0]) * (z - a[2]) - (b[2] - a[2]) * (x - a[0]);
                    let weights = [1, 2, 0].map(|i| cross(corners[i], corners[(i + 1) % 3], cx, cz));
                    let area = cross(corners[0], corners[1], corners[2][0], corners[2][2]);
                    if weights.iter().all(|weight| weight / area > 1e-3) {
                        let plane: f64 = (0..3).map(|i| weights[i] / area * corners[i][1]).sum();
                        prop_assert!((f64::from(ground) - plane).abs() < 0.02 + 1e-6 * plane.abs(), "{} {}", ground, plane);
                    }
                }
            }
        }
    }
}

#[test]
fn real_levels_are_valid_and_the_same_on_all_threads() {
    for name in ["nav_test", "dungeon", "undulating"] {
        let Some(path) = scene(&format!("golden/Meshes/{name}.obj")) else { continue };
        let soup = read_obj(&path);
        let config = VoxelConfig::default();
        let heightfield = rasterize(&soup, &config, &mut ()).unwrap();
        heightfield.validate().unwrap();
        assert_eq!(rasterize(&soup, &config.with_threads(3), &mut ()).unwrap(), heightfield, "{name}");
        let mut triangles = soup.triangles().to_vec();
        triangles.reverse();
        let reversed = TriangleSoup::new(soup.positions().to_vec(), triangles).unwrap();
        assert_eq!(rasterize(&reversed, &config, &mut ()).unwrap(), heightfield, "{name}");
    }
}

#[test]
fn a_hundred_sheets_come_out_the_same_in_any_order() {
    // Each sheet is a fan of four triangles, so that most cells get several fragments of a sheet.
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for sheet in 0..100_u32 {
        let first = positions.len() as u32;
        let y = sheet as f32 * 0.7;
        positions.push(Vec3::new(1.1, y + 0.1, 0.9));
        positions.extend([(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)].map(|(x, z)| Vec3::new(x, y, z)));
        triangles.extend((0..4).map(|side| [first, first + 1 + (side + 1) % 4, first + 1 + side]));
    }
    let config = VoxelConfig::default().with_scale(GridScale::new(0.1, 0.05)).with_threads(1);
    let sorted = TriangleSoup::new(positions.clone(), triangles.clone()).unwrap();
    let expected = rasterize(&sorted, &config, &mut ()).unwrap();
    assert_eq!(expected.column(10, 10).len(), 100);
    let order = waymesh_core::Random::new(5).permutation(triangles.len());
    let shuffled = order.iter().map(|&at| triangles[at]).collect();
    let shuffled = TriangleSoup::new(positions, shuffled).unwrap();
    assert_eq!(rasterize(&shuffled, &config, &mut ()).unwrap(), expected);
}
