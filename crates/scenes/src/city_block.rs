//! Streets, buildings, a footbridge.

use glam::Vec3;
use waymesh_core::Random;

use crate::builder::{Axis, Builder, cuts};

const BLOCK: f32 = 30.0;
const STREET: f32 = 10.0;
/// Blocks along x and z at scale 1. The first two of the first row are plazas joined by the
/// footbridge.
const BLOCKS: usize = 2;
const KERB: f32 = 0.15;
const WALL: f32 = 0.4;
/// Half the width of a doorway, and its height.
const HALF_DOOR: f32 = 1.2;
const DOOR_HEIGHT: f32 = 2.6;
const GROUND_FLOOR: f32 = 3.2;
/// Height of the bridge above the street: lorries pass below.
const DECK: f32 = 4.5;
const DECK_WIDTH: f32 = 4.0;
/// Plan length of the bridge's ramps: 24 degrees.
const RAMP: f32 = 10.0;

pub(crate) fn build(seed: u64, scale: u32) -> Builder {
    let mut random = Random::new(seed);
    let mut builder = Builder::default();
    let blocks = BLOCKS * scale as usize;
    let pitch = BLOCK + STREET;
    let side = pitch * blocks as f32 + STREET;
    builder.floor([0.0; 2], [side; 2], 0.0, 5.0);
    for index in 0..blocks * blocks {
        let corner = [index % blocks, index / blocks].map(|slot| STREET + pitch * slot as f32);
        let pavement = [cuts(corner[0], corner[0] + BLOCK, 6.0), cuts(corner[1], corner[1] + BLOCK, 6.0)];
        builder.plate(&pavement[0], &pavement[1], [-0.1, KERB], |_, _| true);
        if index < 2 {
            plaza(&mut builder, corner, &mut random);
        } else {
            for lot in 0..4_u8 {
                let half = BLOCK / 2.0;
                let low = [corner[0] + half * f32::from(lot & 1), corner[1] + half * f32::from(lot >> 1)];
                building(&mut builder, low, half, &mut random);
            }
        }
    }
    bridge(&mut builder, STREET + BLOCK, STREET + BLOCK / 2.0);
    builder
}

/// Builds planters and a flight of steps to a raised square. The middle strip stays clear for the
/// bridge.
fn plaza(builder: &mut Builder, corner: [f32; 2], random: &mut Random) {
    for _ in 0..6 {
        let size = random.range(0.8, 2.0);
        let x = corner[0] + random.range(2.0, BLOCK - 4.0);
        let z = corner[1] + random.range(2.0, 7.0);
        builder.cuboid(Vec3::new(x, 0.05, z), Vec3::new(x + size, KERB + 0.5 + 0.3 * size, z + size));
    }
    for (step, inset) in [0.0_f32, 0.35, 0.7, 1.05].into_iter().enumerate() {
        let top = KERB + 0.17 * (step + 1) as f32;
        builder.cuboid(
            Vec3::new(corner[0] + 8.0 + inset, 0.05, corner[1] + 20.0 + inset),
            Vec3::new(corner[0] + 22.0 - inset, top, corner[1] + 28.0 - inset),
        );
    }
}

/// Builds a box with a hollow ground floor, a doorway on two sides, and a flat roof.
fn building(builder: &mut Builder, lot: [f32; 2], side: f32, random: &mut Random) {
    let low = lot.map(|low| low + random.range(2.0, 3.5));
    let high = lot.map(|low| low + side - random.range(2.0, 3.5));
    let (floor, ceiling) = (KERB + 0.1, KERB + GROUND_FLOOR);
    builder.cuboid(Vec3::new(low[0], 0.0, low[1]), Vec3::new(high[0], floor, high[1]));
    let first = random.index(4);
    for wall in 0..4 {
        let axis = if wall < 2 { Axis::Z } else { Axis::X };
        let (along, across) = (axis as usize, 1 - axis as usize);
        let sides = if wall % 2 == 0 {
            [low[across], low[across] + WALL]
        } else {
            [high[across] - WALL, high[across]]
        };
        let reach = if axis == Axis::Z { 0.0 } else { WALL };
        let run = [low[along] + reach, high[along] - reach];
        let has_door = wall % 2 == first % 2;
        let opening = has_door.then(|| {
            let door = f32::midpoint(run[0], run[1]) + random.range(-1.5, 1.5);
            [[door - HALF_DOOR, door + HALF_DOOR], [0.05, floor + DOOR_HEIGHT]]
        });
        builder.wall(axis, run, sides, [0.05, ceiling], opening.as_slice());
    }
    let roof = ceiling + random.range(1.0, 6.0) * 3.0;
    builder.cuboid(Vec3::new(low[0], ceiling, low[1]), Vec3::new(high[0], roof, high[1]));
}

/// Builds a bridge along x over the street that begins at `x`, with its middle at `z`: ramp, deck
/// with rails, ramp.
fn bridge(builder: &mut Builder, x: f32, z: f32) {
    let (z0, z1) = (z - DECK_WIDTH / 2.0, z + DECK_WIDTH / 2.0);
    let (west, east) = (x - 1.0, x + STREET + 1.0);
    builder.ramp(Axis::X, Vec3::new(west - RAMP, KERB, z0), Vec3::new(west, DECK, z1), 0.3);
    builder.ramp(Axis::X, Vec3::new(east + RAMP, KERB, z0), Vec3::new(east, DECK, z1), 0.3);
    let xs = cuts(west, east, 2.0);
    builder.plate(&xs, &[z0, z1], [DECK - 0.3, DECK], |_, _| true);
    for z in [z0, z1 - 0.2] {
        builder.cuboid(Vec3::new(west, DECK - 0.1, z), Vec3::new(east, DECK + 1.0, z + 0.2));
    }
}
