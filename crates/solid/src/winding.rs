//! The tree of dipoles.

use glam::{DMat3, DVec3, Vec3};
use waymesh_core::stage::StageError;
use waymesh_core::{Bounds, TriangleSource, checkpoint, float, has_area, threads};

use crate::triangle::{Turns, area_normal, covers, crossed, seen_from};

/// Triangles of a leaf, which are looked at one by one.
const LEAF: usize = 8;
/// Nodes below a node.
const CHILDREN: usize = 4;
/// A node stands for its triangles where it is farther away than this many of its radii: the value
/// of Barill et al. 2018, section 4.3.
const FAR: f64 = 2.0;
/// The same for a node of which part is cut off.
const FAR_AND_CUT: f64 = 4.0;

/// The triangles of a scene, ready for winding numbers.
///
/// # Guarantees
/// The same answers for any order of the triangles and any number of threads. Triangles without a
/// finite area are left out.
///
/// # Cost
/// 60 bytes a triangle. Building it takes about as long as sorting the triangles, on all cores; an
/// answer some microseconds, growing with the logarithm of the number of triangles.
#[derive(Clone, Debug, Default)]
pub struct WindingTree {
    /// Along a curve that fills space.
    triangles: Vec<[Vec3; 3]>,
    /// Leaves first; each level has a node for every [`CHILDREN`] of the level before, up to one.
    levels: Vec<Vec<Node>>,
}

/// What a run of triangles looks like from afar: their dipole around a centre and its first moment
/// (Barill et al. 2018, equation 11 and appendix A).
#[derive(Clone, Copy, Debug)]
struct Node {
    low: Vec3,
    high: Vec3,
    centre: DVec3,
    /// Largest distance of a corner from the centre.
    radius: f64,
    /// Sum of the normals, as long as the areas.
    normal: DVec3,
    /// Sum of each normal times the place of its triangle, from the centre.
    moment: DMat3,
    area: f64,
}

/// From where triangles are seen.
#[derive(Clone, Copy)]
struct View {
    place: DVec3,
    /// `true` if only what is above counts.
    above: bool,
}

/// A part of a node: a triangle or a smaller node.
#[derive(Clone, Copy)]
struct Part {
    bounds: [Vec3; 2],
    centre: DVec3,
    normal: DVec3,
    moment: DMat3,
    area: f64,
}

impl WindingTree {
    /// Reads the triangles of a scene.
    ///
    /// # Errors
    /// Those of a source that cannot be read.
    pub fn new(scene: &dyn TriangleSource) -> Result<Self, StageError> {
        let mut triangles: Vec<[Vec3; 3]> = Vec::new();
        scene.visit(&mut |portion| {
            checkpoint();
            let is_sound =
                |corners: &&[Vec3; 3]| corners.iter().all(|c| c.is_finite()) && has_area(**corners);
            triangles.extend(portion.iter().filter(is_sound));
            Ok(())
        })?;
        let bounds = Bounds::of(triangles.iter().flatten().copied());
        let size = (bounds.max - bounds.min).max_element().max(f32::MIN_POSITIVE);
        // Numbers are sorted, not triangles: they are a third as large.
        let mut placed: Vec<(u64, usize)> = threads::map(0..triangles.len(), |number| {
            let corners = triangles[number];
            let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
            (place_on_curve((middle - bounds.min) / size), number)
        });
        let bits = |number: usize| triangles[number].map(|corner| corner.to_array().map(f32::to_bits));
        threads::sort_by(&mut placed, |a, b| a.0.cmp(&b.0).then_with(|| bits(a.1).cmp(&bits(b.1))));
        let triangles: Vec<[Vec3; 3]> = placed.into_iter().map(|(_, number)| triangles[number]).collect();
        let leaves: Vec<Node> =
            threads::map(triangles.chunks(LEAF), |part| Node::of(part, Part::of_triangle));
        let mut levels = vec![leaves];
        while let Some(below) = levels.last().filter(|below| below.len() > 1) {
            let above = threads::map(below.chunks(CHILDREN), |part| Node::of(part, Part::of_node));
            levels.push(above);
        }
        Ok(Self { triangles, levels })
    }

    /// Returns the number of triangles that have a finite area.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    /// Returns the generalised winding number of a place: how many times the triangles enclose it.
    ///
    /// - 1 inside of a closed surface that faces out, -1 if it faces in, 0 outside. Surfaces that
    ///   enclose a place several times add up.
    /// - Open surfaces count as much as they fill of the view: close above a large floor it is
    ///   -0.5, close below it 0.5.
    /// - Within about 0.01 of the exact number, and exact where fewer than nine triangles are.
    #[must_use]
    pub fn winding_number(&self, place: Vec3) -> f64 {
        self.winding(place, false)
    }

    /// Returns the winding number of what lies above a place, where the upper half of the view
    /// counts as the whole: what is below its height is cut off.
    ///
    /// - 1 inside of a closed surface that faces out, 0 outside, as for all of it. The ground does
    ///   not count: so much is 1 also inside of a body that has no bottom, or that a terrain runs
    ///   through.
    /// - Within about 0.02 of the exact number.
    #[must_use]
    pub fn winding_number_above(&self, place: Vec3) -> f64 {
        2.0 * self.winding(place, true)
    }

    fn winding(&self, place: Vec3, above: bool) -> f64 {
        self.levels.last().map_or(0.0, |top| {
            let view = View { place: place.as_dvec3(), above };
            (0..top.len()).map(|node| self.winding_below(self.levels.len() - 1, node, view)).sum()
        })
    }

    fn winding_below(&self, level: usize, node: usize, view: View) -> f64 {
        if let Some(winding) = self.levels[level][node].as_one_dipole(view) {
            return winding;
        }
        if level == 0 {
            let leaf = &self.triangles[node * LEAF..self.triangles.len().min((node + 1) * LEAF)];
            let mut turns = Turns::default();
            leaf.iter().for_each(|corners| seen_from(corners, view.place, view.above, &mut turns));
            return turns.sum();
        }
        let children = node * CHILDREN..self.levels[level - 1].len().min((node + 1) * CHILDREN);
        children.map(|child| self.winding_below(level - 1, child, view)).sum()
    }

    /// `true` if there is a triangle straight above a place.
    #[must_use]
    pub fn is_covered(&self, place: Vec3) -> bool {
        self.levels.last().is_some_and(|top| {
            (0..top.len()).any(|node| self.is_covered_below(self.levels.len() - 1, node, place))
        })
    }

    fn is_covered_below(&self, level: usize, node: usize, place: Vec3) -> bool {
        let Node { low, high, .. } = self.levels[level][node];
        if place.x < low.x || place.x > high.x || place.z < low.z || place.z > high.z || place.y > high.y {
            return false;
        }
        if level == 0 {
            let leaf = &self.triangles[node * LEAF..self.triangles.len().min((node + 1) * LEAF)];
            return leaf.iter().any(|corners| covers(corners, place.as_dvec3()));
        }
        let children = node * CHILDREN..self.levels[level - 1].len().min((node + 1) * CHILDREN);
        children.into_iter().any(|child| self.is_covered_below(level - 1, child, place))
    }

    /// Returns which side of the first triangle along a ray is seen: `Some(true)` for its back,
    /// `None` where the ray meets nothing. The direction has any length but zero.
    ///
    /// Costs some microseconds, growing with the logarithm of the number of triangles.
    #[must_use]
    pub fn sees_back(&self, place: Vec3, direction: Vec3) -> Option<bool> {
        let ray = Ray::new(place.as_dvec3(), direction.as_dvec3());
        let mut first = First { far: f64::INFINITY, number: usize::MAX, back: None };
        let top = self.levels.len().checked_sub(1)?;
        (0..self.levels[top].len()).for_each(|node| self.look(top, node, &ray, &mut first));
        first.back
    }

    fn look(&self, level: usize, node: usize, ray: &Ray, first: &mut First) {
        if level == 0 {
            for number in node * LEAF..self.triangles.len().min((node + 1) * LEAF) {
                if let Some((far, back)) = crossed(&self.triangles[number], ray.place, ray.direction)
                    && (far < first.far || far <= first.far && number < first.number)
                {
                    *first = First { far, number, back: Some(back) };
                }
            }
            return;
        }
        // The nearest first: what is behind what it holds need not be looked at.
        let mut near = [(f64::INFINITY, 0); CHILDREN];
        let mut count = 0;
        for child in node * CHILDREN..self.levels[level - 1].len().min((node + 1) * CHILDREN) {
            let Some(far) = ray.enters(&self.levels[level - 1][child], first.far) else { continue };
            let place = near[..count].partition_point(|known| known.0 <= far);
            near.copy_within(place..count, place + 1);
            near[place] = (far, child);
            count += 1;
        }
        for &(_, child) in &near[..count] {
            if ray.enters(&self.levels[level - 1][child], first.far).is_some() {
                self.look(level - 1, child, ray, first);
            }
        }
    }
}

/// The first triangle that a ray meets; of several in one place, the one with the least number.
struct First {
    far: f64,
    number: usize,
    back: Option<bool>,
}

/// A ray.
struct Ray {
    place: DVec3,
    direction: DVec3,
    /// One over the direction.
    inverse: DVec3,
}

impl Ray {
    fn new(place: DVec3, direction: DVec3) -> Self {
        Self { place, direction, inverse: direction.recip() }
    }

    /// Returns where the ray comes to the box of a node, in lengths of its direction; `None` if it
    /// does not before `before`.
    fn enters(&self, node: &Node, before: f64) -> Option<f64> {
        let (mut from, mut to) = (0.0_f64, before);
        for axis in 0..3 {
            let (low, high) = (f64::from(node.low[axis]), f64::from(node.high[axis]));
            let (at, inverse) = (self.place[axis], self.inverse[axis]);
            if self.direction[axis] == 0.0 {
                if at < low || at > high {
                    return None;
                }
                continue;
            }
            let (one, other) = ((low - at) * inverse, (high - at) * inverse);
            (from, to) = (one.min(other).max(from), one.max(other).min(to));
        }
        // Rounding must not lose a flat box.
        (from <= to + 1e-9 * (1.0 + to.abs().min(1e9))).then_some(from)
    }
}

impl Part {
    const NONE: Self = Self {
        bounds: [Vec3::INFINITY, Vec3::NEG_INFINITY],
        centre: DVec3::ZERO,
        normal: DVec3::ZERO,
        moment: DMat3::ZERO,
        area: 0.0,
    };

    fn of_triangle(corners: &[Vec3; 3]) -> Self {
        let [a, b, c] = *corners;
        let normal = area_normal(corners);
        Self {
            bounds: [a.min(b).min(c), a.max(b).max(c)],
            centre: (a.as_dvec3() + b.as_dvec3() + c.as_dvec3()) / 3.0,
            normal,
            moment: DMat3::ZERO,
            area: normal.length(),
        }
    }

    fn of_node(node: &Node) -> Self {
        let Node { low, high, centre, normal, moment, area, .. } = *node;
        Self { bounds: [low, high], centre, normal, moment, area }
    }
}

impl Node {
    /// Joins [`LEAF`] parts or less.
    fn of<T>(of: &[T], part: impl Fn(&T) -> Part) -> Self {
        let mut parts = [Part::NONE; LEAF];
        let parts = &mut parts[..of.len()];
        parts.iter_mut().zip(of).for_each(|(into, of)| *into = part(of));
        let area: f64 = parts.iter().map(|part| part.area).sum();
        let centre = parts.iter().map(|part| part.centre * part.area).sum::<DVec3>() / area;
        let empty = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let (low, high) =
            parts.iter().fold(empty, |(low, high), part| (low.min(part.bounds[0]), high.max(part.bounds[1])));
        let reach = (high.as_dvec3() - centre).max(centre - low.as_dvec3());
        let (mut normal, mut moment) = (DVec3::ZERO, DMat3::ZERO);
        for part in parts {
            normal += part.normal;
            let from_centre = part.centre - centre;
            moment += part.moment
                + DMat3::from_cols(
                    part.normal * from_centre.x,
                    part.normal * from_centre.y,
                    part.normal * from_centre.z,
                );
        }
        Self { low, high, centre, radius: reach.length(), normal, moment, area }
    }

    /// The winding number of all that is below the node; `None` close by.
    fn as_one_dipole(&self, view: View) -> Option<f64> {
        let View { place, above } = view;
        let (low, high) = (f64::from(self.low.y), f64::from(self.high.y));
        // The share of it that is not cut off, if it is spread evenly over its height.
        let share = if above { ((high - place.y) / (high - low).max(1e-9)).clamp(0.0, 1.0) } else { 1.0 };
        if above && high <= place.y {
            return Some(0.0);
        }
        let to_centre = self.centre - place;
        let squared = to_centre.length_squared();
        let far = if share < 1.0 { FAR_AND_CUT } else { FAR };
        if squared <= float::squared(far * self.radius) {
            return None;
        }
        let cubed = squared * squared.sqrt();
        let moment = &self.moment;
        let trace = moment.x_axis.x + moment.y_axis.y + moment.z_axis.z;
        let first = self.normal.dot(to_centre) + trace;
        let second = 3.0 * to_centre.dot(*moment * to_centre) / squared;
        Some(share * (first - second) / cubed / (4.0 * std::f64::consts::PI))
    }
}

/// The place of a point of the unit cube on the curve of Morton 1966.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts saturate")]
fn place_on_curve(point: Vec3) -> u64 {
    /// Bits of a coordinate.
    const BITS: u32 = 21;
    let coordinates =
        point.to_array().map(|value| ((value * (1_u64 << BITS) as f32) as u64).min((1 << BITS) - 1));
    // Two bits of room between those of each coordinate.
    let [x, y, z] = coordinates.map(|value| {
        let apart = [(32, 0x1f_0000_0000_ffff), (16, 0x1f_0000_ff00_00ff), (8, 0x100f_00f0_0f00_f00f)];
        let apart = apart.into_iter().chain([(4, 0x10c3_0c30_c30c_30c3), (2, 0x1249_2492_4924_9249)]);
        apart.fold(value, |value, (by, mask)| (value | value << by) & mask)
    });
    x << 2 | y << 1 | z
}
