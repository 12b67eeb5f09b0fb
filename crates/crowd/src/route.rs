//! The route of an agent: a corridor for its centre, or a path for its disc.

use glam::{Vec3, Vec3Swizzles};
use waymesh_graph::{
    ClearCorridor, ClearCorridorOptions, ClearPathOptions, ClearanceNavMesh, CorridorChange, CorridorOptions,
    LinkUse, Location, MeshSource, NavMesh, Outcome, PathCorridor, PathOptions, PolygonFilter, QueryError,
    QueryScratch, TravelCost,
};

use crate::AgentParams;

/// Largest distance, in metres, of the path of a disc from the arcs around corners: agents walk the
/// chords of the arcs, and each chord ends at a corner.
const ARC_ERROR: f32 = 0.01;

/// The ground of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground<'a> {
    pub(crate) mesh: &'a NavMesh,
    /// For agents that are wider than the agent of the mesh.
    clearance: Option<&'a ClearanceNavMesh>,
}

impl<'a> Ground<'a> {
    pub(crate) fn of(source: &'a (impl MeshSource + ?Sized), mesh: &'a NavMesh) -> Self {
        Self { mesh, clearance: source.clearance() }
    }

    /// Returns the distance that an agent keeps from the borders of the mesh.
    pub(crate) fn margin<F, C>(&self, params: &AgentParams<F, C>) -> f32 {
        (params.radius - self.mesh.agent().radius).max(0.0)
    }

    /// Returns the mesh on which the paths for the disc of an agent are planned.
    pub(crate) fn for_disc<F, C>(&self, params: &AgentParams<F, C>) -> Option<&'a ClearanceNavMesh> {
        self.clearance.filter(|_| self.margin(params) > 0.0)
    }
}

/// The corridor that a route follows.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Centre,
    Disc,
    /// The corridor of the centre, because the agent's filter or costs forbid a polygon, a crossing or
    /// a link of the path of the disc.
    Filtered,
}

/// The route of an agent.
#[derive(Clone, Debug)]
pub(crate) struct Route<F, C> {
    kind: Kind,
    centre: PathCorridor<F, C>,
    /// Created by the first plan that uses it.
    disc: Option<Box<ClearCorridor>>,
    /// The goal of the last plan or move.
    goal: Vec3,
    /// The version of the filter and the costs when the path of the disc was checked.
    version: u64,
}

impl<F: PolygonFilter + Clone, C: TravelCost + Clone> Route<F, C> {
    pub(crate) fn new(params: &AgentParams<F, C>) -> Self {
        let path = PathOptions::default().with_filter(params.filter.clone()).with_cost(params.cost.clone());
        let centre = PathCorridor::new(CorridorOptions::default().with_path(path));
        Self { kind: Kind::Centre, centre, disc: None, goal: Vec3::NAN, version: 0 }
    }
}

impl<F: PolygonFilter, C: TravelCost> Route<F, C> {
    /// Returns the corridor in use, if it is one for the centre.
    pub(crate) fn centre(&self) -> Option<&PathCorridor<F, C>> {
        (self.kind != Kind::Disc).then_some(&self.centre)
    }

    /// Returns the path in use, if it is one for the disc.
    pub(crate) fn disc(&self) -> Option<&ClearCorridor> {
        self.disc.as_deref().filter(|_| self.kind == Kind::Disc)
    }

    /// Returns its start, its corners and its end; empty without a path.
    pub(crate) fn points(&self) -> &[Vec3] {
        self.disc().map_or_else(|| &*self.centre.path().points, ClearCorridor::points)
    }

    /// Returns the corners ahead, at most `most`.
    pub(crate) fn next_corners(&self, most: usize) -> &[Vec3] {
        let points = self.points().get(1..).unwrap_or_default();
        &points[..most.min(points.len())]
    }

    /// Returns the links ahead; for a disc without links that are ground.
    pub(crate) fn links(&self) -> &[LinkUse] {
        self.disc().map_or_else(|| &*self.centre.path().links, ClearCorridor::links)
    }

    /// Returns the metres to its end.
    pub(crate) fn length(&self) -> f32 {
        self.disc().map_or_else(|| self.centre.path().length, ClearCorridor::length)
    }

    /// Returns `true` if it leads to the goal.
    pub(crate) fn is_complete(&self) -> bool {
        let outcome = self.disc().map_or_else(|| self.centre.path().outcome, ClearCorridor::outcome);
        outcome == Outcome::Complete
    }

    /// Returns `true` if the ground, or what the filter allows, has changed since the last plan.
    pub(crate) fn is_outdated(&self, ground: Ground<'_>, params: &AgentParams<F, C>) -> bool {
        match (self.disc(), ground.for_disc(params)) {
            (Some(disc), Some(mesh)) => disc.is_outdated(mesh) || self.version != version(params),
            (None, None) => self.centre.is_outdated(ground.mesh),
            (None, Some(_)) => self.kind == Kind::Centre || self.centre.is_outdated(ground.mesh),
            (Some(_), None) => true,
        }
    }

    /// Plans from end to end.
    pub(crate) fn plan(
        &mut self,
        ground: Ground<'_>,
        params: &AgentParams<F, C>,
        [from, to]: [Vec3; 2],
        scratch: &mut QueryScratch,
    ) -> Result<CorridorChange, QueryError> {
        (self.kind, self.goal) = (Kind::Centre, to);
        if let Some(mesh) = ground.for_disc(params) {
            let radius = ground.margin(params);
            let path = ClearPathOptions::new(radius).with_arc_error(ARC_ERROR);
            let options = ClearCorridorOptions::new(radius).with_path(path);
            let known = self.disc.take().filter(|disc| *disc.options() == options);
            let disc = self.disc.insert(known.unwrap_or_else(|| Box::new(ClearCorridor::new(options))));
            (self.kind, self.version) = (Kind::Disc, version(params));
            let change = disc.plan(mesh, from, to, scratch);
            if change.is_err() || disc.is_open_for(ground.mesh, &params.filter, &params.cost) {
                return change;
            }
            self.kind = Kind::Filtered;
        }
        self.centre.plan(ground.mesh, from, to, scratch)
    }

    /// Changes its goal, if one is given, and repairs it after changes of the ground. The agent is
    /// at `place`.
    pub(crate) fn keep(
        &mut self,
        ground: Ground<'_>,
        params: &AgentParams<F, C>,
        place: &Location,
        [goal, moved]: [Option<Vec3>; 2],
        scratch: &mut QueryScratch,
    ) -> Result<CorridorChange, QueryError> {
        let mesh = ground.for_disc(params);
        self.goal = moved.unwrap_or(self.goal);
        let is_other = self.kind != Kind::Filtered && mesh.is_some() != (self.kind == Kind::Disc);
        if let Some(goal) = goal
            && (is_other || mesh.is_some() && !self.is_still_open(ground, params))
        {
            return self.plan(ground, params, [place.position, goal], scratch);
        }
        let (Kind::Disc, Some(disc), Some(mesh)) = (self.kind, &mut self.disc, mesh) else {
            return match moved {
                Some(goal) => self.centre.move_goal(ground.mesh, goal, scratch),
                None => self.centre.repair(ground.mesh, scratch),
            };
        };
        let change = match moved {
            Some(goal) => disc.move_goal(mesh, goal, scratch),
            None if disc.is_outdated(mesh) => disc.move_start(mesh, place.position, scratch),
            None => Ok(CorridorChange::Kept),
        };
        self.checked(change, ground, params, scratch)
    }

    /// Returns `false` if what the filter allows or paths cost has changed, unless the path of the disc
    /// leads to its goal and is still open.
    fn is_still_open(&mut self, ground: Ground<'_>, params: &AgentParams<F, C>) -> bool {
        let now = version(params);
        let is_open = |disc: &ClearCorridor| {
            disc.outcome() == Outcome::Complete && disc.is_open_for(ground.mesh, &params.filter, &params.cost)
        };
        if self.version != now && self.disc().is_some_and(is_open) {
            self.version = now;
        }
        self.version == now
    }

    /// Moves the agent from `place` towards `to`, and returns its new location.
    pub(crate) fn walk(
        &mut self,
        ground: Ground<'_>,
        params: &AgentParams<F, C>,
        place: &Location,
        to: Vec3,
        scratch: &mut QueryScratch,
    ) -> Result<(CorridorChange, Option<Location>), QueryError> {
        let mesh = ground.for_disc(params);
        let (Kind::Disc, Some(disc), Some(mesh)) = (self.kind, &mut self.disc, mesh) else {
            let change = self.centre.move_start(ground.mesh, to, scratch)?;
            return Ok((change, self.centre.start()));
        };
        let place = ground.mesh.query().filter(&params.filter).memory(scratch).walk(place, to)?;
        let change = match disc.move_start(mesh, place.position, scratch) {
            // Others pushed it to a position where it does not fit: it goes back.
            Err(QueryError::NoRoomNear { .. }) => Ok(CorridorChange::Kept),
            change => change,
        };
        Ok((self.checked(change, ground, params, scratch)?, Some(place)))
    }

    /// Removes the next link, which the agent took. Returns the link, and the location at its end.
    pub(crate) fn take_link(
        &mut self,
        ground: Ground<'_>,
        params: &AgentParams<F, C>,
        scratch: &mut QueryScratch,
    ) -> Result<Option<(LinkUse, Location)>, QueryError> {
        let mesh = ground.for_disc(params);
        let (Kind::Disc, Some(disc), Some(mesh)) = (self.kind, &mut self.disc, mesh) else {
            let taken = self.centre.take_link(ground.mesh, scratch)?;
            return Ok(taken.zip(self.centre.start()));
        };
        if disc.is_outdated(mesh) {
            return Ok(None);
        }
        let taken = disc.take_link(mesh, scratch)?;
        Ok(taken.zip(disc.start(mesh)))
    }

    /// Switches to the corridor of the centre if the path of the disc is new and the filter or the
    /// costs forbid it.
    fn checked(
        &mut self,
        change: Result<CorridorChange, QueryError>,
        ground: Ground<'_>,
        params: &AgentParams<F, C>,
        scratch: &mut QueryScratch,
    ) -> Result<CorridorChange, QueryError> {
        let Some(disc) = self.disc.as_ref() else { return change };
        if let (Ok(CorridorChange::Replanned { .. }), [from, ..]) = (&change, disc.points())
            && !disc.is_open_for(ground.mesh, &params.filter, &params.cost)
        {
            self.kind = Kind::Filtered;
            return self.centre.plan(ground.mesh, *from, self.goal, scratch);
        }
        change
    }

    /// Returns the position that the agent has to return to: the start of the path of its disc, if
    /// it is elsewhere.
    pub(crate) fn way_back(&self, here: Vec3, margin: f32) -> Option<Vec3> {
        let begin = *self.disc()?.points().first()?;
        (begin.xz().distance(here.xz()) > 0.5 * margin).then_some(begin)
    }
}

/// Returns the version of what the filter allows and of the costs.
fn version<F: PolygonFilter, C: TravelCost>(params: &AgentParams<F, C>) -> u64 {
    params.filter.version().wrapping_add(params.cost.version())
}
