//! Track bed, sleepers, rails, conductor rail.

use glam::Vec3;

use super::{BED, SIZE, STATION, TRACKS};
use crate::builder::{Builder, cuts};

/// Distance between the inner faces of the rails.
const GAUGE: f32 = 1.435;
const RAIL_HEIGHT: f32 = 0.16;
const SLEEPER: f32 = 0.12;
const EVERY: f32 = 0.79;

/// Half of a rail's outline as (half width, height), from foot to head.
const OUTLINE: [[f32; 2]; 6] =
    [[0.07, 0.0], [0.07, 0.012], [0.012, 0.03], [0.012, 0.115], [0.035, 0.125], [0.035, RAIL_HEIGHT]];

pub(super) fn build(builder: &mut Builder) {
    for z in TRACKS {
        let middle = f32::midpoint(z[0], z[1]);
        builder.floor([0.0, z[0]], [SIZE[0], z[1]], BED, 2.0);
        for x in cuts(0.5, SIZE[0] - 0.5, EVERY) {
            builder.block([x - 0.12, x + 0.12], [BED - 0.05, BED + SLEEPER], [middle - 1.25, middle + 1.25]);
            for side in [-1.0, 1.0] {
                let rail = middle + side * (GAUGE + 0.07) / 2.0;
                builder.block(
                    [x - 0.08, x + 0.08],
                    [BED + SLEEPER, BED + SLEEPER + 0.015],
                    [rail - 0.12, rail + 0.12],
                );
                for clip in [-0.09, 0.09] {
                    let z = rail + clip;
                    builder.block(
                        [x - 0.03, x + 0.03],
                        [BED + SLEEPER, BED + SLEEPER + 0.05],
                        [z - 0.02, z + 0.02],
                    );
                }
            }
        }
        for side in [-1.0, 1.0] {
            let rail = middle + side * (GAUGE + 0.07) / 2.0;
            // Rails of 18 m with gaps between them.
            for pair in cuts(0.0, SIZE[0], 18.0).windows(2) {
                self::rail(builder, [pair[0], pair[1] - 0.01], BED + SLEEPER + 0.015, rail);
            }
        }
        conductor(builder, z[0] + 0.35);
    }
}

/// Extrudes the outline along x, and closes both ends.
fn rail(builder: &mut Builder, x: [f32; 2], y: f32, z: f32) {
    // Up the side of -z and down the other.
    let outline: Vec<[f32; 2]> = OUTLINE
        .iter()
        .map(|&[half, height]| [z - half, y + height])
        .chain(OUTLINE.iter().rev().map(|&[half, height]| [z + half, y + height]))
        .collect();
    let ends =
        x.map(|x| -> Vec<u32> { outline.iter().map(|&[z, y]| builder.push(Vec3::new(x, y, z))).collect() });
    let count = outline.len();
    for corner in 0..count {
        let next = (corner + 1) % count;
        let [a, b] = [ends[0][corner], ends[0][next]];
        let [c, d] = [ends[1][corner], ends[1][next]];
        builder.triangle([a, d, c]);
        builder.triangle([a, b, d]);
    }
    // The ends are stacks of quads between opposite corners of the outline.
    for level in 0..count / 2 - 1 {
        let (left, right) = ([level, level + 1], [count - 1 - level, count - 2 - level]);
        for (end, flip) in ends.iter().zip([true, false]) {
            let [a, b, c, d] = [left[0], left[1], right[1], right[0]].map(|corner| end[corner]);
            for [p, q, r] in [[a, b, c], [a, c, d]] {
                builder.triangle(if flip { [p, r, q] } else { [p, q, r] });
            }
        }
    }
}

/// Builds the conductor rail: a bar on brackets under a cover, inside the station on the side of
/// the platform's edge.
fn conductor(builder: &mut Builder, z: f32) {
    for pair in cuts(STATION[0] + 4.0, STATION[1] - 4.0, 6.0).windows(2) {
        let x = [pair[0], pair[1] - 0.02];
        builder.block(x, [BED + 0.3, BED + 0.36], [z - 0.04, z + 0.04]);
        builder.block(x, [BED + 0.42, BED + 0.44], [z - 0.1, z + 0.1]);
        for x in [pair[0] + 1.0, pair[0] + 4.0] {
            builder.block([x - 0.03, x + 0.03], [BED - 0.02, BED + 0.42], [z - 0.14, z - 0.1]);
            builder.cylinder(Vec3::new(x, BED, z), Vec3::new(x, BED + 0.3, z), 0.03, 8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rails_are_closed_and_look_outward() {
        let mut builder = Builder::default();
        rail(&mut builder, [1.0, 3.0], 0.5, 4.0);
        let volume =
            builder.finish().finite_triangles().map(|[a, b, c]| f64::from(a.dot(b.cross(c)))).sum::<f64>()
                / 6.0;
        let area: f32 =
            OUTLINE.windows(2).map(|pair| (pair[0][0] + pair[1][0]) * (pair[1][1] - pair[0][1])).sum();
        assert!((volume - 2.0 * f64::from(area)).abs() < 1e-3, "{volume} {area}");
    }
}
