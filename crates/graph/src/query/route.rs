//! The loop of every search for a path, in slices or in one go: between each pair of places that
//! both ends may mean, then to the reachable place closest to the goal.

use glam::Vec3;
use waymesh_core::PolyId;

use super::searcher::{Between, PathSearcher};
use crate::locate::error::{NoPath, QueryError};
use crate::locate::nearest::{Place, Spot};
use crate::mesh::costs::{Rules, TravelCost};
use crate::mesh::filter::PolygonFilter;
use crate::mesh::nav_mesh::NavMesh;
use crate::path::ends::{Ends, Pairs};
use crate::path::options::{PathOptions, PathSearch};
use crate::path::progress::Progress;
use crate::path::result::Path;
use crate::scratch::QueryScratch;

/// The step of a search that is under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// The search for the goal.
    #[default]
    Goal,
    /// The flood of all that can be reached.
    Flood,
    /// The search for the reachable place closest to the goal.
    Closest,
    Done,
}

/// A search for the cheapest path between two positions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Route {
    phase: Phase,
    /// The pairs of places that both positions may mean, then of each start and the reachable place
    /// closest to the goal. Those first that may be connected.
    pairs: Pairs,
    /// Number of the pairs that were searched, with the one that is under way.
    searched: usize,
    /// The cheapest path so far, of equal ones the first: its cost and its pair.
    best: Option<(f64, usize)>,
    /// `true` if the place closest to the goal is wanted where no path leads there.
    wants_nearest: bool,
    /// `true` if no path can lead to the goal, whatever the filter allows.
    pub(super) is_apart: bool,
}

impl Route {
    pub(crate) fn new(wants_nearest: bool) -> Self {
        Self { wants_nearest, ..Self::default() }
    }

    /// Returns the ends of the path that was found. The memory is that of the search between them.
    pub(crate) fn ends(&self) -> Option<Ends> {
        self.best.map(|(_, pair)| self.pairs[pair])
    }

    pub(super) fn is_done(&self) -> bool {
        self.phase == Phase::Done
    }

    /// Returns the start of a search that is under way.
    pub(super) fn start(&self) -> PolyId {
        PolyId(self.pairs[0].start.polygon)
    }

    /// Returns the reachable place closest to the goal, after a search that found no path.
    pub(super) fn nearest(&self) -> Option<Vec3> {
        self.pairs.first().map(|ends| ends.goal_position)
    }
}

/// The mesh, the options and the memory of a search.
pub(crate) struct Router<'a, F, C, S> {
    pub(crate) mesh: &'a NavMesh,
    pub(crate) options: &'a PathOptions<F, C, S>,
    pub(crate) scratch: &'a mut QueryScratch,
}

impl<F: PolygonFilter, C: TravelCost, S: PathSearcher<F, C>> Router<'_, F, C, S> {
    /// Begins a search with a new route.
    pub(super) fn begin(&mut self, from: Place, to: Place, route: &mut Route) -> Result<(), QueryError> {
        self.options.search.begin(self.mesh, &self.options.usable(), self.scratch);
        route.pairs = self.mesh.path_ends(from, to, self.options)?;
        self.begin_next(route);
        Ok(())
    }

    /// Finds and writes a path: see [`Router::begin`]. It is empty if there is none.
    pub(crate) fn find(
        &mut self,
        from: Place,
        to: Place,
        route: &mut Route,
        path: &mut Path,
    ) -> Result<(), QueryError> {
        path.clear();
        self.begin(from, to, route)?;
        self.advance(route, path, &mut { usize::MAX });
        Ok(())
    }

    /// Continues by at most `nodes` nodes, and subtracts the opened ones. Returns `true` if the search
    /// is over; `path` is then the path found, or empty.
    pub(super) fn advance(&mut self, route: &mut Route, path: &mut Path, nodes: &mut usize) -> bool {
        let Self { mesh, options, .. } = *self;
        let usable = &options.usable();
        while route.phase != Phase::Done {
            if route.phase == Phase::Flood {
                if !mesh.advance_flood(usable, &mut self.scratch.paths, nodes) {
                    return false;
                }
                let closest = mesh.closest_flooded(&route.pairs, &self.scratch.paths);
                self.begin_closest(route, closest);
                continue;
            }
            let pair = route.searched - 1;
            let ends = &route.pairs[pair];
            let on = Between { mesh, ends: [&ends.start, &ends.goal], usable };
            let progress = options.search.advance(&on, nodes, self.scratch);
            if progress == Progress::Running {
                return false;
            }
            if progress == Progress::Found {
                if route.best.is_some() {
                    path.clear();
                }
                let paths = &mut self.scratch.paths;
                if usable.is_length() {
                    mesh.slide_links(on.ends, paths);
                }
                mesh.write_complete(ends, options, paths, path);
                if route.phase == Phase::Closest {
                    path.end_at(ends.goal_position);
                }
                let cost = mesh.cost_of(path, options);
                if route.best.is_none_or(|(least, _)| cost < least) {
                    route.best = Some((cost, pair));
                }
            }
            self.begin_next(route);
        }
        true
    }

    /// Begins the search between the next pair; after the last one that of the cheapest path again,
    /// unless that was the last, or the search for the reachable place closest to the goal.
    fn begin_next(&mut self, route: &mut Route) {
        let Self { mesh, options, .. } = *self;
        let usable = &options.usable();
        if route.pairs.get(route.searched).is_none_or(|ends| !mesh.may_reach(ends)) {
            match route.best {
                Some((cost, pair)) if pair + 1 != route.searched => {
                    route.pairs = Pairs::from_slice(&[route.pairs[pair]]);
                    (route.best, route.searched) = (Some((cost, 0)), 0);
                }
                None if route.phase == Phase::Goal && route.wants_nearest => {
                    route.is_apart = !mesh.may_reach(&route.pairs[0]);
                    if mesh.needs_no_flood(usable) {
                        return self.begin_closest(route, mesh.closest_on_islands(&route.pairs));
                    }
                    route.phase = Phase::Flood;
                    return mesh.begin_flood(&route.pairs, &mut self.scratch.paths);
                }
                _ => {
                    route.phase = Phase::Done;
                    return;
                }
            }
        }
        let Ends { start, goal, .. } = &route.pairs[route.searched];
        route.searched += 1;
        let paths = &mut self.scratch.paths;
        (paths.was_cut, paths.rises, paths.found_by) = (false, options.rises, PathSearch::Fast);
        options.search.start(&Between { mesh, ends: [start, goal], usable }, options.max_nodes, self.scratch);
    }

    fn begin_closest(&mut self, route: &mut Route, closest: Option<Spot>) {
        route.pairs = self.mesh.pairs_to(closest, &route.pairs);
        (route.phase, route.searched) = (Phase::Closest, 0);
        if self.options.allow_partial {
            self.begin_next(route);
        } else {
            route.phase = Phase::Done;
        }
    }
}

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
}
