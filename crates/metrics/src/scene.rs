//! The triangles of a scene, with spatial queries.

use glam::{DVec2, DVec3};
use waymesh_core::{SoupTriangle, TriangleSoup, float};

use crate::tree::BoxTree;

/// The slope of a triangle, compared with the agent's limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slope {
    /// Faces up, and is no steeper than the agent's limit.
    Gentle,
    /// Faces up, with a slope within [`SLOPE_SLACK`] of the agent's limit.
    Borderline,
    /// Steeper, or faces down.
    Steep,
}

/// Slopes this close to the limit, in radians, are undecided: normals of single-precision corners
/// are not exact.
const SLOPE_SLACK: f64 = 0.002;

/// A triangle with area.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face {
    pub(crate) corners: [DVec3; 3],
    /// Unit normal.
    pub(crate) normal: DVec3,
    pub(crate) slope: Slope,
    /// For the edge from each corner to the next, `true` if the ground ends there: all edges but
    /// those shared by two gentle faces.
    pub(crate) open: [bool; 3],
}

/// A place on a face, above or below another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface {
    pub(crate) height: f64,
    pub(crate) face: usize,
}

/// All faces of a scene.
#[derive(Clone, Debug)]
pub(crate) struct SceneIndex {
    pub(crate) faces: Vec<Face>,
    pub(crate) low: DVec3,
    pub(crate) high: DVec3,
    tree: BoxTree,
    /// Directions of the rays of [`SceneIndex::is_inside_solid`].
    directions: [DVec3; DIRECTIONS],
}

impl SceneIndex {
    /// Indexes the triangles with a finite area. Their order does not matter.
    pub(crate) fn new(soup: &TriangleSoup, max_slope: f64) -> Self {
        let mut faces: Vec<Face> =
            soup.finite_with_areas().filter_map(|triangle| face(triangle, max_slope)).collect();
        faces.sort_by(|a, b| {
            let keys = |face: &Face| face.corners.map(|corner| corner.to_array());
            let (a, b) = (keys(a), keys(b));
            let order = a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| a.total_cmp(b));
            order.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        });
        mark_shared_edges(&mut faces);
        let corners = || faces.iter().flat_map(|face| face.corners);
        let low = corners().fold(DVec3::INFINITY, DVec3::min);
        let high = corners().fold(DVec3::NEG_INFINITY, DVec3::max);
        let tree = BoxTree::new(faces.iter().map(|face| extent(&face.corners)));
        Self { faces, low, high, tree, directions: directions() }
    }

    /// Calls `visit` with the faces whose boxes intersect a box.
    pub(crate) fn overlapping(&self, low: DVec3, high: DVec3, visit: impl FnMut(usize)) {
        self.tree.overlapping(low, high, visit);
    }

    /// Collects all surfaces above and below `at` between two heights, except vertical faces, in
    /// any order.
    pub(crate) fn column(&self, at: DVec2, low: f64, high: f64, out: &mut Vec<Surface>) {
        out.clear();
        let (from, to) = (DVec3::new(at.x, low, at.y), DVec3::new(at.x, high, at.y));
        self.tree.overlapping(from, to, |face| {
            if let Some(height) = height_at(&self.faces[face].corners, at)
                && height >= low
                && height <= high
            {
                out.push(Surface { height, face });
            }
        });
    }

    /// `true` if a ray leaves a solid that it did not enter: where a face shows its back, after as
    /// many that show their front as their back. Faces in one place that look in opposite ways cancel
    /// out.
    fn leaves_solid(&self, origin: DVec3, direction: DVec3) -> bool {
        /// Distance along a ray within which faces are in one place, as a share and in metres.
        const SAME_PLACE: f64 = 1e-5;
        let mut faces: Vec<(f64, i32)> = Vec::new();
        self.tree.along(origin, direction, |index| {
            let face = &self.faces[index];
            if let Some(distance) = ray_distance(face, origin, direction) {
                faces.push((distance, if face.normal.dot(direction) > 0.0 { 1 } else { -1 }));
            }
        });
        faces.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let mut left = 0;
        faces.chunk_by(|one, other| other.0 - one.0 <= SAME_PLACE * one.0.max(1.0)).any(|together| {
            left += together.iter().map(|(_, side)| side).sum::<i32>();
            left > 0
        })
    }

    /// `true` if a place is inside of a solid: rays straight up, and in nearly all directions of the
    /// upper half of the view, leave one that they did not enter.
    pub(crate) fn is_inside_solid(&self, point: DVec3) -> bool {
        /// A tenth of the directions.
        const MOST_OTHERS: usize = 6;
        let mut others = 0;
        // Up first: it almost always decides. The last rays are not needed if no other one failed.
        self.leaves_solid(point, DVec3::Y)
            && self.directions.iter().rev().zip((1..=DIRECTIONS).rev()).all(|(&direction, left)| {
                others += usize::from(others + left > MOST_OTHERS && !self.leaves_solid(point, direction));
                others <= MOST_OTHERS
            })
    }
}

/// Number of directions in which a place must be inside of a solid.
const DIRECTIONS: usize = 64;

/// Returns directions that are spread evenly over the upper half of the view: a spiral with the
/// golden angle, Vogel 1979.
fn directions() -> [DVec3; DIRECTIONS] {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    std::array::from_fn(|step| {
        let y = 1.0 - (step as f64 + 0.5) / DIRECTIONS as f64;
        let (sin, cos) = float::sin_cos(step as f64 * golden);
        let level = (1.0 - y * y).sqrt();
        DVec3::new(level * cos, y, level * sin)
    })
}

fn face(SoupTriangle { corners, area }: SoupTriangle, max_slope: f64) -> Option<Face> {
    let corners = corners.map(glam::Vec3::as_dvec3);
    let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).try_normalize()?;
    let angle = float::acos(normal.y.clamp(-1.0, 1.0));
    // Nobody walks on what is blocked, as on a wall.
    let slope = if !area.is_walkable() {
        Slope::Steep
    } else if (angle - max_slope).abs() < SLOPE_SLACK {
        Slope::Borderline
    } else if angle < max_slope {
        Slope::Gentle
    } else {
        Slope::Steep
    };
    Some(Face { corners, normal, slope, open: [true; 3] })
}

/// Marks edges with the same ends on two gentle faces as not open.
fn mark_shared_edges(faces: &mut [Face]) {
    let bits = |corner: DVec3| corner.to_array().map(f64::to_bits);
    let mut edges = Vec::new();
    for (index, face) in faces.iter().enumerate().filter(|(_, face)| face.slope != Slope::Steep) {
        for side in 0..3 {
            let (a, b) = (bits(face.corners[side]), bits(face.corners[(side + 1) % 3]));
            edges.push((a.min(b), a.max(b), index, side));
        }
    }
    edges.sort_unstable();
    for pair in edges.windows(2) {
        let [(a, b, first, side), (c, d, second, other)] = [pair[0], pair[1]];
        if (a, b) == (c, d) && first != second {
            faces[first].open[side] = false;
            faces[second].open[other] = false;
        }
    }
}

/// The box around a triangle.
pub(crate) fn extent(corners: &[DVec3; 3]) -> (DVec3, DVec3) {
    let [a, b, c] = *corners;
    (a.min(b).min(c), a.max(b).max(c))
}

/// Plan coordinates.
#[inline]
pub(crate) fn plan(point: DVec3) -> DVec2 {
    DVec2::new(point.x, point.z)
}

/// Twice the signed plan area of a triangle: positive as in
/// [`waymesh_core::PlanPoint::orientation`].
#[inline]
pub(crate) fn cross(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

/// Plan area of a triangle.
pub(crate) fn plan_area(corners: &[DVec3; 3]) -> f64 {
    let [a, b, c] = corners.map(plan);
    cross(a, b, c).abs() / 2.0
}

/// Height of a triangle at a plan position, if the triangle covers it, border included.
#[inline]
pub(crate) fn height_at(corners: &[DVec3; 3], at: DVec2) -> Option<f64> {
    let [a, b, c] = corners.map(plan);
    let area = cross(a, b, c);
    // Relative to the triangle's size, so that a point on a shared edge is never outside of both
    // triangles.
    let slack = -1e-9 * area.abs();
    let sign = area.signum();
    let (u, v, w) = (cross(b, c, at) * sign, cross(c, a, at) * sign, cross(a, b, at) * sign);
    if area == 0.0 || u < slack || v < slack || w < slack {
        return None;
    }
    let [ya, yb, yc] = corners.map(|corner| corner.y);
    Some((u * ya + v * yb + w * yc) / (u + v + w))
}

/// Distance along a ray to a face: Möller and Trumbore 1997, <https://doi.org/10.1080/10867651.1997.10487468>.
fn ray_distance(face: &Face, origin: DVec3, direction: DVec3) -> Option<f64> {
    let [a, b, c] = face.corners;
    let (e, f) = (b - a, c - a);
    let p = direction.cross(f);
    let determinant = e.dot(p);
    if determinant == 0.0 {
        return None;
    }
    let s = origin - a;
    let u = s.dot(p) / determinant;
    if !(0.0..=1.0).contains(&u) {
        return None;
    }
    let q = s.cross(e);
    let v = direction.dot(q) / determinant;
    let t = f.dot(q) / determinant;
    (v >= 0.0 && u + v <= 1.0 && t > 0.0).then_some(t)
}
