//! Triangles of the polygons.

use crate::{
    AreaId, GridFrame, PlanPoint, PlanVertex, RegionId, TriangleId, Validate, VertexId, Violation,
    ViolationList,
};

/// A triangle, positive, with its neighbour across each edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Triangle {
    /// Corners, positive orientation.
    pub vertices: [VertexId; 3],
    /// Neighbour across the edge from corner `i` to corner `i + 1`; `None` on a wall or drop.
    pub neighbours: [Option<TriangleId>; 3],
    /// Region of the polygon it came from. An edge whose neighbour has another region is a border
    /// between regions.
    pub region: RegionId,
    /// What kind of ground it is.
    pub area: AreaId,
}

/// Corners of a triangle, and the triangles beyond the sides that begin there.
pub(crate) type Sides<'a> = (&'a [VertexId; 3], &'a [Option<TriangleId>; 3]);

/// Tells of a side of triangle `id` whose neighbour does not have it across the same edge.
pub(crate) fn check_side<'a>(
    id: TriangleId,
    (vertices, neighbours): Sides<'_>,
    side: usize,
    sides_of: impl Fn(TriangleId) -> Option<Sides<'a>>,
    out: &mut ViolationList,
) {
    let Some(neighbour) = neighbours[side] else { return };
    let (from, to) = (vertices[side], vertices[(side + 1) % 3]);
    let is_mutual = sides_of(neighbour).is_some_and(|(vertices, neighbours)| {
        (0..3).any(|back| {
            neighbours[back] == Some(id) && vertices[back] == to && vertices[(back + 1) % 3] == from
        })
    });
    if !is_mutual {
        out.push(Violation::OneSidedNeighbour { element: id.0, neighbour: neighbour.0 });
    }
}

/// A triangulation of a [`crate::PolygonSet`]: no triangle crosses a border, together they fill the
/// polygons exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct Triangulation {
    /// Place and size of the grid.
    pub frame: GridFrame,
    /// The vertices of the polygons, under the same ids, and any that the triangulation added after
    /// them.
    pub vertices: Vec<PlanVertex>,
    /// All triangles, polygon by polygon.
    pub triangles: Vec<Triangle>,
}

impl Triangulation {
    /// The plan point of a vertex.
    #[inline]
    #[must_use]
    pub fn point(&self, vertex: VertexId) -> PlanPoint {
        self.vertices[vertex.index()].point
    }

    /// The plan points of a triangle.
    #[inline]
    #[must_use]
    pub fn corners(&self, triangle: TriangleId) -> [PlanPoint; 3] {
        self.triangles[triangle.index()].vertices.map(|vertex| self.point(vertex))
    }

    /// Twice the area of all triangles together, in square cells. Exact.
    #[must_use]
    pub fn doubled_area(&self) -> i128 {
        (0..self.triangles.len())
            .map(|index| {
                let [a, b, c] = self.corners(TriangleId::from_index(index));
                i128::from(PlanPoint::orientation(a, b, c))
            })
            .sum()
    }
}

impl Validate for Triangulation {
    /// Indices in range, every triangle positive, neighbours mutual over one and the same edge.
    fn violations(&self, out: &mut ViolationList) {
        for (index, triangle) in self.triangles.iter().enumerate() {
            let id = TriangleId::from_index(index);
            if triangle.vertices.iter().any(|vertex| vertex.index() >= self.vertices.len()) {
                out.push(Violation::BrokenTriangle { triangle: id });
                continue;
            }
            let [a, b, c] = self.corners(id);
            if PlanPoint::orientation(a, b, c) <= 0 {
                out.push(Violation::BrokenTriangle { triangle: id });
            }
            for side in 0..3 {
                let sides_of =
                    |id: TriangleId| self.triangles.get(id.index()).map(|at| (&at.vertices, &at.neighbours));
                check_side(id, (&triangle.vertices, &triangle.neighbours), side, sides_of, out);
            }
        }
    }
}
