//! The closing of gaps between walkable shapes.

use crate::common;
use common::{area, ground};
use waymesh_floorplan::{FloorPlan, Outline, PlanConfig, PlanPosition, Shape};
use waymesh_testkit::Random;

const CLOSE: f64 = 0.01;

/// Distance of a place from the nearest border.
fn border(rings: &[common::Ring], place: PlanPosition) -> f64 {
    rings.iter().map(|ring| common::edge_distance(ring, place)).fold(f64::INFINITY, f64::min)
}

fn bare() -> PlanConfig {
    PlanConfig::default().with_radius(0.0).with_min_area(0.0)
}

/// Rectangles turned by `yaw` degrees.
fn rooms(boxes: &[[f64; 4]], yaw: f64) -> FloorPlan {
    let mut plan = FloorPlan::default();
    let (sin, cos) = yaw.to_radians().sin_cos();
    let turned = |[x, z]: PlanPosition| [x * cos - z * sin, x * sin + z * cos];
    let shape = |(index, &[x, z, width, depth]): (usize, &[f64; 4])| {
        let ring = [[x, z], [x + width, z], [x + width, z + depth], [x, z + depth]].map(turned);
        Shape::polygon(format!("room {index}"), ring.to_vec())
    };
    plan.storey_mut("a", 0.0).walkable = boxes.iter().enumerate().map(shape).collect();
    plan
}

#[test]
fn hairlines_between_rooms_close_and_wider_gaps_do_not() {
    for yaw in [0.0, 30.0, 123.4] {
        let plan = |gap: f64| rooms(&[[0.0, 0.0, 5.0, 4.0], [5.0 + gap, 0.0, 5.0, 4.0]], yaw);
        let pieces = |gap: f64, config: &PlanConfig| ground(&plan(gap), config).0.contours.regions.len();
        for radius in [0.0, 0.3] {
            let open = bare().with_radius(radius);
            let closing = open.with_close_distance(CLOSE);
            assert_eq!(pieces(0.001, &open), 2, "the gap splits the floor, turned by {yaw}");
            for gap in [0.000_01, 0.001, 0.009] {
                assert_eq!(pieces(gap, &closing), 1, "a gap of {gap}, turned by {yaw}, radius {radius}");
            }
            for gap in [0.010_1, 0.02, 0.1] {
                assert_eq!(pieces(gap, &closing), 2, "a gap of {gap}, turned by {yaw}, radius {radius}");
                let found = ground(&plan(gap), &closing).0.contours;
                assert_eq!(found, ground(&plan(gap), &open).0.contours, "nothing else changes");
            }
        }
    }
}

#[test]
fn blocked_shapes_stay_however_thin() {
    let mut plan = rooms(&[[0.0, 0.0, 5.0, 4.0], [5.001, 0.0, 5.0, 4.0]], 0.0);
    let glass = Outline::Wall { line: vec![[5.0, -1.0], [5.0, 5.0]], width: 0.004 };
    plan.storeys[0].blocked.push(Shape::new("glass", glass));
    let closing = bare().with_close_distance(0.05);
    assert_eq!(ground(&plan, &closing).0.contours.regions.len(), 2);
}

#[test]
fn a_slit_into_a_floor_closes_and_its_corners_stay() {
    // A slit of 2 mm from the border to the middle, and a notch of 40 cm.
    let ring = vec![
        [0.0, 0.0],
        [4.0, 0.0],
        [4.0, 3.0],
        [4.002, 3.0],
        [4.002, 0.0],
        [7.0, 0.0],
        [7.0, 2.0],
        [7.4, 2.0],
        [7.4, 0.0],
        [9.0, 0.0],
        [9.0, 6.0],
        [0.0, 6.0],
    ];
    let mut plan = FloorPlan::default();
    plan.storey_mut("a", 0.0).walkable.push(Shape::polygon("floor", ring));
    let found = ground(&plan, &bare().with_close_distance(CLOSE)).0.contours;
    assert!((area(&found) - (54.0 - 0.8)).abs() < 1e-4, "{}", area(&found));
    let frame = found.frame;
    for [x, z] in [[7.0_f64, 2.0_f64], [7.4, 2.0], [9.0, 6.0], [7.0, 0.0]] {
        let near = |value: f64, origin: f32, cells: i32| {
            (f64::from(origin) + f64::from(cells) * f64::from(frame.cell_size) - value).abs() < 1e-6
        };
        let is_vertex = found
            .vertices
            .iter()
            .any(|one| near(x, frame.origin.x, one.point.x) && near(z, frame.origin.z, one.point.z));
        assert!(is_vertex, "{x}, {z}");
    }
}

/// The docs' promise: what becomes walkable is covered by no disc without walkable ground in it.
#[test]
fn nothing_is_added_where_a_disc_fits_between_the_shapes() {
    let mut random = Random::new(11);
    let (close, radius) = (0.6, 0.3);
    let mut added = 0;
    for _ in 0..30 {
        let mut plan = FloorPlan::default();
        let storey = plan.storey_mut("a", 0.0);
        for index in 0..16 {
            let mut at = || f64::from(random.below(1000)) / 100.0;
            let middle = [at(), at()];
            let ring: Vec<PlanPosition> =
                (0..3).map(|_| [middle[0] + at() / 3.0, middle[1] + at() / 3.0]).collect();
            storey.walkable.push(Shape::polygon(format!("triangle {index}"), ring));
        }
        let rings = |config: &PlanConfig| common::rings(&ground(&plan, config).0.contours);
        let fine = bare().with_near_distance(0.0);
        let (before, after) = (rings(&fine), rings(&fine.with_close_distance(close)));
        let is_in = |rings: &[common::Ring], place: PlanPosition| common::winding(rings, place) != 0;
        for _ in 0..6000 {
            let place = [0, 1].map(|_| f64::from(random.below(14_000)) / 1000.0);
            if is_in(&before, place) {
                let near = border(&after, place) < 0.01;
                assert!(is_in(&after, place) || near, "{place:?} is lost");
            } else if is_in(&after, place) && border(&after, place) > 0.01 {
                added += 1;
                for turn in 0..48_u32 {
                    let (sin, cos) = (f64::from(turn) / 48.0 * std::f64::consts::TAU).sin_cos();
                    let centre = [place[0] + cos * radius * 0.97, place[1] + sin * radius * 0.97];
                    let is_free = !is_in(&before, centre) && border(&before, centre) > radius * 1.01;
                    assert!(!is_free, "a disc at {centre:?} covers {place:?}");
                }
            }
        }
    }
    assert!(added > 100, "{added}");
}
