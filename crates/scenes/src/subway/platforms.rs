//! Platforms: paving, edges, stairs to the tracks, columns, benches, tiled walls, lamps.

use glam::Vec3;
use waymesh_core::Random;

use super::{Ascent, BED, CONCOURSE, PLATFORM, PLATFORMS, SLAB, STATION};
use crate::builder::{Builder, cuts};
use crate::parts::furniture::BENCH;
use crate::parts::railing::Railing;
use crate::parts::stairs::Flight;

/// Service stairs at the platforms' ends, to the tracks: a landing at the height of the bed, then
/// six risers.
const END: Flight = Flight { risers: 6, riser: (PLATFORM - BED) / 6.0, tread: 0.3, width: 1.1, depth: 0.2 };
const END_LANDING: f32 = 1.2;
const PAVING: f32 = 1.5;
const SOFFIT: f32 = CONCOURSE - SLAB;

pub(super) fn build(builder: &mut Builder, ascents: &[Ascent], random: &mut Random) {
    for (platform, z) in PLATFORMS.into_iter().enumerate() {
        // The long sides of the platform that have a track.
        let edges: &[bool] = match platform {
            0 => &[true],
            1 => &[false, true],
            _ => &[false],
        };
        slab(builder, z, edges);
        for &high in edges {
            let strip = if high { [z[1] - 0.9, z[1] - 0.5] } else { [z[0] + 0.5, z[0] + 0.9] };
            builder.tactile([STATION[0] + 4.0, STATION[1] - 4.0], strip, PLATFORM, 1.0, 4);
            end_stairs(builder, z, high);
        }
    }
    tiles(builder);
    columns(builder, ascents);
    for z in [PLATFORMS[0][0] + 0.1, PLATFORMS[2][1] - 0.1] {
        for x in cuts(STATION[0] + 8.0, STATION[1] - 8.0, 10.0) {
            if ascents.iter().any(|ascent| ascent.covers(x, z, 3.0)) {
                continue;
            }
            let turns = if z < 20.0 { 0 } else { 2 };
            builder.item(BENCH, Vec3::new(x, PLATFORM, z), turns);
            let aside = if turns == 0 { -0.5 } else { 0.5 };
            builder.bin(Vec3::new(x + aside, PLATFORM, if turns == 0 { z + 0.3 } else { z - 0.3 }));
            // A poster over the bench.
            let turn = if turns == 0 { 2 } else { 0 };
            let shift = random.range(-0.3, 0.3);
            builder.at(Vec3::new(x + shift, PLATFORM + 1.1, z), turn, |builder| {
                builder.sign(Vec3::new(-0.6, 0.0, 0.02), [1.2, 1.2]);
            });
        }
    }
    lamps(builder);
}

/// Builds the paved slab of a platform, with a notch for the stairs at each end of each edge.
fn slab(builder: &mut Builder, z: [f32; 2], edges: &[bool]) {
    let notch = END_LANDING + END.run();
    let mut xs = vec![STATION[0]];
    for pair in [
        [STATION[0], STATION[0] + notch],
        [STATION[0] + notch, STATION[1] - notch],
        [STATION[1] - notch, STATION[1]],
    ] {
        xs.extend(cuts(pair[0], pair[1], PAVING).into_iter().skip(1));
    }
    let mut stops = vec![z[0]];
    if edges.contains(&false) {
        stops.push(z[0] + END.width);
    }
    if edges.contains(&true) {
        stops.push(z[1] - END.width);
    }
    stops.push(z[1]);
    let mut zs = vec![z[0]];
    for pair in stops.windows(2) {
        zs.extend(cuts(pair[0], pair[1], PAVING).into_iter().skip(1));
    }
    builder.plate(&xs, &zs, [BED - 0.15, PLATFORM], |i, j| {
        let (x, across) = (f32::midpoint(xs[i], xs[i + 1]), f32::midpoint(zs[j], zs[j + 1]));
        let end = x < STATION[0] + notch || x > STATION[1] - notch;
        let low = edges.contains(&false) && across < z[0] + END.width;
        let high = edges.contains(&true) && across > z[1] - END.width;
        !(end && (low || high))
    });
}

fn end_stairs(builder: &mut Builder, z: [f32; 2], high: bool) {
    let notch = END_LANDING + END.run();
    let low = if high { z[1] - END.width } else { z[0] };
    for x in [[STATION[0], STATION[0] + notch], [STATION[1] - notch, STATION[1]]] {
        builder.block(x, [BED - 0.15, BED], [low, low + END.width]);
    }
    let origin = Vec3::new(STATION[0] + END_LANDING, BED, low);
    builder.at(origin, 0, |builder| builder.flight(&END));
    let origin = Vec3::new(STATION[1] - END_LANDING, BED, low + END.width);
    builder.at(origin, 2, |builder| builder.flight(&END));
    // A railing on the platform along the notch, so that nobody falls into it.
    let inner = if high { low - 0.05 } else { low + END.width + 0.05 };
    for (from, to) in [(STATION[0], STATION[0] + notch), (STATION[1], STATION[1] - notch)] {
        builder.level_railing(PLATFORM, &[[from, inner], [to, inner]], &Railing::STATION);
    }
}

fn tiles(builder: &mut Builder) {
    let area = [STATION[1] - STATION[0], SOFFIT - PLATFORM - 0.3];
    let y = PLATFORM + 0.1;
    builder.wall_tiles(Vec3::new(STATION[0], y, PLATFORMS[0][0]), Vec3::X, area, [0.9, 0.45]);
    builder.wall_tiles(Vec3::new(STATION[1], y, PLATFORMS[2][1]), Vec3::NEG_X, area, [0.9, 0.45]);
}

/// Builds two rows of columns on the island, and one row on each side platform.
fn columns(builder: &mut Builder, ascents: &[Ascent]) {
    for z in [6.6, 15.0, 25.0, 33.4] {
        for x in cuts(STATION[0] + 6.0, STATION[1] - 6.0, 9.0) {
            if ascents.iter().any(|ascent| ascent.covers(x, z, 1.0)) {
                continue;
            }
            column(builder, Vec3::new(x, PLATFORM, z), SOFFIT);
        }
    }
}

/// Builds a round column with a base, a collar and a capital.
pub(super) fn column(builder: &mut Builder, foot: Vec3, top: f32) {
    let up = |y: f32| Vec3::new(foot.x, y, foot.z);
    builder.cylinder(up(foot.y - 0.05), up(foot.y + 0.15), 0.36, 18);
    builder.cylinder(up(foot.y + 0.15), up(top - 0.3), 0.28, 18);
    builder.cylinder(up(foot.y + 1.2), up(foot.y + 1.26), 0.3, 18);
    builder.frustum(up(top - 0.3), up(top), [0.28, 0.45], 18);
}

/// Builds lamps under the soffit: housings with two tubes each.
fn lamps(builder: &mut Builder) {
    for z in [3.5, 7.6, 13.6, 20.0, 26.4, 32.4, 36.5] {
        for x in cuts(STATION[0] + 2.0, STATION[1] - 2.0, 4.0) {
            builder.block([x - 0.65, x + 0.65], [SOFFIT - 0.1, SOFFIT + 0.01], [z - 0.12, z + 0.12]);
            for side in [-0.05, 0.05] {
                let y = SOFFIT - 0.13;
                builder.cylinder(Vec3::new(x - 0.6, y, z + side), Vec3::new(x + 0.6, y, z + side), 0.015, 6);
            }
        }
    }
}
