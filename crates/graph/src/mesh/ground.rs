//! The triangles of the height surface, prepared for lookups.

use std::ops::Range;

use glam::Vec4;
use waymesh_core::{SurfacePoint, checkpoint_every, to_u32};

use super::box_index::around;
use super::height_tables::HeightTables;
use super::table::Table;
use crate::geometry::plan::PlanPosition;

/// The triangles of a height surface, made to be searched: 52 bytes each.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Ground {
    pub(super) triangles: Table<GroundTriangle>,
    /// Boxes around four triangles of one polygon each.
    pub(super) boxes: Table<FourBoxes>,
    /// First of `boxes` of each polygon, and their number at the end.
    pub(super) first: Table<u32>,
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
    pub(super) fn of(corners: &[[SurfacePoint; 3]]) -> Self {
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
            checkpoint_every(1 << 12, polygon);
            first.push(to_u32(boxes.len()));
            fours(surface, polygon, |four| {
                boxes.push(FourBoxes::of(four));
                triangles.extend(four.iter().map(GroundTriangle::of));
            });
        }
        first.push(to_u32(boxes.len()));
        Self { triangles: triangles.into(), boxes: boxes.into(), first: first.into() }
    }

    /// Returns `true` if what it has for a polygon is what [`Self::of`] gives. The surface was
    /// checked, and the tables have the right lengths.
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
fn fours(surface: &HeightTables, polygon: usize, visit: impl FnMut(&[[SurfacePoint; 3]])) {
    fours_of(&surface.triangles[surface.triangles_of(polygon)], &surface.points, visit);
}

/// Groups the triangles of one polygon in fours.
pub(super) fn fours_of(
    triangles: &[[u32; 3]],
    points: &[SurfacePoint],
    mut visit: impl FnMut(&[[SurfacePoint; 3]]),
) {
    for four in triangles.chunks(4) {
        let mut buffer = [[NOWHERE; 3]; 4];
        for (place, triangle) in buffer.iter_mut().zip(four) {
            *place = triangle.map(|point| points[point as usize]);
        }
        visit(&buffer[..four.len()]);
    }
}

pub(super) const NOWHERE: SurfacePoint = SurfacePoint { x: 0.0, height: 0.0, z: 0.0 };

impl Ground {
    /// Returns the height in levels on the polygon's triangles `range`, at the point that is
    /// nearest in weights. `None` if none has area.
    #[inline]
    pub(crate) fn height(&self, polygon: usize, range: Range<usize>, at: PlanPosition) -> Option<f64> {
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

    /// Returns the height as [`Self::height`] does, for a place outside all triangles.
    #[cold]
    fn nearest_height(&self, range: Range<usize>, at: PlanPosition) -> Option<f64> {
        // Depth inside times the area, the area, the triangle: compared without a division.
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
    pub(super) fn of([a, b, c]: &[SurfacePoint; 3]) -> Self {
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
