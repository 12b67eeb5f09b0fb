//! Doors on open ground, which open and close at run time.

use glam::DVec2;

use super::table::{Table, next, previous};
use crate::geometry::disc::{distance_squared, side_of};
use crate::mesh::link::LinkIndex;

/// The links on open ground that lead from wall to wall and are sides of two triangles. A closed
/// one is a wall, as if the triangles had been made so.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Doors {
    /// By link.
    pub(super) sides: Vec<(LinkIndex, [u32; 2])>,
    /// The clearances of all corners while every door is open. None while that is so.
    pub(super) clearance: Vec<f32>,
}

impl Table {
    /// Returns `true` if a side has these ends, is no wall, and leads from wall to wall.
    pub(super) fn is_door(&self, side: u32, ends: [DVec2; 2]) -> bool {
        let is_near = |a: DVec2, b: DVec2| (a - b).length() <= 4.0 * self.slack;
        let [from, to] = self.ends(side);
        let is_same = |[a, b]: [DVec2; 2]| is_near(from, a) && is_near(to, b);
        !self.is_wall(side)
            && (is_same(ends) || is_same([ends[1], ends[0]]))
            && [side, next(side)].into_iter().all(|corner| self.is_at_wall(corner))
    }

    /// A side has become a wall: no path passes it, and corners opposite have as much less room.
    pub(super) fn narrow(&mut self, door: u32, stack: &mut Vec<u32>) {
        let ends = self.ends(door);
        for corner in [door, next(door)] {
            self.clearance[corner as usize] = 0.0;
        }
        for corner in (0_u32..).take(self.clearance.len()) {
            let wide = f64::from(self.clearance[corner as usize]);
            if wide > 0.0 && distance_squared(ends, self.start(corner)) < wide * wide {
                self.clearance[corner as usize] = rounded_down(self.room_ahead(corner, wide, stack));
            }
        }
    }

    /// Returns the distance from a corner of a triangle to the nearest wall in the sector between its
    /// two sides there, if that is below a limit, else the limit: the rule that clearances are made
    /// by.
    fn room_ahead(&self, corner: u32, limit: f64, stack: &mut Vec<u32>) -> f64 {
        let at = self.start(corner);
        let (first, second) = (self.start(next(corner)), self.start(previous(corner)));
        let mut best = limit;
        stack.clear();
        stack.push(next(corner));
        while let Some(side) = stack.pop() {
            let [from, to] = self.ends(side);
            // A side that cuts the sector is a chord of it, with the foot of the corner inside.
            let along = to - from;
            let share = (at - from).dot(along) / along.length_squared();
            let foot = from + along * share;
            let distance = (foot - at).length();
            let is_seen = share > 0.0 && share < 1.0 && distance < best;
            if !is_seen || side_of(at, first, foot) <= 0.0 || side_of(at, second, foot) >= 0.0 {
                continue;
            }
            if self.is_wall(side) {
                best = distance;
            } else {
                let twin = self.twin(side);
                stack.extend([next(twin), previous(twin)]);
            }
        }
        best
    }
}

/// The largest single-precision number not above `value`, which is not negative.
fn rounded_down(value: f64) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "rounded on purpose")]
    let near = value as f32;
    if f64::from(near) > value { near.next_down() } else { near }
}
