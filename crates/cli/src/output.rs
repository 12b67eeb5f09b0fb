//! Files beside the mesh.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use waymesh::io::{self, GlbOptions, SvgOptions};
use waymesh::{NavMesh, Path as Route, Report};

use crate::args::Extras;

/// Draws a mesh, and a path on it.
pub(crate) fn draw(mesh: &NavMesh, path: Option<&Route>, file: &Path) -> Result<()> {
    io::write_file(file, |writer| io::write_svg(mesh, path, &SvgOptions::default(), writer))?;
    Ok(())
}

/// Writes what was asked for and names the files.
pub(crate) fn write(mesh: &NavMesh, report: &Report, extras: &Extras) -> Result<Vec<PathBuf>> {
    if let Some(file) = &extras.svg {
        draw(mesh, None, file)?;
    }
    if let Some(file) = &extras.glb {
        io::write_file(file, |writer| io::write_glb(mesh, &GlbOptions::default(), writer))?;
    }
    if let Some(file) = &extras.obj {
        io::write_file(file, |writer| io::write_obj(mesh, writer))?;
    }
    if let Some(file) = &extras.detail_obj {
        io::write_file(file, |writer| io::write_detail_obj(mesh, writer))?;
    }
    if let Some(file) = &extras.report {
        let text = serde_json::to_string_pretty(report)? + "\n";
        std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    let asked = [&extras.svg, &extras.glb, &extras.obj, &extras.detail_obj, &extras.report];
    Ok(asked.into_iter().flatten().cloned().collect())
}
