//! `waymesh info`.

use std::io::Write;

use anyhow::Result;
use serde::Serialize;
use waymesh::{GridReport, IslandReport, NavMesh, Validate};

use crate::args::InfoArgs;

/// What `info --json` prints: the names of the bake's report where they apply.
#[derive(Debug, Serialize)]
struct Info {
    grid: GridReport,
    agent: AgentInfo,
    regions: u64,
    cells: u64,
    portals: u64,
    vertices: u64,
    mesh_area: f64,
    islands: Vec<IslandReport>,
    height_error_max: Option<f64>,
    valid: bool,
    violations: Vec<String>,
}

/// Metres and degrees.
#[derive(Debug, Serialize)]
struct AgentInfo {
    height: f32,
    radius: f32,
    max_step: f32,
    max_slope: f32,
}

fn describe(mesh: &NavMesh) -> Info {
    let frame = mesh.frame();
    let agent = mesh.agent();
    let violations = mesh
        .validate()
        .err()
        .map_or_else(Vec::new, |list| list.kept().iter().map(ToString::to_string).collect());
    let mut regions: Vec<_> = mesh.cells().map(|cell| cell.region()).collect();
    regions.sort_unstable();
    regions.dedup();
    Info {
        grid: GridReport::of(frame),
        agent: AgentInfo {
            height: agent.height,
            radius: agent.radius,
            max_step: agent.max_step,
            max_slope: agent.max_slope.to_degrees(),
        },
        regions: regions.len() as u64,
        cells: mesh.cell_count() as u64,
        portals: mesh.portal_count() as u64,
        vertices: mesh.vertices().len() as u64,
        mesh_area: mesh.area(),
        islands: IslandReport::all(mesh),
        height_error_max: mesh
            .surface()
            .map(|surface| f64::from(surface.max_error) * f64::from(frame.level_height)),
        valid: violations.is_empty(),
        violations,
    }
}

pub(crate) fn run(args: &InfoArgs) -> Result<()> {
    let mesh = waymesh::io::open(&args.mesh)?;
    let info = describe(&mesh);
    let mut out = std::io::stdout().lock();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &info)?;
        writeln!(out)?;
        return Ok(());
    }
    let (grid, agent) = (&info.grid, &info.agent);
    writeln!(out, "{}", args.mesh.display())?;
    writeln!(
        out,
        "  grid      {} x {} cells of {} m, levels of {} m",
        grid.width, grid.depth, grid.cell_size, grid.level_height
    )?;
    writeln!(
        out,
        "  agent     {} m high, radius {} m, steps of {} m, slopes of {:.1} degrees",
        agent.height, agent.radius, agent.max_step, agent.max_slope
    )?;
    writeln!(
        out,
        "  mesh      {} cells in {} regions, {} portals, {} vertices, {:.2} m2",
        info.cells, info.regions, info.portals, info.vertices, info.mesh_area
    )?;
    if let Some(error) = info.height_error_max {
        writeln!(out, "  ground    at most {error:.3} m off")?;
    }
    writeln!(out, "  islands   {}", info.islands.len())?;
    for (index, island) in info.islands.iter().enumerate() {
        writeln!(out, "    {index:3}  {} cells, {:.2} m2", island.cells, island.area)?;
    }
    writeln!(out, "  valid     {}", if info.valid { "yes" } else { "no" })?;
    for violation in &info.violations {
        writeln!(out, "    {violation}")?;
    }
    Ok(())
}
