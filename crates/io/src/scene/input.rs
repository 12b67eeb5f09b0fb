//! A file being read, and the errors about it.

use std::path::Path;

use crate::{IoError, Place};

/// A file being read.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) file: &'a Path,
    pub(crate) bytes: &'a [u8],
}

impl Source<'_> {
    pub(crate) fn malformed(
        &self,
        place: Place,
        expected: &'static str,
        found: impl Into<String>,
    ) -> IoError {
        IoError::Malformed { file: self.file.to_owned(), place, expected, found: found.into() }
    }

    #[cfg(not(all(feature = "cityjson", feature = "gltf", feature = "heights", feature = "ply")))]
    pub(super) fn feature_off(&self, feature: &'static str) -> IoError {
        IoError::FeatureOff { file: self.file.to_owned(), feature }
    }

    pub(crate) fn truncated(&self, place: Place, needed: u64, available: u64) -> IoError {
        IoError::Truncated { file: self.file.to_owned(), place, needed, available }
    }

    pub(crate) fn out_of_range(&self, place: Place, what: &'static str, index: i64, count: usize) -> IoError {
        IoError::IndexOutOfRange { file: self.file.to_owned(), place, what, index, count }
    }

    pub(crate) fn too_many_vertices(&self, count: u64) -> IoError {
        let (file, limit) = (self.file.to_owned(), u64::from(u32::MAX));
        IoError::TooMany { file, element: "vertices", count, limit }
    }

    /// Limits what instances make of a file: a corner takes 16 bytes. A forest of 10,000 trees of
    /// 1,000 triangles in a file of 1 MB takes half of that.
    #[cfg(any(feature = "cityjson", feature = "gltf"))]
    pub(super) fn check_instances(&self, corners: u64, file_bytes: u64) -> Result<(), IoError> {
        const CORNERS_PER_BYTE: u64 = 64;
        const FREE_CORNERS: u64 = 1 << 24;
        let limit = file_bytes.saturating_mul(CORNERS_PER_BYTE).saturating_add(FREE_CORNERS);
        if corners <= limit {
            return Ok(());
        }
        let file = self.file.to_owned();
        Err(IoError::TooMany { file, element: "corners of all instances", count: corners, limit })
    }

    pub(super) fn syntax(
        &self,
        part: &'static str,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> IoError {
        IoError::Syntax { file: self.file.to_owned(), part, source: source.into() }
    }

    pub(super) fn unsupported(&self, feature: impl Into<String>) -> IoError {
        IoError::Unsupported { file: self.file.to_owned(), feature: feature.into() }
    }
}
