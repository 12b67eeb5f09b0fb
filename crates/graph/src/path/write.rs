//! Writes the path through a corridor, and measures it.

use glam::{Vec3, Vec3Swizzles};
use waymesh_core::{PolyId, nearest_f32};

use super::ends::Ends;
use super::funnel::{Funnel, Leg, Turn};
use super::ground::Profile;
use super::options::PathOptions;
use super::result::{LinkUse, Outcome, Path, length, plan_length, push_point, same_plan};
use super::scratch::PathScratch;
use crate::geometry::plan::{PlanPosition, orientation};
use crate::locate::nearest::Spot;
use crate::mesh::costs::{Rules, TravelCost, Usable};
use crate::mesh::filter::AnyPolygon;
use crate::mesh::nav_mesh::NavMesh;

impl NavMesh {
    /// Pulls the string through `scratch.corridor` and writes polygons, points and length.
    pub(crate) fn write_path<F, C: TravelCost, S>(
        &self,
        [start, goal]: [&Spot; 2],
        [start_position, goal_position]: [Vec3; 2],
        options: &PathOptions<F, C, S>,
        scratch: &mut PathScratch,
        path: &mut Path,
    ) {
        let PathOptions { cross_points, ground_error, .. } = *options;
        let rules = &Usable { filter: &AnyPolygon, cost: &options.cost };
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
        let is_plain = rules.is_length() && !cross_points && ground_error.is_none();
        path.polygons.push(PolyId(start.polygon));
        path.polygons.extend(corridor.iter().map(|&crossing| PolyId(self.beyond(crossing))));
        path.points.push(start_position);
        if is_plain && (*is_straight || *has_turns) {
            if !*is_straight {
                self.write_turns([start.at, goal.at], goal_position, corridor, &any_angle.string, path);
            } else if !same_plan(start_position, goal_position) {
                path.points.push(goal_position);
            }
            path.length = length(&path.points);
            path.cost = path.length;
            return;
        }
        let (mut from, mut first) = (start.at, 0);
        for (crossed, crossing, along) in self.links_on(corridor, link_places) {
            let [leave, arrive] = self.link_ends(crossing);
            let (at, position) = self.on_segment(leave, along);
            let leg = Leg { corridor, range: first..crossed, cross_points, ground_error };
            self.write_leg([from, at], position, &leg, rules, (funnel, profile, known), path);
            self.take_link(crossing, rules, path);
            let left_at = position;
            let (at, position) = self.on_segment(arrive, along);
            profile.length += f64::from(left_at.distance(position));
            if !rules.is_length() {
                let [begin, end] = [path.polygons[crossed].0, path.polygons[crossed + 1].0];
                let metre = rules.per_metre(self, begin).max(rules.least());
                path.cost += left_at.distance(position) * metre + rules.entering(self, begin, end);
            }
            // A ladder ends where it begins, in plan.
            path.points.push(position);
            (from, first) = (at, crossed + 1);
        }
        let leg = Leg { corridor, range: first..corridor.len(), cross_points, ground_error };
        self.write_leg([from, goal.at], goal_position, &leg, rules, (funnel, profile, known), path);
        path.length = if ground_error.is_some() { nearest_f32(profile.length) } else { length(&path.points) };
        if rules.is_length() {
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

    /// Writes the points of a leg after its first, which is the last of the path so far.
    fn write_leg(
        &self,
        [start, goal]: [PlanPosition; 2],
        goal_position: Vec3,
        leg: &Leg<'_>,
        rules: &impl Rules,
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
                self.take_link(leg.corridor[crossed], rules, path);
                if leg.ground_error.is_some() {
                    profile.points.clear();
                    self.begin_ground(polygon, start, profile);
                    path.points.extend(self.begin_ground(beyond, start, profile));
                }
            }
            path.cost += rules.entering(self, polygon.0, beyond.0);
        }
        let begin = path.points.len();
        let last = funnel.turns.len() - 1;
        for (index, pair) in funnel.turns.windows(2).enumerate() {
            let [from, to] = [pair[0], pair[1]];
            if let Some(error) = leg.ground_error {
                let costs = self.write_ground([from, to], leg, rules, error, profile, path);
                path.cost += if rules.is_length() { 0.0 } else { costs };
            } else if !rules.is_length() {
                path.cost += self.cost_between([from, to], leg, rules, &path.polygons);
            }
            let crossings = leg.ground_error.is_none().then(|| leg.between(from, to));
            for (crossed, &crossing) in crossings.into_iter().flatten() {
                if self.is_link(crossing) {
                    self.take_link(crossing, rules, path);
                }
                let polygon = path.polygons[crossed];
                if leg.cross_points
                    && let Some(at) = self.crossing_at([from, to], polygon, crossing)
                {
                    push_point(path, self.position_in(polygon, at));
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

    /// Writes the points between two turns, so that the path is no farther than `error` metres above
    /// or below the ground. Returns what that part of the path costs.
    fn write_ground(
        &self,
        [from, to]: [Turn; 2],
        leg: &Leg<'_>,
        rules: &impl Rules,
        error: f32,
        profile: &mut Profile,
        path: &mut Path,
    ) -> f32 {
        let error = f64::from(error);
        let (mut polygon, mut at, mut sum) = (path.polygons[from.crossed], from.at, 0.0);
        profile.points.clear();
        self.begin_ground(polygon, at, profile);
        for (crossed, &crossing) in leg.between(from, to) {
            let next = self.passed_at([from, to], polygon, crossing);
            sum += nearest_f32(self.trace(polygon, [at, next], profile)) * rules.per_metre(self, polygon.0);
            if leg.cross_points || self.is_link(crossing) {
                profile.flush(error, true, |point| push_point(path, self.ground_to_world(point)));
            }
            (polygon, at) = (path.polygons[crossed + 1], next);
            sum += rules.entering(self, path.polygons[crossed].0, polygon.0);
            if self.is_link(crossing) {
                self.take_link(crossing, rules, path);
                path.points.extend(self.begin_ground(polygon, at, profile));
            }
        }
        sum += nearest_f32(self.trace(polygon, [at, to.at], profile)) * rules.per_metre(self, polygon.0);
        profile.flush(error, false, |point| push_point(path, self.ground_to_world(point)));
        sum
    }

    /// Adds a link that is taken after the last point of the path so far, and its cost without its
    /// length.
    fn take_link(&self, crossing: u32, rules: &impl Rules, path: &mut Path) {
        let (link, backwards) = self.link_of(crossing);
        let point = path.points.len() - 1;
        let id = self.links.ids[link.index()];
        path.links.push(LinkUse { link: id, backwards, point });
        path.cost += self.links.links[link.index()].extra_cost + rules.taking(self, id);
    }

    /// Returns what the straight path between two turns costs.
    fn cost_between(
        &self,
        [from, to]: [Turn; 2],
        leg: &Leg<'_>,
        rules: &impl Rules,
        polygons: &[PolyId],
    ) -> f32 {
        let mut sum = 0.0;
        let mut polygon = polygons[from.crossed];
        let mut last = self.position_in(polygon, from.at);
        for (crossed, &crossing) in leg.between(from, to) {
            let at = self.passed_at([from, to], polygons[crossed], crossing);
            let position = self.position_in(polygons[crossed], at);
            sum += last.distance(position) * rules.per_metre(self, polygon.0);
            polygon = polygons[crossed + 1];
            sum += rules.entering(self, polygons[crossed].0, polygon.0);
            last = position;
        }
        sum + last.distance(self.position_in(polygon, to.at)) * rules.per_metre(self, polygon.0)
    }

    pub(crate) fn write_complete<F, C: TravelCost, S>(
        &self,
        ends: &Ends,
        options: &PathOptions<F, C, S>,
        scratch: &mut PathScratch,
        path: &mut Path,
    ) {
        path.outcome = Outcome::Complete;
        (path.was_cut, path.found_by) = (scratch.was_cut, scratch.found_by);
        let positions = [ends.start_position, ends.goal_position];
        self.write_path([&ends.start, &ends.goal], positions, options, scratch, path);
        path.plan_length = plan_length(&path.points);
    }

    /// Returns the length as the search for the shortest path measures it: in plan, links in space,
    /// and what links cost.
    pub(crate) fn plan_length(&self, path: &Path) -> f64 {
        let extra = path.links.iter().filter_map(|taken| Some(f64::from(self.link(taken.link)?.extra_cost)));
        let mut sum: f64 = extra.sum();
        let mut links = path.links.iter().filter(|taken| !self.is_crossed_like_edge(taken.link)).peekable();
        for (index, pair) in path.points.windows(2).enumerate() {
            let [a, b] = [pair[0].as_dvec3(), pair[1].as_dvec3()];
            let is_link = links.next_if(|taken| taken.point == index).is_some();
            sum += if is_link { a.distance(b) } else { a.xz().distance(b.xz()) };
        }
        sum
    }

    /// Returns what a search counts for a path: its cost, else its length in plan or on the ground.
    pub(crate) fn cost_of<F, C: TravelCost, S>(&self, path: &Path, options: &PathOptions<F, C, S>) -> f64 {
        if options.cost.is_length() && !options.rises { self.plan_length(path) } else { path.cost.into() }
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
