//! Triangulations, convex polygons and paths of other crates.

use std::collections::BTreeMap;

use anyhow::Result;
use geo::{Coord, LineString, Polygon as GeoPolygon, TriangulateDelaunay, TriangulateEarcut};
use glam::Vec3;
use i_triangle::float::triangulatable::Triangulatable;
use waymesh::core::{Polygon, PolygonSet, TriangleId, Triangulation, VertexId};

use crate::queries::{Answer, Queries, Query, timed};

/// Polygons as the other crates take them.
pub(crate) struct Shapes {
    geo: Vec<GeoPolygon<f64>>,
    contours: Vec<Vec<Vec<[f64; 2]>>>,
}

impl Shapes {
    pub(crate) fn new(set: &PolygonSet) -> Self {
        let ring = |border: &waymesh::core::PolygonLoop| -> Vec<[f64; 2]> {
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

/// The merge of `polyanya`: triangles of one region and area each, in single precision.
pub(crate) struct Merge(Vec<polyanya::Mesh>);

impl Merge {
    pub(crate) fn new(triangulation: &Triangulation) -> Self {
        let mut regions: BTreeMap<_, (Vec<polyanya::Vertex>, Vec<polyanya::Polygon>)> = BTreeMap::new();
        let mut numbers: BTreeMap<_, usize> = BTreeMap::new();
        for triangle in &triangulation.triangles {
            let key = (triangle.region, triangle.area);
            let (vertices, polygons) = regions.entry(key).or_default();
            let number = TriangleId::from_index(polygons.len()).0;
            // Without its `Trimesh`, whose sorting panics on some of these. Merging does not need the
            // order.
            let corners = triangle.vertices.map(|vertex| {
                let at = *numbers.entry((key, vertex)).or_insert_with(|| {
                    let point = triangulation.point(vertex);
                    let place = glam::Vec2::new(point.x as f32, point.z as f32);
                    vertices.push(polyanya::Vertex::new(place, Vec::new()));
                    vertices.len() - 1
                });
                vertices[at].polygons.push(number);
                VertexId::from_index(at).0
            });
            polygons.push(polyanya::Polygon::new(corners.to_vec(), false));
        }
        let mesh = |(vertices, polygons)| polyanya::Mesh::new(vertices, polygons).ok();
        Self(regions.into_values().filter_map(mesh).collect())
    }

    /// Number of polygons once nothing can be merged any more.
    pub(crate) fn run(&self) -> usize {
        let mut meshes = self.0.clone();
        for mesh in &mut meshes {
            while mesh.merge_polygons() {}
        }
        meshes.iter().flat_map(|mesh| &mesh.layers).map(|layer| layer.polygons.len()).sum()
    }
}

/// The paths of `polyanya`, in the plan.
pub(crate) struct Polyanya(polyanya::Mesh);

impl Polyanya {
    /// Reads a flat mesh in the format of the Polyanya authors.
    pub(crate) fn new(bytes: &[u8]) -> Result<Self> {
        let file = polyanya::PolyanyaFile::from_bytes(bytes);
        let mut mesh = polyanya::Mesh::try_from(file).map_err(|error| anyhow::anyhow!("{error:?}"))?;
        mesh.bake();
        Ok(Self(mesh))
    }
}

impl Queries for Polyanya {
    fn name(&self) -> &'static str {
        "polyanya"
    }

    fn answers(&mut self, query: Query, pairs: &[[Vec3; 2]]) -> Vec<Answer> {
        let plan = |point: Vec3| polyanya::Coords::from(glam::Vec2::new(point.x, point.z));
        match query {
            Query::Nearest => {
                timed(pairs.as_flattened(), Some, |at| self.0.get_closest_point(plan(at)).map(|_| 0.0))
            }
            // It has shortest paths only.
            Query::Path | Query::Shortest => {
                timed(pairs, Some, |[from, to]| Some(self.0.path(plan(from), plan(to))?.length))
            }
            Query::Raycast | Query::Move | Query::MoveOnGround => Vec::new(),
        }
    }
}
