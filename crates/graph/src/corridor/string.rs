//! The string of a corridor after a move of one end: pulled again only from there to the first turn
//! that stays.
//!
//! A corridor unrolled is a surface without holes, in which a path that no small change shortens is
//! the shortest. From a turn that the string keeps, to the end that did not move, it is the
//! shortest as before; so is the new piece from the end that moved to that turn. Both together are
//! the shortest if the string still bends round the turn to the same side, and the edge that the
//! turn is an end of is still crossed.

use glam::Vec3;
use waymesh_core::PolyId;

use crate::geometry::plan::{PlanPosition, orientation, to_segment_squared};
use crate::locate::nearest::Location;
use crate::mesh::nav_mesh::NavMesh;
use crate::path::funnel::{Funnel, Leg, Turn};
use crate::path::result::{Path, same_plan};
use crate::path::steps::Step;

/// Returns `true` if a string from `before` bends at `at` as one from `old` does.
fn bends_alike([old, before, at, after]: [PlanPosition; 4]) -> bool {
    let (was, is) = (orientation(old, at, after), orientation(before, at, after));
    (was > 0.0 && is > 0.0) || (was < 0.0 && is < 0.0)
}

/// A string, what it leads through, and memory to pull it.
pub(super) struct MovingString<'a> {
    pub(super) mesh: &'a NavMesh,
    /// The turn of each point of `path`.
    pub(super) turns: &'a mut Vec<Turn>,
    pub(super) path: &'a mut Path,
    pub(super) steps: &'a mut Vec<Step>,
    pub(super) funnel: &'a mut Funnel,
    pub(super) corridor: &'a mut Vec<u32>,
    pub(super) points: &'a mut Vec<Vec3>,
}

impl MovingString<'_> {
    /// Pulls a string through the steps from one to another. Returns `true` if it has two ends.
    fn pull(&mut self, [from, to]: [PlanPosition; 2], [first, end]: [usize; 2]) -> bool {
        self.corridor.clear();
        self.corridor.extend(self.steps[first..end].iter().map(|step| step.crossing));
        let leg =
            Leg { corridor: self.corridor, range: 0..end - first, cross_points: false, ground_error: None };
        self.mesh.pull_string(from, to, &self.path.polygons[first..], &leg, self.funnel);
        self.funnel.turns.len() >= 2
    }

    /// Returns the point of a turn that was pulled from step `first` on.
    fn point(&self, turn: Turn, first: usize) -> Vec3 {
        self.mesh.position_in(self.path.polygons[first + turn.crossed], turn.at)
    }

    /// Returns `true` if this is a string that can be moved.
    fn is_kept(&self) -> bool {
        self.turns.len() >= 2 && self.turns.len() == self.path.points.len()
    }

    /// The start moved over the first `index` steps, which are taken off. Nothing is changed if the
    /// string has to be pulled as a whole.
    pub(super) fn move_start(&mut self, at: PlanPosition, position: Vec3, index: usize) -> bool {
        if !self.is_kept() {
            return false;
        }
        let last = self.turns.len() - 1;
        let Some(mut kept) = (1..=last).find(|&turn| self.turns[turn].crossed >= index) else { return false };
        let mut stride = 1;
        loop {
            let Turn { at: to, crossed } = self.turns[kept];
            if !self.pull([at, to], [index, crossed]) {
                return false;
            }
            let before = self.funnel.turns[self.funnel.turns.len() - 2].at;
            if kept == last || bends_alike([self.turns[kept - 1].at, before, to, self.turns[kept + 1].at]) {
                break;
            }
            kept = last.min(kept + stride);
            stride *= 2;
        }
        let inner = 1..self.funnel.turns.len() - 1;
        self.points.clear();
        self.points.push(position);
        for turn in inner.clone() {
            let point = self.point(self.funnel.turns[turn], index);
            self.points.push(point);
        }
        let next = self.path.points[kept];
        if self.points.windows(2).any(|pair| same_plan(pair[0], pair[1]))
            || same_plan(self.points[self.points.len() - 1], next)
        {
            return false;
        }
        self.steps.drain(..index);
        self.path.polygons.drain(..index);
        self.path.points.splice(..kept, self.points.drain(..));
        self.turns[kept..].iter_mut().for_each(|turn| turn.crossed -= index);
        self.turns.splice(..kept, self.funnel.turns[..inner.end].iter().copied());
        true
    }

    /// The goal moved into the polygon after the first `index` steps: those beyond are taken off.
    /// Nothing is changed if the string has to be pulled as a whole.
    pub(super) fn move_goal(&mut self, at: PlanPosition, position: Vec3, index: usize) -> bool {
        if !self.is_kept() {
            return false;
        }
        let last = self.turns.len() - 1;
        // A corner of the last polygon only holds nothing back any more: the edge it belongs to must be
        // crossed still.
        let Some(mut kept) = (0..last).rfind(|&turn| turn == 0 || self.turns[turn].crossed < index) else {
            return false;
        };
        let mut stride = 1;
        let first = loop {
            let Turn { at: from, crossed } = self.turns[kept];
            let first = if kept == 0 { 0 } else { crossed };
            if !self.pull([from, at], [first, index]) {
                return false;
            }
            let after = self.funnel.turns[1].at;
            if kept == 0 || bends_alike([self.turns[kept + 1].at, after, from, self.turns[kept - 1].at]) {
                break first;
            }
            kept = kept.saturating_sub(stride);
            stride *= 2;
        };
        let inner = 1..self.funnel.turns.len() - 1;
        self.points.clear();
        self.points.push(self.path.points[kept]);
        for turn in inner {
            let point = self.point(self.funnel.turns[turn], first);
            self.points.push(point);
        }
        self.points.push(position);
        if self.points.windows(2).any(|pair| same_plan(pair[0], pair[1])) {
            return false;
        }
        self.steps.truncate(index);
        self.path.polygons.truncate(index + 1);
        self.path.points.truncate(kept);
        self.path.points.append(self.points);
        if kept == 0 {
            self.turns[0].crossed = self.funnel.turns[0].crossed;
        }
        self.turns.truncate(kept + 1);
        let moved = self.funnel.turns[1..].iter();
        self.turns.extend(moved.map(|turn| Turn { crossed: first + turn.crossed, ..*turn }));
        true
    }
}

/// Returns where a polygon is among those of a path, looked for from one end.
pub(super) fn place_of(polygons: &[PolyId], polygon: u32, from_start: bool) -> Option<usize> {
    let is_it = |other: &PolyId| other.0 == polygon;
    if from_start { polygons.iter().position(is_it) } else { polygons.iter().rposition(is_it) }
}

impl NavMesh {
    /// Returns the place of a position that lies on a path before its first corner, in the last polygon
    /// of the path there that holds it; `leg` crossings come before the corner. Other polygons may
    /// hold it, where ground touches without a portal.
    pub(super) fn place_on_leg(&self, path: &Path, leg: usize, to: Vec3) -> Option<Location> {
        let &[from, next, ..] = &path.points[..] else { return None };
        let [from, next, at] = [from, next, to].map(|position| {
            let [x, _, z] = self.frame.to_grid(position);
            PlanPosition::snapped(x, z)
        });
        if to_segment_squared(from, next, at) > self.slack() * self.slack() {
            return None;
        }
        let last = path.polygons.iter().take(leg + 1).rfind(|&&polygon| self.contains(polygon, to))?;
        // Beyond the border by less than the slack: on it, or else the steps of an agent add up and
        // lead it through a door along its path.
        let inside = self.inside(last.0, at);
        Some(if inside == at { self.place_at(last.0, to) } else { self.place(last.0, inside) })
    }
}
