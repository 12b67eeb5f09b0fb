//! Prebaked result of a tile, and checksums.

use std::sync::Arc;

use waymesh_core::{HeightSurface, Random};
use waymesh_tile::Tile;

use super::build::BuiltTile;

/// Checksums of a tile: of its voxels, and of the result built from them and those around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Digests {
    pub(super) voxels: u64,
    pub(super) built: u64,
}

/// The prebaked result of a tile, valid while its neighbours have the same checksums.
#[derive(Clone, Debug)]
pub(super) struct Prebaked {
    pub(super) built: Arc<BuiltTile>,
    /// Its heights; none where it was written while something stood near.
    pub(super) patch: Option<Arc<HeightSurface>>,
    /// The tiles around.
    pub(super) around: Vec<(Tile, Digests)>,
}

impl Prebaked {
    /// The checksums of a tile around, of then.
    pub(super) fn had(&self, tile: Tile) -> Option<Digests> {
        self.around.iter().find(|(other, _)| *other == tile).map(|&(_, digests)| digests)
    }
}

/// Returns a checksum of bytes.
pub(super) fn digest(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let sum = words
        .iter()
        .fold(bytes.len() as u64, |sum, &word| Random::mix(sum.wrapping_add(u64::from_le_bytes(word))));
    rest.iter().fold(sum, |sum, &byte| Random::mix(sum.wrapping_add(u64::from(byte))))
}
