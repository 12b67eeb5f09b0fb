//! Rays through the triangles of a scene.

use glam::Vec3;
use waymesh_core::stage::StageError;
use waymesh_core::{Bounds, BoxRay, BoxTree, TriangleSource, checkpoint, has_area, threads};

/// Largest number of triangles of a leaf.
const LEAF: usize = 8;
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
/// 44 bytes a triangle. Building it takes about as long as sorting the triangles, on all cores. A
/// ray takes some microseconds, growing with the logarithm of the number of triangles and with the
/// number of those along the ray.
#[derive(Clone, Debug, Default)]
pub struct RayTree {
    /// Triangles in the order of the tree.
    triangles: Vec<[Vec3; 3]>,
    tree: BoxTree,
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
        let boxes = threads::map(&triangles, |corners| Bounds::of(*corners));
        let tree = BoxTree::new(&boxes, LEAF);
        let triangles = tree.numbers().iter().map(|&number| triangles[number as usize]).collect();
        Ok(Self { triangles, tree })
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
        let ray = BoxRay::new(origin.as_dvec3(), direction.as_dvec3().normalize_or_zero());
        let near = self.tree.leaves(|bounds| ray.meets(bounds)).flat_map(|leaf| &self.triangles[leaf]);
        let mut crossings: Vec<(f64, i32)> = near.filter_map(|corners| crossing(&ray, corners)).collect();
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
}

/// Returns the position along the ray at which a triangle is crossed, and 2 if the ray comes from
/// its back, else -2; half of that on an edge, which another triangle shares.
///
/// Möller and Trumbore 1997, <https://doi.org/10.1080/10867651.1997.10487468>.
fn crossing(ray: &BoxRay, corners: &[Vec3; 3]) -> Option<(f64, i32)> {
    const EDGE: f64 = 1e-9;
    let [a, b, c] = corners.map(|corner| corner.as_dvec3());
    let (ab, ac) = (b - a, c - a);
    let side = ray.direction.cross(ac);
    let volume = ab.dot(side);
    if volume == 0.0 {
        return None;
    }
    let from_a = ray.origin - a;
    let beside = from_a.cross(ab);
    let (u, v) = (from_a.dot(side) / volume, ray.direction.dot(beside) / volume);
    let far = ac.dot(beside) / volume;
    let inside = u.min(v).min(1.0 - u - v);
    let step = if inside > EDGE { 2 } else { 1 };
    (inside >= -EDGE && far > 0.0).then_some((far, if volume < 0.0 { step } else { -step }))
}
