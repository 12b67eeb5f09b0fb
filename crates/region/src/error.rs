//! The errors of this crate.

use thiserror::Error;
use waymesh_core::{BadField, GridWindow, SpanKey};

/// The reason why a partition failed.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RegionError {
    /// A configuration field is out of its range.
    #[error(transparent)]
    BadField(#[from] BadField),
    /// The core of a part is not a rectangle of whole blocks, or does not lie in the grid.
    #[error("the core {core:?} is not made of whole blocks of a grid of {width} x {depth} cells")]
    NotWholeBlocks {
        /// Core of the part.
        core: GridWindow,
        /// Cells of the grid along x.
        width: u32,
        /// Cells of the grid along z.
        depth: u32,
    },
    /// The bytes do not encode valid pieces.
    #[error("pieces are damaged near byte {byte}: {what}")]
    DamagedPieces {
        /// Position of the byte at which the damage was found.
        byte: usize,
        /// Description of the damage.
        what: &'static str,
    },
    /// Two tiles do not belong to one bake: their grids or their configurations differ.
    #[error("tile {tile} has another grid or another configuration than tile 0")]
    TilesDiffer {
        /// Index of the tile in the list.
        tile: usize,
    },
    /// Two tiles hold the same span in their cores.
    #[error("two tiles hold the span at cell ({}, {}), level {}", key.x, key.z, key.floor)]
    TilesOverlap {
        /// The span.
        key: SpanKey,
    },
    /// Two adjacent tiles do not agree on a link between them.
    #[error("the tiles on both sides of cell ({}, {}), level {} do not fit together", key.x, key.z, key.floor)]
    TilesDisagree {
        /// The span with the link.
        key: SpanKey,
    },
    /// The tile was not joined, or it has changed since.
    #[error("the part with core {core:?} is not among those that were joined")]
    UnknownTile {
        /// Core of the part.
        core: GridWindow,
    },
    /// The number of pieces exceeds the limit.
    #[error("{pieces} pieces of surface, the limit is {limit}")]
    TooManyPieces {
        /// Number of pieces.
        pieces: u64,
        /// Largest number allowed.
        limit: u64,
    },
}
