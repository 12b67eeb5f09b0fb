//! The queries for paths: both ends are located, a search finds a corridor, a string is pulled
//! through it.

use super::route::{Route, Router};
use super::searcher::PathSearcher;
use crate::locate::error::{NoPath, QueryError};
use crate::locate::nearest::Location;
use crate::locate::place::Place;
use crate::mesh::costs::TravelCost;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::nav_mesh::NavMesh;
use crate::path::ends::Ends;
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
        from: Place,
        to: Place,
        options: &PathOptions<F, C, S>,
        scratch: &mut QueryScratch,
        path: &mut Path,
    ) -> Result<(), QueryError> {
        let mut route = Route::new(true);
        Router { mesh: self, options, scratch }.find(from, to, &mut route, path)?;
        if route.ends().is_some() {
            return Ok(());
        }
        let cause = if route.is_apart { NoPath::Apart } else { NoPath::Closed };
        let (from, to) = (from.position(), to.position());
        Err(QueryError::Unreachable { from, to, cause, nearest: route.nearest() })
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
}
