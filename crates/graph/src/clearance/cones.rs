//! Cones: directions between two bounds, from side to side of triangles.

use glam::DVec2;
use waymesh_core::float;

use super::bounds::{Bounds, GOAL, NO_INDEX, Root, Seen};
use super::memory::{Kind, Node};
use super::search::Search;
use super::table::{WALL, next, previous};
use crate::geometry::disc::{ANGLE_TOLERANCE, distance_squared, touch};

impl Search<'_> {
    /// Opens a side between two bounds.
    pub(super) fn offer_cone(&mut self, root: u32, entry: u32, mut bounds: Bounds) {
        if !bounds.close() {
            return;
        }
        let at = self.memory.roots[root as usize];
        // A direction behind the root never continues the path.
        let ends = self.table.ends(entry);
        let edge = ends[1] - ends[0];
        let beyond = edge.perp_dot(at.centre - ends[0]);
        if beyond > 0.0 && beyond * beyond > float::squared(self.radius + 1e-3) * edge.dot(edge) {
            return;
        }
        let has_margin = bounds.reach.is_some() || bounds.has_margin();
        if has_margin {
            let near = distance_squared(ends, at.centre).sqrt() - 2.0 * self.radius;
            if bounds.reach.is_some_and(|reach| near > reach) {
                return;
            }
            // Lines past a corner at less than the radius end before it: no farther than the corner.
            if bounds.reach.is_none() {
                if near > bounds.low_far {
                    bounds.low_wide = bounds.low;
                }
                if near > bounds.high_far {
                    bounds.high_wide = bounds.high;
                }
            }
        }
        let estimate = self.ahead(&at, entry, bounds.low_wide, bounds.high_wide);
        self.offer(Node { bounds, root, entry, kind: Kind::Cone }, estimate);
    }

    /// Returns the shortest path from a root between two bounds over a side to the goal, as if
    /// nothing were in the way behind it.
    pub(super) fn ahead(&self, root: &Root, entry: u32, low: DVec2, high: DVec2) -> f64 {
        let [mut left, mut right] = self.table.ends(entry);
        let edge = right - left;
        // The disc round a corner behind the side bulges over it: a path may turn as much before it.
        let before = -self.radius / edge.length();
        [left, right] = [left, right].map(|end| end + edge.perp() * before);
        // A goal on this side counts as mirrored to the other.
        let aside = edge.perp_dot(self.goal - left).min(0.0);
        let goal = self.goal + edge.perp() * (-2.0 * aside / edge.dot(edge));
        let bound = match self.tangent(root, goal, 0.0) {
            Some(way) => {
                let aim = way.direction;
                match (low.perp_dot(aim) < 0.0, high.perp_dot(aim) > 0.0) {
                    (false, false) => return root.length + self.chord(root, aim) + way.length,
                    (true, false) => low,
                    (false, true) => high,
                    // Behind a cone of nearly half a circle.
                    (true, true) => {
                        if low.dot(aim) > high.dot(aim) {
                            low
                        } else {
                            high
                        }
                    }
                }
            }
            None => return root.length + (goal - root.centre).length() - self.radius,
        };
        let from = touch(root.centre, root.offset, bound);
        let steep = bound.perp_dot(edge);
        let reach = (left - from).perp_dot(edge) / steep;
        let squared = |to: DVec2| (to - from).dot(to - from);
        let farthest = squared(left).max(squared(right));
        if !(reach.is_finite() && (reach <= 0.0 || reach * reach <= farthest)) {
            // Along the side, or past its end: no more is known than how far the goal is.
            return root.length + self.chord(root, bound) + (goal - from).length();
        }
        // The path extends over the side as far as the disc.
        let end = from + bound * reach.max(0.0);
        root.length + self.chord(root, bound) + (end - from).length() + (goal - end).length()
    }

    pub(super) fn is_open(&self, side: u32, corner: u32) -> Option<u32> {
        let twin = self.table.twin(side);
        let is_open = twin != WALL
            && f64::from(self.table.clearance[corner as usize]) >= self.width
            && (self.gates.is_some()
                || self.table.bridges.leads_to(self.goal_number, side, side / 3, twin / 3));
        is_open.then_some(twin)
    }

    pub(super) fn expand(&mut self, node: &Node) {
        let table = self.table;
        let (entry, from) = (node.entry, node.root);
        let root = self.memory.roots[from as usize];
        let (to_right, to_left) = (next(entry), previous(entry));
        if entry / 3 == self.goal_triangle {
            self.arrive(node, GOAL);
        }
        self.arrive_at_gates(node);
        // The corner ahead, and what is between it and both ends of the entry.
        let corner = to_left;
        let apex = table.start(corner);
        let offset = self.offset(corner);
        let right = self.is_open(to_right, to_right);
        let left = self.is_open(to_left, entry);
        match node.kind {
            // A root next to an end: its arc extends over sides before those that end at it.
            Kind::Cone if root.side != 0.0 && table.vertices[corner as usize] == root.vertex => {
                if let Some(beyond) = if root.side > 0.0 { right } else { left } {
                    self.offer_fan(from, beyond, node.bounds);
                }
            }
            Kind::Cone => {
                for (side, beyond) in [(1.0, right), (-1.0, left)] {
                    let Some(beyond) = beyond else { continue };
                    let wide = self.tangent(&root, apex, side * self.wide(corner));
                    let mut bounds = node.bounds;
                    let Some(way) = self.tangent(&root, apex, side * offset) else {
                        // Passed on the other side by every line, or by those that end before it or have it
                        // behind.
                        if let Some(wide) = wide {
                            bounds.pass_near(side, apex - root.centre, Some(&wide));
                            self.offer_cone(from, beyond, bounds);
                        }
                        continue;
                    };
                    if side > 0.0 {
                        bounds.pass_left(&way, wide.as_ref());
                    } else {
                        bounds.pass_right(&way, wide.as_ref());
                    }
                    self.offer_cone(from, beyond, bounds);
                    let seen = node.bounds.holds(way.direction, ANGLE_TOLERANCE);
                    self.turn(from, corner, side, way, Some(beyond), [NO_INDEX; 2], seen);
                }
            }
            Kind::Fan => self.expand_fan(node, &root, corner, [right, left]),
            Kind::Turn | Kind::Final(_) => {}
        }
    }

    /// Returns `true` if a cone holds a direction, that to a place or past it.
    pub(super) fn seen(&self, node: &Node, root: &Root, direction: DVec2, place: DVec2, loose: f64) -> Seen {
        if !matches!(node.kind, Kind::Fan) {
            return node.bounds.holds(direction, loose);
        }
        let Bounds { low, high, low_wide, high_wide, reach, .. } = node.bounds;
        let holds = |bound: DVec2| {
            self.tightened(root, bound, direction, place, loose).is_some_and(|(_, is_later)| is_later)
        };
        let (tight, wide) = if root.side > 0.0 { (low, low_wide) } else { (high, high_wide) };
        if reach.is_none() && holds(tight) {
            Seen::Clearly
        } else if holds(wide) {
            Seen::Perhaps
        } else {
            Seen::Not
        }
    }
}
