//! Polygons of neighbouring windows of a plan become neighbours.

use std::collections::HashMap;
use std::ops::Range;

use waymesh_core::{PlanPoint, PlanVertex, PolyId, PolyMesh, to_u32};
use waymesh_floorplan::PlanWindow;
use waymesh_graph::{MeshTile, TileKey, TilePolygon};

use crate::world::join::{Piece, cut_borders};

/// The polygons of a window, and where they end at its border.
#[derive(Debug)]
pub(super) struct BuiltWindow {
    pub(super) polygons: PolyMesh,
    /// By the side of the window, then by the direction in which edges run on it; sorted.
    borders: [[Vec<BorderEdge>; 2]; 4],
    /// By region, the doors in whose openings it lies.
    openings: Vec<Vec<usize>>,
}

/// An edge of a polygon on the border of its window.
#[derive(Clone, Copy, Debug)]
struct BorderEdge {
    /// Along the border.
    range: [i32; 2],
    /// Place of the edge in the table of corners.
    edge: usize,
    polygon: u32,
}

/// Sides of a window: lower and higher x, lower and higher z. The side across is that of the other
/// bit.
const SIDES: [usize; 4] = [0, 1, 2, 3];

/// A piece of an edge: where it ends along its line, and the polygon beyond.
#[derive(Clone, Copy, Debug)]
struct Portion {
    range: [i32; 2],
    beyond: Option<u32>,
}

impl PartialEq for BuiltWindow {
    fn eq(&self, other: &Self) -> bool {
        self.polygons == other.polygons && self.openings == other.openings
    }
}

impl BuiltWindow {
    pub(super) fn new(polygons: PolyMesh, openings: Vec<Vec<usize>>, window: &PlanWindow) -> Self {
        let mut borders: [[Vec<BorderEdge>; 2]; 4] = Default::default();
        for id in (0..polygons.polygons.len()).map(PolyId::from_index) {
            let range = polygons.corner_range(id);
            for edge in range.clone().filter(|&edge| polygons.neighbours[edge].is_none()) {
                let [from, to] =
                    [edge, next(edge, &range)].map(|corner| polygons.point(polygons.corners[corner]));
                let Some((side, [from, to])) = on_border(window, from, to) else { continue };
                let border = BorderEdge { range: [from.min(to), from.max(to)], edge, polygon: id.0 };
                borders[side][usize::from(from < to)].push(border);
            }
        }
        for edges in borders.iter_mut().flatten() {
            edges.sort_unstable_by_key(|border| (border.range, border.edge));
        }
        Self { polygons, borders, openings }
    }

    /// The doors in whose openings a polygon lies.
    pub(super) fn openings(&self, polygon: u32) -> &[usize] {
        &self.openings[self.polygons.polygons[polygon as usize].region.index()]
    }
}

/// The side of its window that an edge lies on, and its ends along it.
fn on_border(window: &PlanWindow, from: PlanPoint, to: PlanPoint) -> Option<(usize, [i32; 2])> {
    if from.x == to.x && (from.x == window.min.x || from.x == window.max.x) {
        return Some((usize::from(from.x == window.max.x), [from.z, to.z]));
    }
    let is_z = from.z == to.z && (from.z == window.min.z || from.z == window.max.z);
    is_z.then_some((2 + usize::from(from.z == window.max.z), [from.x, to.x]))
}

fn next(edge: usize, range: &Range<usize>) -> usize {
    if edge + 1 == range.end { range.start } else { edge + 1 }
}

/// The window across a side of another.
fn across(TileKey { layer, row, column }: TileKey, side: usize) -> Option<TileKey> {
    let [row, column] = match side {
        0 => [Some(row), column.checked_sub(1)],
        1 => [Some(row), column.checked_add(1)],
        2 => [row.checked_sub(1), Some(column)],
        _ => [row.checked_add(1), Some(column)],
    };
    Some(TileKey { layer, row: row?, column: column? })
}

/// Returns a window as the mesh of all has it: two edges on a common line are neighbours where they
/// overlap. Where only one side has a vertex, the other gets it too, as a corner of 180 degrees.
///
/// Takes `n log n` time in the size of the window and its neighbours.
pub(super) fn mesh_tile<'a>(
    key: TileKey,
    windows: &impl Fn(TileKey) -> Option<&'a BuiltWindow>,
) -> Option<MeshTile> {
    let BuiltWindow { polygons: source, borders, openings } = windows(key)?;
    // Edges with something beyond, each in pieces in the order in which it runs, and the window beyond.
    let mut pieces: HashMap<usize, (TileKey, Vec<Portion>)> = HashMap::new();
    for side in SIDES {
        let Some((beyond, there)) = across(key, side).and_then(|beyond| Some((beyond, windows(beyond)?)))
        else {
            continue;
        };
        for (direction, edges) in borders[side].iter().enumerate() {
            let others = &there.borders[side ^ 1][1 - direction];
            for border in edges {
                let mut portions = portions(border, others);
                if direction == 0 {
                    portions.reverse();
                }
                if !portions.is_empty() {
                    pieces.insert(border.edge, (beyond, portions));
                }
            }
        }
    }
    let made = cut_borders(key, source, to_u32(openings.len()), |edge, [start, end]| {
        let is_x = start.point.x == end.point.x;
        let ascends = if is_x { start.point.z < end.point.z } else { start.point.x < end.point.x };
        let portions = pieces.get(&edge).into_iter().flat_map(|(there, portions)| {
            portions.iter().map(|&Portion { range, beyond }| {
                (range, beyond.map(|polygon| TilePolygon { tile: *there, polygon }))
            })
        });
        portions.map(move |([low, high], beyond)| {
            let at = if ascends { low } else { high };
            let point =
                if is_x { PlanPoint::new(start.point.x, at) } else { PlanPoint::new(at, start.point.z) };
            Piece { start: PlanVertex { point, height: start.height }, beyond }
        })
    });
    Some(made)
}

/// Cuts an edge where what is beyond it changes; nothing if nothing is.
fn portions(border: &BorderEdge, others: &[BorderEdge]) -> Vec<Portion> {
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
        pieces.push(Portion { range: [low, high], beyond: Some(other.polygon) });
        at = high;
    }
    if !pieces.is_empty() && at < border.range[1] {
        pieces.push(Portion { range: [at, border.range[1]], beyond: None });
    }
    pieces
}
