//! Neighbours inside tiles and across their borders.
//!
//! Detour joins two tiles by pairs of edges on their common border that overlap by two centimetres
//! and are no farther apart in height than two steps (`connectExtLinks`, `overlapSlabs`). A mesh of
//! waymesh has one neighbour at each edge, so edges are split at the ends of overlaps.

use std::collections::BTreeMap;

use waymesh_core::{
    AreaId, GridFrame, PlanPoint, PlanVertex, Poly, PolyId, PolyMesh, RegionId, VertexId, checkpoint_every,
    to_u32,
};
use waymesh_graph::{Link, LinkEnd, LinkKind};

use super::cut::{along, point_at};
use super::faces::{Beyond, Faces};
use super::lattice::Lattice;
use super::tile::{MAX_CORNERS, TileSet};
use crate::IoError;
use crate::scene::Source;

/// Overlaps shorter than this do not count, in metres (`overlapSlabs` shrinks both ends by half).
const SHORTEST_OVERLAP: f64 = 0.02;
/// Largest number of overlaps of an edge of a border: Detour allows four per tile.
const MOST_OVERLAPS: u8 = 64;
/// Largest mean number of edges of a border that are compared with each edge. Each edge overlaps a
/// few.
const MOST_COMPARED: u64 = 4096;

/// Sentinel for a missing face.
const NO_FACE: u32 = u32::MAX;

/// An edge of a face along an axis.
#[derive(Clone, Copy, Debug)]
struct Span {
    face: u32,
    edge: usize,
    low: i32,
    high: i32,
    /// Vertices at `low` and `high`.
    ends: [u32; 2],
    /// `true` if the edge of the face runs from `low` to `high`.
    ascends: bool,
}

/// Two edges that overlap.
#[derive(Clone, Copy, Debug)]
struct Overlap {
    spans: [usize; 2],
    low: i32,
    high: i32,
    /// Their difference in height.
    gap: f64,
}

/// A part of an edge with a neighbour.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// Coordinates of its ends along the axis, in the direction of the face.
    from: i32,
    to: i32,
    /// Vertices at its ends.
    vertices: [u32; 2],
    beyond: u32,
}

/// Finds the neighbours of all faces. Returns one polygon per face, and links between edges of
/// which one already has a neighbour.
pub(super) fn join(
    source: Source<'_>,
    set: &TileSet,
    lattice: &Lattice,
    frame: GridFrame,
    faces: &mut Faces,
    area_of: impl Fn(u8) -> AreaId,
) -> Result<(PolyMesh, Vec<Link>), IoError> {
    let mut joiner = Joiner {
        source,
        set,
        cells: [lattice.length(SHORTEST_OVERLAP), 1],
        whole: vec![[NO_FACE; MAX_CORNERS]; faces.faces.len()],
        cuts: BTreeMap::new(),
        overlaid: Vec::new(),
    };
    joiner.inside(faces);
    joiner.borders(faces)?;
    let Joiner { whole, mut cuts, overlaid, .. } = joiner;
    let heights = welded_heights(faces);
    let mut numbers = vec![u32::MAX; faces.points.len()];
    let mut mesh = PolyMesh::empty(frame);
    for ((number, face), whole) in (0_u32..).zip(&faces.faces).zip(&whole) {
        let first = to_u32(mesh.corners.len());
        let mut push = |vertex: u32, beyond: Option<u32>| {
            let vertex = faces.sets.find(vertex) as usize;
            if numbers[vertex] == u32::MAX {
                numbers[vertex] = to_u32(mesh.vertices.len());
                let height = heights[vertex] / frame.level_height;
                mesh.vertices.push(PlanVertex { point: faces.points[vertex], height });
            }
            mesh.corners.push(VertexId(numbers[vertex]));
            mesh.neighbours.push(beyond.map(PolyId));
        };
        for (edge, &beyond) in whole.iter().enumerate().take(usize::from(face.count)) {
            let [from, to] = face.edge(edge);
            let Some(cuts) = cuts.get_mut(&(number, edge)) else {
                push(from, (beyond != NO_FACE).then_some(beyond));
                continue;
            };
            let axis = axis_of(faces.points[from as usize], faces.points[to as usize]);
            let [begin, end] = [from, to].map(|vertex| along(axis, faces.points[vertex as usize]));
            cuts.sort_by_key(|cut| if begin < end { cut.from } else { -cut.from });
            let (mut at, mut vertex) = (begin, from);
            for cut in cuts.iter() {
                if cut.from != at {
                    push(vertex, None);
                    vertex = cut.vertices[0];
                }
                push(vertex, Some(cut.beyond));
                (at, vertex) = (cut.to, cut.vertices[1]);
            }
            if at != end {
                push(vertex, None);
            }
        }
        let tile = &set.tiles[face.tile as usize];
        mesh.polygons.push(Poly {
            first,
            len: to_u32(mesh.corners.len()) - first,
            // The file has no regions: polygons of a tile may lie above each other.
            region: RegionId(number),
            area: area_of(tile.polygons[face.polygon as usize].area),
        });
    }
    let links = overlaid.iter().map(|pair| link_of(pair, faces, &frame)).collect();
    Ok((mesh, links))
}

/// Returns the mean height of each set of vertices, in metres.
fn welded_heights(faces: &mut Faces) -> Vec<f32> {
    let mut sums = vec![(0.0_f64, 0_u32); faces.points.len()];
    for vertex in 0..to_u32(faces.points.len()) {
        let (sum, count) = &mut sums[faces.sets.find(vertex) as usize];
        *sum += f64::from(faces.heights[vertex as usize]);
        *count += 1;
    }
    sums.iter().map(|&(sum, count)| waymesh_core::nearest_f32(sum / f64::from(count.max(1)))).collect()
}

/// Returns the axis along which an edge is longer.
fn axis_of(from: PlanPoint, to: PlanPoint) -> usize {
    usize::from(from.x.abs_diff(to.x) < from.z.abs_diff(to.z))
}

fn span_of(faces: &Faces, face: u32, edge: usize, axis: usize) -> Span {
    let ends = faces.faces[face as usize].edge(edge);
    let [a, b] = ends.map(|vertex| along(axis, faces.point(vertex)));
    if a < b {
        Span { face, edge, low: a, high: b, ends, ascends: true }
    } else {
        Span { face, edge, low: b, high: a, ends: [ends[1], ends[0]], ascends: false }
    }
}

/// Returns the height of an edge at a coordinate along its axis, in metres.
fn height_at(faces: &Faces, span: &Span, at: i32) -> f64 {
    let [low, high] = span.ends.map(|vertex| f64::from(faces.heights[vertex as usize]));
    let share = f64::from(at - span.low) / f64::from((span.high - span.low).max(1));
    low + (high - low) * share
}

struct Joiner<'a> {
    source: Source<'a>,
    set: &'a TileSet,
    /// Shortest overlap between tiles, and inside a tile, in cells.
    cells: [i32; 2],
    /// Per face the faces beyond its whole edges, or [`NO_FACE`].
    whole: Vec<[u32; MAX_CORNERS]>,
    /// Parts of edges with neighbours, by face and edge.
    cuts: BTreeMap<(u32, usize), Vec<Cut>>,
    /// Overlaps of edges that already have other neighbours.
    overlaid: Vec<([Span; 2], usize, [i32; 2])>,
}

impl Joiner<'_> {
    /// Finds neighbours inside tiles, by their vertices.
    fn inside(&mut self, faces: &mut Faces) {
        // Edges adjacent to each polygon without area: they are joined across it.
        let mut beside: BTreeMap<u32, Vec<(u32, usize)>> = BTreeMap::new();
        for number in 0..to_u32(faces.faces.len()) {
            checkpoint_every(1 << 10, number as usize);
            let face = faces.faces[number as usize];
            for edge in 0..usize::from(face.count) {
                let Beyond::Polygon(other) = face.beyond(edge) else { continue };
                if faces.is_flat[other as usize] {
                    beside.entry(other).or_default().push((number, edge));
                    continue;
                }
                let [first, end] = [0, 1].map(|after| faces.first_face[other as usize + after]);
                let ends = face.edge(edge).map(|vertex| faces.sets.find(vertex));
                let found = (first..end).find(|&other| {
                    let other = faces.faces[other as usize];
                    (0..usize::from(other.count)).any(|edge| {
                        let [to, from] = other.edge(edge).map(|vertex| faces.sets.find(vertex));
                        [from, to] == ends && other.beyond(edge) == Beyond::Polygon(face.number)
                    })
                });
                faces.report.one_sided += usize::from(found.is_none() && first < end);
                self.whole[number as usize][edge] = found.unwrap_or(NO_FACE);
            }
        }
        for edges in beside.values() {
            self.bridge(faces, edges);
        }
    }

    /// Joins edges adjacent to a polygon without area, which lie on one line.
    fn bridge(&mut self, faces: &mut Faces, edges: &[(u32, usize)]) {
        let point = |faces: &Faces, vertex: u32| faces.point(vertex);
        let Some(&(face, edge)) = edges.first() else { return };
        let [a, b] = faces.faces[face as usize].edge(edge).map(|vertex| point(faces, vertex));
        let axis = axis_of(a, b);
        let on_line = |&&(face, edge): &&(u32, usize)| {
            let ends = faces.faces[face as usize].edge(edge);
            ends.iter().all(|&vertex| PlanPoint::orientation(a, b, point(faces, vertex)) == 0)
        };
        let spans: Vec<Span> =
            edges.iter().filter(on_line).map(|&(face, edge)| span_of(faces, face, edge, axis)).collect();
        // A valid file has at most one edge per side of the polygon; for other files the number is
        // limited to this.
        let mut overlaps = Vec::new();
        for (first, a) in spans.iter().enumerate() {
            for (second, b) in spans.iter().enumerate().skip(first + 1).take(usize::from(MOST_OVERLAPS)) {
                let (low, high) = (a.low.max(b.low), a.high.min(b.high));
                if a.ascends != b.ascends && high - low >= self.cells[1] {
                    overlaps.push(Overlap { spans: [first, second], low, high, gap: 0.0 });
                }
            }
        }
        self.take(faces, &spans, overlaps, f64::INFINITY);
    }

    /// Finds neighbours in other tiles.
    fn borders(&mut self, faces: &mut Faces) -> Result<(), IoError> {
        let mut lines: BTreeMap<(usize, i32), Vec<(Span, u8)>> = BTreeMap::new();
        for number in 0..to_u32(faces.faces.len()) {
            checkpoint_every(1 << 10, number as usize);
            let face = faces.faces[number as usize];
            for edge in 0..usize::from(face.count) {
                let Beyond::Tile(side) = face.beyond(edge) else { continue };
                let axis = match side {
                    0 | 4 => 1,
                    2 | 6 => 0,
                    // Detour joins no other edges.
                    _ => continue,
                };
                let [a, b] = face.edge(edge).map(|vertex| along(1 - axis, faces.point(vertex)));
                if a == b {
                    lines.entry((axis, a)).or_default().push((span_of(faces, number, edge, axis), side));
                }
            }
        }
        for ((axis, _), line) in lines {
            self.line(faces, axis, line)?;
        }
        Ok(())
    }

    /// Joins the edges on a line between tiles.
    fn line(&mut self, faces: &mut Faces, axis: usize, mut line: Vec<(Span, u8)>) -> Result<(), IoError> {
        line.sort_by_key(|(span, _)| (span.low, span.face, span.edge));
        let (spans, sides): (Vec<Span>, Vec<u8>) = line.into_iter().unzip();
        let mut counts = vec![0_u8; spans.len()];
        let (mut overlaps, mut open, mut compared) = (Vec::new(), Vec::<usize>::new(), 0_u64);
        let mut step: f64 = 0.0;
        for (second, b) in spans.iter().enumerate() {
            open.retain(|&first| spans[first].high - b.low >= self.cells[0]);
            compared += open.len() as u64;
            if compared > MOST_COMPARED * spans.len() as u64 {
                let element = "pairs of overlapping edges on a border of tiles";
                return Err(self.source.too_many(element, compared, MOST_COMPARED * spans.len() as u64));
            }
            for &first in &open {
                let a = &spans[first];
                let (low, high) = (a.low.max(b.low), a.high.min(b.high));
                if a.ascends == b.ascends || high - low < self.cells[0] {
                    continue;
                }
                let tiles = [a, b].map(|span| &self.set.tiles[faces.faces[span.face as usize].tile as usize]);
                if counts[first].max(counts[second]) >= MOST_OVERLAPS
                    || faces.faces[a.face as usize].tile == faces.faces[b.face as usize].tile
                    || !are_beside(tiles.map(|tile| tile.at), [sides[first], sides[second]])
                {
                    continue;
                }
                let reach = tiles.iter().map(|tile| f64::from(tile.agent[2])).fold(0.0, f64::max);
                let gaps = [low, high].map(|at| height_at(faces, b, at) - height_at(faces, a, at));
                let near = gaps.iter().any(|gap| gap.abs() <= 2.0 * reach);
                if near || gaps[0] * gaps[1] < 0.0 {
                    counts[first] += 1;
                    counts[second] += 1;
                    step = step.max(reach);
                    overlaps.push(Overlap {
                        spans: [first, second],
                        low,
                        high,
                        gap: gaps[0].abs().max(gaps[1].abs()),
                    });
                }
            }
            open.push(second);
        }
        let (count, rest) = (overlaps.len(), self.take(faces, &spans, overlaps, step));
        faces.report.joined += count - rest.len();
        let pair = |overlap: &Overlap| overlap.spans.map(|span| spans[span]);
        self.overlaid.extend(rest.iter().map(|overlap| (pair(overlap), axis, [overlap.low, overlap.high])));
        Ok(())
    }

    /// Makes overlapping edges neighbours, the closest in height first. Returns the overlaps of
    /// edges that already have other neighbours, or vertices too far apart in height.
    fn take(
        &mut self,
        faces: &mut Faces,
        spans: &[Span],
        mut overlaps: Vec<Overlap>,
        step: f64,
    ) -> Vec<Overlap> {
        let mut rest = Vec::new();
        overlaps.sort_by(|a, b| a.gap.total_cmp(&b.gap).then(a.spans.cmp(&b.spans)));
        let mut taken: Vec<Vec<[i32; 2]>> = vec![Vec::new(); spans.len()];
        for overlap in overlaps {
            let Overlap { spans: pair, low, high, .. } = overlap;
            let is_free =
                pair.iter().all(|&span| taken[span].iter().all(|&[from, to]| to <= low || from >= high));
            let [a, b] = pair.map(|span| spans[span]);
            let vertices = [low, high].map(|at| pair_at(&a, &b, at));
            let fits = vertices.iter().all(|&(first, second)| match second {
                Some(second) => {
                    let [a, b] = [first, second].map(|vertex| f64::from(faces.heights[vertex as usize]));
                    (a - b).abs() <= step.max(1e-3)
                }
                None => true,
            });
            if !(is_free && fits) {
                rest.push(overlap);
                continue;
            }
            for (first, second) in vertices {
                if let Some(second) = second {
                    faces.sets.unite(first, second);
                }
            }
            let vertices = vertices.map(|(vertex, _)| vertex);
            for (span, other) in [(a, b), (b, a)] {
                let cut = if span.ascends {
                    Cut { from: low, to: high, vertices, beyond: other.face }
                } else {
                    Cut { from: high, to: low, vertices: [vertices[1], vertices[0]], beyond: other.face }
                };
                self.cuts.entry((span.face, span.edge)).or_default().push(cut);
            }
            for span in pair {
                taken[span].push([low, high]);
            }
        }
        rest
    }
}

/// Returns the vertex of two overlapping edges at one end of the overlap, and that of the other
/// edge if it has one there as well.
fn pair_at(a: &Span, b: &Span, at: i32) -> (u32, Option<u32>) {
    let vertex = |span: &Span| match at {
        _ if at == span.low => Some(span.ends[0]),
        _ if at == span.high => Some(span.ends[1]),
        _ => None,
    };
    match (vertex(a), vertex(b)) {
        (Some(first), second) => (first, second),
        (None, Some(second)) => (second, None),
        // An overlap ends at an end of an edge.
        (None, None) => (a.ends[0], None),
    }
}

/// Returns `true` if Detour searches for neighbours of an edge on one side of a tile among the
/// edges on a side of another tile: the tile beyond, or a layer of the same tile.
fn are_beside(tiles: [[i32; 2]; 2], sides: [u8; 2]) -> bool {
    let [first, second] = tiles;
    let (x, z) = match sides {
        [0, 4] => (1, 0),
        [4, 0] => (-1, 0),
        [2, 6] => (0, 1),
        [6, 2] => (0, -1),
        _ => return false,
    };
    first == second
        || (first[0].checked_add(x), first[1].checked_add(z)) == (Some(second[0]), Some(second[1]))
}

/// Returns a link between the overlapping parts of two edges.
fn link_of(
    &([a, b], axis, [low, high]): &([Span; 2], usize, [i32; 2]),
    faces: &Faces,
    frame: &GridFrame,
) -> Link {
    let end = |span: &Span| {
        let ends = if a.ascends { [low, high] } else { [high, low] };
        let ends = ends.map(|at| {
            let point = point_at(axis, at, along(1 - axis, faces.point(span.ends[0])));
            let height = waymesh_core::nearest_f32(height_at(faces, span, at)) / frame.level_height;
            PlanVertex { point, height }
        });
        LinkEnd { polygon: PolyId(span.face), ends }
    };
    Link::new(end(&a), end(&b), LinkKind::Level)
}
