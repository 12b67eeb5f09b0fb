//! `waymesh pack`: writes a mesh in another format.

use std::path::PathBuf;

use anyhow::Result;
use waymesh::graph::MeshFormat;

use crate::args::PackArgs;
use crate::files::{self, Output};

pub(crate) fn run(args: &PackArgs, json: bool) -> Result<()> {
    let name = args.mesh.file_name().unwrap_or(args.mesh.as_os_str());
    let output = args
        .output
        .clone()
        .unwrap_or_else(|| PathBuf::from(name).with_extension(MeshFormat::Packed.ending()));
    let format = files::mesh_format(&output, MeshFormat::Packed)?;
    let inputs = std::slice::from_ref(&args.mesh);
    files::check_outputs(&[Output { option: "--output", file: &output, endings: &[] }], inputs)?;
    let mesh = files::open_mesh(&args.mesh)?;
    let bytes = files::mesh_bytes(&mesh, format, &output)?;
    files::write(&output, |writer| writer.write_all(&bytes))?;
    files::list(&[output], json)
}
