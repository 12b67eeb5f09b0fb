//! The stage of a bake that loses a place, found on the cells around it.

use glam::Vec3;
use waymesh_core::stage::StageError;
use waymesh_core::{
    AreaId, Bounds, FieldWindow, GridFrame, GridWindow, HeadRooms, Span, TriangleSoup, float, saturating_u32,
};
use waymesh_voxel::{
    FieldBuilder, Filters, VoxelConfig, build_filtered_field, build_window, rasterize_window,
};

use crate::bake::{BakeConfig, BakeError, ConfigError};

/// The first step of a bake after which a place is not walkable, in the order of the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Loss {
    /// Its cell holds something higher than a step, or nothing.
    Covered,
    /// The surface in its cell is not walkable.
    Surface,
    /// Its cell is next to a drop or a step that is too high.
    Ledge,
    /// Its cell has too little head room.
    Ceiling,
    /// Its cell is nearer to a blocked one than the agent's radius.
    Erosion,
    /// This mark cuts it out.
    Mark(usize),
    /// Its cell is walkable.
    Nothing,
}

/// A place on a surface of a scene.
#[derive(Debug)]
pub(super) struct Spot<'a> {
    soup: &'a TriangleSoup,
    bounds: Bounds,
    place: Vec3,
    /// Slope of the surface in radians.
    slope: f64,
}

impl<'a> Spot<'a> {
    pub(super) fn new(soup: &'a TriangleSoup, place: Vec3, slope: f64) -> Self {
        Self { soup, bounds: soup.bounds(), place, slope }
    }

    /// Returns the step that loses the place, with the bits of a whole bake.
    pub(super) fn loss(&self, config: &BakeConfig) -> Result<Loss, BakeError> {
        let stage = StageError::at("why");
        let frame = GridFrame::fit(&self.bounds, &config.scale).map_err(ConfigError::Grid)?;
        let [x, y, z] = frame.to_grid(self.place);
        let core = GridWindow::new(column(x, frame.width), column(z, frame.depth), 1, 1);
        let builder = FieldBuilder::new(config.agent);
        let window = core.grown(builder.halo_cells(&config.scale), &frame);
        let voxels = VoxelConfig::for_agent(&config.agent).with_scale(config.scale);
        let solid = rasterize_window(self.soup.finite_with_areas(), &frame, window, &voxels, &mut ());
        let solid = solid.map_err(&stage)?;
        let (own_x, own_z) = (core.x - window.x, core.z - window.z);
        // The surface is rasterised into its own cell, so a span holds it.
        let own = solid.column(own_x, own_z).iter().find(|span| f64::from(span.top) >= y - 1e-3);
        let Some(&Span { top, .. }) = own else { return Ok(Loss::Covered) };
        // A sloped surface is higher at the side of its cell.
        let rise = float::tan(self.slope.min(1.5)) * f64::from(frame.cell_size / frame.level_height) * 1.5;
        if f64::from(top) > y + f64::from(config.agent.max_step / frame.level_height) + rise + 1.0 {
            return Ok(Loss::Covered);
        }
        let low_obstacles = Filters::none().with_low_obstacles(true);
        let ledges = low_obstacles.with_ledges(true);
        let all = ledges.with_low_ceilings(true);
        for (filters, loss) in [(low_obstacles, Loss::Surface), (ledges, Loss::Ledge), (all, Loss::Ceiling)] {
            let field = build_filtered_field(&solid, &config.agent, &filters, &mut ()).map_err(&stage)?;
            if !field.column(own_x, own_z).any(|span| field.floor[span as usize] == top) {
                return Ok(loss);
            }
        }
        let mut part = build_window(&solid, &frame, window, core, &builder, &mut ()).map_err(&stage)?;
        let area = |part: &FieldWindow| {
            let mut spans = part.field.column(core.x - part.window.x, core.z - part.window.z);
            let span = spans.find(|&span| part.field.floor[span as usize] == top);
            span.map_or(AreaId::NULL, |span| part.field.area[span as usize])
        };
        if !area(&part).is_walkable() {
            return Ok(Loss::Erosion);
        }
        let mut loss = Loss::Nothing;
        for (number, mark) in config.marks.iter().enumerate() {
            let was_walkable = area(&part).is_walkable();
            mark.apply_to_window(&mut part, &HeadRooms::default()).map_err(&stage)?;
            if area(&part).is_walkable() {
                loss = Loss::Nothing;
            } else if was_walkable {
                loss = Loss::Mark(number);
            }
        }
        Ok(loss)
    }
}

/// Returns the column of a coordinate in cells.
fn column(cells: f64, count: u32) -> u32 {
    saturating_u32(cells.floor().clamp(0.0, f64::from(count - 1)))
}
