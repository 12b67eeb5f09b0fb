//! Doors on open ground, which open and close at run time.

use glam::DVec2;

use super::ClearanceNavMesh;
use super::islands::Islands;
use super::table::{Table, WALL, next, previous};
use crate::geometry::disc::{distance_squared, side_of};
use crate::mesh::links::{LinkId, LinkIndex};

/// The links on open ground that lead from wall to wall and are sides of two triangles. A closed
/// one is a wall, as if the triangles had been made so.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Doors {
    /// By link.
    sides: Vec<(LinkIndex, [u32; 2])>,
    /// The clearances of all corners while every door is open. None while that is so.
    clearance: Vec<f32>,
}

impl ClearanceNavMesh {
    /// Opens or closes a link: see [`NavMesh::set_link_open`](crate::NavMesh::set_link_open).
    ///
    /// - A link that was closed when this was made, or that is no open ground, is a wall with gates.
    ///   It opens and closes in linear time.
    /// - A link that is open ground and leads from wall to wall, such as a door of a floor plan, turns
    ///   into a wall and back. That takes time in `n log n` of the triangles, far less than to make
    ///   them. Discs keep their radius from it, but for one thing: the triangles were not refined for
    ///   it, so that a path may be too near to a closed door where an obstacle stands less than the
    ///   disc's diameter in front of it: see [`Path::clearance`](crate::Path::clearance).
    ///
    /// Returns `false`, and does nothing, for an id without a link, and for open ground that does not
    /// extend from wall to wall: a step between slices, one of several links of a door. Close such a
    /// link in the mesh, and make the clearance again.
    pub fn set_link_open(&mut self, link: LinkId, is_open: bool) -> bool {
        let Some(at) = self.mesh.links.find(link) else { return false };
        if !self.open.has(at) {
            return self.mesh.set_link_open(link, is_open);
        }
        if self.doors.sides.binary_search_by_key(&at.0, |door| door.0.0).is_err() {
            return false;
        }
        if self.mesh.links.links[at.index()].is_open != is_open {
            self.mesh.set_link_open(link, is_open);
            self.shut_doors();
        }
        true
    }

    /// Finds the doors among the links that are open ground.
    pub(super) fn find_doors(&self) -> Doors {
        let links = (0..).map(LinkIndex).zip(self.mesh.links()).filter(|(at, _)| self.open.has(*at));
        let sides = links.filter_map(|(at, link)| {
            let ends = link.from.ends.map(|end| self.plane_of(end.point));
            let triangle = self.triangle_at(link.from.polygon.0, (ends[0] + ends[1]) / 2.0);
            let side = (3 * triangle..3 * triangle + 3).find(|&side| self.table.is_door(side, ends))?;
            Some((at, [side, self.table.twin(side)]))
        });
        Doors { sides: sides.collect(), clearance: Vec::new() }
    }

    /// Makes walls of the doors that are closed, and open ground of the others.
    fn shut_doors(&mut self) {
        let Self { mesh, table, doors, islands, .. } = self;
        let is_closed = |&&(link, _): &&(LinkIndex, _)| !mesh.links.links[link.index()].is_open;
        if doors.clearance.is_empty() {
            doors.clearance.clone_from(&table.clearance);
        }
        table.clearance.clone_from(&doors.clearance);
        for (_, [side, twin]) in &doors.sides {
            (table.twins[*side as usize], table.twins[*twin as usize]) = (*twin, *side);
        }
        let closed = || doors.sides.iter().filter(is_closed).flat_map(|door| door.1);
        for side in closed() {
            table.twins[side as usize] = WALL;
        }
        let mut stack = Vec::new();
        for side in closed() {
            table.narrow(side, &mut stack);
        }
        if closed().next().is_none() {
            doors.clearance = Vec::new();
        }
        table.find_fans();
        *islands = Islands::build(table);
    }
}

impl Table {
    /// Returns `true` if a side has these ends, is no wall, and leads from wall to wall.
    fn is_door(&self, side: u32, ends: [DVec2; 2]) -> bool {
        let is_near = |a: DVec2, b: DVec2| (a - b).length() <= 4.0 * self.slack;
        let [from, to] = self.ends(side);
        let is_same = |[a, b]: [DVec2; 2]| is_near(from, a) && is_near(to, b);
        !self.is_wall(side)
            && (is_same(ends) || is_same([ends[1], ends[0]]))
            && [side, next(side)].into_iter().all(|corner| self.is_at_wall(corner))
    }

    /// A side has become a wall: no path passes it, and corners opposite have as much less room.
    fn narrow(&mut self, door: u32, stack: &mut Vec<u32>) {
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
