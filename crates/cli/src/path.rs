//! `waymesh path`.

use std::io::Write;

use anyhow::Result;
use serde::Serialize;
use waymesh::{
    AnyCell, Hierarchy, HierarchyConfig, HierarchyScratch, HierarchyUse, NavMesh, Outcome, Path, PathOptions,
    PathScratch,
};

use crate::args::PathArgs;
use crate::output;

/// What `path --json` prints; its keys are a contract that scripts rely on.
#[derive(Debug, Serialize)]
struct Answer {
    outcome: &'static str,
    length: f32,
    points: Vec<[f32; 3]>,
    cells: Vec<u32>,
    /// How it was found, if a hierarchy was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    hierarchy: Option<&'static str>,
}

/// The outcome as scripts know it.
pub(crate) fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Complete => "complete",
        Outcome::Partial { .. } => "partial",
        Outcome::Unreachable => "unreachable",
    }
}

/// How a hierarchy was used, as scripts know it.
fn use_name(how: HierarchyUse) -> &'static str {
    match how {
        HierarchyUse::Clusters => "clusters",
        HierarchyUse::Near => "near",
        HierarchyUse::NoWay => "no way",
        _ => "not used",
    }
}

fn by_hierarchy(mesh: &NavMesh, args: &PathArgs) -> Result<(Path, HierarchyUse)> {
    let hierarchy = Hierarchy::new(mesh, &HierarchyConfig::default().with_min_cells(0))?;
    let mut scratch = HierarchyScratch::default();
    Ok(hierarchy.find_path_with(mesh, args.from.0, args.to.0, &PathOptions::default(), &mut scratch)?)
}

pub(crate) fn run(args: &PathArgs) -> Result<()> {
    let mesh = waymesh::io::open(&args.mesh)?;
    let mut scratch = PathScratch::default();
    let mut how = None;
    let mut path = if args.shortest {
        mesh.find_shortest_path(args.from.0, args.to.0, &mut scratch)?
    } else if args.hierarchy {
        let (path, by) = by_hierarchy(&mesh, args)?;
        how = Some(use_name(by));
        path
    } else {
        mesh.find_path(args.from.0, args.to.0, &mut scratch)?
    };
    if args.corner_offset != 0.0 {
        let mut wide = Path::default();
        mesh.offset_corners(&path, args.corner_offset, &AnyCell, &mut Vec::new(), &mut wide)?;
        path = wide;
    }
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
            hierarchy: how,
        };
        serde_json::to_writer_pretty(&mut out, &answer)?;
        writeln!(out)?;
        return Ok(());
    }
    writeln!(out, "{}: {:.3} m over {} cells", outcome_name(path.outcome), path.length, path.cells.len())?;
    if let Some(how) = how {
        writeln!(out, "hierarchy: {how}")?;
    }
    for point in &path.points {
        writeln!(out, "  {:.3}, {:.3}, {:.3}", point.x, point.y, point.z)?;
    }
    Ok(())
}
