//! Times bakes stage by stage on one and on several threads, in this process and in new ones.

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Result};
use clap::Args;
use cpu_time::ProcessTime;
use serde_json::Value;
use waymesh::{BakeConfig, Baker};
use waymesh_core::GridScale;

use crate::measure::{head, row};
use crate::{Scene, parse_scale, say};

/// Options of [`bakes`].
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
    /// Number of bakes of each scene; the table has the shortest time of each stage.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Also times a new process per bake: this program, `waymesh`, with generated scenes as files.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// Milliseconds of named stages; then those from soup to mesh, and those of all threads together,
/// if they are known. Numbers of spans and of walkable ones.
type Times = (Vec<(String, f64)>, [f64; 2], [f64; 2]);

/// A bake at a scale on a number of threads.
type BakeOnce<'a> = dyn FnMut(GridScale, usize) -> Result<Times> + 'a;

/// Prints a table per scene: the stages of a bake without tiles, at each cell size and number of
/// threads. Numbers of threads take turns, so that a machine that is busy for a while does not
/// favour one.
///
/// # Errors
/// If a scene cannot be read or baked, or the program cannot be run.
pub fn bakes(options: &BakesOptions) -> Result<()> {
    say!("Load of the machine before: {}", load());
    for scene in Scene::all(&options.scenes)? {
        let size = scene.soup.triangles().len();
        let title = format!("{}, {size} triangles, bakes in one process, milliseconds", scene.name);
        table(&title, options, &mut |scale, threads| warm(&scene, scale, threads))?;
        if let Some(program) = &options.program {
            let folder = tempfile::tempdir()?;
            let [file, mesh] = ["scene.obj", "scene.wmesh"].map(|name| folder.path().join(name));
            std::fs::write(&file, obj(&scene))?;
            let mut bake = |scale: GridScale, threads: usize| {
                let mut command = Command::new(program);
                command.arg("build").arg(&file).arg("--output").arg(&mesh).arg("--json");
                command.args(["--agent", "recast", "--threads", &threads.to_string()]);
                command.args(["--cell-size", &scale.cell_size.to_string()]);
                command.args(["--level-height", &scale.level_height.to_string()]);
                cold(&mut command)
            };
            table(&format!("{}, a process per bake", scene.name), options, &mut bake)?;
        }
    }
    say!("\nLoad of the machine after: {}", load());
    Ok(())
}

/// Prints the rows of one scene.
fn table(title: &str, options: &BakesOptions, bake: &mut BakeOnce<'_>) -> Result<()> {
    for (index, &scale) in options.cell.iter().enumerate() {
        let mut best: Vec<Option<Times>> = vec![None; options.threads.len()];
        for _ in 0..options.rounds.max(1) {
            for (best, &threads) in best.iter_mut().zip(&options.threads) {
                let times = bake(scale, threads)?;
                let least = best.get_or_insert_with(|| times.clone());
                least.0.iter_mut().zip(&times.0).for_each(|(least, time)| least.1 = least.1.min(time.1));
                least.1 = [0, 1].map(|at| least.1[at].min(times.1[at]));
            }
        }
        let best: Vec<Times> = best.into_iter().flatten().collect();
        if index == 0 {
            let stages: Vec<&str> = best[0].0.iter().map(|(name, _)| name.as_str()).collect();
            let stages = stages.join(" | ");
            head(
                title,
                &format!(
                    "cell | threads | {stages} | all | processor | speed-up | ns a span, voxelize | ns a walkable span, partition"
                ),
            );
        }
        for ((stages, [whole, processor], spans), threads) in best.iter().zip(&options.threads) {
            let stages_of = |name| stages.iter().filter(move |stage| stage.0 == name);
            let each =
                |name, count: f64| stages_of(name).map(|stage| stage.1).sum::<f64>() * 1e6 / count.max(1.0);
            let mut cells = vec![scale.cell_size.to_string(), threads.to_string()];
            cells.extend(stages.iter().map(|(_, time)| format!("{time:.1}")));
            cells.extend([format!("{whole:.1}"), format!("{processor:.1}")]);
            cells.push(format!("{:.2}", best[0].1[0] / whole));
            cells.push(format!("{:.0}", each("voxelize", spans[0])));
            cells.push(format!("{:.0}", each("partition", spans[1])));
            row(cells);
        }
    }
    Ok(())
}

/// Bakes in this process.
fn warm(scene: &Scene, scale: GridScale, threads: usize) -> Result<Times> {
    let config = BakeConfig::default().with_scale(scale.cell_size, scale.level_height).with_threads(threads);
    let (start, processor) = (Instant::now(), ProcessTime::now());
    let bake = Baker::voxels().with_config(config).bake_observed(&scene.soup, &mut ());
    let whole = [start.elapsed(), processor.elapsed()].map(|time| time.as_secs_f64() * 1e3);
    let report = bake?.report;
    let stages = report.stages.iter().map(|stage| (stage.name.to_owned(), stage.seconds * 1e3));
    let spans = [report.spans, report.walkable_spans].map(|count| count as f64);
    Ok((stages.collect(), whole, spans))
}

/// Bakes in a separate process. Its time ends with its bake; reading and writing are not in it.
fn cold(command: &mut Command) -> Result<Times> {
    let output = command.output()?;
    let report: Value = serde_json::from_slice(&output.stdout)
        .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let stage =
        |stage: &Value| (stage["name"].as_str().unwrap_or("").to_owned(), number(&stage["seconds"]) * 1e3);
    let stages = report["stages"].as_array().into_iter().flatten().map(stage).collect();
    let spans = ["spans", "walkable_spans"].map(|key| number(&report[key]));
    Ok((stages, [number(&report["seconds"]) * 1e3, f64::NAN], spans))
}

/// A scene as an OBJ file. Numbers are written so that every bit of them is read again.
fn obj(scene: &Scene) -> String {
    let vertices = scene.soup.positions().iter().map(|at| format!("v {} {} {}\n", at.x, at.y, at.z));
    let faces = scene.soup.triangles().iter().map(|[a, b, c]| format!("f {} {} {}\n", a + 1, b + 1, c + 1));
    vertices.chain(faces).collect()
}

/// Work of the machine besides, where it is known: processes that want to run, on average over one,
/// five and fifteen minutes, and its threads.
fn load() -> String {
    let loads = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let loads: Vec<&str> = loads.split_whitespace().take(3).collect();
    let threads = std::thread::available_parallelism().map_or(0, usize::from);
    format!("{} on {threads} threads", loads.join(" "))
}
