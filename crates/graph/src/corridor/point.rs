//! The corridor of a point: crossings from polygon to polygon, and the string through them.

use glam::{Vec3, Vec3Swizzles};
use waymesh_core::PolyId;

use super::options::{Changed, CorridorChange, ReplanReason};
use super::path_corridor::PathCorridor;
use super::string::{MovingString, place_of};
use crate::locate::error::{PathEnd, QueryError};
use crate::locate::nearest::{Place, Spot};
use crate::mesh::costs::TravelCost;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::nav_mesh::NavMesh;
use crate::path::ends::Ends;
use crate::path::options::{PathOptions, PathSearch};
use crate::path::result::{LinkUse, Outcome, Path};
use crate::path::scratch::PathScratch;
use crate::path::steps::Step;
use crate::query::route::{Route, Router};
use crate::scratch::{CorridorScratch, QueryScratch};

impl<F: PolygonFilter, C: TravelCost> PathCorridor<F, C> {
    pub(super) fn replan_point(
        &mut self,
        mesh: &NavMesh,
        from: Place,
        to: Place,
        reason: ReplanReason,
        scratch: &mut QueryScratch,
    ) -> Changed {
        self.begin_plan(from, to, self.version_on(mesh))?;
        let Self { options, path, .. } = self;
        let options = &options.path;
        let mut route = Route::new(options.allow_partial);
        Router { mesh, options, scratch }.find(from, to, &mut route, path)?;
        self.ends = route.ends();
        if self.ends.is_none() {
            return Ok(CorridorChange::Nothing);
        }
        // With rises it is the shortest on the ground, not in plan.
        let is_bound = options.search == PathSearch::Shortest && !options.rises;
        mesh.append_steps(&scratch.paths, &mut self.steps);
        self.keep_string(mesh, &mut scratch.paths);
        self.length = mesh.plan_length(&self.path);
        Ok(self.end_plan(is_bound, reason))
    }

    pub(super) fn move_point_start(
        &mut self,
        mesh: &NavMesh,
        to: Vec3,
        scratch: &mut QueryScratch,
    ) -> Changed {
        QueryError::unless_finite(PathEnd::Start, to)?;
        let Some(target) = self.target else { return Ok(CorridorChange::Nothing) };
        let change = self.renew_point(mesh, Some(to.into()), scratch)?;
        let Some(ends) = self.ends else {
            return self.replan_point(mesh, to.into(), target, ReplanReason::Asked, scratch);
        };
        let usable = self.options.path.usable();
        let moved = ends.start_position.xz().distance(to.xz());
        let from = self.place(&ends.start, ends.start_position);
        let walked = self.steps.iter().take_while(|step| mesh.is_crossed(step.crossing));
        let leg = self.string.get(1).map_or_else(|| walked.count(), |turn| turn.crossed);
        let place = match mesh.place_on_leg(&self.path, leg, to) {
            Some(place) => place,
            None if moved <= self.options.range => {
                mesh.move_along(&from, to, &usable, &mut scratch.surface)?
            }
            None => from,
        };
        let reach = self.options.path.reach.unwrap_or_else(|| mesh.default_reach());
        let missed = place.position.xz().distance(to.xz());
        if missed > reach.side {
            // The ground does not lead there: the agent is elsewhere, or off the mesh.
            let elsewhere = mesh.nearest_with(to, &reach, &usable);
            if elsewhere.is_some_and(|at| at.position.xz().distance(to.xz()) < 0.5 * missed) {
                return self.replan_point(mesh, to.into(), target, ReplanReason::Jumped, scratch);
            }
        }
        let start = mesh.at_corner(mesh.spot_of(&place)?);
        if start.at == ends.start.at && start.polygon == ends.start.polygon {
            return Ok(change);
        }
        let ends = Ends { start, start_position: place.position, ..ends };
        self.shift(mesh, ends, true, target, change, scratch)
    }

    pub(super) fn move_point_goal(
        &mut self,
        mesh: &NavMesh,
        to: Place,
        scratch: &mut QueryScratch,
    ) -> Changed {
        let usable = self.options.path.usable();
        let (goal, _) = mesh.locate(PathEnd::Goal, to, self.options.path.reach, &usable)?;
        let goal_position = mesh.location(&goal, to.position()).position;
        if self.target.is_none() {
            return Ok(CorridorChange::Nothing);
        }
        let change = self.renew_point(mesh, None, scratch);
        if self.target == Some(to) {
            return change;
        }
        let (Some(ends), Ok(change)) = (self.ends, change) else {
            // No path led to the last goal, or its ground was removed.
            return match self.from {
                Some(from) => self.replan_point(mesh, from, to, ReplanReason::Jumped, scratch),
                None => Ok(CorridorChange::Nothing),
            };
        };
        let far = ends.goal_position.xz().distance(to.position().xz()) > self.options.range;
        if far || self.path.outcome != Outcome::Complete {
            return self.replan_point(mesh, ends.from(mesh), to, ReplanReason::Jumped, scratch);
        }
        self.shift(mesh, Ends { goal, goal_position, ..ends }, false, to, change, scratch)
    }

    /// Moves an end. Plans again if it moved far, or the path has become too long.
    fn shift(
        &mut self,
        mesh: &NavMesh,
        ends: Ends,
        is_start: bool,
        target: Place,
        change: CorridorChange,
        scratch: &mut QueryScratch,
    ) -> Changed {
        let old = self.ends.unwrap_or(ends);
        let way = if is_start { [&ends.start, &old.start] } else { [&old.goal, &ends.goal] };
        let Some(far) = self.join(mesh, way, scratch) else {
            return self.replan_point(mesh, ends.from(mesh), target, ReplanReason::Jumped, scratch);
        };
        self.target = Some(target);
        let moved = if is_start { &ends.start } else { &ends.goal };
        let index = place_of(&self.path.polygons, moved.polygon, is_start);
        let mut string = self.string(mesh, scratch);
        let is_moved = index.is_some_and(|index| match is_start {
            true => string.move_start(moved.at, ends.start_position, index),
            false => string.move_goal(moved.at, ends.goal_position, index),
        });
        if is_moved {
            self.ends = Some(ends);
            self.measure(mesh);
        } else {
            let kept = index.inspect(|_| scratch.corridor.steps.clear());
            let kept = kept.or_else(|| self.sees(mesh, &old, moved, is_start, scratch));
            let kept = kept.unwrap_or_else(|| {
                // Back to where it was, and on from there.
                self.join(mesh, way, scratch);
                if is_start { 0 } else { self.steps.len() }
            });
            let steps = &mut scratch.corridor.steps;
            if is_start {
                steps.extend_from_slice(&self.steps[kept..]);
                std::mem::swap(steps, &mut self.steps);
            } else {
                self.steps.truncate(kept);
                self.steps.append(steps);
            }
            self.write_without_loops(mesh, ends, scratch);
        }
        if self.has_drifted(far, mesh) {
            return self.replan_point(mesh, ends.from(mesh), target, ReplanReason::Drifted, scratch);
        }
        Ok(change)
    }

    pub(super) fn take_point_link(
        &mut self,
        mesh: &NavMesh,
        scratch: &mut QueryScratch,
    ) -> Result<Option<LinkUse>, QueryError> {
        self.renew_point(mesh, None, scratch)?;
        let Some(ends) = self.ends else { return Ok(None) };
        let Some(index) = self.steps.iter().position(|step| !mesh.is_crossed(step.crossing)) else {
            return Ok(None);
        };
        let Step { crossing, along } = self.steps[index];
        let id = mesh.link_id(crossing);
        let taken = self.path.links.iter().find(|taken| taken.link == id).copied();
        let [_, arrive] = mesh.link_ends(crossing);
        let (at, position) = mesh.on_segment(arrive, along);
        let start = mesh.spot_at(arrive.polygon.0, at);
        self.steps.drain(..=index);
        let before = self.length;
        self.write(mesh, Ends { start, start_position: position, ..ends }, scratch);
        self.base -= before - self.length;
        Ok(taken)
    }

    pub(super) fn optimise_point(
        &mut self,
        mesh: &NavMesh,
        range: f32,
        only_straight: bool,
        scratch: &mut QueryScratch,
    ) -> Result<bool, QueryError> {
        self.renew_point(mesh, None, scratch)?;
        let Some(ends) = self.ends else { return Ok(false) };
        mesh.put_steps(&self.steps, &mut scratch.paths);
        let QueryScratch { paths, corridor: CorridorScratch { turns, .. }, .. } = scratch;
        mesh.string_turns([&ends.start, &ends.goal], &self.path.polygons, paths, turns);
        let metre = f64::from(mesh.frame.cell_size);
        // Links may be longer than they look: only what comes before the first is considered.
        let before_link = self.steps.iter().position(|step| !mesh.is_crossed(step.crossing));
        let most = before_link.map_or(turns.len(), |link| {
            turns.iter().position(|turn| turn.crossed > link).unwrap_or(turns.len())
        });
        let mut ahead = 0.0;
        let mut last = 0;
        for index in 1..most {
            ahead += turns[index - 1].at.distance_squared(turns[index].at).sqrt();
            if index > 2 && ahead * metre > f64::from(range) {
                break;
            }
            last = index;
        }
        let tries = if only_straight { 4 } else { 1 };
        for index in (2..=last).rev().take(tries) {
            let turn = scratch.corridor.turns[index];
            let chain = &scratch.corridor.turns[..=index];
            let length: f64 =
                chain.windows(2).map(|pair| pair[0].at.distance_squared(pair[1].at).sqrt()).sum();
            let straight = turn.at.distance_squared(ends.start.at).sqrt();
            let limit = if only_straight { straight } else { length } * (1.0 + 1e-12);
            if length <= straight * (1.0 + 1e-9) {
                continue;
            }
            let spot = mesh.spot_at(self.path.polygons[turn.crossed].0, turn.at);
            let usable = self.options.path.usable();
            if !mesh.search_shortest_within([&ends.start, &spot], limit, &usable, &mut scratch.paths) {
                continue;
            }
            let before = self.length;
            scratch.corridor.steps.clear();
            mesh.append_steps(&scratch.paths, &mut scratch.corridor.steps);
            scratch.corridor.steps.extend_from_slice(&self.steps[turn.crossed..]);
            std::mem::swap(&mut scratch.corridor.steps, &mut self.steps);
            self.write_without_loops(mesh, ends, scratch);
            return Ok(self.length < before);
        }
        Ok(false)
    }

    /// Mends the corridor if it does not fit the mesh. `from` is where the agent is said to be, for
    /// a corridor that is lost.
    pub(super) fn renew_point(
        &mut self,
        mesh: &NavMesh,
        from: Option<Place>,
        scratch: &mut QueryScratch,
    ) -> Changed {
        let Some(target) = self.target else { return Ok(CorridorChange::Nothing) };
        let seen = self.version_on(mesh);
        let Some(ends) = self.ends else {
            // No path led anywhere; now one may.
            return match from.or(self.from).filter(|_| seen != self.seen) {
                Some(from) => self.replan_point(mesh, from, target, ReplanReason::Changed, scratch),
                None => Ok(CorridorChange::Nothing),
            };
        };
        let usable = self.options.path.usable();
        let reach = self.options.path.reach;
        let find = |end, place| mesh.locate(end, place, reach, &usable).map(|(spot, _)| spot);
        let find_goal = || find(PathEnd::Goal, target);
        // The ground at the goal may have been closed.
        let is_goal_there = || find_goal().is_ok_and(|goal| goal.polygon == ends.goal.polygon);
        if (seen == self.seen || self.outlives(seen) && is_goal_there()) && self.is_allowed(mesh) {
            return Ok(self.keep_on(seen));
        }
        // On the ground that it was on, while there is that.
        let is_known = seen.0 == self.seen.0;
        let start = if is_known { ends.from(mesh) } else { ends.start_position.into() };
        let start = find(PathEnd::Start, start);
        let start = match (start, from) {
            (Err(_), Some(from)) => find(PathEnd::Start, from),
            (start, _) => start,
        };
        let (start, goal) = match (start, find_goal()) {
            (Ok(start), Ok(goal)) => (start, goal),
            (Err(error), _) | (_, Err(error)) => {
                (self.from, self.seen) = (from.or(Some(ends.start_position.into())), seen);
                self.forget();
                return Err(error);
            }
        };
        let ends = Ends {
            start,
            goal,
            start_position: mesh.location(&start, ends.start_position).position,
            goal_position: mesh.location(&goal, target.position()).position,
        };
        self.seen = seen;
        if self.options.repair
            && self.path.outcome == Outcome::Complete
            && mesh.may_reach(&ends)
            && let Some(detours) = self.follow_again(mesh, &ends, scratch)
        {
            self.write_without_loops(mesh, ends, scratch);
            (self.base, self.is_bound) = (self.length, false);
            return Ok(CorridorChange::Repaired { detours });
        }
        self.replan_point(mesh, ends.from(mesh), target, ReplanReason::Changed, scratch)
    }

    /// Finds the path again, corner by corner; the number of detours, or nothing if the goal is out
    /// of reach.
    fn follow_again(&mut self, mesh: &NavMesh, ends: &Ends, scratch: &mut QueryScratch) -> Option<usize> {
        let reach = self.options.path.reach.unwrap_or_else(|| mesh.default_reach());
        let usable = self.options.path.usable();
        let metre = f64::from(mesh.frame.cell_size);
        let range = f64::from(self.options.range) / metre;
        std::mem::swap(&mut scratch.corridor.points, &mut self.path.points);
        let (mut at, mut detours) = (ends.start, 0);
        scratch.corridor.steps.clear();
        for index in 1..scratch.corridor.points.len().max(2) {
            let is_last = index + 1 >= scratch.corridor.points.len();
            let next = if is_last {
                Some(ends.goal)
            } else {
                mesh.nearest_spot(scratch.corridor.points[index], &reach, |polygon| {
                    usable.allows(mesh, PolyId(polygon))
                })
            };
            let is_link = self.path.links.iter().any(|taken| taken.point + 1 == index);
            let found = next.filter(|next| {
                let straight = at.at.distance_squared(next.at).sqrt();
                mesh.search_shortest_within([&at, next], straight + range, &usable, &mut scratch.paths)
            });
            let Some(next) = found else {
                detours += 1;
                if is_last {
                    return None;
                }
                continue;
            };
            let crossed = scratch.corridor.steps.len();
            mesh.append_steps(&scratch.paths, &mut scratch.corridor.steps);
            let is_straight = mesh.search_shortest_within(
                [&at, &next],
                at.at.distance_squared(next.at).sqrt() * (1.0 + 1e-9),
                &usable,
                &mut scratch.paths,
            );
            detours += usize::from(!is_straight && !is_link && scratch.corridor.steps.len() > crossed);
            at = next;
        }
        std::mem::swap(&mut scratch.corridor.steps, &mut self.steps);
        Some(detours)
    }

    /// Returns `true` if an end that moved sees the corner next to it: the straight path from end
    /// to end, into `scratch.corridor.steps`, and how many steps of the corridor lead to that
    /// corner.
    fn sees(
        &self,
        mesh: &NavMesh,
        ends: &Ends,
        moved: &Spot,
        is_start: bool,
        scratch: &mut QueryScratch,
    ) -> Option<usize> {
        mesh.put_steps(&self.steps, &mut scratch.paths);
        let QueryScratch { paths, corridor: CorridorScratch { turns, steps, .. }, .. } = scratch;
        mesh.string_turns([&ends.start, &ends.goal], &self.path.polygons, paths, turns);
        let turn = if is_start { turns.get(1) } else { turns.iter().nth_back(1) }?;
        let index = if is_start { 1 } else { turns.len() - 2 };
        let beside = if is_start { turns[index - 1] } else { turns[index + 1] };
        // A link between them is not seen through.
        let (first, last) = (turn.crossed.min(beside.crossed), turn.crossed.max(beside.crossed));
        if self.steps[first..last].iter().any(|step| !mesh.is_crossed(step.crossing)) {
            return None;
        }
        let corner = mesh.spot_at(self.path.polygons[turn.crossed].0, turn.at);
        let (from, to) = if is_start { (moved, &corner) } else { (&corner, moved) };
        let usable = self.options.path.usable();
        let straight = from.at.distance_squared(to.at).sqrt() * (1.0 + 1e-9);
        if !mesh.search_shortest_within([from, to], straight, &usable, paths) {
            return None;
        }
        steps.clear();
        mesh.append_steps(paths, steps);
        Some(turn.crossed)
    }

    /// Returns the shortest path between two places near each other, into `scratch.corridor.steps`;
    /// its length in metres.
    fn join(&self, mesh: &NavMesh, [from, to]: [&Spot; 2], scratch: &mut QueryScratch) -> Option<f64> {
        let metre = f64::from(mesh.frame.cell_size);
        let usable = self.options.path.usable();
        let straight = from.at.distance_squared(to.at).sqrt();
        let limit = straight + f64::from(self.options.range) / metre;
        if !mesh.search_shortest_within([from, to], limit, &usable, &mut scratch.paths) {
            return None;
        }
        scratch.corridor.steps.clear();
        mesh.append_steps(&scratch.paths, &mut scratch.corridor.steps);
        if from.polygon == to.polygon {
            return Some(straight * metre);
        }
        let positions = [from, to].map(|spot| mesh.frame.to_world(spot.at.x, spot.height, spot.at.z));
        let options = PathOptions::default();
        scratch.corridor.detour.clear();
        mesh.write_path([from, to], positions, &options, &mut scratch.paths, &mut scratch.corridor.detour);
        Some(mesh.plan_length(&scratch.corridor.detour))
    }

    /// Cuts loops out of the steps, then writes the path.
    fn write_without_loops(&mut self, mesh: &NavMesh, ends: Ends, scratch: &mut QueryScratch) {
        let QueryScratch { paths, corridor: CorridorScratch { steps, polygons, .. }, .. } = scratch;
        mesh.cut_loops(ends.start.polygon, &mut self.steps, steps, polygons, paths);
        self.write(mesh, ends, scratch);
    }

    /// Writes the path through the steps.
    fn write(&mut self, mesh: &NavMesh, ends: Ends, scratch: &mut QueryScratch) {
        let is_complete = self.path.outcome == Outcome::Complete;
        self.ends = Some(ends);
        mesh.put_steps(&self.steps, &mut scratch.paths);
        // Since then, the scratch may have served other searches.
        let Path { found_by, was_cut, .. } = self.path;
        self.path.clear();
        let options = &self.options.path;
        mesh.write_complete(&ends, options, &mut scratch.paths, &mut self.path);
        (self.path.found_by, self.path.was_cut) = (found_by, was_cut);
        if !is_complete {
            self.path.end_at(ends.goal_position);
        }
        self.keep_string(mesh, &mut scratch.paths);
        self.length = mesh.plan_length(&self.path);
    }

    /// Keeps the string of the path that was just written, if it can be pulled piece by piece.
    fn keep_string(&mut self, mesh: &NavMesh, paths: &mut PathScratch) {
        self.string.clear();
        let Some(Ends { start, goal, .. }) = &self.ends else { return };
        let PathOptions { cross_points, ground_error, .. } = self.options.path;
        if self.options.path.cost.is_length()
            && !cross_points
            && ground_error.is_none()
            && self.path.links.is_empty()
        {
            if paths.is_straight || paths.has_turns {
                // Written without a funnel.
                mesh.string_turns([start, goal], &self.path.polygons, paths, &mut self.string);
            } else {
                self.string.extend_from_slice(&paths.funnel.turns);
            }
        }
    }

    fn string<'a>(&'a mut self, mesh: &'a NavMesh, scratch: &'a mut QueryScratch) -> MovingString<'a> {
        let PathScratch { funnel, corridor, .. } = &mut scratch.paths;
        let Self { path, steps, string: turns, .. } = self;
        MovingString { mesh, turns, path, steps, funnel, corridor, points: &mut scratch.corridor.points }
    }
}
