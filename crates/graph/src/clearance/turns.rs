//! Cones, which are directions between two bounds from side to side of triangles; turns round
//! corners, and the continuations of paths from them.

use glam::DVec2;
use waymesh_core::float;

use super::bounds::{Bounds, GOAL, NO_INDEX, Root, Seen};
use super::memory::{Kind, Node};
use super::search::Search;
use super::table::{LOOSE, PART, WALL, next, previous};
use crate::geometry::disc::{ANGLE_TOLERANCE, Tangent, angle, distance_squared, touch, unit};

impl Search<'_> {
    /// Returns what is seen from a root near an end: it does not lie in a triangle that the path
    /// comes through, so that nothing is clear at first sight.
    pub(super) fn closely(&self, root: &Root, seen: Seen) -> Seen {
        if seen == Seen::Clearly && root.near != [NO_INDEX; 2] { Seen::Perhaps } else { seen }
    }

    /// Turns round a corner that is touched in a direction, and continues through a side, or only
    /// near an end.
    #[expect(clippy::too_many_arguments, reason = "a way and where it goes on")]
    pub(super) fn turn(
        &mut self,
        from: u32,
        corner: u32,
        side: f64,
        way: Tangent,
        entry: Option<u32>,
        near: [u32; 2],
        seen: Seen,
    ) {
        if seen == Seen::Not {
            return;
        }
        let table = self.table;
        let fan = table.fan_of[corner as usize];
        let Some(turn) = table.turn(corner, side, way.direction) else { return };
        let root = self.memory.roots[from as usize];
        let seen = self.closely(&root, seen);
        let turned = self.turned(&root, way.direction);
        let long = root.length + self.radius * turned + way.length;
        let arrival = self.arrival(turn.turned, long);
        let slot = match entry {
            Some(entry) => slot(self.sector(entry, side), side),
            None => slot(fan, side),
        };
        if self.memory.is_dominated(slot, near, &arrival) {
            return;
        }
        let centre = table.start(corner);
        let number = u32::try_from(self.memory.roots.len()).unwrap_or(NO_INDEX);
        self.memory.roots.push(Root {
            centre,
            offset: side * self.radius,
            side,
            arrival: way.direction,
            limit: turn.limit,
            turned: turn.turned,
            length: long,
            parent: from,
            slot: u32::try_from(slot).unwrap_or(NO_INDEX),
            vertex: table.vertices[corner as usize],
            near,
            gate: NO_INDEX,
            corner,
            way: way.length,
            clearly: seen == Seen::Clearly,
        });
        let at = touch(centre, side * self.radius, way.direction);
        let estimate = long + (self.goal - at).length();
        let bounds = Bounds::of(way.direction, turn.limit);
        self.offer(
            Node { bounds, root: number, entry: entry.unwrap_or(NO_INDEX), kind: Kind::Turn },
            estimate,
        );
    }

    /// Checks a turn exactly, and continues from it if the path to it is free and no better one is
    /// known.
    pub(super) fn take_turn(&mut self, number: u32, entry: u32) {
        let table = self.table;
        let root = self.memory.roots[number as usize];
        let slot = root.slot as usize;
        let arrival = self.arrival(root.turned, root.length);
        if self.memory.is_dominated(slot, root.near, &arrival) {
            return;
        }
        let parent = self.memory.roots[root.parent as usize];
        let way = Tangent { direction: root.arrival, length: root.way };
        let clear_to = root.clearly.then(|| (next(root.corner), 0.0));
        if !self.turns_free(&parent, way.direction) || !self.comes_clear(&root, &parent, &way, clear_to) {
            return;
        }
        self.memory.keep_arrival(slot, root.near, &arrival);
        self.go_round(number, entry);
        let mut parent = number;
        while let Some((turn, corner)) = table.goes_on(&self.memory.roots[parent as usize]) {
            let before = self.memory.roots[parent as usize];
            let on = u32::try_from(self.memory.roots.len()).unwrap_or(NO_INDEX);
            self.memory.roots.push(Root {
                arrival: before.limit,
                limit: turn.limit,
                turned: turn.turned,
                length: before.length + self.radius * PART,
                parent,
                slot: NO_INDEX,
                corner,
                way: 0.0,
                ..before
            });
            self.go_round(on, entry);
            parent = on;
        }
    }

    fn go_round(&mut self, root: u32, entry: u32) {
        if self.memory.roots[root as usize].near != [NO_INDEX; 2] {
            self.local(root);
        } else if entry != NO_INDEX {
            self.enter_fan(root, entry);
        }
    }

    /// Returns the side by which a path enters that has turned round a root by [`PART`], each time
    /// that the turn was cut: the last one whose other end it has passed.
    fn entry_after(&self, root: &Root, entry: u32) -> Option<u32> {
        if root.side == 0.0 || root.slot != NO_INDEX {
            return Some(entry);
        }
        let parent = &self.memory.roots[root.parent as usize];
        let mut entry = self.entry_after(parent, entry)?;
        let out = |corner: u32| self.table.start(corner) - root.centre;
        let mut turned =
            root.side * angle(parent.arrival, out(if root.side > 0.0 { next(entry) } else { entry }));
        if turned > PART {
            turned -= std::f64::consts::TAU;
        }
        loop {
            let apex = previous(entry);
            let [other, corner, on] =
                if root.side > 0.0 { [next(entry), entry, apex] } else { [entry, next(entry), next(entry)] };
            turned += root.side * angle(out(other), out(apex));
            if turned > PART {
                return Some(entry);
            }
            entry = self.is_open(on, corner)?;
        }
    }

    /// Returns the last side round a corner that a path gets to which enters by `entry` and turns
    /// on: paths that enter before and after a narrow place are not compared.
    pub(super) fn sector(&self, mut entry: u32, side: f64) -> u32 {
        let first = entry;
        loop {
            let [corner, on] = if side > 0.0 { [entry, previous(entry)] } else { [next(entry), next(entry)] };
            match self.is_open(on, corner) {
                Some(beyond) if beyond != first => entry = beyond,
                _ => return entry,
            }
        }
    }

    /// Goes round a root from its arrival on, through a side that ends there.
    pub(super) fn enter_fan(&mut self, root: u32, entry: u32) {
        let at = self.memory.roots[root as usize];
        let Some(entry) = self.entry_after(&at, entry) else { return };
        let bounds =
            if at.side > 0.0 { Bounds::of(at.arrival, at.limit) } else { Bounds::of(at.limit, at.arrival) };
        // Seen from the triangle beyond, a side begins with its left end.
        let other = if at.side > 0.0 { next(entry) } else { entry };
        // In a narrow gap the path may turn round its one end and then round the other, which no cone sees
        // ahead.
        if let Some(way) = self.tangent(&at, self.table.start(other), -at.side * self.offset(other)) {
            let place = self.table.start(other);
            let holds = self.tightened(&at, at.arrival, way.direction, place, ANGLE_TOLERANCE);
            let seen = if holds.is_some_and(|(_, is_later)| is_later) { Seen::Perhaps } else { Seen::Not };
            self.turn(root, other, -at.side, way, Some(entry), [NO_INDEX; 2], seen);
        }
        if let Some(bounds) = self.passed_between(&at, bounds, other) {
            self.offer_fan(root, entry, bounds);
        }
    }

    /// Opens the sides round a root, which is one end of `entry`.
    pub(super) fn offer_fan(&mut self, root: u32, entry: u32, bounds: Bounds) {
        let at = self.memory.roots[root as usize];
        let bound = if at.side > 0.0 { bounds.low_wide } else { bounds.high_wide };
        let touching = touch(at.centre, at.offset, bound);
        let straight = || at.length + self.chord(&at, bound) + (self.goal - touching).length();
        let estimate = match self.tangent(&at, self.goal, 0.0) {
            Some(way) if at.side * bound.perp_dot(way.direction) >= 0.0 => {
                at.length + self.chord(&at, way.direction) + way.length
            }
            _ => straight(),
        };
        self.offer(Node { bounds, root, entry, kind: Kind::Fan }, estimate);
    }

    /// Continues round a root that is one end of the entry: past the corner ahead on the root's
    /// side, or between both.
    pub(super) fn expand_fan(
        &mut self,
        node: &Node,
        root: &Root,
        corner: u32,
        [right, left]: [Option<u32>; 2],
    ) {
        let from = node.root;
        let side = root.side;
        let (away, between) = if side > 0.0 { (right, left) } else { (left, right) };
        let apex = self.table.start(corner);
        let offset = self.offset(corner);
        // Deviation of a direction from a bound to the root's side.
        let turns = |a: DVec2, b: DVec2| side * a.perp_dot(b);
        let wide = self.tangent(root, apex, side * self.wide(corner));
        if let (Some(beyond), Some(way)) = (away, self.tangent(root, apex, side * offset)) {
            let bound = if side > 0.0 { node.bounds.low_wide } else { node.bounds.high_wide };
            let is_half = turns(bound, root.limit) <= ANGLE_TOLERANCE && bound.dot(root.limit) < 0.0;
            let is_ahead = |direction: DVec2| {
                let turn = turns(bound, direction);
                turn > ANGLE_TOLERANCE || (turn > -ANGLE_TOLERANCE && (is_half || bound.dot(direction) > 0.0))
            };
            // A corner within the disc round the root is passed by every line.
            let wide = wide.map_or(root.limit, |wide| wide.direction);
            let wide = if turns(bound, wide) > ANGLE_TOLERANCE {
                wide
            } else if turns(bound, way.direction) > ANGLE_TOLERANCE {
                // More than half a circle on.
                root.limit
            } else {
                way.direction
            };
            if is_ahead(wide) {
                let mut bounds = node.bounds;
                // Less than half a circle from here on. An angle outside the turn is before or past it,
                // whichever is nearer.
                let end = |to: DVec2| {
                    let is_past = turns(to, root.limit) < 0.0 && root.limit.dot(to) >= bound.dot(to);
                    if is_past { root.limit } else { to }
                };
                if side > 0.0 {
                    (bounds.high, bounds.high_wide) = (end(way.direction), end(wide));
                    bounds.high_far = way.length;
                } else {
                    (bounds.low, bounds.low_wide) = (end(way.direction), end(wide));
                    bounds.low_far = way.length;
                }
                self.offer_cone(from, beyond, bounds);
            }
            if is_ahead(way.direction) && turns(way.direction, root.limit) >= -ANGLE_TOLERANCE {
                let tight = if side > 0.0 { node.bounds.low } else { node.bounds.high };
                let is_clear = node.bounds.reach.is_none() && turns(tight, way.direction) >= -ANGLE_TOLERANCE;
                let seen = if is_clear { Seen::Clearly } else { Seen::Perhaps };
                self.turn(from, corner, side, way, Some(beyond), [NO_INDEX; 2], seen);
            }
        }
        if let (Some(beyond), Some(way)) = (between, self.tangent(root, apex, -side * offset)) {
            let seen = self.seen(node, root, way.direction, apex, ANGLE_TOLERANCE);
            self.turn(from, corner, -side, way, Some(beyond), [NO_INDEX; 2], seen);
            if let Some(bounds) = self.passed_between(root, node.bounds, corner) {
                self.offer_fan(from, beyond, bounds);
            }
        }
    }

    /// Returns what is left of the directions round a root where they pass between it and another
    /// corner.
    pub(super) fn passed_between(&self, root: &Root, mut bounds: Bounds, corner: u32) -> Option<Bounds> {
        let place = self.table.start(corner);
        let wide = self.tangent(root, place, -root.side * self.wide(corner))?;
        let way = self.tangent(root, place, -root.side * self.offset(corner))?;
        let (tight, old) =
            if root.side > 0.0 { (bounds.low, bounds.low_wide) } else { (bounds.high, bounds.high_wide) };
        let (new, _) = self.tightened(root, old, wide.direction, place, ANGLE_TOLERANCE)?;
        let mut far = None;
        let tight = match self.tightened(root, tight, way.direction, place, ANGLE_TOLERANCE) {
            Some((tight, is_later)) => {
                far = is_later.then_some(way.length);
                tight
            }
            None => {
                let known = if root.side > 0.0 { bounds.low_far } else { bounds.high_far };
                bounds.reach = bounds.reach.or(Some(known.max(way.length)));
                tight
            }
        };
        if root.side > 0.0 {
            (bounds.low, bounds.low_wide) = (tight, new);
            bounds.low_far = far.unwrap_or(bounds.low_far);
        } else {
            (bounds.high, bounds.high_wide) = (tight, new);
            bounds.high_far = far.unwrap_or(bounds.high_far);
        }
        if let Some(reach) = bounds.reach
            && (place - root.centre).length() > reach + 2.0 * self.radius
        {
            return None;
        }
        Some(bounds)
    }

    /// Returns the bound of directions that pass between a root and a place ahead: the later of the
    /// old one and `direction`, which just passes the place; and whether it is that. `None` if
    /// no direction is left.
    pub(super) fn tightened(
        &self,
        root: &Root,
        bound: DVec2,
        direction: DVec2,
        place: DVec2,
        loose: f64,
    ) -> Option<(DVec2, bool)> {
        let turns = |a: DVec2, b: DVec2| root.side * a.perp_dot(b);
        let turn = turns(bound, direction);
        let off = unit(place - root.centre);
        let aside = turns(bound, off);
        // A point straight behind counts as behind.
        let is_later = if aside > 0.0 && (aside > ANGLE_TOLERANCE || bound.dot(off) > 0.0) {
            // The place is ahead, and the direction turns on from it by a quarter of a circle at most:
            // perhaps too far. Or it turns back by what rounding moves a straight wall by, to before the
            // old one.
            let is_before = bound.dot(direction) > 0.0;
            if turn < -loose && !is_before {
                return None;
            }
            turn >= -loose
        } else {
            turn > ANGLE_TOLERANCE || (turn >= -loose && bound.dot(direction) > 0.0)
        };
        let bound = if is_later { direction } else { bound };
        // Round the end of a wall without thickness it is half a circle, or more by rounding.
        let loose = if bound.dot(root.limit) < 0.0 { 2.0 * LOOSE } else { loose };
        (turns(bound, root.limit) >= -loose).then_some((bound, is_later))
    }
}

fn slot(number: u32, side: f64) -> usize {
    number as usize * 2 + usize::from(side < 0.0)
}

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
