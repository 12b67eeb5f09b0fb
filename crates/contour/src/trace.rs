//! Tracing: from labelled spans to arcs and loops with a vertex at every grid step.

use waymesh_core::stage::{StageError, TraceContours};
use waymesh_core::{
    ArcId, ArcUse, ContourArc, ContourLoop, ContourSet, NO_REGION, Observer, PlanPoint, PlanVertex,
    RegionContour, RegionId, RegionMap, VertexId, WalkableField,
};

use crate::ContourError;
use crate::border::{HalfEdge, HalfEdges, NONE};

/// Traces the borders of all regions.
///
/// Every side of a span beyond which its region ends is a half-edge, with the region (or nothing) beyond it. Half-edges are
/// chained around the corner through spans of the same region; half-edges that meet at a corner through links share a
/// vertex. A vertex where the region beyond changes, or where the other side does not pass straight on, is a junction; an arc
/// is what lies between two junctions, and belongs to both its sides.
///
/// # Guarantees
/// - A vertex at every grid step. Heights are the mean ground of the (up to four) spans that meet in the corner.
/// - Arcs between two regions have the lower region id on their left. A closed arc without junction starts at its vertex
///   of lowest `(z, x)`.
/// - The area of a region's polygon is its number of spans.
/// - Regions, loops (outer border first), arcs and vertices are numbered in row-major order of where they begin.
///
/// # Cost
/// One pass over all spans, then linear in the length of the borders. About 100 bytes per border span.
///
/// # Errors
/// If the tables do not belong together, a link has no way back, or a region breaks its contract: a label out of range,
/// several pieces, or two of its spans side by side where a link is missing.
///
/// # References
/// Mononen 2009, Automatic Navmesh Generation via Watershed Partitioning, step 4.
pub fn trace_contours(field: &WalkableField, regions: &RegionMap) -> Result<ContourSet, ContourError> {
    let edges = HalfEdges::collect(field, regions)?;
    let loops = find_loops(field, &edges);
    let mut assembly = Assembly {
        edges: &edges,
        vertex_of: vec![0; edges.len()],
        arc_of: vec![0; edges.len()],
        set: ContourSet {
            frame: field.frame,
            vertices: Vec::with_capacity(edges.len() / 2),
            arc_vertices: Vec::with_capacity(edges.len() / 2),
            arcs: Vec::new(),
            regions: Vec::with_capacity(regions.count as usize),
        },
    };
    assembly.build(field, &loops, regions.count)?;
    Ok(assembly.set)
}

/// [`trace_contours`] as a stage.
#[derive(Clone, Copy, Debug, Default)]
pub struct BorderWalk;

impl TraceContours for BorderWalk {
    fn trace(
        &self,
        field: &WalkableField,
        regions: &RegionMap,
        _observer: &mut dyn Observer,
    ) -> Result<ContourSet, StageError> {
        trace_contours(field, regions).map_err(|error| StageError::new("trace", error))
    }
}

/// A closed chain of half-edges.
#[derive(Clone, Copy, Debug)]
struct Loop {
    region: RegionId,
    is_outer: bool,
    /// Where to start: at a junction, or if there is none at the vertex of lowest `(z, x)`.
    start: HalfEdge,
    start_point: PlanPoint,
    has_junction: bool,
}

/// All loops, by region, the outer ones first.
#[expect(clippy::cast_possible_truncation, reason = "there are less than u32::MAX half-edges")]
fn find_loops(field: &WalkableField, edges: &HalfEdges) -> Vec<Loop> {
    let mut loops = Vec::new();
    let mut seen = vec![false; edges.len()];
    for seed in 0..edges.len() as u32 {
        if seen[seed as usize] {
            continue;
        }
        let (mut edge, mut point, mut area) = (seed, edges.start(field, seed), 0_i64);
        let mut found = Loop {
            region: RegionId(edges.region[seed as usize]),
            is_outer: false,
            start: seed,
            start_point: point,
            has_junction: false,
        };
        loop {
            seen[edge as usize] = true;
            if !found.has_junction {
                found.has_junction = edges.starts_at_junction(edge);
                if found.has_junction || (point.z, point.x) < (found.start_point.z, found.start_point.x) {
                    (found.start, found.start_point) = (edge, point);
                }
            }
            let end = edges.end(edge, point);
            area += i64::from(point.x) * i64::from(end.z) - i64::from(point.z) * i64::from(end.x);
            (edge, point) = (edges.next[edge as usize], end);
            if edge == seed {
                break;
            }
        }
        found.is_outer = area > 0;
        loops.push(found);
    }
    loops.sort_by_key(|found| (found.region, !found.is_outer));
    loops
}

/// Builds the contour set, region by region.
#[derive(Debug)]
struct Assembly<'a> {
    edges: &'a HalfEdges,
    /// One more than the vertex where a half-edge starts, 0 if it has none yet.
    vertex_of: Vec<u32>,
    /// Arc of a half-edge that is walked forward, where its right side will ask for it.
    arc_of: Vec<u32>,
    set: ContourSet,
}

#[expect(clippy::cast_possible_truncation, reason = "there are less than u32::MAX half-edges")]
impl Assembly<'_> {
    fn build(&mut self, field: &WalkableField, loops: &[Loop], count: u32) -> Result<(), ContourError> {
        let mut loops = loops.iter().peekable();
        for region in (0..count).map(RegionId) {
            let Some(outer) = loops.next_if(|found| found.region == region && found.is_outer) else {
                return Err(ContourError::EmptyRegion { region });
            };
            if loops.next_if(|found| found.region == region && found.is_outer).is_some() {
                return Err(ContourError::RegionInPieces { region });
            }
            let area = field.area[self.edges.span[outer.start as usize] as usize];
            let outer = self.contour_loop(outer);
            let mut holes = Vec::new();
            while let Some(hole) = loops.next_if(|found| found.region == region) {
                holes.push(self.contour_loop(hole));
            }
            self.set.regions.push(RegionContour { region, area, outer, holes });
        }
        Ok(())
    }

    fn contour_loop(&mut self, found: &Loop) -> ContourLoop {
        let mut contour_loop = Vec::new();
        let (mut edge, mut point) = (found.start, found.start_point);
        loop {
            let arc_use = self.arc(&mut edge, &mut point, !found.has_junction);
            contour_loop.push(arc_use);
            if edge == found.start {
                return contour_loop;
            }
        }
    }

    /// The arc from `edge` to the next junction (in a closed arc all the way round), made if this is its left side. Moves `edge`
    /// and `point` on.
    fn arc(&mut self, edge: &mut HalfEdge, point: &mut PlanPoint, closed: bool) -> ArcUse {
        let edges = self.edges;
        let start = *edge;
        let (left, beyond) = (edges.region[start as usize], edges.beyond(start));
        let is_left = left < beyond;
        let first = self.set.arc_vertices.len();
        let arc = if is_left {
            ArcId::from_index(self.set.arcs.len())
        } else {
            ArcId(self.arc_of[edges.twin[start as usize] as usize])
        };
        loop {
            let last = *edge;
            if is_left {
                let vertex = self.vertex(last, *point);
                self.set.arc_vertices.push(vertex);
            }
            *point = edges.end(last, *point);
            *edge = edges.next[last as usize];
            let ends = if closed { *edge == start } else { edges.starts_at_junction(*edge) };
            if is_left && (ends || closed) {
                self.arc_of[last as usize] = arc.0;
            }
            if ends {
                break;
            }
        }
        if is_left {
            let vertex = self.vertex(*edge, *point);
            self.set.arc_vertices.push(vertex);
            let right = (beyond != NO_REGION).then_some(RegionId(beyond));
            let len = (self.set.arc_vertices.len() - first) as u32;
            self.set.arcs.push(ContourArc { first: first as u32, len, left: RegionId(left), right });
        }
        ArcUse { arc, reversed: !is_left }
    }

    /// The vertex where `edge` starts: one for all half-edges that start there and are joined through links.
    fn vertex(&mut self, edge: HalfEdge, point: PlanPoint) -> VertexId {
        let known = self.vertex_of[edge as usize];
        if known != 0 {
            return VertexId(known - 1);
        }
        let edges = self.edges;
        let vertex = VertexId::from_index(self.set.vertices.len());
        let (mut sum, mut count) = (0.0, 0.0);
        let mut join = |edge: HalfEdge| {
            self.vertex_of[edge as usize] = vertex.0 + 1;
            let (height_sum, height_count) = edges.heights(edge);
            sum += height_sum;
            count += height_count;
        };
        join(edge);
        // The half-edge after the twin of an edge starts where the edge does; so does the twin of the half-edge before it.
        let mut current = edge;
        let closed = loop {
            let twin = edges.twin[current as usize];
            if twin == NONE {
                break false;
            }
            current = edges.next[twin as usize];
            if current == edge {
                break true;
            }
            join(current);
        };
        if !closed {
            current = edges.twin[edges.previous[edge as usize] as usize];
            while current != NONE {
                join(current);
                current = edges.twin[edges.previous[current as usize] as usize];
            }
        }
        self.set.vertices.push(PlanVertex { point, height: sum / count });
        vertex
    }
}
