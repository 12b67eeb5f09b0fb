//! Compares waymesh with its peers: `cargo run --release -p waymesh-benches --features peers --
//! --help`.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use waymesh_benches::queries::{self, PAIRS, QueryScene};
use waymesh_benches::{
    BenchError, ConvexOptions, Engine, EvaluateOptions, LevelReport, ONE, Partitioning, Scene, Settings,
    TOWN, TriangulateOptions, agent_json, agent_table, compare, convex, corridor, evaluate, evaluate_one,
    flat_engines, level_table, measure_agents, open, overview, report, storeys, summary, triangulate,
};
use waymesh_core::GridScale;

const USAGE: &str = "\
Bakes scenes with waymesh and its peers in turns, on one thread, and prints what each stage took.

Usage: waymesh-benches [--scenes NAME|FILE,...] [--cell SIZE[/LEVEL],...] [--partition watershed|monotone]
                       [--rounds N] [--queries | --agents] [--json]
       waymesh-benches evaluate [LEVEL...] [--cell SIZE[/LEVEL]] [--samples N] [--watershed] [--ours] [--out FOLDER] [--svg] [--meshes]
                       [--jobs N] [--limit SECONDS]
       waymesh-benches convex [--largest N] [--out FOLDER]
       waymesh-benches triangulate [--largest N] [--out FOLDER]
       waymesh-benches storeys
       waymesh-benches corridor
       waymesh-benches open [--largest N]

  --scenes     Recast's levels (nav_test, dungeon, undulating), generated ones (city-block, ..., town: city-block four times as wide), or files;
               with --queries also tiled-town (the town baked in tiles, ours as a world that can change), the published flat meshes arena and
               aurora, and .wmesh files
               [default: Recast's where they are, else all generated ones]
  --cell       cell size in metres, with the level height [default: 0.3/0.2,0.1/0.1]
  --partition  how regions are made [default: watershed]
  --rounds     how often each engine bakes each scene [default: 9]
  --queries    time path queries on the baked meshes instead of the bake
  --agents     time only the queries of moving agents, on our own mesh: hierarchy, corridors, batches
  --json       print JSON instead of tables

evaluate judges the meshes of every tool with one oracle and prints tables as Markdown.
  LEVEL        a real level (house_1, gazebo/house_1), a generated one, or a file [default: all real ones, else all generated]
  --cell       cell size in metres, with the level height [default: 0.3/0.2]
  --samples    sampled places per level [default: 100000]
  --watershed  also judge our own pipeline with the watershed partition
  --ours       leave the other tools out
  --out        folder for a JSON file per level, and for the files of --svg and --meshes
  --svg        draw each mesh, with missing and surplus ground marked
  --meshes     write each mesh: ours as .wmesh, the others as OBJ for `waymesh evaluate --mesh`
  --jobs       levels judged at the same time [default: one per core]
  --limit      time limit per level in seconds [default: 600]

convex counts the polygons of all convex decompositions on plans, levels and generated halls, and prints tables as Markdown.
  --largest    vertices of the largest hall in the table of growth, up to 1000000 [default: no such table]
  --out        folder for pictures, all decompositions of an input side by side

storeys counts the polygons of generated maps, baked as storeys, at several convexity relaxations.

triangulate times all triangulations on the same plans, ours and the peers'.
  --largest    as above
  --out        folder for pictures: Delaunay, refined, with clearances

corridor times moves of both ends of corridors of growing length.

open times how long a mesh takes to open, as .wmesh and packed.
  --largest    polygons of the largest mesh [default: 262144]

Peers are there when built with --features peers; those of triangulate and convex need --features polygon-peers only.
";

/// The town, its meshes baked in tiles; only for `--queries`.
const TILED_TOWN: &str = "tiled-town";

struct Options {
    scenes: Vec<String>,
    scales: Vec<GridScale>,
    partition: Partitioning,
    rounds: usize,
    queries: bool,
    agents: bool,
    json: bool,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.first().map(String::as_str) {
        Some(ONE) => return finish(one_thread(|| evaluate_one(&words[1..]))),
        Some("evaluate") => return run_evaluate(&words[1..]),
        Some("convex") => {
            return run_plans(&words[1..], |largest, pictures| {
                let mut options = ConvexOptions::default();
                (options.largest, options.pictures) = (largest, pictures);
                convex(&options, &mut print)
            });
        }
        Some("storeys") => {
            return finish(one_thread(|| storeys(&mut print).map_err(|error| error.to_string())));
        }
        Some("corridor") => {
            return finish(one_thread(|| corridor(&mut print).map_err(|error| error.to_string())));
        }
        Some("open") => {
            return run_plans(&words[1..], |largest, _| {
                open(if largest == 0 { 1 << 18 } else { largest }, &mut print)
            });
        }
        Some("triangulate") => {
            return run_plans(&words[1..], |largest, pictures| {
                let mut options = TriangulateOptions::default();
                (options.largest, options.pictures) = (largest, pictures);
                triangulate(&options, &mut print)
            });
        }
        _ => {}
    }
    let options = match parse(&mut words.into_iter()) {
        Ok(Some(options)) => options,
        Ok(None) => {
            print(USAGE);
            return ExitCode::SUCCESS;
        }
        Err(message) => return wrong_usage(&message),
    };
    finish(one_thread(|| run(&options).map_err(|error| error.to_string())))
}

/// One thread for everything: work that a stage hands to the pool stays on the thread that is
/// timed.
fn one_thread(work: impl FnOnce() -> Result<(), String> + Send) -> Result<(), String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.map_err(|error| error.to_string())?.install(work)
}

fn finish(outcome: Result<(), String>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn wrong_usage(message: &str) -> ExitCode {
    eprintln!("{message}\n\n{USAGE}");
    ExitCode::from(2)
}

/// The tables of plans: their options are the same.
fn run_plans(
    words: &[String],
    run: impl FnOnce(u32, Option<PathBuf>) -> Result<(), BenchError> + Send,
) -> ExitCode {
    let (mut largest, mut pictures) = (0, None);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let value = words.next();
        let number = value.and_then(|value| value.parse().ok());
        match (word.as_str(), value, number) {
            ("--largest", _, Some(vertices)) => largest = vertices,
            ("--out", Some(folder), _) => pictures = Some(folder.into()),
            _ => return wrong_usage(&format!("there is no option {word}, or it lacks a value")),
        }
    }
    finish(one_thread(|| run(largest, pictures).map_err(|error| error.to_string())))
}

fn run_evaluate(words: &[String]) -> ExitCode {
    let options = match parse_evaluate(words) {
        Ok(Some(options)) => options,
        Ok(None) => {
            print(USAGE);
            return ExitCode::SUCCESS;
        }
        Err(message) => return wrong_usage(&message),
    };
    let told = |report: &LevelReport| {
        let judged = report.tools.iter().filter(|tool| tool.figures().is_some()).count();
        eprintln!(
            "{}: {judged} of {} meshes judged, {:.1} s",
            report.level,
            report.tools.len(),
            report.seconds
        );
    };
    finish(evaluate(&options, &told).map(|reports| {
        if !options.levels.is_empty() {
            reports.iter().for_each(|report| print(&level_table(report)));
        }
        if reports.len() > 1 {
            print(&(summary(&reports) + &overview(&reports)));
        }
    }))
}

fn parse_evaluate(words: &[String]) -> Result<Option<EvaluateOptions>, String> {
    let mut options = EvaluateOptions::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--cell" => options.scale = scale(value()?)?,
            "--samples" => options.samples = count(word, value()?)?,
            "--jobs" => options.jobs = count(word, value()?)?,
            "--limit" => {
                let seconds = u64::try_from(count(word, value()?)?).unwrap_or(u64::MAX);
                options.limit = std::time::Duration::from_secs(seconds);
            }
            "--watershed" => options.watershed = true,
            "--ours" => options.peers = false,
            "--out" => options.out = Some(value()?.into()),
            "--svg" => options.svg = true,
            "--meshes" => options.meshes = true,
            "--help" | "-h" => return Ok(None),
            option if option.starts_with('-') => return Err(format!("evaluate has no option {option}")),
            level => options.levels.push(level.to_owned()),
        }
    }
    if options.out.is_none() && (options.svg || options.meshes) {
        return Err("--svg and --meshes need a folder: --out FOLDER".to_owned());
    }
    Ok(Some(options))
}

/// A number of at least 1.
fn count(option: &str, text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err(format!("{option} must be at least 1")),
        Ok(count) => Ok(count),
        Err(error) => Err(format!("{option} {text}: {error}")),
    }
}

fn engines() -> Vec<Box<dyn Engine + Send + Sync>> {
    vec![
        Box::new(waymesh_benches::Waymesh),
        #[cfg(feature = "peers")]
        Box::new(waymesh_benches::Recast),
        #[cfg(feature = "peers")]
        Box::new(waymesh_benches::Rerecast),
    ]
}

/// Cells along a side of the tiles of [`TILED_TOWN`].
const TILE_CELLS: u16 = 64;

/// Query engines on `scene`, and pairs of points spread over Recast's detail mesh where there is
/// one, else over our polygons. Ours and Detour's are baked whole or both in tiles.
fn query_engines(
    scene: &Scene,
    settings: &Settings,
    tile_cells: Option<u16>,
) -> Result<QueryScene, BenchError> {
    let ours = waymesh_benches::WaymeshQueries::bake(scene, settings, tile_cells)?;
    let any_radius = waymesh_benches::RadiusQueries::bake(scene, settings, tile_cells)?;
    #[cfg(feature = "peers")]
    {
        let pairs = queries::pairs(&waymesh_benches::bake_recast(scene, settings)?.detail_mesh(), PAIRS);
        let landmass = waymesh_benches::Landmass::new(ours.navmesh(), &pairs);
        let mut engines: Vec<Box<dyn queries::Queries>> = vec![Box::new(ours), Box::new(any_radius)];
        engines.push(Box::new(match tile_cells {
            Some(tile_cells) => waymesh_benches::Detour::bake_tiled(scene, settings, tile_cells)?,
            None => waymesh_benches::Detour::bake(scene, settings)?,
        }));
        match landmass {
            Ok(landmass) => engines.push(Box::new(landmass)),
            Err(error) => eprintln!("{}: left out: {error}", scene.name),
        }
        Ok((engines, pairs))
    }
    #[cfg(not(feature = "peers"))]
    {
        let pairs = queries::pairs(&waymesh_benches::Waymesh.bake(scene, settings)?.mesh, PAIRS);
        Ok((vec![Box::new(ours), Box::new(any_radius)], pairs))
    }
}

/// All queries on one scene: a table and JSON.
fn ask(
    scene: &str,
    engines: &mut [Box<dyn queries::Queries>],
    pairs: &[[glam::Vec3; 2]],
    options: &Options,
) -> (String, serde_json::Value) {
    let times = if options.agents { Vec::new() } else { queries::measure(engines, pairs, options.rounds) };
    let mut table = report::query_table(scene, pairs.len(), &times);
    let mut json = report::query_json(scene, pairs.len(), &times);
    if let Some(mesh) = engines.iter().find_map(|engine| engine.mesh()) {
        let agents = measure_agents(mesh, pairs, options.rounds);
        table.push_str(&agent_table(&agents));
        json["agents"] = agent_json(&agents);
    }
    (table, json)
}

fn run(options: &Options) -> Result<(), BenchError> {
    let engines = engines();
    let mut results = Vec::new();
    for name in &options.scenes {
        if options.queries
            && let Some((mut engines, pairs)) = flat_engines(name)?
        {
            let (table, json) = ask(name, &mut engines, &pairs, options);
            if options.json {
                results.push(json);
            } else {
                print(&format!("{table}\n"));
            }
            continue;
        }
        let is_tiled = options.queries && name == TILED_TOWN;
        let mut scene = Scene::named(if is_tiled { TOWN } else { name })?;
        if is_tiled {
            scene.name.clone_from(name);
        }
        for scale in &options.scales {
            let settings = Settings::recast_demo(*scale, options.partition);
            let (table, json) = if options.queries {
                let tile_cells = is_tiled.then_some(TILE_CELLS);
                let (mut engines, pairs) = query_engines(&scene, &settings, tile_cells)?;
                ask(&scene.name, &mut engines, &pairs, options)
            } else {
                let comparison = compare(&engines, &scene, &settings, options.rounds);
                (report::table(&comparison), report::json(&comparison))
            };
            if options.json {
                results.push(json);
            } else {
                print(&format!("{table}\n"));
            }
        }
    }
    if options.json {
        print(&format!("{:#}\n", serde_json::Value::from(results)));
    } else if !options.queries {
        for note in engines.iter().flat_map(|engine| engine.notes()) {
            print(&format!("- {note}\n"));
        }
    }
    Ok(())
}

/// Prints to standard output. A closed pipe is not an error.
fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

fn parse(arguments: &mut dyn Iterator<Item = String>) -> Result<Option<Options>, String> {
    let mut options = Options {
        scenes: Scene::default_names().into_iter().map(str::to_owned).collect(),
        scales: vec![GridScale::new(0.3, 0.2), GridScale::new(0.1, 0.1)],
        partition: Partitioning::Watershed,
        rounds: 9,
        queries: false,
        agents: false,
        json: false,
    };
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--scenes" => options.scenes = value()?.split(',').map(str::to_owned).collect(),
            "--cell" => options.scales = value()?.split(',').map(scale).collect::<Result<_, _>>()?,
            "--partition" => {
                options.partition = match value()?.as_str() {
                    "watershed" => Partitioning::Watershed,
                    "monotone" => Partitioning::Monotone,
                    other => return Err(format!("no partitioning {other}")),
                }
            }
            "--rounds" => {
                options.rounds = value()?.parse().map_err(|error| format!("--rounds: {error}"))?;
            }
            "--queries" => options.queries = true,
            "--agents" => (options.queries, options.agents) = (true, true),
            "--json" => options.json = true,
            "--help" | "-h" => return Ok(None),
            other => return Err(format!("no option {other}")),
        }
    }
    Ok(Some(options))
}

/// `0.3/0.2`, or `0.3` alone: levels as high as cells are wide, 0.2 m at most, as in the published
/// tables.
fn scale(text: &str) -> Result<GridScale, String> {
    let number = |text: &str| text.parse::<f32>().map_err(|error| format!("--cell {text}: {error}"));
    let (cell, level) = match text.split_once('/') {
        Some((cell, level)) => (number(cell)?, number(level)?),
        None => (number(text)?, number(text)?.min(0.2)),
    };
    let scale = GridScale::new(cell, level);
    scale.validate().map_err(|error| format!("--cell {text}: {error}"))?;
    Ok(scale)
}
