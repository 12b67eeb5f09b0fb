//! Voxels and walkable fields.

use waymesh_core::{Agent, GridFrame, GridWindow, Heightfield};
use waymesh_voxel::{
    FieldBuilder, FieldJob, RasterJob, VoxelConfig, VoxelError, build_filtered_field, erode, rasterize,
};

use super::{GpuBenchOptions, Level, Stages, differs, failed, head, ms, row, timed};
use crate::BenchError;

/// Memory that a heightfield may take here.
const MEMORY_BYTES: u64 = 16 << 30;

fn config(level: &Level) -> VoxelConfig {
    VoxelConfig::for_agent(&Agent::default()).with_scale(level.scale).with_max_memory_bytes(MEMORY_BYTES)
}

/// Native Recast's time for the same heightfield.
fn recast(level: &Level, rounds: usize) -> String {
    #[cfg(feature = "peers")]
    {
        let settings = crate::Settings::recast_demo(level.scale, crate::Partitioning::Watershed);
        let scene = crate::Scene { name: level.name.clone(), soup: level.soup.clone() };
        let mut times: Vec<f64> =
            (0..rounds).filter_map(|_| crate::rasterize_recast(&scene, &settings).ok()).collect();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).map_or_else(|| "fails".to_owned(), |time| format!("{time:.1}"))
    }
    #[cfg(not(feature = "peers"))]
    {
        let _ = (level, rounds);
        "-".to_owned()
    }
}

/// Voxels of triangles.
pub(super) fn voxels(
    options: &GpuBenchOptions,
    stages: &Stages,
    levels: &[Level],
    print: &mut dyn FnMut(&str),
) -> Result<(), BenchError> {
    print(&head(
        "Voxels, ms",
        &[
            "level",
            "cell, m",
            "triangles",
            "columns",
            "fragments",
            "1 thread",
            "all threads",
            "Recast",
            "device",
            "upload",
            "shaders",
            "download",
            "parts",
            "million fragments a second",
            "times 1 thread",
        ],
    ));
    for level in levels {
        let (config, triangles) = (config(level), level.soup.triangles().len());
        let rounds = options.rounds(triangles);
        let on_processor =
            |threads: usize| timed(rounds, || rasterize(&level.soup, &config.with_threads(threads), &mut ()));
        let (one, _) = on_processor(1);
        let (all, cpu) = on_processor(0);
        let cpu = cpu.map_err(|error| failed("voxels", error))?;
        let (device, gpu) = timed(rounds, || stages.rasterizer.rasterize(&level.soup, &config, &mut ()));
        let (gpu, times) = gpu.map_err(|error| failed("voxels", error))?;
        if gpu != cpu {
            return Err(differs("voxels", level));
        }
        print(&row(&[
            level.name.clone(),
            level.scale.cell_size.to_string(),
            triangles.to_string(),
            cpu.frame.column_count().to_string(),
            times.fragments.to_string(),
            ms(one),
            ms(all),
            recast(level, rounds),
            ms(device),
            ms(times.upload),
            ms(times.kernels),
            ms(times.download),
            times.parts.to_string(),
            format!("{:.1}", times.fragments as f64 / device.as_secs_f64() / 1e6),
            format!("{:.2}", one.as_secs_f64() / device.as_secs_f64()),
        ]));
    }
    Ok(())
}

/// The field of voxels that the processor has.
fn field_of(heightfield: &Heightfield) -> Result<waymesh_core::WalkableField, VoxelError> {
    let builder = FieldBuilder::new(Agent::default());
    let mut field = build_filtered_field(heightfield, &builder.agent, &builder.filters, &mut ())?;
    erode(&mut field, builder.erosion_radius, &mut ())?;
    Ok(field)
}

/// Fields of triangles: with the voxels brought back and the field built here, and with all of it
/// on the device.
pub(super) fn fields(
    options: &GpuBenchOptions,
    stages: &Stages,
    levels: &[Level],
    print: &mut dyn FnMut(&str),
) -> Result<(), BenchError> {
    print(&head(
        "Walkable fields, ms; bytes in thousands",
        &[
            "level",
            "cell, m",
            "solid spans",
            "spans of the field",
            "all threads",
            "voxels from the device, field here",
            "bytes back",
            "all on the device",
            "bytes back",
            "of the former",
        ],
    ));
    for level in levels {
        let config = config(level);
        let rounds = options.rounds(level.soup.triangles().len());
        let failed = |error: VoxelError| failed("fields", error);
        let frame =
            GridFrame::fit(&level.soup.bounds(), &level.scale).map_err(|error| failed(error.into()))?;
        let builder = FieldBuilder::new(Agent::default());
        let (all, cpu) = timed(rounds, || {
            rasterize(&level.soup, &config.with_threads(0), &mut ()).and_then(|voxels| field_of(&voxels))
        });
        let cpu = cpu.map_err(failed)?;
        let (mixed, found) = timed(rounds, || {
            stages.rasterizer.rasterize(&level.soup, &config, &mut ()).map(|(voxels, times)| {
                let spans = voxels.spans.len();
                field_of(&voxels).map(|field| (field, spans, times))
            })
        });
        let (field, spans, voxel_times) =
            found.map_err(|error| super::failed("fields", error))?.map_err(failed)?;
        let (device, built) = timed(rounds, || {
            let raster = RasterJob::of_soup(&level.soup, &config, &mut ())?;
            let job = FieldJob::new(raster, &frame, GridWindow::whole(&frame), &builder)?;
            stages.rasterizer.build_field(&job)
        });
        let (built, times) = built.map_err(|error| super::failed("fields", error))?;
        if field != cpu || built.part.field != cpu {
            return Err(differs("fields", level));
        }
        let thousands = |bytes: u64| (bytes / 1000).to_string();
        print(&row(&[
            level.name.clone(),
            level.scale.cell_size.to_string(),
            spans.to_string(),
            cpu.len().to_string(),
            ms(all),
            ms(mixed),
            thousands(voxel_times.downloaded_bytes),
            ms(device),
            thousands(times.downloaded_bytes),
            share(times.downloaded_bytes, voxel_times.downloaded_bytes),
        ]));
    }
    Ok(())
}

fn share(part: u64, whole: u64) -> String {
    format!("{:.0} %", 100.0 * part as f64 / whole.max(1) as f64)
}
