//! The height of the ground in a polygon.

use glam::Vec3;
use waymesh_core::PolyId;

use crate::geometry::plan::PlanPosition;
use crate::mesh::nav_mesh::NavMesh;

impl NavMesh {
    /// Returns the height of the ground at the plan position of `position`, in metres; `position.y`
    /// does not matter.
    ///
    /// - From the height surface where the mesh has one, else from triangles between the polygon's
    ///   edges and the mean of its corners. Both agree along the edge that two polygons share.
    /// - Outside the polygon, the height at a point of the polygon nearby; `None` if there is no
    ///   such polygon or a coordinate is not finite.
    /// - Takes time linear in the corners or surface triangles of the polygon.
    #[doc(alias = "getPolyHeight")]
    #[must_use]
    pub fn height_in_polygon(&self, polygon: PolyId, position: Vec3) -> Option<f32> {
        if !self.has_polygon(polygon) || !position.is_finite() {
            return None;
        }
        let [x, _, z] = self.frame.to_grid(position);
        let height = self.height_at(polygon.index(), PlanPosition { x, z });
        Some(self.frame.to_world(0.0, height, 0.0).y)
    }

    /// Returns a position at the height at which queries find it in a polygon: that of the ground
    /// below the rounded position, which differs from that of the exact place where ground is steep.
    pub(crate) fn on_ground(&self, polygon: PolyId, position: Vec3) -> Vec3 {
        let [x, _, z] = self.frame.to_grid(position);
        let at = PlanPosition::snapped(x, z);
        let bounds = &self.index.bounds[polygon.index()];
        let is_flat = bounds.min_height >= bounds.max_height;
        let at = if is_flat { at } else { self.closest_in_polygon(polygon.index(), at) };
        position.with_y(self.frame.to_world(0.0, self.height_at(polygon.index(), at), 0.0).y)
    }

    /// Returns the height in levels.
    #[inline]
    pub(crate) fn height_at(&self, polygon: usize, at: PlanPosition) -> f64 {
        let bounds = &self.index.bounds[polygon];
        // Most floors are flat.
        if bounds.min_height >= bounds.max_height {
            return f64::from(bounds.min_height);
        }
        self.sloped_height(polygon, at)
    }

    /// Returns the height as [`Self::height_at`] does, for a polygon whose ground is not flat.
    fn sloped_height(&self, polygon: usize, at: PlanPosition) -> f64 {
        match &self.surface.heights {
            Some(surface) => {
                let height = self.surface.ground.height(polygon, surface.triangles_of(polygon), at);
                height.unwrap_or_else(|| self.corner_height(polygon, at))
            }
            None => self.corner_height(polygon, at),
        }
    }

    fn corner_height(&self, polygon: usize, at: PlanPosition) -> f64 {
        let corners = &self.topology.corners[self.edge_range(polygon)];
        let share = 1.0 / corners.len() as f64;
        let mut mean = [0.0; 3];
        for corner in corners {
            mean[0] += f64::from(corner.x) * share;
            mean[1] += f64::from(corner.height) * share;
            mean[2] += f64::from(corner.z) * share;
        }
        let (px, pz) = (at.x - mean[0], at.z - mean[2]);
        let mut best = (f64::NEG_INFINITY, mean[1]);
        let last = corners[corners.len() - 1];
        let relative =
            |x: i32, z: i32, height: f32| [f64::from(x) - mean[0], f64::from(height), f64::from(z) - mean[2]];
        let mut a = relative(last.x, last.z, last.height);
        for corner in corners {
            let b = relative(corner.x, corner.z, corner.height);
            let area = a[0] * b[2] - a[2] * b[0];
            // Weights of the two corners, times area; the mean of a polygon with area lies strictly inside
            // it.
            let (u, v) = (px * b[2] - pz * b[0], a[0] * pz - a[2] * px);
            if area > 0.0 && u.min(v) > best.0 * area {
                let (u, v) = (u / area, v / area);
                let inside = u.min(v);
                let (u, v) = (u.max(0.0), v.max(0.0));
                let scale = 1.0 / (u + v).max(1.0);
                let (u, v) = (u * scale, v * scale);
                best = (inside, mean[1] + u * (a[1] - mean[1]) + v * (b[1] - mean[1]));
                if inside >= 0.0 {
                    break;
                }
            }
            a = b;
        }
        best.1
    }
}
