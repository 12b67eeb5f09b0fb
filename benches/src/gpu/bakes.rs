//! Whole bakes.

use waymesh::{BakeConfig, Baker, Voxels};
use waymesh_gpu::GpuDevice;

use super::{GpuBenchOptions, Level, differs, failed, head, ms, row, timed};
use crate::BenchError;

/// Most triangles of a level that is baked whole here.
const MOST_TRIANGLES: usize = 2_000_000;

/// From triangles to the mesh.
pub(super) fn bakes(
    options: &GpuBenchOptions,
    levels: &[Level],
    print: &mut dyn FnMut(&str),
) -> Result<(), BenchError> {
    print(&head(
        "Whole bakes, ms",
        &["level", "cell, m", "1 thread", "all threads", "with the device", "of all threads", "polygons"],
    ));
    for level in levels.iter().filter(|level| level.soup.triangles().len() <= MOST_TRIANGLES) {
        let scale = level.scale;
        let config = |threads: usize| {
            BakeConfig::default()
                .with_scale(scale.cell_size, scale.level_height)
                .with_max_memory_bytes(16 << 30)
                .with_threads(threads)
        };
        let rounds = options.rounds(0);
        let bake = |baker: &Baker<Voxels>| {
            let baked = timed(rounds, || baker.bake(&level.soup));
            (baked.0, baked.1.map_err(|error| failed("bakes", error)))
        };
        let (one, _) = bake(&Baker::voxels().with_config(config(1)));
        let (all, cpu) = bake(&Baker::voxels().with_config(config(0)));
        let cpu = match cpu {
            Ok(mesh) => mesh,
            // A soup may leave no room for an agent.
            Err(error) => {
                print(&format!("{}: {error}\n", level.name));
                continue;
            }
        };
        let adapter = options.context(false)?.options().clone();
        let device = GpuDevice::open(&adapter).map_err(|error| failed("adapter", error))?;
        let baker = Baker::voxels().with_config(config(0)).with_raster_device(device);
        // Shaders are translated when they are used first.
        baker.bake(&level.soup).map_err(|error| failed("bakes", error))?;
        let (with_device, gpu) = bake(&baker);
        let gpu = gpu?;
        if cpu.to_packed(false) != gpu.to_packed(false) {
            return Err(differs("bakes", level));
        }
        print(&row(&[
            level.name.clone(),
            scale.cell_size.to_string(),
            ms(one),
            ms(all),
            ms(with_device),
            format!("{:.2}", with_device.as_secs_f64() / all.as_secs_f64()),
            gpu.polygon_count().to_string(),
        ]));
    }
    Ok(())
}
