//! Errors of the crate.

use std::path::PathBuf;

use thiserror::Error;
use waymesh_core::stage::StageError;

use crate::Tile;

/// Reasons why tiles cannot be cut, spilled, kept or resumed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TileError {
    /// There are more tiles than can be numbered.
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
        /// Largest number of tiles.
        limit: u64,
    },
    /// The triangles could not be read.
    #[error(transparent)]
    Source(#[from] StageError),
    /// A file or folder could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What failed, as a verb: "read", "write a spill file in".
        action: &'static str,
        /// File or folder of the operation.
        path: PathBuf,
        /// Cause of the failure.
        source: std::io::Error,
    },
    /// A folder holds the tiles of another bake.
    #[error(
        "{} holds tiles of another scene or of other settings (fingerprint {found:016x}, this bake has {expected:016x}); use another folder or empty it",
        folder.display()
    )]
    OtherBake {
        /// The folder.
        folder: PathBuf,
        /// Fingerprint of this bake.
        expected: u64,
        /// Fingerprint found in the folder.
        found: u64,
    },
    /// A tile is missing or damaged.
    #[error("tile {tile} is missing or damaged{}", folder.as_ref().map_or(String::new(), |folder| format!(" in {}", folder.display())))]
    MissingTile {
        /// The tile.
        tile: Tile,
        /// The folder of the tile, if tiles are not kept in memory.
        folder: Option<PathBuf>,
    },
}
