//! A path that is kept while its agent moves, its goal moves, and the mesh changes.

use glam::{Vec3, Vec3Swizzles};
use waymesh_core::PolyId;

use super::options::{CorridorChange, CorridorOptions, ReplanReason};
use super::string::{MovingString, place_of};
use crate::locate::error::{PathEnd, QueryError};
use crate::locate::nearest::{Location, Spot};
use crate::locate::reach::unless_0_or_more;
use crate::mesh::costs::{Length, Rules, TravelCost, Version};
use crate::mesh::filter::{AnyPolygon, PolygonFilter};
use crate::mesh::nav_mesh::NavMesh;
use crate::path::ends::Ends;
use crate::path::funnel::Turn;
use crate::path::options::{PathOptions, PathSearch};
use crate::path::result::{LinkUse, Outcome, Path, length, plan_length};
use crate::path::scratch::PathScratch;
use crate::path::steps::Step;
use crate::query::route::Router;
use crate::scratch::{CorridorScratch, QueryScratch};

/// A path that follows a moving agent and a moving goal, polygon by polygon, and mends itself where
/// the mesh changes.
///
/// # Guarantees
/// - After every call that returns `Ok` the corridor fits the mesh given: its first polygon holds
///   the start, its last the goal, each leads to the next over an edge or a link, the filter allows
///   all, and [`PathCorridor::path`] is the shortest in it.
/// - While it is kept, its path is never longer in plan than its plan less what both ends moved, by
///   more than [`CorridorOptions::max_drift`] of its length or a cell of the grid. With
///   [`PathSearch::Shortest`] that holds against the shortest path of the moment, for no move can
///   shorten that by more than its own length.
/// - After a repair it may be longer than a new plan: [`PathCorridor::worst_excess`] bounds by how
///   much, always.
/// - Stale polygons are detected by generation, links by checksum; closed polygons are checked
///   at every call. Where a filter, a cost or a link opened something ([`PolygonFilter::version`],
///   [`NavMesh::set_link_open`]), the next call plans a corridor again that did not reach its goal.
///   One that reaches it keeps its path; with [`CorridorOptions::repair`] set to `false` it is
///   planned again as well.
///
/// # Cost
/// A call costs what short searches near the end that moved cost, the string from there to the
/// first turn that stays, and moving memory: a few nanoseconds a polygon. Where the path takes
/// links, costs more than its length or has points at edges, and where an end leaves the corridor,
/// its string is pulled as a whole: some tens of nanoseconds a polygon. With a filter it is asked
/// for each polygon. Allocates nothing once corridor and scratch have grown.
///
/// # References
/// The idea of a corridor kept between frames is that of Detour's path corridor; Geraerts 2010,
/// Planning short paths with clearance using explicit corridors, <https://doi.org/10.1109/ROBOT.2010.5509263>.
///
/// ```
/// # use glam::Vec3;
/// # use waymesh_core::{AreaId, Poly, PolyMesh, GridFrame, PlanPoint, PlanVertex, RegionId, VertexId};
/// # use waymesh_graph::NavMesh;
/// # let polygons = PolyMesh {
/// #     frame: GridFrame { origin: Vec3::ZERO, cell_size: 1.0, level_height: 1.0, width: 20, depth: 10 },
/// #     vertices: [(0, 0), (10, 0), (20, 0), (20, 10), (10, 10), (0, 10)]
/// #         .map(|(x, z)| PlanVertex { point: PlanPoint::new(x, z), height: 0.0 }).to_vec(),
/// #     polygons: [0, 4].map(|first| Poly { first, len: 4, region: RegionId(0), area: AreaId::GROUND }).to_vec(),
/// #     corners: [0, 1, 4, 5, 1, 2, 3, 4].map(VertexId).to_vec(),
/// #     neighbours: [None, Some(1), None, None, None, None, None, Some(0)]
/// #         .map(|polygon| polygon.map(waymesh_core::PolyId)).to_vec(),
/// # };
/// # let mesh = NavMesh::try_from(polygons)?;
/// use waymesh_graph::{CorridorChange, CorridorOptions, PathCorridor, QueryScratch};
///
/// let mut scratch = QueryScratch::default();
/// let mut corridor = PathCorridor::new(CorridorOptions::default());
/// corridor.plan(&mesh, Vec3::new(1.0, 0.0, 1.0), Vec3::new(19.0, 0.0, 9.0), &mut scratch)?;
/// // Each frame: steer for the next corner, report the new place.
/// let next = corridor.next_corners(1)[0];
/// let change = corridor.move_start(&mesh, Vec3::new(2.0, 0.0, 1.5), &mut scratch)?;
/// assert_eq!(change, CorridorChange::Kept);
/// corridor.move_goal(&mesh, Vec3::new(18.0, 0.0, 9.0), &mut scratch)?;
/// corridor.optimise_visibility(&mesh, 10.0, &mut scratch)?;
/// assert_eq!(corridor.path().polygons.len(), 2);
/// # assert_eq!(next, Vec3::new(19.0, 0.0, 9.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "dtPathCorridor")]
#[derive(Clone, Debug)]
pub struct PathCorridor<F = AnyPolygon, C = Length> {
    options: CorridorOptions<F, C>,
    /// Versions of the mesh, its links and the filter at the last update.
    seen: Version,
    ends: Option<Ends>,
    /// Place of the agent where no path leads from it: the next plan begins there.
    from: Option<Vec3>,
    /// The last requested goal.
    target: Option<Vec3>,
    steps: Vec<Step>,
    path: Path,
    /// The turn of each point of `path`, if its string can be pulled piece by piece: without links,
    /// costs and points at edges.
    string: Vec<Turn>,
    /// Length in plan of `path`, in metres.
    length: f64,
    /// That of its plan, less what both ends moved since.
    base: f64,
    /// `true` if no path is shorter than `base`.
    is_bound: bool,
}

impl<F: PolygonFilter, C: TravelCost> PathCorridor<F, C> {
    /// No corridor yet.
    #[must_use]
    pub fn new(options: CorridorOptions<F, C>) -> Self {
        Self {
            options,
            seen: Version::default(),
            ends: None,
            from: None,
            target: None,
            steps: Vec::new(),
            path: Path::default(),
            string: Vec::new(),
            length: 0.0,
            base: 0.0,
            is_bound: false,
        }
    }

    /// Returns the path through the corridor, from the agent's place to the goal or the closest
    /// place to it. Its points are where to go next, its [`Path::links`] name the links on the
    /// way.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the corners ahead, `most` at most: the last of all is the goal.
    /// [`PathCorridor::next_link`] shows whether a link begins at one.
    #[doc(alias = "findCorners")]
    #[must_use]
    pub fn next_corners(&self, most: usize) -> &[Vec3] {
        let points = self.path.points.get(1..).unwrap_or_default();
        &points[..most.min(points.len())]
    }

    /// Returns the next link of the path.
    #[must_use]
    pub fn next_link(&self) -> Option<LinkUse> {
        self.path.links.first().copied()
    }

    /// Returns where the agent is, on the mesh; `None` without a corridor.
    #[must_use]
    pub fn start(&self) -> Option<Location> {
        self.ends.map(|ends| self.place(&ends.start, ends.start_position))
    }

    /// Returns where the corridor leads; `None` without a corridor.
    #[must_use]
    pub fn goal(&self) -> Option<Location> {
        self.ends.map(|ends| self.place(&ends.goal, ends.goal_position))
    }

    fn place(&self, spot: &Spot, position: Vec3) -> Location {
        Location { polygon: PolyId(spot.polygon), position, generation: self.seen.0 }
    }

    /// Returns the options it is kept with.
    #[must_use]
    pub fn options(&self) -> &CorridorOptions<F, C> {
        &self.options
    }

    /// Returns `true` if the mesh, its links, or what the filter allows and paths cost by their
    /// versions ([`PolygonFilter::version`]) changed since the last call: the next one looks again.
    /// Constant time.
    #[must_use]
    pub fn is_outdated(&self, mesh: &NavMesh) -> bool {
        self.target.is_some() && self.seen != self.options.path.usable().version_on(mesh)
    }

    /// By how many metres in plan its path may be longer than the shortest of the moment, at worst.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "a length in single precision")]
    pub fn worst_excess(&self) -> f32 {
        let Some(ends) = &self.ends else { return 0.0 };
        let straight = f64::from(ends.start_position.xz().distance(ends.goal_position.xz()));
        let least = if self.is_bound { straight.max(self.base) } else { straight };
        (self.length - least).max(0.0) as f32
    }

    /// Plans from end to end. [`CorridorChange::Nothing`] if no path leads anywhere.
    ///
    /// # Errors
    /// The errors of a [`Query`](crate::Query), and [`QueryError::BadField`]; then there is no
    /// corridor.
    pub fn plan(
        &mut self,
        mesh: &NavMesh,
        from: Vec3,
        to: Vec3,
        scratch: &mut QueryScratch,
    ) -> Result<CorridorChange, QueryError> {
        self.replan(mesh, (from, None), to, ReplanReason::Asked, scratch)
    }

    /// Plans again; a start whose polygon is known stays there.
    fn replan(
        &mut self,
        mesh: &NavMesh,
        from: (Vec3, Option<PolyId>),
        to: Vec3,
        reason: ReplanReason,
        scratch: &mut QueryScratch,
    ) -> Result<CorridorChange, QueryError> {
        self.forget();
        self.options.validate()?;
        if from.0.is_finite() && to.is_finite() {
            (self.from, self.target) = (Some(from.0), Some(to));
        }
        self.seen = self.options.path.usable().version_on(mesh);
        let options = &self.options.path;
        let mut router = Router { mesh, options, scratch };
        self.ends = router.find(from, to, options.allow_partial, &mut self.path)?.ends();
        if self.ends.is_none() {
            return Ok(CorridorChange::Nothing);
        }
        mesh.append_steps(&scratch.paths, &mut self.steps);
        self.keep_string(mesh, &mut scratch.paths);
        self.length = mesh.plan_length(&self.path);
        self.base = self.length;
        // With rises it is the shortest on the ground, not in plan.
        self.is_bound = self.options.path.search == PathSearch::Shortest && !self.options.path.rises;
        Ok(CorridorChange::Replanned { reason })
    }

    fn forget(&mut self) {
        self.ends = None;
        self.steps.clear();
        self.string.clear();
        self.path.clear();
        (self.length, self.base, self.is_bound) = (0.0, 0.0, false);
    }

    /// The agent moved: the corridor now begins where that led it, along walls if they were in the
    /// way ([`Query::walk`](crate::Query::walk)).
    ///
    /// An agent that took a link must say so ([`PathCorridor::take_link`]), or else the corridor is
    /// planned again.
    ///
    /// # Errors
    /// [`QueryError::NotFinite`], and the corridor stays as it was. [`QueryError::NoMeshNear`]
    /// where the mesh changed and left nothing near an end: then there is no corridor until an
    /// end is back on the mesh.
    #[doc(alias = "movePosition")]
    pub fn move_start(
        &mut self,
        mesh: &NavMesh,
        to: Vec3,
        scratch: &mut QueryScratch,
    ) -> Result<CorridorChange, QueryError> {
        if !to.is_finite() {
            return Err(QueryError::NotFinite { end: PathEnd::Start, position: to });
        }
        let Some(target) = self.target else { return Ok(CorridorChange::Nothing) };
        let change = self.renew(mesh, Some(to), scratch)?;
        let Some(ends) = self.ends else {
            return self.replan(mesh, (to, None), target, ReplanReason::Asked, scratch);
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
                return self.replan(mesh, (to, None), target, ReplanReason::Jumped, scratch);
            }
        }
        let start = mesh.at_corner(mesh.spot_of(&place)?);
        if start.at == ends.start.at && start.polygon == ends.start.polygon {
            return Ok(change);
        }
        let Some(moved) = self.join(mesh, [&start, &ends.start], scratch) else {
            let from = (place.position, Some(place.polygon));
            return self.replan(mesh, from, target, ReplanReason::Jumped, scratch);
        };
        let old = ends;
        let ends = Ends { start, start_position: place.position, ..ends };
        let index = place_of(&self.path.polygons, start.polygon, true);
        if let Some(index) = index
            && self.string(mesh, scratch).move_start(start.at, place.position, index)
        {
            self.moved(mesh, ends);
            return self.replan_if_too_long(mesh, ends, moved, change, scratch);
        }
        let kept = match index {
            Some(index) => {
                scratch.corridor.steps.clear();
                index
            }
            None => self.sees(mesh, &old, &start, true, scratch).unwrap_or_else(|| {
                // Back to where it was, and on from there.
                self.join(mesh, [&start, &old.start], scratch);
                0
            }),
        };
        scratch.corridor.steps.extend_from_slice(&self.steps[kept..]);
        std::mem::swap(&mut scratch.corridor.steps, &mut self.steps);
        self.write_without_loops(mesh, ends, scratch);
        self.replan_if_too_long(mesh, ends, moved, change, scratch)
    }

    /// The goal moved: the corridor now leads to the place nearest to it.
    ///
    /// Where the last goal could not be reached, and where the new one lies farther than a detour
    /// from the last, the corridor is planned again.
    ///
    /// # Errors
    /// The errors of [`PathCorridor::move_start`], and [`QueryError::NoMeshNear`] for a goal
    /// without mesh near it; then the corridor stays as it was.
    #[doc(alias = "moveTargetPosition")]
    pub fn move_goal(
        &mut self,
        mesh: &NavMesh,
        to: Vec3,
        scratch: &mut QueryScratch,
    ) -> Result<CorridorChange, QueryError> {
        let usable = self.options.path.usable();
        let goal = mesh.locate(PathEnd::Goal, to, self.options.path.reach, &usable)?;
        let goal_position = mesh.location(&goal, to).position;
        if self.target.is_none() {
            return Ok(CorridorChange::Nothing);
        }
        let change = self.renew(mesh, None, scratch);
        if self.target == Some(to) {
            return change;
        }
        let (Some(ends), Ok(change)) = (self.ends, change) else {
            // No path led to the last goal, or its ground was removed.
            return match self.from {
                Some(from) => self.replan(mesh, (from, None), to, ReplanReason::Jumped, scratch),
                None => Ok(CorridorChange::Nothing),
            };
        };
        let far = ends.goal_position.xz().distance(to.xz()) > self.options.range;
        if far || self.path.outcome != Outcome::Complete {
            return self.replan(mesh, ends.from(), to, ReplanReason::Jumped, scratch);
        }
        let Some(moved) = self.join(mesh, [&ends.goal, &goal], scratch) else {
            return self.replan(mesh, ends.from(), to, ReplanReason::Jumped, scratch);
        };
        self.target = Some(to);
        let old = ends;
        let ends = Ends { goal, goal_position, ..ends };
        if let Some(index) = place_of(&self.path.polygons, goal.polygon, false) {
            if self.string(mesh, scratch).move_goal(goal.at, goal_position, index) {
                self.moved(mesh, ends);
                return self.replan_if_too_long(mesh, ends, moved, change, scratch);
            }
            self.steps.truncate(index);
        } else if let Some(crossed) = self.sees(mesh, &old, &goal, false, scratch) {
            self.steps.truncate(crossed);
            self.steps.extend_from_slice(&scratch.corridor.steps);
        } else {
            self.join(mesh, [&old.goal, &goal], scratch);
            self.steps.extend_from_slice(&scratch.corridor.steps);
        }
        self.write_without_loops(mesh, ends, scratch);
        self.replan_if_too_long(mesh, ends, moved, change, scratch)
    }

    /// The agent took the next link that is not crossed like an edge: the corridor now begins at its
    /// end. `None` if the path has no such link.
    ///
    /// # Errors
    /// See [`PathCorridor::move_start`].
    #[doc(alias = "moveOverOffmeshConnection")]
    pub fn take_link(
        &mut self,
        mesh: &NavMesh,
        scratch: &mut QueryScratch,
    ) -> Result<Option<LinkUse>, QueryError> {
        self.renew(mesh, None, scratch)?;
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

    /// Mends the corridor if the mesh, its links or what the filter allows changed; every other
    /// call does so first.
    ///
    /// The path is followed on the new mesh from corner to corner. A blocked leg is replaced by the
    /// shortest detour that is longer by at most [`CorridorOptions::range`], else the corner is
    /// removed; if the goal is not reached that way, it is planned again.
    ///
    /// # Errors
    /// See [`PathCorridor::move_start`].
    #[doc(alias = "fixPathStart")]
    #[doc(alias = "trimInvalidPath")]
    pub fn repair(
        &mut self,
        mesh: &NavMesh,
        scratch: &mut QueryScratch,
    ) -> Result<CorridorChange, QueryError> {
        let change = self.renew(mesh, None, scratch)?;
        Ok(if self.ends.is_none() { CorridorChange::Nothing } else { change })
    }

    /// Goes straight where one of the corners ahead, within `range` metres along the path, is in
    /// sight. Returns `true` if the path is shorter now.
    ///
    /// # Errors
    /// The errors of [`PathCorridor::move_start`], and [`QueryError::BadField`] for a range that is
    /// NaN or negative.
    #[doc(alias = "optimizePathVisibility")]
    pub fn optimise_visibility(
        &mut self,
        mesh: &NavMesh,
        range: f32,
        scratch: &mut QueryScratch,
    ) -> Result<bool, QueryError> {
        self.optimise(mesh, range, true, scratch)
    }

    /// Takes the shortest path to the last corner within `range` metres along the path, but
    /// at least the second. Returns `true` if the path is shorter now.
    ///
    /// # Errors
    /// See [`PathCorridor::optimise_visibility`].
    #[doc(alias = "optimizePathTopology")]
    pub fn optimise_topology(
        &mut self,
        mesh: &NavMesh,
        range: f32,
        scratch: &mut QueryScratch,
    ) -> Result<bool, QueryError> {
        self.optimise(mesh, range, false, scratch)
    }

    fn optimise(
        &mut self,
        mesh: &NavMesh,
        range: f32,
        only_straight: bool,
        scratch: &mut QueryScratch,
    ) -> Result<bool, QueryError> {
        unless_0_or_more("range", range)?;
        self.renew(mesh, None, scratch)?;
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
    fn renew(
        &mut self,
        mesh: &NavMesh,
        from: Option<Vec3>,
        scratch: &mut QueryScratch,
    ) -> Result<CorridorChange, QueryError> {
        let Some(target) = self.target else { return Ok(CorridorChange::Nothing) };
        let seen = self.options.path.usable().version_on(mesh);
        let Some(ends) = self.ends else {
            // No path led anywhere; now one may.
            return match from.or(self.from).filter(|_| seen != self.seen) {
                Some(from) => self.replan(mesh, (from, None), target, ReplanReason::Changed, scratch),
                None => Ok(CorridorChange::Nothing),
            };
        };
        let usable = self.options.path.usable();
        let was_complete = self.path.outcome == Outcome::Complete;
        let is_same_mesh = (seen.0, seen.1) == (self.seen.0, self.seen.1);
        let reach = self.options.path.reach;
        let find_goal = || mesh.locate(PathEnd::Goal, target, reach, &usable);
        // Ground that opened elsewhere does not matter to a corridor that reaches its goal, unless it
        // must be the best. The ground at the goal itself may have been closed.
        let is_fit = seen == self.seen
            || (is_same_mesh
                && was_complete
                && self.options.repair
                && find_goal().is_ok_and(|goal| goal.polygon == ends.goal.polygon));
        let is_open = usable.allows_all();
        if is_fit
            && (is_open
                || usable.leads_on(mesh, &self.path.polygons, self.path.links.iter().map(|taken| taken.link)))
        {
            // A shorter way may have opened.
            self.is_bound &= seen == self.seen;
            self.seen = seen;
            return Ok(CorridorChange::Kept);
        }
        let start = mesh.locate(PathEnd::Start, ends.start_position, reach, &usable);
        let start = match (start, from) {
            (Err(_), Some(from)) => mesh.locate(PathEnd::Start, from, reach, &usable),
            (start, _) => start,
        };
        let (start, goal) = match (start, find_goal()) {
            (Ok(start), Ok(goal)) => (start, goal),
            (Err(error), _) | (_, Err(error)) => {
                (self.from, self.seen) = (from.or(Some(ends.start_position)), seen);
                self.forget();
                return Err(error);
            }
        };
        let ends = Ends {
            start,
            goal,
            start_position: mesh.location(&start, ends.start_position).position,
            goal_position: mesh.location(&goal, target).position,
        };
        self.seen = seen;
        if self.options.repair
            && was_complete
            && mesh.may_reach(&ends)
            && let Some(detours) = self.follow_again(mesh, &ends, scratch)
        {
            self.write_without_loops(mesh, ends, scratch);
            self.base = self.length;
            self.is_bound = false;
            return Ok(CorridorChange::Repaired { detours });
        }
        self.replan(mesh, ends.from(), target, ReplanReason::Changed, scratch)
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

    /// Finishes a move after which the steps and the string are valid.
    fn moved(&mut self, mesh: &NavMesh, ends: Ends) {
        self.ends = Some(ends);
        self.path.length = length(&self.path.points);
        self.path.plan_length = plan_length(&self.path.points);
        self.path.cost = self.path.length;
        self.length = mesh.plan_length(&self.path);
    }

    /// Plans again if the path has become too long.
    fn replan_if_too_long(
        &mut self,
        mesh: &NavMesh,
        ends: Ends,
        moved: f64,
        change: CorridorChange,
        scratch: &mut QueryScratch,
    ) -> Result<CorridorChange, QueryError> {
        self.base -= moved;
        let allowed = (f64::from(self.options.max_drift) * self.length).max(f64::from(mesh.frame.cell_size));
        if self.length - self.base > allowed
            && let Some(target) = self.target
        {
            return self.replan(mesh, ends.from(), target, ReplanReason::Drifted, scratch);
        }
        Ok(change)
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
