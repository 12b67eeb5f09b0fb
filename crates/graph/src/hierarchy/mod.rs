//! A hierarchy for large meshes: clusters of polygons, entrances between them, and the paths from
//! every polygon to the entrances of its cluster.

mod clusters;
mod costs;
mod entrances;
mod landmarks;
pub(crate) mod query;
mod tables;

use clusters::Clusters;
use costs::Reached;
use landmarks::{Graph, Landmarks};
pub use query::HierarchyUse;
use tables::TablesScratch;
use waymesh_core::{BadField, PolyId, checkpoint, threads, to_u32};

use crate::locate::error::QueryError;
use crate::mesh::costs::{Length, TravelCost, Usable};
use crate::mesh::filter::{AnyPolygon, PolygonFilter};
use crate::mesh::nav_mesh::{Generation, NavMesh};

/// Configuration of a [`Hierarchy`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HierarchyConfig {
    /// Usual number of polygons of a cluster. 2 to 65,536. Default: 256.
    pub cluster_polygons: u32,
    /// Meshes with fewer polygons are searched without a hierarchy, which is not faster there.
    /// Default: 20,000.
    pub min_polygons: usize,
}

impl Default for HierarchyConfig {
    fn default() -> Self {
        Self { cluster_polygons: 256, min_polygons: 20_000 }
    }
}

waymesh_core::setters! {
    impl HierarchyConfig {
        with_cluster_polygons(cluster_polygons: u32);
        with_min_polygons(min_polygons: usize);
    }
}

impl HierarchyConfig {
    /// Names the first field that is out of range.
    ///
    /// # Errors
    /// If a cluster has fewer than 2 or more than 65,536 polygons.
    pub fn validate(&self) -> Result<(), BadField> {
        let fits = (2..=1 << 16).contains(&self.cluster_polygons);
        BadField::unless(fits, "cluster_polygons", self.cluster_polygons, "2 to 65,536")
    }
}

/// Figures of a hierarchy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HierarchyFigures {
    /// Clusters of polygons.
    pub clusters: usize,
    /// Rounds of merging that made them.
    pub levels: u32,
    /// Entrances between clusters.
    pub entrances: usize,
    /// Memory of all tables, in bytes.
    pub bytes: usize,
}

/// A small graph over a large mesh: path queries search it instead of the polygons.
///
/// A query uses it where a reference to it is its search: [`Query::search`](crate::Query::search),
/// [`PathOptions::search`](crate::PathOptions::search). It is worth its time on large meshes with
/// many long paths. Once links are added, removed, opened or closed it is not used any more, until
/// it is made again: see [`QueryScratch::hierarchy_use`](crate::QueryScratch::hierarchy_use).
///
/// - Polygons are merged to clusters, level by level. Where two clusters meet, a few places
///   (entrances) represent the border between them.
/// - Paths from each entrance to all polygons of both clusters are computed beforehand, and their
///   lengths with the string pulled. A query therefore looks up how its ends are connected,
///   searches entrances only (landmarks give it estimates), and composes the path through the
///   polygons from tables. Then the string is pulled, and bends without a wall are straightened by
///   searches of a few polygons around them.
/// - It is valid for the mesh, the links, the filter and the costs it was made with. For any other,
///   a query finds its path without the hierarchy and reports this ([`HierarchyUse`]). Agents with
///   other filters or costs need hierarchies of their own ([`Hierarchy::with_costs`]).
///
/// # How long the paths are
/// Each is the shortest path in its corridor, but another corridor may be shorter. On the maps
/// measured (35,000 to 310,000 polygons) paths are on average 0.5 to 3 % longer than those
/// of [`PathSearch::Fast`](crate::PathSearch::Fast); one in a hundred is 6 to 12 % longer, the
/// worst one a third. With costs, bends are not pulled straight, and a cost for entering counts
/// as if the path to the first entrance led back from it.
///
/// # Memory
/// 16 bytes for each polygon and entrance of its cluster: 70 to 120 bytes a polygon usually, 470
/// where strips make many entrances.
///
/// # References
/// Pelechano and Fuentes 2016, Hierarchical path-finding for Navigation Meshes (HNA*), <https://doi.org/10.1016/j.cag.2016.05.023>. There ends
/// are linked by searches, which they name as the bottleneck; here by tables.
///
/// ```
/// # use glam::Vec3;
/// # use waymesh_core::{AreaId, Poly, PolyId, PolyMesh, GridFrame, PlanPoint, PlanVertex, RegionId, VertexId};
/// # use waymesh_graph::NavMesh;
/// # let count = 40_u32;
/// # let mesh = NavMesh::try_from(PolyMesh {
/// #     frame: GridFrame { origin: Vec3::ZERO, cell_size: 1.0, level_height: 1.0, width: 1000, depth: 10 },
/// #     vertices: (0..=count as i32).flat_map(|x| [(x, 0), (x, 5)])
/// #         .map(|(x, z)| PlanVertex { point: PlanPoint::new(4 * x, z), height: 0.0 }).collect(),
/// #     polygons: (0..count).map(|polygon| Poly { first: 4 * polygon, len: 4, region: RegionId(0), area: AreaId::GROUND }).collect(),
/// #     corners: (0..count).flat_map(|x| [2 * x, 2 * x + 2, 2 * x + 3, 2 * x + 1]).map(VertexId).collect(),
/// #     neighbours: (0..count).flat_map(|x| [None, (x + 1 < count).then_some(PolyId(x + 1)), None, x.checked_sub(1).map(PolyId)]).collect(),
/// # })?;
/// use waymesh_graph::{Hierarchy, HierarchyConfig, HierarchyUse, QueryScratch};
///
/// // For meshes of any size, to show it: small ones are usually faster without.
/// let config = HierarchyConfig::default().with_min_polygons(0).with_cluster_polygons(4);
/// let hierarchy = Hierarchy::new(&mesh, &config)?;
/// let (from, to) = (Vec3::new(1.0, 0.0, 1.0), Vec3::new(159.0, 0.0, 4.0));
/// let mut scratch = QueryScratch::default();
/// let path = mesh.query().search(&hierarchy).memory(&mut scratch).path(from, to)?;
/// assert_eq!(scratch.hierarchy_use(), Some(HierarchyUse::Clusters));
/// assert_eq!(path.points, mesh.path(from, to)?.points);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Hierarchy<F = AnyPolygon, C = Length> {
    filter: F,
    cost: C,
    /// `true` if entrances lead wherever a path leads: no path between two polygons is closed by
    /// its cost.
    is_complete: bool,
    generation: Generation,
    links: u64,
    /// That of filter and costs.
    version: u64,
    clusters: Clusters,
    graph: Graph,
    /// First entry in `reached` of each terminal.
    rows: Vec<usize>,
    /// From each terminal to each polygon of its cluster.
    reached: Vec<Reached>,
    landmarks: Landmarks,
}

impl Hierarchy {
    /// Makes a hierarchy over all polygons.
    ///
    /// # Errors
    /// See [`Hierarchy::with_filter`].
    pub fn new(mesh: &NavMesh, config: &HierarchyConfig) -> Result<Self, QueryError> {
        Self::with_filter(mesh, AnyPolygon, config)
    }
}

impl<F: PolygonFilter + Sync> Hierarchy<F> {
    /// Makes a hierarchy over the polygons that a filter allows, where a path costs its length.
    ///
    /// # Errors
    /// See [`Hierarchy::with_costs`].
    pub fn with_filter(mesh: &NavMesh, filter: F, config: &HierarchyConfig) -> Result<Self, QueryError> {
        Self::with_costs(mesh, filter, Length, config)
    }
}

impl<F: PolygonFilter + Sync, C: TravelCost + Sync> Hierarchy<F, C> {
    /// Makes a hierarchy over the polygons that a filter allows, for paths that cost what `cost`
    /// says. Runs on all threads of the rayon pool it is called in; the result does not depend
    /// on how many there are.
    ///
    /// On a mesh below [`HierarchyConfig::min_polygons`] it is empty, and queries do not use it.
    ///
    /// # Errors
    /// [`QueryError::BadField`] for a configuration that is out of range, [`QueryError::BadCost`]
    /// for costs that are none.
    pub fn with_costs(
        mesh: &NavMesh,
        filter: F,
        cost: C,
        config: &HierarchyConfig,
    ) -> Result<Self, QueryError> {
        config.validate()?;
        if let Some((area, value)) = cost.bad_cost() {
            return Err(QueryError::BadCost { area, value });
        }
        let version = Usable { filter: &filter, cost: &cost }.version();
        let mut hierarchy = Self {
            filter,
            cost,
            is_complete: true,
            generation: mesh.generation,
            links: mesh.links.stamp,
            version,
            clusters: Clusters::default(),
            graph: Graph::default(),
            rows: Vec::new(),
            reached: Vec::new(),
            landmarks: Landmarks::default(),
        };
        if mesh.polygon_count() < config.min_polygons {
            return Ok(hierarchy);
        }
        let usable = Usable { filter: &hierarchy.filter, cost: &hierarchy.cost };
        let clusters = Clusters::merge(mesh, &usable, config.cluster_polygons);
        let (terminals, first) = entrances::find(mesh, &usable, &clusters);
        let tables = threads::map_with(0..clusters.count(), |scratch: &mut TablesScratch, cluster| {
            checkpoint();
            let range = first[cluster] as usize..first[cluster + 1] as usize;
            tables::fill(mesh, &usable, &clusters, to_u32(cluster), &terminals[range], scratch)
        });
        hierarchy.is_complete = clusters::are_all_open(mesh, &usable);
        for (cluster, (reached, between)) in (0_u32..).zip(tables) {
            let polygons = clusters.polygons(cluster).len();
            let count = (first[cluster as usize + 1] - first[cluster as usize]) as usize;
            let start = hierarchy.reached.len();
            hierarchy.rows.extend((0..count).map(|row| start + row * polygons));
            hierarchy.graph.squares.push(hierarchy.graph.between.len());
            hierarchy.reached.extend(reached);
            hierarchy.graph.between.extend(between);
        }
        (hierarchy.clusters, hierarchy.graph.terminals, hierarchy.graph.first) = (clusters, terminals, first);
        hierarchy.landmarks = Landmarks::choose(&hierarchy.graph);
        Ok(hierarchy)
    }
}

impl<F, C> Hierarchy<F, C> {
    /// Returns how large it is.
    #[must_use]
    pub fn figures(&self) -> HierarchyFigures {
        let bytes = size_of_val(&*self.clusters.of) * 2
            + size_of_val(&*self.clusters.polygons)
            + size_of_val(&*self.graph.terminals)
            + size_of_val(&*self.reached)
            + size_of_val(&*self.rows)
            + size_of_val(&*self.graph.between)
            + self.graph.terminals.len() * landmarks::COUNT * size_of::<f32>();
        let (clusters, levels) = (self.clusters.count(), self.clusters.levels);
        HierarchyFigures { clusters, levels, entrances: self.graph.terminals.len() / 2, bytes }
    }

    /// Returns the cluster of each polygon, `None` where the filter closes it; empty below
    /// [`HierarchyConfig::min_polygons`]. For pictures.
    #[must_use]
    pub fn cluster_of(&self, polygon: PolyId) -> Option<u32> {
        self.clusters.of.get(polygon.index()).copied().filter(|&cluster| cluster != clusters::NO_CLUSTER)
    }
}
