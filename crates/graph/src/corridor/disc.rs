//! A disc's path that is kept while its agent and its goal move.

use glam::{Vec3, Vec3Swizzles};
use waymesh_core::{BadField, PolyId};

use super::options::{CorridorChange, ReplanReason};
use crate::clearance::fit::Fit;
use crate::clearance::{ClearPathOptions, ClearanceNavMesh};
use crate::geometry::plan::PlanPosition;
use crate::locate::error::{PathEnd, QueryError};
use crate::locate::nearest::{Location, Spot};
use crate::locate::place::Place;
use crate::locate::reach::{Reach, unless_0_or_more};
use crate::mesh::costs::{Rules, TravelCost, Usable};
use crate::mesh::filter::PolygonFilter;
use crate::mesh::link::LinkId;
use crate::mesh::nav_mesh::NavMesh;
use crate::path::result::{LinkUse, Outcome, Path, plan_length};
use crate::scratch::QueryScratch;

/// Settings of a [`ClearCorridor`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClearCorridorOptions {
    /// Options of the path.
    pub path: ClearPathOptions,
    /// A path that has become longer than its plan by more than this share of its length is planned
    /// again. At least a cell of the grid is always allowed. 0 or more; default 0.1.
    pub max_drift: f32,
}

impl ClearCorridorOptions {
    /// Returns the default options for a disc of this radius, in metres.
    #[must_use]
    pub const fn new(radius: f32) -> Self {
        Self { path: ClearPathOptions::new(radius), max_drift: 0.1 }
    }

    /// Names the first field that is out of range.
    ///
    /// # Errors
    /// If there is one.
    pub fn validate(&self) -> Result<(), BadField> {
        unless_0_or_more("max_drift", self.max_drift)?;
        self.path.validate()
    }
}

waymesh_core::setters! {
    impl ClearCorridorOptions {
        with_path(path: ClearPathOptions);
        with_max_drift(max_drift: f32);
    }
}

/// The two ends of a path, and the agent's place: at walls without thickness its position alone
/// does not show the side.
#[derive(Clone, Copy, Debug)]
struct CorridorEnds {
    start: Fit,
    goal: Fit,
    here: Location,
}

/// A path of a disc that follows a moving agent and a moving goal; what
/// [`PathCorridor`](crate::PathCorridor) is to a point.
///
/// # Guarantees
/// - After every call that returns `Ok`, each line from one of its points to the next that is not a
///   link keeps the radius from all walls, to a thousandth of it and a tenth of a millimetre, or a
///   quarter of it where that is less.
/// - Between plans its length in plan exceeds the planned length, minus the moves of both ends, by
///   at most [`ClearCorridorOptions::max_drift`] of its length or a cell of the grid.
/// - It is planned again for another mesh and for other links.
///
/// # Cost
/// A call locates the moved end and checks that the disc can go straight from there to the next
/// corners: some microseconds. If it cannot, a call costs a path. Allocates
/// nothing once corridor and scratch have grown.
#[derive(Clone, Debug)]
pub struct ClearCorridor {
    options: ClearCorridorOptions,
    stamp: u64,
    target: Option<Vec3>,
    /// Start of the last plan.
    from: Option<Place>,
    ends: Option<CorridorEnds>,
    path: Path,
    /// All links of the last plan, also those that are open ground.
    planned_links: Vec<LinkId>,
    /// Length in plan of the points, and that of the plan less what both ends moved since.
    length: f32,
    base: f32,
}

impl ClearCorridor {
    /// No path yet.
    #[must_use]
    pub fn new(options: ClearCorridorOptions) -> Self {
        let (path, planned_links, length, base) = (Path::default(), Vec::new(), 0.0, 0.0);
        Self { options, stamp: 0, target: None, from: None, ends: None, path, planned_links, length, base }
    }

    /// Returns the options it is kept with.
    #[must_use]
    pub fn options(&self) -> &ClearCorridorOptions {
        &self.options
    }

    /// Returns `true` if the mesh or a link changed since the last plan, so that the next move plans
    /// again. Constant time.
    #[must_use]
    pub fn is_outdated(&self, mesh: &ClearanceNavMesh) -> bool {
        self.target.is_some() && self.stamp != mesh.stamp()
    }

    /// Returns where the path begins, on the mesh it was planned on; `None` without a path.
    #[must_use]
    pub fn start(&self, mesh: &ClearanceNavMesh) -> Option<Location> {
        self.ends.filter(|_| self.stamp == mesh.stamp()).map(|ends| ends.here)
    }

    /// Returns how far it leads.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.path.outcome
    }

    /// Returns the agent's place, the corners ahead, and the goal or the closest place to it. None
    /// without a path.
    #[must_use]
    pub fn points(&self) -> &[Vec3] {
        &self.path.points
    }

    /// Returns the corners ahead, `most` at most: the last of all is the goal.
    #[must_use]
    pub fn next_corners(&self, most: usize) -> &[Vec3] {
        let points = self.path.points.get(1..).unwrap_or_default();
        &points[..most.min(points.len())]
    }

    /// Returns the polygons that the last plan passes, as far as the centre sees them.
    #[must_use]
    pub fn planned_polygons(&self) -> &[PolyId] {
        &self.path.polygons
    }

    /// Returns `true` if an agent with this filter and these costs may follow the last plan: over all
    /// its polygons, crossings and links, also those that are open ground. A path for a disc knows
    /// neither by itself.
    #[must_use]
    pub fn is_open_for(&self, mesh: &NavMesh, filter: &impl PolygonFilter, cost: &impl TravelCost) -> bool {
        let usable = Usable { filter, cost };
        usable.allows_all() || usable.leads_on(mesh, &self.path.polygons, self.planned_links.iter().copied())
    }

    /// Returns the links of the path that are not open ground: [`LinkUse::point`] is the index of the
    /// point where the link begins.
    #[must_use]
    pub fn links(&self) -> &[LinkUse] {
        &self.path.links
    }

    /// Returns the first of [`ClearCorridor::links`].
    #[must_use]
    pub fn next_link(&self) -> Option<LinkUse> {
        self.path.links.first().copied()
    }

    /// Returns the length of the way ahead in plan, in metres.
    #[must_use]
    pub fn length(&self) -> f32 {
        self.length
    }

    /// Plans from end to end. [`CorridorChange::Nothing`] if no path leads anywhere.
    ///
    /// # Errors
    /// The errors of [`ClearQuery::path`](crate::ClearQuery::path) about its ends and options; then
    /// there is no path.
    pub fn plan(
        &mut self,
        mesh: &ClearanceNavMesh,
        from: Vec3,
        to: Vec3,
        scratch: &mut QueryScratch,
    ) -> Result<CorridorChange, QueryError> {
        self.plan_for(mesh, from.into(), to, ReplanReason::Asked, scratch)
    }

    /// Plans again from the agent's place to the last requested goal: after a change that the mesh does
    /// not show, or now and then while the path ends short of the goal.
    ///
    /// # Errors
    /// See [`ClearCorridor::plan`].
    pub fn replan(
        &mut self,
        mesh: &ClearanceNavMesh,
        scratch: &mut QueryScratch,
    ) -> Result<CorridorChange, QueryError> {
        let from = self.ends.map(|ends| ends.here.into()).or(self.from);
        let (Some(from), Some(to)) = (from, self.target) else { return Ok(CorridorChange::Nothing) };
        self.plan_for(mesh, from, to, ReplanReason::Asked, scratch)
    }

    fn plan_for(
        &mut self,
        mesh: &ClearanceNavMesh,
        from: Place,
        to: Vec3,
        reason: ReplanReason,
        scratch: &mut QueryScratch,
    ) -> Result<CorridorChange, QueryError> {
        self.ends = None;
        self.path.clear();
        self.planned_links.clear();
        (self.length, self.base) = (0.0, 0.0);
        self.options.validate()?;
        self.target = to.is_finite().then_some(to);
        self.from = Some(from);
        self.stamp = mesh.stamp();
        mesh.write_path(from, to.into(), &self.options.path, &mut scratch.clearance, &mut self.path)?;
        let Path { points, polygons, .. } = &self.path;
        let first = points.first().zip(polygons.first());
        let Some((first, last)) = first.zip(points.last().zip(polygons.last())) else {
            return Ok(CorridorChange::Nothing);
        };
        let generation = mesh.mesh.generation;
        let [here, last] =
            [first, last].map(|(&position, &polygon)| Location { polygon, position, generation });
        let start = self.place(mesh, PathEnd::Start, here, scratch)?;
        let goal = self.place(mesh, PathEnd::Goal, last, scratch)?;
        self.ends = Some(CorridorEnds { start, goal, here });
        self.planned_links.extend(self.path.links.iter().map(|taken| taken.link));
        self.path.links.retain(|taken| !mesh.is_open_ground(taken.link));
        self.length = plan_length(&self.path.points);
        self.base = self.length;
        Ok(CorridorChange::Replanned { reason })
    }

    /// The agent moved: the path now begins where its disc fits next to there. Corners behind it are
    /// left out. It is planned again if the disc cannot go straight to the next corner. The height
    /// of `to` matters only where other ground is nearer to it than the connected ground.
    ///
    /// An agent that was pushed into a wall, by less than its radius, stays on its side of it. One that
    /// took a link must say so ([`ClearCorridor::take_link`]).
    ///
    /// # Errors
    /// See [`ClearCorridor::plan`]; for a place without room the path stays as it was.
    pub fn move_start(
        &mut self,
        mesh: &ClearanceNavMesh,
        to: Vec3,
        scratch: &mut QueryScratch,
    ) -> Result<CorridorChange, QueryError> {
        let to = self.on_ground(mesh, to, scratch);
        let place = self.place(mesh, PathEnd::Start, to, scratch)?;
        let Some(target) = self.target else { return Ok(CorridorChange::Nothing) };
        let Some(ends) = self.ends.filter(|_| self.stamp == mesh.stamp()) else {
            return self.plan_for(mesh, to, target, ReplanReason::Changed, scratch);
        };
        // A corner that is reached is passed, although the disc cannot see round it from there.
        let slack = mesh.mesh.slack();
        let is_at = |corner: Vec3| {
            let [x, _, z] = mesh.mesh.frame.to_grid(corner);
            place.spot.at.distance_squared(PlanPosition { x, z }) <= slack * slack
        };
        let next_link = self.next_link().map_or(usize::MAX, |taken| taken.point);
        let points = &mut self.path.points;
        if place.at == ends.start.at && !points.get(1).is_some_and(|&corner| is_at(corner)) {
            return Ok(CorridorChange::Kept);
        }
        let here = mesh.clear_place(&place, to.position()).location;
        points[0] = here.position;
        let mut sees =
            |at: Vec3| mesh.goes_straight(&place, at, self.options.path.radius, &mut scratch.clearance);
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
        let far = (place.at - ends.start.at).length();
        self.moved(mesh, CorridorEnds { start: place, here, ..ends }, far, goes_on, target, scratch)
    }

    /// The goal moved: the path now leads to the nearest place where the disc fits. Corners that it no
    /// longer turns round are removed. It is planned again if the disc cannot come straight from the
    /// last corner, and if the last goal was not reached.
    ///
    /// # Errors
    /// See [`ClearCorridor::move_start`].
    pub fn move_goal(
        &mut self,
        mesh: &ClearanceNavMesh,
        to: Vec3,
        scratch: &mut QueryScratch,
    ) -> Result<CorridorChange, QueryError> {
        let place = self.place(mesh, PathEnd::Goal, to, scratch)?;
        let Some(ends) = self.ends else {
            // No path led to the last goal.
            return match self.from {
                Some(from) => self.plan_for(mesh, from, to, ReplanReason::Jumped, scratch),
                None => Ok(CorridorChange::Nothing),
            };
        };
        if self.stamp != mesh.stamp() || self.path.outcome != Outcome::Complete {
            return self.plan_for(mesh, ends.here.into(), to, ReplanReason::Changed, scratch);
        }
        self.target = Some(to);
        if place.at == ends.goal.at {
            return Ok(CorridorChange::Kept);
        }
        // Arrival of the last link.
        let first = self.path.links.last().map_or(0, |taken| taken.point + 1);
        let points = &mut self.path.points;
        let mut last = points.len() - 1;
        points[last] = mesh.clear_place(&place, to).location.position;
        let goal = points[last];
        let mut sees =
            |at: Vec3| mesh.goes_straight(&place, at, self.options.path.radius, &mut scratch.clearance);
        let goes_on = last > first && sees(points[last - 1]);
        while goes_on && last > first + 1 && sees(points[last - 2]) {
            last -= 1;
        }
        points.truncate(last);
        points.push(goal);
        let far = (place.at - ends.goal.at).length();
        self.moved(mesh, CorridorEnds { goal: place, ..ends }, far, goes_on, to, scratch)
    }

    /// The agent took the next link: the path now begins at its end. `None` if the path has no link.
    ///
    /// # Errors
    /// See [`ClearCorridor::move_start`].
    pub fn take_link(
        &mut self,
        mesh: &ClearanceNavMesh,
        scratch: &mut QueryScratch,
    ) -> Result<Option<LinkUse>, QueryError> {
        let (Some(taken), Some(ends)) = (self.next_link(), self.ends) else { return Ok(None) };
        let after = taken.point + 1;
        let position = self.path.points[after];
        let start = self.place(mesh, PathEnd::Start, position, scratch)?;
        let here = mesh.clear_place(&start, position).location;
        self.ends = Some(CorridorEnds { start, here, ..ends });
        self.path.points.drain(..after);
        self.path.links.remove(0);
        self.path.links.iter_mut().for_each(|taken| taken.point -= after);
        let before = std::mem::replace(&mut self.length, plan_length(&self.path.points));
        self.base -= before - self.length;
        Ok(Some(taken))
    }

    /// Handles the move of an end: plans again if the path does not continue there, or became too
    /// long.
    fn moved(
        &mut self,
        mesh: &ClearanceNavMesh,
        ends: CorridorEnds,
        far: f64,
        goes_on: bool,
        target: Vec3,
        scratch: &mut QueryScratch,
    ) -> Result<CorridorChange, QueryError> {
        self.ends = Some(ends);
        self.length = plan_length(&self.path.points);
        #[expect(clippy::cast_possible_truncation, reason = "a length in single precision")]
        let far = far as f32;
        self.base -= far;
        let drift = (self.options.max_drift * self.length).max(mesh.mesh.frame.cell_size);
        let has_drifted = self.length > self.base.max(0.0) + drift;
        if goes_on && !has_drifted {
            return Ok(CorridorChange::Kept);
        }
        let reason = if goes_on { ReplanReason::Drifted } else { ReplanReason::Jumped };
        self.plan_for(mesh, ends.here.into(), target, reason, scratch)
    }

    /// Returns where the agent is, as far as the ground shows that leads there: agents move in plan,
    /// and on steep ground the place nearest to them in space is behind them; one that was pushed into
    /// a wall is on this side of it. The position alone where no ground leads there within reach, and
    /// where other ground is nearer in height.
    fn on_ground(&self, mesh: &ClearanceNavMesh, to: Vec3, scratch: &mut QueryScratch) -> Place {
        let own = &mesh.mesh;
        let moved =
            self.ends.map(|ends| own.move_along(&ends.here, to, &mesh.admitted, &mut scratch.surface));
        let Some(Ok(ground)) = moved else { return to.into() };
        let (reach, rise) = (self.reach(mesh), (ground.position.y - to.y).abs());
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
        if missed <= self.options.path.radius.max(2.0 * own.position_slack()) {
            return ground.into();
        }
        to.with_y(ground.position.y).into()
    }

    fn reach(&self, mesh: &ClearanceNavMesh) -> Reach {
        let ClearPathOptions { radius, reach, .. } = self.options.path;
        reach.unwrap_or_else(|| mesh.default_reach(radius))
    }

    fn place(
        &self,
        mesh: &ClearanceNavMesh,
        end: PathEnd,
        at: impl Into<Place>,
        scratch: &mut QueryScratch,
    ) -> Result<Fit, QueryError> {
        mesh.end(end, at.into(), self.options.path.radius, &self.reach(mesh), &mut scratch.clearance)
    }
}
