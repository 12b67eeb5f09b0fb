//! The height of the ground in a cell.

use glam::Vec3;
use waymesh_core::{CellId, HeightSurface};

use crate::mesh::NavMesh;
use crate::plan::PlanPosition;

impl NavMesh {
    /// Height of the ground at the plan position of `position`, in metres; `position.y` does not matter.
    ///
    /// - From the height surface where the mesh has one, else from triangles between the cell's edges and the mean of its
    ///   corners. Both agree along the edge that two cells share.
    /// - Outside the cell, the height at a point of the cell nearby; `None` if there is no such cell or a coordinate is not
    ///   finite.
    /// - Takes time linear in the corners or surface triangles of the cell.
    #[must_use]
    pub fn height_in_cell(&self, cell: CellId, position: Vec3) -> Option<f32> {
        if cell.index() >= self.cell_count() || !position.is_finite() {
            return None;
        }
        let [x, _, z] = self.frame.to_grid(position);
        let height = self.height_at(cell.index(), PlanPosition { x, z });
        Some(self.frame.to_world(0.0, height, 0.0).y)
    }

    /// Height in levels.
    pub(crate) fn height_at(&self, cell: usize, at: PlanPosition) -> f64 {
        match &self.surface {
            Some(surface) => {
                surface_height(surface, cell, at).unwrap_or_else(|| self.corner_height(cell, at))
            }
            None => self.corner_height(cell, at),
        }
    }

    fn corner_height(&self, cell: usize, at: PlanPosition) -> f64 {
        let corners = &self.corners[self.edge_range(cell)];
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
            // Weights of the two corners; the mean of a cell with area lies strictly inside it.
            let u = (px * b[2] - pz * b[0]) / area;
            let v = (a[0] * pz - a[2] * px) / area;
            let inside = u.min(v);
            if area > 0.0 && inside > best.0 {
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

/// Height of the surface, in levels, at the point of the cell's triangles that is nearest in weights. `None` if the cell has
/// no triangle with area.
fn surface_height(surface: &HeightSurface, cell: usize, at: PlanPosition) -> Option<f64> {
    let range = surface.cell_triangles[cell] as usize..surface.cell_triangles[cell + 1] as usize;
    let mut best = (f64::NEG_INFINITY, None);
    for triangle in &surface.triangles[range] {
        let [a, b, c] = triangle.map(|point| surface.points[point as usize]);
        let (bx, bz) = (f64::from(b.x - a.x), f64::from(b.z - a.z));
        let (cx, cz) = (f64::from(c.x - a.x), f64::from(c.z - a.z));
        let (px, pz) = (at.x - f64::from(a.x), at.z - f64::from(a.z));
        let area = bx * cz - bz * cx;
        let (v, w) = (px * cz - pz * cx, bx * pz - bz * px);
        // Weights times area: no division until the triangle is known.
        let inside = (area - v - w).min(v).min(w);
        if area > 0.0 && inside >= 0.0 {
            best.1 = Some((a, b, c, v / area, w / area));
            break;
        }
        if area > 0.0 && inside / area > best.0 {
            best = (inside / area, Some((a, b, c, v / area, w / area)));
        }
    }
    let (a, b, c, v, w) = best.1?;
    let (u, v, w) = ((1.0 - v - w).max(0.0), v.max(0.0), w.max(0.0));
    let sum = u + v + w;
    Some((u * f64::from(a.height) + v * f64::from(b.height) + w * f64::from(c.height)) / sum)
}
