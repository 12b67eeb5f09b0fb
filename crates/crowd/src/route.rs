//! The way of an agent: a corridor for its centre, or a path for all of its disc.

use glam::{Vec3, Vec3Swizzles};
use waymesh_core::PolyId;
use waymesh_graph::{
    ClearCorridor, ClearCorridorOptions, ClearPathOptions, ClearanceNavMesh, CorridorChange, CorridorOptions,
    LinkUse, Location, MeshSource, NavMesh, Outcome, PathCorridor, PathOptions, PolygonFilter, QueryError,
    QueryScratch, TravelCost,
};

use crate::AgentParams;

/// How far the path of a disc may swing out of the arcs round corners, in metres: agents walk its
/// chords, and each is a corner.
const ARC_ERROR: f32 = 0.01;

/// The ground of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground<'a> {
    pub(crate) mesh: &'a NavMesh,
    /// For agents that are wider than the mesh is for.
    clearance: Option<&'a ClearanceNavMesh>,
}

impl<'a> Ground<'a> {
    pub(crate) fn of(source: &'a (impl MeshSource + ?Sized), mesh: &'a NavMesh) -> Self {
        Self { mesh, clearance: source.clearance() }
    }

    /// What an agent keeps from walls beyond what the mesh keeps.
    pub(crate) fn margin<F, C>(&self, params: &AgentParams<F, C>) -> f32 {
        (params.radius - self.mesh.agent().radius).max(0.0)
    }

    /// What the paths of an agent are planned on if they are to fit its disc.
    pub(crate) fn for_disc<F, C>(&self, params: &AgentParams<F, C>) -> Option<&'a ClearanceNavMesh> {
        self.clearance.filter(|_| self.margin(params) > 0.0)
    }
}

/// Which of its corridors a route follows.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Centre,
    Disc,
    /// That of the centre, for the agent's filter forbids what the disc's would lead over.
    Filtered,
}

/// The way of an agent.
#[derive(Clone, Debug)]
pub(crate) struct Route<F, C> {
    kind: Kind,
    centre: PathCorridor<F, C>,
    /// Made when it is planned first.
    disc: Option<Box<ClearCorridor>>,
    /// The goal of the last plan or move.
    goal: Vec3,
}

impl<F: PolygonFilter + Clone, C: TravelCost + Clone> Route<F, C> {
    pub(crate) fn new(params: &AgentParams<F, C>) -> Self {
        let path = PathOptions::default().with_filter(params.filter.clone()).with_cost(params.cost.clone());
        let centre = PathCorridor::new(CorridorOptions::default().with_path(path));
        Self { kind: Kind::Centre, centre, disc: None, goal: Vec3::NAN }
    }
}

impl<F: PolygonFilter, C: TravelCost> Route<F, C> {
    /// The corridor in use, if it is one for the centre.
    pub(crate) fn centre(&self) -> Option<&PathCorridor<F, C>> {
        (self.kind != Kind::Disc).then_some(&self.centre)
    }

    /// The path in use, if it is one for the disc.
    pub(crate) fn disc(&self) -> Option<&ClearCorridor> {
        self.disc.as_deref().filter(|_| self.kind == Kind::Disc)
    }

    /// Where it begins, its corners and its end; none without a path.
    pub(crate) fn points(&self) -> &[Vec3] {
        self.disc().map_or_else(|| &*self.centre.path().points, ClearCorridor::points)
    }

    /// The corners ahead, `most` at most.
    pub(crate) fn next_corners(&self, most: usize) -> &[Vec3] {
        let points = self.points().get(1..).unwrap_or_default();
        &points[..most.min(points.len())]
    }

    /// The links ahead; for a disc without those that are ground.
    pub(crate) fn links(&self) -> &[LinkUse] {
        self.disc().map_or_else(|| &*self.centre.path().links, ClearCorridor::links)
    }

    /// Metres to its end.
    pub(crate) fn length(&self) -> f32 {
        self.disc().map_or_else(|| self.centre.path().length, ClearCorridor::length)
    }

    /// `true` if it leads to the goal.
    pub(crate) fn is_complete(&self) -> bool {
        let outcome = self.disc().map_or_else(|| self.centre.path().outcome, ClearCorridor::outcome);
        outcome == Outcome::Complete
    }

    /// `true` if the ground is another one since.
    pub(crate) fn is_outdated(&self, ground: Ground<'_>, params: &AgentParams<F, C>) -> bool {
        match (self.disc(), ground.for_disc(params)) {
            (Some(disc), Some(mesh)) => disc.is_outdated(mesh),
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
            self.kind = Kind::Disc;
            let change = disc.plan(mesh, from, to, scratch);
            if change.is_err() || allows_all(ground.mesh, params, disc) {
                return change;
            }
            self.kind = Kind::Filtered;
        }
        self.centre.plan(ground.mesh, from, to, scratch)
    }

    /// Lets it lead to another goal, if one is given, and mends it where the ground changed. The
    /// agent is at `place`.
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
        if let Some(goal) = goal
            && self.kind != Kind::Filtered
            && mesh.is_some() != (self.kind == Kind::Disc)
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

    /// The agent walks from `place` towards `to`: returns where it comes.
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
        let place = ground.mesh.move_along(place, to, &params.filter, scratch)?;
        let change = match disc.move_start(mesh, place.position, scratch) {
            // Others pushed it to where it has no room: it goes back.
            Err(QueryError::NoRoomNear { .. }) => Ok(CorridorChange::Kept),
            change => change,
        };
        Ok((self.checked(change, ground, params, scratch)?, Some(place)))
    }

    /// The agent took the next link: returns that, and where it came.
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

    /// Takes the way of the centre if the disc's is new and leads over what the filter forbids.
    fn checked(
        &mut self,
        change: Result<CorridorChange, QueryError>,
        ground: Ground<'_>,
        params: &AgentParams<F, C>,
        scratch: &mut QueryScratch,
    ) -> Result<CorridorChange, QueryError> {
        let Some(disc) = self.disc.as_ref() else { return change };
        if let (Ok(CorridorChange::Replanned { .. }), [from, ..]) = (&change, disc.points())
            && !allows_all(ground.mesh, params, disc)
        {
            self.kind = Kind::Filtered;
            return self.centre.plan(ground.mesh, *from, self.goal, scratch);
        }
        change
    }

    /// The place that the agent has to go back to: where the path of its disc begins, if it is not
    /// there.
    pub(crate) fn way_back(&self, here: Vec3, margin: f32) -> Option<Vec3> {
        let begin = *self.disc()?.points().first()?;
        (begin.xz().distance(here.xz()) > 0.5 * margin).then_some(begin)
    }
}

/// `true` if the filter allows all polygons of a path, and no cost closes one of them or a
/// crossing.
fn allows_all<F: PolygonFilter, C: TravelCost>(
    mesh: &NavMesh,
    params: &AgentParams<F, C>,
    path: &ClearCorridor,
) -> bool {
    let polygons = path.planned_polygons();
    let is_open = |polygon: PolyId| {
        let costs = C::IS_LENGTH || (0.0..f32::INFINITY).contains(&params.cost.per_metre(mesh, polygon));
        costs && params.filter.allows(mesh, polygon)
    };
    let is_crossed = |pair: &[PolyId]| {
        C::IS_LENGTH
            || pair[0] == pair[1]
            || params.cost.entering(mesh, pair[0], pair[1]).max(0.0) < f32::INFINITY
    };
    polygons.iter().all(|&polygon| is_open(polygon)) && polygons.windows(2).all(is_crossed)
}
