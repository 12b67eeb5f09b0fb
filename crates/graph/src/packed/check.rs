//! Whatever queries rely on, checked in linear time.

use waymesh_core::{GridFrame, HeightSurface, PlanPoint, PlanVertex};

use crate::bridges::Bridges;
use crate::data::{NO_NEIGHBOUR, check_indices, check_length, check_prefix};
use crate::fans::fan_of;
use crate::mesh::check_surface_points;
use crate::{Island, NavMeshError};

/// Tables of a mesh.
pub(super) struct Tables<'a> {
    pub(super) vertices: &'a [PlanVertex],
    pub(super) cell_first: &'a [u32],
    /// Vertex, neighbour, twin, fan.
    pub(super) edges: &'a [[u32; 4]],
    /// Region, island, range of the bridges.
    pub(super) cells: &'a [[u32; 4]],
    pub(super) areas: &'a [u8],
    pub(super) bridges: &'a [u8],
    pub(super) islands: &'a [Island],
    pub(super) order: &'a [u32],
    pub(super) fan_count: u32,
}

impl Tables<'_> {
    pub(super) fn check(&self) -> Result<(), NavMeshError> {
        let (cells, edges) = (self.cells.len(), self.edges.len());
        check_length("areas", self.areas.len(), cells)?;
        check_length("bridges", self.bridges.len(), edges)?;
        check_length("order", self.order.len(), cells)?;
        check_prefix("cell_first", self.cell_first, cells, edges)?;
        if edges >= NO_NEIGHBOUR as usize {
            return Err(NavMeshError::TableLength {
                table: "corners",
                actual: edges,
                expected: NO_NEIGHBOUR as usize,
            });
        }
        let limit = |table, element, value: u32, limit: usize| {
            let (value, limit) = (i64::from(value), limit as i64 - 1);
            Err(NavMeshError::OutOfRange { table, element, value, limit })
        };
        for (element, &[vertex, _, _, fan]) in self.edges.iter().enumerate() {
            if vertex as usize >= self.vertices.len() {
                return limit("corners", element, vertex, self.vertices.len());
            }
            if fan_of(fan) >= self.fan_count || self.fan_count as usize > edges {
                return limit("fans", element, fan_of(fan), self.fan_count as usize);
            }
        }
        if let Some((element, &kind)) =
            self.bridges.iter().enumerate().find(|&(_, &kind)| kind >= Bridges::KINDS)
        {
            return limit("bridges", element, u32::from(kind), usize::from(Bridges::KINDS));
        }
        for (cell, range) in self.cell_first.windows(2).enumerate() {
            let island = self.cells[cell][1];
            if island as usize >= self.islands.len() {
                return limit("cell_islands", cell, island, self.islands.len());
            }
            self.check_cell(cell, range[0] as usize..range[1] as usize)?;
        }
        for (element, island) in self.islands.iter().enumerate() {
            if island.first.index() >= cells {
                return limit("islands", element, island.first.0, cells);
            }
        }
        let mut seen = vec![false; cells];
        for (element, &cell) in self.order.iter().enumerate() {
            match seen.get_mut(cell as usize) {
                Some(seen) if !*seen => *seen = true,
                _ => return limit("order", element, cell, cells),
            }
        }
        Ok(())
    }

    fn point(&self, edge: usize) -> PlanPoint {
        self.vertices[self.edges[edge][0] as usize].point
    }

    /// Convex, wound once, and neighbours mutual over one whole edge.
    fn check_cell(&self, cell: usize, range: std::ops::Range<usize>) -> Result<(), NavMeshError> {
        let crooked = NavMeshError::NotConvex { cell: waymesh_core::CellId::from_index(cell) };
        if range.len() < 3 {
            return Err(crooked);
        }
        let next = |edge: usize| if edge + 1 == range.end { range.start } else { edge + 1 };
        let ascends = |a: PlanPoint, b: PlanPoint| (b.x, b.z) > (a.x, a.z);
        let [mut a, mut b] = [self.point(range.end - 2), self.point(range.end - 1)];
        let (mut turns, mut has_area) = (0, false);
        for edge in range.clone() {
            let c = self.point(edge);
            let side = PlanPoint::orientation(a, b, c);
            if side < 0 || b == c {
                return Err(crooked);
            }
            has_area |= side > 0;
            turns += u32::from(ascends(a, b) != ascends(b, c));
            (a, b) = (b, c);
        }
        // Turns of one sign alone would also allow a loop that winds twice: x turns back twice in one that winds once.
        if turns != 2 || !has_area {
            return Err(crooked);
        }
        for edge in range.clone() {
            let [vertex, neighbour, twin, _] = self.edges[edge];
            if neighbour == NO_NEIGHBOUR && twin == NO_NEIGHBOUR {
                continue;
            }
            let to = self.edges[next(edge)];
            let is_mutual = || {
                let beyond = self.cell_first.get(neighbour as usize..neighbour as usize + 2)?;
                let beyond = beyond[0] as usize..beyond[1] as usize;
                let twin = twin as usize;
                if neighbour as usize == cell || !beyond.contains(&twin) {
                    return None;
                }
                let after = if twin + 1 == beyond.end { beyond.start } else { twin + 1 };
                let ([from, back, again, fan], end) = (self.edges[twin], self.edges[after]);
                let fans = fan == to[3] && end[3] == self.edges[edge][3];
                let same = from == to[0] && end[0] == vertex && fans;
                let island = self.cells[cell][1] == self.cells[neighbour as usize][1];
                (same && back as usize == cell && again as usize == edge && island).then_some(())
            };
            if is_mutual().is_none() {
                return Err(NavMeshError::OneSided { edge, neighbour });
            }
        }
        Ok(())
    }
}

/// Checks what lookups of heights rely on.
pub(super) fn check_surface(
    frame: &GridFrame,
    surface: &HeightSurface,
    cells: usize,
) -> Result<(), NavMeshError> {
    check_prefix("surface_first", &surface.cell_triangles, cells, surface.triangles.len())?;
    check_indices("surface_triangles", surface.triangles.as_flattened(), surface.points.len(), None)?;
    check_surface_points(frame, surface)
}

/// Without a surface its tables are empty.
pub(super) fn check_no_surface(points: &[u8], triangles: &[u8], first: &[u8]) -> Result<(), NavMeshError> {
    check_length("surface_points", points.len(), 0)?;
    check_length("surface_triangles", triangles.len(), 0)?;
    check_length("surface_first", first.len(), 0)
}
