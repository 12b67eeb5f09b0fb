//! The polygons of some tiles as one mesh, without gaps in its tables.

use std::collections::BTreeMap;
use std::ops::Range;

use waymesh_core::{
    DisjointSets, GridFrame, PlanPoint, Poly, PolyId, PolyMesh, RegionId, VertexId, Violation, to_u32,
};

use super::key::{TileKey, TilePolygon};
use super::order::VertexOrder;
use super::part::{MeshTile, NO_VERTEX, broken};
use crate::mesh::error::NavMeshError;

/// The polygons of some tiles as one mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct JoinedTiles {
    /// Polygons and regions tile by tile.
    pub polygons: PolyMesh,
    /// Polygons of each tile.
    pub ranges: BTreeMap<TileKey, Range<usize>>,
}

impl JoinedTiles {
    /// Joins tiles into one mesh: polygons and regions are numbered tile by tile, and the vertices
    /// at both ends of an edge between two tiles become one. An edge towards a missing tile
    /// is a wall.
    ///
    /// The same tiles give the same mesh. Convexity and adjacency of polygons are not checked:
    /// [`waymesh_core::Validate`] does that. Linear time.
    ///
    /// # Errors
    /// [`NavMeshError::Polygons`] for tables that do not fit each other, [`NavMeshError::OutOfRange`]
    /// for more regions than there are numbers.
    pub fn new(
        frame: GridFrame,
        tiles: &BTreeMap<TileKey, &MeshTile>,
        order: VertexOrder,
    ) -> Result<Self, NavMeshError> {
        for (tile, beyond) in tiles.values().map(|tile| (tile, tile.neighbours.iter().flatten())) {
            tile.check()?;
            let is_there = |beyond: &TilePolygon| {
                let there = tiles.get(&beyond.tile);
                there.is_none_or(|there| (beyond.polygon as usize) < there.polygons.len())
            };
            if !{ beyond }.all(is_there) {
                return Err(broken(Violation::BrokenTable { table: "neighbours of a tile" }));
            }
        }
        let regions = tiles.values().map(|tile| i64::from(tile.regions)).sum();
        if u32::try_from(regions).is_err() {
            let limit = i64::from(u32::MAX);
            return Err(NavMeshError::OutOfRange { table: "regions", element: 0, value: regions, limit });
        }
        Ok(Self::of_sound(frame, tiles, order, &[]))
    }

    /// Joins tiles that were checked. The vertices of each of `seams` become one as well.
    pub(super) fn of_sound(
        frame: GridFrame,
        tiles: &BTreeMap<TileKey, &MeshTile>,
        order: VertexOrder,
        seams: &[Seam],
    ) -> Self {
        let mut joining = Joining::of(frame, tiles);
        for (&key, &tile) in tiles {
            joining.unite(key, tile, tiles);
        }
        for seam in seams {
            let [one, other] = seam.map(|(key, vertex)| joining.name(key, vertex));
            joining.sets.unite(one, other);
        }
        Self { polygons: joining.finish(order), ranges: joining.ranges }
    }
}

/// Two vertices of tiles that are one.
pub(super) type Seam = [(TileKey, VertexId); 2];

/// The mesh in the making.
struct Joining {
    polygons: PolyMesh,
    ranges: BTreeMap<TileKey, Range<usize>>,
    /// Names of the vertices in `sets`, tile by tile.
    names: Vec<u32>,
    /// First in `names` of each tile.
    first_names: BTreeMap<TileKey, usize>,
    /// Own vertices of all tiles, then the others: the lowest of a set is the one that stays.
    sets: DisjointSets,
}

impl Joining {
    fn of(frame: GridFrame, tiles: &BTreeMap<TileKey, &MeshTile>) -> Self {
        let own: usize = tiles.values().map(|tile| tile.own_vertices).sum();
        let count: usize = tiles.values().map(|tile| tile.vertices.len()).sum();
        let mut vertices = vec![NO_VERTEX; count];
        let mut names = Vec::with_capacity(count);
        let (mut next_own, mut next_other) = (0, own);
        let (mut ranges, mut first_names) = (BTreeMap::new(), BTreeMap::new());
        let mut polygons = 0;
        for (&key, tile) in tiles {
            first_names.insert(key, names.len());
            for (index, &vertex) in tile.vertices.iter().enumerate() {
                let next = if index < tile.own_vertices { &mut next_own } else { &mut next_other };
                vertices[*next] = vertex;
                names.push(to_u32(*next));
                *next += 1;
            }
            ranges.insert(key, polygons..polygons + tile.polygons.len());
            polygons += tile.polygons.len();
        }
        let corners = tiles.values().map(|tile| tile.corners.len()).sum();
        let mut mesh = PolyMesh {
            frame,
            vertices,
            polygons: Vec::with_capacity(polygons),
            corners: Vec::with_capacity(corners),
            neighbours: Vec::with_capacity(corners),
        };
        let mut regions = 0;
        for (key, tile) in tiles {
            let (first_name, first_corner) = (first_names[key], to_u32(mesh.corners.len()));
            mesh.corners
                .extend(tile.corners.iter().map(|corner| VertexId(names[first_name + corner.index()])));
            mesh.neighbours.extend(tile.neighbours.iter().map(|beyond| {
                let TilePolygon { tile, polygon } = (*beyond)?;
                let range: &Range<usize> = ranges.get(&tile)?;
                Some(PolyId::from_index(range.start + polygon as usize))
            }));
            mesh.polygons.extend(tile.polygons.iter().map(|polygon| Poly {
                first: first_corner + polygon.first,
                region: RegionId(regions + polygon.region.0),
                ..*polygon
            }));
            regions += tile.regions;
        }
        Self { polygons: mesh, ranges, names, first_names, sets: DisjointSets::new(count) }
    }

    fn name(&self, key: TileKey, vertex: VertexId) -> u32 {
        self.names[self.first_names[&key] + vertex.index()]
    }

    /// Makes the ends of the edges between a tile and later ones the same vertices.
    fn unite(&mut self, key: TileKey, tile: &MeshTile, tiles: &BTreeMap<TileKey, &MeshTile>) {
        for (index, polygon) in (0_u32..).zip(&tile.polygons) {
            let own = TilePolygon { tile: key, polygon: index };
            for edge in corner_range(polygon) {
                let Some(beyond) = tile.neighbours[edge].filter(|beyond| beyond.tile > key) else { continue };
                let Some(there) = tiles.get(&beyond.tile) else { continue };
                let [from, to] = ends(tile, polygon, edge);
                let Some(back) = twin(there, beyond.polygon, own, [from, to].map(|end| point(tile, end)))
                else {
                    continue;
                };
                let [end, begin] = ends(there, &there.polygons[beyond.polygon as usize], back);
                for (one, other) in [(from, begin), (to, end)] {
                    let [one, other] = [self.name(key, one), self.name(beyond.tile, other)];
                    self.sets.unite(one, other);
                }
            }
        }
    }

    /// Numbers the vertices that are left, and that some polygon has.
    fn finish(&mut self, order: VertexOrder) -> PolyMesh {
        const NO_NUMBER: u32 = u32::MAX;
        let empty = PolyMesh::empty(self.polygons.frame);
        let mut mesh = std::mem::replace(&mut self.polygons, empty);
        let mut numbers = vec![NO_NUMBER; mesh.vertices.len()];
        let mut vertices = Vec::with_capacity(numbers.len());
        for corner in &mut mesh.corners {
            let root = self.sets.find(corner.0);
            *corner = VertexId(root);
            if numbers[root as usize] == NO_NUMBER {
                // Numbered by first use in polygons, unless a later step numbers them again.
                numbers[root as usize] = to_u32(vertices.len());
                vertices.push(mesh.vertices[root as usize]);
            }
        }
        if order == VertexOrder::OwnFirst {
            vertices.clear();
            for (number, &vertex) in numbers.iter_mut().zip(&mesh.vertices) {
                if *number != NO_NUMBER {
                    *number = to_u32(vertices.len());
                    vertices.push(vertex);
                }
            }
        }
        mesh.corners.iter_mut().for_each(|corner| *corner = VertexId(numbers[corner.index()]));
        mesh.vertices = vertices;
        mesh
    }
}

/// The indices of a polygon's corners.
pub(super) fn corner_range(polygon: &Poly) -> Range<usize> {
    polygon.first as usize..polygon.first as usize + polygon.len as usize
}

/// The vertices that an edge leads from and to.
pub(super) fn ends(tile: &MeshTile, polygon: &Poly, edge: usize) -> [VertexId; 2] {
    let range = corner_range(polygon);
    [edge, if edge + 1 == range.end { range.start } else { edge + 1 }].map(|corner| tile.corners[corner])
}

pub(super) fn point(tile: &MeshTile, vertex: VertexId) -> PlanPoint {
    tile.vertices[vertex.index()].point
}

/// The edge of a polygon that leads back to another, between these points the other way round.
pub(super) fn twin(
    tile: &MeshTile,
    polygon: u32,
    back: TilePolygon,
    [from, to]: [PlanPoint; 2],
) -> Option<usize> {
    let polygon = tile.polygons.get(polygon as usize)?;
    corner_range(polygon).find(|&edge| {
        tile.neighbours[edge] == Some(back)
            && ends(tile, polygon, edge).map(|end| point(tile, end)) == [to, from]
    })
}
