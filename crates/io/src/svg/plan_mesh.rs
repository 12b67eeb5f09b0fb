//! Cells to draw, whoever made them.

use glam::Vec3;
use waymesh_core::CellId;
use waymesh_graph::NavMesh;

/// Convex polygons in the world, with what lies beyond their edges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanMesh {
    pub(crate) vertices: Vec<Vec3>,
    pub(crate) cells: Vec<PlanCell>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PlanCell {
    /// Indices of vertices, in either winding.
    pub(crate) corners: Vec<u32>,
    /// Beside each corner, the cell across the edge to the next one.
    pub(crate) neighbours: Vec<Option<u32>>,
    /// Connected cells of one region stay together on a storey.
    pub(crate) region: u32,
}

impl PlanMesh {
    /// Vertices, the corners of each cell, and beside each corner the cell across the edge from it to the next corner.
    ///
    /// What makes no sense is left out: cells with a vertex that does not exist or is not finite are not drawn, and a neighbour that does
    /// not exist counts as none.
    #[must_use]
    pub fn new(vertices: Vec<Vec3>, cells: &[Vec<u32>], neighbours: &[Vec<Option<u32>>]) -> Self {
        let is_sound = |corner: &u32| vertices.get(*corner as usize).is_some_and(|vertex| vertex.is_finite());
        let none = Vec::new();
        let cells = cells.iter().enumerate().map(|(index, corners)| {
            let region = CellId::from_index(index).0;
            if !corners.iter().all(is_sound) {
                return PlanCell { region, ..PlanCell::default() };
            }
            let beside = neighbours.get(index).unwrap_or(&none);
            let exists = |other: &u32| (*other as usize) < cells.len();
            let beyond = |edge: usize| beside.get(edge).copied().flatten().filter(exists);
            PlanCell {
                corners: corners.clone(),
                neighbours: (0..corners.len()).map(beyond).collect(),
                region,
            }
        });
        let cells = cells.collect();
        Self { vertices, cells }
    }

    /// The corners of a cell.
    pub(crate) fn positions(&self, cell: usize) -> impl Iterator<Item = Vec3> + '_ {
        self.cells[cell].corners.iter().map(|&corner| self.vertices[corner as usize])
    }

    /// The corners of a cell in plan.
    pub(crate) fn outline(&self, cell: usize) -> Vec<[f64; 2]> {
        self.positions(cell).map(plan).collect()
    }

    /// Plan area of a cell in square metres.
    pub(crate) fn area(&self, cell: usize) -> f64 {
        doubled_area(&self.outline(cell)).abs() / 2.0
    }
}

impl From<&NavMesh> for PlanMesh {
    fn from(mesh: &NavMesh) -> Self {
        let cells = mesh.cells().map(|cell| PlanCell {
            corners: cell.corners().iter().map(|corner| corner.0).collect(),
            neighbours: cell.neighbours().map(|other| other.map(|other| other.0)).collect(),
            region: cell.region().0,
        });
        Self { vertices: mesh.vertices().to_vec(), cells: cells.collect() }
    }
}

/// Plan coordinates in metres.
pub(crate) fn plan(position: Vec3) -> [f64; 2] {
    [f64::from(position.x), f64::from(position.z)]
}

/// Twice the signed area of an outline.
pub(crate) fn doubled_area(outline: &[[f64; 2]]) -> f64 {
    let Some(&base) = outline.first() else { return 0.0 };
    outline.windows(2).map(|pair| cross(base, pair[0], pair[1])).sum()
}

/// Twice the signed area of a triangle.
pub(crate) fn cross(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}
