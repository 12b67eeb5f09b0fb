//! The ground as triangles, joined across edges and open links.

use std::collections::HashMap;

use waymesh_core::{PlanPoint, PlanVertex, PolyId, Triangle, TriangleId, Triangulation, VertexId};

use super::Admitted;
use crate::mesh::bounds::NO_NEIGHBOUR;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::link_turns::is_inside;
use crate::mesh::links::{Link, LinkEnd, LinkIndex};
use crate::mesh::nav_mesh::NavMesh;

/// The links that are no walls to a disc: crossed like an edge, both ways, at no cost, between
/// ground that is allowed. One bit per link, none if no link is open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OpenLinks(Vec<bool>);

impl OpenLinks {
    pub(super) fn of(mesh: &NavMesh, admitted: &Admitted) -> Self {
        let mut open = Self(vec![false; mesh.links().len()]);
        for number in mesh.links_in_order() {
            let link = &mesh.links()[number.index()];
            let ends = [&link.from, &link.to];
            let is_open = link.is_open
                && mesh.links.is_portal(number)
                && link.is_free()
                && ends.iter().all(|end| admitted.has(end.polygon.0))
                && ends.iter().all(|end| open.leaves_room(mesh, admitted, end));
            open.0[number.index()] = is_open;
        }
        if !open.0.contains(&true) {
            open.0.clear();
        }
        open
    }

    pub(super) fn has(&self, link: LinkIndex) -> bool {
        self.0.get(link.index()).copied().unwrap_or(false)
    }

    /// Returns `true` if a link's end lies along walls, and no open link lies there.
    fn leaves_room(&self, mesh: &NavMesh, admitted: &Admitted, end: &LinkEnd) -> bool {
        let own = end.ends.map(|end| end.point);
        mesh.edge_range(end.polygon.index())
            .filter(|&edge| !admitted.is_wall(mesh.neighbours[edge]))
            .all(|edge| !overlap(own, edge_points(mesh, end.polygon, edge)))
            && self.at(mesh, end.polygon).all(|(_, other)| !overlap(own, points(other)))
    }

    /// The open links of a polygon, each with its end there.
    fn at<'a>(
        &'a self,
        mesh: &'a NavMesh,
        polygon: PolyId,
    ) -> impl Iterator<Item = (LinkIndex, &'a LinkEnd)> + use<'a> {
        let leaving = if self.0.is_empty() { &[] } else { mesh.links.leaving(polygon.0) };
        leaving.iter().filter_map(move |&leaving| {
            let (link, backwards) = (LinkIndex(leaving / 2), leaving % 2 == 1);
            self.has(link).then(|| (link, mesh.links()[link.index()].ends(backwards)[0]))
        })
    }

    /// The open links of a polygon: both ends of the segment, and the polygon beyond.
    pub(super) fn beyond<'a>(
        &'a self,
        mesh: &'a NavMesh,
        polygon: u32,
    ) -> impl Iterator<Item = ([PlanPoint; 2], u32)> + use<'a> {
        self.at(mesh, PolyId(polygon)).map(move |(link, end)| {
            let Link { from, to, .. } = &mesh.links()[link.index()];
            (points(end), if from.polygon.0 == polygon { to.polygon.0 } else { from.polygon.0 })
        })
    }

    /// Returns the open link from one polygon to another, unless they share an edge, and whether it is
    /// taken backwards; of several the one with the least distance from the way.
    pub(super) fn crossed(
        &self,
        mesh: &NavMesh,
        [from, to]: [PolyId; 2],
        distance: impl Fn([PlanPoint; 2]) -> f64,
    ) -> Option<(LinkIndex, bool)> {
        if self.0.is_empty() || mesh.neighbours[mesh.edge_range(from.index())].contains(&to.0) {
            return None;
        }
        let links = self.at(mesh, from).filter_map(|(number, end)| {
            let link = &mesh.links()[number.index()];
            let is_from = link.from.polygon == from;
            let beyond = if is_from { link.to.polygon } else { link.from.polygon };
            (beyond == to).then(|| (distance(points(end)), number, !is_from))
        });
        let nearest = links.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.0.cmp(&b.1.0)))?;
        Some((nearest.1, nearest.2))
    }

    /// Returns `true` if two polygons share an edge or an open link, or there are no open links.
    pub(super) fn is_step(&self, mesh: &NavMesh, [from, to]: [PolyId; 2]) -> bool {
        self.0.is_empty()
            || mesh.neighbours[mesh.edge_range(from.index())].contains(&to.0)
            || self.beyond(mesh, from.0).any(|(_, beyond)| beyond == to.0)
    }

    /// Calls `visit` with the polygons that lead from one to another over the fewest edges and open
    /// links, itself last: those that a path passed where it just touched a corner. With the last one
    /// alone if there are more than a few.
    pub(super) fn between(&self, mesh: &NavMesh, [from, to]: [PolyId; 2], mut visit: impl FnMut(PolyId)) {
        const MAX_VISITED: usize = 64;
        let mut known = [(from.0, 0); MAX_VISITED];
        let (mut at, mut count) = (0, 1);
        let mut found = (from == to).then_some(0);
        while at < count && count < MAX_VISITED && found.is_none() {
            let polygon = known[at].0;
            let across = mesh.neighbours[mesh.edge_range(polygon as usize)].iter().copied();
            let linked = self.beyond(mesh, polygon).map(|(_, beyond)| beyond);
            for beyond in across.chain(linked).filter(|&beyond| beyond != NO_NEIGHBOUR) {
                if count == MAX_VISITED || known[..count].iter().any(|known| known.0 == beyond) {
                    continue;
                }
                known[count] = (beyond, at);
                found = found.or((beyond == to.0).then_some(count));
                count += 1;
            }
            at += 1;
        }
        let Some(last) = found else { return visit(to) };
        // Its steps, first to last: as far back as each of them lies.
        let back = |steps: usize| (0..steps).fold(last, |at, _| known[at].1);
        let steps = (0..MAX_VISITED).find(|&steps| back(steps) == 0).unwrap_or(0);
        (0..steps).rev().for_each(|steps| visit(PolyId(known[back(steps)].0)));
    }

    /// Calls `visit` with the parts of a wall that no open link leads through, in order.
    pub(super) fn walls(
        &self,
        mesh: &NavMesh,
        polygon: PolyId,
        edge: usize,
        mut visit: impl FnMut([PlanVertex; 2]),
    ) {
        let mut from = vertex_at(mesh, edge);
        let last = vertex_at(mesh, edge_end(mesh, polygon, edge));
        let line = [from.point, last.point];
        // Position along the edge, times its length.
        let along = |at: &PlanVertex| {
            let off = |to: i32, from: i32| i128::from(to) - i128::from(from);
            let [from, to] = line;
            off(at.point.x, from.x) * off(to.x, from.x) + off(at.point.z, from.z) * off(to.z, from.z)
        };
        let on_line = |end: &PlanVertex| PlanPoint::orientation(line[0], line[1], end.point) == 0;
        loop {
            let gaps = self.at(mesh, polygon).map(|(_, end)| end.ends);
            let gaps = gaps.filter(|ends| ends.iter().all(on_line));
            let gaps = gaps.map(|[a, b]| if along(&a) < along(&b) { [a, b] } else { [b, a] });
            let next =
                gaps.filter(|[_, end]| along(end) > along(&from)).min_by_key(|[begin, _]| along(begin));
            let Some([begin, end]) = next.filter(|[begin, _]| along(begin) < along(&last)) else { break };
            if along(&begin) > along(&from) {
                visit([from, begin]);
            }
            from = end;
        }
        if along(&last) > along(&from) {
            visit([from, last]);
        }
    }
}

fn points(end: &LinkEnd) -> [PlanPoint; 2] {
    end.ends.map(|end| end.point)
}

fn edge_end(mesh: &NavMesh, polygon: PolyId, edge: usize) -> usize {
    let range = mesh.edge_range(polygon.index());
    if edge + 1 == range.end { range.start } else { edge + 1 }
}

fn vertex_at(mesh: &NavMesh, corner: usize) -> PlanVertex {
    mesh.plan_vertices[mesh.corner_vertices[corner].index()]
}

pub(super) fn edge_points(mesh: &NavMesh, polygon: PolyId, edge: usize) -> [PlanPoint; 2] {
    [edge, edge_end(mesh, polygon, edge)].map(|corner| vertex_at(mesh, corner).point)
}

/// Returns `true` if two segments share more than a point of one line.
fn overlap(a: [PlanPoint; 2], b: [PlanPoint; 2]) -> bool {
    let is_wide =
        (i64::from(a[0].x) - i64::from(a[1].x)).abs() >= (i64::from(a[0].z) - i64::from(a[1].z)).abs();
    let along = |at: PlanPoint| if is_wide { at.x } else { at.z };
    let range = |ends: [PlanPoint; 2]| {
        let [first, second] = ends.map(along);
        [first.min(second), first.max(second)]
    };
    let ([low, high], [other_low, other_high]) = (range(a), range(b));
    b.iter().all(|&end| PlanPoint::orientation(a[0], a[1], end) == 0)
        && low.max(other_low) < high.min(other_high)
}

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
        vertices: mesh.plan_vertices.to_vec(),
        at_edge: vec![(0, 0); mesh.neighbours.len()],
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
            if !admitted.is_wall(mesh.neighbours[edge]) {
                #[expect(clippy::cast_possible_truncation, reason = "edges fit 32 bits")]
                let beyond = mesh.fans.twin(edge as u32) as usize;
                cutting.join(edge, beyond);
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
            ring.push((mesh.corner_vertices[corner], Edge::Own(corner)));
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
    /// [`ClearanceNavMesh`](super::ClearanceNavMesh) is made for.
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
