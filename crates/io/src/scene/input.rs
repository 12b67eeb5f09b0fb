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

    pub(crate) fn out_of_range(
        &self,
        place: Place,
        what: &'static str,
        index: impl TryInto<i64>,
        count: usize,
    ) -> IoError {
        let index = index.try_into().unwrap_or(i64::MAX);
        IoError::IndexOutOfRange { file: self.file.to_owned(), place, what, index, count }
    }

    /// Returns the element of a table that `place` names.
    pub(crate) fn get<'t, T>(
        &self,
        table: &'t [T],
        index: usize,
        what: &'static str,
        place: Place,
    ) -> Result<&'t T, IoError> {
        table.get(index).ok_or_else(|| self.out_of_range(place, what, index, table.len()))
    }

    pub(crate) fn too_many(&self, element: &'static str, count: u64, limit: u64) -> IoError {
        IoError::TooMany { file: self.file.to_owned(), element, count, limit }
    }

    /// Returns the number of the vertex that follows `count` others, if 32 bits hold it.
    pub(super) fn vertex_after(&self, count: usize) -> Result<u32, IoError> {
        let too_many = |_| self.too_many("vertices", count as u64 + 1, u32::MAX.into());
        u32::try_from(count).map_err(too_many)
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
        Err(self.too_many("corners of all instances", corners, limit))
    }

    pub(super) fn syntax(
        &self,
        part: &'static str,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> IoError {
        IoError::Syntax { file: self.file.to_owned(), part, source: source.into() }
    }

    pub(crate) fn unsupported(&self, feature: impl Into<String>) -> IoError {
        IoError::Unsupported { file: self.file.to_owned(), feature: feature.into() }
    }
}
