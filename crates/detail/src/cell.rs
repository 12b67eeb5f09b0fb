//! Greedy insertion in one cell.

use std::collections::BinaryHeap;

use waymesh_core::{CellId, CellMesh, SurfacePoint};

use crate::{
    DetailError,
    edges::Outlines,
    ground::Ground,
    lattice::Lattice,
    mesh::{Mesh, Point},
    rows::Rows,
};

/// What one cell needs while it is worked on; reused from cell to cell.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    mesh: Mesh,
    rows: Rows,
    /// Index in the result of each point of the outline.
    outline: Vec<u32>,
    corners: Vec<waymesh_core::PlanPoint>,
    /// Facets by error: the bits of a positive float sort as the float does. Entries of facets changed since are skipped.
    queue: BinaryHeap<u64>,
}

/// The surface of some cells in a row.
#[derive(Debug, Default)]
pub(crate) struct Patch {
    /// Points inside the cells.
    pub(crate) points: Vec<SurfacePoint>,
    /// Triangles; indices from [`Outlines::points`], those beyond it count on in `points`.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Triangles and largest error of each cell.
    pub(crate) cells: Vec<(u32, f32)>,
}

/// The cells, and what has been found out about them before their insides are fitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task<'a> {
    pub(crate) cells: &'a CellMesh,
    pub(crate) ground: Ground<'a>,
    pub(crate) outlines: &'a Outlines,
    pub(crate) lattice: Lattice,
    pub(crate) bound: f32,
}

impl Task<'_> {
    /// Fits one cell and adds it to `patch`.
    #[expect(clippy::cast_possible_truncation, reason = "the driver checks the counts of the whole surface")]
    pub(crate) fn fit(
        &self,
        id: CellId,
        scratch: &mut Scratch,
        patch: &mut Patch,
    ) -> Result<(), DetailError> {
        let Self { cells, outlines, lattice, .. } = *self;
        let Scratch { mesh, rows, outline, corners, .. } = scratch;
        corners.clear();
        corners.extend(cells.corners(id).iter().map(|&vertex| cells.point(vertex)));
        rows.collect(&self.ground, cells.cells[id.index()].region.0, corners);
        outline.clear();
        for (&vertex, chain) in cells.corners(id).iter().zip(&outlines.chains[cells.corner_range(id)]) {
            outline.push(vertex.0);
            outline.extend(chain.points());
        }
        let corner = rows.corner().map(|value| value << lattice.bits);
        mesh.points.clear();
        mesh.points.extend(outline.iter().map(|&index| {
            let [x, z] = outlines.positions[index as usize];
            Point { x: x - corner[0], z: z - corner[1], height: outlines.points[index as usize].height }
        }));
        if !mesh.triangulate_outline() {
            return Err(DetailError::NotConvex { cell: id });
        }
        let error = self.refine(scratch);
        let Scratch { mesh, rows, outline, .. } = scratch;

        let base = (outlines.points.len() + patch.points.len()) as u32;
        let boundary = outline.len() as u32;
        let step = lattice.step();
        let origin = rows.corner();
        patch.points.extend(mesh.points[outline.len()..].iter().map(|point| {
            let [x, z] = [(point.x, origin[0]), (point.z, origin[1])]
                .map(|(value, origin)| (f64::from(value) * step + f64::from(origin)) as f32);
            SurfacePoint { x, height: point.height, z }
        }));
        let number = |corner: u32| {
            if corner < boundary { outline[corner as usize] } else { base + (corner - boundary) }
        };
        patch.triangles.extend(mesh.facets.iter().map(|facet| facet.corners.map(number)));
        patch.cells.push((mesh.facets.len() as u32, error));
        Ok(())
    }

    /// Inserts the worst sample until none is off by more than the bound. Returns the largest error left.
    fn refine(&self, scratch: &mut Scratch) -> f32 {
        let Scratch { mesh, rows, queue, .. } = scratch;
        queue.clear();
        let bits = self.lattice.bits;
        let half = 1_i32 << (bits - 1);
        let key = |error: f32, facet: u32| u64::from(error.to_bits()) << 32 | u64::from(facet);
        for index in 0..mesh.facets.len() {
            let mut facet = mesh.facets[index];
            rows.scan(mesh, &mut facet, bits);
            mesh.facets[index] = facet;
            if facet.error > self.bound {
                queue.push(key(facet.error, u32::try_from(index).unwrap_or(u32::MAX)));
            }
        }
        while let Some(top) = queue.pop() {
            let Ok(index) = u32::try_from(top & u64::from(u32::MAX)) else { continue };
            let facet = mesh.facets[index as usize];
            if u64::from(facet.error.to_bits()) != top >> 32 {
                continue;
            }
            let [row, column] = facet.worst;
            let point = Point {
                x: (column << bits) + half,
                z: (row << bits) + half,
                height: rows.height(facet.worst),
            };
            if !mesh.insert(point, index) {
                continue;
            }
            for at in 0..mesh.star.len() {
                let index = mesh.star[at];
                let mut facet = mesh.facets[index as usize];
                rows.scan(mesh, &mut facet, bits);
                mesh.facets[index as usize] = facet;
                if facet.error > self.bound {
                    queue.push(key(facet.error, index));
                }
            }
        }
        mesh.facets.iter().map(|facet| facet.error).fold(0.0, f32::max)
    }
}
