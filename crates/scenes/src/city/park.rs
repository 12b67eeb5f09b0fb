//! A park: trees, hedges, benches, a bandstand.

use glam::Vec3;
use waymesh_core::Random;

use super::ROAD;
use super::ground::Ground;
use crate::angles::sin_cos;
use crate::builder::{Builder, cuts, rectangle};
use crate::parts::furniture::BENCH;

const TREES: usize = 205;
/// Distance between two hedges, and their height and thickness.
const AISLE: f32 = 12.0;
const HEDGE: [f32; 2] = [1.1, 0.8];

pub(super) fn build(builder: &mut Builder, ground: &Ground, random: &mut Random) {
    let [width, depth] = ground.size;
    let centre = [width / 2.0, depth / 2.0];
    let on = |x: f32, z: f32| Vec3::new(x, ground.pavement(x, z), z);
    let margin = ROAD + 5.0;
    for tree in 0..TREES {
        // Trees stand at random places, clear of the middle.
        let mut x = random.range(margin, width - margin);
        let z = random.range(margin, depth - margin);
        if (x - centre[0]).abs() < 12.0 && (z - centre[1]).abs() < 12.0 {
            x = if tree % 2 == 0 { x - 24.0 } else { x + 24.0 };
        }
        builder.tree(on(x, z), random);
    }
    for z in cuts(margin + 4.0, depth - margin - 4.0, AISLE) {
        if (z - centre[1]).abs() < 10.0 {
            continue;
        }
        // Hedges are open at both ends and in the middle.
        for run in [[margin + 6.0, centre[0] - 4.0], [centre[0] + 4.0, width - margin - 6.0]] {
            for pair in cuts(run[0], run[1], 2.0).windows(2) {
                let ring = |lift: f32| {
                    rectangle([pair[0], pair[1]], [z, z + HEDGE[1]], |x, z| ground.pavement(x, z) + lift)
                };
                builder.hexahedron(ring(-0.2), ring(HEDGE[0]));
            }
            for x in cuts(run[0] + 2.0, run[1] - 4.0, 9.0) {
                let seat = on(x + 0.9, z + 1.6);
                builder.item(BENCH, Vec3::new(x, seat.y, z + 1.3), 0);
            }
        }
    }
    bandstand(builder, on(centre[0], centre[1]));
}

/// Builds a round floor of three steps with columns and a steep roof.
fn bandstand(builder: &mut Builder, foot: Vec3) {
    for (step, radius) in [5.7_f32, 5.35, 5.0].into_iter().enumerate() {
        let top = 0.3 + 0.17 * crate::builder::real(step);
        builder.cylinder(foot - Vec3::Y * 1.0, foot + Vec3::Y * top, radius, 24);
    }
    for column in 0..8_u8 {
        let (sine, cosine) = sin_cos(f64::from(column) / 8.0 + 0.0625);
        let at = foot + Vec3::new(cosine * 4.6, 0.6, sine * 4.6);
        builder.cylinder(at, at + Vec3::Y * 2.9, 0.12, 12);
    }
    let eaves = foot + Vec3::Y * 3.5;
    builder.frustum(eaves, eaves + Vec3::Y * 6.2, [5.4, 0.15], 24);
}
