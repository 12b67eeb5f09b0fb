//! The queries for paths: both ends are located, a search finds a corridor, a string is pulled
//! through it.

use glam::{Vec3, Vec3Swizzles};
use waymesh_core::PolyId;

use super::funnel::plan_length;
use super::options::{PathOptions, PathSearch, PathSearcher};
use super::portal::turn_length;
use super::search::PathScratch;
use super::{Ends, Outcome, Pairs, Path};
use crate::locate::error::{NoPath, PathEnd, QueryError, unless_0_or_more};
use crate::locate::nearest::{Location, Reach, Spot};
use crate::locate::places::Places;
use crate::mesh::costs::TravelCost;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::islands::IslandId;
use crate::mesh::nav_mesh::NavMesh;
use crate::scratch::QueryScratch;

impl NavMesh {
    /// Finds a path, and writes it to a path whose memory is reused: see [`crate::Query::path`].
    ///
    /// # Errors
    /// See [`crate::Query::path`]; `path` is then [`Outcome::Unreachable`] and empty.
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
        let partial = self.partial_pairs(&pairs, options, scratch);
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
        if !is_near || !self.search_shortest_within(&start, &goal, limit, &options.usable(), paths) {
            return Ok(None);
        }
        self.slide_links(&start, &goal, paths);
        let mut path = Path::default();
        self.write_complete(&ends, &options, paths, &mut path);
        Ok(Some(path.length))
    }

    /// Finds and writes a path: of those between the places that both positions may mean the one that
    /// costs least. Returns the ends that it joins; where there is no path, the pairs of places as an
    /// error. A start whose polygon is known is a place there.
    pub(super) fn route<F: PolygonFilter, C: TravelCost, S: PathSearcher<F, C>>(
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
        let find = |ends: &&Ends| {
            path.clear();
            (scratch.paths.was_cut, scratch.paths.rises) = (false, options.rises);
            scratch.paths.found_by = PathSearch::Fast;
            if !options.search.search(self, [&ends.start, &ends.goal], &usable, options.max_nodes, scratch) {
                return None;
            }
            if usable.cost.is_length() {
                self.slide_links(&ends.start, &ends.goal, &mut scratch.paths);
            }
            self.write_complete(ends, options, &mut scratch.paths, path);
            Some(self.cost_of(path, options))
        };
        let (_, ends) = cheapest(pairs.iter().filter(|ends| self.may_reach(ends)), find)?;
        Some(*ends)
    }

    /// Finds and writes the path of least cost to a reachable place near the goal
    /// ([`NavMesh::partial_pairs`]).
    pub(super) fn route_partial<F: PolygonFilter, C: TravelCost, S: PathSearcher<F, C>>(
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

    /// Returns the length as the search for the shortest path measures it: in plan, links in space,
    /// and what links cost.
    pub(super) fn plan_length(&self, path: &Path) -> f64 {
        let extra = path.links.iter().filter_map(|taken| Some(f64::from(self.link(taken.link)?.extra_cost)));
        let mut sum: f64 = extra.sum();
        let mut links = path.links.iter().filter(|taken| !self.is_crossed_like_edge(taken.link)).peekable();
        for (index, pair) in path.points.windows(2).enumerate() {
            let [a, b] = [pair[0].as_dvec3(), pair[1].as_dvec3()];
            let is_link = links.next_if(|taken| taken.point == index).is_some();
            sum += if is_link { a.distance(b) } else { a.xz().distance(b.xz()) };
        }
        sum
    }

    /// Returns what a search counts for a path: its cost, else its length in plan or on the ground.
    pub(super) fn cost_of<F, C: TravelCost, S>(&self, path: &Path, options: &PathOptions<F, C, S>) -> f64 {
        if options.cost.is_length() && !options.rises { self.plan_length(path) } else { path.cost.into() }
    }

    /// Checks the arguments and locates both ends. Returns the pairs of their places, those first that
    /// may be connected; at least one pair.
    pub(super) fn path_ends<F: PolygonFilter, C: TravelCost, S>(
        &self,
        (from, polygon): (Vec3, Option<PolyId>),
        to: Vec3,
        options: &PathOptions<F, C, S>,
    ) -> Result<Pairs, QueryError> {
        if let Some(error) = options.ground_error {
            unless_0_or_more("ground_error", error)?;
        }
        if let Some((area, value)) = options.cost.bad_cost() {
            return Err(QueryError::BadCost { area, value });
        }
        let usable = options.usable();
        let known = polygon.filter(|&polygon| usable.allows(self, polygon));
        let known = known.map(|polygon| Location { polygon, position: from, generation: self.generation });
        let places = |end, position| {
            let spot = self.locate(end, position, options.reach, &usable)?;
            Ok::<_, QueryError>(self.places_at(spot, &usable))
        };
        let starts = match known {
            Some(place) => Places::from_slice(&[self.at_corner(self.spot_of(&place)?)]),
            None => places(PathEnd::Start, from)?,
        };
        let goals = places(PathEnd::Goal, to)?;
        let pairs = starts.iter().flat_map(|start| goals.iter().map(move |goal| (*start, *goal)));
        let mut pairs: Pairs = pairs
            .map(|(start, goal)| {
                let start_position = self.location(&start, from).position;
                let goal_position = self.location(&goal, to).position;
                Ends { start, goal, start_position, goal_position }
            })
            .collect();
        pairs.sort_by_key(|ends| !self.may_reach(ends));
        Ok(pairs)
    }

    /// Returns `true` if a path may lead from end to end.
    pub(super) fn may_reach(&self, ends: &Ends) -> bool {
        let [from, to] = [&ends.start, &ends.goal].map(|spot| IslandId(self.island_at(spot.polygon)));
        self.may_connect(from, to)
    }

    pub(super) fn write_complete<F, C: TravelCost, S>(
        &self,
        ends: &Ends,
        options: &PathOptions<F, C, S>,
        scratch: &mut PathScratch,
        path: &mut Path,
    ) {
        path.outcome = Outcome::Complete;
        (path.was_cut, path.found_by) = (scratch.was_cut, scratch.found_by);
        let positions = [ends.start_position, ends.goal_position];
        self.write_path(&ends.start, &ends.goal, positions, options, scratch, path);
        path.plan_length = plan_length(&path.points);
    }

    /// Returns the place nearest to an end.
    pub(super) fn locate(
        &self,
        end: PathEnd,
        position: Vec3,
        reach: Option<Reach>,
        filter: &impl PolygonFilter,
    ) -> Result<Spot, QueryError> {
        let spot =
            self.located(end, position, reach, |reach| self.nearest_allowed(position, reach, filter))?;
        Ok(self.at_corner(spot))
    }
}

/// Returns the pair of ends between which the path that `find` finds costs least, with that cost;
/// of equal ones the first. The path of the last call of `find` is that one.
fn cheapest<E>(pairs: impl Iterator<Item = E>, mut find: impl FnMut(&E) -> Option<f64>) -> Option<(f64, E)> {
    let mut best: Option<(f64, E)> = None;
    let mut is_last = false;
    for ends in pairs {
        let cost = find(&ends).filter(|cost| best.as_ref().is_none_or(|(least, _)| cost < least));
        is_last = cost.is_some();
        best = cost.map(|cost| (cost, ends)).or(best);
    }
    let (cost, ends) = best?;
    if !is_last {
        find(&ends)?;
    }
    Some((cost, ends))
}
