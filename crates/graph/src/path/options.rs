//! Options of paths and of their search.

use crate::locate::reach::Reach;
use crate::mesh::costs::{Length, TravelCost, Usable};
use crate::mesh::filter::{AnyPolygon, PolygonFilter};

/// Default limit of nodes that a search opens: a second at most, usually.
pub(crate) const MOST_NODES: usize = 1_000_000;

/// Search algorithm for paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PathSearch {
    /// A short path, found fast.
    ///
    /// - A\* over the edges between polygons finds a corridor. Each edge is judged by the string
    ///   pulled from the start to it and on to the goal. The path is the shortest *in this
    ///   corridor*, exactly.
    /// - It is not always the shortest of all: another corridor may be shorter. There is no bound.
    ///   On 12 published maps of games it is 0.02 % longer on average and 4 % at most, on 5 levels
    ///   0.02 % and 12 %. Of 63,000 paths among random obstacles it is 0.05 % longer on average; 24
    ///   are more than 8 % longer, and the worst is 68 %.
    /// - A path back may be another one, of another length by as much. Those of
    ///   [`PathSearch::Shortest`] are the same in plan.
    /// - With costs ([`PathOptions::cost`]) the corridor is one of small cost, judged in the same
    ///   way, and the path is the shortest in it. It is not always the cheapest: where costs differ
    ///   inside the corridor, a path with more turns may be cheaper than the straight one.
    /// - Links are taken between the places where the search took them, which are near the best
    ///   ones but not always the best.
    /// - Takes time in `n log n` of the edges seen.
    ///
    /// # References
    /// Hart, Nilsson and Raphael 1968, <https://doi.org/10.1109/TSSC.1968.300136>; Lee and Preparata 1984, Euclidean shortest
    /// paths in the presence of rectilinear barriers, <https://doi.org/10.1002/net.3230140304>.
    #[default]
    Fast,
    /// The shortest path in plan; on the ground with [`PathOptions::rises`].
    ///
    /// - No path is shorter in the plan, also on storeys above each other: on which side of an edge
    ///   or a ray a corner lies is decided exactly, and lengths are rounded by less than a
    ///   billionth.
    /// - Rises and falls do not count in the search, unless [`PathOptions::rises`] is set:
    ///   [`Path::length`](crate::Path::length) is that of the path found, in space.
    /// - Costs ([`PathOptions::cost`]) do not count in the search, except that infinite ones close
    ///   polygons: it is the shortest path, not the cheapest. The ratio of its cost to the smallest
    ///   cost is at most the ratio of the largest cost per metre on it to the smallest anywhere.
    ///   With equal costs per metre it *is* the cheapest; otherwise [`PathSearch::Fast`] may find a
    ///   cheaper one.
    /// - Links that are crossed like an edge are taken where the path is shortest, at their extra
    ///   cost; links from point to point also at their distance in space. Other links are
    ///   searched at nine places along their segments, and taken at the best place for the path
    ///   that is found.
    /// - Takes time in `n log n` of the cones seen, usually a few times that of
    ///   [`PathSearch::Fast`]. Where a filter or one-way links leave no path at all, everything
    ///   that can be reached is seen.
    /// - Opens [`PathOptions::max_nodes`] cones at most. Where that is not enough, the path is the one
    ///   of [`PathSearch::Fast`] and says so ([`Path::was_cut`](super::Path::was_cut)).
    ///
    /// # References
    /// Cui, Harabor and Grastien 2017, Compromise-free pathfinding on a navigation mesh, <https://doi.org/10.24963/ijcai.2017/70>.
    Shortest,
}

/// Options of a path.
///
/// ```
/// use waymesh_core::AreaId;
/// use waymesh_graph::{AreaFilter, PathOptions, PathSearch};
///
/// let options = PathOptions::default()
///     .with_search(PathSearch::Shortest)
///     .with_filter(AreaFilter::default().without(AreaId(2)))
///     .with_allow_partial(false);
/// ```
#[doc(alias = "dtQueryFilter")]
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PathOptions<F = AnyPolygon, C = Length, S = PathSearch> {
    /// Search algorithm: a [`PathSearch`], a reference to a
    /// [`Hierarchy`](crate::Hierarchy) for the same filter and costs, or one to
    /// [`RelaxedPolygons`](crate::RelaxedPolygons). Default: [`PathSearch::Fast`].
    pub search: S,
    /// Filter of polygons for the path and for the location of both ends. Default: all.
    pub filter: F,
    /// Cost of a path. Default: its length.
    pub cost: C,
    /// Largest distance of each end from the mesh. Default: `None`, which is
    /// [`NavMesh::default_reach`](crate::NavMesh::default_reach).
    pub reach: Option<Reach>,
    /// `true` if a path that ends before the goal is accepted where none leads there. Default:
    /// `true`; a [`Query`](crate::Query) starts with `false`.
    pub allow_partial: bool,
    /// `true` if the path also has a point at each edge that it crosses. Between two of them the ground
    /// may still rise and fall: see [`PathOptions::ground_error`]. Default: `false`.
    pub cross_points: bool,
    /// Height of the path above or below the ground of the mesh between two points, at most, in metres:
    /// it has as many more points as that takes, 0 or more. [`Path::length`](crate::Path::length) is
    /// then that of the ground. Default `None`: points only where it turns.
    pub ground_error: Option<f32>,
    /// `true` if rises and falls of the ground count in the search of [`PathSearch::Shortest`],
    /// which is else for the path that is shortest in plan.
    ///
    /// - Of all paths whose legs are straight in plan, from corner to corner of walls and over
    ///   links, the one found is the shortest on the ground. It is never longer there than the path
    ///   that is shortest in plan.
    /// - So it avoids a ridge next to a wall, a hole or a drop. It does not curve round a hill in open
    ///   ground.
    /// - It searches from every corner in all directions: usually a few times as many nodes as without.
    ///
    /// Default: `false`.
    pub rises: bool,
    /// Most nodes that a search for the shortest path may open ([`PathSearch::Shortest`]), each some
    /// hundred bytes and a microsecond or less. Beyond that the path is the one that
    /// [`PathSearch::Fast`] finds, which needs no limit: it opens an edge once. Default: 1 million.
    pub max_nodes: usize,
}

impl Default for PathOptions {
    fn default() -> Self {
        Self {
            search: PathSearch::Fast,
            filter: AnyPolygon,
            cost: Length,
            reach: None,
            allow_partial: true,
            cross_points: false,
            ground_error: None,
            rises: false,
            max_nodes: MOST_NODES,
        }
    }
}

waymesh_core::setters! {
    impl<F, C, S> PathOptions<F, C, S> {
        with_reach(reach: Some(Reach));
        with_allow_partial(allow_partial: bool);
        with_cross_points(cross_points: bool);
        with_ground_error(ground_error: Some(f32));
        with_rises(rises: bool);
        with_max_nodes(max_nodes: usize);
    }
}

impl<F, C, S> PathOptions<F, C, S> {
    /// Sets how the path is searched for.
    #[must_use]
    pub fn with_search<T>(self, search: T) -> PathOptions<F, C, T> {
        self.change(|filter, cost, _| (filter, cost, search))
    }

    /// Sets which polygons the path may pass.
    #[must_use]
    pub fn with_filter<G: PolygonFilter>(self, filter: G) -> PathOptions<G, C, S> {
        self.change(|_, cost, search| (filter, cost, search))
    }

    /// Sets what a path costs.
    #[must_use]
    pub fn with_cost<D: TravelCost>(self, cost: D) -> PathOptions<F, D, S> {
        self.change(|filter, _, search| (filter, cost, search))
    }

    /// Replaces the parts whose types differ.
    fn change<G, D, T>(self, set: impl FnOnce(F, C, S) -> (G, D, T)) -> PathOptions<G, D, T> {
        let Self { search, filter, cost, reach, allow_partial, cross_points, ground_error, rises, max_nodes } =
            self;
        let (filter, cost, search) = set(filter, cost, search);
        PathOptions {
            search,
            filter,
            cost,
            reach,
            allow_partial,
            cross_points,
            ground_error,
            rises,
            max_nodes,
        }
    }

    pub(crate) fn usable(&self) -> Usable<'_, F, C> {
        Usable { filter: &self.filter, cost: &self.cost }
    }
}
