//! Adds the faults that exported levels have.

use glam::Vec3;
use waymesh_core::{Random, TriangleSoup};

/// Numbers of triangles that [`damage`] changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// Triangles removed.
    pub removed: usize,
    /// Triangles turned inside out.
    pub flipped: usize,
    /// Triangles added a second time.
    pub duplicated: usize,
    /// Triangles without area added: a corner repeated, all corners in one place, or corners in a
    /// line.
    pub degenerate: usize,
    /// Triangles added that pass through the middle of other triangles.
    pub intersecting: usize,
    /// Triangles added with a NaN or infinite corner.
    pub not_finite: usize,
}

/// Interval of damage: one of this many triangles is removed, one flipped and one duplicated. Each
/// fault happens at least [`LEAST`] times if there are enough triangles.
const EVERY: usize = 40;
const LEAST: usize = 4;
const ADDED: usize = 12;

/// Adds all faults of [`Damage`] to a soup, each to other triangles. The result is deterministic.
///
/// Kept triangles stay in order. Added triangles come after them: duplicates, degenerate,
/// intersecting, not finite.
///
/// # Panics
/// Panics if the soup has fewer than a hundred vertices left up to `u32::MAX`, the limit of a soup.
#[must_use]
pub fn damage(soup: &TriangleSoup, seed: u64) -> (TriangleSoup, Damage) {
    let mut random = Random::new(seed ^ 0x6461_6d61_6765);
    let count = soup.triangles().len();
    let share = (count / EVERY).max(LEAST).min(count / 3);
    let order = random.permutation(count);
    let mut removed = vec![false; count];
    let mut flipped = vec![false; count];
    for &triangle in &order[..share] {
        removed[triangle] = true;
    }
    for &triangle in &order[share..2 * share] {
        flipped[triangle] = true;
    }
    let doubled = &order[2 * share..3 * share];

    let mut positions = soup.positions().to_vec();
    let mut triangles: Vec<[u32; 3]> = soup
        .triangles()
        .iter()
        .enumerate()
        .filter(|&(index, _)| !removed[index])
        .map(|(index, &[a, b, c])| if flipped[index] { [a, c, b] } else { [a, b, c] })
        .collect();
    triangles.extend(doubled.iter().map(|&index| soup.triangles()[index]));

    let mut done = Damage { removed: share, flipped: share, duplicated: share, ..Damage::default() };
    let bounds = soup.bounds();
    if share > 0 && bounds.is_valid() {
        let mut add = |corners: [Vec3; 3]| {
            let first = u32::try_from(positions.len()).expect("scenes stay far below 2^32 vertices");
            positions.extend(corners);
            triangles.push([first, first + 1, first + 2]);
        };
        let size = bounds.max - bounds.min;
        let inside =
            |random: &mut Random| bounds.min + size * Vec3::new(random.unit(), random.unit(), random.unit());
        for index in 0..ADDED {
            // Coordinates are whole metres, so that the differences are exact and the area is
            // exactly zero.
            let a = inside(&mut random).round();
            let step = Vec3::new(2.0, 0.0, 1.0);
            add(match index % 3 {
                0 => [a, a, a + step],
                1 => [a, a, a],
                _ => [a, a + step, a + step * 2.0],
            });
        }
        for index in 0..ADDED {
            // Through the middle of a kept triangle, across its plane.
            let [a, b, c] = soup.corners(order[3 * share - 1 - index % share]);
            let (middle, normal) = ((a + b + c) / 3.0, (b - a).cross(c - a).normalize_or(Vec3::Y));
            let along = (b - a).normalize_or(Vec3::X);
            add([
                middle - normal * 0.7,
                middle + normal * 0.9 - along * 0.4,
                middle + normal * 0.9 + along * 0.6,
            ]);
        }
        for index in 0..ADDED {
            let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY][index % 3];
            let a = inside(&mut random);
            let mut spoiled = a + Vec3::Z;
            spoiled[index / 3 % 3] = bad;
            add([a, spoiled, a + Vec3::X]);
        }
        (done.degenerate, done.intersecting, done.not_finite) = (ADDED, ADDED, ADDED);
    }
    let soup = TriangleSoup::new(positions, triangles).expect("old indices and new ones are in range");
    (soup, done)
}
