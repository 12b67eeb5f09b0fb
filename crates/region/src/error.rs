//! What can go wrong.

use thiserror::Error;
use waymesh_core::{BadField, GridWindow, SpanKey};

/// A partition that cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RegionError {
    /// A configuration field out of its range.
    #[error(transparent)]
    BadField(#[from] BadField),
    /// A part of a field that is no rectangle of whole blocks, or that does not lie in its frame.
    #[error("the core {core:?} is not made of whole blocks of a grid of {width} x {depth} cells")]
    NotWholeBlocks {
        /// The part's core.
        core: GridWindow,
        /// Cells of the grid along x.
        width: u32,
        /// Cells of the grid along z.
        depth: u32,
    },
    /// Bytes that are no pieces of a surface.
    #[error("pieces are damaged near byte {byte}: {what}")]
    DamagedPieces {
        /// Where it showed.
        byte: usize,
        /// What is wrong there.
        what: &'static str,
    },
    /// Two tiles that are not parts of one bake: another grid, or another rule.
    #[error("tile {tile} has another grid or another configuration than tile 0")]
    TilesDiffer {
        /// Place of the tile in the list.
        tile: usize,
    },
    /// Two tiles that hold the same span in their cores.
    #[error("two tiles hold the span at cell ({}, {}), level {}", key.x, key.z, key.floor)]
    TilesOverlap {
        /// The span.
        key: SpanKey,
    },
    /// Two tiles side by side that do not agree on a link between them.
    #[error("the tiles on both sides of cell ({}, {}), level {} do not fit together", key.x, key.z, key.floor)]
    TilesDisagree {
        /// The span with the link.
        key: SpanKey,
    },
    /// A tile that was not there, or was another, when the surfaces were joined.
    #[error("the part with core {core:?} is not among those that were joined")]
    UnknownTile {
        /// The part's core.
        core: GridWindow,
    },
    /// More pieces than can be numbered.
    #[error("{pieces} pieces of surface, the limit is {limit}")]
    TooManyPieces {
        /// How many there are.
        pieces: u64,
        /// How many there may be.
        limit: u64,
    },
}
