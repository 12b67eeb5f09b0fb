//! Prisms over polygons that are not convex, as marks and as obstacles.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a panic fails the test, and its numbers are small"
)]

use crate::common;
use std::f32::consts::TAU;

use glam::{Vec2, Vec3};
use waymesh_core::stage::BuildField;
use waymesh_core::{AreaId, Bounds, GridScale, GridWindow, Heightfield, Random};
use waymesh_voxel::{
    FieldBuilder, Mark, MarkShape, Obstacle, VoxelConfig, VoxelError, rasterize, stamp_obstacles,
};

const SIZE: f32 = 12.0;
const CELL: f32 = 0.25;

/// Returns a floor of 12 x 12 m at height 0.
fn floor() -> Heightfield {
    let [a, b, c, d] = [[0.0, 0.0, 0.0], [0.0, 0.0, SIZE], [SIZE, 0.0, SIZE], [SIZE, 0.0, 0.0]];
    let config = VoxelConfig::default().with_scale(GridScale::new(CELL, 0.2));
    rasterize(&common::soup(&[[a, b, c], [a, c, d]]), &config, &mut ()).unwrap()
}

fn corners(points: &[[f32; 2]]) -> Vec<Vec2> {
    points.iter().map(|&point| point.into()).collect()
}

fn edges(outline: &[Vec2]) -> impl Iterator<Item = [[f64; 2]; 2]> {
    let point = |at: Vec2| [f64::from(at.x), f64::from(at.y)];
    (0..outline.len()).map(move |index| [point(outline[index]), point(outline[(index + 1) % outline.len()])])
}

fn area(outline: &[Vec2]) -> f64 {
    edges(outline).map(|[a, b]| a[0] * b[1] - a[1] * b[0]).sum::<f64>().abs() / 2.0
}

/// Returns the distance from the border, negative inside.
fn distance(outline: &[Vec2], x: f64, z: f64) -> f64 {
    let (mut nearest, mut is_inside) = (f64::INFINITY, false);
    for [a, b] in edges(outline) {
        let (dx, dz) = (b[0] - a[0], b[1] - a[1]);
        let share = (((x - a[0]) * dx + (z - a[1]) * dz) / (dx * dx + dz * dz).max(1e-30)).clamp(0.0, 1.0);
        nearest = nearest.min((a[0] + dx * share - x).hypot(a[1] + dz * share - z));
        is_inside ^= (a[1] > z) != (b[1] > z) && x < a[0] + (z - a[1]) / dz * dx;
    }
    if is_inside { -nearest } else { nearest }
}

/// Outlines of several kinds in the middle of the floor, in either orientation.
fn outlines() -> Vec<Vec<Vec2>> {
    let mut random = Random::new(8);
    let mut found = vec![
        corners(&[[2., 2.], [8., 2.], [8., 4.], [4., 4.], [4., 6.], [2., 6.]]),
        corners(&[
            [1.03, 1.1],
            [9.9, 1.1],
            [9.9, 9.2],
            [7.2, 9.2],
            [7.2, 3.3],
            [3.1, 3.3],
            [3.1, 9.2],
            [1.03, 9.2],
        ]),
        // A ring, cut open along one line.
        corners(&[
            [1., 1.],
            [10., 1.],
            [10., 10.],
            [1., 10.],
            [1., 1.],
            [3., 3.],
            [3., 8.],
            [8., 8.],
            [8., 3.],
            [3., 3.],
        ]),
        // An arrow with a collinear and a double corner.
        corners(&[[2., 5.], [8., 1.], [8., 1.], [6., 5.], [7., 7.], [8., 9.]]),
    ];
    for _ in 0..20 {
        let count = 4 + random.below(12);
        let corner = |corner: u32| {
            let turn = (corner as f32 + random.unit()) / count as f32 * TAU;
            Vec2::splat(SIZE / 2.0) + Vec2::from_angle(turn) * random.range(0.3, 5.0)
        };
        found.push((0..count).map(corner).collect());
        // A comb: teeth of any length along one side.
        let (teeth, width) = (2 + random.below(4), random.range(0.4, 0.9));
        let mut comb = corners(&[[1.0, 1.0]]);
        for tooth in 0..teeth {
            let far = 1.0 + (teeth * 2 - 1 - 2 * tooth) as f32 * width;
            let length = random.range(3.0, 9.0);
            comb.extend(corners(&[[far + width, 2.0], [far + width, length], [far, length], [far, 2.0]]));
        }
        comb.insert(1, Vec2::new(1.0 + 2.0 * teeth as f32 * width, 1.0));
        found.push(comb);
    }
    for index in 0..found.len() {
        let reversed = found[index].iter().rev().copied().collect();
        found.push(reversed);
    }
    found
}

#[test]
fn a_mark_covers_all_of_a_polygon_and_nothing_else() {
    let whole = FieldBuilder::default().with_erosion_radius(0.0);
    let field = whole.build_field(&floor(), &mut ()).unwrap();
    let frame = field.frame;
    for outline in outlines() {
        let mut field = field.clone();
        let shape = MarkShape::Prism { corners: outline.to_vec(), heights: [-0.5, 0.5] };
        let count = Mark::new(shape, AreaId(7)).apply(&mut field).unwrap();
        assert!((count as f64 * f64::from(CELL * CELL) - area(&outline)).abs() < 4.0, "{count}: {outline:?}");
        for span in 0..field.len() as u32 {
            let (x, z) = field.column_of(span);
            let centre = |cell: u32, from: f32| f64::from(from) + (f64::from(cell) + 0.5) * f64::from(CELL);
            let away = distance(&outline, centre(x, frame.origin.x), centre(z, frame.origin.z));
            if away.abs() > 1e-5 && field.is_walkable(span) {
                assert_eq!(
                    field.area[span as usize] == AreaId(7),
                    away < 0.0,
                    "column {x}, {z} of {outline:?}"
                );
            }
        }
    }
}

#[test]
fn an_obstacle_fills_all_of_a_polygon_and_nothing_else() {
    let base = floor();
    let (frame, whole) = (base.frame, GridWindow::whole(&base.frame));
    for outline in outlines() {
        let obstacle = Obstacle::solid(MarkShape::Prism { corners: outline.clone(), heights: [1.0, 2.0] });
        let mut heightfield = base.clone();
        let config = VoxelConfig::default().with_scale(GridScale::new(CELL, 0.2));
        stamp_obstacles(&mut heightfield, &frame, whole, std::slice::from_ref(&obstacle), &config, &mut ())
            .unwrap();
        let bounds = obstacle.triangles().bounds();
        assert_eq!(
            bounds,
            Bounds::of(outline.iter().flat_map(|c| [1.0, 2.0].map(|y| Vec3::new(c.x, y, c.y))))
        );
        for z in 0..frame.depth {
            for x in 0..frame.width {
                let is_filled = heightfield.column(x, z).len() > 1;
                // The least distance of a place of the column from the polygon, by samples.
                let middle =
                    |cell: u32, from: f32| f64::from(from) + (f64::from(cell) + 0.5) * f64::from(CELL);
                let mut least = distance(&outline, middle(x, frame.origin.x), middle(z, frame.origin.z));
                let is_near = least.abs() < f64::from(CELL);
                for step in 0..if is_near { 81 } else { 0 } {
                    let at = |cell: u32, from: f32, part: u32| {
                        f64::from(from) + (f64::from(cell) + f64::from(part) / 8.0) * f64::from(CELL)
                    };
                    let (x, z) = (at(x, frame.origin.x, step % 9), at(z, frame.origin.z, step / 9));
                    least = least.min(distance(&outline, x, z));
                }
                if least < -1e-3 {
                    assert!(is_filled, "column {x}, {z} of {outline:?}");
                } else if least > 0.03 {
                    assert!(!is_filled, "column {x}, {z}, {least} m away from {outline:?}");
                }
            }
        }
    }
}

#[test]
fn outlines_that_cross_themselves_are_refused() {
    let crossing = [
        // A bow tie; a star; twice around; two lobes that meet in a corner; a loop within.
        corners(&[[1., 1.], [5., 5.], [5., 1.], [1., 5.]]),
        (0..5).map(|corner| Vec2::from_angle(corner as f32 * 0.4 * TAU) * 3.0).collect(),
        corners(&[[1., 1.], [5., 1.], [5., 5.], [1., 5.], [1., 1.], [5., 1.], [5., 5.], [1., 5.]]),
        corners(&[[1., 1.], [3., 3.], [5., 5.], [5., 1.], [3., 3.], [1., 5.]]),
        corners(&[[0., 0.], [6., 0.], [6., 6.], [2., 6.], [2., 2.], [4., 2.], [4., 4.], [0., 4.]]),
    ];
    for outline in crossing {
        for outline in [outline.clone(), outline.into_iter().rev().collect()] {
            let shape = MarkShape::Prism { corners: outline.clone(), heights: [0.0, 1.0] };
            let error = shape.validate().expect_err("it crosses itself");
            assert!(matches!(error, VoxelError::CrossingPrism { .. }), "{outline:?}: {error}");
            assert!(error.to_string().contains("crosses itself"), "{error}");
            let frame = floor().frame;
            assert_eq!(Obstacle::solid(shape).columns(&frame), Err(error));
        }
    }
}
