//! Files as bytes.

use std::path::Path;

use crate::IoError;

/// The bytes of a file.
pub(crate) fn read_file(file: &Path) -> Result<Vec<u8>, IoError> {
    std::fs::read(file).map_err(unread(file))
}

/// Makes the error for a file that the system does not let read.
pub(crate) fn unread(file: &Path) -> impl Fn(std::io::Error) -> IoError {
    move |source| IoError::Read { file: file.to_owned(), source }
}
