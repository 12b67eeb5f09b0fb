//! Files as bytes.

use std::path::Path;

use crate::IoError;

/// The bytes of a file.
pub(crate) fn read_file(file: &Path) -> Result<Vec<u8>, IoError> {
    std::fs::read(file).map_err(|source| IoError::Read { file: file.to_owned(), source })
}
