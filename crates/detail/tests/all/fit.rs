//! The guarantees of the surface, on artificial ground.

use crate::common;
use common::{
    check, field, fit_windowed, frame, height_at, points_on_edge, poly_mesh, rectangles, regions, tiles,
};
use waymesh_core::stage::FitHeights;
use waymesh_core::{
    BadField, GridWindow, HeightSurface, LabelledWindow, Observer, PlanPoint, PolyId, RegionMap, VertexId,
    WalkableField,
};
use waymesh_detail::{
    DetailConfig, DetailError, GreedyInsertion, WindowConfig, fit_heights, fit_heights_windowed,
};

fn bound(levels: f32) -> DetailConfig {
    DetailConfig::default().with_max_error_levels(levels)
}

/// Fits a mesh of one region and runs all checks.
fn fit(field: &WalkableField, mesh: &waymesh_core::PolyMesh, levels: f32) -> (HeightSurface, common::Errors) {
    let regions = regions(field, 1, |_, _| 0);
    let surface = fit_heights(field, &regions, mesh, &bound(levels), &mut ()).expect("a surface");
    let errors = check(field, &regions, mesh, &surface, levels);
    (surface, errors)
}

#[test]
fn an_even_slope_needs_no_points() {
    let slope = |x: f32, z: f32| 3.0 + 0.7 * x - 0.4 * z;
    let field = field(40, 30, |x, z| Some(slope(x, z)));
    // Vertex heights are off by two levels, but the surface fits them again.
    let mesh = rectangles(field.frame, &[0, 13, 40], &[0, 9, 30], |_, _| 0, |x, z| slope(x, z) + 2.0);
    let (surface, errors) = fit(&field, &mesh, 1.0);
    assert_eq!(surface.points.len(), mesh.vertices.len());
    assert_eq!(surface.triangles.len(), 8);
    assert!(surface.max_error < 1e-3 && errors.mean.abs() < 1e-3, "{errors:?}");
}

#[test]
fn waves_are_followed_within_the_bound_and_without_bias() {
    let wave = |x: f32, z: f32| 6.0 * (x / 7.0).sin() + 5.0 * (z / 9.0 + 0.4).cos();
    let field = field(90, 80, |x, z| Some(wave(x, z)));
    let mesh = rectangles(field.frame, &[0, 30, 60, 90], &[0, 41, 80], |_, _| 0, wave);
    let mut last = usize::MAX;
    for levels in [0.1, 0.25, 0.5, 1.0, 2.0] {
        let (surface, errors) = fit(&field, &mesh, levels);
        assert!(errors.mean.abs() < 0.08 * f64::from(levels), "{levels}: {errors:?}");
        assert!(surface.triangles.len() < last, "a wider bound needs fewer triangles");
        last = surface.triangles.len();
        assert!(surface.max_error <= levels && surface.max_error > levels * 0.5, "{}", surface.max_error);
    }
    assert!(last < 7200 / 10, "{last} triangles for 7200 samples");
}

#[test]
fn stairs_are_met_at_every_sample() {
    // Steps of 3 levels, two cells deep, turning a corner.
    let stairs = |x: f32, z: f32| 3.0 * ((x.max(z) / 2.0).floor());
    let field = field(24, 24, |x, z| Some(stairs(x, z)));
    let mesh = rectangles(field.frame, &[0, 11, 24], &[0, 24], |_, _| 0, stairs);
    for levels in [0.05, 1.0] {
        let (_, errors) = fit(&field, &mesh, levels);
        assert!(errors.mean.abs() < 0.2 * f64::from(levels), "{errors:?}");
    }
}

#[test]
fn neighbours_share_the_points_of_a_long_slanted_edge() {
    let hill = |x: f32, z: f32| 9.0 * (x / 11.0).sin() * (z / 8.0).cos();
    let field = field(70, 60, |x, z| Some(hill(x, z)));
    // Two regions that meet along lines with no lattice point of the grid inside.
    let polygons = [
        (0, vec![(0, 0), (70, 0), (61, 17), (0, 41)]),
        (1, vec![(0, 41), (61, 17), (70, 60), (0, 60)]),
        (1, vec![(61, 17), (70, 0), (70, 60)]),
    ];
    let mesh = poly_mesh(field.frame, &polygons, hill);
    // The border between the regions follows the spans, not the edge.
    let regions = regions(&field, 2, |x, z| u32::from(12 * z + 5 * x > 500));
    let surface = fit_heights(&field, &regions, &mesh, &bound(0.5), &mut ()).expect("a surface");
    check(&field, &regions, &mesh, &surface, 0.5);
    assert!(points_on_edge(&mesh, &surface, PolyId(0), 2).len() > 5, "the edge bends");
    let interior = |point: &u32| *point as usize >= mesh.vertices.len();
    assert!(points_on_edge(&mesh, &surface, PolyId(0), 2)[1..].iter().any(interior));
}

#[test]
fn diagonal_edges_take_the_columns_they_pass_through() {
    // Columns on the diagonal form a ridge that is absent on both sides.
    let ridge = |x: f32, z: f32| if (x - z).abs() < 0.1 { 3.5 + (x * 0.7).sin() } else { 0.0 };
    let field = field(20, 20, |x, z| Some(ridge(x, z)));
    let polygons = [(0, vec![(0, 0), (20, 0), (20, 20)]), (0, vec![(0, 0), (20, 20), (0, 20)])];
    fit(&field, &poly_mesh(field.frame, &polygons, ridge), 0.5);
}

#[test]
fn polygons_reach_over_ground_of_their_neighbours_and_over_none() {
    let slope = |x: f32, z: f32| 0.5 * x + 0.1 * z * z / 6.0;
    // A notch without ground, which the polygon spans, and a strip of region 1 that belongs to the
    // polygon of region 0.
    let field = field(30, 20, |x, z| (!(12.0..=14.0).contains(&x) || z > 5.0).then(|| slope(x, z)));
    let map = regions(&field, 2, |x, _| u32::from(x >= 17));
    let mesh = rectangles(field.frame, &[0, 18, 30], &[0, 20], |i, _| u32::from(i == 1), slope);
    let surface = fit_heights(&field, &map, &mesh, &bound(0.25), &mut ()).expect("a surface");
    check(&field, &map, &mesh, &surface, 0.25);
    for z in 0_u8..20 {
        let z = f64::from(z) + 0.5;
        let height = height_at(&surface, PolyId(0), 17.5, z).expect("inside");
        #[expect(clippy::cast_possible_truncation, reason = "a height")]
        let error = height as f32 - slope(17.5, z as f32);
        assert!(error.abs() <= 0.251, "{error} at {z}");
    }
}

#[test]
fn storeys_do_not_mix() {
    // A ramp under a slab: two spans in every column, each in a separate region.
    let mut lower = field(20, 20, |x, _| Some(0.3 * x));
    let spans = lower.len();
    let mut both = WalkableField::empty(lower.frame);
    for span in 0..spans {
        let links = lower.links[span].map(|link| if link == waymesh_core::NO_SPAN { link } else { link * 2 });
        let above = links.map(|link| if link == waymesh_core::NO_SPAN { link } else { link + 1 });
        for (height, links) in [(lower.ground[span], links), (30.0, above)] {
            both.span_columns.push(lower.span_columns[span]);
            #[expect(clippy::cast_possible_truncation, reason = "a level")]
            both.floor.push(height.ceil() as i32);
            both.clearance.push(20);
            both.ground.push(height);
            both.links.push(links);
            both.area.push(lower.area[span]);
        }
    }
    both.columns = lower.columns.iter().map(|first| first * 2).collect();
    lower = both;
    let labels = (0..lower.len()).map(|span| u32::from(span % 2 == 1)).collect();
    let map = RegionMap { labels, count: 2 };
    let square = vec![(0, 0), (20, 0), (20, 20), (0, 20)];
    let mut mesh = poly_mesh(frame(20, 20), &[(0, square.clone()), (1, square)], |_, _| 0.0);
    // The helper joins equal corners; a real mesh has separate vertices for each storey.
    for corner in 4..8 {
        let vertex = mesh.vertices[mesh.corners[corner].index()];
        mesh.vertices.push(waymesh_core::PlanVertex { height: 28.0, ..vertex });
        mesh.corners[corner] = VertexId::from_index(corner);
    }
    mesh.neighbours.fill(None);
    let surface = fit_heights(&lower, &map, &mesh, &bound(0.1), &mut ()).expect("a surface");
    check(&lower, &map, &mesh, &surface, 0.1);
    assert_eq!(surface.triangles.len(), 4);
    assert!(surface.points[4..].iter().all(|point| (point.height - 30.0).abs() < 1e-4));
}

#[test]
fn a_stair_that_comes_round_does_not_pull_its_start_up() {
    // The region's end lies next to its start, 30 levels higher, and the polygon at the start
    // covers two columns of the end.
    let start = |x: f32| 0.4 * x;
    let field = field(20, 12, |x, _| Some(if x < 10.0 { start(x) } else { 30.0 + x }));
    let map = regions(&field, 1, |_, _| 0);
    let mut mesh = rectangles(field.frame, &[0, 12], &[0, 12], |_, _| 0, |x, _| start(x));
    let surface = fit_heights(&field, &map, &mesh, &bound(0.25), &mut ()).expect("a surface");
    assert!(surface.points.iter().all(|point| (point.height - start(point.x)).abs() < 1e-3), "{surface:?}");
    assert_eq!(surface.triangles.len(), 2);
    // With higher steps, the end is on the same storey.
    mesh.vertices.iter_mut().for_each(|vertex| vertex.height = 5.0);
    let config = bound(0.25).with_max_step(6.0);
    let surface = fit_heights(&field, &map, &mesh, &config, &mut ()).expect("a surface");
    check(&field, &map, &mesh, &surface, 0.25);
}

#[test]
fn vertices_come_first_and_polygons_share_them() {
    let wave = |x: f32, z: f32| 4.0 * (x / 5.0).sin() + (z / 3.0).cos();
    let field = field(40, 40, |x, z| Some(wave(x, z)));
    let mesh = rectangles(field.frame, &[0, 20, 40], &[0, 20, 40], |_, _| 0, wave);
    let (surface, _) = fit(&field, &mesh, 0.5);
    for (vertex, point) in mesh.vertices.iter().zip(&surface.points) {
        assert_eq!(
            (f64::from(point.x), f64::from(point.z)),
            (f64::from(vertex.point.x), f64::from(vertex.point.z))
        );
    }
    let by_stage: &dyn FitHeights = &GreedyInsertion { config: bound(0.5) };
    let again =
        by_stage.fit_heights(&field, &regions(&field, 1, |_, _| 0), &mesh, &mut ()).expect("a surface");
    assert_eq!(again, surface);
}

#[test]
fn threads_do_not_show() {
    let rough = |x: f32, z: f32| 3.0 * (x * 0.9).sin() * (z * 0.7).cos() + (x * z / 40.0).sin();
    let field = field(120, 120, |x, z| Some(rough(x, z)));
    let cuts: Vec<i32> = (0..=24).map(|cut| cut * 5).collect();
    let mesh = rectangles(field.frame, &cuts, &cuts, |_, _| 0, rough);
    let map = regions(&field, 1, |_, _| 0);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| fit_heights(&field, &map, &mesh, &bound(0.5), &mut ()).expect("a surface"))
    };
    assert_eq!(run(1), run(3));
}

/// Records the progress.
#[derive(Default)]
struct Progress(Vec<(u64, u64)>);

impl Observer for Progress {
    fn progress(&mut self, done: u64, total: u64) {
        self.0.push((done, total));
    }
}

#[test]
fn windows_do_not_show_and_are_few_and_small() {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    let rough = |x: f32, z: f32| 3.0 * (x * 0.9).sin() * (z * 0.7).cos() + (x * z / 40.0).sin();
    let field = field(150, 150, |x, z| Some(rough(x, z)));
    // Small polygons, a long one, and a large one.
    let cuts: Vec<i32> = (0..=30).map(|cut| cut * 5).collect();
    let mut polygons = Vec::new();
    for (z, x) in cuts.iter().flat_map(|&z| cuts.iter().map(move |&x| (z, x))) {
        if x < 75 && z < 145 {
            polygons.push((0, vec![(x, z), (x + 5, z), (x + 5, z + 5), (x, z + 5)]));
        }
    }
    polygons.push((0, vec![(0, 145), (150, 145), (150, 150), (0, 150)]));
    polygons.push((0, vec![(75, 0), (150, 0), (150, 145), (75, 145)]));
    let mesh = poly_mesh(field.frame, &polygons, rough);
    let map = regions(&field, 1, |_, _| 0);
    let whole = fit_heights(&field, &map, &mesh, &bound(0.5), &mut ()).expect("a surface");
    let tiles = tiles(&field, &map, 32);
    let tiles: Vec<&LabelledWindow> = tiles.iter().collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().expect("a pool");
    for (columns, at_once) in [(400, 1), (400, 3), (3000, 2), (1 << 20, 4)] {
        let (alive, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let asked = std::sync::Mutex::new(Vec::new());
        let source = |window: GridWindow| {
            most.fetch_max(alive.fetch_add(1, SeqCst) + 1, SeqCst);
            asked.lock().expect("no panic").push(window);
            std::thread::yield_now();
            let part = LabelledWindow::assemble(field.frame, window, &tiles);
            alive.fetch_sub(1, SeqCst);
            Ok(part)
        };
        let windows = WindowConfig::default().with_window_columns(columns).with_windows_at_once(at_once);
        let mut progress = Progress::default();
        let surface = pool
            .install(|| fit_heights_windowed(&mesh, &source, &bound(0.5), &windows, &mut progress))
            .expect("a surface");
        assert!(surface == whole, "windows of {columns} columns differ from the whole");
        assert!(most.into_inner() <= at_once);
        let asked = asked.into_inner().expect("no panic");
        let large = asked.iter().filter(|window| window.column_count() > columns).count();
        assert!(large <= 2 && asked.len() < 200, "{large} of {} windows", asked.len());
        let total = asked.len() as u64;
        assert!(progress.0.into_iter().eq((1..=total).map(|done| (done, total))));
    }
}

#[test]
fn windows_that_cannot_be_had_are_errors() {
    let field = field(40, 40, |x, _| Some(x));
    let map = regions(&field, 1, |_, _| 0);
    let cuts: Vec<i32> = (0..=8).map(|cut| cut * 5).collect();
    let mesh = rectangles(field.frame, &cuts, &cuts, |_, _| 0, |x, _| x);
    let config = DetailConfig::default();
    for (windows, name) in [
        (WindowConfig::default().with_window_columns(0), "window_columns"),
        (WindowConfig::default().with_windows_at_once(0), "windows_at_once"),
    ] {
        let source = |_: GridWindow| Err::<LabelledWindow, _>("never asked".into());
        let error = fit_heights_windowed(&mesh, &source, &config, &windows, &mut ());
        assert!(matches!(error, Err(DetailError::BadField(bad)) if bad.field == name));
    }
    let tiles = tiles(&field, &map, 16);
    let tiles: Vec<&LabelledWindow> = tiles.iter().collect();
    let windows = WindowConfig::default().with_window_columns(300);
    let fit = |source: &waymesh_detail::GroundSource<'_>, at_once| {
        let windows = windows.with_windows_at_once(at_once);
        fit_heights_windowed(&mesh, source, &config, &windows, &mut ())
    };
    // The source fails from the middle of the grid onwards. The first window without a field is
    // reported, independent of the order of threads.
    let failing = |window: GridWindow| {
        if window.z >= 15 {
            return Err(format!("nothing at {}, {}", window.x, window.z).into());
        }
        Ok(LabelledWindow::assemble(field.frame, window, &tiles))
    };
    let error = fit(&failing, 1).expect_err("an error");
    let DetailError::Source { window, cause } = &error else { panic!("{error}") };
    assert_eq!(*cause, format!("nothing at {}, {}", window.x, window.z));
    for _ in 0..20 {
        assert_eq!(fit(&failing, 3).as_ref(), Err(&error));
    }
    let too_small = |window: GridWindow| {
        let part = GridWindow::new(window.x, window.z, window.width, window.depth - 4);
        Ok(LabelledWindow::assemble(field.frame, part, &tiles))
    };
    assert!(matches!(fit(&too_small, 1), Err(DetailError::WindowTooSmall { .. })));
    let unlabelled = |window: GridWindow| {
        let mut part = LabelledWindow::assemble(field.frame, window, &tiles);
        part.regions.labels.clear();
        Ok(part)
    };
    assert!(matches!(fit(&unlabelled, 1), Err(DetailError::Mismatch { .. })));
}

#[test]
fn vertices_without_a_sensible_height_do_no_harm() {
    let slope = |x: f32, z: f32| 0.3 * x + (z / 4.0).sin();
    let field = field(30, 20, |x, z| ((x - 15.0).abs() > 1.0).then(|| slope(x, z)));
    // The heights do not identify the ground, and the region has two pieces.
    let mesh = rectangles(field.frame, &[0, 20, 30], &[0, 20], |_, _| 0, |_, _| 500.0);
    let surface = fit_heights(&field, &regions(&field, 1, |_, _| 0), &mesh, &bound(0.25), &mut ());
    let surface = surface.expect("a surface");
    for (x, z) in [(2.5, 3.5), (13.5, 17.5), (25.5, 9.5)] {
        let height = height_at(&surface, PolyId(u32::from(x > 20.0)), x, z).expect("inside");
        #[expect(clippy::cast_possible_truncation, reason = "small numbers")]
        let error = height as f32 - slope(x as f32, z as f32);
        assert!(error.abs() <= 0.251, "{error} at {x}, {z}");
    }
}

#[test]
fn polygons_beyond_the_grid_keep_the_heights_they_have() {
    let field = field(10, 10, |_, _| Some(3.0));
    let map = regions(&field, 1, |_, _| 0);
    let square = |x: i32, z: i32| (0, vec![(x, z), (x + 8, z), (x + 8, z + 8), (x, z + 8)]);
    let mesh =
        poly_mesh(field.frame, &[square(-20, -30), square(-4, 4), square(6, -4), square(40, 2)], |_, _| 2.0);
    let surface = fit_heights(&field, &map, &mesh, &bound(0.5), &mut ()).expect("a surface");
    check(&field, &map, &mesh, &surface, 0.5);
    assert!(surface.points[..4].iter().all(|point| (point.height - 2.0).abs() < 1e-6));
    let windows = WindowConfig::default().with_window_columns(1);
    assert!(fit_windowed(&field, &tiles(&field, &map, 4), &mesh, &bound(0.5), &windows) == surface);
}

#[test]
fn bad_input_is_an_error() {
    let field = field(10, 10, |x, _| Some(x));
    let map = regions(&field, 1, |_, _| 0);
    let mesh = rectangles(field.frame, &[0, 10], &[0, 10], |_, _| 0, |_, _| 0.0);
    let fit =
        |field: &WalkableField, map: &RegionMap, mesh: &waymesh_core::PolyMesh, config: &DetailConfig| {
            fit_heights(field, map, mesh, config, &mut ()).expect_err("an error")
        };
    for levels in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let error = fit(&field, &map, &mesh, &bound(levels));
        assert!(
            matches!(error, DetailError::BadField(BadField { field: "max_error_levels", .. })),
            "{error}"
        );
    }
    let config = DetailConfig::default().with_max_step(f32::NAN);
    assert!(matches!(
        fit(&field, &map, &mesh, &config),
        DetailError::BadField(BadField { field: "max_step", .. })
    ));

    let config = DetailConfig::default();
    let mut other = field.clone();
    other.ground[7] = f32::NAN;
    assert_eq!(fit(&other, &map, &mesh, &config), DetailError::GroundNotFinite { span: 7 });
    let mut other = mesh.clone();
    other.vertices[2].height = f32::INFINITY;
    assert_eq!(fit(&field, &map, &other, &config), DetailError::VertexNotFinite { vertex: VertexId(2) });
    let mut other = mesh.clone();
    other.vertices[0].point = PlanPoint::new(9, 9);
    assert_eq!(fit(&field, &map, &other, &config), DetailError::NotConvex { polygon: PolyId(0) });
    let mut other = mesh.clone();
    other.vertices[2].point = PlanPoint::new(1 << 22, 1 << 22);
    assert!(matches!(fit(&field, &map, &other, &config), DetailError::TooWide { .. }));
    let mut other = mesh.clone();
    other.corners[1] = VertexId(99);
    assert!(matches!(fit(&field, &map, &other, &config), DetailError::Mismatch { found: 99, .. }));
    let mut other = map.clone();
    other.labels.pop();
    assert!(matches!(fit(&field, &other, &mesh, &config), DetailError::Mismatch { .. }));
}
