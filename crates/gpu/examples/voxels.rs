//! Voxelises scenes on the processor and on a device, finely and roughly as storeys do, and prints
//! what each took:
//! `cargo run --release --example voxels -- [--software] [--cell METRES] [FILE.obj ..]`.
#![allow(clippy::print_stdout, clippy::expect_used, reason = "a program")]

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use waymesh_core::{Agent, GridFrame, GridScale, TriangleSoup};
use waymesh_gpu::{GpuContext, GpuOptions, GpuRasterizer, GpuRough, GpuTimes};
use waymesh_scenes::Scene;
use waymesh_storeys::{RoughJob, StoreysConfig};
use waymesh_testkit::levels::read_obj;
use waymesh_voxel::{VoxelConfig, rasterize};

/// The middle of five runs, and the last result.
fn timed<T>(mut work: impl FnMut() -> T) -> (Duration, T) {
    let mut run = || {
        let start = Instant::now();
        let value = work();
        (start.elapsed(), value)
    };
    let mut runs: Vec<_> = (0..5).map(|_| run()).collect();
    let (time, value) = runs.pop().expect("five runs");
    let mut times: Vec<_> = runs.into_iter().map(|(time, _)| time).chain([time]).collect();
    times.sort();
    (times[2], value)
}

fn main() -> Result<(), Box<dyn Error>> {
    let (mut options, mut cell, mut scenes) = (GpuOptions::default(), 0.1, Vec::new());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--software" => options.software = true,
            "--cell" => cell = words.next().ok_or("--cell needs metres")?.parse()?,
            file => scenes.push((file.to_owned(), read_obj(Path::new(file)))),
        }
    }
    if scenes.is_empty() {
        let small = Scene::ALL.into_iter().chain(Scene::NATURAL).chain(Scene::SHEETS);
        let build = |scene: Scene| (scene.name().to_owned(), scene.build(&Default::default()));
        scenes.extend(small.map(build));
    }
    let start = Instant::now();
    let context = GpuContext::new(&options)?;
    let (rasterizer, rough) = (GpuRasterizer::new(&context)?, GpuRough::new(&context)?);
    println!("{}, ready after {:.2} s; cells of {cell} m", context.adapter(), start.elapsed().as_secs_f64());
    print_head("ms", ["triangles", "fragments"]);
    for (name, soup) in &scenes {
        print_voxels(name, soup, cell, &rasterizer)?;
    }
    print_head("rough voxels, ms", ["triangles", "columns"]);
    for (name, soup) in &scenes {
        print_rough(name, soup, cell, &rough)?;
    }
    Ok(())
}

fn print_head(what: &str, [one, two]: [&str; 2]) {
    println!(
        "{what:<20} {one:>9} {two:>11} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "1 thread", "all", "device", "upload", "kernels", "download"
    );
}

/// A row: two counts, times of one thread, of all if that is another, and of the device.
fn print_row(name: &str, counts: [u64; 2], [one, all, device]: [Option<Duration>; 3], times: &GpuTimes) {
    let ms = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1e3);
    let [one, all, device] = [one, all, device].map(|time| time.map_or_else(|| "-".to_owned(), ms));
    println!(
        "{name:<20} {:>9} {:>11} {one:>9} {all:>9} {device:>9} {:>9} {:>9} {:>9}",
        counts[0],
        counts[1],
        ms(times.upload),
        ms(times.kernels),
        ms(times.download)
    );
}

fn print_voxels(
    name: &str,
    soup: &TriangleSoup,
    cell: f32,
    rasterizer: &GpuRasterizer,
) -> Result<(), Box<dyn Error>> {
    let config = VoxelConfig::for_agent(&Agent::default()).with_scale(GridScale::new(cell, cell));
    let (one, _) = timed(|| rasterize(soup, &config, &mut ()));
    let (all, cpu) = timed(|| rasterize(soup, &config.with_threads(0), &mut ()));
    let (device, gpu) = timed(|| rasterizer.rasterize(soup, &config, &mut ()));
    let (gpu, times) = gpu?;
    assert!(gpu == cpu?, "{name}: the heightfields differ");
    let counts = [soup.triangles().len() as u64, times.fragments];
    print_row(name, counts, [Some(one), Some(all), Some(device)], &times);
    Ok(())
}

fn print_rough(name: &str, soup: &TriangleSoup, cell: f32, rough: &GpuRough) -> Result<(), Box<dyn Error>> {
    let config = StoreysConfig::default().with_scale(GridScale::new(cell, cell));
    let bounds = soup.bounds();
    let frame = GridFrame::fit(&bounds, &config.scale)?;
    let job = RoughJob::new(soup, &frame, bounds.max.y - bounds.min.y, &config)?;
    let (one, cpu) = timed(|| job.run());
    let (device, gpu) = timed(|| rough.run(&job));
    let (gpu, skipped, times) = gpu?;
    assert!((gpu, skipped) == cpu?, "{name}: the rough voxels differ");
    let counts = [soup.triangles().len() as u64, job.column_count()];
    print_row(name, counts, [Some(one), None, Some(device)], &times);
    Ok(())
}
