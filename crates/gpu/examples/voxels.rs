//! Voxelises scenes on the processor and on a device, and prints what each took:
//! `cargo run --release --example voxels -- [--software] [--cell METRES] [FILE.obj ..]`.
#![allow(clippy::print_stdout, clippy::expect_used, reason = "a program")]

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use waymesh_core::{Agent, GridScale, TriangleSoup};
use waymesh_gpu::{GpuContext, GpuOptions, GpuRasterizer};
use waymesh_scenes::Scene;
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
    let rasterizer = GpuRasterizer::new(&context)?;
    println!("{}, ready after {:.2} s; cells of {cell} m", context.adapter(), start.elapsed().as_secs_f64());
    println!(
        "{:<20} {:>9} {:>11} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "ms", "triangles", "fragments", "1 thread", "all", "device", "upload", "kernels", "download"
    );
    for (name, soup) in &scenes {
        print_row(name, soup, cell, &rasterizer)?;
    }
    Ok(())
}

fn print_row(
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
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "{name:<20} {:>9} {:>11} {:>9.1} {:>9.1} {:>9.1} {:>9.1} {:>9.1} {:>9.1}",
        soup.triangles().len(),
        times.fragments,
        ms(one),
        ms(all),
        ms(device),
        ms(times.upload),
        ms(times.kernels),
        ms(times.download)
    );
    Ok(())
}
