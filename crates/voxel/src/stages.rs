//! Implementations of the stage traits of `waymesh-core`.

use waymesh_core::stage::{BuildField, StageError, Voxelize};
use waymesh_core::{Heightfield, Observer, TriangleSoup, WalkableField};

use crate::{FieldBuilder, VoxelConfig, build_filtered_field, erode, rasterize};

/// [`rasterize`] as a stage.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Voxelizer {
    /// The configuration.
    pub config: VoxelConfig,
}

impl Voxelizer {
    /// Returns a stage with this configuration.
    #[must_use]
    pub fn new(config: VoxelConfig) -> Self {
        Self { config }
    }
}

impl Voxelize for Voxelizer {
    fn voxelize(&self, soup: &TriangleSoup, observer: &mut dyn Observer) -> Result<Heightfield, StageError> {
        rasterize(soup, &self.config, observer).map_err(|error| StageError::new("voxelize", error))
    }
}

impl BuildField for FieldBuilder {
    fn build_field(
        &self,
        heightfield: &Heightfield,
        observer: &mut dyn Observer,
    ) -> Result<WalkableField, StageError> {
        let stage = |error| StageError::new("walkable field", error);
        let mut field =
            build_filtered_field(heightfield, &self.agent, &self.filters, observer).map_err(stage)?;
        erode(&mut field, self.erosion_radius, observer).map_err(stage)?;
        self.report_head_rooms(heightfield, &mut field).map_err(stage)?;
        for mark in &self.marks {
            mark.apply_over(&mut field, &self.head_rooms).map_err(stage)?;
        }
        Ok(field)
    }
}
