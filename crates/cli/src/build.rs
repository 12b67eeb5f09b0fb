//! `waymesh build`.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use waymesh::{Bake, Pipeline, Report, TriangleSoup};

use crate::args::BuildArgs;
use crate::progress::Progress;
use crate::{output, peak_memory_bytes, settings};

pub(crate) fn run(args: BuildArgs) -> Result<()> {
    let settings = match &args.config {
        Some(file) => args.settings.or(settings::read(file)?),
        None => args.settings,
    };
    let soup = waymesh::io::load_with(&args.scenes, &settings::load_options(settings.up, settings.scale))?;
    let config = settings.bake_config().with_validate_stages(args.check);
    let bake = bake(&Pipeline::new(config), &soup)?;
    let mesh_file = args.output.unwrap_or_else(|| default_output(&args.scenes[0]));
    waymesh::io::save(&bake.mesh, &mesh_file)?;
    let files = output::write(&bake.mesh, &bake.report, &args.extras)?;
    let mut out = std::io::stdout().lock();
    summary(&mut out, &bake.report).context("cannot print")?;
    for file in std::iter::once(&mesh_file).chain(&files) {
        writeln!(out, "{}", file.display())?;
    }
    Ok(())
}

/// Bakes with progress on a terminal, and adds to the report what only the program can measure.
pub(crate) fn bake(pipeline: &Pipeline, soup: &TriangleSoup) -> Result<Bake> {
    let mut bake = pipeline.bake_observed(soup, &mut Progress::new())?;
    bake.report.peak_memory_bytes = Some(peak_memory_bytes());
    Ok(bake)
}

/// The scene's name with the ending of a mesh, in the current folder.
fn default_output(scene: &Path) -> PathBuf {
    Path::new(scene.file_name().unwrap_or(scene.as_os_str())).with_extension("wmesh")
}

/// The figures that one looks at first.
pub(crate) fn summary(out: &mut impl Write, report: &Report) -> std::io::Result<()> {
    writeln!(
        out,
        "{} triangles, grid {} x {}, {} cells on {} islands, {:.1} m2, ground at most {:.2} m off, {:.0} ms",
        report.triangles,
        report.grid.width,
        report.grid.depth,
        report.cells,
        report.islands.len(),
        report.mesh_area,
        report.height_error_max,
        report.seconds * 1e3
    )
}
