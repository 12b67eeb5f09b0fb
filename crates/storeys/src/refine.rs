//! Refinement: fine depth maps of the layers of a window, reduced to the ground on which the
//! agent's centre may be.

use waymesh_core::{GridFrame, GridWindow, SoupTriangle};

use crate::StoreysError;
use crate::carve::Refined;
use crate::clearance::halo_cells;
use crate::config::{StoreysConfig, Walk};
use crate::job::DepthJob;
use crate::layers::Layers;
/// Returns the number of cells around a core that influence it. All triangles within this distance
/// have to be passed to [`refine_window`].
#[must_use]
pub fn refine_halo(config: &StoreysConfig) -> u32 {
    halo_cells(&Walk::new(config)) + 1
}

/// Draws the layers over the columns of `core`.
///
/// 1. Depth maps: for each layer and the centre of each pixel, the highest walkable triangle below
///    the cutting shape. It gives the area; of triangles within a millimetre, the one with the
///    larger id. Where it is of [`AreaId::NULL`](waymesh_core::AreaId::NULL) there is no ground;
///    where such a triangle lies on walkable ones, the ground ends to the cell only.
/// 2. Cracks of a pixel are closed. Ground without head room is removed.
/// 3. Walls: every triangle is cut by the lines through the centres of pixels. A part between a
///    step and the agent's height above the ground is an obstacle, and its distance from the centre
///    is kept. Faces that no line meets are kept as posts.
/// 4. This gives the end of the ground between two centres, and the distance of every centre to the
///    nearest end.
/// 5. Ground nearer than the agent's radius is removed. The remaining ground ends where the
///    distance, interpolated linearly between two centres, is the radius.
///
/// # Guarantees
/// - The spans and ends of a column do not depend on `core` or on the order of the triangles.
/// - Along a straight wall or drop the ends of the ground are exact to two steps
///   ([`BORDER_STEPS`](crate::BORDER_STEPS)), because a border keeps this distance from the
///   centres of cells.
///
/// # Cost
/// Linear in the pixels under the triangles, plus the length of all borders times the square of the
/// radius, in pixels.
///
/// # Errors
/// For a bad configuration, and [`StoreysError::TooMany`] for a window with too many places.
///
/// A [`DepthJob`] passes this work to another device.
///
/// # References
/// Oliva 2012, section 6.2.3. There, whole pixels are kept or removed, and the agent has no radius.
pub fn refine_window(
    triangles: impl Iterator<Item = impl Into<SoupTriangle>>,
    frame: &GridFrame,
    core: GridWindow,
    layers: &Layers,
    config: &StoreysConfig,
) -> Result<Refined, StoreysError> {
    Ok(DepthJob::new(triangles, frame, core, layers, config)?.run())
}
