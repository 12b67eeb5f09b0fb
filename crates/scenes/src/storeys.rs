//! Slabs, one above the other.

use glam::Vec3;
use waymesh_core::Random;

use crate::builder::{Axis, Builder, cuts};

/// Side of one bay in metres.
const BAY: f32 = 24.0;
const STOREYS: usize = 3;
/// Height between the tops of two slabs.
const PITCH: f32 = 4.0;
const SLAB: f32 = 0.3;
/// Plan length of a ramp: 4 m up in 8 m, 27 degrees.
const RUN: f32 = 8.0;
const RAMP_WIDTH: f32 = 3.0;

#[derive(Clone, Copy, Debug)]
struct Ramp {
    x: f32,
    z: f32,
    /// `true` if it rises along x, `false` if against it.
    forward: bool,
}

pub(crate) fn build(seed: u64, scale: u32) -> Builder {
    let mut random = Random::new(seed);
    let mut builder = Builder::default();
    let side = BAY * scale as f32;
    builder.floor([0.0; 2], [side; 2], 0.0, 2.0);
    // The room between two storeys has one ramp per bay. Storeys use the two halves of a bay
    // alternately, so that ramps never cross.
    for storey in 1..STOREYS {
        let ramps: Vec<Ramp> = (0..scale * scale)
            .map(|bay| {
                let [x, z] = [bay % scale, bay / scale].map(|slot| slot as f32 * BAY);
                let half = if storey % 2 == 1 { 2.0 } else { BAY / 2.0 + 2.0 };
                Ramp {
                    x: x + random.range(5.0, BAY - RUN - 5.0),
                    z: z + half + random.range(0.0, BAY / 2.0 - RAMP_WIDTH - 4.0),
                    forward: random.chance(0.5),
                }
            })
            .collect();
        let top = PITCH * storey as f32;
        let hole = |ramp: &Ramp| ([ramp.x, ramp.x + RUN], [ramp.z, ramp.z + RAMP_WIDTH]);
        let mut xs = cuts(0.0, side, 3.0);
        let mut zs = xs.clone();
        for (x, z) in ramps.iter().map(hole) {
            xs.extend(x);
            zs.extend(z);
        }
        for cuts in [&mut xs, &mut zs] {
            cuts.sort_by(f32::total_cmp);
            cuts.dedup_by(|b, a| (*b - *a).abs() < 1e-3);
        }
        // Each upper slab is shorter on one side, which makes a terrace.
        let terrace = 1.5 * storey as f32;
        builder.plate(&xs, &zs, [top - SLAB, top], |i, j| {
            let (x, z) = (f32::midpoint(xs[i], xs[i + 1]), f32::midpoint(zs[j], zs[j + 1]));
            x > terrace
                && !ramps.iter().map(hole).any(|(hx, hz)| x > hx[0] && x < hx[1] && z > hz[0] && z < hz[1])
        });
        for ramp in &ramps {
            let (low, high) = if ramp.forward { (ramp.x, ramp.x + RUN) } else { (ramp.x + RUN, ramp.x) };
            builder.ramp(
                Axis::X,
                Vec3::new(low, top - PITCH, ramp.z),
                Vec3::new(high, top, ramp.z + RAMP_WIDTH),
                SLAB,
            );
            // A rail along each side of the hole.
            for z in [ramp.z - 0.2, ramp.z + RAMP_WIDTH] {
                builder.cuboid(Vec3::new(ramp.x, top, z), Vec3::new(ramp.x + RUN, top + 1.0, z + 0.2));
            }
        }
        columns(&mut builder, side, top, &ramps, &mut random);
    }
    builder
}

/// Columns under the slab at `top`, kept clear of its ramps.
fn columns(builder: &mut Builder, side: f32, top: f32, ramps: &[Ramp], random: &mut Random) {
    for &x in &cuts(4.5, side - 1.5, 6.0) {
        for &z in &cuts(1.5, side - 1.5, 6.0) {
            let clear = |ramp: &Ramp| {
                x > ramp.x + RUN + 2.0
                    || x < ramp.x - 2.0
                    || z > ramp.z + RAMP_WIDTH + 1.0
                    || z < ramp.z - 1.0
            };
            let half = random.range(0.2, 0.35);
            if ramps.iter().all(clear) {
                let low = Vec3::new(x - half, top - PITCH - 0.1, z - half);
                builder.cuboid(low, Vec3::new(x + half, top - 0.1, z + half));
            }
        }
    }
}
