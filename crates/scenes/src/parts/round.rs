//! Round solids: pipes, cones, tanks. All are closed.

use glam::Vec3;

use crate::angles::sin_cos;
use crate::builder::{Builder, real};

/// Corners of a regular polygon on the unit circle.
fn circle(sides: usize) -> impl Iterator<Item = (f32, f32)> {
    (0..sides).map(move |side| {
        let (sine, cosine) = sin_cos(f64::from(real(side)) / f64::from(real(sides)));
        (cosine, sine)
    })
}

/// Two directions at right angles to `along` and each other, so that `u x v` points along it.
fn across(along: Vec3) -> (Vec3, Vec3) {
    let helper = if along.y.abs() < 0.9 { Vec3::Y } else { Vec3::X };
    let u = helper.cross(along).normalize_or(Vec3::X);
    (u, along.cross(u))
}

/// A quarter of a circle from `from` to `to` around the corner where their tangents `start` and
/// `end` meet; `from` is left out.
pub(crate) fn elbow(path: &mut Vec<Vec3>, corner: Vec3, start: Vec3, end: Vec3, radius: f32, pieces: usize) {
    let centre = corner - start * radius + end * radius;
    for piece in 1..=pieces {
        let (sine, cosine) = sin_cos(0.25 * f64::from(real(piece)) / f64::from(real(pieces)));
        path.push(centre - end * (radius * cosine) + start * (radius * sine));
    }
}

impl Builder {
    fn ring(&mut self, centre: Vec3, (u, v): (Vec3, Vec3), radius: f32, sides: usize) -> u32 {
        let mut first = None;
        for (cosine, sine) in circle(sides) {
            let index = self.push(centre + (u * cosine + v * sine) * radius);
            first.get_or_insert(index);
        }
        first.unwrap_or_default()
    }

    fn band(&mut self, low: u32, high: u32, sides: usize) {
        for side in 0..sides {
            let [i, j] = [side, (side + 1) % sides].map(|side| u32::try_from(side).unwrap_or(0));
            self.triangle([low + i, low + j, high + j]);
            self.triangle([low + i, high + j, high + i]);
        }
    }

    fn caps(&mut self, low: u32, high: u32, sides: usize) {
        for side in 1..sides - 1 {
            let i = u32::try_from(side).unwrap_or(1);
            self.triangle([low, low + i + 1, low + i]);
            self.triangle([high, high + i, high + i + 1]);
        }
    }

    /// A truncated cone from `from` to `to`: `4 * sides - 4` triangles.
    pub(crate) fn frustum(&mut self, from: Vec3, to: Vec3, radii: [f32; 2], sides: usize) {
        let basis = across((to - from).normalize_or(Vec3::Y));
        let low = self.ring(from, basis, radii[0], sides);
        let high = self.ring(to, basis, radii[1], sides);
        self.band(low, high, sides);
        self.caps(low, high, sides);
    }

    pub(crate) fn cylinder(&mut self, from: Vec3, to: Vec3, radius: f32, sides: usize) {
        self.frustum(from, to, [radius; 2], sides);
    }

    /// A bent pipe along `path`, which has at least two points and bends little at each. Use
    /// [`elbow`] for elbows.
    pub(crate) fn tube(&mut self, path: &[Vec3], radius: f32, sides: usize) {
        let direction = |index: usize| {
            let (from, to) = (index.saturating_sub(1), (index + 1).min(path.len() - 1));
            (path[to] - path[from]).normalize_or(Vec3::Y)
        };
        let (mut u, _) = across(direction(0));
        let mut rings = Vec::with_capacity(path.len());
        for (index, &centre) in path.iter().enumerate() {
            let along = direction(index);
            // The ring is moved along the path, so that the pipe has no twist.
            u = (u - along * u.dot(along)).normalize_or(u);
            rings.push(self.ring(centre, (u, along.cross(u)), radius, sides));
        }
        for pair in rings.windows(2) {
            self.band(pair[0], pair[1], sides);
        }
        if let (Some(&low), Some(&high)) = (rings.first(), rings.last()) {
            self.caps(low, high, sides);
        }
    }

    /// A ball stretched to `radii`: `2 * sides * (rings - 1)` triangles.
    pub(crate) fn ellipsoid(&mut self, centre: Vec3, radii: Vec3, sides: usize, rings: usize) {
        let bottom = self.push(centre - Vec3::Y * radii.y);
        let mut previous = None;
        for ring in 1..rings {
            let (sine, cosine) = sin_cos(0.5 * f64::from(real(ring)) / f64::from(real(rings)));
            let mut first = None;
            for (x, z) in circle(sides) {
                // Rings run counter-clockwise seen from above, as bands and caps expect of rings
                // from bottom to top.
                let offset = Vec3::new(z * sine, -cosine, x * sine) * radii;
                let index = self.push(centre + offset);
                first.get_or_insert(index);
            }
            let first = first.unwrap_or_default();
            match previous {
                Some(low) => self.band(low, first, sides),
                None => self.fan(bottom, first, sides, true),
            }
            previous = Some(first);
        }
        let top = self.push(centre + Vec3::Y * radii.y);
        if let Some(last) = previous {
            self.fan(top, last, sides, false);
        }
    }

    fn fan(&mut self, pole: u32, ring: u32, sides: usize, below: bool) {
        for side in 0..sides {
            let [i, j] = [side, (side + 1) % sides].map(|side| ring + u32::try_from(side).unwrap_or(0));
            self.triangle(if below { [pole, j, i] } else { [pole, i, j] });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six times the volume, by the divergence theorem: positive if faces look outward, and correct
    /// only if the solid is closed.
    fn volume(build: impl FnOnce(&mut Builder)) -> f32 {
        let mut builder = Builder::default();
        build(&mut builder);
        builder.finish().finite_triangles().map(|[a, b, c]| a.dot(b.cross(c))).sum::<f32>() / 6.0
    }

    #[test]
    fn round_solids_are_closed_and_look_outward() {
        let pi = std::f32::consts::PI;
        for to in [Vec3::Y * 2.0, Vec3::X * 2.0, Vec3::new(0.0, 1.2, -1.6)] {
            let origin = Vec3::new(1.0, 2.0, 3.0);
            let found = volume(|builder| builder.cylinder(origin, origin + to, 0.5, 64));
            assert!((found - pi * 0.5).abs() < 0.01, "{to}: {found}");
        }
        let ball = volume(|builder| builder.ellipsoid(Vec3::ONE, Vec3::new(1.0, 2.0, 0.5), 48, 24));
        assert!((ball - pi * 4.0 / 3.0).abs() < 0.05, "{ball}");
        let bent = volume(|builder| {
            let mut path = vec![Vec3::ZERO, Vec3::X];
            elbow(&mut path, Vec3::X * 2.0, Vec3::X, Vec3::Y, 1.0, 12);
            assert!(path.last().is_some_and(|end| end.distance(Vec3::new(2.0, 1.0, 0.0)) < 1e-5));
            builder.tube(&path, 0.1, 24);
        });
        let expected = pi * 0.01 * (1.0 + pi / 2.0);
        assert!((bent - expected).abs() < 0.03 * expected, "{bent} {expected}");
    }
}
