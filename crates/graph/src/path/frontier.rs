//! The open and closed nodes of a search over edges and links.

use waymesh_core::to_u32;

use super::local::{Approach, Local};
use super::queue::Queue;
use crate::marks::Stamped;

/// No node: the parent of the first edges.
pub(super) const NO_NODE: u32 = u32::MAX;

/// Nodes of a search: each an edge or a link that is crossed, at a point.
#[derive(Clone, Debug, Default)]
pub(super) struct Frontier {
    /// Per edge, its node.
    seen: Stamped<u32>,
    /// Per polygon, the last of its `entries`.
    pub(super) entered: Stamped<u32>,
    /// Paths into polygons from which paths on were looked for.
    entries: Vec<Entry>,
    pub(super) nodes: Vec<Node>,
    /// [`key`] of each open node, once for every time that its estimate fell.
    open: Queue<u64>,
}

impl Frontier {
    /// Forgets the last search.
    pub(super) fn begin(&mut self, edges: usize, polygons: usize) {
        self.seen.begin(edges);
        self.entered.begin(polygons);
        self.entries.clear();
        self.nodes.clear();
        self.open.clear();
    }

    /// Closes and returns the first open node.
    pub(super) fn next(&mut self) -> Option<u32> {
        while let Some(key) = self.open.pop() {
            let node = node_of(key);
            if !std::mem::replace(&mut self.nodes[node as usize].closed, true) {
                return Some(node);
            }
        }
        None
    }

    /// Returns `true` if some path that came into a polygon before costs less to where this one
    /// enters it: all paths on are then known. Else remembers this one.
    ///
    /// At equal cost it is known only if it turns there: two ways round an obstacle that meet at a
    /// corner lead on in different directions.
    #[inline]
    pub(super) fn is_known(&mut self, polygon: u32, approach: &Approach) -> bool {
        let last = self.entered.get(polygon).unwrap_or(NO_ENTRY);
        let tolerance = if approach.turns_here() { COST_TOLERANCE } else { -COST_TOLERANCE };
        let cost = approach.cost * (1.0 + tolerance);
        let mut next = last;
        while let Some(entry) = self.entries.get(next as usize) {
            if entry.approach.cost_to(approach.at) <= cost {
                return true;
            }
            next = entry.before;
        }
        self.entered.set(polygon, to_u32(self.entries.len()));
        self.entries.push(Entry { approach: *approach, before: last });
        false
    }

    /// Opens a crossing from `a` to `b` that continues the string, and a long one also at one of its
    /// ends if that may be shorter. It costs `extra`, and a metre beyond costs `least`.
    #[inline(always)]
    pub(super) fn offer_segment(
        &mut self,
        crossing: u32,
        parent: u32,
        approach: &Approach,
        [a, b, target]: [Local; 3],
        (extra, least): (f32, f32),
    ) {
        let next = approach.over(target, a, b).plus(extra);
        let known = self.offer(crossing, parent, next, next.at.distance(target) * least);
        if let Some(known) = known
            && self.is_long(known, &next, [a, b])
        {
            self.offer_end([crossing, known, parent], approach, [a, b, target], (extra, least));
        }
    }

    /// Opens a crossing or improves it, and keeps the best of its polygon apart from the heap.
    /// Returns the node that is known at as good an estimate, if there is one: nothing is opened
    /// then.
    #[inline(always)]
    pub(super) fn offer(&mut self, crossing: u32, parent: u32, approach: Approach, rest: f32) -> Option<u32> {
        let estimate = approach.cost + rest;
        let new = Node { edge: crossing, parent, approach, estimate, closed: false };
        let Some(index) = self.seen.get(crossing) else {
            self.open_new(new);
            return None;
        };
        let known = &mut self.nodes[index as usize];
        if known.is_settled(estimate) {
            return Some(index);
        }
        *known = new;
        self.open.push(key(estimate, index));
        None
    }

    #[inline(always)]
    fn open_new(&mut self, node: Node) {
        let index = to_u32(self.nodes.len());
        self.seen.set(node.edge, index);
        self.nodes.push(node);
        self.open.push(key(node.estimate, index));
    }

    /// Returns `true` if the path to a node that is known turned elsewhere last, and the crossing
    /// is so long that this may matter.
    #[inline]
    fn is_long(&self, known: u32, approach: &Approach, [a, b]: [Local; 2]) -> bool {
        let known = &self.nodes[known as usize];
        let (x, z, least) = (b.x - a.x, b.z - a.z, known.estimate * LONG_EDGE_SHARE);
        x * x + z * z > least * least && !known.approach.turned_with(approach)
    }

    /// Opens a long crossing from `a` to `b` once more, at one of its ends, if `approach` gets there
    /// by a path that is much shorter than by the known node.
    ///
    /// A crossing is evaluated at one point. A path that is better there may be far worse at the point
    /// where the path to the goal continues.
    #[cold]
    #[inline(never)]
    fn offer_end(
        &mut self,
        [crossing, known, parent]: [u32; 3],
        approach: &Approach,
        [a, b, target]: [Local; 3],
        (extra, least): (f32, f32),
    ) {
        let known = self.nodes[known as usize].approach;
        let [gain_a, gain_b] = [a, b].map(|end| known.cost_to(end) - approach.cost_to(end) - extra);
        let end = if gain_a > gain_b { a } else { b };
        let approach = approach.over(end, a, b).plus(extra);
        let estimate = approach.cost + end.distance(target) * least;
        if gain_a.max(gain_b) < estimate * MIN_GAIN_SHARE {
            return;
        }
        self.open_new(Node { edge: crossing, parent, approach, estimate, closed: false });
    }

    /// Returns `true` if a crossing is closed, or open at no more than this estimate: an offer
    /// that costs as much or more would be refused.
    #[inline]
    pub(super) fn is_settled(&self, crossing: u32, estimate: f32) -> bool {
        self.seen.get(crossing).is_some_and(|index| self.nodes[index as usize].is_settled(estimate))
    }
}

/// Entry of a search into a polygon.
#[derive(Clone, Copy, Debug)]
struct Entry {
    approach: Approach,
    /// The entry of the same polygon before this one, or [`NO_ENTRY`].
    before: u32,
}

/// Sentinel for no entry.
const NO_ENTRY: u32 = u32::MAX;

/// Edges shorter than this part of an estimate are crossed at one point: another one is no detour
/// that matters.
const LONG_EDGE_SHARE: f32 = 0.1;

/// An edge is opened once more for a path that is shorter to one of its ends by this part of its
/// estimate.
const MIN_GAIN_SHARE: f32 = 0.05;

/// Two costs that differ by no more than this part count as equal: a sum of a hundred lengths is
/// rounded that much.
const COST_TOLERANCE: f32 = 1e-5;

/// Estimates that differ by no more than a hundred-thousandth (2^-17) count as equal: where the
/// goal is in sight they all are, but for rounding, and then the newest node leads straight to it.
/// A corridor is that much worse at most.
const TIE_MASK: u32 = !((1 << 6) - 1);

/// Orders nodes: smallest estimate first (positive floats sort like their bits), of equal ones the
/// newest.
#[inline]
fn key(estimate: f32, node: u32) -> u64 {
    u64::from(estimate.to_bits() & TIE_MASK) << 32 | u64::from(!node)
}

/// Returns the node of a key.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the lower half is the node")]
fn node_of(key: u64) -> u32 {
    !(key as u32)
}

/// An edge crossed, at a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) edge: u32,
    /// Node of the edge by which the polygon on the near side was entered.
    pub(super) parent: u32,
    pub(super) approach: Approach,
    /// The cost so far, with the path ahead as the crow flies.
    estimate: f32,
    closed: bool,
}

impl Node {
    /// Returns `true` if a path of this estimate is no better than what is known.
    #[inline]
    pub(super) fn is_settled(&self, estimate: f32) -> bool {
        self.closed || self.estimate <= estimate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_into_a_polygon_is_remembered() {
        let at = |x: f32, cost: f32| Approach::turn(Local { x, y: 0.0, z: 0.0 }, cost, 1.0);
        let mut frontier = Frontier::default();
        frontier.begin(1, 1);
        assert!(!frontier.is_known(0, &at(0.0, 10.0)));
        // Nearer than from the first, so paths on are looked for; the next are known from there.
        assert!(!frontier.is_known(0, &at(30.0, 12.0)));
        assert!(frontier.is_known(0, &at(31.0, 13.5)));
        assert!(frontier.is_known(0, &at(1.0, 11.5)));
        frontier.begin(1, 1);
        assert!(!frontier.is_known(0, &at(31.0, 13.5)));
    }
}
