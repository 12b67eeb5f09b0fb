//! The shortest path through a corridor: a string pulled tight.
//!
//! The funnel holds, from its apex to the two ends of the edge crossed last, the shortest paths to each; both bend outwards.
//! A new edge cuts into one side or the other; where it cuts across, the string turns there and the apex moves on. Every test is
//! exact, each end is added and removed once: linear time.

use glam::{Vec3, Vec3Swizzles};
use waymesh_core::CellId;

use super::{Path, PathScratch};
use crate::mesh::{Corner, NavMesh};
use crate::nearest::Spot;
use crate::plan::{PlanPosition, orientation};

/// A corner of the string, and the number of corridor edges crossed before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    at: PlanPosition,
    crossed: usize,
}

/// Memory of the funnel.
#[derive(Clone, Debug, Default)]
pub(super) struct Funnel {
    /// The chains of both sides, apex excluded, from the apex outwards. The first entry in use is `first`.
    left: Chain,
    right: Chain,
    /// The finished string.
    turns: Vec<Turn>,
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

    fn nearest(&self) -> Option<Turn> {
        self.turns.get(self.first).copied()
    }

    /// The last turn and the one before it, or the apex.
    fn last_pair(&self, apex: Turn) -> Option<[Turn; 2]> {
        let last = self.turns.len().checked_sub(1).filter(|&last| last >= self.first)?;
        Some([if last == self.first { apex } else { self.turns[last - 1] }, self.turns[last]])
    }
}

impl Funnel {
    fn begin(&mut self, start: PlanPosition) {
        self.left.clear();
        self.right.clear();
        self.turns.clear();
        self.turns.push(Turn { at: start, crossed: 0 });
    }

    /// Moves one side of the funnel to `point`. `sign` is 1 for the left side, where orientations are positive, -1 for the right.
    fn narrow(&mut self, point: Turn, sign: f64) {
        let (own, other) =
            if sign > 0.0 { (&mut self.left, &mut self.right) } else { (&mut self.right, &mut self.left) };
        let mut apex = self.turns[self.turns.len() - 1];
        let end = own.last_pair(apex).map_or(apex, |[_, last]| last);
        if end.at == point.at {
            return;
        }
        // What the new end cuts off on its own side.
        while let Some([before, last]) = own.last_pair(apex) {
            if sign * orientation(before.at, last.at, point.at) > 0.0 {
                own.turns.push(point);
                return;
            }
            own.turns.pop();
        }
        own.clear();
        // Where it cuts across the other side, the string turns.
        while let Some(turn) = other.nearest() {
            if sign * orientation(apex.at, turn.at, point.at) >= 0.0 {
                break;
            }
            self.turns.push(turn);
            apex = turn;
            other.first += 1;
        }
        if point.at != apex.at {
            own.turns.push(point);
        }
    }

    /// Ends the string at `goal`.
    fn finish(&mut self, goal: Turn) {
        self.narrow(goal, 1.0);
        let first = self.left.first;
        for index in first..self.left.turns.len() {
            self.turns.push(self.left.turns[index]);
        }
    }
}

impl NavMesh {
    /// Pulls the string through `scratch.corridor` and writes cells, points and length.
    pub(super) fn write_path(
        &self,
        start: &Spot,
        goal: &Spot,
        [start_position, goal_position]: [Vec3; 2],
        cross_points: bool,
        scratch: &mut PathScratch,
        path: &mut Path,
    ) {
        let PathScratch { corridor, funnel, .. } = scratch;
        path.cells.push(CellId(start.cell));
        path.cells.extend(corridor.iter().map(|&edge| CellId(self.neighbours[edge as usize])));
        self.pull_string(start.at, goal.at, &path.cells, corridor, funnel);

        path.points.push(start_position);
        let last = funnel.turns.len() - 1;
        for (index, pair) in funnel.turns.windows(2).enumerate() {
            let [from, to] = [pair[0], pair[1]];
            if cross_points {
                self.write_crossings(from, to, corridor, path);
            }
            if index + 1 < last {
                let position = self.position_in(path.cells[to.crossed], to.at);
                push_point(path, position);
            } else {
                if path.points.len() > 1 && same_plan(path.points[path.points.len() - 1], goal_position) {
                    path.points.pop();
                }
                push_point(path, goal_position);
            }
        }
        path.length = length(&path.points);
    }

    /// The turns of the shortest path from `start` to `goal` through the edges of `corridor`, ends included.
    fn pull_string(
        &self,
        start: PlanPosition,
        goal: PlanPosition,
        cells: &[CellId],
        corridor: &[u32],
        funnel: &mut Funnel,
    ) {
        funnel.begin(start);
        let mut crossed = 0;
        // Edges that the start lies on are crossed already.
        while crossed < corridor.len() {
            let [right, left] = self.edge_ends(cells[crossed], corridor[crossed]);
            let between = (left.x - start.x) * (right.x - start.x) + (left.z - start.z) * (right.z - start.z);
            if orientation(start, right, left) > 0.0 || between > 0.0 {
                break;
            }
            crossed += 1;
        }
        funnel.turns[0].crossed = crossed;
        while crossed < corridor.len() {
            let [right, left] = self.edge_ends(cells[crossed], corridor[crossed]);
            funnel.narrow(Turn { at: left, crossed }, 1.0);
            funnel.narrow(Turn { at: right, crossed }, -1.0);
            crossed += 1;
        }
        funnel.finish(Turn { at: goal, crossed });
    }

    /// The ends of an edge in the plan: right and left of whoever leaves the cell across it.
    fn edge_ends(&self, cell: CellId, edge: u32) -> [PlanPosition; 2] {
        self.edge_corners(cell, edge).map(|corner| PlanPosition::on_grid(corner.x, corner.z))
    }

    fn edge_corners(&self, cell: CellId, edge: u32) -> [&Corner; 2] {
        let range = self.edge_range(cell.index());
        let edge = edge as usize;
        let next = if edge + 1 == range.end { range.start } else { edge + 1 };
        [&self.corners[edge], &self.corners[next]]
    }

    /// Where the segment between two turns crosses the edges between them.
    fn write_crossings(&self, from: Turn, to: Turn, corridor: &[u32], path: &mut Path) {
        for (crossed, &edge) in corridor.iter().enumerate().take(to.crossed).skip(from.crossed) {
            let cell = path.cells[crossed];
            let [right, left] = self.edge_ends(cell, edge);
            let (r, l) = (orientation(from.at, to.at, right), orientation(from.at, to.at, left));
            if [right, left].iter().any(|&end| end == from.at || end == to.at) || l - r <= 0.0 {
                continue;
            }
            let t = (-r / (l - r)).clamp(0.0, 1.0);
            let at =
                PlanPosition { x: right.x + (left.x - right.x) * t, z: right.z + (left.z - right.z) * t };
            let position = self.position_in(cell, at);
            push_point(path, position);
        }
    }

    fn position_in(&self, cell: CellId, at: PlanPosition) -> Vec3 {
        self.frame.to_world(at.x, self.height_at(cell.index(), at), at.z)
    }
}

/// Adds a point unless it is the last one again, in plan.
fn push_point(path: &mut Path, position: Vec3) {
    if path.points.last().is_none_or(|&last| !same_plan(last, position)) {
        path.points.push(position);
    }
}

fn same_plan(first: Vec3, second: Vec3) -> bool {
    first.xz() == second.xz()
}

#[expect(clippy::cast_possible_truncation, reason = "summed in double precision, told in single")]
fn length(points: &[Vec3]) -> f32 {
    let lengths = points.windows(2).map(|pair| pair[0].as_dvec3().distance(pair[1].as_dvec3()));
    // Not `sum`: that of nothing is -0.
    lengths.fold(0.0, |sum, length| sum + length) as f32
}
