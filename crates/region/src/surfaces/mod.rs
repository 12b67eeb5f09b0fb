//! Whole storeys as regions: split into pieces block by block, then joined.
//!
//! The grid is cut into fixed blocks of [`BLOCK_CELLS`] cells a side. [`split_surfaces`] cuts the
//! ground of each block into pieces and records which pieces touch. It processes one block at a
//! time, so the result does not depend on the part of the field that contains the block.
//! [`join_surfaces`] builds regions from the pieces of all parts, and [`label_surfaces`] returns
//! the regions of the spans of a part.

mod agglomerate;
mod block;
mod bytes;
mod dissolve;
mod graph;
mod improve;
mod join;
mod label;
mod labels;
mod sheet;
mod sheets;
mod slices;
mod split;
mod straight;

use waymesh_core::stage::{Partition, StageError};
use waymesh_core::{BLOCK_CELLS, BadField, GridFrame, Observer, RegionMap, WalkableField, saturating_u32};

pub use join::{JoinConfig, JoinedSurfaces, join_surfaces};
pub use label::{label_split_surfaces, label_surfaces};
pub use split::{Piece, SurfacePieces, split_surfaces, split_surfaces_labelled};
pub use straight::StraightLinks;

use crate::error::RegionError;

/// Configuration of [`split_surfaces`] and [`partition_surfaces`]. All parts of a field must be
/// split with the same configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SurfacesConfig {
    /// Height in metres that a piece may climb. Slopes and stairs within a block are cut into
    /// slices of about this height, so that a seam can lie across them. A lower value gives shorter
    /// seams and more pieces. Default 0.5; finite, above zero.
    pub slice_height: f32,
    /// Pieces of less than this many square metres are added to a neighbour in their block where
    /// possible. Default 0.5; finite, zero or more.
    pub min_piece: f32,
}

impl Default for SurfacesConfig {
    fn default() -> Self {
        Self { slice_height: 0.5, min_piece: 0.5 }
    }
}

waymesh_core::setters! {
    impl SurfacesConfig {
        with_slice_height(slice_height: f32);
        with_min_piece(min_piece: f32);
    }
}

impl SurfacesConfig {
    /// Checks all fields.
    ///
    /// # Errors
    /// [`RegionError`] with the first field that is out of range.
    pub fn validate(&self) -> Result<(), RegionError> {
        BadField::unless_positive("slice_height", self.slice_height)?;
        Ok(BadField::unless_area("min_piece", self.min_piece)?)
    }

    /// Returns the configuration in cells and levels of this frame.
    fn rule(&self, frame: &GridFrame) -> Rule {
        let whole = |exact: f64| {
            // Rounding in single precision may change an integer slightly.
            let whole = saturating_u32(exact + 1e-4);
            whole.min(i32::MAX.unsigned_abs())
        };
        Rule {
            slice_levels: whole(f64::from(self.slice_height) / f64::from(frame.level_height)).max(1),
            min_spans: whole((f64::from(self.min_piece) / frame.cell_area()).ceil()),
        }
    }
}

/// A [`SurfacesConfig`] in grid units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rule {
    /// Levels that a piece may climb.
    slice_levels: u32,
    /// Number of spans of the smallest piece that is not merged.
    min_spans: u32,
}

/// Cuts the walkable surface into few regions with short seams: a connected surface of one area is
/// one region unless it overlaps itself in plan, or is adjacent to itself without a link.
///
/// The result equals that of [`split_surfaces`], [`join_surfaces`] and [`label_surfaces`] with one
/// part that contains the whole field. The regions do not depend on how a field is cut into parts.
///
/// # Guarantees
/// - The contract of [`Partition`].
/// - No two adjacent regions of the same area could be one.
///
/// # Cost
/// Near linear: one pass over the spans, on all threads of the current rayon pool, and the join,
/// which works on pieces, of which there are one or a few per 256 columns.
///
/// # Errors
/// [`RegionError`] for an invalid configuration.
pub fn partition_surfaces(
    field: &WalkableField,
    config: &SurfacesConfig,
    observer: &mut dyn Observer,
) -> Result<RegionMap, RegionError> {
    let whole = split::Part::whole(field, field.frame);
    let (pieces, mut labels) = split::split_part(&whole, config)?;
    let surfaces = join_surfaces(&[pieces], &JoinConfig::default(), observer)?;
    surfaces.label_core(0, &mut labels);
    Ok(RegionMap { labels, count: surfaces.count() })
}

/// [`partition_surfaces`] as a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Surfaces {
    /// Configuration of the stage.
    pub config: SurfacesConfig,
}

impl Partition for Surfaces {
    fn partition(&self, field: &WalkableField, observer: &mut dyn Observer) -> Result<RegionMap, StageError> {
        partition_surfaces(field, &self.config, observer).map_err(StageError::at("partition"))
    }
}

/// Checks that the core of `part` is a rectangle of whole blocks within its window.
fn check_core<F>(part: &split::Part<'_, F>) -> Result<(), RegionError> {
    let (core, frame) = (part.core, part.frame);
    if is_on_blocks(&core, frame.width, frame.depth) && part.window.covers(&core) {
        Ok(())
    } else {
        Err(RegionError::NotWholeBlocks { core, width: frame.width, depth: frame.depth })
    }
}

/// Returns `true` if `core` lies in a grid of this size, begins at the corner of a block, and ends
/// at the end of a block or of the grid.
fn is_on_blocks(core: &waymesh_core::GridWindow, width: u32, depth: u32) -> bool {
    let side = |start: u32, cells: u32, all: u32| {
        let end = u64::from(start) + u64::from(cells);
        start.is_multiple_of(BLOCK_CELLS)
            && end <= u64::from(all)
            && (end.is_multiple_of(u64::from(BLOCK_CELLS)) || end == u64::from(all))
    };
    side(core.x, core.width, width) && side(core.z, core.depth, depth)
}
