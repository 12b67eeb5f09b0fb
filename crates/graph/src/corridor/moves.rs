//! The calls of a corridor: each on the ground of a point or of a disc.

use glam::Vec3;
use waymesh_core::BadField;

use super::options::{Changed, CorridorChange, ReplanReason};
use super::path_corridor::PathCorridor;
use crate::clearance::ClearanceNavMesh;
use crate::locate::error::QueryError;
use crate::locate::place::Place;
use crate::locate::reach::unless_0_or_more;
use crate::mesh::costs::TravelCost;
use crate::mesh::filter::PolygonFilter;
use crate::path::result::LinkUse;
use crate::scratch::QueryScratch;
use crate::source::MeshSource;

impl<F: PolygonFilter, C: TravelCost> PathCorridor<F, C> {
    /// Returns the ground of a disc; `None` for a point.
    fn clear<'a>(&self, ground: &'a impl MeshSource) -> Result<Option<&'a ClearanceNavMesh>, QueryError> {
        let Some(disc) = &self.options.disc else { return Ok(None) };
        let clear = ground.clearance();
        BadField::unless(clear.is_some(), "disc", disc.radius, "none on ground without clearance")?;
        Ok(clear)
    }

    /// Plans from end to end. [`CorridorChange::Nothing`] if no path leads anywhere.
    ///
    /// # Errors
    /// The errors of a [`Query`](crate::Query), for a disc those of
    /// [`ClearQuery::path`](crate::ClearQuery::path) about its ends, and [`QueryError::BadField`];
    /// then there is no corridor.
    pub fn plan(
        &mut self,
        ground: &impl MeshSource,
        from: impl Into<Place>,
        to: impl Into<Place>,
        scratch: &mut QueryScratch,
    ) -> Changed {
        let (from, to, reason) = (from.into(), to.into(), ReplanReason::Asked);
        self.forget();
        match self.clear(ground)? {
            Some(clear) => self.replan_disc(clear, from, to, reason, scratch),
            None => self.replan_point(&ground.nav_mesh(), from, to, reason, scratch),
        }
    }

    /// Plans again from the agent's place to the last requested goal: after a change that the mesh
    /// does not show, or now and then while the path ends short of the goal.
    ///
    /// # Errors
    /// See [`PathCorridor::plan`].
    pub fn replan(&mut self, ground: &impl MeshSource, scratch: &mut QueryScratch) -> Changed {
        match (self.here(), self.target) {
            (Some(from), Some(to)) => self.plan(ground, from, to, scratch),
            _ => Ok(CorridorChange::Nothing),
        }
    }

    /// The agent moved: the corridor now begins where that led it, along walls if they were in the
    /// way ([`Query::walk`](crate::Query::walk)). For a disc it begins where it fits next to there, and
    /// an agent that was pushed into a wall by less than its radius stays on its side of it.
    ///
    /// An agent that took a link must say so ([`PathCorridor::take_link`]), or else the corridor is
    /// planned again.
    ///
    /// # Errors
    /// [`QueryError::NotFinite`], and [`QueryError::NoRoomNear`] for a disc; the corridor stays as
    /// it was. [`QueryError::NoMeshNear`] where the mesh changed and left nothing near an end: then
    /// there is no corridor until an end is back on the mesh.
    #[doc(alias = "movePosition")]
    pub fn move_start(&mut self, ground: &impl MeshSource, to: Vec3, scratch: &mut QueryScratch) -> Changed {
        match self.clear(ground)? {
            Some(clear) => self.move_disc_start(clear, to, scratch),
            None => self.move_point_start(&ground.nav_mesh(), to, scratch),
        }
    }

    /// The goal moved: the corridor now leads to the place nearest to it, where a disc fits.
    ///
    /// Where the last goal could not be reached, and where no short path leads from it to the new
    /// one, the corridor is planned again.
    ///
    /// # Errors
    /// The errors of [`PathCorridor::move_start`], and [`QueryError::NoMeshNear`] for a goal
    /// without mesh near it; then the corridor stays as it was.
    #[doc(alias = "moveTargetPosition")]
    pub fn move_goal(
        &mut self,
        ground: &impl MeshSource,
        to: impl Into<Place>,
        scratch: &mut QueryScratch,
    ) -> Changed {
        let to = to.into();
        match self.clear(ground)? {
            Some(clear) => self.move_disc_goal(clear, to, scratch),
            None => self.move_point_goal(&ground.nav_mesh(), to, scratch),
        }
    }

    /// The agent took the next link that is not crossed like an edge: the corridor now begins at its
    /// end. `None` if the path has no such link.
    ///
    /// # Errors
    /// See [`PathCorridor::move_start`].
    #[doc(alias = "moveOverOffmeshConnection")]
    pub fn take_link(
        &mut self,
        ground: &impl MeshSource,
        scratch: &mut QueryScratch,
    ) -> Result<Option<LinkUse>, QueryError> {
        match self.clear(ground)? {
            Some(clear) => self.take_disc_link(clear, scratch),
            None => self.take_point_link(&ground.nav_mesh(), scratch),
        }
    }

    /// Mends the corridor if the mesh, its links or what the filter allows changed; every other
    /// call does so first. That of a disc is planned again.
    ///
    /// The path is followed on the new mesh from corner to corner. A blocked leg is replaced by the
    /// shortest detour that is longer by at most
    /// [`CorridorOptions::range`](crate::CorridorOptions::range), else the corner is removed; if the
    /// goal is not reached that way, it is planned again.
    ///
    /// # Errors
    /// See [`PathCorridor::move_start`].
    #[doc(alias = "fixPathStart")]
    #[doc(alias = "trimInvalidPath")]
    pub fn repair(&mut self, ground: &impl MeshSource, scratch: &mut QueryScratch) -> Changed {
        let change = match self.clear(ground)? {
            Some(clear) => self.renew_disc(clear, scratch),
            None => self.renew_point(&ground.nav_mesh(), None, scratch),
        };
        change.map(|change| if self.ends.is_none() { CorridorChange::Nothing } else { change })
    }

    /// Goes straight where one of the corners ahead, within `range` metres along the path, is in
    /// sight. Returns `true` if the path is shorter now: never for a disc, which does so whenever it
    /// moves.
    ///
    /// # Errors
    /// The errors of [`PathCorridor::move_start`], and [`QueryError::BadField`] for a range that is
    /// NaN or negative.
    #[doc(alias = "optimizePathVisibility")]
    pub fn optimise_visibility(
        &mut self,
        ground: &impl MeshSource,
        range: f32,
        scratch: &mut QueryScratch,
    ) -> Result<bool, QueryError> {
        self.optimise(ground, range, true, scratch)
    }

    /// Takes the shortest path to the last corner within `range` metres along the path, but
    /// at least the second. Returns `true` if the path is shorter now, never for a disc.
    ///
    /// # Errors
    /// See [`PathCorridor::optimise_visibility`].
    #[doc(alias = "optimizePathTopology")]
    pub fn optimise_topology(
        &mut self,
        ground: &impl MeshSource,
        range: f32,
        scratch: &mut QueryScratch,
    ) -> Result<bool, QueryError> {
        self.optimise(ground, range, false, scratch)
    }

    fn optimise(
        &mut self,
        ground: &impl MeshSource,
        range: f32,
        only_straight: bool,
        scratch: &mut QueryScratch,
    ) -> Result<bool, QueryError> {
        unless_0_or_more("range", range)?;
        match self.clear(ground)? {
            Some(clear) => self.renew_disc(clear, scratch).map(|_| false),
            None => self.optimise_point(&ground.nav_mesh(), range, only_straight, scratch),
        }
    }
}
