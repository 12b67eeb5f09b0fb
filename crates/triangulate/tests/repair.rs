//! Polygons that are not sound, and what becomes of them.

#![allow(clippy::unwrap_used, reason = "test helpers fail loudly")]

mod common;

use common::{polygon, random_regions, rooms};
use proptest::prelude::*;
use waymesh_core::{PlanPoint, Polygon, PolygonSet, RegionId, Validate};
use waymesh_testkit::levels;
use waymesh_triangulate::{
    ClearanceConfig, RepairConfig, RepairReport, TriangulateError, repair_polygons, triangulate_cdt,
    triangulate_clearance, triangulate_ears,
};

const SQUARE: &[(i32, i32)] = &[(0, 0), (8, 0), (8, 8), (0, 8)];

fn doubled_area(set: &PolygonSet) -> i128 {
    set.polygons.iter().flat_map(Polygon::loops).map(|l| set.doubled_area(l)).sum()
}

/// Repairs with room for one cell and a half, and triangulates in both ways.
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

/// Name, rings, twice the area that is left, polygons that are left.
type Case = (&'static str, &'static [&'static [(i32, i32)]], i128, usize);

#[test]
fn each_kind_of_fault_is_mended_without_moving_a_border() {
    // What is wrong, and twice the area that is left, in how many pieces.
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

/// Whether a point lies inside by the rule: some turns of the outer border, none of each hole.
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
        // Room between grid points, so that rounding is small beside the shapes.
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
                // Not where a border that moved could pass.
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

/// Rings of the first polygon in a file of nested JSON arrays or of WKT, on a grid of 2^20 cells.
#[expect(clippy::cast_possible_truncation, reason = "rounded on purpose")]
fn read_rings(text: &str) -> Vec<Vec<(i32, i32)>> {
    let text: String = text.split_once("((").map_or(text, |(_, rest)| rest).chars().collect();
    let is_wkt = text.contains(')');
    let text = if is_wkt {
        text.split("))").next().unwrap_or_default().to_owned()
    } else {
        text.split_whitespace().collect()
    };
    let rings: Vec<Vec<f64>> = text
        .split(if is_wkt { ")" } else { "]]" })
        .map(|ring| {
            ring.split(|c: char| !(c.is_ascii_digit() || ".-+eE".contains(c)))
                .filter_map(|n| n.parse().ok())
                .collect()
        })
        .filter(|ring: &Vec<f64>| !ring.is_empty())
        .collect();
    let bound = |axis: usize, largest: bool| {
        let values = rings.iter().flat_map(|ring| ring.iter().skip(axis).step_by(2)).copied();
        if largest { values.fold(f64::NEG_INFINITY, f64::max) } else { values.fold(f64::INFINITY, f64::min) }
    };
    let (low, high) = ([bound(0, false), bound(1, false)], [bound(0, true), bound(1, true)]);
    let scale = f64::from(1 << 20) / (high[0] - low[0]).max(high[1] - low[1]).max(1e-9);
    rings
        .iter()
        .map(|ring| {
            ring.chunks_exact(2)
                .map(|p| [0, 1].map(|axis| ((p[axis] - low[axis]) * scale).round() as i32))
                .map(|[x, z]| (x, z))
                .collect()
        })
        .collect()
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
        let rings = read_rings(&text);
        if rings.is_empty() {
            continue;
        }
        let set = polygon(&rings.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let config = RepairConfig::default().with_max_border_shift(3.0);
        let (sound, _) =
            repair_polygons(&set, &config).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        sound.validate().unwrap_or_else(|violations| panic!("{}: {violations}", file.display()));
        let triangulation =
            triangulate_cdt(&sound).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert_eq!(triangulation.doubled_area(), doubled_area(&sound), "{}", file.display());
        done += 1;
        // The search around each triangle grows with how many corners lie round it: long coast lines take too long for a test.
        if triangulation.triangles.len() > 1000 {
            continue;
        }
        let mesh = triangulate_clearance(&triangulation, &ClearanceConfig::default()).unwrap();
        mesh.validate().unwrap_or_else(|violations| panic!("{}: {violations}", file.display()));
    }
    assert!(done > 40, "{done} files");
}
