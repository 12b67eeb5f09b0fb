//! Rasterisers on other devices.

use waymesh_core::stage::StageError;
use waymesh_core::{DeviceUsage, Heightfield, Observer};

use crate::{BuiltField, FieldJob, RasterJob};

/// Does the work of a rasteriser on another device, such as a graphics card.
///
/// # Contract
/// The result is that of [`RasterJob::run`] or [`FieldJob::run`], byte for byte. Several threads
/// may ask at once.
pub trait RasterDevice {
    /// Does the work of `job`.
    ///
    /// # Errors
    /// Those of [`RasterJob::run`], and those of a device that fails and has no way out.
    fn rasterize(&self, job: &RasterJob, observer: &mut dyn Observer) -> Result<Heightfield, StageError>;

    /// Does the work of `job`, if it is better than to do that of its rasteriser here and the rest on
    /// the processor: the voxels need not be brought back. Default: it is not.
    ///
    /// # Errors
    /// Those of [`FieldJob::run`], and those of a device that fails and has no way out.
    fn build_field(&self, _job: &FieldJob<'_>) -> Result<Option<BuiltField>, StageError> {
        Ok(None)
    }

    /// Returns what the device has done so far. Default: nothing is known.
    fn usage(&self) -> DeviceUsage {
        DeviceUsage::default()
    }
}
