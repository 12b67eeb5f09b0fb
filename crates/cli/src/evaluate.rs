//! `waymesh evaluate`: judges a mesh against its scene.

use std::fmt::Display;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use waymesh::core::GridFrame;
use waymesh::fields::BAKE;
use waymesh::io::svg::{Marks, PlanMesh};
use waymesh::io::{self, AreaRules};
use waymesh::{Agent, BakeConfig, NavMesh, Observer};
use waymesh_metrics::{
    Connectivity, Evaluation, JudgedMesh, Judgement, MetricsConfig, Oracle, Paths, Violations, centimetres,
    percent,
};

use crate::args::{AGENT, EvaluateArgs};
use crate::build::warn_of_unmatched;
use crate::files;
use crate::progress::Progress;

/// A mesh to judge.
enum Mesh {
    /// A mesh of waymesh, which also answers path queries.
    Ours(Box<NavMesh>),
    /// Polygons made by any tool.
    Polygons(JudgedMesh),
}

pub(crate) fn run(args: &EvaluateArgs, json: bool) -> Result<()> {
    let inputs = args.scenes.inputs()?;
    files::check_outputs(&args.pictures.outputs()?, &inputs.files)?;
    let rules = AreaRules::parse(&args.area)?;
    let soup = io::load_with_names(&inputs.files, &args.space.load_options()?, &rules.map())?.0;
    warn_of_unmatched(&rules);
    let (mesh, bytes) = read(&args.mesh)?;
    let (agent, config) = settings(args, &mesh)?;
    let mut progress = Progress::new();
    progress.stage_started("judge");
    let oracle = Oracle::new(&soup, &agent, &config)?;
    let (judged, judgement) = match mesh {
        Mesh::Ours(mesh) => (JudgedMesh::from(&*mesh), oracle.evaluate_nav_mesh(&mesh, Some(bytes))),
        Mesh::Polygons(mesh) => {
            let mesh = mesh.with_bytes(None, Some(bytes));
            let judgement = oracle.evaluate(&mesh, None);
            (mesh, judgement)
        }
    };
    drop(progress);
    for remark in judgement.evaluation.remarks() {
        tracing::warn!("{remark}");
    }
    args.pictures.draw(|writer| draw(&judged, &judgement, writer))?;
    let mut out = files::console(args.pictures.files())?;
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
fn settings(args: &EvaluateArgs, mesh: &Mesh) -> Result<(Agent, MetricsConfig)> {
    let metrics = MetricsConfig::default();
    let mut bake = BakeConfig::default().with_scale(metrics.cell_size, metrics.level_height);
    let mut given = args.space.given.clone();
    if let Mesh::Ours(mesh) = mesh {
        let GridFrame { cell_size, level_height, .. } = *mesh.frame();
        bake = bake.with_agent(*mesh.agent()).with_scale(cell_size, level_height);
    } else {
        given.set_default("agent", AGENT);
    }
    given.apply(BAKE, &mut bake)?;
    let mut metrics = metrics.with_scale(bake.scale.cell_size, bake.scale.level_height);
    metrics.samples = args.samples.unwrap_or(metrics.samples);
    Ok((bake.agent, metrics))
}

/// Draws the mesh, the places that it misses, and the places where it should not be.
fn draw(mesh: &JudgedMesh, judgement: &Judgement, writer: &mut Vec<u8>) -> std::io::Result<()> {
    let plan = PlanMesh::new(mesh.vertices(), mesh.polygons(), mesh.neighbours());
    let (places, [missed, excess]) = (&judgement.places, judgement.legend());
    let obstructed = places.excess.iter().map(|(place, _)| *place).collect();
    let marks = [
        Marks::missing(places.missed.clone(), places.missed_side, missed),
        Marks::surplus(obstructed, places.excess_side, excess),
    ];
    io::svg::write_marked_svg(&plan, &marks, &io::SvgOptions::default(), writer)
}

fn table(out: &mut impl Write, found: &Evaluation) -> std::io::Result<()> {
    let Evaluation { standable, samples, uncertain, excess, connectivity, shape, .. } = found;
    let Evaluation { polygons, polygons_lower_bound, portals, vertices, vertices_off_border, .. } = found;
    let Evaluation { violations, violation_kinds, t_junctions, paths, .. } = found;
    let [total, solid, ceiling, wall, drop] =
        [excess.total, excess.solid, excess.ceiling, excess.wall, excess.drop].map(percent);
    let Connectivity { agree, pairs, false_links, missed_links, islands, components, .. } = connectivity;
    let undecided = pairs - agree - false_links - missed_links;
    let (height, clearance) = (found.height_error, found.clearance_error);
    let [height_mean, height_middle, height_most, height_max] =
        [height.mean, height.p50, height.p95, height.max].map(centimetres);
    let [mean, most, max] = [clearance.mean, clearance.p95, clearance.max].map(centimetres);
    let [coverage, enclosed, slivers] = [found.coverage, found.enclosed, found.slivers].map(percent);
    let [ratio, degree] =
        [shape.polygons_per_lower_bound, shape.mean_degree].map(|value| number(value, 2, ""));
    let [largest, usual] = [shape.largest_polygon, shape.mean_polygon].map(|area| number(area, 2, " m2"));
    let (angle, width) = (number(found.min_angle, 1, " degrees"), centimetres(shape.min_width));
    let Violations { overlaps, non_convex, asymmetric, cracks, .. } = violation_kinds;
    writeln!(
        out,
        "\
samples       {standable} standable of {samples}, {uncertain} uncertain
coverage      {coverage}
excess        {total}: solid {solid}, ceiling {ceiling}, wall {wall}, drop {drop}
enclosed      {enclosed} by solids
connectivity  {agree} of {pairs} pairs agree, {undecided} are undecided, {false_links} false links, {missed_links} missed links; {islands} islands, {components} components
height error  mean {height_mean}, median {height_middle}, 95 % {height_most}, largest {height_max}
clearance     mean {mean}, 95 % {most}, largest {max}
complexity    {polygons} polygons (at least {polygons_lower_bound}), {portals} portals, {vertices} vertices, {vertices_off_border} off the border
              {ratio} polygons for each that must be, {degree} neighbours a polygon, largest polygon {largest}, mean {usual}
shape         slivers {slivers}, smallest angle {angle}, smallest width {width}, {t_junctions} T-junctions
violations    {violations}: {overlaps} overlaps, {non_convex} polygons not convex, {asymmetric} links one way, {cracks} cracks"
    )?;
    if paths.pairs == 0 {
        writeln!(out, "paths         none asked for: only a .wmesh file has path queries")?;
    } else {
        let Paths { pairs, found, wrongly_missing, wrongly_found, excess_length, query_ns, .. } = paths;
        let [mean, max] = [excess_length.mean, excess_length.max].map(percent);
        let [median, most] = [query_ns.p50, query_ns.p99].map(|time| number(time, 0, " ns"));
        let wall = centimetres(paths.min_wall_distance);
        writeln!(
            out,
            "\
paths         {found} of {pairs} found, {wrongly_missing} wrongly missing, {wrongly_found} wrongly found; longer than the shortest by {mean} on average, {max} at most
              least distance to a wall {wall}; a query takes {median}, 99 % at most {most}"
        )?;
    }
    let [memory, file] = [found.bytes_memory, found.bytes_file].map(|bytes| number(bytes, 0, " bytes"));
    writeln!(out, "size          {memory} in memory, {file} in the file")
}

/// Formats a figure with its unit, or a dash if there is none.
fn number(value: Option<impl Display>, decimals: usize, unit: &str) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.decimals$}{unit}"))
}
