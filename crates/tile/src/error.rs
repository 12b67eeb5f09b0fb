//! What can go wrong with tiles.

use std::path::PathBuf;

use thiserror::Error;
use waymesh_core::stage::StageError;

use crate::Tile;

/// A world that cannot be cut, spilled, kept or resumed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TileError {
    /// More tiles than can be numbered.
    #[error(
        "tiles of {tile_cells} cells would cut the grid of {width} x {depth} into {tiles}, the limit is {limit}; use larger tiles"
    )]
    TooManyTiles {
        /// Side of a tile in cells.
        tile_cells: u32,
        /// Cells along x.
        width: u32,
        /// Cells along z.
        depth: u32,
        /// How many tiles there would be.
        tiles: u64,
        /// How many there may be.
        limit: u64,
    },
    /// The triangles could not be read.
    #[error(transparent)]
    Source(#[from] StageError),
    /// A file or folder could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// With what.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
    /// A folder holds tiles of something else.
    #[error(
        "{} holds tiles of another scene or of other settings (fingerprint {found:016x}, this bake has {expected:016x}); use another folder or empty it",
        folder.display()
    )]
    OtherBake {
        /// The folder.
        folder: PathBuf,
        /// Fingerprint of this bake.
        expected: u64,
        /// Fingerprint found there.
        found: u64,
    },
    /// A tile that should be there is not.
    #[error("tile {tile} is missing or damaged{}", folder.as_ref().map_or(String::new(), |folder| format!(" in {}", folder.display())))]
    MissingTile {
        /// The tile.
        tile: Tile,
        /// Where it was looked for, if not in memory.
        folder: Option<PathBuf>,
    },
}
