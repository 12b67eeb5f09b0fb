//! A window of the grid equals that part of the whole grid.
#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a panic fails the test, and its numbers are small"
)]

use crate::common;
use common::{column_error, crop, grid_oracle, nasty_soup, read_obj, scene, soup, storeys};
use glam::{Vec2, Vec3};
use proptest::prelude::*;
use waymesh_core::stage::BuildField;
use waymesh_core::{
    Agent, AreaId, BadField, Bounds, Counter, FieldWindow, GridFrame, GridScale, GridWindow, Heightfield,
    TriangleSoup, Validate,
};
use waymesh_testkit::{Random, Recording, soups};
use waymesh_voxel::{
    FieldBuilder, Filters, Mark, MarkShape, VoxelConfig, VoxelError, build_window, halo_cells,
    rasterize_in_frame, rasterize_window,
};

fn corners(soup: &TriangleSoup) -> impl Iterator<Item = [Vec3; 3]> + '_ {
    (0..soup.triangles().len()).map(|triangle| soup.corners(triangle))
}

/// Returns a part of a frame from four numbers in `0..1`; sometimes all of it, often at its edge.
fn part_of(frame: &GridFrame, [x, z, width, depth]: [f64; 4]) -> GridWindow {
    let side = |at: f64, size: f64, count: u32| {
        let from = (at * 1.2 * f64::from(count) - 0.1 * f64::from(count)).max(0.0) as u32;
        let from = from.min(count - 1);
        (from, 1 + (size * f64::from(count - from)) as u32)
    };
    let ((x, width), (z, depth)) = (side(x, width, frame.width), side(z, depth, frame.depth));
    GridWindow::new(x, z, width, depth).intersection(&GridWindow::whole(frame))
}

fn unit() -> [std::ops::Range<f64>; 4] {
    [0.0..1.0, 0.0..1.0, 0.0..1.0, 0.0..1.0]
}

/// Returns all windows of `side` cells that cover the frame.
fn tiles(frame: &GridFrame, side: u32) -> impl Iterator<Item = GridWindow> + use<> {
    let whole = GridWindow::whole(frame);
    (0..frame.depth).step_by(side as usize).flat_map(move |z| {
        (0..whole.width)
            .step_by(side as usize)
            .map(move |x| GridWindow::new(x, z, side, side).intersection(&whole))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_rasterised_window_is_a_crop_of_the_whole(
        soup in nasty_soup(),
        cell in prop_oneof![Just(1.0_f32), Just(0.25), 0.05_f32..1.5],
        level in 0.1_f32..1.0,
        window in unit(),
        seed in any::<u64>(),
    ) {
        let bounds = soup.bounds();
        if !bounds.is_valid() {
            return Ok(());
        }
        // Smaller than the soup, so that much of it lies beyond every edge.
        let min = bounds.min.lerp(bounds.max, 0.07);
        let inner = Bounds { min, max: bounds.min.lerp(bounds.max, 0.9).max(min) };
        let config = VoxelConfig::default();
        for bounds in [bounds, inner] {
            let frame = GridFrame::fit(&bounds, &GridScale::new(cell, level)).unwrap();
            let whole = rasterize_in_frame(&soup, &frame, &config, &mut ()).unwrap();
            let window = part_of(&frame, window);
            for threads in [1, 3] {
                let config = config.with_threads(threads);
                let shuffled = soups::shuffled(&soup, seed);
                let part = rasterize_window(corners(&shuffled), &frame, window, &config, &mut ()).unwrap();
                prop_assert!(part.validate().is_ok());
                prop_assert!(part == crop(&whole, window), "{:?}", window);
            }
        }
    }
}

#[test]
fn the_whole_window_is_the_whole_and_an_empty_one_is_empty() {
    let floor =
        soup(&[[[0., 0., 0.], [0., 0., 9.], [9., 3., 9.]], [[f32::NAN, 0., 0.], [1., 0., 0.], [0., 0., 1.]]]);
    let frame = GridFrame::fit(&floor.bounds(), &GridScale::default()).unwrap();
    let config = VoxelConfig::default();
    let (mut counts, mut expected) = (Recording::default(), Recording::default());
    let whole = GridWindow::whole(&frame);
    let part = rasterize_window(corners(&floor), &frame, whole, &config, &mut counts).unwrap();
    assert_eq!(part, rasterize_in_frame(&floor, &frame, &config, &mut expected).unwrap());
    assert_eq!(counts, expected);
    assert_eq!(counts.counts, [(Counter::TrianglesNotFinite, 1)].into());
    for empty in [GridWindow::new(3, 3, 0, 4), GridWindow::new(3, 3, 4, 0), GridWindow::new(30, 30, 0, 0)] {
        let part = rasterize_window(corners(&floor), &frame, empty, &config, &mut ()).unwrap();
        assert!(part.spans.is_empty() && part.validate().is_ok());
    }
    for outside in
        [GridWindow::new(29, 0, 2, 2), GridWindow::new(0, 31, 0, 0), GridWindow::new(u32::MAX, 0, 1, 1)]
    {
        let error = rasterize_window(corners(&floor), &frame, outside, &config, &mut ());
        assert_eq!(error, Err(VoxelError::BadWindow { window: outside, width: 30, depth: 30 }));
    }
    // Triangles outside the window, even if inside the grid, are counted as outside.
    let mut counts = Recording::default();
    let corner = GridWindow::new(25, 0, 5, 5);
    assert!(
        rasterize_window(corners(&floor), &frame, corner, &config, &mut counts).unwrap().spans.is_empty()
    );
    let far = soup(&[[[0., 0., 6.], [0., 0., 9.], [4., 3., 9.]]]);
    rasterize_window(corners(&far), &frame, corner, &config, &mut counts).unwrap();
    assert_eq!(counts.counts, [(Counter::TrianglesNotFinite, 1), (Counter::TrianglesOutside, 1)].into());
}

#[test]
fn windows_of_real_levels_are_crops() {
    for (name, cell) in [("nav_test", 0.3), ("dungeon", 0.2), ("undulating", 0.3)] {
        let Some(path) = scene(&format!("golden/Meshes/{name}.obj")) else { continue };
        let soup = read_obj(&path);
        let config = VoxelConfig::default().with_scale(GridScale::new(cell, 0.2));
        let frame = GridFrame::fit(&soup.bounds(), &config.scale).unwrap();
        let whole = rasterize_in_frame(&soup, &frame, &config, &mut ()).unwrap();
        let builder = FieldBuilder::default();
        let mut expected_counts = Recording::default();
        let field = FieldWindow::whole(builder.build_field(&whole, &mut expected_counts).unwrap());
        let halo = builder.halo_cells(&config.scale);
        for side in [64, 100] {
            let mut counts = Recording::default();
            for core in tiles(&frame, side) {
                let window = core.grown(halo, &frame);
                let part = rasterize_window(corners(&soup), &frame, window, &config, &mut ()).unwrap();
                assert!(part == crop(&whole, window), "{name} {core:?}");
                let built = build_window(&part, &frame, window, core, &builder, &mut counts).unwrap();
                assert!(built == field.cut(core), "{name} {core:?}");
            }
            assert_eq!(counts, expected_counts, "{name}");
        }
    }
}

/// A world of 100,000 cells a side: its corners, and things far from its origin.
#[test]
fn a_huge_world_is_as_exact_as_a_small_one() {
    const CELLS: u32 = 100_000;
    let side = CELLS as f32 * 0.25;
    let frame = GridFrame {
        origin: Vec3::new(-0.5 * side, -8.0, 3.0),
        cell_size: 0.25,
        level_height: 0.125,
        width: CELLS,
        depth: CELLS,
    };
    let config = VoxelConfig::default();
    // A tilted sheet over the whole world, and small triangles near two of its corners with
    // coordinates that single precision holds.
    let near = |at: Vec3, by: [f32; 3]| at + Vec3::from(by);
    let far_corner = frame.origin + Vec3::new(side, 0.0, side);
    let sheet =
        [[frame.origin, frame.origin + Vec3::new(0., 40., side), frame.origin + Vec3::new(side, 800., side)]];
    let mut random = Random::new(5);
    for corner in [frame.origin + Vec3::new(8., 0., 8.), far_corner - Vec3::splat(16.)] {
        let mut things = Vec::new();
        for _ in 0..60 {
            let mut point = || near(corner, [0, 1, 2].map(|_| (random.unit() * 64.0).floor() / 8.0));
            things.push([point(), point(), point()]);
        }
        let [x, _, z] = frame.to_grid(corner);
        let window = GridWindow::new(x as u32 - 3, z as u32 - 3, 38, 38);
        let part = rasterize_window(things.iter().copied(), &frame, window, &config, &mut ()).unwrap();
        // A frame of this window alone: its origin is exact here.
        let small = GridFrame { origin: corner - Vec3::new(0.75, 0., 0.75), ..frame.window(window) };
        let positions = things.iter().flatten().map(|corner| [corner.x, corner.y, corner.z]);
        let triangles: Vec<_> =
            positions.collect::<Vec<_>>().chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect();
        let alone = soup(&triangles);
        let local = rasterize_in_frame(
            &alone,
            &GridFrame { origin: Vec3::new(small.origin.x, frame.origin.y, small.origin.z), ..small },
            &config,
            &mut (),
        )
        .unwrap();
        assert!(part.spans.len() > 500, "{}", part.spans.len());
        assert!((&part.columns, &part.spans) == (&local.columns, &local.spans));

        // With the sheet below, every column has the sheet's heights, computed by plain clipping in
        // double precision.
        let all = || things.iter().chain(&sheet).copied();
        let part = rasterize_window(all(), &frame, window, &config, &mut ()).unwrap();
        let moved: Vec<_> = all()
            .map(|triangle| {
                triangle.map(|corner| {
                    let [x, height, z] = frame.to_grid(corner);
                    [x - f64::from(window.x), height, z - f64::from(window.z)]
                })
            })
            .collect();
        let columns = grid_oracle(&moved, window.width, window.depth, 3e-4, 2e-4);
        for (index, fragments) in columns.iter().enumerate() {
            let (x, z) = (index as u32 % window.width, index as u32 / window.width);
            let spans: Vec<[i32; 2]> = part.column(x, z).iter().map(|span| [span.bottom, span.top]).collect();
            let error = column_error(&spans, fragments);
            assert!(error.is_none(), "cell {x} {z}: {}", error.unwrap());
        }
    }
    // Tiles under the sheet agree where they overlap, 31,623 rows and columns from the origin and
    // across the sheet's border.
    for at in [31_623, 99_900] {
        let one = GridWindow::new(at, at, 100, 100);
        let other = GridWindow::new(at - 70, at - 20, 120, 90);
        let shared = one.intersection(&other);
        let cut = |window: GridWindow| {
            let part = rasterize_window(sheet, &frame, window, &config, &mut ()).unwrap();
            let local = GridWindow::new(shared.x - window.x, shared.z - window.z, shared.width, shared.depth);
            let cut = crop(&part, local);
            (cut.columns, cut.spans)
        };
        assert!(cut(one) == cut(other));
        assert!(cut(one).1.len() > 1000);
    }
}

/// Time must not depend on how much of a triangle lies outside: 10,000 windows over a triangle of
/// 10^18 cells.
#[test]
fn a_triangle_as_large_as_the_grid_can_be_costs_what_is_seen_of_it() {
    let frame =
        GridFrame { origin: Vec3::ZERO, cell_size: 1.0, level_height: 1.0, width: 1 << 30, depth: 1 << 30 };
    let far = 1.2e9;
    let triangles = [[Vec3::new(far, 3.5, far), Vec3::new(far, 3.5, -far), Vec3::new(-far, 3.5, far)]; 1];
    let mut spans = 0;
    for index in 0..10_000 {
        let window = GridWindow::new(index * 90_000, 7, 4, 3);
        let part = rasterize_window(triangles, &frame, window, &VoxelConfig::default(), &mut ()).unwrap();
        spans += part.spans.len();
        assert!(part.spans.iter().all(|span| (span.bottom, span.top) == (3, 4)));
    }
    assert_eq!(
        spans,
        10_000 * 12,
        "the middle of the grid lies on the triangle's long side, beyond all windows"
    );
}

fn agent(radius: f32) -> Agent {
    Agent::default().with_height(1.5).with_max_step(0.5).with_radius(radius)
}

fn radii() -> impl Strategy<Value = f32> {
    prop_oneof![Just(0.0_f32), Just(0.3), Just(0.6), Just(0.9), 0.0_f32..1.6]
}

fn builder(radius: f32, filters: [bool; 3], marks: bool) -> FieldBuilder {
    let filters = Filters::default()
        .with_low_obstacles(filters[0])
        .with_ledges(filters[1])
        .with_low_ceilings(filters[2]);
    let mark = |shape, area| Mark::new(shape, AreaId(area));
    let bounds = Bounds { min: Vec3::new(1.0, -1.0, 1.0), max: Vec3::new(4.05, 2.0, 8.0) };
    let corners = [[1., 1.], [6., 2.], [3., 7.]].map(Vec2::from).to_vec();
    let marks = if marks {
        vec![
            mark(MarkShape::Box { bounds }, 2),
            mark(MarkShape::Prism { corners, heights: [-1.0, 9.0] }, 3),
            mark(MarkShape::Cylinder { base: Vec3::new(5.0, -1.0, 4.0), radius: 1.5, height: 9.0 }, 0),
        ]
    } else {
        Vec::new()
    };
    FieldBuilder::new(agent(radius)).with_filters(filters).with_marks(marks)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_built_window_is_a_part_of_the_whole_field(
        seed in any::<u64>(),
        radius in radii(),
        filters in any::<[bool; 3]>(),
        marks in any::<bool>(),
        core in unit(),
        side in 2_u32..20,
    ) {
        let soup = storeys(seed);
        let config = VoxelConfig::default();
        let frame = GridFrame::fit(&soup.bounds(), &config.scale).unwrap();
        let whole = rasterize_in_frame(&soup, &frame, &config, &mut ()).unwrap();
        let builder = builder(radius, filters, marks);
        let mut expected_counts = Recording::default();
        let field = FieldWindow::whole(builder.build_field(&whole, &mut expected_counts).unwrap());
        let halo = builder.halo_cells(&config.scale);
        let build = |core: GridWindow, counts: &mut Recording| {
            let window = core.grown(halo, &frame);
            let part = crop(&whole, window);
            build_window(&part, &frame, window, core, &builder, counts).unwrap()
        };
        let core = part_of(&frame, core);
        let part = build(core, &mut Recording::default());
        prop_assert!(part.validate().is_ok());
        prop_assert!(part == field.cut(core), "{:?}", core);
        let mut counts = Recording::default();
        let tiles: Vec<FieldWindow> = tiles(&frame, side).map(|core| build(core, &mut counts)).collect();
        prop_assert_eq!(&counts.counts, &expected_counts.counts);
        let tiles: Vec<&FieldWindow> = tiles.iter().collect();
        prop_assert!(FieldWindow::assemble(frame, field.core, &tiles) == field);
    }
}

/// For every radius, one column less than `halo_cells` gives a different field somewhere. The full
/// halo never does (see above).
#[test]
fn one_column_less_of_halo_is_not_enough() {
    let floor =
        soup(&[[[0., 0., 0.], [0., 0., 15.], [15., 0., 15.]], [[0., 0., 0.], [15., 0., 15.], [15., 0., 0.]]]);
    let scale = GridScale::new(0.3, 0.2);
    let frame = GridFrame::fit(&floor.bounds(), &scale).unwrap();
    let whole = rasterize_in_frame(&floor, &frame, &VoxelConfig::default(), &mut ()).unwrap();
    let core = GridWindow::new(20, 20, 8, 8);
    assert_eq!(halo_cells(&agent(0.0), &scale), 2, "the ring, and what its ledges look at");
    for radius in [0.0, 0.1, 0.2, 0.3, 0.31, 0.46, 0.6, 1.0, 2.4] {
        for ledges in [true, false] {
            let builder =
                FieldBuilder::new(agent(radius)).with_filters(Filters::default().with_ledges(ledges));
            let halo = builder.halo_cells(&scale);
            if ledges {
                assert_eq!(halo, halo_cells(&agent(radius), &scale));
            }
            // Computes the result of `build_window` without its check of the halo.
            let field = |halo: u32| {
                let window = core.grown(halo, &frame);
                let part = builder.build_field(&crop(&whole, window), &mut ()).unwrap();
                FieldWindow { frame, core, window, field: part }.cut(core)
            };
            let expected = FieldWindow::whole(builder.build_field(&whole, &mut ()).unwrap()).cut(core);
            assert!(field(halo) == expected, "radius {radius}, ledges {ledges}");
            assert!(field(halo - 1) != expected, "radius {radius}, ledges {ledges}");
            let thin = core.grown(halo - 1, &frame);
            let error = build_window(&crop(&whole, thin), &frame, thin, core, &builder, &mut ());
            assert_eq!(error, Err(VoxelError::ThinHalo { window: thin, core, needed: halo }));
        }
    }
}

#[test]
fn windows_that_do_not_fit_are_refused() {
    let frame = GridFrame { origin: Vec3::ZERO, cell_size: 0.3, level_height: 0.2, width: 30, depth: 20 };
    let builder = FieldBuilder::default();
    let build = |window: GridWindow, core: GridWindow, size: GridWindow| {
        build_window(&Heightfield::empty(frame.window(size)), &frame, window, core, &builder, &mut ())
    };
    let whole = GridWindow::whole(&frame);
    let core = GridWindow::new(10, 8, 4, 4);
    assert_eq!(build(whole, core, whole).unwrap().window, core.grown(1, &frame));
    for (window, core, size) in [
        (GridWindow::new(0, 0, 31, 20), core, GridWindow::new(0, 0, 31, 20)),
        (whole, core, GridWindow::new(0, 0, 29, 20)),
        (GridWindow::new(0, 0, 20, 20), GridWindow::new(18, 3, 4, 4), GridWindow::new(0, 0, 20, 20)),
    ] {
        let error = build(window, core, size);
        assert!(matches!(error, Err(VoxelError::BadWindow { .. })), "{error:?}");
    }
    let bad = FieldBuilder::default().with_erosion_radius(f32::NAN);
    let error = build_window(&Heightfield::empty(frame), &frame, whole, core, &bad, &mut ());
    assert!(
        matches!(error, Err(VoxelError::BadField(BadField { field: "erosion radius", .. }))),
        "{error:?}"
    );
}
