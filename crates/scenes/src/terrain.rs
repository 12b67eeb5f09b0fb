//! Hills and boulders.

use glam::Vec3;
use waymesh_core::Random;

use crate::builder::Builder;

/// Side of the terrain in metres at scale 1, with one quad per metre.
const SIDE: u32 = 120;
const BOULDERS: u32 = 36;

/// Wavelength and height of each layer of noise, in metres. Slopes are walkable nearly everywhere.
const LAYERS: [(f32, f32); 3] = [(48.0, 9.0), (19.0, 3.0), (7.0, 0.6)];

pub(crate) fn build(seed: u64, scale: u32) -> Builder {
    let mut random = Random::new(seed);
    let mut builder = Builder::default();
    let side = SIDE * scale;
    for z in 0..=side {
        for x in 0..=side {
            let (x, z) = (x as f32, z as f32);
            builder.push(Vec3::new(x, height(seed, x, z), z));
        }
    }
    let row = side + 1;
    for z in 0..side {
        for x in 0..side {
            let corner = z * row + x;
            builder.triangle([corner, corner + row, corner + row + 1]);
            builder.triangle([corner, corner + row + 1, corner + 1]);
        }
    }
    for _ in 0..BOULDERS * scale * scale {
        let (x, z) = (random.range(3.0, side as f32 - 3.0), random.range(3.0, side as f32 - 3.0));
        boulder(&mut builder, Vec3::new(x, height(seed, x, z), z), &mut random);
    }
    builder
}

/// Smooth noise: random values on a lattice, blended by a cubic (Perlin 1985, An Image Synthesizer,
/// without the gradients).
fn height(seed: u64, x: f32, z: f32) -> f32 {
    LAYERS
        .iter()
        .zip(0_u64..)
        .map(|(&(length, amplitude), layer)| {
            let (u, v) = (x / length, z / length);
            let (i, j) = (u.floor(), v.floor());
            let blend = |t: f32| t * t * (3.0 - 2.0 * t);
            let (s, t) = (blend(u - i), blend(v - j));
            let value = |di: f32, dj: f32| lattice(seed, layer, i + di, j + dj);
            let near = value(0.0, 0.0) + (value(1.0, 0.0) - value(0.0, 0.0)) * s;
            let far = value(0.0, 1.0) + (value(1.0, 1.0) - value(0.0, 1.0)) * s;
            amplitude * (near + (far - near) * t)
        })
        .sum()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "lattice coordinates are small whole numbers from 0"
)]
fn lattice(seed: u64, layer: u64, i: f32, j: f32) -> f32 {
    Random::new(Random::mix(seed ^ (layer << 60)) ^ ((i as u64) << 32 | j as u64)).unit()
}

/// Builds a dented octahedron, each face cut in four, half sunk into the ground.
fn boulder(builder: &mut Builder, centre: Vec3, random: &mut Random) {
    let size = Vec3::new(random.range(0.6, 2.2), random.range(0.6, 1.8), random.range(0.6, 2.2));
    // Vertices by direction: the six ends of the axes and the twelve midpoints between them. Each
    // is dented once.
    let mut vertices: Vec<(Vec3, u32)> = Vec::new();
    let mut vertex = |builder: &mut Builder, direction: Vec3| {
        if let Some(&(_, index)) = vertices.iter().find(|(known, _)| *known == direction) {
            return index;
        }
        let index = builder.push(centre + direction.normalize() * size * random.range(0.8, 1.1));
        vertices.push((direction, index));
        index
    };
    for octant in 0..8_u8 {
        let sign = |bit: u8| if octant >> bit & 1 == 0 { 1.0 } else { -1.0 };
        let [a, b, c] = [Vec3::X * sign(0), Vec3::Y * sign(1), Vec3::Z * sign(2)];
        let [ab, bc, ca] = [a + b, b + c, c + a];
        for corners in [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]] {
            let [p, q, r] = corners.map(|direction| vertex(builder, direction));
            // An odd number of mirrored axes turns the face inside out.
            builder.triangle(if octant.count_ones() % 2 == 0 { [p, q, r] } else { [p, r, q] });
        }
    }
}
