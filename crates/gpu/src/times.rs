//! Work and times of the device.

use std::collections::BTreeMap;
use std::time::Duration;

/// Work of a device, for reports. Times are wall times of the processor while it waits for the
/// device: they exclude work of the device while the processor prepares the next part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GpuTimes {
    /// Time to pass bytes to the driver, and to wait until they are on the device.
    pub upload: Duration,
    /// Time to wait for shaders.
    pub kernels: Duration,
    /// Time to read results back.
    pub download: Duration,
    /// Bytes sent to the device.
    pub uploaded_bytes: u64,
    /// Bytes read from the device.
    pub downloaded_bytes: u64,
    /// Number of dispatched shaders.
    pub dispatches: u64,
    /// Number of parts of the grid.
    pub parts: u64,
    /// Largest number of parts on the device at the same time: with two, one is uploaded and
    /// encoded while the other is computed.
    pub most_in_flight: u64,
    /// Bytes sent to the device while it computed another part.
    pub overlapped_bytes: u64,
    /// Pieces of columns that triangles filled.
    pub fragments: u64,
    /// Steps of the longest dispatch: see [`GpuTimes::MOST_STEPS`].
    pub longest_dispatch: u64,
    /// Each shader by its name.
    pub shaders: BTreeMap<&'static str, ShaderTimes>,
}

/// Work of one shader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShaderTimes {
    /// Number of dispatches.
    pub dispatches: u64,
    /// Processed items: triangles, rows of triangles, columns, places.
    pub items: u64,
    /// Lower bound of the bytes that it moves to and from the memory of the device.
    pub bytes: u64,
    /// Its time; zero unless [`GpuOptions::timed_shaders`](crate::GpuOptions::timed_shaders) is
    /// set.
    pub time: Duration,
}

impl GpuTimes {
    /// Largest number of steps of a dispatch. Larger work is split, so that it ends within the time
    /// limits of drivers. A step is about 500 operations on integers, such as a cell that a
    /// triangle covers; a weak card does some thousand million of these operations per second.
    pub const MOST_STEPS: u64 = 1 << 26;

    /// Adds the work of `other`.
    pub fn add(&mut self, other: &Self) {
        self.upload += other.upload;
        self.kernels += other.kernels;
        self.download += other.download;
        self.uploaded_bytes += other.uploaded_bytes;
        self.downloaded_bytes += other.downloaded_bytes;
        self.dispatches += other.dispatches;
        self.parts += other.parts;
        self.most_in_flight = self.most_in_flight.max(other.most_in_flight);
        self.overlapped_bytes += other.overlapped_bytes;
        self.fragments += other.fragments;
        self.longest_dispatch = self.longest_dispatch.max(other.longest_dispatch);
        for (name, other) in &other.shaders {
            let own = self.shaders.entry(name).or_default();
            own.dispatches += other.dispatches;
            own.items += other.items;
            own.bytes += other.bytes;
            own.time += other.time;
        }
    }
}
