//! Erosion beside a search for blocked cells from every span.
#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a panic fails the test, and its numbers are small"
)]

use proptest::prelude::*;
use waymesh_core::{AreaId, Direction, NO_SPAN, Validate, WalkableField};
use waymesh_testkit::fields;
use waymesh_voxel::{VoxelError, erode};

/// The squared distance in cells between the squares of `span` and of the nearest blocked cell within `reach` cells, looking
/// along every path that never turns back; and whether it matters which path: round a point where storeys cross, two orders
/// of the same steps can end on two storeys.
fn nearest_blocked(field: &WalkableField, span: u32, reach: usize) -> (u64, bool) {
    let (mut nearest, mut twisted) = (u64::MAX, false);
    let step = |span: u32, direction: Direction| match span {
        NO_SPAN => NO_SPAN,
        span => field.links[span as usize][direction.index()],
    };
    for along_x in [Direction::NegX, Direction::PosX] {
        for along_z in [Direction::NegZ, Direction::PosZ] {
            // Spans reached at offset (dx, dz), row by row.
            let mut row: Vec<Vec<u32>> = vec![Vec::new(); reach + 1];
            row[0].push(span);
            for dz in 0..=reach {
                let mut next: Vec<Vec<u32>> = vec![Vec::new(); reach + 1];
                for dx in 0..=reach {
                    let reached = std::mem::take(&mut row[dx]);
                    for from in reached {
                        let ends = [step(step(from, along_x), along_z), step(step(from, along_z), along_x)];
                        twisted |= ends[0] != ends[1] && !ends.contains(&NO_SPAN);
                        for (direction, dx, dz) in [(along_x, dx + 1, dz), (along_z, dx, dz + 1)] {
                            let to = field.links[from as usize][direction.index()];
                            if to == NO_SPAN || !field.is_walkable(to) {
                                let apart = |cells: usize| (cells.saturating_sub(1) as u64).pow(2);
                                nearest = nearest.min(apart(dx) + apart(dz));
                            } else if dx <= reach {
                                let list = if direction == along_x { &mut row[dx] } else { &mut next[dx] };
                                if !list.contains(&to) {
                                    list.push(to);
                                }
                            }
                        }
                    }
                }
                row = next;
            }
        }
    }
    (nearest, twisted)
}

fn check(field: &WalkableField, radius: f32) {
    let mut eroded = field.clone();
    erode(&mut eroded, radius, &mut ()).unwrap();
    eroded.validate().unwrap();
    let cells = f64::from(radius) / f64::from(field.frame.cell_size) - 1e-4;
    let reach = cells.max(0.0).ceil() as usize + 1;
    for span in 0..field.len() as u32 {
        if cells <= 0.0 || !field.is_walkable(span) {
            assert_eq!(eroded.area[span as usize], field.area[span as usize]);
            continue;
        }
        let (nearest, twisted) = nearest_blocked(field, span, reach);
        let near = (nearest as f64) < cells * cells;
        if twisted && near {
            continue;
        }
        let expected = if near { AreaId::NULL } else { field.area[span as usize] };
        assert_eq!(
            eroded.area[span as usize],
            expected,
            "span {span} at {:?}, radius {radius}",
            field.cell_of(span)
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn is_exact_on_random_fields(seed in any::<u64>(), width in 1_u32..32, depth in 1_u32..32, cells in 0.0_f32..7.0) {
        let field = fields::random(seed, width, depth);
        check(&field, cells * 0.3);
        check(&field, cells.round() * 0.3);
    }
}

#[test]
fn radius_zero_removes_nothing() {
    let field = fields::from_ascii("...\n.#.\n...");
    let mut eroded = field.clone();
    erode(&mut eroded, 0.0, &mut ()).unwrap();
    assert_eq!(eroded, field);
}

#[test]
fn corners_count() {
    // The blocked cell touches its diagonal neighbours; two cells off it is one cell away, knight's moves likewise.
    let mut field = fields::from_ascii(
        &".".repeat(9).split_inclusive('.').collect::<String>().replace('.', ".........\n"),
    );
    let middle = field.column(4, 4).start;
    field.area[middle as usize] = AreaId::NULL;
    let mut eroded = field.clone();
    erode(&mut eroded, 0.3, &mut ()).unwrap();
    let kept: String = (0..9)
        .flat_map(|z| (0..9).map(move |x| (x, z)).chain([(9, z)]))
        .map(|(x, z)| {
            if x == 9 {
                '\n'
            } else if eroded.is_walkable(z * 9 + x) {
                '.'
            } else {
                '#'
            }
        })
        .collect();
    assert_eq!(
        kept,
        "#########\n#.......#\n#.......#\n#..###..#\n#..###..#\n#..###..#\n#.......#\n#.......#\n#########\n"
    );
    check(&field, 0.6);
    check(&field, 0.42);
}

#[test]
fn a_radius_wider_than_the_level_removes_all() {
    for radius in [10.0, 30_000.0, f32::MAX] {
        let mut field = fields::random(7, 30, 30);
        erode(&mut field, radius, &mut ()).unwrap();
        assert_eq!(field.walkable_spans(), 0);
    }
    let mut field = WalkableField::empty(fields::random(1, 3, 3).frame);
    erode(&mut field, 1.0, &mut ()).unwrap();
}

#[test]
fn radii_beyond_sixteen_bits() {
    let mut field = fields::from_ascii(&".".repeat(70_000));
    erode(&mut field, 0.3 * 68_000.0, &mut ()).unwrap();
    assert_eq!(field.walkable_spans(), 0);
}

#[test]
fn bad_radii_are_refused() {
    for radius in [-1.0, f32::NAN, f32::INFINITY] {
        let mut field = fields::from_ascii("..");
        let refused = erode(&mut field, radius, &mut ());
        assert!(matches!(refused, Err(VoxelError::BadField { field: "erosion radius", .. })));
    }
}
