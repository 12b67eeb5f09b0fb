//! Stages as devices of a bake, with the processor to fall back on.

use std::sync::{Mutex, OnceLock, PoisonError};

use waymesh_core::stage::StageError;
use waymesh_core::{DeviceUsage, Heightfield, Observer, SkippedTriangles};
use waymesh_storeys::{RoughDevice, RoughJob, RoughVoxels};
use waymesh_voxel::{RasterDevice, RasterJob};

use crate::{GpuContext, GpuError, GpuOptions, GpuRasterizer, GpuRough, GpuTimes};

/// Shaders, or why there are none, once they are asked for.
type Shaders<K> = OnceLock<Result<K, String>>;

/// Voxelises on a card, or on the processor where that is not possible: the bytes are the same.
/// `Baker::with_raster_device` of crate `waymesh` takes it, and `Baker::with_rough_device` for
/// storeys.
///
/// What the card refuses or fails at is done on the processor, and counted by its reason
/// ([`DeviceUsage::on_processor`]): a column or a table that is too large, a lost device, no
/// memory left.
#[derive(Debug)]
pub struct GpuDevice {
    /// The card, or why there is none.
    context: Result<GpuContext, String>,
    rasterizer: Shaders<GpuRasterizer>,
    rough: Shaders<GpuRough>,
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
        Ok(Self::of(Ok(GpuContext::new(options)?), 0))
    }

    /// Opens a card if there is one, for jobs of at least [`GpuDevice::LEAST_COLUMNS`] columns.
    /// Without a card all is done on the processor, and the reason is reported.
    #[must_use]
    pub fn open_if_any(options: &GpuOptions) -> Self {
        Self::of(GpuContext::new(options).map_err(|error| error.to_string()), Self::LEAST_COLUMNS)
    }

    fn of(context: Result<GpuContext, String>, least_columns: u64) -> Self {
        let mut usage = DeviceUsage::default();
        if let Ok(context) = &context {
            usage.device = context.adapter().to_string();
        }
        let (rasterizer, rough) = (OnceLock::new(), OnceLock::new());
        Self { context, rasterizer, rough, least_columns, usage: Mutex::new(usage) }
    }

    fn note(&self, note: impl FnOnce(&mut DeviceUsage)) {
        note(&mut self.usage.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// What the card makes of a job of so many columns, else what the processor makes of it.
    fn work<K, T>(
        &self,
        columns: u64,
        kernels: &Shaders<K>,
        new: fn(&GpuContext) -> Result<K, GpuError>,
        on_card: impl FnOnce(&K) -> Result<(T, GpuTimes), GpuError>,
        on_processor: impl FnOnce() -> Result<T, StageError>,
    ) -> Result<T, StageError> {
        let open = || {
            let context = self.context.as_ref().map_err(String::clone)?;
            new(context).map_err(|error| error.to_string())
        };
        let reason = match kernels.get_or_init(open) {
            Err(reason) => reason.clone(),
            Ok(_) if columns < self.least_columns => format!("fewer than {} columns", self.least_columns),
            Ok(kernels) => match on_card(kernels) {
                Ok((result, times)) => {
                    self.note(|usage| {
                        usage.jobs += 1;
                        usage.upload_seconds += times.upload.as_secs_f64();
                        usage.kernel_seconds += times.kernels.as_secs_f64();
                        usage.download_seconds += times.download.as_secs_f64();
                    });
                    return Ok(result);
                }
                // The processor would say the same.
                Err(GpuError::Voxel(error)) => return Err(StageError::new("voxelize", error)),
                Err(GpuError::Source(error)) => return Err(error),
                Err(error) => error.to_string(),
            },
        };
        self.note(|usage| *usage.on_processor.entry(reason).or_default() += 1);
        on_processor()
    }

    fn told(&self) -> DeviceUsage {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl RasterDevice for GpuDevice {
    fn rasterize(&self, job: &RasterJob, observer: &mut dyn Observer) -> Result<Heightfield, StageError> {
        self.work(
            job.window().column_count(),
            &self.rasterizer,
            GpuRasterizer::new,
            |rasterizer| rasterizer.run(job),
            || job.run(observer).map_err(StageError::at("voxelize")),
        )
    }

    fn usage(&self) -> DeviceUsage {
        self.told()
    }
}

impl RoughDevice for GpuDevice {
    fn voxelize_roughly(&self, job: &RoughJob<'_>) -> Result<(RoughVoxels, SkippedTriangles), StageError> {
        self.work(
            job.column_count(),
            &self.rough,
            GpuRough::new,
            |rough| rough.run(job).map(|(voxels, skipped, times)| ((voxels, skipped), times)),
            || job.run(),
        )
    }

    fn usage(&self) -> DeviceUsage {
        self.told()
    }
}
