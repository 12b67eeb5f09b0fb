//! `waymesh evaluate`: judges a mesh against its scene.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use waymesh::io::svg::{Marks, PlanMesh};
use waymesh::io::{self, AreaRules};
use waymesh::{Agent, NavMesh};
use waymesh_metrics::{Evaluation, JudgedMesh, Judgement, MetricsConfig, Oracle, centimetres, percent};

use crate::args::EvaluateArgs;
use crate::build::warn_of_unmatched;
use crate::files;
use crate::settings::set;

/// A mesh to judge.
enum Mesh {
    /// A mesh of waymesh, which also answers path queries.
    Ours(Box<NavMesh>),
    /// Polygons made by any tool.
    Polygons(JudgedMesh),
}

pub(crate) fn run(args: &EvaluateArgs, json: bool) -> Result<()> {
    let inputs = args.scenes.inputs()?;
    let rules = Arc::new(AreaRules::parse(&args.area)?);
    let soup = io::load_with_areas(&inputs.files, &args.space.load_options(), &rules.map())?;
    warn_of_unmatched(&rules);
    let (mesh, bytes) = read(&args.mesh)?;
    let (agent, config) = settings(args, &mesh);
    let oracle = Oracle::new(&soup, &agent, &config)?;
    let (judged, judgement) = match mesh {
        Mesh::Ours(mesh) => (JudgedMesh::from(&*mesh), oracle.evaluate_nav_mesh(&mesh, Some(bytes))),
        Mesh::Polygons(mesh) => {
            let mesh = mesh.with_bytes(None, Some(bytes));
            let judgement = oracle.evaluate(&mesh, None);
            (mesh, judgement)
        }
    };
    for remark in judgement.evaluation.remarks() {
        tracing::warn!("{remark}");
    }
    if let Some(file) = &args.svg {
        draw(&judged, &judgement, file)?;
    }
    let mut out = files::console(&args.svg)?;
    if json {
        return files::write_json(&mut out, &judgement.evaluation);
    }
    Ok(table(&mut out, &judgement.evaluation)?)
}

/// Reads a mesh, or polygons from a file that ends in `.obj`. Returns the size of the file in bytes
/// too.
fn read(file: &Path) -> Result<(Mesh, u64)> {
    let bytes = files::read(file)?;
    let length = bytes.len() as u64;
    if !file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("obj")) {
        return Ok((Mesh::Ours(Box::new(files::parse_mesh(file, bytes)?)), length));
    }
    let polygons = io::parse_polygons(file, &bytes)?;
    let mesh = JudgedMesh::new(&polygons.vertices, polygons.polygons)
        .and_then(|mesh| mesh.with_ground(&polygons.ground))
        .with_context(|| format!("{} is no mesh", file.display()))?;
    Ok((Mesh::Polygons(mesh), length))
}

/// Returns agent and settings: the arguments, else what the mesh states, else the defaults.
fn settings(args: &EvaluateArgs, mesh: &Mesh) -> (Agent, MetricsConfig) {
    let mut config = MetricsConfig::default();
    let mut agent = Agent::default();
    if let Mesh::Ours(mesh) = mesh {
        agent = *mesh.agent();
        config = config.with_scale(mesh.frame().cell_size, mesh.frame().level_height);
    }
    args.space.set_agent(&mut agent);
    set(&mut config.cell_size, args.space.cell_size);
    set(&mut config.level_height, args.space.level_height);
    set(&mut config.samples, args.samples);
    (agent, config)
}

/// Draws the mesh, the places that it misses, and the places where it should not be.
fn draw(mesh: &JudgedMesh, judgement: &Judgement, file: &Path) -> Result<()> {
    let plan = PlanMesh::new(mesh.vertices(), mesh.polygons(), mesh.neighbours());
    let (places, [missed, excess]) = (&judgement.places, judgement.legend());
    let obstructed = places.excess.iter().map(|(place, _)| *place).collect();
    let marks = [
        Marks::missing(places.missed.clone(), places.missed_side, missed),
        Marks::surplus(obstructed, places.excess_side, excess),
    ];
    files::write(file, |writer| io::svg::write_marked_svg(&plan, &marks, &io::SvgOptions::default(), writer))
}

fn table(out: &mut impl Write, found: &Evaluation) -> std::io::Result<()> {
    let Evaluation { excess, connectivity, height_error, clearance_error, paths, .. } = found;
    writeln!(
        out,
        "samples       {} standable of {}, {} uncertain",
        found.standable, found.samples, found.uncertain
    )?;
    writeln!(out, "coverage      {}", percent(found.coverage))?;
    writeln!(
        out,
        "excess        {}: solid {}, ceiling {}, wall {}, drop {}",
        percent(excess.total),
        percent(excess.solid),
        percent(excess.ceiling),
        percent(excess.wall),
        percent(excess.drop)
    )?;
    writeln!(out, "enclosed      {} by solids", percent(found.enclosed))?;
    writeln!(
        out,
        "connectivity  {} of {} pairs agree, {} false links, {} missed links; {} islands, {} components",
        connectivity.agree,
        connectivity.pairs,
        connectivity.false_links,
        connectivity.missed_links,
        connectivity.islands,
        connectivity.components
    )?;
    writeln!(
        out,
        "height error  mean {}, median {}, 95 % {}, largest {}",
        centimetres(height_error.mean),
        centimetres(height_error.p50),
        centimetres(height_error.p95),
        centimetres(height_error.max)
    )?;
    writeln!(
        out,
        "clearance     mean {}, 95 % {}, largest {}",
        centimetres(clearance_error.mean),
        centimetres(clearance_error.p95),
        centimetres(clearance_error.max)
    )?;
    writeln!(
        out,
        "complexity    {} polygons (at least {}), {} portals, {} vertices, {} off the border",
        found.polygons, found.polygons_lower_bound, found.portals, found.vertices, found.vertices_off_border
    )?;
    let angle = found.min_angle.map_or_else(|| "-".to_owned(), |angle| format!("{angle:.1} degrees"));
    let number = |value: Option<f64>, unit: &str| {
        value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}{unit}"))
    };
    let (shape, kinds) = (&found.shape, &found.violation_kinds);
    writeln!(
        out,
        "              {} polygons for each that must be, {} neighbours a polygon, largest polygon {}, mean {}",
        number(shape.polygons_per_lower_bound, ""),
        number(shape.mean_degree, ""),
        number(shape.largest_polygon, " m2"),
        number(shape.mean_polygon, " m2")
    )?;
    writeln!(
        out,
        "shape         slivers {}, smallest angle {angle}, smallest width {}, {} T-junctions",
        percent(found.slivers),
        centimetres(shape.min_width),
        found.t_junctions
    )?;
    writeln!(
        out,
        "violations    {}: {} overlaps, {} polygons not convex, {} links one way, {} cracks",
        found.violations, kinds.overlaps, kinds.non_convex, kinds.asymmetric, kinds.cracks
    )?;
    if paths.pairs == 0 {
        writeln!(out, "paths         none asked for: only a .wmesh file has path queries")?;
        return size(out, found);
    }
    writeln!(
        out,
        "paths         {} of {} found, {} wrongly missing, {} wrongly found; longer than the shortest by {} on average, {} at most",
        paths.found,
        paths.pairs,
        paths.wrongly_missing,
        paths.wrongly_found,
        percent(paths.excess_length.mean),
        percent(paths.excess_length.max)
    )?;
    let time = |time: Option<u64>| time.map_or_else(|| "-".to_owned(), |time| format!("{time} ns"));
    writeln!(
        out,
        "              least distance to a wall {}; a query takes {}, 99 % at most {}",
        centimetres(paths.min_wall_distance),
        time(paths.query_ns.p50),
        time(paths.query_ns.p99)
    )?;
    size(out, found)
}

fn size(out: &mut impl Write, found: &Evaluation) -> std::io::Result<()> {
    let bytes = |bytes: Option<u64>| bytes.map_or_else(|| "-".to_owned(), |bytes| format!("{bytes} bytes"));
    writeln!(
        out,
        "size          {} in memory, {} in the file",
        bytes(found.bytes_memory),
        bytes(found.bytes_file)
    )
}
