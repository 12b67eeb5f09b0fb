//! Judges many levels: a process for each, so that a tool that crashes or hangs takes nothing else
//! with it.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Args;
use serde::{Deserialize, Serialize};
use waymesh_core::GridScale;

use crate::judge::{Files, Judged, Outcome, judge, tools};
use crate::levels::{Level, fit};
use crate::settings::parse_scale;
use crate::{BenchError, Scene};

/// What is judged, and how.
#[derive(Clone, Debug, Args)]
pub struct EvaluateOptions {
    /// Real levels (house_1, gazebo/house_1), generated ones, or files [default: all real ones, else
    /// all generated].
    #[arg(value_name = "LEVEL")]
    pub levels: Vec<String>,
    /// Cell size in metres, with the level height.
    #[arg(long, value_name = "SIZE[/LEVEL]", value_parser = parse_scale, default_value = "0.3/0.2")]
    pub cell: GridScale,
    /// Sampled places per level.
    #[arg(long, default_value = "100000")]
    pub samples: NonZeroUsize,
    /// Also judges our own pipeline with the watershed partition.
    #[arg(long)]
    pub watershed: bool,
    /// Leaves the other tools out.
    #[arg(long)]
    pub ours: bool,
    /// Folder for a JSON file per level, and for the files of --svg and --meshes.
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Draws each mesh, with missing and surplus ground marked.
    #[arg(long, requires = "out")]
    pub svg: bool,
    /// Writes each mesh: ours as .wmesh, the others as OBJ for `waymesh evaluate --mesh`.
    #[arg(long, requires = "out")]
    pub meshes: bool,
    /// Levels judged at the same time [default: one per core].
    #[arg(long)]
    pub jobs: Option<NonZeroUsize>,
    /// Time limit per level in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "600")]
    pub limit: NonZeroU64,
}

/// A level as it was judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LevelFacts {
    /// Triangles.
    pub triangles: usize,
    /// Metres.
    pub cell_size: f32,
    /// Metres.
    pub level_height: f32,
    /// By how much cells, levels and the agent are larger than was asked for, because the grid
    /// would not fit.
    pub factor: u32,
    /// Samples of the oracle.
    pub samples: usize,
}

/// What came out for one level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LevelReport {
    /// Name of the level.
    pub level: String,
    /// Metres per unit of its file; 1 was taken where it is not known.
    pub unit: Option<f32>,
    /// None if it could not be read.
    #[serde(flatten)]
    pub facts: Option<LevelFacts>,
    /// A result for each tool.
    pub tools: Vec<Judged>,
    /// Seconds on the wall for all of it.
    pub seconds: f64,
}

/// What a process prints, one line each.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Facts(LevelFacts),
    Tool(Box<Judged>),
}

/// Name of the hidden command that judges one level in a process of its own: level, tools with
/// commas between, cell size, level height, samples, folder or nothing, pictures, meshes.
const ONE: &str = "evaluate-one";

/// Judges all levels. `told` gets each report as soon as it is done; the result has them in the
/// order of the levels.
///
/// # Errors
/// If there is no level of a name, the folder cannot be made, or a report cannot be written.
pub fn evaluate(
    options: &EvaluateOptions,
    told: &(dyn Fn(&LevelReport) + Sync),
) -> Result<Vec<LevelReport>, String> {
    let levels = if options.levels.is_empty() {
        Level::all()
    } else {
        options.levels.iter().map(|name| Level::named(name)).collect::<Result<_, _>>()?
    };
    if let Some(folder) = &options.out {
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    }
    // The longest first, so that none is left over at the end: file size is a fair guess.
    let size = |level: &Level| {
        level.file.as_ref().and_then(|file| file.metadata().ok()).map_or(0, |data| data.len())
    };
    let mut order: Vec<usize> = (0..levels.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(size(&levels[index])));
    let jobs = options.jobs.or(std::thread::available_parallelism().ok()).map_or(2, NonZeroUsize::get);
    let queue = Mutex::new(VecDeque::from(order));
    let done: Mutex<Vec<(usize, Result<LevelReport, String>)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    let Some(index) = next else { break };
                    let report = evaluate_level(&levels[index], options);
                    if let Ok(report) = &report {
                        told(report);
                    }
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((index, report));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, report)| report).collect()
}

/// One level, in as many processes as it takes until every tool has a result.
fn evaluate_level(level: &Level, options: &EvaluateOptions) -> Result<LevelReport, String> {
    let clock = Instant::now();
    let mut report = LevelReport { level: level.name.clone(), unit: level.unit, ..LevelReport::default() };
    let mut left = tools(options.watershed, !options.ours);
    while !left.is_empty() {
        let ending = run_process(level, &left, options, &mut report)?;
        left.retain(|tool| report.tools.iter().all(|judged| judged.tool != *tool));
        if let (Some(reason), Some(tool)) = (ending, left.first()) {
            let (tool, outcome) = ((*tool).to_owned(), Outcome::Failed(reason));
            report.tools.push(Judged { tool, bake_seconds: None, outcome });
            left.remove(0);
        }
    }
    report.seconds = clock.elapsed().as_secs_f64();
    if let Some(folder) = &options.out {
        let file = folder.join(format!("{}.json", level.stem()));
        let failed = |error: &dyn std::fmt::Display| format!("cannot write {}: {error}", file.display());
        let text = serde_json::to_string_pretty(&report).map_err(|error| failed(&error))? + "\n";
        std::fs::write(&file, text).map_err(|error| failed(&error))?;
    }
    Ok(report)
}

/// Runs a process for these tools. `None` if it told of all of them, else how it ended.
fn run_process(
    level: &Level,
    tools: &[&str],
    options: &EvaluateOptions,
    report: &mut LevelReport,
) -> Result<Option<String>, String> {
    let program = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let name =
        level.file.as_ref().map_or_else(|| level.name.clone().into(), |file| file.clone().into_os_string());
    let mut child = Command::new(program)
        .arg(ONE)
        .arg(name)
        .arg(&level.name)
        .arg(tools.join(","))
        .args([options.cell.cell_size, options.cell.level_height].map(|length| length.to_string()))
        .arg(options.samples.to_string())
        .arg(options.out.clone().unwrap_or_default())
        .args([options.svg, options.meshes].map(|flag| flag.to_string()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("cannot start a process: {error}"))?;
    let (sender, lines) = channel();
    let output = child.stdout.take();
    let reader = std::thread::spawn(move || {
        for line in output.into_iter().flat_map(|output| BufReader::new(output).lines()).map_while(Result::ok)
        {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    let deadline = Instant::now() + Duration::from_secs(options.limit.get());
    let mut failure = None;
    loop {
        match lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => match serde_json::from_str(&line) {
                Ok(Line::Facts(facts)) => report.facts = Some(facts),
                Ok(Line::Tool(judged)) => report.tools.push(*judged),
                // Lines that a library prints.
                Err(_) => failure = Some(line),
            },
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                // If it cannot be killed it has ended by itself.
                _ = child.kill();
                failure = Some(format!("not done after {} s", options.limit));
                break;
            }
        }
    }
    let status = child.wait().map_err(|error| format!("lost a process: {error}"))?;
    _ = reader.join();
    let is_complete = tools.iter().all(|tool| report.tools.iter().any(|judged| judged.tool == *tool));
    Ok((!is_complete).then(|| failure.unwrap_or_else(|| ended(status))))
}

/// How a process ended, in words.
fn ended(status: ExitStatus) -> String {
    format!("the process crashed: {status}")
}

/// Runs the hidden command `evaluate-one`: judges one level and prints a line for each result.
///
/// # Errors
/// If the words are not those of `evaluate-one`, or the level cannot be read.
pub fn evaluate_one(words: &[String]) -> Result<(), String> {
    let [file, name, tools, polygon, height, samples, folder, svg, meshes] = words else {
        return Err(format!("{ONE} needs nine words"));
    };
    let number = |word: &String| word.parse::<f32>().map_err(|error| error.to_string());
    let scale = GridScale::new(number(polygon)?, number(height)?);
    let samples = samples.parse().map_err(|error| format!("{samples}: {error}"))?;
    let mut level = Level::named(file)?;
    level.name.clone_from(name);
    let folder = Some(Path::new(folder)).filter(|folder| !folder.as_os_str().is_empty());
    let files = Files { folder, pictures: svg == "true", meshes: meshes == "true" };
    let tools: Vec<&str> = tools.split(',').collect();
    let say = |line: &Line| {
        let text = serde_json::to_string(line).unwrap_or_default();
        // The parent is gone.
        _ = writeln!(std::io::stdout(), "{text}");
    };
    let outcome = (|| -> Result<(), BenchError> {
        let scene = Scene { name: level.name.clone(), soup: level.load()? };
        let fitted = fit(&scene.soup, scale);
        say(&Line::Facts(LevelFacts {
            triangles: scene.soup.triangles().len(),
            cell_size: fitted.settings.scale.cell_size,
            level_height: fitted.settings.scale.level_height,
            factor: fitted.factor,
            samples,
        }));
        judge(&level, &scene, &fitted, samples, &tools, files, &mut |judged| {
            say(&Line::Tool(Box::new(judged)))
        })
    })();
    if let Err(error) = outcome {
        for tool in tools {
            let outcome = Outcome::Failed(error.to_string());
            say(&Line::Tool(Box::new(Judged { tool: tool.to_owned(), bake_seconds: None, outcome })));
        }
    }
    Ok(())
}
