//! Triangles with the clearance of every traversal.

use crate::triangulation::check_side;
use crate::{AreaId, RegionId, TriangleId, Validate, VertexId, Violation, ViolationList};

/// A vertex of a [`ClearanceMesh`]: a corner of a wall, or a point where a wall was split. Metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClearanceVertex {
    /// World position along x, in double precision: on its wall to within 2^-21 cells.
    pub x: f64,
    /// World position along z, with the same precision.
    pub z: f64,
    /// World height of the ground, along y.
    pub height: f32,
}

/// A triangle of a [`ClearanceMesh`].
///
/// A *traversal* enters through one side and leaves through another. It is identified by the corner
/// between the two sides, so a triangle has three traversals, each for both directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClearanceTriangle {
    /// Corners, positive orientation.
    pub vertices: [VertexId; 3],
    /// Neighbour across the side from corner `i` to corner `i + 1`; `None` at a wall or drop.
    pub neighbours: [Option<TriangleId>; 3],
    /// Region that the triangle lies in, `None` if it may lie in several.
    pub region: Option<RegionId>,
    /// Area of the ground, `None` if it may have several.
    pub area: Option<AreaId>,
    /// Per corner, in metres: the largest diameter of a disc that can pass from one side at the
    /// corner to the other. 0 where one of the two sides is a wall. Rounded down.
    pub clearance: [f32; 3],
}

impl ClearanceTriangle {
    /// Returns the width of the traversal from side `entry` to side `exit`, in metres. `None`
    /// unless they are two different sides of 0, 1, 2.
    #[must_use]
    pub fn traversal(&self, entry: usize, exit: usize) -> Option<f32> {
        match (entry.min(exit), entry.max(exit)) {
            (0, 1) => Some(self.clearance[1]),
            (1, 2) => Some(self.clearance[2]),
            (0, 2) => Some(self.clearance[0]),
            _ => None,
        }
    }
}

/// A local clearance triangulation: walkable ground as triangles between walls, with the width of
/// every traversal of a triangle.
///
/// # Guarantees
/// The centre of a disc of diameter `d` can follow a chain of triangles across their common sides
/// exactly if no traversal of the chain is narrower than `d`. The widths also respect walls outside
/// the chain. They do not cover the two ends of the chain: the query must check whether the disc
/// fits there.
///
/// # References
/// Kallmann 2014, Dynamic and robust local clearance triangulations, <https://doi.org/10.1145/2580947>.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClearanceMesh {
    /// All vertices; every one lies on a wall.
    pub vertices: Vec<ClearanceVertex>,
    /// All triangles.
    pub triangles: Vec<ClearanceTriangle>,
}

impl ClearanceMesh {
    /// Returns the plan position `[x, z]` of a vertex in metres.
    #[inline]
    #[must_use]
    pub fn position(&self, vertex: VertexId) -> [f64; 2] {
        let at = self.vertices[vertex.index()];
        [at.x, at.z]
    }
}

impl Validate for ClearanceMesh {
    /// Checks that indices are in range, no triangle is flipped, neighbours share the same side,
    /// and clearances are zero exactly at walls.
    fn violations(&self, out: &mut ViolationList) {
        for (index, triangle) in self.triangles.iter().enumerate() {
            let id = TriangleId::from_index(index);
            if triangle.vertices.iter().any(|vertex| vertex.index() >= self.vertices.len()) {
                out.push(Violation::BrokenTriangle { triangle: id });
                continue;
            }
            let [a, b, c] = triangle.vertices.map(|vertex| self.position(vertex));
            let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
            // Metres are rounded, so a thin triangle may become flat. A triangle that is flipped by
            // more than rounding is broken.
            let size = [a, b, c].iter().flatten().fold(0.0_f64, |size, value| size.max(value.abs()));
            if area.is_nan() || area < -1e-12 * size * size {
                out.push(Violation::BrokenTriangle { triangle: id });
            }
            for side in 0..3 {
                let open =
                    triangle.neighbours[side].is_some() && triangle.neighbours[(side + 2) % 3].is_some();
                let clearance = triangle.clearance[side];
                if !clearance.is_finite() || clearance < 0.0 || (clearance > 0.0) && !open {
                    out.push(Violation::BrokenTriangle { triangle: id });
                }
                let sides_of =
                    |id: TriangleId| self.triangles.get(id.index()).map(|at| (&at.vertices, &at.neighbours));
                check_side(id, (&triangle.vertices, &triangle.neighbours), side, sides_of, out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_traversal_is_named_by_the_corner_between_its_sides() {
        let triangle = ClearanceTriangle {
            vertices: [VertexId(0), VertexId(1), VertexId(2)],
            neighbours: [None; 3],
            region: None,
            area: None,
            clearance: [1.0, 2.0, 3.0],
        };
        for (entry, exit, expected) in
            [(0, 1, Some(2.0)), (1, 2, Some(3.0)), (2, 0, Some(1.0)), (1, 1, None), (0, 3, None)]
        {
            assert_eq!(triangle.traversal(entry, exit), expected);
            assert_eq!(triangle.traversal(exit, entry), expected);
        }
    }
}
