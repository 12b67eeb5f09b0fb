//! Rasterisers on other devices.

use std::collections::BTreeMap;

use waymesh_core::stage::StageError;
use waymesh_core::{Heightfield, Observer};

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

/// What a device has done, for reports.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct DeviceUsage {
    /// Name of the device; empty if there is none.
    pub device: String,
    /// Jobs that it did.
    pub jobs: u64,
    /// Seconds that bytes took to the device.
    pub upload_seconds: f64,
    /// Seconds that it worked.
    pub kernel_seconds: f64,
    /// Seconds that bytes took back.
    pub download_seconds: f64,
    /// Jobs that the processor did instead, by the reason.
    pub on_processor: BTreeMap<String, u64>,
}
