//! The corridor of a disc: corners that it goes straight to.

use glam::{Vec3, Vec3Swizzles};

use super::options::{Changed, CorridorChange, ReplanReason};
use super::path_corridor::PathCorridor;
use crate::clearance::fit::Fit;
use crate::clearance::{ClearPathOptions, ClearanceNavMesh};
use crate::geometry::plan::PlanPosition;
use crate::locate::error::{PathEnd, QueryError};
use crate::locate::nearest::{Location, Place, Spot};
use crate::locate::reach::Reach;
use crate::mesh::costs::TravelCost;
use crate::mesh::filter::PolygonFilter;
use crate::path::ends::Ends;
use crate::path::result::{LinkUse, Outcome};
use crate::scratch::QueryScratch;

impl<F: PolygonFilter, C: TravelCost> PathCorridor<F, C> {
    pub(super) fn replan_disc(
        &mut self,
        mesh: &ClearanceNavMesh,
        from: Place,
        to: Place,
        reason: ReplanReason,
        scratch: &mut QueryScratch,
    ) -> Changed {
        self.begin_plan(from, to, self.version_on(mesh))?;
        let Self { options, path, planned_links, .. } = self;
        let Some(options) = &options.disc else { return Ok(CorridorChange::Nothing) };
        mesh.write_path(from, to, options, &mut scratch.clearance, path)?;
        let first = path.points.first().zip(path.polygons.first());
        let Some((first, last)) = first.zip(path.points.last().zip(path.polygons.last())) else {
            return Ok(CorridorChange::Nothing);
        };
        let generation = mesh.mesh.generation;
        let [first, last] =
            [first, last].map(|(&position, &polygon)| Location { polygon, position, generation });
        self.ends = Some(Ends {
            start: mesh.mesh.spot_of(&first)?,
            goal: mesh.mesh.spot_of(&last)?,
            start_position: first.position,
            goal_position: last.position,
        });
        planned_links.extend(path.links.iter().map(|taken| taken.link));
        path.links.retain(|taken| !mesh.is_open_ground(taken.link));
        path.corners.clear();
        self.measure(&mesh.mesh);
        Ok(self.end_plan(false, reason))
    }

    /// Returns `true` if the path is one on the ground as it is now.
    fn is_kept_on(&mut self, mesh: &ClearanceNavMesh) -> bool {
        let seen = self.version_on(mesh);
        let fits = seen == self.seen || self.outlives(seen) && self.is_allowed(&mesh.mesh);
        if fits {
            self.keep_on(seen);
        }
        fits && self.ends.is_some()
    }

    /// Plans again if the ground, or what the filter allows, changed.
    pub(super) fn renew_disc(&mut self, mesh: &ClearanceNavMesh, scratch: &mut QueryScratch) -> Changed {
        match (self.here(), self.target) {
            (Some(from), Some(target)) if self.is_outdated(mesh) && !self.is_kept_on(mesh) => {
                self.replan_disc(mesh, from, target, ReplanReason::Changed, scratch)
            }
            _ => Ok(CorridorChange::Kept),
        }
    }

    /// Moves the start. Corners behind it are left out. The height of `to` matters only where other
    /// ground is nearer to it than the connected ground.
    pub(super) fn move_disc_start(
        &mut self,
        mesh: &ClearanceNavMesh,
        to: Vec3,
        scratch: &mut QueryScratch,
    ) -> Changed {
        let Some(options) = self.options.disc else { return Ok(CorridorChange::Nothing) };
        let to = self.on_ground(mesh, &options, to, scratch);
        let place = fit(mesh, PathEnd::Start, to, &options, scratch)?;
        let Some(target) = self.target else { return Ok(CorridorChange::Nothing) };
        let is_kept = self.is_kept_on(mesh);
        let Some(ends) = self.ends.filter(|_| is_kept) else {
            return self.replan_disc(mesh, to, target, ReplanReason::Changed, scratch);
        };
        // A corner that is reached is passed, although the disc cannot see round it from there.
        let slack = mesh.mesh.slack();
        let is_at = |corner: Vec3| {
            let [x, _, z] = mesh.mesh.frame.to_grid(corner);
            place.spot.at.distance_squared(PlanPosition { x, z }) <= slack * slack
        };
        let next_link = self.next_link().map_or(usize::MAX, |taken| taken.point);
        let points = &mut self.path.points;
        if place.spot.at == ends.start.at && !points.get(1).is_some_and(|&corner| is_at(corner)) {
            return Ok(CorridorChange::Kept);
        }
        let start_position = mesh.clear_place(&place, to.position()).location.position;
        points[0] = start_position;
        let mut sees = |at: Vec3| mesh.goes_straight(&place, at, options.radius, &mut scratch.clearance);
        let mut passed = 0;
        while passed + 2 < points.len()
            && passed + 1 < next_link
            && (is_at(points[passed + 1]) || sees(points[passed + 2]))
        {
            passed += 1;
        }
        let goes_on = next_link > 0 && points.get(passed + 1).is_some_and(|&at| passed > 0 || sees(at));
        points.drain(1..=passed);
        self.path.links.iter_mut().for_each(|taken| taken.point -= passed);
        self.ends = Some(Ends { start: place.spot, start_position, ..ends });
        self.moved_disc(mesh, [ends.start, place.spot], goes_on, target, scratch)
    }

    /// Moves the goal. Corners that the path no longer turns round are removed. It is planned again
    /// if the disc cannot come straight from the last corner, and if the last goal was not reached.
    pub(super) fn move_disc_goal(
        &mut self,
        mesh: &ClearanceNavMesh,
        to: Place,
        scratch: &mut QueryScratch,
    ) -> Changed {
        let Some(options) = self.options.disc else { return Ok(CorridorChange::Nothing) };
        let place = fit(mesh, PathEnd::Goal, to, &options, scratch)?;
        let is_kept = self.is_kept_on(mesh) && self.path.outcome == Outcome::Complete;
        let Some(ends) = self.ends.filter(|_| is_kept) else {
            // No path led to the last goal.
            let reason = if self.ends.is_some() { ReplanReason::Changed } else { ReplanReason::Jumped };
            return match self.here() {
                Some(from) => self.replan_disc(mesh, from, to, reason, scratch),
                None => Ok(CorridorChange::Nothing),
            };
        };
        self.target = Some(to);
        if place.spot.at == ends.goal.at {
            return Ok(CorridorChange::Kept);
        }
        // Arrival of the last link.
        let first = self.path.links.last().map_or(0, |taken| taken.point + 1);
        let goal_position = mesh.clear_place(&place, to.position()).location.position;
        let points = &mut self.path.points;
        let mut last = points.len() - 1;
        let mut sees = |at: Vec3| mesh.goes_straight(&place, at, options.radius, &mut scratch.clearance);
        let goes_on = last > first && sees(points[last - 1]);
        while goes_on && last > first + 1 && sees(points[last - 2]) {
            last -= 1;
        }
        points.truncate(last);
        points.push(goal_position);
        self.ends = Some(Ends { goal: place.spot, goal_position, ..ends });
        self.moved_disc(mesh, [ends.goal, place.spot], goes_on, to, scratch)
    }

    /// Takes the next link.
    pub(super) fn take_disc_link(
        &mut self,
        mesh: &ClearanceNavMesh,
        scratch: &mut QueryScratch,
    ) -> Result<Option<LinkUse>, QueryError> {
        self.renew_disc(mesh, scratch)?;
        let (Some(options), Some(taken), Some(ends)) = (self.options.disc, self.next_link(), self.ends)
        else {
            return Ok(None);
        };
        let after = taken.point + 1;
        let position = self.path.points[after];
        let start = fit(mesh, PathEnd::Start, position.into(), &options, scratch)?;
        let start_position = mesh.clear_place(&start, position).location.position;
        self.ends = Some(Ends { start: start.spot, start_position, ..ends });
        self.path.points.drain(..after);
        self.path.links.remove(0);
        self.path.links.iter_mut().for_each(|taken| taken.point -= after);
        let before = self.length;
        self.measure(&mesh.mesh);
        self.base -= before - self.length;
        Ok(Some(taken))
    }

    /// Handles the move of an end: plans again if the path does not continue there, or became too
    /// long.
    fn moved_disc(
        &mut self,
        mesh: &ClearanceNavMesh,
        [before, now]: [Spot; 2],
        goes_on: bool,
        target: Place,
        scratch: &mut QueryScratch,
    ) -> Changed {
        self.measure(&mesh.mesh);
        let far = before.at.distance_squared(now.at).sqrt() * f64::from(mesh.mesh.frame.cell_size);
        // No path is shorter than nothing.
        self.base = self.base.max(far);
        let has_drifted = self.has_drifted(far, &mesh.mesh);
        let Some(from) = self.here().filter(|_| !goes_on || has_drifted) else {
            return Ok(CorridorChange::Kept);
        };
        let reason = if goes_on { ReplanReason::Drifted } else { ReplanReason::Jumped };
        self.replan_disc(mesh, from, target, reason, scratch)
    }

    /// Returns where the agent is, as far as the ground shows that leads there: agents move in plan,
    /// and on steep ground the place nearest to them in space is behind them; one that was pushed into
    /// a wall is on this side of it. The position alone where no ground leads there within reach, and
    /// where other ground is nearer in height.
    fn on_ground(
        &self,
        mesh: &ClearanceNavMesh,
        options: &ClearPathOptions,
        to: Vec3,
        scratch: &mut QueryScratch,
    ) -> Place {
        let own = &mesh.mesh;
        let moved = self.start().map(|here| own.move_along(&here, to, &mesh.admitted, &mut scratch.surface));
        let Some(Ok(ground)) = moved else { return to.into() };
        let (reach, rise) = (reach_of(mesh, options), (ground.position.y - to.y).abs());
        let missed = ground.position.xz().distance(to.xz());
        if missed > reach.side {
            return to.into();
        }
        let is_other = |over: Spot| {
            let ground = own.frame.to_world(over.at.x, over.height, over.at.z);
            over.within && (ground.y - to.y).abs() < rise
        };
        let over = || own.nearest_spot(to, &reach, |polygon| mesh.admitted.has(polygon));
        if rise > 0.0 && over().is_some_and(is_other) {
            return to.into();
        }
        if missed <= options.radius.max(2.0 * own.position_slack()) {
            return ground.into();
        }
        to.with_y(ground.position.y).into()
    }
}

fn reach_of(mesh: &ClearanceNavMesh, options: &ClearPathOptions) -> Reach {
    options.reach.unwrap_or_else(|| mesh.default_reach(options.radius))
}

/// Returns the place of the disc nearest to an end.
fn fit(
    mesh: &ClearanceNavMesh,
    end: PathEnd,
    at: Place,
    options: &ClearPathOptions,
    scratch: &mut QueryScratch,
) -> Result<Fit, QueryError> {
    mesh.end(end, at, options.radius, &reach_of(mesh, options), &mut scratch.clearance)
}
