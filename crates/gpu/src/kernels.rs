//! Shaders that run over tables of the device.

use wgpu::{BindingType, BufferBindingType, ShaderStages};

use crate::{GpuContext, GpuError};

/// Double precision made of integers, which most modules begin with.
pub(crate) const DOUBLE: &str = include_str!("shaders/double.wgsl");
/// The item search of modules whose items are rows of triangles.
pub(crate) const ITEMS: &str = include_str!("shaders/items.wgsl");

/// Single precision, after [`DOUBLE`].
pub(crate) const SINGLE: &str = include_str!("shaders/single.wgsl");

/// Returns the source of constants of the shaders in double precision.
pub(crate) fn constants(values: &[(&str, f64)]) -> String {
    let line = |&(name, value): &(&str, f64)| {
        let (low, high) = (value.to_bits() & u64::from(u32::MAX), value.to_bits() >> 32);
        format!("const {name} = vec2<u32>({low:#x}u, {high:#x}u);\n")
    };
    values.iter().map(line).collect()
}

/// The use of a table by a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Read,
    Write,
}

/// The shaders of one module. All have a common list of tables, after their settings.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) layout: wgpu::BindGroupLayout,
    pub(crate) settings_bytes: u64,
    pipelines: Vec<(&'static str, wgpu::ComputePipeline)>,
}

impl Module {
    /// Compiles the shaders `entries` of `source`, with settings of this number of bytes.
    pub(crate) fn new(
        context: &GpuContext,
        source: &str,
        settings_bytes: usize,
        uses: &[Use],
        entries: &[&'static str],
    ) -> Result<Self, GpuError> {
        context.guarded("shaders", source.len() as u64, || {
            let device = &context.device;
            let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source: wgpu::ShaderSource::Wgsl(source.into()),
            });
            let entry = |binding: u32, ty: BufferBindingType, has_dynamic_offset: bool| {
                let ty = BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None };
                wgpu::BindGroupLayoutEntry { binding, visibility: ShaderStages::COMPUTE, ty, count: None }
            };
            let storage = |(binding, &used): (u32, &Use)| {
                let read_only = used == Use::Read;
                entry(binding, BufferBindingType::Storage { read_only }, false)
            };
            let settings = entry(0, BufferBindingType::Uniform, true);
            let all: Vec<_> = std::iter::once(settings).chain((1..).zip(uses).map(storage)).collect();
            let layout = device
                .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &all });
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
            Self { layout, settings_bytes: settings_bytes as u64, pipelines }
        })
    }

    /// Returns a shader by its name.
    ///
    /// # Panics
    /// If the module has no shader of this name.
    pub(crate) fn pipeline(&self, entry: &str) -> &wgpu::ComputePipeline {
        #[expect(clippy::expect_used, reason = "names of this crate")]
        let (_, pipeline) =
            self.pipelines.iter().find(|(name, _)| *name == entry).expect("a shader of this module");
        pipeline
    }
}
