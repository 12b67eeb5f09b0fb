//! Notches so shallow that they are overlooked: out of the triangles before they are decomposed,
//! back in the polygons afterwards.

use waymesh_core::{PlanPoint, Triangle, TriangleId, Triangulation, VertexId};

use crate::faces::Faces;
use crate::measure::distance_squared;
use crate::portal_mesh::{next, prev};
use crate::subdivision::{NONE, Side, Subdivision, index};

/// A wall, straight from one vertex to another, in place of one with shallow notches.
#[derive(Clone, Debug)]
struct Shortcut {
    ends: [u32; 2],
    /// The vertices left out, in order.
    between: Vec<u32>,
    /// The walls that leave them.
    walls: Vec<u32>,
}

/// Triangles without the notches that are overlooked. They reach into the walls a little.
#[derive(Debug)]
pub(crate) struct Relaxed {
    pub(crate) triangulation: Triangulation,
    /// By their ends.
    shortcuts: Vec<Shortcut>,
}

impl Relaxed {
    /// Straightens walls along strings of notches, so that no vertex is farther than `distance`
    /// polygons from the wall. The vertices that walls marked in `kept` leave stay.
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

    fn shortcut(&self, polygons: &Subdivision<'_>, side: u32) -> Option<&Shortcut> {
        let Side { origin, twin, next, .. } = *polygons.side(side);
        if next == NONE || twin != NONE {
            return None;
        }
        let ends = [origin, polygons.side(next).origin];
        let found = self.shortcuts.binary_search_by_key(&ends, |shortcut| shortcut.ends).ok()?;
        Some(&self.shortcuts[found])
    }

    /// The walls that leave vertices which do not lie inside the polygon that has their shortcut: a
    /// portal cuts the notch off. With all vertices of that shortcut.
    pub(crate) fn cut_off<'s>(&'s self, polygons: &'s Subdivision<'_>) -> impl Iterator<Item = u32> + 's {
        (0..index(polygons.sides.len()))
            .filter_map(|side| Some((side, self.shortcut(polygons, side)?)))
            .flat_map(|(side, shortcut)| {
                let inside = polygons.around(polygons.side(side).polygon).filter(|&other| other != side).all(
                    |other| {
                        let [from, to] = [other, polygons.side(other).next].map(|side| polygons.point(side));
                        let turn = |&v: &u32| PlanPoint::orientation(from, to, polygons.point_of(v));
                        shortcut.between.iter().all(|vertex| turn(vertex) > 0)
                    },
                );
                shortcut.walls.iter().copied().filter(move |_| !inside)
            })
    }

    /// Puts the vertices left out back into the polygons.
    pub(crate) fn restore(&self, polygons: &mut Subdivision<'_>) {
        for side in 0..index(polygons.sides.len()) {
            let Some(shortcut) = self.shortcut(polygons, side) else { continue };
            let Side { mut next, polygon, .. } = *polygons.side(side);
            for &vertex in shortcut.between.iter().rev() {
                let new = polygons.new_side(vertex);
                polygons.sides[new as usize] = Side { next, prev: side, polygon, ..*polygons.side(new) };
                polygons.sides[next as usize].prev = new;
                next = new;
            }
            polygons.sides[side as usize].next = next;
            polygons.polygons[polygon as usize].len += index(shortcut.between.len());
        }
    }
}

/// An edge of the polygon that is left when the triangles around a vertex are gone.
#[derive(Clone, Copy, Debug)]
struct RingEdge {
    origin: u32,
    twin: u32,
    wall: u32,
}

/// What is across a side of a new triangle: an edge of the ring, or the last side of another new
/// one.
#[derive(Clone, Copy, Debug)]
enum Across {
    Ring(usize),
    Triangle(usize),
}

/// Triangles that vertices on walls are taken out of. Walls are named by the half-edges they first
/// were.
struct Shortener<'a> {
    triangulation: &'a Triangulation,
    origins: Vec<u32>,
    twins: Vec<u32>,
    inner: Vec<bool>,
    /// Per half-edge, its wall.
    walls: Vec<u32>,
    /// Per wall, its half-edge; [`NONE`] if there is no such wall any more.
    edges: Vec<u32>,
    /// Per wall, the one before and the one after it along the border of one region and area.
    before: Vec<u32>,
    after: Vec<u32>,
    gone: Vec<bool>,
    shortcuts: Vec<Shortcut>,
}

impl<'a> Shortener<'a> {
    fn new(triangulation: &'a Triangulation, faces: &Faces<'_>) -> Self {
        let count = 3 * triangulation.triangles.len();
        let edges: Vec<u32> = (0..index(count)).collect();
        let twins: Vec<u32> = edges.iter().map(|&edge| faces.twin(edge)).collect();
        let inner: Vec<bool> = edges.iter().map(|&edge| faces.is_inner(edge)).collect();
        let walls: Vec<u32> =
            edges.iter().map(|&edge| if twins[edge as usize] == NONE { edge } else { NONE }).collect();
        let origins =
            triangulation.triangles.iter().flat_map(|triangle| triangle.vertices.map(|v| v.0)).collect();
        let (mut before, mut after) = (vec![NONE; count], vec![NONE; count]);
        for &leaving in edges.iter().filter(|&&edge| twins[edge as usize] == NONE) {
            let mut arriving = prev(leaving);
            // Every step leads to another triangle around the vertex, and never back to the wall.
            while inner[arriving as usize] {
                arriving = prev(twins[arriving as usize]);
            }
            if twins[arriving as usize] == NONE {
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

    /// The vertex that a wall leaves.
    fn start(&self, wall: u32) -> u32 {
        self.origins[self.edges[wall as usize] as usize]
    }

    /// How the border turns where a wall leaves: negative at a notch. Positive where it meets
    /// another region.
    fn turn(&self, wall: u32) -> i64 {
        let [before, after] = [self.before[wall as usize], self.after[wall as usize]];
        if before == NONE || after == NONE {
            return 1;
        }
        let [a, b, c] = [before, wall, after].map(|wall| self.point(self.start(wall)));
        PlanPoint::orientation(a, b, c)
    }

    fn run(&mut self, distance: f64, kept: &[bool]) {
        let walls: Vec<u32> =
            (0..index(self.walls.len())).filter(|&edge| self.walls[edge as usize] == edge).collect();
        let mut shallow = vec![false; self.walls.len()];
        for &wall in &walls {
            shallow[wall as usize] = self.turn(wall) <= 0 && !kept[wall as usize];
        }
        let mut done = vec![false; self.walls.len()];
        let mut string = Vec::new();
        for &wall in &walls {
            if done[wall as usize] || !shallow[wall as usize] {
                continue;
            }
            // Back to the start of the string, or once round a pillar.
            let mut first = wall;
            loop {
                first = self.before[first as usize];
                if !shallow[first as usize] || first == wall {
                    break;
                }
            }
            string.clear();
            string.push(first);
            loop {
                let at = self.after[string[string.len() - 1] as usize];
                string.push(at);
                if at == first || !shallow[at as usize] {
                    break;
                }
                done[at as usize] = true;
            }
            done[first as usize] |= shallow[first as usize];
            if string[1..string.len() - 1].iter().any(|&wall| self.turn(wall) < 0) {
                self.straighten(&string, distance);
            }
        }
    }

    /// Simplifies a string of notches between its ends, which stay: walls by the vertices they
    /// leave.
    fn straighten(&mut self, string: &[u32], distance: f64) {
        let points: Vec<PlanPoint> = string.iter().map(|&wall| self.point(self.start(wall))).collect();
        let last = points.len() - 1;
        let mut stays = vec![false; points.len()];
        (stays[0], stays[last]) = (true, true);
        if string[0] == string[last] {
            // A pillar keeps three corners.
            let far = farthest(&points, 0, last);
            stays[far.0] = true;
            let third = [(0, far.0), (far.0, last)].map(|(from, to)| farthest(&points, from, to));
            stays[if third[0].1 > third[1].1 { third[0].0 } else { third[1].0 }] = true;
        }
        simplify(&points, distance, &mut stays);
        // A chord must not make a notch of the corner where it starts or ends.
        let [before, after] = [self.before[string[0] as usize], self.after[string[last] as usize]];
        let is_corner = |wall: u32| self.turn(wall) >= 0;
        let bends = |a: Option<PlanPoint>, b: PlanPoint, c: Option<PlanPoint>| match (a, c) {
            (Some(a), Some(c)) => PlanPoint::orientation(a, b, c) < 0,
            _ => true,
        };
        let next_stay = (1..=last).find(|&at| stays[at]).map(|at| points[at]);
        let start = (before != NONE).then(|| self.point(self.start(before)));
        if is_corner(string[0]) && bends(start, points[0], next_stay) {
            stays[1] = true;
        }
        let last_stay = (0..last).rfind(|&at| stays[at]).map(|at| points[at]);
        let end = (after != NONE).then(|| self.point(self.start(after)));
        if is_corner(string[last]) && bends(last_stay, points[last], end) {
            stays[last - 1] = true;
        }
        simplify(&points, distance, &mut stays);
        let mut from = 0;
        for at in 1..=last {
            if !stays[at] && self.take_out(string[from], string[at]) {
                let vertex =
                    self.triangulation.triangles[string[at] as usize / 3].vertices[string[at] as usize % 3].0;
                match self.shortcuts.last_mut() {
                    Some(shortcut) if shortcut.ends[1] == NONE => {
                        shortcut.between.push(vertex);
                        shortcut.walls.push(string[at]);
                    }
                    _ => self.shortcuts.push(Shortcut {
                        ends: [self.start(string[from]), NONE],
                        between: vec![vertex],
                        walls: vec![string[at]],
                    }),
                }
            } else {
                if from + 1 < at
                    && let Some(shortcut) = self.shortcuts.last_mut()
                {
                    shortcut.ends[1] = self.origins[self.edges[string[at] as usize] as usize];
                }
                from = at;
            }
        }
    }

    /// Takes the vertex between two walls out: the first then goes on to the end of the second.
    /// Fails, and changes nothing, where triangles overlap.
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
        ring.push(RingEdge { origin: start, twin: NONE, wall: before });
        fan.sort_unstable();
        let folded = |edge: &RingEdge| edge.twin != NONE && fan.binary_search(&(edge.twin / 3)).is_ok();
        if ring.iter().any(folded) {
            return false;
        }
        let Some(triangles) = self.fill(self.point(hub), &ring) else { return false };
        let inner: Vec<bool> =
            ring.iter().map(|edge| edge.twin != NONE && self.inner[edge.twin as usize]).collect();
        for (at, &triangle) in triangles.iter().zip(&fan) {
            for (side, (origin, across)) in (0..).zip(at.iter().copied()) {
                let edge = 3 * triangle + side;
                self.origins[edge as usize] = origin;
                let (twin, inner, wall) = match across {
                    Some(Across::Ring(at)) => (ring[at].twin, inner[at], ring[at].wall),
                    Some(Across::Triangle(other)) => (3 * fan[other] + 2, true, NONE),
                    // Whoever has it across sets it: later triangles only.
                    None => continue,
                };
                self.twins[edge as usize] = twin;
                self.inner[edge as usize] = inner;
                self.walls[edge as usize] = wall;
                if twin != NONE {
                    self.twins[twin as usize] = edge;
                    self.inner[twin as usize] = inner;
                }
                if let Some(Across::Triangle(other)) = across {
                    self.walls[(3 * fan[other] + 2) as usize] = NONE;
                }
                if wall != NONE {
                    self.edges[wall as usize] = edge;
                }
            }
        }
        for &triangle in &fan[triangles.len()..] {
            self.gone[triangle as usize] = true;
        }
        self.edges[wall as usize] = NONE;
        let after = self.after[wall as usize];
        self.after[before as usize] = after;
        self.before[after as usize] = before;
        true
    }

    /// Triangles of a ring that is seen from `hub` all around: a corner can be cut off where the
    /// two beside it are less than half a turn apart (Devillers 2002, On deletion in Delaunay
    /// triangulations).
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
                    (twin != NONE).then(|| ids[twin as usize / 3])
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

/// The point between two others of a chain that is farthest from the line between them, and the
/// square of its distance.
fn farthest(points: &[PlanPoint], from: usize, to: usize) -> (usize, f64) {
    let distance = |at: usize| {
        if points[from] == points[to] {
            // A closed chain: from the point itself.
            let [x, z] = crate::measure::offset(points[from], points[at]);
            return x * x + z * z;
        }
        distance_squared(points[at], points[from], points[to])
    };
    (from + 1..to)
        .map(|at| (at, distance(at)))
        .fold((from, 0.0), |best, next| if next.1 > best.1 { next } else { best })
}

/// Marks what stays between the points that stay already (Douglas and Peucker 1973).
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
