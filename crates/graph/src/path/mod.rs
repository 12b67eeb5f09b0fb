//! Paths: locate both ends, search a corridor of polygons, pull a string through it.

pub(crate) mod any_angle;
mod batch;
mod corridor;
mod corridor_options;
mod corridor_string;
mod distance;
pub(crate) mod funnel;
pub(crate) mod gate;
pub(crate) mod local;
mod offset;
mod partial;
pub(crate) mod search;
mod shortest;
pub(crate) mod sliced;
pub(crate) mod steps;
mod straight;

pub use batch::BatchScratch;
pub use corridor::{CorridorScratch, PathCorridor};
pub use corridor_options::{CorridorChange, CorridorOptions, ReplanReason};
pub use distance::{DistanceMap, WayOn};
use funnel::length;
use glam::Vec3;
pub use search::PathScratch;
pub use sliced::SlicedPath;
use waymesh_core::PolyId;

use crate::locate::error::{PathEnd, QueryError};
use crate::locate::nearest::{Reach, Spot};
use crate::mesh::costs::{Length, TravelCost, Usable};
use crate::mesh::filter::{AnyPolygon, PolygonFilter};
use crate::mesh::islands::IslandId;
use crate::mesh::links::LinkId;
use crate::mesh::nav_mesh::NavMesh;

/// How far a path leads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// To the goal.
    Complete,
    /// To the point that is closest to the goal, of all that can be reached.
    Partial {
        /// The last point of the path.
        reached: Vec3,
    },
    /// Nowhere: no way leads closer to the goal, or partial paths were not wanted.
    Unreachable,
}

/// A path over the mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// How far it leads.
    pub outcome: Outcome,
    /// Where it begins, turns and ends: world positions on the ground. One point where start and
    /// goal are one; none if unreachable. No two points in succession are equal in plan, but
    /// for the ends of a link.
    pub points: Vec<Vec3>,
    /// The polygons it passes, from that of the start to that of the end. None if unreachable.
    pub polygons: Vec<PolyId>,
    /// The links it takes, in order.
    pub links: Vec<LinkUse>,
    /// Length of the chain of `points` in metres, in space. Ground that rises and falls between two
    /// points adds to it only with [`PathOptions::cross_points`], and then as far as the
    /// crossed edges show it.
    pub length: f32,
    /// What it costs: its length, where nothing else is asked for. Else, in each polygon, the
    /// length there times the cost of a metre, and what entering polygons and taking links
    /// costs.
    pub cost: f32,
}

impl Default for Path {
    /// No path: unreachable, without points.
    fn default() -> Self {
        Self {
            outcome: Outcome::Unreachable,
            points: Vec::new(),
            polygons: Vec::new(),
            links: Vec::new(),
            length: 0.0,
            cost: 0.0,
        }
    }
}

impl Path {
    /// No path, with the memory of this one.
    fn clear(&mut self) {
        self.outcome = Outcome::Unreachable;
        self.points.clear();
        self.polygons.clear();
        self.links.clear();
        (self.length, self.cost) = (0.0, 0.0);
    }
}

/// Both ends of a path, on the mesh.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    pub(crate) start: Spot,
    pub(crate) goal: Spot,
    pub(crate) start_position: Vec3,
    pub(crate) goal_position: Vec3,
}

/// A link that a path takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkUse {
    /// Which one.
    pub link: LinkId,
    /// Whether it is taken from its `to` to its `from`.
    pub backwards: bool,
    /// The point of the path from which it is taken: it leads to the next one. If both its ends are
    /// one line in plan, it is crossed somewhere on the way to the next one.
    pub point: usize,
}

/// What path is wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PathOptions<F = AnyPolygon, C = Length> {
    /// How far each end may be from the mesh. Default `None`: [`NavMesh::default_reach`].
    pub reach: Option<Reach>,
    /// Whether a path that ends before the goal is welcome where none leads there. Default true.
    pub allow_partial: bool,
    /// Whether the path also has a point at each edge that it crosses, so that it follows the
    /// ground. Default false.
    pub cross_points: bool,
    /// Which polygons the path may pass; both ends are located among them, too. Default: all.
    pub filter: F,
    /// What a way costs. Default: its length.
    pub cost: C,
}

impl Default for PathOptions {
    fn default() -> Self {
        Self { reach: None, allow_partial: true, cross_points: false, filter: AnyPolygon, cost: Length }
    }
}

impl<F: PolygonFilter, C: TravelCost> PathOptions<F, C> {
    /// Sets how far each end may be from the mesh.
    #[must_use]
    pub fn with_reach(mut self, reach: Reach) -> Self {
        self.reach = Some(reach);
        self
    }

    /// Sets whether a path may end before the goal.
    #[must_use]
    pub fn with_allow_partial(mut self, allow: bool) -> Self {
        self.allow_partial = allow;
        self
    }

    /// Sets whether the path has a point at each edge that it crosses.
    #[must_use]
    pub fn with_cross_points(mut self, cross_points: bool) -> Self {
        self.cross_points = cross_points;
        self
    }

    /// Sets which polygons the path may pass.
    #[must_use]
    pub fn with_filter<G: PolygonFilter>(self, filter: G) -> PathOptions<G, C> {
        let Self { reach, allow_partial, cross_points, filter: _, cost } = self;
        PathOptions { reach, allow_partial, cross_points, filter, cost }
    }

    /// Sets what a way costs.
    #[must_use]
    pub fn with_cost<D: TravelCost>(self, cost: D) -> PathOptions<F, D> {
        let Self { reach, allow_partial, cross_points, filter, cost: _ } = self;
        PathOptions { reach, allow_partial, cross_points, filter, cost }
    }
}

impl NavMesh {
    /// A short way from `from` to `to`, with the default [`PathOptions`]: see
    /// [`NavMesh::find_path_with`].
    ///
    /// # Errors
    /// - [`QueryError::NotFinite`] for an end that is NaN or infinite.
    /// - [`QueryError::NoMeshNear`] for an end without mesh within [`NavMesh::default_reach`].
    pub fn find_path(&self, from: Vec3, to: Vec3, scratch: &mut PathScratch) -> Result<Path, QueryError> {
        self.find_path_with(from, to, &PathOptions::default(), scratch)
    }

    /// A short way from `from` to `to`.
    ///
    /// - Both ends are moved to the mesh ([`NavMesh::nearest`]).
    /// - A corridor of polygons is found by A* over their edges, each judged by the string pulled
    ///   from the start to it and on to the goal. Then the shortest path *in this corridor* is
    ///   found exactly. It is not always the shortest of all: another corridor may be shorter, as a
    ///   rule by very little (a tenth of a percent on average on the worst level tried, a parking
    ///   garage).
    /// - Where nothing is in the way, the straight way is taken without a search.
    /// - With costs ([`PathOptions::cost`]) the corridor is one of small cost, judged in the same
    ///   way, and the path is the shortest in it: not always the cheapest, since in a corridor of
    ///   unequal costs a bent way may be cheaper than the straight one.
    /// - A way over links is the shortest between the places where the search took them, which are
    ///   near the best ones but not always the best. Links whose ends are one line in plan are
    ///   crossed like any edge.
    /// - Between two islands that no link joins the answer needs no search of the start's island:
    ///   it is [`Outcome::Unreachable`], or a path to the point of the start's island that is
    ///   closest to the goal in space, if that is closer than the start.
    /// - Takes time in `n log n` of the edges seen. Allocates nothing but the path once `scratch`
    ///   has grown; with [`NavMesh::find_path_into`] not even that.
    ///
    /// # Errors
    /// As [`NavMesh::find_path`], and [`QueryError::BadReach`].
    ///
    /// # References
    /// Hart, Nilsson and Raphael 1968, <https://doi.org/10.1109/TSSC.1968.300136>; Lee and Preparata 1984, Euclidean shortest
    /// paths in the presence of rectilinear barriers, <https://doi.org/10.1002/net.3230140304>.
    pub fn find_path_with<F: PolygonFilter, C: TravelCost>(
        &self,
        from: Vec3,
        to: Vec3,
        options: &PathOptions<F, C>,
        scratch: &mut PathScratch,
    ) -> Result<Path, QueryError> {
        let mut path = Path::default();
        self.find_path_into(from, to, options, scratch, &mut path)?;
        Ok(path)
    }

    /// As [`NavMesh::find_path_with`], into a path whose memory is used again.
    ///
    /// # Errors
    /// As [`NavMesh::find_path_with`]; `path` is then [`Outcome::Unreachable`] and empty.
    pub fn find_path_into<F: PolygonFilter, C: TravelCost>(
        &self,
        from: Vec3,
        to: Vec3,
        options: &PathOptions<F, C>,
        scratch: &mut PathScratch,
        path: &mut Path,
    ) -> Result<(), QueryError> {
        let search = |start: &Spot, goal: &Spot, usable: &Usable<'_, F, C>, scratch: &mut PathScratch| {
            self.search_corridor(start, goal, usable, scratch)
        };
        self.route(from, to, options, scratch, path, search).map(|_| ())
    }

    /// Locates both ends, lets `search` fill the corridor, and writes the path. The ends that it
    /// joins.
    pub(crate) fn route<F: PolygonFilter, C: TravelCost>(
        &self,
        from: Vec3,
        to: Vec3,
        options: &PathOptions<F, C>,
        scratch: &mut PathScratch,
        path: &mut Path,
        mut search: impl FnMut(&Spot, &Spot, &Usable<'_, F, C>, &mut PathScratch) -> bool,
    ) -> Result<Option<Ends>, QueryError> {
        path.clear();
        let ends = self.path_ends(from, to, options)?;
        let usable = Usable { filter: &options.filter, cost: &options.cost };
        if self.may_reach(&ends) && search(&ends.start, &ends.goal, &usable, scratch) {
            self.write_complete(&ends, options, scratch, path);
            return Ok(Some(ends));
        }
        if !options.allow_partial {
            return Ok(None);
        }
        let reached = self.closest_reachable(&ends.start, ends.goal_position, &usable, scratch);
        let Some(partial) = reached.and_then(|reached| self.partial_ends(&ends, reached)) else {
            return Ok(None);
        };
        if search(&partial.start, &partial.goal, &usable, scratch) {
            self.write_partial(&partial, options, scratch, path);
            return Ok(Some(partial));
        }
        Ok(None)
    }

    /// Checks what is asked for and locates both ends.
    fn path_ends<F: PolygonFilter, C: TravelCost>(
        &self,
        from: Vec3,
        to: Vec3,
        options: &PathOptions<F, C>,
    ) -> Result<Ends, QueryError> {
        let reach = options.reach.unwrap_or_else(|| self.default_reach());
        reach.check()?;
        if let Some((area, value)) = options.cost.bad_cost() {
            return Err(QueryError::BadCost { area, value });
        }
        let usable = Usable { filter: &options.filter, cost: &options.cost };
        let start = self.locate(PathEnd::Start, from, &reach, &usable)?;
        let goal = self.locate(PathEnd::Goal, to, &reach, &usable)?;
        let start_position = self.location(&start, from).position;
        let goal_position = self.location(&goal, to).position;
        Ok(Ends { start, goal, start_position, goal_position })
    }

    /// Whether a way may lead from end to end.
    fn may_reach(&self, ends: &Ends) -> bool {
        let [from, to] =
            [&ends.start, &ends.goal].map(|spot| IslandId(self.polygon_islands[spot.polygon as usize]));
        self.may_connect(from, to)
    }

    /// The ends of a path to a place that can be reached, if it is closer to the goal than the
    /// start.
    fn partial_ends(&self, ends: &Ends, reached: Spot) -> Option<Ends> {
        let reached_position = self.location(&reached, ends.goal_position).position;
        let gain =
            ends.start_position.distance(ends.goal_position) - reached_position.distance(ends.goal_position);
        (f64::from(gain) > self.plan_slack * f64::from(self.frame.cell_size)).then_some(Ends {
            goal: reached,
            goal_position: reached_position,
            ..*ends
        })
    }

    fn write_complete<F, C: TravelCost>(
        &self,
        ends: &Ends,
        options: &PathOptions<F, C>,
        scratch: &mut PathScratch,
        path: &mut Path,
    ) {
        path.outcome = Outcome::Complete;
        let positions = [ends.start_position, ends.goal_position];
        self.write_path(&ends.start, &ends.goal, positions, options, scratch, path);
    }

    fn write_partial<F, C: TravelCost>(
        &self,
        ends: &Ends,
        options: &PathOptions<F, C>,
        scratch: &mut PathScratch,
        path: &mut Path,
    ) {
        self.write_complete(ends, options, scratch, path);
        path.outcome =
            Outcome::Partial { reached: path.points.last().copied().unwrap_or(ends.goal_position) };
    }

    fn locate(
        &self,
        end: PathEnd,
        position: Vec3,
        reach: &Reach,
        filter: &impl PolygonFilter,
    ) -> Result<Spot, QueryError> {
        if !position.is_finite() {
            return Err(QueryError::NotFinite { end, position });
        }
        self.nearest_spot(position, reach, |polygon| filter.allows(self, PolyId(polygon)))
            .ok_or(QueryError::NoMeshNear { end, position, reach: *reach })
    }
}
