//! `waymesh path`.

use std::io::Write;

use anyhow::Result;
use serde::Serialize;
use waymesh::{Outcome, PathScratch};

use crate::args::PathArgs;
use crate::output;

/// What `path --json` prints; its keys are a contract that scripts rely on.
#[derive(Debug, Serialize)]
struct Answer {
    outcome: &'static str,
    length: f32,
    points: Vec<[f32; 3]>,
    cells: Vec<u32>,
}

/// The outcome as scripts know it.
pub(crate) fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Complete => "complete",
        Outcome::Partial { .. } => "partial",
        Outcome::Unreachable => "unreachable",
    }
}

pub(crate) fn run(args: &PathArgs) -> Result<()> {
    let mesh = waymesh::io::open(&args.mesh)?;
    let mut scratch = PathScratch::default();
    let path = if args.shortest {
        mesh.find_shortest_path(args.from.0, args.to.0, &mut scratch)?
    } else {
        mesh.find_path(args.from.0, args.to.0, &mut scratch)?
    };
    if let Some(file) = &args.svg {
        output::draw(&mesh, Some(&path), file)?;
    }
    let mut out = std::io::stdout().lock();
    if args.json {
        let answer = Answer {
            outcome: outcome_name(path.outcome),
            length: path.length,
            points: path.points.iter().map(|point| point.to_array()).collect(),
            cells: path.cells.iter().map(|cell| cell.0).collect(),
        };
        serde_json::to_writer_pretty(&mut out, &answer)?;
        writeln!(out)?;
        return Ok(());
    }
    writeln!(out, "{}: {:.3} m over {} cells", outcome_name(path.outcome), path.length, path.cells.len())?;
    for point in &path.points {
        writeln!(out, "  {:.3}, {:.3}, {:.3}", point.x, point.y, point.z)?;
    }
    Ok(())
}
