//! The walls around a place.
//!
//! Clearances hold for a path that comes through whole triangles. At its ends, in the middle of a
//! triangle, walls beyond the triangle's sides may be nearer than its corners: there they are
//! checked one by one.

use glam::DVec2;

use super::table::{Table, next, previous};
use crate::geometry::disc::{distance_squared, is_nearer, side_of};

/// Walls near the triangle that holds one end of a path.
#[derive(Clone, Debug, Default)]
pub(super) struct Near {
    /// Start or end of the path, and the gate at its end:
    /// [`NO_INDEX`](super::bounds::NO_INDEX) for any other end.
    pub(super) place: DVec2,
    pub(super) gate: u32,
    pub(super) triangle: u32,
    pub(super) walls: Vec<[DVec2; 2]>,
    /// Corners that a path near the end may turn round: those of the triangle, and those of walls
    /// near by.
    pub(super) corners: Vec<u32>,
}

impl Near {
    /// Looks for walls within `reach` of a triangle, as far as they can be seen from a place in it.
    pub(super) fn collect(
        &mut self,
        table: &Table,
        triangle: u32,
        at: DVec2,
        reach: f64,
        stack: &mut Vec<u32>,
    ) {
        self.triangle = triangle;
        self.walls.clear();
        self.corners.clear();
        let sides = [0, 1, 2].map(|side| 3 * triangle + side);
        self.corners.extend(sides.into_iter().filter(|&corner| table.fan(corner).turns));
        if reach <= 0.0 {
            return;
        }
        let own = sides.map(|side| table.ends(side));
        stack.clear();
        stack.extend(sides);
        while let Some(side) = stack.pop() {
            let ends = table.ends(side);
            let is_near = own.iter().any(|&own| is_nearer(own, ends, reach));
            if !is_near {
                continue;
            }
            if table.is_wall(side) {
                self.walls.push(ends);
                // A wall gives both its ends.
                for corner in [side, next(side)] {
                    let fan = table.fan_of[corner as usize];
                    let is_new = self.corners.iter().all(|&known| table.fan_of[known as usize] != fan);
                    let at = table.start(corner);
                    // One farther away than that is no concern of a path that has not left the triangle.
                    let is_near = || own.iter().any(|&own| is_nearer([at; 2], own, reach));
                    if table.fans[fan as usize].turns && is_new && is_near() {
                        self.corners.push(corner);
                    }
                }
                continue;
            }
            let twin = table.twin(side);
            stack.extend([next(twin), previous(twin)].into_iter().filter(|&beyond| {
                let [a, b] = table.ends(beyond);
                side_of(a, b, at) > 0.0
            }));
        }
    }

    /// Returns `true` if a disc gets round a corner: no wall comes within `least` of the corner
    /// between two directions from it, the second less than half a circle to the left of the
    /// first.
    pub(super) fn is_clear_around(&self, corner: DVec2, [from, to]: [DVec2; 2], least: f64) -> bool {
        const OWN: f64 = 1e-9;
        self.walls.iter().all(|&wall| {
            let [a, b] = wall.map(|end| end - corner);
            if a.length() < OWN || b.length() < OWN {
                return true;
            }
            // The part of the wall between the two directions.
            let along = b - a;
            let (mut low, mut high) = (0.0_f64, 1.0_f64);
            for (direction, sign) in [(from, 1.0), (to, -1.0)] {
                let (start, slope) = (sign * direction.perp_dot(a), sign * direction.perp_dot(along));
                if slope.abs() <= f64::MIN_POSITIVE {
                    if start < 0.0 {
                        return true;
                    }
                } else if slope > 0.0 {
                    low = low.max(-start / slope);
                } else {
                    high = high.min(-start / slope);
                }
            }
            if low >= high {
                return true;
            }
            let part = [(a + along * low), (a + along * high)];
            let middle = part[0] + (part[1] - part[0]) * 0.5;
            (from + to).dot(middle) < 0.0 || distance_squared(part, DVec2::ZERO) >= least * least
        })
    }
}

impl Table {
    /// Returns the squared distance from a place in a triangle to the nearest wall that is seen
    /// from there, if below a limit; else the limit.
    pub(super) fn wall_distance_squared(
        &self,
        triangle: u32,
        at: DVec2,
        limit_squared: f64,
        stack: &mut Vec<u32>,
    ) -> f64 {
        let mut best = limit_squared;
        stack.clear();
        stack.extend([0, 1, 2].map(|side| 3 * triangle + side));
        self.look_out(at, stack, |side, ends| {
            let (aside, along) = (side_of(ends[0], ends[1], at), ends[1] - ends[0]);
            // No farther than its line is.
            if aside * aside > best * along.dot(along) * (1.0 + 1e-9) {
                return false;
            }
            let distance = distance_squared(ends, at);
            let is_near = distance < best;
            if is_near && self.is_wall(side) {
                best = distance;
            }
            is_near
        });
        best
    }
}
