//! Search for the points at which edges cross, touch, or come near a vertex.

use waymesh_core::{Bounds, BoxTree, PlanPoint, checkpoint, saturating_i32};

use crate::outline::is_between;

/// A piece of an edge of a border: the index of its loop, its ends, and the ends of the original
/// edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) border: usize,
    pub(crate) ends: [PlanPoint; 2],
    pub(crate) whole: [PlanPoint; 2],
}

/// Limits for bending edges to vertices, in cells: the distance at which a vertex attracts an edge,
/// and the largest distance of an edge from its original line.
pub(crate) struct Nearness<'a> {
    pub(crate) near: f64,
    pub(crate) limit: f64,
    /// `true` if edges are bent to a vertex at this point.
    pub(crate) draws: &'a dyn Fn(PlanPoint) -> bool,
}

/// A point at which to cut an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Meeting {
    pub(crate) edge: usize,
    pub(crate) point: PlanPoint,
    /// `true` for a vertex near the edge, `false` for a vertex on it and for a crossing.
    pub(crate) is_bend: bool,
}

/// Returns all meetings that involve one of the `fresh` edges, ordered by edge, without duplicates.
pub(crate) fn meetings(edges: &[Piece], fresh: &[usize], nearness: &Nearness<'_>) -> Vec<Meeting> {
    let mut is_fresh = vec![false; edges.len()];
    fresh.iter().for_each(|&edge| is_fresh[edge] = true);
    let boxed = |edge: usize, margin: f64| Bounds::in_plan(edges[edge].ends, margin);
    let tree: BoxTree = (0..edges.len()).map(|edge| boxed(edge, 0.0)).collect();
    let mut found = Vec::new();
    for &edge in fresh {
        checkpoint();
        for other in tree.overlapping(boxed(edge, nearness.near)) {
            // A pair of fresh edges is found from the first of them.
            if other != edge && (other > edge || !is_fresh[other]) {
                meet(edges, edge, other, nearness, &mut found);
            }
        }
    }
    found.sort_unstable();
    // A meeting that is both a bend and a cut is a cut: it is sorted first.
    found.dedup_by_key(|meeting| (meeting.edge, meeting.point));
    found
}

fn meet(edges: &[Piece], edge: usize, other: usize, nearness: &Nearness<'_>, found: &mut Vec<Meeting>) {
    // The rounding must not depend on the order of the two edges.
    let [edge, other] = if edges[edge].ends < edges[other].ends { [edge, other] } else { [other, edge] };
    let ([a, b], [c, d]) = (edges[edge].ends, edges[other].ends);
    let before = found.len();
    for (edge, points) in [(edge, [c, d]), (other, [a, b])] {
        let ends = edges[edge].ends;
        found.extend(points.into_iter().filter(|point| !ends.contains(point)).filter_map(|point| {
            let is_on = on(ends, point);
            let is_bend = !is_on && bends(&edges[edge], point, nearness);
            (is_on || is_bend).then_some(Meeting { edge, point, is_bend })
        }));
    }
    let side = |p, q, r| PlanPoint::orientation(p, q, r).signum();
    if found.len() == before && side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0 {
        let point = crossing([a, b], [c, d]);
        // If an end of one edge is the nearest grid point, only the other edge is cut.
        let cut = [(edge, [a, b]), (other, [c, d])].into_iter().filter(|(_, ends)| !ends.contains(&point));
        found.extend(cut.map(|(edge, _)| Meeting { edge, point, is_bend: false }));
    }
}

/// Returns `true` if an edge must be bent to a point: the point is near, the edge stays within its
/// limit, and the chain keeps moving forward along the original edge.
fn bends(piece: &Piece, point: PlanPoint, nearness: &Nearness<'_>) -> bool {
    let [from, here, to] = [piece.ends[0], point, piece.ends[1]].map(|at| along(piece.whole, at));
    let within = |[a, b]: [PlanPoint; 2]| along([a, b], point) > 0 && along([b, a], point) > 0;
    nearness.near > 0.0
        && from < here
        && here < to
        && within(piece.ends)
        && off(piece.ends, point) <= nearness.near
        && off(piece.whole, point) <= nearness.limit
        && (nearness.draws)(point)
}

pub(crate) fn length(a: PlanPoint, b: PlanPoint) -> f64 {
    (a.distance_squared(b) as f64).sqrt()
}

/// Returns the distance of a point from an edge.
pub(crate) fn off([a, b]: [PlanPoint; 2], point: PlanPoint) -> f64 {
    if along([a, b], point) <= 0 {
        length(a, point)
    } else if along([b, a], point) <= 0 {
        length(b, point)
    } else {
        PlanPoint::orientation(a, b, point).unsigned_abs() as f64 / length(a, b)
    }
}

/// Returns the position of a point along an edge, from 0 at its start, up to a positive factor.
pub(crate) fn along([a, b]: [PlanPoint; 2], point: PlanPoint) -> i128 {
    let step = |from: i32, to: i32| i128::from(to) - i128::from(from);
    step(a.x, b.x) * step(a.x, point.x) + step(a.z, b.z) * step(a.z, point.z)
}

/// Returns `true` if a point lies strictly inside an edge.
fn on([a, b]: [PlanPoint; 2], point: PlanPoint) -> bool {
    PlanPoint::orientation(a, b, point) == 0 && is_between([a, b], point)
}

/// Returns the grid point nearest to the crossing of two edges, computed in double precision.
fn crossing([a, b]: [PlanPoint; 2], [c, d]: [PlanPoint; 2]) -> PlanPoint {
    let (from, to) = (PlanPoint::orientation(c, d, a) as f64, PlanPoint::orientation(c, d, b) as f64);
    let share = from / (from - to);
    let at = |from: i32, to: i32| {
        saturating_i32((f64::from(from) + share * (f64::from(to) - f64::from(from))).round())
    };
    PlanPoint::new(at(a.x, b.x), at(a.z, b.z))
}
