//! Railings, level or along a slope.

use glam::Vec3;

use crate::builder::{Builder, cuts};

/// Form of a railing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Railing {
    /// Heights of the rails above the path; the last is the handrail.
    pub(crate) rails: &'static [f32],
    /// Approximate distance between posts.
    pub(crate) every: f32,
    /// Radius of the rails and posts.
    pub(crate) radius: f32,
    pub(crate) sides: usize,
    /// Height of a board at the foot, 0 for none.
    pub(crate) board: f32,
}

impl Railing {
    /// A slender railing for stairs of houses and edges of holes.
    pub(crate) const HOUSE: Self =
        Self { rails: &[0.5, 0.95], every: 1.2, radius: 0.025, sides: 5, board: 0.0 };
    /// A steel railing with a knee rail and a toe board.
    pub(crate) const STEEL: Self =
        Self { rails: &[0.55, 1.1], every: 1.6, radius: 0.025, sides: 6, board: 0.15 };
    /// A polished railing with many bars.
    pub(crate) const STATION: Self =
        Self { rails: &[0.15, 0.35, 0.55, 0.75, 1.05], every: 1.25, radius: 0.022, sides: 10, board: 0.0 };
}

impl Builder {
    /// Builds a railing along corners in plan, all at height `y`.
    pub(crate) fn level_railing(&mut self, y: f32, corners: &[[f32; 2]], railing: &Railing) {
        let path: Vec<Vec3> = corners.iter().map(|&[x, z]| Vec3::new(x, y, z)).collect();
        self.railing(&path, railing);
    }

    /// Posts and rails along `path`, whose points lie on the ground. Posts reach a little into the
    /// ground.
    pub(crate) fn railing(&mut self, path: &[Vec3], railing: &Railing) {
        let Some(&top) = railing.rails.last() else { return };
        for (piece, ends) in path.windows(2).enumerate() {
            let (from, to) = (ends[0], ends[1]);
            let length = from.distance(to);
            for (index, part) in cuts(0.0, 1.0, railing.every / length.max(0.01)).into_iter().enumerate() {
                // The post at a corner belongs to the piece before it.
                if piece == 0 || index > 0 {
                    let foot = from.lerp(to, part);
                    self.cylinder(foot - Vec3::Y * 0.02, foot + Vec3::Y * top, railing.radius, railing.sides);
                }
            }
            for &height in railing.rails {
                let lift = Vec3::Y * height;
                self.cylinder(from + lift, to + lift, railing.radius, railing.sides);
            }
            if railing.board > 0.0 {
                let side = (to - from).cross(Vec3::Y).normalize_or(Vec3::X) * 0.005;
                let ring = |height: f32| {
                    let lift = Vec3::Y * height;
                    [from + side + lift, from - side + lift, to - side + lift, to + side + lift]
                };
                self.hexahedron(ring(-0.01), ring(railing.board));
            }
        }
    }
}
