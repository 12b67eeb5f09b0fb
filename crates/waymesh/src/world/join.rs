//! Polygons of neighbouring tiles become neighbours: the same vertices on both sides of a border,
//! whole edges facing each other.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use waymesh_core::{
    PlanPoint, PlanVertex, Poly, PolyId, PolyMesh, VertexId, checkpoint, checkpoint_every, threads, to_u32,
};
use waymesh_graph::{MeshTile, TileKey, TilePolygon};
use waymesh_tile::Tile;

use super::polygons::{BorderEdge, Step, TilePolygons};

/// A piece of a border edge: what is beyond it is one edge of one polygon, or nothing.
#[derive(Clone, Copy, Debug)]
struct Portion {
    /// First step and the one after the last.
    range: (u32, u32),
    beyond: Option<Beyond>,
}

/// A piece of a border edge of another tile.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Beyond {
    tile: Tile,
    /// The polygon of the edge.
    polygon: u32,
    /// Place of the edge in the list of the border edges of its tile.
    edge: u32,
    /// Its step that faces our last one.
    start: u32,
}

impl Portion {
    /// `true` if one more step, with this beyond, belongs to it. Steps of two edges that face each
    /// other run against each other one by one: both are straight.
    fn goes_on(&self, beyond: Option<Beyond>) -> bool {
        let edge = |beyond: Option<Beyond>| beyond.map(|beyond| (beyond.tile, beyond.edge));
        edge(self.beyond) == edge(beyond)
    }
}

/// Cache of the neighbours across the border edges of each tile: only entries of changed tiles and
/// their neighbours can differ between two joins.
#[derive(Debug, Default)]
pub(super) struct Facings {
    /// Per tile and border edge.
    portions: BTreeMap<Tile, Vec<Box<[Portion]>>>,
}

impl Facings {
    /// Updates the entries of added, changed and removed tiles and of their neighbours. Takes time in
    /// the border edges of these.
    pub(super) fn update<'a>(
        &mut self,
        tiles: &(impl Fn(Tile) -> Option<&'a TilePolygons> + Sync),
        changed: &[Tile],
    ) {
        let with_beside = |tiles_of: &BTreeSet<Tile>| -> BTreeSet<Tile> {
            tiles_of.iter().flat_map(|&tile| beside(tile).into_iter().flatten().chain([tile])).collect()
        };
        let stale = with_beside(&changed.iter().copied().collect());
        // Every step that may be beyond one of theirs, by its two spans.
        let mut steps: FxHashMap<Step, Beyond> = FxHashMap::default();
        for tile in with_beside(&stale) {
            let Some(polygons) = tiles(tile) else { continue };
            for (edge, border) in (0..).zip(&polygons.borders) {
                for (start, &spans) in (0..).zip(&border.steps) {
                    steps.insert(spans, Beyond { tile, polygon: border.polygon, edge, start });
                }
            }
        }
        let cut = |tile: Tile| {
            checkpoint();
            let borders = &tiles(tile)?.borders;
            Some(borders.iter().map(|border| portions(&border.steps, &steps)).collect())
        };
        for (tile, portions) in threads::map(stale, |tile| (tile, cut(tile))) {
            match portions {
                Some(portions) => self.portions.insert(tile, portions),
                None => self.portions.remove(&tile),
            };
        }
    }

    /// The memory that they take.
    pub(super) fn bytes(&self) -> usize {
        let edges = self.portions.values().flatten();
        edges.map(|portions| size_of_val(portions) + size_of_val(&**portions)).sum()
    }

    fn of(&self, tile: Tile) -> &[Box<[Portion]>] {
        self.portions.get(&tile).map_or(&[], Vec::as_slice)
    }

    /// Returns a tile as the mesh of all tiles has it, without heights of its ground. `regions` is the
    /// number of its regions.
    ///
    /// Two border edges face each other where the steps of one are those of the other with the sides
    /// exchanged. No height or distance is compared, so there are no false portals and none is missing.
    /// Where only one side has a vertex, the other gets it too, as a corner of 180 degrees.
    pub(super) fn mesh_tile(&self, tile: Tile, regions: u32, source: &TilePolygons) -> MeshTile {
        let mut borders = source.borders.iter().zip(self.of(tile)).peekable();
        cut_borders(key(tile), &source.mesh, regions, |corner, ends| {
            let place =
                |border: &BorderEdge| source.mesh.polygons[border.polygon as usize].first + border.edge;
            let border = borders.next_if(|(border, _)| place(border) as usize == corner);
            border.into_iter().flat_map(move |(border, portions)| {
                portions.iter().map(move |portion| Piece {
                    start: on_edge(portion.range.0, border.steps.len(), ends),
                    beyond: portion.beyond.and_then(|beyond| self.polygon(beyond)),
                })
            })
        })
    }

    /// The polygon that has a piece of a border edge.
    fn polygon(&self, beyond: Beyond) -> Option<TilePolygon> {
        let pieces = self.of(beyond.tile).get(beyond.edge as usize)?;
        let is_piece = pieces.iter().any(|piece| piece.range.0 == beyond.start);
        is_piece.then_some(TilePolygon { tile: key(beyond.tile), polygon: beyond.polygon })
    }
}

/// A tile as meshes name it.
pub(super) fn key(Tile { row, column }: Tile) -> TileKey {
    TileKey { layer: 0, row, column }
}

/// The tile of a world that has a name in its mesh.
pub(super) fn tile_of(TileKey { row, column, .. }: TileKey) -> Tile {
    Tile { row, column }
}

/// Returns the tiles across the four sides of a tile. Tiles across a corner share no edge.
fn beside(Tile { row, column }: Tile) -> [Option<Tile>; 4] {
    [
        row.checked_sub(1).map(|row| Tile { row, column }),
        row.checked_add(1).map(|row| Tile { row, column }),
        column.checked_sub(1).map(|column| Tile { row, column }),
        column.checked_add(1).map(|column| Tile { row, column }),
    ]
}

/// Cuts an edge where what is beyond it changes.
fn portions(own: &[Step], steps: &FxHashMap<Step, Beyond>) -> Box<[Portion]> {
    let mut portions: Vec<Portion> = Vec::new();
    for (step, spans) in (0..).zip(own) {
        let beyond = steps.get(&[spans[1], spans[0]]).copied();
        match portions.last_mut() {
            Some(last) if last.goes_on(beyond) => *last = Portion { range: (last.range.0, step + 1), beyond },
            _ => portions.push(Portion { range: (step, step + 1), beyond }),
        }
    }
    portions.into_boxed_slice()
}

/// Returns the vertex on an edge that is `step` of `steps` from its start.
fn on_edge(step: u32, steps: usize, [from, to]: [PlanVertex; 2]) -> PlanVertex {
    let t = step as f32 / steps as f32;
    let step_cells = i32::try_from(step).unwrap_or(0);
    let point = PlanPoint::new(
        from.point.x + (to.point.x - from.point.x).signum() * step_cells,
        from.point.z + (to.point.z - from.point.z).signum() * step_cells,
    );
    PlanVertex { point, height: from.height + (to.height - from.height) * t }
}

/// A piece of an edge on the border of a part of a world.
pub(super) struct Piece {
    /// Its first vertex; that of the first piece is the vertex of the edge.
    pub(super) start: PlanVertex,
    pub(super) beyond: Option<TilePolygon>,
}

/// Returns a part of a world as the mesh of all parts has it, without heights of its ground.
/// `pieces` takes the place of an edge in the table of corners, and its ends. It returns the pieces
/// of an edge with other parts beyond it, in the order in which the edge runs, and none for other
/// edges.
pub(super) fn cut_borders<P: IntoIterator<Item = Piece>>(
    key: TileKey,
    source: &PolyMesh,
    regions: u32,
    mut pieces: impl FnMut(usize, [PlanVertex; 2]) -> P,
) -> MeshTile {
    let (vertices, own_vertices) = (source.vertices.clone(), source.vertices.len());
    let mut made = MeshTile { vertices, own_vertices, regions, ..MeshTile::default() };
    for (index, polygon) in source.polygons.iter().enumerate() {
        checkpoint_every(1 << 10, index);
        let first = made.corners.len();
        let range = source.corner_range(PolyId::from_index(index));
        for edge in range.clone() {
            let next = if edge + 1 == range.end { range.start } else { edge + 1 };
            let ends = [edge, next].map(|corner| source.vertices[source.corners[corner].index()]);
            let before = made.corners.len();
            for Piece { start, beyond } in pieces(edge, ends) {
                if made.corners.len() == before {
                    made.corners.push(source.corners[edge]);
                } else {
                    made.corners.push(VertexId::from_index(made.vertices.len()));
                    made.vertices.push(start);
                }
                made.neighbours.push(beyond);
            }
            if made.corners.len() == before {
                made.corners.push(source.corners[edge]);
                let own = source.neighbours[edge].map(|own| TilePolygon { tile: key, polygon: own.0 });
                made.neighbours.push(own);
            }
        }
        let (first, len) = (to_u32(first), to_u32(made.corners.len() - first));
        made.polygons.push(Poly { first, len, ..*polygon });
    }
    made
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use waymesh_core::{AreaId, GridFrame, RegionId, SpanKey, Validate};
    use waymesh_graph::{JoinedTiles, VertexOrder};

    use super::*;

    fn frame() -> GridFrame {
        GridFrame { origin: Vec3::ZERO, cell_size: 0.5, level_height: 0.2, width: 20, depth: 12 }
    }

    /// A tile of strips along x, from one z to the next, that ends at x = 10 on its right (`side`
    /// 1) or begins there (-1).
    fn strips(cuts: &[i32], side: i32, height: f32) -> TilePolygons {
        let mut tile = TilePolygons { mesh: PolyMesh::empty(frame()), borders: Vec::new() };
        let (outer, border) = (10 - 10 * side, 10);
        for &z in cuts {
            for x in [outer, border] {
                tile.mesh.vertices.push(PlanVertex { point: PlanPoint::new(x, z), height });
            }
        }
        let key = |x: i32, z: i32| SpanKey { x: x.cast_unsigned(), z: z.cast_unsigned(), floor: 3 };
        for (strip, pair) in cuts.windows(2).enumerate() {
            let low = to_u32(2 * strip);
            // Positive: for the left tile the border edge runs along +z, for the right one along -z.
            let corners =
                if side > 0 { [low, low + 1, low + 3, low + 2] } else { [low + 1, low, low + 2, low + 3] };
            let below = strip.checked_sub(1).map(PolyId::from_index);
            let above = (strip + 2 < cuts.len()).then(|| PolyId::from_index(strip + 1));
            let first = to_u32(4 * strip);
            tile.mesh.polygons.push(Poly { first, len: 4, region: RegionId(0), area: AreaId::GROUND });
            tile.mesh.corners.extend(corners.map(VertexId));
            tile.mesh.neighbours.extend([below, None, above, None]);
            let mut steps: Vec<_> = (pair[0]..pair[1])
                .map(|z| if side > 0 { [key(9, z), key(10, z)] } else { [key(10, z), key(9, z)] })
                .collect();
            if side < 0 {
                steps.reverse();
            }
            let edge = if side > 0 { 1 } else { 3 };
            tile.borders.push(BorderEdge { polygon: to_u32(strip), edge, steps });
        }
        tile
    }

    #[test]
    fn borders_that_were_cut_at_different_places_fit() {
        let (left, right) = (strips(&[0, 4, 12], 1, 1.0), strips(&[0, 7, 9, 12], -1, 1.5));
        left_and_right(&left, &right, 5);
    }

    #[test]
    fn equal_cuts_need_no_new_vertex() {
        let (left, right) = (strips(&[0, 4, 12], 1, 1.0), strips(&[0, 4, 12], -1, 1.0));
        let joined = left_and_right(&left, &right, 3);
        assert_eq!(joined.polygons.vertices.len(), 9);
    }

    fn join(tiles: &BTreeMap<Tile, &TilePolygons>, changed: &[Tile], facings: &mut Facings) -> JoinedTiles {
        let tiles_of = |tile: Tile| tiles.get(&tile).copied();
        facings.update(&tiles_of, changed);
        let made = tiles.iter().map(|(&tile, polygons)| (key(tile), facings.mesh_tile(tile, 1, polygons)));
        let made: Vec<(TileKey, MeshTile)> = made.collect();
        let by_key = made.iter().map(|(key, tile)| (*key, tile)).collect();
        JoinedTiles::new(frame(), &by_key, VertexOrder::OwnFirst).unwrap()
    }

    fn join_anew(tiles: &BTreeMap<Tile, &TilePolygons>) -> JoinedTiles {
        let changed: Vec<Tile> = tiles.keys().copied().collect();
        join(tiles, &changed, &mut Facings::default())
    }

    /// The cache of the last join does not change results, whatever tiles are added or removed.
    #[test]
    fn joins_after_changes_are_those_of_all_tiles() {
        let [left, other] = [strips(&[0, 4, 12], 1, 1.0), strips(&[0, 5, 6, 12], 1, 2.0)];
        let right = strips(&[0, 7, 9, 12], -1, 1.5);
        let [at_left, at_right] = [0, 1].map(|column| Tile { row: 0, column });
        let mut facings = Facings::default();
        let mut tiles = BTreeMap::new();
        let changes: [(Tile, Option<&TilePolygons>); 7] = [
            (at_left, Some(&left)),
            (at_right, Some(&right)),
            (at_left, Some(&other)),
            (at_right, None),
            (at_left, Some(&left)),
            (at_right, Some(&right)),
            (at_left, None),
        ];
        for (tile, polygons) in changes {
            match polygons {
                Some(polygons) => tiles.insert(tile, polygons),
                None => tiles.remove(&tile),
            };
            assert_eq!(join(&tiles, &[tile], &mut facings), join_anew(&tiles));
        }
    }

    fn left_and_right(left: &TilePolygons, right: &TilePolygons, on_border: usize) -> JoinedTiles {
        let [at_left, at_right] = [0, 1].map(|column| Tile { row: 0, column });
        let tiles = BTreeMap::from([(at_left, left), (at_right, right)]);
        let joined = join_anew(&tiles);
        joined.polygons.validate().unwrap();
        assert!((joined.polygons.area() - 20.0 * 12.0 * 0.25).abs() < 1e-9);
        let border: Vec<_> = joined.polygons.vertices.iter().filter(|vertex| vertex.point.x == 10).collect();
        assert_eq!(border.len(), on_border);
        let across = joined.ranges[&key(at_left)].clone().map(PolyId::from_index).flat_map(|polygon| {
            let edge = joined.ranges[&key(at_right)].start;
            joined.polygons.neighbours(polygon).iter().flatten().filter(move |other| other.index() >= edge)
        });
        assert_eq!(across.count(), on_border - 1);
        joined
    }

    #[test]
    fn a_missing_tile_leaves_a_wall_and_a_missing_step_a_gap() {
        let (left, mut right) = (strips(&[0, 12], 1, 1.0), strips(&[0, 12], -1, 1.0));
        let alone = join_anew(&BTreeMap::from([(Tile::default(), &left)]));
        alone.polygons.validate().unwrap();
        assert_eq!(alone.polygons.portal_count(), 0);
        // Two steps in the middle lead elsewhere: the edge is cut in three, of which two are ways.
        for step in &mut right.borders[0].steps[5..7] {
            step[1].floor = 90;
        }
        let tiles = BTreeMap::from([(Tile::default(), &left), (Tile { row: 0, column: 1 }, &right)]);
        let joined = join_anew(&tiles);
        joined.polygons.validate().unwrap();
        assert_eq!(joined.polygons.portal_count(), 2);
    }
}
