//! Models, pictures and the report of a bake.

use std::path::{Path, PathBuf};

use anyhow::Result;
use waymesh::io::{self, GlbOptions, SvgOptions};
use waymesh::{NavMesh, Report};

use crate::args::Extras;
use crate::files::{self, Output};

/// Checks the mesh file and all other output files before the work.
pub(crate) fn check(mesh: &Path, extras: &Extras, inputs: &[PathBuf]) -> Result<()> {
    let mut outputs = vec![Output { option: "--output", file: mesh, endings: &[] }];
    outputs.extend(extras.pictures.outputs()?);
    let named: [(_, &'static [&'static str], _); 4] = [
        ("--glb", &["glb"], &extras.glb),
        ("--obj", &["obj"], &extras.obj),
        ("--detail-obj", &["obj"], &extras.detail_obj),
        ("--report", &["json"], &extras.report),
    ];
    for (option, endings, file) in named {
        outputs.extend(file.iter().map(|file| Output { option, file, endings }));
    }
    files::check_outputs(&outputs, inputs)
}

/// Writes the requested files and returns their names.
pub(crate) fn write(mesh: &NavMesh, report: &Report, extras: &Extras) -> Result<Vec<PathBuf>> {
    extras.pictures.draw(|writer| io::write_svg(mesh, None, &SvgOptions::default(), writer))?;
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
