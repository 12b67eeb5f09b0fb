//! Plant: pipe racks, vessels, tanks, pumps, well heads, valves.

use glam::Vec3;
use waymesh_core::Random;

use super::{CELLAR, MAIN, UPPER};
use crate::angles::sin_cos;
use crate::builder::{Builder, cuts, level, real};
use crate::parts::round::elbow;

pub(super) fn build(builder: &mut Builder, random: &mut Random) {
    for (y, levels) in [(MAIN, [2.9, 4.1]), (CELLAR, [3.2, 4.4])] {
        rack(builder, y, levels, random);
    }
    well_heads(builder);
    // Horizontal vessels on the main deck, either side of the rack.
    for (x, z, length, radius) in
        [(11.0, 5.0, 11.0, 1.3), (8.0, 36.0, 9.0, 1.1), (28.5, 34.5, 10.0, 1.2), (12.0, 36.0, 9.0, 1.0)]
    {
        vessel(builder, Vec3::new(x, MAIN, z), length, radius);
    }
    for (x, z, radius, height) in
        [(29.0, 7.0, 1.8, 4.2), (33.0, 11.0, 1.5, 4.6), (29.0, 13.0, 1.6, 3.8), (32.5, 5.0, 1.2, 3.6)]
    {
        tank(builder, Vec3::new(x, MAIN, z), radius, height);
        tank(builder, Vec3::new(x - 0.5, CELLAR, z + 26.0), radius, height - 0.4);
    }
    for pump in 0..4 {
        let z = 33.5 + 3.2 * real(pump);
        self::pump(builder, Vec3::new(8.0, CELLAR, z));
        self::pump(builder, Vec3::new(13.0, CELLAR, z));
    }
    for cooler in 0..3 {
        self::cooler(builder, Vec3::new(10.0 + 6.0 * real(cooler), UPPER, 16.5));
    }
    // Containers in the free room, shifted at random along x.
    for (x, z) in [(24.0, 20.5), (24.0, 24.0), (15.0, 24.0)] {
        let x = x + random.range(-0.8, 0.8);
        container(builder, Vec3::new(x, UPPER, z));
    }
}

/// Builds a pipe through `corners`, with elbows, and with flanges on its straights. Consecutive
/// corners differ along one axis only.
fn pipe(builder: &mut Builder, corners: &[Vec3], radius: f32, sides: usize) {
    let bend = radius * 3.0;
    let mut path = Vec::new();
    for (index, &corner) in corners.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| corners.get(index));
        match (before, corners.get(index + 1)) {
            (Some(&before), Some(&after)) => {
                let (start, end) =
                    ((corner - before).normalize_or(Vec3::X), (after - corner).normalize_or(Vec3::X));
                path.push(corner - start * bend);
                elbow(&mut path, corner, start, end, bend, 4);
            }
            _ => path.push(corner),
        }
    }
    builder.tube(&path, radius, sides);
    for pair in corners.windows(2) {
        let (along, length) = ((pair[1] - pair[0]).normalize_or(Vec3::X), pair[0].distance(pair[1]));
        if length < 4.0 * bend {
            continue;
        }
        for at in cuts(bend + 0.2, length - bend - 0.2, 8.0) {
            let middle = pair[0] + along * at;
            for offset in [-0.035, 0.005] {
                builder.cylinder(
                    middle + along * offset,
                    middle + along * (offset + 0.03),
                    radius * 1.6,
                    sides,
                );
            }
        }
    }
}

/// Builds a valve with a handwheel above a pipe.
fn valve(builder: &mut Builder, at: Vec3, radius: f32) {
    builder.ellipsoid(at, Vec3::splat(radius * 1.8), 10, 6);
    let top = at + Vec3::Y * (radius * 1.8 + 0.35);
    builder.cylinder(at, top, 0.03, 8);
    let mut wheel: Vec<Vec3> = (0..=12_u8)
        .map(|piece| {
            let (sine, cosine) = sin_cos(f64::from(piece) / 12.0);
            top + Vec3::new(cosine, 0.0, sine) * 0.16
        })
        .collect();
    // The ring stays open, because its two ends would overlap.
    wheel.pop();
    builder.tube(&wheel, 0.015, 5);
    for direction in [Vec3::X, Vec3::Z] {
        builder.cylinder(top - direction * 0.16, top + direction * 0.16, 0.012, 6);
    }
}

/// Builds a pipe rack along z through the middle of a deck: frames with two levels of pipes, high
/// enough to walk under.
fn rack(builder: &mut Builder, y: f32, levels: [f32; 2], random: &mut Random) {
    let (x, z) = ([15.5, 22.0], [4.0, 48.0]);
    for frame in cuts(z[0], z[1], 5.5) {
        for x in x {
            builder.block([x - 0.1, x + 0.1], [y - 0.01, y + levels[1] + 0.2], [frame - 0.1, frame + 0.1]);
        }
        for level in levels {
            builder.block(
                [x[0] - 0.3, x[1] + 0.3],
                [y + level - 0.25, y + level],
                [frame - 0.08, frame + 0.08],
            );
        }
    }
    for (level, &height) in levels.iter().enumerate() {
        for lane in 0..6 {
            let radius = [0.08, 0.16, 0.1, 0.2, 0.12, 0.14][lane];
            let across = x[0] + 0.6 + 1.05 * real(lane);
            let up = y + height + radius;
            let ends = [z[0] + random.range(0.3, 1.0), z[1] - random.range(0.3, 1.0)];
            // Some pipes come up through the deck, others end at a header, all on one side of the
            // frame.
            let drop = if level == 0 { y + 0.3 } else { y + levels[0] + 0.6 };
            let corners = [
                Vec3::new(across, drop, ends[0]),
                Vec3::new(across, up, ends[0]),
                Vec3::new(across, up, ends[1]),
                Vec3::new(across, drop, ends[1]),
            ];
            pipe(builder, &corners, radius, 10);
            if lane % 2 == 1 {
                valve(builder, Vec3::new(across, up, ends[0] + 8.0 + 3.0 * real(lane)), radius);
            }
        }
    }
    // A tray of cables beside the pipes.
    let (tray, up) = ([x[1] - 0.1, x[1] + 0.5], y + levels[1] + 0.6);
    for side in tray {
        builder.block([side, side + 0.02], [up, up + 0.1], z);
    }
    for rung in cuts(z[0] + 0.1, z[1] - 0.1, 1.0) {
        builder.block(tray, [up, up + 0.02], [rung - 0.02, rung + 0.02]);
    }
    for cable in 0..5 {
        let x = tray[0] + 0.06 + 0.09 * real(cable);
        builder.cylinder(Vec3::new(x, up + 0.045, z[0]), Vec3::new(x, up + 0.045, z[1]), 0.025, 8);
    }
}

/// Builds a well head on top of each conductor: blocks, wheels, and a pipe to the rack.
fn well_heads(builder: &mut Builder) {
    for row in 0..3 {
        for column in 0..5 {
            let foot = Vec3::new(15.0 + 2.2 * real(column), CELLAR, 7.0 + 2.2 * real(row));
            builder.cylinder(foot + Vec3::Y * 0.6, foot + Vec3::Y * 0.75, 0.4, 12);
            for (y, half) in [(0.75, 0.22), (1.15, 0.18), (1.5, 0.15)] {
                builder.block(
                    [foot.x - half, foot.x + half],
                    [foot.y + y, foot.y + y + 0.34],
                    [foot.z - half, foot.z + half],
                );
            }
            for side in [-1.0, 1.0] {
                let at = foot + Vec3::new(0.45 * side, 1.3, 0.0);
                builder.cylinder(foot + Vec3::Y * 1.3, at, 0.06, 8);
                builder.cylinder(at, at + Vec3::X * (0.03 * side), 0.18, 10);
            }
        }
    }
}

/// Builds a vessel along z on two saddles, with rounded ends, a manhole and nozzles.
fn vessel(builder: &mut Builder, corner: Vec3, length: f32, radius: f32) {
    let up = radius + 0.7;
    let axis = |z: f32| corner + Vec3::new(0.0, up, z);
    builder.cylinder(axis(radius), axis(length - radius), radius, 24);
    for z in [radius, length - radius] {
        builder.ellipsoid(axis(z), Vec3::new(radius, radius, radius * 0.6), 24, 6);
    }
    for z in [length * 0.25, length * 0.75] {
        let half = radius * 0.9;
        let ring = |y: f32| level([-half, half], [z - 0.2, z + 0.2], y).map(|at| corner + at);
        builder.hexahedron(ring(-0.01), ring(up));
    }
    for (index, z) in cuts(radius + 0.5, length - radius - 0.5, 1.8).into_iter().enumerate() {
        let size = if index == 1 { 0.35 } else { 0.12 };
        let top = axis(z) + Vec3::Y * (radius + 0.3);
        builder.cylinder(axis(z), top, size, 12);
        builder.cylinder(top, top + Vec3::Y * 0.05, size * 1.5, 12);
    }
    // A pipe from its end up to the deck's soffit.
    let start = axis(length + radius * 0.5 - radius);
    pipe(builder, &[start, start + Vec3::Z * 1.4, start + Vec3::new(0.0, 1.6, 1.4)], 0.1, 12);
}

/// Builds an upright tank on a skirt, with a flat cone, a ladder and bands.
fn tank(builder: &mut Builder, foot: Vec3, radius: f32, height: f32) {
    let up = |y: f32| foot + Vec3::Y * y;
    builder.cylinder(up(-0.01), up(0.2), radius + 0.1, 24);
    builder.cylinder(up(0.2), up(height), radius, 24);
    builder.frustum(up(height), up(height + 0.5), [radius, 0.2], 24);
    for band in cuts(0.9, height - 0.2, 1.8) {
        builder.cylinder(up(band), up(band + 0.06), radius + 0.03, 24);
    }
    for rung in cuts(0.3, height, 0.45) {
        let at = up(rung) + Vec3::X * (radius + 0.15);
        builder.cylinder(at - Vec3::Z * 0.2, at + Vec3::Z * 0.2, 0.015, 6);
    }
    for side in [-0.2, 0.2] {
        let at = foot + Vec3::new(radius + 0.15, 0.0, side);
        builder.cylinder(at, at + Vec3::Y * (height + 0.3), 0.025, 8);
    }
    let nozzle = up(0.8) - Vec3::X * (radius - 0.1);
    pipe(builder, &[nozzle, nozzle - Vec3::X * 0.7, nozzle + Vec3::new(-0.7, height, 0.0)], 0.09, 10);
}

/// Builds a motor and a pump on a plinth, with a pipe.
fn pump(builder: &mut Builder, corner: Vec3) {
    builder.at(corner, 0, |builder| {
        builder.block([0.0, 2.0], [-0.01, 0.2], [0.0, 0.8]);
        let axis = |x: f32| Vec3::new(x, 0.6, 0.4);
        builder.cylinder(axis(0.1), axis(1.0), 0.3, 16);
        for fin in 0..3 {
            builder.cylinder(axis(0.2 + 0.2 * real(fin)), axis(0.23 + 0.2 * real(fin)), 0.34, 16);
        }
        builder.cylinder(axis(1.0), axis(1.35), 0.06, 12);
        builder.cylinder(axis(1.35), axis(1.7), 0.32, 24);
        let out = Vec3::new(1.52, 0.6, 0.4);
        pipe(builder, &[out, out + Vec3::Y * 1.2, out + Vec3::new(0.0, 1.2, 0.5)], 0.08, 12);
        valve(builder, out + Vec3::Y * 0.75, 0.07);
    });
}

/// Builds a cooler: a box of louvres on legs with two fans.
fn cooler(builder: &mut Builder, corner: Vec3) {
    builder.at(corner, 0, |builder| {
        for x in [0.1, 3.8] {
            for z in [0.1, 1.8] {
                builder.block([x, x + 0.1], [-0.01, 0.6], [z, z + 0.1]);
            }
        }
        builder.block([0.0, 4.0], [0.6, 1.9], [0.0, 2.0]);
        for louvre in 0..8 {
            let y = 0.7 + 0.14 * real(louvre);
            builder.block([0.1, 3.9], [y, y + 0.04], [-0.05, 0.0]);
        }
        for x in [1.0, 3.0] {
            let at = |y: f32| Vec3::new(x, y, 1.0);
            builder.cylinder(at(1.9), at(2.2), 0.85, 28);
            builder.cylinder(at(2.2), at(2.3), 0.15, 12);
        }
    });
}

/// Builds a container of 6 m by 2.4 m, with ribbed sides, on its corner castings.
fn container(builder: &mut Builder, corner: Vec3) {
    builder.at(corner, 0, |builder| {
        builder.block([0.0, 6.0], [0.1, 2.5], [0.0, 2.4]);
        for x in [0.0, 5.8] {
            for z in [0.0, 2.2] {
                builder.block([x, x + 0.2], [-0.01, 0.1], [z, z + 0.2]);
            }
        }
        for rib in 0..14 {
            let x = 0.2 + 0.4 * real(rib);
            for z in [[-0.04, 0.0], [2.4, 2.44]] {
                builder.block([x, x + 0.12], [0.1, 2.4], z);
            }
        }
    });
}
