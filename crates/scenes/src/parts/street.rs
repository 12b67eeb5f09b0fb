//! Trees, lamps, cars and bins for streets and parks.

use glam::Vec3;
use waymesh_core::Random;

use crate::builder::{Builder, level};

impl Builder {
    /// A tree: a trunk, branches, and crowns that are taller than wide, so that hardly any part is
    /// walkable. All trees have the same number of triangles.
    pub(crate) fn tree(&mut self, foot: Vec3, random: &mut Random) {
        let height = random.range(6.0, 10.0);
        let fork = foot + Vec3::Y * (height * 0.4);
        self.frustum(foot - Vec3::Y * 0.2, fork, [0.2, 0.13], 7);
        for branch in 0..3_u8 {
            let (sine, cosine) = crate::angles::sin_cos(f64::from(branch) / 3.0 + random.unit_f64() * 0.2);
            let reach = random.range(0.5, 0.9);
            let end = fork + Vec3::new(cosine * reach, height * 0.15, sine * reach);
            self.frustum(fork - Vec3::Y * 0.1, end, [0.1, 0.05], 5);
            let crown =
                Vec3::new(random.range(0.9, 1.2), height * random.range(0.24, 0.3), random.range(0.9, 1.2));
            self.ellipsoid(end + Vec3::Y * (crown.y * 0.6), crown, 6, 5);
        }
    }

    /// A street lamp whose arm reaches over the street in the direction of its own +x.
    pub(crate) fn lamp(&mut self, foot: Vec3, turns: u8) {
        self.at(foot, turns, |builder| {
            builder.frustum(Vec3::new(0.0, -0.1, 0.0), Vec3::Y * 0.9, [0.11, 0.09], 10);
            builder.frustum(Vec3::Y * 0.9, Vec3::Y * 6.0, [0.07, 0.05], 10);
            builder.cylinder(Vec3::Y * 5.9, Vec3::new(1.4, 6.3, 0.0), 0.04, 8);
            builder.block([1.3, 1.9], [6.25, 6.37], [-0.14, 0.14]);
        });
    }

    /// A car of 4.2 m by 1.8 m with its middle at `at` and, before it is turned, its length along
    /// x.
    pub(crate) fn car(&mut self, at: Vec3, turns: u8) {
        self.at(at, turns, |builder| {
            let ring = |x: [f32; 2], z: f32, y: f32| level(x, [-z, z], y);
            builder.hexahedron(ring([-2.05, 2.05], 0.85, 0.25), ring([-2.1, 2.1], 0.9, 0.6));
            builder.hexahedron(ring([-2.1, 2.1], 0.9, 0.6), ring([-2.0, 1.9], 0.82, 0.9));
            builder.hexahedron(ring([-1.6, 0.9], 0.8, 0.9), ring([-1.0, 0.25], 0.62, 1.45));
            for x in [-1.35, 1.35] {
                for z in [-0.92, 0.72] {
                    builder.cylinder(Vec3::new(x, 0.32, z), Vec3::new(x, 0.32, z + 0.2), 0.32, 12);
                }
            }
            for z in [-0.98, 0.9] {
                builder.block([0.55, 0.7], [0.9, 1.02], [z, z + 0.08]);
            }
        });
    }

    /// A litter bin.
    pub(crate) fn bin(&mut self, foot: Vec3) {
        self.frustum(foot - Vec3::Y * 0.01, foot + Vec3::Y * 0.8, [0.18, 0.22], 12);
        self.cylinder(foot + Vec3::Y * 0.8, foot + Vec3::Y * 0.84, 0.24, 12);
    }
}
