//! Rasterisers on other devices.

use waymesh_core::stage::StageError;
use waymesh_core::{DeviceUsage, Heightfield, Observer};

use crate::{BuiltField, FieldJob, RasterJob};

/// A rasteriser on another device, such as a graphics card.
///
/// # Contract
/// The result equals that of [`RasterJob::run`] or [`FieldJob::run`], byte for byte. Several
/// threads may call it at the same time.
pub trait RasterDevice {
    /// Runs `job`.
    ///
    /// # Errors
    /// The errors of [`RasterJob::run`], and an error if the device fails without a fallback.
    fn rasterize(&self, job: &RasterJob, observer: &mut dyn Observer) -> Result<Heightfield, StageError>;

    /// Runs `job` if that is faster than rasterising here and building the field on the processor,
    /// because the voxels stay on the device. Default: returns `None`.
    ///
    /// # Errors
    /// The errors of [`FieldJob::run`], and an error if the device fails without a fallback.
    fn build_field(&self, _job: &FieldJob<'_>) -> Result<Option<BuiltField>, StageError> {
        Ok(None)
    }

    /// Returns the usage of the device so far. Default: empty.
    fn usage(&self) -> DeviceUsage {
        DeviceUsage::default()
    }
}
