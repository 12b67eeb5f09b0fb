//! Configuration of the metrics.

use waymesh_core::{BadField, GridScale};

use crate::MetricsError;

/// Settings of an evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MetricsConfig {
    /// Sample points on the scene, and as many on the mesh, of about 100 bytes each. Default
    /// 25,000, with which the standard error of a share is below 0.004, of one near 0 or 1 below
    /// 0.001; 1 to 10,000,000, with which it is below 0.0002.
    pub samples: usize,
    /// Seed of the random numbers. Default 1, any value.
    pub seed: u64,
    /// Uncertainty of the oracle in the plan, in metres. Points closer to the deciding border are
    /// counted separately. Default 0.3, the cell size of a default bake; finite and above 0.
    pub cell_size: f32,
    /// Uncertainty of the oracle in height, in metres. Steps and ceilings this close to the limit
    /// are counted separately. Default 0.2, finite and above 0.
    pub level_height: f32,
    /// Largest distance in metres above or below the ground at which the mesh counts as lying on
    /// it. Default `None`: the agent's `max_step`, but at least one level.
    pub height_tolerance: Option<f32>,
    /// Random pairs for connectivity and paths. Default 1,000.
    pub pairs: usize,
    /// Largest number of places, approximately, of the grid on which the components are found. A
    /// scene that needs more gets a coarser grid with a tenth of them. Default 4,000,000, at least
    /// 1.
    pub grid_limit: usize,
}

/// Largest number of samples: a gigabyte of them.
const MOST_SAMPLES: u32 = 10_000_000;

impl Default for MetricsConfig {
    fn default() -> Self {
        let scale = GridScale::default();
        Self {
            samples: 25_000,
            seed: 1,
            cell_size: scale.cell_size,
            level_height: scale.level_height,
            height_tolerance: None,
            pairs: 1_000,
            grid_limit: 4_000_000,
        }
    }
}

waymesh_core::setters! {
    impl MetricsConfig {
        with_samples(samples: usize);
        with_seed(seed: u64);
        with_height_tolerance(height_tolerance: Some(f32));
        with_pairs(pairs: usize);
        with_grid_limit(grid_limit: usize);
    }
}

impl MetricsConfig {
    /// Sets the uncertainty in the plan and in height, in metres: the scale of the bake.
    #[must_use]
    pub fn with_scale(mut self, cell_size: f32, level_height: f32) -> Self {
        (self.cell_size, self.level_height) = (cell_size, level_height);
        self
    }

    /// Checks every field.
    ///
    /// # Errors
    /// [`MetricsError::BadField`] names the first field that is out of its range.
    pub fn validate(&self) -> Result<(), MetricsError> {
        let samples = u32::try_from(self.samples).unwrap_or(u32::MAX);
        let is_fine = (1..=MOST_SAMPLES).contains(&samples);
        BadField::unless(is_fine, "samples", samples, "1 to 10000000")?;
        BadField::unless(self.grid_limit > 0, "grid_limit", 0.0, "at least 1")?;
        for (field, value) in [
            ("cell_size", self.cell_size),
            ("level_height", self.level_height),
            ("height_tolerance", self.height_tolerance.unwrap_or(1.0)),
        ] {
            BadField::unless_positive(field, value)?;
        }
        Ok(())
    }
}
