//! Compares erosion with a search for blocked cells from every span.
#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a panic fails the test, and its numbers are small"
)]

use proptest::prelude::*;
use waymesh_core::{AreaId, BadField, Direction, NO_SPAN, Validate, WalkableField};
use waymesh_testkit::fields;
use waymesh_voxel::{VoxelError, erode};

/// Returns the squared distance in cells between the centres of `span` and of the nearest blocked
/// cell within `reach` cells, over every path that never turns back; and `true` if the result
/// depends on the path: around a point where storeys cross, two orders of the same steps can end on
/// two storeys.
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
                                nearest = nearest.min((dx * dx + dz * dz) as u64);
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
    let cells = f64::from(radius) / f64::from(field.frame.cell_size) - 1e-4 + 0.5;
    let reach = cells.ceil() as usize + 1;
    for span in 0..field.len() as u32 {
        if !field.is_walkable(span) {
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
            field.column_of(span)
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

/// Returns a square field with the cell in its middle blocked, after erosion.
fn around_one_blocked_cell(side: u32, radius: f32) -> String {
    let mut field = fields::from_ascii(&(".".repeat(side as usize) + "\n").repeat(side as usize));
    let middle = field.column(side / 2, side / 2).start;
    field.area[middle as usize] = AreaId::NULL;
    check(&field, radius);
    erode(&mut field, radius, &mut ()).unwrap();
    let symbol = |x, z| if field.is_walkable(z * side + x) { '.' } else { '#' };
    let row = |z| (0..side).map(|x| symbol(x, z)).collect::<String>() + "\n";
    (0..side).map(row).collect()
}

#[test]
fn a_disc_around_a_corner() {
    // At a radius of one cell, the centre of a remaining cell is one and a half cells away: the
    // neighbours are removed, including the diagonal ones. Beyond the edge of the field everything
    // is blocked.
    assert_eq!(
        around_one_blocked_cell(9, 0.3),
        "#########\n#.......#\n#.......#\n#..###..#\n#..###..#\n#..###..#\n#.......#\n#.......#\n#########\n"
    );
    // At a radius of two cells, it is two and a half away: a knight's move (2.24) is too near, two
    // diagonal cells (2.83) are not.
    assert_eq!(
        around_one_blocked_cell(11, 0.6),
        "###########\n###########\n##.......##\n##..###..##\n##.#####.##\n##.#####.##\n##.#####.##\n\
         ##..###..##\n##.......##\n###########\n###########\n"
    );
}

#[test]
fn a_radius_up_to_half_a_cell_removes_nothing() {
    for radius in [0.0, 0.1, 0.15] {
        assert_eq!(around_one_blocked_cell(3, radius), "...\n.#.\n...\n");
    }
    assert_eq!(around_one_blocked_cell(5, 0.16), "#####\n#.#.#\n#####\n#.#.#\n#####\n");
}

/// No centre that stays is nearer to a wall of any direction than the radius less 0.21 cells (a
/// blocked cell's centre and corner are 0.71 apart). On average, the first row of these centres is
/// farther than the radius by at most two cells: one cell is half the width of the row and the half
/// cell between border and centres; the other cell has two causes, that only whole cells are kept
/// and that cells touching the wall stand out of it.
#[test]
fn walls_at_any_angle_are_kept_off_alike() {
    const SIDE: u32 = 160;
    let open = fields::from_ascii(&(".".repeat(SIDE as usize) + "\n").repeat(SIDE as usize));
    let cells = || (0..SIDE * SIDE).map(|cell| (cell % SIDE, cell / SIDE));
    for radius in [2.0_f64, 3.3, 6.0] {
        for degrees in (0..360).step_by(9) {
            let (sin, cos) = f64::from(degrees).to_radians().sin_cos();
            // Distance from the wall, which runs past the middle; negative behind it.
            let distance = |x: f64, z: f64| (x - 80.1) * cos + (z - 79.7) * sin;
            let mut field = open.clone();
            for (x, z) in cells() {
                let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)];
                if corners.iter().any(|(dx, dz)| distance(f64::from(x) + dx, f64::from(z) + dz) <= 0.0) {
                    field.area[(z * SIDE + x) as usize] = AreaId::NULL;
                }
            }
            erode(&mut field, (radius * 0.3) as f32, &mut ()).unwrap();
            let mut distances = Vec::new();
            for (x, z) in cells() {
                let (x_middle, z_middle) = (f64::from(x) + 0.5, f64::from(z) + 0.5);
                let along = (x_middle - 80.0) * sin - (z_middle - 80.0) * cos;
                if field.is_walkable(z * SIDE + x) && along.abs() < 30.0 {
                    distances.push(distance(x_middle, z_middle));
                }
            }
            distances.sort_by(f64::total_cmp);
            assert!(distances[0] > radius - 0.21, "{} at {degrees} degrees, radius {radius}", distances[0]);
            // 60 cells of length, one cell deep.
            let row = distances[..60].iter().sum::<f64>() / 60.0;
            assert!(row < radius + 2.0, "{row} at {degrees} degrees, radius {radius}");
        }
    }
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
        assert!(matches!(refused, Err(VoxelError::BadField(BadField { field: "erosion radius", .. }))));
    }
}
