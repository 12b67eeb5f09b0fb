//! A subway station: two tracks between three platforms, a concourse above all platforms, stairs
//! and escalators between them.

use glam::Vec3;
use waymesh_core::Random;

use crate::builder::{Axis, Builder, cuts, real};
use crate::parts::{BENCH, Flight, MACHINE, Opening, STEEL_RAILING, door};

/// Extents along x, z and y.
const SIZE: [f32; 3] = [351.0, 40.0, 8.0];
/// Distance from one station to the next.
pub(crate) const SPACING: [f32; 2] = [SIZE[0], SIZE[1]];
const WALL: f32 = 0.6;
const BED: f32 = 0.2;
const PLATFORM: f32 = 1.2;
const CONCOURSE: f32 = 4.6;
const CEILING: f32 = 7.7;
const SLAB: f32 = 0.4;
/// The hall, along x; tunnels begin at its ends.
const STATION: [f32; 2] = [40.0, 311.0];
const PLATFORMS: [[f32; 2]; 3] = [[0.6, 8.6], [12.6, 27.4], [31.4, 39.4]];
const TRACKS: [[f32; 2]; 2] = [[8.6, 12.6], [27.4, 31.4]];
/// Length of an opening above an ascent, and its width: stairs between two escalators.
const ASCENT: [f32; 2] = [7.6, 5.2];
const STAIRS: Flight = Flight { risers: 20, riser: (CONCOURSE - PLATFORM) / 20.0, tread: 0.3, width: 1.8 };
const ESCALATOR: Flight = Flight { risers: 15, riser: (CONCOURSE - PLATFORM) / 15.0, tread: 0.4, width: 1.0 };

/// Openings in the concourse, and `true` if their stairs rise along x.
fn ascents() -> impl Iterator<Item = ([[f32; 2]; 2], bool)> {
    let lanes = [PLATFORMS[0][0] + 0.1, 20.0 - ASCENT[1] / 2.0, PLATFORMS[2][1] - 0.1 - ASCENT[1]];
    let starts = [(66.0, true), (106.0, true), (245.0 - ASCENT[0], false), (285.0 - ASCENT[0], false)];
    lanes
        .into_iter()
        .flat_map(move |z| starts.map(|(x, forward)| ([[x, x + ASCENT[0]], [z, z + ASCENT[1]]], forward)))
}

pub(crate) fn build(builder: &mut Builder, random: &mut Random) {
    let [length, width, height] = SIZE;
    for z in [[0.0, WALL], [width - WALL, width]] {
        builder.wall(Axis::X, [0.0, length], z, [0.0, height], &[]);
    }
    let mouths: [Opening; 2] = TRACKS.map(|z| [z, [0.0, 3.7]]);
    let inner = [WALL, width - WALL];
    for (x, top) in [
        (0.0, height),
        (STATION[0] - WALL, CONCOURSE - SLAB),
        (STATION[1], CONCOURSE - SLAB),
        (length - WALL, height),
    ] {
        builder.wall(Axis::Z, inner, [x, x + WALL], [0.0, top], &mouths);
    }
    TRACKS.into_iter().for_each(|z| track(builder, z));
    for z in PLATFORMS {
        builder.open_plate([STATION, z], [0.0, PLATFORM], &[], 0.75);
        // The earth around the tunnels.
        for x in [[WALL, STATION[0] - WALL], [STATION[1] + WALL, length - WALL]] {
            builder.block(x, [0.0, CONCOURSE - SLAB + 0.01], z);
        }
    }
    let openings: Vec<_> = ascents().map(|(opening, _)| opening).collect();
    builder.open_plate([[WALL, length - WALL], inner], [CONCOURSE - SLAB, CONCOURSE], &openings, 0.85);
    builder.open_plate([[WALL, length - WALL], inner], [CEILING, height], &[], 0.85);
    ascents().for_each(|(opening, forward)| ascent(builder, opening, forward));
    // Tiles on the walls of the platforms and of the concourse.
    let along = STATION[1] - STATION[0];
    for (y, rise) in [(PLATFORM + 0.1, 2.6), (CONCOURSE + 0.1, 2.8)] {
        let (near, far) = (Vec3::new(STATION[0], y, WALL), Vec3::new(STATION[1], y, width - WALL));
        builder.panels(near, Vec3::X * along, Vec3::Y * rise, [0.6, 0.26]);
        builder.panels(far, Vec3::NEG_X * along, Vec3::Y * rise, [0.6, 0.26]);
    }
    furnish(builder, random, &openings);
}

/// The bed, sleepers with two rails, and the tunnels' linings.
fn track(builder: &mut Builder, z: [f32; 2]) {
    builder.block([0.0, SIZE[0]], [0.0, BED], z);
    let middle = f32::midpoint(z[0], z[1]);
    for x in cuts(0.5, SIZE[0] - 0.5, 0.79) {
        builder.block([x - 0.12, x + 0.12], [BED - 0.05, BED + 0.12], [middle - 1.25, middle + 1.25]);
        for rail in [middle - 0.75, middle + 0.75] {
            builder.block([x - 0.395, x + 0.385], [BED + 0.12, BED + 0.28], [rail - 0.035, rail + 0.035]);
        }
    }
}

/// Stairs between two escalators, with a railing around the opening above.
fn ascent(builder: &mut Builder, [x, z]: [[f32; 2]; 2], forward: bool) {
    let (origin, turns) = if forward { ([x[0], z[0]], 0) } else { ([x[1], z[1]], 2) };
    builder.at(Vec3::new(origin[0], PLATFORM, origin[1]), turns, |builder| {
        for (lane, flight) in [(0.2, ESCALATOR), (1.7, STAIRS), (4.0, ESCALATOR)] {
            let start = Vec3::new(ASCENT[0] - flight.run(), 0.0, lane);
            builder.at(start, 0, |builder| {
                builder.railed_flight(&flight, STEEL_RAILING);
                for step in 1..flight.risers {
                    let corner =
                        Vec3::new(real(step - 1) * flight.tread, real(step) * flight.riser, flight.width);
                    builder.panels(corner, Vec3::X * flight.tread, Vec3::NEG_Z * flight.width, [0.4, 0.1]);
                }
            });
        }
        let (near, far) = (-0.05, ASCENT[1] + 0.05);
        let path = [[ASCENT[0], near], [near, near], [near, far], [ASCENT[0], far]];
        builder.level_railing(CONCOURSE - PLATFORM, &path, STEEL_RAILING);
    });
}

/// Columns, benches, gates, ticket machines, and rooms at both ends of the concourse.
fn furnish(builder: &mut Builder, random: &mut Random, openings: &[[[f32; 2]; 2]]) {
    let is_free = |x: f32, z: f32, margin: f32| {
        !openings.iter().any(|[ox, oz]| {
            x > ox[0] - margin && x < ox[1] + margin && z > oz[0] - margin && z < oz[1] + margin
        })
    };
    for (rows, foot, top) in
        [([6.6, 15.0, 25.0, 33.4], PLATFORM, CONCOURSE - SLAB), ([6.4, 14.4, 25.6, 33.6], CONCOURSE, CEILING)]
    {
        for z in rows {
            for x in cuts(STATION[0] + 6.0, STATION[1] - 6.0, 9.0).into_iter().filter(|&x| is_free(x, z, 1.0))
            {
                builder.cylinder(Vec3::new(x, foot - 0.05, z), Vec3::new(x, top, z), 0.28, 18);
            }
        }
    }
    for x in cuts(STATION[0] + 8.0, STATION[1] - 8.0, 10.0) {
        let x = x + random.range(-0.3, 0.3);
        for (z, turns) in [(PLATFORMS[0][0] + 0.1, 0), (PLATFORMS[2][1] - 0.1, 2)] {
            if is_free(x, z, 3.0) {
                builder.item(BENCH, Vec3::new(x, PLATFORM, z), turns);
            }
            builder.item(MACHINE, Vec3::new(x, CONCOURSE, z), turns);
        }
    }
    for x in [140.0, 209.2] {
        for gate in 0..20 {
            let z = 7.0 + 1.3 * real(gate);
            builder.block([x, x + 1.8], [CONCOURSE - 0.01, CONCOURSE + 1.0], [z, z + 0.3]);
        }
    }
    for x in [WALL, 300.0] {
        for z in cuts(WALL, SIZE[1] - WALL, 4.0).into_iter().skip(1) {
            let y = [CONCOURSE - 0.02, CEILING];
            let doors: Vec<Opening> = (0..6).map(|room| door(x + 2.0 + 8.0 * real(room), y[0])).collect();
            builder.wall(Axis::X, [x, x + 50.0], [z - 0.12, z], y, &doors);
        }
    }
}
