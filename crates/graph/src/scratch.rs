//! The memory of queries.

use glam::Vec3;
use waymesh_core::PolyId;
use waymesh_core::threads::Scratches;

use crate::clearance::memory::ClearanceScratch;
use crate::hierarchy::query::{HierarchyScratch, HierarchyUse};
use crate::mesh::nav_mesh::NavMesh;
use crate::path::funnel::Turn;
use crate::path::relaxed::query::RelaxedScratch;
use crate::path::result::Path;
use crate::path::scratch::PathScratch;
use crate::path::steps::Step;
use crate::surface::scratch::SurfaceScratch;

/// The memory that queries write to. One per thread; it serves every query on any mesh.
///
/// A [`Query`](crate::Query) owns one, or uses that of its caller: make one with
/// [`QueryScratch::default`], keep it, and pass it to corridors and crowds. It is empty at
/// first and each kind of query grows its own part, so that nothing is allocated once it has grown.
///
/// # Memory
/// - Paths: 8 bytes per edge and per polygon, 76 per edge seen and 56 per polygon seen; the
///   shortest path 64 per cone.
/// - Queries on the surface: 4 bytes per polygon, and 16 per polygon seen.
/// - Any radius: 112 bytes per side of a triangle, and 150 per cone seen; found fast, 16 per side
///   and 48 per side seen.
/// - [`Query::paths`](crate::Query::paths): all of this once per thread.
#[doc(alias = "dtNavMeshQuery")]
#[doc(alias = "dtNodePool")]
#[derive(Clone, Debug, Default)]
pub struct QueryScratch {
    pub(crate) paths: PathScratch,
    pub(crate) surface: SurfaceScratch,
    pub(crate) corridor: CorridorScratch,
    pub(crate) clearance: ClearanceScratch,
    pub(crate) hierarchy: HierarchyScratch,
    pub(crate) relaxed: RelaxedScratch,
    /// The path of which only the length is requested.
    pub(crate) path: Path,
    /// One per thread of a batch.
    pub(crate) threads: Scratches<Self>,
}

impl QueryScratch {
    /// Returns how the last path was found, if it was searched for with a [`crate::Hierarchy`].
    #[must_use]
    pub fn hierarchy_use(&self) -> Option<HierarchyUse> {
        self.hierarchy.how
    }

    /// Returns `true` if the last shortest path for a point was looked up
    /// ([`NavMesh::build_oracle`]), not searched for; a straight path is neither.
    #[must_use]
    pub fn used_oracle(&self) -> bool {
        self.paths.used_oracle
    }

    /// Returns the polygons that the last search of a path for a point looked into, in ascending
    /// order: for pictures that show what a search costs.
    ///
    /// - It looked into a polygon when it weighed the ways out of it. Polygons that were only seen
    ///   over an edge do not count. A straight path looks into what it passes.
    /// - A partial path is searched for once more, to where it ends: the last search counts.
    /// - Of a search over clusters, with a [`Hierarchy`](crate::Hierarchy), only the part over
    ///   polygons counts.
    /// - Empty after a search with [`RelaxedPolygons`](crate::RelaxedPolygons), before any search, and
    ///   for another mesh than that of the search.
    /// - Takes time in the polygons of the mesh. Searches keep nothing for it.
    #[must_use]
    pub fn searched_polygons(&self, mesh: &NavMesh) -> Vec<PolyId> {
        self.paths.searched(mesh)
    }
}

/// The part of a [`QueryScratch`] that is for corridors.
#[derive(Clone, Debug, Default)]
pub(crate) struct CorridorScratch {
    pub(crate) turns: Vec<Turn>,
    pub(crate) steps: Vec<Step>,
    pub(crate) polygons: Vec<PolyId>,
    pub(crate) points: Vec<Vec3>,
    pub(crate) detour: Path,
}

/// The memory of a query.
#[derive(Debug)]
pub(crate) enum Memory<'a> {
    /// None before the first query.
    Own(Option<Box<QueryScratch>>),
    Lent(&'a mut QueryScratch),
}

impl Memory<'_> {
    pub(crate) fn get(&mut self) -> &mut QueryScratch {
        match self {
            Self::Own(scratch) => scratch.get_or_insert_default(),
            Self::Lent(scratch) => scratch,
        }
    }
}
