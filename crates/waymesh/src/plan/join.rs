//! Cells of neighbouring windows of a plan become neighbours.

use std::collections::{BTreeMap, HashMap};

use waymesh_core::{CellId, CellMesh, DisjointSets, GridFrame, PlanPoint, PlanVertex, RegionId, VertexId};
use waymesh_floorplan::PlanWindow;

use super::world::PlanTile;
use crate::number::number;

/// Cells of all windows, and the storey of each region.
pub(super) struct Joined {
    pub(super) cells: CellMesh,
    pub(super) storeys: Vec<usize>,
}

/// A line on which windows of a storey meet: whether it is one of equal x, and which.
type Line = (usize, bool, i32);

/// An edge of a cell on the border of its window.
#[derive(Clone, Copy, Debug)]
struct Rim {
    /// Place of the edge in the table of corners of all windows.
    edge: usize,
    cell: usize,
    /// Along the line.
    range: [i32; 2],
    /// Whether it runs towards higher numbers: then its cell lies on one side of the line, else on the other.
    ascends: bool,
}

/// Joins the cells of windows into one mesh: two edges on a common line are neighbours where they overlap. Where only one side has a vertex, the other
/// gets it too, as a corner of 180 degrees.
///
/// The same windows give the same mesh. Takes time in `n log n`.
pub(super) fn join(frame: GridFrame, tiles: &BTreeMap<PlanTile, (&CellMesh, PlanWindow)>) -> Joined {
    let mut vertices: Vec<PlanVertex> = Vec::new();
    let mut lines: BTreeMap<Line, [Vec<Rim>; 2]> = BTreeMap::new();
    let (mut edges, mut cell_count) = (0, 0);
    for (tile, (cells, window)) in tiles {
        vertices.extend_from_slice(&cells.vertices);
        for id in (0..cells.cells.len()).map(CellId::from_index) {
            let range = cells.corner_range(id);
            for edge in range.clone().filter(|&edge| cells.neighbours[edge].is_none()) {
                let next = if edge + 1 == range.end { range.start } else { edge + 1 };
                let [from, to] = [edge, next].map(|corner| cells.point(cells.corners[corner]));
                let Some((is_x, at, ends)) = on_border(window, from, to) else { continue };
                let ascends = ends[0] < ends[1];
                let rim = Rim {
                    edge: edges + edge,
                    cell: cell_count + id.index(),
                    range: [ends[0].min(ends[1]), ends[0].max(ends[1])],
                    ascends,
                };
                lines.entry((tile.storey, is_x, at)).or_default()[usize::from(ascends)].push(rim);
            }
        }
        edges += cells.corners.len();
        cell_count += cells.cells.len();
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

/// A piece of an edge: where it ends along its line, and the edge and cell beyond.
#[derive(Clone, Copy, Debug)]
struct Portion {
    range: [i32; 2],
    beyond: Option<(usize, usize)>,
}

/// Edges with something beyond, each in pieces in the order in which it runs.
fn portions(lines: &mut BTreeMap<Line, [Vec<Rim>; 2]>) -> HashMap<usize, Vec<Portion>> {
    let mut portions = HashMap::new();
    for sides in lines.values_mut() {
        for side in sides.iter_mut() {
            side.sort_unstable_by_key(|rim| (rim.range, rim.edge));
        }
        for side in 0..2 {
            let others = &sides[1 - side];
            for rim in &sides[side] {
                let first = others.partition_point(|other| other.range[1] <= rim.range[0]);
                let mut pieces = Vec::new();
                let mut at = rim.range[0];
                for other in others[first..].iter().take_while(|other| other.range[0] < rim.range[1]) {
                    let (low, high) = (other.range[0].max(at), other.range[1].min(rim.range[1]));
                    if low >= high {
                        continue;
                    }
                    if low > at {
                        pieces.push(Portion { range: [at, low], beyond: None });
                    }
                    pieces.push(Portion { range: [low, high], beyond: Some((other.edge, other.cell)) });
                    at = high;
                }
                if pieces.is_empty() {
                    continue;
                }
                if at < rim.range[1] {
                    pieces.push(Portion { range: [at, rim.range[1]], beyond: None });
                }
                if !rim.ascends {
                    pieces.reverse();
                }
                portions.insert(rim.edge, pieces);
            }
        }
    }
    portions
}

struct Assembly {
    cells: CellMesh,
    roots: DisjointSets,
    portions: HashMap<usize, Vec<Portion>>,
    /// Vertex at a place on a border where cells of two windows meet, by storey.
    meeting: HashMap<(usize, PlanPoint), u32>,
    storeys: Vec<usize>,
}

impl Assembly {
    fn new(frame: GridFrame, vertices: Vec<PlanVertex>, portions: HashMap<usize, Vec<Portion>>) -> Self {
        let roots = DisjointSets::new(vertices.len());
        let cells =
            CellMesh { frame, vertices, cells: Vec::new(), corners: Vec::new(), neighbours: Vec::new() };
        Self { cells, roots, portions, meeting: HashMap::new(), storeys: Vec::new() }
    }

    fn run(mut self, tiles: &BTreeMap<PlanTile, (&CellMesh, PlanWindow)>) -> Joined {
        let (mut first_vertex, mut first_edge) = (0, 0);
        for (tile, (cells, _)) in tiles {
            self.add(tile.storey, cells, first_vertex, first_edge);
            first_vertex += cells.vertices.len();
            first_edge += cells.corners.len();
        }
        self.finish()
    }

    fn add(&mut self, storey: usize, source: &CellMesh, first_vertex: usize, first_edge: usize) {
        let first_cell = self.cells.cells.len();
        let first_region = self.storeys.len();
        for (index, cell) in source.cells.iter().enumerate() {
            let id = CellId::from_index(index);
            let first = self.cells.corners.len();
            let range = source.corner_range(id);
            for edge in range.clone() {
                let vertex = first_vertex + source.corners[edge].index();
                let Some(pieces) = self.portions.remove(&(first_edge + edge)) else {
                    let neighbour = source.neighbours[edge]
                        .map(|neighbour| CellId::from_index(first_cell + neighbour.index()));
                    self.push(number(vertex), neighbour);
                    continue;
                };
                let next = if edge + 1 == range.end { range.start } else { edge + 1 };
                let end = first_vertex + source.corners[next].index();
                self.push_border(storey, [vertex, end], &pieces);
            }
            self.cells.cells.push(waymesh_core::Cell {
                first: number(first),
                len: number(self.cells.corners.len() - first),
                region: RegionId::from_index(first_region + cell.region.index()),
                area: cell.area,
            });
        }
        let regions = source.cells.iter().map(|cell| cell.region.index() + 1).max().unwrap_or(0);
        self.storeys.extend(std::iter::repeat_n(storey, regions));
    }

    fn push(&mut self, vertex: u32, neighbour: Option<CellId>) {
        self.cells.corners.push(VertexId(vertex));
        self.cells.neighbours.push(neighbour);
    }

    /// Pushes an edge in pieces, all but its last corner.
    fn push_border(&mut self, storey: usize, [from, to]: [usize; 2], pieces: &[Portion]) {
        let [start, end] = [from, to].map(|vertex| self.cells.vertices[vertex]);
        let is_x = start.point.x == end.point.x;
        let ascends = if is_x { start.point.z < end.point.z } else { start.point.x < end.point.x };
        let place = |at: i32| {
            if is_x { PlanPoint::new(start.point.x, at) } else { PlanPoint::new(at, start.point.z) }
        };
        let mut vertex = number(from);
        for (index, piece) in pieces.iter().enumerate() {
            let ahead = if ascends { piece.range[1] } else { piece.range[0] };
            let next = if index + 1 == pieces.len() {
                number(to)
            } else {
                self.cells.vertices.push(PlanVertex { point: place(ahead), height: start.height });
                self.roots.push()
            };
            let neighbour = piece.beyond.map(|(_, cell)| CellId::from_index(cell));
            self.push(vertex, neighbour);
            if neighbour.is_some() {
                for vertex in [vertex, next] {
                    let point = self.cells.vertices[vertex as usize].point;
                    let known = *self.meeting.entry((storey, point)).or_insert(vertex);
                    self.roots.unite(vertex, known);
                }
            }
            vertex = next;
        }
    }

    fn finish(mut self) -> Joined {
        let mut names: Vec<Option<VertexId>> = vec![None; self.cells.vertices.len()];
        let mut vertices = Vec::new();
        for corner in 0..self.cells.corners.len() {
            let root = self.roots.find(self.cells.corners[corner].0) as usize;
            let name = *names[root].get_or_insert_with(|| {
                vertices.push(self.cells.vertices[root]);
                VertexId::from_index(vertices.len() - 1)
            });
            self.cells.corners[corner] = name;
        }
        self.cells.vertices = vertices;
        Joined { cells: self.cells, storeys: self.storeys }
    }
}
