//! Tiles: how a world that is larger than memory is baked, by as many threads as there are.
//!
//! Tiles are how the work is done and nothing else: everything here is about where columns,
//! triangles and finished parts are kept, nothing about what a mesh looks like.
//!
//! - [`TileLayout`] cuts a frame into tiles of whole blocks.
//! - [`Census`] looks at every triangle once: bounds, counts, a fingerprint.
//! - [`TriangleBins`] sorts triangles into tiles, in memory or in a spill file.
//! - [`TileStore`] keeps finished tiles, in memory or in a folder from which a bake can be resumed.
//! - [`build_tiles`] runs a closure per tile, in parallel, within a [`MemoryGate`].

mod bins;
mod census;
mod error;
mod gate;
mod layout;
mod run;
mod store;

pub use bins::{BinsConfig, TriangleBins};
pub use census::Census;
pub use error::TileError;
pub use gate::{MemoryGate, Share};
pub use layout::{Tile, TileLayout};
pub use run::{Tally, build_tiles};
pub use store::{TileSource, TileStore};
