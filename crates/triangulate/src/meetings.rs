//! Where edges cross, touch, or come near a vertex.

use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};
use waymesh_core::PlanPoint;

use crate::outline::is_between;

/// A piece of border: of which loop, from where to where, and of which edge it is a piece, as that
/// was in the beginning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) border: usize,
    pub(crate) ends: [PlanPoint; 2],
    pub(crate) whole: [PlanPoint; 2],
}

/// How near to an edge a vertex draws it, and how far the edge may go from where it was. In cells.
pub(crate) struct Nearness<'a> {
    pub(crate) near: f64,
    pub(crate) limit: f64,
    /// Whether a vertex draws edges at all.
    pub(crate) draws: &'a dyn Fn(PlanPoint) -> bool,
}

/// A point to cut an edge at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Meeting {
    pub(crate) edge: usize,
    pub(crate) point: PlanPoint,
    /// A vertex near the edge, not on it.
    pub(crate) is_bend: bool,
}

/// All meetings that one of the `fresh` edges has part in, in order of the edges, each once.
pub(crate) fn meetings(edges: &[Piece], fresh: &[usize], nearness: &Nearness<'_>) -> Vec<Meeting> {
    let mut is_fresh = vec![false; edges.len()];
    fresh.iter().for_each(|&edge| is_fresh[edge] = true);
    #[expect(clippy::cast_possible_truncation, reason = "at most a few times the grid")]
    let margin = nearness.near.ceil().min(f64::from(i32::MAX)) as i64;
    let corners = |edge: usize, margin: i64| {
        let [a, b] = edges[edge].ends;
        let low = [a.x.min(b.x), a.z.min(b.z)].map(|value| i64::from(value) - margin);
        (low, [a.x.max(b.x), a.z.max(b.z)].map(|value| i64::from(value) + margin))
    };
    let boxes = (0..edges.len()).map(|edge| {
        let (low, high) = corners(edge, 0);
        GeomWithData::new(Rectangle::from_corners(low, high), edge)
    });
    let tree = RTree::bulk_load(boxes.collect());
    let mut found = Vec::new();
    for &edge in fresh {
        let (low, high) = corners(edge, margin);
        for other in tree.locate_in_envelope_intersecting(AABB::from_corners(low, high)) {
            let other = other.data;
            // Of two fresh edges, the first one finds both.
            if other != edge && (other > edge || !is_fresh[other]) {
                meet(edges, edge, other, nearness, &mut found);
            }
        }
    }
    found.sort_unstable();
    // Both a bend and a cut: a cut.
    found.dedup_by_key(|meeting| (meeting.edge, meeting.point));
    found
}

fn meet(edges: &[Piece], edge: usize, other: usize, nearness: &Nearness<'_>, found: &mut Vec<Meeting>) {
    // Rounding must not depend on which comes first.
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
        // An end of one edge may be the nearest grid point: then the other edge alone is cut.
        let cut = [(edge, [a, b]), (other, [c, d])].into_iter().filter(|(_, ends)| !ends.contains(&point));
        found.extend(cut.map(|(edge, _)| Meeting { edge, point, is_bend: false }));
    }
}

/// Whether an edge is to bend to a point: it lies near, and the edge stays within its limit and
/// goes on ahead, so that it never comes back to where it was.
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

#[expect(clippy::cast_precision_loss, reason = "a length for comparison")]
pub(crate) fn length(a: PlanPoint, b: PlanPoint) -> f64 {
    (a.distance_squared(b) as f64).sqrt()
}

/// How far a point lies off an edge.
#[expect(clippy::cast_precision_loss, reason = "a length for comparison")]
pub(crate) fn off([a, b]: [PlanPoint; 2], point: PlanPoint) -> f64 {
    if along([a, b], point) <= 0 {
        length(a, point)
    } else if along([b, a], point) <= 0 {
        length(b, point)
    } else {
        PlanPoint::orientation(a, b, point).unsigned_abs() as f64 / length(a, b)
    }
}

/// Grows along an edge, from 0 at its start.
pub(crate) fn along([a, b]: [PlanPoint; 2], point: PlanPoint) -> i128 {
    let step = |from: i32, to: i32| i128::from(to) - i128::from(from);
    step(a.x, b.x) * step(a.x, point.x) + step(a.z, b.z) * step(a.z, point.z)
}

/// Whether a point lies strictly inside an edge.
fn on([a, b]: [PlanPoint; 2], point: PlanPoint) -> bool {
    PlanPoint::orientation(a, b, point) == 0 && is_between([a, b], point)
}

/// The grid point nearest to where two edges cross, to within rounding in double precision.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "rounded on purpose, between the ends"
)]
fn crossing([a, b]: [PlanPoint; 2], [c, d]: [PlanPoint; 2]) -> PlanPoint {
    let (from, to) = (PlanPoint::orientation(c, d, a) as f64, PlanPoint::orientation(c, d, b) as f64);
    let share = from / (from - to);
    let at =
        |from: i32, to: i32| (f64::from(from) + share * (f64::from(to) - f64::from(from))).round() as i32;
    PlanPoint::new(at(a.x, b.x), at(a.z, b.z))
}
