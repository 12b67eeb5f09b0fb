//! The errors of this crate.

use std::time::Duration;

use thiserror::Error;
use waymesh_core::BadField;
use waymesh_core::stage::StageError;
use waymesh_voxel::VoxelError;

/// Error of opening an adapter, or of its work.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GpuError {
    /// A configuration field is out of its range.
    #[error(transparent)]
    BadField(#[from] BadField),
    /// No adapter fits the options.
    #[error("no graphics adapter: {reason}")]
    NoAdapter {
        /// Description of the available adapters.
        reason: String,
    },
    /// The adapter does not provide a device.
    #[error("the adapter {adapter} gives no device: {reason}")]
    NoDevice {
        /// Its name.
        adapter: String,
        /// Message of the driver.
        reason: String,
    },
    /// A limit of the adapter is lower than the shaders require.
    #[error("the adapter {adapter} has {limit} {has}, {needs} are needed")]
    TooWeak {
        /// Its name.
        adapter: String,
        /// Name of the limit, as WebGPU calls it.
        limit: &'static str,
        /// Value of the adapter.
        has: u64,
        /// Required value.
        needs: u64,
    },
    /// The memory of the device is exhausted.
    #[error("the device has no memory left for {bytes} bytes of {what}")]
    OutOfMemory {
        /// Use of the bytes.
        what: &'static str,
        /// Number of requested bytes.
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
    /// A column has more fragments than one invocation can sort in a short time.
    #[error("a column has {fragments} fragments, the device sorts up to {limit}")]
    DeepColumn {
        /// Fragments of the deepest column.
        fragments: u32,
        /// Largest number of fragments.
        limit: u32,
    },
    /// The device is lost: unplugged, reset by its driver, or destroyed.
    #[error("the device is lost: {reason}")]
    Lost {
        /// Message of the driver.
        reason: String,
    },
    /// The device did not answer in time.
    #[error("the device has not finished within {limit:?}")]
    TimedOut {
        /// Duration of the wait.
        limit: Duration,
    },
    /// The driver refuses an operation.
    #[error("the device failed: {reason}")]
    Failed {
        /// Message of the driver.
        reason: String,
    },
    /// The part of the stage that the processor does fails.
    #[error(transparent)]
    Voxel(#[from] VoxelError),
    /// The triangles cannot be read.
    #[error(transparent)]
    Source(#[from] StageError),
}
