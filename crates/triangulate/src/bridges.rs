//! Bridges that join holes to the border around them, so that ear clipping has a single cycle.

use waymesh_core::{PlanPoint, RegionId, checkpoint, to_u32};

use crate::TriangulateError;
use crate::cycles::{BRIDGE, Cycles};
use crate::outline::{is_between, point_key};

/// Buffers of [`Bridges::join`].
#[derive(Debug, Default)]
pub(crate) struct Bridges {
    /// First node at each hole's lowest point, with the key of that point.
    holes: Vec<(u64, u32)>,
    /// Nodes of the cycles joined so far.
    joined: Vec<u32>,
    candidates: Vec<(u64, u32)>,
    visited: Vec<bool>,
}

impl Bridges {
    /// Joins every negative cycle to a positive cycle, or to a cycle joined before, by a doubled
    /// edge.
    ///
    /// Holes are taken in the order of their lowest vertex (by x, then z). All vertices before that
    /// vertex are then joined already. The nearest visible vertex among them becomes the anchor.
    pub(crate) fn join(&mut self, cycles: &mut Cycles, region: RegionId) -> Result<(), TriangulateError> {
        self.holes.clear();
        self.joined.clear();
        self.visited.clear();
        self.visited.resize(cycles.len(), false);
        for start in cycles.ids() {
            if self.visited[start as usize] {
                continue;
            }
            let first = self.joined.len();
            let (mut node, mut least, mut doubled_area) = (start, start, 0_i128);
            loop {
                self.visited[node as usize] = true;
                self.joined.push(node);
                let (point, next) = (cycles.point(node), cycles.next(node));
                if point_key(point) < point_key(cycles.point(least)) {
                    least = node;
                }
                // Only the sign matters, so a triangle fan from any point is enough.
                doubled_area +=
                    i128::from(PlanPoint::orientation(cycles.point(start), point, cycles.point(next)));
                node = next;
                if node == start {
                    break;
                }
            }
            if doubled_area < 0 {
                self.joined.truncate(first);
                self.holes.push((point_key(cycles.point(least)), least));
            }
        }
        self.holes.sort_unstable();
        for index in 0..self.holes.len() {
            checkpoint();
            let least = self.holes[index].1;
            if !self.join_hole(cycles, least, index) {
                return Err(TriangulateError::NotInside { region, point: cycles.point(least) });
            }
        }
        Ok(())
    }

    /// Joins the hole whose least node is `least`. Returns `false` if that node sees no anchor.
    fn join_hole(&mut self, cycles: &mut Cycles, least: u32, bridge: usize) -> bool {
        let target = cycles.point(least);
        self.candidates.clear();
        for &node in &self.joined {
            let point = cycles.point(node);
            if point_key(point) < point_key(target) {
                self.candidates.push((point.distance_squared(target), node));
            }
        }
        self.candidates.sort_unstable();
        let mut found = None;
        'search: for &(_, anchor) in &self.candidates {
            let from = cycles.point(anchor);
            if !cycles.sector_contains(anchor, target) {
                continue;
            }
            // A hole that touches itself has several nodes at its least point; one of them faces the anchor.
            let mut node = least;
            let facing = loop {
                if cycles.point(node) == target && cycles.sector_contains(node, from) {
                    break node;
                }
                node = cycles.next(node);
                if node == least {
                    continue 'search;
                }
            };
            if self
                .joined
                .iter()
                .all(|&edge| !blocks([from, target], [cycles.point(edge), cycles.point(cycles.next(edge))]))
            {
                found = Some((anchor, facing));
                break;
            }
        }
        let Some((anchor, facing)) = found else { return false };
        let mut node = facing;
        loop {
            self.joined.push(node);
            node = cycles.next(node);
            if node == facing {
                break;
            }
        }
        self.joined.extend(cycles.splice(anchor, facing, BRIDGE | to_u32(bridge)));
        true
    }
}

/// Returns `true` if the edge `u v` hides `from` and `to` from each other: it crosses the line of
/// sight, or one of its ends lies on it. Neither `from` nor `to` lies inside the edge.
fn blocks([from, to]: [PlanPoint; 2], [u, v]: [PlanPoint; 2]) -> bool {
    let (u_side, v_side) = (PlanPoint::orientation(from, to, u), PlanPoint::orientation(from, to, v));
    if u_side == 0 {
        return is_between([from, to], u);
    }
    if v_side == 0 || (u_side > 0) == (v_side > 0) {
        return false;
    }
    let (from_side, to_side) = (PlanPoint::orientation(u, v, from), PlanPoint::orientation(u, v, to));
    from_side != 0 && to_side != 0 && (from_side > 0) != (to_side > 0)
}
