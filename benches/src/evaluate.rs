//! Judges the meshes of all tools on many levels by one oracle: a process for each level, so that a
//! tool that crashes or hangs takes nothing else with it.

use std::io::{BufRead as _, BufReader, Seek as _};
use std::num::{NonZeroU64, NonZeroUsize};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use clap::Args;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use waymesh::{BakeConfig, Baker, PartitionKind};
use waymesh_core::GridScale;
use waymesh_io::SvgOptions;
use waymesh_io::svg::{Marks, PlanMesh, write_marked_svg};
use waymesh_metrics::{Evaluation, JudgedMesh, Judgement, MetricsConfig, Oracle};

use crate::levels::{Level, Scene, fit};
use crate::measure::{head, mean, row};
use crate::say;
use crate::settings::{Settings, parse_scale};

/// Options of an evaluation.
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
    /// Judges the only level with the tools in this list, in this process, and prints a line of JSON
    /// for each result.
    #[arg(long, hide = true, value_delimiter = ',')]
    pub tools: Vec<String>,
}

/// Judgement of one tool's mesh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// Name of the tool.
    pub tool: String,
    /// Seconds of the bake, if there was one.
    pub bake_seconds: Option<f64>,
    /// All figures, or the reason why there are none.
    pub outcome: Result<Box<Evaluation>, String>,
}

/// Everything about one level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LevelReport {
    /// Name of the level.
    pub level: String,
    /// Metres per unit of its file; 1 was taken where it is not known.
    pub unit: Option<f32>,
    /// Triangles.
    pub triangles: usize,
    /// Side of a cell in metres.
    pub cell_size: f32,
    /// Factor by which cells, levels and the agent are larger than requested, because the grid would
    /// not fit.
    pub factor: u32,
    /// A result for each tool.
    pub tools: Vec<Judged>,
    /// Seconds on the wall for all of it.
    pub seconds: f64,
}

/// Our pipeline, with its defaults and with the watershed partition as in Recast.
const OURS: &str = crate::ours::WAYMESH.name;
const WATERSHED: &str = "watershed";
const RECAST: &str = "Recast";
const RERECAST: &str = "rerecast";

/// The tools that can be judged, ours first.
fn tools(options: &EvaluateOptions) -> Vec<&'static str> {
    let peers = cfg!(feature = "peers") && !options.ours;
    let all = [(OURS, true), (WATERSHED, options.watershed), (RECAST, peers), (RERECAST, peers)];
    all.into_iter().filter_map(|(tool, takes_part)| takes_part.then_some(tool)).collect()
}

/// Judges all levels, and prints tables as Markdown.
///
/// # Errors
/// If there is no level of a name, the folder cannot be made, or a report cannot be written.
pub fn evaluate(options: &EvaluateOptions) -> Result<()> {
    let levels = if options.levels.is_empty() {
        Level::all()
    } else {
        options.levels.iter().map(|name| Level::named(name)).collect::<Result<_>>()?
    };
    if let ([level], false) = (&levels[..], options.tools.is_empty()) {
        judge(level, options, &mut |judged| say!("{}", serde_json::json!(judged)));
        return Ok(());
    }
    if let Some(folder) = &options.out {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let jobs = options.jobs.map_or(0, NonZeroUsize::get);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build()?;
    let each = || levels.par_iter().with_max_len(1).map(|level| evaluate_level(level, options)).collect();
    let reports: Vec<LevelReport> = pool.install::<_, Result<_>>(each)?;
    if !options.levels.is_empty() {
        reports.iter().for_each(|report| table(&shown(report), &[report]));
    }
    if reports.len() > 1 {
        overview(&reports);
    }
    Ok(())
}

/// One level, in as many processes as it takes until every tool has a result.
fn evaluate_level(level: &Level, options: &EvaluateOptions) -> Result<LevelReport> {
    let clock = Instant::now();
    let (soup, unit) = (level.load().map(|scene| scene.soup).unwrap_or_default(), level.unit);
    let (settings, factor) = fit(&soup, options.cell);
    let (triangles, cell_size) = (soup.triangles().len(), settings.scale.cell_size);
    drop(soup);
    let name = level.name.clone();
    let mut report = LevelReport { level: name, unit, triangles, cell_size, factor, ..Default::default() };
    let mut left = tools(options);
    while !left.is_empty() {
        let reason = run_process(level, &left, options, &mut report.tools)?;
        left.retain(|tool| report.tools.iter().all(|judged| judged.tool != *tool));
        if !left.is_empty() {
            let tool = left.remove(0).to_owned();
            report.tools.push(Judged { tool, bake_seconds: None, outcome: Err(reason) });
        }
    }
    report.seconds = clock.elapsed().as_secs_f64();
    eprintln!("{}: {:.1} s", report.level, report.seconds);
    if let Some(folder) = &options.out {
        let file = folder.join(format!("{}.json", level.stem()));
        let text = serde_json::to_string_pretty(&report)? + "\n";
        std::fs::write(&file, text).with_context(|| file.display().to_string())?;
    }
    Ok(report)
}

/// Runs a process for these tools. Returns how it ended, in words.
fn run_process(
    level: &Level,
    tools: &[&str],
    options: &EvaluateOptions,
    results: &mut Vec<Judged>,
) -> Result<String> {
    let name = level.file.clone().unwrap_or_else(|| PathBuf::from(&level.name));
    let scale = options.cell;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("evaluate").arg(name).args(["--tools", &tools.join(",")]);
    command.args(["--cell", &format!("{}/{}", scale.cell_size, scale.level_height)]);
    command.args(["--samples", &options.samples.to_string()]);
    if let Some(folder) = &options.out {
        command.arg("--out").arg(folder);
        command.args(
            [(options.svg, "--svg"), (options.meshes, "--meshes")]
                .into_iter()
                .filter(|arg| arg.0)
                .map(|arg| arg.1),
        );
    }
    let mut output = tempfile::tempfile()?;
    command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let deadline = Instant::now() + Duration::from_secs(options.limit.get());
    let mut end = child.try_wait()?;
    while end.is_none() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
        end = child.try_wait()?;
    }
    // If it cannot be killed it has ended by itself.
    _ = child.kill();
    child.wait()?;
    output.rewind()?;
    let mut last = None;
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        match serde_json::from_str(&line) {
            Ok(judged) => results.push(judged),
            // A line that a library prints.
            Err(_) => last = Some(line),
        }
    }
    let Some(status) = end else { return Ok(format!("not done after {} s", options.limit)) };
    Ok(last.unwrap_or_else(|| format!("the process crashed: {status}")))
}

/// Bakes a level with the tools of the options, each with its own defaults at one scale and for one
/// agent, and judges the meshes. A tool that fails or panics has the reason in place of figures.
pub fn judge(level: &Level, options: &EvaluateOptions, done: &mut dyn FnMut(Judged)) {
    let job = Job::new(level, options).map_err(|error| format!("{error:#}"));
    for tool in &options.tools {
        let made = job.as_ref().map_err(Clone::clone).and_then(|job| {
            let make = || job.make(tool).map_err(|error| format!("{error:#}"));
            catch_unwind(AssertUnwindSafe(make)).unwrap_or_else(|payload| {
                let text = payload.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
                Err(format!("panicked: {}", text.unwrap_or("without a word")))
            })
        });
        let bake_seconds = made.as_ref().ok().map(|made| made.0);
        let outcome = made.map(|(_, judgement)| Box::new(judgement.evaluation));
        done(Judged { tool: tool.clone(), bake_seconds, outcome });
    }
}

/// Common input of all tools.
struct Job<'a> {
    level: &'a Level,
    options: &'a EvaluateOptions,
    scene: Scene,
    settings: Settings,
    factor: u32,
    oracle: Oracle,
}

impl<'a> Job<'a> {
    fn new(level: &'a Level, options: &'a EvaluateOptions) -> Result<Self> {
        let scene = level.load()?;
        let (settings, factor) = fit(&scene.soup, options.cell);
        let config = MetricsConfig::default()
            .with_scale(settings.scale.cell_size, settings.scale.level_height)
            .with_samples(options.samples.get());
        let oracle = Oracle::new(&scene.soup, &settings.agent, &config)?;
        Ok(Self { level, options, scene, settings, factor, oracle })
    }

    /// The file of a tool's mesh or picture, if such files are requested.
    fn file(&self, is_wanted: bool, tool: &str, ending: &str) -> Option<PathBuf> {
        let folder = self.options.out.as_ref().filter(|_| is_wanted)?;
        Some(folder.join(format!("{}.{tool}.{ending}", self.level.stem())))
    }

    /// Seconds of the bake, and what was found.
    fn make(&self, tool: &str) -> Result<(f64, Judgement)> {
        let (mesh, seconds, judgement) = match tool {
            #[cfg(feature = "peers")]
            RECAST | RERECAST => self.peer(tool)?,
            _ => self.ours(tool)?,
        };
        if let Some(file) = self.file(self.options.svg, tool, "svg") {
            let plan = PlanMesh::new(mesh.vertices(), mesh.polygons(), mesh.neighbours());
            let (places, [missed, excess]) = (&judgement.places, judgement.legend());
            let obstructed = places.excess.iter().map(|(place, _)| *place).collect();
            let marks = [
                Marks::missing(places.missed.clone(), places.missed_side, missed),
                Marks::surplus(obstructed, places.excess_side, excess),
            ];
            waymesh_io::write_file(file, |writer| {
                write_marked_svg(&plan, &marks, &SvgOptions::default(), writer)
            })?;
        }
        Ok((seconds, judgement))
    }

    /// Our pipeline with its defaults but for the partition.
    fn ours(&self, tool: &str) -> Result<(JudgedMesh, f64, Judgement)> {
        let (settings, scale) = (&self.settings, self.settings.scale);
        let partition = if tool == WATERSHED { PartitionKind::Watershed } else { PartitionKind::default() };
        let mut config = BakeConfig::default()
            .with_agent(settings.agent)
            .with_scale(scale.cell_size, scale.level_height)
            .with_partition(partition)
            .with_threads(1);
        let times = self.factor as f32;
        config.max_edge_length *= times;
        config.min_region *= times * times;
        config.merge_region *= times * times;
        let clock = Instant::now();
        let mesh = Baker::voxels().with_config(config).bake(&self.scene.soup)?;
        let seconds = clock.elapsed().as_secs_f64();
        let bytes = mesh.to_wmesh();
        if let Some(file) = self.file(self.options.meshes, tool, "wmesh") {
            std::fs::write(file, &bytes)?;
        }
        let judgement = self.oracle.evaluate_nav_mesh(&mesh, u64::try_from(bytes.len()).ok());
        Ok((JudgedMesh::from(&mesh), seconds, judgement))
    }

    /// Native Recast with Detour for the paths, or rerecast, which has no path queries.
    #[cfg(feature = "peers")]
    fn peer(&self, tool: &str) -> Result<(JudgedMesh, f64, Judgement)> {
        let (times, polygons, detour) = if tool == RECAST {
            let bake = crate::recast::bake_recast(&self.scene, &self.settings)?;
            let (seconds, polygons) = (bake.total(), crate::recast::mesh(&bake.result.0, &bake.result.1));
            // A mesh that Detour refuses has no paths, but all other figures.
            let detour =
                (!polygons.polygons.is_empty()).then(|| crate::Detour::of(bake, &self.settings).ok());
            (seconds, polygons, detour.flatten())
        } else {
            let bake = (crate::rerecast::RERECAST.bake)(&self.scene, &self.settings)?;
            (bake.total(), bake.result, None)
        };
        if let Some(file) = self.file(self.options.meshes, tool, "obj") {
            waymesh_io::write_file(file, |writer| waymesh_io::write_polygons(&polygons, writer))?;
        }
        let mut mesh =
            JudgedMesh::new(&polygons.vertices, polygons.polygons)?.with_ground(&polygons.ground)?;
        let judgement = match detour {
            Some(mut detour) => {
                let bytes = u64::try_from(detour.bytes()).ok();
                mesh = mesh.with_bytes(bytes, bytes);
                self.oracle.evaluate(&mesh, Some(&mut |from, to| detour.way(from, to).map(Into::into)))
            }
            None => self.oracle.evaluate(&mesh, None),
        };
        Ok((mesh, times / 1e3, judgement))
    }
}

/// Unit of a figure, and what it becomes over several levels.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// A number; summed.
    Count,
    /// A share, in percent; mean.
    Share,
    /// A length, in centimetres; mean.
    Length,
    /// Any other value; mean.
    Value,
}

impl Kind {
    fn text(self, value: Option<f64>) -> String {
        match (value, self) {
            (None, _) => "-".to_owned(),
            (Some(value), Self::Count) => format!("{value:.0}"),
            (Some(value), Self::Value) => format!("{value:.2}"),
            (Some(value), Self::Share | Self::Length) => format!("{:.1}", value * 100.0),
        }
    }
}

/// A name, the unit, the value, and `true` for a column of the overview.
type Figure = (&'static str, Kind, fn(&Judged, &Evaluation) -> Option<f64>, bool);

/// A number of paths, if there were any queries.
fn paths(found: &Evaluation, number: usize) -> Option<f64> {
    (found.paths.pairs > 0).then_some(number as f64)
}

/// The figures: what an agent would notice, then what it costs, and how the polygons are.
const FIGURES: &[Figure] = &[
    ("coverage, %", Kind::Share, |_, e| e.coverage, true),
    ("excess, %", Kind::Share, |_, e| e.excess.total, true),
    ("  solid", Kind::Share, |_, e| e.excess.solid, false),
    ("  ceiling", Kind::Share, |_, e| e.excess.ceiling, false),
    ("  wall", Kind::Share, |_, e| e.excess.wall, false),
    ("  drop", Kind::Share, |_, e| e.excess.drop, false),
    ("enclosed by solids, %", Kind::Share, |_, e| e.enclosed, false),
    ("pairs", Kind::Count, |_, e| Some(e.connectivity.pairs as f64), false),
    ("pairs agreeing", Kind::Count, |_, e| Some(e.connectivity.agree as f64), false),
    ("false links", Kind::Count, |_, e| Some(e.connectivity.false_links as f64), true),
    ("missed links", Kind::Count, |_, e| Some(e.connectivity.missed_links as f64), true),
    ("islands", Kind::Count, |_, e| Some(e.connectivity.islands as f64), true),
    ("components", Kind::Count, |_, e| Some(e.connectivity.components as f64), false),
    ("height error, mean, cm", Kind::Length, |_, e| e.height_error.mean, true),
    ("height error, 95 %, cm", Kind::Length, |_, e| e.height_error.p95, true),
    ("height error, largest, cm", Kind::Length, |_, e| e.height_error.max, false),
    ("clearance error, mean, cm", Kind::Length, |_, e| e.clearance_error.mean, true),
    ("clearance error, 95 %, cm", Kind::Length, |_, e| e.clearance_error.p95, false),
    ("polygons", Kind::Count, |_, e| Some(e.polygons as f64), true),
    ("polygons, at least", Kind::Count, |_, e| Some(e.polygons_lower_bound as f64), false),
    ("polygons, x least", Kind::Value, |_, e| e.shape.polygons_per_lower_bound, true),
    ("portals", Kind::Count, |_, e| Some(e.portals as f64), false),
    ("vertices", Kind::Count, |_, e| Some(e.vertices as f64), false),
    ("vertices off the border", Kind::Count, |_, e| Some(e.vertices_off_border as f64), false),
    ("slivers, %", Kind::Share, |_, e| e.slivers, true),
    ("smallest angle, degrees", Kind::Value, |_, e| e.min_angle, false),
    ("T-junctions", Kind::Count, |_, e| Some(e.t_junctions as f64), true),
    ("violations", Kind::Count, |_, e| Some(e.violations as f64), true),
    ("paths found", Kind::Count, |_, e| paths(e, e.paths.found), false),
    ("paths wrongly missing", Kind::Count, |_, e| paths(e, e.paths.wrongly_missing), true),
    ("paths wrongly found", Kind::Count, |_, e| paths(e, e.paths.wrongly_found), true),
    ("longer than the shortest, %", Kind::Share, |_, e| e.paths.excess_length.mean, false),
    ("least distance to a wall, cm", Kind::Length, |_, e| e.paths.min_wall_distance, false),
    ("query, ns", Kind::Value, |_, e| e.paths.query_ns.p50.map(|time| time as f64), true),
    ("bake, ms", Kind::Value, |judged, _| judged.bake_seconds.map(|seconds| seconds * 1e3), true),
];

/// A figure of a tool over levels.
fn over(reports: &[&LevelReport], tool: &str, &(_, kind, figure, _): &Figure) -> String {
    let judged = reports.iter().flat_map(|report| &report.tools).filter(|judged| judged.tool == tool);
    let value = |judged: &Judged| judged.outcome.as_ref().ok().and_then(|found| figure(judged, found));
    let values: Vec<f64> = judged.filter_map(value).collect();
    let total = if kind == Kind::Count { values.iter().sum() } else { mean(&values) };
    kind.text((!values.is_empty()).then_some(total))
}

fn names(report: &LevelReport) -> Vec<&str> {
    report.tools.iter().map(|judged| judged.tool.as_str()).collect()
}

/// All figures over some levels, a column per tool, and what is not baked.
fn table(title: &str, reports: &[&LevelReport]) {
    let Some(names) = reports.first().map(|report| names(report)) else { return };
    head(title, &format!("figure | {}", names.join(" | ")));
    for figure in FIGURES {
        let values = names.iter().map(|tool| over(reports, tool, figure));
        row([figure.0.to_owned()].into_iter().chain(values));
    }
    for (report, judged) in
        reports.iter().flat_map(|report| report.tools.iter().map(move |tool| (report, tool)))
    {
        match &judged.outcome {
            Err(reason) => say!("- {}, {}: {}", report.level, judged.tool, reason.replace('\n', " ")),
            Ok(found) if found.polygons == 0 => {
                say!("- {}, {}: a mesh without polygons", report.level, judged.tool);
            }
            Ok(_) => {}
        }
    }
}

/// A level's name with what was special about it.
fn shown(report: &LevelReport) -> String {
    let unknown = if report.unit.is_none() { " (unit unknown)" } else { "" };
    let size = f64::from(report.cell_size * 1e3).round() / 1e3;
    let factor = report.factor;
    let large = format!(" (cells of {size} m, agent {factor} times as large)");
    format!("{}{unknown}{}", report.level, if factor > 1 { &large } else { "" })
}

/// All figures over the levels where each tool has a mesh, all levels, and a row per level with the
/// values of all tools side by side.
fn overview(reports: &[LevelReport]) {
    let has_polygons = |judged: &Judged| judged.outcome.as_ref().is_ok_and(|found| found.polygons > 0);
    let (common, rest): (Vec<&LevelReport>, Vec<&LevelReport>) =
        reports.iter().partition(|report| report.tools.iter().all(has_polygons));
    let (all, count) = (reports.len(), common.len());
    table(&format!("{all} levels, {count} of them with a mesh by every tool; over these"), &common);
    table(&format!("The other {} levels", rest.len()), &rest);
    let Some(tools) = reports.first().map(|report| names(report)) else { return };
    let figures: Vec<&Figure> = FIGURES.iter().filter(|figure| figure.3).collect();
    let columns: Vec<&str> = figures.iter().map(|figure| figure.0).collect();
    head(&format!("By level: {}", tools.join(" / ")), &format!("level | {}", columns.join(" | ")));
    for report in reports {
        let value =
            |figure| tools.iter().map(|tool| over(&[report], tool, figure)).collect::<Vec<_>>().join(" / ");
        row([shown(report)].into_iter().chain(figures.iter().copied().map(value)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_summed_and_shares_averaged_over_levels() {
        let report = |polygons: Option<usize>| {
            let mut figures = Evaluation::default();
            figures.polygons = polygons.unwrap_or(0);
            figures.coverage = polygons.map(|polygons| polygons as f64 / 100.0);
            let outcome = polygons.map(|_| Box::new(figures)).ok_or_else(|| "gave up".to_owned());
            let tools = vec![Judged { tool: "ours".to_owned(), bake_seconds: None, outcome }];
            LevelReport { unit: Some(1.0), tools, ..LevelReport::default() }
        };
        let reports = [report(Some(7)), report(Some(5)), report(None)];
        let text = |name: &str| {
            let figure = FIGURES.iter().find(|figure| figure.0 == name).unwrap();
            over(&reports.iter().collect::<Vec<_>>(), "ours", figure)
        };
        assert_eq!([text("polygons"), text("coverage, %"), text("paths found")], ["12", "6.0", "-"]);
    }

    #[test]
    fn what_was_special_about_a_level_is_said() {
        let level =
            LevelReport { level: "a".to_owned(), cell_size: 1.800_000_1, factor: 6, ..Default::default() };
        assert_eq!(shown(&level), "a (unit unknown) (cells of 1.8 m, agent 6 times as large)");
    }
}
