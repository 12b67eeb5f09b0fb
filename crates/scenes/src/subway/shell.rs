//! Outer walls, the ground under the tracks, tunnels, the slab between platforms and concourse.

use glam::Vec3;

use super::{BED, CONCOURSE, PLATFORM, PLATFORMS, SIZE, SLAB, STATION, TRACKS, WALL};
use crate::angles::sin_cos;
use crate::builder::{Builder, cuts, real};
use crate::parts::walls::{Axis, Opening};

/// Clear height and width of a tunnel's mouth.
const MOUTH: [f32; 2] = [3.7, 4.0];
/// Pieces of a lining ring, and the length of a ring.
const RING_PIECES: usize = 14;
const RING: f32 = 1.5;
const LINING: f32 = 0.25;

pub(super) fn build(builder: &mut Builder) {
    let [length, width, height] = SIZE;
    for z in [[0.0, WALL], [width - WALL, width]] {
        builder.wall(Axis::X, [0.0, length], z, [0.05, height], &[]);
    }
    let mouths = TRACKS.map(|z| Opening::Gap { at: z[0], width: MOUTH[1], height: MOUTH[0] });
    for x in [[0.0, WALL], [length - WALL, length]] {
        builder.wall(Axis::Z, [WALL, width - WALL], x, [0.05, height], &mouths);
    }
    // The ground under the tracks, and the earth beside them. There is no room to stand inside it,
    // because its underside faces down.
    for z in TRACKS {
        builder.block([0.0, length], [0.0, BED - 0.01], z);
    }
    for [low, high] in PLATFORMS {
        builder.block(STATION, [0.0, BED], [low, high]);
        let low = if low > WALL { low + LINING } else { low };
        let high = if high < width - WALL { high - LINING } else { high };
        for x in [[WALL, STATION[0] - WALL], [STATION[1] + WALL, length - WALL]] {
            builder.block(x, [0.0, CONCOURSE - SLAB + 0.01], [low, high]);
        }
    }
    // Walls between the station's hall and the ground around the tunnels.
    for x in [[STATION[0] - WALL, STATION[0]], [STATION[1], STATION[1] + WALL]] {
        builder.wall(Axis::Z, [WALL, width - WALL], x, [0.05, CONCOURSE - SLAB], &mouths);
    }
    for z in TRACKS {
        for x in [[WALL, STATION[0] - WALL], [STATION[1] + WALL, length - WALL]] {
            tunnel(builder, x, z);
        }
    }
}

/// Builds a tunnel: upright walls with a flat arch, in rings of pieces with joints.
fn tunnel(builder: &mut Builder, x: [f32; 2], z: [f32; 2]) {
    let middle = f32::midpoint(z[0], z[1]);
    let half = (z[1] - z[0]) / 2.0;
    let spring = 2.6;
    let rise = MOUTH[0] - spring;
    for pair in cuts(x[0], x[1], RING).windows(2) {
        let x = [pair[0] + 0.01, pair[1] - 0.01];
        for z in [[z[0] - LINING, z[0]], [z[1], z[1] + LINING]] {
            for y in cuts(BED - 0.1, spring, 0.85).windows(2) {
                builder.block(x, [y[0], y[1] - 0.01], z);
            }
        }
        let point = |piece: usize, out: f32| {
            let (sine, cosine) = sin_cos(0.5 * f64::from(real(piece)) / f64::from(real(RING_PIECES)));
            [middle - cosine * (half + out), spring + sine * (rise + out)]
        };
        for piece in 0..RING_PIECES {
            let (a, b) = (point(piece, 0.0), point(piece + 1, 0.0));
            let (c, d) = (point(piece, LINING), point(piece + 1, LINING));
            // Rings run -x -z, -x +z, +x +z, +x -z; inside is below.
            let ring = |near: [f32; 2], far: [f32; 2]| {
                [
                    Vec3::new(x[0], near[1], near[0]),
                    Vec3::new(x[0], far[1], far[0]),
                    Vec3::new(x[1], far[1], far[0]),
                    Vec3::new(x[1], near[1], near[0]),
                ]
            };
            builder.hexahedron(ring(a, b), ring(c, d));
        }
    }
    // Cables on brackets along both walls, and a handrail.
    for (side, inward) in [(z[0], 1.0), (z[1], -1.0)] {
        for cable in 0..4_u8 {
            let y = PLATFORM + 0.6 + f32::from(cable) * 0.12;
            let z = side + inward * 0.06;
            let path: Vec<Vec3> = cuts(x[0], x[1], 2.0)
                .into_iter()
                .enumerate()
                .map(|(index, x)| Vec3::new(x, y - if index % 2 == 1 { 0.025 } else { 0.0 }, z))
                .collect();
            builder.tube(&path, 0.025, 8);
        }
        for x in cuts(x[0] + 1.0, x[1] - 1.0, 4.0) {
            let z = [side.min(side + inward * 0.1), side.max(side + inward * 0.1)];
            builder.block([x - 0.03, x + 0.03], [PLATFORM + 0.5, PLATFORM + 1.3], z);
        }
    }
}
