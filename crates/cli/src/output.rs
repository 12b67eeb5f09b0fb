//! Pictures, models and the report, written beside the mesh.

use std::path::{Path, PathBuf};

use anyhow::Result;
use waymesh::io::{self, GlbOptions, SvgOptions};
use waymesh::{NavMesh, Path as Route, Report};

use crate::args::Extras;
use crate::files;

/// Draws a mesh, and a path on it.
pub(crate) fn draw(mesh: &NavMesh, path: Option<&Route>, file: &Path) -> Result<()> {
    files::write(file, |writer| io::write_svg(mesh, path, &SvgOptions::default(), writer))
}

/// Writes the files that were asked for and returns their names.
pub(crate) fn write(mesh: &NavMesh, report: &Report, extras: &Extras) -> Result<Vec<PathBuf>> {
    if let Some(file) = &extras.svg {
        draw(mesh, None, file)?;
    }
    if let Some(file) = &extras.glb {
        files::write(file, |writer| io::write_glb(mesh, &GlbOptions::default(), writer))?;
    }
    if let Some(file) = &extras.obj {
        files::write(file, |writer| io::write_obj(mesh, writer))?;
    }
    if let Some(file) = &extras.detail_obj {
        files::write(file, |writer| io::write_detail_obj(mesh, writer))?;
    }
    if let Some(file) = &extras.report {
        files::write(file, |mut writer| {
            serde_json::to_writer_pretty(&mut writer, report)?;
            writer.write_all(b"\n")
        })?;
    }
    Ok(extras.files().cloned().collect())
}
