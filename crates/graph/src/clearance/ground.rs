//! The ground as triangles, joined across edges and open links.

use std::collections::HashMap;

use waymesh_core::{PlanPoint, PlanVertex, PolyId, Triangle, TriangleId, Triangulation, VertexId, to_u32};

use super::admitted::Admitted;
use super::open_links::{OpenLinks, edge_points, points, vertex_at};
use crate::mesh::filter::PolygonFilter;
use crate::mesh::link::{Link, LinkIndex};
use crate::mesh::link_turns::is_inside;
use crate::mesh::nav_mesh::NavMesh;

/// A piece of an edge of the remaining part of a polygon: an edge of the polygon, or of a triangle
/// that was cut off.
#[derive(Clone, Copy, Debug)]
enum Edge {
    Own(usize),
    Cut(usize, usize),
}

/// The triangles while they are cut.
#[derive(Debug)]
struct Cutting<'a> {
    mesh: &'a NavMesh,
    triangles: Vec<Triangle>,
    vertices: Vec<PlanVertex>,
    /// The triangle and side at each edge of each polygon, then at the further pieces of edges.
    at_edge: Vec<(usize, usize)>,
    /// The pieces of edges of polygons with open links and their ends, by where they start.
    pieces: HashMap<(PolyId, PlanPoint), (usize, PlanPoint)>,
    /// Points that split edges: edge, distance from its start, point.
    splits: Vec<(usize, u64, PlanVertex)>,
    open: &'a OpenLinks,
}

/// Cuts the allowed polygons of a mesh into triangles, joined across edges and open links.
pub(super) fn triangulate(mesh: &NavMesh, admitted: &Admitted, open: &OpenLinks) -> Triangulation {
    let mut cutting = Cutting {
        mesh,
        triangles: Vec::new(),
        vertices: mesh.vertices.plan.to_vec(),
        at_edge: vec![(0, 0); mesh.topology.neighbours.len()],
        pieces: HashMap::new(),
        splits: Vec::new(),
        open,
    };
    let allowed = || mesh.polygon_ids().filter(|id| admitted.has(id.0));
    let mut ring = Vec::new();
    for polygon in allowed() {
        cutting.begin(polygon, &mut ring);
        cutting.cut(polygon, &mut ring);
    }
    for polygon in allowed() {
        for edge in mesh.edge_range(polygon.index()) {
            if !admitted.is_wall(mesh.topology.neighbours[edge]) {
                cutting.join(edge, mesh.topology.fans.twin(to_u32(edge)) as usize);
            }
        }
    }
    cutting.join_links();
    Triangulation { frame: mesh.frame, vertices: cutting.vertices, triangles: cutting.triangles }
}

impl Cutting<'_> {
    /// Begins with all corners of a polygon, and the points where open links split its edges.
    fn begin(&mut self, polygon: PolyId, ring: &mut Vec<(VertexId, Edge)>) {
        let mesh = self.mesh;
        ring.clear();
        self.splits.clear();
        for (link, end) in self.open.at(mesh, polygon) {
            let segment = points(end);
            let link = &mesh.links()[link.index()];
            let corners = [&link.from, &link.to].into_iter().flat_map(|end| {
                mesh.edge_range(end.polygon.index()).map(|corner| vertex_at(mesh, corner).point)
            });
            let corners = corners.filter(|&corner| is_inside(segment, corner)).map(|point| {
                let [near, far] = end.ends;
                let [part, whole] = [point, far.point].map(|at| at.distance_squared(near.point) as f32);
                let height = near.height + (far.height - near.height) * (part / whole).sqrt();
                PlanVertex { point, height }
            });
            for at in end.ends.into_iter().chain(corners) {
                let edge = mesh
                    .edge_range(polygon.index())
                    .find(|&edge| is_inside(edge_points(mesh, polygon, edge), at.point));
                if let Some(edge) = edge {
                    let far = at.point.distance_squared(vertex_at(mesh, edge).point);
                    self.splits.push((edge, far, at));
                }
            }
        }
        self.splits.sort_by_key(|split| (split.0, split.1));
        self.splits.dedup_by_key(|split| (split.0, split.1));
        let mut next = 0;
        for corner in mesh.edge_range(polygon.index()) {
            ring.push((mesh.topology.corner_vertices[corner], Edge::Own(corner)));
            while let Some(&(_, _, at)) = self.splits.get(next).filter(|split| split.0 == corner) {
                ring.push((VertexId::from_index(self.vertices.len()), Edge::Own(self.at_edge.len())));
                self.vertices.push(at);
                self.at_edge.push((0, 0));
                next += 1;
            }
        }
        if self.open.at(mesh, polygon).next().is_some() {
            for (at, &(vertex, edge)) in ring.iter().enumerate() {
                let Edge::Own(piece) = edge else { continue };
                let end = ring[(at + 1) % ring.len()].0;
                let [from, to] = [vertex, end].map(|vertex| self.vertices[vertex.index()].point);
                self.pieces.insert((polygon, from), (piece, to));
            }
        }
    }

    /// Cuts a polygon into triangles: off the corners, one by one.
    fn cut(&mut self, polygon: PolyId, ring: &mut Vec<(VertexId, Edge)>) {
        let Some(of) = self.mesh.polygon(polygon) else { return };
        while ring.len() >= 3 {
            let count = ring.len();
            let ear = (0..count).find(|&at| {
                let place = |step: usize| self.vertices[ring[(at + step) % count].0.index()].point;
                let [before, tip, after] = [place(count - 1), place(0), place(1)];
                let stays = (2..count - 1).any(|step| PlanPoint::orientation(before, after, place(step)) > 0);
                PlanPoint::orientation(before, tip, after) > 0 && (count == 3 || stays)
            });
            // There is one in every polygon that is convex and has an area.
            let Some(tip) = ear else { break };
            let [before, after] = [(tip + count - 1) % count, (tip + 1) % count];
            let triangle = self.triangles.len();
            let last = if count == 3 { Some(ring[after].1) } else { None };
            let edges = [Some(ring[before].1), Some(ring[tip].1), last];
            self.triangles.push(Triangle {
                vertices: [before, tip, after].map(|at| ring[at].0),
                neighbours: [None; 3],
                region: of.region(),
                area: of.area_id(),
            });
            for (side, edge) in edges.into_iter().enumerate() {
                match edge {
                    Some(Edge::Own(piece)) => self.at_edge[piece] = (triangle, side),
                    Some(Edge::Cut(other, back)) => {
                        self.triangles[triangle].neighbours[side] = Some(TriangleId::from_index(other));
                        self.triangles[other].neighbours[back] = Some(TriangleId::from_index(triangle));
                    }
                    None => {}
                }
            }
            ring[before].1 = Edge::Cut(triangle, 2);
            ring.remove(tip);
            if count == 3 {
                break;
            }
        }
    }

    /// Joins a piece of an edge with the one beyond.
    fn join(&mut self, piece: usize, beyond: usize) {
        let (triangle, side) = self.at_edge[piece];
        self.triangles[triangle].neighbours[side] = Some(TriangleId::from_index(self.at_edge[beyond].0));
    }

    fn join_links(&mut self) {
        let mesh = self.mesh;
        let mut joined = Vec::new();
        for (number, Link { from, to, .. }) in (0..).map(LinkIndex).zip(mesh.links()) {
            if !self.open.has(number) {
                continue;
            }
            // Along the link, which has the polygon that it leads from on its left.
            let [mut at, last] = points(from);
            while let Some(&(piece, end)) = self.pieces.get(&(from.polygon, at)).filter(|_| at != last) {
                let Some(&(back, _)) = self.pieces.get(&(to.polygon, end)) else { break };
                joined.extend([(piece, back), (back, piece)]);
                at = end;
            }
        }
        for &(piece, beyond) in &joined {
            self.join(piece, beyond);
        }
        for (piece, _) in joined {
            let (triangle, side) = self.at_edge[piece];
            self.unite(triangle, side);
        }
    }

    /// Makes the corners of the triangles around a corner, from wall to wall, one vertex. Its height is
    /// that of the polygon whose wall starts there.
    fn unite(&mut self, triangle: usize, side: usize) {
        let (mut first, mut corners) = ((triangle, side), Vec::new());
        while let Some((beyond, back)) = self.beyond(first.0, first.1) {
            first = (beyond, (back + 1) % 3);
            if first == (triangle, side) {
                break;
            }
        }
        let mut at = first;
        loop {
            corners.push(at);
            match self.beyond(at.0, (at.1 + 2) % 3) {
                Some(next) if next != first => at = next,
                _ => break,
            }
        }
        let name = |&(triangle, corner): &(usize, usize)| self.triangles[triangle].vertices[corner];
        let vertex = name(&first);
        if corners.iter().any(|corner| name(corner) != vertex) {
            let united = VertexId::from_index(self.vertices.len());
            self.vertices.push(self.vertices[vertex.index()]);
            for (triangle, corner) in corners {
                self.triangles[triangle].vertices[corner] = united;
            }
        }
    }

    /// Returns the triangle across a side, and the index of the side there.
    fn beyond(&self, triangle: usize, side: usize) -> Option<(usize, usize)> {
        let beyond = self.triangles[triangle].neighbours[side]?.index();
        let own = Some(TriangleId::from_index(triangle));
        let back = self.triangles[beyond].neighbours.iter().position(|&back| back == own)?;
        Some((beyond, back))
    }
}

impl NavMesh {
    /// Returns the ground that a filter allows as triangles, joined across edges, and across links
    /// that are crossed like an edge and lead both ways at no cost. It is what a
    /// [`ClearanceNavMesh`](crate::ClearanceNavMesh) is made for.
    ///
    /// - Polygons are cut off corner by corner. Vertices keep their numbers, on a mesh of tiles
    ///   those of its compact form ([`NavMesh::to_compact`]); more follow where links end inside an
    ///   edge and where the vertices of both sides of a link become one.
    /// - Where links overlap, the first one joins. Takes time in the square of the links of a
    ///   polygon.
    #[must_use]
    pub fn ground_triangles(&self, filter: &impl PolygonFilter) -> Triangulation {
        let admitted = Admitted::of(self, filter);
        if !self.is_tiled() {
            return triangulate(self, &admitted, &OpenLinks::of(self, &admitted));
        }
        // Tiles have vertices of their own. In the compact form they share them, and the triangles do not
        // depend on how tiles came.
        let compact = self.to_compact();
        let mut moved = vec![false; compact.mesh().polygon_bound()];
        for polygon in self.polygon_ids() {
            if let Some(id) = compact.id_of(polygon) {
                moved[id.index()] = admitted.has(polygon.0);
            }
        }
        let admitted = Admitted::of_each(compact.mesh(), |polygon| moved[polygon.index()]);
        triangulate(compact.mesh(), &admitted, &OpenLinks::of(compact.mesh(), &admitted))
    }
}
