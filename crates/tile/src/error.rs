//! Errors of the crate.

use std::path::{Path, PathBuf};

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
        /// Number of tiles of the layout.
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
        /// The failed action, as a verb: "read", "write a spill file in".
        action: &'static str,
        /// File or folder of the operation.
        path: PathBuf,
        /// Cause of the failure.
        source: std::io::Error,
    },
    /// A folder holds the tiles of another bake.
    #[error(
        "{} holds tiles of another scene or of other settings (fingerprint {found:016x}, this bake has {expected:016x}); give the scene and the settings of its tiles, or another folder, or let an update (`--update`, `Voxels::update`) keep the tiles that are the same",
        path.display()
    )]
    OtherBake {
        /// The folder, or the file of one tile.
        path: PathBuf,
        /// Fingerprint of this bake.
        expected: u64,
        /// Fingerprint found there.
        found: u64,
    },
    /// A folder or a tile that another version of the program wrote.
    #[error(
        "{} was written by another version: {found}, this one is {expected}; build the tiles again in another folder",
        path.display()
    )]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// Version of this program.
        expected: String,
        /// Version found in the file.
        found: String,
    },
    /// A file that is not the whole file of a tile.
    #[error("{} is damaged: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Description of the damage.
        what: &'static str,
    },
    /// Tiles that a merge needs are missing or damaged.
    #[error(
        "{} of {tiles} tiles are missing or damaged in {}: {}",
        missing.len(),
        folder.display(),
        names(missing)
    )]
    MissingTiles {
        /// The tiles, row by row.
        missing: Vec<Tile>,
        /// All tiles of the world.
        tiles: usize,
        /// The folder.
        folder: PathBuf,
    },
    /// A tile that the world does not have.
    #[error("there is no tile {tile}: the world has {columns} x {rows} tiles, numbered from 0,0")]
    NoSuchTile {
        /// The requested tile, as column and row.
        tile: Tile,
        /// Tiles along x.
        columns: u32,
        /// Tiles along z.
        rows: u32,
    },
    /// Tiles of a world are written as they are after an update.
    #[error("the world has changed since its last update; update it, then write its tiles")]
    NotUpdated,
    /// A tile built alone has to be kept somewhere.
    #[error("a tile built alone needs a folder to be kept in")]
    NoFolder,
    /// A folder that holds no tiles.
    #[error("{} is not a folder of waymesh tiles", folder.display())]
    NotTiles {
        /// The folder.
        folder: PathBuf,
    },
    /// The index of a part of the tiles is out of range.
    #[error("index {index} of {of} parts: indices run from 0 to one less than the parts")]
    NoSuchShare {
        /// Index of the part.
        index: u32,
        /// Number of parts.
        of: u32,
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

impl TileError {
    /// Returns the error for a tile's file that holds another tile.
    #[must_use]
    pub fn other_tile(path: &Path) -> Self {
        Self::Damaged { path: path.to_owned(), what: "it holds another tile than its name says" }
    }
}

/// Returns the names of the tiles, shortened if there are many.
fn names(tiles: &[Tile]) -> String {
    const SHOWN: usize = 20;
    let mut names: Vec<String> = tiles.iter().take(SHOWN).map(ToString::to_string).collect();
    if tiles.len() > SHOWN {
        names.push(format!("and {} more", tiles.len() - SHOWN));
    }
    names.join(" ")
}
