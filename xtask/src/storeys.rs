//! `cargo xtask tables --storeys`: storeys beside voxels, at the same resolutions.

#![expect(clippy::print_stdout, reason = "the tables are what the command is for")]

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::tables::{mebibytes, scene_file, waymesh};
use crate::{cargo, root};

/// Cell sizes of the tables, in metres. The rough voxels of storeys follow the agent, so they are
/// the
/// same for all.
const CELLS: [&str; 4] = ["0.2", "0.15", "0.1", "0.05"];
/// Sampled places per level.
const SAMPLES: &str = "20000";

/// Figures of a row, without the cell size.
const COLUMNS: usize = 8;

/// A level beside the repository, in metres.
struct Level {
    name: &'static str,
    file: &'static str,
    /// Settings of the agent.
    agent: &'static [&'static str],
    cells: [&'static str; 4],
}

const fn level(name: &'static str, file: &'static str) -> Level {
    Level { name, file, agent: &[], cells: CELLS }
}

const LEVELS: [Level; 20] = [
    level("garage", "gazebo/parking_garage.glb"),
    level("hospital-1", "aws_hospital/hospital_collision.glb"),
    level("hospital-2", "aws_hospital/hospital_two_floors_collision.glb"),
    level("hospital-3", "aws_hospital/hospital_three_floors_collision.glb"),
    level("first-office", "gazebo/osrf_first_office.glb"),
    level("office-building", "gazebo/office_building.glb"),
    level("willowgarage", "gazebo/willowgarage.glb"),
    level("school", "gazebo/school.glb"),
    level("cave", "stk_cave/cave.glb"),
    level("powerplant", "gazebo/powerplant.glb"),
    level("nav-test", "golden/Meshes/nav_test.obj"),
    level("dungeon", "golden/Meshes/dungeon.obj"),
    // Its flights are 1.2 m wide, with 0.8 m between the rails.
    Level { agent: &["--agent-radius", "0.2"], ..level("stairs-120", "gazebo/nist_stairs_120.glb") },
    level("house", "gazebo/house_1.glb"),
    level("collapsed-house", "gazebo/collapsed_house.glb"),
    level("playground", "gazebo/playground.glb"),
    level("pier", "gazebo/pier.glb"),
    level("three-pathfinding", "three_pathfinding/level.glb"),
    // A hundred hectares of ground, and 14: at 5 cm they would be hundreds of millions of cells.
    Level { cells: LARGE_CELLS, ..level("battleisland", "stk_battleisland/battleisland.glb") },
    Level { cells: LARGE_CELLS, ..level("stadium", "stk_stadium/stadium.glb") },
];
/// Cell sizes of levels that are hundreds of metres wide.
const LARGE_CELLS: [&str; 4] = ["0.8", "0.6", "0.4", "0.3"];
/// Generated scenes.
const SCENES: [&str; 5] = ["spiral-stairs", "overlapping-storeys", "terraces", "rolling-terrain", "caves"];

/// Prints a table for each level that is there and was asked for: storeys first, then voxels after
/// the slash.
pub(crate) fn tables(asked: &[String], folder: &Path) -> Result<()> {
    let is_asked =
        |name: &str| asked.is_empty() || asked.iter().any(|start| name.starts_with(start.as_str()));
    let shared = root().join("../shared/scenes");
    for level in LEVELS.iter().filter(|level| is_asked(level.name)) {
        let file = shared.join(level.file);
        if file.exists() {
            table(level, &file.to_string_lossy(), folder);
        } else {
            println!("\n{}: {} is not there", level.name, file.display());
        }
    }
    for name in SCENES.into_iter().filter(|name| is_asked(name)) {
        table(&level(name, ""), &scene_file(name, 1, folder)?, folder);
    }
    if is_asked("relaxation") {
        println!("\n### polygons at convexity relaxations\n");
        cargo(&["run", "--release", "--package", "waymesh-benches", "--", "storeys"], &[])?;
    }
    Ok(())
}

fn table(level: &Level, file: &str, folder: &Path) {
    let Level { name, agent, cells, .. } = level;
    println!("\n### {name}: storeys / voxels {}\n", agent.join(" "));
    println!(
        "| cell m | seconds | peak MiB | polygons | coverage % | excess % | clearance error cm | islands | links wrong |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for cell in cells {
        let mut columns: [Vec<String>; COLUMNS] = Default::default();
        let mut reasons = Vec::new();
        for pipeline in ["storeys", "voxels"] {
            let figures = judged(file, agent, cell, pipeline, folder).unwrap_or_else(|error| {
                reasons.push(format!(" {pipeline}: {}", reason(&error)));
                std::array::from_fn(|_| "-".to_owned())
            });
            for (column, figure) in columns.iter_mut().zip(figures) {
                column.push(figure);
            }
        }
        println!(
            "| {cell} | {} |{}",
            columns.map(|column| column.join(" / ")).join(" | "),
            reasons.join(";")
        );
    }
}

/// Why there is no mesh, without the words of the command.
fn reason(error: &anyhow::Error) -> String {
    let text = error.to_string();
    let last = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    last.rsplit("error: ").next().unwrap_or(last).to_owned()
}

/// Bakes on one thread and judges the mesh. The judge is given the same cell size for both.
fn judged(
    file: &str,
    agent: &[&str],
    cell: &str,
    pipeline: &str,
    folder: &Path,
) -> Result<[String; COLUMNS]> {
    let [mesh, report] =
        ["storeys.wmesh", "storeys.json"].map(|name| folder.join(name).to_string_lossy().into_owned());
    let grid = [&["--cell-size", cell, "--level-height", cell], agent].concat();
    let words =
        ["build", file, "--pipeline", pipeline, "--threads", "1", "--output", &mesh, "--report", &report];
    waymesh(&[&words[..], &grid[..]].concat())?;
    let text = std::fs::read_to_string(&report).with_context(|| format!("cannot read {report}"))?;
    let report: Value = serde_json::from_str(&text)?;
    let words = ["evaluate", file, "--mesh", &mesh, "--samples", SAMPLES, "--json"];
    let found: Value = serde_json::from_str(&waymesh(&[&words[..], &grid[..]].concat())?)?;
    let number = |value: &Value, factor: f64| {
        value.as_f64().map_or_else(|| "-".to_owned(), |number| format!("{:.2}", number * factor))
    };
    let links = &found["connectivity"];
    let wrong = ["false_links", "missed_links"].iter().filter_map(|key| links[key].as_u64()).sum::<u64>();
    Ok([
        number(&report["seconds"], 1.0),
        format!("{:.0}", mebibytes(&report)),
        report["polygons"].to_string(),
        number(&found["coverage"], 100.0),
        number(&found["excess"]["total"], 100.0),
        number(&found["clearance_error"]["mean"], 100.0),
        links["islands"].to_string(),
        wrong.to_string(),
    ])
}
