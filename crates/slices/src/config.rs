//! Configuration of the crate.

use waymesh_core::{Agent, BadField, GridScale, float};

use crate::SlicesError;

/// Configuration of [`crate::slice_world`]. Lengths in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SlicesConfig {
    /// Size of a voxel: the paper's `cx = cy` and `cz`. Default 0.05 by 0.02 m.
    pub scale: GridScale,
    /// The agent: height, steepest slope, and `max_step`, the paper's `max_climb`. The radius is
    /// not used: borders are not eroded, and queries take care of clearance. Default: 2 m high,
    /// steps of 0.5 m, slopes of 45 degrees, radius 0.
    pub agent: Agent,
    /// Side of a tile in cells, 0 for one tile over all. The result does not depend on it. Default
    /// 256.
    pub tile_cells: u32,
    /// Tiles worked on at the same time, 0 for one per thread of the current rayon pool. The result
    /// does not depend on it. Default 0.
    pub alive_tiles: usize,
    /// Widest gap in plan between two treads that a stair link bridges: the paper's `r`. Rounded
    /// down to whole cells. Each tile reads its neighbours up to this distance. Default 0.25,
    /// finite, zero or more, at most 256 cells.
    pub link_reach: f32,
    /// `true` if triangles that are too steep to walk on, and higher than a step, are obstacles.
    /// Default true. The paper drops steep triangles first; floors then continue through walls.
    pub steep_blocks: bool,
    /// Largest distance of the ground of a region from the levels of its spans, in levels, so that
    /// slices which form one slope become one region with an inclined plane. 0 for the paper's
    /// regions, which are level. Less than half the head room is used. Default 0, finite.
    pub max_height_error_levels: f32,
    /// Limit in bytes for the memory of the tiles being worked on and the lists of their triangles.
    /// The memory of the result comes on top. Default 4 GiB.
    pub max_memory_bytes: u64,
}

impl Default for SlicesConfig {
    fn default() -> Self {
        Self {
            scale: GridScale::new(0.05, 0.02),
            agent: Agent::default().with_radius(0.0).with_max_step(0.5),
            tile_cells: 256,
            alive_tiles: 0,
            link_reach: 0.25,
            steep_blocks: true,
            max_height_error_levels: 0.0,
            max_memory_bytes: 4 << 30,
        }
    }
}

/// Widest gap in cells.
const MAX_REACH: f32 = 256.0;

waymesh_core::setters! {
    impl SlicesConfig {
        with_scale(scale: GridScale);
        with_agent(agent: Agent);
        with_tile_cells(tile_cells: u32);
        with_alive_tiles(alive_tiles: usize);
        with_link_reach(link_reach: f32);
        with_steep_blocks(steep_blocks: bool);
        with_max_height_error_levels(max_height_error_levels: f32);
        with_max_memory_bytes(max_memory_bytes: u64);
    }
}

impl SlicesConfig {
    /// Checks every field.
    ///
    /// # Errors
    /// Returns an error that names the first field out of its range.
    pub fn validate(&self) -> Result<(), SlicesError> {
        self.scale.validate()?;
        self.agent.validate()?;
        let cells = self.link_reach / self.scale.cell_size;
        let is_fine = self.link_reach >= 0.0 && cells <= MAX_REACH;
        let expected = "finite, at least 0 m and at most 256 cells";
        BadField::unless(is_fine, "link_reach", self.link_reach, expected)?;
        let error = self.max_height_error_levels;
        let is_fine = error.is_finite() && error >= 0.0;
        Ok(BadField::unless(is_fine, "max_height_error_levels", error, "finite and at least 0")?)
    }
}

/// The configuration in cells and levels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Levels of head room.
    pub(crate) height: i32,
    /// Levels of the highest step.
    pub(crate) step: i32,
    /// Columns of the widest gap.
    pub(crate) gap: u32,
    /// Largest rise of a walkable slope from one cell to the next, in levels.
    pub(crate) rise: i32,
    /// Largest distance of the plane of a slope from its spans. It is less than half the head room:
    /// no plane is that near to two spans of a column.
    pub(crate) plane_error: f64,
}

impl Limits {
    pub(crate) fn new(config: &SlicesConfig) -> Self {
        let levels = |levels: u32| i32::try_from(levels).unwrap_or(i32::MAX).min(1 << 29);
        let level_height = config.scale.level_height;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 256, checked")]
        let gap = (config.link_reach / config.scale.cell_size + 1e-4).floor() as u32;
        let height = levels(config.agent.height_levels(level_height));
        let steepest = float::tan(f64::from(config.agent.max_slope)) * f64::from(config.scale.cell_size);
        #[expect(clippy::cast_possible_truncation, reason = "saturates")]
        let rise = (steepest / f64::from(level_height) - 1e-4).ceil() as i32;
        Self {
            height,
            step: levels(config.agent.max_step_levels(level_height)),
            gap,
            rise: rise.clamp(1, 1 << 29),
            plane_error: f64::from(config.max_height_error_levels).min(f64::from(height - 1) / 2.0).max(0.0),
        }
    }

    /// Returns the columns that a tile needs around it.
    pub(crate) fn ring(&self) -> u32 {
        if self.step > 0 { self.gap + 1 } else { 1 }
    }

    /// Returns the largest number of levels between two adjacent spans of one plane; negative if
    /// planes are disabled.
    pub(crate) fn side_by_side(&self) -> i64 {
        #[expect(clippy::cast_possible_truncation, reason = "less than the head room")]
        let both = (2.0 * self.plane_error).ceil() as i64;
        if both == 0 { -1 } else { both + i64::from(self.rise) }
    }
}
