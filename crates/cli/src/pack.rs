//! `waymesh pack`: writes a mesh in another format.

use std::path::PathBuf;

use anyhow::Result;
use waymesh::NavMesh;
use waymesh::bake::HeadRoomReport;
use waymesh::graph::MeshFormat;
use waymesh::io::SaveFormat;

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
    if format == SaveFormat::Detour {
        warn_of_losses(&mesh);
    }
    let bytes = format.bytes(&mesh, &output)?;
    files::write(&output, |writer| writer.write_all(&bytes))?;
    files::list(&[output], json)
}

/// Warns of what a file of Detour has no place for: its readers take their own defaults.
fn warn_of_losses(mesh: &NavMesh) {
    let has_costs = mesh.area_table().iter().any(|(_, area)| (area.cost - 1.0).abs() > 0.0);
    let losses = [
        (true, "the steepest slope of the agent"),
        (has_costs, "costs of areas"),
        (!HeadRoomReport::all(mesh).is_empty(), "classes of head room"),
    ];
    let losses: Vec<_> = losses.into_iter().filter(|(is_lost, _)| *is_lost).map(|(_, what)| what).collect();
    tracing::warn!("files of Detour do not have {}", losses.join(", "));
}
