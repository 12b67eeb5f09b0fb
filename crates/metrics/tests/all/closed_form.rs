//! Scenes whose figures can be computed by hand.

#![allow(clippy::unwrap_used, reason = "tests")]

use crate::common;
use std::f64::consts::PI;

use common::{Draft, Level, agent, config, figures, judge, near, of, pillar};
use glam::Vec3;
use waymesh_core::{Agent, BadField, TriangleSoup};
use waymesh_metrics::{Evaluation, JudgedMesh, MetricsConfig, MetricsError, Obstruction, Oracle, Verdict};

#[test]
fn a_square_with_a_pillar_has_the_areas_of_its_offsets() {
    let oracle = pillar().oracle();
    let found = figures(&oracle, &Draft::around_pillar());
    // The floor of 100 and the top of the pillar of 4 square metres are walkable.
    let offset = |d: f64| (10.0 - 2.0 * d).powi(2) - (4.0 + 8.0 * d + PI * d * d) + (2.0 - 2.0 * d).powi(2);
    assert_eq!(found.samples, 20_000);
    near(of(found.standable, found.samples), offset(0.6) / 104.0, 0.003);
    near(of(found.uncertain, found.samples), (offset(0.4) - offset(0.6)) / 104.0, 0.003);
    // The top of the pillar is all that the mesh lacks.
    near(found.coverage, 1.0 - 0.8 * 0.8 / offset(0.6), 0.002);
    assert_eq!(found.excess.total, Some(0.0));
    assert_eq!((found.height_error.mean, found.height_error.max), (Some(0.0), Some(0.0)));
    assert_eq!((found.connectivity.islands, found.connectivity.components), (1, 2));
    assert_eq!(found.connectivity.agree, found.connectivity.pairs);
    assert_eq!((found.polygons, found.portals, found.vertices, found.vertices_off_border), (8, 8, 16, 0));
    assert_eq!(found.polygons_lower_bound, 2);
    assert_eq!((found.slivers, found.t_junctions, found.violations), (Some(0.0), 0, 0));
    near(found.min_angle, 90.0, 1e-3);
    near(found.shape.area, 72.0, 1e-3);
    near(found.shape.largest_polygon, 9.0, 1e-3);
    near(found.shape.min_width, 3.0, 1e-3);
    near(found.shape.mean_degree, 2.0, 1e-9);
    // The corners of the hole are square where they could be round: half a metre off a corner on either
    // side.
    near(found.clearance_error.max, 0.5 * (2.0_f64.sqrt() - 1.0), 0.02);
    near(found.clearance_error.mean, 0.01, 0.01);
}

#[test]
fn every_obstruction_is_told_from_the_others() {
    let oracle =
        pillar().solid([1.0, 1.5, 1.0], [3.0, 2.0, 3.0]).floor([20.0, 30.0], [0.0, 10.0], 3.0).oracle();
    let at = |x: f32, y: f32, z: f32| oracle.judge(Vec3::new(x, y, z));
    assert_eq!(at(5.0, 0.0, 5.0), Verdict::Obstructed(Obstruction::Solid));
    assert_eq!(at(2.0, 0.0, 2.0), Verdict::Obstructed(Obstruction::Ceiling));
    assert_eq!(at(6.2, 0.0, 5.0), Verdict::Obstructed(Obstruction::Wall));
    assert_eq!(at(6.2, 0.0, 6.2), Verdict::Obstructed(Obstruction::Wall));
    assert_eq!(at(9.8, 0.0, 5.0), Verdict::Obstructed(Obstruction::Drop));
    assert_eq!(at(20.1, 3.0, 5.0), Verdict::Obstructed(Obstruction::Drop));
    assert_eq!(at(6.5, 0.0, 5.0), Verdict::Uncertain);
    assert_eq!(at(8.0, 0.0, 8.0), Verdict::Standable);
    assert_eq!(at(25.0, 3.0, 5.0), Verdict::Standable);
}

#[test]
fn a_thin_post_is_not_overlooked_wherever_one_stands() {
    let level = Level::default().floor([0.0, 10.0], [0.0, 10.0], 0.0);
    let oracle = level.solid([4.99, 0.0, 4.99], [5.01, 1.0, 5.01]).oracle();
    for step in 0_u8..100 {
        let (sin, cos) = (f32::from(step) * 0.0629).sin_cos();
        let verdict = oracle.judge(Vec3::new(5.0 + 0.35 * cos, 0.0, 5.0 + 0.35 * sin));
        assert_eq!(verdict, Verdict::Obstructed(Obstruction::Wall), "step {step}");
        let verdict = oracle.judge(Vec3::new(5.0 + 0.65 * cos, 0.0, 5.0 + 0.65 * sin));
        assert_eq!(verdict, Verdict::Standable, "step {step}");
    }
}

#[test]
fn a_kerb_is_walked_over_and_a_fence_is_not() {
    let with_wall = |height: f32| {
        let level = Level::default().floor([0.0, 10.0], [0.0, 10.0], 0.0);
        level.solid([0.0, 0.0, 4.9], [10.0, height, 5.1]).oracle()
    };
    let square = Draft::lattice(&[0.5, 9.5], &[0.5, 9.5], 0.0, &[]);
    let kerb = figures(&with_wall(0.2), &square);
    assert_eq!(kerb.connectivity.components, 1);
    assert_eq!(kerb.connectivity.agree, kerb.connectivity.pairs);
    assert_eq!(kerb.excess.total, Some(0.0));
    let fence = figures(&with_wall(1.0), &square);
    assert_eq!(fence.connectivity.components, 2);
    near(of(fence.connectivity.false_links, fence.connectivity.pairs), 0.5, 0.1);
    assert_eq!(fence.connectivity.missed_links, 0);
    // The fence is inside: 0.2 of 9 metres, and 0.4 on either side are too close.
    near(fence.excess.solid, 0.2 / 9.0, 0.003);
    near(fence.excess.wall, 0.8 / 9.0, 0.003);
}

/// Wherever a crack lies on the judge's grid, no mesh that leads over it is said to be wrong,
/// unless nobody can step over it.
#[test]
fn a_crack_is_stepped_over_wherever_it_lies() {
    let square = Draft::lattice(&[0.5, 9.5], &[0.5, 9.5], 0.0, &[]);
    let judged = |from: f32, width: f32| {
        let level = Level::default().floor([0.0, from], [0.0, 10.0], 0.0);
        let level = level.floor([from + width, 10.0], [0.0, 10.0], 0.0);
        figures(&level.oracle(), &square).connectivity
    };
    for width in [0.02, 0.05, 0.09] {
        for place in 0_u8..5 {
            let found = judged(5.0 + 0.022 * f32::from(place), width);
            assert_eq!((found.false_links, found.missed_links), (0, 0), "{width} m, {place}: {found:?}");
        }
    }
    let gap = judged(4.8, 0.4);
    near(of(gap.false_links, gap.pairs), 0.5, 0.1);
}

/// Ten metres along x at this slope, four wide.
fn ramp(degrees: f32) -> (Level, Draft) {
    let rise = 10.0 * degrees.to_radians().tan();
    let level =
        Level::default().quad([[0.0, 0.0, 0.0], [0.0, 0.0, 4.0], [10.0, rise, 4.0], [10.0, rise, 0.0]]);
    let mut draft = Draft::lattice(&[0.5, 9.5], &[0.5, 3.5], 0.0, &[]);
    draft.vertices.iter_mut().for_each(|vertex| vertex.y = vertex.x / 10.0 * rise);
    (level, draft)
}

#[test]
fn a_ramp_is_walkable_up_to_the_steepest_slope() {
    for degrees in [0.0, 20.0, 40.0, 44.0] {
        let (level, draft) = ramp(degrees);
        let found = figures(&level.oracle(), &draft);
        near(of(found.standable, found.samples), 8.8 * 2.8 / 40.0, 0.003);
        near(of(found.uncertain, found.samples), (9.2 * 3.2 - 8.8 * 2.8) / 40.0, 0.003);
        assert_eq!((found.coverage, found.excess.total), (Some(1.0), Some(0.0)), "{degrees}");
        near(found.height_error.max, 0.0, 1e-5);
        near(found.clearance_error.max, 0.0, 0.001);
        assert_eq!(found.connectivity.agree, 300);
    }
    let (level, draft) = ramp(46.0);
    let found = figures(&level.oracle(), &draft);
    assert_eq!((found.samples, found.coverage), (0, None));
    assert_eq!(found.excess.wall, Some(1.0));
    assert_eq!(found.remarks(), ["the scene has no walkable ground"]);
}

#[test]
fn stairs_differ_from_a_plane_by_half_a_riser() {
    let (tread, riser) = (0.5_f32, 0.2_f32);
    let mut level = Level::default();
    for step in 0_u8..20 {
        let (x, y) = (f32::from(step) * tread, f32::from(step) * riser);
        level = level.floor([x, x + tread], [0.0, 4.0], y).quad([
            [x, y - riser, 0.0],
            [x, y - riser, 4.0],
            [x, y, 4.0],
            [x, y, 0.0],
        ]);
    }
    let mut draft = Draft::lattice(&[0.5, 9.5], &[0.5, 3.5], 0.0, &[]);
    draft.vertices.iter_mut().for_each(|vertex| vertex.y = (vertex.x / tread - 0.5) * riser);
    let found = figures(&level.oracle(), &draft);
    near(of(found.standable, found.samples), 8.8 * 2.8 / 40.0, 0.003);
    assert_eq!((found.coverage, found.excess.total), (Some(1.0), Some(0.0)));
    near(found.height_error.mean, 0.0, 0.002);
    near(found.height_error.p50, 0.05, 0.002);
    near(found.height_error.p95, 0.095, 0.002);
    near(found.height_error.max, 0.1, 0.001);
    assert_eq!(found.connectivity.components, 1);
    assert_eq!(found.connectivity.agree, 300);
    // For an agent with a step of at most 0.1, each tread is a strip between walls and drops.
    let oracle = Oracle::new(&level.soup(), &agent().with_max_step(0.05), &config()).unwrap();
    assert_eq!(figures(&oracle, &draft).standable, 0);
}

#[test]
fn two_floors_are_two_components_and_the_lower_needs_headroom() {
    let floors =
        |y: f32| Level::default().floor([0.0, 10.0], [0.0, 10.0], 0.0).floor([0.0, 10.0], [0.0, 10.0], y);
    let square = |y: f32| Draft::lattice(&[0.5, 9.5], &[0.5, 9.5], y, &[]);
    let oracle = floors(4.0).oracle();
    let found = figures(&oracle, &square(0.0).and(&square(4.0)));
    assert_eq!((found.coverage, found.excess.total), (Some(1.0), Some(0.0)));
    assert_eq!((found.connectivity.islands, found.connectivity.components), (2, 2));
    assert_eq!(found.connectivity.agree, 300);
    assert_eq!((found.violations, found.polygons_lower_bound), (0, 2));
    near(figures(&oracle, &square(4.0)).coverage, 0.5, 0.01);
    let low = figures(&floors(1.8).oracle(), &square(0.0).and(&square(1.8)));
    near(low.excess.ceiling, 0.5, 1e-6);
    assert_eq!((low.coverage, low.connectivity.components), (Some(1.0), 1));
}

#[test]
fn an_l_shape_has_one_notch() {
    let oracle = Level::default().floor([0.0, 10.0], [0.0, 10.0], 0.0).oracle();
    let lines = [0.5, 5.0, 9.5];
    let found = figures(&oracle, &Draft::lattice(&lines, &lines, 0.0, &[3]));
    assert_eq!((found.polygons, found.portals, found.polygons_lower_bound), (3, 2, 2));
    // The corner that all three share is the notch; the full square has it off the border.
    assert_eq!(found.vertices_off_border, 0);
    let full = figures(&oracle, &Draft::lattice(&lines, &lines, 0.0, &[]));
    assert_eq!((full.polygons_lower_bound, full.vertices_off_border), (1, 1));
    near(full.shape.polygons_per_lower_bound, 4.0, 1e-9);
}

#[test]
fn paths_are_compared_with_the_shortest() {
    let oracle = pillar().oracle();
    let draft = Draft::around_pillar();
    // Goes around by the corners of the hole on the shorter side, but never diagonally past them.
    let mut straight = |from: Vec3, to: Vec3| Some(vec![from, to].into());
    let found = oracle.evaluate(&draft.mesh(), Some(&mut straight)).evaluation.paths;
    assert_eq!((found.pairs, found.found), (300, 300));
    // Straight lines are never longer than the shortest path, and shorter where they cut through
    // the pillar.
    near(found.excess_length.max, 0.0, 1e-5);
    assert!(found.excess_length.mean.unwrap() < -1e-4);
    near(found.min_wall_distance, 0.0, 0.05);
    assert!(found.query_ns.p50 <= found.query_ns.p99);
    assert!(found.wrongly_found > 0, "the top of the pillar cannot be reached");
    // By way of a corner all are longer; the worst hundred are kept with their corners.
    let corner = Vec3::new(0.5, 0.0, 0.5);
    let mut around = |from: Vec3, to: Vec3| Some(vec![from, corner, to].into());
    let judgement = oracle.evaluate(&draft.mesh(), Some(&mut around));
    let (worst, detours) = (judgement.evaluation.paths.excess_length.max, judgement.places.detours);
    assert_eq!((detours.len(), detours.first().map(|detour| detour.excess)), (100, worst));
    assert!(detours.is_sorted_by(|a, b| a.excess >= b.excess));
    assert!(detours.iter().all(|detour| detour.path.len() == 3 && detour.path[1] == corner));
    assert!(detours[0].excess > 1.0);
    let mut straight = |from: Vec3, to: Vec3| Some(vec![from, to].into());
    assert_eq!(oracle.evaluate(&draft.mesh(), Some(&mut straight)).places.detours, []);
    let mut nobody = |_: Vec3, _: Vec3| None;
    let found = oracle.evaluate(&draft.mesh(), Some(&mut nobody)).evaluation.paths;
    assert_eq!((found.found, found.wrongly_found), (0, 0));
    assert!(found.wrongly_missing > 250);
    assert_eq!((found.excess_length.mean, found.min_wall_distance), (None, None));
}

#[test]
fn nothing_gives_no_figure_and_no_nan() {
    let empty = TriangleSoup::default();
    let none = JudgedMesh::new(&[], Vec::new()).unwrap();
    let oracle = Oracle::new(&empty, &Agent::default(), &config()).unwrap();
    let found = judge(&oracle, &none).evaluation;
    assert_eq!((found.samples, found.coverage, found.excess.total), (0, None, None));
    assert_eq!(found.remarks(), ["the scene has no walkable ground", "the mesh has no polygons"]);
    let found = judge(&oracle, &Draft::around_pillar().mesh()).evaluation;
    assert_eq!(found.excess.drop, Some(1.0));
    let found = judge(&pillar().oracle(), &none).evaluation;
    assert_eq!((found.coverage, found.min_angle), (Some(0.0), None));
    let mut elsewhere = Draft::around_pillar();
    elsewhere.vertices.iter_mut().for_each(|vertex| vertex.x += 100.0);
    let found = figures(&pillar().oracle(), &elsewhere);
    assert_eq!((found.coverage, found.excess.drop, found.height_error.mean), (Some(0.0), Some(1.0), None));
    assert_eq!(found.remarks(), ["the mesh lies elsewhere: was it baked from another scene?"]);
    let text = serde_json::to_string(&found).unwrap();
    assert!(text.contains("\"height_error\":{\"mean\":null"), "{text}");
}

#[test]
fn the_keys_are_the_contract() {
    let mut straight = |from: Vec3, to: Vec3| Some(vec![from, to].into());
    let oracle = pillar().oracle();
    let found = oracle.evaluate(&Draft::around_pillar().mesh(), Some(&mut straight)).evaluation;
    let text = serde_json::to_string(&found).unwrap();
    let mut keys = String::new();
    let mut rest = text.as_str();
    while let Some(start) = rest.find(['"', '{', '}']) {
        let mark = &rest[start..=start];
        rest = &rest[start + 1..];
        if mark == "\"" {
            let end = rest.find('"').unwrap();
            keys += &rest[..end];
            keys += " ";
            rest = &rest[end + 1..];
        } else {
            keys += mark;
            keys += " ";
        }
    }
    let expected = "{ samples standable uncertain coverage excess { total solid ceiling wall drop } \
        connectivity { pairs agree false_links missed_links islands components } \
        height_error { mean p50 p95 max } clearance_error { mean p95 max } polygons portals vertices \
        vertices_off_border polygons_lower_bound slivers min_angle t_junctions violations \
        paths { pairs found wrongly_missing wrongly_found excess_length { mean p95 max } min_wall_distance \
        query_ns { p50 p99 } } bytes_memory bytes_file \
        violation_kinds { overlaps non_convex asymmetric cracks } \
        shape { area largest_polygon mean_polygon min_width mean_degree polygons_per_lower_bound } enclosed } ";
    assert_eq!(keys, expected);
    // Reports of before, when polygons were called cells.
    let before = text.replace("\"polygons", "\"cells").replace("_polygon\"", "_cell\"");
    assert!(before.contains("\"cells_per_lower_bound\"") && before.contains("\"mean_cell\""));
    let read = |text: &str| serde_json::from_str::<Evaluation>(text).unwrap();
    assert_eq!(read(&before), read(&text));
}

#[test]
fn bad_configurations_and_meshes_are_named() {
    let soup = pillar().soup();
    let bad = Oracle::new(&soup, &agent(), &MetricsConfig::default().with_samples(0));
    assert!(matches!(bad, Err(MetricsError::BadField(BadField { field: "samples", .. }))));
    let bad = Oracle::new(&soup, &agent(), &config().with_scale(0.1, f32::NAN));
    assert!(matches!(bad, Err(MetricsError::BadField(BadField { field: "level_height", .. }))));
    let bad = Oracle::new(&soup, &agent().with_height(-1.0), &config());
    assert!(matches!(bad, Err(MetricsError::BadField(BadField { field: "agent.height", .. }))));
    let bad = JudgedMesh::new(&[Vec3::ZERO; 3], vec![vec![0, 1, 3]]);
    assert!(matches!(bad, Err(MetricsError::BadPolygon { polygon: 0, largest: 3, .. })));
    let bad = JudgedMesh::new(&[Vec3::NAN; 3], vec![]);
    assert!(matches!(bad, Err(MetricsError::NotFinite { element: 0, .. })));
}

#[test]
fn the_order_of_the_triangles_does_not_matter() {
    let soup = pillar().soup();
    let mut triangles = soup.triangles().to_vec();
    triangles.reverse();
    let turned = TriangleSoup::new(soup.positions().to_vec(), triangles).unwrap();
    let [a, b] = [soup, turned].map(|soup| Oracle::new(&soup, &agent(), &config()).unwrap());
    assert_eq!(a.samples(), b.samples());
    let mesh = Draft::around_pillar().mesh();
    assert_eq!(judge(&a, &mesh), judge(&b, &mesh));
}

#[test]
fn a_rise_that_may_be_a_step_is_no_wall_on_a_path() {
    let distance = |rise: f32| {
        let high = [[5.0, 0.0, 0.0], [5.0, 0.0, 10.0], [5.0, rise, 10.0], [5.0, rise, 0.0]];
        let level = Level::default().floor([0.0, 5.0], [0.0, 10.0], 0.0).quad(high);
        let oracle = level.floor([5.0, 10.0], [0.0, 10.0], rise).oracle();
        let mesh = Draft::lattice(&[0.5, 9.5], &[0.5, 9.5], 0.0, &[]).mesh();
        // Every path turns at the foot of the rise.
        let mut over = |from: Vec3, to: Vec3| Some(vec![from, Vec3::new(4.999, 0.0, 5.0), to].into());
        oracle.evaluate(&mesh, Some(&mut over)).evaluation.paths.min_wall_distance.unwrap()
    };
    // Twice the radius and four cells is as far as is looked.
    near(distance(0.45), 1.4, 1e-6);
    near(distance(0.55), 0.001, 0.001);
}

/// A border that moves by a cell decides nothing, whichever way the scene is turned.
#[test]
fn a_mesh_over_the_edge_by_less_than_a_cell_is_no_certain_fault() {
    for degrees in [0.0_f32, 7.0, 30.0, 45.0] {
        let turn = glam::Quat::from_rotation_y(degrees.to_radians());
        let soup = Level::default().floor([-5.0, 5.0], [-5.0, 5.0], 0.0).soup();
        let corners = soup.positions().iter().map(|&corner| turn * corner).collect();
        let soup = TriangleSoup::new(corners, soup.triangles().to_vec()).unwrap();
        for (out, radius, is_fault) in [(0.065_f32, 0.0, false), (0.3, 0.0, true), (0.065, 0.5, true)] {
            let oracle = Oracle::new(&soup, &agent().with_radius(radius), &config()).unwrap();
            let side = 5.0 + out;
            let at = |x: f32, z: f32| turn * Vec3::new(x * side, 0.0, z * side);
            let square = vec![at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)];
            let mesh = JudgedMesh::new(&square, vec![vec![0, 1, 2, 3]]).unwrap();
            let drop = judge(&oracle, &mesh).evaluation.excess.drop.unwrap();
            assert_eq!(drop > 0.0, is_fault, "{degrees} degrees, {out} m over, radius {radius}: {drop}");
        }
    }
}
