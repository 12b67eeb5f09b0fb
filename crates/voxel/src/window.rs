//! The walkable field of one part of a grid, as the whole field has it.

use waymesh_core::{
    Agent, Counter, FieldWindow, GridFrame, GridScale, GridWindow, Heightfield, Observer, WalkableField,
};

use crate::climbs::{Climb, find_climbs};
use crate::erosion::reach_table;
use crate::rasterize::check_window;
use crate::walkable::build_counted;
use crate::{FieldBuilder, VoxelError, erode};

/// The part of the walkable field that has `core` and the ring around it, from the heightfield of
/// `window`, which is larger.
///
/// Does what [`FieldBuilder`] does on a whole heightfield: filters, links, erosion, marks.
///
/// # Guarantees
/// - Equal, bit for bit, to the same part of the whole field ([`FieldWindow::cut`]), also at the
///   edges of `frame`.
/// - What `observer` counts are spans of the core: over cores that share no column the counts add
///   up to those of the whole. A part without ground is nothing to warn about.
///
/// # Cost
/// That of the whole stage on the columns of `window`, and one more copy of the spans that stay.
///
/// # Errors
/// - [`VoxelError::BadWindow`] if `window` is not in `frame`, `core` not in `window`, or
///   `heightfield` not of the size of `window`.
/// - [`VoxelError::ThinHalo`] if `window` holds less than [`FieldBuilder::halo_cells`] columns
///   around `core` on a side where the frame has them.
/// - As the stage for an agent, a heightfield or a mark that cannot be used.
pub fn build_window(
    heightfield: &Heightfield,
    frame: &GridFrame,
    window: GridWindow,
    core: GridWindow,
    builder: &FieldBuilder,
    observer: &mut dyn Observer,
) -> Result<FieldWindow, VoxelError> {
    let field = window_field(heightfield, frame, window, core, builder, 0, observer)?;
    finish(FieldWindow { frame: *frame, core, window, field }.cut(core), builder, observer)
}

/// [`build_window`], and the [`Climb`]s from the columns of `core`, up steps higher than the
/// agent's and up to `max_climb` metres.
///
/// # Guarantees
/// Over cores that share no column and cover the grid, the climbs are those of the whole
/// ([`find_climbs`]).
///
/// # Errors
/// As [`build_window`]; `window` has to hold [`FieldBuilder::climb_cells`] columns more.
pub fn build_window_with_climbs(
    heightfield: &Heightfield,
    frame: &GridFrame,
    window: GridWindow,
    core: GridWindow,
    builder: &FieldBuilder,
    max_climb: f32,
    observer: &mut dyn Observer,
) -> Result<(FieldWindow, Vec<Climb>), VoxelError> {
    let scale = GridScale::new(frame.cell_size, frame.level_height);
    let more = builder.climb_cells(max_climb, &scale);
    let field = window_field(heightfield, frame, window, core, builder, more, observer)?;
    let local = GridWindow { x: core.x - window.x, z: core.z - window.z, ..core };
    let climbs = find_climbs(heightfield, &field, builder, max_climb, local, [window.x, window.z])?;
    let part = FieldWindow { frame: *frame, core, window, field }.cut(core);
    Ok((finish(part, builder, observer)?, climbs))
}

/// The eroded field of all of `window`, right as far as `more` columns around `core`.
fn window_field(
    heightfield: &Heightfield,
    frame: &GridFrame,
    window: GridWindow,
    core: GridWindow,
    builder: &FieldBuilder,
    more: u32,
    observer: &mut dyn Observer,
) -> Result<WalkableField, VoxelError> {
    check_window(frame, window)?;
    let GridFrame { width, depth, .. } = heightfield.frame;
    if (width, depth) != (window.width, window.depth) {
        return Err(VoxelError::BadWindow { window, width, depth });
    }
    if !window.covers(&core) {
        return Err(VoxelError::BadWindow { window: core, width, depth });
    }
    let needed =
        builder.halo_cells(&GridScale::new(frame.cell_size, frame.level_height)).saturating_add(more);
    if !window.covers(&core.grown(needed, frame)) {
        return Err(VoxelError::ThinHalo { window, core, needed });
    }
    let counted = GridWindow { x: core.x - window.x, z: core.z - window.z, ..core };
    let mut field = build_counted(heightfield, &builder.agent, &builder.filters, counted, observer)?;
    field.frame = frame.window(window);
    erode(&mut field, builder.erosion_radius, &mut ())?;
    Ok(field)
}

/// Counts what was eroded in the core, and marks.
fn finish(
    mut part: FieldWindow,
    builder: &FieldBuilder,
    observer: &mut dyn Observer,
) -> Result<FieldWindow, VoxelError> {
    let core = part.core;
    // All spans were walkable before: the field is made of no others.
    let eroded = count_unwalkable(
        &part.field,
        GridWindow { x: core.x - part.window.x, z: core.z - part.window.z, ..core },
    );
    if eroded > 0 {
        observer.count(Counter::SpansEroded, eroded);
    }
    for mark in &builder.marks {
        mark.apply_to_window(&mut part)?;
    }
    Ok(part)
}

fn count_unwalkable(field: &WalkableField, window: GridWindow) -> u64 {
    let mut count = 0;
    for z in window.z..window.end_z() {
        let row = z as usize * field.frame.width as usize;
        let columns = row + window.x as usize..row + window.end_x() as usize;
        let spans = field.columns[columns.start] as usize..field.columns[columns.end] as usize;
        count += field.area[spans].iter().map(|area| u64::from(!area.is_walkable())).sum::<u64>();
    }
    count
}

/// Columns that a heightfield needs around a core for [`build_window`] with the filters and the
/// erosion of [`FieldBuilder::new`]. See [`FieldBuilder::halo_cells`].
#[must_use]
pub fn halo_cells(agent: &Agent, scale: &GridScale) -> u32 {
    FieldBuilder::new(*agent).halo_cells(scale)
}

impl FieldBuilder {
    /// Columns that a heightfield needs around a core for [`build_window`]; one less gives another
    /// field. The sum of
    /// - 1 for the ring: the columns around the core are held as they are in the whole field;
    /// - how far erosion looks: a span goes if a blocked cell lies within so many cells, and a cell
    ///   is blocked if nothing is left in it to be linked to;
    /// - 1 for the filter of ledges, which looks at the four columns around (0 if it is off).
    ///
    /// Links and the other filters need no more: they look at the spans of a column, or of two
    /// columns of the part itself.
    #[must_use]
    pub fn halo_cells(&self, scale: &GridScale) -> u32 {
        let eroded = erosion_cells(f64::from(self.erosion_radius) / f64::from(scale.cell_size));
        eroded.saturating_add(1 + u32::from(self.filters.ledges))
    }
}

/// Distance in cells of the farthest blocked cell that makes [`erode`] remove a span; for radii
/// beyond all use, a bound.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "float-to-int casts saturate, as meant: NaN and negative radii are refused elsewhere"
)]
fn erosion_cells(radius_cells: f64) -> u32 {
    // By the table that erosion itself goes by, so that its rule is written down once. It has an entry
    // per cell of the radius.
    if radius_cells < 65_536.0 {
        let table = reach_table(radius_cells, u32::MAX).unwrap_or_default();
        return table.first().map_or(0, |cells| cells.saturating_sub(1));
    }
    (radius_cells.ceil() as u32).saturating_add(1)
}
