//! What the device did, and how long it took.

use std::time::Duration;

/// Work of a device, for reports. Times are wall times of the processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GpuTimes {
    /// Handing bytes to the driver.
    pub upload: Duration,
    /// From the start of dispatches until they are done, with the driver's own copies.
    pub kernels: Duration,
    /// Reading back what is done.
    pub download: Duration,
    /// Bytes to the device.
    pub uploaded_bytes: u64,
    /// Bytes from the device.
    pub downloaded_bytes: u64,
    /// Shaders started.
    pub dispatches: u64,
    /// Parts that the grid was cut into.
    pub parts: u64,
    /// Pieces of columns that triangles filled.
    pub fragments: u64,
}

impl GpuTimes {
    /// Adds the work of `other`.
    pub fn add(&mut self, other: &Self) {
        self.upload += other.upload;
        self.kernels += other.kernels;
        self.download += other.download;
        self.uploaded_bytes += other.uploaded_bytes;
        self.downloaded_bytes += other.downloaded_bytes;
        self.dispatches += other.dispatches;
        self.parts += other.parts;
        self.fragments += other.fragments;
    }
}
