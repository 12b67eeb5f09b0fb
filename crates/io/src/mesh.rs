//! Navigation meshes in files. `waymesh_graph` documents the formats byte by byte and reads and
//! writes them in memory; a game needs no more than that.
//!
//! A packed file that is mapped into memory is not even read: give the mapping (of `memmap2`, for
//! example, which is unsafe because others may change the file meanwhile) to
//! [`NavMesh::from_packed_shared`].

use std::io::Write;
use std::path::Path;

use waymesh_graph::{MeshFormat, NavMesh, PackedChecks};

use crate::{IoError, write_file};

/// The format that the name of a file stands for: `.wmesh` or `.wmrun`.
///
/// # Errors
/// [`IoError::UnknownMeshFormat`] for any other ending.
pub fn mesh_format(file: &Path) -> Result<MeshFormat, IoError> {
    MeshFormat::of_name(file).ok_or_else(|| IoError::UnknownMeshFormat { file: file.to_owned() })
}

/// Writes a mesh to a file, in the format that its name ends in.
///
/// # Errors
/// - [`IoError::UnknownMeshFormat`] for any other ending; nothing is written.
/// - [`IoError::Write`] if the file cannot be made or written.
pub fn save(mesh: &NavMesh, file: impl AsRef<Path>) -> Result<(), IoError> {
    let format = mesh_format(file.as_ref())?;
    write_file(file, |writer| writer.write_all(&mesh.to_bytes(format)))
}

/// Reads a mesh from a file of either format. The content tells the format, not the name.
///
/// # Errors
/// [`IoError::Read`] if the file cannot be read, [`IoError::InvalidMesh`] for bytes that make no
/// mesh.
pub fn open(file: impl AsRef<Path>) -> Result<NavMesh, IoError> {
    let file = file.as_ref();
    parse_mesh(file, read(file)?)
}

/// Reads a packed mesh, checked as far as `checks` says. The file is read once, and the mesh lies
/// in what was read.
///
/// # Errors
/// See [`open`].
pub fn open_packed(file: impl AsRef<Path>, checks: PackedChecks) -> Result<NavMesh, IoError> {
    let file = file.as_ref();
    NavMesh::from_packed_shared(read(file)?, checks)
        .map_err(|source| IoError::InvalidMesh { file: file.to_owned(), source })
}

/// Reads a mesh of either format from memory. `file` names it in errors and is not opened.
///
/// # Errors
/// [`IoError::InvalidMesh`] for bytes that make no mesh: see [`NavMesh::from_bytes`].
pub fn parse_mesh(file: &Path, bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<NavMesh, IoError> {
    NavMesh::from_bytes(bytes).map_err(|source| IoError::InvalidMesh { file: file.to_owned(), source })
}

/// Writes a mesh as `.wmesh`.
///
/// # Errors
/// Those of the writer.
pub fn write_wmesh(mesh: &NavMesh, mut writer: impl Write) -> std::io::Result<()> {
    writer.write_all(&mesh.to_wmesh())
}

fn read(file: &Path) -> Result<Vec<u8>, IoError> {
    std::fs::read(file).map_err(|source| IoError::Read { file: file.to_owned(), source })
}
