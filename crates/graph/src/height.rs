//! The height of the ground in a polygon.

use std::ops::Range;

use glam::{Vec3, Vec4};
use waymesh_core::{PolyId, SurfacePoint};

use crate::box_index::around;
use crate::height_tables::HeightTables;
use crate::mesh::NavMesh;
use crate::plan::PlanPosition;
use crate::table::Table;

impl NavMesh {
    /// Height of the ground at the plan position of `position`, in metres; `position.y` does not
    /// matter.
    ///
    /// - From the height surface where the mesh has one, else from triangles between the polygon's
    ///   edges and the mean of its corners. Both agree along the edge that two polygons share.
    /// - Outside the polygon, the height at a point of the polygon nearby; `None` if there is no
    ///   such polygon or a coordinate is not finite.
    /// - Takes time linear in the corners or surface triangles of the polygon.
    #[must_use]
    pub fn height_in_polygon(&self, polygon: PolyId, position: Vec3) -> Option<f32> {
        if polygon.index() >= self.polygon_count() || !position.is_finite() {
            return None;
        }
        let [x, _, z] = self.frame.to_grid(position);
        let height = self.height_at(polygon.index(), PlanPosition { x, z });
        Some(self.frame.to_world(0.0, height, 0.0).y)
    }

    /// Height in levels.
    #[inline]
    pub(crate) fn height_at(&self, polygon: usize, at: PlanPosition) -> f64 {
        let bounds = &self.bounds[polygon];
        // Most floors are flat.
        if bounds.min_height >= bounds.max_height {
            return f64::from(bounds.min_height);
        }
        self.sloped_height(polygon, at)
    }

    /// As [`Self::height_at`], where the ground of the polygon is not flat.
    fn sloped_height(&self, polygon: usize, at: PlanPosition) -> f64 {
        match &self.surface {
            Some(surface) => {
                let range = surface.polygon_triangles[polygon] as usize
                    ..surface.polygon_triangles[polygon + 1] as usize;
                self.ground.height(polygon, range, at).unwrap_or_else(|| self.corner_height(polygon, at))
            }
            None => self.corner_height(polygon, at),
        }
    }

    fn corner_height(&self, polygon: usize, at: PlanPosition) -> f64 {
        let corners = &self.corners[self.edge_range(polygon)];
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

/// The triangles of a height surface, made to be searched: 52 bytes each.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Ground {
    triangles: Table<GroundTriangle>,
    /// Boxes around four triangles of one polygon each.
    boxes: Table<FourBoxes>,
    /// First of `boxes` of each polygon, and their number at the end.
    first: Table<u32>,
}

/// A triangle, without a detour over its points.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct GroundTriangle {
    x: f32,
    z: f32,
    /// From the first corner to the other two.
    second_x: f32,
    second_z: f32,
    third_x: f32,
    third_z: f32,
    heights: [f32; 3],
}

/// Sides of four boxes, for the vector units.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct FourBoxes {
    min_x: Vec4,
    max_x: Vec4,
    min_z: Vec4,
    max_z: Vec4,
}

impl FourBoxes {
    fn of(corners: &[[SurfacePoint; 3]]) -> Self {
        let ends = |of: fn(&SurfacePoint) -> f32| {
            let (mut low, mut high) = ([f32::INFINITY; 4], [f32::NEG_INFINITY; 4]);
            for (place, corners) in corners.iter().enumerate() {
                for value in corners.iter().map(of) {
                    (low[place], high[place]) = (low[place].min(value), high[place].max(value));
                }
            }
            (Vec4::from_array(low), Vec4::from_array(high))
        };
        let ((min_x, max_x), (min_z, max_z)) = (ends(|point| point.x), ends(|point| point.z));
        Self { min_x, max_x, min_z, max_z }
    }
}

impl Ground {
    /// Prepares a surface. Linear time.
    pub(crate) fn of(surface: &HeightTables) -> Self {
        let mut triangles = Vec::with_capacity(surface.triangles.len());
        let mut boxes = Vec::with_capacity(surface.triangles.len() / 3);
        let mut first = Vec::with_capacity(surface.polygon_triangles.len());
        for polygon in 0..surface.polygon_triangles.len() - 1 {
            first.push(PolyId::from_index(boxes.len()).0);
            fours(surface, polygon, |four| {
                boxes.push(FourBoxes::of(four));
                triangles.extend(four.iter().map(GroundTriangle::of));
            });
        }
        first.push(PolyId::from_index(boxes.len()).0);
        Self { triangles: triangles.into(), boxes: boxes.into(), first: first.into() }
    }

    /// As [`Self::of`], from its tables.
    pub(crate) fn from_tables(
        triangles: Table<GroundTriangle>,
        boxes: Table<FourBoxes>,
        first: Table<u32>,
    ) -> Self {
        Self { triangles, boxes, first }
    }

    /// Triangles, boxes, and the first box of each polygon.
    pub(crate) fn tables(&self) -> (&Table<GroundTriangle>, &Table<FourBoxes>, &Table<u32>) {
        (&self.triangles, &self.boxes, &self.first)
    }

    /// Whether what it has for a polygon is what [`Self::of`] gives. The surface was checked, and
    /// the tables have the right lengths.
    pub(crate) fn fits(&self, surface: &HeightTables, polygon: usize) -> bool {
        let mut triangles = self.triangles[surface.polygon_triangles[polygon] as usize..].iter();
        let mut boxes = self.boxes.get(self.first[polygon] as usize..).unwrap_or_default().iter();
        let mut fits = true;
        let mut count = self.first[polygon];
        fours(surface, polygon, |four| {
            fits &= boxes.next() == Some(&FourBoxes::of(four));
            fits &= four.iter().all(|corners| triangles.next() == Some(&GroundTriangle::of(corners)));
            count = count.saturating_add(1);
        });
        fits && self.first[polygon + 1] == count
    }
}

/// Calls `visit` for the triangles of a polygon, four at a time.
fn fours(surface: &HeightTables, polygon: usize, mut visit: impl FnMut(&[[SurfacePoint; 3]])) {
    let range = surface.polygon_triangles[polygon] as usize..surface.polygon_triangles[polygon + 1] as usize;
    for four in surface.triangles[range].chunks(4) {
        let mut buffer = [[SurfacePoint { x: 0.0, height: 0.0, z: 0.0 }; 3]; 4];
        for (place, triangle) in buffer.iter_mut().zip(four) {
            *place = triangle.map(|point| surface.points[point as usize]);
        }
        visit(&buffer[..four.len()]);
    }
}

impl Ground {
    /// Height in levels on the polygon's triangles `range`, at the point that is nearest in
    /// weights. `None` if none has area.
    #[inline]
    fn height(&self, polygon: usize, range: Range<usize>, at: PlanPosition) -> Option<f64> {
        let ([x0, x1], [z0, z1]) = (around(at.x).map(Vec4::splat), around(at.z).map(Vec4::splat));
        let boxes = &self.boxes[self.first[polygon] as usize..self.first[polygon + 1] as usize];
        for (boxes, first) in boxes.iter().zip(range.clone().step_by(4)) {
            let is_near =
                boxes.min_x.cmple(x1) & boxes.max_x.cmpge(x0) & boxes.min_z.cmple(z1) & boxes.max_z.cmpge(z0);
            let mut near = is_near.bitmask();
            while near != 0 {
                let triangle = &self.triangles[first + near.trailing_zeros() as usize];
                let (area, v, w) = triangle.weights(at);
                let u = area - v - w;
                if (area > 0.0) & (u >= 0.0) & (v >= 0.0) & (w >= 0.0) {
                    return Some(triangle.height(u, v, w));
                }
                near &= near - 1;
            }
        }
        self.nearest_height(range, at)
    }

    /// As [`Self::height`], for a place beside all triangles.
    #[cold]
    fn nearest_height(&self, range: Range<usize>, at: PlanPosition) -> Option<f64> {
        // How far inside, times the area, the area, the triangle: compared without a division.
        let mut best: Option<(f64, f64, &GroundTriangle)> = None;
        for triangle in &self.triangles[range] {
            let (area, v, w) = triangle.weights(at);
            let inside = (area - v - w).min(v).min(w);
            if area > 0.0 && best.is_none_or(|best| inside * best.1 > best.0 * area) {
                best = Some((inside, area, triangle));
            }
        }
        best.map(|(_, _, triangle)| {
            let (area, v, w) = triangle.weights(at);
            let [u, v, w] = [area - v - w, v, w].map(|weight| weight.max(0.0));
            triangle.height(u, v, w)
        })
    }
}

impl GroundTriangle {
    fn of([a, b, c]: &[SurfacePoint; 3]) -> Self {
        Self {
            x: a.x,
            z: a.z,
            second_x: b.x - a.x,
            second_z: b.z - a.z,
            third_x: c.x - a.x,
            third_z: c.z - a.z,
            heights: [a.height, b.height, c.height],
        }
    }

    /// Twice its area, and times that the weights of its second and third corner.
    #[inline]
    fn weights(&self, at: PlanPosition) -> (f64, f64, f64) {
        let (bx, bz) = (f64::from(self.second_x), f64::from(self.second_z));
        let (cx, cz) = (f64::from(self.third_x), f64::from(self.third_z));
        let (px, pz) = (at.x - f64::from(self.x), at.z - f64::from(self.z));
        (bx * cz - bz * cx, px * cz - pz * cx, bx * pz - bz * px)
    }

    #[inline]
    fn height(&self, u: f64, v: f64, w: f64) -> f64 {
        let [a, b, c] = self.heights.map(f64::from);
        (u * a + v * b + w * c) / (u + v + w)
    }
}
