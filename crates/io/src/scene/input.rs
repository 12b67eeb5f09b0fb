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

    #[cfg(not(all(feature = "gltf", feature = "heights", feature = "ply")))]
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
