//! Compares waymesh with its peers: `cargo run --release -p waymesh-benches --features peers --
//! --help`.

use std::io::Write as _;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use serde_json::Value;
use waymesh_benches::queries::{self, PAIRS, QueryScene};
use waymesh_benches::{
    BakesOptions, BenchError, CrowdOptions, Engine, EvaluateOptions, LevelReport, Partitioning, PlanOptions,
    Scene, Settings, TOWN, agent_table, bakes, compare, convex, corridor, crowds, discs, evaluate,
    evaluate_one, flat_engines, level_table, measure_agents, open, overview, parse_scale, report, soak,
    soak_walk, sources, storeys, streaming, summary, triangulate, worlds,
};
use waymesh_core::GridScale;

/// Bakes scenes with waymesh and its peers in turns, on one thread, and prints what each stage
/// took.
///
/// Peers are there when built with --features peers; those of triangulate and convex need
/// --features polygon-peers only.
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Program {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    compare: CompareOptions,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Judges the meshes of every tool with one oracle and prints tables as Markdown.
    Evaluate(EvaluateOptions),
    #[command(hide = true)]
    EvaluateOne { words: Vec<String> },
    /// Counts the polygons of all convex decompositions on plans, levels and generated halls, and
    /// prints tables as Markdown. Pictures show all decompositions of an input side by side.
    Convex(PlanOptions),
    /// Times all triangulations on the same plans, ours and the peers'. Pictures: Delaunay, refined,
    /// with clearances.
    Triangulate(PlanOptions),
    /// Counts the polygons of generated maps, baked as storeys, at several convexity relaxations.
    Storeys,
    /// Prints the tables of the papers that waymesh follows, with our figures beside theirs. Recast's
    /// column needs --features peers.
    Sources,
    /// Times moves of both ends of corridors of growing length.
    Corridor,
    /// Times paths of discs, fast and shortest, beside paths on meshes that are baked for their radius.
    Discs {
        /// Levels.
        #[arg(default_values = ["nav_test", "dungeon", "undulating"])]
        levels: Vec<String>,
    },
    /// Lets crowds walk through scenes, ours, Detour's and landmass's, and prints time of a step,
    /// overlaps, arrivals and flow. The rows of the others need --features peers.
    Crowds(CrowdOptions),
    /// Times all that the graphics card does beside the processor and native Recast, and compares the
    /// results. Recast's column needs --features peers.
    #[cfg(feature = "gpu")]
    Gpu(waymesh_benches::GpuBenchOptions),
    /// Times bakes stage by stage on one and on several threads, and prints tables as Markdown.
    Bakes(BakesOptions),
    /// Times how long a mesh takes to open, as .wmesh and packed.
    Open {
        /// Polygons of the largest mesh.
        #[arg(long, default_value_t = 1 << 18)]
        largest: u32,
    },
    /// Changes a world while paths are asked for in it, and fails if it differs from one that is built
    /// at once, or if memory grows.
    Soak {
        /// How long.
        #[arg(long, default_value_t = 20.0)]
        minutes: f64,
        /// Instead, walk through a city of so many kilometres a side: the tiles around the walker are
        /// read from a folder, obstacles come and go.
        #[arg(long, value_name = "KILOMETRES")]
        walk: Option<f64>,
    },
    /// Times worlds whose tiles come and go with a player, read from a folder or baked.
    Streaming {
        /// Scale of the city.
        #[arg(long, default_value_t = 6)]
        scale: u32,
    },
    /// Times updates of worlds of growing size, in which obstacles come and go.
    Worlds {
        /// Scale of the largest city.
        #[arg(long, default_value_t = 8)]
        largest: u32,
    },
}

#[derive(Debug, Args)]
struct CompareOptions {
    /// Recast's levels (nav_test, dungeon, undulating), generated ones (city-block, ..., town:
    /// city-block four times as wide), or files; with --queries also tiled-town (the town baked in
    /// tiles, ours as a world that can change), the published flat meshes arena and aurora, and
    /// .wmesh files [default: Recast's where they are, else all generated ones].
    #[arg(long, value_name = "NAME|FILE", value_delimiter = ',')]
    scenes: Vec<String>,
    /// Cell size in metres, with the level height.
    #[arg(long, value_name = "SIZE[/LEVEL]", value_delimiter = ',', value_parser = parse_scale, default_values = ["0.3/0.2", "0.1/0.1"])]
    cell: Vec<GridScale>,
    /// How regions are made.
    #[arg(long, value_name = "KIND", default_value = "watershed")]
    partition: Partitioning,
    /// How often each engine bakes each scene.
    #[arg(long, default_value_t = 9)]
    rounds: usize,
    /// Times path queries on the baked meshes instead of the bake.
    #[arg(long)]
    queries: bool,
    /// Times only the queries of moving agents, on our own mesh: hierarchy, corridors, batches.
    #[arg(long)]
    agents: bool,
    /// Prints JSON instead of tables.
    #[arg(long)]
    json: bool,
}

/// The town, its meshes baked in tiles; only for `--queries`.
const TILED_TOWN: &str = "tiled-town";

fn main() -> ExitCode {
    let Program { command, compare } = Program::parse();
    let outcome = match command {
        // Its levels run in processes of their own.
        Some(Command::Evaluate(options)) => judge(&options),
        Some(Command::Crowds(options)) => crowds(&options, &mut print).map_err(|error| error.to_string()),
        #[cfg(feature = "gpu")]
        Some(Command::Gpu(options)) => {
            waymesh_benches::gpu(&options, &mut print).map_err(|error| error.to_string())
        }
        Some(Command::Bakes(options)) => bakes(&options, &mut print).map_err(|error| error.to_string()),
        Some(Command::Soak { minutes, walk }) => {
            let done = match walk {
                Some(side) => soak_walk(minutes, side, &mut print),
                None => soak(minutes, &mut print),
            };
            done.map_err(|error| error.to_string())
        }
        command => one_thread(|| run(command, &compare)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// One thread for everything: work that a stage hands to the pool stays on the thread that is
/// timed.
fn one_thread(work: impl FnOnce() -> Result<(), String> + Send) -> Result<(), String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.map_err(|error| error.to_string())?.install(work)
}

fn run(command: Option<Command>, options: &CompareOptions) -> Result<(), String> {
    let outcome = match command {
        Some(Command::EvaluateOne { words }) => return evaluate_one(&words),
        Some(Command::Convex(options)) => convex(&options, &mut print),
        Some(Command::Triangulate(options)) => triangulate(&options, &mut print),
        Some(Command::Storeys) => storeys(&mut print),
        Some(Command::Sources) => sources(&mut print),
        Some(Command::Corridor) => corridor(&mut print),
        Some(Command::Discs { levels }) => discs(&levels, &mut print),
        Some(Command::Open { largest }) => open(largest, &mut print),
        Some(Command::Streaming { scale }) => streaming(scale, &mut print),
        Some(Command::Worlds { largest }) => worlds(largest, &mut print),
        _ => compare_engines(options),
    };
    outcome.map_err(|error| error.to_string())
}

fn judge(options: &EvaluateOptions) -> Result<(), String> {
    let told = |report: &LevelReport| {
        let judged = report.tools.iter().filter(|tool| tool.figures().is_some()).count();
        let (tools, seconds) = (report.tools.len(), report.seconds);
        eprintln!("{}: {judged} of {tools} meshes judged, {seconds:.1} s", report.level);
    };
    let reports = evaluate(options, &told)?;
    if !options.levels.is_empty() {
        reports.iter().for_each(|report| print(&level_table(report)));
    }
    if reports.len() > 1 {
        print(&(summary(&reports) + &overview(&reports)));
    }
    Ok(())
}

fn engines() -> Vec<Box<dyn Engine + Send + Sync>> {
    vec![
        Box::new(waymesh_benches::Waymesh),
        Box::new(waymesh_benches::WaymeshSurfaces),
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
        let mut engines: Vec<Box<dyn queries::Queries>> =
            vec![Box::new(ours), Box::new(any_radius.fast()), Box::new(any_radius)];
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
        Ok((vec![Box::new(ours), Box::new(any_radius.fast()), Box::new(any_radius)], pairs))
    }
}

/// All queries on one scene: a table and JSON.
fn ask(scene: &str, (mut engines, pairs): QueryScene, options: &CompareOptions) -> (String, Value) {
    let times =
        if options.agents { Vec::new() } else { queries::measure(&mut engines, &pairs, options.rounds) };
    let mut table = report::query_table(scene, pairs.len(), &times);
    let mut json = serde_json::json!({ "scene": scene, "pairs": pairs.len(), "queries": times });
    if let Some(mesh) = engines.iter().find_map(|engine| engine.mesh()) {
        let agents = measure_agents(mesh, &pairs, options.rounds);
        table.push_str(&agent_table(&agents));
        json["agents"] = serde_json::json!(agents);
    }
    (table, json)
}

fn compare_engines(options: &CompareOptions) -> Result<(), BenchError> {
    let (engines, asks) = (engines(), options.queries || options.agents);
    let mut results = Vec::new();
    let mut show = |(table, json): (String, Value)| {
        if options.json { results.push(json) } else { print(&format!("{table}\n")) }
    };
    let mut names = options.scenes.clone();
    if names.is_empty() {
        names.extend(Scene::default_names().into_iter().map(str::to_owned));
    }
    for name in &names {
        if asks && let Some(flat) = flat_engines(name)? {
            show(ask(name, flat, options));
            continue;
        }
        let is_tiled = asks && name == TILED_TOWN;
        let mut scene = Scene::named(if is_tiled { TOWN } else { name })?;
        if is_tiled {
            scene.name.clone_from(name);
        }
        for scale in &options.cell {
            let settings = Settings::recast_demo(*scale, options.partition);
            show(if asks {
                ask(&scene.name, query_engines(&scene, &settings, is_tiled.then_some(TILE_CELLS))?, options)
            } else {
                let comparison = compare(&engines, &scene, &settings, options.rounds);
                (report::table(&comparison), report::json(&comparison))
            });
        }
    }
    if options.json {
        print(&format!("{:#}\n", Value::from(results)));
    } else if !asks {
        engines.iter().flat_map(|engine| engine.notes()).for_each(|note| print(&format!("- {note}\n")));
    }
    Ok(())
}

/// Prints to standard output. A closed pipe is not an error.
fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}
