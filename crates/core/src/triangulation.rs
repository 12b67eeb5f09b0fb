//! The triangulation of the polygons with holes.

use crate::{
    AreaId, GridFrame, PlanPoint, PlanVertex, RegionId, TriangleId, Validate, VertexId, Violation,
    ViolationList,
};

/// A positive triangle with its neighbour across each edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Triangle {
    /// Corners, positive orientation.
    pub vertices: [VertexId; 3],
    /// Neighbour across the edge from corner `i` to corner `i + 1`; `None` on a wall or drop.
    pub neighbours: [Option<TriangleId>; 3],
    /// Region of the polygon with holes that it belongs to. An edge whose neighbour has another
    /// region is a border between regions.
    pub region: RegionId,
    /// Area of the triangle.
    pub area: AreaId,
}

/// Corners of a triangle, and the triangles beyond the sides that begin at these corners.
pub(crate) type Sides<'a> = (&'a [VertexId; 3], &'a [Option<TriangleId>; 3]);

/// Reports a side of triangle `id` whose neighbour does not refer back to it across the same edge.
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

/// A triangulation of a [`crate::PolygonSet`]: no triangle crosses a border, and together they fill
/// the polygons with holes exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct Triangulation {
    /// Place and size of the grid.
    pub frame: GridFrame,
    /// Vertices of the polygons with holes, with the same ids, followed by any that the
    /// triangulation added.
    pub vertices: Vec<PlanVertex>,
    /// All triangles, sorted by polygon with holes.
    pub triangles: Vec<Triangle>,
}

impl Triangulation {
    /// Returns the plan point of a vertex.
    #[inline]
    #[must_use]
    pub fn point(&self, vertex: VertexId) -> PlanPoint {
        self.vertices[vertex.index()].point
    }

    /// Returns the plan points of a triangle.
    #[inline]
    #[must_use]
    pub fn corners(&self, triangle: TriangleId) -> [PlanPoint; 3] {
        self.triangles[triangle.index()].vertices.map(|vertex| self.point(vertex))
    }

    /// Returns the neighbour across a side, and the side of the neighbour that is the same edge.
    /// `None` if there is no neighbour, or it does not have the triangle across that edge.
    #[must_use]
    pub fn across(&self, triangle: TriangleId, side: usize) -> Option<(TriangleId, usize)> {
        let Triangle { vertices, neighbours, .. } = &self.triangles[triangle.index()];
        let ends = [vertices[(side + 1) % 3], vertices[side]];
        let neighbour = neighbours[side]?;
        let other = self.triangles.get(neighbour.index())?;
        let is_back = |&back: &usize| {
            other.neighbours[back] == Some(triangle)
                && [other.vertices[back], other.vertices[(back + 1) % 3]] == ends
        };
        Some((neighbour, (0..3).find(is_back)?))
    }

    /// Returns twice the area of all triangles together, in square cells. Exact.
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
    /// Checks that indices are in range, every triangle is positive, and neighbours share the same
    /// edge.
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
