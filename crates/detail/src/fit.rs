//! The whole surface: edges first, then cells.

use rayon::prelude::*;
use waymesh_core::stage::{FitHeights, StageError};
use waymesh_core::{CellId, CellMesh, HeightSurface, Observer, PlanPoint, RegionMap, WalkableField, Warning};

use crate::{
    DetailConfig, DetailError,
    cell::{Patch, Scratch, Task},
    edges::fit_outlines,
    ground::Ground,
    lattice::Lattice,
};

/// Cells that one thread fits in a row: many enough to be worth handing out, few enough to share evenly.
const CELLS_PER_PATCH: usize = 128;

/// Fits a surface of triangles to the ground in every cell, by greedy insertion.
///
/// The heights of the cells' vertices say on which storey a vertex lies; they are fitted again, and kept where there is no
/// ground near. The samples of a cell are the ground at the centre of every column inside its plan: that of the cell's region, or where
/// simplification moved the border, of the ground linked to it. Ground of the region on another storey, which simplification
/// may bring into a cell where a winding stair comes round, is left out. Vertices and points on edges get the ground interpolated
/// between columns.
///
/// # Guarantees
/// - All that [`HeightSurface::violations_over`] lists. Two cells have the same points along the edge they share.
/// - No sample is further from the surface than [`DetailConfig::max_error_levels`]; where that cannot be, which is not
///   known to happen on a valid field, the observer gets one [`Warning::HeightBoundMissed`] per region.
/// - Points inside cells are samples; flat and evenly sloping cells get none.
/// - `points` begins with the vertices of `cells`, in order. The same result for any number of threads.
///
/// # Cost
/// Samples times the logarithm of the points inserted, near enough: an insertion looks only at the triangles it changes.
///
/// # Errors
/// [`DetailError`] for bad configuration, tables that do not belong together, heights that are not finite, cells that are
/// not convex, and coordinates or counts too large to represent.
///
/// # References
/// Garland and Heckbert 1995, Fast Polygonal Approximation of Terrains and Height Fields, algorithm III, with regions for
/// terrain and several storeys; the detail heights of Mononen 2009, Navigation Mesh Generation via Voxelization and
/// Watershed Partitioning, are the same idea.
pub fn fit_heights(
    field: &WalkableField,
    regions: &RegionMap,
    cells: &CellMesh,
    config: &DetailConfig,
    observer: &mut dyn Observer,
) -> Result<HeightSurface, DetailError> {
    config.validate()?;
    check(field, regions, cells)?;
    let lattice = Lattice::fit(cells)?;
    let ground = Ground::new(field, regions, config.max_step);
    let bound = config.max_error_levels;
    let mut outlines = fit_outlines(ground, cells, lattice, bound);
    let patches = {
        let task = Task { cells, ground, outlines: &outlines, lattice, bound };
        fit_cells(&task)?
    };

    let total = |count: fn(&Patch) -> usize| patches.iter().map(count).sum::<usize>();
    let limit = u32::MAX as usize;
    for (element, count) in [
        ("points", outlines.points.len() + total(|patch| patch.points.len())),
        ("triangles", total(|patch| patch.triangles.len())),
    ] {
        if count > limit {
            return Err(DetailError::TooMany { element, count, limit });
        }
    }
    #[expect(clippy::cast_possible_truncation, reason = "checked just above")]
    let outline_points = outlines.points.len() as u32;
    let mut surface = HeightSurface {
        points: std::mem::take(&mut outlines.points),
        triangles: Vec::with_capacity(total(|patch| patch.triangles.len())),
        cell_triangles: Vec::with_capacity(cells.cells.len() + 1),
        max_error: outlines.max_error,
    };
    surface.cell_triangles.push(0);
    let mut missed = vec![0.0_f32; regions.count as usize];
    let mut last = 0;
    for patch in patches {
        #[expect(clippy::cast_possible_truncation, reason = "checked above")]
        let shift = surface.points.len() as u32 - outline_points;
        let number = |point: u32| if point < outline_points { point } else { point + shift };
        surface.triangles.extend(patch.triangles.iter().map(|corners| corners.map(number)));
        surface.points.extend(patch.points);
        for (triangles, error) in patch.cells {
            let region = cells.cells[surface.cell_triangles.len() - 1].region;
            if error > bound {
                missed[region.index()] = missed[region.index()].max(error);
            }
            surface.max_error = surface.max_error.max(error);
            last += triangles;
            surface.cell_triangles.push(last);
        }
    }
    for (region, &error) in (0..).map(waymesh_core::RegionId).zip(&missed) {
        if error > 0.0 {
            observer.warn(Warning::HeightBoundMissed { region, error });
        }
    }
    Ok(surface)
}

/// Fits all cells, side by side where there are threads for it.
fn fit_cells(task: &Task<'_>) -> Result<Vec<Patch>, DetailError> {
    let count = task.cells.cells.len();
    let run = |scratch: &mut Scratch, cells: std::ops::Range<usize>| {
        let mut patch = Patch::default();
        for index in cells {
            task.fit(CellId::from_index(index), scratch, &mut patch)?;
        }
        Ok(patch)
    };
    if rayon::current_num_threads() == 1 || count <= CELLS_PER_PATCH {
        return Ok(vec![run(&mut Scratch::default(), 0..count)?]);
    }
    (0..count.div_ceil(CELLS_PER_PATCH))
        .into_par_iter()
        .map_init(Scratch::default, |scratch, patch| {
            let first = patch * CELLS_PER_PATCH;
            run(scratch, first..(first + CELLS_PER_PATCH).min(count))
        })
        .collect()
}

/// Everything that indexing and exact arithmetic rely on.
fn check(field: &WalkableField, regions: &RegionMap, cells: &CellMesh) -> Result<(), DetailError> {
    let same = |what, found, expected| {
        if found == expected { Ok(()) } else { Err(DetailError::Mismatch { what, found, expected }) }
    };
    let below = |what, found: usize, limit: usize| {
        if found < limit { Ok(()) } else { Err(DetailError::Mismatch { what, found, expected: limit }) }
    };
    let spans = field.len();
    same("number of region labels", regions.labels.len(), spans)?;
    same("number of ground heights", field.ground.len(), spans)?;
    same("number of links", field.links.len(), spans)?;
    same("number of areas", field.area.len(), spans)?;
    same("number of columns", field.columns.len(), field.frame.column_count() + 1)?;
    same("last column", field.columns.last().map_or(0, |&last| last as usize), spans)?;
    if let Some(column) = field.columns.windows(2).position(|pair| pair[0] > pair[1]) {
        return Err(DetailError::Mismatch {
            what: "start of a column",
            found: field.columns[column] as usize,
            expected: field.columns[column + 1] as usize,
        });
    }
    same("cells along x", cells.frame.width as usize, field.frame.width as usize)?;
    same("cells along z", cells.frame.depth as usize, field.frame.depth as usize)?;
    same("number of neighbours", cells.neighbours.len(), cells.corners.len())?;
    if let Some(span) = field.ground.iter().position(|height| !height.is_finite()) {
        return Err(DetailError::GroundNotFinite { span });
    }
    for (index, vertex) in cells.vertices.iter().enumerate() {
        if !vertex.height.is_finite() {
            return Err(DetailError::VertexNotFinite { vertex: waymesh_core::VertexId::from_index(index) });
        }
    }
    for vertex in &cells.corners {
        below("corner of a cell", vertex.index(), cells.vertices.len())?;
    }
    for neighbour in cells.neighbours.iter().flatten() {
        below("neighbour of a cell", neighbour.index(), cells.cells.len())?;
    }
    Lattice::fit(cells)?;
    let mut first = 0;
    for (index, cell) in cells.cells.iter().enumerate() {
        below("region of a cell", cell.region.index(), regions.count as usize)?;
        same("first corner of a cell", cell.first as usize, first)?;
        first += cell.len as usize;
        below("corners of a cell", first, cells.corners.len() + 1)?;
        let id = CellId::from_index(index);
        let corners = cells.corners(id);
        let point = |corner: usize| cells.point(corners[corner % corners.len()]);
        let bent = (0..corners.len())
            .any(|corner| PlanPoint::orientation(point(corner), point(corner + 1), point(corner + 2)) < 0);
        if corners.len() < 3 || bent || cells.doubled_area(id) <= 0 {
            return Err(DetailError::NotConvex { cell: id });
        }
    }
    same("number of corners", cells.corners.len(), first)
}

/// Adapts [`fit_heights`] to the stage trait.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GreedyInsertion {
    /// How close the surface follows the ground.
    pub config: DetailConfig,
}

impl FitHeights for GreedyInsertion {
    fn fit_heights(
        &self,
        field: &WalkableField,
        regions: &RegionMap,
        cells: &CellMesh,
        observer: &mut dyn Observer,
    ) -> Result<HeightSurface, StageError> {
        fit_heights(field, regions, cells, &self.config, observer)
            .map_err(|error| StageError::new("detail", error))
    }
}
