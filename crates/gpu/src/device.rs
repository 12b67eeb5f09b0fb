//! Stages as devices of a bake, with the processor as fallback.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use waymesh_core::stage::StageError;
use waymesh_core::{DeviceUsage, DeviceWork, Heightfield, Observer, SkippedTriangles};
use waymesh_storeys::{DepthDevice, DepthJob, Refined, RoughDevice, RoughJob, RoughVoxels};
use waymesh_voxel::{BuiltField, FieldJob, RasterDevice, RasterJob};

use crate::{GpuContext, GpuDepth, GpuError, GpuOptions, GpuRasterizer, GpuRough, GpuTimes};

/// Shaders, or the reason of their failure, created on first use.
type Shaders<K> = OnceLock<Result<K, String>>;

/// Names of stages in reports.
const VOXELS: &str = "voxels";
const FIELDS: &str = "voxels and fields";
const ROUGH_VOXELS: &str = "rough voxels";
const DEPTH: &str = "depth maps";

/// A device that runs stages of a bake on a card, or on the processor if the card cannot: the bytes
/// are the same. `Baker::with_raster_device` of crate `waymesh` takes it, and for storeys
/// `Baker::with_rough_device` and `Baker::with_depth_device`; clones are the same device.
///
/// Work that the card refuses or fails at is done on the processor, and counted by its reason
/// ([`DeviceUsage::on_processor`]): a column or a table that is too large, a lost device, no memory
/// left.
#[derive(Clone, Debug)]
pub struct GpuDevice(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// The card, or the reason why it is missing.
    context: Result<GpuContext, String>,
    rasterizer: Shaders<GpuRasterizer>,
    rough: Shaders<GpuRough>,
    depth: Shaders<GpuDepth>,
    least_columns: u64,
    /// The work done for each stage.
    usage: Mutex<BTreeMap<&'static str, DeviceUsage>>,
}

impl GpuDevice {
    /// Number of columns below which [`GpuDevice::open_if_any`] uses the processor: that of a tile
    /// of 256 cells. An estimate, until a card is measured.
    pub const LEAST_COLUMNS: u64 = 1 << 16;

    /// Opens a card for all jobs.
    ///
    /// # Errors
    /// See [`GpuContext::new`].
    pub fn open(options: &GpuOptions) -> Result<Self, GpuError> {
        Ok(Self::of(Ok(GpuContext::new(options)?), 0))
    }

    /// Opens a card if one exists, for jobs of at least [`GpuDevice::LEAST_COLUMNS`] columns.
    /// Without a card all work is done on the processor, and the reason is reported.
    #[must_use]
    pub fn open_if_any(options: &GpuOptions) -> Self {
        Self::of(GpuContext::new(options).map_err(|error| error.to_string()), Self::LEAST_COLUMNS)
    }

    pub(crate) fn of(context: Result<GpuContext, String>, least_columns: u64) -> Self {
        let (rasterizer, rough, depth) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let usage = Mutex::default();
        Self(Arc::new(Shared { context, rasterizer, rough, depth, least_columns, usage }))
    }

    fn note(&self, stage: &'static str, note: impl FnOnce(&mut DeviceUsage)) {
        let mut usage = self.0.usage.lock().unwrap_or_else(PoisonError::into_inner);
        note(usage.entry(stage).or_default());
    }

    /// Returns the result of the card for a job of `columns` columns, or that of the processor.
    fn work<K, T>(
        &self,
        (stage, columns): (&'static str, u64),
        kernels: &Shaders<K>,
        new: fn(&GpuContext) -> Result<K, GpuError>,
        on_card: impl FnOnce(&K) -> Result<(T, GpuTimes), GpuError>,
        on_processor: impl FnOnce() -> Result<T, StageError>,
    ) -> Result<T, StageError> {
        let least = self.0.least_columns;
        let open = || {
            let context = self.0.context.as_ref().map_err(String::clone)?;
            new(context).map_err(|error| error.to_string())
        };
        let reason = match kernels.get_or_init(open) {
            Err(reason) => reason.clone(),
            Ok(_) if columns < least => format!("fewer than {least} columns"),
            Ok(kernels) => match on_card(kernels) {
                Ok((result, times)) => {
                    self.note(stage, |usage| {
                        usage.stages.entry(stage.into()).or_default().add(&work_of(&times))
                    });
                    return Ok(result);
                }
                // The processor would return this error as well.
                Err(GpuError::Voxel(error)) => return Err(StageError::new("voxelize", error)),
                Err(GpuError::Source(error)) => return Err(error),
                Err(error) => error.to_string(),
            },
        };
        self.note(stage, |usage| *usage.on_processor.entry(reason).or_default() += 1);
        on_processor()
    }

    /// Returns the work done for some stages.
    fn told(&self, stages: &[&'static str]) -> DeviceUsage {
        let usage = self.0.usage.lock().unwrap_or_else(PoisonError::into_inner);
        let mut told = DeviceUsage::default();
        if let Ok(context) = &self.0.context {
            told.device = context.adapter().to_string();
        }
        stages.iter().filter_map(|stage| usage.get(stage)).for_each(|usage| told.add(usage));
        told
    }
}

fn work_of(times: &GpuTimes) -> DeviceWork {
    let mut work = DeviceWork::default();
    work.jobs = 1;
    work.upload_seconds = times.upload.as_secs_f64();
    work.kernel_seconds = times.kernels.as_secs_f64();
    work.download_seconds = times.download.as_secs_f64();
    work.uploaded_bytes = times.uploaded_bytes;
    work.downloaded_bytes = times.downloaded_bytes;
    work
}

impl RasterDevice for GpuDevice {
    fn rasterize(&self, job: &RasterJob, observer: &mut dyn Observer) -> Result<Heightfield, StageError> {
        self.work(
            (VOXELS, job.window().column_count()),
            &self.0.rasterizer,
            GpuRasterizer::new,
            |rasterizer| rasterizer.run(job),
            || job.run(observer).map_err(StageError::at("voxelize")),
        )
    }

    fn build_field(&self, job: &FieldJob<'_>) -> Result<Option<BuiltField>, StageError> {
        self.work(
            (FIELDS, job.raster().window().column_count()),
            &self.0.rasterizer,
            GpuRasterizer::new,
            |rasterizer| rasterizer.build_field(job).map(|(field, times)| (Some(field), times)),
            || Ok(None),
        )
    }

    fn usage(&self) -> DeviceUsage {
        self.told(&[VOXELS, FIELDS])
    }
}

impl RoughDevice for GpuDevice {
    fn voxelize_roughly(&self, job: &RoughJob<'_>) -> Result<(RoughVoxels, SkippedTriangles), StageError> {
        self.work(
            (ROUGH_VOXELS, job.column_count()),
            &self.0.rough,
            GpuRough::new,
            |rough| rough.run(job).map(|(voxels, skipped, times)| ((voxels, skipped), times)),
            || job.run(),
        )
    }

    fn usage(&self) -> DeviceUsage {
        self.told(&[ROUGH_VOXELS])
    }
}

impl DepthDevice for GpuDevice {
    fn draw_depths(&self, job: &DepthJob<'_>) -> Result<Refined, StageError> {
        let tables = self.work(
            (DEPTH, job.window().column_count()),
            &self.0.depth,
            GpuDepth::new,
            |depth| depth.run(job).map(|(tables, times)| (Some(tables), times)),
            || Ok(None),
        )?;
        match tables {
            Some(tables) => job.finish(tables).map_err(StageError::at("storeys")),
            None => Ok(job.run()),
        }
    }

    fn usage(&self) -> DeviceUsage {
        self.told(&[DEPTH])
    }
}
