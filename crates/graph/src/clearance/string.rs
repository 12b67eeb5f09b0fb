//! The shortest string through a channel, pulled taut among the discs round its corners.
//!
//! # References
//! Demyen and Buro 2006, Efficient triangulation-based pathfinding, AAAI 21, 942 to 947: the funnel
//! among discs.

use glam::DVec2;

use super::memory::{Anchor, TautString};
use super::search::{Ends, Search};
use super::table::next;
use crate::geometry::disc::{Tangent, touch};

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
