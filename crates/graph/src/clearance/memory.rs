//! Memory of the searches for the path of a disc, and the pruning of arrivals at a corner.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use glam::DVec2;
use waymesh_core::PolyId;

use super::bounds::{Bounds, GOAL, NO_INDEX, Root};
use super::fit::Candidates;
use super::gates::Gates;
use super::near::Near;
use super::table::Table;
use crate::geometry::disc::{Tangent, tangent};
use crate::marks::{Marks, Stamped};
use crate::path::queue::Queue;

/// Memory of the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    pub(super) nodes: Vec<Node>,
    pub(super) roots: Vec<Root>,
    pub(super) open: BinaryHeap<Reverse<(u64, u32)>>,
    pub(super) stamp: u32,
    /// Per side that a sector round a corner ends at, and side of the path, the best arrivals.
    pub(super) arrivals: Vec<Arrivals>,
    /// Arrivals of paths near the ends.
    pub(super) local: Vec<(usize, [u32; 2], Arrivals)>,
    /// Arrivals of paths near gates.
    pub(super) at_gates: HashMap<(usize, [u32; 2]), Arrivals>,
    /// Around the start, the goal, and each end of a gate that the search came to.
    pub(super) nears: Vec<Near>,
    near_count: usize,
    /// `true` if the search ended at its limit.
    pub(super) is_cut: bool,
    pub(crate) stack: Vec<u32>,
    pub(super) looked: Vec<u32>,
    /// Groups of sides that the goal can be reached from.
    pub(super) groups: Vec<u32>,
    /// Triangles that the start leads to, over links.
    pub(super) reached: Vec<u32>,
    /// The path found, last turn first: roots, each with the direction in which it is left.
    pub(super) way: Vec<(u32, DVec2)>,
    pub(super) quick: QuickMemory,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// Through a side, between two bounds.
    Cone,
    /// Through a side that ends at the root: what is beyond the arc is a bound no more.
    Fan,
    /// A turn without an exact check.
    Turn,
    /// To the goal or a gate, by the number of its [`Near`], in the direction and to the distance of
    /// the low bound, without an exact check. With an entry it is clear up to there.
    Final(u32),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) bounds: Bounds,
    pub(super) root: u32,
    /// The side that is crossed, as seen from the triangle beyond.
    pub(super) entry: u32,
    pub(super) kind: Kind,
}

impl Memory {
    /// Returns the square of the radius that was searched for: of a corner turned round.
    pub(super) fn offset_squared(&self) -> f64 {
        self.roots.iter().map(|root| root.offset * root.offset).fold(0.0, f64::max)
    }

    /// Stores a straight path as the result of the search.
    pub(super) fn go_straight(&mut self, [from, to]: [DVec2; 2]) {
        self.is_cut = false;
        self.roots.clear();
        self.way.clear();
        self.roots.push(Root::at(from, [NO_INDEX; 2]));
        self.way.push((0, to - from));
    }

    /// Looks around an end of a path; returns its number.
    pub(super) fn add_near(
        &mut self,
        table: &Table,
        triangle: u32,
        place: DVec2,
        reach: f64,
        gate: u32,
    ) -> u32 {
        let number = self.near_count;
        if number == self.nears.len() {
            self.nears.push(Near::default());
        }
        self.near_count += 1;
        let near = &mut self.nears[number];
        (near.place, near.gate) = (place, gate);
        near.collect(table, triangle, place, reach, &mut self.stack);
        u32::try_from(number).unwrap_or(NO_INDEX)
    }

    /// Forgets what is near the ends of an older path.
    pub(super) fn forget_nears(&mut self) {
        self.near_count = 0;
    }

    pub(super) fn begin(&mut self, slots: usize) {
        if self.stamp == u32::MAX {
            self.arrivals.clear();
            self.stamp = 0;
        }
        self.stamp += 1;
        if self.arrivals.len() < slots {
            self.arrivals.resize(slots, Arrivals::default());
        }
        self.nodes.clear();
        self.roots.clear();
        self.open.clear();
        self.local.clear();
        self.at_gates.clear();
        self.near_count = 0;
        self.groups.clear();
    }

    pub(super) fn arrivals_at(&mut self, slot: usize, near: [u32; 2]) -> &mut Arrivals {
        if near == [NO_INDEX; 2] {
            return &mut self.arrivals[slot];
        }
        if near.iter().any(|&near| near != NO_INDEX && near > GOAL) {
            return self.at_gates.entry((slot, near)).or_default();
        }
        let at = self.local.iter().position(|known| (known.0, known.1) == (slot, near));
        let at = at.unwrap_or_else(|| {
            self.local.push((slot, near, Arrivals::default()));
            self.local.len() - 1
        });
        &mut self.local[at].2
    }

    /// Returns `true` if an arrival at a corner is not worth following: one is known that is as
    /// short and has turned as little.
    pub(super) fn is_dominated(&mut self, slot: usize, near: [u32; 2], arrival: &Arrival) -> bool {
        let stamp = self.stamp;
        let known = self.arrivals_at(slot, near);
        let kept = [&known.shortest, &known.earliest, &known.last];
        known.stamp == stamp && kept.iter().any(|kept| kept.dominates(arrival))
    }

    pub(super) fn keep_arrival(&mut self, slot: usize, near: [u32; 2], arrival: &Arrival) {
        let stamp = self.stamp;
        let known = self.arrivals_at(slot, near);
        if known.stamp != stamp {
            *known = Arrivals { stamp, shortest: *arrival, earliest: *arrival, last: *arrival };
        }
        known.last = *arrival;
        if arrival.length < known.shortest.length {
            known.shortest = *arrival;
        }
        if arrival.turned < known.earliest.turned {
            known.earliest = *arrival;
        }
    }
}

/// Arrivals that differ by less, in radians and as a part of their length, are one: paths that are
/// the same to rounding would else be followed once each, and so would those from every corner on.
const ROUNDING: f64 = 1e-9;

/// Arrivals at a corner: the shortest, the one that has turned least, and the last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arrivals {
    pub(super) stamp: u32,
    pub(super) shortest: Arrival,
    pub(super) earliest: Arrival,
    pub(super) last: Arrival,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arrival {
    /// Angle of the turn round the corner in radians. Always 0 without a radius: then the shortest path
    /// to the corner is the best one for every continuation.
    pub(super) turned: f64,
    /// Length of the path less that of the arc from along the wall: comparable whatever the
    /// arrival. Near the start it may be below 0.
    pub(super) length: f64,
}

impl Arrival {
    pub(super) fn dominates(&self, other: &Self) -> bool {
        self.turned <= other.turned + ROUNDING
            && self.length <= other.length + ROUNDING * (1.0 + other.length.abs())
    }
}

/// A side that was come to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The entry as a side of the triangle beyond.
    pub(super) entry: u32,
    pub(super) parent: u32,
    /// Estimated point of the crossing.
    pub(super) at: DVec2,
    pub(super) length: f64,
}

/// Memory of the fast search.
#[derive(Clone, Debug, Default)]
pub(super) struct QuickMemory {
    pub(super) steps: Vec<Step>,
    /// Estimate and number of each open step.
    pub(super) open: Queue<(u64, u32)>,
    /// Per side, the least length to it.
    pub(super) known: Stamped<f64>,
    pub(super) string: TautString,
}

/// A channel, and the string through it.
#[derive(Clone, Debug, Default)]
pub(super) struct TautString {
    /// The sides of the channel, from the start, each as seen from the triangle beyond.
    pub(super) entries: Vec<u32>,
    pub(super) anchors: Vec<Anchor>,
    /// `true` if some were put in or taken out again: the lines there may be anywhere.
    pub(super) is_mended: bool,
}

/// A disc that the string touches, or one of its ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    pub(super) centre: DVec2,
    /// Offset to the left of the string.
    pub(super) offset: f64,
    /// 1 for one to the left, -1 to the right, 0 for an end.
    pub(super) side: f64,
    pub(super) vertex: u32,
    /// A corner that lies there.
    pub(super) corner: u32,
    /// Number of sides of the channel that are passed with it.
    pub(super) passed: usize,
}

impl Anchor {
    pub(super) fn end(at: DVec2, passed: usize) -> Self {
        Self { centre: at, offset: 0.0, side: 0.0, vertex: NO_INDEX, corner: NO_INDEX, passed }
    }

    pub(super) fn line_to(&self, to: &Self) -> Option<Tangent> {
        tangent(self.centre, self.offset, to.centre, to.offset)
    }
}

/// The part of a [`crate::QueryScratch`] that is for any radius.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClearanceScratch {
    pub(crate) memory: Memory,
    pub(crate) passed: Vec<PolyId>,
    pub(crate) fit: Candidates,
    pub(crate) gates: Gates,
    /// The points of a path, in metres from the origin of the frame, and the corner that the line
    /// to each goes round.
    pub(crate) plan: Vec<(DVec2, Option<u32>)>,
    pub(crate) walls: Vec<[DVec2; 2]>,
    /// Least distance of the straight path from all walls, if the path is straight.
    pub(crate) straight: Option<f64>,
    pub(crate) seen: Marks,
}
