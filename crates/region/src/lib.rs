//! Partitions of the walkable surface into regions: pieces simple enough to trace and triangulate.
//!
//! - [`partition_surfaces`]: whole storeys, cut only where they overlap in plan, with short seams;
//!   also in parts, for tiles that are loaded one at a time ([`split_surfaces`], [`join_surfaces`],
//!   [`label_surfaces`]), with the same result.
//! - [`distance_field`] and [`blur`]: distance of each span to the nearest border.
//! - [`partition_watershed`]: basins of the distance field; compact regions.
//! - [`partition_monotone`]: row sweeps; one pass, long thin regions.
//! - [`remove_small_islands`] and [`connected_components`]: connected components of the surface.
//!
//! All partitions return a region map that satisfies the whole contract of
//! [`Partition`](waymesh_core::stage::Partition): every walkable span has a region, and a region is
//! one connected piece of one area that **never overlaps itself in plan**, not even on spiral
//! stairs. All algorithms are near linear in the number of spans and deterministic: whole storeys
//! are split and joined on several threads, with the same result for any number of threads.
//!
//! All functions require a valid field (see [`Validate`](waymesh_core::Validate)); tables of wrong
//! length or links out of range may panic.
//!
//! ```
//! use waymesh_core::{GridFrame, WalkableField};
//! use waymesh_region::{WatershedConfig, partition_watershed};
//!
//! # let frame = GridFrame { origin: Default::default(), cell_size: 0.3, level_height: 0.2, width: 4, depth: 4 };
//! let field = WalkableField::empty(frame);
//! let regions = partition_watershed(&field, &WatershedConfig::default(), &mut ())?;
//! assert_eq!(regions.count, 0);
//! # Ok::<(), waymesh_region::RegionError>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod distance;
mod error;
mod islands;
mod merge;
mod monotone;
mod rivals;
mod stacks;
mod surfaces;
mod watershed;

pub use distance::{DistanceField, UNITS_PER_CELL, blur, distance_field};
pub use error::RegionError;
pub use islands::{Components, RemovedIslands, connected_components, remove_small_islands};
pub use monotone::{Monotone, MonotoneConfig, partition_monotone};
pub use surfaces::{
    JoinConfig, JoinedSurfaces, Piece, StraightLinks, SurfacePieces, Surfaces, SurfacesConfig, join_surfaces,
    label_split_surfaces, label_surfaces, partition_surfaces, split_surfaces, split_surfaces_labelled,
};
pub use watershed::{Watershed, WatershedConfig, partition_watershed};
pub use waymesh_core as core;

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
