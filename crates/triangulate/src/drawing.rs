//! Repair of the borders of one polygon: merges points, bends and cuts edges, and fills the result.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation as _};
use waymesh_core::{
    PlanPoint, PlanVertex, Polygon, PolygonLoop, PolygonSet, RegionId, VertexId, checkpoint, saturating_i64,
};

use crate::TriangulateError;
use crate::cdt::plan_point;
use crate::meetings::{Nearness, Piece, along, length, meetings, off};
use crate::outline::height_between;

/// The borders of a polygon while they are repaired. Lengths in cells.
#[derive(Debug)]
pub(crate) struct Drawing {
    region: RegionId,
    near: f64,
    limit: f64,
    /// Largest distance that a border was moved.
    pub(crate) shift: f64,
    /// Number of points merged, of edges bent to a vertex, and of edges cut.
    pub(crate) merged: usize,
    pub(crate) bent: usize,
    pub(crate) cuts: usize,
    /// The vertex at each point.
    vertices: BTreeMap<PlanPoint, VertexId>,
    edges: Vec<Piece>,
}

/// Winding numbers at a position, by the index of the loop; loop 0 is the outer loop.
type Winding = BTreeMap<usize, i32>;

impl Drawing {
    /// Creates a drawing that merges points at most `near` apart, and moves no border by more than
    /// `limit`.
    pub(crate) fn new(region: RegionId, near: f64, limit: f64) -> Self {
        let (vertices, edges) = (BTreeMap::new(), Vec::new());
        Self { region, near, limit, shift: 0.0, merged: 0, bent: 0, cuts: 0, vertices, edges }
    }

    /// Returns `true` if the borders are unchanged.
    pub(crate) fn is_untouched(&self) -> bool {
        self.merged == 0 && self.bent == 0 && self.cuts == 0
    }

    fn moved(&mut self, point: PlanPoint, by: f64) -> Result<(), TriangulateError> {
        self.shift = self.shift.max(by);
        if by > self.limit {
            let region = self.region;
            return Err(TriangulateError::CannotRepair { region, point, shift: by, limit: self.limit });
        }
        Ok(())
    }

    /// Loads the edges and merges points that are close to each other.
    pub(crate) fn load(&mut self, set: &PolygonSet, polygon: &Polygon) -> Result<(), TriangulateError> {
        for &vertex in polygon.loops().flat_map(|polygon_loop| &polygon_loop.vertices) {
            self.vertices.entry(set.point(vertex)).or_insert(vertex);
        }
        let places = self.merge()?;
        for (border, polygon_loop) in polygon.loops().enumerate() {
            let points: Vec<_> = polygon_loop.vertices.iter().map(|&vertex| set.point(vertex)).collect();
            for (index, &from) in points.iter().enumerate() {
                let whole = [from, points[(index + 1) % points.len()]];
                let ends = whole.map(|end| places.get(&end).copied().unwrap_or(end));
                if ends[0] != ends[1] {
                    self.edges.push(Piece { border, ends, whole });
                }
            }
        }
        Ok(())
    }

    /// Returns the points that are merged, with the points they are merged into. Points are visited
    /// from left to right, so that the result does not depend on the order of the loops.
    fn merge(&mut self) -> Result<BTreeMap<PlanPoint, PlanPoint>, TriangulateError> {
        let mut places = BTreeMap::new();
        if self.near <= 0.0 {
            return Ok(places);
        }
        // Kept points by square of a grid whose spacing is the near distance.
        let mut squares: BTreeMap<[i64; 2], Vec<PlanPoint>> = BTreeMap::new();
        let points: Vec<PlanPoint> = self.vertices.keys().copied().collect();
        for point in points {
            let square = [point.x, point.z]
                .map(|value| saturating_i64((f64::from(value) / self.near.max(1.0)).floor()));
            let around = (-1..=1).flat_map(|dx| (-1..=1).map(move |dz| [square[0] + dx, square[1] + dz]));
            let kept = around
                .filter_map(|square| squares.get(&square))
                .flatten()
                .copied()
                .filter(|other| length(point, *other) <= self.near)
                .min_by_key(|other| (other.distance_squared(point), *other));
            if let Some(kept) = kept {
                self.moved(point, length(point, kept))?;
                self.merged += 1;
                self.vertices.remove(&point);
                places.insert(point, kept);
            } else {
                squares.entry(square).or_default().push(point);
            }
        }
        Ok(places)
    }

    /// Cuts edges where they meet, and bends them to nearby vertices, until they meet at vertices
    /// only.
    pub(crate) fn cut(&mut self, set: &mut PolygonSet) -> Result<(), TriangulateError> {
        /// Largest number of rounds. Rounding a crossing to the grid can cause further crossings,
        /// fewer in each round.
        const ROUNDS: usize = 32;
        /// Number of rounds after which edges are no longer bent, because bending an edge can also
        /// cause crossings.
        const BENDING_ROUNDS: usize = 16;
        // Edges are not bent to crossings, because this would not end if many edges cross in a
        // small area.
        let old = set.vertices.len();
        let mut fresh: Vec<usize> = (0..self.edges.len()).collect();
        for round in 0..ROUNDS {
            checkpoint();
            let near = if round < BENDING_ROUNDS { self.near } else { 0.0 };
            let draws = |point: PlanPoint| self.vertices[&point].index() < old;
            let nearness = Nearness { near, limit: self.limit, draws: &draws };
            let found = meetings(&self.edges, &fresh, &nearness);
            if found.is_empty() {
                return Ok(());
            }
            let before = std::mem::take(&mut self.edges);
            fresh.clear();
            let mut found = found.into_iter().peekable();
            for (index, piece) in before.into_iter().enumerate() {
                let [from, to] = piece.ends;
                let mut points = Vec::new();
                while let Some(meeting) = found.next_if(|meeting| meeting.edge == index) {
                    if meeting.point != from && meeting.point != to {
                        points.push((along(piece.ends, meeting.point), meeting.point));
                        self.bent += usize::from(meeting.is_bend);
                        self.cuts += usize::from(!meeting.is_bend);
                    }
                }
                points.sort_unstable();
                let mut start = from;
                if !points.is_empty() {
                    fresh.extend(self.edges.len()..=self.edges.len() + points.len());
                }
                for point in points.into_iter().map(|(_, point)| point).chain([to]) {
                    self.moved(point, off(piece.whole, point))?;
                    if !self.vertices.contains_key(&point) {
                        let ends = [from, to].map(|end| set.vertices[self.vertices[&end].index()].height);
                        let height = height_between(ends, length(from, point) / length(from, to));
                        self.vertices.insert(point, VertexId::from_index(set.vertices.len()));
                        set.vertices.push(PlanVertex { point, height });
                    }
                    self.edges.push(Piece { ends: [start, point], ..piece });
                    start = point;
                }
            }
        }
        let nearness = Nearness { near: 0.0, limit: self.limit, draws: &|_| false };
        let left = meetings(&self.edges, &fresh, &nearness);
        let Some(point) = left.first().map(|meeting| meeting.point) else { return Ok(()) };
        let (region, shift, limit) = (self.region, self.shift, self.limit);
        Err(TriangulateError::CannotRepair { region, point, shift, limit })
    }

    /// Returns the parts that the outer border encloses and no hole encloses, the largest first.
    pub(crate) fn fill(&self, polygon: &Polygon) -> Result<Vec<Polygon>, TriangulateError> {
        let region = self.region;
        // Change of the winding numbers from the right of an edge to its left, by its sorted ends.
        let mut changes: BTreeMap<[PlanPoint; 2], Winding> = BTreeMap::new();
        for Piece { border, ends: [a, b], .. } in &self.edges {
            let (key, by) = if a < b { ([*a, *b], 1) } else { ([*b, *a], -1) };
            *changes.entry(key).or_default().entry(*border).or_default() += by;
        }
        changes.retain(|_, winding| {
            winding.retain(|_, count| *count != 0);
            !winding.is_empty()
        });
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        let mut plane = ConstrainedDelaunayTriangulation::<Point2<f64>>::new();
        let mut handles = BTreeMap::new();
        // Edges follow the borders, so that the last vertex is a good hint for the next one.
        let mut last = None;
        let kept = |ends: &[PlanPoint; 2]| {
            let [a, b] = *ends;
            changes.contains_key(&[a.min(b), a.max(b)])
        };
        for point in self.edges.iter().map(|piece| piece.ends).filter(kept).flatten() {
            if let Entry::Vacant(entry) = handles.entry(point) {
                let at = Point2::new(f64::from(point.x), f64::from(point.z));
                let inserted = match last {
                    Some(hint) => plane.insert_with_hint(at, hint),
                    None => plane.insert(at),
                };
                let handle = inserted.map_err(|_| TriangulateError::NotInside { region, point })?;
                last = Some(*entry.insert(handle));
            }
        }
        let mut across: BTreeMap<usize, (&Winding, i32)> = BTreeMap::new();
        for ([a, b], winding) in &changes {
            let made = plane.try_add_constraint(handles[a], handles[b]);
            let [edge] = made[..] else {
                let (first, second) = ([*a, *b], [*a, *b]);
                return Err(TriangulateError::CrossingEdges { region, first, second });
            };
            across.insert(edge.index(), (winding, 1));
            across.insert(edge.rev().index(), (winding, -1));
        }
        // Winding numbers of each face, found from the outside to the inside.
        let mut windings: Vec<Option<Winding>> = vec![None; plane.num_all_faces()];
        let outside = plane.outer_face();
        windings[outside.fix().index()] = Some(Winding::new());
        let mut stack: Vec<_> = plane.convex_hull().map(|edge| edge.fix()).collect();
        while let Some(edge) = stack.pop() {
            // The face to the left of `edge` is known and the face to its right is computed. On the
            // hull, it is the reverse.
            let edge = plane.directed_edge(edge);
            let (near, far) = (edge.face().fix().index(), edge.rev().face().fix().index());
            let (near, far, way) = if windings[near].is_some() { (near, far, -1) } else { (far, near, 1) };
            if windings[far].is_some() {
                continue;
            }
            let Some(mut winding) = windings[near].clone() else { continue };
            if let Some((change, by)) = across.get(&edge.fix().index()) {
                for (&border, &count) in *change {
                    *winding.entry(border).or_default() += by * way * count;
                }
                winding.retain(|_, count| *count != 0);
            }
            windings[far] = Some(winding);
            let face = if way > 0 { edge.face() } else { edge.rev().face() };
            if let Some(face) = face.as_inner() {
                stack.extend(face.adjacent_edges().map(|edge| edge.fix()));
            }
        }
        let inside: Vec<bool> = windings
            .iter()
            .map(|winding| {
                winding.as_ref().is_some_and(|winding| winding.contains_key(&0) && winding.len() == 1)
            })
            .collect();
        // Number of the part of each face. Faces with a common side are in one part.
        let mut parts = vec![usize::MAX; inside.len()];
        let mut count = 0;
        for face in plane.inner_faces() {
            if !inside[face.fix().index()] || parts[face.fix().index()] != usize::MAX {
                continue;
            }
            let mut stack = vec![face];
            parts[face.fix().index()] = count;
            while let Some(face) = stack.pop() {
                for edge in face.adjacent_edges() {
                    let other = edge.rev().face();
                    let index = other.fix().index();
                    if inside[index]
                        && parts[index] == usize::MAX
                        && let Some(other) = other.as_inner()
                    {
                        parts[index] = count;
                        stack.push(other);
                    }
                }
            }
            count += 1;
        }
        let mut loops: Vec<Vec<(i128, PolygonLoop)>> = vec![Vec::new(); count];
        let mut walked = BTreeSet::new();
        let is_border = |inside: &[bool], left: usize, right: usize| inside[left] && !inside[right];
        for start in plane.directed_edges() {
            let (left, right) = (start.face().fix().index(), start.rev().face().fix().index());
            if !is_border(&inside, left, right) || walked.contains(&start.fix().index()) {
                continue;
            }
            let (mut edge, mut points) = (start, Vec::new());
            loop {
                walked.insert(edge.fix().index());
                points.push(plan_point(edge.from().position()));
                // Turn through the inside to the next border, so that a loop never leaves its part.
                edge = edge.next();
                while inside[edge.rev().face().fix().index()] {
                    edge = edge.rev().next();
                }
                if edge.fix() == start.fix() {
                    break;
                }
            }
            // The loop begins at its lowest point, independent of the input.
            let first = (0..points.len()).min_by_key(|&at| points[at]).unwrap_or(0);
            points.rotate_left(first);
            let area = PlanPoint::doubled_area(points.iter().copied());
            let vertices: Vec<_> = points.iter().map(|point| self.vertices[point]).collect();
            loops[parts[left]].push((area, PolygonLoop { beyond: vec![None; vertices.len()], vertices }));
        }
        let points: BTreeMap<VertexId, PlanPoint> =
            self.vertices.iter().map(|(&point, &vertex)| (vertex, point)).collect();
        let points_of =
            |border: &PolygonLoop| border.vertices.iter().map(|vertex| points[vertex]).collect::<Vec<_>>();
        let mut found: Vec<(i128, Polygon)> = Vec::new();
        for mut loops in loops {
            let total: i128 = loops.iter().map(|(area, _)| area).sum();
            let Some(outer) = loops.iter().position(|(area, _)| *area > 0) else { continue };
            let (_, outer) = loops.swap_remove(outer);
            let mut holes: Vec<_> = loops.into_iter().map(|(_, hole)| hole).collect();
            holes.sort_by_key(|hole| points_of(hole));
            found.push((total, Polygon { region, area: polygon.area, outer, holes }));
        }
        // Parts of equal area are ordered by their points.
        found.sort_by_cached_key(|(area, part)| (std::cmp::Reverse(*area), points_of(&part.outer)));
        Ok(found.into_iter().map(|(_, part)| part).collect())
    }
}
