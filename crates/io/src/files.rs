//! Files as bytes.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use waymesh_core::checkpoint;

use crate::IoError;

/// Bytes that are read or written between two checkpoints: milliseconds on a disk.
const BYTES_PER_CHECKPOINT: usize = 1 << 22;

/// The bytes of a file.
pub(crate) fn read_file(file: &Path) -> Result<Vec<u8>, IoError> {
    read_whole(file).map_err(unread(file))
}

fn read_whole(file: &Path) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(file)?;
    let mut bytes = Vec::new();
    let length = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
    bytes.try_reserve_exact(length).map_err(|_| ErrorKind::OutOfMemory)?;
    while (&mut file).take(BYTES_PER_CHECKPOINT as u64).read_to_end(&mut bytes)? > 0 {
        checkpoint();
    }
    Ok(bytes)
}

/// Writes the bytes of a file.
pub(crate) fn write_bytes(writer: &mut impl Write, bytes: &[u8]) -> std::io::Result<()> {
    bytes.chunks(BYTES_PER_CHECKPOINT).try_for_each(|part| {
        checkpoint();
        writer.write_all(part)
    })
}

/// Makes the error for a file that the system does not let read.
pub(crate) fn unread(file: &Path) -> impl Fn(std::io::Error) -> IoError {
    move |source| IoError::Read { file: file.to_owned(), source }
}
