//! A short path of a disc, found fast: A* over the sides of triangles, then a string pulled taut
//! among the discs round the corners of the channel found.
//!
//! A channel that is wide enough from side to side holds a path. Only near both ends of a path,
//! and where channels of storeys meet, may a wall be in its way: all lines and arcs are looked at,
//! and where one is not free the search over cones decides.
//!
//! # References
//! - Kallmann 2014, Dynamic and robust local clearance triangulations, <https://doi.org/10.1145/2580947>:
//!   channels that are wide enough, A* over their sides.
//! - Demyen and Buro 2006, Efficient triangulation-based pathfinding, AAAI 21, 942 to 947: the
//!   funnel among discs.

use std::cmp::Reverse;

use glam::DVec2;

use super::bounds::Root;
use super::search::{Ends, NONE, Search};
use super::table::{next, previous};
use crate::geometry::disc::{Tangent, angle, faces, is_nearer, tangent, touch};
use crate::marks::Marks;

/// What the fast search came to.
pub(super) enum Quick {
    /// What the path costs; its turns are left in the memory.
    Found(f64),
    /// There is no path, or the search ended at its limit.
    Nothing,
    /// The string is not free, or is no shortest one: nothing is known.
    Unsure,
}

/// A side that was come to.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// As seen from the triangle beyond.
    entry: u32,
    parent: u32,
    /// Where it is crossed, for all that is known so far.
    at: DVec2,
    length: f64,
}

/// What the fast search writes, beside the heap.
#[derive(Clone, Debug, Default)]
pub(super) struct QuickMemory {
    steps: Vec<Step>,
    stamp: u32,
    /// Per side, the query that came to it last, and the least length then.
    known: Vec<(u32, f64)>,
    /// The sides of the channel, from the start.
    entries: Vec<u32>,
    anchors: Vec<Anchor>,
}

/// A disc that the string touches, or one of its ends.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    centre: DVec2,
    /// How far to the left of the string it lies.
    offset: f64,
    /// 1 for one to the left, -1 to the right, 0 for an end.
    side: f64,
    vertex: u32,
    /// A corner that lies there.
    corner: u32,
}

impl Anchor {
    fn end(at: DVec2) -> Self {
        Self { centre: at, offset: 0.0, side: 0.0, vertex: NONE, corner: NONE }
    }

    fn line_to(&self, to: &Self) -> Option<Tangent> {
        tangent(self.centre, self.offset, to.centre, to.offset)
    }
}

/// The last direction on one side in which the string may go on, and what it would touch there:
/// an end of the side of that number.
#[derive(Clone, Copy, Debug)]
struct Edge {
    direction: DVec2,
    anchor: Anchor,
    number: usize,
}

impl Search<'_> {
    /// Looks for a short path; `most` is the most sides that are opened.
    pub(super) fn run_quick(&mut self, ends: &Ends, most: usize, seen: &mut Marks) -> Quick {
        let [from, to] = ends.triangles;
        (self.goal, self.goal_triangle) = (ends.places[1], to);
        self.goal_number = self.table.bridges.number(to);
        self.memory.way.clear();
        self.memory.is_cut = false;
        if from == to {
            // Round a wall that pokes into it, if not straight.
            return Quick::Unsure;
        }
        if !self.islands.may_join(self.table, from, to, self.width) {
            return Quick::Nothing;
        }
        let mut quick = std::mem::take(&mut self.memory.quick);
        let found = match self.find_channel(ends, most, &mut quick) {
            true if self.pull(ends, &mut quick) => self.settle(ends, &quick, seen),
            false if self.memory.is_cut => Quick::Nothing,
            _ => Quick::Unsure,
        };
        self.memory.quick = quick;
        found
    }

    /// Finds a channel that is wide enough from side to side.
    fn find_channel(&mut self, ends: &Ends, most: usize, quick: &mut QuickMemory) -> bool {
        let table = self.table;
        let [from, to] = ends.triangles;
        quick.steps.clear();
        quick.entries.clear();
        self.memory.open.clear();
        if quick.known.len() < table.twins.len() || quick.stamp == u32::MAX {
            quick.known.clear();
            quick.known.resize(table.twins.len(), (0, 0.0));
            quick.stamp = 0;
        }
        quick.stamp += 1;
        for side in 3 * from..3 * from + 3 {
            let twin = table.twin(side);
            let [a, b] = table.ends(side);
            let is_wide = !table.is_wall(side) && (b - a).length() >= self.width;
            if is_wide && table.bridges.leads_to(self.goal_number, side, from, twin / 3) {
                self.step(twin, NONE, ends.places[0], 0.0, quick);
            }
        }
        let mut left = most;
        while let Some(Reverse((_, number))) = self.memory.open.pop() {
            let Step { entry, at, length, .. } = quick.steps[!number as usize];
            if length > quick.known[entry as usize].1 {
                continue;
            }
            if entry / 3 == to {
                let mut step = !number;
                while let Some(known) = quick.steps.get(step as usize) {
                    quick.entries.push(known.entry);
                    step = known.parent;
                }
                quick.entries.reverse();
                return true;
            }
            if left == 0 {
                self.memory.is_cut = true;
                return false;
            }
            left -= 1;
            let [right, left] = [next(entry), previous(entry)];
            for beyond in [self.is_open(right, right), self.is_open(left, entry)].into_iter().flatten() {
                self.step(beyond, !number, at, length, quick);
            }
        }
        false
    }

    /// Comes to a side from a place, where that is shorter than what is known.
    fn step(&mut self, entry: u32, parent: u32, from: DVec2, length: f64, quick: &mut QuickMemory) {
        let [a, b] = self.table.ends(entry);
        let along = b - a;
        let long = along.length();
        let along = along / long.max(f64::MIN_POSITIVE);
        let [[place, aside], [goal_place, goal_aside]] =
            [from, self.goal].map(|at| [along.dot(at - a), along.perp_dot(at - a).abs()]);
        // The shortest line to the goal that comes by the side, mirrored where both lie before it.
        let sum = aside + goal_aside;
        let at = if sum > 0.0 { (place * goal_aside + goal_place * aside) / sum } else { place };
        let inset = self.radius.min(long * 0.5);
        let at = a + along * at.clamp(inset, (long - inset).max(inset));
        let length = length + (at - from).length();
        let known = &mut quick.known[entry as usize];
        if known.0 == quick.stamp && known.1 <= length {
            return;
        }
        *known = (quick.stamp, length);
        let number = u32::try_from(quick.steps.len()).unwrap_or(NONE);
        quick.steps.push(Step { entry, parent, at, length });
        let estimate = length + (self.goal - at).length();
        self.memory.open.push(Reverse((estimate.to_bits(), !number)));
    }

    /// Pulls a string through the channel. Returns `false` where the discs leave no room for it.
    fn pull(&self, ends: &Ends, quick: &mut QuickMemory) -> bool {
        let table = self.table;
        let QuickMemory { entries, anchors, .. } = quick;
        let goal = Anchor::end(ends.places[1]);
        let mut apex = Anchor::end(ends.places[0]);
        anchors.clear();
        anchors.push(apex);
        let mut begin = 0;
        'apex: loop {
            // The right one and the left one.
            let mut edges: [Option<Edge>; 2] = [None; 2];
            for (number, &entry) in entries.iter().enumerate().skip(begin) {
                // Seen from the triangle beyond, a side begins with its left end.
                for (own, corner, side) in [(0, next(entry), -1.0), (1, entry, 1.0)] {
                    let vertex = table.vertices[corner as usize];
                    if vertex == apex.vertex {
                        continue;
                    }
                    let (centre, offset) = (table.start(corner), side * self.offset(corner));
                    let anchor = Anchor { centre, offset, side, vertex, corner };
                    let Some(line) = apex.line_to(&anchor) else { return false };
                    // How far it leads to the inside.
                    let inward = |edge: &Edge| -side * edge.direction.perp_dot(line.direction);
                    if edges[own].is_some_and(|edge| inward(&edge) < 0.0) {
                        continue;
                    }
                    if let Some(other) = edges[1 - own]
                        && inward(&other) > 0.0
                    {
                        apex = other.anchor;
                        begin = other.number + 1;
                        anchors.push(apex);
                        continue 'apex;
                    }
                    edges[own] = Some(Edge { direction: line.direction, anchor, number });
                }
            }
            let Some(line) = apex.line_to(&goal) else { return false };
            let outside = edges
                .into_iter()
                .flatten()
                .find(|edge| edge.anchor.side * edge.direction.perp_dot(line.direction) > 0.0);
            let Some(edge) = outside else { break };
            apex = edge.anchor;
            begin = edge.number + 1;
            anchors.push(apex);
        }
        anchors.push(goal);
        // Discs overlap where points do not: one that was taken too early is not touched in the end.
        let mut at = 1;
        while at + 1 < anchors.len() {
            let lines = [anchors[at - 1].line_to(&anchors[at]), anchors[at].line_to(&anchors[at + 1])];
            let [Some(before), Some(after)] = lines else { return false };
            if anchors[at].side * angle(before.direction, after.direction) < 0.0 {
                anchors.remove(at);
                at = at.saturating_sub(1).max(1);
            } else {
                at += 1;
            }
        }
        true
    }

    /// Looks at all lines and arcs of the string, and leaves it in the memory as a path found.
    fn settle(&mut self, ends: &Ends, quick: &QuickMemory, seen: &mut Marks) -> Quick {
        let table = self.table;
        let least = self.least();
        self.memory.forget_nears();
        let reach = 2.0 * self.radius;
        let nears =
            [0, 1].map(|end| self.memory.add_near(table, ends.triangles[end], ends.places[end], reach, NONE));
        self.memory.roots.clear();
        self.memory.roots.push(Root::at(ends.places[0], [NONE; 2]));
        let (mut triangle, mut length) = (ends.triangles[0], 0.0);
        for (number, pair) in (1_u32..).zip(quick.anchors.windows(2)) {
            let Some(line) = pair[0].line_to(&pair[1]) else { return Quick::Unsure };
            let direction = line.direction;
            let way = [0, 1].map(|end: usize| touch(pair[end].centre, pair[end].offset, direction));
            let root = self.memory.roots[number as usize - 1];
            if root.side != 0.0 {
                let turned = root.side * angle(root.arrival, direction);
                length += self.radius * turned;
                if nears
                    .iter()
                    .any(|&near| !self.turns_freely(&self.memory.nears[near as usize], &root, direction))
                {
                    return Quick::Unsure;
                }
                // Over the arc, by its chord's side.
                let before = touch(root.centre, root.offset, root.arrival);
                triangle = table.walk(triangle, None, before, way[0]);
            }
            let is_free =
                table.spread(triangle, &mut self.memory.stack, seen, |side, ends| {
                    match is_nearer(way, ends, least) {
                        true if table.is_wall(side) => None,
                        is_near => Some(is_near && faces(ends, way)),
                    }
                });
            if !is_free {
                return Quick::Unsure;
            }
            triangle = table.walk(triangle, None, way[0], way[1]);
            length += line.length;
            self.memory.way.push((number - 1, direction));
            let Anchor { centre, offset, side, vertex, corner } = pair[1];
            if side == 0.0 {
                break;
            }
            let Some(turn) = table.turn(table.fan_of[corner as usize], side, direction) else {
                return Quick::Unsure;
            };
            self.memory.roots.push(Root {
                centre,
                offset,
                side,
                arrival: direction,
                limit: turn.limit,
                turned: turn.turned,
                length,
                parent: number - 1,
                vertex,
                corner,
                way: line.length,
                ..Root::at(centre, [NONE; 2])
            });
        }
        // On the storey of the goal.
        let [_, goal] = ends.triangles;
        let is_there = triangle == goal
            || (3 * triangle..3 * triangle + 3).any(|side| {
                let [a, b] = table.ends(side);
                let is_on = (b - a).perp_dot(ends.places[1] - a).abs() <= table.slack * (b - a).length();
                is_on && !table.is_wall(side) && table.twin(side) / 3 == goal
            });
        if !is_there {
            return Quick::Unsure;
        }
        self.memory.way.reverse();
        Quick::Found(length)
    }
}
