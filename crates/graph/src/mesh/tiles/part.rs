//! The ground of one tile, as it is given to a mesh of tiles.

use waymesh_core::{HeightSurface, PlanPoint, PlanVertex, Poly, VertexId, Violation, ViolationList};

use super::key::TilePolygon;
use crate::mesh::error::NavMeshError;

/// Stands where there is no vertex.
pub(super) const NO_VERTEX: PlanVertex = PlanVertex { point: PlanPoint { x: 0, z: 0 }, height: 0.0 };

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
