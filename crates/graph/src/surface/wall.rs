//! The walls around a place.

use glam::Vec3;
use waymesh_core::{PolyId, nearest_f32, to_u32};

use super::raycast::normal;
use super::scratch::SurfaceScratch;
use crate::geometry::plan::{PlanPosition, closest_on_segment, orientation, to_segment_squared};
use crate::locate::error::QueryError;
use crate::locate::nearest::Location;
use crate::locate::reach::unless_0_or_more;
use crate::mesh::crossings::Portal;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::nav_mesh::NavMesh;

/// The wall nearest to a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wall {
    /// Its distance in plan, in metres.
    pub distance: f32,
    /// Its closest point.
    pub point: Vec3,
    /// Its normal in the plan, of length 1, towards the polygon; y is 0.
    pub normal: Vec3,
    /// The polygon on this side of it.
    pub polygon: PolyId,
    /// Edge of the polygon.
    pub edge: u32,
}

impl NavMesh {
    /// Returns the nearest wall: see [`crate::Query::wall`].
    pub(crate) fn nearest_wall(
        &self,
        from: &Location,
        radius: f32,
        filter: &impl PolygonFilter,
        scratch: &mut SurfaceScratch,
    ) -> Result<Option<Wall>, QueryError> {
        unless_0_or_more("radius", radius)?;
        let start = self.spot_of(from)?;
        let limit = f64::from(radius) / f64::from(self.frame.cell_size) + self.slack();
        let mut best = (limit * limit, None);
        scratch.begin(self.polygon_bound(), start.polygon);
        while let Some((distance, polygon)) = scratch.next() {
            if distance > best.0 {
                break;
            }
            let reach = best.0.sqrt();
            self.open_neighbours(polygon, start.at, reach, filter, scratch, |polygon, edge| {
                if let Some((distance, place)) = self.closest_on_wall(polygon, edge, start.at, filter)
                    && (distance < best.0 || (best.1.is_none() && distance <= best.0))
                {
                    best = (distance, Some((polygon, edge, place)));
                }
            });
        }
        let Some((polygon, edge, place)) = best.1 else { return Ok(None) };
        let [a, b] = self.ends_of(polygon, edge);
        let (nx, nz) = normal(a, b);
        let (nx, nz, metres) =
            (nearest_f32(nx), nearest_f32(nz), nearest_f32(best.0.sqrt() * f64::from(self.frame.cell_size)));
        let first = self.topology.polygon_first[polygon as usize] as usize;
        Ok(Some(Wall {
            distance: metres,
            point: self.place(polygon, place).position,
            normal: Vec3::new(nx, 0.0, nz),
            polygon: PolyId(polygon),
            edge: to_u32(edge - first),
        }))
    }

    /// Finds the walls near a place: see [`crate::Query::walls`].
    pub(crate) fn walls_within(
        &self,
        from: &Location,
        radius: f32,
        filter: &impl PolygonFilter,
        scratch: &mut SurfaceScratch,
        out: &mut Vec<WallPiece>,
    ) -> Result<(), QueryError> {
        out.clear();
        unless_0_or_more("radius", radius)?;
        let start = self.spot_of(from)?;
        let limit = f64::from(radius) / f64::from(self.frame.cell_size) + self.slack();
        scratch.begin(self.polygon_bound(), start.polygon);
        while let Some((_, polygon)) = scratch.next() {
            self.open_neighbours(polygon, start.at, limit, filter, scratch, |polygon, edge| {
                self.wall_pieces(polygon, edge, filter, |a, b| {
                    if to_segment_squared(a, b, start.at) <= limit * limit {
                        let ends = [a, b].map(|end| self.place(polygon, end).position);
                        out.push(WallPiece { polygon: PolyId(polygon), ends });
                    }
                });
            });
        }
        out.sort_by(|one, other| self.compare_polygons(one.polygon, other.polygon));
        Ok(())
    }

    /// Returns the closest point of a wall, but for the links that lead through it.
    fn closest_on_wall(
        &self,
        polygon: u32,
        edge: usize,
        at: PlanPosition,
        filter: &impl PolygonFilter,
    ) -> Option<(f64, PlanPosition)> {
        let mut best: Option<(f64, PlanPosition)> = None;
        self.wall_pieces(polygon, edge, filter, |a, b| {
            let place = closest_on_segment(a, b, at);
            let distance = at.distance_squared(place);
            if best.is_none_or(|best| distance < best.0) {
                best = Some((distance, place));
            }
        });
        best
    }

    /// Calls `piece` for what links leave of a wall.
    fn wall_pieces(
        &self,
        polygon: u32,
        edge: usize,
        filter: &impl PolygonFilter,
        mut piece: impl FnMut(PlanPosition, PlanPosition),
    ) {
        let [a, b] = self.ends_of(polygon, edge);
        let along = |p: PlanPosition| (p.x - a.x) * (b.x - a.x) + (p.z - a.z) * (b.z - a.z);
        let end = along(b);
        let is_open = |portal: &Portal| self.open_crossing(polygon, portal.crossing, filter).is_some();
        let is_on_wall =
            |portal: &Portal| [portal.right, portal.left].iter().all(|&end| orientation(a, b, end) == 0.0);
        let portals = || self.link_portals(polygon).filter(is_open).filter(is_on_wall);
        let (mut from, mut at) = (a, 0.0);
        while at < end {
            // The portal that begins next, the longest of those that begin before here.
            let next = portals()
                .map(|portal| (along(portal.right).max(at), along(portal.left), portal))
                .filter(|portal| portal.1 > at)
                .min_by(|one, other| one.0.total_cmp(&other.0).then(other.1.total_cmp(&one.1)));
            let Some((begin, stop, portal)) = next.filter(|portal| portal.0 < end) else {
                piece(from, b);
                return;
            };
            if begin > at {
                piece(from, portal.right);
            }
            (from, at) = (portal.left, stop);
        }
    }
}

/// A piece of wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallPiece {
    /// The polygon on this side of it.
    pub polygon: PolyId,
    /// Right and left end as seen from there, on the ground.
    pub ends: [Vec3; 2],
}
