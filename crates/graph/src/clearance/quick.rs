//! A short path of a disc, found fast: A* over the sides of triangles, then a string pulled taut
//! among the discs round the corners of the channel found.
//!
//! A channel that is wide enough from side to side holds a path. Only near both ends, where it does
//! not come through whole triangles, may a wall be in its way: the lines and arcs there are looked
//! at, and where one is not free the search over cones decides.
//!
//! # References
//! Kallmann 2014, Dynamic and robust local clearance triangulations, <https://doi.org/10.1145/2580947>:
//! channels that are wide enough, A* over their sides. Demyen and Buro 2006, Efficient
//! triangulation-based pathfinding, AAAI 21, 942 to 947: the funnel among discs.

use glam::DVec2;
use waymesh_core::checkpoint_every;

use super::bounds::{NO_INDEX, Root};
use super::memory::{Anchor, QuickMemory, Step, TautString};
use super::search::{Ends, Search};
use super::table::{next, previous};
use crate::geometry::disc::{Tangent, angle, faces, is_nearer, side_of, touch};
use crate::marks::Marks;

/// The result of the fast search.
pub(super) enum Quick {
    /// The cost of a path; its turns are in the memory.
    Found(f64),
    /// There is no path, or the search ended at its limit.
    Nothing,
    /// The string is not free, or is no shortest one: nothing is known.
    Unsure,
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
            true if self.pull(ends, &mut quick.string) => self.check(ends, &quick.string, seen),
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
        quick.string.entries.clear();
        quick.open.clear();
        quick.known.begin(table.twins.len());
        for side in 3 * from..3 * from + 3 {
            let twin = table.twin(side);
            let [a, b] = table.ends(side);
            let is_wide = !table.is_wall(side) && (b - a).length() >= self.width;
            if is_wide && table.bridges.leads_to(self.goal_number, side, from, twin / 3) {
                self.step(twin, NO_INDEX, ends.places[0], 0.0, quick);
            }
        }
        let mut left = most;
        while let Some((_, number)) = quick.open.pop() {
            let Step { entry, at, length, .. } = quick.steps[!number as usize];
            if quick.known.get(entry).is_some_and(|known| length > known) {
                continue;
            }
            if entry / 3 == to {
                let mut step = !number;
                while let Some(known) = quick.steps.get(step as usize) {
                    quick.string.entries.push(known.entry);
                    step = known.parent;
                }
                quick.string.entries.reverse();
                return true;
            }
            if left == 0 {
                self.memory.is_cut = true;
                return false;
            }
            checkpoint_every(1 << 12, left);
            left -= 1;
            let [right, left] = [next(entry), previous(entry)];
            for beyond in [self.is_open(right, right), self.is_open(left, entry)].into_iter().flatten() {
                self.step(beyond, !number, at, length, quick);
            }
        }
        false
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
        if quick.known.get(entry).is_some_and(|known| known <= length) {
            return;
        }
        quick.known.set(entry, length);
        let number = u32::try_from(quick.steps.len()).unwrap_or(NO_INDEX);
        quick.steps.push(Step { entry, parent, at, length });
        let estimate = length + (self.goal - at).length();
        quick.open.push((estimate.to_bits(), !number));
    }

    /// Checks the string near its ends, and stores it in the memory as the path.
    ///
    /// Between them the channel is wide enough: see the top of this file.
    fn check(&mut self, ends: &Ends, string: &TautString, seen: &mut Marks) -> Quick {
        let table = self.table;
        self.memory.roots.clear();
        self.memory.roots.push(Root::at(ends.places[0], [NO_INDEX; 2]));
        self.memory.forget_nears();
        let mut nears = None;
        let mut length = 0.0;
        for (number, pair) in (1_u32..).zip(string.anchors.windows(2)) {
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
                if !table.has_one_way_round(root.corner) {
                    return Quick::Unsure;
                }
            }
            // The triangle that the line begins in.
            let find_first = || match root.corner {
                NO_INDEX => ends.triangles[0],
                corner => {
                    let near = table.triangle_towards(corner, way[0] - root.centre);
                    table.walk(near, None, root.centre, way[0])
                }
            };
            let mut first = None;
            let near = pair.iter().map(|anchor| self.is_at_ends(ends, anchor.vertex));
            let mut near = near.fold([false; 2], |sum, one| [sum[0] || one[0], sum[1] || one[1]]);
            near[0] |= number == 1;
            near[1] |= pair[1].side == 0.0;
            // Between corners with room around the channel is wide enough.
            let has_room = |anchor: &Anchor| {
                anchor.side == 0.0 || table.has_room_round(anchor.corner, self.radius, self.radius)
            };
            if string.is_mended || !pair.iter().all(has_room) {
                near = [true; 2];
            }
            if !self.is_free_near(near, way, || *first.get_or_insert_with(find_first), string, seen) {
                return Quick::Unsure;
            }
            length += line.length;
            self.memory.way.push((number - 1, direction));
            let Anchor { centre, offset, side, vertex, corner, .. } = pair[1];
            if side == 0.0 {
                let first = first.unwrap_or_else(find_first);
                if !table.is_in(table.walk(first, None, way[0], way[1]), way[1], ends.triangles[1]) {
                    // On another storey than the goal.
                    return Quick::Unsure;
                }
                break;
            }
            if !table.may_touch(corner, side, direction) {
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
                ..Root::at(centre, [NO_INDEX; 2])
            });
        }
        self.memory.way.reverse();
        Quick::Found(length)
    }

    /// Looks around both ends; returns the numbers of what is near them.
    fn add_nears(&mut self, ends: &Ends) -> [u32; 2] {
        let reach = 2.0 * self.radius;
        [0, 1].map(|end| {
            self.memory.add_near(self.table, ends.triangles[end], ends.places[end], reach, NO_INDEX)
        })
    }

    /// Returns `true` for each end in whose triangle a corner is.
    fn is_at_ends(&self, ends: &Ends, vertex: u32) -> [bool; 2] {
        ends.triangles.map(|triangle| {
            let first = 3 * triangle as usize;
            self.table.vertices[first..first + 3].contains(&vertex)
        })
    }

    /// Returns `true` if no wall is in the way of a line of the string, which begins in the `first`
    /// triangle, as far as it is near the start, or near the goal: not beyond the first side of the
    /// channel, nor before the last one, by the radius.
    fn is_free_near(
        &mut self,
        near: [bool; 2],
        mut way: [DVec2; 2],
        first: impl FnOnce() -> u32,
        string: &TautString,
        seen: &mut Marks,
    ) -> bool {
        let table = self.table;
        let mut cut_off = None;
        let side = match (near, string.entries.as_slice()) {
            ([false, false], _) => return true,
            ([true, false], [first, ..]) => Some(first),
            ([false, true], [.., last]) => Some(last),
            _ => None,
        };
        if let Some(&side) = side {
            let [a, b] = table.ends(side);
            let aside = self.radius * (b - a).length();
            // Distances of the line beyond the first side and before the last one.
            let [before, after] = way.map(|at| side_of(a, b, at) + if near[0] { -aside } else { aside });
            if if near[0] { before >= 0.0 } else { after <= 0.0 } {
                return true;
            }
            if before < 0.0 && after > 0.0 {
                let cut = way[0] + (way[1] - way[0]) * (before / (before - after));
                if near[0] {
                    way[1] = cut;
                } else {
                    cut_off = Some(std::mem::replace(&mut way[0], cut));
                }
            }
        }
        let mut triangle = first();
        if let Some(from) = cut_off {
            triangle = table.walk(triangle, None, from, way[0]);
        }
        let least = self.least();
        table.spread(triangle, &mut self.memory.stack, seen, |side, ends| match is_nearer(way, ends, least) {
            true if table.is_wall(side) => None,
            is_near => Some(is_near && faces(ends, way)),
        })
    }
}

/// Discs that are put into a string where it crosses them, before it is given up.
const MOST_MENDED: usize = 16;

/// The last direction on one side in which the string may continue, and the corner that it would
/// touch there.
#[derive(Clone, Copy, Debug)]
struct Edge {
    direction: DVec2,
    anchor: Anchor,
}

impl Search<'_> {
    /// Pulls a string through the channel. Returns `false` where the discs leave no room for it.
    pub(super) fn pull(&self, ends: &Ends, string: &mut TautString) -> bool {
        let table = self.table;
        let TautString { entries, anchors, is_mended } = string;
        *is_mended = false;
        let goal = Anchor::end(ends.places[1], entries.len());
        let mut apex = Anchor::end(ends.places[0], 0);
        anchors.clear();
        anchors.push(apex);
        'apex: loop {
            // The right one and the left one.
            let mut edges: [Option<Edge>; 2] = [None; 2];
            for (passed, &entry) in (1..).zip(entries.iter()).skip(apex.passed) {
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
                        edge.anchor.passed = passed;
                        continue;
                    }
                    let (centre, offset) = (table.start(corner), side * self.offset(corner));
                    let anchor = Anchor { centre, offset, side, vertex, corner, passed };
                    let Some(line) = apex.line_to(&anchor) else { return false };
                    // Deviation to the inside.
                    let inward = |edge: &Edge| -side * edge.direction.perp_dot(line.direction);
                    if edges[own].is_some_and(|edge| inward(&edge) < 0.0) {
                        continue;
                    }
                    if let Some(other) = edges[1 - own]
                        && inward(&other) > 0.0
                    {
                        apex = other.anchor;
                        anchors.push(apex);
                        continue 'apex;
                    }
                    edges[own] = Some(Edge { direction: line.direction, anchor });
                }
            }
            let Some(line) = apex.line_to(&goal) else { return false };
            let outside = edges
                .into_iter()
                .flatten()
                .find(|edge| edge.anchor.side * edge.direction.perp_dot(line.direction) > 0.0);
            let Some(edge) = outside else { break };
            apex = edge.anchor;
            anchors.push(apex);
        }
        // Turns by more than half a circle would look like turns to the other side.
        if anchors.iter().any(|anchor| anchor.side != 0.0 && !table.has_one_way_round(anchor.corner)) {
            return false;
        }
        anchors.push(goal);
        for _ in 0..MOST_MENDED {
            if !loosen(anchors, is_mended) {
                return false;
            }
            let in_the_way = |pair: &[Anchor]| self.in_the_way(entries, [&pair[0], &pair[1]]);
            let found = (1..).zip(anchors.windows(2)).find_map(|(at, pair)| Some((at, in_the_way(pair)?)));
            let Some((at, anchor)) = found else { return true };
            anchors.insert(at, anchor);
            *is_mended = true;
        }
        false
    }

    /// Returns a disc that the string crosses between two of those that it touches: one in its way may
    /// be nearer than the one across from it that it was led round, where two points never are.
    fn in_the_way(&self, entries: &[u32], [from, to]: [&Anchor; 2]) -> Option<Anchor> {
        let Tangent { direction, length } = from.line_to(to)?;
        let begin = touch(from.centre, from.offset, direction);
        let least = self.least();
        let vertex = |corner: u32| self.table.vertices[corner as usize];
        let ends_at = |entry: u32, place: &Anchor| [entry, next(entry)].map(vertex).contains(&place.vertex);
        let is_between = |number: usize| (from.passed..to.passed).contains(&number);
        // All that end at either, too: the line may come near their other end.
        let first = entries[..from.passed].iter().rev().take_while(|&&entry| ends_at(entry, from)).count();
        let sides = (0..).zip(entries).skip(from.passed - first);
        let mut sides = sides
            .take_while(|&(number, &entry)| number < from.passed || is_between(number) || ends_at(entry, to));
        sides.find_map(|(number, &entry)| {
            [(next(entry), -1.0), (entry, 1.0)].into_iter().find_map(|(corner, side)| {
                let centre = self.table.start(corner);
                let off = centre - begin;
                let aside = side * direction.perp_dot(off);
                if aside >= least {
                    return None;
                }
                let beside = direction.dot(off) - direction.dot(off).clamp(0.0, length);
                let vertex = vertex(corner);
                let is_far = aside * aside + beside * beside >= least * least;
                let is_free =
                    is_far || [from.vertex, to.vertex].contains(&vertex) || !self.table.fan(corner).turns;
                let anchor =
                    Anchor { centre, offset: side * self.radius, side, vertex, corner, passed: number + 1 };
                (!is_free).then_some(anchor)
            })
        })
    }
}

/// Takes out of a string what it does not touch in the end: discs overlap where points do not.
/// `false` where they leave no room for a line.
fn loosen(anchors: &mut Vec<Anchor>, is_mended: &mut bool) -> bool {
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
