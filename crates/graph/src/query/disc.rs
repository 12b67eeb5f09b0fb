//! Queries for a disc.

use crate::clearance::{ClearPathOptions, ClearPlace, ClearanceNavMesh};
use crate::locate::error::{PathEnd, QueryError};
use crate::locate::nearest::{Location, Place};
use crate::locate::reach::Reach;
use crate::mesh::filter::{AnyPolygon, PolygonFilter};
use crate::path::{Path, PathSearch};
use crate::scratch::{Memory, QueryScratch};

/// Queries for a disc of any radius, with settings that hold for all of them.
///
/// Made by [`ClearanceNavMesh::query`]. It owns its memory, and allocates nothing once that has
/// grown. One per thread. What [`Query`](crate::Query) is to a point.
#[derive(Debug)]
pub struct ClearQuery<'a> {
    mesh: &'a ClearanceNavMesh,
    options: ClearPathOptions,
    memory: Memory<'a>,
}

impl ClearanceNavMesh {
    /// Returns a query for a disc of this radius in metres, with the default settings: a short path
    /// found fast, complete, over links too.
    #[must_use]
    pub fn query(&self, radius: f32) -> ClearQuery<'_> {
        let options = ClearPathOptions::new(radius).with_search(PathSearch::Fast).with_allow_partial(false);
        ClearQuery { mesh: self, options, memory: Memory::Own(None) }
    }
}

impl<'a> ClearQuery<'a> {
    /// Sets all settings at once.
    #[must_use]
    pub fn options(self, options: ClearPathOptions) -> Self {
        Self { options, ..self }
    }

    /// Uses memory that the caller keeps: for many queries on a mesh that changes between them.
    #[must_use]
    pub fn memory(self, scratch: &'a mut QueryScratch) -> Self {
        Self { memory: Memory::Lent(scratch), ..self }
    }

    /// Sets the radius of the disc in metres.
    #[must_use]
    pub fn radius(self, radius: f32) -> Self {
        Self { options: self.options.with_radius(radius), ..self }
    }

    /// Searches for the shortest path.
    #[must_use]
    pub fn shortest(self) -> Self {
        Self { options: self.options.with_search(PathSearch::Shortest), ..self }
    }

    /// Accepts a path to the reachable place nearest to the goal where no path leads to the goal.
    #[must_use]
    pub fn partial(self) -> Self {
        Self { options: self.options.with_allow_partial(true), ..self }
    }

    /// Sets the largest move of each end to a place where the disc fits. Default:
    /// [`ClearanceNavMesh::default_reach`].
    #[must_use]
    pub fn reach(self, reach: Reach) -> Self {
        Self { options: self.options.with_reach(reach), ..self }
    }

    /// Sets the most nodes that a search may open: [`ClearPathOptions::max_nodes`].
    #[must_use]
    pub fn max_nodes(self, nodes: usize) -> Self {
        Self { options: self.options.with_max_nodes(nodes), ..self }
    }

    /// Returns the shortest path of a disc of this radius, in metres, or a short one found fast
    /// ([`ClearQuery::shortest`]).
    ///
    /// - Both ends are moved to where the disc fits ([`ClearQuery::nearest`]); the path has the
    ///   distances.
    /// - No path over the ground in the plan that keeps the radius is shorter, to rounding (but see
    ///   [`PathSearch::Fast`] below). Rises
    ///   and falls do not count while it searches.
    /// - A disc keeps at least [`NavMesh::position_slack`](crate::NavMesh::position_slack) from walls,
    ///   and three micrometres, even with radius 0: nearer, positions do not show on which side of a
    ///   wall it is.
    /// - Links that are crossed like an edge both ways at no cost, such as doors, and steps between
    ///   slices, are ground: only real walls keep a disc away, however short the treads are.
    /// - Other links are taken where that is cheaper, or the only path ([`ClearPathOptions::links`]).
    ///   A link between points serves every disc, one between segments those that are no wider than
    ///   the shorter of them, with links that continue it straight on and are alike (kind, data, cost,
    ///   directions). Each of its ends, at nine places along segments, is moved to the nearest
    ///   place within sight and a radius and a half where the disc fits; from there to there the disc
    ///   goes straight. Of all such chains the path is the cheapest: length in plan over the ground,
    ///   and in space over links, and their extra cost. The clearance on a link itself is not known,
    ///   except that a disc keeps its radius from both ends of a line that is crossed like an edge
    ///   one way or at a cost. The query remembers where the disc fits at links.
    /// - There are no costs per metre: a disc covers several areas at once. To keep agents from
    ///   some ground, see [`ClearanceNavMesh::with_filter`].
    /// - Where no path is wide enough, that is known without a search usually: triangles are joined for
    ///   every width at once. The path then leads to a place near the goal that can be reached, if any
    ///   is nearer than the start, after [`ClearQuery::partial`]; to find it takes time in the
    ///   polygons nearer to the goal than that place.
    /// - Where nothing is in the way, the straight path is taken without a search.
    /// - With [`PathSearch::Fast`] the path is the shortest in one channel of triangles, found by A\*,
    ///   and keeps the radius just as well. It may be longer than the shortest of all, without a
    ///   bound: of 180,000 paths over random obstacles it was 0.02 % longer on average, and 15 % at
    ///   most; the longest known is 27 % longer. It finds a path where the shortest one is found:
    ///   where its channel does not show one, near an end in a narrow place, that is searched for
    ///   instead ([`Path::found_by`]). So it is where links that are no open ground may make it shorter
    ///   by more than a hundredth.
    /// - Takes time in `n log n` of the cones seen.
    ///
    /// # Errors
    /// - [`QueryError::Unreachable`] where no path is wide enough, [`QueryError::Undecided`] where the
    ///   search ended at [`ClearQuery::max_nodes`].
    /// - [`QueryError::NoRoomNear`] where the disc does not fit near an end. Others: see
    ///   [`Query`](crate::Query).
    #[doc(alias = "findPath")]
    pub fn path(&mut self, from: impl Into<Place>, to: impl Into<Place>) -> Result<Path, QueryError> {
        let mut path = Path::default();
        self.path_into(from, to, &mut path)?;
        Ok(path)
    }

    /// Finds a path as [`ClearQuery::path`] does, and writes it to a path whose memory is reused.
    ///
    /// # Errors
    /// See [`ClearQuery::path`]; `path` then has no points.
    pub fn path_into(
        &mut self,
        from: impl Into<Place>,
        to: impl Into<Place>,
        path: &mut Path,
    ) -> Result<(), QueryError> {
        let scratch = &mut self.memory.get().clearance;
        self.mesh.find_path_into(from.into(), to.into(), &self.options, scratch, path)
    }

    /// Returns the place nearest to a position in plan where the disc fits, with no wall nearer to
    /// its centre than the radius; of several storeys the one nearest in height. From a
    /// [`Location`], the nearest one with no wall between, if there is one.
    ///
    /// Where the disc fits at the mesh's nearest place, that is the answer. Else all places are
    /// checked where the disc would touch one or two walls, from near to far.
    ///
    /// # Cost
    /// Grows with the walls up to the place that is found, and with the pairs of walls that are a
    /// diameter apart.
    ///
    /// # Errors
    /// [`QueryError::NoRoomNear`] where the disc fits nowhere within reach. Others: see
    /// [`Query`](crate::Query).
    pub fn nearest(&mut self, position: impl Into<Place>) -> Result<ClearPlace, QueryError> {
        self.nearest_with(position, &AnyPolygon)
    }

    /// Returns the nearest place as [`ClearQuery::nearest`] does, but only one whose centre is on a
    /// polygon that a filter allows; the disc may overlap others. At most twice
    /// [`NavMesh::position_slack`](crate::NavMesh::position_slack) farther than the nearest one.
    ///
    /// # Errors
    /// See [`ClearQuery::nearest`].
    pub fn nearest_with(
        &mut self,
        position: impl Into<Place>,
        filter: &impl PolygonFilter,
    ) -> Result<ClearPlace, QueryError> {
        let place = position.into();
        self.options.validate()?;
        let reach = self.options.reach.unwrap_or_else(|| self.mesh.default_reach(self.options.radius));
        let scratch = &mut self.memory.get().clearance;
        let fit = self.mesh.end_on(PathEnd::Start, place, self.options.radius, &reach, filter, scratch)?;
        Ok(self.mesh.clear_place(&fit, place.position()))
    }

    /// Returns how far the nearest wall is from a place in plan, in metres, but `limit` at most:
    /// the radius of the largest disc that fits there. Walls of other storeys do not count. 0
    /// on ground that is not for it ([`ClearanceNavMesh::with_filter`]).
    ///
    /// # Errors
    /// [`QueryError::Stale`] or [`QueryError::NoPolygon`] for a place of another mesh,
    /// [`QueryError::BadField`] for a limit that is NaN or negative.
    pub fn clearance_at(&mut self, place: &Location, limit: f32) -> Result<f32, QueryError> {
        self.mesh.clearance_at(place, limit, &mut self.memory.get().clearance.memory.stack)
    }
}
