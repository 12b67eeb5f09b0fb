//! Compares waymesh with its peers: `cargo run --release -p waymesh-benches --features peers -- --help`.

use std::io::Write as _;
use std::process::ExitCode;

use waymesh_benches::queries::{self, Queries};
use waymesh_benches::{
    BenchError, Engine, Judged, Partitioning, PolygonMesh, Scene, Settings, compare, judge, judge_table,
    report,
};
use waymesh_core::GridScale;

const USAGE: &str = "\
Bakes scenes with waymesh and its peers in turns, on one thread, and prints what each stage took.

Usage: waymesh-benches [--scenes NAME|FILE,...] [--cell SIZE[/LEVEL],...] [--partition watershed|monotone]
                       [--rounds N] [--queries | --judge] [--json]

  --scenes     Recast's levels (nav_test, dungeon, undulating), generated ones (city-block, ...), or files
               [default: Recast's where they are, else all generated ones]
  --cell       cell size in metres, with the level height [default: 0.3/0.2,0.1/0.1]
  --partition  how regions are made [default: watershed]
  --rounds     how often each engine bakes each scene [default: 9]
  --queries    ask path queries of the baked meshes instead of timing the bake
  --judge      let the oracle judge the baked meshes instead of timing the bake
  --json       print JSON instead of tables
Peers are there when built with --features peers.
";

/// Pairs of points for `--queries`.
const PAIRS: usize = 1000;

struct Options {
    scenes: Vec<String>,
    scales: Vec<GridScale>,
    partition: Partitioning,
    rounds: usize,
    queries: bool,
    judge: bool,
    json: bool,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let options = match parse(&mut arguments) {
        Ok(Some(options)) => options,
        Ok(None) => {
            print(USAGE);
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprintln!("{message}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    // One thread for everything: work that a stage hands to the pool stays on the thread that is timed.
    let outcome = match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(|| run(&options)).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
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

/// Query engines on `scene`, and the surface that the points are spread over: Recast's detail mesh where there is one.
fn query_engines(
    scene: &Scene,
    settings: &Settings,
) -> Result<(Vec<Box<dyn Queries>>, PolygonMesh), BenchError> {
    #[cfg(feature = "peers")]
    {
        let recast = waymesh_benches::bake_recast(scene, settings)?;
        let engines: Vec<Box<dyn Queries>> = vec![
            Box::new(waymesh_benches::WaymeshQueries::bake(scene, settings)?),
            Box::new(waymesh_benches::Detour::bake(scene, settings)?),
        ];
        Ok((engines, recast.detail_mesh()))
    }
    #[cfg(not(feature = "peers"))]
    {
        let mesh = waymesh_benches::Waymesh.bake(scene, settings)?.mesh;
        Ok((vec![Box::new(waymesh_benches::WaymeshQueries::bake(scene, settings)?)], mesh))
    }
}

fn run(options: &Options) -> Result<(), BenchError> {
    let engines = engines();
    let mut results = Vec::new();
    for name in &options.scenes {
        let scene = Scene::named(name)?;
        for scale in &options.scales {
            let settings = Settings::recast_demo(*scale, options.partition);
            let (table, json) = if options.judge {
                let judged = judge(&scene, &settings)?;
                let figures = |tool: &Judged| match &tool.evaluation {
                    Ok(evaluation) => serde_json::json!({ "tool": tool.name, "figures": evaluation }),
                    Err(reason) => serde_json::json!({ "tool": tool.name, "failed": reason }),
                };
                let tools: Vec<_> = judged.iter().map(figures).collect();
                (
                    judge_table(&scene.name, &judged),
                    serde_json::json!({ "scene": scene.name, "tools": tools }),
                )
            } else if options.queries {
                let (mut engines, mesh) = query_engines(&scene, &settings)?;
                let pairs = queries::pairs(&mesh, PAIRS);
                let times = queries::measure(&mut engines, &pairs, options.rounds);
                (
                    report::query_table(&scene.name, pairs.len(), &times),
                    report::query_json(&scene.name, pairs.len(), &times),
                )
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
    } else if !options.queries && !options.judge {
        for note in engines.iter().flat_map(|engine| engine.notes()) {
            print(&format!("- {note}\n"));
        }
    }
    Ok(())
}

/// A closed pipe is no error worth a word.
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
        judge: false,
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
            "--judge" => options.judge = true,
            "--json" => options.json = true,
            "--help" | "-h" => return Ok(None),
            other => return Err(format!("no option {other}")),
        }
    }
    Ok(Some(options))
}

/// `0.3/0.2`, or `0.3` alone: levels as high as cells are wide, 0.2 m at most, as in the published tables.
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
