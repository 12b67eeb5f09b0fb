//! Sheets above each other, none of them whole or level.

use glam::Vec3;
use waymesh_core::Random;

use crate::builder::{Axis, Builder, in_bays};

/// Side of one bay in metres.
const BAY: f32 = 30.0;
const STOREYS: u8 = 12;
/// Height between two storeys: enough to stand, whatever the planks.
const PITCH: f32 = 2.8;
const PLANK: f32 = 0.1;

/// Builds storeys of planks that differ in height by less than a step, tilt a little, and leave
/// gaps.
pub(crate) fn build(seed: u64, scale: u32) -> Builder {
    in_bays(seed, scale, BAY, bay)
}

fn bay(builder: &mut Builder, random: &mut Random) {
    for storey in 0..STOREYS {
        let level = f32::from(storey) * PITCH;
        let mut z = 0.0;
        while z < BAY {
            let end_z = (z + random.range(0.8, 2.5)).min(BAY);
            let mut x = 0.0;
            while x < BAY {
                let end_x = (x + random.range(2.0, 7.0)).min(BAY);
                let low = level + random.range(-0.25, 0.25);
                let high = low + random.range(-0.06, 0.06) * (end_x - x);
                if random.chance(0.85) && end_x - x > 0.1 && end_z - z > 0.1 {
                    builder.ramp(Axis::X, Vec3::new(x, low, z), Vec3::new(end_x, high, end_z), PLANK);
                }
                x = end_x;
            }
            z = end_z;
        }
    }
}
