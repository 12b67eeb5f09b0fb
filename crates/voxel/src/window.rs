//! Construction of a part of the walkable field, equal to that part of the whole field.

use waymesh_core::{
    Agent, Counter, FieldWindow, GridFrame, GridScale, GridWindow, Heightfield, Observer, WalkableField,
    checkpoint,
};

use crate::climbs::{Climb, find_climbs};
use crate::erosion::{erode_on, reach_table};
use crate::prepare::check_window;
use crate::walkable::build_counted;
use crate::{FieldBuilder, VoxelError};

/// Builds the part of the walkable field that consists of `core` and the ring around it, from the
/// heightfield of the larger `window`.
///
/// Runs the same steps as [`FieldBuilder`] on a whole heightfield: filters, links, erosion, marks.
///
/// # Guarantees
/// - The result is equal, bit for bit, to the same part of the whole field ([`FieldWindow::cut`]),
///   also at the edges of `frame`.
/// - `observer` counts only spans of the core. Over cores that share no column the counts add up to
///   those of the whole field. A part without ground gives no warning.
///
/// # Cost
/// The cost of the whole stage on the columns of `window`, and one more copy of the spans that
/// stay.
///
/// # Errors
/// - [`VoxelError::BadWindow`] if `window` is not in `frame`, `core` not in `window`, or
///   `heightfield` not of the size of `window`.
/// - [`VoxelError::ThinHalo`] if `window` holds less than [`FieldBuilder::halo_cells`] columns
///   around `core` on a side where the frame has them.
/// - The errors of the stage for an invalid agent, heightfield or mark.
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

/// Builds the part like [`build_window`] and finds the [`Climb`]s from the columns of `core`:
/// ledges that are higher than the agent's step and at most `max_ledge` metres high.
///
/// # Guarantees
/// Cores that share no column and together cover the grid give the climbs of the whole grid
/// ([`find_climbs`]).
///
/// # Errors
/// See [`build_window`]. In addition, `window` must hold [`FieldBuilder::climb_cells`] more columns
/// around `core`.
pub fn build_window_with_climbs(
    heightfield: &Heightfield,
    frame: &GridFrame,
    window: GridWindow,
    core: GridWindow,
    builder: &FieldBuilder,
    max_ledge: f32,
    observer: &mut dyn Observer,
) -> Result<(FieldWindow, Vec<Climb>), VoxelError> {
    let scale = GridScale::new(frame.cell_size, frame.level_height);
    let more = builder.climb_cells(max_ledge, &scale);
    let field = window_field(heightfield, frame, window, core, builder, more, observer)?;
    let local = GridWindow { x: core.x - window.x, z: core.z - window.z, ..core };
    let climbs = find_climbs(heightfield, &field, builder, max_ledge, local, [window.x, window.z])?;
    let part = FieldWindow { frame: *frame, core, window, field }.cut(core);
    Ok((finish(part, builder, observer)?, climbs))
}

/// Returns the eroded field of all of `window`, correct up to `more` columns around `core`.
fn window_field(
    heightfield: &Heightfield,
    frame: &GridFrame,
    window: GridWindow,
    core: GridWindow,
    builder: &FieldBuilder,
    more: u32,
    observer: &mut dyn Observer,
) -> Result<WalkableField, VoxelError> {
    let GridFrame { width, depth, .. } = heightfield.frame;
    if (width, depth) != (window.width, window.depth) {
        return Err(VoxelError::BadWindow { window, width, depth });
    }
    check_parts(frame, window, core, builder, more)?;
    let counted = GridWindow { x: core.x - window.x, z: core.z - window.z, ..core };
    let mut field = build_counted(heightfield, &builder.agent, &builder.filters, counted, 1, observer)?;
    field.frame = frame.window(window);
    erode_on(&mut field, builder.erosion_radius, 1, &mut ())?;
    builder.report_head_rooms(heightfield, &mut field)?;
    Ok(field)
}

/// Checks that a window lies in the frame, and contains the core and the columns around it that
/// affect it.
pub(crate) fn check_parts(
    frame: &GridFrame,
    window: GridWindow,
    core: GridWindow,
    builder: &FieldBuilder,
    more: u32,
) -> Result<(), VoxelError> {
    check_window(frame, window)?;
    if !window.covers(&core) {
        return Err(VoxelError::BadWindow { window: core, width: window.width, depth: window.depth });
    }
    let needed =
        builder.halo_cells(&GridScale::new(frame.cell_size, frame.level_height)).saturating_add(more);
    if !window.covers(&core.grown(needed, frame)) {
        return Err(VoxelError::ThinHalo { window, core, needed });
    }
    Ok(())
}

/// Counts the eroded spans of the core, and applies the marks.
fn finish(
    mut part: FieldWindow,
    builder: &FieldBuilder,
    observer: &mut dyn Observer,
) -> Result<FieldWindow, VoxelError> {
    let core = part.core;
    // All spans were walkable before erosion.
    let eroded = count_unwalkable(
        &part.field,
        GridWindow { x: core.x - part.window.x, z: core.z - part.window.z, ..core },
    );
    if eroded > 0 {
        observer.count(Counter::SpansEroded, eroded);
    }
    for mark in &builder.marks {
        mark.apply_to_window(&mut part, &builder.head_rooms)?;
    }
    Ok(part)
}

fn count_unwalkable(field: &WalkableField, window: GridWindow) -> u64 {
    let mut count = 0;
    for z in window.z..window.end_z() {
        checkpoint();
        let row = z as usize * field.frame.width as usize;
        let columns = row + window.x as usize..row + window.end_x() as usize;
        let spans = field.columns[columns.start] as usize..field.columns[columns.end] as usize;
        count += field.area[spans].iter().map(|area| u64::from(!area.is_walkable())).sum::<u64>();
    }
    count
}

/// Returns the number of columns that a heightfield needs around a core for [`build_window`] with
/// the filters and the erosion of [`FieldBuilder::new`]. See [`FieldBuilder::halo_cells`].
#[must_use]
pub fn halo_cells(agent: &Agent, scale: &GridScale) -> u32 {
    FieldBuilder::new(*agent).halo_cells(scale)
}

impl FieldBuilder {
    /// Returns the number of columns that a heightfield needs around a core for [`build_window`].
    /// With one column less, the field may differ. It is the sum of
    /// - 1 for the ring: the columns around the core are held as they are in the whole field;
    /// - the reach of erosion: a span is removed if a blocked cell lies within this number of
    ///   cells, and a cell is blocked if it has no span left to link to;
    /// - 1 for the filter of ledges, which visits the four adjacent columns (0 without it);
    /// - 1 for headroom classes, which visit the spans that a span links to (0 without them).
    ///
    /// Links and the other filters need no more columns: they read only one column, or two columns
    /// of the part itself.
    #[must_use]
    pub fn halo_cells(&self, scale: &GridScale) -> u32 {
        let eroded = erosion_cells(f64::from(self.erosion_radius) / f64::from(scale.cell_size));
        let rooms = u32::from(!self.head_rooms.is_empty());
        eroded.saturating_add(1 + u32::from(self.filters.ledges) + rooms)
    }
}

/// Returns the distance in cells of the farthest blocked cell that makes [`crate::erode`] remove a
/// span; for radii too large to be useful, an upper bound.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "float-to-int casts saturate; NaN and negative radii are rejected elsewhere"
)]
fn erosion_cells(radius_cells: f64) -> u32 {
    // Uses the reach table of the erosion, so that the rule exists only once. The table has an
    // entry per cell of the radius.
    if radius_cells < 65_536.0 {
        let table = reach_table(radius_cells, u32::MAX).unwrap_or_default();
        return table.first().map_or(0, |cells| cells.saturating_sub(1));
    }
    (radius_cells.ceil() as u32).saturating_add(1)
}
