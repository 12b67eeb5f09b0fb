//! Navigation meshes in files. `waymesh_graph` documents the formats byte by byte and reads and
//! writes them in memory; a game needs no more than that.
//!
//! A packed file that is mapped into memory is not even read: give the mapping (of `memmap2`, for
//! example, which is unsafe because others may change the file meanwhile) to
//! [`NavMesh::from_packed_shared`].

use std::io::Write;
use std::path::Path;

use waymesh_graph::{MeshFormat, NavMesh, PackedChecks};

use crate::files::{read_file, write_bytes};
use crate::{DetourOptions, IoError, is_detour, parse_detour, to_detour, write_file};

/// Ending of the files that habitat-sim keeps meshes in.
const DETOUR_ENDING: &str = "navmesh";

/// A format that a mesh is saved in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SaveFormat {
    /// One of this library: `.wmesh` or `.wmrun`.
    Own(MeshFormat),
    /// `.navmesh`: [`to_detour`].
    Detour,
}

impl SaveFormat {
    /// Returns a mesh as the bytes of a file; `file` is its name in errors.
    ///
    /// # Errors
    /// [`IoError::TooMany`] for a mesh that is more than a tile of Detour's holds.
    pub fn bytes(self, mesh: &NavMesh, file: &Path) -> Result<Vec<u8>, IoError> {
        match self {
            Self::Own(format) => Ok(mesh.to_bytes(format)),
            Self::Detour => to_detour(mesh, &DetourOptions::default()).map_err(|over| {
                let (file, element) = (file.to_owned(), over.element);
                IoError::TooMany { file, element, count: over.count, limit: over.limit }
            }),
        }
    }
}

/// Returns the format of a file by its name: `.wmesh`, `.wmrun` or `.navmesh`.
///
/// # Errors
/// [`IoError::UnknownMeshFormat`] for any other ending.
pub fn mesh_format(file: &Path) -> Result<SaveFormat, IoError> {
    if file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(DETOUR_ENDING)) {
        return Ok(SaveFormat::Detour);
    }
    let own = MeshFormat::of_name(file).map(SaveFormat::Own);
    own.ok_or_else(|| IoError::UnknownMeshFormat { file: file.to_owned() })
}

/// Writes a mesh to a file, in the format that its name ends in.
///
/// # Errors
/// - [`IoError::UnknownMeshFormat`] for any other ending; nothing is written.
/// - [`IoError::TooMany`] for a mesh that the format cannot hold; nothing is written.
/// - [`IoError::Write`] if the file cannot be made or written.
pub fn save(mesh: &NavMesh, file: impl AsRef<Path>) -> Result<(), IoError> {
    let bytes = mesh_format(file.as_ref())?.bytes(mesh, file.as_ref())?;
    write_file(file, |writer| write_bytes(writer, &bytes))
}

/// Reads a mesh from a file of any format, also of Detour's. The format is known from the content,
/// not from the name.
///
/// # Errors
/// - [`IoError::Read`] if the file cannot be read.
/// - See [`parse_mesh`].
pub fn open(file: impl AsRef<Path>) -> Result<NavMesh, IoError> {
    let file = file.as_ref();
    parse_mesh(file, read_file(file)?)
}

/// Reads a packed mesh, checked as far as `checks` says. The file is read once, and the mesh lies
/// in what was read.
///
/// # Errors
/// See [`open`].
pub fn open_packed(file: impl AsRef<Path>, checks: PackedChecks) -> Result<NavMesh, IoError> {
    let file = file.as_ref();
    NavMesh::from_packed_shared(read_file(file)?, checks)
        .map_err(|source| IoError::InvalidMesh { file: file.to_owned(), source })
}

/// Reads a mesh of any format from memory. `file` names it in errors and is not opened.
///
/// # Errors
/// - [`IoError::InvalidMesh`] for bytes that make no mesh: see [`NavMesh::from_bytes`].
/// - Those of [`parse_detour`] for a file of Detour's.
pub fn parse_mesh(file: &Path, bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<NavMesh, IoError> {
    if is_detour(bytes.as_ref()) {
        return Ok(parse_detour(file, bytes.as_ref())?.mesh);
    }
    NavMesh::from_bytes(bytes).map_err(|source| IoError::InvalidMesh { file: file.to_owned(), source })
}

/// Writes a mesh as `.wmesh`.
///
/// # Errors
/// Those of the writer.
pub fn write_wmesh(mesh: &NavMesh, mut writer: impl Write) -> std::io::Result<()> {
    writer.write_all(&mesh.to_wmesh())
}
