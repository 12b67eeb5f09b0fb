//! The two ends of a path, which lie in the middle of triangles, and the close look: whether lines
//! and arcs keep the radius from all walls.

use glam::DVec2;

use super::bounds::{Bounds, GOAL, NO_INDEX, Root, Seen};
use super::memory::{Kind, Node};
use super::near::Near;
use super::search::Search;
use super::table::{WALL, next};
use crate::geometry::disc::{ANGLE_TOLERANCE, Tangent, angle, faces, is_nearer, side_of, touch, unit};

impl Search<'_> {
    /// A cone has come into the triangle of the goal, or of a gate.
    pub(super) fn arrive(&mut self, node: &Node, near: u32) {
        let from = node.root;
        let root = self.memory.roots[from as usize];
        let goal = self.memory.nears[near as usize].place;
        if let Some(way) = self.tangent(&root, goal, 0.0) {
            let seen = self.seen(node, &root, way.direction, goal, self.loose(way.length));
            self.complete(from, way, Some(node.entry), seen, near);
        }
        for at in 0..self.memory.nears[near as usize].corners.len() {
            let corner = self.memory.nears[near as usize].corners[at];
            let place = self.table.start(corner);
            if self.table.vertices[corner as usize] == root.vertex {
                continue;
            }
            for side in [1.0, -1.0] {
                if let Some(way) = self.tangent(&root, place, side * self.radius) {
                    let seen = match self.seen(node, &root, way.direction, place, ANGLE_TOLERANCE) {
                        Seen::Not => Seen::Not,
                        _ => Seen::Perhaps,
                    };
                    self.turn(from, corner, side, way, None, [NO_INDEX, near], seen);
                }
            }
        }
    }

    fn complete(&mut self, from: u32, way: Tangent, entry: Option<u32>, seen: Seen, near: u32) {
        let root = self.memory.roots[from as usize];
        let seen = self.closely(&root, seen);
        if seen != Seen::Not {
            let estimate = root.length + self.arc(&root, way.direction) + way.length + self.beyond(near);
            let bounds = Bounds { low_far: way.length, ..Bounds::of(way.direction, way.direction) };
            let entry = entry.filter(|_| seen == Seen::Clearly).unwrap_or(NO_INDEX);
            self.offer(Node { bounds, root: from, entry, kind: Kind::Final(near) }, estimate);
        }
    }

    /// Looks closely at a path to the goal, or to a gate.
    pub(super) fn ends_well(&mut self, node: &Node, near: u32) -> bool {
        let root = self.memory.roots[node.root as usize];
        let way = Tangent { direction: node.bounds.low, length: node.bounds.low_far };
        // An arc that ends in the triangle of the goal may begin in the middle of it, too.
        if root.side != 0.0 && root.near[1] != near && self.is_corner_near(near, root.vertex) {
            let parent = self.memory.roots[root.parent as usize];
            let before = Tangent { direction: root.arrival, length: root.way };
            if !self.turns_freely(&self.memory.nears[near as usize], &root, way.direction)
                || !self.comes_clear(&root, &parent, &before, None)
            {
                return false;
            }
        }
        // Walls beyond the side that the path does not pass, since it ends before them, may be near before
        // it comes there.
        let clear_to = (node.entry != NO_INDEX).then_some((node.entry, self.radius));
        let Near { triangle, place: goal, .. } = self.memory.nears[near as usize];
        self.turns_free(&root, way.direction) && self.is_clear_along(triangle, goal, &root, &way, clear_to)
    }

    /// The goal is known to rounding only: how much that may turn a path of this length.
    pub(super) fn loose(&self, long: f64) -> f64 {
        ANGLE_TOLERANCE + 2.0 * self.table.slack / long.max(self.table.slack)
    }

    fn is_corner_near(&self, near: u32, vertex: u32) -> bool {
        self.memory.nears[near as usize]
            .corners
            .iter()
            .any(|&corner| self.table.vertices[corner as usize] == vertex)
    }

    /// Returns `true` if a root may be left in a direction.
    pub(super) fn may_leave(&self, root: &Root, direction: DVec2, loose: f64) -> bool {
        if root.side == 0.0 {
            return true;
        }
        let turned = root.side * angle(root.arrival, direction);
        let rest = root.side * angle(direction, root.limit);
        (turned >= -loose || turned < -3.1) && (rest >= -loose || rest < -3.1)
    }

    /// Continues from a root near one end of the path: to all nearby corners, out of the triangle of
    /// the start, and to the goal.
    pub(super) fn local(&mut self, from: u32) {
        let root = self.memory.roots[from as usize];
        let [begin, end] = root.near;
        // Each entry edge of a nearby gate has a matching exit edge.
        if begin != NO_INDEX && (end == NO_INDEX || end == GOAL) {
            self.leave(from);
        }
        if end != NO_INDEX {
            let goal = self.memory.nears[end as usize].place;
            // A gate may begin where another ends.
            let here = Tangent { direction: DVec2::X, length: 0.0 };
            let is_here = root.side == 0.0 && (goal - root.centre).length() <= 0.0;
            let way = if is_here { Some(here) } else { self.tangent(&root, goal, 0.0) };
            if let Some(way) = way
                && self.may_leave(&root, way.direction, self.loose(way.length))
            {
                self.complete(from, way, None, Seen::Perhaps, end);
            }
        }
        for near in root.near.into_iter().filter(|&near| near != NO_INDEX) {
            for at in 0..self.memory.nears[near as usize].corners.len() {
                let corner = self.memory.nears[near as usize].corners[at];
                if self.table.vertices[corner as usize] == root.vertex {
                    continue;
                }
                let place = self.table.start(corner);
                for side in [1.0, -1.0] {
                    if let Some(way) = self.tangent(&root, place, side * self.radius)
                        && self.may_leave(&root, way.direction, ANGLE_TOLERANCE)
                    {
                        self.turn(from, corner, side, way, None, root.near, Seen::Clearly);
                    }
                }
            }
        }
    }

    /// Opens the sides of the triangle of the start.
    pub(super) fn leave(&mut self, from: u32) {
        let root = self.memory.roots[from as usize];
        let triangle = self.memory.nears[root.near[0] as usize].triangle;
        for side in (0..3).map(|side| 3 * triangle + side) {
            let group = self.islands.group(self.table, side, self.width);
            if !group.is_some_and(|group| self.gates.is_some() || self.memory.groups.contains(&group)) {
                continue;
            }
            let entry = self.table.twin(side);
            let [left, right] = [entry, next(entry)];
            let vertex = |corner: u32| self.table.vertices[corner as usize];
            let [own, other] = if root.side > 0.0 { [left, right] } else { [right, left] };
            if root.side != 0.0 && vertex(own) == root.vertex {
                self.enter_fan(from, entry);
                continue;
            }
            if root.side != 0.0 && vertex(other) == root.vertex {
                continue;
            }
            let seen = if root.side == 0.0 {
                Some(self.seen_from(&root, left, right))
            } else {
                self.seen_round(&root, own, other)
            };
            if let Some(bounds) = seen {
                self.offer_cone(from, entry, bounds);
            }
        }
    }

    /// Returns the directions in which lines from a place pass between the ends of a side.
    fn seen_from(&self, root: &Root, left: u32, right: u32) -> Bounds {
        /// Lines at less than this angle to a side lead into its ends.
        const GRAZE: f64 = 1e-8;
        let [left_place, right_place] = [left, right].map(|corner| self.table.start(corner));
        let [low_wide, high_wide] = [right_place, left_place]
            .map(|place| self.tangent(root, place, 0.0).map_or(root.limit, |line| line.direction));
        let [low_wide, high_wide] = if low_wide.perp_dot(high_wide) <= GRAZE {
            // A place on the side, to rounding, sees all that is beyond.
            let along = unit(left_place - right_place);
            let turned = |from: DVec2| unit(from + along.perp() * (-GRAZE));
            [turned(-along), turned(along)]
        } else {
            [low_wide, high_wide]
        };
        let mut bounds = Bounds::of(low_wide, high_wide);
        // A place may be so near that what rounding moves a wall by would fill half of its view.
        let [left_offset, right_offset] = [left, right].map(|corner| self.offset(corner).max(0.0));
        let low = self.tangent(root, right_place, -right_offset);
        let high = self.tangent(root, left_place, left_offset);
        match (low, high) {
            (Some(low), Some(high)) => {
                (bounds.low_far, bounds.high_far) = (low.length, high.length);
                if low.direction.perp_dot(high.direction) > ANGLE_TOLERANCE {
                    (bounds.low, bounds.high) = (low.direction, high.direction);
                } else {
                    bounds.reach = Some(low.length.max(high.length));
                }
            }
            (None, _) => bounds.pass_near(-1.0, right_place - root.centre, None),
            (_, None) => bounds.pass_near(1.0, left_place - root.centre, None),
        }
        bounds
    }

    /// Returns the directions in which lines that leave the arc round a root, from its arrival on,
    /// pass between the ends of a side: `own` on the side of the root, and the other one.
    fn seen_round(&self, root: &Root, own: u32, other: u32) -> Option<Bounds> {
        let first = self.first_between(root, other, self.wide(other))?;
        let last = self.last_between(root, own, self.wide(own))?;
        let mut bounds = if root.side > 0.0 { Bounds::of(first, last) } else { Bounds::of(last, first) };
        let [own_offset, other_offset] = [own, other].map(|corner| self.offset(corner).max(0.0));
        let tight = (self.first_between(root, other, other_offset), self.last_between(root, own, own_offset));
        let far = |corner: u32| (self.table.start(corner) - root.centre).length();
        if let (Some(first), Some(last)) = tight {
            let [first, last] = [(first, far(other)), (last, far(own))];
            let [low, high] = if root.side > 0.0 { [first, last] } else { [last, first] };
            (bounds.low, bounds.low_far) = low;
            (bounds.high, bounds.high_far) = high;
        } else {
            bounds.reach = Some(far(own).max(far(other)));
        }
        Some(bounds)
    }

    /// Returns how far a direction is round a root from its arrival on, less than a whole circle.
    fn onward(root: &Root, direction: DVec2) -> f64 {
        let turned = root.side * angle(root.arrival, direction);
        if turned < -ANGLE_TOLERANCE { turned + std::f64::consts::TAU } else { turned }
    }

    /// Returns how far to one side (1 for the left) of the line in which a path arrives at a root a
    /// corner is, and whether it is behind.
    fn beside(&self, root: &Root, corner: u32, side: f64) -> (f64, bool) {
        let arrival = touch(root.centre, root.offset, root.arrival);
        let to = self.table.start(corner) - arrival;
        (side * root.arrival.perp_dot(to), root.arrival.dot(to) < 0.0)
    }

    /// Returns the first direction round a root in which a line has a corner across from it,
    /// `offset` away at least.
    fn first_between(&self, root: &Root, corner: u32, offset: f64) -> Option<DVec2> {
        let (beside, is_behind) = self.beside(root, corner, -root.side);
        if beside >= offset - ANGLE_TOLERANCE || (beside >= 0.0 && is_behind) {
            return Some(root.arrival);
        }
        let line = self.tangent(root, self.table.start(corner), -root.side * offset)?;
        let is_there = Self::onward(root, line.direction) <= Self::onward(root, root.limit) + ANGLE_TOLERANCE;
        is_there.then_some(line.direction)
    }

    /// Returns the last direction in which a line has a corner on the side of the root, `offset`
    /// away at least.
    fn last_between(&self, root: &Root, corner: u32, offset: f64) -> Option<DVec2> {
        // A corner behind is passed on the right side once the line turns.
        let (beside, is_behind) = self.beside(root, corner, root.side);
        if beside < offset - ANGLE_TOLERANCE && !is_behind {
            return None;
        }
        let line = self.tangent(root, self.table.start(corner), root.side * offset);
        let is_past = |line: &Tangent| Self::onward(root, line.direction) >= Self::onward(root, root.limit);
        Some(line.filter(|line| !is_past(line)).map_or(root.limit, |line| line.direction))
    }

    /// Returns `true` if walls near the ends leave room for the arc before the line in which a root
    /// is left.
    pub(super) fn turns_free(&self, root: &Root, direction: DVec2) -> bool {
        let mut nears = root.near.iter().filter(|&&near| near != NO_INDEX);
        root.side == 0.0
            || nears.all(|&near| self.turns_freely(&self.memory.nears[near as usize], root, direction))
    }

    /// Returns `true` if walls near an end leave room for the arc at a root.
    pub(super) fn turns_freely(&self, near: &Near, root: &Root, direction: DVec2) -> bool {
        // From the corner to where the disc's centre is.
        let spoke = |direction: DVec2| {
            let left = direction.perp();
            -left * root.side
        };
        let mut range = [spoke(root.arrival), spoke(direction)];
        if root.side < 0.0 {
            range.reverse();
        }
        near.is_clear_around(root.centre, range, self.width - 2e-8)
    }

    /// Returns how near a wall may be to the centre of the disc.
    pub(super) fn least(&self) -> f64 {
        self.radius * (1.0 - 1e-8) - 1e-8
    }

    /// Returns `true` if the path from a root to the next one keeps the radius from all walls
    /// around.
    pub(super) fn comes_clear(
        &mut self,
        root: &Root,
        from: &Root,
        way: &Tangent,
        clear_to: Option<(u32, f64)>,
    ) -> bool {
        let out = touch(root.centre, root.offset, way.direction) - root.centre;
        let triangle = self.table.triangle_towards(root.corner, out);
        self.is_clear_along(triangle, root.centre, from, way, clear_to)
            && (from.side != 0.0 || clear_to.is_some() || self.table.has_one_way_round(root.corner) || {
                let start = self.memory.nears[from.near[0] as usize].triangle;
                self.has_looked_at(start, from.centre)
            })
    }

    /// Returns `true` if the visited ground holds a place of a triangle.
    fn has_looked_at(&self, triangle: u32, place: DVec2) -> bool {
        self.memory.looked.iter().any(|&at| self.table.is_in(triangle, place, at))
    }

    /// Returns `true` if a path leaves a corner on the visited ground:
    /// where ground winds about the corner, several lie in the direction.
    fn leaves_there(&self, root: &Root, direction: DVec2) -> bool {
        let table = self.table;
        root.side == 0.0 || table.has_one_way_round(root.corner) || {
            let corner = table.corner_after(root, self.turned(root, direction));
            let place = touch(root.centre, root.offset, direction);
            self.has_looked_at(table.walk(corner / 3, None, root.centre, place), place)
        }
    }

    /// Returns `true` if the path from a root along a tangent keeps the radius from all walls
    /// around. `triangle` has the corner that it touches, or the goal, close to `near`. If all
    /// is clear up to a side, only from there on, or from where the line is so near to it.
    pub(super) fn is_clear_along(
        &mut self,
        triangle: u32,
        near: DVec2,
        root: &Root,
        way: &Tangent,
        clear_to: Option<(u32, f64)>,
    ) -> bool {
        let least = self.least();
        if least <= 0.0 && clear_to.is_some() {
            return true;
        }
        let from = touch(root.centre, root.offset, way.direction);
        let mut line = [from, (from + way.direction * way.length)];
        if let Some((side, near)) = clear_to {
            let [a, b] = self.table.ends(side);
            let [before, after] = line.map(|at| side_of(a, b, at));
            // The rest of the path lies in one triangle, but for where the disc bulges over a side.
            if before < 0.0 && after > 0.0 {
                let clear = (before + near * (b - a).length()).min(0.0);
                line[0] = from + way.direction * (way.length * (clear / (before - after)));
            }
        }
        // From the end of the path, which is no farther from there than a disc that fits is wide.
        let inside = near + (self.table.centroid(triangle) - near) * 1e-3;
        let last = self.table.walk(triangle, None, inside, line[1]);
        if !self.table.holds(last, line[1], 2.0 * self.table.slack) {
            return false;
        }
        let memory = &mut *self.memory;
        memory.looked.clear();
        memory.stack.clear();
        memory.stack.push(last);
        while let Some(at) = memory.stack.pop() {
            if memory.looked.contains(&at) {
                continue;
            }
            memory.looked.push(at);
            for side in 3 * at..3 * at + 3 {
                let ends = self.table.ends(side);
                if is_nearer(line, ends, least) {
                    match self.table.twin(side) {
                        WALL => return false,
                        twin if faces(ends, line) => memory.stack.push(twin / 3),
                        _ => {}
                    }
                }
            }
        }
        clear_to.is_some() || self.leaves_there(root, way.direction)
    }
}
