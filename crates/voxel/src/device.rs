//! Rasterisers on other devices.

use waymesh_core::stage::StageError;
use waymesh_core::{DeviceUsage, Heightfield, Observer};

use crate::RasterJob;

/// Does the work of a rasteriser on another device, such as a graphics card.
///
/// # Contract
/// The result is that of [`RasterJob::run`], byte for byte. Several threads may ask at once.
pub trait RasterDevice {
    /// Does the work of `job`.
    ///
    /// # Errors
    /// Those of [`RasterJob::run`], and those of a device that fails and has no way out.
    fn rasterize(&self, job: &RasterJob, observer: &mut dyn Observer) -> Result<Heightfield, StageError>;

    /// Returns what the device has done so far. Default: nothing is known.
    fn usage(&self) -> DeviceUsage {
        DeviceUsage::default()
    }
}
