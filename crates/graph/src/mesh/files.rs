//! A mesh as the bytes of a file, in either format.

use super::error::NavMeshError;
use super::format::MeshFormat;
use super::nav_mesh::NavMesh;
use super::packed::PackedChecks;

impl NavMesh {
    /// Returns the mesh as the bytes of a file, with a checksum.
    #[must_use]
    pub fn to_bytes(&self, format: MeshFormat) -> Vec<u8> {
        match format {
            MeshFormat::Exchange => self.to_wmesh(),
            MeshFormat::Packed => self.to_packed(true),
        }
    }

    /// Opens the bytes of a file. The format is known from its first bytes. Everything is checked: a
    /// packed mesh is opened with [`PackedChecks::All`].
    ///
    /// # Errors
    /// - [`NavMeshError::UnknownFormat`] for other files.
    /// - See [`NavMesh::from_wmesh`] and [`NavMesh::from_packed_shared`].
    pub fn from_bytes(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<Self, NavMeshError> {
        match MeshFormat::of_bytes(bytes.as_ref()) {
            Some(MeshFormat::Exchange) => Self::from_wmesh(bytes.as_ref()),
            Some(MeshFormat::Packed) => Self::from_packed_shared(bytes, PackedChecks::All),
            None => Err(NavMeshError::UnknownFormat),
        }
    }
}
