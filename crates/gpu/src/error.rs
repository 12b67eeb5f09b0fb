//! The errors of this crate.

use std::time::Duration;

use thiserror::Error;
use waymesh_core::BadField;
use waymesh_core::stage::StageError;
use waymesh_voxel::VoxelError;

/// Why there is no adapter, or no result of one.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GpuError {
    /// A configuration field is out of its range.
    #[error(transparent)]
    BadField(#[from] BadField),
    /// No adapter fits the options.
    #[error("no graphics adapter: {reason}")]
    NoAdapter {
        /// What there is instead.
        reason: String,
    },
    /// The adapter gives no device.
    #[error("the adapter {adapter} gives no device: {reason}")]
    NoDevice {
        /// Its name.
        adapter: String,
        /// What the driver says.
        reason: String,
    },
    /// The adapter can do less than the shaders need.
    #[error("the adapter {adapter} has {limit} {has}, {needs} are needed")]
    TooWeak {
        /// Its name.
        adapter: String,
        /// Name of the limit, as WebGPU calls it.
        limit: &'static str,
        /// What it has.
        has: u64,
        /// What is needed.
        needs: u64,
    },
    /// The memory of the device is used up.
    #[error("the device has no memory left for {bytes} bytes of {what}")]
    OutOfMemory {
        /// What the bytes were for.
        what: &'static str,
        /// How many were asked for.
        bytes: u64,
    },
    /// A table would be larger than a buffer of this device can be.
    #[error("{what} need {needed} bytes, {limit} allows {has}")]
    TooLarge {
        /// The table.
        what: &'static str,
        /// Its size in bytes.
        needed: u64,
        /// Name of the limit.
        limit: &'static str,
        /// Its value in bytes.
        has: u64,
    },
    /// More fragments lie in a column than one invocation can sort in a short time.
    #[error("a column has {fragments} fragments, the device sorts up to {limit}")]
    DeepColumn {
        /// Fragments of the deepest column.
        fragments: u32,
        /// Most that are sorted.
        limit: u32,
    },
    /// The device is lost: unplugged, reset by its driver, or destroyed.
    #[error("the device is lost: {reason}")]
    Lost {
        /// What the driver says.
        reason: String,
    },
    /// The device did not answer in time.
    #[error("the device has not finished within {limit:?}")]
    TimedOut {
        /// How long was waited.
        limit: Duration,
    },
    /// The driver refuses what it is asked to do.
    #[error("the device failed: {reason}")]
    Failed {
        /// What the driver says.
        reason: String,
    },
    /// The part of the stage that the processor does fails.
    #[error(transparent)]
    Voxel(#[from] VoxelError),
    /// The triangles cannot be read.
    #[error(transparent)]
    Source(#[from] StageError),
}
