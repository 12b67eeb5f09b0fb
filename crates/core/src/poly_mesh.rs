//! Convex polygons, their neighbours, and the height of the ground in them.

use std::ops::Range;

use crate::{
    AreaId, GridFrame, PlanPoint, PlanVertex, PolyId, RegionId, Validate, VertexId, Violation, ViolationList,
    checkpoint_every,
};

/// A convex polygon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Poly {
    /// First entry in [`PolyMesh::corners`] and [`PolyMesh::neighbours`].
    pub first: u32,
    /// Number of corners, at least three.
    pub len: u32,
    /// Region of the polygon.
    pub region: RegionId,
    /// Area of the polygon.
    pub area: AreaId,
}

/// Convex polygons over shared vertices.
///
/// # Invariants
/// Polygons are convex (collinear corners are allowed where a neighbour needs them) and positive.
/// They do not overlap within a storey. They meet edge to edge: a neighbour shares the whole edge,
/// so no vertex lies inside an edge (no T-junctions).
#[derive(Clone, Debug, PartialEq)]
pub struct PolyMesh {
    /// Place and size of the grid.
    pub frame: GridFrame,
    /// All vertices.
    pub vertices: Vec<PlanVertex>,
    /// All polygons.
    pub polygons: Vec<Poly>,
    /// Corners of all polygons, one polygon after the other, each in positive order.
    pub corners: Vec<VertexId>,
    /// For each corner, the polygon across the edge from it to the next corner; `None` at a wall or
    /// drop.
    pub neighbours: Vec<Option<PolyId>>,
}

impl PolyMesh {
    /// Returns a mesh without polygons.
    #[must_use]
    pub fn empty(frame: GridFrame) -> Self {
        Self {
            frame,
            vertices: Vec::new(),
            polygons: Vec::new(),
            corners: Vec::new(),
            neighbours: Vec::new(),
        }
    }

    /// Returns the indices into [`PolyMesh::corners`] of one polygon.
    #[inline]
    #[must_use]
    pub fn corner_range(&self, polygon: PolyId) -> std::ops::Range<usize> {
        let polygon = &self.polygons[polygon.index()];
        polygon.first as usize..(polygon.first + polygon.len) as usize
    }

    /// Returns the corners of one polygon.
    #[inline]
    #[must_use]
    pub fn corners(&self, polygon: PolyId) -> &[VertexId] {
        &self.corners[self.corner_range(polygon)]
    }

    /// Returns the neighbours of one polygon, in the order of its corners.
    #[inline]
    #[must_use]
    pub fn neighbours(&self, polygon: PolyId) -> &[Option<PolyId>] {
        &self.neighbours[self.corner_range(polygon)]
    }

    /// Returns the plan point of a vertex.
    #[inline]
    #[must_use]
    pub fn point(&self, vertex: VertexId) -> PlanPoint {
        self.vertices[vertex.index()].point
    }

    /// Returns the number of portals, each counted once.
    #[must_use]
    pub fn portal_count(&self) -> usize {
        self.neighbours.iter().flatten().count() / 2
    }

    /// Returns twice the area of one polygon in square cells. Exact.
    #[must_use]
    pub fn doubled_area(&self, polygon: PolyId) -> i128 {
        PlanPoint::doubled_area(self.corners(polygon).iter().map(|&vertex| self.point(vertex)))
    }

    /// Returns the plan area of all polygons in square metres.
    #[must_use]
    pub fn area(&self) -> f64 {
        let doubled: i128 =
            (0..self.polygons.len()).map(|polygon| self.doubled_area(PolyId::from_index(polygon))).sum();
        doubled as f64 / 2.0 * self.frame.cell_area()
    }
}

impl Validate for PolyMesh {
    /// Checks that indices are in range, polygons are convex and positive, neighbours share one
    /// whole edge, and no polygon uses a vertex twice.
    fn violations(&self, out: &mut ViolationList) {
        if self.has_tables(out) {
            self.violations_of(0..self.polygons.len(), out);
        }
    }
}

impl PolyMesh {
    /// Lists the violations of the tables, and returns `true` if they have none: the first part of
    /// [`Validate::violations`].
    pub fn has_tables(&self, out: &mut ViolationList) -> bool {
        if self.corners.len() != self.neighbours.len()
            || self.corners.iter().any(|vertex| vertex.index() >= self.vertices.len())
            || self.neighbours.iter().flatten().any(|polygon| polygon.index() >= self.polygons.len())
        {
            out.push(Violation::BrokenTable { table: "polygon corners" });
            return false;
        }
        let mut end = 0;
        for (index, polygon) in self.polygons.iter().enumerate() {
            if polygon.first != end
                || polygon.len < 3
                || polygon.first as usize + polygon.len as usize > self.corners.len()
            {
                out.push(Violation::BrokenPolygon { polygon: PolyId::from_index(index) });
                return false;
            }
            end = polygon.first + polygon.len;
        }
        true
    }

    /// Lists the violations of some polygons: the second part of [`Validate::violations`], which
    /// can run in parallel on ranges of polygons.
    ///
    /// # Panics
    /// If [`PolyMesh::has_tables`] returns `false`, or if the range exceeds the polygons.
    pub fn violations_of(&self, polygons: Range<usize>, out: &mut ViolationList) {
        let edges = self.edges_of_many();
        for index in polygons {
            checkpoint_every(1 << 10, index);
            self.polygon_violations(PolyId::from_index(index), &edges, out);
        }
    }
}

/// Number of corners up to which a polygon's corners are scanned. Polygons with more corners use a
/// sorted table: scanning per corner would take quadratic time.
const MAX_SCANNED: usize = 32;

/// An edge: its two vertices, its polygon and the polygon across.
type DirectedEdge = (VertexId, VertexId, PolyId, Option<PolyId>);

impl PolyMesh {
    /// Returns the edges of one polygon, in order.
    fn edges(&self, id: PolyId) -> impl Iterator<Item = DirectedEdge> {
        let corners = self.corners(id);
        let next = corners.iter().skip(1).chain(corners.first());
        let ends = corners.iter().zip(next).zip(self.neighbours(id));
        ends.map(move |((&from, &to), &neighbour)| (from, to, id, neighbour))
    }

    /// Returns the sorted edges of all polygons with many corners.
    fn edges_of_many(&self) -> Vec<DirectedEdge> {
        let ids = (0..self.polygons.len()).map(PolyId::from_index);
        let many = ids.filter(|&id| self.corners(id).len() > MAX_SCANNED);
        let mut edges: Vec<DirectedEdge> = many.flat_map(|id| self.edges(id)).collect();
        edges.sort_unstable();
        edges
    }

    fn polygon_violations(&self, id: PolyId, of_many: &[DirectedEdge], out: &mut ViolationList) {
        let corners = self.corners(id);
        let count = corners.len();
        let repeated = if count <= MAX_SCANNED {
            (1..count).any(|corner| corners[..corner].contains(&corners[corner]))
        } else {
            let mut sorted = corners.to_vec();
            sorted.sort_unstable();
            sorted.windows(2).any(|pair| pair[0] == pair[1])
        };
        let [mut a, mut b] = [count - 2, count - 1].map(|corner| self.point(corners[corner]));
        let (mut bent, mut turns) = (false, 0);
        let ascends = |a: PlanPoint, b: PlanPoint| (b.x, b.z) > (a.x, a.z);
        for c in corners.iter().map(|&corner| self.point(corner)) {
            bent |= PlanPoint::orientation(a, b, c) < 0 || a == b;
            // Requiring turns of one sign would also allow a loop that winds twice, so the changes
            // of direction along x are counted.
            turns += usize::from(ascends(a, b) != ascends(b, c));
            (a, b) = (b, c);
        }
        if repeated || bent || turns != 2 || self.doubled_area(id) <= 0 {
            out.push(Violation::NotConvex { polygon: id });
        }
        for (from, to, _, neighbour) in self.edges(id) {
            let Some(neighbour) = neighbour else { continue };
            let back = (to, from, neighbour, Some(id));
            let mutual = if self.corners(neighbour).len() <= MAX_SCANNED {
                self.edges(neighbour).any(|edge| edge == back)
            } else {
                of_many.binary_search(&back).is_ok()
            };
            if !mutual || neighbour == id {
                out.push(Violation::OneSidedNeighbour { element: id.0, neighbour: neighbour.0 });
            }
        }
    }
}

/// A point of a [`HeightSurface`], in cells and levels of the frame.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct SurfacePoint {
    /// Cells along x from the frame's origin.
    pub x: f32,
    /// Levels above the frame's origin.
    pub height: f32,
    /// Cells along z from the frame's origin.
    pub z: f32,
}

/// The height of the ground in every polygon, as triangles.
///
/// # Layout
/// The triangles of polygon `c` are `triangles[polygon_triangles[c]..polygon_triangles[c + 1]]`.
/// They fill the polygon in plan. Two neighbours have the same points along their shared edge.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightSurface {
    /// All points.
    pub points: Vec<SurfacePoint>,
    /// All triangles, positive in plan.
    pub triangles: Vec<[u32; 3]>,
    /// First triangle of each polygon, and the number of triangles at the end.
    pub polygon_triangles: Vec<u32>,
    /// Largest difference to a ground sample, in levels.
    pub max_error: f32,
}

impl HeightSurface {
    /// Returns the triangles of a polygon.
    ///
    /// # Panics
    /// If the surface has no such polygon.
    #[must_use]
    pub fn triangles_of(&self, polygon: PolyId) -> &[[u32; 3]] {
        let [first, end] = [0, 1].map(|after| self.polygon_triangles[polygon.index() + after] as usize);
        &self.triangles[first..end]
    }

    /// Lists the violations of the layout over `polygons`: broken tables, triangles with negative
    /// or no area, and a plan area that differs from the polygon's by more than a ten-thousandth
    /// plus a hundredth of a square cell.
    pub fn violations_over(&self, polygons: &PolyMesh, out: &mut ViolationList) {
        if self.has_tables(polygons, out) {
            self.violations_of(0..polygons.polygons.len(), polygons, out);
        }
    }

    /// Lists the violations of the tables, and returns `true` if they have none: the first part of
    /// [`HeightSurface::violations_over`].
    pub fn has_tables(&self, polygons: &PolyMesh, out: &mut ViolationList) -> bool {
        let (count, triangles) = (polygons.polygons.len(), self.triangles.len());
        let is_sound = crate::validate::is_prefix_table(&self.polygon_triangles, count, triangles)
            && self.triangles.iter().flatten().all(|&point| (point as usize) < self.points.len());
        if !is_sound {
            out.push(Violation::BrokenTable { table: "height surface" });
        }
        is_sound
    }

    /// Lists the violations over some polygons: the second part of
    /// [`HeightSurface::violations_over`], which can run in parallel on ranges of polygons.
    ///
    /// # Panics
    /// If [`HeightSurface::has_tables`] returns `false`, or if the range exceeds the polygons.
    pub fn violations_of(&self, some: Range<usize>, polygons: &PolyMesh, out: &mut ViolationList) {
        for index in some {
            checkpoint_every(1 << 10, index);
            let polygon = PolyId::from_index(index);
            let mut doubled = 0.0;
            for triangle in self.triangles_of(polygon) {
                let [a, b, c] = triangle.map(|point| self.points[point as usize]);
                let cross =
                    f64::from(b.x - a.x) * f64::from(c.z - a.z) - f64::from(b.z - a.z) * f64::from(c.x - a.x);
                if cross < 0.0
                    || ![a, b, c].iter().all(|p| p.x.is_finite() && p.z.is_finite() && p.height.is_finite())
                {
                    out.push(Violation::BrokenSurface { polygon });
                }
                doubled += cross;
            }
            let expected = polygons.doubled_area(polygon) as f64;
            if (doubled - expected).abs() > expected * 1e-4 + 0.02 {
                out.push(Violation::BrokenSurface { polygon });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::to_u32;

    /// Returns a wide polygon with a corner at every cell of its lower side, and one square per
    /// cell below it.
    fn comb(teeth: u32) -> PolyMesh {
        let frame =
            GridFrame { origin: Vec3::ZERO, cell_size: 1.0, level_height: 1.0, width: teeth, depth: 2 };
        let at = |x: u32, z: i32| PlanPoint::new(x.cast_signed(), z);
        let rows = [0, 1].map(|z| (0..=teeth).map(move |x| at(x, z)));
        let points = rows.into_iter().flatten().chain([at(teeth, 2), at(0, 2)]);
        let vertices = points.map(|point| PlanVertex { point, height: 0.0 }).collect();
        let mut mesh = PolyMesh { frame, vertices, polygons: vec![], corners: vec![], neighbours: vec![] };
        let mut push = |corners: Vec<u32>, neighbours: Vec<Option<u32>>| {
            let (first, len) = (to_u32(mesh.corners.len()), to_u32(corners.len()));
            mesh.polygons.push(Poly { first, len, region: RegionId(0), area: AreaId::GROUND });
            mesh.corners.extend(corners.into_iter().map(VertexId));
            mesh.neighbours.extend(neighbours.into_iter().map(|neighbour| neighbour.map(PolyId)));
        };
        let upper = |x: u32| teeth + 1 + x;
        let corners = (0..=teeth).map(upper).chain([2 * teeth + 2, 2 * teeth + 3]).collect();
        push(corners, (0..teeth).map(|tooth| Some(1 + tooth)).chain([None; 3]).collect());
        for x in 0..teeth {
            let beside = [x.checked_sub(1), (x + 1 < teeth).then_some(x + 1)].map(|x| x.map(|x| x + 1));
            push(vec![x, x + 1, upper(x + 1), upper(x)], vec![None, beside[1], Some(0), beside[0]]);
        }
        mesh
    }

    #[test]
    fn neighbours_are_checked_in_polygons_of_few_and_many_corners() {
        for teeth in [1, 5, 29, 30, 31, 32, 60] {
            let sound = comb(teeth);
            sound.validate().unwrap();
            for edge in 0..sound.neighbours.len() {
                let Some(neighbour) = sound.neighbours[edge] else { continue };
                let mut broken = sound.clone();
                broken.neighbours[edge] = None;
                let violations = broken.validate().unwrap_err();
                let is_other = |found: &Violation| matches!(*found, Violation::OneSidedNeighbour { element, .. } if element == neighbour.0);
                assert!(violations.len() == 1 && is_other(&violations.kept()[0]), "{teeth}: {violations}");
            }
            let mut repeated = sound.clone();
            repeated.corners[1] = repeated.corners[0];
            let is_bent = |found: &Violation| matches!(found, Violation::NotConvex { .. });
            assert!(repeated.validate().unwrap_err().kept().iter().any(is_bent));
            // Checking in ranges gives the same list.
            let mut list = ViolationList::default();
            assert!(repeated.has_tables(&mut list));
            repeated.violations_of(0..1, &mut list);
            repeated.violations_of(1..repeated.polygons.len(), &mut list);
            assert_eq!(Err(list), repeated.validate());
        }
    }
}
