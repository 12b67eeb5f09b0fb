//! Checks of all invariants that queries rely on, in linear time, on all threads of the pool. The
//! error is the first one in the order of the tables.

use std::ops::Range;

use waymesh_core::{PlanPoint, PlanVertex, PolyId, threads, to_u32};

use crate::mesh::bounds::{Corner, NO_NEIGHBOUR, bounds_of, rounding_slack};
use crate::mesh::bridges::Bridges;
use crate::mesh::check::{check_indices, check_length, check_prefix, check_surface_points, check_vertex};
use crate::mesh::error::NavMeshError;
use crate::mesh::fans::{Fans, WalkEdge, fan_of};
use crate::mesh::ground::Ground;
use crate::mesh::islands::find_islands;
use crate::mesh::nav_mesh::NavMesh;
use crate::mesh::squares::Buckets;

/// Least number of polygons for which the comparison runs on two threads.
const PARALLEL_POLYGONS: usize = 4096;

/// Returns the fault of the lowest number, if any of `0..count` has one.
fn check_each(
    count: usize,
    look: impl Fn(usize) -> Result<(), NavMeshError> + Sync,
) -> Result<(), NavMeshError> {
    let fault = threads::find_first(count, |number| look(number).err());
    fault.map_or(Ok(()), Err)
}

fn limit<T>(table: &'static str, element: usize, value: u32, limit: usize) -> Result<T, NavMeshError> {
    let (value, limit) = (i64::from(value), limit as i64 - 1);
    Err(NavMeshError::OutOfRange { table, element, value, limit })
}

/// Returns `true` if a table that follows from others does.
fn follows(table: &'static str, element: usize, does: bool) -> Result<(), NavMeshError> {
    if does { Ok(()) } else { Err(NavMeshError::PackedDerived { table, element }) }
}

impl NavMesh {
    /// Everything but links, which are not there yet. The lengths of the tables were checked.
    pub(super) fn check_tables(&self) -> Result<(), NavMeshError> {
        let (polygons, edges) = (self.polygon_count(), self.topology.corners.len());
        check_prefix("polygon_first", &self.topology.polygon_first, polygons, edges)?;
        if edges >= NO_NEIGHBOUR as usize {
            let (actual, expected) = (edges, NO_NEIGHBOUR as usize);
            return Err(NavMeshError::TableLength { table: "corners", actual, expected });
        }
        if self.topology.fans.count() as usize > edges {
            return limit("fans", 0, self.topology.fans.count(), edges + 1);
        }
        check_each(self.vertices.plan.len(), |element| {
            let world = check_vertex(&self.frame, element, &self.vertices.plan[element])?;
            follows("positions", element, world == self.vertices.world[element])
        })?;
        check_each(edges, |edge| self.check_edge(edge))?;
        self.check_surface()?;
        check_each(polygons, |polygon| self.check_polygon(polygon, self.edge_range(polygon)))?;
        let find_islands = || {
            find_islands(
                &self.topology.polygon_first,
                &self.topology.neighbours,
                &self.topology.corners,
                self.frame.cell_area(),
            )
        };
        let build_squares =
            || Buckets::build(&self.index.bounds, &self.topology.polygon_first, &self.topology.walk);
        let ((labels, islands), (index, buckets)) =
            threads::join(polygons >= PARALLEL_POLYGONS, find_islands, || {
                (self.check_index(), build_squares())
            });
        follows("polygon_islands", 0, *self.islands.of_polygon == *labels)?;
        follows("islands", 0, *self.islands.figures == *islands)?;
        index?;
        follows("squares", 0, self.index.buckets == buckets)?;
        let slack = rounding_slack(&self.frame, &self.vertices.world, &self.index.bounds);
        follows("frame", 0, slack == (self.vertices.plan_slack, self.vertices.height_slack))
    }

    pub(crate) fn check_edge(&self, edge: usize) -> Result<(), NavMeshError> {
        let vertex = self.topology.corner_vertices[edge];
        let Some(&PlanVertex { point, height }) = self.vertices.plan.get(vertex.index()) else {
            return limit("corners", edge, vertex.0, self.vertices.plan.len());
        };
        let Fans { twins, corners: fans, .. } = &self.topology.fans;
        if fan_of(fans[edge]) >= self.topology.fans.count() {
            return limit("fans", edge, fan_of(fans[edge]), self.topology.fans.count() as usize);
        }
        let kind = self.topology.bridges.kinds[edge];
        if kind >= Bridges::KINDS {
            return limit("bridges", edge, u32::from(kind), usize::from(Bridges::KINDS));
        }
        let corner = Corner { x: point.x, z: point.z, height };
        follows("corners", edge, self.topology.corners[edge] == corner)?;
        let walk = WalkEdge::of(&corner, self.topology.neighbours[edge], twins[edge]);
        follows("walk", edge, self.topology.walk[edge] == walk)
    }

    /// Convex, wound once, and neighbours mutual over one whole edge; box and ground as they
    /// follow.
    fn check_polygon(&self, polygon: usize, range: Range<usize>) -> Result<(), NavMeshError> {
        let crooked = NavMeshError::NotConvex { polygon: PolyId::from_index(polygon) };
        if range.len() < 3 {
            return Err(crooked);
        }
        let next = |edge: usize| self.corner_after(to_u32(polygon), edge);
        let ascends = |a: PlanPoint, b: PlanPoint| (b.x, b.z) > (a.x, a.z);
        let point = |edge: usize| self.topology.corners[edge].point();
        let [mut a, mut b] = [point(range.end - 2), point(range.end - 1)];
        let (mut turns, mut has_area) = (0, false);
        for edge in range.clone() {
            let c = point(edge);
            let side = PlanPoint::orientation(a, b, c);
            if side < 0 || b == c {
                return Err(crooked);
            }
            has_area |= side > 0;
            turns += u32::from(ascends(a, b) != ascends(b, c));
            (a, b) = (b, c);
        }
        // Turns of one sign alone would also allow a loop that winds twice: x turns back twice in one that
        // winds once.
        if turns != 2 || !has_area {
            return Err(crooked);
        }
        for edge in range.clone() {
            if self.is_mutual(polygon, edge, next(edge)).is_none() {
                return Err(NavMeshError::OneSided { edge, neighbour: self.topology.neighbours[edge] });
            }
        }
        self.check_derived(polygon)
    }

    /// Checks the box and the ground of a polygon, which follow from its corners and its surface.
    pub(crate) fn check_derived(&self, polygon: usize) -> Result<(), NavMeshError> {
        let corners = &self.topology.corners[self.edge_range(polygon)];
        let bounds = bounds_of(polygon, corners, self.surface.heights.as_ref());
        follows("bounds", polygon, self.index.bounds[polygon] == bounds)?;
        let ground =
            self.surface.heights.as_ref().is_none_or(|surface| self.surface.ground.fits(surface, polygon));
        follows("ground_triangles", polygon, ground)
    }

    /// Nothing, unless an edge is a wall or the same from both sides.
    fn is_mutual(&self, polygon: usize, edge: usize, next: usize) -> Option<()> {
        let Fans { twins, corners: fans, .. } = &self.topology.fans;
        let (neighbour, twin) = (self.topology.neighbours[edge], twins[edge]);
        if neighbour == NO_NEIGHBOUR && twin == NO_NEIGHBOUR {
            return Some(());
        }
        let beyond = self.topology.polygon_first.get(neighbour as usize..neighbour as usize + 2)?;
        if neighbour as usize == polygon || !(beyond[0]..beyond[1]).contains(&twin) {
            return None;
        }
        let twin = twin as usize;
        let after = self.corner_after(neighbour, twin);
        let same_ends = self.topology.corner_vertices[twin] == self.topology.corner_vertices[next]
            && self.topology.corner_vertices[after] == self.topology.corner_vertices[edge];
        let same_fans = fans[twin] == fans[next] && fans[after] == fans[edge];
        let leads_back = self.topology.neighbours[twin] as usize == polygon && twins[twin] as usize == edge;
        (same_ends && same_fans && leads_back).then_some(())
    }

    /// Checks what lookups of heights rely on.
    fn check_surface(&self) -> Result<(), NavMeshError> {
        let Some(surface) = &self.surface.heights else { return Ok(()) };
        check_prefix(
            "surface_first",
            &surface.polygon_triangles,
            self.polygon_count(),
            surface.triangles.len(),
        )?;
        check_indices("surface_triangles", surface.triangles.as_flattened(), surface.points.len(), None)?;
        check_surface_points(&self.frame, &surface.points, surface.max_error)?;
        let Ground { boxes, first, .. } = &self.surface.ground;
        follows("ground_first", 0, first.first() == Some(&0))?;
        let last = first.last().map_or(0, |&last| last as usize);
        check_length("ground_boxes", boxes.len(), last)
    }

    /// Each polygon is in the index once, and the boxes are around what they should be.
    fn check_index(&self) -> Result<(), NavMeshError> {
        let polygons = self.polygon_count();
        let mut seen = vec![false; polygons];
        for (element, &polygon) in self.index.boxes.tables().1.iter().enumerate() {
            match seen.get_mut(polygon as usize) {
                Some(seen) if !*seen => *seen = true,
                _ => return limit("order", element, polygon, polygons),
            }
        }
        follows("boxes", 0, self.index.boxes.fits(&self.index.bounds))
    }
}
