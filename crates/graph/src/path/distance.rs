//! Exact distances of all places from one, as a map for many agents with one goal.

use glam::Vec3;
use waymesh_core::nearest_f32;

use super::any_angle::{AnyAngle, MOST_FLOODED, Seen};
use crate::geometry::plan::{PlanPosition, is_between};
use crate::locate::error::QueryError;
use crate::locate::nearest::Location;
use crate::mesh::filter::{AnyPolygon, PolygonFilter};
use crate::mesh::nav_mesh::{Generation, NavMesh};
use crate::mesh::table::firsts;

/// Direction from a place towards the goal of a [`DistanceMap`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heading {
    /// Length in space of the shortest path to the goal, in metres: as
    /// [`Query::distance`](crate::Query::distance) measures it, of the chain of corners of the path
    /// that is shortest in plan.
    pub distance: f32,
    /// End of the first straight leg in plan: the first corner it turns round, the far end of a link,
    /// or the goal; y is that of the requested place.
    pub next: Vec3,
}

/// The shortest paths from everywhere to one goal, for many agents: a flow field without a grid.
///
/// # Guarantees
/// - Paths are those of [`PathSearch::Shortest`](crate::PathSearch::Shortest), at every place, not
///   at samples.
/// - Links are taken both ways or, where they lead one way only, not at all.
///
/// # Memory
/// 96 bytes for each place that a path turns at and each polygon seen from there: a few dozen for
/// each polygon, more in open ground with many corners. A limit keeps it small.
#[doc(alias = "flow field")]
#[derive(Clone, Debug, PartialEq)]
pub struct DistanceMap {
    seen: Vec<Seen>,
    /// First entry in `seen` of each polygon, and their number at the end.
    first: Vec<u32>,
    generation: Generation,
    /// Checksum of the links.
    links: u64,
    limit: f64,
}

impl NavMesh {
    /// Returns distances to a goal: see [`crate::Query::distance_map`].
    pub(crate) fn distance_map(
        &self,
        goal: &Location,
        length: f32,
        filter: &impl PolygonFilter,
        memory: &mut AnyAngle,
    ) -> Result<DistanceMap, QueryError> {
        let start = self.spot_of(goal)?;
        let limit = f64::from(length) / f64::from(self.frame.cell_size);
        self.flood_shortest(&start, limit, MOST_FLOODED, filter, memory)?;
        let first = firsts(self.polygon_bound(), memory.seen.iter().map(|seen| seen.polygon));
        let mut order = memory.seen.clone();
        order.sort_by(|a, b| a.polygon.cmp(&b.polygon).then(a.nearest.total_cmp(&b.nearest)));
        let (generation, links) = (self.generation, self.links.stamp);
        Ok(DistanceMap { seen: order, first, generation, links, limit })
    }
}

impl DistanceMap {
    /// Returns the distance and the next corner from a place; `None` where no path within the limit
    /// leads to the goal. Takes time linear in what was seen of its polygon.
    ///
    /// # Errors
    /// [`QueryError::Stale`] for a mesh that it was not made for, and after links were added, removed,
    /// opened or closed. Others: see [`crate::Query::polygons_within`].
    pub fn heading(&self, mesh: &NavMesh, from: &Location) -> Result<Option<Heading>, QueryError> {
        if (mesh.generation, mesh.links.stamp) != (self.generation, self.links) {
            return Err(QueryError::Stale { polygon: from.polygon });
        }
        let spot = mesh.at_corner(mesh.spot_of(from)?);
        // The corner was rounded when it was returned.
        let slack = 1.5 * mesh.slack();
        let mut best = self.best_in(spot.polygon, spot.at, None);
        if let Some((_, &Seen { root, length, .. })) = best
            && length > 0.0
            && root.distance_squared(spot.at) <= slack * slack
        {
            // The corner before this one may be visible only in another polygon around it.
            let around = mesh.connected_at(spot.polygon, root, slack, &AnyPolygon);
            let onward = around.iter().filter_map(|&polygon| self.best_in(polygon, root, Some(root)));
            best = onward.min_by(|a, b| a.0.total_cmp(&b.0)).or(best);
        }
        let Some((_, &Seen { root, height, space, .. })) = best else { return Ok(None) };
        let mut next = mesh.frame.to_world(root.x, spot.height, root.z);
        next.y = from.position.y;
        let here = (spot.at, nearest_f32(spot.height));
        let distance = nearest_f32(space + mesh.space_between((root, height), here));
        Ok(Some(Heading { distance, next }))
    }

    /// Returns the length of the shortest path from a place of a polygon and where it leads first, but
    /// for paths that lead to `passed` first.
    fn best_in(&self, polygon: u32, at: PlanPosition, passed: Option<PlanPosition>) -> Option<(f64, &Seen)> {
        let range = self.first[polygon as usize] as usize..self.first[polygon as usize + 1] as usize;
        let mut best: Option<(f64, &Seen)> = None;
        for seen in &self.seen[range] {
            // In order of what is nearest: nothing behind is nearer.
            if best.is_some_and(|best| seen.nearest >= best.0) {
                break;
            }
            let is_seen = seen.rays.is_none_or(|rays| is_between(seen.root, rays, at));
            let length = seen.length + seen.root.distance_squared(at).sqrt();
            let is_better = best.is_none_or(|best| length < best.0);
            if is_seen && is_better && length <= self.limit && passed != Some(seen.root) {
                best = Some((length, seen));
            }
        }
        best
    }
}
