//! `--device`: where voxels and the depth maps of storeys are made.

use anyhow::Result;
use clap::{Args, ValueEnum};
use waymesh::Baker;
use waymesh_gpu::{GpuDevice, GpuOptions};

#[derive(Debug, Args)]
pub(crate) struct DeviceArgs {
    /// Device that makes voxels and depth maps; the mesh is the same. Default: cpu.
    #[arg(long, value_name = "DEVICE")]
    device: Option<DeviceKind>,
    /// A part of the name of the graphics card. Adapters in software are used only if they are
    /// named. Default: the fastest card.
    #[arg(long, value_name = "NAME", requires = "device")]
    adapter: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum DeviceKind {
    /// The processor.
    Cpu,
    /// The graphics card. What it cannot do is done on the processor; the report says why.
    Gpu,
    /// The graphics card if there is one and there is enough to do.
    Auto,
}

impl DeviceArgs {
    /// `true` if they are to be made elsewhere than on the processor.
    pub(crate) fn is_given(&self) -> bool {
        matches!(self.device, Some(DeviceKind::Gpu | DeviceKind::Auto))
    }

    /// Returns the baker with the requested device.
    pub(crate) fn set<F>(&self, baker: Baker<F>) -> Result<Baker<F>> {
        Ok(match self.open()? {
            Some(device) => baker.with_raster_device(device),
            None => baker,
        })
    }

    /// Returns the baker of storeys with the requested device.
    pub(crate) fn set_for_storeys<F>(&self, baker: Baker<F>) -> Result<Baker<F>> {
        Ok(match self.open()? {
            Some(device) => baker.with_rough_device(device.clone()).with_depth_device(device),
            None => baker,
        })
    }

    fn open(&self) -> Result<Option<GpuDevice>> {
        let options = GpuOptions::default()
            .with_adapter(self.adapter.clone().unwrap_or_default())
            .with_software(self.adapter.is_some());
        Ok(match self.device {
            None | Some(DeviceKind::Cpu) => None,
            Some(DeviceKind::Gpu) => Some(GpuDevice::open(&options)?),
            Some(DeviceKind::Auto) => Some(GpuDevice::open_if_any(&options)),
        })
    }
}
