//! The work from triangles to the walkable field, for other devices.

use waymesh_core::{
    BadField, Counter, FieldWindow, GridFrame, GridScale, GridWindow, Heightfield, NO_SPAN, Observer,
    WalkableField, checkpoint,
};

use crate::erosion::reach_table;
use crate::filters::AgentLevels;
use crate::window::check_parts;
use crate::{FieldBuilder, FieldCounts, Filters, RasterJob, VoxelError, build_window};

/// Parameters that decide which spans are in the field: see [`FieldJob::numbers`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldNumbers {
    /// Headroom in levels: from the top of a span, or from a level below it, to the bottom of the
    /// span above.
    pub height: i32,
    /// Smallest [`Span::ground_drop`](waymesh_core::Span::ground_drop) with which the headroom is
    /// counted from a level below the top.
    pub low_drop: u32,
    /// Highest step in levels.
    pub step: i32,
    /// Selection of the filters.
    pub filters: Filters,
    /// Entry `g` is the number of cells along z over which a blocked cell at distance `g` along x
    /// removes spans, including its own row. The last entry is 0; empty if nothing is eroded.
    pub reach: Vec<u32>,
}

/// The work of a rasteriser and of [`build_window`]: the triangles, the part of the grid and the
/// parameters, for a device that keeps the voxels and returns only the field.
///
/// # Limits
/// Climbs and headroom classes read the voxels again, so they are not supported.
#[derive(Clone, Debug)]
pub struct FieldJob<'a> {
    raster: RasterJob,
    frame: GridFrame,
    core: GridWindow,
    builder: &'a FieldBuilder,
    reach: AgentLevels,
}

/// A field with the counts of its construction.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BuiltField {
    /// The core and the ring around it, with the marks of the builder.
    pub part: FieldWindow,
    /// Counts of the stages.
    pub counts: FieldCounts,
}

impl<'a> FieldJob<'a> {
    /// Returns the job that builds `core` and the ring around it from the columns of `raster`, a
    /// part of `frame`. See [`build_window`].
    ///
    /// # Errors
    /// See [`build_window`], and [`VoxelError::NeedsVoxels`] for a builder with headroom classes.
    pub fn new(
        raster: RasterJob,
        frame: &GridFrame,
        core: GridWindow,
        builder: &'a FieldBuilder,
    ) -> Result<Self, VoxelError> {
        let window = raster.window();
        check_parts(frame, window, core, builder, 0)?;
        if !builder.head_rooms.is_empty() {
            return Err(VoxelError::NeedsVoxels { what: "classes of head room" });
        }
        let reach = AgentLevels::new(&builder.agent, frame.level_height)?;
        BadField::unless_length("erosion radius", builder.erosion_radius)?;
        Ok(Self { raster, frame: *frame, core, builder, reach })
    }

    /// Returns the work of the rasteriser.
    #[must_use]
    pub fn raster(&self) -> &RasterJob {
        &self.raster
    }

    /// Returns the columns whose spans are counted.
    #[must_use]
    pub fn core(&self) -> GridWindow {
        self.core
    }

    /// Returns the columns of the result: the core and the ring around it.
    #[must_use]
    pub fn result(&self) -> GridWindow {
        self.core.grown(1, &self.frame).intersection(&self.raster.window())
    }

    /// Returns the grid of the result.
    #[must_use]
    pub fn frame_of_result(&self) -> GridFrame {
        self.frame.window(self.result())
    }

    /// Returns the number of columns around a column of the result that affect it.
    #[must_use]
    pub fn halo_cells(&self) -> u32 {
        // The ring of links is one of these columns.
        self.builder.halo_cells(&GridScale::new(self.frame.cell_size, self.frame.level_height)).max(2)
    }

    /// Returns the parameters that decide which spans are in the field.
    #[must_use]
    pub fn numbers(&self) -> FieldNumbers {
        let window = self.raster.window();
        let radius = f64::from(self.builder.erosion_radius) / f64::from(self.frame.cell_size);
        FieldNumbers {
            height: self.reach.height,
            low_drop: self.reach.low_drop,
            step: self.reach.step,
            filters: self.builder.filters,
            reach: reach_table(radius, window.width.max(window.depth)).unwrap_or_default(),
        }
    }

    /// Runs the job on the processor.
    ///
    /// # Errors
    /// The errors of the rasteriser.
    pub fn run(&self) -> Result<BuiltField, VoxelError> {
        let heightfield = self.raster.run(&mut ())?;
        let (window, core) = (self.raster.window(), self.core);
        let mut tally = Tally::default();
        let part = build_window(&heightfield, &self.frame, window, core, self.builder, &mut tally)?;
        let Tally(mut counts) = tally;
        count_solid(&heightfield, window, core, &mut counts);
        Ok(BuiltField { part, counts })
    }

    /// Returns the result for the field of [`FieldJob::result`] that another device built without
    /// marks.
    ///
    /// # Errors
    /// [`VoxelError::BrokenField`] if the tables of the field do not match each other or the job,
    /// and the errors of the marks.
    pub fn finish(&self, field: WalkableField, counts: FieldCounts) -> Result<BuiltField, VoxelError> {
        let window = self.result();
        if field.frame != self.frame_of_result() || !fits(&field) {
            return Err(VoxelError::BrokenField);
        }
        let mut part = FieldWindow { frame: self.frame, core: self.core, window, field };
        for mark in &self.builder.marks {
            mark.apply_to_window(&mut part, &self.builder.head_rooms)?;
        }
        Ok(BuiltField { part, counts })
    }
}

/// Returns `true` if the tables have consistent lengths, and links lead to spans.
fn fits(field: &WalkableField) -> bool {
    let spans = field.span_columns.len();
    let count = field.frame.column_count() + 1;
    checkpoint();
    field.columns.len() == count
        && field.columns.first() == Some(&0)
        && field.columns.is_sorted()
        && field.columns.last().is_some_and(|&last| last as usize == spans)
        && [field.floor.len(), field.clearance.len(), field.ground.len(), field.area.len(), field.links.len()]
            == [spans; 5]
        && field.links.as_flattened().iter().all(|&link| link == NO_SPAN || (link as usize) < spans)
}

/// Counts the solid spans of the core.
fn count_solid(heightfield: &Heightfield, window: GridWindow, core: GridWindow, counts: &mut FieldCounts) {
    for z in core.z..core.end_z() {
        checkpoint();
        let row = (z - window.z) as usize * window.width as usize;
        let first = row + (core.x - window.x) as usize;
        let spans =
            heightfield.columns[first] as usize..heightfield.columns[first + core.width as usize] as usize;
        counts.solid_spans += spans.len() as u64;
        let walkable = heightfield.spans[spans].iter().filter(|span| span.area.is_walkable()).count();
        counts.walkable_spans += walkable as u64;
    }
}

/// Collects the counts of [`build_window`].
#[derive(Default)]
struct Tally(FieldCounts);

impl Observer for Tally {
    fn count(&mut self, counter: Counter, amount: u64) {
        let Self(counts) = self;
        match counter {
            Counter::SpansOnLowObstacles => counts.on_low_obstacles += amount,
            Counter::SpansAtLedges => counts.at_ledges += amount,
            Counter::SpansUnderLowCeiling => counts.under_low_ceilings += amount,
            Counter::SpansEroded => counts.eroded += amount,
            _ => {}
        }
    }
}
