//! The configuration of voxelisation.

use waymesh_core::{Agent, BadField, GridScale};

use crate::VoxelError;

/// Configuration of [`crate::rasterize`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct VoxelConfig {
    /// Size of a voxel. Default 0.3 by 0.2 m.
    pub scale: GridScale,
    /// Steepest walkable slope in radians, inclusive. At least 0 and below 90 degrees; default 45
    /// degrees.
    pub max_slope: f32,
    /// The merge rule: a span of several fragments is walkable if the top of a walkable fragment
    /// lies at most this far below the merged top, in metres, rounded down to whole levels. An
    /// obstacle that an agent can step over thus does not make the ground below it unwalkable. With
    /// 0, the fragments that reach the merged top count. The rule depends only on the set of
    /// fragments, so the order of the triangles does not matter. (Merging pair by pair, as Recast
    /// does, depends on the order.) Finite, zero or more; default 0.9 m.
    pub max_step: f32,
    /// Largest size of the column table and the spans in bytes. Default 4 GiB.
    pub max_memory_bytes: u64,
    /// Number of threads of the current rayon pool that voxelise bands of rows at the same time. 1
    /// uses only the calling thread, 0 uses all threads of the pool. Does not affect the result.
    /// Default 1.
    pub threads: usize,
}

impl Default for VoxelConfig {
    fn default() -> Self {
        let agent = Agent::default();
        Self {
            scale: GridScale::default(),
            max_slope: agent.max_slope,
            max_step: agent.max_step,
            max_memory_bytes: 4 << 30,
            threads: 1,
        }
    }
}

waymesh_core::setters! {
    impl VoxelConfig {
        with_scale(scale: GridScale);
        with_max_slope(max_slope: f32);
        with_max_step(max_step: f32);
        with_max_memory_bytes(max_memory_bytes: u64);
        with_threads(threads: usize);
    }
}

impl VoxelConfig {
    /// Returns the defaults with the slope and the step of `agent`.
    #[must_use]
    pub fn for_agent(agent: &Agent) -> Self {
        Self::default().with_max_slope(agent.max_slope).with_max_step(agent.max_step)
    }

    /// Checks every field.
    ///
    /// # Errors
    /// Names the first field that is out of its range.
    pub fn validate(&self) -> Result<(), VoxelError> {
        self.scale.validate()?;
        let is_fine = self.max_slope >= 0.0 && self.max_slope < std::f32::consts::FRAC_PI_2;
        let expected = "from 0 to below 90 degrees (pi / 2 radians)";
        BadField::unless(is_fine, "max_slope", self.max_slope, expected)?;
        Ok(BadField::unless_length("max_step", self.max_step)?)
    }

    /// Returns [`VoxelConfig::max_step`] in levels.
    pub(crate) fn reach_levels(&self, level_height: f32) -> i32 {
        let levels = Agent::default().with_max_step(self.max_step).max_step_levels(level_height);
        i32::try_from(levels).unwrap_or(i32::MAX)
    }
}
