//! Straight from start to goal, where nothing is in the way: the shortest path, found without
//! a search.

use waymesh_core::{PolyId, to_u32};

use crate::locate::nearest::Spot;
use crate::locate::ray::RayExit;
use crate::mesh::bounds::NO_NEIGHBOUR;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::nav_mesh::NavMesh;
use crate::mesh::walk::WalkEdge;

impl NavMesh {
    /// Leaves the edges that are crossed straight from `start` to `goal` in `corridor`, if
    /// each is crossed through its inside and the last leads into the polygon of the goal.
    /// Returns `true` if this is so; the corridor is empty otherwise.
    ///
    /// Takes a few nanoseconds for each polygon up to the first wall: usually less than opening a
    /// few nodes of a search.
    pub(super) fn goes_straight(
        &self,
        [start, goal]: [&Spot; 2],
        filter: &impl PolygonFilter,
        corridor: &mut Vec<u32>,
    ) -> bool {
        corridor.clear();
        let ray = self.ray(start.at, goal.at);
        let (mut polygon, mut exit) = (start.polygon, self.exit_from(start.polygon, &ray));
        while let Some(RayExit::Through(edge)) = exit {
            let WalkEdge { beyond, twin, .. } = self.topology.walk[edge];
            let is_open = beyond != NO_NEIGHBOUR && filter.may_cross(self, PolyId(polygon), PolyId(beyond));
            // A mesh that winds about a point is not walked for ever.
            if !is_open || corridor.len() > self.polygon_count() {
                break;
            }
            corridor.push(to_u32(edge));
            if beyond == goal.polygon {
                return true;
            }
            (polygon, exit) = (beyond, Some(self.exit_through(beyond, twin as usize, &ray)));
        }
        corridor.clear();
        false
    }
}
