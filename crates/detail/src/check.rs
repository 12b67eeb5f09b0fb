//! Checks of all conditions that indexing and exact arithmetic rely on.

use waymesh_core::{GridFrame, PlanPoint, PolyId, PolyMesh, VertexId, ascends};

use crate::DetailError;
use crate::ground::GroundWindow;

fn same(what: &'static str, found: usize, expected: usize) -> Result<(), DetailError> {
    if found == expected { Ok(()) } else { Err(DetailError::Mismatch { what, found, expected }) }
}

fn below(what: &'static str, found: usize, limit: usize) -> Result<(), DetailError> {
    if found < limit { Ok(()) } else { Err(DetailError::Mismatch { what, found, expected: limit }) }
}

/// Checks the tables of a window of the field.
pub(crate) fn check_ground(ground: GroundWindow<'_>, frame: &GridFrame) -> Result<(), DetailError> {
    let GroundWindow { window, field, regions } = ground;
    let (columns, heights) = (field.columns(), field.ground());
    same("number of region labels", regions.labels.len(), heights.len())?;
    for length in field.table_lengths() {
        same("number of spans in a table", length, heights.len())?;
    }
    same("columns along x", frame.width as usize, window.width as usize)?;
    same("columns along z", frame.depth as usize, window.depth as usize)?;
    same("number of columns", columns.len(), frame.column_count() + 1)?;
    same("last column", columns.last().map_or(0, |&last| last as usize), heights.len())?;
    if !ascends(columns)
        && let Some(column) = columns.windows(2).position(|pair| pair[0] > pair[1])
    {
        return Err(DetailError::Mismatch {
            what: "start of a column",
            found: columns[column] as usize,
            expected: columns[column + 1] as usize,
        });
    }
    // The scan has no early exit, so that it checks several heights at a time.
    if heights.iter().fold(true, |finite, height| finite & height.is_finite()) {
        return Ok(());
    }
    let span = heights.iter().position(|height| !height.is_finite());
    Err(DetailError::GroundNotFinite { span: span.unwrap_or(heights.len()) })
}

/// Checks the regions of some polygons.
pub(crate) fn check_regions(mesh: &PolyMesh, group: &[PolyId], count: u32) -> Result<(), DetailError> {
    group.iter().try_for_each(|&id| {
        below("region of a polygon", mesh.polygons[id.index()].region.index(), count as usize)
    })
}

/// Checks the mesh alone.
pub(crate) fn check_mesh(mesh: &PolyMesh, points_per_column: u32) -> Result<(), DetailError> {
    same("number of neighbours", mesh.neighbours.len(), mesh.corners.len())?;
    if let Some(vertex) = mesh.vertices.iter().position(|vertex| !vertex.height.is_finite()) {
        return Err(DetailError::VertexNotFinite { vertex: VertexId::from_index(vertex) });
    }
    for vertex in &mesh.corners {
        below("corner of a polygon", vertex.index(), mesh.vertices.len())?;
    }
    for neighbour in mesh.neighbours.iter().flatten() {
        below("neighbour of a polygon", neighbour.index(), mesh.polygons.len())?;
    }
    // First corners are checked before the neighbours, which depend on them.
    let mut first = 0;
    for polygon in &mesh.polygons {
        same("first corner of a polygon", polygon.first as usize, first)?;
        first += polygon.len as usize;
        below("corners of a polygon", first, mesh.corners.len() + 1)?;
    }
    same("number of corners", mesh.corners.len(), first)?;
    crate::lattice::Lattice::fit(mesh, points_per_column)?;
    for id in (0..mesh.polygons.len()).map(PolyId::from_index) {
        let corners = mesh.corners(id);
        let point = |corner: usize| mesh.point(corners[corner % corners.len()]);
        let bent = (0..corners.len())
            .any(|corner| PlanPoint::orientation(point(corner), point(corner + 1), point(corner + 2)) < 0);
        if corners.len() < 3 || bent || mesh.doubled_area(id) <= 0 {
            return Err(DetailError::NotConvex { polygon: id });
        }
    }
    Ok(())
}
