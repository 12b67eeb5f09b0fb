//! Tables on the device, and shaders that run over them.

use std::time::Instant;

use bytemuck::Pod;
use wgpu::{BindingType, BufferBindingType, BufferUsages, ShaderStages};

use crate::{GpuContext, GpuError, GpuTimes};

/// A buffer that grows. What it held is lost when it does.
#[derive(Debug)]
pub(crate) struct Table {
    what: &'static str,
    usage: BufferUsages,
    buffer: wgpu::Buffer,
    bytes: u64,
}

impl Table {
    /// A table of numbers that shaders read and write.
    pub(crate) fn new(context: &GpuContext, what: &'static str, bytes: u64) -> Result<Self, GpuError> {
        Self::of(
            context,
            what,
            bytes,
            BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC,
        )
    }

    /// The settings of a shader.
    pub(crate) fn settings(context: &GpuContext, bytes: u64) -> Result<Self, GpuError> {
        Self::of(context, "settings", bytes, BufferUsages::UNIFORM | BufferUsages::COPY_DST)
    }

    fn of(
        context: &GpuContext,
        what: &'static str,
        bytes: u64,
        usage: BufferUsages,
    ) -> Result<Self, GpuError> {
        let bytes = bytes.next_multiple_of(16).max(16);
        let (has, limit) = context.table_limit();
        if bytes > has {
            return Err(GpuError::TooLarge { what, needed: bytes, limit, has });
        }
        let descriptor =
            wgpu::BufferDescriptor { label: Some(what), size: bytes, usage, mapped_at_creation: false };
        let buffer = context.guarded(what, bytes, || context.device.create_buffer(&descriptor))?;
        Ok(Self { what, usage, buffer, bytes })
    }

    /// Makes room for this number of bytes.
    pub(crate) fn reserve(&mut self, context: &GpuContext, bytes: u64) -> Result<(), GpuError> {
        if bytes > self.bytes {
            // By half more, so that it does not grow often, as far as that is allowed.
            let wanted = bytes.max((self.bytes / 2 * 3).min(context.table_limit().0));
            *self = Self::of(context, self.what, wanted, self.usage)?;
        }
        Ok(())
    }

    /// Writes `values` to its beginning.
    pub(crate) fn write<T: Pod>(
        &mut self,
        context: &GpuContext,
        values: &[T],
        times: &mut GpuTimes,
    ) -> Result<(), GpuError> {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let size = bytes.len() as u64;
        self.reserve(context, size)?;
        let start = Instant::now();
        context.guarded(self.what, size, || context.queue.write_buffer(&self.buffer, 0, bytes))?;
        times.upload += start.elapsed();
        times.uploaded_bytes += size;
        Ok(())
    }

    /// Sets all of it to zero.
    pub(crate) fn clear(&self, context: &GpuContext) -> Result<(), GpuError> {
        context.guarded(self.what, self.bytes, || {
            let mut encoder = context.device.create_command_encoder(&Default::default());
            encoder.clear_buffer(&self.buffer, 0, None);
            context.queue.submit([encoder.finish()]);
        })
    }

    /// Reads `count` values from `first` on, once all work before is done.
    pub(crate) fn read<T: Pod>(
        &self,
        context: &GpuContext,
        first: u64,
        count: u64,
        times: &mut GpuTimes,
    ) -> Result<Vec<T>, GpuError> {
        if count == 0 {
            return Ok(Vec::new());
        }
        let start = Instant::now();
        context.wait()?;
        times.kernels += start.elapsed();
        let start = Instant::now();
        let each = size_of::<T>() as u64;
        let size = count * each;
        let descriptor = wgpu::BufferDescriptor {
            label: Some("read back"),
            size,
            usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        };
        let staging = context.guarded(self.what, size, || {
            let staging = context.device.create_buffer(&descriptor);
            let mut encoder = context.device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&self.buffer, first * each, &staging, 0, Some(size));
            context.queue.submit([encoder.finish()]);
            staging
        })?;
        let (sender, receiver) = std::sync::mpsc::channel();
        staging.map_async(wgpu::MapMode::Read, .., move |mapped| {
            // Nobody listens once the wait below has failed.
            let _ = sender.send(mapped);
        });
        context.wait()?;
        // Another thread that waits may have taken the call upon itself.
        let limit = context.options().timeout;
        match receiver.recv_timeout(limit) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(GpuError::Failed { reason: error.to_string() }),
            Err(_) => return Err(GpuError::TimedOut { limit }),
        }
        let values = bytemuck::pod_collect_to_vec(&staging.get_mapped_range(..));
        staging.unmap();
        times.download += start.elapsed();
        times.downloaded_bytes += size;
        Ok(values)
    }
}

/// Constants of the shaders in double precision.
pub(crate) fn constants(values: &[(&str, f64)]) -> String {
    let line = |&(name, value): &(&str, f64)| {
        let (low, high) = (value.to_bits() & u64::from(u32::MAX), value.to_bits() >> 32);
        format!("const {name} = vec2<u32>({low:#x}u, {high:#x}u);\n")
    };
    values.iter().map(line).collect()
}

/// How a shader uses a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Settings,
    Read,
    Write,
}

/// The shaders of one module. All of them have the same tables.
#[derive(Debug)]
pub(crate) struct Module {
    layout: wgpu::BindGroupLayout,
    pipelines: Vec<(&'static str, wgpu::ComputePipeline)>,
}

impl Module {
    /// Translates the shaders `entries` of `source`.
    pub(crate) fn new(
        context: &GpuContext,
        source: &str,
        uses: &[Use],
        entries: &[&'static str],
    ) -> Result<Self, GpuError> {
        context.guarded("shaders", source.len() as u64, || {
            let device = &context.device;
            let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source: wgpu::ShaderSource::Wgsl(source.into()),
            });
            let entry = |(binding, &used): (u32, &Use)| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: ShaderStages::COMPUTE,
                ty: BindingType::Buffer {
                    ty: match used {
                        Use::Settings => BufferBindingType::Uniform,
                        Use::Read => BufferBindingType::Storage { read_only: true },
                        Use::Write => BufferBindingType::Storage { read_only: false },
                    },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            };
            let entries_of_layout: Vec<_> = (0..).zip(uses).map(entry).collect();
            let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: None,
                entries: &entries_of_layout,
            });
            let whole = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: None,
                bind_group_layouts: &[Some(&layout)],
                immediate_size: 0,
            });
            let pipeline = |&name: &&'static str| {
                let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                    label: Some(name),
                    layout: Some(&whole),
                    module: &module,
                    entry_point: Some(name),
                    compilation_options: Default::default(),
                    cache: None,
                });
                (name, pipeline)
            };
            let pipelines = entries.iter().map(pipeline).collect();
            Self { layout, pipelines }
        })
    }

    /// Starts `groups` work groups of a shader over the tables, in the order of the module's uses.
    ///
    /// # Panics
    /// If the module has no shader of this name.
    pub(crate) fn dispatch(
        &self,
        context: &GpuContext,
        entry: &str,
        tables: &[&Table],
        groups: u32,
        times: &mut GpuTimes,
    ) -> Result<(), GpuError> {
        waymesh_core::checkpoint();
        let start = Instant::now();
        #[expect(clippy::expect_used, reason = "names of this crate")]
        let (name, pipeline) =
            self.pipelines.iter().find(|(name, _)| *name == entry).expect("a shader of this module");
        context.guarded(name, 0, || {
            let bindings = tables.iter().map(|table| table.buffer.as_entire_binding());
            let entries: Vec<_> = (0..)
                .zip(bindings)
                .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource })
                .collect();
            let group = context.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &self.layout,
                entries: &entries,
            });
            let mut encoder = context.device.create_command_encoder(&Default::default());
            {
                let mut pass = encoder.begin_compute_pass(&Default::default());
                pass.set_pipeline(pipeline);
                pass.set_bind_group(0, &group, &[]);
                pass.dispatch_workgroups(groups, 1, 1);
            }
            context.queue.submit([encoder.finish()]);
        })?;
        times.dispatches += 1;
        times.kernels += start.elapsed();
        Ok(())
    }
}
