//! A window of a few adjacent polygons, and their replacement by better ones.

use waymesh_core::{PlanPoint, to_u32};

use crate::exact::Exact;
use crate::measure::is_narrow;
use crate::subdivision::{NO_INDEX, Patch, Subdivision};

/// Polygons whose union is a polygon without holes. The window is reused for its buffers.
#[derive(Debug, Default)]
pub(crate) struct Window {
    pub(crate) polygons: Vec<u32>,
    /// The sides on the border of the union, in positive order.
    border: Vec<u32>,
    points: Vec<PlanPoint>,
    /// For each polygon, the last window that contained it.
    polygon_stamps: Vec<u32>,
    /// For each vertex, the last window on whose border it lay, and its index on that border once
    /// it is complete.
    vertex_stamps: Vec<[u32; 2]>,
    stamp: u32,
    path: Vec<u32>,
    portals: Vec<[u32; 3]>,
    corners: Vec<u32>,
    ends: Vec<usize>,
    sides: Vec<u32>,
    /// Number of vertices inside the window.
    inside: usize,
    /// `true` if the number of polygons in the window is the lowest possible.
    pub(crate) is_best: bool,
    /// Sides through which a notch sees, with the points that limit its view.
    views: Vec<(u32, PlanPoint, PlanPoint)>,
}

impl Window {
    /// Starts a new window with one polygon.
    pub(crate) fn start(&mut self, subdivision: &Subdivision<'_>, seed: u32) {
        if self.stamp == u32::MAX {
            self.polygon_stamps.fill(0);
            self.vertex_stamps.fill([0; 2]);
            self.stamp = 0;
        }
        self.stamp += 1;
        self.polygon_stamps.resize(subdivision.polygons.len().max(self.polygon_stamps.len()), 0);
        self.vertex_stamps.resize(subdivision.vertices.len(), [0; 2]);
        self.inside = 0;
        self.polygons.clear();
        self.polygons.push(seed);
        self.polygon_stamps[seed as usize] = self.stamp;
        self.border.clear();
        self.border.extend(subdivision.around(seed));
        for &side in &self.border {
            self.vertex_stamps[subdivision.side(side).origin as usize][0] = self.stamp;
        }
    }

    /// Adds neighbours, those of the first polygon first, until no more fit: first `preferred`
    /// polygons, then others.
    pub(crate) fn grow(
        &mut self,
        subdivision: &Subdivision<'_>,
        most_vertices: usize,
        preferred: impl Fn(u32) -> bool,
    ) {
        for all in [false, true] {
            let mut at = 0;
            while at < self.polygons.len() {
                for side in subdivision.around(self.polygons[at]) {
                    let twin = subdivision.side(side).twin;
                    if all || (twin != NO_INDEX && preferred(subdivision.side(twin).polygon)) {
                        self.add(subdivision, side, most_vertices);
                    }
                }
                at += 1;
            }
        }
    }

    /// Returns a lower bound on the number of polygons that can fill the window.
    pub(crate) fn least(&self, subdivision: &Subdivision<'_>) -> usize {
        let count = self.border.len();
        let point = |at: usize| subdivision.point(self.border[at % count]);
        let notches =
            (0..count).filter(|&at| PlanPoint::orientation(point(at), point(at + 1), point(at + 2)) < 0);
        notches.count().div_ceil(2) + 1
    }

    /// Returns `true` if the window has no neighbour of the same region and area.
    pub(crate) fn is_complete(&self, subdivision: &Subdivision<'_>) -> bool {
        self.border.iter().all(|&side| !subdivision.is_inner(side))
    }

    fn is_in(&self, subdivision: &Subdivision<'_>, side: u32) -> bool {
        side != NO_INDEX && self.polygon_stamps[subdivision.side(side).polygon as usize] == self.stamp
    }

    /// Adds the polygon across a side of a polygon of the window, if the union has a simple border
    /// of at most `most_vertices` vertices. Returns `true` if it was added.
    pub(crate) fn add(&mut self, subdivision: &Subdivision<'_>, side: u32, most_vertices: usize) -> bool {
        let twin = subdivision.side(side).twin;
        if !subdivision.is_inner(side) || self.is_in(subdivision, twin) {
            return false;
        }
        // The sides of the new polygon towards the window must be consecutive.
        let (stamp, stamps) = (self.stamp, &self.polygon_stamps);
        let shared = |at: u32| {
            let twin = subdivision.side(at).twin;
            twin != NO_INDEX && stamps[subdivision.side(twin).polygon as usize] == stamp
        };
        let new = subdivision.side(twin).polygon;
        let (mut first, mut last, mut run) = (twin, twin, 1);
        let len = subdivision.polygons[new as usize].len as usize;
        while run < len && shared(subdivision.side(first).prev) {
            first = subdivision.side(first).prev;
            run += 1;
        }
        while run < len && shared(subdivision.side(last).next) {
            last = subdivision.side(last).next;
            run += 1;
        }
        if run >= len || self.border.len() + len - 2 * run > most_vertices {
            return false;
        }
        self.path.clear();
        let mut at = subdivision.side(last).next;
        while at != first {
            if shared(at)
                || (!self.path.is_empty() && self.is_on_border(subdivision, at))
                || self.path.len() > len
            {
                return false;
            }
            self.path.push(at);
            at = subdivision.side(at).next;
        }
        let entry = subdivision.side(last).twin;
        let Some(place) = self.border.iter().position(|&side| side == entry) else { return false };
        self.border.rotate_left(place);
        if run > self.border.len() {
            return false;
        }
        self.inside += run - 1;
        for &gone in &self.border[1..run] {
            self.vertex_stamps[subdivision.side(gone).origin as usize][0] = 0;
        }
        for &side in &self.path[1..] {
            self.vertex_stamps[subdivision.side(side).origin as usize][0] = self.stamp;
        }
        self.border.splice(..run, self.path.iter().copied());
        self.polygons.push(new);
        self.polygon_stamps[new as usize] = self.stamp;
        true
    }

    fn is_on_border(&self, subdivision: &Subdivision<'_>, side: u32) -> bool {
        self.vertex_stamps[subdivision.side(side).origin as usize][0] == self.stamp
    }

    /// Replaces the polygons of the window, and [`Window::polygons`], by the best decomposition if
    /// that is better.
    pub(crate) fn improve(
        &mut self,
        subdivision: &mut Subdivision<'_>,
        exact: &mut Exact,
        max_vertices: u32,
    ) -> bool {
        let count = self.polygons.len();
        self.is_best = count < 2;
        if count < 2 {
            return false;
        }
        self.points.clear();
        self.points.extend(self.border.iter().map(|&side| subdivision.point(side)));
        if !exact.load(&self.points) {
            return false;
        }
        // Portals between two vertices that are no notches only help under a limit on corners.
        let limit = if (max_vertices as usize) < self.points.len() { max_vertices } else { 0 };
        if self.inside == 0 {
            self.visit(subdivision, exact, limit != 0);
        } else {
            exact.see_all(limit != 0);
        }
        let Some((fewest, weight)) = exact.solve(limit) else { return false };
        let better = fewest < count
            || (fewest == count && self.weight(subdivision, exact).is_none_or(|old| weight < old));
        if !better {
            self.is_best = self.inside == 0;
            return false;
        }
        self.corners.clear();
        self.ends.clear();
        for corners in exact.polygons() {
            self.corners.extend_from_slice(corners);
            self.ends.push(self.corners.len());
        }
        let is_replaced = self.is_sound() && self.replace(subdivision);
        self.is_best = is_replaced && self.inside == 0;
        is_replaced
    }

    /// Joins the window to one polygon if that is convex and has at most `max_vertices` corners (0
    /// = no limit).
    pub(crate) fn unite(&mut self, subdivision: &mut Subdivision<'_>, max_vertices: u32) -> bool {
        let count = self.border.len();
        if self.polygons.len() < 2 || (max_vertices != 0 && count > max_vertices as usize) {
            return false;
        }
        self.points.clear();
        self.points.extend(self.border.iter().map(|&side| subdivision.point(side)));
        self.corners.clear();
        self.corners.extend(0..to_u32(count));
        self.ends.clear();
        self.ends.push(count);
        self.is_sound() && self.replace(subdivision)
    }

    /// Turns the portal between the two polygons of the window around its notch, if that leaves
    /// fewer narrow angles.
    pub(crate) fn widen(&mut self, subdivision: &mut Subdivision<'_>, max_vertices: u32) -> bool {
        let count = self.border.len();
        if self.polygons.len() != 2 || self.inside != 0 {
            return false;
        }
        self.points.clear();
        self.points.extend(self.border.iter().map(|&side| subdivision.point(side)));
        let point = |at: usize| self.points[at % count];
        let mut notches = (0..count)
            .filter(|&at| PlanPoint::orientation(point(at + count - 1), point(at), point(at + 1)) < 0);
        let (Some(notch), None) = (notches.next(), notches.next()) else { return false };
        let eye = point(notch);
        // The number of narrow angles at the ends of a portal, and its length.
        let cost = |steps: usize| {
            let end = notch + steps;
            let narrow = [point(end - 1), point(end + 1)].map(|beside| is_narrow(point(end), eye, beside));
            let own = [notch + 1, notch + count - 1].map(|beside| is_narrow(eye, point(end), point(beside)));
            let narrow = narrow.into_iter().chain(own).filter(|&narrow| narrow).count();
            (narrow, eye.distance_squared(point(end)))
        };
        let may_end = |steps: &usize| {
            let to = point(notch + steps);
            let fits = max_vertices == 0 || (*steps.max(&(count - steps))) < max_vertices as usize;
            fits && PlanPoint::orientation(point(notch + count - 1), eye, to) >= 0
                && PlanPoint::orientation(eye, point(notch + 1), to) >= 0
        };
        let is_now = |steps: &usize| {
            let side = self.border[(notch + steps) % count];
            // The portal ends where the polygon of the border side changes.
            let before = self.border[(notch + steps - 1) % count];
            subdivision.side(side).polygon != subdivision.side(before).polygon
        };
        let Some(now) = (2..count - 1).find(is_now) else { return false };
        let best = (2..count - 1).filter(may_end).min_by_key(|&steps| cost(steps));
        let Some(best) = best.filter(|&best| cost(best).0 < cost(now).0) else { return false };
        self.corners.clear();
        self.corners.extend((notch..=notch + best).map(|at| to_u32(at % count)));
        self.ends.clear();
        self.ends.push(self.corners.len());
        self.corners.extend((notch + best..=notch + count).map(|at| to_u32(at % count)));
        self.ends.push(self.corners.len());
        self.is_sound() && self.replace(subdivision)
    }

    /// Passes the pairs of vertices that see each other to `exact`: pairs with a notch, or with
    /// `all` all pairs. No vertex lies inside, so each polygon is seen through one side only.
    fn visit(&mut self, subdivision: &Subdivision<'_>, exact: &mut Exact, all: bool) {
        for (place, &side) in self.border.iter().enumerate() {
            self.vertex_stamps[subdivision.side(side).origin as usize][1] = to_u32(place);
        }
        let place = |side: u32| self.vertex_stamps[subdivision.side(side).origin as usize][1] as usize;
        for (own, &border) in self.border.iter().enumerate() {
            if !all && !exact.is_notch(own) {
                continue;
            }
            let eye = self.points[own];
            let turn = |a: PlanPoint, b: PlanPoint| PlanPoint::orientation(eye, a, b);
            // Each pair is found from both vertices but passed once.
            let see = |exact: &mut Exact, other: usize| {
                if own < other || !(all || exact.is_notch(other)) {
                    exact.see([own, other]);
                }
            };
            // Visits the polygons around the notch.
            let mut leaving = border;
            loop {
                let first = subdivision.point(subdivision.side(leaving).next);
                let arriving = subdivision.side(leaving).prev;
                let last = subdivision.point(arriving);
                see(exact, place(subdivision.side(leaving).next));
                let mut at = subdivision.side(leaving).next;
                while at != arriving {
                    let next = subdivision.side(at).next;
                    let (from, to) = (subdivision.point(at), subdivision.point(next));
                    if next != arriving && turn(first, to) > 0 && turn(to, last) > 0 {
                        see(exact, place(next));
                    }
                    let twin = subdivision.side(at).twin;
                    if turn(from, to) > 0 && self.is_in(subdivision, twin) {
                        self.views.push((twin, from, to));
                    }
                    at = next;
                }
                leaving = subdivision.side(arriving).twin;
                if !self.is_in(subdivision, leaving) {
                    break;
                }
            }
            // Visits the polygons behind their sides, between the points that limit the view.
            while let Some((entry, low, high)) = self.views.pop() {
                let mut at = subdivision.side(entry).next;
                while at != entry {
                    let next = subdivision.side(at).next;
                    let (from, to) = (subdivision.point(at), subdivision.point(next));
                    let (low_to, to_high) = (turn(low, to), turn(to, high));
                    if next != entry && low_to > 0 && to_high > 0 {
                        see(exact, place(next));
                    }
                    let twin = subdivision.side(at).twin;
                    if low_to > 0 && self.is_in(subdivision, twin) {
                        let from = if turn(low, from) > 0 { from } else { low };
                        let to = if to_high > 0 { to } else { high };
                        if turn(from, to) > 0 {
                            self.views.push((twin, from, to));
                        }
                    }
                    at = next;
                }
            }
        }
    }

    /// Returns the weight of the portals inside the window, or `None` if a vertex lies inside.
    fn weight(&mut self, subdivision: &Subdivision<'_>, exact: &Exact) -> Option<u64> {
        for (place, &side) in self.border.iter().enumerate() {
            self.vertex_stamps[subdivision.side(side).origin as usize][1] = to_u32(place);
        }
        self.portals.clear();
        for &polygon in &self.polygons {
            for side in subdivision.around(polygon) {
                let twin = subdivision.side(side).twin;
                if twin > side && self.is_in(subdivision, twin) {
                    let [from, to] = [side, twin].map(|side| subdivision.side(side).origin as usize);
                    let [a, b] = [self.vertex_stamps[from], self.vertex_stamps[to]];
                    if a[0] != self.stamp || b[0] != self.stamp {
                        return None;
                    }
                    self.portals.push([a[1], b[1], 0]);
                }
            }
        }
        Some(exact.weigh(self.portals.iter().map(|portal| [portal[0] as usize, portal[1] as usize])))
    }

    /// Returns the new polygons, as indices on the border.
    fn new_polygons(&self) -> impl Iterator<Item = &[u32]> {
        self.ends.iter().enumerate().map(|(polygon, &end)| {
            let start = if polygon == 0 { 0 } else { self.ends[polygon - 1] };
            &self.corners[start..end]
        })
    }

    /// Returns `true` if the new polygons are convex and fill the window. It is `false` only for
    /// borders that cross.
    fn is_sound(&self) -> bool {
        let mut area = 0;
        for polygon in self.new_polygons() {
            let point = |at: usize| self.points[polygon[at % polygon.len()] as usize];
            let rises = |at: usize| (point(at).x, point(at).z) < (point(at + 1).x, point(at + 1).z);
            let turns = (0..polygon.len()).filter(|&at| rises(at) != rises(at + 1)).count();
            let bent = (0..polygon.len())
                .any(|at| PlanPoint::orientation(point(at), point(at + 1), point(at + 2)) < 0);
            if polygon.len() < 3 || turns != 2 || bent {
                return false;
            }
            let own = PlanPoint::doubled_area((0..polygon.len()).map(point));
            if own <= 0 {
                return false;
            }
            area += own;
        }
        area == PlanPoint::doubled_area(self.points.iter().copied())
    }

    fn replace(&mut self, subdivision: &mut Subdivision<'_>) -> bool {
        let Patch { region, area, .. } = subdivision.polygons[self.polygons[0] as usize];
        let mut portals = std::mem::take(&mut self.portals);
        portals.clear();
        // Each portal must occur from both sides, and each edge once.
        let count = to_u32(self.border.len());
        for polygon in self.new_polygons() {
            for (at, &from) in polygon.iter().enumerate() {
                let to = polygon[(at + 1) % polygon.len()];
                if to != (from + 1) % count {
                    portals.push([from.min(to), from.max(to), NO_INDEX]);
                }
            }
        }
        portals.sort_unstable();
        self.portals = portals;
        let paired = self.portals.chunks(2).all(|pair| pair.len() == 2 && pair[0] == pair[1]);
        if !paired || self.corners.len() != self.border.len() + self.portals.len() {
            return false;
        }
        let mut sides = std::mem::take(&mut self.sides);
        sides.clear();
        for &polygon in &self.polygons {
            sides.extend(
                subdivision
                    .around(polygon)
                    .filter(|&side| self.is_in(subdivision, subdivision.side(side).twin)),
            );
        }
        self.sides = sides;
        self.sides.iter().for_each(|&side| subdivision.free_side(side));
        self.polygons.drain(..).for_each(|polygon| subdivision.free_polygon(polygon));
        // Adds both sides of every portal: from the lower index and from the higher.
        for pair in self.portals.chunks_mut(2) {
            for (at, side) in pair.iter_mut().enumerate() {
                side[2] = subdivision.new_side(subdivision.side(self.border[side[at] as usize]).origin);
            }
            subdivision.sides[pair[0][2] as usize].twin = pair[1][2];
            subdivision.sides[pair[1][2] as usize].twin = pair[0][2];
        }
        for polygon in 0..self.ends.len() {
            let start = if polygon == 0 { 0 } else { self.ends[polygon - 1] };
            let corners = &self.corners[start..self.ends[polygon]];
            self.sides.clear();
            for (at, &from) in corners.iter().enumerate() {
                let to = corners[(at + 1) % corners.len()];
                self.sides.push(if to == (from + 1) % count {
                    self.border[from as usize]
                } else {
                    let first =
                        self.portals.partition_point(|portal| portal[..2] < [from.min(to), from.max(to)][..]);
                    self.portals[first + usize::from(from > to)][2]
                });
            }
            self.polygons.push(subdivision.new_polygon(&self.sides, region, area));
        }
        true
    }
}
