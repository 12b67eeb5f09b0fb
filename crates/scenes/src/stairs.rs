//! Winding stairs.

use glam::Vec3;
use waymesh_core::Random;

use crate::builder::{Builder, sin_cos};

/// Height of a step in metres.
const RISE: f32 = 0.2;
const STEPS_PER_TURN: usize = 20;
/// Number of steps, for two and a half turns.
const STEPS: usize = 50;
/// The step that is a landing, and its width in steps.
const LANDING: (usize, usize) = (25, 4);
const THICKNESS: f32 = 0.3;
const POLE: f32 = 0.4;
const OUTER: f32 = 3.4;
/// Side of the ground that one tower stands on.
const GROUND: f32 = 20.0;
/// Straight pieces of a step's outer edge.
const PIECES: usize = 2;

pub(crate) fn build(seed: u64, scale: u32) -> Builder {
    let mut random = Random::new(seed);
    let mut builder = Builder::default();
    let side = GROUND * scale as f32;
    builder.floor([0.0; 2], [side; 2], 0.0, 2.0);
    for tower in 0..scale * scale {
        let centre =
            [tower % scale, tower / scale].map(|slot| (slot as f32 + 0.5) * GROUND + random.range(-1.0, 1.0));
        spiral(&mut builder, Vec3::new(centre[0], 0.0, centre[1]), f64::from(random.unit()));
    }
    builder
}

/// The height of one turn less the thickness of a step leaves 3.7 m of headroom.
fn spiral(builder: &mut Builder, centre: Vec3, start: f64) {
    let turn = 1.0 / STEPS_PER_TURN as f64;
    let mut at = start;
    for step in 0..STEPS {
        let top = RISE * (step + 1) as f32;
        let wide = if step == LANDING.0 { LANDING.1 } else { 1 };
        for _ in 0..wide * PIECES {
            let next = at + turn / PIECES as f64;
            sector(builder, centre, [at, next], [POLE, OUTER], [top - THICKNESS, top]);
            // A parapet, left open where the stairs begin and at the landing.
            if step > 2 && wide == 1 && step + 1 < STEPS {
                sector(builder, centre, [at, next], [OUTER - 0.15, OUTER], [top, top + 1.0]);
            }
            at = next;
        }
    }
    let top = RISE * STEPS as f32;
    for slice in 0..12 {
        let ends = [slice, slice + 1].map(|slice| f64::from(slice) / 12.0);
        sector(builder, centre, ends, [0.05, POLE], [-0.1, top + 1.2]);
    }
    // The platform on top continues the last step: outward, over a sixth of a turn.
    for slice in 0..4 {
        let ends = [slice, slice + 1].map(|slice| at + f64::from(slice) / 24.0);
        sector(builder, centre, ends, [POLE, OUTER + 2.5], [top - THICKNESS, top]);
    }
}

/// Builds a piece of a ring with straight edges: turns `ends`, radii `radii`, heights `y`.
fn sector(builder: &mut Builder, centre: Vec3, ends: [f64; 2], radii: [f32; 2], y: [f32; 2]) {
    let corner = |turns: f64, radius: f32, y: f32| {
        let (sine, cosine) = sin_cos(turns);
        centre + Vec3::new(cosine * radius, y, sine * radius)
    };
    let ring = |y: f32| {
        [
            corner(ends[0], radii[0], y),
            corner(ends[1], radii[0], y),
            corner(ends[1], radii[1], y),
            corner(ends[0], radii[1], y),
        ]
    };
    builder.hexahedron(ring(y[0]), ring(y[1]));
}
