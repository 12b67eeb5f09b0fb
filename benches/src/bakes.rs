//! Times bakes stage by stage on one and on several threads, in this process and in new ones.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use clap::Args;
use cpu_time::ProcessTime;
use serde_json::Value;
use waymesh::{BakeConfig, Baker, Voxels};
use waymesh_core::{GridScale, TriangleSoup, to_u32};

use crate::{BenchError, Scene, parse_scale};

/// What [`bakes`] times.
#[derive(Debug, Args)]
pub struct BakesOptions {
    /// Recast's levels (nav_test, dungeon, undulating), generated ones (stacks, offshore, ..), or
    /// files [default: Recast's where they are, else generated ones].
    #[arg(long, value_name = "NAME|FILE", value_delimiter = ',')]
    scenes: Vec<String>,
    /// Cell size in metres, with the level height.
    #[arg(long, value_name = "SIZE[/LEVEL]", value_delimiter = ',', value_parser = parse_scale, default_values = ["0.3/0.2", "0.1/0.2", "0.05/0.2"])]
    cell: Vec<GridScale>,
    /// Numbers of threads. The first one is what the others are compared with.
    #[arg(long, value_name = "COUNT", value_delimiter = ',', default_values = ["1", "2"])]
    threads: Vec<usize>,
    /// How often each scene is baked; the table has the shortest time of each stage.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Also times a new process per bake: this program, `waymesh`, with generated scenes as files.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// The shortest times of some bakes of one scene, in milliseconds.
#[derive(Clone, Debug, Default)]
struct Times {
    stages: Vec<(String, f64)>,
    /// From soup to mesh.
    whole: f64,
    /// Time of all threads together; not a number for another process.
    processor: f64,
    spans: u64,
    walkable_spans: u64,
}

impl Times {
    /// Takes the shorter of both times of each stage.
    fn shorten(&mut self, other: Self) {
        if self.stages.is_empty() {
            *self = other;
            return;
        }
        for ((_, best), (_, time)) in self.stages.iter_mut().zip(other.stages) {
            *best = best.min(time);
        }
        self.whole = self.whole.min(other.whole);
        self.processor = self.processor.min(other.processor);
    }

    fn of(&self, stage: &str) -> f64 {
        self.stages.iter().filter(|(name, _)| name == stage).map(|(_, time)| time).sum()
    }
}

/// Prints a table per scene: the stages of a bake without tiles, at each cell size and number of
/// threads. Numbers of threads take turns, so that a machine that is busy for a while does not
/// favour one.
///
/// # Errors
/// If a scene cannot be read or baked, or the program cannot be run.
pub fn bakes(options: &BakesOptions, print: &mut dyn FnMut(&str)) -> Result<(), BenchError> {
    let mut names = options.scenes.clone();
    if names.is_empty() {
        names.extend(Scene::default_names().into_iter().map(str::to_owned));
    }
    print(&format!("Load of the machine before: {}\n", load()));
    for name in &names {
        let scene = Scene::named(name)?;
        let size = scene.soup.triangles().len();
        print(&format!("\n{}, {size} triangles, bakes in one process, milliseconds:\n\n", scene.name));
        table(options, &mut |scale, threads| warm(&scene, scale, threads), print)?;
        if let Some(program) = &options.program {
            print(&format!("\n{}, a process per bake:\n\n", scene.name));
            let folder = tempfile::tempdir().map_err(|error| failed("folder", error))?;
            let file = folder.path().join("scene.stl");
            std::fs::write(&file, stl(&scene.soup)).map_err(|error| failed("scene", error))?;
            let mesh = folder.path().join("scene.wmesh");
            let mut bake = |scale, threads| cold(program, [&file, &mesh], scale, threads);
            table(options, &mut bake, print)?;
        }
    }
    print(&format!("\nLoad of the machine after: {}\n", load()));
    Ok(())
}

/// Prints the rows of one scene.
fn table(
    options: &BakesOptions,
    bake: &mut dyn FnMut(GridScale, usize) -> Result<Times, BenchError>,
    print: &mut dyn FnMut(&str),
) -> Result<(), BenchError> {
    for (index, &scale) in options.cell.iter().enumerate() {
        let mut best = vec![Times::default(); options.threads.len()];
        for _ in 0..options.rounds.max(1) {
            for (best, &threads) in best.iter_mut().zip(&options.threads) {
                best.shorten(bake(scale, threads)?);
            }
        }
        if index == 0 {
            let stages: Vec<&str> = best[0].stages.iter().map(|(name, _)| name.as_str()).collect();
            let columns =
                ["cell", "threads", &stages.join(" | "), "all", "processor", "speed-up"].join(" | ");
            let columns = format!("| {columns} | ns a span, voxelize | ns a walkable span, partition |\n");
            print(&columns);
            print(&format!("{}|\n", "|---".repeat(columns.matches('|').count() - 1)));
        }
        for (times, threads) in best.iter().zip(&options.threads) {
            let stages: Vec<String> = times.stages.iter().map(|(_, time)| format!("{time:.1}")).collect();
            #[expect(clippy::cast_precision_loss, reason = "counts far below 2^53")]
            let each = |stage: &str, count: u64| times.of(stage) * 1e6 / count.max(1) as f64;
            let processor =
                if times.processor.is_finite() { format!("{:.1}", times.processor) } else { String::new() };
            print(&format!(
                "| {} | {threads} | {} | {:.1} | {processor} | {:.2} | {:.0} | {:.0} |\n",
                scale.cell_size,
                stages.join(" | "),
                times.whole,
                best[0].whole / times.whole,
                each("voxelize", times.spans),
                each("partition", times.walkable_spans),
            ));
        }
    }
    Ok(())
}

/// Bakes in this process.
fn warm(scene: &Scene, scale: GridScale, threads: usize) -> Result<Times, BenchError> {
    let config = BakeConfig::default().with_scale(scale.cell_size, scale.level_height).with_threads(threads);
    let (start, processor) = (Instant::now(), ProcessTime::now());
    let bake = Baker::new(Voxels, config).bake_observed(&scene.soup, &mut ());
    let (whole, processor) = (start.elapsed(), processor.elapsed());
    let report = bake.map_err(|error| failed("bake", error))?.report;
    let stages = report.stages.iter().map(|stage| (stage.name.to_owned(), stage.seconds * 1e3)).collect();
    let (spans, walkable_spans) = (report.spans, report.walkable_spans);
    let [whole, processor] = [whole, processor].map(|time| time.as_secs_f64() * 1e3);
    Ok(Times { stages, whole, processor, spans, walkable_spans })
}

/// Bakes in a process of its own. Its time ends with its bake; reading and writing are not in it.
fn cold(
    program: &Path,
    [scene, mesh]: [&PathBuf; 2],
    scale: GridScale,
    threads: usize,
) -> Result<Times, BenchError> {
    let mut command = Command::new(program);
    command.arg("build").arg(scene).arg("--output").arg(mesh).args(["--json", "--threads"]);
    command.arg(threads.to_string()).arg("--cell-size").arg(scale.cell_size.to_string());
    command.arg("--level-height").arg(scale.level_height.to_string());
    let output = command.output().map_err(|error| failed("program", error))?;
    let report: Value = serde_json::from_slice(&output.stdout).map_err(|_| {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        failed("program", said)
    })?;
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN) * 1e3;
    let count = |key: &str| report[key].as_u64().unwrap_or(0);
    let stages = report["stages"].as_array().into_iter().flatten();
    let stage = |stage: &Value| (stage["name"].as_str().unwrap_or("").to_owned(), number(&stage["seconds"]));
    let (spans, walkable_spans) = (count("spans"), count("walkable_spans"));
    let whole = number(&report["seconds"]);
    Ok(Times { stages: stages.map(stage).collect(), whole, processor: f64::NAN, spans, walkable_spans })
}

/// A scene as a binary STL file, which keeps every bit of its corners.
fn stl(soup: &TriangleSoup) -> Vec<u8> {
    let count = soup.triangles().len();
    let mut bytes = vec![0; 80];
    bytes.extend(to_u32(count).to_le_bytes());
    for triangle in 0..count {
        let corners = soup.corners(triangle).into_iter().flat_map(|corner| corner.to_array());
        let numbers = [0.0; 3].into_iter().chain(corners);
        bytes.extend(numbers.flat_map(f32::to_le_bytes).chain([0; 2]));
    }
    bytes
}

/// What the machine has to do besides, where it tells: processes that want to run, on average over
/// one, five and fifteen minutes, and its threads.
fn load() -> String {
    let told = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let loads: Vec<&str> = told.split_whitespace().take(3).collect();
    let threads = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    format!("{} on {threads} threads", loads.join(" "))
}

fn failed(stage: &'static str, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> BenchError {
    BenchError::stage("waymesh", stage, source)
}
