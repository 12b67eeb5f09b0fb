//! Faces with more than three corners to triangles.
//!
//! Written here because the corners of a file are not on a grid, so the exact stages of
//! `waymesh-triangulate` do not apply, and because faces of files overlap and touch themselves:
//! every face has to become some triangles.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::{DVec3, Vec3};
use robust::{Coord, orient2d};

use super::input::Source;
use crate::{IoError, Place};

/// Corners of a face that is not star-shaped from its first corner. The time to cut it grows with
/// the square of their number: 0.3 s at the limit.
const MAX_CORNERS: usize = 1 << 14;

/// Share of the area of a face that a fan may overlap. Rounding to single precision
/// moves corners off a straight edge.
const MAX_OVERLAP: f64 = 1e-6;

/// Cuts faces. Reuses its buffers from face to face.
#[derive(Debug, Default)]
pub(super) struct FaceCutter {
    /// Positions of the corners of the current face.
    positions: Vec<Vec3>,
    points: Vec<Coord<f64>>,
    ring: Ring,
}

impl FaceCutter {
    /// Appends the triangles of a face: always two less than it has corners, and one for a face of
    /// one or two. `position` is called for the corners of a face that has more than three.
    ///
    /// - A face that a fan from its first corner fills becomes this fan.
    /// - Any other face is cut along its diagonals, exactly, in the plane of two axes that shows it
    ///   largest. Its border may touch itself, as that of a face with a keyhole.
    /// - A face that crosses itself or has no area becomes triangles of the same corners.
    ///
    /// # Errors
    /// [`IoError::Malformed`] beyond [`MAX_CORNERS`].
    pub(super) fn cut(
        &mut self,
        source: &Source<'_>,
        place: Place,
        corners: &[u32],
        mut position: impl FnMut(u32) -> Result<Vec3, IoError>,
        triangles: &mut Vec<[u32; 3]>,
    ) -> Result<(), IoError> {
        self.positions.clear();
        if corners.len() > 3 {
            for &corner in corners {
                self.positions.push(position(corner)?);
            }
        }
        match corners {
            [] => {}
            // Without area, which the soup counts: nothing is dropped in silence.
            &[only] => triangles.push([only; 3]),
            &[first, last] => triangles.push([first, last, last]),
            &[a, b, c] => triangles.push([a, b, c]),
            _ if !self.project(corners.len()) || self.is_fan() => fan(corners, triangles),
            _ if corners.len() > MAX_CORNERS => {
                let expected = "at most 16384 corners in a face that is not convex (cut it into triangles in the program that wrote it)";
                return Err(source.malformed(place, expected, corners.len().to_string()));
            }
            _ => self.ring.clip(&self.points, corners, triangles),
        }
        Ok(())
    }

    /// Appends the triangles of a face of rings with these ends: its border, and holes in it. A face
    /// without a normal becomes triangles of the border alone.
    #[cfg(feature = "cityjson")]
    pub(super) fn cut_with_holes(
        &mut self,
        corners: &[u32],
        ends: &[usize],
        position: impl Fn(u32) -> Vec3,
        triangles: &mut Vec<[u32; 3]>,
    ) {
        let [border, holes @ ..] = ends else { return };
        self.positions.clear();
        self.positions.extend(corners.iter().map(|&corner| position(corner)));
        if !self.project(*border) {
            return fan(&corners[..*border], triangles);
        }
        let mut found: Vec<u32> = Vec::new();
        let starts: Vec<u32> =
            std::iter::once(border).chain(holes).map(|&end| waymesh_core::to_u32(end)).collect();
        let points = self.points.iter().map(|point| [point.x, point.y]);
        earcut::Earcut::new().earcut(points, &starts[..holes.len()], &mut found);
        for triangle in found.as_chunks::<3>().0 {
            let [a, b, c] = triangle.map(|corner| self.points[corner as usize]);
            let [a, b, c] = if orient2d(a, b, c) < 0.0 { [0, 2, 1] } else { [0, 1, 2] };
            triangles.push([a, b, c].map(|at| corners[triangle[at] as usize]));
        }
    }

    /// Projects the corners along the axis closest to the normal of the first `border` ones, so that
    /// these wind positively. Returns `false` if they have no normal.
    fn project(&mut self, border: usize) -> bool {
        let positions = &self.positions[..border.min(self.positions.len())];
        let origin = positions.first().map_or(DVec3::ZERO, |first| first.as_dvec3());
        // Newell's normal.
        let normal: DVec3 = positions
            .windows(2)
            .map(|pair| (pair[0].as_dvec3() - origin).cross(pair[1].as_dvec3() - origin))
            .sum();
        if !normal.is_finite() || normal == DVec3::ZERO {
            return false;
        }
        let size = normal.abs();
        // The axis y wins ties: it shows the face as it lies in plan.
        let (axis, [first, second]) = if size.y >= size.x && size.y >= size.z {
            (1, [2, 0])
        } else if size.x >= size.z {
            (0, [1, 2])
        } else {
            (2, [0, 1])
        };
        let [x, y] = if normal[axis] > 0.0 { [first, second] } else { [second, first] };
        self.points.clear();
        self.points.extend(
            self.positions
                .iter()
                .map(|position| Coord { x: f64::from(position[x]), y: f64::from(position[y]) }),
        );
        true
    }

    /// Returns `true` if the triangles from the first corner to each edge fill the face.
    fn is_fan(&self) -> bool {
        let first = self.points[0];
        let (mut area, mut turned) = (0.0, 0.0);
        for pair in self.points[1..].windows(2) {
            let doubled = orient2d(first, pair[0], pair[1]);
            area += doubled;
            turned += (-doubled).max(0.0);
        }
        turned <= MAX_OVERLAP * area
    }
}

/// Appends triangles from the first corner to each edge.
fn fan(corners: &[u32], triangles: &mut Vec<[u32; 3]>) {
    if let [first, rest @ ..] = corners {
        triangles.extend(rest.windows(2).map(|pair| [*first, pair[0], pair[1]]));
    }
}

/// Rank of an ear: the closed triangle holds no other corner of the border.
const FREE: u8 = 0;
/// Rank of a corner without area, which can always be cut off.
const FLAT: u8 = 1;
/// Rank of an ear whose border alone is touched.
const TOUCHED: u8 = 2;

/// The border that is not cut off yet, as a ring of corners.
#[derive(Debug, Default)]
struct Ring {
    prev: Vec<u32>,
    next: Vec<u32>,
    /// Corners that are not convex: only these can lie in an ear.
    reflex: Vec<u32>,
    /// Index in `reflex` of each remaining corner.
    slots: Vec<Option<u32>>,
    /// Rank and squared length of the diagonal of each ear.
    ears: Vec<Option<(u8, u64)>>,
    /// Ears, the best first. An entry is valid while it is that of `ears`.
    queue: BinaryHeap<Reverse<((u8, u64), u32)>>,
}

impl Ring {
    /// Cuts off the ear with the shortest diagonal until nothing is left.
    fn clip(&mut self, points: &[Coord<f64>], corners: &[u32], triangles: &mut Vec<[u32; 3]>) {
        let count = waymesh_core::to_u32(points.len());
        self.prev.clear();
        self.next.clear();
        self.prev.extend((0..count).map(|node| (node + count - 1) % count));
        self.next.extend((0..count).map(|node| (node + 1) % count));
        self.slots.clear();
        self.slots.resize(points.len(), None);
        self.ears.clear();
        self.ears.resize(points.len(), None);
        self.reflex.clear();
        self.queue.clear();
        (0..count).for_each(|node| self.update_reflex(points, node));
        (0..count).for_each(|node| self.update_ear(points, node));
        let mut left = points.len();
        let mut last = 0;
        while left > 3 {
            let Some(Reverse((ear, tip))) = self.queue.pop() else { break };
            if self.ears[tip as usize] != Some(ear) {
                continue;
            }
            let [before, after] = [self.prev[tip as usize], self.next[tip as usize]];
            triangles.push([before, tip, after].map(|node| corners[node as usize]));
            self.ears[tip as usize] = None;
            self.set_reflex(tip, false);
            self.next[before as usize] = after;
            self.prev[after as usize] = before;
            left -= 1;
            last = before;
            for node in [before, after] {
                self.update_reflex(points, node);
            }
            for node in [before, after] {
                self.update_ear(points, node);
            }
        }
        // Three corners, or a border that crosses itself and has no ear.
        let mut rest = Vec::with_capacity(left);
        for _ in 0..left {
            rest.push(corners[last as usize]);
            last = self.next[last as usize];
        }
        fan(&rest, triangles);
    }

    /// Points of the corner before, of the corner and of the one after.
    fn around(&self, points: &[Coord<f64>], node: u32) -> [Coord<f64>; 3] {
        [self.prev[node as usize], node, self.next[node as usize]].map(|node| points[node as usize])
    }

    fn update_reflex(&mut self, points: &[Coord<f64>], node: u32) {
        let [before, at, after] = self.around(points, node);
        self.set_reflex(node, orient2d(before, at, after) <= 0.0);
    }

    fn set_reflex(&mut self, node: u32, is_reflex: bool) {
        match self.slots[node as usize] {
            None if is_reflex => {
                self.slots[node as usize] = Some(waymesh_core::to_u32(self.reflex.len()));
                self.reflex.push(node);
            }
            Some(slot) if !is_reflex => {
                self.slots[node as usize] = None;
                self.reflex.swap_remove(slot as usize);
                if let Some(&moved) = self.reflex.get(slot as usize) {
                    self.slots[moved as usize] = Some(slot);
                }
            }
            _ => {}
        }
    }

    fn update_ear(&mut self, points: &[Coord<f64>], node: u32) {
        let ear = self.rank(points, node).map(|rank| {
            let [before, _, after] = self.around(points, node);
            let (x, y) = (after.x - before.x, after.y - before.y);
            // Bits of numbers that are not negative have the order of the numbers.
            (rank, (x * x + y * y).to_bits())
        });
        self.ears[node as usize] = ear;
        if let Some(ear) = ear {
            self.queue.push(Reverse((ear, node)));
        }
    }

    /// Returns the rank of the ear at `node`, if it is one.
    fn rank(&self, points: &[Coord<f64>], node: u32) -> Option<u8> {
        let [before, at, after] = self.around(points, node);
        if self.slots[node as usize].is_some() {
            return (orient2d(before, at, after) == 0.0).then_some(FLAT);
        }
        let least = [before.x.min(at.x).min(after.x), before.y.min(at.y).min(after.y)];
        let most = [before.x.max(at.x).max(after.x), before.y.max(at.y).max(after.y)];
        let mut rank = FREE;
        for &other in &self.reflex {
            let point = points[other as usize];
            if point.x < least[0] || point.x > most[0] || point.y < least[1] || point.y > most[1] {
                continue;
            }
            // Copies of corners, where the border touches itself. A border that enters the ear from a copy of
            // the tip may leave it through the diagonal; from a copy of the others it has a corner inside.
            if point == at {
                let enters = |point| orient2d(before, at, point) > 0.0 && orient2d(at, after, point) > 0.0;
                if [&self.prev, &self.next]
                    .iter()
                    .any(|beside| enters(points[beside[other as usize] as usize]))
                {
                    return None;
                }
            }
            // The ring may be empty here, between two edges walked twice: flat corners come first.
            if point == before || point == at || point == after {
                rank = TOUCHED;
                continue;
            }
            let sides =
                [(before, at), (at, after), (after, before)].map(|(from, to)| orient2d(from, to, point));
            if sides.iter().all(|&side| side > 0.0) {
                return None;
            }
            if sides.iter().all(|&side| side >= 0.0) {
                rank = TOUCHED;
            }
        }
        Some(rank)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn cut(positions: &[Vec3]) -> Vec<[u32; 3]> {
        let source = Source { file: Path::new("a.obj"), bytes: &[] };
        let corners: Vec<u32> = (0..u32::try_from(positions.len()).unwrap()).collect();
        let mut triangles = Vec::new();
        let position = |corner: u32| Ok(positions[corner as usize]);
        FaceCutter::default().cut(&source, Place::File, &corners, position, &mut triangles).unwrap();
        assert_eq!(triangles.len(), positions.len() - 2);
        triangles
    }

    /// Sum of the areas in plan, all of which must have the sign of the face.
    fn plan_area(positions: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
        let doubled = |corners: [DVec3; 3]| {
            let [a, b, c] = corners;
            (b.z - a.z) * (c.x - a.x) - (b.x - a.x) * (c.z - a.z)
        };
        let areas: Vec<f64> = triangles
            .iter()
            .map(|corners| doubled(corners.map(|corner| positions[corner as usize].as_dvec3())))
            .collect();
        assert!(areas.iter().all(|area| *area >= 0.0) || areas.iter().all(|area| *area <= 0.0), "{areas:?}");
        areas.iter().sum::<f64>() / 2.0
    }

    fn flat(plan: &[[f32; 2]]) -> Vec<Vec3> {
        plan.iter().map(|&[x, z]| Vec3::new(x, 0.0, z)).collect()
    }

    const U: [[f32; 2]; 8] =
        [[0., 0.], [0., 10.], [10., 10.], [10., 0.], [7., 0.], [7., 7.], [3., 7.], [3., 0.]];

    /// A square with a square hole, joined by an edge that is walked twice.
    const KEYHOLE: [[f32; 2]; 10] =
        [[0., 0.], [0., 9.], [9., 9.], [9., 0.], [0., 0.], [3., 3.], [6., 3.], [6., 6.], [3., 6.], [3., 3.]];

    /// Two holes on one border: keyholes of keyholes, one in line with an edge.
    const KEYHOLES: [[f32; 2]; 18] = [
        [0., 0.],
        [0., 9.],
        [2., 2.],
        [4., 2.],
        [4., 4.],
        [2., 4.],
        [2., 2.],
        [0., 9.],
        [9., 9.],
        [9., 0.],
        [5., 0.],
        [5., 5.],
        [8., 5.],
        [8., 8.],
        [5., 8.],
        [5., 5.],
        [5., 0.],
        [1., 0.],
    ];

    /// Two squares that meet in a corner, walked as one.
    const BOW: [[f32; 2]; 8] =
        [[0., 0.], [0., 2.], [2., 2.], [2., 4.], [4., 4.], [4., 2.], [2., 2.], [2., 0.]];

    #[test]
    fn faces_are_filled_from_every_corner_and_in_every_direction() {
        let comb: Vec<[f32; 2]> = (0..40_u8)
            .map(|tooth| [f32::from(tooth.div_ceil(2)), if tooth % 4 < 2 { 1.0 } else { 8.0 }])
            .chain([[20.0, 9.0], [0.0, 9.0]])
            .collect();
        for (name, plan, area) in [
            ("U", &U[..], 72.0),
            ("keyhole", &KEYHOLE[..], 72.0),
            ("keyholes", &KEYHOLES[..], 81.0 - 4.0 - 9.0),
            ("bow", &BOW[..], 8.0),
            ("comb", &comb[..], 90.0),
        ] {
            for first in 0..plan.len() {
                let mut plan = plan.to_vec();
                plan.rotate_left(first);
                for is_turned in [false, true] {
                    if is_turned {
                        plan.reverse();
                    }
                    let face = flat(&plan);
                    let found = plan_area(&face, &cut(&face)).abs();
                    assert!((found - area).abs() < 1e-9, "{name} from {first}, {is_turned}: {found}");
                    // The face on the other axes, and folded out of its plane.
                    let turned: Vec<Vec3> =
                        face.iter().map(|point| Vec3::new(point.y, point.z, point.x)).collect();
                    let back: Vec<Vec3> =
                        turned.iter().map(|point| Vec3::new(point.z, point.x, point.y)).collect();
                    assert!(
                        (plan_area(&back, &cut(&turned)).abs() - area).abs() < 1e-9,
                        "{name} from {first}"
                    );
                    let bent: Vec<Vec3> = face
                        .iter()
                        .map(|point| point.with_y(0.4 * (point.x - point.z).abs().sqrt()))
                        .collect();
                    assert!((plan_area(&bent, &cut(&bent)).abs() - area).abs() < 1e-9, "{name} from {first}");
                }
            }
        }
    }

    #[test]
    fn random_stars_are_filled() {
        let mut random = waymesh_core::Random::new(8);
        for round in 0..400 {
            let count = 4 + random.below(60);
            let centre = Vec3::new(random.range(-900.0, 900.0), 0.0, random.range(-900.0, 900.0));
            let face: Vec<Vec3> = (0..count)
                .map(|corner| {
                    let angle = f64::from(corner) / f64::from(count) * std::f64::consts::TAU;
                    #[expect(clippy::cast_possible_truncation, reason = "rounded to what a soup holds")]
                    let (x, z) =
                        (waymesh_core::float::cos(angle) as f32, waymesh_core::float::sin(angle) as f32);
                    centre + Vec3::new(x, 0.0, z) * random.range(1.0, 9.0)
                })
                .collect();
            let shoelace = plan_area_of_ring(&face);
            let found = plan_area(&face, &cut(&face));
            assert!((found - shoelace).abs() < 1e-6, "{round}: {found} instead of {shoelace}");
        }
    }

    fn plan_area_of_ring(face: &[Vec3]) -> f64 {
        (0..face.len())
            .map(|at| (face[at].as_dvec3(), face[(at + 1) % face.len()].as_dvec3()))
            .map(|(a, b)| (a.z * b.x - a.x * b.z) / 2.0)
            .sum()
    }

    /// Convex faces keep the fan that they always had; broken ones become triangles of their corners.
    #[test]
    fn fans_stay_and_broken_faces_end() {
        let square = flat(&[[0., 0.], [0., 4.], [2., 4.], [4., 4.], [4., 0.]]);
        assert_eq!(cut(&square), [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
        let pentagram: Vec<[f32; 2]> = [[0., 3.], [2., -3.], [-3., 1.], [3., 1.], [-2., -3.]].to_vec();
        cut(&flat(&pentagram));
        cut(&flat(&[[0., 0.]; 6]));
        cut(&flat(&[[0., 0.], [1., 1.], [2., 2.], [3., 3.]]));
        cut(&[Vec3::NAN, Vec3::X, Vec3::Z, Vec3::Y]);
        let mut random = waymesh_core::Random::new(3);
        for _ in 0..300 {
            let count = 4 + random.below(40);
            let mut coordinate = || f32::from(u16::try_from(random.below(6)).unwrap());
            let face: Vec<Vec3> =
                (0..count).map(|_| Vec3::new(coordinate(), coordinate(), coordinate())).collect();
            cut(&face);
        }
    }

    #[test]
    fn faces_of_too_many_corners_are_refused() {
        let source = Source { file: Path::new("a.obj"), bytes: &[] };
        let count = u32::try_from(MAX_CORNERS).unwrap() + 1;
        let corners: Vec<u32> = (0..count).collect();
        let comb =
            |corner: u32| Vec3::new(corner as f32, 0.0, if corner.is_multiple_of(2) { 0.0 } else { 90.0 });
        let position = |corner: u32| Ok(comb(corner));
        let cut = FaceCutter::default().cut(&source, Place::Line(7), &corners, position, &mut Vec::new());
        let error = cut.unwrap_err().to_string();
        assert!(error.contains("line 7") && error.contains("16384") && error.contains("16385"), "{error}");
    }
}
