//! The graphics card beside the processor and native Recast.

mod bakes;
mod levels;
mod notches;
mod shaders;
mod storeys;
mod voxels;

use std::time::{Duration, Instant};

use clap::Args;
use waymesh_gpu::{GpuContext, GpuDepth, GpuNotches, GpuOptions, GpuRasterizer, GpuRough};

use self::levels::{Level, levels};
use crate::BenchError;

/// What [`gpu`] times.
#[derive(Clone, Debug, Args)]
pub struct GpuBenchOptions {
    /// An adapter in software, which is a program on this processor: everything is done, on smaller
    /// scenes, and no time says anything about a card.
    #[arg(long)]
    software: bool,
    /// A part of the adapter's name [default: the fastest one].
    #[arg(long, value_name = "NAME", default_value = "")]
    adapter: String,
    /// Levels instead of the usual ones: names or files, each with its cell size in metres.
    #[arg(long, value_name = "NAME|FILE@CELL", value_delimiter = ',')]
    scenes: Vec<String>,
    /// Triangles of the generated city, about [default: 20 million, in software 78,000].
    #[arg(long, value_name = "COUNT")]
    city: Option<u64>,
    /// Triangles of the soup [default: 10 million, in software 50,000].
    #[arg(long, value_name = "COUNT")]
    soup: Option<u32>,
    /// Bandwidth of the card's memory in GB a second, to tell what bounds each shader.
    #[arg(long, value_name = "GB")]
    bandwidth: Option<f64>,
    /// How often each is done; tables have the middle [default: 5, in software 3].
    #[arg(long, value_name = "COUNT")]
    rounds: Option<usize>,
}

impl GpuBenchOptions {
    fn rounds(&self, triangles: usize) -> usize {
        // Large scenes take so long that a time is not by chance.
        let most = if triangles > 2_000_000 { 1 } else { usize::MAX };
        self.rounds.unwrap_or(if self.software { 3 } else { 5 }).clamp(1, most)
    }

    fn context(&self, timed: bool) -> Result<GpuContext, BenchError> {
        let options = GpuOptions::default()
            .with_software(self.software)
            .with_adapter(self.adapter.clone())
            .with_timed_shaders(timed);
        GpuContext::new(&options).map_err(|error| failed("adapter", error))
    }
}

/// All stages on a device.
struct Stages {
    rasterizer: GpuRasterizer,
    rough: GpuRough,
    depth: GpuDepth,
    notches: GpuNotches,
}

impl Stages {
    fn new(context: &GpuContext) -> Result<Self, BenchError> {
        let failed = |error| failed("shaders", error);
        Ok(Self {
            rasterizer: GpuRasterizer::new(context).map_err(failed)?,
            rough: GpuRough::new(context).map_err(failed)?,
            depth: GpuDepth::new(context).map_err(failed)?,
            notches: GpuNotches::new(context).map_err(failed)?,
        })
    }
}

/// Prints tables of all that the card does, beside the processor on one thread and on all, and
/// native Recast with the feature `peers`. All results are compared.
///
/// # Errors
/// If there is no adapter, or a scene cannot be read, or the results differ.
pub fn gpu(options: &GpuBenchOptions, print: &mut dyn FnMut(&str)) -> Result<(), BenchError> {
    let start = Instant::now();
    let context = options.context(false)?;
    let stages = Stages::new(&context)?;
    print(&format!("{}, ready after {:.2} s.\n", context.adapter(), start.elapsed().as_secs_f64()));
    if context.adapter().software {
        print(
            "An adapter in software: it shows that the work is done and what tests cost, and says nothing about \
             a card. Scenes are smaller than on one, unless they are asked for.\n",
        );
    }
    // Shaders are translated when they are used first: not in the tables.
    let stairs = Level::small();
    let all = std::slice::from_ref(&stairs);
    let unheard = &mut |_: &str| {};
    voxels::fields(options, &stages, all, unheard)?;
    storeys::storeys(options, &stages, all, unheard)?;
    let levels = levels(options)?;
    voxels::voxels(options, &stages, &levels, print)?;
    voxels::fields(options, &stages, &levels, print)?;
    storeys::storeys(options, &stages, &levels, print)?;
    bakes::bakes(options, &levels, print)?;
    notches::notches(options, &stages.notches, print)?;
    // With another device, on which every dispatch is waited for.
    shaders::shaders(options, &levels, print)
}

fn failed(stage: &'static str, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> BenchError {
    BenchError::stage("waymesh-gpu", stage, source)
}

/// The results of a device differ from those of the processor.
fn differs(what: &'static str, level: &Level) -> BenchError {
    failed(what, format!("{}: the results differ", level.name))
}

/// The middle time of some runs, and the last result.
fn timed<T>(rounds: usize, mut work: impl FnMut() -> T) -> (Duration, T) {
    let mut run = || {
        let start = Instant::now();
        let value = work();
        (start.elapsed(), value)
    };
    let (first, mut value) = run();
    let mut times = vec![first];
    for _ in 1..rounds {
        let (time, next) = run();
        times.push(time);
        value = next;
    }
    times.sort();
    (times[times.len() / 2], value)
}

fn ms(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1e3)
}

/// A row of a table.
fn row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// The head of a table.
fn head(title: &str, columns: &[&str]) -> String {
    let columns: Vec<String> = columns.iter().map(|&column| column.to_owned()).collect();
    format!("\n{title}\n\n{}{}\n", row(&columns), "|---".repeat(columns.len()) + "|")
}
