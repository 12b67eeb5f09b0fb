//! The queries for paths: both ends are located, a search finds a corridor, a string is pulled
//! through it.

use glam::Vec3;
use waymesh_core::PolyId;

use super::searcher::PathSearcher;
use crate::locate::error::{NoPath, QueryError};
use crate::locate::nearest::Location;
use crate::mesh::costs::{Rules, TravelCost};
use crate::mesh::filter::PolygonFilter;
use crate::mesh::nav_mesh::NavMesh;
use crate::path::ends::{Ends, Pairs};
use crate::path::options::{PathOptions, PathSearch};
use crate::path::portal::turn_length;
use crate::path::result::Path;
use crate::scratch::QueryScratch;

impl NavMesh {
    /// Finds a path, and writes it to a path whose memory is reused: see [`crate::Query::path`].
    ///
    /// # Errors
    /// See [`crate::Query::path`]; `path` is then unreachable and empty.
    pub(crate) fn find_path_into<F: PolygonFilter, C: TravelCost, S: PathSearcher<F, C>>(
        &self,
        from: (Vec3, Option<PolyId>),
        to: Vec3,
        options: &PathOptions<F, C, S>,
        scratch: &mut QueryScratch,
        path: &mut Path,
    ) -> Result<(), QueryError> {
        let pairs = match self.route(from, to, options, scratch, path)? {
            Ok(_) => return Ok(()),
            Err(pairs) => pairs,
        };
        let partial = self.partial_pairs(&pairs, options, &mut scratch.paths);
        if options.allow_partial && self.route_partial(&partial, options, scratch, path).is_some() {
            return Ok(());
        }
        Err(QueryError::Unreachable {
            from: from.0,
            to,
            cause: if self.may_reach(&pairs[0]) { NoPath::Closed } else { NoPath::Apart },
            nearest: partial.first().map(|ends| ends.goal_position),
        })
    }

    /// Returns the length in metres of the shortest path from one place to another, if a path of at
    /// most `limit` metres in plan leads there, else `None`. Ground farther away is
    /// not searched, so a long or missing path takes little time.
    ///
    /// # Errors
    /// [`QueryError::Stale`], [`QueryError::NoPolygon`] or [`QueryError::NotFinite`] for places
    /// that are none of this mesh.
    pub(crate) fn path_length_within(
        &self,
        from: &Location,
        to: &Location,
        limit: f32,
        filter: &impl PolygonFilter,
        scratch: &mut QueryScratch,
    ) -> Result<Option<f32>, QueryError> {
        let [start, goal] = [self.spot_of(from)?, self.spot_of(to)?];
        let ends = Ends { start, goal, start_position: from.position, goal_position: to.position };
        let options = PathOptions::default().with_search(PathSearch::Shortest).with_filter(filter);
        let limit = f64::from(limit) / f64::from(self.frame.cell_size);
        let paths = &mut scratch.paths;
        let is_near = limit >= turn_length(start.at, goal.at) && self.may_reach(&ends);
        if !is_near || !self.search_shortest_within([&start, &goal], limit, &options.usable(), paths) {
            return Ok(None);
        }
        self.slide_links([&start, &goal], paths);
        let mut path = Path::default();
        self.write_complete(&ends, &options, paths, &mut path);
        Ok(Some(path.length))
    }

    /// Finds and writes a path: of those between the places that both positions may mean the one that
    /// costs least. Returns the ends that it joins; where there is no path, the pairs of places as an
    /// error. A start whose polygon is known is a place there.
    pub(crate) fn route<F: PolygonFilter, C: TravelCost, S: PathSearcher<F, C>>(
        &self,
        from: (Vec3, Option<PolyId>),
        to: Vec3,
        options: &PathOptions<F, C, S>,
        scratch: &mut QueryScratch,
        path: &mut Path,
    ) -> Result<Result<Ends, Pairs>, QueryError> {
        path.clear();
        options.search.begin(self, &options.usable(), scratch);
        let pairs = self.path_ends(from, to, options)?;
        Ok(self.route_between(&pairs, options, scratch, path).ok_or(pairs))
    }

    /// Finds and writes the path of least cost between the ends of one of the pairs.
    fn route_between<F: PolygonFilter, C: TravelCost, S: PathSearcher<F, C>>(
        &self,
        pairs: &[Ends],
        options: &PathOptions<F, C, S>,
        scratch: &mut QueryScratch,
        path: &mut Path,
    ) -> Option<Ends> {
        let usable = options.usable();
        let find = |ends: &Ends| {
            path.clear();
            (scratch.paths.was_cut, scratch.paths.rises) = (false, options.rises);
            scratch.paths.found_by = PathSearch::Fast;
            if !options.search.search(self, [&ends.start, &ends.goal], &usable, options.max_nodes, scratch) {
                return None;
            }
            if usable.is_length() {
                self.slide_links([&ends.start, &ends.goal], &mut scratch.paths);
            }
            self.write_complete(ends, options, &mut scratch.paths, path);
            Some(self.cost_of(path, options))
        };
        cheapest(pairs.iter().filter(|ends| self.may_reach(ends)), find)
    }

    /// Finds and writes the path of least cost to a reachable place near the goal
    /// ([`NavMesh::partial_pairs`]).
    pub(crate) fn route_partial<F: PolygonFilter, C: TravelCost, S: PathSearcher<F, C>>(
        &self,
        partial: &[Ends],
        options: &PathOptions<F, C, S>,
        scratch: &mut QueryScratch,
        path: &mut Path,
    ) -> Option<Ends> {
        let ends = self.route_between(partial, options, scratch, path)?;
        path.end_at(ends.goal_position);
        Some(ends)
    }
}

/// Returns the pair of ends between which the path that `find` finds costs least, with that cost;
/// of equal ones the first. The path of the last call of `find` is that one.
fn cheapest<'a>(
    pairs: impl Iterator<Item = &'a Ends>,
    mut find: impl FnMut(&Ends) -> Option<f64>,
) -> Option<Ends> {
    let mut best: Option<(f64, &Ends)> = None;
    let mut is_last = false;
    for ends in pairs {
        let cost = find(ends).filter(|&cost| best.is_none_or(|(least, _)| cost < least));
        is_last = cost.is_some();
        best = cost.map(|cost| (cost, ends)).or(best);
    }
    let (_, ends) = best?;
    if !is_last {
        find(ends)?;
    }
    Some(*ends)
}
