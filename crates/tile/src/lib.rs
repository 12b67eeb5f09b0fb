//! Tiles, for baking worlds that are larger than memory, on all threads.
//!
//! Tiles only divide the work. This crate stores columns, triangles and finished parts, and has no
//! knowledge of meshes.
//!
//! - [`TileLayout`] cuts a frame into tiles of whole blocks.
//! - [`Census`] reads every triangle once and finds bounds, counts and a fingerprint.
//! - [`TriangleBins`] sorts triangles into tiles, in memory or in a spill file.
//! - [`TileStore`] keeps finished tiles, in memory or in a folder from which a bake can be resumed.
//! - [`build_tiles`] runs a closure per tile, in parallel, within a [`MemoryGate`].
//!
//! ```
//! use waymesh_tile::core::{Cancelled, GridFrame};
//! use waymesh_tile::{MemoryGate, TileLayout, build_tiles, glam::Vec3};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let frame = GridFrame { origin: Vec3::ZERO, cell_size: 0.3, level_height: 0.2, width: 500, depth: 300 };
//! let layout = TileLayout::new(&frame, 128)?;
//! let tiles: Vec<_> = layout.tiles().collect();
//! let work = |tile| Ok::<_, Cancelled>(layout.core(tile).column_count());
//! let cells = build_tiles(&tiles, &MemoryGate::new(1 << 30), |_| 10 << 20, work, &mut ())?;
//! assert_eq!(cells.iter().sum::<u64>(), 500 * 300);
//! # Ok(()) }
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod bins;
mod census;
mod error;
mod gate;
mod layout;
mod run;
mod store;
mod tile;

pub use bins::{BinsConfig, TriangleBins};
pub use census::Census;
pub use error::TileError;
pub use gate::{MemoryGate, Share};
pub use glam;
pub use layout::TileLayout;
pub use run::{Tally, build_tiles};
pub use store::{TileStore, tile_from_bytes, tile_to_bytes};
pub use tile::Tile;
pub use waymesh_core as core;

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
