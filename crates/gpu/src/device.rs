//! The rasteriser as a device of a bake, with the processor to fall back on.

use std::sync::{Mutex, PoisonError};

use waymesh_core::stage::StageError;
use waymesh_core::{Heightfield, Observer};
use waymesh_voxel::{DeviceUsage, RasterDevice, RasterJob};

use crate::{GpuContext, GpuError, GpuOptions, GpuRasterizer};

/// Voxelises on a card, or on the processor where that is not possible: the bytes are the same.
/// `Baker::with_raster_device` of crate `waymesh` takes it.
///
/// What the card refuses or fails at is done on the processor, and counted by its reason
/// ([`DeviceUsage::on_processor`]): a column or a table that is too large, a lost device, no
/// memory left.
#[derive(Debug)]
pub struct GpuDevice {
    /// The card, or why there is none.
    rasterizer: Result<GpuRasterizer, String>,
    least_columns: u64,
    usage: Mutex<DeviceUsage>,
}

impl GpuDevice {
    /// Columns below which [`GpuDevice::open_if_any`] asks the processor: those of a tile of 256
    /// cells. A guess, until a card is measured.
    pub const LEAST_COLUMNS: u64 = 1 << 16;

    /// Opens a card for all jobs.
    ///
    /// # Errors
    /// See [`GpuContext::new`].
    pub fn open(options: &GpuOptions) -> Result<Self, GpuError> {
        let rasterizer = GpuRasterizer::new(&GpuContext::new(options)?)?;
        Ok(Self::of(Ok(rasterizer), 0))
    }

    /// Opens a card if there is one, for jobs of at least [`GpuDevice::LEAST_COLUMNS`] columns.
    /// Without a card all is done on the processor, and the reason is reported.
    #[must_use]
    pub fn open_if_any(options: &GpuOptions) -> Self {
        let rasterizer = GpuContext::new(options).and_then(|context| GpuRasterizer::new(&context));
        Self::of(rasterizer.map_err(|error| error.to_string()), Self::LEAST_COLUMNS)
    }

    fn of(rasterizer: Result<GpuRasterizer, String>, least_columns: u64) -> Self {
        let mut usage = DeviceUsage::default();
        if let Ok(rasterizer) = &rasterizer {
            usage.device = rasterizer.context().adapter().to_string();
        }
        Self { rasterizer, least_columns, usage: Mutex::new(usage) }
    }

    fn note(&self, note: impl FnOnce(&mut DeviceUsage)) {
        note(&mut self.usage.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// The heightfield, or why the processor has to make it.
    fn on_card(&self, job: &RasterJob) -> Result<Heightfield, Result<String, StageError>> {
        let rasterizer = self.rasterizer.as_ref().map_err(|reason| Ok(reason.clone()))?;
        if job.window().column_count() < self.least_columns {
            return Err(Ok(format!("fewer than {} columns", self.least_columns)));
        }
        match rasterizer.run(job) {
            Ok((heightfield, times)) => {
                self.note(|usage| {
                    usage.jobs += 1;
                    usage.upload_seconds += times.upload.as_secs_f64();
                    usage.kernel_seconds += times.kernels.as_secs_f64();
                    usage.download_seconds += times.download.as_secs_f64();
                });
                Ok(heightfield)
            }
            // The processor would say the same.
            Err(GpuError::Voxel(error)) => Err(Err(StageError::new("voxelize", error))),
            Err(error) => Err(Ok(error.to_string())),
        }
    }
}

impl RasterDevice for GpuDevice {
    fn rasterize(&self, job: &RasterJob, observer: &mut dyn Observer) -> Result<Heightfield, StageError> {
        match self.on_card(job) {
            Ok(heightfield) => Ok(heightfield),
            Err(Err(error)) => Err(error),
            Err(Ok(reason)) => {
                self.note(|usage| *usage.on_processor.entry(reason).or_default() += 1);
                job.run(observer).map_err(StageError::at("voxelize"))
            }
        }
    }

    fn usage(&self) -> DeviceUsage {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
