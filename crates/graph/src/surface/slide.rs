//! Moving along the surface.

use glam::Vec3;
use waymesh_core::CellId;

use super::SurfaceScratch;
use crate::filter::CellFilter;
use crate::mesh::NavMesh;
use crate::nearest::Location;
use crate::plan::{LATTICE_STEP, PlanPosition, closest_on_segment};
use crate::{PathEnd, QueryError};

impl NavMesh {
    /// Moves from a place towards a target, along walls where they are in the way.
    ///
    /// - Each cell that can be entered through edges within the circle that has start and target as opposite points offers its point closest
    ///   to the target; of those no farther from the start than the target, the closest wins. So a move never leads
    ///   farther than its length, never through a wall, never away from the target, and ends there where nothing is in the way.
    /// - For the small steps of a moving agent: takes time linear in the corners of the cells in that circle.
    /// - Links that are crossed like edges are crossed.
    ///
    /// # Errors
    /// As [`NavMesh::raycast`].
    pub fn move_along(
        &self,
        from: &Location,
        to: Vec3,
        filter: &impl CellFilter,
        scratch: &mut SurfaceScratch,
    ) -> Result<Location, QueryError> {
        let start = self.spot_of(from)?;
        let target = self.plan_of(PathEnd::Goal, to)?;
        let arrive = |cell: u32| {
            let mut place = self.place(cell, target);
            (place.position.x, place.position.z) = (to.x, to.z);
            place
        };
        if self.holds(start.cell, target) {
            return Ok(arrive(start.cell));
        }
        let middle = PlanPosition { x: (start.at.x + target.x) / 2.0, z: (start.at.z + target.z) / 2.0 };
        let radius = start.at.distance_squared(target).sqrt() / 2.0 + LATTICE_STEP;
        let most = start.at.distance_squared(target);
        let mut best = (start.at.distance_squared(target), start.cell, start.at);
        scratch.begin(self.cell_count(), start.cell);
        while let Some((_, cell)) = scratch.next() {
            let closest = self.closest_in_cell(cell as usize, target);
            let distance = closest.distance_squared(target);
            if distance < best.0 && closest.distance_squared(start.at) <= most {
                best = (distance, cell, closest);
            }
            if closest == target {
                return Ok(arrive(cell));
            }
            self.open_neighbours(cell, middle, radius, filter, scratch, |_, _, _| {});
        }
        Ok(self.place(best.1, best.2))
    }

    /// Opens the cells beyond the edges and links that come within `radius` of a place, and calls `wall(cell, edge, distance squared)` for
    /// the edges that cannot be crossed.
    pub(super) fn open_neighbours(
        &self,
        cell: u32,
        at: PlanPosition,
        radius: f64,
        filter: &impl CellFilter,
        scratch: &mut SurfaceScratch,
        mut wall: impl FnMut(u32, usize, f64),
    ) {
        for edge in self.edge_range(cell as usize) {
            let [a, b] = self.ends_of(cell, edge);
            let (x, z) = closest_on_segment(a, b, at);
            let distance = at.distance_squared(PlanPosition { x, z });
            if distance > radius * radius {
                continue;
            }
            match self.open_beyond(edge, filter) {
                Some(beyond) => scratch.open(beyond, distance),
                None => wall(cell, edge, distance),
            }
        }
        for &leaving in self.links.leaving(cell) {
            let way = self.way_of(leaving);
            let beyond = self.beyond(way);
            if self.links.is_portal(self.link_of(way).0) && filter.allows(self, CellId(beyond)) {
                let [a, b] = self.edge_ends(CellId(cell), way);
                let (x, z) = closest_on_segment(a, b, at);
                let distance = at.distance_squared(PlanPosition { x, z });
                if distance <= radius * radius {
                    scratch.open(beyond, distance);
                }
            }
        }
    }
}
