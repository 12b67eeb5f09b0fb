//! Moving and looking about on the surface, in the plan and from polygon to polygon: storeys above
//! and below do not matter.

mod around;
mod plan_view;
mod raycast;
mod sample;
pub(crate) mod scratch;
mod slide;
mod wall;

use glam::Vec3;
pub use plan_view::PlanView;
pub use raycast::{RayHit, Raycast};
pub use sample::PlaceSampler;
pub use wall::{Wall, WallPiece};
use waymesh_core::PolyId;

use crate::geometry::plan::{LATTICE_STEP, PlanPosition};
use crate::locate::error::{PathEnd, QueryError};
use crate::locate::nearest::{Location, Spot};
use crate::mesh::fans::WalkEdge;
use crate::mesh::nav_mesh::NavMesh;

impl NavMesh {
    /// Returns where a location lies in the grid, if it is one of this mesh.
    pub(crate) fn spot_of(&self, location: &Location) -> Result<Spot, QueryError> {
        let asked = self.requested_plan(location)?;
        let at = self.inside(location.polygon.0, asked);
        Ok(Spot { within: at == asked, ..self.spot_at(location.polygon.0, at) })
    }

    /// Returns what [`Self::place_of`] gives if it lies in the polygon.
    #[inline]
    pub(crate) fn requested_plan(&self, location: &Location) -> Result<PlanPosition, QueryError> {
        if location.generation != self.generation {
            return Err(QueryError::Stale { polygon: location.polygon });
        }
        if !self.has_polygon(location.polygon) {
            return Err(QueryError::NoPolygon { polygon: location.polygon });
        }
        self.plan_of(PathEnd::Start, location.position)
    }

    /// Returns the place of the lattice in a polygon that is closest to another, but for a few
    /// steps of the lattice.
    #[inline]
    pub(crate) fn inside(&self, polygon: u32, asked: PlanPosition) -> PlanPosition {
        if self.holds(polygon, asked) { asked } else { self.moved_inside(polygon, asked) }
    }

    #[cold]
    fn moved_inside(&self, polygon: u32, asked: PlanPosition) -> PlanPosition {
        let at = self.closest_in_polygon(polygon as usize, asked);
        if self.holds(polygon, at) {
            return at;
        }
        // Rounded to just outside.
        for step in [1.0, 2.0, 4.0, 16.0].map(|steps| steps * LATTICE_STEP) {
            for (x, z) in [
                (1.0, 0.0),
                (-1.0, 0.0),
                (0.0, 1.0),
                (0.0, -1.0),
                (1.0, 1.0),
                (1.0, -1.0),
                (-1.0, 1.0),
                (-1.0, -1.0),
            ] {
                let near = PlanPosition { x: at.x + x * step, z: at.z + z * step };
                if self.holds(polygon, near) {
                    return near;
                }
            }
        }
        // A polygon as thin as that: its nearest corner.
        let corners = self.walk_edges(polygon).iter().map(WalkEdge::start);
        corners.min_by(|a, b| a.distance_squared(at).total_cmp(&b.distance_squared(at))).unwrap_or(at)
    }

    #[inline]
    fn plan_of(&self, end: PathEnd, position: Vec3) -> Result<PlanPosition, QueryError> {
        QueryError::unless_finite(end, position)?;
        let [x, _, z] = self.frame.to_grid(position);
        Ok(PlanPosition::snapped(x, z))
    }

    /// Returns the place in a polygon that is closest in plan to `position`, on the polygon's ground;
    /// `position.y` does not matter. Takes time linear in the polygon's corners.
    ///
    /// # Errors
    /// - [`QueryError::NoPolygon`] for a polygon that is not there.
    /// - [`QueryError::NotFinite`] for NaN or infinity.
    #[doc(alias = "closestPointOnPoly")]
    #[doc(alias = "getPolyHeight")]
    pub fn closest_on_polygon(&self, polygon: PolyId, position: Vec3) -> Result<Location, QueryError> {
        if !self.has_polygon(polygon) {
            return Err(QueryError::NoPolygon { polygon });
        }
        let asked = self.plan_of(PathEnd::Start, position)?;
        let at = self.closest_in_polygon(polygon.index(), asked);
        Ok(if at == asked { self.place_at(polygon.0, position) } else { self.place(polygon.0, at) })
    }

    /// Returns a place of a polygon, at the height of the ground there.
    #[inline]
    pub(crate) fn place(&self, polygon: u32, at: PlanPosition) -> Location {
        self.place_at(polygon, self.frame.to_world(at.x, 0.0, at.z))
    }

    /// Returns where a position is on the ground of a polygon, if it lies there in plan.
    pub(crate) fn place_within(&self, polygon: PolyId, position: Vec3) -> Option<Location> {
        let at = self.plan_of(PathEnd::Goal, position).ok()?;
        self.holds(polygon.0, at).then(|| self.place_at(polygon.0, position))
    }

    /// Returns the place as [`Self::place`] does, with the plan coordinates of the requested position.
    #[inline]
    pub(crate) fn place_at(&self, polygon: u32, asked: Vec3) -> Location {
        let polygon = PolyId(polygon);
        Location { polygon, position: self.on_ground(polygon, asked), generation: self.generation }
    }
}
