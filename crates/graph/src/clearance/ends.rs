//! The two ends of a way, which lie in the middle of triangles.

use super::bounds::{Bounds, Root, Seen};
use super::disc::{Plane, SAME, Tangent, angle, cross, left_of, minus, plus, touch, unit};
use super::search::{Kind, NONE, Node, Search};
use super::table::next;

impl Search<'_> {
    /// A cone has come into the triangle of the goal.
    pub(super) fn arrive(&mut self, node: &Node) {
        let from = node.root;
        let root = self.memory.roots[from as usize];
        if let Some(way) = self.tangent(&root, self.goal, 0.0) {
            let seen = self.seen(node, &root, way.direction, self.goal, self.loose(way.length));
            self.complete(from, way, Some(node.entry), seen);
        }
        for at in 0..self.memory.goal.corners.len() {
            let corner = self.memory.goal.corners[at];
            let place = self.table.start(corner);
            if self.table.vertices[corner as usize] == root.vertex {
                continue;
            }
            for side in [1.0, -1.0] {
                if let Some(way) = self.tangent(&root, place, side * self.radius) {
                    let seen = match self.seen(node, &root, way.direction, place, SAME) {
                        Seen::Not => Seen::Not,
                        _ => Seen::Perhaps,
                    };
                    self.turn(from, corner, side, way, None, [false, true], seen);
                }
            }
        }
    }

    pub(super) fn complete(&mut self, from: u32, way: Tangent, entry: Option<u32>, seen: Seen) {
        let root = self.memory.roots[from as usize];
        let seen = self.closely(&root, seen);
        if seen != Seen::Not {
            let estimate = root.length + self.arc(&root, way.direction) + way.length;
            let bounds = Bounds { low_far: way.length, ..Bounds::of(way.direction, way.direction) };
            let entry = entry.filter(|_| seen == Seen::Clearly).unwrap_or(NONE);
            self.offer(Node { bounds, root: from, entry, kind: Kind::Final }, estimate);
        }
    }

    /// Looks closely at a way to the goal.
    pub(super) fn ends_well(&mut self, node: &Node) -> bool {
        let root = self.memory.roots[node.root as usize];
        let way = Tangent { direction: node.bounds.low, length: node.bounds.low_far };
        // An arc that ends in the triangle of the goal may begin in the middle of it, too.
        if self.radius > 0.0 && root.side != 0.0 && !root.near[1] && self.is_goal_corner(root.vertex) {
            let parent = self.memory.roots[root.parent as usize];
            let before = [
                touch(parent.centre, parent.offset, root.arrival),
                touch(root.centre, root.offset, root.arrival),
            ];
            let goal = &self.memory.goal;
            if !goal.is_clear(before, self.least()) || !self.turns_freely(goal, &root, way.direction) {
                return false;
            }
        }
        let clear_to = (node.entry != NONE).then_some(node.entry);
        self.turns_free(&root, way.direction)
            && self.is_clear_along(self.goal_triangle, self.goal, &root, &way, clear_to)
    }

    /// The goal is known to rounding only: how much that may turn a way of this length.
    pub(super) fn loose(&self, long: f64) -> f64 {
        SAME + 2.0 * self.table.slack / long.max(self.table.slack)
    }

    pub(super) fn is_goal_corner(&self, vertex: u32) -> bool {
        self.memory.goal.corners.iter().any(|&corner| self.table.vertices[corner as usize] == vertex)
    }

    /// Whether a root may be left in a direction.
    pub(super) fn may_leave(&self, root: &Root, direction: Plane, loose: f64) -> bool {
        if root.side == 0.0 {
            return true;
        }
        let turned = root.side * angle(root.arrival, direction);
        let rest = root.side * angle(direction, root.limit);
        (turned >= -loose || turned < -3.1) && (rest >= -loose || rest < -3.1)
    }

    /// Goes on from a root near one end of the way: to all corners near by, out of the triangle of the start, and to the goal.
    pub(super) fn local(&mut self, from: u32) {
        let root = self.memory.roots[from as usize];
        if root.near[0] {
            self.leave(from);
        }
        if root.near[1]
            && let Some(way) = self.tangent(&root, self.goal, 0.0)
            && self.may_leave(&root, way.direction, self.loose(way.length))
        {
            self.complete(from, way, None, Seen::Perhaps);
        }
        let lists = [&self.memory.start.corners, &self.memory.goal.corners].map(Vec::len);
        for (end, count) in lists.into_iter().enumerate().filter(|(end, _)| root.near[*end]) {
            for at in 0..count {
                let near = if end == 0 { &self.memory.start } else { &self.memory.goal };
                let corner = near.corners[at];
                if self.table.vertices[corner as usize] == root.vertex {
                    continue;
                }
                let place = self.table.start(corner);
                for side in [1.0, -1.0] {
                    if let Some(way) = self.tangent(&root, place, side * self.radius)
                        && self.may_leave(&root, way.direction, SAME)
                    {
                        self.turn(from, corner, side, way, None, root.near, Seen::Clearly);
                    }
                }
            }
        }
    }

    /// Opens the sides of the triangle of the start.
    pub(super) fn leave(&mut self, from: u32) {
        /// Lines at less than this angle to a side lead into its ends.
        const GRAZE: f64 = 1e-8;
        let root = self.memory.roots[from as usize];
        let triangle = self.memory.start.triangle;
        for side in (0..3).map(|side| 3 * triangle + side) {
            let group = self.islands.group(self.table, side, self.width);
            if !group.is_some_and(|group| self.memory.groups.contains(&group)) {
                continue;
            }
            let entry = self.table.twin(side);
            let [left, right] = [entry, next(entry)];
            let vertex = |corner: u32| self.table.vertices[corner as usize];
            let own = if root.side > 0.0 { left } else { right };
            let other = if root.side > 0.0 { right } else { left };
            if root.side != 0.0 && vertex(own) == root.vertex {
                self.enter_fan(from, entry);
                continue;
            }
            if root.side != 0.0 && vertex(other) == root.vertex {
                continue;
            }
            let [right_place, left_place] = [right, left].map(|corner| self.table.start(corner));
            // A place may be so near that what rounding moves a wall by would fill half of its view.
            let [right_offset, left_offset] = [right, left].map(|corner| self.offset(corner).max(0.0));
            let lines = [
                self.tangent(&root, right_place, -right_offset),
                self.tangent(&root, left_place, left_offset),
                self.tangent(&root, right_place, 0.0),
                self.tangent(&root, left_place, 0.0),
            ];
            let [low, high, low_wide, high_wide] = lines;
            let [low_wide, high_wide] =
                [low_wide, high_wide].map(|line| line.map_or(root.limit, |line| line.direction));
            let [low_wide, high_wide] = if root.side == 0.0 && cross(low_wide, high_wide) <= GRAZE {
                // A place on the side, to rounding, sees all that is beyond.
                let along = unit(minus(left_place, right_place));
                let turned = |from: Plane| unit(plus(from, left_of(along), -GRAZE));
                [turned([-along[0], -along[1]]), turned(along)]
            } else {
                [low_wide, high_wide]
            };
            let Some((low_wide, high_wide)) = self.between_limits(&root, low_wide, high_wide) else {
                continue;
            };
            let mut bounds = Bounds::of(low_wide, high_wide);
            match (low, high) {
                (Some(low), Some(high)) => {
                    (bounds.low_far, bounds.high_far) = (low.length, high.length);
                    match self.between_limits(&root, low.direction, high.direction) {
                        Some((low, high)) => (bounds.low, bounds.high) = (low, high),
                        None => bounds.reach = Some(low.length.max(high.length)),
                    }
                }
                (None, _) => bounds.pass_near(-1.0, minus(right_place, root.centre), None),
                (_, None) => bounds.pass_near(1.0, minus(left_place, root.centre), None),
            }
            self.offer_cone(from, entry, bounds);
        }
    }

    /// What of the directions from `low` to `high` a root may be left in.
    pub(super) fn between_limits(
        &self,
        root: &Root,
        mut low: Plane,
        mut high: Plane,
    ) -> Option<(Plane, Plane)> {
        if cross(low, high) <= SAME {
            return None;
        }
        if root.side != 0.0 {
            // Between the arrival and the limit.
            let (first, last) =
                if root.side > 0.0 { (root.arrival, root.limit) } else { (root.limit, root.arrival) };
            let within = |direction: Plane| cross(low, direction) >= -SAME && cross(direction, high) >= -SAME;
            let [first_in, last_in] = [within(first), within(last)];
            if !self.may_leave(root, low, SAME) {
                if !first_in {
                    return None;
                }
                low = first;
            }
            if !self.may_leave(root, high, SAME) {
                if !last_in {
                    return None;
                }
                high = last;
            }
        }
        (cross(low, high) > SAME).then_some((low, high))
    }
}
