//! Polygons of neighbouring tiles become neighbours: the same vertices on both sides of a border,
//! whole edges facing each other.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use waymesh_core::{
    DisjointSets, GridFrame, PlanPoint, PlanVertex, Poly, PolyId, PolyMesh, RegionId, SpanKey, VertexId,
    checkpoint, checkpoint_every, to_u32,
};
use waymesh_tile::Tile;

use super::polygons::TilePolygons;

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
    /// Place of the edge beyond in the list of all border edges.
    beyond: Option<usize>,
}

/// A border edge of any tile.
struct Border<'a> {
    tile: usize,
    polygon: u32,
    edge: u32,
    steps: &'a [[SpanKey; 2]],
    portions: Vec<Portion>,
}

/// Joins tiles, each with its number of regions, into one mesh.
///
/// Two border edges face each other where the steps of one are those of the other with the sides
/// exchanged. No height or distance is compared, so there are no false portals and none is missing.
/// Where only one side has a vertex, the other gets it too, as a corner of 180 degrees; vertices
/// that meet become one, with the height of the tile that comes first.
///
/// The same tiles give the same mesh, whatever the order in which they were built. Takes time in `n
/// log n`.
pub(super) fn join(frame: GridFrame, tiles: &BTreeMap<Tile, (&TilePolygons, u32)>) -> Joined {
    let list: Vec<(Tile, &TilePolygons, u32)> =
        tiles.iter().map(|(&tile, &(polygons, regions))| (tile, polygons, regions)).collect();
    let mut borders: Vec<Border<'_>> = Vec::new();
    for (index, (_, polygons, _)) in list.iter().enumerate() {
        borders.extend(polygons.borders.iter().map(|border| Border {
            tile: index,
            polygon: border.polygon,
            edge: border.edge,
            steps: &border.steps,
            portions: Vec::new(),
        }));
    }
    face(&mut borders);

    let mut mesh = Assembly::new(frame, &list);
    let mut regions = 0;
    for (index, (_, polygons, own)) in list.iter().enumerate() {
        checkpoint();
        mesh.add_tile(index, polygons, regions, &borders);
        regions += own;
    }
    mesh.finish(&list, &borders)
}

/// Finds what is beyond each step, and cuts each edge where that changes, on either side.
fn face(borders: &mut [Border<'_>]) {
    // Every step of every edge, by its two spans.
    let mut steps: HashMap<[SpanKey; 2], (usize, usize)> = HashMap::new();
    for (index, border) in borders.iter().enumerate() {
        for (step, &spans) in border.steps.iter().enumerate() {
            steps.insert(spans, (index, step));
        }
    }
    let facing = |spans: &[SpanKey; 2]| steps.get(&[spans[1], spans[0]]).copied();
    for border in borders.iter_mut() {
        let mut portions: Vec<Portion> = Vec::new();
        for (step, spans) in border.steps.iter().enumerate() {
            let beyond = facing(spans).map(|(edge, _)| edge);
            match portions.last_mut() {
                // Steps of two edges that face each other run against each other one by one: both are
                // straight.
                Some(last) if last.beyond == beyond => last.range.1 = step + 1,
                _ => portions.push(Portion { range: (step, step + 1), beyond }),
            }
        }
        border.portions = portions;
    }
}

/// The mesh in the making.
struct Assembly {
    polygons: PolyMesh,
    ranges: Vec<(usize, usize)>,
    /// Where the vertices of each tile begin, before any become one.
    bases: Vec<u32>,
    /// Representative of each vertex: those that meet on a border are one.
    roots: DisjointSets,
    /// Vertices put into an edge, by edge and step.
    inserted: HashMap<(usize, usize), u32>,
    /// Place in the table of corners where each portion begins, by edge and step.
    corners: HashMap<(usize, usize), usize>,
}

impl Assembly {
    fn new(frame: GridFrame, list: &[(Tile, &TilePolygons, u32)]) -> Self {
        let mut vertices = Vec::new();
        let mut bases = Vec::new();
        for (_, tile, _) in list {
            bases.push(to_u32(vertices.len()));
            vertices.extend_from_slice(&tile.vertices);
        }
        let polygons =
            PolyMesh { frame, vertices, polygons: Vec::new(), corners: Vec::new(), neighbours: Vec::new() };
        let roots = DisjointSets::new(polygons.vertices.len());
        Self { polygons, ranges: Vec::new(), bases, roots, inserted: HashMap::new(), corners: HashMap::new() }
    }

    fn add_tile(&mut self, tile: usize, source: &TilePolygons, regions: u32, borders: &[Border<'_>]) {
        let first = self.polygons.polygons.len();
        let start = borders.partition_point(|border| border.tile < tile);
        let mut next = start;
        for (index, polygon) in source.polygons.iter().enumerate() {
            checkpoint_every(1 << 10, index);
            let begin = self.polygons.corners.len();
            for (edge, (&corner, neighbour)) in polygon.corners.iter().zip(&polygon.neighbours).enumerate() {
                let vertex = self.bases[tile] + corner;
                let border = borders.get(next).filter(|border| {
                    (border.tile, border.polygon as usize, border.edge as usize) == (tile, index, edge)
                });
                let Some(border) = border else {
                    self.push(vertex, neighbour.map(|polygon| PolyId(to_u32(first) + polygon)));
                    continue;
                };
                let end = self.bases[tile] + polygon.corners[(edge + 1) % polygon.corners.len()];
                self.push_border(next, border, vertex, end);
                next += 1;
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
    fn push_border(&mut self, index: usize, border: &Border<'_>, from: u32, to: u32) {
        if border.portions.is_empty() {
            self.push(from, None);
            return;
        }
        for portion in &border.portions {
            let step = portion.range.0;
            let vertex =
                if step == 0 { from } else { self.insert(index, step, border.steps.len(), [from, to]) };
            self.corners.insert((index, step), self.polygons.corners.len());
            self.push(vertex, None);
        }
        self.inserted.insert((index, 0), from);
        self.inserted.insert((index, border.steps.len()), to);
    }

    /// A new vertex on an edge, so many steps from its beginning.
    fn insert(&mut self, border: usize, step: usize, steps: usize, ends: [u32; 2]) -> u32 {
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
        self.inserted.insert((border, step), vertex);
        vertex
    }

    fn finish(mut self, list: &[(Tile, &TilePolygons, u32)], borders: &[Border<'_>]) -> Joined {
        for (index, border) in borders.iter().enumerate() {
            checkpoint();
            for portion in &border.portions {
                let Some(beyond) = portion.beyond else { continue };
                self.connect(borders, index, portion.range, beyond);
            }
        }
        // Original vertices come before inserted ones, and those of earlier tiles before those of later
        // ones.
        for corner in 0..self.polygons.corners.len() {
            checkpoint_every(1 << 14, corner);
            let root = self.roots.find(self.polygons.corners[corner].0);
            self.polygons.corners[corner] = VertexId(root);
        }
        let used: BTreeSet<u32> = self.polygons.corners.iter().map(|vertex| vertex.0).collect();
        let mut numbers = vec![0; self.polygons.vertices.len()];
        let mut vertices = Vec::with_capacity(used.len());
        for vertex in used {
            numbers[vertex as usize] = to_u32(vertices.len());
            vertices.push(self.polygons.vertices[vertex as usize]);
        }
        for corner in &mut self.polygons.corners {
            *corner = VertexId(numbers[corner.0 as usize]);
        }
        self.polygons.vertices = vertices;
        let ranges = list.iter().zip(self.ranges).map(|(&(tile, _, _), range)| (tile, range)).collect();
        Joined { polygons: self.polygons, ranges }
    }

    /// Makes a portion of an edge and the portion facing it neighbours. Both sides call this.
    fn connect(&mut self, borders: &[Border<'_>], index: usize, range: (usize, usize), beyond: usize) {
        let (here, there) = (&borders[index], &borders[beyond]);
        // The step there that faces our last one comes first there.
        let Some(last) = here.steps[range.1 - 1..range.1].first() else { return };
        let Some(start) = there.steps.iter().position(|step| [step[1], step[0]] == *last) else { return };
        let end = start + (range.1 - range.0);
        let Some(&corner) = self.corners.get(&(index, range.0)) else { return };
        if !self.corners.contains_key(&(beyond, start)) {
            return;
        }
        let polygon = self.ranges[there.tile].0 + there.polygon as usize;
        self.polygons.neighbours[corner] = Some(PolyId::from_index(polygon));
        for (mine, theirs) in [(range.0, end), (range.1, start)] {
            let pair = [(index, mine), (beyond, theirs)].map(|key| self.inserted.get(&key).copied());
            if let [Some(one), Some(other)] = pair {
                self.roots.unite(one, other);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use waymesh_core::{AreaId, Validate};

    use super::super::polygons::{BorderEdge, TilePolygon};
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

    fn left_and_right(left: &TilePolygons, right: &TilePolygons, on_border: usize) -> Joined {
        let tiles = BTreeMap::from([
            (Tile { row: 0, column: 0 }, (left, 1)),
            (Tile { row: 0, column: 1 }, (right, 1)),
        ]);
        let joined = join(frame(), &tiles);
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
        let alone = join(frame(), &BTreeMap::from([(Tile::default(), (&left, 1))]));
        alone.polygons.validate().unwrap();
        assert_eq!(alone.polygons.portal_count(), 0);
        // Two steps in the middle lead elsewhere: the edge is cut in three, of which two are ways.
        for step in &mut right.borders[0].steps[5..7] {
            step[1].floor = 90;
        }
        let tiles =
            BTreeMap::from([(Tile::default(), (&left, 1)), (Tile { row: 0, column: 1 }, (&right, 1))]);
        let joined = join(frame(), &tiles);
        joined.polygons.validate().unwrap();
        assert_eq!(joined.polygons.portal_count(), 2);
    }
}
