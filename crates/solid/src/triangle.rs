//! What one triangle adds.

use glam::{DVec3, Vec3};
use waymesh_core::{float, triangle_normal};

/// A sum of angles, each of half a turn at most to either side, as one number of the complex plane
/// and whole turns: an arc tangent for all of them instead of one for each.
#[derive(Clone, Copy)]
pub(crate) struct Turns {
    along: f64,
    aside: f64,
    whole: f64,
}

impl Default for Turns {
    fn default() -> Self {
        Self { along: 1.0, aside: 0.0, whole: 0.0 }
    }
}

impl Turns {
    /// Adds the angle of a direction.
    fn add(&mut self, along: f64, aside: f64) {
        let (from, size) = (self.aside, along.abs() + aside.abs());
        let (along, aside) = (along / size, aside / size);
        let turned = self.along * aside + self.aside * along;
        self.along = self.along * along - self.aside * aside;
        // Half a turn stays on the side that it came to.
        self.aside = if turned == 0.0 { f64::MIN_POSITIVE.copysign(from) } else { turned };
        // Both to one side, and the sum is on the other: past half a turn.
        if from > 0.0 && aside > 0.0 && turned < 0.0 {
            self.whole += 1.0;
        } else if from < 0.0 && aside < 0.0 && turned > 0.0 {
            self.whole -= 1.0;
        }
    }

    /// Returns the sum in whole turns.
    pub(crate) fn sum(&self) -> f64 {
        self.whole + float::atan2(self.aside, self.along) / (2.0 * std::f64::consts::PI)
    }
}

/// Adds half the solid angle of a triangle seen from the origin, positive where its back is seen:
/// in turns it is the part of the whole sphere. Van Oosterom and Strackee 1983,
/// <https://doi.org/10.1109/TBME.1983.325207>.
fn add_solid_angle([a, b, c]: [DVec3; 3], turns: &mut Turns) {
    let lengths = [a.length(), b.length(), c.length()];
    let volume = a.dot(b.cross(c));
    let below = lengths[0] * lengths[1] * lengths[2]
        + a.dot(b) * lengths[2]
        + b.dot(c) * lengths[0]
        + c.dot(a) * lengths[1];
    // In the plane of the triangle it is seen from the side, or not at all.
    if volume != 0.0 {
        turns.add(below, volume);
    }
}

/// Adds the solid angle of a triangle seen from a point; of the part above the point only, if
/// `above` says so.
pub(crate) fn seen_from(corners: &[Vec3; 3], from: DVec3, above: bool, turns: &mut Turns) {
    let corners = corners.map(|corner| corner.as_dvec3() - from);
    if !above || corners.iter().all(|corner| corner.y >= 0.0) {
        return add_solid_angle(corners, turns);
    }
    // Cut level with the point: three or four corners are left, or none.
    let mut part = [DVec3::ZERO; 4];
    let mut count = 0;
    for (index, &here) in corners.iter().enumerate() {
        let next = corners[(index + 1) % 3];
        if here.y >= 0.0 {
            part[count] = here;
            count += 1;
        }
        if (here.y >= 0.0) != (next.y >= 0.0) {
            part[count] = here.lerp(next, here.y / (here.y - next.y)).with_y(0.0);
            count += 1;
        }
    }
    let [a, b, c, d] = part;
    if count >= 3 {
        add_solid_angle([a, b, c], turns);
    }
    if count == 4 {
        add_solid_angle([a, c, d], turns);
    }
}

/// Returns the normal of a triangle, as long as its area.
pub(crate) fn area_normal(corners: &[Vec3; 3]) -> DVec3 {
    triangle_normal(*corners) / 2.0
}

/// `true` if a triangle has a point straight above another point, its border included.
pub(crate) fn covers(corners: &[Vec3; 3], point: DVec3) -> bool {
    let [a, b, c] = corners.map(|corner| corner.as_dvec3() - point);
    let side = |from: DVec3, to: DVec3| from.x * to.z - from.z * to.x;
    let sides = [side(b, c), side(c, a), side(a, b)];
    let sum: f64 = sides.iter().sum();
    let is_over = sides.iter().all(|&side| side >= 0.0) || sides.iter().all(|&side| side <= 0.0);
    is_over && sum != 0.0 && (sides[0] * a.y + sides[1] * b.y + sides[2] * c.y) / sum > 0.0
}

/// Returns how far along a ray it crosses a triangle, in lengths of the direction, and `true` if it
/// comes from the back. Möller and Trumbore 1997, <https://doi.org/10.1080/10867651.1997.10487468>.
pub(crate) fn crossed(corners: &[Vec3; 3], place: DVec3, direction: DVec3) -> Option<(f64, bool)> {
    let [a, b, c] = corners.map(|corner| corner.as_dvec3());
    let (ab, ac) = (b - a, c - a);
    let side = direction.cross(ac);
    let volume = ab.dot(side);
    if volume == 0.0 {
        return None;
    }
    let from_a = place - a;
    let beside = from_a.cross(ab);
    let (u, v) = (from_a.dot(side) / volume, direction.dot(beside) / volume);
    let far = ac.dot(beside) / volume;
    // Of two triangles with a common edge, a ray through it must cross one.
    (u >= -1e-9 && v >= -1e-9 && u + v <= 1.0 + 1e-9 && far > 0.0).then_some((far, volume < 0.0))
}
