//! The links that are ground to a disc.

use waymesh_core::{PlanPoint, PlanVertex, PolyId};

use super::admitted::Admitted;
use crate::mesh::bounds::NO_NEIGHBOUR;
use crate::mesh::link::{Link, LinkEnd, LinkIndex};
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
            .filter(|&edge| !admitted.is_wall(mesh.topology.neighbours[edge]))
            .all(|edge| !overlap(own, edge_points(mesh, end.polygon, edge)))
            && self.at(mesh, end.polygon).all(|(_, other)| !overlap(own, points(other)))
    }

    /// The open links of a polygon, each with its end there.
    pub(super) fn at<'a>(
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
        if self.0.is_empty() || mesh.topology.neighbours[mesh.edge_range(from.index())].contains(&to.0) {
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
            || mesh.topology.neighbours[mesh.edge_range(from.index())].contains(&to.0)
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
            let across = mesh.topology.neighbours[mesh.edge_range(polygon as usize)].iter().copied();
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
        let last = vertex_at(mesh, mesh.corner_after(polygon.0, edge));
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

pub(super) fn points(end: &LinkEnd) -> [PlanPoint; 2] {
    end.ends.map(|end| end.point)
}

pub(super) fn vertex_at(mesh: &NavMesh, corner: usize) -> PlanVertex {
    mesh.vertices.plan[mesh.topology.corner_vertices[corner].index()]
}

pub(super) fn edge_points(mesh: &NavMesh, polygon: PolyId, edge: usize) -> [PlanPoint; 2] {
    [edge, mesh.corner_after(polygon.0, edge)].map(|corner| vertex_at(mesh, corner).point)
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
