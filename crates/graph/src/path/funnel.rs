//! The shortest path through a corridor: a string pulled tight.
//!
//! The funnel holds, from its apex to the two ends of the edge crossed last, the shortest paths to
//! each; both bend outwards. A new edge cuts into one side or the other; where it cuts across, the
//! string turns there and the apex moves on. Every test is exact, each end is added and removed
//! once: linear time.

use std::ops::Range;

use glam::{Vec3, Vec3Swizzles};
use waymesh_core::{PolyId, nearest_f32};

use super::ground::Profile;
use super::options::PathOptions;
use super::search::PathScratch;
use super::{LinkUse, Path};
use crate::geometry::plan::{PlanPosition, orientation};
use crate::locate::nearest::Spot;
use crate::mesh::bounds::{Corner, NO_NEIGHBOUR};
use crate::mesh::costs::{TravelCost, entering, taking};
use crate::mesh::filter::PolygonFilter;
use crate::mesh::links::{LinkEnd, LinkId};
use crate::mesh::nav_mesh::NavMesh;

/// A corner of the string, and the number of corridor edges crossed before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    pub(crate) at: PlanPosition,
    pub(crate) crossed: usize,
}

/// Memory of the funnel.
#[derive(Clone, Debug, Default)]
pub(super) struct Funnel {
    /// The chains of both sides, apex excluded, from the apex outwards. The first entry in use is
    /// `first`.
    left: Chain,
    right: Chain,
    /// The finished string.
    pub(super) turns: Vec<Turn>,
    /// `true` if the string may have turns at which it does not bend.
    has_straight_turns: bool,
}

#[derive(Clone, Debug, Default)]
struct Chain {
    turns: Vec<Turn>,
    first: usize,
}

impl Chain {
    fn clear(&mut self) {
        self.turns.clear();
        self.first = 0;
    }

    /// Returns where it ends: at the apex if it is empty.
    #[inline]
    fn last(&self, apex: PlanPosition) -> PlanPosition {
        if self.turns.len() > self.first { self.turns[self.turns.len() - 1].at } else { apex }
    }
}

impl Funnel {
    fn begin(&mut self, start: PlanPosition) {
        self.left.clear();
        self.right.clear();
        self.turns.clear();
        self.turns.push(Turn { at: start, crossed: 0 });
        self.has_straight_turns = false;
    }

    /// Moves one side of the funnel to `point`.
    #[inline]
    fn narrow<const LEFT: bool>(&mut self, point: Turn) {
        let Self { left, right, turns, has_straight_turns } = self;
        let (own, other) = if LEFT { (left, right) } else { (right, left) };
        let mut apex = turns[turns.len() - 1].at;
        // Positive where the path from `a` over `b` to `c` bends outwards.
        let bend = |a: PlanPosition, b: PlanPosition, c: PlanPosition| {
            let side = orientation(a, b, c);
            if LEFT { side } else { -side }
        };
        let mut end = own.last(apex);
        if end == point.at {
            return;
        }
        // Turns that the new end cuts off on its own side.
        let mut length = own.turns.len();
        while length > own.first {
            length -= 1;
            let before = if length > own.first { own.turns[length - 1].at } else { apex };
            if bend(before, end, point.at) > 0.0 {
                own.turns.truncate(length + 1);
                own.turns.push(point);
                return;
            }
            end = before;
        }
        own.clear();
        // The string turns where the end cuts across the other side.
        while let Some(&turn) = other.turns.get(other.first) {
            let side = bend(apex, turn.at, point.at);
            if side > 0.0 {
                break;
            }
            if side == 0.0 {
                // The funnel is a line: the string passes its nearer end, and may turn back there.
                if along(apex, turn.at, point.at) <= 0.0 {
                    break;
                }
                *has_straight_turns = true;
                if apex.distance_squared(point.at) < apex.distance_squared(turn.at) {
                    turns.push(point);
                    return;
                }
            }
            turns.push(turn);
            apex = turn.at;
            other.first += 1;
        }
        if point.at != apex {
            own.turns.push(point);
        }
    }

    /// Takes the turns of a leg from those of a path.
    fn take_turns(&mut self, [start, goal]: [PlanPosition; 2], leg: &Leg<'_>, turns: &[Turn]) {
        let Range { start: first, end } = leg.range;
        self.begin(start);
        self.turns[0].crossed = first;
        for turn in turns.iter().filter(|turn| (first..=end).contains(&turn.crossed)) {
            if turn.at != self.turns[self.turns.len() - 1].at && turn.at != goal {
                self.turns.push(*turn);
            }
        }
        self.turns.push(Turn { at: goal, crossed: end });
    }

    /// Ends the string at `goal`.
    fn finish(&mut self, goal: Turn) {
        self.narrow::<true>(goal);
        let first = self.left.first;
        for index in first..self.left.turns.len() {
            self.turns.push(self.left.turns[index]);
        }
        // A crossing may end at the goal: those behind it are crossed there.
        let last = self.turns.len() - 1;
        self.turns[last].crossed = goal.crossed;
        if self.has_straight_turns {
            let mut last = self.turns[0].at;
            let mut index = 1;
            while index + 1 < self.turns.len() {
                let [at, next] = [self.turns[index].at, self.turns[index + 1].at];
                if orientation(last, at, next) == 0.0 && along(at, last, next) < 0.0 {
                    self.turns.remove(index);
                } else {
                    last = at;
                    index += 1;
                }
            }
        }
    }
}

/// Returns the scalar product of the vectors from `at` to `a` and to `b`: positive in one
/// direction, negative in opposite ones.
fn along(at: PlanPosition, a: PlanPosition, b: PlanPosition) -> f64 {
    (a.x - at.x) * (b.x - at.x) + (a.z - at.z) * (b.z - at.z)
}

/// Edges of a corridor between two links that are not crossed like edges, or the ends of the path.
pub(super) struct Leg<'a> {
    pub(super) corridor: &'a [u32],
    pub(super) range: Range<usize>,
    pub(super) cross_points: bool,
    /// [`PathOptions::ground_error`].
    pub(super) ground_error: Option<f32>,
}

impl<'a> Leg<'a> {
    /// Returns the edges between two turns, with their places in the corridor.
    pub(super) fn between(&self, from: Turn, to: Turn) -> impl Iterator<Item = (usize, &'a u32)> + use<'a> {
        self.corridor.iter().enumerate().take(to.crossed).skip(from.crossed)
    }
}

impl NavMesh {
    /// Pulls the string through `scratch.corridor` and writes polygons, points and length.
    pub(super) fn write_path<F, C: TravelCost, S>(
        &self,
        start: &Spot,
        goal: &Spot,
        [start_position, goal_position]: [Vec3; 2],
        options: &PathOptions<F, C, S>,
        scratch: &mut PathScratch,
        path: &mut Path,
    ) {
        let PathOptions { cross_points, ground_error, .. } = *options;
        let PathScratch {
            corridor,
            link_places,
            funnel,
            profile,
            is_straight,
            has_turns,
            keeps_turns,
            any_angle,
            ..
        } = scratch;
        let known = keeps_turns.then_some(&*any_angle.string);
        profile.length = 0.0;
        // Its turns are all that is to be written.
        let is_plain = options.cost.is_length() && !cross_points && ground_error.is_none();
        path.polygons.push(PolyId(start.polygon));
        path.polygons.extend(corridor.iter().map(|&crossing| PolyId(self.beyond(crossing))));
        path.points.push(start_position);
        if *is_straight && is_plain {
            if !same_plan(start_position, goal_position) {
                path.points.push(goal_position);
            }
            path.length = length(&path.points);
            path.cost = path.length;
            return;
        }
        if *has_turns && is_plain {
            self.write_turns([start.at, goal.at], goal_position, corridor, &any_angle.string, path);
            path.length = length(&path.points);
            path.cost = path.length;
            return;
        }
        let (mut from, mut first) = (start.at, 0);
        for (crossed, crossing, along) in self.links_on(corridor, link_places) {
            let (link, backwards) = self.link_of(crossing);
            let [leave, arrive] = self.links.links[link.index()].ends(backwards);
            let (at, position) = self.on_segment(leave, along);
            let leg = Leg { corridor, range: first..crossed, cross_points, ground_error };
            self.write_leg([from, at], position, &leg, &options.cost, (funnel, profile, known), path);
            self.take_link(crossing, &options.cost, path);
            let left_at = position;
            let (at, position) = self.on_segment(arrive, along);
            profile.length += f64::from(left_at.distance(position));
            if !options.cost.is_length() {
                let metre = options.cost.per_metre(self, path.polygons[crossed]).max(options.cost.least());
                path.cost += left_at.distance(position) * metre
                    + entering(&options.cost, self, path.polygons[crossed].0, path.polygons[crossed + 1].0);
            }
            // A ladder ends where it begins, in plan.
            path.points.push(position);
            (from, first) = (at, crossed + 1);
        }
        let leg = Leg { corridor, range: first..corridor.len(), cross_points, ground_error };
        self.write_leg([from, goal.at], goal_position, &leg, &options.cost, (funnel, profile, known), path);
        path.length = if ground_error.is_some() { nearest_f32(profile.length) } else { length(&path.points) };
        if options.cost.is_length() {
            path.cost += path.length;
        }
    }

    /// Writes the points of a path whose turns are known, after its first. They are those that a
    /// string would have that is pulled through its corridor, which has no links.
    fn write_turns(
        &self,
        [start, goal]: [PlanPosition; 2],
        goal_position: Vec3,
        corridor: &[u32],
        turns: &[Turn],
        path: &mut Path,
    ) {
        let mut last = start;
        for (index, &Turn { at, mut crossed }) in turns.iter().enumerate() {
            let next = turns.get(index + 1).map_or(goal, |turn| turn.at);
            let is_onward = (at.x - last.x) * (next.x - at.x) + (at.z - last.z) * (next.z - at.z) >= 0.0;
            if is_onward && orientation(last, at, next) == 0.0 {
                continue;
            }
            last = at;
            // In the polygon from which the first edge that ends there is crossed.
            while crossed > 0
                && self.edge_ends(path.polygons[crossed - 1], corridor[crossed - 1]).contains(&at)
            {
                crossed -= 1;
            }
            let position = self.position_in(path.polygons[crossed], at);
            push_point(path, position);
        }
        push_goal(path, 1, goal_position);
    }

    /// Returns the links of a corridor that are not crossed like edges: its place in the corridor,
    /// the crossing, and how far along its segments it is taken.
    fn links_on(&self, corridor: &[u32], link_places: &[f64]) -> impl Iterator<Item = (usize, u32, f64)> {
        let links = corridor.iter().copied().enumerate().filter(|&(_, crossing)| self.is_link(crossing));
        // Each link has its place, also those that are crossed like an edge.
        let link_places = link_places.iter().copied().chain(std::iter::repeat(0.0));
        let links = links.zip(link_places).map(|((crossed, crossing), along)| (crossed, crossing, along));
        links.filter(|&(_, crossing, _)| !self.is_crossed(crossing))
    }

    /// The turns of the shortest path through `scratch.corridor`, ends included, and both ends of
    /// the links that are not crossed like edges.
    pub(crate) fn string_turns(
        &self,
        start: &Spot,
        goal: &Spot,
        polygons: &[PolyId],
        scratch: &mut PathScratch,
        turns: &mut Vec<Turn>,
    ) {
        turns.clear();
        turns.push(Turn { at: start.at, crossed: 0 });
        let PathScratch { corridor, link_places, funnel, .. } = scratch;
        let (mut from, mut first) = (start.at, 0);
        for (crossed, crossing, along) in self.links_on(corridor, link_places) {
            let (link, backwards) = self.link_of(crossing);
            let [leave, arrive] = self.links.links[link.index()].ends(backwards);
            let leg = Leg { corridor, range: first..crossed, cross_points: false, ground_error: None };
            self.pull_string(from, self.on_segment(leave, along).0, polygons, &leg, funnel);
            turns.extend(&funnel.turns[1..]);
            (from, first) = (self.on_segment(arrive, along).0, crossed + 1);
            turns.push(Turn { at: from, crossed: first });
        }
        let range = first..corridor.len();
        let leg = Leg { corridor, range, cross_points: false, ground_error: None };
        self.pull_string(from, goal.at, polygons, &leg, funnel);
        turns.extend(&funnel.turns[1..]);
    }

    /// Writes the points of a leg after its first, which is the last of the path so far.
    fn write_leg<C: TravelCost>(
        &self,
        [start, goal]: [PlanPosition; 2],
        goal_position: Vec3,
        leg: &Leg<'_>,
        cost: &C,
        (funnel, profile, known): (&mut Funnel, &mut Profile, Option<&[Turn]>),
        path: &mut Path,
    ) {
        match known {
            Some(turns) => funnel.take_turns([start, goal], leg, turns),
            None => self.pull_string(start, goal, &path.polygons, leg, funnel),
        }
        for crossed in leg.range.start..funnel.turns[0].crossed {
            // At the start.
            let [polygon, beyond] = [path.polygons[crossed], path.polygons[crossed + 1]];
            if self.is_link(leg.corridor[crossed]) {
                self.take_link(leg.corridor[crossed], cost, path);
                if leg.ground_error.is_some() {
                    path.points.extend(self.step_between([polygon, beyond], start, profile));
                }
            }
            path.cost += if cost.is_length() { 0.0 } else { entering(cost, self, polygon.0, beyond.0) };
        }
        let begin = path.points.len();
        let last = funnel.turns.len() - 1;
        for (index, pair) in funnel.turns.windows(2).enumerate() {
            let [from, to] = [pair[0], pair[1]];
            if let Some(error) = leg.ground_error {
                let costs = self.write_ground([from, to], leg, cost, error, profile, path);
                path.cost += if cost.is_length() { 0.0 } else { costs };
            } else if !cost.is_length() {
                path.cost += self.cost_between([from, to], leg, cost, &path.polygons);
            }
            let crossings = leg.ground_error.is_none().then(|| leg.between(from, to));
            for (crossed, &crossing) in crossings.into_iter().flatten() {
                if self.is_link(crossing) {
                    self.take_link(crossing, cost, path);
                }
                if leg.cross_points {
                    self.write_crossing([from, to], path.polygons[crossed], crossing, path);
                }
            }
            if index + 1 < last {
                let position = self.position_in(path.polygons[to.crossed], to.at);
                push_point(path, position);
            } else {
                push_goal(path, begin, goal_position);
            }
        }
    }

    /// Adds a link that is taken after the last point of the path so far, and its cost without its
    /// length.
    pub(super) fn take_link<C: TravelCost>(&self, crossing: u32, cost: &C, path: &mut Path) {
        let (link, backwards) = self.link_of(crossing);
        let point = path.points.len() - 1;
        let id = self.links.ids[link.index()];
        path.links.push(LinkUse { link: id, backwards, point });
        path.cost += self.links.links[link.index()].extra_cost + taking(cost, self, id);
    }

    /// The turns of the shortest path from `start` to `goal` through the edges of a leg, ends
    /// included.
    pub(super) fn pull_string(
        &self,
        start: PlanPosition,
        goal: PlanPosition,
        polygons: &[PolyId],
        leg: &Leg<'_>,
        funnel: &mut Funnel,
    ) {
        funnel.begin(start);
        let (mut crossed, end) = (leg.range.start, leg.range.end);
        // Edges that the start lies on are crossed already.
        while crossed < end {
            let [right, left] = self.edge_ends(polygons[crossed], leg.corridor[crossed]);
            if orientation(start, right, left) > 0.0 || along(start, right, left) > 0.0 {
                break;
            }
            crossed += 1;
        }
        funnel.turns[0].crossed = crossed;
        let mut last = [start; 2];
        while crossed < end {
            let [right, left] = self.edge_ends(polygons[crossed], leg.corridor[crossed]);
            // As a rule one end is that of the edge before.
            if left != last[1] {
                funnel.narrow::<true>(Turn { at: left, crossed });
            }
            if right != last[0] {
                funnel.narrow::<false>(Turn { at: right, crossed });
            }
            last = [right, left];
            crossed += 1;
        }
        funnel.finish(Turn { at: goal, crossed });
    }

    #[inline]
    pub(crate) fn is_link(&self, crossing: u32) -> bool {
        crossing as usize >= self.neighbours.len()
    }

    /// Returns the polygon beyond an edge or a link, if there is one and a filter lets a path cross.
    #[inline]
    pub(crate) fn open_crossing(
        &self,
        polygon: u32,
        crossing: u32,
        filter: &impl PolygonFilter,
    ) -> Option<u32> {
        let beyond = self.beyond(crossing);
        let is_open = beyond != NO_NEIGHBOUR
            && filter.may_cross(self, PolyId(polygon), PolyId(beyond))
            && (!self.is_link(crossing) || filter.allows_link(self, self.link_id(crossing)));
        is_open.then_some(beyond)
    }

    /// Returns the id of the link that a crossing is.
    pub(crate) fn link_id(&self, crossing: u32) -> LinkId {
        self.links.ids[self.link_of(crossing).0.index()]
    }

    /// Returns `true` if a crossing is an edge, or a link that is crossed like one.
    pub(crate) fn is_crossed(&self, crossing: u32) -> bool {
        !self.is_link(crossing) || self.links.is_portal(self.link_of(crossing).0)
    }

    /// Returns `true` if a crossing is a link that costs something or leads one way only.
    pub(crate) fn has_toll(&self, crossing: u32) -> bool {
        self.is_link(crossing) && {
            let (link, _) = self.link_of(crossing);
            !self.links.links[link.index()].is_free()
        }
    }

    /// Returns a place on a link's segment.
    pub(crate) fn on_segment(&self, end: &LinkEnd, along: f64) -> (PlanPosition, Vec3) {
        let [a, b] = end.ends;
        let mix = |from: f64, to: f64| from + (to - from) * along;
        let at = PlanPosition::snapped(
            mix(f64::from(a.point.x), f64::from(b.point.x)),
            mix(f64::from(a.point.z), f64::from(b.point.z)),
        );
        (at, self.frame.to_world(at.x, mix(f64::from(a.height), f64::from(b.height)), at.z))
    }

    /// Returns the ends of an edge in the plan: right and left of an agent that leaves the polygon
    /// across it.
    #[inline]
    pub(crate) fn edge_ends(&self, polygon: PolyId, crossing: u32) -> [PlanPosition; 2] {
        if self.is_link(crossing) {
            let (link, backwards) = self.link_of(crossing);
            let [a, b] = self.links.links[link.index()].from.ends.map(|end| end.point);
            let [right, left] = if backwards { [b, a] } else { [a, b] };
            return [right, left].map(|point| PlanPosition::on_grid(point.x, point.z));
        }
        self.edge_corners(polygon, crossing).map(|corner| PlanPosition::on_grid(corner.x, corner.z))
    }

    #[inline]
    pub(super) fn edge_corners(&self, polygon: PolyId, edge: u32) -> [&Corner; 2] {
        let range = self.edge_range(polygon.index());
        let edge = edge as usize;
        let next = if edge + 1 == range.end { range.start } else { edge + 1 };
        [&self.corners[edge], &self.corners[next]]
    }

    /// Returns what the straight path between two turns costs.
    fn cost_between<C: TravelCost>(
        &self,
        [from, to]: [Turn; 2],
        leg: &Leg<'_>,
        cost: &C,
        polygons: &[PolyId],
    ) -> f32 {
        let mut sum = 0.0;
        let mut polygon = polygons[from.crossed];
        let mut last = self.position_in(polygon, from.at);
        for (crossed, &crossing) in leg.between(from, to) {
            let at = self.passed_at([from, to], polygons[crossed], crossing);
            let position = self.position_in(polygons[crossed], at);
            sum += last.distance(position) * cost.per_metre(self, polygon);
            polygon = polygons[crossed + 1];
            sum += entering(cost, self, polygons[crossed].0, polygon.0);
            last = position;
        }
        sum + last.distance(self.position_in(polygon, to.at)) * cost.per_metre(self, polygon)
    }

    /// Returns where the segment between two turns passes an edge, in one of its ends where it does
    /// not cross it.
    pub(super) fn passed_at(&self, [from, to]: [Turn; 2], polygon: PolyId, crossing: u32) -> PlanPosition {
        self.crossing_at([from, to], polygon, crossing).unwrap_or_else(|| {
            let ends = self.edge_ends(polygon, crossing);
            if ends.contains(&from.at) {
                from.at
            } else if ends.contains(&to.at) {
                to.at
            } else {
                // In line with the edge, it passes the nearer end first.
                let [a, b] = ends.map(|end| (end.distance_squared(from.at), end));
                if a.0 < b.0 { a.1 } else { b.1 }
            }
        })
    }

    /// Writes the point where the segment between two turns crosses an edge.
    fn write_crossing(&self, turns: [Turn; 2], polygon: PolyId, crossing: u32, path: &mut Path) {
        if let Some(at) = self.crossing_at(turns, polygon, crossing) {
            push_point(path, self.position_in(polygon, at));
        }
    }

    /// Returns where the segment between two turns crosses an edge, unless one is an end of the
    /// other or both are in line.
    fn crossing_at(&self, [from, to]: [Turn; 2], polygon: PolyId, crossing: u32) -> Option<PlanPosition> {
        let [right, left] = self.edge_ends(polygon, crossing);
        let (r, l) = (orientation(from.at, to.at, right), orientation(from.at, to.at, left));
        if [right, left].iter().any(|&end| end == from.at || end == to.at) || l - r <= 0.0 {
            return None;
        }
        let t = (-r / (l - r)).clamp(0.0, 1.0);
        Some(PlanPosition { x: right.x + (left.x - right.x) * t, z: right.z + (left.z - right.z) * t })
    }

    pub(super) fn position_in(&self, polygon: PolyId, at: PlanPosition) -> Vec3 {
        self.on_ground(polygon, self.frame.to_world(at.x, 0.0, at.z))
    }
}

/// Adds a point unless it is the last one again, in plan.
pub(super) fn push_point(path: &mut Path, position: Vec3) {
    if path.points.last().is_none_or(|&last| !same_plan(last, position)) {
        path.points.push(position);
    }
}

/// Appends the end of a leg whose points start at `begin`, or replaces a turn that is equal to it
/// in plan.
fn push_goal(path: &mut Path, begin: usize, position: Vec3) {
    if path.points.len() > begin && same_plan(path.points[path.points.len() - 1], position) {
        path.points.pop();
    }
    push_point(path, position);
}

pub(super) fn same_plan(first: Vec3, second: Vec3) -> bool {
    first.xz() == second.xz()
}

/// Returns the length of a chain in plan.
#[expect(clippy::cast_possible_truncation, reason = "summed in double precision, returned in single")]
pub(crate) fn plan_length(points: &[Vec3]) -> f32 {
    let lengths = points.windows(2).map(|pair| pair[0].as_dvec3().xz().distance(pair[1].as_dvec3().xz()));
    lengths.fold(0.0, |sum, length| sum + length) as f32
}

#[expect(clippy::cast_possible_truncation, reason = "summed in double precision, returned in single")]
pub(super) fn length(points: &[Vec3]) -> f32 {
    let lengths = points.windows(2).map(|pair| pair[0].as_dvec3().distance(pair[1].as_dvec3()));
    // Not `sum`: that of nothing is -0.
    lengths.fold(0.0, |sum, length| sum + length) as f32
}
