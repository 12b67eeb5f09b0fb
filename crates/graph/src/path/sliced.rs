//! Searches in slices: a budget of nodes a call, so that a long search is spread over many frames.

use glam::Vec3;
use waymesh_core::PolyId;

use super::ends::{Ends, Pairs};
use super::options::{PathOptions, PathSearch};
use super::progress::Progress;
use super::result::Path;
use super::scratch::PathScratch;
use crate::locate::error::QueryError;
use crate::locate::nearest::Spot;
use crate::mesh::costs::{Length, Rules, TravelCost, Version};
use crate::mesh::filter::{AnyPolygon, PolygonFilter};
use crate::mesh::nav_mesh::NavMesh;

/// The next step of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Idle,
    /// The search for the goal.
    Goal,
    /// The flood of all that can be reached.
    Flood,
    /// The search for the reachable place closest to the goal.
    Closest,
    Done,
}

/// A path query that is spread over many calls.
///
/// # Guarantees
/// - However it is sliced, the path is that of [`Query::path`](crate::Query::path), bit by bit.
/// - Polygons or links that changed between two calls are an error, never a wrong path.
/// - It allocates nothing once it has grown: use it again with [`SlicedPath::begin`].
///
/// Filter and costs must give the same answers from the first slice to the last.
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
/// use waymesh_graph::{PathOptions, SlicedPath};
///
/// let (from, to) = (Vec3::new(1.0, 0.0, 1.0), Vec3::new(19.0, 0.0, 9.0));
/// let mut query = SlicedPath::new(PathOptions::default());
/// query.begin(&mesh, from, to)?;
/// let path = loop {
///     // Once a frame.
///     if let Some(path) = query.advance(&mesh, 100)? {
///         break path.clone();
///     }
/// };
/// assert_eq!(path, mesh.path(from, to)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "initSlicedFindPath")]
#[doc(alias = "updateSlicedFindPath")]
#[doc(alias = "finalizeSlicedFindPath")]
#[derive(Clone, Debug)]
pub struct SlicedPath<F = AnyPolygon, C = Length> {
    options: PathOptions<F, C>,
    phase: Phase,
    /// The pairs of places that both ends may mean, and the number of those that were searched.
    pairs: Pairs,
    searched: usize,
    /// The version of the mesh and the options at the beginning of the search.
    seen: Version,
    /// Nodes left of [`PathOptions::max_nodes`].
    left: usize,
    scratch: PathScratch,
    path: Path,
    /// The path between the pair that is searched.
    found: Path,
}

impl<F: PolygonFilter, C: TravelCost> SlicedPath<F, C> {
    /// Makes a query for paths as [`Query::path`](crate::Query::path) finds them. None is under way.
    #[must_use]
    pub fn new(options: PathOptions<F, C>) -> Self {
        Self {
            options,
            phase: Phase::Idle,
            pairs: Pairs::new(),
            searched: 0,
            seen: Version::default(),
            left: 0,
            scratch: PathScratch::default(),
            path: Path::default(),
            found: Path::default(),
        }
    }

    /// Begins a query, and drops one that is under way.
    ///
    /// # Errors
    /// See [`Query`](crate::Query); then none is under way.
    pub fn begin(&mut self, mesh: &NavMesh, from: Vec3, to: Vec3) -> Result<(), QueryError> {
        self.phase = Phase::Idle;
        self.path.clear();
        self.pairs = mesh.path_ends((from, None), to, &self.options)?;
        self.searched = 0;
        self.seen = self.options.usable().version_on(mesh);
        self.begin_next(mesh, Phase::Goal);
        Ok(())
    }

    /// Returns `true` if a query is under way: begun, and not answered yet.
    #[must_use]
    pub fn is_running(&self) -> bool {
        !matches!(self.phase, Phase::Idle | Phase::Done)
    }

    /// Continues the query for at most `nodes` nodes, of [`PathOptions::max_nodes`] in all. Returns
    /// the path once it is found, and `None` before that or if no query was begun. A node is an edge
    /// crossed, in a search for the shortest path a cone opened, in a flood of what can be reached a
    /// polygon. Locating the ends, looking whether the path is straight and pulling the string count
    /// nothing.
    ///
    /// # Errors
    /// [`QueryError::Stale`] where the mesh, its links, or what the filter allows are not those that
    /// the query was begun with; the query is then dropped.
    pub fn advance(&mut self, mesh: &NavMesh, nodes: usize) -> Result<Option<&Path>, QueryError> {
        if self.is_running() && self.seen != self.options.usable().version_on(mesh) {
            self.phase = Phase::Idle;
            return Err(QueryError::Stale { polygon: PolyId(self.pairs[0].start.polygon) });
        }
        let mut nodes = nodes;
        loop {
            let usable = self.options.usable();
            match self.phase {
                Phase::Idle => return Ok(None),
                Phase::Done => return Ok(Some(&self.path)),
                Phase::Flood => {
                    if !mesh.advance_flood(&usable, &mut self.scratch, &mut nodes) {
                        return Ok(None);
                    }
                    let closest = mesh.closest_flooded(&self.pairs, &self.scratch);
                    self.begin_closest(mesh, closest);
                }
                phase @ (Phase::Goal | Phase::Closest) => {
                    let ends = self.pairs[self.searched];
                    let Ends { start, goal, .. } = &ends;
                    let scratch = &mut self.scratch;
                    let progress = if self.options.search == PathSearch::Shortest && !scratch.was_cut {
                        let budget = nodes.min(self.left);
                        let mut rest = budget;
                        let limit = f64::INFINITY;
                        let progress = mesh.advance_shortest(goal, limit, &usable, scratch, &mut rest);
                        (nodes, self.left) = (nodes - (budget - rest), self.left - (budget - rest));
                        if progress == Progress::Running && self.left == 0 {
                            (scratch.was_cut, scratch.found_by) = (true, PathSearch::Fast);
                            mesh.begin_corridor([start, goal], &usable, scratch);
                            continue;
                        }
                        progress
                    } else {
                        mesh.advance_corridor([start, goal], &usable, scratch, &mut nodes)
                    };
                    if progress == Progress::Found && usable.is_length() {
                        mesh.slide_links([start, goal], &mut self.scratch);
                    }
                    if progress == Progress::Running {
                        return Ok(None);
                    }
                    let Self { options, scratch, path, found, .. } = self;
                    found.clear();
                    if progress == Progress::Found {
                        mesh.write_complete(&ends, options, scratch, found);
                        if path.points.is_empty()
                            || mesh.cost_of(found, options) < mesh.cost_of(path, options)
                        {
                            std::mem::swap(path, found);
                        }
                    }
                    self.searched += 1;
                    self.begin_next(mesh, phase);
                }
            }
        }
    }

    /// Returns the path; [`crate::Outcome::Unreachable`] before the query is answered.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begins the search between the next pair; after the last one the search for the reachable place
    /// closest to the goal, unless a path is found.
    fn begin_next(&mut self, mesh: &NavMesh, phase: Phase) {
        self.phase = phase;
        let Some(ends) = self.pairs.get(self.searched).filter(|ends| mesh.may_reach(ends)).copied() else {
            match (self.path.points.is_empty(), phase) {
                (true, Phase::Goal) => self.begin_partial(mesh),
                (false, Phase::Closest) => {
                    self.path.end_at(self.pairs[0].goal_position);
                    self.phase = Phase::Done;
                }
                _ => self.phase = Phase::Done,
            }
            return;
        };
        self.left = self.options.max_nodes;
        (self.scratch.was_cut, self.scratch.found_by) = (false, self.options.search);
        let Ends { start, goal, .. } = &ends;
        let usable = self.options.usable();
        if self.options.search == PathSearch::Shortest {
            let rises = self.options.rises;
            mesh.begin_shortest([start, goal], f64::INFINITY, rises, &usable, &mut self.scratch);
        } else {
            mesh.begin_corridor([start, goal], &usable, &mut self.scratch);
        }
    }

    /// No path leads to the goal.
    fn begin_partial(&mut self, mesh: &NavMesh) {
        if !self.options.allow_partial {
            self.phase = Phase::Done;
        } else if mesh.needs_no_flood(&self.options.usable()) {
            self.begin_closest(mesh, mesh.closest_on_islands(&self.pairs));
        } else {
            self.phase = Phase::Flood;
            mesh.begin_flood(&self.pairs, &mut self.scratch);
        }
    }

    fn begin_closest(&mut self, mesh: &NavMesh, closest: Option<Spot>) {
        self.pairs = mesh.pairs_to(closest, &self.pairs);
        self.searched = 0;
        self.begin_next(mesh, Phase::Closest);
    }
}
