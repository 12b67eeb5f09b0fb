//! Polygons of neighbouring windows of a plan become neighbours.

use std::collections::{BTreeMap, HashMap};

use waymesh_core::{
    DisjointSets, GridFrame, PlanPoint, PlanVertex, PolyId, PolyMesh, RegionId, VertexId, checkpoint,
    checkpoint_every, to_u32,
};
use waymesh_floorplan::PlanWindow;

use super::PlanTile;

/// Polygons of all windows, and the storey of each region.
pub(super) struct Joined {
    pub(super) polygons: PolyMesh,
    pub(super) storeys: Vec<usize>,
}

/// A line on which windows of a storey meet: the storey, `true` for a line of equal x and `false`
/// for one of equal z, and that coordinate.
type Line = (usize, bool, i32);

/// An edge of a polygon on the border of its window.
#[derive(Clone, Copy, Debug)]
struct BorderEdge {
    /// Place of the edge in the table of corners of all windows.
    edge: usize,
    polygon: usize,
    /// Along the line.
    range: [i32; 2],
    /// `true` if it runs towards higher coordinates. This tells on which side of the line its
    /// polygon lies.
    ascends: bool,
}

/// Joins the polygons of windows into one mesh: two edges on a common line are neighbours where
/// they overlap. Where only one side has a vertex, the other gets it too, as a corner of 180
/// degrees.
///
/// The same windows give the same mesh. Takes time in `n log n`.
pub(super) fn join(frame: GridFrame, tiles: &BTreeMap<PlanTile, (&PolyMesh, PlanWindow)>) -> Joined {
    let mut vertices: Vec<PlanVertex> = Vec::new();
    let mut lines: BTreeMap<Line, [Vec<BorderEdge>; 2]> = BTreeMap::new();
    let (mut edges, mut polygon_count) = (0, 0);
    for (tile, (polygons, window)) in tiles {
        checkpoint();
        vertices.extend_from_slice(&polygons.vertices);
        for id in (0..polygons.polygons.len()).map(PolyId::from_index) {
            let range = polygons.corner_range(id);
            for edge in range.clone().filter(|&edge| polygons.neighbours[edge].is_none()) {
                let next = if edge + 1 == range.end { range.start } else { edge + 1 };
                let [from, to] = [edge, next].map(|corner| polygons.point(polygons.corners[corner]));
                let Some((is_x, at, ends)) = on_border(window, from, to) else { continue };
                let ascends = ends[0] < ends[1];
                let border = BorderEdge {
                    edge: edges + edge,
                    polygon: polygon_count + id.index(),
                    range: [ends[0].min(ends[1]), ends[0].max(ends[1])],
                    ascends,
                };
                lines.entry((tile.storey, is_x, at)).or_default()[usize::from(ascends)].push(border);
            }
        }
        edges += polygons.corners.len();
        polygon_count += polygons.polygons.len();
    }
    let portions = portions(&mut lines);
    Assembly::new(frame, vertices, portions).run(tiles)
}

/// The line that an edge on the border of a window lies on, and its ends along it.
fn on_border(window: &PlanWindow, from: PlanPoint, to: PlanPoint) -> Option<(bool, i32, [i32; 2])> {
    if from.x == to.x && (from.x == window.min.x || from.x == window.max.x) {
        return Some((true, from.x, [from.z, to.z]));
    }
    let is_z = from.z == to.z && (from.z == window.min.z || from.z == window.max.z);
    is_z.then_some((false, from.z, [from.x, to.x]))
}

/// A piece of an edge: where it ends along its line, and the edge and polygon beyond.
#[derive(Clone, Copy, Debug)]
struct Portion {
    range: [i32; 2],
    beyond: Option<(usize, usize)>,
}

/// Edges with something beyond, each in pieces in the order in which it runs.
fn portions(lines: &mut BTreeMap<Line, [Vec<BorderEdge>; 2]>) -> HashMap<usize, Vec<Portion>> {
    let mut portions = HashMap::new();
    for sides in lines.values_mut() {
        for side in sides.iter_mut() {
            side.sort_unstable_by_key(|border| (border.range, border.edge));
        }
        for side in 0..2 {
            let others = &sides[1 - side];
            for border in &sides[side] {
                let first = others.partition_point(|other| other.range[1] <= border.range[0]);
                let mut pieces = Vec::new();
                let mut at = border.range[0];
                for other in others[first..].iter().take_while(|other| other.range[0] < border.range[1]) {
                    let (low, high) = (other.range[0].max(at), other.range[1].min(border.range[1]));
                    if low >= high {
                        continue;
                    }
                    if low > at {
                        pieces.push(Portion { range: [at, low], beyond: None });
                    }
                    pieces.push(Portion { range: [low, high], beyond: Some((other.edge, other.polygon)) });
                    at = high;
                }
                if pieces.is_empty() {
                    continue;
                }
                if at < border.range[1] {
                    pieces.push(Portion { range: [at, border.range[1]], beyond: None });
                }
                if !border.ascends {
                    pieces.reverse();
                }
                portions.insert(border.edge, pieces);
            }
        }
    }
    portions
}

struct Assembly {
    polygons: PolyMesh,
    roots: DisjointSets,
    portions: HashMap<usize, Vec<Portion>>,
    /// Vertex at a place on a border where polygons of two windows meet, by storey.
    meeting: HashMap<(usize, PlanPoint), u32>,
    storeys: Vec<usize>,
}

impl Assembly {
    fn new(frame: GridFrame, vertices: Vec<PlanVertex>, portions: HashMap<usize, Vec<Portion>>) -> Self {
        let roots = DisjointSets::new(vertices.len());
        let polygons =
            PolyMesh { frame, vertices, polygons: Vec::new(), corners: Vec::new(), neighbours: Vec::new() };
        Self { polygons, roots, portions, meeting: HashMap::new(), storeys: Vec::new() }
    }

    fn run(mut self, tiles: &BTreeMap<PlanTile, (&PolyMesh, PlanWindow)>) -> Joined {
        let (mut first_vertex, mut first_edge) = (0, 0);
        for (tile, (polygons, _)) in tiles {
            self.add(tile.storey, polygons, first_vertex, first_edge);
            first_vertex += polygons.vertices.len();
            first_edge += polygons.corners.len();
        }
        self.finish()
    }

    fn add(&mut self, storey: usize, source: &PolyMesh, first_vertex: usize, first_edge: usize) {
        let first_polygon = self.polygons.polygons.len();
        let first_region = self.storeys.len();
        for (index, polygon) in source.polygons.iter().enumerate() {
            checkpoint_every(1 << 10, index);
            let id = PolyId::from_index(index);
            let first = self.polygons.corners.len();
            let range = source.corner_range(id);
            for edge in range.clone() {
                let vertex = first_vertex + source.corners[edge].index();
                let Some(pieces) = self.portions.remove(&(first_edge + edge)) else {
                    let neighbour = source.neighbours[edge]
                        .map(|neighbour| PolyId::from_index(first_polygon + neighbour.index()));
                    self.push(to_u32(vertex), neighbour);
                    continue;
                };
                let next = if edge + 1 == range.end { range.start } else { edge + 1 };
                let end = first_vertex + source.corners[next].index();
                self.push_border(storey, [vertex, end], &pieces);
            }
            self.polygons.polygons.push(waymesh_core::Poly {
                first: to_u32(first),
                len: to_u32(self.polygons.corners.len() - first),
                region: RegionId::from_index(first_region + polygon.region.index()),
                area: polygon.area,
            });
        }
        let regions = source.polygons.iter().map(|polygon| polygon.region.index() + 1).max().unwrap_or(0);
        self.storeys.extend(std::iter::repeat_n(storey, regions));
    }

    fn push(&mut self, vertex: u32, neighbour: Option<PolyId>) {
        self.polygons.corners.push(VertexId(vertex));
        self.polygons.neighbours.push(neighbour);
    }

    /// Pushes an edge in pieces, all but its last corner.
    fn push_border(&mut self, storey: usize, [from, to]: [usize; 2], pieces: &[Portion]) {
        let [start, end] = [from, to].map(|vertex| self.polygons.vertices[vertex]);
        let is_x = start.point.x == end.point.x;
        let ascends = if is_x { start.point.z < end.point.z } else { start.point.x < end.point.x };
        let place = |at: i32| {
            if is_x { PlanPoint::new(start.point.x, at) } else { PlanPoint::new(at, start.point.z) }
        };
        let mut vertex = to_u32(from);
        for (index, piece) in pieces.iter().enumerate() {
            let ahead = if ascends { piece.range[1] } else { piece.range[0] };
            let next = if index + 1 == pieces.len() {
                to_u32(to)
            } else {
                self.polygons.vertices.push(PlanVertex { point: place(ahead), height: start.height });
                self.roots.push()
            };
            let neighbour = piece.beyond.map(|(_, polygon)| PolyId::from_index(polygon));
            self.push(vertex, neighbour);
            if neighbour.is_some() {
                for vertex in [vertex, next] {
                    let point = self.polygons.vertices[vertex as usize].point;
                    let known = *self.meeting.entry((storey, point)).or_insert(vertex);
                    self.roots.unite(vertex, known);
                }
            }
            vertex = next;
        }
    }

    fn finish(mut self) -> Joined {
        let mut names: Vec<Option<VertexId>> = vec![None; self.polygons.vertices.len()];
        let mut vertices = Vec::new();
        for corner in 0..self.polygons.corners.len() {
            let root = self.roots.find(self.polygons.corners[corner].0) as usize;
            let name = *names[root].get_or_insert_with(|| {
                vertices.push(self.polygons.vertices[root]);
                VertexId::from_index(vertices.len() - 1)
            });
            self.polygons.corners[corner] = name;
        }
        self.polygons.vertices = vertices;
        Joined { polygons: self.polygons, storeys: self.storeys }
    }
}
