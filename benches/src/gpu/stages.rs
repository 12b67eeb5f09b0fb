//! Voxels and walkable fields.

use anyhow::Result;
use waymesh_core::{Agent, GridFrame, GridWindow, Heightfield, WalkableField};
use waymesh_gpu::GpuTimes;
use waymesh_voxel::{
    FieldBuilder, FieldJob, RasterJob, VoxelConfig, VoxelError, build_filtered_field, erode, rasterize,
};

use super::storeys::{Windows, rough_job};
use super::{Level, Stages, ms, parts, same};
use crate::measure::{fastest, head, row};
use crate::say;

fn config(level: &Level) -> VoxelConfig {
    VoxelConfig::for_agent(&Agent::default()).with_scale(level.scale).with_max_memory_bytes(16 << 30)
}

/// Native Recast's milliseconds for the same heightfield.
fn recast(level: &Level) -> String {
    #[cfg(feature = "peers")]
    {
        let settings = crate::Settings::recast_demo(level.scale, crate::Partitioning::Watershed);
        let scene = crate::Scene { name: level.name.clone(), soup: level.soup.clone() };
        let time = crate::recast::rasterize_recast(&scene, &settings);
        time.map_or_else(|_| "fails".to_owned(), |time| format!("{time:.1}"))
    }
    #[cfg(not(feature = "peers"))]
    {
        let _ = level;
        "-".to_owned()
    }
}

/// Voxels of triangles.
pub(super) fn voxels(rounds: usize, stages: &Stages, levels: &[Level]) -> Result<()> {
    head(
        "Voxels, ms",
        "level | cell, m | triangles | columns | fragments | 1 thread | all threads | Recast | device | upload | shaders | download | \
         parts | million fragments a second | times 1 thread",
    );
    for level in levels {
        let config = config(level);
        let on_processor =
            |threads| fastest(rounds, || rasterize(&level.soup, &config.with_threads(threads), &mut ()));
        let (_, one) = on_processor(1);
        let (cpu, all) = on_processor(0);
        let (gpu, device) =
            fastest(rounds, || stages.rasterizer.run(&RasterJob::of_soup(&level.soup, &config, &mut ())?));
        let (cpu, (gpu, times)) = (cpu?, gpu?);
        same("voxels", level, &cpu, &gpu)?;
        say!(
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1} | {:.2} |",
            level.name,
            level.scale.cell_size,
            level.soup.triangles().len(),
            cpu.frame.column_count(),
            times.fragments,
            ms(one),
            ms(all),
            recast(level),
            ms(device),
            parts(&times),
            times.parts,
            times.fragments as f64 / device.wall / 1e3,
            one.wall / device.wall
        );
    }
    Ok(())
}

/// The field of voxels that the processor has.
fn field_of(heightfield: &Heightfield) -> Result<WalkableField, VoxelError> {
    let builder = FieldBuilder::new(Agent::default());
    let mut field = build_filtered_field(heightfield, &builder.agent, &builder.filters, &mut ())?;
    erode(&mut field, builder.erosion_radius, &mut ())?;
    Ok(field)
}

/// The field of a level, with all of it on the device.
macro_rules! build_field {
    ($stages:expr, $level:expr) => {{
        let (config, builder) = (config($level), FieldBuilder::new(Agent::default()));
        let frame = GridFrame::fit(&$level.soup.bounds(), &$level.scale)?;
        let raster = RasterJob::of_soup(&$level.soup, &config, &mut ())?;
        let job = FieldJob::new(raster, &frame, GridWindow::whole(&frame), &builder)?;
        $stages.rasterizer.build_field(&job)?
    }};
}

/// Fields of triangles: with the voxels brought back and the field built here, and with all of it
/// on the device.
pub(super) fn fields(rounds: usize, stages: &Stages, levels: &[Level]) -> Result<()> {
    head(
        "Walkable fields, ms; bytes in thousands",
        "level | cell, m | solid spans | spans of the field | all threads | voxels from the device, field here | bytes back | all on the \
         device | bytes back | of the former",
    );
    for level in levels {
        let config = config(level);
        let (cpu, all) = fastest(rounds, || {
            rasterize(&level.soup, &config.with_threads(0), &mut ()).and_then(|voxels| field_of(&voxels))
        });
        let (mixed, mixed_time) = fastest(rounds, || {
            let (voxels, times) =
                stages.rasterizer.run(&RasterJob::of_soup(&level.soup, &config, &mut ())?)?;
            anyhow::Ok((field_of(&voxels)?, voxels.spans.len(), times.downloaded_bytes))
        });
        let (built, device) = fastest(rounds, || {
            let (built, times) = build_field!(stages, level);
            anyhow::Ok((built, times.downloaded_bytes))
        });
        let (cpu, (field, spans, voxels), (built, bytes)) = (cpu?, mixed?, built?);
        same("fields", level, &cpu, &field)?;
        same("fields", level, &cpu, &built.part.field)?;
        row([
            level.name.clone(),
            level.scale.cell_size.to_string(),
            spans.to_string(),
            cpu.len().to_string(),
            ms(all),
            ms(mixed_time),
            (voxels / 1000).to_string(),
            ms(device),
            (bytes / 1000).to_string(),
            format!("{:.0} %", 100.0 * bytes as f64 / voxels.max(1) as f64),
        ]);
    }
    Ok(())
}

/// Runs all stages on a level, and returns the times of their shaders.
pub(super) fn all(stages: &Stages, level: &Level) -> Result<GpuTimes> {
    let mut times = GpuTimes::default();
    let (_, more) = build_field!(stages, level);
    times.add(&more);
    let windows = Windows::of(level)?;
    let (.., more) = stages.rough.run(&rough_job(level, &windows.frame, &windows.config)?)?;
    times.add(&more);
    for &core in &windows.cores {
        let (_, more) = stages.depth.run(&windows.job(level, core)?)?;
        times.add(&more);
    }
    Ok(times)
}
