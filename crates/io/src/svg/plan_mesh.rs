//! Polygons to draw, made by any tool.

use glam::Vec3;
use waymesh_core::PolyId;
use waymesh_graph::NavMesh;

/// Convex polygons in the world, with their neighbours.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanMesh {
    pub(crate) vertices: Vec<Vec3>,
    pub(crate) polygons: Vec<PlanPolygon>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PlanPolygon {
    /// Indices of vertices, in either winding.
    pub(crate) corners: Vec<u32>,
    /// For each corner, the polygon across the edge to the next corner.
    pub(crate) neighbours: Vec<Option<u32>>,
    /// Region of a polygon. Connected polygons of one region stay together on a storey.
    pub(crate) region: u32,
}

impl PlanMesh {
    /// Creates a mesh from vertices, the corners of each polygon, and for each corner the polygon
    /// across the edge to the next corner.
    ///
    /// Invalid parts are omitted: polygons with a vertex that does not exist or is not finite are
    /// not drawn, and a neighbour that does not exist counts as none.
    #[must_use]
    pub fn new(vertices: Vec<Vec3>, polygons: &[Vec<u32>], neighbours: &[Vec<Option<u32>>]) -> Self {
        let is_sound = |corner: &u32| vertices.get(*corner as usize).is_some_and(|vertex| vertex.is_finite());
        let none = Vec::new();
        let polygons = polygons.iter().enumerate().map(|(index, corners)| {
            let region = PolyId::from_index(index).0;
            if !corners.iter().all(is_sound) {
                return PlanPolygon { region, ..PlanPolygon::default() };
            }
            let beside = neighbours.get(index).unwrap_or(&none);
            let exists = |other: &u32| (*other as usize) < polygons.len();
            let beyond = |edge: usize| beside.get(edge).copied().flatten().filter(exists);
            PlanPolygon {
                corners: corners.clone(),
                neighbours: (0..corners.len()).map(beyond).collect(),
                region,
            }
        });
        let polygons = polygons.collect();
        Self { vertices, polygons }
    }

    /// Returns the corners of a polygon.
    pub(crate) fn positions(&self, polygon: usize) -> impl Iterator<Item = Vec3> + '_ {
        self.polygons[polygon].corners.iter().map(|&corner| self.vertices[corner as usize])
    }

    /// Returns the corners of a polygon in plan.
    pub(crate) fn outline(&self, polygon: usize) -> Vec<[f64; 2]> {
        self.positions(polygon).map(plan).collect()
    }

    /// Returns the plan area of a polygon in square metres.
    pub(crate) fn area(&self, polygon: usize) -> f64 {
        doubled_area(&self.outline(polygon)).abs() / 2.0
    }
}

impl From<&NavMesh> for PlanMesh {
    fn from(mesh: &NavMesh) -> Self {
        let mesh = mesh.to_compact().into_mesh();
        let polygons = mesh.polygons().map(|polygon| PlanPolygon {
            corners: polygon.corners().iter().map(|corner| corner.0).collect(),
            neighbours: polygon.neighbours().map(|other| other.map(|other| other.0)).collect(),
            region: polygon.region().0,
        });
        Self { vertices: mesh.vertices().to_vec(), polygons: polygons.collect() }
    }
}

/// Returns the plan coordinates in metres.
pub(crate) fn plan(position: Vec3) -> [f64; 2] {
    [f64::from(position.x), f64::from(position.z)]
}

/// Returns twice the signed area of an outline.
pub(crate) fn doubled_area(outline: &[[f64; 2]]) -> f64 {
    let Some(&base) = outline.first() else { return 0.0 };
    outline.windows(2).map(|pair| cross(base, pair[0], pair[1])).sum()
}

/// Returns twice the signed area of a triangle.
pub(crate) fn cross(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}
