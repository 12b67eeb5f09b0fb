//! Closed meshes with an inside defined by the parity of line crossings.

use std::sync::Arc;

use glam::{DVec3, Vec3};
use waymesh_core::{BadField, Bounds, TriangleSoup};

use crate::VoxelError;
use crate::error::finite;

/// A mesh without holes: an even number of its triangles meet at every edge, so every line crosses
/// it an even number of times. World coordinates, metres.
///
/// A point is inside if a line from it crosses the mesh an odd number of times. Triangles may
/// therefore face either way, and a body within a body is hollow.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Vec<[Vec3; 3]>", into = "Vec<[Vec3; 3]>"))]
pub struct ClosedMesh {
    /// Faces in ascending order of their smallest z.
    faces: Arc<[[Vec3; 3]]>,
    bounds: Bounds,
}

#[cfg(feature = "serde")]
impl From<ClosedMesh> for Vec<[Vec3; 3]> {
    fn from(mesh: ClosedMesh) -> Self {
        mesh.faces.to_vec()
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Vec<[Vec3; 3]>> for ClosedMesh {
    type Error = VoxelError;

    fn try_from(faces: Vec<[Vec3; 3]>) -> Result<Self, VoxelError> {
        Self::of_faces(faces)
    }
}

/// Loops in plan, `(x, z)`.
type PlanLoops = Vec<Vec<[f64; 2]>>;

/// An edge as the bits of its two corners, the smaller first.
type Edge = [[u32; 3]; 2];

fn edge_of(a: Vec3, b: Vec3) -> Edge {
    let [a, b] = [a, b].map(|corner| corner.to_array().map(f32::to_bits));
    if a < b { [a, b] } else { [b, a] }
}

impl ClosedMesh {
    /// Returns a mesh of the triangles of a soup. Corners with equal coordinates are the same
    /// corner. Triangles with two equal corners are left out.
    ///
    /// # Cost
    /// `n log n` in the number of triangles. Clones share the triangles.
    ///
    /// # Errors
    /// - [`VoxelError::BadField`] for a corner that is not finite, and for a soup without
    ///   triangles.
    /// - [`VoxelError::OpenMesh`] with an edge at which an odd number of triangles meet.
    pub fn new(soup: &TriangleSoup) -> Result<Self, VoxelError> {
        Self::of_faces((0..soup.triangles().len()).map(|triangle| soup.corners(triangle)))
    }

    fn of_faces(triangles: impl IntoIterator<Item = [Vec3; 3]>) -> Result<Self, VoxelError> {
        let mut faces = Vec::new();
        for triangle in triangles {
            // Adding zero turns a negative zero into a positive one.
            let [a, b, c] = triangle.map(|corner| corner + Vec3::ZERO);
            for corner in [a, b, c] {
                finite("mesh corner", &corner.to_array())?;
            }
            if a != b && b != c && c != a {
                faces.push([a, b, c]);
            }
        }
        let expected = "at least one with three corners";
        BadField::unless(!faces.is_empty(), "mesh triangles", 0.0, expected)?;
        let sides = |&[a, b, c]: &[Vec3; 3]| [(a, b), (b, c), (c, a)].map(|(a, b)| edge_of(a, b));
        let mut edges: Vec<Edge> = faces.iter().flat_map(sides).collect();
        edges.sort_unstable();
        if let Some(odd) = edges.chunk_by(|a, b| a == b).find(|same| same.len() % 2 == 1) {
            let edge = odd[0].map(|corner| Vec3::from(corner.map(f32::from_bits)));
            return Err(VoxelError::OpenMesh { edge, triangles: odd.len() });
        }
        faces.sort_by(|a, b| least_z(a).total_cmp(&least_z(b)));
        let bounds = Bounds::of(faces.iter().flatten().copied());
        Ok(Self { faces: faces.into(), bounds })
    }

    /// Returns the bounding box.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Returns the triangles.
    #[must_use]
    pub fn soup(&self) -> TriangleSoup {
        let corners: Vec<Vec3> = self.faces.iter().flatten().copied().collect();
        let triangles = (0..).step_by(3).map(|first| [first, first + 1, first + 2]);
        TriangleSoup::new(corners, triangles.take(self.faces.len()).collect()).unwrap_or_default()
    }

    /// Returns the triangles, turned round if they enclose a negative volume: facing outward, if all
    /// face to one side.
    pub(crate) fn outward(&self) -> TriangleSoup {
        let origin = self.bounds.min.as_dvec3();
        let volume = |face: &[Vec3; 3]| {
            let [a, b, c] = face.map(|corner| corner.as_dvec3() - origin);
            a.dot(b.cross(c))
        };
        if self.faces.iter().map(volume).sum::<f64>() >= 0.0 {
            return self.soup();
        }
        let turned: Arc<[[Vec3; 3]]> = self.faces.iter().map(|&[a, b, c]| [a, c, b]).collect();
        Self { faces: turned, bounds: self.bounds }.soup()
    }

    /// Calls `visit` with the columns of a row whose centre lines pass through the mesh, and with
    /// each range of heights inside, in ascending order. `z` is the coordinate of all centres.
    /// `first_column` returns the first column whose centre lies at or beyond `x`, `centre` the x
    /// of a centre.
    ///
    /// A line that runs along a side counts as slightly off it, consistently for all triangles.
    ///
    /// # Cost
    /// Linear in the triangles whose smallest z is not beyond the row, `n log n` in the visited
    /// ranges.
    pub(crate) fn visit_row(
        &self,
        z: f64,
        first_column: impl Fn(f64) -> u32,
        centre: impl Fn(u32) -> f64,
        mut visit: impl FnMut(u32, [f64; 2]),
    ) {
        let reached = self.faces.partition_point(|face| f64::from(least_z(face)) <= z);
        let mut crossings: Vec<(u32, f64)> = Vec::new();
        for face in &self.faces[..reached] {
            let Some(mut ends) = cut(face, 2, z, Beyond::Above) else { continue };
            ends.sort_unstable_by(|a, b| a.1.x.total_cmp(&b.1.x));
            let [a, b] = ends.map(|(_, point)| point);
            for column in first_column(a.x)..first_column(b.x) {
                let height = a.y + (b.y - a.y) * ((centre(column) - a.x) / (b.x - a.x));
                crossings.push((column, height.clamp(a.y.min(b.y), a.y.max(b.y))));
            }
        }
        crossings.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        for of_column in crossings.chunk_by(|a, b| a.0 == b.0) {
            let mut pairs = of_column.chunks_exact(2).map(|pair| [pair[0].1, pair[1].1]).peekable();
            while let Some([low, mut high]) = pairs.next() {
                while let Some([_, above]) = pairs.next_if(|next| next[0] <= high) {
                    high = above;
                }
                visit(of_column[0].0, [low, high]);
            }
        }
    }

    /// Returns the section of the inside at a height, as loops to fill by the even-odd rule. If
    /// corners or faces lie at the height, the result may have two sets of loops, for just above
    /// and just below; the section is their union.
    ///
    /// # Cost
    /// `n log n` in the number of triangles.
    #[must_use]
    pub fn sections(&self, height: f64) -> Vec<PlanLoops> {
        // Corners have positive zeros only.
        let height = height + 0.0;
        let touches =
            self.faces.iter().flatten().any(|corner| f64::from(corner.y).total_cmp(&height).is_eq());
        let sides = if touches { &[Beyond::Above, Beyond::At][..] } else { &[Beyond::Above] };
        let sections = sides.iter().map(|&side| self.section(height, side));
        sections.filter(|loops| !loops.is_empty()).collect()
    }

    fn section(&self, height: f64, side: Beyond) -> PlanLoops {
        let pieces: Vec<[(Edge, DVec3); 2]> =
            self.faces.iter().filter_map(|face| cut(face, 1, height, side)).collect();
        // Every edge has an even number of ends, so consecutive ends in this order are joined.
        let mut ends: Vec<(Edge, usize)> =
            pieces.iter().flatten().enumerate().map(|(end, (edge, _))| (*edge, end)).collect();
        ends.sort_unstable();
        let mut joined = vec![0; ends.len()];
        for pair in ends.chunks_exact(2) {
            (joined[pair[0].1], joined[pair[1].1]) = (pair[1].1, pair[0].1);
        }
        let mut loops = Vec::new();
        let mut is_done = vec![false; pieces.len()];
        for first in 0..pieces.len() {
            let (mut end, mut points) = (2 * first, Vec::new());
            while !std::mem::replace(&mut is_done[end / 2], true) {
                let point = pieces[end / 2][end % 2].1;
                points.push([point.x, point.z]);
                end = joined[end ^ 1];
            }
            points.dedup();
            if points.len() > 2 {
                loops.push(points);
            }
        }
        loops
    }
}

fn least_z(face: &[Vec3; 3]) -> f32 {
    face[0].z.min(face[1].z).min(face[2].z)
}

/// The rule for corners beyond a value. With either rule, each face has two edges or none that pass
/// the value.
#[derive(Clone, Copy)]
enum Beyond {
    /// Corners above the value are beyond it.
    Above,
    /// Corners at or above the value are beyond it.
    At,
}

/// Returns the points where the edges of a face pass a value of one axis. All faces at an edge give
/// the same point.
fn cut(face: &[Vec3; 3], axis: usize, value: f64, side: Beyond) -> Option<[(Edge, DVec3); 2]> {
    let is_beyond = |corner: Vec3| {
        let corner = f64::from(corner[axis]);
        match side {
            Beyond::Above => corner > value,
            Beyond::At => corner >= value,
        }
    };
    let [a, b, c] = *face;
    let mut passing =
        [(a, b), (b, c), (c, a)].into_iter().filter(|&(a, b)| is_beyond(a) != is_beyond(b)).map(|(a, b)| {
            let [from, to] = if is_beyond(a) { [b, a] } else { [a, b] }.map(Vec3::as_dvec3);
            let share = (value - from[axis]) / (to[axis] - from[axis]);
            (edge_of(a, b), from + (to - from) * share)
        });
    Some([passing.next()?, passing.next()?])
}
