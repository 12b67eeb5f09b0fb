//! A* over the edges between polygons, and the straight line from start to goal that needs no
//! search.

use waymesh_core::{PolyId, checkpoint_every, to_u32};

use super::frontier::NO_NODE;
use super::local::{Approach, Local, Scale, crossing_point};
use super::progress::{How, LastSearch, Progress};
use super::scratch::{Front, PathScratch};
use crate::locate::nearest::Spot;
use crate::locate::ray::RayExit;
use crate::mesh::bounds::NO_NEIGHBOUR;
use crate::mesh::costs::Rules;
use crate::mesh::fans::WalkEdge;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::nav_mesh::NavMesh;

impl NavMesh {
    /// Searches the edges to cross from `start` to `goal` and leaves them in `scratch.corridor`.
    /// Returns `true` if there is a path.
    pub(crate) fn search_corridor(
        &self,
        [start, goal]: [&Spot; 2],
        filter: &impl Rules,
        scratch: &mut PathScratch,
    ) -> bool {
        self.begin_corridor([start, goal], filter, scratch);
        let mut nodes = usize::MAX;
        self.advance_corridor([start, goal], filter, scratch, &mut nodes) == Progress::Found
    }

    /// Begins a search for [`NavMesh::advance_corridor`].
    pub(crate) fn begin_corridor(
        &self,
        [start, goal]: [&Spot; 2],
        filter: &impl Rules,
        scratch: &mut PathScratch,
    ) {
        scratch.corridor.clear();
        scratch.link_places.clear();
        (scratch.has_turns, scratch.keeps_turns) = (false, false);
        scratch.last = LastSearch::new(How::Edges, self, start);
        scratch.is_straight = start.polygon == goal.polygon
            || (filter.is_length() && self.goes_straight([start, goal], filter, &mut scratch.corridor));
        if scratch.is_straight {
            return;
        }
        scratch.frontier.begin(self.crossing_count(), self.polygon_bound());
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
    pub(crate) fn advance_corridor(
        &self,
        [start, goal]: [&Spot; 2],
        filter: &impl Rules,
        scratch: &mut PathScratch,
        nodes: &mut usize,
    ) -> Progress {
        if scratch.is_straight {
            return Progress::Found;
        }
        let scale = Scale::of(self);
        let target = scale.spot(goal);
        let goal_number = self.topology.bridges.number(goal.polygon);
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
            let aim = (goal_number, target);
            self.expand([polygon, from_polygon], filter, scale, aim, (node, approach), scratch);
            let Some(next) = scratch.frontier.next() else {
                scratch.corridor.clear();
                return Progress::Nowhere;
            };
            node = next;
            let entry = scratch.frontier.nodes[node as usize];
            from_polygon = if entry.parent == NO_NODE {
                origin
            } else {
                self.beyond(scratch.frontier.nodes[entry.parent as usize].edge)
            };
            polygon = self.beyond(entry.edge);
            approach = entry.approach;
            if polygon == goal.polygon {
                break;
            }
        }
        let forced = scratch.corridor.len();
        while node != NO_NODE {
            let entry = &scratch.frontier.nodes[node as usize];
            scratch.corridor.push(entry.edge);
            if entry.edge as usize >= self.topology.neighbours.len() {
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
    pub(super) fn advance_forced(
        &self,
        start: &Spot,
        (goal, target): (&Spot, Local),
        filter: &impl Rules,
        scratch: &mut PathScratch,
        nodes: &mut usize,
    ) -> Option<Progress> {
        let goal_number = self.topology.bridges.number(goal.polygon);
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
            approach = approach.at_cost(filter.per_metre(self, passed));
            scratch.frontier.is_known(passed, &approach);
            let [a, b] = self.edge_corners(PolyId(passed), edge).map(|corner| scale.corner(corner));
            let next = self.topology.neighbours[edge as usize];
            approach = approach.over(target, a, b).plus(filter.entering(self, passed, next));
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
        let first = self.topology.polygon_first[polygon as usize];
        let mut only = None;
        for (edge, &neighbour) in (first..).zip(&self.topology.neighbours[self.edge_range(polygon as usize)])
        {
            if neighbour == NO_NEIGHBOUR
                || neighbour == from_polygon
                || !self.topology.bridges.leads_to(goal, edge, polygon, neighbour)
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
    fn expand(
        &self,
        [polygon, from_polygon]: [u32; 2],
        filter: &impl Rules,
        scale: Scale,
        (goal, target): (u32, Local),
        (parent, approach): (u32, Approach),
        scratch: &mut PathScratch,
    ) {
        let approach = approach.at_cost(filter.per_metre(self, polygon));
        if scratch.frontier.is_known(polygon, &approach) {
            return;
        }
        let least = filter.least();
        let range = self.edge_range(polygon as usize);
        let (first, corners, neighbours) = (
            self.topology.polygon_first[polygon as usize],
            &self.topology.corners[range.clone()],
            &self.topology.neighbours[range],
        );
        for (offset, &neighbour) in (0_u32..).zip(neighbours) {
            if neighbour == NO_NEIGHBOUR || neighbour == from_polygon {
                continue;
            }
            let edge = first + offset;
            if !self.topology.bridges.leads_to(goal, edge, polygon, neighbour)
                || !filter.allows(self, PolyId(neighbour))
            {
                continue;
            }
            let next = if offset as usize + 1 == corners.len() { 0 } else { offset as usize + 1 };
            let a = scale.corner(&corners[offset as usize]);
            let b = scale.corner(&corners[next]);
            let toll = filter.entering(self, polygon, neighbour);
            if !filter.is_length() && toll == f32::INFINITY {
                continue;
            }
            scratch.frontier.offer_segment(edge, parent, &approach, [a, b, target], (toll, least));
        }
        if !self.links.leaving(polygon).is_empty() {
            self.expand_links([polygon, from_polygon], filter, scale, target, (parent, approach), scratch);
        }
    }

    /// Expands the links of a polygon as [`Self::expand`] does its edges.
    #[inline(never)]
    pub(super) fn expand_links(
        &self,
        [polygon, from_polygon]: [u32; 2],
        filter: &impl Rules,
        scale: Scale,
        target: Local,
        (parent, approach): (u32, Approach),
        scratch: &mut PathScratch,
    ) {
        let Approach { at, cost, .. } = approach;
        let (metre, least) = (filter.per_metre(self, polygon), filter.least());
        // No path over any of the links costs less.
        let at_least = cost + at.distance(target) * least;
        for crossing in self.links_from(polygon) {
            // Asked first: it reads less than the link itself.
            if scratch.frontier.is_settled(crossing, at_least) {
                continue;
            }
            let beyond = self.beyond(crossing);
            let id = self.link_id(crossing);
            let is_open = filter.allows(self, PolyId(beyond)) && filter.allows_link(self, id);
            if beyond == from_polygon || !is_open {
                continue;
            }
            let toll = filter.entering(self, polygon, beyond) + filter.taking(self, id);
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
                scratch.frontier.offer_segment(crossing, parent, &approach, [right, left, target], costs);
                continue;
            }
            let point = crossing_point(at, target, a, b);
            let landing = c.lerp(d, point.along(a, b));
            let link_place = point.distance(landing) * metre.max(least) + link.extra_cost;
            let next = Approach::turn(landing, cost + at.distance(point) * metre + link_place + toll, metre);
            scratch.frontier.offer(crossing, parent, next, next.at.distance(target) * least);
        }
    }

    /// Returns how far along its segments a link is taken that is left at `landing`.
    pub(super) fn link_place(&self, crossing: u32, landing: Local, scale: Scale) -> f64 {
        let [c, d] = self.link_ends(crossing)[1].ends.map(|end| scale.vertex(&end));
        f64::from(landing.along(c, d))
    }

    /// Leaves the edges that are crossed straight from `start` to `goal` in `corridor`, if
    /// each is crossed through its inside and the last leads into the polygon of the goal.
    /// Returns `true` if this is so; the corridor is empty otherwise.
    ///
    /// Takes a few nanoseconds for each polygon up to the first wall: usually less than opening a
    /// few nodes of a search.
    pub(super) fn goes_straight(
        &self,
        [start, goal]: [&Spot; 2],
        filter: &impl PolygonFilter,
        corridor: &mut Vec<u32>,
    ) -> bool {
        corridor.clear();
        let ray = self.ray(start.at, goal.at);
        let (mut polygon, mut exit) = (start.polygon, self.exit_from(start.polygon, &ray));
        while let Some(RayExit::Through(edge)) = exit {
            let WalkEdge { beyond, twin, .. } = self.topology.walk[edge];
            let is_open = beyond != NO_NEIGHBOUR && filter.may_cross(self, PolyId(polygon), PolyId(beyond));
            // A mesh that winds about a point is not walked for ever.
            if !is_open || corridor.len() > self.polygon_count() {
                break;
            }
            corridor.push(to_u32(edge));
            if beyond == goal.polygon {
                return true;
            }
            (polygon, exit) = (beyond, Some(self.exit_through(beyond, twin as usize, &ray)));
        }
        corridor.clear();
        false
    }
}
