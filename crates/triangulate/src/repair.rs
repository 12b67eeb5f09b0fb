//! Borders that cross, touch, double back or nearly meet, made sound.

use std::collections::{BTreeMap, BTreeSet};

use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation as _};
use waymesh_core::{PlanPoint, PlanVertex, Polygon, PolygonLoop, PolygonSet, RegionId, VertexId};

use crate::{TriangulateError, triangulate_cdt};

/// Configuration of [`repair_polygons`]. Lengths in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RepairConfig {
    /// Points at most this far apart become one. Default 0: only points that are the same.
    pub near_distance: f32,
    /// How far a border may be moved, by points that become one and by crossings that are not on grid points. Default 0.01; less
    /// than a cell leaves little room for crossings.
    pub max_border_shift: f32,
}

impl Default for RepairConfig {
    fn default() -> Self {
        Self { near_distance: 0.0, max_border_shift: 0.01 }
    }
}

impl RepairConfig {
    /// With another distance for points that become one.
    #[must_use]
    pub fn with_near_distance(mut self, metres: f32) -> Self {
        self.near_distance = metres;
        self
    }

    /// With another freedom for borders.
    #[must_use]
    pub fn with_max_border_shift(mut self, metres: f32) -> Self {
        self.max_border_shift = metres;
        self
    }

    /// Checks the configuration.
    ///
    /// # Errors
    /// [`TriangulateError::BadConfig`] names the first bad field.
    pub fn validate(&self) -> Result<(), TriangulateError> {
        for (field, value) in
            [("near_distance", self.near_distance), ("max_border_shift", self.max_border_shift)]
        {
            if !(value >= 0.0 && value.is_finite()) {
                let needed = "0 m or more and finite";
                return Err(TriangulateError::BadConfig { field, value, needed });
            }
        }
        Ok(())
    }
}

/// What [`repair_polygons`] did.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RepairReport {
    /// Regions whose borders were redrawn, in order.
    pub repaired: Vec<RegionId>,
    /// Regions of which nothing was left, in order.
    pub vanished: Vec<RegionId>,
    /// Pieces that became regions of their own: the new region, and the one it was part of.
    pub split_off: Vec<[RegionId; 2]>,
    /// Points that became one with another.
    pub points_merged: usize,
    /// Places where edges crossed or touched, each counted once per edge that was cut there.
    pub edges_cut: usize,
    /// Farthest that a border was moved, in metres.
    pub border_shift: f32,
}

/// Makes every polygon sound enough to be triangulated, and says what it did.
///
/// A sound polygon stays as it is, vertex by vertex. Of any other, all edges are cut where they meet; then those parts are kept that
/// the outer border goes round and no hole does, whichever way round they run: lobes of a border that crosses itself stay, overlaps count
/// once, spikes and doubled points go, holes outside go, and what of a hole sticks out is cut off.
///
/// # Guarantees
/// - No point of a border moves by more than `max_border_shift`.
/// - Regions keep their ids; pieces that come apart are new regions after all others.
/// - Old vertices keep their ids; new ones follow, their height in line with the edge they cut.
///
/// # Cost
/// As [`triangulate_cdt`] for polygons that are sound. For others a sweep over x, as often as rounding makes new crossings.
///
/// # Errors
/// - [`TriangulateError::CannotRepair`] where a border would have to move too far, with the place.
/// - The fault itself for a polygon with other regions beyond its border: they would no longer fit.
/// - For loops that name vertices that are not there, or lie beyond the grid; and [`TriangulateError::BadConfig`].
///
/// # References
/// Hobby 1999, Practical segment intersection with finite precision output, <https://doi.org/10.1016/S0925-7721(99)00021-8> (snapping, and
/// why it has to be repeated).
pub fn repair_polygons(
    polygons: &PolygonSet,
    config: &RepairConfig,
) -> Result<(PolygonSet, RepairReport), TriangulateError> {
    config.validate()?;
    let cell = f64::from(polygons.frame.cell_size);
    let mut result =
        PolygonSet { frame: polygons.frame, vertices: polygons.vertices.clone(), polygons: Vec::new() };
    let mut report = RepairReport::default();
    let mut pieces: Vec<(RegionId, Polygon)> = Vec::new();
    let mut worst = 0.0_f64;
    for polygon in &polygons.polygons {
        let bordered = polygon.loops().any(|polygon_loop| polygon_loop.beyond.iter().any(Option::is_some));
        let fault = match fault_of(polygons, polygon) {
            None if bordered || config.near_distance <= 0.0 => {
                result.polygons.push(polygon.clone());
                continue;
            }
            fault => fault,
        };
        if let Some(error) = fault
            && (bordered
                || matches!(
                    error,
                    TriangulateError::UnknownVertex { .. } | TriangulateError::OutOfRange { .. }
                ))
        {
            return Err(error);
        }
        let mut drawing = Drawing {
            region: polygon.region,
            near: f64::from(config.near_distance) / cell,
            limit: f64::from(config.max_border_shift) / cell,
            shift: 0.0,
            vertices: BTreeMap::new(),
            edges: Vec::new(),
        };
        drawing.load(&result, polygon, &mut report)?;
        drawing.cut(&mut result, &mut report)?;
        worst = worst.max(drawing.shift);
        let mut parts = drawing.fill(polygon)?;
        report.repaired.push(polygon.region);
        if parts.is_empty() {
            report.vanished.push(polygon.region);
            continue;
        }
        result.polygons.push(parts.remove(0));
        pieces.extend(parts.into_iter().map(|part| (polygon.region, part)));
    }
    let next = polygons.polygons.iter().map(|polygon| polygon.region.0 + 1).max().unwrap_or(0);
    for (region, (origin, mut piece)) in (next..).zip(pieces) {
        piece.region = RegionId(region);
        report.split_off.push([piece.region, origin]);
        result.polygons.push(piece);
    }
    #[expect(clippy::cast_possible_truncation, reason = "a small length, for people")]
    let border_shift = (worst * cell) as f32;
    report.border_shift = border_shift;
    Ok((result, report))
}

/// What is wrong with a polygon by itself.
fn fault_of(set: &PolygonSet, polygon: &Polygon) -> Option<TriangulateError> {
    let mut alone = PolygonSet { frame: set.frame, vertices: Vec::new(), polygons: vec![polygon.clone()] };
    let Polygon { outer, holes, .. } = &mut alone.polygons[0];
    for polygon_loop in std::iter::once(outer).chain(holes) {
        for vertex in &mut polygon_loop.vertices {
            let Some(at) = set.vertices.get(vertex.index()) else {
                let (region, count) = (polygon.region, set.vertices.len());
                return Some(TriangulateError::UnknownVertex { region, vertex: *vertex, count });
            };
            *vertex = VertexId::from_index(alone.vertices.len());
            alone.vertices.push(*at);
        }
    }
    let limit = waymesh_core::MAX_PLAN_COORDINATE;
    if let Some(at) = alone.vertices.iter().find(|at| {
        at.point.x.abs_diff(0) > limit.unsigned_abs() || at.point.z.abs_diff(0) > limit.unsigned_abs()
    }) {
        return Some(TriangulateError::OutOfRange { region: polygon.region, point: at.point, limit });
    }
    triangulate_cdt(&alone).err()
}

/// A piece of border: of which loop, from where to where, and of which edge it is a piece.
#[derive(Clone, Copy, Debug)]
struct Piece {
    border: usize,
    ends: [PlanPoint; 2],
    whole: [PlanPoint; 2],
}

/// The borders of one polygon on their way to being sound. Lengths in cells.
#[derive(Debug)]
struct Drawing {
    region: RegionId,
    near: f64,
    limit: f64,
    shift: f64,
    /// The vertex at each point.
    vertices: BTreeMap<PlanPoint, VertexId>,
    edges: Vec<Piece>,
}

/// How many loops go round a place: `[outer, holes]` by loop.
type Winding = BTreeMap<usize, i32>;

impl Drawing {
    fn moved(&mut self, point: PlanPoint, by: f64) -> Result<(), TriangulateError> {
        self.shift = self.shift.max(by);
        if by > self.limit {
            let region = self.region;
            return Err(TriangulateError::CannotRepair { region, point, shift: by, limit: self.limit });
        }
        Ok(())
    }

    /// Takes over the edges; points near each other become one.
    fn load(
        &mut self,
        set: &PolygonSet,
        polygon: &Polygon,
        report: &mut RepairReport,
    ) -> Result<(), TriangulateError> {
        // Squares of the near distance, with the points kept in them.
        let mut squares: BTreeMap<[i64; 2], Vec<PlanPoint>> = BTreeMap::new();
        let mut places: BTreeMap<PlanPoint, PlanPoint> = BTreeMap::new();
        for polygon_loop in polygon.loops() {
            for &vertex in &polygon_loop.vertices {
                let point = set.point(vertex);
                if places.contains_key(&point) {
                    continue;
                }
                #[expect(clippy::cast_possible_truncation, reason = "at most the coordinate itself")]
                let square =
                    [point.x, point.z].map(|value| (f64::from(value) / self.near.max(1.0)).floor() as i64);
                let around = (-1..=1).flat_map(|dx| (-1..=1).map(move |dz| [square[0] + dx, square[1] + dz]));
                let kept = around
                    .filter_map(|square| squares.get(&square))
                    .flatten()
                    .copied()
                    .filter(|other| length(point, *other) <= self.near)
                    .min_by_key(|other| (other.distance_squared(point), *other));
                if let Some(kept) = kept {
                    self.moved(point, length(point, kept))?;
                    report.points_merged += 1;
                    places.insert(point, kept);
                } else {
                    squares.entry(square).or_default().push(point);
                    places.insert(point, point);
                    self.vertices.insert(point, vertex);
                }
            }
        }
        for (border, polygon_loop) in polygon.loops().enumerate() {
            let points: Vec<_> =
                polygon_loop.vertices.iter().map(|&vertex| places[&set.point(vertex)]).collect();
            for (index, &from) in points.iter().enumerate() {
                let ends = [from, points[(index + 1) % points.len()]];
                if ends[0] != ends[1] {
                    self.edges.push(Piece { border, ends, whole: ends });
                }
            }
        }
        Ok(())
    }

    /// Cuts edges where they meet, until they meet in vertices only.
    fn cut(&mut self, set: &mut PolygonSet, report: &mut RepairReport) -> Result<(), TriangulateError> {
        /// Rounding a crossing to the grid can make new ones, fewer each time.
        const ROUNDS: usize = 32;
        for _ in 0..ROUNDS {
            let cuts = self.meetings();
            if cuts.is_empty() {
                return Ok(());
            }
            let mut by_edge: BTreeMap<usize, Vec<PlanPoint>> = BTreeMap::new();
            for (edge, point) in cuts {
                by_edge.entry(edge).or_default().push(point);
            }
            let old = std::mem::take(&mut self.edges);
            for (index, piece) in old.into_iter().enumerate() {
                let Some(mut points) = by_edge.remove(&index) else {
                    self.edges.push(piece);
                    continue;
                };
                let [from, to] = piece.ends;
                points.sort_by_key(|point| (along(piece.ends, *point), *point));
                points.dedup();
                points.retain(|&point| point != from && point != to);
                report.edges_cut += points.len();
                let mut start = from;
                for &point in points.iter().chain([&to]) {
                    self.moved(point, off(piece.whole, point))?;
                    if !self.vertices.contains_key(&point) {
                        let [a, b] = [from, to].map(|end| set.vertices[self.vertices[&end].index()].height);
                        let share = length(from, point) / length(from, to);
                        #[expect(clippy::cast_possible_truncation, reason = "between two heights")]
                        let height = (f64::from(a) + share * (f64::from(b) - f64::from(a))) as f32;
                        self.vertices.insert(point, VertexId::from_index(set.vertices.len()));
                        set.vertices.push(PlanVertex { point, height });
                    }
                    self.edges.push(Piece { ends: [start, point], ..piece });
                    start = point;
                }
            }
        }
        let point = self.meetings().first().map_or_else(PlanPoint::default, |&(_, point)| point);
        Err(TriangulateError::CannotRepair {
            region: self.region,
            point,
            shift: self.shift,
            limit: self.limit,
        })
    }

    /// Edges with points to cut them at.
    fn meetings(&self) -> Vec<(usize, PlanPoint)> {
        let mut order: Vec<usize> = (0..self.edges.len()).collect();
        let low = |[a, b]: [PlanPoint; 2]| a.x.min(b.x);
        order.sort_by_key(|&edge| (low(self.edges[edge].ends), edge));
        let (mut active, mut cuts): (Vec<usize>, Vec<_>) = (Vec::new(), Vec::new());
        for edge in order {
            let [a, b] = self.edges[edge].ends;
            active.retain(|&other| {
                let [c, d] = self.edges[other].ends;
                c.x.max(d.x) >= low([a, b])
            });
            for &other in &active {
                let [c, d] = self.edges[other].ends;
                if a.z.max(b.z) < c.z.min(d.z) || c.z.max(d.z) < a.z.min(b.z) {
                    continue;
                }
                let before = cuts.len();
                cuts.extend([c, d].into_iter().filter(|&p| on([a, b], p)).map(|p| (edge, p)));
                cuts.extend([a, b].into_iter().filter(|&p| on([c, d], p)).map(|p| (other, p)));
                let side = |p, q, r| PlanPoint::orientation(p, q, r).signum();
                if cuts.len() == before
                    && side(a, b, c) * side(a, b, d) < 0
                    && side(c, d, a) * side(c, d, b) < 0
                {
                    let point = crossing([a, b], [c, d]);
                    // An end of one edge may be the nearest grid point: then the other edge alone is cut.
                    cuts.extend(
                        [(edge, [a, b]), (other, [c, d])]
                            .into_iter()
                            .filter(|(_, ends)| !ends.contains(&point))
                            .map(|(edge, _)| (edge, point)),
                    );
                }
            }
            active.push(edge);
        }
        cuts
    }

    /// Keeps what the outer border goes round and no hole does; the largest part first.
    fn fill(&self, polygon: &Polygon) -> Result<Vec<Polygon>, TriangulateError> {
        let region = self.region;
        // What changes from the right of an edge to its left, by its ends in order.
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
        for &point in changes.keys().flatten() {
            if let std::collections::btree_map::Entry::Vacant(entry) = handles.entry(point) {
                let at = Point2::new(f64::from(point.x), f64::from(point.z));
                let handle = plane.insert(at).map_err(|_| TriangulateError::NotInside { region, point })?;
                entry.insert(handle);
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
        // From outside in: how often each loop goes round each face.
        let mut windings: Vec<Option<Winding>> = vec![None; plane.num_all_faces()];
        let outside = plane.outer_face();
        windings[outside.fix().index()] = Some(Winding::new());
        let mut stack: Vec<_> = plane.convex_hull().map(|edge| edge.fix()).collect();
        while let Some(edge) = stack.pop() {
            // The face to the left of `edge` is known, that to its right is wanted; or the other way round on the hull.
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
        // Parts joined across sides.
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
                // Through the inside to the next border, so that a border never leaves its part.
                edge = edge.next();
                while inside[edge.rev().face().fix().index()] {
                    edge = edge.rev().next();
                }
                if edge.fix() == start.fix() {
                    break;
                }
            }
            let area = PlanPoint::doubled_area(points.iter().copied());
            let vertices: Vec<_> = points.iter().map(|point| self.vertices[point]).collect();
            loops[parts[left]].push((area, PolygonLoop { beyond: vec![None; vertices.len()], vertices }));
        }
        let mut found: Vec<(i128, Polygon)> = Vec::new();
        for mut loops in loops {
            let total: i128 = loops.iter().map(|(area, _)| area).sum();
            let Some(outer) = loops.iter().position(|(area, _)| *area > 0) else { continue };
            let (_, outer) = loops.swap_remove(outer);
            let holes = loops.into_iter().map(|(_, hole)| hole).collect();
            found.push((total, Polygon { region, area: polygon.area, outer, holes }));
        }
        // The same size twice: the one whose vertices come first.
        found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.outer.vertices.cmp(&b.1.outer.vertices)));
        Ok(found.into_iter().map(|(_, part)| part).collect())
    }
}

#[expect(clippy::cast_precision_loss, reason = "a length for comparison")]
fn length(a: PlanPoint, b: PlanPoint) -> f64 {
    (a.distance_squared(b) as f64).sqrt()
}

/// How far a point lies off the line of an edge.
#[expect(clippy::cast_precision_loss, reason = "a length for comparison")]
fn off([a, b]: [PlanPoint; 2], point: PlanPoint) -> f64 {
    PlanPoint::orientation(a, b, point).unsigned_abs() as f64 / length(a, b)
}

/// Grows along an edge.
fn along([a, b]: [PlanPoint; 2], point: PlanPoint) -> i128 {
    let step = |from: i32, to: i32| i128::from(to) - i128::from(from);
    step(a.x, b.x) * step(a.x, point.x) + step(a.z, b.z) * step(a.z, point.z)
}

/// Whether a point lies strictly inside an edge.
fn on([a, b]: [PlanPoint; 2], point: PlanPoint) -> bool {
    PlanPoint::orientation(a, b, point) == 0
        && point != a
        && point != b
        && (a.x.min(b.x)..=a.x.max(b.x)).contains(&point.x)
        && (a.z.min(b.z)..=a.z.max(b.z)).contains(&point.z)
}

/// The grid point nearest to where two edges cross, to within rounding in double precision.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "rounded on purpose, between the ends"
)]
fn crossing([a, b]: [PlanPoint; 2], [c, d]: [PlanPoint; 2]) -> PlanPoint {
    let (from, to) = (PlanPoint::orientation(c, d, a) as f64, PlanPoint::orientation(c, d, b) as f64);
    let share = from / (from - to);
    let at =
        |from: i32, to: i32| (f64::from(from) + share * (f64::from(to) - f64::from(from))).round() as i32;
    PlanPoint::new(at(a.x, b.x), at(a.z, b.z))
}

#[expect(clippy::cast_possible_truncation, reason = "a 32-bit integer in double precision")]
fn plan_point(position: Point2<f64>) -> PlanPoint {
    PlanPoint::new(position.x as i32, position.y as i32)
}
