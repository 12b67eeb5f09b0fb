//! Convexity relaxation: removal of shallow notches from the triangles before the decomposition,
//! and their restoration in the polygons afterwards.

use waymesh_core::{PlanPoint, Triangle, TriangleId, Triangulation, VertexId, to_u32};

use crate::faces::Faces;
use crate::measure::distance_squared;
use crate::portal_mesh::{next, prev};
use crate::subdivision::{NO_INDEX, Side, Subdivision};

/// A straight wall that replaces a chain of walls with shallow notches.
#[derive(Clone, Debug)]
struct Shortcut {
    ends: [u32; 2],
    /// The omitted vertices, in order.
    between: Vec<u32>,
    /// The walls that start at the omitted vertices.
    walls: Vec<u32>,
}

/// Triangles without the shallow notches, which reach slightly into the walls.
#[derive(Debug)]
pub(crate) struct Relaxed {
    pub(crate) triangulation: Triangulation,
    /// Shortcuts, sorted by their ends.
    shortcuts: Vec<Shortcut>,
}

impl Relaxed {
    /// Straightens walls along chains of notches, so that no vertex is farther than `distance`
    /// cells from the new wall. Vertices where walls marked in `kept` start are kept.
    pub(crate) fn new(
        triangulation: &Triangulation,
        faces: &Faces<'_>,
        distance: f64,
        kept: &[bool],
    ) -> Self {
        let mut shortener = Shortener::new(triangulation, faces);
        shortener.run(distance, kept);
        shortener.finish()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.shortcuts.is_empty()
    }

    fn shortcut(&self, subdivision: &Subdivision<'_>, side: u32) -> Option<&Shortcut> {
        let Side { origin, twin, next, .. } = *subdivision.side(side);
        if next == NO_INDEX || twin != NO_INDEX {
            return None;
        }
        let ends = [origin, subdivision.side(next).origin];
        let found = self.shortcuts.binary_search_by_key(&ends, |shortcut| shortcut.ends).ok()?;
        Some(&self.shortcuts[found])
    }

    /// Returns the walls of shortcuts with a vertex that does not lie inside the polygon of the
    /// shortcut, because a portal cuts the notch off.
    pub(crate) fn cut_off<'s>(&'s self, subdivision: &'s Subdivision<'_>) -> impl Iterator<Item = u32> + 's {
        (0..to_u32(subdivision.sides.len()))
            .filter_map(|side| Some((side, self.shortcut(subdivision, side)?)))
            .flat_map(|(side, shortcut)| {
                let inside = subdivision
                    .around(subdivision.side(side).polygon)
                    .filter(|&other| other != side)
                    .all(|other| {
                        let [from, to] =
                            [other, subdivision.side(other).next].map(|side| subdivision.point(side));
                        let turn = |&v: &u32| PlanPoint::orientation(from, to, subdivision.point_of(v));
                        shortcut.between.iter().all(|vertex| turn(vertex) > 0)
                    });
                shortcut.walls.iter().copied().filter(move |_| !inside)
            })
    }

    /// Puts the omitted vertices back into the polygons.
    pub(crate) fn restore(&self, subdivision: &mut Subdivision<'_>) {
        for side in 0..to_u32(subdivision.sides.len()) {
            let Some(shortcut) = self.shortcut(subdivision, side) else { continue };
            let Side { mut next, polygon, .. } = *subdivision.side(side);
            for &vertex in shortcut.between.iter().rev() {
                let new = subdivision.new_side(vertex);
                subdivision.sides[new as usize] =
                    Side { next, prev: side, polygon, ..*subdivision.side(new) };
                subdivision.sides[next as usize].prev = new;
                next = new;
            }
            subdivision.sides[side as usize].next = next;
            subdivision.polygons[polygon as usize].len += to_u32(shortcut.between.len());
        }
    }
}

/// An edge of the hole that remains when the triangles around a vertex are removed.
#[derive(Clone, Copy, Debug)]
struct RingEdge {
    origin: u32,
    twin: u32,
    wall: u32,
}

/// The other side of an edge of a new triangle: an edge of the ring, or the last side of another
/// new triangle.
#[derive(Clone, Copy, Debug)]
enum Across {
    Ring(usize),
    Triangle(usize),
}

/// A triangulation from which vertices on walls are removed. Walls are named by their original
/// half-edges.
struct Shortener<'a> {
    triangulation: &'a Triangulation,
    origins: Vec<u32>,
    twins: Vec<u32>,
    inner: Vec<bool>,
    /// For each half-edge, its wall.
    walls: Vec<u32>,
    /// For each wall, its half-edge; [`NO_INDEX`] if the wall was removed.
    edges: Vec<u32>,
    /// For each wall, the previous and the next wall along the border of one region and area.
    before: Vec<u32>,
    after: Vec<u32>,
    gone: Vec<bool>,
    shortcuts: Vec<Shortcut>,
}

impl<'a> Shortener<'a> {
    fn new(triangulation: &'a Triangulation, faces: &Faces<'_>) -> Self {
        let count = 3 * triangulation.triangles.len();
        let edges: Vec<u32> = (0..to_u32(count)).collect();
        let twins: Vec<u32> = edges.iter().map(|&edge| faces.twin(edge)).collect();
        let inner: Vec<bool> = edges.iter().map(|&edge| faces.is_inner(edge)).collect();
        let walls: Vec<u32> = edges
            .iter()
            .map(|&edge| if twins[edge as usize] == NO_INDEX { edge } else { NO_INDEX })
            .collect();
        let origins =
            triangulation.triangles.iter().flat_map(|triangle| triangle.vertices.map(|v| v.0)).collect();
        let (mut before, mut after) = (vec![NO_INDEX; count], vec![NO_INDEX; count]);
        for &leaving in edges.iter().filter(|&&edge| twins[edge as usize] == NO_INDEX) {
            let mut arriving = prev(leaving);
            // Every step enters a new triangle around the vertex, and never returns to the wall.
            while inner[arriving as usize] {
                arriving = prev(twins[arriving as usize]);
            }
            if twins[arriving as usize] == NO_INDEX {
                before[leaving as usize] = arriving;
                after[arriving as usize] = leaving;
            }
        }
        let gone = vec![false; triangulation.triangles.len()];
        Self {
            triangulation,
            origins,
            twins,
            inner,
            walls,
            edges,
            before,
            after,
            gone,
            shortcuts: Vec::new(),
        }
    }

    fn point(&self, vertex: u32) -> PlanPoint {
        self.triangulation.vertices[vertex as usize].point
    }

    /// Returns the vertex at which a wall starts.
    fn start(&self, wall: u32) -> u32 {
        self.origins[self.edges[wall as usize] as usize]
    }

    /// Returns the orientation of the corner at which a wall starts: negative at a notch, positive
    /// where the border meets another region.
    fn turn(&self, wall: u32) -> i64 {
        let [before, after] = [self.before[wall as usize], self.after[wall as usize]];
        if before == NO_INDEX || after == NO_INDEX {
            return 1;
        }
        let [a, b, c] = [before, wall, after].map(|wall| self.point(self.start(wall)));
        PlanPoint::orientation(a, b, c)
    }

    fn run(&mut self, distance: f64, kept: &[bool]) {
        let walls: Vec<u32> =
            (0..to_u32(self.walls.len())).filter(|&edge| self.walls[edge as usize] == edge).collect();
        let mut shallow = vec![false; self.walls.len()];
        for &wall in &walls {
            shallow[wall as usize] = self.turn(wall) <= 0 && !kept[wall as usize];
        }
        let mut done = vec![false; self.walls.len()];
        let mut chain = Vec::new();
        for &wall in &walls {
            if done[wall as usize] || !shallow[wall as usize] {
                continue;
            }
            // Walks back to the start of the chain, or once around a pillar.
            let mut first = wall;
            loop {
                first = self.before[first as usize];
                if !shallow[first as usize] || first == wall {
                    break;
                }
            }
            chain.clear();
            chain.push(first);
            loop {
                let at = self.after[chain[chain.len() - 1] as usize];
                chain.push(at);
                if at == first || !shallow[at as usize] {
                    break;
                }
                done[at as usize] = true;
            }
            done[first as usize] |= shallow[first as usize];
            if chain[1..chain.len() - 1].iter().any(|&wall| self.turn(wall) < 0) {
                self.straighten(&chain, distance);
            }
        }
    }

    /// Simplifies a chain of notches between its ends, which are kept. `chain` holds the walls that
    /// start at its vertices.
    fn straighten(&mut self, chain: &[u32], distance: f64) {
        let points: Vec<PlanPoint> = chain.iter().map(|&wall| self.point(self.start(wall))).collect();
        let last = points.len() - 1;
        let mut stays = vec![false; points.len()];
        (stays[0], stays[last]) = (true, true);
        if chain[0] == chain[last] {
            // A pillar keeps at least three corners.
            let far = farthest(&points, 0, last);
            stays[far.0] = true;
            let third = [(0, far.0), (far.0, last)].map(|(from, to)| farthest(&points, from, to));
            stays[if third[0].1 > third[1].1 { third[0].0 } else { third[1].0 }] = true;
        }
        simplify(&points, distance, &mut stays);
        // A chord must not turn the corner at its start or end into a notch.
        let [before, after] = [self.before[chain[0] as usize], self.after[chain[last] as usize]];
        let is_corner = |wall: u32| self.turn(wall) >= 0;
        let bends = |a: Option<PlanPoint>, b: PlanPoint, c: Option<PlanPoint>| match (a, c) {
            (Some(a), Some(c)) => PlanPoint::orientation(a, b, c) < 0,
            _ => true,
        };
        let next_stay = (1..=last).find(|&at| stays[at]).map(|at| points[at]);
        let start = (before != NO_INDEX).then(|| self.point(self.start(before)));
        if is_corner(chain[0]) && bends(start, points[0], next_stay) {
            stays[1] = true;
        }
        let last_stay = (0..last).rfind(|&at| stays[at]).map(|at| points[at]);
        let end = (after != NO_INDEX).then(|| self.point(self.start(after)));
        if is_corner(chain[last]) && bends(last_stay, points[last], end) {
            stays[last - 1] = true;
        }
        simplify(&points, distance, &mut stays);
        let mut from = 0;
        for at in 1..=last {
            if !stays[at] && self.take_out(chain[from], chain[at]) {
                let vertex =
                    self.triangulation.triangles[chain[at] as usize / 3].vertices[chain[at] as usize % 3].0;
                match self.shortcuts.last_mut() {
                    Some(shortcut) if shortcut.ends[1] == NO_INDEX => {
                        shortcut.between.push(vertex);
                        shortcut.walls.push(chain[at]);
                    }
                    _ => self.shortcuts.push(Shortcut {
                        ends: [self.start(chain[from]), NO_INDEX],
                        between: vec![vertex],
                        walls: vec![chain[at]],
                    }),
                }
            } else {
                if from + 1 < at
                    && let Some(shortcut) = self.shortcuts.last_mut()
                {
                    shortcut.ends[1] = self.origins[self.edges[chain[at] as usize] as usize];
                }
                from = at;
            }
        }
    }

    /// Removes the vertex between two walls: the first wall is extended to the end of the second.
    /// Returns `false`, without a change, if triangles overlap.
    fn take_out(&mut self, before: u32, wall: u32) -> bool {
        let mut leaving = self.edges[wall as usize];
        let hub = self.origins[leaving as usize];
        let (mut fan, mut ring) = (Vec::new(), Vec::new());
        loop {
            fan.push(leaving / 3);
            let outer = next(leaving) as usize;
            ring.push(RingEdge {
                origin: self.origins[outer],
                twin: self.twins[outer],
                wall: self.walls[outer],
            });
            let arriving = prev(leaving);
            if arriving == self.edges[before as usize] {
                break;
            }
            if !self.inner[arriving as usize] {
                return false;
            }
            leaving = self.twins[arriving as usize];
        }
        let start = self.origins[self.edges[before as usize] as usize];
        ring.push(RingEdge { origin: start, twin: NO_INDEX, wall: before });
        fan.sort_unstable();
        let folded = |edge: &RingEdge| edge.twin != NO_INDEX && fan.binary_search(&(edge.twin / 3)).is_ok();
        if ring.iter().any(folded) {
            return false;
        }
        let Some(triangles) = self.fill(self.point(hub), &ring) else { return false };
        let inner: Vec<bool> =
            ring.iter().map(|edge| edge.twin != NO_INDEX && self.inner[edge.twin as usize]).collect();
        for (at, &triangle) in triangles.iter().zip(&fan) {
            for (side, (origin, across)) in (0..).zip(at.iter().copied()) {
                let edge = 3 * triangle + side;
                self.origins[edge as usize] = origin;
                let (twin, inner, wall) = match across {
                    Some(Across::Ring(at)) => (ring[at].twin, inner[at], ring[at].wall),
                    Some(Across::Triangle(other)) => (3 * fan[other] + 2, true, NO_INDEX),
                    // The later triangle on the other side sets it.
                    None => continue,
                };
                self.twins[edge as usize] = twin;
                self.inner[edge as usize] = inner;
                self.walls[edge as usize] = wall;
                if twin != NO_INDEX {
                    self.twins[twin as usize] = edge;
                    self.inner[twin as usize] = inner;
                }
                if let Some(Across::Triangle(other)) = across {
                    self.walls[(3 * fan[other] + 2) as usize] = NO_INDEX;
                }
                if wall != NO_INDEX {
                    self.edges[wall as usize] = edge;
                }
            }
        }
        for &triangle in &fan[triangles.len()..] {
            self.gone[triangle as usize] = true;
        }
        self.edges[wall as usize] = NO_INDEX;
        let after = self.after[wall as usize];
        self.after[before as usize] = after;
        self.before[after as usize] = before;
        true
    }

    /// Triangulates a ring that is completely visible from `hub`. A corner can be cut off if its
    /// neighbours are less than half a turn apart, seen from `hub` (Devillers 2002, On deletion in
    /// Delaunay triangulations).
    #[expect(clippy::type_complexity, reason = "three corners, and what is across the side that each starts")]
    fn fill(&self, hub: PlanPoint, ring: &[RingEdge]) -> Option<Vec<[(u32, Option<Across>); 3]>> {
        let mut left: Vec<(u32, Across)> =
            ring.iter().enumerate().map(|(at, edge)| (edge.origin, Across::Ring(at))).collect();
        let mut triangles = Vec::with_capacity(ring.len());
        let (mut at, mut kept) = (0, 0);
        while left.len() > 3 {
            let count = left.len();
            let [before, tip, after] = [at + count - 1, at, at + 1].map(|at| at % count);
            let [a, b, c] = [before, tip, after].map(|at| self.point(left[at].0));
            if PlanPoint::orientation(a, b, c) > 0 && PlanPoint::orientation(hub, a, c) >= 0 {
                let corner = |at: usize| (left[at].0, Some(left[at].1));
                triangles.push([corner(before), corner(tip), (left[after].0, None)]);
                left[before].1 = Across::Triangle(triangles.len() - 1);
                left.remove(tip);
                at = if tip == 0 { 0 } else { before };
                kept = 0;
            } else {
                at = after;
                kept += 1;
                if kept > count {
                    return None;
                }
            }
        }
        let [a, b, c] = left[..] else { return None };
        let [x, y, z] = [a, b, c].map(|corner| self.point(corner.0));
        triangles.push([a, b, c].map(|(origin, across)| (origin, Some(across))));
        (PlanPoint::orientation(x, y, z) > 0).then_some(triangles)
    }

    fn finish(mut self) -> Relaxed {
        let mut ids = Vec::with_capacity(self.gone.len());
        let mut count = 0;
        for &gone in &self.gone {
            ids.push(TriangleId(count));
            count += u32::from(!gone);
        }
        let triangles = (0..self.gone.len())
            .filter(|&triangle| !self.gone[triangle])
            .map(|triangle| Triangle {
                vertices: [0, 1, 2].map(|side| VertexId(self.origins[3 * triangle + side])),
                neighbours: [0, 1, 2].map(|side| {
                    let twin = self.twins[3 * triangle + side];
                    (twin != NO_INDEX).then(|| ids[twin as usize / 3])
                }),
                ..self.triangulation.triangles[triangle]
            })
            .collect();
        let Triangulation { frame, ref vertices, .. } = *self.triangulation;
        self.shortcuts.sort_unstable_by_key(|shortcut| shortcut.ends);
        let triangulation = Triangulation { frame, vertices: vertices.clone(), triangles };
        Relaxed { triangulation, shortcuts: self.shortcuts }
    }
}

/// Returns the point of a chain between two others that is farthest from their segment, and its
/// squared distance.
fn farthest(points: &[PlanPoint], from: usize, to: usize) -> (usize, f64) {
    let distance = |at: usize| {
        if points[from] == points[to] {
            // In a closed chain, the distance is taken from the point itself.
            let [x, z] = crate::measure::offset(points[from], points[at]);
            return x * x + z * z;
        }
        distance_squared(points[at], points[from], points[to])
    };
    (from + 1..to)
        .map(|at| (at, distance(at)))
        .fold((from, 0.0), |best, next| if next.1 > best.1 { next } else { best })
}

/// Marks further points to keep between those already marked (Douglas and Peucker 1973).
fn simplify(points: &[PlanPoint], distance: f64, stays: &mut [bool]) {
    let fixed: Vec<usize> = (0..points.len()).filter(|&at| stays[at]).collect();
    let mut stack: Vec<(usize, usize)> = fixed.windows(2).map(|pair| (pair[0], pair[1])).collect();
    while let Some((from, to)) = stack.pop() {
        let (at, squared) = farthest(points, from, to);
        if at != from && squared > distance * distance {
            stays[at] = true;
            stack.extend([(from, at), (at, to)]);
        }
    }
}
