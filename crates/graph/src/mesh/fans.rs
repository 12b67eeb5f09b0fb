//! Topology around vertices: the twin of each edge in the neighbour, the fans of corners around a
//! vertex, the corners where a shortest path may turn, and compact records of edges for walks.

use std::ops::Range;

use waymesh_core::{PlanPoint, VertexId, checkpoint_every};

use super::bounds::{Corner, NO_NEIGHBOUR};
use super::table::Table;
use crate::geometry::plan::PlanPosition;

/// In an entry of [`Fans::corners`]: a shortest path may turn here.
const MAY_TURN: u32 = 1 << 31;

/// Fans: connected corners of polygons around one vertex, over edges between neighbours. A vertex
/// where the mesh touches itself in a point only has several fans without a path between them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fans {
    /// For each edge with a neighbour, its twin in that polygon, else [`NO_NEIGHBOUR`].
    pub(super) twins: Table<u32>,
    /// Fan of each corner, and [`MAY_TURN`].
    pub(super) corners: Table<u32>,
    pub(super) count: u32,
}

/// The tables that fans are made of.
#[derive(Clone, Copy)]
pub(crate) struct Edges<'a> {
    pub(crate) polygon_first: &'a [u32],
    pub(crate) corners: &'a [Corner],
    pub(crate) vertices: &'a [VertexId],
    pub(crate) neighbours: &'a [u32],
}

impl Edges<'_> {
    pub(crate) fn range(&self, polygon: u32) -> Range<usize> {
        self.polygon_first[polygon as usize] as usize..self.polygon_first[polygon as usize + 1] as usize
    }

    pub(crate) fn next(&self, polygon: u32, edge: u32) -> u32 {
        if edge + 1 == self.polygon_first[polygon as usize + 1] {
            self.polygon_first[polygon as usize]
        } else {
            edge + 1
        }
    }

    pub(crate) fn previous(&self, polygon: u32, edge: u32) -> u32 {
        if edge == self.polygon_first[polygon as usize] {
            self.polygon_first[polygon as usize + 1] - 1
        } else {
            edge - 1
        }
    }

    pub(crate) fn point(&self, edge: u32) -> PlanPoint {
        self.corners[edge as usize].point()
    }
}

impl Fans {
    /// Takes time in `n log n`. Neighbours must be mutual.
    pub(crate) fn find(edges: &Edges<'_>) -> Self {
        Self::of_twins(edges, twins(edges).into(), |_| true)
    }

    /// Finds the fans from known twins. Polygons without `is_there` have none. Linear time.
    pub(crate) fn of_twins(edges: &Edges<'_>, twins: Table<u32>, is_there: impl Fn(u32) -> bool) -> Self {
        let (mut corners, mut count) = (vec![NO_NEIGHBOUR; twins.len()], 0);
        let mut fan = Vec::new();
        for polygon in (0_u32..).take(edges.polygon_first.len() - 1).filter(|&polygon| is_there(polygon)) {
            checkpoint_every(1 << 12, polygon as usize);
            for edge in edges.polygon_first[polygon as usize]..edges.polygon_first[polygon as usize + 1] {
                if corners[edge as usize] == NO_NEIGHBOUR {
                    fan.clear();
                    let turns = around(edges, &twins, polygon, edge, |corner, _| fan.push(corner));
                    fan.iter().for_each(|&corner| corners[corner as usize] = entry(count, turns));
                    count += 1;
                }
            }
        }
        Self { twins, corners: corners.into(), count }
    }

    /// Returns the edge in the polygon beyond that is the same as this one.
    #[inline]
    pub(crate) fn twin(&self, edge: u32) -> u32 {
        self.twins[edge as usize]
    }

    /// Returns the fan of a corner, and whether a shortest path may turn there: its corners make
    /// more than half a turn, between walls.
    #[inline]
    pub(crate) fn fan(&self, corner: u32) -> (u32, bool) {
        let entry = self.corners[corner as usize];
        (entry & !MAY_TURN, entry & MAY_TURN != 0)
    }

    /// Lets paths turn at some more fans. Linear time.
    pub(crate) fn allow(&mut self, mut fans: Vec<u32>) {
        fans.sort_unstable();
        let allowed = |&entry: &u32| {
            let is_one = fans.binary_search(&(entry & !MAY_TURN)).is_ok();
            if is_one { entry | MAY_TURN } else { entry }
        };
        self.corners = self.corners.iter().map(allowed).collect();
    }

    /// Returns the number of fans.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }
}

/// Calls `visit` with all corners of the fan of a corner, and their polygons, from the one at a
/// wall on the right or, where the fan is closed, any. Returns `true` if a shortest path may turn
/// there.
pub(crate) fn around(
    edges: &Edges<'_>,
    twins: &[u32],
    polygon: u32,
    edge: u32,
    mut visit: impl FnMut(u32, u32),
) -> bool {
    // To the wall on the right, if there is one.
    let (mut polygon_now, mut corner) = (polygon, edge);
    let is_closed = loop {
        let twin = twins[corner as usize];
        if twin == NO_NEIGHBOUR {
            break false;
        }
        polygon_now = edges.neighbours[corner as usize];
        corner = edges.next(polygon_now, twin);
        if corner == edge {
            break true;
        }
    };
    let first = corner;
    let [at, wall] = [edges.point(first), edges.point(edges.next(polygon_now, first))];
    let mut turns = false;
    loop {
        visit(corner, polygon_now);
        let before = edges.previous(polygon_now, corner);
        let ray = edges.point(before);
        let side = PlanPoint::orientation(at, wall, ray);
        // Collinear: one coordinate decides the side.
        let is_ahead = (wall.x > at.x) == (ray.x > at.x) && (wall.z > at.z) == (ray.z > at.z);
        turns |= side < 0 || (side == 0 && is_ahead);
        let twin = twins[before as usize];
        if twin == NO_NEIGHBOUR || twin == first {
            return turns && !is_closed;
        }
        polygon_now = edges.neighbours[before as usize];
        corner = twin;
    }
}

/// The entry of a corner of a fan, at which a shortest path may turn or not.
#[inline]
pub(crate) fn entry(fan: u32, turns: bool) -> u32 {
    if turns { fan | MAY_TURN } else { fan }
}

/// Returns the fan that an entry names.
pub(crate) fn fan_of(entry: u32) -> u32 {
    entry & !MAY_TURN
}

/// Corners of a polygon up to which a scan of them is short.
const SHORT_SCAN: u32 = 32;

/// Returns the twin of each edge.
fn twins(edges: &Edges<'_>) -> Vec<u32> {
    let range =
        |polygon: u32| edges.polygon_first[polygon as usize]..edges.polygon_first[polygon as usize + 1];
    let has_few = |polygon: u32| range(polygon).len() <= SHORT_SCAN as usize;
    let ends = |polygon: u32, edge: u32| {
        [edge, edges.next(polygon, edge)].map(|corner| edges.vertices[corner as usize])
    };
    let polygons = (0_u32..).take(edges.polygon_first.len() - 1);
    // Edges of polygons with many corners, sorted by their ends: scans would take quadratic time.
    let mut of_many: Vec<(VertexId, VertexId, u32, u32)> = Vec::new();
    for polygon in polygons.clone().filter(|&polygon| !has_few(polygon)) {
        for edge in range(polygon) {
            let [from, to] = ends(polygon, edge);
            of_many.push((from, to, polygon, edge));
        }
    }
    of_many.sort_unstable();
    let mut twins = vec![NO_NEIGHBOUR; edges.neighbours.len()];
    for polygon in polygons {
        for edge in range(polygon) {
            let neighbour = edges.neighbours[edge as usize];
            // The other one of two has found both.
            if neighbour == NO_NEIGHBOUR || twins[edge as usize] != NO_NEIGHBOUR {
                continue;
            }
            let [from, to] = ends(polygon, edge);
            let is_twin = |&there: &u32| {
                edges.vertices[there as usize] == to
                    && edges.neighbours[there as usize] == polygon
                    && edges.vertices[edges.next(neighbour, there) as usize] == from
            };
            let twin = if has_few(neighbour) {
                range(neighbour).find(is_twin)
            } else {
                let first =
                    of_many.partition_point(|&(a, b, there, _)| (a, b, there) < (to, from, neighbour));
                of_many.get(first).map(|entry| entry.3).filter(is_twin)
            };
            if let Some(twin) = twin {
                twins[edge as usize] = twin;
                twins[twin as usize] = edge;
            }
        }
    }
    twins
}

/// An edge of a polygon: its start, its neighbour and its twin. Four fit a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(16))]
pub(crate) struct WalkEdge {
    x: i32,
    z: i32,
    pub(crate) beyond: u32,
    /// The twin of the edge in the neighbour, or [`NO_NEIGHBOUR`].
    pub(crate) twin: u32,
}

impl WalkEdge {
    /// Sentinel that belongs to no polygon.
    pub(crate) const UNUSED: Self = Self { x: 0, z: 0, beyond: NO_NEIGHBOUR, twin: NO_NEIGHBOUR };

    pub(crate) fn of(corner: &Corner, beyond: u32, twin: u32) -> Self {
        let twin = if beyond == NO_NEIGHBOUR { NO_NEIGHBOUR } else { twin };
        Self { x: corner.x, z: corner.z, beyond, twin }
    }

    #[inline]
    pub(crate) fn start(&self) -> PlanPosition {
        PlanPosition::on_grid(self.x, self.z)
    }
}

/// Returns the edges of all polygons, in the order of their corners.
pub(crate) fn walk_edges(corners: &[Corner], neighbours: &[u32], fans: &Fans) -> Vec<WalkEdge> {
    let edges = (0_u32..).zip(corners).zip(neighbours);
    edges.map(|((edge, corner), &beyond)| WalkEdge::of(corner, beyond, fans.twin(edge))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square whose sides are cut into `edges` edges, each with a triangle beyond.
    #[test]
    fn twins_are_mutual_in_polygons_of_few_and_many_corners() {
        for count in [3_u32, 7, 8, 9, 20] {
            let rim = 4 * count;
            let neighbours: Vec<u32> =
                (1..=rim).chain((0..rim).flat_map(|_| [0, NO_NEIGHBOUR, NO_NEIGHBOUR])).collect();
            let vertices: Vec<VertexId> = (0..rim)
                .chain((0..rim).flat_map(|edge| [(edge + 1) % rim, edge, rim + edge]))
                .map(VertexId)
                .collect();
            let polygon_first: Vec<u32> =
                [0].into_iter().chain((0..=rim).map(|index| rim + 3 * index)).collect();
            let edges = Edges {
                polygon_first: &polygon_first,
                corners: &[],
                vertices: &vertices,
                neighbours: &neighbours,
            };
            let twins = twins(&edges);
            for edge in 0..rim {
                let there = rim + 3 * edge;
                assert_eq!([twins[edge as usize], twins[there as usize]], [there, edge]);
                assert_eq!(twins[there as usize + 1..there as usize + 3], [NO_NEIGHBOUR; 2]);
            }
        }
    }
}
