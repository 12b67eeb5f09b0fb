//! Searches in slices: a budget of nodes a call, so that a long search is spread over many frames.

use super::route::{Route, Router};
use crate::locate::error::QueryError;
use crate::locate::nearest::Place;
use crate::mesh::costs::{Length, Rules, TravelCost, Version};
use crate::mesh::filter::{AnyPolygon, PolygonFilter};
use crate::mesh::nav_mesh::NavMesh;
use crate::path::options::PathOptions;
use crate::path::result::Path;
use crate::scratch::QueryScratch;

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
    /// The search, and the version of the mesh and the options at its beginning.
    route: Option<(Route, Version)>,
    scratch: QueryScratch,
    path: Path,
}

impl<F: PolygonFilter, C: TravelCost> SlicedPath<F, C> {
    /// Makes a query for paths as [`Query::path`](crate::Query::path) finds them. None is under way.
    #[must_use]
    pub fn new(options: PathOptions<F, C>) -> Self {
        let (scratch, path) = (QueryScratch::default(), Path::default());
        Self { options, route: None, scratch, path }
    }

    /// Begins a query, and drops one that is under way.
    ///
    /// # Errors
    /// See [`Query`](crate::Query); then none is under way.
    pub fn begin(
        &mut self,
        mesh: &NavMesh,
        from: impl Into<Place>,
        to: impl Into<Place>,
    ) -> Result<(), QueryError> {
        let Self { options, scratch, .. } = self;
        self.route = None;
        self.path.clear();
        let mut route = Route::new(options.allow_partial);
        Router { mesh, options, scratch }.begin(from.into(), to.into(), &mut route)?;
        self.route = Some((route, options.usable().version_on(mesh)));
        Ok(())
    }

    /// Returns `true` if a query is under way: begun, and not answered yet.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.route.as_ref().is_some_and(|(route, _)| !route.is_done())
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
        let Self { options, route, scratch, path, .. } = self;
        let Some((search, seen)) = route else { return Ok(None) };
        if !search.is_done() && *seen != options.usable().version_on(mesh) {
            let polygon = search.start();
            *route = None;
            return Err(QueryError::Stale { polygon });
        }
        let mut nodes = nodes;
        Ok(Router { mesh, options, scratch }.advance(search, path, &mut nodes).then_some(path))
    }

    /// Returns the path; [`crate::Outcome::Unreachable`] before the query is answered.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}
