//! The parts of a mesh: groups of tables that fit each other.

use glam::Vec3;
use waymesh_core::{PlanVertex, RegionId, VertexId};

use super::bounds::{Corner, PolygonBounds};
use super::box_index::BoxIndex;
use super::bridges::Bridges;
use super::fans::Fans;
use super::ground::Ground;
use super::height_tables::HeightTables;
use super::islands::Island;
use super::squares::Buckets;
use super::table::Table;
use super::walk::WalkEdge;

/// The vertices in the grid and in the world, and the rounding between the two.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Vertices {
    pub(crate) plan: Table<PlanVertex>,
    pub(crate) world: Table<Vec3>,
    /// Largest error of a position by rounding of world coordinates, in cells.
    pub(crate) plan_slack: f64,
    /// Largest error of a height by rounding, in levels.
    pub(crate) height_slack: f64,
}

/// The polygons: their corners, what lies across each edge, and what they are made of.
///
/// Corners and edges have one number: an edge leads from its corner to the next of the polygon. The
/// last three follow from the others.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Topology {
    /// First corner of each polygon, and the number of corners at the end.
    pub(crate) polygon_first: Table<u32>,
    pub(crate) corner_vertices: Table<VertexId>,
    pub(crate) corners: Table<Corner>,
    /// For each corner, the polygon across the edge that starts there, or
    /// [`NO_NEIGHBOUR`](super::bounds::NO_NEIGHBOUR).
    pub(crate) neighbours: Table<u32>,
    pub(crate) regions: Table<RegionId>,
    pub(crate) areas: Table<u8>,
    pub(crate) walk: Table<WalkEdge>,
    pub(crate) fans: Fans,
    pub(crate) bridges: Bridges,
}

/// The spatial index. On a mesh of tiles only the boxes of polygons are in use: each row and column
/// of tiles has its own index.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Index {
    /// The box of each polygon.
    pub(crate) bounds: Table<PolygonBounds>,
    pub(crate) boxes: BoxIndex,
    /// The polygons at each square of the plan.
    pub(crate) buckets: Buckets,
}

/// The connected pieces of ground.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Islands {
    /// Island of each polygon, or [`NO_ISLAND`](super::islands::NO_ISLAND) for a free slot. On a mesh
    /// of tiles these are components of tiles, see `NavMesh::island_at`.
    pub(crate) of_polygon: Table<u32>,
    pub(crate) figures: Table<Island>,
}

/// The height of the ground, if the mesh has a surface.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Surface {
    pub(crate) heights: Option<HeightTables>,
    /// The triangles of `heights`, to be read in a row.
    pub(crate) ground: Ground,
}
