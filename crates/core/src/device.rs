//! What other devices did.

use std::collections::BTreeMap;

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
