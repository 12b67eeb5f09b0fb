//! Assembly of contours: cuts them at points where the region beyond changes, and makes arcs that
//! both sides share.

use waymesh_core::{
    ArcId, ArcUse, ContourArc, ContourLoop, ContourSet, Direction, GridFrame, PlanPoint, PlanVertex,
    RegionContour, RegionId, VertexId, checkpoint, threads,
};

use crate::SlicesError;
use crate::corners::Corner;
use crate::facing::Meeting;
use crate::merge::Merged;
use crate::outline::{Outline, OutlineScratch, connect_corners, points};

/// Sentinel for a missing half-edge or region.
const NO_INDEX: u32 = u32::MAX;

/// A shared piece of border: its line (the lowest bit is set if it runs along x), its start, the
/// regions of its two sides, its half-edge.
type SharedPiece = (u32, i32, [u32; 2], u32);

/// A straight piece of a region's border with a single region beyond it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Touching {
    region: u32,
    /// Index of the [`Direction`] in which the other region lies.
    side: u8,
    line: i32,
    start: i32,
    end: i32,
    other: u32,
}

impl Touching {
    /// Returns both sides of all borders that can be crossed, sorted.
    fn all(meetings: &[Meeting]) -> Vec<Self> {
        let touching = meetings.iter().take_while(|meeting| meeting.gap == 0);
        let both =
            touching.flat_map(
                |&Meeting { horizontal, line, regions: [before, behind], start, end, .. }| {
                    let sides = if horizontal {
                        [Direction::PosZ, Direction::NegZ]
                    } else {
                        [Direction::PosX, Direction::NegX]
                    };
                    [(before, behind, sides[0]), (behind, before, sides[1])].map(|(region, other, side)| {
                        Self { region, side: side as u8, line, start, end, other }
                    })
                },
            );
        let mut all: Vec<Self> = both.collect();
        threads::sort(&mut all);
        all
    }
}

/// A closed chain of half-edges.
#[derive(Clone, Copy, Debug)]
struct Loop {
    region: u32,
    /// One past its last half-edge. The first half-edge is where the previous loop ends.
    end: usize,
    is_outer: bool,
}

/// Straight pieces of border, each with a single region beyond it, seen from one side.
#[derive(Debug, Default)]
struct Borders {
    /// Start of each piece. A piece ends at the start of the next piece of the loop.
    start: Vec<PlanPoint>,
    /// The region beyond, [`NO_INDEX`] if there is none.
    beyond: Vec<u32>,
    loops: Vec<Loop>,
}

impl Borders {
    fn append(&mut self, other: &Self) {
        let base = self.start.len();
        self.start.extend_from_slice(&other.start);
        self.beyond.extend_from_slice(&other.beyond);
        self.loops.extend(other.loops.iter().map(|found| Loop { end: found.end + base, ..*found }));
    }

    /// Adds the contours of a region. `touching` is sorted.
    fn trace(&mut self, region: u32, corners: &[Corner], outline: &Outline, touching: &[Touching]) {
        for (index, contour) in outline.contours().enumerate() {
            let count = contour.len();
            let next = points(corners, contour).cycle().skip(1);
            for (from, to) in points(corners, contour).zip(next).take(count) {
                self.edge(from, to, touching);
            }
            self.loops.push(Loop { region, end: self.start.len(), is_outer: index == 0 });
        }
    }

    /// Adds the straight edge between two corners, cut into pieces.
    fn edge(&mut self, from: PlanPoint, to: PlanPoint, touching: &[Touching]) {
        let horizontal = from.z == to.z;
        // The region lies on the positive side of the edge.
        let (line, a, b) = if horizontal { (from.z, from.x, to.x) } else { (from.x, from.z, to.z) };
        let forward = a < b;
        let side = match (horizontal, forward) {
            (true, true) => Direction::NegZ,
            (true, false) => Direction::PosZ,
            (false, true) => Direction::PosX,
            (false, false) => Direction::NegX,
        } as u8;
        let (low, high) = (a.min(b), a.max(b));
        let first =
            touching.partition_point(|facing| (facing.side, facing.line, facing.start) < (side, line, low));
        let pieces = touching[first..]
            .iter()
            .take_while(|facing| (facing.side, facing.line) == (side, line) && facing.start < high);
        let point =
            |along: i32| if horizontal { PlanPoint::new(along, line) } else { PlanPoint::new(line, along) };
        let begin = self.start.len();
        let mut reached = low;
        // The pieces are made in rising order, with the start of each. If the edge runs downwards,
        // they are reversed afterwards.
        let mut ends = low;
        for piece in pieces {
            if piece.start > reached {
                self.start.push(point(reached));
                self.beyond.push(NO_INDEX);
            }
            self.start.push(point(piece.start));
            self.beyond.push(piece.other);
            reached = piece.end;
            ends = piece.end;
        }
        if ends < high {
            self.start.push(point(ends));
            self.beyond.push(NO_INDEX);
        }
        if !forward {
            // After the reversal, each piece starts where it ended before.
            self.start[begin..].rotate_left(1);
            let last = self.start.len() - 1;
            self.start[last] = point(high);
            self.start[begin..].reverse();
            self.beyond[begin..].reverse();
        }
    }
}

/// Regions whose corners are connected in one go.
const REGIONS_AT_ONCE: usize = 512;

/// Returns the contours of all regions: those that touch a region to which one can step share their
/// border with it.
///
/// # Guarantees
/// Vertices are corners of a region, or points of a straight border where the region beyond
/// changes. They are numbered by the regions, not by tiles. The height of a vertex is the mean
/// level of the regions joined in it.
///
/// Takes the corner points out of `merged`.
pub(crate) fn assemble(frame: GridFrame, merged: &mut Merged) -> Result<ContourSet, SlicesError> {
    let borders = trace_all(merged)?;
    merged.corners = Vec::new();
    let limit = NO_INDEX as usize;
    if borders.start.len() >= limit {
        let (count, limit) = (borders.start.len() as u64, limit as u64);
        return Err(SlicesError::TooMany { element: "border pieces", count, limit });
    }
    Assembly::new(frame, merged, borders)?.build()
}

/// Traces the contours of all regions, in order. Each task traces many regions.
fn trace_all(merged: &Merged) -> Result<Borders, SlicesError> {
    let count = merged.regions.len();
    let touching = Touching::all(&merged.meetings);
    type Memory = (OutlineScratch, Outline, Vec<Corner>);
    let trace = |(scratch, outline, corners): &mut Memory, chunk: usize| {
        let mut borders = Borders::default();
        for region in chunk * REGIONS_AT_ONCE..((chunk + 1) * REGIONS_AT_ONCE).min(count) {
            checkpoint();
            corners.clear();
            corners.extend_from_slice(merged.corners_of(region));
            connect_corners(corners, scratch, outline)?;
            let region = RegionId::from_index(region).0;
            let first = touching.partition_point(|touching| touching.region < region);
            let own = touching[first..].partition_point(|touching| touching.region == region);
            borders.trace(region, corners, outline, &touching[first..first + own]);
        }
        Ok(borders)
    };
    let chunks = threads::map_with(0..count.div_ceil(REGIONS_AT_ONCE), trace);
    let chunks: Vec<Borders> = chunks.into_iter().collect::<Result<_, SlicesError>>()?;
    let mut borders = Borders::default();
    let total = chunks.iter().map(|chunk| chunk.start.len()).sum();
    borders.start.reserve_exact(total);
    borders.beyond.reserve_exact(total);
    for chunk in chunks {
        borders.append(&chunk);
    }
    Ok(borders)
}

/// Builds the contour set, region by region.
#[derive(Debug)]
struct Assembly<'a> {
    merged: &'a Merged,
    borders: Borders,
    /// Loop of each half-edge.
    loop_of: Vec<u32>,
    /// Half-edge of the same piece of border on the other side.
    twin: Vec<u32>,
    vertex_of: Vec<u32>,
    /// Arc of a half-edge that is walked forward, stored where the right side looks it up.
    arc_of: Vec<u32>,
    set: ContourSet,
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "there are less than u32::MAX half-edges, which is checked before"
)]
impl<'a> Assembly<'a> {
    fn new(frame: GridFrame, merged: &'a Merged, borders: Borders) -> Result<Self, SlicesError> {
        let count = borders.start.len();
        let mut loop_of = Vec::with_capacity(count);
        for (index, found) in borders.loops.iter().enumerate() {
            loop_of.resize(found.end, index as u32);
        }
        let set = ContourSet {
            frame,
            vertices: Vec::with_capacity(count / 2),
            arc_vertices: Vec::with_capacity(count / 2),
            arcs: Vec::new(),
            regions: Vec::new(),
        };
        let mut assembly = Self {
            merged,
            borders,
            loop_of,
            twin: vec![NO_INDEX; count],
            vertex_of: vec![NO_INDEX; count],
            arc_of: vec![NO_INDEX; count],
            set,
        };
        assembly.pair_up()?;
        Ok(assembly)
    }

    fn region(&self, edge: u32) -> u32 {
        self.borders.loops[self.loop_of[edge as usize] as usize].region
    }

    fn first(&self, index: usize) -> usize {
        if index == 0 { 0 } else { self.borders.loops[index - 1].end }
    }

    fn next(&self, edge: u32) -> u32 {
        let index = self.loop_of[edge as usize] as usize;
        if edge as usize + 1 == self.borders.loops[index].end { self.first(index) as u32 } else { edge + 1 }
    }

    fn previous(&self, edge: u32) -> u32 {
        let index = self.loop_of[edge as usize] as usize;
        if edge as usize == self.first(index) { self.borders.loops[index].end as u32 - 1 } else { edge - 1 }
    }

    fn start(&self, edge: u32) -> PlanPoint {
        self.borders.start[edge as usize]
    }

    /// Finds the other side of each shared piece: on the same line, from the same point, with the
    /// same two regions. There is never a third such piece, because no region overlaps itself.
    fn pair_up(&mut self) -> Result<(), SlicesError> {
        let borders = &self.borders;
        let is_shared = |edge: &usize| borders.beyond[*edge] != NO_INDEX;
        let count = (0..borders.start.len()).filter(is_shared).count();
        let mut shared: Vec<SharedPiece> = Vec::with_capacity(count);
        shared.extend((0..borders.start.len()).filter(is_shared).map(|edge| {
            let (other, edge) = (borders.beyond[edge], edge as u32);
            let (a, b) = (self.start(edge), self.start(self.next(edge)));
            let own = self.region(edge);
            let along_x = a.z == b.z;
            let (line, start) = if along_x { (a.z, a.x.min(b.x)) } else { (a.x, a.z.min(b.z)) };
            (line.cast_unsigned() << 1 | u32::from(along_x), start, [own.min(other), own.max(other)], edge)
        }));
        threads::sort(&mut shared);
        for pair in shared.chunks(2) {
            let (one, other) = (pair[0], pair.get(1));
            match other {
                Some(other) if (one.0, one.1, one.2) == (other.0, other.1, other.2) => {
                    self.twin[one.3 as usize] = other.3;
                    self.twin[other.3 as usize] = one.3;
                }
                _ => return Err(SlicesError::OneSidedBorder { region: RegionId(self.region(one.3)) }),
            }
        }
        Ok(())
    }

    /// Returns `true` if arcs end where `edge` starts: the region beyond changes there, or the
    /// border of the other side does not continue.
    fn starts_at_junction(&self, edge: u32) -> bool {
        let (before, after) = (self.twin[self.previous(edge) as usize], self.twin[edge as usize]);
        match (before, after) {
            (NO_INDEX, NO_INDEX) => false,
            (NO_INDEX, _) | (_, NO_INDEX) => true,
            _ => self.next(after) != before,
        }
    }

    fn build(mut self) -> Result<ContourSet, SlicesError> {
        let mut index = 0;
        for region in 0..self.merged.regions.len() as u32 {
            checkpoint();
            let mut outer = None;
            let mut holes = Vec::new();
            while self.borders.loops.get(index).is_some_and(|found| found.region == region) {
                let contour_loop = self.contour_loop(index);
                if self.borders.loops[index].is_outer {
                    outer = Some(contour_loop);
                } else {
                    holes.push(contour_loop);
                }
                index += 1;
            }
            let region = RegionId(region);
            let outer = outer.ok_or(SlicesError::OneSidedBorder { region })?;
            let area = self.merged.regions[region.index()].area;
            self.set.regions.push(RegionContour { region, area, outer, holes });
        }
        Ok(self.set)
    }

    fn contour_loop(&mut self, index: usize) -> ContourLoop {
        let edges = self.first(index) as u32..self.borders.loops[index].end as u32;
        // The start depends on the geometry alone: it is the lowest junction, or the lowest vertex
        // if there is no junction.
        let key = |edge: &u32| {
            let (from, to) = (self.start(*edge), self.start(self.next(*edge)));
            (from.z, from.x, to.z, to.x)
        };
        let junction = edges.clone().filter(|&edge| self.starts_at_junction(edge)).min_by_key(key);
        let closed = junction.is_none();
        let start = junction.or_else(|| edges.min_by_key(key)).unwrap_or(0);
        let mut contour_loop = Vec::new();
        let mut edge = start;
        loop {
            contour_loop.push(self.arc(&mut edge, closed));
            if edge == start {
                return contour_loop;
            }
        }
    }

    /// Returns the arc from `edge` to the next junction, or the whole loop if it is closed. Creates
    /// the arc if this is its left side. Moves `edge` to the end of the arc.
    fn arc(&mut self, edge: &mut u32, closed: bool) -> ArcUse {
        let start = *edge;
        let twin = self.twin[start as usize];
        let left = self.region(start);
        let right = (twin != NO_INDEX).then(|| self.region(twin));
        let is_left = right.is_none_or(|right| left < right);
        let first = self.set.arc_vertices.len();
        let arc =
            if is_left { ArcId::from_index(self.set.arcs.len()) } else { ArcId(self.arc_of[twin as usize]) };
        loop {
            let last = *edge;
            if is_left {
                let vertex = self.vertex(last);
                self.set.arc_vertices.push(vertex);
            }
            *edge = self.next(last);
            let ends = if closed { *edge == start } else { self.starts_at_junction(*edge) };
            if is_left && (ends || closed) {
                self.arc_of[last as usize] = arc.0;
            }
            if ends {
                break;
            }
        }
        if is_left {
            let vertex = self.vertex(*edge);
            self.set.arc_vertices.push(vertex);
            let len = (self.set.arc_vertices.len() - first) as u32;
            let (left, right) = (RegionId(left), right.map(RegionId));
            self.set.arcs.push(ContourArc { first: first as u32, len, left, right });
        }
        ArcUse { arc, reversed: !is_left }
    }

    /// Returns the vertex where `edge` starts. All half-edges that start there and are joined
    /// through shared borders have one vertex.
    fn vertex(&mut self, edge: u32) -> VertexId {
        let known = self.vertex_of[edge as usize];
        if known != NO_INDEX {
            return VertexId(known);
        }
        let vertex = VertexId::from_index(self.set.vertices.len());
        let (mut sum, mut count) = (0.0, 0.0);
        let point = self.start(edge);
        // Two half-edges start at the same point as an edge: the one after its twin, and the twin
        // of the one before it.
        let mut current = edge;
        loop {
            self.vertex_of[current as usize] = vertex.0;
            sum += self.merged.regions[self.region(current) as usize].ground.at_point(point);
            count += 1.0;
            let twin = self.twin[current as usize];
            if twin == NO_INDEX {
                break;
            }
            current = self.next(twin);
            if current == edge {
                break;
            }
        }
        current = self.twin[self.previous(edge) as usize];
        while current != NO_INDEX && self.vertex_of[current as usize] != vertex.0 {
            self.vertex_of[current as usize] = vertex.0;
            sum += self.merged.regions[self.region(current) as usize].ground.at_point(point);
            count += 1.0;
            current = self.twin[self.previous(current) as usize];
        }
        #[expect(clippy::cast_possible_truncation, reason = "a height for surfaces, not for decisions")]
        let height = (sum / count) as f32;
        self.set.vertices.push(PlanVertex { point, height });
        vertex
    }
}
