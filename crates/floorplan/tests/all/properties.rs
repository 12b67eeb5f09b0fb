//! Random plans, compared with slow reference results.

use crate::common;
use common::{Ring, area, distance, edge_distance, ground, in_any, plan, rings, scanned_area, winding};
use proptest::prelude::*;
use waymesh_core::Validate;
use waymesh_floorplan::{Join, PlanBase, PlanConfig, PlanPart, PlanWindow};

/// A ring around a centre. Its radii vary strongly, so that it has notches and spikes. With `twist`
/// it crosses itself.
fn ring(twist: bool) -> impl Strategy<Value = Ring> {
    let centre = (0.0..20.0, 0.0..20.0);
    (centre, prop::collection::vec(0.3..6.0_f64, 3..12), any::<bool>()).prop_map(
        move |((x, z), radii, backwards)| {
            let count = radii.len();
            let mut ring: Ring = radii
                .iter()
                .enumerate()
                .map(|(index, radius)| {
                    let turn = std::f64::consts::TAU * index as f64 / count as f64;
                    [x + radius * turn.cos(), z + radius * turn.sin()]
                })
                .collect();
            if twist && count > 4 {
                ring.swap(1, 3);
            }
            if backwards {
                ring.reverse();
            }
            ring
        },
    )
}

/// A rectangle with corners on a coarse lattice, so that edges and corners often coincide.
fn lattice_rectangle() -> impl Strategy<Value = Ring> {
    (0..16_u8, 0..16_u8, 1..6_u8, 1..6_u8).prop_map(|(x, z, width, depth)| {
        let [x, z, width, depth] = [x, z, width, depth].map(f64::from);
        vec![[x, z], [x + width, z], [x + width, z + depth], [x, z + depth]]
    })
}

fn shapes(most: usize) -> impl Strategy<Value = Vec<Ring>> {
    prop::collection::vec(prop_oneof![ring(false), ring(true), lattice_rectangle()], 1..most)
}

fn settings(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Points all over the plan, not on any line of the lattice.
fn samples() -> impl Iterator<Item = [f64; 2]> {
    (0..70).flat_map(|x| (0..70).map(move |z| [f64::from(x) * 0.413 - 4.0, f64::from(z) * 0.407 - 4.0]))
}

proptest! {
    #![proptest_config(settings(96))]

    #[test]
    fn the_area_without_offset_is_that_of_scan_lines(walkable in shapes(6), blocked in shapes(6)) {
        let config = PlanConfig::default().with_radius(0.0).with_near_distance(0.0).with_min_area(0.0);
        let (ground, _) = ground(&plan(&walkable, &blocked), &config);
        let expected = scanned_area(&walkable, &blocked, -7.0, 27.0, 6000);
        let found = area(&ground.contours);
        prop_assert!((found - expected).abs() < 0.05 + 0.001 * expected, "{} is not {}", found, expected);
    }

    #[test]
    fn ground_is_all_that_is_far_enough_from_what_is_blocked(
        walkable in shapes(5),
        blocked in shapes(5),
        radius in 0.05..1.0_f64,
        join in 0..3_u8,
    ) {
        let (join, most) = match join {
            0 => (Join::Round, 1.0),
            1 => (Join::Square, 1.0 / (std::f64::consts::FRAC_PI_4).cos()),
            _ => (Join::Miter { limit: 2.0 }, 2.0),
        };
        let config = PlanConfig::default()
            .with_radius(radius)
            .with_join(join)
            .with_shrink_walkable(false)
            .with_min_area(0.0);
        let (ground, _) = ground(&plan(&walkable, &blocked), &config);
        let rings = rings(&ground.contours);
        let slack = config.near_distance + config.arc_error + 0.004;
        for point in samples() {
            let border = walkable.iter().map(|ring| edge_distance(ring, point)).fold(f64::INFINITY, f64::min);
            let clear = blocked.iter().map(|ring| distance(ring, point)).fold(f64::INFINITY, f64::min);
            if border < slack {
                continue;
            }
            let is_ground = winding(&rings, point) != 0;
            let is_floor = in_any(&walkable, point);
            if is_floor && clear > radius * most + slack {
                prop_assert!(is_ground, "{:?} is free: {} m from what is blocked", point, clear);
            }
            if !is_floor || clear < radius - slack {
                prop_assert!(!is_ground, "{:?} is taken: {} m from what is blocked", point, clear);
            }
        }
    }

    #[test]
    fn walkable_ground_shrinks_from_its_border(outline in ring(false), radius in 0.05..0.6_f64) {
        let config = PlanConfig::default().with_radius(radius).with_join(Join::Round).with_min_area(0.0);
        let (ground, _) = ground(&plan(std::slice::from_ref(&outline), &[]), &config);
        let rings = rings(&ground.contours);
        let slack = config.near_distance + config.arc_error + 0.004;
        for point in samples() {
            let inside = if winding(std::slice::from_ref(&outline), point) != 0 { edge_distance(&outline, point) } else { -1.0 };
            if (inside - radius).abs() > slack {
                prop_assert_eq!(winding(&rings, point) != 0, inside > radius, "{:?}: {} m inside", point, inside);
            }
        }
    }

    #[test]
    fn neither_order_nor_winding_nor_closing_matters(walkable in shapes(5), blocked in shapes(5)) {
        let config = PlanConfig::default();
        let (first, _) = ground(&plan(&walkable, &blocked), &config);
        let turned = |rings: &[Ring]| -> Vec<Ring> {
            rings.iter().rev().map(|ring| {
                let mut ring = ring.clone();
                ring.reverse();
                ring.push(ring[0]);
                ring
            }).collect()
        };
        let (second, _) = ground(&plan(&turned(&walkable), &turned(&blocked)), &config);
        prop_assert_eq!(first.contours, second.contours);
    }

    #[test]
    fn windows_together_are_the_whole(walkable in shapes(5), blocked in shapes(5), side in 3_000..12_000_i32) {
        let config = PlanConfig::default().with_min_area(0.0);
        let plan = plan(&walkable, &blocked);
        let base = PlanBase::new(&plan, &config).expect("a plan");
        let whole = area(&base.ground().expect("ground").contours);
        let storey = base.storey(0).expect("a storey");
        let mut sum = 0.0;
        for row in 0..40_000 / side + 1 {
            for column in 0..40_000 / side + 1 {
                let point = |column: i32, row: i32| waymesh_core::PlanPoint::new(column * side, row * side);
                let window = PlanWindow { min: point(column, row), max: point(column + 1, row + 1) };
                let part = base.window(storey, window);
                let ground = base.ground_of([PlanPart { base: &part, obstacles: &[], marks: &[] }]).expect("ground");
                ground.contours.validate().expect("sound contours");
                sum += area(&ground.contours);
            }
        }
        prop_assert!((sum - whole).abs() < 0.05 + 0.002 * whole, "{} in windows, {} in all", sum, whole);
    }
}
