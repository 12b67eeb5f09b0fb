//! `waymesh build`.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use waymesh::io::SceneSource;
use waymesh::{
    Bake, IslandReport, JumpConfig, Keep, Pipeline, Report, SlicesOptions, StoreysOptions, TriangleSoup,
    find_jumps,
};

use crate::args::{BuildArgs, Extras, Jumps, KeepKind, PipelineKind, Settings};
use crate::progress::Progress;
use crate::{files, output, peak_memory_bytes, settings, upright};

pub(crate) fn run(args: BuildArgs, json: bool) -> Result<()> {
    let settings = match &args.config {
        Some(file) => args.settings.clone().or(settings::read(file)?),
        None => args.settings.clone(),
    };
    if args.pipeline != Some(PipelineKind::Storeys) && (!args.seed.is_empty() || args.keep.is_some()) {
        bail!("--seed and --keep need --pipeline storeys");
    }
    let inputs = args.scenes.inputs()?;
    let mesh_file = args.output.clone().unwrap_or_else(|| default_output(&inputs.files[0]));
    let whole = match args.pipeline {
        Some(PipelineKind::Slices) => Some(slices(&args, &settings, &inputs.files)?),
        Some(PipelineKind::Storeys) => Some(storeys(&args, &settings, &inputs.files)?),
        Some(PipelineKind::Voxels) | None => None,
    };
    if let Some(bake) = whole {
        if args.jumps.jumps {
            bail!("--jumps needs --pipeline voxels");
        }
        return write(&bake, mesh_file, &args.extras, json);
    }
    let load_options = settings::load_options(settings.up, settings.scale);
    let source = SceneSource::open(&inputs.files, &load_options)?;
    let pipeline = Pipeline::new(settings.bake_config().with_validate_stages(args.check));
    if let Some(soup) = source.soup() {
        upright::check(soup, load_options.up, pipeline.config().agent.max_slope);
    }
    let bake = match source.soup() {
        Some(soup) if args.tiles.are_untiled() => with_jumps(bake(&pipeline, soup)?, soup, &args.jumps)?,
        _ if args.jumps.jumps => bail!("--jumps needs the whole scene at once: it cannot be used with tiles"),
        _ => measured(pipeline.bake_tiled(&source, &args.tiles.config(&settings)?, &mut Progress::new())?),
    };
    write(&bake, mesh_file, &args.extras, json)
}

/// Adds the jumps and drops that were asked for.
fn with_jumps(mut bake: Bake, soup: &TriangleSoup, jumps: &Jumps) -> Result<Bake> {
    if !jumps.jumps {
        return Ok(bake);
    }
    let defaults = JumpConfig::default();
    let config = defaults
        .with_max_length(jumps.jump_length.unwrap_or(defaults.max_length))
        .with_max_rise(jumps.jump_rise.unwrap_or(defaults.max_rise))
        .with_max_drop(jumps.drop_height.unwrap_or(defaults.max_drop));
    let mut links = bake.mesh.links().to_vec();
    links.extend(find_jumps(&bake.mesh, soup, &config)?);
    bake.report.links = links.len() as u64;
    bake.mesh = bake.mesh.with_links(links)?;
    Ok(bake)
}

/// Bakes flat slices.
fn slices(args: &BuildArgs, settings: &Settings, scenes: &[PathBuf]) -> Result<Bake> {
    let soup = waymesh::io::load_with(scenes, &settings::load_options(settings.up, settings.scale))?;
    let defaults = SlicesOptions::default();
    let options = defaults
        .with_tile_cells(args.tiles.tile.unwrap_or(defaults.tile_cells))
        .with_max_edge_error(settings.max_edge_error.unwrap_or(defaults.max_edge_error));
    let config = settings.bake_config_over(Pipeline::slices().config()).with_validate_stages(args.check);
    Ok(measured(Pipeline::new(config).bake_slices(&soup, &options, &mut Progress::new())?))
}

/// Bakes storeys.
fn storeys(args: &BuildArgs, settings: &Settings, scenes: &[PathBuf]) -> Result<Bake> {
    let soup = waymesh::io::load_with(scenes, &settings::load_options(settings.up, settings.scale))?;
    let defaults = StoreysOptions::default();
    let tile_cells = args.tiles.tile.unwrap_or(defaults.tile_cells);
    let keep = if args.keep == Some(KeepKind::Largest) { Keep::Largest } else { Keep::All };
    let seeds = args.seed.iter().map(|seed| seed.0).collect();
    let options = defaults.with_tile_cells(tile_cells).with_seeds(seeds).with_keep(keep);
    let config = settings.bake_config_over(Pipeline::storeys().config()).with_validate_stages(args.check);
    Ok(measured(Pipeline::new(config).bake_storeys(&soup, &options, &mut Progress::new())?))
}

/// Writes the mesh and what was asked for beside it, and says so.
pub(crate) fn write(bake: &Bake, mesh_file: PathBuf, extras: &Extras, json: bool) -> Result<()> {
    write_summed_up(bake, mesh_file, extras, json, |out| summary(out, &bake.report))
}

/// As [`write`], with another summary.
pub(crate) fn write_summed_up(
    bake: &Bake,
    mesh_file: PathBuf,
    extras: &Extras,
    json: bool,
    summary: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<()> {
    let mut out = files::console(extras.files().chain([&mesh_file]))?;
    files::write(&mesh_file, |writer| waymesh::io::write_wmesh(&bake.mesh, writer))?;
    let mut files = vec![mesh_file];
    files.extend(output::write(&bake.mesh, &bake.report, extras)?);
    if json {
        return files::write_json(&mut out, &bake.report);
    }
    summary(&mut out).context("cannot print")?;
    files::list_lines(&mut out, &files)
}

/// Bakes with progress on a terminal.
pub(crate) fn bake(pipeline: &Pipeline, soup: &TriangleSoup) -> Result<Bake> {
    Ok(measured(pipeline.bake_observed(soup, &mut Progress::new())?))
}

/// Adds to the report what only the program can measure.
pub(crate) fn measured(mut bake: Bake) -> Bake {
    bake.report.peak_memory_bytes = Some(peak_memory_bytes());
    bake
}

/// The scene's name with the ending of a mesh, in the current folder.
pub(crate) fn default_output(scene: &Path) -> PathBuf {
    Path::new(scene.file_name().unwrap_or(scene.as_os_str())).with_extension("wmesh")
}

/// How many there are, and how many over links if that is another number.
pub(crate) fn islands(islands: &[IslandReport]) -> String {
    let (count, pieces) = (islands.len(), IslandReport::pieces(islands));
    if pieces == count {
        format!("{count} islands")
    } else {
        format!("{count} islands ({pieces} over links)")
    }
}

/// The figures that one looks at first.
pub(crate) fn summary(mut out: impl Write, report: &Report) -> std::io::Result<()> {
    writeln!(
        out,
        "{} triangles, grid {} x {}, {} polygons on {}, {:.1} m2, ground at most {:.2} m off, {:.0} ms",
        report.triangles,
        report.grid.width,
        report.grid.depth,
        report.polygons,
        islands(&report.islands),
        report.mesh_area,
        report.height_error_max,
        report.seconds * 1e3
    )
}
