//! Rough voxels and depth maps of storeys.

use anyhow::Result;
use waymesh_core::{Bounds, GridFrame, GridWindow, SoupTriangle};
use waymesh_storeys::{DepthJob, RoughJob, StoreysConfig, flood_layers, refine_halo};

use super::{Level, Stages, ms, parts, same};
use crate::measure::{Time, fastest, head};
use crate::say;

/// Cells along a side of the windows whose depth maps are drawn, as the front end chooses them.
const WINDOW: u32 = 256;
/// Most windows of a level: they are alike.
const MOST_WINDOWS: usize = 4;

/// Work of storeys for a level: the job of the rough voxels, and those of some windows.
pub(super) struct Windows {
    pub(super) layers: waymesh_storeys::Layers,
    pub(super) frame: GridFrame,
    pub(super) config: StoreysConfig,
    pub(super) cores: Vec<GridWindow>,
}

impl Windows {
    /// # Errors
    /// Those of the stages on the processor.
    pub(super) fn of(level: &Level) -> Result<Self> {
        let config = StoreysConfig::default().with_scale(level.scale).with_max_memory_bytes(16 << 30);
        let frame = GridFrame::fit(&level.soup.bounds(), &level.scale)?;
        let (voxels, _) = rough_job(level, &frame, &config)?.run()?;
        let layers = flood_layers(&voxels, &config)?;
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
    pub(super) fn job(&self, level: &Level, core: GridWindow) -> Result<DepthJob<'_>> {
        let window = core.grown(refine_halo(&self.config), &self.frame);
        let cell = self.frame.cell_size;
        let low = [window.x, window.z].map(|cells| cells as f32 * cell - cell);
        let high = [window.end_x(), window.end_z()].map(|cells| cells as f32 * cell + cell);
        let origin = self.frame.origin;
        let is_near = |triangle: &SoupTriangle| {
            let Bounds { min: least, max: most } = Bounds::of(triangle.corners.map(|corner| corner - origin));
            least.x <= high[0] && least.z <= high[1] && most.x >= low[0] && most.z >= low[1]
        };
        let triangles = level.soup.finite_with_areas().filter(is_near);
        Ok(DepthJob::new(triangles, &self.frame, core, &self.layers, &self.config)?)
    }
}

pub(super) fn rough_job<'a>(
    level: &'a Level,
    frame: &GridFrame,
    config: &StoreysConfig,
) -> Result<RoughJob<'a>> {
    let bounds = level.soup.bounds();
    Ok(RoughJob::new(&level.soup, frame, bounds.max.y - bounds.min.y, config)?)
}

/// Rough voxels of whole levels, depth maps of some windows.
pub(super) fn storeys(rounds: usize, stages: &Stages, levels: &[Level]) -> Result<()> {
    head(
        "Rough voxels of storeys, ms",
        "level | cell, m | triangles | rough columns | 1 thread | device | upload | shaders | download",
    );
    let mut all = Vec::new();
    for level in levels {
        let windows = Windows::of(level)?;
        let job = rough_job(level, &windows.frame, &windows.config)?;
        let (cpu, one) = fastest(rounds, || job.run());
        let (gpu, device) = fastest(rounds, || stages.rough.run(&job));
        let (voxels, skipped, times) = gpu?;
        same("rough voxels", level, &cpu?, &(voxels, skipped))?;
        say!(
            "| {} | {} | {} | {} | {} | {} | {} |",
            level.name,
            level.scale.cell_size,
            level.soup.triangles().len(),
            job.column_count(),
            ms(one),
            ms(device),
            parts(&times)
        );
        all.push(windows);
    }
    head(
        "Depth maps of storeys, up to four windows of 256 x 256 cells, ms; \"drawn\" is what the device does, \"rest\" the \
         distances and spans that the processor makes of it",
        "level | cell, m | triangles | places | 1 thread | of it drawn | of it rest | device | of it rest | upload | shaders | download",
    );
    for (level, windows) in levels.iter().zip(&all) {
        let jobs: Vec<DepthJob<'_>> =
            windows.cores.iter().map(|&core| windows.job(level, core)).collect::<Result<_>>()?;
        let (cpu, one) = fastest(rounds, || jobs.iter().map(DepthJob::run).collect::<Vec<_>>());
        let mut total = waymesh_gpu::GpuTimes::default();
        let (tables, device) = fastest(rounds, || {
            total = waymesh_gpu::GpuTimes::default();
            let draw = |job| {
                let (tables, times) = stages.depth.run(job)?;
                total.add(&times);
                Ok(tables)
            };
            jobs.iter().map(draw).collect::<Result<Vec<_>, waymesh_gpu::GpuError>>()
        });
        let tables = tables?;
        let (found, rest) = fastest(rounds, || {
            let finish =
                |(job, tables): (&DepthJob<'_>, &waymesh_storeys::DepthTables)| job.finish(tables.clone());
            jobs.iter().zip(&tables).map(finish).collect::<Result<Vec<_>, _>>()
        });
        same("depth maps", level, &cpu, &found?)?;
        let less = |time: Time, by: f64| format!("{:.1}", time.wall + by);
        say!(
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            level.name,
            level.scale.cell_size,
            jobs.iter().map(DepthJob::len).sum::<usize>(),
            jobs.iter().map(|job| u64::from(job.place_count())).sum::<u64>(),
            ms(one),
            less(one, -rest.wall),
            ms(rest),
            less(device, rest.wall),
            ms(rest),
            parts(&total)
        );
    }
    Ok(())
}
