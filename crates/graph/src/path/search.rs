//! A* over the edges between polygons.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use waymesh_core::{PolyId, checkpoint_every};

use super::any_angle::AnyAngle;
use super::funnel::Funnel;
use super::ground::Profile;
use super::link_places::Sliding;
use super::local::{Approach, Local, Scale, crossing_point};
use super::options::PathSearch;
use super::sliced::Progress;
use crate::locate::nearest::Spot;
use crate::mesh::bounds::NO_NEIGHBOUR;
use crate::mesh::costs::{TravelCost, Usable, entering, taking};
use crate::mesh::filter::PolygonFilter;
use crate::mesh::nav_mesh::{Generation, NavMesh};

/// No node: the parent of the first edges.
pub(super) const NO_NODE: u32 = u32::MAX;

/// The part of a [`crate::QueryScratch`] that is for paths.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathScratch {
    /// Number of the current search; an edge whose entry has another has not been seen.
    stamp: u32,
    /// Per edge: search that saw it last, and its node.
    seen: Vec<(u32, u32)>,
    /// Per polygon: search that entered it last, and the last of its `entries`.
    entered: Vec<(u32, u32)>,
    /// Paths into polygons from which paths on were looked for.
    entries: Vec<Entry>,
    pub(super) nodes: Vec<Node>,
    /// [`key`] of each open node, once for every time that its estimate fell.
    open: BinaryHeap<Reverse<u64>>,
    pub(super) front: Front,
    /// The last search.
    pub(super) last: LastSearch,
    /// The first polygon with more than one crossing that leads on.
    origin: u32,
    /// `true` if the path is straight: nothing is to be searched and no string to be pulled.
    pub(super) is_straight: bool,
    /// `true` if the search has found the turns, too: no string is to be pulled.
    pub(super) has_turns: bool,
    /// `true` if the path has the turns that the search found, and no string is to be pulled.
    pub(super) keeps_turns: bool,
    /// `true` if the search for the shortest path is to count rises ([`PathOptions::rises`]).
    ///
    /// [`PathOptions::rises`]: super::PathOptions::rises
    pub(super) rises: bool,
    /// `true` if the search for the shortest path came to its limit.
    pub(super) was_cut: bool,
    /// The search that found the corridor.
    pub(super) found_by: PathSearch,
    /// Edges crossed, from the start's polygon to the goal's.
    pub(crate) corridor: Vec<u32>,
    /// Position along its segments at which each link of the corridor is taken, from 0 to 1.
    pub(crate) link_places: Vec<f64>,
    pub(super) funnel: Funnel,
    pub(super) profile: Profile,
    pub(super) sliding: Sliding,
    pub(crate) any_angle: AnyAngle,
}

impl PathScratch {
    /// Forgets the last search.
    pub(crate) fn begin(&mut self, edges: usize, polygons: usize) {
        if self.stamp == u32::MAX {
            self.seen.clear();
            self.entered.clear();
            self.stamp = 0;
        }
        self.stamp += 1;
        if self.seen.len() < edges {
            self.seen.resize(edges, (0, 0));
        }
        if self.entered.len() < polygons {
            self.entered.resize(polygons, (0, 0));
        }
        self.entries.clear();
        self.nodes.clear();
        self.open.clear();
    }

    /// Marks an edge as seen. Returns `true` if it was not marked before.
    pub(super) fn mark(&mut self, edge: u32) -> bool {
        std::mem::replace(&mut self.seen[edge as usize].0, self.stamp) != self.stamp
    }

    /// Closes and gives the first open node, or that of key `best`, which has not been opened yet.
    pub(super) fn next(&mut self, mut best: u64) -> Option<u32> {
        if let Some(mut first) = self.open.peek_mut()
            && first.0 < best
        {
            if best == NO_KEY {
                best = PeekMut::pop(first).0;
            } else {
                std::mem::swap(&mut first.0, &mut best);
            }
        }
        while best != NO_KEY {
            let node = node_of(best);
            if !std::mem::replace(&mut self.nodes[node as usize].closed, true) {
                return Some(node);
            }
            best = self.open.pop().map_or(NO_KEY, |Reverse(key)| key);
        }
        None
    }

    /// Returns `true` if some path that came into a polygon before costs less to where this one
    /// enters it: all paths on are then known. Else remembers this one.
    ///
    /// At equal cost it is known only if it turns there: two ways round an obstacle that meet at a
    /// corner lead on in different directions.
    #[inline]
    pub(super) fn is_known(&mut self, polygon: u32, approach: &Approach) -> bool {
        let (stamp, entry) = self.entered[polygon as usize];
        let last = if stamp == self.stamp { entry } else { NO_ENTRY };
        let tolerance = if approach.turns_here() { COST_TOLERANCE } else { -COST_TOLERANCE };
        let cost = approach.cost * (1.0 + tolerance);
        let mut next = last;
        while let Some(entry) = self.entries.get(next as usize) {
            if entry.approach.cost_to(approach.at) <= cost {
                return true;
            }
            next = entry.before;
        }
        #[expect(clippy::cast_possible_truncation, reason = "fewer than nodes")]
        let entry = self.entries.len() as u32;
        self.entered[polygon as usize] = (self.stamp, entry);
        self.entries.push(Entry { approach: *approach, before: last });
        false
    }

    /// Opens a crossing from `a` to `b` that continues the string, and a long one also at one of its
    /// ends if that may be shorter. It costs `extra`, and a metre beyond costs `least`.
    #[inline(always)]
    fn offer_segment(
        &mut self,
        crossing: u32,
        parent: u32,
        approach: &Approach,
        [a, b, target]: [Local; 3],
        (extra, least): (f32, f32),
        best: &mut u64,
    ) {
        let next = approach.over(target, a, b).plus(extra);
        let known = self.offer(crossing, parent, next, next.at.distance(target) * least, best);
        if let Some(known) = known
            && self.is_long(known, &next, [a, b])
        {
            let ids = [crossing, known, parent];
            self.offer_end(ids, approach, [a, b, target], (extra, least), best);
        }
    }

    /// Opens a crossing or improves it, and keeps the best of its polygon apart from the heap.
    /// Returns the node that is known at as good an estimate, if there is one: nothing is opened
    /// then.
    #[inline(always)]
    pub(super) fn offer(
        &mut self,
        crossing: u32,
        parent: u32,
        approach: Approach,
        rest: f32,
        best: &mut u64,
    ) -> Option<u32> {
        let estimate = approach.cost + rest;
        let new = Node { edge: crossing, parent, approach, estimate, closed: false };
        let (stamp, index) = self.seen[crossing as usize];
        let index = if stamp != self.stamp {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a node per crossing at most, and those fit 32 bits"
            )]
            let index = self.nodes.len() as u32;
            self.seen[crossing as usize] = (self.stamp, index);
            self.nodes.push(new);
            index
        } else {
            let known = &mut self.nodes[index as usize];
            if known.is_settled(estimate) {
                return Some(index);
            }
            *known = new;
            index
        };
        self.keep_open(key(estimate, index), best);
        None
    }

    /// Puts the worse of a key and the best one among the open.
    #[inline(always)]
    fn keep_open(&mut self, key: u64, best: &mut u64) {
        let later = key.max(*best);
        *best = key.min(*best);
        if later != NO_KEY {
            self.open.push(Reverse(later));
        }
    }

    /// Returns `true` if the path to a node that is known turned elsewhere last, and the crossing
    /// is so long that this may matter.
    #[inline]
    fn is_long(&self, known: u32, approach: &Approach, [a, b]: [Local; 2]) -> bool {
        let known = &self.nodes[known as usize];
        let (x, z, least) = (b.x - a.x, b.z - a.z, known.estimate * LONG_EDGE_SHARE);
        x * x + z * z > least * least && !known.approach.turned_with(approach)
    }

    /// Opens a long crossing from `a` to `b` once more, at one of its ends, if `approach` gets there
    /// by a path that is much shorter than by the known node.
    ///
    /// A crossing is evaluated at one point. A path that is better there may be far worse at the point
    /// where the path to the goal continues.
    #[cold]
    #[inline(never)]
    fn offer_end(
        &mut self,
        [crossing, known, parent]: [u32; 3],
        approach: &Approach,
        [a, b, target]: [Local; 3],
        (extra, least): (f32, f32),
        best: &mut u64,
    ) {
        let known = self.nodes[known as usize].approach;
        let [gain_a, gain_b] = [a, b].map(|end| known.cost_to(end) - approach.cost_to(end) - extra);
        let end = if gain_a > gain_b { a } else { b };
        let approach = approach.over(end, a, b).plus(extra);
        let estimate = approach.cost + end.distance(target) * least;
        if gain_a.max(gain_b) < estimate * MIN_GAIN_SHARE {
            return;
        }
        #[expect(clippy::cast_possible_truncation, reason = "memory ends before")]
        let index = self.nodes.len() as u32;
        self.seen[crossing as usize] = (self.stamp, index);
        self.nodes.push(Node { edge: crossing, parent, approach, estimate, closed: false });
        self.keep_open(key(estimate, index), best);
    }

    /// Returns `true` if a crossing is closed, or open at no more than this estimate: an offer
    /// that costs as much or more would be refused.
    #[inline]
    fn is_settled(&self, crossing: u32, estimate: f32) -> bool {
        let (stamp, index) = self.seen[crossing as usize];
        stamp == self.stamp && self.nodes[index as usize].is_settled(estimate)
    }

    /// The polygons that the last search looked into, ascending; none for another mesh.
    pub(crate) fn searched(&self, mesh: &NavMesh) -> Vec<PolyId> {
        let LastSearch { how, start, generation, links, stamp } = self.last;
        if how == How::Unknown || generation != mesh.generation || links != mesh.links.stamp {
            return Vec::new();
        }
        let mut found = vec![start];
        // Also what a search passed that had no choice.
        found.extend(self.corridor.iter().map(|&crossing| mesh.beyond(crossing)));
        if !self.is_straight && how == How::Edges {
            let entered = (0..).zip(&self.entered).filter(|(_, (search, _))| *search == stamp);
            found.extend(entered.map(|(polygon, _)| polygon));
        } else if !self.is_straight {
            self.any_angle.searched(&mut found);
        }
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(PolyId).collect()
    }

    /// Stores a number for an edge until the next search.
    pub(crate) fn note(&mut self, edge: u32, number: u32) {
        self.seen[edge as usize] = (self.stamp, number);
    }

    /// Returns the last number stored for an edge.
    pub(crate) fn noted(&self, edge: u32) -> Option<u32> {
        let (stamp, number) = self.seen[edge as usize];
        (stamp == self.stamp).then_some(number)
    }

    pub(super) fn is_marked(&self, edge: u32) -> bool {
        self.seen[edge as usize].0 == self.stamp
    }
}

/// The last search in a [`PathScratch`], for reports of its opened nodes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LastSearch {
    pub(super) how: How,
    start: u32,
    generation: Generation,
    /// Stamp of the links.
    links: u64,
    /// Its number, of a search over edges: others mark what they see in the same scratch.
    stamp: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum How {
    /// None, or one that knows nothing of polygons.
    #[default]
    Unknown,
    /// Over edges.
    Edges,
    /// Over cones.
    Cones,
}

impl LastSearch {
    pub(super) fn new(how: How, mesh: &NavMesh, start: &Spot) -> Self {
        Self { how, start: start.polygon, generation: mesh.generation, links: mesh.links.stamp, stamp: 0 }
    }
}

/// The frontier of a search.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Front {
    node: u32,
    pub(super) polygon: u32,
    pub(super) from_polygon: u32,
    pub(super) approach: Approach,
    /// `true` before the first polygon with a choice: no costs were computed yet.
    is_forced: bool,
}

/// Entry of a search into a polygon.
#[derive(Clone, Copy, Debug)]
struct Entry {
    approach: Approach,
    /// The entry of the same polygon before this one, or [`NO_ENTRY`].
    before: u32,
}

/// Sentinel for no entry.
const NO_ENTRY: u32 = u32::MAX;

/// Edges shorter than this part of an estimate are crossed at one point: another one is no detour
/// that matters.
const LONG_EDGE_SHARE: f32 = 0.1;

/// An edge is opened once more for a path that is shorter to one of its ends by this part of its
/// estimate.
const MIN_GAIN_SHARE: f32 = 0.05;

/// Two costs that differ by no more than this part count as equal: a sum of a hundred lengths is
/// rounded that much.
const COST_TOLERANCE: f32 = 1e-5;

/// No key: after all others.
pub(super) const NO_KEY: u64 = u64::MAX;

/// Estimates that differ by no more than a hundred-thousandth (2^-17) count as equal: where the
/// goal is in sight they all are, but for rounding, and then the newest node leads straight to it.
/// A corridor is that much worse at most.
const TIE_MASK: u32 = !((1 << 6) - 1);

/// Orders nodes: smallest estimate first (positive floats sort like their bits), of equal ones the
/// newest.
#[inline]
fn key(estimate: f32, node: u32) -> u64 {
    u64::from(estimate.to_bits() & TIE_MASK) << 32 | u64::from(!node)
}

/// Returns the node of a key.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the lower half is the node")]
fn node_of(key: u64) -> u32 {
    !(key as u32)
}

/// An edge crossed, at a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) edge: u32,
    /// Node of the edge by which the polygon on the near side was entered.
    pub(super) parent: u32,
    pub(super) approach: Approach,
    /// The cost so far, with the path ahead as the crow flies.
    estimate: f32,
    closed: bool,
}

impl Node {
    /// Returns `true` if a path of this estimate is no better than what is known.
    #[inline]
    fn is_settled(&self, estimate: f32) -> bool {
        self.closed || self.estimate <= estimate
    }
}

impl NavMesh {
    /// Searches the edges to cross from `start` to `goal` and leaves them in `scratch.corridor`.
    /// Returns `true` if there is a path.
    pub(crate) fn search_corridor<F: PolygonFilter, C: TravelCost>(
        &self,
        start: &Spot,
        goal: &Spot,
        filter: &Usable<'_, F, C>,
        scratch: &mut PathScratch,
    ) -> bool {
        self.begin_corridor(start, goal, filter, scratch);
        let mut nodes = usize::MAX;
        self.advance_corridor(start, goal, filter, scratch, &mut nodes) == Progress::Found
    }

    /// Begins a search for [`NavMesh::advance_corridor`].
    pub(super) fn begin_corridor<F: PolygonFilter, C: TravelCost>(
        &self,
        start: &Spot,
        goal: &Spot,
        filter: &Usable<'_, F, C>,
        scratch: &mut PathScratch,
    ) {
        scratch.corridor.clear();
        scratch.link_places.clear();
        (scratch.has_turns, scratch.keeps_turns) = (false, false);
        scratch.last = LastSearch::new(How::Edges, self, start);
        scratch.is_straight = start.polygon == goal.polygon
            || (filter.cost.is_length() && self.goes_straight(start, goal, filter, scratch));
        if scratch.is_straight {
            return;
        }
        scratch.begin(self.crossing_count(), self.polygon_bound());
        scratch.last.stamp = scratch.stamp;
        let scale = Scale::of(self);
        let approach = Approach::turn(scale.spot(start), 0.0, 1.0);
        scratch.front = Front {
            node: NO_NODE,
            polygon: start.polygon,
            from_polygon: start.polygon,
            approach,
            is_forced: true,
        };
    }

    /// Continues a search by at most `nodes` nodes, and subtracts the opened ones.
    pub(super) fn advance_corridor<F: PolygonFilter, C: TravelCost>(
        &self,
        start: &Spot,
        goal: &Spot,
        filter: &Usable<'_, F, C>,
        scratch: &mut PathScratch,
        nodes: &mut usize,
    ) -> Progress {
        if scratch.is_straight {
            return Progress::Found;
        }
        let scale = Scale::of(self);
        let target = scale.spot(goal);
        let goal_number = self.bridges.number(goal.polygon);
        if scratch.front.is_forced
            && let Some(progress) = self.advance_forced(start, (goal, target), filter, scratch, nodes)
        {
            return progress;
        }
        let origin = scratch.origin;
        let Front { mut node, mut polygon, mut from_polygon, mut approach, .. } = scratch.front;
        loop {
            if *nodes == 0 {
                scratch.front = Front { node, polygon, from_polygon, approach, is_forced: false };
                return Progress::Running;
            }
            checkpoint_every(1 << 12, *nodes);
            *nodes -= 1;
            let best = self.expand(
                polygon,
                from_polygon,
                filter,
                scale,
                (goal_number, target),
                (node, approach),
                scratch,
            );
            node = match scratch.next(best) {
                Some(next) => next,
                None => {
                    scratch.corridor.clear();
                    return Progress::Nowhere;
                }
            };
            let entry = scratch.nodes[node as usize];
            from_polygon = if entry.parent == NO_NODE {
                origin
            } else {
                self.beyond(scratch.nodes[entry.parent as usize].edge)
            };
            polygon = self.beyond(entry.edge);
            approach = entry.approach;
            if polygon == goal.polygon {
                break;
            }
        }
        let forced = scratch.corridor.len();
        while node != NO_NODE {
            let entry = &scratch.nodes[node as usize];
            scratch.corridor.push(entry.edge);
            if entry.edge as usize >= self.neighbours.len() {
                scratch.link_places.push(self.link_place(entry.edge, entry.approach.at, scale));
            }
            node = entry.parent;
        }
        scratch.corridor[forced..].reverse();
        scratch.link_places.reverse();
        Progress::Found
    }

    /// Moves from the start to the first polygon with a choice of continuations: costs do not matter
    /// before. `None` once it is reached.
    pub(super) fn advance_forced<F: PolygonFilter, C: TravelCost>(
        &self,
        start: &Spot,
        (goal, target): (&Spot, Local),
        filter: &Usable<'_, F, C>,
        scratch: &mut PathScratch,
        nodes: &mut usize,
    ) -> Option<Progress> {
        let goal_number = self.bridges.number(goal.polygon);
        let Front { mut polygon, mut from_polygon, mut approach, .. } = scratch.front;
        // No polygon can come twice on a valid mesh. The limit ends the loop on any other.
        while scratch.corridor.len() < self.polygon_count() {
            let Some((edge, next)) = self.only_crossing(polygon, from_polygon, goal_number, filter) else {
                break;
            };
            if *nodes == 0 {
                scratch.front = Front { polygon, from_polygon, ..scratch.front };
                return Some(Progress::Running);
            }
            *nodes -= 1;
            scratch.corridor.push(edge);
            (from_polygon, polygon) = (polygon, next);
            if polygon == goal.polygon {
                return Some(Progress::Found);
            }
        }
        // Costs of the forced part are computed now.
        let scale = Scale::of(self);
        let mut passed = start.polygon;
        for index in 0..scratch.corridor.len() {
            let edge = scratch.corridor[index];
            let metre =
                if filter.cost.is_length() { 1.0 } else { filter.cost.per_metre(self, PolyId(passed)) };
            approach = if filter.cost.is_length() { approach } else { approach.at_cost(metre) };
            scratch.is_known(passed, &approach);
            let [a, b] = self.edge_corners(PolyId(passed), edge).map(|corner| scale.corner(corner));
            let next = self.neighbours[edge as usize];
            approach = approach.over(target, a, b).plus(entering(filter.cost, self, passed, next));
            passed = next;
        }
        scratch.origin = polygon;
        scratch.front = Front { node: NO_NODE, polygon, from_polygon, approach, is_forced: false };
        None
    }

    /// Returns the only edge by which a path to the goal can leave a polygon, and the polygon
    /// beyond.
    #[inline]
    fn only_crossing(
        &self,
        polygon: u32,
        from_polygon: u32,
        goal: u32,
        filter: &impl PolygonFilter,
    ) -> Option<(u32, u32)> {
        let first = self.polygon_first[polygon as usize];
        let mut only = None;
        for (edge, &neighbour) in (first..).zip(&self.neighbours[self.edge_range(polygon as usize)]) {
            if neighbour == NO_NEIGHBOUR
                || neighbour == from_polygon
                || !self.bridges.leads_to(goal, edge, polygon, neighbour)
                || !filter.may_cross(self, PolyId(polygon), PolyId(neighbour))
            {
                continue;
            }
            if only.is_some() {
                return None;
            }
            only = Some((edge, neighbour));
        }
        only.filter(|_| self.links.leaving(polygon).is_empty())
    }

    /// Opens the edges and links of `polygon` that do not lead back to `from_polygon`, except the
    /// best: its key is returned. Straight ahead it is the next to be closed, and need not pass
    /// through the heap.
    #[inline]
    #[expect(clippy::too_many_arguments, reason = "the inner loop of one search")]
    fn expand<F: PolygonFilter, C: TravelCost>(
        &self,
        polygon: u32,
        from_polygon: u32,
        filter: &Usable<'_, F, C>,
        scale: Scale,
        (goal, target): (u32, Local),
        (parent, approach): (u32, Approach),
        scratch: &mut PathScratch,
    ) -> u64 {
        let mut best = NO_KEY;
        let metre = if filter.cost.is_length() { 1.0 } else { filter.cost.per_metre(self, PolyId(polygon)) };
        let approach = if filter.cost.is_length() { approach } else { approach.at_cost(metre) };
        if scratch.is_known(polygon, &approach) {
            return best;
        }
        let least = if filter.cost.is_length() { 1.0 } else { filter.cost.least().max(0.0) };
        let range = self.edge_range(polygon as usize);
        let (first, corners, neighbours) =
            (self.polygon_first[polygon as usize], &self.corners[range.clone()], &self.neighbours[range]);
        for (offset, &neighbour) in (0_u32..).zip(neighbours) {
            if neighbour == NO_NEIGHBOUR || neighbour == from_polygon {
                continue;
            }
            let edge = first + offset;
            if !self.bridges.leads_to(goal, edge, polygon, neighbour)
                || !filter.allows(self, PolyId(neighbour))
            {
                continue;
            }
            let next = if offset as usize + 1 == corners.len() { 0 } else { offset as usize + 1 };
            let a = scale.corner(&corners[offset as usize]);
            let b = scale.corner(&corners[next]);
            let toll = entering(filter.cost, self, polygon, neighbour);
            if !filter.cost.is_length() && toll == f32::INFINITY {
                continue;
            }
            scratch.offer_segment(edge, parent, &approach, [a, b, target], (toll, least), &mut best);
        }
        if !self.links.leaving(polygon).is_empty() {
            self.expand_links(
                (polygon, from_polygon),
                filter,
                scale,
                target,
                (parent, approach),
                scratch,
                &mut best,
            );
        }
        best
    }

    /// Expands the links of a polygon as [`Self::expand`] does its edges.
    #[expect(clippy::too_many_arguments, reason = "a part of the inner loop of one search")]
    #[inline(never)]
    pub(super) fn expand_links<F: PolygonFilter, C: TravelCost>(
        &self,
        (polygon, from_polygon): (u32, u32),
        filter: &Usable<'_, F, C>,
        scale: Scale,
        target: Local,
        (parent, approach): (u32, Approach),
        scratch: &mut PathScratch,
        best: &mut u64,
    ) {
        let Approach { at, cost, .. } = approach;
        let metre = if filter.cost.is_length() { 1.0 } else { filter.cost.per_metre(self, PolyId(polygon)) };
        let least = if filter.cost.is_length() { 1.0 } else { filter.cost.least().max(0.0) };
        // No path over any of the links costs less.
        let at_least = cost + at.distance(target) * least;
        for &leaving in self.links.leaving(polygon) {
            let crossing = self.crossing_of(leaving);
            // Asked first: it reads less than the link itself.
            if scratch.is_settled(crossing, at_least) {
                continue;
            }
            let beyond = self.beyond(crossing);
            let id = self.link_id(crossing);
            let is_open = filter.allows(self, PolyId(beyond)) && filter.filter.allows_link(self, id);
            if beyond == from_polygon || !is_open {
                continue;
            }
            let toll = entering(filter.cost, self, polygon, beyond) + taking(filter.cost, self, id);
            if toll == f32::INFINITY {
                continue;
            }
            let (index, backwards) = self.link_of(crossing);
            let link = &self.links.links[index.index()];
            let [[a, b], [c, d]] = link.ends(backwards).map(|end| end.ends.map(|end| scale.vertex(&end)));
            if self.links.is_portal(index) {
                // The string continues, as over an edge.
                let [right, left] = if backwards { [d, c] } else { [c, d] };
                let costs = (link.extra_cost + toll, least);
                scratch.offer_segment(crossing, parent, &approach, [right, left, target], costs, best);
                continue;
            }
            let point = crossing_point(at, target, a, b);
            let landing = c.lerp(d, point.along(a, b));
            let link_place = point.distance(landing) * metre.max(least) + link.extra_cost;
            let next = Approach::turn(landing, cost + at.distance(point) * metre + link_place + toll, metre);
            scratch.offer(crossing, parent, next, next.at.distance(target) * least, best);
        }
    }

    /// Returns how far along its segments a link is taken that is left at `landing`.
    pub(super) fn link_place(&self, crossing: u32, landing: Local, scale: Scale) -> f64 {
        let (link, backwards) = self.link_of(crossing);
        let [_, to] = self.links.links[link.index()].ends(backwards);
        let [c, d] = to.ends.map(|end| scale.vertex(&end));
        f64::from(landing.along(c, d))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_into_a_polygon_is_remembered() {
        let at = |x: f32, cost: f32| Approach::turn(Local { x, y: 0.0, z: 0.0 }, cost, 1.0);
        let mut scratch = PathScratch::default();
        scratch.begin(1, 1);
        assert!(!scratch.is_known(0, &at(0.0, 10.0)));
        // Nearer than from the first, so paths on are looked for; the next are known from there.
        assert!(!scratch.is_known(0, &at(30.0, 12.0)));
        assert!(scratch.is_known(0, &at(31.0, 13.5)));
        assert!(scratch.is_known(0, &at(1.0, 11.5)));
        scratch.begin(1, 1);
        assert!(!scratch.is_known(0, &at(31.0, 13.5)));
    }
}
