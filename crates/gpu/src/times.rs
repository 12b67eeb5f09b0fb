//! What the device did, and how long it took.

use std::collections::BTreeMap;
use std::time::Duration;

/// Work of a device, for reports. Times are wall times of the processor, which waits for the
/// device: what the device does while the processor prepares the next part is in none of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GpuTimes {
    /// Handing bytes to the driver, and until they are on the device.
    pub upload: Duration,
    /// Waiting for shaders.
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
    /// Most parts that were with the device at the same time: with two, one is uploaded and encoded
    /// while the other is computed.
    pub most_in_flight: u64,
    /// Bytes to the device while another part was with it.
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
    /// How often it was started.
    pub dispatches: u64,
    /// Items that it did: triangles, rows of them, columns, places.
    pub items: u64,
    /// Bytes that it has to move at least, to and from the memory of the device.
    pub bytes: u64,
    /// How long it took; zero unless [`GpuOptions::timed_shaders`](crate::GpuOptions::timed_shaders)
    /// asks for it.
    pub time: Duration,
}

impl GpuTimes {
    /// Most steps of a dispatch. Larger work is split, so that it ends within the time limits of
    /// drivers. A step is about 500 operations on integers, such as a cell that a triangle covers; a
    /// weak card does some thousand million of these operations a second.
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
