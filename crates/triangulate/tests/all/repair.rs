//! Repairs of invalid polygons.

#![allow(clippy::unwrap_used, reason = "test helpers fail loudly")]

use crate::common;
use common::{polygon, random_regions, rooms};
use proptest::prelude::*;
use waymesh_core::{PlanPoint, Polygon, PolygonSet, RegionId, Validate};
use waymesh_testkit::plans::{from_rings, read_rings};
use waymesh_testkit::{Random, levels};
use waymesh_triangulate::{
    ClearanceConfig, RepairConfig, RepairReport, TriangulateError, repair_polygons, triangulate_cdt,
    triangulate_clearance, triangulate_ears,
};

const SQUARE: &[(i32, i32)] = &[(0, 0), (8, 0), (8, 8), (0, 8)];

fn doubled_area(set: &PolygonSet) -> i128 {
    set.polygons.iter().flat_map(Polygon::loops).map(|l| set.doubled_area(l)).sum()
}

/// Repairs with a shift of up to one cell and a half, and triangulates by both algorithms.
fn repaired(set: &PolygonSet) -> (PolygonSet, RepairReport) {
    let config = RepairConfig::default().with_max_border_shift(1.5);
    let (sound, report) = repair_polygons(set, &config).unwrap_or_else(|error| panic!("{error}"));
    sound.validate().unwrap_or_else(|violations| panic!("{violations}"));
    let triangulation = triangulate_cdt(&sound).unwrap_or_else(|error| panic!("{error}"));
    triangulation.validate().unwrap();
    assert_eq!(triangulation.doubled_area(), doubled_area(&sound));
    (sound, report)
}

#[test]
fn sound_polygons_stay_as_they_are() {
    for seed in 0..100 {
        for set in [random_regions(seed), rooms(seed, 10, 500)] {
            let (same, report) = repaired(&set);
            assert!(same == set, "seed {seed}");
            assert_eq!(report, RepairReport::default());
        }
    }
}

/// Name, rings, twice the area of the result, and its number of polygons.
type Case = (&'static str, &'static [&'static [(i32, i32)]], i128, usize);

#[test]
fn each_kind_of_fault_is_mended_without_moving_a_border() {
    // The fault, twice the area of the result, and its number of pieces.
    let cases: &[Case] = &[
        ("reversed", &[&[(0, 0), (0, 8), (8, 8), (8, 0)]], 128, 1),
        ("a doubled point", &[&[(0, 0), (8, 0), (8, 0), (8, 8), (0, 8)]], 128, 1),
        ("a spike", &[&[(0, 0), (8, 0), (8, 8), (12, 12), (8, 8), (0, 8)]], 128, 1),
        ("a spike inwards", &[&[(0, 0), (8, 0), (8, 8), (4, 4), (8, 8), (0, 8)]], 128, 1),
        ("a bow tie", &[&[(0, 0), (8, 8), (8, 0), (0, 8)]], 64, 2),
        ("two rounds", &[&[(0, 0), (8, 0), (8, 8), (0, 8), (0, 0), (8, 0), (8, 8), (0, 8)]], 128, 1),
        ("a vertex in an edge", &[&[(0, 0), (8, 0), (8, 8), (4, 0), (0, 8)]], 64, 2),
        ("a hole outside", &[SQUARE, &[(20, 1), (20, 3), (22, 3)]], 128, 1),
        ("a hole that sticks out", &[SQUARE, &[(4, 4), (4, 12), (6, 12), (6, 4)]], 128 - 16, 1),
        ("a hole that cuts in two", &[SQUARE, &[(3, -1), (3, 9), (5, 9), (5, -1)]], 128 - 32, 2),
        (
            "a hole in a hole",
            &[SQUARE, &[(1, 1), (1, 7), (7, 7), (7, 1)], &[(3, 3), (3, 4), (4, 4)]],
            128 - 72,
            1,
        ),
        (
            "holes that overlap",
            &[SQUARE, &[(1, 1), (1, 5), (5, 5), (5, 1)], &[(3, 3), (3, 7), (7, 7), (7, 3)]],
            128 - 56,
            1,
        ),
        ("a hole at the border", &[SQUARE, &[(4, 0), (3, 4), (5, 4)]], 128 - 8, 1),
        ("nothing left", &[SQUARE, &[(0, 0), (0, 8), (8, 8), (8, 0)]], 0, 0),
        ("no area", &[&[(0, 0), (8, 0), (4, 0)]], 0, 0),
    ];
    for &(what, loops, area, pieces) in cases {
        let (sound, report) = repaired(&polygon(loops));
        assert_eq!(doubled_area(&sound), area, "{what}");
        assert_eq!(sound.polygons.len(), pieces, "{what}");
        assert_eq!(report.border_shift.to_bits(), 0, "{what}");
        assert_eq!(report.split_off.len(), pieces.saturating_sub(1), "{what}");
        assert_eq!(report.repaired, [RegionId(0)], "{what}");
        assert_eq!(report.vanished.len(), usize::from(pieces == 0), "{what}");
    }
}

#[test]
fn raw_rings_of_every_kind_are_repaired() {
    let square =
        |at: f64, side: f64| vec![[at, at], [at + side, at], [at + side, at + side], [at, at + side]];
    let bow = vec![[0.0, 0.0], [4.0, 4.0], [4.0, 0.0], [0.0, 4.0]];
    let notch = vec![[0.0, 2.0], [3.0, 2.0], [3.0, 5.0], [0.0, 5.0]];
    let line = vec![[0.0, 0.0], [4.0, 0.0], [2.0, 0.0]];
    let cases: [(&[Vec<[f64; 2]>], i128); 8] = [
        (&[bow], 16),
        (&[square(0.0, 8.0), notch], 2 * 55),
        (&[square(0.0, 10.0), square(2.0, 6.0), square(4.0, 2.0)], 2 * 64),
        (&[square(0.0, 8.0), square(0.0, 8.0)], 0),
        (&[square(0.0, 8.0), square(20.0, 3.0)], 2 * 64),
        (&[square(0.0, 8.0), Vec::new(), line.clone()], 2 * 64),
        (&[line], 0),
        (&[Vec::new()], 0),
    ];
    for (rings, area) in cases {
        let unfit = PolygonSet::from_rings(rings, 1.0).map(|set| triangulate_cdt(&set));
        assert!(!matches!(unfit, Ok(Ok(_))), "{rings:?}");
        let (sound, _) = repaired(&PolygonSet::from_raw_rings(rings, 1.0).unwrap());
        assert_eq!(doubled_area(&sound), area, "{rings:?}");
    }
}

#[test]
fn near_points_become_one_within_the_distance_asked_for() {
    let set = polygon(&[&[(0, 0), (500, 0), (1000, 0), (1002, 1), (1000, 1000), (0, 1000), (1, 998)]]);
    let config = RepairConfig::default().with_near_distance(3.0).with_max_border_shift(3.0);
    let (sound, report) = repair_polygons(&set, &config).unwrap();
    assert_eq!(report.points_merged, 2);
    assert_eq!(sound.polygons[0].outer.vertices.len(), 5);
    assert!(report.border_shift > 2.2 && report.border_shift < 2.3, "{report:?}");
    let error = repair_polygons(&set, &config.with_max_border_shift(2.0)).unwrap_err();
    assert!(matches!(error, TriangulateError::CannotRepair { region: RegionId(0), .. }), "{error}");
}

#[test]
fn an_edge_bends_to_a_vertex_near_it() {
    // Two corners of a hole lie 2 cells from the lower and from the left edge, and a spike is 2
    // cells wide.
    let set = polygon(&[
        &[(0, 0), (1000, 0), (1000, 1000), (501, 1000), (500, 1400), (499, 1000), (0, 1000)],
        &[(300, 2), (2, 500), (300, 600), (400, 300)],
    ]);
    let config = RepairConfig::default().with_near_distance(2.5).with_max_border_shift(2.5);
    let (sound, report) = repair_polygons(&set, &config).unwrap();
    sound.validate().unwrap();
    triangulate_cdt(&sound).unwrap().validate().unwrap();
    assert!(report.edges_bent >= 2, "{report:?}");
    assert!(report.border_shift >= 2.0 && report.border_shift <= 2.5, "{report:?}");
    // The hole now touches the wall at two vertices, which cuts off a corner.
    assert_eq!(sound.polygons.len(), 2);
    assert_eq!(report.split_off.len(), 1);
    let tip = PlanPoint::new(500, 1400);
    let used = sound.polygons.iter().flat_map(Polygon::loops).flat_map(|l| &l.vertices);
    assert!(used.map(|&v| sound.point(v)).all(|p| p != tip), "the spike has no width");
    // Valid input is not changed.
    let (same, report) = repair_polygons(&sound, &config).unwrap();
    assert!(same == sound && report == RepairReport::default(), "{report:?}");
}

/// Returns the distance of a point from the nearest edge of any loop.
fn to_borders(set: &PolygonSet, [x, z]: [f64; 2]) -> f64 {
    let mut nearest = f64::INFINITY;
    for l in set.polygons.iter().flat_map(Polygon::loops) {
        let at = |i: usize| set.point(l.vertices[i % l.vertices.len()]);
        for i in 0..l.vertices.len() {
            let [a, b] = [at(i), at(i + 1)].map(|q| [f64::from(q.x), f64::from(q.z)]);
            let along = [b[0] - a[0], b[1] - a[1]];
            let square = (along[0].powi(2) + along[1].powi(2)).max(1.0);
            let t = (((x - a[0]) * along[0] + (z - a[1]) * along[1]) / square).clamp(0.0, 1.0);
            nearest = nearest.min((x - a[0] - t * along[0]).hypot(z - a[1] - t * along[1]));
        }
    }
    nearest
}

#[test]
fn merged_and_bent_and_cut_a_border_stays_within_the_shift_it_is_told() {
    let (mut bent, mut merged, mut cut, mut refused, mut done) = (0, 0, 0, 0, 0);
    for seed in 0..200 {
        // Many vertices in a small area, so that merges, bends and cuts interact.
        let mut random = Random::new(seed);
        let loops: Vec<Vec<(i32, i32)>> = (0..1 + random.below(3))
            .map(|_| {
                let mut at = || i32::try_from(random.below(300)).unwrap();
                (0..24).map(|_| (at(), at())).collect()
            })
            .collect();
        let set = polygon(&loops.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let limit = 7.0;
        let config = RepairConfig::default().with_near_distance(6.0).with_max_border_shift(limit);
        let (sound, report) = match repair_polygons(&set, &config) {
            Ok(result) => result,
            Err(TriangulateError::CannotRepair { shift, .. }) => {
                assert!(shift > 0.0, "seed {seed}");
                refused += 1;
                continue;
            }
            Err(error) => panic!("seed {seed}: {error}"),
        };
        assert!(f64::from(report.border_shift) <= f64::from(limit) + 1e-6, "seed {seed}: {report:?}");
        sound.validate().unwrap_or_else(|violations| panic!("seed {seed}: {violations}"));
        triangulate_cdt(&sound).unwrap().validate().unwrap();
        (bent, merged, cut) =
            (bent + report.edges_bent, merged + report.points_merged, cut + report.edges_cut);
        done += 1;
        // Every new border lies within the limit of an old border, not only at its vertices.
        for l in sound.polygons.iter().flat_map(Polygon::loops) {
            let at = |i: usize| sound.point(l.vertices[i % l.vertices.len()]);
            for i in 0..l.vertices.len() {
                let [a, b] = [at(i), at(i + 1)].map(|q| [f64::from(q.x), f64::from(q.z)]);
                for step in 0..=16 {
                    let t = f64::from(step) / 16.0;
                    let p = [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
                    let distance = to_borders(&set, p);
                    assert!(
                        distance <= f64::from(report.border_shift) + 1e-4,
                        "seed {seed}: {distance} at {p:?}, {report:?}"
                    );
                }
            }
        }
    }
    assert!(bent > 300 && merged > 150 && cut > 300, "{bent} bent, {merged} merged, {cut} cut");
    assert!(done > 100, "{done} repaired, {refused} refused");
}

#[test]
fn the_order_of_the_loops_does_not_matter() {
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let mut loops: Vec<Vec<(i32, i32)>> = (0..5)
            .map(|_| {
                let mut at = || i32::try_from(random.below(2000)).unwrap();
                (0..5).map(|_| (at(), at())).collect()
            })
            .collect();
        loops[0] = vec![(0, 0), (2000, 0), (1500, 1200), (2000, 2000), (0, 2000)];
        let config = RepairConfig::default().with_near_distance(10.0).with_max_border_shift(30.0);
        let points = |loops: &[Vec<(i32, i32)>]| {
            let set = polygon(&loops.iter().map(Vec::as_slice).collect::<Vec<_>>());
            let (sound, _) = repair_polygons(&set, &config).unwrap();
            let rings = |polygon: &Polygon| -> Vec<Vec<PlanPoint>> {
                polygon.loops().map(|l| l.vertices.iter().map(|&v| sound.point(v)).collect()).collect()
            };
            sound.polygons.iter().map(rings).collect::<Vec<_>>()
        };
        let expected = points(&loops);
        loops[1..].reverse();
        loops.iter_mut().for_each(|l| l.rotate_left(2));
        assert!(expected == points(&loops), "seed {seed}");
    }
}

/// Tests a zigzag of long edges that all overlap in x: a sweep over x would take quadratic time.
#[test]
fn twenty_thousand_edges_over_each_other_are_cut() {
    let count = 10_000;
    let mut ring: Vec<(i32, i32)> = Vec::new();
    for tooth in 0..count {
        ring.push((if tooth % 2 == 0 { 0 } else { 1_000_000 }, 20 * tooth));
        ring.push((if tooth % 2 == 0 { 1_000_000 } else { 0 }, 20 * tooth + 10));
    }
    // The ring returns below all edges, and crosses the last edge once.
    ring.extend([(1_500_000, 20 * count), (1_500_000, 20 * count - 25), (-10, 20 * count - 25), (-10, 0)]);
    let (sound, report) = repaired(&polygon(&[&ring]));
    assert!(report.edges_cut > 0 && !sound.polygons.is_empty(), "{report:?}");
}

#[test]
fn a_crossing_off_the_grid_moves_a_border_by_less_than_a_cell_or_is_named() {
    let set = polygon(&[&[(0, 0), (101, 57), (103, 0), (0, 61)]]);
    let (sound, report) = repaired(&set);
    assert_eq!(sound.polygons.len(), 2);
    assert!(report.border_shift > 0.0 && report.border_shift < 0.75, "{report:?}");
    let error = repair_polygons(&set, &RepairConfig::default().with_max_border_shift(0.001)).unwrap_err();
    assert!(matches!(error, TriangulateError::CannotRepair { .. }), "{error}");
}

#[test]
fn what_borders_on_another_region_is_not_redrawn() {
    let mut set = polygon(&[&[(0, 0), (8, 8), (8, 0), (0, 8)]]);
    set.polygons[0].outer.beyond[0] = Some(RegionId(1));
    assert!(repair_polygons(&set, &RepairConfig::default()).is_err());
    assert!(repair_polygons(&set, &RepairConfig::default().with_near_distance(f32::NAN)).is_err());
}

/// Returns `true` if a point lies inside: the winding number of the outer border is not 0, that of
/// each hole is 0.
fn is_inside(set: &PolygonSet, polygon: &Polygon, [x, z]: [f64; 2]) -> bool {
    let mut turns = polygon.loops().map(|polygon_loop| {
        let points: Vec<_> = polygon_loop
            .vertices
            .iter()
            .map(|&v| set.point(v))
            .map(|p| [f64::from(p.x), f64::from(p.z)])
            .collect();
        let mut turns = 0;
        for (index, a) in points.iter().enumerate() {
            let b = points[(index + 1) % points.len()];
            if (a[1] > z) != (b[1] > z) {
                let at = a[0] + (z - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
                turns += if at > x { if b[1] > a[1] { 1 } else { -1 } } else { 0 };
            }
        }
        turns
    });
    turns.next().unwrap() != 0 && turns.all(|turns| turns == 0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_loops_become_sound_and_cover_what_they_went_round(
        loops in prop::collection::vec(prop::collection::vec((0..40_i32, 0..40_i32), 1..12), 1..4)
    ) {
        // Shapes are scaled up, so that rounding is small compared with them.
        let loops: Vec<Vec<(i32, i32)>> = loops.iter().map(|l| l.iter().map(|&(x, z)| (x * 100, z * 100)).collect()).collect();
        let set = polygon(&loops.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let config = RepairConfig::default().with_max_border_shift(3.0);
        let (sound, _) = repair_polygons(&set, &config).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert!(sound.validate().is_ok());
        let triangulation = triangulate_cdt(&sound).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert!(triangulation.validate().is_ok());
        prop_assert_eq!(triangulation.doubled_area(), doubled_area(&sound));
        prop_assert!(triangulate_ears(&sound).is_ok());
        for x in 0..20 {
            for z in 0..20 {
                let p = [f64::from(x) * 200.0 + 37.3, f64::from(z) * 200.0 + 61.7];
                // Samples close to a border are skipped, because the border may have moved.
                let near = set.polygons[0].loops().any(|l| {
                    let points: Vec<PlanPoint> = l.vertices.iter().map(|&v| set.point(v)).collect();
                    (0..points.len()).any(|i| {
                        let [a, b] = [points[i], points[(i + 1) % points.len()]].map(|q| [f64::from(q.x), f64::from(q.z)]);
                        let along = [b[0] - a[0], b[1] - a[1]];
                        let square = (along[0].powi(2) + along[1].powi(2)).max(1.0);
                        let t = (((p[0] - a[0]) * along[0] + (p[1] - a[1]) * along[1]) / square).clamp(0.0, 1.0);
                        (p[0] - a[0] - t * along[0]).hypot(p[1] - a[1] - t * along[1]) < 4.0
                    })
                });
                if !near {
                    let expected = is_inside(&set, &set.polygons[0], p);
                    let actual = sound.polygons.iter().filter(|polygon| is_inside(&sound, polygon, p)).count();
                    prop_assert_eq!(actual, usize::from(expected), "at {:?}", p);
                }
            }
        }
    }
}

#[test]
fn shared_polygons_are_repaired_and_triangulated() {
    let mut files = Vec::new();
    for folder in ["polygons2d/earcut_fixtures", "polygons2d/georust/geo-test-fixtures/fixtures"] {
        let Some(folder) = levels::find(folder) else { return };
        files.extend(std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    }
    files.sort();
    let mut done = 0;
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let set = from_rings(&read_rings(&text));
        let config = RepairConfig::default().with_max_border_shift(3.0 * set.frame.cell_size);
        let (sound, _) =
            repair_polygons(&set, &config).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        sound.validate().unwrap_or_else(|violations| panic!("{}: {violations}", file.display()));
        let triangulation =
            triangulate_cdt(&sound).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert_eq!(triangulation.doubled_area(), doubled_area(&sound), "{}", file.display());
        done += 1;
        // The largest inputs are for release builds only.
        if triangulation.triangles.len() > 10_000 {
            continue;
        }
        let mesh = triangulate_clearance(&triangulation, &ClearanceConfig::default()).unwrap();
        mesh.validate().unwrap_or_else(|violations| panic!("{}: {violations}", file.display()));
    }
    assert!(done > 40, "{done} files");
}
