//! Compares waymesh with its peers: `cargo run --release -p waymesh-benches --features peers --
//! --help`.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Parser, Subcommand};
use waymesh_benches::{
    BakesOptions, CrowdOptions, ENGINES, EvaluateOptions, Partitioning, PlanOptions, Report, Scene, Settings,
    TOWN, bakes, compare, convex, crowds, evaluate, parse_scale, queries, say, soak, sources, storeys,
    triangulate,
};
use waymesh_core::GridScale;

/// Bakes scenes with waymesh and its peers in turns, on one thread, and prints what each stage
/// took.
///
/// Peers are there when built with --features peers; those of triangulate and convex need
/// --features polygon-peers only. What is timed without a peer are criterion benches (`cargo bench
/// -p waymesh-benches`).
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
    /// Counts the polygons of all convex decompositions on plans, levels and generated halls, and
    /// prints tables as Markdown. Pictures show all decompositions of an input side by side.
    Convex(PlanOptions),
    /// Times all triangulations on the same plans, ours and the peers'. Pictures: Delaunay, refined,
    /// with clearances.
    Triangulate(PlanOptions),
    /// Times the shortest paths of published maps, compared with those of the crate polyanya, and
    /// checks every length. Needs --features polygon-peers.
    #[cfg(feature = "polygon-peers")]
    Published(waymesh_benches::PublishedOptions),
    /// Counts the polygons of generated maps, baked as storeys, at several convexity relaxations.
    Storeys,
    /// Prints the tables of the papers that waymesh follows, with our figures and theirs. Recast's
    /// column needs --features peers.
    Sources,
    /// Lets crowds walk through scenes, ours, Detour's and landmass's, and prints time of a step,
    /// overlaps, arrivals and flow. The rows of the others need --features peers.
    Crowds(CrowdOptions),
    /// Times the work of the graphics card, the processor and native Recast, and compares the
    /// results. Recast's column needs --features peers.
    #[cfg(feature = "gpu")]
    Gpu(waymesh_benches::GpuBenchOptions),
    /// Times bakes stage by stage on one and on several threads, and prints tables as Markdown.
    Bakes(BakesOptions),
    /// Changes a world while two threads find paths in it, and fails if it differs from one that is
    /// built at once, or if memory grows.
    Soak {
        /// Duration in minutes.
        #[arg(long, default_value_t = 20.0)]
        minutes: f64,
        /// Instead, walk through a city of this side in kilometres: the tiles around the walker are
        /// read from a folder, obstacles come and go.
        #[arg(long, value_name = "KILOMETRES")]
        walk: Option<f64>,
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
    /// Partition into regions.
    #[arg(long, value_name = "KIND", default_value = "watershed")]
    partition: Partitioning,
    /// Number of bakes of each scene by each engine.
    #[arg(long, default_value_t = 9)]
    rounds: usize,
    /// Times path queries on the baked meshes instead of the bake.
    #[arg(long)]
    queries: bool,
    /// Prints JSON instead of tables.
    #[arg(long)]
    json: bool,
}

/// The town, its meshes baked in tiles; only for `--queries`.
const TILED_TOWN: &str = "tiled-town";

/// Cells along a side of the tiles of [`TILED_TOWN`].
const TILE_CELLS: u16 = 64;

fn main() -> ExitCode {
    let Program { command, compare } = Program::parse();
    let outcome = match command {
        Some(Command::Crowds(options)) => crowds(&options),
        #[cfg(feature = "gpu")]
        Some(Command::Gpu(options)) => waymesh_benches::gpu(&options),
        Some(Command::Bakes(options)) => bakes(&options),
        Some(Command::Soak { minutes, walk }) => soak(minutes, walk),
        // One thread for everything else: work that a stage hands to the pool stays on the thread that
        // is timed.
        command => match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
            Ok(pool) => pool.install(|| match command {
                Some(Command::Evaluate(options)) => evaluate(&options),
                Some(Command::Convex(options)) => convex(&options),
                Some(Command::Triangulate(options)) => triangulate(&options),
                #[cfg(feature = "polygon-peers")]
                Some(Command::Published(options)) => waymesh_benches::published(&options),
                Some(Command::Storeys) => storeys(),
                Some(Command::Sources) => sources(),
                _ => compare_engines(&compare),
            }),
            Err(error) => Err(error.into()),
        },
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn compare_engines(options: &CompareOptions) -> Result<()> {
    let mut names = options.scenes.clone();
    if names.is_empty() {
        names.extend(Scene::usual()?.into_iter().map(|scene| scene.name));
    }
    let mut reports = Vec::new();
    let mut show = |report: Report| if options.json { reports.push(report) } else { report.print() };
    for name in &names {
        if options.queries
            && let Some((mut engines, pairs)) = queries::engines_on_file(name)?
        {
            show(queries::measure(name, &mut engines, &pairs, options.rounds));
            continue;
        }
        let tiles = (options.queries && name == TILED_TOWN).then_some(TILE_CELLS);
        let scene = Scene::named(if tiles.is_some() { TOWN } else { name })?;
        for &scale in &options.cell {
            let settings = Settings::recast_demo(scale, options.partition);
            show(if options.queries {
                let (mut engines, pairs) = queries::engines(&scene, &settings, tiles)?;
                queries::measure(name, &mut engines, &pairs, options.rounds)
            } else {
                compare(&scene, &settings, options.rounds)
            });
        }
    }
    if options.json {
        say!("{:#}", serde_json::json!(reports));
    } else if !options.queries {
        ENGINES.iter().flat_map(|engine| engine.notes).for_each(|note| say!("- {note}"));
    }
    Ok(())
}
