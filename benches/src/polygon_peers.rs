//! Triangulations of other crates.

use geo::{Coord, LineString, Polygon as GeoPolygon, TriangulateDelaunay, TriangulateEarcut};
use i_triangle::float::triangulatable::Triangulatable;
use waymesh::{Polygon, PolygonSet};

/// Polygons as the other crates take them.
pub(crate) struct Shapes {
    geo: Vec<GeoPolygon<f64>>,
    contours: Vec<Vec<Vec<[f64; 2]>>>,
}

impl Shapes {
    pub(crate) fn new(set: &PolygonSet) -> Self {
        let ring = |border: &waymesh::PolygonLoop| -> Vec<[f64; 2]> {
            let points = border.vertices.iter().map(|&vertex| set.point(vertex));
            points.map(|point| [f64::from(point.x), f64::from(point.z)]).collect()
        };
        let contours: Vec<Vec<_>> =
            set.polygons.iter().map(|polygon: &Polygon| polygon.loops().map(ring).collect()).collect();
        let line = |ring: &Vec<[f64; 2]>| ring.iter().map(|&[x, y]| Coord { x, y }).collect::<LineString>();
        let geo = contours.iter().map(|rings| {
            let mut rings = rings.iter().map(line);
            let outer = rings.next().unwrap_or_else(|| LineString::new(Vec::new()));
            GeoPolygon::new(outer, rings.collect())
        });
        Self { geo: geo.collect(), contours }
    }

    pub(crate) fn geo_earcut(&self) -> usize {
        self.geo.iter().map(|polygon| polygon.earcut_triangles().len()).sum()
    }

    pub(crate) fn geo_delaunay(&self) -> usize {
        let triangles = |polygon: &GeoPolygon<f64>| {
            polygon.constrained_triangulation(Default::default()).map_or(0, |triangles| triangles.len())
        };
        self.geo.iter().map(triangles).sum()
    }

    pub(crate) fn i_triangle(&self) -> usize {
        let triangles =
            |rings: &Vec<Vec<[f64; 2]>>| rings.triangulate().to_triangulation::<u32>().indices.len();
        self.contours.iter().map(triangles).sum::<usize>() / 3
    }

    pub(crate) fn i_triangle_delaunay(&self) -> usize {
        let triangles = |rings: &Vec<Vec<[f64; 2]>>| {
            rings.triangulate().into_delaunay().to_triangulation::<u32>().indices.len()
        };
        self.contours.iter().map(triangles).sum::<usize>() / 3
    }
}
