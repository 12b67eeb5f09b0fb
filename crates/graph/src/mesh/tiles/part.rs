//! The ground of one tile, as it is given to a mesh of tiles.

use waymesh_core::{HeightSurface, PlanPoint, PlanVertex, Poly, VertexId, Violation, ViolationList};

use crate::mesh::error::NavMeshError;

/// Key of a tile: a layer, such as a storey, a row along z and a column along x. Tiles are sorted
/// in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TileKey {
    /// Tiles of two layers may lie above each other, and have no edge in common.
    pub layer: u32,
    /// Row, along z.
    pub row: u32,
    /// Place in the row, along x.
    pub column: u32,
}

impl TileKey {
    /// Returns the tiles of its layer that share a side or a corner with it. There may be none.
    pub fn around(self) -> impl Iterator<Item = Self> {
        let beside = |at: u32| [at.checked_sub(1), Some(at), at.checked_add(1)].into_iter().flatten();
        let rows = beside(self.row);
        rows.flat_map(move |row| beside(self.column).map(move |column| Self { row, column, ..self }))
            .filter(move |&key| key != self)
    }
}

impl std::fmt::Display for TileKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{},{} on layer {}", self.column, self.row, self.layer)
    }
}

/// Stands where there is no vertex.
pub(super) const NO_VERTEX: PlanVertex = PlanVertex { point: PlanPoint { x: 0, z: 0 }, height: 0.0 };

/// A polygon of some tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TilePolygon {
    /// Its tile.
    pub tile: TileKey,
    /// Its place in [`MeshTile::polygons`].
    pub polygon: u32,
}

/// The ground of one tile: polygons in coordinates of the whole grid, whose neighbours may be those
/// of other tiles.
///
/// Where polygons of two tiles are neighbours, both have the same edge: a vertex at the same two
/// points of the plan. The vertices of both tiles become one, with the height of that which comes
/// first: own ones before others, then those of earlier tiles, then by number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshTile {
    /// All vertices.
    pub vertices: Vec<PlanVertex>,
    /// Number of vertices that the tile owns; the others belong to a neighbour beyond the border.
    pub own_vertices: usize,
    /// Its polygons. Their regions are numbered in the tile.
    pub polygons: Vec<Poly>,
    /// Corners of all polygons, one polygon after the other, each in positive order.
    pub corners: Vec<VertexId>,
    /// For each corner, the polygon across the edge from it to the next corner; `None` at a wall or
    /// drop.
    pub neighbours: Vec<Option<TilePolygon>>,
    /// Number of its regions.
    pub regions: u32,
    /// The height of the ground in its polygons, where the mesh has such.
    pub surface: Option<HeightSurface>,
}

impl MeshTile {
    /// Checks that the tables fit each other.
    pub(super) fn check(&self) -> Result<(), NavMeshError> {
        let mut end = 0;
        let mut follows = |polygon: &Poly| {
            let is_next =
                polygon.first as usize == end && polygon.len >= 3 && polygon.region.0 < self.regions;
            end += polygon.len as usize;
            is_next
        };
        let are_polygons = self.polygons.iter().all(&mut follows) && end == self.corners.len();
        let is_sound = are_polygons
            && self.neighbours.len() == self.corners.len()
            && self.own_vertices <= self.vertices.len()
            && self.corners.iter().all(|corner| corner.index() < self.vertices.len())
            && self.surface.as_ref().is_none_or(|surface| {
                let first = &surface.polygon_triangles;
                first.len() == self.polygons.len() + 1
                    && first.first() == Some(&0)
                    && first.is_sorted()
                    && first.last().is_some_and(|&last| last as usize == surface.triangles.len())
                    && surface
                        .triangles
                        .iter()
                        .flatten()
                        .all(|&point| (point as usize) < surface.points.len())
            });
        if is_sound { Ok(()) } else { Err(broken(Violation::BrokenTable { table: "tile" })) }
    }
}

/// The error of polygons with one violation.
pub(super) fn broken(violation: Violation) -> NavMeshError {
    let mut list = ViolationList::default();
    list.push(violation);
    NavMeshError::Polygons(list)
}

/// A change of one tile of a mesh.
#[derive(Clone, Debug)]
pub enum TileChange {
    /// It is not there any more.
    Gone,
    /// It comes, or its ground is another.
    Anew(MeshTile),
    /// Its polygons are the same, but for corners of half a turn on its border, and heights.
    Adjusted(MeshTile),
}

impl TileChange {
    /// Returns the tile after the change.
    pub(super) fn tile(&self) -> Option<&MeshTile> {
        match self {
            Self::Gone => None,
            Self::Anew(tile) | Self::Adjusted(tile) => Some(tile),
        }
    }
}

/// Numbering of the vertices of a mesh of tiles in its compact form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VertexOrder {
    /// Vertices that tiles own, then all others.
    #[default]
    OwnFirst,
    /// By first use in polygons.
    FirstUse,
}
