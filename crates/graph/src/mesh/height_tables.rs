//! The height surface, in tables of the mesh.

use std::ops::Range;

use waymesh_core::{HeightSurface, SurfacePoint};

use super::table::Table;

/// A [`HeightSurface`] whose tables may lie in the bytes of a packed mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct HeightTables {
    pub(crate) points: Table<SurfacePoint>,
    pub(crate) triangles: Table<[u32; 3]>,
    pub(crate) polygon_triangles: Table<u32>,
    pub(crate) max_error: f32,
}

/// The height surface of a [`NavMesh`](crate::NavMesh): the tables of a [`HeightSurface`],
/// where they lie.
#[doc(alias = "dtPolyDetail")]
#[doc(alias = "detail mesh")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceView<'a> {
    /// All points.
    pub points: &'a [SurfacePoint],
    /// All triangles, positive in plan.
    pub triangles: &'a [[u32; 3]],
    /// First triangle of each polygon, and the number of triangles at the end. On a mesh of tiles only
    /// the ranges of existing polygons are valid.
    pub polygon_triangles: &'a [u32],
    /// Largest difference to a ground sample seen, in levels.
    pub max_error: f32,
}

impl SurfaceView<'_> {
    /// Returns a copy that needs no mesh.
    #[must_use]
    pub fn to_surface(&self) -> HeightSurface {
        HeightSurface {
            points: self.points.to_vec(),
            triangles: self.triangles.to_vec(),
            polygon_triangles: self.polygon_triangles.to_vec(),
            max_error: self.max_error,
        }
    }
}

impl From<HeightSurface> for HeightTables {
    fn from(surface: HeightSurface) -> Self {
        Self {
            points: surface.points.into(),
            triangles: surface.triangles.into(),
            polygon_triangles: surface.polygon_triangles.into(),
            max_error: surface.max_error,
        }
    }
}

impl HeightTables {
    pub(crate) fn view(&self) -> SurfaceView<'_> {
        SurfaceView {
            points: &self.points,
            triangles: &self.triangles,
            polygon_triangles: &self.polygon_triangles,
            max_error: self.max_error,
        }
    }

    /// Returns the points of a polygon's triangles, three by three.
    pub(crate) fn corners(&self, polygon: usize) -> impl Iterator<Item = SurfacePoint> {
        let triangles = &self.triangles[self.triangles_of(polygon)];
        triangles.as_flattened().iter().map(|&point| self.points[point as usize])
    }

    /// Returns the range of the triangles of a polygon.
    #[inline]
    pub(crate) fn triangles_of(&self, polygon: usize) -> Range<usize> {
        self.polygon_triangles[polygon] as usize..self.polygon_triangles[polygon + 1] as usize
    }
}
