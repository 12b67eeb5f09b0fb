//! `cargo xtask tables --storeys`: the pipeline of storeys beside that of voxels, at the same resolutions.

#![expect(clippy::print_stdout, reason = "the tables are what the command is for")]

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::tables::{mebibytes, scene_file, waymesh};
use crate::{cargo, root};

/// Cells of the tables, in metres. The rough voxels of storeys follow the agent, so they are the same for all.
const CELLS: [&str; 4] = ["0.2", "0.15", "0.1", "0.05"];
/// Places that the judge looks at.
const SAMPLES: &str = "20000";

/// Levels beside the repository: name, file, metres per unit.
const LEVELS: [(&str, &str, &str); 13] = [
    ("garage", "gazebo/parking_garage.glb", "1"),
    ("hospital-1", "aws_hospital/hospital_collision.glb", "1"),
    ("hospital-2", "aws_hospital/hospital_two_floors_collision.glb", "1"),
    ("hospital-3", "aws_hospital/hospital_three_floors_collision.glb", "1"),
    ("first-office", "gazebo/osrf_first_office.glb", "1"),
    ("office-building", "gazebo/office_building.glb", "1"),
    ("cave", "stk_cave/cave.glb", "1"),
    ("powerplant", "gazebo/powerplant.glb", "1"),
    ("nav-test", "golden/Meshes/nav_test.obj", "1"),
    ("stairs-120", "gazebo/nist_stairs_120.glb", "1"),
    ("house", "gazebo/house_1.glb", "1"),
    ("battleisland", "stk_battleisland/battleisland.glb", "1"),
    ("three-pathfinding", "three_pathfinding/level.glb", "1"),
];
/// Generated ones.
const SCENES: [&str; 4] = ["spiral-stairs", "overlapping-storeys", "terraces", "rolling-terrain"];

/// Prints a table per level, storeys first and voxels behind the stroke; of levels that are there and were asked for.
pub(crate) fn tables(asked: &[String], folder: &Path) -> Result<()> {
    let is_asked =
        |name: &str| asked.is_empty() || asked.iter().any(|start| name.starts_with(start.as_str()));
    let shared = root().join("../shared/scenes");
    for (name, file, unit) in LEVELS.into_iter().filter(|level| is_asked(level.0)) {
        let file = shared.join(file);
        if file.exists() {
            table(name, &file.to_string_lossy(), unit, folder)?;
        } else {
            println!("\n{name}: {} is not there", file.display());
        }
    }
    for name in SCENES.into_iter().filter(|name| is_asked(name)) {
        table(name, &scene_file(name, 1, folder)?, "1", folder)?;
    }
    if is_asked("relaxation") {
        println!("\n### cells at convexity relaxations\n");
        cargo(&["run", "--release", "--package", "waymesh-benches", "--", "storeys"], &[])?;
    }
    Ok(())
}

fn table(name: &str, file: &str, unit: &str, folder: &Path) -> Result<()> {
    println!("\n### {name}: storeys / voxels\n");
    println!(
        "| cell m | seconds | peak MiB | cells | coverage % | excess % | clearance error cm | islands | links wrong |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for cell in CELLS {
        let mut columns: [Vec<String>; 8] = Default::default();
        for pipeline in ["storeys", "voxels"] {
            let found = judged(file, unit, cell, pipeline, folder);
            let figures = found.unwrap_or_else(|error| {
                println!("| {cell} | {pipeline}: {error} |");
                Default::default()
            });
            for (column, figure) in columns.iter_mut().zip(figures) {
                column.push(figure);
            }
        }
        println!("| {cell} | {} |", columns.map(|column| column.join(" / ")).join(" | "));
    }
    Ok(())
}

/// Bakes on one thread and lets the judge look, who is told the same cells for both.
fn judged(file: &str, unit: &str, cell: &str, pipeline: &str, folder: &Path) -> Result<[String; 8]> {
    let [mesh, report] =
        ["storeys.wmesh", "storeys.json"].map(|name| folder.join(name).to_string_lossy().into_owned());
    let grid = ["--scale", unit, "--cell-size", cell, "--level-height", cell];
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
        report["cells"].to_string(),
        number(&found["coverage"], 100.0),
        number(&found["excess"]["total"], 100.0),
        number(&found["clearance_error"]["mean"], 100.0),
        links["islands"].to_string(),
        wrong.to_string(),
    ])
}
