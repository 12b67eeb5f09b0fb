//! The mesh of a game, in a file that opens in milliseconds: the bytes of [`NavMesh::to_packed`].
//!
//! Larger than a `.wmesh` and tied to a version of the library; for distribution with a program,
//! where opening time counts. A file that is mapped into memory is not even read: give the mapping
//! (of `memmap2`, say, which is unsafe because others may change the file meanwhile) to
//! [`NavMesh::from_packed_shared`].

use std::io::Write as _;
use std::path::Path;

use waymesh_graph::{NavMesh, PackedChecks};

use crate::{IoError, write_file};

/// Writes a mesh with a checksum.
///
/// # Errors
/// [`IoError::Write`] if the file cannot be made or written.
pub fn save_packed(mesh: &NavMesh, file: impl AsRef<Path>) -> Result<(), IoError> {
    write_file(file.as_ref(), |writer| writer.write_all(&mesh.to_packed(true)))
}

/// Opens a mesh: reads the file once, and the mesh lies in what was read.
///
/// # Errors
/// [`IoError::Read`] if the file cannot be read, [`IoError::InvalidMesh`] for bytes that make no
/// mesh.
pub fn open_packed(file: impl AsRef<Path>, checks: PackedChecks) -> Result<NavMesh, IoError> {
    let file = file.as_ref();
    let bytes = std::fs::read(file).map_err(|source| IoError::Read { file: file.to_owned(), source })?;
    let failed = |source| IoError::InvalidMesh { file: file.to_owned(), source };
    NavMesh::from_packed_shared(bytes, checks).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_damaged_or_absent_is_named() {
        let folder = std::env::temp_dir().join(format!("waymesh-packed-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("level.wmrun");
        assert!(matches!(open_packed(&file, PackedChecks::All), Err(IoError::Read { .. })));
        std::fs::write(&file, b"WMRUN").expect("a file");
        let error = open_packed(&file, PackedChecks::All).expect_err("five bytes are no mesh");
        assert!(matches!(error, IoError::InvalidMesh { .. }), "{error}");
        assert!(error.to_string().contains("level.wmrun"));
        std::fs::remove_dir_all(&folder).expect("gone again");
    }
}
