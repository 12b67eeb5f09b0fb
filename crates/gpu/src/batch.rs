//! Work for the device, submitted in batches of many dispatches.

use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use bytemuck::Pod;

use crate::kernels::Module;
use crate::tables::{Staging, Table};
use crate::{GpuContext, GpuError, GpuTimes};

/// Invocations of a work group, as in the shaders.
pub(crate) const GROUP: u32 = 64;
/// Largest number of work groups of a dispatch that WebGPU guarantees.
const MOST_GROUPS: u32 = 65_535;
/// Alignment of the settings of two dispatches that WebGPU guarantees, in bytes.
const STRIDE: usize = 256;
/// Bytes of the settings that are submitted together.
pub(crate) const SETTINGS_BYTES: u64 = 256 * STRIDE as u64;
/// Number of steps above which a batch is submitted.
const STEPS_TOGETHER: u64 = 4 * GpuTimes::MOST_STEPS;

/// The work of a shader.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    /// Items of a work group.
    pub(crate) group: u32,
    pub(crate) items: u32,
    /// Largest number of steps of an item: see [`GpuTimes::MOST_STEPS`].
    pub(crate) steps: u64,
    /// Lower bound of the bytes that all items move.
    pub(crate) bytes: u64,
}

impl Load {
    /// Creates the work of `items` items, one for each invocation.
    pub(crate) fn new(items: u32, steps: u64, bytes: u64) -> Self {
        Self { group: GROUP, items, steps, bytes }
    }
}

enum Op {
    Run {
        name: &'static str,
        pipeline: wgpu::ComputePipeline,
        group: wgpu::BindGroup,
        offset: u32,
        groups: u32,
    },
    Clear(wgpu::Buffer),
}

/// Dispatches in order. Dispatches may be lost if it is dropped before [`Batch::submit`].
pub(crate) struct Batch<'a> {
    context: &'a GpuContext,
    settings: &'a Table,
    times: &'a mut GpuTimes,
    ops: Vec<Op>,
    /// Settings of the dispatches in `ops`.
    words: Vec<u8>,
    steps: u64,
    reads: Vec<(wgpu::Buffer, u64, u64)>,
}

impl<'a> Batch<'a> {
    /// Creates an empty batch. `settings` has a capacity of [`SETTINGS_BYTES`].
    pub(crate) fn new(context: &'a GpuContext, settings: &'a Table, times: &'a mut GpuTimes) -> Self {
        Self { context, settings, times, ops: Vec::new(), words: Vec::new(), steps: 0, reads: Vec::new() }
    }

    /// Sets all of a table to zero.
    pub(crate) fn clear(&mut self, table: &Table) {
        self.ops.push(Op::Clear(table.buffer().clone()));
    }

    /// Runs a shader over tables, in the order of its module. The work is split so that no dispatch
    /// takes long; each dispatch gets the settings for its first item and its end.
    ///
    /// # Panics
    /// If the module has no shader of this name.
    pub(crate) fn run<S: Pod>(
        &mut self,
        module: &Module,
        entry: &'static str,
        tables: &[&Table],
        load: Load,
        settings: impl Fn(u32, u32) -> S,
    ) -> Result<(), GpuError> {
        if load.items == 0 {
            return Ok(());
        }
        let group = self.bind(module, tables)?;
        let most = GpuTimes::MOST_STEPS / load.steps.max(1);
        let most = u32::try_from(most).unwrap_or(u32::MAX) / load.group;
        let most = most.clamp(1, MOST_GROUPS) * load.group;
        let shader = self.times.shaders.entry(entry).or_default();
        shader.items += u64::from(load.items);
        shader.bytes += load.bytes;
        let mut begin = 0;
        while begin < load.items {
            waymesh_core::checkpoint();
            let end = begin.saturating_add(most).min(load.items);
            if (self.words.len() + STRIDE) as u64 > SETTINGS_BYTES || self.steps >= STEPS_TOGETHER {
                self.flush()?;
            }
            let offset = self.words.len();
            self.words.extend_from_slice(bytemuck::bytes_of(&settings(begin, end)));
            self.words.resize(self.words.len().next_multiple_of(STRIDE), 0);
            let steps = u64::from(end - begin).saturating_mul(load.steps);
            self.steps = self.steps.saturating_add(steps);
            self.times.longest_dispatch = self.times.longest_dispatch.max(steps);
            self.times.dispatches += 1;
            self.times.shaders.entry(entry).or_default().dispatches += 1;
            self.ops.push(Op::Run {
                name: entry,
                pipeline: module.pipeline(entry).clone(),
                group: group.clone(),
                offset: u32::try_from(offset).unwrap_or(u32::MAX),
                groups: (end - begin).div_ceil(load.group),
            });
            if self.context.options().timed_shaders {
                self.flush()?;
                let start = Instant::now();
                self.context.wait(None)?;
                self.times.shaders.entry(entry).or_default().time += start.elapsed();
            }
            begin = end;
        }
        Ok(())
    }

    fn bind(&self, module: &Module, tables: &[&Table]) -> Result<wgpu::BindGroup, GpuError> {
        let settings = wgpu::BufferBinding {
            buffer: self.settings.buffer(),
            offset: 0,
            size: wgpu::BufferSize::new(module.settings_bytes),
        };
        let settings = wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(settings) };
        let mut entries = vec![settings];
        for (binding, table) in (1..).zip(tables) {
            entries.push(wgpu::BindGroupEntry { binding, resource: table.buffer().as_entire_binding() });
        }
        let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &module.layout, entries: &entries };
        self.context.guarded("tables of a shader", 0, || self.context.device.create_bind_group(&descriptor))
    }

    /// Schedules `count` values of a table, from `first` on, to be read back after all work of the
    /// batch.
    pub(crate) fn read<T: Pod>(&mut self, table: &Table, first: u64, count: u64) {
        let each = size_of::<T>() as u64;
        self.reads.push((table.buffer().clone(), first * each, count * each));
    }

    /// Submits the work so far.
    pub(crate) fn flush(&mut self) -> Result<(), GpuError> {
        if self.ops.is_empty() {
            return Ok(());
        }
        self.context.submitting();
        let start = Instant::now();
        let (ops, words) = (std::mem::take(&mut self.ops), std::mem::take(&mut self.words));
        self.steps = 0;
        let context = self.context;
        let what = ops.iter().find_map(|op| if let Op::Run { name, .. } = op { Some(*name) } else { None });
        context.guarded(what.unwrap_or("clearing"), 0, || {
            if !words.is_empty() {
                context.queue.write_buffer(self.settings.buffer(), 0, &words);
            }
            let mut encoder = context.device.create_command_encoder(&Default::default());
            for op in &ops {
                match op {
                    Op::Clear(buffer) => encoder.clear_buffer(buffer, 0, None),
                    Op::Run { pipeline, group, offset, groups, .. } => {
                        let mut pass = encoder.begin_compute_pass(&Default::default());
                        pass.set_pipeline(pipeline);
                        pass.set_bind_group(0, group, &[*offset]);
                        pass.dispatch_workgroups(*groups, 1, 1);
                    }
                }
            }
            context.queue.submit([encoder.finish()])
        })?;
        self.times.kernels += start.elapsed();
        Ok(())
    }

    /// Submits all work.
    pub(crate) fn submit(mut self, mut staging: Staging) -> Result<Pending, GpuError> {
        self.flush()?;
        let context = self.context;
        let mut copies = Vec::with_capacity(self.reads.len());
        for (index, (table, first, bytes)) in self.reads.into_iter().enumerate() {
            copies.push((staging.reserve(context, index, bytes)?, table, first, bytes));
        }
        let start = Instant::now();
        let (kernels, done) = context.guarded("read back", 0, || {
            // The waits for shaders and copies are separate.
            let kernels = context.queue.submit([]);
            let mut encoder = context.device.create_command_encoder(&Default::default());
            for (buffer, table, first, bytes) in copies.iter().filter(|(.., bytes)| *bytes > 0) {
                encoder.copy_buffer_to_buffer(table, *first, buffer, 0, Some(*bytes));
            }
            (kernels, context.queue.submit([encoder.finish()]))
        })?;
        // A driver may block until earlier work is done.
        self.times.kernels += start.elapsed();
        let map = |(buffer, _, _, bytes): (wgpu::Buffer, wgpu::Buffer, u64, u64)| {
            let (sender, receiver) = channel();
            if bytes > 0 {
                buffer.map_async(wgpu::MapMode::Read, ..bytes, move |mapped| {
                    // The receiver is dropped if another operation failed.
                    let _ = sender.send(mapped);
                });
            }
            (buffer, bytes, receiver)
        };
        let reads = copies.into_iter().map(map).collect();
        Ok(Pending { uploads: None, kernels, copies: done, reads, staging })
    }
}

type Mapped = Receiver<Result<(), wgpu::BufferAsyncError>>;

/// Submitted work, and the buffers that will be read.
pub(crate) struct Pending {
    uploads: Option<wgpu::SubmissionIndex>,
    kernels: wgpu::SubmissionIndex,
    copies: wgpu::SubmissionIndex,
    reads: Vec<(wgpu::Buffer, u64, Mapped)>,
    staging: Staging,
}

impl Pending {
    /// Sets the submission of the writes before the work, to measure them separately.
    pub(crate) fn after(self, uploads: Option<wgpu::SubmissionIndex>) -> Self {
        Self { uploads, ..self }
    }

    /// Waits until the work is done.
    pub(crate) fn wait(self, context: &GpuContext, times: &mut GpuTimes) -> Result<Reads, GpuError> {
        let Self { uploads, kernels, copies, reads, staging } = self;
        if uploads.is_some() {
            let start = Instant::now();
            context.wait(uploads)?;
            times.upload += start.elapsed();
        }
        let start = Instant::now();
        context.wait(Some(kernels))?;
        times.kernels += start.elapsed();
        let start = Instant::now();
        context.wait(Some(copies))?;
        let mut all = Reads { buffers: Vec::with_capacity(reads.len()), staging };
        for (buffer, bytes, receiver) in reads {
            if bytes > 0 {
                // Another waiting thread may run the callback.
                let limit = context.options().timeout;
                match receiver.recv_timeout(limit) {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => {
                        context.check()?;
                        return Err(GpuError::Failed { reason: error.to_string() });
                    }
                    Err(_) => return Err(GpuError::TimedOut { limit }),
                }
            }
            all.buffers.push((buffer, bytes));
            times.downloaded_bytes += bytes;
        }
        times.download += start.elapsed();
        Ok(all)
    }
}

/// The values that were read back.
pub(crate) struct Reads {
    buffers: Vec<(wgpu::Buffer, u64)>,
    staging: Staging,
}

impl Reads {
    /// Returns the values of the read with this index.
    pub(crate) fn values<T: Pod>(&self, index: usize, times: &mut GpuTimes) -> Vec<T> {
        let start = Instant::now();
        let values = match self.buffers.get(index) {
            Some((buffer, bytes)) if *bytes > 0 => {
                bytemuck::pod_collect_to_vec(&buffer.get_mapped_range(..*bytes))
            }
            _ => Vec::new(),
        };
        times.download += start.elapsed();
        values
    }

    /// Returns the staging buffers for reuse.
    pub(crate) fn into_staging(self) -> Staging {
        for (buffer, _) in self.buffers.iter().filter(|(_, bytes)| *bytes > 0) {
            buffer.unmap();
        }
        self.staging
    }
}
