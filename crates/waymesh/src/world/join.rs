//! Polygons of neighbouring tiles become neighbours: the same vertices on both sides of a border,
//! whole edges facing each other.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use waymesh_core::{
    DisjointSets, GridFrame, PlanPoint, PlanVertex, Poly, PolyId, PolyMesh, RegionId, SpanKey, VertexId,
    checkpoint, checkpoint_every, to_u32,
};
use waymesh_tile::Tile;

use super::polygons::{BorderEdge, Step, TilePolygons};

/// The polygons of all tiles as one mesh, and where those of each tile are.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Joined {
    pub(super) polygons: PolyMesh,
    /// Per tile its first polygon and the one after its last.
    pub(super) ranges: BTreeMap<Tile, (usize, usize)>,
}

/// A piece of a border edge: what is beyond it is one edge of one polygon, or nothing.
#[derive(Clone, Copy, Debug)]
struct Portion {
    /// First step and the one after the last.
    range: (usize, usize),
    beyond: Option<Beyond>,
}

/// A piece of a border edge of another tile.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Beyond {
    tile: Tile,
    /// Place of the edge in the list of the border edges of its tile.
    edge: usize,
    /// Its step that faces our last one.
    start: usize,
}

impl Portion {
    /// `true` if one more step, with this beyond, belongs to it. Steps of two edges that face each
    /// other run against each other one by one: both are straight.
    fn goes_on(&self, beyond: Option<Beyond>) -> bool {
        let edge = |beyond: Option<Beyond>| beyond.map(|beyond| (beyond.tile, beyond.edge));
        edge(self.beyond) == edge(beyond)
    }
}

/// What is beyond the border edges of each tile, kept from one join to the next: only that of tiles
/// that changed, and of those beside them, can differ.
#[derive(Debug, Default)]
pub(super) struct Facings {
    /// Per tile and border edge.
    portions: BTreeMap<Tile, Vec<Vec<Portion>>>,
}

impl Facings {
    /// Looks again what is beyond the edges of tiles that came, changed or went, and of those beside
    /// them. Takes time in the border edges of these.
    fn update(&mut self, tiles: &BTreeMap<Tile, (&TilePolygons, u32)>, changed: &[Tile]) {
        let with_beside = |tiles_of: &BTreeSet<Tile>| -> BTreeSet<Tile> {
            tiles_of.iter().flat_map(|&tile| beside(tile).into_iter().flatten().chain([tile])).collect()
        };
        let stale = with_beside(&changed.iter().copied().collect());
        // Every step that may be beyond one of theirs, by its two spans.
        let mut steps: HashMap<[SpanKey; 2], (Tile, usize, usize)> = HashMap::new();
        for tile in with_beside(&stale) {
            let Some((polygons, _)) = tiles.get(&tile) else { continue };
            for (edge, border) in polygons.borders.iter().enumerate() {
                for (step, &spans) in border.steps.iter().enumerate() {
                    steps.insert(spans, (tile, edge, step));
                }
            }
        }
        for tile in stale {
            checkpoint();
            match tiles.get(&tile) {
                Some((polygons, _)) => {
                    let borders = polygons.borders.iter();
                    self.portions
                        .insert(tile, borders.map(|border| portions(&border.steps, &steps)).collect())
                }
                None => self.portions.remove(&tile),
            };
        }
    }
}

/// The tiles across the four sides of a tile. An edge is nowhere beside a tile across a corner.
fn beside(Tile { row, column }: Tile) -> [Option<Tile>; 4] {
    [
        row.checked_sub(1).map(|row| Tile { row, column }),
        row.checked_add(1).map(|row| Tile { row, column }),
        column.checked_sub(1).map(|column| Tile { row, column }),
        column.checked_add(1).map(|column| Tile { row, column }),
    ]
}

/// Cuts an edge where what is beyond it changes.
fn portions(own: &[Step], steps: &HashMap<Step, (Tile, usize, usize)>) -> Vec<Portion> {
    let mut portions: Vec<Portion> = Vec::new();
    for (step, spans) in own.iter().enumerate() {
        let facing = steps.get(&[spans[1], spans[0]]);
        let beyond = facing.map(|&(tile, edge, start)| Beyond { tile, edge, start });
        match portions.last_mut() {
            Some(last) if last.goes_on(beyond) => *last = Portion { range: (last.range.0, step + 1), beyond },
            _ => portions.push(Portion { range: (step, step + 1), beyond }),
        }
    }
    portions
}

/// Joins tiles, each with its number of regions, into one mesh. `changed` are those that came,
/// changed or went since the last join with these `facings`.
///
/// Two border edges face each other where the steps of one are those of the other with the sides
/// exchanged. No height or distance is compared, so there are no false portals and none is missing.
/// Where only one side has a vertex, the other gets it too, as a corner of 180 degrees; vertices
/// that meet become one, with the height of the tile that comes first.
///
/// The same tiles give the same mesh, whatever the order in which they were built. Takes time in `n
/// log n`, of which all but copies of the tables is spent on tiles that changed and borders.
pub(super) fn join(
    frame: GridFrame,
    tiles: &BTreeMap<Tile, (&TilePolygons, u32)>,
    changed: &[Tile],
    facings: &mut Facings,
) -> Joined {
    facings.update(tiles, changed);
    let mut mesh = Assembly::new(frame, tiles);
    let mut regions = 0;
    for (&tile, &(polygons, own)) in tiles {
        checkpoint();
        mesh.add_tile(polygons, regions, facings.portions.get(&tile).map_or(&[], Vec::as_slice));
        regions += own;
    }
    for (&tile, portions) in &facings.portions {
        checkpoint();
        mesh.connect(tile, portions);
    }
    mesh.finish()
}

/// The mesh in the making.
struct Assembly {
    polygons: PolyMesh,
    /// Places of the tiles in the tables below.
    numbers: BTreeMap<Tile, usize>,
    ranges: Vec<(usize, usize)>,
    /// Where the vertices of each tile begin, before any become one.
    bases: Vec<u32>,
    /// Representative of each vertex: those that meet on a border are one.
    roots: DisjointSets,
    /// Where the border edges of each tile begin in the list of all.
    first_edges: Vec<usize>,
    /// All border edges, in order.
    edges: Vec<Edge>,
    /// The portions of all border edges, in order.
    pieces: Vec<Piece>,
}

/// A border edge in the mesh.
struct Edge {
    polygon: PolyId,
    /// Its first portion in the list of all.
    first: usize,
    /// The vertex at its end.
    end: u32,
    steps: usize,
}

/// A portion in the mesh.
struct Piece {
    /// Its first step.
    step: usize,
    /// The vertex that it begins at.
    vertex: u32,
    /// Its place in the table of corners.
    corner: usize,
}

impl Assembly {
    fn new(frame: GridFrame, tiles: &BTreeMap<Tile, (&TilePolygons, u32)>) -> Self {
        let mut vertices = Vec::new();
        let mut bases = Vec::with_capacity(tiles.len());
        for (tile, _) in tiles.values() {
            bases.push(to_u32(vertices.len()));
            vertices.extend_from_slice(&tile.vertices);
        }
        let polygons =
            PolyMesh { frame, vertices, polygons: Vec::new(), corners: Vec::new(), neighbours: Vec::new() };
        let roots = DisjointSets::new(polygons.vertices.len());
        let numbers = tiles.keys().enumerate().map(|(number, &tile)| (tile, number)).collect();
        let (ranges, first_edges, edges, pieces) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { polygons, numbers, ranges, bases, roots, first_edges, edges, pieces }
    }

    /// Adds the next tile.
    fn add_tile(&mut self, source: &TilePolygons, regions: u32, portions: &[Vec<Portion>]) {
        let first = self.polygons.polygons.len();
        let base = self.bases[self.ranges.len()];
        self.first_edges.push(self.edges.len());
        let mut borders = source.borders.iter().zip(portions).peekable();
        for (index, polygon) in source.polygons.iter().enumerate() {
            checkpoint_every(1 << 10, index);
            let begin = self.polygons.corners.len();
            let count = polygon.corners.len();
            for (edge, (&corner, neighbour)) in polygon.corners.iter().zip(&polygon.neighbours).enumerate() {
                let vertex = base + corner;
                let is_this = |(border, _): &(&BorderEdge, _)| {
                    (border.polygon as usize, border.edge as usize) == (index, edge)
                };
                let Some((border, portions)) = borders.next_if(is_this) else {
                    self.push(vertex, neighbour.map(|polygon| PolyId(to_u32(first) + polygon)));
                    continue;
                };
                let ends = [vertex, base + polygon.corners[(edge + 1) % count]];
                self.edges.push(Edge {
                    polygon: PolyId::from_index(first + index),
                    first: self.pieces.len(),
                    end: ends[1],
                    steps: border.steps.len(),
                });
                self.push_border(portions, border.steps.len(), ends);
            }
            self.polygons.polygons.push(Poly {
                first: to_u32(begin),
                len: to_u32(self.polygons.corners.len() - begin),
                region: RegionId(polygon.region + regions),
                area: polygon.area,
            });
        }
        self.ranges.push((first, self.polygons.polygons.len()));
    }

    fn push(&mut self, vertex: u32, neighbour: Option<PolyId>) {
        self.polygons.corners.push(VertexId(vertex));
        self.polygons.neighbours.push(neighbour);
    }

    /// Pushes the corners of a border edge but its last.
    fn push_border(&mut self, portions: &[Portion], steps: usize, ends: [u32; 2]) {
        if portions.is_empty() {
            self.push(ends[0], None);
            return;
        }
        for portion in portions {
            let step = portion.range.0;
            let vertex = if step == 0 { ends[0] } else { self.insert(step, steps, ends) };
            self.pieces.push(Piece { step, vertex, corner: self.polygons.corners.len() });
            self.push(vertex, None);
        }
    }

    /// A new vertex on an edge, so many steps from its beginning.
    fn insert(&mut self, step: usize, steps: usize, ends: [u32; 2]) -> u32 {
        let [from, to] = ends.map(|vertex| self.polygons.vertices[vertex as usize]);
        let t = step as f32 / steps as f32;
        let step_cells = i32::try_from(step).unwrap_or(0);
        let point = PlanPoint::new(
            from.point.x + (to.point.x - from.point.x).signum() * step_cells,
            from.point.z + (to.point.z - from.point.z).signum() * step_cells,
        );
        let vertex = self.roots.push();
        self.polygons
            .vertices
            .push(PlanVertex { point, height: from.height + (to.height - from.height) * t });
        vertex
    }

    /// Makes the portions of a tile's edges and those facing them neighbours. Both sides do.
    fn connect(&mut self, tile: Tile, portions: &[Vec<Portion>]) {
        let Some(first) = self.numbers.get(&tile).map(|&number| self.first_edges[number]) else { return };
        // The tiles beside it, which the portions name again and again.
        let beside = beside(tile).map(|tile| Some((tile?, self.first_edges[*self.numbers.get(&tile?)?])));
        for (edge, portions) in (first..).zip(portions) {
            for (piece, portion) in (self.edges[edge].first..).zip(portions) {
                let Some(beyond) = portion.beyond else { continue };
                let mut known = beside.iter().flatten();
                let Some(&(_, edges)) = known.find(|(tile, _)| *tile == beyond.tile) else { continue };
                let there = edges + beyond.edge;
                let (step, corner) = (self.pieces[piece].step, self.pieces[piece].corner);
                if !self.pieces_of(there).iter().any(|piece| piece.step == beyond.start) {
                    continue;
                }
                self.polygons.neighbours[corner] = Some(self.edges[there].polygon);
                let end = beyond.start + (portion.range.1 - step);
                for (mine, theirs) in [(step, end), (portion.range.1, beyond.start)] {
                    if let Some((one, other)) = self.vertex(edge, mine).zip(self.vertex(there, theirs)) {
                        self.roots.unite(one, other);
                    }
                }
            }
        }
    }

    fn pieces_of(&self, edge: usize) -> &[Piece] {
        let end = self.edges.get(edge + 1).map_or(self.pieces.len(), |next| next.first);
        &self.pieces[self.edges[edge].first..end]
    }

    /// The vertex on a border edge, so many steps from its beginning, if there is one.
    fn vertex(&self, edge: usize, step: usize) -> Option<u32> {
        if step == self.edges[edge].steps {
            return Some(self.edges[edge].end);
        }
        self.pieces_of(edge).iter().find(|piece| piece.step == step).map(|piece| piece.vertex)
    }

    fn finish(mut self) -> Joined {
        // Original vertices come before inserted ones, and those of earlier tiles before those of later
        // ones.
        let mut numbers = vec![u32::MAX; self.polygons.vertices.len()];
        for corner in 0..self.polygons.corners.len() {
            checkpoint_every(1 << 14, corner);
            let root = self.roots.find(self.polygons.corners[corner].0);
            self.polygons.corners[corner] = VertexId(root);
            numbers[root as usize] = 0;
        }
        let mut vertices = Vec::with_capacity(numbers.len());
        for (number, &vertex) in numbers.iter_mut().zip(&self.polygons.vertices) {
            if *number == 0 {
                *number = to_u32(vertices.len());
                vertices.push(vertex);
            }
        }
        for corner in &mut self.polygons.corners {
            *corner = VertexId(numbers[corner.0 as usize]);
        }
        self.polygons.vertices = vertices;
        let ranges = self.numbers.into_keys().zip(self.ranges).collect();
        Joined { polygons: self.polygons, ranges }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use waymesh_core::{AreaId, Validate};

    use super::super::polygons::TilePolygon;
    use super::*;

    fn frame() -> GridFrame {
        GridFrame { origin: Vec3::ZERO, cell_size: 0.5, level_height: 0.2, width: 20, depth: 12 }
    }

    /// A tile of strips along x, from one z to the next, that ends at x = 10 on its right (`side`
    /// 1) or begins there (-1).
    fn strips(cuts: &[i32], side: i32, height: f32) -> TilePolygons {
        let mut tile = TilePolygons::default();
        let (outer, border) = (10 - 10 * side, 10);
        for &z in cuts {
            for x in [outer, border] {
                tile.vertices.push(PlanVertex { point: PlanPoint::new(x, z), height });
            }
        }
        let key = |x: i32, z: i32| SpanKey { x: x.cast_unsigned(), z: z.cast_unsigned(), floor: 3 };
        for (strip, pair) in cuts.windows(2).enumerate() {
            let low = to_u32(2 * strip);
            // Positive: for the left tile the border edge runs along +z, for the right one along -z.
            let corners = if side > 0 {
                vec![low, low + 1, low + 3, low + 2]
            } else {
                vec![low + 1, low, low + 2, low + 3]
            };
            let below = strip.checked_sub(1).map(to_u32);
            let above = (strip + 2 < cuts.len()).then(|| to_u32(strip + 1));
            tile.polygons.push(TilePolygon {
                corners,
                neighbours: vec![below, None, above, None],
                region: 0,
                area: AreaId::GROUND,
            });
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

    fn join_anew(tiles: &BTreeMap<Tile, (&TilePolygons, u32)>) -> Joined {
        let changed: Vec<Tile> = tiles.keys().copied().collect();
        join(frame(), tiles, &changed, &mut Facings::default())
    }

    /// What is kept of the last join does not show, whatever comes and goes.
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
                Some(polygons) => tiles.insert(tile, (polygons, 1)),
                None => tiles.remove(&tile),
            };
            assert_eq!(join(frame(), &tiles, &[tile], &mut facings), join_anew(&tiles));
        }
    }

    fn left_and_right(left: &TilePolygons, right: &TilePolygons, on_border: usize) -> Joined {
        let tiles = BTreeMap::from([
            (Tile { row: 0, column: 0 }, (left, 1)),
            (Tile { row: 0, column: 1 }, (right, 1)),
        ]);
        let joined = join_anew(&tiles);
        joined.polygons.validate().unwrap();
        assert!((joined.polygons.area() - 20.0 * 12.0 * 0.25).abs() < 1e-9);
        let border: Vec<_> = joined.polygons.vertices.iter().filter(|vertex| vertex.point.x == 10).collect();
        assert_eq!(border.len(), on_border);
        let across =
            (0..joined.ranges[&Tile { row: 0, column: 0 }].1).map(PolyId::from_index).flat_map(|polygon| {
                let edge = joined.ranges[&Tile { row: 0, column: 1 }].0;
                joined
                    .polygons
                    .neighbours(polygon)
                    .iter()
                    .flatten()
                    .filter(move |other| other.index() >= edge)
            });
        assert_eq!(across.count(), on_border - 1);
        joined
    }

    #[test]
    fn a_missing_tile_leaves_a_wall_and_a_missing_step_a_gap() {
        let (left, mut right) = (strips(&[0, 12], 1, 1.0), strips(&[0, 12], -1, 1.0));
        let alone = join_anew(&BTreeMap::from([(Tile::default(), (&left, 1))]));
        alone.polygons.validate().unwrap();
        assert_eq!(alone.polygons.portal_count(), 0);
        // Two steps in the middle lead elsewhere: the edge is cut in three, of which two are ways.
        for step in &mut right.borders[0].steps[5..7] {
            step[1].floor = 90;
        }
        let tiles =
            BTreeMap::from([(Tile::default(), (&left, 1)), (Tile { row: 0, column: 1 }, (&right, 1))]);
        let joined = join_anew(&tiles);
        joined.polygons.validate().unwrap();
        assert_eq!(joined.polygons.portal_count(), 2);
    }
}
