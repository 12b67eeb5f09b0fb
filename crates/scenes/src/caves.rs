//! Caves: chambers, and tunnels that wind over and under each other through rock.

use std::collections::HashMap;

use glam::Vec3;
use waymesh_core::Random;

use crate::builder::{Builder, in_bays};

/// Side of one bay in metres, and its height.
const BAY: f32 = 48.0;
const TOP: f32 = 16.0;
/// Height of the lowest place.
const BOTTOM: f32 = -4.0;
/// Side of the cubes into which the rock is cut.
const STEP: f32 = 1.0;
/// Factor by which a floor is flatter than a vault.
const FLATTER: f32 = 2.2;
/// Height of the bulges of the rock.
const ROUGHNESS: f32 = 0.35;

/// A straight tunnel between two places, or a chamber if both are the same.
struct Tunnel {
    ends: [Vec3; 2],
    radius: f32,
}

/// Axes of the tunnels. The long tunnel ends where it began, and crosses itself 8 m higher; another
/// tunnel goes down to a chamber under both.
const LOOP: [[f32; 3]; 9] = [
    [8.0, 0.0, 8.0],
    [18.0, 0.5, 20.0],
    [32.0, 1.5, 30.0],
    [41.0, 4.0, 20.0],
    [34.0, 6.5, 9.0],
    [24.0, 8.0, 15.0],
    [10.0, 8.5, 34.0],
    [6.0, 6.0, 24.0],
    [8.0, 0.0, 8.0],
];
const BRANCH: [[f32; 3]; 4] = [[32.0, 1.5, 30.0], [38.0, 0.5, 40.0], [24.0, -0.5, 41.0], [10.0, 0.0, 33.0]];
const CHAMBERS: [([f32; 3], f32); 3] =
    [([41.0, 4.5, 20.0], 5.5), ([24.0, 0.0, 41.0], 5.0), ([10.0, 8.8, 34.0], 5.0)];

pub(crate) fn build(seed: u64, scale: u32) -> Builder {
    in_bays(seed, scale, BAY, bay_of)
}

fn bay_of(builder: &mut Builder, random: &mut Random) {
    let mut tunnels = Vec::new();
    for line in [LOOP.as_slice(), BRANCH.as_slice()] {
        for pair in line.windows(2) {
            let ends = [pair[0], pair[1]].map(Vec3::from_array);
            tunnels.push(Tunnel { ends, radius: random.range(2.6, 3.2) });
        }
    }
    for (centre, radius) in CHAMBERS {
        tunnels
            .push(Tunnel { ends: [Vec3::from_array(centre); 2], radius: radius + random.range(-0.5, 0.5) });
    }
    let noise = random.bits();
    Rock { tunnels, noise, vertices: HashMap::new() }.carve(builder);
    // The hill above.
    builder.floor([0.0, 0.0], [BAY, BAY], TOP + 2.0, 4.0);
}

struct Rock {
    tunnels: Vec<Tunnel>,
    noise: u64,
    /// The vertex on each edge between two places of the lattice.
    vertices: HashMap<[[i16; 3]; 2], u32>,
}

/// Paths along the axes from a corner of a cube to the opposite corner. Each makes a tetrahedron of
/// four corners, and all six fill the cube, so that cubes fit together (Kuhn's subdivision).
const WAYS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

impl Rock {
    /// Depth of a place in the rock; below 0 in the air.
    fn depth(&self, place: [i16; 3]) -> f32 {
        let point = position(place);
        let away = |tunnel: &Tunnel| {
            let [from, to] = tunnel.ends;
            let along = to - from;
            let share = (point - from).dot(along) / along.length_squared().max(1e-6);
            let mut off = point - (from + along * share.clamp(0.0, 1.0));
            if off.y < 0.0 {
                off.y *= FLATTER;
            }
            off.length() - tunnel.radius
        };
        let nearest = self.tunnels.iter().map(away).fold(f32::INFINITY, f32::min);
        let [x, y, z] = place.map(|value| u64::from(value.cast_unsigned()));
        nearest + ROUGHNESS * (2.0 * Random::new(self.noise ^ (x | y << 16 | z << 32)).unit() - 1.0)
    }

    /// Builds the surface where the depth changes its sign, by marching tetrahedra.
    fn carve(mut self, builder: &mut Builder) {
        #[expect(clippy::cast_possible_truncation, reason = "a few dozen cubes")]
        let cubes = |metres: f32| (metres / STEP) as i16;
        for x in 0..cubes(BAY) {
            for y in cubes(BOTTOM)..cubes(TOP) {
                for z in 0..cubes(BAY) {
                    for way in WAYS {
                        let mut corner = [x, y, z];
                        let mut corners = [corner; 4];
                        for (axis, next) in way.into_iter().zip(1..) {
                            corner[axis] += 1;
                            corners[next] = corner;
                        }
                        self.tetrahedron(builder, corners);
                    }
                }
            }
        }
    }

    fn tetrahedron(&mut self, builder: &mut Builder, corners: [[i16; 3]; 4]) {
        let corners = corners.map(|corner| (corner, self.depth(corner)));
        let (air, rock): (Vec<_>, Vec<_>) = corners.into_iter().partition(|corner| corner.1 < 0.0);
        let ring: Vec<[usize; 2]> = match (air.len(), rock.len()) {
            (1, 3) => vec![[0, 0], [0, 1], [0, 2]],
            (2, 2) => vec![[0, 0], [0, 1], [1, 1], [1, 0]],
            (3, 1) => vec![[0, 0], [1, 0], [2, 0]],
            _ => return,
        };
        let found: Vec<(u32, Vec3)> =
            ring.into_iter().map(|[one, other]| self.vertex(builder, air[one], rock[other])).collect();
        for last in 2..found.len() {
            let [a, b, c] = [found[0], found[last - 1], found[last]];
            // The front of a triangle faces the air.
            let faces_air = (b.1 - a.1).cross(c.1 - a.1).dot(position(air[0].0) - a.1) > 0.0;
            builder.triangle(if faces_air { [a.0, b.0, c.0] } else { [a.0, c.0, b.0] });
        }
    }

    fn vertex(&mut self, builder: &mut Builder, air: ([i16; 3], f32), rock: ([i16; 3], f32)) -> (u32, Vec3) {
        // The vertex is not too near to either end, so that no triangle is a sliver.
        let share = (air.1 / (air.1 - rock.1)).clamp(0.1, 0.9);
        let point = position(air.0).lerp(position(rock.0), share);
        let index = *self.vertices.entry([air.0, rock.0]).or_insert_with(|| builder.push(point));
        (index, point)
    }
}

fn position(place: [i16; 3]) -> Vec3 {
    Vec3::from_array(place.map(f32::from)) * STEP
}
