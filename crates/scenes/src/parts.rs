//! Parts of buildings and plants: furniture, railings, stairs, walls with openings, round solids,
//! panels.

use glam::Vec3;

use crate::builder::{Axis, Builder, cuts, level, real, sin_cos};

/// A piece of furniture: boxes `[x0, x1, y0, y1, z0, z1]` in metres. It stands on y = 0, with its
/// back at z = 0 and its left end at x = 0.
type Boxes = &'static [[f32; 6]];

pub(crate) const CHAIR: Boxes = &[
    [0.0, 0.45, 0.42, 0.46, 0.0, 0.45],
    [0.0, 0.45, 0.46, 0.9, 0.0, 0.04],
    [0.1, 0.35, 0.0, 0.42, 0.1, 0.35],
];
pub(crate) const TABLE: Boxes =
    &[[0.0, 1.4, 0.71, 0.75, 0.0, 0.8], [0.05, 0.1, 0.0, 0.71, 0.1, 0.7], [1.3, 1.35, 0.0, 0.71, 0.1, 0.7]];
pub(crate) const BED: Boxes =
    &[[0.0, 0.9, 0.08, 0.45, 0.03, 2.0], [0.0, 0.9, 0.0, 0.9, 0.0, 0.03], [0.15, 0.75, 0.45, 0.55, 0.1, 0.5]];
pub(crate) const WARDROBE: Boxes = &[[0.0, 1.2, 0.0, 2.0, 0.0, 0.57], [0.0, 1.2, 2.0, 2.05, 0.0, 0.6]];
pub(crate) const SOFA: Boxes =
    &[[0.0, 1.9, 0.05, 0.42, 0.0, 0.9], [0.0, 1.9, 0.42, 0.8, 0.0, 0.2], [0.0, 0.18, 0.42, 0.6, 0.2, 0.9]];
pub(crate) const DESK: Boxes =
    &[[0.0, 1.2, 0.7, 0.74, 0.0, 0.6], [0.0, 0.04, 0.0, 0.7, 0.02, 0.58], [0.76, 1.16, 0.0, 0.7, 0.02, 0.58]];
pub(crate) const KITCHEN: Boxes =
    &[[0.0, 2.4, 0.08, 0.86, 0.0, 0.56], [0.0, 2.4, 0.86, 0.9, 0.0, 0.6], [0.0, 2.4, 1.45, 2.1, 0.0, 0.33]];
pub(crate) const BENCH: Boxes = &[[0.1, 1.7, 0.0, 0.4, 0.05, 0.5], [0.0, 1.8, 0.4, 0.44, 0.08, 0.5]];
pub(crate) const MACHINE: Boxes = &[[0.0, 0.9, 0.0, 1.9, 0.0, 0.7], [0.1, 0.6, 1.15, 1.55, 0.7, 0.72]];
pub(crate) const CAR: Boxes = &[[0.0, 4.2, 0.25, 0.9, 0.0, 1.8], [0.9, 3.4, 0.9, 1.45, 0.15, 1.65]];

/// A railing: heights of its rails, distance of its posts, radius and corners of both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Railing(&'static [f32], f32, f32, usize);

pub(crate) const HOUSE_RAILING: Railing = Railing(&[0.5, 0.95], 1.2, 0.025, 5);
pub(crate) const STEEL_RAILING: Railing = Railing(&[0.55, 1.1], 1.6, 0.025, 6);

/// A straight flight along x, from (0, 0) to its run and its rise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flight {
    /// Number of risers; there is one tread less.
    pub(crate) risers: usize,
    pub(crate) riser: f32,
    pub(crate) tread: f32,
    pub(crate) width: f32,
}

impl Flight {
    pub(crate) fn run(&self) -> f32 {
        real(self.risers - 1) * self.tread
    }

    pub(crate) fn rise(&self) -> f32 {
        real(self.risers) * self.riser
    }
}

/// An opening in a wall: its range along the wall, and its range along y.
pub(crate) type Opening = [[f32; 2]; 2];

pub(crate) fn door(at: f32, foot: f32) -> Opening {
    [[at, at + 0.95], [foot, foot + 2.1]]
}

pub(crate) fn window(middle: f32, width: f32, foot: f32) -> Opening {
    let at = middle - width / 2.0;
    [[at, at + width], [foot + 0.9, foot + 2.3]]
}

impl Builder {
    pub(crate) fn item(&mut self, boxes: Boxes, at: Vec3, turns: u8) {
        self.at(at, turns, |builder| {
            for &[x0, x1, y0, y1, z0, z1] in boxes {
                // Boxes that stand on the floor reach a little into it.
                let foot = if y0 > 0.0 { y0 } else { -0.01 };
                builder.block([x0, x1], [foot, y1], [z0, z1]);
            }
        });
    }

    /// A railing along corners in plan at one height.
    pub(crate) fn level_railing(&mut self, y: f32, corners: &[[f32; 2]], railing: Railing) {
        let path: Vec<Vec3> = corners.iter().map(|&[x, z]| Vec3::new(x, y, z)).collect();
        self.railing(&path, railing);
    }

    pub(crate) fn railing(&mut self, path: &[Vec3], Railing(rails, every, radius, sides): Railing) {
        let top = Vec3::Y * rails.last().copied().unwrap_or(0.0);
        for (piece, ends) in path.windows(2).enumerate() {
            let (from, to) = (ends[0], ends[1]);
            for (index, part) in cuts(0.0, 1.0, every / from.distance(to).max(0.01)).into_iter().enumerate() {
                // The post at a corner belongs to the piece before it.
                if piece == 0 || index > 0 {
                    let foot = from.lerp(to, part);
                    self.cylinder(foot - Vec3::Y * 0.02, foot + top, radius, sides);
                }
            }
            for &height in rails {
                self.cylinder(from + Vec3::Y * height, to + Vec3::Y * height, radius, sides);
            }
        }
    }

    /// Treads on a slope below them.
    pub(crate) fn flight(&mut self, flight: &Flight) {
        for step in 0..flight.risers - 1 {
            let (x, top) =
                ([real(step), real(step + 1)].map(|step| step * flight.tread), real(step + 1) * flight.riser);
            let z = [0.0, flight.width];
            let under = crate::builder::rectangle(x, z, |at, _| {
                top - 0.15 - if at < x[1] { flight.riser } else { 0.0 }
            });
            self.hexahedron(under, level(x, z, top));
        }
    }

    /// A flight with railings on both sides.
    pub(crate) fn railed_flight(&mut self, flight: &Flight, railing: Railing) {
        self.flight(flight);
        for z in [0.03, flight.width - 0.03] {
            let nosing = [Vec3::new(0.0, flight.riser, z), Vec3::new(flight.run(), flight.rise(), z)];
            self.railing(&nosing, railing);
        }
    }

    /// Builds a flight, a landing, and a flight back, with a gap between the flights.
    pub(crate) fn dogleg(&mut self, half: &Flight, gap: f32, landing: f32, railing: Railing) {
        let (run, rise, across) = (half.run(), half.rise(), 2.0 * half.width + gap);
        self.block([run, run + landing], [rise - 0.15, rise], [0.0, across]);
        self.railed_flight(half, railing);
        self.at(Vec3::new(run, rise, across), 2, |builder| builder.railed_flight(half, railing));
    }

    /// A wall with openings, which are in order along it.
    pub(crate) fn wall(
        &mut self,
        axis: Axis,
        run: [f32; 2],
        across: [f32; 2],
        y: [f32; 2],
        openings: &[Opening],
    ) {
        let mut piece = |along: [f32; 2], y: [f32; 2]| {
            if along[1] - along[0] > 1e-3 && y[1] - y[0] > 1e-3 {
                self.slab(axis, along, across, y);
            }
        };
        let mut start = run[0];
        for &[along, [low, high]] in openings {
            piece([start, along[0]], y);
            piece(along, [high, y[1]]);
            piece(along, [y[0], low]);
            start = along[1];
        }
        piece([start, run[1]], y);
    }

    /// A closed cone between two circles.
    pub(crate) fn frustum(&mut self, from: Vec3, to: Vec3, radii: [f32; 2], sides: usize) {
        let along = (to - from).normalize_or(Vec3::Y);
        let helper = if along.y.abs() < 0.9 { Vec3::Y } else { Vec3::X };
        let u = helper.cross(along).normalize_or(Vec3::X);
        let v = along.cross(u);
        let mut ring = |centre: Vec3, radius: f32| -> Vec<u32> {
            let corner = |side: usize| {
                let (sine, cosine) = sin_cos(f64::from(real(side)) / f64::from(real(sides)));
                centre + (u * cosine + v * sine) * radius
            };
            (0..sides).map(|side| self.push(corner(side))).collect()
        };
        let (low, high) = (ring(from, radii[0]), ring(to, radii[1]));
        for side in 0..sides {
            let next = (side + 1) % sides;
            self.triangle([low[side], low[next], high[next]]);
            self.triangle([low[side], high[next], high[side]]);
            if side > 0 && next > 0 {
                self.triangle([low[0], low[next], low[side]]);
                self.triangle([high[0], high[side], high[next]]);
            }
        }
    }

    pub(crate) fn cylinder(&mut self, from: Vec3, to: Vec3, radius: f32, sides: usize) {
        self.frustum(from, to, [radius; 2], sides);
    }

    /// Raised panels of a size on a rectangle that `along` and `up` span from a corner. They face
    /// towards `along x up`.
    pub(crate) fn panels(&mut self, corner: Vec3, along: Vec3, up: Vec3, size: [f32; 2]) {
        let out = along.cross(up).normalize_or(Vec3::Y);
        let (length, height) = (along.length(), up.length());
        let [u, v] = [along / length, up / height];
        for x in cuts(0.0, length, size[0]).windows(2) {
            for y in cuts(0.0, height, size[1]).windows(2) {
                let mut ring = |inset: f32, raised: f32| {
                    [
                        (x[0] + inset, y[0] + inset),
                        (x[1] - inset, y[0] + inset),
                        (x[1] - inset, y[1] - inset),
                        (x[0] + inset, y[1] - inset),
                    ]
                    .map(|(x, y)| self.push(corner + u * x + v * y + out * raised))
                };
                let (foot, face) = (ring(0.005, 0.002), ring(0.01, 0.008));
                self.triangle([face[0], face[1], face[2]]);
                self.triangle([face[0], face[2], face[3]]);
                for side in 0..4 {
                    let next = (side + 1) % 4;
                    self.triangle([foot[side], foot[next], face[next]]);
                    self.triangle([foot[side], face[next], face[side]]);
                }
            }
        }
    }

    /// A tree: a trunk, and a crown of two cones.
    pub(crate) fn tree(&mut self, foot: Vec3, height: f32) {
        let up = |share: f32| foot + Vec3::Y * (height * share);
        self.frustum(foot - Vec3::Y * 0.2, up(0.5), [0.2, 0.1], 8);
        self.frustum(up(0.4), up(0.8), [1.2, 0.8], 12);
        self.frustum(up(0.8), up(1.0), [0.8, 0.1], 12);
    }

    /// A plate between heights, cut into squares, with rectangular openings.
    pub(crate) fn open_plate(
        &mut self,
        plan: [[f32; 2]; 2],
        y: [f32; 2],
        openings: &[[[f32; 2]; 2]],
        square: f32,
    ) {
        let [xs, zs] = [0, 1].map(|axis| {
            let mut lines = cuts(plan[axis][0], plan[axis][1], square);
            let edges: Vec<f32> = openings.iter().flat_map(|opening| opening[axis]).collect();
            // Lines next to the edge of an opening would make slivers.
            lines.retain(|line| edges.iter().all(|edge| (edge - line).abs() > 0.05));
            lines.extend(edges.iter().filter(|edge| **edge > plan[axis][0] && **edge < plan[axis][1]));
            lines.extend(plan[axis]);
            lines.sort_by(f32::total_cmp);
            lines.dedup_by(|b, a| (*b - *a).abs() < 1e-3);
            lines
        });
        self.plate(&xs, &zs, y, |i, j| {
            let (x, z) = (f32::midpoint(xs[i], xs[i + 1]), f32::midpoint(zs[j], zs[j + 1]));
            !openings.iter().any(|[px, pz]| x > px[0] && x < px[1] && z > pz[0] && z < pz[1])
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(build: impl FnOnce(&mut Builder)) -> f32 {
        let mut builder = Builder::default();
        build(&mut builder);
        builder.finish().finite_triangles().map(|[a, b, c]| a.dot(b.cross(c))).sum::<f32>() / 6.0
    }

    #[test]
    fn round_solids_are_closed_and_look_outward() {
        for to in [Vec3::Y * 2.0, Vec3::X * 2.0, Vec3::new(0.0, 1.2, -1.6)] {
            let origin = Vec3::new(1.0, 2.0, 3.0);
            let found = volume(|builder| builder.cylinder(origin, origin + to, 0.5, 64));
            assert!((found - std::f32::consts::PI * 0.5).abs() < 0.01, "{to}: {found}");
        }
    }

    #[test]
    fn a_wall_has_the_volume_that_its_openings_leave() {
        let openings = [door(1.0, 0.0), window(4.0, 1.4, 0.0)];
        let expected = (6.0 * 3.0 - 0.95 * 2.1 - 1.4 * 1.4) * 0.3;
        for axis in [Axis::X, Axis::Z] {
            let found = volume(|builder| builder.wall(axis, [0.0, 6.0], [0.0, 0.3], [0.0, 3.0], &openings));
            assert!((found - expected).abs() < 1e-3, "{axis:?}: {found} {expected}");
        }
    }

    #[test]
    fn a_dogleg_climbs_its_rise_in_equal_steps() {
        let half = Flight { risers: 9, riser: 1.5 / 9.0, tread: 0.28, width: 1.3 };
        let mut builder = Builder::default();
        builder.dogleg(&half, 0.2, 1.2, HOUSE_RAILING);
        let mut tops: Vec<f32> = builder
            .finish()
            .finite_triangles()
            .filter(|[a, b, c]| (b.y - a.y).abs() < 1e-6 && (c.y - a.y).abs() < 1e-6)
            .filter(|[a, b, c]| (b - a).cross(c - a).y > 0.1)
            .map(|[a, ..]| a.y)
            .collect();
        tops.sort_by(f32::total_cmp);
        tops.dedup_by(|b, a| (*b - *a).abs() < 1e-4);
        // Eight treads, the landing, eight treads.
        assert_eq!(tops.len(), 17);
        for (step, top) in tops.iter().enumerate() {
            assert!((top - real(step + 1) * half.riser).abs() < 1e-4, "step {step} at {top}");
        }
    }

    #[test]
    fn panels_face_where_both_sides_turn() {
        let mut builder = Builder::default();
        builder.panels(Vec3::ZERO, Vec3::X * 3.0, Vec3::Y * 2.0, [0.5, 0.4]);
        let soup = builder.finish();
        assert_eq!(soup.triangles().len(), 300);
        assert!(soup.finite_triangles().all(|[a, b, c]| (b - a).cross(c - a).z > 0.0));
    }
}
