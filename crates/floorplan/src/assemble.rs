//! Assembles the pieces of all storeys to one set of contours, in which common borders are common
//! arcs.

use std::collections::HashMap;

use waymesh_core::{
    ArcId, ArcUse, AreaId, ContourArc, ContourLoop, ContourSet, DisjointSets, GridFrame, PlanPoint,
    PlanVertex, RegionContour, RegionId, VertexId, checkpoint, to_u32,
};

use crate::PlanError;
use crate::lattice::LatticePolygon;

/// A connected piece of ground.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Piece {
    pub(crate) storey: usize,
    /// Height in levels.
    pub(crate) height: f32,
    pub(crate) polygon: LatticePolygon,
    pub(crate) area: AreaId,
}

/// A corner: piece, ring, index in the ring.
pub(crate) type Corner = (usize, usize, usize);

/// Converts pieces to contours, with one region per piece, in their order.
pub(crate) fn contours(frame: GridFrame, pieces: &mut [Piece]) -> Result<ContourSet, PlanError> {
    let twins = meet(pieces);
    let mut builder = Builder::new(frame, pieces, &twins)?;
    for piece in 0..pieces.len() {
        builder.add(piece);
    }
    Ok(builder.set)
}

/// Splits edges where vertices of other pieces lie on them, and maps each edge to the opposite edge
/// of another piece. Edges are given by their first corners.
pub(crate) fn meet(pieces: &mut [Piece]) -> HashMap<Corner, Corner> {
    let storeys = pieces.iter().map(|piece| piece.storey + 1).max().unwrap_or(0);
    for storey in 0..storeys {
        meet_in_vertices(pieces, storey);
    }
    twins(pieces)
}

/// Splits edges at other vertices of the storey that lie on them: overlays omit straight corners.
fn meet_in_vertices(pieces: &mut [Piece], storey: usize) {
    let mut own: Vec<&mut Piece> = pieces.iter_mut().filter(|piece| piece.storey == storey).collect();
    let mut by_x: Vec<PlanPoint> =
        own.iter().flat_map(|piece| piece.polygon.iter().flatten().copied()).collect();
    by_x.sort_unstable();
    by_x.dedup();
    let mut by_z = by_x.clone();
    by_z.sort_unstable_by_key(|point| (point.z, point.x));
    for piece in &mut own {
        for ring in &mut piece.polygon {
            let mut full = Vec::with_capacity(ring.len());
            for (index, &from) in ring.iter().enumerate() {
                let to = ring[(index + 1) % ring.len()];
                full.push(from);
                let first = full.len();
                inside(&by_x, &by_z, from, to, &mut full);
                full[first..].sort_unstable_by_key(|point| point.distance_squared(from));
            }
            *ring = full;
        }
    }
}

/// Appends the points that lie inside the edge. Searches along the shorter side of its box.
fn inside(by_x: &[PlanPoint], by_z: &[PlanPoint], from: PlanPoint, to: PlanPoint, out: &mut Vec<PlanPoint>) {
    let (low_x, high_x) = (from.x.min(to.x), from.x.max(to.x));
    let (low_z, high_z) = (from.z.min(to.z), from.z.max(to.z));
    let candidates = if from.x.abs_diff(to.x) <= from.z.abs_diff(to.z) {
        let start = by_x.partition_point(|point| (point.x, point.z) < (low_x, low_z));
        let end = by_x.partition_point(|point| (point.x, point.z) <= (high_x, high_z));
        &by_x[start..end]
    } else {
        let start = by_z.partition_point(|point| (point.z, point.x) < (low_z, low_x));
        let end = by_z.partition_point(|point| (point.z, point.x) <= (high_z, high_x));
        &by_z[start..end]
    };
    out.extend(candidates.iter().copied().filter(|&point| {
        point != from
            && point != to
            && (low_x..=high_x).contains(&point.x)
            && (low_z..=high_z).contains(&point.z)
            && PlanPoint::orientation(from, to, point) == 0
    }));
}

/// Maps each edge to the opposite edge of another piece. Edges are given by their first corners.
fn twins(pieces: &[Piece]) -> HashMap<Corner, Corner> {
    let mut edges: HashMap<(usize, PlanPoint, PlanPoint), Corner> = HashMap::new();
    let corners = |piece: usize| {
        let polygon = &pieces[piece].polygon;
        polygon.iter().enumerate().flat_map(move |(ring, points)| {
            points
                .iter()
                .enumerate()
                .map(move |(index, &from)| ((piece, ring, index), from, points[(index + 1) % points.len()]))
        })
    };
    for (index, piece) in pieces.iter().enumerate() {
        checkpoint();
        edges.extend(corners(index).map(|(corner, from, to)| ((piece.storey, from, to), corner)));
    }
    let mut twins = HashMap::new();
    for (index, piece) in pieces.iter().enumerate() {
        checkpoint();
        for (corner, from, to) in corners(index) {
            if let Some(&other) = edges.get(&(piece.storey, to, from))
                && other.0 != index
            {
                twins.insert(corner, other);
            }
        }
    }
    twins
}

struct Builder<'a> {
    pieces: &'a [Piece],
    twins: &'a HashMap<Corner, Corner>,
    /// Index of the first corner of each ring.
    first: Vec<Vec<usize>>,
    /// Vertex of each corner.
    vertex_of: Vec<VertexId>,
    /// Arcs of common edges, by their first corner on the side that was added first.
    shared: HashMap<Corner, ArcId>,
    set: ContourSet,
}

impl<'a> Builder<'a> {
    fn new(
        frame: GridFrame,
        pieces: &'a [Piece],
        twins: &'a HashMap<Corner, Corner>,
    ) -> Result<Self, PlanError> {
        let mut first = Vec::with_capacity(pieces.len());
        let mut count = 0;
        for piece in pieces {
            checkpoint();
            let mut starts = Vec::with_capacity(piece.polygon.len());
            for ring in &piece.polygon {
                starts.push(count);
                count += ring.len();
            }
            first.push(starts);
        }
        let limit = (u32::MAX / 4) as usize;
        if count > limit {
            return Err(PlanError::TooMany { count, limit });
        }
        let set = ContourSet {
            frame,
            vertices: Vec::new(),
            arc_vertices: Vec::new(),
            arcs: Vec::new(),
            regions: Vec::new(),
        };
        let mut builder = Self { pieces, twins, first, vertex_of: Vec::new(), shared: HashMap::new(), set };
        builder.name_vertices(count);
        Ok(builder)
    }

    /// Assigns vertices to corners: the ends of a common edge have the same vertices on both sides;
    /// other corners have their own.
    fn name_vertices(&mut self, count: usize) {
        let mut corners = DisjointSets::new(count);
        for (&from, &to) in self.twins {
            for (a, b) in [
                (self.corner_number(from), self.corner_after(to)),
                (self.corner_after(from), self.corner_number(to)),
            ] {
                corners.unite(to_u32(a), to_u32(b));
            }
        }
        let mut names: Vec<Option<VertexId>> = vec![None; count];
        for piece in self.pieces {
            for &point in piece.polygon.iter().flatten() {
                let lowest = corners.find(to_u32(self.vertex_of.len()));
                let vertex = *names[lowest as usize].get_or_insert_with(|| {
                    self.set.vertices.push(PlanVertex { point, height: piece.height });
                    VertexId::from_index(self.set.vertices.len() - 1)
                });
                self.vertex_of.push(vertex);
            }
        }
    }

    fn corner_number(&self, (piece, ring, index): Corner) -> usize {
        self.first[piece][ring] + index
    }

    fn corner_after(&self, (piece, ring, index): Corner) -> usize {
        self.first[piece][ring] + (index + 1) % self.pieces[piece].polygon[ring].len()
    }

    fn add(&mut self, piece: usize) {
        let mut loops: Vec<ContourLoop> =
            (0..self.pieces[piece].polygon.len()).map(|ring| self.ring(piece, ring)).collect();
        let outer = if loops.is_empty() { Vec::new() } else { loops.remove(0) };
        self.set.regions.push(RegionContour {
            region: RegionId::from_index(piece),
            area: self.pieces[piece].area,
            outer,
            holes: loops,
        });
    }

    fn arc(&mut self, vertices: &[VertexId], left: usize, right: Option<usize>) -> ArcId {
        let first = to_u32(self.set.arc_vertices.len());
        self.set.arc_vertices.extend_from_slice(vertices);
        self.set.arcs.push(ContourArc {
            first,
            len: to_u32(vertices.len()),
            left: RegionId::from_index(left),
            right: right.map(RegionId::from_index),
        });
        ArcId::from_index(self.set.arcs.len() - 1)
    }

    /// Returns a ring as arcs: one for each common edge, and one for each run of walls.
    fn ring(&mut self, piece: usize, ring: usize) -> ContourLoop {
        let count = self.pieces[piece].polygon[ring].len();
        let is_wall =
            |builder: &Self, index: usize| !builder.twins.contains_key(&(piece, ring, index % count));
        // Begin after a common edge, so that no run of walls is split at the ring's first point.
        let start = (0..count).find(|&index| !is_wall(self, index)).map_or(0, |index| index + 1);
        let base = self.first[piece][ring];
        let vertex = |builder: &Self, index: usize| builder.vertex_of[base + index % count];
        let mut uses = Vec::new();
        let mut index = start;
        while index < start + count {
            if is_wall(self, index) {
                let mut vertices = vec![vertex(self, index)];
                while index < start + count && is_wall(self, index) {
                    index += 1;
                    vertices.push(vertex(self, index));
                }
                let arc = self.arc(&vertices, piece, None);
                uses.push(ArcUse { arc, reversed: false });
                continue;
            }
            let corner = (piece, ring, index % count);
            let twin = self.twins[&corner];
            let arc_use = match self.shared.get(&twin) {
                Some(&arc) => ArcUse { arc, reversed: true },
                None => {
                    let ends = [vertex(self, index), vertex(self, index + 1)];
                    let arc = self.arc(&ends, piece, Some(twin.0));
                    self.shared.insert(corner, arc);
                    ArcUse { arc, reversed: false }
                }
            };
            uses.push(arc_use);
            index += 1;
        }
        uses
    }
}
