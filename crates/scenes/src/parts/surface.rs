//! Tiled walls, paving and ceilings.

use glam::Vec3;

use crate::builder::{Builder, cuts, level, real};

/// Height of tiles above the wall, and width of the joints between them.
const RAISED: f32 = 0.008;
const JOINT: f32 = 0.01;

impl Builder {
    /// Tiles of about `size` on a wall that faces `out`, from `corner` along `along` and up: each
    /// has a face and four bevels, ten triangles.
    pub(crate) fn wall_tiles(&mut self, corner: Vec3, along: Vec3, area: [f32; 2], size: [f32; 2]) {
        let across = cuts(0.0, area[0], size[0]);
        let up = cuts(0.0, area[1], size[1]);
        // Seen from the front, x to the right and y up: the front is towards `along x up`.
        let out = along.cross(Vec3::Y);
        for x in across.windows(2) {
            for y in up.windows(2) {
                let point = |x: f32, y: f32, z: f32| corner + along * x + Vec3::Y * y + out * (0.002 + z);
                let (j, b) = (JOINT / 2.0, JOINT);
                let foot = [
                    point(x[0] + j, y[0] + j, 0.0),
                    point(x[1] - j, y[0] + j, 0.0),
                    point(x[1] - j, y[1] - j, 0.0),
                    point(x[0] + j, y[1] - j, 0.0),
                ];
                let face = [
                    point(x[0] + b, y[0] + b, RAISED),
                    point(x[1] - b, y[0] + b, RAISED),
                    point(x[1] - b, y[1] - b, RAISED),
                    point(x[0] + b, y[1] - b, RAISED),
                ];
                self.raised(foot, face);
            }
        }
    }

    /// A face and the four bevels around it; both rings run counter-clockwise seen from the front.
    pub(crate) fn raised(&mut self, foot: [Vec3; 4], face: [Vec3; 4]) {
        let foot = foot.map(|corner| self.push(corner));
        let face = face.map(|corner| self.push(corner));
        self.triangle([face[0], face[1], face[2]]);
        self.triangle([face[0], face[2], face[3]]);
        for side in 0..4 {
            let next = (side + 1) % 4;
            self.triangle([foot[side], foot[next], face[next]]);
            self.triangle([foot[side], face[next], face[side]]);
        }
    }

    /// Tactile paving, flush with the floor except for its ribs: `ribs` along x for each flag of
    /// `size`.
    pub(crate) fn tactile(&mut self, x: [f32; 2], z: [f32; 2], y: f32, size: f32, ribs: usize) {
        for ends in cuts(x[0], x[1], size).windows(2) {
            for rib in 0..ribs {
                let pitch = (z[1] - z[0]) / real(ribs);
                let low = z[0] + pitch * (real(rib) + 0.25);
                let high = low + pitch * 0.5;
                let ring = |inset: f32, y: f32| {
                    let x = [ends[0] + 0.02 + inset, ends[1] - 0.02 - inset];
                    level(x, [low + inset, high - inset], y)
                };
                self.raised(ring(0.0, y), ring(0.006, y + 0.005));
            }
        }
    }

    /// A ceiling of panels that hang below `y` and face down, seen from within the room: nothing is
    /// above it.
    pub(crate) fn ceiling(&mut self, x: [f32; 2], z: [f32; 2], y: f32, size: f32) {
        let (xs, zs) = (cuts(x[0], x[1], size), cuts(z[0], z[1], size));
        for x in xs.windows(2) {
            for z in zs.windows(2) {
                // Seen from below: the other way round.
                let ring = |inset: f32, y: f32| {
                    let [a, b, c, d] = level([x[0] + inset, x[1] - inset], [z[0] + inset, z[1] - inset], y);
                    [a, d, c, b]
                };
                self.raised(ring(0.0, y), ring(0.04, y - 0.03));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_face_into_the_room() {
        let facing = |build: &dyn Fn(&mut Builder), out: Vec3| {
            let mut builder = Builder::default();
            build(&mut builder);
            let soup = builder.finish();
            assert!(soup.triangles().len() >= 10);
            for [a, b, c] in soup.finite_triangles() {
                assert!((b - a).cross(c - a).dot(out) > 0.0);
            }
        };
        facing(&|builder| builder.ceiling([0.0, 2.0], [0.0, 3.0], 3.0, 1.0), Vec3::NEG_Y);
        facing(&|builder| builder.tactile([0.0, 2.0], [0.0, 0.4], 1.0, 0.4, 4), Vec3::Y);
        facing(&|builder| builder.wall_tiles(Vec3::ZERO, Vec3::X, [3.0, 2.0], [0.5, 0.3]), Vec3::Z);
        facing(&|builder| builder.wall_tiles(Vec3::ZERO, Vec3::NEG_X, [3.0, 2.0], [0.5, 0.3]), Vec3::NEG_Z);
    }
}
