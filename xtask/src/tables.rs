//! `cargo xtask tables`: the papers' scenes at the papers' settings, how the cost grows with the
//! world, convex decompositions, and storeys beside voxels.

#![expect(clippy::print_stdout, reason = "the tables are what the command is for")]

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;

use crate::{cargo, target};

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
    /// Only storeys beside voxels, on levels from `../shared/scenes` and generated ones, at four
    /// resolutions each.
    #[arg(long, conflicts_with = "convex")]
    storeys: bool,
    /// Only the tables of the papers on decomposition, storeys and voxels, with our figures beside
    /// theirs.
    #[arg(long, conflicts_with_all = ["convex", "storeys"])]
    sources: bool,
    /// Folder for pictures of the decompositions, side by side.
    #[arg(long, value_name = "FOLDER", requires = "convex")]
    pictures: Option<PathBuf>,
}

/// A setting of Saupin and Le Garrec, table 2.
struct Setting {
    name: &'static str,
    cell: f32,
    level: f32,
    tile: u32,
}

const MAX_CLIMB: f32 = 0.5;

const SETTINGS: [Setting; 5] = [
    Setting { name: "def.", cell: 0.05, level: 0.02, tile: 256 },
    Setting { name: "S2", cell: 0.0356, level: 0.02, tile: 256 },
    Setting { name: "S3", cell: 0.0666, level: 0.501, tile: 256 },
    Setting { name: "S4", cell: 0.666, level: 0.587, tile: 256 },
    Setting { name: "S5", cell: 0.05, level: 0.02, tile: 467 },
];

/// What the paper's tables 3 to 5 say about a scene: polygons, links, seconds per setting;
/// milliseconds of a query at the default.
struct PaperScene {
    name: &'static str,
    rows: [(u64, u64, f64); 5],
    query_ms: f64,
}

const SCENES: [PaperScene; 3] = [
    PaperScene {
        name: "subway",
        rows: [
            (12_288, 18_088, 14.122),
            (11_550, 24_358, 26.035),
            (2_342, 4_334, 5.314),
            (286, 650, 0.726),
            (11_188, 23_916, 19.79),
        ],
        query_ms: 1.329,
    },
    PaperScene {
        name: "offshore",
        rows: [
            (21_331, 41_864, 9.727),
            (32_976, 65_488, 12.586),
            (9_511, 18_834, 3.339),
            (537, 972, 0.097),
            (30_424, 59_616, 15.812),
        ],
        query_ms: 4.836,
    },
    PaperScene {
        name: "buildings",
        rows: [
            (117_488, 235_964, 229.854),
            (180_173, 364_132, 612.833),
            (54_139, 107_122, 63.863),
            (2_622, 4_980, 1.591),
            (164_577, 333_554, 400.257),
        ],
        query_ms: 5.581,
    },
];

/// Bakes and prints. Every bake is a process of its own, so that its peak memory is its own.
pub(crate) fn run(args: &TablesArgs) -> Result<()> {
    if args.sources {
        let words =
            ["run", "--release", "--package", "waymesh-benches", "--features", "peers", "--", "sources"];
        return cargo(&words, &[]);
    }
    if args.convex {
        return convex(args.pictures.as_deref());
    }
    cargo(&["build", "--release", "--locked", "-p", "waymesh-cli"], &[])?;
    let folder = target().join("tables");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    if args.storeys {
        return crate::storeys::tables(&args.scenes, &folder);
    }
    if !args.no_paper {
        for scene in &SCENES {
            if args.scenes.is_empty() || args.scenes.iter().any(|name| name == scene.name) {
                paper_table(scene, &folder)?;
            }
        }
    }
    if !args.no_growth {
        growth_table(&folder)?;
    }
    Ok(())
}

fn convex(pictures: Option<&Path>) -> Result<()> {
    let mut words = vec!["run", "--release", "--package", "waymesh-benches"];
    words.extend(["--features", "polygon-peers", "--", "convex"]);
    words.extend(["--largest", "1000000"]);
    if let Some(folder) = pictures {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        words.extend(["--out", folder.to_str().context("the folder's name is not UTF-8")?]);
    }
    cargo(&words, &[])
}

/// Runs the program and returns its output.
pub(crate) fn waymesh(words: &[&str]) -> Result<String> {
    let program = target().join("release").join(format!("waymesh{}", std::env::consts::EXE_SUFFIX));
    let output = Command::new(&program)
        .args(words)
        .output()
        .with_context(|| format!("cannot start {}", program.display()))?;
    if !output.status.success() {
        bail!("waymesh {}: {}", words.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The scene as a file; generated once.
pub(crate) fn scene_file(name: &str, scale: u32, folder: &Path) -> Result<String> {
    let file = folder.join(format!("{name}-{scale}.stl"));
    let path = file.to_string_lossy().into_owned();
    if !file.exists() {
        waymesh(&["scene", name, "--scale", &scale.to_string(), "--output", &path])?;
    }
    Ok(path)
}

/// One bake: its report, and the milliseconds of a query on its mesh (mean and 99th percentile).
fn bake(scene: &str, folder: &Path, words: &[&str]) -> Result<(Value, f64, f64)> {
    let [mesh, report] =
        ["mesh.wmesh", "report.json"].map(|name| folder.join(name).to_string_lossy().into_owned());
    let fixed = ["build", scene, "--output", &mesh, "--report", &report];
    waymesh(&[&fixed, words].concat())?;
    let text = std::fs::read_to_string(&report).with_context(|| format!("cannot read {report}"))?;
    let info: Value = serde_json::from_str(&waymesh(&["info", &mesh, "--json", "--queries", "1000"])?)?;
    let query = |key: &str| info["queries"][key].as_f64().unwrap_or(f64::NAN) / 1e6;
    Ok((serde_json::from_str(&text)?, query("mean_ns"), query("p99_ns")))
}

pub(crate) fn mebibytes(report: &Value) -> f64 {
    report["peak_memory_bytes"].as_f64().unwrap_or(f64::NAN) / f64::from(1 << 20)
}

fn paper_table(scene: &PaperScene, folder: &Path) -> Result<()> {
    let file = scene_file(scene.name, 1, folder)?;
    println!("\n### {}: ours / paper (its query at def.: {} ms)\n", scene.name, scene.query_ms);
    println!("| set. | grid | polygons | links | seconds | peak MiB | query ms, mean (p99) |");
    println!("|---|---|---|---|---|---|---|");
    for (setting, (polygons, links, seconds)) in SETTINGS.iter().zip(scene.rows) {
        let [cell, level, climb] = [setting.cell, setting.level, MAX_CLIMB].map(|number| number.to_string());
        let tile = setting.tile.to_string();
        let words = [
            "--pipeline",
            "slices",
            "--cell-size",
            &cell,
            "--level-height",
            &level,
            "--max-step",
            &climb,
            "--agent-radius",
            "0",
            "--tile",
            &tile,
        ];
        let (report, mean, p99) = bake(&file, folder, &words)?;
        println!(
            "| {} | {} * {} | {} / {polygons} | {} / {links} | {:.2} / {seconds} | {:.0} | {mean:.3} ({p99:.3}) |",
            setting.name,
            report["grid"]["width"],
            report["grid"]["depth"],
            report["polygons"],
            report["links"],
            report["seconds"].as_f64().unwrap_or(f64::NAN),
            mebibytes(&report),
        );
    }
    Ok(())
}

/// Sides of the city, in multiples of its smallest: 1, 4, 16 and 64 times as much world.
const SIDES: [u32; 4] = [1, 2, 4, 8];

fn growth_table(folder: &Path) -> Result<()> {
    println!("\n### city, 0.3 m cells, tiles of 256: growth with the world, threads\n");
    println!("| world | triangles | tiles | threads | seconds | us per column | peak MiB | polygons |");
    println!("|---|---|---|---|---|---|---|---|");
    for side in SIDES {
        let file = scene_file("city", side, folder)?;
        for threads in ["1", "2"] {
            let words = ["--tile", "256", "--threads", threads, "--memory", "2GiB"];
            let (report, _, _) = bake(&file, folder, &words)?;
            let columns = report["grid"]["width"].as_f64().unwrap_or(f64::NAN)
                * report["grid"]["depth"].as_f64().unwrap_or(f64::NAN);
            let seconds = report["seconds"].as_f64().unwrap_or(f64::NAN);
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
