//! What other devices did.

use std::collections::BTreeMap;

/// What a device has done, for reports.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct DeviceUsage {
    /// Name of the device; empty if there is none.
    pub device: String,
    /// What it did for each stage, by the name of the stage.
    pub stages: BTreeMap<String, DeviceWork>,
    /// Jobs that the processor did instead, by the reason.
    pub on_processor: BTreeMap<String, u64>,
}

/// What a device has done for a stage. Times are those that threads waited for it, summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct DeviceWork {
    /// Jobs that it did.
    pub jobs: u64,
    /// Seconds that bytes took to the device.
    pub upload_seconds: f64,
    /// Seconds that it worked.
    pub kernel_seconds: f64,
    /// Seconds that bytes took back.
    pub download_seconds: f64,
    /// Bytes to the device.
    pub uploaded_bytes: u64,
    /// Bytes from the device.
    pub downloaded_bytes: u64,
}

impl DeviceUsage {
    /// Adds what another device did, or the same one for another stage.
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

    /// All stages together.
    #[must_use]
    pub fn total(&self) -> DeviceWork {
        let mut total = DeviceWork::default();
        self.stages.values().for_each(|work| total.add(work));
        total
    }
}

impl DeviceWork {
    /// Adds other work.
    pub fn add(&mut self, other: &Self) {
        self.jobs += other.jobs;
        self.upload_seconds += other.upload_seconds;
        self.kernel_seconds += other.kernel_seconds;
        self.download_seconds += other.download_seconds;
        self.uploaded_bytes += other.uploaded_bytes;
        self.downloaded_bytes += other.downloaded_bytes;
    }
}
