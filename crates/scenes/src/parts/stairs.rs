//! Straight flights, and two flights with a landing between them.

use glam::Vec3;

use crate::builder::{Builder, real};
use crate::parts::railing::Railing;

/// A straight flight along +x from the origin, over z in `0..width`.
///
/// It has `risers - 1` treads: the last riser is the edge of the floor at its top.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flight {
    pub(crate) risers: usize,
    pub(crate) riser: f32,
    pub(crate) tread: f32,
    pub(crate) width: f32,
    /// Vertical, from a tread's inner edge down to the slope beneath; 0 for open treads.
    pub(crate) depth: f32,
}

impl Flight {
    pub(crate) fn run(&self) -> f32 {
        real(self.risers - 1) * self.tread
    }

    pub(crate) fn rise(&self) -> f32 {
        real(self.risers) * self.riser
    }

    /// The line through the front edges of the treads at this z, from the first tread to the floor
    /// at the top.
    pub(crate) fn nosing(&self, z: f32) -> [Vec3; 2] {
        [Vec3::new(0.0, self.riser, z), Vec3::new(self.run(), self.rise(), z)]
    }
}

/// Thickness of treads without a slope beneath.
const OPEN_TREAD: f32 = 0.04;

impl Builder {
    /// The steps alone.
    pub(crate) fn flight(&mut self, flight: &Flight) {
        for step in 0..flight.risers - 1 {
            let (x0, x1) = (real(step) * flight.tread, real(step + 1) * flight.tread);
            let (y0, y1) = (real(step) * flight.riser, real(step + 1) * flight.riser);
            let (z0, z1) = (0.0, flight.width);
            let ring = |left: f32, right: f32| {
                [
                    Vec3::new(x0, left, z0),
                    Vec3::new(x0, left, z1),
                    Vec3::new(x1, right, z1),
                    Vec3::new(x1, right, z0),
                ]
            };
            let under = if flight.depth > 0.0 {
                ring(y0 - flight.depth, y1 - flight.depth)
            } else {
                ring(y1 - OPEN_TREAD, y1 - OPEN_TREAD)
            };
            self.hexahedron(under, ring(y1, y1));
        }
    }

    /// A sloping beam under each edge of an open flight.
    pub(crate) fn stringers(&mut self, flight: &Flight, thickness: f32) {
        for z in [-thickness, flight.width] {
            let low = Vec3::new(0.0, flight.riser + 0.04, z);
            let high = Vec3::new(flight.run(), flight.rise() + 0.04, z + thickness);
            self.ramp_x(low, high, flight.riser + 0.15);
        }
    }

    pub(crate) fn handrail(&mut self, flight: &Flight, z: f32, railing: &Railing) {
        self.railing(&flight.nosing(z), railing);
    }

    /// Two flights and the landing between them, from the origin: up along +x, back along -x at
    /// `width + gap` farther in z. Both start and end at x = 0. `landing` is the landing's
    /// length, `slab` its thickness.
    pub(crate) fn dogleg(
        &mut self,
        half: &Flight,
        gap: f32,
        landing: f32,
        slab: f32,
        railing: Option<&Railing>,
    ) {
        let (run, rise) = (half.run(), half.rise());
        let across = 2.0 * half.width + gap;
        self.block([run, run + landing], [rise - slab, rise], [0.0, across]);
        self.flight(half);
        self.at(Vec3::new(run, rise, across), 2, |builder| builder.flight(half));
        if half.depth <= 0.0 {
            self.stringers(half, 0.03);
            self.at(Vec3::new(run, rise, across), 2, |builder| builder.stringers(half, 0.03));
        }
        if let Some(railing) = railing {
            self.handrail(half, half.width + gap * 0.25, railing);
            self.at(Vec3::new(run, rise, across), 2, |builder| {
                builder.handrail(half, half.width + gap * 0.25, railing);
            });
        }
    }

    /// Railings along the outer edges of both flights of [`Builder::dogleg`] and around the landing.
    pub(crate) fn outer_rails(&mut self, half: &Flight, gap: f32, landing: f32, railing: &Railing) {
        let (run, rise, across) = (half.run(), half.rise(), 2.0 * half.width + gap);
        self.handrail(half, 0.03, railing);
        self.at(Vec3::new(run, rise, across), 2, |builder| builder.handrail(half, 0.03, railing));
        let (end, near, far) = (run + landing - 0.03, 0.03, across - 0.03);
        self.level_railing(rise, &[[run, near], [end, near], [end, far], [run, far]], railing);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dogleg_climbs_its_rise_in_equal_steps() {
        let half = Flight { risers: 9, riser: 1.5 / 9.0, tread: 0.28, width: 1.3, depth: 0.15 };
        let mut builder = Builder::default();
        builder.dogleg(&half, 0.2, 1.2, 0.15, None);
        let mut tops: Vec<f32> = builder
            .finish()
            .finite_triangles()
            .filter(|[a, b, c]| (b.y - a.y).abs() < 1e-6 && (c.y - a.y).abs() < 1e-6)
            .filter(|[a, b, c]| (b - a).cross(c - a).y > 0.0)
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
}
