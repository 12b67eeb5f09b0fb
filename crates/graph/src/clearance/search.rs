//! The shortest way of a disc: A* over cones of tangents.
//!
//! A taut way of a disc's centre is made of straight lines and of arcs round corners of walls. A node is a cone: a root, the corner (or place)
//! that the way left last, and the directions between two bounds in which it may go on through a side. Opened, it sees the corner ahead: directions
//! that pass it on one side at the disc's distance go on through one of the two other sides, the rest through the other; a direction that
//! touches it may turn round it, and it becomes a root. With a disc of no size this is Polyanya on triangles.
//!
//! Which ways are wide enough is known from the clearance of the triangles, so no other walls need be looked at: all a cone meets are the
//! corners of the triangles it comes through. Near both ends of the way, where it does not come through whole triangles, see [`Near`].
//!
//! # References
//! - Cui, Harabor and Grastien 2017, Compromise-free pathfinding on a navigation mesh, <https://doi.org/10.24963/ijcai.2017/70>: cones.
//! - Kallmann 2010, Shortest paths with arbitrary clearance from navigation meshes, <https://doi.org/10.2312/SCA/SCA10/159-168>: clearance, and
//!   the funnel among discs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::bounds::{Bounds, Root, Seen};
use super::claims::{Arrival, Claim};
use super::disc::{
    Plane, SAME, Tangent, angle, cross, distance_squared, dot, faces, is_nearer, left_of, length,
    minus, plus, side_of, slimmed, tangent, touch, unit,
};
use super::islands::Islands;
use super::near::Near;
use super::table::{Table, WALL, next, previous};

const NONE: u32 = u32::MAX;

/// What the search writes.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    nodes: Vec<Node>,
    pub(super) roots: Vec<Root>,
    open: BinaryHeap<Reverse<(u64, u32)>>,
    pub(super) stamp: u32,
    /// Per side that a sector round a corner ends at, and side of the way, the best arrivals.
    pub(super) claims: Vec<Claim>,
    /// Those of ways near the ends.
    pub(super) local: Vec<(usize, [bool; 2], Claim)>,
    pub(super) start: Near,
    pub(super) goal: Near,
    pub(super) stack: Vec<u32>,
    looked: Vec<u32>,
    /// Groups of sides that the goal can be reached from.
    groups: Vec<u32>,
    /// The way found, last turn first: roots, each with the direction in which it is left.
    pub(super) way: Vec<(u32, Plane)>,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Through a side, between two bounds.
    Cone,
    /// Through a side that ends at the root: what is beyond the arc is a bound no more.
    Fan,
    /// A turn that nobody has looked at closely.
    Turn,
    /// To the goal, in the direction of the low bound, as long as that is far: not looked at closely either. With an entry it is clear up to there.
    Final,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Bounds,
    root: u32,
    /// The side that is crossed, as seen from the triangle beyond.
    entry: u32,
    kind: Kind,
}

/// The two ends of a way, in their triangles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    pub(super) places: [Plane; 2],
    pub(super) triangles: [u32; 2],
}

pub(super) struct Search<'a> {
    pub(super) table: &'a Table,
    pub(super) islands: &'a Islands,
    pub(super) memory: &'a mut Memory,
    radius: f64,
    /// What a way must be wide for it.
    width: f64,
    goal: Plane,
    goal_triangle: u32,
    goal_number: u32,
}

impl<'a> Search<'a> {
    pub(super) fn new(table: &'a Table, islands: &'a Islands, memory: &'a mut Memory, radius: f64) -> Self {
        let radius = slimmed(radius);
        let width = 2.0 * radius;
        Self { table, islands, memory, radius, width, goal: [0.0; 2], goal_triangle: 0, goal_number: 0 }
    }

    /// The length of the shortest way, whose turns are left in `memory.way`.
    pub(super) fn run(&mut self, ends: &Ends) -> Option<f64> {
        let [start, goal] = ends.places;
        let [start_triangle, goal_triangle] = ends.triangles;
        (self.goal, self.goal_triangle) = (goal, goal_triangle);
        self.goal_number = self.table.bridges.number(goal_triangle);
        let table = self.table;
        let memory = &mut *self.memory;
        memory.way.clear();
        if !self.islands.may_join(table, start_triangle, goal_triangle, self.width) {
            return None;
        }
        memory.begin(table.twins.len() * 2);
        for side in 0..3 {
            memory.groups.extend(self.islands.group(table, 3 * goal_triangle + side, self.width));
        }
        let reach = 2.0 * self.radius;
        memory.start.collect(table, start_triangle, start, reach, &mut memory.stack);
        memory.goal.collect(table, goal_triangle, goal, reach, &mut memory.stack);
        memory.roots.push(Root {
            centre: start,
            offset: 0.0,
            side: 0.0,
            arrival: [0.0; 2],
            limit: [0.0; 2],
            turned: 0.0,
            length: 0.0,
            parent: NONE,
            slot: NONE,
            vertex: NONE,
            near: [true, start_triangle == goal_triangle],
            corner: NONE,
            way: 0.0,
            clearly: false,
        });
        if length(minus(goal, start)) <= 0.0 && start_triangle == goal_triangle {
            self.memory.way.push((0, [1.0, 0.0]));
            return Some(0.0);
        }
        self.local(0);
        while let Some(Reverse((_, node))) = self.memory.open.pop() {
            let node = self.memory.nodes[!node as usize];
            match node.kind {
                Kind::Final if self.ends_well(&node) => return Some(self.finish(&node)),
                Kind::Final => {}
                Kind::Turn => self.take_turn(node.root, node.entry),
                Kind::Cone | Kind::Fan if !self.is_outdone(node.root) => self.expand(&node),
                Kind::Cone | Kind::Fan => {}
            }
        }
        None
    }

    fn finish(&mut self, node: &Node) -> f64 {
        let (mut root, mut direction) = (node.root, node.bounds.low);
        let last = self.memory.roots[root as usize];
        let length = last.length
            + self.arc(&last, direction)
            + length(minus(self.goal, touch(last.centre, last.offset, direction)));
        while root != NONE {
            self.memory.way.push((root, direction));
            let at = &self.memory.roots[root as usize];
            (root, direction) = (at.parent, at.arrival);
        }
        length
    }

    #[expect(clippy::cast_possible_truncation, reason = "limited by memory: 48 bytes a node")]
    fn offer(&mut self, node: Node, estimate: f64) {
        self.memory.nodes.push(node);
        let number = self.memory.nodes.len() as u32 - 1;
        // Positive floats sort like their bits; of equal ones the newest is first.
        self.memory.open.push(Reverse((estimate.max(0.0).to_bits(), !number)));
    }

    /// Length of the arc at a root from the arrival on, for a way that leaves it in a direction.
    fn arc(&self, root: &Root, direction: Plane) -> f64 {
        self.radius * self.turned(root, direction)
    }

    fn turned(&self, root: &Root, direction: Plane) -> f64 {
        if root.side == 0.0 {
            return 0.0;
        }
        let turned = root.side * angle(root.arrival, direction);
        // Half a circle and more are turns, a little back is rounding.
        if turned < -1e-3 { turned + std::f64::consts::TAU } else { turned.max(0.0) }
    }

    /// How far to the left a corner must stay: the radius, less what rounding may move a straight wall.
    fn offset(&self, corner: u32) -> f64 {
        if self.table.fan(corner).turns { self.radius } else { self.radius - self.table.slack }
    }

    /// Likewise, for lines that end before they come to it: they must not pass it on the other side.
    fn wide(&self, corner: u32) -> f64 {
        if self.table.fan(corner).turns { 0.0 } else { -self.table.slack }
    }

    fn tangent(&self, root: &Root, to: Plane, offset: f64) -> Option<Tangent> {
        tangent(root.centre, root.offset, to, offset)
    }

    /// What is seen from a root near an end: it does not lie in a triangle that the way comes through, so that nothing is clear at first sight.
    fn closely(&self, root: &Root, seen: Seen) -> Seen {
        if seen == Seen::Clearly && root.near != [false; 2] && self.radius > 0.0 {
            Seen::Perhaps
        } else {
            seen
        }
    }

    fn is_outdone(&self, root: u32) -> bool {
        let root = &self.memory.roots[root as usize];
        if root.slot == NONE || root.near != [false; 2] {
            return false;
        }
        let claim = &self.memory.claims[root.slot as usize];
        let own = root.length - self.radius * root.turned;
        claim.shortest.turned <= root.turned + SAME && claim.shortest.length < own * (1.0 - 1e-9) - 1e-9
    }

    /// Turns round a corner that is touched in a direction, and goes on through a side, or near an end only.
    #[expect(clippy::too_many_arguments, reason = "a way and where it goes on")]
    fn turn(
        &mut self,
        from: u32,
        corner: u32,
        side: f64,
        way: Tangent,
        entry: Option<u32>,
        near: [bool; 2],
        seen: Seen,
    ) {
        if seen == Seen::Not {
            return;
        }
        let table = self.table;
        let fan = table.fan_of[corner as usize];
        let Some(turn) = table.turn(fan, side, way.direction) else { return };
        let root = self.memory.roots[from as usize];
        let seen = self.closely(&root, seen);
        let turned = self.turned(&root, way.direction);
        let long = root.length + self.radius * turned + way.length;
        let arrival = Arrival { turned: turn.turned, length: long - self.radius * turn.turned };
        let slot = match entry {
            Some(entry) => slot(self.sector(entry, side), side),
            None => slot(fan, side),
        };
        if self.memory.is_claimed(slot, near, &arrival) {
            return;
        }
        let centre = table.start(corner);
        let number = u32::try_from(self.memory.roots.len()).unwrap_or(NONE);
        self.memory.roots.push(Root {
            centre,
            offset: side * self.radius,
            side,
            arrival: way.direction,
            limit: turn.limit,
            turned: turn.turned,
            length: long,
            parent: from,
            slot: u32::try_from(slot).unwrap_or(NONE),
            vertex: table.vertices[corner as usize],
            near,
            corner,
            way: way.length,
            clearly: seen == Seen::Clearly,
        });
        let at = touch(centre, side * self.radius, way.direction);
        let estimate = long + length(minus(self.goal, at));
        let bounds = Bounds::of(way.direction, turn.limit);
        self.offer(Node { bounds, root: number, entry: entry.unwrap_or(NONE), kind: Kind::Turn }, estimate);
    }

    /// Looks closely at a turn, and goes on from it if the way to it is free and no better one is known.
    fn take_turn(&mut self, number: u32, entry: u32) {
        let root = self.memory.roots[number as usize];
        let slot = root.slot as usize;
        let arrival = Arrival { turned: root.turned, length: root.length - self.radius * root.turned };
        if self.memory.is_claimed(slot, root.near, &arrival) {
            return;
        }
        let parent = self.memory.roots[root.parent as usize];
        let way = Tangent { direction: root.arrival, length: root.way };
        let clear_to = root.clearly.then_some(next(root.corner));
        if !self.turns_free(&parent, way.direction)
            || !self.is_clear_along(root.corner / 3, root.centre, &parent, &way, clear_to)
        {
            return;
        }
        self.memory.claim(slot, root.near, &arrival);
        if root.near != [false; 2] {
            self.local(number);
        } else if entry != NONE {
            self.enter_fan(number, entry);
        }
    }

    /// The last side round a corner that a way gets to which enters by `entry` and turns on: ways that enter before and after a narrow place are
    /// not compared.
    fn sector(&self, mut entry: u32, side: f64) -> u32 {
        let first = entry;
        loop {
            let [corner, on] = if side > 0.0 { [entry, previous(entry)] } else { [next(entry), next(entry)] };
            match self.is_open(on, corner) {
                Some(beyond) if beyond != first => entry = beyond,
                _ => return entry,
            }
        }
    }

    /// Whether walls near the ends leave room for the arc before the line in which a root is left.
    fn turns_free(&self, root: &Root, direction: Plane) -> bool {
        let Memory { start, goal, .. } = &*self.memory;
        root.side == 0.0
            || self.radius <= 0.0
            || ((!root.near[0] || self.turns_freely(start, root, direction))
                && (!root.near[1] || self.turns_freely(goal, root, direction)))
    }

    /// Whether walls near an end leave room for the arc at a root.
    fn turns_freely(&self, near: &Near, root: &Root, direction: Plane) -> bool {
        // From the corner to where the disc's centre is.
        let spoke = |direction: Plane| {
            let left = left_of(direction);
            [-left[0] * root.side, -left[1] * root.side]
        };
        let mut range = [spoke(root.arrival), spoke(direction)];
        if root.side < 0.0 {
            range.reverse();
        }
        near.is_clear_around(root.centre, range, self.width - 2e-8)
    }

    /// How near a wall may be to the centre of the disc.
    fn least(&self) -> f64 {
        (self.radius * (1.0 - 1e-8) - 1e-8).max(0.0)
    }

    /// Goes round a root from its arrival on, through a side that ends there.
    fn enter_fan(&mut self, root: u32, entry: u32) {
        let at = self.memory.roots[root as usize];
        let bounds =
            if at.side > 0.0 { Bounds::of(at.arrival, at.limit) } else { Bounds::of(at.limit, at.arrival) };
        // Seen from the triangle beyond, a side begins with its left end.
        let other = if at.side > 0.0 { next(entry) } else { entry };
        // In a narrow gap the way may turn round its one end and then round the other, which no cone sees ahead.
        if let Some(way) = self.tangent(&at, self.table.start(other), -at.side * self.offset(other)) {
            let place = self.table.start(other);
            let holds = self.tightened(&at, at.arrival, way.direction, place, SAME);
            let seen = if holds.is_some_and(|(_, is_later)| is_later) { Seen::Perhaps } else { Seen::Not };
            self.turn(root, other, -at.side, way, Some(entry), [false; 2], seen);
        }
        if let Some(bounds) = self.passed_between(&at, bounds, other) {
            self.offer_fan(root, entry, bounds);
        }
    }

    /// Opens the sides round a root, which is one end of `entry`.
    fn offer_fan(&mut self, root: u32, entry: u32, bounds: Bounds) {
        let at = self.memory.roots[root as usize];
        let bound = if at.side > 0.0 { bounds.low_wide } else { bounds.high_wide };
        let touching = touch(at.centre, at.offset, bound);
        let straight = || at.length + self.arc(&at, bound) + length(minus(self.goal, touching));
        let estimate = match self.tangent(&at, self.goal, 0.0) {
            Some(way) if at.side * cross(bound, way.direction) >= 0.0 => {
                at.length + self.arc(&at, way.direction) + way.length
            }
            _ => straight(),
        };
        self.offer(Node { bounds, root, entry, kind: Kind::Fan }, estimate);
    }

    /// Opens a side between two bounds.
    fn offer_cone(&mut self, root: u32, entry: u32, mut bounds: Bounds) {
        if !bounds.close() {
            return;
        }
        let at = self.memory.roots[root as usize];
        let has_margin = bounds.reach.is_some() || bounds.low != bounds.low_wide || bounds.high != bounds.high_wide;
        if self.radius > 0.0 && has_margin {
            let near = distance_squared(self.table.ends(entry), at.centre).sqrt() - 2.0 * self.radius;
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

    /// Whether the way from a root along a tangent keeps the radius from all walls around. `triangle` has the corner that it touches, or
    /// the goal, close to `near`. If all is clear up to a side, only from there on.
    fn is_clear_along(
        &mut self,
        triangle: u32,
        near: Plane,
        root: &Root,
        way: &Tangent,
        clear_to: Option<u32>,
    ) -> bool {
        let least = self.least();
        if least <= 0.0 && clear_to.is_some() {
            return true;
        }
        let from = touch(root.centre, root.offset, way.direction);
        let mut line = [from, plus(from, way.direction, way.length)];
        if let Some(side) = clear_to {
            let [a, b] = self.table.ends(side);
            let [before, after] = line.map(|at| side_of(a, b, at));
            // The rest of the way lies in one triangle, but for where the disc bulges over a side.
            if before * after < 0.0 {
                line[0] = plus(from, way.direction, way.length * (before / (before - after)));
            }
        }
        // From the end of the way, which is no farther from there than a disc that fits is wide.
        let inside = plus(near, minus(self.table.centroid(triangle), near), 1e-3);
        let last = self.table.walk(triangle, None, inside, line[1]);
        if !(3 * last..3 * last + 3).all(|side| {
            let [a, b] = self.table.ends(side);
            side_of(a, b, line[1]) >= -2.0 * self.table.slack * length(minus(b, a))
        }) {
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
        true
    }

    /// Shortest way from a root between two bounds over a side to the goal, as if nothing were in the way behind it.
    fn ahead(&self, root: &Root, entry: u32, low: Plane, high: Plane) -> f64 {
        let [left, right] = self.table.ends(entry);
        let edge = minus(right, left);
        // A goal on this side counts as mirrored to the other.
        let aside = cross(edge, minus(self.goal, left)).min(0.0);
        let goal = plus(self.goal, left_of(edge), -2.0 * aside / dot(edge, edge));
        let bound = match self.tangent(root, goal, 0.0) {
            Some(way) if cross(low, way.direction) < 0.0 => low,
            Some(way) if cross(high, way.direction) > 0.0 => high,
            Some(way) => return root.length + self.arc(root, way.direction) + way.length,
            None => return root.length + length(minus(goal, root.centre)) - self.radius,
        };
        let from = touch(root.centre, root.offset, bound);
        let steep = cross(bound, edge);
        let reach = cross(minus(left, from), edge) / steep;
        let farthest = length(minus(left, from)).max(length(minus(right, from)));
        if !(reach.is_finite() && reach <= farthest) {
            // Along the side, or past its end: no more is known than how far the goal is.
            return root.length + self.arc(root, bound) + length(minus(goal, from));
        }
        // Where the disc bulges over the side, the way does too.
        let end = plus(from, bound, reach.max(0.0));
        root.length + self.arc(root, bound) + length(minus(end, from)) + length(minus(goal, end))
    }

    fn is_open(&self, side: u32, corner: u32) -> Option<u32> {
        let twin = self.table.twin(side);
        let is_open = twin != WALL
            && f64::from(self.table.clearance[corner as usize]) >= self.width
            && self.table.bridges.leads_to(self.goal_number, side, side / 3, twin / 3);
        is_open.then_some(twin)
    }

    fn expand(&mut self, node: &Node) {
        let table = self.table;
        let (entry, from) = (node.entry, node.root);
        let root = self.memory.roots[from as usize];
        let (to_right, to_left) = (next(entry), previous(entry));
        if entry / 3 == self.goal_triangle {
            self.arrive(node);
        }
        // The corner ahead, and what is between it and both ends of the entry.
        let corner = to_left;
        let apex = table.start(corner);
        let offset = self.offset(corner);
        let right = self.is_open(to_right, to_right);
        let left = self.is_open(to_left, entry);
        match node.kind {
            Kind::Cone => {
                for (side, beyond) in [(1.0, right), (-1.0, left)] {
                    let Some(beyond) = beyond else { continue };
                    let Some(way) = self.tangent(&root, apex, side * offset) else { continue };
                    let wide = self.tangent(&root, apex, side * self.wide(corner));
                    let mut bounds = node.bounds;
                    if side > 0.0 {
                        bounds.pass_left(&way, wide.as_ref());
                    } else {
                        bounds.pass_right(&way, wide.as_ref());
                    }
                    self.offer_cone(from, beyond, bounds);
                    let seen = node.bounds.holds(way.direction, SAME);
                    self.turn(from, corner, side, way, Some(beyond), [false; 2], seen);
                }
            }
            Kind::Fan => self.expand_fan(node, &root, corner, [right, left]),
            Kind::Turn | Kind::Final => {}
        }
    }

    /// Goes on round a root that is one end of the entry: past the corner ahead on the root's side, or between both.
    fn expand_fan(&mut self, node: &Node, root: &Root, corner: u32, [right, left]: [Option<u32>; 2]) {
        let from = node.root;
        let side = root.side;
        let (away, between) = if side > 0.0 { (right, left) } else { (left, right) };
        let apex = self.table.start(corner);
        let offset = self.offset(corner);
        // How far to the root's side of a bound a direction lies.
        let turns = |a: Plane, b: Plane| side * cross(a, b);
        let wide = self.tangent(root, apex, side * self.wide(corner));
        if let (Some(beyond), Some(way)) = (away, self.tangent(root, apex, side * offset)) {
            let bound = if side > 0.0 { node.bounds.low_wide } else { node.bounds.high_wide };
            let is_ahead = |direction: Plane| {
                let turn = turns(bound, direction);
                turn > SAME || (turn > -SAME && dot(bound, direction) > 0.0)
            };
            // A corner within the disc round the root is passed by every line.
            let wide = wide.map_or(root.limit, |wide| wide.direction);
            let wide = if turns(bound, wide) > SAME { wide } else { way.direction };
            if is_ahead(wide) {
                let mut bounds = node.bounds;
                // Less than half a circle from here on.
                if side > 0.0 {
                    let end = |to: Plane| if turns(to, root.limit) < 0.0 { root.limit } else { to };
                    (bounds.high, bounds.high_wide) = (end(way.direction), end(wide));
                    bounds.high_far = way.length;
                } else {
                    let end = |to: Plane| if turns(to, root.limit) < 0.0 { root.limit } else { to };
                    (bounds.low, bounds.low_wide) = (end(way.direction), end(wide));
                    bounds.low_far = way.length;
                }
                self.offer_cone(from, beyond, bounds);
            }
            if is_ahead(way.direction) && turns(way.direction, root.limit) >= -SAME {
                let tight = if side > 0.0 { node.bounds.low } else { node.bounds.high };
                let is_clear = node.bounds.reach.is_none() && turns(tight, way.direction) >= -SAME;
                let seen = if is_clear { Seen::Clearly } else { Seen::Perhaps };
                self.turn(from, corner, side, way, Some(beyond), [false; 2], seen);
            }
        }
        if let (Some(beyond), Some(way)) = (between, self.tangent(root, apex, -side * offset)) {
            let seen = self.seen(node, root, way.direction, apex, SAME);
            self.turn(from, corner, -side, way, Some(beyond), [false; 2], seen);
            if let Some(bounds) = self.passed_between(root, node.bounds, corner) {
                self.offer_fan(from, beyond, bounds);
            }
        }
    }

    /// What is left of the directions round a root where they pass between it and another corner.
    fn passed_between(&self, root: &Root, mut bounds: Bounds, corner: u32) -> Option<Bounds> {
        let place = self.table.start(corner);
        let wide = self.tangent(root, place, -root.side * self.wide(corner))?;
        let way = self.tangent(root, place, -root.side * self.offset(corner))?;
        let (tight, old) =
            if root.side > 0.0 { (bounds.low, bounds.low_wide) } else { (bounds.high, bounds.high_wide) };
        let (new, _) = self.tightened(root, old, wide.direction, place, SAME)?;
        let mut far = None;
        let tight = match self.tightened(root, tight, way.direction, place, SAME) {
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
            && length(minus(place, root.centre)) > reach + 2.0 * self.radius
        {
            return None;
        }
        Some(bounds)
    }

    /// The bound of directions that pass between a root and a place ahead: the later of the old one and `direction`, which just passes the place; and
    /// whether it is that. `None` if no direction is left.
    fn tightened(
        &self,
        root: &Root,
        bound: Plane,
        direction: Plane,
        place: Plane,
        loose: f64,
    ) -> Option<(Plane, bool)> {
        let turns = |a: Plane, b: Plane| root.side * cross(a, b);
        let turn = turns(bound, direction);
        let off = unit(minus(place, root.centre));
        let aside = turns(bound, off);
        // What lies straight behind is behind.
        let is_later = if aside > 0.0 && (aside > SAME || dot(bound, off) > 0.0) {
            // The place is ahead, and the direction turns on from it by a quarter of a circle at most: perhaps too far.
            if turn < -loose {
                return None;
            }
            true
        } else {
            turn > SAME || (turn >= -loose && dot(bound, direction) > 0.0)
        };
        let bound = if is_later { direction } else { bound };
        (turns(bound, root.limit) >= -loose).then_some((bound, is_later))
    }

    /// Whether a cone holds a direction, that to a place or past it.
    fn seen(&self, node: &Node, root: &Root, direction: Plane, place: Plane, loose: f64) -> Seen {
        if !matches!(node.kind, Kind::Fan) {
            return node.bounds.holds(direction, loose);
        }
        let Bounds { low, high, low_wide, high_wide, reach, .. } = node.bounds;
        let holds = |bound: Plane| {
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

    /// A cone has come into the triangle of the goal.
    fn arrive(&mut self, node: &Node) {
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

    fn complete(&mut self, from: u32, way: Tangent, entry: Option<u32>, seen: Seen) {
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
    fn ends_well(&mut self, node: &Node) -> bool {
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
    fn loose(&self, long: f64) -> f64 {
        SAME + 2.0 * self.table.slack / long.max(self.table.slack)
    }

    fn is_goal_corner(&self, vertex: u32) -> bool {
        self.memory.goal.corners.iter().any(|&corner| self.table.vertices[corner as usize] == vertex)
    }

    /// Whether a root may be left in a direction.
    fn may_leave(&self, root: &Root, direction: Plane, loose: f64) -> bool {
        if root.side == 0.0 {
            return true;
        }
        let turned = root.side * angle(root.arrival, direction);
        let rest = root.side * angle(direction, root.limit);
        (turned >= -loose || turned < -3.1) && (rest >= -loose || rest < -3.1)
    }

    /// Goes on from a root near one end of the way: to all corners near by, out of the triangle of the start, and to the goal.
    fn local(&mut self, from: u32) {
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
    fn leave(&mut self, from: u32) {
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
            let [Some(low), Some(high), low_wide, high_wide] = lines else { continue };
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
            let tight = self.between_limits(&root, low.direction, high.direction);
            let Some((low_wide, high_wide)) = self.between_limits(&root, low_wide, high_wide) else {
                continue;
            };
            let far = low.length.max(high.length);
            let mut bounds = Bounds::of(low_wide, high_wide);
            (bounds.low_far, bounds.high_far) = (low.length, high.length);
            match tight {
                Some((low, high)) => (bounds.low, bounds.high) = (low, high),
                None => bounds.reach = Some(far),
            }
            self.offer_cone(from, entry, bounds);
        }
    }

    /// What of the directions from `low` to `high` a root may be left in.
    fn between_limits(&self, root: &Root, mut low: Plane, mut high: Plane) -> Option<(Plane, Plane)> {
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

fn slot(number: u32, side: f64) -> usize {
    number as usize * 2 + usize::from(side < 0.0)
}

impl Memory {
    /// The square of the radius that was searched for: of a corner turned round.
    pub(super) fn offset_squared(&self) -> f64 {
        self.roots.iter().map(|root| root.offset * root.offset).fold(0.0, f64::max)
    }

    fn begin(&mut self, slots: usize) {
        if self.stamp == u32::MAX {
            self.claims.clear();
            self.stamp = 0;
        }
        self.stamp += 1;
        if self.claims.len() < slots {
            self.claims.resize(slots, Claim::default());
        }
        self.nodes.clear();
        self.roots.clear();
        self.open.clear();
        self.local.clear();
        self.groups.clear();
    }
}
