//! `waymesh path`.

use std::io::Write;

use anyhow::Result;
use serde::Serialize;
use waymesh::io::{self, SvgOptions};
use waymesh::triangulate::ClearanceConfig;
use waymesh::{
    AnyCell, ClearPathOptions, ClearanceScratch, Hierarchy, HierarchyConfig, HierarchyScratch, HierarchyUse,
    NavMesh, Outcome, Path, PathOptions, PathScratch, with_clearance,
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
    /// Of the path of a disc: how near it comes to a wall, and how far its ends were moved to where it fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    clearance: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moved: Option<[f32; 2]>,
}

/// The outcome as scripts know it.
pub(crate) fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Complete => "complete",
        Outcome::Partial { .. } => "partial",
        Outcome::Unreachable => "unreachable",
    }
}

/// A path through a hierarchy; what was in its way is said aloud.
fn by_hierarchy(mesh: &NavMesh, args: &PathArgs) -> Result<Path> {
    let hierarchy = Hierarchy::new(mesh, &HierarchyConfig::default().with_min_cells(0))?;
    let mut scratch = HierarchyScratch::default();
    let options = PathOptions::default();
    let (path, how) = hierarchy.find_path_with(mesh, args.from.0, args.to.0, &options, &mut scratch)?;
    if how != HierarchyUse::Clusters {
        tracing::info!("found without the hierarchy: {how:?}");
    }
    Ok(path)
}

pub(crate) fn run(args: &PathArgs) -> Result<()> {
    let mesh = waymesh::io::open(&args.mesh)?;
    if let Some(radius) = args.radius {
        return run_for_radius(args, mesh, radius);
    }
    let mut scratch = PathScratch::default();
    let mut path = if args.shortest {
        mesh.find_shortest_path(args.from.0, args.to.0, &mut scratch)?
    } else if args.hierarchy {
        by_hierarchy(&mesh, args)?
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
            clearance: None,
            moved: None,
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

/// The path of a disc. The clearance of the ground is found on opening.
fn run_for_radius(args: &PathArgs, mesh: NavMesh, radius: f32) -> Result<()> {
    let mesh = with_clearance(mesh, &ClearanceConfig::default())?;
    let mut options = ClearPathOptions::default();
    if let Some(metres) = args.arc_error {
        options = options.with_arc_error(metres);
    }
    let mut scratch = ClearanceScratch::default();
    let path = mesh.find_path_with(args.from.0, args.to.0, radius, &options, &mut scratch)?;
    if let Some(file) = &args.svg {
        let options = SvgOptions::default();
        io::write_file(file, |writer| io::write_clear_svg(mesh.mesh(), &path, radius, &options, writer))?;
    }
    let moved = [path.start, path.goal].map(|end| end.map_or(0.0, |end| end.moved));
    let mut out = std::io::stdout().lock();
    if args.json {
        let answer = Answer {
            outcome: outcome_name(path.outcome),
            length: path.length,
            points: path.points.iter().map(|point| point.to_array()).collect(),
            cells: path.cells.iter().map(|cell| cell.0).collect(),
            clearance: Some(path.clearance).filter(|clearance| clearance.is_finite()),
            moved: Some(moved),
        };
        serde_json::to_writer_pretty(&mut out, &answer)?;
        writeln!(out)?;
        return Ok(());
    }
    writeln!(
        out,
        "{}: {:.3} m over {} cells, {} corners, {:.3} m from the nearest wall",
        outcome_name(path.outcome),
        path.length,
        path.cells.len(),
        path.corners.len(),
        path.clearance
    )?;
    for (what, metres) in ["start", "goal"].into_iter().zip(moved).filter(|(_, metres)| *metres > 0.0) {
        writeln!(out, "  the {what} was moved by {metres:.3} m to where the disc fits")?;
    }
    for point in &path.points {
        writeln!(out, "  {:.3}, {:.3}, {:.3}", point.x, point.y, point.z)?;
    }
    Ok(())
}
