//! Plane geometry of the search by polygons, in single precision: it decides which path is tried
//! first, never which side of a wall a path is on.

use waymesh_core::PlanVertex;

use crate::locate::nearest::Spot;
use crate::mesh::bounds::Corner;
use crate::mesh::nav_mesh::NavMesh;

/// Metres from the frame's origin: single precision does for lengths there, wherever the origin is
/// in the world.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Local {
    pub(super) x: f32,
    pub(super) y: f32,
    pub(super) z: f32,
}

impl Local {
    #[inline]
    pub(super) fn distance(self, other: Self) -> f32 {
        let (x, y, z) = (self.x - other.x, self.y - other.y, self.z - other.z);
        (x * x + y * y + z * z).sqrt()
    }

    /// Returns `true` if both have the same bits in plan.
    #[inline]
    fn is_over(self, other: Self) -> bool {
        self.x.to_bits() == other.x.to_bits() && self.z.to_bits() == other.z.to_bits()
    }

    pub(super) fn lerp(self, to: Self, t: f32) -> Self {
        let mix = |from: f32, to: f32| from + (to - from) * t;
        Self { x: mix(self.x, to.x), y: mix(self.y, to.y), z: mix(self.z, to.z) }
    }

    /// Returns how far from `a` to `b` this point of the segment lies in plan, from 0 to 1.
    pub(super) fn along(self, a: Self, b: Self) -> f32 {
        let (ex, ez) = (b.x - a.x, b.z - a.z);
        let length = ex * ex + ez * ez;
        if length > 0.0 {
            (((self.x - a.x) * ex + (self.z - a.z) * ez) / length).clamp(0.0, 1.0)
        } else {
            0.0
        }
    }
}

/// Metres per cell and per level.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    pub(super) cell: f32,
    pub(super) level: f32,
}

impl Scale {
    pub(super) fn of(mesh: &NavMesh) -> Self {
        Self { cell: mesh.frame.cell_size, level: mesh.frame.level_height }
    }

    #[inline]
    pub(super) fn corner(self, corner: &Corner) -> Local {
        Local {
            x: corner.x as f32 * self.cell,
            y: corner.height * self.level,
            z: corner.z as f32 * self.cell,
        }
    }

    pub(super) fn vertex(self, vertex: &PlanVertex) -> Local {
        let PlanVertex { point, height } = *vertex;
        self.corner(&Corner { x: point.x, z: point.z, height })
    }

    #[expect(clippy::cast_possible_truncation, reason = "the nearest single-precision length is meant")]
    pub(super) fn spot(self, spot: &Spot) -> Local {
        Local {
            x: spot.at.x as f32 * self.cell,
            y: spot.height as f32 * self.level,
            z: spot.at.z as f32 * self.cell,
        }
    }
}

/// Returns where the shortest path from `from` over segment `a b` to `to` crosses it, in plan: by
/// mirroring one of the two if they are on the same side.
#[inline]
pub(super) fn crossing_point(from: Local, to: Local, a: Local, b: Local) -> Local {
    let (ex, ez) = (b.x - a.x, b.z - a.z);
    let (fx, fz) = (from.x - a.x, from.z - a.z);
    let (tx, tz) = (to.x - a.x, to.z - a.z);
    let (from_along, to_along) = (fx * ex + fz * ez, tx * ex + tz * ez);
    let (from_aside, to_aside) = ((fx * ez - fz * ex).abs(), (tx * ez - tz * ex).abs());
    let length = ex * ex + ez * ez;
    let aside = from_aside + to_aside;
    let t = if length <= 0.0 {
        0.0
    } else if aside > 0.0 {
        (from_along * to_aside + to_along * from_aside) / (aside * length)
    } else {
        from_along / length
    };
    let t = t.clamp(0.0, 1.0);
    Local { x: a.x + ex * t, y: a.y + (b.y - a.y) * t, z: a.z + ez * t }
}

/// Positive where `b` lies to the left of the ray from `from` over `a`.
#[inline]
fn side(from: Local, a: Local, b: Local) -> f32 {
    (a.x - from.x) * (b.z - from.z) - (a.z - from.z) * (b.x - from.x)
}

/// Arrival of a path at a point of an edge: straight from its last turn, between two rays. So a
/// path through many polygons is as long as a string pulled through them, not as a chain of points
/// on their edges. It turns where the cost of the ground changes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Approach {
    pub(super) at: Local,
    pub(super) cost: f32,
    /// Last turn, and the cost up to it.
    from: Local,
    from_cost: f32,
    /// Cost of a metre since the last turn.
    metre: f32,
    /// Corners of edges passed that lie on the two rays; `from` where no edge has been passed.
    right: Local,
    left: Local,
}

impl Approach {
    /// Returns the arrival of a path that turns here and continues at `metre` per metre.
    pub(super) fn turn(at: Local, cost: f32, metre: f32) -> Self {
        Self { at, cost, from: at, from_cost: cost, metre, right: at, left: at }
    }

    /// Returns the arrival with another cost per metre.
    #[inline]
    pub(super) fn at_cost(self, metre: f32) -> Self {
        if self.metre.to_bits() == metre.to_bits() { self } else { Self::turn(self.at, self.cost, metre) }
    }

    /// Returns what the path costs to a place beyond the edge crossed last, where it turns once at
    /// most: a little less than the shortest path there, where that turns more often.
    #[inline]
    pub(super) fn cost_to(&self, to: Local) -> f32 {
        let corner = self.hidden_by(to).unwrap_or(self.from);
        self.from_cost + (self.from.distance(corner) + corner.distance(to)) * self.metre
    }

    /// Returns `true` if the path turns where it arrives.
    #[inline]
    pub(super) fn turns_here(&self) -> bool {
        self.from.is_over(self.at)
    }

    /// Returns `true` if both paths turned at one place last.
    #[inline]
    pub(super) fn turned_with(&self, other: &Self) -> bool {
        self.from.is_over(other.from)
    }

    /// Returns the corner that hides a place beyond the edge crossed last, if one does.
    #[inline(always)]
    fn hidden_by(&self, place: Local) -> Option<Local> {
        if side(self.from, self.right, place) < 0.0 {
            Some(self.right)
        } else if side(self.from, self.left, place) > 0.0 {
            Some(self.left)
        } else {
            None
        }
    }

    /// Returns the arrival with `cost` added.
    #[inline]
    pub(super) fn plus(mut self, cost: f32) -> Self {
        self.cost += cost;
        self.from_cost += cost;
        self
    }

    /// Returns the arrival at a corner in sight of the last turn, with a turn there.
    #[inline(always)]
    fn turned(self, corner: Local) -> Self {
        Self::turn(corner, self.from_cost + self.from.distance(corner) * self.metre, self.metre)
    }

    /// Returns the corner of the edges passed before, on the right or the left ray, that an edge lies
    /// behind.
    #[cold]
    fn first_of(&self, [on_right, on_left]: [Local; 2], [right, left]: [Local; 2]) -> Option<Local> {
        if side(self.from, on_left, right) > 0.0 {
            Some(on_left)
        } else if side(self.from, on_right, left) < 0.0 {
            Some(on_right)
        } else {
            None
        }
    }

    /// On over an edge, from its right end to its left, and then as straight as can be to `target`.
    /// If the straight path is hidden, it turns at the corner that hides it, and where the edge lies
    /// behind a corner, at that one. Another turn before the edge is not looked for: the cost is that
    /// of the shortest path there, or a little less.
    #[inline(always)]
    pub(super) fn over(mut self, target: Local, right: Local, left: Local) -> Self {
        self.at = crossing_point(self.from, target, right, left);
        if let Some(corner) = self.hidden_by(self.at) {
            self = self.turned(corner);
            self.at = crossing_point(corner, target, right, left);
        }
        let passed = [self.right, self.left];
        if side(self.from, self.right, right) >= 0.0 {
            self.right = right;
        }
        if side(self.from, self.left, left) <= 0.0 {
            self.left = left;
        }
        if side(self.from, self.right, self.left) < 0.0
            && let Some(corner) = self.first_of(passed, [right, left])
        {
            self = self.turned(corner);
            (self.right, self.left) = (right, left);
            self.at = crossing_point(corner, target, right, left);
        }
        self.cost = self.from_cost + self.from.distance(self.at) * self.metre;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f32, z: f32) -> Local {
        Local { x, y: 0.0, z }
    }

    /// Looking along x, the left is where z is larger.
    fn walk(start: Local, goal: Local, edges: &[[Local; 2]]) -> (Local, f32) {
        let start = Approach::turn(start, 0.0, 1.0);
        let end = edges.iter().fold(start, |crossing, &[right, left]| crossing.over(goal, right, left));
        (end.at, end.cost)
    }

    #[test]
    fn a_straight_way_is_as_long_as_it_is() {
        let (start, goal) = (at(0.0, 0.0), at(10.0, 1.0));
        // Slanted edges in a wide corridor: the nearest crossing of each by itself would make a zigzag.
        let edges: Vec<_> = (1_u8..10)
            .map(|x| {
                let (x, slant) = (f32::from(x), if x % 2 == 0 { 0.4 } else { -0.4 });
                [at(x - slant, -3.0), at(x + slant, 3.0)]
            })
            .collect();
        let (point, cost) = walk(start, goal, &edges);
        assert!((point.z - point.x / 10.0).abs() < 1e-5, "{point:?}");
        assert!((cost - start.distance(point)).abs() < 1e-5);
    }

    #[test]
    fn a_way_turns_where_an_edge_lies_behind_the_corner_of_the_last() {
        // Round a corner at (4, 0) over two edges that leave it, back to the side it came from.
        let (start, goal) = (at(0.0, 0.3), at(6.0, 2.0));
        let edges =
            [[at(4.0, 0.0), at(8.0, -2.0)], [at(4.0, 0.0), at(20.0, -1.0)], [at(4.0, 0.0), at(16.0, 1.0)]];
        let edges = edges.map(|[a, b]| [b, a]);
        let (point, cost) = walk(start, goal, &edges);
        assert_eq!((point.x, point.z), (4.0, 0.0));
        assert!((cost - start.distance(at(4.0, 0.0))).abs() < 1e-5, "{cost}");
    }

    #[test]
    fn a_way_turns_at_the_corner_that_hides_what_is_ahead() {
        // Along x under a wall that ends at (4, 1), then up.
        let (start, goal) = (at(0.0, 0.0), at(4.0, 9.0));
        let edges = [
            [at(2.0, -1.0), at(2.0, 1.0)],
            [at(4.0, -1.0), at(4.0, 1.0)],
            [at(6.0, 1.0), at(4.0, 1.0)],
            [at(6.0, 5.0), at(2.0, 5.0)],
        ];
        let (point, cost) = walk(start, goal, &edges);
        assert_eq!((point.x, point.z), (4.0, 5.0));
        assert!((cost - (17.0_f32.sqrt() + 4.0)).abs() < 1e-5, "{cost}");
    }
}
