//! `cargo xtask tables`: the papers' scenes at the papers' settings, how the cost grows with the
//! world, convex decompositions, and storeys compared with voxels.

#![expect(clippy::print_stdout, reason = "the tables are what the command is for")]

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::Value;

use crate::bench::benches;
use crate::parts::printed;
use crate::{cargo, root, target};

#[derive(Debug, Args)]
pub(crate) struct TablesArgs {
    /// Only these scenes of the paper. Default: subway, offshore, buildings. With --storeys: only
    /// levels whose names begin so.
    #[arg(value_name = "SCENE")]
    scenes: Vec<String>,
    /// Only the scenes of the paper, without the growth with the size of the world.
    #[arg(long)]
    no_growth: bool,
    /// Only the growth with the size of the world.
    #[arg(long)]
    no_paper: bool,
    /// Only the number of polygons of all convex decompositions, on plans, levels and generated
    /// halls, and the growth to a million vertices.
    #[arg(long)]
    convex: bool,
    /// Only storeys and voxels, on levels from `../shared/scenes` and generated ones, at four
    /// resolutions each.
    #[arg(long, conflicts_with = "convex")]
    storeys: bool,
    /// Only the tables of the papers on decomposition, storeys and voxels, with our figures next to
    /// theirs.
    #[arg(long, conflicts_with_all = ["convex", "storeys"])]
    sources: bool,
    /// Folder for pictures of the decompositions, side by side.
    #[arg(long, value_name = "FOLDER", requires = "convex")]
    pictures: Option<PathBuf>,
}

/// Settings of Saupin and Le Garrec, table 2: name, cell, level, cells of a tile.
const SETTINGS: [[&str; 4]; 5] = [
    ["def.", "0.05", "0.02", "256"],
    ["S2", "0.0356", "0.02", "256"],
    ["S3", "0.0666", "0.501", "256"],
    ["S4", "0.666", "0.587", "256"],
    ["S5", "0.05", "0.02", "467"],
];

/// The paper's tables 3 to 5: a scene, milliseconds of a query at the default, and polygons, links
/// and seconds of each setting.
const SCENES: [(&str, &str, &str); 3] = [
    (
        "subway",
        "1.329",
        "12288 18088 14.122 11550 24358 26.035 2342 4334 5.314 286 650 0.726 11188 23916 19.79",
    ),
    (
        "offshore",
        "4.836",
        "21331 41864 9.727 32976 65488 12.586 9511 18834 3.339 537 972 0.097 30424 59616 15.812",
    ),
    (
        "buildings",
        "5.581",
        "117488 235964 229.854 180173 364132 612.833 54139 107122 63.863 2622 4980 1.591 164577 333554 400.257",
    ),
];

/// Sides of the city, in multiples of its smallest: 1, 4, 16 and 64 times as much world.
const SIDES: [u32; 4] = [1, 2, 4, 8];

/// Real levels for storeys and voxels: name, file, and, where they differ from the usual,
/// settings of the agent and cell sizes.
const LEVELS: [(&str, &str, &str, &str); 20] = [
    ("garage", "gazebo/parking_garage.glb", "", CELLS),
    ("hospital-1", "aws_hospital/hospital_collision.glb", "", CELLS),
    ("hospital-2", "aws_hospital/hospital_two_floors_collision.glb", "", CELLS),
    ("hospital-3", "aws_hospital/hospital_three_floors_collision.glb", "", CELLS),
    ("first-office", "gazebo/osrf_first_office.glb", "", CELLS),
    ("office-building", "gazebo/office_building.glb", "", CELLS),
    ("willowgarage", "gazebo/willowgarage.glb", "", CELLS),
    ("school", "gazebo/school.glb", "", CELLS),
    ("cave", "stk_cave/cave.glb", "", CELLS),
    ("powerplant", "gazebo/powerplant.glb", "", CELLS),
    ("nav-test", "golden/Meshes/nav_test.obj", "", CELLS),
    ("dungeon", "golden/Meshes/dungeon.obj", "", CELLS),
    // Its flights are 1.2 m wide, with 0.8 m between the rails.
    ("stairs-120", "gazebo/nist_stairs_120.glb", "--agent-radius 0.2", CELLS),
    ("house", "gazebo/house_1.glb", "", CELLS),
    ("collapsed-house", "gazebo/collapsed_house.glb", "", CELLS),
    ("playground", "gazebo/playground.glb", "", CELLS),
    ("pier", "gazebo/pier.glb", "", CELLS),
    ("three-pathfinding", "three_pathfinding/level.glb", "", CELLS),
    // A hundred hectares of ground, and 14: at 5 cm they would be hundreds of millions of cells.
    ("battleisland", "stk_battleisland/battleisland.glb", "", LARGE_CELLS),
    ("stadium", "stk_stadium/stadium.glb", "", LARGE_CELLS),
];

/// Generated scenes for storeys and voxels.
const GENERATED: [&str; 5] = ["spiral-stairs", "overlapping-storeys", "terraces", "rolling-terrain", "caves"];

/// Cell sizes in metres. The rough voxels of storeys follow the agent: they are the same for all.
const CELLS: &str = "0.2 0.15 0.1 0.05";
/// Cell sizes of levels that are hundreds of metres wide.
const LARGE_CELLS: &str = "0.8 0.6 0.4 0.3";
/// Sampled places per level.
const SAMPLES: &str = "20000";

/// Bakes and prints. Every bake is a process of its own, so that its peak memory is its own.
pub(crate) fn run(args: &TablesArgs) -> Result<()> {
    if args.sources {
        return benches("peers", &["sources"], &[]);
    }
    if args.convex {
        let mut words = vec!["convex", "--largest", "1000000"];
        if let Some(folder) = &args.pictures {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
            words.extend(["--out", folder.to_str().context("the folder's name is not UTF-8")?]);
        }
        return benches("polygon-peers", &words, &[]);
    }
    cargo(&["build", "--release", "--locked", "-p", "waymesh-cli"], &[])?;
    let folder = target().join("tables");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    if args.storeys {
        return storeys(&args.scenes, &folder);
    }
    if !args.no_paper {
        let is_asked = |name: &str| args.scenes.is_empty() || args.scenes.iter().any(|asked| asked == name);
        for scene in SCENES.iter().filter(|scene| is_asked(scene.0)) {
            paper_table(scene, &folder)?;
        }
    }
    if args.no_growth { Ok(()) } else { growth_table(&folder) }
}

fn head(title: &str, columns: &str) {
    println!("\n### {title}\n\n| {columns} |\n|{}", "---|".repeat(columns.split('|').count()));
}

/// Runs the program and returns its output.
fn waymesh(words: &[&str]) -> Result<String> {
    let program = target().join("release").join(format!("waymesh{}", std::env::consts::EXE_SUFFIX));
    printed(Command::new(program).args(words))
}

/// The scene as a file; generated once.
fn scene_file(name: &str, scale: u32, folder: &Path) -> Result<String> {
    let file = folder.join(format!("{name}-{scale}.stl"));
    let path = file.to_string_lossy().into_owned();
    if !file.exists() {
        waymesh(&["scene", name, "--scale", &scale.to_string(), "--output", &path])?;
    }
    Ok(path)
}

/// One bake: the file of its mesh, and its report.
fn bake(scene: &str, folder: &Path, words: &[&str]) -> Result<(String, Value)> {
    let [mesh, report] =
        ["mesh.wmesh", "report.json"].map(|name| folder.join(name).to_string_lossy().into_owned());
    waymesh(&[&["build", scene, "--output", &mesh, "--report", &report], words].concat())?;
    let text = std::fs::read_to_string(&report).with_context(|| format!("cannot read {report}"))?;
    Ok((mesh, serde_json::from_str(&text)?))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

fn mebibytes(report: &Value) -> f64 {
    number(&report["peak_memory_bytes"]) / f64::from(1 << 20)
}

fn paper_table(&(name, query_ms, figures): &(&str, &str, &str), folder: &Path) -> Result<()> {
    let file = scene_file(name, 1, folder)?;
    head(
        &format!("{name}: ours / paper (its query at def.: {query_ms} ms)"),
        "set. | grid | polygons | links | seconds | peak MiB | query ms, mean (p99) | found of 1,000",
    );
    let figures: Vec<&str> = figures.split(' ').collect();
    for ([setting, cell, level, tile], theirs) in SETTINGS.iter().zip(figures.chunks_exact(3)) {
        let words = ["--pipeline", "slices", "--max-step", "0.5", "--agent-radius", "0"];
        let grid = ["--cell-size", cell, "--level-height", level, "--tile", tile];
        let (mesh, report) = bake(&file, folder, &[words, grid].concat())?;
        let info: Value = serde_json::from_str(&waymesh(&["info", &mesh, "--json", "--queries", "1000"])?)?;
        println!(
            "| {setting} | {} * {} | {} / {} | {} / {} | {:.2} / {} | {:.0} | {:.3} ({:.3}) | {} |",
            report["grid"]["width"],
            report["grid"]["depth"],
            report["polygons"],
            theirs[0],
            report["links"],
            theirs[1],
            number(&report["seconds"]),
            theirs[2],
            mebibytes(&report),
            number(&info["queries"]["mean_ns"]) / 1e6,
            number(&info["queries"]["p99_ns"]) / 1e6,
            info["queries"]["complete"],
        );
    }
    Ok(())
}

fn growth_table(folder: &Path) -> Result<()> {
    head(
        "city, 0.3 m cells, tiles of 256: growth with the world, threads",
        "world | triangles | tiles | threads | seconds | us per column | peak MiB | polygons",
    );
    for side in SIDES {
        let file = scene_file("city", side, folder)?;
        for threads in ["1", "2"] {
            let words = ["--agent", "recast", "--tile", "256", "--threads", threads, "--memory", "2GiB"];
            let (_, report) = bake(&file, folder, &words)?;
            let columns = number(&report["grid"]["width"]) * number(&report["grid"]["depth"]);
            let seconds = number(&report["seconds"]);
            println!(
                "| {}x | {} | {} | {threads} | {seconds:.2} | {:.3} | {:.0} | {} |",
                side * side,
                report["triangles"],
                report["tiles"],
                seconds * 1e6 / columns,
                mebibytes(&report),
                report["polygons"],
            );
        }
    }
    Ok(())
}

/// Prints a table for each requested level that exists: storeys first, then voxels after
/// the slash.
fn storeys(asked: &[String], folder: &Path) -> Result<()> {
    let is_asked =
        |name: &str| asked.is_empty() || asked.iter().any(|start| name.starts_with(start.as_str()));
    let shared = root().join("../shared/scenes");
    for (name, file, agent, cells) in LEVELS.into_iter().filter(|level| is_asked(level.0)) {
        let file = shared.join(file);
        if file.exists() {
            storeys_table(name, &file.to_string_lossy(), agent, cells, folder);
        } else {
            println!("\n{name}: {} is not there", file.display());
        }
    }
    for name in GENERATED.into_iter().filter(|name| is_asked(name)) {
        storeys_table(name, &scene_file(name, 1, folder)?, "", CELLS, folder);
    }
    if is_asked("relaxation") { benches("default", &["storeys"], &[]) } else { Ok(()) }
}

fn storeys_table(name: &str, file: &str, agent: &str, cells: &str, folder: &Path) {
    head(
        &format!("{name}: storeys / voxels {agent}"),
        "cell m | seconds | peak MiB | polygons | coverage % | excess % | clearance error cm | islands | links wrong",
    );
    for cell in cells.split(' ') {
        let mut reasons = Vec::new();
        let [storeys, voxels] = ["storeys", "voxels"].map(|pipeline| {
            judged(file, agent, cell, pipeline, folder).unwrap_or_else(|error| {
                reasons.push(format!(" {pipeline}: {}", reason(&error)));
                std::array::from_fn(|_| "-".to_owned())
            })
        });
        let figures: Vec<String> =
            storeys.iter().zip(&voxels).map(|(own, other)| format!("{own} / {other}")).collect();
        println!("| {cell} | {} |{}", figures.join(" | "), reasons.join(";"));
    }
}

/// Why there is no mesh, without the words of the command.
fn reason(error: &anyhow::Error) -> String {
    let text = error.to_string();
    let last = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    last.rsplit("error: ").next().unwrap_or(last).to_owned()
}

/// Bakes on one thread and judges the mesh. The judge is given the same cell size for both.
fn judged(file: &str, agent: &str, cell: &str, pipeline: &str, folder: &Path) -> Result<[String; 8]> {
    let mut grid = vec!["--agent", "recast", "--cell-size", cell, "--level-height", cell];
    grid.extend(agent.split_whitespace());
    let words = [&["--pipeline", pipeline, "--threads", "1"], &grid[..]].concat();
    let (mesh, report) = bake(file, folder, &words)?;
    let words = ["evaluate", file, "--mesh", &mesh, "--samples", SAMPLES, "--json"];
    let found: Value = serde_json::from_str(&waymesh(&[&words[..], &grid[..]].concat())?)?;
    let share = |value: &Value| {
        value.as_f64().map_or_else(|| "-".to_owned(), |number| format!("{:.2}", number * 100.0))
    };
    let links = &found["connectivity"];
    let wrong = ["false_links", "missed_links"].iter().filter_map(|key| links[key].as_u64()).sum::<u64>();
    Ok([
        format!("{:.2}", number(&report["seconds"])),
        format!("{:.0}", mebibytes(&report)),
        report["polygons"].to_string(),
        share(&found["coverage"]),
        share(&found["excess"]["total"]),
        share(&found["clearance_error"]["mean"]),
        links["islands"].to_string(),
        wrong.to_string(),
    ])
}
