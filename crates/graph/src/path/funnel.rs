//! The shortest path through a corridor: a string pulled tight.
//!
//! The funnel holds, from its apex to the two ends of the edge crossed last, the shortest paths to
//! each; both bend outwards. A new edge cuts into one side or the other; where it cuts across, the
//! string turns there and the apex moves on. Every test is exact, each end is added and removed
//! once: linear time.

use std::ops::Range;

use waymesh_core::PolyId;

use crate::geometry::plan::{PlanPosition, orientation};
use crate::mesh::nav_mesh::NavMesh;

/// A corner of the string, and the number of corridor edges crossed before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    pub(crate) at: PlanPosition,
    pub(crate) crossed: usize,
}

/// Memory of the funnel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Funnel {
    /// The chains of both sides, apex excluded, from the apex outwards. The first entry in use is
    /// `first`.
    left: Chain,
    right: Chain,
    /// The finished string.
    pub(crate) turns: Vec<Turn>,
    /// `true` if the string may have turns at which it does not bend.
    has_straight_turns: bool,
}

#[derive(Clone, Debug, Default)]
struct Chain {
    turns: Vec<Turn>,
    first: usize,
}

impl Chain {
    fn clear(&mut self) {
        self.turns.clear();
        self.first = 0;
    }

    /// Returns where it ends: at the apex if it is empty.
    #[inline]
    fn last(&self, apex: PlanPosition) -> PlanPosition {
        if self.turns.len() > self.first { self.turns[self.turns.len() - 1].at } else { apex }
    }
}

impl Funnel {
    fn begin(&mut self, start: PlanPosition) {
        self.left.clear();
        self.right.clear();
        self.turns.clear();
        self.turns.push(Turn { at: start, crossed: 0 });
        self.has_straight_turns = false;
    }

    /// Moves one side of the funnel to `point`.
    #[inline]
    fn narrow<const LEFT: bool>(&mut self, point: Turn) {
        let Self { left, right, turns, has_straight_turns } = self;
        let (own, other) = if LEFT { (left, right) } else { (right, left) };
        let mut apex = turns[turns.len() - 1].at;
        // Positive where the path from `a` over `b` to `c` bends outwards.
        let bend = |a: PlanPosition, b: PlanPosition, c: PlanPosition| {
            let side = orientation(a, b, c);
            if LEFT { side } else { -side }
        };
        let mut end = own.last(apex);
        if end == point.at {
            return;
        }
        // Turns that the new end cuts off on its own side.
        let mut length = own.turns.len();
        while length > own.first {
            length -= 1;
            let before = if length > own.first { own.turns[length - 1].at } else { apex };
            if bend(before, end, point.at) > 0.0 {
                own.turns.truncate(length + 1);
                own.turns.push(point);
                return;
            }
            end = before;
        }
        own.clear();
        // The string turns where the end cuts across the other side.
        while let Some(&turn) = other.turns.get(other.first) {
            let side = bend(apex, turn.at, point.at);
            if side > 0.0 {
                break;
            }
            if side == 0.0 {
                // The funnel is a line: the string passes its nearer end, and may turn back there.
                if along(apex, turn.at, point.at) <= 0.0 {
                    break;
                }
                *has_straight_turns = true;
                if apex.distance_squared(point.at) < apex.distance_squared(turn.at) {
                    turns.push(point);
                    return;
                }
            }
            turns.push(turn);
            apex = turn.at;
            other.first += 1;
        }
        if point.at != apex {
            own.turns.push(point);
        }
    }

    /// Takes the turns of a leg from those of a path.
    pub(super) fn take_turns(&mut self, [start, goal]: [PlanPosition; 2], leg: &Leg<'_>, turns: &[Turn]) {
        let Range { start: first, end } = leg.range;
        self.begin(start);
        self.turns[0].crossed = first;
        for turn in turns.iter().filter(|turn| (first..=end).contains(&turn.crossed)) {
            if turn.at != self.turns[self.turns.len() - 1].at && turn.at != goal {
                self.turns.push(*turn);
            }
        }
        self.turns.push(Turn { at: goal, crossed: end });
    }

    /// Ends the string at `goal`.
    fn finish(&mut self, goal: Turn) {
        self.narrow::<true>(goal);
        let first = self.left.first;
        for index in first..self.left.turns.len() {
            self.turns.push(self.left.turns[index]);
        }
        // A crossing may end at the goal: those behind it are crossed there.
        let last = self.turns.len() - 1;
        self.turns[last].crossed = goal.crossed;
        if self.has_straight_turns {
            let mut last = self.turns[0].at;
            let mut index = 1;
            while index + 1 < self.turns.len() {
                let [at, next] = [self.turns[index].at, self.turns[index + 1].at];
                if orientation(last, at, next) == 0.0 && along(at, last, next) < 0.0 {
                    self.turns.remove(index);
                } else {
                    last = at;
                    index += 1;
                }
            }
        }
    }
}

/// Returns the scalar product of the vectors from `at` to `a` and to `b`: positive in one
/// direction, negative in opposite ones.
fn along(at: PlanPosition, a: PlanPosition, b: PlanPosition) -> f64 {
    (a.x - at.x) * (b.x - at.x) + (a.z - at.z) * (b.z - at.z)
}

/// Edges of a corridor between two links that are not crossed like edges, or the ends of the path.
pub(crate) struct Leg<'a> {
    pub(crate) corridor: &'a [u32],
    pub(crate) range: Range<usize>,
    pub(crate) cross_points: bool,
    /// [`PathOptions::ground_error`](super::options::PathOptions::ground_error).
    pub(crate) ground_error: Option<f32>,
}

impl<'a> Leg<'a> {
    /// Returns the edges between two turns, with their places in the corridor.
    pub(super) fn between(&self, from: Turn, to: Turn) -> impl Iterator<Item = (usize, &'a u32)> + use<'a> {
        self.corridor.iter().enumerate().take(to.crossed).skip(from.crossed)
    }
}

impl NavMesh {
    /// The turns of the shortest path from `start` to `goal` through the edges of a leg, ends
    /// included.
    pub(crate) fn pull_string(
        &self,
        start: PlanPosition,
        goal: PlanPosition,
        polygons: &[PolyId],
        leg: &Leg<'_>,
        funnel: &mut Funnel,
    ) {
        funnel.begin(start);
        let (mut crossed, end) = (leg.range.start, leg.range.end);
        // Edges that the start lies on are crossed already.
        while crossed < end {
            let [right, left] = self.edge_ends(polygons[crossed], leg.corridor[crossed]);
            if orientation(start, right, left) > 0.0 || along(start, right, left) > 0.0 {
                break;
            }
            crossed += 1;
        }
        funnel.turns[0].crossed = crossed;
        let mut last = [start; 2];
        while crossed < end {
            let [right, left] = self.edge_ends(polygons[crossed], leg.corridor[crossed]);
            // As a rule one end is that of the edge before.
            if left != last[1] {
                funnel.narrow::<true>(Turn { at: left, crossed });
            }
            if right != last[0] {
                funnel.narrow::<false>(Turn { at: right, crossed });
            }
            last = [right, left];
            crossed += 1;
        }
        funnel.finish(Turn { at: goal, crossed });
    }
}
