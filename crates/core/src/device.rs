//! Usage of other devices than the processor.

use std::collections::BTreeMap;

/// The work of a device, for reports.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct DeviceUsage {
    /// Name of the device; empty if none was used.
    pub device: String,
    /// Work of the device per stage, by the name of the stage.
    pub stages: BTreeMap<String, DeviceWork>,
    /// Number of jobs that ran on the processor instead, by the reason.
    pub on_processor: BTreeMap<String, u64>,
}

/// The work of a device for one stage. Times are summed over the threads that waited.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DeviceWork {
    /// Number of jobs.
    pub jobs: u64,
    /// Seconds of uploads to the device.
    pub upload_seconds: f64,
    /// Seconds of computation.
    pub kernel_seconds: f64,
    /// Seconds of downloads from the device.
    pub download_seconds: f64,
    /// Bytes uploaded to the device.
    pub uploaded_bytes: u64,
    /// Bytes downloaded from the device.
    pub downloaded_bytes: u64,
}

impl DeviceUsage {
    /// Adds the usage of another device or of other stages.
    pub fn add(&mut self, other: &Self) {
        if self.device.is_empty() {
            self.device.clone_from(&other.device);
        } else if !other.device.is_empty() && self.device != other.device {
            self.device = format!("{}, {}", self.device, other.device);
        }
        for (stage, work) in &other.stages {
            self.stages.entry(stage.clone()).or_default().add(work);
        }
        for (reason, jobs) in &other.on_processor {
            *self.on_processor.entry(reason.clone()).or_default() += jobs;
        }
    }

    /// Returns the sum over all stages.
    #[must_use]
    pub fn total(&self) -> DeviceWork {
        let mut total = DeviceWork::default();
        self.stages.values().for_each(|work| total.add(work));
        total
    }
}

impl DeviceWork {
    /// Adds the numbers of `other`.
    pub fn add(&mut self, other: &Self) {
        self.jobs += other.jobs;
        self.upload_seconds += other.upload_seconds;
        self.kernel_seconds += other.kernel_seconds;
        self.download_seconds += other.download_seconds;
        self.uploaded_bytes += other.uploaded_bytes;
        self.downloaded_bytes += other.downloaded_bytes;
    }
}
