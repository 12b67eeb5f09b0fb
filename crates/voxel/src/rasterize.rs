//! Voxelisation of triangles to a heightfield of spans.

use waymesh_core::{GridFrame, GridWindow, Heightfield, Observer, SoupTriangle, TriangleSoup};

use crate::job::{RasterJob, triangles_of};
use crate::prepare::fitted_frame;
use crate::{VoxelConfig, VoxelError};

/// Voxelises `soup` into the smallest grid that contains its finite triangles.
///
/// # Method
/// Every triangle is cut into rows of cells, and every row into cells; the lowest and highest point
/// of the triangle in the cell give the levels of a fragment. Only the edges are cut cell by cell:
/// for cells that a triangle covers completely, the levels come from its plane. Fragments of one
/// column that overlap or touch are merged into spans.
///
/// # Guarantees
/// - Conservative: a column that a triangle reaches into by more than a 5000th of a cell has a span
///   over the triangle's heights there, to a 10,000th of a level. A wall on a cell line fills the
///   cell behind it, so that the solid ends at the wall (or the cell in front, if the one behind is
///   not in the grid). A floor that ends on a cell line adds nothing beyond the line. No triangle
///   with an area is lost, however thin it is.
/// - [`Span::ground_drop`](waymesh_core::Span::ground_drop) gives the true surface at the cell's
///   centre: the highest ground of the walkable fragments that cover the centre, if it is within
///   the merge rule's reach (and one level) of the span's top; else the highest ground of all
///   upward-facing fragments. A fragment that does not cover the centre gives the height of its
///   plane there, clamped to its height range in the cell. A span whose top does not face up has no
///   drop.
/// - [`Span::upward`](waymesh_core::Span::upward) is set if an upward-facing fragment ends within
///   the merge rule's reach of the span's top.
/// - [`Span::area`](waymesh_core::Span::area) is the area of the surface that gives the ground: of
///   the highest walkable fragment at the cell's centre within the merge rule's reach of the top,
///   else of the highest one anywhere in the cell. At equal heights the larger id wins.
/// - Triangles of [`AreaId::NULL`](waymesh_core::AreaId::NULL) are solid. If such an upward-facing
///   triangle would give the area, the span is not walkable and not upward; at equal heights it
///   wins over all other areas.
/// - The result depends neither on the order of the triangles nor on `config.threads`.
///
/// # Cost
/// Time is linear in the triangles plus the fragments. Memory in addition to the result: 48 bytes
/// per triangle, and the fragments of one row of cells per thread. The memory limit counts the
/// column table, the spans and the row.
///
/// # Errors
/// - [`VoxelError::BadField`], [`VoxelError::Grid`] for invalid configurations and sizes.
/// - [`VoxelError::NoTriangles`] if no triangle is finite.
/// - [`VoxelError::TooMuchMemory`] before any allocation if the columns alone exceed the limit,
///   else as soon as the spans do.
///
/// Triangles that are not finite or have no area are skipped, counted and reported as a warning.
///
/// # References
/// Mononen 2009, Automatic Navmesh Generation via Watershed Partitioning, step 1.
///
/// # Span storage
/// Triangles are swept along z. One row of columns is open at a time, and each of its columns has a
/// short list of pieces. A fragment merges with a piece or is added to the list. The finished row
/// is appended to the flat arrays of the result. Compared with the alternatives
/// (`benches/storage.rs`; 990,000 bare fragments, 262,000 columns, one core of a server; only the
/// ratios are valid for other machines):
///
/// | storage | ms | memory |
/// |---|---|---|
/// | row by row, lists in the row (this) | 5.3 | the result and one row |
/// | all fragments, counting sort by column | 3.6 | the result and all fragments twice |
/// | linked list per column, merged at once (Recast) | 18.6 | the result, scattered; flattened later |
/// | one bit per voxel, 128 levels | 5.5 | columns times levels; no room for flags and ground |
///
/// With real fragments, which have ground and flags, the lists are faster than the sort: with a
/// counting sort inside each row the rasteriser took 3.1 instead of 2.9 ms on Recast's nav_test
/// (0.3 m cells), 5.5 instead of 4.5 ms on the dungeon, 3.8 instead of 3.1 ms on undulating,
/// because walls produce several fragments for each span, and these are merged immediately.
pub fn rasterize(
    soup: &TriangleSoup,
    config: &VoxelConfig,
    observer: &mut dyn Observer,
) -> Result<Heightfield, VoxelError> {
    let frame = fitted_frame(soup, config, observer)?;
    rasterize_in_frame(soup, &frame, config, observer)
}

/// Voxelises the part of `soup` that lies over the cells of `frame`; `config.scale` is not used.
///
/// Guarantees and cost are those of [`rasterize`]. Heights are not clipped. Triangles outside the
/// frame are counted. Corners farther than 2^30 cells or levels from the frame's origin are moved
/// to that distance.
///
/// # Errors
/// See [`rasterize`], except [`VoxelError::NoTriangles`]: if no triangle lies over the frame, the
/// heightfield is empty.
pub fn rasterize_in_frame(
    soup: &TriangleSoup,
    frame: &GridFrame,
    config: &VoxelConfig,
    observer: &mut dyn Observer,
) -> Result<Heightfield, VoxelError> {
    let whole = GridWindow::whole(frame);
    let heightfield = rasterize_window(triangles_of(soup), frame, whole, config, observer)?;
    Ok(Heightfield { frame: *frame, ..heightfield })
}

/// Voxelises the columns `window` of `frame`. The window is a tile of a world with the halo that
/// its field requires ([`crate::halo_cells`]). `config.scale` is not used.
///
/// `triangles` are the triangles of the world with their areas, or any subset that contains all
/// triangles in the window.
///
/// # Guarantees
/// - The spans equal those of [`rasterize_in_frame`] in these columns, bit for bit: all arithmetic
///   is done in the coordinates of the whole frame, in double precision, and only column numbers
///   are shifted. At 100,000 cells from the origin the error of a coordinate is below 10^-10 cells,
///   a millionth of the slack around a cell line.
/// - The result depends neither on the order of the triangles nor on `config.threads`.
/// - The result's frame is `frame.window(window)`.
///
/// # Cost
/// One test per triangle. For triangles that reach into the window, time is linear in their rows in
/// the window plus the fragments in the window, however large the triangles are. Memory in addition
/// to the result: 44 bytes for each triangle whose box reaches into the window, eight more to sort
/// them, and the fragments of one row per thread.
///
/// # Errors
/// See [`rasterize_in_frame`]. Also [`VoxelError::BadWindow`] for a window that is not in the
/// frame.
///
/// Unusable triangles are counted and reported as in [`rasterize_in_frame`]; triangles outside the
/// window are counted as outside. A caller with many windows should pass `&mut ()`, and count the
/// triangles where it visits each of them once.
pub fn rasterize_window(
    triangles: impl IntoIterator<Item = impl Into<SoupTriangle>>,
    frame: &GridFrame,
    window: GridWindow,
    config: &VoxelConfig,
    observer: &mut dyn Observer,
) -> Result<Heightfield, VoxelError> {
    RasterJob::new(triangles, frame, window, config, observer)?.run(observer)
}
