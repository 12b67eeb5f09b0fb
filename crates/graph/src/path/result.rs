//! Paths, as queries return them.

use glam::{Vec3, Vec3Swizzles};
use waymesh_core::PolyId;

use super::options::PathSearch;
use crate::mesh::link::LinkId;

/// The outcome of a search for a path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Outcome {
    /// To the goal.
    Complete,
    /// To the reachable point that is closest to the goal.
    Partial {
        /// The last point of the path.
        reached: Vec3,
    },
    /// No path: an empty path, or one of a corridor or a [`SlicedPath`](crate::SlicedPath) whose goal
    /// cannot be reached.
    #[default]
    Unreachable,
    /// The search of a [`PathCorridor`](crate::PathCorridor) for a disc ended at its limit
    /// ([`ClearPathOptions::max_nodes`](crate::ClearPathOptions::max_nodes)) before that was known.
    Undecided,
}

/// A path over the mesh.
#[doc(alias = "dtStraightPath")]
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Path {
    /// The outcome: complete, partial, or none.
    pub outcome: Outcome,
    /// Start, turns and end: world positions on the ground. One point where start and goal are one;
    /// none if unreachable. No two points in succession are equal in plan, but
    /// for the ends of a link.
    pub points: Vec<Vec3>,
    /// The polygons it passes, from that of the start to that of the end. None if unreachable.
    pub polygons: Vec<PolyId>,
    /// The links it takes, in order.
    pub links: Vec<LinkUse>,
    /// The corners of walls that a disc turns round, in order, on the ground. None in a corridor,
    /// and for a point, whose turns are `points`.
    pub corners: Vec<Vec3>,
    /// Length in metres, in space: with
    /// [`PathOptions::ground_error`](crate::PathOptions::ground_error) of the ground that it leads
    /// over, else of the chain of `points`, to which ground that rises and falls between two of them
    /// adds nothing. A path back of the same length in plan may have other points, and so another
    /// length.
    pub length: f32,
    /// Length in metres in plan: of the chain of `points`; for a disc of the true path, whose corners
    /// are arcs, but in a corridor. No path is shorter in plan if it was found by
    /// [`PathSearch::Shortest`], but for rises
    /// ([`PathOptions::rises`](crate::PathOptions::rises)) and for what links cost.
    pub plan_length: f32,
    /// Its cost. Without [`PathOptions::cost`](crate::PathOptions::cost) that is its length and the
    /// extra cost of its links. With it, the sum over the polygons of the length there times the cost
    /// per metre, and of the costs of entering polygons and taking links.
    pub cost: f32,
    /// The least distance of the chain of `points` from any wall, in metres, for a disc: the radius or
    /// more, less what [`ClearPathOptions::arc_error`](crate::ClearPathOptions::arc_error) costs in a
    /// gap that just lets the disc through. 0 for a point.
    pub clearance: f32,
    /// The search that found it: [`PathSearch::Fast`] also where the shortest path had too many nodes
    /// (`was_cut`), [`PathSearch::Shortest`] also where the fast search for a disc could not decide.
    pub found_by: PathSearch,
    /// `true` if the search for the shortest path ended at its limit
    /// ([`PathOptions::max_nodes`](crate::PathOptions::max_nodes)): this is the path of
    /// [`PathSearch::Fast`], and a shorter one may be there.
    pub was_cut: bool,
}

impl Path {
    /// Makes it a path that ends before its goal, at `place` or its last point.
    pub(crate) fn end_at(&mut self, place: Vec3) {
        self.outcome = Outcome::Partial { reached: self.points.last().copied().unwrap_or(place) };
    }

    /// Empties the path and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.outcome = Outcome::Unreachable;
        self.points.clear();
        self.polygons.clear();
        self.links.clear();
        self.corners.clear();
        (self.length, self.plan_length, self.cost, self.clearance) = (0.0, 0.0, 0.0, 0.0);
        (self.found_by, self.was_cut) = (PathSearch::Fast, false);
    }
}

/// A link that a path takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LinkUse {
    /// The one.
    pub link: LinkId,
    /// `true` if it is taken from its `to` to its `from`.
    pub backwards: bool,
    /// The point of the path from which it is taken: it leads to the next one. If both its ends are
    /// one line in plan, it is crossed somewhere before the next one.
    pub point: usize,
}

/// Adds a point unless it is the last one again, in plan.
pub(crate) fn push_point(path: &mut Path, position: Vec3) {
    if path.points.last().is_none_or(|&last| !same_plan(last, position)) {
        path.points.push(position);
    }
}

pub(crate) fn same_plan(first: Vec3, second: Vec3) -> bool {
    first.xz() == second.xz()
}

/// Returns the length of a chain in plan.
#[expect(clippy::cast_possible_truncation, reason = "summed in double precision, returned in single")]
pub(crate) fn plan_length(points: &[Vec3]) -> f32 {
    let lengths = points.windows(2).map(|pair| pair[0].as_dvec3().xz().distance(pair[1].as_dvec3().xz()));
    lengths.fold(0.0, |sum, length| sum + length) as f32
}

#[expect(clippy::cast_possible_truncation, reason = "summed in double precision, returned in single")]
pub(crate) fn length(points: &[Vec3]) -> f32 {
    let lengths = points.windows(2).map(|pair| pair[0].as_dvec3().distance(pair[1].as_dvec3()));
    // Not `sum`: that of nothing is -0.
    lengths.fold(0.0, |sum, length| sum + length) as f32
}
