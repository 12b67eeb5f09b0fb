//! A path that is kept while its agent moves, its goal moves, and the mesh changes.

use glam::{Vec3, Vec3Swizzles};
use waymesh_core::{BadField, PolyId};

use super::options::{Changed, CorridorChange, CorridorOptions, ReplanReason};
use crate::clearance::{ClearPathOptions, ClearanceNavMesh};
use crate::locate::error::QueryError;
use crate::locate::nearest::{Location, Place, Spot};
use crate::locate::reach::unless_0_or_more;
use crate::mesh::costs::{Length, Rules, TravelCost, Version};
use crate::mesh::filter::{AnyPolygon, PolygonFilter};
use crate::mesh::link::LinkId;
use crate::mesh::nav_mesh::NavMesh;
use crate::path::ends::Ends;
use crate::path::funnel::Turn;
use crate::path::options::PathOptions;
use crate::path::result::{LinkUse, Outcome, Path, length, plan_length};
use crate::path::steps::Step;
use crate::scratch::QueryScratch;
use crate::source::MeshSource;

/// A path of a point or a disc that follows a moving agent and a moving goal, polygon by polygon,
/// and mends itself where the mesh changes.
///
/// # Guarantees
/// - After every call that returns `Ok` the corridor of a point fits the mesh given: its first
///   polygon holds the start, its last the goal, each leads to the next over an edge or a link, the
///   filter allows all, and [`PathCorridor::path`] is the shortest in it.
/// - For a disc ([`CorridorOptions::disc`]) each line from one of its points to the next that is
///   not a link keeps the radius from all walls, to a thousandth of it and a tenth of a millimetre,
///   or a quarter of it where that is less. Its corridor is not repaired: it is planned again for
///   another mesh and for other links.
/// - While it is kept, its path is never longer in plan than its plan less what both ends moved, by
///   more than [`CorridorOptions::max_drift`] of its length or a cell of the grid. With
///   [`PathSearch::Shortest`](crate::PathSearch::Shortest) that holds against the shortest path of
///   the moment, for no move can shorten that by more than its own length.
/// - After a repair it may be longer than a new plan: [`PathCorridor::worst_excess`] bounds by how
///   much, always.
/// - Stale polygons are detected by generation, links by checksum; closed polygons are checked
///   at every call. Where a filter, a cost or a link opened something ([`PolygonFilter::version`],
///   [`NavMesh::set_link_open`]), the next call plans a corridor again that did not reach its goal.
///   One that reaches it keeps its path; with [`CorridorOptions::repair`] set to `false` it is
///   planned again as well.
///
/// # Cost
/// A call costs what short searches near the end that moved cost, the string from there to the
/// first turn that stays, and moving memory: a few nanoseconds a polygon. Where the path takes
/// links, costs more than its length or has points at edges, and where an end leaves the corridor,
/// its string is pulled as a whole: some tens of nanoseconds a polygon. With a filter it is asked
/// for each polygon. For a disc, a call locates the moved end and checks that the disc can go
/// straight from there to the next corners: some microseconds; if it cannot, a call costs a path.
/// Allocates nothing once corridor and scratch have grown.
///
/// # References
/// The idea of a corridor kept between frames is that of Detour's path corridor; Geraerts 2010,
/// Planning short paths with clearance using explicit corridors, <https://doi.org/10.1109/ROBOT.2010.5509263>.
///
/// ```
/// # use glam::Vec3;
/// # use waymesh_core::{AreaId, Poly, PolyMesh, GridFrame, PlanPoint, PlanVertex, RegionId, VertexId};
/// # use waymesh_graph::NavMesh;
/// # let polygons = PolyMesh {
/// #     frame: GridFrame { origin: Vec3::ZERO, cell_size: 1.0, level_height: 1.0, width: 20, depth: 10 },
/// #     vertices: [(0, 0), (10, 0), (20, 0), (20, 10), (10, 10), (0, 10)]
/// #         .map(|(x, z)| PlanVertex { point: PlanPoint::new(x, z), height: 0.0 }).to_vec(),
/// #     polygons: [0, 4].map(|first| Poly { first, len: 4, region: RegionId(0), area: AreaId::GROUND }).to_vec(),
/// #     corners: [0, 1, 4, 5, 1, 2, 3, 4].map(VertexId).to_vec(),
/// #     neighbours: [None, Some(1), None, None, None, None, None, Some(0)]
/// #         .map(|polygon| polygon.map(waymesh_core::PolyId)).to_vec(),
/// # };
/// # let mesh = NavMesh::try_from(polygons)?;
/// use waymesh_graph::{CorridorChange, CorridorOptions, PathCorridor, QueryScratch};
///
/// let mut scratch = QueryScratch::default();
/// let mut corridor = PathCorridor::new(CorridorOptions::default());
/// corridor.plan(&mesh, Vec3::new(1.0, 0.0, 1.0), Vec3::new(19.0, 0.0, 9.0), &mut scratch)?;
/// // Each frame: steer for the next corner, report the new place.
/// let next = corridor.next_corners(1)[0];
/// let change = corridor.move_start(&mesh, Vec3::new(2.0, 0.0, 1.5), &mut scratch)?;
/// assert_eq!(change, CorridorChange::Kept);
/// corridor.move_goal(&mesh, Vec3::new(18.0, 0.0, 9.0), &mut scratch)?;
/// corridor.optimise_visibility(&mesh, 10.0, &mut scratch)?;
/// assert_eq!(corridor.path().polygons.len(), 2);
/// # assert_eq!(next, Vec3::new(19.0, 0.0, 9.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "dtPathCorridor")]
#[derive(Clone, Debug)]
pub struct PathCorridor<F = AnyPolygon, C = Length> {
    pub(super) options: CorridorOptions<F, C>,
    /// Versions of the mesh, its links and the filter at the last update.
    pub(super) seen: Version,
    pub(super) ends: Option<Ends>,
    /// Place of the agent where no path leads from it: the next plan begins there.
    pub(super) from: Option<Place>,
    /// The last requested goal.
    pub(super) target: Option<Place>,
    pub(super) path: Path,
    /// The crossings of a path of a point.
    pub(super) steps: Vec<Step>,
    /// The turn of each point of `path`, if its string can be pulled piece by piece: without links,
    /// costs and points at edges.
    pub(super) string: Vec<Turn>,
    /// All links of the last plan for a disc, also those that are open ground.
    pub(super) planned_links: Vec<LinkId>,
    /// Length in plan of `path`, in metres.
    pub(super) length: f64,
    /// That of its plan, less what both ends moved since.
    pub(super) base: f64,
    /// `true` if no path is shorter than `base`.
    pub(super) is_bound: bool,
}

impl<F: PolygonFilter, C: TravelCost> PathCorridor<F, C> {
    /// No corridor yet.
    #[must_use]
    pub fn new(options: CorridorOptions<F, C>) -> Self {
        Self {
            options,
            seen: Version::default(),
            ends: None,
            from: None,
            target: None,
            steps: Vec::new(),
            path: Path::default(),
            string: Vec::new(),
            planned_links: Vec::new(),
            length: 0.0,
            base: 0.0,
            is_bound: false,
        }
    }

    /// Returns the path through the corridor, from the agent's place to the goal or the closest
    /// place to it. Its points are where to go next, its [`Path::links`] name the links on the
    /// way.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the corners ahead, `most` at most: the last of all is the goal.
    /// [`PathCorridor::next_link`] shows whether a link begins at one.
    #[doc(alias = "findCorners")]
    #[must_use]
    pub fn next_corners(&self, most: usize) -> &[Vec3] {
        let points = self.path.points.get(1..).unwrap_or_default();
        &points[..most.min(points.len())]
    }

    /// Returns the next link of the path.
    #[must_use]
    pub fn next_link(&self) -> Option<LinkUse> {
        self.path.links.first().copied()
    }

    /// Returns where the agent is, on the mesh; `None` without a corridor.
    #[must_use]
    pub fn start(&self) -> Option<Location> {
        self.ends.map(|ends| self.place(&ends.start, ends.start_position))
    }

    /// Returns where the corridor leads; `None` without a corridor.
    #[must_use]
    pub fn goal(&self) -> Option<Location> {
        self.ends.map(|ends| self.place(&ends.goal, ends.goal_position))
    }

    pub(super) fn place(&self, spot: &Spot, position: Vec3) -> Location {
        Location { polygon: PolyId(spot.polygon), position, generation: self.seen.0 }
    }

    /// Returns the options it is kept with.
    #[must_use]
    pub fn options(&self) -> &CorridorOptions<F, C> {
        &self.options
    }

    /// Returns `true` if the mesh, its links, or what the filter allows and paths cost by their
    /// versions ([`PolygonFilter::version`]) changed since the last call: the next one looks again.
    /// Constant time.
    #[must_use]
    pub fn is_outdated(&self, ground: &impl MeshSource) -> bool {
        self.target.is_some() && self.seen != self.version_on(ground)
    }

    /// Returns `true` if the filter and the costs allow all polygons, crossings and links of the
    /// path, also links that are open ground for a disc, whose path is searched for without them.
    #[must_use]
    pub fn is_allowed(&self, mesh: &NavMesh) -> bool {
        let usable = self.options.path.usable();
        let links = self.path.links.iter().map(|taken| taken.link);
        let links = links.chain(self.planned_links.iter().copied());
        usable.allows_all() || usable.leads_on(mesh, &self.path.polygons, links)
    }

    /// Sets the disc that the next plan is for; `None` for a point. The corridor of another disc is
    /// forgotten, but for the agent's place and the goal: [`PathCorridor::replan`] plans between them.
    pub fn set_disc(&mut self, disc: Option<ClearPathOptions>) {
        if self.options.disc != disc {
            self.options.disc = disc;
            self.leave();
        }
    }

    /// Sets the path that the next plan is for, such as one by another filter or other costs. The
    /// corridor is forgotten as by [`PathCorridor::set_disc`].
    pub fn set_path(&mut self, path: PathOptions<F, C>) {
        self.options.path = path;
        self.leave();
    }

    /// Forgets the corridor. The next plan begins at the agent's place.
    fn leave(&mut self) {
        self.from = self.here();
        self.forget();
    }

    /// By how many metres in plan its path may be longer than the shortest of the moment, at worst.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "a length in single precision")]
    pub fn worst_excess(&self) -> f32 {
        let Some(ends) = &self.ends else { return 0.0 };
        let straight = f64::from(ends.start_position.xz().distance(ends.goal_position.xz()));
        let least = if self.is_bound { straight.max(self.base) } else { straight };
        (self.length - least).max(0.0) as f32
    }

    /// Returns where the next plan begins.
    pub(super) fn here(&self) -> Option<Place> {
        self.start().map(Place::Found).or(self.from)
    }

    /// Measures the path after a move.
    pub(super) fn measure(&mut self, mesh: &NavMesh) {
        let Path { points, links, .. } = &self.path;
        let extra = links.iter().filter_map(|taken| Some(mesh.link(taken.link)?.extra_cost));
        let (length, plan_length) = (length(points), plan_length(points));
        (self.path.cost, self.path.length, self.path.plan_length) =
            (length + extra.sum::<f32>(), length, plan_length);
        self.length = mesh.plan_length(&self.path);
    }

    pub(super) fn version_on(&self, ground: &impl MeshSource) -> Version {
        let seen = self.options.path.usable().version_on(&ground.nav_mesh());
        let clear = ground.clearance().filter(|_| self.options.disc.is_some());
        (seen.0, clear.map_or(seen.1, ClearanceNavMesh::stamp), seen.2)
    }

    /// Returns `true` if ground of another version cannot change a corridor that is still allowed: it
    /// reaches its goal, unless it must be the best.
    pub(super) fn outlives(&self, seen: Version) -> bool {
        let is_same_mesh = (seen.0, seen.1) == (self.seen.0, self.seen.1);
        is_same_mesh && self.path.outcome == Outcome::Complete && self.options.repair
    }

    /// Keeps the corridor on ground of this version. A shorter way may have opened.
    pub(super) fn keep_on(&mut self, seen: Version) -> CorridorChange {
        self.is_bound &= seen == self.seen;
        self.seen = seen;
        CorridorChange::Kept
    }

    pub(super) fn forget(&mut self) {
        self.ends = None;
        self.steps.clear();
        self.string.clear();
        self.path.clear();
        self.planned_links.clear();
        (self.length, self.base, self.is_bound) = (0.0, 0.0, false);
    }

    pub(super) fn begin_plan(&mut self, from: Place, to: Place, seen: Version) -> Result<(), QueryError> {
        self.forget();
        self.options.validate()?;
        if [from, to].iter().all(|place| place.position().is_finite()) {
            (self.from, self.target) = (Some(from), Some(to));
        }
        self.seen = seen;
        Ok(())
    }

    pub(super) fn end_plan(&mut self, is_bound: bool, reason: ReplanReason) -> CorridorChange {
        (self.base, self.is_bound) = (self.length, is_bound);
        CorridorChange::Replanned { reason }
    }

    /// Returns `true` if the path has become too long by a move of an end, by `far` metres.
    pub(super) fn has_drifted(&mut self, far: f64, mesh: &NavMesh) -> bool {
        self.base -= far;
        let allowed = (f64::from(self.options.max_drift) * self.length).max(f64::from(mesh.frame.cell_size));
        self.length - self.base > allowed
    }

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
