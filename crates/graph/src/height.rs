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
                let range = surface.cell_triangles[cell] as usize..surface.cell_triangles[cell + 1] as usize;
                ground_height(&self.ground[range], at).unwrap_or_else(|| self.corner_height(cell, at))
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
            // Weights of the two corners, times area; the mean of a cell with area lies strictly inside it.
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

/// A triangle of the height surface, without a detour over its points: 36 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GroundTriangle {
    x: f32,
    z: f32,
    /// From the first corner to the other two, x and z.
    second: [f32; 2],
    third: [f32; 2],
    heights: [f32; 3],
}

/// All triangles of a height surface.
pub(crate) fn ground_triangles(surface: &HeightSurface) -> Vec<GroundTriangle> {
    let triangles = surface.triangles.iter();
    triangles
        .map(|triangle| {
            let [a, b, c] = triangle.map(|point| surface.points[point as usize]);
            GroundTriangle {
                x: a.x,
                z: a.z,
                second: [b.x - a.x, b.z - a.z],
                third: [c.x - a.x, c.z - a.z],
                heights: [a.height, b.height, c.height],
            }
        })
        .collect()
}

/// Height in levels at the point of some triangles that is nearest in weights. `None` if none has area.
#[inline]
fn ground_height(triangles: &[GroundTriangle], at: PlanPosition) -> Option<f64> {
    let mut best = (f64::NEG_INFINITY, None);
    for triangle in triangles {
        let ([bx, bz], [cx, cz]) = (triangle.second.map(f64::from), triangle.third.map(f64::from));
        let (px, pz) = (at.x - f64::from(triangle.x), at.z - f64::from(triangle.z));
        let area = bx * cz - bz * cx;
        let (v, w) = (px * cz - pz * cx, bx * pz - bz * px);
        // Weights times area: no division until the triangle is known.
        let inside = (area - v - w).min(v).min(w);
        if area > 0.0 && inside >= 0.0 {
            best.1 = Some((triangle, v / area, w / area));
            break;
        }
        if area > 0.0 && inside > best.0 * area {
            best = (inside / area, Some((triangle, v / area, w / area)));
        }
    }
    let (triangle, v, w) = best.1?;
    let (u, v, w) = ((1.0 - v - w).max(0.0), v.max(0.0), w.max(0.0));
    let sum = u + v + w;
    let [a, b, c] = triangle.heights.map(f64::from);
    Some((u * a + v * b + w * c) / sum)
}
