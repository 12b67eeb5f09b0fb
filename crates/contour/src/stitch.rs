//! Stitching of the chains of all parts of a field into arcs and loops.

use waymesh_core::{
    ArcId, ArcUse, AreaId, ContourArc, ContourLoop, ContourSet, GridFrame, PlanVertex, RegionContour,
    RegionId, VertexId, checkpoint,
};

use crate::ContourError;
use crate::chains::{BorderChains, Chain};
use crate::darts::{Dart, Darts, Loop, NO_INDEX, step_from};

/// Joins the borders of all parts of a field.
///
/// `parts` come from [`crate::trace_window`] on parts whose cores share no column and cover the
/// grid of `frame`; `count` is the number of regions. The result equals that of
/// [`crate::trace_contours`] on the whole field, to the last bit, for any division into parts and
/// any order of the parts.
///
/// # Cost
/// Linear in the length of the borders, `n log n` in the number of chains that end where parts end.
/// Memory: the parts, the result (16 bytes per step) and about 170 bytes per chain.
///
/// # Errors
/// If a border breaks off where a part is missing, or occurs twice; if a region has no outer
/// border, falls into pieces or overlaps itself; if there are more steps than an id can count. If
/// all borders of a missing part are closed inside it, the part is noticed only if a region then
/// has no outer border.
pub fn stitch(frame: GridFrame, parts: Vec<BorderChains>, count: u32) -> Result<ContourSet, ContourError> {
    let darts = Darts::new(&parts)?;
    let loops = darts.loops()?;
    let steps: usize = parts.iter().map(BorderChains::steps).sum();
    let entries = steps + darts.arc_count();
    if entries >= NO_INDEX as usize {
        return Err(ContourError::BorderTooLong { steps: entries, limit: NO_INDEX as usize });
    }
    let mut assembly = Assembly {
        parts: &parts,
        vertex_of: vec![NO_INDEX; 2 * darts.arc_count()],
        arc_of: vec![NO_INDEX; darts.arc_count()],
        darts: &darts,
        set: ContourSet {
            frame,
            vertices: Vec::with_capacity(steps),
            arc_vertices: Vec::with_capacity(entries),
            arcs: Vec::with_capacity(darts.arc_count()),
            regions: Vec::with_capacity(loops.len().min(count as usize)),
        },
    };
    assembly.build(&loops, count)?;
    Ok(assembly.set)
}

/// Builds the contour set, region by region.
struct Assembly<'a> {
    parts: &'a [BorderChains],
    darts: &'a Darts,
    /// Vertex where a dart starts.
    vertex_of: Vec<u32>,
    /// Number of each arc in the result.
    arc_of: Vec<u32>,
    set: ContourSet,
}

#[expect(clippy::cast_possible_truncation, reason = "tables hold at most u32::MAX elements, checked before")]
impl Assembly<'_> {
    fn build(&mut self, loops: &[Loop], count: u32) -> Result<(), ContourError> {
        let mut loops = loops.iter().peekable();
        for region in (0..count).map(RegionId) {
            checkpoint();
            let Some(outer) = loops.next_if(|found| found.region == region && found.is_outer) else {
                return Err(ContourError::EmptyRegion { region });
            };
            if loops.next_if(|found| found.region == region && found.is_outer).is_some() {
                return Err(ContourError::RegionInPieces { region });
            }
            let area = self.area(outer.start);
            let outer = self.contour_loop(outer);
            let mut holes = Vec::new();
            while let Some(hole) = loops.next_if(|found| found.region == region) {
                holes.push(self.contour_loop(hole));
            }
            self.set.regions.push(RegionContour { region, area, outer, holes });
        }
        match loops.next() {
            Some(beyond) => Err(ContourError::UnknownBorder { region: beyond.region, count }),
            None => Ok(()),
        }
    }

    fn chain(&self, piece: u32) -> &Chain {
        let (part, chain) = self.darts.piece(piece);
        &self.parts[part].chains[chain]
    }

    fn area(&self, dart: Dart) -> AreaId {
        self.chain(self.darts.first_piece(dart)).areas[usize::from(dart.is_right())]
    }

    fn contour_loop(&mut self, found: &Loop) -> ContourLoop {
        let mut contour_loop = Vec::new();
        let mut dart = found.start;
        loop {
            if !dart.is_right() {
                self.arc(dart);
            }
            let arc = ArcId(self.arc_of[dart.arc() as usize]);
            contour_loop.push(ArcUse { arc, reversed: dart.is_right() });
            dart = self.darts.next(dart);
            if dart == found.start {
                return contour_loop;
            }
        }
    }

    /// Adds the arc of `dart`, which is its left side.
    fn arc(&mut self, dart: Dart) {
        self.arc_of[dart.arc() as usize] = self.set.arcs.len() as u32;
        let first = self.set.arc_vertices.len();
        let head = self.darts.first_piece(dart);
        let chain = self.chain(head);
        let right = (chain.right != waymesh_core::NO_REGION).then_some(RegionId(chain.right));
        let left = RegionId(chain.left);
        if self.darts.is_closed(dart) {
            self.closed_arc(head);
        } else {
            let start = self.vertex(dart);
            let last = self.darts.last_piece(dart);
            let (mut piece, mut known) = (head, Some(start));
            loop {
                self.steps(piece, known.take(), 0..usize::MAX);
                if piece == last {
                    break;
                }
                piece = self.darts.successor(piece);
            }
            let end = self.vertex(self.darts.next(dart));
            self.set.arc_vertices.push(end);
        }
        let len = (self.set.arc_vertices.len() - first) as u32;
        self.set.arcs.push(ContourArc { first: first as u32, len, left, right });
    }

    /// Adds an arc without a junction, beginning at its lowest vertex.
    fn closed_arc(&mut self, head: u32) {
        let mut lowest: Option<(i32, i32, u32, usize)> = None;
        let mut piece = head;
        loop {
            let (part, chain) = self.darts.piece(piece);
            let part = &self.parts[part];
            let mut point = part.chains[chain].start;
            for (step, &side) in part.steps[part.range(chain)].iter().enumerate() {
                let candidate = (point.z, point.x, piece, step);
                if lowest.is_none_or(|(z, x, ..)| (point.z, point.x) < (z, x)) {
                    lowest = Some(candidate);
                }
                point = step_from(point, side);
            }
            piece = self.darts.successor(piece);
            if piece == head {
                break;
            }
        }
        let Some((_, _, begin, skipped)) = lowest else { return };
        let first = self.set.arc_vertices.len();
        self.steps(begin, None, skipped..usize::MAX);
        piece = self.darts.successor(begin);
        while piece != begin {
            self.steps(piece, None, 0..usize::MAX);
            piece = self.darts.successor(piece);
        }
        self.steps(begin, None, 0..skipped);
        let start = self.set.arc_vertices[first];
        self.set.arc_vertices.push(start);
    }

    /// Adds the vertices where the steps `range` of a piece start. If `known` is given, it is the
    /// first vertex.
    fn steps(&mut self, piece: u32, known: Option<VertexId>, range: std::ops::Range<usize>) {
        let (part, chain) = self.darts.piece(piece);
        let part = &self.parts[part];
        let table = part.range(chain);
        let (sides, heights) = (&part.steps[table.clone()], &part.heights[table]);
        let range = range.start.min(sides.len())..range.end.min(sides.len());
        let mut point = part.chains[chain].start;
        for &side in &sides[..range.start] {
            point = step_from(point, side);
        }
        let (mut sides, mut heights) = (sides[range.clone()].iter(), heights[range].iter());
        if let Some(known) = known {
            self.set.arc_vertices.push(known);
            heights.next();
            point = sides.next().map_or(point, |&side| step_from(point, side));
        }
        let first = self.set.vertices.len() as u32;
        self.set.arc_vertices.extend((first..).take(sides.len()).map(VertexId));
        self.set.vertices.extend(sides.zip(heights).map(|(&side, &height)| {
            let here = point;
            point = step_from(point, side);
            PlanVertex { point: here, height }
        }));
    }

    /// Returns the vertex where `dart` starts. Darts that start there and are joined through links
    /// share it.
    fn vertex(&mut self, dart: Dart) -> VertexId {
        let known = self.vertex_of[dart.index()];
        if known != NO_INDEX {
            return VertexId(known);
        }
        let vertex = self.set.vertices.len() as u32;
        let darts = self.darts;
        // An arc of the lowest region of a vertex begins there, and its first step holds the
        // height.
        let mut lowest = dart;
        let mut join = |dart: Dart| {
            self.vertex_of[dart.index()] = vertex;
            if lowest.is_right() {
                lowest = dart;
            }
        };
        join(dart);
        // The dart after the twin of a dart and the twin of the previous dart start where the dart
        // does.
        let mut current = dart;
        let closed = loop {
            let Some(twin) = darts.twin(current) else { break false };
            current = darts.next(twin);
            if current == dart {
                break true;
            }
            join(current);
        };
        if !closed {
            current = dart;
            while let Some(before) = darts.twin(darts.previous(current)) {
                current = before;
                join(current);
            }
        }
        self.set.vertices.push(darts.start(lowest.arc()));
        VertexId(vertex)
    }
}
