//! A triangle mesh whose edges can be replaced by portals, and visibility through it.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use waymesh_core::{PlanPoint, Triangle, TriangleId, Triangulation, VertexId, checkpoint_every, to_u32};

use crate::measure::{NARROW, distance_squared, is_narrow, offset};
use crate::notch_search::{EdgeRow, NotchRow, NotchTables};
use crate::subdivision::NO_INDEX;

/// Largest number of edges that one portal may replace.
const MOST_CROSSED: usize = 256;

/// One side of an edge: half-edge `3 t + i` leaves corner `i` of triangle `t`.
#[derive(Clone, Copy, Debug)]
struct Edge {
    origin: u32,
    twin: u32,
    /// `true` for a border of the region and area, and for a portal. A fixed edge must not be
    /// crossed.
    fixed: bool,
    /// The notch that begins with this edge, or [`NO_INDEX`].
    notch: u32,
}

/// A vertex where the border turns right.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Notch {
    /// The border edge that leaves the notch.
    leaving: u32,
    /// `false` once the notch is known to need no more portals.
    open: bool,
    pub(crate) vertex: u32,
    /// Next notch at the same vertex.
    next: u32,
    before: PlanPoint,
    after: PlanPoint,
}

/// A limit of a view.
#[derive(Clone, Copy, Debug)]
enum Limit {
    /// The direction to a point, which is not itself in the view.
    Point(PlanPoint),
    /// The line from this point through the eye, continued beyond it. Points on it are in the view.
    Behind(PlanPoint),
}

/// The visible part of the triangle beyond an edge.
#[derive(Clone, Copy, Debug)]
struct View {
    /// Squared distance to the edge.
    distance: f64,
    entry: u32,
    low: Limit,
    high: Limit,
}

impl PartialEq for View {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for View {}
impl PartialOrd for View {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for View {
    fn cmp(&self, other: &Self) -> Ordering {
        self.distance.total_cmp(&other.distance).then(self.entry.cmp(&other.entry))
    }
}

/// A vertex seen from a notch, in its area of interest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) vertex: u32,
    /// Squared distance, multiplied if the portal would leave a narrow angle.
    pub(crate) cost: f64,
}

/// Part of a chain of edges around a hole in the triangles.
#[derive(Clone, Copy, Debug)]
struct Link {
    vertex: u32,
    /// The edge from the next vertex of the chain to this one, before the exchange.
    outer: Edge,
    old: u32,
    new: u32,
}

/// Triangles with portals.
#[derive(Debug)]
pub(crate) struct PortalMesh<'a> {
    triangulation: &'a Triangulation,
    edges: Vec<Edge>,
    pub(crate) notches: Vec<Notch>,
    /// For each vertex, its first notch.
    notch_at: Vec<u32>,
    views: BinaryHeap<Reverse<View>>,
    crossed: Vec<u32>,
    free: Vec<u32>,
    upper: Vec<Link>,
    lower: Vec<Link>,
    stack: Vec<(u32, u32)>,
    /// For each triangle `true` if it or one of its edges has changed; empty before
    /// [`PortalMesh::note_changes`].
    changed: Vec<bool>,
}

impl<'a> PortalMesh<'a> {
    /// Creates the mesh of triangles that have been checked. `twins` returns the opposite
    /// half-edge, and `true` if it has the same region and area.
    pub(crate) fn new(triangulation: &'a Triangulation, twins: impl Fn(u32) -> (u32, bool)) -> Self {
        let count = 3 * triangulation.triangles.len();
        let mut edges = Vec::with_capacity(count);
        for at in 0..to_u32(count) {
            let (twin, inner) = twins(at);
            let origin = triangulation.triangles[at as usize / 3].vertices[at as usize % 3].0;
            edges.push(Edge { origin, twin, fixed: !inner, notch: NO_INDEX });
        }
        let mut mesh = Self {
            triangulation,
            edges,
            notches: Vec::new(),
            notch_at: vec![NO_INDEX; triangulation.vertices.len()],
            views: BinaryHeap::new(),
            crossed: Vec::new(),
            free: Vec::new(),
            upper: Vec::new(),
            lower: Vec::new(),
            stack: Vec::new(),
            changed: Vec::new(),
        };
        mesh.find_notches();
        mesh
    }

    fn find_notches(&mut self) {
        for leaving in 0..to_u32(self.edges.len()) {
            checkpoint_every(1 << 12, leaving as usize);
            if !self.edge(leaving).fixed {
                continue;
            }
            let arriving = self.wedge_end(leaving);
            let vertex = self.edge(leaving).origin;
            let (before, point, after) =
                (self.point(arriving), self.vertex_point(vertex), self.point(next(leaving)));
            if PlanPoint::orientation(before, point, after) < 0 {
                let notch = to_u32(self.notches.len());
                let next = std::mem::replace(&mut self.notch_at[vertex as usize], notch);
                self.notches.push(Notch { leaving, open: true, vertex, next, before, after });
                self.edges[leaving as usize].notch = notch;
            }
        }
    }

    /// Returns the fixed edge that arrives at the origin of a fixed edge, at the other end of the
    /// fan of triangles there.
    fn wedge_end(&self, leaving: u32) -> u32 {
        let mut arriving = prev(leaving);
        // Every step enters a new triangle, never the first one, whose edge is fixed.
        while !self.edge(arriving).fixed {
            arriving = prev(self.edge(arriving).twin);
        }
        arriving
    }

    fn edge(&self, edge: u32) -> &Edge {
        &self.edges[edge as usize]
    }

    fn vertex_point(&self, vertex: u32) -> PlanPoint {
        self.triangulation.vertices[vertex as usize].point
    }

    fn point(&self, edge: u32) -> PlanPoint {
        self.vertex_point(self.edge(edge).origin)
    }

    /// Returns the fixed edges, leaving and arriving, of the first sector of a notch that is still
    /// reflex.
    fn open_wedge(&self, notch: u32) -> Option<(u32, u32)> {
        let mut leaving = self.notches[notch as usize].leaving;
        loop {
            let arriving = self.wedge_end(leaving);
            let eye = self.point(leaving);
            if PlanPoint::orientation(self.point(arriving), eye, self.point(next(leaving))) < 0 {
                return Some((leaving, arriving));
            }
            let twin = self.edge(arriving).twin;
            // The last fixed edge is the border.
            if twin == NO_INDEX || twin == self.notches[notch as usize].leaving || !self.is_portal(arriving) {
                return None;
            }
            leaving = twin;
        }
    }

    /// Returns `true` if a fixed half-edge is a portal, with the same region and area on both
    /// sides.
    fn is_portal(&self, edge: u32) -> bool {
        let twin = self.edge(edge).twin;
        twin != NO_INDEX && {
            let [a, b] = [edge, twin].map(|edge| &self.triangulation.triangles[edge as usize / 3]);
            (a.region, a.area) == (b.region, b.area)
        }
    }

    /// Returns the sharpness of a notch, which is larger for sharper notches. It is for comparison
    /// only.
    pub(crate) fn sharpness(&self, notch: u32) -> f64 {
        let Notch { vertex, before, after, .. } = self.notches[notch as usize];
        let point = self.vertex_point(vertex);
        let ([x, z], [u, w]) = (offset(point, before), offset(point, after));
        // Cosine of the outer angle: 1 for a spike, -1 for a straight border.
        (x * u + z * w)
            / ((point.distance_squared(before) as f64).sqrt() * (point.distance_squared(after) as f64).sqrt())
    }

    /// Returns a notch at `vertex` that has the vertex `eye` in its area of interest.
    pub(crate) fn notch_towards(&self, vertex: u32, eye: u32) -> Option<u32> {
        let to = self.vertex_point(eye);
        let mut notch = self.notch_at[vertex as usize];
        while notch != NO_INDEX {
            let Notch { before, after, next, .. } = self.notches[notch as usize];
            let point = self.vertex_point(vertex);
            if PlanPoint::orientation(before, point, to) >= 0
                && PlanPoint::orientation(point, after, to) >= 0
                && to != point
            {
                return Some(notch);
            }
            notch = next;
        }
        None
    }

    /// Returns the mesh as flat tables.
    pub(crate) fn tables(&self) -> NotchTables {
        let edge = |edge: &Edge| EdgeRow { origin: edge.origin, twin: edge.twin, fixed: edge.fixed };
        let row = |(index, notch): (u32, &Notch)| {
            let sector = if notch.open { self.open_wedge(index) } else { None };
            NotchRow {
                vertex: notch.vertex,
                next: notch.next,
                sector: sector.map_or([NO_INDEX; 2], |(leaving, arriving)| [leaving, arriving]),
                before: notch.before,
                after: notch.after,
            }
        };
        NotchTables {
            points: self.triangulation.vertices.iter().map(|vertex| vertex.point).collect(),
            edges: self.edges.iter().map(edge).collect(),
            notches: (0..).zip(&self.notches).map(row).collect(),
            first_notches: self.notch_at.clone(),
        }
    }

    /// Starts to record changed triangles.
    pub(crate) fn note_changes(&mut self) {
        self.changed = vec![false; self.triangulation.triangles.len()];
    }

    /// Returns `true` if one of the triangles has changed since [`PortalMesh::note_changes`], or
    /// does not exist.
    pub(crate) fn has_changed(&self, triangles: &[u32]) -> bool {
        triangles.iter().any(|&triangle| self.changed.get(triangle as usize).is_none_or(|&changed| changed))
    }

    fn note(&mut self, edge: u32) {
        if let Some(changed) = self.changed.get_mut(edge as usize / 3) {
            *changed = true;
        }
    }

    /// Returns `true` if a sector of a notch is still reflex.
    pub(crate) fn is_open(&mut self, notch: u32) -> bool {
        // Portals are never removed, so a convex sector stays convex.
        let open = self.notches[notch as usize].open && self.open_wedge(notch).is_some();
        self.notches[notch as usize].open = open;
        open
    }

    /// Calls `take` with the vertices that an open notch sees in its area of interest, the closest
    /// triangles first. Triangles at the notch are not counted. `take` returns the cost beyond
    /// which vertices are skipped.
    pub(crate) fn visit(
        &mut self,
        notch: u32,
        most_triangles: usize,
        mut take: impl FnMut(&Self, Seen) -> f64,
    ) {
        let Some((leaving, last)) = self.open_wedge(notch) else { return };
        let eye = self.point(leaving);
        let (after, before) = (self.point(next(leaving)), self.point(last));
        let (low, high) = (Limit::Behind(before), Limit::Behind(after));
        let mut views = std::mem::take(&mut self.views);
        views.clear();
        let mut limit = f64::INFINITY;
        let mut at = leaving;
        loop {
            let entry = next(at);
            if at != leaving && in_view(eye, low, self.point(entry), high) {
                limit = self.seen(eye, [before, after], entry, &mut take);
            }
            self.add_view(&mut views, eye, entry, low, high);
            if prev(at) == last {
                break;
            }
            at = self.edge(prev(at)).twin;
        }
        for _ in 0..most_triangles {
            let Some(Reverse(View { distance, entry, low, high })) = views.pop() else { break };
            if distance >= limit {
                break;
            }
            // The far corner, and the two far sides.
            let far = prev(entry);
            if in_view(eye, low, self.point(far), high) {
                limit = self.seen(eye, [before, after], far, &mut take);
            }
            self.add_view(&mut views, eye, next(entry), low, high);
            self.add_view(&mut views, eye, far, low, high);
        }
        self.views = views;
    }

    fn seen(
        &self,
        eye: PlanPoint,
        beside: [PlanPoint; 2],
        corner: u32,
        take: &mut impl FnMut(&Self, Seen) -> f64,
    ) -> f64 {
        let point = self.point(corner);
        let narrow = beside.into_iter().any(|beside| is_narrow(eye, point, beside));
        let cost = eye.distance_squared(point) as f64 * f64::from(if narrow { NARROW } else { 1 });
        take(self, Seen { vertex: self.edge(corner).origin, cost })
    }

    /// Adds the view of the triangle across an edge, if a part of it may be visible.
    fn add_view(
        &self,
        views: &mut BinaryHeap<Reverse<View>>,
        eye: PlanPoint,
        edge: u32,
        low: Limit,
        high: Limit,
    ) {
        let Edge { twin, fixed, .. } = *self.edge(edge);
        if fixed {
            return;
        }
        let (from, to) = (self.point(edge), self.point(next(edge)));
        if PlanPoint::orientation(eye, from, to) <= 0 {
            return;
        }
        // A border edge of the notch lies on a limit, behind the eye.
        let meets = |turn: i64, limit: Limit, point: PlanPoint| {
            turn > 0 || (turn == 0 && matches!(limit, Limit::Behind(end) if end == point))
        };
        if !meets(turn_from(eye, low, to), low, to) || !meets(turn_to(eye, from, high), high, from) {
            return;
        }
        let low = if turn_from(eye, low, from) > 0 { Limit::Point(from) } else { low };
        let high = if turn_to(eye, to, high) > 0 { Limit::Point(to) } else { high };
        views.push(Reverse(View { distance: distance_squared(eye, from, to), entry: twin, low, high }));
    }

    /// Makes a portal from an open notch to a vertex. Returns `false` if another portal or a vertex
    /// blocks it.
    pub(crate) fn insert(&mut self, notch: u32, target: u32) -> bool {
        let Some((leaving, last)) = self.open_wedge(notch) else { return false };
        let (eye, goal) = (self.point(leaving), self.vertex_point(target));
        // The triangle at the notch in which the portal starts.
        let mut at = leaving;
        let first = loop {
            let (from, to) = (self.point(next(at)), self.point(prev(at)));
            if self.edge(next(at)).origin == target && at != leaving {
                return self.fix(at);
            }
            if PlanPoint::orientation(eye, from, goal) > 0 && PlanPoint::orientation(eye, goal, to) > 0 {
                break at;
            }
            if prev(at) == last {
                return false;
            }
            at = self.edge(prev(at)).twin;
        };
        self.crossed.clear();
        let mut crossing = next(first);
        loop {
            let Edge { twin, fixed, .. } = *self.edge(crossing);
            if fixed || self.crossed.len() >= MOST_CROSSED {
                return false;
            }
            self.crossed.push(crossing);
            let far = prev(twin);
            if self.edge(far).origin == target {
                break;
            }
            match PlanPoint::orientation(eye, goal, self.point(far)).cmp(&0) {
                // The far corner lies on the left: the portal leaves between it and the corner on the right.
                Ordering::Greater => crossing = next(twin),
                Ordering::Less => crossing = far,
                Ordering::Equal => return false,
            }
        }
        self.exchange(first, target)
    }

    fn fix(&mut self, edge: u32) -> bool {
        let twin = self.edge(edge).twin;
        if self.edge(edge).fixed || twin == NO_INDEX {
            return false;
        }
        for edge in [edge, twin] {
            self.edges[edge as usize].fixed = true;
            self.note(edge);
        }
        true
    }

    /// Replaces the crossed edges by a portal.
    fn exchange(&mut self, first: u32, target: u32) -> bool {
        let start = self.edge(first).origin;
        let (mut upper, mut lower) = (std::mem::take(&mut self.upper), std::mem::take(&mut self.lower));
        let mut free = std::mem::take(&mut self.free);
        upper.clear();
        lower.clear();
        free.clear();
        let link = |edge: u32| Link {
            vertex: self.edge(next(edge)).origin,
            outer: *self.edge(edge),
            old: edge,
            new: NO_INDEX,
        };
        // `upper` runs from the notch to the target on the left. `lower` runs along the right and
        // is reversed later. Every link has the outer edge that arrives at its vertex, seen from
        // inside.
        free.push(first / 3);
        upper.push(link(prev(first)));
        lower.push(link(first));
        for (at, &crossed) in self.crossed.iter().enumerate() {
            let entry = self.edge(crossed).twin;
            free.push(entry / 3);
            let on = self.crossed.get(at + 1).copied();
            if on != Some(next(entry)) {
                lower.push(link(next(entry)));
            }
            if on != Some(prev(entry)) {
                upper.push(link(prev(entry)));
            }
        }
        // The edge of an upper link runs from the next vertex of the chain to its own vertex. The
        // edge of a lower link runs from its own vertex to the next, so it is stored with the next.
        upper.push(Link { vertex: target, outer: *self.edge(first), old: NO_INDEX, new: NO_INDEX });
        lower.reverse();
        lower.push(Link { vertex: start, outer: *self.edge(first), old: NO_INDEX, new: NO_INDEX });
        if !self.can_fill(&upper) || !self.can_fill(&lower) {
            (self.upper, self.lower, self.free) = (upper, lower, free);
            return false;
        }
        let top = self.fill(&mut upper, &mut free);
        let bottom = self.fill(&mut lower, &mut free);
        self.join(top, bottom);
        for edge in [top, bottom] {
            self.note(edge);
            self.edges[edge as usize].fixed = true;
            self.edges[edge as usize].notch = NO_INDEX;
        }
        for at in 0..upper.len() + lower.len() {
            let chain = |at: usize| if at < upper.len() { &upper[at] } else { &lower[at - upper.len()] };
            let &Link { outer, old, new, .. } = chain(at);
            if old == NO_INDEX {
                continue;
            }
            // Both sides of an edge may lie on the border of the hole.
            let twin = (0..upper.len() + lower.len())
                .map(chain)
                .find(|other| other.old == outer.twin && outer.twin != NO_INDEX)
                .map_or(outer.twin, |other| other.new);
            let edge = &mut self.edges[new as usize];
            (edge.fixed, edge.notch, edge.twin) = (outer.fixed, outer.notch, twin);
            self.note(new);
            if twin != NO_INDEX {
                self.edges[twin as usize].twin = new;
                self.note(twin);
            }
            if outer.notch != NO_INDEX {
                self.notches[outer.notch as usize].leaving = new;
            }
        }
        (self.upper, self.lower, self.free) = (upper, lower, free);
        true
    }

    /// Returns `true` if three consecutive vertices of a chain make a triangle that can be cut off.
    fn is_ear(&self, x: u32, y: u32, z: u32) -> bool {
        let [x, y, z] = [x, y, z].map(|vertex| self.vertex_point(vertex));
        PlanPoint::orientation(x, y, z) < 0
    }

    /// Returns `true` if [`PortalMesh::fill`] can fill the chain. Only overlapping triangles
    /// prevent it.
    fn can_fill(&mut self, chain: &[Link]) -> bool {
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        for link in chain {
            while let [.., x, y] = stack[..]
                && self.is_ear(x.0, y.0, link.vertex)
            {
                stack.pop();
            }
            stack.push((link.vertex, 0));
        }
        let done = stack.len() == 2;
        self.stack = stack;
        done
    }

    /// Triangulates the polygon to the left of the line from the first to the last vertex of a
    /// chain. Returns the half-edge along that line.
    ///
    /// Every vertex of the chain sees that line, along an edge that was crossed. In such a polygon
    /// each convex vertex can be cut off (Toussaint and Avis 1982, On a convex hull algorithm for
    /// polygons and its application to triangulation problems).
    fn fill(&mut self, chain: &mut [Link], free: &mut Vec<u32>) -> u32 {
        // Vertices, each with the opposite half-edge of the edge to the vertex below it. With the
        // highest bit set, the index of an outer edge in the chain replaces the half-edge.
        const OUTER: u32 = 1 << 31;
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        let mut top = NO_INDEX;
        for at in 0..chain.len() {
            let vertex = chain[at].vertex;
            let mut pending = if at == 0 { NO_INDEX } else { OUTER | to_u32(at - 1) };
            while let [.., x, y] = stack[..]
                && self.is_ear(x.0, y.0, vertex)
                && let Some(triangle) = free.pop()
            {
                let base = 3 * triangle;
                self.note(base);
                for (corner, origin) in [vertex, y.0, x.0].into_iter().enumerate() {
                    self.edges[base as usize + corner] =
                        Edge { origin, twin: NO_INDEX, fixed: false, notch: NO_INDEX };
                }
                for (edge, waiting) in [(base, pending), (base + 1, y.1)] {
                    if waiting & OUTER != 0 {
                        chain[(waiting & !OUTER) as usize].new = edge;
                    } else {
                        self.join(edge, waiting);
                    }
                }
                top = base + 2;
                pending = top;
                stack.pop();
            }
            stack.push((vertex, pending));
        }
        self.stack = stack;
        top
    }

    fn join(&mut self, a: u32, b: u32) {
        self.edges[a as usize].twin = b;
        self.edges[b as usize].twin = a;
    }

    /// Returns the triangles, and for each half-edge `true` if it lies on a border or is a portal.
    pub(crate) fn finish(self) -> (Triangulation, Vec<bool>) {
        let triangles = self
            .triangulation
            .triangles
            .iter()
            .zip(self.edges.chunks_exact(3))
            .map(|(triangle, edges)| Triangle {
                vertices: [0, 1, 2].map(|at| VertexId(edges[at].origin)),
                neighbours: [0, 1, 2]
                    .map(|at| (edges[at].twin != NO_INDEX).then(|| TriangleId(edges[at].twin / 3))),
                ..*triangle
            })
            .collect();
        let Triangulation { frame, ref vertices, .. } = *self.triangulation;
        let fixed = self.edges.iter().map(|edge| edge.fixed).collect();
        (Triangulation { frame, vertices: vertices.clone(), triangles }, fixed)
    }
}

/// Returns the next half-edge of the triangle.
pub(crate) fn next(edge: u32) -> u32 {
    if edge % 3 == 2 { edge - 2 } else { edge + 1 }
}

pub(crate) fn prev(edge: u32) -> u32 {
    if edge.is_multiple_of(3) { edge + 2 } else { edge - 1 }
}

/// Returns a positive number if `point` lies to the left of a limit.
fn turn_from(eye: PlanPoint, limit: Limit, point: PlanPoint) -> i64 {
    match limit {
        Limit::Point(limit) => PlanPoint::orientation(eye, limit, point),
        Limit::Behind(before) => PlanPoint::orientation(before, eye, point),
    }
}

/// Returns a positive number if `point` lies to the right of a limit.
fn turn_to(eye: PlanPoint, point: PlanPoint, limit: Limit) -> i64 {
    match limit {
        Limit::Point(limit) => PlanPoint::orientation(eye, point, limit),
        Limit::Behind(after) => PlanPoint::orientation(eye, after, point),
    }
}

fn in_view(eye: PlanPoint, low: Limit, point: PlanPoint, high: Limit) -> bool {
    let inside = |turn: i64, limit: Limit| turn > 0 || (turn == 0 && matches!(limit, Limit::Behind(_)));
    point != eye && inside(turn_from(eye, low, point), low) && inside(turn_to(eye, point, high), high)
}
