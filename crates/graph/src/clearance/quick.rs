//! A short path of a disc, found fast: A* over the sides of triangles, then a string pulled taut
//! among the discs round the corners of the channel found.
//!
//! A channel that is wide enough from side to side holds a path. Only near both ends, where it does
//! not come through whole triangles, may a wall be in its way: the lines and arcs there are looked
//! at, and where one is not free the search over cones decides.
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
use crate::geometry::disc::{Tangent, angle, faces, is_nearer, side_of, tangent, touch};
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
    /// The key of the best step that is not in the heap.
    in_hand: Option<(u64, u32)>,
    stamp: u32,
    /// Per side, the query that came to it last, and the least length then.
    known: Vec<(u32, f64)>,
    /// The sides of the channel, from the start.
    entries: Vec<u32>,
    anchors: Vec<Anchor>,
    /// `true` if some were taken out again: the lines there may be anywhere.
    is_mended: bool,
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
        quick.in_hand = None;
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
        while let Some(number) = self.next_step(quick) {
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

    /// Returns the step with the least estimate: often the last one, which is not in the heap.
    fn next_step(&mut self, quick: &mut QuickMemory) -> Option<u32> {
        let open = &mut self.memory.open;
        let Some(best) = quick.in_hand.take() else { return open.pop().map(|Reverse((_, number))| number) };
        match open.peek_mut() {
            Some(mut first) if first.0 < best => {
                let Reverse((_, number)) = std::mem::replace(&mut *first, Reverse(best));
                Some(number)
            }
            _ => Some(best.1),
        }
    }

    /// Comes to a side from a place, where that is shorter than what is known.
    #[inline]
    fn step(&mut self, entry: u32, parent: u32, from: DVec2, length: f64, quick: &mut QuickMemory) {
        let [a, b] = self.table.ends(entry);
        let along = b - a;
        let square = along.length_squared();
        // In lengths of the side, squared.
        let [[place, aside], [goal_place, goal_aside]] =
            [from, self.goal].map(|at| [along.dot(at - a), along.perp_dot(at - a).abs()]);
        // The shortest line to the goal that comes by the side, mirrored where both lie before it.
        let sum = aside + goal_aside;
        let share = if sum > 0.0 {
            (place * goal_aside + goal_place * aside) / (sum * square)
        } else {
            place / square.max(f64::MIN_POSITIVE)
        };
        let inset = if square > self.width * self.width { self.radius / square.sqrt() } else { 0.5 };
        let at = a + along * share.clamp(inset, 1.0 - inset);
        let length = length + (at - from).length();
        let known = &mut quick.known[entry as usize];
        if known.0 == quick.stamp && known.1 <= length {
            return;
        }
        *known = (quick.stamp, length);
        let number = u32::try_from(quick.steps.len()).unwrap_or(NONE);
        quick.steps.push(Step { entry, parent, at, length });
        let estimate = length + (self.goal - at).length();
        let mut key = (estimate.to_bits(), !number);
        match &mut quick.in_hand {
            Some(best) => {
                if key < *best {
                    std::mem::swap(best, &mut key);
                }
                self.memory.open.push(Reverse(key));
            }
            none => *none = Some(key),
        }
    }

    /// Pulls a string through the channel. Returns `false` where the discs leave no room for it.
    fn pull(&self, ends: &Ends, quick: &mut QuickMemory) -> bool {
        let table = self.table;
        let QuickMemory { entries, anchors, is_mended, .. } = quick;
        *is_mended = false;
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
                    if let Some(edge) = &mut edges[own]
                        && edge.anchor.vertex == vertex
                    {
                        // One of both ends is that of the side before.
                        edge.number = number;
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
            if anchors[at].side * before.direction.perp_dot(after.direction) < 0.0 {
                anchors.remove(at);
                *is_mended = true;
                at = at.saturating_sub(1).max(1);
            } else {
                at += 1;
            }
        }
        true
    }

    /// Looks at the string where it is near its ends, and leaves it in the memory as a path found.
    ///
    /// Between, the channel is wide enough: see the top of this file.
    fn settle(&mut self, ends: &Ends, quick: &QuickMemory, seen: &mut Marks) -> Quick {
        let table = self.table;
        self.memory.roots.clear();
        self.memory.roots.push(Root::at(ends.places[0], [NONE; 2]));
        self.memory.forget_nears();
        let mut nears = None;
        let (mut triangle, mut length) = (ends.triangles[0], 0.0);
        for (number, pair) in (1_u32..).zip(quick.anchors.windows(2)) {
            let Some(line) = pair[0].line_to(&pair[1]) else { return Quick::Unsure };
            let direction = line.direction;
            let way = [0, 1].map(|end: usize| touch(pair[end].centre, pair[end].offset, direction));
            let root = self.memory.roots[number as usize - 1];
            if root.side != 0.0 {
                length += self.radius * root.side * angle(root.arrival, direction);
                if !table.has_room_round(root.corner, self.radius, self.radius) {
                    let nears = *nears.get_or_insert_with(|| self.add_nears(ends));
                    let turns =
                        |&near: &u32| self.turns_freely(&self.memory.nears[near as usize], &root, direction);
                    if !nears.iter().all(turns) {
                        return Quick::Unsure;
                    }
                }
                // Over the arc, by its chord's side.
                let before = touch(root.centre, root.offset, root.arrival);
                triangle = table.walk(triangle, None, before, way[0]);
            }
            let near = pair.iter().map(|anchor| self.is_at_ends(ends, anchor.vertex));
            let mut near = near.fold([false; 2], |sum, one| [sum[0] || one[0], sum[1] || one[1]]);
            near[0] |= number == 1;
            near[1] |= pair[1].side == 0.0;
            // Between corners with room around the channel is wide enough.
            let has_room = |anchor: &Anchor| {
                anchor.side == 0.0 || table.has_room_round(anchor.corner, self.radius, self.radius)
            };
            if quick.is_mended || !pair.iter().all(has_room) {
                near = [true; 2];
            }
            if !self.is_free_near(near, way, triangle, quick, seen) {
                return Quick::Unsure;
            }
            triangle = table.walk(triangle, None, way[0], way[1]);
            length += line.length;
            self.memory.way.push((number - 1, direction));
            let Anchor { centre, offset, side, vertex, corner } = pair[1];
            if side == 0.0 {
                break;
            }
            if !table.may_touch(table.fan_of[corner as usize], side, direction) {
                return Quick::Unsure;
            }
            self.memory.roots.push(Root {
                centre,
                offset,
                side,
                arrival: direction,
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

    /// Looks around both ends; returns the numbers of what is near them.
    fn add_nears(&mut self, ends: &Ends) -> [u32; 2] {
        let reach = 2.0 * self.radius;
        [0, 1].map(|end| self.memory.add_near(self.table, ends.triangles[end], ends.places[end], reach, NONE))
    }

    /// Returns `true` for each end in whose triangle a corner is.
    fn is_at_ends(&self, ends: &Ends, vertex: u32) -> [bool; 2] {
        ends.triangles.map(|triangle| {
            let first = 3 * triangle as usize;
            self.table.vertices[first..first + 3].contains(&vertex)
        })
    }

    /// Returns `true` if no wall is in the way of a line of the string that begins in a triangle, as
    /// far as it is near the start, or near the goal: not beyond the first side of the channel, nor
    /// before the last one, by the radius.
    fn is_free_near(
        &mut self,
        near: [bool; 2],
        mut way: [DVec2; 2],
        mut triangle: u32,
        quick: &QuickMemory,
        seen: &mut Marks,
    ) -> bool {
        let table = self.table;
        let side = match (near, quick.entries.as_slice()) {
            ([false, false], _) => return true,
            ([true, false], [first, ..]) => Some(first),
            ([false, true], [.., last]) => Some(last),
            _ => None,
        };
        if let Some(&side) = side {
            let [a, b] = table.ends(side);
            let aside = self.radius * (b - a).length();
            // Where the line is far enough beyond the first side, or comes near to the last one.
            let [before, after] = way.map(|at| side_of(a, b, at) + if near[0] { -aside } else { aside });
            if if near[0] { before >= 0.0 } else { after <= 0.0 } {
                return true;
            }
            if before < 0.0 && after > 0.0 {
                let cut = way[0] + (way[1] - way[0]) * (before / (before - after));
                if near[0] {
                    way[1] = cut;
                } else {
                    triangle = table.walk(triangle, None, way[0], cut);
                    way[0] = cut;
                }
            }
        }
        let least = self.least();
        table.spread(triangle, &mut self.memory.stack, seen, |side, ends| match is_nearer(way, ends, least) {
            true if table.is_wall(side) => None,
            is_near => Some(is_near && faces(ends, way)),
        })
    }
}
