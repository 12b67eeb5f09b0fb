//! A mutable triangulation: edges are split and flipped, vertices added and removed.
//!
//! Points are in cells, in double precision, which is exact for grid points. Every decision uses
//! exact predicates. Rounded points can make a triangle thin, but never invert it.

use robust::{Coord, incircle, orient2d};
use waymesh_core::{
    AreaId, RegionId, TriangleId, Triangulation, Validate, VertexId, checkpoint_every, float, to_u32,
};

use crate::TriangulateError;
use crate::assemble::NO_INDEX;

/// A point in cells.
pub(crate) type Point = [f64; 2];

/// Returns a positive number if `c` lies to the left of `a -> b`. The sign is exact.
#[inline]
pub(crate) fn side_of(a: Point, b: Point, c: Point) -> f64 {
    let coord = |p: Point| Coord { x: p[0], y: p[1] };
    orient2d(coord(a), coord(b), coord(c))
}

/// Returns a positive number if `d` lies inside the circle through the positive triangle `a b c`.
/// The sign is exact.
#[inline]
fn in_circle(a: Point, b: Point, c: Point, d: Point) -> f64 {
    let coord = |p: Point| Coord { x: p[0], y: p[1] };
    incircle(coord(a), coord(b), coord(c), coord(d))
}

pub(crate) fn distance_squared(a: Point, b: Point) -> f64 {
    float::squared(a[0] - b[0]) + float::squared(a[1] - b[1])
}

/// Returns the half-edge `steps` further around its triangle.
#[inline]
pub(crate) fn turn(half_edge: u32, steps: u32) -> u32 {
    half_edge / 3 * 3 + (half_edge % 3 + steps) % 3
}

/// The region and the area of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    /// `None` if the triangle lies in several regions.
    pub(crate) region: Option<RegionId>,
    pub(crate) area: Option<AreaId>,
}

impl Label {
    fn merged(self, other: Self) -> Self {
        Self {
            region: self.region.filter(|_| self.region == other.region),
            area: self.area.filter(|_| self.area == other.area),
        }
    }
}

/// Result of [`Surface::walk`]: the location of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    Vertex(u32),
    /// The point lies strictly inside this edge.
    Edge(u32),
    Triangle(u32),
    /// The point was not reached: this edge blocks the walk and must not be crossed.
    Behind(u32),
    /// The point was not reached: behind this vertex, the line leaves the triangles.
    Outside(u32),
}

/// The triangulation. Half-edge `3 t + i` leaves corner `i` of triangle `t`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surface {
    pub(crate) points: Vec<Point>,
    pub(crate) heights: Vec<f32>,
    /// The vertex of the original triangulation; `None` for a vertex added later.
    pub(crate) names: Vec<Option<VertexId>>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// The opposite half-edge, [`NO_INDEX`] at a wall.
    pub(crate) twins: Vec<u32>,
    /// `true` for edges that must not be flipped, including walls.
    pub(crate) fixed: Vec<bool>,
    pub(crate) labels: Vec<Label>,
    /// A half-edge that leaves each vertex.
    leaving: Vec<u32>,
    /// Half-edges that are possibly not Delaunay.
    suspects: Vec<u32>,
    /// Triangles created or changed since this list was last cleared, possibly with duplicates.
    pub(crate) changed: Vec<u32>,
}

impl Surface {
    /// Copies a triangulation. If the triangles at a vertex are not connected around it, each
    /// connected fan gets its own vertex. Borders between regions are fixed if `seams_stay` is set.
    pub(crate) fn new(triangulation: &Triangulation, seams_stay: bool) -> Result<Self, TriangulateError> {
        triangulation.validate().map_err(|violations| TriangulateError::BrokenTriangulation {
            violation: violations.kept().first().cloned().map(Box::new),
        })?;
        let count = triangulation.triangles.len();
        let mut surface = Self {
            triangles: vec![[NO_INDEX; 3]; count],
            twins: vec![NO_INDEX; 3 * count],
            ..Self::default()
        };
        for (index, triangle) in triangulation.triangles.iter().enumerate() {
            surface.labels.push(Label { region: Some(triangle.region), area: Some(triangle.area) });
            for (side, neighbour) in triangle.neighbours.iter().enumerate() {
                let Some(neighbour) = neighbour else {
                    surface.fixed.push(true);
                    continue;
                };
                let other = &triangulation.triangles[neighbour.index()];
                let back = triangulation.across(TriangleId::from_index(index), side);
                surface.twins[3 * index + side] =
                    back.map_or(NO_INDEX, |(neighbour, back)| 3 * neighbour.0 + to_u32(back));
                surface.fixed.push(back.is_none() || seams_stay && other.region != triangle.region);
            }
        }
        for corner in 0..3 * to_u32(count) {
            if surface.origin(corner) != NO_INDEX {
                continue;
            }
            let name = triangulation.triangles[(corner / 3) as usize].vertices[(corner % 3) as usize];
            let at = triangulation.vertices[name.index()];
            let vertex =
                surface.add_vertex([f64::from(at.point.x), f64::from(at.point.z)], at.height, Some(name));
            surface.leaving[vertex as usize] = corner;
            let start = surface.first_around(corner);
            let mut edge = start;
            loop {
                surface.triangles[(edge / 3) as usize][(edge % 3) as usize] = vertex;
                edge = surface.twins[turn(edge, 2) as usize];
                if edge == NO_INDEX || edge == start {
                    break;
                }
            }
        }
        Ok(surface)
    }

    pub(crate) fn add_vertex(&mut self, point: Point, height: f32, name: Option<VertexId>) -> u32 {
        let vertex = to_u32(self.points.len());
        self.points.push(point);
        self.heights.push(height);
        self.names.push(name);
        self.leaving.push(NO_INDEX);
        vertex
    }

    #[inline]
    pub(crate) fn origin(&self, half_edge: u32) -> u32 {
        self.triangles[(half_edge / 3) as usize][(half_edge % 3) as usize]
    }

    #[inline]
    pub(crate) fn start(&self, half_edge: u32) -> Point {
        self.points[self.origin(half_edge) as usize]
    }

    #[inline]
    pub(crate) fn ends(&self, half_edge: u32) -> [Point; 2] {
        [self.start(half_edge), self.start(turn(half_edge, 1))]
    }

    pub(crate) fn end_heights(&self, half_edge: u32) -> [f32; 2] {
        [half_edge, turn(half_edge, 1)].map(|edge| self.heights[self.origin(edge) as usize])
    }

    /// Returns both ends of an edge, and the opposite corner.
    #[inline]
    pub(crate) fn corners_from(&self, half_edge: u32) -> [Point; 3] {
        [half_edge, turn(half_edge, 1), turn(half_edge, 2)].map(|edge| self.start(edge))
    }

    #[inline]
    pub(crate) fn is_wall(&self, half_edge: u32) -> bool {
        self.twins[half_edge as usize] == NO_INDEX
    }

    /// Returns the first half-edge, counter-clockwise, around the origin of this one: at a wall,
    /// the half-edge after it.
    fn first_around(&self, half_edge: u32) -> u32 {
        let mut edge = half_edge;
        loop {
            let twin = self.twins[edge as usize];
            if twin == NO_INDEX {
                return edge;
            }
            edge = turn(twin, 1);
            if edge == half_edge {
                return edge;
            }
        }
    }

    /// Calls `visit` with each half-edge that leaves `vertex`, counter-clockwise. Returns `true` if
    /// walls end there.
    pub(crate) fn around(&self, vertex: u32, mut visit: impl FnMut(u32)) -> bool {
        let start = self.first_around(self.leaving[vertex as usize]);
        let mut edge = start;
        loop {
            visit(edge);
            edge = self.twins[turn(edge, 2) as usize];
            if edge == NO_INDEX {
                return true;
            }
            if edge == start {
                return false;
            }
        }
    }

    /// Writes a triangle: its corners, and for each side the opposite half-edge and `true` if it is
    /// fixed.
    fn set(&mut self, triangle: u32, corners: [u32; 3], sides: [(u32, bool); 3], label: Label) {
        if triangle as usize == self.triangles.len() {
            self.triangles.push([NO_INDEX; 3]);
            self.twins.extend([NO_INDEX; 3]);
            self.fixed.extend([false; 3]);
            self.labels.push(label);
        }
        self.triangles[triangle as usize] = corners;
        self.labels[triangle as usize] = label;
        for (side, (twin, fixed)) in (0..).zip(sides) {
            let half_edge = 3 * triangle + side;
            self.twins[half_edge as usize] = twin;
            self.fixed[half_edge as usize] = fixed;
            if twin != NO_INDEX {
                self.twins[twin as usize] = half_edge;
            }
            self.leaving[corners[side as usize] as usize] = half_edge;
        }
        self.changed.push(triangle);
    }

    fn side(&self, half_edge: u32) -> (u32, bool) {
        (self.twins[half_edge as usize], self.fixed[half_edge as usize])
    }

    /// Returns `true` if an edge can be split at `point`: all new triangles are positive.
    pub(crate) fn can_split_edge(&self, half_edge: u32, point: Point) -> bool {
        [half_edge, self.twins[half_edge as usize]].iter().filter(|&&edge| edge != NO_INDEX).all(|&edge| {
            let [a, b, c] = self.corners_from(edge);
            side_of(a, point, c) > 0.0 && side_of(point, b, c) > 0.0
        })
    }

    /// Splits an edge at a vertex. Call [`Surface::legalize`] afterwards.
    pub(crate) fn split_edge(&mut self, half_edge: u32, vertex: u32) {
        let fixed = self.fixed[half_edge as usize];
        let twin = self.twins[half_edge as usize];
        let near = half_edge / 3;
        let [a, b, c] = [half_edge, turn(half_edge, 1), turn(half_edge, 2)].map(|edge| self.origin(edge));
        let [from_b, from_c] = [turn(half_edge, 1), turn(half_edge, 2)].map(|edge| self.side(edge));
        let label = self.labels[near as usize];
        let new_near = to_u32(self.triangles.len());
        // a m c stays in place, m b c is new.
        self.set(near, [a, vertex, c], [(NO_INDEX, fixed), (NO_INDEX, false), from_c], label);
        self.set(new_near, [vertex, b, c], [(NO_INDEX, fixed), from_b, (3 * near + 1, false)], label);
        self.suspects.extend([3 * near + 2, 3 * new_near + 1]);
        if twin != NO_INDEX {
            let far = twin / 3;
            let d = self.origin(turn(twin, 2));
            let [from_a, from_d] = [turn(twin, 1), turn(twin, 2)].map(|edge| self.side(edge));
            let label = self.labels[far as usize];
            let new_far = to_u32(self.triangles.len());
            // b m d stays in place, m a d is new.
            self.set(far, [b, vertex, d], [(3 * new_near, fixed), (NO_INDEX, false), from_d], label);
            let across = [(3 * near, fixed), from_a, (3 * far + 1, false)];
            self.set(new_far, [vertex, a, d], across, label);
            self.suspects.extend([3 * far + 2, 3 * new_far + 1]);
        }
    }

    /// Splits a triangle at a vertex. Call [`Surface::legalize`] afterwards.
    pub(crate) fn split_triangle(&mut self, triangle: u32, vertex: u32) {
        let [a, b, c] = self.triangles[triangle as usize];
        let [ab, bc, ca] = [0, 1, 2].map(|side| self.side(3 * triangle + side));
        let label = self.labels[triangle as usize];
        let second = to_u32(self.triangles.len());
        let third = second + 1;
        let open = (NO_INDEX, false);
        self.set(triangle, [a, b, vertex], [ab, open, open], label);
        self.set(second, [b, c, vertex], [bc, open, (3 * triangle + 1, false)], label);
        let around = [ca, (3 * triangle + 2, false), (3 * second + 1, false)];
        self.set(third, [c, a, vertex], around, label);
        self.suspects.extend([3 * triangle, 3 * second, 3 * third]);
    }

    /// Marks every edge as possibly not Delaunay.
    pub(crate) fn suspect_all(&mut self) {
        self.suspects.clear();
        self.suspects.extend(0..to_u32(self.twins.len()));
    }

    /// Flips marked edges until every edge that may be flipped is Delaunay.
    pub(crate) fn legalize(&mut self) {
        while let Some(half_edge) = self.suspects.pop() {
            checkpoint_every(1 << 10, half_edge as usize);
            let twin = self.twins[half_edge as usize];
            if twin == NO_INDEX || self.fixed[half_edge as usize] {
                continue;
            }
            let [p, q, r] = self.corners_from(half_edge);
            let s = self.start(turn(twin, 2));
            // A quadrilateral that is not convex has no other diagonal. The circle test never
            // requires it there, except where the mesh overlaps itself and the ends touch.
            if in_circle(p, q, r, s) <= 0.0 || side_of(s, q, r) <= 0.0 || side_of(r, p, s) <= 0.0 {
                continue;
            }
            self.flip(half_edge);
        }
    }

    fn flip(&mut self, half_edge: u32) {
        let twin = self.twins[half_edge as usize];
        let [p, q, r] = [half_edge, turn(half_edge, 1), turn(half_edge, 2)].map(|edge| self.origin(edge));
        let s = self.origin(turn(twin, 2));
        let [from_q, from_r] = [1, 2].map(|steps| self.side(turn(half_edge, steps)));
        let [from_p, from_s] = [1, 2].map(|steps| self.side(turn(twin, steps)));
        let (first, second) = (half_edge / 3, twin / 3);
        let label = self.labels[first as usize].merged(self.labels[second as usize]);
        self.set(first, [s, q, r], [from_s, from_q, (NO_INDEX, false)], label);
        self.set(second, [r, p, s], [from_r, from_p, (3 * first + 2, false)], label);
        self.suspects.extend([3 * first, 3 * first + 1, 3 * second, 3 * second + 1]);
    }

    /// Removes a vertex at which no wall ends. Fewer triangles replace its triangles;
    /// [`Surface::compact`] drops the unused ones. Returns `false`, without a change, if the ring
    /// around the vertex cannot be filled.
    pub(crate) fn remove_vertex(&mut self, vertex: u32) -> bool {
        // The ring around the vertex, with the opposite half-edge of each of its edges.
        let mut ring: Vec<(u32, (u32, bool))> = Vec::new();
        let mut slots = Vec::new();
        let mut label: Option<Label> = None;
        let at_wall = self.around(vertex, |edge| {
            slots.push(edge / 3);
            let across = turn(edge, 1);
            ring.push((self.origin(across), self.side(across)));
            let own = self.labels[(edge / 3) as usize];
            label = Some(label.map_or(own, |label| label.merged(own)));
        });
        let Some(label) = label.filter(|_| !at_wall && ring.len() >= 3) else { return false };
        // If two triangles of the ring border each other, a new triangle would have no outer edge.
        if ring.iter().any(|(_, (twin, _))| *twin != NO_INDEX && slots.contains(&(twin / 3))) {
            return false;
        }
        let mut ears: Vec<[usize; 3]> = Vec::new();
        let mut left: Vec<usize> = (0..ring.len()).collect();
        let at = |index: usize| self.points[ring[index].0 as usize];
        while left.len() > 3 {
            let count = left.len();
            let ear =
                (0..count).find(|&tip| {
                    let ids = [left[(tip + count - 1) % count], left[tip], left[(tip + 1) % count]];
                    let [a, b, c] = ids.map(at);
                    side_of(a, b, c) > 0.0
                        && left.iter().filter(|index| !ids.contains(index)).map(|&index| at(index)).all(|p| {
                            side_of(a, b, p) < 0.0 || side_of(b, c, p) < 0.0 || side_of(c, a, p) < 0.0
                        })
                });
            let Some(tip) = ear else { return false };
            ears.push([left[(tip + count - 1) % count], left[tip], left[(tip + 1) % count]]);
            left.remove(tip);
        }
        let [a, b, c] = [left[0], left[1], left[2]];
        if side_of(at(a), at(b), at(c)) <= 0.0 {
            return false;
        }
        ears.push([a, b, c]);
        // The opposite half-edge of the edge from each ring vertex to the next remaining vertex.
        let mut across: Vec<(u32, bool)> = ring.iter().map(|&(_, side)| side).collect();
        for (index, (slot, &[a, b, c])) in slots.iter().zip(&ears).enumerate() {
            let last_side = if index + 1 == ears.len() { across[c] } else { (NO_INDEX, false) };
            let corners = [a, b, c].map(|index| ring[index].0);
            self.set(*slot, corners, [across[a], across[b], last_side], label);
            across[a] = (3 * slot + 2, false);
            self.suspects.extend([3 * slot, 3 * slot + 1, 3 * slot + 2]);
        }
        for &slot in &slots[ears.len()..] {
            self.triangles[slot as usize] = [NO_INDEX; 3];
            self.twins[3 * slot as usize..][..3].fill(NO_INDEX);
        }
        self.leaving[vertex as usize] = NO_INDEX;
        true
    }

    /// Drops unused triangles and vertices.
    pub(crate) fn compact(&mut self) {
        let mut renumbered = vec![NO_INDEX; self.triangles.len()];
        let mut count = 0;
        for (triangle, new) in renumbered.iter_mut().enumerate() {
            if self.triangles[triangle][0] != NO_INDEX {
                *new = count;
                count += 1;
            }
        }
        let (mut vertices, mut kept) = (vec![NO_INDEX; self.points.len()], 0);
        for (vertex, new) in vertices.iter_mut().enumerate() {
            if self.leaving[vertex] != NO_INDEX {
                *new = kept;
                let to = kept as usize;
                self.points[to] = self.points[vertex];
                self.heights[to] = self.heights[vertex];
                self.names[to] = self.names[vertex];
                let edge = self.leaving[vertex];
                self.leaving[to] = 3 * renumbered[(edge / 3) as usize] + edge % 3;
                kept += 1;
            }
        }
        self.leaving.truncate(kept as usize);
        self.points.truncate(kept as usize);
        self.heights.truncate(kept as usize);
        self.names.truncate(kept as usize);
        for triangle in 0..renumbered.len() {
            let to = renumbered[triangle];
            if to == NO_INDEX {
                continue;
            }
            self.triangles[to as usize] = self.triangles[triangle].map(|vertex| vertices[vertex as usize]);
            self.labels[to as usize] = self.labels[triangle];
            for side in 0..3 {
                let (from, into) = (3 * triangle + side, 3 * to as usize + side);
                let twin = self.twins[from];
                self.twins[into] =
                    if twin == NO_INDEX { NO_INDEX } else { 3 * renumbered[(twin / 3) as usize] + twin % 3 };
                self.fixed[into] = self.fixed[from];
            }
        }
        self.triangles.truncate(count as usize);
        self.labels.truncate(count as usize);
        self.twins.truncate(3 * count as usize);
        self.fixed.truncate(3 * count as usize);
        self.suspects.clear();
        self.changed.clear();
    }

    /// Walks straight from a vertex to a point. The walk crosses edges that are not fixed, or with
    /// `over_seams` all edges except walls.
    pub(crate) fn walk(&self, from: u32, to: Point, over_seams: bool) -> Location {
        let mut vertex = from;
        'from_vertex: loop {
            let here = self.points[vertex as usize];
            if distance_squared(here, to) <= 0.0 {
                return Location::Vertex(vertex);
            }
            // The triangle at the vertex whose sector holds the line, its first side included.
            let mut sector = NO_INDEX;
            self.around(vertex, |edge| {
                let [_, a, b] = self.corners_from(edge);
                let (first, second) = (side_of(here, a, to), side_of(here, b, to));
                if sector == NO_INDEX && first >= 0.0 && second < 0.0 {
                    sector = edge;
                } else if sector == NO_INDEX && second == 0.0 && ahead(here, b, to) {
                    sector = turn(edge, 2);
                }
            });
            if sector == NO_INDEX {
                return Location::Outside(vertex);
            }
            // The line follows an edge. One of its half-edges leaves the vertex, and the other
            // arrives.
            let arrives = self.origin(sector) != vertex;
            let tip = if arrives { self.origin(sector) } else { self.origin(turn(sector, 1)) };
            let tip_at = self.points[tip as usize];
            if arrives || side_of(here, tip_at, to) == 0.0 && ahead(here, tip_at, to) {
                if distance_squared(here, to) < distance_squared(here, tip_at) {
                    return Location::Edge(sector);
                }
                vertex = tip;
                continue;
            }
            // The line lies strictly inside the sector and leaves through the edge opposite to the
            // vertex.
            let mut edge = turn(sector, 1);
            loop {
                let [a, b, _] = self.corners_from(edge);
                let beyond = side_of(a, b, to);
                if beyond > 0.0 {
                    return Location::Triangle(edge / 3);
                }
                if beyond == 0.0 {
                    return Location::Edge(edge);
                }
                let twin = self.twins[edge as usize];
                if twin == NO_INDEX || !over_seams && self.fixed[edge as usize] {
                    return Location::Behind(edge);
                }
                // The side of the line on which the apex lies selects the next edge.
                let apex = self.start(turn(twin, 2));
                let side = side_of(here, to, apex);
                if side == 0.0 {
                    if distance_squared(here, to) < distance_squared(here, apex) {
                        return Location::Triangle(twin / 3);
                    }
                    vertex = self.origin(turn(twin, 2));
                    continue 'from_vertex;
                }
                edge = if side > 0.0 { turn(twin, 1) } else { turn(twin, 2) };
            }
        }
    }
}

/// Returns `true` if `tip` and `to`, which lie on a line with `here`, are on the same side of it.
fn ahead(here: Point, tip: Point, to: Point) -> bool {
    (tip[0] - here[0]) * (to[0] - here[0]) + (tip[1] - here[1]) * (to[1] - here[1]) > 0.0
}
