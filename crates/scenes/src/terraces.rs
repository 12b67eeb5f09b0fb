//! Platforms to climb onto: ledges of all kinds, higher than a step.

use glam::Vec3;
use waymesh_core::Random;

use crate::builder::{Axis, Builder, in_bays, sin_cos};

/// Side of one bay in metres.
const BAY: f32 = 28.0;
/// Width of the pit, and how far the ground is cut for it.
const PIT: f32 = 4.0;

pub(crate) fn build(seed: u64, scale: u32) -> Builder {
    in_bays(seed, scale, BAY, bay_of)
}

fn bay_of(builder: &mut Builder, random: &mut Random) {
    let mut jitter = || random.range(-0.3, 0.3);
    // Ground around a pit.
    let pit = [20.0 + jitter(), 20.0 + jitter()];
    let depth = 1.25;
    for (min, max, y) in [
        ([0.0, 0.0], [BAY, pit[1]], 0.0),
        ([0.0, pit[1]], [pit[0], pit[1] + PIT], 0.0),
        ([pit[0] + PIT, pit[1]], [BAY, pit[1] + PIT], 0.0),
        ([0.0, pit[1] + PIT], [BAY, BAY], 0.0),
        ([pit[0], pit[1]], [pit[0] + PIT, pit[1] + PIT], -depth),
    ] {
        builder.floor(min, max, y, 2.0);
    }
    let ends = [pit, [pit[0] + PIT, pit[1] + PIT]];
    let wall = |builder: &mut Builder, from: [f32; 2], to: [f32; 2]| {
        builder.quad([
            Vec3::new(from[0], -depth, from[1]),
            Vec3::new(to[0], -depth, to[1]),
            Vec3::new(to[0], 0.0, to[1]),
            Vec3::new(from[0], 0.0, from[1]),
        ]);
    };
    wall(builder, ends[0], [ends[1][0], ends[0][1]]);
    wall(builder, [ends[1][0], ends[0][1]], ends[1]);
    wall(builder, ends[1], [ends[0][0], ends[1][1]]);
    wall(builder, [ends[0][0], ends[1][1]], ends[0]);

    // A dock in two tiers. A parapet covers half of its front.
    let z = 2.0 + jitter();
    builder.block([2.0, 10.0], [-0.1, 1.2], [z, z + 7.0]);
    builder.block([2.0, 6.0], [1.1, 2.4], [z, z + 7.0]);
    builder.block([9.8, 10.0], [1.1, 2.2], [z, z + 3.5]);

    // A round stage.
    let centre = Vec3::new(20.0 + jitter(), 0.0, 7.0 + jitter());
    polygon(builder, centre, 4.0, 16, f64::from(jitter()), [-0.1, 1.3]);

    // A platform at an oblique angle, and next to it a ramp that rises from 0 m to 1.4 m: its sides
    // are steps of every height.
    polygon(builder, Vec3::new(7.0, 0.0, 20.5 + jitter()), 4.5, 4, 0.05, [-0.1, 1.1]);
    let x = 13.0 + jitter();
    builder.ramp(Axis::Z, Vec3::new(x, 0.0, 14.0), Vec3::new(x + 3.0, 1.4, 19.0), 2.0);
    builder.block([x, x + 3.0], [-0.1, 1.4], [19.0, 23.0]);

    // A platform under a roof that leaves too little room to stand on top.
    builder.block([13.0, 16.0], [-0.1, 1.2], [2.0, 5.0]);
    builder.block([12.8, 16.2], [3.0, 3.2], [1.8, 5.2]);
}

/// A prism over a regular polygon.
fn polygon(builder: &mut Builder, centre: Vec3, radius: f32, corners: u32, turn: f64, y: [f32; 2]) {
    let corner = |index: u32, y: f32| {
        let (sine, cosine) = sin_cos(turn - f64::from(index) / f64::from(corners));
        centre + Vec3::new(cosine * radius, y, sine * radius)
    };
    for index in 0..corners {
        let [a, b] = [index, index + 1];
        builder.quad([corner(a, y[0]), corner(b, y[0]), corner(b, y[1]), corner(a, y[1])]);
        let top =
            [corner(a, y[1]), corner(b, y[1]), centre + Vec3::Y * y[1]].map(|point| builder.push(point));
        builder.triangle(top);
    }
}
