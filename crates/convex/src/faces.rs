//! Convex faces over the edges of a triangulation, and the removal of edges between them.

use waymesh_core::{
    DisjointSets, MAX_PLAN_COORDINATE, PlanPoint, PolyMesh, Triangle, TriangleId, Triangulation, VertexId,
    checkpoint_every, to_u32,
};

use crate::ConvexError;
use crate::subdivision::{NO_INDEX, Numbering, Patch, Side, Subdivision};

/// Largest number of triangles, because half-edges are numbered in 32 bits.
const MAX_TRIANGLES: usize = (u32::MAX / 3 - 1) as usize;

/// Faces over a triangulation. They begin as triangles and grow as edges are removed. Half-edge `3
/// t + i` leaves corner `i` of triangle `t`.
#[derive(Clone, Debug)]
pub(crate) struct Faces<'a> {
    triangulation: &'a Triangulation,
    half_edges: Vec<HalfEdge>,
    /// The triangles of each face.
    triangles: DisjointSets,
    /// Number of edges of each face, valid at its lowest triangle.
    sizes: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct HalfEdge {
    /// Start point.
    point: PlanPoint,
    /// The opposite half-edge; [`NO_INDEX`] on a wall.
    twin: u32,
    /// The next half-edge of the face; [`NO_INDEX`] once removed.
    next: u32,
    prev: u32,
    /// `true` if the face across has the same region and area.
    inner: bool,
}

/// The removal of the edges that two faces share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Removal {
    /// The two faces.
    pub(crate) faces: [u32; 2],
    /// First of the shared half-edges on the first face.
    pub(crate) first: u32,
    /// Last of the shared half-edges.
    pub(crate) last: u32,
    /// At both ends, the half-edges that arrive and leave once the shared ones are removed.
    pub(crate) joints: [[u32; 2]; 2],
    /// Number of corners of the merged face.
    size: u32,
}

impl<'a> Faces<'a> {
    /// Creates one face per triangle.
    pub(crate) fn new(triangulation: &'a Triangulation) -> Result<Self, ConvexError> {
        let triangles = triangulation.triangles.len();
        if triangles > MAX_TRIANGLES {
            return Err(ConvexError::TooManyTriangles { triangles, limit: MAX_TRIANGLES });
        }
        let mut half_edges = Vec::with_capacity(3 * triangles);
        for (index, triangle) in (0..).zip(&triangulation.triangles) {
            checkpoint_every(1 << 14, index as usize);
            let id = TriangleId(index);
            let mut points = [PlanPoint::default(); 3];
            for (point, &vertex) in points.iter_mut().zip(&triangle.vertices) {
                let Some(at) = triangulation.vertices.get(vertex.index()) else {
                    let count = triangulation.vertices.len();
                    return Err(ConvexError::UnknownVertex { triangle: id, vertex, count });
                };
                *point = at.point;
                let limit = MAX_PLAN_COORDINATE;
                if !(-limit..=limit).contains(&point.x) || !(-limit..=limit).contains(&point.z) {
                    return Err(ConvexError::OutOfRange { triangle: id, limit });
                }
            }
            if PlanPoint::orientation(points[0], points[1], points[2]) <= 0 {
                return Err(ConvexError::NotPositive { triangle: id });
            }
            let first = 3 * index;
            for (side, point) in (0..).zip(points) {
                let (mut twin, mut inner) = (NO_INDEX, false);
                if let Some(neighbour) = triangle.neighbours[side as usize] {
                    let (_, back) = triangulation
                        .across(id, side as usize)
                        .ok_or(ConvexError::OneSidedNeighbour { triangle: id, neighbour })?;
                    twin = 3 * neighbour.0 + to_u32(back);
                    let beyond = &triangulation.triangles[neighbour.index()];
                    inner = (beyond.region, beyond.area) == (triangle.region, triangle.area);
                }
                let (next, prev) = (first + (side + 1) % 3, first + (side + 2) % 3);
                half_edges.push(HalfEdge { point, twin, next, prev, inner });
            }
        }
        let sizes = vec![3; triangles];
        Ok(Self { triangulation, half_edges, triangles: DisjointSets::new(triangles), sizes })
    }

    /// Returns `true` if the edge lies between two faces of one region and area, and has not been
    /// removed.
    #[inline]
    pub(crate) fn is_inner(&self, edge: u32) -> bool {
        let half_edge = self.at(edge);
        half_edge.inner && half_edge.next != NO_INDEX
    }

    /// Returns one half-edge of each inner edge, in the order of the triangles.
    pub(crate) fn inner_edges(&self) -> impl Iterator<Item = u32> {
        (0..).take(self.half_edges.len()).filter(|&edge| edge < self.at(edge).twin && self.is_inner(edge))
    }

    /// Returns the number of half-edges, including removed ones.
    pub(crate) fn half_edge_count(&self) -> usize {
        self.half_edges.len()
    }

    /// Returns the half-edges of the face of `edge`, beginning with `edge`.
    pub(crate) fn around(&self, edge: u32) -> impl Iterator<Item = u32> {
        let next = move |&at: &u32| Some(self.at(at).next).filter(|&next| next != edge && next != NO_INDEX);
        std::iter::successors(Some(edge), next)
    }

    /// Returns the opposite half-edge, for an edge that is no wall.
    pub(crate) fn twin(&self, edge: u32) -> u32 {
        self.at(edge).twin
    }

    /// Returns the number of corners of a face, which is named by its lowest triangle.
    pub(crate) fn size(&self, face: u32) -> u32 {
        self.sizes[face as usize]
    }

    /// Returns for every half-edge `true` if it starts at a notch: a corner where the region's
    /// border turns right. Must be called before any removal.
    pub(crate) fn notches(&self) -> Vec<bool> {
        let mut notches = vec![false; self.half_edges.len()];
        for leaving in (0..).take(self.half_edges.len()) {
            checkpoint_every(1 << 14, leaving as usize);
            if self.is_inner(leaving) {
                continue;
            }
            // Turn through the region to the border edge that arrives. No step repeats, because no
            // step returns to `leaving`.
            let mut at = leaving;
            while self.is_inner(self.at(at).prev) {
                at = self.at(self.at(at).prev).twin;
            }
            let from = self.at(self.at(at).prev).point;
            let [corner, to] = self.ends(leaving);
            if PlanPoint::orientation(from, corner, to) < 0 {
                let last = at;
                at = leaving;
                notches[at as usize] = true;
                while at != last {
                    at = self.at(self.at(at).prev).twin;
                    notches[at as usize] = true;
                }
            }
        }
        notches
    }

    #[inline]
    fn at(&self, edge: u32) -> &HalfEdge {
        &self.half_edges[edge as usize]
    }

    /// Returns the end points of an edge.
    fn ends(&self, edge: u32) -> [PlanPoint; 2] {
        [self.at(edge).point, self.at(self.at(edge).next).point]
    }

    pub(crate) fn length_squared(&self, edge: u32) -> u64 {
        let [from, to] = self.ends(edge);
        from.distance_squared(to)
    }

    /// Returns the removal of the inner edge `edge`, if it leaves a convex face of at most
    /// `max_vertices` corners (0 = no limit).
    pub(crate) fn removal(&mut self, edge: u32, max_vertices: u32) -> Option<Removal> {
        let faces = [self.face(edge), self.face(self.at(edge).twin)];
        if faces[0] == faces[1] {
            return None;
        }
        let sizes = faces.map(|face| self.sizes[face as usize]);
        // Two convex faces share a straight piece of border. It has several edges if the region has
        // vertices inside.
        let (mut first, mut last, mut shared) = (edge, edge, 1);
        let most = sizes[0].min(sizes[1]);
        while shared < most && self.at(self.at(first).prev).twin == self.at(self.at(first).twin).next {
            first = self.at(first).prev;
            shared += 1;
        }
        while shared < most && self.at(self.at(last).next).twin == self.at(self.at(last).twin).prev {
            last = self.at(last).next;
            shared += 1;
        }
        let size = sizes[0] + sizes[1] - 2 * shared;
        if max_vertices != 0 && size > max_vertices {
            return None;
        }
        let joints = [
            [self.at(first).prev, self.at(self.at(first).twin).next],
            [self.at(self.at(last).twin).prev, self.at(last).next],
        ];
        let convex = joints.iter().all(|&[arriving, leaving]| self.turns_in(arriving, leaving));
        convex.then_some(Removal { faces, first, last, joints, size })
    }

    /// Applies a removal, and returns the merged face. The removal must have been computed after
    /// the previous removal was applied.
    pub(crate) fn remove(&mut self, removal: &Removal) -> u32 {
        let mut dead = removal.first;
        loop {
            let HalfEdge { next, twin, .. } = *self.at(dead);
            self.half_edges[dead as usize].next = NO_INDEX;
            self.half_edges[twin as usize].next = NO_INDEX;
            if dead == removal.last {
                break;
            }
            dead = next;
        }
        for [arriving, leaving] in removal.joints {
            self.half_edges[arriving as usize].next = leaving;
            self.half_edges[leaving as usize].prev = arriving;
        }
        let [a, b] = removal.faces;
        let kept = self.triangles.unite(a, b);
        self.sizes[kept as usize] = removal.size;
        kept
    }

    /// Removes edges in the given order, until no more can be removed.
    pub(crate) fn remove_in_order(&mut self, mut edges: Vec<u32>, max_vertices: u32) {
        // Faces only grow, and with them angles and sizes, so one pass is enough if regions have no
        // vertices inside. With such vertices, removing one edge can join two others to one
        // straight border that can then also be removed.
        loop {
            let mut removed = false;
            edges.retain(|&edge| {
                checkpoint_every(1 << 8, edge as usize);
                if !self.is_inner(edge) {
                    return false;
                }
                if let Some(removal) = self.removal(edge, max_vertices) {
                    self.remove(&removal);
                    removed = true;
                    return false;
                }
                true
            });
            if !removed {
                return;
            }
        }
    }

    /// Returns `true` if `leaving` neither turns right after `arriving` nor runs back along it.
    fn turns_in(&self, arriving: u32, leaving: u32) -> bool {
        let (from, at) = (self.at(arriving).point, self.at(leaving).point);
        let to = self.at(self.at(leaving).next).point;
        let turn = PlanPoint::orientation(from, at, to);
        let key = |point: PlanPoint| (point.x, point.z);
        turn > 0 || (turn == 0 && (key(from) < key(at)) == (key(at) < key(to)))
    }

    /// Returns the face of a half-edge, named by its lowest triangle.
    pub(crate) fn face(&mut self, edge: u32) -> u32 {
        self.triangles.find(edge / 3)
    }

    fn vertex(&self, edge: u32) -> VertexId {
        self.triangulation.triangles[edge as usize / 3].vertices[edge as usize % 3]
    }

    /// Returns the faces as polygons, in the order of their lowest triangles.
    pub(crate) fn into_subdivision(mut self) -> Subdivision<'a> {
        let mut polygon_of = vec![NO_INDEX; self.triangles.len()];
        let mut polygons = Vec::new();
        for face in (0..).take(self.triangles.len()) {
            if self.triangles.find(face) == face {
                polygon_of[face as usize] = to_u32(polygons.len());
                let Triangle { region, area, .. } = self.triangulation.triangles[face as usize];
                polygons.push(Patch { side: NO_INDEX, len: self.sizes[face as usize], region, area });
            }
        }
        let mut sides = Vec::with_capacity(self.half_edges.len());
        for edge in (0..).take(self.half_edges.len()) {
            let HalfEdge { twin, next, prev, .. } = *self.at(edge);
            let mut polygon = NO_INDEX;
            if next != NO_INDEX {
                polygon = polygon_of[self.face(edge) as usize];
                polygons[polygon as usize].side = polygons[polygon as usize].side.min(edge);
            }
            sides.push(Side { origin: self.vertex(edge).0, twin, next, prev, polygon });
        }
        Subdivision::new(self.triangulation, sides, polygons)
    }

    /// Returns the faces as a mesh, ordered by region, then by their lowest triangle.
    pub(crate) fn into_mesh(self) -> PolyMesh {
        self.into_subdivision().into_mesh(Numbering::Stored)
    }
}
