//! The compact form of a mesh of tiles: what is saved and compared.

use std::collections::BTreeMap;

use waymesh_core::{AreaId, HeightSurface, PlanVertex, Poly, PolyId, RegionId, VertexId, to_u32};

use super::join::{JoinedTiles, Seam};
use super::key::{TileKey, TilePolygon};
use super::order::VertexOrder;
use super::part::MeshTile;
use super::tables::{TileEntry, TileTables};
use crate::mesh::bounds::NO_NEIGHBOUR;
use crate::mesh::link::{Link, LinkEnd, LinkKind};
use crate::mesh::nav_mesh::NavMesh;

/// A mesh whose polygons are numbered without gaps, and what they were numbered before.
#[derive(Clone, Debug)]
pub struct CompactMesh {
    mesh: NavMesh,
    ids: Vec<Option<PolyId>>,
    before: Vec<PolyId>,
}

impl CompactMesh {
    /// The mesh.
    #[must_use]
    pub fn mesh(&self) -> &NavMesh {
        &self.mesh
    }

    /// The mesh alone.
    #[must_use]
    pub fn into_mesh(self) -> NavMesh {
        self.mesh
    }

    /// The id of a polygon of the mesh that this was made of; `None` if it had no such polygon.
    #[must_use]
    pub fn id_of(&self, polygon: PolyId) -> Option<PolyId> {
        self.ids.get(polygon.index()).copied().flatten()
    }

    /// The id that a polygon had in the mesh that this was made of; `None` if there is no such polygon.
    #[must_use]
    pub fn id_before(&self, polygon: PolyId) -> Option<PolyId> {
        self.before.get(polygon.index()).copied()
    }
}

impl NavMesh {
    /// Returns the mesh as if it had been made at once: with ids from 0 without a gap, tile by tile.
    /// A mesh without tiles ([`TiledMesh`](crate::TiledMesh)) is its own compact form.
    ///
    /// - It depends on the current tiles only, not on their history. Files, [`NavMesh::data`],
    ///   [`NavMesh::poly_mesh`] and comparisons of meshes use it.
    /// - Queries give the same results on both, except for the ids of polygons.
    /// - Takes time in `n log n`.
    #[must_use]
    pub fn to_compact(&self) -> CompactMesh {
        let Some(tiles) = self.tiles() else {
            let before: Vec<PolyId> = self.polygon_ids().collect();
            return CompactMesh {
                mesh: self.clone(),
                ids: before.iter().copied().map(Some).collect(),
                before,
            };
        };
        let parts: BTreeMap<TileKey, (&TileEntry, MeshTile)> = tiles
            .entries
            .iter()
            .filter(|entry| entry.is_there)
            .map(|entry| (entry.key, (entry, self.tile_of(tiles, entry))))
            .collect();
        let by_key: BTreeMap<TileKey, &MeshTile> =
            parts.iter().map(|(&key, (_, tile))| (key, tile)).collect();
        let seams = match tiles.order {
            VertexOrder::OwnFirst => Vec::new(),
            VertexOrder::FirstUse => self.door_seams(tiles, &parts),
        };
        let JoinedTiles { polygons, ranges } =
            JoinedTiles::of_sound(self.frame, &by_key, tiles.order, &seams);
        let mut ids = vec![None; self.polygon_bound()];
        let mut before = vec![PolyId(0); polygons.polygons.len()];
        for (key, (entry, _)) in &parts {
            for (own, new) in entry.polygons.range().zip(ranges[key].clone()) {
                ids[own] = Some(PolyId::from_index(new));
                before[new] = PolyId::from_index(own);
            }
        }
        let surface = self.surface.heights.as_ref().map(|surface| {
            let tiles = parts.values().filter_map(|(_, tile)| tile.surface.as_ref());
            HeightSurface { max_error: surface.max_error, ..join_surfaces(tiles) }
        });
        let mut mesh = Self::build(polygons, surface, self.agent);
        mesh.area_table = self.area_table.clone();
        let moved = |end: &LinkEnd| Some(LinkEnd { polygon: ids[end.polygon.index()]?, ..*end });
        let links = self.links_in_order().into_iter().filter_map(|at| {
            let (link, id) = (self.links.links[at.index()], self.links.ids[at.index()]);
            Some((Link { from: moved(&link.from)?, to: moved(&link.to)?, ..link }, id))
        });
        let (links, link_ids): (Vec<_>, Vec<_>) = links.unzip();
        if !links.is_empty() {
            mesh.set_links(links, link_ids);
        }
        CompactMesh { mesh, ids, before }
    }

    /// Returns a tile as it was written; its heights are those that its vertices share with others.
    pub(super) fn tile_of(&self, tiles: &TileTables, entry: &TileEntry) -> MeshTile {
        let corner = entry.corners.start;
        let polygons = entry.polygons.range().map(|polygon| {
            let range = self.edge_range(polygon);
            Poly {
                first: to_u32(range.start) - corner,
                len: to_u32(range.len()),
                region: RegionId(self.topology.regions[polygon].0 - entry.regions.start),
                area: AreaId(self.topology.areas[polygon]),
            }
        });
        let neighbour = |&beyond: &u32| (beyond != NO_NEIGHBOUR).then(|| tiles.place(beyond));
        let local = |vertex: &VertexId| VertexId(vertex.0 - entry.vertices.start);
        MeshTile {
            vertices: self.vertices.plan[entry.vertices.range()].to_vec(),
            own_vertices: entry.own_vertices as usize,
            polygons: polygons.collect(),
            corners: self.topology.corner_vertices[entry.corners.range()].iter().map(local).collect(),
            neighbours: self.topology.neighbours[entry.corners.range()].iter().map(neighbour).collect(),
            regions: entry.regions.len,
            surface: self.surface_of(entry),
        }
    }

    /// Returns the ground of a tile as it was written.
    pub(super) fn surface_of(&self, entry: &TileEntry) -> Option<HeightSurface> {
        let surface = self.surface.heights.as_ref()?;
        let [point, triangle] = [entry.points.start, entry.triangles.start];
        let first = |polygon: usize| surface.polygon_triangles[polygon] - triangle;
        let range = entry.polygons.range();
        let triangles = surface.triangles[entry.triangles.range()].iter();
        Some(HeightSurface {
            points: surface.points[entry.points.range()].to_vec(),
            triangles: triangles.map(|corners| corners.map(|corner| corner - point)).collect(),
            polygon_triangles: (range.start..=range.end)
                .map(|polygon| if range.is_empty() { 0 } else { first(polygon) })
                .collect(),
            max_error: entry.reach.max_error,
        })
    }

    /// Vertices of different tiles that a door lies between: they were one before it was cut.
    fn door_seams(&self, tiles: &TileTables, parts: &BTreeMap<TileKey, (&TileEntry, MeshTile)>) -> Vec<Seam> {
        let vertex = |end: &LinkEnd, at: usize| {
            let TilePolygon { tile, .. } = tiles.place(end.polygon.0);
            let mut corners = self.edge_range(end.polygon.index());
            let point = |corner: usize| {
                let vertex = self.topology.corner_vertices[corner];
                let PlanVertex { point, .. } = self.vertices.plan[vertex.index()];
                (vertex, point)
            };
            let corner = corners.find(|&corner| point(corner).1 == end.ends[at].point)?;
            Some((tile, VertexId(point(corner).0.0 - parts[&tile].0.vertices.start)))
        };
        let doors = self.links.links.iter().filter(|link| link.kind == LinkKind::Door);
        let ends =
            doors.flat_map(|link| [0, 1].map(|at| Some([vertex(&link.from, at)?, vertex(&link.to, at)?])));
        ends.flatten().filter(|[one, other]| one.0 != other.0).collect()
    }
}

/// The ground of tiles, one after the other.
fn join_surfaces<'a>(tiles: impl Iterator<Item = &'a HeightSurface>) -> HeightSurface {
    let mut joined = HeightSurface {
        points: Vec::new(),
        triangles: Vec::new(),
        polygon_triangles: vec![0],
        max_error: 0.0,
    };
    for tile in tiles {
        let [point, triangle] = [joined.points.len(), joined.triangles.len()].map(to_u32);
        joined.points.extend_from_slice(&tile.points);
        joined.triangles.extend(tile.triangles.iter().map(|corners| corners.map(|corner| corner + point)));
        joined.polygon_triangles.extend(tile.polygon_triangles.iter().skip(1).map(|first| first + triangle));
        joined.max_error = joined.max_error.max(tile.max_error);
    }
    joined
}
