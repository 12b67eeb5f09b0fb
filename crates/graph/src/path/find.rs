//! The queries for paths: both ends are located, a search finds a corridor, a string is pulled
//! through it.

use glam::{Vec3, Vec3Swizzles};
use smallvec::SmallVec;
use waymesh_core::PolyId;

use super::funnel::plan_length;
use super::options::{PathOptions, PathSearch, PathSearcher};
use super::portal::turn_length;
use super::search::PathScratch;
use super::{Ends, Outcome, Path};
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
        match self.route(from, to, options, scratch, path)? {
            Some(_) => Ok(()),
            None => Err(self.unreachable(from, to, options, scratch)),
        }
    }

    /// Returns the error about a goal to which no path leads.
    #[cold]
    fn unreachable<F: PolygonFilter, C: TravelCost, S>(
        &self,
        (from, polygon): (Vec3, Option<PolyId>),
        to: Vec3,
        options: &PathOptions<F, C, S>,
        scratch: &mut QueryScratch,
    ) -> QueryError {
        let ends = match self.path_ends((from, polygon), to, options) {
            Ok(pairs) => pairs[0],
            Err(error) => return error,
        };
        let usable = options.usable();
        let reached = self.closest_reachable(&ends.start, ends.goal_position, &usable, &mut scratch.paths);
        let nearest = reached.and_then(|reached| self.partial_ends(&ends, reached));
        QueryError::Unreachable {
            from,
            to,
            cause: if self.may_reach(&ends) { NoPath::Closed } else { NoPath::Apart },
            nearest: nearest.map(|ends| ends.goal_position),
        }
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
    /// costs least. Returns the ends that it joins; `None` where there is no path. A start whose
    /// polygon is known is a place there.
    pub(super) fn route<F: PolygonFilter, C: TravelCost, S: PathSearcher<F, C>>(
        &self,
        from: (Vec3, Option<PolyId>),
        to: Vec3,
        options: &PathOptions<F, C, S>,
        scratch: &mut QueryScratch,
        path: &mut Path,
    ) -> Result<Option<Ends>, QueryError> {
        path.clear();
        let usable = options.usable();
        options.search.begin(self, &usable, scratch);
        let pairs = self.path_ends(from, to, options)?;
        let search = |ends: &Ends, scratch: &mut QueryScratch| {
            (scratch.paths.was_cut, scratch.paths.rises) = (false, options.rises);
            scratch.paths.found_by = PathSearch::Fast;
            let is_found =
                options.search.search(self, [&ends.start, &ends.goal], &usable, options.max_nodes, scratch);
            if is_found && usable.cost.is_length() {
                self.slide_links(&ends.start, &ends.goal, &mut scratch.paths);
            }
            is_found
        };
        let mut best: Option<(usize, f64)> = None;
        for (index, ends) in pairs.iter().enumerate() {
            path.clear();
            if self.may_reach(ends) && search(ends, scratch) {
                self.write_complete(ends, options, &mut scratch.paths, path);
                let cost = self.cost_of(path, options);
                if best.is_none_or(|(_, least)| cost < least) {
                    best = Some((index, cost));
                }
            }
        }
        if let Some((index, _)) = best {
            let ends = pairs[index];
            if index + 1 < pairs.len() && search(&ends, scratch) {
                path.clear();
                self.write_complete(&ends, options, &mut scratch.paths, path);
            }
            return Ok(Some(ends));
        }
        let ends = pairs[0];
        if !options.allow_partial {
            return Ok(None);
        }
        let reached = self.closest_reachable(&ends.start, ends.goal_position, &usable, &mut scratch.paths);
        let Some(partial) = reached.and_then(|reached| self.partial_ends(&ends, reached)) else {
            return Ok(None);
        };
        if search(&partial, scratch) {
            self.write_partial(&partial, options, &mut scratch.paths, path);
            return Ok(Some(partial));
        }
        Ok(None)
    }

    /// Returns the length as the search for the shortest path measures it: in plan, links in space
    /// and with what they cost.
    pub(super) fn plan_length(&self, path: &Path) -> f64 {
        let mut sum = 0.0;
        let mut links = path.links.iter().filter(|taken| !self.is_crossed_like_edge(taken.link)).peekable();
        for (index, pair) in path.points.windows(2).enumerate() {
            let [a, b] = [pair[0].as_dvec3(), pair[1].as_dvec3()];
            match links.next_if(|taken| taken.point == index) {
                Some(taken) => {
                    sum += a.distance(b) + self.link(taken.link).map_or(0.0, |link| link.extra_cost.into());
                }
                None => sum += a.xz().distance(b.xz()),
            }
        }
        sum
    }

    /// Returns what a search counts for a path: its cost, else its length in plan or on the ground.
    pub(super) fn cost_of<F, C: TravelCost, S>(&self, path: &Path, options: &PathOptions<F, C, S>) -> f64 {
        if options.cost.is_length() && !options.rises { self.plan_length(path) } else { path.cost.into() }
    }

    /// Checks the arguments and locates both ends. Returns the pairs of their places that may be
    /// connected; at least one pair.
    pub(super) fn path_ends<F: PolygonFilter, C: TravelCost, S>(
        &self,
        (from, polygon): (Vec3, Option<PolyId>),
        to: Vec3,
        options: &PathOptions<F, C, S>,
    ) -> Result<SmallVec<[Ends; 1]>, QueryError> {
        let reach = options.reach.unwrap_or_else(|| self.default_reach());
        reach.validate()?;
        if let Some(error) = options.ground_error {
            unless_0_or_more("ground_error", error)?;
        }
        if let Some((area, value)) = options.cost.bad_cost() {
            return Err(QueryError::BadCost { area, value });
        }
        let usable = options.usable();
        let known = polygon.filter(|&polygon| usable.allows(self, polygon));
        let known = known.map(|polygon| Location { polygon, position: from, generation: self.generation });
        let starts = match known {
            Some(place) => Places::from_slice(&[self.at_corner(self.spot_of(&place)?)]),
            None => self.places_at(self.locate(PathEnd::Start, from, &reach, &usable)?, &usable),
        };
        let goals = self.places_at(self.locate(PathEnd::Goal, to, &reach, &usable)?, &usable);
        let pairs = starts.iter().flat_map(|start| goals.iter().map(move |goal| (*start, *goal)));
        let mut pairs: SmallVec<[Ends; 1]> = pairs
            .map(|(start, goal)| {
                let start_position = self.location(&start, from).position;
                let goal_position = self.location(&goal, to).position;
                Ends { start, goal, start_position, goal_position }
            })
            .collect();
        let first = pairs[0];
        pairs.retain(|ends| self.may_reach(ends));
        if pairs.is_empty() {
            pairs.push(first);
        }
        Ok(pairs)
    }

    /// Returns `true` if a path may lead from end to end.
    pub(super) fn may_reach(&self, ends: &Ends) -> bool {
        let [from, to] = [&ends.start, &ends.goal].map(|spot| IslandId(self.island_at(spot.polygon)));
        self.may_connect(from, to)
    }

    /// Returns the ends of a path to a place that can be reached, if it is closer to the goal than
    /// the start.
    pub(super) fn partial_ends(&self, ends: &Ends, reached: Spot) -> Option<Ends> {
        let reached_position = self.location(&reached, ends.goal_position).position;
        let gain =
            ends.start_position.distance(ends.goal_position) - reached_position.distance(ends.goal_position);
        (f64::from(gain) > self.plan_slack * f64::from(self.frame.cell_size)).then_some(Ends {
            goal: reached,
            goal_position: reached_position,
            ..*ends
        })
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

    pub(super) fn write_partial<F, C: TravelCost, S>(
        &self,
        ends: &Ends,
        options: &PathOptions<F, C, S>,
        scratch: &mut PathScratch,
        path: &mut Path,
    ) {
        self.write_complete(ends, options, scratch, path);
        path.outcome =
            Outcome::Partial { reached: path.points.last().copied().unwrap_or(ends.goal_position) };
    }

    pub(super) fn locate(
        &self,
        end: PathEnd,
        position: Vec3,
        reach: &Reach,
        filter: &impl PolygonFilter,
    ) -> Result<Spot, QueryError> {
        if !position.is_finite() {
            return Err(QueryError::NotFinite { end, position });
        }
        self.nearest_allowed(position, reach, filter)
            .map(|spot| self.at_corner(spot))
            .ok_or(QueryError::NoMeshNear { end, position, reach: *reach })
    }
}
