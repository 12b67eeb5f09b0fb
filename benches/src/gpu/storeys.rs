//! Rough voxels and depth maps of storeys.

use waymesh_core::{GridFrame, GridWindow, SoupTriangle};
use waymesh_storeys::{DepthJob, RoughJob, StoreysConfig, flood_layers, refine_halo};

use super::{GpuBenchOptions, Level, Stages, differs, failed, head, ms, row, timed};
use crate::BenchError;

/// Cells along a side of the windows whose depth maps are drawn, as the front end chooses them.
const WINDOW: u32 = 256;
/// Most windows of a level: they are alike.
const MOST_WINDOWS: usize = 4;

/// What storeys make of a level: the job of the rough voxels, and those of some windows.
pub(super) struct Windows {
    pub(super) layers: waymesh_storeys::Layers,
    pub(super) frame: GridFrame,
    pub(super) config: StoreysConfig,
    pub(super) cores: Vec<GridWindow>,
}

impl Windows {
    /// # Errors
    /// Those of the stages on the processor.
    pub(super) fn of(level: &Level) -> Result<Self, BenchError> {
        let config = StoreysConfig::default().with_scale(level.scale).with_max_memory_bytes(16 << 30);
        let frame =
            GridFrame::fit(&level.soup.bounds(), &level.scale).map_err(|error| failed("grid", error))?;
        let (voxels, _) = rough_job(level, &frame, &config)?.run().map_err(|error| failed("rough", error))?;
        let layers = flood_layers(&voxels, &config).map_err(|error| failed("layers", error))?;
        let whole = GridWindow::whole(&frame);
        let (across, down) = (frame.width.div_ceil(WINDOW), frame.depth.div_ceil(WINDOW));
        let every = (across as usize * down as usize).div_ceil(MOST_WINDOWS);
        let tile = |number: u32| {
            let (x, z) = (number % across * WINDOW, number / across * WINDOW);
            GridWindow::new(x, z, WINDOW, WINDOW).intersection(&whole)
        };
        let cores = (0..across * down).step_by(every).map(tile).collect();
        Ok(Self { layers, frame, config, cores })
    }

    /// The job of a window, with the triangles that reach into it.
    pub(super) fn job(&self, level: &Level, core: GridWindow) -> Result<DepthJob<'_>, BenchError> {
        let window = core.grown(refine_halo(&self.config), &self.frame);
        let cell = self.frame.cell_size;
        let low = [window.x, window.z].map(|cells| cells as f32 * cell - cell);
        let high = [window.end_x(), window.end_z()].map(|cells| cells as f32 * cell + cell);
        let origin = self.frame.origin;
        let is_near = |triangle: &SoupTriangle| {
            let [a, b, c] = triangle.corners.map(|corner| corner - origin);
            let (least, most) = (a.min(b).min(c), a.max(b).max(c));
            least.x <= high[0] && least.z <= high[1] && most.x >= low[0] && most.z >= low[1]
        };
        let triangles = level.soup.finite_with_areas().filter(is_near);
        DepthJob::new(triangles, &self.frame, core, &self.layers, &self.config)
            .map_err(|error| failed("depth maps", error))
    }
}

pub(super) fn rough_job<'a>(
    level: &'a Level,
    frame: &GridFrame,
    config: &StoreysConfig,
) -> Result<RoughJob<'a>, BenchError> {
    let bounds = level.soup.bounds();
    RoughJob::new(&level.soup, frame, bounds.max.y - bounds.min.y, config)
        .map_err(|error| failed("rough voxels", error))
}

/// Rough voxels of whole levels, depth maps of some windows.
pub(super) fn storeys(
    options: &GpuBenchOptions,
    stages: &Stages,
    levels: &[Level],
    print: &mut dyn FnMut(&str),
) -> Result<(), BenchError> {
    print(&head(
        "Rough voxels of storeys, ms",
        &[
            "level",
            "cell, m",
            "triangles",
            "rough columns",
            "1 thread",
            "device",
            "upload",
            "shaders",
            "download",
        ],
    ));
    let mut all = Vec::new();
    for level in levels {
        let windows = Windows::of(level)?;
        let job = rough_job(level, &windows.frame, &windows.config)?;
        let rounds = options.rounds(level.soup.triangles().len());
        let (one, cpu) = timed(rounds, || job.run());
        let (device, gpu) = timed(rounds, || stages.rough.run(&job));
        let (voxels, skipped, times) = gpu.map_err(|error| failed("rough voxels", error))?;
        if (voxels, skipped) != cpu.map_err(|error| failed("rough voxels", error))? {
            return Err(differs("rough voxels", level));
        }
        print(&row(&[
            level.name.clone(),
            level.scale.cell_size.to_string(),
            level.soup.triangles().len().to_string(),
            job.column_count().to_string(),
            ms(one),
            ms(device),
            ms(times.upload),
            ms(times.kernels),
            ms(times.download),
        ]));
        all.push(windows);
    }
    print(&head(
        "Depth maps of storeys, up to four windows of 256 x 256 cells, ms; \"drawn\" is what the device does, \"rest\" the \
         distances and spans that the processor makes of it",
        &[
            "level",
            "cell, m",
            "triangles",
            "places",
            "1 thread",
            "of it drawn",
            "of it rest",
            "device",
            "of it rest",
            "upload",
            "shaders",
            "download",
        ],
    ));
    for (level, windows) in levels.iter().zip(&all) {
        let rounds = options.rounds(0);
        let jobs: Vec<DepthJob<'_>> =
            windows.cores.iter().map(|&core| windows.job(level, core)).collect::<Result<_, _>>()?;
        let (one, cpu) = timed(rounds, || jobs.iter().map(DepthJob::run).collect::<Vec<_>>());
        let mut total = waymesh_gpu::GpuTimes::default();
        let (device, found) = timed(rounds, || {
            total = waymesh_gpu::GpuTimes::default();
            let draw = |job| {
                let (tables, times) = stages.depth.run(job)?;
                total.add(&times);
                Ok(tables)
            };
            jobs.iter().map(draw).collect::<Result<Vec<_>, waymesh_gpu::GpuError>>()
        });
        let tables = found.map_err(|error| failed("depth maps", error))?;
        let (rest, found) = timed(rounds, || {
            let finish =
                |(job, tables): (&DepthJob<'_>, &waymesh_storeys::DepthTables)| job.finish(tables.clone());
            jobs.iter().zip(&tables).map(finish).collect::<Result<Vec<_>, _>>()
        });
        if found.map_err(|error| failed("depth maps", error))? != cpu {
            return Err(differs("depth maps", level));
        }
        print(&row(&[
            level.name.clone(),
            level.scale.cell_size.to_string(),
            jobs.iter().map(DepthJob::len).sum::<usize>().to_string(),
            jobs.iter().map(|job| u64::from(job.place_count())).sum::<u64>().to_string(),
            ms(one),
            ms(one.saturating_sub(rest)),
            ms(rest),
            ms(device + rest),
            ms(rest),
            ms(total.upload),
            ms(total.kernels),
            ms(total.download),
        ]));
    }
    Ok(())
}
