//! A sunken road through the middle of a tile, along x: retaining walls, two road bridges, a
//! footbridge, stairs.

use glam::Vec3;

use super::ground::Ground;
use super::{KERB, ROAD};
use crate::builder::{Builder, real, rectangle};
use crate::parts::railing::Railing;
use crate::parts::stairs::Flight;

const WIDTH: f32 = 13.0;
/// Depth of its floor below the street.
const DEEP: f32 = 4.6;
const WALL: f32 = 0.4;
const PARAPET: f32 = 1.0;
const DECK: f32 = 0.6;
const HALF_FOOTBRIDGE: f32 = 1.5;
/// Distance of the stairs from the tile's border, and the length of their upper landing.
const STAIRS: f32 = 30.0;
const LANDING: f32 = 2.0;
const FLIGHT_WIDTH: f32 = 2.0;
const RISERS: usize = 28;
const TREAD: f32 = 0.3;

/// The strip in z that the sunken road takes.
pub(super) fn range(size: [f32; 2]) -> [f32; 2] {
    [(size[1] - WIDTH) / 2.0, (size[1] + WIDTH) / 2.0]
}

/// Lines in x at which the ground must be cut: heads of the stairs, and the footbridge.
pub(super) fn stops(width: f32) -> [f32; 6] {
    let middle = width / 2.0;
    [
        STAIRS,
        STAIRS + LANDING,
        middle - HALF_FOOTBRIDGE,
        middle + HALF_FOOTBRIDGE,
        width - STAIRS - LANDING,
        width - STAIRS,
    ]
}

pub(super) fn build(builder: &mut Builder, ground: &Ground) {
    let Some([low, high]) = ground.sunken else { return };
    let width = ground.size[0];
    let stops = stops(width);
    let within = |x: f32, from: usize| x > stops[from] && x < stops[from + 1];
    // The strips end at the lines of the ground, so that there are no overlaps and no gaps.
    let strips: Vec<[f32; 2]> = ground
        .zs
        .windows(2)
        .map(|pair| [pair[0], pair[1]])
        .filter(|pair| ground.over_cutting(f32::midpoint(pair[0], pair[1]), 0.0))
        .collect();
    for pair in ground.xs.windows(2) {
        let (x, middle) = ([pair[0], pair[1]], f32::midpoint(pair[0], pair[1]));
        let road = middle < ROAD || middle > width - ROAD;
        for &z in &strips {
            builder.quad(rectangle(x, z, |x, z| ground.street(x, z) - DEEP));
            if road {
                slab(builder, ground, x, z, [-DECK, 0.0]);
            } else if within(middle, 2) {
                slab(builder, ground, x, z, [KERB - DECK, KERB]);
            }
        }
        for (z, open) in [([low - WALL, low], within(middle, 0)), ([high, high + WALL], within(middle, 4))] {
            let top = if road {
                -0.01
            } else if open || within(middle, 2) {
                KERB
            } else {
                KERB + PARAPET
            };
            slab(builder, ground, x, z, [-DEEP - 0.2, top]);
        }
    }
    // Parapets of the bridges.
    let footbridge = [stops[2], stops[3] - 0.2];
    for (x, bottom) in [
        (ROAD, -DECK),
        (width - ROAD - 0.2, -DECK),
        (footbridge[0], KERB - DECK),
        (footbridge[1], KERB - DECK),
    ] {
        for &z in &strips {
            slab(builder, ground, [x, x + 0.2], z, [bottom, KERB + PARAPET]);
        }
    }
    // Stairs on both sides, in opposite directions.
    stairs(builder, ground, low, STAIRS, 1.0);
    stairs(builder, ground, high, width - STAIRS, -1.0);
}

/// Builds a slab that follows the street, between two offsets from the street's height.
fn slab(builder: &mut Builder, ground: &Ground, x: [f32; 2], z: [f32; 2], offset: [f32; 2]) {
    let ring = |lift: f32| rectangle(x, z, |x, z| ground.street(x, z) + lift);
    builder.hexahedron(ring(offset[0]), ring(offset[1]));
}

/// Builds stairs from the head at `x` beside the wall at `z` down in direction `way` along x.
fn stairs(builder: &mut Builder, ground: &Ground, z: f32, x: f32, way: f32) {
    let head = x + way * LANDING;
    let top = ground.pavement(f32::midpoint(x, head), z);
    let run = real(RISERS - 1) * TREAD;
    let foot = head + way * run;
    let bottom = ground.street(foot, z) - DEEP;
    let flight = Flight {
        risers: RISERS,
        riser: (top - bottom) / real(RISERS),
        tread: TREAD,
        width: FLIGHT_WIDTH,
        depth: 0.2,
    };
    // The landing spans the width of the flight, on either side of the wall.
    let across = if way > 0.0 { [z - 0.05, z + FLIGHT_WIDTH] } else { [z - FLIGHT_WIDTH, z + 0.05] };
    let along = [x.min(head), x.max(head)];
    builder.block(along, [top - 0.25, top], across);
    let open = if way > 0.0 { z + FLIGHT_WIDTH } else { z - FLIGHT_WIDTH };
    let edge = open - way * 0.05;
    builder.level_railing(top, &[[x, z + way * 0.05], [x, edge], [head, edge]], &Railing::STEEL);
    // The flight rises against `way`. Its own z = 0 is the wall in one direction and the open edge
    // in the other.
    let turns = if way > 0.0 { 2 } else { 0 };
    builder.at(Vec3::new(foot, bottom, open), turns, |builder| {
        builder.flight(&flight);
        builder.handrail(&flight, 0.05, &Railing::STEEL);
    });
}
