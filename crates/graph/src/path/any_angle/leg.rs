//! One leg of paths: what is seen from a place, and where straight lines from it lead.

use waymesh_core::PlanPoint;

use super::{AnyAngle, Bound, Node, Root, Search, Stand};
use crate::geometry::plan::{PlanPosition, orientation};
use crate::locate::nearest::Spot;
use crate::mesh::bounds::NO_NEIGHBOUR;
use crate::mesh::filter::{AnyPolygon, PolygonFilter};
use crate::mesh::nav_mesh::NavMesh;
use crate::path::portal::{beyond, is_before};

/// The ground that paths see which turn at a corner between two walls. They come from one side and
/// continue to the other, at half a turn or more. The ground around the corner is a full turn at
/// most: with more, directions in plan do not show which side a place is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The place is no such corner: all around.
    All,
    /// Next to the wall on the right, up to the line of the left one.
    Right,
    /// Next to the wall on the left, up to the line of the right one.
    Left,
}

impl Side {
    /// Returns `true` if a path from a place on this side may turn at the corner towards another.
    pub(crate) fn may_turn(self, [from, corner, to]: [PlanPosition; 3]) -> bool {
        match self {
            Self::All => true,
            Self::Right => orientation(corner, from, to) <= 0.0,
            Self::Left => orientation(corner, from, to) >= 0.0,
        }
    }
}

/// A polygon at a corner, with the corners after and before that one.
type Sector = (u32, [PlanPosition; 2]);

impl NavMesh {
    /// Finds what is seen from a place, into `memory.seen`, and the turns that straight lines lead
    /// to, with the lengths to there in cells, into `memory.led`; a link counts as a turn at its
    /// far end. From a corner between two walls only what a path sees on one side of them that
    /// turns there.
    pub(crate) fn see_from(
        &self,
        from: PlanPosition,
        [polygon, corner]: [u32; 2],
        side: Side,
        memory: &mut AnyAngle,
    ) {
        memory.begin(self.turn_count());
        memory.seen.clear();
        memory.led.clear();
        let start = Spot { polygon, at: from, height: 0.0, within: true, distance_squared: 0.0 };
        let nowhere = Spot { polygon: NO_NEIGHBOUR, ..start };
        let mut search: Search<'_, AnyPolygon, true> = Search {
            mesh: self,
            filter: &AnyPolygon,
            goal: &nowhere,
            goal_number: 0,
            memory,
            limit: f64::INFINITY,
            is_one_leg: true,
        };
        match side {
            Side::All => search.begin(&start),
            _ => search.begin_at_corner(from, [polygon, corner], side),
        }
        let mut nodes = usize::MAX;
        search.advance(&mut nodes);
    }
}

impl<F: PolygonFilter, const FLOOD: bool> Search<'_, F, FLOOD> {
    /// Opens what is seen next to one wall at a corner, up to the line of the other one.
    fn begin_at_corner(&mut self, at: PlanPosition, [polygon, corner]: [u32; 2], side: Side) {
        let sectors = self.mesh.sectors(polygon, corner);
        let (Some(&(_, [right_wall, _])), Some(&(_, [_, left_wall]))) = (sectors.first(), sectors.last())
        else {
            return;
        };
        self.memory.roots.push(Root::at_start(at, 0.0));
        for (polygon, [right, left]) in sectors {
            let line = beyond(if side == Side::Right { left_wall } else { right_wall }, at);
            let [right_side, left_side] = [right, left].map(|ray| orientation(at, line, ray));
            // Walls may be one line: what lies opposite to the other one is in line with it.
            let (is_seen, bound) = match side {
                _ if right_side < 0.0 && left_side > 0.0 => {
                    (true, if side == Side::Right { Bound::RightOf(line) } else { Bound::LeftOf(line) })
                }
                Side::Right => {
                    (right_side < 0.0 || (right_side == 0.0 && is_before(right, at, line)), Bound::None)
                }
                _ => (left_side > 0.0 || (left_side == 0.0 && is_before(left, at, line)), Bound::None),
            };
            if is_seen {
                let node = self.keep(Node::at_start(at, polygon));
                self.open_seen(Stand { node, root: 0, polygon }, bound);
            }
        }
    }
}

impl NavMesh {
    /// Returns `true` if the ground around a corner of a polygon, between two walls, is more than a
    /// full turn: it lies over itself in plan.
    pub(crate) fn is_wound(&self, polygon: u32, corner: u32) -> bool {
        let edges = self.edges();
        let at = edges.point(corner);
        let (mut first, mut is_wound) = (None, false);
        self.around_corner(polygon, corner, |corner, polygon| {
            let [right, left] = [edges.next(polygon, corner), edges.previous(polygon, corner)];
            let [right, left] = [right, left].map(|corner| edges.point(corner));
            // A later polygon holds the direction in which the first one begins, or begins there.
            if let Some(wall) = first {
                let [right_side, left_side] = [right, left].map(|ray| PlanPoint::orientation(at, wall, ray));
                is_wound |= right_side <= 0 && (left_side > 0 || (right_side == 0 && left_side == 0));
            }
            first.get_or_insert(right);
        });
        is_wound
    }

    /// Returns the polygons around a corner of one, from the wall on the right to that on the left.
    fn sectors(&self, polygon: u32, corner: u32) -> Vec<Sector> {
        let mut sectors = Vec::new();
        let edges = self.edges();
        self.around_corner(polygon, corner, |corner, polygon| {
            let [next, before] = [edges.next(polygon, corner), edges.previous(polygon, corner)];
            let at = |corner| PlanPosition::from(edges.point(corner));
            sectors.push((polygon, [at(next), at(before)]));
        });
        sectors
    }
}
