//! Refinement: the layers of a window, drawn finely, as far as the agent's centre may go.

use glam::Vec3;
use waymesh_core::{GridFrame, GridWindow, SpanKey};

use crate::StoreysError;
use crate::carve::carve;
use crate::clearance::{Clearance, halo_cells};
use crate::config::{Placement, StoreysConfig, Walk};
use crate::depth::DepthMaps;
use crate::layers::Layers;
use crate::slim::SlimWindow;
use crate::walls::Walls;

/// Steps of a cell in which borders are told.
pub const BORDER_STEPS: u8 = 64;
/// Where the walkable ground ends around a span, in steps of [`BORDER_STEPS`] from the centre of
/// its cell, by [`Direction::index`](waymesh_core::Direction::index); 0 where it does not end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpanEnds {
    /// Which span.
    pub span: SpanKey,
    /// How far the ground goes.
    pub steps: [u8; 4],
}

/// Fine ground of a window.
#[derive(Clone, Debug, PartialEq)]
pub struct Refined {
    /// Where the agent's centre may be, without labels.
    pub ground: SlimWindow,
    /// Where the ground ends, of the spans in the core that do end, in order.
    pub ends: Vec<SpanEnds>,
}

/// Cells around its core that a window has to be drawn with: triangles that reach so far into it
/// have to be given to [`refine_window`].
#[must_use]
pub fn refine_halo(config: &StoreysConfig) -> u32 {
    halo_cells(&Walk::new(config)) + 1
}

/// Draws the layers over the columns of `core`.
///
/// 1. The depth maps: of all walkable triangles below the cutting shape of a layer, the highest at
///    the centre of each pixel.
/// 2. Cracks of a pixel are closed. Ground without head room goes.
/// 3. Walls: every triangle again, cut by the lines through the centres of pixels. What lies
///    between a step and the agent's height above the ground stands in the way, and how far from
///    the centre is kept. Faces that lines miss are kept as posts.
/// 4. Where the ground ends between two centres is known from there, and so is the distance of
///    every centre to the nearest end.
/// 5. Ground nearer than the agent's radius goes, and its end is where the distance, taken as
///    linear between two centres, is the radius.
///
/// # Guarantees
/// - A column's spans and ends do not depend on `core` or on the order of the triangles.
/// - Along a straight wall or drop the ends of the ground are exact to two steps
///   ([`BORDER_STEPS`]): a border keeps so far from the centres of cells.
///
/// # Cost
/// Linear in the pixels under the triangles, four looks each, and in the length of all borders
/// times the square of the radius, in pixels.
///
/// # Errors
/// For a bad configuration.
///
/// # References
/// Oliva 2012, section 6.2.3, where pixels are taken or left as a whole, and the agent has no
/// radius.
pub fn refine_window(
    triangles: impl Iterator<Item = [Vec3; 3]>,
    frame: &GridFrame,
    core: GridWindow,
    layers: &Layers,
    config: &StoreysConfig,
) -> Result<Refined, StoreysError> {
    config.validate()?;
    let walk = Walk::new(config);
    let core = core.intersection(&GridWindow::whole(frame));
    let window = core.grown(1, frame);
    let (maps, clearance) = draw(triangles, frame, window, layers, &walk)?;
    Ok(carve(maps, &clearance, &walk, frame, core, window))
}

/// The depth maps around a window, and how far from borders everything in it is.
pub(crate) fn draw<'l>(
    triangles: impl Iterator<Item = [Vec3; 3]>,
    frame: &GridFrame,
    window: GridWindow,
    layers: &'l Layers,
    walk: &Walk,
) -> Result<(DepthMaps<'l>, Clearance), StoreysError> {
    let mut maps = DepthMaps::empty(layers, window.grown(halo_cells(walk), frame))?;
    if maps.ground.is_empty() {
        return Ok((maps, Clearance::default()));
    }
    let placement = Placement::new(frame, walk);
    let triangles: Vec<_> = triangles.filter_map(|corners| placement.triangle(corners)).collect();
    let walkable = || triangles.iter().filter(|(_, walkable)| *walkable).map(|(corners, _)| corners);
    walkable().for_each(|corners| maps.draw(corners));
    maps.survey();
    maps.close_cracks(walk);
    maps.drop_covered(walk);
    let mut walls = Walls::new(&maps);
    for (corners, walkable) in &triangles {
        walls.draw(&maps, walk, corners, *walkable);
    }
    walls.finish();
    maps.link(walk);
    walls.cut(&mut maps);
    walls.draw_ends(&maps, walk, walkable());
    let clearance = Clearance::measure(&maps, &walls, walk, GridWindow::whole(frame), window);
    Ok((maps, clearance))
}
