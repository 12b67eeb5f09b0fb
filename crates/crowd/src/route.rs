//! The route of an agent: a corridor for its centre, or a path for its disc.

use std::ops::Deref;

use glam::{Vec3, Vec3Swizzles};
use waymesh_graph::{
    ClearPathOptions, ClearanceNavMesh, CorridorChange, CorridorOptions, LinkUse, Location, MeshSource,
    NavMesh, Outcome, PathCorridor, PathOptions, Place, PolygonFilter, QueryError, QueryScratch, TravelCost,
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

impl MeshSource for Ground<'_> {
    fn nav_mesh(&self) -> impl Deref<Target = NavMesh> {
        self.mesh
    }

    fn clearance(&self) -> Option<&ClearanceNavMesh> {
        self.clearance
    }
}

/// The route of an agent.
#[derive(Clone, Debug)]
pub(crate) struct Route<F, C> {
    /// That of the agent's disc, or of its centre.
    corridor: PathCorridor<F, C>,
    /// `true` if it is that of the centre because the agent's filter or costs forbid a polygon, a
    /// crossing or a link of the path of the disc.
    is_filtered: bool,
    /// The goal of the last plan or move.
    goal: Place,
    /// The version of the filter and the costs when the path of the disc was checked.
    version: u64,
}

impl<F: PolygonFilter + Clone, C: TravelCost + Clone> Route<F, C> {
    pub(crate) fn new(params: &AgentParams<F, C>) -> Self {
        let path = PathOptions::default().with_filter(params.filter.clone()).with_cost(params.cost.clone());
        let corridor = PathCorridor::new(CorridorOptions::default().with_path(path));
        Self { corridor, is_filtered: false, goal: Vec3::NAN.into(), version: 0 }
    }
}

impl<F: PolygonFilter, C: TravelCost> Route<F, C> {
    pub(crate) fn corridor(&self) -> &PathCorridor<F, C> {
        &self.corridor
    }

    /// Returns `true` if it is the path of a disc.
    pub(crate) fn is_for_disc(&self) -> bool {
        self.corridor.options().disc.is_some()
    }

    /// Returns its start, its corners and its end; empty without a path.
    pub(crate) fn points(&self) -> &[Vec3] {
        &self.corridor.path().points
    }

    /// Returns the links ahead; for a disc without links that are ground.
    pub(crate) fn links(&self) -> &[LinkUse] {
        &self.corridor.path().links
    }

    /// Returns the next link that is taken from end to end. A disc takes all its links so, also doors
    /// at a cost: while it crosses their lines, it fits on neither side.
    pub(crate) fn next_ride(&self, mesh: &NavMesh) -> Option<&LinkUse> {
        let is_disc = self.is_for_disc();
        self.links().iter().find(|taken| is_disc || !mesh.is_crossed_like_edge(taken.link))
    }

    /// Returns the metres to its end.
    pub(crate) fn length(&self) -> f32 {
        let path = self.corridor.path();
        if self.is_for_disc() { path.plan_length } else { path.length }
    }

    /// Returns `true` if it leads to the goal.
    pub(crate) fn is_complete(&self) -> bool {
        self.corridor.path().outcome == Outcome::Complete
    }

    /// Returns `true` if the ground, or what the filter allows, has changed since the last plan.
    pub(crate) fn is_outdated(&self, ground: Ground<'_>, params: &AgentParams<F, C>) -> bool {
        let is_other = !self.is_filtered && ground.for_disc(params).is_some() != self.is_for_disc();
        is_other || self.corridor.is_outdated(&ground)
    }

    /// Plans from end to end.
    pub(crate) fn plan(
        &mut self,
        ground: Ground<'_>,
        params: &AgentParams<F, C>,
        [from, to]: [Place; 2],
        scratch: &mut QueryScratch,
    ) -> Result<CorridorChange, QueryError> {
        (self.is_filtered, self.goal) = (false, to);
        if ground.for_disc(params).is_some() {
            let disc = ClearPathOptions::new(ground.margin(params)).with_arc_error(ARC_ERROR);
            self.corridor.set_disc(Some(disc));
            self.version = version(params);
            let change = self.corridor.plan(&ground, from, to, scratch);
            if change.is_err() || self.corridor.is_allowed(ground.mesh) {
                return change;
            }
            self.is_filtered = true;
        }
        self.corridor.set_disc(None);
        self.corridor.plan(&ground, from, to, scratch)
    }

    /// Changes its goal, if one is given, and repairs it after changes of the ground. The agent is
    /// at `place`.
    pub(crate) fn keep(
        &mut self,
        ground: Ground<'_>,
        params: &AgentParams<F, C>,
        place: &Location,
        [goal, moved]: [Option<Place>; 2],
        scratch: &mut QueryScratch,
    ) -> Result<CorridorChange, QueryError> {
        let is_for_disc = ground.for_disc(params).is_some();
        self.goal = moved.unwrap_or(self.goal);
        let is_other = !self.is_filtered && is_for_disc != self.is_for_disc();
        if let Some(goal) = goal
            && (is_other || is_for_disc && !self.is_still_open(ground, params))
        {
            return self.plan(ground, params, [(*place).into(), goal], scratch);
        }
        let change = match moved {
            Some(goal) => self.corridor.move_goal(&ground, goal, scratch),
            None => self.corridor.repair(&ground, scratch),
        };
        self.checked(change, ground, scratch)
    }

    /// Returns `false` if what the filter allows or paths cost has changed, unless the path of the disc
    /// leads to its goal and is still open.
    fn is_still_open(&mut self, ground: Ground<'_>, params: &AgentParams<F, C>) -> bool {
        let now = version(params);
        let is_open = self.is_for_disc() && self.is_complete();
        if self.version != now && is_open && self.corridor.is_allowed(ground.mesh) {
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
        if !self.is_for_disc() {
            let change = self.corridor.move_start(&ground, to, scratch)?;
            return Ok((change, self.corridor.start()));
        }
        let place = ground.mesh.query().filter(&params.filter).memory(scratch).walk(place, to)?;
        let change = match self.corridor.move_start(&ground, place.position, scratch) {
            // Others pushed it to a position where it does not fit: it goes back.
            Err(QueryError::NoRoomNear { .. }) => Ok(CorridorChange::Kept),
            change => change,
        };
        Ok((self.checked(change, ground, scratch)?, Some(place)))
    }

    /// Removes the next link, which the agent took. Returns the link, and the location at its end.
    pub(crate) fn take_link(
        &mut self,
        ground: Ground<'_>,
        scratch: &mut QueryScratch,
    ) -> Result<Option<(LinkUse, Location)>, QueryError> {
        let taken = self.corridor.take_link(&ground, scratch)?;
        Ok(taken.zip(self.corridor.start()))
    }

    /// Switches to the corridor of the centre if the path of the disc is new and the filter or the
    /// costs forbid it.
    fn checked(
        &mut self,
        change: Result<CorridorChange, QueryError>,
        ground: Ground<'_>,
        scratch: &mut QueryScratch,
    ) -> Result<CorridorChange, QueryError> {
        if let (Ok(CorridorChange::Replanned { .. }), Some(&from)) = (&change, self.points().first())
            && self.is_for_disc()
            && !self.corridor.is_allowed(ground.mesh)
        {
            self.is_filtered = true;
            self.corridor.set_disc(None);
            return self.corridor.plan(&ground, from, self.goal, scratch);
        }
        change
    }

    /// Returns the position that the agent has to return to: the start of the path of its disc, if
    /// it is elsewhere.
    pub(crate) fn way_back(&self, here: Vec3, margin: f32) -> Option<Vec3> {
        let begin = *self.points().first().filter(|_| self.is_for_disc())?;
        (begin.xz().distance(here.xz()) > 0.5 * margin).then_some(begin)
    }
}

/// Returns the version of what the filter allows and of the costs.
fn version<F: PolygonFilter, C: TravelCost>(params: &AgentParams<F, C>) -> u64 {
    params.filter.version().wrapping_add(params.cost.version())
}

/// Returns a location of this mesh whose polygon a filter allows, on the ground of the polygon;
/// `None` for a position, and for a location of another mesh.
pub(crate) fn on_mesh(mesh: &NavMesh, given: Place, filter: &impl PolygonFilter) -> Option<Location> {
    let Place::Found(Location { polygon, position, generation }) = given else { return None };
    let is_here = generation == mesh.generation() && mesh.polygon(polygon).is_some();
    let is_open = is_here && filter.allows(mesh, polygon);
    mesh.closest_on_polygon(polygon, position).ok().filter(|_| is_open)
}
