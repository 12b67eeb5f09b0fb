//! Adapters and devices.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use waymesh_core::BadField;

use crate::tables::Memory;
use crate::{GpuError, GpuTimes};

/// Choice of an adapter, and limits for its use.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GpuOptions {
    /// A part of the adapter's name, of any case; empty for the fastest one. Default empty.
    pub adapter: String,
    /// Allows adapters in software. They are slower than the native code of the processor, and
    /// useful for tests. Default `false`.
    pub software: bool,
    /// Largest number of bytes of one buffer on the device. Larger work is done in parts. At least
    /// 1 MiB; default 256 MiB.
    pub max_buffer_bytes: u64,
    /// Largest number of bytes of all buffers together that a [`GpuContext`] and its clones have on
    /// the device. A grid that needs more is filled in smaller parts; work that cannot be divided
    /// further fails with [`GpuError::OutOfMemory`]. At least 1 MiB; default 2 GiB.
    pub max_memory_bytes: u64,
    /// Measures the time of each shader. The processor waits for the device after each dispatch, so
    /// the total takes longer. Default `false`.
    pub timed_shaders: bool,
    /// Longest time to wait for the device. Every single dispatch is far shorter. A device that
    /// takes longer is not used again. Above zero; default 60 s.
    pub timeout: Duration,
}

impl Default for GpuOptions {
    fn default() -> Self {
        Self {
            adapter: String::new(),
            software: false,
            max_buffer_bytes: 256 << 20,
            max_memory_bytes: 2 << 30,
            timed_shaders: false,
            timeout: Duration::from_secs(60),
        }
    }
}

waymesh_core::setters! {
    impl GpuOptions {
        with_adapter(adapter: String);
        with_software(software: bool);
        with_max_buffer_bytes(max_buffer_bytes: u64);
        with_max_memory_bytes(max_memory_bytes: u64);
        with_timed_shaders(timed_shaders: bool);
        with_timeout(timeout: Duration);
    }
}

/// Smallest [`GpuOptions::max_buffer_bytes`] and [`GpuOptions::max_memory_bytes`].
const LEAST_BUFFER: u64 = 1 << 20;
/// Longest time of one wait: wgpu holds a lock meanwhile, and other threads cannot submit work.
const SLICE: Duration = Duration::from_micros(200);

impl GpuOptions {
    /// Checks every field.
    ///
    /// # Errors
    /// Names the first field that is out of its range.
    pub fn validate(&self) -> Result<(), GpuError> {
        for (field, bytes) in
            [("max_buffer_bytes", self.max_buffer_bytes), ("max_memory_bytes", self.max_memory_bytes)]
        {
            BadField::unless(bytes >= LEAST_BUFFER, field, bytes as f64, "at least 1048576 bytes")?;
        }
        let seconds = self.timeout.as_secs_f64();
        BadField::unless(seconds > 0.0, "timeout", seconds, "above 0 s")?;
        Ok(())
    }
}

/// An adapter, for reports.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AdapterReport {
    /// Its name.
    pub name: String,
    /// The interface of the adapter, such as `vulkan`.
    pub backend: String,
    /// Its driver, with the version.
    pub driver: String,
    /// `true` for an adapter in software.
    pub software: bool,
}

impl std::fmt::Display for AdapterReport {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let software = if self.software { ", software" } else { "" };
        write!(formatter, "{} ({}, {}{software})", self.name, self.backend, self.driver)
    }
}

impl AdapterReport {
    fn of(adapter: &wgpu::Adapter) -> Self {
        let info = adapter.get_info();
        Self {
            name: info.name,
            backend: info.backend.to_str().to_owned(),
            driver: format!("{} {}", info.driver, info.driver_info),
            software: info.device_type == wgpu::DeviceType::Cpu,
        }
    }
}

/// Errors of the driver since the device was created.
#[derive(Debug, Default)]
struct Complaints {
    lost: Option<String>,
    failed: Option<String>,
    /// `true` if the device timed out once. It is not used again.
    is_late: bool,
}

/// A device that the stages of this crate run on. One context serves a whole program: stages may
/// run on several threads at once, and the device does their work in turn.
#[derive(Clone, Debug)]
pub struct GpuContext {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    adapter: AdapterReport,
    options: GpuOptions,
    complaints: Arc<Mutex<Complaints>>,
    /// Bytes of all buffers.
    used: Arc<AtomicU64>,
    #[cfg(test)]
    pub(crate) trap: Arc<crate::tests::robust::Trap>,
}

/// Returns the limits that the shaders require of a device: the defaults of WebGPU.
fn needed() -> wgpu::Limits {
    wgpu::Limits::default()
}

/// Returns the value of a future of the native interfaces, which are always ready.
fn value_of<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return value;
        }
        std::thread::yield_now();
    }
}

impl GpuContext {
    /// Opens the adapter that fits `options` best: a discrete card before an integrated one,
    /// software last.
    ///
    /// # Cost
    /// Tens of milliseconds to seconds: drivers are loaded. The shaders are compiled when they are
    /// first used.
    ///
    /// # Errors
    /// [`GpuError::BadField`] for the options, [`GpuError::NoAdapter`], [`GpuError::TooWeak`] or
    /// [`GpuError::NoDevice`] if no adapter can be used.
    pub fn new(options: &GpuOptions) -> Result<Self, GpuError> {
        options.validate()?;
        let (adapter, report) = choose(options)?;
        let (has, needs) = (adapter.limits(), needed());
        type Read = fn(&wgpu::Limits) -> u64;
        let limits: [(&str, Read); 4] = [
            ("max_storage_buffers_per_shader_stage", |of| of.max_storage_buffers_per_shader_stage.into()),
            ("max_compute_invocations_per_workgroup", |of| of.max_compute_invocations_per_workgroup.into()),
            ("max_compute_workgroups_per_dimension", |of| of.max_compute_workgroups_per_dimension.into()),
            ("max_storage_buffer_binding_size", |of| of.max_storage_buffer_binding_size),
        ];
        for (limit, of) in limits {
            let (has, needs) = (of(&has), of(&needs));
            if has < needs {
                return Err(GpuError::TooWeak { adapter: report.name, limit, has, needs });
            }
        }
        let required_limits = wgpu::Limits {
            max_storage_buffer_binding_size: has.max_storage_buffer_binding_size,
            max_buffer_size: has.max_buffer_size,
            ..needs
        };
        let descriptor =
            wgpu::DeviceDescriptor { label: Some("waymesh"), required_limits, ..Default::default() };
        let (device, queue) = value_of(adapter.request_device(&descriptor)).map_err(|error| {
            GpuError::NoDevice { adapter: report.name.clone(), reason: error.to_string() }
        })?;
        let complaints = Arc::<Mutex<Complaints>>::default();
        let lost = Arc::clone(&complaints);
        device.set_device_lost_callback(move |_, reason| {
            lost.lock().unwrap_or_else(PoisonError::into_inner).lost = Some(reason);
        });
        let failed = Arc::clone(&complaints);
        // Without it, wgpu panics.
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            failed.lock().unwrap_or_else(PoisonError::into_inner).failed = Some(error.to_string());
        }));
        Ok(Self {
            device,
            queue,
            adapter: report,
            options: options.clone(),
            complaints,
            used: Arc::default(),
            #[cfg(test)]
            trap: Arc::default(),
        })
    }

    /// Returns the adapter.
    #[must_use]
    pub fn adapter(&self) -> &AdapterReport {
        &self.adapter
    }

    /// Returns the options that it was made with.
    #[must_use]
    pub fn options(&self) -> &GpuOptions {
        &self.options
    }

    /// Returns the largest number of bytes of a table on the device, and the name of the limit.
    pub(crate) fn table_limit(&self) -> (u64, &'static str) {
        let limits = self.device.limits();
        let all = [
            (self.options.max_buffer_bytes, "max_buffer_bytes"),
            (limits.max_storage_buffer_binding_size, "max_storage_buffer_binding_size"),
            (limits.max_buffer_size, "max_buffer_size"),
        ];
        all.into_iter().min_by_key(|(bytes, _)| *bytes).unwrap_or((LEAST_BUFFER, "max_buffer_bytes"))
    }

    /// Returns an error if the device is lost or refused an operation.
    pub(crate) fn check(&self) -> Result<(), GpuError> {
        let mut complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reason) = complaints.lost.clone() {
            return Err(GpuError::Lost { reason });
        }
        if complaints.is_late {
            return Err(GpuError::TimedOut { limit: self.options.timeout });
        }
        let Some(reason) = complaints.failed.take() else { return Ok(()) };
        drop(complaints);
        // Errors that follow from a lost device may arrive before the loss itself.
        self.ask()?;
        Err(GpuError::Failed { reason })
    }

    /// Runs an operation that may exhaust the memory of the device: `bytes` for `what`.
    pub(crate) fn guarded<T>(
        &self,
        what: &'static str,
        bytes: u64,
        work: impl FnOnce() -> T,
    ) -> Result<T, GpuError> {
        let memory = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let other = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let value = work();
        let other = value_of(other.pop());
        let memory = value_of(memory.pop());
        if other.is_some() {
            self.ask()?
        } else {
            self.check()?
        }
        match (memory, other) {
            (Some(_), _) => Err(GpuError::OutOfMemory { what, bytes }),
            (None, Some(error)) => Err(GpuError::Failed { reason: error.to_string() }),
            (None, None) => Ok(value),
        }
    }

    /// Reserves memory for a buffer, within the limit of the options.
    pub(crate) fn take_memory(&self, what: &'static str, bytes: u64) -> Result<Memory, GpuError> {
        Memory::take(&self.used, bytes, self.options.max_memory_bytes)
            .ok_or(GpuError::OutOfMemory { what, bytes })
    }

    /// Submits the writes to tables so far.
    pub(crate) fn upload(&self, times: &mut GpuTimes) -> Result<wgpu::SubmissionIndex, GpuError> {
        let start = Instant::now();
        let index = self.guarded("upload", 0, || self.queue.submit([]))?;
        times.upload += start.elapsed();
        Ok(index)
    }

    /// Called before work is submitted to the device.
    #[cfg_attr(not(test), expect(clippy::unused_self, reason = "tests break the device here"))]
    pub(crate) fn submitting(&self) {
        #[cfg(test)]
        self.trap.spring(self);
    }

    /// Waits until the device has done all work up to a submission, or all submitted work.
    pub(crate) fn wait(&self, until: Option<wgpu::SubmissionIndex>) -> Result<(), GpuError> {
        let (start, limit) = (Instant::now(), self.options.timeout);
        loop {
            #[cfg(test)]
            if self.trap.is_late() {
                return Err(self.is_late());
            }
            let timeout = Some(SLICE.min(limit.saturating_sub(start.elapsed())));
            let polled = self.device.poll(wgpu::PollType::Wait { submission_index: until.clone(), timeout });
            self.check()?;
            match polled {
                Ok(_) => return Ok(()),
                Err(wgpu::PollError::Timeout) if start.elapsed() >= limit => {
                    return Err(self.is_late());
                }
                Err(wgpu::PollError::Timeout) => {}
                Err(error) => {
                    self.ask()?;
                    return Err(GpuError::Failed { reason: error.to_string() });
                }
            }
        }
    }

    /// Marks the device as timed out, and returns the error.
    fn is_late(&self) -> GpuError {
        self.complaints.lock().unwrap_or_else(PoisonError::into_inner).is_late = true;
        GpuError::TimedOut { limit: self.options.timeout }
    }

    /// Returns the bytes of all buffers.
    #[cfg(test)]
    pub(crate) fn used_bytes(&self) -> u64 {
        self.used.load(std::sync::atomic::Ordering::Acquire)
    }

    /// Polls the device, which reports its loss only when it is polled and has no work left, and
    /// returns the error.
    fn ask(&self) -> Result<(), GpuError> {
        let timeout = Some(self.options.timeout);
        // The device reports through its callbacks.
        let _ = self.device.poll(wgpu::PollType::Wait { submission_index: None, timeout });
        let complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        match &complaints.lost {
            Some(reason) => Err(GpuError::Lost { reason: reason.clone() }),
            None => Ok(()),
        }
    }
}

/// Returns the best adapter for the options.
fn choose(options: &GpuOptions) -> Result<(wgpu::Adapter, AdapterReport), GpuError> {
    let backends = wgpu::Instance::enabled_backend_features();
    if backends.is_empty() {
        let reason = "this build has no interface to cards (features vulkan, metal, dx12)".to_owned();
        return Err(GpuError::NoAdapter { reason });
    }
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let wanted = options.adapter.to_lowercase();
    let mut others = Vec::new();
    let mut best: Option<(u8, wgpu::Adapter, AdapterReport)> = None;
    for adapter in value_of(instance.enumerate_adapters(backends)) {
        let report = AdapterReport::of(&adapter);
        let fits = report.name.to_lowercase().contains(&wanted) && (options.software || !report.software);
        if !fits {
            others.push(report.to_string());
            continue;
        }
        let rank = match adapter.get_info().device_type {
            wgpu::DeviceType::DiscreteGpu => 0,
            wgpu::DeviceType::IntegratedGpu => 1,
            wgpu::DeviceType::VirtualGpu => 2,
            wgpu::DeviceType::Other => 3,
            wgpu::DeviceType::Cpu => 4,
        };
        if best.as_ref().is_none_or(|(least, ..)| rank < *least) {
            best = Some((rank, adapter, report));
        }
    }
    best.map(|(_, adapter, report)| (adapter, report)).ok_or_else(|| {
        let named = if wanted.is_empty() { String::new() } else { format!(" named {:?}", options.adapter) };
        let reason = if others.is_empty() {
            format!("there is none{named}")
        } else {
            format!("none{named} is allowed; there are {}", others.join(", "))
        };
        GpuError::NoAdapter { reason }
    })
}
