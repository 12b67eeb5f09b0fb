//! Placement of borders between pixels: moves traced borders, which follow the sides of cells, to
//! the ends of the ground.

use std::collections::HashMap;

use waymesh_core::{
    ArcId, ContourArc, ContourSet, GridFrame, PlanPoint, PlanVertex, RegionId, VertexId, checkpoint,
};

use crate::StoreysError;
use crate::carve::BORDER_STEPS;

const STEPS: i32 = BORDER_STEPS as i32;

/// The ends of the ground of a region around a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RegionEnds {
    /// The region.
    pub region: RegionId,
    /// Column along z.
    pub z: u32,
    /// Column along x.
    pub x: u32,
    /// Distance from the centre of the cell to the end of the ground, as in
    /// [`crate::SpanEnds::steps`].
    pub steps: [u8; 4],
}

/// Returns the frame of borders: [`BORDER_STEPS`] cells for each cell of `frame`.
fn border_frame(frame: &GridFrame) -> GridFrame {
    let steps = u32::from(BORDER_STEPS);
    GridFrame {
        cell_size: frame.cell_size / f32::from(BORDER_STEPS),
        width: frame.width.saturating_mul(steps),
        depth: frame.depth.saturating_mul(steps),
        ..*frame
    }
}

/// Moves the raw borders of a traced field to the ends of the ground. Every side of a cell on a
/// wall or drop becomes the point where the line between the centres of the two cells leaves the
/// ground. Borders between regions stay, and end on the moved ones.
///
/// `ends` must be sorted. A side that is not in `ends` stays where it is.
///
/// # Guarantees
/// - The arcs and their left and right regions are those of `raw`. If `raw` is valid, so is the
///   result: in every square of four centres the new borders are straight lines from its sides to
///   one point in it, which do not cross.
/// - Plan points are in a frame with [`BORDER_STEPS`] cells for each cell of the raw borders.
///
/// # Errors
/// [`StoreysError::NotTraced`] for an arc that does not follow the sides of cells;
/// [`StoreysError::TooMany`] beyond 2^24 cells along an axis.
///
/// # References
/// The points are those of marching squares (Lorensen and Cline 1987, in the plane), which replaces
/// the contour pixels of the thesis.
pub fn place_borders(raw: &ContourSet, ends: &[RegionEnds]) -> Result<ContourSet, StoreysError> {
    let longest = u64::from(raw.frame.width.max(raw.frame.depth));
    if longest > 1 << 24 {
        return Err(StoreysError::TooMany { element: "cells along an axis", count: longest, limit: 1 << 24 });
    }
    let mut uses = vec![0_u8; raw.vertices.len()];
    for index in 0..raw.arcs.len() {
        checkpoint();
        let arc = ArcId::from_index(index);
        let vertices = raw.arc_vertices(arc);
        let (Some(first), Some(last)) = (vertices.first(), vertices.last()) else {
            return Err(StoreysError::NotTraced { arc });
        };
        for vertex in [first, last] {
            let Some(uses) = uses.get_mut(vertex.index()) else {
                return Err(StoreysError::NotTraced { arc });
            };
            *uses = uses.saturating_add(1);
        }
    }
    let mut placed = Placed {
        raw,
        ends,
        out: ContourSet {
            frame: border_frame(&raw.frame),
            vertices: Vec::with_capacity(raw.vertices.len()),
            arc_vertices: Vec::with_capacity(raw.arc_vertices.len() + raw.arcs.len()),
            arcs: Vec::with_capacity(raw.arcs.len()),
            regions: raw.regions.clone(),
        },
        kept: vec![None; raw.vertices.len()],
        junctions: vec![Junction::default(); raw.vertices.len()],
    };
    for index in 0..raw.arcs.len() {
        checkpoint();
        placed.push_arc(ArcId::from_index(index), &uses)?;
    }
    placed.place_junctions();
    placed.share_junctions()?;
    Ok(placed.out)
}

/// Sum and number of the points of walls next to a junction, and the first and last of them.
#[derive(Clone, Copy, Debug, Default)]
struct Junction {
    sum: [i64; 2],
    count: i64,
    ends: [PlanPoint; 2],
}

struct Placed<'a> {
    raw: &'a ContourSet,
    ends: &'a [RegionEnds],
    out: ContourSet,
    /// New ids of the vertices that are kept.
    kept: Vec<Option<VertexId>>,
    junctions: Vec<Junction>,
}

impl Placed<'_> {
    fn push_vertex(&mut self, point: PlanPoint, height: f32) -> VertexId {
        let vertex = VertexId::from_index(self.out.vertices.len());
        self.out.vertices.push(PlanVertex { point, height });
        vertex
    }

    /// Returns the new id of a vertex that is kept.
    fn keep(&mut self, vertex: VertexId) -> VertexId {
        if let Some(known) = self.kept[vertex.index()] {
            return known;
        }
        let PlanVertex { point, height } = self.raw.vertices[vertex.index()];
        let new = self.push_vertex(PlanPoint::new(point.x * STEPS, point.z * STEPS), height);
        self.kept[vertex.index()] = Some(new);
        new
    }

    fn push_arc(&mut self, id: ArcId, uses: &[u8]) -> Result<(), StoreysError> {
        let raw = self.raw;
        let arc = raw.arcs[id.index()];
        let vertices = raw.arc_vertices(id);
        let first = self.out.arc_vertices.len();
        if arc.right.is_some() {
            for &vertex in vertices {
                let new = self.keep(vertex);
                self.out.arc_vertices.push(new);
            }
        } else {
            let (start, end) = (vertices[0], vertices[vertices.len() - 1]);
            // No other arc ends at a closed arc without a junction.
            let closed = start == end && uses[start.index()] == 2;
            if !closed {
                let new = self.keep(start);
                self.out.arc_vertices.push(new);
            }
            let from = self.out.arc_vertices.len();
            for pair in vertices.windows(2) {
                let [a, b] = [pair[0], pair[1]].map(|vertex| raw.vertices[vertex.index()]);
                let point =
                    self.wall_point(arc.left, a.point, b.point).ok_or(StoreysError::NotTraced { arc: id })?;
                let new = self.push_vertex(point, f32::midpoint(a.height, b.height));
                self.out.arc_vertices.push(new);
            }
            let last = self.out.arc_vertices.len() - 1;
            if closed {
                let new = self.out.arc_vertices[from];
                self.out.arc_vertices.push(new);
            } else {
                for (junction, beside) in [(start, from), (end, last)] {
                    let PlanPoint { x, z } = self.out.vertices[self.out.arc_vertices[beside].index()].point;
                    let junction = &mut self.junctions[junction.index()];
                    junction.sum[0] += i64::from(x);
                    junction.sum[1] += i64::from(z);
                    junction.ends[usize::from(junction.count > 0)] = PlanPoint::new(x, z);
                    junction.count += 1;
                }
                let new = self.keep(end);
                self.out.arc_vertices.push(new);
            }
        }
        let count = |value: usize| StoreysError::fit("border vertices", value as u64);
        let len = count(self.out.arc_vertices.len() - first)?;
        self.out.arcs.push(ContourArc { first: count(first)?, len, left: arc.left, right: arc.right });
        Ok(())
    }

    /// Returns the point where the ground of `region` ends across a side of a cell; `None` if the
    /// line is not a side.
    fn wall_point(&self, region: RegionId, a: PlanPoint, b: PlanPoint) -> Option<PlanPoint> {
        let (dx, dz) = (b.x - a.x, b.z - a.z);
        if dx.abs() + dz.abs() != 1 {
            return None;
        }
        // The cell lies on the positive side, the wall on the other side.
        let (inward_x, inward_z) = (-dz, dx);
        let (x, z) = ((a.x + b.x + inward_x - 1) / 2, (a.z + b.z + inward_z - 1) / 2);
        let direction = match (-inward_x, -inward_z) {
            (-1, 0) => 0,
            (0, 1) => 1,
            (1, 0) => 2,
            _ => 3,
        };
        let (column_x, column_z) = (u32::try_from(x).ok()?, u32::try_from(z).ok()?);
        let place = self
            .ends
            .binary_search_by_key(&(region, column_z, column_x), |ends| (ends.region, ends.z, ends.x));
        let steps = place.map_or(0, |place| self.ends[place].steps[direction]);
        let steps = if steps == 0 { STEPS / 2 } else { i32::from(steps) };
        Some(PlanPoint::new(
            x * STEPS + STEPS / 2 - inward_x * steps,
            z * STEPS + STEPS / 2 - inward_z * steps,
        ))
    }

    /// Returns the junctions that have to stay at their corner of the grid, because another vertex of
    /// a border of the same region lies there: where two of four spans at a corner are of one region
    /// and opposite each other, also on different storeys. A seam needs the corner for both, and a
    /// wall ends before it.
    fn crowded_junctions(&self) -> Vec<bool> {
        let raw = self.raw;
        let arcs = || (0..raw.arcs.len()).map(|index| (raw.arcs[index], ArcId::from_index(index)));
        let sides = |arc: &ContourArc| [Some(arc.left), arc.right].into_iter().flatten();
        let place = |region: RegionId, vertex: VertexId| {
            let PlanPoint { x, z } = raw.vertices[vertex.index()].point;
            (x, z, region)
        };
        let mut ends = Vec::new();
        for (arc, id) in arcs() {
            let vertices = raw.arc_vertices(id);
            for &vertex in [vertices.first(), vertices.last()].into_iter().flatten() {
                if self.junctions[vertex.index()].count > 0 {
                    ends.extend(sides(&arc).map(|region| (place(region, vertex), vertex)));
                }
            }
        }
        ends.sort_unstable();
        ends.dedup();
        let mut crowded = vec![false; self.junctions.len()];
        for (arc, id) in arcs() {
            checkpoint();
            for &other in raw.arc_vertices(id) {
                for region in sides(&arc) {
                    let here = place(region, other);
                    let first = ends.partition_point(|end| end.0 < here);
                    for &(_, vertex) in ends[first..].iter().take_while(|end| end.0 == here) {
                        crowded[vertex.index()] |= vertex != other;
                    }
                }
            }
        }
        crowded
    }

    /// Adds the junctions on a wall to the border on its other side, if both run between the same two
    /// points: a face without thickness. Else simplification, which sees the points of each border,
    /// would move the border beyond the junction.
    fn share_junctions(&mut self) -> Result<(), StoreysError> {
        let raw = self.raw;
        let mut at_corner: HashMap<PlanPoint, Vec<(Junction, PlanVertex)>> = HashMap::new();
        for (old, junction) in self.junctions.iter().enumerate() {
            if let (Some(new), 2) = (self.kept[old], junction.count) {
                let vertex = self.out.vertices[new.index()];
                at_corner.entry(raw.vertices[old].point).or_default().push((*junction, vertex));
            }
        }
        if at_corner.is_empty() {
            return Ok(());
        }
        let before = std::mem::take(&mut self.out.arc_vertices);
        self.out.arc_vertices.reserve(before.len());
        for index in 0..raw.arcs.len() {
            checkpoint();
            let ContourArc { first, len, right, .. } = self.out.arcs[index];
            let own = &before[first as usize..][..len as usize];
            let start = self.out.arc_vertices.len();
            let corners = raw.arc_vertices(ArcId::from_index(index));
            // Points lie between corners. An open arc also has its own ends.
            let (is_wall, shift) = (right.is_none(), usize::from(own.len() < corners.len() + 1));
            for (place, &vertex) in own.iter().enumerate() {
                self.out.arc_vertices.push(vertex);
                let Some(&next) = own.get(place + 1).filter(|_| is_wall) else { continue };
                let corner = corners[(place + shift) % corners.len()];
                let Some(found) = at_corner.get(&raw.vertices[corner.index()].point) else { continue };
                let [from, to] = [vertex, next].map(|vertex| self.out.vertices[vertex.index()]);
                let is_face = |junction: &Junction| {
                    junction.ends == [from.point, to.point] || junction.ends == [to.point, from.point]
                };
                if let Some((_, shared)) = found.iter().find(|(junction, _)| is_face(junction))
                    && shared.point != from.point
                    && shared.point != to.point
                {
                    let new = self.push_vertex(shared.point, f32::midpoint(from.height, to.height));
                    self.out.arc_vertices.push(new);
                }
            }
            let count = |value: usize| StoreysError::fit("border vertices", value as u64);
            let len = count(self.out.arc_vertices.len() - start)?;
            let arc = &mut self.out.arcs[index];
            (arc.first, arc.len) = (count(start)?, len);
        }
        Ok(())
    }

    /// Moves every junction on walls to the mean of the points of the walls that end there, within
    /// the square of four centres around it.
    fn place_junctions(&mut self) {
        for (junction, is_crowded) in self.crowded_junctions().into_iter().enumerate() {
            if is_crowded {
                self.junctions[junction].count = 0;
            }
        }
        for (old, junction) in self.junctions.iter().enumerate() {
            let (Some(new), true) = (self.kept[old], junction.count > 0) else { continue };
            let corner = self.raw.vertices[old].point;
            let place = |sum: i64, corner: i32| {
                let mean = (2 * sum + junction.count).div_euclid(2 * junction.count);
                let middle = i64::from(corner) * i64::from(STEPS);
                let most = i64::from(STEPS / 2) - 1;
                #[expect(clippy::cast_possible_truncation, reason = "near a corner of the grid")]
                let place = mean.clamp(middle - most, middle + most) as i32;
                place
            };
            let point = PlanPoint::new(place(junction.sum[0], corner.x), place(junction.sum[1], corner.z));
            self.out.vertices[new.index()].point = point;
        }
    }
}
