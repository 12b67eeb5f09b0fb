//! What each shader moves, how long it takes, and what bounds it.

use waymesh_core::{Agent, GridFrame, GridWindow};
use waymesh_gpu::GpuTimes;
use waymesh_voxel::{FieldBuilder, FieldJob, RasterJob, VoxelConfig};

use super::storeys::{Windows, rough_job};
use super::{GpuBenchOptions, Level, Stages, failed, head, ms, row};
use crate::BenchError;

/// From this share of the bandwidth on, bytes bound a shader.
const HALF: f64 = 0.5;

/// Runs all stages on the first level with every dispatch waited for.
pub(super) fn shaders(
    options: &GpuBenchOptions,
    levels: &[Level],
    print: &mut dyn FnMut(&str),
) -> Result<(), BenchError> {
    let Some(level) = levels.first() else { return Ok(()) };
    let context = options.context(true)?;
    let stages = Stages::new(&context)?;
    let (mut times, mut fragments) = (GpuTimes::default(), 0);
    // The first time, shaders are translated and tables grow.
    for _ in 0..2 {
        times = GpuTimes::default();
        let frame =
            GridFrame::fit(&level.soup.bounds(), &level.scale).map_err(|error| failed("grid", error))?;
        let builder = FieldBuilder::new(Agent::default());
        let config = VoxelConfig::for_agent(&builder.agent).with_scale(level.scale);
        let raster =
            RasterJob::of_soup(&level.soup, &config, &mut ()).map_err(|error| failed("voxels", error))?;
        let job = FieldJob::new(raster, &frame, GridWindow::whole(&frame), &builder)
            .map_err(|error| failed("fields", error))?;
        let (_, more) = stages.rasterizer.build_field(&job).map_err(|error| failed("fields", error))?;
        fragments = more.fragments;
        times.add(&more);
        let windows = Windows::of(level)?;
        let rough = rough_job(level, &windows.frame, &windows.config)?;
        let (.., more) = stages.rough.run(&rough).map_err(|error| failed("rough voxels", error))?;
        times.add(&more);
        for &core in &windows.cores {
            let job = windows.job(level, core)?;
            let (_, more) = stages.depth.run(&job).map_err(|error| failed("depth maps", error))?;
            times.add(&more);
        }
    }
    let title = format!(
        "Shaders, {} with cells of {} m, {fragments} fragments. Bytes are the least that a shader has to move",
        level.name, level.scale.cell_size
    );
    print(&head(
        &title,
        &[
            "shader",
            "dispatches",
            "items",
            "ms",
            "ns an item",
            "MB",
            "GB a second",
            "of the bandwidth",
            "bound by",
        ],
    ));
    for (name, shader) in &times.shaders {
        let seconds = shader.time.as_secs_f64();
        let rate = shader.bytes as f64 / seconds.max(1e-9) / 1e9;
        let share = options.bandwidth.map(|bandwidth| rate / bandwidth);
        let bound = match share {
            Some(share) if share >= HALF => "bytes",
            Some(_) => "arithmetic and latency",
            None => "-",
        };
        print(&row(&[
            (*name).to_owned(),
            shader.dispatches.to_string(),
            shader.items.to_string(),
            ms(shader.time),
            format!("{:.1}", seconds * 1e9 / shader.items.max(1) as f64),
            format!("{:.2}", shader.bytes as f64 / 1e6),
            format!("{rate:.2}"),
            share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", 100.0 * share)),
            bound.to_owned(),
        ]));
    }
    if options.bandwidth.is_none() {
        print(
            "\nWith `--bandwidth`, the card's own in GB a second, the last columns tell what bounds each shader.\n",
        );
    }
    Ok(())
}
