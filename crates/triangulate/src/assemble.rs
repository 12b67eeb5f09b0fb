//! Assembly of the triangles of single polygons into one [`Triangulation`].

use waymesh_core::{
    PlanPoint, PolygonSet, RegionId, Triangle, TriangleId, Triangulation, VertexId, checkpoint_every, to_u32,
};

use crate::TriangulateError;
use crate::outline::{Corner, Outline};

/// Flag of a border in [`LocalMesh::twins`]. The other bits are the corner that the border edge
/// leaves.
pub(crate) const BORDER: u32 = 1 << 31;
/// Sentinel for a missing index.
pub(crate) const NO_INDEX: u32 = u32::MAX;

/// The triangles of one polygon. Half-edge `3 t + i` leaves corner `i` of triangle `t`.
#[derive(Debug, Default)]
pub(crate) struct LocalMesh {
    pub(crate) triangles: Vec<[Corner; 3]>,
    /// The opposite half-edge of each half-edge, or [`BORDER`] and a corner.
    pub(crate) twins: Vec<u32>,
    /// Sort keys of the triangles: their vertices, the lowest first, and their old first half-edge.
    sorted: Vec<([VertexId; 3], u32)>,
    unsorted: Vec<[Corner; 3]>,
    /// New number of each old half-edge.
    renumbered: Vec<u32>,
}

impl LocalMesh {
    pub(crate) fn clear(&mut self) {
        self.triangles.clear();
        self.twins.clear();
    }

    /// Adds a triangle without twins.
    pub(crate) fn push(&mut self, corners: [Corner; 3]) -> u32 {
        let triangle = to_u32(self.triangles.len());
        self.triangles.push(corners);
        self.twins.extend([NO_INDEX; 3]);
        triangle
    }

    /// Sorts the triangles by their vertices, so that their order does not depend on the order of
    /// the borders.
    pub(crate) fn sort(&mut self, outline: &Outline) {
        self.sorted.clear();
        self.unsorted.clear();
        for (triangle, &corners) in (0..).zip(&self.triangles) {
            let mut vertices = corners.map(|corner| outline.vertices[corner as usize]);
            let turn = (0..3).min_by_key(|&corner| vertices[corner]).unwrap_or(0);
            vertices.rotate_left(turn);
            self.unsorted.push(corners);
            // The old number of the half-edge that becomes the first.
            self.sorted.push((vertices, 3 * triangle + to_u32(turn)));
        }
        self.sorted.sort_unstable();
        self.renumbered.clear();
        self.renumbered.resize(self.twins.len(), NO_INDEX);
        for (new, &(_, old)) in (0..).zip(&self.sorted) {
            let (triangle, turn) = (old / 3, old % 3);
            for side in 0..3 {
                self.renumbered[(3 * triangle + (side + turn) % 3) as usize] = 3 * new + side;
            }
        }
        for twin in &mut self.twins {
            if *twin & BORDER == 0 {
                *twin = self.renumbered[*twin as usize];
            }
        }
        // The twins have new values but are still in the old order of triangles.
        self.renumbered.clear();
        for &(_, old) in &self.sorted {
            let (first, turn) = (old / 3 * 3, old % 3);
            self.renumbered.extend([0, 1, 2].map(|side| self.twins[(first + (side + turn) % 3) as usize]));
        }
        std::mem::swap(&mut self.twins, &mut self.renumbered);
        for (triangle, &(_, old)) in self.triangles.iter_mut().zip(&self.sorted) {
            *triangle = self.unsorted[(old / 3) as usize];
            triangle.rotate_left((old % 3) as usize);
        }
    }
}

/// A border edge of a triangle with another region beyond.
#[derive(Clone, Copy, Debug)]
struct Seam {
    half_edge: u32,
    region: RegionId,
    beyond: RegionId,
    /// Next seam with the same lower vertex.
    next: u32,
}

/// A builder that collects the triangles of all polygons.
#[derive(Debug)]
pub(crate) struct Assembly {
    triangulation: Triangulation,
    seams: Vec<Seam>,
}

impl Assembly {
    pub(crate) fn new(set: &PolygonSet) -> Self {
        let corners: usize =
            set.polygons.iter().map(|polygon| polygon.outer.vertices.len() + 4 * polygon.holes.len()).sum();
        let triangulation = Triangulation {
            frame: set.frame,
            vertices: set.vertices.clone(),
            triangles: Vec::with_capacity(corners),
        };
        Self { triangulation, seams: Vec::new() }
    }

    /// Adds the triangles of one polygon, and checks that they fill it.
    pub(crate) fn add(&mut self, outline: &Outline, mesh: &mut LocalMesh) -> Result<(), TriangulateError> {
        mesh.sort(outline);
        let mut area = 0_i128;
        let first = to_u32(self.triangulation.triangles.len());
        for (index, &corners) in (0..).zip(&mesh.triangles) {
            checkpoint_every(1 << 14, index as usize);
            let [a, b, c] = corners.map(|corner| outline.point(corner));
            let doubled = PlanPoint::orientation(a, b, c);
            if doubled <= 0 {
                return Err(TriangulateError::NotInside { region: outline.region, point: a });
            }
            area += i128::from(doubled);
            let mut neighbours = [None; 3];
            for (side, neighbour) in (0..).zip(&mut neighbours) {
                let twin = mesh.twins[(3 * index + side) as usize];
                if twin & BORDER == 0 {
                    *neighbour = Some(TriangleId(first + twin / 3));
                } else if let Some(beyond) = outline.beyond[(twin & !BORDER) as usize] {
                    let half_edge = 3 * (first + index) + side;
                    self.seams.push(Seam { half_edge, region: outline.region, beyond, next: NO_INDEX });
                }
            }
            self.triangulation.triangles.push(Triangle {
                vertices: corners.map(|corner| outline.vertices[corner as usize]),
                neighbours,
                region: outline.region,
                area: outline.area,
            });
        }
        if area != outline.doubled_area {
            let (expected, actual) = (outline.doubled_area, area);
            return Err(TriangulateError::AreaLost { region: outline.region, expected, actual });
        }
        Ok(())
    }

    /// Joins the polygons across their seams. `united` holds pairs of vertices to merge.
    pub(crate) fn finish(mut self, united: &[[VertexId; 2]]) -> Triangulation {
        if !united.is_empty() {
            self.unite(united);
        }
        let mut heads = if self.seams.is_empty() {
            Vec::new()
        } else {
            vec![NO_INDEX; self.triangulation.vertices.len()]
        };
        for index in 0..self.seams.len() {
            checkpoint_every(1 << 14, index);
            let seam = self.seams[index];
            let [from, to] = self.ends(seam.half_edge);
            let head = &mut heads[from.index().min(to.index())];
            // The list is short: it holds the seams at one vertex whose other side is not found
            // yet.
            let (mut before, mut at) = (NO_INDEX, *head);
            while at != NO_INDEX {
                let other = self.seams[at as usize];
                if other.region == seam.beyond
                    && other.beyond == seam.region
                    && self.ends(other.half_edge) == [to, from]
                {
                    break;
                }
                (before, at) = (at, other.next);
            }
            if at == NO_INDEX {
                self.seams[index].next = *head;
                *head = to_u32(index);
                continue;
            }
            let other = self.seams[at as usize];
            if before == NO_INDEX {
                *head = other.next;
            } else {
                self.seams[before as usize].next = other.next;
            }
            self.link(seam.half_edge, other.half_edge);
            self.link(other.half_edge, seam.half_edge);
        }
        self.triangulation
    }

    fn ends(&self, half_edge: u32) -> [VertexId; 2] {
        let corners = &self.triangulation.triangles[(half_edge / 3) as usize].vertices;
        let side = (half_edge % 3) as usize;
        [corners[side], corners[(side + 1) % 3]]
    }

    fn link(&mut self, from: u32, to: u32) {
        self.triangulation.triangles[(from / 3) as usize].neighbours[(from % 3) as usize] =
            Some(TriangleId(to / 3));
    }

    /// Replaces each vertex by the lowest vertex in its union.
    fn unite(&mut self, united: &[[VertexId; 2]]) {
        let mut parents: Vec<u32> = (0..).take(self.triangulation.vertices.len()).collect();
        let root = |parents: &mut [u32], mut at: u32| {
            while parents[at as usize] != at {
                parents[at as usize] = parents[parents[at as usize] as usize];
                at = parents[at as usize];
            }
            at
        };
        for &[a, b] in united {
            let (a, b) = (root(&mut parents, a.0), root(&mut parents, b.0));
            parents[a.max(b) as usize] = a.min(b);
        }
        for triangle in &mut self.triangulation.triangles {
            triangle.vertices = triangle.vertices.map(|vertex| VertexId(root(&mut parents, vertex.0)));
        }
    }
}
