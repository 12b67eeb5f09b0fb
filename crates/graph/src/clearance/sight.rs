//! A close look: whether lines and arcs keep the radius from all walls.

use glam::DVec2;

use super::bounds::{NO_INDEX, Root};
use super::near::Near;
use super::search::Search;
use super::table::WALL;
use crate::geometry::disc::{Tangent, faces, is_nearer, side_of, touch};

impl Search<'_> {
    /// Returns `true` if walls near the ends leave room for the arc before the line in which a root
    /// is left.
    pub(super) fn turns_free(&self, root: &Root, direction: DVec2) -> bool {
        let mut nears = root.near.iter().filter(|&&near| near != NO_INDEX);
        root.side == 0.0
            || nears.all(|&near| self.turns_freely(&self.memory.nears[near as usize], root, direction))
    }

    /// Returns `true` if walls near an end leave room for the arc at a root.
    pub(super) fn turns_freely(&self, near: &Near, root: &Root, direction: DVec2) -> bool {
        // From the corner to where the disc's centre is.
        let spoke = |direction: DVec2| {
            let left = direction.perp();
            -left * root.side
        };
        let mut range = [spoke(root.arrival), spoke(direction)];
        if root.side < 0.0 {
            range.reverse();
        }
        near.is_clear_around(root.centre, range, self.width - 2e-8)
    }

    /// Returns how near a wall may be to the centre of the disc.
    pub(super) fn least(&self) -> f64 {
        self.radius * (1.0 - 1e-8) - 1e-8
    }

    /// Returns `true` if the path from a root to the next one keeps the radius from all walls
    /// around.
    pub(super) fn comes_clear(
        &mut self,
        root: &Root,
        from: &Root,
        way: &Tangent,
        clear_to: Option<(u32, f64)>,
    ) -> bool {
        let out = touch(root.centre, root.offset, way.direction) - root.centre;
        let triangle = self.table.triangle_towards(root.corner, out);
        self.is_clear_along(triangle, root.centre, from, way, clear_to)
            && (from.side != 0.0 || clear_to.is_some() || self.table.has_one_way_round(root.corner) || {
                let start = self.memory.nears[from.near[0] as usize].triangle;
                self.has_looked_at(start, from.centre)
            })
    }

    /// Returns `true` if the visited ground holds a place of a triangle.
    fn has_looked_at(&self, triangle: u32, place: DVec2) -> bool {
        self.memory.looked.iter().any(|&at| self.table.is_in(triangle, place, at))
    }

    /// Returns `true` if a path leaves a corner on the visited ground:
    /// where ground winds about the corner, several lie in the direction.
    fn leaves_there(&self, root: &Root, direction: DVec2) -> bool {
        let table = self.table;
        root.side == 0.0 || table.has_one_way_round(root.corner) || {
            let corner = table.corner_after(root, self.turned(root, direction));
            let place = touch(root.centre, root.offset, direction);
            self.has_looked_at(table.walk(corner / 3, None, root.centre, place), place)
        }
    }

    /// Returns `true` if the path from a root along a tangent keeps the radius from all walls
    /// around. `triangle` has the corner that it touches, or the goal, close to `near`. If all
    /// is clear up to a side, only from there on, or from where the line is so near to it.
    pub(super) fn is_clear_along(
        &mut self,
        triangle: u32,
        near: DVec2,
        root: &Root,
        way: &Tangent,
        clear_to: Option<(u32, f64)>,
    ) -> bool {
        let least = self.least();
        if least <= 0.0 && clear_to.is_some() {
            return true;
        }
        let from = touch(root.centre, root.offset, way.direction);
        let mut line = [from, (from + way.direction * way.length)];
        if let Some((side, near)) = clear_to {
            let [a, b] = self.table.ends(side);
            let [before, after] = line.map(|at| side_of(a, b, at));
            // The rest of the path lies in one triangle, but for where the disc bulges over a side.
            if before < 0.0 && after > 0.0 {
                let clear = (before + near * (b - a).length()).min(0.0);
                line[0] = from + way.direction * (way.length * (clear / (before - after)));
            }
        }
        // From the end of the path, which is no farther from there than a disc that fits is wide.
        let inside = near + (self.table.centroid(triangle) - near) * 1e-3;
        let last = self.table.walk(triangle, None, inside, line[1]);
        if !(3 * last..3 * last + 3).all(|side| {
            let [a, b] = self.table.ends(side);
            let aside = side_of(a, b, line[1]);
            aside >= 0.0 || aside >= -2.0 * self.table.slack * (b - a).length()
        }) {
            return false;
        }
        let memory = &mut *self.memory;
        memory.looked.clear();
        memory.stack.clear();
        memory.stack.push(last);
        while let Some(at) = memory.stack.pop() {
            if memory.looked.contains(&at) {
                continue;
            }
            memory.looked.push(at);
            for side in 3 * at..3 * at + 3 {
                let ends = self.table.ends(side);
                if is_nearer(line, ends, least) {
                    match self.table.twin(side) {
                        WALL => return false,
                        twin if faces(ends, line) => memory.stack.push(twin / 3),
                        _ => {}
                    }
                }
            }
        }
        clear_to.is_some() || self.leaves_there(root, way.direction)
    }
}
