//! Queries on a mesh: settings and memory in one object.

use glam::Vec3;
use waymesh_core::{PolyId, RandomBits, checkpoint};

use super::searcher::PathSearcher;
use crate::locate::error::{PathEnd, QueryError};
use crate::locate::nearest::{Location, Place};
use crate::locate::reach::Reach;
use crate::mesh::costs::{Length, TravelCost};
use crate::mesh::filter::{AnyPolygon, PolygonFilter};
use crate::mesh::link::{Link, LinkKind};
use crate::mesh::nav_mesh::NavMesh;
use crate::path::any_angle::{MOST_FLOODED, Seen};
use crate::path::ends::Ends;
use crate::path::portal::turn_length;
use crate::path::{DistanceMap, Path, PathOptions, PathSearch};
use crate::scratch::{Memory, QueryScratch};
use crate::surface::{PlaceSampler, Raycast, Wall, WallPiece};

/// Pairs that one thread takes at a time.
const PAIRS_AT_ONCE: usize = 8;

/// Queries on a mesh, with settings that hold for all of them.
///
/// - Made by [`NavMesh::query`]. The settings take the query and return it.
/// - It owns its memory, and allocates nothing once that has grown. One per thread.
/// - Every place is a position or a [`Location`] that was found ([`Place`]). A position is moved to
///   the nearest ground that the filter allows, within [`Query::reach`].
/// - A position that a query returned is on the mesh for every query: see [`NavMesh`], Positions.
///
/// # Errors
/// Every query returns
/// - [`QueryError::NotFinite`] for a position that is NaN or infinite,
/// - [`QueryError::NoMeshNear`] for one without ground within reach,
/// - [`QueryError::BadField`] for a setting out of its range, [`QueryError::BadCost`] for a cost
///   that is.
///
/// ```
/// # use glam::Vec3;
/// # use waymesh_core::{AreaId, GridFrame, PlanPoint, PlanVertex, Poly, PolyMesh, RegionId, VertexId};
/// # use waymesh_graph::{AreaFilter, NavMesh, QueryError};
/// # let mesh = NavMesh::try_from(PolyMesh {
/// #     frame: GridFrame { origin: Vec3::ZERO, cell_size: 0.5, level_height: 0.2, width: 20, depth: 20 },
/// #     vertices: [(0, 0), (20, 0), (20, 20), (0, 20)]
/// #         .map(|(x, z)| PlanVertex { point: PlanPoint::new(x, z), height: 0.0 }).to_vec(),
/// #     polygons: vec![Poly { first: 0, len: 4, region: RegionId(0), area: AreaId::GROUND }],
/// #     corners: (0..4).map(VertexId).collect(),
/// #     neighbours: vec![None; 4],
/// # })?;
/// let (from, to) = (Vec3::new(1.0, 0.0, 1.0), Vec3::new(4.0, 0.0, 5.0));
/// let mut query = mesh.query().filter(AreaFilter::only([AreaId::GROUND])).shortest();
/// assert!((query.path(from, to)?.length - 5.0).abs() < 1e-5);
/// assert!((query.distance(from, to)? - 5.0).abs() < 1e-5);
/// assert!(query.sees(from, to)?);
/// let start = query.nearest(from)?;
/// let end = query.walk(start, Vec3::new(-3.0, 0.0, 1.0))?;
/// assert_eq!(end.position, Vec3::new(0.0, 0.0, 1.0));
/// assert_eq!(query.ray(start, Vec3::new(-3.0, 0.0, 1.0))?.fraction, 0.25);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "dtNavMeshQuery")]
#[derive(Debug)]
pub struct Query<'a, F = AnyPolygon, C = Length, S = PathSearch> {
    mesh: &'a NavMesh,
    options: PathOptions<F, C, S>,
    memory: Memory<'a>,
}

impl NavMesh {
    /// Returns a path from one place to another: found fast, short, and complete.
    ///
    /// A [`Query`] keeps its memory, takes settings, and finds the shortest path. See
    /// [`PathSearch::Fast`] for how short the path is.
    ///
    /// # Errors
    /// See [`Query::path`].
    pub fn path(&self, from: impl Into<Place>, to: impl Into<Place>) -> Result<Path, QueryError> {
        self.query().path(from, to)
    }

    /// Returns a query with the default settings: all polygons, by length, fast, complete paths.
    #[must_use]
    pub fn query(&self) -> Query<'_> {
        let memory = Memory::Own(None);
        Query { mesh: self, options: PathOptions::default().with_allow_partial(false), memory }
    }

    /// Returns a link from one place to another, in both directions where [`Link::new`] says so, for
    /// [`NavMesh::add_link`].
    ///
    /// # Errors
    /// See [`Query`].
    pub fn link_between(
        &self,
        from: impl Into<Place>,
        to: impl Into<Place>,
        kind: LinkKind,
    ) -> Result<Link, QueryError> {
        let query = self.query();
        let (from, to) = (query.start(from.into(), None)?, query.found(PathEnd::Goal, to.into(), None)?);
        Ok(Link::new(self.link_end(&from), self.link_end(&to), kind))
    }
}

impl<'a, F, C, S> Query<'a, F, C, S> {
    /// Sets all settings at once.
    #[must_use]
    pub fn options<G, D, T>(self, options: PathOptions<G, D, T>) -> Query<'a, G, D, T> {
        Query { mesh: self.mesh, options, memory: self.memory }
    }

    fn change<G, D, T>(
        self,
        set: impl FnOnce(PathOptions<F, C, S>) -> PathOptions<G, D, T>,
    ) -> Query<'a, G, D, T> {
        Query { mesh: self.mesh, options: set(self.options), memory: self.memory }
    }

    /// Uses memory that the caller keeps: for many queries on a mesh that changes between them.
    #[must_use]
    pub fn memory(self, scratch: &'a mut QueryScratch) -> Self {
        Self { memory: Memory::Lent(scratch), ..self }
    }

    /// Sets which polygons a query may use, for paths and for the ends of all queries.
    #[must_use]
    pub fn filter<G: PolygonFilter>(self, filter: G) -> Query<'a, G, C, S> {
        self.change(|options| options.with_filter(filter))
    }

    /// Sets what paths cost. Default: their length.
    #[must_use]
    pub fn costs<D: TravelCost>(self, costs: D) -> Query<'a, F, D, S> {
        self.change(|options| options.with_cost(costs))
    }

    /// Sets how paths are searched for: a [`PathSearch`], or a reference to a
    /// [`Hierarchy`](crate::Hierarchy) or to [`RelaxedPolygons`](crate::RelaxedPolygons).
    #[must_use]
    pub fn search<T>(self, search: T) -> Query<'a, F, C, T> {
        self.change(|options| options.with_search(search))
    }

    /// Searches for the shortest path: [`PathSearch::Shortest`].
    #[must_use]
    pub fn shortest(self) -> Query<'a, F, C, PathSearch> {
        self.search(PathSearch::Shortest)
    }

    /// Accepts a path to the reachable place nearest to the goal where no path leads to the goal:
    /// [`PathOptions::allow_partial`].
    #[must_use]
    pub fn partial(self) -> Self {
        self.change(|options| options.with_allow_partial(true))
    }

    /// Sets the largest distance of a position from the mesh. Default: [`NavMesh::default_reach`].
    #[must_use]
    pub fn reach(self, reach: Reach) -> Self {
        self.change(|options| options.with_reach(reach))
    }

    /// Counts rises and falls in the search for the shortest path: [`PathOptions::rises`].
    #[must_use]
    pub fn rises(self) -> Self {
        self.change(|options| options.with_rises(true))
    }

    /// Sets how far a path may leave the ground between two points, in metres:
    /// [`PathOptions::ground_error`].
    #[must_use]
    pub fn ground_error(self, error: f32) -> Self {
        self.change(|options| options.with_ground_error(error))
    }

    /// Adds a point to paths at each edge that they cross: [`PathOptions::cross_points`].
    #[must_use]
    pub fn cross_points(self) -> Self {
        self.change(|options| options.with_cross_points(true))
    }

    /// Sets the most nodes that a search for the shortest path opens: [`PathOptions::max_nodes`].
    #[must_use]
    pub fn max_nodes(self, nodes: usize) -> Self {
        self.change(|options| options.with_max_nodes(nodes))
    }

    /// Returns the polygons that the last [`Query::ray`] or [`Query::sees`] passed, from that of the
    /// start to that of the end.
    #[must_use]
    pub fn passed(&self) -> &[PolyId] {
        match &self.memory {
            Memory::Own(scratch) => scratch.as_ref().map_or(&[], |scratch| &scratch.surface.passed),
            Memory::Lent(scratch) => &scratch.surface.passed,
        }
    }

    fn parts(&mut self) -> (&'a NavMesh, &PathOptions<F, C, S>, &mut QueryScratch) {
        (self.mesh, &self.options, self.memory.get())
    }
}

impl<F: PolygonFilter, C: TravelCost, S: PathSearcher<F, C>> Query<'_, F, C, S> {
    /// Returns a path from one place to another.
    ///
    /// - Where pieces of ground touch without a crossing, an end that is a position lies on each of
    ///   them, and the path is the cheapest of those between them. A [`Location`] lies on its polygon.
    /// - How short the path is depends on the search: see [`PathSearch`].
    /// - Where nothing is in the way, the straight path is taken without a search.
    /// - Links whose ends are one line in plan are crossed like any edge.
    /// - Between two islands that no link joins the answer needs no search.
    ///
    /// # Errors
    /// [`QueryError::Unreachable`], with the cause, where no path leads to the goal; after
    /// [`Query::partial`] only where none leads nearer to it. Others: see [`Query`].
    #[doc(alias = "findPath")]
    #[doc(alias = "findStraightPath")]
    pub fn path(&mut self, from: impl Into<Place>, to: impl Into<Place>) -> Result<Path, QueryError> {
        let mut path = Path::default();
        self.path_into(from, to, &mut path)?;
        Ok(path)
    }

    /// Finds a path as [`Query::path`] does, and writes it to a path whose memory is reused.
    ///
    /// # Errors
    /// See [`Query::path`]; `path` is then empty.
    pub fn path_into(
        &mut self,
        from: impl Into<Place>,
        to: impl Into<Place>,
        path: &mut Path,
    ) -> Result<(), QueryError> {
        let (mesh, options, scratch) = self.parts();
        mesh.find_path_into(from.into(), to.into(), options, scratch, path)
    }

    /// Returns the paths of many pairs of ends, each as [`Query::path`] finds it, in their order.
    ///
    /// The pairs are shared among the threads of the current rayon pool.
    ///
    /// # Errors
    /// Each path has its own: see [`Query::path`].
    pub fn paths(&mut self, pairs: &[[Vec3; 2]]) -> Vec<Result<Path, QueryError>>
    where
        F: Sync,
        C: Sync,
        S: Sync,
    {
        let mut paths = Vec::new();
        self.paths_into(pairs, &mut paths);
        paths
    }

    /// Finds paths as [`Query::paths`] does, and writes them to paths whose memory is reused.
    ///
    /// - A cancelled batch ends early: see [`waymesh_core::CancelToken`]. The paths are then those of
    ///   this batch or of the last.
    /// - Allocates nothing once the query and `paths` have grown.
    pub fn paths_into(&mut self, pairs: &[[Vec3; 2]], paths: &mut Vec<Result<Path, QueryError>>)
    where
        F: Sync,
        C: Sync,
        S: Sync,
    {
        let (mesh, options, scratch) = self.parts();
        paths.resize_with(pairs.len(), || Ok(Path::default()));
        scratch.threads.for_each(paths, PAIRS_AT_ONCE, |number, slot, scratch| {
            checkpoint();
            let [from, to] = pairs[number];
            let mut path = std::mem::replace(slot, Ok(Path::default())).unwrap_or_default();
            *slot = mesh.find_path_into(from.into(), to.into(), options, scratch, &mut path).map(|()| path);
        });
    }
}

impl<F: PolygonFilter, C: TravelCost, S> Query<'_, F, C, S> {
    /// Returns the place on the mesh nearest to a position, within [`Query::reach`]: see
    /// [`NavMesh::nearest`].
    ///
    /// # Errors
    /// See [`Query`].
    pub fn nearest(&self, position: impl Into<Place>) -> Result<Location, QueryError> {
        self.start(position.into(), None)
    }

    /// Returns the length in metres of the shortest path from one place to another, in space, without
    /// costs: [`Path::length`] of [`Query::shortest`].
    ///
    /// # Errors
    /// See [`Query::path`].
    pub fn distance(&mut self, from: impl Into<Place>, to: impl Into<Place>) -> Result<f32, QueryError> {
        let (mesh, options, scratch) = self.parts();
        let PathOptions { filter, cost, reach, max_nodes, rises, ground_error, .. } = options;
        let options = PathOptions { reach: *reach, max_nodes: *max_nodes, ..PathOptions::default() };
        let options = PathOptions { rises: *rises, ground_error: *ground_error, ..options };
        let options = options.with_allow_partial(false);
        let options = options.with_search(PathSearch::Shortest).with_filter(filter).with_cost(cost);
        let mut path = std::mem::take(&mut scratch.path);
        let found = mesh.find_path_into(from.into(), to.into(), &options, scratch, &mut path);
        let length = path.length;
        scratch.path = path;
        found.map(|()| length)
    }

    /// Returns the length of the shortest path if it is at most `limit` metres in plan, else `None`.
    /// Ground farther away is not searched.
    ///
    /// # Errors
    /// See [`Query`].
    pub fn distance_within(
        &mut self,
        from: impl Into<Place>,
        to: impl Into<Place>,
        limit: f32,
    ) -> Result<Option<f32>, QueryError> {
        let from = self.start(from.into(), None)?;
        let to = self.found(PathEnd::Goal, to.into(), None)?;
        let (mesh, options, scratch) = self.parts();
        let [start, goal] = [mesh.spot_of(&from)?, mesh.spot_of(&to)?];
        let ends = Ends { start, goal, start_position: from.position, goal_position: to.position };
        let options = PathOptions::default().with_search(PathSearch::Shortest).with_filter(options.usable());
        let limit = f64::from(limit) / f64::from(mesh.frame.cell_size);
        let paths = &mut scratch.paths;
        let is_near = limit >= turn_length(start.at, goal.at) && mesh.may_reach(&ends);
        if !is_near || !mesh.search_shortest_within([&start, &goal], limit, &options.usable(), paths) {
            return Ok(None);
        }
        mesh.slide_links([&start, &goal], paths);
        let mut path = Path::default();
        mesh.write_complete(&ends, &options, paths, &mut path);
        Ok(Some(path.length))
    }

    /// Follows a straight line over the ground from a place towards a position until a wall is in the
    /// way.
    ///
    /// - In plan; height follows the ground from polygon to polygon, so what lies on other storeys
    ///   does not matter. Links that are crossed like edges are crossed.
    /// - Walls belong to the surface: a ray may touch walls, run along them, and pass through a
    ///   corner where there is ground on both sides.
    /// - Exact up to [`NavMesh::position_slack`]: a wall is hit where the ray lies beyond it by more
    ///   than that. So no segment of a path is blocked, although its corners are rounded.
    /// - [`Query::passed`] returns the polygons.
    /// - Takes time linear in the corners of the polygons passed.
    ///
    /// # Errors
    /// See [`Query`].
    #[doc(alias = "raycast")]
    pub fn ray(&mut self, from: impl Into<Place>, to: Vec3) -> Result<Raycast, QueryError> {
        let from = self.start(from.into(), Some(to))?;
        let (mesh, options, scratch) = self.parts();
        mesh.raycast(&from, to, &options.usable(), &mut scratch.surface.passed)
    }

    /// Returns `true` if a straight line over the ground leads from one place to the other: to that
    /// place, not to one above or below it.
    ///
    /// # Errors
    /// See [`Query`].
    pub fn sees(&mut self, from: impl Into<Place>, to: impl Into<Place>) -> Result<bool, QueryError> {
        let to = self.found(PathEnd::Goal, to.into(), None)?;
        let from = self.start(from.into(), Some(to.position))?;
        let (mesh, options, scratch) = self.parts();
        let goal = mesh.spot_of(&to)?;
        let ray = mesh.raycast(&from, to.position, &options.usable(), &mut scratch.surface.passed)?;
        if ray.hit.is_some() {
            return Ok(false);
        }
        // On a border several polygons hold the place: it is the same if they are connected there.
        let connected = mesh.connected_at(ray.polygon.0, goal.at, mesh.slack(), &AnyPolygon);
        Ok(connected.contains(&goal.polygon))
    }

    /// Moves from a place towards a position, along walls where they are in the way.
    ///
    /// - Each polygon that can be entered through edges within the circle that has start and target
    ///   as opposite points offers its point closest to the target; of those no farther from the
    ///   start than the target, the closest wins. So a move never leads farther than its length,
    ///   never through a wall, never away from the target, and ends there where nothing is in the
    ///   way, each up to [`NavMesh::position_slack`]. Nothing is in the way of a ray that leaves walls
    ///   by less than twice that.
    /// - For the small steps of a moving agent: takes time linear in the corners of the polygons in
    ///   that circle. Each step rounds the position: far from the origin many short steps towards a
    ///   distant goal drift off the straight line to it. Step along the line, or follow a
    ///   [`PathCorridor`](crate::PathCorridor).
    /// - Links that are crossed like edges are crossed.
    ///
    /// # Errors
    /// See [`Query`].
    #[doc(alias = "moveAlongSurface")]
    pub fn walk(&mut self, from: impl Into<Place>, to: Vec3) -> Result<Location, QueryError> {
        let from = self.start(from.into(), Some(to))?;
        let (mesh, options, scratch) = self.parts();
        mesh.move_along(&from, to, &options.usable(), &mut scratch.surface)
    }

    /// Returns the wall nearest to a place in plan, at most `radius` metres away: a border of the
    /// mesh, or an edge to a polygon that the filter does not allow.
    ///
    /// - Polygons are visited from edge to edge, so walls of other storeys do not count. Links
    ///   that are crossed like edges are no walls.
    /// - Inclusive. `None` where no wall is so near.
    /// - Takes time in `n log n` of the polygons within `radius`.
    ///
    /// # Errors
    /// [`QueryError::BadField`] for a radius that is NaN or negative. Others: see [`Query`].
    #[doc(alias = "findDistanceToWall")]
    pub fn wall(&mut self, from: impl Into<Place>, radius: f32) -> Result<Option<Wall>, QueryError> {
        let from = self.start(from.into(), None)?;
        let (mesh, options, scratch) = self.parts();
        mesh.nearest_wall(&from, radius, &options.usable(), &mut scratch.surface)
    }

    /// Finds the pieces of wall that come within `radius` metres of a place, as [`Query::wall`] sees
    /// them: each from right to left as seen from the surface, ordered by polygon
    /// ([`NavMesh::compare_polygons`]). `out` is cleared first.
    ///
    /// # Errors
    /// [`QueryError::BadField`] for a radius that is NaN or negative. Others: see [`Query`].
    #[doc(alias = "getPolyWallSegments")]
    #[doc(alias = "findLocalNeighbourhood")]
    #[doc(alias = "dtLocalBoundary")]
    pub fn walls(
        &mut self,
        from: impl Into<Place>,
        radius: f32,
        out: &mut Vec<WallPiece>,
    ) -> Result<(), QueryError> {
        let from = self.start(from.into(), None)?;
        let (mesh, options, scratch) = self.parts();
        mesh.walls_within(&from, radius, &options.usable(), &mut scratch.surface, out)
    }

    /// Returns a source of random places on the ground that the filter and the costs leave open. Takes
    /// time linear in the polygons.
    #[must_use]
    pub fn sampler(&self) -> PlaceSampler {
        PlaceSampler::new(self.mesh, &self.options.usable())
    }

    /// Returns a random place within `radius` metres of another in plan, uniform over the plan area.
    ///
    /// `random` is a [`waymesh_core::Random`], or `&mut || bits` of any generator. Only polygons that
    /// are connected with the start within that circle count. Returns the start itself where no ground
    /// is found in a good number of tries, or for a radius that is NaN, negative or 0.
    ///
    /// # Errors
    /// See [`Query`].
    #[doc(alias = "findRandomPointAroundCircle")]
    #[doc(alias = "findRandomPointWithinCircle")]
    pub fn random_around(
        &mut self,
        from: impl Into<Place>,
        radius: f32,
        random: &mut impl RandomBits,
    ) -> Result<Location, QueryError> {
        let from = self.start(from.into(), None)?;
        let (mesh, options, scratch) = self.parts();
        mesh.random_place_around(&from, radius, &options.usable(), random, &mut scratch.surface)
    }

    /// Finds all polygons that can be reached from a place within a length, with the shortest path
    /// to the nearest point of each, in metres in plan; nearest first, of equals the lowest id.
    /// `out` is cleared first. One-way links are not taken.
    ///
    /// # Cost
    /// The worst case is 2^24 nodes: some 10 seconds and 2 GB of memory. It takes ground with
    /// hundreds of thousands of corners that see each other.
    ///
    /// # Errors
    /// [`QueryError::TooMuchSeen`] where more than 2^24 cones are seen within the length. Others: see
    /// [`Query`].
    #[doc(alias = "findPolysAroundCircle")]
    #[doc(alias = "dijkstra")]
    pub fn polygons_within(
        &mut self,
        from: impl Into<Place>,
        length: f32,
        out: &mut Vec<(PolyId, f32)>,
    ) -> Result<(), QueryError> {
        let from = self.start(from.into(), None)?;
        let (mesh, options, scratch) = self.parts();
        let memory = &mut scratch.paths.any_angle;
        out.clear();
        let start = mesh.spot_of(&from)?;
        if length.is_nan() || length < 0.0 {
            return Ok(());
        }
        let metre = f64::from(mesh.frame.cell_size);
        mesh.flood_shortest(&start, f64::from(length) / metre, MOST_FLOODED, &options.usable(), memory)?;
        #[expect(clippy::cast_possible_truncation, reason = "a length in single precision")]
        let nearest = |seen: &Seen| (PolyId(seen.polygon), (seen.nearest * metre) as f32);
        out.extend(memory.seen.iter().map(nearest));
        out.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        out.dedup_by_key(|entry| entry.0);
        out.sort_unstable_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        Ok(())
    }

    /// Returns the shortest paths to a goal from everywhere within a length of it. The length is in
    /// metres in plan, with what links cost; infinite is allowed. Distances of the map are in space.
    ///
    /// # Cost
    /// See [`Query::polygons_within`].
    ///
    /// # Errors
    /// See [`Query::polygons_within`].
    pub fn distance_map(&mut self, goal: impl Into<Place>, length: f32) -> Result<DistanceMap, QueryError> {
        let goal = self.found(PathEnd::Goal, goal.into(), None)?;
        let (mesh, options, scratch) = self.parts();
        mesh.distance_map(&goal, length, &options.usable(), &mut scratch.paths.any_angle)
    }

    /// Moves the corners of a path away from the walls they turn round, by up to `distance` metres,
    /// into `out`. Returns how many moved.
    ///
    /// # Guarantees
    /// - Start, goal and the ends of links stay. So does a corner without room: in a passage it
    ///   moves half as far as the passage is wide at most.
    /// - No wall is crossed: both legs of a corner that moves are free by [`Query::ray`], or
    ///   else it moves less, or not at all.
    /// - The path gets longer by at most twice `distance` for each corner that moves, in plan.
    /// - Legs whose ends did not move keep their polygons. Along the others `out.polygons` are
    ///   those the straight legs pass, and two in succession may meet in a corner only. `out.cost`
    ///   is that of the new legs on the ground that they pass.
    ///
    /// Takes a few raycasts a corner, and allocates nothing once `out` has grown.
    /// `path` must be one of this mesh, without points where it crosses edges
    /// ([`Query::cross_points`]): those would not move along.
    ///
    /// # Errors
    /// [`QueryError::BadField`] for a distance that is NaN or negative, [`QueryError::NoPolygon`]
    /// and [`QueryError::NotFinite`] for a path that is none of this mesh; `out` is then empty.
    ///
    /// ```
    /// # use glam::Vec3;
    /// # use waymesh_core::{AreaId, Poly, PolyId, PolyMesh, GridFrame, PlanPoint, PlanVertex, RegionId, VertexId};
    /// # let points = [(0, 0), (10, 0), (20, 0), (20, 10), (10, 10), (10, 20), (0, 20), (0, 10)];
    /// # let polygon = |first: u32| Poly { first, len: 4, region: RegionId(0), area: AreaId::GROUND };
    /// # let mesh = waymesh_graph::NavMesh::try_from(PolyMesh {
    /// #     frame: GridFrame { origin: Vec3::ZERO, cell_size: 1.0, level_height: 1.0, width: 20, depth: 20 },
    /// #     vertices: points.map(|(x, z)| PlanVertex { point: PlanPoint::new(x, z), height: 0.0 }).to_vec(),
    /// #     polygons: vec![polygon(0), polygon(4), polygon(8)],
    /// #     corners: [0, 1, 4, 7, 1, 2, 3, 4, 7, 4, 5, 6].map(VertexId).to_vec(),
    /// #     neighbours: [None, Some(1), Some(2), None, None, None, None, Some(0), Some(0), None, None, None]
    /// #         .map(|polygon| polygon.map(PolyId)).to_vec(),
    /// # })?;
    /// // Round the corner of a wall at (10, 10).
    /// let mut query = mesh.query();
    /// let path = query.path(Vec3::new(18.0, 0.0, 9.0), Vec3::new(9.0, 0.0, 18.0))?;
    /// let mut wide = waymesh_graph::Path::default();
    /// assert_eq!(query.offset_corners(&path, 0.5, &mut wide)?, 1);
    /// assert!((wide.points[1].distance(path.points[1]) - 0.5).abs() < 1e-5);
    /// assert!(wide.length < path.length + 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn offset_corners(
        &mut self,
        path: &Path,
        distance: f32,
        out: &mut Path,
    ) -> Result<usize, QueryError> {
        let (mesh, options, scratch) = self.parts();
        mesh.offset_corners(path, distance, &options.usable(), &mut scratch.surface.passed, out)
    }

    /// Appends the places where the ground bends under the straight line to the plan position of `to`,
    /// so that a chain of `from`, these and the end is no farther than `error` metres above or below
    /// the ground. Returns the length of the ground under the line, in metres in space; `None`, and
    /// appends nothing, if a wall is in the way.
    ///
    /// - For lines that are not those of [`Query::ground_error`], such as the legs of a path for a
    ///   disc.
    /// - Takes time linear in the surface triangles of the polygons passed.
    ///
    /// # Errors
    /// [`QueryError::BadField`] for an error that is NaN or negative. Others: see [`Query`].
    pub fn ground_between(
        &mut self,
        from: impl Into<Place>,
        to: Vec3,
        error: f32,
        points: &mut Vec<Vec3>,
    ) -> Result<Option<f32>, QueryError> {
        let from = self.start(from.into(), Some(to))?;
        let (mesh, options, scratch) = self.parts();
        let memory = (&mut scratch.surface.passed, &mut scratch.paths.profile);
        mesh.ground_between(&from, to, error, &options.usable(), memory, points)
    }

    fn start(&self, place: Place, towards: Option<Vec3>) -> Result<Location, QueryError> {
        self.found(PathEnd::Start, place, towards)
    }

    /// Returns where a place lies on the mesh: a location of this mesh as it is. Where pieces of ground
    /// touch, a position lies on the one from which a straight line gets farthest `towards` a target.
    fn found(&self, end: PathEnd, place: Place, towards: Option<Vec3>) -> Result<Location, QueryError> {
        let Self { mesh, options, .. } = self;
        if let (Place::Found(location), Some(_)) = (place, place.polygon_on(mesh)) {
            return Ok(location);
        }
        let (position, usable) = (place.position(), options.usable());
        mesh.located(end, position, options.reach, |reach| match towards.filter(|to| to.is_finite()) {
            Some(to) => mesh.nearest_towards(position, to, reach, &usable),
            None => mesh.nearest_with(position, reach, &usable),
        })
    }
}
