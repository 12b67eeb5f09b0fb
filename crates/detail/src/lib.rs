//! Fits the height of the ground in every convex polygon.
//!
//! A convex polygon only has heights at its corners; the ground between them may rise and fall.
//! [`fit_heights`] covers each polygon with triangles that stay within a stated distance of the
//! ground at the centre of every column of the grid:
//!
//! - **Error-bounded.** The sample with the largest error becomes a point of the surface, until no
//!   error exceeds the bound.
//! - **Unbiased.** Samples are the ground of the walkable field, not the top of its voxels, so the
//!   remaining error has both signs.
//! - **Without cracks.** The points along an edge are chosen once and used by both polygons.
//! - **On one storey.** If simplification moved a seam, the ground is followed from span to span
//!   over the seam. Ground of another storey above or below is never used.
//! - **Window by window**, if the field does not fit into memory: [`fit_heights_windowed`] gives
//!   the same result to the last bit.
//!
//! ```
//! use waymesh_core::{GridFrame, PolyMesh, RegionMap, WalkableField};
//! use waymesh_detail::{DetailConfig, fit_heights};
//!
//! # let frame = GridFrame { origin: Default::default(), cell_size: 0.3, level_height: 0.2, width: 4, depth: 4 };
//! let field = WalkableField::empty(frame);
//! let regions = RegionMap { labels: Vec::new(), count: 0 };
//! let mesh = PolyMesh::empty(frame);
//! let surface = fit_heights(&field, &regions, &mesh, &DetailConfig::default(), &mut ())?;
//! assert!(surface.triangles.is_empty());
//! # Ok::<(), waymesh_detail::DetailError>(())
//! ```
//!
//! # Placement of points
//! All arithmetic on plan positions is exact. Points lie on a lattice with a power of two of
//! positions per column, as fine as single-precision coordinates can hold. A point on an edge is
//! the start plus an integer number of equal steps that are themselves on the lattice. So it lies
//! exactly on the straight line, and polygons stay convex and keep their areas.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod assemble;
mod check;
mod claims;
mod config;
mod edges;
mod fit;
mod ground;
mod groups;
mod known;
mod lattice;
mod patches;
mod polygon;
mod rows;
mod surface;

pub use assemble::FittedPolygons;
pub use config::{DetailConfig, DetailError, LEAST_ERROR_LEVELS, WindowConfig};
pub use fit::{
    GreedyInsertion, GroundSource, KeepFit, fit_heights, fit_heights_known, fit_heights_of,
    fit_heights_windowed,
};
pub use known::fit_inputs;
pub use waymesh_core as core;

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
