//! A bounding volume hierarchy of triangles, and rays through it.

use glam::{DVec3, Vec3};
use waymesh_core::stage::StageError;
use waymesh_core::{Bounds, TriangleSource, checkpoint, has_area, threads};

/// Largest number of triangles of a leaf.
const LEAF: usize = 8;
/// Largest number of nodes below a node.
const CHILDREN: usize = 4;
/// Distance along a ray within which crossings count as one, in metres and as a share of the
/// distance from its origin: coordinates have single precision.
const SAME_PLACE: f64 = 1e-5;

/// The triangles of a scene in a bounding volume hierarchy.
///
/// # Guarantees
/// The same answers for any order of the triangles and any number of threads. Triangles without a
/// finite area are left out.
///
/// # Cost
/// 40 bytes a triangle. Building it takes about as long as sorting the triangles, on all cores. A
/// ray takes some microseconds, growing with the logarithm of the number of triangles and with the
/// number of those along the ray.
#[derive(Clone, Debug, Default)]
pub struct RayTree {
    /// Triangles in the order of a space-filling curve.
    triangles: Vec<[Vec3; 3]>,
    /// Boxes, those of the leaves first. Each level has one for every [`CHILDREN`] of the level
    /// before; the last level has one.
    levels: Vec<Vec<Bounds>>,
}

/// The result of casting a ray.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RayOutcome {
    /// The ray meets nothing.
    Open,
    /// The ray leaves a solid that it did not enter, so it starts inside of one.
    Leaves,
    /// The ray meets triangles, and leaves only solids that it entered.
    Passes,
}

impl RayTree {
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
        let key = |&[a, b, c]: &[Vec3; 3]| morton_code(((a + b + c) / 3.0 - bounds.min) / size);
        let mut placed: Vec<(u64, [Vec3; 3])> = threads::map(&triangles, |corners| (key(corners), *corners));
        threads::sort_by(&mut placed, |a, b| a.0.cmp(&b.0));
        triangles.clear();
        triangles.extend(placed.into_iter().map(|(_, corners)| corners));
        let around = |part: &[[Vec3; 3]]| Bounds::of(part.as_flattened().iter().copied());
        let mut levels = vec![threads::map(triangles.chunks(LEAF), around)];
        while let Some(below) = levels.last().filter(|below| below.len() > 1) {
            let around = |part: &[Bounds]| Bounds::of(part.iter().flat_map(|b| [b.min, b.max]));
            let above = threads::map(below.chunks(CHILDREN), around);
            levels.push(above);
        }
        Ok(Self { triangles, levels })
    }

    /// Casts a ray. The direction has any length but zero.
    ///
    /// Every triangle counts as the border of a solid, which the ray leaves where it meets the back of
    /// the triangle.
    /// - From inside of a closed body whose triangles face out, every ray leaves it, whatever bodies
    ///   are inside of it.
    /// - Between two-sided walls, below two-sided triangles and in rooms whose walls face in, no ray
    ///   leaves a solid.
    /// - Coincident triangles that face opposite ways cancel out.
    #[must_use]
    pub fn cast(&self, origin: Vec3, direction: Vec3) -> RayOutcome {
        let ray = Ray::new(origin.as_dvec3(), direction.as_dvec3().normalize_or_zero());
        let mut crossings: Vec<(f64, i32)> = Vec::new();
        if let Some(top) = self.levels.len().checked_sub(1) {
            (0..self.levels[top].len()).for_each(|node| self.cross(top, node, &ray, &mut crossings));
        }
        crossings.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let mut depth = 0;
        for same in crossings.chunk_by(|one, other| other.0 - one.0 <= SAME_PLACE * one.0.max(1.0)) {
            depth += same.iter().map(|(_, step)| step).sum::<i32>();
            if depth > 0 {
                return RayOutcome::Leaves;
            }
        }
        if crossings.is_empty() { RayOutcome::Open } else { RayOutcome::Passes }
    }

    /// Collects the crossings of a ray with the triangles below a node: see [`Ray::crosses`].
    fn cross(&self, level: usize, node: usize, ray: &Ray, crossings: &mut Vec<(f64, i32)>) {
        if !ray.meets(&self.levels[level][node]) {
            return;
        }
        if level > 0 {
            let children = node * CHILDREN..self.levels[level - 1].len().min((node + 1) * CHILDREN);
            return children.for_each(|child| self.cross(level - 1, child, ray, crossings));
        }
        let leaf = &self.triangles[node * LEAF..self.triangles.len().min((node + 1) * LEAF)];
        crossings.extend(leaf.iter().filter_map(|corners| ray.crosses(corners)));
    }
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

    /// Returns `true` if the ray meets a box.
    fn meets(&self, bounds: &Bounds) -> bool {
        let (mut from, mut to) = (0.0_f64, f64::INFINITY);
        for axis in 0..3 {
            let (low, high) = (f64::from(bounds.min[axis]), f64::from(bounds.max[axis]));
            let (at, inverse) = (self.place[axis], self.inverse[axis]);
            if self.direction[axis] == 0.0 {
                if at < low || at > high {
                    return false;
                }
                continue;
            }
            let (one, other) = ((low - at) * inverse, (high - at) * inverse);
            (from, to) = (one.min(other).max(from), one.max(other).min(to));
        }
        // Rounding must not lose a flat box.
        from <= to + 1e-9 * (1.0 + to.abs().min(1e9))
    }

    /// Returns the position along the ray at which a triangle is crossed, and 2 if the ray comes from
    /// its back, else -2; half of that on an edge, which another triangle shares.
    ///
    /// Möller and Trumbore 1997, <https://doi.org/10.1080/10867651.1997.10487468>.
    fn crosses(&self, corners: &[Vec3; 3]) -> Option<(f64, i32)> {
        let [a, b, c] = corners.map(|corner| corner.as_dvec3());
        let (ab, ac) = (b - a, c - a);
        let side = self.direction.cross(ac);
        let volume = ab.dot(side);
        if volume == 0.0 {
            return None;
        }
        let from_a = self.place - a;
        let beside = from_a.cross(ab);
        let (u, v) = (from_a.dot(side) / volume, self.direction.dot(beside) / volume);
        let far = ac.dot(beside) / volume;
        const EDGE: f64 = 1e-9;
        let inside = u.min(v).min(1.0 - u - v);
        let step = if inside > EDGE { 2 } else { 1 };
        (inside >= -EDGE && far > 0.0).then_some((far, if volume < 0.0 { step } else { -step }))
    }
}

/// Returns the Morton code of a point of the unit cube (Morton 1966).
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts saturate")]
fn morton_code(point: Vec3) -> u64 {
    /// Bits of a coordinate.
    const BITS: u32 = 21;
    let coordinates =
        point.to_array().map(|value| ((value * (1_u64 << BITS) as f32) as u64).min((1 << BITS) - 1));
    // Two free bits between those of each coordinate.
    let [x, y, z] = coordinates.map(|value| {
        let apart = [(32, 0x1f_0000_0000_ffff), (16, 0x1f_0000_ff00_00ff), (8, 0x100f_00f0_0f00_f00f)];
        let apart = apart.into_iter().chain([(4, 0x10c3_0c30_c30c_30c3), (2, 0x1249_2492_4924_9249)]);
        apart.fold(value, |value, (by, mask)| (value | value << by) & mask)
    });
    x << 2 | y << 1 | z
}
